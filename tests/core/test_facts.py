"""Prices and figures of use: read when asked for, nearest region first, newest first, used apart from new."""

import json
from decimal import Decimal
from pathlib import Path

import pytest

from core.catalogue.catalogue import Catalogue
from core.catalogue.fact_kinds import Condition, Direction, FactSection, FactTable
from core.catalogue.fact_records import Fact
from core.catalogue.facts import NO_FACTS, Facts, nearest, regions
from core.catalogue.records import Confidence, Source
from core.errors import CatalogueError
from core.trace import OriginKind
from tests.shipped import shipped


@pytest.fixture(scope="module")
def facts() -> Facts:
    return shipped().facts


def test_all_are_there(facts: Facts) -> None:
    assert len(list(facts)) == 736
    assert len(facts.section(FactSection.DEVICE_PRICE)) == 69
    assert len(facts.section(FactSection.API)) == 242


def test_nothing_is_read_before_it_is_asked_for() -> None:
    fresh = Facts(shipped().facts.folder)
    assert fresh._tables == {}
    fresh.find(FactSection.FINANCE, "finance.fx.eur-usd")
    assert list(fresh._tables) == [FactTable.RUNNING]


def test_the_client_s_region_goes_before_the_world(facts: Facts) -> None:
    local = facts.device_price("dgx-spark", "FR")
    anywhere = facts.device_price("dgx-spark", "JP")
    assert local is not None
    assert (local.middle, local.currency) == (Decimal(4700), "EUR")
    assert anywhere is not None
    assert (anywhere.low, anywhere.high, anywhere.currency) == (Decimal(3999), Decimal(6950), "USD")


def test_new_and_used_are_never_mixed(facts: Facts) -> None:
    new, used = (facts.device_price("h100-sxm", condition=c) for c in (Condition.NEW, Condition.USED))
    assert new is not None
    assert used is not None
    assert (new.low, used.low) == (Decimal(25_000), Decimal(15_000))
    assert facts.device_price("a100-40gb-sxm") is None
    assert facts.device_price("a40", condition=Condition.USED) is not None  # quoted as new or used


def test_what_was_not_found_is_known_by_name_and_has_no_figure(facts: Facts) -> None:
    fact = facts.get("price.tpu-v5e.new")
    assert (fact.known, fact.middle) == (False, None)
    assert "rent only" in fact.note
    assert facts.device_price("tpu-v5e") is None


def test_a_name_that_is_not_there_is_refused(facts: Facts) -> None:
    with pytest.raises(CatalogueError, match=r"price\.of\.nothing"):
        facts.get("price.of.nothing")


def test_the_middle_of_quotes_is_geometric(facts: Facts) -> None:
    host = facts.get("bom.host.2gpu-2u-complete")
    assert host.middle is not None
    assert round(host.middle) == 15_025
    wait = facts.get("usage.target.ttft.nvidia.customer-chat")
    assert wait.middle == Decimal("1.5")  # from nothing there is no geometric middle


def test_hosted_models_have_prices_of_prompt_and_answer(facts: Facts) -> None:
    offers = facts.offers_of("meta-llama/Llama-3.3-70B-Instruct")
    assert [offer.output.middle for offer in offers] == sorted(offer.output.middle or 0 for offer in offers)
    assert "range" not in {offer.provider for offer in offers}
    gpt = facts.offers["gpt-5.4.openai"]
    assert (gpt.input.middle, gpt.output.middle) == (Decimal("2.5"), Decimal(15))
    assert gpt.input.direction is Direction.INPUT


def test_rents_are_of_providers_cheapest_first(facts: Facts) -> None:
    rents = facts.cloud(["h100-sxm"])
    assert len(rents) > 15
    assert [rent.middle for rent in rents] == sorted(rent.middle or 0 for rent in rents)
    assert all(rent.provider not in ("", "band") for rent in rents)


@pytest.mark.parametrize(
    ("region", "id"),
    [
        ("FR", "electricity.fr.business-small"),
        ("US", "electricity.us.commercial"),
        ("ES", "electricity.eu.non-household"),
        ("CH", "electricity.ch.household"),
    ],
)
def test_electricity_of_a_small_business(facts: Facts, region: str, id: str) -> None:
    found = facts.electricity(region)
    assert found is not None
    assert found.id == id


def test_no_region_has_no_price_of_electricity(facts: Facts) -> None:
    assert facts.electricity("") is None
    assert facts.electricity("JP") is None


def test_origin_can_be_cited(facts: Facts) -> None:
    origin = facts.get("price.rtx-pro-6000-maxq.eu-net").origin
    assert (origin.kind, origin.date, origin.record) == (
        OriginKind.CATALOGUE,
        "2026-10-05",
        "prices/price.rtx-pro-6000-maxq.eu-net",
    )
    assert "LDLC" in origin.title


def fact(id: str, region: str, date: str) -> Fact:
    return Fact(
        id=id, section=FactSection.PARTS, low=Decimal(1), high=Decimal(1), unit="each", currency="EUR", region=region,
        source=Source(title="A list", date=date, confidence=Confidence.ONE_SOURCE),
    )  # fmt: skip


def test_newest_of_the_nearest_region() -> None:
    known = [fact("a", "world", "2026-11"), fact("b", "EU", "2026-02"), fact("c", "EU", "2026-05")]
    assert [getattr(nearest(known, region), "id", None) for region in ("FR", "CH", "")] == ["c", "a", "a"]
    assert nearest([], "FR") is None
    assert regions("world") == ("world",)


def test_a_catalogue_without_a_folder_has_none(small: Catalogue) -> None:
    assert list(small.facts) == list(NO_FACTS) == []


def test_overlay_keeps_them() -> None:
    from core.catalogue.overlay import Overlay

    assert shipped().with_overlay(Overlay()).facts is shipped().facts


BROKEN = {
    "low above high": {"low": "2", "high": "1"},
    "no low end": {"high": "1"},
    "currency": {"low": "1", "high": "1", "currency": "euro"},
    "section": {"section": "weather"},
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_record_is_named(name: str, tmp_path: Path) -> None:
    record = {"id": "bom.x", "section": "bom", "unit": "each", "source": {"title": "A list"}, **BROKEN[name]}
    (tmp_path / "prices.json").write_text(json.dumps([record]))
    with pytest.raises(CatalogueError, match=r"prices\.json: record “bom\.x”"):
        Facts(tmp_path).table(FactTable.PRICES)


def test_a_missing_or_doubled_table_is_named(tmp_path: Path) -> None:
    with pytest.raises(CatalogueError, match=r"prices\.json cannot be read"):
        Facts(tmp_path).table(FactTable.PRICES)
    record = {"id": "bom.x", "section": "bom", "unit": "each", "source": {"title": "A list"}}
    (tmp_path / "prices.json").write_text(json.dumps([record, record]))
    with pytest.raises(CatalogueError, match=r"two records are called “bom\.x”"):
        Facts(tmp_path).table(FactTable.PRICES)

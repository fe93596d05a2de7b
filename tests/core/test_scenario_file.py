import json
from contextlib import suppress
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InvalidInput, StoreError, StoreTooNew, TonnageError
from core.scenario import (
    ApiChoice,
    CatalogueModel,
    CloudChoice,
    Companion,
    CompanionRole,
    CostLine,
    Deployment,
    Economics,
    ExchangeRate,
    LineKind,
    Plan,
    Scenario,
    TextbookModel,
    Workload,
)
from core.store.scenario_file import MAX_FILE_BYTES, dump_scenario, parse_scenario, read_scenario, write_scenario

PLAIN = Scenario(model=CatalogueModel(id="m"), weights="fp8", deployment=Deployment(device="d"))
FULL = PLAIN.edited(
    name="RAG, Ω",
    client="Zürich AG",
    model=TextbookModel(
        name="t", parameters=35 * 10**9, active_parameters=3 * 10**9, layers=48, kv_heads=4, head_dim=128
    ),
    companions=(Companion(role=CompanionRole.EMBEDDING, parameters=4 * 10**9).model_dump(),),
    workload=Workload(users=40, active_share=0.3, prompt_tokens=32768, ttft_target_s=2.0),
    deployment__plan=Plan(tensor=4, pipeline=2),
    economics__price="12400.50",
)


@pytest.mark.parametrize("scenario", [PLAIN, FULL])
def test_there_and_back(tmp_path: Path, scenario: Scenario) -> None:
    path = tmp_path / "option.tonnage"
    write_scenario(path, scenario, {"devices": {"mine": {"id": "mine"}}})
    read = read_scenario(path)
    assert read.scenario == scenario
    assert read.records == {"devices": {"mine": {"id": "mine"}}}
    assert dump_scenario(read.scenario, read.records) == path.read_text(encoding="utf-8")


def test_a_newer_file_is_refused_politely() -> None:
    content = json.loads(dump_scenario(PLAIN))
    for newer in ({**content, "tonnage": 2}, {**content, "scenario": {**content["scenario"], "schema_version": 2}}):
        with pytest.raises(StoreTooNew, match=r"newer version of Tonnage \(0"):
            parse_scenario(json.dumps(newer))


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"weights": 3}, "weights"),
        ({"deployment": {"device": "d", "count": 0}}, "deployment.count"),
        ({"workload": {"users": -1}}, "workload.users"),
        ({"unheard_of": 1}, "unheard_of"),
        ({"model": {"kind": "catalogue"}}, "model.catalogue.id"),
    ],
)
def test_a_bad_field_is_named(change: dict[str, object], field: str) -> None:
    content = json.loads(dump_scenario(PLAIN))
    content["scenario"].update(change)
    with pytest.raises(InvalidInput) as caught:
        parse_scenario(json.dumps(content), "option.tonnage")
    assert caught.value.field == field
    assert caught.value.message.startswith("option.tonnage: “" + field)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "{}", '{"tonnage": true}', "[" * 100_000, '{"tonnage": 1}'])
def test_rubbish_is_a_sentence(text: str) -> None:
    with pytest.raises(InvalidInput):
        parse_scenario(text)


def test_too_large_and_unreadable(tmp_path: Path) -> None:
    path = tmp_path / "big.tonnage"
    with path.open("wb") as file:
        file.truncate(MAX_FILE_BYTES + 1)
    with pytest.raises(InvalidInput, match="larger than a scenario"):
        read_scenario(path)
    with pytest.raises(StoreError, match="cannot be read"):
        read_scenario(tmp_path / "absent.tonnage")
    (tmp_path / "latin.tonnage").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidInput, match="not a Tonnage scenario"):
        read_scenario(tmp_path / "latin.tonnage")


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "option.tonnage"
    write_scenario(path, PLAIN)
    before = path.read_bytes()

    def full_disk(_handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full_disk)
    with pytest.raises(StoreError, match="was not written: the disk is full"):
        write_scenario(path, FULL)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["option.tonnage"]


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    ["tonnage", "scenario", "records", "model", "weights", "deployment", "kind", "id", "device"]
                ),
                inner,
                max_size=5,
            )
        ),
        max_leaves=20,
    )
)
def test_no_content_breaks_the_reader(content: object) -> None:
    with suppress(TonnageError):
        parse_scenario(json.dumps(content))


def test_a_file_from_before_demand_and_terms_still_opens() -> None:
    """What such a file does not say has its default."""
    content = json.loads(dump_scenario(FULL))
    for name in ("use", "demand", "prompt_tail_tokens", "output_tail_tokens", "target_percentile"):
        del content["scenario"]["workload"][name]
    content["scenario"]["economics"] = {"price": "12400.50", "currency": "USD"}
    assert parse_scenario(json.dumps(content)).scenario == FULL


def test_terms_and_lines_go_there_and_back() -> None:
    line = CostLine(
        kind=LineKind.HOST, name="Server", quantity=Decimal("1.5"), price=Decimal("9999.99"), currency="CHF"
    )
    terms = Economics(
        currency="EUR",
        region="FR",
        lines=(line,),
        exchange=(ExchangeRate(currency="CHF", per_euro=Decimal("0.94"), dated="2026-11-30"),),
        api=(ApiChoice(offer="llama-3.3-70b.ovhcloud"),),
        cloud=(CloudChoice(price=Decimal("1.85"), hours=Decimal(2200)),),
        term_years=Decimal(5),
    )
    scenario = PLAIN.edited(economics=terms)
    assert parse_scenario(dump_scenario(scenario)).scenario == scenario

"""The user's records lie over the shipped ones, which stay as they are."""

import json

import pytest
from pydantic import ValidationError

from core import RESOURCES
from core.catalogue.catalogue import Catalogue
from core.catalogue.loading import load_shipped
from core.catalogue.overlay import Overlay
from core.catalogue.records import Confidence, Device, Source
from core.catalogue.tables import Table
from core.errors import CatalogueError

QUOTE = Source(title="Quote of a dealer", date="2026-11-28")


@pytest.fixture(scope="module")
def shipped() -> Catalogue:
    return load_shipped(RESOURCES / "catalogue")


@pytest.fixture
def mine(shipped: Catalogue) -> Device:
    """A copy of a card with more memory."""
    card = shipped.device("rtx-pro-6000-ws")
    bigger = card.memory_tiers[0].model_copy(update={"capacity_bytes": 128 * 10**9, "usable_bytes": 130 * 10**9})
    changes = {"id": "my-card", "name": "My card", "aliases": (), "memory_tiers": (bigger,), "tdp_w": 500.0}
    return card.model_copy(update=changes)


def test_added_record_is_found_and_the_shipped_stays(shipped: Catalogue, mine: Device) -> None:
    catalogue = shipped.with_overlay(Overlay(devices=(mine,)))
    assert catalogue.device("my card").memory_tiers[0].capacity_bytes == 128 * 10**9
    assert catalogue.is_yours(mine)
    assert not catalogue.is_yours(catalogue.device("h100-sxm"))
    assert catalogue.device("RTX PRO 6000").id == "rtx-pro-6000-ws"
    assert len(shipped.devices) == 145
    with pytest.raises(CatalogueError):
        shipped.device(mine.id)


def test_changed_record_takes_the_place_of_the_shipped(shipped: Catalogue) -> None:
    card = shipped.device("h100-sxm")
    yours = QUOTE.model_copy(update={"confidence": Confidence.YOURS})
    cooler = card.model_copy(update={"tdp_w": 650.0, "sources": {**card.sources, "tdp_w": yours}})
    catalogue = shipped.with_overlay(Overlay(devices=(cooler,)))
    assert catalogue.device("h100").tdp_w == 650
    assert catalogue.changed_fields(cooler) == ("sources", "tdp_w")
    assert catalogue.is_yours(cooler)
    assert shipped.device("h100").tdp_w == 700
    back = catalogue.with_overlay(Overlay())
    assert back.device("h100").tdp_w == 700


def test_json_both_ways(mine: Device, shipped: Catalogue) -> None:
    model = shipped.model("openai/gpt-oss-20b")
    overlay = Overlay(devices=(mine,), models=(model,))
    assert Overlay.model_validate_json(overlay.model_dump_json()) == overlay
    assert Overlay.model_validate_json(overlay.model_dump_json(exclude_defaults=True)) == overlay
    assert not overlay.is_empty
    assert Overlay().is_empty


def test_records_of_store_and_scenario_file(mine: Device, shipped: Catalogue) -> None:
    overlay = Overlay(devices=(mine,), links=(shipped.link("pcie-gen5-x16"),))
    plain = overlay.to_records()
    assert plain.keys() == {"devices", "links"}
    assert Overlay.from_records(plain) == overlay
    assert Overlay.from_records({"devices": {mine.id: mine.model_dump_json()}}).devices == (mine,)
    assert Overlay.from_records({}).is_empty


def test_every_shipped_record_survives_the_way_through_a_file(shipped: Catalogue) -> None:
    whole = Overlay(**{table.value: tuple(shipped.table(table).values()) for table in Table})  # type: ignore[arg-type]
    assert Overlay.from_records(json.loads(json.dumps(whole.to_records()))) == whole


def test_broken_records_are_named(mine: Device) -> None:
    with pytest.raises(CatalogueError, match="of the unknown kind “cheeses”"):
        Overlay.from_records({"cheeses": {}})
    with pytest.raises(CatalogueError, match=r"The entry devices/x cannot be read: vendor: It is missing"):
        Overlay.from_records({"devices": {"x": {"id": "x", "name": "x"}}})
    with pytest.raises(CatalogueError, match=r"The entry devices/x cannot be read: the record: This is not JSON"):
        Overlay.from_records({"devices": {"x": "{"}})
    with pytest.raises(CatalogueError, match=f"The entry devices/x calls itself “{mine.id}”"):
        Overlay.from_records({"devices": {"x": mine.model_dump_json()}})


def test_no_id_is_there_twice(mine: Device) -> None:
    with pytest.raises(ValidationError, match="is there twice"):
        Overlay(devices=(mine, mine))


def test_blueprints_survive_an_overlay(shipped: Catalogue, mine: Device) -> None:
    blueprint = shipped.blueprint("openai/gpt-oss-20b")
    catalogue = shipped.with_overlay(Overlay(devices=(mine,)))
    assert catalogue.blueprint("openai/gpt-oss-20b") is blueprint
    other = shipped.model("Qwen/Qwen3-4B").config
    changed = shipped.model("openai/gpt-oss-20b").model_copy(update={"config": other})
    assert catalogue.with_overlay(Overlay(models=(changed,))).blueprint("openai/gpt-oss-20b").layers == 36


def test_overlay_on_an_overlay_replaces_it(shipped: Catalogue, mine: Device) -> None:
    once = shipped.with_overlay(Overlay(devices=(mine,)))
    assert once.with_overlay(Overlay()).devices.keys() == shipped.devices.keys()
    assert once.with_overlay(Overlay()).shipped is shipped

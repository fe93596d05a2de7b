"""The user's records lie over the shipped ones, which stay as they are."""

import json

import pytest

from core import RESOURCES
from core.catalogue.catalogue import Catalogue
from core.catalogue.loading import load_shipped
from core.catalogue.naming import Table
from core.catalogue.overlay import Overlay, duplicated, edited, read_overlay
from core.catalogue.records import Confidence, Device, Source
from core.errors import CatalogueError, InvalidInput

QUOTE = Source(title="Quote of a dealer", date="2026-11-28")


@pytest.fixture(scope="module")
def shipped() -> Catalogue:
    return load_shipped(RESOURCES / "catalogue")


@pytest.fixture
def mine(shipped: Catalogue) -> Device:
    """A copy of a card with more memory."""
    copy = duplicated(shipped.device("rtx-pro-6000-ws"), shipped, "My card")
    bigger = copy.memory_tiers[0].model_copy(update={"capacity_bytes": 128 * 10**9, "usable_bytes": 130 * 10**9})
    return edited(copy, QUOTE, memory_tiers=(bigger,), tdp_w=500.0)


def test_a_duplicate_has_a_new_id_and_no_aliases(shipped: Catalogue) -> None:
    original = shipped.device("rtx-pro-6000-ws")
    copy = duplicated(original, shipped, "RTX PRO 6000 (copy)")
    assert (copy.id, copy.name, copy.aliases) == ("rtx-pro-6000-ws-copy", "RTX PRO 6000 (copy)", ())
    assert copy.memory_tiers == original.memory_tiers
    again = duplicated(original, shipped.with_overlay(Overlay(devices=(copy,))), "Second copy")
    assert again.id == "rtx-pro-6000-ws-copy-2"


def test_added_record_is_found_and_the_shipped_stays(shipped: Catalogue, mine: Device) -> None:
    catalogue = shipped.with_overlay(Overlay().with_record(mine))
    assert catalogue.device("my card").memory_tiers[0].capacity_bytes == 128 * 10**9
    assert catalogue.is_yours(mine)
    assert not catalogue.is_yours(catalogue.device("h100-sxm"))
    assert catalogue.device("RTX PRO 6000").id == "rtx-pro-6000-ws"
    assert len(shipped.devices) == 145
    with pytest.raises(CatalogueError):
        shipped.device(mine.id)


def test_changed_record_takes_the_place_of_the_shipped(shipped: Catalogue) -> None:
    dearer = edited(shipped.device("h100-sxm"), QUOTE, tdp_w=650.0)
    catalogue = shipped.with_overlay(Overlay().with_record(dearer))
    assert catalogue.device("h100").tdp_w == 650
    assert catalogue.changed_fields(dearer) == ("sources", "tdp_w")
    assert catalogue.is_yours(dearer)
    assert shipped.device("h100").tdp_w == 700
    back = catalogue.with_overlay(Overlay().with_record(dearer).without(dearer))
    assert back.device("h100").tdp_w == 700


def test_edited_figures_are_yours_and_others_keep_their_source(mine: Device) -> None:
    for field in ("tdp_w", "memory_tiers.0.capacity_bytes", "memory_tiers.0.usable_bytes"):
        source = mine.source_of(field)
        assert source is not None
        assert (source.title, source.confidence) == ("Quote of a dealer", Confidence.YOURS)
    for field in ("memory_tiers.0.bandwidth_bytes_per_s", "peak_flops"):
        source = mine.source_of(field)
        assert source is not None
        assert source.confidence is not Confidence.YOURS


def test_impossible_figures_are_refused_with_the_field(shipped: Catalogue) -> None:
    with pytest.raises(InvalidInput) as caught:
        edited(shipped.device("h100-sxm"), QUOTE, accelerators=0)
    assert caught.value.field == "accelerators"
    with pytest.raises(InvalidInput) as caught:
        edited(shipped.device("h100-sxm"), QUOTE, colour="green")
    assert caught.value.field == "colour"


def test_json_both_ways(mine: Device, shipped: Catalogue) -> None:
    model = shipped.model("openai/gpt-oss-20b")
    overlay = Overlay(devices=(mine,), models=(model,))
    assert read_overlay(overlay.model_dump_json()) == overlay
    assert read_overlay(overlay.model_dump_json(exclude_defaults=True)) == overlay
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
    with pytest.raises(CatalogueError, match=r"The entry devices/x cannot be read: vendor: Field required"):
        Overlay.from_records({"devices": {"x": {"id": "x", "name": "x"}}})
    with pytest.raises(CatalogueError, match=r"The entry devices/x cannot be read: the record: Invalid JSON"):
        Overlay.from_records({"devices": {"x": "{"}})
    with pytest.raises(CatalogueError, match=f"The entry devices/x calls itself “{mine.id}”"):
        Overlay.from_records({"devices": {"x": mine.model_dump_json()}})


def test_broken_overlay_says_where(mine: Device) -> None:
    with pytest.raises(
        CatalogueError, match=r"Your catalogue entries cannot be read: devices.0.vendor: Field required"
    ):
        read_overlay('{"devices": [{"id": "x", "name": "x"}]}')
    with pytest.raises(CatalogueError, match="is there twice"):
        read_overlay(Overlay.model_construct(devices=(mine, mine)).model_dump_json())


def test_record_in_its_place_keeps_its_order_last(shipped: Catalogue, mine: Device) -> None:
    other = edited(mine, QUOTE, tdp_w=400.0)
    overlay = Overlay().with_record(mine).with_record(other)
    assert overlay.devices == (other,)


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

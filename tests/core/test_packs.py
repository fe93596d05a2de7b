"""Catalogue packs: what they hold, what they would change, and that they come and go whole."""

import json
import os
import sqlite3
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from core import RESOURCES
from core.catalogue.catalogue import Catalogue
from core.catalogue.check import check
from core.catalogue.loading import load_shipped
from core.catalogue.overlay import Overlay
from core.catalogue.pack import (
    MAX_PACK_BYTES,
    Pack,
    PackKind,
    file_checksum,
    newer_catalogue,
    own_records,
    pack_text,
    parse_pack,
    read_pack,
)
from core.catalogue.pack_changes import changes
from core.catalogue.records import Device
from core.cli import main
from core.errors import CatalogueError, StoreError, StoreTooNew, TonnageError
from core.sizing.examples import worked_example_in_reality
from core.sizing.size import size
from core.store.library import Library
from core.store.packs import Packs, laid_over, shipped_with_packs

CARD = "rtx-pro-6000-ws"
NEWER = "2027-02-01"


@pytest.fixture(scope="module")
def shipped() -> Catalogue:
    catalogue = load_shipped(RESOURCES / "catalogue")
    assert not any(problem.is_error for problem in check(catalogue))  # which also reads each model once for all tests
    return catalogue


def renamed(card: Device, name: str) -> Device:
    """A copy of a card under another name."""
    return card.model_copy(update={"id": f"{card.id}-copy", "name": name, "aliases": ()})


def pack_of(shipped: Catalogue, version: str = NEWER, name: str = "Tonnage catalogue", tdp_w: float = 570.0) -> Pack:
    """A newer catalogue: a card with another power and more bandwidth, a new one, a price."""
    card = shipped.device(CARD)
    tier = card.memory_tiers[0].model_copy(update={"bandwidth_bytes_per_s": 1.8e12})
    changed = card.model_copy(update={"tdp_w": tdp_w, "memory_tiers": (tier,)})
    added = renamed(card, "Card of next year")
    price = next(fact for fact in shipped.facts if fact.section == "electricity" and fact.known)
    dearer = price.model_copy(update={"low": Decimal("0.99"), "high": Decimal("0.99")})
    overlay = Overlay(devices=(changed, added))
    return Pack(name=name, kind=PackKind.CATALOGUE, version=version, records=overlay, facts=(dearer,))


def tampered(text: str, **changed: Any) -> str:
    return json.dumps({**json.loads(text), **changed})


def resealed(pack: Pack, **changed: Any) -> str:
    """A pack whose content was changed by somebody who knows how to make a checksum."""
    from core.catalogue import pack as module

    content = {**json.loads(pack_text(pack)), **changed}
    content["checksum"] = module._checksum(content)
    return json.dumps(content)


# ---- the file


def test_a_pack_goes_to_text_and_back(shipped: Catalogue) -> None:
    pack = pack_of(shipped)
    assert parse_pack(pack_text(pack)) == pack
    assert pack_text(parse_pack(pack_text(pack))) == pack_text(pack)


def test_spaces_and_order_do_not_break_the_checksum(shipped: Catalogue) -> None:
    text = pack_text(pack_of(shipped))
    content = json.loads(text)
    assert parse_pack(json.dumps(dict(reversed(content.items())))) == parse_pack(text)


def test_a_changed_figure_breaks_the_checksum(shipped: Catalogue) -> None:
    text = pack_text(pack_of(shipped))
    assert "570.0" in text
    with pytest.raises(CatalogueError, match="damaged: its checksum"):
        parse_pack(text.replace("570.0", "5700.0"), "card.tonnagepack")


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", "null", "7", "[" * 100_000, '{"tonnage_pack": "1"}', '{"tonnage": 1}', b"\xff\xfe", "NaN"],
)
def test_other_files_are_no_packs(text: str | bytes) -> None:
    with pytest.raises(CatalogueError, match=r"^x is not a Tonnage catalogue pack\.$"):
        parse_pack(text, "x")


def test_a_truncated_pack_is_refused_at_every_length(shipped: Catalogue) -> None:
    text = pack_text(pack_of(shipped))
    for length in range(0, len(text) - 2, 997):
        with pytest.raises(CatalogueError):
            parse_pack(text[:length])


@pytest.mark.parametrize("field", ["name", "kind", "version", "records", "facts", "checksum", "schema"])
def test_a_pack_without_one_of_its_parts_is_refused(shipped: Catalogue, field: str) -> None:
    content = json.loads(pack_text(pack_of(shipped)))
    del content[field]
    with pytest.raises(CatalogueError, match="not a whole Tonnage catalogue pack"):
        parse_pack(json.dumps(content))


def test_a_pack_of_a_newer_form_is_refused_politely(shipped: Catalogue) -> None:
    text = pack_text(pack_of(shipped))
    for newer in ({"tonnage_pack": 2}, {"schema": 2}):
        with pytest.raises(StoreTooNew, match="Update Tonnage to install it"):
            parse_pack(tampered(text, **newer))


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"records": []}, "“records” is damaged"),
        ({"records": {"planets": {}}}, "unknown kind “planets”"),
        ({"records": {"devices": {"x": {"id": "x"}}}}, "devices/x cannot be read"),
        ({"facts": [{"id": "x"}]}, "section: It is missing"),
        ({"facts": {}}, "“facts” is damaged"),
        ({"version": "2027-02-30"}, "version"),
        ({"version": "soon"}, "version"),
        ({"name": ""}, "name"),
        ({"name": "a\nb"}, "name"),
        ({"kind": "game"}, "kind"),
    ],
)
def test_a_sealed_pack_is_still_read_with_care(shipped: Catalogue, changed: dict[str, Any], said: str) -> None:
    with pytest.raises(CatalogueError, match=said):
        parse_pack(resealed(pack_of(shipped), **changed))


def test_two_prices_of_one_id_are_refused(shipped: Catalogue) -> None:
    pack = pack_of(shipped)
    facts = json.loads(pack_text(pack))["facts"]
    with pytest.raises(CatalogueError, match="two prices are called"):
        parse_pack(resealed(pack, facts=[*facts, *facts]))


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "huge.tonnagepack"
    with path.open("wb") as file:
        file.truncate(MAX_PACK_BYTES + 1)
    with pytest.raises(CatalogueError, match="larger than a pack can be"):
        read_pack(path)


# ---- what it changes


def test_changes_name_each_figure(shipped: Catalogue) -> None:
    found = changes(pack_of(shipped), shipped)
    by_id = {change.id: change for change in found}
    assert by_id["rtx-pro-6000-ws-copy"].is_new
    fields = {field.name: (field.before, field.after) for field in by_id[CARD].fields}
    assert fields["tdp_w"] == (600.0, 570.0)
    assert fields["memory_tiers.0.bandwidth_bytes_per_s"] == (1.792e12, 1.8e12)
    assert len(fields) == 2
    assert [change.table for change in found] == ["devices", "devices", "running"]


def test_records_that_are_the_same_are_no_change(shipped: Catalogue) -> None:
    same = Pack(
        name="Same", kind=PackKind.RECORDS, version=NEWER, records=Overlay(devices=tuple(shipped.devices.values()))
    )
    assert changes(same, shipped) == ()


def test_a_newer_catalogue_is_what_differs(shipped: Catalogue) -> None:
    newer = laid_over(shipped, [pack_of(shipped)])
    pack = newer_catalogue(newer, shipped, "Tonnage catalogue")
    assert pack.version == NEWER
    assert {entry.id for entry in pack.records.devices} == {CARD, "rtx-pro-6000-ws-copy"}
    assert changes(pack, shipped) == changes(pack_of(shipped), shipped)
    assert newer_catalogue(shipped, shipped, "Same").is_empty


# ---- installing and taking back


def test_an_installed_pack_changes_the_answer_and_its_removal_changes_it_back(
    tmp_path: Path, shipped: Catalogue
) -> None:
    scenario = worked_example_in_reality().edited(deployment__device=CARD)
    packs = Packs(tmp_path / "packs")
    before = size(scenario, packs.over(shipped))
    packs.install(pack_text(pack_of(shipped)).encode(), shipped)
    catalogue = packs.over(shipped)
    after = size(scenario, catalogue)
    assert catalogue.version == NEWER
    assert catalogue.device("card of next year").id == "rtx-pro-6000-ws-copy"
    assert not catalogue.is_yours(catalogue.device(CARD))
    assert {key: after.trace.entry(key).value for key in after.trace} != {
        key: before.trace.entry(key).value for key in before.trace
    }
    packs.revert()
    again = size(scenario, packs.over(shipped))
    assert {key: again.trace.entry(key).value for key in again.trace} == {
        key: before.trace.entry(key).value for key in before.trace
    }


def test_the_users_own_records_lie_over_a_pack(tmp_path: Path, shipped: Catalogue) -> None:
    packs = Packs(tmp_path)
    packs.install(pack_text(pack_of(shipped)).encode(), shipped)
    mine = shipped.device(CARD).model_copy(update={"tdp_w": 450.0})
    catalogue = packs.over(shipped).with_overlay(Overlay(devices=(mine,)))
    assert catalogue.device(CARD).tdp_w == 450
    assert catalogue.version == NEWER
    assert catalogue.is_yours(catalogue.device(CARD))


def test_a_later_pack_of_the_same_name_replaces_the_earlier_until_it_is_taken_back(
    tmp_path: Path, shipped: Catalogue
) -> None:
    packs = Packs(tmp_path)
    packs.install(pack_text(pack_of(shipped, "2027-02-01", tdp_w=570.0)).encode(), shipped)
    packs.install(pack_text(pack_of(shipped, "2027-03-01", tdp_w=560.0)).encode(), shipped)
    assert (packs.over(shipped).version, packs.over(shipped).device(CARD).tdp_w) == ("2027-03-01", 560)
    assert len(packs.in_force(shipped)) == 1
    packs.revert()
    assert (packs.over(shipped).version, packs.over(shipped).device(CARD).tdp_w) == ("2027-02-01", 570)
    packs.revert()
    assert packs.over(shipped) is shipped
    with pytest.raises(CatalogueError, match="No catalogue pack is installed"):
        packs.revert()


def test_a_catalogue_that_is_not_newer_is_refused_and_an_overtaken_one_counts_no_more(
    tmp_path: Path, shipped: Catalogue
) -> None:
    packs = Packs(tmp_path)
    with pytest.raises(CatalogueError, match="holds the catalogue of 2026-01-01"):
        packs.install(pack_text(pack_of(shipped, "2026-01-01")).encode(), shipped)
    assert packs.files() == []
    packs.install(pack_text(pack_of(shipped)).encode(), shipped)
    program_of_later = Catalogue("2027-06-01", **{t: getattr(shipped, t) for t in _TABLES}, facts=shipped.facts)
    assert packs.over(program_of_later).version == "2027-06-01"
    assert packs.over(program_of_later).device(CARD).tdp_w == 600


_TABLES = ("devices", "links", "weight_formats", "kv_formats", "engines", "models")


def test_own_records_hold_over_any_catalogue(tmp_path: Path, shipped: Catalogue) -> None:
    card = renamed(shipped.device(CARD), "Dealer's card")
    record = {"devices": {card.id: card.model_dump_json(exclude_defaults=True)}}
    pack = own_records(record, "Dealer", date(2020, 1, 1))
    packs = Packs(tmp_path)
    packs.install(pack_text(pack).encode(), shipped)
    assert packs.over(shipped).device("dealer's card").id == card.id
    assert packs.over(shipped).version == f"{shipped.version} + Dealer"
    with pytest.raises(CatalogueError, match="installed already"):
        packs.install(pack_text(pack).encode(), shipped)
    with pytest.raises(CatalogueError, match="no catalogue entries of your own"):
        own_records({}, "None", date(2020, 1, 1))


def test_a_pack_that_contradicts_the_catalogue_changes_nothing(tmp_path: Path, shipped: Catalogue) -> None:
    card = shipped.device(CARD).model_copy(update={"links": ("string-and-cups",)})
    pack = pack_of(shipped).model_copy(update={"records": Overlay(devices=(card,))})
    packs = Packs(tmp_path / "packs")
    with pytest.raises(CatalogueError, match=f"does not fit this catalogue: devices/{CARD}/links: there is no link"):
        packs.install(pack_text(pack).encode(), shipped, "x.tonnagepack")
    assert not packs.folder.exists()


def test_a_folder_that_cannot_be_written_changes_nothing(tmp_path: Path, shipped: Catalogue) -> None:
    (tmp_path / "packs").write_text("a file stands in the way")
    packs = Packs(tmp_path / "packs")
    with pytest.raises(StoreError):
        packs.install(pack_text(pack_of(shipped)).encode(), shipped)
    assert packs.over(shipped) is shipped


def test_a_pack_damaged_on_disk_is_left_out_and_said_and_can_be_taken_back(tmp_path: Path, shipped: Catalogue) -> None:
    packs = Packs(tmp_path)
    packs.install(pack_text(pack_of(shipped)).encode(), shipped)
    file = packs.files()[0]
    file.write_bytes(file.read_bytes()[:1000])
    catalogue, problem = shipped_with_packs(shipped, tmp_path)
    assert catalogue is shipped
    assert problem is not None
    assert "not a Tonnage catalogue pack" in problem.message
    packs.revert()
    assert shipped_with_packs(shipped, tmp_path) == (shipped, None)


def test_other_files_in_the_folder_are_left_alone(tmp_path: Path, shipped: Catalogue) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / ".0001-abc-x.part").write_text("left by a power cut")
    assert Packs(tmp_path).over(shipped) is shipped


# ---- without a window


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


def run(data: Path | None, *arguments: object) -> int:
    return main(["catalogue", *map(str, arguments)], data)


def test_the_whole_way_on_the_command_line(
    tmp_path: Path, data: Path, shipped: Catalogue, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "newer.tonnagepack"
    file.write_text(pack_text(pack_of(shipped)))
    assert run(data, "show", file) == 0
    shown = capsys.readouterr().out
    assert f"sha256 {file_checksum(file.read_bytes())}" in shown
    assert f"~ devices/{CARD} tdp_w: 600.0 -> 570.0" in shown
    assert "+ devices/rtx-pro-6000-ws-copy: Card of next year" in shown
    assert "1 new, 2 changed" in shown
    assert not data.exists()

    assert run(data, "install", file, "--sha256", "0" * 64) == 1
    assert "has another checksum than stated" in capsys.readouterr().err
    assert not data.exists()
    assert run(data, "install", file, "--sha256", file_checksum(file.read_bytes()).upper()) == 0
    assert f"installed Tonnage catalogue of {NEWER}" in capsys.readouterr().out
    assert main(["size", "--json"], data) == 0
    assert json.loads(capsys.readouterr().out)["catalogue"] == NEWER
    assert run(data, "installed") == 0
    assert f"1: Tonnage catalogue, catalogue of {NEWER}\n" in capsys.readouterr().out

    assert run(data, "revert") == 0
    assert shipped.version in capsys.readouterr().out
    assert run(data, "installed") == 0
    assert capsys.readouterr().out == f"shipped: catalogue of {shipped.version}\n"


def test_a_pack_of_ones_own_entries_goes_to_a_colleague(
    tmp_path: Path, data: Path, shipped: Catalogue, capsys: pytest.CaptureFixture[str]
) -> None:
    data.mkdir()
    card = renamed(shipped.device(CARD), "Dealer's card")
    now = datetime(2026, 11, 30, tzinfo=UTC)
    library = Library(data / "tonnage.sqlite", now)
    library.save_record("devices", card.id, card.model_dump_json(exclude_defaults=True), now)
    file = tmp_path / "dealer.tonnagepack"
    assert run(data, "pack", "-o", file, "--name", "Dealer") == 0  # while the store is open
    library.close()
    colleague = tmp_path / "colleague"
    assert run(colleague, "install", file) == 0
    capsys.readouterr()
    assert Packs(colleague / "packs").over(shipped).device("dealer's card") == card


def test_a_pack_of_a_newer_folder(tmp_path: Path, data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import shutil

    folder = tmp_path / "catalogue"
    shutil.copytree(RESOURCES / "catalogue", folder)
    file = tmp_path / "newer.tonnagepack"
    assert run(data, "pack", "--catalogue", folder, "-o", file) == 1
    assert "holds nothing that is new" in capsys.readouterr().err
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps({**manifest, "version": NEWER}))
    devices = (folder / "devices.json").read_text(encoding="utf-8")
    (folder / "devices.json").write_text(devices.replace('"tdp_w": 600', '"tdp_w": 599'), encoding="utf-8")
    assert run(data, "pack", "--catalogue", folder, "-o", file) == 0
    assert run(data, "install", file) == 0
    assert " tdp_w: 600.0 -> 599.0" in capsys.readouterr().out
    assert run(data, "check") == 0


@pytest.mark.parametrize("action", ["installed", "revert"])
def test_without_a_folder_there_is_a_sentence(action: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(None, action) == 1
    assert "No folder for catalogue packs" in capsys.readouterr().err


def test_a_damaged_pack_does_not_stop_sizing(
    tmp_path: Path, data: Path, shipped: Catalogue, capsys: pytest.CaptureFixture[str]
) -> None:
    packs = Packs(data / "packs")
    packs.install(pack_text(pack_of(shipped)).encode(), shipped)
    packs.files()[0].write_text("{}")
    assert main(["size"], data) == 0
    assert "The shipped catalogue is used alone" in capsys.readouterr().err
    assert run(data, "check") == 1


def test_own_records_of_a_file_that_is_no_store(tmp_path: Path) -> None:
    from core.store.own_records import own_records_in

    path = tmp_path / "tonnage.sqlite"
    path.write_bytes(os.urandom(4096))
    with pytest.raises(StoreError):
        own_records_in(path)
    sqlite3.connect(tmp_path / "empty.sqlite").close()
    with pytest.raises(TonnageError):
        own_records_in(tmp_path / "empty.sqlite")
    assert own_records_in(None) == own_records_in(tmp_path / "missing.sqlite") == {}

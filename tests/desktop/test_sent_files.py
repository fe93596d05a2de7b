"""A scenario's file on another machine: it opens with the figures it was sized with, and changes no other scenario."""

import json
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from core.catalogue.kept import with_file
from core.catalogue.own import with_own
from core.catalogue.records import Device, Engine, Link
from core.scenario import Scenario
from core.sizing.report import Sizing
from core.sizing.size import size
from core.store.scenario_file import read_scenario
from desktop.importing import import_file, save_copy
from desktop.own_records import OwnRecords
from desktop.proposal_export import Kind, write
from desktop.session import Session, one_of
from tests.desktop.small_catalogue import MemoryStore
from tests.shipped import shipped
from tests.usual_scenario import scenario as usual

CARD, ENGINE = "rtx-pro-6000-ws", "vllm"


def session_of(scenario: Scenario) -> Session:
    """The program of one person, on the shipped catalogue."""
    session = Session(shipped(), scenario, MemoryStore(scenario), catalogue_with=lambda own: with_own(shipped(), own))
    session.scenario_id = 1
    session.recompute()
    return session


def sized(session: Session) -> Sizing:
    sizing = session.settled()
    assert sizing is not None
    return sizing


def limit(sizing: Sizing) -> object:
    """What the engine may use of the memory."""
    return sizing.trace.entry("tier.0.limit_bytes").value


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "sent.tonnage"


@pytest.fixture
def sender(qapp: QApplication) -> Session:
    """Someone with an engine that reserves more, a card that reads faster, and a card and a link of their own."""
    session = session_of(usual())
    engine = session.catalogue.engine(ENGINE).model_copy(update={"memory_share": 0.8})
    card = session.catalogue.device(CARD)
    link = next(iter(session.catalogue.links.values())).model_copy(update={"id": "own/cable", "name": "My cable"})
    mine = card.model_copy(update={"id": "own/mine", "name": "My card", "links": ("own/cable",)})
    assert one_of(OwnRecords, session).save("engines", engine)
    assert one_of(OwnRecords, session).save("links", link)
    assert one_of(OwnRecords, session).save("devices", card.model_copy(update={"tdp_w": 450.0}))
    assert one_of(OwnRecords, session).save("devices", mine)
    return session


def test_a_copy_gives_the_same_figures_elsewhere(sender: Session, path: Path) -> None:
    assert save_copy(sender, path)
    receiver = session_of(usual().edited(name="Another one"))
    before = sized(receiver).decode, limit(sized(receiver))
    assert import_file(receiver, path)
    assert limit(sized(receiver)) == limit(sized(sender))
    assert sized(receiver).decode == sized(sender).decode
    assert receiver.catalogue.device(CARD).tdp_w == 450
    assert receiver.store is not None
    assert receiver.store.records() == {}  # nothing of the receiver's own has changed
    assert receiver.open(1)
    assert (sized(receiver).decode, limit(sized(receiver))) == before


def test_what_is_unknown_there_becomes_ones_own(sender: Session, path: Path) -> None:
    sender.edit("Device", deployment__device="own/mine")
    assert save_copy(sender, path)
    receiver = session_of(usual())
    assert import_file(receiver, path)
    assert {table: set(own) for table, own in one_of(OwnRecords, receiver).all().items()} == {
        "links": {"own/cable"},
        "devices": {"own/mine"},
    }
    assert isinstance(receiver.catalogue.device("own/mine"), Device)
    assert isinstance(receiver.catalogue.links["own/cable"], Link)
    assert sized(receiver).decode == sized(sender).decode


def test_a_file_holds_all_that_the_figures_rest_on(sender: Session, path: Path) -> None:
    write(((sender.scenario, sender.catalogue),), path, None, Kind.SCENARIO)  # type: ignore[arg-type]
    records = read_scenario(path).records
    assert set(records) == {"devices", "engines", "kv_formats", "links", "models", "weight_formats"}
    assert Engine.model_validate(records["engines"][ENGINE]).memory_share == 0.8
    catalogue = with_file(shipped(), records)
    assert limit(size(sender.scenario, catalogue)) == limit(sized(sender))
    assert not catalogue.is_yours(catalogue.model(sender.scenario.model.id))  # type: ignore[union-attr]


def test_a_file_without_changes_brings_none(qapp: QApplication, path: Path) -> None:
    session = session_of(usual())
    assert save_copy(session, path)
    assert json.loads(path.read_text(encoding="utf-8"))["records"]
    said: list[object] = []
    other = session_of(usual().edited(name="Another one"))
    other.moved_on.connect(said.append)
    assert import_file(other, path)
    assert other.catalogue is other.latest
    assert one_of(OwnRecords, other).all() == {}
    assert said[-1] == ()

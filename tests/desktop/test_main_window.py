"""The window: pages, keys, files dropped on it, names for all, its least size."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QAccessible, QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QApplication, QLineEdit, QSlider, QWidget

from core.architecture.blueprint import NoteKind
from core.architecture.config import read_config
from core.language.messages import LANGUAGES, set_language
from core.scenario import CatalogueModel
from desktop.first_steps import FirstSteps
from desktop.main_window import MainWindow
from desktop.own_records import OwnRecords
from desktop.pages.start_page import StartPage
from desktop.saved_scenarios import SavedScenarios
from desktop.session import Session, one_of
from desktop.settings import Settings
from desktop.theme import Theme
from tests.desktop.shell import make_window
from tests.desktop.small_catalogue import MemoryStore, small_scenario

QWEN3 = {
    "model_type": "qwen3",
    "architectures": ["Qwen3ForCausalLM"],
    "hidden_size": 1024,
    "intermediate_size": 3072,
    "num_hidden_layers": 28,
    "num_attention_heads": 16,
    "num_key_value_heads": 8,
    "head_dim": 128,
    "vocab_size": 151_936,
    "max_position_embeddings": 40_960,
    "tie_word_embeddings": True,
    "hidden_act": "silu",
    "rms_norm_eps": 1e-6,
}


def drop(window: MainWindow, path: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(QPoint(10, 10), Qt.DropAction.CopyAction, data, buttons, keys)
    window.dragEnterEvent(enter)
    assert enter.isAccepted()
    assert window.drop_frame.isVisible()
    window.dropEvent(QDropEvent(QPointF(10, 10), Qt.DropAction.CopyAction, data, buttons, keys))
    assert not window.drop_frame.isVisible()


def test_a_config_that_is_dropped_becomes_the_model(
    window: MainWindow, session: Session, store: MemoryStore, tmp_path: Path
) -> None:
    folder = tmp_path / "Qwen3-0.6B"
    folder.mkdir()
    path = folder / "config.json"
    path.write_text(json.dumps(QWEN3))
    drop(window, path)
    assert isinstance(session.scenario.model, CatalogueModel)
    assert session.scenario.model.id in store.own["models"]
    assert json.loads(store.own["models"][session.scenario.model.id])["config"]["num_hidden_layers"] == 28
    assert window.messages.bar("imported") is not None
    drop(window, path)
    assert len(store.own["models"]) == 1  # the same config is the same model
    session.undo()
    assert session.scenario == small_scenario()


def test_a_usual_decoder_of_unknown_name_becomes_the_model_with_a_warning(
    window: MainWindow, session: Session, store: MemoryStore, tmp_path: Path
) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps({**QWEN3, "model_type": "no_such_thing", "architectures": ["NoSuchForCausalLM"]}))
    drop(window, path)
    assert isinstance(session.scenario.model, CatalogueModel)
    config = json.loads(store.own["models"][session.scenario.model.id])["config"]
    assert [note.kind for note in read_config(config).warnings] == [NoteKind.UNKNOWN_ARCHITECTURE]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("config.json", "{", "config.json"),
        ("config.json", "[1, 2]", "config.json"),
        (
            "config.json",
            json.dumps({**QWEN3, "model_type": "no_such_thing", "architectures": ["NoSuch"], "warp_heads": 3}),
            "warp_heads",
        ),
        ("config.json", json.dumps({k: v for k, v in QWEN3.items() if k != "num_hidden_layers"}), "num_hidden_layers"),
        ("config.json", json.dumps({**QWEN3, "num_hidden_layers": -3}), "num_hidden_layers"),
        (
            "notes.txt",
            "hello",
            "Tonnage reads config.json, safetensors and GGUF. The scenario is unchanged.",
        ),
        ("bad.tonnage", "no json", "bad.tonnage is not a Tonnage scenario"),
        ("old.tonnage", '{"tonnage": 99, "scenario": {}}', "newer version"),
    ],
)
def test_bad_files_are_named_and_change_nothing(
    window: MainWindow, session: Session, store: MemoryStore, tmp_path: Path, name: str, content: str, said: str
) -> None:
    path = tmp_path / name
    path.write_text(content)
    drop(window, path)
    bar = window.messages.bar("import")
    assert bar is not None
    assert said in bar.text.text()
    assert bar.property("tone") == "bad"
    assert session.scenario == small_scenario()
    assert store.own == {}
    assert len(store.kept) == 3


def test_a_copy_comes_back_with_the_records_that_it_uses(
    window: MainWindow, session: Session, store: MemoryStore, tmp_path: Path
) -> None:
    from desktop.importing import save_copy

    device = session.catalogue.device("rtx-4090").model_copy(update={"id": "own/mine", "name": "Mine", "tdp_w": 300.0})
    one_of(OwnRecords, session).save("devices", device)
    session.edit("Device", deployment__device="own/mine")
    path = tmp_path / "sent.tonnage"
    assert save_copy(session, path)
    one_of(OwnRecords, session).save("devices", device.model_copy(update={"tdp_w": 350.0}))
    drop(window, path)
    assert session.scenario.deployment.device == "own/Mine"
    assert session.catalogue.device("own/Mine").tdp_w == 300
    assert session.catalogue.device("own/mine").tdp_w == 350
    assert store.kept[4].name == session.scenario.name


def test_text_that_is_dragged_over_is_not_taken(window: MainWindow) -> None:
    data = QMimeData()
    data.setText("hello")
    event = QDragEnterEvent(
        QPoint(1, 1), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    )
    event.ignore()
    window.dragEnterEvent(event)
    assert not event.isAccepted()


def test_pages(window: MainWindow) -> None:
    assert window.page == "sizing"
    window.action("catalogue").trigger()
    assert window.page == "catalogue"
    assert window.sidebar.pages["catalogue"].isChecked()
    window.action("sizing").trigger()
    assert window.page == "sizing"


def test_without_a_scenario_the_start_page_shows(window: MainWindow, session: Session, store: MemoryStore) -> None:
    window.resize(1280, 800)
    for scenario_id in (1, 2, 3):
        one_of(SavedScenarios, session).delete(scenario_id)
    assert window.page == "start"
    assert window.sidebar.empty.isVisible()
    assert [card.accessibleName() for card in window.pages.page(StartPage, "start").cards] == [
        "Start a scenario", "Import a model", "Open the worked example",
    ]  # fmt: skip
    window.pages.page(StartPage, "start").cards[0].click()
    assert window.page == "sizing"
    assert session.scenario.name == "New scenario"
    assert len(store.kept) == 1


def test_keys(qtbot: Any, window: MainWindow, session: Session, store: MemoryStore) -> None:
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    qtbot.keyClick(window, Qt.Key.Key_Tab, Qt.KeyboardModifier.ControlModifier)
    assert session.scenario_id == 2
    qtbot.keyClick(window, Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier)
    assert store.kept[4].name == "Two DGX Sparks, copy"
    qtbot.keyClick(window, Qt.Key.Key_N, Qt.KeyboardModifier.ControlModifier)
    assert session.scenario.name == "New scenario"
    assert session.scenario.client == "Hafen Logistik AG"
    assert window.sizing.inputs.name.hasFocus()


def test_undo_in_a_number_field_is_that_of_the_scenario(qtbot: Any, window: MainWindow, session: Session) -> None:
    window.activateWindow()
    edit = window.sizing.inputs.workload.users.edit
    edit.setFocus()
    qtbot.waitUntil(edit.hasFocus)
    edit.selectAll()
    qtbot.keyClicks(edit, "50")
    qtbot.keyClick(edit, Qt.Key.Key_Return)
    assert session.scenario.workload.users == 50
    qtbot.keyClick(edit, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert session.scenario.workload.users == 40
    assert edit.text() == "40"


def test_f6_walks_over_the_columns(qtbot: Any, window: MainWindow) -> None:
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    qtbot.keyClick(window, Qt.Key.Key_F6)  # nothing has the focus: the first column gets it
    focused = QApplication.focusWidget()
    assert focused is not None
    assert window.sidebar.isAncestorOf(focused)
    qtbot.keyClick(window, Qt.Key.Key_F6)
    focused = QApplication.focusWidget()
    assert focused is not None
    assert window.sizing.inputs.isAncestorOf(focused)
    qtbot.keyClick(window, Qt.Key.Key_F6, Qt.KeyboardModifier.ShiftModifier)
    focused = QApplication.focusWidget()
    assert focused is not None
    assert window.sidebar.isAncestorOf(focused)


def test_the_line_of_the_first_start_has_three_ways(window: MainWindow) -> None:
    FirstSteps(window).show_example_line()
    bar = window.messages.bar("example")
    assert bar is not None
    assert bar.text.text() == "This is the worked example: change anything."
    ways = [child.text() for child in bar.findChildren(QAbstractButton) if child.text()]
    assert ways == ["Import a model…", "See the catalogue", "Start a scenario"]


CONTROLS = (QAbstractButton, QLineEdit, QSlider, QAbstractItemView)


def controls(widget: QWidget) -> Iterator[QWidget]:
    for child in widget.findChildren(QWidget):
        if isinstance(child, CONTROLS) and child.focusPolicy() is not Qt.FocusPolicy.NoFocus:
            yield child


def test_every_control_has_a_name(window: MainWindow) -> None:
    window.show_page("catalogue")
    FirstSteps(window).show_example_line()
    nameless = []
    for control in controls(window):
        interface = QAccessible.queryAccessibleInterface(control)
        if not interface.text(QAccessible.Text.Name).strip():
            nameless.append(f"{type(control).__name__} in {type(control.parent()).__name__}")
    assert nameless == []
    assert sum(1 for _control in controls(window)) > 60


def test_tabbing_goes_from_left_to_right(window: MainWindow) -> None:
    order = []
    widget = window.sidebar.search
    for _step in range(400):
        following = widget.nextInFocusChain()
        if following is None or following is window.sidebar.search:
            break
        widget = following  # type: ignore[assignment]
        takes = widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.isVisible()
        if takes:
            order.append(
                "sidebar"
                if window.sidebar.isAncestorOf(widget)
                else "inputs"
                if window.sizing.inputs.isAncestorOf(widget)
                else ""
            )
    order = [column for column in order if column]
    assert order.index("inputs") == len(order) - order[::-1].index("sidebar") or order == sorted(order, reverse=True)


@pytest.fixture
def english_again() -> Iterator[None]:
    yield
    set_language("en")


@pytest.mark.usefixtures("english_again")
@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("page", ["sizing", "catalogue", "start"])
def test_no_language_needs_more_than_1024_by_640(
    qtbot: Any, session: Session, theme: Theme, settings: Settings, code: str, page: str
) -> None:
    set_language(code)
    window = make_window(session, theme, settings)
    qtbot.addWidget(window)
    FirstSteps(window).show_example_line()
    window.resize(1024, 640)
    window.show()
    window.show_page(page)
    least = window.minimumSizeHint()
    assert least.width() <= 1024
    assert least.height() <= 640
    assert (window.width(), window.height()) == (1024, 640)


def test_the_theme_can_be_switched_while_it_is_open(window: MainWindow, theme: Theme, settings: Settings) -> None:
    window.show_page("catalogue")
    window.choices.set_scheme("dark")
    assert window.grab().toImage().pixelColor(4, 400).lightness() < 60
    window.choices.set_scheme("light")
    assert window.grab().toImage().pixelColor(4, 400).lightness() > 200


def test_charts_are_not_imported_before_the_first_paint() -> None:
    import subprocess
    import sys

    late = "{'numpy', 'pyqtgraph', 'typst'}"
    script = f"import sys, desktop.app, desktop.main_window; print(*sorted({late} & set(sys.modules)))"
    answer = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.strip() == ""

"""Every state of the window that has words of its own: pages, forms, lines that report, popups, dialogs.

Each is brought up, settled and yielded with the widget to look at; after that it is taken away again.
"""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, QEventLoop, QThreadPool, QTimer
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QApplication, QDialog, QMessageBox, QScrollArea, QWidget

from core.catalogue.own import records_in
from core.catalogue.pack import own_records, pack_text
from core.errors import StoreError
from core.scenario import Measured
from core.store.database import Backup
from desktop.app import Application
from desktop.first_steps import FirstSteps
from desktop.main_window import MainWindow
from desktop.opening import offer_backup, offer_read_only
from desktop.pages.catalogue.page import CataloguePage
from desktop.pages.find.search_job import PAUSE_MS
from desktop.report import ReportSheet
from desktop.results.panel import EXPLAIN, ResultsPanel
from desktop.saved_scenarios import SavedScenarios
from desktop.session import one_of
from desktop.settings import TOUR_SEEN
from desktop.widgets.tour import Tour
from tests.core.test_own_measurement import LLAMA_BENCH
from tests.usual_scenario import scenario as usual_scenario

PAGES = ("sizing", "hardware", "models", "compare", "catalogue", "proposal", "settings", "help")
CARD = "rtx-pro-6000-ws"

State = tuple[str, QWidget]


def wait(milliseconds: int) -> None:
    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()


def settle() -> None:
    """Wait until what runs in the background has answered, and what it changed is laid out."""
    wait(PAUSE_MS + 30)
    while QThreadPool.globalInstance().activeThreadCount():
        wait(20)
    turn()


def turn() -> None:
    """What was changed is laid out."""
    for _turn in range(3):  # an answer is delivered, then what it changed is laid out
        wait(0)
        QApplication.sendPostedEvents()


def panel_of(window: MainWindow) -> ResultsPanel:
    panel = window.findChild(ResultsPanel)
    assert panel is not None
    return panel


def write(edit: Any, text: str) -> None:
    """Type a text and leave the field."""
    edit.setFocus()
    edit.setText(text)
    edit.textEdited.emit(text)
    edit.settle()
    QApplication.sendEvent(edit, QFocusEvent(QEvent.Type.FocusOut))


def with_problem(edit: Any, text: str) -> None:
    """Type what cannot be read, and leave the field."""
    write(edit, text)
    assert edit.problem


# ---- pages


def pages(window: MainWindow) -> Iterator[State]:
    """Every page and every result tab, with its chart and with its table."""
    for page in PAGES:
        window.show_page(page)
        settle()
        yield page, window
    window.show_page("sizing")
    panel = panel_of(window)
    for tab in range(panel.tabs.count()):
        panel.show_tab(tab)
        settle()
        yield f"tab {tab}", window
        if tab != EXPLAIN:
            panel.toggle_table()
            turn()
            yield f"tab {tab} as a table", window
            panel.toggle_table()
    panel.show_tab(0)


def costs(window: MainWindow) -> Iterator[State]:
    """A scenario whose cost is known, as a firm in Germany would have it: its tile, its tabs, its bill, its options."""
    session = window.session
    before = session.scenario_id
    session.new(usual_scenario().edited(economics__region="DE", economics__currency="EUR"))
    window.show_page("sizing")
    panel = panel_of(window)
    for tab in range(panel.tabs.count()):
        panel.show_tab(tab)
        settle()
        yield f"with cost, tab {tab}", window
    panel.show_tab(0)
    section = window.sizing.inputs.economics
    folded = section.folded
    if folded:
        section.toggle()  # as a person does: what stands in for open fields is found then
        wait(300)  # it unfolds
        settle()
    bar = window.sizing.inputs.scroll_area.verticalScrollBar()
    turn()
    bar.setValue(section.y())
    turn()
    yield "with cost, economics", window
    section.set_folded(folded)
    yield from _bill(window)
    window.show_page("hardware")
    settle()
    yield "with cost, hardware", window
    window.pages.propose()
    settle()
    yield "with cost, proposal", window
    assert session.scenario_id is not None
    one_of(SavedScenarios, session).delete(session.scenario_id)
    window.messages.remove("delete")
    if before is not None:
        session.open(before)
    window.show_page("sizing")
    turn()


def _bill(window: MainWindow) -> Iterator[State]:
    window.pages.show_bill()
    page: Any = window.pages.currentWidget()
    turn()
    yield "bill, proposed", window
    bar = page.scroll_area.verticalScrollBar()
    bar.setValue(bar.maximum())
    turn()
    yield "bill, its sums", window
    with_problem(page.rows[0].quantity, "a few")
    bar.setValue(0)
    turn()
    yield "bill, a quantity that cannot be read", window
    write(page.rows[0].quantity, "3")
    write(page.rows[1].price, "12,5")
    turn()
    yield "bill, entered", window
    page._remove(1)
    turn()
    yield "bill, a line deleted", window
    page._propose_again()
    turn()
    window.messages.remove("bill")


def inputs(window: MainWindow) -> Iterator[State]:
    """Every section open with all its rows, and a field that cannot be read."""
    window.show_page("sizing")
    column = window.sizing.inputs
    folds = {key: section.folded for key, section in column.sections.items()}
    for section in column.sections.values():
        section.set_folded(False)
        if not section.more.isHidden() and not section.shows_more:
            section.more.click()
    bar = column.scroll_area.verticalScrollBar()
    for key, section in column.sections.items():
        turn()
        column.scroll_area.ensureWidgetVisible(section, 0, bar.pageStep())
        bar.setValue(section.y())
        turn()
        yield f"inputs, {key}", window
    context = column.workload.context.edit
    with_problem(context, "256 K tokens or so")
    bar.setValue(column.workload.y())
    turn()
    yield "inputs, a number that cannot be read", window
    write(context, "256K")
    for key, section in column.sections.items():
        section.set_folded(folds[key])


def levers(window: MainWindow) -> Iterator[State]:
    """What a lever would bring, shown before it is taken."""
    window.show_page("sizing")
    found = window.session.levers()
    assert found
    strip = panel_of(window).advice
    strip.previewed.emit(found[0].after)
    turn()
    yield "a lever tried out", window
    strip.previewed.emit(None)


def catalogue(window: MainWindow, folder: Path) -> Iterator[State]:
    """Every table's form: a record, a new one, one's own; what was changed; what cannot be read; a pack."""
    window.show_page("catalogue")
    page = window.pages.page(CataloguePage, "catalogue")
    for tab in page.column._tabs:
        for table in tab.tables:
            first = next(iter(_records(window, table.key)), "")
            if first:
                page.show_record(table.key, first)
                turn()
                yield f"catalogue, {table.key}", window
                bar = page.form.verticalScrollBar()
                bar.setValue(bar.maximum())
                turn()
                yield f"catalogue, {table.key}, its end", window
            if table.blank is not None:
                page.begin_record(table)
                turn()
                yield f"catalogue, a new one of {table.key}", window
                page.discard()
    page.column.search.setText("there is no such thing")
    turn()
    yield "catalogue, nothing found", window
    page.column.search.clear()
    yield from _own_record(window)
    path = folder / "cards.tonnagepack"
    device = window.session.latest.device(CARD).model_copy(update={"tdp_w": 450.0})
    today = _moment().date()
    records = own_records({"devices": {CARD: device.model_dump_json()}}, "Newer cards of this spring", today)
    path.write_text(pack_text(records), "utf-8")
    page.preview_pack(path)
    turn()
    yield "catalogue, a pack", window
    page.preview.closed.emit()
    path.write_text("{}", "utf-8")
    page.preview_pack(path)
    turn()
    yield "catalogue, a damaged pack", window
    window.messages.remove("pack")


def _records(window: MainWindow, table: str) -> dict[str, Any]:
    return dict(records_in(window.session.latest, table))


def _own_record(window: MainWindow) -> Iterator[State]:
    page = window.pages.page(CataloguePage, "catalogue")
    page.show_record("devices", CARD)
    row = next(one for one in page.form.rows if one.figure.key == "tdp_w")
    edit: Any = row.value
    for text, name in (("much", "a figure that cannot be read"), ("450", "a changed figure")):
        write(edit, text)
        page.form.ensureWidgetVisible(edit)
        turn()
        yield f"catalogue, {name}", window
    page.records.save.click()
    page._toggle_differences()
    page.form.ensureWidgetVisible(edit)
    turn()
    yield "catalogue, a record of one's own", window
    page.forget()
    turn()
    yield "catalogue, back to shipped", window
    window.messages.remove("record")


def calibration(window: MainWindow, folder: Path) -> Iterator[State]:
    """Without a measurement, with one being typed, with several kept."""
    window.pages.calibrate()
    page: Any = window.pages.currentWidget()
    turn()
    yield "calibration, none yet", window
    for figure in Measured:
        page.form.choose(figure.value)
        write(page.form.value, "95")
        turn()
        yield f"calibration, {figure.value}", window
    with_problem(page.form.requests, "many")
    turn()
    yield "calibration, what cannot be read", window
    write(page.form.requests, "1")
    (folder / "bench.json").write_text(json.dumps(LLAMA_BENCH), "utf-8")
    (folder / "other.json").write_text("[]", "utf-8")
    page.read_file(folder / "bench.json")
    turn()
    yield "calibration, kept", window
    page.read_file(folder / "bench.json")
    turn()
    yield "calibration, known already", window
    page.read_file(folder / "other.json")
    turn()
    yield "calibration, another file", window
    window.messages.remove("calibration")
    while window.session.scenario.measurements:
        page.remove(0)
    window.messages.remove("calibration")
    window.show_page("sizing")


def comparisons(window: MainWindow) -> Iterator[State]:
    """Nothing to compare, one ticked, two, three and four scenarios, with all rows and as a table."""
    window.show_page("compare")
    page: Any = window.pages.built["compare"]
    ids = [one.id for one in one_of(SavedScenarios, window.session).all()]
    for number in range(5):
        window.ticked.set_ids(ids[:number])
        settle()
        yield f"compare, {number}", window
    page.only.setChecked(False)
    turn()
    yield "compare, all rows", window
    bar = page.scroll_area.verticalScrollBar()
    bar.setValue(bar.maximum())
    turn()
    yield "compare, its end", window
    page.only.setChecked(True)
    page.toggle_table()
    turn()
    yield "compare, as a table", window
    page.toggle_table()


def settings(window: MainWindow) -> Iterator[State]:
    """The end of the settings, and what cannot be read in them."""
    window.show_page("settings")
    page: Any = window.pages.built["settings"]
    with_problem(page.electricity, "cheap")
    turn()
    yield "settings, a price that cannot be read", window
    write(page.electricity, "")
    area = page.findChild(QScrollArea)
    area.verticalScrollBar().setValue(area.verticalScrollBar().maximum())
    turn()
    yield "settings, their end", window


def help_topics(window: MainWindow) -> Iterator[State]:
    window.show_page("help")
    page: Any = window.pages.built["help"]
    for choice in list(page.topics.rows.rows):
        page.show_topic(choice.key)
        turn()
        yield f"help, {choice.key}", window


def proposal(window: MainWindow) -> Iterator[State]:
    """Every section of the choices open, one after another."""
    window.show_page("proposal")
    page: Any = window.pages.built["proposal"]
    settle()
    for section in page.choices.sections:
        section.set_folded(False)
        page.choices.scroll_area.ensureWidgetVisible(section)
        page.choices.scroll_area.verticalScrollBar().setValue(section.y())
        turn()
        yield f"proposal, {section.header.text()}", window


# ---- without a scenario, the first start


def beginnings(window: MainWindow) -> Iterator[State]:
    """The line and the hints of the first start, and what shows while a file is dragged."""
    window.show_page("sizing")
    FirstSteps(window).show_example_line()
    turn()
    yield "first start, its line", window
    window.messages.remove("example")
    window.settings.set(TOUR_SEEN, False)
    FirstSteps(window).look_around()
    tour = window.findChild(Tour)
    assert tour is not None
    for number in range(3):
        turn()
        yield f"first start, hint {number + 1}", window
        tour._go_on()
    window.drop_frame.setGeometry(window.rect())
    window.drop_frame.show()
    turn()
    yield "a file is dragged", window
    window.drop_frame.hide()
    window.show_page("start")
    turn()
    yield "no scenario", window
    window.show_page("sizing")


# ---- lines that report


def lines(application: Application, folder: Path) -> Iterator[State]:
    """What the window says above the page, each by what brings it about."""
    window, session = application.window, application.session
    window.show_page("sizing")

    def said(name: str, topic: str) -> Iterator[State]:
        assert window.messages.bar(topic) is not None, name
        turn()
        yield f"line, {name}", window
        window.messages.remove(topic)

    one_of(SavedScenarios, session).duplicate(one_of(SavedScenarios, session).all()[0].id, "A copy to be thrown away")
    assert session.scenario_id is not None
    one_of(SavedScenarios, session).delete(session.scenario_id)
    yield from said("deleted", "delete")
    for name, content in (("model.gguf", b"GGUF"), ("config.json", b"{}"), ("notes.txt", b"-"), ("a.tonnage", b"{")):
        (folder / name).write_bytes(content)
        window.import_file(folder / name)
        settle()
        for topic in window.messages.topics:
            yield from said(name, topic)
    store = session.store
    session.store = Full()
    session.edit("Users", workload__users=session.scenario.workload.users + 1)
    session.save()
    yield from said("full disk", "store")
    session.new(session.scenario)
    yield from said("full disk, leaving", "store")
    session.store = store
    session.save()
    session.undo()
    for path in (Path("/nowhere/a.png"), Path("/nowhere/a.csv")):
        panel_of(window).export(path)
        for topic in window.messages.topics:
            yield from said(f"{path.suffix} that cannot be written", topic)


class Full:
    """A store on a full disk."""

    lasting = True

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def fail(*_arguments: object, **_named: object) -> Any:
            raise StoreError("Nothing was saved: {reason}.", reason=("the disk is full"))

        return fail


# ---- popups and dialogs


def popups(window: MainWindow) -> Iterator[State]:
    """The windows that open over the page."""
    window.show_page("sizing")
    window.sidebar.open_search()
    search = window.sidebar.search_popup
    assert search is not None
    for text in ("", "pro", "there is no such thing"):
        search.field.setText(text)
        turn()
        yield f"search, {text!r}", search
    search.hide()
    window.sidebar._open_list()
    yield "scenarios beside the rail", window.sidebar.flyout
    window.sidebar.flyout.hide()
    window.sidebar.scenarios.ask_client_of_current()
    client = window.sidebar.scenarios.client_popup
    assert client is not None
    for text in ("", "Somebody new"):
        client.field.setText(text)
        turn()
        yield f"client, {text!r}", client
    client.hide()
    for name, picker in (
        ("model", window.sizing.inputs.model.model),
        ("device", window.sizing.inputs.deployment.device),
        ("engine", window.sizing.inputs.deployment.engine),
    ):
        picker.open()
        turn()
        yield f"picker, {name}", picker.popup()
        if picker.popup().search.isVisible():
            picker.popup().search.setText("there is no such thing")
            turn()
            yield f"picker, {name}, nothing found", picker.popup()
        picker.popup().hide()


def dialogs(window: MainWindow, look: Callable[[str, QWidget], object], patch: Callable[..., object]) -> None:
    """What asks a question, or shows something beside the page: looked at while it is open, then closed.

    `patch` sets an attribute for the time of a test.
    """
    questions: dict[str, Callable[[], object]] = {
        "about": window.show_about,
        "a fault": lambda: ReportSheet("Tonnage\nTraceback: a long line of the report " * 12, True).exec(),
        "a fault, not saved": lambda: ReportSheet("Tonnage", False).exec(),
        "a damaged store": lambda: offer_backup(Backup(Path("tonnage.sqlite"), _moment())),
        "a second window": offer_read_only,
        "closing unsaved": window._close_unsaved,
    }
    for name, ask in questions.items():

        def shown(dialog: QDialog, name: str = name) -> int:
            dialog.show()
            turn()
            look(name, dialog)
            dialog.done(0)
            return 0

        for kind in (QDialog, QMessageBox):
            patch(kind, "exec", shown)
        ask()
    window.show_page("hardware")
    settle()
    page: Any = window.pages.built["hardware"]
    page._list_misses()
    turn()
    for dialog in page.findChildren(QDialog):
        look("what was ruled out", dialog)
        dialog.accept()


def _moment() -> datetime:
    return datetime(2026, 11, 29, 8, 15, tzinfo=UTC)


def whole(application: Application, folder: Path) -> Iterator[State]:
    """Everything but the dialogs that wait for an answer."""
    window = application.window
    yield from pages(window)
    yield from costs(window)
    yield from inputs(window)
    yield from levers(window)
    yield from catalogue(window, folder)
    yield from calibration(window, folder)
    yield from comparisons(window)
    yield from settings(window)
    yield from help_topics(window)
    yield from proposal(window)
    yield from beginnings(window)
    yield from lines(application, folder)
    yield from popups(window)

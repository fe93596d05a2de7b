"""Compare: a sentence with letters, the columns, the rows; one click leads to the proposal."""

from datetime import date
from pathlib import Path

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence, QResizeEvent, QShortcut, QShowEvent
from PySide6.QtWidgets import (
    QApplication,
    QBoxLayout,
    QCheckBox,
    QHBoxLayout,
    QMenu,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from core.errors import TonnageError
from core.language import comparison as words
from core.language.comparison_inputs import input_rows
from core.language.messages import gettext as _
from core.sizing.comparison import MOST, Comparison
from core.sizing.report import Weight
from desktop.jobs import Jobs
from desktop.pages.compare.capacity_multiple import curve_table
from desktop.pages.compare.compare_body import CompareBody
from desktop.pages.compare.compare_export import CompareExport
from desktop.pages.compare.empty import NothingToCompare
from desktop.pages.page import Page
from desktop.results.export_actions import ask_for_file, export_actions
from desktop.results.table_view import TablePanel
from desktop.saved_scenarios import SavedScenarios
from desktop.session import Message, Session, one_of
from desktop.settings import ONLY_DIFFERENCES, Settings
from desktop.theme import Theme
from desktop.ticked import Ticked
from desktop.widgets.choices import Choice
from desktop.widgets.labels import ElidedLabel, IconButton, ToneIcon, button, label, line
from desktop.widgets.picker import PickerPopup
from desktop.widgets.scroll import DownScroll

SIDE = 20
CONTROLS_BELOW = 940  # narrower than this, the controls stand under the sentence
TOPIC = "compare"


class ComparePage(Page):
    """Follows the ticks; computes when it is shown and when one of the scenarios has changed."""

    propose = Signal(list)  # ids of the scenarios, A first
    opened = Signal()  # a scenario was opened from here
    explain_requested = Signal(str)  # a figure of the scenario that was just opened

    def __init__(self, session: Session, theme: Theme, ticked: Ticked, settings: Settings) -> None:
        super().__init__()
        self._session, self._theme, self._ticked, self._settings = session, theme, ticked, settings
        self._saved = one_of(SavedScenarios, session)
        self.found: Comparison | None = None
        self._ids: tuple[int, ...] = ()  # of the comparison that is shown
        self._asked: tuple[int, ...] = ()
        self._is_stale = True
        self._popup: PickerPopup | None = None
        self.headline = label("", "verdict", wrap=True)
        self.subline = ElidedLabel("", "label")
        self.only = QCheckBox(_("Only what differs"))
        self.only.setChecked(settings.get(ONLY_DIFFERENCES))
        self.table_button = IconButton(theme, "table", _("Table of the same numbers"), self.toggle_table, "T")
        self.save_button = IconButton(theme, "download", _("Save chart"), self.show_export_menu, "Ctrl+E")
        self.add = button(_("Add scenario"), action=self._choose)
        self.add.setToolTip(_("Another scenario beside these"))
        self.proposal = button(_("Proposal…"), "primary", self.propose_shown)
        self.proposal.setToolTip(_("A proposal with these options (Ctrl+P)"))
        self.body = CompareBody(theme)
        self.empty = NothingToCompare(theme, self._choose, self._tick_client)
        self.numbers = TablePanel(theme)
        self.foot = QWidget()
        self.notes = [ElidedLabel("", "caption") for _number in range(MOST)]
        self._jobs = Jobs(self)
        self._lay_out()
        self._connect()
        self._draw_add()

    # -- building -----------------------------------------------------------------------------------------------------

    def _lay_out(self) -> None:
        controls = QHBoxLayout()
        controls.setSpacing(8)
        controls.addWidget(self.only)
        controls.addSpacing(4)
        controls.addWidget(self.table_button)
        controls.addWidget(self.save_button)
        controls.addWidget(self.add)
        controls.addWidget(self.proposal)
        self._head = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._head.setSpacing(8)
        self._head.addWidget(self.headline, 1)
        self._head.addLayout(controls)
        self._head.setAlignment(controls, Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignRight)
        head = QVBoxLayout()
        head.setContentsMargins(SIDE, 12, SIDE, 10)
        head.setSpacing(3)
        head.addLayout(self._head)
        head.addWidget(self.subline)
        self.scroll_area = DownScroll(self.body)
        self._shown = QWidget()
        shown = QVBoxLayout(self._shown)
        shown.setContentsMargins(0, 0, 0, 0)
        shown.setSpacing(0)
        shown.addLayout(head)
        shown.addWidget(line())
        self.views = QStackedWidget()
        self.views.addWidget(self.scroll_area)
        self.views.addWidget(self._table_holder())
        shown.addWidget(self.views, 1)
        shown.addWidget(line())
        shown.addWidget(self._foot())
        self.pages = QStackedWidget()
        self.pages.addWidget(self.empty)
        self.pages.addWidget(self._shown)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self.pages)

    def _table_holder(self) -> QWidget:
        holder = QWidget()
        column = QVBoxLayout(holder)
        column.setContentsMargins(SIDE, 0, SIDE, 0)
        column.addWidget(self.numbers)
        return holder

    def _foot(self) -> QWidget:
        row = QHBoxLayout(self.foot)
        row.setContentsMargins(SIDE, 8, SIDE, 8)
        row.setSpacing(6)
        row.addWidget(ToneIcon(self._theme, "star", "ok", 14))
        self.star_note = label("", "caption")
        row.addWidget(self.star_note)
        row.addSpacing(14)
        self._info = ToneIcon(self._theme, "info-circle", "text_3", 14)
        row.addWidget(self._info)
        for note in self.notes:
            row.addWidget(note, 1)
        return self.foot

    def _connect(self) -> None:
        self.only.toggled.connect(self._on_only)
        self.body.opened.connect(self._open)
        self.body.removed.connect(self._take_out)
        self.body.made_first.connect(self._make_first)
        self.body.explain_requested.connect(self._explain)
        self._ticked.changed.connect(self._ask)
        self._session.scenario_changed.connect(self._on_scenario)
        self._session.scenarios_changed.connect(self._on_scenario)
        self._session.catalogue_changed.connect(self._ask)
        self._theme.changed.connect(self._draw_add)
        self._jobs.done.connect(self._show)
        self._jobs.failed.connect(self._fail)
        keys = {"T": self.toggle_table, "Delete": self._take_out_focused, "Ctrl+E": self.show_export_menu}
        for key, run in keys.items():
            shortcut = QShortcut(QKeySequence(key), self)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(run)

    def _draw_add(self) -> None:
        self.add.setIcon(self._theme.icon("plus", "text", 14))

    # -- computing ----------------------------------------------------------------------------------------------------

    def _on_scenario(self, _changed: object = None) -> None:
        if self._session.scenario_id in self._ticked:
            self._ask()

    def _ask(self, _changed: object = None) -> None:
        self._is_stale = True
        if self.isVisible():
            self.refresh()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._is_stale:
            self.refresh()

    def refresh(self) -> None:
        """Compare what is ticked; what cannot be sized is named and left out."""
        self._is_stale = False
        sized: list[int] = []
        lost: list[int] = []
        for one in self._ticked.ids:
            (sized if self._saved.sizing_of(one) is not None else lost).append(one)
        names = {one.id: one.name for one in self._saved.all()}
        text = _("“{name}” cannot be sized: it is left out.").format(name=names.get(lost[0], "")) if lost else ""
        self._session.message.emit(Message(text, "warn", TOPIC))
        cases = [
            (it, self._saved.catalogue_of(one)) for one in sized if (it := self._saved.scenario_of(one)) is not None
        ]
        if len(cases) < 2:
            self._jobs.drop()
            self.found = None
            client = self._session.scenario.client
            several = sum(one.client == client for one in self._saved.all()) > 1
            self.empty.set_ticked(len(cases), client if several else "")
            self.pages.setCurrentWidget(self.empty)
            return
        self._asked = tuple(sized)
        today = date.today().isoformat()

        def work() -> Comparison:
            from core.sizing.comparison import compare

            return compare(cases, today)

        self._jobs.start(work)

    def _fail(self, error: Exception) -> None:
        raise error

    # -- showing ------------------------------------------------------------------------------------------------------

    def _show(self, found: Comparison) -> None:
        self.found, self._ids = found, self._asked
        inputs = input_rows([option.scenario for option in found.options], self._session.catalogue)
        self.headline.setText(words.headline(found))
        self.subline.setText(words.subline(found, inputs))
        self.body.show_comparison(found, inputs, self.only.isChecked())
        self.numbers.set_tables([curve_table(found)])
        self.star_note.setText(words.best_note(found))
        self.add.setEnabled(len(found.options) < MOST)
        self._show_notes(found)
        focused = QApplication.focusWidget()
        self.pages.setCurrentWidget(self._shown)
        if focused is not None and self.empty.isAncestorOf(focused):
            self.body.heads[0].setFocus()

    def _show_notes(self, found: Comparison) -> None:
        """What warns of one option and not of all."""
        from core.language.findings import finding_sentence

        kinds = [{f.kind for f in o.sizing.findings if f.weight is Weight.WARNING} for o in found.options]
        shared = set.intersection(*kinds)
        texts = []
        for option in found.options:
            own = [f for f in option.sizing.findings if f.weight is Weight.WARNING and f.kind not in shared]
            if own:
                texts.append(f"{option.letter}: {finding_sentence(own[0], option.sizing)}")
        for at, note in enumerate(self.notes):
            note.setText(texts[at] if at < len(texts) else "")
            note.setVisible(at < len(texts))
        self._info.setVisible(bool(texts))

    def _on_only(self, only: bool) -> None:
        self._settings.set(ONLY_DIFFERENCES, only)
        self.body.set_only_differing(only)

    def toggle_table(self) -> None:
        """The charts, or the same numbers as a table."""
        self.views.setCurrentIndex(1 - self.views.currentIndex())

    # -- saving -------------------------------------------------------------------------------------------------------

    def show_export_menu(self) -> None:
        """Offer the ways to save the comparison."""
        if self.found is not None:
            menu = QMenu(self)
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            menu.addActions(self.export_actions())
            corner = self.save_button.mapToGlobal(self.save_button.rect().bottomRight())
            menu.popup(corner - QPoint(menu.sizeHint().width(), 0))

    def export_actions(self) -> list[QAction]:
        return export_actions(self, self._ask_and_export, lambda: self._exported().copy(date.today()))

    def _exported(self) -> CompareExport:
        assert self.found is not None
        inputs = input_rows([option.scenario for option in self.found.options], self._session.catalogue)
        return CompareExport(self._theme, self.found, inputs, self.only.isChecked())

    def _ask_and_export(self, kind: str) -> None:
        path = ask_for_file(self, _("Compare"), kind)
        if path is not None:
            self.export(path)

    def export(self, path: Path) -> None:
        """Save what is shown as the ending of the path says; a failure is said in the page."""
        try:
            self._exported().save(path, date.today())
        except TonnageError as error:
            self._session.message.emit(Message(error.message, "bad", topic="export"))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        narrow = self.width() < CONTROLS_BELOW
        self._head.setDirection(QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight)

    # -- doing --------------------------------------------------------------------------------------------------------

    def _open(self, number: int) -> None:
        if self._session.open(self._ids[number]):
            self.opened.emit()

    def _explain(self, number: int, key: str) -> None:
        self._open(number)
        self.explain_requested.emit(key)

    def _take_out(self, number: int) -> None:
        self._ticked.toggle(self._ids[number])

    def _take_out_focused(self) -> None:
        for number, head in enumerate(self.body.heads):
            if head.hasFocus():
                self._take_out(number)

    def _make_first(self, number: int) -> None:
        first = self._ids[number]
        self._ticked.set_ids([first, *(one for one in self._ticked.ids if one != first)])

    def _tick_client(self) -> None:
        """Tick the first scenarios of the client on screen."""
        client = self._session.scenario.client
        self._ticked.set_ids([one.id for one in self._saved.all() if one.client == client][:MOST])

    def _choose(self, below: QWidget | None = None) -> None:
        if self._popup is None:
            self._popup = PickerPopup(self._theme, _("Scenarios"), True, self)
            self._popup.chosen.connect(lambda choice: self._ticked.toggle(int(choice.key)))
        choices = [Choice(str(one.id), one.name, one.client) for one in self._saved.all() if one.id not in self._ticked]
        self._popup.open(choices, "", below or (self.add if self.found is not None else self.empty.add))

    def propose_shown(self) -> bool:
        """Ask for the proposal of the options that are shown; False where there are none."""
        if self.found is not None:
            self.propose.emit(list(self._ids))
        return self.found is not None

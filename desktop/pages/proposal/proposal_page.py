"""The proposal page: choices at the left, live pages at the right, what is missing above them."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMenu, QVBoxLayout, QWidget

from core.language.messages import gettext as _
from core.language.messages import in_language, ngettext
from core.language.numbers import current
from core.proposal.composition import written_title
from core.proposal.gap_sentences import gap_sentence, place_word
from core.proposal.gaps import Gap, Place
from core.proposal.options import ProposalOptions
from core.scenario import Scenario
from desktop.pages.page import Page
from desktop.pages.proposal.choices_panel import ChoicesPanel
from desktop.pages.proposal.draft import draft_of
from desktop.pages.proposal.page_view import PageView
from desktop.pages.proposal.preview import Order, Pages, PreviewJob
from desktop.proposal_export import Kind, ProposalExport
from desktop.session import Session
from desktop.settings import Settings
from desktop.theme import Theme
from desktop.widgets.labels import button, label, line
from desktop.widgets.message_bar import MessageBar

CHOICES, CHOICES_NARROW, NARROW_BELOW = 300, 272, 900
MOST_GAPS = 3


class ProposalPage(Page):
    """Edits the options of a proposal; the pages follow within half a second."""

    def __init__(
        self,
        session: Session,
        theme: Theme,
        settings: Settings,
        export: ProposalExport,
        back: Callable[[], object],
        show_device: Callable[[str], object],
    ) -> None:
        super().__init__()
        self._session, self._theme, self._export = session, theme, export
        self._back, self._show_device = back, show_device
        self.draft = draft_of(session, settings)
        self.candidates = self.draft.candidates
        self.choices = ChoicesPanel(theme, self.candidates, self.change, back)
        self.view = PageView(theme)
        self.pages: Pages | None = None
        self.all_gaps = False
        self._stale = True
        self.status = label("", "strong")
        self.save = button(_("Save PDF…"), "primary", lambda: self.save_as(Kind.PDF))
        self.more = button(_("More"), "quiet", self._open_menu)
        self.more.setAccessibleName(_("Save as workbook or scenario"))
        self.job = PreviewJob(self)
        self._lay_out()
        self._connect()
        self._show_options()

    # -- building

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(20, 9, 20, 8)
        head.setSpacing(8)
        head.addWidget(self.status, 1)
        head.addWidget(self.more)
        head.addWidget(self.save)
        self._gaps = QVBoxLayout()
        self._gaps.setContentsMargins(20, 8, 20, 8)
        self._gaps.setSpacing(4)
        self._gaps_holder = QWidget()
        self._gaps_holder.setLayout(self._gaps)
        self._gaps_holder.setVisible(False)
        right = QVBoxLayout()
        right.setContentsMargins(0, 0, 0, 0)
        right.setSpacing(0)
        right.addLayout(head)
        right.addWidget(line())
        right.addWidget(self._gaps_holder)
        self.view.setFrameShape(QFrame.Shape.NoFrame)
        right.addWidget(self.view, 1)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        self.choices.setFixedWidth(CHOICES)
        row.addWidget(self.choices)
        row.addWidget(line(vertical=True))
        row.addLayout(right, 1)

    def _connect(self) -> None:
        self._session.scenario_changed.connect(self._on_scenario)
        self._session.scenarios_changed.connect(self._on_scenarios)
        self._session.catalogue_changed.connect(self.redraw)
        self.choices.options.changed.connect(self._on_chosen)
        self.draft.changed.connect(self._on_chosen)
        self.view.ppi_changed.connect(self.redraw)
        self.job.drawn.connect(self.show_pages)
        self.job.refused.connect(self._refuse)

    # -- choosing

    def show_scenarios(self, scenarios: Sequence[Scenario]) -> None:
        """Make these the options, the first one recommended."""
        self.candidates.pass_scenarios(scenarios)
        self.draft.turn_to(scenarios[0].client)
        self.choices.options.refresh()
        self._on_chosen()

    def change(self, make: Callable[[ProposalOptions], ProposalOptions]) -> None:
        """Change the options; the pages follow."""
        self.draft.change(make)

    @property
    def options(self) -> ProposalOptions:
        return self.draft.options

    def begin(self) -> None:
        """One more key, and it is written."""
        self.save.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def remember(self) -> None:
        """Keep what the next proposal will have in common with this one."""
        self.draft.remember()

    def _show_options(self) -> None:
        scenarios = self.candidates.scenarios()
        first = scenarios[0] if scenarios else self._session.scenario
        with in_language(self.options.language):
            title = written_title(first)
        self.choices.show_options(self.options, first.client, title)

    def _on_chosen(self) -> None:
        self._show_options()
        self.redraw()

    def _on_scenario(self, _scenario: Scenario) -> None:
        if self.isVisible():
            self.draft.follow()
            self.choices.options.refresh()
            self._show_options()
        self.redraw()

    def _on_scenarios(self) -> None:
        if self.isVisible():
            self.choices.options.refresh()

    # -- drawing

    def redraw(self, _reason: object = None) -> None:
        """The pages no longer show what is chosen."""
        self._stale = True
        if self.isVisible():
            self.job.ask(self._order)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.draft.follow()
        self.choices.options.refresh()
        self._show_options()
        if self._stale:
            self.redraw()

    def _order(self) -> Order | None:
        self._stale = False
        cases = tuple(self.candidates.cases())
        if not cases:
            return None
        return Order(cases, self._finished_options(), self.view.ppi)

    def _finished_options(self) -> ProposalOptions:
        return replace(self.options, catalogue_version=str(getattr(self._session.catalogue, "version", "")))

    def show_pages(self, pages: Pages) -> None:
        """Show new pages and what is missing."""
        self.pages = pages
        self.view.show_pages(pages.pictures)
        text = ngettext("{number} page", "{number} pages", len(pages.pictures))
        self.status.setText(text.format(number=current().count(len(pages.pictures))))
        self.save.setEnabled(True)
        self._show_gaps()

    def _refuse(self, sentence: str) -> None:
        """No pages: say why; the old ones stay."""
        self._clear_gaps()
        bar = MessageBar(self._theme, sentence, "bad", closable=False)
        self._gaps.addWidget(bar)
        self._gaps_holder.setVisible(True)
        self.save.setEnabled(False)

    # -- what is missing

    def _clear_gaps(self) -> None:
        while (item := self._gaps.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()

    def _show_gaps(self) -> None:
        self._clear_gaps()
        pages = self.pages
        found = pages.gaps if pages is not None else ()
        shown = found if self.all_gaps or len(found) <= MOST_GAPS + 1 else found[:MOST_GAPS]
        for gap in shown:
            bar = MessageBar(self._theme, gap_sentence(gap, pages.offers if pages else ()), "warn", closable=False)
            bar.add_action(place_word(gap.place), partial(self.go_to, gap))
            self._gaps.addWidget(bar)
        if len(shown) < len(found):
            rest = len(found) - len(shown)
            text = ngettext("{number} more", "{number} more", rest).format(number=current().count(rest))
            self._gaps.addWidget(button(text, "link", self._list_gaps), 0, Qt.AlignmentFlag.AlignLeft)
        self._gaps_holder.setVisible(bool(found))

    def _list_gaps(self) -> None:
        self.all_gaps = True
        self._show_gaps()

    def go_to(self, gap: Gap) -> None:
        """Where a gap can be closed: a field here, the scenario, or a record of the catalogue."""
        if gap.place is Place.DOCUMENT:
            self.choices.go_to(self.choices.document, self.choices.document.field_for(gap.kind))
        elif gap.place is Place.BRAND:
            self.choices.go_to(self.choices.brand, self.choices.brand.name.edit)
        elif gap.place is Place.DEVICE and self.pages is not None:
            self._show_device(self.pages.offers[gap.option].scenario.deployment.device)
        else:
            self._open_scenario(gap.option)

    def _open_scenario(self, number: int) -> None:
        key = self.candidates.chosen[number] if number < len(self.candidates.chosen) else ""
        if key.startswith("stored "):
            self._session.open(int(key.removeprefix("stored ")))
        self._back()

    # -- saving

    def save_as(self, kind: Kind) -> None:
        """Ask for a file and write it."""
        self.remember()
        cases = self.candidates.cases()
        if cases:
            self._export.ask(kind, cases, self._finished_options())

    def _open_menu(self) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(_("Save workbook…")).triggered.connect(lambda: self.save_as(Kind.WORKBOOK))
        menu.addAction(_("Save scenario…")).triggered.connect(lambda: self.save_as(Kind.SCENARIO))
        menu.exec(self.more.mapToGlobal(self.more.rect().bottomLeft()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self._back()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.choices.setFixedWidth(CHOICES if self.width() > NARROW_BELOW else CHOICES_NARROW)

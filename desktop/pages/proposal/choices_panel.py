"""The left column of the proposal: a way back, and the choices in four sections."""

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from core.language.messages import gettext as _
from core.proposal.options import ProposalOptions
from desktop.pages.proposal.brand_section import BrandSection
from desktop.pages.proposal.candidates import Candidates
from desktop.pages.proposal.document_section import DocumentSection
from desktop.pages.proposal.options_section import OptionsSection, PartsSection
from desktop.theme import Theme
from desktop.widgets.labels import IconButton, label, line
from desktop.widgets.scroll import SectionsScroll
from desktop.widgets.section import Section

Change = Callable[[ProposalOptions], ProposalOptions]


class ChoicesPanel(QWidget):
    """Shows the options of a proposal and changes them."""

    def __init__(
        self, theme: Theme, candidates: Candidates, change: Callable[[Change], object], back: Callable[[], object]
    ) -> None:
        super().__init__()
        self.setProperty("kind", "surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.back = IconButton(theme, "chevron-left", _("Back to the sizing"), back, "Esc")
        self.document = DocumentSection(theme, change)
        self.options = OptionsSection(theme, candidates)
        self.parts = PartsSection(theme, change)
        self.brand = BrandSection(theme, change)
        self.parts.set_folded(True)
        self._lay_out()

    @property
    def sections(self) -> tuple[Section, ...]:
        return self.document, self.options, self.brand, self.parts

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(8, 9, 10, 8)
        head.setSpacing(4)
        head.addWidget(self.back)
        head.addWidget(label(_("Proposal"), "section"), 1)
        self.scroll_area = SectionsScroll(self.sections)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addLayout(head)
        whole.addWidget(line())
        whole.addWidget(self.scroll_area, 1)

    def show_options(self, options: ProposalOptions, client: str, title: str) -> None:
        self.document.show_options(options, client, title)
        self.parts.show_options(options)
        self.brand.show_options(options)

    def go_to(self, section: Section, field: QWidget) -> None:
        """Open a section and put the focus into one of its fields."""
        section.set_folded(False)
        self.scroll_area.ensureWidgetVisible(field)
        field.setFocus(Qt.FocusReason.ShortcutFocusReason)

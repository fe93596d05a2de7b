"""The verdict: an icon, the answer in one sentence, a second sentence, and the one primary button."""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from core.language import sentences
from core.language.messages import gettext as _
from core.sizing.report import Sizing
from core.sizing.standing import standing
from desktop.results.text import Text
from desktop.theme import TONE_ICONS, Theme, Tone
from desktop.tones import TONE_OF

ICON = 22


def tone_of(sizing: Sizing) -> Tone:
    """The tone of the answer; that the speed is unknown is said by the icon where the memory has nothing to warn of."""
    return TONE_OF[standing(sizing)]


class VerdictIcon(QWidget):
    """The icon of a verdict; four outlines, so that colour is never alone."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.tone: Tone = "info"
        self.setFixedSize(QSize(ICON, 26))
        theme.changed.connect(self.update)

    def set_tone(self, tone: Tone) -> None:
        self.tone = tone
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        pixmap = self.theme.pixmap(TONE_ICONS[self.tone], self.tone, ICON, self.devicePixelRatioF())
        QPainter(self).drawPixmap(0, 2, pixmap)


class VerdictBlock(QWidget):
    """The first thing on the page."""

    proposal_wanted = Signal()
    hardware_wanted = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.icon = VerdictIcon(theme)
        self.sentence = Text(theme, "verdict", lines=2)
        self._held = self._because = ""
        self.reason = Text(theme, "body", "text_2", lines=3)
        self.proposal = QPushButton(_("Proposal…"))
        self.proposal.setProperty("kind", "primary")
        self.proposal.setToolTip(_("Compose the proposal as a PDF (Ctrl+P)"))
        self.proposal.clicked.connect(self.proposal_wanted)
        self.hardware = QPushButton(_("Find hardware"))
        self.hardware.setToolTip(_("Search the whole catalogue for this work (Ctrl+2)"))
        self.hardware.clicked.connect(self.hardware_wanted)
        self._lay_out()

    def _lay_out(self) -> None:
        """The first sentence beside the buttons; the second one has the whole width below them."""
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.sentence, 1, Qt.AlignmentFlag.AlignTop)
        row.addSpacing(8)
        row.addWidget(self.hardware, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self.proposal, 0, Qt.AlignmentFlag.AlignTop)
        words = QVBoxLayout()
        words.setContentsMargins(0, 0, 0, 0)
        words.setSpacing(2)
        words.addLayout(row)
        words.addWidget(self.reason)
        whole = QHBoxLayout(self)
        whole.setContentsMargins(0, 12, 0, 10)
        whole.setSpacing(8)
        whole.addWidget(self.icon, 0, Qt.AlignmentFlag.AlignTop)
        whole.addLayout(words, 1)

    def set_held(self, values: Sequence[str]) -> None:
        """Say with which values the results are, while another one is being typed that cannot be read."""
        self._held = _("Results with {values}.").format(values=", ".join(values)) if values else ""
        self._show_reason()

    def _show_reason(self) -> None:
        self.reason.setText(f"{self._held} {self._because}".strip())

    def set_compact(self, compact: bool) -> None:
        self.hardware.setHidden(compact)

    def set_sizing(self, sizing: Sizing) -> None:
        self.icon.set_tone(tone_of(sizing))
        self.icon.setAccessibleName(sentences.verdict_in_short(sizing))
        self.sentence.setText(sentences.verdict(sizing))
        self._because = sentences.verdict_reason(sizing)
        self._show_reason()

"""Why the chosen answer, what speaks against it, and how it stands to the next."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from core.language import search_sentences as words
from core.language.messages import gettext as _
from core.sizing.search.explain import Explanation
from core.sizing.search.report import Answer
from desktop.theme import Color, Theme
from desktop.widgets.labels import ToneIcon, label
from desktop.widgets.scroll import DownScroll


class ReasonsPanel(DownScroll):
    """Headings and sentences; the same selection as table and chart."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.sentences: list[str] = []

    def show_nothing(self) -> None:
        self.sentences = []
        self._show(QWidget())

    def show_explanation(self, answer: Answer, why: Explanation) -> None:
        """The reasons of one answer."""
        box = QWidget()
        column = QVBoxLayout(box)
        column.setContentsMargins(20, 12, 16, 12)
        column.setSpacing(4)
        self.sentences = []
        name = words.option(answer)
        self._group(column, _("Why {option}").format(option=name), why.reasons, "check", "ok")
        against = list(why.against)
        if answer.unknown:
            column.addSpacing(4)
        self._group(column, _("What speaks against it"), against, "triangle", "warn")
        if answer.unknown:
            self._line(column, words.facts(answer.unknown), "info-circle", "info")
        if why.before_runner_up is not None:
            self._group(column, _("Against the next one"), (why.before_runner_up,), "info-circle", "info")
        self._how_far(column, why)
        column.addStretch(1)
        self._show(box)

    def _how_far(self, column: QVBoxLayout, why: Explanation) -> None:
        """What the answer carries at most, and what it takes so that something may fail."""
        if why.capacity is None:
            return
        column.addSpacing(6)
        column.addWidget(label(_("How far it goes"), "strong", wrap=True))
        self._line(column, words.carries(why.capacity), "info-circle", "info")
        for degree in why.safety:
            self._line(column, words.safety(degree), "info-circle", "info")

    def _show(self, box: QWidget) -> None:
        box.setProperty("kind", "surface")
        self.setWidget(box)

    def _group(self, column: QVBoxLayout, heading: str, reasons, icon: str, color: Color) -> None:  # type: ignore[no-untyped-def]
        if not reasons:
            return
        if self.sentences:
            column.addSpacing(6)
        column.addWidget(label(heading, "strong", wrap=True))
        for reason in reasons:
            self._line(column, words.reason(reason), icon, color)

    def _line(self, column: QVBoxLayout, text: str, icon: str, color: Color) -> None:
        self.sentences.append(text)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(ToneIcon(self._theme, icon, color, 14), 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(label(text, "label", wrap=True), 1)
        column.addLayout(row)

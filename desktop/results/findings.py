"""Check before you promise: what a person should know about this sizing, each with its number."""

from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen

from core.language import findings as words
from core.language.messages import gettext as _
from core.language.messages import marked, ngettext
from core.language.numbers import current
from core.sizing.report import Finding, FindingKind, Sizing, Weight
from core.units import Unit
from desktop.results.folding_strip import MOST, ROW, FoldingStrip
from desktop.theme import Theme, Tone
from desktop.widgets.figure_button import FigureButton


@dataclass(frozen=True, slots=True)
class FindingLine:
    title: str
    sentence: str
    number: str
    weight: Weight
    key: str  # the figure to explain; empty if none


#: What a weight is called for those who hear the window, and its icon with its tone.
_SPOKEN = {Weight.WARNING: marked("Warning"), Weight.NOTE: marked("Note"), Weight.REASON: marked("Reason")}
_ICONS: dict[Weight, tuple[str, Tone]] = {
    Weight.WARNING: ("triangle", "warn"),
    Weight.NOTE: ("info-circle", "info"),
    Weight.REASON: ("check-circle", "ok"),
}


def finding_lines(sizing: Sizing, most: int | None = None) -> list[FindingLine]:
    """The findings of a sizing in words: warnings, what to check, then the reasons; at most so many."""
    return [_line(finding, sizing) for finding in in_order(sizing)[:most]]


def in_order(sizing: Sizing) -> list[Finding]:
    """Warnings, what to check, then the reasons."""
    weights = list(Weight)
    return sorted(sizing.findings, key=lambda finding: weights.index(finding.weight))


def _line(finding: Finding, sizing: Sizing) -> FindingLine:
    write, trace = current(), sizing.trace
    key = next((key for key in finding.figures if key in trace), "")
    unit = trace.entry(key).unit if key else Unit.RATIO
    number = write.figure(trace[key], unit) if unit is not Unit.RATIO else ""
    if finding.kind is FindingKind.PRICE_RANGE_WIDE and sizing.device.price is not None:
        number = write.partial_date(sizing.device.price.as_of) if sizing.device.price.as_of else ""
    return FindingLine(
        words.finding_title(finding.kind),
        words.finding_sentence(finding, sizing),
        number,
        finding.weight,
        key,
    )


class FindingRow(FigureButton):
    """One finding: icon, heading, as much of the sentence as fits, and its number."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, ROW)
        self.line: FindingLine | None = None
        self.is_last = False

    def set_line(self, line: FindingLine, is_last: bool) -> None:
        if (line, is_last) == (self.line, self.is_last):
            return
        self.line, self.is_last = line, is_last
        weight = _(_SPOKEN[line.weight])
        self.setAccessibleName(f"{weight}: {line.title}. {line.sentence}")
        self.setToolTip(line.sentence)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(300, ROW)

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.line is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect = QRectF(self.rect())
        if self._hovered:
            painter.fillRect(rect.adjusted(0, 0, 0, -1), self.theme.color("hover"))
        if not self.is_last:
            painter.fillRect(QRectF(0, ROW - 1, self.width(), 1), self.theme.color("border"))
        icon, tone = _ICONS[self.line.weight]
        painter.drawPixmap(0, 7, self.theme.pixmap(icon, tone, 14, self.devicePixelRatioF()))
        self._paint_words(painter, self.line)
        if self.hasFocus():
            painter.setPen(QPen(self.theme.color("focus"), 2))
            painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1), 4, 4)

    def _paint_words(self, painter: QPainter, line: FindingLine) -> None:
        number_width = self.theme.width(line.number, "label", 600)
        centre = Qt.AlignmentFlag.AlignVCenter
        right = self.width() - number_width
        if line.number:
            painter.setFont(self.theme.font("label", 600))
            painter.setPen(self.theme.color("text"))
            painter.drawText(QRectF(right, 0, number_width + 1, ROW - 1), centre, line.number)
        room = right - 22 - (16 if line.number else 0)
        title = self.theme.elided(line.title, room, "label")
        painter.setFont(self.theme.font("label"))
        painter.setPen(self.theme.color("text"))
        painter.drawText(QRectF(22, 0, room, ROW - 1), centre, title)
        used = self.theme.width(title, "label") + 12
        if room - used > 80:
            painter.setPen(self.theme.color("text_3"))
            rest = self.theme.elided(line.sentence, room - used, "label")
            painter.drawText(QRectF(22 + used, 0, room - used, ROW - 1), centre, rest)


class FindingStrip(FoldingStrip):
    """What to check before promising, below the results."""

    explain_requested = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self._sizing: Sizing | None = None
        self._weights: list[Weight] = []  # of all findings
        self._lines: list[FindingLine] = []  # of those that are shown: words are put to no others
        self._rows: list[FindingRow] = []

    @property
    def rows(self) -> list[FindingRow]:
        return [row for row in self._rows if not row.isHidden()]

    def _on_form(self) -> None:
        if self._sizing is not None:
            self._lines = finding_lines(self._sizing, self._limit())
        self._show()

    def set_sizing(self, sizing: Sizing) -> None:
        self._sizing = sizing
        weights, lines = [finding.weight for finding in in_order(sizing)], finding_lines(sizing, self._limit())
        if (weights, lines) != (self._weights, self._lines):
            self._weights, self._lines = weights, lines
            self._show()

    def _show(self) -> None:
        shown = self._lines
        while len(self._rows) < len(shown):
            row = FindingRow(self.theme)
            row.clicked.connect(lambda _checked=False, row=row: self._explain(row))
            self._rows.append(row)
            self._add_row(row)
        for index, row in enumerate(self._rows):
            row.setVisible(index < len(shown))
            if index < len(shown):
                row.set_line(shown[index], index == len(shown) - 1)
        count = len(self._weights)
        every = _("Show") if self._compact else _("Show all {count}").format(count=count)
        self._set_head(self._heading(), every, count > (0 if self._compact else MOST))
        self.setVisible(bool(self._weights))

    def _heading(self) -> str:
        if not self._folded:
            return _("Check before you promise")
        to_check = sum(weight is not Weight.REASON for weight in self._weights)
        return ngettext(
            "{count} point to check before you promise", "{count} points to check before you promise", to_check
        ).format(count=to_check)

    def _draw_icon(self) -> None:
        """Of a warning, if there is one."""
        icon, tone = _ICONS[Weight.WARNING if Weight.WARNING in self._weights else Weight.NOTE]
        self._icon.setPixmap(self.theme.pixmap(icon, tone, 14, self.devicePixelRatioF()))

    def _explain(self, row: FindingRow) -> None:
        if row.line is not None and row.line.key:
            self.explain_requested.emit(row.line.key)

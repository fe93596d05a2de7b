"""One figure of a record on screen: label, field, source, date and confidence, and a line below for what is wrong."""

from collections.abc import Callable
from datetime import date

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from core.catalogue.records import Confidence
from core.day import is_day
from core.language.messages import gettext as _
from desktop.inputs.rows import Caption
from desktop.pages.catalogue.figures import Data, Figure, Options, Told, Words, tell, told
from desktop.pages.catalogue.value_fields import OptionField, Refusal, WordsEdit
from desktop.theme import Color, Theme, restyle
from desktop.widgets.choices import Choice
from desktop.widgets.elided_edit import ElidedEdit
from desktop.widgets.labels import label
from desktop.widgets.picker import ComboPicker
from desktop.widgets.quantity import Value
from desktop.widgets.quantity_edit import PATIENCE_MS, QuantityEdit

NAME, VALUE, SOURCE, DATE, CONFIDENCE = range(5)
NAME_WIDTH, VALUE_WIDTH, DATE_WIDTH, CONFIDENCE_WIDTH = 144, 164, 98, 94
GAP = 10


def confidence_word(confidence: Confidence) -> str:
    return {
        Confidence.TWO_SOURCES: _("2 sources"),
        Confidence.ONE_SOURCE: _("1 source"),
        Confidence.PARTLY: _("partly"),
        Confidence.UNVERIFIED: _("unverified"),
        Confidence.ESTIMATE: _("estimate"),
        Confidence.MEASURED: _("measured"),
        Confidence.YOURS: _("yours"),
    }[confidence]


def confidence_icon(confidence: Confidence | None) -> tuple[str, Color]:
    """The icon before the word, and its colour."""
    marks: dict[Confidence | None, tuple[str, Color]] = {
        Confidence.TWO_SOURCES: ("check", "ok"),
        Confidence.MEASURED: ("check", "ok"),
        Confidence.ONE_SOURCE: ("dot", "text_2"),
        Confidence.PARTLY: ("dot", "text_2"),
        Confidence.YOURS: ("pencil", "accent"),
    }
    return marks.get(confidence, ("triangle", "warn"))


NO_SOURCE = "none"  # key of a figure about which no source says anything


class ConfidencePicker(ComboPicker):
    """A quiet picker: icon and word; the field shows when it is pointed at."""

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__(theme, name)
        self.set_choices([Choice(one.value, confidence_word(one)) for one in Confidence])

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.hasFocus() or self.underMouse() or self.is_open:
            super().paintEvent(event)
            return
        painter = QPainter(self)
        mark: tuple[str, Color] = ("dot", "text_3")
        name, color = mark if self.key == NO_SOURCE else confidence_icon(Confidence(self.key) if self.key else None)
        top = (self.height() - 16) // 2
        painter.drawPixmap(0, top, self.theme.pixmap(name, color, 16, self.devicePixelRatioF()))
        painter.setFont(self.theme.font("label"))
        painter.setPen(self.theme.color("text_2"))
        room = self.rect().adjusted(20, 0, 0, 0)
        text = painter.fontMetrics().elidedText(self.text_shown, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)


class DateEdit(ElidedEdit):
    """A date as precise as it is known. What is wrong shows when the field is left, or after a while without a key."""

    marked = Signal()

    def __init__(self, name: str) -> None:
        super().__init__(name, 10, "cell")
        self.setToolTip(_("A date such as 2026-11-20 or 2026-11"))
        self.problem = ""
        self._patience = QTimer(self)
        self._patience.setSingleShot(True)
        self._patience.setInterval(PATIENCE_MS)
        self._patience.timeout.connect(self.mark)
        self.textEdited.connect(self._on_edited)

    @property
    def is_wrong(self) -> bool:
        return not is_day(self.text().strip())

    def _on_edited(self) -> None:
        self._patience.start()
        if self.problem and not self.is_wrong:
            self.mark()

    def mark(self) -> None:
        """Say now whether the text can be read."""
        self._patience.stop()
        problem = _("Write a date such as 2026-11-20, 2026-11 or 2026.") if self.is_wrong else ""
        if problem != self.problem:
            self.problem = problem
            restyle(self, state="invalid" if problem else "")
            self.marked.emit()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.mark()


class FigureRow(QWidget):
    """The widgets of one figure, which the form puts into its grid. Itself it is never shown.

    They know the record's value and source, what was changed, and what cannot be read.
    """

    touched = Signal(object)  # the row
    source_typed = Signal(object)  # the row

    def __init__(self, theme: Theme, figure: Figure, refusal: Callable[[Figure, Value], str], parent: QWidget) -> None:
        super().__init__(parent)
        self.hide()
        self.figure = figure
        self.name = label(figure.text, wrap=True, parent=parent)
        self.name.setFixedWidth(NAME_WIDTH)
        self.value = self._field(theme, lambda value: refusal(self.figure, value))
        self.value.setFixedWidth(VALUE_WIDTH)
        self.name.setBuddy(self.value)
        self.source = ElidedEdit("", 300, "cell")
        self.date = DateEdit("")
        self.confidence = ConfidencePicker(theme, "")
        self.date.setFixedWidth(DATE_WIDTH)
        self.confidence.setFixedWidth(CONFIDENCE_WIDTH)
        self.caption = Caption(theme)
        self._base: Value = None
        self._told = Told()
        self._line = ""
        self._name_parts()
        self.value.problem_changed.connect(self._on_problem)
        self.value.value_edited.connect(self._on_value)
        self.source.textEdited.connect(self._on_told)
        self.date.textEdited.connect(self._on_told)
        self.date.marked.connect(lambda: self._on_problem(self.problem))
        self.confidence.chosen.connect(self._on_confidence)

    def _field(self, theme: Theme, refusal: Refusal) -> QuantityEdit | OptionField:
        kind, name = self.figure.kind, self.figure.text
        if isinstance(kind, Options):
            return OptionField(theme, kind, name)
        made = WordsEdit if isinstance(kind, Words) else QuantityEdit
        return made(theme, kind, name, refusal)

    def _name_parts(self) -> None:
        figure = self.figure.text
        self.name.setText(figure)
        if isinstance(self.value, QuantityEdit):
            self.value.setPlaceholderText(_("missing") if self.figure.kind.optional else _("needed"))
        self.source.setAccessibleName(_("Source: {figure}").format(figure=figure))
        self.date.setAccessibleName(_("Date: {figure}").format(figure=figure))
        self.confidence.set_name(_("Confidence: {figure}").format(figure=figure), False)

    @property
    def widgets(self) -> tuple[QWidget, ...]:
        """In the order of the columns, which is that of tabbing."""
        return self.name, self.value, self.source, self.date, self.confidence

    def set_visible(self, visible: bool) -> None:
        """Showing and hiding take their time: nothing is done where nothing changes."""
        if visible is self.name.isHidden():
            for widget in self.widgets:
                widget.setVisible(visible)
        if not visible:
            self.caption.hide()

    # -- showing ------------------------------------------------------------------------------------------------------

    def renew(self, figure: Figure) -> None:
        """Stand for another figure with the same kind of field, since making widgets takes its time."""
        self.figure = figure
        if isinstance(self.value, OptionField) and isinstance(figure.kind, Options):
            self.value.set_options(figure.kind, figure.text)
        elif isinstance(self.value, QuantityEdit) and not isinstance(figure.kind, Options):
            self.value.set_quantity(figure.kind, figure.text)
        self._name_parts()

    def show_data(self, data: Data) -> None:
        """Show a record; what was typed before is gone."""
        self._base = self.figure.get(data)
        self._told = told(data, self.figure)
        self.value.set_value(self._base)
        self.show_told(self._told)
        self.caption.set_problem("")

    def show_told(self, source: Told) -> None:
        self.source.setText(source.title)
        self.source.setCursorPosition(0)
        self.source.setToolTip("\n".join(filter(None, [source.title, source.note, source.address])))
        self.date.setText(source.date)
        self.date.mark()
        self._show_confidence(source.confidence)

    def _show_confidence(self, confidence: Confidence | None) -> None:
        missing = self.value.value is None or self.value.value == ()
        if missing:
            self.confidence.set_current("", _("missing"))
        elif confidence is None:
            self.confidence.set_current(NO_SOURCE, _("no source"))
        else:
            self.confidence.set_current(confidence.value)

    def show_line(self, text: str) -> None:
        """A grey line under the field: what follows from the figure, or what was shipped."""
        self._line = text
        self.caption.set_caption(text)

    def reset(self) -> None:
        """Back to the saved value and source."""
        self.value.set_value(self._base)
        self.show_told(self._told)

    # -- typing -------------------------------------------------------------------------------------------------------

    def _on_problem(self, problem: str) -> None:
        self.caption.set_problem(problem or self.problem)
        self.touched.emit(self)

    def forget(self) -> None:
        """The figure is not known any more."""
        self.value.set_value(None)
        self._on_value(None)

    def _on_value(self, value: Value) -> None:
        """A changed value is the user's own until they say where it comes from; the old one brings its source back."""
        if value == self._base:
            self.show_told(self._told)
        elif self.source_shown == self._told.shown:
            self.show_told(Told(_("your entry"), date.today().isoformat(), Confidence.YOURS))
        else:
            self._show_confidence(Confidence.YOURS)
        self.touched.emit(self)

    def _on_told(self) -> None:
        self.source_typed.emit(self)
        self.touched.emit(self)

    def _on_confidence(self, key: str) -> None:
        self.confidence.set_current(key)
        self.source_typed.emit(self)
        self.touched.emit(self)

    @property
    def source_shown(self) -> tuple[str, str, Confidence | None]:
        key = self.confidence.key
        confidence = self._told.confidence if key in ("", NO_SOURCE) else Confidence(key)
        return self.source.text().strip(), self.date.text().strip(), confidence

    # -- what is wrong ------------------------------------------------------------------------------------------------

    @property
    def problem(self) -> str:
        """What cannot be read, in words, once it was said."""
        return self.value.problem or self.date.problem

    @property
    def is_wrong(self) -> bool:
        return bool(self.value.problem) or self.date.is_wrong

    @property
    def is_needed(self) -> bool:
        """The record cannot do without the figure, and there is none."""
        return not self.figure.kind.optional and self.value.value in (None, "")

    @property
    def first_wrong(self) -> QWidget:
        return self.date if self.date.is_wrong and not self.value.problem else self.value

    @property
    def is_changed(self) -> bool:
        return self.is_wrong or self.value.value != self._base or self.source_shown != self._told.shown

    def write(self, data: Data) -> None:
        """Put value and source into a record's plain values, where they differ from the saved ones."""
        if self.value.value != self._base:
            self.figure.put(data, self.value.value)
        title, dated, confidence = self.source_shown
        if (title, dated, confidence) != self._told.shown:
            same = title == self._told.title
            note, address = (self._told.note, self._told.address) if same else ("", "")
            tell(data, self.figure, Told(title, "" if self.date.is_wrong else dated, confidence, note, address))

"""The form of one device: every figure with its value, source, date and confidence."""

import re
from typing import Any

from pydantic import ValidationError
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QGridLayout, QScrollArea, QWidget

from core.catalogue.records import Confidence, Device, Source
from core.language.messages import gettext as _
from desktop.inputs.rows import Caption
from desktop.pages.device_figures import Figure, groups
from desktop.refusal import sentence
from desktop.theme import Color, Theme, restyle
from desktop.widgets.choices import Choice
from desktop.widgets.elided_edit import ElidedEdit
from desktop.widgets.labels import label
from desktop.widgets.picker import ComboPicker
from desktop.widgets.quantity_edit import QuantityEdit

NAME, VALUE, SOURCE, DATE, CONFIDENCE = range(5)
NAME_WIDTH, VALUE_WIDTH, DATE_WIDTH, CONFIDENCE_WIDTH = 144, 164, 98, 88
GAP = 10
_DATE = re.compile(r"(\d{4}(-\d{2}){0,2})?")


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
    if confidence is None:
        return "triangle", "warn"
    return {
        Confidence.TWO_SOURCES: ("check", "ok"),
        Confidence.MEASURED: ("check", "ok"),
        Confidence.ONE_SOURCE: ("dot", "text_2"),
        Confidence.PARTLY: ("dot", "text_2"),
        Confidence.YOURS: ("pencil", "accent"),
    }.get(confidence, ("triangle", "warn"))  # type: ignore[return-value]


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
        name, color = confidence_icon(Confidence(self.key) if self.key else None)
        top = (self.height() - 16) // 2
        painter.drawPixmap(0, top, self.theme.pixmap(name, color, 16, self.devicePixelRatioF()))
        painter.setFont(self.theme.font("label"))
        painter.setPen(self.theme.color("text_2"))
        room = self.rect().adjusted(22, 0, 0, 0)
        text = painter.fontMetrics().elidedText(self.text_shown, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)


class FigureRow:
    """The widgets of one figure. They know the record's value, what was changed, and what cannot be read."""

    def __init__(self, form: "DeviceForm", theme: Theme, figure: Figure) -> None:
        self.figure = figure
        self.name = label(figure.text, wrap=True)
        self.name.setFixedWidth(NAME_WIDTH)
        self.value = QuantityEdit(theme, figure.kind, figure.text)
        self.value.setPlaceholderText(_("missing"))
        self.value.setFixedWidth(VALUE_WIDTH)
        self.name.setBuddy(self.value)
        self.source = _text(_("Source: {figure}").format(figure=figure.text), 300)
        self.date = _text(_("Date: {figure}").format(figure=figure.text), 10)
        self.date.setToolTip(_("A date such as 2026-11-20 or 2026-11"))
        self.confidence = ConfidencePicker(theme, _("Confidence: {figure}").format(figure=figure.text))
        self.date.setFixedWidth(DATE_WIDTH)
        self.confidence.setFixedWidth(CONFIDENCE_WIDTH)
        self.caption = Caption(theme)
        self.value.problem_changed.connect(self._on_problem)
        self.value.value_edited.connect(self._on_value)
        for field in (self.source, self.date):
            field.textEdited.connect(form.touch)
        self.confidence.chosen.connect(self._on_confidence)
        self._form = form

    @property
    def widgets(self) -> tuple[QWidget, ...]:
        return self.name, self.value, self.source, self.date, self.confidence

    def show(self, device: Device) -> None:
        self.value.set_value(self.figure.get(device))
        source = device.source_of(self.figure.key)
        self.source.setText(source.title if source else "")
        self.source.setCursorPosition(0)
        self.source.setToolTip("\n".join(filter(None, [source.title, source.note, source.address])) if source else "")
        self.date.setText(source.date if source else "")
        confidence = source.confidence if source else Confidence.UNVERIFIED
        missing = source is None and self.figure.get(device) is None
        self.confidence.set_current(confidence.value, _("missing") if missing else None)
        self.caption.set_problem("")

    def _on_problem(self, problem: str) -> None:
        self.caption.set_problem(problem)
        self._form.touch()

    def forget(self) -> None:
        """The figure is not known any more."""
        self.value.set_value(None)
        self._on_value(None)

    def _on_value(self, _value: object) -> None:
        """A changed value is the user's until they say where it comes from."""
        if self.figure.key.endswith(".capacity_bytes"):
            self._form.resize_memory(self.figure.key)
        self.confidence.set_current(Confidence.YOURS.value)
        self._form.touch()

    def _on_confidence(self, key: str) -> None:
        self.confidence.set_current(key)
        self._form.touch()

    @property
    def date_is_wrong(self) -> bool:
        return not _DATE.fullmatch(self.date.text().strip())

    @property
    def is_wrong(self) -> bool:
        return bool(self.value.problem) or self.date_is_wrong

    def write(self, data: dict[str, Any], device: Device) -> None:
        """Put value and source into the record's plain values, if they differ from those of `device`."""
        if self.value.value != self.figure.get(device):
            self.figure.put(data, self.value.value)
        old = device.source_of(self.figure.key)
        title, date = self.source.text().strip(), self.date.text().strip()
        new = (title, date, Confidence(self.confidence.key))
        if new != ((old.title, old.date, old.confidence) if old else ("", "", Confidence.UNVERIFIED)):
            address = old.address if old and old.title == title else ""
            source = Source(title=title or _("your entry"), date=date, confidence=new[2], address=address)
            data["sources"] = {**data["sources"], self.figure.key: source.model_dump()}


def _text(name: str, most: int) -> ElidedEdit:
    return ElidedEdit(name, most, "cell")


class DeviceForm(QScrollArea):
    """All figures of a device, editable; the page saves what `edited` returns."""

    changed = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._device: Device | None = None
        self.rows: list[FigureRow] = []
        self._filling = False
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def show_device(self, device: Device) -> None:
        """Show a record; what was typed before is gone."""
        self._filling = True
        keys = [figure.key for group in groups(device) for figure in group.figures]
        if [row.figure.key for row in self.rows] != keys:
            self._build(device)
        self._device = device
        self.name.setText(device.name)
        self.name.setCursorPosition(0)
        for row in self.rows:
            row.show(device)
        self._filling = False
        self.changed.emit()

    def _build(self, device: Device) -> None:
        inner = QWidget()
        inner.setProperty("kind", "page")
        grid = QGridLayout(inner)
        grid.setContentsMargins(24, 4, 20, 20)
        grid.setHorizontalSpacing(GAP)
        grid.setVerticalSpacing(6)
        grid.setColumnStretch(SOURCE, 1)
        self.rows = []
        at = self._identity(grid)
        for group in groups(device):
            at = self._heading(grid, at, group.title)
            for figure in group.figures:
                at = self._row(grid, at, figure)
        grid.setRowStretch(at, 1)
        self.setWidget(inner)

    def _identity(self, grid: QGridLayout) -> int:
        at = self._heading(grid, 0, _("Identity"))
        self.name = ElidedEdit(_("Name of the device"), 120)
        self.name.textEdited.connect(self.touch)
        self.name.setMaximumWidth(340)
        caption = label(_("Name"))
        caption.setFixedWidth(NAME_WIDTH)
        caption.setBuddy(self.name)
        grid.addWidget(caption, at, NAME)
        grid.addWidget(self.name, at, VALUE, 1, 2)
        return at + 1

    @staticmethod
    def _heading(grid: QGridLayout, at: int, text: str) -> int:
        heading = label(text, "section")
        heading.setContentsMargins(0, 10, 0, 2)
        grid.addWidget(heading, at, NAME, 1, 5)
        return at + 1

    def _row(self, grid: QGridLayout, at: int, figure: Figure) -> int:
        row = FigureRow(self, self._theme, figure)
        for column, widget in enumerate(row.widgets):
            grid.addWidget(widget, at, column)
        grid.addWidget(row.caption, at + 1, VALUE, 1, 4)
        self.rows.append(row)
        return at + 2

    # -- what was typed -----------------------------------------------------------------------------------------------

    def resize_memory(self, key: str) -> None:
        """Another capacity was typed: what a driver reported of the old one no longer holds."""
        usable = key.replace("capacity_bytes", "usable_bytes")
        for row in self.rows:
            if row.figure.key == usable and row.value.value is not None:
                row.forget()

    def touch(self) -> None:
        """Something was typed."""
        if self._filling:
            return
        for row in self.rows:
            restyle(row.date, state="invalid" if row.date_is_wrong else "")
        self.changed.emit()

    @property
    def wrong(self) -> list[FigureRow]:
        """The figures that cannot be read."""
        return [row for row in self.rows if row.is_wrong]

    @property
    def is_changed(self) -> bool:
        device = self._device
        if device is None:
            return False
        return bool(self.wrong) or self._plain() != device.model_dump()

    def _plain(self) -> dict[str, Any]:
        assert self._device is not None
        data = self._device.model_dump()
        name = self.name.text().strip()
        if name:
            data["name"] = name
        for row in self.rows:
            row.write(data, self._device)
        return data

    def edited(self) -> tuple[Device | None, str]:
        """The record as typed, or why it cannot be used."""
        try:
            return Device.model_validate(self._plain()), ""
        except ValidationError as error:
            return None, sentence(error)

    def jump(self) -> None:
        """Go to the first figure that cannot be read."""
        if self.wrong:
            row = self.wrong[0]
            field = row.value if row.value.problem else row.date
            self.ensureWidgetVisible(field)
            field.setFocus()

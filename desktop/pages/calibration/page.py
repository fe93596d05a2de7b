"""Calibrate with your own measurement: enter one or read a benchmark's file, and see what it does to the prediction."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFileDialog, QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from core.errors import TonnageError
from core.language import measurements, sentences
from core.language.messages import gettext as _
from core.language.messages import ngettext
from core.language.numbers import current
from core.scenario import Measured, Measurement
from core.sizing.own_measurement import relevant
from core.sizing.report import Estimate, Sizing
from desktop.inputs import names
from desktop.pages.calibration.form import MeasurementForm, conditions_of
from desktop.pages.page import Page
from desktop.session import Message, Session
from desktop.theme import Theme
from desktop.widgets.labels import button, label, line
from desktop.widgets.scroll import DownScroll

TOPIC = "calibration"
MOST = 64  # measurements of a scenario
WIDEST = 860


class CalibrationPage(Page):
    """The measurements of the scenario on screen, and one to be added."""

    def __init__(self, session: Session, theme: Theme, close: Callable[[], object]) -> None:
        super().__init__()
        self._session, self._theme = session, theme
        self._scenario_id: int | None = -1  # whose load the form shows
        self.form = MeasurementForm(theme)
        self.add = button(_("Add"), "primary", self._add)
        self.read = button(_("Read a file…"), "", self.choose_file)
        self.done = button(_("Done"), "", close)
        self.about = label("", "label", tone="muted", wrap=True)
        self.effect = QGridLayout()
        self.kept = QVBoxLayout()
        self._lay_out()
        self.form.changed.connect(self._show_effect)
        session.sizing_changed.connect(self._on_sizing)

    def _lay_out(self) -> None:
        title = label(_("Calibrate with your own measurement"), "verdict", wrap=True)
        title.setStyleSheet("font-size: 18px; font-weight: 600;")
        head = QHBoxLayout()
        head.setContentsMargins(24, 10, 20, 8)
        head.addWidget(title, 1)
        head.addWidget(self.done)
        inner = QWidget()
        inner.setProperty("kind", "page")
        inner.setMaximumWidth(WIDEST)
        body = QVBoxLayout(inner)
        body.setContentsMargins(24, 12, 20, 20)
        body.setSpacing(10)
        body.addWidget(self.about)
        body.addWidget(_heading(_("A measurement")))
        body.addWidget(self.form)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addWidget(self.add)
        buttons.addWidget(self.read)
        buttons.addWidget(label(_("of llama-bench or vllm bench serve, as JSON"), "caption"))
        buttons.addStretch(1)
        body.addLayout(buttons)
        body.addWidget(_heading(_("What it does")))
        self.effect.setHorizontalSpacing(20)
        self.effect.setVerticalSpacing(6)
        for at in (1, 2, 3):
            self.effect.setColumnMinimumWidth(at, 190)
        self.effect.setColumnStretch(4, 1)
        body.addLayout(self.effect)
        body.addWidget(_heading(_("Measurements of this scenario")))
        self.kept.setSpacing(2)
        body.addLayout(self.kept)
        body.addStretch(1)
        scroll = DownScroll(inner)
        scroll.setAlignment(Qt.AlignmentFlag.AlignLeft)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(line())
        column.addWidget(scroll, 1)

    # -- showing ------------------------------------------------------------------------------------------------------

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._refresh()

    def begin(self, figure: Measured = Measured.DECODE) -> None:
        """Ready to type a measurement of a figure."""
        self._refresh()
        self.form.choose(figure.value)
        self.form.value.setFocus()

    def _on_sizing(self, _sizing: Sizing) -> None:
        self._refresh()

    def _refresh(self) -> None:
        if not self.isVisible():
            return
        if self._scenario_id != self._session.scenario_id:
            self._scenario_id = self._session.scenario_id
            self.form.show_scenario(self._session.scenario)
        scenario, catalogue = self._session.scenario, self._session.catalogue
        device = catalogue.device(scenario.deployment.device)
        text = _(
            "What you measure on {device} with {engine} and {model} draws the predictions for them towards itself and "
            "narrows their ranges. It stays in this scenario and travels with it."
        )
        self.about.setText(
            text.format(
                device=sentences.device_with_count(device.name, scenario.deployment.count),
                engine=names.engine_name(catalogue.engine(scenario.deployment.engine)),
                model=names.model_name(catalogue, scenario),
            )
        )
        self._show_effect()
        self._show_kept()

    def _show_effect(self) -> None:
        """The predictions without any measurement, as they are, and with the one that is being typed."""
        _empty(self.effect)
        typed = self.form.measurement(self._session.scenario)
        known = self._session.scenario.measurements
        self.add.setEnabled(typed is not None and typed not in known and len(known) < MOST)
        without = self._session.preview(measurements=()) if known else self._session.sizing
        now = self._session.sizing
        after = self._session.preview(measurements=(*known, typed)) if typed is not None else None
        columns = [(_("Predicted"), without), (_("With your measurements"), now if known else None)]
        columns.append((_("With this one"), after))
        shown = [(text, sizing) for text, sizing in columns if sizing is not None]
        for at, (text, _sizing) in enumerate(shown, start=1):
            self.effect.addWidget(label(text, "label"), 0, at)
        for row, figure in enumerate(Measured, start=1):
            name = label(measurements.measured(figure))
            self.effect.addWidget(name, row, 0, Qt.AlignmentFlag.AlignTop)
            for at, (_text, sizing) in enumerate(shown, start=1):
                self.effect.addWidget(_cell(_estimate(sizing, figure)), row, at)

    def _show_kept(self) -> None:
        _empty(self.kept)
        known = self._session.scenario.measurements
        counted = {one.number for figure in Measured for one in relevant(self._session.scenario, figure)}
        for number, one in enumerate(known):
            self.kept.addWidget(self._line_of(one, number, number in counted))
        if not known:
            self.kept.addWidget(label(_("None yet. The predictions rest on public measurements."), "label"))

    def _line_of(self, one: Measurement, number: int, counts: bool) -> QWidget:
        holder = QWidget()
        row = QHBoxLayout(holder)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(12)
        what = label(f"{measurements.measured(one.figure)}  {measurements.value(one)}", "strong")
        about = label(measurements.conditions(one), "label", wrap=True)
        row.addWidget(what)
        row.addWidget(about, 1)
        if not counts:
            row.addWidget(label(_("of another machine or model"), "caption", "warn"))
        remove = button(_("Remove"), "link", partial(self.remove, number))
        remove.setAccessibleName(_("Remove: {figure}").format(figure=what.text()))
        row.addWidget(remove)
        return holder

    # -- doing --------------------------------------------------------------------------------------------------------

    def _add(self) -> None:
        self.form.settle()
        typed = self.form.measurement(self._session.scenario)
        if typed is None:
            if self.form.wrong is not None:
                self.form.wrong.setFocus()
            return
        if self._take((typed,), _("Own measurement")):
            self.form.value.set_value(None)
            self.form.value.setFocus()
            self._show_effect()
            self._session.say_with_undo(_("Your measurement counts from now on."), TOPIC)

    def choose_file(self) -> None:
        kinds = _("Results of benchmarks (*.json);;All files (*)")
        name, _kind = QFileDialog.getOpenFileName(self, _("Read the result of a benchmark"), "", kinds)
        if name:
            self.read_file(Path(name))

    def read_file(self, path: Path) -> bool:
        """Take the measurements of a benchmark's file; a problem is said in a line."""
        from core.sizing.benchmark_file import read_benchmark_file

        known = self._session.scenario.measurements
        try:
            found = read_benchmark_file(path, **conditions_of(self._session.scenario))
        except TonnageError as error:
            self._session.message.emit(Message(sentences.error(error), "bad", TOPIC))
            return False
        new = tuple(one for one in found if one not in known)
        if not new:
            text = _("{file} holds nothing that this scenario does not know already.").format(file=path.name)
            self._session.message.emit(Message(text, "info", TOPIC))
            return False
        if len(known) + len(new) > MOST:
            text = _("{file} holds {number} measurements; a scenario can keep {most}.")
            said = text.format(file=path.name, number=current().count(len(new)), most=current().count(MOST))
            self._session.message.emit(Message(said, "warn", TOPIC))
            return False
        if not self._take(new, _("Measurements from {file}").format(file=path.name)):
            return False
        text = ngettext(
            "{number} measurement was read from {file}.", "{number} measurements were read from {file}.", len(new)
        )
        self._session.say_with_undo(text.format(number=current().count(len(new)), file=path.name), TOPIC)
        return True

    def _take(self, new: Sequence[Measurement], text: str) -> bool:
        return self._session.edit(text, measurements=_plain((*self._session.scenario.measurements, *new)))

    def remove(self, number: int) -> None:
        """Forget a measurement; a line offers to bring it back."""
        known = self._session.scenario.measurements
        left = (*known[:number], *known[number + 1 :])
        if self._session.edit(_("Remove a measurement"), measurements=_plain(left)):
            self._session.say_with_undo(_("The measurement was removed."), TOPIC)


def _plain(kept: Sequence[Measurement]) -> list[dict[str, object]]:
    return [one.model_dump() for one in kept]


def _estimate(sizing: Sizing | None, figure: Measured) -> Estimate | None:
    if sizing is None:
        return None
    return {
        Measured.DECODE: sizing.decode,
        Measured.PREFILL: sizing.prefill,
        Measured.FIRST_TOKEN: sizing.ttft,
        Measured.THROUGHPUT: sizing.throughput,
    }[figure]


def _cell(prediction: Estimate | None) -> QWidget:
    """A prediction, and below it its range and how sure it is."""
    cell = QWidget()
    column = QVBoxLayout(cell)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(0)
    column.addWidget(label(measurements.middle(prediction), "strong"))
    column.addWidget(label(measurements.span(prediction), "caption"))
    return cell


def _heading(text: str) -> QWidget:
    heading = label(text, "section")
    heading.setContentsMargins(0, 8, 0, 0)
    return heading


def _empty(layout: QGridLayout | QVBoxLayout) -> None:
    while (item := layout.takeAt(0)) is not None:
        widget = item.widget()
        if widget is not None:
            widget.hide()
            widget.deleteLater()

"""Which scenarios are options, which of them is recommended, and which sections are printed."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QCheckBox, QSizePolicy, QVBoxLayout, QWidget

from core.language.messages import gettext as _
from core.language.messages import ngettext
from core.language.numbers import current
from core.proposal.letters import letter
from core.proposal.options import ProposalOptions
from core.proposal.options import Section as Part
from desktop.inputs.rows import PickerRow
from desktop.pages.proposal.candidates import Candidate, Candidates
from desktop.pages.proposal.words import section_name
from desktop.theme import Theme
from desktop.widgets.choices import Choice
from desktop.widgets.picker import ComboPicker
from desktop.widgets.section import Section


class TickBox(QCheckBox):
    """A tick box whose text ends in an ellipsis where room is short."""

    def __init__(self) -> None:
        super().__init__()
        self._whole = ""
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def show_text(self, text: str) -> None:
        self._whole = text
        self.setAccessibleName(text)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        room = max(10, self.width() - 26)
        text = self.fontMetrics().elidedText(self._whole, Qt.TextElideMode.ElideRight, room)
        self.setText(text.replace("&", "&&"))
        self.setToolTip(self._whole if text != self._whole else "")


class OptionsSection(Section):
    """Ticks for the client's scenarios; the first chosen one is recommended."""

    changed = Signal()

    def __init__(self, theme: Theme, candidates: Candidates) -> None:
        super().__init__(theme, _("Options"))
        self._candidates = candidates
        self.boxes: dict[str, TickBox] = {}
        self._list = QWidget()
        self._column = QVBoxLayout(self._list)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self.recommended = ComboPicker(theme, _("Recommended"))
        self.recommended.chosen.connect(self._recommend)
        self.add = ComboPicker(theme, _("Add another"), searchable=True)
        self.add.set_source(lambda: [_choice(one) for one in candidates.others()])
        self.add.chosen.connect(self._add)
        self._add_row = PickerRow(theme, _("Add another"), self.add)
        self.rows.addWidget(self._list)
        self.rows.addWidget(PickerRow(theme, _("Recommended"), self.recommended))
        self.rows.addWidget(self._add_row)
        self.refresh()

    def refresh(self) -> None:
        """The scenarios as they are now."""
        self._candidates.forget_lost()
        shown, chosen = self._candidates.shown(), self._candidates.chosen
        if list(self.boxes) != [one.key for one in shown]:
            self._rebuild(shown)
        for one in shown:
            box = self.boxes[one.key]
            place = chosen.index(one.key) if one.key in chosen else None
            name = one.name if place is None else f"{letter(place)}  {one.name}"
            box.show_text(name)
            box.blockSignals(True)
            box.setChecked(place is not None)
            box.blockSignals(False)
        names = {one.key: one for one in shown}
        self.recommended.set_choices([_choice(names[key]) for key in chosen if key in names])
        self.recommended.set_current(chosen[0])
        self.add.set_current("", _("from another client"))
        self._add_row.setVisible(bool(self._candidates.others()))
        text = ngettext("{number} option", "{number} options", len(chosen))
        self.set_summary(text.format(number=current().count(len(chosen))))

    def _rebuild(self, shown: Sequence[Candidate]) -> None:
        for box in self.boxes.values():
            self._column.removeWidget(box)
            box.hide()
            box.deleteLater()
        self.boxes = {}
        for one in shown:
            box = TickBox()
            box.toggled.connect(lambda on, key=one.key: self._tick(key, on))
            self._column.addWidget(box)
            self.boxes[one.key] = box

    def _tick(self, key: str, wanted: bool) -> None:
        self._candidates.choose(key, wanted)
        self.refresh()
        self.changed.emit()

    def _recommend(self, key: str) -> None:
        self._candidates.recommend(key)
        self.refresh()
        self.changed.emit()

    def _add(self, key: str) -> None:
        self._candidates.choose(key, True)
        self.refresh()
        self.changed.emit()


class PartsSection(Section):
    """Ticks for the sections of the document."""

    def __init__(self, theme: Theme, change: Callable[[Callable[[ProposalOptions], ProposalOptions]], object]) -> None:
        super().__init__(theme, _("Sections"))
        self._change = change
        self.boxes: dict[Part, TickBox] = {}
        for part in Part:
            box = TickBox()
            box.show_text(section_name(part))
            box.toggled.connect(lambda on, part=part: self._tick(part, on))
            self.boxes[part] = box
            self.rows.addWidget(box)

    def _tick(self, part: Part, wanted: bool) -> None:
        def changed(options: ProposalOptions) -> ProposalOptions:
            left = options.left_out - {part} if wanted else options.left_out | {part}
            return replace(options, left_out=left)

        self._change(changed)

    def show_options(self, options: ProposalOptions) -> None:
        for part, box in self.boxes.items():
            box.blockSignals(True)
            box.setChecked(options.holds(part))
            box.blockSignals(False)
        if options.left_out:
            text = ngettext("{number} left out", "{number} left out", len(options.left_out))
            self.set_summary(text.format(number=current().count(len(options.left_out))))
        else:
            self.set_summary(_("all"))


def _choice(one: Candidate) -> Choice:
    return Choice(one.key, one.name, one.client)

"""One line of the bill: its fields side by side; below them where the price comes from, its age, and what is wrong."""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from core.errors import InvalidInput
from core.language import cost_sentences
from core.language.cost_sentences import line_kind_in_short, line_name
from core.language.messages import gettext as _
from core.language.numbers import EN_DASH, current
from core.scenario import CostLine, LineKind
from core.sizing.costs.bill_edit import Entry
from core.sizing.costs.report import AGEING, Quote
from core.units import parse_number
from desktop.inputs.money import CURRENCIES, price
from desktop.inputs.rows import Caption
from desktop.pages.bill import price_choices
from desktop.session import Session
from desktop.theme import Theme, restyle
from desktop.widgets import quantity
from desktop.widgets.choices import Choice
from desktop.widgets.elided_edit import ElidedEdit
from desktop.widgets.labels import ElidedLabel, IconButton, label
from desktop.widgets.picker import ComboPicker
from desktop.widgets.quantity import Quantity, Value, trimmed
from desktop.widgets.quantity_edit import QuantityEdit

#: Widths of the columns; the name takes the rest.
KIND, COUNT, EACH, CURRENCY, PAID, AMOUNT, SOURCE, DATE = 138, 76, 116, 66, 86, 104, 282, 104
GAP, BUTTON = 6, 28
ONCE, YEARLY = "once", "yearly"


@dataclass(frozen=True, slots=True)
class Deeds:
    """What a row asks its page to do with its line."""

    replace: Callable[[int, str, CostLine], object]
    check: Callable[[int, CostLine], str]
    move: Callable[[int, int], object]
    duplicate: Callable[[int], object]
    remove: Callable[[int], object]


class About(ElidedLabel):
    """Age and source of a price, which may be called at length: the whole is the tooltip, as in other lists."""

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        room = self.contentsRect()
        text = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, room.width())
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.drawText(room, self.alignment() | Qt.AlignmentFlag.AlignVCenter, text)


class LineRow(QWidget):
    """The fields of the line at a place of the bill."""

    def __init__(self, session: Session, theme: Theme, at: int, deeds: Deeds) -> None:
        super().__init__()
        self._session, self._theme, self._deeds, self.at = session, theme, deeds, at
        self._line: CostLine | None = None
        self._quote: Quote | None = None
        self._in_pieces = False
        self._name = ""  # of the thing, where the line has none of its own
        number = current().count(at + 1)
        self.kind = self._picker(_("Line {number}: what").format(number=number))
        self.kind.set_choices([Choice(one.value, line_kind_in_short(one)) for one in LineKind])
        self.kind.chosen.connect(self._choose_kind)
        self.name = ElidedEdit(_("Line {number}: name").format(number=number), 200)
        self.name.editingFinished.connect(self._rename)
        many = _("Line {number}: quantity").format(number=number)
        self.quantity = self._number(many, _quantity(LineKind.OTHER), "quantity")
        self.price = self._number(_("Line {number}: price of one").format(number=number), price(), "price")
        self.currency = self._picker(_("Line {number}: currency").format(number=number))
        self.currency.set_choices([Choice(code, code) for code in CURRENCIES])
        self.currency.chosen.connect(lambda key: self._edit(_("Currency of a line"), currency=key))
        self.paid = self._picker(_("Line {number}: paid").format(number=number))
        self.paid.set_choices([Choice(ONCE, _("once")), Choice(YEARLY, _("yearly"))])
        self.paid.chosen.connect(lambda key: self._edit(_("Once or yearly"), yearly=key == YEARLY))
        self.amount = ElidedLabel("", "strong")
        self.amount.setSizePolicy(
            QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred
        )  # a column, as those beside it
        self.amount.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.source = ComboPicker(
            theme, _("Line {number}: price from").format(number=number), searchable=True, quiet=True
        )
        self.source.set_source(self._sources)
        self.source.chosen.connect(self._choose_source)
        self.date = self._number(_("Line {number}: date of the price").format(number=number), quantity.day(), "dated")
        self.date.setPlaceholderText(_("date"))
        self.mark = label("", "caption")
        self.said = About("", "caption")
        self.caption = Caption(theme)
        self._buttons = self._make_buttons(number)
        self._lay_out()

    # -- building -----------------------------------------------------------------------------------------------------

    def _picker(self, name: str) -> ComboPicker:
        return ComboPicker(self._theme, name)

    def _number(self, name: str, kind: Quantity, field: str) -> QuantityEdit:
        edit = QuantityEdit(self._theme, kind, name, lambda value: self._refusal(field, value))
        edit.keep_no_place()  # the unit stands in the heading, and digits end at the edge
        edit.value_edited.connect(lambda value: self._edit(name, **_typed(field, value)))
        edit.gesture_started.connect(self._session.history.begin_gesture)
        edit.gesture_ended.connect(self._session.history.end_gesture)
        edit.problem_changed.connect(lambda _problem: self._show_problem())
        return edit

    def _make_buttons(self, number: str) -> tuple[IconButton, ...]:
        deeds = self._deeds
        does: tuple[tuple[str, str, Callable[[], object]], ...] = (
            ("chevron-up", _("Move line {number} up"), lambda: deeds.move(self.at, -1)),
            ("chevron-down", _("Move line {number} down"), lambda: deeds.move(self.at, 1)),
            ("copy", _("Duplicate line {number}"), lambda: deeds.duplicate(self.at)),
            ("trash", _("Delete line {number}"), lambda: deeds.remove(self.at)),
        )
        return tuple(self._button(icon, name.format(number=number), run) for icon, name, run in does)

    def _button(self, icon: str, name: str, run: Callable[[], object]) -> IconButton:
        button = IconButton(self._theme, icon, name, run)
        button.setFixedSize(BUTTON, BUTTON)
        return button

    def _lay_out(self) -> None:
        first, second = QHBoxLayout(), QHBoxLayout()
        for row in (first, second):
            row.setContentsMargins(0, 0, 0, 0)
            row.setSpacing(GAP)
        widths = (
            (self.kind, KIND), (self.name, 0), (self.quantity, COUNT), (self.price, EACH), (self.currency, CURRENCY),
            (self.paid, PAID), (self.amount, AMOUNT),
        )  # fmt: skip
        for widget, width in widths:
            if width:
                widget.setFixedWidth(width)
            first.addWidget(widget, 0 if width else 1)
        buttons = QHBoxLayout()
        buttons.setSpacing(0)
        for button in self._buttons:
            buttons.addWidget(button)
        first.addLayout(buttons)
        self.source.setFixedWidth(SOURCE)
        self.date.setFixedWidth(DATE)
        second.addWidget(self.source)
        second.addWidget(self.date)
        second.addWidget(self.mark)
        second.addWidget(self.said, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 8, 0, 8)
        column.setSpacing(3)
        column.addLayout(first)
        column.addLayout(second)
        column.addWidget(self.caption)

    # -- showing ------------------------------------------------------------------------------------------------------

    def show_entry(self, entry: Entry, last: bool, currency: str) -> None:
        line, priced = entry.line, entry.priced
        self._line = line
        self.kind.set_current(line.kind.value, line_kind_in_short(line.kind))
        if not self.name.isModified() and self.name.text().strip() != line.name:
            self.name.setText(line.name)
        self._name = line_name(priced)
        self.name.setPlaceholderText(self._name)
        self._count_as(line.kind)
        self.quantity.set_value(line.quantity)
        self._quote = quote = priced.quote
        self.price.set_value(line.price)
        self.price.setPlaceholderText(_quoted(quote) if quote is not None else _("missing"))
        self.currency.set_current(*_shown_currency(line, quote, currency))
        self.currency.setEnabled(line.price is not None)
        self.paid.set_current(YEARLY if line.yearly else ONCE, _("yearly") if line.yearly else _("once"))
        known = priced.amount.known
        self.amount.setText(current().money(priced.amount.value, currency) if known else _("unknown"))
        restyle(self.amount, tone="" if known else "warn")
        self.source.set_current(*price_choices.source_of(line, self._session.catalogue))
        self.date.setVisible(line.price is not None)
        self.date.set_value(line.dated or None)
        said = _("as proposed") if entry.proposed else _("entered")
        self.mark.setText(f"{said} ·")
        restyle(self.mark, tone="" if entry.proposed else "accent")
        text, stale = _about(entry, price_choices.source_title(line, self._session.catalogue))
        self.said.setText(text)
        restyle(self.said, tone="warn" if stale else "")
        self._buttons[0].setEnabled(self.at > 0)
        self._buttons[1].setEnabled(not last)

    def _show_problem(self) -> None:
        problems = (edit.problem for edit in (self.quantity, self.price, self.date))
        self.caption.set_problem(next(filter(None, problems), ""))

    # -- editing ------------------------------------------------------------------------------------------------------

    def settle(self) -> None:
        for edit in (self.quantity, self.price, self.date):
            edit.settle()
        self._rename()

    def retire(self) -> None:
        """The line is gone: a text that is still in a field belongs to nobody."""
        self._line = None

    def focus_on(self, which: int) -> None:
        """Put the focus on the name (-1) or a button, the next one that can be pressed."""
        if which < 0:
            self.name.setFocus(Qt.FocusReason.OtherFocusReason)
            self.name.selectAll()
            return
        found = [button for button in (self._buttons[which], *self._buttons) if button.isEnabled()]
        found[0].setFocus(Qt.FocusReason.OtherFocusReason)

    def _rename(self) -> None:
        """Take what was typed, once: a text that came from a scenario is never given to another one."""
        typed = self.name.isModified()
        self.name.forget_typing()
        if typed:
            self._edit(_("Name of a line"), name=self.name.text().strip())

    def _changed(self, changes: dict[str, Any]) -> CostLine | None:
        """The line with some fields changed; one that loses its fact keeps the name that it had by it."""
        if self._line is None:
            return None
        named = {"name": self._name} if "fact" in changes and self._line.fact and not self._line.name else {}
        return self._line.model_copy(update=named | changes)

    def _edit(self, text: str, **changes: Any) -> None:
        line = self._changed(changes)
        if line is not None and line != self._line:
            self._deeds.replace(self.at, text, line)

    def _refusal(self, field: str, value: Value) -> str:
        line = self._changed(_typed(field, value))
        return "" if line is None else self._deeds.check(self.at, line)

    def _sources(self) -> list[Choice]:
        return [] if self._line is None else price_choices.source_choices(self._line, self._session.catalogue)

    def _count_as(self, kind: LineKind) -> None:
        """What is bought by the piece is typed and stepped as whole pieces."""
        if (kind in _PIECES) is not self._in_pieces:
            self._in_pieces = kind in _PIECES
            self.quantity.set_quantity(_quantity(kind), self.quantity.accessibleName())

    def _choose_kind(self, key: str) -> None:
        """Another kind of thing; of what is bought by the piece there is no half."""
        kind = LineKind(key)
        changes: dict[str, Any] = {"kind": kind}
        if self._line is not None and kind in _PIECES:
            changes["quantity"] = max(Decimal(1), self._line.quantity.to_integral_value(ROUND_CEILING))
        self._edit(_("Kind of a line"), **changes)

    def _choose_source(self, key: str) -> None:
        """Another origin of the price; what was typed gives way, and the name stays where it was given."""
        if self._line is None:
            return
        nothing = {"price": None, "currency": None, "dated": "", "fact": None}
        if key == price_choices.TYPED:
            quote = self._quote
            known: dict[str, Any] = {}
            if quote is not None:
                known = {"price": _middle(quote), "currency": quote.currency, "dated": quote.date}
            self._edit(_("Price of a line"), **nothing | known)
            self.price.setFocus(Qt.FocusReason.OtherFocusReason)
        elif key == price_choices.DEVICE:
            self._edit(_("Price of a line"), **nothing)
        else:
            self._edit(_("Price of a line"), **nothing | {"fact": key, "name": self._line.name})


def _typed(field: str, value: Value) -> dict[str, Any]:
    """What a typed value changes: a price that was typed goes before any fact, and has a date of its own."""
    if field == "price":
        return {"price": value} if value is None else {"price": value, "fact": None}
    if field == "dated":
        return {"dated": value or ""}
    return {field: value}


def _shown_currency(line: CostLine, quote: Quote | None, currency: str) -> tuple[str, str]:
    code = line.currency or (quote.currency if quote is not None and line.price is None else currency)
    return code, code


def _quoted(quote: Quote) -> str:
    low, high = (_written(end) for end in (quote.low, quote.high))
    return low if low == high else f"{low}{EN_DASH}{high}"


def _written(amount: Decimal) -> str:
    whole = amount == amount.to_integral_value()
    return current().count(float(amount)) if whole else current().decimal(float(amount), 2)


def _middle(quote: Quote) -> Decimal:
    return quote.low if quote.low == quote.high else (quote.low * quote.high).sqrt().quantize(Decimal("0.01"))


def _about(entry: Entry, source: str) -> tuple[str, bool]:
    """Age and source of a price, and whether it is too old to be relied on."""
    quote = entry.priced.quote
    if quote is None:
        return _("No price is known: the sums stay unknown."), True
    stale = quote.before_rise or (quote.age_months is not None and quote.age_months > AGEING)
    text = cost_sentences.price_age(quote)
    if stale and not quote.before_rise:
        text = _("{age}: ask again before you offer it.").format(age=text)
    return " · ".join(filter(None, (text, source))), stale


#: What is bought by the piece; memory, storage and power are bought by GB, TB and W, services by days.
_PIECES = {LineKind.CARDS, LineKind.HOST, LineKind.NETWORK, LineKind.RACK, LineKind.COOLING}


def _quantity(kind: LineKind) -> Quantity:
    """How many of something, exact."""

    def write(amount: Value) -> str:
        return current().count(amount) if amount == amount.to_integral_value() else trimmed(float(amount), 3)

    def read(text: str, decimal_comma: bool) -> Value:
        amount = Decimal(str(parse_number(text, decimal_comma))).quantize(Decimal("0.001")).normalize() + 0
        if kind in _PIECES and (amount < 1 or amount != amount.to_integral_value()):
            raise InvalidInput(text)
        return amount

    if kind in _PIECES:
        hint = _("Write a whole number such as {example}. Keeping {kept}.")
        return Quantity(read=read, write=write, example="2", low=1, high=10**6, pieces=True, hint=hint)
    hint = _("Write a number such as {example}. Keeping {kept}.")
    return Quantity(read=read, write=write, example="2", high=10**6, hint=hint)

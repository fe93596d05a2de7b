"""The bill of materials of the scenario on screen: every line a row of fields, the sums, and what is missing."""

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from core.language.cost_sentences import line_name, missing, money
from core.language.figures import label as figure_name
from core.language.messages import gettext as _
from core.language.messages import ngettext
from core.language.numbers import current
from core.scenario import CostLine, LineKind
from core.sizing.costs.bill_edit import Changes, EditableBill, editable_bill
from core.sizing.costs.report import Amount, Cost, Missing
from core.sizing.report import Sizing
from desktop.pages.bill import line_row, price_choices
from desktop.pages.bill.line_row import Deeds, LineRow
from desktop.pages.page import Page
from desktop.session import Session
from desktop.theme import Theme
from desktop.widgets.labels import ElidedLabel, button, label, line
from desktop.widgets.message_bar import MessageBar
from desktop.widgets.picker import ComboPicker
from desktop.widgets.scroll import DownScroll

TOPIC = "bill"
WIDEST = 1100
#: What comes on top of the lines, and what they come to.
_SUMS = ("cost.bought", "cost.contingency", "cost.installation", "cost.margin", "cost.capital", "cost.licences")
_DELETE = 3  # place of the button among those of a row


class BillPage(Page):
    """Shows the lines and edits them through the session."""

    def __init__(self, session: Session, theme: Theme, close: Callable[[], object]) -> None:
        super().__init__()
        self._session, self._theme = session, theme
        self._bill: EditableBill | None = None
        self.rows: list[LineRow] = []
        self.title = label("", "verdict", wrap=True)
        self.title.setStyleSheet("font-size: 18px; font-weight: 600;")
        self.about = label("", "label", tone="muted", wrap=True)
        self.done = button(_("Done"), "", close)
        self.add = button(_("Add a line"), "primary", lambda: self._add(CostLine(kind=LineKind.OTHER)))
        self.take = ComboPicker(theme, _("Add from the catalogue"), searchable=True)
        self.take.set_source(lambda: price_choices.fact_choices(session.catalogue))
        self.take.chosen.connect(self._add_fact)
        self.again = button(_("Propose again"), "", self._propose_again)
        self.notice = MessageBar(theme, "", closable=False)
        self.empty = label(_("No line yet: add one, or let the rule propose them again."), "label")
        self.list = QVBoxLayout()
        self.sums = QGridLayout()
        self.head = self._head()
        self._lay_out()
        session.sizing_changed.connect(self._on_sizing)
        session.sizing_lost.connect(self._refresh)
        session.catalogue_changed.connect(lambda _catalogue: self._refresh())
        session.leaving.connect(self.settle)

    # -- building -----------------------------------------------------------------------------------------------------

    def _head(self) -> QWidget:
        """The names of the columns."""
        holder = QWidget()
        row = QHBoxLayout(holder)
        row.setContentsMargins(0, 0, 0, 4)
        row.setSpacing(line_row.GAP)
        columns = (
            (_("What"), line_row.KIND, False),
            (_("Name"), 0, False),
            (_("Quantity"), line_row.COUNT, True),
            (_("Price of one"), line_row.EACH, True),
            (_("Currency"), line_row.CURRENCY, False),
            (_("Paid"), line_row.PAID, False),
            (_("Amount"), line_row.AMOUNT, True),
            ("", 4 * line_row.BUTTON, False),
        )
        for text, width, right in columns:
            name = label(text, "caption", tone="faint")
            if width:
                name.setFixedWidth(width)
            if right:
                name.setAlignment(Qt.AlignmentFlag.AlignRight)
            row.addWidget(name, 0 if width else 1)
        return holder

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(24, 10, 20, 8)
        head.setSpacing(8)
        head.addWidget(self.title, 1)
        head.addWidget(self.done, 0, Qt.AlignmentFlag.AlignTop)
        tools = QHBoxLayout()
        tools.setSpacing(8)
        self.take.setFixedWidth(line_row.SOURCE)
        self.take.set_current("", _("Add from the catalogue…"))
        for widget in (self.add, self.take, self.again):
            tools.addWidget(widget)
        tools.addStretch(1)
        self.inner = inner = QWidget()
        inner.setProperty("kind", "page")
        inner.setMaximumWidth(WIDEST)
        body = QVBoxLayout(inner)
        body.setContentsMargins(24, 12, 20, 20)
        body.setSpacing(10)
        body.addWidget(self.about)
        body.addWidget(self.notice)
        body.addLayout(tools)
        body.addWidget(self.head)
        self.list.setSpacing(0)
        body.addLayout(self.list)
        body.addWidget(self.empty)
        self.sums.setHorizontalSpacing(line_row.GAP)
        self.sums.setVerticalSpacing(4)
        self.sums.setColumnStretch(0, 1)
        self.sums.setColumnMinimumWidth(3, 4 * line_row.BUTTON + line_row.GAP)  # an empty column has no space before it
        body.addLayout(self.sums)
        body.addStretch(1)
        self.scroll_area = DownScroll(inner)
        self.scroll_area.setAlignment(Qt.AlignmentFlag.AlignLeft)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(line())
        column.addWidget(self.scroll_area, 1)

    # -- showing ------------------------------------------------------------------------------------------------------

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._refresh()

    def _on_sizing(self, _sizing: Sizing) -> None:
        self._refresh()

    def _refresh(self) -> None:
        if not self.isVisible():
            return
        sizing = self._session.settled()
        cost = None if sizing is None else self._session.cost(sizing)
        for widget in (self.add, self.take):
            widget.setEnabled(cost is not None)
        if cost is None:
            self._show_none()
            return
        self._bill = editable_bill(cost, self._session.catalogue)
        self._show_head(cost, self._bill)
        self._show_rows(cost, self._bill)
        self._show_sums(cost)

    def _show_none(self) -> None:
        """The scenario cannot be sized: lines that are still here would be those of another, and go into this one."""
        self._bill = None
        self.title.setText(_("Bill of materials: this scenario cannot be sized"))
        self.about.setText("")
        self.again.setEnabled(False)
        self._drop_rows(0)
        self._drop_sums()
        for widget in (self.notice, self.empty, self.head):
            widget.setVisible(False)

    def _show_head(self, cost: Cost, bill: EditableBill) -> None:
        if cost.capital.known:
            text = _("Bill of materials: {amount} to buy").format(amount=money(cost.capital, cost.currency))
        else:
            text = _unknown(cost)
        self.title.setText(text)
        if bill.live:
            said = _(
                "These lines are proposed by rule and follow the deployment. A change of one of them keeps all as they "
                "are; lines that you add stand beside them."
            )
        else:
            said = _("These lines stand as you entered them, whatever the deployment becomes.")
        self.about.setText(said)
        self.again.setEnabled(not bill.live)
        self.notice.setVisible(not bill.live and not bill.fits_the_deployment)
        counted = ngettext(
            "The lines buy {lines}; the deployment has {number} device.",
            "The lines buy {lines}; the deployment has {number} devices.",
            bill.units,
        )
        self.notice.text.setText(counted.format(lines=current().number(bill.cards), number=current().count(bill.units)))

    def _drop_rows(self, first: int) -> None:
        """Take away the rows from a place on."""
        for row in self.rows[first:]:
            row.retire()
            self.list.removeWidget(row)
            row.hide()
            row.deleteLater()
        del self.rows[first:]

    def _show_rows(self, cost: Cost, bill: EditableBill) -> None:
        self._drop_rows(len(bill.entries))
        deeds = Deeds(self._replace, self._refusal, self._move, self._duplicate, self._remove)
        for at in range(len(self.rows), len(bill.entries)):
            row = LineRow(self._session, self._theme, at, deeds)
            self.rows.append(row)
            self.list.addWidget(row)
        last = len(bill.entries) - 1
        for at, (row, entry) in enumerate(zip(self.rows, bill.entries, strict=True)):
            row.show_entry(entry, at == last, cost.currency)
        self.empty.setHidden(bool(bill.entries))
        self.head.setVisible(bool(bill.entries))

    def _drop_sums(self) -> None:
        while (item := self.sums.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()

    def _show_sums(self, cost: Cost) -> None:
        self._drop_sums()
        rule = line()
        self.sums.addWidget(rule, 0, 0, 1, 3)
        shown = [key for key in _SUMS if key in cost.trace or key == cost.capital.key]
        for at, key in enumerate(shown, start=1):
            amount = cost.capital if key == cost.capital.key else Amount(key, cost.trace[key])
            strong = key == cost.capital.key
            name = label(figure_name(key), "strong" if strong else "label")
            name.setAlignment(Qt.AlignmentFlag.AlignRight)
            value = label(money(amount, cost.currency), "strong" if strong else "", "" if amount.known else "warn")
            value.setAlignment(Qt.AlignmentFlag.AlignRight)
            spread = ElidedLabel(self._spread(cost) if strong else "", "caption", tone="faint")
            spread.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            self.sums.addWidget(spread, at, 0)
            self.sums.addWidget(name, at, 1)
            self.sums.addWidget(value, at, 2)

    @staticmethod
    def _spread(cost: Cost) -> str:
        low, high = cost.capital_low, cost.capital_high
        if not (low.known and high.known) or low.value == high.value:
            return ""
        text = current().money_range(low.value, high.value, cost.currency)
        return _("{range} by the lowest and the highest quotes").format(range=text)

    # -- editing ------------------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Ready for the keyboard."""
        self._refresh()
        self.add.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def settle(self) -> None:
        """Take what is still being typed: what is on screen is about to change."""
        if self.isVisible():
            for row in self.rows:
                row.settle()

    def _edit(self, text: str, changes: Changes) -> bool:
        if not changes or not self._session.edit(text, **changes):
            return False
        self._refresh()
        return True

    def _replace(self, at: int, text: str, new: CostLine) -> None:
        if self._bill is not None and at < len(self._bill.entries):
            self._edit(text, self._bill.replaced(at, new))

    def _refusal(self, at: int, new: CostLine) -> str:
        if self._bill is None or at >= len(self._bill.entries):
            return ""
        plain = {
            key: None if lines is None else [one.model_dump() for one in lines]
            for key, lines in self._bill.replaced(at, new).items()
        }
        return self._session.check(**plain)

    def _move(self, at: int, by: int) -> None:
        if self._bill is not None and self._edit(_("Move a line"), self._bill.moved(at, by)):
            self.rows[at + by].focus_on(0 if by < 0 else 1)

    def _duplicate(self, at: int) -> None:
        if self._bill is not None and at < len(self._bill.entries):
            self._add(self._bill.entries[at].line, at)

    def _add(self, new: CostLine, after: int | None = None) -> None:
        if self._bill is None:
            return
        place = self._bill.place_of_added(after)
        if self._edit(_("Add a line"), self._bill.added(new, after)):
            row = self.rows[min(place, len(self.rows) - 1)]
            row.focus_on(-1)
            self.scroll_area.ensureWidgetVisible(row)

    def _add_fact(self, key: str) -> None:
        """A line whose price is a fact of the catalogue."""
        fact = next((one for one in price_choices.priced_facts(self._session.catalogue) if one.id == key), None)
        self.take.set_current("", _("Add from the catalogue…"))
        if fact is None:
            return
        kind = price_choices.kind_of_fact(fact)
        name = price_choices.fact_title(fact, self._session.catalogue)[:200]
        self._add(CostLine(kind=kind, name=name, fact=key, yearly=price_choices.is_yearly(fact)))

    def _remove(self, at: int) -> None:
        """Delete a line; a message offers to bring it back."""
        if self._bill is None or at >= len(self._bill.entries):
            return
        name = line_name(self._bill.entries[at].priced)
        if self._edit(_("Delete a line"), self._bill.without(at)):
            self._session.say_with_undo(_("“{name}” was deleted.").format(name=name), TOPIC)
            if self.rows:
                self.rows[min(at, len(self.rows) - 1)].focus_on(_DELETE)
            else:
                self.add.setFocus(Qt.FocusReason.OtherFocusReason)

    def _propose_again(self) -> None:
        if self._bill is None:
            return
        changes = self._bill.proposed_again(self._session.scenario.economics)
        if self._edit(_("Propose the lines again"), changes):
            self._session.say_with_undo(_("The lines are proposed by rule again."), TOPIC)
            self.add.setFocus(Qt.FocusReason.OtherFocusReason)


def _unknown(cost: Cost) -> str:
    """Why there is no sum: how many lines have no price, or what else is missing."""
    unpriced = [one for one in cost.open_lines if one.amount.missing is Missing.PRICE]
    if not unpriced:
        reason = missing(cost.capital.missing) if cost.capital.missing is not None else ""
        return _("Bill of materials: the sum is unknown, {reason}").format(reason=reason)
    text = ngettext(
        "Bill of materials: {number} line has no price, so the sum is unknown",
        "Bill of materials: {number} lines have no price, so the sum is unknown",
        len(unpriced),
    )
    return text.format(number=current().count(len(unpriced)))

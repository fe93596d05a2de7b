"""What one euro costs in a currency, where the client's own rate goes before that of the catalogue."""

from datetime import date
from typing import Any

from core.language.messages import gettext as _
from core.scenario import Scenario
from desktop.inputs.money import price
from desktop.inputs.rows import QuantityRow
from desktop.session import Session
from desktop.theme import Theme
from desktop.widgets.quantity import Value

PATH = "economics__exchange"


class ExchangeRow(QuantityRow):
    """A rate; it takes the day on which it is entered as its date."""

    def __init__(self, session: Session, theme: Theme, currency: str) -> None:
        self.currency = currency
        super().__init__(session, theme, _name(currency), PATH, price("1.16", 0.01, digits=4), placeholder=_("unknown"))

    def set_currency(self, currency: str) -> None:
        if currency != self.currency:
            self.currency = currency
            self._text = _name(currency)
            self.label.setText(self._text)
            self.edit.setAccessibleName(self._text)

    def refusal(self, value: Value) -> str:
        return self._session.check(**{PATH: self._with(value)})

    def _on_edited(self, value: Value) -> None:
        self._session.edit(self._text, **{PATH: self._with(value)})

    def _with(self, value: Value) -> list[dict[str, Any]]:
        kept = [one.model_dump() for one in self._session.scenario.economics.exchange if one.currency != self.currency]
        if value is None:
            return kept
        return [*kept, {"currency": self.currency, "per_euro": value, "dated": date.today().isoformat()}]

    def show_scenario(self, scenario: Scenario) -> None:
        rates = {one.currency: one for one in scenario.economics.exchange}
        rate = rates.get(self.currency)
        self.edit.set_value(rate.per_euro if rate is not None else None)
        self.caption.set_caption(rate.dated if rate is not None else "")


def _name(currency: str) -> str:
    return _("One euro in {currency}").format(currency=currency)

"""Economics: the price of one device."""

from decimal import Decimal

from core.catalogue.records import Price
from core.language.messages import gettext as _
from core.language.numbers import EN_DASH
from core.scenario import Scenario
from core.units import parse_number
from desktop.inputs import names
from desktop.inputs.deployment_section import device_of
from desktop.inputs.rows import PickerRow, QuantityRow
from desktop.session import Session
from desktop.theme import Theme
from desktop.widgets.choices import Choice
from desktop.widgets.picker import ComboPicker
from desktop.widgets.quantity import Quantity, Value
from desktop.widgets.section import Section

CURRENCIES = ("EUR", "USD", "CHF", "GBP", "SEK", "DKK", "NOK", "PLN", "CZK", "JPY", "CAD", "AUD")


def price() -> Quantity:
    """A price, exact."""

    def read(text: str, decimal_comma: bool) -> Value:
        return Decimal(str(parse_number(text, decimal_comma))).quantize(Decimal("0.01")).normalize() + 0

    def write(amount: Value) -> str:
        whole = amount == amount.to_integral_value()
        return names.number().count(amount) if whole else names.number().decimal(float(amount), 2)

    return Quantity(
        read=read,
        write=write,
        example="12,400",
        step=100,
        high=10**12,
        optional=True,
        hint=_("Write an amount such as {example}. Keeping {kept}."),
    )


class EconomicsSection(Section):
    """The section of the price."""

    def __init__(self, session: Session, theme: Theme) -> None:
        super().__init__(theme, _("Economics"))
        self._session = session
        self.price = QuantityRow(session, theme, _("Price of one"), "economics__price", price())
        self.currency = ComboPicker(theme, _("Currency"))
        self.currency.set_choices([Choice(code, code) for code in CURRENCIES])
        self.currency.chosen.connect(lambda code: session.edit(_("Currency"), economics__currency=code))
        self.rows.addWidget(self.price)
        self.rows.addWidget(PickerRow(theme, _("Currency"), self.currency))

    def show_scenario(self, scenario: Scenario) -> None:
        economics = scenario.economics
        self.price.show_scenario(scenario)
        self.currency.set_current(economics.currency)
        device = device_of(self._session.catalogue, scenario.deployment.device)
        known = device.price if device else None
        amount = quotes(known) if known else ""
        self.price.edit.setPlaceholderText(_("catalogue") if known else _("unknown"))
        self.price.caption.set_caption(_source(amount, known.as_of) if known else "")
        if economics.price is not None:
            amount = names.number().money(economics.price, economics.currency)
        self.set_summary(amount or _("price unknown"))


def quotes(price: Price) -> str:
    """The catalogue's range with its currency."""
    number = names.number()
    low, high = number.count(float(price.low)), number.count(float(price.high))
    return f"{low if low == high else f'{low}{EN_DASH}{high}'}\u00a0{price.currency}"


def _source(amount: str, as_of: str) -> str:
    if not as_of:
        return _("Catalogue: {amount}").format(amount=amount)
    return _("Catalogue: {amount}, {date}").format(amount=amount, date=as_of)

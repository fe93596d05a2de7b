"""Amounts of money as fields hold them: exact, and of which currencies."""

from decimal import Decimal

from core.language.messages import gettext as _
from core.units import parse_number
from desktop.inputs import names
from desktop.widgets.quantity import Quantity, Value

CURRENCIES = ("EUR", "USD", "CHF", "GBP", "SEK", "DKK", "NOK", "PLN", "CZK", "JPY", "CAD", "AUD")


def price(example: str = "12,400", step: float = 100, digits: int = 2) -> Quantity:
    """A price, exact."""

    def read(text: str, decimal_comma: bool) -> Value:
        return Decimal(str(parse_number(text, decimal_comma))).quantize(Decimal("0.0001")).normalize() + 0

    def write(amount: Value) -> str:
        number = names.number()
        if amount == amount.to_integral_value():
            return number.count(amount)
        text = number.decimal(float(amount), digits)
        return text if digits == 2 else text.rstrip("0")

    return Quantity(
        read=read,
        write=write,
        example=names.number().with_signs(example),
        step=step,
        high=10**12,
        optional=True,
        hint=_("Write an amount such as {example}. Keeping {kept}."),
    )

"""A trace that knows what is missing: sums over an unknown amount are unknown, with the same reason.

The ledger also changes money: every amount that enters it in another currency goes through the euro, at the rate of the
scenario or of the catalogue, which has its own date.
"""

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

from core.catalogue.fact_kinds import FactSection
from core.catalogue.facts import Facts
from core.physics import economics as e
from core.scenario import Economics
from core.sizing.costs.report import Amount, Missing
from core.trace import CHOICE, Origin, OriginKind, Trace
from core.units import Unit

EURO = "EUR"
#: Facts with the rate of a currency, in units for one euro.
_RATES = {"USD": "finance.fx.eur-usd"}


class Ledger:
    """Records amounts in one currency into a trace, and remembers why others are unknown."""

    def __init__(self, trace: Trace, economics: Economics, facts: Facts) -> None:
        self.trace, self.economics, self.facts = trace, economics, facts
        self.currency = economics.currency
        self._missing: dict[str, tuple[Missing, str]] = {}

    def given(self, key: str, value: Any, unit: Unit, origin: Origin = CHOICE) -> str:
        """Record a number from outside; return its key."""
        self.trace.given(key, value, unit, origin)
        return key

    def lack(self, key: str, missing: Missing, subject: str = "") -> str:
        """Remember that there is no such figure; return its key."""
        self._missing[key] = missing, subject
        return key

    def compute(self, key: str, function: Callable[..., Any], **inputs: str | Sequence[str]) -> str:
        """Apply a formula where all its inputs are known; return its key."""
        for at in inputs.values():
            for one in (at,) if isinstance(at, str) else at:
                if one in self._missing:
                    self._missing[key] = self._missing[one]
                    return key
        self.trace.compute(key, function, **inputs)
        return key

    def knows(self, key: str) -> bool:
        return key not in self._missing

    def amount(self, key: str) -> Amount:
        """A recorded figure, or the reason why it is not there."""
        if key in self._missing:
            missing, subject = self._missing[key]
            return Amount(key, None, missing, subject)
        return Amount(key, self.trace[key])

    # ---- figures of the catalogue, or the user's

    def choice_or_fact(
        self,
        key: str,
        unit: Unit,
        chosen: Any,
        section: FactSection,
        id: str,
        usual: Any = None,
        as_float: bool = False,
    ) -> str:
        """Record what the user chose, else the usual figure in a fact's range, else the fact's middle."""
        if chosen is not None:
            return self.given(key, chosen, unit)
        fact = self.facts.find(section, id)
        if fact is None or fact.middle is None:
            return self.lack(key, Missing.CATALOGUE, id)
        value = fact.middle if usual is None else usual
        return self.given(key, float(value) if as_float else value, unit, fact.origin)

    # ---- currencies

    def converted(self, key: str, source: str, currency: str) -> str:
        """The key of an amount in the ledger's currency: `source` itself, or a new figure under `key`."""
        if currency == self.currency:
            return source
        first, second = self._rate(currency), self._rate(self.currency)
        return self.compute(key, e.converted, amount=source, from_per_euro=first, to_per_euro=second)

    def _rate(self, currency: str) -> str:
        """Record what one euro costs in a currency."""
        key = f"exchange.{currency}"
        if key in self.trace or not self.knows(key):
            return key
        if currency == EURO:
            return self.given(key, Decimal(1), Unit.RATIO, Origin(OriginKind.METHOD))
        for rate in self.economics.exchange:
            if rate.currency == currency:
                origin = Origin(OriginKind.CHOICE, date=rate.dated)
                return self.given(key, rate.per_euro, Unit.RATIO, origin)
        fact = self.facts.find(FactSection.FINANCE, _RATES.get(currency, ""))
        if fact is None:
            return self.lack(key, Missing.EXCHANGE_RATE, currency)
        return self.given(key, fact.middle, Unit.RATIO, fact.origin)

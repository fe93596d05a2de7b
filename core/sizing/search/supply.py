"""What a layout costs to buy and to keep, draws and sounds like: figures of the catalogue, or unknown, never a guess.

The same lines, terms and watts as those of `core.sizing.costs.cost`, recorded once for each number of a device, since
they do not depend on the plan, the engine or the formats.
"""

import math
from dataclasses import dataclass
from decimal import Decimal
from weakref import WeakKeyDictionary

from core.catalogue.catalogue import Catalogue
from core.catalogue.records import Device, DeviceKind
from core.physics import economics as e
from core.scenario import Economics, Scenario
from core.sizing.costs.bill import BRIDGES, Bill
from core.sizing.costs.bought import Bought
from core.sizing.costs.capital import RUNNING, record_capital, record_standing, record_tariff, record_terms
from core.sizing.costs.ledger import Ledger
from core.sizing.costs.power import record_power
from core.sizing.costs.report import Missing
from core.sizing.search.candidates import economics_on, with_layout
from core.sizing.search.layouts import Layout
from core.trace import Trace
from core.units import Unit

#: Servers run at 60 to 80 dB(A): what needs a server's airflow is at least this loud, whatever its record leaves out.
SERVER_NOISE_DBA = 60.0
#: Economics whose figures are kept for the next search.
KEPT = 4


@dataclass(frozen=True, slots=True)
class Supply:
    """Facts of so many units of a device; None where the catalogue does not know.

    price       to buy, with host, network and installation, without tax, in the currency of the scenario
    price_low, price_high   the range of the quotes
    least_price   what of it is known
    power_w     at most: what circuits and cooling are laid out for
    idle_w, busy_w, reading_w   at the wall: waiting, while mostly writing answers, while mostly reading prompts
    noise_dba   under load, all units together
    noise_is_least   the figure is what such machines have at least
    pue         energy of the room for each unit of its machines
    standing    cost of a year without electricity
    tariff      price of a kilowatt-hour; None where nobody has said where the client is
    missing     why the price is unknown
    """

    price: Decimal | None
    price_low: Decimal | None
    price_high: Decimal | None
    least_price: Decimal
    currency: str
    power_w: float | None
    idle_w: float | None
    busy_w: float | None
    reading_w: float | None
    noise_dba: float | None
    noise_is_least: bool
    pue: float
    standing: Decimal | None
    tariff: Decimal | None
    missing: Missing | None = None

    @property
    def least_busy_w(self) -> float | None:
        """At work at the least, whatever the work is."""
        return None if self.busy_w is None or self.reading_w is None else min(self.busy_w, self.reading_w)


_KNOWN: "WeakKeyDictionary[Catalogue, dict[Economics, dict[tuple[object, ...], Supply]]]" = WeakKeyDictionary()


def supply_of(need: Scenario, layout: Layout, apart: bool, catalogue: Catalogue) -> Supply:
    """Price, running cost, power and noise of a layout, kept for the next search.

    Parameters
    ----------
    need : whose economics count
    layout : the hardware
    apart : do the retrieval models stand on one more unit?
    catalogue : what exists

    Returns
    -------
    the facts; sources that sound alike add 3 dB each time their number doubles
    """
    economics = economics_on(need, layout)
    known = _KNOWN.setdefault(catalogue, {})
    if economics not in known and len(known) >= KEPT:
        del known[next(iter(known))]
    of_these = known.setdefault(economics, {})
    bridge = layout.link if layout.link in BRIDGES else ""
    key = (layout.device.id, layout.count, layout.nodes, apart, bridge)
    if key not in of_these:
        of_these[key] = _supply(with_layout(need, layout, apart), layout, bridge, catalogue)
    return of_these[key]


def _supply(scenario: Scenario, layout: Layout, bridge: str, catalogue: Catalogue) -> Supply:
    device, link = layout.device, catalogue.link(bridge) if bridge else None
    watts = {}
    for reads in (True, False):
        ledger = Ledger(Trace(), scenario.economics, catalogue.facts)
        bought = Bought(scenario, device, link, layout.plan.ranks, reads)
        ledger.given("deployment.accelerators", bought.accelerators, Unit.COUNT)
        record_power(ledger, bought)
        watts[reads] = ledger.amount("power.busy_w").value
    lines = Bill(ledger, bought, catalogue, scenario.economics.priced_on).priced()
    record_terms(ledger)
    record_capital(ledger, lines)
    standing = [RUNNING[kind] for kind in sorted(record_standing(ledger, lines))]
    ledger.compute("cost.standing", e.total, items=standing)
    record_tariff(ledger)
    price = ledger.amount("cost.capital")
    noise, least = noise_of(device)
    return Supply(
        price=price.value,
        price_low=ledger.amount("cost.capital.low").value,
        price_high=ledger.amount("cost.capital.high").value,
        least_price=sum((line.amount.value for line in lines if line.amount.known and not line.yearly), Decimal(0)),
        currency=ledger.currency,
        power_w=ledger.amount("power.most_w").value,
        idle_w=ledger.amount("power.idle_w").value,
        busy_w=watts[False],
        reading_w=watts[True],
        noise_dba=None if noise is None else noise + 10 * math.log10(bought.units),
        noise_is_least=least,
        pue=ledger.amount("power.pue").value or 1.0,
        standing=ledger.amount("cost.standing").value,
        tariff=ledger.amount("cost.tariff").value,
        missing=price.missing,
    )


def noise_of(device: Device) -> tuple[float | None, bool]:
    """Noise of one unit under load, and whether that is only the least it can be [dB(A)]."""
    if device.noise_dba is not None:
        return device.noise_dba, False
    if device.kind in (DeviceKind.NODE, DeviceKind.RACK, DeviceKind.MODULE) or "passive" in device.form_factor:
        return SERVER_NOISE_DBA, True
    return None, False

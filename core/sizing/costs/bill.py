"""The bill of materials: lines that the user entered, or those that a deployment usually needs, with their prices.

A rule proposes: the devices, for cards what they stand in, a UPS, and with several machines what joins them. Cards that
cool themselves stand in a workstation, line by line from its parts; others, and more than it takes, in a server that is
sold complete. A module is never sold without a board, so its host is the usual share of such a system. Machines, nodes
and racks are whole.
"""

from collections.abc import Iterator
from decimal import Decimal

from core.catalogue.catalogue import Catalogue
from core.catalogue.fact_kinds import TABLE_OF, FactSection
from core.catalogue.fact_records import Fact
from core.catalogue.records import Device, DeviceKind, Source
from core.physics import economics as e
from core.physics import purchase
from core.scenario import CostLine, LineKind
from core.sizing.costs.bought import SERVICES, Bought
from core.sizing.costs.ledger import Ledger
from core.sizing.costs.report import Missing, PricedLine, Quote, age_in_months, aged, quote_of
from core.sizing.costs.workstation import (
    LEAST_GB,
    MODULE_GB,
    PARTS,
    SUPPLY_LOAD,
    SUPPLY_STEP_W,
    Part,
    goes_into_a_workstation,
)
from core.sizing.origins import catalogue_origin
from core.trace import CHOICE, Origin, OriginKind
from core.units import Unit

#: Cards in one server, and the fact with its price.
_HOSTS = ((2, "bom.host.2gpu-2u-complete"), (4, "bom.host.4gpu-4u-complete"), (8, "bom.host.8gpu-pcie-4u-complete"))
#: Power that a UPS carries [W], and the fact with its price.
_UPS = ((2400, "bom.ups.3kva"), (4800, "bom.ups.6kva"), (8000, "bom.ups.10kva"))
_HOST_SHARE = "bom.host.hgx-8gpu-share"
#: Bridges that are bought apart: the fact with the price, and how many each pair of cards takes.
BRIDGES = {
    "nvlink4-bridge-h200-nvl": ("bom.nvlink-bridge.h200-nvl-2way", 1),
    "nvlink4-bridge-h100-pcie": ("bom.nvlink-bridge.h100-pcie", 3),
}
#: What joins machines that do not bring their own network: for each machine, and once.
_NETWORK = (("bom.nic.100g-e810-dual", True), ("bom.cable.dac-100g", True), ("bom.switch.100g-4port", False))
_SMALL_CLUSTER = 4
_LARGE_SWITCH = "bom.switch.200g-ib-40port"
#: What all parts of workstations cost together.
WORKSTATIONS = "cost.workstations"
#: The numbers of the rule for workstations.
RULE = Origin(OriginKind.METHOD, title="How the product sizes a workstation")
#: A figure, and both ends of its range.
ENDS = ("", ".low", ".high")


class Bill:
    """Prices the lines of a deployment into a ledger."""

    def __init__(self, ledger: Ledger, bought: Bought, catalogue: Catalogue, today: str) -> None:
        self.ledger, self.bought, self.catalogue, self.today = ledger, bought, catalogue, today
        self.device = bought.device
        self.lines: list[PricedLine] = []

    def priced(self) -> tuple[PricedLine, ...]:
        """All lines with their amounts; what was entered stands in place of what is proposed."""
        entered = self.ledger.economics.lines
        if entered is None:
            self._propose()
        for line in (*(entered or ()), *self.ledger.economics.further_lines):
            self._entered(line)
        return tuple(self.lines)

    # ---- what the user entered

    def _entered(self, line: CostLine) -> None:
        key = self._key()
        name = line.name or (self.device.name if line.kind is LineKind.CARDS else "")
        if line.price is not None:
            currency = line.currency or self.ledger.currency
            quote = Quote(line.price, line.price, currency, line.dated, age_in_months(line.dated, self.today))
            self._line(key, line.kind, name, line.quantity, quote, Origin(CHOICE.kind, date=line.dated), line.yearly)
        elif line.fact is not None:
            fact = self.ledger.facts.known(line.fact)
            if fact is None:  # the catalogue does not have it: the line is open, and all else can still be told
                name = name or line.fact[:200]
                self._line(key, line.kind, name, line.quantity, None, CHOICE, line.yearly, fact=line.fact)
            else:
                self._of_fact(key, line.kind, name, line.quantity, fact, line.yearly, by_rule=False)
        elif line.kind is LineKind.CARDS:
            self._line(key, line.kind, name, line.quantity, *self._device_price(), line.yearly)
        else:
            self._line(key, line.kind, name, line.quantity, None, CHOICE, line.yearly)

    # ---- what a rule proposes

    def _propose(self) -> None:
        bought, sites = self.bought, self.bought.sites
        quote, origin = self._device_price()
        units = Decimal(bought.units * sites)
        self._line(self._key(), LineKind.CARDS, self.device.name, units, quote, origin, by_rule=True)
        cards = self.lines[0]
        if self.device.kind is DeviceKind.CARD:
            first = len(self.lines)
            for machines, inside in bought.servers:
                if goes_into_a_workstation(self.device, inside):
                    self._workstation(inside, machines * sites)
                else:
                    self._host(inside, machines * sites)
            built = [line.amount_key() for line in self.lines[first:] if is_built_in(line)]
            if built:
                self.ledger.compute(WORKSTATIONS, e.total, items=built)
            self._ups(bought.machines * sites)
        elif self.device.kind is DeviceKind.MODULE:
            self._host_share(cards)
        deployment = bought.scenario.deployment
        for fact, kind, quantity in self._joins(deployment.count, deployment.nodes):
            if quantity:
                self._proposed(kind, quantity * sites, fact)

    def _host(self, cards: int, machines: int) -> None:
        fact = next((fact for most, fact in _HOSTS if cards <= most), "")
        self._proposed(LineKind.HOST, machines, fact)

    def _workstation(self, cards: int, machines: int) -> None:
        """What workstations are built from; memory and power supply follow from the cards in them."""
        for part in PARTS:
            if part.formula is not None:
                self._record_quantity(part, cards, machines)
            self._proposed(part.kind, machines * part.quantity, part.fact)

    def _record_quantity(self, part: Part, cards: int, machines: int) -> None:
        """How much of a part the cards ask for."""
        ledger, key = self.ledger, self._key()
        figures = {
            "cards": (cards, Unit.COUNT, CHOICE),
            "machines": (machines, Unit.COUNT, CHOICE),
            "each_bytes": (self.device.capacity_bytes, Unit.BYTE, catalogue_origin(self.device, "memory_tiers")),
            "module": (MODULE_GB, Unit.COUNT, RULE),
            "least_memory": (LEAST_GB, Unit.COUNT, RULE),
            "supply_load": (SUPPLY_LOAD, Unit.SHARE, RULE),
            "step_w": (SUPPLY_STEP_W, Unit.WATT, RULE),
        }
        inputs = {"each_w": "power.accelerator_most_w", "host_w": "power.host_w"}
        for name in part.inputs:
            if name not in inputs:
                inputs[name] = ledger.given(f"{key}.{name}", *figures[name])
        assert part.formula is not None
        ledger.compute(f"{key}.quantity", part.formula, **{name: inputs[name] for name in part.inputs})

    def _host_share(self, cards: PricedLine) -> None:
        """The board and server of modules, by their share of a whole system."""
        key, ledger = self._key(), self.ledger
        share = ledger.choice_or_fact(f"{key}.share", Unit.SHARE, None, FactSection.PARTS, _HOST_SHARE)
        ledger.given(f"{key}.quantity", Decimal(1), Unit.COUNT, CHOICE)
        for end in ENDS if cards.has_range else ("",):
            ledger.compute(f"{key}.amount{end}", purchase.share_of_system, rest=cards.amount_key(end), share=share)
        fact = ledger.facts.find(FactSection.PARTS, _HOST_SHARE)
        amount = ledger.amount(f"{key}.amount")
        own: Quote | None = None
        if amount.known and fact is not None:
            low = high = amount.value
            if cards.has_range:
                low, high = ledger.trace[f"{key}.amount.low"], ledger.trace[f"{key}.amount.high"]
            age = age_in_months(fact.date, self.today)
            trust = aged(fact.source.confidence, age, before_rise=False)
            own = Quote(low, high, ledger.currency, fact.date, age, confidence=trust, fact=fact.id)
        self.lines.append(PricedLine(LineKind.HOST, "", Decimal(1), own, key, amount, by_rule=True))

    def _ups(self, machines: int) -> None:
        """A UPS that carries the highest power of a machine, where that is known and not too much for one."""
        if not self.ledger.knows("power.most_w"):
            return
        each = self.ledger.trace["power.most_w"] / machines
        fact = next((fact for most, fact in _UPS if each <= most), "")
        if fact:
            self._proposed(LineKind.POWER, machines, fact)

    def _joins(self, cards: int, machines: int) -> Iterator[tuple[str, LineKind, int]]:
        link = self.bought.link
        if link is not None and link.id in BRIDGES:
            fact, each = BRIDGES[link.id]
            yield fact, LineKind.NETWORK, each * (cards // 2) * machines
        if machines > 1 and self.device.kind in (DeviceKind.CARD, DeviceKind.MODULE):
            for fact, for_each in _NETWORK:
                large = not for_each and machines > _SMALL_CLUSTER
                yield (_LARGE_SWITCH if large else fact), LineKind.NETWORK, machines if for_each else 1

    def _proposed(self, kind: LineKind, quantity: int, id: str) -> None:
        fact = self.ledger.facts.table(TABLE_OF[FactSection.PARTS]).get(id)
        key = self._key()
        if fact is None:
            self._line(key, kind, "", Decimal(quantity), None, CHOICE, by_rule=True, fact=id)
        else:
            self._of_fact(key, kind, "", Decimal(quantity), fact, yearly=False, by_rule=True)

    # ---- a line

    def _key(self) -> str:
        return f"cost.line.{len(self.lines)}"

    def _of_fact(
        self, key: str, kind: LineKind, name: str, quantity: Decimal, fact: Fact, yearly: bool, by_rule: bool
    ) -> None:
        self._line(key, kind, name, quantity, quote_of(fact, kind, self.today), fact.origin, yearly, by_rule, fact.id)

    def _line(
        self,
        key: str,
        kind: LineKind,
        name: str,
        quantity: Decimal,
        quote: Quote | None,
        origin: Origin,
        yearly: bool = False,
        by_rule: bool = False,
        fact: str = "",
    ) -> None:
        ledger = self.ledger
        if f"{key}.quantity" in ledger.trace:
            quantity = ledger.trace[f"{key}.quantity"]  # found by a formula
        else:
            ledger.given(f"{key}.quantity", quantity, Unit.COUNT, CHOICE)
        if quote is None:
            ledger.lack(f"{key}.amount", Missing.PRICE, name)
        for end in _ends(quote):
            assert quote is not None
            quoted = _record_quoted(ledger, key, end, quote, origin)
            own = ledger.converted(f"{key}.price{end}", quoted, quote.currency)
            ledger.compute(f"{key}.amount{end}", purchase.line_amount, quantity=f"{key}.quantity", price=own)
        amount = ledger.amount(f"{key}.amount")
        asked = fact or (quote.fact if quote is not None else "")
        self.lines.append(PricedLine(kind, name, quantity, quote, key, amount, yearly, by_rule, asked))

    def _device_price(self) -> tuple[Quote | None, Origin]:
        """The price of one device: the user's, the client's region's, the catalogue's."""
        economics, device = self.ledger.economics, self.device
        if economics.price is not None:
            return Quote(economics.price, economics.price, economics.currency), CHOICE
        fact = None
        if not self._is_yours(device):
            fact = self.ledger.facts.device_price(device.id, economics.region)
        if fact is not None:
            return quote_of(fact, LineKind.CARDS, self.today), fact.origin
        price = device.price
        if price is None:
            return None, CHOICE
        age = age_in_months(price.as_of, self.today)
        source = device.source_of("price") or Source(title=device.name)
        rise = bool(price.as_of) and price.as_of < "2026"
        trust = aged(source.confidence, age, rise)
        quote = Quote(price.low, price.high, price.currency, price.as_of, age, rise, trust)
        return quote, catalogue_origin(device, "price")

    def _is_yours(self, device: Device) -> bool:
        """Has the user changed the price in the device's record? Then it goes before every list."""
        if not self.catalogue.is_yours(device) or "price" not in self.catalogue.changed_fields(device):
            return False
        listed, price = self.ledger.facts.device_price(device.id), device.price
        return listed is None or price is None or (price.low, price.currency) != (listed.low, listed.currency)


def is_built_in(line: PricedLine) -> bool:
    """Is a line a part of a workstation, as the rule proposes it?"""
    return line.by_rule and any(part.fact == line.fact for part in PARTS)


def _ends(quote: Quote | None) -> tuple[str, ...]:
    """What is recorded of a quote: the middle of a range and its ends, a single price once, nothing without one."""
    if quote is None:
        return ()
    return ENDS if quote.low != quote.high else ("",)


def _record_quoted(ledger: Ledger, key: str, end: str, quote: Quote, origin: Origin) -> str:
    """Record an end of a quote, or the middle of both; a single price stands for all three."""
    whole = f"{key}.quoted"
    if quote.low == quote.high:
        return whole if whole in ledger.trace else ledger.given(whole, quote.low, Unit.MONEY, origin)
    low = ledger.given(f"{whole}.low", quote.low, Unit.MONEY, origin)
    high = ledger.given(f"{whole}.high", quote.high, Unit.MONEY, origin)
    if end:
        return f"{whole}{end}"
    return ledger.compute(whole, e.middle_price, low=low, high=high)


def is_hardware(line: PricedLine) -> bool:
    """Is a line bought once and a thing, on which maintenance and installation count?"""
    return not line.yearly and line.kind not in SERVICES

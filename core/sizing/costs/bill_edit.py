"""A bill of materials as lines that can be changed: what a rule proposes stays live until one of its lines is touched.

Lines that are added beside a proposal (services, licences) leave it as it is. A change of a proposed line takes all of
them over as entered ones: from then on they stand still, whatever the deployment becomes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from core.catalogue.catalogue import Catalogue
from core.scenario import CostLine, Economics, LineKind
from core.sizing.costs.bill import Bill
from core.sizing.costs.bought import bought_of, elsewhere
from core.sizing.costs.ledger import Ledger
from core.sizing.costs.power import record_power
from core.sizing.costs.report import Cost, PricedLine
from core.sizing.report import Sizing

#: What an edit changes in a scenario's economics; the keys are those of `Scenario.edited`.
Changes = dict[str, tuple[CostLine, ...] | None]
_CENT = Decimal("0.01")


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a bill.

    line       as it is entered, or as it would be if it were taken over
    priced     with its amount
    proposed   does it say what the rule says?
    """

    line: CostLine
    priced: PricedLine
    proposed: bool


@dataclass(frozen=True, slots=True)
class EditableBill:
    """The lines of a scenario.

    entries    in the order of the bill
    own        how many of them stand in `Economics.lines`, or are proposed in their place
    live       are those proposed, so that they follow the deployment?
    units      devices that the deployment buys
    """

    entries: tuple[Entry, ...]
    own: int
    live: bool
    units: int

    @property
    def cards(self) -> Decimal:
        """Devices that the lines buy."""
        return sum((one.line.quantity for one in self.entries if one.line.kind is LineKind.CARDS), Decimal(0))

    @property
    def fits_the_deployment(self) -> bool:
        """Do the lines buy as many devices as the deployment has?"""
        return self.cards == self.units

    def _parts(self) -> tuple[list[CostLine], list[CostLine]]:
        lines = [entry.line for entry in self.entries]
        return lines[: self.own], lines[self.own :]

    def replaced(self, at: int, line: CostLine) -> Changes:
        """With another line in the place of one."""
        own, further = self._parts()
        if at < self.own:
            own[at] = line
            return _changes(own, further)
        further[at - self.own] = line
        return {"economics__further_lines": tuple(further)}

    def without(self, at: int) -> Changes:
        """With one line less."""
        own, further = self._parts()
        if at < self.own:
            del own[at]
            return _changes(own, further)
        del further[at - self.own]
        return {"economics__further_lines": tuple(further)}

    def moved(self, at: int, by: int) -> Changes:
        """With a line in the place of its neighbour, which takes its own; nothing at an end."""
        to = at + by
        if not 0 <= to < len(self.entries):
            return {}
        lines = [entry.line for entry in self.entries]
        lines[at], lines[to] = lines[to], lines[at]
        if min(at, to) >= self.own:
            return {"economics__further_lines": tuple(lines[self.own :])}
        if max(at, to) < self.own:
            return _changes(lines[: self.own], lines[self.own :])
        return _changes(lines, [])

    def added(self, line: CostLine, after: int | None = None) -> Changes:
        """With one line more: behind another one, or at the end. Beside a proposal it leaves that as it is."""
        own, further = self._parts()
        if not self.live and (after is None or after < self.own) and not (after is None and further):
            own.insert(len(own) if after is None else after + 1, line)
            return _changes(own, further)
        place = len(further) if after is None else max(0, after - self.own + 1)
        further.insert(place, line)
        return {"economics__further_lines": tuple(further)}

    def place_of_added(self, after: int | None = None) -> int:
        """Where a line stands that is added so."""
        if after is None:
            return len(self.entries)
        return max(after + 1, self.own) if self.live else after + 1

    def proposed_again(self, said: Economics) -> Changes:
        """As the rule proposes it; services, software and what is paid every year stay beside it."""
        kept = elsewhere(said, same_device=True).further_lines
        return {"economics__lines": None, "economics__further_lines": kept}


def editable_bill(cost: Cost, catalogue: Catalogue) -> EditableBill:
    """The lines of a costed scenario, ready to be changed.

    Parameters
    ----------
    cost : of the scenario
    catalogue : with which it was sized

    Returns
    -------
    the bill; each line knows whether it says what the rule would
    """
    said = cost.sizing.scenario.economics
    bought = bought_of(cost.sizing, catalogue)
    live = said.lines is None
    proposal = [as_line(line) for line in (cost.lines if live else proposed(cost.sizing, catalogue)) if line.by_rule]
    own = proposal if live else list(said.lines or ())
    lines = [*own, *said.further_lines]
    entries = tuple(
        Entry(line, priced, at < len(own) and line in proposal)
        for at, (line, priced) in enumerate(zip(lines, cost.lines, strict=True))
    )
    return EditableBill(entries, len(own), live, bought.units * bought.sites)


def proposed(sizing: Sizing, catalogue: Catalogue) -> tuple[PricedLine, ...]:
    """The lines that the rule proposes for a deployment, whatever was entered."""
    said = sizing.scenario.economics.model_copy(update={"lines": None, "further_lines": ()})
    ledger, bought = Ledger(sizing.trace.copy(), said, catalogue.facts), bought_of(sizing, catalogue)
    record_power(ledger, bought)
    return Bill(ledger, bought, catalogue, said.priced_on).priced()


def as_line(priced: PricedLine) -> CostLine:
    """A proposed line as one that is entered; what has no price of its own keeps the amount that was found.

    Devices stay open, so that their price is still that of the record, the region or the user.
    """
    if priced.kind is LineKind.CARDS:
        return CostLine(kind=priced.kind, quantity=priced.quantity)
    if priced.fact:
        return CostLine(kind=priced.kind, quantity=priced.quantity, fact=priced.fact)
    quote = priced.quote
    if quote is None:
        return CostLine(kind=priced.kind, quantity=priced.quantity)
    middle = (quote.low * quote.high).sqrt().quantize(_CENT)
    return CostLine(kind=priced.kind, quantity=priced.quantity, price=middle, currency=quote.currency, dated=quote.date)


def _changes(own: Sequence[CostLine], further: Sequence[CostLine]) -> Changes:
    return {"economics__lines": tuple(own), "economics__further_lines": tuple(further)}

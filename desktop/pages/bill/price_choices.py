"""Where the price of a line may come from: typed in, the device's own, or a priced fact of the catalogue."""

from typing import Any

from core.catalogue.catalogue import Catalogue
from core.catalogue.fact_kinds import FactSection, FactTable
from core.catalogue.fact_records import Fact
from core.language.messages import gettext as _
from core.language.part_names import part_name
from core.scenario import CostLine, LineKind
from desktop.pages.catalogue.prices import fact_name, fact_short
from desktop.widgets.choices import Choice

TYPED, DEVICE = "typed", "device"  # keys of prices that no fact quotes
#: What can be bought: the parts first, since a bill has most of them.
_SECTIONS = (FactSection.PARTS, FactSection.SOFTWARE, FactSection.DEVICE_PRICE, FactSection.INTEGRATOR)
#: In the units of what is paid by the hour, or is no amount at all.
_NO_THINGS = ("hour", "multiple", "fraction")
_KINDS = {
    "bom.host.": LineKind.HOST,
    "bom.system.": LineKind.HOST,
    "bom.chassis.": LineKind.HOST,
    "bom.board.": LineKind.HOST,
    "bom.cpu.": LineKind.HOST,
    "bom.ram.": LineKind.MEMORY,
    "bom.nvme.": LineKind.STORAGE,
    "bom.storage.": LineKind.STORAGE,
    "bom.nic.": LineKind.NETWORK,
    "bom.cable.": LineKind.NETWORK,
    "bom.optic.": LineKind.NETWORK,
    "bom.switch.": LineKind.NETWORK,
    "bom.nvlink-bridge.": LineKind.NETWORK,
    "bom.rack.": LineKind.RACK,
    "bom.pdu.": LineKind.POWER,
    "bom.psu.": LineKind.POWER,
    "bom.ups.": LineKind.POWER,
    "bom.cooling.": LineKind.COOLING,
    "software.": LineKind.SOFTWARE,
    "price.": LineKind.CARDS,
    "integrator.": LineKind.HOST,
}


def priced_facts(catalogue: Catalogue) -> list[Fact]:
    """Every fact that can be the price of a line: an amount of money for a thing."""
    return [
        fact
        for section in _SECTIONS
        for fact in catalogue.facts.section(section)
        if fact.known and fact.currency and not any(word in fact.unit for word in _NO_THINGS)
    ]


def fact_choices(catalogue: Catalogue) -> list[Choice]:
    """The facts under the names of their sections, with their figures; found by name, id and note."""
    headings = _headings()
    return [
        Choice(
            fact.id,
            fact_title(fact, catalogue),
            fact_figure(fact),
            headings[fact.section],
            words=f"{fact.id} {fact.note}",
        )
        for fact in priced_facts(catalogue)
    ]


def source_choices(line: CostLine, catalogue: Catalogue) -> list[Choice]:
    """Where the price of this line may come from."""
    own = [Choice(TYPED, _("Typed in"))]
    if line.kind is LineKind.CARDS:
        own.insert(0, Choice(DEVICE, _("The device’s price")))
    return [*own, *fact_choices(catalogue)]


def source_of(line: CostLine, catalogue: Catalogue) -> tuple[str, str]:
    """The key and the name of where a line's price comes from."""
    if line.price is None and line.fact is not None:
        fact = _fact(line.fact, catalogue)
        return line.fact, fact_title(fact, catalogue) if fact is not None else line.fact
    if line.price is None and line.kind is LineKind.CARDS:
        return DEVICE, _("The device’s price")
    return TYPED, _("Typed in")


def source_title(line: CostLine, catalogue: Catalogue) -> str:
    """Who says the price, where a fact does."""
    fact = None if line.price is not None else _fact(line.fact, catalogue)
    return fact.source.title if fact is not None else ""


def _fact(id: str | None, catalogue: Catalogue) -> Fact | None:
    return None if id is None else catalogue.facts.table(FactTable.PRICES).get(id)


def fact_title(fact: Any, catalogue: Any) -> str:
    """A price by what it is the price of."""
    return part_name(fact.id) or fact_name(fact, catalogue)


def kind_of_fact(fact: Fact) -> LineKind:
    """What a line buys whose price is this fact."""
    return next((kind for start, kind in _KINDS.items() if fact.id.startswith(start)), LineKind.OTHER)


def is_yearly(fact: Fact) -> bool:
    """Is it paid every year?"""
    return fact.unit.endswith("per year")


def fact_figure(fact: Fact) -> str:
    """The figure with what it is counted by, where that is not the thing itself."""
    counted = _counted().get(fact.unit, "")
    return f"{fact_short(fact)} {counted}" if counted else fact_short(fact)


def _counted() -> dict[str, str]:
    return {
        "per GB": _("per GB"),
        "per TB": _("per TB"),
        "per kW": _("per kW"),
        "per GPU": _("per accelerator"),
        "per GPU per year": _("per accelerator and year"),
        "per GPU for 5 years": _("per accelerator for 5 years"),
        "per core per year": _("per core and year"),
        "per node": _("per machine"),
        "per project": _("per project"),
    }


def _headings() -> dict[FactSection, str]:
    return {
        FactSection.PARTS: _("Parts"),
        FactSection.SOFTWARE: _("Software"),
        FactSection.DEVICE_PRICE: _("Devices"),
        FactSection.INTEGRATOR: _("Servers of integrators"),
    }

"""Everything of the user's own over a catalogue: records of all tables, and prices.

The store and packs keep both by table and id; a table of facts ("prices", "api", ...) holds prices and figures of use.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from core.catalogue.catalogue import Catalogue
from core.catalogue.fact_kinds import TABLE_OF, FactSection, FactTable
from core.catalogue.overlay import Overlay
from core.catalogue.reading import record_from
from core.catalogue.records import Device, Price, Record
from core.errors import CatalogueError, Phrase

if TYPE_CHECKING:
    from core.catalogue.fact_records import Fact

Records = Mapping[str, Mapping[str, Any]]  # by table and id, as plain values or JSON text
FACT_TABLES = frozenset(table.value for table in FactTable)


def with_own(shipped: Catalogue, records: Records) -> Catalogue:
    """The shipped catalogue with the user's own records and prices over it.

    Raises
    ------
    CatalogueError : a record cannot be read; the message names it
    """
    entries = {table: kept for table, kept in records.items() if kept and table not in FACT_TABLES}
    facts = own_facts(records)
    if not entries and not facts:
        return shipped
    catalogue = shipped.with_overlay(Overlay.from_records(entries))
    if not facts:
        return catalogue
    listed = shipped.facts.with_facts((TABLE_OF[fact.section], fact) for fact in facts)
    return with_listed_prices(replace(catalogue, facts=listed), shipped, facts)


def with_listed_prices(catalogue: Catalogue, before: Catalogue, facts: "Iterable[Fact]") -> Catalogue:
    """The catalogue whose devices show the prices that changed in the list.

    Where the price was changed in a device's own record, that one stays.

    Parameters
    ----------
    catalogue : with the changed list of prices
    before : without any of the changes
    facts : what changed in the list
    """
    ids = {id for fact in facts if fact.section is FactSection.DEVICE_PRICE for id in fact.devices}
    changed: dict[str, Device] = {}
    for id in sorted(ids & catalogue.devices.keys()):
        device, newest, old = catalogue.devices[id], catalogue.facts.device_price(id), before.devices.get(id)
        if newest is None or newest.low is None or (old is not None and device.price != old.price):
            continue
        high = newest.high if newest.high is not None else newest.low
        price = Price(low=newest.low, high=high, currency=newest.currency, as_of=newest.date, note=newest.note)
        sources = {**device.sources, "price": newest.source}
        changed[id] = device.model_copy(update={"price": price, "sources": sources})
    return replace(catalogue, devices={**catalogue.devices, **changed}) if changed else catalogue


def own_entries(records: Records) -> Overlay:
    """The records among these that are no prices."""
    return Overlay.from_records({table: kept for table, kept in records.items() if table not in FACT_TABLES})


def own_facts(records: Records) -> "tuple[Fact, ...]":
    """The prices among these records.

    Raises
    ------
    CatalogueError : one cannot be read, or stands in the table of another kind
    """
    chosen = [(table, id, value) for table in sorted(FACT_TABLES) for id, value in records.get(table, {}).items()]
    if not chosen:
        return ()
    from core.catalogue.fact_records import Fact  # making the record's class takes longer than reading a table

    found = []
    for table, id, value in chosen:
        fact = record_from(Fact, table, id, value, Phrase("the price"))
        if fact.id != id or TABLE_OF[fact.section].value != table:
            raise CatalogueError("The entry {table}/{id} is not what its place says.", table=table, id=id[:80])
        found.append(fact)
    return tuple(found)


def records_in(catalogue: Catalogue, table: str) -> Mapping[str, Record]:
    """All records or prices of a table, by id."""
    if table in FACT_TABLES:
        return catalogue.facts.table(FactTable(table))
    records: Mapping[str, Record] = getattr(catalogue, table)
    return records

"""The tabs of the catalogue page, and what each table of records says of itself: its list, its form, its blank."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from core.catalogue.fact_kinds import FactTable
from core.catalogue.own import records_in
from core.catalogue.records import Device, Engine, KvFormat, Link, Model, ModelRole, WeightFormat
from core.errors import TonnageError
from core.language.format_names import format_name
from core.language.messages import gettext as _
from core.language.messages import ngettext
from desktop.inputs import names
from desktop.pages.catalogue import devices, engines, links, models, prices
from desktop.pages.catalogue.figures import Data, FigureGroup
from desktop.widgets.choices import Choice


def _fact_type() -> type[BaseModel]:
    from core.catalogue.fact_records import Fact  # making the record's class takes longer than reading a table

    return Fact


@dataclass(frozen=True)
class RecordTable:
    """One table of records."""

    key: str  # as the store and the catalogue call it
    heading: str  # of its rows, where a tab has several
    groups: Callable[[Data, Any], list[FigureGroup]]
    name: Callable[[Any, Any], str]
    short: Callable[[Any, Any], str]  # the key figure, for the list
    record_type: Callable[[], type[BaseModel]]
    found_by: Callable[[Any], Iterable[str]] = lambda _record: ()
    group: Callable[[Any], str] | None = None  # headings inside the table
    blank: Callable[[], Data] | None = None
    new: str = ""  # the words of the button that makes a new one
    finish: Callable[[Data], Data] = lambda data: data  # what follows from what was typed
    check: Callable[[Any], object] = lambda _record: None  # raises where a record can be read and not be used

    def read(self, data: Data) -> BaseModel:
        """The record of plain values.

        Raises
        ------
        ValidationError : a figure is missing or impossible
        TonnageError : the record cannot be used
        """
        record = self.record_type().model_validate(self.finish(data))
        self.check(record)
        return record


@dataclass(frozen=True)
class Tab:
    key: str
    name: str
    tables: tuple[RecordTable, ...]
    counted: Callable[[int], str]  # "Search 145 devices"
    imports: bool = False  # its records can come from files of a model


def tabs() -> tuple[Tab, ...]:
    """Devices, Links, Models, Engines, Prices."""
    return (
        Tab("devices", _("Devices"), (_devices(),), _count_devices),
        Tab("links", _("Links"), (_links(),), _count_links),
        Tab("models", _("Models"), (_models(),), _count_models, imports=True),
        Tab("engines", _("Engines"), (_engines(), _weights(), _caches()), _count_engines),
        Tab("prices", _("Prices"), tuple(_facts(table) for table in FactTable), _count_prices),
    )


def choice_key(table: str, id: str) -> str:
    return f"{table}:{id}"


def split_key(key: str) -> tuple[str, str]:
    table, _colon, id = key.partition(":")
    return table, id


def choices_of(tab: Tab, catalogue: Any, own: Callable[[str], Iterable[str]]) -> list[Choice]:
    """The rows of a tab's list, in groups; the user's own are marked."""
    rows: list[Choice] = []
    for table in tab.tables:
        mine = set(own(table.key))
        found = [
            Choice(
                choice_key(table.key, id),
                table.name(record, catalogue),
                table.short(record, catalogue),
                table.group(record) if table.group else table.heading if len(tab.tables) > 1 else "",
                words=" ".join([id, *table.found_by(record)]),
                mark=_("yours") if id in mine else "",
            )
            for id, record in records_in(catalogue, table.key).items()
        ]
        rows += sorted(found, key=lambda row: row.name.casefold())
    headings = _order(tab)
    return sorted(rows, key=lambda row: headings.index(row.group)) if headings else rows


def _order(tab: Tab) -> Sequence[str]:
    if tab.key == "prices":
        return list(prices.sections().values())
    if tab.key == "models":
        return list(_role_headings().values())
    return [table.heading for table in tab.tables] if len(tab.tables) > 1 else []


# -- one description a table ------------------------------------------------------------------------------------------


def _devices() -> RecordTable:
    return RecordTable(
        "devices",
        _("Devices"),
        devices.device_groups,
        lambda one, _all: one.name_alone,
        lambda one, _all: names.whole_bytes(one.memory_tiers[0].capacity_bytes),
        lambda: Device,
        lambda one: (one.vendor, one.architecture, *one.aliases),
        blank=devices.blank_device,
        new=_("New device"),
        finish=devices.dated_price,
    )


def _links() -> RecordTable:
    return RecordTable(
        "links",
        _("Links"),
        links.link_groups,
        lambda one, _all: str(one.name),
        lambda one, _all: names.number().rate(one.bytes_per_s_per_direction),
        lambda: Link,
        lambda one: one.aliases,
        blank=links.blank_link,
        new=_("New link"),
    )


def _role_headings() -> dict[ModelRole, str]:
    return {
        ModelRole.GENERATOR: _("Generating"),
        ModelRole.EMBEDDING: _("Companions: embedding"),
        ModelRole.RERANKER: _("Companions: reranker"),
    }


def _models() -> RecordTable:
    return RecordTable(
        "models",
        _("Models"),
        models.model_groups,
        lambda one, _all: str(one.name),
        _parameters,
        lambda: Model,
        lambda one: one.aliases,
        group=lambda one: _role_headings()[one.role],
        check=_readable,
    )


def _readable(model: Any) -> None:
    """Its architecture can be read from what it says now."""
    from core.architecture.config import read_config

    if model.blueprint is None and model.config:
        read_config(model.config, model.name)


def _parameters(one: Any, catalogue: Any) -> str:
    """From the record where it says so: reading 200 configs for a list would take too long."""
    known = one.published_parameters or one.counted_parameters
    if known:
        return names.number().parameters(known)
    try:
        return names.number().parameters(catalogue.blueprint(one.id).total_parameters)
    except TonnageError:
        return _("missing")


def _engines() -> RecordTable:
    return RecordTable(
        "engines",
        _("Engines"),
        engines.engine_groups,
        lambda one, _all: names.engine_name(one),
        lambda one, _all: _("{number} formats").format(number=names.number().count(len(one.weight_formats))),
        lambda: Engine,
        lambda one: one.aliases,
        blank=engines.blank_engine,
        new=_("New engine"),
    )


def _weights() -> RecordTable:
    return RecordTable(
        "weight_formats",
        _("Weight formats"),
        engines.weight_groups,
        lambda one, _all: format_name(one.name),
        lambda one, _all: names.bits(one.bits),
        lambda: WeightFormat,
        lambda one: one.aliases,
        blank=engines.blank_weight_format,
        new=_("New weight format"),
    )


def _caches() -> RecordTable:
    return RecordTable(
        "kv_formats",
        _("Cache formats"),
        engines.kv_groups,
        lambda one, _all: format_name(one.name),
        lambda one, _all: names.bits(one.bits),
        lambda: KvFormat,
        lambda one: one.aliases,
        blank=engines.blank_kv_format,
        new=_("New cache format"),
    )


def _facts(table: FactTable) -> RecordTable:
    first = table is FactTable.PRICES
    return RecordTable(
        table.value,
        "",
        prices.price_groups,
        prices.fact_name,
        lambda one, _all: prices.fact_short(one),
        _fact_type,
        lambda one: (one.note, one.provider, one.region, one.source.title),
        group=lambda one: prices.sections()[one.section],
        blank=prices.blank_price if first else None,
        new=_("New price") if first else "",
    )


# -- how many there are ------------------------------------------------------------------------------------------------


def _count_devices(count: int) -> str:
    return ngettext("Search {number} device", "Search {number} devices", count).format(number=count)


def _count_links(count: int) -> str:
    return ngettext("Search {number} link", "Search {number} links", count).format(number=count)


def _count_models(count: int) -> str:
    return ngettext("Search {number} model", "Search {number} models", count).format(number=count)


def _count_engines(count: int) -> str:
    text = ngettext("Search {number} engine or format", "Search {number} engines and formats", count)
    return text.format(number=count)


def _count_prices(count: int) -> str:
    return ngettext("Search {number} price", "Search {number} prices", count).format(number=count)

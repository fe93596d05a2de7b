"""Is the catalogue sound? Every reference resolves, every figure has a source and is possible, and nothing is missing.

`check` reads only; `tonnage catalogue check` and a test print what it finds. An error has to be mended; a note says
what the catalogue knows about itself, such as an architecture that cannot be read yet.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from core.architecture.blueprint import Blueprint, TensorClass
from core.catalogue.catalogue import Catalogue
from core.catalogue.fact_kinds import TABLE_OF, FactSection, FactTable
from core.catalogue.fact_records import Fact
from core.catalogue.records import Device, Entry, Link, Model
from core.catalogue.tables import Table, table_of
from core.errors import InvalidInput, UnsupportedArchitecture

#: What the catalogue promises to hold at least.
LEAST = {Table.DEVICES: 145, Table.LINKS: 30, Table.MODELS: 150}

#: The systems that the founding article names.
ARTICLE_SYSTEMS = (
    "rtx-pro-6000-server",
    "rtx-pro-6000-ws",
    "rtx-pro-6000-maxq",
    "dgx-spark",
    "dgx-spark-x2",
    "dgx-station-gb300",
    "dgx-station-gb300-article",
    "h100-sxm",
    "h100-pcie",
    "h200-sxm",
    "h200-nvl",
    "b200-sxm",
    "b300-sxm",
    "gb300-nvl72",
    "mac-studio-m3-ultra-512",
)
ARTICLE_LINKS = (
    "nvlink4-h100-h200-sxm",
    "nvlink4-bridge-h200-nvl",
    "nvlink4-bridge-h100-pcie",
    "nvlink5-b200-b300-sxm",
    "gb300-nvl72-nvlink5",
    "nvlink-c2c",
    "pcie-gen5-x16",
    "dgx-spark-cx7",
)

#: How many facts each table promises to hold at least; a catalogue without any, such as a test's own, promises none.
LEAST_FACTS = {
    FactTable.PRICES: 165,
    FactTable.CLOUD: 126,
    FactTable.API: 242,
    FactTable.RUNNING: 102,
    FactTable.USAGE: 101,
}

#: Sections whose figures are money, where their unit does not say that they are a share or a multiple.
_MONEY = (
    FactSection.DEVICE_PRICE,
    FactSection.INTEGRATOR,
    FactSection.CLOUD,
    FactSection.API,
    FactSection.ELECTRICITY,
    FactSection.COLOCATION,
)

COMPUTE_RATES = ("fp32", "tf32", "fp16", "fp16_fp16_accumulate", "fp8", "int8", "fp4")

_ADDRESS = re.compile(r"^https?://[^\s/]+\.[^\s/]+(/\S*)?$")


class Severity(StrEnum):
    ERROR = "error"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong, and where."""

    severity: Severity
    table: Table | FactTable | None
    record: str
    field: str
    text: str

    @property
    def is_error(self) -> bool:
        return self.severity is Severity.ERROR

    def __str__(self) -> str:
        place = "/".join(part for part in (self.table.value if self.table else "", self.record, self.field) if part)
        return f"{self.severity.value}: {place}: {self.text}"


def check(catalogue: Catalogue) -> list[Problem]:
    """All problems of a catalogue, errors first.

    Models are read one by one, so this takes a second or two for a whole catalogue.
    """
    checks: tuple[Callable[[Catalogue], Iterator[Problem]], ...] = (
        _sizes,
        _article,
        _names,
        _sources,
        _devices,
        _links,
        _formats_and_engines,
        _recipes,
        _models,
        _facts,
    )
    problems = [problem for one in checks for problem in one(catalogue)]
    return sorted(problems, key=lambda p: (p.severity is Severity.NOTE, p.table or "", p.record, p.field))


def _error(entry: Entry, field: str, text: str) -> Problem:
    return Problem(Severity.ERROR, table_of(entry), entry.id, field, text)


def _note(entry: Entry, field: str, text: str) -> Problem:
    return Problem(Severity.NOTE, table_of(entry), entry.id, field, text)


def _all(catalogue: Catalogue) -> Iterator[Entry]:
    for table in Table:
        yield from catalogue.table(table).values()


def _sizes(catalogue: Catalogue) -> Iterator[Problem]:
    for table, least in LEAST.items():
        count = len(catalogue.table(table))
        if count < least:
            yield Problem(Severity.ERROR, table, "", "", f"{count} records where at least {least} are promised")


def _article(catalogue: Catalogue) -> Iterator[Problem]:
    for table, ids in ((Table.DEVICES, ARTICLE_SYSTEMS), (Table.LINKS, ARTICLE_LINKS)):
        for id in ids:
            if id not in catalogue.table(table):
                yield Problem(Severity.ERROR, table, id, "", "the founding article names it, the catalogue lacks it")


def _names(catalogue: Catalogue) -> Iterator[Problem]:
    """A name must not lead to two records of one table."""
    for table in Table:
        owner: dict[str, str] = {}
        for entry in catalogue.table(table).values():
            for name in {n.casefold().strip() for n in (entry.id, entry.name, *entry.aliases)}:
                if owner.setdefault(name, entry.id) != entry.id:
                    yield _error(entry, "aliases", f"“{name}” is also a name of {owner[name]}")


#: Figures that need a source where they are given; the rest of a record is names and references.
_FIGURES: dict[Table, tuple[str, ...]] = {
    Table.DEVICES: (
        "memory_tiers",
        "peak_flops",
        "execution_units",
        "clock_hz",
        "tdp_w",
        "system_power_w",
        "links",
        "price",
        "noise_dba",
        "release_year",
        "compute_capability",
    ),
    Table.LINKS: ("bytes_per_s_per_direction", "all_reduce", "latency_s", "measured_bus_bytes_per_s"),
    Table.WEIGHT_FORMATS: ("bits", "kept"),
    Table.KV_FORMATS: ("bytes_per_element",),
    Table.ENGINES: ("weight_formats", "memory_share", "runtime_bytes", "prefill_chunk", "block_tokens"),
    Table.MODELS: ("config", "published_parameters", "counted_parameters", "active_parameters"),
}


def _sources(catalogue: Catalogue) -> Iterator[Problem]:
    for entry in _all(catalogue):
        for field in _FIGURES[table_of(entry)]:
            if getattr(entry, field) and entry.source_of(field) is None:
                yield _error(entry, field, "no source is given")
        for field, source in entry.sources.items():
            if not source.title.strip() or not source.date:
                yield _error(entry, f"sources.{field}", "a source needs a title and a date")
            for address in (source.address, *(check.address for check in source.checks)):
                if address and not _ADDRESS.match(address):
                    yield _error(entry, f"sources.{field}", f"“{address}” is not an address that opens")


def _devices(catalogue: Catalogue) -> Iterator[Problem]:
    for device in catalogue.devices.values():
        for field in ("links", "network_links"):
            for id in getattr(device, field):
                if id not in catalogue.links:
                    yield _error(device, field, f"there is no link “{id}”")
        if device.accelerator_id and device.accelerator_id not in catalogue.devices:
            yield _error(device, "accelerator_id", f"there is no device “{device.accelerator_id}”")
        for rate in device.peak_flops:
            if rate not in COMPUTE_RATES:
                yield _error(device, "peak_flops", f"“{rate}” is not a rate that Tonnage knows")
        yield from _memory(device)
        yield from _rates(device)


def _memory(device: Device) -> Iterator[Problem]:
    speeds = [tier.bandwidth_bytes_per_s for tier in device.memory_tiers]
    if speeds != sorted(speeds, reverse=True):
        yield _error(device, "memory_tiers", "the fast tier must stand first")
    for number, tier in enumerate(device.memory_tiers):
        field = f"memory_tiers.{number}"
        if not 1e9 <= tier.capacity_bytes <= 4e12:
            yield _error(device, field, f"{tier.capacity_bytes / 1e9:g} GB is not a plausible size")
        if not 5e10 <= tier.bandwidth_bytes_per_s <= 3e13:
            yield _error(device, field, f"{tier.bandwidth_bytes_per_s / 1e9:g} GB/s is not a plausible rate")
        if tier.usable_bytes is not None and not 0.6 <= tier.usable_bytes / tier.capacity_bytes <= 1.1:
            yield _error(device, field, f"{tier.usable_bytes / 1e9:g} GB usable of {tier.capacity_bytes / 1e9:g}")


def _rates(device: Device) -> Iterator[Problem]:
    """Dense rates double with each halving of the element (FP4 up to threefold); more is a sparse headline.

    GeForce cards halve FP16 and FP8 when they accumulate in FP32, but not FP4.
    """
    peak = device.peak_flops
    halved = "fp16_fp16_accumulate" in peak
    for upper, lower, most in (("fp8", "fp16", 2.1), ("fp4", "fp8", 4.1 if halved else 3.1)):
        if upper in peak and lower in peak and peak[upper] > most * peak[lower]:
            yield _error(device, "peak_flops", f"{upper} is {peak[upper] / peak[lower]:.1f} times {lower}: sparse?")
    if any(not 1e11 <= value <= 5e16 for value in peak.values()):
        yield _error(device, "peak_flops", "a rate is out of the plausible range")
    if device.clock_hz is not None and not 5e8 <= device.clock_hz <= 6e9:
        yield _error(device, "clock_hz", f"{device.clock_hz / 1e9:g} GHz is not a plausible clock")
    if device.clock_hz and device.execution_units:
        per_clock = device.memory_tiers[0].bandwidth_bytes_per_s / device.clock_hz / device.execution_units
        if not 1 <= per_clock <= 64:
            yield _error(device, "execution_units", f"{per_clock:.1f} bytes per clock and unit are not plausible")


def _links(catalogue: Catalogue) -> Iterator[Problem]:
    for link in catalogue.links.values():
        yield from _link(catalogue, link)


def _link(catalogue: Catalogue, link: Link) -> Iterator[Problem]:
    ratio = link.bytes_per_s_bidirectional / link.bytes_per_s_per_direction
    if not 1.9 <= ratio <= 2.2:
        yield _error(link, "bytes_per_s_bidirectional", f"both directions are {ratio:.2f} times one")
    if link.peer_bytes_per_s_per_direction and link.peer_bytes_per_s_per_direction > link.bytes_per_s_per_direction:
        yield _error(link, "peer_bytes_per_s_per_direction", "a pair cannot be faster than the whole")
    for cost in link.all_reduce:
        if cost.bus_bytes_per_s > link.bytes_per_s_per_direction:
            yield _error(link, "all_reduce", f"{cost.ranks} ranks: the bus rate exceeds the link")
        if not 1e-6 <= cost.alpha_s <= 1e-3:
            yield _error(link, "all_reduce", f"{cost.ranks} ranks: {cost.alpha_s * 1e6:g} us is not plausible")
    for table in link.tables:
        if table.device not in catalogue.devices:
            yield _error(link, "tables", f"there is no device “{table.device}”")


def _formats_and_engines(catalogue: Catalogue) -> Iterator[Problem]:
    for one in catalogue.weight_formats.values():
        if one.compute not in COMPUTE_RATES:
            yield _error(one, "compute", f"“{one.compute}” is not a rate that Tonnage knows")
        if one.variant_of and one.variant_of not in catalogue.weight_formats:
            yield _error(one, "variant_of", f"there is no weight format “{one.variant_of}”")
        if not 1 <= one.bits <= 32 or any(not 1 <= bits <= 32 for bits in one.kept.values()):
            yield _error(one, "bits", "between 1 and 32 bits are possible")
    for engine in catalogue.engines.values():
        for field, table in (("weight_formats", catalogue.weight_formats), ("kv_formats", catalogue.kv_formats)):
            for id in getattr(engine, field):
                if id not in table:
                    yield _error(engine, field, f"there is no format “{id}”")


def _recipes(catalogue: Catalogue) -> Iterator[Problem]:
    for recipe in catalogue.recipes:
        if recipe.weights not in catalogue.weight_formats:
            text = f"there is no weight format “{recipe.weights}”"
            yield Problem(Severity.ERROR, Table.WEIGHT_FORMATS, recipe.id, "recipes", text)
        if not recipe.source.date:
            yield Problem(Severity.ERROR, Table.WEIGHT_FORMATS, recipe.id, "source", "the source bears no date")


def _models(catalogue: Catalogue) -> Iterator[Problem]:
    for model in catalogue.models.values():
        for number, checkpoint in enumerate(model.checkpoints):
            if checkpoint.weights not in catalogue.weight_formats:
                yield _error(model, f"checkpoints.{number}", f"there is no weight format “{checkpoint.weights}”")
        if not model.checkpoints:
            yield _error(model, "checkpoints", "no weights are published for it")
        yield from _blueprint(catalogue, model)


def _blueprint(catalogue: Catalogue, model: Model) -> Iterator[Problem]:
    try:
        blueprint = catalogue.blueprint(model)
    except UnsupportedArchitecture as error:
        yield _note(model, "config", f"not yet readable: {error.message}")
        return
    except InvalidInput as error:
        yield _of_config(model, "config", f"not readable: {error.message}")
        return
    yield from _parameters(model, blueprint)


def _of_config(model: Model, field: str, text: str) -> Problem:
    """An error where the whole published config is at hand; a note, with the reason, where only a part of it is."""
    if model.config_kind in ("published", "derived"):
        return _error(model, field, text)
    return _note(model, field, f"{text} (config: {model.config_kind})")


def _parameters(model: Model, blueprint: Blueprint) -> Iterator[Problem]:
    """The blueprint must have the published number of parameters, or the number that another implementation counts."""
    known = [n for n in (model.published_parameters, model.counted_parameters) if n]
    if not known:
        yield _note(model, "published_parameters", "no number is known to compare with")
        return
    total = blueprint.total_parameters
    counted = (total, total + blueprint.parameters.get(TensorClass.MTP, 0))
    off = min(abs(mine / theirs - 1) for mine in counted for theirs in known)
    if off > 0.005:
        numbers = " or ".join(f"{n:,}" for n in known)
        text = f"the config gives {total:,}, published are {numbers} ({off:.1%} off)"
        yield _of_config(model, "published_parameters", text)


def _facts(catalogue: Catalogue) -> Iterator[Problem]:
    """Prices and usage: enough of them, with source and currency, about devices and models that exist."""
    for table, least in LEAST_FACTS.items():
        count = len(catalogue.facts.table(table))
        if catalogue.facts.folder is not None and count < least:
            yield Problem(Severity.ERROR, table, "", "", f"{count} records where at least {least} are promised")
    for fact in catalogue.facts:
        yield from _fact(catalogue, fact)
    for device in catalogue.devices.values():
        yield from _price_agrees(catalogue, device)


def _fact(catalogue: Catalogue, fact: Fact) -> Iterator[Problem]:
    for id in fact.devices:
        if id not in catalogue.devices:
            yield _of_fact(fact, "devices", f"there is no device “{id}”")
    for id in fact.models:
        if id not in catalogue.models:
            yield _of_fact(fact, "models", f"there is no model “{id}”")
    if fact.known and not fact.currency and fact.section in _MONEY and not fact.unit.startswith("fraction"):
        yield _of_fact(fact, "currency", "an amount of money needs its currency")
    if fact.known and not fact.source.date:
        yield _of_fact(fact, "source.date", "no date is known: its age cannot be shown", Severity.NOTE)
    if not fact.known and not fact.note:
        yield _of_fact(fact, "note", "a figure that was not found needs a note that says so")
    for address in (fact.source.address, *(check.address for check in fact.source.checks)):
        if address and not _ADDRESS.match(address):
            yield _of_fact(fact, "source", f"“{address}” is not an address that opens")


def _of_fact(fact: Fact, field: str, text: str, severity: Severity = Severity.ERROR) -> Problem:
    return Problem(severity, TABLE_OF[fact.section], fact.id, field, text)


def _price_agrees(catalogue: Catalogue, device: Device) -> Iterator[Problem]:
    """A device shows the newest price that holds anywhere, the one that its price list has."""
    newest = catalogue.facts.device_price(device.id)
    price = device.price
    if newest is None or newest.high is None:
        return
    if price is None or (price.low, price.high, price.currency) != (newest.low, newest.high, newest.currency):
        yield _error(device, "price", f"differs from {newest.id} in the list of prices")

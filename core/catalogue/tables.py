"""The tables of the catalogue, and the kind of record that stands in each."""

from collections.abc import Mapping
from enum import StrEnum

from core.catalogue.records import Device, Engine, Entry, KvFormat, Link, Model, WeightFormat


class Table(StrEnum):
    """A table of the catalogue; the value is the attribute and the file name."""

    DEVICES = "devices"
    LINKS = "links"
    WEIGHT_FORMATS = "weight_formats"
    KV_FORMATS = "kv_formats"
    ENGINES = "engines"
    MODELS = "models"


KINDS: Mapping[Table, type[Entry]] = {
    Table.DEVICES: Device,
    Table.LINKS: Link,
    Table.WEIGHT_FORMATS: WeightFormat,
    Table.KV_FORMATS: KvFormat,
    Table.ENGINES: Engine,
    Table.MODELS: Model,
}
_TABLES = {kind: table for table, kind in KINDS.items()}


def table_of(entry: Entry) -> Table:
    """The table that a record belongs to."""
    return _TABLES[type(entry)]

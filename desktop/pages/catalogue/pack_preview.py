"""A catalogue pack before it is installed: what it is, and every figure that it would change."""

from collections.abc import Iterator
from decimal import Decimal
from enum import Enum
from typing import Any

from pydantic import BaseModel
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QAbstractItemView, QHBoxLayout, QVBoxLayout, QWidget

from core.catalogue.fact_kinds import FactTable
from core.catalogue.own import records_in
from core.language.messages import gettext as _
from core.language.messages import ngettext
from core.language.numbers import current
from desktop.pack_shelf import Offer
from desktop.pages.catalogue import devices, engines, links, models, prices
from desktop.pages.catalogue.figures import Figure, Kind, plain
from desktop.results.table_view import NumberTable
from desktop.tables import Cell, Column, TableData
from desktop.theme import Theme
from desktop.widgets.labels import button, label, line
from desktop.widgets.quantity import Quantity

LONGEST = 60  # characters of a value


class PackPreview(QWidget):
    """Nothing is installed before "Install" is pressed; then all of it is."""

    install_wanted = Signal(object)  # Offer
    closed = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._offer: Offer | None = None
        self.title = label("", "verdict", wrap=True)
        self.title.setStyleSheet("font-size: 18px; font-weight: 600;")
        self.cancel = button(_("Cancel"), "", self.closed.emit)
        self.install = button(_("Install"), "primary", self._install)
        self.summary = label("", wrap=True)
        self.check = label("", "caption", wrap=True)
        self.table = NumberTable(theme)
        self.table.setAccessibleName(_("What the pack changes"))
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        head = QHBoxLayout()
        head.setContentsMargins(24, 10, 20, 8)
        head.setSpacing(8)
        head.addWidget(self.title, 1)
        head.addWidget(self.cancel)
        head.addWidget(self.install)
        words = QVBoxLayout()
        words.setContentsMargins(24, 0, 20, 10)
        words.setSpacing(3)
        words.addWidget(self.summary)
        words.addWidget(self.check)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addLayout(words)
        column.addWidget(line())
        table = QVBoxLayout()
        table.setContentsMargins(16, 4, 12, 12)  # the text of a cell stands 8 further in
        table.addWidget(self.table)
        column.addLayout(table, 1)

    def show_offer(self, offer: Offer, catalogue: Any) -> None:
        self._offer = offer
        self.title.setText(offer.pack.name)
        self.summary.setText(summary(offer))
        self.check.setText(_("SHA-256 of the file: {checksum}").format(checksum=offer.checksum))
        self.table.set_table(changes_table(offer, catalogue))
        self.install.setEnabled(bool(offer.changes))
        self.install.setFocus()

    def _install(self) -> None:
        if self._offer is not None:
            self.install_wanted.emit(self._offer)


def summary(offer: Offer) -> str:
    """What a pack is and does, in one sentence."""
    new = sum(change.is_new for change in offer.changes)
    changed = len(offer.changes) - new
    dated = current().partial_date(offer.pack.version)
    if not offer.changes:
        return _("A pack of {date}. It changes nothing here: all of it is in your catalogue already.").format(
            date=dated
        )
    added = ngettext("{number} new record", "{number} new records", new).format(number=current().count(new))
    moved = ngettext("{number} changed record", "{number} changed records", changed)
    return _("A pack of {date}: {added}, {changed}. All of it is installed, or nothing.").format(
        date=dated, added=added, changed=moved.format(number=current().count(changed))
    )


def changes_table(offer: Offer, catalogue: Any) -> TableData:
    """Every figure that a pack changes, beside what it is now; a new record is one row."""
    columns = (
        Column(_("Record"), is_number=False),
        Column(_("Figure"), is_number=False),
        Column(_("Now")),
        Column(_("With the pack")),
    )
    rows = tuple(row for change in offer.changes for row in _rows(change, catalogue))
    return TableData(_("What the pack changes"), columns, rows)


def _rows(change: Any, catalogue: Any) -> Iterator[tuple[Cell, ...]]:
    if change.is_new:
        yield Cell(change.name), Cell(_("new record")), Cell(current().none()), Cell(_("added"))
        return
    figures = figures_of(change.table, change.id, catalogue)
    for one in change.fields:
        figure = figures.get(one.name)
        text = figure.text if figure is not None else one.name.replace("_", " ").replace(".", ", ")
        kind = figure.kind if figure is not None else None
        yield Cell(change.name), Cell(text), Cell(written(one.before, kind)), Cell(written(one.after, kind))


_GROUPS = {
    "devices": devices.device_groups,
    "links": links.link_groups,
    "models": models.model_groups,
    "engines": engines.engine_groups,
    "weight_formats": engines.weight_groups,
    "kv_formats": engines.kv_groups,
    **{table.value: prices.price_groups for table in FactTable},
}


def figures_of(table: str, id: str, catalogue: Any) -> dict[str, Figure]:
    """The figures of a record as the form shows them, by their place in it."""
    record = records_in(catalogue, table).get(id)
    if record is None:
        return {}
    groups = _GROUPS[table](plain(record), catalogue)
    return {one.key: one for group in groups for one in group.figures}


def written(value: Any, kind: Kind | None = None) -> str:
    """A value of a record in short, in the language in force, with its unit where the form knows it."""
    if value is None or value in ("", ()):
        return _("missing")
    if isinstance(kind, Quantity):
        return kind.in_words(value)
    if isinstance(value, bool):
        return _("Yes") if value else _("No")
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, int | float):
        return current().number(value)
    if isinstance(value, Decimal):
        return current().number(float(value))
    if isinstance(value, BaseModel):
        text = str(getattr(value, "title", "") or value.model_dump_json(exclude_defaults=True))
    else:
        text = ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"

"""The answers of a search as a table model: what is shown in each cell, and what the painter needs beside it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, Qt, Signal

from core.catalogue.records import KvFormat
from core.language import search_sentences as words
from core.language.format_names import format_name
from core.language.messages import gettext as _
from core.language.numbers import current
from core.sizing.report import Verdict
from core.sizing.search.models import ModelAnswer
from core.sizing.search.report import Answer
from core.sizing.search.request import Ranking
from desktop.tables import SORT_ROLE, Column, Index

#: The row itself, for the painter.
ROW_ROLE = Qt.ItemDataRole.UserRole + 10


@dataclass(frozen=True, slots=True)
class Row:
    """One answer, ready to be painted.

    cells    text of each column
    values   what sorts it
    speed    P10, P50, P90, for the bar
    is_unknown   a fact is missing that the question needs; `note` names it
    """

    key: str
    cells: tuple[str, ...]
    values: tuple[Any, ...]
    speed: tuple[float, float, float]
    verdict: Verdict
    best: bool
    note: str
    answer: Any
    is_unknown: bool = False
    tips: tuple[str, ...] = ()  # what a cell says beyond its text; empty: nothing


class AnswersModel(QAbstractTableModel):
    """Rows with a tick each; ticks stay with their answer when the table is filled anew."""

    ticked_changed = Signal()

    def __init__(self, columns: Sequence[Column], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.columns = list(columns)
        self.rows: list[Row] = []
        self.target: float | None = None
        self.ticked: set[str] = set()

    def set_rows(self, rows: Sequence[Row], target: float | None) -> None:
        self.beginResetModel()
        self.rows, self.target = list(rows), target
        self.ticked &= {row.key for row in rows}
        self.endResetModel()
        self.ticked_changed.emit()

    @property
    def chosen(self) -> list[Row]:
        """The ticked rows, in order."""
        return [row for row in self.rows if row.key in self.ticked]

    @property
    def top_speed(self) -> float:
        """The end of the common scale of the bars."""
        return max([row.speed[2] for row in self.rows] + [self.target or 0.0, 1e-9])

    def toggle(self, row: int) -> None:
        if 0 <= row < len(self.rows):
            self.ticked ^= {self.rows[row].key}
            self.dataChanged.emit(self.index(row, 0), self.index(row, len(self.columns) - 1))
            self.ticked_changed.emit()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.columns)

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = super().flags(index)
        return flags | Qt.ItemFlag.ItemIsUserCheckable if index.column() == 0 else flags

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row, column = self.rows[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return row.cells[column]
        if role == Qt.ItemDataRole.ToolTipRole:
            return row.note or (row.tips[column] if row.tips else "") or row.cells[column]
        if role == SORT_ROLE:
            return row.values[column]
        if role == ROW_ROLE:
            return row
        if role == Qt.ItemDataRole.CheckStateRole and column == 0:
            return Qt.CheckState.Checked if row.key in self.ticked else Qt.CheckState.Unchecked
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _side(self.columns[column])
        return None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if role != Qt.ItemDataRole.CheckStateRole or not index.isValid():
            return False
        self.toggle(index.row())
        return True

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation is Qt.Orientation.Vertical or section >= len(self.columns):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self.columns[section].title
        return _side(self.columns[section]) if role == Qt.ItemDataRole.TextAlignmentRole else None


def _side(column: Column) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if column.is_number else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter


# ---- hardware

SPEED_COLUMN, POWER_COLUMN = 1, 4
CACHE_COLUMN, REQUESTS_COLUMN, SIZE_COLUMN = 4, 6, 7  # of models


#: The column of each ranking.
RANKED = {Ranking.SPEED: SPEED_COLUMN, Ranking.PRICE: 5, Ranking.COST: 6, Ranking.ENERGY: 7}


def hardware_columns(ranking: Ranking, by_token: bool = True) -> list[Column]:
    """Headings of the table; energy has a column where answers are ranked by it."""
    columns = [
        Column(_("Option"), is_number=False),
        Column(_("Speed per user"), _("tok/s"), is_number=False),
        Column(_("First token")),
        Column(_("Requests")),
        Column(_("Power")),
        Column(_("Price")),
        Column(_("Per M tokens") if by_token else _("Per year")),
    ]
    return [*columns, Column(words.ranking(Ranking.ENERGY))] if ranking is Ranking.ENERGY else columns


def hardware_row(answer: Answer, ranking: Ranking) -> Row:
    """One answer of a search for hardware."""
    write, found = current(), answer.evaluation
    facts, speed = found.supply, found.speed or (0.0, 0.0, 0.0)
    first = found.ttft[1] if found.ttft else 0.0
    unknown, cost = write.unknown(), found.per_million if found.per_million is not None else found.yearly
    cells = [
        words.option(answer),
        write.speed_parts(speed[1])[0],
        write.seconds(first),
        write.count(found.requests_that_fit),
        unknown if facts.busy_w is None else write.power(facts.busy_w),
        unknown if facts.price is None else write.money(facts.price, facts.currency),
        words.running_cost(found),
    ]
    values: list[Any] = [
        cells[0], speed[1], first, found.requests_that_fit, facts.busy_w or float("inf"),
        float(facts.price) if facts.price is not None else float("inf"),
        float(cost) if cost is not None else float("inf"),
    ]  # fmt: skip
    if ranking is Ranking.ENERGY:
        joules = found.joules_per_token
        cells.append(unknown if joules is None else f"{write.significant(joules)} J")
        values.append(joules or float("inf"))
    plan = found.candidate.layout.plan
    key = f"{answer.kind.device.id} {answer.kind.units} {plan.model_dump_json()}"
    best, note = answer.best_for_its_price, words.facts(answer.unknown)
    tips = tuple(words.draws(facts.busy_w, facts.power_w) if at == POWER_COLUMN else "" for at in range(len(cells)))
    unknown_fact = bool(answer.unknown)
    return Row(key, tuple(cells), tuple(values), speed, found.verdict, best, note, answer, unknown_fact, tips)


# ---- models


def model_columns() -> list[Column]:
    return [
        Column(_("Model"), is_number=False),
        Column(_("Speed per user"), _("tok/s"), is_number=False),
        Column(_("First token")),
        Column(_("Weights"), is_number=False),
        Column(_("Cache"), is_number=False),
        Column(_("Largest context")),
        Column(_("Requests")),
        Column(_("Size"), "GB"),
        Column(_("In this format"), is_number=False),
    ]


def model_row(answer: ModelAnswer, weights: str, cache: KvFormat) -> Row:
    """One answer of a search for models; `weights` is the name of its format, `cache` the format of its cache."""
    write = current()
    cells = (
        answer.model.name,
        write.speed_parts(answer.speed[1])[0],
        write.seconds(answer.ttft[1]),
        weights,
        _("{bits}-bit").format(bits=cache.bits),
        write.tokens(answer.context_tokens),
        write.count(answer.requests),
        write.gigabytes(answer.weight_bytes),
        words.format_note(answer),
    )
    values = (answer.model.name, answer.speed[1], answer.ttft[1], weights, cache.bits, answer.context_tokens,
              answer.requests, answer.weight_bytes, cells[-1])  # fmt: skip
    tips = tuple(format_name(cache.name) if at == CACHE_COLUMN else "" for at in range(len(cells)))
    return Row(answer.model.id, cells, values, answer.speed, answer.verdict, False, "", answer, tips=tips)

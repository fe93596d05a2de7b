"""The tree of all figures: the main ones on top, every other one below, none left out."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, Qt

from core.language import figures
from core.language.messages import gettext as _
from core.language.messages import marked
from core.language.numbers import current
from core.sizing.report import Sizing
from desktop.results.explanation import written
from desktop.tables import KEY_ROLE, Index

#: The key figures, and what stands below each. "*" ends a family.
MAIN: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "memory.total_bytes",
        (
            "memory_item.weights",
            "kv_bytes_per_token",
            "kv_bytes_per_request",
            "state_bytes_per_request",
            "memory_item.kv_cache",
            "memory_item.state",
            "memory_item.embedding",
            "memory_item.reranker",
            "memory_item.framework",
            "memory.fixed_bytes",
            "memory.limit_bytes",
            "memory.capacity_bytes",
            "memory.free_bytes",
        ),
    ),
    (
        "max_concurrency",
        (
            "requests_at_once",
            "memory.free_for_kv_bytes",
            "max_context_tokens",
            "max_context_usable_tokens",
            "full_heads_ratio",
            "cache_outweighs_model_tokens",
            "spill.layers",
            "spill.experts",
        ),
    ),
    (
        "decode_tok_s",
        (
            "decode_tok_s.p10",
            "decode_tok_s.p90",
            "decode_tok_s.ceiling",
            "tpot_s",
            "decode_step_s",
            "decode_step_s.ceiling",
            "bytes_read_per_token.weights",
            "bytes_read_per_token.kv",
            "output_tok_s_total",
            "saturated_tok_s_total",
        ),
    ),
    ("ttft_s", ("ttft_s.p10", "ttft_s.p90", "prefill_tok_s")),
    (
        "capacity.requests",
        (
            "capacity.users_by_share",
            "capacity.users_by_little",
            "capacity.requests.memory",
            "capacity.requests.speed",
            "capacity.requests.first_token",
            "capacity.none.accelerators",
            "capacity.n_plus_1.accelerators",
            "capacity.two_sites.accelerators",
        ),
    ),
    (
        "cost.per_million_tokens",
        (
            "cost.at_share.100",
            "cost.yearly",
            "cost.annuity",
            "cost.energy",
            "cost.maintenance",
            "cost.capital",
            "cost.total",
            "demand.tokens_per_year",
            "demand.busy_share",
        ),
    ),
    ("power.busy_w", ("power.idle_w", "power.most_w", "energy.year", "energy.per_million")),
)

#: The other figures by the beginning of their key.
GROUPS: tuple[tuple[str, str], ...] = (
    (marked("Your inputs"), "workload deployment economics companion scenario requests plan"),
    (marked("Model"), "model parameters attention recurrent moe matrices"),
    (marked("Weights"), "weights bits"),
    (marked("Cache and state"), "kv cache state"),
    (marked("Memory by accelerator"), "accelerator other_accelerator memory_item memory tier lower_tiers spill max"),
    (marked("Device, link and engine"), "device memory_bandwidth link network engine bandwidth ridge rate all_reduce"),
    (
        marked("Writing an answer"),
        "decode tpot serving bytes_read read kernels messages flops compute efficiency attention_flops one_request"
        " arithmetic_intensity.decode",
    ),
    (marked("Reading the prompt"), "prefill ttft prompt arithmetic_intensity.prefill"),
    (marked("All users together"), "output_tok saturated"),
    (marked("Calibration and ranges"), "fit spread range independent_routing pipeline_kept"),
    (marked("Roofline"), "roofline"),
    (marked("Demand and capacity"), "demand capacity"),
    (marked("Cost"), "cost exchange"),
    (marked("Power, energy and carbon"), "power energy carbon"),
    (marked("Cloud and hosted models"), "hosted cloud"),
    (marked("Rules of thumb and price"), "textbook article price"),
)
OTHERS = marked("Other figures")


@dataclass(eq=False, slots=True)
class Node:
    """A row of the tree: a figure, or a group that only holds others."""

    key: str
    title: str
    parent: "Node | None" = None
    row: int = 0  # among the children of the parent
    children: list["Node"] = field(default_factory=list)

    def add(self, key: str, title: str) -> "Node":
        node = Node(key, title, self, len(self.children))
        self.children.append(node)
        return node

    def walk(self) -> Iterator["Node"]:
        yield self
        for child in self.children:
            yield from child.walk()


def figure_tree(sizing: Sizing) -> Node:
    """All figures of a sizing, each once."""
    trace, root, done = sizing.trace, Node("", ""), set()
    for main, below in MAIN:
        key = next((one for one in (main, *below) if one in trace), "")  # of an unknown speed its bound
        if not key:
            continue
        node = root.add(key, figures.short_label(key) if key == main else figures.label(key))
        parts = [part.key for part in sizing.step] if key == "decode_tok_s" else []
        for child in (*below, *parts):
            if child in trace and child not in done and child != key:
                node.add(child, figures.short_label(child))
                done.add(child)
        done.add(key)
    _add_groups(root, [key for key in trace if key not in done])
    return root


def _add_groups(root: Node, keys: list[str]) -> None:
    groups: dict[str, list[str]] = {name: [] for name, _starts in GROUPS}
    groups[OTHERS] = []
    for key in keys:
        groups[_group_of(key)].append(key)
    for name, members in groups.items():
        if members:
            node = root.add("", _(name))
            for key in members:
                node.add(key, figures.label(key))


def _group_of(key: str) -> str:
    """The group whose beginning fits the key best."""
    fitting = [(len(start), name) for name, starts in GROUPS for start in starts.split() if _begins(key, start)]
    return max(fitting)[1] if fitting else OTHERS


def _begins(key: str, start: str) -> bool:
    return key == start or key.startswith((f"{start}.", f"{start}_"))


class FigureTreeModel(QAbstractItemModel):
    """The tree for Qt; where only numbers changed, the rows stay."""

    VALUE_ROLE = Qt.ItemDataRole.UserRole + 2

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.root = Node("", "")
        self._sizing: Sizing | None = None
        self._keys: tuple[str, ...] = ()
        self._nodes: dict[str, Node] = {}

    def has_rows_of(self, sizing: Sizing) -> bool:
        """Has this sizing the same figures, with other numbers at most?"""
        return tuple(sizing.trace) == self._keys

    def take(self, sizing: Sizing) -> None:
        """Show other numbers in the same rows; whoever shows them announces them."""
        self._sizing = sizing

    def set_sizing(self, sizing: Sizing, is_open: Callable[[QModelIndex], bool] = lambda _group: True) -> bool:
        """Show the figures of a sizing; True if the rows are new. Rows of a closed group are read when it opens."""
        if self.has_rows_of(sizing):
            self.take(sizing)
            self.announce(is_open)
            return False
        self.beginResetModel()
        self._sizing, self._keys, self.root = sizing, tuple(sizing.trace), figure_tree(sizing)
        self._nodes = {node.key: node for node in self.root.walk() if node.key}
        self.endResetModel()
        return True

    def announce(self, is_open: Callable[[QModelIndex], bool], parent: QModelIndex = QModelIndex()) -> None:  # noqa: B008
        """Tell that the numbers of all open rows may be others."""
        count = self.rowCount(parent)
        if not count:
            return
        self.dataChanged.emit(self.index(0, 0, parent), self.index(count - 1, 0, parent))
        for row in range(count):
            group = self.index(row, 0, parent)
            if is_open(group):
                self.announce(is_open, group)

    def index_of(self, key: str) -> QModelIndex:
        """The row of a figure; an invalid index if there is none."""
        node = self._nodes.get(key)
        return self.createIndex(node.row, 0, node) if node is not None else QModelIndex()

    def _node(self, index: Index) -> Node:
        node = index.internalPointer() if index.isValid() else self.root
        assert isinstance(node, Node)
        return node

    def index(self, row: int, column: int, parent: Index = QModelIndex()) -> QModelIndex:  # noqa: B008
        node = self._node(parent)
        if column == 0 and 0 <= row < len(node.children):
            return self.createIndex(row, column, node.children[row])
        return QModelIndex()

    def parent(self, index: Index = QModelIndex()) -> QModelIndex:  # type: ignore[override]  # noqa: B008
        node = self._node(index).parent
        if node is None or node.parent is None:
            return QModelIndex()
        return self.createIndex(node.row, 0, node)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return len(self._node(parent).children) if parent.column() <= 0 else 0

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 1

    def flags(self, index: Index) -> Qt.ItemFlag:
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable if index.isValid() else Qt.ItemFlag.NoItemFlags

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        node = self._node(index)
        if role == Qt.ItemDataRole.DisplayRole:
            return node.title
        if role == KEY_ROLE:
            return node.key
        if role == self.VALUE_ROLE:
            return self._value(node)
        if role in (Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.ToolTipRole):
            value = self._value(node)
            name = figures.label(node.key) if node.key else node.title
            return f"{name}: {value}" if value else name
        return None

    def _value(self, node: Node) -> str:
        if not node.key or self._sizing is None:
            return ""
        return written(self._sizing, node.key, current())

from PySide6.QtCore import Qt
from pytestqt.modeltest import ModelTester

from desktop.tables import KEY_ROLE, SORT_ROLE, Cell, Column, NumberTableModel, TableData, as_text

TABLE = TableData(
    "Items",
    (Column("Item", is_number=False), Column("Memory", "GB")),
    ((Cell("Weights"), Cell("23.4", 23.4)), (Cell("State"), Cell("0.8", 0.77))),
    ("memory_item.weights", "memory_item.state"),
)


def test_model(qtmodeltester: ModelTester) -> None:
    model = NumberTableModel()
    model.set_table(TABLE)
    qtmodeltester.check(model)  # type: ignore[no-untyped-call]
    assert model.headerData(1, Qt.Orientation.Horizontal) == "Memory [GB]"
    assert model.index(0, 1).data() == "23.4"
    assert model.index(1, 1).data(SORT_ROLE) == 0.77
    assert model.index(1, 0).data(SORT_ROLE) == "State"
    assert model.index(1, 0).data(KEY_ROLE) == "memory_item.state"


def test_new_numbers_keep_the_rows() -> None:
    model = NumberTableModel()
    model.set_table(TABLE)
    resets: list[None] = []
    model.modelReset.connect(lambda: resets.append(None))
    model.set_table(TableData("Items", TABLE.columns, (TABLE.rows[1], TABLE.rows[0]), TABLE.keys))
    assert (resets, model.index(0, 0).data()) == ([], "State")
    model.set_table(TableData("Items", TABLE.columns, TABLE.rows[:1], TABLE.keys))
    assert len(resets) == 1


def test_copied_text_has_headings_and_units() -> None:
    assert as_text(TABLE) == "Item\tMemory [GB]\nWeights\t23.4\nState\t0.8\n"
    assert as_text(TABLE, [1]) == "Item\tMemory [GB]\nState\t0.8\n"

"""What the topics of the help are made of: a column that scrolls, with headings, sentences and pairs."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from desktop.widgets.labels import label, line

WIDTH = 760
_STAY = "/\u2060"  # a slash after which no line begins: "tok/s" stays whole


class Topic(QScrollArea):
    """One topic; its column is as wide as a line is good to read."""

    def __init__(self, title: str, lead: str = "") -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(title)
        inner = QWidget()
        inner.setProperty("kind", "page")
        inner.setMaximumWidth(WIDTH)
        self.column = QVBoxLayout(inner)
        self.column.setContentsMargins(24, 14, 24, 24)
        self.column.setSpacing(8)
        self.column.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.column.addWidget(label(title, "verdict", wrap=True))
        if lead:
            self.column.addWidget(label(lead, "label", wrap=True))
        self.setWidget(inner)

    def heading(self, text: str) -> None:
        self.column.addSpacing(10)
        self.column.addWidget(label(text, "section", wrap=True))
        self.column.addWidget(line())

    def sentence(self, text: str) -> None:
        self.column.addWidget(running(text))

    def pairs(self, rows: list[tuple[str, str]], width: int = 220) -> None:
        """Two columns: a word and what it means."""
        grid = QGridLayout()
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(8)
        grid.setColumnMinimumWidth(0, width)
        grid.setColumnStretch(1, 1)
        for row, (word, meaning) in enumerate(rows):
            first = label(word, "strong", wrap=True)
            first.setFixedWidth(width)
            grid.addWidget(first, row, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(label(meaning, wrap=True), row, 1, Qt.AlignmentFlag.AlignTop)
        self.column.addLayout(grid)


def running(text: str) -> QLabel:
    """A sentence over several lines, whose units stay whole."""
    return label(text.replace("/", _STAY), wrap=True)

"""Areas that scroll up and down alone, and leave the keyboard to what stands in them."""

from collections.abc import Iterable

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget

from desktop.widgets.labels import line


class DownScroll(QScrollArea):
    """As wide as its place; what is too long for it scrolls."""

    def __init__(self, inner: QWidget | None = None) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        if inner is not None:
            self.setWidget(inner)


class _Column(QWidget):
    """Needs the height that its rows have at the width it is given, not the height they had at their least width."""

    def minimumSizeHint(self) -> QSize:
        least = super().minimumSizeHint()
        holder = self.parentWidget()
        width = max(least.width(), holder.width() if holder else 0)
        return QSize(least.width(), self.heightForWidth(width))


class SectionsScroll(DownScroll):
    """Sections below one another, with lines between them."""

    def __init__(self, sections: Iterable[QWidget], above: QWidget | None = None) -> None:
        inner = _Column()
        inner.setProperty("kind", "page")
        column = QVBoxLayout(inner)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        if above is not None:
            column.addWidget(above)
        for index, section in enumerate(sections):
            if index:
                column.addWidget(line())
            column.addWidget(section)
        column.addStretch(1)
        super().__init__(inner)

"""About: which build this is, what it sizes with, and every component with its licence."""

import platform

from PySide6.QtCore import QSize, Qt, qVersion
from PySide6.QtGui import QGuiApplication, QShowEvent
from PySide6.QtWidgets import QDialog, QGridLayout, QHBoxLayout, QListWidget, QPlainTextEdit, QVBoxLayout, QWidget

from core import METHOD_VERSION
from core.build_info import build_info
from core.language.messages import gettext as _
from desktop import icons
from desktop.components import parts
from desktop.theme import Theme
from desktop.widgets.labels import button, label, line

MARK = 48
LIST_WIDTH = 220


class AboutDialog(QDialog):
    """Versions above, components and licences below; all of the versions can be copied."""

    def __init__(self, theme: Theme, catalogue_version: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._catalogue_version = catalogue_version
        self._parts = parts()
        self.setWindowTitle(_("About Tonnage"))
        self.setMinimumSize(640, 460)
        self.resize(840, 600)
        self.components = QListWidget()
        self.components.setAccessibleName(_("Components"))
        self.components.setFixedWidth(LIST_WIDTH)
        self.components.setSpacing(1)
        self.licence = QPlainTextEdit()
        self.licence.setReadOnly(True)
        self.licence.setAccessibleName(_("Licence text"))
        self.licence.setStyleSheet('font-family: "JetBrains Mono", monospace; font-size: 12px;')
        for part in self._parts:
            self.components.addItem(f"{part.name} {part.version}".strip())
        self.components.currentRowChanged.connect(self._show_part)
        self._lay_out(theme)
        self.components.setCurrentRow(0)

    def _lay_out(self, theme: Theme) -> None:
        head = QHBoxLayout()
        head.setSpacing(14)
        mark = label()
        mark.setPixmap(icons.app_icon().pixmap(QSize(MARK, MARK), self.devicePixelRatioF()))
        head.addWidget(mark, 0, Qt.AlignmentFlag.AlignTop)
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(label("Tonnage", "verdict"))
        words.addWidget(label(_("Works offline: no connection is ever opened."), "label"))
        head.addLayout(words, 1)
        lists = QHBoxLayout()
        lists.setSpacing(12)
        lists.addWidget(self.components)
        lists.addWidget(self.licence, 1)
        row = QHBoxLayout()
        row.addWidget(button(_("Copy versions"), "", self.copy))
        row.addStretch(1)
        close = button(_("Close"), "primary", self.accept)
        close.setDefault(True)
        row.addWidget(close)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 16)
        column.setSpacing(12)
        column.addLayout(head)
        column.addLayout(self._facts())
        column.addWidget(line())
        heading = label(_("Components and licences"), "message")
        heading.setBuddy(self.components)
        column.addWidget(heading)
        column.addLayout(lists, 1)
        column.addLayout(row)

    def _facts(self) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(3)
        grid.setColumnStretch(1, 1)
        for row, (name, value) in enumerate(self.facts()):
            grid.addWidget(label(name, "label"), row, 0)
            shown = label(value)
            shown.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            grid.addWidget(shown, row, 1)
        return grid

    def facts(self) -> list[tuple[str, str]]:
        """What a letter about a fault should name."""
        build = build_info()
        stated = f"{build.commit} ({build.date})" if build.commit else _("from a checkout, not built")
        return [
            (_("Version"), build.version),
            (_("Build"), stated),
            (_("Catalogue"), self._catalogue_version),
            (_("Method"), METHOD_VERSION),
            (_("Runs on"), f"Python {platform.python_version()}, Qt {qVersion()}, {platform.platform(terse=True)}"),
        ]

    def copy(self) -> None:
        """Put the versions on the clipboard."""
        lines = [f"{name}: {value}" for name, value in self.facts()]
        QGuiApplication.clipboard().setText("\n".join(["Tonnage", *lines]))

    def _show_part(self, row: int) -> None:
        part = self._parts[row]
        head = f"{part.name} {part.version}".strip() + (f"\n{part.licence}" if part.licence else "")
        self.licence.setPlainText(f"{head}\n\n{part.text()}".strip())

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.components.setFocus()

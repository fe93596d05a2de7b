"""An unexpected fault: it is logged, the scenario is saved, and one sheet shows a report that can be copied."""

import logging
import platform
import sys
import traceback
from collections.abc import Callable
from types import TracebackType

import PySide6
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QHBoxLayout, QPlainTextEdit, QVBoxLayout

from core import __version__
from core.language.messages import gettext as _
from desktop.widgets.labels import button, label

log = logging.getLogger("tonnage")


def report_text(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> str:
    """Versions and the trace; no scenario, no names of clients."""
    lines = [
        f"Tonnage {__version__}",
        f"Python {platform.python_version()}, PySide6 {PySide6.__version__}, {platform.platform()}",
        "",
        *traceback.format_exception(kind, error, trace),
    ]
    return "\n".join(line.rstrip("\n") for line in lines)


class ReportSheet(QDialog):
    """The report, and the promise that nothing is lost."""

    def __init__(self, text: str, saved: bool) -> None:
        super().__init__()
        self.setWindowTitle(_("Tonnage made a mistake"))
        self.setMinimumSize(620, 380)
        self.report = QPlainTextEdit(text)
        self.report.setReadOnly(True)
        self.report.setAccessibleName(_("Report"))
        self.report.setStyleSheet('font-family: "JetBrains Mono", monospace; font-size: 12px;')
        safe = (
            _("Your scenario is saved. You can go on; the report says what happened.")
            if saved
            else _("Your scenario is kept in memory. You can go on; the report says what happened.")
        )
        row = QHBoxLayout()
        row.addWidget(button(_("Copy the report"), "", self.copy))
        row.addStretch(1)
        row.addWidget(button(_("Go on"), "primary", self.accept))
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 16, 20, 16)
        column.setSpacing(10)
        column.addWidget(label(_("Tonnage made a mistake"), "message"))
        column.addWidget(label(safe, wrap=True))
        column.addWidget(self.report, 1)
        column.addLayout(row)

    def copy(self) -> None:
        QGuiApplication.clipboard().setText(self.report.toPlainText())


class Excepthook:
    """Replaces `sys.excepthook`. A second fault while the sheet is open is logged only."""

    def __init__(self, save: Callable[[], bool], show: Callable[[str, bool], object] | None = None) -> None:
        self._save, self._show = save, show or self._open_sheet
        self._open = False

    def install(self) -> None:
        sys.excepthook = self

    def __call__(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            sys.__excepthook__(kind, error, trace)
            return
        text = report_text(kind, error, trace)
        log.error("%s", text)
        sys.stderr.write(text + "\n")
        if self._open:
            return
        self._open = True
        try:
            self._show(text, self._try_to_save())
        finally:
            self._open = False

    def _try_to_save(self) -> bool:
        try:
            return self._save()
        except Exception:  # whatever it was that broke may break this too
            log.exception("the scenario could not be saved after a fault")
            return False

    @staticmethod
    def _open_sheet(text: str, saved: bool) -> None:
        ReportSheet(text, saved).exec()

"""The ways to save charts, as the actions of a menu: a picture, a drawing, numbers, and a picture for the clipboard."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFileDialog, QWidget

from core.language.messages import gettext as _

NUMBERS = "csv"


def export_actions(parent: QWidget, ask: Callable[[str], object], copy: Callable[[], object] | None) -> list[QAction]:
    """`ask` gets the ending of the file; without `copy` there is no picture, only numbers."""
    kinds = [("png", _("Picture (PNG)…")), ("svg", _("Drawing (SVG)…")), (NUMBERS, _("Numbers (CSV)…"))]
    actions = []
    for kind, name in kinds if copy is not None else kinds[-1:]:
        action = QAction(name, parent)
        action.triggered.connect(lambda _checked=False, kind=kind: ask(kind))
        actions.append(action)
    if copy is not None:
        copied = QAction(_("Copy picture"), parent)
        copied.triggered.connect(lambda _checked=False: copy())
        actions.append(copied)
    return actions


def ask_for_file(parent: QWidget, name: str, kind: str) -> Path | None:
    """Where the export is to lie; None where nobody wants it any more."""
    start = str(Path.home() / f"{_file_name(name)}.{kind}")
    path, _filter = QFileDialog.getSaveFileName(parent, _("Save chart"), start, f"{kind.upper()} (*.{kind})")
    return Path(path) if path else None


def _file_name(name: str) -> str:
    return "".join("-" if sign in '<>:"/\\|?*' or ord(sign) < 32 else sign for sign in name)

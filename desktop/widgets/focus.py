"""Moving the focus between columns."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget


def first_focusable(widget: QWidget) -> QWidget | None:
    """The first control inside a column, in the order of tabbing."""
    candidate = widget
    for _step in range(500):
        following = candidate.nextInFocusChain()
        if following is None or following is widget:
            return None
        candidate = following
        takes = candidate.focusPolicy() & Qt.FocusPolicy.TabFocus and candidate.isEnabled() and candidate.isVisible()
        if takes and widget.isAncestorOf(candidate):
            return candidate
    return None

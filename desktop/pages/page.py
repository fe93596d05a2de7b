"""What the window may ask of each of its pages."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from desktop.widgets.focus import first_focusable


class Page(QWidget):
    """A page of the window. Most have nothing of their own to answer."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("kind", "surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)

    def begin(self) -> None:
        """Its command was given: the focus goes to where work begins."""
        first = first_focusable(self)
        if first is not None:
            first.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def columns(self) -> Sequence[QWidget]:
        """The columns between which the focus can go."""
        return (self,)

    def explain_focused(self) -> bool:
        """Explain what has the focus; whether there was anything."""
        return False

    def propose_shown(self) -> bool:
        """Ask for the proposal of what is shown, where that is not the scenario on screen; whether it is not."""
        return False

    def undo(self) -> bool:
        """Take back what is typed and not kept; whether there was anything."""
        return False

    def remember(self) -> None:
        """Keep what is not kept yet: the page goes."""

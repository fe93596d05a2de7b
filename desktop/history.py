"""What was done in a session, step by step, to be taken back and done again."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from PySide6.QtGui import QUndoCommand, QUndoStack

from core.scenario import Scenario

Show = Callable[[Scenario], object]


class Edit(QUndoCommand):
    """The scenario before and after; edits of the same fields within one gesture are one step."""

    def __init__(
        self, text: str, before: Scenario, after: Scenario, fields: frozenset[str], gesture: int, show: Show
    ) -> None:
        super().__init__(text)
        self.before, self.after = before, after
        self.fields, self.gesture = fields, gesture
        self._show = show

    def id(self) -> int:
        return 1 if self.gesture else -1

    def mergeWith(self, other: QUndoCommand) -> bool:
        if not isinstance(other, Edit) or (other.gesture, other.fields) != (self.gesture, self.fields):
            return False
        self.after = other.after
        self.setObsolete(self.after == self.before)
        return True

    def undo(self) -> None:
        self._show(self.before)

    def redo(self) -> None:
        self._show(self.after)


class Step(QUndoCommand):
    """Something that is done and taken back as a whole."""

    def __init__(self, text: str, do: Callable[[], object], take_back: Callable[[], object]) -> None:
        super().__init__(text)
        self._do, self._take_back = do, take_back

    def undo(self) -> None:
        self._take_back()

    def redo(self) -> None:
        self._do()


class History(QUndoStack):
    """The steps of the scenario on screen."""

    _gesture = 0  # the one that lasts; 0 for none
    _gestures = 0  # so far

    @contextmanager
    def gesture(self) -> Iterator[None]:
        """Edits of one field inside the block become one step."""
        self.begin_gesture()
        try:
            yield
        finally:
            self.end_gesture()

    def begin_gesture(self) -> None:
        """A slider was taken, or a first step key pressed."""
        self._gestures += 1
        self._gesture = self._gestures

    def end_gesture(self) -> None:
        self._gesture = 0

    def edit(self, text: str, before: Scenario, after: Scenario, fields: frozenset[str], show: Show) -> None:
        """Go from one state of the scenario to the next."""
        self.push(Edit(text, before, after, fields, self._gesture, show))

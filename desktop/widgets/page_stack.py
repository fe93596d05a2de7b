"""Pages one behind the other, each imported and built when it is first needed."""

from collections.abc import Callable, Hashable, Mapping

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

PageMaker = Callable[[], QWidget]


class PageStack(QStackedWidget):
    """Pages by key. A start builds the one in front; the others wait."""

    built = Signal(QWidget)

    def __init__(self, makers: Mapping[Hashable, PageMaker]) -> None:
        super().__init__()
        self._makers = makers
        self._pages: dict[Hashable, QWidget] = {}

    def page(self, key: Hashable) -> QWidget:
        """The page of a key, built now where it was not."""
        if key not in self._pages:
            page = self._makers[key]()
            self._pages[key] = page
            self.addWidget(page)
            self.built.emit(page)
        return self._pages[key]

    def known(self, key: Hashable) -> QWidget | None:
        """The page of a key, if it has been built."""
        return self._pages.get(key)

    def show_page(self, key: Hashable) -> None:
        self.setCurrentWidget(self.page(key))

    @property
    def key(self) -> Hashable:
        """The key of the page in front; None where there is none yet."""
        current = self.currentWidget()
        return next((key for key, page in self._pages.items() if page is current), None)

    @property
    def keys(self) -> tuple[Hashable, ...]:
        """The pages that have been built so far."""
        return tuple(self._pages)

    def build_next(self) -> bool:
        """Build one of the pages that wait; False where none does."""
        waiting = next((key for key in self._makers if key not in self._pages), None)
        if waiting is None:
            return False
        self.page(waiting)
        return True

"""What is chosen for the whole window: its looks, its language, its unit of memory."""

from PySide6.QtCore import QObject, Signal

from core.language.messages import language
from core.language.numbers import MemoryUnit, memory_unit, set_memory_unit
from desktop.settings import LANGUAGE, MEMORY_UNIT, THEME, Settings
from desktop.theme import Scheme, Theme


class WindowChoices(QObject):
    """Each choice is kept, and holds at once."""

    language_chosen = Signal(str)  # everything is to be written again

    def __init__(self, theme: Theme, settings: Settings, parent: QObject) -> None:
        super().__init__(parent)
        self._theme, self._settings = theme, settings

    def set_scheme(self, scheme: str) -> None:
        self._settings.set(THEME, scheme)
        self._theme.set_scheme(Scheme(scheme))

    def set_language(self, code: str) -> None:
        if code != language():
            self._settings.set(LANGUAGE, code)
            self.language_chosen.emit(code)

    def set_memory_unit(self, unit: str) -> None:
        """Everything is written again: the window is built anew, as for another language."""
        if unit != memory_unit().value:
            self._settings.set(MEMORY_UNIT, unit)
            set_memory_unit(MemoryUnit(unit))
            self.language_chosen.emit(language())

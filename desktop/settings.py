"""What the window remembers between starts: one typed declaration each."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QByteArray, QSettings

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Setting(Generic[T]):
    """A key with its default; the stored text is JSON, so that a type survives."""

    key: str
    default: T


THEME = Setting("theme", "system")  # "system", "light", "dark"
LANGUAGE = Setting("language", "")  # empty: the system's
MEMORY_UNIT = Setting("memory_unit", "GB")  # "GB", "GiB"
CURRENCY = Setting("new/currency", "")  # of new scenarios; empty: as the example has it
ENGINE = Setting("new/engine", "")  # of new scenarios, by id
ELECTRICITY_PRICE = Setting("new/electricity_price", "")  # of a kilowatt-hour, a decimal number as text
TOUR_SEEN = Setting("tour_seen", False)
NARROW_SIDEBAR = Setting("sidebar/narrow", False)
SIDEBAR_WIDTH = Setting("sidebar/width", 228)
INPUTS_WIDTH = Setting("inputs/width", 300)
FOLDED: Setting[dict[str, bool]] = Setting("inputs/folded", {})
ONLY_DIFFERENCES = Setting("compare/only_differences", True)
STARTED_BEFORE = Setting("started_before", False)
PROPOSAL: Setting[dict[str, Any]] = Setting("proposal", {})  # see desktop/pages/proposal/draft.py
GEOMETRY = "window/geometry"


class Settings:
    """The settings file, an INI beside nothing else; values that cannot be read are the default."""

    def __init__(self, path: Path) -> None:
        self.folder = path.parent
        self._file = QSettings(str(path), QSettings.Format.IniFormat)

    def get(self, setting: Setting[T]) -> T:
        text = self._file.value(setting.key)
        if text is None:
            return setting.default
        try:
            value: Any = json.loads(str(text))
        except ValueError:
            return setting.default
        return value if isinstance(value, type(setting.default)) else setting.default

    def set(self, setting: Setting[T], value: T) -> None:
        self._file.setValue(setting.key, json.dumps(value))

    def geometry(self) -> QByteArray:
        value = self._file.value(GEOMETRY)
        return value if isinstance(value, QByteArray) else QByteArray()

    def set_geometry(self, geometry: QByteArray) -> None:
        self._file.setValue(GEOMETRY, geometry)

    def flush(self) -> None:
        self._file.sync()

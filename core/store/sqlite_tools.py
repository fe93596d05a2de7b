"""sqlite-utils without numpy. Import this module where something is written: reading alone does not need it.

sqlite-utils imports numpy where it finds it, only to know number types that are never stored here. Both together would
cost the start of the program a quarter of a second.
"""

import sys
import threading
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType


class _NoNumpy(MetaPathFinder):
    """Lets this thread find no numpy that is not there yet; another one may be importing it at this moment."""

    def __init__(self) -> None:
        self._thread = threading.get_ident()

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname == "numpy" and threading.get_ident() == self._thread:
            raise ModuleNotFoundError(name=fullname)
        return None


_finder = _NoNumpy()
sys.meta_path.insert(0, _finder)
try:
    from sqlite_utils import Database as Database
    from sqlite_utils import Migrations as Migrations
finally:
    sys.meta_path.remove(_finder)

"""Scenarios and the user's catalogue entries, kept in SQLite."""

import sys

# sqlite-utils imports numpy where it finds it, only to know number types that are never stored here. It would cost the
# start of the program a tenth of a second, so numpy is hidden while sqlite-utils is imported for the first time.
_hidden = "numpy" not in sys.modules
if _hidden:
    sys.modules["numpy"] = None  # type: ignore[assignment]
try:
    import sqlite_utils as sqlite_utils
finally:
    if _hidden:
        del sys.modules["numpy"]

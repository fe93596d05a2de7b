"""The user's own catalogue records, read beside a window that may be open: nothing is written, repaired or migrated."""

import sqlite3
from pathlib import Path

from core.errors import StoreError


def own_records_in(path: Path | None) -> dict[str, dict[str, str]]:
    """Own records as JSON, by table and id; none where there is no store.

    Raises
    ------
    StoreError : the file is no store that this version can read
    """
    if path is None or not path.is_file():
        return {}
    found: dict[str, dict[str, str]] = {}
    try:
        connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=5)
        try:
            for table, id, record in connection.execute('select "table", id, record from catalogue_records'):
                found.setdefault(table, {})[id] = record
        finally:
            connection.close()
    except sqlite3.Error as error:
        raise StoreError("The library cannot be read: {reason}.", reason=error) from error
    return found

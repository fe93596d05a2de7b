"""Tables of the method page that are measured, not typed.

A table stands between `<!-- measured: crossvalidation -->` and `<!-- end -->`.
"""

import re

from core.language.method_page import PAGE


def placed(page: str, name: str, table: str) -> str:
    """The page with a table put between its markers."""
    marked = re.compile(rf"(<!-- measured: {re.escape(name)} -->\n).*?(<!-- end -->)", re.DOTALL)
    changed, places = marked.subn(lambda found: f"{found[1]}\n{table}\n\n{found[2]}", page)
    if places != 1:
        raise ValueError(f"The method page has {places} places for the table {name!r}.")
    return changed


def write(name: str, table: str) -> None:
    """Write a table into the page."""
    PAGE.write_text(placed(PAGE.read_text("utf-8"), name, table), "utf-8")

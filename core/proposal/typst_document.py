"""A proposal's values to PDF, with typst and the fonts of `resources/fonts` alone.

Values travel as JSON, so a client's name is never read as markup. The time stamp comes from the options: the same
proposal gives the same bytes. A warning of the typesetter is an error, for it means a font or a glyph that is missing.
"""

import datetime
import json
import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core import RESOURCES
from core.errors import ProposalError
from core.proposal.glyphs import printable
from core.proposal.values import Proposal

if TYPE_CHECKING:
    import typst

TEMPLATE = RESOURCES / "proposal" / "proposal.typ"
FONTS = RESOURCES / "fonts"
STANDARDS: "list[typst.PDFStandard]" = ["a-3a", "ua-1"]

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ufffe\uffff]")
_compiling = threading.Lock()


def pdf(proposal: Proposal, date: datetime.date, template: Path = TEMPLATE) -> bytes:
    """Typeset a proposal: PDF/A-3a and PDF/UA-1, with the scenario attached."""
    import typst

    stamp = datetime.datetime(date.year, date.month, date.day, 12, tzinfo=datetime.UTC)
    try:
        with _compiling:
            made, warnings = _compiler(template).compile_with_warnings(
                format="pdf",
                sys_inputs={"data": as_json(proposal)},
                pdf_standards=STANDARDS,
                timestamp=stamp,
            )
    except typst.TypstError as failure:
        raise ProposalError(f"The proposal could not be typeset: {failure.message}") from failure
    if warnings:
        raise ProposalError(f"The proposal could not be typeset cleanly: {warnings[0].message}")
    if not isinstance(made, bytes):
        raise ProposalError("The proposal could not be typeset: the typesetter returned no file.")
    return made


def as_json(proposal: Proposal) -> str:
    """The values as the template reads them, with texts that JSON, PDF and the font can hold."""
    values = _clean(asdict(proposal))
    printed = {name: _printable(value) for name, value in values.items() if name != "scenario"}
    return json.dumps({**values, **printed}, ensure_ascii=False)


def _clean(value: Any) -> Any:
    """Lone surrogates and control characters become the replacement character; they have no place in a file."""
    if isinstance(value, str):
        whole = value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return _CONTROL.sub("\ufffd", whole)
    return _each(value, _clean)


def _printable(value: Any) -> Any:
    return printable(value) if isinstance(value, str) else _each(value, _printable)


def _each(value: Any, change: Callable[[Any], Any]) -> Any:
    """The same change to every text inside."""
    if isinstance(value, Mapping):
        return {key: change(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [change(one) for one in value]
    return value


@cache
def _compiler(template: Path) -> "typst.Compiler":
    """A compiler is kept: the second proposal takes a third of the time of the first."""
    import typst

    fonts = typst.Fonts(include_system_fonts=False, include_embedded_fonts=True, font_paths=[str(FONTS)])
    return typst.Compiler(str(template), root=str(template.parent), font_paths=fonts)

"""A proposal's values to PDF, or to pictures of its pages, with typst and the fonts of `resources/fonts` alone.

Values travel as JSON, so a client's name is never read as markup. The time stamp comes from the options: the same
proposal gives the same bytes. A warning of the typesetter is an error, for it means a font or a glyph that is missing.
"""

import datetime
import json
import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from core import RESOURCES
from core.errors import ProposalError
from core.proposal.glyphs import printable
from core.proposal.template import main_file
from core.proposal.values import Proposal

if TYPE_CHECKING:
    import typst

FONTS = RESOURCES / "fonts"
STANDARDS: "list[typst.PDFStandard]" = ["a-3a", "ua-1"]
#: What is not printed: files that are attached, and the drawing of the logo.
_AS_IT_IS = ("attachments", "logo")

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ufffe\uffff]")
_compiling = threading.Lock()


def pdf(proposal: Proposal, date: datetime.date, template: Path | None = None) -> bytes:
    """Typeset a proposal: PDF/A-3a and PDF/UA-1, with the scenarios attached."""
    made = _compiled(proposal, date, template, "pdf")
    if not isinstance(made, bytes):
        raise ProposalError("The proposal could not be typeset: the typesetter returned no file.")
    return made


def pictures(proposal: Proposal, date: datetime.date, ppi: float, template: Path | None = None) -> list[bytes]:
    """The pages as PNG files, for a preview."""
    made = _compiled(proposal, date, template, "png", ppi)
    return [made] if isinstance(made, bytes) else list(made or ())


def _compiled(
    proposal: Proposal, date: datetime.date, template: Path | None, kind: Literal["pdf", "png"], ppi: float = 144
) -> bytes | list[bytes] | None:
    import typst

    stamp = datetime.datetime(date.year, date.month, date.day, 12, tzinfo=datetime.UTC)
    main = main_file(template)
    try:
        with _compiling:
            made, warnings = _compiler(main, _changed(main)).compile_with_warnings(
                format=kind,
                ppi=ppi,
                sys_inputs=as_inputs(proposal),
                pdf_standards=STANDARDS if kind == "pdf" else [],
                timestamp=stamp,
            )
    except typst.TypstError as failure:
        raise ProposalError("The proposal could not be typeset: {said}", said=_said(failure)) from failure
    if warnings:
        raise ProposalError("The proposal could not be typeset cleanly: {said}", said=_said(warnings[0]))
    return made


def _said(failure: "typst.TypstError | typst.TypstWarning") -> str:
    """The typesetter's message with the file and line that it is about, in one line."""
    place = re.search(r"([\w./ -]+\.typ):(\d+):\d+", failure.diagnostic or "")
    where = f"{Path(place[1].strip()).name}, line {place[2]}: " if place else ""
    return f"{where}{failure.message.strip().rstrip('.')}."


def as_inputs(proposal: Proposal) -> dict[str, str]:
    """What the template reads: the values, and apart from them what seldom changes and is large."""
    values = _clean(asdict(proposal))
    logo = values.pop("logo")
    printed = {name: value if name in _AS_IT_IS else _printable(value) for name, value in values.items()}
    return {
        "data": json.dumps(printed, ensure_ascii=False),
        "logo": json.dumps(list(logo)) if logo else "[]",
    }


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


def _changed(main: Path) -> tuple[tuple[str, int], ...]:
    """When the files of a template were last changed: a compiler may remember them."""
    return tuple((file.name, file.stat().st_mtime_ns) for file in sorted(main.parent.rglob("*.typ")))


@lru_cache(maxsize=2)
def _compiler(main: Path, _changed: tuple[tuple[str, int], ...]) -> "typst.Compiler":
    """A compiler is kept: the second proposal takes a third of the time of the first."""
    import typst

    fonts = typst.Fonts(include_system_fonts=False, include_embedded_fonts=True, font_paths=[str(FONTS)])
    return typst.Compiler(str(main), root=str(main.parent), font_paths=fonts)

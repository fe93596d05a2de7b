"""A logo is a foreign file: it is read with suspicion when it is chosen, and drawn only if nothing in it surprises.

A PNG must be whole and of a sensible size. An SVG must hold drawings alone: no script, no text (whose font nobody has),
no picture inside, nothing that points outside.
"""

import re
import struct
import zlib
from pathlib import Path
from xml.parsers import expat

from core.errors import ProposalError, reason_of

MOST_BYTES = 500_000
MOST_PIXELS = 4_000_000
MOST_ELEMENTS = 20_000

_PNG = b"\x89PNG\r\n\x1a\n"
_DRAWINGS = frozenset(
    {
        *("svg", "g", "defs", "symbol", "use", "title", "desc", "metadata", "view", "style"),
        *("path", "rect", "circle", "ellipse", "line", "polyline", "polygon"),
        *("clipPath", "mask", "pattern", "linearGradient", "radialGradient", "stop"),
    }
)
_OUTSIDE = re.compile(r"url\(\s*[\"']?(?!#)|@import|expression\(", re.IGNORECASE)


def checked_logo(content: bytes) -> bytes:
    """The content of a logo's file, if it can be drawn safely.

    Raises
    ------
    ProposalError : it is neither PNG nor SVG, damaged, too large, or holds what a drawing does not need
    """
    if len(content) > MOST_BYTES:
        raise _too_large()
    if content.startswith(_PNG):
        _check_png(content)
    elif b"<svg" in content[:4000] or content.lstrip()[:5] in (b"<?xml", b"<svg "):
        _check_svg(content)
    else:
        raise ProposalError("The logo is neither a PNG nor an SVG file.")
    return content


def read_logo(path: Path) -> bytes:
    """A logo from its file, if it can be drawn safely.

    Raises
    ------
    ProposalError : the file cannot be read, or see `checked_logo`
    """
    try:
        if path.stat().st_size > MOST_BYTES:
            raise _too_large()
        return checked_logo(path.read_bytes())
    except OSError as failure:
        reason = reason_of(failure)
        raise ProposalError("“{file}” cannot be read: {reason}.", file=path.name, reason=reason) from failure


def _too_large() -> ProposalError:
    return ProposalError(
        "The logo is larger than {limit} kB. Export it smaller, best as SVG.", limit=MOST_BYTES // 1000
    )


def logo_format(content: bytes) -> str:
    """ "png" or "svg"; empty without a logo."""
    if not content:
        return ""
    return "png" if content.startswith(_PNG) else "svg"


def _check_png(content: bytes) -> None:
    """Walk its chunks to the end: a damaged or endless picture never reaches a decoder."""
    place, shape, pixels = len(_PNG), (0, 0), zlib.decompressobj()
    room = 0
    while place + 12 <= len(content):
        (length,) = struct.unpack_from(">I", content, place)
        kind, body = content[place + 4 : place + 8], content[place + 8 : place + 8 + length]
        end = place + 8 + length
        if len(body) != length or content[end : end + 4] != struct.pack(">I", zlib.crc32(kind + body)):
            raise ProposalError("The logo’s PNG file is damaged. Export it again.")
        if kind == b"IHDR":
            shape = struct.unpack_from(">II", body)
            if not 0 < shape[0] * shape[1] <= MOST_PIXELS:
                raise ProposalError("The logo has too many pixels. 2000 by 2000 are more than enough.")
            room = 8 * (shape[0] + 1) * (shape[1] + 1) + 8 * shape[1]
        elif kind == b"IDAT":
            try:
                room -= len(pixels.decompress(body, max(1, room)))
            except zlib.error as failure:
                raise ProposalError("The logo’s PNG file is damaged. Export it again.") from failure
            if room < 0 or pixels.unconsumed_tail:
                raise ProposalError("The logo’s PNG file is damaged. Export it again.")
        elif kind == b"IEND" and pixels.eof:
            return
        place = end + 4
    raise ProposalError("The logo’s PNG file is cut short. Export it again.")


def _check_svg(content: bytes) -> None:
    parser = expat.ParserCreate()
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
    count = 0

    def refuse_doctype(*_declaration: object) -> None:
        raise ProposalError("The logo’s SVG file declares a document type. Export it as plain SVG.")

    def check(name: str, attributes: dict[str, str]) -> None:
        nonlocal count
        count += 1
        if count > MOST_ELEMENTS:
            raise ProposalError("The logo’s drawing has too many parts. Simplify it.")
        prefix, _colon, plain = name.rpartition(":")
        if prefix in ("", "svg") and plain not in _DRAWINGS:
            raise ProposalError(
                "The logo’s SVG file holds <{plain}>. Export it as plain drawing, text as paths.", plain=plain[:40]
            )
        for key, value in attributes.items():
            points_out = key.rpartition(":")[2] == "href" and not value.strip().startswith("#")
            if points_out or key.lower().startswith("on") or _OUTSIDE.search(value):
                raise ProposalError("The logo’s SVG file points outside itself. Export it as plain SVG.")

    def check_text(text: str) -> None:
        if _OUTSIDE.search(text):
            raise ProposalError("The logo’s SVG file points outside itself. Export it as plain SVG.")

    parser.StartDoctypeDeclHandler = refuse_doctype
    parser.EntityDeclHandler = refuse_doctype
    parser.StartElementHandler = check
    parser.CharacterDataHandler = check_text
    parser.buffer_text = True
    try:
        parser.Parse(content, True)
    except expat.ExpatError as failure:
        raise ProposalError("The logo’s SVG file cannot be read. Export it again.") from failure

"""Which characters the proposal's font can print.

PDF/A refuses a text with a character that no font has, and without PDF/A it would vanish without a word. So what cannot
be printed is replaced by a visible sign, and can be named before (`missing_characters`).
"""

import struct
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from core import RESOURCES

FONT = RESOURCES / "fonts" / "Inter-Regular.otf"
REPLACEMENT = "□"


def printable(text: str) -> str:
    """The text with a box for each character that cannot be printed.

    >>> printable("Müller 日本")
    'Müller □□'
    """
    known = characters(FONT)
    if known.issuperset(map(ord, text)):
        return text
    return "".join(one if ord(one) in known else REPLACEMENT for one in text)


def missing_characters(*texts: str) -> str:
    """The characters of the texts that would be printed as a box, each once.

    >>> missing_characters("日本 AG", "本")
    '日本'
    """
    known = characters(FONT)
    return "".join(dict.fromkeys(one for text in texts for one in text if ord(one) not in known))


def named_missing(*texts: str) -> str:
    """The first ten such characters for a sentence; those that nobody sees by their number.

    >>> named_missing("日本\\u202e AG")
    '日 本 U+202E'
    """
    return " ".join(one if one.isprintable() else f"U+{ord(one):04X}" for one in missing_characters(*texts)[:10])


@cache
def characters(font: Path) -> frozenset[int]:
    """The code points that an OpenType font maps to a glyph, and the line break."""
    content = font.read_bytes()
    tables = struct.unpack_from(">H", content, 4)[0]
    for number in range(tables):
        tag, _sum, offset, length = struct.unpack_from(">4sIII", content, 12 + 16 * number)
        if tag == b"cmap":
            return frozenset(_mapped(content[offset : offset + length])) | {ord("\n")}
    return frozenset()


def _mapped(table: bytes) -> Iterator[int]:
    """Code points of the subtables in format 12 (all of Unicode) and 4 (its first 65,536)."""
    for number in range(struct.unpack_from(">H", table, 2)[0]):
        (offset,) = struct.unpack_from(">I", table, 4 + 8 * number + 4)
        (form,) = struct.unpack_from(">H", table, offset)
        if form == 12:
            (groups,) = struct.unpack_from(">I", table, offset + 12)
            for group in range(groups):
                first, last, _glyph = struct.unpack_from(">III", table, offset + 16 + 12 * group)
                yield from range(first, last + 1)
        elif form == 4:
            half = struct.unpack_from(">H", table, offset + 6)[0] // 2
            lasts = struct.unpack_from(f">{half}H", table, offset + 14)
            firsts = struct.unpack_from(f">{half}H", table, offset + 16 + 2 * half)
            for first, last in zip(firsts, lasts, strict=True):
                yield from range(first, min(last, 0xFFFE) + 1)

"""A logo is read with suspicion: what is damaged, hostile or no drawing is refused with a sentence."""

import struct
import zlib
from pathlib import Path

import pytest

from core.errors import ProposalError
from core.proposal.logo import MOST_BYTES, checked_logo, logo_format, read_logo
from tests.core.test_proposal_pages import SVG, png


def svg(inside: str, attributes: str = "") -> bytes:
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"{attributes}>{inside}</svg>'.encode()


def test_drawings_and_pictures_are_taken() -> None:
    assert checked_logo(SVG) == SVG
    assert checked_logo(png()) == png()
    assert (logo_format(SVG), logo_format(png()), logo_format(b"")) == ("svg", "png", "")
    editor = svg(
        '<defs><linearGradient id="g"/></defs><path fill="url(#g)" d="M0 0h9v9z"/>', ' xmlns:i="urn:i" i:v="1"'
    )
    assert checked_logo(editor) == editor


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"GIF89a", "neither a PNG nor an SVG"),
        (b"", "neither a PNG nor an SVG"),
        (b" " * (MOST_BYTES + 1), "larger than"),
        (png()[:-20], "cut short|damaged"),
        (png()[:40] + b"\xff" + png()[41:], "damaged"),
        (png().replace(struct.pack(">II", 60, 20), struct.pack(">II", 60_000, 60_000)), "damaged|too many pixels"),
        (svg("<script>1</script>"), "<script>"),
        (svg("<text>A</text>"), "text as paths"),
        (svg('<image href="data:image/png;base64,AA"/>'), "<image>"),
        (svg("<foreignObject/>"), "<foreignObject>"),
        (svg('<use href="https://example.org/a.svg"/>'), "points outside"),
        (svg('<path style="fill:url(file:///etc/passwd)"/>'), "points outside"),
        (svg("<style>@import 'a.css';</style>"), "points outside"),
        (svg('<path onclick="x()"/>'), "points outside"),
        (b'<!DOCTYPE svg [<!ENTITY a "b">]>' + svg("&a;"), "document type"),
        (svg("<path>"), "cannot be read"),
        (svg("<g/>" * 30_000), "too many parts"),
    ],
)
def test_what_cannot_be_trusted_is_refused(content: bytes, reason: str) -> None:
    with pytest.raises(ProposalError, match=reason):
        checked_logo(content)


def test_a_picture_that_unpacks_without_end_is_refused() -> None:
    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    head = struct.pack(">IIBBBBB", 10, 10, 8, 2, 0, 0, 0)
    bomb = zlib.compress(b"\0" * 50_000_000)
    content = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", bomb) + chunk(b"IEND", b"")
    with pytest.raises(ProposalError, match="damaged"):
        checked_logo(content)


def test_a_file_that_cannot_be_read_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(ProposalError, match=r"none\.svg.* cannot be read"):
        read_logo(tmp_path / "none.svg")
    large = tmp_path / "large.png"
    large.write_bytes(b"0" * (MOST_BYTES + 1))
    with pytest.raises(ProposalError, match="larger than"):
        read_logo(large)

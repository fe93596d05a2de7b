"""A picture of a virtual display: Xvfb's own file (X window dump) made a PNG, without any program for pictures."""

import struct
import zlib

_HEAD = struct.Struct(">25I")


def png_of_screen(dump: bytes) -> bytes:
    """A PNG of an X window dump of 32 bits a pixel, least byte first, as Xvfb writes it.

    Raises
    ------
    ValueError : the dump has another form
    """
    head = _HEAD.unpack_from(dump)
    size, version, width, height = head[0], head[1], head[4], head[5]
    bits, line_bytes, colours = head[11], head[12], head[19]
    if version != 7 or bits != 32:
        raise ValueError(f"an X window dump of version {version} with {bits} bits a pixel cannot be read")
    start = size + 12 * colours
    rows = bytearray()
    for row in range(height):
        line = dump[start + row * line_bytes : start + row * line_bytes + 4 * width]
        rows.append(0)  # no filter
        pixels = bytearray(3 * width)
        pixels[0::3], pixels[1::3], pixels[2::3] = line[2::4], line[1::4], line[0::4]
        rows += pixels
    head_chunk = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = [(b"IHDR", head_chunk), (b"IDAT", zlib.compress(bytes(rows), 6)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, body) for kind, body in parts)


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

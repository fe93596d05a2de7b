"""Reading the header of a weight file piece by piece: never past the file, never more than one piece in memory.

Nothing that the file says about itself is trusted: a length is compared with what is left of the file before it is
used, and what is not needed is passed over without being read.
"""

import struct
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from core.errors import InvalidInput, Phrase, reason_of

PIECE = 1 << 20  # [bytes] read at a time
#: A part of a file, as messages name it: its own name, or words that are said in the reader's language.
Said = str | Phrase
MOST_HEADER = 256 * 10**6  # [bytes]; large vocabularies make headers of 20 MB


def shown(text: str, most: int = 80) -> str:
    """A name from a file as a sentence can hold it: on one line, not too long.

    >>> shown("blk.0\\nweight")
    'blk.0?weight'
    """
    return "".join(one if one.isprintable() else "?" for one in text[:most])


def listed(names: Sequence[str], most: int = 3) -> str | Phrase:
    """The first of some names from a file, and how many more there are.

    >>> listed(["a"]), str(listed(["a", "b", "c", "d", "e"]))
    ('a', 'a, b, c and 2 more')
    """
    first = ", ".join(shown(name) for name in names[:most])
    return (
        first
        if len(names) <= most
        else Phrase("{names} and {more:,} more", {"names": first, "more": len(names) - most})
    )


class HeaderStream:
    """A file that is read from its start, little by little."""

    def __init__(self, path: Path) -> None:
        self.name = path.name
        try:
            if not path.is_file():  # a folder, a pipe, a device
                raise InvalidInput("{file} is not a file.", file=path.name or path)
            self._file: BinaryIO = path.open("rb", buffering=0)
            self.size = path.stat().st_size
        except OSError as error:
            raise InvalidInput("{file} cannot be read: {reason}.", file=path.name, reason=reason_of(error)) from error
        except ValueError as error:  # a zero byte in the name
            raise InvalidInput("This is not the name of a file.") from error
        self._piece = b""
        self._at = 0  # in the piece
        self._start = 0  # of the piece in the file

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    @property
    def position(self) -> int:
        """Bytes of the file before the next one."""
        return self._start + self._at

    @property
    def left(self) -> int:
        return self.size - self.position

    def take(self, count: int, what: Said) -> bytes:
        """The next bytes; `what` says in the message what they should have been."""
        if len(self._piece) - self._at < count:
            self._fill(count, what)
        start = self._at
        self._at = start + count
        return self._piece[start : self._at]

    def unpack(self, layout: struct.Struct, what: Said) -> tuple[int | float | bool, ...]:
        """The next numbers."""
        if len(self._piece) - self._at < layout.size:
            self._fill(layout.size, what)
        values = layout.unpack_from(self._piece, self._at)
        self._at += layout.size
        return values

    def skip(self, count: int, what: Said) -> None:
        """Pass over bytes; those outside the piece are never read."""
        self._check_room(count, what)
        if self._at + count <= len(self._piece):
            self._at += count
            return
        self._start = self.position + count
        self._piece, self._at = b"", 0

    def skip_texts(self, count: int, length: struct.Struct, what: Said) -> None:
        """Pass over so many texts, each a length and its bytes: vocabularies, by the hundred thousand."""
        while count:
            count = self._skip_in_piece(count, length)
            if count:  # a text that goes beyond the piece, or its length does
                (taken,) = self.unpack(length, what)
                self.skip(int(taken), what)
                count -= 1

    def _skip_in_piece(self, count: int, length: struct.Struct) -> int:
        """Pass over the texts that lie within the piece, and say how many are left."""
        piece, at, size, unpack = self._piece, self._at, length.size, length.unpack_from
        last = len(piece) - size
        while count and at <= last:
            after = at + size + unpack(piece, at)[0]
            if after > last + size:
                break
            at = after
            count -= 1
        self._at = at
        return count

    def truncated(self, what: Said) -> InvalidInput:
        return InvalidInput(
            "{value} ends within {what}, after {size:,} bytes; it is incomplete or damaged.",
            value=self.name,
            what=what,
            size=self.size,
        )

    def _check_room(self, count: int, what: Said) -> None:
        if count > self.left:
            raise self.truncated(what)
        if self.position + count > MOST_HEADER:
            raise InvalidInput(
                "{value} has a header of more than {value2} MB; it is damaged.",
                value=self.name,
                value2=MOST_HEADER // 10**6,
            )

    def _fill(self, count: int, what: Said) -> None:
        """Make at least so many bytes available from the current position on."""
        self._check_room(count, what)
        position, rest = self.position, self._piece[self._at :]
        try:
            self._file.seek(position + len(rest))
            pieces = [rest]
            missing = max(count - len(rest), min(PIECE, self.left - len(rest)))
            while missing > 0:
                more = self._file.read(missing)
                if not more:
                    break
                pieces.append(more)
                missing -= len(more)
        except OSError as error:
            raise InvalidInput("{file} cannot be read: {reason}.", file=self.name, reason=reason_of(error)) from error
        self._piece, self._start, self._at = b"".join(pieces), position, 0
        if len(self._piece) < count:  # the file became shorter while it was read
            raise self.truncated(what)


def pieces(stream: HeaderStream, length: int, what: Said) -> Callable[[], bytes]:
    """A function that returns the next piece of so many bytes; empty at their end."""
    left = length

    def piece() -> bytes:
        nonlocal left
        count = min(left, PIECE)
        left -= count
        return stream.take(count, what) if count else b""

    return piece

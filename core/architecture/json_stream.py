"""Reading a large JSON object entry by entry, so that it is never in memory as a whole."""

import json
from collections.abc import Callable, Iterator
from typing import Any

from core.errors import InvalidInput, Phrase

MOST_ENTRY = 4 << 20  # [bytes] of one name or value

_DECODER = json.JSONDecoder()
_SPACE = " \t\r\n"

Piece = Callable[[], bytes]  # returns the next bytes of a text, and none at its end


def json_entries(piece: Piece, file: str, what: Phrase, section: str = "") -> Iterator[tuple[str, Any]]:
    """The entries of a JSON object, or of the object under the name `section` in it.

    `what` says in messages what the text is: Phrase("its header").
    """
    text = _Text(piece, InvalidInput("{file}: {what} is not JSON; it is incomplete or damaged.", file=file, what=what))
    for name in _names(text):
        if not section:
            yield name, text.value()
        elif name == section and text.next() == "{":
            for inner in _names(text):
                yield inner, text.value()
        else:
            text.value()


def _names(text: "_Text") -> Iterator[str]:
    """The names in an object; whoever asks for the next one has taken the value."""
    text.expect("{")
    if text.next() != "}":
        while True:
            name = text.value()
            if not isinstance(name, str):
                raise text.broken()
            text.expect(":")
            yield name
            if text.next() == "}":
                break
            text.expect(",")
    text.expect("}")


class _Text:
    """JSON text that arrives in pieces."""

    def __init__(self, piece: Piece, complaint: InvalidInput) -> None:
        self._piece = piece
        self._complaint = complaint
        self._text = ""
        self._rest = b""  # of a character that the last piece cut in two
        self._at = 0

    def next(self) -> str:
        """The next character that is no space, without taking it."""
        while True:
            text, at, end = self._text, self._at, len(self._text)
            while at < end and text[at] in _SPACE:
                at += 1
            self._at = at
            if at < end:
                return text[at]
            if not self._more():
                raise self.broken()

    def expect(self, character: str) -> None:
        if self.next() != character:
            raise self.broken()
        self._at += 1

    def value(self) -> Any:
        """The next value, whole."""
        self.next()
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._at)
            except RecursionError:
                raise self.broken() from None
            except ValueError:
                end = len(self._text)
            if end < len(self._text):  # what ends with the text may go on in the next piece
                self._at = end
                return value
            if len(self._text) - self._at > MOST_ENTRY or not self._more():
                raise self.broken()

    def _more(self) -> bool:
        data = self._piece()
        if not data:
            return False
        data = self._rest + data
        try:
            added, self._rest = data.decode("utf-8"), b""
        except UnicodeDecodeError as error:
            if len(data) - error.start > 3:
                raise self.broken() from None
            added, self._rest = data[: error.start].decode("utf-8"), data[error.start :]
        self._text, self._at = self._text[self._at :] + added, 0
        return True

    def broken(self) -> InvalidInput:
        return self._complaint

"""Reads the PDF files that typst writes: a table of places, plain objects, no object streams. No more than that."""

import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

_TOKEN = re.compile(rb"\s*(<<|>>|\[|\]|\(|<[0-9A-Fa-f\s]*>|/[^\s/<>\[\]()]*|[^\s/<>\[\]()]+)")
_BRACKETS = re.compile(rb"\\.|[()]", re.DOTALL)


class Name(str):
    """A name of the format, without its stroke."""


class Reference(NamedTuple):
    number: int


class File:
    """A file with its objects, each read when it is asked for."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        begin = int(content[content.rindex(b"startxref") + 9 :].split()[0])
        head = re.compile(rb"xref\s+0\s+(\d+)\s*\n").match(content, begin)
        assert head is not None
        rows = content[head.end() : head.end() + 20 * int(head[1])]
        self.places = {
            n: int(rows[20 * n : 20 * n + 10]) for n in range(int(head[1])) if rows[20 * n + 17 :][:1] == b"n"
        }
        trailer = content.index(b"trailer", head.end())
        self.trailer: Mapping[str, Any] = self._value(trailer + 7)[0]
        self.root: Mapping[str, Any] = self.of(self.trailer["Root"])

    def of(self, value: Any) -> Any:
        """What a reference stands for; anything else as it is."""
        return self.object(value.number)[0] if isinstance(value, Reference) else value

    def object(self, number: int) -> tuple[Any, int]:
        """An object by its number, and where it ends."""
        begin = self.content.index(b"obj", self.places[number]) + 3
        return self._value(begin)

    def stream(self, reference: Reference) -> bytes:
        """The unpacked content of a stream."""
        head, end = self.object(reference.number)
        begin = re.compile(rb"\s*stream\r?\n").match(self.content, end)
        assert begin is not None
        body = self.content[begin.end() : begin.end() + self.of(head["Length"])]
        return zlib.decompress(body) if head.get("Filter") == "FlateDecode" else body

    def every(self) -> Iterator[Any]:
        """All objects."""
        return (self.object(number)[0] for number in self.places)

    def elements(self, node: Any = None) -> Iterator[Mapping[str, Any]]:
        """The elements of the structure in reading order, each before what is in it."""
        value = self.of(self.root["StructTreeRoot"] if node is None else node)
        if isinstance(value, Sequence) and not isinstance(value, str | bytes):
            for one in value:
                yield from self.elements(one)
        elif isinstance(value, Mapping):
            if "S" in value:
                yield value
            if "K" in value:
                yield from self.elements(value["K"])

    def _token(self, at: int) -> tuple[bytes, int]:
        found = _TOKEN.match(self.content, at)
        assert found is not None
        return found[1], found.end()

    def _value(self, at: int) -> tuple[Any, int]:
        token, end = self._token(at)
        if token in (b"<<", b"["):
            items = []
            while True:
                closing, after = self._token(end)
                if closing in (b">>", b"]"):
                    break
                item, end = self._value(end)
                items.append(item)
            if token == b"[":
                return items, after
            return dict(zip(map(str, items[::2]), items[1::2], strict=True)), after
        if token == b"(":
            return self._text(end)
        if token.startswith(b"/"):
            return Name(token[1:].decode()), end
        if token.startswith(b"<"):
            return bytes.fromhex(token[1:-1].decode()), end
        return self._word(token, end)

    def _word(self, token: bytes, end: int) -> tuple[Any, int]:
        reference = re.compile(rb"\s+\d+\s+R\b").match(self.content, end)
        if token.isdigit() and reference is not None:
            return Reference(int(token)), reference.end()
        words = {b"true": True, b"false": False, b"null": None}
        if token in words:
            return words[token], end
        return (float(token) if b"." in token else int(token)), end

    def _text(self, begin: int) -> tuple[bytes, int]:
        depth = 1
        for found in _BRACKETS.finditer(self.content, begin):
            depth += {b"(": 1, b")": -1}.get(found[0], 0)
            if depth == 0:
                return re.sub(rb"\\([()\\])", rb"\1", self.content[begin : found.start()]), found.end()
        raise ValueError("a text does not end")

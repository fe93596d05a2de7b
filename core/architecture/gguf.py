"""Reading the header of a GGUF file: what it says about the model, and name, shape and type of each tensor.

The weights themselves are never read. A file may be damaged or made to do harm: every count and length is limited and
compared with the file before it is used, and vocabularies are counted but not kept. Files that were split are read with
all their parts. Byte layout: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md, versions 2 and 3.
"""

import math
import re
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from core.architecture.ggml_types import FILE_TYPES, GUESSED_FILE_TYPE, REMOVED_TYPES, TENSOR_TYPES, TensorType
from core.architecture.header_stream import HeaderStream, Said, listed, shown
from core.errors import InvalidInput, Phrase

MAGIC = b"GGUF"
VERSIONS = (2, 3)
MOST_FIELDS = 10_000
MOST_TENSORS = 100_000  # of all parts together; DeepSeek V3 has 1,100
MOST_PARTS = 1_000
MOST_KEPT_TEXT = 4_096  # [bytes]; longer ones are prompts and licences
MOST_KEPT_NUMBERS = 4_096  # in a list: one for each layer
MOST_KEPT = 16 * 10**6  # [bytes] of everything that is kept of the metadata
MOST_TEXTS = 2_000_000  # in the lists of a file: tokens and merges
MOST_NAME = 256  # [bytes] of a tensor; ggml itself allows 63
MOST_DIMENSIONS = 4
MOST_ALIGNMENT = 1 << 20

# Value types of the format, by number; 8 is a text, 9 a list.
NUMBERS: Mapping[int, str] = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
TEXT, LIST = 8, 9


@dataclass(frozen=True, slots=True)
class Unkept:
    """A value that was passed over: a vocabulary, a prompt. What is known of it is how much there was."""

    entries: int  # of a list; bytes of a text
    is_text: bool


Value = int | float | bool | str | list[int | float | bool] | Unkept


@dataclass(frozen=True, slots=True)
class GgufTensor:
    """One tensor, as the header describes it."""

    name: str
    shape: tuple[int, ...]  # the row length first
    type: TensorType

    @property
    def elements(self) -> int:
        return math.prod(self.shape)

    @property
    def bytes(self) -> int:
        """Bytes of the tensor's data, scales included, without padding: elements / block * block_bytes."""
        return self.elements // self.type.block * self.type.block_bytes


@dataclass(frozen=True)
class GgufFile:
    """The header of a GGUF model: of one file, or of all parts of a split one."""

    path: Path
    version: int
    big_endian: bool
    metadata: Mapping[str, Value]  # of the first part
    tensors: tuple[GgufTensor, ...]
    parts: tuple[Path, ...] = field(default=())
    file_bytes: int = 0  # of all parts, headers included

    @property
    def name(self) -> str:
        return self.path.name

    @property
    def architecture(self) -> str:
        value = self.metadata.get("general.architecture")
        return value if isinstance(value, str) else ""

    @cached_property
    def weight_bytes(self) -> int:
        """Bytes of all tensors."""
        return sum(tensor.bytes for tensor in self.tensors)

    @cached_property
    def file_type(self) -> str:
        """The name of the mixture, "Q4_K_M": as the file states it, else the type of most bytes."""
        stated = self.metadata.get("general.file_type")
        if isinstance(stated, int) and stated & ~GUESSED_FILE_TYPE in FILE_TYPES:
            return FILE_TYPES[stated & ~GUESSED_FILE_TYPE]
        sums: dict[str, int] = {}
        for tensor in self.tensors:
            sums[tensor.type.name] = sums.get(tensor.type.name, 0) + tensor.bytes
        return max(sums, key=lambda name: sums[name], default="F32")


def is_gguf(start: bytes) -> bool:
    """Whether a file that starts with these bytes says that it is a GGUF file."""
    return start[:4] == MAGIC


def read_gguf(path: Path | str) -> GgufFile:
    """Read the header of a GGUF file, with all parts if it was split; any part may be named.

    Raises `InvalidInput`, with one sentence that names the file, for what is damaged, incomplete or contradicts itself.
    """
    path = Path(path)
    opened = _read_part(path, MOST_TENSORS)
    count = opened.number("split.count")
    if count <= 1:
        return opened.whole((opened,))
    paths = _part_paths(path, count)
    parts: list[_Part] = []
    room = MOST_TENSORS
    for part_path in paths:
        part = opened if part_path == path else _read_part(part_path, room)
        parts.append(part if not parts else part.without_metadata())
        room -= len(part.tensors)
        if room < 0:
            raise InvalidInput(
                "{path} and its other parts have more than {most_tensors:,} tensors.",
                path=path.name,
                most_tensors=MOST_TENSORS,
            )
    _check_parts(parts)
    return parts[0].whole(tuple(parts))


# ------------------------------------------------------------------------------------------------------- one file


@dataclass(frozen=True, slots=True)
class _Part:
    """The header of one file."""

    path: Path
    version: int
    big_endian: bool
    metadata: dict[str, Value]
    tensors: list[GgufTensor]
    size: int

    def number(self, name: str) -> int:
        """A whole number of the metadata; 0 where there is none."""
        value = self.metadata.get(name, 0)
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise InvalidInput('"{name}" in {path} is not a whole number.', name, name=name, path=self.path.name)
        return value

    def without_metadata(self) -> "_Part":
        """The part with nothing but its place among the others; the first part speaks for all."""
        place = {name: value for name, value in self.metadata.items() if name.startswith("split.")}
        return replace(self, metadata=place)

    def whole(self, parts: "tuple[_Part, ...]") -> GgufFile:
        return GgufFile(
            path=self.path,
            version=self.version,
            big_endian=self.big_endian,
            metadata=self.metadata,
            tensors=tuple(tensor for part in parts for tensor in part.tensors),
            parts=tuple(part.path for part in parts),
            file_bytes=sum(part.size for part in parts),
        )


def _read_part(path: Path, most_tensors: int) -> _Part:
    with HeaderStream(path) as stream:
        version, order = _read_version(stream)
        reader = _Reader(stream, order)
        tensor_count = reader.count(Phrase("the number of tensors"))
        field_count = reader.count(Phrase("the number of fields"))
        if field_count > MOST_FIELDS:
            raise InvalidInput(
                "{stream} claims {field_count:,} fields; at most {most_fields:,} are read.",
                stream=stream.name,
                field_count=field_count,
                most_fields=MOST_FIELDS,
            )
        if tensor_count > most_tensors:
            raise InvalidInput(
                "{stream} claims {tensor_count:,} tensors; at most {most_tensors:,} are read.",
                stream=stream.name,
                tensor_count=tensor_count,
                most_tensors=MOST_TENSORS,
            )
        metadata = reader.fields(field_count)
        tensors, offsets = reader.tensors(tensor_count)
        _check_offsets(stream, tensors, offsets, _alignment(stream.name, metadata))
        return _Part(path, version, order == ">", metadata, tensors, stream.size)


def _read_version(stream: HeaderStream) -> tuple[int, str]:
    """The version, and the byte order that it shows: its small number stands in the first or in the last byte."""
    if stream.size < 4 or stream.take(4, Phrase("its first bytes")) != MAGIC:
        raise InvalidInput("{stream} is not a GGUF file: it does not start with “GGUF”.", stream=stream.name)
    start = stream.take(4, Phrase("the version"))
    order = ">" if start[:2] == b"\0\0" else "<"
    (version,) = struct.unpack(order + "I", start)
    if version == 1:
        raise InvalidInput(
            "{stream} is of GGUF version 1, which no engine loads any more; convert it again.", stream=stream.name
        )
    if version not in VERSIONS:
        raise InvalidInput(
            "{stream} is of GGUF version {version:,}; Tonnage reads versions 2 and 3.",
            stream=stream.name,
            version=version,
        )
    return int(version), order


class _Reader:
    """The values of a header in the byte order of its file."""

    def __init__(self, stream: HeaderStream, order: str) -> None:
        self.stream = stream
        self.numbers = {number: struct.Struct(order + letter) for number, letter in NUMBERS.items()}
        self.length = struct.Struct(order + "Q")
        self.kind = struct.Struct(order + "I")
        self.order = order
        self.kept = 0
        self.texts = 0

    def count(self, what: Said) -> int:
        return int(self.stream.unpack(self.length, what)[0])

    def fields(self, count: int) -> dict[str, Value]:
        """All fields of the metadata."""
        found: dict[str, Value] = {}
        for index in range(count):
            name = self._text(Phrase("the name of field {number:,}", {"number": index + 1}), 65_535)
            if name in found:
                raise InvalidInput(
                    '{stream} has "{shown}" twice.', shown(name), stream=self.stream.name, shown=shown(name)
                )
            found[name] = self._value(Phrase("“{name}”", {"name": shown(name)}))
        return found

    def _keep(self, count: int) -> None:
        self.kept += count
        if self.kept > MOST_KEPT:
            raise InvalidInput(
                "{stream} holds more than {value} MB of metadata.", stream=self.stream.name, value=MOST_KEPT // 10**6
            )

    def _text(self, what: Said, most: int, strict: bool = True) -> str:
        length = self.count(what)
        if length > most:
            raise InvalidInput(
                "{stream}: {what} is {length:,} bytes long; the file is damaged.",
                stream=self.stream.name,
                what=what,
                length=length,
            )
        self._keep(length)
        data = self.stream.take(length, what)
        try:
            return data.decode("utf-8", "strict" if strict else "replace")
        except UnicodeDecodeError:
            raise InvalidInput(
                "{stream}: {what} is not text in UTF-8; the file is damaged.", stream=self.stream.name, what=what
            ) from None

    def _value(self, what: Said) -> Value:
        (kind,) = self.stream.unpack(self.kind, what)
        if kind == TEXT:
            return self._text_value(what)
        if kind == LIST:
            return self._list_value(what)
        return self._number(int(kind), what)

    def _number(self, kind: int, what: Said) -> int | float | bool:
        layout = self.numbers.get(kind)
        if layout is None:
            raise InvalidInput(
                "{stream}: {what} is of the unknown kind {kind:,}; the file is damaged.",
                stream=self.stream.name,
                what=what,
                kind=kind,
            )
        return self.stream.unpack(layout, what)[0]

    def _text_value(self, what: Said) -> str | Unkept:
        length = self.count(what)
        if length > MOST_KEPT_TEXT:
            self.stream.skip(length, what)
            return Unkept(length, is_text=True)
        self._keep(length)
        return self.stream.take(length, what).decode("utf-8", "replace")

    def _list_value(self, what: Said) -> Value:
        (kind,) = self.stream.unpack(self.kind, what)
        count = self.count(what)
        if kind == TEXT:
            self.texts += count
            if self.texts > MOST_TEXTS:
                raise InvalidInput(
                    "{stream}: {what} claims {count:,} texts; the file is damaged.",
                    stream=self.stream.name,
                    what=what,
                    count=count,
                )
            self.stream.skip_texts(count, self.length, what)
            return Unkept(count, is_text=False)
        layout = self.numbers.get(int(kind))
        if layout is None:
            raise InvalidInput(
                "{stream}: {what} is a list of the unknown kind {kind:,}.",
                stream=self.stream.name,
                what=what,
                kind=kind,
            )
        if count > MOST_KEPT_NUMBERS:
            self.stream.skip(count * layout.size, what)
            return Unkept(count, is_text=False)
        self._keep(count * 8)
        many = struct.Struct(f"{self.order}{count}{NUMBERS[int(kind)]}")
        return list(self.stream.unpack(many, what))

    def tensors(self, count: int) -> tuple[list[GgufTensor], list[int]]:
        """All tensors, and where each starts within the data."""
        found: list[GgufTensor] = []
        offsets: list[int] = []
        names: set[str] = set()
        for index in range(count):
            what = Phrase("the description of tensor {number:,}", {"number": index + 1})
            name = self._text(what, MOST_NAME)
            if name in names:
                raise InvalidInput("{stream} has the tensor {shown} twice.", stream=self.stream.name, shown=shown(name))
            names.add(name)
            found.append(self._tensor(name, what))
            offsets.append(self.count(what))
        return found, offsets

    def _tensor(self, name: str, what: Said) -> GgufTensor:
        (dimensions,) = self.stream.unpack(self.kind, what)
        if not 1 <= dimensions <= MOST_DIMENSIONS:
            raise InvalidInput(
                "{stream}: the tensor {shown} has {dimensions:,} dimensions.",
                stream=self.stream.name,
                shown=shown(name),
                dimensions=dimensions,
            )
        shape = self.stream.unpack(struct.Struct(f"{self.order}{dimensions}Q"), what)
        (number,) = self.stream.unpack(self.kind, what)
        kind = TENSOR_TYPES.get(int(number))
        if kind is None:
            raise self._unknown_type(name, int(number))
        if shape[0] % kind.block:
            raise InvalidInput(
                "{stream}: the rows of {shown} have {shape:,} elements, which is no multiple of the "
                "{block} that {kind} stores together.",
                stream=self.stream.name,
                shown=shown(name),
                shape=shape[0],
                block=kind.block,
                kind=kind.name,
            )
        return GgufTensor(name, tuple(int(n) for n in shape), kind)

    def _unknown_type(self, name: str, number: int) -> InvalidInput:
        if number in REMOVED_TYPES:
            said = Phrase("of the type {kind}, which was taken out of the format", {"kind": REMOVED_TYPES[number]})
        else:
            said = Phrase("of type number {number:,}, which Tonnage does not know", {"number": number})
        return InvalidInput(
            "{stream}: the tensor {shown} is {said}.", stream=self.stream.name, shown=shown(name), said=said
        )


def _alignment(file: str, metadata: Mapping[str, Value]) -> int:
    value = metadata.get("general.alignment", 32)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 < value <= MOST_ALIGNMENT or value & (value - 1):
        raise InvalidInput('"general.alignment" in {file} is not a power of two.', "general.alignment", file=file)
    return value


def _check_offsets(stream: HeaderStream, tensors: list[GgufTensor], offsets: list[int], alignment: int) -> None:
    """Each tensor has a place of its own in the data, and the file is long enough for all."""
    data = -(-stream.position // alignment) * alignment
    before, after = "", 0
    for offset, tensor in sorted(zip(offsets, tensors, strict=True), key=lambda pair: pair[0]):
        if offset % alignment:
            raise InvalidInput(
                "{stream}: the tensor {shown} does not start at a multiple of {alignment}.",
                stream=stream.name,
                shown=shown(tensor.name),
                alignment=alignment,
            )
        if offset < after:
            raise InvalidInput(
                "{stream}: the tensors {shown} and {shown2} overlap.",
                stream=stream.name,
                shown=shown(before),
                shown2=shown(tensor.name),
            )
        before, after = tensor.name, offset + tensor.bytes
    if after and data + after > stream.size:
        missing = data + after - stream.size
        raise InvalidInput(
            "{stream} is incomplete: {missing:,} of {value:,} bytes are missing; download it again.",
            stream=stream.name,
            missing=missing,
            value=data + after,
        )


# --------------------------------------------------------------------------------------------------------- parts

_PART = re.compile(r"^(?P<name>.+)-(?P<number>\d{5})-of-(?P<count>\d{5})\.gguf$", re.IGNORECASE | re.DOTALL)


def part_names(file: str) -> list[str]:
    """The names of all parts of the split model that a file name belongs to; just the name where it is no part.

    >>> part_names("m-00002-of-00003.gguf")
    ['m-00001-of-00003.gguf', 'm-00002-of-00003.gguf', 'm-00003-of-00003.gguf']
    """
    match = _PART.match(file)
    if not match or not 1 <= int(match["number"]) <= int(match["count"]) <= MOST_PARTS:
        return [file]
    end = file[match.end("count") :]
    return [f"{match['name']}-{number:05}-of-{match['count']}{end}" for number in range(1, int(match["count"]) + 1)]


def _part_paths(path: Path, count: int) -> list[Path]:
    """The files of a split model in their order; all of them are there."""
    if count > MOST_PARTS:
        raise InvalidInput(
            "{path} says that it is one of {count:,} parts; the file is damaged.",
            "split.count",
            path=path.name,
            count=count,
        )
    names = part_names(path.name)
    if len(names) != count:
        raise InvalidInput(
            "{path} is one of {count} parts, but is not named like “…-00001-of-{count:05}.gguf”; give "
            "the parts their names back.",
            "split.count",
            path=path.name,
            count=count,
        )
    paths = [path.with_name(name) for name in names]
    missing = [part.name for part in paths if not part.is_file()]
    if missing:
        raise InvalidInput(
            "{path} is one of {count} parts, of which {listed} cannot be found beside it.",
            path=path.name,
            count=count,
            listed=listed(missing),
        )
    return paths


def _check_parts(parts: list[_Part]) -> None:
    """The parts belong together: same count, the right order, no tensor twice, none missing."""
    count, names = parts[0].number("split.count"), set[str]()
    for index, part in enumerate(parts):
        if part.number("split.count") != count or part.number("split.no") != index:
            raise InvalidInput(
                "{path} does not belong to {path2}: it says so itself.",
                "split.no",
                path=part.path.name,
                path2=parts[0].path.name,
            )
        for tensor in part.tensors:
            if tensor.name in names:
                raise InvalidInput(
                    "{path} holds {shown}, as another part does.", path=part.path.name, shown=shown(tensor.name)
                )
            names.add(tensor.name)
    stated = parts[0].number("split.tensors.count")
    if stated and stated != len(names):
        raise InvalidInput(
            "{path} and its parts hold {count:,} tensors instead of {stated:,}.",
            "split.tensors.count",
            path=parts[0].path.name,
            count=len(names),
            stated=stated,
        )


# ------------------------------------------------------------------------------------------------------ metadata


def plain_metadata(metadata: Mapping[str, Value]) -> Iterator[tuple[str, Any]]:
    """What is worth keeping of the metadata, as JSON has it: no vocabulary, no prompt."""
    for name, value in metadata.items():
        if not isinstance(value, Unkept) and not name.startswith("tokenizer."):
            yield name, value

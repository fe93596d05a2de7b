"""Reading the headers of safetensors files: dtype, shape and place of each tensor, never the weights.

A header is 8 bytes of length and a JSON object with one entry for each tensor. It may be made to do harm, and those of
large mixtures have a hundred thousand entries: it is read entry by entry, and what is not needed is dropped at once.
Format: https://github.com/huggingface/safetensors#format.
"""

import math
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeGuard

from core.architecture.header_stream import HeaderStream, listed, pieces, shown
from core.architecture.json_stream import json_entries
from core.errors import InvalidInput, Phrase

MOST_HEADER = 100_000_000  # [bytes]; the format's own limit
MOST_TENSORS = 500_000  # in one file
MOST_DIMENSIONS = 8
MOST_SHARDS = 2_000
INDEX = "model.safetensors.index.json"

# Bits of an element. Types of less than a byte are packed without gaps.
DTYPE_BITS = {
    "F64": 64,
    "F32": 32,
    "F16": 16,
    "BF16": 16,
    "F8_E5M2": 8,
    "F8_E4M3": 8,
    "F8_E5M2FNUZ": 8,
    "F8_E4M3FNUZ": 8,
    "F8_E8M0": 8,
    "F6_E2M3": 6,
    "F6_E3M2": 6,
    "F4": 4,
    "I64": 64,
    "I32": 32,
    "I16": 16,
    "I8": 8,
    "U64": 64,
    "U32": 32,
    "U16": 16,
    "U8": 8,
    "BOOL": 8,
    "C64": 64,
}


@dataclass(frozen=True, slots=True)
class SafeTensor:
    """One tensor, as a header describes it."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    start: int  # within the data
    end: int

    @property
    def elements(self) -> int:
        """Numbers as they are stored: a byte that holds two nibbles is one."""
        return math.prod(self.shape)

    @property
    def bytes(self) -> int:
        return self.end - self.start


def is_safetensors(start: bytes) -> bool:
    """Whether a file that starts with these bytes looks like a safetensors file."""
    return len(start) >= 9 and 2 <= int.from_bytes(start[:8], "little") <= MOST_HEADER and start[8:9] == b"{"


def read_safetensors(path: Path | str) -> Iterator[SafeTensor]:
    """The tensors of one file, one after the other.

    Raises `InvalidInput`, with one sentence that names the file, for what is damaged, incomplete or contradicts itself;
    the places of the tensors are compared after the last of them.
    """
    path = Path(path)
    with HeaderStream(path) as stream:
        (length,) = stream.unpack(struct.Struct("<Q"), Phrase("the length of its header"))
        if length > MOST_HEADER:
            raise InvalidInput(
                "{stream} is not a safetensors file: its header would have {length:,} bytes.",
                stream=stream.name,
                length=length,
            )
        if length > stream.left:
            raise stream.truncated(Phrase("its header"))
        data = stream.size - 8 - int(length)
        places: list[tuple[int, int]] = []
        names: set[int] = set()
        for name, value in json_entries(
            pieces(stream, int(length), Phrase("its header")), stream.name, Phrase("its header")
        ):
            if name == "__metadata__":
                continue
            tensor = _tensor(name, value, stream.name)
            names.add(hash(name))
            places.append((tensor.start, tensor.end))
            if len(places) > MOST_TENSORS:
                raise InvalidInput(
                    "{stream} has more than {most_tensors:,} tensors.", stream=stream.name, most_tensors=MOST_TENSORS
                )
            yield tensor
        if len(names) != len(places):
            raise InvalidInput("{stream} has a tensor twice.", stream=stream.name)
        _check_places(places, data, stream.name)


def _tensor(name: str, value: Any, file: str) -> SafeTensor:
    if not isinstance(value, dict):
        raise InvalidInput("{file}: the entry of {shown} is not an object.", shown(name), file=file, shown=shown(name))
    dtype, shape, offsets = value.get("dtype"), value.get("shape"), value.get("data_offsets")
    if not isinstance(dtype, str) or dtype not in DTYPE_BITS:
        raise InvalidInput(
            "{file}: the tensor {shown} is of the unknown type {shown2}.",
            shown(name),
            file=file,
            shown=shown(name),
            shown2=shown(str(dtype), 20),
        )
    if not _whole_numbers(shape) or len(shape) > MOST_DIMENSIONS:
        raise InvalidInput("{file}: the tensor {shown} has no usable shape.", shown(name), file=file, shown=shown(name))
    if not _whole_numbers(offsets) or len(offsets) != 2:
        raise InvalidInput(
            "{file}: the tensor {shown} has no usable data_offsets.", shown(name), file=file, shown=shown(name)
        )
    tensor = SafeTensor(name, dtype, tuple(shape), offsets[0], offsets[1])
    if tensor.bytes * 8 != tensor.elements * DTYPE_BITS[dtype]:
        raise InvalidInput(
            "{file}: the tensor {shown} occupies {bytes:,} bytes, which does not fit its shape and type.",
            shown(name),
            file=file,
            shown=shown(name),
            bytes=tensor.bytes,
        )
    return tensor


def _whole_numbers(value: Any) -> TypeGuard[list[int]]:
    return isinstance(value, list) and all(type(n) is int and 0 <= n < 1 << 60 for n in value)


def _check_places(places: list[tuple[int, int]], data: int, file: str) -> None:
    """The tensors lie one behind the other and fill the file."""
    places.sort()
    after = 0
    for start, end in places:
        if start != after:
            what = Phrase("overlap") if start < after else Phrase("leave a gap")
            raise InvalidInput(
                "{file}: two tensors {what} at byte {min:,} of the data; it is damaged.",
                file=file,
                what=what,
                min=min(start, after),
            )
        after = end
    if after > data:
        raise InvalidInput(
            "{file} is incomplete: {value:,} bytes of its data are missing; download it again.",
            file=file,
            value=after - data,
        )
    if after < data:
        raise InvalidInput(
            "{file} holds {value:,} bytes after its last tensor; it is damaged.", file=file, value=data - after
        )


# ----------------------------------------------------------------------------------------------------------- shards


@dataclass(frozen=True, slots=True)
class Contents:
    """What a file holds, in short: how many tensors, and a number made of all their names."""

    tensors: int = 0
    names: int = 0

    def and_name(self, name: str) -> "Contents":
        return Contents(self.tensors + 1, self.names ^ hash(name))


def read_index(path: Path) -> Mapping[str, Contents]:
    """What the index of a sharded model says that each of its files holds, by the file's name."""
    shards: dict[str, Contents] = {}
    with HeaderStream(path) as stream:
        if stream.size > MOST_HEADER:
            raise InvalidInput(
                "{stream} has {value:,.0f} MB; an index has at most 100.",
                stream=stream.name,
                value=stream.size / 1000000.0,
            )
        text = pieces(stream, stream.size, Phrase("its text"))
        for name, shard in json_entries(text, stream.name, Phrase("its text"), "weight_map"):
            if not isinstance(shard, str) or not _is_plain_name(shard):
                raise InvalidInput(
                    "{stream} names no file for {shown}.", "weight_map", stream=stream.name, shown=shown(name)
                )
            shards[shard] = shards.get(shard, Contents()).and_name(name)
            if len(shards) > MOST_SHARDS:
                raise InvalidInput(
                    "{stream} names more than {most_shards:,} files.",
                    "weight_map",
                    stream=stream.name,
                    most_shards=MOST_SHARDS,
                )
    if not shards:
        raise InvalidInput('{path} has no "weight_map".', "weight_map", path=path.name)
    return shards


def _is_plain_name(shard: str) -> bool:
    """A file beside the index: no folder, no way out of it."""
    return (
        len(shard) <= 255 and shard.isprintable() and shard.endswith(".safetensors") and not set(shard) & set("/\\:\0")
    )


def read_shards(folder: Path) -> Iterator[SafeTensor]:
    """The tensors of all safetensors files that belong to the model in a folder; none where there are no such files.

    Which files belong to it is what the index says, or, without one, `model.safetensors` or the only file.
    """
    index = folder / INDEX
    if index.is_file():
        yield from _indexed(folder, read_index(index))
    else:
        single = single_file(folder)
        if single is not None:
            yield from read_safetensors(single)


def single_file(folder: Path) -> Path | None:
    """The weights of a model that is not sharded."""
    if (folder / "model.safetensors").is_file():
        return folder / "model.safetensors"
    found = sorted(folder.glob("*.safetensors"))
    found = [path for path in found if not path.name.startswith("adapter_")]
    if len(found) > 1:
        raise InvalidInput(
            "{folder} holds {count} safetensors files, but no {index} that joins them.",
            folder=folder.name,
            count=len(found),
            index=INDEX,
        )
    return found[0] if found else None


def _indexed(folder: Path, shards: Mapping[str, Contents]) -> Iterator[SafeTensor]:
    missing = [shard for shard in shards if not (folder / shard).is_file()]
    if missing:
        raise InvalidInput(
            "{index} names {count} files, of which {listed} cannot be found in {folder}.",
            index=INDEX,
            count=len(shards),
            listed=listed(missing),
            folder=folder.name,
        )
    for shard, wanted in shards.items():
        found = Contents()
        for tensor in read_safetensors(folder / shard):
            found = found.and_name(tensor.name)
            yield tensor
        if found != wanted:
            raise InvalidInput(
                "{shard} holds {tensors:,} tensors, which are not the {tensors2:,} that {index} names.",
                shard=shard,
                tensors=found.tensors,
                tensors2=wanted.tensors,
                index=INDEX,
            )

"""GGUF headers against the files that the gguf package writes, and against files that nobody should have written."""

import os
import re
import struct
import tracemalloc
from dataclasses import replace
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.architecture import gguf as reader
from core.architecture.config import read_config
from core.architecture.ggml_types import FILE_TYPES, REMOVED_TYPES, TENSOR_TYPES
from core.architecture.gguf import Unkept, read_gguf
from core.architecture.header_stream import listed
from core.architecture.model_file import read_model
from core.architecture.plausible import impossible
from core.errors import InvalidInput, Phrase, TonnageError, reason_of
from core.language.messages import in_language
from core.language.sentences import error, phrase
from tests.core import gguf_models as models

TYPES = list(gguf.GGMLQuantizationType)


def small(path: Path, kind: gguf.GGMLQuantizationType = gguf.GGMLQuantizationType.F16, **options: Any) -> None:
    """A whole model of two layers."""
    config = {
        "num_hidden_layers": 2,
        "hidden_size": 256,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "intermediate_size": 512,
        "vocab_size": 64,
        "max_position_embeddings": 1024,
    }
    architecture, fields, tensors = models.llama(config)
    models.write(path, architecture, fields | {"tokenizer.ggml.tokens": ["a"] * 64}, tensors, kind, **options)


# -------------------------------------------------------------------------------------------------------- the oracle


def test_knows_the_types_of_the_package() -> None:
    assert {n: (t.name, t.block, t.block_bytes) for n, t in TENSOR_TYPES.items()} == {
        int(kind): (kind.name, *gguf.GGML_QUANT_SIZES[kind]) for kind in TYPES
    }
    assert not set(REMOVED_TYPES) & set(TENSOR_TYPES)
    named = {int(kind): kind.name.removeprefix("MOSTLY_").removeprefix("ALL_") for kind in gguf.LlamaFileType}
    named = {number: "MXFP4" if name == "MXFP4_MOE" else name for number, name in named.items() if number < 1024}
    assert named == FILE_TYPES


@pytest.mark.parametrize("kind", TYPES, ids=lambda kind: str(kind.name))
def test_reads_tensors_of_every_type(kind: gguf.GGMLQuantizationType, tmp_path: Path) -> None:
    block, size = gguf.GGML_QUANT_SIZES[kind]
    path = tmp_path / "m.gguf"
    writer = gguf.GGUFWriter(path, "llama")
    shapes = [(3, 2 * block), (block,), (2, 5, 3 * block)]
    for index, shape in enumerate(shapes):
        data = np.zeros((*shape[:-1], shape[-1] // block * size), np.uint8)
        writer.add_tensor(f"t{index}", data, raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    found = read_gguf(path)
    wanted = gguf.GGUFReader(path).tensors
    assert [(t.name, t.shape, t.type.name, t.elements, t.bytes) for t in found.tensors] == [
        (t.name, tuple(int(n) for n in t.shape), t.tensor_type.name, t.n_elements, t.n_bytes) for t in wanted
    ]
    assert found.weight_bytes == sum(t.n_bytes for t in wanted)
    assert (found.file_type, found.file_bytes) == (kind.name, path.stat().st_size)


def test_reads_fields_of_every_kind(tmp_path: Path) -> None:
    kinds = gguf.GGUFValueType
    values: dict[str, tuple[Any, gguf.GGUFValueType]] = {
        "u8": (200, kinds.UINT8),
        "i8": (-100, kinds.INT8),
        "u16": (60_000, kinds.UINT16),
        "i16": (-30_000, kinds.INT16),
        "u32": (4_000_000_000, kinds.UINT32),
        "i32": (-2_000_000_000, kinds.INT32),
        "f32": (0.5, kinds.FLOAT32),
        "u64": (2**63, kinds.UINT64),
        "i64": (-(2**62), kinds.INT64),
        "f64": (0.1, kinds.FLOAT64),
        "yes": (True, kinds.BOOL),
        "text": ("Größe", kinds.STRING),
        "numbers": ([1, 2, 3], kinds.ARRAY),
        "flags": ([True, False], kinds.ARRAY),
        "floats": ([0.5, 0.25], kinds.ARRAY),
    }
    for order in gguf.GGUFEndian:
        path = tmp_path / f"{order.name}.gguf"
        writer = gguf.GGUFWriter(path, "llama", endianess=order)
        for name, (value, kind) in values.items():
            writer.add_key_value(name, value, kind)
        writer.add_array("tokens", ["a", "b", "c"])
        writer.add_string("prompt", "x" * 5_000)
        writer.add_tensor_info("t", (4,), np.dtype(np.float32), 16)
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_ti_data_to_file()
        writer.close()
        os.truncate(path, path.stat().st_size + 64)
        found = read_gguf(path)
        assert {name: found.metadata[name] for name in values} == {name: value for name, (value, _) in values.items()}
        assert found.metadata["tokens"] == Unkept(3, is_text=False)
        assert found.metadata["prompt"] == Unkept(5_000, is_text=True)
        assert (found.version, found.big_endian) == (3, order is gguf.GGUFEndian.BIG)
        assert [(t.name, t.shape) for t in found.tensors] == [("t", (4,))]


def test_reads_version_2_and_another_alignment(tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    small(path)
    data = bytearray(path.read_bytes())
    data[4:8] = struct.pack("<I", 2)
    (tmp_path / "2.gguf").write_bytes(data)
    assert read_gguf(tmp_path / "2.gguf").tensors == read_gguf(path).tensors
    assert read_gguf(tmp_path / "2.gguf").version == 2


def test_texts_that_cross_pieces_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_token_list(["x" * length for length in (300_000, 900_000, 1_500_000, 7, 0, 1_048_568, 3)])
    writer.add_uint32("after", 7)
    writer.add_tensor_info("t", (4,), np.dtype(np.float32), 16)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_ti_data_to_file()
    writer.close()
    os.truncate(path, path.stat().st_size + 64)
    found = read_gguf(path)
    assert (found.metadata["tokenizer.ggml.tokens"], found.metadata["after"]) == (Unkept(7, is_text=False), 7)


# ------------------------------------------------------------------------------------------------------------- parts


def split(folder: Path) -> list[Path]:
    small(folder / "m.gguf", split_max_tensors=6)
    return sorted(folder.glob("*.gguf"))


def test_reads_all_parts_from_any_of_them(tmp_path: Path) -> None:
    (tmp_path / "whole").mkdir()
    small(tmp_path / "whole" / "m.gguf")
    whole = read_gguf(tmp_path / "whole" / "m.gguf")
    (tmp_path / "parts").mkdir()
    paths = split(tmp_path / "parts")
    assert len(paths) == 4
    for path in paths:
        found = read_gguf(path)
        assert (found.tensors, found.weight_bytes) == (whole.tensors, whole.weight_bytes)
        assert found.parts == tuple(paths)
        assert found.file_bytes == sum(path.stat().st_size for path in paths)
        assert read_model(path).blueprint.parameters == read_model(tmp_path / "whole" / "m.gguf").blueprint.parameters
    assert read_model(tmp_path / "parts").blueprint == read_model(paths[0]).blueprint


def test_missing_parts_are_named(tmp_path: Path) -> None:
    paths = split(tmp_path)
    paths[1].unlink()
    paths[3].unlink()
    with pytest.raises(
        InvalidInput, match=r"one of 4 parts, of which m-00002-of-00004\.gguf, m-00004-of-00004\.gguf cannot be found"
    ):
        read_gguf(paths[0])


def test_parts_that_do_not_belong_together(tmp_path: Path) -> None:
    paths = split(tmp_path)
    paths[2].write_bytes(paths[1].read_bytes())
    with pytest.raises(InvalidInput, match=r"m-00003-of-00004\.gguf does not belong to m-00001-of-00004\.gguf"):
        read_gguf(paths[0])


def test_part_under_another_name(tmp_path: Path) -> None:
    path = split(tmp_path)[0].rename(tmp_path / "model.gguf")
    with pytest.raises(InvalidInput, match=r"not named like “…-00001-of-00004\.gguf”"):
        read_gguf(path)


# ------------------------------------------------------------------------------------------------------ hostile files


def header(
    fields: bytes = b"", tensors: bytes = b"", count: tuple[int, int] = (0, 0), version: int = 3, magic: bytes = b"GGUF"
) -> bytes:
    """A header as it lies in the file: `count` of tensors and fields."""
    return magic + struct.pack("<IQQ", version, *count) + fields + tensors


def text(value: str | bytes) -> bytes:
    data = value.encode() if isinstance(value, str) else value
    return struct.pack("<Q", len(data)) + data


def tensor(name: str = "t", shape: tuple[int, ...] = (4,), kind: int = 0, offset: int = 0) -> bytes:
    sizes = struct.pack(f"<I{len(shape)}Q", len(shape), *shape)
    return text(name) + sizes + struct.pack("<IQ", kind, offset)


def number(name: str, value: int) -> bytes:
    return text(name) + struct.pack("<II", 4, value)


HUGE = 2**62
HOSTILE: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "is not a GGUF file"),
    "other": (b"GGML" + b"\0" * 40, "is not a GGUF file"),
    "old": (header(version=1), "is of GGUF version 1, which no engine loads"),
    "new": (header(version=77), "is of GGUF version 77; Tonnage reads versions 2 and 3"),
    "cut": (header()[:12], "ends within the number of tensors, after 12 bytes"),
    "fields": (header(count=(0, HUGE)), "claims 4,611,686,018,427,387,904 fields; at most 10,000 are read"),
    "tensors": (header(count=(HUGE, 0)), "claims 4,611,686,018,427,387,904 tensors; at most 100,000 are read"),
    "name": (
        header(struct.pack("<Q", HUGE), count=(0, 1)),
        "the name of field 1 is 4,611,686,018,427,387,904 bytes long",
    ),
    "utf8": (header(text(b"\xff\xfe") + struct.pack("<II", 4, 1), count=(0, 1)), "is not text in UTF-8"),
    "kind": (header(text("a") + struct.pack("<I", 99), count=(0, 1)), "“a” is of the unknown kind 99"),
    "twice": (header(number("a", 1) * 2, count=(0, 2)), 'has "a" twice'),
    "text": (header(text("a") + struct.pack("<IQ", 8, HUGE), count=(0, 1)), "ends within “a”"),
    "list": (header(text("a") + struct.pack("<IIQ", 9, 4, HUGE), count=(0, 1)), "ends within “a”"),
    "texts": (
        header(text("a") + struct.pack("<IIQ", 9, 8, HUGE), count=(0, 1)),
        "“a” claims 4,611,686,018,427,387,904 texts",
    ),
    "nested": (header(text("a") + struct.pack("<IIQ", 9, 9, 1), count=(0, 1)), "“a” is a list of the unknown kind 9"),
    "dimensions": (
        header(tensors=text("t") + struct.pack("<I", 9), count=(1, 0)),
        "the tensor t has 9 dimensions",
    ),
    "type": (
        header(tensors=tensor(kind=200), count=(1, 0)),
        "the tensor t is of type number 200, which Tonnage does not know",
    ),
    "removed": (
        header(tensors=tensor(kind=31), count=(1, 0)),
        "of the type Q4_0_4_4, which was taken out of the format",
    ),
    "row": (
        header(tensors=tensor(shape=(100,), kind=12), count=(1, 0)),
        "have 100 elements, which is no multiple of the 256",
    ),
    "large": (header(tensors=tensor(shape=(HUGE, HUGE)), count=(1, 0)), "is incomplete"),
    "far": (header(tensors=tensor(offset=HUGE), count=(1, 0)), "is incomplete: 4,611,686,018,427,387,927 of"),
    "astray": (header(tensors=tensor(offset=7), count=(1, 0)), "does not start at a multiple of 32"),
    "overlap": (
        header(tensors=tensor("a", (64,)) + tensor("b", (64,), offset=32), count=(2, 0)) + b"\0" * 4096,
        "the tensors a and b overlap",
    ),
    "same": (header(tensors=tensor() * 2, count=(2, 0)), "has the tensor t twice"),
    "alignment": (header(number("general.alignment", 24), count=(0, 1)), "is not a power of two"),
    "parts": (header(number("split.count", 60_000), count=(0, 1)), "says that it is one of 60,000 parts"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_refuses_in_one_sentence(case: str, tmp_path: Path) -> None:
    data, said = HOSTILE[case]
    path = tmp_path / "bad.gguf"
    path.write_bytes(data)
    with pytest.raises(InvalidInput) as caught:
        read_gguf(path)
    assert said in caught.value.message
    assert "bad.gguf" in caught.value.message
    assert caught.value.message.endswith(".")
    assert "\n" not in caught.value.message


def test_no_list_of_texts_fills_the_memory(tmp_path: Path) -> None:
    path = tmp_path / "bad.gguf"
    count = 300_000
    path.write_bytes(header(text("a") + struct.pack("<IIQ", 9, 8, count), count=(0, 1)))
    os.truncate(path, 10**12)  # a terabyte of empty texts
    tracemalloc.start()
    read_gguf(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10 * 10**6


def test_no_header_larger_than_any_real_one(tmp_path: Path) -> None:
    path = tmp_path / "bad.gguf"
    kept = text("a") + struct.pack("<IIQ", 9, 4, 10**11)
    path.write_bytes(header(kept, count=(0, 2)))
    os.truncate(path, 10**12)
    with pytest.raises(InvalidInput, match="has a header of more than 256 MB"):
        read_gguf(path)


@pytest.mark.parametrize("what", ["fields", "tensors", "parts"])
def test_memory_is_bounded_at_every_limit(what: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.gguf"
    if what == "fields":
        one = struct.pack("<IIQ", 9, 0, 4096) + b"\x07" * 4096
        data = header(b"".join(text(f"{i:05}") + one for i in range(10_000)), count=(0, 10_000))
    elif what == "tensors":
        data = header(tensors=b"".join(tensor(f"{i:0120}", (0,)) for i in range(100_000)), count=(100_000, 0))
    else:
        data = header(text("split.count") + struct.pack("<IH", 2, 1000), count=(0, 1))
        path = tmp_path / "bad-00001-of-01000.gguf"
        for name in reader.part_names(path.name):
            (tmp_path / name).write_bytes(data)
    path.write_bytes(data)
    tracemalloc.start()
    said = header_complaint(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 150 * 10**6
    assert (
        said
        == {
            "fields": "bad.gguf holds more than 16 MB of metadata.",
            "tensors": "",
            "parts": "bad-00002-of-01000.gguf does not belong to bad-00001-of-01000.gguf: it says so itself.",
        }[what]
    )


def header_complaint(path: Path) -> str:
    try:
        read_gguf(path)
    except InvalidInput as error:
        return error.message
    return ""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("gguf") / "m.gguf"
    small(path, gguf.GGMLQuantizationType.Q4_K)
    return path


def header_length(path: Path) -> int:
    return path.stat().st_size - read_gguf(path).weight_bytes


def test_every_truncation_is_refused(whole: Path, tmp_path: Path) -> None:
    data, path = whole.read_bytes(), tmp_path / "cut.gguf"
    for length in [*range(header_length(whole)), len(data) // 2, len(data) - 32]:
        path.write_bytes(data[:length])
        with pytest.raises(InvalidInput) as caught:
            read_gguf(path)
        assert "cut.gguf" in caught.value.message


@settings(max_examples=400, deadline=None)
@given(data=st.data())
def test_mutated_bytes_never_do_more_than_refuse(
    whole: Path, tmp_path_factory: pytest.TempPathFactory, data: Any
) -> None:
    mutated = bytearray(whole.read_bytes())
    end = header_length(whole)
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, end - 1))
        mutated[at] = data.draw(st.integers(0, 255))
    path = whole.with_name("mutated.gguf")
    path.write_bytes(mutated)
    said = complaint(path)
    assert said == "" or ("mutated.gguf" in said and said.endswith(".") and "\n" not in said)


def complaint(path: Path) -> str:
    """What is wrong with a file; empty where it can be read, and then it holds what it says."""
    try:
        model = read_model(path)
    except TonnageError as error:
        return error.message
    assert impossible(model.blueprint) is None
    assert model.weight_bytes is not None
    assert sum(model.weight_bytes.values()) <= path.stat().st_size
    return ""


def test_folders_pipes_and_missing_files(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"holds neither a config\.json nor a GGUF model"):
        read_model(tmp_path)
    with pytest.raises(InvalidInput, match="does not exist"):
        read_model(tmp_path / "none.gguf")
    if hasattr(os, "mkfifo"):  # a pipe would block whoever opens it
        os.mkfifo(tmp_path / "pipe.gguf")
        with pytest.raises(InvalidInput, match="is not a file"):
            read_model(tmp_path / "pipe.gguf")
    with pytest.raises(InvalidInput):
        read_gguf(tmp_path)
    with pytest.raises(InvalidInput):
        read_model("a\0b")


def test_folder_of_several_models(tmp_path: Path) -> None:
    small(tmp_path / "a-Q4_K_M.gguf")
    small(tmp_path / "mmproj-F16.gguf")
    assert read_model(tmp_path).blueprint == read_model(tmp_path / "a-Q4_K_M.gguf").blueprint
    small(tmp_path / "a-Q8_0.gguf")
    with pytest.raises(InvalidInput, match=r"holds 2 GGUF models: a-Q4_K_M\.gguf, a-Q8_0\.gguf\. Open one of them\."):
        read_model(tmp_path)


@pytest.mark.parametrize("language", ["de", "fr"])
def test_parts_of_a_file_are_named_in_the_language_of_the_sentence(language: str, tmp_path: Path) -> None:
    """ "m.gguf endet vorzeitig (Name von Feld 1), ...": no words of English within another language."""
    path = tmp_path / "m.gguf"
    small(path)
    whole = path.read_bytes()
    first = whole.index(b"token_embd.weight")
    cut = {2, 6, 10, 18, 30, first - 3, first + 30}
    damaged = whole.replace(b"token_embd.weight", b"token_embd.\xff\xff\xff\xff\xff\xff", 1)
    for content in (*(whole[:length] for length in sorted(cut)), damaged):
        path.write_bytes(content)
        with pytest.raises(InvalidInput) as caught:
            read_gguf(path)
        words = error(caught.value)
        with in_language(language):
            assert not set(re.findall(r"\w+", error(caught.value))) & {
                "the",
                "its",
                "of",
                "is",
                "name",
                "number",
                "bytes",
            }
        assert words == caught.value.message


def test_names_that_are_left_out_and_what_cannot_be_are_said_in_the_language_of_the_sentence() -> None:
    with in_language("de"):
        more, wrong = (
            listed(list("abcde")),
            impossible(replace(read_config(models.config_of("Qwen__Qwen3-32B")), layers=0)),
        )
        assert isinstance(more, Phrase)
        assert wrong is not None
        assert phrase(more) == "a, b, c und 2 weitere"
        assert phrase(wrong) == "layers liegt nicht zwischen 1 und 4.096"


def test_what_the_system_says_of_a_file_is_said_in_the_language_of_the_sentence() -> None:
    with in_language("fr"):
        refused = InvalidInput(
            "{file} cannot be read: {reason}.", file="m.gguf", reason=reason_of(OSError(13, "Denied"))
        )
        assert error(refused).endswith("l’accès est refusé.")
    assert reason_of(OSError(9999, "Something else")) == "Something else"

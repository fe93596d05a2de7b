"""safetensors headers against files that the library writes, and against files that nobody should have written."""

import json
import struct
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import save_file

from core.architecture.model_file import read_model
from core.architecture.safetensors import DTYPE_BITS, read_safetensors
from core.errors import InvalidInput, TonnageError
from tests.core import checkpoint_models as models
from tests.core.gguf_models import config_of

TINY = {
    "model_type": "llama",
    "num_hidden_layers": 1,
    "hidden_size": 16,
    "num_attention_heads": 2,
    "num_key_value_heads": 1,
    "intermediate_size": 32,
    "vocab_size": 24,
    "max_position_embeddings": 64,
}


def test_reads_what_the_library_writes(tmp_path: Path) -> None:
    kinds = {"F64": "f8", "F32": "f4", "F16": "f2", "I64": "i8", "I32": "i4", "I16": "i2", "I8": "i1"}
    kinds |= {"U64": "u8", "U32": "u4", "U16": "u2", "U8": "u1", "BOOL": "?"}
    arrays = {name: np.zeros((3, n + 1), dtype) for n, (name, dtype) in enumerate(kinds.items())}
    arrays |= {"nothing": np.zeros((0, 4), np.float32), "one": np.zeros((), np.float32)}
    save_file(arrays, tmp_path / "m.safetensors", {"format": "np", "note": "Größe"})
    found = {tensor.name: tensor for tensor in read_safetensors(tmp_path / "m.safetensors")}
    assert {name: (one.shape, one.bytes) for name, one in found.items()} == {
        name: (array.shape, array.nbytes) for name, array in arrays.items()
    }
    assert [found[name].dtype for name in kinds] == list(kinds)


def test_knows_types_of_less_than_a_byte(tmp_path: Path) -> None:
    assert {name: bits for name, bits in DTYPE_BITS.items() if bits < 8} == {"F4": 4, "F6_E2M3": 6, "F6_E3M2": 6}
    path = tmp_path / "m.safetensors"
    write(path, {"a": {"dtype": "F4", "shape": [3, 32], "data_offsets": [0, 48]}}, 48)
    assert [(tensor.bytes, tensor.elements) for tensor in read_safetensors(path)] == [(48, 96)]


def write(path: Path, header: Any, data: int) -> None:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"\0" * data)


def entry(start: int, end: int, shape: Any = None, dtype: Any = "U8") -> dict[str, Any]:
    return {"dtype": dtype, "shape": [end - start] if shape is None else shape, "data_offsets": [start, end]}


HOSTILE: dict[str, tuple[Any, int, str]] = {
    "no json": (b"{" + b"x" * 50, 0, "its header is not JSON"),
    "list": (b"[1, 2, 3]", 0, "its header is not JSON"),
    "open": (b'{"a": {"dtype": "U8"', 0, "its header is not JSON"),
    "deep": (b'{"a": ' + b"[" * 100_000, 0, "its header is not JSON"),
    "digits": (b'{"a": ' + b"9" * 10_000 + b"}", 0, "its header is not JSON"),
    "utf8": (b'{"a\xff\xff\xff\xff": 1}', 0, "its header is not JSON"),
    "entry": ({"a": 7}, 0, "the entry of a is not an object"),
    "type": ({"a": entry(0, 4, dtype="Q9")}, 4, "the tensor a is of the unknown type Q9"),
    "no type": ({"a": entry(0, 4, dtype=["U8"])}, 4, "the tensor a is of the unknown type"),
    "shape": ({"a": entry(0, 4, shape=[-1, -4])}, 4, "the tensor a has no usable shape"),
    "float": ({"a": entry(0, 4, shape=[4.0])}, 4, "the tensor a has no usable shape"),
    "dimensions": ({"a": entry(0, 1, shape=[1] * 100)}, 1, "the tensor a has no usable shape"),
    "offsets": ({"a": {"dtype": "U8", "shape": [4], "data_offsets": [0, 4, 8]}}, 8, "has no usable data_offsets"),
    "backwards": ({"a": {"dtype": "U8", "shape": [4], "data_offsets": [4, 0]}}, 8, "does not fit its shape and type"),
    "size": ({"a": entry(0, 4, shape=[5])}, 4, "occupies 4 bytes, which does not fit its shape"),
    "overflow": ({"a": entry(0, 4, shape=[2**40, 2**40])}, 4, "does not fit its shape and type"),
    "overlap": ({"a": entry(0, 4), "b": entry(2, 6)}, 6, "two tensors overlap at byte 2 of the data"),
    "gap": ({"a": entry(0, 4), "b": entry(8, 12)}, 12, "two tensors leave a gap at byte 4 of the data"),
    "short": ({"a": entry(0, 4)}, 1, "is incomplete: 3 bytes of its data are missing"),
    "long": ({"a": entry(0, 4)}, 9, "holds 5 bytes after its last tensor"),
    "twice": (b'{"a": %s, "a": %s}' % ((json.dumps(entry(0, 4)).encode(),) * 2), 4, "has a tensor twice"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_refuses_in_one_sentence(case: str, tmp_path: Path) -> None:
    header, data, said = HOSTILE[case]
    path = tmp_path / "bad.safetensors"
    write(path, header, data)
    with pytest.raises(InvalidInput) as caught:
        list(read_safetensors(path))
    assert said in caught.value.message
    assert "bad.safetensors" in caught.value.message
    assert caught.value.message.endswith(".")
    assert "\n" not in caught.value.message


@pytest.mark.parametrize(("length", "said"), [(2**63, "its header would have"), (10**8, "ends within its header")])
def test_refuses_lengths_that_cannot_be(length: int, said: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.safetensors"
    path.write_bytes(struct.pack("<Q", length) + b"{}")
    with pytest.raises(InvalidInput, match=said):
        list(read_safetensors(path))


def test_memory_is_bounded(tmp_path: Path) -> None:
    path = tmp_path / "large.safetensors"
    entries = ", ".join(f'"{n:0150}": {json.dumps(entry(n, n + 1))}' for n in range(50_000))
    note = json.dumps({"note": "x" * 3_000_000})
    write(path, f'{{"__metadata__": {note}, {entries}}}'.encode(), 50_000)
    tracemalloc.start()
    assert sum(1 for _ in read_safetensors(path)) == 50_000
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 60 * 10**6


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tiny")
    models.write_folder(folder, TINY, models.dense(TINY))
    return folder


def complaint(path: Path) -> str:
    try:
        model = read_model(path)
    except TonnageError as error:
        return error.message
    assert model.weight_bytes is not None
    return ""


def test_every_truncation_is_refused(tiny: Path, tmp_path: Path) -> None:
    data = (tiny / "model.safetensors").read_bytes()
    (tmp_path / "config.json").write_bytes((tiny / "config.json").read_bytes())
    for length in [*range(0, len(data) - 1, 7), len(data) - 1]:
        (tmp_path / "model.safetensors").write_bytes(data[:length])
        said = complaint(tmp_path)
        assert "model.safetensors" in said
        assert said.endswith(".")


@settings(max_examples=300, deadline=None)
@given(changes=st.lists(st.tuples(st.integers(0, 1_500), st.integers(0, 255)), min_size=1, max_size=6))
def test_mutated_bytes_never_do_more_than_refuse(tiny: Path, changes: list[tuple[int, int]]) -> None:
    mutated = bytearray((tiny / "model.safetensors").read_bytes())
    for at, value in changes:
        mutated[at] = value
    folder = tiny / "mutated"
    folder.mkdir(exist_ok=True)
    (folder / "config.json").write_bytes((tiny / "config.json").read_bytes())
    (folder / "model.safetensors").write_bytes(mutated)
    said = complaint(folder)
    assert said == "" or ("model.safetensors" in said and said.endswith(".") and "\n" not in said)


# ------------------------------------------------------------------------------------------------------------- index

INDEXES = {
    "no json": (b"{", "its text is not JSON"),
    "no map": (b'{"metadata": {"total_size": 3}}', 'has no "weight_map"'),
    "list": (b'{"weight_map": [1]}', 'has no "weight_map"'),
    "number": (b'{"weight_map": {"a": 3}}', "names no file for a"),
    "way out": (b'{"weight_map": {"a": "../../etc/x.safetensors"}}', "names no file for a"),
    "absent": (b'{"weight_map": {"a": "other.safetensors"}}', "of which other.safetensors cannot be found"),
    "others": (b'{"weight_map": {"a": "model.safetensors"}}', "holds 12 tensors, which are not the 1 that"),
}


@pytest.mark.parametrize("case", INDEXES)
def test_refuses_indexes(case: str, tmp_path: Path) -> None:
    data, said = INDEXES[case]
    models.write_folder(tmp_path, TINY, models.dense(TINY))
    (tmp_path / "model.safetensors.index.json").write_bytes(data)
    with pytest.raises(InvalidInput) as caught:
        read_model(tmp_path)
    assert said in caught.value.message
    assert "model.safetensors" in caught.value.message


def test_several_files_without_an_index(tmp_path: Path) -> None:
    models.write_folder(tmp_path, TINY, models.dense(TINY), shards=2)
    (tmp_path / "model.safetensors.index.json").unlink()
    with pytest.raises(InvalidInput, match=r"holds 2 safetensors files, but no model\.safetensors\.index\.json"):
        read_model(tmp_path)


# -------------------------------------------------------------------------------------------------- other kinds of file

OTHERS = {
    "empty": (b"", "is empty"),
    "lfs": (b"version https://git-lfs.github.com/spec/v1\noid sha256:1", "is only a Git LFS pointer"),
    "torch": (b"PK\x03\x04" + b"\0" * 40, "is a PyTorch or ZIP file"),
    "picture": (b"\x89PNG\r\n\x1a\n" + b"\0" * 40, "is not a model file"),
    "ggml": (b"tjgg" + b"\0" * 40, "is of a GGML format from before GGUF"),
}


@pytest.mark.parametrize("case", OTHERS)
def test_says_what_a_file_is(case: str, tmp_path: Path) -> None:
    data, said = OTHERS[case]
    (tmp_path / "pytorch_model.bin").write_bytes(data)
    with pytest.raises(InvalidInput, match=rf"^pytorch_model\.bin {said}.*\.$"):
        read_model(tmp_path / "pytorch_model.bin")


def test_weights_without_their_config(tmp_path: Path) -> None:
    models.write_file(tmp_path / "model.safetensors", models.dense(config_of("Qwen__Qwen3-8B")))
    with pytest.raises(InvalidInput, match=r"holds weights only; Tonnage also needs the config\.json"):
        read_model(tmp_path / "model.safetensors")


def test_adapters_are_no_models(tmp_path: Path) -> None:
    models.write_file(tmp_path / "adapter_model.safetensors", {"a": ("BF16", (4, 4))})
    with pytest.raises(TonnageError, match="is an adapter, not a model"):
        read_model(tmp_path / "adapter_model.safetensors")


@pytest.mark.parametrize("one", [b'"%d": {"a": 1}', b'"%d": "x"', b'"%d": [[]]'])
def test_config_of_too_many_entries(one: bytes, tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    for count in (599_000 // (1 + one.count(b"{") + one.count(b"[")), 700_000):
        path.write_bytes(b"{" + b", ".join(one % n for n in range(count)) + b"}")
        tracemalloc.start()
        said = complaint(path)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 200 * 10**6
        assert said.endswith(("entries; no config.json does.", 'has no "model_type".', "at most 20."))

"""What sources call formats."""

import pytest

from core.architecture.blueprint import TensorClass
from core.units import GB, GIB
from tests.accuracy.cases import shipped
from tests.accuracy.formats import Weights, read_cache, read_weights, with_size_of_name
from tests.accuracy.records import Unusable


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("Q4_K_M", "Q4_K_M"),
        ("gguf Q5_K_M (20.23 GiB)", "Q5_K_M"),
        ("AWQ INT4 g128", "int4"),
        ("GPTQ INT4", "int4"),
        ("gptq-4bit", "int4"),
        ("INT4 W4A16", "int4"),
        ("4-bit (18.96 GiB)", "int4"),
        ("MLX 4-bit g64", "mlx4"),
        ("MLX 8-bit g64", "mlx8"),
        ("mlx-4bit", "mlx4"),
        ("int8 w8a8", "int8"),
        ("nvfp4/fp8", "nvfp4"),
        ("F16", "fp16"),
        ("MXFP4", "mxfp4"),
        ("FP8 dynamic", "fp8"),
        ("gguf Q4_K - Medium", "Q4_K_M"),
        ("gguf Q3_K - Large (4.02 GiB, 4.30 BPW)", "Q3_K_L"),
        ("gguf Q5_K", "Q5_K_M"),
        ("gguf Q6_K", "Q6_K"),
        ("gguf MXFP4 MoE", "mxfp4-gguf"),
        ("gguf BF16", "gguf-f16"),
    ],
)
def test_names_of_the_catalogue(text: str, known: str) -> None:
    weights = read_weights(text, shipped())
    assert weights.format_id == known
    assert weights.made is None
    assert weights.stated


@pytest.mark.parametrize(
    "text", ["UD-Q4_K_XL", "UD-Q6_K_XL", "Q4_K_L", "UD-Q3_K_XL", "gguf IQ3_K mix (106.83 GiB)", "gguf 2-bit"]
)
def test_relatives_of_the_catalogue(text: str) -> None:
    made = read_weights(text, shipped()).made
    assert made is not None
    assert made.container == "gguf"
    assert made.format_class in ("kquant", "iq")


def test_bits_choose_among_relatives() -> None:
    small, large = (read_weights("Q4_K_XYZ", shipped(), bits).made for bits in (4.5, 5.0))
    assert small is not None
    assert large is not None
    assert small.bits < large.bits


def test_the_size_of_the_file_is_read() -> None:
    assert read_weights("fp8 (29.1 GiB)", shipped()).file_bytes == round(29.1 * GIB)
    assert read_weights("gguf (5 GB)", shipped()).file_bytes == 5 * GB
    assert read_weights("gguf Q4_K_M (4.58 GiB, 4.89 BPW)", shipped()).file_bytes == round(4.58 * GIB)
    assert read_weights("gguf Q4_K_M, 4.58 GiB (4.89 BPW)", shipped()).file_bytes == round(4.58 * GIB)


def test_experts_and_the_rest_in_formats_of_their_own() -> None:
    made = read_weights("MXFP4 (F16 non-expert)", shipped()).made
    assert made is not None
    assert made.bits == 4.25
    assert made.kept[TensorClass.ATTENTION] == 16
    assert made.container == "gguf"
    other = read_weights("MXFP4 experts, MLX 8-bit rest", shipped()).made
    assert other is not None
    assert other.kept[TensorClass.ATTENTION] == 8.5
    assert other.container == "mlx"


@pytest.mark.parametrize("text", ["", "not stated", "gguf"])
def test_nothing_stated(text: str) -> None:
    assert not read_weights(text, shipped()).stated


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(Unusable, match="“wibble”"):
        read_weights("wibble", shipped())


@pytest.mark.parametrize(
    ("text", "known"),
    [("f16", "fp16"), ("bf16", "fp16"), ("fp8 (inferred)", "fp8"), ("fp8_e5m2", "fp8"), ("engine default", "fp16"),
     ("q8_0", "q8_0"), ("int8_per_token_head", "int8_per_token_head"), ("fp8_ds_mla", "fp8_ds_mla")],
)  # fmt: skip
def test_cache_formats(text: str, known: str) -> None:
    assert read_cache(text, shipped()).format_id == known


def test_keys_and_values_apart() -> None:
    for text in ("K q8_0 / V q4_0", "q8_0/q4_0"):
        cache = read_cache(text, shipped())
        assert (cache.key, cache.value) == ("q8_0", "q4_0")
        assert cache.made is not None
        assert cache.made.bytes_per_element == (1.0625 + 0.5625) / 2


def test_an_unknown_cache_format_is_refused() -> None:
    with pytest.raises(Unusable, match="turbosqueeze"):
        read_cache("turbosqueeze-3bit", shipped())


def test_cache_formats_of_turboquant() -> None:
    """A head of 256: 96 bytes and a norm of 2 for the key, 96 and 4 for the value."""
    found = shipped().kv_format(read_cache("turboquant-3bit", shipped()).format_id)
    assert 2 * (256 * found.bytes_per_element + found.per_head_bytes) == 96 + 2 + 96 + 4


@pytest.mark.parametrize(
    ("name", "size", "nominal"),
    [
        ("BailingMoeV3 (smaller; weights 15.5 GiB)", 15.5 * GIB, False),
        ("google/gemma-4-12b-it", 24 * GB, True),
        ("a model", None, False),
    ],
)
def test_the_size_that_a_name_gives(name: str, size: float | None, nominal: bool) -> None:
    found = with_size_of_name(Weights("bf16"), name, shipped())
    assert (found.file_bytes, found.nominal) == (size, nominal)


@pytest.mark.parametrize(
    "text", ["K q8_0 / V q4_0", "K q8_0, V q4_0", "K=q8_0 V=q4_0", "v: q4_0, k: q8_0", "q8_0/q4_0"]
)
def test_keys_and_values_by_other_words(text: str) -> None:
    found = read_cache(text, shipped())
    assert (found.key, found.value) == ("q8_0", "q4_0")


def test_a_cache_of_32_bit() -> None:
    found = read_cache("f32", shipped())
    assert found.made is not None
    assert found.made.bytes_per_element == 4

"""Finding the reader of a file, and refusing what cannot be read."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.architecture.blueprint import Blueprint, NoteKind, ReadingNote, TensorClass
from core.architecture.config import MOST_BYTES, name_of, read_config, read_json
from core.architecture.model_file import read_model
from core.errors import InvalidInput, UnsupportedArchitecture

CONFIGS = Path(__file__).parent.parent / "data" / "configs"
LLAMA = json.loads((CONFIGS / "meta-llama__Llama-3.1-8B-Instruct.json").read_text(encoding="utf-8"))


def read_config_file(path: Path) -> Blueprint:
    """As the import of a model does it."""
    return read_config(read_json(path), name_of(path), file=path.name)


def changed(**fields: Any) -> dict[str, Any]:
    return {**LLAMA, **fields}


def test_a_file_gives_a_blueprint() -> None:
    blueprint = read_config_file(CONFIGS / "meta-llama__Llama-3.1-8B-Instruct.json")
    assert blueprint.name == "meta-llama__Llama-3.1-8B-Instruct"
    assert blueprint.family == "llama"
    assert blueprint.total_parameters == 8_030_261_248
    assert blueprint.layers == 32


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("Llama-3.1-8B", "Llama-3.1-8B"),
        (
            "models--meta-llama--Llama-3.1-8B/snapshots/0e9e39f249a16976918f6564b8830bc894c89659",
            "meta-llama/Llama-3.1-8B",
        ),
        ("Downloads", "LlamaForCausalLM"),
    ],
)
def test_a_folder_names_the_model(tmp_path: Path, folder: str, name: str) -> None:
    path = tmp_path / folder / "config.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(LLAMA), encoding="utf-8")
    assert read_config_file(path).name == name


def test_the_file_names_the_model_but_not_by_a_path() -> None:
    assert read_config(changed(_name_or_path="meta-llama/Llama-3.1-8B")).name == "meta-llama/Llama-3.1-8B"
    assert read_config(changed(_name_or_path="/home/someone/checkpoints/run7")).name == "LlamaForCausalLM"


def test_parameters_of_a_small_decoder_by_hand() -> None:
    # Hidden 8, two heads of 4, one KV head, inner 16, vocabulary 10.
    shape = {"num_hidden_layers": 3, "hidden_size": 8, "num_attention_heads": 2, "num_key_value_heads": 1}
    counts = read_config({"model_type": "llama", "vocab_size": 10, "intermediate_size": 16, **shape}).parameters
    assert counts == {
        TensorClass.EMBEDDING: 10 * 8,
        TensorClass.HEAD: 10 * 8,
        TensorClass.ATTENTION: 3 * (8 * 8 + 2 * 8 * 4 + 8 * 8),
        TensorClass.FEED_FORWARD: 3 * 3 * 8 * 16,
        TensorClass.NORM: 3 * 2 * 8 + 8,
    }


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"num_hidden_layers": None}, 'config.json has no "num_hidden_layers".'),
        ({"hidden_size": -4096}, '"hidden_size" in config.json is below 1.'),
        ({"vocab_size": 10**18}, '"vocab_size" in config.json is above 1,000,000,000.'),
        ({"num_hidden_layers": "32"}, '"num_hidden_layers" in config.json is not a whole number.'),
        ({"num_hidden_layers": True}, '"num_hidden_layers" in config.json is not a whole number.'),
        ({"num_attention_heads": float("nan")}, '"num_attention_heads" in config.json is not a whole number.'),
        ({"intermediate_size": 14336.5}, '"intermediate_size" in config.json is not a whole number.'),
        ({"tie_word_embeddings": "no"}, '"tie_word_embeddings" in config.json is not true or false.'),
        ({"layer_types": ["full_attention"]}, '"layer_types" in config.json has 1 entries for 32 layers.'),
        ({"layer_types": {"a": 1}}, '"layer_types" in config.json is not a list.'),
        ({"num_attention_heads": 33}, '"hidden_size" in config.json is not a multiple of "num_attention_heads" (33).'),
        ({"quantization_config": 4}, '"quantization_config" in config.json is not an object.'),
    ],
)
def test_a_wrong_field_is_named(fields: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        read_config(changed(**fields))
    assert caught.value.message == sentence
    assert caught.value.field == next(iter(fields)) or caught.value.field == "hidden_size"


def test_a_field_of_the_inner_object_is_named_with_its_place() -> None:
    outer = json.loads((CONFIGS / "Qwen__Qwen3.5-35B-A3B.json").read_text(encoding="utf-8"))
    del outer["text_config"]["linear_num_key_heads"]
    with pytest.raises(InvalidInput, match=r'has no "text_config\.linear_num_key_heads"'):
        read_config(outer)


def test_an_unknown_architecture_is_refused_by_name() -> None:
    with pytest.raises(UnsupportedArchitecture) as caught:
        read_config(changed(architectures=["FooForCausalLM"], model_type="foo"), assume_conventional=False)
    assert caught.value.message == "Tonnage cannot read the architecture FooForCausalLM (model_type foo) yet."


def test_an_unknown_architecture_with_usual_fields_is_read_with_a_note() -> None:
    config = changed(architectures=["FooForCausalLM"], model_type="foo")
    blueprint = read_config(config)
    assert blueprint.total_parameters == 8_030_261_248
    assert blueprint.warnings == (ReadingNote(NoteKind.UNKNOWN_ARCHITECTURE, "FooForCausalLM"),)


def test_an_unknown_architecture_with_fields_of_its_own_is_refused_naming_them() -> None:
    config = changed(architectures=["FooForCausalLM"], model_type="foo", warp_heads=3, num_experts=8)
    with pytest.raises(UnsupportedArchitecture, match=r'FooForCausalLM .*"num_experts", "warp_heads"'):
        read_config(config)


@pytest.mark.parametrize("name", ["FooModel", "FooForMaskedLM", "FooForImageClassification"])
def test_an_unknown_class_that_writes_nothing_is_no_decoder(name: str) -> None:
    with pytest.raises(UnsupportedArchitecture, match=name):
        read_config(changed(architectures=[name], model_type="foo"))


def test_a_known_language_model_in_an_unknown_whole_has_a_note() -> None:
    inner = {**LLAMA, "model_type": "qwen3", "head_dim": 128}
    whole = {"model_type": "foo_vl", "architectures": ["FooForConditionalGeneration"], "text_config": inner}
    blueprint = read_config(whole)
    assert blueprint.family == "qwen3"
    assert ReadingNote(NoteKind.UNKNOWN_WRAPPER, "FooForConditionalGeneration") in blueprint.warnings
    known = read_config({**whole, "model_type": "mistral3", "architectures": ["Mistral3ForConditionalGeneration"]})
    assert not any(note.kind is NoteKind.UNKNOWN_WRAPPER for note in known.warnings)


def test_what_is_no_language_model_is_refused_as_what_it_is() -> None:
    with pytest.raises(UnsupportedArchitecture, match="an adapter for another model"):
        read_config({"peft_type": "LORA", "base_model_name_or_path": "meta-llama/Llama-3.1-8B", "r": 16})
    with pytest.raises(UnsupportedArchitecture, match="UNet2DConditionModel, which makes images"):
        read_config({"_class_name": "UNet2DConditionModel", "in_channels": 4})


def test_key_heads_that_do_not_divide_the_query_heads_are_refused() -> None:
    with pytest.raises(InvalidInput, match=r'"num_key_value_heads" .* does not divide the query heads \(32\)'):
        read_config(changed(num_key_value_heads=7))


def test_an_empty_object_lacks_its_type() -> None:
    with pytest.raises(InvalidInput, match=r'config\.json has no "model_type"'):
        read_config({})


def test_the_class_helps_where_the_type_is_missing() -> None:
    config = {key: value for key, value in LLAMA.items() if key != "model_type"}
    assert read_config(config).family == "llama"


def test_infinity_beside_the_point_is_no_error() -> None:
    assert read_config(changed(time_step_limit=[0.0, float("inf")])).layers == 32


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"not json", "bad.json is not JSON: line 1, column 1"),
        (b'{"a": 1', "bad.json is not JSON"),
        (b"[1, 2]", "bad.json does not hold a JSON object"),
        (b"null", "bad.json does not hold a JSON object"),
        (b"", "bad.json is not JSON"),
        (b"\xff\xfe\x00", "bad.json is not a text file in UTF-8"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "bad.json is not a text file in UTF-8"),
        (b"[" * 100_000, "bad.json"),
        (b'{"a":' * 60 + b"1" + b"}" * 60, "bad.json is nested too deeply"),
        (b'{"a": ' + b"9" * 10_000 + b"}", "bad.json holds a number of thousands of digits"),
    ],
)
def test_a_file_that_is_no_config_is_refused_in_one_sentence(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "bad.json"
    path.write_bytes(content)
    for read in (read_config_file, read_model) if content else (read_config_file,):  # as a window or a test reads it
        with pytest.raises(InvalidInput) as caught:
            read(path)
        assert words in caught.value.message
        assert "\n" not in caught.value.message


def test_a_huge_file_is_refused_by_its_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "config.json"
    with path.open("wb") as stream:
        stream.truncate(200 * 10**6)  # sparse
    monkeypatch.setattr(Path, "open", lambda *_: pytest.fail("opened"))
    with pytest.raises(InvalidInput, match=r"config\.json has 200 MB"):
        read_config_file(path)
    assert MOST_BYTES < 200 * 10**6


def test_a_path_that_is_no_file_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "missing.json", Path("/dev/null")):
        with pytest.raises(InvalidInput):
            read_config_file(path)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=12,
)
NAMES = sorted(path.name for path in CONFIGS.glob("*.json"))


@given(JSON)
def test_any_json_is_read_or_refused_in_words(value: Any) -> None:
    with pytest.raises((InvalidInput, UnsupportedArchitecture)):
        read_config(value)


def read_or_refuse(config: Any) -> Blueprint | None:
    """The blueprint, or None after a refusal that is fit to be shown; anything else is let through."""
    message = ""
    try:
        return read_config(config)
    except (InvalidInput, UnsupportedArchitecture) as error:
        message = error.message
    assert message
    assert "\n" not in message
    return None


def _set_somewhere(config: Any, path: list[int], value: Any) -> Any:
    """The config with one value replaced, found by walking down the given turns."""
    if not path or not isinstance(config, dict | list) or not config:
        return value
    if isinstance(config, dict):
        key = sorted(config)[path[0] % len(config)]
        return {**config, key: _set_somewhere(config[key], path[1:], value)}
    index = path[0] % len(config)
    return [*config[:index], _set_somewhere(config[index], path[1:], value), *config[index + 1 :]]


@settings(max_examples=150, deadline=None)
@given(
    name=st.sampled_from(NAMES),
    changes=st.lists(
        st.tuples(
            st.lists(st.integers(0, 60), min_size=1, max_size=3),
            JSON | st.sampled_from([0, -1, 1, 2, 3, 4096, 10**9, 10**30, "full_attention", "re:(a+)+$", [], {}, 0.5]),
        ),
        min_size=1,
        max_size=4,
    ),
)
def test_a_changed_config_is_read_or_refused_in_words(name: str, changes: list[tuple[list[int], Any]]) -> None:
    config = json.loads((CONFIGS / name).read_text(encoding="utf-8"))
    for path, value in changes:
        config = _set_somewhere(config, path, value)
    blueprint = read_or_refuse(config)
    if blueprint:
        assert 0 < blueprint.active_parameters <= blueprint.total_parameters

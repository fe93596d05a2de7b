"""Every figure has a name, and every formula reads as people write it."""

import pytest

from core.architecture.blueprint import TensorClass
from core.language.figures import has_label, label, tensor_class
from core.language.formulas import in_words, with_numbers, write
from core.language.messages import in_language
from core.language.numbers import formatter
from core.sizing.report import KEYS
from tests.desktop.fixed_sizing import fixed_sizing


@pytest.mark.parametrize("key", KEYS)
def test_every_promised_figure_has_a_name(key: str) -> None:
    assert has_label(key)
    assert label(key) != key


def test_names_are_not_taken_twice() -> None:
    names = [label(key) for key in KEYS]
    assert sorted(names) == sorted(set(names))


@pytest.mark.parametrize(
    ("key", "english", "german"),
    [
        ("kv_bytes_per_token", "Cache per token", "Cache je Token"),
        ("weights_bytes.expert", "Weights: experts", "Gewichte: Experten"),
        ("tier.1.bandwidth_bytes_per_s", "Memory 2: bandwidth", "Speicher 2: Bandbreite"),
        ("kv.0.kv_heads", "Attention 1: KV heads", "Attention 1: KV-Köpfe"),
        ("decode_step_s.kv_cache", "Time per token: cache", "Zeit je Token: Cache"),
        (
            "decode_tok_s.p10",
            "Speed per user, one case in ten below",
            "Tempo je Nutzer, einer von zehn Fällen darunter",
        ),
        ("spill.weights_bytes", "In the slower memory: weights", "Im langsameren Speicher: Gewichte"),
    ],
)
def test_families_name_their_parts(key: str, english: str, german: str) -> None:
    assert has_label(key)
    assert label(key) == english
    with in_language("de"):
        assert label(key) == german


def test_unknown_figure_is_spelled_out() -> None:
    assert not has_label("odd.new_thing_bytes")
    assert label("odd.new_thing_bytes") == "Odd new thing"


def test_every_class_of_tensors_has_a_name() -> None:
    assert len({tensor_class(kind) for kind in TensorClass}) == len(TensorClass)


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("2 * layers * heads", "2 × layers × heads"),
        ("a * (b + c)", "a × (b + c)"),
        ("a + b * c", "a + b × c"),
        ("a - (b - c)", "a − (b − c)"),
        ("a - b - c", "a − b − c"),
        ("a / (b * c)", "a / (b × c)"),
        ("(1 - k / n) ** tokens", "(1 − k / n)^tokens"),
        ("floor(a / b)", "rounded down (a / b)"),
        ("ceil(a / b) * b", "rounded up (a / b) × b"),
        ("a // b", "rounded down (a / b)"),
        ("max(0, a - b)", "the larger of (0; a − b)"),
        ("where(a > b, a, 0)", "(a if a > b, else 0)"),
        ("-a + b", "−a + b"),
        ("sqrt(a)", "square root of (a)"),
    ],
)
def test_operators_and_brackets(expression: str, text: str) -> None:
    assert write(expression, {}) == text


def test_a_list_is_written_as_its_sum_in_brackets_where_needed() -> None:
    assert write("sum(parts) * share", {"parts": ["10", "20"], "share": ["0.5"]}) == "(10 + 20) × 0.5"
    assert write("sum(parts) + more", {"parts": ["10", "20"], "more": ["5"]}) == "10 + 20 + 5"
    assert write("sum(parts)", {"parts": []}) == "0"
    assert write("max(parts)", {"parts": ["10", "20"]}) == "the larger of ([10; 20])"


def test_formula_in_words_and_with_numbers() -> None:
    trace = fixed_sizing().trace
    assert in_words(trace, "kv_bytes_per_request") == "Cache per token × Context limit"
    assert with_numbers(trace, "kv_bytes_per_request", formatter("en")) == "10,240 × 262,144"
    with in_language("de"):
        assert in_words(trace, "kv_bytes_per_request") == "Cache je Token × Kontextgrenze"
        assert with_numbers(trace, "kv_bytes_per_request", formatter("de")) == "10.240 × 262.144"


def test_given_figure_has_no_formula() -> None:
    trace = fixed_sizing().trace
    assert in_words(trace, "workload.users") == ""
    assert with_numbers(trace, "workload.users", formatter("en")) == ""

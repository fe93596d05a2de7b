"""Every figure has a name, and every formula reads as people write it."""

import random
import re
from collections import Counter

import pytest

from core.architecture.blueprint import TensorClass
from core.errors import TonnageError
from core.language.figures import has_label, label, tensor_class
from core.language.formulas import in_words, with_numbers, write
from core.language.labels import cost, deployment, fitted, memory, model, reserved, speed
from core.language.messages import in_language
from core.language.numbers import formatter
from core.scenario import CatalogueModel, Deployment, Plan, Scenario, Workload
from core.sizing.examples import worked_example, worked_example_in_reality
from core.sizing.report import KEYS
from core.sizing.size import size
from core.trace import Computed
from tests.desktop.fixed_sizing import fixed_sizing
from tests.shipped import shipped


@pytest.mark.parametrize("key", KEYS)
def test_every_promised_figure_has_a_name(key: str) -> None:
    assert has_label(key)
    assert label(key) != key


def test_names_are_not_taken_twice() -> None:
    names = [label(key) for key in KEYS]
    assert sorted(names) == sorted(set(names))


@pytest.mark.parametrize("kind", ["LABELS", "PARTS"])
def test_every_key_is_named_in_one_area_alone(kind: str) -> None:
    areas = (cost, deployment, fitted, memory, model, reserved, speed)
    keys = [key for area in areas for key in vars(area).get(kind, {})]
    assert [key for key, times in Counter(keys).items() if times > 1] == []


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


SCENARIOS = {
    "the article's example": worked_example(),
    "in reality": worked_example_in_reality(),
    "split over four": worked_example_in_reality().edited(
        deployment__device="h100-sxm", deployment__count=4, deployment__plan=Plan(tensor=4)
    ),
    "two machines in a row": worked_example_in_reality().edited(
        deployment__device="dgx-spark", deployment__nodes=2, deployment__plan=Plan(pipeline=2)
    ),
    "windows": worked_example_in_reality().edited(
        model=CatalogueModel(id="openai/gpt-oss-20b"), weights="mxfp4", companions=()
    ),
    "latent, in two memories": worked_example_in_reality().edited(
        model=CatalogueModel(id="deepseek-ai/DeepSeek-V3.2"),
        weights="nvfp4",
        companions=(),
        workload__context_tokens=32_768,
        deployment__device="dgx-station-gb300",
    ),
}


@pytest.mark.parametrize("name", SCENARIOS)
def test_every_figure_of_a_real_sizing_has_a_name_of_its_own(name: str) -> None:
    trace = size(SCENARIOS[name], shipped()).trace
    assert [key for key in trace if not has_label(key)] == []
    names = [label(key) for key in trace]
    assert len(set(names)) >= 0.95 * len(names)


@pytest.mark.parametrize("name", SCENARIOS)
def test_every_formula_of_a_real_sizing_is_written(name: str) -> None:
    trace = size(SCENARIOS[name], shipped()).trace
    computed = [key for key in trace if isinstance(trace.entry(key), Computed)]
    assert len(computed) > 100
    for key in computed:
        words, numbers = in_words(trace, key), with_numbers(trace, key, formatter("de"))
        assert not re.search(r"\*|_|\bwhere\(|\bfloor\(|\bmin\(", words + numbers), (words, numbers)


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


#: Releases at which what is counted changed, of the engines whose figures go by them.
RELEASES = {
    "vllm": ("0.6", "0.7", "0.8", "0.9", "0.10", "0.11", "0.12", "0.15", "0.18", "0.20", "0.22", "0.27", "0.31"),
    "sglang": ("0.4.1", "0.5.10"),
    "llama.cpp": ("2024.6", "2025.10", "2026.5"),
}
JOINED = ("h100-sxm", "h200-sxm", "a100-80gb-sxm", "b200-sxm", "mi300x", "rtx-5090", "dgx-spark")


def drawn(draw: random.Random) -> Scenario:
    """Any model and format on accelerators that are joined, split or copied, under a release of an engine."""
    engine = draw.choice(list(RELEASES))
    ranks = draw.choice((1, 2, 4, 8))
    plan = draw.choice((Plan(tensor=ranks), Plan(pipeline=ranks), Plan(attention_replicas=ranks, expert=ranks)))
    context = draw.choice((2_048, 32_768))
    return Scenario(
        model=CatalogueModel(id=draw.choice(list(shipped().models))),
        weights=draw.choice(shipped().engines[engine].weight_formats),
        kv_format=draw.choice(shipped().engines[engine].kv_formats),
        workload=Workload(requests_at_once=4, prompt_tokens=1_000, output_tokens=200, context_tokens=context),
        deployment=Deployment(
            device=draw.choice(JOINED), count=ranks, plan=plan, engine=engine,
            release=draw.choice((None, *RELEASES[engine])), draft_tokens=draw.choice((0, 0, 2)),
        ),
    )  # fmt: skip


def test_no_figure_goes_without_a_name() -> None:
    draw, sized, nameless = random.Random(1), 0, set()
    while sized < 600:
        try:
            trace = size(drawn(draw), shipped()).trace
        except TonnageError:
            continue
        sized += 1
        nameless |= {key for key in trace if not has_label(key)}
    assert nameless == set()

"""How prints of vLLM are read: builds between releases, tokens of one group, stages."""

from typing import Any

import pytest

from tests.accuracy import choices, memory
from tests.accuracy.records import Record


@pytest.mark.parametrize(
    ("text", "release"),
    [
        ("0.20.1", (0, 20, 1)),
        ("v0.20.0", (0, 20)),
        ("0.20.2rc1.dev129+g1acd67a79", (0, 20, 1)),
        ("0.20.1.dev0+g101584af0", (0, 20)),
        ("0.13.0rc2.dev112", (0, 13)),
        ("0.1.dev1+gda1daf40b", None),
        ("2025.1", None),
        ("a fork", None),
    ],
)
def test_builds_between_releases(text: str, release: tuple[int, ...] | None) -> None:
    assert choices.version(Record("one", {"engine_version": text})) == release


HYBRID: dict[str, Any] = {
    "model_id": "Qwen/Qwen3.6-35B-A3B",
    "engine_id": "vllm",
    "weights_format": "bf16",
    "kv_dtype": "bf16",
    "device_id": "dgx-spark",
    "n_gpus": 1,
    "max_model_len": 131_072,
    "flags": {"prefix_caching": False},
}


def _tokens(**observed: float) -> float:
    """Of a build without a number: what is printed beside them tells whether the tokens are those of one group."""
    record = Record("one", {**HYBRID, "engine_version": "a build", "observed": {"available_kv_gib": 47.55, **observed}})
    return next(r.p50 for r in memory.compare([record]).results if r.metric == "kv_tokens")


def test_tokens_of_one_group_are_told_by_the_concurrency() -> None:
    by_group = _tokens(kv_tokens=623_040, max_concurrency=18.44)
    assert by_group == pytest.approx(623_040, rel=0.01)
    assert _tokens(kv_tokens=2_416_967, max_concurrency=18.44) == pytest.approx(18.44 * 131_072, rel=0.01)
    assert _tokens(kv_tokens=623_040) > 2 * by_group


def test_a_stage_is_asked_for_the_whole_model_in_some_releases() -> None:
    """Public print: 24.0 GiB of 48 layers for 262,144 tokens, in two stages."""
    staged = {
        **HYBRID,
        "model_id": "Qwen/Qwen3-Coder-30B-A3B-Instruct",
        "n_gpus": 2,
        "pp": 2,
        "max_model_len": 262_144,
        "observed": {"kv_gib_for_context": 24.0},
    }
    needed = {
        release: memory.compare([Record("one", {**staged, "engine_version": release})]).results[0].p50
        for release in ("0.13.0", "0.15.1", "0.17.0")
    }
    assert needed == {"0.13.0": 12.0, "0.15.1": 24.0, "0.17.0": 12.0}

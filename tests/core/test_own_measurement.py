"""Measurements of the user's own: how they move and narrow a prediction."""

import json
from pathlib import Path
from typing import Any

import pytest

from core.errors import InvalidInput
from core.physics.uncertainty import LEAST_SPREAD
from core.scenario import Measured, Measurement, Scenario
from core.sizing.benchmark_file import read_benchmark_file, read_measurements
from core.sizing.report import Evidence, Sizing
from core.sizing.size import size
from tests.core.cases import CASES, scenario
from tests.core.estimates import decode_of
from tests.core.small_catalogue import small_catalogue

SMALL = small_catalogue()
PLAIN = scenario("hybrid-35b", "nvfp4", "rtx-pro-6000-ws", workload__output_tokens=256)
TOKENS: dict[str, Any] = {"prompt_tokens": 1024, "output_tokens": 256}


def sized(case: Scenario, *measured: Measurement, **changes: object) -> Sizing:
    return size(case.edited(measurements=measured, **changes), SMALL)


def speed(factor: float, **more: object) -> Measurement:
    value = decode_of(sized(PLAIN)).p50 * factor
    return Measurement.model_validate({"figure": Measured.DECODE, "value": value, **TOKENS, **more})


def test_a_measurement_moves_the_prediction_towards_itself() -> None:
    before = decode_of(sized(PLAIN))
    after = decode_of(sized(PLAIN, speed(0.7)))
    assert 0.7 * before.p50 < after.p50 < 0.8 * before.p50
    assert after.evidence is Evidence.OWN
    assert after.p90 / after.p10 < before.p90 / before.p10
    assert after.p90 / after.p10 >= 1.3 - 1e-9


def test_the_rule_is_that_of_the_method() -> None:
    from math import exp, log

    trace = sized(PLAIN, speed(0.7)).trace
    s0 = trace["spread.decode"]
    weight = 1 / 0.08**2
    assert trace["own.decode.factor"] == pytest.approx(exp(weight * log(0.7) / (weight + 1 / s0**2)))
    assert trace["decode_tok_s"] == pytest.approx(trace["decode_tok_s.predicted"] * trace["own.decode.factor"])
    assert trace["spread.own.decode"] >= LEAST_SPREAD


def test_what_was_predicted_changes_nothing() -> None:
    before, after = decode_of(sized(PLAIN)), decode_of(sized(PLAIN, speed(1.0)))
    assert after.p50 == pytest.approx(before.p50)


def test_several_weigh_more_than_one() -> None:
    one, two = decode_of(sized(PLAIN, speed(0.7))).p50, decode_of(sized(PLAIN, speed(0.7), speed(0.7))).p50
    assert two < one


def test_another_machine_or_engine_says_nothing() -> None:
    before = decode_of(sized(PLAIN))
    assert decode_of(sized(PLAIN, speed(0.7, device="h200-nvl"))) == before
    assert decode_of(sized(PLAIN, speed(0.7, engine="sglang"))) == before
    assert decode_of(sized(PLAIN, speed(0.7, count=2))) == before


def test_the_same_model_weighs_far_more_than_another() -> None:
    other = Measurement(figure=Measured.DECODE, value=1.0, model="windowed", weights="fp8", **TOKENS)
    predicted = decode_of(
        size(PLAIN.edited(model__id="windowed", weights="fp8", workload__context_tokens=1280), SMALL)
    ).p50
    half = other.model_copy(update={"value": predicted / 2})
    before, far, near = (
        decode_of(sized(PLAIN)).p50,
        decode_of(sized(PLAIN, half)).p50,
        decode_of(sized(PLAIN, speed(0.5))).p50,
    )
    assert near < far < before


def test_prompts_of_another_model_say_nothing() -> None:
    other = Measurement(figure=Measured.PREFILL, value=10.0, model="windowed", weights="fp8", **TOKENS)
    assert sized(PLAIN, other).prefill == sized(PLAIN).prefill


def test_another_load_weighs_less() -> None:
    alone = decode_of(sized(PLAIN, speed(0.7), workload__requests_at_once=32)).p50
    plain = decode_of(sized(PLAIN, workload__requests_at_once=32)).p50
    assert 0.75 * plain < alone < plain


@pytest.mark.parametrize("figure", list(Measured))
def test_every_figure_can_be_measured(figure: Measured) -> None:
    place = {Measured.DECODE: "decode", Measured.PREFILL: "prefill", Measured.FIRST_TOKEN: "ttft"}
    name = place.get(figure, "throughput")
    before = getattr(sized(PLAIN), name).p50
    measured = Measurement(figure=figure, value=before * 1.2, **TOKENS)
    after = getattr(sized(PLAIN, measured), name)
    assert before < after.p50 < 1.2 * before * (1 + 1e-9)
    assert after.evidence is Evidence.OWN


def test_no_measurement_lifts_a_speed_above_physics() -> None:
    trace = sized(PLAIN, speed(1000.0)).trace
    assert trace["decode_tok_s"] <= trace["decode_tok_s.ceiling"]


def test_the_trace_can_be_computed_again() -> None:
    trace = sized(CASES["own measurements"], *CASES["own measurements"].measurements).trace
    assert trace.reevaluate("decode_tok_s") == trace["decode_tok_s"]
    assert trace.entry("own.decode.0.measured").origin.title == "by hand"  # type: ignore[union-attr]


# ---- files of benchmarks

LLAMA_BENCH = [
    {"n_prompt": 512, "n_gen": 0, "n_depth": 0, "avg_ts": 4100.5, "model_type": "qwen3 30B Q4_K", "backends": "CUDA",
     "test_time": "2026-08-01T10:00:00Z"},
    {"n_prompt": 0, "n_gen": 128, "n_depth": 8192, "avg_ts": 88.0, "model_type": "qwen3 30B Q4_K"},
    {"n_prompt": 512, "n_gen": 128, "n_depth": 0, "avg_ts": 900.0},
]  # fmt: skip
VLLM = {
    "date": "20260801-100000", "backend": "vllm", "model_id": "Qwen/Qwen3-30B-A3B", "max_concurrency": 16,
    "completed": 200, "total_input_tokens": 204_800, "total_output_tokens": 51_200, "median_ttft_ms": 210.0,
    "median_tpot_ms": 12.5, "output_throughput": 1150.0,
}  # fmt: skip


def test_llama_bench() -> None:
    prompt, answer = read_measurements(json.dumps(LLAMA_BENCH), engine="llama.cpp")
    assert (prompt.figure, prompt.value, prompt.prompt_tokens, prompt.engine) == (
        Measured.PREFILL, 4100.5, 512, "llama.cpp",
    )  # fmt: skip
    assert (answer.figure, answer.value, answer.cached_tokens) == (Measured.DECODE, 88.0, 8192)
    assert prompt.date == "2026-08-01"
    assert "qwen3 30B Q4_K" in prompt.title


def test_vllm_bench_serve() -> None:
    found = {m.figure: m for m in read_measurements(json.dumps(VLLM))}
    assert found[Measured.DECODE].value == pytest.approx(80.0)
    assert found[Measured.FIRST_TOKEN].value == pytest.approx(0.21)
    assert found[Measured.THROUGHPUT].value == 1150.0
    assert {m.date for m in found.values()} == {"2026-08-01"}
    assert {(m.prompt_tokens, m.output_tokens, m.requests_at_once) for m in found.values()} == {(1024, 256, 16)}


@pytest.mark.parametrize(
    "text", ["", "nonsense", "3", "[]", "{}", '[{"n_prompt": 512}]', '{"completed": true}', '[{"avg_ts": NaN}]', "[1]"]
)
def test_other_files_are_refused_in_one_sentence(text: str) -> None:
    with pytest.raises(InvalidInput, match=r"^run\.json "):
        read_measurements(text, "run.json")


def test_a_file(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text(json.dumps(VLLM), "utf-8")
    assert len(read_benchmark_file(path)) == 3
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(InvalidInput):
        read_benchmark_file(path)


def test_measurements_travel_with_the_scenario() -> None:
    case = CASES["own measurements"]
    assert Scenario.model_validate_json(case.model_dump_json()) == case

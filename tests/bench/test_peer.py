"""The same questions put to another program: one sizing beside its evaluation of one configuration, and its `recommend`
for one system beside the whole catalogue.

The peer (aiconfigurator, Apache-2.0) is installed by `make bench ARGS=--peer`, in an environment of its own.
"""

import os
import re
import subprocess
from itertools import cycle
from pathlib import Path

import pytest

from core.scenario import CatalogueModel, Deployment, Scenario, Workload
from core.sizing.search.hardware import find_hardware
from core.sizing.search.request import Ranking, SearchRequest
from core.sizing.size import size
from tests.bench.conftest import Measure, Note
from tests.shipped import shipped

pytestmark = pytest.mark.bench

PROGRAMS = Path(__file__).parents[2] / "build" / "peer" / ("Scripts" if os.name == "nt" else "bin")
PEER, ITS_PYTHON = PROGRAMS / "aiconfigurator", PROGRAMS / "python"
FIND_S, SIZE_S = 0.3, 0.0005
MODEL, PROMPT, ANSWER, REQUESTS, SPEED, FIRST_S = "Qwen/Qwen3-32B", 8_192, 512, 12, 30, 2
DONE = re.compile(r"All experiments completed in ([\d.]+) seconds")
#: Its evaluation of one configuration by its compiled engine, with tables and model loaded; no prompt comes twice.
EVALUATION = """
import statistics, time
from aiconfigurator.sdk.backends.factory import get_backend
from aiconfigurator.sdk.config import RuntimeConfig
from aiconfigurator.sdk.config_builders import build_model_config
from aiconfigurator.sdk.inference_session import InferenceSession
from aiconfigurator.sdk.models import get_model
from aiconfigurator.sdk.perf_database import get_database_view, get_latest_database_version

database = get_database_view("h200_sxm", "vllm", get_latest_database_version(system="h200_sxm", backend="vllm"))
model = get_model("{model}", build_model_config(1, 1, 1, 1, 1), "vllm")
session = InferenceSession(model, database, get_backend("vllm"))
times = []
for prompt in range({prompt} - 200, {prompt}):
    start = time.perf_counter()
    work = RuntimeConfig(isl=prompt, osl={answer}, batch_size={requests})
    session.run_agg(work, ctx_tokens=prompt)
    times.append(time.perf_counter() - start)
print("median", statistics.median(times))
"""


def question() -> SearchRequest:
    """Twelve requests at once of a dense model of 32B, thirty tokens per second, the first within two seconds."""
    work = Workload(
        requests_at_once=REQUESTS, prompt_tokens=PROMPT, output_tokens=ANSWER, context_tokens=16_384,
        speed_target=SPEED, ttft_target_s=FIRST_S,
    )  # fmt: skip
    model, place = CatalogueModel(id=MODEL), Deployment(device="h200-sxm")
    return SearchRequest(
        scenario=Scenario(model=model, weights="bf16", workload=work, deployment=place), ranking=Ranking.PRICE
    )


def test_find_beside_the_peer(measure: Measure, note: Note) -> None:
    catalogue, request = shipped(), question()
    found = find_hardware(request, catalogue)
    name = f"find {MODEL}, whole catalogue: {found.candidates:,}"
    ours = measure(name, FIND_S, lambda: find_hardware(request, catalogue), repeats=5)
    if not PEER.exists():
        note("its peer's recommend: not installed, make bench ARGS=--peer")
        return
    theirs = recommend()
    note(f"its peer's recommend, one system: {theirs:.1f} s, {theirs / ours:.0f} times as long")
    assert ours < theirs


def test_one_sizing_beside_the_peer(measure: Measure, note: Note) -> None:
    catalogue, scenario = shipped(), question().scenario
    prompts = cycle([scenario.edited(workload__prompt_tokens=tokens) for tokens in range(PROMPT - 200, PROMPT)])
    ours = measure(f"size(): {MODEL}", SIZE_S, lambda: size(next(prompts), catalogue), repeats=1000)
    if not ITS_PYTHON.exists():
        note("its peer's evaluation: not installed, make bench ARGS=--peer")
        return
    theirs = evaluation(ITS_PYTHON)
    what = "memory item by item, ranges, findings and the way of each figure come on top of what it computes"
    note(f"its peer's compiled evaluation: {theirs * 1e3:.3f} ms; size() takes {ours / theirs:.1f} times as long")
    note(f"  ({what})")


def evaluation(python: Path) -> float:
    """Median time that the peer takes for one configuration, everything loaded [s]."""
    script = EVALUATION.format(model=MODEL, prompt=PROMPT, answer=ANSWER, requests=REQUESTS)
    answer = subprocess.run([python, "-c", script], capture_output=True, text=True, timeout=600, check=True)
    return float(answer.stdout.split()[-1])


def recommend() -> float:
    """Time that the peer reports for the question on one system, its start not counted [s]."""
    command = [
        PEER, "cli", "recommend", "--model-path", MODEL, "--system", "h200_sxm", "--isl", PROMPT, "--osl", ANSWER,
        "--ttft", 1000 * FIRST_S, "--tpot", 1000 / SPEED, "--target-concurrency", REQUESTS,
    ]  # fmt: skip
    answer = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=600, check=True)
    said = DONE.search(answer.stdout + answer.stderr)
    assert said is not None, answer.stdout[-2000:]
    return float(said.group(1))

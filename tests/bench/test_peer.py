"""The same question put to another program: how long its `recommend` takes for one system, beside the whole catalogue.

The peer (aiconfigurator, Apache-2.0) is installed by `make bench ARGS=--peer`, in an environment of its own.
"""

import os
import re
import subprocess
from pathlib import Path

import pytest

from core import RESOURCES
from core.catalogue.loading import load_shipped
from core.scenario import CatalogueModel, Deployment, Scenario, Workload
from core.sizing.search.hardware import find_hardware
from core.sizing.search.request import Ranking, SearchRequest
from tests.bench.conftest import Measure, Note

pytestmark = pytest.mark.bench

PEER = Path(__file__).parents[2] / "build" / "peer" / ("Scripts" if os.name == "nt" else "bin") / "aiconfigurator"
FIND_S = 0.3
MODEL, PROMPT, ANSWER, REQUESTS, SPEED, FIRST_S = "Qwen/Qwen3-32B", 8_192, 512, 12, 30, 2
DONE = re.compile(r"All experiments completed in ([\d.]+) seconds")


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
    catalogue, request = load_shipped(RESOURCES / "catalogue"), question()
    found = find_hardware(request, catalogue)
    name = f"find {MODEL}, whole catalogue: {found.candidates:,}"
    ours = measure(name, FIND_S, lambda: find_hardware(request, catalogue), repeats=5)
    if not PEER.exists():
        note("its peer's recommend: not installed, make bench ARGS=--peer")
        return
    theirs = recommend()
    note(f"its peer's recommend, one system: {theirs:.1f} s, {theirs / ours:.0f} times as long")
    assert ours < theirs


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

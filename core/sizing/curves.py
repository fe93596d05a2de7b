"""Speeds along an axis: decode against context, first token against prompt, users against requests at once.

A curve runs the formulas of a sizing once with an axis in place of one number; at the scenario's own value it gives the
sizing's own figures, to the last bit.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from core.catalogue.calibration import shipped_calibration
from core.catalogue.catalogue import Catalogue
from core.physics import serving
from core.scenario import Scenario
from core.sizing.attention import record_attention
from core.sizing.memory import record_memory
from core.sizing.rates import record_counts, record_rates
from core.sizing.resolution import resolve
from core.sizing.situation import Situation
from core.sizing.speed import record_bound, record_depth, record_work
from core.trace import Trace
from core.units import Unit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Axis = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Curve:
    """One figure along an axis, with its range."""

    x: "Axis"
    p10: "Axis"
    p50: "Axis"
    p90: "Axis"


def decode_against_context(scenario: Scenario, catalogue: Catalogue, depths: "Sequence[float] | Axis") -> Curve:
    """Tokens per second of one user against the tokens in the cache.

    Parameters
    ----------
    scenario : whose device, model, engine and workload hold
    catalogue : what exists
    depths : tokens in the cache, each request at the same depth [tokens]

    Returns
    -------
    decode speed [token/s]
    """
    situation, trace = _foundations(scenario, catalogue)
    axis = _axis(depths)
    trace.given("workload.mean_depth_tokens", axis, Unit.TOKEN)
    if scenario.workload.prompt_tokens is None:
        ahead = "workload.output_tokens"
    else:
        ahead = "curve.half_output_tokens"
        trace.given(ahead, trace["workload.output_tokens"] / 2, Unit.TOKEN)
    trace.compute("workload.prompt_tokens", serving.prompt_before, depth="workload.mean_depth_tokens", ahead=ahead)
    record_work(trace, situation, shipped_calibration(), "workload.mean_depth_tokens")
    return _curve(trace, axis, "decode_tok_s")


def ttft_against_prompt(scenario: Scenario, catalogue: Catalogue, prompts: "Sequence[float] | Axis") -> Curve:
    """Time to first token against the length of the prompt, at the requests at once of the scenario.

    Parameters
    ----------
    scenario : whose device, model, engine and workload hold
    catalogue : what exists
    prompts : lengths [tokens]

    Returns
    -------
    time to first token [s]
    """
    situation, trace = _foundations(scenario, catalogue)
    axis = _axis(prompts)
    trace.given("workload.prompt_tokens", axis, Unit.TOKEN)
    depth = record_depth(trace, situation)
    record_work(trace, situation, shipped_calibration(), depth)
    return _curve(trace, axis, "ttft_s")


def against_concurrency(
    scenario: Scenario, catalogue: Catalogue, requests: "Sequence[float] | Axis", keys: Sequence[str]
) -> tuple[Curve, ...]:
    """Any speeds or times against requests at once.

    Parameters
    ----------
    scenario : whose device, model, engine and workload hold
    catalogue : what exists
    requests : at once
    keys : of figures that have a range: "decode_tok_s", "output_tok_s_total", "ttft_s"

    Returns
    -------
    a curve for each key
    """
    return along_concurrency(scenario, catalogue)(requests, keys)


def along_concurrency(
    scenario: Scenario, catalogue: Catalogue
) -> "Callable[[Sequence[float] | Axis, Sequence[str]], tuple[Curve, ...]]":
    """What `against_concurrency` does, for several axes: what no axis changes is worked out once.

    Parameters
    ----------
    scenario : whose device, model, engine and workload hold
    catalogue : what exists

    Returns
    -------
    a function of requests at once and keys that gives a curve for each key
    """
    situation, foundations = _foundations(scenario, catalogue)

    def along(requests: "Sequence[float] | Axis", keys: Sequence[str]) -> tuple[Curve, ...]:
        trace, axis = foundations.copy(), _axis(requests)
        trace.given("requests_at_once", axis, Unit.REQUEST)
        depth = record_depth(trace, situation)
        record_work(trace, situation, shipped_calibration(), depth)
        return tuple(_curve(trace, axis, key) for key in keys)

    return along


def decode_bound(scenario: Scenario, catalogue: Catalogue, depths: "Sequence[float] | Axis") -> Curve:
    """What physics allows one user at most against the tokens in the cache, where no speed can be told.

    Parameters
    ----------
    scenario, catalogue, depths : as for `decode_against_context`

    Returns
    -------
    bound of the decode speed of one request alone [token/s], without a range
    """
    situation, trace = resolve(scenario, catalogue), Trace()
    axis = _axis(depths)
    record_memory(trace, situation)
    record_counts(trace, situation.setup)
    record_attention(trace, situation.setup)
    trace.settle()
    trace.given("workload.mean_depth_tokens", axis, Unit.TOKEN)
    record_bound(trace, situation, "workload.mean_depth_tokens")
    bound = _level(trace, axis, "decode_tok_s.ceiling")
    return Curve(axis, bound, bound, bound)


def _foundations(scenario: Scenario, catalogue: Catalogue) -> tuple[Situation, Trace]:
    """The situation, and a trace with everything that no axis changes."""
    situation, trace = resolve(scenario, catalogue), Trace()
    record_memory(trace, situation)
    record_rates(trace, situation.setup, shipped_calibration())
    record_attention(trace, situation.setup)
    trace.settle()
    return situation, trace


def _axis(values: "Sequence[float] | Axis") -> "Axis":
    import numpy as np

    return np.asarray(values, dtype=np.float64)


def _curve(trace: Trace, axis: "Axis", key: str) -> Curve:
    """The figure and its range."""
    return Curve(axis, *(_level(trace, axis, one) for one in (f"{key}.p10", key, f"{key}.p90")))


def _level(trace: Trace, axis: "Axis", key: str) -> "Axis":
    """A figure along the axis; what does not depend on it is a level line."""
    import numpy as np

    return np.broadcast_to(trace[key], axis.shape)

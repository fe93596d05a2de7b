"""Room: what the engine may use, what it takes at once, and what waits when there is none."""

from collections.abc import Iterator

from core.catalogue.records import Allocator, DeviceFamily
from core.physics import memory as m
from core.sizing.engine_defaults import BLOCK_FOR_EACH_SINCE, before
from core.sizing.groups import given_max_requests
from core.sizing.memory import verdict
from core.sizing.report import Finding, FindingKind, Verdict
from core.sizing.rules.rule import is_article, note, reason, rule, warning
from core.sizing.situation import Situation
from core.trace import Trace

#: A need that is less than this part of what the engine takes surprises those who look at the card.
VISIBLY_LESS = 0.95
#: A reservation that is so many times what a request holds is worth a word.
FAR_MORE = 1.2
#: Where vLLM records no graphs, so that it does not ask for a block for each request either.
WITHOUT_GRAPHS = (DeviceFamily.APPLE, DeviceFamily.TPU, DeviceFamily.CPU)
#: A peak that takes this part of the engine's memory is worth a word.
NOTABLE_PEAK = 0.02


@rule(FindingKind.QUEUE, 11, 26)
def queue(trace: Trace, s: Situation) -> Iterator[Finding]:
    """Several users with a long context each: more requests at once than there is room for, so some wait."""
    if 0 < trace["max_concurrency"] < trace["requests_at_once"]:
        yield note(FindingKind.QUEUE, "max_concurrency", "requests_at_once", "workload.context_tokens")


@rule(FindingKind.CLOSE_TO_LIMIT, 14, source="the product's own reserve of 5 %")
def close_to_limit(trace: Trace, s: Situation) -> Iterator[Finding]:
    """It fits, but hardly anything is left, or not the reserve that was asked for."""
    if verdict(trace) is Verdict.CLOSE:
        yield note(FindingKind.CLOSE_TO_LIMIT, "memory.free_bytes", "max_concurrency")


@rule(FindingKind.RESERVED_BEYOND, source="the engines' own sources, release by release")
def reserved_beyond(trace: Trace, s: Situation) -> Iterator[Finding]:
    """The engine sets far more aside for a request than it holds; copies on several ranks are left out."""
    if is_article(s.setup) or s.setup.plan.tensor > 1:
        return
    reserved = trace["kv_bytes_per_request"] + trace["state_reserved_bytes_per_request"]
    held = trace["kv_logical_bytes_per_request"] + trace["state_bytes_per_request"]
    if held and reserved > FAR_MORE * held:
        for name, parts in (
            ("reserved", ("kv_bytes_per_request", "state_reserved_bytes_per_request")),
            ("held", ("kv_logical_bytes_per_request", "state_bytes_per_request")),
        ):
            trace.compute(f"request_{name}_bytes", m.sum_bytes, items=list(parts))
        yield note(FindingKind.RESERVED_BEYOND, "request_reserved_bytes", "request_held_bytes")


@rule(FindingKind.ENGINE_SHARE, source="vllm-project/vllm#27508: gpu_memory_utilization")
def engine_share(trace: Trace, s: Situation) -> Iterator[Finding]:
    """Weights, the peak of a prompt and the cache must fit the share of the card that the engine may use."""
    if trace["accelerator.shortfall_bytes"] > 0 and trace["engine.memory_share"] < 1:
        figures = ("tier.0.limit_bytes", "tier.0.usable_bytes", "engine.memory_share", "accelerator.total_bytes")
        yield note(FindingKind.ENGINE_SHARE, *figures)


@rule(
    FindingKind.STATE_BLOCKS, source="vLLM, config/compilation.py; kaito-project/kaito#2319: 1,024 against 614 blocks"
)
def state_blocks(trace: Trace, s: Situation) -> Iterator[Finding]:
    """The engine prepares for more requests than its pool has blocks for their states: it refuses to start."""
    setup = s.setup
    if setup.engine.allocator is not Allocator.VLLM or before(setup, BLOCK_FOR_EACH_SINCE):
        return
    records = setup.deployment.graphs and setup.device.family not in WITHOUT_GRAPHS
    if is_article(setup) or not setup.blueprint.recurrent or not records:
        return
    if "engine.max_requests" not in trace:  # what the engine takes beside the cache was stated
        given_max_requests(trace, setup)
    if 0 < trace.get("kv_pool.blocks", 0) < trace["engine.max_requests"] and trace["max_concurrency"] > 0:
        say = note if setup.deployment.max_requests is None else warning
        yield say(FindingKind.STATE_BLOCKS, "kv_pool.blocks", "engine.max_requests")


@rule(FindingKind.ENGINE_TAKES_ITS_SHARE, source="linagora/openrag#1012")
def engine_takes_its_share(trace: Trace, s: Situation) -> Iterator[Finding]:
    """A serving engine reserves its share of the card whatever the model needs: what the card shows is not the need."""
    reserves = s.setup.engine.group == "serving" and not is_article(s.setup)
    if reserves and trace["accelerator.total_bytes"] < VISIBLY_LESS * trace["tier.0.limit_bytes"]:
        yield reason(FindingKind.ENGINE_TAKES_ITS_SHARE, "tier.0.limit_bytes", "accelerator.total_bytes")


@rule(FindingKind.ACTIVATION_PEAK, source="start-up logs of vLLM: the peak of a profiling run")
def activation_peak(trace: Trace, s: Situation) -> Iterator[Finding]:
    """Reading a chunk of a prompt takes memory for a moment, which the engine keeps free of cache for good."""
    peak = "runtime.peak_bytes"
    if peak in trace and trace[peak] > NOTABLE_PEAK * trace["tier.0.limit_bytes"]:
        yield reason(FindingKind.ACTIVATION_PEAK, peak, "engine.prefill_chunk")


@rule(FindingKind.WORKSPACE_GROWS, source="ml-explore/mlx-lm#1480")
def workspace_grows(trace: Trace, s: Situation) -> Iterator[Finding]:
    """Where attention does not run in tiles, its scores grow with the context, and outgrow the cache."""
    scores = "runtime.score_bytes"
    if scores in trace and trace[scores] > trace["accelerator.kv_bytes"]:
        yield reason(FindingKind.WORKSPACE_GROWS, scores, "accelerator.kv_bytes", "engine.prefill_chunk")


RULES = (
    engine_share,
    state_blocks,
    queue,
    reserved_beyond,
    close_to_limit,
    engine_takes_its_share,
    activation_peak,
    workspace_grows,
)

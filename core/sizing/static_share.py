"""The share of the memory that SGLang gives to weights and pools, which it computes where nobody chose it."""

from core.architecture.blueprint import AttentionKind, TensorClass
from core.catalogue.records import Allocator, DeviceFamily
from core.physics.reservation import sglang as rules
from core.scenario import Mode
from core.sizing.engine_defaults import PROMPT_GRAPHS_SINCE, SHARE_COMPUTED_SINCE, before, sglang_sizes
from core.sizing.groups import SGLANG_DEFAULTS, source_of_model, usable_bytes
from core.sizing.situation import Setup
from core.trace import CHOICE, Recipe
from core.units import GIB, MIB, Unit

SHARE = "engine.memory_share"
SOURCE = SGLANG_DEFAULTS
#: Before it was computed: from so many accelerators that share a layer or are stages, this share.
SHARES_BEFORE = ((16, 0.79), (8, 0.81), (4, 0.85), (2, 0.87), (1, 0.88))
MANY_ACCELERATORS = 4
#: Of an accelerator with more memory than this, at least so much is kept back.
LARGE_BYTES, LEAST_BYTES = 60 * GIB, 10 * GIB
#: Graphs of prompts, which NVIDIA's accelerators have: each; all of them
#: with latent attention. How far apart they are, up to so many tokens.
PROMPT_GRAPH_BYTES, LATENT_GRAPHS_BYTES = 8 * MIB, 1536 * MIB
PROMPT_GRAPHS = ((32, 4), (256, 16), (512, 32), (1024, 64), (4096, 256), (10**9, 512))
#: Groups that hold attention whole keep back more for a request in a graph, and more still with many of them.
GROUP_BYTES, MORE_GROUP_BYTES, MANY_REQUESTS = 3 * MIB, 3 * MIB // 2, 300
#: For an image tower: of the share, less for one larger than usual, within these.
TOWER_FACTOR, TOWER_SLOPE, USUAL_TOWER, TOWER_LIMITS = 0.95, 0.1, 24 * 1024**2, (0.8, 1.05)
GRAPHED = (DeviceFamily.NVIDIA_HBM, DeviceFamily.NVIDIA_GDDR, DeviceFamily.NVIDIA_UNIFIED)


def computes_share(s: Setup) -> bool:
    """Does the engine compute its share from the memory of the accelerator?"""
    computed = s.engine.allocator is Allocator.SGLANG and s.mode is Mode.REAL
    return computed and s.deployment.memory_share is None


def static_share(s: Setup) -> float:
    """The share that the engine computes, without a trace."""
    if before(s, SHARE_COMPUTED_SINCE):
        return share_before(s)
    kept = rules.kept_back_bytes(**kept_back_of(s))
    return float(rules.static_share(usable_bytes(s), kept, tower_factor(s)))


def record_share(trace: Recipe, s: Setup) -> None:
    """Record `engine.memory_share` as the engine computes it."""
    if before(s, SHARE_COMPUTED_SINCE):
        trace.given(SHARE, share_before(s), Unit.SHARE, SOURCE)
        return
    figures = kept_back_of(s)
    chosen = s.deployment.prefill_chunk
    trace.given("engine.share_chunk", figures["chunk"], Unit.TOKEN, CHOICE if chosen else SOURCE)
    trace.given("engine.graph_requests", figures["graph_requests"], Unit.REQUEST, SOURCE)
    trace.given("engine.prompt_graphs_bytes", figures["prompt_graphs_bytes"], Unit.BYTE, SOURCE)
    trace.given("engine.least_kept_bytes", figures["least_bytes"], Unit.BYTE, SOURCE)
    trace.given("engine.image_factor", tower_factor(s), Unit.RATIO, source_of_model(s))
    trace.compute(
        "engine.kept_back_bytes",
        rules.kept_back_bytes,
        chunk="engine.share_chunk",
        graph_requests="engine.graph_requests",
        prompt_graphs_bytes="engine.prompt_graphs_bytes",
        tensor="plan.tensor",
        pipeline="plan.pipeline",
        least_bytes="engine.least_kept_bytes",
    )
    trace.compute(
        SHARE,
        rules.static_share,
        capacity_bytes="tier.0.usable_bytes",
        kept_bytes="engine.kept_back_bytes",
        image_factor="engine.image_factor",
    )


def kept_back_of(s: Setup) -> dict[str, int]:
    """What the engine keeps back follows from these."""
    memory, deployment = usable_bytes(s), s.deployment
    usual, few, many = sglang_sizes(s, memory)
    chunk = deployment.prefill_chunk or usual
    requests = many if s.plan.tensor >= MANY_ACCELERATORS else few
    if deployment.max_requests is not None:
        requests = min(requests, deployment.max_requests)
    return {
        "chunk": chunk,
        "graph_requests": requests if deployment.graphs else 0,
        "prompt_graphs_bytes": _prompt_graphs_bytes(s, chunk, requests) if deployment.graphs else 0,
        "tensor": s.plan.tensor,
        "pipeline": s.plan.pipeline,
        "least_bytes": LEAST_BYTES if memory > LARGE_BYTES else 0,
    }


def _prompt_graphs_bytes(s: Setup, chunk: int, requests: int) -> int:
    """Graphs of prompts, and the padding of groups that hold attention whole."""
    groups = s.plan.attention_replicas if s.plan.attention_replicas > 1 else 0
    padding = requests * groups * (GROUP_BYTES + (MORE_GROUP_BYTES if requests > MANY_REQUESTS else 0))
    if s.device.family not in GRAPHED or before(s, PROMPT_GRAPHS_SINCE):
        return padding
    if any(group.kind in (AttentionKind.LATENT, AttentionKind.SPARSE_LATENT) for group in s.blueprint.attention):
        return padding + LATENT_GRAPHS_BYTES
    return padding + PROMPT_GRAPH_BYTES * prompt_graphs(chunk)


def prompt_graphs(chunk: int) -> int:
    """How many graphs of prompts there are.

    >>> prompt_graphs(4096), prompt_graphs(8192)
    (50, 58)
    """
    count = first = 0
    for last, step in PROMPT_GRAPHS:
        count += max(0, min(last, chunk) - first) // step
        first = last
    return count


def tower_factor(s: Setup) -> float:
    """Part of the share that an image tower leaves."""
    if not s.blueprint.tower_size or not s.blueprint.parameters.get(TensorClass.VISION):
        return 1.0
    least, most = TOWER_LIMITS
    return TOWER_FACTOR * min(most, max(least, 1 - TOWER_SLOPE * (s.blueprint.tower_size / USUAL_TOWER - 1)))


def share_before(s: Setup) -> float:
    """The share that older releases took."""
    accelerators = s.plan.tensor * s.plan.pipeline
    return next(share for least, share in SHARES_BEFORE if accelerators >= least)

"""The share of the memory that SGLang gives to weights and pools, which it computes where nobody chose it."""

from core.architecture.blueprint import AttentionKind, TensorClass
from core.catalogue.records import Allocator, DeviceFamily
from core.physics.reservation import sglang as rules
from core.scenario import Mode
from core.sizing.engine_defaults import (
    GRAPHS_FOR_LIMIT_SINCE,
    NOTHING_FOR_DRAFTS_SINCE,
    PROMPT_GRAPHS_SINCE,
    SHARE_BY_SIZE_SINCE,
    SHARE_COMPUTED_SINCE,
    SHARE_OF_LARGE_SINCE,
    before,
    sglang_sizes,
)
from core.sizing.groups import (
    SGLANG_DEFAULTS,
    draft_tokens,
    expert_ranks_key,
    has_draft_model,
    source_of_model,
    usable_bytes,
)
from core.sizing.situation import Setup
from core.trace import CHOICE, Recipe
from core.units import GIB, MIB, Unit

SHARE = "engine.memory_share"
SOURCE = SGLANG_DEFAULTS
#: At first: from so many accelerators that share a layer or are stages, this share.
SHARES_BEFORE = ((16, 0.79), (8, 0.81), (4, 0.85), (2, 0.87), (1, 0.88))
#: 0.4.6 and 0.4.7: of more memory than this, the last of these whatever their number. Of NVIDIA's largest, with 0.4.7,
#: this share.
WITH_LARGE_BYTES, LARGEST_SINCE, LARGEST_BYTES, LARGEST_SHARE = 80 * GIB, (0, 4, 7), 180_000 * MIB, 0.79
#: Of more than this also 48 GiB of what the share leaves, spread over the whole, but so much is kept back, and more
#: with 0.4.7 where tokens are guessed; of less memory then so much of the share.
MUCH_BYTES, OF_MUCH, KEPT_OF_MUCH, KEPT_FOR_GUESSES, LESS_FOR_GUESSES = 96 * GIB, 48 * GIB, 18 * GIB, 2 * GIB, 0.95
#: 0.4.8 to 0.5.2, by memory up to this much: kept back, and for each accelerator [GiB]; more for groups that hold
#: attention whole.
KEPT_BY_SIZE = ((35 * GIB, 2.8, 0.1), (90 * GIB, 9.5, 0.5), (160 * GIB, 12.0, 0.5), (10**15, 32.0, 0.0))
KEPT_FOR_GROUPS = 4 * GIB
#: 0.4.8 to 0.5.13, kept back where tokens are guessed: by layers of the model's own, and since 0.5.10; by a draft
#: model, since 0.5.2, before which it was as much as for the first.
KEPT_FOR_OWN, MORE_FOR_OWN_SINCE, KEPT_FOR_MORE_OWN, KEPT_FOR_DRAFT = 2 * GIB, (0, 5, 10), 4 * GIB, 6 * GIB
DRAFTS_KEPT_SINCE = (0, 5, 2)
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
    trace.given("engine.draft_kept_bytes", figures["draft_bytes"], Unit.BYTE, SOURCE)
    trace.given("engine.image_factor", tower_factor(s), Unit.RATIO, source_of_model(s))
    trace.compute(
        "engine.kept_back_bytes",
        rules.kept_back_bytes,
        chunk="engine.share_chunk",
        graph_requests="engine.graph_requests",
        prompt_graphs_bytes="engine.prompt_graphs_bytes",
        tensor=expert_ranks_key(s),
        pipeline="plan.pipeline",
        least_bytes="engine.least_kept_bytes",
        draft_bytes="engine.draft_kept_bytes",
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
    requests = many if s.plan.stage_ranks >= MANY_ACCELERATORS else few
    if deployment.max_requests is not None and not before(s, GRAPHS_FOR_LIMIT_SINCE):
        requests = min(requests, deployment.max_requests)
    return {
        "chunk": chunk,
        "graph_requests": requests if deployment.graphs else 0,
        "prompt_graphs_bytes": _prompt_graphs_bytes(s, chunk, requests) if deployment.graphs else 0,
        "tensor": s.plan.stage_ranks,
        "pipeline": s.plan.pipeline,
        "least_bytes": LEAST_BYTES if memory > LARGE_BYTES else 0,
        "draft_bytes": _draft_bytes(s),
    }


def _draft_bytes(s: Setup) -> int:
    """What is kept back where tokens are guessed ahead."""
    if not draft_tokens(s) or not before(s, NOTHING_FOR_DRAFTS_SINCE):
        return 0
    if has_draft_model(s):
        return KEPT_FOR_OWN if before(s, DRAFTS_KEPT_SINCE) else KEPT_FOR_DRAFT
    return KEPT_FOR_OWN if before(s, MORE_FOR_OWN_SINCE) else KEPT_FOR_MORE_OWN


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
    """The share that older releases took: by accelerators, later also by their memory."""
    memory, accelerators = usable_bytes(s), s.plan.stage_ranks * s.plan.pipeline
    share = next(share for least, share in SHARES_BEFORE if accelerators >= least)
    if before(s, SHARE_OF_LARGE_SINCE):
        return share
    if before(s, SHARE_BY_SIZE_SINCE):
        return _share_of_large(s, memory, share)
    fixed, each = next((fixed, each) for most, fixed, each in KEPT_BY_SIZE if memory < most)
    kept = (fixed + each * accelerators) * GIB + _draft_bytes(s)
    kept += KEPT_FOR_GROUPS if s.plan.attention_replicas > 1 else 0
    return max(0.0, round(1 - kept / memory, 3)) * tower_factor(s)


def _share_of_large(s: Setup, memory: int, share: float) -> float:
    """The share of 0.4.6 and 0.4.7."""
    last = not before(s, LARGEST_SINCE)
    guesses = last and draft_tokens(s) > 0
    share = share if memory <= WITH_LARGE_BYTES else SHARES_BEFORE[-1][1]
    if last and memory > LARGEST_BYTES and s.device.family in GRAPHED:
        return LARGEST_SHARE
    if memory > MUCH_BYTES:
        kept = KEPT_OF_MUCH + (KEPT_FOR_GUESSES if guesses else 0)
        return min(share + OF_MUCH * (1 - share) / memory, 1 - kept / memory)
    return share * (LESS_FOR_GUESSES if guesses else 1)

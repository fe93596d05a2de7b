"""What of a situation decides which formulas its speed takes: no number, only what there is and what there is not.

Recipes are written from an outline, so that situations with the same outline share them.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from core.architecture.blueprint import AttentionKind
from core.scenario import Placement
from core.sizing.engine_defaults import ASYNCHRONOUS_SINCE, before, is_vllm
from core.sizing.groups import cached_groups, expert_ranks_key, groups_key, has_draft_model, speculates
from core.sizing.placement import computes_on_cpu
from core.sizing.rates import copies_weights, exchange_link, has_routed_experts, hop_link, takes_all_to_all
from core.sizing.situation import SETUPS_KEPT, Setup, Situation
from core.trace import Trace

#: Engines that give prompts passes of their own unless told otherwise; the others mix them with the next tokens.
SEPARATE_PASSES = ("sglang",)
CONTEXT_RANKS = "engine.context_parallel"


class KeptGroup(NamedTuple):
    """An attention group that keeps a cache: its number, its kind, and whether it looks back at a window only."""

    number: int
    kind: AttentionKind
    windowed: bool


@dataclass(frozen=True, slots=True)
class Outline:
    """See the module.

    groups, expert_ranks   keys: of the groups with caches of their own, of the accelerators that share the experts
    kept            attention groups that keep a cache
    tensor, pipeline, attention_groups, spread_experts   is there more than one rank, stage, group, holder of experts?
    spans           does a copy take more than one accelerator?
    exchanges, hands_over   is there a link between ranks, between stages?
    directly        are tokens sent to their experts directly?
    short_rate, steady   is the rate of short messages known, do the rates hold within an engine?
    shares_context  is the cache of a request shared out among ranks?
    has_experts     are tokens sent to experts?
    spills, on_cpu  does anything lie in slower memory, and does a CPU compute it?
    speculates, has_draft   are tokens guessed ahead, by a draft model?
    prepares_ahead, mixes, overlaps, copies   see the functions and `SEPARATE_PASSES` below
    together        are all prompts sent at the same moment?
    looks_rarely    does the engine look for new requests less often than before every step?
    limited         did somebody choose the most requests of the engine?
    retrieval_here, retrieval_apart   does retrieval run on the model's card, on another?
    """

    groups: str
    expert_ranks: str
    kept: tuple[KeptGroup, ...]
    tensor: bool
    pipeline: bool
    attention_groups: bool
    spread_experts: bool
    spans: bool
    exchanges: bool
    hands_over: bool
    directly: bool
    short_rate: bool
    steady: bool
    shares_context: bool
    has_experts: bool
    spills: bool
    on_cpu: bool
    speculates: bool
    has_draft: bool
    prepares_ahead: bool
    mixes: bool
    overlaps: bool
    copies: bool
    together: bool
    looks_rarely: bool
    limited: bool
    retrieval_here: bool
    retrieval_apart: bool


def outline_of(trace: Trace, s: Situation) -> Outline:
    """The outline of a situation whose memory, rates and counts are recorded."""
    work = s.scenario.workload
    recorded = tuple(key in trace for key in ("all_reduce.beta_bytes_per_s", "all_reduce.slowdown", CONTEXT_RANKS))
    return _outline(s.setup, recorded, spills(trace), work.start_together, work.retrieval is not None)


@lru_cache(maxsize=2 * SETUPS_KEPT)
def _outline(s: Setup, recorded: tuple[bool, ...], spilling: bool, together: bool, retrieval: bool) -> Outline:
    plan, deployment = s.plan, s.deployment
    short_rate, steady, context_ranks = recorded
    return Outline(
        groups=groups_key(s),
        expert_ranks=expert_ranks_key(s),
        kept=tuple(KeptGroup(n, group.kind, bool(group.window)) for n, group in cached_groups(s.blueprint)),
        tensor=plan.tensor > 1,
        pipeline=plan.pipeline > 1,
        attention_groups=plan.attention_replicas > 1,
        spread_experts=plan.expert > 1,
        spans=plan.copy_ranks > 1,
        exchanges=exchange_link(s) is not None,
        hands_over=hop_link(s) is not None,
        directly=takes_all_to_all(s),
        short_rate=short_rate,
        steady=steady,
        shares_context=context_ranks and deployment.context_parallel > 1,
        has_experts=has_routed_experts(s),
        spills=spilling,
        on_cpu=computes_on_cpu(s),
        speculates=speculates(s),
        has_draft=has_draft_model(s),
        prepares_ahead=prepares_ahead(s),
        mixes=s.engine.id not in SEPARATE_PASSES,
        overlaps=stages_overlap(s),
        copies=copies_weights(s),
        together=together,
        looks_rarely=deployment.admission_steps > 1,
        limited=bool(deployment.max_requests),
        retrieval_here=retrieval and _stands(s, Placement.SAME_CARD),
        retrieval_apart=retrieval and _stands(s, Placement.SECOND_CARD),
    )


def spills(trace: Trace) -> bool:
    """Does anything lie in the second tier?"""
    return bool(trace["spill.weights_bytes"] > 0 or trace["spill.kv_bytes"] > 0)


def prepares_ahead(s: Setup) -> bool:
    """Does the engine prepare a step while the device still works on the one before? Serving engines of today do."""
    of_today = s.engine.group == "serving" and not s.engine.generation
    return of_today and not (is_vllm(s) and before(s, ASYNCHRONOUS_SINCE))


def stages_overlap(s: Setup) -> bool:
    """Do the stages of a layer split work on different chunks of a prompt at the same time?"""
    return s.engine.group == "llama.cpp" and s.plan.pipeline > 1


def is_served(s: Situation, *placements: Placement) -> bool:
    """Does retrieval run on accelerators at these places, and is it said how much of it there is?"""
    return s.scenario.workload.retrieval is not None and _stands(s.setup, *placements)


def _stands(s: Setup, *placements: Placement) -> bool:
    return any(companion.placement in placements for companion in s.companions)

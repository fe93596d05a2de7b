"""The memory figures of a situation, recorded one by one.

Keys beginning with `accelerator.` are of one accelerator: the one that holds the most, which is the one that also holds
the companions. `other_accelerator.` are the rest, where there are companions. All other keys are of the deployment.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from core.physics import contexts
from core.physics import memory as m
from core.physics.reservation import vllm_pool
from core.scenario import Workload
from core.sizing.answers import record_spill, saving
from core.sizing.cache import record_cache
from core.sizing.companions import COMPANION_ITEMS, record_companions
from core.sizing.contexts import BESIDE_AS_NOW, FEWER, context_answers
from core.sizing.device_uses import has_others
from core.sizing.draft import draft_items, record_draft
from core.sizing.groups import cached_groups, groups_key
from core.sizing.origins import METHOD
from core.sizing.placement import is_placed, record_placed, record_placement
from core.sizing.pool import POOL, holds_block_back, printed_of_pool
from core.sizing.report import Verdict
from core.sizing.reservation.sglang import TOKENS_OF_REQUEST
from core.sizing.reservation.share import Reservation
from core.sizing.reservation.vllm_compressed import UNDER_WAY
from core.sizing.runtime import FRAMEWORK, RUNTIME_CONTEXT, record_runtime
from core.sizing.situation import SETUPS_KEPT, Setup, Situation
from core.sizing.tiers import record_capacity
from core.sizing.totals import total_answers
from core.sizing.weights import record_weights
from core.trace import CHOICE, Origin, OriginKind, Recipe, Trace, recipe
from core.units import Unit

SEARCH = Origin(OriginKind.METHOD, title="Looked for by halves, sized anew at each length")
CLOSE_SHARE = 0.05  # less than this part of the limit free is close to the limit


@dataclass(frozen=True, slots=True)
class _Prepared:
    """The memory of a setup, whatever its work.

    formulas     of weights, cache and capacity; what follows from the setup alone is computed
    answers      what fits: recipes that many setups share
    waiting      answers that few ask for
    reserved     what the engine reserves for a request, group by group
    grows        does what the engine takes beside the cache grow with the context?
    own_length   is the longest context looked for, since no line gives it?
    """

    formulas: Recipe
    answers: tuple[Recipe, ...]
    waiting: tuple[Recipe, ...]
    reserved: Reservation
    grows: bool
    own_length: bool


def record_memory(trace: Trace, s: Situation, context_tokens: Any = None) -> Reservation:
    """Record every figure of weights, cache, capacity, and what fits.

    Parameters
    ----------
    trace : receives the figures
    s : the situation
    context_tokens : in place of the workload's, one number or an array of them for a curve

    Returns
    -------
    what the engine reserves for a request, group by group
    """
    prepared = _prepared(s.setup, context_tokens is None)
    _workload(trace, s.scenario.workload, context_tokens)
    if prepared.grows:
        trace.given(RUNTIME_CONTEXT, trace["workload.context_tokens"], Unit.TOKEN)
    for formulas in (prepared.formulas, *prepared.answers):
        trace.follow(formulas)
    for formulas in prepared.waiting:
        trace.later(formulas)
    if prepared.own_length:
        trace.later(_fewer_tokens(s))
    if context_tokens is None:  # not along a curve
        record_spill(trace, s.setup)
    return prepared.reserved


def formulas_of_memory(s: Setup) -> Recipe:
    """What `record_memory` follows first, for recipes that come after it."""
    return _formulas(s)[0]


@lru_cache(maxsize=SETUPS_KEPT)
def _formulas(s: Setup) -> tuple[Recipe, Reservation]:
    formulas = Recipe()
    formulas.given("nothing_bytes", 0, Unit.BYTE, METHOD)
    _plan(formulas, s)
    record_weights(formulas, s)
    reserved = record_cache(formulas, s)
    _beside(formulas, s)
    record_capacity(formulas, s)
    if is_placed(s):
        record_placement(formulas, s)
    return formulas, reserved


@lru_cache(maxsize=SETUPS_KEPT)
def _prepared(s: Setup, alone: bool) -> _Prepared:
    """`alone` where the context limit is one number, not the axis of a curve."""
    formulas, reserved = _formulas(s)
    drafts, companions = tuple(draft_items(s)), tuple(COMPANION_ITEMS.values())
    holds_back, once = holds_block_back(formulas, s), UNDER_WAY if UNDER_WAY in formulas else ""
    answers = [_accelerator("accelerator", (*drafts, *companions), is_placed(s), holds_back, once)]
    if has_others(s):
        answers.append(_accelerator("other_accelerator", drafts, is_placed(s), holds_back, once))
    answers.append(_answers(groups_key(s), holds_back, once))
    answers.append(total_answers(formulas, s))
    grows = formulas.takes(RUNTIME_CONTEXT)
    own_length = alone and _depends_on_length(s, formulas, grows)
    waiting = [context_answers(reserved, alone, holds_back, own_length), *printed_of_pool(formulas, s)]
    if alone:
        waiting += saving(formulas, s)
    return _Prepared(formulas, tuple(answers), tuple(waiting), reserved, grows, own_length)


def _workload(trace: Trace, work: Workload, context_tokens: Any) -> None:
    trace.given(
        "workload.context_tokens", work.context_tokens if context_tokens is None else context_tokens, Unit.TOKEN
    )
    trace.given("workload.output_tokens", work.output_tokens, Unit.TOKEN)
    if work.prompt_tokens is None:
        trace.compute(
            "workload.prompt_tokens",
            contexts.prompt_that_fills,
            context_tokens="workload.context_tokens",
            output_tokens="workload.output_tokens",
        )
    else:
        trace.given("workload.prompt_tokens", work.prompt_tokens, Unit.TOKEN)
    trace.given("workload.users", work.users, Unit.USER)
    trace.given("workload.active_share", work.active_share, Unit.SHARE)
    if work.requests_at_once is None:
        trace.compute(
            "requests_at_once", m.requests_at_the_peak, users="workload.users", active_share="workload.active_share"
        )
    else:
        trace.given("requests_at_once", work.requests_at_once, Unit.REQUEST)
    trace.given("workload.reserve_share", work.reserve_share, Unit.SHARE)
    trace.compute(
        "requests_with_reserve",
        m.requests_with_reserve,
        requests="requests_at_once",
        reserve_share="workload.reserve_share",
    )


def _plan(trace: Recipe, s: Setup) -> None:
    origin = METHOD if s.deployment.plan is None else CHOICE
    trace.given("plan.tensor", s.plan.tensor, Unit.COUNT, origin)
    trace.given("plan.pipeline", s.plan.pipeline, Unit.COUNT, origin)
    trace.given("plan.replicas", s.plan.replicas, Unit.COUNT, origin)
    if s.plan.spreads_experts:
        trace.given("plan.attention_replicas", s.plan.attention_replicas, Unit.COUNT, origin)
        trace.given("plan.expert", s.plan.expert, Unit.COUNT, origin)
        trace.given("plan.stage_ranks", s.plan.stage_ranks, Unit.COUNT, METHOD)
        trace.given("plan.groups", s.plan.groups, Unit.COUNT, METHOD)
    trace.given("deployment.accelerators", s.accelerators, Unit.COUNT)
    trace.compute("accelerator.requests", m.requests_per_replica, requests="requests_at_once", replicas=groups_key(s))


def _beside(trace: Recipe, s: Setup) -> None:
    """Companions and runtime: what stands on the accelerator beside the model."""
    record_companions(trace, s)
    record_draft(trace, s)
    record_runtime(trace, s)
    fixed = ["accelerator.weights_bytes", *draft_items(s), *COMPANION_ITEMS.values(), FRAMEWORK]
    trace.compute("accelerator.fixed_bytes", m.sum_bytes, items=fixed)


@recipe
def _accelerator(trace: Recipe, key: str, beside: tuple[str, ...], placed: bool, holds_back: bool, once: str) -> None:
    """One accelerator: fixed part, requests, limit, and what spills into slower memory.

    `holds_back` where the engine wants one block more than requests take; `once` is the key of what is there once for
    all of them.
    """
    if key == "accelerator":
        for name in ("kv", "state"):
            together = {"once": once} if once and name == "kv" else {}
            trace.compute(
                f"{key}.{name}_bytes",
                m.times_and_once if together else m.times,
                bytes_each=f"{key}.{name}_bytes_per_request",
                number="accelerator.requests",
                **together,
            )
    else:
        fixed = ["accelerator.weights_bytes", *beside, FRAMEWORK]
        trace.compute(f"{key}.fixed_bytes", m.sum_bytes, items=fixed)
    wanted = [f"{key}.fixed_bytes", "accelerator.kv_bytes", "accelerator.state_bytes"]
    trace.compute(f"{key}.total_bytes", m.sum_bytes, items=wanted)
    whole = f"{key}.total_bytes"
    if holds_back:
        whole = f"{key}.wanted_bytes"
        trace.compute(whole, m.sum_bytes, items=[f"{key}.total_bytes", "kv_pool.block_bytes"])
    if placed:
        record_placed(trace, key)
        return
    tiers = {"first_bytes": "tier.0.limit_bytes", "lower_bytes": "lower_tiers.limit_bytes"}
    trace.compute(f"{key}.limit_bytes", m.limit_over_tiers, **tiers, wanted_bytes=whole)
    spill = "spill" if key == "accelerator" else f"{key}.spill"
    trace.compute(
        f"{spill}.weights_bytes",
        m.spilled_weights_bytes,
        weights_bytes="accelerator.weights_bytes",
        fixed_bytes=f"{key}.fixed_bytes",
        **tiers,
    )
    trace.compute(
        f"{spill}.kv_bytes",
        m.spilled_kv_bytes,
        wanted_bytes=f"{key}.total_bytes",
        spilled_weights_bytes=f"{spill}.weights_bytes",
        **tiers,
    )
    for name, used in (("free_for_kv", "fixed"), ("free", "total")):
        trace.compute(
            f"{key}.{name}_bytes", m.free_bytes, limit_bytes=f"{key}.limit_bytes", used_bytes=f"{key}.{used}_bytes"
        )


@recipe
def _answers(trace: Recipe, groups: str, holds_back: bool, once: str) -> None:
    """How much is missing, how many requests fit."""
    missing = {"limit_bytes": "accelerator.limit_bytes", "used_bytes": "accelerator.total_bytes"}
    free, shortfall = "accelerator.free_for_kv_bytes", "accelerator.shortfall_bytes"
    if not holds_back:
        trace.compute(shortfall, m.shortfall_bytes, **missing)
    else:
        trace.compute(shortfall, vllm_pool.shortfall_bytes, **missing, block_bytes="kv_pool.block_bytes")
        trace.compute(POOL, vllm_pool.usable_pool_bytes, free_bytes=free, block_bytes="kv_pool.block_bytes")
        free = POOL
    trace.compute(
        "accelerator.bytes_per_request",
        m.sum_bytes,
        items=["accelerator.kv_bytes_per_request", "accelerator.state_bytes_per_request"],
    )
    together = {"once": once} if once else {}
    trace.compute(
        "max_concurrency",
        m.requests_that_fit_beside if together else m.requests_that_fit,
        free_bytes=free,
        bytes_per_request="accelerator.bytes_per_request",
        replicas=groups,
        **together,
    )
    trace.given("one_request", 1, Unit.REQUEST, METHOD)


def _depends_on_length(s: Setup, formulas: Recipe, grows: bool) -> bool:
    """Does more than the cache of each depend on the context limit, or do layers go by blocks of unlike lengths?"""
    keys = [f"kv.{number}.block_tokens" for number, _ in cached_groups(s.blueprint)]
    if grows or s.context_tokens > 0 or UNDER_WAY in formulas or TOKENS_OF_REQUEST in formulas:
        return True
    return len({formulas[key] for key in keys if key in formulas}) > 1


def _fewer_tokens(s: Situation) -> Recipe:
    """How many tokens fewer, or more, one request may have than by lines, sized at that length itself."""

    def find(values: Mapping[str, Any]) -> int:
        start = int(values[BESIDE_AS_NOW])
        return start - longest_context(s, 1, start, values["accelerator.limit_bytes"] - values["tier.0.limit_bytes"])

    fewer = Recipe()
    fewer.search(FEWER, find, Unit.TOKEN, SEARCH)
    return fewer


def longest_context(s: Situation, requests: int, near: int, lower_bytes: int = 0) -> int:
    """The largest context of so many requests on one accelerator, sized at that length itself.

    Parameters
    ----------
    s : the situation
    requests : on one accelerator
    near : where to begin looking [tokens]
    lower_bytes : of slower memory that may be used too [byte]
    """
    setup, work, placed = s.setup, s.scenario.workload, is_placed(s.setup)
    prepared = _prepared(setup, True)

    def fits(tokens: int) -> bool:
        formulas = prepared.formulas
        if setup.context_tokens:
            formulas = _formulas.__wrapped__(replace(setup, context_tokens=tokens))[0]
        trace = Trace()
        _workload(trace, work, tokens)
        trace.given(RUNTIME_CONTEXT, tokens, Unit.TOKEN)
        trace.follow(formulas)
        if placed:
            trace.follow(prepared.answers[0])
            free = trace["accelerator.free_for_kv_bytes"]
        else:
            free = trace["tier.0.limit_bytes"] + lower_bytes - trace["accelerator.fixed_bytes"]
        if holds_block_back(formulas, setup):
            free = vllm_pool.usable_pool_bytes(free, trace["kv_pool.block_bytes"])
        each = trace["accelerator.kv_bytes_per_request"] + trace["accelerator.state_bytes_per_request"]
        return bool(requests * each + trace.get(UNDER_WAY, 0) <= free)

    return contexts.longest(fits, near)


def finds_length(s: Setup) -> bool:
    """Is the longest context looked for, since no line gives it to the token?"""
    return _prepared(s, True).own_length


def verdict(trace: Trace) -> Verdict:
    """Does the work fit, and with the reserve that was asked for and a little to spare?"""
    if trace["accelerator.shortfall_bytes"] > 0:
        return Verdict.DOES_NOT_FIT
    no_reserve = trace["requests_with_reserve"] > trace["max_concurrency"]
    almost_full = trace["accelerator.free_bytes"] < CLOSE_SHARE * trace["accelerator.limit_bytes"]
    return Verdict.CLOSE if no_reserve or almost_full else Verdict.FITS

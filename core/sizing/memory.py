"""The memory figures of a situation, recorded one by one, and the picture of each accelerator.

Keys beginning with `accelerator.` are of one accelerator: the one that holds the most, which is the one that also holds
the companions. `other_accelerator.` are the rest, where there are companions. All other keys are of the deployment.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from core.architecture.blueprint import TensorClass
from core.catalogue.records import Allocator
from core.physics import expert_parallel as ep
from core.physics import memory as m
from core.physics import weights as w
from core.physics.kv_cache import total_bytes_per_token
from core.physics.reservation import sglang, vllm_pool
from core.physics.reservation.tensorrt_llm import limit_after_loading
from core.scenario import CompanionRole, Mode, Workload
from core.sizing.answers import record_spill, saving
from core.sizing.apple import METAL, on_metal, working_set_bytes
from core.sizing.cache import record_cache
from core.sizing.capacity import (
    FRAMEWORK,
    RUNTIME_CONTEXT,
    memory_share,
    record_runtime,
    shares_what_is_left,
    takes_part_of_the_whole,
)
from core.sizing.companions import PlacedCompanion, placed_companions
from core.sizing.draft import DRAFT, draft_items, record_draft
from core.sizing.engine_defaults import BLOCK_KEPT_BACK_SINCE, before
from core.sizing.groups import cached_groups, groups_key
from core.sizing.loaded import HELD, TABLES, class_key
from core.sizing.origins import ARTICLE, METHOD, catalogue_origin, model_origin
from core.sizing.placement import is_placed, record_placed, record_placement, spills_by_itself
from core.sizing.report import DeviceUse, MemoryItem, MemoryKind, TierUse, Verdict
from core.sizing.reservation.sglang import TOKENS_OF_REQUEST
from core.sizing.reservation.share import Reservation
from core.sizing.reservation.vllm_compressed import UNDER_WAY
from core.sizing.situation import SETUPS_KEPT, Setup, Situation
from core.sizing.static_share import computes_share, record_share
from core.sizing.weights import loaded_key, record_weights
from core.trace import CHOICE, Origin, OriginKind, Recipe, Recorder, Trace, recipe
from core.units import Unit

COMPANIONS = {CompanionRole.EMBEDDING: "memory_item.embedding", CompanionRole.RERANKER: "memory_item.reranker"}
POOL = "kv_pool.usable_bytes"  # what requests may take of it
#: The longest context by lines, with what stands beside the cache at the context limit; how far the true one is away.
BESIDE_AS_NOW, FEWER = "max_context_tokens.beside_as_now", "max_context_tokens.fewer_tokens"
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
    _capacity(formulas, s)
    if is_placed(s):
        record_placement(formulas, s)
    return formulas, reserved


@lru_cache(maxsize=SETUPS_KEPT)
def _prepared(s: Setup, alone: bool) -> _Prepared:
    """`alone` where the context limit is one number, not the axis of a curve."""
    formulas, reserved = _formulas(s)
    drafts, companions = tuple(draft_items(s)), tuple(COMPANIONS.values())
    holds_back, once = holds_block_back(formulas, s), UNDER_WAY if UNDER_WAY in formulas else ""
    answers = [_accelerator("accelerator", (*drafts, *companions), is_placed(s), holds_back, once)]
    if has_others(s):
        answers.append(_accelerator("other_accelerator", drafts, is_placed(s), holds_back, once))
    answers.append(_answers(groups_key(s), holds_back, once))
    answers.append(_totals(formulas, s))
    grows = formulas.takes(RUNTIME_CONTEXT)
    own_length = alone and _depends_on_length(s, formulas, grows)
    waiting = [_contexts(reserved, alone, holds_back, own_length), *_pool(formulas, s)]
    if alone:
        waiting += saving(formulas, s)
    return _Prepared(formulas, tuple(answers), tuple(waiting), reserved, grows, own_length)


def has_others(s: Setup) -> bool:
    """Do the companions stand on one of several accelerators, so that the others hold less?"""
    return s.accelerators > 1 and bool(s.companions)


def _workload(trace: Trace, work: Workload, context_tokens: Any) -> None:
    trace.given(
        "workload.context_tokens", work.context_tokens if context_tokens is None else context_tokens, Unit.TOKEN
    )
    trace.given("workload.output_tokens", work.output_tokens, Unit.TOKEN)
    if work.prompt_tokens is None:
        trace.compute(
            "workload.prompt_tokens",
            m.prompt_that_fills,
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
    items: dict[CompanionRole, list[str]] = {role: [] for role in CompanionRole}
    for number, companion in enumerate(placed_companions(s)):
        items[companion.role].extend(_companion(trace, s, f"companion.{number}", companion))
    for role, key in COMPANIONS.items():
        if items[role]:
            trace.compute(key, m.sum_bytes, items=items[role])
        else:
            trace.given(key, 0, Unit.BYTE)
    record_draft(trace, s)
    record_runtime(trace, s)
    fixed = ["accelerator.weights_bytes", *draft_items(s), *COMPANIONS.values(), FRAMEWORK]
    trace.compute("accelerator.fixed_bytes", m.sum_bytes, items=fixed)


def _companion(trace: Recipe, s: Setup, prefix: str, companion: PlacedCompanion) -> list[str]:
    """The tensors of a companion, class by class; returns the keys of their bytes."""
    source = model_origin(companion.model)
    bits_source = ARTICLE if s.mode is Mode.ARTICLE else catalogue_origin(companion.weight_format, "bits")
    sizes = []
    for kind, number in companion.parameters.items():
        keys = {"parameters": f"{prefix}.parameters.{kind}", "bits": f"{prefix}.bits.{kind}"}
        trace.given(keys["parameters"], number, Unit.PARAMETER, source)
        trace.given(keys["bits"], companion.bits[kind], Unit.BIT_PER_WEIGHT, bits_source)
        sizes.append(f"{prefix}.weights_bytes.{kind}")
        trace.compute(sizes[-1], w.weights_bytes, **keys)
    return sizes


def _capacity(trace: Recipe, s: Setup) -> None:
    """What is installed, what software may allocate, what the engine takes of it."""
    article, deployment = s.mode is Mode.ARTICLE, s.deployment
    capacities, lower = [], []
    for number, tier in enumerate(s.device.memory_tiers):
        key = f"tier.{number}"
        own = _tier_origin(s, number, "capacity_bytes")
        capacity, origin = tier.capacity_bytes, own
        usable, usable_origin = tier.usable_bytes, _tier_origin(s, number, "usable_bytes")
        if number == 0 and deployment.capacity_bytes is not None:
            capacity, origin = deployment.capacity_bytes, CHOICE
            usable, usable_origin = capacity, CHOICE
        elif article:
            usable, usable_origin = capacity, ARTICLE
        elif usable is None:
            usable, usable_origin = capacity, own  # the label, which is the safe side
        trace.given(f"{key}.capacity_bytes", capacity, Unit.BYTE, origin)
        trace.given(f"{key}.usable_bytes", usable, Unit.BYTE, usable_origin)
        bandwidth_origin = _tier_origin(s, number, "bandwidth_bytes_per_s")
        trace.given(f"{key}.bandwidth_bytes_per_s", tier.bandwidth_bytes_per_s, Unit.BYTE_PER_SECOND, bandwidth_origin)
        if number == 0:
            trace.given(
                "memory_bandwidth_bytes_per_s", tier.bandwidth_bytes_per_s, Unit.BYTE_PER_SECOND, bandwidth_origin
            )
        elif spills_by_itself(s):
            lower.append(f"{key}.usable_bytes")
        capacities.append(f"{key}.capacity_bytes")
    if computes_share(s):
        record_share(trace, s)
    else:
        trace.given("engine.memory_share", *memory_share(s))
    limit = {"usable_bytes": "tier.0.usable_bytes", "memory_share": "engine.memory_share"}
    if shares_what_is_left(s):
        trace.compute("tier.0.limit_bytes", limit_after_loading, **limit, fixed_bytes="accelerator.fixed_bytes")
    elif takes_part_of_the_whole(s):
        whole = "tier.0.capacity_bytes"
        if on_metal(s):
            whole = "tier.0.working_set_bytes"
            trace.given(whole, working_set_bytes(s), Unit.BYTE, METAL)
        trace.compute("tier.0.limit_bytes", m.limit_of_the_whole, **limit, capacity_bytes=whole)
    else:
        trace.compute("tier.0.limit_bytes", m.tier_limit_bytes, **limit)
    if lower:
        trace.compute("lower_tiers.limit_bytes", m.sum_bytes, items=lower)
    else:
        trace.given("lower_tiers.limit_bytes", 0, Unit.BYTE, catalogue_origin(s.device, "memory_tiers"))
    trace.compute("accelerator.capacity_bytes", m.sum_bytes, items=capacities)


def _tier_origin(s: Setup, number: int, field: str) -> Origin:
    """Where a figure of a memory tier comes from: the device, or the host as chosen."""
    host = s.deployment.host
    if number == 0 or host is None:
        return catalogue_origin(s.device, f"memory_tiers.{number}.{field}")
    chosen = host.bandwidth_bytes_per_s if field == "bandwidth_bytes_per_s" else host.capacity_bytes
    if host.device is None or chosen is not None:
        return CHOICE
    return catalogue_origin(s.catalogue.device(host.device), f"memory_tiers.0.{field}")


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


@recipe
def _contexts(trace: Recipe, reserved: Reservation, weighed: bool, holds_back: bool, own_length: bool) -> None:
    """How long one request may be, and from where the cache outweighs the model.

    `own_length` where lines do not give it to the token, so that the difference is looked for.
    """
    free = POOL if holds_back else "accelerator.free_for_kv_bytes"
    largest_context(trace, reserved, BESIDE_AS_NOW if own_length else "max_context_tokens", "one_request", free)
    if own_length:
        more = {"fits_tokens": BESIDE_AS_NOW, "fewer_tokens": FEWER}
        trace.compute("max_context_tokens", m.context_at_its_own_length, **more)
    trace.compute(
        "max_context_usable_tokens",
        m.usable_context,
        fits_tokens="max_context_tokens",
        trained_tokens="model.trained_context",
    )
    if weighed:
        largest_context(
            trace, reserved, "cache_outweighs_model_tokens", "accelerator.requests", "accelerator.weights_bytes"
        )


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

    return m.longest(fits, near)


def finds_length(s: Setup) -> bool:
    """Is the longest context looked for, since no line gives it to the token?"""
    return _prepared(s, True).own_length


def largest_context(trace: Recorder, reserved: Reservation, key: str, requests: str, free_bytes: str) -> None:
    """Record the largest context of `requests` at once under `key`, over the cases of how many windows are full."""
    free = {"free_bytes": free_bytes, "requests": requests}
    found = growth_cases(trace, reserved)
    last = f"{key}.by_growth" if reserved.least else key
    cases = [f"{key}.case.{number}" for number in range(len(found))] if len(found) > 1 else [last]
    for case, (constant, growth) in zip(cases, found, strict=True):
        if growth:
            trace.compute(
                case,
                m.context_that_fits,
                **free,
                constant_bytes=constant,
                bytes_per_token=growth,
                block_tokens=reserved.step,
            )
        else:
            trace.compute(case, m.context_without_growth, **free, constant_bytes=constant)
    if len(cases) > 1:
        trace.compute(last, m.largest_context, cases=cases)
    if reserved.least:
        trace.compute(key, m.context_above_least, fits_tokens=last, **free, least_bytes=reserved.least)


def growth_cases(trace: Recorder, reserved: Reservation) -> list[tuple[str, str]]:
    """Per case, the keys of the constant part of a request and of its growth per token ("" when nothing grows)."""
    shares = reserved.shares
    constants = [share.constant for share in shares if share.constant]
    growing = [share.rate for share in shares if share.rate and not share.full]
    windows = sorted((share for share in shares if share.full), key=lambda share: share.limit)
    cases = []
    for full in range(len(windows) + 1):
        held = [share.full for share in windows[:full]]
        held += [share.extra for share in windows[full:] if share.extra]
        constant = _sum_key(trace, f"context_case.{full}.constant_bytes", m.sum_bytes, "items", [*constants, *held])
        rates = growing + [share.rate for share in windows[full:]]
        growth = _sum_key(trace, f"context_case.{full}.bytes_per_token", total_bytes_per_token, "groups", rates)
        cases.append((constant or "nothing_bytes", growth))
    return cases


def _sum_key(trace: Recorder, key: str, function: Callable[..., Any], parameter: str, items: list[str]) -> str:
    """The key of a sum: of its only item, or a new entry; "" for nothing."""
    if len(items) > 1 and key not in trace:
        trace.compute(key, function, **{parameter: items})
    return key if len(items) > 1 else "".join(items)


def holds_block_back(trace: Recorder, s: Setup) -> bool:
    """Does the engine keep one block of its pool to itself when it asks whether a request has room?"""
    return "kv_pool.block_bytes" in trace and not before(s, BLOCK_KEPT_BACK_SINCE)


def _pool(formulas: Recipe, s: Setup) -> list[Recipe]:
    """What the engine prints of its pool at the start."""
    if "kv_pool.blocks_per_request" in formulas and formulas["kv_pool.block_bytes"]:
        weighed = "kv_pool.concurrency.blocks"
        counted = weighed if weighed in formulas else "kv_pool.blocks_per_request"
        shortest = "kv_pool.tokens_by_group.block_tokens"
        block = shortest if shortest in formulas else "engine.block_tokens"
        return [_printed("kv_pool.groups" if "kv_pool.groups" in formulas else "kv_pool.one_group", counted, block)]
    if s.mode is Mode.REAL and s.engine.allocator is Allocator.SGLANG and "kv_pool.rate" in formulas:
        return [_printed("", "", "")]
    return []


@recipe
def _printed(trace: Recipe, groups: str, counted: str, block: str) -> None:
    """Blocks, with the keys of their groups, of a request's and of the shortest, and tokens; else tokens alone."""
    free = {"free_bytes": "accelerator.free_for_kv_bytes"}
    if groups:
        trace.compute("kv_pool.blocks", vllm_pool.pool_blocks, **free, block_bytes="kv_pool.block_bytes")
        trace.compute(
            "kv_pool.concurrency",
            vllm_pool.printed_concurrency,
            blocks="kv_pool.blocks",
            blocks_per_request=counted,
        )
        concurrency = {"concurrency": "kv_pool.concurrency", "context_tokens": "workload.context_tokens"}
        trace.compute("kv_pool.tokens", vllm_pool.printed_tokens, **concurrency)
        by_group = {"blocks": "kv_pool.blocks", "block_tokens": block}
        trace.compute("kv_pool.tokens_by_group", vllm_pool.printed_tokens_by_group, groups=[groups], **by_group)
    else:
        trace.compute("kv_pool.tokens", sglang.pool_tokens, **free, bytes_per_token="kv_pool.rate")


def _totals(formulas: Recipe, s: Setup) -> Recipe:
    """The same over the whole deployment."""
    beside = tuple(key for key in (TABLES, HELD) if key in formulas)
    experts = class_key(formulas, TensorClass.EXPERT) if s.plan.attention_replicas > 1 else ""
    several, once = s.accelerators > 1, UNDER_WAY in formulas
    return _sums(loaded_key(formulas), experts, beside, tuple(draft_items(s)), s.plan.replicas > 1, several, once)


@recipe
def _sums(
    trace: Recipe,
    weights: str,
    experts: str,
    beside: tuple[str, ...],
    drafts: tuple[str, ...],
    replicas: bool,
    several: bool,
    once: bool,
) -> None:
    """`experts` where attention stands in several groups of a copy: then they are not held by each of them."""
    reserved = {"kv_cache": "kv_bytes_per_request", "state": "state_reserved_bytes_per_request"}
    together = {}
    if once:
        together = {"once": "memory.kv_under_way_bytes"}
        trace.compute(together["once"], m.times, bytes_each=UNDER_WAY, number="deployment.accelerators")
    for name, each in reserved.items():
        more = together if name == "kv_cache" else {}
        rule = m.times_and_once if more else m.times
        trace.compute(f"memory_item.{name}", rule, bytes_each=each, number="requests_at_once", **more)
    trace.compute("kv_cache_bytes", m.times, bytes_each="kv_logical_bytes_per_request", number="requests_at_once")
    copies = {weights: "plan.replicas"} if replicas else {}
    if several:
        copies |= dict.fromkeys([FRAMEWORK, *drafts, *beside], "deployment.accelerators")
    fixed = []
    for item in (weights, *beside, *drafts, *COMPANIONS.values(), FRAMEWORK):
        key = item
        if item in copies:
            key = f"memory.{item.partition('.')[2].removesuffix('_bytes').replace('loaded', 'weights')}_bytes"
            trace.compute(key, m.times, bytes_each=item, number=copies[item])
        if item == weights and experts:
            key = "memory.weights_bytes"
            trace.compute(
                key,
                ep.weights_of_copies,
                weights=item,
                experts=experts,
                attention_replicas="plan.attention_replicas",
                replicas="plan.replicas",
            )
        fixed.append(key)
    trace.compute("memory.fixed_bytes", m.sum_bytes, items=fixed)
    trace.compute(
        "memory.total_bytes", m.sum_bytes, items=["memory.fixed_bytes", "memory_item.kv_cache", "memory_item.state"]
    )
    for name in ("capacity", "limit"):
        each = f"accelerator.{name}_bytes"
        trace.compute(f"memory.{name}_bytes", m.times, bytes_each=each, number="deployment.accelerators")
    for name, used in (("free_for_kv", "fixed"), ("free", "total")):
        trace.compute(
            f"memory.{name}_bytes", m.free_bytes, limit_bytes="memory.limit_bytes", used_bytes=f"memory.{used}_bytes"
        )
    trace.compute(
        "memory.share_of_capacity",
        m.share_of_capacity,
        used_bytes="memory.total_bytes",
        capacity_bytes="memory.capacity_bytes",
    )


def verdict(trace: Trace) -> Verdict:
    """Does the work fit, and with the reserve that was asked for and a little to spare?"""
    if trace["accelerator.shortfall_bytes"] > 0:
        return Verdict.DOES_NOT_FIT
    no_reserve = trace["requests_with_reserve"] > trace["max_concurrency"]
    almost_full = trace["accelerator.free_bytes"] < CLOSE_SHARE * trace["accelerator.limit_bytes"]
    return Verdict.CLOSE if no_reserve or almost_full else Verdict.FITS


def device_uses(trace: Trace, s: Setup) -> tuple[DeviceUse, ...]:
    """Every accelerator of the deployment, item by item and tier by tier; those that hold the same together."""
    if not has_others(s):
        return (DeviceUse(s.device.name, s.accelerators, _tiers(trace, s, "spill", tuple(COMPANIONS.values()))),)
    return (
        DeviceUse(s.device.name, 1, _tiers(trace, s, "spill", tuple(COMPANIONS.values()))),
        DeviceUse(s.device.name, s.accelerators - 1, _tiers(trace, s, "other_accelerator.spill", ())),
    )


def _tiers(trace: Trace, s: Setup, spill: str, companions: tuple[str, ...]) -> tuple[TierUse, ...]:
    fast, slow = _items(trace, spill, companions)
    whose = spill.removesuffix("spill")
    tiers = [_tier(trace, s, 0, "tier.0.limit_bytes", fast, whose)]
    for number in range(1, len(s.device.memory_tiers)):
        tiers.append(_tier(trace, s, number, f"tier.{number}.usable_bytes", slow if number == 1 else [], whose))
    return tuple(tiers)


def _tier(trace: Trace, s: Setup, number: int, limit: str, items: list[MemoryItem], whose: str) -> TierUse:
    tier = s.device.memory_tiers[number]
    capacity, usable = f"tier.{number}.capacity_bytes", f"tier.{number}.usable_bytes"
    sizes = trace[capacity], trace[usable], trace[limit]
    return TierUse(f"{whose}use.{number}", tier.name, tier.kind, capacity, usable, limit, tuple(items), *sizes)


def _items(trace: Trace, spill: str, companions: tuple[str, ...]) -> tuple[list[MemoryItem], list[MemoryItem]]:
    """What stands in the fast tier and what in the slower one."""
    kinds = {MemoryKind.WEIGHTS: "accelerator.weights_bytes"}
    if DRAFT in trace:
        kinds[MemoryKind.DRAFT] = DRAFT
    kinds |= {MemoryKind(role.value): key for role, key in COMPANIONS.items() if key in companions}
    kinds |= {
        MemoryKind.RUNTIME: "memory_item.framework",
        MemoryKind.KV_CACHE: "accelerator.kv_bytes",
        MemoryKind.STATE: "accelerator.state_bytes",
    }
    slow = []
    if trace[f"{spill}.weights_bytes"]:
        slow.append(MemoryKind.WEIGHTS)
        kinds[MemoryKind.WEIGHTS] = _rest(trace, f"{spill}.rest.weights_bytes", kinds[MemoryKind.WEIGHTS])
    if trace[f"{spill}.kv_bytes"]:  # cache and state leave together: they belong to the same requests
        slow.append(MemoryKind.KV_CACHE)
        trace.compute(f"{spill}.requests_bytes", m.sum_bytes, items=["accelerator.kv_bytes", "accelerator.state_bytes"])
        kinds[MemoryKind.KV_CACHE] = _rest(trace, f"{spill}.rest.kv_bytes", f"{spill}.requests_bytes")
        del kinds[MemoryKind.STATE]
    below = {MemoryKind.WEIGHTS: f"{spill}.weights_bytes", MemoryKind.KV_CACHE: f"{spill}.kv_bytes"}
    return (
        [MemoryItem(kind, key, round(trace[key])) for kind, key in kinds.items() if trace[key] > 0],
        [MemoryItem(kind, below[kind], round(trace[below[kind]])) for kind in slow],
    )


def _rest(trace: Trace, key: str, whole: str) -> str:
    trace.compute(key, m.rest_bytes, whole_bytes=whole, part_bytes=key.replace(".rest.", "."))
    return key

"""Recurrent states in vLLM's pool: they take pages like anyone else, and some are kept to come back to."""

from core.architecture.blueprint import RecurrentKind
from core.physics.reservation import vllm_pages, vllm_requests
from core.sizing.engine_defaults import STATES_COME_BACK_SINCE, before
from core.sizing.groups import source_of_model
from core.sizing.origins import METHOD
from core.sizing.reservation.share import Share
from core.sizing.reservation.vllm_blocks import record_bytes
from core.sizing.situation import Setup
from core.trace import CHOICE, Origin, OriginKind, Recipe
from core.units import Unit

PREFIX_SOURCE = Origin(
    OriginKind.METHOD,
    "vLLM, engine/arg_utils.py, default_prefix_caching: on by default since 0.28 for models with recurrent states",
    "https://github.com/vllm-project/vllm/blob/main/vllm/engine/arg_utils.py",
    "2026-08",
)
#: In these releases models of these kinds keep the state at the end of every block where prefixes are cached, unless
#: told otherwise (models/config.py, mamba_cache_mode "all"); since then only where told so.
STATES_KEPT_SINCE, STATES_KEPT_UNTIL = (0, 12), (0, 28)
KEPT_KINDS = (RecurrentKind.MAMBA1, RecurrentKind.MAMBA2)
#: Since this release prefixes of all kinds of states can be come back to, at the ends of blocks ("align"); before,
#: nothing is kept of others whatever is asked for.
ALIGNED_SINCE = (0, 15)
#: Since these releases one state more is kept to come back to, which is written from within a prompt chunk
#: (num_prefill_checkpoint_blocks): of Mamba-2, and of gated DeltaNet where FlashInfer's kernels read prompts.
WRITTEN_WITHIN_SINCE = {RecurrentKind.MAMBA2: (0, 32), RecurrentKind.GATED_DELTANET: (0, 33)}
#: The generations of NVIDIA's devices that these kernels are for.
FLASHINFER_GENERATIONS = ("9", "10", "12")


def record_layer_states(trace: Recipe, s: Setup) -> list[str]:
    """Record one layer's state of each kind on one accelerator; return the keys."""
    keys = []
    for number, group in enumerate(s.blueprint.recurrent):
        key = f"state.{number}"
        trace.given(f"{key}.convolution_tokens", group.convolution_tokens, Unit.TOKEN, source_of_model(s))
        trace.given(f"{key}.heads", group.heads, Unit.COUNT, source_of_model(s))
        parts = ("convolution_elements", "convolution_bytes", "convolution_tokens", "matrix_elements", "matrix_bytes")
        inputs = {name: f"{key}.{name}" for name in (*parts, "heads")}
        keys.append(f"{key}.layer_bytes")
        trace.compute(
            keys[-1], vllm_pages.layer_state_bytes, **inputs, draft_tokens="engine.draft_tokens", tensor="plan.tensor"
        )
    return keys


def state_shares(trace: Recipe, s: Setup) -> list[Share]:
    """States take pages like anyone else; prefix caching keeps one more of each."""
    if not s.blueprint.recurrent:
        return []
    origin = PREFIX_SOURCE if s.deployment.prefix_caching is None else CHOICE
    if not keeps_every_state(s):
        trace.given("state_copies", _state_copies(s), Unit.COUNT, origin)
    shares = []
    for number in range(len(s.blueprint.recurrent)):
        key = f"state.{number}"
        if keeps_every_state(s):
            shares.append(_kept_states(trace, s, key))
            continue
        trace.compute(
            f"{key}.blocks",
            vllm_requests.state_pages,
            copies="state_copies",
            draft_tokens="engine.draft_tokens",
            groups=f"{key}.groups",
        )
        part, whole = record_bytes(trace, s, key, "blocks", "rank_reserved_bytes", "set_aside_bytes")
        shares.append(Share(True, part, whole, constant=part))
    return shares


def _kept_states(trace: Recipe, s: Setup, key: str) -> Share:
    """The state at the end of every block: states grow with the request as its cache does."""
    inputs = {"block_tokens": "engine.block_tokens", "draft_tokens": "engine.draft_tokens", "groups": f"{key}.groups"}
    trace.compute(f"{key}.blocks", vllm_requests.kept_state_pages, tokens="workload.context_tokens", **inputs)
    trace.given("kv_pool.no_tokens", 0, Unit.TOKEN, METHOD)
    trace.compute(f"{key}.bounded_blocks", vllm_requests.kept_state_pages, tokens="kv_pool.no_tokens", **inputs)
    part, whole = record_bytes(trace, s, key, "blocks", "rank_reserved_bytes", "set_aside_bytes")
    constant, _ = record_bytes(trace, s, key, "bounded_blocks", "rank_bounded_bytes", "")
    trace.given("kv_pool.undivided", 1, Unit.COUNT, METHOD)
    trace.compute(
        f"{key}.growth",
        vllm_requests.growth_per_token,
        groups=f"{key}.groups",
        block_bytes="kv_pool.block_bytes",
        block_tokens="engine.block_tokens",
        context_parallel="kv_pool.undivided",
    )
    return Share(True, part, whole, f"{key}.growth", constant=constant)


def keeps_every_state(s: Setup) -> bool:
    """Is the state at the end of every block kept, so that prefixes of any length can be come back to?"""
    chosen = s.deployment.states_kept
    usual = "all" if before(s, STATES_KEPT_UNTIL) else "align"
    if before(s, STATES_KEPT_SINCE) or (chosen or usual) != "all" or not _comes_back(s):
        return False
    return any(group.kind in KEPT_KINDS for group in s.blueprint.recurrent)


def _comes_back(s: Setup) -> bool:
    """Are prefixes of a model with recurrent states cached? Older releases do so for some kinds of them only."""
    chosen = s.deployment.prefix_caching
    if chosen is None:
        return not before(s, STATES_COME_BACK_SINCE)
    if not before(s, ALIGNED_SINCE):
        return chosen
    kept = any(group.kind in KEPT_KINDS for group in s.blueprint.recurrent)
    return chosen and kept and not before(s, STATES_KEPT_SINCE)


def _state_copies(s: Setup) -> int:
    """How many of each state a request holds: those that prefixes are come back to by stand beside the one in use."""
    return 2 + _writes_within(s) if _comes_back(s) else 1


def _writes_within(s: Setup) -> bool:
    """Is a state to come back to written in the midst of a prompt chunk, into a block of its own?"""
    generation, _, _ = s.device.compute_capability.partition(".")
    kinds = [group.kind for group in s.blueprint.recurrent if group.kind in WRITTEN_WITHIN_SINCE]
    return any(
        not before(s, WRITTEN_WITHIN_SINCE[kind])
        and (kind is RecurrentKind.MAMBA2 or generation in FLASHINFER_GENERATIONS)
        for kind in kinds
    )

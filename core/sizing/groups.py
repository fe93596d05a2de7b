"""The groups of layers that keep something, and the choices of the engine that several rules need."""

from functools import lru_cache

from core.architecture.blueprint import AttentionGroup, AttentionKind, Blueprint, TensorClass
from core.catalogue.records import Allocator
from core.scenario import Mode
from core.sizing.engine_defaults import NOTHING_FOR_DRAFTS_SINCE, before, chunk_tokens, prepared_requests
from core.sizing.origins import METHOD, catalogue_origin
from core.sizing.situation import Setup
from core.trace import CHOICE, Origin, OriginKind, Recipe, Recorder
from core.units import Unit

ENGINE_DEFAULTS = Origin(
    OriginKind.METHOD,
    "vLLM, vllm/engine/arg_utils.py: defaults by release and accelerator",
    "https://github.com/vllm-project/vllm/blob/main/vllm/engine/arg_utils.py",
    "2026-05",
)
SGLANG_DEFAULTS = Origin(
    OriginKind.METHOD,
    "SGLang 0.5.23, arg_groups/memory_hook.py: handle_gpu_memory_settings",
    "https://github.com/sgl-project/sglang",
    "2026-11",
)
MLX_DEFAULTS = Origin(
    OriginKind.METHOD,
    "mlx-lm, pull request 40: prefill_step_size",
    "https://github.com/ml-explore/mlx-lm/pull/40",
    "2025-03",
)
DEFAULTS = {Allocator.SGLANG: SGLANG_DEFAULTS, Allocator.MLX: MLX_DEFAULTS}
LATENT = (AttentionKind.LATENT, AttentionKind.SPARSE_LATENT)
#: What of a key of latent attention turns with its position.
ROTARY_WIDTH = 64


def cached_groups(blueprint: Blueprint) -> tuple[tuple[int, AttentionGroup], ...]:
    """The attention groups that keep a cache, with their numbers."""
    return _cached_groups(blueprint.attention)


@lru_cache(maxsize=1024)
def _cached_groups(attention: tuple[AttentionGroup, ...]) -> tuple[tuple[int, AttentionGroup], ...]:
    return tuple(
        (n, group) for n, group in enumerate(attention) if group.kind is not AttentionKind.ENCODER and group.cached > 0
    )


def is_split(s: Setup) -> bool:
    """Is the model spread over several accelerators, so that one of them has figures of its own?"""
    return s.plan.tensor * s.plan.pipeline > 1


def groups_key(s: Setup) -> str:
    """The key of the groups that each hold the caches of their own requests: copies, or groups of attention in them."""
    return "plan.groups" if s.plan.attention_replicas > 1 else "plan.replicas"


def expert_ranks_key(s: Setup) -> str:
    """The key of the accelerators that share the experts of a layer."""
    return "plan.stage_ranks" if s.plan.attention_replicas > 1 else "plan.tensor"


def source_of_model(s: Setup) -> Origin:
    """Where the counts of the model come from."""
    return s.model_source


def given_chunk(trace: Recipe, s: Setup) -> None:
    """Record the tokens of a prompt chunk."""
    chosen = s.deployment.prefill_chunk
    usual = None if chosen else chunk_tokens(s, usable_bytes(s))
    defaults = DEFAULTS.get(s.engine.allocator, ENGINE_DEFAULTS)
    origin = CHOICE if chosen else defaults if usual else catalogue_origin(s.engine, "prefill_chunk")
    trace.given("engine.prefill_chunk", chosen or usual or s.engine.prefill_chunk, Unit.TOKEN, origin)


def given_max_requests(trace: Recorder, s: Setup) -> None:
    """Record the requests that vLLM prepares for."""
    chosen = s.deployment.max_requests
    usual = chosen or prepared_requests(s, usable_bytes(s))
    trace.given("engine.max_requests", usual, Unit.REQUEST, ENGINE_DEFAULTS if chosen is None else CHOICE)


def usable_bytes(s: Setup) -> int:
    """What software can allocate of the first tier: chosen, measured, or the label, which is the safe side."""
    tier, chosen = s.device.memory_tiers[0], s.deployment.capacity_bytes
    return chosen or (None if s.mode is Mode.ARTICLE else tier.usable_bytes) or tier.capacity_bytes


def draft_tokens(s: Setup) -> int:
    """Tokens guessed ahead in each step, by a draft model or by the model's own prediction layer; 0 where neither."""
    chosen = s.deployment.speculation
    drafted = chosen is not None and chosen.draft_model is not None
    if s.mode is Mode.ARTICLE or not (drafted or TensorClass.MTP in s.blueprint.parameters):
        return 0
    return s.deployment.draft_tokens


def speculates(s: Setup) -> bool:
    """Are tokens guessed ahead with a stated chance of being right, so that a speed follows?"""
    return s.deployment.speculation is not None and draft_tokens(s) > 0


def guesses_with_own_layers(s: Setup) -> bool:
    """Does the model guess ahead with prediction layers of its own, rather than a draft model?"""
    chosen = s.deployment.speculation
    return draft_tokens(s) > 0 and (chosen is None or chosen.draft_model is None)


def draft_id(s: Setup) -> str:
    """The draft model that guesses ahead; empty where none does."""
    chosen = s.deployment.speculation
    return chosen.draft_model or "" if chosen is not None and draft_tokens(s) > 0 else ""


def has_draft_model(s: Setup) -> bool:
    """Does a model of its own guess ahead?"""
    return bool(draft_id(s))


def given_draft_tokens(trace: Recipe, s: Setup) -> int:
    """Record them, and return their number."""
    number = draft_tokens(s)
    trace.given("engine.draft_tokens", number, Unit.TOKEN, CHOICE if number else METHOD)
    return number


def draft_layers(s: Setup, number: int) -> int:
    """Layers that the prediction layer adds to an attention group: one, to the first that keeps every token.

    Before 0.5.14 SGLang did not count it: its pool lay in what was kept back (model_runner_kv_cache_mixin.py).
    """
    growing = [n for n, group in cached_groups(s.blueprint) if not group.window]
    apart = s.engine.allocator is Allocator.SGLANG and before(s, NOTHING_FOR_DRAFTS_SINCE)
    return int(guesses_with_own_layers(s) and not apart and number == next(iter(growing), -1))

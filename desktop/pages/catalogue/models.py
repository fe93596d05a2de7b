"""The figures of a model: its parameters, its architecture as the config states it, and its published weights."""

from collections.abc import Mapping
from typing import Any

from core.catalogue.records import ModelRole
from core.language.format_names import format_name
from core.language.messages import gettext as _
from desktop.pages.catalogue.figures import Data, Figure, FigureGroup, figure, one_of, value_at, worded, words
from desktop.widgets import quantity
from desktop.widgets.quantity import Quantity

WIDEST = 10_000_000


def model_groups(data: Data, catalogue: Any) -> list[FigureGroup]:
    groups = [
        FigureGroup(
            _("Identity"),
            (
                worded("name", _("Name"), words("Qwen3-32B", optional=False, most=120)),
                figure("role", _("Role"), one_of(roles())),
                worded("released", _("Released"), words("2026-08", most=20)),
            ),
        ),
        FigureGroup(
            _("Parameters"),
            (
                figure("published_parameters", _("All, as published"), quantity.parameters(optional=True)),
                figure("active_parameters", _("Active per token"), quantity.parameters(optional=True)),
                figure("counted_parameters", _("Counted from config"), quantity.parameters(optional=True)),
            ),
        ),
    ]
    shape = tuple(_shape(data))
    if shape:
        groups.append(FigureGroup(_("Architecture, from config.json"), shape))
    published = tuple(_checkpoint(at, one, catalogue) for at, one in enumerate(data.get("checkpoints") or ()))
    return [*groups, FigureGroup(_("Published weights"), published)] if published else groups


def roles() -> dict[str, str]:
    return {
        ModelRole.GENERATOR: _("Writes text"),
        ModelRole.EMBEDDING: _("Embedding"),
        ModelRole.RERANKER: _("Reranker"),
    }


def _shape(data: Data) -> list[Figure]:
    """The numbers of a config that memory and speed follow from; those that it does not state stay away."""
    group = "config.text_config" if isinstance(value_at(data, "config.text_config"), Mapping) else "config"
    stated = value_at(data, group) or {}
    kinds = _kinds()
    return [
        figure(f"{group}.{name}", text, kind)
        for name, (text, kind) in kinds.items()
        if isinstance(stated.get(name), int) and not isinstance(stated.get(name), bool)
    ]


def _kinds() -> dict[str, tuple[str, Quantity]]:
    def number(example: str) -> Quantity:
        return quantity.count(low=0, high=WIDEST, example=example)

    return {
        "num_hidden_layers": (_("Layers"), number("48")),
        "hidden_size": (_("Width"), number("4,096")),
        "intermediate_size": (_("Width inside a layer"), number("12,288")),
        "num_attention_heads": (_("Attention heads"), number("32")),
        "num_key_value_heads": (_("KV heads"), number("8")),
        "head_dim": (_("Width of a head"), number("128")),
        "max_position_embeddings": (_("Trained context"), quantity.tokens()),
        "sliding_window": (_("Window"), quantity.tokens()),
        "full_attention_interval": (_("Full attention every"), number("4")),
        "kv_lora_rank": (_("Latent width"), number("512")),
        "qk_rope_head_dim": (_("Rotary width"), number("64")),
        "num_experts": (_("Experts"), number("128")),
        "n_routed_experts": (_("Experts"), number("256")),
        "num_local_experts": (_("Experts"), number("128")),
        "num_experts_per_tok": (_("Experts per token"), number("8")),
        "n_shared_experts": (_("Shared experts"), number("1")),
        "moe_intermediate_size": (_("Width of an expert"), number("768")),
        "vocab_size": (_("Vocabulary"), number("151,936")),
    }


def _checkpoint(at: int, checkpoint: Data, catalogue: Any) -> Figure:
    weights = checkpoint["weights"]
    known = catalogue.weight_formats.get(weights)
    name = format_name(known.name) if known is not None else weights or _("unknown")
    return Figure(
        f"checkpoints.{at}.file_bytes",
        name,
        quantity.memory("GB", optional=True),
        lambda data: value_at(data, f"checkpoints.{at}.file_bytes"),
        figure(f"checkpoints.{at}.file_bytes", name, quantity.memory()).put,
        f"checkpoints.{at}.source",
    )

"""The figures that the article's claims speak of, found in a sizing."""

from collections.abc import Callable

from core.catalogue.records import Link
from core.sizing.report import Sizing
from tests.core.estimates import decode_of

#: Figures whose name in article.toml is not a key of the trace.
NAMED: dict[str, Callable[[Sizing], float]] = {
    "model.active_params": lambda s: s.trace["model.active_parameters"],
    "memory_item.weights from resident params": lambda s: s.trace["model.total_parameters"],
    "memory.capacity_bytes (HBM tier)": lambda s: tier(s, "HBM", "capacity") * accelerators(s),
    "memory.capacity_bytes (all tiers)": lambda s: s.trace["memory.capacity_bytes"],
    "memory_tier.LPDDR5X.capacity_bytes": lambda s: tier(s, "LPDDR5X", "capacity"),
    "memory_tier.LPDDR5X.bandwidth_bytes_per_s": lambda s: tier(s, "LPDDR5X", "bandwidth"),
    "memory_item.kv_cache ratio to memory_item.weights": lambda s: (
        s.trace["memory_item.kv_cache"] / s.trace["memory_item.weights"]
    ),
    "link_bytes_per_s_bidirectional": lambda s: link(s).bytes_per_s_bidirectional,
    "link_bytes_per_s_per_direction": lambda s: link(s).bytes_per_s_per_direction,
    "link_domain_bytes_per_s_bidirectional": lambda s: (
        link(s).bytes_per_s_bidirectional * (link(s).max_domain or accelerators(s))
    ),
    "tdp_w": lambda s: s.device.tdp_w or 0.0,
    "max_context_tokens (memory only)": lambda s: s.trace["max_context_tokens"],
    "decode_tok_s * decode_step_s": lambda s: decode_of(s).p50 * s.trace["decode_step_s"],
}

SATURATED = {"output_tok_s_total": "saturated_tok_s_total"}


def figure(name: str, sizing: Sizing, saturated: bool = False) -> float:
    """The value of a figure by its name in article.toml."""
    if name in NAMED:
        return NAMED[name](sizing)
    return float(sizing.trace[SATURATED.get(name, name) if saturated else name])


def accelerators(sizing: Sizing) -> int:
    return sum(use.count for use in sizing.devices)


def tier(sizing: Sizing, name: str, what: str) -> float:
    """Capacity or bandwidth of one accelerator's memory tier."""
    found = next(t for t in sizing.device.memory_tiers if name in t.name)
    return float(found.capacity_bytes if what == "capacity" else found.bandwidth_bytes_per_s)


def link(sizing: Sizing) -> Link:
    assert sizing.link is not None, "the sizing names no link"
    return sizing.link

"""A sizing as plain text, for the command line: the verdict, what has to fit, how fast it is, what to check."""

import textwrap
from collections.abc import Callable, Iterator

from core.language.figures import label
from core.language.findings import finding_sentence
from core.language.messages import gettext as _
from core.language.numbers import Written, current
from core.language.sentences import device_with_count, evidence, memory_kind, mode, verdict, verdict_reason
from core.physics.contexts import UNLIMITED_TOKENS
from core.scenario import Mode
from core.sizing.devices import Candidate
from core.sizing.report import DeviceUse, Estimate, Sizing, TierUse, Weight
from core.sizing.shown import excess_of_tier, free_of_tier, used_of_tier
from core.trace import Trace

WIDTH = 100
NAME, NUMBER, RANGE = 36, 14, 20


def summary(sizing: Sizing, smallest: Candidate | None = None) -> str:
    """The whole answer as lines of text, in the language in force; with the smallest device that holds the work."""
    memories = (_memory(sizing.trace, use) for use in sizing.devices)
    parts = [_heading(sizing), *memories, _fits(sizing, smallest), _speed(sizing), _findings(sizing)]
    return "\n\n".join("\n".join(lines) for lines in map(list, parts) if lines) + "\n"


def _heading(sizing: Sizing) -> Iterator[str]:
    scenario = sizing.scenario
    yield f"{scenario.client}: {scenario.name}" if scenario.client else scenario.name
    if scenario.mode is Mode.ARTICLE:
        yield f"({mode(scenario.mode)})"
    yield verdict(sizing)
    yield from textwrap.wrap(verdict_reason(sizing), WIDTH)


def _memory(trace: Trace, use: DeviceUse) -> Iterator[str]:
    yield device_with_count(use.device, use.count)
    for place, tier in enumerate(use.tiers):
        if place:
            yield ""
        yield _row(tier.name, "GB", "GiB", indent=0)
        for item in tier.items:
            yield _amount(memory_kind(item.kind), item.bytes)
        yield _amount(_("Used"), trace[used_of_tier(trace, tier)])
        if tier.overflow_bytes:
            yield _amount(_("Too much"), trace[excess_of_tier(trace, tier)])
        else:
            yield _amount(_("Free below the limit"), trace[free_of_tier(trace, tier)])
        yield from _sizes(tier)


def _sizes(tier: TierUse) -> Iterator[str]:
    """The three sizes of a memory; those that say the same stand once."""
    yield _amount(_("What the engine may use"), tier.limit_bytes)
    if tier.usable_bytes not in (tier.limit_bytes, tier.capacity_bytes):
        yield _amount(_("Size that software reports"), tier.usable_bytes)
    if tier.capacity_bytes != tier.limit_bytes:
        yield _amount(_("Size on the label"), tier.capacity_bytes)


def _fits(sizing: Sizing, smallest: Candidate | None) -> Iterator[str]:
    write, trace = current(), sizing.trace
    yield _("What fits")
    yield _row(label("max_concurrency"), write.count(trace["max_concurrency"]))
    yield _row(label("requests_at_once"), write.count(trace["requests_at_once"]))
    yield _row(label("max_context_tokens"), write.tokens_exact(trace["max_context_tokens"]))
    yield _row(label("kv_bytes_per_token"), write.bytes_iec(trace["kv_bytes_per_token"]))
    if "full_heads_ratio" in trace:
        yield _row(_("With full heads"), f"{write.decimal(trace['full_heads_ratio'])} ×")
    outweighs = trace.get("cache_outweighs_model_tokens", UNLIMITED_TOKENS)
    if 0 < outweighs < UNLIMITED_TOKENS:
        yield _row(_("Cache outweighs the weights from"), write.tokens_exact(outweighs))
    for key, name in (("spill.layers", _("Layers that do not fit")), ("spill.experts", _("Experts that do not fit"))):
        if trace.get(key):
            yield _row(name, write.count(trace[key]))
    if smallest is not None:
        yield _row(_("Smallest device that holds it"), smallest.device.name)


def _speed(sizing: Sizing) -> Iterator[str]:
    write = current()
    yield _row(_("Speed"), _("middle"), _("P10 to P90"), _("how sure"), indent=0)
    for key, estimate, parts in (
        ("decode_tok_s", sizing.decode, write.speed_parts),
        ("ttft_s", sizing.ttft, write.seconds_parts),
        ("output_tok_s_total", sizing.throughput, write.speed_parts),
        ("prefill_tok_s", sizing.prefill, write.speed_parts),
    ):
        yield _row(label(key), write.unknown()) if estimate is None else _estimate(estimate, parts)
    if sizing.speed_unknown:
        yield _row(label(sizing.decode_bound.key), write.speed(sizing.decode_bound.p50))


def _estimate(estimate: Estimate, parts: Callable[..., Written]) -> str:
    low, high = sorted((estimate.p10, estimate.p90))
    middle = "\u00a0".join(parts(estimate.p50))
    return _row(label(estimate.key), middle, current().range(low, high, parts), evidence(estimate.evidence))


def _findings(sizing: Sizing) -> Iterator[str]:
    for finding in sizing.findings:
        mark = "!" if finding.weight is Weight.WARNING else "i"
        yield from textwrap.wrap(
            finding_sentence(finding, sizing), WIDTH, initial_indent=f"{mark} ", subsequent_indent="  "
        )


def _amount(name: str, amount: int) -> str:
    """A line of the memory table: its headings name the units."""
    return _row(name, current().gigabytes(amount), current().gibibytes(amount))


def _row(name: str, value: str, second: str = "", last: str = "", indent: int = 2) -> str:
    """A line in columns: numbers under one another, the name cut by nothing but the room that it has."""
    return f"{' ' * indent}{name:<{NAME - indent}}{value:>{NUMBER}}{second:>{RANGE}}  {last}".rstrip()

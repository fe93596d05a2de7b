"""A sizing as plain text, for the command line: the verdict, what has to fit, how fast it is, what to check."""

from collections.abc import Callable, Iterator

from core.language.figures import label
from core.language.findings import finding_sentence
from core.language.messages import gettext as _
from core.language.numbers import Written, current
from core.language.sentences import device_with_count, evidence, memory_kind, mode, verdict, verdict_reason
from core.scenario import Mode
from core.sizing.report import DeviceUse, Estimate, Sizing, Weight

WIDTH = 44


def summary(sizing: Sizing) -> str:
    """The whole answer as lines of text, in the language in force."""
    parts = [_heading(sizing), *map(_memory, sizing.devices), _speed(sizing), _findings(sizing)]
    return "\n\n".join("\n".join(lines) for lines in map(list, parts) if lines) + "\n"


def _heading(sizing: Sizing) -> Iterator[str]:
    scenario = sizing.scenario
    yield f"{scenario.client}: {scenario.name}" if scenario.client else scenario.name
    if scenario.mode is Mode.ARTICLE:
        yield f"({mode(scenario.mode)})"
    yield verdict(sizing)
    yield verdict_reason(sizing)


def _memory(use: DeviceUse) -> Iterator[str]:
    write = current()
    for tier in use.tiers:
        yield f"{device_with_count(use.device, use.count)}, {tier.name}"
        for item in tier.items:
            yield aligned(memory_kind(item.kind), write.bytes(item.bytes), write.gibibytes(item.bytes))
        yield aligned(_("Used"), write.bytes(tier.used_bytes), write.gibibytes(tier.used_bytes))
        yield aligned(label("memory.limit_bytes"), write.bytes(tier.limit_bytes), write.gibibytes(tier.limit_bytes))
        if tier.overflow_bytes:
            yield aligned(_("Too much"), write.bytes(tier.overflow_bytes), write.gibibytes(tier.overflow_bytes))


def _speed(sizing: Sizing) -> Iterator[str]:
    write, trace = current(), sizing.trace
    yield aligned(label("max_concurrency"), write.count(trace["max_concurrency"]))
    yield aligned(label("requests_at_once"), write.count(trace["requests_at_once"]))
    yield aligned(label("max_context_tokens"), write.tokens_exact(trace["max_context_tokens"]))
    yield aligned(label("kv_bytes_per_token"), write.bytes_iec(trace["kv_bytes_per_token"]))
    yield _estimate(sizing.decode, write.speed_parts)
    yield _estimate(sizing.ttft, write.seconds_parts)
    yield _estimate(sizing.throughput, write.speed_parts)
    yield _estimate(sizing.prefill, write.speed_parts)


def _estimate(estimate: Estimate, parts: Callable[..., Written]) -> str:
    write = current()
    low, high = sorted((estimate.p10, estimate.p90))
    middle = "\u00a0".join(parts(estimate.p50))
    return aligned(label(estimate.key), middle, f"{write.range(low, high, parts)} ({evidence(estimate.evidence)})")


def _findings(sizing: Sizing) -> Iterator[str]:
    for finding in sizing.findings:
        mark = "!" if finding.weight is Weight.WARNING else "i"
        yield f"{mark} {finding_sentence(finding, sizing)}"


def aligned(name: str, value: str, more: str = "") -> str:
    """A name, a value to the right of its column, and what stands beside it."""
    return f"  {name:<{WIDTH}} {value:>14}  {more}".rstrip()

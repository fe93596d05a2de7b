"""The titles and lines of charts: sentences that the numbers make true.

A title is chosen by what the sizing says and then filled with its figures, so it cannot outlive them; each choice has a
test.
"""

from dataclasses import dataclass

from core.catalogue.records import DeviceKind
from core.language import sentences
from core.language.messages import gettext as _
from core.language.messages import marked, ngettext
from core.language.numbers import Formatter
from core.sizing.report import Cause, Limit, Sizing, TierUse, Verdict
from core.units import Unit

#: The bottleneck that each cause is a part of.
_LIMIT_OF = {
    Cause.WEIGHTS: Limit.BANDWIDTH,
    Cause.EXPERTS: Limit.BANDWIDTH,
    Cause.KV_CACHE: Limit.BANDWIDTH,
    Cause.STATE: Limit.BANDWIDTH,
    Cause.COMPUTE: Limit.COMPUTE,
    Cause.LINK: Limit.LINK,
    Cause.ENGINE: Limit.ENGINE,
    Cause.SECOND_TIER: Limit.SECOND_TIER,
}

#: The largest cause is also the bottleneck.
_DECIDES = {
    Cause.WEIGHTS: marked("Reading the weights takes {share} of every token: memory bandwidth decides"),
    Cause.EXPERTS: marked("Reading the experts takes {share} of every token: memory bandwidth decides"),
    Cause.KV_CACHE: marked("Reading the KV cache takes {share} of every token: memory bandwidth decides"),
    Cause.STATE: marked("Reading the state takes {share} of every token: memory bandwidth decides"),
    Cause.COMPUTE: marked("Computing takes {share} of every token: the computing rate decides"),
    Cause.LINK: marked("Exchange between accelerators takes {share} of every token: the link decides"),
    Cause.ENGINE: marked("Launching and scheduling take {share} of every token: the engine decides"),
    Cause.SECOND_TIER: marked("Reading the slower memory takes {share} of every token: the second tier decides"),
}

#: The largest cause, where the bottleneck is a sum of others.
_LARGEST = {
    Cause.WEIGHTS: marked("Reading the weights takes {share} of every token, the largest part"),
    Cause.EXPERTS: marked("Reading the experts takes {share} of every token, the largest part"),
    Cause.KV_CACHE: marked("Reading the KV cache takes {share} of every token, the largest part"),
    Cause.STATE: marked("Reading the state takes {share} of every token, the largest part"),
    Cause.COMPUTE: marked("Computing takes {share} of every token, the largest part"),
    Cause.LINK: marked("Exchange between accelerators takes {share} of every token, the largest part"),
    Cause.ENGINE: marked("Launching and scheduling take {share} of every token, the largest part"),
    Cause.SECOND_TIER: marked("Reading the slower memory takes {share} of every token, the largest part"),
}


# Memory

#: The reason of a part with numbers: text, and the figures that it names.
_REASONS: dict[Cause, tuple[str, dict[str, str]]] = {
    Cause.WEIGHTS: (
        marked("{bytes} at {rate}"),
        {"bytes": "read_bytes.dense", "rate": "bandwidth.weights"},
    ),
    Cause.EXPERTS: (
        marked("{touched} of {experts} experts: {bytes}"),
        {
            "touched": "decode_step_s.distinct_experts",
            "experts": "model.experts_per_layer",
            "bytes": "decode_step_s.bytes.experts",
        },
    ),
    Cause.KV_CACHE: (
        marked("{requests} × {bytes} at {rate}"),
        {"requests": "serving.requests_in_step", "bytes": "bytes_read_per_token.kv", "rate": "bandwidth.kv"},
    ),
    Cause.STATE: (
        marked("{requests} × {bytes}, read and written"),
        {"requests": "serving.requests_in_step", "bytes": "state_bytes_per_request"},
    ),
    Cause.COMPUTE: (marked("{work} a step"), {"work": "decode_step_s.flops"}),
    Cause.LINK: (marked("exchanges: {messages}"), {"messages": "messages_per_token"}),
    Cause.ENGINE: (marked("{kernels} kernels to start"), {"kernels": "kernels_per_step"}),
}


def second_tier_bytes(sizing: Sizing) -> int:
    """What stands in slower memory, on all accelerators."""
    return sum(use.count * tier.used_bytes for use in sizing.devices for tier in use.tiers[1:])


def memory_title(sizing: Sizing, formatter: Formatter) -> str:
    """What the requests take of what the engine may use."""
    trace, requests = sizing.trace, sizing.required_requests
    used, limit = trace["memory.total_bytes"], trace["memory.limit_bytes"]
    context = formatter.tokens(sizing.scenario.workload.context_tokens)
    if sizing.verdict is Verdict.DOES_NOT_FIT:
        text = ngettext(
            "{requests} request of {context} needs {used}: {short} more than the engine may use",
            "{requests} requests of {context} need {used}: {short} more than the engine may use",
            requests,
        )
        amounts = {"used": formatter.bytes(used), "short": formatter.bytes(max(0, used - limit))}
        return text.format(requests=formatter.count(requests), context=context, **amounts)
    spilled = second_tier_bytes(sizing)
    if spilled:
        text = _("{spilled} of the {used} stand in the slower memory")
        digits, _unit = formatter.bytes_parts(spilled, like=used)
        return text.format(spilled=digits, used=formatter.bytes(used))
    text = ngettext(
        "{requests} request of {context} takes {used} of the {limit} the engine may use",
        "{requests} requests of {context} take {used} of the {limit} the engine may use",
        requests,
    )
    digits, _unit = formatter.bytes_parts(used, like=limit)
    return text.format(requests=formatter.count(requests), context=context, used=digits, limit=formatter.bytes(limit))


def memory_line(sizing: Sizing, formatter: Formatter) -> str:
    """What the memory bar draws, and of which device."""
    colours = (
        _("Slate is fixed, blue follows your inputs, hatched is too much.")
        if sizing.verdict is Verdict.DOES_NOT_FIT
        else _("Slate is fixed, blue follows your inputs, hatched is the slower memory.")
        if second_tier_bytes(sizing)
        else _("What is fixed is slate, what your inputs move is blue.")
    )
    return f"{colours} {_devices(sizing, formatter)}"


def _devices(sizing: Sizing, formatter: Formatter) -> str:
    use = sizing.devices[0]
    size = formatter.bytes(use.tiers[0].capacity_bytes)
    if len(sizing.devices) > 1:
        return _("Each bar is one accelerator.")
    if use.count == 1:
        return _("One {device}, {size}.").format(device=use.device, size=size)
    return _("One of {count} {device}, {size} each.").format(count=use.count, device=use.device, size=size)


def memory_curve_heading(sizing: Sizing, unit: str, formatter: Formatter) -> str:
    """What the chart below the bar draws: one accelerator, like the bar."""
    requests = sizing.required_requests
    if sizing.plan.ranks > 1:
        text = ngettext(
            "Memory of one accelerator against context, {requests} request at once, {unit}",
            "Memory of one accelerator against context, {requests} requests at once, {unit}",
            requests,
        )
    else:
        text = ngettext(
            "Memory against context, {requests} request at once, {unit}",
            "Memory against context, {requests} requests at once, {unit}",
            requests,
        )
    return text.format(requests=formatter.count(requests), unit=unit)


def capacity_label(sizing: Sizing, tier: TierUse, formatter: Formatter) -> str:
    """The end of a bar: the size of the memory."""
    size = formatter.bytes(tier.capacity_bytes)
    if len(sizing.devices[0].tiers) > 1:
        return _("{memory} {size}").format(memory=tier.name, size=size)
    if sizing.device.kind is DeviceKind.CARD:
        return _("Card {size}").format(size=size)
    return _("Memory {size}").format(size=size)


# Speed


INTERFERENCE = "serving.interference_s"


@dataclass(frozen=True, slots=True)
class TokenPart:
    """A part of the time that one token takes; without a cause it is the prompts of other users."""

    cause: Cause | None
    key: str
    seconds: float


def token_parts(sizing: Sizing) -> list[TokenPart]:
    """What the time of one token is made of: the parts of a step, and waiting for the prompts of other users.

    Parts that take no time are left out, except the link, of which one wants to know that it takes none.
    """
    parts = [TokenPart(part.cause, part.key, part.seconds) for part in sizing.step]
    parts = [part for part in parts if part.seconds > 0 or part.cause is Cause.LINK]
    waiting = float(sizing.trace.get(INTERFERENCE, 0.0))
    return [*parts, TokenPart(None, INTERFERENCE, waiting)] if waiting > 0 else parts


def token_part(part: TokenPart) -> str:
    """The name of a part."""
    return _("Prompts of other users") if part.cause is None else sentences.cause(part.cause)


def step_title(sizing: Sizing, formatter: Formatter) -> str:
    """Where the time of a token goes."""
    parts = token_parts(sizing)
    whole = sum(part.seconds for part in parts)
    if whole <= 0:
        return _("The time of a token is unknown")
    largest = max(parts, key=lambda part: part.seconds)
    share = formatter.share(largest.seconds / whole)
    if largest.cause is None:
        return _("The prompts of other users take {share} of every token, the largest part").format(share=share)
    decides = _LIMIT_OF[largest.cause] is sizing.decode_limit
    return _((_DECIDES if decides else _LARGEST)[largest.cause]).format(share=share)


def step_line(sizing: Sizing, formatter: Formatter) -> str:
    """What the waterfall draws."""
    text = ngettext(
        "Time for one token with {requests} request at once, P50.",
        "Time for one token of each user with {requests} requests at once, P50.",
        sizing.required_requests,
    )
    return text.format(requests=formatter.count(sizing.required_requests))


def step_reason(sizing: Sizing, part: TokenPart, formatter: Formatter) -> str:
    """Why a part takes its time: the amounts that are read, moved or computed, else the cause in words."""
    if part.cause is None:
        prompt = formatter.tokens(int(sizing.trace["workload.prompt_tokens"]))
        return _("prompts of {prompt}, read in between").format(prompt=prompt)
    if part.cause is Cause.LINK and part.seconds == 0:
        return _("nothing to exchange")
    if part.cause is Cause.SECOND_TIER:
        return _second_tier_reason(sizing, formatter)
    text, figures = _REASONS[part.cause]
    trace = sizing.trace
    if not all(key in trace for key in figures.values()):
        return sentences.cause_reason(part.cause)
    amounts = {name: _amount(trace[key], trace.entry(key).unit, formatter) for name, key in figures.items()}
    return _(text).format(**amounts)


def _second_tier_reason(sizing: Sizing, formatter: Formatter) -> str:
    tiers = sizing.device.memory_tiers
    spilled = sum(tier.used_bytes for tier in sizing.devices[0].tiers[1:])
    if len(tiers) < 2 or not spilled:
        return sentences.cause_reason(Cause.SECOND_TIER)
    rate = formatter.rate(tiers[1].bandwidth_bytes_per_s)
    return _("out of {bytes}, at {rate}").format(bytes=formatter.bytes(spilled), rate=rate)


def _amount(value: float, unit: Unit, formatter: Formatter) -> str:
    """A figure, short: large amounts of work in GFLOP, counts without decimals."""
    if unit is Unit.FLOP:
        return f"{formatter.significant(value / 1e9, 3)}\u00a0GFLOP"
    if unit in (Unit.REQUEST, Unit.COUNT):
        return formatter.count(value)
    return formatter.figure(value, unit)

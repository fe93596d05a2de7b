"""The titles and lines of charts: sentences that the numbers make true.

A title is chosen by what the sizing says and then filled with its figures, so it cannot outlive them; each choice has a
test.
"""

from core.catalogue.records import DeviceKind
from core.language import sentences
from core.language.messages import gettext as _
from core.language.messages import marked, ngettext
from core.language.numbers import Formatter
from core.sizing.report import LIMIT_OF, Cause, Sizing, TierUse, TimePart, Verdict
from core.sizing.shown import below_of_device, excess, in_slower_memory, share_of_token
from core.units import GB, Unit

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
    Cause.PROMPTS: marked("The prompts of other users take {share} of every token: they decide"),
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
    Cause.PROMPTS: marked("The prompts of other users take {share} of every token, the largest part"),
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
    Cause.PROMPTS: (marked("{prompt} each"), {"prompt": "workload.prompt_tokens"}),
}


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
        amounts = {"used": formatter.bytes(used), "short": formatter.bytes(excess(sizing))}
        return text.format(requests=formatter.count(requests), context=context, **amounts)
    spilled = in_slower_memory(sizing)
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
        _("Slate is fixed, hatched is too much.")
        if any(tier.overflow_bytes for use in sizing.devices for tier in use.tiers)
        else _("Slate is fixed, hatched is the slower memory.")
        if in_slower_memory(sizing)
        else _("What is fixed is slate, what your inputs move is blue.")
    )
    return f"{colours} {_devices(sizing, formatter)}"


def _devices(sizing: Sizing, formatter: Formatter) -> str:
    use = sizing.devices[0]
    if len(sizing.devices) > 1:
        return _("Each bar is one accelerator.")
    tier = use.tiers[0]
    if tier.usable_bytes == tier.capacity_bytes:
        text = _("One {device}, {size}.") if use.count == 1 else _("One of {count} {device}, {size} each.")
    elif use.count == 1:
        text = _("One {device}, reported size {usable}.")
    else:
        text = _("One of {count} {device}, reported: {usable} each.")
    size, usable = formatter.bytes(tier.capacity_bytes), formatter.bytes(tier.usable_bytes)
    return text.format(count=formatter.count(use.count), device=sizing.device.called, size=size, usable=usable)


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
    """The end of a bar: what software reports, and the label where it says another size."""
    differs = tier.usable_bytes != tier.capacity_bytes
    if len(sizing.devices[0].tiers) > 1:
        text = _("{memory} {size}, label {label}") if differs else _("{memory} {size}")
    elif sizing.device.kind is DeviceKind.CARD:
        text = _("Card {size}, label {label}") if differs else _("Card {size}")
    else:
        text = _("Memory {size}, label {label}") if differs else _("Memory {size}")
    gigabytes = tier.capacity_bytes / GB
    label = formatter.count(gigabytes) if gigabytes == int(gigabytes) else formatter.decimal(gigabytes)
    if formatter.memory_unit != "GB":  # a label is in GB whatever unit the amount beside it has
        label = f"{label}\u00a0GB"
    return text.format(memory=tier.name, size=formatter.bytes(tier.usable_bytes), label=label)


def sizes_of_memory(tier: TierUse, formatter: Formatter) -> str:
    """The three sizes of a memory, which are often mixed up: its label, what software reports, what an engine takes."""

    def both(amount: int) -> str:
        return formatter.bytes_both(amount)

    lines = [_("On the label: {amount}").format(amount=both(tier.capacity_bytes))]
    if tier.usable_bytes != tier.capacity_bytes:
        lines.append(_("As software reports it: {amount}").format(amount=both(tier.usable_bytes)))
    if tier.limit_bytes != tier.usable_bytes:
        lines.append(_("What the engine may use: {amount}").format(amount=both(tier.limit_bytes)))
    return "\n".join(lines)


# Speed


def token_parts(sizing: Sizing) -> list[TimePart]:
    """What the time of one token is made of, without what takes no time.

    The link is left in: of it one wants to know that it takes none.
    """
    return [part for part in sizing.step if part.seconds > 0 or part.cause is Cause.LINK]


def step_title(sizing: Sizing, formatter: Formatter) -> str:
    """Where the time of a token goes."""
    parts = token_parts(sizing)
    whole = sum(part.seconds for part in parts)
    if whole <= 0:
        return _("The time of a token is unknown")
    largest = max(parts, key=lambda part: part.seconds)
    share = formatter.share(share_of_token(sizing.trace, largest.key))
    decides = LIMIT_OF[largest.cause] is sizing.decode_limit
    return _((_DECIDES if decides else _LARGEST)[largest.cause]).format(share=share)


def step_line(sizing: Sizing, formatter: Formatter) -> str:
    """What the waterfall draws, or what is missing to draw it."""
    if sizing.speed_unknown:
        return no_rate(sizing)
    text = ngettext(
        "Time for one token with {requests} request at once, P50.",
        "Time for one token of each user with {requests} requests at once, P50.",
        sizing.required_requests,
    )
    return text.format(requests=formatter.count(sizing.required_requests))


def no_rate(sizing: Sizing) -> str:
    """Why a speed is unknown, and what to do."""
    text = _("Its computing rate is missing: enter the peak FLOPS of {device} in the catalogue.")
    return text.format(device=sizing.device.name)


def step_reason(sizing: Sizing, part: TimePart, formatter: Formatter) -> str:
    """Why a part takes its time: the amounts that are read, moved or computed, else the cause in words."""
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
    spilled = sizing.trace[below_of_device(sizing.trace, sizing.devices[0])]
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

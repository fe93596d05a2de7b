"""What is said about capacity: how many people are served within the targets, what stops more, and what may fail."""

from core.language.messages import gettext as _
from core.language.messages import marked, ngettext
from core.language.numbers import Formatter, current
from core.sizing.concurrency import Capacity, Redundancy, Variant, Wall
from core.sizing.demand import Road, knows_users
from core.sizing.report import Sizing

_WALLS = {
    Wall.MEMORY: marked("memory"),
    Wall.BANDWIDTH: marked("memory bandwidth"),
    Wall.COMPUTE: marked("computing rate"),
    Wall.LINK: marked("exchange between accelerators"),
    Wall.ENGINE: marked("the engine’s own time"),
    Wall.SECOND_TIER: marked("the slower second memory"),
    Wall.PROMPTS: marked("reading others’ prompts"),
    Wall.QUEUE: marked("the queue"),
}

_REDUNDANCY_IN_SHORT = {
    Redundancy.NONE: marked("N"),
    Redundancy.SPARE_REPLICA: marked("N + 1"),
    Redundancy.TWO_SITES: marked("two sites"),
}

_REDUNDANCY = {
    Redundancy.NONE: marked("Without a spare (N)"),
    Redundancy.SPARE_REPLICA: marked("With a spare copy of the model (N + 1)"),
    Redundancy.TWO_SITES: marked("On two sites"),
}

_REDUNDANCY_MEANS = {
    Redundancy.NONE: marked("a failure stops a part of the work until it is repaired"),
    Redundancy.SPARE_REPLICA: marked("one copy may fail, and the others still meet the targets"),
    Redundancy.TWO_SITES: marked("a whole site may fail, and the other still meets the targets"),
}


def wall(kind: Wall) -> str:
    """What stops one more request, to be put after a colon."""
    return _(_WALLS[kind])


def redundancy(kind: Redundancy) -> str:
    """What may fail, in a few words."""
    return _(_REDUNDANCY[kind])


def redundancy_in_short(kind: Redundancy) -> str:
    return _(_REDUNDANCY_IN_SHORT[kind])


def redundancy_means(kind: Redundancy) -> str:
    """What that means for the work."""
    return _(_REDUNDANCY_MEANS[kind])


def tail_sentence(capacity: Capacity) -> str:
    """Are the longest requests cut off? Empty where they are not, or where their length is not known."""
    if capacity.tail_fits is not False:
        return ""
    write, trace = current(), capacity.trace
    return _(
        "One request in a hundred is longer than {longest} tokens; the context limit of {limit} cuts it off."
    ).format(longest=write.count(trace["capacity.tail_tokens"]), limit=write.tokens(trace["workload.context_tokens"]))


def variant_sentence(variant: Variant) -> str:
    """What a degree of safety needs."""
    if variant.accelerators is None:
        return _("{name}: no number of copies meets the targets.").format(name=redundancy(variant.redundancy))
    text = ngettext(
        "{name}: {count} accelerator; {meaning}.", "{name}: {count} accelerators; {meaning}.", variant.accelerators
    )
    return text.format(
        name=redundancy(variant.redundancy),
        count=current().count(variant.accelerators),
        meaning=redundancy_means(variant.redundancy),
    )


def capacity_title(sizing: Sizing, capacity: Capacity, formatter: Formatter) -> str:
    """Users and requests at once within the targets, and the first wall."""
    fit = int(sizing.trace["max_concurrency"])
    context = formatter.tokens(sizing.scenario.workload.context_tokens)
    if not capacity.requests:
        if capacity.wall is Wall.MEMORY:
            return _("Not one request of {context} fits").format(context=context)
        return _("One request alone misses your targets: {wall}").format(wall=wall(capacity.wall))
    requests = formatter.count(capacity.requests)
    if capacity.requests > fit:
        text = (
            ngettext(
                "{fit} request of {context} fits; of the usual length {requests} meet your targets",
                "{fit} requests of {context} fit; of the usual length {requests} meet your targets",
                fit,
            )
            if has_targets(sizing)
            else ngettext(
                "{fit} request of {context} fits, {requests} of the usual length",
                "{fit} requests of {context} fit, {requests} of the usual length",
                fit,
            )
        )
        return text.format(fit=formatter.count(fit), context=context, requests=requests)
    if has_targets(sizing) and knows_users(sizing.scenario.workload):
        text = ngettext(
            "{users} user at your targets: {requests} at once, then {wall} stops it",
            "{users} users at your targets: {requests} at once, then {wall} stops it",
            capacity.users_by_share,
        )
    elif has_targets(sizing):
        text = ngettext(
            "{requests} request at once meets your targets, then {wall} stops it",
            "{requests} requests at once meet your targets, then {wall} stops it",
            capacity.requests,
        )
    else:
        text = ngettext(
            "{requests} request at once, then {wall} stops it",
            "{requests} requests at once, then {wall} stops it",
            capacity.requests,
        )
    return text.format(users=formatter.count(capacity.users_by_share), requests=requests, wall=wall(capacity.wall))


def has_targets(sizing: Sizing) -> bool:
    workload = sizing.scenario.workload
    return workload.speed_target is not None or workload.ttft_target_s is not None


def capacity_line(sizing: Sizing, capacity: Capacity, formatter: Formatter) -> str:
    """What the charts draw, under which conditions, and the other road from requests to users."""
    text = _("Decode speed at {depth} tokens. Grey: more requests than memory holds if each grows to {context}.")
    trace = sizing.trace
    depth = trace["workload.depth_tokens" if "workload.depth_tokens" in trace else "workload.context_tokens"]
    drawn = text.format(
        depth=formatter.about_tokens(depth),
        context=formatter.tokens(sizing.scenario.workload.context_tokens),
    )
    demand = capacity.demand
    if not capacity.requests or demand is None or demand.sized_by is not Road.SHARE:
        return drawn
    little = ngettext("By Little’s law: {users} user.", "By Little’s law: {users} users.", capacity.users_by_little)
    return f"{drawn} {little.format(users=formatter.count(capacity.users_by_little))}"

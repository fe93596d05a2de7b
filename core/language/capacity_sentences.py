"""The title and the line of the capacity charts: how many people are served within the targets, and what stops more."""

from core.language.cost_sentences import wall
from core.language.messages import gettext as _
from core.language.messages import ngettext
from core.language.numbers import Formatter
from core.sizing.concurrency import Capacity, Wall
from core.sizing.demand import Road, knows_users
from core.sizing.report import Sizing


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

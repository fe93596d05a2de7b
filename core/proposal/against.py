"""What speaks against an option that is not recommended, and when it would be: one reason with its numbers."""

from core.language.messages import gettext as _
from core.language.numbers import Formatter
from core.language.sentences import requests
from core.proposal.offer import Offer
from core.sizing.report import Sizing


def against(option: Offer, first: Offer, write: Formatter) -> str:
    """The weightiest reason against an option: it does not do the work, else what the recommended one does better."""
    found = _cannot(option.sizing, write) or _worse(option, first, write)
    if found:
        return found
    better = in_favour(option, first, write)
    return _("no figure speaks against it") if better else _("equal in every figure that was compared")


def in_favour(option: Offer, first: Offer, write: Formatter) -> str:
    """When an option would be the better choice; empty where it never is."""
    own, other = option.sizing, first.sizing
    if not own.fits:
        return ""
    if _cannot(own, write):
        slow = _slow_speed(own)
        return "" if slow is None else _("if {speed} each are enough").format(speed=write.speed(slow))
    if _cannot(other, write):
        return _("it does what was asked")
    if own.decode is not None and other.decode is not None and own.decode.p50 > 1.05 * other.decode.p50:
        return _("if speed decides")
    mine, theirs = _capital(option), _capital(first)
    if mine is not None and theirs is not None and mine < theirs:
        return _("if the price decides")
    more = int(own.trace["max_concurrency"])
    if more > int(other.trace["max_concurrency"]):
        return _("if more ask at once: room for {requests}").format(requests=requests(more))
    return ""


def _slow_speed(sizing: Sizing) -> float | None:
    """Its speed, where that misses the target."""
    target, decode = sizing.scenario.workload.speed_target, sizing.decode
    return decode.p50 if target is not None and decode is not None and decode.p50 < target else None


def _cannot(sizing: Sizing, write: Formatter) -> str:
    work = sizing.scenario.workload
    if not sizing.fits:
        return _("does not hold the work: {missing} are missing").format(missing=write.bytes(sizing.missing_bytes))
    if sizing.decode is None or sizing.ttft is None:
        return _("its speed is not known")
    if (slow := _slow_speed(sizing)) is not None:
        text = _("too slow: {speed} each where {target} are asked")
        return text.format(speed=write.speed_parts(slow)[0], target=write.speed(work.speed_target or 0.0))
    if work.ttft_target_s is not None and sizing.ttft.p50 > work.ttft_target_s:
        text = _("first word after {time} where {target} are allowed")
        return text.format(time=write.seconds(sizing.ttft.p50), target=write.seconds(work.ttft_target_s))
    return ""


def _worse(option: Offer, first: Offer, write: Formatter) -> str:
    own, other = option.sizing, first.sizing
    if _cannot(other, write):
        return ""  # a price that buys nothing is no measure
    mine, theirs = _capital(option), _capital(first)
    if mine is None and theirs is not None:
        return _("its price is not known")
    if mine is not None and theirs is not None and mine > theirs and option.cost is not None:
        text = _("costs {price}, against {other}")
        currency = option.cost.currency
        return text.format(price=write.money(mine, currency), other=write.money(theirs, currency))
    if own.decode is not None and other.decode is not None and own.decode.p50 < other.decode.p50:
        text = _("writes {speed} each, against {other}")
        return text.format(speed=write.speed(own.decode.p50), other=write.speed(other.decode.p50))
    if own.ttft is not None and other.ttft is not None and own.ttft.p50 > other.ttft.p50:
        text = _("first word after {time}, against {other}")
        return text.format(time=write.seconds(own.ttft.p50), other=write.seconds(other.ttft.p50))
    if int(own.trace["max_concurrency"]) < int(other.trace["max_concurrency"]):
        text = _("room for {fits}, against {other}")
        fits, more = int(own.trace["max_concurrency"]), int(other.trace["max_concurrency"])
        return text.format(fits=requests(fits), other=write.count(more))
    return ""


def _capital(option: Offer) -> "float | None":
    cost = option.cost
    return float(cost.capital.value) if cost is not None and cost.capital.known else None

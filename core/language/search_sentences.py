"""What a search says in words: its answer in a sentence, reasons, what ruled hardware out, what is unknown."""

from collections.abc import Callable
from typing import Any

from core.catalogue.records import DeviceKind
from core.language.format_names import format_name
from core.language.messages import gettext as _
from core.language.messages import marked, ngettext
from core.language.numbers import NBSP, Formatter, current
from core.language.sentences import device_with_count
from core.sizing.concurrency import Capacity, Redundancy, Wall
from core.sizing.search.evaluate import Evaluation
from core.sizing.search.explain import Reason, ReasonKind
from core.sizing.search.models import ModelAnswer, ModelExclusion, ModelRuledOut, ModelsFound
from core.sizing.search.report import Answer, Exclusion, Fact, HardwareFound, RuledOut
from core.sizing.search.request import Ranking
from core.sizing.search.safety import Safe

_RANKINGS = {
    Ranking.COST: marked("Cost per million tokens"),
    Ranking.PRICE: marked("Purchase price"),
    Ranking.SPEED: marked("Speed per user"),
    Ranking.ENERGY: marked("Energy per token"),
}
_BEST = {
    Ranking.COST: marked("{option} is cheapest per token"),
    Ranking.PRICE: marked("{option} costs least to buy"),
    Ranking.SPEED: marked("{option} is fastest"),
    Ranking.ENERGY: marked("{option} takes the least energy"),
}
_KINDS = {
    DeviceKind.CARD: marked("PCIe card"),
    DeviceKind.MODULE: marked("Module on a board"),
    DeviceKind.UNIFIED: marked("Unified memory"),
    DeviceKind.NODE: marked("Server"),
    DeviceKind.RACK: marked("Rack"),
    DeviceKind.CPU: marked("Processor alone"),
}
_FACTS = {
    frozenset({Fact.PRICE}): marked("Price unknown"),
    frozenset({Fact.POWER}): marked("Power unknown"),
    frozenset({Fact.NOISE}): marked("Noise unknown"),
    frozenset({Fact.PRICE, Fact.POWER}): marked("Price and power unknown"),
    frozenset({Fact.PRICE, Fact.NOISE}): marked("Price and noise unknown"),
    frozenset({Fact.POWER, Fact.NOISE}): marked("Power and noise unknown"),
    frozenset({Fact.PRICE, Fact.POWER, Fact.NOISE}): marked("Price, power and noise unknown"),
}

_REASONS = {
    ReasonKind.COPIES: marked("{copies} copies, each on one accelerator: nothing crosses a link."),
    ReasonKind.SPLIT: marked("Each layer is split over {ranks}: exchange takes {share} of the step on {link}."),
    ReasonKind.EXPERTS: marked(
        "Whole experts on each of {ranks} accelerators: exchange takes {share} of the step on {link}."
    ),
    ReasonKind.STAGES: marked("{stages} stages hand over once a token: {share} of the step on {link}."),
    ReasonKind.SPEED: marked("Memory at {bandwidth}: {speed} per user."),
    ReasonKind.SPEED_WITH_TARGET: marked("Memory at {bandwidth}: {speed} per user where {target} are asked."),
    ReasonKind.ROOM: marked("Cache {cache} of {room} free: {requests} requests fit, you need {needed}."),
    ReasonKind.ROOM_WITH_RESERVE: marked(
        "Cache {cache} of {room} free: {requests} requests fit; with {reserve} growth you need {needed}."
    ),
    ReasonKind.EXCHANGE: marked("Exchange between accelerators takes {share} of the step on {link}."),
    ReasonKind.SECOND_MEMORY: marked("{spilled} lie in slower memory, read at {rate}."),
    ReasonKind.LITTLE_ROOM: marked("Only {free} stay free."),
    ReasonKind.NOT_PUBLISHED: marked("Nobody has published these weights in {weights}: you would make them."),
    ReasonKind.PRICE_RANGE: marked("Quotes run from {low} to {high}: ask for an offer."),
    ReasonKind.SERVER_NOISE: marked("At least {noise} dB(A): a server room, not a desk."),
    ReasonKind.GENERIC: marked("Nothing like it was measured: expect {range}."),
    ReasonKind.MANY_DEVICES: marked("{units} devices: more room, cables and things that can break."),
    ReasonKind.POWER: marked("{power} under load: check the circuit and the cooling."),
    ReasonKind.COSTS_MORE: marked("{option} costs {theirs}, this one {ours}."),
    ReasonKind.COSTS_MORE_PER_MILLION: marked(
        "{option} costs {theirs} per million tokens of your own demand, this one {ours}."
    ),
    ReasonKind.COSTS_MORE_PER_YEAR: marked("{option} costs {theirs} a year, this one {ours}."),
    ReasonKind.SLOWER: marked("{option} writes {theirs} per user, this one {ours}."),
    ReasonKind.MORE_ENERGY: marked("{option} takes {theirs} J per token, this one {ours} J."),
    ReasonKind.EQUAL: marked("{option} is equal in this ranking; the simpler or more frugal one comes first."),
}
_COSTS_LEAST_A_YEAR = marked("{option} costs least a year")
_SAFETY = {
    Redundancy.NONE: marked("N, nothing in reserve"),
    Redundancy.SPARE_REPLICA: marked("N + 1, one copy may fail"),
    Redundancy.TWO_SITES: marked("Two sites, one may fail"),
}
_MAY_FAIL = {
    Redundancy.NONE: marked("Nothing"),
    Redundancy.SPARE_REPLICA: marked("One copy"),
    Redundancy.TWO_SITES: marked("One of two sites"),
}
_WALLS = {
    Wall.MEMORY: marked("memory"),
    Wall.BANDWIDTH: marked("memory bandwidth"),
    Wall.COMPUTE: marked("computing"),
    Wall.LINK: marked("the link"),
    Wall.ENGINE: marked("the engine"),
    Wall.SECOND_TIER: marked("slower memory"),
    Wall.PROMPTS: marked("reading of prompts"),
    Wall.QUEUE: marked("the queue"),
}
_OF_MONEY = (
    ReasonKind.PRICE_RANGE,
    ReasonKind.COSTS_MORE,
    ReasonKind.COSTS_MORE_PER_MILLION,
    ReasonKind.COSTS_MORE_PER_YEAR,
)
_ALONE = marked("The model fits one accelerator: nothing crosses a link.")
_ALONE_WITH_COMPANIONS = marked("Model and retrieval models fit one accelerator: nothing crosses a link.")

_WRITE: dict[str, Callable[[Formatter, Any], str]] = {
    **dict.fromkeys(("cache", "room", "spilled", "free"), Formatter.bytes),
    **dict.fromkeys(("bandwidth", "rate"), Formatter.rate),
    **dict.fromkeys(("speed", "target"), Formatter.speed),
    **dict.fromkeys(("share", "reserve"), Formatter.share),
    **dict.fromkeys(("copies", "ranks", "stages", "requests", "needed", "units", "noise"), Formatter.count),
    "power": Formatter.power,
}

_RULED_OUT = {
    Exclusion.BUDGET: marked("costs {reached}: above the budget of {asked}"),
    Exclusion.POWER: marked("draws {reached}: above the limit of {asked}"),
    Exclusion.NOISE: marked("is at {reached} dB(A): above the limit of {asked} dB(A)"),
    Exclusion.MEMORY: marked("does not fit: {missing} short on each accelerator"),
    Exclusion.RESERVE: marked("holds {reached} requests at {context}; with your reserve you need {asked}"),
    Exclusion.SPEED: marked("fits, but {reached} at {context}: below the target of {asked}"),
    Exclusion.FIRST_TOKEN: marked("fits, but the first token takes {reached}: above the target of {asked}"),
    Exclusion.SPARE: marked("is sold alone: nothing is left when it fails"),
    Exclusion.FIGURES: marked("has no computing rate in the catalogue: its speed cannot be told"),
    Exclusion.SOFTWARE: marked("runs none of the engines with these formats"),
}
_AT_BEST = {
    Exclusion.BUDGET: marked("costs {reached} at least: above the budget of {asked}"),
    Exclusion.NOISE: marked("is at {reached} dB(A) or more: above the limit of {asked} dB(A)"),
    Exclusion.MEMORY: marked("does not fit: at least {missing} short on each accelerator"),
    Exclusion.SPEED: marked("writes {reached} at most at {context}: below the target of {asked}"),
    Exclusion.FIRST_TOKEN: marked("the first token takes {reached} at least: above the target of {asked}"),
}


def ranking(by: Ranking) -> str:
    """What answers are ranked by."""
    return _(_RANKINGS[by])


def may_fail(degree: Redundancy) -> str:
    """What may fail without the targets being missed."""
    return _(_MAY_FAIL[degree])


def device_kind(kind: DeviceKind) -> str:
    """How a device is built."""
    return _(_KINDS[kind])


def facts(unknown: frozenset[Fact]) -> str:
    """What the catalogue lacks, in a few words; empty where it lacks nothing."""
    return _(_FACTS[unknown]) if unknown else ""


def option(answer: Answer) -> str:
    """The hardware with its plan: "2 × RTX PRO 6000, pipeline"."""
    name = device_with_count(answer.kind.device.called, answer.kind.units)
    plan = answer.evaluation.candidate.layout.plan
    if plan.ranks == 1:
        return name
    if plan.ranks == plan.replicas:
        return _("{hardware}, copies").format(hardware=name)
    if plan.attention_replicas > 1:
        return _("{hardware}, experts and attention in parallel").format(hardware=name)
    if plan.expert > 1:
        return _("{hardware}, expert parallel").format(hardware=name)
    if plan.tensor > 1 and plan.pipeline > 1:
        return _("{hardware}, tensor and pipeline parallel").format(hardware=name)
    if plan.tensor > 1:
        return _("{hardware}, tensor parallel").format(hardware=name)
    return _("{hardware}, pipeline").format(hardware=name)


def headline(found: HardwareFound) -> str:
    """The answer in a sentence: "8 options meet the need. RTX PRO 6000 costs least"."""
    if found.best is None:
        if found.unknown:
            number = len(found.unknown)
            return ngettext(
                "Nothing is known to meet the need; {number} device might, but a fact is missing",
                "Nothing is known to meet the need; {number} devices might, but a fact is missing",
                number,
            ).format(number=current().count(number))
        return _("Nothing in the catalogue meets the need")
    number = len(found.answers)
    hardware = device_with_count(found.best.kind.device.called, found.best.kind.units)
    by = _COSTS_LEAST_A_YEAR if _counts_years(found) else _BEST[found.request.ranking]
    best = _(by).format(option=hardware)
    return ngettext("{number} option meets the need: {best}", "{number} options meet the need: {best}", number).format(
        number=current().count(number), best=best
    )


def _counts_years(found: HardwareFound) -> bool:
    """Is hardware ranked by what a year costs, for want of a number of users?"""
    return found.request.ranking is Ranking.COST and found.need.tokens is None


def cost_basis(found: HardwareFound) -> str:
    """Over what costs are counted, and what is not in them."""
    write = current()
    if found.need.tokens is None:
        with_it = _("Cost of a year in which nobody asks: the number of users is not said.")
        without = _("Cost of a year without electricity: neither the number of users nor the region is said.")
        return with_it if found.counts_electricity else without
    tokens = write.number(float(f"{found.need.tokens:.3g}"))
    with_it = _("Cost over your own {tokens} million tokens a year.")
    without = _("Cost over your own {tokens} million tokens a year, without electricity: the region is not said.")
    return (with_it if found.counts_electricity else without).format(tokens=tokens)


def draws(at_work: float | None, at_most: float | None) -> str:
    """Power while mostly writing, and what circuits and cooling are laid out for."""
    if at_work is None or at_most is None:
        return current().unknown()
    text = _("{work} at the wall at work, {most} at most")
    return text.format(work=current().power(at_work), most=current().power(at_most))


def running_cost(found: Evaluation) -> str:
    """Cost of a million tokens of the client's own demand, or of a year where that is not known."""
    write, currency = current(), found.supply.currency
    if found.per_million is not None:
        return write.money(found.per_million, currency)
    return write.unknown() if found.yearly is None else write.money(found.yearly, currency)


def safety(degree: Safe) -> str:
    """What a degree of safety takes: "N + 1: 2 units, €41,300 to buy, €15,900 a year"."""
    write = current()
    price = write.unknown() if degree.price is None else write.money(degree.price, degree.currency)
    yearly = write.unknown() if degree.yearly is None else write.money(degree.yearly, degree.currency)
    text = ngettext(
        "{name}: {units} unit, {price} to buy, {yearly} a year",
        "{name}: {units} units, {price} to buy, {yearly} a year",
        degree.units,
    )
    return text.format(name=_(_SAFETY[degree.redundancy]), units=write.count(degree.units), price=price, yearly=yearly)


def carries(found: Capacity) -> str:
    """How far an answer goes within the targets, and what stops it."""
    write = current()
    text = ngettext(
        "Carries {number} request at once within the targets; {wall} is hit first.",
        "Carries {number} requests at once within the targets; {wall} is hit first.",
        found.requests,
    )
    return text.format(number=write.count(found.requests), wall=_(_WALLS[found.wall]))


def searched(found: HardwareFound, seconds: float) -> str:
    """How much was looked at: "78,864 combinations in 0.18 s, 405 of them sized in full; the rest cannot win"."""
    write = current()
    return _("{candidates} combinations in {time}, {sized} of them sized in full; the rest cannot win.").format(
        candidates=write.count(found.candidates), time=write.seconds(seconds), sized=write.count(found.sized)
    )


def reason(why: Reason) -> str:
    """One reason as a sentence."""
    if why.kind is ReasonKind.ONE_ACCELERATOR:
        return _(_ALONE_WITH_COMPANIONS if why.figures["companions"] else _ALONE)
    write, currency = current(), why.names.get("currency", "")
    shown: dict[str, str] = dict(why.names)
    for name, value in why.figures.items():
        if name in _WRITE and value is not None:
            shown[name] = _WRITE[name](write, value)
    if why.kind in _OF_MONEY:
        shown |= {name: _money(write, value, currency) for name, value in why.figures.items() if name != "units"}
    elif why.kind is ReasonKind.GENERIC:
        shown["range"] = write.range(why.figures["low"], why.figures["high"], write.speed_parts)
    elif why.kind is ReasonKind.SLOWER:
        shown |= {name: write.speed(value) for name, value in why.figures.items() if name != "units"}
    elif why.kind is ReasonKind.MORE_ENERGY:
        shown |= {name: write.significant(value) for name, value in why.figures.items() if name != "units"}
    if "weights" in why.names:
        shown["weights"] = format_name(why.names["weights"])
    if "device" in why.names:
        shown["option"] = device_with_count(why.names["device"], int(why.figures["units"]))
    return _(_REASONS[why.kind]).format(**shown)


def _money(write: Formatter, value: Any, currency: str) -> str:
    return write.unknown() if value == float("inf") else write.money(value, currency)


def ruled_out(miss: RuledOut, found: HardwareFound) -> str:
    """What rules hardware out, with its number, to stand behind its name."""
    write, request = current(), found.request
    text = _AT_BEST.get(miss.by) if miss.at_best else None
    ways: dict[Exclusion, Callable[[float], str]] = {
        Exclusion.BUDGET: lambda value: write.money(value, request.scenario.economics.currency),
        Exclusion.POWER: write.power,
        Exclusion.SPEED: write.speed,
        Exclusion.FIRST_TOKEN: write.seconds,
    }
    asked, reached = _apart(miss.asked, miss.reached, ways.get(miss.by, write.count))
    return _(text or _RULED_OUT[miss.by]).format(
        asked=asked,
        reached=reached,
        missing=write.bytes(miss.asked - miss.reached),
        context=write.tokens(request.scenario.workload.context_tokens),
    )


def _apart(asked: float, reached: float, way: Callable[[float], str]) -> tuple[str, str]:
    """Both numbers as they are shown; with more digits where rounding would make them look alike."""
    shown = way(asked), way(reached)
    if shown[0] != shown[1] or asked == reached:
        return shown
    write = current()
    exact, unit = write.decimal(reached, 2), shown[1].partition(NBSP)[2]
    return shown[0], f"{exact}{NBSP}{unit}" if unit else exact


def miss_name(miss: RuledOut) -> str:
    """The hardware that is ruled out."""
    return device_with_count(miss.kind.device.called, miss.kind.units)


# ---- models

_MODEL_RULED_OUT = {
    ModelExclusion.FIRST_TOKEN: _RULED_OUT[Exclusion.FIRST_TOKEN],
    ModelExclusion.SPEED: marked("fits, but writes {reached}: below the target of {asked}"),
    ModelExclusion.RESERVE: marked("leaves room for {reached} requests; you need {asked}"),
    ModelExclusion.MEMORY: marked("does not fit: {missing} short"),
    ModelExclusion.CONTEXT: marked("was trained for {reached} of context; one request needs {asked}"),
    ModelExclusion.SOFTWARE: marked("has no format that an engine of this device loads"),
    ModelExclusion.FIGURES: marked("fits, but the device has no computing rate in the catalogue"),
    ModelExclusion.ARCHITECTURE: marked("cannot be counted yet"),
}


def models_headline(found: ModelsFound, hardware: str) -> str:
    """The answer in a sentence: "112 models run on 2 × RTX 4090; the largest is Qwen3-Coder-Next"."""
    if not found.answers:
        return _("No model of the catalogue meets the need on {hardware}").format(hardware=hardware)
    number = len(found.answers)
    text = ngettext(
        "{number} model meets the need on {hardware}: {largest}",
        "{number} models meet the need on {hardware}; the largest is {largest}",
        number,
    )
    largest = found.answers[0].model.name
    return text.format(number=current().count(number), hardware=hardware, largest=largest)


def models_searched(found: ModelsFound, seconds: float) -> str:
    """How much was looked at."""
    write = current()
    return _("{combinations} models and formats in {time}, {sized} of them sized in full; the rest cannot fit.").format(
        combinations=write.count(found.combinations), time=write.seconds(seconds), sized=write.count(found.sized)
    )


def model_ruled_out(miss: ModelRuledOut) -> str:
    """What rules a model out, to stand behind its name."""
    write = current()
    ways: dict[ModelExclusion, Callable[[Any], str]] = {
        ModelExclusion.SPEED: write.speed,
        ModelExclusion.FIRST_TOKEN: write.seconds,
        ModelExclusion.CONTEXT: lambda value: write.tokens(int(value)),
    }
    asked, reached = _apart(miss.asked, miss.reached, ways.get(miss.by, write.count))
    return _(_MODEL_RULED_OUT[miss.by]).format(
        asked=asked, reached=reached, missing=write.bytes(miss.asked - miss.reached)
    )


def format_note(answer: ModelAnswer) -> str:
    """Whether weights in this format can be had."""
    return _("published") if answer.published else _("to be made")


def nothing_to_rank() -> str:
    """In the place of the ranked list where nothing meets the need."""
    return _("Nothing to rank. Loosen a target or a limit, or see with the reasons what came nearest.")

"""The page of the need: what was asked for, where each number comes from, what was taken for granted, what follows."""

from collections.abc import Callable, Iterator

from core.language.cost_sentences import not_counted, two_roads
from core.language.cost_sentences import use as use_name
from core.language.messages import gettext as _
from core.language.numbers import Formatter
from core.language.sentences import clauses, companion_role, placement
from core.proposal.offer import Offer
from core.proposal.recommendation import hardware, money
from core.proposal.values import Column, Need, Note, Page, Row, Table
from core.sizing.report import Sizing, Verdict
from core.units import Unit


def need(offers: tuple[Offer, ...], write: Formatter) -> Need:
    offer = offers[0]
    sizing = offer.sizing
    return Need(
        page=Page(
            _("What you asked for"),
            _("This is how we understood your need. Every figure on the following pages follows from this page."),
        ),
        table=Table(
            columns=(
                Column(_("Need"), width="1.1fr"),
                Column(_("Value"), "right"),
                Column(_("Where it comes from"), width="1.1fr"),
            ),
            rows=tuple(_rows(sizing, write)),
            summary=_("The need: what was asked for, its value, and where it comes from."),
        ),
        model_heading=_("The model"),
        model=_model(sizing, write),
        granted_heading=_("What we took for granted"),
        granted=tuple(_granted(offer, write)),
        correct=Note(
            _("Please correct what is wrong here."),
            _("A change of any figure gives you a new proposal within minutes."),
        ),
        answers_heading=_("What the next pages answer"),
        question_heading=_("Question"),
        answer_heading=_("Short answer"),
        page_heading=_("Page"),
        answers=tuple(_answers(offers, write)),
    )


def _rows(sizing: Sizing, write: Formatter) -> list[Row]:
    work = sizing.scenario.workload
    yours, computed = _("your figure"), _("computed from the two lines above")
    rows = [Row((_("People with access"), write.count(work.users), yours))]
    if work.requests_at_once is None:
        rows.append(Row((_("Active at the same moment"), write.share(work.active_share), yours)))
        rows.append(Row((_("Requests at once"), write.count(sizing.required_requests), computed)))
    else:
        rows.append(Row((_("Requests at once"), write.count(sizing.required_requests), yours)))
    if work.use is not None:
        rows.append(Row((_("What it is for"), use_name(work.use), yours)))
    if work.prompt_tokens is not None:
        rows.append(Row((_("Question with its documents"), _tokens(work.prompt_tokens, write), yours)))
    else:
        filled = sizing.trace.get("workload.prompt_tokens")
        prompt = _tokens(filled, write) if filled is not None else _tokens(work.context_tokens, write)
        rows.append(Row((_("Question with its documents"), prompt, _("our assumption: it fills the context"))))
    rows.append(Row((_("Answer"), _tokens(work.output_tokens, write), yours)))
    rows.append(Row((_("Question and answer together, at most"), _tokens(work.context_tokens, write), yours)))
    if work.prefix_hit_share:
        rows.append(Row((_("Text the server has read before"), write.share(work.prefix_hit_share), yours)))
    rows.append(_target(_("First word within"), work.ttft_target_s, write.seconds, yours))
    rows.append(_target(_("Speed per person, at least"), work.speed_target, write.speed, yours))
    if work.reserve_share:
        rows.append(Row((_("Reserve for growth"), write.share(work.reserve_share), yours)))
    return rows


def _target(name: str, value: float | None, written: Callable[[float], str], yours: str) -> Row:
    return Row((name, _("none"), _("no target was named"))) if value is None else Row((name, written(value), yours))


def _tokens(number: int, write: Formatter) -> str:
    return _("{number} tokens").format(number=write.count(number))


def _model(sizing: Sizing, write: Formatter) -> str:
    scenario, blueprint = sizing.scenario, sizing.blueprint
    parts = [
        _("{model} has {total} parameters, of which {active} work on each token.").format(
            model=blueprint.name,
            total=write.parameters_in_words(sizing.trace["model.total_parameters"]),
            active=write.parameters_in_words(sizing.trace["model.active_parameters"]),
        ),
        _("Its weights are stored in {weights}, its cache in {cache}; {engine} serves it.").format(
            weights=format_name(scenario.weights), cache=format_name(scenario.kv_format), engine=sizing.engine.name
        ),
    ]
    for companion in scenario.companions:
        size = companion.model or write.parameters(companion.parameters or 0)
        parts.append(
            _("{role} ({size}): {place}.").format(
                role=companion_role(companion.role), size=size, place=placement(companion.placement)
            )
        )
    return " ".join(parts)


def format_name(format_id: str) -> str:
    """A format as people write it: "NVFP4"; the rules of thumb are named as such."""
    if format_id.startswith("flat"):
        return _("plain {bits} bit").format(bits=format_id.removeprefix("flat").lstrip("-"))
    name, _separator, manner = format_id.replace("-", "_").partition("_")
    return f"{name.upper()} {manner.replace('_', ' ')}" if len(manner) > 4 else format_id.upper()


def _granted(offer: Offer, write: Formatter) -> Iterator[str]:
    """What nobody has said, and what was counted with instead; at most five sentences."""
    cost = offer.cost
    if cost is None:
        return
    trace = cost.trace
    if cost.demand is not None:
        yield two_roads(cost.demand)
        rhythm = {"day": "demand.requests_per_day", "days": "demand.days_per_year", "share": "demand.daily_share"}
        if all(key in trace for key in rhythm.values()):
            yield _("On a working day {share} of the people ask {day} times, on {days} days a year.").format(
                share=write.share(trace[rhythm["share"]]),
                day=write.number(trace[rhythm["day"]]),
                days=write.number(trace[rhythm["days"]]),
            )
    if "cost.tariff" in trace:
        yield _("A kilowatt-hour costs {price}; the room takes {pue} times what the machine does.").format(
            price=write.money(trace["cost.tariff"], cost.currency), pue=write.figure(trace["power.pue"], Unit.RATIO)
        )
    if "cost.term_years" in trace:
        yield _("Costs are spread over {years} at {rate} a year.").format(
            years=write.figure(trace["cost.term_years"], Unit.YEAR), rate=write.share(trace["cost.capital_rate"])
        )
    for reason in cost.not_counted[:1]:
        yield not_counted(reason)


# ---- short answers


def _answers(offers: tuple[Offer, ...], write: Formatter) -> Iterator[tuple[str, str, str]]:
    offer = offers[0]
    sizing = offer.sizing
    yield _("What should we buy?"), _buy(sizing), "recommendation"
    yield _("Does it fit?"), _fit(sizing, write), "memory"
    yield _("Is it fast enough?"), _speed(sizing, write), "speed"
    if len(offers) > 1:
        yield _("What else is there?"), _others(offers), "options"
    if offer.cost is not None:
        yield _("What does it cost?"), _cost(offer, write), "cost"
        yield _("What can go wrong?"), _("what we know of, and what would change the answer"), "risks"
    yield _("Can we check it?"), _("yes, every number with its formula and source"), "formulas"


def _buy(sizing: Sizing) -> str:
    if sizing.verdict is Verdict.DOES_NOT_FIT:
        return _("not {hardware}: it does not carry this work").format(hardware=hardware(sizing))
    return hardware(sizing)


def _fit(sizing: Sizing, write: Formatter) -> str:
    if sizing.verdict is Verdict.DOES_NOT_FIT:
        return _("no, {missing} are missing").format(missing=write.bytes(sizing.missing_bytes))
    free = write.figure(sizing.trace["memory.free_bytes"], Unit.BYTE)
    if sizing.verdict is Verdict.CLOSE:
        return _("just: {free} stay free").format(free=free)
    return _("yes, {free} stay free").format(free=free)


def _speed(sizing: Sizing, write: Formatter) -> str:
    target = sizing.scenario.workload.speed_target
    speed = sizing.decode or sizing.decode_bound
    numbers = {"speed": write.speed_parts(speed.p50)[0]}
    if sizing.speed_unknown:
        return _("unknown; at most {speed} tokens per second").format(**numbers)
    if not sizing.fits:
        return _("{speed} tokens per second, if it fitted").format(**numbers)
    if target is None:
        return _("{speed} tokens per second; no target was named").format(**numbers)
    numbers["target"] = write.speed_parts(target)[0]
    if speed.p50 < target:
        return _("no, {speed} tokens per second where {target} are asked").format(**numbers)
    return _("yes, {speed} tokens per second where {target} are asked").format(**numbers)


def _others(offers: tuple[Offer, ...]) -> str:
    return clauses(hardware(one.sizing) for one in offers[1:4])


def _cost(offer: Offer, write: Formatter) -> str:
    cost = offer.cost
    if cost is None or not cost.capital.known:
        return _("unknown: not every price is known")
    if not cost.total.known:
        return _("{purchase} to buy").format(purchase=money(cost.capital, cost, write))
    return _("{purchase} to buy, {total} over {years}").format(
        purchase=money(cost.capital, cost, write),
        total=money(cost.total, cost, write),
        years=write.figure(cost.trace["cost.term_years"], Unit.YEAR),
    )

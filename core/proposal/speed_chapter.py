"""The speed page: how each user's speed falls as more ask at once, and where the time of a token goes."""

from collections.abc import Callable

from core.language.chart_sentences import step_line, step_title
from core.language.messages import gettext as _
from core.language.messages import marked, ngettext
from core.language.numbers import Formatter
from core.language.sentences import cause, clauses, evidence, evidence_meaning, limit, named, requests
from core.proposal.appendix import Figures
from core.proposal.axes import linear
from core.proposal.load import LoadPoint, Moment
from core.proposal.offer import Offer
from core.proposal.recommendation import hardware
from core.proposal.values import Column, CurvePoint, Exhibit, Page, Row, Speed, SpeedCurve, Step, Table, Tick
from core.sizing.costs.offered import answer_seconds
from core.sizing.report import Cause, Estimate, Sizing
from core.sizing.shown import share_of_token

TOTAL = "tpot_s"  # what the parts of a token's time sum to
MOST_POINTS = 64
#: The drawing goes on to so many times what fits, where requests queue.
BEYOND = 1.4
_COLOURS = {
    Cause.WEIGHTS: "weights",
    Cause.EXPERTS: "companions",
    Cause.KV_CACHE: "kv",
    Cause.STATE: "state",
    Cause.COMPUTE: "compute",
    Cause.LINK: "link",
    Cause.ENGINE: "runtime",
    Cause.SECOND_TIER: "spill",
    Cause.PROMPTS: "prompts",
}
_MOMENTS = {
    Moment.ALONE: marked("one person alone"),
    Moment.QUIET: marked("a quiet hour"),
    Moment.NEEDED: marked("your busiest hour"),
    Moment.GROWTH: marked("with a quarter more"),
    Moment.FULL: marked("memory is full"),
}


def speed(offer: Offer, write: Formatter, figures: Figures, number: Callable[[], int]) -> Speed:
    """The page; `number` counts exhibits."""
    sizing = offer.sizing
    known = not sizing.speed_unknown
    curve = _curve(offer, write)
    return Speed(
        page=_page(sizing, write),
        exhibit=_exhibit(offer, write, figures, number()) if curve else None,
        curve=curve,
        table=_table(offer, write),
        reading=_reading(sizing, write),
        token=_token_exhibit(sizing, write, figures, number()) if known else None,
        steps=tuple(_step(sizing, part.key, part.cause, write) for part in sizing.step if part.seconds > 0),
        evidence=_evidence(sizing),
    )


def _page(sizing: Sizing, write: Formatter) -> Page:
    if sizing.decode is None or sizing.decode_limit is None:
        return _page_without_speed(sizing, write)
    lead = _("The more ask at once, the slower each answer. What sets the speed: {bottleneck}.")
    if not sizing.fits:
        lead = _("These are the speeds it would reach with enough memory. What sets them: {bottleneck}.")
    lead = lead.format(bottleneck=limit(sizing.decode_limit))
    if not sizing.fits:
        digits = write.speed_parts(sizing.decode.p50)[0]
        return Page(_("{speed} tokens per second, if it fitted").format(speed=digits), lead)
    target = sizing.scenario.workload.speed_target
    if target is None:
        digits = write.speed_parts(sizing.decode.p50)[0]
        return Page(_("{speed} tokens per second for each person").format(speed=digits), lead)
    numbers = {"speed": write.speed(sizing.decode.p50), "target": write.speed_parts(target)[0]}
    if sizing.decode.p50 < target:
        return Page(_("Too slow: {speed}, {target} are asked").format(**numbers), lead)
    return Page(_("Fast enough: {speed}, {target} are asked").format(**numbers), lead)


def _page_without_speed(sizing: Sizing, write: Formatter) -> Page:
    text = _(
        "The catalogue has no computing rate for {device}. Its memory alone allows at most {speed} tokens per second, "
        "for one request at a time. How fast it is must be measured."
    )
    most = write.speed_parts(sizing.decode_bound.p50)[0]
    return Page(_("How fast it writes is unknown"), text.format(device=sizing.device.name, speed=most))


# ---- speed against requests at once


def _curve(offer: Offer, write: Formatter) -> SpeedCurve | None:
    sizing, capacity = offer.sizing, offer.capacity
    if sizing.decode is None or capacity is None:
        return None
    full, needed = int(sizing.trace["max_concurrency"]), sizing.required_requests
    end = max(BEYOND * max(full, needed), 4)
    found = capacity.speed
    points = tuple(
        CurvePoint(float(x), float(low), float(middle), float(high))
        for x, low, middle, high in zip(found.x, found.p10, found.p50, found.p90, strict=True)
        if x <= end
    )
    chosen = CurvePoint(float(needed), sizing.decode.p10, sizing.decode.p50, sizing.decode.p90)
    target = sizing.scenario.workload.speed_target
    label = ngettext("you: {requests} request, {speed}", "you: {requests} requests, {speed}", needed)
    highest = max(point.high for point in (*points, chosen))
    return SpeedCurve(
        points=points,
        x_ticks=tuple(linear(max(point.x for point in (*points, chosen)), write.number)),
        y_ticks=linear(max(highest, target or 0), write.number),
        wall=Tick(float(full), _("memory full: {requests}").format(requests=write.count(full))) if full else None,
        target=Tick(target, _("your target {speed}").format(speed=write.speed_parts(target)[0])) if target else None,
        chosen=chosen,
        chosen_label=label.format(requests=write.count(needed), speed=write.speed(sizing.decode.p50)),
        name=_("{device}, P50").format(device=hardware(sizing)),
    )


def _exhibit(offer: Offer, write: Formatter, figures: Figures, number: int) -> Exhibit:
    sizing = offer.sizing
    text = _("Tokens per second for each user against requests at once. Line: P50; band: P10 to P90 ({evidence}).")
    decode = sizing.decode
    conditions = text.format(evidence=evidence(decode.evidence)) if decode else ""
    rows = clauses(
        named(requests(point.requests), write.speed(point.sizing.decode.p50))
        for point in offer.load
        if point.sizing.decode is not None
    )
    return Exhibit(
        number=_("Exhibit {number}").format(number=number),
        message=_curve_message(offer, write),
        conditions=conditions,
        source=figures.citation("decode_tok_s", "decode_tok_s.p10", "decode_tok_s.p90", "max_concurrency"),
        alternative=_("Falling curve of the speed of one user. {rows}.").format(rows=rows),
    )


def _curve_message(offer: Offer, write: Formatter) -> str:
    """What the curve shows, chosen by what the figures say."""
    sizing, target = offer.sizing, offer.scenario.workload.speed_target
    full = offer.load[-1] if offer.load else None
    fits = requests(int(sizing.trace["max_concurrency"]))
    if full is None or full.sizing.decode is None or full.moment is Moment.NEEDED:
        return _("The more ask at once, the slower each answer")
    if target is None:
        return _("With all {requests} that fit, each still gets {speed}").format(
            requests=fits, speed=write.speed(full.sizing.decode.p50)
        )
    values = {"requests": fits, "target": write.speed(target)}
    if full.sizing.decode.p50 >= target:
        return _("All {requests} that fit stay above your {target}").format(**values)
    if sizing.decode is not None and sizing.decode.p50 < target:
        return _("With what you need, each user stays below your {target}").format(**values)
    return _("Your {target} are met with what you need, though not with all {requests} that fit").format(**values)


def _table(offer: Offer, write: Formatter) -> Table:
    return Table(
        columns=(
            Column(_("At once"), "right"),
            Column(_("Each, tok/s"), "right"),
            Column(_("P10 to P90"), "right"),
            Column(_("First word"), "right"),
            Column(_("All, tok/s"), "right"),
            Column("GB", "right"),
            Column(_("What it is"), width="1fr"),
        ),
        rows=tuple(_row(point, write) for point in offer.load or (LoadPoint(Moment.NEEDED, offer.sizing),)),
        summary=_("Speed, first word and memory for one request, for those needed, and for as many as fit."),
    )


def _row(point: LoadPoint, write: Formatter) -> Row:
    sizing = point.sizing
    cells = (
        write.count(point.requests),
        _digits(sizing.decode, write),
        _span(sizing.decode, write),
        write.seconds(sizing.ttft.p50) if sizing.ttft else write.unknown(),
        _digits(sizing.throughput, write),
        write.gigabytes(sizing.trace["memory.total_bytes"]),
        _(_MOMENTS[point.moment]),
    )
    return Row(cells, strong=point.moment is Moment.NEEDED)


def _digits(estimate: Estimate | None, write: Formatter) -> str:
    return write.speed_parts(estimate.p50)[0] if estimate else write.unknown()


def _span(estimate: Estimate | None, write: Formatter) -> str:
    if estimate is None:
        return write.unknown()
    low, high = (write.speed_parts(value, like=estimate.p50)[0] for value in (estimate.p10, estimate.p90))
    return f"{low}–{high}"


def _reading(sizing: Sizing, write: Formatter) -> str:
    """What the speed means for an answer."""
    seconds = answer_seconds(sizing.trace)
    if seconds is None:
        return ""
    text = _("In your busiest hour an answer of {tokens} tokens is complete after {time}, the first word included.")
    return text.format(tokens=write.count(sizing.trace["workload.output_tokens"]), time=write.seconds(seconds))


# ---- the time of a token


def _token_exhibit(sizing: Sizing, write: Formatter, figures: Figures, number: int) -> Exhibit:
    parts = clauses(f"{cause(part.cause)} {write.seconds(part.seconds)}" for part in sizing.step if part.seconds > 0)
    total = write.seconds(sizing.trace[TOTAL])
    return Exhibit(
        number=_("Exhibit {number}").format(number=number),
        message=step_title(sizing, write),
        conditions=_("{line} Together {total}.").format(line=step_line(sizing, write), total=total),
        source=figures.citation(TOTAL),
        alternative=_("Bars of the time of one token: {parts}. Together {total}.").format(parts=parts, total=total),
    )


def _step(sizing: Sizing, key: str, of: Cause, write: Formatter) -> Step:
    return Step(
        _COLOURS[of],
        sizing.trace[key],
        cause(of),
        write.seconds(sizing.trace[key]),
        write.share(share_of_token(sizing.trace, key)),
    )


def _evidence(sizing: Sizing) -> str:
    """How sure the speeds are, and what P10 and P90 mean, in two sentences."""
    ranges = _("P10 and P90: one case in ten lies below the one, one above the other.")
    if sizing.decode is None:
        return ranges
    level = sizing.decode.evidence
    return f"{named(evidence(level)[:1].upper() + evidence(level)[1:], evidence_meaning(level))} {ranges}"

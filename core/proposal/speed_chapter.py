"""The speed page: where the time of a token goes, and the speeds with their ranges and evidence."""

from core.language.figures import label
from core.language.messages import gettext as _
from core.language.numbers import EN_DASH, Formatter
from core.language.sentences import cause, cause_reason, evidence, evidence_meaning, limit, requests
from core.proposal.appendix import Figures
from core.proposal.values import Column, Exhibit, Page, Point, Row, Speed, Step, Table
from core.sizing.report import Cause, Estimate, Evidence, Sizing
from core.units import Unit

TOTAL = "tpot_s"  # what the parts of a token's time sum to
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


def speed(sizing: Sizing, write: Formatter, figures: Figures) -> Speed:
    known = not sizing.speed_unknown
    return Speed(
        page=_page(sizing, write),
        exhibit=_exhibit(sizing, write, figures) if known else None,
        steps=tuple(
            Step(
                _COLOURS[part.cause],
                part.seconds,
                cause(part.cause),
                write.seconds(part.seconds),
                cause_reason(part.cause),
            )
            for part in sizing.step
            if part.seconds > 0
        ),
        total_label=label(TOTAL) if known else "",
        total=write.seconds(sizing.trace[TOTAL]) if known else "",
        heading=_("The speeds"),
        table=_table(sizing, write, figures),
        evidence=tuple(
            Point(_("{word}:").format(word=evidence(level)), evidence_meaning(level)) for level in _levels(sizing)
        ),
    )


def _page(sizing: Sizing, write: Formatter) -> Page:
    if sizing.decode is None or sizing.decode_limit is None:
        return _page_without_speed(sizing, write)
    lead = _("What sets the speed: {bottleneck}.").format(bottleneck=limit(sizing.decode_limit))
    if not sizing.fits:
        lead = _("These are the speeds it would reach with enough memory. What sets them: {bottleneck}.").format(
            bottleneck=limit(sizing.decode_limit)
        )
    target = sizing.scenario.workload.speed_target
    numbers = {"speed": write.speed_parts(sizing.decode.p50)[0]}
    if target is None:
        return Page(_("{speed} tokens per second for each person").format(**numbers), lead)
    numbers["target"] = write.speed_parts(target)[0]
    if sizing.decode.p50 < target:
        return Page(_("Too slow: {speed} tokens per second, {target} are asked").format(**numbers), lead)
    return Page(_("Fast enough: {speed} tokens per second, {target} are asked").format(**numbers), lead)


def _page_without_speed(sizing: Sizing, write: Formatter) -> Page:
    text = _(
        "The catalogue has no computing rate for {device}. Its memory alone allows at most {speed} tokens per second, "
        "for one request at a time. How fast it is must be measured."
    )
    most = write.speed_parts(sizing.decode_bound.p50)[0]
    return Page(_("How fast it writes is unknown"), text.format(device=sizing.device.name, speed=most))


def _exhibit(sizing: Sizing, write: Formatter, figures: Figures) -> Exhibit:
    largest = max(sizing.step, key=lambda part: part.seconds)
    total = write.seconds(sizing.trace[TOTAL])
    message = _("{cause}: {part} of the {total} that each token takes").format(
        cause=cause(largest.cause), part=write.seconds(largest.seconds), total=total
    )
    conditions = _("Time of one token with {requests} at once, middle of the range (P50).").format(
        requests=requests(sizing.required_requests)
    )
    parts = "; ".join(f"{cause(part.cause)} {write.seconds(part.seconds)}" for part in sizing.step if part.seconds > 0)
    return Exhibit(
        number=_("Exhibit {number}").format(number=2),
        message=message,
        conditions=conditions,
        source=figures.citation(TOTAL, "decode_tok_s"),
        alternative=_("Bars of the time of one token: {parts}. Together {total}.").format(parts=parts, total=total),
    )


def _table(sizing: Sizing, write: Formatter, figures: Figures) -> Table:
    rows = [
        _speed_row("decode_tok_s", sizing.decode, write, figures, strong=True),
        _speed_row("output_tok_s_total", sizing.throughput, write, figures),
        _time_row("ttft_s", sizing.ttft, write, figures),
        _speed_row("prefill_tok_s", sizing.prefill, write, figures),
    ]
    ceiling = "decode_tok_s.ceiling"
    if ceiling in sizing.trace:
        value = write.figure(sizing.trace[ceiling], Unit.TOKEN_PER_SECOND)
        rows.append(Row((label(ceiling), value, EN_DASH, evidence(Evidence.EXACT), figures.number(ceiling))))
    return Table(
        columns=(
            Column(_("Figure"), width="1fr"),
            Column(_("Middle (P50)"), "right"),
            Column(_("P10 to P90"), "right"),
            Column(_("How sure")),
            Column(_("Formula"), "right"),
        ),
        rows=tuple(rows),
        summary=_("Speeds with their ranges, how sure they are, and the formula in the appendix."),
    )


def _speed_row(key: str, estimate: Estimate | None, write: Formatter, figures: Figures, strong: bool = False) -> Row:
    if estimate is None:
        return _unknown_row(key, write)
    span = write.range(estimate.p10, estimate.p90, write.speed_parts)
    return _row(estimate, write.speed(estimate.p50), span, figures, strong)


def _time_row(key: str, estimate: Estimate | None, write: Formatter, figures: Figures) -> Row:
    if estimate is None:
        return _unknown_row(key, write)
    span = write.range(estimate.p10, estimate.p90, write.seconds_parts)
    return _row(estimate, write.seconds(estimate.p50), span, figures, strong=False)


def _unknown_row(key: str, write: Formatter) -> Row:
    return Row((label(key), write.unknown(), EN_DASH, write.unknown(), ""))


def _row(estimate: Estimate, middle: str, span: str, figures: Figures, strong: bool) -> Row:
    return Row((label(estimate.key), middle, span, evidence(estimate.evidence), figures.number(estimate.key)), strong)


def _levels(sizing: Sizing) -> list[Evidence]:
    found = {one.evidence for one in sizing.estimates}
    found.add(Evidence.EXACT)
    return [level for level in Evidence if level in found]

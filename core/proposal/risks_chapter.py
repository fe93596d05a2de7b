"""Risks and limits with their numbers, what would change the answer, and who does what next."""

import datetime
from collections.abc import Iterator, Sequence

from core.language.cost_sentences import not_counted
from core.language.findings import finding_sentence, finding_title
from core.language.levers import lever_gain, lever_sentences, lever_title
from core.language.messages import gettext as _
from core.language.messages import ngettext
from core.language.numbers import Formatter
from core.language.sentences import evidence, evidence_meaning
from core.proposal.offer import Offer
from core.proposal.options import ProposalOptions
from core.proposal.values import Column, Page, Point, Risks, Row, Table
from core.sizing.report import FindingKind, Weight

MOST_CHANGES = 5
#: Notes that whoever sets the engine up has to act on; as warnings they stand with what speaks against the option.
SETTINGS = (FindingKind.STATE_BLOCKS,)
CORRECT_WITHIN = 7  # days in which the client corrects the page of the need


def risks(offer: Offer, options: ProposalOptions, write: Formatter) -> Risks:
    """The page of one option, the recommended one."""
    return Risks(
        page=Page(
            _("Risks, limits and next steps"),
            _("What we know of that may turn out otherwise, with its numbers, and what would change the answer."),
        ),
        heading=_("Risks and limits"),
        points=tuple(_points(offer, options, write)),
        change_heading=_("What would change the answer"),
        changes=_changes(offer),
        next_heading=_("Next steps"),
        next_steps=_next_steps(options, write),
        left_out=_left_out(offer),
    )


def _points(offer: Offer, options: ProposalOptions, write: Formatter) -> Iterator[Point]:
    sizing, cost = offer.sizing, offer.cost
    if sizing.decode is not None:
        text = _("Expect {range} per person ({evidence}). {meaning} Measure on site before acceptance.")
        span = write.range(sizing.decode.p10, sizing.decode.p90, write.speed_parts)
        level = sizing.decode.evidence
        said = text.format(range=span, evidence=evidence(level), meaning=evidence_meaning(level))
        yield Point(_("Speed is computed, not yet measured with you."), said)
    else:
        yield Point(_("How fast it writes is not known."), _("Have it measured before you order."))
    if sizing.fits:
        full = int(sizing.trace["max_concurrency"])
        text = ngettext(
            "There is room for {number} request of full length; the next one waits until it is done.",
            "There is room for {number} requests of full length; the next one waits until one is done.",
            full,
        )
        yield Point(_("More than that queue."), text.format(number=write.count(full)))
    else:
        text = _("{missing} of memory are missing; ordered like this it would not start.")
        yield Point(_("It does not hold the work."), text.format(missing=write.bytes(sizing.missing_bytes)))
    for finding in sizing.findings:
        if finding.kind in SETTINGS and finding.weight is Weight.NOTE:
            yield Point(f"{finding_title(finding.kind)}.", finding_sentence(finding, sizing))
    if cost is not None:
        dates = [line.quote.date for line in cost.lines if line.quote is not None and line.quote.date]
        if dates:
            text = _("They are from {dates}; have them quoted before you order.")
            span = " – ".join(write.partial_date(date) for date in _first_and_last(dates))
            yield Point(_("Prices are a snapshot."), text.format(dates=span))
        for line in cost.lines:
            if line.quote is not None and line.quote.before_rise:
                text = _("Their price is from before memory prices rose; expect more.")
                yield Point(_("Some prices are too low today."), text)
                break
    context = sizing.scenario.workload.context_tokens
    trained = sizing.blueprint.trained_context
    if trained and context >= trained:
        text = _("{tokens} tokens are as long as the model was trained for; answers at that length are less reliable.")
        yield Point(_("The longest texts are at the model’s limit."), text.format(tokens=write.count(trained)))


def _first_and_last(dates: Sequence[str]) -> tuple[str, ...]:
    """The ends of some dates, of which some may be months or years; one date where it holds the others.

    >>> _first_and_last(["2026-08", "2025-03-01", "2026-01"]), _first_and_last(["2026-08", "2026"])
    (('2025-03-01', '2026-08'), ('2026',))
    """
    first, last = min(dates), max(dates)
    return (first,) if last.startswith(first) else (first, last)


def _changes(offer: Offer) -> Table:
    rows = tuple(
        Row((lever_title(lever), lever_gain(lever), " ".join(lever_sentences(lever)[:1])))
        for lever in offer.levers[:MOST_CHANGES]
    )
    return Table(
        columns=(Column(_("Change"), width="1fr"), Column(_("Gain")), Column(_("What it means"), width="1.9fr")),
        rows=rows,
        summary=_("Changes that would help, with their gain."),
    )


def _next_steps(options: ProposalOptions, write: Formatter) -> Table:
    day = datetime.timedelta(days=1)
    until = options.date + CORRECT_WITHIN * day
    valid = options.date + options.validity_days * day if options.validity_days is not None else None
    you, we = _("you"), _("we")
    rows = (
        Row((you, _("correct what you asked for, and choose an option"), write.date(until))),
        Row(
            (
                we,
                _("have the prices quoted and the delivery confirmed"),
                write.date(valid) if valid else _("before the order"),
            )
        ),
        Row((we, _("install, measure against these pages, hand over"), _("after delivery"))),
    )
    return Table(
        columns=(Column(_("Who")), Column(_("What"), width="1fr"), Column(_("By"), "right")),
        rows=rows,
        summary=_("Who does what, and by when."),
    )


def _left_out(offer: Offer) -> str:
    fixed = _("Not included: rack space and cooling on site, moving data, training of people, value-added tax.")
    missing = offer.cost.not_counted if offer.cost else ()
    return " ".join([fixed, *(not_counted(reason) for reason in missing)])

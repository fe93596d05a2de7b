"""From sizings to the values of a proposal: frame, cover, the need, and the recommendation.

The first sizing is the one recommended, further ones are alternatives. Everything is written in the language of the
options; the language of the program is not touched.
"""

import hashlib
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from core import __version__
from core.errors import ProposalError
from core.language.messages import gettext as _
from core.language.messages import in_language, ngettext
from core.language.numbers import Formatter, current, formatter
from core.language.sentences import requests
from core.proposal.appendix import Figures, appendix
from core.proposal.colours import colours
from core.proposal.cost_chapter import costs
from core.proposal.letters import letter
from core.proposal.logo import logo_format
from core.proposal.memory_chapter import bars, memory
from core.proposal.need_chapter import need
from core.proposal.offer import Offer
from core.proposal.options import ProposalOptions, Section
from core.proposal.options_chapter import options as compared
from core.proposal.recommendation import hardware, recommendation
from core.proposal.risks_chapter import risks
from core.proposal.speed_chapter import speed
from core.proposal.values import Attachment, Cover, Frame, Party, Proposal
from core.scenario import Mode, Scenario
from core.sizing.report import Sizing, Verdict
from core.store.scenario_file import dump_scenario


def proposal(offers: Sequence[Offer], options: ProposalOptions) -> Proposal:
    """Compose a proposal. The same offers and options give the same values."""
    if not offers:
        raise ProposalError("A proposal needs at least one option.")
    offers = tuple(offers)
    with in_language(options.language):
        write = formatter(options.language)
        _compose(offers, options, write)  # the first time round, figures that are only shown enter the traces
        return _compose(offers, options, write)


def _compose(offers: tuple[Offer, ...], options: ProposalOptions, write: Formatter) -> Proposal:
    offer = offers[0]
    figures = Figures(offer, write, options.holds(Section.EVERYTHING))
    frame = _frame(offers, options)
    numbers = itertools.count(1)  # exhibits are numbered over the sections that are printed

    def number() -> int:
        return next(numbers)

    def of(section: Section) -> Callable[[], int]:
        return number if options.holds(section) else lambda: 0

    return Proposal(
        frame=frame,
        cover=_cover(offer, options, write, frame),
        need=need(offers, write),
        recommendation=recommendation(offers, write),
        memory=memory(offer.sizing, write, figures, of(Section.MEMORY)()),
        speed=speed(offer, write, figures, of(Section.SPEED)),
        options=compared(offers, write, of(Section.OPTIONS)),
        cost=costs(offers, write, figures, of(Section.COST)),
        risks=risks(offer, options, write),
        appendix=appendix(offer.sizing, write, figures),
        colours=colours(options.brand.primary, options.brand.accent),
        attachments=tuple(_attachments(offers)),
        logo=options.brand.logo,
    )


def _attachments(offers: Sequence[Offer]) -> Iterator[Attachment]:
    """The scenario of each option, as a file that Tonnage opens."""
    note = _("The scenario behind this proposal, to be opened with Tonnage")
    for number, one in enumerate(offers):
        name = "scenario.tonnage" if len(offers) == 1 else f"scenario-{letter(number)}.tonnage"
        said = note if len(offers) == 1 else f"{note} ({letter(number)})"
        yield Attachment(name, dump_scenario(one.scenario, one.records), said)


def document_id(offers: Sequence[Offer], options: ProposalOptions) -> str:
    """A short name for exactly these options on this day with this version, wherever the template lies."""
    said = [one.scenario.model_dump_json() for one in offers]
    text = f"{said}|{replace(options, template=None)!r}|{__version__}"
    return "T-" + hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:8].upper()


def _client(offer: Offer, options: ProposalOptions) -> str:
    return options.client or offer.scenario.client


def _title(offer: Offer, options: ProposalOptions) -> str:
    return options.title or written_title(offer.scenario)


def written_title(scenario: Scenario) -> str:
    """A title from the need, in the language in force."""
    users = scenario.workload.users
    if users == 1:
        return _("A language model of your own")
    text = ngettext(
        "A language model of your own, for {users} person", "A language model of your own, for {users} people", users
    )
    return text.format(users=current().count(users))


def mode_note(sizing: Sizing) -> str:
    """Words for a scenario that is simplified; empty for an ordinary one."""
    return _("Figures simplified as in the article") if sizing.scenario.mode is Mode.ARTICLE else ""


def _frame(offers: tuple[Offer, ...], options: ProposalOptions) -> Frame:
    offer = offers[0]
    client, title = _client(offer, options), _title(offer, options)
    made = options.brand.name or options.author or "Tonnage"
    foot = _("Document {id} · {date}").format(id=document_id(offers, options), date=options.date.isoformat())
    return Frame(
        language=options.language,
        region={"en": "gb", "de": "de", "fr": "fr"}[options.language],
        document_title=f"{client} – {title}" if client else title,
        author=options.author or options.brand.name or "Tonnage",
        head_left=client or title,
        head_right=made,
        foot=foot,
        page_of=_("{page} of {pages}"),
        mode=mode_note(offer.sizing),
        paper=options.paper.value,
        typeface=options.brand.typeface.value,
        logo=logo_format(options.brand.logo),
        sections=tuple(section.value for section in Section if options.holds(section)),
    )


def _cover(offer: Offer, options: ProposalOptions, write: Formatter, frame: Frame) -> Cover:
    client = _client(offer, options)
    by = tuple(line for line in (options.brand.name, options.author, options.brand.contact) if line) or ("Tonnage",)
    to = tuple(line for line in (client, options.recipient) if line)
    days = _valid_days(offer, options)
    held = (
        ngettext("valid for {days} day", "valid for {days} days", days).format(days=write.count(days)) if days else ""
    )
    parties = (
        *((Party(_("Prepared for"), to),) if to else ()),
        Party(_("Prepared by"), by),
        Party(_("Date and validity") if held else _("Date"), (write.date(options.date), *((held,) if held else ()))),
    )
    return Cover(
        brand=frame.head_right,
        kicker=_("Proposal for {client}").format(client=client) if client else _("Proposal"),
        title=_title(offer, options),
        summary=_summary(offer, write),
        caption=_cover_caption(offer.sizing, write),
        parties=parties,
        legal=_legal(options),
        mode=frame.mode,
    )


def _valid_days(offer: Offer, options: ProposalOptions) -> int:
    """For how long the proposal holds: as chosen, else as long as the prices do; 0 where nobody knows."""
    if options.validity_days is not None:
        return options.validity_days
    cost = offer.cost
    return int(cost.valid_days.value) if cost is not None and cost.valid_days.known and cost.capital.known else 0


def _legal(options: ProposalOptions) -> str:
    made = _("Figures computed with Tonnage {version}, method {method}.").format(
        version=__version__, method=options.method_version
    )
    if options.catalogue_version:
        made = _("Figures computed with Tonnage {version}, method {method}, catalogue of {catalogue}.").format(
            version=__version__, method=options.method_version, catalogue=options.catalogue_version
        )
    own = options.brand.legal.strip()
    if not own:
        return made
    return f"{own if own.endswith('.') else own + '.'} {made}"


def _summary(offer: Offer, write: Formatter) -> str:
    """The answer in three lines: what it carries, how fast, for how much."""
    sizing, cost = offer.sizing, offer.cost
    said = _carries(sizing, write)
    if cost is None or not cost.capital.known or not sizing.fits:
        return said
    price = write.money(cost.capital.value, cost.currency)
    return said + " " + _("It costs {price} to buy.").format(price=price)


def _carries(sizing: Sizing, write: Formatter) -> str:
    if sizing.verdict is Verdict.DOES_NOT_FIT:
        text = _(
            "{hardware} does not carry this work: {total} are needed for {requests} with up to {context} tokens, "
            "and {missing} of that are missing. The pages that follow say what would help."
        )
    elif sizing.decode is None:
        text = ngettext(
            "{hardware} holds {requests} at a time, with up to {context} tokens. How fast it writes is unknown: "
            "the catalogue has no computing rate for it.",
            "{hardware} holds {requests} at the same moment, each with up to {context} tokens. How fast it writes is "
            "unknown: the catalogue has no computing rate for it.",
            sizing.required_requests,
        )
    else:
        text = ngettext(
            "{hardware} answers {requests} at a time, with up to {context} tokens, "
            "and writes {speed} tokens per second.",
            "{hardware} answers {requests} at the same moment, each with up to {context} tokens, "
            "and writes {speed} tokens per second for every one of them.",
            sizing.required_requests,
        )
    return text.format(
        hardware=hardware(sizing),
        requests=requests(sizing.required_requests),
        context=write.count(sizing.scenario.workload.context_tokens),
        speed=write.speed_parts(sizing.decode.p50)[0] if sizing.decode else write.unknown(),
        total=write.bytes(sizing.trace["memory.total_bytes"]),
        missing=write.bytes(sizing.missing_bytes),
    )


def _cover_caption(sizing: Sizing, write: Formatter) -> str:
    bar = bars(sizing, write)[0]
    return _("What has to fit into {memory}: slate is fixed, blue grows with use. The line is the limit.").format(
        memory=bar.name
    )

"""From sizings to the values of a proposal: frame, cover, the need, and the recommendation.

The first sizing is the one recommended, further ones are alternatives. Everything is written in the language of the
options; the language of the program is not touched.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence

from core import __version__
from core.errors import ProposalError
from core.language.messages import gettext as _
from core.language.messages import in_language, ngettext
from core.language.numbers import Formatter, current, formatter
from core.language.sentences import companion_role, device_with_count, placement, requests
from core.proposal.appendix import Figures, appendix
from core.proposal.colours import colours
from core.proposal.letters import letter
from core.proposal.memory_chapter import bars, memory
from core.proposal.offer import Offer
from core.proposal.options import ProposalOptions, Section
from core.proposal.recommendation import hardware, recommendation
from core.proposal.speed_chapter import speed
from core.proposal.values import Attachment, Column, Cover, Frame, Need, Note, Page, Party, Proposal, Row, Table
from core.scenario import Mode, Scenario
from core.sizing.report import Sizing, Verdict
from core.store.scenario_file import dump_scenario
from core.units import Unit


def proposal(offers: Sequence[Offer], options: ProposalOptions) -> Proposal:
    """Compose a proposal. The same offers and options give the same values."""
    if not offers:
        raise ProposalError("A proposal needs at least one option.")
    sizings = [one.sizing for one in offers]
    sizing = sizings[0]
    with in_language(options.language):
        write = formatter(options.language)
        figures = Figures(sizing, write)
        frame = _frame(sizing, options, write)
        return Proposal(
            frame=frame,
            cover=_cover(sizing, options, write, frame),
            need=_need(sizing, write),
            recommendation=recommendation(sizings, write),
            memory=memory(sizing, write, figures),
            speed=speed(sizing, write, figures),
            appendix=appendix(sizing, write, figures),
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


def document_id(sizing: Sizing, options: ProposalOptions) -> str:
    """A short name for exactly this scenario on this day with this version."""
    text = f"{sizing.scenario.model_dump_json()}|{options!r}|{__version__}"
    return "T-" + hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:8].upper()


def _client(sizing: Sizing, options: ProposalOptions) -> str:
    return options.client or sizing.scenario.client


def _title(sizing: Sizing, options: ProposalOptions) -> str:
    return options.title or written_title(sizing.scenario)


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


def _frame(sizing: Sizing, options: ProposalOptions, write: Formatter) -> Frame:
    client, title = _client(sizing, options), _title(sizing, options)
    made = options.brand.name or options.author or "Tonnage"
    foot = _("Document {id} · {date}").format(id=document_id(sizing, options), date=options.date.isoformat())
    return Frame(
        language=options.language,
        region={"en": "gb", "de": "de", "fr": "fr"}[options.language],
        document_title=f"{client} – {title}" if client else title,
        author=options.author or options.brand.name or "Tonnage",
        head_left=client or title,
        head_right=made,
        foot=foot,
        page_of=_("{page} of {pages}"),
        mode=mode_note(sizing),
        paper=options.paper.value,
        sections=tuple(section.value for section in Section if options.holds(section)),
    )


def _cover(sizing: Sizing, options: ProposalOptions, write: Formatter, frame: Frame) -> Cover:
    client = _client(sizing, options)
    by = tuple(line for line in (options.brand.name, options.author, options.brand.contact) if line) or ("Tonnage",)
    parties = (
        *((Party(_("Prepared for"), (client,)),) if client else ()),
        Party(_("Prepared by"), by),
        Party(_("Date"), (write.date(options.date),)),
    )
    return Cover(
        brand=frame.head_right,
        kicker=_("Proposal for {client}").format(client=client) if client else _("Proposal"),
        title=_title(sizing, options),
        summary=_summary(sizing, write),
        caption=_cover_caption(sizing, write),
        parties=parties,
        legal=_legal(options),
        mode=frame.mode,
    )


def _legal(options: ProposalOptions) -> str:
    made = _("Figures computed with Tonnage {version}, method {method}.").format(
        version=__version__, method=options.method_version
    )
    if options.catalogue_version:
        made = _("Figures computed with Tonnage {version}, method {method}, catalogue of {catalogue}.").format(
            version=__version__, method=options.method_version, catalogue=options.catalogue_version
        )
    return " ".join(part for part in (options.brand.legal, made) if part)


def _summary(sizing: Sizing, write: Formatter) -> str:
    """The answer in three lines."""
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
        missing=write.bytes(sizing.shortfall_bytes),
    )


def _cover_caption(sizing: Sizing, write: Formatter) -> str:
    bar = bars(sizing, write)[0]
    return _("What has to fit into {memory}: slate is fixed, blue grows with use. The line is the limit.").format(
        memory=bar.name
    )


def _need(sizing: Sizing, write: Formatter) -> Need:
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
            rows=tuple(_need_rows(sizing, write)),
            summary=_("The need: what was asked for, its value, and where it comes from."),
        ),
        model_heading=_("The model"),
        model=_model(sizing, write),
        correct=Note(
            _("Please correct what is wrong here."),
            _("A change of any figure gives you a new proposal within minutes."),
        ),
        answers_heading=_("What the next pages answer"),
        question_heading=_("Question"),
        answer_heading=_("Short answer"),
        page_heading=_("Page"),
        answers=(
            (_("What should we buy?"), _answer_buy(sizing), "recommendation"),
            (_("Does it fit?"), _answer_fit(sizing, write), "memory"),
            (_("Is it fast enough?"), _answer_speed(sizing, write), "speed"),
            (_("Can we check it?"), _("yes, every number with its formula and source"), "formulas"),
        ),
    )


def _need_rows(sizing: Sizing, write: Formatter) -> list[Row]:
    work = sizing.scenario.workload
    yours, computed = _("your figure"), _("computed from the two lines above")
    rows = [Row((_("People with access"), write.count(work.users), yours))]
    if work.requests_at_once is None:
        rows.append(Row((_("Active at the same moment"), write.share(work.active_share), yours)))
        rows.append(Row((_("Requests at once"), write.count(sizing.required_requests), computed)))
    else:
        rows.append(Row((_("Requests at once"), write.count(sizing.required_requests), yours)))
    prompt = work.prompt_tokens
    rows.append(
        Row((_("Question with its documents"), _tokens(prompt, write), yours))
        if prompt is not None
        else Row(
            (
                _("Question with its documents"),
                _tokens(work.context_tokens - work.output_tokens, write),
                _("our assumption: it fills the context"),
            )
        )
    )
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


def _answer_buy(sizing: Sizing) -> str:
    if sizing.verdict is Verdict.DOES_NOT_FIT:
        return _("not {hardware}: it does not carry this work").format(hardware=hardware(sizing))
    return device_with_count(sizing.device.name, sizing.scenario.deployment.count)


def _answer_fit(sizing: Sizing, write: Formatter) -> str:
    if sizing.verdict is Verdict.DOES_NOT_FIT:
        return _("no, {missing} are missing").format(missing=write.bytes(sizing.shortfall_bytes))
    free = write.figure(sizing.trace["memory.free_bytes"], Unit.BYTE)
    if sizing.verdict is Verdict.CLOSE:
        return _("just: {free} stay free").format(free=free)
    return _("yes, {free} stay free").format(free=free)


def _answer_speed(sizing: Sizing, write: Formatter) -> str:
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

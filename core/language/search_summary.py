"""A search as plain text, for the command line: the answer, the ranked list, reasons, and what was ruled out."""

from collections.abc import Iterator

from core.catalogue.catalogue import Catalogue
from core.language import search_sentences as words
from core.language.messages import gettext as _
from core.language.numbers import current
from core.language.sentences import device_with_count
from core.sizing.search.explain import explain, sized_miss
from core.sizing.search.models import ModelAnswer, ModelsFound
from core.sizing.search.report import Answer, HardwareFound

MISSES = 8


def hardware_summary(found: HardwareFound, catalogue: Catalogue, seconds: float, everything: bool = False) -> str:
    """The whole answer as lines of text, in the language in force; `everything` lists every number of a device."""
    answers = found.answers if everything else found.best_of_each
    parts = [
        [words.headline(found), words.searched(found, seconds), words.cost_basis(found)],
        [*_heading(found), *map(_row, answers)] if answers else [],
        list(_unknown(found)),
        list(_why(found, catalogue)),
        list(_misses(found, catalogue)),
    ]
    return "\n\n".join("\n".join(lines) for lines in parts if lines) + "\n"


def _heading(found: HardwareFound) -> list[str]:
    cost = _("Per year") if found.need.tokens is None else _("Per M tokens")
    return [_line(_("Option"), _("Speed"), _("First token"), _("Requests"), _("Power"), _("Price"), cost, "")]


def _row(answer: Answer) -> str:
    write, found = current(), answer.evaluation
    facts, speed, first = found.supply, found.speed or (0, 0, 0), found.ttft or (0, 0, 0)
    return _line(
        words.option(answer),
        write.speed(speed[1]),
        write.seconds(first[1]),
        write.count(found.requests_that_fit),
        write.unknown() if facts.busy_w is None else write.power(facts.busy_w),
        write.unknown() if facts.price is None else write.money(facts.price, facts.currency),
        words.running_cost(found),
        "\u25c7" if answer.best_for_its_price else words.facts(answer.unknown),
    )


def _line(name: str, *values: str) -> str:
    return f"  {name:<58} " + " ".join(f"{value:>12}" for value in values[:-1]) + f"  {values[-1]}".rstrip()


def _unknown(found: HardwareFound) -> Iterator[str]:
    if found.unknown:
        yield _("Meets what is known, but a fact is missing:")
        yield from map(_row, found.unknown)


def _why(found: HardwareFound, catalogue: Catalogue) -> Iterator[str]:
    best = found.best or (found.unknown[0] if found.unknown else None)
    if best is None:
        return
    why = explain(found, best, catalogue)
    yield _("Why {option}").format(option=words.option(best))
    yield from (f"  + {words.reason(one)}" for one in why.reasons)
    yield from (f"  - {words.reason(one)}" for one in why.against)
    if why.before_runner_up is not None:
        yield f"  > {words.reason(why.before_runner_up)}"
    if why.capacity is not None:
        yield f"  = {words.carries(why.capacity)}"
    yield from (f"  = {words.safety(one)}" for one in why.safety)


def _misses(found: HardwareFound, catalogue: Catalogue) -> Iterator[str]:
    misses = found.nearest_misses
    if misses:
        yield _("Ruled out, the nearest misses first:")
    for miss in misses[:MISSES]:
        exact = sized_miss(found.request, miss, catalogue)
        yield f"  {words.miss_name(exact)} {words.ruled_out(exact, found)}"


def models_summary(found: ModelsFound, catalogue: Catalogue, seconds: float) -> str:
    """What the hardware runs, as lines of text, in the language in force."""
    deployment = found.request.scenario.deployment
    device = catalogue.device(deployment.device)
    hardware = device_with_count(device.called, deployment.count * deployment.nodes)
    parts = [
        [words.models_headline(found, hardware), words.models_searched(found, seconds)],
        [_model_heading(), *map(_model_row, found.answers)] if found.answers else [],
    ]
    nearest = [f"  {miss.model.name} {words.model_ruled_out(miss)}" for miss in found.ruled_out[:MISSES]]
    if nearest:
        parts.append([_("Ruled out, the nearest misses first:"), *nearest])
    return "\n\n".join("\n".join(lines) for lines in parts if lines) + "\n"


def _model_heading() -> str:
    return _line(_("Model"), _("Weights"), _("Cache"), _("Context"), _("Requests"), _("Speed"), _("First token"), "")


def _model_row(answer: ModelAnswer) -> str:
    write = current()
    return _line(
        answer.model.name,
        answer.weights,
        answer.kv_format,
        write.tokens(answer.context_tokens),
        write.count(answer.requests),
        write.speed(answer.speed[1]),
        write.seconds(answer.ttft[1]),
        words.format_note(answer),
    )

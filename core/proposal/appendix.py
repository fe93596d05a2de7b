"""The appendix: every figure that the proposal shows, line by line down to the numbers that were given."""

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from functools import cache

from core.language.figures import label
from core.language.formulas import in_words, with_numbers
from core.language.messages import gettext as _
from core.language.messages import marked
from core.language.numbers import NBSP, Formatter
from core.language.sentences import confidence, origin, source_title
from core.proposal.glossary import glossary
from core.proposal.layers import layers
from core.proposal.offer import Offer
from core.proposal.values import Appendix, AppendixChapter, AppendixFigure, AppendixInput, AppendixSource, Page
from core.sizing.report import KEYS, Sizing
from core.sizing.shown import sums_of_device
from core.trace import Computed, Given, Origin, OriginKind

#: Chapters of the appendix, by what a key begins with; a figure stands in the first that fits.
_CHAPTERS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (marked("Ranges"), ("spread", "range")),
    (
        marked("For comparison"),
        ("textbook", "article", "checkpoint", "price", "memory_to_link", "change", "before", "difference"),
    ),
    (
        marked("Cost, energy and alternatives"),
        ("cost", "power", "energy", "carbon", "exchange", "hosted", "cloud", "finance"),
    ),
    (marked("Requests"), ("workload", "requests", "plan", "accelerator.requests", "demand", "capacity")),
    (
        marked("Weights and companions"),
        ("weights", "model", "companion", "memory_item.weights", "memory_item.embedding", "memory_item.reranker"),
    ),
    (marked("Cache and state"), ("kv", "state", "memory_item.kv", "memory_item.state", "accelerator.kv_bytes_per")),
    (
        marked("Memory"),
        (
            "memory",
            "accelerator",
            "other_",
            "runtime",
            "engine",
            "tier",
            "use",
            "lower",
            "spill",
            "max_",
            "context",
            "device",
        ),
    ),
    (
        marked("What the hardware reaches"),
        ("bandwidth", "rate", "efficiency", "ridge", "compute_s", "flops", "matr", "read_"),
    ),
    (marked("Time of the prompt"), ("prefill", "prompt")),
    (marked("All requests together"), ("serving", "saturated", "output", "ttft", "tpot")),
    (marked("Time per token"), ("",)),
)
_ORDER = (3, 4, 5, 6, 7, 10, 8, 9, 0, 2, 1)  # in which they are printed


class Figures:
    """The figures of the appendix, numbered A1, A2, ... chapter by chapter.

    printed     those of the pages and the main ones of the sizing (`core.sizing.report.KEYS`), with formulas in words
    everything  all others of the trace and whatever they come from, which few need on paper
    """

    def __init__(self, offer: Offer, write: Formatter, everything: bool = False) -> None:
        for use in offer.sizing.devices:
            sums_of_device(offer.sizing.trace, use)
        self.trace = trace = offer.trace
        self.write = write
        printed = [key for key in trace if key in _printed(offer) and _is_figure(trace[key])]
        self.printed = self._computed(printed)
        self.told = frozenset(self.printed)
        rest = self._computed(trace) if everything else []
        self.everything = [key for key in rest if key not in self.told]
        self.given = self._given(everything)
        numbered = [*self.printed, *self.everything]
        self._numbers = {key: f"A{position}" for position, key in enumerate(numbered, start=1)}

    def _computed(self, keys: Iterable[str]) -> list[str]:
        found = [key for key in keys if isinstance(self.trace.entry(key), Computed) and _is_figure(self.trace[key])]
        return sorted(found, key=lambda key: _ORDER.index(_chapter(key)))

    def _given(self, everything: bool) -> list[Given]:
        """The inputs of the formulas that are printed; with everything, all."""
        wanted: set[str] = set()
        for key in self.printed:
            entry = self.trace.entry(key)
            if isinstance(entry, Computed):
                for at in entry.inputs.values():
                    wanted |= {at} if isinstance(at, str) else set(at)
        entries = (self.trace.entry(key) for key in self.trace if everything or key in wanted)
        return [entry for entry in entries if isinstance(entry, Given) and _is_figure(entry.value)]

    def number(self, key: str) -> str:
        """ "A7" for a computed figure of the appendix, else empty."""
        return self._numbers.get(key, "")

    def citation(self, *keys: str) -> str:
        """A source line: "Formulas A3, A7 and A9 of the appendix"."""
        numbers = [number for key, number in self._numbers.items() if key in keys]
        if not numbers:
            return ""
        return _("Formulas in the appendix: {numbers}. Sources of their inputs behind them.").format(
            numbers=", ".join(numbers)
        )

    def found(self, key: str) -> str:
        """How a figure was found, in a table cell: its formula's number, or its source."""
        if key in self._numbers:
            return _("formula {number}").format(number=self._numbers[key])
        entry = self.trace.entry(key) if key in self.trace else None
        return source_title(entry.origin) if isinstance(entry, Given) else ""


def _is_figure(value: object) -> bool:
    return isinstance(value, int | float | Decimal | str)


def _printed(offer: Offer) -> frozenset[str]:
    """Figures that the pages print or draw, and those that every sizing has."""
    sizing = offer.sizing
    keys = [*KEYS, "tpot_s", "answer_s"]
    keys += [item.key for use in sizing.devices for tier in use.tiers for item in tier.items]
    keys += [part.key for part in sizing.step]
    for estimate in sizing.estimates:
        keys += [estimate.key, f"{estimate.key}.p10", f"{estimate.key}.p90"]
    cost = offer.cost
    if cost is not None:
        amounts = [cost.capital, cost.yearly, cost.total, cost.per_million, cost.per_million_full, cost.energy]
        amounts += [item.amount for item in cost.running]
        keys += [amount.key for amount in amounts]
        keys += ["cost.installation", "cost.per_user_month", "power.busy_w"]
        keys += ["demand.tokens_per_year", "demand.requests_per_year", "demand.busy_share"]
    return frozenset(keys)


def appendix(sizing: Sizing, write: Formatter, figures: Figures) -> Appendix:
    given = figures.given
    sources = _sources(given)
    return Appendix(
        page=Page(
            _("Appendix A: every number, line by line"),
            _("So that you can check us: each formula in words, then with your numbers put in."),
        ),
        chapters=tuple(_chapters(figures, figures.printed, write)),
        everything_page=Page(
            _("Every further figure"),
            _("All that the sizing computed on its way, for those who follow it step by step."),
        ),
        everything=tuple(_chapters(figures, figures.everything, write)),
        layers_heading=_("The layers of the model"),
        layers=layers(sizing.blueprint, write),
        inputs_page=Page(
            _("Appendix B: inputs and their sources"), _("What was not computed but found, counted or chosen.")
        ),
        headings=(_("Inputs"),),
        inputs_note=_(
            "Value and number of the source below; – stands for your own choice or a constant of the method."
        ),
        inputs=tuple(_input(entry, write, sources) for entry in given),
        sources_heading=_("Sources"),
        source_headings=(_("No."), _("Source"), _("Date"), _("Confidence")),
        sources=tuple(sources.values()),
        glossary_heading=_("Words"),
        glossary=glossary(),
    )


@cache
def _chapter(key: str) -> int:
    """The chapter in which a figure stands."""
    if key.endswith((".p10", ".p90")):
        return 0
    return next(index for index, (_title, starts) in enumerate(_CHAPTERS) if key.startswith(starts))


def _chapters(figures: Figures, keys: list[str], write: Formatter) -> Iterator[AppendixChapter]:
    told: set[object] = set()
    for index in _ORDER:
        members = [key for key in keys if _chapter(key) == index]
        if members:
            yield AppendixChapter(_(_CHAPTERS[index][0]), tuple(_figure(figures, key, write, told) for key in members))


def _figure(figures: Figures, key: str, write: Formatter, told: set[object]) -> AppendixFigure:
    """A figure with its formula; in a long list the words stand once for each formula."""
    entry = figures.trace.entry(key)
    formula = entry.function if isinstance(entry, Computed) else None
    tells = key in figures.told or formula not in told
    told.add(formula)
    value, full = write.figure(entry.value, entry.unit), write.value(entry.value, entry.unit)
    numbers = with_numbers(figures.trace, key, write)
    return AppendixFigure(
        number=figures.number(key),
        name=label(key),
        value=value,
        words=in_words(figures.trace, key) if tells else "",
        numbers=_equals(numbers, full),
    )


def _equals(numbers: str, full: str) -> str:
    """The formula with numbers and its result; where the formula is but one number, the result alone."""
    return full if full.partition(NBSP)[0] == numbers else f"{numbers} = {full}"


Cited = tuple[str, str, str, str]


def _sources(given: Iterable[Given]) -> dict[Cited, AppendixSource]:
    """The sources of the inputs, each once, numbered S1, S2, ... in the order of their first use."""
    found: dict[Cited, AppendixSource] = {}
    for entry in given:
        cited = _cited(entry.origin)
        if cited[0] and cited not in found:
            title, address, date, sure = cited
            safe = address if address.startswith(("https://", "http://")) else ""
            found[cited] = AppendixSource(f"S{len(found) + 1}", title, safe, date, confidence(sure) if sure else "")
    return found


def _cited(known: Origin) -> Cited:
    title = known.title
    if title:
        title = title.partition(": ")[0] if known.kind is OriginKind.CALIBRATION else source_title(known)
    return title, known.address, known.date, known.confidence


def _input(entry: Given, write: Formatter, sources: dict[Cited, AppendixSource]) -> AppendixInput:
    known = entry.origin
    source = sources.get(_cited(known))
    return AppendixInput(
        name=label(entry.key),
        value=write.value(entry.value, entry.unit),
        kind=origin(known.kind),
        source=source.number if source else "",
        detail=_made_up(known, write),
    )


def _made_up(known: Origin, write: Formatter) -> str:
    """How a fitted number is composed of a base and factors, "0.85 × 1.12 (serving)"; empty where it stands alone."""
    if known.kind is not OriginKind.CALIBRATION or " × " not in known.title:
        return ""
    text = known.title.rpartition(" = ")[2]
    return re.sub(r"(?<![\w.-])\d+\.?\d*(?:e-?\d+)?(?![\w-])", lambda found: write.number(float(found[0])), text)

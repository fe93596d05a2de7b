"""The appendix: every figure that the proposal shows, line by line down to the numbers that were given."""

import re
from collections.abc import Iterable, Iterator

from core.language.figures import label
from core.language.formulas import in_words, with_numbers
from core.language.messages import gettext as _
from core.language.messages import marked
from core.language.numbers import Formatter
from core.language.sentences import confidence, origin
from core.proposal.values import Appendix, AppendixChapter, AppendixFigure, AppendixInput, AppendixSource, Page, Point
from core.sizing.report import Sizing
from core.sizing.shown import sums_of_device
from core.trace import Computed, Given, Origin, OriginKind, Trace

#: Figures that the pages print or draw; the appendix holds these and whatever they come from.
SHOWN = (
    "model.total_parameters",
    "model.active_parameters",
    "requests_at_once",
    "kv_bytes_per_token",
    "kv_bytes_per_request",
    "state_bytes_per_request",
    "memory.fixed_bytes",
    "memory.total_bytes",
    "memory.limit_bytes",
    "memory.capacity_bytes",
    "memory.free_bytes",
    "memory.free_for_kv_bytes",
    "max_context_tokens",
    "max_concurrency",
    "memory_bandwidth_bytes_per_s",
    "decode_step_s",
    "decode_tok_s.ceiling",
)
#: Chapters of the appendix, by what a key begins with; a figure stands in the first that fits.
_CHAPTERS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (marked("Ranges"), ("spread", "range")),
    (marked("For comparison"), ("textbook", "article", "checkpoint", "price", "memory_to_link")),
    (marked("Requests"), ("workload", "requests", "plan", "accelerator.requests")),
    (
        marked("Weights and companions"),
        ("weights", "model", "companion", "memory_item.weights", "memory_item.embedding", "memory_item.reranker"),
    ),
    (marked("Cache and state"), ("kv", "state", "memory_item.kv", "memory_item.state", "accelerator.kv_bytes_per")),
    (
        marked("Memory"),
        ("memory", "accelerator", "other_", "tier", "use", "lower", "spill", "max_", "context", "device"),
    ),
    (
        marked("What the hardware reaches"),
        ("bandwidth", "rate", "efficiency", "ridge", "compute_s", "flops", "matr", "read_"),
    ),
    (marked("Time of the prompt"), ("prefill", "prompt")),
    (marked("All requests together"), ("serving", "saturated", "output", "ttft", "tpot")),
    (marked("Time per token"), ("",)),
)
_ORDER = (2, 3, 4, 5, 6, 9, 7, 8, 0, 1)  # in which they are printed


class Figures:
    """The figures of the appendix, numbered A1, A2, ... in the order in which they were found."""

    def __init__(self, sizing: Sizing, write: Formatter) -> None:
        self.trace = sizing.trace
        self.write = write
        self.keys = _with_inputs(sizing.trace, _shown(sizing))
        computed = [key for key in self.keys if isinstance(sizing.trace.entry(key), Computed)]
        computed.sort(key=lambda key: _ORDER.index(_chapter(key)))
        self._numbers = {key: f"A{position}" for position, key in enumerate(computed, start=1)}

    def number(self, key: str) -> str:
        """ "A7" for a computed figure of the appendix, else empty."""
        return self._numbers.get(key, "")

    def numbered(self) -> list[tuple[str, str]]:
        return [(key, number) for key, number in self._numbers.items()]

    def citation(self, *keys: str) -> str:
        """A source line: "Formulas A3, A7 and A9 of the appendix"."""
        numbers = [number for key, number in self._numbers.items() if key in keys]
        return _("Formulas in the appendix: {numbers}. Sources of their inputs behind them.").format(
            numbers=", ".join(numbers)
        )

    def found(self, key: str) -> str:
        """How a figure was found, in a table cell: its formula's number, or its source."""
        if key in self._numbers:
            return _("formula {number}").format(number=self._numbers[key])
        entry = self.trace.entry(key) if key in self.trace else None
        return (entry.origin.title or origin(entry.origin.kind)) if isinstance(entry, Given) else ""


def appendix(sizing: Sizing, write: Formatter, figures: Figures) -> Appendix:
    given = [entry for entry in (sizing.trace.entry(key) for key in figures.keys) if isinstance(entry, Given)]
    sources = _sources(given)
    return Appendix(
        page=Page(
            _("Appendix A: every number, line by line"),
            _("So that you can check us: each formula in words, then with your numbers put in."),
        ),
        chapters=tuple(_chapters(sizing.trace, figures, write)),
        inputs_page=Page(
            _("Appendix B: inputs and their sources"), _("What was not computed but found, counted or chosen.")
        ),
        headings=(_("Input"), _("Value"), _("Source")),
        inputs=tuple(_input(entry, write, sources) for entry in given),
        sources_heading=_("Sources"),
        source_headings=("", _("Source"), _("Date"), _("Confidence")),
        sources=tuple(sources.values()),
        glossary_heading=_("Words"),
        glossary=tuple(_glossary()),
    )


def _chapter(key: str) -> int:
    """The chapter in which a figure stands."""
    if key.endswith((".p10", ".p90")):
        return 0
    return next(index for index, (_title, starts) in enumerate(_CHAPTERS) if key.startswith(starts))


def _chapters(trace: Trace, figures: Figures, write: Formatter) -> Iterator[AppendixChapter]:
    for index in _ORDER:
        members = [(key, number) for key, number in figures.numbered() if _chapter(key) == index]
        if members:
            written = tuple(_figure(trace, key, number, write) for key, number in members)
            yield AppendixChapter(_(_CHAPTERS[index][0]), written)


def _shown(sizing: Sizing) -> list[str]:
    keys = [key for key in SHOWN if key in sizing.trace]
    tiers = [tier for use in sizing.devices for tier in use.tiers]
    keys += [item.key for tier in tiers for item in tier.items]
    keys += [key for tier in tiers for key in (tier.capacity_key, tier.usable_key, tier.limit_key)]
    keys += [key for use in sizing.devices for key in sums_of_device(sizing.trace, use)]
    keys += [part.key for part in sizing.step]
    keys += ["tpot_s"]
    for estimate in sizing.estimates:
        keys += [estimate.key, f"{estimate.key}.p10", f"{estimate.key}.p90"]
    keys += [key for finding in sizing.findings for key in finding.figures]
    return [key for key in keys if key in sizing.trace]


def _with_inputs(trace: Trace, keys: Iterable[str]) -> list[str]:
    """The figures and everything that they come from, in the order of the trace."""
    wanted: set[str] = set()
    waiting = list(keys)
    while waiting:
        key = waiting.pop()
        if key in wanted:
            continue
        wanted.add(key)
        entry = trace.entry(key)
        if isinstance(entry, Computed):
            for at in entry.inputs.values():
                waiting.extend([at] if isinstance(at, str) else at)
    return [key for key in trace if key in wanted]


def _figure(trace: Trace, key: str, number: str, write: Formatter) -> AppendixFigure:
    entry = trace.entry(key)
    shown, full = write.figure(entry.value, entry.unit), write.value(entry.value, entry.unit)
    numbers = with_numbers(trace, key, write)
    return AppendixFigure(
        number=number,
        name=label(key),
        value=shown,
        words=in_words(trace, key),
        numbers=numbers if full == numbers else f"{numbers} = {full}",
    )


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
    title = known.title.partition(": ")[0] if known.kind is OriginKind.CALIBRATION else known.title
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


def _glossary() -> list[Point]:
    words = [
        (_("Token"), _("a piece of a word, the unit in which a model reads and writes.")),
        (_("Cache (KV cache)"), _("what the model keeps of the text so far, for each request.")),
        (_("Context"), _("the text that one request may hold, question and answer together.")),
        ("P10, P50, P90", _("one case in ten, half of the cases, nine cases in ten lie below.")),
        ("GB, GiB", _("10⁹ and 2³⁰ bytes.")),
    ]
    return [Point(_("{word}:").format(word=word), meaning) for word, meaning in words]

"""The explanation of one figure: value, certainty, formula, inputs with sources, and where it goes. No window in it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from core.catalogue.records import Confidence
from core.language import figures, formulas, sentences
from core.language.findings import finding_sentence
from core.language.layers import ABOUT_LAYERS, layer_lines
from core.language.messages import gettext as _
from core.language.numbers import Formatter
from core.sizing.report import Evidence, FindingKind, Sizing
from core.trace import Computed, Given, Origin, OriginKind
from core.units import Unit

_RULES_OF_THUMB = (FindingKind.TEXTBOOK_KV, FindingKind.TEXTBOOK_WEIGHTS, FindingKind.CHECKPOINT_JUST_MISSES)
_PRICED = ("cost.", "hosted.", "cloud.", "energy.", "carbon.", "demand.", "power.")
_DOUBTFUL = (Confidence.ESTIMATE, Confidence.UNVERIFIED, Confidence.PARTLY)


@dataclass(frozen=True, slots=True)
class FigureLine:
    """A figure in a list: an input, or one that this one goes into."""

    key: str
    name: str
    value: str
    source: str


@dataclass(frozen=True, slots=True)
class Explanation:
    key: str
    name: str
    value: str
    certainty: str
    is_exact: bool
    steps: tuple[str, ...]  # in words, with numbers, the result in full, the result as shown
    inputs: tuple[FigureLine, ...]
    uses: tuple[FigureLine, ...]
    notes: tuple[str, ...]

    @property
    def text(self) -> str:
        """All of it as plain text, to be pasted into a message."""
        lines = [f"{self.name}: {self.value}", self.certainty, ""]
        lines += [f"  = {step}" for step in self.steps]
        if self.inputs:
            lines += ["", _("Inputs")]
            lines += [f"  {one.name}: {one.value} ({one.source})" for one in self.inputs]
        if self.uses:
            lines += ["", _("Where it goes")]
            lines += [f"  {one.name}: {one.value}" for one in self.uses]
        for note in self.notes:
            lines += ["", note]
        return "\n".join(lines) + "\n"


def explain(sizing: Sizing, key: str, write: Formatter) -> Explanation:
    """How a figure of the sizing was found."""
    trace = sizing.trace
    certainty, is_exact = how_sure(sizing, key)
    return Explanation(
        key,
        figures.label(key),
        written(sizing, key, write),
        certainty,
        is_exact,
        tuple(_steps(sizing, key, write)),
        tuple(_line(sizing, one, write) for one in _inputs(sizing, key)),
        tuple(_line(sizing, one, write) for one in trace.used_by(key)),
        tuple(_notes(sizing, key, write)),
    )


def _notes(sizing: Sizing, key: str, write: Formatter) -> Iterator[str]:
    """Why a rule of thumb says otherwise; and which layers keep what, where a figure is about that."""
    for finding in sizing.findings:
        if finding.kind in _RULES_OF_THUMB and key in finding.figures:
            yield finding_sentence(finding, sizing)
    if key in ABOUT_LAYERS:
        yield from layer_lines(sizing, write)


def _steps(sizing: Sizing, key: str, write: Formatter) -> Iterator[str]:
    entry = sizing.trace.entry(key)
    if isinstance(entry, Computed):
        yield formulas.in_words(sizing.trace, key)
        yield formulas.with_numbers(sizing.trace, key, write)
    full, shown = write.value(entry.value, entry.unit), written(sizing, key, write)
    yield full
    if entry.unit is Unit.BYTE and abs(entry.value) >= 1024:
        yield write.bytes_both(entry.value)
    elif shown != full:
        yield shown


def _inputs(sizing: Sizing, key: str) -> list[str]:
    """The keys that go into a figure, each once."""
    entry = sizing.trace.entry(key)
    if not isinstance(entry, Computed):
        return []
    keys = (one for at in entry.inputs.values() for one in ([at] if isinstance(at, str) else at))
    return list(dict.fromkeys(keys))


def _line(sizing: Sizing, key: str, write: Formatter) -> FigureLine:
    entry = sizing.trace.entry(key)
    source = _("computed, see there") if isinstance(entry, Computed) else source_text(entry.origin)
    return FigureLine(key, figures.label(key), written(sizing, key, write), source)


#: Amounts that are not in the currency of the offer: as they were quoted, and the rates between currencies.
_AS_QUOTED = re.compile(r"^exchange\.|\.quoted(\.|$)|^hosted\.\d+\.(input|output|cached)$")


def written(sizing: Sizing, key: str, write: Formatter) -> str:
    """The value of a figure as it is shown; money with the currency of the offer."""
    entry = sizing.trace.entry(key)
    if entry.unit is Unit.MONEY and entry.value is not None and not _AS_QUOTED.search(key):
        return write.money(entry.value, sizing.scenario.economics.currency)
    return write.figure(entry.value, entry.unit)


def source_text(origin: Origin) -> str:
    """The source of a given number: title, date, and how well it is supported."""
    kind = sentences.origin(origin.kind)
    parts = [sentences.source_title(origin)]
    if origin.title and origin.kind is OriginKind.CHOICE:
        parts.append(kind)
    if origin.date:
        parts.append(origin.date)
    if origin.confidence:
        parts.append(sentences.confidence(origin.confidence))
    return ", ".join(parts)


def roots(sizing: Sizing, key: str) -> dict[str, Given]:
    """The given numbers that a figure rests on."""
    found: dict[str, Given] = {}
    seen: set[str] = set()
    waiting = [key]
    while waiting:
        one = waiting.pop()
        if one in seen:
            continue
        seen.add(one)
        entry = sizing.trace.entry(one)
        if isinstance(entry, Given):
            found[one] = entry
        else:
            waiting += _inputs(sizing, one)
    return found


def how_sure(sizing: Sizing, key: str) -> tuple[str, bool]:
    """How sure a figure is, in a sentence, and whether it is exact."""
    entry = sizing.trace.entry(key)
    if isinstance(entry, Given):
        text = _("Given: {source}.").format(source=source_text(entry.origin))
        return text, entry.origin.kind is not OriginKind.CALIBRATION
    base = roots(sizing, key)
    if any(root.origin.kind is OriginKind.CALIBRATION for root in base.values()):
        if key.startswith(_PRICED):  # a price is less certain than any speed
            return _doubt(base) or _("It rests on measured speeds and on prices with their dates."), False
        level = evidence_of(sizing, key)
        return f"{sentences.evidence(level).capitalize()}. {sentences.evidence_meaning(level)}", False
    exact = f"{sentences.evidence(Evidence.EXACT).capitalize()}. {sentences.evidence_meaning(Evidence.EXACT)}"
    return f"{exact} {_doubt(base)}".strip(), True


def _doubt(base: dict[str, Given]) -> str:
    """The first input that rests on an estimate or on one source only; empty where there is none."""
    for name, root in base.items():
        if root.origin.confidence in _DOUBTFUL:
            return _("Least certain input: {figure}, {confidence}.").format(
                figure=figures.label(name), confidence=sentences.confidence(root.origin.confidence)
            )
    return ""


def evidence_of(sizing: Sizing, key: str) -> Evidence:
    """The evidence of the speed that a figure belongs to."""
    for estimate in sizing.estimates:
        if key in (estimate.key, f"{estimate.key}.p10", f"{estimate.key}.p90"):
            return estimate.evidence
    nearest = sizing.ttft if key.startswith(("ttft", "prefill")) else sizing.decode
    return nearest.evidence if nearest else Evidence.GENERIC

"""What a sizing says in words: the verdict, what follows from it, and the names of the enums.

Sizing returns enums and numbers only; every sentence that window, command line and proposal have in common is made
here, in the language in force (`core.language.messages`).
"""

from collections.abc import Iterable

from core.architecture.blueprint import NoteKind
from core.architecture.notes import SENTENCES as NOTES
from core.catalogue.records import Confidence
from core.errors import Phrase, TonnageError, reason_of
from core.language.messages import gettext as _
from core.language.messages import marked, ngettext, pgettext
from core.language.numbers import current
from core.scenario import CompanionRole, Mode, Placement
from core.sizing.report import Cause, Evidence, Limit, MemoryKind, Sizing, Verdict
from core.sizing.standing import Standing, standing
from core.trace import Origin, OriginKind

_VERDICTS = {
    Verdict.FITS: marked("Fits"),
    Verdict.CLOSE: marked("Just fits"),
    Verdict.DOES_NOT_FIT: marked("Does not fit"),
}

_STANDINGS = {
    Standing.FITS: marked("Fits"),
    Standing.CLOSE: marked("Just fits"),
    Standing.TOO_SLOW: marked("Fits, but too slow"),
    Standing.TOO_LATE: marked("Fits, but answers too late"),
    Standing.DOES_NOT_FIT: marked("Does not fit"),
    Standing.SPEED_UNKNOWN: marked("Fits; speed unknown"),
}

_MEMORY_KINDS = {
    MemoryKind.WEIGHTS: marked("Weights"),
    MemoryKind.DRAFT: marked("Draft model"),
    MemoryKind.EMBEDDING: marked("Embedding model"),
    MemoryKind.RERANKER: marked("Reranker"),
    MemoryKind.RUNTIME: marked("Runtime and activations"),
    MemoryKind.KV_CACHE: marked("KV cache"),
    MemoryKind.STATE: marked("State"),
}

_CAUSES = {
    Cause.WEIGHTS: marked("Reading weights"),
    Cause.EXPERTS: marked("Reading experts"),
    Cause.KV_CACHE: marked("Reading the cache"),
    Cause.STATE: marked("Reading the state"),
    Cause.COMPUTE: marked("Computing"),
    Cause.LINK: marked("Exchange between accelerators"),
    Cause.ENGINE: marked("Engine"),
    Cause.SECOND_TIER: marked("Reading the second memory"),
    Cause.PROMPTS: marked("Prompts of other users"),
}

_CAUSE_REASONS = {
    Cause.WEIGHTS: marked("every token reads the weights once, for all requests together"),
    Cause.EXPERTS: marked("each request may use other experts: more requests read more of them"),
    Cause.KV_CACHE: marked("each request reads its own cache, longer with every token"),
    Cause.STATE: marked("each request reads and writes its state"),
    Cause.COMPUTE: marked("arithmetic that does not hide behind reading"),
    Cause.LINK: marked("each layer waits until the accelerators have exchanged their results"),
    Cause.ENGINE: marked("starting kernels, scheduling, choosing the next token"),
    Cause.SECOND_TIER: marked("the part that did not fit into the fast memory is read slowly"),
    Cause.PROMPTS: marked("between two tokens the engine reads prompts of others"),
}

_LIMITS = {
    Limit.BANDWIDTH: marked("memory bandwidth"),
    Limit.COMPUTE: marked("computing rate"),
    Limit.LINK: marked("exchange between accelerators"),
    Limit.ENGINE: marked("the engine’s own time"),
    Limit.SECOND_TIER: marked("the slower second memory"),
    Limit.PROMPTS: marked("prompts of other users"),
}

_EVIDENCE = {
    Evidence.EXACT: marked("exact"),
    Evidence.OWN: marked("your measurement"),
    Evidence.MEASURED_HERE: marked("measured here"),
    Evidence.MEASURED_ON_RELATIVES: marked("measured on relatives"),
    Evidence.OTHER_ENGINE: marked("other engine"),
    Evidence.GENERIC: marked("generic"),
}

_EVIDENCE_MEANINGS = {
    Evidence.EXACT: marked("Arithmetic on figures from files: bytes and parameters."),
    Evidence.OWN: marked("You measured this machine with this engine; the prediction is drawn towards it."),
    Evidence.MEASURED_HERE: marked("This device with this engine was measured for this kind of figure."),
    Evidence.MEASURED_ON_RELATIVES: marked("Devices of this family were measured with this engine."),
    Evidence.OTHER_ENGINE: marked("Devices of this family were measured with another engine."),
    Evidence.GENERIC: marked("Neither this family nor this engine was measured: the widest range."),
}

_CONFIDENCES = {
    Confidence.TWO_SOURCES: marked("two sources"),
    Confidence.ONE_SOURCE: marked("one source"),
    Confidence.PARTLY: marked("partly confirmed"),
    Confidence.UNVERIFIED: marked("not verified"),
    Confidence.ESTIMATE: marked("estimate"),
    Confidence.MEASURED: marked("measured"),
    Confidence.YOURS: marked("yours"),
}

_ORIGINS = {
    OriginKind.CATALOGUE: marked("catalogue"),
    OriginKind.MODEL_FILE: marked("counted from the model’s own file"),
    OriginKind.CHOICE: marked("your choice"),
    OriginKind.CALIBRATION: marked("fitted to public measurements"),
    OriginKind.METHOD: marked("constant of the method"),
    OriginKind.ARTICLE: marked("simplification of the article"),
}

_PLACEMENTS = {
    Placement.SAME_CARD: marked("on the same card"),
    Placement.SECOND_CARD: marked("on a second card"),
    Placement.CPU: marked("on the CPU"),
}
_ROLES = {CompanionRole.EMBEDDING: marked("Embedding model"), CompanionRole.RERANKER: marked("Reranker")}
_MODES = {Mode.REAL: marked("as it really is"), Mode.ARTICLE: marked("as in the article")}


def verdict_word(verdict: Verdict) -> str:
    """The verdict in a word or two."""
    return _(_VERDICTS[verdict])


def standing_word(where: Standing) -> str:
    """Where a scenario stands, in a few words."""
    return _(_STANDINGS[where])


def verdict_in_short(sizing: Sizing) -> str:
    """The verdict in a word or two, with the targets that it misses and what is not known."""
    if sizing.speed_unknown and sizing.verdict is Verdict.CLOSE:
        return _("Just fits; speed unknown")
    return standing_word(standing(sizing))


def memory_kind(kind: MemoryKind) -> str:
    """What a part of the memory holds."""
    return _(_MEMORY_KINDS[kind])


def cause(kind: Cause) -> str:
    """What takes a part of the time."""
    return _(_CAUSES[kind])


def cause_reason(kind: Cause) -> str:
    """Why it takes time, as the second half of a line."""
    return _(_CAUSE_REASONS[kind])


def limit(kind: Limit) -> str:
    """The bottleneck, to be put after a colon."""
    return _(_LIMITS[kind])


def evidence(level: Evidence) -> str:
    """How sure a figure is, in the product's own words."""
    return _(_EVIDENCE[level])


def evidence_meaning(level: Evidence) -> str:
    """What that word means, as a sentence."""
    return _(_EVIDENCE_MEANINGS[level])


def confidence(level: str) -> str:
    """How well a catalogue figure is supported; a level of the user's own wording is shown as it is."""
    return _(_CONFIDENCES[Confidence(level)]) if level in {one.value for one in Confidence} else level


def origin(kind: OriginKind) -> str:
    """Where a given number comes from."""
    return _(_ORIGINS[kind])


#: Titles of sources that are words of this program, not the names of documents.
OWN_TITLES = (
    marked("Memory that engines reported in public start-up logs"),
    marked("Working convention; no published figure found"),
    marked("Working convention; no published source found"),
    marked("Sized with as many requests at once as meet the targets"),
    marked("Predicted for the conditions of the measurement, without it"),
    marked("Looked for by halves, sized anew at each length"),
    marked("Largest number along the curve of speeds"),
    marked("How the product sizes a workstation"),
)


def source_title(source: Origin) -> str:
    """What a given number rests on: the name of a document as it is, words of ours in the language in force."""
    return _(source.title) if source.title else origin(source.kind)


def placement(where: Placement) -> str:
    return _(_PLACEMENTS[where])


def companion_role(role: CompanionRole) -> str:
    return _(_ROLES[role])


def mode(kind: Mode) -> str:
    return _(_MODES[kind])


def device_with_count(name: str, count: int) -> str:
    """The hardware in a word: "RTX PRO 6000" or "2 × DGX Spark"."""
    return name if count == 1 else f"{current().count(count)} × {name}"


def verdict(sizing: Sizing) -> str:
    """The answer in one sentence: "Fits: 21 requests at once at 256K context"."""
    write = current()
    fits = int(sizing.trace["max_concurrency"])
    context = write.tokens(sizing.scenario.workload.context_tokens)
    if sizing.speed_unknown and sizing.fits:
        return verdict_in_short(sizing)
    if standing(sizing) in _MISSES:
        return _missed(sizing)
    if sizing.verdict is Verdict.FITS:
        text = ngettext(
            "Fits: {requests} request at once at {context} context",
            "Fits: {requests} requests at once at {context} context",
            fits,
        )
    elif sizing.verdict is Verdict.CLOSE:
        text = ngettext(
            "Just fits: {requests} request at once at {context} context",
            "Just fits: {requests} requests at once at {context} context",
            fits,
        )
    elif fits >= 1:
        text = ngettext(
            "Does not fit: room for {requests} of {required} requests at {context} context",
            "Does not fit: room for {requests} of {required} requests at {context} context",
            fits,
        )
    else:
        text = _("Does not fit: {missing} too much")
    return text.format(
        requests=write.count(fits),
        required=write.count(sizing.required_requests),
        context=context,
        missing=write.bytes(sizing.shortfall_bytes),
    )


#: Standings that hold the work and miss a target of the workload.
_MISSES = (Standing.TOO_SLOW, Standing.TOO_LATE)


def _missed(sizing: Sizing) -> str:
    """It fits, and misses a target: which, and by how much."""
    write, work = current(), sizing.scenario.workload
    if standing(sizing) is Standing.TOO_LATE and sizing.ttft is not None:
        text = _("Fits, but answers too late: first token after {time}, limit {target}")
        return text.format(time=write.seconds(sizing.ttft.p50), target=write.seconds(work.ttft_target_s or 0.0))
    speed = sizing.decode.p50 if sizing.decode is not None else 0.0
    text = _("Fits, but too slow: {speed} per user, target {target}")
    return text.format(speed=write.speed(speed), target=write.speed_parts(work.speed_target or 0.0)[0])


def verdict_reason(sizing: Sizing) -> str:
    """The second sentence: what is needed, what limits, what is left or missing."""
    write, trace, needed = current(), sizing.trace, sizing.required_requests
    total, limit_key = "memory.total_bytes", "memory.limit_bytes"
    if sizing.verdict is Verdict.DOES_NOT_FIT and trace["deployment.accelerators"] > 1:
        total, limit_key = "accelerator.total_bytes", "accelerator.limit_bytes"
        text = ngettext(
            "{missing} short on each accelerator: {required} request needs {total} there, the engine may use {limit}.",
            "{missing} short on each accelerator: {required} requests need {total} there, the engine may use {limit}.",
            needed,
        )
    elif sizing.verdict is Verdict.DOES_NOT_FIT:
        text = ngettext(
            "{missing} short: {required} request needs {total}, the engine may use {limit}.",
            "{missing} short: {required} requests need {total}, the engine may use {limit}.",
            needed,
        )
    elif sizing.speed_unknown:
        text = _speed_unknown(int(trace["max_concurrency"]))
    elif sizing.verdict is Verdict.CLOSE:
        text = ngettext(
            "You need {required} request; only {free} stay free. Speed is set by: {bottleneck}.",
            "You need {required} requests; only {free} stay free. Speed is set by: {bottleneck}.",
            needed,
        )
    else:
        text = ngettext(
            "You need {required} request; {free} stay free. Speed is set by: {bottleneck}.",
            "You need {required} requests; {free} stay free. Speed is set by: {bottleneck}.",
            needed,
        )
    return text.format(
        required=write.count(needed),
        fits=write.count(trace["max_concurrency"]),
        context=write.tokens(sizing.scenario.workload.context_tokens),
        total=write.bytes(trace[total]),
        limit=write.bytes(trace[limit_key]),
        missing=write.bytes(sizing.shortfall_bytes),
        free=write.bytes(trace["memory.free_bytes"]),
        bottleneck=limit(sizing.decode_limit) if sizing.decode_limit else "",
        most=write.speed(sizing.decode_bound.p50),
    )


def _speed_unknown(fits: int) -> str:
    """What is known all the same, with the number of requests that there is room for."""
    return ngettext(
        "Room for {fits} request at {context}, you need {required}. Its computing rate is not in the catalogue: "
        "only the physical bound is shown, at most {most}.",
        "Room for {fits} requests at {context}, you need {required}. Its computing rate is not in the catalogue: "
        "only the physical bound is shown, at most {most}.",
        fits,
    )


def requests(number: int) -> str:
    """A number of requests: "12 requests"."""
    return ngettext("{number} request", "{number} requests", number).format(number=current().count(number))


def reading_note(kind: NoteKind, subject: str = "") -> str:
    """What the reader of a model file was not certain of."""
    return _(NOTES[kind]).format(subject=subject)


def clauses(said: Iterable[str]) -> str:
    """Short statements in one line, parted with the signs of the language in force: "a; b", in French "a ; b"."""
    return pgettext("between clauses", "; ").join(said)


def named(name: str, value: str) -> str:
    """A name and what is said of it: "A: 12 tok/s", in French "A : 12 tok/s"."""
    return pgettext("name and value", "{name}: {value}").format(name=name, value=value)


def error(problem: TonnageError) -> str:
    """An error's sentence in the language in force, where it has been translated."""
    return phrase(problem.phrase) if problem.phrase.template else problem.message


def reason(failure: OSError) -> str:
    """Why a file cannot be used, in the language in force."""
    return str(_said(reason_of(failure)))


def phrase(said: Phrase) -> str:
    """Words with their values put in, in the language in force; phrases among the values too."""
    values = {name: _said(value) for name, value in said.values.items()}
    return _(said.template).format(**values) if values else _(said.template)


def _said(value: object) -> object:
    if isinstance(value, Phrase):
        return phrase(value)
    if isinstance(value, TonnageError):
        return error(value)
    return _Number(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


class _Number:
    """A number that is formatted with the signs of the language in force."""

    def __init__(self, value: float) -> None:
        self._value = value

    def __format__(self, spec: str) -> str:
        return current().with_signs(format(self._value, spec))


def import_failed(file: str, problem: TonnageError) -> str:
    """A file was refused: which one, why, and what is safe."""
    return _("“{file}” was not imported: {reason} The scenario is unchanged.").format(file=file, reason=error(problem))

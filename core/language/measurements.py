"""A measurement of the user's own in words: what was measured, how fast it was, and under which conditions."""

from core.language.messages import gettext as _
from core.language.messages import marked, ngettext
from core.language.numbers import current
from core.language.sentences import clauses, evidence
from core.scenario import Measured, Measurement
from core.sizing.report import Estimate

_FIGURES = {
    Measured.DECODE: marked("Speed per user"),
    Measured.PREFILL: marked("Prompt speed"),
    Measured.FIRST_TOKEN: marked("First token"),
    Measured.THROUGHPUT: marked("All users together"),
}


def measured(figure: Measured) -> str:
    """What was measured."""
    return _(_FIGURES[figure])


def value(measurement: Measurement) -> str:
    """How fast it was."""
    if measurement.figure is Measured.FIRST_TOKEN:
        return current().seconds(measurement.value)
    return current().speed(measurement.value)


def conditions(measurement: Measurement) -> str:
    """Under which conditions, with what and when: "1 request, prompt 1K, answer 256; llama-bench; 2026-08-01"."""
    write, count = current(), measurement.requests_at_once
    parts = [ngettext("{number} request", "{number} requests", count).format(number=write.count(count))]
    if measurement.prompt_tokens is not None:
        parts.append(_("prompt {tokens}").format(tokens=write.tokens(measurement.prompt_tokens)))
    if measurement.output_tokens is not None and measurement.figure is not Measured.PREFILL:
        parts.append(_("answer {tokens}").format(tokens=write.tokens(measurement.output_tokens)))
    if measurement.cached_tokens:
        parts.append(_("{tokens} in the cache").format(tokens=write.tokens(measurement.cached_tokens)))
    return clauses(filter(None, [", ".join(parts), measurement.title, measurement.date]))


def middle(prediction: Estimate | None) -> str:
    """A prediction alone: "42 tok/s"."""
    if prediction is None:
        return current().unknown()
    return current().seconds(prediction.p50) if _is_time(prediction) else current().speed(prediction.p50)


def span(prediction: Estimate | None) -> str:
    """The range of a prediction and how sure it is: "31–56 tok/s, your measurement"."""
    if prediction is None:
        return ""
    parts = current().seconds_parts if _is_time(prediction) else current().speed_parts
    low, high = sorted((prediction.p10, prediction.p90))
    text = _("{span}, {evidence}")
    return text.format(span=current().range(low, high, parts), evidence=evidence(prediction.evidence))


def _is_time(prediction: Estimate) -> bool:
    return prediction.key == "ttft_s"

"""What the logs of a thread tell of a question that was asked in it.

A question from the field states what its asker thought to matter. Where the records of start-up logs hold one of the
same thread, for the same model and engine, it tells the rest: formats, flags, release. Nothing that was observed is
taken from it.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from tests.accuracy.records import Record

#: Fields of a log that say how an engine was started.
CIRCUMSTANCES = ("weights_format", "kv_dtype", "engine_version", "gpu_memory_gib", "gpu_memory_utilization", "flags")
#: And those that must be the question's, so that the log is about it.
SUBJECT = ("source", "model_id", "engine_id")


def with_logs(question: Record, logs: Sequence[Record]) -> Record:
    """The question with a field “log”: the circumstances on which all logs of its thread agree."""
    own = [log for log in logs if all(log.fields.get(name) == question.fields.get(name) for name in SUBJECT)]
    agreed = _agreed([log.fields for log in own], CIRCUMSTANCES)
    if not agreed:
        return question
    flags = [log.part("flags").fields for log in own]
    agreed["flags"] = _agreed(flags, sorted(set().union(*flags)))
    return Record(question.id, {**question.fields, "log": agreed})


def _agreed(several: Sequence[Any], names: Iterable[str]) -> dict[str, Any]:
    """The fields of these names that all of them have with the same value."""
    found = {name: several[0].get(name) for name in names} if several else {}
    return {
        name: value
        for name, value in found.items()
        if value not in (None, "") and all(one.get(name) == value for one in several)
    }

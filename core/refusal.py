"""Why a choice or a record is refused: the one place where pydantic's messages are put in plain words.

A validator of ours raises `ValueError(Phrase(...))`, a whole sentence; every other problem gets its sentence here.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from core.day import PATTERN as DAY
from core.errors import Phrase


@dataclass(frozen=True, slots=True)
class Refusal:
    """The first problem of a validation."""

    field: str  # where it stands, as "workload.users"; empty where the whole is at fault
    reason: Phrase  # a sentence


def refusal(error: ValidationError) -> Refusal:
    """The first problem, with its place.

    >>> from core.scenario import Workload
    >>> try:
    ...     Workload(users=0)
    ... except ValidationError as error:
    ...     print(refusal(error).field, str(refusal(error).reason))
    users At least 1.
    """
    first = error.errors(include_url=False)[0]
    return Refusal(".".join(str(part) for part in first["loc"]), _reason(first))


def _reason(problem: Mapping[str, Any]) -> Phrase:
    limits = problem.get("ctx", {})
    if problem["type"] in _LIMITS:
        limit, sentence = _LIMITS[problem["type"]]
        return Phrase(sentence.template, {"limit": _number(limits[limit])})
    match problem["type"]:
        case "enum" | "literal_error":
            return Phrase("One of these is meant: {choices}.", {"choices": _choices(limits["expected"])})
        case "union_tag_invalid":
            return Phrase("One of these is meant: {choices}.", {"choices": _choices(limits["expected_tags"])})
        case "string_pattern_mismatch" if limits["pattern"] == DAY:
            return Phrase("Write a date such as 2026-11-20, 2026-11 or 2026.")
        case "string_pattern_mismatch" if "currency" in problem["loc"]:
            return Phrase("Write a currency code of three capitals such as EUR.")
        case "value_error" if limits["error"].args and isinstance(limits["error"].args[0], Phrase):
            said: Phrase = limits["error"].args[0]
            return said
    whole, kind = problem["type"], problem["type"].split("_")[0]
    return _KINDS.get(whole) or _KINDS.get(kind) or Phrase("This value cannot be used here.")


#: Problems with a limit: its name, and the sentence.
_LIMITS = {
    "greater_than_equal": ("ge", Phrase("At least {limit:,}.")),
    "greater_than": ("gt", Phrase("More than {limit:,}.")),
    "less_than_equal": ("le", Phrase("At most {limit:,}.")),
    "less_than": ("lt", Phrase("Less than {limit:,}.")),
    "string_too_short": ("min_length", Phrase("At least {limit:,} characters.")),
    "string_too_long": ("max_length", Phrase("At most {limit:,} characters.")),
    "too_short": ("min_length", Phrase("At least {limit:,} entries.")),
    "too_long": ("max_length", Phrase("At most {limit:,} entries.")),
}

#: All others, by their type or its first word, which is the kind of value that was asked for.
_KINDS = {
    "missing": Phrase("It is missing."),
    "extra_forbidden": Phrase("Nothing is called so."),
    "union_tag_not_found": Phrase("It is missing."),
    "json_invalid": Phrase("This is not JSON."),
    "int": Phrase("A whole number is meant."),
    "float": Phrase("A number is meant."),
    "decimal": Phrase("A number is meant."),
    "finite": Phrase("A number is meant."),
    "string": Phrase("A text is meant."),
    "bool": Phrase("Yes or no is meant: true or false."),
    "tuple": Phrase("A list is meant."),
    "list": Phrase("A list is meant."),
    "model": Phrase("A group of fields is meant."),
    "mapping": Phrase("A group of fields is meant."),
    "dict": Phrase("A group of fields is meant."),
}


def _number(limit: Any) -> Any:
    """A limit that is whole is written without decimals."""
    return int(limit) if float(limit).is_integer() else float(f"{limit:.3g}")


def _choices(expected: str) -> str:
    """What pydantic lists with an English "or"."""
    return expected.replace(" or ", ", ").replace("'", "")

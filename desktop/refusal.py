"""Why a value is refused, in one sentence."""

from pydantic import ValidationError

from core.language import numbers
from core.language.messages import gettext as _


def sentence(error: ValidationError) -> str:
    """The first problem of a validation in our words."""
    problem = error.errors()[0]
    limits = problem.get("ctx", {})
    match problem["type"]:
        case "greater_than_equal":
            return _("At least {limit}.").format(limit=_plain(limits["ge"]))
        case "greater_than":
            return _("More than {limit}.").format(limit=_plain(limits["gt"]))
        case "less_than_equal":
            return _("At most {limit}.").format(limit=_plain(limits["le"]))
        case "less_than":
            return _("Less than {limit}.").format(limit=_plain(limits["lt"]))
        case "string_too_long":
            return _("At most {limit} characters.").format(limit=limits["max_length"])
        case "too_long":
            return _("At most {limit} entries.").format(limit=limits["max_length"])
        case "string_pattern_mismatch" if "currency" in problem["loc"]:
            return _("Write a currency code of three capitals such as EUR.")
        case "value_error" if "active parameters exceed" in problem["msg"]:
            return _("Active parameters cannot exceed all parameters.")
    return _("This value cannot be used here.")


def _plain(limit: float) -> str:
    """A limit as it is written out in this language: never 1e+15."""
    return numbers.current().count(limit) if float(limit).is_integer() else f"{limit:.15g}"

"""Why a value is refused, in one sentence of the reader's language."""

from pydantic import ValidationError

from core.language import sentences
from core.refusal import refusal


def sentence(error: ValidationError) -> str:
    """The first problem of a validation in our words."""
    return sentences.phrase(refusal(error).reason)

"""Which tone an answer has: the icon and the colour with which it is shown, the same everywhere."""

from collections.abc import Mapping

from core.sizing.standing import Standing
from desktop.theme import Tone

TONE_OF: Mapping[Standing, Tone] = {
    Standing.FITS: "ok",
    Standing.CLOSE: "warn",
    Standing.TOO_SLOW: "bad",
    Standing.TOO_LATE: "bad",
    Standing.DOES_NOT_FIT: "bad",
    Standing.SPEED_UNKNOWN: "info",
}

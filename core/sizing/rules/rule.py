"""What a rule is: a small function with a name, what it goes back to, and the numbers that its sentence needs."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from core.scenario import Mode
from core.sizing.report import Finding, FindingKind, Weight
from core.sizing.situation import Setup, Situation
from core.trace import Recipe, Recorder, Trace

Finder = Callable[[Trace, Situation], Iterator[Finding]]
SetupFinder = Callable[[Recipe, Setup], Iterator[Finding]]
F = TypeVar("F", Finder, SetupFinder)


@dataclass(frozen=True, slots=True)
class _Named(Generic[F]):
    """A named rule. It changes no figure; it may record one that it compares with.

    kind     its id
    find     yields its findings; the docstring says in a sentence what the rule holds
    lines    of the founding article that say so
    source   where else it comes from
    """

    kind: FindingKind
    find: F
    lines: tuple[int, ...] = ()
    source: str = ""

    @property
    def says(self) -> str:
        """What the rule holds, in a sentence."""
        return " ".join((self.find.__doc__ or "").split("\n\n")[0].split())


class Rule(_Named[Finder]):
    """A rule that asks about the work too, and is asked in every sizing."""


class SetupRule(_Named[SetupFinder]):
    """A rule that asks about model, machine and engine alone, and is asked once for each setup."""


def rule(kind: FindingKind, *lines: int, source: str = "") -> Callable[[Finder], Rule]:
    """Make a rule of a function; `lines` are those of the founding article."""
    return lambda find: Rule(kind, find, lines, source)


def setup_rule(kind: FindingKind, *lines: int, source: str = "") -> Callable[[SetupFinder], SetupRule]:
    """Make a rule of a function that asks about the setup alone."""
    return lambda find: SetupRule(kind, find, lines, source)


def warning(kind: FindingKind, *figures: str, subject: str = "") -> Finding:
    """Something that speaks against promising this."""
    return Finding(kind, Weight.WARNING, figures, subject)


def note(kind: FindingKind, *figures: str, subject: str = "") -> Finding:
    """Something to check."""
    return Finding(kind, Weight.NOTE, figures, subject)


def reason(kind: FindingKind, *figures: str, subject: str = "") -> Finding:
    """Why it comes out as it does."""
    return Finding(kind, Weight.REASON, figures, subject)


def known(trace: Recorder, *keys: str) -> tuple[str, ...]:
    """Those of the figures that the trace holds: where the speed is unknown, some are missing."""
    return tuple(key for key in keys if key in trace)


def is_article(s: Setup) -> bool:
    """Are the founding article's simplifications in force?"""
    return s.mode is Mode.ARTICLE


#: Two figures that differ by more than this are worth a line.
WORTH_A_LINE = 0.05


def differs(one: float, other: float) -> bool:
    """Is the difference worth a line?"""
    return abs(one - other) > WORTH_A_LINE * max(one, other)

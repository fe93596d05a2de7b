"""All findings of a sizing: every named rule asked in turn, the loudest first."""

from functools import lru_cache
from operator import itemgetter

from core.catalogue.calibration import shipped_calibration
from core.sizing.rates import formulas_of_counts, formulas_of_rates, has_computing_rate
from core.sizing.report import Finding, Weight
from core.sizing.rules import about, formats, kept, placement, reading, retrieval, room, splits, thumb
from core.sizing.rules.rule import Rule, SetupRule
from core.sizing.situation import SETUPS_KEPT, Setup, Situation
from core.trace import Recipe, Trace

_LOUDNESS = {Weight.WARNING: 0, Weight.NOTE: 1, Weight.REASON: 2}

#: In the order in which findings of one weight are read.
RULES: tuple[Rule | SetupRule, ...] = (
    formats.engine_without_device,
    formats.engine_without_format,
    splits.heads_not_divisible,
    *reading.RULES[:2],
    *splits.RULES[1:],
    *kept.RULES[:2],
    formats.weight_only_format,
    kept.beyond_trained_context,
    *retrieval.RULES,
    *room.RULES,
    *thumb.RULES,
    *reading.RULES[2:],
    *kept.RULES[3:],
    *formats.RULES[3:],
    *placement.RULES,
    *about.RULES,
)

_WORK = tuple((place, rule.find) for place, rule in enumerate(RULES) if isinstance(rule, Rule))
_SETUP = tuple((place, rule.find) for place, rule in enumerate(RULES) if isinstance(rule, SetupRule))

#: A finding with its place: how loud it is, and which rule found it.
Placed = tuple[int, int, Finding]


def find(trace: Trace, s: Situation, more: tuple[Finding, ...] = ()) -> tuple[Finding, ...]:
    """All findings: warnings, notes, reasons.

    Parameters
    ----------
    trace : with the figures of memory and speed
    s : the situation
    more : findings made elsewhere, by the speed side

    Returns
    -------
    findings in the order in which they should be read
    """
    compared, of_setup = _of_setup(s.setup)
    trace.follow(compared)
    found = [*of_setup, *(_placed(place, finding) for place, find in _WORK for finding in find(trace, s))]
    found.extend(_placed(len(RULES), finding) for finding in more)
    return tuple([finding for _, _, finding in sorted(found, key=itemgetter(0, 1))])


@lru_cache(maxsize=SETUPS_KEPT)
def _of_setup(s: Setup) -> tuple[Recipe, tuple[Placed, ...]]:
    """The findings that follow from the setup alone, with the figures that they compare with."""
    known = formulas_of_rates(s, shipped_calibration()) if has_computing_rate(s.device) else formulas_of_counts(s)
    compared = Recipe(after=known)
    return compared, tuple(_placed(place, finding) for place, find in _SETUP for finding in find(compared, s))


def _placed(place: int, finding: Finding) -> Placed:
    return _LOUDNESS[finding.weight], place, finding

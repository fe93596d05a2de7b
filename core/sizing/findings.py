"""All findings of a sizing: every named rule asked in turn, the loudest first."""

from core.sizing.report import Finding, Weight
from core.sizing.rules import about, formats, kept, placement, reading, retrieval, room, splits, thumb
from core.sizing.rules.rule import Rule
from core.sizing.situation import Situation
from core.trace import Trace

_LOUDNESS = {Weight.WARNING: 0, Weight.NOTE: 1, Weight.REASON: 2}

#: In the order in which findings of one weight are read.
RULES: tuple[Rule, ...] = (
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

_FINDERS = tuple(rule.find for rule in RULES)


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
    found = [finding for find_one in _FINDERS for finding in find_one(trace, s)]
    found.extend(more)
    return tuple(sorted(found, key=lambda finding: _LOUDNESS[finding.weight]))

"""Tables for people: per kind of figure rows, skips, errors and bias; what was skipped and why; the worst rows."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from statistics import median

from tests.accuracy.results import Outcome, Result, Skip


def quantile(values: Sequence[float], share: float) -> float:
    """The value below which a share lies, between neighbours in proportion.

    >>> quantile([1.0, 2.0, 3.0], 0.9)
    2.8
    """
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def kinds_table(outcome: Outcome, title: str, within: Sequence[float] = ()) -> str:
    """One line per kind: rows, skipped, median, P90 and worst error, bias, and how many lie within limits."""
    skipped = Counter(skip.kind for skip in outcome.skipped)
    scored = [r for r in outcome.results if r.scored]
    groups: dict[str, list[Result]] = defaultdict(list)
    for result in scored:
        groups[result.kind].append(result)
    lines = [title, f"  {'kind':34}{'rows':>5}{'skipped':>8}{'median':>8}{'P90':>7}{'worst':>7}{'bias':>6}"]
    lines[1] += "".join(f"{f'<{limit:.0%}':>7}" for limit in within)
    for kind in sorted(groups.keys() | skipped.keys()):
        lines.append(f"  {kind:34}" + _row(groups[kind], skipped[kind], within))
    return "\n".join(lines)


def groups_table(results: Iterable[Result], title: str) -> str:
    """One line per group: rows, errors, bias, how often P10-P90 holds, and how wide it is."""
    groups: dict[str, list[Result]] = defaultdict(list)
    for result in results:
        for group in result.groups if result.scored else ():
            groups[group].append(result)
    lines = [title, f"  {'cell':46}{'rows':>5}{'sources':>8}{'median':>8}{'P90':>7}{'bias':>6}{'holds':>7}{'width':>7}"]
    for group, members in sorted(groups.items()):
        errors = [abs(r.error) for r in members]
        width = median(r.p90 / r.p10 for r in members if r.p10 > 0) if any(r.p10 > 0 for r in members) else 1.0
        held = sum(r.held for r in members) / len(members)
        sources = len({r.source for r in members})
        lines.append(
            f"  {group:46}{len(members):5}{sources:8}{median(errors):8.1%}{quantile(errors, 0.9):7.0%}"
            f"{_bias(members):6.2f}{held:7.0%}{width:7.2f}"
        )
    return "\n".join(lines)


def _row(members: Sequence[Result], skipped: int, within: Sequence[float]) -> str:
    if not members:
        return f"{0:5}{skipped:8}"
    errors = [abs(r.error) for r in members]
    text = f"{len(members):5}{skipped:8}{median(errors):8.1%}{quantile(errors, 0.9):7.0%}{max(errors):7.0%}"
    text += f"{_bias(members):6.2f}"
    return text + "".join(f"{sum(e <= limit for e in errors) / len(errors):7.0%}" for limit in within)


def _bias(members: Sequence[Result]) -> float:
    ratios = [r.p50 / r.observed for r in members if r.observed]
    return median(ratios) if ratios else 1.0


def skips_table(skipped: Sequence[Skip]) -> str:
    """Reasons with their number, most frequent first, each with one example."""
    reasons = Counter(skip.reason for skip in skipped)
    example = {skip.reason: f"{skip.id} {skip.metric}" for skip in skipped}
    lines = [f"skipped: {len(skipped)}"]
    lines += [f"  {number:5} {reason} ({example[reason]})" for reason, number in reasons.most_common()]
    return "\n".join(lines)


def families_table(outcome: Outcome) -> str:
    """Per family of models the share of figures that is skipped, without those that nobody could compare."""
    known = [skip for skip in outcome.skipped if skip.kind not in ("", "other") and skip.scoreable]
    skipped = Counter(f"family {skip.family}" for skip in known)
    compared = Counter(g for r in outcome.results for g in r.groups if g.startswith("family "))
    lines = ["skipped by family of models"]
    for family in sorted(compared | skipped):
        every = compared[family] + skipped[family]
        lines.append(f"  {family:34}{skipped[family]:5} of {every:4}{skipped[family] / every:7.0%}")
    return "\n".join(lines)


def worst_table(results: Iterable[Result], number: int = 30) -> str:
    """The rows farthest off, by ratio."""
    scored = [r for r in results if r.scored and r.observed > 0 and r.p50 > 0]
    worst = sorted(scored, key=lambda r: max(r.p50 / r.observed, r.observed / r.p50), reverse=True)[:number]
    lines = [f"the {len(worst)} worst rows", f"  {'ratio':>6} {'measured':>12} {'predicted':>12}  record"]
    for r in worst:
        lines.append(f"  {r.p50 / r.observed:6.2f} {r.observed:12.5g} {r.p50:12.5g}  {r.id} {r.metric}: {r.note}")
    return "\n".join(lines)


def answers_table(outcome: Outcome, title: str, within: Callable[[Result], bool]) -> str:
    """Per figure: how many expectations are met, and each one that is not."""
    skipped = Counter(skip.kind for skip in outcome.skipped)
    figures = sorted({r.kind for r in outcome.results} | skipped.keys())
    lines = [title, f"  {'figure':34}{'rows':>5}{'skipped':>8}{'met':>5}"]
    for figure in figures:
        members = [r for r in outcome.results if r.kind == figure]
        lines.append(f"  {figure:34}{len(members):5}{skipped[figure]:8}{sum(map(within, members)):5}")
    lines += [
        f"  not met: {r.id} {r.metric}: expected {r.observed:.6g} within {r.tolerance:.1%}, answered {r.p50:.6g}"
        for r in outcome.results
        if not within(r)
    ]
    return "\n".join(lines)

"""Ranges: how far predictions of sources never seen were from what was measured, by evidence and circumstances.

The spread of a kind of figure is a value per grade of evidence times a factor per condition. Both follow from quantile
regression: the share of measurements within P10 to P90 is to be the same everywhere, whatever the grade and condition.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from core.physics.uncertainty import LEAST_SPREAD, TENTH
from core.sizing.ranges import DEEP_TOKENS
from tests.calibration.observations import Observation
from tests.calibration.replay import Floats

#: Share of measurements that P10 to P90 is to hold, by kind of figure; lower where a few sources lie far off, whose
#: inclusion would make every range meaningless.
HELD = {"decode": 0.815, "prefill": 0.82, "batched": 0.82, "tpot": 0.81, "ttft": 0.75, "saturated": 0.88}
GRADES = "ABCD"
#: Spread of the factors before anything is seen, as logarithms: few rows do not move a range far.
#: Conditions of decode overlap most (a mixture on unified memory), so that theirs are held closer.
GRADE_PRIOR, CONDITION_PRIOR, OF_DECODE_PRIOR = 0.25, 0.8, 0.28
#: What each kind of figure may depend on.
_FAMILIES = ("amd_or_intel", "amd_apu", "intel", "apple", "nvidia_gddr", "nvidia_hbm", "nvidia_unified")
CONDITIONS: Mapping[str, tuple[str, ...]] = {
    "decode": (
        "deep",
        "mixture_of_experts",
        "tensor_parallel",
        "layer_split",
        "serving_engine",
        "earlier_engine",
        *_FAMILIES,
    ),
    "prefill": ("mixture_of_experts", "tensor_parallel", "layer_split", "serving_engine", *_FAMILIES),
    "batched": ("mixture_of_experts", "tensor_parallel", "serving_engine", *_FAMILIES),
    "tpot": ("mixture_of_experts", "tensor_parallel", *_FAMILIES),
    "ttft": ("mixture_of_experts",),
    "saturated": ("mixture_of_experts", "tensor_parallel", *_FAMILIES),
}
#: Figures without coverage of their own take the evidence of another kind.
EVIDENCE_OF = {"tpot": "batched"}


#: Spread of decode where a processor computes a part: of so few sources that it is stated.
WITH_A_HOST = 0.3
#: Spread where nobody measured any device of the family: what the method gives an unknown vendor on an unknown engine.
UNMEASURED_LEAST = {"decode": 0.3, "prefill": 0.84, "batched": 0.34, "tpot": 0.34, "ttft": 0.67, "saturated": 0.42}
#: Rules that the scatter of the records cannot show, since each of their sources has builds of one season.
STATED: list[dict[str, Any]] = [
    {
        "kind": "decode",
        "when": "host_memory",
        "least": WITH_A_HOST,
        "reason": "processors and memories of hosts differ: two sources, 28 % median",
    },
    {
        "kind": "decode",
        "when": "nvidia_unified",
        "least": 0.285,
        "reason": "builds within a year: a 20B mixture on a Spark went from 50 (2025-10) to 84 tok/s (2025-11)",
    },
    *(
        {"kind": kind, "when": "family_unmeasured", "least": least, "reason": "no device of its family was measured"}
        for kind, least in UNMEASURED_LEAST.items()
    ),
]


def met(one: Observation) -> frozenset[str]:
    """The conditions that hold for an observation."""
    deep = float(one.trace["workload.depth_tokens"]) >= DEEP_TOKENS
    return one.conditions | ({"deep"} if deep and one.kind == "decode" else frozenset())


def grades(seen: Sequence[Observation], without_own_source: bool = True) -> list[str]:
    """The evidence for each observation when its own source had not been seen."""
    devices: dict[tuple[str, ...], set[str]] = defaultdict(set)
    families: dict[tuple[str, ...], set[str]] = defaultdict(set)
    anywhere: dict[tuple[str, ...], set[str]] = defaultdict(set)
    formats: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for one in seen:
        if one.tier != "C" and one.kind in (*CONDITIONS, *EVIDENCE_OF):
            kind, where = EVIDENCE_OF.get(one.kind, one.kind), one.where
            devices[(kind, where.device, where.back_end)].add(one.source)
            families[(kind, where.family, where.back_end)].add(one.source)
            anywhere[(kind, where.family)].add(one.source)
            formats[(where.group, where.format_class)].add(one.source)
    found = []
    for one in seen:
        kind, where = EVIDENCE_OF.get(one.kind, one.kind), one.where
        own = {one.source} if without_own_source else set()
        grade = (
            "D"
            if not formats[(where.group, where.format_class)] - own
            else "A"
            if devices[(kind, where.device, where.back_end)] - own
            else "B"
            if families[(kind, where.family, where.back_end)] - own
            else "C"
            if anywhere[(kind, where.family)] - own
            else "D"
        )
        found.append(grade)
    return found


def quantile_regression(design: Floats, target: Floats, weights: Floats, prior: Floats, share: Floats) -> Floats:
    """Coefficients at which a weighted share of the targets lies below `design @ coefficients`; it may vary by row.

    The check loss is made smooth and minimised by reweighted least squares; `prior` is the standard deviation of each
    coefficient about the overall quantile (the first, constant column is free).
    """
    beta: Any = np.zeros(design.shape[1])
    order = np.argsort(target)
    reached = np.cumsum(weights[order]) / weights.sum()
    beta[0] = target[order][np.searchsorted(reached, share.mean())]
    for _ in range(200):
        rest = target - design @ beta
        pull = weights * np.where(rest > 0, share, 1 - share) / np.maximum(np.abs(rest), 0.02)
        left = design.T @ (pull[:, None] * design) + np.diag(1 / prior**2)
        right = design.T @ (pull * target)
        right[0] += beta[0] / prior[0] ** 2
        beta = np.linalg.solve(left, right)
    found: Floats = beta
    return found


def needed_spreads(seen: Sequence[Observation], log_ratio: Floats) -> Floats:
    """The spread at which P10 or P90 of each prediction is what was measured; times have no limit above."""
    needed = np.maximum(np.abs(log_ratio), 0.005) / TENTH
    for place, one in enumerate(seen):
        if one.direction > 0 and one.kind in HELD and log_ratio[place] < 0:
            most = float(one.trace[f"{one.key}.ceiling"])
            share = math.exp(one.log_target + log_ratio[place]) / most
            beyond = (math.exp(log_ratio[place]) - share) / (1 - share) if share < 1 else 0.0
            needed[place] = -(1 - share) * math.log(max(beyond, 1e-6)) / TENTH
    found: Floats = np.maximum(needed, 0.005 / TENTH)
    return found


def fit_spreads(seen: Sequence[Observation], log_ratio: Floats) -> dict[str, Any]:
    """The `spread` part of the calibration file, from predictions of sources never seen."""
    evidence, needed = grades(seen), needed_spreads(seen, log_ratio)
    table: dict[str, list[float]] = {}
    rules: list[dict[str, Any]] = []
    for kind in ("decode", "prefill", "batched", "ttft", "saturated"):
        members = [kind, *(k for k, of in EVIDENCE_OF.items() if of == kind)]
        rows = [i for i, one in enumerate(seen) if one.kind in members and one.tier != "C"]
        names = [("grade", g) for g in "BCD"]
        names += [(k, "always") for k in members[1:]]
        names += [(k, condition) for k in members for condition in CONDITIONS[k]]
        beta = _fit_kind(seen, needed, evidence, rows, names)
        base = np.exp(beta[0])
        steps = dict(zip(names, beta[1:], strict=True))
        values = [base * np.exp(steps.get(("grade", g), 0.0)) for g in GRADES]
        table[kind] = [round(float(v), 3) for v in np.maximum(np.maximum.accumulate(values), LEAST_SPREAD)]
        for (of, condition), step in steps.items():
            if of != "grade" and abs(step) > 0.04:
                rules.append(
                    {
                        "kind": of,
                        "when": condition,
                        "widening": round(float(np.exp(step)), 3),
                        "reason": "scatter of predictions of sources never seen",
                    }
                )
    if not any(rule["when"] == "deep" for rule in rules):
        rules.append({"kind": "decode", "when": "deep", "widening": 1.0, "reason": "no wider than over a short cache"})
    return {"grades": table, "rules": rules + STATED}


def _fit_kind(
    seen: Sequence[Observation],
    needed: Floats,
    evidence: Sequence[str],
    rows: Sequence[int],
    names: Sequence[tuple[str, str]],
) -> Floats:
    design = np.zeros((len(rows), len(names) + 1))
    design[:, 0] = 1.0
    for place, i in enumerate(rows):
        holds = met(seen[i])
        for column, (of, condition) in enumerate(names, start=1):
            if of == "grade":  # grades count on from the one before
                design[place, column] = float(GRADES.index(evidence[i]) >= GRADES.index(condition))
            else:
                design[place, column] = float(of == seen[i].kind and condition in holds)
    counts = Counter((seen[i].source, seen[i].kind) for i in rows)
    weights = np.array([counts[(seen[i].source, seen[i].kind)] ** -0.25 for i in rows])
    target = np.log(needed[rows])
    priors = {"grade": GRADE_PRIOR, "decode": OF_DECODE_PRIOR}
    prior = np.array([1e3, *(priors.get(of, CONDITION_PRIOR) for of, _ in names)])
    beta = quantile_regression(design, target, weights, prior, np.array([HELD[seen[i].kind] for i in rows]))
    for place in (1, 2, 3):  # less evidence never makes a range narrower
        beta[place] = max(beta[place], 0.0)
    cumulated = np.cumsum(beta[1:4])
    return np.concatenate([beta[:1], cumulated, beta[4:]])


def spread_of(one: Observation, grade: str, spread: Mapping[str, Any]) -> float:
    """The spread that a sizing would give an observation with this evidence."""
    value = spread["grades"][EVIDENCE_OF.get(one.kind, one.kind)][GRADES.index(grade)]
    holds, deep, least = met(one), 1.0, LEAST_SPREAD
    for rule in spread["rules"]:
        if rule["kind"] == one.kind and rule["when"] in holds:
            if rule["when"] == "deep":
                deep = rule["widening"]
            else:
                value *= rule.get("widening", 1.0)
                least = max(least, rule.get("least", 0.0))
    return float(max(value, least) * deep)

"""Writes `resources/calibration/parameters.json`: what the fit found, as compact as it can be.

An effect that moves its parameter by less than 4 % is left out. Effects that a prior expects for circumstances that no
measurement has are kept, with the spread of the prior.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from core import RESOURCES
from tests.calibration.effects import BASES, EFFECTS, Effect
from tests.calibration.fit import Fit, Fitter
from tests.calibration.replay import Floats

TARGET = RESOURCES / "calibration" / "parameters.json"
LEAST_EFFECT = 0.04
#: A measurement supports a parameter when a tenth more of it moves the figure by this much, in tenths.
SUPPORTING_SLOPE = 0.02


def document(fitter: Fitter, fit: Fit, spread: Mapping[str, Any], known: Mapping[str, Any]) -> dict[str, Any]:
    """The file as JSON, with the names, units and notes of the one before."""
    deviation = np.sqrt(np.diag(np.linalg.inv(fit.curvature)))
    _values, slopes = fitter.replay.derivatives(fit.logs(len(fitter.seen)))
    rows = sum(1 for one in fitter.seen if one.cells)
    sources = len({one.source for one in fitter.seen if one.cells})
    return {
        "schema_version": 1,
        "source": {
            "title": f"Fit of the method's parameters to {rows:,} public measurements (maximum a posteriori)",
            "address": "",
            "date": "2026",
            "confidence": "measured",
            "note": f"{sources} sources, named in tests/accuracy/data/throughput.json, field source_title. Constants "
            "of kernels: derived from aiconfigurator operator measurements, (c) NVIDIA Corporation & Affiliates, "
            "Apache-2.0. Written by `make calibrate`.",
        },
        "generation": known["generation"],
        "parameters": [
            _parameter(entry, fit, deviation, _support(fitter, slopes[entry["symbol"]]))
            for entry in known["parameters"]
        ],
        "spread": dict(spread),
    }


def _support(fitter: Fitter, slope: Floats) -> str:
    """How many measurements of how many sources the parameter moves, and whether kernels say something about it."""
    moved = [one for one, s in zip(fitter.seen, slope, strict=True) if abs(s) >= SUPPORTING_SLOPE]
    rows, kernels = [one for one in moved if one.cells], [one for one in moved if not one.cells]
    text = f"{len(rows):,} measurements of {len({one.source for one in rows})} sources"
    return text + (f"; {len(kernels)} constants of kernels" if kernels else "")


def _parameter(entry: Mapping[str, Any], fit: Fit, deviation: Floats, support: str) -> dict[str, Any]:
    symbol = entry["symbol"]
    places = {label: place for place, label in enumerate(fit.columns.labels)}
    base = places[(symbol,)]
    prior, prior_spread = BASES[symbol]
    written = {
        "symbol": symbol,
        "name": entry["name"],
        "unit": entry["unit"],
        "base": _short(float(np.exp(fit.theta[base]))),
        "spread": round(float(deviation[base]), 3),
        "prior": prior,
        "prior_spread": prior_spread,
        "supported_by": support,
        "note": entry.get("note", ""),
        "most": entry.get("most"),
        "multipliers": [
            multiplier
            for number, effect in enumerate(EFFECTS)
            if effect.symbol == symbol
            for multiplier in _multipliers(number, effect, fit, deviation, places)
        ],
    }
    return {key: value for key, value in written.items() if value not in ("", None)}


def _multipliers(
    number: int, effect: Effect, fit: Fit, deviation: Floats, places: Mapping[Any, int]
) -> Sequence[dict[str, Any]]:
    found = {label[1]: (fit.theta[p], deviation[p]) for label, p in places.items() if label[0] == number}
    if effect.pooled:
        return [_written({name: list(values) for name, values in effect.pooled.items()}, *found[("pooled",)])]
    for level in effect.centre:
        values = tuple(level.split("*"))
        found.setdefault(values, (effect.expected(values), effect.spread))
    return [
        _written({name: [value] for name, value in zip(effect.on, level, strict=True)}, moved, spread)
        for level, (moved, spread) in sorted(found.items())
        if abs(moved) >= LEAST_EFFECT
    ]


def _written(on: Mapping[str, Sequence[str]], moved: float, spread: float) -> dict[str, Any]:
    return {"on": dict(on), "factor": round(float(np.exp(moved)), 3), "spread": round(float(spread), 3)}


def _short(value: float) -> float:
    return float(f"{value:.4g}")


def text(content: Mapping[str, Any]) -> str:
    """One line per multiplier, grade and rule."""
    parts = [f' "{key}": {_line(content[key])}' for key in ("schema_version", "source", "generation")]
    parts.append(' "parameters": [\n' + ",\n".join(map(_parameter_text, content["parameters"])) + "\n ]")
    spread = content["spread"]
    grades = ",\n".join(f'   "{kind}": {_line(values)}' for kind, values in spread["grades"].items())
    rules = ",\n".join(f"   {_line(rule)}" for rule in spread["rules"])
    parts.append(f' "spread": {{\n  "grades": {{\n{grades}\n  }},\n  "rules": [\n{rules}\n  ]\n }}')
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _parameter_text(parameter: Mapping[str, Any]) -> str:
    lines = [f'   "{key}": {_line(value)}' for key, value in parameter.items() if key != "multipliers"]
    rows = ",\n".join(f"    {_line(row)}" for row in parameter["multipliers"])
    lines.append(f'   "multipliers": [\n{rows}\n   ]' if rows else '   "multipliers": []')
    return "  {\n" + ",\n".join(lines) + "\n  }"


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)

"""The range of each speed: P10 and P90 about the estimate, and how well it is supported."""

from collections.abc import Mapping
from functools import lru_cache

from core.catalogue.calibration import Calibration, Grade, Kind, back_end
from core.catalogue.records import DeviceFamily
from core.physics import uncertainty
from core.sizing.origins import METHOD
from core.sizing.placement import computes_on_cpu
from core.sizing.rates import has_routed_experts
from core.sizing.report import Estimate, Evidence
from core.sizing.situation import SETUPS_KEPT, Setup
from core.trace import Origin, OriginKind, Recipe, Trace, recipe
from core.units import Unit

#: Between these depths the scatter of decode speeds grows from that of a short cache to that of a deep one.
SHORT_TOKENS, DEEP_TOKENS = 4096, 16_384
_GRADES = "ABCD"
#: The condition under which figures of a kind that was never measured on any device of the family widen.
UNMEASURED = "family_unmeasured"
_AMD_OR_INTEL = (DeviceFamily.AMD_CDNA, DeviceFamily.AMD_RDNA, DeviceFamily.AMD_APU, DeviceFamily.INTEL)


@lru_cache(maxsize=SETUPS_KEPT)
def support(s: Setup, calibration: Calibration) -> Mapping[Kind, Grade]:
    """The evidence of every kind of figure; a weight format that was never measured with this kind of engine is D."""
    known = calibration.knows_format(s.engine.group, s.weight_format.format_class)
    device = s.device.accelerator_id or s.device.id
    return _support(calibration, device, s.device.family, back_end(s.engine, s.device.family), known)


@lru_cache(maxsize=1024)
def _support(
    calibration: Calibration, device: str, family: DeviceFamily, engine: str, known: bool
) -> Mapping[Kind, Grade]:
    kinds = calibration.spread.grades
    if not known:
        return dict.fromkeys(kinds, "D")
    return {kind: calibration.evidence(device, family, engine, kind) for kind in kinds}


@lru_cache(maxsize=256)
def unmeasured(calibration: Calibration, family: DeviceFamily) -> frozenset[Kind]:
    """The kinds of figures that nobody measured on any device of a family, with whatever engine."""
    measured = calibration.coverage.families.get(family, {}).values()
    return frozenset(kind for kind in calibration.spread.grades if not any(kind in kinds for kinds in measured))


@lru_cache(maxsize=SETUPS_KEPT)
def spreads_of(s: Setup, calibration: Calibration, depth: str) -> Recipe:
    """The spread of every speed that is shown, for a setup whose speed is stated at a depth."""
    grades = tuple(support(s, calibration).values())
    return spreads(calibration, grades, unmeasured(calibration, s.device.family), conditions(s), depth)


@recipe
def spreads(
    trace: Recipe,
    calibration: Calibration,
    grades: tuple[Grade, ...],
    unknown: frozenset[Kind],
    met: frozenset[str],
    depth: str,
) -> None:
    """The spread of every speed that is shown: of decode, first token, throughput, saturation and prefill.

    Parameters
    ----------
    trace : to be written
    calibration : with its spreads and rules
    grades : of evidence, kind by kind as the calibration has them
    unknown : kinds that `unmeasured` names
    met : the conditions that are true, as `conditions` tells
    depth : key of the depth at which decode is stated
    """
    kinds = dict(zip(calibration.spread.grades, grades, strict=True))
    of_kind = {kind: met | {UNMEASURED} if kind in unknown else met for kind in kinds}
    for kind, grade in kinds.items():
        _write_spread(trace, calibration, kind, grade, of_kind[kind], kind)
    _write_spread(trace, calibration, "batched", kinds["batched"], of_kind["batched"], "tpot")
    batch = {"batch": "serving.requests_in_step"}
    for key, alone, loaded in (
        ("spread.decode.shallow", "decode", "tpot"),
        ("spread.throughput", "decode", "batched"),
        ("spread.first_token", "prefill", "ttft"),
    ):
        alone, loaded = f"spread.{alone}.any", f"spread.{loaded}.any"
        trace.compute(key, uncertainty.spread_under_load, alone=alone, loaded=loaded, **batch)
    trace.given("spread.short_tokens", SHORT_TOKENS, Unit.TOKEN, METHOD)
    trace.given("spread.deep_tokens", DEEP_TOKENS, Unit.TOKEN, METHOD)
    deep = next(rule.widening for rule in calibration.spread.rules if rule.when == "deep")
    trace.given("spread.deep_widening", deep, Unit.RATIO, _origin(calibration))
    trace.compute(
        "spread.decode",
        uncertainty.spread_at_depth,
        spread="spread.decode.shallow",
        depth=depth,
        short="spread.short_tokens",
        deep="spread.deep_tokens",
        widening="spread.deep_widening",
    )


def _write_spread(
    trace: Recipe, calibration: Calibration, kind: Kind, grade: Grade, met: frozenset[str], rules: str
) -> None:
    """The spread by evidence, widened by every rule that applies whatever the depth."""
    origin, key = _origin(calibration), f"spread.{rules}.any"
    spread = calibration.spread.grades[kind][_GRADES.index(grade)]
    widening, least = 1.0, uncertainty.LEAST_SPREAD
    for rule in calibration.spread.rules:
        if rule.kind == rules and rule.when in met:
            widening, least = widening * rule.widening, max(least, rule.least)
    if widening == 1.0 and spread >= least:
        trace.given(key, spread, Unit.RATIO, origin)
        return
    trace.given(f"{key}.by_evidence", spread, Unit.RATIO, origin)
    trace.given(f"{key}.widening", widening, Unit.RATIO, origin)
    trace.given(f"{key}.least", least, Unit.RATIO, origin)
    trace.compute(
        key, uncertainty.widened_spread, spread=f"{key}.by_evidence", widening=f"{key}.widening", least=f"{key}.least"
    )


def conditions(s: Setup) -> frozenset[str]:
    """What is true of a situation, of all that rules of the ranges ask for."""
    family = s.device.family
    met = {
        "always": True,
        "mixture_of_experts": has_routed_experts(s),
        "tensor_parallel": s.plan.stage_ranks > 1,
        "layer_split": s.plan.pipeline > 1 and s.engine.group == "llama.cpp",
        "amd_or_intel": family in _AMD_OR_INTEL,
        "amd_apu": family is DeviceFamily.AMD_APU,
        "intel": family is DeviceFamily.INTEL,
        "apple": family is DeviceFamily.APPLE,
        "nvidia_gddr": family is DeviceFamily.NVIDIA_GDDR,
        "nvidia_hbm": family is DeviceFamily.NVIDIA_HBM,
        "nvidia_unified": family is DeviceFamily.NVIDIA_UNIFIED,
        "serving_engine": s.engine.group == "serving",
        "earlier_engine": s.engine.generation != "",
        "host_memory": computes_on_cpu(s) and _places_on_host(s),
    }
    return frozenset(name for name, is_met in met.items() if is_met)


def _places_on_host(s: Setup) -> bool:
    deployment = s.deployment
    return deployment.host_layers + deployment.host_expert_layers > 0


def _origin(calibration: Calibration) -> Origin:
    source = calibration.source
    return Origin(
        OriginKind.CALIBRATION, source.title, source.address, source.date, source.confidence, "calibration/spread"
    )


def record_speed_range(trace: Recipe, key: str, spread: str, most: str) -> None:
    """Record `<key>.p10` and `<key>.p90` of a speed that cannot exceed `most`."""
    trace.compute(f"{key}.p90", uncertainty.speed_p90, median=key, spread=spread, most=most)
    trace.compute(f"{key}.p10", uncertainty.speed_p10, median=key, spread=spread, p90=f"{key}.p90")


def record_time_range(trace: Recipe, key: str, spread: str, least: str) -> None:
    """Record `<key>.p10` and `<key>.p90` of a time that cannot be less than `least`."""
    trace.compute(f"{key}.p10", uncertainty.time_p10, median=key, spread=spread, least=least)
    trace.compute(f"{key}.p90", uncertainty.time_p90, median=key, spread=spread)


def estimate(trace: Trace, key: str, evidence: Evidence) -> Estimate:
    """The estimate of a speed whose range is recorded."""
    p10, p50, p90 = float(trace[f"{key}.p10"]), float(trace[key]), float(trace[f"{key}.p90"])
    wide = p90 > uncertainty.ORDER_OF_MAGNITUDE * p10
    return Estimate(key, p10, p50, p90, evidence, order_of_magnitude=wide)

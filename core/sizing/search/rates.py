"""The rates of all devices under one engine and weight format, side by side: what bounds divide by."""

from dataclasses import dataclass, replace
from typing import Any
from weakref import WeakKeyDictionary

from core.catalogue.calibration import shipped_calibration
from core.catalogue.catalogue import Catalogue
from core.catalogue.records import Device, DeviceFamily
from core.errors import CatalogueError
from core.physics import efficiency, prefill, roofline
from core.sizing.efficiency import has_units, power_of
from core.sizing.engine_defaults import chunk_tokens
from core.sizing.groups import usable_bytes
from core.sizing.rates import circumstances, compute_format, wide_format
from core.sizing.search.counted import Counted
from core.sizing.situation import Setup

Axis = Any  # array, one element a candidate, layout or device

#: Parameters of the calibration that bounds use, by symbol; `mfu` as far as the power of the device allows.
FITTED = ("t_op", "t_host", "t_seq", "gamma", "mfu", "mfu_e", "mfu_b", "mfu_dec_att", "mfu_att", "t_req", "c_q",
          "c_burst", "c_int", "ars", "pipe", "w_half")  # fmt: skip
FIELDS = ("low", "wide", "weights", "experts", "cache", "half", "chunk", *FITTED)


@dataclass(frozen=True, slots=True)
class Rates:
    """One row for each of `FIELDS`, one column for each device; not a number where a device has no computing rate."""

    table: Axis

    def __getitem__(self, field: str) -> Axis:
        row: Axis = self.table[FIELDS.index(field)]
        return row


_KNOWN: "WeakKeyDictionary[Catalogue, dict[object, Rates]]" = WeakKeyDictionary()


def rates(devices: tuple[Device, ...], counted: Counted, catalogue: Catalogue) -> Rates:
    """The rates of the devices under the engine and weight format of a variant, kept for the next search."""
    import numpy as np

    setup = counted.situation.setup
    one = circumstances(setup, shipped_calibration())
    key = (
        setup.engine.id,
        setup.weight_format.id,
        replace(one, device="", family="", architecture="", back_end=""),
        tuple(device.id for device in devices),
    )
    known = _KNOWN.setdefault(catalogue, {})
    if key not in known:
        known[key] = Rates(np.array([_column(device, setup) for device in devices], dtype=float).T)
    return known[key]


def _column(device: Device, of: Setup) -> tuple[float, ...]:
    setup = replace(of, device=device)
    try:
        low = device.peak_flops[compute_format(device, setup.engine, setup.weight_format)]
        wide = device.peak_flops[wide_format(device, setup.engine)]
    except CatalogueError:
        return (float("nan"),) * len(FIELDS)
    calibration = shipped_calibration()
    fit = {symbol: fitted.value for symbol, fitted in calibration.fitted(circumstances(setup, calibration)).items()}
    full = device.memory_tiers[0].bandwidth_bytes_per_s
    if device.family is DeviceFamily.CPU:
        weights = roofline.reached_bandwidth(full, fit["eta_cpu"], full)
    elif device.execution_units and device.clock_hz:
        weights = roofline.effective_bandwidth(full, fit["eta"], device.execution_units, device.clock_hz, fit["cap"])
    else:
        weights = roofline.reached_bandwidth(full, fit["eta"], full)
    experts = roofline.reached_bandwidth(weights, fit["eta_e"], full)
    cache = roofline.reached_bandwidth(weights, fit["eta_kv"], full)
    half = prefill.half_rate_tokens(fit["n_half"], wide)
    fit["mfu"] = efficiency.efficiency_within_power(fit["mfu"], power_of(device, wide), wide, fit["e_half"])
    if device.execution_units and device.clock_hz and has_units(device):
        fit["mfu"] = efficiency.efficiency_within_units(
            fit["mfu"], wide, device.execution_units, device.clock_hz, fit["ops"]
        )
    chunk = chunk_tokens(setup, usable_bytes(setup)) or setup.engine.prefill_chunk
    return (low, wide, weights, experts, cache, half, chunk, *(fit[symbol] for symbol in FITTED))


def link_factor(link: str) -> float:
    """What a link multiplies the start-up of an all-reduce within an engine by, at least."""
    factor = 1.0
    for rule in shipped_calibration().parameters["ars"].multipliers:
        values = rule.on.get("link")
        if values is not None and link in values:
            factor *= rule.factor if len(rule.on) == 1 else min(1.0, rule.factor)
    return factor

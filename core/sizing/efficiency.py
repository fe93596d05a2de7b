"""The share of a device's computing rate that products of a situation reach."""

from core.catalogue.records import Device, DeviceFamily
from core.physics import decode, efficiency
from core.sizing.groups import source_of_model
from core.sizing.origins import METHOD, catalogue_origin
from core.sizing.situation import Setup
from core.trace import Recipe, Recorder
from core.units import Unit

#: Power for a 16-bit rate, where a device states none [J/FLOP]: that of desktop cards of today, and of chips whose
#: plain arithmetic units compute everything.
USUAL_POWER, POWER_WITHOUT_MATRIX_UNITS = 1.4e-12, 4e-12
WITHOUT_MATRIX_UNITS = ("m1", "m2", "m3", "m4")


def record_efficiency(trace: Recipe, situation: Setup, experts: bool) -> None:
    """Record the shares of the rate that products reach: of layers, and of experts where tokens are sent to them."""
    reached = record_reached(trace, situation.device)
    origin, widths = source_of_model(situation), {"layers": efficiency.inner_width_of_layers(situation.blueprint)}
    if experts:
        widths["one_expert"] = efficiency.inner_width_of_experts(situation.blueprint)
    for name, width in widths.items():
        trace.given(f"model.inner_width.{name}", width, Unit.COUNT, origin)
        trace.compute(
            f"efficiency.{name}",
            efficiency.efficiency_of_width,
            efficiency=reached,
            width=f"model.inner_width.{name}",
            half="fit.w_half",
        )
    if experts:
        trace.compute("efficiency.experts", decode.product, first="efficiency.one_expert", second="fit.mfu_e")


def power_of(device: Device, rate: float) -> float:
    """What one accelerator may draw [W]: its label, or what such devices usually have for their rate."""
    if device.tdp_w:
        return device.tdp_w
    return rate * (POWER_WITHOUT_MATRIX_UNITS if device.architecture in WITHOUT_MATRIX_UNITS else USUAL_POWER)


def has_units(device: Device) -> bool:
    """Is it known how many execution units an accelerator has, and how fast they run? Cores of a CPU are no such."""
    return bool(device.execution_units and device.clock_hz) and device.family is not DeviceFamily.CPU


def reached_key(device: Device) -> str:
    """The key of the share of the rate that long products reach on a device."""
    return "efficiency.within_units" if has_units(device) else "efficiency.within_power"


def record_reached(trace: Recorder, device: Device) -> str:
    """Record the share of the rate that an accelerator keeps up within its power and its units; return its key."""
    record_power(trace, device)
    key = reached_key(device)
    units, clock = device.execution_units, device.clock_hz
    if units and clock and has_units(device):
        trace.given("device.execution_units", units, Unit.COUNT, catalogue_origin(device, "execution_units"))
        trace.given("device.clock_hz", clock, Unit.HERTZ, catalogue_origin(device, "clock_hz"))
        trace.compute(
            key,
            efficiency.efficiency_within_units,
            efficiency="efficiency.within_power",
            rate="rate.fp16",
            units="device.execution_units",
            clock="device.clock_hz",
            per_clock="fit.ops",
        )
    return key


def record_power(trace: Recorder, device: Device) -> None:
    """Record `efficiency.within_power`: the share of the rate that an accelerator keeps up."""
    origin = catalogue_origin(device, "tdp_w") if device.tdp_w else METHOD
    trace.given("device.power_w", power_of(device, float(trace["rate.fp16"])), Unit.WATT, origin)
    trace.compute(
        "efficiency.within_power",
        efficiency.efficiency_within_power,
        efficiency="fit.mfu",
        power="device.power_w",
        rate="rate.fp16",
        each="fit.e_half",
    )

"""The figures of a device."""

from decimal import Decimal
from typing import Any

from core.catalogue.records import DeviceFamily, DeviceKind
from core.language.messages import gettext as _
from desktop.inputs import names
from desktop.pages.catalogue.figures import (
    Data,
    Figure,
    FigureGroup,
    figure,
    member,
    one_among,
    one_of,
    value_at,
    worded,
    words,
)
from desktop.widgets import quantity
from desktop.widgets.choices import Choice
from desktop.widgets.quantity import Quantity, Value


def device_groups(data: Data, catalogue: Any) -> list[FigureGroup]:
    """The figures of a device in the order in which they are read."""
    tiers = data["memory_tiers"]
    return [
        FigureGroup(_("Identity"), _identity()),
        FigureGroup(_("Memory"), tuple(one for at, tier in enumerate(tiers) for one in _tier(at, tier, len(tiers)))),
        FigureGroup(_("Compute, dense"), _compute(data)),
        FigureGroup(_("Links"), _links(catalogue)),
        FigureGroup(_("Power and price"), _power_and_price(data)),
    ]


def kinds() -> dict[str, str]:
    return {
        DeviceKind.CARD: _("Card"),
        DeviceKind.MODULE: _("Module (SXM, OAM)"),
        DeviceKind.UNIFIED: _("Machine with shared memory"),
        DeviceKind.NODE: _("Board or server with several"),
        DeviceKind.RACK: _("Rack"),
        DeviceKind.CPU: _("CPU"),
    }


def families() -> dict[str, str]:
    """Families that calibration treats alike; they are names, not words."""
    return {
        DeviceFamily.NVIDIA_HBM: "NVIDIA HBM",
        DeviceFamily.NVIDIA_GDDR: "NVIDIA GDDR",
        DeviceFamily.NVIDIA_UNIFIED: "NVIDIA GB10",
        DeviceFamily.AMD_CDNA: "AMD CDNA",
        DeviceFamily.AMD_RDNA: "AMD RDNA",
        DeviceFamily.AMD_APU: "AMD APU",
        DeviceFamily.APPLE: "Apple",
        DeviceFamily.INTEL: "Intel",
        DeviceFamily.GAUDI: "Gaudi",
        DeviceFamily.TPU: "TPU",
        DeviceFamily.ASCEND: "Ascend",
        DeviceFamily.CPU: "CPU",
    }


def blank_device() -> Data:
    """A device of which nothing is known yet."""
    tier = {"name": "", "kind": "", "capacity_bytes": None, "usable_bytes": None, "bandwidth_bytes_per_s": None}
    return {
        "vendor": "",
        "kind": DeviceKind.CARD.value,
        "family": None,
        "architecture": "",
        "form_factor": "",
        "accelerators": 1,
        "memory_tiers": ({**tier, "note": ""},),
        "peak_flops": {},
        "links": (),
        "network_links": (),
    }


def _identity() -> tuple[Figure, ...]:
    return (
        worded("name", _("Name"), words("RTX PRO 6000", optional=False, most=120)),
        worded("short_name", _("Short name"), words("PRO 6000", most=40)),
        worded("vendor", _("Maker"), words("NVIDIA", optional=False)),
        figure("kind", _("Kind"), one_of(kinds())),
        figure("family", _("Measured like"), one_of(families())),
        worded("architecture", _("Architecture"), words("blackwell", optional=False)),
        worded("form_factor", _("Form"), words("PCIe")),
        figure("accelerators", _("Accelerators in one"), quantity.count(high=1024, example="8")),
    )


def _tier(at: int, tier: Data, many: int) -> list[Figure]:
    def named(text: str) -> str:
        return f"{text}, {tier['name']}" if many > 1 else text

    return [
        worded(f"memory_tiers.{at}.name", named(_("Kind of memory")), words("GDDR7", optional=False)),
        figure(f"memory_tiers.{at}.capacity_bytes", named(_("Capacity")), quantity.memory()),
        figure(
            f"memory_tiers.{at}.usable_bytes", named(_("Reported by the driver")), quantity.memory("MiB", optional=True)
        ),
        figure(f"memory_tiers.{at}.bandwidth_bytes_per_s", named(_("Bandwidth")), quantity.rate()),
    ]


def _compute(data: Data) -> tuple[Figure, ...]:
    usual = {"fp16": "FP16 / BF16", "fp8": "FP8", "fp4": "FP4", "int8": "INT8"}
    rarer = {"fp16_fp16_accumulate": _("FP16, added in FP16"), "tf32": "TF32", "fp32": "FP32"}
    shown = {**usual, **{name: text for name, text in rarer.items() if name in data["peak_flops"]}}
    rates = tuple(member(f"peak_flops.{name}", text, quantity.teraflops()) for name, text in shown.items())
    return (*rates, worded("fp4_format", _("FP4 kinds"), words("NVFP4/MXFP4")))


def _links(catalogue: Any) -> tuple[Figure, ...]:
    return (
        figure("pcie_bytes_per_s_per_direction", _("PCIe, each way"), quantity.rate(optional=True)),
        _best("links", _("Card to card"), catalogue),
        _best("network_links", _("Machine to machine"), catalogue),
    )


def _best(key: str, text: str, catalogue: Any) -> Figure:
    """The best of a list of links; the others stay behind it."""

    def choices() -> list[Choice]:
        links = sorted(catalogue.links.values(), key=lambda one: one.name.casefold())
        return [Choice(one.id, one.name, names.number().rate(one.bytes_per_s_per_direction)) for one in links]

    def get(data: Data) -> Value:
        return value_at(data, f"{key}.0")

    def put(data: Data, value: Value) -> None:
        data[key] = (value, *(one for one in data.get(key) or () if one != value)) if value else ()

    return Figure(key, text, one_among(choices, optional=True), get, put)


def _power_and_price(data: Data) -> tuple[Figure, ...]:
    currency = str(value_at(data, "price.currency") or "USD")
    return (
        figure("tdp_w", _("Board power"), quantity.plain("W")),
        figure("system_power_w", _("Power at the wall"), quantity.plain("W")),
        _price("low", _("Price from"), currency),
        _price("high", _("Price to"), currency),
        figure("noise_dba", _("Noise"), quantity.plain("dB", example="38", high=200)),
    )


def dated_price(data: Data) -> Data:
    """The record with the date of its price, which is that of the source that was given for it."""
    sources, price = data.get("sources") or {}, data.get("price")
    told = sources.get("price.low") or sources.get("price.high")
    if price and told and told["date"]:
        return {**data, "price": {**price, "as_of": told["date"]}}
    return data


def amount(unit: str, example: str = "12,400") -> Quantity:
    """An amount of money, exact to the cent."""
    return quantity.plain(unit, example=example, high=1e12, digits=2)


def exact(value: Value) -> Decimal:
    return Decimal(str(value)).quantize(Decimal("0.01"))


def _price(end: str, text: str, currency: str) -> Figure:
    def get(data: Data) -> Value:
        known = value_at(data, f"price.{end}")
        return None if known is None else float(known)

    def put(data: Data, value: Value) -> None:
        """One end alone stands for both, and a range never runs backwards."""
        if value is None:
            data["price"] = None
            return
        cents = exact(value)
        old = data.get("price") or {"currency": currency, "as_of": "", "note": "", "low": cents, "high": cents}
        ends = {"low": Decimal(old["low"]), "high": Decimal(old["high"]), end: cents}
        if ends["low"] > ends["high"]:
            ends = {"low": cents, "high": cents}
        data["price"] = {**old, **ends}

    return Figure(f"price.{end}", text, amount(currency), get, put)

"""The figures of a device on the catalogue page: where each stands in the record, how it is read and written."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from core.catalogue.records import Device, MemoryTier, Price
from core.language.messages import gettext as _
from desktop.widgets import quantity
from desktop.widgets.quantity import Quantity, Value


@dataclass(frozen=True)
class Figure:
    """One figure: its words, its place among the sources, and how to get and set it in a record as plain values."""

    key: str  # as in Device.sources
    text: str
    kind: Quantity
    get: Callable[[Device], Value]
    put: Callable[[dict[str, Any], Value], None]


@dataclass(frozen=True)
class FigureGroup:
    title: str
    figures: tuple[Figure, ...]


def groups(device: Device) -> list[FigureGroup]:
    """The figures of a device in the order in which they are read."""
    return [
        FigureGroup(
            _("Memory"), tuple(f for at, tier in enumerate(device.memory_tiers) for f in _tier(device, at, tier))
        ),
        FigureGroup(_("Compute, dense"), tuple(_peak(name, text) for name, text in peaks().items())),
        FigureGroup(_("Power and price"), _power_and_price()),
    ]


def peaks() -> Mapping[str, str]:
    return {"fp16": "FP16 / BF16", "fp8": "FP8", "fp4": "FP4", "int8": "INT8"}


def _tier(device: Device, at: int, tier: MemoryTier) -> list[Figure]:
    several = len(device.memory_tiers) > 1

    def named(text: str) -> str:
        return f"{text}, {tier.name}" if several else text

    return [
        _in_tier(at, "capacity_bytes", named(_("Capacity")), quantity.memory()),
        _in_tier(at, "usable_bytes", named(_("Reported by the driver")), quantity.memory("MiB", optional=True)),
        _in_tier(at, "bandwidth_bytes_per_s", named(_("Bandwidth")), quantity.rate()),
    ]


def _in_tier(at: int, name: str, text: str, kind: Quantity) -> Figure:
    def get(device: Device) -> Value:
        return getattr(device.memory_tiers[at], name)

    def put(data: dict[str, Any], value: Value) -> None:
        data["memory_tiers"] = list(data["memory_tiers"])
        data["memory_tiers"][at] = {**data["memory_tiers"][at], name: value}

    return Figure(f"memory_tiers.{at}.{name}", text, kind, get, put)


def _peak(name: str, text: str) -> Figure:
    def put(data: dict[str, Any], value: Value) -> None:
        rates = {**data["peak_flops"], name: value}
        data["peak_flops"] = {key: rate for key, rate in rates.items() if rate is not None}

    return Figure(f"peak_flops.{name}", text, quantity.teraflops(), lambda device: device.peak_flops.get(name), put)


def _plain(key: str, text: str, kind: Quantity) -> Figure:
    def put(data: dict[str, Any], value: Value) -> None:
        data[key] = value

    return Figure(key, text, kind, lambda device: getattr(device, key), put)


def _power_and_price() -> tuple[Figure, ...]:
    return (
        _plain("pcie_bytes_per_s_per_direction", _("PCIe, each way"), quantity.rate(optional=True)),
        _plain("tdp_w", _("Board power"), quantity.plain("W")),
        _price("low", _("Price from")),
        _price("high", _("Price to")),
        _plain("noise_dba", _("Noise"), quantity.plain("dB", example="38", high=200)),
    )


def _price(end: str, text: str) -> Figure:
    def get(device: Device) -> Value:
        return float(getattr(device.price, end)) if device.price else None

    def put(data: dict[str, Any], value: Value) -> None:
        """One end alone stands for both, and a range never runs backwards."""
        if value is None:
            data["price"] = None
            return
        amount = Decimal(str(value)).quantize(Decimal("0.01"))
        old = data.get("price") or Price(low=amount, high=amount).model_dump()
        ends = {"low": Decimal(old["low"]), "high": Decimal(old["high"]), end: amount}
        if ends["low"] > ends["high"]:
            ends = {"low": amount, "high": amount}
        data["price"] = {**old, **ends}

    return Figure(f"price.{end}", text, quantity.plain("USD", example="12,400", high=1e12, digits=2), get, put)

"""What a layout costs to buy, draws and sounds like: figures of the catalogue, or unknown, never a guess."""

import math
from dataclasses import dataclass
from decimal import Decimal

from core.catalogue.records import Device, DeviceKind

#: Servers run at 60 to 80 dB(A): what needs a server's airflow is at least this loud, whatever its record leaves out.
SERVER_NOISE_DBA = 60.0


@dataclass(frozen=True, slots=True)
class Supply:
    """Facts of so many units of a device; None where the catalogue does not know.

    price       to buy: the geometric middle of the quotes, times the units
    price_low, price_high   the range of the quotes
    power_w     under load: at the wall where the system was measured, else what the accelerators are specified for
    noise_dba   under load, all units together
    noise_is_least   the figure is what such machines have at least
    """

    price: Decimal | None
    price_low: Decimal | None
    price_high: Decimal | None
    currency: str
    power_w: float | None
    noise_dba: float | None
    noise_is_least: bool = False


def supply(device: Device, units: int) -> Supply:
    """Price, power and noise of so many units of a device.

    Parameters
    ----------
    device : the record
    units : bought, all alike

    Returns
    -------
    the facts; sources that sound alike add 3 dB each time their number doubles
    """
    price = device.price
    low = high = middle = None
    if price is not None:
        low, high = price.low * units, price.high * units
        middle = ((price.low * price.high).sqrt() * units).quantize(Decimal(1))
    power = device.system_power_w
    if power is None and device.tdp_w is not None:
        power = device.tdp_w * device.accelerators
    noise, least = noise_of(device)
    return Supply(
        price=middle,
        price_low=low,
        price_high=high,
        currency=price.currency if price is not None else "",
        power_w=None if power is None else power * units,
        noise_dba=None if noise is None else noise + 10 * math.log10(units),
        noise_is_least=least,
    )


def noise_of(device: Device) -> tuple[float | None, bool]:
    """Noise of one unit under load, and whether that is only the least it can be [dB(A)]."""
    if device.noise_dba is not None:
        return device.noise_dba, False
    if device.kind in (DeviceKind.NODE, DeviceKind.RACK, DeviceKind.MODULE) or "passive" in device.form_factor:
        return SERVER_NOISE_DBA, True
    return None, False

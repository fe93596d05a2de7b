"""Where a scenario of one's own begins: the example's real model and card, an ordinary load, and the user's habits."""

from decimal import Decimal, InvalidOperation
from typing import Any

from core.catalogue.records import Device, Engine
from core.errors import TonnageError
from core.language.messages import gettext as _
from core.scenario import Mode, Scenario, Workload
from desktop.settings import CURRENCY, ELECTRICITY_PRICE, ENGINE, Settings

#: Formats of weights and cache to begin with, the first that an engine supports.
_WEIGHTS = ("nvfp4", "fp8", "Q4_K_M", "mlx4", "bf16", "fp16")
_CACHES = ("fp8", "q8_0", "fp16")


def new_scenario(settings: Settings, catalogue: Any) -> Scenario:
    """A new scenario with the currency, the price of electricity and the engine of the settings."""
    from core.sizing.examples import worked_example_in_reality

    scenario = worked_example_in_reality().edited(
        name=_("New scenario"),
        mode=Mode.REAL,
        companions=(),
        workload=Workload(users=20, active_share=0.25, prompt_tokens=8192, context_tokens=32_768),
        deployment__runtime_bytes=None,
        deployment__capacity_bytes=None,
    )
    if settings.get(CURRENCY):
        scenario = scenario.edited(economics__currency=settings.get(CURRENCY))
    price = electricity_price(settings)
    if price is not None:
        scenario = scenario.edited(economics__electricity_price=price)
    return _with_engine(scenario, settings.get(ENGINE), catalogue)


def electricity_price(settings: Settings) -> Decimal | None:
    """The usual price of a kilowatt-hour; None where none is set."""
    try:
        price = Decimal(settings.get(ELECTRICITY_PRICE))
    except InvalidOperation:
        return None
    return price if price.is_finite() and price >= 0 else None


def _with_engine(scenario: Scenario, engine_id: str, catalogue: Any) -> Scenario:
    """The scenario on another engine, in formats that this reads; as it was where the catalogue has no such engine."""
    if not engine_id:
        return scenario
    try:
        engine: Engine = catalogue.engine(engine_id)
    except TonnageError:
        return scenario
    changes: dict[str, Any] = {"deployment__engine": engine_id}
    for path, chosen, offered, wanted in (
        ("weights", scenario.weights, engine.weight_formats, _WEIGHTS),
        ("kv_format", scenario.kv_format, engine.kv_formats, _CACHES),
    ):
        if chosen not in offered and offered:
            changes[path] = next((one for one in wanted if one in offered), offered[0])
    device = _device_for(engine, scenario, catalogue)
    return scenario.edited(**changes, deployment__device=device)


def _device_for(engine: Engine, scenario: Scenario, catalogue: Any) -> str:
    """The example's device, or where the engine does not run on it the smallest that holds as much."""
    usual: Device = catalogue.device(scenario.deployment.device)
    if usual.family in engine.families:
        return usual.id
    needed = usual.memory_tiers[0].capacity_bytes
    fits = [
        device
        for device in catalogue.devices.values()
        if device.family in engine.families and device.memory_tiers[0].capacity_bytes >= needed
    ]
    fits.sort(key=lambda device: (device.memory_tiers[0].capacity_bytes, device.id))
    return fits[0].id if fits else usual.id

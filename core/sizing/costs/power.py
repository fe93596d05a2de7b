"""Power of a deployment, idle, at work and at most; never the label for the bill.

Decoding keeps a card far below its label. Where a card was measured the measurement counts, else the usual share of the
label; circuits, UPS and cooling are laid out for the label and the machine around it.
"""

from core.catalogue.fact_kinds import FactSection
from core.catalogue.records import Device, DeviceKind
from core.physics import energy, purchase
from core.sizing.costs.bought import Bought
from core.sizing.costs.ledger import Ledger
from core.sizing.costs.report import Missing
from core.sizing.origins import catalogue_origin
from core.sizing.presets import ESTIMATE
from core.trace import CHOICE, Origin
from core.units import Unit

#: Share of the label at work: while mostly writing, and while mostly reading prompts.
WRITING_SHARE, READING_SHARE = 0.45, 0.65
#: A machine that is not measured draws this share of its label while it waits.
IDLE_SHARE = 0.2
#: A server draws so much by itself, and so much more for each card in it [W].
SERVER_W, SERVER_PER_CARD_W = 100.0, 100.0
_PUE = {
    DeviceKind.CARD: "power.pue.technical-room",
    DeviceKind.UNIFIED: "power.pue.office",
    DeviceKind.CPU: "power.pue.technical-room",
}
_WHOLE = (DeviceKind.UNIFIED, DeviceKind.CPU)


def record_power(ledger: Ledger, bought: Bought) -> None:
    """Record "power.idle_w", "power.busy_w" and "power.most_w" of all machines together, and the PUE."""
    economics, device = ledger.economics, bought.device
    accelerators = _record_accelerators(ledger, bought)
    _record_each(ledger, bought)
    _record_hosts(ledger, bought, int(ledger.trace[accelerators]))
    for name, chosen in (("idle", economics.idle_power_w), ("busy", economics.busy_power_w), ("most", None)):
        key = f"power.{name}_w"
        if chosen is not None:
            ledger.given(key, chosen, Unit.WATT)
            continue
        ledger.compute(
            key,
            energy.power_of,
            host="power.hosts_w",
            accelerators=accelerators,
            each=f"power.accelerator_{name}_w",
        )
    colocated = economics.colocation_price is not None
    room = "power.pue.colocation-new" if colocated else _PUE.get(device.kind, "power.pue.survey-average-2025")
    ledger.choice_or_fact("power.pue", Unit.RATIO, economics.pue, FactSection.POWER, room, as_float=True)


def _record_accelerators(ledger: Ledger, bought: Bought) -> str:
    """The key of the number of accelerators that draw power: those of the model, unless there are more."""
    if not bought.beside and bought.sites == 1:
        return "deployment.accelerators"
    ledger.given("deployment.beside", bought.beside, Unit.COUNT, CHOICE)
    ledger.given("deployment.sites", bought.sites, Unit.COUNT, CHOICE)
    ledger.given(
        "device.accelerators", bought.device.accelerators, Unit.COUNT, catalogue_origin(bought.device, "accelerators")
    )
    return ledger.compute(
        "power.accelerators",
        purchase.accelerators_bought,
        serving="deployment.accelerators",
        beside="deployment.beside",
        each="device.accelerators",
        sites="deployment.sites",
    )


def _record_each(ledger: Ledger, bought: Bought) -> None:
    """One accelerator: at most, at work, waiting."""
    device = bought.device
    label, field = device.tdp_w, "tdp_w"
    if device.kind in _WHOLE:
        whole = device.system_power_w
        if whole is not None:
            label, field = whole / device.accelerators, "system_power_w"
    if label is None:
        for name in ("most", "busy", "idle"):
            ledger.lack(f"power.accelerator_{name}_w", Missing.POWER, device.name)
        return
    most = ledger.given("power.accelerator_most_w", float(label), Unit.WATT, catalogue_origin(device, field))
    measured = [
        fact
        for fact in ledger.facts.section(FactSection.POWER)
        if fact.known and {device.id, device.accelerator_id} & set(fact.devices)
    ]
    if measured:
        middle = measured[0].middle
        ledger.given("power.accelerator_busy_w", float(middle or 0), Unit.WATT, measured[0].origin)
    else:
        share, origin = _busy_share(ledger, bought)
        ledger.given("power.busy_share_of_label", share, Unit.SHARE, origin)
        ledger.compute("power.accelerator_busy_w", energy.share_of_power, most=most, share="power.busy_share_of_label")
    _record_idle(ledger, float(label), device.kind in _WHOLE)


def _busy_share(ledger: Ledger, bought: Bought) -> tuple[float, Origin]:
    fact = ledger.facts.find(FactSection.POWER, "power.gpu.inference-average-share")
    share = READING_SHARE if bought.reads else WRITING_SHARE
    return share, fact.origin if fact is not None else ESTIMATE


def _record_idle(ledger: Ledger, label: float, whole: bool) -> None:
    """A loaded model keeps a card awake; small cards and whole machines draw a share of their label."""
    fact = ledger.facts.find(FactSection.POWER, "power.gpu.idle-loaded-model")
    share = IDLE_SHARE * label
    if fact is None or fact.high is None or whole or float(fact.high) > share:
        ledger.given("power.idle_share_of_label", IDLE_SHARE, Unit.SHARE, ESTIMATE)
        ledger.compute(
            "power.accelerator_idle_w",
            energy.share_of_power,
            most="power.accelerator_most_w",
            share="power.idle_share_of_label",
        )
    else:
        ledger.given("power.accelerator_idle_w", float(fact.high), Unit.WATT, fact.origin)


def _record_hosts(ledger: Ledger, bought: Bought, accelerators: int) -> None:
    """What the machines draw beside their accelerators."""
    device = bought.device
    if device.kind in _WHOLE:
        ledger.given("power.hosts_w", 0.0, Unit.WATT, catalogue_origin(device, "system_power_w"))
        return
    machines = bought.machines * bought.sites
    ledger.given("power.machines", machines, Unit.COUNT)
    _record_host(ledger, device, accelerators // machines)
    ledger.compute("power.hosts_w", energy.power_of_machines, machines="power.machines", each="power.host_w")


def _record_host(ledger: Ledger, device: Device, cards: int) -> None:
    """One machine without its accelerators: as measured, what the system's label leaves, or by the number of cards."""
    if device.kind is not DeviceKind.CARD and device.system_power_w is not None and device.tdp_w is not None:
        ledger.given("power.system_w", device.system_power_w, Unit.WATT, catalogue_origin(device, "system_power_w"))
        ledger.given("power.accelerators_in_machine", cards, Unit.COUNT, catalogue_origin(device, "accelerators"))
        ledger.compute(
            "power.host_w",
            energy.rest_of_power,
            system="power.system_w",
            accelerators="power.accelerators_in_machine",
            each="power.accelerator_most_w",
        )
        return
    facts = ledger.facts
    if device.kind is DeviceKind.CARD:
        fact = facts.find(FactSection.POWER, f"power.host.{cards}gpu-workstation")
        value = float(fact.middle) if fact and fact.middle is not None else SERVER_W + SERVER_PER_CARD_W * cards
    else:
        fact = facts.find(FactSection.POWER, "power.host.8gpu-hgx")
        value = float(fact.middle) / 8 * cards if fact and fact.middle is not None else SERVER_PER_CARD_W * cards
    ledger.given("power.host_w", value, Unit.WATT, fact.origin if fact is not None else ESTIMATE)

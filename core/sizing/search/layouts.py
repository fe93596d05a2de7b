"""Every way to put accelerators of one device together: how many, in how many machines, and spread how.

Layouts do not depend on the model or the workload, so they are listed once for a catalogue.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from core.catalogue.catalogue import Catalogue
from core.catalogue.records import AllReduceCost, Device, DeviceKind, Link
from core.errors import InvalidInput
from core.physics import collective
from core.scenario import Deployment, Plan
from core.sizing.links import BETWEEN_MACHINES, Links
from core.sizing.resolution import machines, network_of

#: Cards that one machine takes, and boards of modules as they are built.
CARDS_IN_A_MACHINE = (1, 2, 3, 4, 6, 8)
MODULES_ON_A_BOARD = (4, 8)
#: Machines in one deployment; a rack counts as one.
MACHINES = (1, 2, 4, 9)
MOST_ACCELERATORS = 72
#: Pipeline stages beyond which nobody serves, and widths of tensor parallelism that divide heads.
MOST_STAGES = 8
RANKS = (1, 2, 4, 8, 16, 32)


@dataclass(frozen=True, slots=True)
class Layout:
    """One device, so many of it, spread by one plan.

    units     of the device that must be bought
    count     cards in each machine, or machines, as `Deployment.count`
    nodes     as `Deployment.nodes`
    exchange  constants of an all-reduce among the accelerators that share a layer; None without them
    link      that joins the accelerators of a copy in one machine; "" where one holds it
    hop_s     until a neighbouring stage starts on what is handed over [s]
    hop_bytes_per_s   of the link between stages; 0 where there is one stage
    rates_hold   those of the link hold within an engine: only the start-up of an all-reduce varies
    """

    device: Device
    units: int
    count: int
    nodes: int
    plan: Plan
    exchange: AllReduceCost | None = None
    link: str = ""
    hop_s: float = 0.0
    hop_bytes_per_s: float = 0.0
    rates_hold: bool = False

    @property
    def machines(self) -> int:
        """Machines, racks or desktops that stand there."""
        return self.nodes if self.device.kind in (DeviceKind.CARD, DeviceKind.MODULE) else self.units


_KNOWN: "WeakKeyDictionary[Catalogue, tuple[Layout, ...]]" = WeakKeyDictionary()


def layouts(catalogue: Catalogue) -> tuple[Layout, ...]:
    """All layouts of all devices that can be bought, in an order that does not depend on the catalogue's."""
    if catalogue not in _KNOWN:
        devices = sorted(catalogue.devices.values(), key=lambda device: (device.name, device.id))
        sold = [device for device in devices if is_sold(device, catalogue)]
        _KNOWN[catalogue] = tuple(layout for device in sold for layout in layouts_of(device, catalogue))
    return _KNOWN[catalogue]


def is_sold(device: Device, catalogue: Catalogue) -> bool:
    """Can it be bought, and is it no second record of something that can?

    What is only rented, a record kept for its figures alone (it shares its accelerator and form with one that has a
    price), and a pair of machines that counting its single machine covers, are not.
    """
    if "cloud only" in device.form_factor:
        return False
    if device.kind is DeviceKind.UNIFIED and device.accelerator_id:
        single = catalogue.devices.get(device.accelerator_id)
        if device.accelerators > 1 and single is not None and single.kind is DeviceKind.UNIFIED:
            return False
        alike = (d for d in catalogue.devices.values() if d.accelerator_id == device.accelerator_id)
        return device.price is not None or not any(d.price and d.form_factor == device.form_factor for d in alike)
    return True


def layouts_of(device: Device, catalogue: Catalogue) -> Iterator[Layout]:
    """Every count and plan of one device; what no link of the catalogue joins is left out."""
    exchanges: dict[tuple[int, int], _Exchange | None] = {}
    for count, nodes in _counts(device):
        separate, per_node = machines(device, Deployment.model_construct(count=count, nodes=nodes))
        if separate > 1 and not _networks(device, catalogue):
            continue
        network = network_of(device, separate, catalogue)
        for plan in _plans(separate, per_node):
            group = (min(plan.copy_ranks, per_node), plan.stage_ranks)
            if group not in exchanges:
                exchanges[group] = _exchange(device, catalogue, *group)
            found = exchanges[group]
            if found is not None:
                between = network if plan.copy_ranks > per_node else found.joins
                hops = (0.0, 0.0)
                if plan.pipeline > 1 and between is not None:
                    hops = (collective.hop_latency_s(between), between.bytes_per_s_per_direction)
                link = "" if found.joins is None else found.joins.id
                yield Layout(device, count * nodes, count, nodes, plan, found.cost, link, *hops, found.rates_hold)


def _counts(device: Device) -> Iterator[tuple[int, int]]:
    if "laptop" in device.form_factor and device.kind is DeviceKind.CARD:
        yield 1, 1
        return
    if device.kind is DeviceKind.CARD:
        inside: tuple[int, ...] = CARDS_IN_A_MACHINE
    elif device.kind is DeviceKind.MODULE:
        inside = (
            CARDS_IN_A_MACHINE[:2] + MODULES_ON_A_BOARD if "superchip" in device.form_factor else MODULES_ON_A_BOARD
        )
    else:
        yield from ((n, 1) for n in MACHINES if n * device.accelerators <= MOST_ACCELERATORS)
        return
    yield from ((count, 1) for count in inside)
    yield from ((inside[-1], n) for n in MACHINES if n > 1 and n * inside[-1] <= MOST_ACCELERATORS)


def _plans(nodes: int, per_node: int) -> Iterator[Plan]:
    """Tensor parallelism inside a machine, stages anywhere, copies of the rest."""
    everything = nodes * per_node
    for tensor in RANKS:
        if per_node % tensor:
            continue
        for stages in _divisors(everything // tensor, MOST_STAGES):
            copies = everything // (tensor * stages)
            if nodes > 1 and tensor * stages > per_node and tensor * stages % per_node:
                continue  # stages that straddle machines unevenly
            yield Plan(tensor=tensor, pipeline=stages, replicas=copies)
        if tensor > 1:  # for mixtures: whole experts on each rank; attention split with them, or whole on each too
            yield Plan(tensor=tensor, expert=tensor, replicas=everything // tensor)
            yield Plan(attention_replicas=tensor, expert=tensor, replicas=everything // tensor)


def _divisors(number: int, most: int) -> list[int]:
    return [n for n in range(1, min(number, most) + 1) if number % n == 0]


def _networks(device: Device, catalogue: Catalogue) -> list[Link]:
    """The links that join machines of a device."""
    offered = map(catalogue.link, (*device.network_links, *device.links))
    return [link for link in offered if link.kind in BETWEEN_MACHINES]


@dataclass(frozen=True, slots=True)
class _Exchange:
    """What joins the accelerators of one machine that share a copy."""

    joins: Link | None
    cost: AllReduceCost | None
    rates_hold: bool = False


def _exchange(device: Device, catalogue: Catalogue, group: int, sharing: int) -> _Exchange | None:
    """The link of a group, and the all-reduce of those that share a layer; None where nothing joins the group."""
    try:
        link = Links(device, catalogue, None).joining(group, sharing)
    except InvalidInput:
        return None
    if link is None or sharing == 1:
        return _Exchange(link, None)
    cost = collective.all_reduce_cost(link, sharing, device.family)
    return _Exchange(link, cost, collective.rates_hold(link, cost))

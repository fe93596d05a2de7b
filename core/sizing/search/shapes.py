"""Layouts as arrays, so that bounds take all of them at once."""

from dataclasses import dataclass, fields
from typing import Any
from weakref import WeakKeyDictionary

from core.catalogue.catalogue import Catalogue
from core.catalogue.records import Device
from core.physics.expert_parallel import largest_of
from core.sizing.costs.bill import BRIDGES
from core.sizing.search.layouts import Layout, layouts
from core.sizing.search.rates import link_factor

Axis = Any  # array, one element a candidate, layout or device


@dataclass(frozen=True, slots=True)
class Shapes:
    """One element for each layout; `device` counts into `devices`.

    attention_groups groups of a copy with a cache of their own; `expert` accelerators that hold whole experts
    usable, labels   of the first tier of one accelerator, as software sees it and as it is sold [byte]
    lower            of its slower tiers [byte]
    alpha, second_alpha, beta, bus, link_factor   of the all-reduce among those that share a layer
    rates_hold   whether the rates of the all-reduce hold as they are
    bridged          whether the cards are joined by a bridge that is bought apart
    hop, hop_rate    hand-over between two stages: until the next one starts [s], and of the link [byte/s]
    crowding         how much fuller than the average the fullest accelerator is with experts, as `hot_rank_reading` has
    """

    devices: tuple[Device, ...]
    device: Axis
    units: Axis
    machines: Axis
    tensor: Axis
    pipeline: Axis
    replicas: Axis
    ranks_of_a_copy: Axis
    attention_groups: Axis
    expert: Axis
    usable: Axis
    labels: Axis
    lower: Axis
    alpha: Axis
    second_alpha: Axis
    beta: Axis
    bus: Axis
    link_factor: Axis
    hop: Axis
    hop_rate: Axis
    crowding: Axis
    rates_hold: Axis
    bridged: Axis

    def taken(self, at: Axis) -> "Shapes":
        """Some of the layouts."""
        return Shapes(self.devices, *(getattr(self, field.name)[at] for field in fields(self)[1:]))


_KNOWN: "WeakKeyDictionary[Catalogue, Shapes]" = WeakKeyDictionary()


def shapes(catalogue: Catalogue) -> Shapes:
    """The layouts of a catalogue as arrays, in the order of `layouts`."""
    if catalogue not in _KNOWN:
        _KNOWN[catalogue] = _shapes(layouts(catalogue))
    return _KNOWN[catalogue]


def _shapes(among: tuple[Layout, ...]) -> Shapes:
    import numpy as np

    devices = tuple({layout.device.id: layout.device for layout in among}.values())
    number = {device.id: n for n, device in enumerate(devices)}
    rows = [_row(layout, number[layout.device.id]) for layout in among]
    columns = np.array(rows, dtype=float).reshape(len(rows), len(fields(Shapes)) - 1).T
    whole = columns[:9].astype(np.int64)
    return Shapes(devices, *whole, *columns[9:])


def _row(layout: Layout, device: int) -> tuple[float, ...]:
    plan, tiers = layout.plan, layout.device.memory_tiers
    first, cost = tiers[0], layout.exchange
    return (
        device,
        layout.units,
        layout.machines,
        plan.tensor,
        plan.pipeline,
        plan.replicas,
        plan.copy_ranks,
        plan.attention_replicas,
        plan.expert,
        first.usable_bytes or first.capacity_bytes,
        first.capacity_bytes,
        sum(tier.usable_bytes or tier.capacity_bytes for tier in tiers[1:]),
        cost.alpha_s if cost else 0.0,
        1.5 * cost.alpha_s if cost and cost.beta_bytes_per_s else 0.0,
        (cost.beta_bytes_per_s if cost else None) or 1e-30,  # only the long algorithm
        cost.bus_bytes_per_s if cost else 1.0,
        link_factor(layout.link),
        layout.hop_s,
        layout.hop_bytes_per_s or 1.0,  # of one stage, which hands nothing over
        largest_of(plan.expert),
        layout.rates_hold,
        layout.link in BRIDGES,
    )

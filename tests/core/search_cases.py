"""Questions to the whole catalogue, each a scenario file: the article's six sizing rules, the jobs of the product."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from core.catalogue.catalogue import Catalogue
from core.catalogue.fact_kinds import TABLE_OF
from core.catalogue.facts import Facts
from core.catalogue.records import Device
from core.sizing.search.request import SearchRequest
from core.store.scenario_file import read_scenario

FOLDER = Path(__file__).parent.parent / "data" / "scenarios"


def asked(name: str, **options: object) -> SearchRequest:
    """A question whose need is a scenario file."""
    return SearchRequest.model_validate({"scenario": read_scenario(FOLDER / f"{name}.tonnage").scenario, **options})


def with_devices(catalogue: Catalogue, devices: Mapping[str, Device]) -> Catalogue:
    """The same catalogue with other devices."""
    return replace(catalogue, devices=dict(devices))


def only(catalogue: Catalogue, *ids: str) -> Catalogue:
    """The same catalogue with some of its devices."""
    return with_devices(catalogue, {id: catalogue.devices[id] for id in ids})


def changed(catalogue: Catalogue, id: str, **changes: object) -> Catalogue:
    """The same catalogue with figures of yours for one device."""
    device = catalogue.devices[id].model_copy(update=changes)
    own = with_devices(catalogue, {**catalogue.devices, id: device})
    return replace(own, shipped=catalogue.shipped or catalogue)


def bandwidth(catalogue: Catalogue, id: str, factor: float) -> Catalogue:
    """One device with another bandwidth of its fast memory."""
    first, *rest = catalogue.devices[id].memory_tiers
    faster = first.model_copy(update={"bandwidth_bytes_per_s": first.bandwidth_bytes_per_s * factor})
    return changed(catalogue, id, memory_tiers=(faster, *rest))


def memory(catalogue: Catalogue, id: str, factor: float) -> Catalogue:
    """One device with another size of its fast memory."""
    first, *rest = catalogue.devices[id].memory_tiers
    usable = first.usable_bytes or first.capacity_bytes
    update = {"capacity_bytes": int(first.capacity_bytes * factor), "usable_bytes": int(usable * factor)}
    return changed(catalogue, id, memory_tiers=(first.model_copy(update=update), *rest))


def shuffled_and_renamed(catalogue: Catalogue) -> tuple[Catalogue, dict[str, str]]:
    """The devices in another order and under ids that say nothing; and the new id of each."""
    ids = {old: f"device-{number:03}" for number, old in enumerate(sorted(catalogue.devices, key=lambda id: id[::-1]))}
    devices = {
        ids[old]: device.model_copy(
            update={"id": ids[old], "accelerator_id": ids.get(device.accelerator_id, device.accelerator_id)}
        )
        for old, device in sorted(catalogue.devices.items(), key=lambda item: ids[item[0]])
    }
    return replace(with_devices(catalogue, devices), facts=_renamed(catalogue.facts, ids)), ids


def _renamed(facts: Facts, ids: Mapping[str, str]) -> Facts:
    """The facts about devices, under the devices' other ids: their prices, rents and powers go with them."""
    return facts.with_facts(
        (TABLE_OF[fact.section], fact.model_copy(update={"devices": tuple(ids.get(id, id) for id in fact.devices)}))
        for fact in facts
        if fact.devices
    )

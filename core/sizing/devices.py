"""The reverse question: which is the smallest device that holds the work?"""

from collections.abc import Iterator
from dataclasses import dataclass

from core.catalogue.catalogue import Catalogue
from core.catalogue.records import Device
from core.errors import TonnageError
from core.scenario import Scenario
from core.sizing.memory import record_memory, verdict
from core.sizing.report import Verdict
from core.sizing.resolution import resolve
from core.trace import Trace


@dataclass(frozen=True, slots=True)
class Candidate:
    """A device and what it does with the work.

    device     its record
    verdict    fits, or close to the limit
    requests   at the context limit that fit at once
    free_bytes left on the fullest accelerator [byte]
    """

    device: Device
    verdict: Verdict
    requests: int
    free_bytes: int


def devices_that_fit(scenario: Scenario, catalogue: Catalogue) -> tuple[Candidate, ...]:
    """Every device of the catalogue of which one unit holds the work, the smallest first.

    Parameters
    ----------
    scenario : whose model, formats, workload and engine hold; its device, count and plan do not
    catalogue : what exists

    Returns
    -------
    the candidates by installed memory, then by the year they came out; empty where nothing is large enough

    Notes
    -----
    Devices that the engine does not run on are left out, as are those that cannot be sized. A second, slower memory
    counts: whether its speed is enough is another question.
    """
    found = sorted(_candidates(scenario, catalogue), key=_size)
    return tuple(found)


def smallest_that_fits(scenario: Scenario, catalogue: Catalogue) -> Candidate | None:
    """The smallest device of which one unit holds the work; None where nothing is large enough."""
    return next(iter(devices_that_fit(scenario, catalogue)), None)


def _size(candidate: Candidate) -> tuple[int, int, str]:
    device = candidate.device
    return device.capacity_bytes, -(device.release_year or 0), device.id


def _candidates(scenario: Scenario, catalogue: Catalogue) -> Iterator[Candidate]:
    families = catalogue.engine(scenario.deployment.engine).families
    for device in catalogue.devices.values():
        if device.family not in families:
            continue
        trace = Trace()
        try:
            situation = resolve(_on(scenario, device), catalogue)
            record_memory(trace, situation)
        except TonnageError:
            continue
        answer = verdict(trace)
        if answer is not Verdict.DOES_NOT_FIT:
            yield Candidate(device, answer, int(trace["max_concurrency"]), int(trace["accelerator.free_bytes"]))


def _on(scenario: Scenario, device: Device) -> Scenario:
    """The same work on one unit of another device."""
    deployment = scenario.deployment.model_copy(
        update={"device": device.id, "count": 1, "nodes": 1, "plan": None, "link": None, "capacity_bytes": None}
    )
    return scenario.model_copy(update={"deployment": deployment})

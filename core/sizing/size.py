"""`size`: one scenario, one answer."""

from core.catalogue.catalogue import Catalogue
from core.scenario import Scenario
from core.sizing.device_uses import device_uses
from core.sizing.findings import find
from core.sizing.memory import record_memory, verdict
from core.sizing.report import Sizing
from core.sizing.resolution import resolve
from core.sizing.speed import speed_figures
from core.trace import Trace


def size(scenario: Scenario, catalogue: Catalogue) -> Sizing:
    """What a scenario needs and does: memory, what fits, how fast, and what a person should know about it.

    Pure: the same scenario and catalogue give the same answer, and nothing outside is read or changed.

    Parameters
    ----------
    scenario : what the user chose
    catalogue : what exists

    Returns
    -------
    every figure with its formula and sources; that the work does not fit is an answer, not an error

    Notes
    -----
    Raises CatalogueError for an id that is not in the catalogue, InvalidInput for choices that contradict each other,
    UnsupportedArchitecture for a model that cannot be counted.
    """
    situation = resolve(scenario, catalogue)
    setup, trace = situation.setup, Trace()
    record_memory(trace, situation)
    devices = device_uses(trace, setup)
    speed = speed_figures(trace, situation)
    answer = verdict(trace)
    return Sizing(
        scenario=scenario,
        blueprint=setup.blueprint,
        device=setup.device,
        engine=setup.engine,
        link=setup.link,
        plan=setup.plan,
        trace=trace,
        verdict=answer,
        shortfall_bytes=int(trace["accelerator.shortfall_bytes"]),
        devices=devices,
        decode=speed.decode,
        ttft=speed.ttft,
        throughput=speed.throughput,
        prefill=speed.prefill,
        step=speed.step,
        prefill_step=speed.prefill_step,
        decode_limit=speed.decode_limit,
        prefill_limit=speed.prefill_limit,
        findings=find(trace, situation, speed.findings),
    )

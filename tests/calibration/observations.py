"""Measurements as the fit sees them: a scenario answered by the core, its trace, and what the parameters depend on.

Nothing of the method is written a second time here. The core answers each record once, and its trace says which
formulas lead from the fitted parameters to the figure that was measured.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from core.catalogue.calibration import Circumstances, shipped_calibration
from core.sizing.ranges import conditions
from core.sizing.rates import circumstances
from core.sizing.resolution import resolve
from core.trace import Trace
from tests.accuracy.cases import refusals
from tests.accuracy.records import Record, Unusable
from tests.accuracy.throughput import Kind, Task, predict, read_task, speed_case

#: What calibration calls the kinds of figures; offload rows are one-request decodes with a parameter of their own.
KINDS = {
    Kind.DECODE: "decode",
    Kind.PREFILL: "prefill",
    Kind.FIRST_TOKEN: "ttft",
    Kind.TIME_PER_TOKEN: "tpot",
    Kind.TOTAL: "batched",
    Kind.SATURATED: "saturated",
    Kind.OFFLOAD: "offload",
}


@dataclass(frozen=True, slots=True)
class Observation:
    """One measured figure.

    id, source, tier   of the record
    kind        of figure, as calibration calls it
    key         of the figure in the trace
    log_target  logarithm of the value that the trace should hold
    direction   +1 for a speed, -1 for a time: more is better in `direction * log`
    inverse     the record has the inverse of the figure: seconds per token, not tokens per second
    where       what multipliers may depend on
    model       name of the model
    split       tensor, pipeline, replicas
    conditions  that widen or narrow a range
    cells       of the accuracy tables
    trace       the core's answer with the shipped parameters
    """

    id: str
    source: str
    tier: str
    kind: str
    key: str
    log_target: float
    direction: int
    inverse: bool
    where: Circumstances
    model: str
    split: tuple[int, int, int]
    conditions: frozenset[str]
    cells: tuple[str, ...]
    trace: Trace


def observations(records: Iterable[Record]) -> list[Observation]:
    """Every record that a scenario can express."""
    found = []
    for record in records:
        try:
            with refusals():
                found.append(_observation(record, read_task(record)))
        except Unusable:
            continue
    return found


def _observation(record: Record, task: Task) -> Observation:
    case = speed_case(record, task)
    situation, sizing = resolve(case.scenario, case.catalogue), case.sized()
    measured = record.positive("value")
    if measured is None:
        raise Unusable("the record holds no value")
    wanted = task.factor / measured if task.inverse else measured / task.factor
    plan = sizing.plan
    return Observation(
        id=record.id,
        source=record.text("source") or record.text("source_title"),
        tier=record.text("tier"),
        kind=KINDS[task.kind],
        key=task.key,
        log_target=math.log(wanted),
        direction=-1 if task.key == "ttft_s" else 1,
        inverse=task.inverse,
        where=circumstances(situation.setup, shipped_calibration()),
        model=case.scenario.model.id if case.scenario.model.kind == "catalogue" else sizing.blueprint.name,
        split=(plan.tensor, plan.pipeline, plan.replicas),
        conditions=conditions(situation.setup),
        cells=predict(record, task).groups,
        trace=sizing.trace,
    )

"""How a model is spread when the user leaves it open.

The rules, in this order: what fits one accelerator is copied, not split; what does not is split by tensor parallelism
where NVLink or a fabric joins the accelerators, and into pipeline stages where only PCIe or a network does; over
several machines, tensor parallelism stays inside and the pipeline runs between. The smallest split that holds the work
wins, because the rest can then be copies of it, as many as there are requests.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from core.architecture.blueprint import TensorClass
from core.physics import memory, weights
from core.scenario import Plan
from core.sizing.cache import record_cache
from core.sizing.companions import placed_companions
from core.sizing.engine_share import first_tier_limit
from core.sizing.origins import METHOD
from core.sizing.placement import loaded_classes
from core.sizing.runtime import FRAMEWORK, RUNTIME_CONTEXT, record_runtime
from core.sizing.situation import Setup
from core.trace import Recipe, Trace
from core.units import Unit

#: Setups of which is kept what follows from each plan: those that somebody edits, with some eight plans each.
SPREAD_KEPT = 64
#: Where the tensors stand: every tensor-parallel rank has these whole; these are on the first and last stage.
REPLICATED = (TensorClass.NORM, TensorClass.ROUTER)
FIRST_STAGE = (TensorClass.EMBEDDING, TensorClass.NGRAM, TensorClass.VISION)
LAST_STAGE = (TensorClass.HEAD, TensorClass.MTP)


@dataclass(frozen=True, slots=True)
class Load:
    """What must be placed, to choose among plans with the very formulas of memory.

    setup           all choices but the plan
    context_tokens  of each request
    weights         of the model by class [byte]
    other_bytes     companions on one accelerator [byte]
    """

    setup: Setup
    context_tokens: int
    weights: Mapping[TensorClass, int]
    other_bytes: int

    @classmethod
    def of(cls, setup: Setup, context_tokens: int) -> "Load":
        """The load of a setup whose plan is still open."""
        bits, counts = setup.bits, setup.blueprint.parameters
        sizes = {c: weights.weights_bytes(counts[c], bits[c]) for c in loaded_classes(setup)}
        beside = sum(companion.weights_bytes for companion in placed_companions(setup))
        return cls(setup, context_tokens, sizes, beside)

    @property
    def query_heads(self) -> list[int]:
        return [group.query_heads for group in self.setup.blueprint.attention]

    def divides(self, tensor: int) -> bool:
        """Can tensor parallelism of this size divide the heads?"""
        return all(heads % tensor == 0 for heads in self.query_heads)

    def fits(self, plan: Plan, requests: int) -> bool:
        """Does the fullest accelerator hold its part of the model and of these requests?"""
        here: int = memory.requests_per_replica(requests, plan.groups)
        s, formulas = _spread(self.setup, plan, here if self.setup.deployment.shared_slots else 1)
        trace = Trace()
        trace.given("workload.context_tokens", self.context_tokens, Unit.TOKEN)
        trace.given("accelerator.requests", here, Unit.REQUEST)
        trace.given(RUNTIME_CONTEXT, self.context_tokens, Unit.TOKEN)
        trace.follow(formulas)
        each = trace["accelerator.kv_bytes_per_request"] + trace["accelerator.state_bytes_per_request"]
        fixed = self._weights(plan) + self.other_bytes + trace[FRAMEWORK]
        return bool(fixed + each * here <= first_tier_limit(s, fixed))

    def _weights(self, plan: Plan) -> int:
        apart = REPLICATED + FIRST_STAGE + LAST_STAGE
        size, s = self.weights, self.setup
        whole = 0
        if plan.tensor > 1 and s.blueprint.whole_attention_parameters:
            whole = weights.weights_bytes(s.blueprint.whole_attention_parameters, s.bits[TensorClass.ATTENTION])
        return int(
            weights.rank_weights_bytes(
                sum(n for c, n in size.items() if c not in apart) - whole,
                sum(size.get(c, 0) for c in REPLICATED) + whole,
                sum(size.get(c, 0) for c in FIRST_STAGE),
                sum(size.get(c, 0) for c in LAST_STAGE),
                self.setup.blueprint.layers,
                plan.tensor,
                plan.pipeline,
            )
        )


@lru_cache(maxsize=SPREAD_KEPT)
def _spread(setup: Setup, plan: Plan, sharing: int) -> tuple[Setup, Recipe]:
    """The setup spread by a plan, with the formulas of what a request and the engine then take."""
    s, formulas = replace(setup, plan=plan, sharing=sharing), Recipe()
    formulas.given("nothing_bytes", 0, Unit.BYTE, METHOD)
    formulas.given("plan.tensor", plan.tensor, Unit.COUNT)
    formulas.given("plan.pipeline", plan.pipeline, Unit.COUNT)
    record_cache(formulas, s)
    record_runtime(formulas, s)
    return s, formulas


def choose_plan(load: Load, requests: int, nodes: int, per_node: int, domain: int) -> Plan:
    """The first plan that holds all the work; else the first that holds a half, a quarter ...; else the widest split.

    Parameters
    ----------
    load : what must be placed
    requests : all that are at work at once
    nodes, per_node : machines, and accelerators in each
    domain : accelerators of a machine that NVLink or a fabric joins; 1 where there is none

    Returns
    -------
    the plan; its ranks are all accelerators
    """
    if nodes * per_node == 1:
        return Plan()
    plans = list(candidates(nodes, per_node, domain, load))
    for held in halved(requests):
        for plan in plans:
            if load.fits(plan, held):
                wider = [p for p in plans if p.tensor > plan.tensor and load.fits(p, held)]
                return without_idle_copies(plan, wider, requests)
    return plans[-1]


def halved(requests: int) -> Iterator[int]:
    """The requests, half of them, a quarter, down to one.

    >>> list(halved(12)), list(halved(1))
    ([12, 6, 3, 1], [1])
    """
    while requests >= 1:
        yield requests
        requests //= 2


def without_idle_copies(plan: Plan, wider: list[Plan], requests: int) -> Plan:
    """A split model with more copies than requests is split wider instead: a copy without work is of no use.

    >>> without_idle_copies(Plan(tensor=4, replicas=2), [Plan(tensor=8)], 1).tensor
    8
    """
    for other in wider:
        if plan.tensor > 1 and plan.replicas > requests and other.pipeline == plan.pipeline:
            plan = other
    return plan


def candidates(nodes: int, per_node: int, domain: int, load: Load) -> Iterator[Plan]:
    """Plans from no split to the widest: copies; splits inside a machine; machines in a row."""
    everything = nodes * per_node
    yield Plan(replicas=everything)
    widest = 1
    for tensor in _divisors(per_node):
        if 1 < tensor <= domain and load.divides(tensor):
            widest = tensor
            yield Plan(tensor=tensor, replicas=everything // tensor)
    for stages in _divisors(per_node // widest):
        if stages > 1:
            yield Plan(tensor=widest, pipeline=stages, replicas=everything // (widest * stages))
    for machines in _divisors(nodes):
        if machines > 1:
            split = per_node * machines // widest
            yield Plan(tensor=widest, pipeline=split, replicas=everything // (widest * split))


def _divisors(number: int) -> list[int]:
    return [n for n in range(1, number + 1) if number % n == 0]

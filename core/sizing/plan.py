"""How a model is spread when the user leaves it open.

The rules, in this order: what fits one accelerator is copied, not split; what does not is split by tensor parallelism
where NVLink or a fabric joins the accelerators, and into pipeline stages where only PCIe or a network does; over
several machines, tensor parallelism stays inside and the pipeline runs between. The smallest split that holds the work
wins, because the rest can then be copies of it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from core.architecture.blueprint import AttentionGroup, AttentionKind, Blueprint, RecurrentGroup, TensorClass
from core.catalogue.records import Device, Engine, KvFormat
from core.physics import kv_cache, memory, weights
from core.scenario import Mode, Plan, Scenario

#: Where the tensors stand: every tensor-parallel rank has these whole; these are on the first and last stage.
REPLICATED = (TensorClass.NORM, TensorClass.ROUTER)
FIRST_STAGE = (TensorClass.EMBEDDING, TensorClass.VISION)
LAST_STAGE = (TensorClass.HEAD, TensorClass.MTP)

LATENT = (AttentionKind.LATENT, AttentionKind.SPARSE_LATENT)

#: llama.cpp keeps both parts of a recurrent state in 32 bit; serving engines the convolution in 16 [byte].
CONVOLUTION_BYTES = {"llama.cpp": 4}
SERVING_CONVOLUTION_BYTES = 2


@dataclass(frozen=True, slots=True)
class Load:
    """What must be placed: the formulas of memory without a trace, to choose among plans.

    block_tokens        in which the engine reserves the cache [tokens]
    convolution_bytes   of a recurrent state's convolution element [byte]
    limit_bytes         what the engine may use of one accelerator's fast memory [byte]
    other_bytes         runtime and companions on one accelerator [byte]
    """

    scenario: Scenario
    blueprint: Blueprint
    kv_format: KvFormat
    weights: Mapping[TensorClass, int]
    limit_bytes: int
    other_bytes: int
    block_tokens: int = 1
    convolution_bytes: float = 2

    @classmethod
    def of(
        cls,
        scenario: Scenario,
        blueprint: Blueprint,
        device: Device,
        engine: Engine,
        kv_format: KvFormat,
        bits: Mapping[TensorClass, float],
        companions_bytes: int,
    ) -> "Load":
        """The load of a scenario; `companions_bytes` stand on the same accelerator."""
        article = scenario.mode is Mode.ARTICLE
        deployment, tier = scenario.deployment, device.memory_tiers[0]
        usable = deployment.capacity_bytes or (None if article else tier.usable_bytes) or tier.capacity_bytes
        share = deployment.memory_share or (None if article else engine.memory_share) or 1.0
        runtime = deployment.runtime_bytes
        if runtime is None:
            runtime = 0 if article else engine.runtime_bytes
        sizes = {c: weights.weights_bytes(n, bits[c]) for c, n in blueprint.parameters.items()}
        limit = memory.tier_limit_bytes(usable, share)
        block = 1 if article else engine.block_tokens
        convolution = CONVOLUTION_BYTES.get(engine.group, SERVING_CONVOLUTION_BYTES)
        return cls(scenario, blueprint, kv_format, sizes, limit, runtime + companions_bytes, block, convolution)

    @property
    def query_heads(self) -> list[int]:
        return [group.query_heads for group in self.blueprint.attention]

    def divides(self, tensor: int) -> bool:
        """Can tensor parallelism of this size divide the heads?"""
        return all(heads % tensor == 0 for heads in self.query_heads)

    def fits(self, plan: Plan, requests: int) -> bool:
        """Does the fullest accelerator hold its part of the model and of these requests?"""
        part = self._weights(plan) + self.other_bytes
        each = sum(self._cache(group, plan) for group in self.blueprint.attention)
        each += sum(self._state(group, plan) for group in self.blueprint.recurrent)
        here: int = memory.requests_per_replica(requests, plan.replicas)
        return part + each * here <= self.limit_bytes

    def _weights(self, plan: Plan) -> int:
        apart = REPLICATED + FIRST_STAGE + LAST_STAGE
        size = self.weights
        return int(
            weights.rank_weights_bytes(
                sum(n for c, n in size.items() if c not in apart),
                sum(size.get(c, 0) for c in REPLICATED),
                sum(size.get(c, 0) for c in FIRST_STAGE),
                sum(size.get(c, 0) for c in LAST_STAGE),
                self.blueprint.layers,
                plan.tensor,
                plan.pipeline,
            )
        )

    def _cache(self, group: AttentionGroup, plan: Plan) -> float:
        if group.kind is AttentionKind.ENCODER or not group.cached:
            return 0.0
        context, stored = self.scenario.workload.context_tokens, self.kv_format
        tokens = kv_cache.tokens_reserved(min(context, group.window or context), self.block_tokens)
        heads = 1 if group.kind in LATENT else group.kv_heads
        if group.kind in LATENT:
            record = stored.latent_bytes.get(group.latent_dim) or kv_cache.latent_record_bytes(
                group.latent_dim, stored.bytes_per_element, stored.per_head_bytes
            )
            each = kv_cache.latent_bytes_per_token(group.cached, record, group.index_layers, group.index_dim)
        else:
            each = kv_cache.scaled_kv_bytes_per_token(
                group.cached, heads, group.key_dim, group.value_dim, stored.bytes_per_element, stored.per_head_bytes
            )
        return float(kv_cache.rank_bytes_per_token(each, group.cached, heads, plan.tensor, plan.pipeline) * tokens)

    def _state(self, group: RecurrentGroup, plan: Plan) -> int:
        whole = kv_cache.state_bytes(
            group.layers,
            group.convolution_elements,
            self.convolution_bytes,
            group.matrix_elements,
            group.matrix_bytes,
        )
        return int(kv_cache.rank_state_bytes(whole, group.layers, group.heads, plan.tensor, plan.pipeline))


def choose_plan(load: Load, nodes: int, per_node: int, domain: int) -> Plan:
    """The first plan that holds all the work; else the first that holds one request; else the widest split.

    Parameters
    ----------
    load : what must be placed
    nodes, per_node : machines, and accelerators in each
    domain : accelerators of a machine that NVLink or a fabric joins; 1 where there is none

    Returns
    -------
    the plan; its ranks are all accelerators
    """
    if nodes * per_node == 1:
        return Plan()
    plans = list(candidates(nodes, per_node, domain, load))
    workload = load.scenario.workload
    wanted = workload.requests_at_once or memory.requests_at_the_peak(workload.users, workload.active_share)
    for requests in (wanted, 1):
        for plan in plans:
            if load.fits(plan, requests):
                return plan
    return plans[-1]


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

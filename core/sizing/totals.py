"""The memory of the whole deployment: what is counted once, by copy of the model, and by accelerator."""

from core.architecture.blueprint import TensorClass
from core.physics import expert_parallel as ep
from core.physics import memory as m
from core.sizing.companions import COMPANION_ITEMS
from core.sizing.draft import draft_items
from core.sizing.loaded import GROUP_SCALES, HELD, PRODUCTS, TABLES, class_key
from core.sizing.reservation.vllm_compressed import UNDER_WAY
from core.sizing.runtime import FRAMEWORK
from core.sizing.situation import Setup
from core.sizing.weights import loaded_key
from core.trace import Recipe, recipe


def total_answers(formulas: Recipe, s: Setup) -> Recipe:
    """The memory of the whole deployment, from that of one accelerator."""
    beside = tuple(key for key in (TABLES, GROUP_SCALES, PRODUCTS, HELD) if key in formulas)
    experts = class_key(formulas, TensorClass.EXPERT) if s.plan.attention_replicas > 1 else ""
    several, once = s.accelerators > 1, UNDER_WAY in formulas
    return _sums(loaded_key(formulas), experts, beside, tuple(draft_items(s)), s.plan.replicas > 1, several, once)


@recipe
def _sums(
    trace: Recipe,
    weights: str,
    experts: str,
    beside: tuple[str, ...],
    drafts: tuple[str, ...],
    replicas: bool,
    several: bool,
    once: bool,
) -> None:
    """`experts` where attention stands in several groups of a copy: then they are not held by each of them."""
    reserved = {"kv_cache": "kv_bytes_per_request", "state": "state_reserved_bytes_per_request"}
    together = {}
    if once:
        together = {"once": "memory.kv_under_way_bytes"}
        trace.compute(together["once"], m.times, bytes_each=UNDER_WAY, number="deployment.accelerators")
    for name, each in reserved.items():
        more = together if name == "kv_cache" else {}
        rule = m.times_and_once if more else m.times
        trace.compute(f"memory_item.{name}", rule, bytes_each=each, number="requests_at_once", **more)
    trace.compute("kv_cache_bytes", m.times, bytes_each="kv_logical_bytes_per_request", number="requests_at_once")
    copies = {weights: "plan.replicas"} if replicas else {}
    if several:
        copies |= dict.fromkeys([FRAMEWORK, *drafts, *beside], "deployment.accelerators")
    fixed = []
    for item in (weights, *beside, *drafts, *COMPANION_ITEMS.values(), FRAMEWORK):
        key = item
        if item in copies:
            key = f"memory.{item.partition('.')[2].removesuffix('_bytes').replace('loaded', 'weights')}_bytes"
            trace.compute(key, m.times, bytes_each=item, number=copies[item])
        if item == weights and experts:
            key = "memory.weights_bytes"
            trace.compute(
                key,
                ep.weights_of_copies,
                weights=item,
                experts=experts,
                attention_replicas="plan.attention_replicas",
                replicas="plan.replicas",
            )
        fixed.append(key)
    trace.compute("memory.fixed_bytes", m.sum_bytes, items=fixed)
    trace.compute(
        "memory.total_bytes", m.sum_bytes, items=["memory.fixed_bytes", "memory_item.kv_cache", "memory_item.state"]
    )
    for name in ("capacity", "limit"):
        each = f"accelerator.{name}_bytes"
        trace.compute(f"memory.{name}_bytes", m.times, bytes_each=each, number="deployment.accelerators")
    for name, used in (("free_for_kv", "fixed"), ("free", "total")):
        trace.compute(
            f"memory.{name}_bytes", m.free_bytes, limit_bytes="memory.limit_bytes", used_bytes=f"memory.{used}_bytes"
        )
    trace.compute(
        "memory.share_of_capacity",
        m.share_of_capacity,
        used_bytes="memory.total_bytes",
        capacity_bytes="memory.capacity_bytes",
    )

"""Which weights lie where: what an engine loads at all, what a user puts into the memory of the host."""

from core.architecture.blueprint import TensorClass
from core.catalogue.catalogue import Catalogue
from core.catalogue.records import Allocator, Device, DeviceFamily, DeviceKind, Engine, MemoryTier
from core.errors import InvalidInput
from core.physics import placement as p
from core.physics.memory import free_bytes, sum_bytes
from core.scenario import Deployment, Mode, Plan
from core.sizing.groups import guesses_with_own_layers
from core.sizing.situation import Setup
from core.trace import CHOICE, Recipe
from core.units import Unit

HOST_KIND = "ddr"
_APART = (
    TensorClass.EMBEDDING, TensorClass.NGRAM, TensorClass.VISION, TensorClass.HEAD, TensorClass.MTP, TensorClass.EXPERT,
)  # fmt: skip


# ---- what is loaded


def loads_prediction_layers(s: Setup) -> bool:
    """Are multi-token-prediction layers in memory? Engines load them for guessing ahead only.

    In article mode, and where the engine's rules are not known, the whole file counts.
    """
    known = s.engine.allocator is not Allocator.BLOCKS
    return s.mode is Mode.ARTICLE or not known or guesses_with_own_layers(s)


def looks_up_on_host(s: Setup) -> bool:
    """Does the table of embeddings lie in the memory of the host? llama.cpp keeps it there whatever is offloaded.

    One that is the output matrix as well is loaded a second time for the accelerator. Where both share one memory,
    the place makes no difference. Source: llama.cpp, src/llama-model.cpp, load_tensors ("dev_input").
    """
    shares = s.device.family is DeviceFamily.CPU or s.device.kind is DeviceKind.UNIFIED
    known = s.engine.allocator is Allocator.LLAMA_CPP and s.mode is Mode.REAL
    return known and not shares and not s.blueprint.tied_embedding


def keeps_ngrams_on_host(s: Setup) -> bool:
    """Do tables of n-grams lie in the memory of the host? vLLM keeps them there by itself, and llama.cpp as any table.

    SGLang does so when told to (--ple-offload-embedding). Source: vLLM 0.33, config/engram.py (cpu_offload).
    """
    shares = s.device.family is DeviceFamily.CPU or s.device.kind is DeviceKind.UNIFIED
    known = s.engine.allocator in (Allocator.VLLM, Allocator.LLAMA_CPP) and s.mode is Mode.REAL
    return known and not shares and TensorClass.NGRAM in s.blueprint.parameters


def leaves_out_images(s: Setup) -> bool:
    """Does the engine load no image tower? mlx-lm runs the language model alone.

    Source: mlx-lm 0.32.0, the `sanitize` of models/qwen3_5.py, gemma4.py, kimi_k25.py and others.
    """
    return s.engine.allocator is Allocator.MLX and s.mode is Mode.REAL


def loaded_classes(s: Setup) -> list[TensorClass]:
    """The classes of tensors that an engine has in the memory of the accelerators."""
    left = set() if loads_prediction_layers(s) else {TensorClass.MTP}
    if looks_up_on_host(s):
        left.add(TensorClass.EMBEDDING)
    if keeps_ngrams_on_host(s):
        left.add(TensorClass.NGRAM)
    if leaves_out_images(s):
        left.add(TensorClass.VISION)
    return [kind for kind in s.blueprint.parameters if kind not in left]


# ---- the memory of the host


def with_host(device: Device, deployment: Deployment, engine: Engine, catalogue: Catalogue, per_node: int) -> Device:
    """The device with the host's memory as its second tier, shared out among the accelerators of a machine."""
    host = deployment.host
    if host is None:
        return device
    if device.family is DeviceFamily.CPU or device.kind is DeviceKind.UNIFIED or len(device.memory_tiers) > 1:
        raise InvalidInput(
            "{device} shares its memory with the CPU: leave the host open.", "deployment.host", device=device.name
        )
    if engine.group == "mlx":
        raise InvalidInput(
            "{engine} keeps nothing in host memory: leave the host open.", "deployment.host", engine=engine.name
        )
    cpu = catalogue.device(host.device) if host.device else None
    if cpu is not None and cpu.family is not DeviceFamily.CPU:
        raise InvalidInput("{cpu} is no CPU: choose one as the host.", "deployment.host.device", cpu=cpu.name)
    own = cpu.memory_tiers[0] if cpu else None
    bandwidth = host.bandwidth_bytes_per_s or (own.bandwidth_bytes_per_s if own else 0.0)
    capacity = host.capacity_bytes or (own.usable_bytes or own.capacity_bytes if own else 0)
    tier = MemoryTier(
        name=own.name if own else "RAM",
        kind=HOST_KIND,
        capacity_bytes=max(1, capacity // per_node),
        bandwidth_bytes_per_s=bandwidth,
    )
    return device.model_copy(update={"memory_tiers": (device.memory_tiers[0], tier)})


def is_placed(s: Setup) -> bool:
    """Did the user say which layers lie in host memory?"""
    deployment = s.deployment
    return deployment.host is not None and bool(deployment.host_layers or deployment.host_expert_layers)


def spills_by_itself(s: Setup) -> bool:
    """Does what is too much for the fast memory go into the slower one without being told?

    Memory that the accelerator reads itself: yes. Host memory: llama.cpp fits its layers by itself, others do not.
    """
    return not is_placed(s) and (s.deployment.host is None or s.engine.group == "llama.cpp")


def computes_on_cpu(s: Setup) -> bool:
    """Is the second tier host memory whose layers the CPU computes, rather than memory the accelerator reads?"""
    tiers = s.device.memory_tiers
    return len(tiers) > 1 and tiers[1].kind == HOST_KIND and s.engine.group == "llama.cpp"


def record_placement(trace: Recipe, s: Setup) -> None:
    """Record what lies in host memory by the user's choice: `host.` figures."""
    deployment, parameters = s.deployment, s.blueprint.parameters
    trace.given("host.layers", deployment.host_layers, Unit.COUNT, CHOICE)
    trace.compute("host.share_of_layers", p.share_of_layers, placed="host.layers", layers="model.layers")
    dense = [f"weights_bytes.{kind}" for kind in parameters if kind not in _APART]
    trace.compute("host.dense_layers_bytes", sum_bytes, items=dense)
    head = f"weights_bytes.{TensorClass.HEAD}"
    if head not in trace:
        trace.given("host.no_head_bytes", 0, Unit.BYTE)
        head = "host.no_head_bytes"
    trace.compute(
        "host.dense_bytes",
        p.dense_bytes_on_host,
        layered="host.dense_layers_bytes",
        share="host.share_of_layers",
        head=head,
        placed="host.layers",
        layers="model.layers",
    )
    trace.given("host.expert_layers", deployment.host_expert_layers, Unit.COUNT, CHOICE)
    experts, share = f"weights_bytes.{TensorClass.EXPERT}", "host.share_of_experts"
    if s.blueprint.moe is not None and experts in trace:
        counts = {"layers": "model.layers", "expert_layers": "model.moe_layers"}
        trace.compute(
            share, p.share_of_experts, placed="host.expert_layers", **counts, of_layers="host.share_of_layers"
        )
    else:
        trace.given("host.no_experts_bytes", 0, Unit.BYTE)
        experts, share = "host.no_experts_bytes", "host.share_of_layers"
    trace.given("plan.ranks_per_replica", s.plan.copy_ranks, Unit.COUNT)
    trace.compute(
        "host.weights_bytes",
        p.weights_on_host,
        dense="host.dense_bytes",
        experts=experts,
        expert_share=share,
        ranks="plan.ranks_per_replica",
    )


def record_placed(trace: Recipe, key: str) -> None:
    """One accelerator where the user said what lies in host memory: nothing else moves there."""
    spill = "spill" if key == "accelerator" else f"{key}.spill"
    trace.compute(f"{spill}.weights_bytes", sum_bytes, items=["host.weights_bytes"])
    trace.compute(
        f"{spill}.kv_bytes",
        p.requests_on_host,
        cache="accelerator.kv_bytes",
        state="accelerator.state_bytes",
        share="host.share_of_layers",
    )
    trace.compute(
        f"{key}.free_for_kv_bytes",
        p.room_in_both,
        first="tier.0.limit_bytes",
        fixed=f"{key}.fixed_bytes",
        placed="host.weights_bytes",
        host="tier.1.usable_bytes",
        share="host.share_of_layers",
    )
    trace.compute(f"{key}.limit_bytes", p.limit_with_host, fixed=f"{key}.fixed_bytes", room=f"{key}.free_for_kv_bytes")
    trace.compute(f"{key}.free_bytes", free_bytes, limit_bytes=f"{key}.limit_bytes", used_bytes=f"{key}.total_bytes")


def share_of_machine(plan: Plan, per_node: int) -> int:
    """Accelerators of a machine that read its host memory at the same time: stages take turns."""
    return max(1, per_node // min(plan.pipeline, per_node))

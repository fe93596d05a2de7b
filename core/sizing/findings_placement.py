"""What a person should know about spread experts, host memory, guesses and measurements of their own."""

from collections.abc import Iterator

from core.catalogue.records import LinkKind
from core.scenario import Measured
from core.sizing.groups import speculates
from core.sizing.own_measurement import is_corrected
from core.sizing.placement import is_placed
from core.sizing.rates import ALL_TO_ALL_ENGINES, exchange_link, takes_all_to_all
from core.sizing.report import Finding, FindingKind, Weight
from core.sizing.situation import Situation
from core.trace import Trace

#: vllm/distributed/device_communicators/custom_all_reduce.py: "not supported on more than two PCIe-only GPUs".
OWN_ALL_REDUCE = ("vllm", "sglang")


def no_direct_exchange(trace: Trace, s: Situation) -> Iterator[Finding]:
    """The engine would send tokens to their experts directly; this link, or this plan, does not let it."""
    link, asked = exchange_link(s), s.scenario.deployment.all_to_all
    wanted = s.engine.id in ALL_TO_ALL_ENGINES if asked is None else asked
    if wanted and s.plan.attention_replicas > 1 and link is not None and not takes_all_to_all(s):
        yield Finding(FindingKind.NO_DIRECT_EXCHANGE, Weight.WARNING, ("decode_step_s.link",), link.name)


def collective_fallback(trace: Trace, s: Situation) -> Iterator[Finding]:
    """The engine's own all-reduce needs NVLink beyond two accelerators: over PCIe it falls back to the library."""
    link = exchange_link(s)
    if s.engine.id in OWN_ALL_REDUCE and s.plan.tensor > 2 and link is not None and link.kind is LinkKind.PCIE:
        yield Finding(FindingKind.COLLECTIVE_FALLBACK, Weight.NOTE, ("all_reduce.alpha_s", "plan.tensor"), link.name)


def experts_uneven(trace: Trace, s: Situation) -> Iterator[Finding]:
    """The experts cannot be shared out evenly: the fullest accelerator sets the memory."""
    moe = s.blueprint.moe
    if moe is not None and moe.experts % s.plan.expert:
        yield Finding(FindingKind.EXPERTS_UNEVEN, Weight.NOTE, ("model.experts_per_layer", "plan.expert"))


def busiest_accelerator(trace: Trace, s: Situation) -> Iterator[Finding]:
    """Whole experts are spread: the accelerator with the most work sets the pace."""
    if s.plan.expert > 1 and "decode_step_s.hot_rank" in trace and trace["decode_step_s.hot_rank"] > 1.05:
        yield Finding(FindingKind.BUSIEST_ACCELERATOR, Weight.NOTE, ("decode_step_s.hot_rank", "plan.expert"))


def host_memory(trace: Trace, s: Situation) -> Iterator[Finding]:
    """Layers lie in host memory by the user's choice."""
    if is_placed(s):
        yield Finding(FindingKind.HOST_MEMORY, Weight.NOTE, ("host.weights_bytes", "bandwidth.second_tier"))


def prediction_layers(trace: Trace, s: Situation) -> Iterator[Finding]:
    """The file holds layers that the engine loads for guessing ahead only."""
    if "weights.loaded_bytes" in trace and trace["weights.loaded_bytes"] < trace["memory_item.weights"]:
        figures = ("weights.loaded_bytes", "memory_item.weights")
        yield Finding(FindingKind.PREDICTION_LAYERS, Weight.NOTE, figures)


def guesses(trace: Trace, s: Situation) -> Iterator[Finding]:
    """Speculative decoding is arithmetic from a stated chance, not fitted to measurements."""
    if speculates(s):
        figures = ("speculation.tokens_per_step", "speculation.acceptance")
        yield Finding(FindingKind.SPECULATION_UNCALIBRATED, Weight.WARNING, figures)


def own_measurements(trace: Trace, s: Situation) -> Iterator[Finding]:
    """Measurements of the user's own have moved a prediction."""
    if is_corrected(s.scenario, Measured.DECODE):
        figures = ("decode_tok_s.predicted", "decode_tok_s")
        yield Finding(FindingKind.OWN_MEASUREMENT, Weight.NOTE, figures)


RULES = (
    collective_fallback,
    no_direct_exchange,
    experts_uneven,
    busiest_accelerator,
    host_memory,
    prediction_layers,
    guesses,
    own_measurements,
)

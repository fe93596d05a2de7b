"""What a person should know about spread experts, host memory, guesses and measurements of their own."""

from collections.abc import Iterator

from core.architecture.blueprint import TensorClass
from core.catalogue.records import LinkKind
from core.scenario import Measured
from core.sizing.groups import speculates
from core.sizing.own_measurement import is_corrected
from core.sizing.placement import is_placed, keeps_ngrams_on_host, leaves_out_images, loads_prediction_layers
from core.sizing.rates import ALL_TO_ALL_ENGINES, exchange_link, takes_all_to_all
from core.sizing.report import Finding, FindingKind
from core.sizing.rules.rule import known, note, reason, rule, setup_rule, warning
from core.sizing.situation import Setup, Situation
from core.sizing.weights import loaded_key
from core.trace import Recipe, Trace

#: vllm/distributed/device_communicators/custom_all_reduce.py: "not supported on more than two PCIe-only GPUs".
OWN_ALL_REDUCE = ("vllm", "sglang")


@rule(FindingKind.NO_DIRECT_EXCHANGE, source="vLLM and SGLang: DeepEP needs NVLink or a network of its own")
def no_direct_exchange(trace: Trace, s: Situation) -> Iterator[Finding]:
    """The engine would send tokens to their experts directly; this link, or this plan, does not let it."""
    link, asked = exchange_link(s.setup), s.setup.deployment.all_to_all
    wanted = s.setup.engine.id in ALL_TO_ALL_ENGINES if asked is None else asked
    if wanted and s.setup.plan.attention_replicas > 1 and link is not None and not takes_all_to_all(s.setup):
        yield warning(FindingKind.NO_DIRECT_EXCHANGE, *known(trace, "decode_step_s.link"), subject=link.name)


@setup_rule(FindingKind.COLLECTIVE_FALLBACK, source="vLLM: custom_all_reduce.py")
def collective_fallback(trace: Recipe, s: Setup) -> Iterator[Finding]:
    """The engine's own all-reduce needs NVLink beyond two accelerators: over PCIe it falls back to the library."""
    link = exchange_link(s)
    if s.engine.id in OWN_ALL_REDUCE and s.plan.tensor > 2 and link is not None and link.kind is LinkKind.PCIE:
        yield note(
            FindingKind.COLLECTIVE_FALLBACK, *known(trace, "all_reduce.alpha_s", "plan.tensor"), subject=link.name
        )


@setup_rule(FindingKind.EXPERTS_UNEVEN, source="vLLM: experts are dealt out one by one")
def experts_uneven(trace: Recipe, s: Setup) -> Iterator[Finding]:
    """The experts cannot be shared out evenly: the fullest accelerator sets the memory."""
    moe = s.blueprint.moe
    if moe is not None and moe.experts % s.plan.expert:
        yield note(FindingKind.EXPERTS_UNEVEN, "model.experts_per_layer", "plan.expert")


@rule(FindingKind.BUSIEST_ACCELERATOR, source="arithmetic of experts chosen by chance")
def busiest_accelerator(trace: Trace, s: Situation) -> Iterator[Finding]:
    """Whole experts are spread: the accelerator with the most work sets the pace."""
    if s.setup.plan.expert > 1 and "decode_step_s.hot_rank" in trace and trace["decode_step_s.hot_rank"] > 1.05:
        yield note(FindingKind.BUSIEST_ACCELERATOR, "decode_step_s.hot_rank", "plan.expert")


@rule(FindingKind.HOST_MEMORY, source="llama.cpp: -ngl and --n-cpu-moe")
def host_memory(trace: Trace, s: Situation) -> Iterator[Finding]:
    """Layers lie in host memory by the user's choice."""
    if is_placed(s.setup):
        yield note(FindingKind.HOST_MEMORY, *known(trace, "host.weights_bytes", "bandwidth.second_tier"))


@setup_rule(FindingKind.PREDICTION_LAYERS, source="the models' own files")
def prediction_layers(trace: Recipe, s: Setup) -> Iterator[Finding]:
    """The file holds layers that the engine loads for guessing ahead only."""
    if TensorClass.MTP in s.blueprint.parameters and s.bits[TensorClass.MTP] and not loads_prediction_layers(s):
        yield note(FindingKind.PREDICTION_LAYERS, loaded_key(trace), "memory_item.weights")


@setup_rule(FindingKind.IMAGES_LEFT_OUT, source="mlx-lm 0.32.0, models/qwen3_5.py, gemma4.py and others: sanitize")
def images_left_out(trace: Recipe, s: Setup) -> Iterator[Finding]:
    """The engine loads the language model alone."""
    if leaves_out_images(s) and s.blueprint.parameters.get(TensorClass.VISION) and s.bits[TensorClass.VISION]:
        yield note(FindingKind.IMAGES_LEFT_OUT, f"weights_bytes.{TensorClass.VISION}")


@setup_rule(FindingKind.NGRAMS_ON_HOST, source="vLLM 0.33, config/engram.py: cpu_offload")
def ngrams_on_host(trace: Recipe, s: Setup) -> Iterator[Finding]:
    """Tables that are looked up lie in host memory, which must have room for them."""
    if keeps_ngrams_on_host(s):
        yield note(FindingKind.NGRAMS_ON_HOST, f"weights_bytes.{TensorClass.NGRAM}")


@setup_rule(FindingKind.SPECULATION_UNCALIBRATED, source="no public measurement fits all texts")
def guesses(trace: Recipe, s: Setup) -> Iterator[Finding]:
    """Speculative decoding is arithmetic from a stated chance, not fitted to measurements."""
    if speculates(s):
        figures = ("speculation.tokens_per_step", "speculation.acceptance")
        yield warning(FindingKind.SPECULATION_UNCALIBRATED, *figures)


@rule(FindingKind.OWN_MEASUREMENT, source="the user's own measurement")
def own_measurements(trace: Trace, s: Situation) -> Iterator[Finding]:
    """Measurements of the user's own have moved a prediction."""
    if is_corrected(s.scenario, Measured.DECODE) and "decode_tok_s.predicted" in trace:
        figures = ("decode_tok_s.predicted", "decode_tok_s")
        yield note(FindingKind.OWN_MEASUREMENT, *figures)


@setup_rule(FindingKind.ATTENTION_REPLICAS_FULL_CACHE, source="vllm-project/recipes#12")
def attention_replicas_full_cache(trace: Recipe, s: Setup) -> Iterator[Finding]:
    """Where attention stands whole in several groups, each holds the whole cache of its own requests."""
    if s.plan.attention_replicas > 1:
        figures = ("plan.attention_replicas", "accelerator.kv_bytes_per_request")
        yield reason(FindingKind.ATTENTION_REPLICAS_FULL_CACHE, *known(trace, *figures))


RULES = (
    attention_replicas_full_cache,
    collective_fallback,
    no_direct_exchange,
    experts_uneven,
    busiest_accelerator,
    host_memory,
    prediction_layers,
    images_left_out,
    ngrams_on_host,
    guesses,
    own_measurements,
)

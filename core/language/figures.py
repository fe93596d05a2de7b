"""The name of every figure of the trace, short enough for a table and whole enough to be understood alone.

Keys that come in families ("memory_item.weights", "tier.0.bandwidth_bytes_per_s") are named by a pattern with the name
of the part put in. A key without a name of its own is shown with its words spelled out, which is correct if not pretty;
a test requires a name for every key that other parts rely on.
"""

import re

from core.architecture.blueprint import TensorClass
from core.language.messages import gettext as _
from core.language.messages import marked
from core.sizing.report import Cause

_LABELS = {
    # model
    "model.total_parameters": marked("Parameters in memory"),
    "model.active_parameters": marked("Parameters at work on each token"),
    "model.layers": marked("Layers"),
    "model.hidden_size": marked("Hidden width"),
    "model.trained_context": marked("Trained context"),
    "model.caching_layers": marked("Layers with a cache"),
    # cache and memory
    "kv_bytes_per_token": marked("Cache per token"),
    "state_bytes_per_request": marked("State per request"),
    "kv_bytes_per_request": marked("Cache per request"),
    "kv_cache_bytes": marked("Cache of all requests, as counted"),
    "memory_item.weights": marked("Weights"),
    "memory_item.embedding": marked("Embedding model"),
    "memory_item.reranker": marked("Reranker"),
    "memory_item.framework": marked("Runtime and activations"),
    "memory_item.kv_cache": marked("KV cache"),
    "memory_item.state": marked("State"),
    "memory.fixed_bytes": marked("Memory taken before the first request"),
    "memory.total_bytes": marked("Memory needed"),
    "memory.capacity_bytes": marked("Memory installed"),
    "memory.limit_bytes": marked("Memory the engine may use"),
    "memory.free_for_kv_bytes": marked("Room for the cache"),
    "memory.free_bytes": marked("Memory left free"),
    "memory.share_of_capacity": marked("Share of the memory in use"),
    "memory.shortfall_bytes": marked("Memory missing"),
    "max_context_tokens": marked("Longest context that fits"),
    "max_context_usable_tokens": marked("Longest context that makes sense"),
    "max_concurrency": marked("Requests at once that fit"),
    "requests_at_once": marked("Requests at once"),
    # speed
    "bytes_read_per_token.weights": marked("Weights read per token"),
    "bytes_read_per_token.kv": marked("Cache read per token"),
    "decode_step_s": marked("Time per token"),
    "decode_step_s.ceiling": marked("Time per token, at the least"),
    "decode_tok_s": marked("Speed per user"),
    "decode_tok_s.ceiling": marked("Speed per user, at most"),
    "ttft_s": marked("Time to first token"),
    "output_tok_s_total": marked("Speed of all users together"),
    "saturated_tok_s_total": marked("Speed of all users together, memory full"),
    "prefill_tok_s": marked("Reading speed of one prompt"),
    "arithmetic_intensity.decode": marked("Work per byte while writing"),
    "arithmetic_intensity.prefill": marked("Work per byte while reading"),
    "compute_utilisation.decode": marked("Share of the computing rate in use"),
    "messages_per_token": marked("Exchanges between accelerators per token"),
    "all_reduce_share": marked("Share of the time spent on exchange"),
    "memory_bandwidth_bytes_per_s": marked("Memory bandwidth"),
    # workload and deployment
    "workload.users": marked("Users"),
    "workload.active_share": marked("Share of users active at the peak"),
    "workload.prompt_tokens": marked("Prompt"),
    "workload.output_tokens": marked("Answer"),
    "workload.context_tokens": marked("Context limit"),
    "workload.prefix_hit_share": marked("Share of the prompt already read"),
    "workload.ttft_target_s": marked("First token wanted within"),
    "workload.speed_target": marked("Speed wanted per user"),
    "workload.reserve_share": marked("Reserve for growth"),
    "requests_with_reserve": marked("Requests at once with the reserve"),
    "one_request": marked("One request"),
    "deployment.accelerators": marked("Accelerators"),
    "deployment.count": marked("Accelerators"),
    "deployment.price": marked("Price"),
    "engine.memory_share": marked("Share of the memory the engine may use"),
    "engine.block_tokens": marked("Tokens in a block of the cache"),
    "engine.prefill_chunk": marked("Tokens in a chunk of the prompt"),
    "plan.tensor": marked("Tensor parallel width"),
    "plan.pipeline": marked("Pipeline stages"),
    "plan.replicas": marked("Copies of the model"),
    "plan.parallel_stages": marked("Stages that work at the same time"),
    "plan.hops": marked("Hand-overs between stages"),
    "lower_tiers.limit_bytes": marked("Usable part of the slower memories"),
    "kv_format.bytes_per_element": marked("Bytes per cached element"),
    "kv_format.per_head_bytes": marked("Bytes of scales per cached head"),
    "kv_logical_bytes_per_request": marked("Cache per request, as counted"),
    # rates and efficiencies
    "rate.weight_format": marked("Computing rate in the weight format"),
    "rate.fp16": marked("Computing rate at 16 bit"),
    "bandwidth.weights": marked("Bandwidth reached on weights"),
    "bandwidth.experts": marked("Bandwidth reached on experts"),
    "bandwidth.kv": marked("Bandwidth reached on the cache"),
    "bandwidth.state": marked("Bandwidth reached on the state"),
    "bandwidth.second_tier": marked("Bandwidth reached on the second memory"),
    "state_bandwidth_share": marked("Share of the bandwidth reached on the state"),
    "ridge_flop_per_byte": marked("Work per byte at which computing becomes the limit"),
    "kernels_per_step": marked("Kernels started per token"),
    "device.execution_units": marked("Execution units"),
    "device.clock_hz": marked("Clock"),
    "all_reduce.alpha_s": marked("Fixed time of an exchange"),
    "all_reduce.beta_bytes_per_s": marked("Rate of small exchanges"),
    "all_reduce.bus_bytes_per_s": marked("Rate of large exchanges"),
    "all_reduces_per_layer": marked("Exchanges per layer"),
    "all_reduces_per_step": marked("Exchanges per token"),
    "hop.latency_s": marked("Latency of a hand-over"),
    "hop.bytes_per_s": marked("Rate of a hand-over"),
    "read_bytes.layers": marked("Weights of the layers, read by every token"),
    "read_bytes.head": marked("Output projection, read by every token"),
    "read_bytes.dense": marked("Weights read by every token"),
    "independent_routing": marked("Experts chosen independently"),
    # rule of thumb
    "textbook.kv_bytes_per_token": marked("Cache per token by the rule of thumb"),
    "textbook.kv_bytes_per_request": marked("Cache per request by the rule of thumb"),
    "textbook.weights_bytes": marked("Weights by the rule of thumb"),
}

#: The last word of a key that stands in a family.
_PARTS = {
    "layers": marked("layers"),
    "kv_heads": marked("KV heads"),
    "heads": marked("heads"),
    "key_dim": marked("width of a key"),
    "value_dim": marked("width of a value"),
    "latent_dim": marked("width of the latent vector"),
    "index_layers": marked("layers with an index"),
    "index_dim": marked("width of an index key"),
    "window": marked("window"),
    "window_reserved": marked("window, in whole blocks"),
    "record_bytes": marked("bytes of a cached vector"),
    "bytes_per_token": marked("cache per token"),
    "rank_bytes_per_token": marked("cache per token on one accelerator"),
    "rank_bytes": marked("bytes on one accelerator"),
    "rank_window_bytes": marked("full window on one accelerator"),
    "tokens_held": marked("tokens held"),
    "tokens_reserved": marked("tokens reserved, in whole blocks"),
    "logical_bytes": marked("cache per request, as counted"),
    "reserved_bytes": marked("cache per request, as reserved"),
    "convolution_elements": marked("elements of the convolution"),
    "convolution_bytes": marked("bytes per element of the convolution"),
    "matrix_elements": marked("elements of the matrix"),
    "matrix_bytes": marked("bytes per element of the matrix"),
    "bytes": marked("bytes per request"),
    "constant_bytes": marked("bytes that do not grow"),
    "capacity_bytes": marked("installed"),
    "usable_bytes": marked("usable by software"),
    "limit_bytes": marked("usable by the engine"),
    "bandwidth_bytes_per_s": marked("bandwidth"),
    "bytes_per_request": marked("bytes per request"),
    "kv_bytes_per_request": marked("cache per request"),
    "state_bytes_per_request": marked("state per request"),
    "kv_bytes": marked("cache"),
    "state_bytes": marked("state"),
    "requests_bytes": marked("cache and state"),
    "weights_bytes": marked("weights"),
    "fixed_bytes": marked("taken before the first request"),
    "total_bytes": marked("needed"),
    "free_bytes": marked("left free"),
    "free_for_kv_bytes": marked("room for the cache"),
    "shortfall_bytes": marked("missing"),
    "requests": marked("requests"),
    "layered": marked("layers"),
    "replicated": marked("kept on every accelerator"),
    "first": marked("first stage"),
    "last": marked("last stage"),
    "in_weight_format": marked("in the weight format"),
    "at_16_bit": marked("at 16 bit"),
    "chosen_experts": marked("chosen experts"),
    "experts_per_layer": marked("experts in a layer"),
    "experts_per_token": marked("experts per token"),
    "parameters_per_expert": marked("parameters of an expert"),
    "moe_layers": marked("layers with experts"),
    "low": marked("low"),
    "high": marked("high"),
}

#: Families of keys: the pattern, and a text into which the names of the part and of the group are put.
_FAMILIES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), text)
    for pattern, text in (
        (r"^(?P<part>.+)\.p10$", marked("{part}, one case in ten below")),
        (r"^(?P<part>.+)\.p90$", marked("{part}, nine cases in ten below")),
        (r"^weights_bytes\.(?P<part>\w+)$", marked("Weights: {part}")),
        (r"^model\.parameters\.(?P<part>\w+)$", marked("Parameters: {part}")),
        (r"^weights\.bits\.(?P<part>\w+)$", marked("Bits per weight: {part}")),
        (r"^companion\.(?P<group>\d+)\.parameters\.(?P<part>\w+)$", marked("Companion {group}, parameters: {part}")),
        (r"^companion\.(?P<group>\d+)\.bits\.(?P<part>\w+)$", marked("Companion {group}, bits per weight: {part}")),
        (r"^companion\.(?P<group>\d+)\.weights_bytes\.(?P<part>\w+)$", marked("Companion {group}, weights: {part}")),
        (r"^kv_element_bytes\.(?P<group>\d+)$", marked("Attention {group}: bytes per cached element")),
        (r"^kv\.(?P<group>\d+)\.(?P<part>\w+)$", marked("Attention {group}: {part}")),
        (r"^state\.(?P<group>\d+)\.(?P<part>\w+)$", marked("Recurrent layers {group}: {part}")),
        (r"^tier\.(?P<group>\d+)\.(?P<part>\w+)$", marked("Memory {group}: {part}")),
        (r"^context_case\.(?P<group>\d+)\.(?P<part>\w+)$", marked("Context, case {group}: {part}")),
        (r"^max_context_tokens\.case\.(?P<group>\d+)$", marked("Longest context, case {group}")),
        (r"^accelerator\.(?P<part>\w+)$", marked("One accelerator: {part}")),
        (r"^other_accelerator\.(?P<part>\w+)$", marked("Each further accelerator: {part}")),
        (r"^(?:\w+\.)?spill\.(?:rest\.)?(?P<part>\w+)$", marked("In the slower memory: {part}")),
        (r"^model\.(?P<part>\w+)$", marked("Model: {part}")),
        (r"^matrices\.(?P<part>\w+)$", marked("Matrices: {part}")),
        (r"^flops_per_token\.(?P<part>\w+)$", marked("Work per token: {part}")),
        (r"^decode_step_s\.(?P<part>\w+)$", marked("Time per token: {part}")),
        (r"^prefill_step_s\.(?P<part>\w+)$", marked("Time per prompt: {part}")),
        (r"^range\.(?P<part>\w+)$", marked("Range: {part}")),
        (r"^fit\.(?P<part>\w+)$", marked("Fitted parameter {part}")),
    )
)

_TENSOR_CLASSES = {
    TensorClass.EMBEDDING: marked("input table"),
    TensorClass.HEAD: marked("output projection"),
    TensorClass.ATTENTION: marked("attention"),
    TensorClass.RECURRENT: marked("linear attention"),
    TensorClass.FEED_FORWARD: marked("feed-forward layers"),
    TensorClass.EXPERT: marked("experts"),
    TensorClass.SHARED_EXPERT: marked("shared expert"),
    TensorClass.ROUTER: marked("router"),
    TensorClass.NORM: marked("norms"),
    TensorClass.VISION: marked("image tower"),
    TensorClass.MTP: marked("multi-token prediction"),
}

_CAUSES: dict[str, str] = {
    Cause.WEIGHTS: marked("weights"),
    Cause.EXPERTS: marked("experts"),
    Cause.KV_CACHE: marked("cache"),
    Cause.STATE: marked("state"),
    Cause.COMPUTE: marked("computing"),
    Cause.LINK: marked("exchange"),
    Cause.ENGINE: marked("engine"),
    Cause.SECOND_TIER: marked("second memory"),
}


def label(key: str) -> str:
    """The name of a figure in the language in force.

    >>> label("kv_bytes_per_token"), label("weights_bytes.expert")
    ('Cache per token', 'Weights: experts')
    """
    text = _LABELS.get(key)
    if text is not None:
        return _(text)
    for pattern, text in _FAMILIES:
        match = pattern.match(key)
        if match:
            found = match.groupdict()
            return _(text).format(
                part=_part(found.get("part", "")), group=int(found["group"]) + 1 if "group" in found else ""
            )
    return _spelled(key)


def has_label(key: str) -> bool:
    """Does a figure have a name of its own, rather than its key spelled out?"""
    return key in _LABELS or any(pattern.match(key) for pattern, _text in _FAMILIES)


def tensor_class(kind: TensorClass) -> str:
    """The name of a class of tensors."""
    return _(_TENSOR_CLASSES[kind])


def _part(name: str) -> str:
    """The name of a part, inside the text of its family."""
    if name in _PARTS:
        return _(_PARTS[name])
    if name in _TENSOR_CLASSES:
        return _(_TENSOR_CLASSES[TensorClass(name)])
    if name in _CAUSES:
        return _(_CAUSES[name])
    return label(name) if name in _LABELS else name.replace("_", " ")


def _spelled(key: str) -> str:
    """A key as words: "link.alpha_s" -> "link alpha"."""
    words = re.sub(r"[._]+", " ", re.sub(r"_(bytes_per_s|bytes|s)$", "", key)).strip()
    return words[:1].upper() + words[1:]

"""The name of every figure of the trace, short enough for a table and whole enough to be understood alone.

Keys that come in families ("memory_item.weights", "tier.0.bandwidth_bytes_per_s") are named by a pattern with the name
of the part put in. A key without a name of its own is shown with its words spelled out, which is correct if not pretty;
a test requires a name for every key that other parts rely on.
"""

import re

from core.architecture.blueprint import TensorClass
from core.language.messages import gettext as _
from core.language.messages import marked as N_

_LABELS = {
    # model
    "model.total_parameters": N_("Parameters in memory"),
    "model.active_parameters": N_("Parameters at work on each token"),
    "model.layers": N_("Layers"),
    "model.hidden_size": N_("Hidden width"),
    "model.trained_context": N_("Trained context"),
    "model.caching_layers": N_("Layers with a cache"),
    # cache and memory
    "kv_bytes_per_token": N_("Cache per token"),
    "state_bytes_per_request": N_("State per request"),
    "kv_bytes_per_request": N_("Cache per request"),
    "kv_cache_bytes": N_("Cache of all requests, as counted"),
    "memory_item.weights": N_("Weights"),
    "memory_item.embedding": N_("Embedding model"),
    "memory_item.reranker": N_("Reranker"),
    "memory_item.framework": N_("Runtime and activations"),
    "memory_item.kv_cache": N_("KV cache"),
    "memory_item.state": N_("State"),
    "memory.fixed_bytes": N_("Memory taken before the first request"),
    "memory.total_bytes": N_("Memory needed"),
    "memory.capacity_bytes": N_("Memory installed"),
    "memory.limit_bytes": N_("Memory the engine may use"),
    "memory.free_for_kv_bytes": N_("Room for the cache"),
    "memory.free_bytes": N_("Memory left free"),
    "memory.share_of_capacity": N_("Share of the memory in use"),
    "memory.shortfall_bytes": N_("Memory missing"),
    "max_context_tokens": N_("Longest context that fits"),
    "max_context_usable_tokens": N_("Longest context that makes sense"),
    "max_concurrency": N_("Requests at once that fit"),
    "requests_at_once": N_("Requests at once"),
    # speed
    "bytes_read_per_token.weights": N_("Weights read per token"),
    "bytes_read_per_token.kv": N_("Cache read per token"),
    "decode_step_s": N_("Time per token"),
    "decode_step_s.ceiling": N_("Time per token, at the least"),
    "decode_tok_s": N_("Speed per user"),
    "decode_tok_s.ceiling": N_("Speed per user, at most"),
    "ttft_s": N_("Time to first token"),
    "output_tok_s_total": N_("Speed of all users together"),
    "saturated_tok_s_total": N_("Speed of all users together, memory full"),
    "prefill_tok_s": N_("Reading speed of one prompt"),
    "arithmetic_intensity.decode": N_("Work per byte while writing"),
    "arithmetic_intensity.prefill": N_("Work per byte while reading"),
    "compute_utilisation.decode": N_("Share of the computing rate in use"),
    "messages_per_token": N_("Exchanges between accelerators per token"),
    "all_reduce_share": N_("Share of the time spent on exchange"),
    "memory_bandwidth_bytes_per_s": N_("Memory bandwidth"),
    # workload and deployment
    "workload.users": N_("Users"),
    "workload.active_share": N_("Share of users active at the peak"),
    "workload.prompt_tokens": N_("Prompt"),
    "workload.output_tokens": N_("Answer"),
    "workload.context_tokens": N_("Context limit"),
    "workload.prefix_hit_share": N_("Share of the prompt already read"),
    "workload.ttft_target_s": N_("First token wanted within"),
    "workload.speed_target": N_("Speed wanted per user"),
    "workload.reserve_share": N_("Reserve for growth"),
    "deployment.count": N_("Accelerators"),
    "deployment.memory_share": N_("Share of the memory the engine may use"),
    "deployment.price": N_("Price"),
}

#: Families of keys: the pattern, and a text into which the part's name is put.
_FAMILIES: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"^weights_bytes\.(\w+)$"), N_("Weights: {part}")),
    (re.compile(r"^parameters\.(\w+)$"), N_("Parameters: {part}")),
    (re.compile(r"^bits\.(\w+)$"), N_("Bits per weight: {part}")),
    (re.compile(r"^tier\.(\d+)\.bandwidth_bytes_per_s$"), N_("Bandwidth of memory {part}")),
    (re.compile(r"^tier\.(\d+)\.capacity_bytes$"), N_("Size of memory {part}")),
    (re.compile(r"^tier\.(\d+)\.limit_bytes$"), N_("Usable part of memory {part}")),
    (re.compile(r"^kv_element_bytes\.(\d+)$"), N_("Bytes per cached element, layer group {part}")),
    (re.compile(r"^attention\.(\d+)\.layers$"), N_("Layers with a cache, layer group {part}")),
    (re.compile(r"^attention\.(\d+)\.kv_heads$"), N_("KV heads, layer group {part}")),
    (re.compile(r"^(.+)\.p10$"), N_("{part}, one case in ten below")),
    (re.compile(r"^(.+)\.p90$"), N_("{part}, nine cases in ten below")),
)

_TENSOR_CLASSES = {
    TensorClass.EMBEDDING: N_("input table"),
    TensorClass.HEAD: N_("output projection"),
    TensorClass.ATTENTION: N_("attention"),
    TensorClass.RECURRENT: N_("linear attention"),
    TensorClass.FEED_FORWARD: N_("feed-forward layers"),
    TensorClass.EXPERT: N_("experts"),
    TensorClass.SHARED_EXPERT: N_("shared expert"),
    TensorClass.ROUTER: N_("router"),
    TensorClass.NORM: N_("norms"),
    TensorClass.VISION: N_("image tower"),
    TensorClass.MTP: N_("multi-token prediction"),
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
            return _(text).format(part=_part(match[1]))
    return _spelled(key)


def has_label(key: str) -> bool:
    """Does a figure have a name of its own, rather than its key spelled out?"""
    return key in _LABELS or any(pattern.match(key) for pattern, _text in _FAMILIES)


def tensor_class(kind: TensorClass) -> str:
    """The name of a class of tensors."""
    return _(_TENSOR_CLASSES[kind])


def _part(name: str) -> str:
    if name.isdigit():
        return str(int(name) + 1)
    if name in _TENSOR_CLASSES:
        return _(_TENSOR_CLASSES[TensorClass(name)])
    return label(name)


def _spelled(key: str) -> str:
    """A key as words: "link.alpha_s" -> "link alpha"."""
    words = re.sub(r"[._]+", " ", re.sub(r"_(bytes_per_s|bytes|s)$", "", key)).strip()
    return words[:1].upper() + words[1:]

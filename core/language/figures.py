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
    "all_reduce.slowdown": marked("Slowdown of the rates of exchanges"),
    "all_reduces_per_layer": marked("Exchanges per layer"),
    "all_reduces_per_step": marked("Exchanges per token"),
    "hop.latency_s": marked("Latency of a hand-over"),
    "hop.bytes_per_s": marked("Rate of a hand-over"),
    "read_bytes.layers": marked("Weights of the layers, read by every token"),
    "read_bytes.head": marked("Output projection, read by every token"),
    "read_bytes.dense": marked("Weights read by every token"),
    "independent_routing": marked("Experts chosen independently"),
    "tpot_s": marked("Time per output token"),
    "ttft_s.least": marked("Time to first token, at the least"),
    "all_reduce_seconds_per_token": marked("Time of all exchanges per token"),
    "state_traffic_bytes": marked("State moved per token"),
    "efficiency.experts": marked("Efficiency on experts"),
    "pipeline_kept_share": marked("Share of their rate that stages keep"),
    "plan.ranks_per_replica": marked("Accelerators per copy of the model"),
    "engine.slots": marked("Most requests the engine takes"),
    "reading_speed_tok_s": marked("Reading speed of a person"),
    "link.bytes_per_s_per_direction": marked("Rate of the link in one direction"),
    "memory_to_link_ratio": marked("How many times faster memory is than the link"),
    "device.usable_bytes": marked("Memory of one accelerator, usable by software"),
    "memory.usable_bytes": marked("Memory usable by software"),
    "memory.framework_bytes": marked("Runtime and activations of all accelerators"),
    "price.low": marked("Lowest quote"),
    "price.high": marked("Highest quote"),
    "nothing_bytes": marked("Nothing to hold"),
    "nothing_s": marked("Nothing to wait for"),
    "attention_flops_per_token": marked("Work of attention per token"),
    "prefill_step_s": marked("Time of the prompt"),
    "saturated_step_s": marked("Time per token with memory full"),
    "one_request_step_s": marked("Time per token of one request alone"),
    # parameters fitted to measurements
    "fit.eta": marked("Fitted: share of the bandwidth reached on long reads"),
    "fit.cap": marked("Fitted: bytes under way per clock and execution unit"),
    "fit.eta_e": marked("Fitted: bandwidth on experts against other weights"),
    "fit.eta_kv": marked("Fitted: bandwidth on the cache against weights"),
    "fit.mfu_dec_att": marked("Fitted: share of the 16-bit rate in attention over a cache"),
    "fit.t_op": marked("Fitted: time per kernel"),
    "fit.t_host": marked("Fitted: host time per step"),
    "fit.t_seq": marked("Fitted: time per request and step"),
    "fit.mfu": marked("Fitted: share of the computing rate in long products"),
    "fit.mfu_e": marked("Fitted: efficiency of expert products against others"),
    "fit.n_half": marked("Fitted: tokens at half rate for 100 TFLOP/s"),
    "fit.mfu_att": marked("Fitted: share of the 16-bit rate in attention over a prompt"),
    "fit.mfu_b": marked("Fitted: efficiency of small batches"),
    "fit.gamma": marked("Fitted: reuse of experts within a batch"),
    "fit.ars": marked("Fitted: exchange inside an engine against alone"),
    "fit.c_int": marked("Fitted: share of others’ prompts that a request waits for"),
    "fit.c_q": marked("Fitted: weight of the prompt queue"),
    "fit.c_burst": marked("Fitted: weight of the prompts that were sent together"),
    "fit.t_req": marked("Fitted: handling of a request"),
    "fit.pipe": marked("Fitted: overlap of prompt passes"),
    "fit.eta_cpu": marked("Fitted: share of its bandwidth that a CPU reaches"),
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
    "bytes": marked("bytes"),
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
    "ceiling": marked("bound of physics"),
    "dense": marked("all but experts"),
    "experts": marked("experts"),
    "first_tier": marked("fast memory"),
    "second_tier": marked("slower memory"),
    "by_tier": marked("by memory"),
    "alone": marked("by itself"),
    "rank": marked("one accelerator"),
    "kv": marked("cache"),
    "compute": marked("computing"),
    "flops": marked("operations"),
    "decode": marked("writing"),
    "prefill": marked("reading prompts"),
    "all_reduce": marked("one exchange"),
    "all_reduces": marked("all exchanges"),
    "hop": marked("one hand-over"),
    "hops": marked("all hand-overs"),
    "message_bytes": marked("bytes of an exchange"),
    "exchange_s": marked("time of exchanges"),
    "batch_share": marked("efficiency of a small batch"),
    "distinct_experts": marked("experts needed at least once"),
    "readers": marked("layers that read the cache"),
    "row_flops": marked("operations per token looked back at"),
    "top_k": marked("tokens looked back at, at most"),
    "share": marked("share"),
    "attention_flops_per_token": marked("work of attention per token"),
    "cached_tokens": marked("tokens already in the cache"),
    "new_tokens": marked("tokens to compute"),
    "chunk_tokens": marked("tokens in one pass"),
    "chunks": marked("passes"),
    "expert_bytes": marked("bytes of experts read"),
    "first_tier_bytes": marked("bytes read from fast memory"),
    "second_tier_bytes": marked("bytes read from slower memory"),
    "second_tier_pass_s": marked("time of one pass over slower memory"),
    "half_rate_tokens": marked("tokens at which half the best rate is reached"),
    "mean_context": marked("tokens looked back at, on average"),
    "tokens_per_expert": marked("tokens per expert"),
    "at_16_bit_in_layers": marked("at 16 bit, in layers"),
    "held_bytes": marked("memory of a request under way"),
    "held_tokens": marked("tokens of a request under way"),
    "interference_s": marked("delay by others’ prompts"),
    "pipeline_overlap": marked("overlap of stages"),
    "prompt_share": marked("share of the time spent on prompts"),
    "replica_tok_s": marked("speed of one copy of the model"),
    "requests_in_flight": marked("requests under way"),
    "requests_in_step": marked("requests in one step"),
    "requests_that_fit": marked("requests that fit"),
    "slot_wait_s": marked("wait for a free place"),
    "ttft_with_slot_s": marked("time to first token once there is a place"),
    "tpot_s": marked("time per output token"),
    "replica_weights_bytes": marked("weights of a further copy"),
    "element_bytes": marked("bytes per cached element"),
    "kv_bytes_per_token": marked("cache per token"),
    "any": marked("in general"),
    "by_evidence": marked("by evidence"),
    "least": marked("at least"),
    "widening": marked("widening"),
    "shallow": marked("short context"),
    "deep_tokens": marked("tokens from which a context is deep"),
    "deep_widening": marked("widening for a deep context"),
    "first_token": marked("first token"),
    "batched": marked("many requests"),
    "saturated": marked("memory full"),
    "throughput": marked("all users together"),
    "tpot": marked("output tokens"),
    "ttft": marked("first token with waiting"),
    "bits": marked("bits per weight"),
    "rest": marked("what stays in fast memory"),
    "low": marked("low"),
    "high": marked("high"),
}

#: Families of keys: the pattern, and a text into which the names of the part and of the group are put.
_FAMILIES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), text)
    for pattern, text in (
        (r"^(?P<part>.+)\.p10$", marked("{part}, one case in ten below")),
        (r"^(?P<part>.+)\.p90$", marked("{part}, nine cases in ten below")),
        (r"^companion\.(?P<group>\d+)\.parameters\.(?P<part>\w+)$", marked("Companion {group}, parameters: {part}")),
        (r"^companion\.(?P<group>\d+)\.bits\.(?P<part>\w+)$", marked("Companion {group}, bits per weight: {part}")),
        (r"^companion\.(?P<group>\d+)\.weights_bytes\.(?P<part>\w+)$", marked("Companion {group}, weights: {part}")),
        (r"^kv_element_bytes\.(?P<group>\d+)$", marked("Attention {group}: bytes per cached element")),
        (r"^attention\.(?P<group>\d+)\.(?P<part>[\w.]+)$", marked("Attention {group}: {part}")),
        (r"^kv\.(?P<group>\d+)\.(?P<part>\w+)$", marked("Attention {group}: {part}")),
        (r"^state\.(?P<group>\d+)\.(?P<part>\w+)$", marked("Recurrent layers {group}: {part}")),
        (r"^tier\.(?P<group>\d+)\.(?P<part>\w+)$", marked("Memory {group}: {part}")),
        (r"^context_case\.(?P<group>\d+)\.(?P<part>\w+)$", marked("Context, case {group}: {part}")),
        (r"^max_context_tokens\.case\.(?P<group>\d+)$", marked("Longest context, case {group}")),
    )
)

#: What a key with several parts begins with; the longest beginning counts.
_WHOLES = {
    "decode_step_s": marked("Time per token"),
    "one_request_step_s": marked("Time per token of one request alone"),
    "saturated_step_s": marked("Time per token with memory full"),
    "prefill_step_s": marked("Time of the prompt"),
    "prompt": marked("Prompt"),
    "prefill": marked("Prompt"),
    "serving": marked("Service"),
    "saturated": marked("Memory full"),
    "output_tok_s_total": marked("Speed of all users together"),
    "saturated_tok_s_total": marked("Speed of all users together, memory full"),
    "prefill_tok_s": marked("Reading speed of one prompt"),
    "attention_flops_per_token": marked("Work of attention per token"),
    "bytes_read_per_token": marked("Read per token"),
    "compute_s_per_token": marked("Computing time per token"),
    "model": marked("Model"),
    "matrices": marked("Matrices"),
    "flops_per_token": marked("Work per token"),
    "accelerator": marked("One accelerator"),
    "other_accelerator": marked("Each further accelerator"),
    "spill": marked("In the slower memory"),
    "accelerator.spill": marked("In the slower memory"),
    "other_accelerator.spill": marked("In the slower memory of a further accelerator"),
    "spread": marked("Spread"),
    "range": marked("Range"),
    "textbook": marked("Rule of thumb"),
    "article": marked("The article’s example"),
    "checkpoint": marked("Published checkpoint"),
    "weights_bytes": marked("Weights"),
    "model.parameters": marked("Parameters"),
    "weights.bits": marked("Bits per weight"),
}

_TENSOR_CLASSES: dict[str, str] = {
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

    >>> label("kv_bytes_per_token"), label("weights_bytes.expert"), label("kv.0.kv_heads")
    ('Cache per token', 'Weights: experts', 'Attention 1: KV heads')
    """
    if key in _LABELS:
        return _(_LABELS[key])
    for pattern, text in _FAMILIES:
        match = pattern.match(key)
        if match:
            found = match.groupdict()
            return _(text).format(part=_parts(found.get("part", "")), group=_ordinal(found.get("group", "")))
    whole = _whole(key)
    if whole:
        return _("{whole}: {part}").format(whole=_(_WHOLES[whole]), part=_parts(key[len(whole) + 1 :]))
    return _spelled(key)


def has_label(key: str) -> bool:
    """Does a figure have a name, with all its parts, rather than its key spelled out?"""
    if key in _LABELS:
        return True
    for pattern, _text in _FAMILIES:
        match = pattern.match(key)
        if match:
            part = match.groupdict().get("part", "")
            return not part or part in _LABELS or all(map(_is_known, part.split("."))) or has_label(part)
    whole = _whole(key)
    return bool(whole) and all(map(_is_known, key[len(whole) + 1 :].split(".")))


def _whole(key: str) -> str:
    """The longest beginning of a key that has a name and is not the whole key."""
    segments = key.split(".")
    for length in range(len(segments) - 1, 0, -1):
        start = ".".join(segments[:length])
        if start in _WHOLES:
            return start
    return ""


def tensor_class(kind: TensorClass) -> str:
    """The name of a class of tensors."""
    return _(_TENSOR_CLASSES[kind])


def _parts(path: str) -> str:
    """The names of the parts of a key, one after another: "compute.kv.alone" -> "computing, cache, by itself"."""
    if path in _LABELS or _whole(path):
        return label(path)
    return ", ".join(_part(segment) for segment in path.split("."))


def _part(name: str) -> str:
    for names in (_PARTS, _TENSOR_CLASSES, _CAUSES):
        if name in names:
            return _(names[name])
    return _ordinal(name) if name.isdigit() else name.replace("_", " ")


def _is_known(name: str) -> bool:
    return name.isdigit() or any(name in names for names in (_PARTS, _TENSOR_CLASSES, _CAUSES))


def _ordinal(position: str) -> str:
    """Groups are counted from 0 in keys, from 1 for people."""
    return str(int(position) + 1) if position.isdigit() else position


def _spelled(key: str) -> str:
    """A key as words: "link.alpha_s" -> "link alpha"."""
    words = re.sub(r"[._]+", " ", re.sub(r"_(bytes_per_s|bytes|s)$", "", key)).strip()
    return words[:1].upper() + words[1:]

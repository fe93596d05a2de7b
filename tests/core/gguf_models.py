"""Models as GGUF files, laid out from a config.json as llama.cpp's converter does: names, shapes and fields.

The files have their true size but hold no data: what lies behind the header is a hole that takes no room on the disk.
"""

import json
import math
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import gguf
import numpy as np

CONFIGS = Path(__file__).parent.parent / "data" / "configs"
Config = Mapping[str, Any]
Tensors = dict[str, tuple[int, ...]]  # by name, the row length first
Fields = dict[str, Any]


def config_of(name: str) -> dict[str, Any]:
    config: dict[str, Any] = json.loads((CONFIGS / f"{name}.json").read_text(encoding="utf-8"))
    return config


def text(config: Config) -> Config:
    return {**config, **config.get("text_config", {})}


def write(
    path: Path,
    architecture: str,
    fields: Fields,
    tensors: Tensors,
    kind: gguf.GGMLQuantizationType = gguf.GGMLQuantizationType.F16,
    kinds: Mapping[str, gguf.GGMLQuantizationType] | None = None,
    **options: Any,
) -> None:
    """Write the header with the package's own writer, and let the file grow to its full length."""
    writer = gguf.GGUFWriter(path, architecture, **options)
    for name, value in fields.items():
        add(writer, name if name.startswith(("general.", "tokenizer.")) else f"{architecture}.{name}", value)
    for name, shape in tensors.items():
        chosen = (kinds or {}).get(name, gguf.GGMLQuantizationType.F32 if len(shape) == 1 else kind)
        if shape[0] % gguf.GGML_QUANT_SIZES[chosen][0]:  # as llama.cpp does with rows that a type does not divide
            chosen = gguf.GGMLQuantizationType.Q5_0
        block, size = gguf.GGML_QUANT_SIZES[chosen]
        count = math.prod(shape) // block * size
        writer.add_tensor_info(name, tuple(reversed(shape)), np.dtype(np.float32), count, chosen)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_ti_data_to_file()
    assert writer.fout is not None
    for stream, part in zip(writer.fout, writer.tensors, strict=True):
        writer.write_padding(stream, stream.tell())
        stream.truncate(
            stream.tell() + sum(writer.ggml_pad(one.nbytes, writer.data_alignment) for one in part.values())
        )
    writer.close()


def add(writer: gguf.GGUFWriter, name: str, value: Any) -> None:
    if isinstance(value, bool):
        writer.add_bool(name, value)
    elif isinstance(value, int):
        writer.add_uint32(name, value)
    elif isinstance(value, float):
        writer.add_float32(name, value)
    elif isinstance(value, str):
        writer.add_string(name, value)
    else:
        writer.add_array(name, value)


# ----------------------------------------------------------------------------------------------------- common parts


def common(c: Config, layers: int | None = None) -> Fields:
    heads = c["num_attention_heads"]
    fields: Fields = {
        "general.name": "A model",
        "block_count": layers or c["num_hidden_layers"],
        "context_length": c.get("max_position_embeddings", 4096),
        "embedding_length": c["hidden_size"],
        "attention.head_count": heads,
        "attention.head_count_kv": c.get("num_key_value_heads") or heads,
    }
    if c.get("head_dim"):
        fields |= {"attention.key_length": c["head_dim"], "attention.value_length": c["head_dim"]}
    return fields


def outer(c: Config) -> Tensors:
    tensors = {"token_embd.weight": (c["hidden_size"], c["vocab_size"]), "output_norm.weight": (c["hidden_size"],)}
    if not c.get("tie_word_embeddings", False):
        tensors["output.weight"] = (c["hidden_size"], c["vocab_size"])
    return tensors


def attention(c: Config, bias: str = "", norms: bool = False, query: int = 1) -> Tensors:
    hidden, heads = c["hidden_size"], c["num_attention_heads"]
    dim = c.get("head_dim") or hidden // heads
    widths = {"q": query * heads * dim, "k": (c.get("num_key_value_heads") or heads) * dim}
    widths["v"] = widths["k"]
    tensors: Tensors = {f"attn_{letter}.weight": (hidden, width) for letter, width in widths.items()}
    tensors |= {f"attn_{letter}.bias": (width,) for letter, width in widths.items() if letter in bias}
    tensors["attn_output.weight"] = (heads * dim, hidden)
    if "o" in bias:
        tensors["attn_output.bias"] = (hidden,)
    if norms:
        tensors |= {"attn_q_norm.weight": (dim,), "attn_k_norm.weight": (dim,)}
    return tensors


def feed_forward(hidden: int, inner: int, ending: str = "") -> Tensors:
    return {
        f"ffn_gate{ending}.weight": (hidden, inner),
        f"ffn_up{ending}.weight": (hidden, inner),
        f"ffn_down{ending}.weight": (inner, hidden),
    }


def experts(hidden: int, inner: int, count: int, gated: bool = True) -> Tensors:
    tensors: Tensors = {
        "ffn_gate_inp.weight": (hidden, count),
        "ffn_up_exps.weight": (hidden, inner, count),
        "ffn_down_exps.weight": (inner, hidden, count),
    }
    return tensors | ({"ffn_gate_exps.weight": (hidden, inner, count)} if gated else {})


def norms(c: Config, *names: str) -> Tensors:
    return {f"{name}.weight": (c["hidden_size"],) for name in names}


def blocks(layers: Iterator[Tensors] | list[Tensors]) -> Tensors:
    return {f"blk.{i}.{name}": shape for i, layer in enumerate(layers) for name, shape in layer.items()}


def expert_fields(c: Config, count: str = "num_experts", used: str = "num_experts_per_tok") -> Fields:
    return {"expert_count": c[count], "expert_used_count": c[used]}


# --------------------------------------------------------------------------------------------------- architectures

Layout = tuple[str, Fields, Tensors]


def llama(c: Config) -> Layout:
    layer = attention(c) | norms(c, "attn_norm", "ffn_norm")
    fields = common(c)
    if "num_local_experts" in c:
        fields |= expert_fields(c, "num_local_experts")
        layer |= experts(c["hidden_size"], c["intermediate_size"], c["num_local_experts"])
    else:
        layer |= feed_forward(c["hidden_size"], c["intermediate_size"])
    tensors = outer(c) | {"rope_freqs.weight": (64,)} | blocks([layer] * c["num_hidden_layers"])
    return "llama", fields, tensors


def qwen2(c: Config) -> Layout:
    layer = attention(c, bias="qkv") | norms(c, "attn_norm", "ffn_norm")
    layer |= feed_forward(c["hidden_size"], c["intermediate_size"])
    return "qwen2", common(c), outer(c) | blocks([layer] * c["num_hidden_layers"])


def qwen3(c: Config) -> Layout:
    layer = attention(c, norms=True) | norms(c, "attn_norm", "ffn_norm")
    if "num_experts" in c:
        layer |= experts(c["hidden_size"], c["moe_intermediate_size"], c["num_experts"])
        return "qwen3moe", common(c) | expert_fields(c), outer(c) | blocks([layer] * c["num_hidden_layers"])
    layer |= feed_forward(c["hidden_size"], c["intermediate_size"])
    return "qwen3", common(c), outer(c) | blocks([layer] * c["num_hidden_layers"])


def delta_net(c: Config, joint: bool) -> Tensors:
    hidden, kernel = c["hidden_size"], c["linear_conv_kernel_dim"]
    key_dim, heads = c["linear_key_head_dim"], c["linear_num_value_heads"]
    keys, values = c["linear_num_key_heads"] * key_dim, heads * c["linear_value_head_dim"]
    tensors: Tensors = {
        "attn_qkv.weight": (hidden, 2 * keys + values),
        "attn_gate.weight": (hidden, values),
        "ssm_conv1d.weight": (kernel, 2 * keys + values),
        "ssm_dt.bias": (heads,),
        "ssm_a": (heads,),
        "ssm_norm.weight": (c["linear_value_head_dim"],),
        "ssm_out.weight": (values, hidden),
    }
    if joint:
        return tensors | {"ssm_ba.weight": (hidden, 2 * heads)}
    return tensors | {"ssm_beta.weight": (hidden, heads), "ssm_alpha.weight": (hidden, heads)}


def qwen_hybrid(c: Config) -> Layout:
    """Qwen3-Next, and Qwen3.5 with its prediction layer as one more block."""
    c = text(c)
    hidden, layers = c["hidden_size"], c["num_hidden_layers"]
    next_ = c["model_type"] == "qwen3_next"
    predicting = 0 if next_ else c.get("mtp_num_hidden_layers", 0)
    fields = common(c, layers + predicting) | {
        "ssm.conv_kernel": c["linear_conv_kernel_dim"],
        "ssm.state_size": c["linear_key_head_dim"],
        "ssm.group_count": c["linear_num_key_heads"],
        "ssm.time_step_rank": c["linear_num_value_heads"],
        "ssm.inner_size": c["linear_value_head_dim"] * c["linear_num_value_heads"],
        "full_attention_interval": 4,
    }
    rest = norms(c, "attn_norm", "post_attention_norm")
    if "num_experts" in c:
        fields |= expert_fields(c)
        rest |= experts(hidden, c["moe_intermediate_size"], c["num_experts"])
        rest |= feed_forward(hidden, c["shared_expert_intermediate_size"], "_shexp")
        rest |= {"ffn_gate_inp_shexp.weight": (hidden,)}
    else:
        rest |= feed_forward(hidden, c["intermediate_size"])
    full = attention(c, norms=True, query=2) | rest
    found = [full if (i + 1) % 4 == 0 else delta_net(c, next_) | rest for i in range(layers)]
    if predicting:
        fields["nextn_predict_layers"] = predicting
        found += [full | {"nextn.eh_proj.weight": (2 * hidden, hidden)} | norms(c, *NEXTN)] * predicting
    architecture = "qwen3next" if next_ else "qwen35moe" if "num_experts" in c else "qwen35"
    return architecture, fields, outer(c) | blocks(found)


NEXTN = ("nextn.enorm", "nextn.hnorm", "nextn.shared_head_norm")


def gemma(c: Config) -> Layout:
    """Gemma 2 and 3."""
    c = {"tie_word_embeddings": True, **text(c)}
    two = c["model_type"] == "gemma2"
    names = ("attn_norm", "post_attention_norm", "ffn_norm", "post_ffw_norm")
    layer = attention(c, norms=not two) | norms(c, *names) | feed_forward(c["hidden_size"], c["intermediate_size"])
    fields = common(c) | {"attention.sliding_window": c["sliding_window"]}
    return "gemma2" if two else "gemma3", fields, outer(c) | blocks([layer] * c["num_hidden_layers"])


def gpt_oss(c: Config) -> Layout:
    hidden, inner, count = c["hidden_size"], c["intermediate_size"], c["num_local_experts"]
    layer = attention(c, bias="qkvo") | norms(c, "attn_norm", "post_attention_norm") | experts(hidden, inner, count)
    layer |= {"attn_sinks.weight": (c["num_attention_heads"],), "ffn_gate_inp.bias": (count,)}
    layer |= {"ffn_gate_exps.bias": (inner, count), "ffn_up_exps.bias": (inner, count)}
    layer |= {"ffn_down_exps.bias": (hidden, count)}
    fields = common(c) | expert_fields(c, "num_local_experts") | {"attention.sliding_window": c["sliding_window"]}
    return "gpt-oss", fields, outer(c) | blocks([layer] * c["num_hidden_layers"])


def deepseek(c: Config, old: bool = False) -> Layout:
    """DeepSeek V2, V3 and Kimi K2, which use one architecture; `old` as before latents were kept."""
    hidden, heads, rank = c["hidden_size"], c["num_attention_heads"], c["kv_lora_rank"]
    plain, rotary, value = c["qk_nope_head_dim"], c["qk_rope_head_dim"], c["v_head_dim"]
    layer: Tensors = {"attn_kv_a_mqa.weight": (hidden, rank + rotary), "attn_kv_a_norm.weight": (rank,)}
    if c.get("q_lora_rank"):
        layer |= {"attn_q_a.weight": (hidden, c["q_lora_rank"]), "attn_q_a_norm.weight": (c["q_lora_rank"],)}
        layer |= {"attn_q_b.weight": (c["q_lora_rank"], heads * (plain + rotary))}
    else:
        layer |= {"attn_q.weight": (hidden, heads * (plain + rotary))}
    if old:
        layer |= {"attn_kv_b.weight": (rank, heads * (plain + value))}
    else:
        layer |= {"attn_k_b.weight": (plain, rank, heads), "attn_v_b.weight": (rank, value, heads)}
    layer |= {"attn_output.weight": (heads * value, hidden)} | norms(c, "attn_norm", "ffn_norm")
    routed = experts(hidden, c["moe_intermediate_size"], c["n_routed_experts"])
    routed |= feed_forward(hidden, c["moe_intermediate_size"] * c["n_shared_experts"], "_shexp")
    if c.get("topk_method") == "noaux_tc":
        routed["exp_probs_b.bias"] = (c["n_routed_experts"],)
    dense = feed_forward(hidden, c["intermediate_size"])
    first = c["first_k_dense_replace"]
    found = [layer | (dense if i < first else routed) for i in range(c["num_hidden_layers"])]
    fields = common({**c, "head_dim": None}) | expert_fields(c, "n_routed_experts")
    fields |= {"attention.kv_lora_rank": rank, "rope.dimension_count": rotary}
    if old:
        fields |= {"attention.key_length": plain + rotary, "attention.value_length": value}
    else:
        fields |= {"attention.head_count_kv": 1, "attention.key_length": rank + rotary, "attention.value_length": rank}
        fields |= {"attention.key_length_mla": plain + rotary, "attention.value_length_mla": value}
    return "deepseek2", fields, outer(c) | blocks(found)


def glm4_moe(c: Config) -> Layout:
    """GLM-4.5, whose prediction layer is one more block."""
    hidden, layers = c["hidden_size"], c["num_hidden_layers"]
    shared = norms(c, "attn_norm", "post_attention_norm") | attention(c, bias="qkv", norms=c["use_qk_norm"])
    routed = experts(hidden, c["moe_intermediate_size"], c["n_routed_experts"])
    routed |= feed_forward(hidden, c["moe_intermediate_size"] * c["n_shared_experts"], "_shexp")
    routed |= {"exp_probs_b.bias": (c["n_routed_experts"],)}
    dense = feed_forward(hidden, c["intermediate_size"])
    found = [shared | (dense if i < c["first_k_dense_replace"] else routed) for i in range(layers)]
    last = shared | routed | {"nextn.eh_proj.weight": (2 * hidden, hidden)} | norms(c, *NEXTN)
    last |= {"nextn.embed_tokens.weight": (hidden, c["vocab_size"])}
    last |= {"nextn.shared_head_head.weight": (hidden, c["vocab_size"])}
    fields = common(c, layers + 1) | expert_fields(c, "n_routed_experts") | {"nextn_predict_layers": 1}
    return "glm4moe", fields, outer(c) | blocks([*found, last])


def phi3(c: Config) -> Layout:
    hidden, inner, heads = c["hidden_size"], c["intermediate_size"], c["num_attention_heads"]
    dim = hidden // heads
    layer: Tensors = {
        "attn_qkv.weight": (hidden, (heads + 2 * c["num_key_value_heads"]) * dim),
        "attn_output.weight": (hidden, hidden),
        "ffn_up.weight": (hidden, 2 * inner),
        "ffn_down.weight": (inner, hidden),
    } | norms(c, "attn_norm", "ffn_norm")
    return "phi3", common(c), outer(c) | blocks([layer] * c["num_hidden_layers"])


def mamba2(c: Config, heads: int, dim: int, groups: int, state: int, kernel: int, *, norm: bool = True) -> Tensors:
    hidden, inner = c["hidden_size"], heads * dim
    channels = inner + 2 * groups * state
    tensors: Tensors = {
        "ssm_in.weight": (hidden, inner + channels + heads),
        "ssm_conv1d.weight": (kernel, channels),
        "ssm_conv1d.bias": (channels,),
        "ssm_dt.bias": (heads,),
        "ssm_a": (1, heads),
        "ssm_d": (1, heads),
        "ssm_out.weight": (inner, hidden),
    }
    return tensors | ({"ssm_norm.weight": (inner // groups, groups)} if norm else {})


def mamba_fields(heads: int, dim: int, groups: int, state: int, kernel: int) -> Fields:
    return {
        "ssm.conv_kernel": kernel,
        "ssm.state_size": state,
        "ssm.group_count": groups,
        "ssm.time_step_rank": heads,
        "ssm.inner_size": heads * dim,
    }


def nemotron_h(c: Config) -> Layout:
    shape = tuple(c[n] for n in ("mamba_num_heads", "mamba_head_dim", "n_groups", "ssm_state_size", "conv_kernel"))
    hidden, pattern = c["hidden_size"], c["hybrid_override_pattern"]
    kinds: dict[str, Tensors] = {
        "M": mamba2(c, *shape),
        "*": attention(c),
        "-": {"ffn_up.weight": (hidden, c["intermediate_size"]), "ffn_down.weight": (c["intermediate_size"], hidden)},
    }
    fields = common(c) | mamba_fields(*shape)
    fields["attention.head_count_kv"] = [c["num_key_value_heads"] if letter == "*" else 0 for letter in pattern]
    if "E" in pattern:
        shared = c["moe_shared_expert_intermediate_size"]
        kinds["E"] = experts(hidden, c["moe_intermediate_size"], c["n_routed_experts"], gated=False) | {
            "exp_probs_b.bias": (c["n_routed_experts"],),
            "ffn_up_shexp.weight": (hidden, shared),
            "ffn_down_shexp.weight": (shared, hidden),
        }
        fields |= expert_fields(c, "n_routed_experts")
    found = [kinds[letter] | norms(c, "attn_norm") for letter in pattern]
    return "nemotron_h_moe" if "E" in pattern else "nemotron_h", fields, outer(c) | blocks(found)


def granite_hybrid(c: Config) -> Layout:
    names = ("mamba_n_heads", "mamba_d_head", "mamba_n_groups", "mamba_d_state", "mamba_d_conv")
    shape = tuple(c[name] for name in names)
    hidden, kinds = c["hidden_size"], c["layer_types"]
    rest = norms(c, "attn_norm", "ffn_norm")
    fields = common(c) | mamba_fields(*shape)
    if c["num_local_experts"]:
        rest |= experts(hidden, c["intermediate_size"], c["num_local_experts"])
        rest |= feed_forward(hidden, c["shared_intermediate_size"], "_shexp")
        fields |= expert_fields(c, "num_local_experts")
    else:
        rest |= feed_forward(hidden, c["shared_intermediate_size"])
    fields["attention.head_count_kv"] = [c["num_key_value_heads"] if kind == "attention" else 0 for kind in kinds]
    found = [(attention(c) if kind == "attention" else mamba2(c, *shape)) | rest for kind in kinds]
    return "granitehybrid", fields, outer(c) | blocks(found)


def bert(c: Config) -> Layout:
    hidden, inner = c["hidden_size"], c["intermediate_size"]
    layer = attention(c, bias="qkvo") | norms(c, "attn_output_norm", "layer_output_norm")
    layer |= {"ffn_up.weight": (hidden, inner), "ffn_down.weight": (inner, hidden)}
    layer |= {"ffn_up.bias": (inner,), "ffn_down.bias": (hidden,)}
    layer |= {"attn_output_norm.bias": (hidden,), "layer_output_norm.bias": (hidden,)}
    tensors: Tensors = {
        "token_embd.weight": (hidden, c["vocab_size"]),
        "position_embd.weight": (hidden, c["max_position_embeddings"]),
        "token_types.weight": (hidden, c["type_vocab_size"]),
        "token_embd_norm.weight": (hidden,),
        "token_embd_norm.bias": (hidden,),
    }
    return "bert", common(c), tensors | blocks([layer] * c["num_hidden_layers"])


def falcon_h1(c: Config) -> Layout:
    names = ("mamba_n_heads", "mamba_d_head", "mamba_n_groups", "mamba_d_state", "mamba_d_conv")
    shape = tuple(c[name] for name in names)
    layer = attention(c) | mamba2(c, *shape, norm=c.get("mamba_rms_norm", False)) | norms(c, "attn_norm", "ffn_norm")
    layer |= feed_forward(c["hidden_size"], c["intermediate_size"])
    return "falcon-h1", common(c) | mamba_fields(*shape), outer(c) | blocks([layer] * c["num_hidden_layers"])


def jamba(c: Config) -> Layout:
    hidden, inner, state, rank = c["hidden_size"], 2 * c["hidden_size"], c["mamba_d_state"], c["mamba_dt_rank"]
    mamba: Tensors = {
        "ssm_in.weight": (hidden, 2 * inner),
        "ssm_conv1d.weight": (c["mamba_d_conv"], inner),
        "ssm_conv1d.bias": (inner,),
        "ssm_x.weight": (inner, rank + 2 * state),
        "ssm_dt.weight": (rank, inner),
        "ssm_dt.bias": (inner,),
        "ssm_a": (state, inner),
        "ssm_d": (inner,),
        "ssm_dt_norm.weight": (rank,),
        "ssm_b_norm.weight": (state,),
        "ssm_c_norm.weight": (state,),
        "ssm_out.weight": (inner, hidden),
    }
    found: list[Tensors] = []
    attends = [i % c["attn_layer_period"] == c["attn_layer_offset"] for i in range(c["num_hidden_layers"])]
    for i, full in enumerate(attends):
        routed = i % c["expert_layer_period"] == c["expert_layer_offset"]
        block = (
            experts(hidden, c["intermediate_size"], c["num_experts"])
            if routed
            else feed_forward(hidden, c["intermediate_size"])
        )
        found.append((attention(c) if full else mamba) | norms(c, "attn_norm", "ffn_norm") | block)
    fields = common(c) | expert_fields(c) | {"ssm.conv_kernel": c["mamba_d_conv"], "ssm.inner_size": inner}
    fields |= {"ssm.state_size": state, "ssm.time_step_rank": rank}
    fields["attention.head_count_kv"] = [c["num_key_value_heads"] if full else 0 for full in attends]
    return "jamba", fields, outer(c) | blocks(found)


def kimi_linear(c: Config) -> Layout:
    """KDA in three layers of four, latent attention in the rest."""
    linear, hidden = c["linear_attn_config"], c["hidden_size"]
    dim, width = linear["head_dim"], linear["num_heads"] * linear["head_dim"]
    kda: Tensors = {f"attn_{letter}.weight": (hidden, width) for letter in "qkv"}
    kda |= {f"ssm_conv1d_{letter}.weight": (linear["short_conv_kernel_size"], 1, width) for letter in "qkv"}
    kda |= {"ssm_f_a.weight": (hidden, dim), "ssm_f_b.weight": (dim, width), "ssm_g_a.weight": (hidden, dim)}
    kda |= {"ssm_g_b.weight": (dim, width), "ssm_beta.weight": (hidden, linear["num_heads"]), "ssm_norm.weight": (dim,)}
    kda |= {"ssm_a": (1, linear["num_heads"]), "ssm_dt.bias": (width,), "attn_output.weight": (width, hidden)}
    shape = {
        "topk_method": "noaux_tc",
        "n_routed_experts": c["num_experts"],
        "n_shared_experts": c["num_shared_experts"],
    }
    shape |= {"num_experts_per_tok": c["num_experts_per_token"]}
    _, fields, tensors = deepseek({**c, **shape})
    for layer in linear["kda_layers"]:
        start = f"blk.{layer - 1}."
        for name in [
            name for name in tensors if name.startswith(start + "attn_") and not name.endswith("attn_norm.weight")
        ]:
            del tensors[name]
        tensors |= {start + name: size for name, size in kda.items()}
    fields |= {"ssm.conv_kernel": linear["short_conv_kernel_size"], "kda.head_dim": dim}
    fields["attention.head_count_kv"] = [
        0 if layer + 1 in linear["kda_layers"] else 1 for layer in range(c["num_hidden_layers"])
    ]
    return "kimi-linear", fields, tensors


def glm_dsa(c: Config) -> Layout:
    """GLM-5: latent attention with an indexer, and a prediction layer as one more block."""
    layers, hidden, dim = c["num_hidden_layers"], c["hidden_size"], c["index_head_dim"]
    _, fields, tensors = deepseek({**c, "num_hidden_layers": layers + 1})
    indexer: Tensors = {
        "indexer.attn_q_b.weight": (c["q_lora_rank"], c["index_n_heads"] * dim),
        "indexer.attn_k.weight": (hidden, dim),
        "indexer.proj.weight": (hidden, c["index_n_heads"]),
        "indexer.k_norm.weight": (dim,),
        "indexer.k_norm.bias": (dim,),
    }
    tensors |= blocks([indexer] * (layers + 1))
    last = {"nextn.eh_proj.weight": (2 * hidden, hidden)} | norms(c, *NEXTN)
    tensors |= {f"blk.{layers}.{name}": shape for name, shape in last.items()}
    fields |= {"block_count": layers + 1, "nextn_predict_layers": 1, "attention.indexer.head_count": c["index_n_heads"]}
    fields |= {"attention.indexer.key_length": dim, "attention.indexer.top_k": c["index_topk"]}
    return "glm-dsa", fields, tensors


def llama4(c: Config) -> Layout:
    c = text(c)
    hidden, inner = c["hidden_size"], c["intermediate_size"]
    routed = experts(hidden, inner, c["num_local_experts"]) | feed_forward(hidden, inner, "_shexp")
    dense, step = feed_forward(hidden, c["intermediate_size_mlp"]), c["interleave_moe_layer_step"]
    layer = attention(c) | norms(c, "attn_norm", "ffn_norm")
    found = [layer | (routed if (i + 1) % step == 0 else dense) for i in range(c["num_hidden_layers"])]
    return "llama4", common(c) | expert_fields(c, "num_local_experts"), outer(c) | blocks(found)


def gemma4(c: Config) -> Layout:
    """Gemma 4: full layers of their own shape, whose keys serve as values; experts beside the dense block."""
    c = {"tie_word_embeddings": True, **text(c)}
    hidden, layers, width = c["hidden_size"], c["num_hidden_layers"], c["hidden_size_per_layer_input"]
    local = [(i + 1) % (5 if width else 6) != 0 for i in range(layers)]
    wide = {**c, "head_dim": c["global_head_dim"]}
    wide["num_key_value_heads"] = c["num_global_key_value_heads"] or c["num_key_value_heads"]
    names = ("attn_norm", "post_attention_norm", "ffn_norm", "post_ffw_norm")
    rest = norms(c, *names) | {"layer_output_scale.weight": (1,)}
    found: list[Tensors] = []
    for i in range(layers):
        shares = i >= layers - c["num_kv_shared_layers"]
        layer = attention(c if local[i] else wide, norms=True)
        gone = ["attn_v.weight"] if c["attention_k_eq_v"] and not local[i] else []
        gone += ["attn_k.weight", "attn_v.weight", "attn_k_norm.weight"] if shares else []
        layer = {name: shape for name, shape in layer.items() if name not in gone}
        inner = c["intermediate_size"] * (2 if shares and c["use_double_wide_mlp"] else 1)
        layer |= rest | feed_forward(hidden, inner)
        if c["num_experts"]:
            layer |= {"ffn_gate_inp.weight": (hidden, c["num_experts"]), "ffn_gate_inp.scale": (hidden,)}
            layer |= {"ffn_gate_up_exps.weight": (hidden, 2 * c["moe_intermediate_size"], c["num_experts"])}
            layer |= {"ffn_down_exps.weight": (c["moe_intermediate_size"], hidden, c["num_experts"])}
            layer |= {"ffn_down_exps.scale": (c["num_experts"],)}
            layer |= norms(c, "pre_ffw_norm_2", "post_ffw_norm_1", "post_ffw_norm_2")
        if width:
            layer |= {"inp_gate.weight": (hidden, width), "proj.weight": (width, hidden)} | norms(c, "post_norm")
        found.append(layer)
    fields = common(wide) | {"attention.sliding_window": c["sliding_window"], "attention.sliding_window_pattern": local}
    fields["attention.head_count_kv"] = [
        c["num_key_value_heads"] if one else wide["num_key_value_heads"] for one in local
    ]
    fields |= {"attention.key_length_swa": c["head_dim"], "attention.value_length_swa": c["head_dim"]}
    fields |= {"attention.shared_kv_layers": c["num_kv_shared_layers"]}
    tensors = outer(c) | blocks(found) | {"rope_freqs.weight": (c["global_head_dim"] // 2,)}
    if c["num_experts"]:
        fields |= expert_fields(c, used="top_k_experts")
    if width:
        tensors |= {"per_layer_token_embd.weight": (width * layers, c["vocab_size_per_layer_input"])}
        tensors |= {"per_layer_model_proj.weight": (hidden, width * layers), "per_layer_proj_norm.weight": (width,)}
    return "gemma4", fields, tensors


MODELS: Mapping[str, Callable[[Config], Layout]] = {
    "meta-llama__Llama-3.1-8B-Instruct": llama,
    "meta-llama__Llama-3.2-1B-Instruct": llama,
    "mistralai__Mistral-7B-Instruct-v0.3": llama,
    "mistralai__Mixtral-8x7B-v0.1": llama,
    "Qwen__Qwen2.5-7B-Instruct": qwen2,
    "Qwen__Qwen3-32B": qwen3,
    "Qwen__Qwen3-30B-A3B": qwen3,
    "Qwen__Qwen3-Next-80B-A3B-Instruct": qwen_hybrid,
    "Qwen__Qwen3.5-35B-A3B": qwen_hybrid,
    "Qwen__Qwen3.5-27B": qwen_hybrid,
    "google__gemma-2-9b-it": gemma,
    "google__gemma-3-27b-it": gemma,
    "openai__gpt-oss-120b": gpt_oss,
    "deepseek-ai__DeepSeek-V3": deepseek,
    "deepseek-ai__DeepSeek-V2-Lite": deepseek,
    "moonshotai__Kimi-K2-Instruct": deepseek,
    "zai-org__GLM-4.5-Air": glm4_moe,
    "microsoft__Phi-3-mini-4k-instruct": phi3,
    "nvidia__NVIDIA-Nemotron-Nano-9B-v2": nemotron_h,
    "nvidia__NVIDIA-Nemotron-3-Nano-30B-A3B-BF16": nemotron_h,
    "ibm-granite__granite-4.0-h-small": granite_hybrid,
    "ibm-granite__granite-4.0-h-1b": granite_hybrid,
    "tiiuae__Falcon-H1-7B-Instruct": falcon_h1,
    "ai21labs__Jamba-v0.1": jamba,
    "moonshotai__Kimi-Linear-48B-A3B-Instruct": kimi_linear,
    "zai-org__GLM-5": glm_dsa,
    "meta-llama__Llama-4-Scout-17B-16E-Instruct": llama4,
    "google__gemma-4-26B-A4B": gemma4,
    "google__gemma-4-E2B-it": gemma4,
    "BAAI__bge-m3": bert,
}

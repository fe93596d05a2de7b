"""Families that call the usual fields by other names, or state them by other means.

`respelled` adds the usual name beside theirs, so that one reader serves them all.
"""

from collections.abc import Callable, Mapping
from typing import Any

from core.architecture.fields import Fields
from core.errors import UnsupportedArchitecture

_GPT = {
    "num_hidden_layers": "n_layer",
    "hidden_size": "n_embd",
    "num_attention_heads": "n_head",
    "max_position_embeddings": "n_positions",
    "intermediate_size": "n_inner",
}
#: The usual name of a field, and what the family calls it.
SPELLINGS: Mapping[str, Mapping[str, str]] = {
    "bailing_moe": {"attention_bias": "use_bias"},
    "bailing_moe_v2": {"attention_bias": "use_bias"},
    "baichuan": {"max_position_embeddings": "model_max_length"},
    "bloom": {**_GPT, "hidden_size": "n_embed"},
    "chatglm": {
        "num_hidden_layers": "num_layers",
        "intermediate_size": "ffn_hidden_size",
        "vocab_size": "padded_vocab_size",
        "head_dim": "kv_channels",
        "max_position_embeddings": "seq_length",
        "mlp_bias": "add_bias_linear",
        "attention_out_bias": "add_bias_linear",
    },
    "codegen": _GPT,
    "dbrx": {
        "num_hidden_layers": "n_layers",
        "hidden_size": "d_model",
        "num_attention_heads": "n_heads",
        "max_position_embeddings": "max_seq_len",
    },
    "exaone": {"num_hidden_layers": "num_layers"},
    "gpt_bigcode": _GPT,
    "gpt_neo": {"num_hidden_layers": "num_layers", "num_attention_heads": "num_heads"},
    "gptj": _GPT,
    "internlm": {"attention_bias": "bias"},
    "internlm2": {"attention_bias": "bias"},
    "internlm3": {"attention_bias": "qkv_bias", "attention_out_bias": "bias", "mlp_bias": "bias"},
    "kimi_linear": {"num_shared_experts": "n_shared_experts"},
    "longcat_flash": {"num_hidden_layers": "num_layers"},
    "mpt": {
        "num_hidden_layers": "n_layers",
        "hidden_size": "d_model",
        "num_attention_heads": "n_heads",
        "max_position_embeddings": "max_seq_len",
    },
    "opt": {"intermediate_size": "ffn_dim"},
    "persimmon": {"use_qk_norm": "qk_layernorm"},
    "phi": {"use_qk_norm": "qk_layernorm"},
    "qwen": {"max_position_embeddings": "seq_length"},
    "stablelm": {"attention_bias": "use_qkv_bias", "use_qk_norm": "qk_layernorm"},
    "starcoder2": {"attention_bias": "use_bias", "mlp_bias": "use_bias"},
}


def respelled(fields: Fields, family: str) -> Fields:
    """The fields with the usual names that the family does not use.

    >>> respelled(Fields({"n_layer": 30, "n_head": 32}), "bloom").integer("num_hidden_layers")
    30
    """
    names = SPELLINGS.get(family, {})
    usual = {ours: fields.values[theirs] for ours, theirs in names.items() if fields.has(theirs)}
    known = {name: value for name, value in usual.items() if not fields.has(name) or name == "vocab_size"}
    derive = DERIVED.get(family)
    plain = Fields({**fields.values, **known}, fields.file, fields.path)
    return Fields({**plain.values, **derive(plain)}, fields.file, fields.path) if derive else plain


def _bailing(fields: Fields) -> dict[str, Any]:
    """A bias of query, key and value alone, or of the output too."""
    bias = fields.flag("use_bias")
    return {"attention_bias": bias or fields.flag("use_qkv_bias"), "attention_out_bias": bias}


def _chatglm(fields: Fields) -> dict[str, Any]:
    """ChatGLM2 and later; the first one has other norms and a table of positions in two directions."""
    if not fields.has("ffn_hidden_size"):
        raise fields.missing("ffn_hidden_size")
    few = fields.flag("multi_query_attention")
    return {
        "attention_bias": fields.flag("add_qkv_bias") or fields.flag("add_bias_linear"),
        "num_key_value_heads": fields.heads("multi_query_group_num" if few else "num_attention_heads"),
    }


def _dbrx(fields: Fields) -> dict[str, Any]:
    attend, feed = fields.section("attn_config"), fields.section("ffn_config")
    if attend is None or feed is None:
        raise fields.missing("attn_config" if attend is None else "ffn_config")
    return {
        "num_key_value_heads": attend.heads("kv_n_heads"),
        "intermediate_size": feed.integer("ffn_hidden_size"),
        "num_experts": feed.integer("moe_num_experts"),
        "num_experts_per_tok": feed.integer("moe_top_k"),
    }


def _gpt_bigcode(fields: Fields) -> dict[str, Any]:
    """One pair of key and value for all heads, unless the file denies it."""
    return {"num_key_value_heads": 1} if fields.flag("multi_query", True) else {}


def _mpt(fields: Fields) -> dict[str, Any]:
    attend = fields.section("attn_config")
    few = attend.heads("kv_n_heads") if attend and attend.has("kv_n_heads") else 0
    return {
        "intermediate_size": fields.integer("expansion_ratio", default=4, most=1024) * fields.integer("hidden_size"),
        **({"num_key_value_heads": few} if few else {}),
    }


def _opt(fields: Fields) -> dict[str, Any]:
    """The smallest but one of the family narrows its embedding and norms behind each block: it is not read."""
    own = []
    if fields.integer("word_embed_proj_dim", default=0, least=0) not in (0, fields.integer("hidden_size")):
        own.append("word_embed_proj_dim")
    if not fields.flag("do_layer_norm_before", True):
        own.append("do_layer_norm_before")
    if own:
        raise UnsupportedArchitecture(
            "Tonnage cannot read the architecture {value} yet; its file has fields unknown here: {shown}.",
            value="OPT",
            shown=", ".join(f'"{name}"' for name in own),
        )
    return {}


def _qwen(fields: Fields) -> dict[str, Any]:
    """The first Qwen states gate and up side by side as one width."""
    return {"intermediate_size": fields.integer("intermediate_size", least=2) // 2}


# ------------------------------------------------------- as Transformers 5 writes the files of families that it took in


def _kinds(fields: Fields, name: str) -> list[str]:
    return fields.texts(name) or []


def _deepseek_v4(fields: Fields) -> dict[str, Any]:
    """Kinds of layers and a ratio for each kind, instead of a ratio for each layer."""
    kinds = _kinds(fields, "layer_types")
    if fields.has("compress_ratios") or not kinds:
        return {}
    rates = fields.section("compress_rates") or Fields({})
    usual = {"compressed_sparse_attention": 4, "heavily_compressed_attention": 128}
    known = {kind: rates.integer(kind, default=ratio) for kind, ratio in usual.items()} | {"sliding_attention": 0}
    strange = next((kind for kind in kinds if kind not in known), "")
    if strange:
        raise fields.wrong("layer_types", "is none of {known}", known=", ".join(known))
    hashed = sum(kind == "hash_moe" for kind in _kinds(fields, "mlp_layer_types"))
    return {"compress_ratios": [known[kind] for kind in kinds], "num_hash_layers": hashed}


def _kimi_linear(fields: Fields) -> dict[str, Any]:
    if fields.has("linear_attn_config"):
        return {}
    kinds, dense = _kinds(fields, "layer_types"), _kinds(fields, "mlp_layer_types").count("dense")
    linear = {
        "num_heads": fields.heads("linear_num_heads"),
        "head_dim": fields.integer("linear_head_dim"),
        "short_conv_kernel_size": fields.integer("linear_conv_kernel_dim", most=1024),
        "full_attn_layers": [index for index, kind in enumerate(kinds, 1) if kind == "full_attention"],
    }
    return {"linear_attn_config": linear, "first_k_dense_replace": dense}


def _bailing_hybrid(fields: Fields) -> dict[str, Any]:
    """Ling 3.0, of which every group of layers ends in latent attention; Ling 2.5 has another kind of linear layers."""
    if fields.has("linear_attn_config"):
        return {}
    kinds, layers = _kinds(fields, "layer_types"), fields.layers("num_hidden_layers")
    size = 0 if kinds else fields.integer("layer_group_size")
    full = [n for n in range(1, layers + 1) if (kinds[n - 1] == "full_attention" if kinds else n % size == 0)]
    whole = fields.flag("no_kda_lora", True)
    linear = {
        "num_heads": fields.heads("linear_num_heads", "num_attention_heads"),
        "head_dim": fields.integer("linear_head_dim", "head_dim"),
        "short_conv_kernel_size": fields.integer("short_conv_kernel_size", "linear_conv_kernel_dim", most=1024),
        "full_attn_layers": full,
        "use_full_rank_gate": whole,
        "use_full_rank_decay": whole,
    }
    gate = fields.text("gated_attention_proj_granularity_type", "head_wise")
    return {"linear_attn_config": linear, "gated_attention_proj_granularity_type": gate}


def _glm5_next(fields: Fields) -> dict[str, Any]:
    if fields.has("linear_attn_config"):
        return {}
    return {
        "linear_attn_config": {
            "num_heads": fields.heads("linear_num_heads"),
            "head_dim": fields.integer("linear_head_dim"),
            "short_conv_kernel_size": fields.integer("linear_conv_kernel_dim", most=1024),
        }
    }


def _mimo_v2(fields: Fields) -> dict[str, Any]:
    """Layers with a window have twice the heads of key and value, and see one token more than the file's first form
    says."""
    kinds = _kinds(fields, "layer_types")
    if fields.has("hybrid_layer_pattern") or not kinds:
        return {}
    return {
        "hybrid_layer_pattern": [int(kind == "sliding_attention") for kind in kinds],
        "moe_layer_freq": [int(kind == "sparse") for kind in _kinds(fields, "mlp_layer_types")],
        "sliding_window": fields.tokens("sliding_window", least=2) - 1,
        "swa_num_attention_heads": fields.heads("num_attention_heads"),
        "swa_num_key_value_heads": 2 * fields.heads("num_key_value_heads"),
        "swa_head_dim": fields.integer("head_dim"),
        "swa_v_head_dim": fields.integer("v_head_dim", "head_dim"),
        "add_swa_attention_sink_bias": True,
    }


def _minimax(fields: Fields) -> dict[str, Any]:
    kinds = _kinds(fields, "layer_types")
    if fields.has("attn_type_list") or not kinds:
        return {}
    return {"attn_type_list": [int(kind == "full_attention") for kind in kinds]}


def _minimax_m3(fields: Fields) -> dict[str, Any]:
    kinds = _kinds(fields, "layer_types")
    if fields.has("sparse_attention_config") or not kinds:
        return {}
    names = {
        "sparse_num_index_heads": "index_n_heads",
        "sparse_index_dim": "index_head_dim",
        "sparse_block_size": "index_block_size",
        "sparse_topk_blocks": "index_topk_blocks",
    }
    sparse = {theirs: fields.values[ours] for theirs, ours in names.items() if fields.has(ours)}
    return {
        "sparse_attention_config": sparse
        | {"sparse_attention_freq": [int(kind != "full_attention") for kind in kinds]},
        "moe_layer_freq": [int(kind == "sparse") for kind in _kinds(fields, "mlp_layer_types")],
    }


DERIVED: Mapping[str, Callable[[Fields], dict[str, Any]]] = {
    "bailing_moe": _bailing,
    "bailing_moe_v2": _bailing,
    "bailing_hybrid": _bailing_hybrid,
    "chatglm": _chatglm,
    "dbrx": _dbrx,
    "deepseek_v4": _deepseek_v4,
    "glm5_next": _glm5_next,
    "glm5_next_text": _glm5_next,
    "gpt_bigcode": _gpt_bigcode,
    "kimi_linear": _kimi_linear,
    "mimo_v2_flash": _mimo_v2,
    "minimax": _minimax,
    "minimax_m3_vl_text": _minimax_m3,
    "mpt": _mpt,
    "opt": _opt,
    "qwen": _qwen,
}

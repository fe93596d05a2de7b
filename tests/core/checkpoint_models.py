"""Hugging Face checkpoints of true size without data: headers with the names and shapes of the published files."""

import json
import struct
from collections.abc import Iterable, Mapping
from math import prod
from pathlib import Path
from typing import Any

Entries = dict[str, tuple[str, tuple[int, ...]]]  # dtype and shape, by tensor name
BITS = {"F32": 32, "BF16": 16, "F16": 16, "F8_E4M3": 8, "F8_E8M0": 8, "U8": 8, "I8": 8, "I32": 32, "U32": 32, "I64": 64}


def write_file(path: Path, entries: Entries) -> int:
    """Write a header, and let the file grow to its full length without taking room on the disk."""
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    at = 0
    for name, (dtype, shape) in entries.items():
        end = at + prod(shape) * BITS[dtype] // 8
        header[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [at, end]}
        at = end
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with path.open("wb") as stream:
        stream.write(struct.pack("<Q", len(text)) + text)
        stream.truncate(8 + len(text) + at)
    return at


def write_folder(folder: Path, config: Mapping[str, Any], entries: Entries, shards: int = 1) -> int:
    """Write config.json and the weights, in one file or in shards with an index; returns the bytes of all tensors."""
    folder.mkdir(exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    if shards == 1:
        return write_file(folder / "model.safetensors", entries)
    names, total = list(entries), 0
    files: dict[str, str] = {}
    for index in range(shards):
        file = f"model-{index + 1:05}-of-{shards:05}.safetensors"
        part = {name: entries[name] for name in names[index::shards]}
        total += write_file(folder / file, part)
        files |= dict.fromkeys(part, file)
    index_text = json.dumps({"metadata": {"total_size": total}, "weight_map": files})
    (folder / "model.safetensors.index.json").write_text(index_text, encoding="utf-8")
    return total


def layered(layers: Iterable[int], layer: Mapping[str, tuple[str, tuple[int, ...]]]) -> Entries:
    return {f"model.layers.{index}.{name}": entry for index in layers for name, entry in layer.items()}


def bf16(**shapes: tuple[int, ...]) -> Entries:
    return {name.replace("__", "."): ("BF16", shape) for name, shape in shapes.items()}


def outer(config: Mapping[str, Any], head: bool = True) -> Entries:
    table = (config["vocab_size"], config["hidden_size"])
    found = {"model.embed_tokens.weight": ("BF16", table), "model.norm.weight": ("BF16", table[1:])}
    return found | ({"lm_head.weight": ("BF16", table)} if head else {})


def attention(config: Mapping[str, Any], norms: bool = False) -> Entries:
    hidden, heads = config["hidden_size"], config["num_attention_heads"]
    dim = config.get("head_dim") or hidden // heads
    query, keys = heads * dim, config["num_key_value_heads"] * dim
    found = bf16(
        self_attn__q_proj__weight=(query, hidden),
        self_attn__k_proj__weight=(keys, hidden),
        self_attn__v_proj__weight=(keys, hidden),
        self_attn__o_proj__weight=(hidden, query),
        input_layernorm__weight=(hidden,),
        post_attention_layernorm__weight=(hidden,),
    )
    if norms:
        found |= bf16(self_attn__q_norm__weight=(dim,), self_attn__k_norm__weight=(dim,))
    return found


def mlp(hidden: int, inner: int, path: str = "mlp.") -> Entries:
    return {
        f"{path}gate_proj.weight": ("BF16", (inner, hidden)),
        f"{path}up_proj.weight": ("BF16", (inner, hidden)),
        f"{path}down_proj.weight": ("BF16", (hidden, inner)),
    }


def dense(config: Mapping[str, Any], norms: bool = False) -> Entries:
    layer = attention(config, norms) | mlp(config["hidden_size"], config["intermediate_size"])
    head = not config.get("tie_word_embeddings", False)
    return outer(config, head) | layered(range(config["num_hidden_layers"]), layer)


def mixture(config: Mapping[str, Any]) -> Entries:
    """Qwen3 with experts."""
    hidden, inner = config["hidden_size"], config["moe_intermediate_size"]
    layer = attention(config, norms=True) | {"mlp.gate.weight": ("BF16", (config["num_experts"], hidden))}
    for expert in range(config["num_experts"]):
        layer |= mlp(hidden, inner, f"mlp.experts.{expert}.")
    return outer(config) | layered(range(config["num_hidden_layers"]), layer)


def gpt_oss(config: Mapping[str, Any]) -> Entries:
    """Experts in MXFP4: blocks of 16 bytes with 32 nibbles, and one exponent for each."""
    hidden, inner, experts = config["hidden_size"], config["intermediate_size"], config["num_local_experts"]
    dim, heads, keys = config["head_dim"], config["num_attention_heads"], config["num_key_value_heads"]
    layer = attention(config) | bf16(
        self_attn__q_proj__bias=(heads * dim,),
        self_attn__k_proj__bias=(keys * dim,),
        self_attn__v_proj__bias=(keys * dim,),
        self_attn__o_proj__bias=(hidden,),
        self_attn__sinks=(heads,),
        mlp__router__weight=(experts, hidden),
        mlp__router__bias=(experts,),
        mlp__experts__gate_up_proj_bias=(experts, 2 * inner),
        mlp__experts__down_proj_bias=(experts, hidden),
    )
    for name, rows, columns in (("gate_up_proj", 2 * inner, hidden), ("down_proj", hidden, inner)):
        layer[f"mlp.experts.{name}_blocks"] = ("U8", (experts, rows, columns // 32, 16))
        layer[f"mlp.experts.{name}_scales"] = ("U8", (experts, rows, columns // 32))
    return outer(config) | layered(range(config["num_hidden_layers"]), layer)


def quantised(entries: Entries, method: str, group: int = 128) -> Entries:
    """The same checkpoint with the projections of its layers packed."""
    found: Entries = {}
    for name, (dtype, shape) in entries.items():
        module = name.removesuffix(".weight")
        packs = len(shape) == 2 and name.endswith("_proj.weight")
        if not packs and not (method == "mlx" and len(shape) == 2):
            found[name] = (dtype, shape)
            continue
        rows, columns = shape
        match method:
            case "fp8":
                found[name] = ("F8_E4M3", shape)
                found[module + ".weight_scale_inv"] = ("BF16", (-(-rows // 128), -(-columns // 128)))
            case "awq":
                found[module + ".qweight"] = ("I32", (columns, rows // 8))
                found[module + ".qzeros"] = ("I32", (columns // group, rows // 8))
                found[module + ".scales"] = ("F16", (columns // group, rows))
            case "nvfp4":
                found[name] = ("U8", (rows, columns // 2))
                found[module + ".weight_scale"] = ("F8_E4M3", (rows, columns // 16))
                found[module + ".weight_scale_2"] = ("F32", ())
                found[module + ".input_scale"] = ("F32", ())
            case "packed":
                found[module + ".weight_packed"] = ("I32", (rows, columns // 8))
                found[module + ".weight_scale"] = ("BF16", (rows, columns // 32))
                found[module + ".weight_shape"] = ("I64", (2,))
            case "mlx":
                found[name] = ("U32", (rows, columns // 8))
                found[module + ".scales"] = ("BF16", (rows, columns // 64))
                found[module + ".biases"] = ("BF16", (rows, columns // 64))
    return found

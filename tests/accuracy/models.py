"""The model of a record: of the catalogue with the file that was measured, or made from the shape of its layers."""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from zlib import crc32

from core.architecture.blueprint import Blueprint, TensorClass
from core.catalogue.catalogue import Catalogue
from core.catalogue.precision import compose_bits, file_bytes
from core.catalogue.records import Checkpoint, Model, WeightFormat
from core.errors import TonnageError
from tests.accuracy.names import model_named_like
from tests.accuracy.records import Record, Unusable

#: Classes whose bits give way when a file is larger or smaller than its format's name says.
_GIVING = (
    TensorClass.ATTENTION,
    TensorClass.RECURRENT,
    TensorClass.FEED_FORWARD,
    TensorClass.SHARED_EXPERT,
    TensorClass.EXPERT,
)
_NOT_IN_GGUF = (TensorClass.VISION, TensorClass.MTP)


def find_model(record: Record, catalogue: Catalogue) -> Model:
    """The catalogue's model, also by the name of another format; or one with the layers that the record describes.

    A record that describes layers, because nobody found its model's, may be of one that the catalogue has by now.
    """
    name = record.text("model_id") or (record.text("model") if record.text("model") in catalogue.models else "")
    if name:
        try:
            return catalogue.model(name)
        except TonnageError as error:
            known = model_named_like(name, catalogue)
            if known is None:
                raise Unusable(f"the model “{name[:80]}” is not in the catalogue") from error
            return known
    if record.fields.get("geometry") is not None:
        return model_of_geometry(record)
    raise Unusable(record.text("scoreable_reason") or "the record names no model and no geometry")


def text_alone(model: Model, catalogue: Catalogue) -> Model:
    """The model without its image tower, which an engine leaves out that is told to take no images."""
    blueprint = catalogue.blueprint(model)
    if TensorClass.VISION not in blueprint.parameters:
        return model
    kept = dict(blueprint.parameters)
    del kept[TensorClass.VISION]
    alone = replace(blueprint, parameters=kept, image_levels=0, tower=None)
    return model.model_copy(update={"blueprint": alone})


def find_draft(record: Record, catalogue: Catalogue) -> Model | None:
    """The draft model beside it, where the record names one: "70B + Llama-3.2-3B draft"."""
    found = re.search(r"\+\s*([\w./-]+)\s+draft\b", record.text("model"))
    if found is None:
        return None
    wanted = found[1].casefold()
    for model in catalogue.models.values():
        if wanted in {name.casefold().rpartition("/")[2] for name in (model.id, *model.aliases)}:
            return model
    return None


def model_of_geometry(record: Record) -> Model:
    """A model that has the cache of the described layers; its weights mean nothing."""
    shape = record.part("geometry")
    layers = shape.part("layers")
    full, window = layers.count("full_attention", 0) or 0, layers.count("sliding_window", 0) or 0
    latent = layers.count("latent_attention", 0) or 0
    known = {"full_attention", "sliding_window", "latent_attention", "linear_attention", "lightning_attention"}
    strange = set(layers.fields) - known - {"no_attention"}
    if strange:
        raise Unusable(f"the geometry has layers of an unknown kind: {sorted(strange)[0][:40]}")
    if latent:
        config = _latent_config(latent, _needed(shape, "latent_values_per_token"))
    elif window:
        config = _windowed_config(shape, full, window)
    elif full:
        config = _plain_config(shape, full)
    else:
        raise Unusable("the geometry names no layers that keep a cache")
    identity = f"described-{crc32(json.dumps(config).encode()):08x}"
    return Model(id=identity, name="Described by its layers", config=config, config_kind="derived")


def _needed(shape: Record, name: str) -> int:
    value = shape.count(name)
    if not value:
        raise Unusable(f"the geometry does not give “{name}”")
    return value


def _plain_config(shape: Record, layers: int) -> dict[str, Any]:
    heads, width = _needed(shape, "kv_heads"), _needed(shape, "head_dim_k")
    if shape.count("head_dim_v", width) != width:
        raise Unusable("the geometry has keys and values of different width")
    return {
        "model_type": "llama",
        "num_hidden_layers": layers,
        "hidden_size": heads * width,
        "num_attention_heads": heads,
        "num_key_value_heads": heads,
        "head_dim": width,
        "intermediate_size": 4 * heads * width,
        "vocab_size": 32_000,
        "max_position_embeddings": 10**7,
    }


def _windowed_config(shape: Record, full: int, window: int) -> dict[str, Any]:
    """Layers with a window and others with heads of their own, as Gemma 4 has them."""
    heads, width = _needed(shape, "kv_heads"), _needed(shape, "head_dim_k")
    own_heads = shape.count("sliding_kv_heads") or heads
    own_width = shape.count("sliding_head_dim_k") or width
    text = {
        "model_type": "gemma4_text",
        "num_hidden_layers": full + window,
        "hidden_size": 2_048,
        "num_attention_heads": max(heads, own_heads),
        "num_key_value_heads": own_heads,
        "num_global_key_value_heads": heads,
        "attention_k_eq_v": heads != own_heads,
        "head_dim": own_width,
        "global_head_dim": width,
        "intermediate_size": 8_192,
        "vocab_size": 32_000,
        "sliding_window": _needed(shape, "window"),
        "max_position_embeddings": 10**7,
        "layer_types": ["sliding_attention"] * window + ["full_attention"] * full,
        "num_kv_shared_layers": 0,
    }
    return {"model_type": "gemma4", "text_config": text}


def _latent_config(layers: int, latent: int) -> dict[str, Any]:
    rotary = 64
    return {
        "model_type": "deepseek_v3",
        "num_hidden_layers": layers,
        "hidden_size": 2_048,
        "num_attention_heads": 16,
        "num_key_value_heads": 16,
        "kv_lora_rank": latent - rotary,
        "q_lora_rank": None,
        "qk_rope_head_dim": rotary,
        "qk_nope_head_dim": 128,
        "v_head_dim": 128,
        "intermediate_size": 8_192,
        "moe_intermediate_size": 1_024,
        "n_routed_experts": 8,
        "num_experts_per_tok": 2,
        "n_shared_experts": 1,
        "first_k_dense_replace": 1,
        "moe_layer_freq": 1,
        "vocab_size": 32_000,
        "max_position_embeddings": 10**7,
    }


def with_file(model: Model, chosen: WeightFormat, size: int, catalogue: Catalogue, predicts: bool = False) -> Model:
    """The model with one checkpoint of a known size in a format; what is not loaded has no part in it."""
    blueprint = catalogue.blueprint(model)
    if size <= 0:
        raise Unusable("the size of the file is nothing")
    own = Checkpoint(weights=chosen.id, file_bytes=size)
    fitted = compose_bits(chosen, blueprint, None, own)
    counts = counted(chosen, blueprint, predicts)
    if abs(file_bytes(fitted, counts) / size - 1) > 0.01:
        usual = catalogue.bits(model, chosen) if chosen.id in catalogue.weight_formats else fitted
        own = own.model_copy(update={"bits": _spread(usual, counts, size)})
    others = tuple(c for c in model.checkpoints if c.weights != chosen.id)
    return model.model_copy(update={"checkpoints": (own, *others)})


def counted(chosen: WeightFormat, blueprint: Blueprint, predicts: bool = True) -> dict[TensorClass, int]:
    """Parameters that a file in this format holds; records state what was loaded, which prediction layers are not."""
    absent = _NOT_IN_GGUF if chosen.container == "gguf" else () if predicts else (TensorClass.MTP,)
    return {kind: n for kind, n in blueprint.parameters.items() if kind not in absent}


def _spread(
    usual: Mapping[TensorClass, float], counts: Mapping[TensorClass, int], size: int
) -> dict[TensorClass, float]:
    """Bits at which the file has its size: layers give way, and everything when they alone cannot."""
    giving = {kind: n for kind, n in counts.items() if kind in _GIVING}
    flexible = file_bytes(usual, giving)
    factor = (size - (file_bytes(usual, counts) - flexible)) / flexible if flexible else 0.0
    if not 0.4 < factor < 2.5:
        raise Unusable("the size of the file does not go with the model and its format")
    return {kind: usual[kind] * (factor if kind in giving else 1.0) for kind in TensorClass}

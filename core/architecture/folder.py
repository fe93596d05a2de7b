"""Reading the folder of a Hugging Face model: config.json says what the model is, the weight files what it weighs.

Parameters are counted from config.json, bytes from the headers of the weight files, so that parameters * bits / 8 are
the bytes of each class to the last one. Where the two contradict each other a note says so.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from core.architecture.blueprint import Blueprint, NoteKind, Quantisation, ReadingNote, TensorClass
from core.architecture.config import read_json
from core.architecture.fields import Fields
from core.architecture.safetensors import read_shards
from core.architecture.safetensors_tensors import Packing, Weights, weigh
from core.architecture.weight_bits import exact_bits

CONFIG = "config.json"
MODELOPT_CONFIG = "hf_quant_config.json"
# Classes that a checkpoint may leave out, or add to what config.json tells.
OPTIONAL = (TensorClass.HEAD, TensorClass.VISION, TensorClass.MTP)
TOLERANCE = 0.005  # share of all parameters by which the files may differ from config.json without a note
FORMATS = {"BF16": "bf16", "F16": "fp16", "F32": "bf16", "F8_E4M3": "fp8", "F8_E5M2": "fp8", "I8": "int8"}


def read_folder_config(folder: Path) -> dict[str, Any]:
    """config.json, completed by the quantisation config that ModelOpt writes beside it."""
    config = read_json(folder / CONFIG)
    beside = folder / MODELOPT_CONFIG
    if config.get("quantization_config") is None and beside.is_file():
        stated = Fields(read_json(beside), MODELOPT_CONFIG).section("quantization")
        if stated is not None:
            config["quantization_config"] = {"quant_method": "modelopt", **stated.values}
    return config


def weigh_folder(folder: Path, config: Mapping[str, Any], blueprint: Blueprint) -> Weights | None:
    """What the weight files of a model weigh; None where the folder has none."""
    weights = weigh(read_shards(folder), blueprint.layers, _packing(config))
    return weights if weights.bytes else None


def _packing(config: Mapping[str, Any]) -> Packing:
    fields = Fields(config)
    mlx = fields.section("quantization")
    if mlx is not None and mlx.has("bits"):
        return Packing(mlx_group=mlx.integer("group_size", default=64, most=4096))
    stated = fields.section("quantization_config")
    bits = 4
    if stated is not None:
        bits = stated.integer("bits", "w_bit", default=_group_bits(stated), most=16)
    return Packing(bits=bits, pairs=fields.text("expert_dtype") == "fp4")


def _group_bits(stated: Fields) -> int:
    """Bits of the first group of a compressed-tensors config."""
    groups = stated.section("config_groups")
    for name in groups.values if groups else ():
        group = groups.section(name) if groups else None
        weights = group.section("weights") if group else None
        if weights is not None and weights.has("num_bits"):
            return weights.integer("num_bits", most=16)
    return 4


def with_weights(blueprint: Blueprint, weights: Weights) -> Blueprint:
    """The blueprint with the bytes that the weight files hold, and with what they add or leave out."""
    notes = list(blueprint.warnings)
    stored: dict[TensorClass, float] = dict(weights.bytes)
    full = weights.dtypes["F32"] * 2 > weights.dtypes.total()
    if full:
        notes.append(ReadingNote(NoteKind.FULL_PRECISION))
        stored = {kind: count - weights.full_precision[kind] / 2 for kind, count in stored.items()}
    if blueprint.tied_embedding and stored.get(TensorClass.HEAD):
        del stored[TensorClass.HEAD]
        notes.append(ReadingNote(NoteKind.STORED_TWICE, "lm_head"))
    parameters = _followed(blueprint.parameters, weights, stored)
    if parameters.get(TensorClass.VISION) and not blueprint.parameters.get(TensorClass.VISION):
        notes = [note for note in notes if note.kind is not NoteKind.VISION_NOT_COUNTED]
    notes += _doubts(parameters, weights, blueprint.tied_embedding)
    bits = {kind: exact_bits(stored[kind], count) for kind, count in parameters.items()}
    return replace(
        blueprint,
        parameters=parameters,
        quantisation=_quantisation(blueprint, weights, bits),
        warnings=tuple(notes),
    )


def _followed(
    counted: Mapping[TensorClass, int], weights: Weights, stored: dict[TensorClass, float]
) -> dict[TensorClass, int]:
    """Parameters by config.json, of optional classes only where the files hold them, and then by the files."""
    found = {kind: count for kind, count in counted.items() if stored.get(kind) or kind not in OPTIONAL}
    for kind in (TensorClass.VISION, TensorClass.MTP):
        if stored.get(kind) and kind not in found and weights.parameters[kind]:
            found[kind] = weights.parameters[kind]
    _pool(found, stored)
    return {kind: found[kind] for kind in TensorClass if kind in found}


def _pool(found: Mapping[TensorClass, int], stored: dict[TensorClass, float]) -> None:
    """Where the names of tensors and config.json sort weights differently, the classes concerned share their bytes."""
    doubtful = {kind for kind in found if not stored.get(kind)} | {kind for kind in stored if kind not in found}
    if not doubtful:
        return
    doubtful.add(max(found, key=lambda kind: found[kind]))
    pooled = sum(stored.pop(kind, 0) for kind in doubtful)
    parameters = sum(found.get(kind, 0) for kind in doubtful)
    stored |= {kind: pooled * found[kind] / parameters for kind in doubtful if kind in found}


def _doubts(parameters: Mapping[TensorClass, int], weights: Weights, tied: bool) -> list[ReadingNote]:
    notes = []
    if weights.unknown:
        notes.append(ReadingNote(NoteKind.UNKNOWN_TENSORS, f"{weights.unknown} ({weights.unknown_name})"))
    skipped = {TensorClass.HEAD} if tied else set()
    by_files = sum(count for kind, count in weights.parameters.items() if kind not in skipped)
    by_config = sum(parameters.values())
    if abs(by_files - by_config) > TOLERANCE * by_config:
        notes.append(ReadingNote(NoteKind.FILES_DISAGREE, f"{_grouped(by_files)} / {_grouped(by_config)}"))
    return notes


def _grouped(number: int) -> str:
    """Digits in groups, as every language reads them."""
    return f"{number:,}".replace(",", "\u202f")


def _quantisation(blueprint: Blueprint, weights: Weights, bits: Mapping[TensorClass, float]) -> Quantisation:
    if blueprint.quantisation is not None:
        return replace(blueprint.quantisation, bits=bits)
    dtype = weights.dtypes.most_common(1)[0][0]
    return Quantisation("", FORMATS.get(dtype, "bf16"), bits)

"""The figures of an engine, and of the formats that engines load and keep."""

from collections.abc import Mapping
from typing import Any

from core.catalogue.records import Allocator
from core.language.format_names import format_name
from core.language.messages import gettext as _
from desktop.pages.catalogue.devices import families
from desktop.pages.catalogue.figures import (
    Data,
    Figure,
    FigureGroup,
    figure,
    listing,
    one_of,
    put_at,
    worded,
    words,
    yes_or_no,
)
from desktop.widgets import quantity

CONTAINERS = {"safetensors": "safetensors", "gguf": "GGUF", "mlx": "MLX"}


def engine_groups(_data: Data, catalogue: Any) -> list[FigureGroup]:
    return [
        FigureGroup(
            _("Identity"),
            (
                worded("name", _("Name"), words("vLLM", optional=False, most=120)),
                worded("version", _("Version"), words("0.14")),
                figure(
                    "group", _("Measured like"), one_of({"serving": "vLLM", "llama.cpp": "llama.cpp", "mlx": "MLX"})
                ),
            ),
        ),
        FigureGroup(
            _("What it loads and keeps"),
            (
                worded("containers", _("Kinds of file"), listing(lambda: CONTAINERS, "safetensors; GGUF"), ()),
                worded(
                    "weight_formats",
                    _("Weight formats"),
                    listing(lambda: _names(catalogue.weight_formats), "FP8; NVFP4"),
                    (),
                ),
                worded(
                    "kv_formats",
                    _("Cache formats"),
                    listing(
                        lambda: _names(catalogue.kv_formats),
                        "NVFP4; Q8_0 (llama.cpp)",
                    ),
                    (),
                ),
                worded("families", _("Devices"), listing(families, "NVIDIA HBM; NVIDIA GDDR"), ()),
            ),
        ),
        FigureGroup(
            _("What it reserves"),
            (
                figure("memory_share", _("Share of memory"), quantity.share(low=0.01, optional=True)),
                figure("runtime_bytes", _("Beside weights and cache"), quantity.memory("GB")),
                figure("prefill_chunk", _("Prompt chunk"), quantity.tokens()),
                figure("block_tokens", _("Cache block"), quantity.tokens()),
                figure("allocator", _("Cache rules"), one_of(allocators())),
            ),
        ),
        FigureGroup(
            _("How it spreads a model"),
            (
                figure("tensor_parallel", _("Tensor parallel"), yes_or_no()),
                figure("pipeline_parallel", _("Pipeline parallel"), yes_or_no()),
            ),
        ),
    ]


def allocators() -> dict[str, str]:
    return {
        Allocator.BLOCKS: _("Whole blocks"),
        Allocator.VLLM: "vLLM",
        Allocator.SGLANG: "SGLang",
        Allocator.LLAMA_CPP: "llama.cpp",
        Allocator.TENSORRT_LLM: "TensorRT-LLM",
        Allocator.MLX: "MLX",
    }


def blank_engine() -> Data:
    return {
        "group": "serving",
        "containers": ("safetensors",),
        "weight_formats": (),
        "kv_formats": (),
        "families": (),
        "runtime_bytes": None,
        "prefill_chunk": None,
        "block_tokens": 16,
        "allocator": Allocator.BLOCKS.value,
        "tensor_parallel": True,
        "pipeline_parallel": True,
    }


def weight_groups(_data: Data, catalogue: Any) -> list[FigureGroup]:
    rates = {"fp16": "FP16", "fp8": "FP8", "fp4": "FP4", "int8": "INT8"}
    classes = sorted({one.format_class for one in catalogue.weight_formats.values()})
    return [
        FigureGroup(
            _("Identity"),
            (
                _name("NVFP4"),
                figure("container", _("Kind of file"), one_of({**CONTAINERS, "any": _("any")})),
            ),
        ),
        FigureGroup(
            _("Size"),
            (
                figure("bits", _("Bits per weight"), _bits()),
                figure("whole_file_bits", _("Bits over a file"), _bits(optional=True)),
                figure("moe_dense_extra_bits", _("More outside experts"), _bits()),
                figure("flat", _("Rule of thumb"), yes_or_no()),
            ),
        ),
        FigureGroup(
            _("Speed"),
            (
                figure("compute", _("Computes as"), one_of(rates)),
                figure("format_class", _("Measured like"), one_of({one: one for one in classes})),
            ),
        ),
    ]


def blank_weight_format() -> Data:
    return {
        "bits": None,
        "compute": "fp16",
        "format_class": "f16",
        "flat": False,
        "container": "safetensors",
        "moe_dense_extra_bits": 0.0,
    }


def kv_groups(_data: Data, _catalogue: Any) -> list[FigureGroup]:
    return [
        FigureGroup(_("Identity"), (_name("FP8"),)),
        FigureGroup(
            _("Size"),
            (
                figure("bytes_per_element", _("Bytes per element"), quantity.plain("B", "0.5", False, 8, 4)),
                figure("per_head_bytes", _("More per head"), quantity.plain("B", "4", False, 1024, 2)),
                figure("bits", _("Named as"), quantity.count(_("bit"), high=64, example="8")),
                figure("flat", _("Rule of thumb"), yes_or_no()),
            ),
        ),
    ]


def blank_kv_format() -> Data:
    return {"bytes_per_element": None, "per_head_bytes": 0.0, "bits": 16, "flat": False}


def _names(formats: Mapping[str, Any]) -> dict[str, str]:
    return {one.id: format_name(one.name) for one in formats.values()}


def _name(example: str) -> Figure:
    """A shipped name that is words is shown in the reader's language; left as it is, it stays as it was."""
    kind = words(example, optional=False, most=120)
    return Figure(
        "name",
        _("Name"),
        kind,
        lambda data: format_name(data["name"]) if data.get("name") else None,
        lambda data, value: put_at(data, "name", value),
    )


def _bits(optional: bool = False) -> quantity.Quantity:
    return quantity.plain(_("bit"), example="4.5", optional=optional, high=64, digits=3)

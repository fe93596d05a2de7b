"""Constants of single kernels, derived from the operator tables of aiconfigurator-core, as a second kind of evidence.

The tables hold times of matrix products, expert layers and attention, measured one by one. From them come the shares
of bandwidth and computing rate that kernels reach on a device with an engine's libraries and a weight format. They
support the fit where no whole engine was measured. Only these few hundred constants are kept; derive them anew with

    python -m tests.calibration.kernels DIRECTORY

where DIRECTORY is `aiconfigurator_core/systems/data` of an unpacked wheel; this one step needs pyarrow. Tables of
operators alone are read, never samples of whole engines.

Derived from aiconfigurator operator measurements, (c) NVIDIA Corporation & Affiliates, Apache-2.0.
"""

import importlib
import json
import math
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from core.catalogue.calibration import Circumstances
from core.catalogue.records import Device
from core.physics import decode, operators, roofline
from core.sizing.efficiency import record_reached
from core.trace import Trace
from core.units import Unit
from tests.accuracy.cases import shipped
from tests.calibration.observations import Observation

TARGET = Path(__file__).parent / "kernels.json"
ATTRIBUTION = "Derived from aiconfigurator operator measurements, (c) NVIDIA Corporation & Affiliates, Apache-2.0."

#: The tables' names of devices and weight formats, and ours; formats that pass through 16-bit products are left out.
SYSTEMS = {
    "a100_pcie": "a100-80gb-pcie",
    "a100_sxm": "a100-80gb-sxm",
    "b200_sxm": "b200-sxm",
    "b300_sxm": "b300-sxm",
    "b60": "arc-pro-b60",
    "gb200": "gb200",
    "gb300": "gb300",
    "h100_pcie": "h100-pcie",
    "h100_sxm": "h100-sxm",
    "h200_sxm": "h200-sxm",
    "l40s": "l40s",
    "rtx_pro_6000_server": "rtx-pro-6000-server",
}
ENGINES = {"vllm": "vllm", "sglang": "sglang", "trtllm": "tensorrt-llm"}
FORMATS = {
    "bfloat16": ("f16", 2.0, "fp16"),
    "fp8": ("fp8", 1.0, "fp8"),
    "nvfp4": ("nvfp4", 0.5625, "fp4"),
    "int4_wo": ("int4", 0.53, "fp16"),
    "w4a16_mxfp4": ("mxfp4", 0.53, "fp16"),
    "w4a8_mxfp4_mxfp8": ("mxfp4", 0.53, "fp8"),
}
#: Formats whose products pass through 16 bit; of MXFP4, the tables' rows with 8-bit activations are kept apart by rate.
ARITHMETIC = {"int4": "converted"}
#: Products of so few tokens are bound by reading the weights, of so many by computing.
FEW, MANY = 16, 4096
LEAST_SHAPES = 30
#: Widths of DeepSeek's latent attention: key and value while decoding on latent vectors, and in a prompt.
LATENT_KEY, LATENT_VALUE, PROMPT_KEY, PROMPT_VALUE = 576, 512, 192, 128


def derive(directory: Path) -> Iterator[dict[str, Any]]:
    """One row per device, engine, format and quantity."""
    read = importlib.import_module("pyarrow.parquet").read_table
    for path in sorted(directory.glob("*/*/*/*/*.parquet")):
        system, operator, engine, version = path.relative_to(directory).parts[:4]
        work = _OPERATORS.get((operator, path.name))
        if work is None or system not in SYSTEMS or engine not in ENGINES:
            continue
        columns = {name: np.array(values) for name, values in read(path).to_pydict().items()}
        device = shipped().device(SYSTEMS[system])
        for quantity, format_class, value, shapes in work(columns, device):
            yield {
                "device": device.id,
                "engine": ENGINES[engine],
                "format": format_class,
                "quantity": quantity,
                "value": float(f"{value:.4g}"),
                "shapes": shapes,
                "version": version,
            }


Found = Iterator[tuple[str, str, float, int]]


def _rate(device: Device, name: str) -> float:
    return float(device.peak_flops.get(name) or device.peak_flops["fp16"])


def _bandwidth(device: Device) -> float:
    found = device.memory_tiers[0].bandwidth_bytes_per_s
    assert found is not None
    return float(found)


def _line(read: np.ndarray, seconds: np.ndarray) -> tuple[float, float]:
    """Start [s] and rate beyond it [byte/s], by least squares of relative errors."""
    weighted = np.stack([1 / seconds, read / seconds], axis=1)
    start, slope = np.linalg.lstsq(weighted, np.ones(len(read)), rcond=None)[0]
    return float(start), float(1 / slope)


def _products(t: Mapping[str, np.ndarray], device: Device) -> Found:
    for name, (format_class, width, rate) in FORMATS.items():
        rows = (t["gemm_dtype"] == name) & (t["latency"] > 0)
        seconds, read = t["latency"] * 1e-3, t["n"] * t["k"] * width
        few = rows & (t["m"] <= FEW) & (read >= 4e6) & (read <= 1e9)
        if few.sum() >= LEAST_SHAPES:
            share = _line(read[few], seconds[few])[1] / _bandwidth(device)
            yield "bandwidth.weights", format_class, share, int(few.sum())
        small = rows & (t["m"] <= FEW) & (read <= 2e6)
        if small.sum() >= LEAST_SHAPES:
            yield "start.product", format_class, float(np.median(seconds[small])), int(small.sum())
        some = rows & (t["m"] == 256) & (t["n"] >= MANY) & (t["k"] >= MANY)
        many = rows & (t["m"] >= MANY) & (t["n"] >= MANY) & (t["k"] >= MANY)
        if many.sum() >= LEAST_SHAPES:
            flops = 2.0 * t["m"] * t["n"] * t["k"]
            yield "mfu", format_class, float(np.median((flops / seconds)[many])) / _rate(device, rate), int(many.sum())
            if some.sum() >= 10:
                ratio = float(np.median((flops / seconds)[some]) / np.median((flops / seconds)[many]))
                yield "small_batch_share", format_class, ratio, int(some.sum())


def _experts(t: Mapping[str, np.ndarray], device: Device) -> Found:
    for name, (format_class, width, rate) in FORMATS.items():
        rows = (t["moe_dtype"] == name) & (t["latency"] > 0) & (t["num_experts"] >= 32) & (t["moe_ep_size"] == 1)
        if rows.sum() < LEAST_SHAPES:
            continue
        tokens, seconds = t["num_tokens"], t["latency"] * 1e-3
        one = 3.0 * t["hidden_size"] * t["inter_size"] / t["moe_tp_size"]
        distinct = np.asarray(operators.distinct_experts(t["num_experts"], t["topk"], tokens, 0.9))
        read = distinct * one * width
        few = rows & (tokens <= FEW) & (read >= 4e6)
        if few.sum() >= LEAST_SHAPES:
            start, speed = _line(read[few], seconds[few])
            yield "bandwidth.experts", format_class, speed / _bandwidth(device), int(few.sum())
            if start > 0:
                yield "start.experts", format_class, start, int(few.sum())
        many = rows & (tokens >= 2 * MANY) & (one >= 3e6)
        if many.sum() >= LEAST_SHAPES:
            flops = 2.0 * one * tokens * t["topk"]
            value = float(np.median((flops / seconds)[many])) / _rate(device, rate)
            yield "efficiency.experts", format_class, value, int(many.sum())


def _decode_attention(t: Mapping[str, np.ndarray], device: Device) -> Found:
    plain = np.array([not window for window in t.get("window_size", np.zeros(len(t["latency"])))])
    for cache, width in (("bfloat16", 2.0), ("fp8", 1.0)):
        read = t["batch_size"] * (t["isl"] + t["step"]) * 2.0 * t["num_key_value_heads"] * t["head_dim"] * width
        rows = plain & (t["kv_cache_dtype"] == cache) & (t["latency"] > 0) & (read >= 2e7)
        rows &= t["num_heads"] >= 4 * t["num_key_value_heads"]
        if rows.sum() >= LEAST_SHAPES:
            share = _line(read[rows], t["latency"][rows] * 1e-3)[1] / _bandwidth(device)
            yield "bandwidth.kv", "f16" if cache == "bfloat16" else "fp8", share, int(rows.sum())


def _prompt_attention(t: Mapping[str, np.ndarray], device: Device) -> Found:
    plain = np.array([not window for window in t.get("window_size", np.zeros(len(t["latency"])))])
    rows = plain & (t["latency"] > 0) & (t["isl"] >= 2048) & (t["num_heads"] >= 8) & (t["step"] == 0)
    rows &= t["kv_cache_dtype"] == "bfloat16"
    if rows.sum() >= LEAST_SHAPES:
        flops = 2.0 * t["batch_size"] * t["isl"] ** 2.0 * t["num_heads"] * t["head_dim"]
        value = float(np.median((flops / (t["latency"] * 1e-3))[rows])) / _rate(device, "fp16")
        yield "mfu_att", "f16", value, int(rows.sum())


def _latent_decode_attention(t: Mapping[str, np.ndarray], device: Device) -> Found:
    """Many heads on one latent vector: the arithmetic of attention while decoding, not the reads, is the limit."""
    for cache, format_class in (("bfloat16", "f16"), ("fp8", "fp8")):
        flops = 2.0 * t["batch_size"] * (t["isl"] + t["step"]) * t["num_heads"] * (LATENT_KEY + LATENT_VALUE)
        rows = (t["kv_cache_dtype"] == cache) & (t["latency"] > 0) & (t["num_heads"] >= 64) & (flops >= 2e11)
        if rows.sum() >= 20:
            value = float(np.median((flops / (t["latency"] * 1e-3))[rows])) / _rate(device, "fp16")
            yield "mfu_dec_att", format_class, value, int(rows.sum())


def _latent_prompt_attention(t: Mapping[str, np.ndarray], device: Device) -> Found:
    rows = (t["kv_cache_dtype"] == "bfloat16") & (t["latency"] > 0) & (t["isl"] >= 2048) & (t["num_heads"] >= 8)
    rows &= t["step"] == 0
    if rows.sum() >= LEAST_SHAPES:
        flops = t["batch_size"] * t["isl"] ** 2.0 * t["num_heads"] * (PROMPT_KEY + PROMPT_VALUE)
        value = float(np.median((flops / (t["latency"] * 1e-3))[rows])) / _rate(device, "fp16")
        yield "mfu_att.latent", "f16", value, int(rows.sum())


_OPERATORS = {
    ("mla", "generation_mla_perf.parquet"): _latent_decode_attention,
    ("mla", "context_mla_perf.parquet"): _latent_prompt_attention,
    ("gemm", "gemm_perf.parquet"): _products,
    ("moe", "moe_perf.parquet"): _experts,
    ("attention", "generation_attention_perf.parquet"): _decode_attention,
    ("attention", "context_attention_perf.parquet"): _prompt_attention,
}


# ---- as observations


#: Of the nine kernels of a layer, four are products, one is attention, and four are small ones that take 2 us each.
PRODUCTS, SMALL_ONES, SMALL_ONE_S, ATTENTION_S = 4, 4, 2e-6, 8e-6
TIMED_FROM_HOST = ("arc-pro-b60",)  # the times hold the launch, which an engine overlaps with the kernel before
#: Of a kernel's rate, an engine keeps about this share: norms, activations and quantising come between.
LEFT_BY_AN_ENGINE = 0.85
USABLE_SHARE = 0.2  # below, a library lacks the kernel and takes a detour that no engine would choose


def kernel_observations() -> list[Observation]:
    """The derived constants as observations of the parameters."""
    rows = json.loads(TARGET.read_text("utf-8"))["constants"]
    starts: dict[tuple[str, ...], float] = {
        (r["device"], r["engine"], r["format"], r["quantity"]): r["value"] for r in rows
    }
    found = []
    for row in rows:
        if row["quantity"].startswith("start."):
            if row["device"] in TIMED_FROM_HOST:
                continue
            mean = _mean_start(starts, row)
            if mean is not None:
                found.append(_observation({**row, "value": mean, "quantity": f"t_op.{row['quantity'][6:]}"}))
        elif not row["quantity"].startswith(("bandwidth", "mfu_dec_att", "mfu_att.")) or row["value"] >= USABLE_SHARE:
            found.append(_observation(row))
    return found


def _mean_start(starts: Mapping[tuple[str, ...], float], row: Mapping[str, Any]) -> float | None:
    """Mean time per kernel of a layer, from the starts of single kernels; None where a part is unknown."""
    at = (row["device"], row["engine"])
    product = starts.get((*at, row["format"], "start.product")) or starts.get((*at, "f16", "start.product"))
    if product is None:
        return None
    layer = PRODUCTS * product + ATTENTION_S + SMALL_ONES * SMALL_ONE_S
    plain, with_experts = operators.KERNELS_PER_ATTENTION_LAYER, operators.KERNELS_PER_MOE_LAYER
    if row["quantity"] == "start.product":
        return layer / plain
    return float((layer + row["value"]) / (plain + with_experts))


_KINDS = {"bandwidth": "reads", "t_op": "starts"}


def _observation(row: Mapping[str, Any]) -> Observation:
    device = shipped().device(row["device"])
    key, trace, value = _expectation(row["quantity"], float(row["value"]), device)
    where = Circumstances(
        group="serving",
        engine=row["engine"],
        back_end=row["engine"] + ("-xpu" if device.family == "intel" else ""),
        family=device.family,
        architecture=device.architecture,
        format_class=row["format"],
        device=device.id,
        feed_forward="experts" if "experts" in row["quantity"] else "",
        arithmetic=ARITHMETIC.get(row["format"], row["format"]),
        attention="latent" if "latent" in row["quantity"] else "",
    )
    return Observation(
        id=f"{row['device']} {row['engine']} {row['format']} {row['quantity']}",
        source=f"kernels: {row['quantity']}",
        tier="A",
        kind=_KINDS.get(row["quantity"].split(".")[0], "products"),
        key=key,
        log_target=math.log(value),
        direction=1,
        inverse=False,
        where=where,
        model="",
        split=(1, 1, 1),
        conditions=frozenset(),
        cells=(),
        trace=trace,
    )


def _expectation(quantity: str, value: float, device: Device) -> tuple[str, Trace, float]:
    """The figure of a trace that a quantity is, the trace, and what the figure should be."""
    trace = Trace()
    if quantity in ("mfu", "mfu_att", "mfu_att.latent", "mfu_dec_att", "efficiency.experts"):
        value *= LEFT_BY_AN_ENGINE
    if quantity.startswith(("mfu_", "t_op")):
        return f"fit.{quantity.split('.')[0]}", trace, value
    for symbol in ("eta", "cap", "eta_e", "eta_kv", "mfu", "mfu_e", "mfu_b", "e_half", "ops"):
        trace.given(f"fit.{symbol}", 1.0, Unit.RATIO)
    if quantity in ("mfu", "efficiency.experts"):
        trace.given("rate.fp16", _rate(device, "fp16"), Unit.FLOP_PER_SECOND)
        reached = record_reached(trace, device)
        if quantity == "mfu":
            return reached, trace, value
        trace.compute(quantity, decode.product, first=reached, second="fit.mfu_e")
        return quantity, trace, value
    if quantity == "small_batch_share":
        trace.given("batch", 256.0, Unit.REQUEST)
        trace.compute(quantity, decode.small_batch_share, share="fit.mfu_b", batch="batch")
        return quantity, trace, max(value, 0.55)
    full = trace.given("memory_bandwidth_bytes_per_s", _bandwidth(device), Unit.BYTE_PER_SECOND)
    _record_bandwidth(trace, device)
    if quantity != "bandwidth.weights":
        share = "fit.eta_e" if quantity == "bandwidth.experts" else "fit.eta_kv"
        trace.compute(
            quantity,
            roofline.reached_bandwidth,
            bandwidth="bandwidth.weights",
            share=share,
            most="memory_bandwidth_bytes_per_s",
        )
    return quantity, trace, min(value, 0.98) * full


def _record_bandwidth(trace: Trace, device: Device) -> None:
    if device.execution_units and device.clock_hz:
        trace.given("device.execution_units", device.execution_units, Unit.COUNT)
        trace.given("device.clock_hz", device.clock_hz, Unit.HERTZ)
        trace.compute(
            "bandwidth.weights",
            roofline.effective_bandwidth,
            bandwidth="memory_bandwidth_bytes_per_s",
            reached_share="fit.eta",
            units="device.execution_units",
            clock="device.clock_hz",
            bytes_per_clock="fit.cap",
        )
    else:
        trace.compute(
            "bandwidth.weights",
            roofline.reached_bandwidth,
            bandwidth="memory_bandwidth_bytes_per_s",
            share="fit.eta",
            most="memory_bandwidth_bytes_per_s",
        )


def write(directory: Path) -> None:
    """Derive the constants; of several versions of an engine the newest counts."""
    newest: dict[tuple[str, ...], dict[str, Any]] = {}
    for row in derive(directory):
        newest[tuple(row[name] for name in ("device", "engine", "format", "quantity"))] = row
    lines = ",\n".join("  " + json.dumps(row) for _key, row in sorted(newest.items()))
    TARGET.write_text(f'{{\n "attribution": {json.dumps(ATTRIBUTION)},\n "constants": [\n{lines}\n ]\n}}\n', "utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))

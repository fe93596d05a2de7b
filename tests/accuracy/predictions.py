"""What the method predicts for a measured row: one device, one request, decode or prefill."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

from core import RESOURCES
from core.catalogue.calibration import Calibration, load_calibration
from core.catalogue.catalogue import Catalogue
from core.catalogue.loading import load_shipped
from core.catalogue.precision import compose_bits
from core.catalogue.records import Checkpoint
from core.scenario import CatalogueModel, Deployment, Scenario, Workload
from core.sizing.attention import record_attention
from core.sizing.memory import record_memory
from core.sizing.rates import record_rates
from core.sizing.situation import Situation, resolve
from core.sizing.speed import record_depth, record_work
from core.trace import Trace
from tests.accuracy.measurements import Record, kind, throughput

#: Engine of the catalogue by the first words of what the calibration calls it.
_ENGINES = {"llama.cpp": "llama.cpp", "vllm": "vllm", "sglang": "sglang", "tensorrt-llm": "tensorrt-llm", "mlx": "mlx"}
_FORMATS = {
    "F16": "fp16",
    "BF16": "bf16",
    "FP8": "fp8",
    "NVFP4": "nvfp4",
    "MXFP4": "mxfp4",
    "MXFP4 (F16 non-expert)": "mxfp4",
    "GPTQ INT4": "int4",
    "AWQ INT4 g128": "int4",
    "INT4 W4A16": "int4_g32",
    "MLX 4-bit g64": "mlx4",
    "MLX 8-bit g64": "mlx8",
    "UD-Q4_K_XL": "Q4_K_M",
    "UD-Q4_K_M": "Q4_K_M",
    "UD-Q6_K_XL": "Q6_K",
    "UD-Q3_K_XL": "Q3_K_L",
    "Q3_K_M": "Q3_K_L",
}
_KV_FORMATS = {"fp8": "fp8", "fp8 (inferred)": "fp8"}
#: Sources whose llama.cpp runs without flash attention.
_WITHOUT_FLASH_ATTENTION = ("xiongjie", "localscore")


@dataclass(frozen=True, slots=True)
class Comparison:
    """One measured value beside its prediction, both in the unit of the record."""

    record: Record
    measured: float
    p10: float
    p50: float
    p90: float

    @property
    def error(self) -> float:
        return self.p50 / self.measured - 1


def comparisons() -> Iterator[Comparison]:
    """Every row of one device and one request that the catalogue can describe."""
    for record in throughput():
        if _is_simple(record):
            yield _compare(record)


def _is_simple(record: Record) -> bool:
    return (
        record["n_gpus"] == 1
        and not record.get("offload")
        and not record.get("spec_decode")
        and record["tier"] != "C"
        and kind(record) in ("decode", "prefill")
        and _engine(record) is not None
        and (record["quant"] in _FORMATS or record["quant"] in catalogue().weight_formats)
    )


def _engine(record: Record) -> str | None:
    return next((ours for start, ours in _ENGINES.items() if record["engine_id"].startswith(start)), None)


@cache
def catalogue() -> Catalogue:
    return load_shipped(RESOURCES / "catalogue")


@cache
def calibration(generation: str) -> Calibration:
    """The shipped calibration for engines of a generation."""
    loaded = load_calibration(RESOURCES / "calibration")
    loaded.generation = generation
    return loaded


def generation(record: Record) -> str:
    """The generation of the engine that a row was measured with."""
    if record["engine_family"] == "llama.cpp":
        off = record["source"] in _WITHOUT_FLASH_ATTENTION or "flash attention off" in record["notes"]
        old = record["date"] < "2025-09" and "fa=1" not in record["notes"]
        return "flash-attention-off" if off or old else "modern"
    return "serving-2023" if record["date"][:4] <= "2024" else "modern"


def situation(record: Record) -> Situation:
    """The row as a situation, with the bits of the file that was measured where its size is known."""
    work, quant = record["workload"], str(record["quant"])
    depth = work.get("context_depth")
    if kind(record) == "decode":
        depth = (work.get("input_len") or 0) + (work.get("output_len") or 0) / 2 if depth is None else depth
        lengths = {"prompt_tokens": max(1, round(depth)), "output_tokens": 1}
    else:
        new = work.get("input_len") or 512
        before = (depth or 0) if record["metric"] == "prefill_tok_s" else 0
        lengths = {"prompt_tokens": new + before, "output_tokens": 1}
        lengths["prefix_hit_share"] = before / (new + before)
    scenario = Scenario(
        model=CatalogueModel(id=catalogue().model(record["model_id"]).id),
        weights=_FORMATS.get(quant, quant),
        kv_format=_KV_FORMATS.get(record["kv_dtype"], "fp16"),
        workload=Workload(requests_at_once=1, context_tokens=10**7, **lengths),
        deployment=Deployment(device=record["device_id"], engine=_engine(record) or ""),
    )
    resolved = resolve(scenario, catalogue())
    if record.get("weights_gib") and resolved.weight_format.container == "gguf":
        file = Checkpoint(weights=resolved.weight_format.id, file_bytes=round(record["weights_gib"] * 2**30))
        resolved = replace(resolved, bits=compose_bits(resolved.weight_format, resolved.blueprint, None, file))
    return resolved


def _compare(record: Record) -> Comparison:
    trace, what, fitted = Trace(), situation(record), calibration(generation(record))
    record_memory(trace, what)
    record_rates(trace, what, fitted)
    record_attention(trace, what)
    record_work(trace, what, fitted, record_depth(trace, what))
    key, factor = {
        "prefill_tok_s": ("prefill_tok_s", 1.0),
        "ttft_ms": ("ttft_s", 1e3),
        "tpot_ms": ("tpot_s", 1e3),
    }.get(record["metric"], ("decode_tok_s", 1.0))
    if key == "tpot_s":
        low, high = 1 / trace["decode_tok_s.p90"], 1 / trace["decode_tok_s.p10"]
    else:
        low, high = trace[f"{key}.p10"], trace[f"{key}.p90"]
    return Comparison(record, record["value"], low * factor, trace[key] * factor, high * factor)

"""The public measurements that calibration and its tests rest on.

Each record names its source (`source_title`, `source_ref`, `date`); values are as published there. `device_id` and
`engine_id` are ids of the catalogue and of the calibration.
"""

import json
from pathlib import Path
from typing import Any

THROUGHPUT = Path(__file__).parent / "data" / "throughput.json"

Record = dict[str, Any]

#: Class of weight format by the first words of what a source calls it.
_FORMAT_CLASSES = (
    ("mixed: IQ", "iq"),
    ("MXFP4 experts", "mxfp4"),
    ("MXFP4", "mxfp4"),
    ("NVFP4", "nvfp4"),
    ("FP8", "fp8"),
    ("BF16", "f16"),
    ("F16", "f16"),
    ("AWQ", "int4"),
    ("GPTQ", "int4"),
    ("INT4", "int4"),
    ("MLX 4", "mlx4"),
    ("MLX 8", "mlx8"),
    ("UD-Q", "kquant"),
    ("Q8_0", "q8"),
    ("Q", "kquant"),
    ("IQ", "iq"),
)


def throughput() -> list[Record]:
    """All records of speed."""
    records: list[Record] = json.loads(THROUGHPUT.read_text("utf-8"))
    return records


def format_class(record: Record) -> str:
    """The class of weight format that calibration knows."""
    return next(known for start, known in _FORMAT_CLASSES if record["quant"].startswith(start))


def kind(record: Record) -> str:
    """The kind of figure: decode and prefill are of one request alone."""
    alone, metric = record["workload"].get("concurrency") == 1, record["metric"]
    if metric == "prefill_tok_s" or (metric == "ttft_ms" and alone):
        return "prefill"
    if metric == "ttft_ms":
        return "ttft"
    if alone:
        return "decode"
    return "saturated" if record["workload"].get("concurrency") is None else "batched"

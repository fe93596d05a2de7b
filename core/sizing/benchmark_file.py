"""Measurements in the files that benchmarks write: `llama-bench -o json` and `vllm bench serve --save-result`."""

import json
from collections.abc import Iterator, Mapping
from math import isfinite
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from core.errors import InvalidInput, StoreError, reason_of
from core.refusal import refusal
from core.scenario import Measured, Measurement

MOST_BYTES = 50 * 10**6
_MOST_TITLE = 200


def read_benchmark_file(path: Path, **conditions: Any) -> tuple[Measurement, ...]:
    """The measurements in a file; see `read_measurements`.

    Raises
    ------
    InvalidInput : not a file of a benchmark that is known
    StoreError : the file cannot be read
    """
    try:
        if path.stat().st_size > MOST_BYTES:
            raise InvalidInput("{path} is larger than the result of a benchmark can be.", path=path.name)
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise InvalidInput("{path} is not the result of a benchmark.", path=path.name) from None
    except OSError as error:
        raise StoreError("{path} cannot be read: {strerror}.", path=path.name, strerror=reason_of(error)) from error
    return read_measurements(text, path.name, **conditions)


def read_measurements(text: str, name: str = "The file", **conditions: Any) -> tuple[Measurement, ...]:
    """The measurements in the text of a benchmark's result.

    Parameters
    ----------
    text : JSON
    name : of the file, for messages
    conditions : fields of every measurement that the file does not state: device, count, engine, model, weights

    Returns
    -------
    at least one measurement; what a file holds besides (both kinds of test in one figure) is left out

    >>> run = '[{"n_prompt": 512, "n_gen": 0, "n_depth": 0, "avg_ts": 4100.0, "model_type": "llama 8B Q4_K"}]'
    >>> [(m.figure.value, m.value, m.prompt_tokens) for m in read_measurements(run, engine="llama.cpp")]
    [('prefill', 4100.0, 512)]
    """
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        raise InvalidInput("{name} is not JSON.", name=name) from None
    if isinstance(content, list) and all(isinstance(row, Mapping) for row in content):
        found = [fields for row in content for fields in _llama_bench(row)]
    elif isinstance(content, Mapping):
        found = list(_vllm_serve(content))
    else:
        found = []
    if not found:
        raise InvalidInput("{name} holds no result of llama-bench or of vllm bench serve.", name=name)
    try:
        return tuple(Measurement.model_validate({**conditions, **fields}) for fields in found)
    except ValidationError as error:
        wrong = refusal(error)
        which = wrong.field or "a measurement"
        raise InvalidInput("{name}: {which}: {problem}", name=name, which=which, problem=wrong.reason) from None


def _llama_bench(row: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """One test: of a prompt, or of an answer, on top of `n_depth` tokens."""
    prompt, answer, depth = (_count(row, key) for key in ("n_prompt", "n_gen", "n_depth"))
    speed = _positive(row, "avg_ts")
    if speed is None or bool(prompt) == bool(answer):
        return
    words = ("llama-bench", _word(row, "model_type"), _word(row, "backends"), _word(row, "build_commit"))
    told = {"title": " ".join(filter(None, words))[:_MOST_TITLE], "date": _word(row, "test_time")[:10], "value": speed}
    if prompt:
        tokens = {"prompt_tokens": prompt + depth, "cached_tokens": depth, "output_tokens": 1}
        yield {"figure": Measured.PREFILL, **tokens, **told}
    else:
        before = max(1, depth)
        yield {
            "figure": Measured.DECODE,
            "prompt_tokens": before,
            "cached_tokens": before,
            "output_tokens": answer,
            **told,
        }


def _vllm_serve(result: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """One run of many requests: time per token, time to first token, tokens of all together."""
    done = _count(result, "completed")
    inputs, outputs = _count(result, "total_input_tokens"), _count(result, "total_output_tokens")
    if not done or not inputs or not outputs:
        return
    at_once = _count(result, "max_concurrency") or done
    common = {
        "prompt_tokens": max(1, round(inputs / done)),
        "output_tokens": max(1, round(outputs / done)),
        "requests_at_once": min(at_once, done),
        "title": f"vllm bench serve {_word(result, 'model_id')}"[:_MOST_TITLE].strip(),
        "date": _day(_word(result, "date")),
    }
    per_token = _positive(result, "median_tpot_ms") or _positive(result, "mean_tpot_ms")
    first = _positive(result, "median_ttft_ms") or _positive(result, "mean_ttft_ms")
    together = _positive(result, "output_throughput")
    if per_token:
        yield {"figure": Measured.DECODE, "value": 1e3 / per_token, **common}
    if first:
        yield {"figure": Measured.FIRST_TOKEN, "value": first / 1e3, **common}
    if together:
        yield {"figure": Measured.THROUGHPUT, "value": together, **common}


def _day(stamp: str) -> str:
    """The ISO day of "20260801-100000"; any other stamp as it is."""
    return f"{stamp[:4]}-{stamp[4:6]}-{stamp[6:8]}" if stamp[:8].isdigit() else stamp[:40]


def _positive(row: Mapping[str, Any], key: str) -> float | None:
    value = row.get(key)
    known = isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value) and value > 0
    return float(value) if known else None  # type: ignore[arg-type]


def _count(row: Mapping[str, Any], key: str) -> int:
    value = row.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 10**9 else 0


def _word(row: Mapping[str, Any], key: str) -> str:
    value = row.get(key)
    return value if isinstance(value, str) else ""

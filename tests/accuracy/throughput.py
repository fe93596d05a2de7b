"""Records of measured speed: what they measured, the scenario of each, and the cells of the tables they count for."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from core.scenario import Deployment, Host, Workload
from core.sizing.report import Sizing
from core.units import GB
from tests.accuracy import choices, formats, machines, models
from tests.accuracy.cases import Case, Parts, build, refusals, shipped
from tests.accuracy.records import Record, Unusable
from tests.accuracy.results import Outcome, Result, Skip

#: Lengths of short prompts and answers, where a record does not give them [tokens].
USUAL_INPUT = 128
USUAL_OUTPUT = 128
#: Decode figures at up to SHALLOW tokens of depth, and from DEEP tokens on, are cells of their own.
SHALLOW = 4_096
DEEP = 16_000
#: From so many bytes of weights per token on, reading them is what decoding consists of.
LARGE_READ_BYTES = 1 * GB


class Kind(StrEnum):
    """What a figure measures; concurrency tells apart what has the same name."""

    DECODE = "decode of one request"
    PREFILL = "prefill of one request"
    FIRST_TOKEN = "first token under load"
    TIME_PER_TOKEN = "time per token under load"
    TOTAL = "total under load"
    SATURATED = "saturated"
    OFFLOAD = "decode, part on the CPU"


_TOGETHER = re.compile(
    r"\bburst\b|sent at once|queued at once|static batch|start(ed)? together|vllm bench serve", re.IGNORECASE
)

#: Tokens of a prompt that llama.cpp computes in one pass, where a record says so.
_PIECE = re.compile(r"\bub ?=? ?(\d{2,5})\b")


def compare(records: Iterable[Record]) -> Outcome:
    """Every record, predicted or skipped with its reason."""
    outcome = Outcome()
    for record in records:
        metric, kind = "all", ""
        try:
            metric = record.text("metric", "all")
            task = read_task(record)
            kind = task.kind.value
            with refusals():
                outcome.results.append(predict(record, task))
        except Unusable as reason:
            outcome.skipped.append(Skip(record.id, metric, str(reason), kind))
    return outcome


# ---- what was measured


@dataclass(frozen=True, slots=True)
class Task:
    """A figure: its kind, where it stands in the trace, and how it is turned into the record's unit.

    inverse      the record has seconds per token, the trace tokens per second
    decode_only  all requests are past their prompts
    """

    kind: Kind
    key: str
    factor: float = 1.0
    inverse: bool = False
    decode_only: bool = False


def read_task(record: Record) -> Task:
    """What a record measured, by metric and requests at once; all at once that fit, where it names no number."""
    metric, work = record.text("metric"), record.part("workload")
    requests = work.count("concurrency")
    alone = requests == 1
    if record.fields.get("spec_decode"):
        raise Unusable("speculative decoding cannot be told in a scenario")
    if metric == "prefill_tok_s":
        return Task(Kind.PREFILL, "prefill_tok_s")
    if metric == "ttft_ms" and alone and "first-token latency" in record.text("notes"):  # of the runtime, no server
        return Task(Kind.PREFILL, "prefill_tok_s", 1e3 * (work.count("input_len") or USUAL_INPUT), inverse=True)
    if metric == "ttft_ms":
        return Task(Kind.PREFILL if alone else Kind.FIRST_TOKEN, "ttft_s", 1e3)
    if metric not in ("decode_tok_s_per_user", "tpot_ms", "output_tok_s_total"):
        raise Unusable(f"the metric “{metric[:40]}” is not known")
    if requests is None:
        if metric != "output_tok_s_total":
            raise Unusable("the record does not say how many requests were at work")
        return Task(Kind.SATURATED, "saturated_tok_s_total")
    kind = Kind.OFFLOAD if record.fields.get("offload") else Kind.DECODE if alone else None
    if metric == "tpot_ms":
        return Task(kind or Kind.TIME_PER_TOKEN, "decode_tok_s", 1e3, inverse=True)
    if _includes_prefill(record):
        return Task(kind or Kind.TOTAL, "output_tok_s_total", 1.0 if metric == "output_tok_s_total" else 1 / requests)
    if metric == "decode_tok_s_per_user":
        return Task(kind or Kind.TIME_PER_TOKEN, "decode_tok_s", decode_only=alone)
    if work.number("context_depth") is not None:
        return Task(kind or Kind.TOTAL, "decode_tok_s", float(requests), decode_only=True)
    return Task(kind or Kind.TOTAL, "output_tok_s_total")


def _includes_prefill(record: Record) -> bool:
    notes = record.text("notes").lower()
    return "includes prefill" in notes or "prefill included" in notes


# ---- the scenario


def speed_case(record: Record, task: Task) -> Case:
    """The scenario that a record describes."""
    catalogue = shipped()
    engine = machines.find_engine(record, catalogue)
    model = models.find_model(record, catalogue)
    bits = record.positive("bpw")
    weights = formats.read_weights(record.text("quant"), catalogue, bits)
    if "marlin" in record.text("notes").lower():
        weights = formats.converted(weights, catalogue)
    cache = formats.read_cache(record.text("kv_dtype"), catalogue)
    device = machines.find_device(record, catalogue)
    if device is None:
        raise Unusable("the record names no device")
    device = machines.within_power(device, record)
    spread = machines.read_spread(record, engine)
    size = record.positive("weights_gib")
    file_bytes = round(size * 2**30) if size else None
    if file_bytes is None and bits and not record.flag("bpw_assumed") and weights.made:
        file_bytes = round(bits / 8 * catalogue.blueprint(model).total_parameters)
    deployment = Deployment(
        device=device.id,
        count=spread.count,
        plan=spread.plan,
        engine=engine.id,
        release=choices.written_release(record, engine),
        admission_steps=choices.admission_steps(record, engine),
        link=machines.find_link(record.text("interconnect"), device, catalogue) if spread.count > 1 else None,
    )
    piece = _PIECE.search(record.text("notes"))
    if piece:
        deployment = deployment.model_copy(update={"prefill_chunk": int(piece[1])})
    if record.fields.get("offload"):
        deployment = _with_host(record.part("offload"), deployment, catalogue.blueprint(model).layers)
    parts = Parts(model, weights, cache, engine, device, spread, file_bytes)
    return build(record, parts, workload(record, task), deployment)


def workload(record: Record, task: Task) -> Workload:
    """Prompt, answer and requests at once; where a depth is given, it is that of the measurement."""
    work = record.part("workload")
    prompt, answer = work.count("input_len"), work.count("output_len") or USUAL_OUTPUT
    depth = work.number("context_depth")
    requests = work.count("concurrency") or 1
    cached = 0.0
    if task.key == "prefill_tok_s" or task.kind is Kind.PREFILL:
        new, before = prompt or USUAL_INPUT, int(depth or 0) if task.key == "prefill_tok_s" else 0
        prompt, answer, cached, requests = new + before, 1, before / (new + before), 1
    elif task.decode_only and depth is not None:
        answer = 1 if requests == 1 else min(answer, max(1, int(2 * depth)))
        prompt, cached = max(1, round(depth - answer / 2)), 1.0
    elif choices.repeats_prompts(record):
        cached = 1.0
    prompt = prompt or USUAL_INPUT
    # a batch whose decoding alone was timed has read its prompts together
    together = bool(_TOGETHER.search(record.text("notes"))) or (task.decode_only and requests > 1)
    return Workload(
        requests_at_once=requests,
        prompt_tokens=prompt,
        output_tokens=answer,
        context_tokens=prompt + answer,
        prefix_hit_share=cached,
        start_together=together,
    )


def _with_host(offload: Record, deployment: Deployment, layers: int) -> Deployment:
    """The deployment with layers, or the experts of some, where the flags of llama.cpp put them."""
    flags = offload.text("flags")
    on_device = re.search(r"(?:-ngl|--n-gpu-layers)\s+(\d+)", flags)
    of_experts = re.search(r"--n-cpu-moe\s+(\d+)", flags)
    every_expert = re.search(r"(?:exps\S*=CPU|--cpu-moe)\b", flags)
    if on_device is None and of_experts is None and every_expert is None:
        raise Unusable(f"the offload flags “{flags[:40]}” are not known")
    experts = layers if every_expert else int(of_experts[1]) if of_experts else 0
    beside = layers + 1 - int(on_device[1]) if on_device else 0  # the head counts as one more layer
    host = Host(bandwidth_bytes_per_s=_system_bandwidth(offload), capacity_bytes=machines.UNLIMITED_BYTES)
    placed = {"host": host, "host_layers": max(0, beside), "host_expert_layers": min(experts, layers)}
    return Deployment.model_validate(deployment.model_dump() | placed)


def _system_bandwidth(offload: Record) -> float:
    """Of the processor's memory: as stated, else what its channels can do at a usual speed [byte/s]."""
    text = offload.text("ram")
    stated = re.search(r"([\d.]+)\s*GB/s", text)
    if stated:
        return float(stated[1]) * GB
    channels = next((n for word, n in _CHANNELS.items() if word in text.lower()), 2)
    return channels * (38.4e9 if "ddr5" in text.lower() else 21.3e9)


_CHANNELS = {"quad": 4, "octa": 8, "eight": 8, "12-channel": 12, "twelve": 12, "single": 1, "dual": 2}


# ---- the prediction


def predict(record: Record, task: Task) -> Result:
    """The core's figure with its range, in the unit of the record."""
    observed = record.positive("value")
    if observed is None:
        raise Unusable("the record holds no value")
    case = speed_case(record, task)
    sizing = case.sized()
    if sizing.speed_unknown:
        raise Unusable(f"{sizing.device.name} has no computing rate")
    low, middle, high = (_value(sizing, f"{task.key}{part}", task) for part in (".p10", "", ".p90"))
    if task.inverse:
        low, high = high, low
    return Result(
        record.id,
        record.text("metric"),
        observed,
        low,
        middle,
        high,
        task.kind.value,
        tuple(_cells(record, task, sizing)),
        record.text("source") or record.text("source_title"),
        _note(case, task, sizing),
        scored=record.text("tier") != "C",
    )


def _value(sizing: Sizing, key: str, task: Task) -> float:
    value = float(sizing.trace[key])
    return task.factor / value if task.inverse else value * task.factor


def _note(case: Case, task: Task, sizing: Sizing) -> str:
    """Why a row may be off: the scenario, how well it is supported, and what takes most of the time."""
    plan, work = sizing.plan, case.scenario.workload
    prompt = task.kind in (Kind.PREFILL, Kind.FIRST_TOKEN)
    estimate = sizing.prefill if task.kind is Kind.PREFILL else sizing.ttft if prompt else sizing.decode
    longest = max(sizing.prefill_step if prompt else sizing.step, key=lambda part: part.seconds)
    model = case.scenario.model.id if case.scenario.model.kind == "catalogue" else ""
    return (
        f"{model} {case.scenario.weights}, {sizing.device.id} TP{plan.tensor} PP{plan.pipeline} x{plan.replicas}, "
        f"{_engine_family(sizing)}, {work.requests_at_once} at once, {work.prompt_tokens}+{work.output_tokens}; "
        f"evidence {estimate.evidence.value if estimate else 'none'}, mostly {longest.cause.value}"
    )


def _cells(record: Record, task: Task, sizing: Sizing) -> Iterable[str]:
    """The lines of the tables that a row counts for."""
    kind, moe = task.kind, "MoE" if sizing.blueprint.moe else "dense"
    plan, family, engine = sizing.plan, sizing.device.family.value, _engine_family(sizing)
    if kind is Kind.DECODE:
        yield from _decode_cells(record, sizing, moe)
    elif kind is not Kind.OFFLOAD:
        yield f"{_SHORT[kind]}: {moe}"
        if plan.tensor > 1:
            yield f"{_SHORT[kind]}: TP"
        elif plan.pipeline > 1:
            yield f"{_SHORT[kind]}: layer split" if sizing.engine.group == "llama.cpp" else f"{_SHORT[kind]}: PP"
    yield _SHORT[kind]
    yield f"{_SHORT[kind]}: on {family}"
    yield f"{_SHORT[kind]}: by {engine}"


_SHORT: Mapping[Kind, str] = {
    Kind.DECODE: "decode",
    Kind.PREFILL: "prefill",
    Kind.FIRST_TOKEN: "first token under load",
    Kind.TIME_PER_TOKEN: "time per token under load",
    Kind.TOTAL: "total under load",
    Kind.SATURATED: "saturated",
    Kind.OFFLOAD: "decode, part on the CPU",
}


def _decode_cells(record: Record, sizing: Sizing, moe: str) -> Iterable[str]:
    plan = sizing.plan
    if plan.ranks > 1:
        split = "TP" if plan.tensor > 1 else "layer split" if sizing.engine.group == "llama.cpp" else "PP or copies"
        yield f"decode: {split}"
        return
    depth = float(sizing.trace["workload.depth_tokens"])
    yield "decode: one device"
    yield f"decode: one device, {moe}"
    if depth <= SHALLOW and float(sizing.trace["bytes_read_per_token.weights"]) >= LARGE_READ_BYTES:
        yield "decode: one device, to 4k, 1 GB a token and more"
    if depth <= SHALLOW:
        yield "decode: one device, to 4k"
    if depth >= DEEP:
        yield "decode: one device, from 16k"


def _engine_family(sizing: Sizing) -> str:
    back_end = f" ({sizing.engine.back_end})" if sizing.engine.back_end else ""
    generation = "" if sizing.engine.generation == machines.ASKED else sizing.engine.generation
    return f"{sizing.engine.id}{back_end}" + (f", {generation}" if generation else "")

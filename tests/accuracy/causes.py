"""Questions about what is better and why: options compared with each other, and the rule that explains a case.

The ids of the records are not the core's; `RULES` says which of the core's rules mean the same. A case's rule is looked
for in the findings of every scenario that the case speaks of.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import pairwise
from math import ceil
from typing import Any

from core.catalogue.records import LinkKind
from core.scenario import Plan, Workload
from core.sizing.links import PCIE
from core.sizing.report import FindingKind, Sizing
from tests.accuracy.cases import Case, shipped
from tests.accuracy.question import PLACES, USUAL_ANSWER, USUAL_PROMPT, Question
from tests.accuracy.records import Record, Unusable

K = FindingKind
RULES: dict[str, tuple[FindingKind, ...]] = {
    "activation-peak": (K.ACTIVATION_PEAK,),
    "capacity-not-speed": (K.CAPACITY_WITHOUT_BANDWIDTH, K.SECOND_TIER),
    "dense-reads-all-weights": (K.DENSE_READS_ALL,),
    "dp-attention-full-kv": (K.ATTENTION_REPLICAS_FULL_CACHE,),
    "experts-in-ram": (K.HOST_MEMORY,),
    "estimate-at-native-context": (K.CONTEXT_IN_USE,),
    "gqa-not-hidden-size": (K.GROUPED_HEADS,),
    "hybrid-few-kv-layers": (K.HYBRID_HOLDS_LESS,),
    "kv-heads-replicated": (K.KV_HEADS_REPLICATED,),
    "kv-quantised": (K.KV_QUANTISED,),
    "latent-cache": (K.LATENT_HOLDS_LESS,),
    "moe-active-reads": (K.MOE_READS_FEW,),
    "pcie-allreduce": (K.PCIE_TENSOR_PARALLEL,),
    "prefill-workspace-grows": (K.WORKSPACE_GROWS,),
    "pp-no-latency-gain": (K.PIPELINE_SAME_LATENCY,),
    "replicas-before-tp": (K.TP_WITHOUT_NEED,),
    "reservation-by-fraction": (K.ENGINE_TAKES_ITS_SHARE,),
    "runtime-reserves-pool": (K.ENGINE_TAKES_ITS_SHARE,),
    "spill-slow-tier": (K.SECOND_TIER,),
    "state-checkpoints": (K.STATE_CHECKPOINTS,),
    "state-per-request": (K.RECURRENT_STATE,),
    "two-nodes-share-reads": (K.MACHINES_SHARE_READS,),
    "utilisation-budget": (K.ENGINE_SHARE,),
    "weight-only-format": (K.WEIGHT_ONLY_FORMAT,),
    "weights-format-not-kv-format": (K.CACHE_KEEPS_ITS_FORMAT,),
    "window-headroom": (K.WINDOWS_HOLD_LESS,),
}
#: Models that a record names in words only, and one of the catalogue with the same layers; "": where none is named.
STAND_INS = {
    "CodeLlama-13B": "meta-llama/Llama-2-13b-hf",
    "": "meta-llama/Llama-3.1-8B",
    "7B": "meta-llama/Llama-2-7b-hf",
}
#: A prompt on which reading is compared: a full chunk, where arithmetic and not memory sets the time [tokens].
WHOLE_CHUNK = 2_048
#: Rounds in which the requests at once of a rate settle.
ROUNDS = 12

Answer = tuple[float, float]  # what is expected, what the core says


def answered(record: Record, expectation: Record, figure: str) -> Answer:
    """The expected and the found answer: 1 and 1 where an option or rule is the right one, or two ratios."""
    if figure not in ANSWERS:
        raise Unusable("answers of this kind are not compared yet")
    return ANSWERS[figure](_named(record), expectation)


def _named(record: Record) -> Record:
    """The record with a stand-in for a model that it names in words, and without what the core finds by itself."""
    fields, inputs = dict(record.fields), dict(record.part("inputs").fields)
    inputs.pop("offload", None)
    fields["inputs"] = inputs
    if not record.text("device_id") and not record.count("device_count"):
        fields["device_count"] = record.part("inputs").count("tp")
    if not record.text("model_id") and record.fields.get("geometry") is None:
        words = str(inputs.get("model") or "").split(" ")[0]
        if words not in STAND_INS:
            raise Unusable("the record names no model and no geometry")
        fields["model_id"] = STAND_INS[words]
    return Record(record.id, fields)


# ---- why


def _rule(record: Record, expectation: Record) -> Answer:
    wanted = RULES.get(expectation.text("value"))
    if wanted is None:
        raise Unusable(f"no rule of the core says “{expectation.text('value')[:40]}”")
    problem = Unusable("the case has no scenario")
    answered_once = False
    for sized in _scenarios(record):
        try:
            kinds = {finding.kind for finding in sized().findings}
        except Unusable as error:
            problem = error
            continue
        answered_once = True
        if kinds & set(wanted):
            return 1.0, 1.0
    if not answered_once:
        raise problem
    return 1.0, 0.0


def _scenarios(record: Record) -> Iterator[Callable[[], Sizing]]:
    """Every scenario that a case speaks of: its own, those of its conditions, and its options."""
    conditions: list[Record] = [Record(record.id, {})]
    options: list[str] = []
    for expectation in record.items("expects"):
        if isinstance(expectation, dict):
            part = Record(record.id, expectation)
            conditions.append(part.part("at"))
            options += _options(part)
    for at in conditions:
        yield Question(record, at).sizing
        yield Question(record, at).in_its_share
    for option in options:
        yield partial(_sized, record, option)


def _options(expectation: Record) -> list[str]:
    named = expectation.fields.get("of") if expectation.text("figure") == "winner" else expectation.fields.get("value")
    return [one for one in named if isinstance(one, str)] if isinstance(named, list) else []


# ---- what is better


def _winner(record: Record, expectation: Record) -> Answer:
    wanted, options = expectation.text("value"), _options(expectation)
    about = expectation.fields.get("of")
    if about == "prefill":
        return 1.0, float(_format_ratio(record, "prefill_tok_s", prompt=WHOLE_CHUNK) <= 1.02)
    if wanted == "two machines":
        options = ["one machine", wanted]
    if wanted in PLACES:
        options = list(PLACES)
    if wanted not in options:
        options = _ordered_options(record)
    if wanted not in options:
        raise Unusable("the record does not name the options")
    speeds = {option: _speed(record, option) for option in options}
    return 1.0, float(max(speeds, key=lambda option: speeds[option]) == wanted)


def _ordered_options(record: Record) -> list[str]:
    orders = [Record(record.id, e) for e in record.items("expects") if isinstance(e, dict)]
    return [option for part in orders if part.text("figure") == "ordering" for option in _options(part)]


def _ordering(record: Record, expectation: Record) -> Answer:
    """1 where the core puts the options into the same order."""
    options = _options(expectation)
    if len(options) < 2:
        raise Unusable("the record does not name the options")
    about = expectation.text("of")
    measure = _room if about.startswith("room for KV") else _speed
    found = sorted(options, key=lambda option: measure(record, option), reverse=True)
    values = [measure(record, option) for option in found]
    same = found == options and all(more > less for more, less in pairwise(values))
    return 1.0, float(same)


def _ratio(record: Record, expectation: Record) -> Answer:
    wanted, about = expectation.number("value"), expectation.text("of")
    if wanted is None:
        raise Unusable("the expected value is not a number")
    for words, measure in RATIOS.items():
        if about.startswith(words):
            return wanted, measure(record, expectation)
    raise Unusable(f"no rule compares “{about[:60]}”")


def _textbook_ratio(key: str) -> Callable[[Record, Record], float]:
    def ratio(record: Record, expectation: Record) -> float:
        trace = Question(record, expectation.part("at")).sizing().trace
        if key not in trace:
            raise Unusable("the core sees no difference to the rule of thumb")
        return float(trace[key] / trace["kv_logical_bytes_per_request"])

    return ratio


def _pairs(first: str, second: str) -> Callable[[Record, Record], float]:
    def ratio(record: Record, expectation: Record) -> float:
        requests = expectation.part("at").count("concurrency") or 1
        return _speed(record, first, requests) / _speed(record, second, requests)

    return ratio


def _request_times(record: Record, _expectation: Record) -> float:
    """Time of a request with the second plan over that with the first."""
    return _speed(record, "tp4") / _speed(record, "pp2tp2")


def _format_ratio(record: Record, key: str, prompt: int = USUAL_PROMPT) -> float:
    """A figure in the stated format over the same in 16 bit."""
    question = Question(record, Record(record.id, {}))
    case = question.case(_usual(record, 1, prompt))
    return float(case.sized().trace[key] / case.sized(weights="bf16").trace[key])


def _linear_layers(record: Record, _expectation: Record) -> float:
    case = Question(record, Record(record.id, {})).case()
    layers = "weights_bytes.feed_forward"
    return float(case.sized().trace[layers] / case.sized(weights="bf16").trace[layers])


RATIOS: Mapping[str, Callable[[Record, Record], float]] = {
    "article KV over": _textbook_ratio("article.kv_bytes_per_request"),
    "wrong KV over": _textbook_ratio("textbook.kv_bytes_per_request"),
    "output speed bridged pair over PCIe": _pairs("tp2 bridged pair", "tp2 pcie pair"),
    "two machines over one": _pairs("two machines", "one machine"),
    "decode, experts in system memory over": _pairs("experts in system memory", "processor only"),
    "p90 of pp2tp2 over": _request_times,
    "weight bytes FP8 over BF16": _linear_layers,
    "decode speed FP8 over BF16": lambda record, _e: _format_ratio(record, "decode_tok_s"),
}
ANSWERS: Mapping[str, Callable[[Record, Record], Answer]] = {
    "rule": _rule, "winner": _winner, "ordering": _ordering, "ratio": _ratio,
}  # fmt: skip


# ---- options


def _sized(record: Record, option: str, requests: int = 1) -> Sizing:
    """The sizing of an option: a model, a plan, a number of machines, a context."""
    at: dict[str, Any] = {}
    context = re.fullmatch(r"context (\d+)", option)
    if context:
        at["context"] = int(context[1])
    if option in PLACES:
        at["placement"] = option
    model = _model_named(option)
    if model:
        at["model_id"] = model
    question = Question(record, Record(record.id, at))
    if context:
        return question.sizing()
    if not record.text("device_id"):
        raise Unusable("the record does not name the device")
    case = question.case(_usual(record, requests))
    return case.sized(**({} if model or option in PLACES else _deployment(case, option)))


def _usual(record: Record, requests: int, usual_prompt: int = USUAL_PROMPT) -> Workload:
    inputs = record.part("inputs")
    prompt = inputs.count("input_len") or inputs.count("prompt_tokens") or usual_prompt
    answer = inputs.count("output_len") or USUAL_ANSWER
    return Workload(
        requests_at_once=requests, prompt_tokens=prompt, output_tokens=answer, context_tokens=prompt + answer
    )


def _model_named(option: str) -> str:
    """The catalogue's model that an option names."""
    ids = [id for id in shipped().models if id.split("/")[-1].lower() in (option.lower(), f"{option.lower()}-instruct")]
    return min(ids, key=len) if ids else ""


def _deployment(case: Case, option: str) -> dict[str, Any]:
    device = case.catalogue.device(case.scenario.deployment.device)
    split = {name: int(size) for name, size in re.findall(r"(tp|pp)(\d+)", option)}
    if split:
        plan = Plan(tensor=split.get("tp", 1), pipeline=split.get("pp", 1))
        edits: dict[str, Any] = {"deployment__count": plan.ranks, "deployment__plan": plan, "deployment__link": None}
        links = [case.catalogue.link(name) for name in device.links]
        if "bridged" in option:
            edits["deployment__link"] = next((link.id for link in links if link.kind is LinkKind.NVLINK), None)
        elif "pcie" in option:
            edits["deployment__link"] = PCIE.get(device.pcie_bytes_per_s_per_direction or 0.0)
        return edits
    if option in ("one machine", "one card"):
        return {"deployment__count": 1, "deployment__plan": Plan(), "deployment__link": None}
    if option == "two machines":
        network = device.network_links[0] if device.network_links else None
        together = case.scenario.deployment.plan or Plan()
        shared = Plan(tensor=2) if together.tensor == 2 else None
        return {
            "deployment__count": 1, "deployment__nodes": 2, "deployment__plan": shared, "deployment__link": network,
        }  # fmt: skip
    raise Unusable(f"the option “{option[:40]}” cannot be told in a scenario")


def _speed(record: Record, option: str, requests: int = 1) -> float:
    """Output speed of an option: of one user, of all together, or requests per second at a stated rate."""
    rate = record.part("inputs").number("request_rate")
    if rate:
        return 1.0 / _request_seconds(record, option, rate)
    key = "decode_tok_s" if requests == 1 else "output_tok_s_total"
    return float(_sized(record, option, requests).trace[key])


def _request_seconds(record: Record, option: str, rate: float) -> float:
    """Time of a request at a rate, with as many at once as that rate and time mean; a rate too high never settles."""
    requests, seconds = 1, 0.0
    for _ in range(ROUNDS):
        trace = _sized(record, option, requests).trace
        seconds = trace["ttft_s"] + trace["workload.output_tokens"] * trace["tpot_s"]
        requests = max(1, min(4096, ceil(rate * seconds)))
    return float(seconds)


def _room(record: Record, option: str) -> float:
    return float(_sized(record, option).trace["accelerator.free_for_kv_bytes"])

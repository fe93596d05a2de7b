"""Questions from the field with known answers: each expected figure, under its conditions, against the core's."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from core.catalogue.records import Allocator, Model
from core.scenario import Deployment, Host, Plan, Workload
from core.sizing.report import Sizing
from core.units import GB, GIB
from tests.accuracy import choices, formats, machines, models
from tests.accuracy.cases import Case, Parts, build, refusals, shipped
from tests.accuracy.memory import rank_bytes_per_token
from tests.accuracy.records import Record, Unusable, is_number
from tests.accuracy.results import Outcome, Result, Skip

#: Answers about what is better and why: a sizing of one scenario does not give them.
CHOICES = ("winner", "ordering", "ratio", "rule", "p90_latency_s")
#: Conditions under which a figure is expected, besides these, are not understood.
CONDITIONS = (
    "context", "kv_dtype", "requests", "concurrency", "tokens_each", "total", "per", "parallel", "model_id", "layout",
    "max_model_len", "kv_tokens", "gpu_memory_utilization", "prefix_caching", "machines", "tp", "tier",
    "placement",
)  # fmt: skip
LAYOUTS = ("latent", "expanded", "windows honoured", "all layers full")
USUAL_CONTEXT = 32_768
#: The host and the file of a desktop, where the case names none.
USUAL_HOST, USUAL_ON_A_DESKTOP = "desktop-ddr5-6000-dual", "Q4_K_M"
EXPERTS_ON_HOST, CPU_ALONE = "experts in system memory", "processor only"
#: Prompt and answer of a speed, where the case does not give them [tokens].
USUAL_PROMPT = 128
USUAL_ANSWER = 256


def compare(records: Iterable[Record]) -> Outcome:
    """Every expected figure of every case, answered or skipped with its reason."""
    outcome = Outcome()
    for record in records:
        try:
            expected = [e for e in record.items("expects") if isinstance(e, dict)]
            if not expected:
                raise Unusable("the record expects nothing")
        except Unusable as reason:
            outcome.skipped.append(Skip(record.id, "all", str(reason)))
            continue
        seen: Counter[str] = Counter()
        for expectation in expected:
            figure = str(expectation.get("figure"))
            seen[figure] += 1
            metric = figure if seen[figure] == 1 else f"{figure}#{seen[figure]}"
            try:
                with refusals():
                    outcome.results.append(_answered(record, Record(record.id, expectation), figure, metric))
            except Unusable as reason:
                outcome.skipped.append(Skip(record.id, metric, str(reason), figure))
    return outcome


def _answered(record: Record, expectation: Record, figure: str, metric: str) -> Result:
    if figure in CHOICES:
        raise Unusable("answers about choice and cause are not compared yet")
    rule = FIGURES.get(figure)
    if rule is None:
        raise Unusable(f"no rule answers “{figure[:40]}”")
    value = expectation.fields.get("value")
    if not isinstance(value, bool) and not is_number(value):
        raise Unusable("the expected value is not a number")
    low, middle, high = rule(Question(record, expectation.part("at")))
    tolerance = expectation.number("tolerance", 0.0) or 0.0
    bound = expectation.text("bound")
    source = record.text("source")
    return Result(
        record.id,
        metric,
        float(value or 0),
        low,
        middle,
        high,
        figure,
        (),
        source,
        "",
        tolerance=tolerance,
        bound=bound,
    )


@dataclass(frozen=True, slots=True)
class Question:
    """An expected figure: the case and the conditions of the figure."""

    record: Record
    at: Record

    @property
    def inputs(self) -> Record:
        return self.record.part("inputs")

    def case(self, workload: Workload | None = None) -> Case:
        strange = set(self.at.fields) - set(CONDITIONS)
        if strange:
            raise Unusable(f"the condition “{sorted(strange)[0][:40]}” cannot be told in a scenario")
        if self.at.text("layout") and self.at.text("layout") not in LAYOUTS:
            raise Unusable(f"the layout “{self.at.text('layout')[:40]}” cannot be told in a scenario")
        catalogue = shipped()
        engine = machines.find_engine(self.record, catalogue)
        model = self._model()
        weights = _weights(self.inputs, catalogue_model=model)
        placed = self._placed(catalogue.blueprint(model).layers)
        if self.at.text("placement") and not weights.stated:
            weights = formats.read_weights(USUAL_ON_A_DESKTOP, catalogue)
        cache = formats.read_cache(self.at.text("kv_dtype") or self.inputs.text("kv_dtype"), catalogue)
        device = machines.find_device(self.record, catalogue) or machines.unnamed_device()
        if self.inputs.fields.get("offload") and len(device.memory_tiers) < 2:
            raise Unusable("where the weights lie cannot be told in a scenario")
        if self.at.text("placement") == CPU_ALONE:
            device, placed = catalogue.device(USUAL_HOST), {}
        if self.at.text("tier") or self.at.text("layout"):
            device = device.model_copy(update={"memory_tiers": device.memory_tiers[:1]})
        spread = self._spread()
        share = self.at.positive("gpu_memory_utilization") or self.inputs.positive("gpu_memory_utilization")
        several = spread.count > 1 and not device.links
        deployment = Deployment(
            device=device.id,
            count=spread.count,
            plan=spread.plan,
            engine=engine.id,
            memory_share=share,
            link="pcie-gen4-x16" if several else None,
            full_latents=self.at.text("layout") == "expanded",
            **placed,
            **choices.of_a_question(self.record, self.at, self.inputs, engine),
        )
        named = self.record.text("device_id") != ""
        parts = Parts(model, weights, cache, engine, device, spread)
        return build(
            self.record,
            parts,
            workload or self._workload(),
            deployment,
            weights_known=weights.stated and model.id in catalogue.models,
            device_known=named,
        )

    def _placed(self, layers: int) -> dict[str, Any]:
        """What lies in the memory of a usual host, as the deployment says it."""
        where = self.at.text("placement")
        if where in ("", CPU_ALONE):
            return {}
        if where != EXPERTS_ON_HOST:
            raise Unusable(f"the placement “{where[:40]}” cannot be told in a scenario")
        return {"host": Host(device=USUAL_HOST), "host_expert_layers": layers}

    def _model(self) -> Model:
        name = self.at.text("model_id")
        return models.find_model(Record(self.record.id, {"model_id": name}) if name else self.record, shipped())

    def _spread(self) -> machines.Spread:
        parallel = self.at.text("parallel")
        count = self.at.count("machines") or self.record.count("device_count") or 1
        tensor = self.at.count("tp") or self.inputs.count("tp") or 1
        groups = self.inputs.count("dp") or 1  # vLLM spreads the experts over them
        if groups > 1 and groups == count and not parallel and shipped().blueprint(self._model()).moe:
            return machines.Spread(count, Plan(attention_replicas=groups, expert=groups))
        if parallel.startswith("tp") and parallel[2:].isdigit():
            tensor = int(parallel[2:])
        elif parallel.startswith("dp") and parallel[2:].isdigit():
            tensor = 1
        elif parallel:
            raise Unusable(f"the plan “{parallel[:40]}” cannot be told in a scenario")
        tensor = min(tensor, count)
        return machines.Spread(count, Plan(tensor=tensor, replicas=count // tensor))

    def _workload(self) -> Workload:
        at, inputs = self.at, self.inputs
        requests = at.count("requests") or at.count("concurrency") or 1
        context = at.count("context") or at.count("tokens_each") or at.count("max_model_len") or at.count("kv_tokens")
        context = context or inputs.count("context") or inputs.count("max_model_len") or USUAL_CONTEXT
        answer = min(inputs.count("output_len") or 1, context)
        return Workload(
            requests_at_once=requests,
            prompt_tokens=max(1, context - answer),
            output_tokens=answer,
            context_tokens=context,
        )

    def sizing(self) -> Sizing:
        return self.case().sized()

    def answering(self) -> Sizing:
        """The sizing for prompts and answers of the stated length, or usual ones, where a speed is asked for."""
        at, inputs = self.at, self.inputs
        prompt = inputs.count("input_len") or inputs.count("prompt_tokens") or USUAL_PROMPT
        answer = inputs.count("output_len") or USUAL_ANSWER
        workload = Workload(
            requests_at_once=at.count("concurrency") or inputs.count("concurrency") or 1,
            prompt_tokens=prompt,
            output_tokens=answer,
            context_tokens=prompt + answer,
        )
        case = self.case(workload)
        if not case.device_known:
            raise Unusable("the record does not name the device")
        return case.sized()

    def with_pool(self) -> Sizing:
        """With the room for the cache that the case states, or as it comes out."""
        case, room = self.case(), self.inputs.number("available_kv_gib")
        if room is None:
            if not case.device_known or not case.weights_known:
                raise Unusable("neither the room for the cache nor the device and the weights are stated")
            return case.sized()
        alone = {"deployment__runtime_bytes": 0, "deployment__memory_share": 1.0}
        unlimited = case.sized(deployment__capacity_bytes=machines.UNLIMITED_BYTES, **alone)
        fixed = unlimited.trace["accelerator.fixed_bytes"]
        return case.sized(deployment__capacity_bytes=round(fixed + room * GIB), **alone)

    def stated(self) -> Sizing:
        """The sizing, where the record says how the weights are stored."""
        case = self.case()
        if not case.weights_known:
            raise Unusable("the record does not say how the weights are stored")
        return case.sized()


def _weights(inputs: Record, catalogue_model: Model) -> formats.Weights:
    """The format that the case states, or that is part of the model's name in it."""
    text = inputs.text("weights_format") or inputs.text("model")
    try:
        found = formats.read_weights(text.rsplit(" ", 1)[-1], shipped())
    except Unusable:
        try:
            found = formats.read_weights(text, shipped())
        except Unusable:
            found = formats.Weights("", stated=False)
    own = shipped().published_formats(catalogue_model) if catalogue_model.id in shipped().models else ()
    return formats.Weights(own[0], stated=True) if not found.format_id and len(own) == 1 else found


Range = tuple[float, float, float]


def _exactly(value: float) -> Range:
    return value, value, value


def _bytes(key: str, unit: float, of: Callable[[Question], Sizing] = Question.sizing) -> Callable[[Question], Range]:
    return lambda q: _exactly(float(of(q).trace[key]) / unit)


def _cache(q: Question) -> Range:
    """The cache of all requests; on one accelerator where the figure is per GPU."""
    sizing = q.sizing()
    if q.at.count("kv_tokens"):
        return _exactly(q.at.count("kv_tokens", 0) * rank_bytes_per_token(sizing) / GIB)  # type: ignore[operator]
    if q.at.text("layout") == "windows honoured":  # without what a prompt takes while it is read
        return _exactly(float(sizing.trace["kv_logical_bytes_per_request"]) / GIB)
    one = "accelerator.kv_bytes_per_request" if q.at.text("per") == "gpu" else "kv_bytes_per_request"
    if q.at.fields.get("prefix_caching"):
        one = "accelerator.bytes_per_request"
    return _exactly(float(sizing.trace[one]) * int(sizing.trace["requests_at_once"]) / GIB)


def _total(q: Question) -> Range:
    """What is gone: the whole share of an engine that takes it at the start, else what is needed."""
    sizing = q.stated()
    takes_share = sizing.engine.memory_share is not None and sizing.engine.allocator != Allocator.TENSORRT_LLM
    return _exactly(float(sizing.trace["tier.0.limit_bytes" if takes_share else "accelerator.total_bytes"]) / GIB)


def _compute_buffer(q: Question) -> Range:
    trace = q.sizing().trace
    return _exactly(float(trace.get("runtime.compute_buffer_bytes", trace["memory_item.framework"])) / GIB)


def _fits(q: Question) -> Range:
    return _exactly(1.0 if q.with_pool().fits else 0.0)


def _tokens(q: Question) -> Range:
    trace = q.with_pool().trace
    if "kv_pool.tokens" in trace:
        return _exactly(float(trace["kv_pool.tokens"]))
    requests = float(trace["accelerator.free_for_kv_bytes"]) / float(trace["accelerator.bytes_per_request"])
    return _exactly(requests * int(trace["workload.context_tokens"]))


def _least_share(q: Question) -> Range:
    trace = q.stated().trace
    return _exactly(float(trace["accelerator.total_bytes"]) / float(trace["tier.0.usable_bytes"]))


def _needed(q: Question) -> Range:
    """What an accelerator holds, without what the case puts elsewhere."""
    if q.at.text("placement"):
        return _exactly(q.answering().devices[0].tiers[0].used_bytes / GIB)
    return _exactly(float(q.stated().trace["accelerator.total_bytes"]) / GIB)


def _speed(q: Question) -> Range:
    sizing = q.answering()
    if sizing.decode is None:
        raise Unusable("the catalogue has no computing rate of this device, so its speed cannot be told")
    trace = sizing.trace
    key = "output_tok_s_total" if q.at.flag("total") else "decode_tok_s"
    return float(trace[f"{key}.p10"]), float(trace[key]), float(trace[f"{key}.p90"])


def _growth(q: Question) -> Range:
    """What 16 Ki more tokens add to all that is needed, over a long way."""
    least, most = 8_192, 196_608
    totals = [
        float(
            q.case().sized(workload__context_tokens=n, workload__prompt_tokens=n - 1).trace["accelerator.total_bytes"]
        )
        for n in (least, most)
    ]
    return _exactly((totals[1] - totals[0]) / ((most - least) / 16_384) / GB)


FIGURES: dict[str, Callable[[Question], Range]] = {
    "fits": _fits,
    "max_context": _bytes("max_context_tokens", 1, Question.with_pool),
    "max_concurrency": _bytes("max_concurrency", 1, Question.with_pool),
    "kv_tokens": _tokens,
    "kv_gib_for_context": _cache,
    "kv_bytes_per_token": _bytes("kv_bytes_per_token", 1),
    "state_bytes_per_request": _bytes("state_bytes_per_request", 1),
    "weights_gib": _bytes("accelerator.weights_bytes", GIB, Question.stated),
    "total_gib": _total,
    "needed_gib": _needed,
    "compute_gib": _compute_buffer,
    "growth_gb_per_16k": _growth,
    "available_kv_gib": _bytes("accelerator.free_for_kv_bytes", GIB, Question.stated),
    "min_utilisation": _least_share,
    "bytes_read_per_token_gb": _bytes("bytes_read_per_token.weights", GB, Question.answering),
    "roofline_tok_s": _bytes("decode_tok_s.ceiling", 1, Question.answering),
    "tok_s": _speed,
    "tok_s_low": _speed,
    "tok_s_high": _speed,
}


def within(result: Result) -> bool:
    """Is an answer as near as the case asks for, or on the right side of a bound?"""
    if result.bound == "at most":
        return result.p50 <= result.observed * (1 + result.tolerance)
    if result.bound == "at least":
        return result.p50 >= result.observed * (1 - result.tolerance)
    return abs(result.error) <= result.tolerance + 1e-9


def unmet(results: Iterable[Result]) -> list[Result]:
    return [r for r in results if not within(r)]

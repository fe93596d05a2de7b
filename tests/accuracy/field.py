"""Questions from the field with known answers: each expected figure, under its conditions, against the core's."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from core.catalogue.records import Allocator
from core.sizing.report import Sizing
from core.units import GB, GIB
from tests.accuracy import causes
from tests.accuracy.cases import refusals
from tests.accuracy.figures.cache import rank_bytes_per_token
from tests.accuracy.question import Question
from tests.accuracy.records import Record, Unusable, is_number
from tests.accuracy.results import Outcome, Result, Skip
from tests.accuracy.threads import with_logs

#: Answers about what is better and why: a sizing of one scenario does not give them.
CHOICES = ("winner", "ordering", "ratio", "rule", "p90_latency_s")


def compare(records: Iterable[Record], logs: Sequence[Record] = ()) -> Outcome:
    """Every expected figure of every case, answered or skipped with its reason; `logs` tell more of their threads."""
    outcome = Outcome()
    for question in records:
        record = question
        try:
            expected = [e for e in question.items("expects") if isinstance(e, dict)]
            record = with_logs(question, logs)
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
        expected, found = causes.answered(record, expectation, figure)
        return _result(record, expectation, figure, metric, (expected, found, found, found))
    rule = FIGURES.get(figure)
    if rule is None:
        raise Unusable(f"no rule answers “{figure[:40]}”")
    value = expectation.fields.get("value")
    if not isinstance(value, bool) and not is_number(value):
        raise Unusable("the expected value is not a number")
    low, middle, high = rule(Question(record, expectation.part("at")))
    return _result(record, expectation, figure, metric, (float(value or 0), low, middle, high))


def _result(
    record: Record, expectation: Record, figure: str, metric: str, answer: tuple[float, float, float, float]
) -> Result:
    """What is expected, and what the core says: low, middle, high."""
    tolerance = expectation.number("tolerance", 0.0) or 0.0
    bound = expectation.text("bound")
    source = record.text("source")
    return Result(record.id, metric, *answer, kind=figure, source=source, tolerance=tolerance, bound=bound)


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


def _on_the_card(q: Question) -> Range:
    """What is needed of the accelerator: without what lies with the host."""
    trace = q.stated().trace
    beside = float(trace["spill.weights_bytes"] + trace["spill.kv_bytes"]) if q.at.text("placement") else 0.0
    return _exactly((float(trace["accelerator.total_bytes"]) - beside) / GIB)


def _requests(q: Question) -> Range:
    """Requests of the stated length; where only a limit of them is, as many as the pool has blocks for states."""
    trace = q.with_pool().trace
    of_any_length = not q.states_length() and q.inputs.count("max_num_seqs") and "kv_pool.blocks" in trace
    return _exactly(float(trace["kv_pool.blocks" if of_any_length else "max_concurrency"]))


def _compute_buffer(q: Question) -> Range:
    trace = q.sizing().trace
    return _exactly(float(trace.get("runtime.compute_buffer_bytes", trace["memory_item.framework"])) / GIB)


def _fits(q: Question) -> Range:
    shared = q.at.text("deployment")
    return _exactly(1.0 if (q.share_a_card(shared) if shared else q.with_pool().fits) else 0.0)


def _tokens(q: Question) -> Range:
    trace = q.with_pool().trace
    if "kv_pool.tokens" in trace:
        return _exactly(float(trace["kv_pool.tokens"]))
    requests = float(trace["accelerator.free_for_kv_bytes"]) / float(trace["accelerator.bytes_per_request"])
    return _exactly(requests * int(trace["workload.context_tokens"]))


def _least_share(q: Question) -> Range:
    trace = q.stated().trace
    return _exactly(float(trace["accelerator.total_bytes"]) / float(trace["tier.0.usable_bytes"]))


def _speed(q: Question) -> Range:
    trace = q.answering().trace
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
    "max_concurrency": _requests,
    "kv_tokens": _tokens,
    "kv_gib_for_context": _cache,
    "kv_bytes_per_token": _bytes("kv_bytes_per_token", 1),
    "state_bytes_per_request": _bytes("state_bytes_per_request", 1),
    "weights_gib": _bytes("accelerator.weights_bytes", GIB, Question.stated),
    "total_gib": _total,
    "needed_gib": _on_the_card,
    "compute_gib": _compute_buffer,
    "growth_gb_per_16k": _growth,
    "available_kv_gib": _bytes("accelerator.free_for_kv_bytes", GIB, Question.stated),
    "min_utilisation": _least_share,
    "bytes_read_per_token_gb": _bytes("bytes_read_per_token.weights", GB, Question.answering),
    "prefill_tok_s": _bytes("prefill_tok_s", 1, Question.answering),
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

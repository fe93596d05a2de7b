"""What embedding and ranking take: from everybody where they share the card, from the first token where they do not."""

import pytest

from core.catalogue.catalogue import Catalogue
from core.scenario import Placement, Retrieval, Scenario, Use, Workload
from core.sizing.demand import record_demand, record_service
from core.sizing.presets import with_use
from core.sizing.report import Sizing
from core.sizing.rules.retrieval import with_retrieval_apart
from core.sizing.search.hardware import find_hardware
from core.sizing.size import size
from core.trace import Given, OriginKind
from tests.core.estimates import decode_of, ttft_of
from tests.core.search_cases import asked

TRAFFIC = Retrieval(question_tokens=50, passages=20, passage_tokens=450)


@pytest.fixture(scope="module")
def quiet() -> Scenario:
    """Embedding and reranking models on the card, and nobody said how much they have to do."""
    return asked("rule-1-one-card").scenario


@pytest.fixture(scope="module")
def shared(quiet: Scenario, catalogue: Catalogue) -> Sizing:
    return size(quiet.edited(workload__retrieval=TRAFFIC), catalogue)


def test_the_time_of_one_request_by_hand(shared: Sizing, catalogue: Catalogue) -> None:
    """A reranker of 2e9 parameters reads 20 x (50 + 450) = 10,000 tokens: 4e13 operations, and its 2 GB once."""
    trace = shared.trace
    assert trace["retrieval.1.tokens"] == 10_000
    rate, reached, bandwidth = trace["rate.fp16"], trace["efficiency.within_units"], trace["bandwidth.weights"]
    assert trace["retrieval.1.seconds"] == pytest.approx(2 * 2e9 * 10_000 / (rate * reached) + 2e9 / bandwidth)
    embedding = sum(catalogue.blueprint("Qwen/Qwen3-Embedding-4B").parameters.values())
    assert trace["retrieval.0.seconds"] == pytest.approx(
        2 * embedding * 50 / (rate * reached) + embedding / bandwidth, rel=1e-9
    )
    assert trace["retrieval.seconds"] == trace["retrieval.0.seconds"] + trace["retrieval.1.seconds"]


def test_on_the_same_card_everybody_pays(quiet: Scenario, shared: Sizing, catalogue: Catalogue) -> None:
    without = size(quiet, catalogue)
    assert "retrieval.seconds" not in without.trace
    added = shared.trace["prompt.with_retrieval_s"] - shared.trace["prefill_step_s"]
    assert added == pytest.approx(shared.trace["retrieval.seconds"])
    assert decode_of(shared).p50 < decode_of(without).p50
    assert ttft_of(shared).p50 > ttft_of(without).p50 + shared.trace["retrieval.seconds"]
    assert shared.trace["saturated_tok_s_total"] < without.trace["saturated_tok_s_total"]


def test_on_a_card_of_its_own_only_the_first_token_waits(quiet: Scenario, shared: Sizing, catalogue: Catalogue) -> None:
    before = size(with_retrieval_apart(quiet), catalogue)
    apart = size(with_retrieval_apart(shared.scenario), catalogue)
    assert decode_of(apart).p50 == decode_of(before).p50
    assert ttft_of(apart).p50 == pytest.approx(ttft_of(before).p50 + apart.trace["retrieval.apart_s"])
    assert apart.trace["saturated_tok_s_total"] == before.trace["saturated_tok_s_total"]
    assert ttft_of(apart).p50 < ttft_of(shared).p50


def test_the_load_of_the_year_holds_retrieval(quiet: Scenario, catalogue: Catalogue) -> None:
    people = quiet.edited(workload__users=300, workload__requests_at_once=4)
    loads = {}
    for name, scenario in {
        "none": people,
        "here": people.edited(workload__retrieval=TRAFFIC),
        "apart": with_retrieval_apart(people.edited(workload__retrieval=TRAFFIC)),
    }.items():
        trace = size(scenario, catalogue).trace.copy()
        record_service(trace, scenario.workload)
        demand = record_demand(trace, scenario.workload, catalogue.facts)
        assert demand is not None
        loads[name] = demand.busy
        if name == "apart":
            assert trace["demand.retrieval_load_share"] == pytest.approx(
                trace["demand.peak_rate"] * trace["retrieval.apart_s"]
            )
    assert loads["none"] < loads["here"]
    assert loads["apart"] == pytest.approx(loads["none"], rel=0.2)


def test_models_on_a_processor_take_nothing_of_the_card(quiet: Scenario, catalogue: Catalogue) -> None:
    moved = tuple(c.model_copy(update={"placement": Placement.CPU}) for c in quiet.companions)
    elsewhere = quiet.model_copy(update={"companions": moved}).edited(workload__retrieval=TRAFFIC)
    assert "retrieval.seconds" not in size(elsewhere, catalogue).trace


def test_questions_about_documents_bring_retrieval_with_them() -> None:
    assert with_use(Workload(), Use.RAG).retrieval == Retrieval()
    assert with_use(Workload(retrieval=TRAFFIC), Use.CHAT).retrieval is None


def test_a_search_moves_retrieval_to_its_own_card_where_it_slows_the_model(catalogue: Catalogue) -> None:
    """120 passages for each of 12 requests: on the same card no first token within two seconds, beside it there is."""
    heavy = Retrieval(question_tokens=50, passages=120, passage_tokens=450)
    request = asked("rule-1-one-card", ranking="price", weights=["nvfp4"], kv_formats=["fp8"],
                    limits={"devices": ["rtx-pro-6000-ws"], "most_units": 2})  # fmt: skip
    scenario = request.scenario.edited(
        workload__retrieval=heavy, workload__requests_at_once=12, workload__ttft_target_s=3.0,
        workload__context_tokens=32_768,
    )  # fmt: skip
    best = find_hardware(request.model_copy(update={"scenario": scenario}), catalogue).best
    assert best is not None
    assert best.evaluation.candidate.variant.apart
    light = scenario.edited(workload__retrieval=Retrieval(question_tokens=50, passages=2, passage_tokens=450))
    best = find_hardware(request.model_copy(update={"scenario": light}), catalogue).best
    assert best is not None
    assert not best.evaluation.candidate.variant.apart


def test_what_nobody_has_said_is_an_estimate_and_what_was_said_a_choice(quiet: Scenario, catalogue: Catalogue) -> None:
    said = Retrieval(question_tokens=80)
    trace = size(quiet.edited(workload__retrieval=said), catalogue).trace
    question, passages = trace.entry("retrieval.question_tokens"), trace.entry("retrieval.passages")
    assert isinstance(question, Given)
    assert isinstance(passages, Given)
    assert question.origin.kind is OriginKind.CHOICE
    assert passages.origin.confidence == "estimate"

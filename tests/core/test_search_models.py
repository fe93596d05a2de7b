from core.catalogue.catalogue import Catalogue
from core.language.messages import LANGUAGES, in_language
from core.language.search_summary import models_summary
from core.sizing.search.models import ModelExclusion, find_models, generators
from core.sizing.size import size
from tests.core.estimates import decode_of
from tests.core.search_cases import asked, memory


def test_every_model_is_an_answer_or_ruled_out(catalogue: Catalogue) -> None:
    found = find_models(asked("job-2-what-runs"), catalogue)
    named = [one.model.id for one in found.answers] + [miss.model.id for miss in found.ruled_out]
    assert sorted(named) == sorted(model.id for model in generators(catalogue))


def test_an_answer_is_what_size_says(catalogue: Catalogue) -> None:
    answers = find_models(asked("job-2-what-runs"), catalogue).answers[:10]
    assert len(answers) == 10
    for answer in answers:
        sizing = size(answer.scenario, catalogue)
        assert answer.speed == (decode_of(sizing).p10, decode_of(sizing).p50, decode_of(sizing).p90)
        assert answer.requests == sizing.trace["max_concurrency"] >= 1
        assert answer.speed[1] >= 15


def test_the_largest_comes_first_in_its_most_exact_format(catalogue: Catalogue) -> None:
    answers = find_models(asked("job-2-what-runs"), catalogue).answers
    sizes = [answer.parameters for answer in answers]
    assert sizes == sorted(sizes, reverse=True)
    small = next(answer for answer in answers if answer.model.id == "openai/gpt-oss-20b")
    assert small.weights.startswith("mxfp4")  # as it was published: more bits would add nothing


def test_more_memory_only_adds_models(catalogue: Catalogue) -> None:
    request = asked("job-2-what-runs")
    scenario = request.scenario.edited(workload__speed_target=None)
    request = request.model_copy(update={"scenario": scenario})
    few = {answer.model.id for answer in find_models(request, catalogue).answers}
    many = {answer.model.id for answer in find_models(request, memory(catalogue, "rtx-4090", 2.0)).answers}
    assert few < many


def test_a_request_longer_than_the_training_is_ruled_out(catalogue: Catalogue) -> None:
    request = asked("job-2-what-runs")
    scenario = request.scenario.edited(workload__prompt_tokens=40_000, workload__context_tokens=65_536)
    found = find_models(request.model_copy(update={"scenario": scenario}), catalogue)
    out = {miss.model.id: miss for miss in found.ruled_out}
    assert out["meta-llama/Meta-Llama-3-70B"].by is ModelExclusion.CONTEXT
    assert out["meta-llama/Meta-Llama-3-70B"].reached == 8192


def test_it_can_be_read_in_every_language(catalogue: Catalogue) -> None:
    found = find_models(asked("job-2-what-runs"), catalogue)
    texts = set()
    for code in LANGUAGES:
        with in_language(code):
            texts.add(models_summary(found, catalogue, 0.2))
    assert len(texts) == len(LANGUAGES)

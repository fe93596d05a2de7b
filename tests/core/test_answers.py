"""The article's five questions: every figure that an answer must hold is in it, and is the figure of a sizing."""

import re
from functools import cache

import pytest

from core.language.answers import MOST_LEVERS, Answer, answer
from core.language.messages import LANGUAGES, in_language
from core.language.numbers import Formatter, current, formatter
from core.sizing.costs.cost import cost
from core.sizing.levers import faster, levers
from core.sizing.questions import Question, scenarios
from core.sizing.report import Sizing
from core.sizing.size import size
from tests.article.scenarios import ARTICLE
from tests.shipped import shipped

Q = Question
EN: Formatter = formatter("en")


@cache
def answered(question: Question) -> Answer:
    return answer(question, shipped())


@cache
def sized(question: Question, name: str) -> Sizing:
    return size(scenarios(question)[name], shipped())


def text(question: Question) -> str:
    return " ".join(answered(question).sentences)


def figure(question: Question, name: str, key: str) -> str:
    trace = sized(question, name).trace
    return EN.figure(trace[key], trace.entry(key).unit)


#: Question, scenario, key of a figure that the answer must hold, as article.toml lists them.
FIGURES = [
    (Q.WHY_SLOW, "open", "memory_bandwidth_bytes_per_s"),
    (Q.WHY_SLOW, "open", "bytes_read_per_token.weights"),
    (Q.WHY_SLOW, "open", "bytes_read_per_token.kv"),
    (Q.WHY_SLOW, "open", "decode_tok_s.ceiling"),
    (Q.WHY_SLOW, "open", "decode_tok_s"),
    (Q.WHY_SLOW, "open", "compute_utilisation.decode"),
    (Q.WHY_SLOW, "faster", "memory_bandwidth_bytes_per_s"),
    (Q.WHY_SLOW, "faster", "decode_tok_s.ceiling"),
    (Q.NVLINK, "one", "messages_per_token"),
    (Q.NVLINK, "open", "messages_per_token"),
    (Q.NVLINK, "open", "all_reduce_share"),
    (Q.NVLINK, "nvlink", "all_reduce_share"),
    (Q.NVLINK, "copies", "output_tok_s_total"),
    (Q.NVLINK, "pipeline", "output_tok_s_total"),
    (Q.NVLINK, "pipeline", "messages_per_token"),
    (Q.SXM_OR_PCIE, "open", "decode_tok_s"),
    (Q.SXM_OR_PCIE, "sxm", "decode_tok_s"),
    (Q.SXM_OR_PCIE, "pcie", "decode_tok_s"),
    (Q.SXM_OR_PCIE, "sxm", "memory_bandwidth_bytes_per_s"),
    (Q.SXM_OR_PCIE, "pcie", "memory_bandwidth_bytes_per_s"),
    (Q.SXM_OR_PCIE, "large", "all_reduce_share"),
    (Q.SXM_OR_PCIE, "large_pcie", "all_reduce_share"),
    (Q.SPARK, "open", "tier.0.usable_bytes"),
    (Q.SPARK, "compact", "decode_tok_s"),
    (Q.SPARK, "open", "decode_tok_s"),
    (Q.SPARK, "more_bandwidth", "decode_tok_s"),
    (Q.SPARK, "two", "decode_tok_s"),
    (Q.SPARK, "two_split", "decode_tok_s"),
    (Q.SPARK, "huge", "memory_item.weights"),
    (Q.SPARK, "huge_flat", "memory_item.weights"),
    (Q.SPARK, "huge_flat", "decode_tok_s.ceiling"),
    *((Q.SMALLER_CACHE, name, "max_context_tokens") for name in ("open", "eight", "four", "half", "hybrid")),
    *((Q.SMALLER_CACHE, name, "max_concurrency") for name in ("open", "eight", "four", "half", "hybrid")),
]


@pytest.mark.parametrize(("question", "name", "key"), FIGURES, ids=[f"{q.value} {n} {k}" for q, n, k in FIGURES])
def test_the_answer_holds_the_figure(question: Question, name: str, key: str) -> None:
    assert figure(question, name, key) in text(question)


def test_the_questions_are_those_of_the_article() -> None:
    assert {a["id"]: a["question"] for a in ARTICLE["answer"]} == {q.value: answered(q).question for q in Question}


def said(question: Question) -> str:
    return text(question).replace("\u00a0", " ")


def test_speeds_come_with_range_and_evidence() -> None:
    for question, name in ((Q.WHY_SLOW, "open"), (Q.SPARK, "compact"), (Q.SXM_OR_PCIE, "sxm")):
        decode = sized(question, name).decode
        assert decode is not None
        assert EN.range(decode.p10, decode.p90, EN.speed_parts) in text(question)
    assert "measured here" in said(Q.SPARK)


def test_why_slow_names_the_largest_cause_and_levers() -> None:
    """40.6 GB a token over 273 GB/s: at most 6.7 tok/s; on 1,792 GB/s at most 44; the weights take nearly all of it."""
    assert "40.6 GB of weights" in said(Q.WHY_SLOW)
    assert "at most 44 tok/s" in said(Q.WHY_SLOW)
    assert "Reading weights" in said(Q.WHY_SLOW)
    changes = faster(levers(sized(Q.WHY_SLOW, "open"), shipped()))
    assert changes[0][1].times == max(gain.times for _lever, gain in changes) > 1
    helps = said(Q.WHY_SLOW).split("What would help:")[1:]
    assert len(helps) == min(len(changes), MOST_LEVERS) >= 1
    assert all("per user" in change and "request" not in change for change in helps)


def test_nvlink_counts_messages() -> None:
    """None on one card, 160 with 80 layers split, 7 in a pipeline of eight."""
    trace = [sized(Q.NVLINK, name).trace["messages_per_token"] for name in ("one", "open", "pipeline")]
    assert trace == [0, 160, 7]


def test_sxm_or_pcie_gives_price_and_power_with_dates() -> None:
    for words in ("$25,000–40,000 in 2026", "$9,500–16,000 in 2026", "700 W", "350 W", "600 W"):
        assert words in said(Q.SXM_OR_PCIE)


def test_sxm_or_pcie_gives_the_cost_over_ones_own_demand() -> None:
    """160 users: 160 x 0.34 x 20 x 220 = 239,360 requests of 2,000 tokens, 479 million a year."""
    assert said(Q.SXM_OR_PCIE).count("For 160 users, 479 million tokens a year,") == 3
    costs = {name: cost(sized(Q.SXM_OR_PCIE, name), shipped()) for name in ("open", "sxm", "pcie")}
    for one in costs.values():
        for amount in (one.capital, one.yearly, one.per_million, one.per_million_full):
            assert current().money(amount.value, one.currency) in said(Q.SXM_OR_PCIE)
    assert costs["open"].per_million.value < costs["pcie"].per_million.value < costs["sxm"].per_million.value


def test_405b_by_file() -> None:
    assert "202.9 GB at flat 4 bit" in said(Q.SPARK)
    assert "234.3 GB, against 232.0 GB usable" in said(Q.SPARK)
    assert "1.3 tok/s at most" in said(Q.SPARK)


def test_the_cache_step_by_step() -> None:
    for words in (
        "98,304",
        "49,152",
        "24,576",
        "20,480",
        "24 GiB",
        "12 GiB",
        "6 GiB",
        "8 times smaller",
        "61.4 MiB",
    ):
        assert words in said(Q.SMALLER_CACHE), words
    for requests in ("2 requests", "5 requests", "10 requests"):
        assert requests in said(Q.SMALLER_CACHE)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("question", Question)
def test_in_every_language(question: Question, language: str) -> None:
    with in_language(language):
        found = answer(question, shipped())
    assert found.scenario == scenarios(question)["open"]
    for sentence in (found.question, *found.sentences):
        assert not re.search(r"[{}]", sentence), sentence
    assert all(sentence.endswith((".", ")")) for sentence in found.sentences)

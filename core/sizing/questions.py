"""The founding article's five questions as scenarios: what each answer opens, and what it is compared with."""

from collections.abc import Mapping
from enum import StrEnum

from core.scenario import CatalogueModel, Deployment, Mode, Plan, Scenario, Workload
from core.sizing.examples import worked_example, worked_example_in_reality


class Question(StrEnum):
    """A question of the article, by its place there."""

    WHY_SLOW = "f1"
    NVLINK = "f2"
    SXM_OR_PCIE = "f3"
    SPARK = "f4"
    SMALLER_CACHE = "f5"


DENSE_70B, DENSE_405B = "meta-llama/Llama-3.1-70B-Instruct", "meta-llama/Meta-Llama-3.1-405B"
COMPACT, MIXTURE = "openai/gpt-oss-20b", "Qwen/Qwen3-30B-A3B"
MORE_BANDWIDTH = "rtx-pro-6000-ws"


def scenarios(question: Question) -> Mapping[str, Scenario]:
    """The scenarios of a question by what they stand for; "open" is the one that its answer opens.

    Parameters
    ----------
    question : one of the five

    Returns
    -------
    scenarios by name
    """
    return _SCENARIOS[question]()


def _scenario(name: str, model: str, weights: str, device: str, requests: int, tokens: int, context: int) -> Scenario:
    return Scenario(
        name=name,
        model=CatalogueModel(id=model),
        weights=weights,
        workload=Workload(
            requests_at_once=requests, prompt_tokens=tokens, output_tokens=tokens, context_tokens=context
        ),
        deployment=Deployment(device=device),
    )


def _why_slow() -> Mapping[str, Scenario]:
    slow = _scenario("Why is it slow?", DENSE_70B, "nvfp4", "dgx-spark", 1, 1_024, 8_192)
    return {"open": slow, "faster": slow.edited(deployment__device=MORE_BANDWIDTH)}


def _nvlink() -> Mapping[str, Scenario]:
    cards = _scenario("Split over eight cards", DENSE_70B, "fp8", "rtx-pro-6000-server", 16, 1_024, 8_192)
    cards = cards.edited(deployment__count=8, deployment__link="pcie-gen5-x16", deployment__plan=Plan(tensor=8))
    mesh = {"deployment__device": "h200-sxm", "deployment__link": "nvlink4-h100-h200-sxm"}
    return {
        "open": cards,
        "nvlink": cards.edited(**mesh),
        "copies": cards.edited(deployment__plan=Plan(replicas=8)),
        "pipeline": cards.edited(deployment__plan=Plan(pipeline=8)),
        "one": cards.edited(deployment__count=1, deployment__plan=None, deployment__link=None),
    }


def _sxm_or_pcie() -> Mapping[str, Scenario]:
    server = _scenario("SXM or PCIe?", MIXTURE, "fp8", "rtx-pro-6000-server", 16, 1_000, 8_192)
    server = server.edited(workload__users=160, workload__active_share=0.1, economics__region="FR")  # for its cost
    large = _scenario("SXM or PCIe?", DENSE_405B, "fp8", "hgx-h200-8", 1, 1_000, 8_192)
    split = large.edited(deployment__device="rtx-pro-6000-server", deployment__count=8)
    return {
        "open": server,
        "sxm": server.edited(deployment__device="h100-sxm"),
        "pcie": server.edited(deployment__device="h100-pcie"),
        "large": large.edited(deployment__plan=Plan(tensor=8)),
        "large_pcie": split.edited(deployment__plan=Plan(tensor=8), deployment__link="pcie-gen5-x16"),
    }


def _spark() -> Mapping[str, Scenario]:
    dense = _scenario("Is a DGX Spark fast?", DENSE_70B, "nvfp4", "dgx-spark", 1, 1_024, 8_192)
    huge = dense.edited(model=CatalogueModel(id=DENSE_405B), deployment__device="dgx-spark-x2", kv_format="fp8")
    return {
        "open": dense,
        "compact": dense.edited(model=CatalogueModel(id=COMPACT), weights="mxfp4"),
        "more_bandwidth": dense.edited(deployment__device=MORE_BANDWIDTH),
        "two": dense.edited(deployment__device="dgx-spark-x2", deployment__plan=Plan(pipeline=2)),
        "two_split": dense.edited(deployment__device="dgx-spark-x2", deployment__plan=Plan(tensor=2)),
        "huge": huge.edited(weights="nvfp4"),
        "huge_flat": huge.edited(weights="flat4", mode=Mode.ARTICLE, workload__context_tokens=4_096),
    }


def _smaller_cache() -> Mapping[str, Scenario]:
    base = worked_example()
    wide = base.edited(kv_format="fp16")
    single = wide.edited(model={**wide.model.model_dump(), "kv_heads": 32})
    return {
        "open": wide,
        "eight": base,
        "four": base.edited(kv_format="4bit"),
        "half": wide.edited(workload__context_tokens=wide.workload.context_tokens // 2),
        "ungrouped": single,
        "hybrid": worked_example_in_reality().edited(kv_format="fp16"),
        "hybrid_four": worked_example_in_reality().edited(kv_format="int4_per_token_head"),
    }


_SCENARIOS = {
    Question.WHY_SLOW: _why_slow,
    Question.NVLINK: _nvlink,
    Question.SXM_OR_PCIE: _sxm_or_pcie,
    Question.SPARK: _spark,
    Question.SMALLER_CACHE: _smaller_cache,
}

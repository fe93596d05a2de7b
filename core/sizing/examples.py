"""Scenarios that ship with the program: the founding article's worked example, and the same need in reality."""

from core.architecture.notes import N_
from core.scenario import (
    CatalogueModel,
    Companion,
    CompanionRole,
    Deployment,
    Mode,
    Scenario,
    TextbookModel,
    Workload,
)

CONTEXT = 262_144  # 256K
FRAMEWORK_BYTES = 4_000_000_000
RERANKER = Companion(role=CompanionRole.RERANKER, parameters=2_000_000_000, weights="fp8")


def worked_example() -> Scenario:
    """The article's table: 35B A3B at 4 bit with an FP8 cache, 256K tokens, on a 96 GB card."""
    return Scenario(
        name=N_("Article: 256K on 96 GB"),
        mode=Mode.ARTICLE,
        model=TextbookModel(
            name=N_("Qwen3.6-35B-A3B, as in the article"),
            parameters=35_000_000_000,
            active_parameters=3_000_000_000,
            layers=48,
            kv_heads=4,
            head_dim=128,
            query_heads=32,
            trained_context=CONTEXT,
        ),
        weights="flat4",
        kv_format="fp8",
        companions=(Companion(role=CompanionRole.EMBEDDING, parameters=4_000_000_000, weights="fp8"), RERANKER),
        workload=Workload(requests_at_once=1, context_tokens=CONTEXT),
        deployment=Deployment(device="rtx-pro-6000-ws", runtime_bytes=FRAMEWORK_BYTES, capacity_bytes=96_000_000_000),
    )


def worked_example_in_reality() -> Scenario:
    """The same need with the published checkpoint, the catalogue's card and the engine's limit."""
    return Scenario(
        name=N_("In reality: 256K on 96 GB"),
        model=CatalogueModel(id="nvidia/Qwen3.6-35B-A3B-NVFP4"),
        weights="nvfp4",
        kv_format="fp8",
        companions=(
            Companion(role=CompanionRole.EMBEDDING, model="Qwen/Qwen3-Embedding-4B", weights="fp8"),
            RERANKER,
        ),
        workload=Workload(requests_at_once=1, context_tokens=CONTEXT),
        deployment=Deployment(device="rtx-pro-6000-ws", engine="vllm", runtime_bytes=FRAMEWORK_BYTES),
    )


def examples() -> tuple[Scenario, ...]:
    """What a first start shows, the first one opened."""
    return worked_example(), worked_example_in_reality()

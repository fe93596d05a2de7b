"""Scenarios over the small catalogue that several tests walk through; add one here and every such test takes it."""

from core.scenario import (
    CatalogueModel,
    Companion,
    CompanionRole,
    Deployment,
    Host,
    Measured,
    Measurement,
    Mode,
    Plan,
    Scenario,
    Speculation,
    Workload,
)
from core.sizing.examples import worked_example

EMBEDDING = Companion(role=CompanionRole.EMBEDDING, model="encoder", weights="fp8")


def scenario(model: str, weights: str, device: str, **more: object) -> Scenario:
    """A scenario in few words; `more` are edits such as `workload__context_tokens`."""
    base = Scenario(
        model=CatalogueModel(id=model),
        weights=weights,
        workload=Workload(requests_at_once=1, prompt_tokens=1024, context_tokens=8192),
        deployment=Deployment(device=device),
    )
    return base.edited(**more)


CASES: dict[str, Scenario] = {
    "article": worked_example(),
    "article, 16-bit cache, several": worked_example().edited(kv_format="fp16", workload__requests_at_once=4),
    "hybrid mixture": scenario("hybrid-35b", "nvfp4", "rtx-pro-6000-ws", kv_format="fp8", companions=(EMBEDDING,)),
    "scales per head": scenario("dense-70b", "nvfp4", "rtx-pro-6000-ws", kv_format="fp8-head"),
    "windows": scenario("windowed", "fp16", "rtx-pro-6000-ws", workload__context_tokens=100_000),
    "many users": scenario(
        "windowed", "fp8", "rtx-pro-6000-ws", workload__requests_at_once=None, workload__users=400,
        workload__active_share=0.1, workload__reserve_share=0.3,
    ),
    "tensor parallel over PCIe": scenario(
        "dense-70b", "fp8", "rtx-pro-6000-ws", deployment__count=2, deployment__plan=Plan(tensor=2),
        companions=(EMBEDDING,),
    ),
    "latent, copied on every rank": scenario(
        "latent", "nvfp4", "hgx-h200-8", kv_format="fp8", deployment__plan=Plan(tensor=8),
    ),
    "hybrid in stages": scenario(
        "hybrid-35b", "fp16", "rtx-pro-6000-ws", deployment__count=4, deployment__plan=Plan(tensor=2, pipeline=2),
    ),
    "replicas": scenario("hybrid-35b", "nvfp4", "rtx-pro-6000-ws", deployment__count=3),
    "second tier": scenario("dense-405b", "fp8", "dgx-station", kv_format="fp8", mode=Mode.ARTICLE),
    "second tier with companion": scenario("dense-405b", "fp8", "dgx-station", companions=(EMBEDDING,)),
    "two Sparks": scenario("dense-405b", "flat4", "dgx-spark-x2", kv_format="fp8", mode=Mode.ARTICLE),
    "does not fit": scenario("dense-405b", "fp8", "rtx-pro-6000-ws"),
    "compressed": scenario("compressed", "nvfp4", "hgx-h200-8", kv_format="fp8", workload__context_tokens=65_536),
    "compressed in stages": scenario(
        "compressed", "nvfp4", "hgx-h200-8", deployment__plan=Plan(tensor=2, pipeline=4), deployment__engine="generic",
    ),
    "latent hybrid": scenario("latent-hybrid", "fp8", "h200-nvl", deployment__prefix_caching=True),
    "hybrid with drafts": scenario(
        "hybrid-35b", "nvfp4", "rtx-pro-6000-ws", deployment__draft_tokens=3, deployment__prefix_caching=True,
    ),
    "context parallel": scenario(
        "latent", "nvfp4", "hgx-h200-8", deployment__plan=Plan(tensor=8), deployment__context_parallel=8,
    ),
    "SGLang, windows": scenario("windowed", "fp8", "h200-nvl", deployment__engine="sglang"),
    "SGLang, windows on two": scenario(
        "windowed", "fp8", "h200-nvl", deployment__engine="sglang", deployment__count=2,
        deployment__plan=Plan(tensor=2),
    ),
    "SGLang, hybrid": scenario("hybrid-35b", "fp8", "h200-nvl", deployment__engine="sglang"),
    "SGLang, hybrid on two": scenario(
        "hybrid-35b", "fp8", "h200-nvl", deployment__engine="sglang", deployment__count=2,
        deployment__plan=Plan(tensor=2), workload__context_tokens=2000, workload__requests_at_once=50,
    ),
    "TensorRT-LLM, windows": scenario("windowed", "fp8", "h200-nvl", deployment__engine="tensorrt-llm"),
    "MLX, windows": scenario("windowed", "fp16", "dgx-spark", deployment__engine="mlx"),
    "MLX, hybrid": scenario("hybrid-35b", "fp16", "dgx-spark", deployment__engine="mlx"),
    "llama.cpp, windows": scenario(
        "windowed", "q4_k_m", "rtx-pro-6000-ws", deployment__engine="llama.cpp", kv_value_format="q8_0",
    ),
    "llama.cpp, shared slots": scenario(
        "windowed", "q4_k_m", "rtx-pro-6000-ws", deployment__engine="llama.cpp", deployment__shared_slots=True,
        workload__requests_at_once=4,
    ),
    "llama.cpp, drafts": scenario(
        "hybrid-35b", "q4_k_m", "rtx-pro-6000-ws", deployment__engine="llama.cpp", deployment__draft_tokens=6,
    ),
    "experts spread, attention split": scenario(
        "hybrid-35b", "nvfp4", "hgx-h200-8", deployment__plan=Plan(tensor=8, expert=8),
    ),
    "experts spread, attention whole": scenario(
        "latent", "nvfp4", "hgx-h200-8", deployment__plan=Plan(attention_replicas=8, expert=8),
        deployment__engine="tensorrt-llm", workload__requests_at_once=64,
    ),
    "attention in two groups of four": scenario(
        "latent", "fp8", "hgx-h200-8", deployment__plan=Plan(tensor=4, attention_replicas=2, expert=8),
        workload__requests_at_once=16, companions=(EMBEDDING,),
    ),
    "experts without a direct way": scenario(
        "hybrid-35b", "nvfp4", "rtx-pro-6000-ws", deployment__count=4, deployment__all_to_all=True,
        deployment__plan=Plan(attention_replicas=4, expert=4), workload__requests_at_once=16,
    ),
    "experts in host memory": scenario(
        "hybrid-35b", "q4_k_m", "rtx-pro-6000-ws", deployment__engine="llama.cpp",
        deployment__host=Host(bandwidth_bytes_per_s=96e9, capacity_bytes=128 * 10**9),
        deployment__host_expert_layers=30,
    ),
    "layers in host memory": scenario(
        "dense-70b", "q4_k_m", "rtx-pro-6000-ws", deployment__engine="llama.cpp",
        deployment__host=Host(bandwidth_bytes_per_s=96e9, capacity_bytes=128 * 10**9), deployment__host_layers=81,
    ),
    "what is too much in host memory": scenario(
        "dense-405b", "q4_k_m", "rtx-pro-6000-ws", deployment__engine="llama.cpp",
        deployment__host=Host(bandwidth_bytes_per_s=576e9, capacity_bytes=768 * 10**9),
    ),
    "host memory through PCIe": scenario(
        "dense-70b", "fp8", "rtx-pro-6000-ws", deployment__count=2, deployment__plan=Plan(tensor=2),
        deployment__host=Host(bandwidth_bytes_per_s=96e9, capacity_bytes=128 * 10**9), deployment__host_layers=20,
    ),
    "guessing with its own layers": scenario(
        "hybrid-35b", "nvfp4", "rtx-pro-6000-ws", deployment__draft_tokens=3,
        deployment__speculation=Speculation(acceptance=0.7), workload__requests_at_once=4,
    ),
    "guessing with a draft model": scenario(
        "dense-70b", "fp8", "hgx-h200-8", deployment__plan=Plan(tensor=4, replicas=2), deployment__draft_tokens=4,
        deployment__speculation=Speculation(acceptance=0.6, draft_model="windowed", draft_weights="fp8"),
    ),
    "own measurements": scenario(
        "hybrid-35b", "nvfp4", "rtx-pro-6000-ws",
        measurements=tuple(
            Measurement(figure=figure, value=value, prompt_tokens=1024, output_tokens=256, title="by hand")
            for figure, value in (
                (Measured.DECODE, 150.0), (Measured.PREFILL, 9000.0), (Measured.FIRST_TOKEN, 0.2),
                (Measured.THROUGHPUT, 140.0),
            )
        ),
    ),
    "llama.cpp mixture": scenario("hybrid-35b", "q4_k_m", "rtx-pro-6000-ws", deployment__engine="llama.cpp"),
}  # fmt: skip

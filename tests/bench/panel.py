"""Models of every family, each on hardware that it is run on: what a sizing takes must not depend on the family."""

from core.scenario import CatalogueModel, Companion, CompanionRole, Deployment, Plan, Scenario, Workload

CONTEXT, PROMPT, ANSWER = 32_768, 8192, 1024
WORK = Workload(requests_at_once=8, context_tokens=CONTEXT, prompt_tokens=PROMPT, output_tokens=ANSWER)
EMBEDDING = Companion(role=CompanionRole.EMBEDDING, model="Qwen/Qwen3-Embedding-4B", weights="fp8")


def _served(name: str, model: str, weights: str, kv_format: str, deployment: Deployment) -> Scenario:
    return Scenario(
        name=name,
        model=CatalogueModel(id=model),
        weights=weights,
        kv_format=kv_format,
        workload=WORK,
        deployment=deployment,
    )


def panel() -> tuple[Scenario, ...]:
    """One of each family."""
    eight = Plan(tensor=8)
    return (
        _served(
            "dense, FP8, one card",
            "Qwen/Qwen3-32B-FP8",
            "fp8-block",
            "fp8",
            Deployment(device="rtx-pro-6000-ws", engine="vllm"),
        ).model_copy(update={"companions": (EMBEDDING,)}),
        _served(
            "dense, TP over four cards",
            "meta-llama/Llama-3.1-70B-Instruct",
            "bf16",
            "fp16",
            Deployment(device="h100-sxm", count=4, plan=Plan(tensor=4), engine="vllm"),
        ),
        _served(
            "dense, MLX on a Mac",
            "Qwen/Qwen3-8B",
            "mlx4",
            "fp16",
            Deployment(device="macbook-pro-m4-max-128", engine="mlx"),
        ),
        _served(
            "sliding windows",
            "google/gemma-3-27b-it",
            "bf16",
            "fp16",
            Deployment(device="a100-80gb-sxm", engine="vllm"),
        ),
        _served(
            "windows and experts, vLLM",
            "openai/gpt-oss-120b",
            "mxfp4",
            "fp16",
            Deployment(device="h100-sxm", engine="vllm"),
        ),
        _served(
            "windows and experts, llama.cpp",
            "openai/gpt-oss-20b",
            "mxfp4-gguf",
            "fp16",
            Deployment(device="rtx-5090", engine="llama.cpp"),
        ),
        _served(
            "latent attention, TP over eight cards",
            "deepseek-ai/DeepSeek-V3",
            "fp8-block",
            "fp16",
            Deployment(device="hgx-h200-8", plan=eight, engine="vllm"),
        ),
        _served(
            "latent attention, experts spread, SGLang",
            "deepseek-ai/DeepSeek-V3",
            "fp8-block",
            "fp16",
            Deployment(device="hgx-h200-8", plan=Plan(attention_replicas=8, expert=8), engine="sglang"),
        ),
        _served(
            "compressed attention",
            "deepseek-ai/DeepSeek-V4-Flash",
            "fp8-block",
            "fp8_ds_mla",
            Deployment(device="hgx-b200-8", plan=eight, engine="vllm"),
        ),
        _served(
            "linear attention and experts",
            "Qwen/Qwen3-Next-80B-A3B-Instruct",
            "fp8-block",
            "fp8",
            Deployment(device="h100-sxm", count=2, plan=Plan(tensor=2), engine="vllm"),
        ),
        _served(
            "Mamba, attention and experts",
            "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16",
            "bf16",
            "fp16",
            Deployment(device="h200-sxm", engine="vllm"),
        ),
        _served(
            "grouped attention and experts",
            "zai-org/GLM-4.5-Air",
            "fp8-block",
            "fp8",
            Deployment(device="h100-sxm", count=4, plan=Plan(tensor=4), engine="sglang"),
        ),
    )

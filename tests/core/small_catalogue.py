"""A small catalogue of hand-made records, so that tests of the core do not move when the shipped catalogue does."""

from decimal import Decimal
from typing import Any

from core.architecture.blueprint import (
    AttentionGroup,
    AttentionKind,
    Blueprint,
    MixtureOfExperts,
    Quantisation,
    RecurrentGroup,
    RecurrentKind,
    TensorClass,
)
from core.catalogue.catalogue import Catalogue
from core.catalogue.records import (
    Allocator,
    Device,
    DeviceFamily,
    DeviceKind,
    Engine,
    KvFormat,
    Link,
    LinkKind,
    MemoryTier,
    Model,
    Price,
    Source,
    WeightFormat,
)

SOURCE = Source(title="A datasheet", address="https://example.org/sheet.pdf", date="2026-01")
KEPT = dict.fromkeys((TensorClass.EMBEDDING, TensorClass.HEAD, TensorClass.ROUTER, TensorClass.NORM), 16.0)


def tier(name: str, kind: str, gigabytes: float, gigabytes_per_s: float, usable: float | None = None) -> MemoryTier:
    return MemoryTier(
        name=name,
        kind=kind,
        capacity_bytes=round(gigabytes * 1e9),
        usable_bytes=None if usable is None else round(usable * 1e9),
        bandwidth_bytes_per_s=gigabytes_per_s * 1e9,
    )


def device(id: str, kind: DeviceKind, family: DeviceFamily, *tiers: MemoryTier, **more: Any) -> Device:
    rates = {"fp16": 5e14, "fp8": 1e15, "fp4": 2e15}
    defaults: dict[str, Any] = {"peak_flops": rates, "execution_units": 100, "clock_hz": 2e9}
    return Device(
        id=id,
        name=id.replace("-", " ").upper(),
        vendor="NVIDIA",
        kind=kind,
        family=family,
        architecture="blackwell",
        memory_tiers=tiers,
        sources={"": SOURCE},
        **{**defaults, **more},
    )


def devices() -> list[Device]:
    gddr, hbm, unified = DeviceFamily.NVIDIA_GDDR, DeviceFamily.NVIDIA_HBM, DeviceFamily.NVIDIA_UNIFIED
    gpu = tier("GDDR7", "gddr", 96, 1792, 102.641958912)
    spark = tier("LPDDR5X unified", "unified", 128, 273, 116)
    return [
        device(
            "rtx-pro-6000-ws", DeviceKind.CARD, gddr, gpu,
            links=("pcie-gen5-x16",), pcie_bytes_per_s_per_direction=63e9,
            price=Price(low=Decimal(8565), high=Decimal(16000)),
        ),
        device(
            "h200-nvl", DeviceKind.CARD, hbm, tier("HBM3e", "hbm", 141, 4800, 150),
            links=("nvlink-bridge",), pcie_bytes_per_s_per_direction=63e9,
            peak_flops={"fp16": 8e14, "fp8": 1.6e15}, price=Price(low=Decimal(30000), high=Decimal(32000)),
        ),
        device(
            "hgx-h200-8", DeviceKind.NODE, hbm, tier("HBM3e", "hbm", 141, 4800, 150),
            accelerators=8, links=("nvlink4",), network_links=("infiniband",),
        ),
        device(
            "sparse-sheet", DeviceKind.CARD, hbm, tier("HBM3e", "hbm", 141, 4800), peak_basis="vendor_sparse_halved"
        ),
        device("dgx-spark", DeviceKind.UNIFIED, unified, spark, network_links=("spark-cx7",)),
        device("dgx-spark-x2", DeviceKind.UNIFIED, unified, spark, accelerators=2, links=("spark-cx7",)),
        device(
            "dgx-station", DeviceKind.UNIFIED, hbm, tier("HBM3e", "hbm", 288, 8000), tier("LPDDR5X", "lpddr", 496, 396)
        ),
    ]  # fmt: skip


def links() -> list[Link]:
    def link(id: str, kind: LinkKind, rate: float, domain: int | None) -> Link:
        return Link(
            id=id, name=id, kind=kind, bytes_per_s_per_direction=rate * 1e9, bytes_per_s_bidirectional=2e9 * rate,
            max_domain=domain, sources={"": SOURCE},
        )  # fmt: skip

    return [
        link("pcie-gen5-x16", LinkKind.PCIE, 63, None),
        link("nvlink-bridge", LinkKind.NVLINK, 450, 4),
        link("nvlink4", LinkKind.NVLINK, 450, 8),
        link("infiniband", LinkKind.NETWORK, 50, None),
        link("spark-cx7", LinkKind.NETWORK, 25, 2),
    ]


def weight_formats() -> list[WeightFormat]:
    def make(id: str, bits: float, compute: str, **more: Any) -> WeightFormat:
        return WeightFormat(id=id, name=id.upper(), bits=bits, compute=compute, sources={"": SOURCE}, **more)

    return [
        make("fp16", 16, "fp16", format_class="f16"),
        make("fp8", 8, "fp8", format_class="fp8", kept=KEPT),
        make("nvfp4", 4.5, "fp4", format_class="nvfp4", kept=KEPT),
        make("flat4", 4, "fp4", format_class="nvfp4", flat=True),
        make(
            "q4_k_m",
            4.85,
            "fp16",
            format_class="kquant",
            kept={TensorClass.NORM: 32.0},
            moe_dense_extra_bits=0.7,
            container="gguf",
        ),
    ]


def kv_formats() -> list[KvFormat]:
    return [
        KvFormat(id="fp16", name="FP16", bytes_per_element=2, bits=16, sources={"": SOURCE}),
        KvFormat(id="fp8", name="FP8", bytes_per_element=1, bits=8, latent_bytes={576: 656}, sources={"": SOURCE}),
        KvFormat(id="fp8-head", name="FP8 per head", bytes_per_element=1, per_head_bytes=4, bits=8),
        KvFormat(id="q8_0", name="Q8_0", bytes_per_element=1.0625, bits=8),
        KvFormat(id="nvfp4", name="NVFP4", bytes_per_element=0.5625, bits=4),
    ]


def engines() -> list[Engine]:
    everywhere = tuple(DeviceFamily)
    return [
        Engine(
            id="vllm", name="vLLM", group="serving", allocator=Allocator.VLLM, weight_formats=("fp16", "fp8", "nvfp4"),
            kv_formats=("fp16", "fp8", "fp8-head", "nvfp4"),
            families=(DeviceFamily.NVIDIA_GDDR, DeviceFamily.NVIDIA_HBM, DeviceFamily.NVIDIA_UNIFIED),
            memory_share=0.92, runtime_bytes=3_000_000_000, prefill_chunk=8192, sources={"": SOURCE},
        ),
        Engine(
            id="llama.cpp", name="llama.cpp", group="llama.cpp", allocator=Allocator.LLAMA_CPP,
            weight_formats=("q4_k_m", "fp16"), kv_formats=("fp16",), families=everywhere,
            runtime_bytes=1_000_000_000, prefill_chunk=512, block_tokens=1, tensor_parallel=False,
            containers=("safetensors", "gguf"),
        ),
        Engine(
            id="mlx", name="MLX", group="mlx", allocator=Allocator.MLX, weight_formats=("fp16",), kv_formats=("fp16",),
            families=(DeviceFamily.APPLE,), runtime_bytes=1_000_000_000, prefill_chunk=2048, block_tokens=1,
        ),
        Engine(
            id="sglang", name="SGLang", group="serving", allocator=Allocator.SGLANG, weight_formats=("fp16", "fp8"),
            kv_formats=("fp16", "fp8"), families=everywhere, memory_share=0.88, runtime_bytes=500_000_000,
            prefill_chunk=8192, block_tokens=1,
        ),
        Engine(
            id="tensorrt-llm", name="TensorRT-LLM", group="serving", allocator=Allocator.TENSORRT_LLM,
            weight_formats=("fp16", "fp8"), kv_formats=("fp16", "fp8"), families=everywhere, memory_share=0.9,
            runtime_bytes=1_650_000_000, prefill_chunk=8192, block_tokens=32,
        ),
        Engine(
            id="generic", name="Generic", group="serving", weight_formats=("fp16", "fp8"), kv_formats=("fp16", "fp8"),
            families=everywhere, memory_share=0.9, runtime_bytes=2_500_000_000, prefill_chunk=8192,
        ),
    ]  # fmt: skip


def blueprints() -> dict[str, Blueprint]:
    """Models whose figures are easy to follow: a dense one, a hybrid mixture, one with windows, one with MLA."""
    kinds = TensorClass
    return {
        "dense-70b": Blueprint(
            "Dense 70B", "llama", 80, 8192, 128_256,
            {kinds.EMBEDDING: 1_050_673_152, kinds.HEAD: 1_050_673_152, kinds.ATTENTION: 12_079_595_520,
             kinds.FEED_FORWARD: 56_371_445_760, kinds.NORM: 1_318_912},
            (AttentionGroup(AttentionKind.FULL, 80, 64, 8, 128, 128),), trained_context=131_072,
        ),
        "dense-405b": Blueprint(
            "Dense 405B", "llama", 126, 16_384, 128_256,
            {kinds.EMBEDDING: 2_101_346_304, kinds.HEAD: 2_101_346_304, kinds.ATTENTION: 71_873_593_344,
             kinds.FEED_FORWARD: 329_772_957_696, kinds.NORM: 4_145_152},
            (AttentionGroup(AttentionKind.FULL, 126, 128, 8, 128, 128),), trained_context=131_072,
        ),
        "hybrid-35b": Blueprint(
            "Qwen3.6-35B-A3B", "qwen3_5_moe", 40, 2048, 248_320,
            {kinds.EMBEDDING: 508_559_360, kinds.HEAD: 508_559_360, kinds.ATTENTION: 270_000_000,
             kinds.RECURRENT: 800_000_000, kinds.EXPERT: 32_212_254_720, kinds.SHARED_EXPERT: 125_829_120,
             kinds.ROUTER: 20_971_520, kinds.NORM: 200_000, kinds.VISION: 450_000_000, kinds.MTP: 840_000_000},
            (AttentionGroup(AttentionKind.FULL, 10, 16, 2, 256, 256),),
            recurrent=(RecurrentGroup(RecurrentKind.GATED_DELTANET, 30, 32, 128, 128, 24_576, 524_288),),
            moe=MixtureOfExperts(40, 256, 8, 3_145_728), trained_context=262_144,
            quantisation=Quantisation("modelopt", "nvfp4", {
                kinds.EMBEDDING: 16, kinds.HEAD: 4.5, kinds.ATTENTION: 8, kinds.RECURRENT: 8, kinds.EXPERT: 4.5,
                kinds.SHARED_EXPERT: 4.5, kinds.ROUTER: 16, kinds.NORM: 16, kinds.VISION: 16, kinds.MTP: 16},
                cache="fp8"),
        ),
        "windowed": Blueprint(
            "Windowed 12B", "gemma3", 48, 3840, 262_144,
            {kinds.EMBEDDING: 1_006_632_960, kinds.ATTENTION: 3_000_000_000, kinds.FEED_FORWARD: 8_000_000_000,
             kinds.NORM: 700_000},
            (AttentionGroup(AttentionKind.FULL, 8, 16, 8, 256, 256),
             AttentionGroup(AttentionKind.WINDOW, 40, 16, 8, 256, 256, window=1024)),
            tied_embedding=True, trained_context=131_072,
        ),
        "latent": Blueprint(
            "Latent 671B", "deepseek_v3", 61, 7168, 129_280,
            {kinds.EMBEDDING: 926_679_040, kinds.HEAD: 926_679_040, kinds.ATTENTION: 11_000_000_000,
             kinds.EXPERT: 654_000_000_000, kinds.FEED_FORWARD: 1_200_000_000, kinds.NORM: 1_000_000},
            (AttentionGroup(AttentionKind.LATENT, 61, 128, 128, 192, 128, latent_dim=576),),
            moe=MixtureOfExperts(58, 256, 8, 44_040_192), trained_context=163_840,
        ),
        "compressed": Blueprint(
            "Compressed 284B", "deepseek_v4", 43, 4096, 129_280,
            {kinds.EMBEDDING: 529_530_880, kinds.HEAD: 529_530_880, kinds.ATTENTION: 5_000_000_000,
             kinds.EXPERT: 277_000_000_000, kinds.SHARED_EXPERT: 1_000_000_000, kinds.NORM: 500_000},
            tuple(
                AttentionGroup(AttentionKind.COMPRESSED, layers, 64, 1, 512, 512, window=128, latent_dim=512,
                               index_dim=128 if ratio == 4 else 0, index_top_k=512 if ratio == 4 else 0,
                               index_layers=layers if ratio == 4 else 0, compression=ratio)
                for layers, ratio in ((2, 0), (21, 4), (20, 128))
            ),
            moe=MixtureOfExperts(43, 256, 6, 25_165_824), trained_context=1_048_576,
        ),
        "latent-hybrid": Blueprint(
            "Latent hybrid 48B", "kimi_linear", 27, 2304, 163_840,
            {kinds.EMBEDDING: 377_487_360, kinds.HEAD: 377_487_360, kinds.ATTENTION: 400_000_000,
             kinds.RECURRENT: 1_000_000_000, kinds.EXPERT: 46_000_000_000},
            (AttentionGroup(AttentionKind.LATENT, 7, 32, 32, 192, 128, latent_dim=576),),
            recurrent=(RecurrentGroup(RecurrentKind.KDA, 20, 32, 128, 128, 36_864, 524_288),),
            moe=MixtureOfExperts(26, 256, 8, 7_077_888), trained_context=1_048_576,
        ),
        "ngrams": Blueprint(
            "With n-grams 20B", "qwen4_exp", 24, 2048, 151_936,
            {kinds.EMBEDDING: 311_164_928, kinds.NGRAM: 12_000_000_000, kinds.HEAD: 311_164_928,
             kinds.ATTENTION: 1_000_000_000, kinds.FEED_FORWARD: 6_000_000_000, kinds.NORM: 200_000_000},
            (AttentionGroup(AttentionKind.FULL, 24, 16, 4, 128, 128, index_dim=32, index_top_k=2048, index_layers=24,
                            index_heads=4),), trained_context=262_144,
        ),
        "encoder": Blueprint(
            "Encoder 4B", "qwen3", 36, 2560, 151_665, {kinds.EMBEDDING: 388_000_000, kinds.FEED_FORWARD: 3_633_000_000},
            (AttentionGroup(AttentionKind.ENCODER, 36, 32, 8, 128, 128),), tied_embedding=True,
        ),
    }  # fmt: skip


def small_catalogue(**changes: dict[str, Any]) -> Catalogue:
    """The whole of it; `changes` are records or blueprints by id that stand in place of these."""
    shapes = {**blueprints(), **changes.pop("blueprints", {})}
    tables: dict[str, dict[str, Any]] = {
        "devices": {d.id: d for d in devices()},
        "links": {link.id: link for link in links()},
        "models": {id: Model(id=id, name=b.name, config={}, sources={"": SOURCE}) for id, b in shapes.items()},
        "weight_formats": {f.id: f for f in weight_formats()},
        "kv_formats": {f.id: f for f in kv_formats()},
        "engines": {e.id: e for e in engines()},
    }
    for name, records in changes.items():
        tables[name] |= records
    return Catalogue("test", **tables, _blueprints=shapes)  # type: ignore[arg-type]

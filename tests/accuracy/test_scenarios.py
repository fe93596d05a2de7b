"""From records to scenarios: models, machines, engines, tasks."""

from typing import Any

import pytest

from core.architecture.blueprint import AttentionKind
from core.catalogue.records import LinkKind
from core.units import GIB
from tests.accuracy import field, machines, memory, models, throughput
from tests.accuracy.cases import shipped
from tests.accuracy.question import Question
from tests.accuracy.records import Record, Unusable
from tests.accuracy.throughput import Kind

SPEED: dict[str, Any] = {
    "id": "one",
    "model_id": "meta-llama/Llama-3.1-8B-Instruct",
    "device_id": "rtx-4090",
    "engine_id": "llama.cpp-vulkan",
    "date": "2026-05",
    "quant": "Q4_K_M",
    "weights_gib": 4.58,
    "kv_dtype": "f16",
    "n_gpus": 1,
    "workload": {"input_len": 0, "output_len": 128, "concurrency": 1, "context_depth": 4096},
    "metric": "decode_tok_s_per_user",
    "value": 100.0,
}
MEMORY: dict[str, Any] = {
    "id": "two",
    "model_id": "meta-llama/Llama-3.1-8B-Instruct",
    "device_id": "rtx-3090",
    "engine_id": "vllm",
    "weights_format": "bf16",
    "kv_dtype": "bf16",
    "gpu_memory_gib": 23.58,
    "gpu_memory_utilization": 0.95,
    "n_gpus": 1,
    "tp": 1,
    "max_model_len": 32768,
    "flags": {"max_num_batched_tokens": 2048},
    "observed": {"kv_gib_for_context": 4.0},
}


def speed(**changes: Any) -> Record:
    return Record("one", SPEED | changes)


def printed(**changes: Any) -> Record:
    return Record("two", MEMORY | changes)


def sized_speed(record: Record) -> Any:
    return throughput.speed_case(record, throughput.read_task(record)).sized()


# ---- engines and machines


@pytest.mark.parametrize(
    ("name", "engine", "back_end"),
    [
        ("vllm", "vllm", ""),
        ("vllm-rocm", "vllm", "rocm"),
        ("llama.cpp-cuda", "llama.cpp", "cuda"),
        ("llama.cpp-sycl", "llama.cpp", "sycl"),
        ("ik-llama.cpp-cuda", "ik-llama.cpp", "cuda"),
        ("gaudi-deepspeed", "gaudi-deepspeed", ""),
    ],
)
def test_engines(name: str, engine: str, back_end: str) -> None:
    found = machines.find_engine(Record("r", {"engine_id": name}), shipped())
    assert (found.id, found.back_end) == (engine, back_end)
    assert found.group == ("llama.cpp" if "llama" in name else "serving")


@pytest.mark.parametrize(
    ("engine", "date", "notes", "generation"),
    [
        ("vllm", "2024-11", "", "serving-2023"),
        ("vllm", "2025-03", "", ""),
        ("vllm", "", "", ""),
        ("llama.cpp-cuda", "2024-05", "", "flash-attention-off"),
        ("llama.cpp-cuda", "2025-03", "llama-bench fa=1", "flash-attention-asked"),
        ("llama.cpp-cuda", "2025-09", "llama-bench fa=1", ""),
        ("llama.cpp-cuda", "2025-09", "defaults (flash attention off)", "flash-attention-off"),
        ("llama.cpp-cuda", "2026-05..2026-08", "", ""),
        ("mlx", "2024", "", ""),
    ],
)
def test_generations(engine: str, date: str, notes: str, generation: str) -> None:
    record = Record("r", {"engine_id": engine, "date": date, "notes": notes})
    assert machines.find_engine(record, shipped()).generation == generation


def test_what_llama_cpp_is_not_told_it_splits_by_layers() -> None:
    engine = machines.find_engine(Record("r", {"engine_id": "llama.cpp"}), shipped())
    assert machines.read_spread(Record("r", {"n_gpus": 4, "tp": 1}), engine).plan.pipeline == 4


def test_copies_and_plans() -> None:
    engine = machines.find_engine(Record("r", {"engine_id": "vllm"}), shipped())
    both = {"n_gpus": 8, "parallelism": {"tp": 2, "pp": 2, "ep": 1, "dp": 2}}
    plan = machines.read_spread(Record("r", both), engine).plan
    assert (plan.tensor, plan.pipeline, plan.replicas) == (2, 2, 2)
    apart = machines.read_spread(Record("r", {"n_gpus": 4, "parallelism": {"tp": 1, "ep": 4, "dp": 4}}), engine).plan
    assert (apart.tensor, apart.attention_replicas, apart.expert, apart.replicas) == (1, 4, 4, 1)
    flagged = machines.read_spread(Record("r", {"n_gpus": 8, "dp": 8, "flags": {"expert_parallel": True}}), engine).plan
    assert (flagged.attention_replicas, flagged.expert) == (8, 8)
    for wrong in ({"n_gpus": 3, "tp": 2}, {"n_gpus": 4, "parallelism": {"tp": 4, "ep": 3}}):
        with pytest.raises(Unusable):
            machines.read_spread(Record("r", wrong), engine)


@pytest.mark.parametrize(
    ("text", "device", "kind"),
    [
        ("nvlink", "h100-sxm", LinkKind.NVLINK),
        ("xgmi", "mi300x", LinkKind.FABRIC),
        ("pcie", "rtx-4090", LinkKind.PCIE),
        ("thunderbolt-rdma", "mac-studio-m3-ultra-512", LinkKind.THUNDERBOLT),
        ("connectx7-200gbe-roce", "dgx-spark", LinkKind.NETWORK),
    ],
)
def test_links(text: str, device: str, kind: LinkKind) -> None:
    found = machines.find_link(text, shipped().device(device), shipped())
    assert found is not None
    assert shipped().link(found).kind is kind


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("connectx7-200gbe-roce", "dgx-spark-cx7"),
        ("200gbe", "dgx-spark-cx7"),
        ("200gbe-bond", machines.BY_SOCKETS),
        ("200 GbE, TCP", machines.BY_SOCKETS),
        ("200gbe-bond, RoCE", "dgx-spark-cx7"),
        ("10gbe, TCP", "ethernet-10g"),
    ],
)
def test_a_network_without_rdma_is_one_of_sockets(text: str, found: str) -> None:
    assert machines.find_link(text, shipped().device("dgx-spark"), shipped()) == found


def test_no_link_is_left_to_the_core() -> None:
    assert machines.find_link("", shipped().device("h100-sxm"), shipped()) is None


# ---- models


def test_layers_with_and_without_window() -> None:
    shape = {
        "layers": {"full_attention": 8, "sliding_window": 40},
        "kv_heads": 1,
        "head_dim_k": 512,
        "head_dim_v": 512,
        "window": 1024,
        "sliding_kv_heads": 8,
        "sliding_head_dim_k": 256,
    }
    groups = shipped().blueprint(models.find_model(Record("r", {"geometry": shape}), shipped())).attention
    found = {g.kind: (g.layers, g.kv_heads, g.key_dim) for g in groups}
    assert found == {AttentionKind.FULL: (8, 1, 512), AttentionKind.WINDOW: (40, 8, 256)}


def test_layers_with_a_latent_cache() -> None:
    shape = {"layers": {"latent_attention": 6, "linear_attention": None}, "latent_values_per_token": 576}
    blueprint = shipped().blueprint(models.find_model(Record("r", {"geometry": shape}), shipped()))
    assert [(g.kind, g.layers, g.latent_dim) for g in blueprint.attention] == [(AttentionKind.LATENT, 6, 576)]


@pytest.mark.parametrize(
    "shape",
    [
        {"layers": {}},
        {"layers": {"full_attention": 2}},
        {"layers": {"wheels": 4}},
        {"layers": {"full_attention": 2}, "kv_heads": 2, "head_dim_k": 8, "head_dim_v": 4},
        [],
    ],
)
def test_a_shape_that_says_too_little_is_refused(shape: Any) -> None:
    with pytest.raises(Unusable):
        models.find_model(Record("r", {"geometry": shape}), shipped())


def test_the_weights_are_as_large_as_the_stated_file() -> None:
    sizing = sized_speed(speed())
    assert sizing.trace["memory_item.weights"] == pytest.approx(4.58 * GIB, rel=0.002)


@pytest.mark.parametrize(("quant", "gib"), [("fp8", 9.1), ("nvfp4", 6.0), ("UD-Q4_K_XL", 4.9), ("bf16", 16.0)])
def test_so_are_those_of_other_formats(quant: str, gib: float) -> None:
    engine = "llama.cpp-cuda" if quant.startswith("UD") else "vllm"
    sizing = sized_speed(speed(quant=quant, weights_gib=gib, engine_id=engine))
    assert sizing.trace["memory_item.weights"] == pytest.approx(gib * GIB, rel=0.01)


def test_a_file_that_cannot_be_this_model_is_refused() -> None:
    with pytest.raises(Unusable, match="size of the file"):
        sized_speed(speed(weights_gib=400.0))


# ---- what was measured


@pytest.mark.parametrize(
    ("metric", "work", "kind", "key"),
    [
        ("decode_tok_s_per_user", {"concurrency": 1}, Kind.DECODE, "decode_tok_s"),
        ("tpot_ms", {"concurrency": 1}, Kind.DECODE, "decode_tok_s"),
        ("tpot_ms", {"concurrency": 8}, Kind.TIME_PER_TOKEN, "decode_tok_s"),
        ("ttft_ms", {"concurrency": 1}, Kind.PREFILL, "ttft_s"),
        ("ttft_ms", {"concurrency": 8}, Kind.FIRST_TOKEN, "ttft_s"),
        ("prefill_tok_s", {"concurrency": 1}, Kind.PREFILL, "prefill_tok_s"),
        ("output_tok_s_total", {"concurrency": 8}, Kind.TOTAL, "output_tok_s_total"),
        ("output_tok_s_total", {"concurrency": 8, "context_depth": 512}, Kind.TOTAL, "decode_tok_s"),
        ("output_tok_s_total", {}, Kind.SATURATED, "saturated_tok_s_total"),
    ],
)
def test_tasks(metric: str, work: dict[str, int], kind: Kind, key: str) -> None:
    task = throughput.read_task(Record("r", {"metric": metric, "workload": work}))
    assert (task.kind, task.key) == (kind, key)


def test_a_figure_that_includes_the_prompt() -> None:
    record = speed(notes="latency includes prefill", workload={"input_len": 1024, "output_len": 128, "concurrency": 1})
    assert throughput.read_task(record).key == "output_tok_s_total"


@pytest.mark.parametrize("wrong", [{"metric": "furlongs"}, {"metric": "tpot_ms"}, {"spec_decode": True}])
def test_what_cannot_be_told_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(Unusable):
        throughput.read_task(Record("r", {"workload": {}} | wrong))


def test_depth_is_that_of_the_measurement() -> None:
    sizing = sized_speed(speed())
    assert sizing.trace["workload.depth_tokens"] == pytest.approx(4096, abs=1)
    assert sizing.engine.back_end == "vulkan"


def test_requests_that_are_sent_together_wait_longer() -> None:
    work = {"input_len": 1024, "output_len": 128, "concurrency": 8}
    burst, steady = (
        sized_speed(speed(metric="ttft_ms", workload=work, notes=notes)).trace["ttft_s"]
        for notes in ("burst: all requests sent at once", "closed loop")
    )
    assert burst > 1.2 * steady


def test_a_prompt_on_top_of_a_depth() -> None:
    work = {"input_len": 512, "output_len": 0, "concurrency": 1, "context_depth": 8192}
    sizing = sized_speed(speed(metric="prefill_tok_s", workload=work))
    assert sizing.trace["prompt.new_tokens"] == pytest.approx(512, rel=1e-6)
    assert sizing.trace["prompt.cached_tokens"] == pytest.approx(8192, rel=1e-6)


@pytest.mark.parametrize(("flags", "share"), [("-ngl 17", 0.5), ("-ngl 0", 1.0), ("-ngl 99", 0.0)])
def test_layers_on_the_processor(flags: str, share: float) -> None:
    offload = {"flags": flags, "ram": "quad-channel DDR4, ~100 GB/s"}
    work = {"input_len": 16, "output_len": 16, "concurrency": 1}
    sizing = sized_speed(speed(offload=offload, workload=work))
    in_layers = sum(sizing.trace[f"weights_bytes.{kind}"] for kind in ("attention", "feed_forward", "norm"))
    if flags == "-ngl 0":  # the head goes with the last layer
        in_layers += sizing.trace["weights_bytes.head"]
    assert sizing.trace["spill.weights_bytes"] / in_layers == pytest.approx(share, abs=0.02)
    assert sizing.trace["tier.1.bandwidth_bytes_per_s"] == 100e9


def test_unknown_offload_is_refused() -> None:
    with pytest.raises(Unusable, match="offload flags"):
        sized_speed(speed(offload={"flags": "--magic"}))


# ---- memory and questions


def test_the_cache_of_a_request() -> None:
    outcome = memory.compare([printed()])
    assert [(r.metric, r.p50) for r in outcome.results] == [("kv_gib_for_context", 4.0)]


def test_a_printed_room_is_taken_as_it_is() -> None:
    outcome = memory.compare([printed(observed={"available_kv_gib": 2.0, "kv_tokens": 16384, "max_concurrency": 0.5})])
    found = {r.metric: r.p50 for r in outcome.results}
    assert found["kv_tokens"] == pytest.approx(16384)
    assert found["max_concurrency"] == pytest.approx(0.5)
    assert found["available_kv_gib"] != 2.0


def test_a_worker_that_chooses_no_words_prints_more_room() -> None:
    """vLLM 0.7 on two accelerators: the first rank alone holds the scores of all words."""
    printed_room = {"available_kv_gib": 1.0, "kv_gib_for_context": 2.0}
    pair = {"n_gpus": 2, "tp": 2, "engine_version": "0.7.2", "date": "2025-02"}
    with_account = printed(**pair, observed=printed_room | {"activation_peak_gib": 0.2})
    found = {r.metric: r.p50 for r in memory.compare([with_account]).results}
    alone = {r.metric: r.p50 for r in memory.compare([printed(**pair, observed=printed_room)]).results}
    assert found["available_kv_gib"] > alone["available_kv_gib"] + 1
    assert found["activation_peak_gib"] < 1
    later = printed(**pair | {"engine_version": "0.9.2"}, observed=printed_room | {"activation_peak_gib": 0.2})
    assert next(r.p50 for r in memory.compare([later]).results if r.metric == "activation_peak_gib") > 1


def test_more_modules_than_a_machine_joins_stand_in_several() -> None:
    """NVLink joins eight A100; a room of sixteen has buffers of NVLink, not of PCIe."""
    a100 = shipped().device("a100-80gb-sxm")
    assert [machines.machines_of(a100, count, shipped()) for count in (1, 8, 12, 16)] == [1, 1, 1, 2]
    assert machines.machines_of(shipped().device("rtx-3090"), 16, shipped()) == 1


def test_a_draft_model_that_the_record_names() -> None:
    """28 layers of 8 heads of 128 beside 32 of the same: 3.5 GiB more at 32,768 tokens."""
    named = printed(model="Llama 3.1 8B + Llama-3.2-3B draft", observed={"kv_gib_for_context": 7.5})
    assert [r.p50 for r in memory.compare([named]).results] == [pytest.approx(7.5, rel=1e-3)]


def test_a_described_state_is_split_like_that_of_kimi() -> None:
    layers = {"latent_attention": 6, "linear_attention": None}
    shape = {"layers": layers, "latent_values_per_token": 576, "state_bytes_per_slot": 53_000_000}
    observed = {"mamba_slots": 100, "conv_state_gib": 0.17, "ssm_state_gib": 4.77}
    record = printed(model_id=None, geometry=shape, engine_id="sglang", observed=observed)
    found = {r.metric: r.p50 for r in memory.compare([record]).results}
    assert found == {"conv_state_gib": 0.17, "ssm_state_gib": 4.77}  # 18 bytes of 530, and 512


def test_a_printed_figure_without_a_rule_is_skipped() -> None:
    skipped = memory.compare([printed(observed={"wheels": 4, "n_seqs": 1})]).skipped
    assert [(s.metric, s.reason) for s in skipped] == [("wheels", "no rule predicts this figure")]


def test_without_device_and_format_only_the_cache_is_told() -> None:
    observed = {"available_kv_gib": 1.0, "weights_gib_per_gpu": 1.0, "kv_gib_for_context": 4.0}
    record = printed(device_id=None, gpu_memory_gib=None, weights_format="not stated", observed=observed)
    outcome = memory.compare([record])
    assert [(r.metric, r.kind) for r in outcome.results] == [
        ("weights_gib_per_gpu", "weights, format not stated"),  # by the usual one, apart from the others
        ("kv_gib_for_context", "cache"),
    ]
    assert [s.metric for s in outcome.skipped] == ["available_kv_gib"]


def test_a_question() -> None:
    at = {"context": 32768, "kv_dtype": "fp16"}
    expects = [
        {"figure": "kv_gib_for_context", "value": 4.0, "tolerance": 0.01, "at": at},
        {"figure": "kv_gib_for_context", "value": 8.0, "tolerance": 0.01, "at": {"context": 65536}},
        {"figure": "fits", "value": True},
        {"figure": "winner", "value": "nobody"},
        {"figure": "kv_gib_for_context", "value": 8.0, "at": {"moon": "full"}},
    ]
    record = {**MEMORY, "inputs": {"model": "Llama-3.1-8B bf16", "context": 4096}, "expects": expects}
    outcome = field.compare([Record("q", record)])
    assert [r.metric for r in outcome.results] == ["kv_gib_for_context", "kv_gib_for_context#2", "fits"]
    assert all(map(field.within, outcome.results))
    assert [s.metric for s in outcome.skipped] == ["winner", "kv_gib_for_context#3"]


def test_a_network_joins_machines() -> None:
    base = {
        "model_id": "meta-llama/Meta-Llama-3-70B", "device_id": "gh200-96gb", "engine_id": "vllm", "device_count": 1,
    }  # fmt: skip
    joined = Question(Record("q", base), Record("q", {"machines": 2, "link": "100 Gb/s"})).case().scenario.deployment
    assert (joined.count, joined.nodes, joined.link) == (1, 2, "ethernet-100g")
    with pytest.raises(Unusable, match="no network such as “7 Gb/s”"):
        Question(Record("q", base), Record("q", {"machines": 2, "link": "7 Gb/s"})).case()

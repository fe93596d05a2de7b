"""The shipped catalogue: figures of the systems that the founding article names, names, search, precision."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import RESOURCES
from core.architecture.blueprint import TensorClass
from core.catalogue.catalogue import Catalogue
from core.catalogue.loading import load_shipped
from core.catalogue.naming import words_of
from core.catalogue.precision import compose_bits, file_bytes
from core.catalogue.records import Confidence, DeviceFamily, DeviceKind, ModelRole
from core.catalogue.tables import Table
from core.errors import CatalogueError
from core.trace import OriginKind


def bandwidth(catalogue: Catalogue, device: str, tier: int = 0) -> float:
    return catalogue.device(device).memory_tiers[tier].bandwidth_bytes_per_s


# ---- claims of the founding article that the catalogue alone answers (numbers as in the acceptance map)


def test_a14_bandwidth_differs_thirtyfold(catalogue: Catalogue) -> None:
    assert bandwidth(catalogue, "gb300") / bandwidth(catalogue, "dgx-spark") == pytest.approx(29.3, rel=0.05)


def test_a22_spark_reads_273_gb_per_second(catalogue: Catalogue) -> None:
    tier = catalogue.device("dgx-spark").memory_tiers[0]
    assert (tier.capacity_bytes, tier.bandwidth_bytes_per_s, tier.usable_bytes) == (128 * 10**9, 273e9, 116 * 10**9)


def test_a24_nvl72_has_20_7_tb_of_hbm_and_a_second_tier(catalogue: Catalogue) -> None:
    rack = catalogue.device("gb300-nvl72")
    hbm, lpddr = rack.memory_tiers
    assert rack.kind is DeviceKind.RACK
    assert rack.accelerators * hbm.capacity_bytes == 20_736_000_000_000
    assert rack.accelerators * lpddr.capacity_bytes == pytest.approx(17e12, rel=1e-9)
    assert hbm.usable_bytes == 284_208 * 2**20


def test_a25_a26_a28_a76_station_as_in_the_article(catalogue: Catalogue) -> None:
    station = catalogue.device("dgx-station-gb300-article")
    hbm, lpddr = station.memory_tiers
    assert (hbm.capacity_bytes, hbm.bandwidth_bytes_per_s) == (288 * 10**9, 8e12)
    assert (lpddr.capacity_bytes, lpddr.bandwidth_bytes_per_s) == (496 * 10**9, 396e9)
    assert station.capacity_bytes == 784 * 10**9


def test_station_as_sold(catalogue: Catalogue) -> None:
    hbm, lpddr = catalogue.device("dgx-station-gb300").memory_tiers
    assert (hbm.capacity_bytes, hbm.bandwidth_bytes_per_s) == (252 * 10**9, 7.1e12)
    assert (lpddr.capacity_bytes, lpddr.bandwidth_bytes_per_s) == (496 * 10**9, 396e9)


def test_a65_nvl72_link_is_one_domain_of_130_tb_per_second(catalogue: Catalogue) -> None:
    rack = catalogue.device("gb300-nvl72")
    link = catalogue.link(rack.links[0])
    assert (link.id, link.max_domain, link.switched) == ("gb300-nvl72-nvlink5", 72, True)
    assert link.domain_bytes_per_s_bidirectional == 129.6e12


@pytest.mark.parametrize(
    ("device", "link", "both_ways", "domain"),
    [
        ("b200-sxm", "nvlink5-b200-b300-sxm", 1.8e12, 8),  # a66
        ("b300-sxm", "nvlink5-b200-b300-sxm", 1.8e12, 8),  # a66
        ("h100-sxm", "nvlink4-h100-h200-sxm", 900e9, 8),  # a68
        ("h200-sxm", "nvlink4-h100-h200-sxm", 900e9, 8),  # a68
        ("h200-nvl", "nvlink4-bridge-h200-nvl", 900e9, 4),  # a69
        ("h100-pcie", "nvlink4-bridge-h100-pcie", 600e9, 2),  # a71
        ("rtx-pro-6000-server", "pcie-gen5-x16", 128e9, None),  # a73
    ],
)
def test_best_link_of_a_device(
    catalogue: Catalogue, device: str, link: str, both_ways: float, domain: int | None
) -> None:
    best = catalogue.link(catalogue.device(device).links[0])
    assert (best.id, best.bytes_per_s_bidirectional, best.max_domain) == (link, both_ways, domain)


def test_cards_with_a_bridge_fall_back_to_pcie(catalogue: Catalogue) -> None:
    for device in ("h200-nvl", "h100-pcie", "rtx-3090"):
        assert catalogue.device(device).links[-1].startswith("pcie-gen")
    assert catalogue.device("rtx-4060").links == ("pcie-gen4-x8",)


def test_a70_h200_nvl_reads_as_fast_as_sxm(catalogue: Catalogue) -> None:
    assert bandwidth(catalogue, "h200-nvl") == bandwidth(catalogue, "h200-sxm") == 4.8e12


def test_a72_h100_sxm_reads_1_675_times_as_fast_as_pcie(catalogue: Catalogue) -> None:
    assert bandwidth(catalogue, "h100-sxm") / bandwidth(catalogue, "h100-pcie") == pytest.approx(1.675, rel=0.01)


def test_a74_pcie_is_seven_times_slower_than_nvlink_4(catalogue: Catalogue) -> None:
    nvlink, pcie = catalogue.link("nvlink4-h100-h200-sxm"), catalogue.link("pcie-gen5-x16")
    assert nvlink.bytes_per_s_bidirectional / pcie.bytes_per_s_bidirectional == pytest.approx(7.03, rel=0.02)
    assert pcie.bytes_per_s_per_direction == 63e9  # after encoding


def test_a75_c2c_joins_cpu_and_gpu_only(catalogue: Catalogue) -> None:
    link = catalogue.link("nvlink-c2c")
    assert (link.bytes_per_s_bidirectional, link.max_domain) == (900e9, 1)


def test_a77_a94_two_sparks(catalogue: Catalogue) -> None:
    pair = catalogue.device("dgx-spark-x2")
    assert (pair.accelerators, pair.capacity_bytes) == (2, 256 * 10**9)
    assert pair.memory_tiers[0].usable_bytes == 116 * 10**9
    assert pair.memory_tiers[0].bandwidth_bytes_per_s == 273e9
    assert catalogue.link(pair.links[0]).id == "dgx-spark-cx7"
    assert catalogue.link("dgx-spark-cx7").bytes_per_s_per_direction == 25e9


def test_a90_sxm_draws_twice_the_power(catalogue: Catalogue) -> None:
    sxm, pcie = catalogue.device("h100-sxm").tdp_w, catalogue.device("h100-pcie").tdp_w
    assert (sxm, pcie) == (700, 350)


# ---- devices


def test_usable_memory_prefers_what_software_reports(catalogue: Catalogue) -> None:
    tier = catalogue.device("rtx-pro-6000-ws").memory_tiers[0]
    assert (tier.capacity_bytes, tier.usable_bytes) == (96 * 10**9, round(94.97 * 2**30))


def test_figures_of_a_system_are_those_of_one_accelerator(catalogue: Catalogue) -> None:
    node, card = catalogue.device("hgx-h100-8"), catalogue.device("h100-sxm")
    assert node.memory_tiers[0].usable_bytes == card.memory_tiers[0].usable_bytes
    assert node.peak_flops["fp8"] == card.peak_flops["fp8"] == 1979e12
    assert (node.execution_units, node.tdp_w, node.system_power_w) == (132, 700, 10_200)


def test_accelerator_of_a_system(catalogue: Catalogue) -> None:
    one = catalogue.accelerator("gb300-nvl72")
    assert (one.accelerators, one.id, one.accelerator_id, one.price) == (1, "gb300-nvl72", "gb300", None)
    card = catalogue.device("h200-nvl")
    assert catalogue.accelerator(card) is card


def test_geforce_has_both_fp16_rates(catalogue: Catalogue) -> None:
    peak = catalogue.device("rtx-4090").peak_flops
    assert (peak["fp16"], peak["fp16_fp16_accumulate"]) == (165.2e12, 330.3e12)


def test_sustained_clock_is_kept_beside_boost(catalogue: Catalogue) -> None:
    device = catalogue.device("h200-sxm")
    assert (device.clock_hz, device.boost_clock_hz) == (1.83e9, 1.98e9)


@pytest.mark.parametrize(
    ("device", "family", "architecture"),
    [
        ("rtx-5090", DeviceFamily.NVIDIA_GDDR, "blackwell"),
        ("b200-sxm", DeviceFamily.NVIDIA_HBM, "blackwell-dc"),
        ("a100-80gb-sxm", DeviceFamily.NVIDIA_HBM, "ampere-dc"),
        ("a40", DeviceFamily.NVIDIA_GDDR, "ampere"),
        ("dgx-spark", DeviceFamily.NVIDIA_UNIFIED, "gb10"),
        ("dgx-station-gb300", DeviceFamily.NVIDIA_HBM, "blackwell-dc"),
        ("mi300x", DeviceFamily.AMD_CDNA, "cdna3"),
        ("radeon-ai-pro-r9700", DeviceFamily.AMD_RDNA, "rdna4"),
        ("ryzen-ai-max-395-128gb", DeviceFamily.AMD_APU, "rdna3.5"),
        ("mac-studio-m3-ultra-512", DeviceFamily.APPLE, "m3"),
        ("arc-pro-b60", DeviceFamily.INTEL, "xe2"),
        ("epyc-9005-2s", DeviceFamily.CPU, "zen5"),
    ],
)
def test_family_and_architecture(catalogue: Catalogue, device: str, family: DeviceFamily, architecture: str) -> None:
    record = catalogue.device(device)
    assert (record.family, record.architecture) == (family, architecture)


def test_price_has_a_range_a_date_and_sources(catalogue: Catalogue) -> None:
    device = catalogue.device("rtx-pro-6000-ws")
    assert device.price is not None
    assert (int(device.price.low), int(device.price.high), device.price.as_of) == (8565, 16000, "2026-08")
    source = device.source_of("price")
    assert source is not None
    assert source.address.startswith("https://www.tomshardware.com/")


def test_source_of_a_figure_inside_a_group(catalogue: Catalogue) -> None:
    device = catalogue.device("rtx-pro-6000-ws")
    usable = device.source_of("memory_tiers.0.usable_bytes")
    speed = device.source_of("memory_tiers.0.bandwidth_bytes_per_s")
    assert usable is not None
    assert speed is not None
    assert (usable.confidence, speed.confidence) == (Confidence.MEASURED, Confidence.TWO_SOURCES)
    assert "94.97 GiB" in usable.note
    assert len(speed.checks) == 2


def test_origin_names_record_and_source(catalogue: Catalogue) -> None:
    origin = catalogue.origin(catalogue.device("dgx-spark"), "memory_tiers.0.bandwidth_bytes_per_s")
    assert origin.kind is OriginKind.CATALOGUE
    assert (origin.record, origin.confidence, origin.date) == ("devices/dgx-spark", "two_sources", "2026-10-05")
    assert origin.address == "https://www.nvidia.com/en-us/products/workstations/dgx-spark/"


# ---- links


def test_measured_all_reduce_constants(catalogue: Catalogue) -> None:
    costs = {cost.ranks: cost for cost in catalogue.link("nvlink4-h100-h200-sxm").all_reduce_costs()}
    assert {n: (c.alpha_s, c.beta_bytes_per_s, c.bus_bytes_per_s, c.measured) for n, c in costs.items()} == {
        2: (4.2e-6, 110e9, 167e9, True),
        4: (4.6e-6, 60e9, 178e9, True),
        8: (4.9e-6, 36e9, 234e9, True),
    }
    assert not any(cost.measured for cost in catalogue.link("thunderbolt-5").all_reduce)


def test_a_family_has_its_own_all_reduce_cost(catalogue: Catalogue) -> None:
    link = catalogue.link("pcie-gen5-x8")
    assert {c.alpha_s for c in link.all_reduce_costs(DeviceFamily.INTEL)} == {76e-6, 78e-6, 81e-6}
    assert all(c.family is None for c in link.all_reduce_costs(DeviceFamily.NVIDIA_GDDR))
    assert len(link.all_reduce_costs(DeviceFamily.NVIDIA_GDDR)) == 3


def test_measured_tables_stand_on_link_and_device(catalogue: Catalogue) -> None:
    tables = [(link.id, table) for link in catalogue.links.values() for table in link.tables]
    assert len(tables) == 28
    assert len({id for id, _ in tables}) == 7
    [table] = [t for id, t in tables if id == "nvlink3" and t.library == "NCCL"]
    point = next(p for p in table.points if p.ranks == 8 and p.message_bytes == 8192)
    assert (table.device, point.seconds) == ("a100-80gb-sxm", 21.27e-6)


# ---- names and search


def test_names_in_any_case(catalogue: Catalogue) -> None:
    assert catalogue.device("rtx pro 6000").id == "rtx-pro-6000-ws"
    assert catalogue.device("GB10").id == "dgx-spark"
    assert catalogue.device("H100").id == "h100-sxm"
    assert catalogue.engine("Ollama").id == "llama.cpp"
    assert catalogue.weight_format("q4_k_m").id == "Q4_K_M"
    assert catalogue.kv_format("BF16").id == "fp16"
    assert catalogue.model("qwen3:32b").id == "Qwen/Qwen3-32B"
    assert catalogue.model("meta-llama/llama-3.1-405b-instruct").id == "meta-llama/Meta-Llama-3.1-405B"


def test_unknown_name_says_what_is_near(catalogue: Catalogue) -> None:
    with pytest.raises(CatalogueError, match=r"no device “h100-sxn”\. Closest: h100-sxm"):
        catalogue.device("h100-sxn")
    with pytest.raises(CatalogueError, match="no weight format “x”"):
        catalogue.weight_format("x")


@given(st.text(max_size=300))
def test_any_text_finds_something_or_nothing(catalogue: Catalogue, text: str) -> None:
    assert len(catalogue.search(text, limit=7)) <= 7


def test_search_ranks_what_begins_so_first(catalogue: Catalogue) -> None:
    found = [hit.entry.id for hit in catalogue.search("rtx pro 6000", [Table.DEVICES])]
    assert set(found[:3]) == {"rtx-pro-6000-ws", "rtx-pro-6000-server", "rtx-pro-6000-maxq"}
    assert catalogue.search("spark", [Table.DEVICES])[0].entry.id == "dgx-spark"
    assert catalogue.search("35B qwen3.6", [Table.MODELS])[0].entry.id == "Qwen/Qwen3.6-35B-A3B"
    assert catalogue.search("llama3170b", [Table.MODELS], limit=3)  # without separators


def test_search_for_nothing_lists_all(catalogue: Catalogue) -> None:
    assert len(catalogue.search("", [Table.DEVICES], limit=1000)) == len(catalogue.devices) == 145
    assert catalogue.search("no such thing anywhere") == []


def test_every_id_and_alias_finds_its_record(catalogue: Catalogue) -> None:
    for table in Table:
        for entry in catalogue.table(table).values():
            for name in (entry.id, *entry.aliases):
                assert catalogue.names.resolve(table, name.upper()) == entry.id


def test_words_of() -> None:
    assert words_of("  Qwen/Qwen3.6-35B_A3B ") == "qwen qwen3 6 35b a3b"


# ---- models


def test_loading_reads_no_blueprint() -> None:
    code = (
        "import sys; from core import RESOURCES; from core.catalogue.loading import load_shipped;"
        "load_shipped(RESOURCES / 'catalogue');"
        "sys.exit('core.architecture.config' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=RESOURCES.parent)


def test_blueprint_is_read_once(catalogue: Catalogue) -> None:
    first = catalogue.blueprint("Qwen/Qwen3.6-35B-A3B")
    assert first.total_parameters == pytest.approx(35_107_181_936, rel=0.005)
    assert catalogue.blueprint("qwen3.6 35b a3b") is first


def test_another_record_of_the_same_id_is_not_taken_for_the_one_that_is_held(catalogue: Catalogue) -> None:
    held = catalogue.model("Qwen/Qwen3-30B-A3B")
    other = held.model_copy(update={"config": {**held.config, "num_hidden_layers": 24}})
    fresh = load_shipped(RESOURCES / "catalogue")
    assert fresh.blueprint(other).layers == 24
    assert fresh.blueprint(held).layers == 48
    assert fresh.blueprint(other).layers == 24
    plain = fresh.bits(other, "fp8")
    assert fresh.bits(held, "fp8") == catalogue.bits("Qwen/Qwen3-30B-A3B", "fp8")
    assert plain == fresh.bits(other, "fp8")


def test_roles(catalogue: Catalogue) -> None:
    roles = {id: model.role for id, model in catalogue.models.items() if model.role is not ModelRole.GENERATOR}
    assert roles["Qwen/Qwen3-Embedding-4B"] is ModelRole.EMBEDDING
    assert roles["BAAI/bge-reranker-v2-m3"] is ModelRole.RERANKER
    assert len(roles) == 10


def test_a_successor_has_its_own_context(catalogue: Catalogue) -> None:
    assert catalogue.blueprint("Qwen/Qwen3-30B-A3B").trained_context == 40_960
    assert catalogue.blueprint("Qwen/Qwen3-30B-A3B-Instruct-2507").trained_context == 262_144


def test_models_without_config_are_named(catalogue: Catalogue) -> None:
    left = {entry.id: entry.reason for entry in catalogue.left_out}
    assert "no copy found" in left["ai21labs/AI21-Jamba-Large-1.7"]
    assert not left.keys() & catalogue.models.keys()
    with pytest.raises(CatalogueError, match=r"by name only: no copy found\. Import its config"):
        catalogue.model("ai21labs/ai21-jamba-large-1.7")


# ---- precision


def size_gb(catalogue: Catalogue, model: str, weights: str, without: tuple[TensorClass, ...] = ()) -> float:
    parameters = {k: n for k, n in catalogue.blueprint(model).parameters.items() if k not in without}
    return file_bytes(catalogue.bits(model, weights), parameters) / 1e9


def test_qwen36_nvfp4_is_23_4_gb(catalogue: Catalogue) -> None:
    for model in ("nvidia/Qwen3.6-35B-A3B-NVFP4", "Qwen/Qwen3.6-35B-A3B"):
        assert size_gb(catalogue, model, "nvfp4") == pytest.approx(23.41, rel=0.001)
        bits = catalogue.bits(model, "nvfp4")
        assert (bits[TensorClass.HEAD], bits[TensorClass.ATTENTION], bits[TensorClass.EMBEDDING]) == (4.5, 8, 16)


def test_llama_405b_nvfp4_is_234_gb(catalogue: Catalogue) -> None:
    assert size_gb(catalogue, "meta-llama/Meta-Llama-3.1-405B", "nvfp4") == pytest.approx(234, rel=0.002)


@pytest.mark.parametrize("weights", ["bf16", "fp8", "int4"])
def test_published_files_of_serving_formats(catalogue: Catalogue, weights: str) -> None:
    """Structure alone gives published file sizes within 0.1 % (vision and MTP as far as they are in the file)."""
    compared = 0
    for model in catalogue.models.values():
        published = catalogue.checkpoint(model, weights)
        if published is not None and published.file_bytes and published.weights == weights:
            if model.id.startswith("deepseek-ai/"):
                continue  # scales in FP32: 0.17 %
            assert size_gb(catalogue, model.id, weights) == pytest.approx(published.file_bytes / 1e9, rel=0.001)
            compared += 1
    assert compared >= 4


def test_gguf_mixtures_follow_from_one_file(catalogue: Catalogue) -> None:
    """Layer bits taken from Llama 3.1 8B give other dense files within 1 %, before their own size is used."""
    errors = []
    for model in ("Qwen/Qwen3-8B", "Qwen/Qwen3-32B", "meta-llama/Llama-3.1-70B-Instruct", "Qwen/Qwen2.5-7B-Instruct"):
        blueprint = catalogue.blueprint(model)
        for weights in ("Q4_K_M", "Q5_K_M", "Q6_K", "Q8_0"):
            published = catalogue.checkpoint(model, weights)
            assert published is not None
            assert published.file_bytes is not None
            usual = file_bytes(compose_bits(catalogue.weight_format(weights), blueprint), blueprint.parameters)
            errors.append(usual / published.file_bytes - 1)
    assert len(errors) == 16
    assert max(abs(error) for error in errors) < 0.004


def test_a_known_gguf_file_is_met_exactly(catalogue: Catalogue) -> None:
    without = (TensorClass.VISION, TensorClass.MTP)
    assert size_gb(catalogue, "zai-org/GLM-4.5-Air", "Q4_K_M", without) == pytest.approx(72.975748384, rel=1e-9)


def test_tied_embedding_has_the_bits_of_the_head(catalogue: Catalogue) -> None:
    bits = catalogue.bits("meta-llama/Llama-3.2-1B-Instruct", "Q4_K_M")
    assert bits[TensorClass.EMBEDDING] == bits[TensorClass.HEAD] == 6.5625


def test_rule_of_thumb_keeps_nothing(catalogue: Catalogue) -> None:
    assert set(catalogue.bits(None, "flat4").values()) == {4.0}
    assert set(catalogue.bits("openai/gpt-oss-20b", "flat4").values()) == {4.0}


def test_engine_chooses_the_kind_of_file(catalogue: Catalogue) -> None:
    assert catalogue.format_for("mxfp4", "llama.cpp").id == "mxfp4-gguf"
    assert catalogue.format_for("mxfp4", "vllm").id == "mxfp4"
    assert catalogue.format_for("flat4", "llama.cpp").id == "flat4"
    serving = catalogue.bits("openai/gpt-oss-20b", "mxfp4", "vllm")
    local = catalogue.bits("openai/gpt-oss-20b", "mxfp4", "llama.cpp")
    assert (serving[TensorClass.ATTENTION], local[TensorClass.ATTENTION]) == (16, 8.5)


def test_published_formats(catalogue: Catalogue) -> None:
    assert catalogue.published_formats("openai/gpt-oss-120b")[0] == "mxfp4"
    assert "nvfp4" in catalogue.published_formats("Qwen/Qwen3.6-35B-A3B")


def test_kv_formats(catalogue: Catalogue) -> None:
    assert [catalogue.kv_format(id).bytes_per_element for id in ("fp16", "fp8", "4bit", "nvfp4", "q8_0")] == [
        2,
        1,
        0.5,
        0.5625,
        1.0625,
    ]
    assert catalogue.kv_format("fp8_ds_mla").latent_bytes[576] == 656


def test_engines(catalogue: Catalogue) -> None:
    vllm, llama = catalogue.engine("vllm"), catalogue.engine("llama.cpp")
    assert (vllm.memory_share, vllm.block_tokens, vllm.prefill_chunk) == (0.92, 16, 8192)
    assert vllm.runtime_bytes == 2.5 * 2**30
    assert (llama.memory_share, llama.prefill_chunk) == (None, 512)
    assert "Q4_K_M" in llama.weight_formats
    assert "Q4_K_M" not in vllm.weight_formats
    assert catalogue.engine("mlx").families == (DeviceFamily.APPLE,)
    assert set(catalogue.engine("generic").weight_formats) == set(catalogue.weight_formats)


def test_what_people_call_a_device_is_short_and_names_it_alone(catalogue: Catalogue) -> None:
    called = [device.called for device in catalogue.devices.values()]
    assert len(set(called)) == len(called)
    apple = DeviceFamily.APPLE  # whose machines have no name but the long one
    assert max(len(one.called) for one in catalogue.devices.values() if one.family is not apple) <= 24
    assert catalogue.device("rtx-pro-6000-maxq").called == "RTX PRO 6000 Max-Q"
    assert catalogue.device("mi300x").model_copy(update={"short_name": ""}).called == "Instinct MI300X"

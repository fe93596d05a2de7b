"""What quantisers leave in 16 bit: parameters by class times bits, worked by hand, against published sizes."""

from dataclasses import replace

import pytest

from core.architecture.blueprint import TensorClass
from core.catalogue.catalogue import Catalogue
from core.catalogue.precision import file_bytes
from core.catalogue.recipes import quantisation_by
from core.units import GB, GIB

DENSE, MIXTURE, LARGE = "Qwen/Qwen3.6-27B", "Qwen/Qwen3.5-35B-A3B", "Qwen/Qwen3.5-122B-A10B"
GEMMA, KIMI, AIR = "google/gemma-4-26B-A4B", "moonshotai/Kimi-Linear-48B-A3B-Instruct", "zai-org/GLM-4.5-Air"
ATTENTION, RECURRENT, EXPERT = TensorClass.ATTENTION, TensorClass.RECURRENT, TensorClass.EXPERT
WITHOUT_PREDICTION, TEXT = (TensorClass.MTP,), (TensorClass.MTP, TensorClass.VISION)
POSITIONS = 4 * 262_144 * 64 * 2  # vLLM's table of sines and cosines, beside the weights


def size(
    catalogue: Catalogue, model: str, weights: str, repository: str, left: tuple[TensorClass, ...] = (), day: str = ""
) -> float:
    """Bytes of a checkpoint by the recipe of its publisher, without some classes."""
    record = catalogue.model(model)
    recipe = catalogue.recipe(record, catalogue.weight_format(weights), repository, day)
    assert recipe is not None
    made = quantisation_by(recipe, record)
    assert made is not None
    counts = {kind: n for kind, n in catalogue.blueprint(record).parameters.items() if kind not in left}
    return file_bytes(made.bits, counts)


@pytest.mark.parametrize(
    ("model", "weights", "repository", "left", "published"),
    [
        (DENSE, "nvfp4", "sakamakismile/Qwen3.6-27B-Text-NVFP4-MTP", (TensorClass.VISION,), 18.29 * GIB),
        ("Qwen/Qwen3.8-27B", "nvfp4", "RadixArk/Qwen3.8-27B-NVFP4", (), 20.42 * GIB),
        ("Qwen/Qwen3.8-27B", "nvfp4", "unsloth/Qwen3.8-27B-NVFP4", (), 23.4 * GB),
        (DENSE, "nvfp4", "AEON-7/Qwen3.6-27B-AEON-Ultimate-Uncensored-Multimodal-NVFP4-MTP", (), 28.6 * GB),
        ("Qwen/Qwen3.5-397B-A17B", "nvfp4", "lukealonso/Qwen3.5-397B-A17B-NVFP4", (), 233 * GIB),
        (GEMMA, "nvfp4", "RedHatAI/gemma-4-26B-A4B-it-NVFP4", (), 15.30 * GIB),
        (GEMMA, "int4", "cyankiwi/gemma-4-26B-A4B-it-AWQ-4bit", (), 16.0 * GIB),
        (KIMI, "int4", "cyankiwi/Kimi-Linear-48B-A3B-Instruct-AWQ-4bit", (), 28.44 * GIB),
        (AIR, "int4", "cyankiwi/GLM-4.5-Air-AWQ-4bit", WITHOUT_PREDICTION, 59.07 * GIB),
        (DENSE, "int4", "cyankiwi/Qwen3.6-27B-AWQ-INT4", (), 21.0 * GB),
        (DENSE, "int4", "Intel/Qwen3.6-27B-int4-AutoRound", (), 17.69 * GIB),
        (MIXTURE, "int4", "Intel/Qwen3.5-35B-A3B-int4-AutoRound", WITHOUT_PREDICTION, 19.3 * GIB),
        ("zai-org/GLM-5.2", "int4", "QuantTrio/GLM-5.2-Int4-Int8Mix", (), 405.5 * GB),
        (MIXTURE, "int8", "btbtyler09/Qwen3.5-35B-A3B-GPTQ-8bit", (), 40 * GIB),
        ("Qwen/Qwen3.8-Flash-Next", "nvfp4", "nvidia/Qwen3.8-Flash-Next-NVFP4", (), 123.5 * GIB),
        ("Qwen/Qwen3.8-Flash-Next", "nvfp4", "RadixArk/Qwen3.8-Flash-Next-NVFP4", (), 126 * GIB),
        (DENSE, "int4", "QuantTrio/Qwen3.6-27B-AWQ", TEXT, 18.70 * GIB),
        ("Qwen/Qwen3.6-35B-A3B", "int4", "QuantTrio/Qwen3.6-35B-A3B-AWQ", TEXT, 21.30 * GIB),
        ("Qwen/Qwen3.6-35B-A3B", "int4", "cyankiwi/Qwen3.6-35B-A3B-AWQ-4bit", TEXT, 21.9 * GIB),
        (MIXTURE, "int4", "cyankiwi/Qwen3.5-35B-A3B-AWQ-4bit", TEXT, 21.4 * GIB),
        ("Qwen/Qwen3.5-9B", "int8", "cyankiwi/Qwen3.5-9B-AWQ-BF16-INT8", TEXT, 12.19 * GIB - POSITIONS),
    ],
)
def test_published_sizes(
    catalogue: Catalogue, model: str, weights: str, repository: str, left: tuple[TensorClass, ...], published: float
) -> None:
    assert size(catalogue, model, weights, repository, left) == pytest.approx(published, rel=0.006)


def test_the_usual_recipe_of_llm_compressor_by_hand(catalogue: Catalogue) -> None:
    """Qwen3.5 122B: everything in 4.5 bit but words, head, linear attention, router, norms, tower and prediction."""
    quantised = 115_964_116_992 + 943_718_400 + 452_984_832  # experts, attention, shared experts
    counts = catalogue.blueprint(LARGE).parameters
    assert sum(counts[k] for k in (EXPERT, ATTENTION, TensorClass.SHARED_EXPERT)) == quantised
    whole = sum(counts.values())
    by_hand = quantised * 4.5 / 8 + (whole - quantised) * 2
    assert size(catalogue, LARGE, "nvfp4", "Sehyo/Qwen3.5-122B-A10B-NVFP4") == pytest.approx(by_hand, rel=1e-12)


def test_the_usual_recipe_of_modelopt_by_hand(catalogue: Catalogue) -> None:
    """Qwen3.6 27B: 48 layers have 2 x 5,120 x 48 weights of gates in 16 bit; the rest of the layers is NVFP4."""
    counts = catalogue.blueprint(DENSE).parameters
    layers = sum(counts[k] for k in (ATTENTION, RECURRENT, TensorClass.FEED_FORWARD))
    gates = 48 * 2 * 5_120 * 48
    by_hand = (layers - gates) * 4.5 / 8 + (sum(counts.values()) - layers + gates) * 2
    assert size(catalogue, DENSE, "nvfp4", "sakamakismile/Qwen3.6-27B-NVFP4") == pytest.approx(by_hand, rel=1e-12)
    assert size(catalogue, DENSE, "nvfp4", "AEON-7/Qwen3.6-27B-NVFP4-MTP-XS") == pytest.approx(by_hand, rel=1e-12)


def test_integers_of_mixtures_have_no_zero_points(catalogue: Catalogue) -> None:
    """Groups of 32: 16 bits of scale each, and for dense models 4 of a zero point."""
    counts = catalogue.blueprint(MIXTURE).parameters
    others = sum(n for kind, n in counts.items() if kind is not EXPERT)
    by_hand = counts[EXPERT] * (4 + 16 / 32) / 8 + others * 2
    for name in (
        "cyankiwi/Qwen3.5-35B-A3B-AWQ-4bit",
        "Qwen3.5-35B-A3B AWQ 4-bit",
        "btbtyler09/Qwen3.5-35B-A3B-GPTQ-4bit",
    ):
        assert size(catalogue, MIXTURE, "int4", name) == pytest.approx(by_hand, rel=1e-12)
    dense = catalogue.model("Qwen/Qwen3.5-9B")
    recipe = catalogue.recipe(dense, catalogue.weight_format("int4"), "cyankiwi/Qwen3.5-9B-AWQ-4bit")
    made = quantisation_by(recipe, dense) if recipe else None
    assert made is not None
    assert made.bits[ATTENTION] == 4 + 20 / 32


def test_groups_of_symmetric_integers(catalogue: Catalogue) -> None:
    """Qwen3.6 27B in vLLM 0.30: 16.83 GiB with groups of 128, 17.20 with 64, 17.88 with 32, by 16 bits for a group."""
    counts = catalogue.blueprint(DENSE).parameters
    quantised = sum(counts[k] for k in (ATTENTION, RECURRENT, TensorClass.FEED_FORWARD)) - 48 * 2 * 5_120 * 48
    usual = size(catalogue, DENSE, "int4", "groxaxo/Qwen3.6-27B-GPTQ-Pro-4bit", TEXT)
    assert size(catalogue, "Qwen/Qwen3.8-27B", "int4", "RedHatAI/Qwen3.8-27B-INT4", TEXT) == usual
    for name, group, loaded in (
        ("groxaxo/Qwen3.6-27B-GPTQ-Pro-4bit-g64-calib128", 64, 17.20),
        ("palmfuture/Qwen3.6-27B-GPTQ-Int4", 32, 17.88),
    ):
        more = size(catalogue, DENSE, "int4", name, TEXT) - usual
        assert more == pytest.approx(quantised * (16 / group - 16 / 128) / 8, rel=0.002)  # some of its convolutions
        assert more / GIB == pytest.approx(loaded - 16.83, abs=0.03)


def test_google_s_own_integers(catalogue: Catalogue) -> None:
    """Gemma 4 31B: groups of 32, the tied head once more in the file."""
    counts = catalogue.blueprint("google/gemma-4-31B-it").parameters
    whole = size(catalogue, "google/gemma-4-31B-it", "int4", "google/gemma-4-31B-it-qat-w4a16-ct")
    assert whole + 2 * counts[TensorClass.EMBEDDING] == pytest.approx(23.3 * GB, rel=0.006)


def test_a_publisher_made_checkpoints_anew(catalogue: Catalogue) -> None:
    """Until July 2026 with head and inputs of linear attention in 16 bit: 24.57 GiB; then in FP8: 23.4 GB."""
    name = "unsloth/Qwen3.6-27B-NVFP4"
    assert size(catalogue, DENSE, "nvfp4", name, day="2026-06-23") == pytest.approx(24.57 * GIB, rel=0.001)
    assert size(catalogue, DENSE, "nvfp4", name) == pytest.approx(23.4 * GB, rel=0.006)


def test_mxfp4_of_models_without_experts(catalogue: Catalogue) -> None:
    """Experts are what MXFP4 is for; where there are none, the layers."""
    bits = catalogue.bits("Qwen/Qwen3-32B", "mxfp4")
    assert (bits[ATTENTION], bits[TensorClass.FEED_FORWARD], bits[TensorClass.HEAD]) == (4.25, 4.25, 16)
    assert catalogue.bits(MIXTURE, "mxfp4")[ATTENTION] == 16


def test_formats_of_models_without_experts(catalogue: Catalogue) -> None:
    """Qwen3.6 27B: groups of 32 quantise the layers but gates of linear attention; bitsandbytes every linear layer."""
    counts = catalogue.blueprint(DENSE).parameters
    layers = sum(counts[k] for k in (ATTENTION, RECURRENT, TensorClass.FEED_FORWARD))
    others = sum(counts.values()) - layers
    gates = 48 * 2 * 5_120 * 48
    by_hand = (layers - gates) * 4.5 / 8 + (others + gates) * 2
    assert file_bytes(catalogue.bits(DENSE, "int4_g32"), counts) == pytest.approx(by_hand, rel=1e-12)
    assert file_bytes(catalogue.bits(DENSE, "nf4"), counts) == pytest.approx(layers * 4.5 / 8 + others * 2, rel=1e-12)
    assert catalogue.bits(MIXTURE, "int4_g32")[ATTENTION] == 16


def test_what_a_config_states_goes_before(catalogue: Catalogue) -> None:
    """NVIDIA's own Gemma 4 26B keeps everything but the experts; its record says so."""
    bits = catalogue.bits(GEMMA, "nvfp4")
    assert (bits[EXPERT], bits[ATTENTION], bits[TensorClass.FEED_FORWARD]) == (4.5, 16, 16)
    own = catalogue.model("nvidia/Gemma-4-26B-A4B-NVFP4")
    assert catalogue.bits(own, "nvfp4")[ATTENTION] == 16


def test_the_offer_follows_the_publisher_of_the_checkpoint(catalogue: Catalogue) -> None:
    """Of Qwen3.8 27B in NVFP4 only unsloth's is known: FP8 for attention and head, the last 8 of 64 MLPs too."""
    bits = catalogue.bits("Qwen/Qwen3.8-27B", "nvfp4")
    assert (bits[ATTENTION], bits[TensorClass.HEAD]) == (8, 8)
    assert bits[TensorClass.FEED_FORWARD] == pytest.approx((56 * 4.5 + 8 * 8) / 64)
    other = replace(catalogue, recipes=(), _bits={})
    assert other.bits("Qwen/Qwen3.8-27B", "nvfp4")[RECURRENT] == 16


def test_names_alone_are_no_publisher(catalogue: Catalogue) -> None:
    """A name without owner tells a tool only where the name does; a model's own repository tells none."""
    nvfp4, int4 = catalogue.weight_format("nvfp4"), catalogue.weight_format("int4")
    assert catalogue.recipe(catalogue.model(DENSE), nvfp4, "Qwen3.6-27B NVFP4") is None
    assert catalogue.recipe(catalogue.model(MIXTURE), int4, "Qwen3.5-35B-A3B-AWQ") is None
    assert catalogue.recipe(catalogue.model(DENSE), nvfp4, "") is None


def test_every_recipe_is_for_a_format_and_reads(catalogue: Catalogue) -> None:
    for recipe in catalogue.recipes:
        assert recipe.weights in catalogue.weight_formats
        assert recipe.source.date
        assert quantisation_by(recipe, catalogue.model(MIXTURE)) is not None
    assert len({recipe.id for recipe in catalogue.recipes}) == len(catalogue.recipes)

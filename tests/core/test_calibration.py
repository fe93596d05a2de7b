"""Parameters multiply; evidence says what was measured; the files agree with what they were derived from."""

import json
import math
from pathlib import Path

import pytest

from core import RESOURCES
from core.catalogue.calibration import Circumstances, back_end, load_calibration, shipped_calibration
from core.catalogue.records import DeviceFamily, Engine
from core.errors import CatalogueError
from tests.accuracy import coverage

SPARK = Circumstances(
    group="llama.cpp",
    engine="llama.cpp",
    back_end="llama.cpp-cuda",
    family="nvidia-unified",
    architecture="gb10",
    format_class="mxfp4",
    device="dgx-spark",
)
H200 = Circumstances(
    group="serving",
    engine="vllm",
    back_end="vllm",
    family="nvidia-hbm",
    architecture="hopper",
    format_class="fp8",
    device="h200-sxm",
)


def test_there_are_twenty_four_parameters() -> None:
    assert len(shipped_calibration().parameters) == 24


def test_multipliers_multiply() -> None:
    calibration = shipped_calibration()
    fitted = calibration.fitted(SPARK)
    for symbol in ("eta", "t_op"):
        parameter = calibration.parameters[symbol]
        matching = [
            m.factor
            for m in parameter.multipliers
            if all(getattr(SPARK, dimension) in values for dimension, values in m.on.items())
        ]
        assert fitted[symbol].value == pytest.approx(parameter.base * math.prod(matching))
    assert f"{calibration.parameters['eta'].base:g} × " in fitted["eta"].origin.title
    assert "(llama.cpp)" in fitted["eta"].origin.title


def test_a_share_never_exceeds_all() -> None:
    """However the factors of a combination that was never measured multiply."""
    parameter = shipped_calibration().parameters["mfu"]
    assert parameter.most == 1.0
    tripled = parameter.model_copy(update={"base": parameter.base * 30})
    calibration = load_calibration(RESOURCES / "calibration")
    calibration.parameters["mfu"] = tripled
    assert calibration.fitted(H200)["mfu"].value == 1.0


def test_what_kernels_and_engines_take_is_plausible() -> None:
    """The method's article has 5.0 us per kernel of a modern vLLM step on HBM, gaps included."""
    assert 2e-6 < shipped_calibration().fitted(H200)["t_op"].value < 8e-6


def test_what_was_never_seen_contributes_one() -> None:
    unknown = Circumstances("new", "new", "new", "new", "new", "new", "new", generation="new")
    calibration = shipped_calibration()
    assert calibration.fitted(unknown).keys() == calibration.fitted(H200).keys()
    for symbol, fitted in calibration.fitted(unknown).items():
        assert fitted.value == calibration.parameters[symbol].base


def test_every_parameter_names_its_source() -> None:
    for fitted in shipped_calibration().fitted(H200).values():
        assert fitted.origin.title
        assert fitted.origin.record.startswith("calibration/")


@pytest.mark.parametrize(
    ("device", "family", "engine", "kind", "grade"),
    [
        ("dgx-spark", DeviceFamily.NVIDIA_UNIFIED, "llama.cpp-cuda", "decode", "A"),
        ("rtx-pro-6000-server", DeviceFamily.NVIDIA_GDDR, "llama.cpp-cuda", "decode", "B"),
        ("h200-sxm", DeviceFamily.NVIDIA_HBM, "mlx", "decode", "C"),
        ("tpu-v6e", DeviceFamily.TPU, "vllm", "decode", "D"),
    ],
)
def test_evidence(device: str, family: DeviceFamily, engine: str, kind: str, grade: str) -> None:
    assert shipped_calibration().evidence(device, family, engine, kind) == grade  # type: ignore[arg-type]


def test_a_format_that_was_never_measured_is_known_as_such() -> None:
    assert shipped_calibration().knows_format("llama.cpp", "kquant")
    assert not shipped_calibration().knows_format("serving", "kquant")


@pytest.mark.parametrize(
    ("group", "family", "name"),
    [
        ("llama.cpp", DeviceFamily.NVIDIA_GDDR, "engine-cuda"),
        ("llama.cpp", DeviceFamily.AMD_APU, "engine-vulkan"),
        ("llama.cpp", DeviceFamily.APPLE, "engine-metal"),
        ("llama.cpp", DeviceFamily.CPU, "engine"),
        ("serving", DeviceFamily.NVIDIA_HBM, "engine"),
        ("serving", DeviceFamily.AMD_CDNA, "engine-rocm"),
        ("mlx", DeviceFamily.APPLE, "engine"),
    ],
)
def test_back_ends(group: str, family: DeviceFamily, name: str) -> None:
    assert back_end(engine(group), family) == name


def engine(group: str, **more: str) -> Engine:
    common = {"weight_formats": (), "kv_formats": (), "families": (), "runtime_bytes": 0, "prefill_chunk": 512}
    return Engine(id="engine", name="Engine", group=group, **common, **more)  # type: ignore[arg-type]


def test_an_engine_may_name_its_back_end() -> None:
    assert back_end(engine("llama.cpp", back_end="vulkan"), DeviceFamily.NVIDIA_GDDR) == "engine-vulkan"
    assert back_end(engine("serving", back_end="cuda"), DeviceFamily.NVIDIA_HBM) == "engine"


def test_coverage_agrees_with_the_measurements() -> None:
    """`python -m tests.accuracy.coverage` writes the file anew."""
    assert (RESOURCES / "calibration" / "coverage.json").read_text("utf-8") == coverage.text()


def test_devices_and_engines_of_multipliers_exist() -> None:
    devices, measured = coverage.families(), shipped_calibration().coverage.devices
    back_ends = {engine for engines in measured.values() for engine in engines}
    for parameter in shipped_calibration().parameters.values():
        for multiplier in parameter.multipliers:
            assert set(multiplier.on.get("device", ())) <= set(devices), parameter.symbol
            assert set(multiplier.on.get("family", ())) <= {family.value for family in DeviceFamily}, parameter.symbol
            assert set(multiplier.on.get("back_end", ())) <= back_ends | {"llama.cpp-metal"}, parameter.symbol


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "parameters.json").write_text(json.dumps({"schema_version": 1}), "utf-8")
    with pytest.raises(CatalogueError, match="calibration"):
        load_calibration(tmp_path)

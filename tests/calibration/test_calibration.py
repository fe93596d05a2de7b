"""The fit works on the core's own formulas, finds what was put in, and writes a file that the core reads."""

import json

import numpy as np
import pytest

from core import RESOURCES
from core.catalogue.calibration import load_calibration, shipped_calibration
from tests.accuracy.records import DATA, read_records
from tests.calibration import page, publish
from tests.calibration.effects import BASES, EFFECTS, NARROW, UNTUNED
from tests.calibration.fit import Fitter
from tests.calibration.kernels import kernel_observations
from tests.calibration.observations import Observation, observations
from tests.calibration.replay import Replay
from tests.calibration.spreads import GRADES, fit_spreads, grades, quantile_regression, spread_of


@pytest.fixture(scope="module")
def seen() -> list[Observation]:
    """Every twentieth record, of all kinds."""
    records = list(read_records(DATA / "throughput.json"))
    return observations(records[::20])


def shipped_logs(seen: list[Observation]) -> dict[str, np.ndarray]:
    fitted = [shipped_calibration().fitted(one.where) for one in seen]
    return {symbol: np.log([values[symbol].value for values in fitted]) for symbol in BASES}


def test_the_replay_gives_what_the_core_gives(seen: list[Observation]) -> None:
    predicted = np.exp(Replay(seen).log_values(shipped_logs(seen)))
    for one, value in zip(seen, predicted, strict=True):
        assert value == pytest.approx(float(one.trace[one.key]), rel=1e-9), one.id


def test_slopes_are_those_of_the_predictions(seen: list[Observation]) -> None:
    replay, logs = Replay(seen), shipped_logs(seen)
    _middle, slopes = replay.derivatives(logs)
    moved = replay.log_values({**logs, "eta": logs["eta"] + 0.001}) - replay.log_values(logs)
    assert moved == pytest.approx(slopes["eta"] * 0.001, abs=2e-5)


def test_every_parameter_is_fitted() -> None:
    assert set(BASES) == set(shipped_calibration().parameters)
    assert {effect.symbol for effect in EFFECTS} <= set(BASES)


def test_a_fit_comes_nearer_to_the_measurements(seen: list[Observation]) -> None:
    fitter = Fitter(seen)
    everything = np.ones(len(seen), dtype=bool)
    start = fitter.fit(everything, rounds=0)
    fit = fitter.fit(everything, rounds=6)
    assert fit.cost < start.cost / 2
    error = np.abs(fitter.predict(fit) - fitter.target)
    assert np.median(error) < 0.7 * np.median(np.abs(fitter.predict(start) - fitter.target))


def test_a_device_of_one_source_gets_no_factor_of_its_own(seen: list[Observation]) -> None:
    fitter = Fitter(seen)
    fit = fitter.fit(np.ones(len(seen), dtype=bool), rounds=1)
    for label in fit.columns.labels:
        if isinstance(label[0], int) and NARROW & set(EFFECTS[label[0]].on):
            effect = EFFECTS[label[0]]
            assert len({one.source for one in seen if effect.level(one.where) == label[1]}) >= 2


def test_kernel_constants_say_where_they_come_from() -> None:
    content = json.loads((RESOURCES.parent / "tests" / "calibration" / "kernels.json").read_text("utf-8"))
    assert "NVIDIA" in content["attribution"]
    assert "Apache-2.0" in content["attribution"]
    assert len(kernel_observations()) > 200


def test_the_shipped_file_is_as_the_fit_writes_it() -> None:
    text = publish.TARGET.read_text("utf-8")
    assert publish.text(json.loads(text)) == text
    assert len(text) < 120_000
    assert load_calibration(publish.TARGET.parent).parameters.keys() == set(BASES)


def test_devices_without_tuned_kernels_are_known_to_the_shipped_file() -> None:
    multipliers = shipped_calibration().parameters["t_op"].multipliers
    pooled = [m for m in multipliers if m.on.get("architecture") == UNTUNED]
    assert [m.on["group"] for m in pooled] == [("serving",)]
    assert pooled[0].factor > 1


def test_quantile_regression_holds_the_share_it_is_asked_for() -> None:
    generator = np.random.default_rng(1)
    group = generator.integers(0, 2, 4000)
    target = np.where(group == 1, 2.0, 1.0) * generator.random(4000)
    design = np.stack([np.ones(4000), group.astype(float)], axis=1)
    beta = quantile_regression(design, target, np.ones(4000), np.array([1e3, 1e3]), np.full(4000, 0.8))
    assert beta[0] == pytest.approx(0.8, abs=0.05)
    assert beta[0] + beta[1] == pytest.approx(1.6, abs=0.1)


def test_less_evidence_never_narrows_a_range(seen: list[Observation]) -> None:
    ratios = np.random.default_rng(2).normal(0, 0.3, len(seen))
    spread = fit_spreads(seen, ratios)
    for values in spread["grades"].values():
        assert values == sorted(values)
    for one, grade in zip(seen, grades(seen), strict=True):
        if one.kind != "offload":
            assert spread_of(one, "D", spread) >= spread_of(one, grade, spread)
            assert grade in GRADES


def test_a_table_goes_between_its_markers() -> None:
    text = "before\n<!-- measured: x -->\nold\n<!-- end -->\nafter"
    changed = page.placed(text, "x", "| new |")
    assert "| new |" in changed
    assert "old" not in changed
    assert page.placed(changed, "x", "| new |") == changed
    with pytest.raises(ValueError, match="0 places"):
        page.placed("nothing", "x", "| new |")

"""`tonnage find`: text and JSON, hardware and models, and clear refusals."""

import json
from pathlib import Path

import pytest

from core.cli import main
from tests.core.search_cases import FOLDER

NEED = str(FOLDER / "job-1-what-to-buy.tonnage")


def test_hardware_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["find", NEED, "--by", "price", "--budget", "40000", "--vendor", "nvidia", "--kind", "card"]) == 0
    text = capsys.readouterr().out
    assert "options meet the need" in text
    assert "Ruled out" in text


def test_hardware_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["find", NEED, "--by", "price", "--budget", "40000", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["candidates"] >= 5000
    prices = [float(answer["price"]) for answer in found["answers"]]
    assert prices == sorted(prices)
    assert max(prices) <= 40_000
    assert found["answers"][0]["scenario"]["deployment"]["device"] == found["answers"][0]["device"]
    assert all(answer["unknown"] for answer in found["unknown"])


def test_an_answer_is_a_scenario_that_can_be_sized(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    main(["find", NEED, "--by", "speed", "--device", "rtx-pro-6000-ws", "--json"])
    scenario = json.loads(capsys.readouterr().out)["answers"][0]["scenario"]
    file = tmp_path / "answer.tonnage"
    file.write_text(json.dumps({"tonnage": 1, "scenario": scenario}), encoding="utf-8")
    assert main(["size", str(file)]) == 0
    assert "Fits" in capsys.readouterr().out


def test_models(capsys: pytest.CaptureFixture[str]) -> None:
    file = str(FOLDER / "job-2-what-runs.tonnage")
    assert main(["find", file, "--models", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert "meta-llama/Llama-3.3-70B-Instruct" in {answer["model"] for answer in found["answers"]}
    assert main(["find", file, "--models", "--language", "de"]) == 0
    assert "RTX 4090" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--vendor", "Acme"], "no vendor “Acme”"),
        (["--device", "no-such-card"], "no device “no-such-card”"),
        (["--weights", "fp7"], "no weight format “fp7”"),
        (["--most", "0"], "“most_units” cannot be used"),
    ],
)
def test_what_cannot_be_is_named(options: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["find", NEED, *options]) == 1
    assert said in capsys.readouterr().err

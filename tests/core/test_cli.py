"""The commands without a window: what they write, and what they say when they cannot."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.cli import main
from core.language.messages import set_language
from core.scenario import Scenario
from core.sizing.examples import examples, worked_example
from core.store.scenario_file import write_scenario


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "desktop", *arguments]
    return subprocess.run(command, capture_output=True, env={**os.environ, **environment}, timeout=120)


@pytest.fixture(autouse=True)
def _language() -> Iterator[None]:
    """A command speaks the language that it is told to; the tests after it speak English again."""
    yield
    set_language("en")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "option.tonnage"
    write_scenario(path, worked_example())
    return path


@pytest.mark.parametrize("scenario", [*examples(), worked_example().edited(economics__price="99.5")])
def test_every_figure_goes_to_json(tmp_path: Path, scenario: Scenario, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "option.tonnage"
    write_scenario(path, scenario)
    assert main(["size", str(path), "--json"]) == 0
    answer: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert answer["scenario"]["name"] == scenario.name
    for figure in answer["figures"].values():
        assert figure["unit"]
        assert "formula" in figure or "from" in figure


def test_the_summary_in_three_languages(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts = set()
    for code in ("en", "de", "fr"):
        assert main(["size", str(file), "--language", code]) == 0
        texts.add(capsys.readouterr().out.splitlines()[2])
    assert len(texts) == 3


def test_an_example_can_be_sized_and_proposed(tmp_path: Path) -> None:
    path, proposal = tmp_path / "example.tonnage", tmp_path / "proposal.pdf"
    assert main(["example", "-o", str(path)]) == 0
    assert main(["propose", str(path), "-o", str(proposal), "--language", "de", "--date", "2026-03-31"]) == 0
    assert proposal.read_bytes().startswith(b"%PDF")


@pytest.mark.parametrize("date", ["abc", "2026-02-30", "31.3.2026", ""])
def test_a_date_that_is_none_is_named(file: Path, date: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["propose", str(file), "-o", str(file.with_suffix(".pdf")), "--date", date])
    assert ended.value.code == 2
    assert "is no date such as 2026-03-31" in capsys.readouterr().err
    assert not file.with_suffix(".pdf").exists()


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["size", "{folder}/missing.tonnage"], "missing.tonnage cannot be read"),
        (["size", "{folder}"], "cannot be read"),
        (["example", "-o", "{folder}/none/x.tonnage"], "x.tonnage was not written"),
        (["propose", "{file}", "-o", "{folder}/none/x.pdf"], "could not be written"),
        (["propose", "{file}", "-o", "{folder}"], "could not be written"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(
    file: Path, command: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([part.format(folder=file.parent, file=file) for part in command]) == 1
    *before, error = capsys.readouterr().err.splitlines()
    assert said in error
    assert error.startswith("tonnage: ")
    lacks = [
        "Nobody is named whom the proposal is for.",
        "Nobody is named who makes the proposal.",
        "The number of users is not given: no cost per million tokens can be told.",
    ]
    assert before == ([f"tonnage: {sentence}" for sentence in lacks] if command[0] == "propose" else [])


def test_what_went_wrong_is_said_in_the_language_that_was_asked_for(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = file.parent / "none" / "x.pdf"
    assert main(["propose", str(file), "-o", str(out), "--language", "fr", "--date", "2026-11-30"]) == 1
    assert "n’a pas pu être écrit" in capsys.readouterr().err


def test_what_a_proposal_lacks_is_said_before_it_is_written(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["propose", str(file), "-o", str(file.with_suffix(".pdf")), "--date", "2026-11-30"]
    assert main([*command, "--client", "日本", "--language", "de"]) == 0
    said = capsys.readouterr().err.splitlines()
    assert "tonnage: Es ist nicht genannt, wer das Angebot macht." in said
    assert any("日 本" in line for line in said)


def test_another_process_with_other_hashes_writes_the_same_bytes(file: Path) -> None:
    made: dict[str, set[bytes]] = {"x.pdf": set(), "x.xlsx": set()}
    for seed in ("1", "2"):
        for name, contents in made.items():
            out = file.with_name(name)
            answer = run("propose", str(file), "-o", str(out), "--date", "2026-11-30", PYTHONHASHSEED=seed)
            assert answer.returncode == 0, answer.stderr
            contents.add(out.read_bytes())
    assert all(len(contents) == 1 for contents in made.values())


def test_a_console_of_few_characters_gets_its_answer() -> None:
    answer = run("size", PYTHONIOENCODING="ascii")
    assert answer.returncode == 0, answer.stderr
    assert b"Fits: 5 requests" in answer.stdout


def test_a_reader_that_stops_early_is_no_fault() -> None:
    command = [sys.executable, "-m", "desktop", "size", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as started:
        assert started.stdout is not None
        assert started.stderr is not None
        assert started.stdout.read(1) == b"{"
        started.stdout.close()
        assert started.stderr.read() == b""
        assert started.wait(timeout=120) == 0


def test_help_tells_of_the_window_and_the_self_test() -> None:
    answer = run("--help").stdout.decode()
    assert "--selftest" in answer
    assert "window" in answer
    assert "Write the proposal as PDF." in run("propose", "--help").stdout.decode()

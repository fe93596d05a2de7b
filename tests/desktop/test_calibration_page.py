"""A measurement of the user's own in the window: typed or read from a file, it narrows the prediction, and leaves."""

import json
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton

from core.language.numbers import current
from core.scenario import Measured
from core.sizing.report import Evidence
from desktop.app import Application
from desktop.pages.calibration.page import CalibrationPage
from desktop.results.explanation import explain
from desktop.results.panel import ResultsPanel
from tests.core.test_own_measurement import LLAMA_BENCH, VLLM
from tests.desktop.whole_program import program

__all__ = ["program"]


@pytest.fixture
def page(program: Application) -> CalibrationPage:
    program.session.open(2)
    program.window.action("calibration").trigger()
    page = program.window.pages.currentWidget()
    assert isinstance(page, CalibrationPage)
    return page


def decode(program: Application) -> Any:
    sizing = program.session.settled()
    assert sizing is not None
    assert sizing.decode is not None
    return sizing.decode


def test_a_typed_measurement_narrows_the_prediction(qtbot: Any, page: CalibrationPage, program: Application) -> None:
    before = decode(program)
    assert page.form.value.hasFocus()
    assert not page.add.isEnabled()
    qtbot.keyClicks(page.form.value, "95")
    qtbot.keyClick(page.form.value, Qt.Key.Key_Return)
    assert page.add.isEnabled()
    page.add.setFocus()
    qtbot.keyClick(page.add, Qt.Key.Key_Space)
    after = decode(program)
    assert after.p90 / after.p10 < before.p90 / before.p10
    assert after.evidence is Evidence.OWN
    kept = program.session.scenario.measurements
    assert [(one.figure, one.value, one.title, one.device, one.engine) for one in kept] == [
        (Measured.DECODE, 95.0, "by hand", "rtx-pro-6000-ws", "vllm")
    ]
    assert kept[0].date
    bar = program.window.messages.bar("calibration")
    assert bar is not None
    assert bar.text.text() == "Your measurement counts from now on."
    program.window.action("undo").trigger()
    assert decode(program) == before
    program.window.action("redo").trigger()
    assert decode(program) == after


def test_what_a_measurement_would_do_is_shown_before_it_is_added(
    qtbot: Any, page: CalibrationPage, program: Application
) -> None:
    qtbot.keyClicks(page.form.value, "95")
    qtbot.keyClick(page.form.value, Qt.Key.Key_Return)
    shown = texts(page.effect)
    assert "With this one" in shown
    assert any(text.endswith(", your measurement") for text in shown)
    assert program.session.scenario.measurements == ()


def test_the_source_is_shown_in_explain(qtbot: Any, page: CalibrationPage, program: Application) -> None:
    page.form.title.setText("stopwatch")
    qtbot.keyClicks(page.form.value, "95")
    page.form.settle()
    page.add.click()
    page.done.click()
    assert program.window.page == "sizing"
    program.window.complete()
    sizing = program.session.settled()
    assert sizing is not None
    entry = sizing.trace.entry("own.decode.0.measured")
    assert entry.origin.title == "stopwatch"  # type: ignore[union-attr]
    panel = program.window.findChild(ResultsPanel)
    assert panel is not None
    panel.explain("own.decode.0.pull")
    assert "stopwatch" in explain(sizing, "own.decode.0.pull", current()).text


def test_files_of_benchmarks_are_read_and_removed_again(
    page: CalibrationPage, program: Application, tmp_path: Path
) -> None:
    before = decode(program)
    (tmp_path / "bench.json").write_text(json.dumps(LLAMA_BENCH), "utf-8")
    (tmp_path / "serve.json").write_text(json.dumps(VLLM), "utf-8")
    assert page.read_file(tmp_path / "bench.json")
    assert page.read_file(tmp_path / "serve.json")
    assert not page.read_file(tmp_path / "serve.json")  # known already
    kept = program.session.scenario.measurements
    assert len(kept) == 5
    assert {one.device for one in kept} == {"rtx-pro-6000-ws"}
    assert decode(program).evidence is Evidence.OWN
    removes = [one for one in page.findChildren(QPushButton) if one.text() == "Remove" and not one.isHidden()]
    assert len(removes) >= 5
    for _one in range(5):
        page.remove(0)
    assert program.session.scenario.measurements == ()
    assert decode(program) == before
    program.session.undo()
    assert len(program.session.scenario.measurements) == 1


def test_another_file_is_refused_in_one_sentence(page: CalibrationPage, program: Application, tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text("[]", "utf-8")
    assert not page.read_file(tmp_path / "other.json")
    bar = program.window.messages.bar("calibration")
    assert bar is not None
    assert bar.text.text() == "other.json holds no result of llama-bench or of vllm bench serve."
    assert program.session.scenario.measurements == ()


def test_a_first_token_is_written_as_a_time(qtbot: Any, page: CalibrationPage) -> None:
    page.form.figure.chosen.emit(Measured.FIRST_TOKEN.value)
    qtbot.keyClicks(page.form.value, "350 ms")
    qtbot.keyClick(page.form.value, Qt.Key.Key_Return)
    assert page.form.value.value == pytest.approx(0.35)
    qtbot.keyClicks(page.form.prompt, "x")
    qtbot.keyClick(page.form.prompt, Qt.Key.Key_Return)
    assert page.form.prompt.problem
    assert not page.add.isEnabled()


def test_a_measurement_of_another_machine_says_so(qtbot: Any, page: CalibrationPage, program: Application) -> None:
    qtbot.keyClicks(page.form.value, "95")
    page.form.settle()
    page.add.click()
    program.session.edit("Device", deployment__device="h100-sxm")
    program.session.settled()
    assert "of another machine or model" in texts(page.kept)


def texts(layout: Any) -> list[str]:
    found: list[str] = []
    for at in range(layout.count()):
        found += words(layout.itemAt(at).widget())
    return found


def words(widget: Any) -> list[str]:
    from PySide6.QtWidgets import QLabel

    labels = [widget] if isinstance(widget, QLabel) else widget.findChildren(QLabel)
    return [label.text() for label in labels]

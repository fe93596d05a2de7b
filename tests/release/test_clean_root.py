"""What the proof on a clean system calls a failure, and what only says that this machine can make no root."""

import os
from pathlib import Path

import pytest

from release import clean_root


@pytest.fixture(autouse=True)
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tonnage_1.0_amd64.deb").touch()
    monkeypatch.setattr(clean_root, "DIST", tmp_path)
    monkeypatch.setattr(os, "geteuid", lambda: 0)


@pytest.mark.parametrize(
    ("failure", "flags", "code"),
    [
        (clean_root.NoRoot("no mirror"), [], 1),
        (clean_root.NoRoot("no mirror"), ["--where-possible"], 0),
        (clean_root.Unproved("a library is missing"), ["--where-possible"], 1),
    ],
)
def test_a_package_that_does_not_prove_itself_fails_everywhere(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], failure: Exception, flags: list[str], code: int
) -> None:
    def prove(*_arguments: object) -> None:
        raise failure

    monkeypatch.setattr(clean_root, "prove", prove)
    assert clean_root.main(["--suite", "bookworm", *flags]) == code
    assert f"not proved on bookworm: {failure}" in capsys.readouterr().err


@pytest.mark.parametrize(("flags", "code"), [([], 1), (["--where-possible"], 0)])
def test_without_administrator_rights_nothing_is_proved(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], flags: list[str], code: int
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert clean_root.main(flags) == code
    assert "nothing was proved here" in capsys.readouterr().err

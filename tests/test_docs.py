"""The texts of the repository hold what they say: links lead somewhere, commands exist, dependencies have reasons."""

import re
import subprocess
import sys
import tomllib
from itertools import chain
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
TEXTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *ROOT.glob("packaging/*.md")])
DECISIONS = sorted((ROOT / "docs" / "adr").glob("*.md"))


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", TEXTS, ids=name)
def test_links_lead_to_files(path: Path) -> None:
    links = re.findall(r"\]\(([^)\s#]+)[^)]*\)", path.read_text(encoding="utf-8"))
    local = [link for link in links if not re.match(r"[a-z]+:", link)]
    assert [link for link in local if not (path.parent / link).exists()] == []


@pytest.mark.parametrize("path", TEXTS, ids=name)
def test_commands_exist(path: Path) -> None:
    listed = subprocess.run([sys.executable, ROOT / "dev.py", "help"], capture_output=True, text=True, check=True)
    commands = set(re.findall(r"^\s+(?:make|py dev\.py) (\w+)", listed.stdout, re.MULTILINE))
    text = path.read_text(encoding="utf-8")
    assert set(re.findall(r"`(?:make|py dev\.py) (\w+)", text)) <= commands


def test_makefile_has_every_command() -> None:
    listed = subprocess.run([sys.executable, ROOT / "dev.py", "help"], capture_output=True, text=True, check=True)
    commands = set(re.findall(r"^\s+(?:make|py dev\.py) (\w+)", listed.stdout, re.MULTILINE))
    targets = re.search(r"^COMMANDS := (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert targets
    assert {*targets[1].split(), "help"} == commands


def test_decisions_are_numbered_in_order_and_short() -> None:
    assert DECISIONS
    for number, path in enumerate(DECISIONS, 1):
        lines = path.read_text(encoding="utf-8").splitlines()
        assert path.name.startswith(f"{number:04d}-"), path.name
        assert lines[0].startswith(f"# {number}. "), path.name
        assert len(lines) <= 60, path.name


def test_each_dependency_has_licence_and_reason() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    groups = chain(project["project"]["dependencies"], *project["dependency-groups"].values())
    wanted = {re.split(r"[<>=!~ \[]", line)[0].lower() for line in groups}
    text = (ROOT / "docs" / "adr" / "0005-dependencies.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([\w-]+) \| [^|]+ \| [^|]+ \|$", text, re.MULTILINE)
    assert {row.lower() for row in rows} - {"package"} == wanted

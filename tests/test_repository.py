"""The rules that hold for the tree as a whole: imports, layers, locks, files."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import core
import desktop

ROOT = Path(__file__).resolve().parent.parent
LOCKS = ["requirements.lock", "requirements-dev.lock", "requirements-peer.lock"]

# A module of core imports only what stands above it here. A new module takes its place in this list.
LAYERS = [
    "errors",
    "day",
    "refusal",
    "build_info",
    "units",
    "tokens",
    "trace",
    "architecture",
    "catalogue",
    "scenario",
    "physics",
    "sizing",
    "language",
    "store",
    "proposal",
    "find_command",
    "propose_command",
    "catalogue_command",
    "cli",
]


def sources(folder: str) -> list[Path]:
    return sorted((ROOT / folder).rglob("*.py"))


def imported_names(path: Path) -> Iterator[str]:
    """Every module that a file imports, dotted and absolute, also inside its functions."""
    package = path.relative_to(ROOT).with_suffix("").parts[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = ".".join([*package[: len(package) - node.level + 1], node.module or ""] if node.level else [])
            origin = (base if node.level else node.module or "").strip(".")
            yield origin
            yield from (f"{origin}.{alias.name}" for alias in node.names)


def layer(dotted: str) -> str | None:
    """The module of core that a dotted name belongs to; None for core itself and for all else."""
    parts = dotted.split(".")
    if parts[0] != "core" or len(parts) == 1:
        return None
    is_module = (ROOT / "core" / parts[1]).is_dir() or (ROOT / "core" / f"{parts[1]}.py").is_file()
    return parts[1] if is_module else None


@pytest.mark.parametrize("package", [core, desktop])
def test_packages_come_from_this_checkout(package: object) -> None:
    # `core` is a common word: another project's package of that name must not be the one under test.
    assert Path(package.__file__).parent.parent == ROOT  # type: ignore[attr-defined]


def test_core_loads_no_window_and_no_numpy() -> None:
    script = """
import importlib, pkgutil, sys
import core
for module in pkgutil.walk_packages(core.__path__, "core."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
print(*sorted({"PySide6", "shiboken6", "pyqtgraph", "desktop", "numpy"} & set(sys.modules)))
"""
    answer = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.strip() == ""


def test_core_names_no_window_module_anywhere() -> None:
    window = {"PySide6", "shiboken6", "pyqtgraph", "desktop"}
    found = [
        (str(path), name) for path in sources("core") for name in imported_names(path) if name.split(".")[0] in window
    ]
    assert found == []


def test_core_has_a_layer_for_each_module() -> None:
    modules = {path.relative_to(ROOT / "core").parts[0].removesuffix(".py") for path in sources("core")}
    assert modules - {"__init__", "__main__"} <= set(LAYERS)


def test_core_imports_only_from_above() -> None:
    wrong = []
    for path in sources("core"):
        own = layer(".".join(path.relative_to(ROOT).with_suffix("").parts))
        if own is None:
            continue
        for name in imported_names(path):
            other = layer(name)
            if other is not None and LAYERS.index(other) > LAYERS.index(own):
                wrong.append(f"{path.relative_to(ROOT)} imports {name}")
    assert wrong == []


def modules(folder: str) -> dict[str, Path]:
    """Every module of a package with its file."""
    named = ((path.relative_to(ROOT).with_suffix("").parts, path) for path in sources(folder))
    return {".".join(parts[:-1] if parts[-1] == "__init__" else parts): path for parts, path in named}


@pytest.mark.parametrize("folder", ["core", "desktop"])
def test_no_module_imports_itself_by_way_of_others(folder: str) -> None:
    """Imports inside a function and those for types alone count: who reads one file has to read the circle."""
    known = modules(folder)
    imports = {name: known.keys() & set(imported_names(path)) - {name} for name, path in known.items()}
    while leaves := {name for name, others in imports.items() if not others}:
        imports = {name: others - leaves for name, others in imports.items() if name not in leaves}
    assert imports == {}


@pytest.mark.parametrize("name", LOCKS)
def test_lock_belongs_to_no_machine(name: str) -> None:
    for number, line in enumerate((ROOT / name).read_text().splitlines(), 1):
        place = f"{name}:{number}: {line}"
        assert "://" not in line, place
        assert not re.search(r"(^|\s)(-e|-f|-i|--index|--extra|--find|--trusted)", line), place
        assert not re.search(r"(^|\s|@)[~/\\]|[A-Za-z]:\\", line.rstrip(" \\")), place


@pytest.mark.parametrize("name", LOCKS)
def test_lock_hashes_every_package(name: str) -> None:
    text = (ROOT / name).read_text()
    packages = re.findall(r"^[\w.-]+==.*(?:\n[ ]+.*)*", text, re.MULTILINE)
    assert len(packages) > 10
    assert [package for package in packages if "--hash=sha256:" not in package] == []


def pins(name: str) -> dict[str, str]:
    return dict(re.findall(r"^([\w.-]+)==([\w.]+)", (ROOT / name).read_text(), re.MULTILINE))


def test_locks_agree() -> None:
    run_time, development = (pins(name) for name in LOCKS[:2])
    assert {name: development.get(name) for name in run_time} == run_time


def test_locks_hold_the_qt_pair() -> None:
    wanted = {"pyside6-essentials": "6.11.3", "shiboken6": "6.11.3", "pyqtgraph": "0.14.0"}
    assert {name: pins("requirements.lock")[name] for name in wanted} == wanted


def test_packaging_folder_is_no_package() -> None:
    # It would hide the library `packaging`, which pytest and PyInstaller import.
    assert not (ROOT / "packaging" / "__init__.py").exists()


def test_tests_folder_is_a_package() -> None:
    # Without tests/__init__.py, tests/core/__init__.py would make a second package named core.
    assert (ROOT / "tests" / "__init__.py").is_file()


def test_changelog_tells_which_figures_changed() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    releases = re.split(r"^## ", text, flags=re.MULTILINE)[1:]
    assert releases
    assert [release.splitlines()[0] for release in releases if "### Figures that changed" not in release] == []
    assert any(release.startswith(core.__version__) for release in releases)


def test_contributing_fits_one_screen() -> None:
    lines = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 50
    assert max(map(len, lines)) <= 120

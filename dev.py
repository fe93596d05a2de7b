#!/usr/bin/env python3
"""Set-up and daily commands of this checkout. Needs nothing but Python's standard library.

`make test` and `py dev.py test` are the same. Each command first brings up to date what it needs: the system's
libraries (Debian and Ubuntu only), then the environment in .venv, which follows requirements-dev.lock.
"""

from __future__ import annotations

import ctypes
import hashlib
import importlib.util
import os
import platform
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
WINDOWS = os.name == "nt"
LINUX = sys.platform.startswith("linux")
BIN = VENV / ("Scripts" if WINDOWS else "bin")
PYTHON = BIN / ("python.exe" if WINDOWS else "python")
LOCK = ROOT / "requirements-dev.lock"
STAMP = VENV / "tonnage-stamp.txt"
#: The program that the time of a search is set beside, in an environment of its own.
PEER_LOCK = ROOT / "requirements-peer.lock"
PEER = ROOT / "build" / "peer"

OLDEST_PYTHON = (3, 11)
SOURCES = ["core", "desktop", "tests", "packaging", "dev.py"]
# Never ".", for packaging/ is no package.
TYPED = [
    "core",
    "desktop",
    "tests",
    "dev.py",
    "packaging/smoke.py",
    "packaging/release",
]  # never ".", for packaging/ is no package

# Each shared library that Qt opens, and the Debian package that brings it.
OFFSCREEN = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libX11.so.6": "libx11-6",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libxkbcommon.so.0": "libxkbcommon0",
}
WINDOW = {
    **OFFSCREEN,
    "libX11-xcb.so.1": "libx11-xcb1",
    "libwayland-cursor.so.0": "libwayland-cursor0",
    "libwayland-egl.so.1": "libwayland-egl1",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-render.so.0": "libxcb-render0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-shm.so.0": "libxcb-shm0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-util.so.1": "libxcb-util1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
}
# The errors of core/errors.py that carry a sentence for people.
ERRORS = [
    "TonnageError",
    "InvalidInput",
    "CatalogueError",
    "UnsupportedArchitecture",
    "StoreError",
    "StoreTooNew",
    "ProposalError",
    "MissingField",
]
READ_PDF = {"pdftotext": "poppler-utils"}
FREEZE = {"objcopy": "binutils"}
PACK = {"makensis": "nsis", "objdump": "binutils", "zstd": "zstd"}  # makensis tries the script for Windows
PACK |= {"desktop-file-validate": "desktop-file-utils", "appstreamcli": "appstream"}
PROVE = {"debootstrap": "debootstrap", "strace": "strace", "unshare": "util-linux", "Xvfb": "xvfb"}
WATCH = {"strace": "strace"}  # shows that no network is asked for
VIRTUAL_DISPLAY = {"Xvfb": "xvfb", "xauth": "xauth"}  # xvfb-run needs both


class Stop(Exception):
    """Ends the command with a message for the person at the keyboard."""


def say(text: str) -> None:
    print("tonnage: " + text, flush=True)


def run(command: list[str | Path], **environment: str) -> None:
    """Runs one command in the checkout; its failure ends ours with the same exit code."""
    code = subprocess.run([str(part) for part in command], cwd=ROOT, env={**os.environ, **environment}).returncode
    if code:
        raise SystemExit(code)


# The system


def has_display() -> bool:
    return not LINUX or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def is_present(name: str) -> bool:
    if ".so" not in name:
        return shutil.which(name) is not None
    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True


def is_debian() -> bool:
    return shutil.which("apt-get") is not None and shutil.which("dpkg") is not None


def need(purpose: str, wanted: dict[str, str]) -> None:
    """Makes the system's libraries and programs present, by apt where there is one."""
    if not LINUX:
        return
    missing = {name: package for name, package in wanted.items() if not is_present(name)}
    if not missing:
        return
    if not is_debian():
        say(f"{purpose} needs {', '.join(missing)}, not found here. Install them with this system's package manager.")
        return
    install_packages(purpose, sorted(set(missing.values())))
    still = [name for name in missing if not is_present(name)]
    if still:
        raise Stop(f"{', '.join(still)} still not found after installing {', '.join(missing[name] for name in still)}.")


def install_packages(purpose: str, packages: list[str]) -> None:
    install = ["apt-get", "install", "--yes", "--no-install-recommends", *packages]
    line = f"apt-get update && {shlex.join(install)}"
    say(f"{purpose} needs packages of this system: {' '.join(packages)}")
    prefix = root_prefix()
    if prefix is None:
        raise Stop(f"neither root nor sudo here, so please have this line run as root, then repeat:\n\n    {line}\n")
    if prefix:
        say("asking for administrator rights, only to run: " + line)
    prefix = [*prefix, "env", "DEBIAN_FRONTEND=noninteractive"]
    # Hundreds of lines of progress would hide ours; what goes wrong comes on the other stream.
    subprocess.run([*prefix, "apt-get", "update"], stdout=subprocess.DEVNULL)  # where it fails, an old list may do
    if subprocess.run([*prefix, *install], stdout=subprocess.DEVNULL).returncode:
        raise Stop(f"the packages could not be installed. Please run as root, then repeat:\n\n    {line}\n")


def root_prefix() -> list[str] | None:
    """What goes before a command so that root runs it; None where that cannot be."""
    if os.geteuid() == 0:
        return []
    if shutil.which("sudo") is None:
        return None
    if sys.stdin is not None and sys.stdin.isatty():
        return ["sudo"]  # asks for the password
    silent = subprocess.run(["sudo", "--non-interactive", "true"], stderr=subprocess.DEVNULL)
    return None if silent.returncode else ["sudo", "--non-interactive"]


# The environment


def newer_python() -> str | None:
    """A Python on the path that is new enough, for machines whose python3 is too old."""
    for minor in range(14, OLDEST_PYTHON[1] - 1, -1):
        found = shutil.which(f"python3.{minor}")
        if found:
            return found
    return None


def check_python() -> None:
    if sys.version_info < OLDEST_PYTHON:
        found = newer_python()
        if found is None or WINDOWS:
            raise Stop(f"needs Python 3.11 or newer; {sys.executable} is {platform.python_version()}.")
        say(f"python3 is {platform.python_version()}, too old; using {found}")
        os.execv(found, [found, str(Path(__file__).resolve()), *sys.argv[1:]])
    if importlib.util.find_spec("venv") is None or importlib.util.find_spec("ensurepip") is None:
        package = f"python3.{sys.version_info[1]}-venv"
        line = f"apt-get update && apt-get install --yes {package}"
        hint = f" Please run as root, then repeat:\n\n    {line}\n" if LINUX and is_debian() else ""
        raise Stop(f"{sys.executable} comes without its venv module.{hint}")


def fingerprint(*files: Path) -> str:
    """Changes with these files, with this interpreter, and with the checkout's place."""
    digest = hashlib.sha256(repr((sys.version, sys.base_prefix, str(ROOT))).encode())
    for file in files:
        digest.update(file.read_bytes())
    return digest.hexdigest()


def prepare() -> None:
    """Brings .venv up to date. pip does not notice an environment that an older lock made; the stamp does."""
    stamps = STAMP.read_text().split() if STAMP.is_file() else []
    locked, installed = fingerprint(LOCK), fingerprint(ROOT / "pyproject.toml")
    if stamps == [locked, installed]:
        return
    if stamps[:1] != [locked]:
        say("setting up .venv from requirements-dev.lock: about 180 MB to download, once per change of the lock")
        base = getattr(sys, "_base_executable", None) or sys.executable
        run([base, "-m", "venv", "--clear", VENV])
        pip_install("--require-hashes", "--only-binary", ":all:", "-r", LOCK)
    STAMP.write_text(locked + "\n")
    pip_install("--quiet", "--no-deps", "--no-build-isolation", "--editable", ROOT)
    STAMP.write_text(f"{locked}\n{installed}\n")


def pip_install(*arguments: str | Path) -> None:
    # A person sees the downloads advance; a log needs only what went wrong.
    quiet = [] if sys.stdout.isatty() else ["--quiet"]
    settings = {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_REQUIRE_VIRTUALENV": "1", "PYTHONWARNINGS": "ignore"}
    run([PYTHON, "-m", "pip", "install", *quiet, *arguments], **settings)


# The commands


def command_run(arguments: list[str]) -> None:
    """open the window (without a display: write its figures, picture and PDF into build/)"""
    if has_display():
        need("the window", WINDOW)
        prepare()
        run([PYTHON, "-m", "desktop", *arguments])
        return
    say("no display here (neither DISPLAY nor WAYLAND_DISPLAY is set), so no window can open.")
    say("Writing the worked example's figures, a screenshot and the proposal PDF into build/ instead.")
    need("a screenshot without a display", OFFSCREEN)
    prepare()
    run([PYTHON, "-m", "desktop", "--headless-demo", "build", *arguments], QT_QPA_PLATFORM="offscreen")


def command_test(arguments: list[str]) -> None:
    """check format, lint and types, then run the tests; arguments go to pytest"""
    need("testing", {**OFFSCREEN, **READ_PDF})
    prepare()
    run([BIN / "ruff", "format", "--check", *SOURCES])
    run([BIN / "ruff", "check", *SOURCES])
    run([BIN / "mypy", *TYPED])
    run([BIN / "pytest", "-n", "2", *arguments])


def command_format(arguments: list[str]) -> None:
    """put the sources into the project's format and mend what lint can mend"""
    prepare()
    run([BIN / "ruff", "check", "--fix-only", "--quiet", *SOURCES])
    run([BIN / "ruff", "format", *SOURCES])


def command_translations(arguments: list[str]) -> None:
    """bring resources/i18n, the formulas of resources/method.md and resources/tokens.json up to date"""
    prepare()
    template = ROOT / "build" / "tonnage.pot"
    template.parent.mkdir(exist_ok=True)
    plain = ["--no-location", "--sort-output", "--width=110", "--project=Tonnage", "--version="]
    keywords = [part for mark in ["N_", "marked", "Phrase", "wrong:2", *ERRORS] for part in ("-k", mark)]
    run([BIN / "pybabel", "-q", "extract", *keywords, *plain, "-o", template, "core", "desktop"])
    kept = ["--no-fuzzy-matching", "--ignore-obsolete", "--ignore-pot-creation-date", "--width=110"]
    run([BIN / "pybabel", "-q", "update", "-D", "tonnage", "-i", template, "-d", ROOT / "resources" / "i18n", *kept])
    run([PYTHON, "-m", "core.language.method_page"])
    run([PYTHON, "-m", "core.tokens"])
    say("the catalogues in resources/i18n hold every text; `make test` names those without a translation")


def prepare_peer() -> None:
    """An environment of its own for the program that the time of a search is set beside."""
    interpreter, stamp = PEER / BIN.name / PYTHON.name, PEER / "lock"
    if stamp.is_file() and stamp.read_text() == fingerprint(PEER_LOCK):
        return
    say("setting up build/peer from requirements-peer.lock: about 300 MB to download, once per change of the lock")
    base = getattr(sys, "_base_executable", None) or sys.executable
    run([base, "-m", "venv", "--clear", PEER])
    options = ["--require-hashes", "--only-binary", ":all:", "--disable-pip-version-check", "--quiet"]
    run([interpreter, "-m", "pip", "install", *options, "-r", PEER_LOCK])
    stamp.write_text(fingerprint(PEER_LOCK))


def command_bench(arguments: list[str]) -> None:
    """measure the promised budgets and print them beside their limits (--peer: and beside another program)"""
    need("measuring", OFFSCREEN)
    prepare()
    if "--peer" in arguments:
        arguments = [argument for argument in arguments if argument != "--peer"]
        prepare_peer()
    run([BIN / "pytest", "tests/bench", "-m", "bench", "-q", *arguments])


def command_accuracy(arguments: list[str]) -> None:
    """set predictions beside measurements and print the errors (--memory, --field, --throughput, --json FILE)"""
    prepare()
    run([PYTHON, "-m", "tests.accuracy", *arguments])


def command_calibrate(arguments: list[str]) -> None:
    """fit the speed parameters to the measurements (--crossvalidate: also ranges and tables, some minutes)"""
    prepare()
    run([PYTHON, "-m", "tests.calibration", *arguments], OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")


def command_package(arguments: list[str]) -> None:
    """freeze the program into dist/tonnage, then start it once to see that it works"""
    # All of the window's libraries: what is missing here would be missing from the frozen program too.
    need("freezing", {**WINDOW, **FREEZE, **shared_python()})
    prepare()
    spec = ROOT / "packaging" / "app.spec"
    # Python orders sets by hashes; with one seed the same sources give the same program.
    run([BIN / "pyinstaller", "--noconfirm", "--log-level", "WARN", *arguments, spec], PYTHONHASHSEED="0")
    run([PYTHON, ROOT / "packaging" / "smoke.py"])


def command_installer(arguments: list[str]) -> None:
    """freeze the program, then pack what is handed over into dist/: .deb and .tar.zst, a setup file, or a disk image"""
    if sys.platform == "darwin":
        run([ROOT / "packaging" / "macos" / "build.sh"])
        return
    need("packing", PACK)
    command_package([])
    if WINDOWS:
        release("windows_setup", arguments)
        return
    release("installer", arguments)
    release("windows_setup", ["--try"])


def command_proof(arguments: list[str]) -> None:
    """install the .deb in bare Debian roots and let it prove itself there (needs root; --suite NAME, --short)"""
    need("a proof on a clean system", {**PROVE, **READ_PDF})
    prepare()
    prefix = root_prefix()
    if prefix is None:
        raise Stop("making a bare Debian root needs root or sudo, and neither is here; nothing was proved.")
    if prefix:
        say("asking for administrator rights: a bare Debian root is made with debootstrap, in build/roots")
    release("clean_root", arguments, prefix)


def release(module: str, arguments: list[str], prefix: list[str] | None = None) -> None:
    """A program of packaging/release, which is no part of the installation."""
    path = "PYTHONPATH=" + os.pathsep.join([str(ROOT / "packaging"), str(ROOT)])
    if WINDOWS:
        run([PYTHON, "-m", f"release.{module}", *arguments], PYTHONPATH=path.partition("=")[2])
    else:
        run([*(prefix or []), "env", path, PYTHON, "-m", f"release.{module}", *arguments])


def shared_python() -> dict[str, str]:
    """libpython, which Debian keeps apart from python3 and which the frozen program carries."""
    name = f"libpython{sys.version_info[0]}.{sys.version_info[1]}"
    own = Path(sys.base_prefix) / "lib" / f"{name}.so.1.0"
    return {} if own.exists() else {f"{name}.so.1.0": name}


def command_lock(arguments: list[str]) -> None:
    """resolve pyproject.toml into the lock files again (needs uv; --upgrade takes newer versions)"""
    uv = shutil.which("uv", path=os.pathsep.join([str(BIN), os.environ.get("PATH", "")]))
    if uv is None:
        raise Stop("locking needs the program uv: .venv/bin/python -m pip install uv")
    options = ["--universal", "--python-version", "3.11", "--fork-strategy", "fewest", "--generate-hashes"]
    options += ["--no-emit-index-url", "--no-header", "--quiet", *arguments]
    for output, more in (("requirements.lock", []), (LOCK.name, ["--group", "dev", "-c", "requirements.lock"])):
        run([uv, "pip", "compile", "pyproject.toml", *more, *options, "-o", output])
    run([uv, "pip", "compile", "--group", "pyproject.toml:peer", *options, "-o", PEER_LOCK.name])
    say("the three lock files are written; the next command sets .venv up again")


def command_system(arguments: list[str]) -> None:
    """install what the full check needs from Debian or Ubuntu, a virtual display included"""
    every = [WINDOW, READ_PDF, VIRTUAL_DISPLAY, WATCH, FREEZE, PACK, PROVE, shared_python()]
    need("the full check", {name: package for wanted in every for name, package in wanted.items()})


def command_clean(arguments: list[str]) -> None:
    """remove .venv and everything that was built"""
    names = [".venv", "build", "dist", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis"]
    for path in [ROOT / name for name in names] + list(ROOT.glob("*.egg-info")):
        shutil.rmtree(path, ignore_errors=True)


def command_help(arguments: list[str]) -> None:
    """show this list"""
    caller = "py dev.py" if WINDOWS else "make"
    for name, command in COMMANDS.items():
        print(f"  {caller} {name:<12} {command.__doc__}")


COMMANDS = {
    "run": command_run,
    "test": command_test,
    "format": command_format,
    "translations": command_translations,
    "bench": command_bench,
    "accuracy": command_accuracy,
    "calibrate": command_calibrate,
    "package": command_package,
    "installer": command_installer,
    "proof": command_proof,
    "lock": command_lock,
    "system": command_system,
    "clean": command_clean,
    "help": command_help,
}


def main(argv: list[str]) -> int:
    name, arguments = (argv[0], argv[1:]) if argv else ("help", [])
    command = COMMANDS.get(name)
    if command is None:
        print(f"tonnage: no command {name!r}; there are {', '.join(COMMANDS)}", file=sys.stderr)
        return 2
    try:
        check_python()
        command(arguments)
    except Stop as stop:
        print(f"tonnage: {stop}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

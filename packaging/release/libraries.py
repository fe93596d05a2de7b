"""What the program's libraries ask of the system: sonames that do not travel along, and the packages that hold them."""

import re
import subprocess
from collections.abc import Iterable
from pathlib import Path

from release.components import debian_package

ELF = b"\x7fELF"
_VERSION = re.compile(r"GLIBC_(\d+)\.(\d+)")
#: What Qt needs beside libraries: descriptions of keyboards.
ALWAYS = ("xkb-data",)
#: Libraries that Qt loads by name when it opens a window, if they are there.
BY_NAME = ("libEGL.so.1", "libGL.so.1")


def libraries(folder: Path) -> list[Path]:
    """Every ELF file below a folder, links left out."""
    found = []
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            with path.open("rb") as file:
                if file.read(4) == ELF:
                    found.append(path)
    return found


def _dynamic(path: Path) -> str:
    answer = subprocess.run(["objdump", "-p", str(path)], capture_output=True, text=True, check=True)
    return answer.stdout


def asked_of_system(folder: Path) -> tuple[set[str], tuple[int, int]]:
    """Sonames that the libraries of a folder need and that do not lie in it; the C library that they need at least."""
    files = libraries(folder)
    own = {path.name for path in folder.rglob("*.so*")}
    wanted: set[str] = set()
    least = (0, 0)
    for path in files:
        text = _dynamic(path)
        wanted |= set(re.findall(r"^\s+NEEDED\s+(\S+)", text, re.MULTILINE))
        least = max(least, *((int(major), int(minor)) for major, minor in _VERSION.findall(text)), (0, 0))
    return wanted - own, least


def packages_of(sonames: Iterable[str]) -> set[str]:
    """The packages of this system that hold libraries.

    Raises
    ------
    LookupError : a library is not on this system, or belongs to no package
    """
    where = _cache()
    found = set()
    for soname in sonames:
        if soname not in where:
            raise LookupError(f"{soname} is not on this system; install it first")
        package = debian_package(where[soname].resolve()) or debian_package(where[soname])
        if not package:
            raise LookupError(f"{where[soname]} belongs to no package")
        found.add(package)
    return found


def _cache() -> dict[str, Path]:
    """Where the loader finds each library."""
    command = next(path for path in ("/sbin/ldconfig", "/usr/sbin/ldconfig") if Path(path).exists())
    text = subprocess.run([command, "-p"], capture_output=True, text=True, check=True).stdout
    pairs = re.findall(r"^\s+(\S+) \([^)]*x86-64[^)]*\) => (\S+)$", text, re.MULTILINE)
    pairs = pairs or re.findall(r"^\s+(\S+) \([^)]*\) => (\S+)$", text, re.MULTILINE)
    found: dict[str, Path] = {}
    for soname, path in pairs:
        found.setdefault(soname, Path(path))
    return found


def depends(folder: Path) -> list[str]:
    """The `Depends` of a package that holds this folder, complete and by name."""
    sonames, (major, minor) = asked_of_system(folder)
    packages = packages_of({*sonames, *BY_NAME}) | set(ALWAYS)
    # Since the change of time_t, newer Debians call some otherwise and provide the old name.
    named = {package.removesuffix("t64") for package in packages} - {"libc6"}
    return [f"libc6 (>= {major}.{minor})", *sorted(named)]

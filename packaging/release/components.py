"""Whose work a file of the frozen program is: every file that goes in has a component, and a component has its licence.

Files are told by where the build took them from. One that nobody answers for ends the build.
"""

import importlib.metadata
import platform
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from core import __version__

ROOT = Path(__file__).resolve().parents[2]
TEXTS = ROOT / "packaging" / "licences"
DEBIAN_DOCS = Path("/usr/share/doc")
LICENCE_FILE = re.compile(r"(licen[cs]es?|copying|notice|authors)([./-].*)?$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Component:
    """A piece of software, or a font, that travels in the program."""

    name: str
    version: str
    licence: str  # SPDX expression, or the words of its metadata
    texts: tuple[Path, ...]
    homepage: str
    purl: str
    parts: Path | None = None  # a bill of materials that it brings, of what was compiled into it


class NobodysFile(Exception):
    """A file whose licence is not known."""


# What the metadata of a distribution says in other words, or leaves out.
LICENCES: Mapping[str, str] = {
    "click-default-group": "Unlicense",
    "pyinstaller": "GPL-2.0-or-later WITH Bootloader-exception",
    "pyside6-essentials": "LGPL-3.0-only",
    "shiboken6": "LGPL-3.0-only",
    "sqlite-fts4": "Apache-2.0",
}
MORE_TEXTS: Mapping[str, tuple[str, ...]] = {
    "pyside6-essentials": ("LGPL-3.0.txt", "GPL-3.0.txt", "Qt-source.txt"),
    "shiboken6": ("LGPL-3.0.txt", "GPL-3.0.txt", "Qt-source.txt"),
    "pydantic-core": ("MIT.txt", "Apache-2.0.txt", "Unicode-3.0.txt", "Zlib.txt", "LLVM-exception.txt"),
    "typst": (
        "typst-fonts.txt",
        "MIT.txt",
        "Apache-2.0.txt",
        "BSD-2-Clause.txt",
        "BSD-3-Clause.txt",
        "CC0-1.0.txt",
        "ISC.txt",
        "LLVM-exception.txt",
        "MPL-2.0.txt",
        "Unicode-3.0.txt",
        "Zlib.txt",
    ),
}


# Libraries of the builder's system, by the beginning of their package's name; what its text says in full.
SYSTEM_LICENCES: Mapping[str, str] = {
    "libbz2": "bzip2-1.0.6",
    "libffi": "MIT",
    "liblzma": "0BSD",
    "libmpdec": "BSD-2-Clause",
    "libpython": "PSF-2.0",
    "libsqlite3": "blessing",
    "libxcb": "MIT",
    "libxkbcommon": "MIT",
}


def distribution(name: str) -> Component:
    """An installed Python package, with the licence files of its metadata."""
    found = importlib.metadata.distribution(name)
    key = found.metadata["Name"].lower().replace("_", "-")
    files = [file for file in found.files or () if ".dist-info" in str(file.parent)]
    own = [Path(str(found.locate_file(f))) for f in files if LICENCE_FILE.search(str(f).split(".dist-info/")[-1])]
    parts = [Path(str(found.locate_file(f))) for f in files if f.parent.name == "sboms"]
    kinds = [line for line in found.metadata.get_all("Classifier") or () if line.startswith("License :: ")]
    classified = " AND ".join(kind.split(" :: ")[-1] for kind in kinds)
    stated = found.metadata.json
    said = str(stated.get("license_expression") or stated.get("license") or classified or "\n")
    links = dict(one.split(", ", 1) for one in found.metadata.get_all("Project-URL") or () if ", " in one)
    homepage = str(stated.get("home_page") or next(iter(links.values()), ""))
    return Component(
        name=found.metadata["Name"],
        version=found.version,
        licence=LICENCES.get(key) or said.splitlines()[0],
        texts=(*sorted(own), *(TEXTS / text for text in MORE_TEXTS.get(key, ()))),
        homepage=homepage,
        purl=f"pkg:pypi/{key}@{found.version}",
        parts=parts[0] if parts else None,
    )


def _fixed() -> Mapping[str, Component]:
    """What is no Python package: the program itself, Python, Qt, and the fonts."""
    qt = importlib.metadata.version("pyside6-essentials")
    fonts = ROOT / "resources" / "fonts"
    python = platform.python_version()
    return {
        "tonnage": Component(
            "Tonnage", __version__, "Apache-2.0", (ROOT / "LICENSE",), "", f"pkg:generic/tonnage@{__version__}"
        ),
        "python": Component(
            "Python",
            python,
            "PSF-2.0",
            (TEXTS / "PSF-2.0.txt",),
            "https://www.python.org",
            f"pkg:generic/python@{python}",
        ),
        "qt": Component(
            "Qt",
            qt,
            "LGPL-3.0-only",
            tuple(TEXTS / name for name in ("LGPL-3.0.txt", "GPL-3.0.txt", "Qt-source.txt", "Qt-third-party.txt")),
            "https://www.qt.io",
            f"pkg:generic/qt@{qt}",
        ),
        "icu": Component(
            "ICU", "73", "Unicode-3.0", (TEXTS / "ICU.txt",), "https://icu.unicode.org", "pkg:generic/icu@73"
        ),
        "inter": Component(
            "Inter", "4.0", "OFL-1.1", (fonts / "Inter-OFL.txt",), "https://rsms.me/inter", "pkg:generic/inter-font@4.0"
        ),
        "jetbrains-mono": Component(
            "JetBrains Mono",
            "2.242",
            "OFL-1.1",
            (fonts / "JetBrainsMono-OFL.txt",),
            "https://www.jetbrains.com/lp/mono",
            "pkg:generic/jetbrains-mono@2.242",
        ),
    }


FIXED = _fixed()


@lru_cache(maxsize=1)
def _installed_files() -> Mapping[Path, str]:
    """The distribution of every file in the environment."""
    return {
        Path(str(found.locate_file(file))).resolve(): found.metadata["Name"]
        for found in importlib.metadata.distributions()
        for file in found.files or ()
    }


@cache
def debian_package(path: Path) -> str:
    """The package of this system that a library belongs to; empty where there is none."""
    # A library under /usr/lib is known to dpkg under /lib too, as the one is a link to the other.
    for name in (path, Path(str(path).removeprefix("/usr"))):
        answer = subprocess.run(["dpkg-query", "--search", str(name)], capture_output=True, text=True)
        if answer.returncode == 0:
            return answer.stdout.split(":")[0].split(",")[0]
    return ""


@cache
def _debian_component(package: str) -> Component:
    show = ["dpkg-query", "--show", "--showformat", "${Version}\n${Homepage}\n", package]
    version, homepage = (subprocess.run(show, capture_output=True, text=True, check=True).stdout + "\n").split("\n")[:2]
    licence = next((licence for start, licence in SYSTEM_LICENCES.items() if package.startswith(start)), "")
    return Component(
        package,
        version,
        licence,
        (DEBIAN_DOCS / package / "copyright",),
        homepage,
        f"pkg:deb/debian/{package}@{version}",
    )


def component_of(destination: str, source: Path) -> Component:
    """Whose work a file is.

    Raises
    ------
    NobodysFile : it was taken from a place for which nobody answers
    """
    name = source.name
    if "PySide6/Qt" in destination.replace("\\", "/") or re.match(r"(lib)?Qt6?[A-Z]", name):
        return FIXED["icu" if name.startswith("libicu") else "qt"]
    if source.is_relative_to(ROOT / "resources" / "fonts"):
        return FIXED["inter" if name.startswith("Inter") else "jetbrains-mono"]
    real = source.resolve()
    owner = _installed_files().get(real)
    if owner is not None:
        return FIXED["tonnage"] if owner == "tonnage" else distribution(owner)
    if "site-packages" not in real.parts and real.is_relative_to(ROOT):
        return FIXED["tonnage"]
    if name == "base_library.zip" or re.match(r"(lib)?python3", name) or _is_of_python(real):
        return FIXED["python"]
    package = debian_package(real) if sys.platform.startswith("linux") else ""
    if package:
        return _debian_component(package)
    raise NobodysFile(f"{destination} was taken from {source}, and its licence is not known")


def _is_of_python(path: Path) -> bool:
    base = Path(sys.base_prefix).resolve()
    if "site-packages" in path.parts or "dist-packages" in path.parts or not path.is_relative_to(base):
        return False
    inside = path.relative_to(base).parts
    return base != Path("/usr") or (inside[0] == "lib" and inside[1].startswith("python3"))


def components(entries: Iterable[tuple[str, Path]]) -> dict[Component, list[str]]:
    """Every component of the program with its files, by name; the bootloader that starts it is always among them."""
    found: dict[Component, list[str]] = {distribution("pyinstaller"): ["tonnage"]}
    for destination, source in entries:
        found.setdefault(component_of(destination, source), []).append(destination)
    for component in found:
        missing = [str(text) for text in component.texts if not text.is_file()]
        if missing or not component.texts:
            raise NobodysFile(f"{component.name} has no licence text: {', '.join(missing) or 'none is stated'}")
        if not component.licence:
            raise NobodysFile(f"{component.name} does not say its licence")
    return dict(sorted(found.items(), key=lambda item: item[0].name.lower()))

"""What the program is made of, for About: names, versions, licences and their texts.

A frozen program carries the list that its build made. A checkout looks at the packages it runs with.
"""

import importlib.metadata
import json
import platform
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from core import RESOURCES

LICENCE_FILE = re.compile(r"\.dist-info/(licenses/)?[^/]*(licen[cs]e|copying)[^/]*$", re.IGNORECASE)
OURS = "tonnage"


@dataclass(frozen=True, slots=True)
class Part:
    """A component and where its licence texts lie."""

    name: str
    version: str
    licence: str
    texts: tuple[Path, ...]

    def text(self) -> str:
        """All its licence texts, one after another."""
        read = (path.read_text(encoding="utf-8", errors="replace").strip() for path in self.texts)
        return "\n\n————————\n\n".join(read)


def parts(resources: Path = RESOURCES) -> list[Part]:
    """Every component, the program itself first."""
    folder = resources / "licences"
    index = folder / "index.json"
    found = _listed(index) if index.is_file() else _installed(resources)
    return sorted(found, key=lambda part: (part.name.lower() != OURS, part.name.lower()))


def _listed(index: Path) -> list[Part]:
    return [
        Part(one["name"], one["version"], one["licence"], tuple(index.parent / name for name in one["texts"]))
        for one in json.loads(index.read_text(encoding="utf-8"))
    ]


def _installed(resources: Path) -> list[Part]:
    root = resources.parent
    fonts = [("Inter", "Inter-OFL.txt"), ("JetBrains Mono", "JetBrainsMono-OFL.txt")]
    found = [Part(name, "", "OFL-1.1", (resources / "fonts" / text,)) for name, text in fonts]
    found.append(Part("Python", platform.python_version(), "PSF-2.0", ()))
    own = importlib.metadata.distribution(OURS)
    found.append(Part("Tonnage", own.version, "Apache-2.0", (root / "LICENSE",)))
    for distribution in _required(own):
        files = [file for file in distribution.files or () if LICENCE_FILE.search(str(file))]
        stated = distribution.metadata.json
        said = str(stated.get("license_expression") or stated.get("license") or "")
        texts = tuple(sorted(Path(str(distribution.locate_file(file))) for file in files))
        licence = said.splitlines()[0] if said else ""
        found.append(Part(distribution.metadata["Name"], distribution.version, licence, texts))
    return found


def _required(own: importlib.metadata.Distribution) -> Iterator[importlib.metadata.Distribution]:
    """What a distribution requires, and what that requires."""
    waiting, seen = list(own.requires or ()), {OURS}
    while waiting:
        line = waiting.pop()
        name = re.split(r"[ <>=!~;\[(]", line)[0].lower().replace("_", "-")
        if name in seen or "extra ==" in line:
            continue
        seen.add(name)
        try:
            found = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:  # required on another system only
            continue
        waiting += found.requires or ()
        yield found

"""What lies in the frozen program: every file with its size and checksum, and the parts that weigh most."""

import hashlib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

LARGEST = 10
INSTALLED_LIMIT_BYTES = 280 * 10**6
PACKAGE_LIMIT_BYTES = 105 * 10**6
# Parts that are told apart inside a folder, by the beginning of their path.
PARTS = (
    "_internal/PySide6/Qt/lib/libicu",
    "_internal/PySide6/Qt/lib",
    "_internal/PySide6/Qt/plugins",
    "_internal/PySide6/Qt/translations",
    "_internal/resources/catalogue",
    "_internal/resources/licences",
)


@dataclass(frozen=True, slots=True)
class Listed:
    """A file of the program; a link has no size of its own, and its target stands in place of the checksum."""

    path: str
    size_bytes: int
    checksum: str


def contents(folder: Path) -> list[Listed]:
    """Every file and link below a folder, by path."""
    found = []
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            found.append(Listed(name, 0, f"-> {path.readlink().as_posix()}"))
        elif path.is_file():
            found.append(Listed(name, path.stat().st_size, hashlib.sha256(path.read_bytes()).hexdigest()))
    return found


def installed_bytes(listed: list[Listed]) -> int:
    return sum(one.size_bytes for one in listed)


def part_of(path: str) -> str:
    """The part that a file belongs to: a folder of libraries, or a file that stands alone.

    >>> part_of("_internal/typst/_typst.abi3.so"), part_of("tonnage"), part_of("_internal/PySide6/Qt/lib/libicudata.so")
    ('_internal/typst', 'tonnage', '_internal/PySide6/Qt/lib/libicu')
    """
    for part in PARTS:
        if path.startswith(part):
            return part
    return "/".join(path.split("/")[:2])


def largest_parts(listed: list[Listed], count: int = LARGEST) -> list[tuple[str, int]]:
    """The parts that weigh most, with their bytes."""
    weights: Counter[str] = Counter()
    for one in listed:
        weights[part_of(one.path)] += one.size_bytes
    return sorted(weights.items(), key=lambda item: (-item[1], item[0]))[:count]


def contents_text(listed: list[Listed]) -> str:
    """The list as a file: the same for the same input."""
    lines = [f"{one.size_bytes:>10}  {one.checksum:<64}  {one.path}" for one in listed]
    return "\n".join([*lines, ""])


def summary(listed: list[Listed]) -> str:
    """Size of the whole and of the largest parts, for people."""
    lines = [f"{installed_bytes(listed) / 1e6:8.1f} MB  installed, {len(listed)} files"]
    lines += [f"{weight / 1e6:8.1f} MB  {part}" for part, weight in largest_parts(listed)]
    return "\n".join(lines)

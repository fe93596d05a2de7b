"""Licence texts, the list of components for About, and the bill of materials (CycloneDX), all from one collection."""

import fnmatch
import hashlib
import json
import re
import uuid
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from core import __version__
from release.build_info import commit, epoch
from release.components import Component

FOLDER = "licences"
INDEX = "index.json"
SBOM = "sbom.cdx.json"
FILES = "files"  # the property that says where a part lies
_PART = re.compile(r"^Name: (?P<name>.+)\nFiles: (?P<files>.+)\n(?:\S.*\n)*?License: (?P<licence>.+)$", re.MULTILINE)
OWNERS = "owners.json"


def write_notices(found: Mapping[Component, Sequence[str]], folder: Path) -> list[tuple[str, Path]]:
    """Write texts, index and bill of materials; what goes where in the program's resources.

    A text that several components share is written once.
    """
    folder.mkdir(parents=True, exist_ok=True)
    names: dict[str, str] = {}  # by content
    index = [_entry(component, folder, names) for component in found]
    (folder / INDEX).write_text(_dump(index), encoding="utf-8")
    (folder / SBOM).write_text(_dump(bill_of_materials(found)), encoding="utf-8")
    return [(f"resources/{FOLDER}", path) for path in sorted(folder.iterdir())]


def write_owners(found: Mapping[Component, Sequence[str]], path: Path) -> None:
    """Note whose work each file is, for the check that follows the build."""
    path.write_text(_dump({component.name: sorted(files) for component, files in found.items()}), encoding="utf-8")


def incomplete(program: Path, owners: Path) -> list[str]:
    """What the notices of a frozen program lack, in words: a file of nobody's, a text, an entry of the bill."""
    inside = program / "_internal"
    folder = inside / "resources" / FOLDER
    owned = json.loads(owners.read_text(encoding="utf-8"))
    known = {name for files in owned.values() for name in files}
    ours = {"base_library.zip", "resources/build.json"}
    found = []
    for path in sorted(inside.rglob("*")):
        name = path.relative_to(inside).as_posix()
        if path.is_dir() or name in known | ours or path.parent == folder:
            continue
        if not (path.is_symlink() and path.resolve().relative_to(inside.resolve()).as_posix() in known):
            found.append(f"{name} is nobody's work")
    index = json.loads((folder / INDEX).read_text(encoding="utf-8"))
    for one in index:
        texts = [folder / text for text in one["texts"]]
        if not one["licence"] or not texts or not all(text.is_file() and text.stat().st_size > 100 for text in texts):
            found.append(f"{one['name']} has no licence text")
    listed = json.loads((folder / SBOM).read_text(encoding="utf-8"))["components"]
    billed = {("Tonnage", __version__), *((part["name"], part["version"]) for part in listed)}
    found += [
        f"{one['name']} is not in the bill of materials" for one in index if (one["name"], one["version"]) not in billed
    ]
    named = {one["name"] for one in index}
    found += [f"{name} has files and is not in the list" for name in owned if name not in named]
    found += _unnamed_libraries(inside, listed)
    return [*found, *_not_replaceable(index, owned, inside)]


def _unnamed_libraries(inside: Path, listed: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Libraries of others that a package carries beside its own, and that the bill does not name."""
    patterns = [
        said["value"]
        for one in listed
        for part in one.get("components", ())
        for said in part.get("properties", ())
        if said["name"] == FILES
    ]
    for path in sorted(inside.glob("*.libs/*")):
        name = path.relative_to(inside).as_posix()
        if not any(fnmatch.fnmatch(name, pattern + "*") for pattern in patterns):
            yield f"{name} is named by no part in the bill of materials"


def _not_replaceable(
    index: Sequence[Mapping[str, Any]], owned: Mapping[str, Sequence[str]], inside: Path
) -> Iterator[str]:
    """What is under the LGPL and has no library of its own that a user could replace."""
    for one in index:
        libraries = [name for name in owned.get(one["name"], ()) if re.search(r"\.(so|dll|dylib)(\.|$)", name)]
        if one["licence"].startswith("LGPL") and not any((inside / name).is_file() for name in libraries):
            yield f"{one['name']} is under the LGPL and no library that can be replaced"


def _entry(component: Component, folder: Path, names: dict[str, str]) -> dict[str, Any]:
    texts = []
    for source in component.texts:
        content = source.read_text(encoding="utf-8", errors="replace")
        digest = hashlib.sha256(content.encode()).hexdigest()
        if digest not in names:
            names[digest] = _free_name(component, source, set(names.values()))
            (folder / names[digest]).write_text(content, encoding="utf-8", newline="\n")
        texts.append(names[digest])
    shown = {"name": component.name, "version": component.version, "licence": component.licence}
    return {**shown, "homepage": component.homepage, "texts": list(dict.fromkeys(texts))}


def _free_name(component: Component, source: Path, taken: set[str]) -> str:
    shared = source.parent.name == FOLDER and source.suffix == ".txt" and ".dist-info" not in str(source)
    stem = source.stem if shared else f"{component.name}-{source.stem}"
    number, name = 1, f"{stem}.txt"
    while name in taken:
        number += 1
        name = f"{stem}-{number}.txt"
    return name


def _dump(content: Any) -> str:
    return json.dumps(content, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


# ---- bill of materials


def bill_of_materials(found: Mapping[Component, Sequence[str]]) -> dict[str, Any]:
    """CycloneDX 1.5: each component with version, licence and package address, and what was compiled into it."""
    listed = [_component(one) for one in found if one.name != "Tonnage"]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, _dump([listed, commit()]))}",
        "version": 1,
        "metadata": {
            "timestamp": datetime.fromtimestamp(epoch(), UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
            "component": {
                "type": "application",
                "bom-ref": f"tonnage@{__version__}",
                "name": "Tonnage",
                "version": __version__,
                "licenses": [{"license": {"id": "Apache-2.0"}}],
                "properties": [{"name": "commit", "value": commit()}],
            },
        },
        "components": listed,
        "dependencies": [{"ref": f"tonnage@{__version__}", "dependsOn": [one["bom-ref"] for one in listed]}],
    }


def _component(one: Component) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "type": "library",
        "bom-ref": one.purl,
        "name": one.name,
        "version": one.version,
        "purl": one.purl,
        "licenses": [_licence(one.licence)],
    }
    if one.homepage:
        shown["externalReferences"] = [{"type": "website", "url": one.homepage}]
    inside = _inside(one)
    return {**shown, "components": inside} if inside else shown


def _told_in_texts(one: Component) -> list[dict[str, str]]:
    """The libraries of others whose licences stand in a component's text, each with its name and its files."""
    texts = [path.read_text(encoding="utf-8", errors="replace") for path in one.texts]
    return [found.groupdict() for text in texts for found in _PART.finditer(text)]


def _licence(said: str) -> dict[str, Any]:
    """An expression of SPDX as such, other words as a name.

    >>> _licence("MIT AND Zlib"), _licence("BSD License")
    ({'expression': 'MIT AND Zlib'}, {'license': {'name': 'BSD License'}})
    """
    is_expression = re.fullmatch(r"[\w.+-]+( (AND|OR|WITH) [\w.+-]+)*", said)
    return {"expression": said} if is_expression else {"license": {"name": said}}


def _inside(one: Component) -> list[dict[str, Any]]:
    """What a compiled library says was compiled into it, or a package of the libraries beside it."""
    if one.parts is None:
        return [
            {
                "type": "library",
                "bom-ref": f"{one.purl}#{part['name']}",
                "name": part["name"],
                "licenses": [_licence(part["licence"])],
                "properties": [{"name": FILES, "value": part["files"]}],
            }
            for part in _told_in_texts(one)
        ]
    listed = json.loads(one.parts.read_text(encoding="utf-8")).get("components", [])
    kept = ("type", "name", "version", "purl", "licenses", "hashes")
    inside = []
    for part in listed:
        name = f"{part['name']}@{part.get('version', '')}"
        inside.append({"bom-ref": f"{one.purl}#{name}", **{key: part[key] for key in kept if key in part}})
    return sorted(inside, key=lambda part: str(part["bom-ref"]))

"""What is made around the frozen program: lists of contents, licences, icons, pictures, the files of each system."""

import configparser
import doctest
import json
import plistlib
import re
import shutil
import struct
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from types import ModuleType

import pytest
from PySide6.QtGui import QImage

import core
from core.build_info import build_info as build_of
from release import (
    build_info,
    clean_root,
    components,
    contents,
    icons,
    notices,
    screen,
    version_resource,
    windows_setup,
)
from release.components import FIXED, Component, NobodysFile, component_of, distribution
from release.linux_files import APP_ID, lay_out, metainfo_text, wrong

ROOT = Path(__file__).resolve().parents[2]
LINUX = ROOT / "packaging" / "linux"


@pytest.mark.parametrize("module", [contents, notices, version_resource])
def test_examples_in_the_texts_hold(module: ModuleType) -> None:
    tried = doctest.testmod(module)
    assert tried.attempted
    assert not tried.failed


# ---- contents


@pytest.fixture
def program(tmp_path: Path) -> Path:
    folder = tmp_path / "tonnage"
    for name, size in {"tonnage": 10, "_internal/typst/lib.so": 3000, "_internal/numpy/a.so": 2000}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(bytes(size))
    (folder / "_internal" / "lib.so").symlink_to("typst/lib.so")
    return folder


def test_contents_name_every_file_once_and_links_weigh_nothing(program: Path) -> None:
    listed = contents.contents(program)
    assert [one.path for one in listed] == [
        "_internal/lib.so",
        "_internal/numpy/a.so",
        "_internal/typst/lib.so",
        "tonnage",
    ]
    assert contents.installed_bytes(listed) == 5010
    assert listed[0].checksum == "-> typst/lib.so"
    assert contents.contents_text(listed) == contents.contents_text(contents.contents(program))


def test_the_largest_parts_come_first(program: Path) -> None:
    listed = contents.contents(program)
    assert contents.largest_parts(listed, 2) == [("_internal/typst", 3000), ("_internal/numpy", 2000)]
    assert "_internal/typst" in contents.summary(listed)


# ---- licences


def of_package(name: str) -> tuple[str, Path]:
    module = __import__(name)
    assert module.__file__
    return name, Path(module.__file__)


def test_files_have_their_makers() -> None:
    assert component_of(*of_package("numpy")).name == "numpy"
    assert component_of(*of_package("core")) is FIXED["tonnage"]
    assert component_of("json", Path(json.__file__)) is FIXED["python"]
    assert component_of("resources/fonts/Inter-Regular.otf", ROOT / "resources/fonts/Inter-Regular.otf").name == "Inter"
    assert component_of("resources/method.md", ROOT / "resources/method.md") is FIXED["tonnage"]
    library = next(Path(__import__("PySide6").__file__ or "").parent.glob("Qt/lib/libQt6Core*"), None)
    if library is not None:  # on Linux it lies there
        assert component_of("PySide6/Qt/lib/" + library.name, library) is FIXED["qt"]


def test_a_file_of_nobody_ends_the_build(tmp_path: Path) -> None:
    stray = tmp_path / "stray.so"
    stray.write_bytes(b"")
    with pytest.raises(NobodysFile, match="its licence is not known"):
        component_of("stray.so", stray)


def runtime_packages() -> list[str]:
    lines = (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines()
    names = [
        re.split(r"[=<> ;]", line)[0] for line in lines if re.match(r"[a-zA-Z]", line) and "sys_platform" not in line
    ]
    return [name for name in names if name != "pip"]  # never travels along


@pytest.mark.parametrize("name", runtime_packages())
def test_every_package_at_run_time_has_licence_and_text(name: str) -> None:
    found = distribution(name)
    assert found.licence
    assert found.texts
    assert all(text.read_text(encoding="utf-8", errors="replace").strip() for text in found.texts)


def test_fixed_components_have_their_texts() -> None:
    assert all(text.is_file() for one in FIXED.values() for text in one.texts)
    names = {text.name for text in FIXED["qt"].texts}
    assert {"LGPL-3.0.txt", "GPL-3.0.txt", "Qt-source.txt"} <= names


def test_every_licence_inside_compiled_libraries_has_its_text() -> None:
    """Where a choice is left, the one that is taken: MIT or Apache-2.0 wherever they are offered."""
    texts = {path.stem for path in components.TEXTS.glob("*.txt")} | {"LLVM-exception"}
    for name in ("typst", "pydantic-core"):
        bill = distribution(name).parts
        assert bill is not None
        for part in json.loads(bill.read_text(encoding="utf-8"))["components"]:
            said = " AND ".join(one.get("expression") or one["license"]["id"] for one in part.get("licenses", []))
            for group in re.split(r"\s+AND\s+", said.replace("(", "").replace(")", "")):
                choices = [re.split(r"\s+WITH\s+", choice)[0] for choice in re.split(r"\s+OR\s+", group)]
                known = texts | {"Unicode-DFS-2016"}  # the earlier name of the same words
                assert known & set(choices), f"{name}: {part['name']} is under {said}"


def test_notices_are_written_once_and_the_bill_names_all(tmp_path: Path) -> None:
    found: dict[Component, list[str]] = {distribution("typst"): ["a"], FIXED["qt"]: ["b"], FIXED["tonnage"]: ["c"]}
    written = notices.write_notices(found, tmp_path / "licences")
    names = {path.name for _, path in written}
    assert {"index.json", "sbom.cdx.json", "LGPL-3.0.txt", "Qt-source.txt"} <= names
    index = json.loads((tmp_path / "licences" / "index.json").read_text())
    assert [one["name"] for one in index] == ["typst", "Qt", "Tonnage"]
    assert all((tmp_path / "licences" / text).is_file() for one in index for text in one["texts"])
    bill = json.loads((tmp_path / "licences" / "sbom.cdx.json").read_text())
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.5")
    assert [part["name"] for part in bill["components"]] == ["typst", "Qt"]
    assert len(bill["components"][0]["components"]) > 200  # the crates of typst
    references = [part["bom-ref"] for part in bill["components"]]
    assert bill["dependencies"][0]["dependsOn"] == references
    assert len(set(references)) == len(references)


def test_the_same_components_give_the_same_bill() -> None:
    found = {distribution("pydantic"): ["a"], FIXED["qt"]: ["b"]}
    assert notices.bill_of_materials(found) == notices.bill_of_materials(found)


def frozen(tmp_path: Path) -> tuple[Path, Path]:
    """A folder as the build leaves it, and the note of whose work its files are."""
    program = tmp_path / "dist"
    inside = program / "_internal"
    found: dict[Component, list[str]] = {FIXED["python"]: ["lib.so"], FIXED["tonnage"]: ["resources/x.json"]}
    notices.write_notices(found, inside / "resources" / "licences")
    notices.write_owners(found, tmp_path / "owners.json")
    (inside / "lib.so").write_bytes(b"x")
    (inside / "resources" / "x.json").write_text("{}")
    return program, tmp_path / "owners.json"


def test_complete_notices_pass(tmp_path: Path) -> None:
    assert notices.incomplete(*frozen(tmp_path)) == []


def test_libraries_beside_a_package_are_in_the_bill_with_their_licences() -> None:
    (numpy,) = notices.bill_of_materials({distribution("numpy"): ["numpy/a.so"]})["components"]
    inside = {one["name"]: one["licenses"][0] for one in numpy.get("components", [])}
    if sys.platform.startswith("linux"):
        assert inside["OpenBLAS"] == {"expression": "BSD-3-Clause"}
        assert inside["GCC runtime library"] == {"expression": "GPL-3.0-or-later WITH GCC-exception-3.1"}
        assert "libquadmath" in inside


def test_a_library_that_no_part_names_is_found(tmp_path: Path) -> None:
    program, owners = frozen(tmp_path)
    beside = program / "_internal" / "numpy.libs"
    beside.mkdir()
    (beside / "libstray.so").write_bytes(b"x")
    listed = json.loads(owners.read_text())
    listed["Python"].append("numpy.libs/libstray.so")
    owners.write_text(json.dumps(listed))
    assert notices.incomplete(program, owners) == [
        "numpy.libs/libstray.so is named by no part in the bill of materials"
    ]


def test_what_is_under_the_lgpl_must_be_replaceable(tmp_path: Path) -> None:
    program = tmp_path / "dist"
    inside = program / "_internal"
    found: dict[Component, list[str]] = {FIXED["qt"]: ["PySide6/Qt/lib/libQt6Core.so.6"], FIXED["tonnage"]: []}
    notices.write_notices(found, inside / "resources" / "licences")
    notices.write_owners(found, tmp_path / "owners.json")
    wrong = "Qt is under the LGPL and no library that can be replaced"
    assert notices.incomplete(program, tmp_path / "owners.json") == [wrong]
    library = inside / "PySide6" / "Qt" / "lib" / "libQt6Core.so.6"
    library.parent.mkdir(parents=True)
    library.write_bytes(b"x")
    assert notices.incomplete(program, tmp_path / "owners.json") == []


def test_whose_files_have_no_entry_is_named(tmp_path: Path) -> None:
    program, owners = frozen(tmp_path)
    listed = json.loads(owners.read_text())
    owners.write_text(json.dumps({**listed, "ghost": ["lib.so"]}))
    assert notices.incomplete(program, owners) == ["ghost has files and is not in the list"]


def test_missing_notices_are_named(tmp_path: Path) -> None:
    program, owners = frozen(tmp_path)
    (program / "_internal" / "stray.so").write_bytes(b"x")
    (program / "_internal" / "resources" / "licences" / "PSF-2.0.txt").unlink()
    assert notices.incomplete(program, owners) == ["stray.so is nobody's work", "Python has no licence text"]


# ---- the build


def test_a_build_says_commit_and_date(tmp_path: Path) -> None:
    (tmp_path / "build.json").write_text(build_info.build_json())
    build = build_of(tmp_path)
    assert build.version == core.__version__
    assert re.fullmatch(r"\d{4}-\d{2}-\d{2}", build.date)
    assert re.fullmatch(r"[0-9a-f]{12}\+?|unknown", build.commit)
    assert build_of(tmp_path / "none").commit == ""


def test_the_clock_of_a_build_can_be_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    assert json.loads(build_info.build_json())["date"] == "1970-01-02"


# ---- icons


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("icons")
    command = [sys.executable, "-m", "release.icons", str(folder)]
    path = f"{ROOT / 'packaging'}:{ROOT}"
    subprocess.run(command, check=True, env={"PYTHONPATH": path, "QT_QPA_PLATFORM": "offscreen"}, cwd=ROOT)
    return folder


@pytest.mark.parametrize("size", [16, 24, 32, 48, 64, 128, 256, 512])
def test_icons_are_drawn_in_every_size(drawn: Path, size: int) -> None:
    for kind, name in (("apps", "tonnage"), ("mimetypes", "application-x-tonnage")):
        image = QImage(str(drawn / "hicolor" / f"{size}x{size}" / kind / f"{name}.png"))
        assert (image.width(), image.height()) == (size, size)
        assert image.pixelColor(0, 0).alpha() < 128  # round corners
        line = {image.pixelColor(x, size // 2).name() for x in range(size)}
        assert len(line) > 1  # the mark is on it


def test_windows_and_mac_icons_hold_their_pictures(drawn: Path) -> None:
    ico = (drawn / "tonnage.ico").read_bytes()
    count = struct.unpack_from("<HHH", ico)[2]
    assert count == len(icons.ICO_SIZES)
    for number in range(count):
        length, offset = struct.unpack_from("<II", ico, 6 + 16 * number + 8)
        assert ico[offset : offset + 4] == b"\x89PNG"
        assert offset + length <= len(ico)
    icns = (drawn / "tonnage.icns").read_bytes()
    assert icns[:4] == b"icns"
    assert struct.unpack_from(">I", icns, 4)[0] == len(icns)


# ---- Linux


def test_the_menu_entry_opens_scenarios() -> None:
    entry = configparser.ConfigParser(interpolation=None)
    entry.optionxform = str  # type: ignore[assignment, method-assign]
    entry.read(LINUX / "tonnage.desktop", encoding="utf-8")
    stated = entry["Desktop Entry"]
    assert stated["Exec"] == "tonnage %F"
    assert stated["MimeType"] == "application/x-tonnage;"
    assert {"Comment[fr]", "Comment[de]", "GenericName[fr]", "GenericName[de]"} <= set(stated)


def test_the_kind_of_file_is_known_by_its_ending() -> None:
    space = "{http://www.freedesktop.org/standards/shared-mime-info}"
    kind = ElementTree.parse(LINUX / "tonnage-mime.xml").getroot().find(f"{space}mime-type")
    assert kind is not None
    assert kind.get("type") == version_resource.MIME
    glob = kind.find(f"{space}glob")
    assert glob is not None
    assert glob.get("pattern") == f"*.{version_resource.ENDING}"


def test_appstream_names_the_release() -> None:
    root = ElementTree.fromstring(metainfo_text())
    assert root.findtext("id") == APP_ID
    release = root.find("releases/release")
    assert release is not None
    assert release.get("version") == core.__version__
    assert "@" not in (release.get("date") or "@")


def test_everything_is_laid_out_below_share(drawn: Path, tmp_path: Path) -> None:
    lay_out(tmp_path, drawn)
    names = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    assert "applications/tonnage.desktop" in names
    assert "mime/packages/tonnage.xml" in names
    assert f"metainfo/{APP_ID}.metainfo.xml" in names
    assert "icons/hicolor/scalable/apps/tonnage.svg" in names


@pytest.mark.skipif(
    any(shutil.which(name) is None for name in ("desktop-file-validate", "appstreamcli")),
    reason="no programs of a desktop here; the full check has them",
)
def test_the_desktop_finds_nothing_wrong(drawn: Path, tmp_path: Path) -> None:
    lay_out(tmp_path, drawn)
    assert wrong(tmp_path) == []
    (tmp_path / "applications" / "tonnage.desktop").write_text("[Desktop Entry]\nType=Nothing\n")
    assert len(wrong(tmp_path)) == 1


def test_the_archive_can_be_put_into_a_users_menu_and_taken_out(drawn: Path, tmp_path: Path) -> None:
    program, home = tmp_path / "to nnage", tmp_path / "home"
    lay_out(program / "share", drawn)
    shutil.copy(LINUX / "integrate.sh", program)
    environment = {"HOME": str(home), "PATH": "/usr/bin:/bin"}
    subprocess.run([program / "integrate.sh"], check=True, env=environment)
    entry = (home / ".local/share/applications/tonnage.desktop").read_text(encoding="utf-8")
    assert f'Exec="{program}/tonnage" %F' in entry
    subprocess.run([program / "integrate.sh", "--remove"], check=True, env=environment)
    left = [path for path in home.rglob("*") if path.is_file() and "tonnage" in path.name]
    assert left == []


# ---- Windows and macOS


def test_the_version_resource_can_be_read_by_python(tmp_path: Path) -> None:
    text = Path(version_resource.version_resource(tmp_path / "version.txt")).read_text(encoding="utf-8")
    compile(text, "version.txt", "eval")
    assert core.__version__ in text


@pytest.mark.skipif(shutil.which("makensis") is None, reason="no makensis here; the full check has one")
def test_the_script_for_windows_compiles(drawn: Path) -> None:
    assert windows_setup.try_script(drawn) > 50_000


def test_the_script_for_windows_asks_for_no_administrator_and_keeps_data() -> None:
    text = windows_setup.SCRIPT.read_text(encoding="utf-8")
    assert "RequestExecutionLevel user" in text
    assert "HKLM" not in text
    assert not re.search(r"(RMDir|Delete).*\$LOCALAPPDATA\\tonnage", text)
    assert 'InstallDir "$LOCALAPPDATA\\Programs' in text


def test_the_mac_bundle_opens_scenarios() -> None:
    entries = version_resource.plist_entries()
    assert plistlib.loads(plistlib.dumps(entries)) == entries
    (kind,) = entries["UTExportedTypeDeclarations"]
    assert kind["UTTypeTagSpecification"]["public.filename-extension"] == ["tonnage"]
    assert entries["CFBundleDocumentTypes"][0]["LSItemContentTypes"] == [kind["UTTypeIdentifier"]]
    entitlements = plistlib.loads((ROOT / "packaging" / "macos" / "entitlements.plist").read_bytes())
    assert not any("network" in key for key in entitlements)


# ---- the proof


def test_a_screen_becomes_a_picture(tmp_path: Path) -> None:
    width, height = 3, 2
    masks = [0xFF0000, 0xFF00, 0xFF, 8, 256]
    head = [100, 7, 2, 24, width, height, 0, 0, 32, 0, 32, 32, 4 * width, 4, *masks, 1, 0, 0, 0, 0, 0]
    pixels = bytes([10, 20, 30, 0, 40, 50, 60, 0, 70, 80, 90, 0] * 2)  # blue, green, red, nothing
    dump = struct.pack(">25I", *head) + bytes(12) + pixels
    path = tmp_path / "screen.png"
    path.write_bytes(screen.png_of_screen(dump))
    image = QImage(str(path))
    assert (image.width(), image.height()) == (width, height)
    assert image.pixelColor(0, 0).name() == "#1e140a"
    assert image.pixelColor(2, 1).name() == "#5a5046"


def test_a_screen_of_another_form_is_refused() -> None:
    with pytest.raises(ValueError, match="cannot be read"):
        screen.png_of_screen(struct.pack(">25I", *([6] * 25)))


def test_the_proof_needs_root(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    assert clean_root.main([]) == 1
    assert "needs root" in capsys.readouterr().err

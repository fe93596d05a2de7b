"""The packages: the same program gives the same bytes, and what they hold lies where a system looks for it."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from release import installer

pytestmark = pytest.mark.skipif(
    any(shutil.which(name) is None for name in ("dpkg-deb", "objdump", "zstd")),
    reason="no tools for Debian packages here; the full check has them",
)


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that stands in for the frozen program: one real program in it, one link, one text."""
    folder = tmp_path / "program"
    licences = folder / "_internal" / "resources" / "licences"
    licences.mkdir(parents=True)
    (licences / "sbom.cdx.json").write_text("{}")
    shutil.copy(Path("/bin/true").resolve(), folder / "tonnage")
    (folder / "_internal" / "link").symlink_to("resources")
    icons = tmp_path / "icons"
    (icons / "hicolor").mkdir(parents=True)
    monkeypatch.setattr(installer, "ICONS", icons)
    return folder


def made_later(program: Path, tmp_path: Path, name: str) -> Path:
    """The same program, copied at another time by somebody with other habits."""
    copy = tmp_path / name
    mask = os.umask(0o077)
    shutil.copytree(program, copy, symlinks=True)
    os.umask(mask)
    later = time.time() + 1000
    for path in copy.rglob("*"):
        os.utime(path, (later, later), follow_symlinks=False)
    return copy


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="packages for Linux")
@pytest.mark.parametrize("pack", [installer.debian_package, installer.archive])
def test_the_same_program_gives_the_same_bytes(
    program: Path, tmp_path: Path, pack: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert callable(pack)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    second.mkdir()
    one = pack(program, first, "1.2.3", tmp_path / "work")
    other = pack(made_later(program, tmp_path, "copy"), second, "1.2.3", tmp_path / "other-work")
    assert one.read_bytes() == other.read_bytes()


def test_the_package_is_laid_out_for_debian(program: Path, tmp_path: Path) -> None:
    package = installer.debian_package(program, tmp_path, "1.2.3", tmp_path / "work")
    assert package.name == f"tonnage_1.2.3_{installer.architecture()}.deb"
    listed = subprocess.run(["dpkg-deb", "--contents", package], capture_output=True, text=True, check=True).stdout
    assert "./usr/bin/tonnage -> ../lib/tonnage/tonnage" in listed
    for name in ("applications/tonnage.desktop", "mime/packages/tonnage.xml", "doc/tonnage/copyright"):
        assert f"./usr/share/{name}" in listed
    assert {line.split()[1] for line in listed.splitlines()} == {"root/root"}
    fields = subprocess.run(["dpkg-deb", "--field", package], capture_output=True, text=True, check=True).stdout
    assert "Version: 1.2.3" in fields
    assert "libc6 (>= 2." in fields
    control = subprocess.run(["dpkg-deb", "--ctrl-tarfile", package], capture_output=True, check=True).stdout
    assert b"postinst" not in control


def test_what_is_too_large_is_said(program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "x.deb"
    package.write_bytes(bytes(2000))
    assert installer.too_large(program, package) == []
    monkeypatch.setattr(installer, "PACKAGE_LIMIT_BYTES", 1000)
    monkeypatch.setattr(installer, "INSTALLED_LIMIT_BYTES", 1000)
    assert len(installer.too_large(program, package)) == 2

"""The files that are handed over: a Debian package, an archive for any Linux, what is in them, and their checksums.

Run as `python -m release.installer`. Every file bears the time of the commit, names are in order, owners are root: the
same program gives the same bytes.
"""

import argparse
import gzip
import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterable
from pathlib import Path

from core import __version__
from release.build_info import epoch
from release.contents import (
    INSTALLED_LIMIT_BYTES,
    PACKAGE_LIMIT_BYTES,
    contents,
    contents_text,
    installed_bytes,
    summary,
)
from release.libraries import depends
from release.linux_files import SOURCES, lay_out, wrong
from release.notices import FOLDER, OWNERS, SBOM, incomplete

ROOT = Path(__file__).resolve().parents[2]
DIST = ROOT / "dist"
PROGRAM = DIST / "tonnage"
ICONS = ROOT / "build" / "app" / "icons"  # drawn when the program was frozen
LEVEL = 9  # of zstd: a higher one takes minutes for a few MB

CONTROL = """\
Package: tonnage
Version: {version}
Architecture: {architecture}
Maintainer: The authors of Tonnage <tonnage@localhost>
Installed-Size: {kibibytes}
Depends: {depends}
Recommends: desktop-file-utils, shared-mime-info
Section: science
Priority: optional
Description: sizes hardware for large language models, offline
 Which hardware carries which language model, for how many users, how fast, and
 why: every figure explained, with its source, and a proposal as PDF.
 .
 Tonnage opens no network connection. It carries Python and Qt; what else it
 carries, with all licences, lies in /usr/lib/tonnage/_internal/resources/licences.
"""
COPYRIGHT = """\
Tonnage is licensed under the Apache License, version 2.0; see /usr/share/common-licenses/Apache-2.0.

What travels with it (Python, Qt under LGPL-3, and others), each with its licence:
/usr/lib/tonnage/_internal/resources/licences, of which index.json is the list. A bill of materials in the form of
CycloneDX is /usr/share/doc/tonnage/sbom.cdx.json. Qt's source: Qt-source.txt in the folder of licences.
"""


def debian_package(program: Path, target: Path, version: str, work: Path) -> Path:
    """Build the .deb of a frozen program. It has no scripts: menus and kinds of file follow from dpkg's triggers."""
    root = work / "deb"
    shutil.rmtree(root, ignore_errors=True)
    library, share = root / "usr/lib/tonnage", root / "usr/share"
    shutil.copytree(program, library, symlinks=True)
    lay_out(share, ICONS)
    (root / "usr/bin").mkdir()
    (root / "usr/bin/tonnage").symlink_to("../lib/tonnage/tonnage")
    document = share / "doc/tonnage"
    document.mkdir(parents=True)
    (document / "copyright").write_text(COPYRIGHT, encoding="utf-8")
    shutil.copyfile(program / "_internal/resources" / FOLDER / SBOM, document / SBOM)
    with (document / "changelog.gz").open("wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as packed:
        packed.write((ROOT / "CHANGELOG.md").read_bytes())
    _settle_modes(root)
    kibibytes = sum(-(-path.lstat().st_size // 1024) for path in root.rglob("*"))
    (root / "DEBIAN").mkdir()
    sums = [f"{_md5(path)}  {path.relative_to(root)}" for path in _files(root) if "DEBIAN" not in path.parts]
    (root / "DEBIAN/md5sums").write_text("\n".join([*sums, ""]))
    (root / "DEBIAN/control").write_text(
        CONTROL.format(
            version=version, architecture=architecture(), kibibytes=kibibytes, depends=", ".join(depends(program))
        )
    )
    _settle_modes(root / "DEBIAN")
    _settle_times(root)
    package = target / f"tonnage_{version}_{architecture()}.deb"
    command = ["dpkg-deb", "--root-owner-group", "-Zzstd", f"-z{LEVEL}", "--build", str(root), str(package)]
    environment = {**os.environ, "SOURCE_DATE_EPOCH": str(epoch())}
    subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
    return package


def archive(program: Path, target: Path, version: str, work: Path) -> Path:
    """Build the .tar.zst: unpack it anywhere, start it there; `integrate.sh` puts it into a user's menu."""
    name = f"tonnage-{version}-linux-{platform.machine()}"
    root = work / "tar" / name
    shutil.rmtree(root.parent, ignore_errors=True)
    shutil.copytree(program, root, symlinks=True)
    lay_out(root / "share", ICONS)
    shutil.copy(SOURCES / "integrate.sh", root / "integrate.sh")
    shutil.copyfile(ROOT / "LICENSE", root / "LICENSE")
    _settle_modes(root)
    package = target / f"{name}.tar.zst"
    with package.open("wb") as file:
        packer = subprocess.Popen(["zstd", f"-{LEVEL}", "-T0", "--quiet", "-c"], stdin=subprocess.PIPE, stdout=file)
        assert packer.stdin is not None
        with packer.stdin, tarfile.open(fileobj=packer.stdin, mode="w|", format=tarfile.PAX_FORMAT) as packed:
            for path in [root, *sorted(root.rglob("*"))]:
                packed.add(path, path.relative_to(root.parent).as_posix(), recursive=False, filter=_plain)
        if packer.wait():
            raise SystemExit("zstd could not write the archive")
    return package


def _plain(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = "root"
    entry.mtime = epoch()
    return entry


def architecture() -> str:
    """As Debian calls it."""
    answer = subprocess.run(["dpkg", "--print-architecture"], capture_output=True, text=True, check=True)
    return answer.stdout.strip()


def _files(folder: Path) -> Iterable[Path]:
    return (path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink())


def _md5(path: Path) -> str:
    return hashlib.md5(path.read_bytes(), usedforsecurity=False).hexdigest()


def _settle_modes(folder: Path) -> None:
    """Rights that do not depend on the builder's umask."""
    for path in [folder, *folder.rglob("*")]:
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)


def _settle_times(folder: Path) -> None:
    for path in [folder, *folder.rglob("*")]:
        os.utime(path, (epoch(), epoch()), follow_symlinks=False)


def too_large(program: Path, package: Path) -> list[str]:
    """What exceeds its budget, in words."""
    found = []
    installed, packed = installed_bytes(contents(program)), package.stat().st_size
    if installed > INSTALLED_LIMIT_BYTES:
        found.append(f"{installed / 1e6:.0f} MB installed, at most {INSTALLED_LIMIT_BYTES / 1e6:.0f}")
    if packed > PACKAGE_LIMIT_BYTES:
        found.append(f"{package.name}: {packed / 1e6:.0f} MB, at most {PACKAGE_LIMIT_BYTES / 1e6:.0f}")
    return found


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="release.installer", description="Pack the frozen program.")
    parser.add_argument("--version", default=__version__, help="another version number, to try an upgrade")
    parser.add_argument("--target", type=Path, default=DIST, help="folder to write to")
    parser.add_argument("--deb-only", action="store_true", help="leave the archive out")
    options = parser.parse_args(arguments)
    if not (PROGRAM / "tonnage").is_file():
        print("there is no frozen program; `make package` builds one", file=sys.stderr)
        return 1
    options.target.mkdir(parents=True, exist_ok=True)
    work = ROOT / "build" / "installer"
    made = [debian_package(PROGRAM, options.target, options.version, work)]
    described = wrong(work / "deb" / "usr" / "share")
    if not options.deb_only:
        made.append(archive(PROGRAM, options.target, options.version, work))
    listed = contents(PROGRAM)
    (options.target / "contents.txt").write_text(contents_text(listed), encoding="utf-8")
    bill = options.target / f"tonnage-{options.version}.cdx.json"
    shutil.copyfile(PROGRAM / "_internal/resources" / FOLDER / SBOM, bill)
    sums = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}" for path in [*made, bill]]
    (options.target / "SHA256SUMS").write_text("\n".join([*sums, ""]), encoding="utf-8")
    shutil.rmtree(work, ignore_errors=True)
    print(summary(listed))
    for path in made:
        print(f"{path.stat().st_size / 1e6:8.1f} MB  {path.name}")
    failures = [*too_large(PROGRAM, made[0]), *incomplete(PROGRAM, ROOT / "build" / "app" / OWNERS), *described]
    for failure in failures:
        print(f"not fit to hand over: {failure}", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

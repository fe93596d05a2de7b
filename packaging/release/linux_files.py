"""The Linux desktop's view of the program: menu entry, kind of file, description, icons, laid out as below /usr."""

import shutil
import subprocess
from pathlib import Path

from core import __version__
from release.build_info import build_json

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "packaging" / "linux"
APP_ID = "org.tonnage.Tonnage"


def lay_out(share: Path, icons: Path) -> None:
    """Put menu entry, kind of file, AppStream data and icons below a `share` folder."""
    copies = {
        SOURCES / "tonnage.desktop": share / "applications" / "tonnage.desktop",
        SOURCES / "tonnage-mime.xml": share / "mime" / "packages" / "tonnage.xml",
    }
    for source, target in copies.items():
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
    metainfo = share / "metainfo" / f"{APP_ID}.metainfo.xml"
    metainfo.parent.mkdir(parents=True, exist_ok=True)
    metainfo.write_text(metainfo_text(), encoding="utf-8")
    shutil.copytree(icons / "hicolor", share / "icons" / "hicolor")


def wrong(share: Path) -> list[str]:
    """What the desktop's own programs find wrong below a `share` folder, in their words."""
    checks = (
        ["desktop-file-validate", str(share / "applications" / "tonnage.desktop")],
        ["appstreamcli", "validate", "--no-net", str(share / "metainfo" / f"{APP_ID}.metainfo.xml")],
    )
    answers = [subprocess.run(command, capture_output=True, text=True) for command in checks]
    return [f"{one.stdout}{one.stderr}".strip() for one in answers if one.returncode]


def metainfo_text() -> str:
    """The AppStream description, with the release that is built."""
    import json

    text = (SOURCES / "metainfo.xml").read_text(encoding="utf-8")
    return text.replace("@VERSION@", __version__).replace("@DATE@", json.loads(build_json())["date"])

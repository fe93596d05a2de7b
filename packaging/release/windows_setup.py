"""The setup file for Windows: what the script of NSIS is called with, on Windows and when it is tried elsewhere."""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from core import __version__
from release.version_resource import numbers

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "packaging" / "windows" / "tonnage.nsi"
ICONS = ROOT / "build" / "app" / "icons"


def setup_command(source: Path, icons: Path, output: Path, sign: str = "") -> list[str]:
    """The call of makensis that packs the folder of a frozen program."""
    stated = {
        "VERSION": __version__,
        "NUMBERS": ".".join(map(str, numbers())),
        "SOURCE": str(source),
        "ICONS": str(icons),
        "LICENCE": str(ROOT / "LICENSE"),
        "OUTPUT": str(output),
        **({"SIGN": sign} if sign else {}),
    }
    return ["makensis", "-V2", "-WX", *(f"-D{name}={value}" for name, value in stated.items()), str(SCRIPT)]


def try_script(icons: Path) -> int:
    """Compile the script with a folder that stands in for the program; the size of what came out [byte].

    Raises
    ------
    CalledProcessError : the script has an error, or a warning
    """
    with tempfile.TemporaryDirectory() as folder:
        source, output = Path(folder, "tonnage"), Path(folder, "tonnage-stand-in.exe")
        (source / "_internal").mkdir(parents=True)
        (source / "tonnage.exe").write_bytes(b"MZ")
        (source / "_internal" / "library.dll").write_bytes(b"MZ")
        subprocess.run(setup_command(source, icons, output), check=True)
        if not output.read_bytes().startswith(b"MZ"):
            raise SystemExit("makensis wrote no program")
        return output.stat().st_size


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="release.windows_setup", description="Pack the frozen program for Windows.")
    parser.add_argument("--sign", default="", help="command that signs a file, whose name is added")
    parser.add_argument("--try", action="store_true", dest="only_try", help="only compile the script, with a stand-in")
    options = parser.parse_args(arguments)
    if options.only_try:
        print(f"the script for Windows compiles: a stand-in of {try_script(ICONS):,} bytes; it was not run")
        return 0
    output = ROOT / "dist" / f"tonnage-{__version__}-windows-setup.exe"
    return subprocess.run(setup_command(ROOT / "dist" / "tonnage", ICONS, output, options.sign)).returncode


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

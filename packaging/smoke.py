"""Starts the frozen program's own self-test, without a display, in an empty home, and says what failed.

Then it lets the program write a proposal and a workbook, which must be those of the sources, byte for byte.

A freeze can succeed and still give a program that dies at its start, or one that hangs on an error nobody sees.
So it is started, and it has a time limit.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "dist" / "tonnage" / ("tonnage.exe" if os.name == "nt" else "tonnage")
LIMIT_S = 1000  # the self-test ends itself before
HOMES = ["HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"]


def environment(home: str) -> dict[str, str]:
    """This environment, less all that could lend the frozen program a module or a setting of this machine."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV", "XDG_"))}
    return {**kept, **dict.fromkeys(HOMES, home), "QT_QPA_PLATFORM": "offscreen"}


def self_test(program: Path) -> str | None:
    """What went wrong, in words; None when all went well."""
    if not program.is_file():
        return f"{program} does not exist; build it with `make package`"
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        try:
            answer = subprocess.run(
                [program, "--selftest"],
                cwd=home,
                env=environment(home),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                timeout=LIMIT_S,
            )
        except subprocess.TimeoutExpired as late:
            printed = late.stdout or b""  # bytes, even where text was asked for
            return f"still running after {LIMIT_S} s\n{printed.decode(errors='replace')}"
    print(answer.stdout, end="")
    return f"ended with exit code {answer.returncode}" if answer.returncode else None


def written(command: list[str], home: str, name: str) -> bytes:
    """What a program writes of the worked example on a fixed day."""
    said = ["propose", "example.tonnage", "-o", name, "--language", "de", "--everything", "--date", "2026-01-31"]
    for arguments in (["example", "-o", "example.tonnage"], said):
        subprocess.run(
            [*command, *arguments], cwd=home, env=environment(home), check=True, capture_output=True, timeout=200
        )
    return Path(home, name).read_bytes()


def differing(program: Path) -> str | None:
    """The first file that the frozen program writes otherwise than its sources; None where all are the same."""
    sources = [
        sys.executable,
        "-c",
        f"import sys; sys.path.insert(0, {str(ROOT)!r}); import desktop.__main__ as m; sys.exit(m.main())",
    ]
    for name in ("proposal.pdf", "workbook.xlsx"):
        with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
            try:
                if written([str(program)], one, name) != written(sources, other, name):
                    return f"{name} is another than that of the sources"
            except (OSError, subprocess.SubprocessError) as failure:
                return f"{name} was not written: {failure}"
    return None


def main() -> int:
    failure = self_test(PROGRAM) or differing(PROGRAM)
    if failure:
        print(f"frozen program: {failure}", file=sys.stderr)
        return 1
    size = sum(path.stat().st_size for path in PROGRAM.parent.rglob("*") if path.is_file() and not path.is_symlink())
    print(f"frozen program: self-test passed, files as from the sources; the folder holds {size / 1e6:.0f} MB")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

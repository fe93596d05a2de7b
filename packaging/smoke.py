"""Starts the frozen program's own self-test, without a display, in an empty home, and says what failed.

A freeze can succeed and still give a program that dies at its start, or one that hangs on an error nobody sees.
So it is started, and it has a time limit.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM = (
    Path(__file__).resolve().parent.parent / "dist" / "tonnage" / ("tonnage.exe" if os.name == "nt" else "tonnage")
)
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


def main() -> int:
    failure = self_test(PROGRAM)
    if failure:
        print(f"frozen program: {failure}", file=sys.stderr)
        return 1
    size = sum(path.stat().st_size for path in PROGRAM.parent.rglob("*") if path.is_file() and not path.is_symlink())
    print(f"frozen program: self-test passed; the folder holds {size / 1e6:.0f} MB")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

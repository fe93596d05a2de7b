"""The commit that is built, its date, and the one clock of a build: the time of that commit."""

import json
import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SHORT = 12


def _git(*arguments: str) -> str:
    """What git says about the checkout; nothing where there is no git or no history."""
    try:
        answer = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
    except OSError:
        return ""
    return answer.stdout.strip() if answer.returncode == 0 else ""


def epoch() -> int:
    """Seconds since 1970 that every file of a build bears: SOURCE_DATE_EPOCH, else the time of the commit."""
    stated = os.environ.get("SOURCE_DATE_EPOCH") or _git("log", "-1", "--format=%ct")
    return int(stated) if stated else int((ROOT / "CHANGELOG.md").stat().st_mtime)


def commit() -> str:
    """The commit, with a plus sign where files differ from it; `unknown` outside a repository."""
    name = _git("rev-parse", f"--short={SHORT}", "HEAD")
    changed = _git("status", "--porcelain", "--untracked-files=no")
    return name + ("+" if changed else "") if name else "unknown"


def build_json() -> str:
    """What the program reads at `core.build_info`."""
    day = datetime.fromtimestamp(epoch(), UTC).date().isoformat()
    return json.dumps({"commit": commit(), "date": day}, indent=1, sort_keys=True) + "\n"

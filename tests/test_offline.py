"""Tonnage opens no network connection: not from Python, and as the system sees it, none at all."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from core.sizing.examples import worked_example_in_reality
from core.store.scenario_file import write_scenario

# Every call of Python's socket module is an audit event; asking for a name or a connection would be one.
GUARDED = """
import sys
def refuse(event, arguments):
    if event.startswith(("socket.", "urllib.", "http.", "ftplib.", "smtplib.")):
        raise RuntimeError(f"the network was asked for: {event} {arguments}")
sys.addaudithook(refuse)
from desktop.__main__ import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture(params=["self-test", "proposal"])
def job(request: pytest.FixtureRequest, tmp_path: Path) -> list[str]:
    """The whole job in a window, and without one."""
    if request.param == "self-test":
        return ["--selftest"]
    write_scenario(tmp_path / "option.tonnage", worked_example_in_reality())
    return ["propose", str(tmp_path / "option.tonnage"), "-o", str(tmp_path / "proposal.pdf")]


def run(command: list[str]) -> None:
    answer = subprocess.run(command, capture_output=True, text=True, timeout=1000)
    assert answer.returncode == 0, answer.stdout + answer.stderr


def test_python_asks_for_no_network(job: list[str]) -> None:
    run([sys.executable, "-c", GUARDED, *job])


def without_a_network() -> list[str]:
    """What goes before a command so that it runs where there is no network; nothing where that is not allowed."""
    if shutil.which("unshare") is None:
        return []
    prefix = ["unshare", "--map-root-user", "--net"]
    return prefix if subprocess.run([*prefix, "true"], capture_output=True).returncode == 0 else []


@pytest.mark.skipif(
    shutil.which("strace") is None and "CI" not in os.environ,
    reason="no strace here; the full check has one",
)
def test_the_system_sees_no_internet_socket(job: list[str], tmp_path: Path) -> None:
    seen = tmp_path / "calls.txt"
    watched = ["strace", "-f", "--seccomp-bpf", "-e", "trace=%network", "-o", str(seen)]
    run([*without_a_network(), *watched, sys.executable, "-m", "desktop", *job])
    calls = seen.read_text()
    assert "+++ exited with 0 +++" in calls
    assert [line for line in calls.splitlines() if "AF_INET" in line] == []


def test_the_watch_would_see_one() -> None:
    with pytest.raises(AssertionError, match="the network was asked for"):
        run(
            [
                sys.executable,
                "-c",
                GUARDED.replace("from desktop.__main__ import main", "import socket; socket.socket()"),
            ]
        )

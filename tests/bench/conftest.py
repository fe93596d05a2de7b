"""Measurements beside their budgets, printed as one table at the end of `make bench`."""

import statistics
import time
from collections.abc import Callable
from typing import Protocol

import pytest

ROWS = pytest.StashKey[list[str]]()


class Measure(Protocol):
    def __call__(self, what: str, budget_s: float, work: Callable[[], object], repeats: int = 200) -> float: ...


#: Adds a line to the table that is no measurement of ours.
Note = Callable[[str], None]


@pytest.fixture
def note(pytestconfig: pytest.Config) -> Note:
    return pytestconfig.stash.setdefault(ROWS, []).append


@pytest.fixture
def measure(pytestconfig: pytest.Config) -> Measure:
    """Runs the work often, notes its median beside the budget and returns it [s].

    Only a gross overrun fails, since wall time on a shared machine says little; people read the table.
    """
    rows = pytestconfig.stash.setdefault(ROWS, [])

    def run(what: str, budget_s: float, work: Callable[[], object], repeats: int = 200) -> float:
        work()  # warm
        times = []
        for _ in range(repeats):
            start = time.perf_counter()
            work()
            times.append(time.perf_counter() - start)
        median = statistics.median(times)
        worst = max(times)
        rows.append(f"{what:<48} {median * 1e3:10.3f} ms {budget_s * 1e3:10.3f} ms {worst * 1e3:10.3f} ms {repeats:5d}")
        assert median < 10 * budget_s, f"{what}: {median} s, more than ten times the budget of {budget_s} s"
        return median

    return run


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    rows = config.stash.get(ROWS, [])
    if rows:
        terminalreporter.section("budgets")
        terminalreporter.write_line(f"{'':<48} {'median':>13} {'budget':>13} {'slowest':>13} {'runs':>5}")
        for row in rows:
            terminalreporter.write_line(row)

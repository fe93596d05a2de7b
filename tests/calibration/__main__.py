"""Fits the parameters and writes them: python -m tests.calibration [--keep-ranges | --crossvalidate].

With --crossvalidate the ranges are fitted anew from sources never seen, and the tables of the method page are written;
without it the ranges stay as they are and only the parameters are fitted.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from tests.accuracy.records import DATA, read_records
from tests.calibration import page, publish
from tests.calibration.crossvalidation import cells, leave_one_source_out, table
from tests.calibration.fit import Fit, Fitter
from tests.calibration.kernels import kernel_observations
from tests.calibration.observations import observations
from tests.calibration.spreads import fit_spreads


def main(arguments: Sequence[str]) -> int:
    """Fit, and write the calibration; with --crossvalidate also the ranges and the tables."""
    parser = argparse.ArgumentParser(prog="python -m tests.calibration", description="Fits the method's parameters.")
    parser.add_argument("--crossvalidate", action="store_true", help="leave each source out once; some minutes")
    options = parser.parse_args(arguments)
    fitter = Fitter([*observations(read_records(DATA / "throughput.json")), *kernel_observations()])
    fit = fitter.fit(np.ones(len(fitter.seen), dtype=bool))
    known = json.loads(publish.TARGET.read_text("utf-8"))
    spread = _crossvalidate(fitter, fit) if options.crossvalidate else known["spread"]
    publish.TARGET.write_text(publish.text(publish.document(fitter, fit, spread, known)), "utf-8")
    return 0


def _crossvalidate(fitter: Fitter, fit: Fit) -> dict[str, Any]:
    ratios = leave_one_source_out(fitter, fit)
    spread = fit_spreads(fitter.seen, ratios)
    found = table(list(cells(fitter.seen, ratios, spread)))
    print(found)
    page.write("crossvalidation", found)
    return spread


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

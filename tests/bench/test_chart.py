import pyqtgraph
import pytest
from pytestqt.qtbot import QtBot

from tests.bench.conftest import Measure

pytestmark = pytest.mark.bench

FRAME_S = 0.016


def test_chart_redraws_within_a_frame(qtbot: QtBot, measure: Measure) -> None:
    # The floor under every edit: three curves of 500 points, nothing computed.
    plot = pyqtgraph.PlotWidget()
    qtbot.addWidget(plot)
    plot.resize(600, 400)
    curves = [plot.plot(antialias=True) for _ in range(3)]
    with qtbot.waitExposed(plot):
        plot.show()
    xs = [float(x) for x in range(500)]
    shift = 0

    def redraw() -> None:
        nonlocal shift
        shift += 1
        for order, curve in enumerate(curves, 1):
            curve.setData(xs, [(x * order + shift) % 97 for x in xs])
        plot.viewport().repaint()

    measure("three curves of 500 points, set and repainted", FRAME_S, redraw)

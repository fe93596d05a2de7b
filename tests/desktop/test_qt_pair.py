"""PySide6 and pyqtgraph are pinned as a pair, because one release of PySide6 lost references to None.

Each Qt call that returns nothing took one reference away; after some thousand calls Python 3.11 aborts.
"""

import sys

import pyqtgraph
import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="None is immortal from Python 3.12 on: its count stands still")
def test_calls_keep_their_references_to_none(qtbot: QtBot) -> None:
    label = QLabel()
    qtbot.addWidget(label)
    label.setText("warm")
    before = sys.getrefcount(None)
    for number in range(200):
        label.setText(str(number))
    # Other code may add or drop a few; the fault dropped one a call.
    assert sys.getrefcount(None) - before > -20


def test_chart_survives_300_repaints(qtbot: QtBot) -> None:
    plot = pyqtgraph.PlotWidget()
    qtbot.addWidget(plot)
    plot.resize(400, 300)
    curves = [plot.plot(antialias=True) for _ in range(3)]
    with qtbot.waitExposed(plot):
        plot.show()
    xs = list(range(100))
    for repaint in range(300):
        for offset, curve in enumerate(curves):
            curve.setData(xs, [(x * (offset + 1) + repaint) % 97 for x in xs])
        plot.viewport().repaint()
    assert all(len(curve.getData()[0]) == len(xs) for curve in curves)

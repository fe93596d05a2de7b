"""What comes before everything else when the window starts; imported first, for what it does.

Nothing becomes garbage while a program starts, and looking for some took a tenth of the time; `desktop.collector` looks
later. And what computes comes before Qt: once PySide6 is there, it searches the source of each further module for its
own name.
"""

import gc
from importlib import import_module

BEFORE_QT = (
    "core.catalogue.loading",
    "core.language.chart_sentences",
    "core.language.figures",
    "core.sizing.costs.cost",
    "core.sizing.size",
    "core.sizing.records_used",
    "core.store.library",
    "core.store.packs",
)

gc.disable()
for _name in BEFORE_QT:
    import_module(_name)

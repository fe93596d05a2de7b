"""Charts: each draws one picture of a sizing, and gives the same numbers as a table.

`picture`, `axes`, `labels` and the modules that build pictures know nothing of pyqtgraph; `base` is the one module that
imports it, and is itself imported only when the first chart with curves is shown.
"""

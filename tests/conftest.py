"""What every test shares. Runs before Qt is imported, so that no test needs a display."""

import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

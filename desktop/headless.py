"""Without a display: the worked example as figures, picture and proposal."""

import os
import sys
import tempfile
from datetime import date
from pathlib import Path

from core.errors import TonnageError


def demo(folder: Path) -> int:
    """Write the worked example's figures, a picture of the window and the proposal into a folder."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        try:
            written = _write_all(folder, Path(home))
        except TonnageError as error:
            print(f"tonnage: {error.message}", file=sys.stderr)
            return 1
    for path in written:
        print(path)
    return 0


def _write_all(folder: Path, home: Path) -> list[Path]:
    from PySide6.QtWidgets import QApplication

    from core.language.summary import summary
    from core.proposal.options import ProposalOptions
    from desktop.app import Application, make_application
    from desktop.folders import Folders
    from desktop.proposal_export import write

    folder.mkdir(parents=True, exist_ok=True)
    app = make_application(["tonnage"])
    faults: list[BaseException] = []
    sys.excepthook = lambda _kind, error, _trace: faults.append(error)
    application = Application(app, Folders.below(home))
    application.window.resize(1280, 800)
    application.window.show()
    application.complete()
    for _round in range(3):
        QApplication.processEvents()
    sizing = application.session.sizing
    if sizing is None:
        raise RuntimeError("the worked example was not sized")
    figures, picture, proposal = folder / "figures.txt", folder / "window.png", folder / "proposal.pdf"
    figures.write_text(summary(sizing), encoding="utf-8")
    if not application.window.grab().save(str(picture)):
        raise RuntimeError("the picture of the window was not written")
    write(((sizing.scenario, application.session.catalogue),), proposal, ProposalOptions(date=date.today()))
    application.window.close()
    application.close()
    if faults:
        raise faults[0]
    return [figures, picture, proposal]

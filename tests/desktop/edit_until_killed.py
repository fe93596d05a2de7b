"""The whole program, editing and saving until it is killed: `python -m tests.desktop.edit_until_killed FOLDER`.

It starts as people start it, then edits the scenario on screen at every tick and tells what has been saved.
"""

import sys
from pathlib import Path

from PySide6.QtCore import QTimer

from desktop.app import Application, make_application
from desktop.folders import Folders

EVERY_MS = 10


def main(folder: str) -> int:
    app = make_application(["tonnage"])
    application = Application(app, Folders.below(Path(folder)))
    application.start()
    session = application.session

    def edit() -> None:
        session.edit("Users", workload__users=session.scenario.workload.users % 1_000_000 + 1)
        if session.save():
            print(session.scenario_id, session.scenario.workload.users, flush=True)

    timer = QTimer(app)
    timer.timeout.connect(edit)
    timer.start(EVERY_MS)
    return app.exec()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

"""`tonnage`: opens the window, with a file brings that in; with a command, does its work without a window."""

import sys
from collections.abc import Sequence
from pathlib import Path


def main(arguments: Sequence[str] | None = None) -> int:
    """Start what the arguments ask for; nothing is imported that it does not need."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    match given:
        case ["--selftest", *more] if more in ([], ["--window"]):
            from desktop.self_test import self_test

            return self_test(window=bool(more))
        case ["--start-times", folder]:
            from desktop.start_times import start_times

            return start_times(Path(folder))
        case ["--headless-demo", folder, *_]:
            from desktop.headless import demo

            return demo(Path(folder))
        case [first, *_] if not Path(first).exists():  # a command, a switch, or a slip that it explains
            from core.cli import main as command_line
            from desktop.folders import Folders

            return command_line(given, Folders.of_user().data)
    from desktop.app import run_window

    return run_window(given)


if __name__ == "__main__":
    sys.exit(main())

"""The keys of the window in one list: what Help shows, and what a test walks through."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.language.messages import gettext as _


@dataclass(frozen=True, slots=True)
class Keys:
    """Keys as people press them, and what they do."""

    keys: str
    does: str


@dataclass(frozen=True, slots=True)
class KeyGroup:
    """Keys that belong together, under a heading."""

    name: str
    keys: tuple[Keys, ...]


def keyboard_map() -> Sequence[KeyGroup]:
    """Every key, by where it works."""
    return (
        KeyGroup(
            _("Everywhere"),
            (
                Keys("Ctrl+K", _("Search or run: scenarios, models, devices, commands")),
                Keys("Ctrl+1", _("Sizing")),
                Keys("Ctrl+2", _("Find hardware")),
                Keys("Ctrl+3", _("Find models")),
                Keys("Ctrl+4", _("Compare")),
                Keys("Ctrl+5", _("Catalogue")),
                Keys("Ctrl+P", _("Proposal")),
                Keys("Ctrl+B", _("Narrow or widen the sidebar")),
                Keys("Ctrl+,", _("Settings")),
                Keys("F6", _("Next column")),
                Keys("Shift+F6", _("Previous column")),
                Keys("Ctrl+O", _("Import or open a file")),
                Keys("Ctrl+Shift+S", _("Save a copy")),
                Keys("Ctrl+Q", _("Quit")),
            ),
        ),
        KeyGroup(
            _("Scenarios"),
            (
                Keys("Ctrl+N", _("New scenario")),
                Keys("Ctrl+D", _("Duplicate scenario")),
                Keys("F2", _("Rename scenario")),
                Keys("Ctrl+M", _("Move to a client")),
                Keys("Ctrl+Tab", _("Next scenario")),
                Keys("Ctrl+Shift+Tab", _("Previous scenario")),
                Keys("Ctrl+Z", _("Undo")),
                Keys("Ctrl+Shift+Z", _("Redo")),
            ),
        ),
        KeyGroup(
            _("In lists"),
            (
                Keys("Enter", _("Open")),
                Keys("Space", _("Tick, to compare")),
                Keys("Delete", _("Delete, with undo")),
                Keys("Alt+Up", _("Move up")),
                Keys("Alt+Down", _("Move down")),
                Keys("Menu", _("What else can be done")),
            ),
        ),
        KeyGroup(
            _("Results and charts"),
            (
                Keys("Alt+1", _("First result tab, and so on to Alt+6")),
                Keys("T", _("The numbers of the charts as a table")),
                Keys("F1", _("Explain what has the focus")),
                Keys("Ctrl+E", _("Save the chart")),
                Keys("Left", _("Read a chart out, point by point")),
            ),
        ),
        KeyGroup(
            _("In fields"),
            (
                Keys("Up", _("One step more")),
                Keys("Down", _("One step less")),
                Keys("Shift+Up", _("Ten steps more")),
                Keys("PgUp", _("Twice as much")),
                Keys("PgDown", _("Half as much")),
                Keys("Enter", _("Accept and stay")),
                Keys("Esc", _("Back to the last good value")),
            ),
        ),
    )

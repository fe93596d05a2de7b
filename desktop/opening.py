"""Opening the store of scenarios: what may be wrong with it, what is asked, and what is said about it."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QMessageBox

from core.errors import StoreError
from core.language import sentences
from core.language.messages import gettext as _
from core.language.numbers import current
from desktop.library_store import LibraryStore
from desktop.session import Message
from desktop.widgets.question import Question

if TYPE_CHECKING:
    from core.store.database import Backup

STORE = "tonnage.sqlite"
TOPIC = "opening"
Offer = Callable[["Backup"], bool]
#: A store, and what is to be said about it.
OpenedStore = tuple[LibraryStore, list[Message]]


def open_store(folder: Path, offer: Offer) -> OpenedStore:
    """The user's scenarios; where no file can be opened, a store that lasts until the program ends."""
    from core.store.library import Library

    try:
        library = Library(folder / STORE, datetime.now(UTC), offer)
    except StoreError as error:
        text = _("{problem} What you do now is not kept.")
        return fleeting_store(text.format(problem=sentences.error(error)))
    messages = []
    if library.set_aside is not None:
        text = _("The file of your scenarios was damaged. It lies beside the new one as {file}.")
        if library.backup is not None:
            text = _("The file of your scenarios was damaged and lies beside as {file}. These are from {when}.")
        when = moment(library.backup.made) if library.backup else ""
        messages.append(Message(text.format(file=library.set_aside.name, when=when), "warn", TOPIC))
    elif library.backup_problem:
        text = _("Today’s backup of your scenarios was not made: {reason}.").format(reason=library.backup_problem)
        messages.append(Message(text, "warn", TOPIC))
    return LibraryStore(library), messages


def open_read_only(folder: Path) -> OpenedStore:
    """The scenarios as they are now, beside another window that keeps them."""
    from core.store.library import Library

    try:
        library = Library.copy_of(folder / STORE, datetime.now(UTC))
    except StoreError as error:
        text = _("{problem} What you do now is not kept.")
        return fleeting_store(text.format(problem=sentences.error(error)))
    text = _("Read-only: another window keeps these scenarios. What you change here is not kept.")
    return LibraryStore(library, lasting=False), [Message(text, "info", TOPIC)]


def fleeting_store(why: str) -> OpenedStore:
    """A store that ends with the program."""
    from core.store.library import Library

    return LibraryStore(Library(None, datetime.now(UTC)), lasting=False), [Message(why, "bad", TOPIC)]


def moment(made: datetime) -> str:
    """A day and time of this machine, in words."""
    here = made.astimezone()
    return _("{date}, {time}").format(date=current().date(here.date()), time=f"{here:%H:%M}")


# -- questions that cannot wait: whatever comes next is written over them


def offer_backup(backup: "Backup") -> bool:
    """Whether the newest backup shall take the place of the damaged file."""
    text = _("It is set aside, not deleted. The newest backup is from {when}.").format(when=moment(backup.made))
    question = Question("warn", _("The file of your scenarios is damaged."), text)
    take = question.add_safe(_("Use the backup"), QMessageBox.ButtonRole.AcceptRole)
    question.add_other(_("Begin empty"), QMessageBox.ButtonRole.RejectRole)
    question.exec()
    return question.clickedButton() is take


def offer_read_only() -> bool:
    """Another window is open: whether to open this one to look only."""
    text = _("Only one window keeps the scenarios. Another one can be opened to look at them.")
    question = Question("info", _("Tonnage is already open."), text)
    look = question.add_safe(_("Open read-only"), QMessageBox.ButtonRole.AcceptRole)
    question.setEscapeButton(question.add_other(_("Close"), QMessageBox.ButtonRole.RejectRole))
    question.exec()
    return question.clickedButton() is look

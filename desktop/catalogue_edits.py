"""Edits of the catalogue as steps of the one history of undo: a record kept, changed or forgotten."""

from collections.abc import Callable
from datetime import date
from pathlib import Path

from PySide6.QtGui import QUndoCommand

from core.errors import TonnageError
from core.language import sentences
from core.language.messages import gettext as _
from desktop.own_records import Keepable, OwnRecords
from desktop.pack_shelf import Offer, PackShelf
from desktop.session import Message, Session, one_of

TOPIC = "pack"


class _Step(QUndoCommand):
    """Something that was done already when it is pushed, and that can be done and taken back again."""

    def __init__(self, text: str, do: Callable[[], bool], take_back: Callable[[], bool]) -> None:
        super().__init__(text)
        self._do, self._take_back = do, take_back
        self._done = True

    def redo(self) -> None:
        if not self._done:
            self._done = self._do()
            self.setObsolete(not self._done)

    def undo(self) -> None:
        self._done = not self._take_back()
        self.setObsolete(self._done)


def push_step(session: Session, text: str, do: Callable[[], bool], take_back: Callable[[], bool]) -> bool:
    """Do something now, as one step of undo; False when it failed, which has said why."""
    session.leaving.emit()
    session.history.end_gesture()
    if not do():
        return False
    session.history.push(_Step(text, do, take_back))
    return True


class CatalogueEdits:
    """What the catalogue page does to the user's own records."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._own = one_of(OwnRecords, session)

    def keep(self, table: str, record: Keepable, text: str) -> bool:
        """Keep a record, in place of the one with its id."""
        return self._put(table, record.id, record.model_dump_json(exclude_defaults=True), text)

    def forget(self, table: str, record_id: str, name: str) -> bool:
        """Forget a record of the user's own; a line offers to bring it back."""
        text = _("“{name}” was deleted from your catalogue.").format(name=name)
        return self._put(table, record_id, None, _("Delete {name}").format(name=name)) and self._say(text)

    def reset(self, table: str, record_id: str, name: str) -> bool:
        """Let the shipped record show through again; a line offers to take that back."""
        text = _("“{name}” is as it was shipped.").format(name=name)
        return self._put(table, record_id, None, _("Back to shipped: {name}").format(name=name)) and self._say(text)

    def _say(self, text: str) -> bool:
        self._session.say_with_undo(text, "record")
        return True

    def _put(self, table: str, record_id: str, after: str | None, text: str) -> bool:
        before = self._own.of_table(table).get(record_id)
        if before == after:
            return True
        return push_step(
            self._session,
            text,
            lambda: self._own.put(table, record_id, after),
            lambda: self._own.put(table, record_id, before),
        )


class PackEdits:
    """What the catalogue page does with packs. What goes wrong is said in a line, and nothing was changed."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._own = one_of(OwnRecords, session)

    def read(self, path: Path) -> Offer | None:
        """A pack, and what it would change."""
        assert self._session.packs is not None
        try:
            offer = self._session.packs.offer(path)
        except TonnageError as error:
            self._refuse(error)
            return None
        self._session.message.emit(Message("", topic=TOPIC))
        return offer

    def install(self, offer: Offer) -> bool:
        """Install a pack as one step of undo; a line offers to take it back."""
        name = offer.pack.name
        done = push_step(
            self._session,
            _("Install {name}").format(name=name),
            lambda: self._change(lambda shelf: shelf.install(offer.content, offer.file)),
            lambda: self._change(lambda shelf: shelf.revert()),
        )
        if done:
            self._session.say_with_undo(_("“{name}” was installed.").format(name=name), TOPIC)
        return done

    def take_back(self) -> None:
        """Take back the pack that was installed last, whenever that was."""
        if self._session.packs is not None and self._change(lambda shelf: shelf.revert()):
            text = _("The pack was taken back. Your catalogue is as it was before.")
            self._session.message.emit(Message(text, "ok", TOPIC))

    def export(self, path: Path) -> bool:
        """Write the user's own records and prices as a pack."""
        from core.catalogue.pack import ENDING, own_records, pack_text
        from core.store.scenario_file import write_whole

        path = path if path.suffix == ENDING else path.with_name(path.name + ENDING)
        try:
            pack = own_records(self._own.all(), path.stem[:80], date.today())
            write_whole(path, pack_text(pack).encode())
        except TonnageError as error:
            self._refuse(error)
            return False
        text = _("Your own entries were written to {file}.").format(file=path.name)
        self._session.message.emit(Message(text, "ok", TOPIC))
        return True

    def _change(self, act: Callable[[PackShelf], object]) -> bool:
        assert self._session.packs is not None
        try:
            act(self._session.packs)
        except TonnageError as error:
            self._refuse(error)
            return False
        self._own.lay_over()
        return True

    def _refuse(self, error: TonnageError) -> None:
        self._session.message.emit(Message(sentences.error(error), "bad", TOPIC))

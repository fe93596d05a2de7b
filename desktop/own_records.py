"""The user's own records and prices, which lie over the shipped catalogue."""

from collections.abc import Mapping
from typing import Protocol

from PySide6.QtCore import QObject

from core.catalogue.own import records_in
from core.errors import StoreError, TonnageError
from core.language import sentences
from desktop.session import Message, Session

TOPIC = "record"


class Keepable(Protocol):
    """A record or a price of the catalogue."""

    @property
    def id(self) -> str: ...

    def model_dump_json(self, *, exclude_defaults: bool = ...) -> str: ...


class OwnRecords(QObject):
    """Keeps them in the store, as JSON by table and id; the session sizes with them at once."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self._read: Mapping[str, Mapping[str, str]] | None = None  # once for each change of them

    def all(self) -> Mapping[str, Mapping[str, str]]:
        if self._read is None:
            self._read = self._session.ask_store(lambda store: store.records())
        return self._read or {}

    def of_table(self, table: str) -> Mapping[str, str]:
        return self.all().get(table, {})

    def save(self, table: str, record: Keepable) -> bool:
        """Keep a record or a price and size with it."""
        return self.put(table, record.id, record.model_dump_json(exclude_defaults=True))

    def put(self, table: str, record_id: str, text: str | None) -> bool:
        """Keep a record, or none: then the shipped one, if there is one, shows through again.

        Where that fails, everything stays as it was.
        """
        session = self._session
        if session.store is None:
            return False
        before = self.of_table(table).get(record_id)
        try:
            self._write(table, record_id, text)
            catalogue = session.catalogue_with(self.all())
        except StoreError as error:
            session.message.emit(Message(sentences.error(error), "bad", TOPIC))
            return False
        except TonnageError as error:  # the record was kept and cannot be used
            self._write(table, record_id, before)
            session.message.emit(Message(sentences.error(error), "bad", TOPIC))
            return False
        if record_id in records_in(catalogue, table):
            session.figures.follow(table, record_id)
        else:  # what rests on it keeps it
            session.figures.keep(session.scenario, session.catalogue)
        session.set_catalogue(catalogue)
        session.message.emit(Message("", topic=TOPIC))
        return True

    def _write(self, table: str, record_id: str, text: str | None) -> None:
        store = self._session.store
        assert store is not None
        self._read = None
        if text is None:
            store.delete_record(table, record_id)
        else:
            store.save_record(table, record_id, text)

    def lay_over(self) -> None:
        """What they lie over has changed, such as by a pack: make the catalogue again."""
        self._session.set_catalogue(self._session.catalogue_with(self.all()))

"""Catalogue: every record of devices, links, models, engines and prices, to look up, copy, change and use."""

from collections.abc import Callable
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFileDialog, QSplitter, QStackedWidget, QVBoxLayout

from core.catalogue.own import FACT_TABLES, records_in
from core.language.messages import gettext as _
from core.language.messages import ngettext
from core.sizing.records_used import mentions
from desktop.catalogue_edits import CatalogueEdits, PackEdits
from desktop.importing import free_id
from desktop.inputs import names
from desktop.own_records import OwnRecords
from desktop.pack_shelf import Offer
from desktop.pages.catalogue import prices
from desktop.pages.catalogue.figures import Data, Options, plain
from desktop.pages.catalogue.form import RecordForm
from desktop.pages.catalogue.list_column import ListColumn, menu_at
from desktop.pages.catalogue.pack_preview import PackPreview
from desktop.pages.catalogue.record_column import RecordColumn
from desktop.pages.catalogue.tables import RecordTable, choice_key, choices_of, split_key, tabs
from desktop.pages.catalogue.using import changes_to_use
from desktop.pages.page import Page
from desktop.saved_scenarios import SavedScenarios
from desktop.scenario_store import StoredScenario
from desktop.session import Message, Session, one_of
from desktop.theme import Theme
from desktop.widgets.message_bar import MessageBar

LIST = 286
NARROW = 1000
MOST_NAMED = 20  # scenarios in the menu
MEASURED = ("devices", "engines", "models")  # records that a measurement of the user's own speaks about


class CataloguePage(Page):
    """The records of the catalogue; a changed one is the user's own."""

    import_wanted = Signal()  # a model from a file
    folder_wanted = Signal()  # a model from its folder
    calibration_wanted = Signal()
    scenario_wanted = Signal(int)

    def __init__(self, session: Session, theme: Theme) -> None:
        super().__init__()
        self._session, self._theme = session, theme
        self._own = one_of(OwnRecords, session)
        self._edits, self._packs = CatalogueEdits(session), PackEdits(session)
        self._tabs = tabs()
        self._table: RecordTable = self._tabs[0].tables[0]
        self._record: Any = None  # as it is saved; None while it is new
        self._narrow: bool | None = None
        self._differences = False
        self.column = ListColumn(theme, self._tabs)
        self.records = RecordColumn(theme)
        self.right = QStackedWidget()
        self.preview = PackPreview(theme)
        self.right.addWidget(self.records)
        self.right.addWidget(self.preview)
        self._splitter = QSplitter(Qt.Orientation.Horizontal)
        self._splitter.setHandleWidth(1)
        self._splitter.setChildrenCollapsible(False)
        self._splitter.addWidget(self.column)
        self._splitter.addWidget(self.right)
        self._splitter.setStretchFactor(1, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._splitter)
        self._connect()
        self._fill_list()
        self.show_record("devices", session.scenario.deployment.device)

    def _connect(self) -> None:
        self.column.tab_chosen.connect(self._on_tab)
        self.column.record_chosen.connect(self._on_chosen)
        self.column.add.clicked.connect(self._add)
        self.records.use.clicked.connect(self._use)
        self.records.duplicate.clicked.connect(self._duplicate)
        self.records.save.clicked.connect(self._save)
        self.records.discard.clicked.connect(self.discard)
        self.column.packs.clicked.connect(self._offer_packs)
        self.preview.install_wanted.connect(self._install)
        self.preview.closed.connect(lambda: self.right.setCurrentWidget(self.records))
        self._session.catalogue_changed.connect(self._on_catalogue)
        self._session.scenarios_changed.connect(self._on_scenarios)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The list takes what it needs, less in a narrow window; a width that was set by hand stays."""
        super().resizeEvent(event)
        narrow = self.width() < NARROW
        if narrow is not self._narrow:
            self._narrow = narrow
            self._splitter.setSizes([self.column.minimumWidth() if narrow else LIST, 4000])
            self._show_banner()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._show_banner()  # who uses the record may have changed meanwhile

    def _on_scenarios(self) -> None:
        if self.isVisible():
            self._show_banner()

    @property
    def form(self) -> RecordForm:
        return self.records.form

    # -- the list -----------------------------------------------------------------------------------------------------

    def _fill_list(self) -> None:
        own = self._own.all()
        choices = choices_of(self.column.tab, self._session.latest, lambda table: own.get(table, {}))
        self.column.set_choices(choices, self._key)
        tab = self.column.tab
        made = [table for table in tab.tables if table.blank is not None]
        self.column.add.setText(_("Import…") if tab.imports else made[0].new if len(made) == 1 else _("New…"))

    def _on_catalogue(self) -> None:
        """Another catalogue is in force: the list again, and the record, unless something is typed into it."""
        self._fill_list()
        if self._record is None or self.form.is_changed:
            self._show_banner()
            return
        fresh = records_in(self._session.latest, self._table.key).get(self._record.id)
        if fresh is None:
            self._show_first()
        elif fresh != self._record:
            self._show(self._table, fresh)
        else:
            self._show_banner()

    def _on_tab(self) -> None:
        if not self._leave():
            self.column.show_tab(self._tab_of(self._table).key)
            self._fill_list()
            return
        self._fill_list()
        self._show_first()

    def _show_first(self) -> None:
        first = next((row.key for row in self.column.list.rows.rows if row.key), "")
        if first:
            self.show_record(*split_key(first))

    def _on_chosen(self, key: str) -> None:
        if key == self._key:
            return
        if self._leave():
            self.show_record(*split_key(key))
        else:
            self.column.select(self._key)

    def _leave(self) -> bool:
        """Unsaved changes are saved if they can be; otherwise the record stays."""
        return not self.form.is_changed or self._save()

    # -- the record ---------------------------------------------------------------------------------------------------

    @property
    def record(self) -> Any:
        """The record on screen, as it is saved; None while it is new."""
        return self._record

    @property
    def table(self) -> str:
        return self._table.key

    @property
    def _key(self) -> str:
        return choice_key(self._table.key, self._record.id) if self._record is not None else ""

    @property
    def is_own(self) -> bool:
        return self._record is not None and self._record.id in self._own.of_table(self._table.key)

    @property
    def shipped(self) -> Any:
        """The record as it was shipped; None for one that the user added."""
        base = self._session.latest.shipped or self._session.latest
        return records_in(base, self._table.key).get(self._record.id) if self._record is not None else None

    def show_record(self, table: str, record_id: str) -> None:
        """Turn to a record; where there is none of the id, to the first."""
        wanted = self._table_of(table)
        tab = self._tab_of(wanted)
        if tab is not self.column.tab:
            self.column.show_tab(tab.key)
            self._table, self._record = wanted, None
            self._fill_list()
        records = records_in(self._session.latest, table)
        record = records.get(record_id) or next(iter(records.values()), None)
        if record is not None:
            self._show(wanted, record)

    def _table_of(self, key: str) -> RecordTable:
        return next(table for tab in self._tabs for table in tab.tables if table.key == key)

    def _tab_of(self, table: RecordTable) -> Any:
        return next(tab for tab in self._tabs if table in tab.tables)

    def _show(self, table: RecordTable, record: Any) -> None:
        self._table, self._record = table, record
        self._differences = False
        self.right.setCurrentWidget(self.records)
        self.records.title.setText(table.name(record, self._session.latest))
        self.form.show_record(table, record, self._session.latest)
        self.records.use.setVisible(changes_to_use(table.key, record) is not None)
        self.records.duplicate.setEnabled(True)
        self.column.select(self._key)
        self._show_lines()
        self._show_banner()

    def _show_lines(self) -> None:
        """Lines under figures: what was shipped, or how old a price is."""
        shipped = plain(self.shipped) if self._differences and self.shipped is not None else None
        for row in self.form.rows:
            line = ""
            if shipped is not None and row.figure.get(shipped) != row.figure.get(plain(self._record)):
                line = _("Shipped: {value}").format(value=_in_words(row.figure.kind, row.figure.get(shipped)))
            elif self._table.key in FACT_TABLES and row.figure.key == "low" and self._record is not None:
                line = prices.price_age(plain(self._record), date.today())
            row.show_line(line)

    def _differing(self) -> int:
        shipped = self.shipped
        if shipped is None or shipped == self._record:
            return 0
        before, after = plain(shipped), plain(self._record)
        return sum(row.figure.get(before) != row.figure.get(after) for row in self.form.rows)

    # -- what is said about it ----------------------------------------------------------------------------------------

    def users(self) -> list[StoredScenario]:
        """The scenarios that use the record on screen."""
        if self._record is None:
            return []
        pieces = mentions(self._session.latest, self._table.key, self._record.id)
        return list(one_of(SavedScenarios, self._session).mentioning(pieces))

    def _show_banner(self) -> None:
        said: list[str] = []
        actions: list[tuple[str, Callable[[], object]]] = []
        if self._record is None:
            said.append(_("A new record of your own. Fill in what is needed and save it."))
            actions.append((_("Discard"), self.discard))
        elif self.is_own and self.shipped is None:
            said.append(_("Your own record. It survives updates."))
            actions.append((_("Delete"), self.forget))
        elif self.is_own:
            count = self._differing()
            said.append(
                ngettext(
                    "Your copy of a shipped record. It survives updates; {number} figure differs from it.",
                    "Your copy of a shipped record. It survives updates; {number} figures differ from it.",
                    count,
                ).format(number=count)
            )
            text = _("Hide differences") if self._differences else _("Show differences")
            actions += [(text, self._toggle_differences), (_("Back to shipped"), self.forget)]
        self._say_users(said, actions)
        self.records.show_banner(self._bar(" ".join(said), actions) if said else None)

    def _say_users(self, said: list[str], actions: list[tuple[str, Callable[[], object]]]) -> None:
        users = self.users()
        if users:
            text = ngettext("Used in {number} scenario.", "Used in {number} scenarios.", len(users))
            said.append(text.format(number=names.number().count(len(users))))
            actions.append((_("Show them"), lambda: self._offer_users(users)))
            if self._table.key in MEASURED and any(one.id == self._session.scenario_id for one in users):
                actions.append((_("Calibrate…"), self.calibration_wanted.emit))

    def _bar(self, text: str, actions: list[tuple[str, Callable[[], object]]]) -> MessageBar:
        bar = MessageBar(self._theme, text, closable=False, stacked=len(actions) > 2 or bool(self._narrow))
        for name, run in actions:
            bar.add_action(name, run)
        return bar

    def _offer_users(self, users: list[StoredScenario]) -> None:
        rows: list[tuple[str, Callable[[], object] | None]] = [
            (f"{one.client} · {one.name}" if one.client else one.name, partial(self.scenario_wanted.emit, one.id))
            for one in users[:MOST_NAMED]
        ]
        left = len(users) - MOST_NAMED
        if left > 0:
            rows.append((ngettext("and {number} more", "and {number} more", left).format(number=left), None))
        menu_at(self.records, rows)

    def _toggle_differences(self) -> None:
        self._differences = not self._differences
        self._show_lines()
        self._show_banner()

    # -- packs ---------------------------------------------------------------------------------------------------------

    def _offer_packs(self) -> None:
        last = self._session.packs.last() if self._session.packs is not None else ""
        own = any(self._own.all().values())
        undo = (_("Take back “{name}”").format(name=last), self._packs.take_back) if last else None
        rows: list[tuple[str, Callable[[], object] | None]] = [
            (_("Import a pack…"), self.choose_pack if self._session.packs is not None else None),
            (_("Export your own entries…"), self.export_pack if own else None),
        ]
        menu_at(self.column.packs, [*rows, *([undo] if undo else [])])

    def choose_pack(self) -> None:
        kinds = _("Catalogue packs (*.tonnagepack);;All files (*)")
        name, _kind = QFileDialog.getOpenFileName(self, _("Import a catalogue pack"), "", kinds)
        if name:
            self.preview_pack(Path(name))

    def preview_pack(self, path: Path) -> None:
        """Show what a pack would change, before anything is."""
        if not self._leave():
            return
        offer = self._packs.read(path)
        if offer is not None:
            self.preview.show_offer(offer, self._session.latest)
            self.right.setCurrentWidget(self.preview)

    def _install(self, offer: Offer) -> None:
        if self._packs.install(offer):
            self.right.setCurrentWidget(self.records)

    def export_pack(self) -> None:
        """Write the user's own records and prices to one file."""
        start = str(Path.home() / f"{date.today().isoformat()}.tonnagepack")
        kinds = _("Catalogue packs (*.tonnagepack)")
        name, _kind = QFileDialog.getSaveFileName(self, _("Export your own entries"), start, kinds)
        if name:
            self._packs.export(Path(name))

    # -- doing --------------------------------------------------------------------------------------------------------

    def _save(self) -> bool:
        self.form.settle()
        if self.form.wrong or self.form.needed:
            self.form.jump()
            return False
        if self._record is None:
            return self._save_new()
        record, problem = self.form.edited()
        if record is None:
            self._session.message.emit(Message(problem, "bad", topic="record"))
            return False
        text = _("Edit of {name}").format(name=self._name(record))
        return self._keep(self._table, record, text)

    def _save_new(self) -> bool:
        data = self.form.data()
        named = str(data.get("name") or next(iter(data.get("devices") or ()), "") or self._table.key)
        record, problem = self.form.edited(id=free_id(self._session, self._table.key, named))
        if record is None:
            self._session.message.emit(Message(problem, "bad", topic="record"))
            return False
        return self._keep(self._table, record, _("New: {name}").format(name=self._name(record)))

    def _keep(self, table: RecordTable, record: Any, text: str) -> bool:
        before, self._record = self._record, record
        if not self._edits.keep(table.key, record, text):
            self._record = before
            return False
        self._show(table, record)
        self._fill_list()
        return True

    def _name(self, record: Any) -> str:
        return self._table.name(record, self._session.latest)

    def remember(self) -> None:
        """Save what can be read of the changes, before the page goes."""
        self.form.settle()
        if self._record is None or not self.form.is_changed:
            return
        record, _problem = self.form.edited()
        if record is not None and record != self._record:
            self._edits.keep(self._table.key, record, _("Edit of {name}").format(name=self._name(record)))

    def undo(self) -> bool:
        """Take back the last change that is not saved; whether there was one."""
        return self.form.take_back()

    def discard(self) -> None:
        """Throw away what is not saved."""
        if self._record is not None:
            self._show(self._table, self._record)
        else:
            self._show_first()

    def _duplicate(self) -> None:
        if self._record is None or not self._leave():
            return
        name = _("{name}, copy").format(name=self._name(self._record))[:120]
        changes: Data = {"id": free_id(self._session, self._table.key, name)}
        if "name" in type(self._record).model_fields:
            changes |= {"name": _("{name}, copy").format(name=self._record.name)[:120], "aliases": ()}
        if self._table.key == "devices":
            changes |= {"accelerator_id": "", "short_name": ""}
        copy = self._record.model_copy(update=changes)
        if self._edits.keep(self._table.key, copy, _("Copy of {name}").format(name=self._name(self._record))):
            self.column.search.clear()
            self.show_record(self._table.key, copy.id)
            self.form.focus_first()

    def _add(self) -> None:
        tab = self.column.tab
        if tab.imports:
            actions = [
                (_("From config.json, GGUF or safetensors…"), self.import_wanted.emit),
                (_("From the folder of a model…"), self.folder_wanted.emit),
            ]
            menu_at(self.column.add, actions)
            return
        made = [table for table in tab.tables if table.blank is not None]
        if len(made) == 1:
            self.begin_record(made[0])
        else:
            menu_at(self.column.add, [(table.new, partial(self.begin_record, table)) for table in made])

    def begin_record(self, table: RecordTable) -> None:
        """A new record: nothing is known of it yet."""
        if table.blank is None or not self._leave():
            return
        data = {"id": "", **table.blank()}
        if table.key not in FACT_TABLES:
            data = {"name": "", "aliases": (), "notes": (), "sources": {}, **data}
        self._table, self._record, self._differences = table, None, False
        self.right.setCurrentWidget(self.records)
        self.records.title.setText(table.new)
        self.records.use.hide()
        self.records.duplicate.setEnabled(False)
        self.form.show_data(table, data, self._session.latest)
        self.column.select("")
        self._show_banner()
        self.form.focus_first()

    def forget(self) -> None:
        """Delete a record of one's own, or go back to the shipped one."""
        if self._record is None:
            return
        record, table, name = self._record, self._table.key, self._name(self._record)
        if self.shipped is not None:
            self.discard()
            self._edits.reset(table, record.id, name)
            return
        self.discard()
        self._edits.forget(table, record.id, name)

    def _use(self) -> None:
        if not self._leave() or self._record is None:
            return
        chosen = changes_to_use(self._table.key, self._record)
        if chosen is None:
            return
        before = self._session.scenario
        words, changes = chosen
        self._session.edit(words, **changes)
        text = _("The scenario “{name}” now uses {device}.")
        text = text.format(name=self._session.scenario.name, device=self._record.name)
        if self._session.scenario is before:  # it was in use already
            self._session.message.emit(Message(text, "ok", "device"))
        else:
            self._session.say_with_undo(text, "device")


def _in_words(kind: Any, value: Any) -> str:
    if isinstance(kind, Options):
        key = kind.key(value)
        return next((choice.name for choice in kind.choices() if choice.key == key), key) or _("none")
    return str(kind.in_words(value))

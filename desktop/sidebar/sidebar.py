"""The sidebar itself, wide or as a rail of icons."""

from collections.abc import Callable, Sequence
from datetime import datetime

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QMenu, QSpacerItem, QVBoxLayout, QWidget

from core.language.messages import gettext as _
from desktop.pages.registry import PageEntry
from desktop.session import Session
from desktop.sidebar.flyout import ScenarioFlyout
from desktop.sidebar.parts import Brand, PageButton, SearchButton
from desktop.sidebar.scenario_list import ScenarioList
from desktop.sidebar.search import Command, SearchPopup
from desktop.theme import Theme
from desktop.ticked import Ticked
from desktop.widgets.labels import ElidedLabel, IconButton, ToneIcon, label, line


class Sidebar(QWidget):
    """Brand, search, pages, scenarios, what is saved."""

    page_chosen = Signal(str)
    narrow_wanted = Signal(bool)
    new_wanted = Signal()
    scenario_opened = Signal()
    record_wanted = Signal(str, str)  # table and id

    def __init__(
        self,
        session: Session,
        theme: Theme,
        ticked: Ticked,
        pages: Sequence[PageEntry],
        settings_menu: Callable[[QWidget], QMenu],
    ) -> None:
        super().__init__()
        self._session, self._theme, self._settings_menu = session, theme, settings_menu
        self.ticked = ticked
        self._narrow = False
        self._flyout: ScenarioFlyout | None = None
        self._popup: SearchPopup | None = None
        self._commands: Sequence[Command] = ()
        self.setProperty("kind", "sidebar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.brand = Brand(theme)
        self.fold = IconButton(theme, "sidebar", _("Narrow sidebar"), self._toggle, "Ctrl+B")
        self.search = SearchButton(theme)
        self.search.clicked.connect(self.open_search)
        self.pages = {page.key: self._page_button(page) for page in pages}
        self.scenarios = ScenarioList(session, theme, ticked)
        self.scenarios.opened.connect(lambda _id: self.scenario_opened.emit())
        self.empty = label(_("None yet. Your scenarios will be listed here, by client."), "label", wrap=True)
        self.add = IconButton(theme, "plus", _("New scenario"), self.new_wanted.emit, "Ctrl+N")
        self.files = IconButton(theme, "document", _("Scenarios"), self._open_list)
        self.saved = ElidedLabel("", "caption")
        self.settings = IconButton(theme, "gear", _("Settings"), self.open_settings, "Ctrl+,")
        self._lay_out()
        session.saved.connect(self.show_saved)
        ticked.changed.connect(self._show_count)
        self._show_count()
        self.scenarios.scenarios.modelReset.connect(self._show_emptiness)
        self._show_emptiness()
        self._apply()

    # -- building -----------------------------------------------------------------------------------------------------

    def _page_button(self, page: PageEntry) -> PageButton:
        button = PageButton(self._theme, page.icon, _(page.title), page.shortcut)
        button.clicked.connect(lambda _checked=False: self.page_chosen.emit(page.key))
        return button

    def _lay_out(self) -> None:
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 8)
        self._column.setSpacing(0)
        top = QHBoxLayout()
        top.setContentsMargins(0, 0, 10, 0)
        top.addWidget(self.brand, 1)
        top.addWidget(self.fold)
        self._column.addLayout(top)
        self._pages_box = QVBoxLayout()
        self._pages_box.setContentsMargins(10, 2, 10, 0)
        self._pages_box.setSpacing(2)
        self._pages_box.addWidget(self.search)
        self._gap = QSpacerItem(0, 8)
        self._pages_box.addItem(self._gap)
        for button in self.pages.values():
            self._pages_box.addWidget(button)
        self._column.addLayout(self._pages_box)
        self._rail_line = QWidget()
        inset = QVBoxLayout(self._rail_line)
        inset.setContentsMargins(10, 0, 10, 12)
        inset.addWidget(line())
        self._column.addSpacing(12)
        self._column.addWidget(self._rail_line)
        self._column.addWidget(self.files, 0, Qt.AlignmentFlag.AlignHCenter)
        self._list_head = QWidget()
        head = QHBoxLayout(self._list_head)
        head.setContentsMargins(18, 0, 10, 0)
        title = label(_("Scenarios"), "label")
        title.setStyleSheet("font-weight: 600;")
        title.setBuddy(self.scenarios)
        head.addWidget(title, 1)
        head.addWidget(self.add)
        self._column.addWidget(self._list_head)
        self._list_box = QVBoxLayout()
        self._list_box.setContentsMargins(10, 0, 10, 0)
        self.empty.setContentsMargins(8, 6, 8, 0)
        self._list_box.addWidget(self.empty, 0, Qt.AlignmentFlag.AlignTop)
        self._list_box.addWidget(self.scenarios, 1)
        self._column.addLayout(self._list_box, 1)
        self._spring = QWidget()
        self._column.addWidget(self._spring, 1)
        self._column.addWidget(self._foot())

    def _foot(self) -> QWidget:
        foot = QWidget()
        row = QHBoxLayout(foot)
        row.setContentsMargins(15, 0, 10, 0)
        row.setSpacing(6)
        self._saved_icon = ToneIcon(self._theme, "check-circle", "text_3", 14)
        row.addWidget(self._saved_icon)
        row.addWidget(self.saved, 1)
        row.addWidget(self.settings)
        self._foot_row = row
        kept = self._session.store is None or self._session.store.lasting
        self.saved.setText(_("Works offline") if kept else _("Nothing is kept"))
        return foot

    # -- wide or narrow -----------------------------------------------------------------------------------------------

    @property
    def narrow(self) -> bool:
        return self._narrow

    def set_narrow(self, narrow: bool) -> None:
        if narrow != self._narrow:
            self._narrow = narrow
            self._apply()

    def _apply(self) -> None:
        narrow = self._narrow
        for widget in (self.fold, self._list_head, self.saved, self._saved_icon):
            widget.setVisible(not narrow)
        for widget in (self._rail_line, self.files, self._spring):
            widget.setVisible(narrow)
        self._pages_box.setContentsMargins(*((10, 4, 10, 0) if narrow else (10, 2, 10, 0)))
        self._pages_box.setSpacing(4 if narrow else 2)
        self._gap.changeSize(0, 0 if narrow else 8)
        self._pages_box.invalidate()
        self._foot_row.setContentsMargins(*((12, 0, 12, 0) if narrow else (15, 0, 10, 0)))
        self._show_emptiness()

    def _show_emptiness(self) -> None:
        some = bool(self.scenarios.scenarios.ids)
        self.scenarios.setVisible(some and not self._narrow)
        self.empty.setVisible(not some and not self._narrow)
        self._spring.setVisible(self._narrow)

    def _toggle(self) -> None:
        self.narrow_wanted.emit(not self._narrow)

    # -- doing --------------------------------------------------------------------------------------------------------

    def set_commands(self, commands: Sequence[Command]) -> None:
        self._commands, self._popup = commands, None

    def open_search(self) -> None:
        if self._popup is None:
            self._popup = SearchPopup(self._session, self._theme, self._commands, self)
            self._popup.used.connect(self.scenario_opened)
            self._popup.record_wanted.connect(self.record_wanted)
        self._popup.open(self.search.mapToGlobal(QPoint(0, 0)))

    @property
    def search_popup(self) -> SearchPopup | None:
        return self._popup

    def open_settings(self) -> None:
        menu = self._settings_menu(self)
        menu.exec(self.settings.mapToGlobal(QPoint(0, -menu.sizeHint().height() - 4)))

    def _open_list(self) -> None:
        """The scenarios beside the rail, where there is no room for the list."""
        self.flyout.open(self.files.mapToGlobal(QPoint(self.files.width() + 12, 0)))

    @property
    def flyout(self) -> ScenarioFlyout:
        if self._flyout is None:
            self._flyout = ScenarioFlyout(self._session, self._theme, self.ticked, self.new_wanted.emit, self)
            self._flyout.list.opened.connect(lambda _id: self.scenario_opened.emit())
        return self._flyout

    def _show_count(self) -> None:
        if "compare" in self.pages:
            self.pages["compare"].set_count(len(self.ticked.ids))

    @property
    def list(self) -> ScenarioList:
        """The scenarios, where they can be seen: in the sidebar, or beside the rail."""
        if not self._narrow:
            return self.scenarios
        self._open_list()
        return self.flyout.list

    def show_page(self, key: str) -> None:
        """Mark the button of a page; none where the page has no button."""
        if key in self.pages:
            self.pages[key].setChecked(True)
            return
        for button in self.pages.values():
            button.setAutoExclusive(False)
            button.setChecked(False)
            button.setAutoExclusive(True)

    def show_saved(self, when: datetime) -> None:
        self.saved.setText(_("Saved {time}").format(time=f"{when:%H:%M}"))

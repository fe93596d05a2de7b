"""Catalogue: the list of devices, and the record of one, to look up, copy, change and use."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLineEdit, QSplitter, QVBoxLayout, QWidget

from core.catalogue.records import Device
from core.language.messages import gettext as _
from core.language.messages import ngettext
from desktop.importing import free_id
from desktop.inputs import names
from desktop.pages.device_form import (
    CONFIDENCE_WIDTH,
    DATE,
    DATE_WIDTH,
    GAP,
    NAME_WIDTH,
    SOURCE,
    VALUE_WIDTH,
    DeviceForm,
)
from desktop.session import Message, Session
from desktop.theme import Theme
from desktop.widgets.choices import Choice, ChoiceList, matching
from desktop.widgets.labels import ToneIcon, button, label, line
from desktop.widgets.message_bar import MessageBar

ROW = 30
LIST, LIST_NARROW = 286, 236
NARROW = 1000


class DevicePage(QWidget):
    """The devices of the catalogue; a changed one is the user's own."""

    def __init__(self, session: Session, theme: Theme) -> None:
        super().__init__()
        self._session, self._theme = session, theme
        self._device: Device | None = None
        self._narrow: bool | None = None
        self.setProperty("kind", "surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        splitter = QSplitter(Qt.Orientation.Horizontal)
        splitter.setHandleWidth(1)
        splitter.setChildrenCollapsible(False)
        splitter.addWidget(self._list_column())
        splitter.addWidget(self._record_column())
        splitter.setStretchFactor(1, 1)
        self._splitter = splitter
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(splitter)
        session.catalogue_changed.connect(self._fill)
        self._fill()
        self.show_device(session.scenario.deployment.device)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The list takes what it needs, less in a narrow window; a width that was set by hand stays."""
        super().resizeEvent(event)
        narrow = self.width() < NARROW
        if narrow is not self._narrow:
            self._narrow = narrow
            self._splitter.setSizes([LIST_NARROW if narrow else LIST, 4000])

    # -- building -----------------------------------------------------------------------------------------------------

    def _list_column(self) -> QWidget:
        title = label(_("Catalogue"), "verdict")
        title.setStyleSheet("font-size: 18px;")
        self.search = QLineEdit()
        self.search.setAccessibleName(_("Search the devices"))
        self.search.textChanged.connect(self._fill)
        self.list = ChoiceList(self._theme, _("Devices"), row=ROW)
        self.list.selectionModel().currentChanged.connect(self._on_selected)
        holder = QWidget()
        holder.setMinimumWidth(220)
        holder.setMaximumWidth(420)
        column = QVBoxLayout(holder)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        top = QVBoxLayout()
        top.setContentsMargins(16, 10, 16, 8)
        top.setSpacing(10)
        top.addWidget(title)
        top.addWidget(self.search)
        column.addLayout(top)
        column.addWidget(line())
        column.addWidget(self.list, 1)
        return holder

    def _record_column(self) -> QWidget:
        self.title = label("", "verdict", wrap=True)
        self.title.setStyleSheet("font-size: 18px; font-weight: 600;")
        self.use = button(_("Use in scenario"), "", self._use)
        self.duplicate = button(_("Duplicate"), "", self._duplicate)
        self.save = button(_("Save"), "primary", self._save)
        head = QHBoxLayout()
        head.setContentsMargins(24, 10, 20, 8)
        head.setSpacing(8)
        head.addWidget(self.title, 1)
        for widget in (self.use, self.duplicate, self.save):
            head.addWidget(widget)
        self.form = DeviceForm(self._theme)
        self.form.changed.connect(self._on_changed)
        self._banner = QVBoxLayout()
        self._banner.setContentsMargins(24, 0, 20, 8)
        holder = QWidget()
        holder.setMinimumWidth(420)
        column = QVBoxLayout(holder)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addLayout(self._banner)
        column.addWidget(line())
        column.addLayout(self._headings())
        column.addWidget(line())
        column.addWidget(self.form, 1)
        column.addWidget(self._foot())
        return holder

    @staticmethod
    def _headings() -> QGridLayout:
        """Aligned with the columns of the form."""
        grid = QGridLayout()
        grid.setContentsMargins(24, 1, 20, 1)
        grid.setHorizontalSpacing(GAP)
        grid.setColumnStretch(2, 1)
        widths = (NAME_WIDTH, VALUE_WIDTH, 0, DATE_WIDTH, CONFIDENCE_WIDTH)
        texts = (_("Figure"), _("Value"), _("Source"), _("Date"), _("Confidence"))
        for column, (text, width) in enumerate(zip(texts, widths, strict=True)):
            heading = label(text, "label")
            if width:
                heading.setFixedWidth(width)
            if column in (SOURCE, DATE):
                heading.setIndent(11)  # as the quiet fields below indent their text
            grid.addWidget(heading, 0, column)
        return grid

    def _foot(self) -> QFrame:
        self.foot = QFrame()
        self._foot_text = label("", wrap=True)
        self._jump = button(_("Go to it"), "link", self.form.jump)
        row = QHBoxLayout()
        row.setContentsMargins(24, 4, 20, 4)
        row.setSpacing(8)
        row.addWidget(ToneIcon(self._theme, "octagon", "bad"))
        row.addWidget(self._foot_text, 1)
        row.addWidget(self._jump)
        column = QVBoxLayout(self.foot)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(line())
        column.addLayout(row)
        self.foot.setVisible(False)
        return self.foot

    # -- the list -----------------------------------------------------------------------------------------------------

    def _fill(self) -> None:
        devices = sorted(self._session.catalogue.devices.values(), key=lambda d: names.device_name(d).casefold())
        own = self._session.own_records("devices")
        choices = [
            Choice(
                d.id,
                names.device_name(d),
                names.whole_bytes(d.memory_tiers[0].capacity_bytes),
                words=" ".join([d.vendor, d.id, *d.aliases]),
                mark=_("yours") if d.id in own else "",
            )
            for d in devices
        ]
        count = len(choices)
        text = ngettext("Search {number} device", "Search {number} devices", count).format(number=count)
        self.search.setPlaceholderText(text)
        current = self._device.id if self._device else ""
        self.list.selectionModel().blockSignals(True)
        self.list.set_choices(matching(choices, self.search.text()), current)
        self.list.selectionModel().blockSignals(False)
        if self._device is not None and not self.form.is_changed:
            fresh = self._session.catalogue.devices.get(self._device.id)
            if fresh is not None and fresh != self._device:
                self._show(fresh)
        self._show_banner()

    def _on_selected(self) -> None:
        choice = self.list.current
        if choice is None or (self._device is not None and choice.key == self._device.id):
            return
        if self.form.is_changed and self._device is not None:
            self._keep_or_leave(choice.key)
            return
        self.show_device(choice.key)

    def _keep_or_leave(self, other: str) -> None:
        """Unsaved changes are saved if they can be; otherwise the record stays."""
        if self._save():
            self.show_device(other)
        else:
            self._select(self._device.id if self._device else "")

    def show_device(self, device_id: str) -> None:
        device = self._session.catalogue.devices.get(device_id) or next(iter(self._session.catalogue.devices.values()))
        self._select(device.id)
        self._show(device)

    def _show(self, device: Device) -> None:
        self._device = device
        self.title.setText(names.device_name(device))
        self.form.show_device(device)
        self._show_banner()

    def _select(self, device_id: str) -> None:
        model = self.list.selectionModel()
        model.blockSignals(True)
        self.list.set_choices(self.list.rows.rows, device_id)
        model.blockSignals(False)
        self.list.viewport().update()

    # -- the record ---------------------------------------------------------------------------------------------------

    @property
    def device(self) -> Device | None:
        """The record on screen, as it is saved."""
        return self._device

    @property
    def is_own(self) -> bool:
        return self._device is not None and self._device.id in self._session.own_records("devices")

    def _show_banner(self) -> None:
        while (item := self._banner.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        if self._device is None or not self.is_own:
            return
        if names.is_own(self._device.id):
            bar = MessageBar(self._theme, _("Your own record. It survives updates."), closable=False)
            bar.add_action(_("Delete"), self._forget)
        else:
            text = _("Your copy of a shipped record. It survives updates.")
            bar = MessageBar(self._theme, text, closable=False)
            bar.add_action(_("Back to shipped"), self._forget)
        self._banner.addWidget(bar)

    def _on_changed(self) -> None:
        wrong = len(self.form.wrong)
        self.save.setEnabled(self.form.is_changed and not wrong)
        self.foot.setVisible(bool(wrong))
        self._foot_text.setText(
            ngettext(
                "{number} figure cannot be read. Save waits until it can.",
                "{number} figures cannot be read. Save waits until they can.",
                wrong,
            ).format(number=wrong)
        )

    def _save(self) -> bool:
        if self.form.wrong:
            self.form.jump()
            return False
        device, problem = self.form.edited()
        if device is None:
            self._session.message.emit(Message(problem, "bad", topic="record"))
            return False
        previous, self._device = self._device, device
        if not self._session.save_record("devices", device):
            self._device = previous
            return False
        self._show(device)
        self._fill()
        return True

    def keep(self) -> None:
        """Save what can be read of the changes, before the page goes."""
        if self._device is None or not self.form.is_changed:
            return
        device, _problem = self.form.edited()
        if device is not None and device != self._device:
            self._session.save_record("devices", device)

    def _duplicate(self) -> None:
        if self._device is None:
            return
        name = _("{name}, copy").format(name=self._device.name)[:120]
        copy = self._device.model_copy(
            update={"id": free_id(self._session, "devices", name), "name": name, "aliases": (), "accelerator_id": ""}
        )
        if self._session.save_record("devices", copy):
            self.search.clear()
            self.show_device(copy.id)
            self.form.name.setFocus()
            self.form.name.selectAll()

    def _forget(self) -> None:
        """Delete a record of one's own, or go back to the shipped one."""
        if self._device is None:
            return
        device = self._device
        uses_it = self._session.scenario.deployment.device == device.id
        if names.is_own(device.id) and uses_it:
            text = _("“{name}” is used in this scenario. Choose another device there first.").format(name=device.name)
            self._session.message.emit(Message(text, "warn", topic="record"))
            return
        self._device = None
        if self._session.delete_record("devices", device.id):
            restore = Message(
                _("“{name}” was deleted from your catalogue.").format(name=device.name),
                "info",
                "record",
                _("Undo"),
                lambda: self._bring_back(device),
            )
            self._session.message.emit(restore)
        self.show_device(device.id)
        self._fill()

    def _bring_back(self, device: Device) -> None:
        if self._session.save_record("devices", device):
            self.show_device(device.id)

    def _use(self) -> None:
        if self.form.is_changed and not self._save():
            return
        if self._device is not None:
            before = self._session.scenario
            self._session.edit(
                _("Device"),
                deployment__device=self._device.id,
                deployment__plan=None,
                deployment__link=None,
                deployment__capacity_bytes=None,
                economics__price=None,
            )
            text = _("The scenario “{name}” now uses {device}.")
            text = text.format(name=self._session.scenario.name, device=self._device.name)
            if self._session.scenario is before:  # it was in use already
                self._session.message.emit(Message(text, "ok", "device"))
            else:
                self._session.say_with_undo(text, "device")

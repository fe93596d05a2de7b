"""The consultant's brand: name, contact, legal line, colours, typeface, logo, and the folder with the template."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QLabel, QMenu, QWidget

from core.errors import ProposalError
from core.language import sentences
from core.language.messages import gettext as _
from core.proposal.colours import ACCENT, PRIMARY
from core.proposal.logo import read_logo
from core.proposal.options import ProposalOptions, Typeface
from core.proposal.template import copy_shipped, main_file
from desktop.inputs.rows import InputRow, PickerRow
from desktop.pages.proposal.fields import ColourRow, TextRow
from desktop.pages.proposal.words import typeface_name
from desktop.theme import Theme
from desktop.widgets.choices import Choice
from desktop.widgets.labels import IconButton, button
from desktop.widgets.picker import ComboPicker
from desktop.widgets.section import Section

Change = Callable[[ProposalOptions], ProposalOptions]
LOGO_HEIGHT = 28


class BrandSection(Section):
    """What every proposal of this consultant has in common; it is remembered."""

    def __init__(self, theme: Theme, change: Callable[[Change], object]) -> None:
        super().__init__(theme, _("Brand"))
        self._change = change
        self._own_template = False
        self.name = TextRow(theme, _("Company"), self._writer("name"))
        self.contact = TextRow(theme, _("Contact"), self._writer("contact"), _("telephone, e-mail"))
        self.legal = TextRow(theme, _("Legal line"), self._writer("legal"), _("register, address"), most=400)
        self.primary = ColourRow(theme, _("Main colour"), PRIMARY, self._writer("primary"))
        self.accent = ColourRow(theme, _("Second colour"), ACCENT, self._writer("accent"))
        self.typeface = ComboPicker(theme, _("Typeface"))
        self.typeface.set_choices([Choice(one.value, typeface_name(one)) for one in Typeface])
        self.typeface.chosen.connect(lambda key: self._brand(typeface=Typeface(key)))
        self.logo = self._logo_row(theme)
        self.template = self._template_row(theme)
        for row in (self.name, self.contact, self.legal, self.primary, self.accent):
            self.rows.addWidget(row)
        self.rows.addWidget(PickerRow(theme, _("Typeface"), self.typeface))
        self.rows.addWidget(self.logo)
        self.rows.addWidget(self.template)

    def set_labels(self, width: int) -> None:
        """Labels as wide as those of the page around."""
        for row in self.body.findChildren(InputRow):
            row.label.setFixedWidth(width)

    def _writer(self, field: str) -> Callable[[str], object]:
        return lambda text: self._brand(**{field: text})

    def _brand(self, **changes: Any) -> None:
        self._change(lambda options: replace(options, brand=replace(options.brand, **changes)))

    def _logo_row(self, theme: Theme) -> InputRow:
        self.picture = QLabel()
        self.picture.setAccessibleName(_("Logo"))
        self.choose_logo = button(_("Choose…"), action=self._ask_logo)
        self.remove_logo = IconButton(theme, "close", _("Remove the logo"), lambda: self.take_logo(b""))
        return InputRow(theme, _("Logo"), _side_by_side(self.choose_logo, self.remove_logo), self.picture)

    def _template_row(self, theme: Theme) -> InputRow:
        self.choose_template = button(_("Choose…"), action=self._open_templates)
        self.choose_template.setAccessibleName(_("Template"))
        return InputRow(theme, _("Template"), _side_by_side(self.choose_template))

    def _open_templates(self) -> None:
        """A folder of one's own, a copy of the shipped one to change, or the shipped one again."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(_("Choose a folder…")).triggered.connect(self._ask_template)
        menu.addAction(_("Copy the shipped template…")).triggered.connect(self._ask_copy)
        shipped = menu.addAction(_("Use the shipped template"))
        shipped.triggered.connect(lambda: self.take_template(None))
        shipped.setEnabled(self._own_template)
        menu.exec(self.choose_template.mapToGlobal(self.choose_template.rect().bottomLeft()))

    # -- logo

    def _ask_logo(self) -> None:
        kinds = _("Logos (*.svg *.png)")
        name, _kind = QFileDialog.getOpenFileName(self, _("Choose a logo"), "", kinds)
        if name:
            self.read_logo(Path(name))

    def read_logo(self, path: Path) -> None:
        """Take a logo from a file, if it can be drawn safely; else say why not."""
        try:
            self.take_logo(read_logo(path))
        except ProposalError as error:
            self.logo.caption.set_problem(sentences.error(error))

    def take_logo(self, content: bytes) -> None:
        self.logo.caption.set_problem("")
        self._brand(logo=content)

    # -- template

    def _ask_template(self) -> None:
        name = QFileDialog.getExistingDirectory(self, _("Choose the folder of a template"))
        if name:
            self.take_template(Path(name))

    def _ask_copy(self) -> None:
        name = QFileDialog.getExistingDirectory(self, _("Copy the shipped template into an empty folder"))
        if not name:
            return
        try:
            copy_shipped(Path(name))
        except ProposalError as error:
            self.template.caption.set_problem(sentences.error(error))
            return
        self.take_template(Path(name))

    def take_template(self, folder: Path | None) -> None:
        """Use the template of a folder, if it is one."""
        try:
            main_file(folder)
        except ProposalError as error:
            self.template.caption.set_problem(sentences.error(error))
            return
        self.template.caption.set_problem("")
        self._change(lambda options: replace(options, template=folder))

    def show_options(self, options: ProposalOptions) -> None:
        brand = options.brand
        self.name.edit.show_text(brand.name)
        self.contact.edit.show_text(brand.contact)
        self.legal.edit.show_text(brand.legal)
        self.primary.show_colour(brand.primary)
        self.accent.show_colour(brand.accent)
        self.typeface.set_current(brand.typeface.value)
        self._show_logo(brand.logo)
        self.template.caption.set_caption(str(options.template.name) if options.template else "")
        self._own_template = options.template is not None
        self.set_summary(brand.name)

    def _show_logo(self, content: bytes) -> None:
        pixmap = QPixmap()
        if content:
            pixmap.loadFromData(content)
        if not pixmap.isNull():
            ratio = self.devicePixelRatioF()
            size = pixmap.size().scaled(
                round(72 * ratio), round(LOGO_HEIGHT * ratio), Qt.AspectRatioMode.KeepAspectRatio
            )
            pixmap = pixmap.scaled(size, mode=Qt.TransformationMode.SmoothTransformation)
            pixmap.setDevicePixelRatio(ratio)
        self.picture.setPixmap(pixmap)
        self.picture.setVisible(not pixmap.isNull())
        self.remove_logo.setVisible(bool(content))


def _side_by_side(*widgets: QWidget) -> QWidget:
    holder = QWidget()
    row = QHBoxLayout(holder)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(6)
    for widget in widgets:
        row.addWidget(widget)
    row.addStretch(1)
    return holder

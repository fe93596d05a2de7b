"""The inputs column: the scenario's name, undo and redo, and the five sections."""

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget
from shiboken6 import isValid

from core.language.messages import gettext as _
from core.scenario import Mode, Scenario
from core.sizing.report import Sizing
from desktop.inputs.companions_section import CompanionsSection
from desktop.inputs.deployment_section import DeploymentSection
from desktop.inputs.economics_section import EconomicsSection
from desktop.inputs.model_section import ModelSection
from desktop.inputs.workload_section import WorkloadSection
from desktop.session import Session
from desktop.settings import FOLDED, Settings
from desktop.theme import Theme
from desktop.widgets.elided_edit import ElidedEdit
from desktop.widgets.labels import IconButton, line
from desktop.widgets.late import build_visible
from desktop.widgets.message_bar import MessageBar
from desktop.widgets.quantity_edit import QuantityEdit
from desktop.widgets.scroll import SectionsScroll

InputSection = ModelSection | CompanionsSection | WorkloadSection | DeploymentSection | EconomicsSection

FOLDED_AT_FIRST = {"companions": True, "economics": True}


class InputsPanel(QWidget):
    """Shows the scenario and edits it."""

    def __init__(
        self,
        session: Session,
        theme: Theme,
        settings: Settings,
        import_config: Callable[[], object],
        open_device: Callable[[str], object] | None = None,
        open_bill: Callable[[], object] | None = None,
    ) -> None:
        super().__init__()
        self._session, self._settings = session, settings
        self.setProperty("kind", "surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.model = ModelSection(session, theme, import_config)
        self.companions = CompanionsSection(session, theme)
        self.workload = WorkloadSection(session, theme)
        self.deployment = DeploymentSection(session, theme, open_device)
        self.economics = EconomicsSection(session, theme, open_bill)
        self.sections: dict[str, InputSection] = {
            "model": self.model,
            "companions": self.companions,
            "workload": self.workload,
            "deployment": self.deployment,
            "economics": self.economics,
        }
        self.article = self._article_bar(theme)
        self._lay_out(theme)
        self._fold()
        session.leaving.connect(self.settle)
        session.scenario_changed.connect(self.show_scenario)
        session.catalogue_changed.connect(self._show_again)
        session.sizing_changed.connect(self.show_sizing)
        self.show_scenario(session.scenario)
        build_visible(self)
        if session.sizing is not None:
            self.show_sizing(session.sizing)

    # -- building -----------------------------------------------------------------------------------------------------

    def _lay_out(self, theme: Theme) -> None:
        self.scroll_area = SectionsScroll(self.sections.values(), above=self.article)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addLayout(self._header(theme))
        whole.addWidget(line())
        whole.addWidget(self.scroll_area, 1)

    def _header(self, theme: Theme) -> QHBoxLayout:
        self.name = ElidedEdit(_("Name of the scenario"), 200, "title")
        self.name.editingFinished.connect(self._rename)
        self.undo = IconButton(theme, "undo", _("Undo"), self._session.undo)
        self.redo = IconButton(theme, "redo", _("Redo"), self._session.redo)
        stack = self._session.history
        stack.canUndoChanged.connect(self._offer_undo)
        stack.canRedoChanged.connect(self._offer_undo)
        stack.indexChanged.connect(self._offer_undo)
        self._offer_undo()
        row = QHBoxLayout()
        row.setContentsMargins(10, 9, 10, 8)
        row.setSpacing(2)
        row.addWidget(self.name, 1)
        row.addWidget(self.undo)
        row.addWidget(self.redo)
        return row

    def _offer_undo(self) -> None:
        stack = self._session.history
        if not isValid(stack):  # a stack that is destroyed tells that it is empty
            return
        self.undo.setEnabled(stack.canUndo())
        self.redo.setEnabled(stack.canRedo())
        undo = _("Undo: {edit}").format(edit=stack.undoText()) if stack.canUndo() else _("Undo")
        redo = _("Redo: {edit}").format(edit=stack.redoText()) if stack.canRedo() else _("Redo")
        self.undo.set_name(undo, "Ctrl+Z")
        self.redo.set_name(redo, "Ctrl+Shift+Z")

    def _article_bar(self, theme: Theme) -> QWidget:
        text = _("As in the article: nominal sizes, flat bits, no engine limit.")
        bar = MessageBar(theme, text, "info", closable=False, stacked=True)
        bar.add_action(_("Show what is real"), lambda: self._session.edit(_("As it is"), mode=Mode.REAL))
        holder = QWidget()
        column = QVBoxLayout(holder)
        column.setContentsMargins(12, 8, 12, 2)
        column.addWidget(bar)
        return holder

    # -- folding ------------------------------------------------------------------------------------------------------

    def _fold(self) -> None:
        folds: dict[str, bool] = self._settings.get(FOLDED)
        remembered = FOLDED_AT_FIRST | folds
        for key, section in self.sections.items():
            section.set_folded(bool(remembered.get(key, False)))
            section.folded_changed.connect(self._remember_folds)

    def _remember_folds(self) -> None:
        self._settings.set(FOLDED, {key: section.folded for key, section in self.sections.items()})

    # -- the scenario -------------------------------------------------------------------------------------------------

    def show_scenario(self, scenario: Scenario) -> None:
        if not (self.name.hasFocus() and self.name.isModified()):
            self.name.setText(scenario.name)
            self.name.setCursorPosition(0)
            self.name.setToolTip(scenario.name)
        self.article.setVisible(scenario.mode is Mode.ARTICLE)
        for section in self.sections.values():
            section.show_scenario(scenario)

    def show_sizing(self, sizing: Sizing) -> None:
        for section in self.sections.values():
            section.show_sizing(sizing)

    def _show_again(self) -> None:
        self.show_scenario(self._session.scenario)

    def _rename(self) -> None:
        name = self.name.text().strip()
        self.name.forget_typing()
        if name:
            self._session.edit(_("Rename"), name=name)
        else:
            self.name.setText(self._session.scenario.name)

    def settle(self) -> None:
        """What is being typed takes effect in the scenario it was typed for."""
        if self.name.isModified():
            self.name.setModified(False)
            self._rename()
        self.model.textbook.settle()
        for field in self.findChildren(QuantityEdit):
            field.settle()

    def begin_name(self) -> None:
        """Ready to type another name for the scenario."""
        self.name.setFocus()
        self.name.selectAll()

    def focus_first(self) -> None:
        """The way in from another column."""
        self.model.model.setFocus(Qt.FocusReason.ShortcutFocusReason)

"""Settings: how the window looks and speaks, and what a new scenario begins with."""

from decimal import Decimal

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from core.language.messages import LANGUAGE_NAMES, language
from core.language.messages import gettext as _
from core.language.numbers import MemoryUnit, memory_unit
from desktop.beginnings import electricity_price
from desktop.inputs import names
from desktop.inputs.money import CURRENCIES, price
from desktop.inputs.rows import ROW_GAP, Caption
from desktop.pages.page import Page
from desktop.pages.proposal.brand_section import BrandSection
from desktop.pages.proposal.draft import draft_of
from desktop.session import Session
from desktop.settings import CURRENCY, ELECTRICITY_PRICE, ENGINE, Settings
from desktop.theme import Scheme, Theme
from desktop.widgets.choices import Choice
from desktop.widgets.labels import label, line
from desktop.widgets.picker import ComboPicker
from desktop.widgets.quantity_edit import QuantityEdit
from desktop.widgets.segments import SegmentedSwitch
from desktop.window_choices import WindowChoices

WIDTH, NAME_WIDTH, FIELD_WIDTH, GAP = 640, 220, 300, 12
AS_EXAMPLE = "-"  # key of "as in the example"


class SettingsPage(Page):
    """Everything that is set once; each change holds at once."""

    def __init__(self, session: Session, theme: Theme, settings: Settings, choices: WindowChoices) -> None:
        super().__init__()
        self._session, self._theme, self._settings = session, theme, settings
        self._said: list[tuple[Caption, str]] = []
        self._column = QVBoxLayout()
        self._column.setContentsMargins(0, 0, 0, 24)
        self._column.setSpacing(8)
        title = label(_("Settings"), "verdict")
        self._column.addWidget(title)
        self._column.addWidget(label(_("Each change holds at once; there is nothing to save."), "label", wrap=True))
        self._window_rows(choices)
        self._scenario_rows()
        self._proposal_rows()
        self._column.addStretch(1)
        self._lay_out()
        for below, caption in self._said:  # once each has its place: shown before, it would be a window
            below.set_caption(caption)

    # -- building -----------------------------------------------------------------------------------------------------

    def _lay_out(self) -> None:
        inner = QWidget()
        inner.setProperty("kind", "page")
        inner.setMaximumWidth(WIDTH)
        inner.setLayout(self._column)
        holder = QWidget()
        holder.setProperty("kind", "page")
        row = QHBoxLayout(holder)
        row.setContentsMargins(24, 14, 24, 0)
        row.addWidget(inner, 1)
        row.addStretch(0)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setAccessibleName(_("Settings"))
        area.setWidget(holder)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(area)

    def _window_rows(self, choices: WindowChoices) -> None:
        self._heading(_("Window"))
        schemes = (
            (Scheme.SYSTEM.value, _("As the system")),
            (Scheme.LIGHT.value, _("Light")),
            (Scheme.DARK.value, _("Dark")),
        )
        self.scheme = SegmentedSwitch(schemes, _("Theme"))
        self.scheme.set_value(self._theme.scheme.value)
        self.scheme.chosen.connect(choices.set_scheme)
        self._row(_("Theme"), self.scheme)
        self.language = ComboPicker(self._theme, _("Language"))
        self.language.set_choices([Choice(code, name) for code, name in LANGUAGE_NAMES.items()])
        self.language.set_current(language())
        self.language.chosen.connect(choices.set_language)
        self._row(_("Language"), self.language, _("Window, command line and, unless you choose another, proposals."))
        units = [(unit.value, unit.value) for unit in MemoryUnit]
        self.memory_unit = SegmentedSwitch(units, _("Memory in"))
        self.memory_unit.set_value(memory_unit().value)
        self.memory_unit.chosen.connect(choices.set_memory_unit)
        self._row(_("Memory in"), self.memory_unit, _("GB is 10⁹ bytes, as on labels. GiB is 2³⁰ bytes, as in tools."))

    def _scenario_rows(self) -> None:
        self._heading(_("New scenarios begin with"))
        self.engine = ComboPicker(self._theme, _("Engine"))
        self.engine.set_source(self._engines)
        self.engine.set_current(self._settings.get(ENGINE) or AS_EXAMPLE, self._engine_name())
        self.engine.chosen.connect(self._choose_engine)
        self._row(_("Engine"), self.engine, _("Weights, cache and device follow where the engine needs others."))
        self.currency = ComboPicker(self._theme, _("Currency"))
        codes = [Choice(code, code) for code in CURRENCIES]
        self.currency.set_choices([Choice(AS_EXAMPLE, _("As in the example")), *codes])
        self.currency.set_current(self._settings.get(CURRENCY) or AS_EXAMPLE)
        self.currency.chosen.connect(self._choose_currency)
        self._row(_("Currency"), self.currency)
        self.electricity = QuantityEdit(self._theme, price(), _("Price of a kilowatt-hour"))
        self.electricity.setPlaceholderText(_("by region"))
        self.electricity.set_value(electricity_price(self._settings))
        caption = self._row(_("Price of a kilowatt-hour"), self.electricity, _("In the currency of the scenario."))
        self.electricity.problem_changed.connect(caption.set_problem)
        self.electricity.value_edited.connect(self._set_electricity)

    def _proposal_rows(self) -> None:
        """The brand, as on the page of the proposal: both change the same."""
        self._heading(_("Brand of proposals"))
        self._draft = draft_of(self._session, self._settings)
        self.brand = BrandSection(self._theme, self._draft.change)
        self.brand.set_apart()
        self.brand.set_labels(NAME_WIDTH + GAP - ROW_GAP)
        self.brand.setFixedWidth(NAME_WIDTH + GAP + FIELD_WIDTH)
        self._column.addWidget(self.brand)
        self._draft.changed.connect(self._show_brand)
        self._show_brand()

    def _show_brand(self) -> None:
        self.brand.show_options(self._draft.options)

    def _heading(self, text: str) -> None:
        self._column.addSpacing(10)
        self._column.addWidget(label(text, "section"))
        self._column.addWidget(line())

    def _row(self, text: str, field: QWidget, caption: str = "") -> Caption:
        name = label(text, wrap=True)
        name.setFixedWidth(NAME_WIDTH)
        name.setMinimumHeight(self._theme.size("control"))
        name.setBuddy(field)
        below = Caption(self._theme)
        field.setFixedWidth(FIELD_WIDTH)
        column = QVBoxLayout()
        column.setSpacing(2)
        column.addWidget(field, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(below)
        row = QHBoxLayout()
        row.setSpacing(GAP)
        row.addWidget(name, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(column, 1)
        self._column.addLayout(row)
        self._said.append((below, caption))
        return below

    # -- choosing -----------------------------------------------------------------------------------------------------

    def _engines(self) -> list[Choice]:
        usual = Choice(AS_EXAMPLE, _("As in the example"))
        return [usual, *names.engine_choices(self._session.catalogue, None)]

    def _engine_name(self) -> str:
        engine = names.engine_of(self._session.catalogue, self._settings.get(ENGINE))
        return names.engine_name(engine) if engine else _("As in the example")

    def _choose_engine(self, key: str) -> None:
        self._settings.set(ENGINE, "" if key == AS_EXAMPLE else key)
        self.engine.set_current(key, self._engine_name())

    def _choose_currency(self, key: str) -> None:
        self._settings.set(CURRENCY, "" if key == AS_EXAMPLE else key)
        self.currency.set_current(key)

    def _set_electricity(self, amount: Decimal | None) -> None:
        self._settings.set(ELECTRICITY_PRICE, "" if amount is None else str(amount))

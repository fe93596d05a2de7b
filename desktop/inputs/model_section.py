"""Model: which one, or its textbook numbers; in which format its weights and its cache are kept."""

from collections.abc import Callable

from PySide6.QtWidgets import QVBoxLayout, QWidget

from core.language.format_names import format_name
from core.language.messages import gettext as _
from core.language.messages import ngettext
from core.scenario import CatalogueModel, Scenario, TextbookModel
from core.sizing.report import Sizing
from desktop.inputs import names
from desktop.inputs.explained import explains
from desktop.inputs.rows import Caption, InputRow, PickerRow, QuantityRow
from desktop.session import Session
from desktop.theme import Theme
from desktop.widgets import quantity
from desktop.widgets.elided_edit import ElidedEdit
from desktop.widgets.late import build_visible
from desktop.widgets.picker import ComboPicker
from desktop.widgets.section import Section

TEXTBOOK = "textbook"


class ModelSection(Section):
    """The section of the model."""

    def __init__(self, session: Session, theme: Theme, import_config: Callable[[], object]) -> None:
        super().__init__(theme, _("Model"))
        self._session = session
        self.model = ComboPicker(theme, _("Model"), searchable=True)
        explains(self.model, "model")
        self.model.set_source(lambda: names.model_choices(session.catalogue))
        self.model.add_action(_("Import a model…"), import_config)
        self.model.add_action(_("Textbook model…"), self._use_textbook)
        self.model.chosen.connect(self._choose_model)
        self.facts = Caption(theme)
        self.textbook = TextbookRows(session, theme)
        self.weights = ComboPicker(theme, _("Weights"), searchable=True)
        self.weights.set_source(lambda: names.weight_choices(session.catalogue, session.scenario.deployment.engine))
        self.weights.chosen.connect(lambda key: session.edit(_("Weights"), weights=key))
        self.kv_cache = ComboPicker(theme, _("KV cache"))
        self.kv_cache.set_source(lambda: names.kv_choices(session.catalogue, session.scenario.deployment.engine))
        self.kv_cache.chosen.connect(lambda key: session.edit(_("KV cache"), kv_format=key))
        for widget in (
            self.model,
            self.facts,
            self.textbook,
            PickerRow(theme, _("Weights"), self.weights, "weights"),
            PickerRow(theme, _("KV cache"), self.kv_cache, "kv_format"),
        ):
            self.rows.addWidget(widget)

    def _choose_model(self, key: str) -> None:
        self._session.edit(_("Model"), model=CatalogueModel(id=key))

    def _use_textbook(self) -> None:
        """Begin with the numbers of the model on screen, so that the formula can be compared with it."""
        sizing = self._session.sizing
        if isinstance(self._session.scenario.model, TextbookModel) or sizing is None:
            return
        blueprint = sizing.blueprint
        group = next(iter(blueprint.attention), None)
        model = TextbookModel(
            name=_("{name}, textbook").format(name=blueprint.name)[:200],
            parameters=blueprint.total_parameters,
            active_parameters=min(blueprint.active_parameters, blueprint.total_parameters),
            layers=blueprint.layers,
            kv_heads=group.kv_heads if group else 8,
            head_dim=group.key_dim if group else 128,
            query_heads=group.query_heads if group else None,
            trained_context=blueprint.trained_context,
        )
        self._session.edit(_("Textbook model"), model=model)

    def show_scenario(self, scenario: Scenario) -> None:
        catalogue = self._session.catalogue
        textbook = isinstance(scenario.model, TextbookModel)
        key = TEXTBOOK if isinstance(scenario.model, TextbookModel) else scenario.model.id
        self.model.set_current(key, names.model_name(catalogue, scenario))
        self.textbook.setVisible(textbook)
        if textbook:
            self.textbook.show_scenario(scenario)
            build_visible(self.textbook)
        self.weights.set_current(scenario.weights, _name(catalogue.weight_formats, scenario.weights))
        self.kv_cache.set_current(scenario.kv_format, _name(catalogue.kv_formats, scenario.kv_format))
        self.set_summary(names.model_name(catalogue, scenario))

    def show_sizing(self, sizing: Sizing) -> None:
        self.facts.set_caption(model_facts(sizing))


def model_facts(sizing: Sizing) -> str:
    """What matters about the model, in two short sentences."""
    number, blueprint, trace = names.number(), sizing.blueprint, sizing.trace
    total = number.parameters(trace.get("model.total_parameters", blueprint.total_parameters))
    active = number.parameters(trace.get("model.active_parameters", blueprint.active_parameters))
    size = number.bytes(trace.get("memory_item.weights", 0))
    first = (
        _("{total} parameters, {active} active. {size} of weights;")
        if blueprint.moe
        else _("{total} parameters. {size} of weights;")
    ).format(total=total, active=active, size=size)
    caching, layers = blueprint.caching_layers, blueprint.layers
    if caching >= layers:
        second = ngettext("its one layer keeps a cache.", "all {layers} layers keep a cache.", layers)
    else:
        second = ngettext(
            "{caching} of {layers} layers keeps a cache.", "{caching} of {layers} layers keep a cache.", caching
        )
    return f"{first} {second.format(layers=layers, caching=caching)}"


def _name(table: object, key: str) -> str:
    record = table.get(key) if hasattr(table, "get") else None
    return format_name(record.name) if record is not None else key


class TextbookRows(QWidget):
    """The numbers of the textbook formula."""

    def __init__(self, session: Session, theme: Theme) -> None:
        super().__init__()
        self._session = session
        self.name = ElidedEdit(_("Name of the model"), 200)
        self.name.editingFinished.connect(self._rename)

        def whole(example: str, most: float) -> quantity.Quantity:
            return quantity.count(high=most, example=example)

        self.fields = [
            QuantityRow(session, theme, _("Parameters"), "model__parameters", quantity.parameters()),
            QuantityRow(session, theme, _("Active per token"), "model__active_parameters", quantity.parameters()),
            QuantityRow(session, theme, _("Layers with cache"), "model__layers", whole("48", 1e4)),
            QuantityRow(session, theme, _("KV heads"), "model__kv_heads", whole("8", 1e5)),
            QuantityRow(session, theme, _("Head width"), "model__head_dim", whole("128", 1e5)),
        ]
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(3)
        column.addWidget(InputRow(theme, _("Name"), self.name))
        for row in self.fields:
            column.addWidget(row)

    def _rename(self) -> None:
        name = self.name.text().strip()
        self.name.forget_typing()
        if name and isinstance(self._session.scenario.model, TextbookModel):
            self._session.edit(_("Name of the model"), model__name=name)

    def settle(self) -> None:
        if self.name.isModified():
            self.name.setModified(False)
            self._rename()

    def show_scenario(self, scenario: Scenario) -> None:
        if isinstance(scenario.model, TextbookModel):
            if not (self.name.hasFocus() and self.name.isModified()):
                self.name.setText(scenario.model.name)
                self.name.setCursorPosition(0)
            for row in self.fields:
                row.show_scenario(scenario)

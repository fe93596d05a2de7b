"""Deployment: which device, how many, how the model is spread over them, and with which engine."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from core.catalogue.records import Device
from core.errors import TonnageError
from core.language.messages import gettext as _
from core.scenario import Scenario
from core.sizing.report import Sizing
from desktop.inputs import names
from desktop.inputs.rows import Caption, PickerRow, QuantityRow, StepperRow
from desktop.session import Session
from desktop.theme import Theme
from desktop.widgets import quantity
from desktop.widgets.choices import Choice
from desktop.widgets.picker import ComboPicker
from desktop.widgets.section import Section


class DeploymentSection(Section):
    """The section of the deployment."""

    def __init__(self, session: Session, theme: Theme, open_device: Callable[[str], object] | None = None) -> None:
        super().__init__(theme, _("Deployment"))
        self._session = session
        self.device = ComboPicker(theme, _("Device"), searchable=True)
        self.device.set_source(lambda: names.device_choices(session.catalogue))
        self.device.chosen.connect(self._choose_device)
        if open_device is not None:
            self.device.add_action(_("Show in the catalogue"), lambda: open_device(session.scenario.deployment.device))
        self.facts = Caption(theme)
        self.count = self._stepper(theme, _("Count"), "deployment__count", 1024)
        self.plan = ComboPicker(theme, _("Plan"))
        self.plan.set_source(self._plans)
        self.plan.chosen.connect(lambda key: session.edit(_("Plan"), deployment__plan=names.plan_of(key)))
        self.engine = ComboPicker(theme, _("Engine"))
        self.engine.set_source(lambda: names.engine_choices(session.catalogue, self._device()))
        self.engine.chosen.connect(lambda key: session.edit(_("Engine"), deployment__engine=key))
        self.nodes = self._stepper(theme, _("Machines"), "deployment__nodes", 256)
        self.link = ComboPicker(theme, _("Link"), searchable=True)
        self.link.set_source(self._links)
        self.link.chosen.connect(lambda key: session.edit(_("Link"), deployment__link=key if key != "auto" else None))
        self.engine_rows = self._engine_rows(session, theme)
        rows = [
            self.device,
            self.facts,
            self.count,
            PickerRow(theme, _("Plan"), self.plan),
            PickerRow(theme, _("Engine"), self.engine),
            self.nodes,
            link_row := PickerRow(theme, _("Link"), self.link),
            *self.engine_rows,
        ]
        for row in rows:
            self.rows.addWidget(row)
        self.add_more([self.nodes, link_row, *self.engine_rows])

    def _engine_rows(self, session: Session, theme: Theme) -> list[QuantityRow]:
        auto = _("by the engine")
        share = quantity.share(0.01, optional=True)
        memory = quantity.memory(optional=True)
        chunk = replace(quantity.count(_("tokens"), low=16, high=1e6, example="2048"), optional=True)
        kinds = [
            (_("Memory share"), "deployment__memory_share", share, auto),
            (_("Runtime"), "deployment__runtime_bytes", memory, auto),
            (_("Prefill chunk"), "deployment__prefill_chunk", chunk, auto),
            (_("Card holds"), "deployment__capacity_bytes", memory, _("as built")),
        ]
        return [QuantityRow(session, theme, text, path, kind, placeholder=hint) for text, path, kind, hint in kinds]

    def _stepper(self, theme: Theme, text: str, path: str, most: int) -> StepperRow:
        """A number of devices or machines; a plan for another number is no longer one."""
        number = quantity.count(high=most, example="2")
        return StepperRow(self._session, theme, text, path, number, lambda _value: {"deployment__plan": None})

    def _device(self) -> Device | None:
        return device_of(self._session.catalogue, self._session.scenario.deployment.device)

    def _choose_device(self, key: str) -> None:
        """Another device: what was set for the old one no longer holds."""
        self._session.edit(
            _("Device"),
            deployment__device=key,
            deployment__plan=None,
            deployment__link=None,
            deployment__capacity_bytes=None,
            economics__price=None,
        )

    def _accelerators(self) -> int:
        device, deployment = self._device(), self._session.scenario.deployment
        return deployment.count * deployment.nodes * (device.accelerators if device else 1)

    def _plans(self) -> list[Choice]:
        sizing = self._session.sizing
        automatic = self._session.scenario.deployment.plan is None
        moe = sizing.blueprint.moe if sizing and sizing.engine.group == "serving" else None
        experts = moe.experts if moe else 0
        return names.plan_choices(self._accelerators(), sizing.plan if sizing and automatic else None, experts)

    def _links(self) -> list[Choice]:
        return [
            Choice("auto", _("Auto: the best there is")),
            *names.link_choices(self._session.catalogue, self._device()),
        ]

    def show_scenario(self, scenario: Scenario) -> None:
        deployment, device = scenario.deployment, self._device()
        name = names.device_name(device) if device else deployment.device
        self.device.set_current(deployment.device, name)
        self.facts.set_caption(names.device_figures(device) if device else _("This device is not in the catalogue."))
        self.count.show_scenario(scenario)
        self.nodes.show_scenario(scenario)
        if deployment.plan is not None:
            plan = names.plan_name(deployment.plan)
            self.plan.set_current(names.plan_key(deployment.plan), plan[:1].upper() + plan[1:])
        engine = names.engine_of(self._session.catalogue, deployment.engine)
        self.engine.set_current(deployment.engine, names.engine_name(engine) if engine else deployment.engine)
        link = self._session.catalogue.links.get(deployment.link) if deployment.link else None
        self.link.set_current(deployment.link or "auto", link.name if link else deployment.link or _("Auto"))
        for row in self.engine_rows:
            row.show_scenario(scenario)
        total = deployment.count * deployment.nodes
        self.set_summary(f"{total} × {name}" if total > 1 else name)

    def show_sizing(self, sizing: Sizing) -> None:
        if sizing.scenario.deployment.plan is None:
            self.plan.set_current("auto", _("Auto: {plan}").format(plan=names.plan_name(sizing.plan)))
        if sizing.scenario.deployment.link is None:
            name = sizing.link.name if sizing.link else ""
            self.link.set_current("auto", _("Auto: {link}").format(link=name) if name else _("Auto: none needed"))


def device_of(catalogue: Any, device_id: str) -> Device | None:
    try:
        device: Device = catalogue.device(device_id)
    except TonnageError:
        return None
    return device

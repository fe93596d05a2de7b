"""Deployment: which device, how many, how the model is spread over them, and with which engine."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from core.catalogue.records import Device, Engine
from core.errors import TonnageError
from core.language.messages import gettext as _
from core.scenario import Deployment, Host, Scenario, Speculation
from core.sizing.report import Sizing
from desktop.inputs import names
from desktop.inputs.explained import explains
from desktop.inputs.rows import Caption, PickerRow, QuantityRow, StepperRow
from desktop.session import Session
from desktop.theme import Theme
from desktop.widgets import quantity
from desktop.widgets.choices import Choice
from desktop.widgets.picker import ComboPicker
from desktop.widgets.quantity import Value
from desktop.widgets.section import Section

ACCEPTANCE = "deployment__speculation__acceptance"


#: The figures that stand in for what is left to the engine.
USUAL = {
    "deployment__memory_share": "engine.memory_share",
    "deployment__prefill_chunk": "engine.prefill_chunk",
    "deployment__max_requests": "engine.max_requests",
    "deployment__runtime_bytes": "memory_item.framework",
}
AUTO, GIVEN = "auto", "given"  # keys of "by the engine" and of a host that is in no catalogue


def _caching_names() -> dict[str, str]:
    return {AUTO: _("by the engine"), "on": _("on"), "off": _("off")}


class AcceptanceRow(QuantityRow):
    """The chance that a guessed token is kept; giving one begins to count what guessing brings."""

    def __init__(self, session: Session, theme: Theme) -> None:
        kind = replace(quantity.share(optional=True), high=0.99)
        super().__init__(session, theme, _("Chance of each"), ACCEPTANCE, kind, placeholder=_("not counted"))

    def refusal(self, value: Value) -> str:
        return self._session.check(deployment__speculation=self._speculation(value))

    def _on_edited(self, value: Value) -> None:
        self._session.edit(self._text, deployment__speculation=self._speculation(value))

    def _speculation(self, value: Value) -> Speculation | None:
        if value is None:
            return None
        known = self._session.scenario.deployment.speculation
        if known is None:
            return Speculation.model_construct(acceptance=value, draft_model=None, draft_weights="bf16")
        return known.model_copy(update={"acceptance": value})

    def _show(self, scenario: Scenario) -> None:
        speculation = scenario.deployment.speculation
        self.edit.set_value(speculation.acceptance if speculation else None)
        self.setEnabled(bool(scenario.deployment.draft_tokens))


class DeploymentSection(Section):
    """The section of the deployment."""

    def __init__(self, session: Session, theme: Theme, open_device: Callable[[str], object] | None = None) -> None:
        super().__init__(theme, _("Deployment"))
        self._session, self._theme = session, theme
        self.device = ComboPicker(theme, _("Device"), searchable=True)
        explains(self.device, "deployment__device")
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
        self.release = PickerRow(theme, _("Release"), self._release())
        self.caching = PickerRow(theme, _("Prefix caching"), self._caching(), "deployment__prefix_caching")
        self.host = PickerRow(theme, _("Host memory"), self._host())
        self.nodes = self._stepper(theme, _("Machines"), "deployment__nodes", 256)
        self.link = ComboPicker(theme, _("Link"), searchable=True)
        self.link.set_source(self._links)
        self.link.chosen.connect(lambda key: session.edit(_("Link"), deployment__link=key if key != "auto" else None))
        self.engine_rows = self._engine_rows(session, theme)
        rows = [
            self.device,
            self.facts,
            self.count,
            PickerRow(theme, _("Plan"), self.plan, "deployment__plan"),
            PickerRow(theme, _("Engine"), self.engine, "deployment__engine"),
            self.nodes,
            link_row := PickerRow(theme, _("Link"), self.link, "deployment__link"),
            self.release,
            *self.engine_rows,
            self.caching,
            *self._guess_rows(),
            self.host,
            *self._host_rows(),
        ]
        for row in rows:
            self.rows.addWidget(row)
        self.numbers = [row for row in rows if isinstance(row, QuantityRow)]
        first = rows.index(self.nodes)
        assert link_row in rows[first:]
        self.add_more(rows[first:])

    def _release(self) -> ComboPicker:
        """The release of the engine, by which its defaults differ."""
        picker = ComboPicker(self._theme, _("Release"), searchable=True)
        picker.set_source(lambda: names.release_choices(self._engine()))
        picker.chosen.connect(
            lambda key: self._session.edit(_("Release"), deployment__release=None if key == AUTO else key)
        )
        return picker

    def _caching(self) -> ComboPicker:
        picker = ComboPicker(self._theme, _("Prefix caching"))
        picker.set_choices([Choice(key, name) for key, name in _caching_names().items()])
        values = {AUTO: None, "on": True, "off": False}
        picker.chosen.connect(
            lambda key: self._session.edit(_("Prefix caching"), deployment__prefix_caching=values[key])
        )
        return picker

    def _host(self) -> ComboPicker:
        """The memory beside the accelerators, for layers or experts that lie there."""
        picker = ComboPicker(self._theme, _("Host memory"), searchable=True)
        picker.set_source(lambda: [Choice(AUTO, _("not used")), *names.host_choices(self._session.catalogue)])
        picker.chosen.connect(self._choose_host)
        return picker

    def _choose_host(self, key: str) -> None:
        if key == AUTO:
            self._session.edit(
                _("Host memory"),
                deployment__host=None,
                deployment__host_layers=0,
                deployment__host_expert_layers=0,
            )
        else:
            self._session.edit(_("Host memory"), deployment__host=Host(device=key))

    def _guess_rows(self) -> list[QuantityRow]:
        """Tokens guessed ahead, and the chance that one is kept; without the chance nothing is gained or lost."""
        session = self._session

        def with_guess(number: Value) -> dict[str, Any]:
            known = session.scenario.deployment.speculation
            return {"deployment__speculation": None} if not number or known is None else {}

        tokens = QuantityRow(
            session,
            self._theme,
            _("Tokens guessed"),
            "deployment__draft_tokens",
            quantity.count(low=0, high=64, example="3"),
            also=with_guess,
        )
        self.acceptance = AcceptanceRow(session, self._theme)
        return [tokens, self.acceptance]

    def _host_rows(self) -> list[QuantityRow]:
        whole = quantity.count(low=0, high=10_000, example="8")
        kinds = [(_("Layers there"), "host_layers"), (_("Expert layers there"), "host_expert_layers")]
        return [QuantityRow(self._session, self._theme, text, f"deployment__{field}", whole) for text, field in kinds]

    def _engine_rows(self, session: Session, theme: Theme) -> list[QuantityRow]:
        auto = _("by the engine")
        share = quantity.share(0.01, optional=True)
        memory = quantity.memory(optional=True)
        chunk = replace(quantity.count(_("tokens"), low=16, high=1e6, example="2048"), optional=True)
        requests = replace(quantity.count(high=1e6, example="256"), optional=True)
        kinds = [
            (_("Memory share"), "deployment__memory_share", share, auto),
            (_("Runtime"), "deployment__runtime_bytes", memory, auto),
            (_("Prefill chunk"), "deployment__prefill_chunk", chunk, auto),
            (_("Requests prepared"), "deployment__max_requests", requests, auto),
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
        name = device.name_alone if device else deployment.device
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
        self.release.picker.set_current(deployment.release or AUTO, deployment.release or _("by the catalogue"))
        caching = {None: AUTO, True: "on", False: "off"}[deployment.prefix_caching]
        self.caching.picker.set_current(caching, _caching_names()[caching])
        self._show_host(deployment)
        for row in self.numbers:
            row.show_scenario(scenario)
        total = deployment.count * deployment.nodes
        self.set_summary(f"{total} × {name}" if total > 1 else name)

    def _engine(self) -> Engine | None:
        return names.engine_of(self._session.catalogue, self._session.scenario.deployment.engine)

    def _show_host(self, deployment: Deployment) -> None:
        host = deployment.host
        if host is None:
            self.host.picker.set_current(AUTO, _("not used"))
        elif host.device is None:
            self.host.picker.set_current(GIVEN, _("as given"))
        else:
            known = device_of(self._session.catalogue, host.device)
            self.host.picker.set_current(host.device, known.name_alone if known else host.device)

    def show_sizing(self, sizing: Sizing) -> None:
        if sizing.scenario.deployment.plan is None:
            self.plan.set_current("auto", _("Auto: {plan}").format(plan=names.plan_name(sizing.plan)))
        for row in self.engine_rows:
            usual = sizing.trace.get(USUAL.get(row.path, ""))
            if usual is not None:
                row.show_usual(usual)
        if sizing.scenario.deployment.link is None:
            name = sizing.link.name if sizing.link else ""
            self.link.set_current("auto", _("Auto: {link}").format(link=name) if name else _("Auto: none needed"))


def device_of(catalogue: Any, device_id: str) -> Device | None:
    try:
        device: Device = catalogue.device(device_id)
    except TonnageError:
        return None
    return device

"""Words for the choices of the inputs column: names, key figures, plans."""

from collections.abc import Iterable, Mapping
from typing import Any

from core.catalogue.records import Device, DeviceKind, Engine, KvFormat, Link, Model, WeightFormat
from core.errors import TonnageError
from core.language import numbers
from core.language.format_names import format_name
from core.language.messages import gettext as _
from core.language.messages import ngettext
from core.scenario import CatalogueModel, CompanionRole, Placement, Plan, Scenario
from core.sizing.engine_defaults import changing_releases
from desktop.widgets.choices import Choice

OWN = "own/"  # how ids of the user's own records begin


def number() -> numbers.Formatter:
    return numbers.current()


def records(table: Mapping[str, Any]) -> Iterable[Any]:
    return table.values()


def device_figures(device: Device) -> str:
    """What a device is, in one line: memory of each tier, bandwidth, power."""
    tiers = [f"{whole_bytes(tier.capacity_bytes)} {tier.name}" for tier in device.memory_tiers]
    parts = [" + ".join(tiers), number().rate(device.memory_tiers[0].bandwidth_bytes_per_s)]
    if device.tdp_w:
        parts.append(number().power(device.tdp_w))
    return ", ".join(parts)


def device_short(device: Device) -> str:
    """Memory and bandwidth, for lists."""
    tier = device.memory_tiers[0]
    return f"{whole_bytes(tier.capacity_bytes)} · {number().rate(tier.bandwidth_bytes_per_s)}"


def whole_bytes(amount: int) -> str:
    """An amount of memory as labels say it: 96 GB, 141 GB, 64.5 GB."""
    text = number().bytes(amount)
    sign = number().decimal_sign
    return text.replace(f"{sign}0\u00a0", "\u00a0")


def device_choices(catalogue: Any) -> list[Choice]:
    """All devices, by vendor and name."""
    devices = sorted(records(catalogue.devices), key=lambda d: (d.vendor.casefold(), d.name.casefold()))
    return [
        Choice(
            d.id,
            d.name_alone,
            device_short(d),
            d.vendor,
            words=" ".join([d.vendor, d.id, d.architecture, *d.aliases]),
            mark=_("yours") if is_own(d.id) else "",
        )
        for d in devices
    ]


def model_choices(catalogue: Any, role: str = "generator") -> list[Choice]:
    """All models of a role, by family."""
    models = [m for m in records(catalogue.models) if m.role == role]
    models.sort(key=lambda m: (not is_own(m.id), _maker(m).casefold(), m.name.casefold()))
    return [
        Choice(m.id, m.name, model_figures(catalogue, m), _maker(m), words=" ".join([m.id, *m.aliases])) for m in models
    ]


def _maker(model: Model) -> str:
    return _("Yours") if is_own(model.id) else model.id.split("/")[0]


def is_own(record_id: str) -> bool:
    """Whether a record was added by the user; see `desktop.importing.free_id`."""
    return record_id.startswith(OWN)


def model_figures(catalogue: Any, model: Model) -> str:
    """Parameters in all and per token, for lists."""
    try:
        blueprint = catalogue.blueprint(model.id)
    except TonnageError:
        return _("cannot be read")
    total, active = blueprint.total_parameters, blueprint.active_parameters
    if blueprint.moe is None:
        return number().parameters(total)
    return _("{total}, {active} active").format(total=number().parameters(total), active=number().parameters(active))


def model_name(catalogue: Any, scenario: Scenario) -> str:
    if isinstance(scenario.model, CatalogueModel):
        try:
            return str(catalogue.model(scenario.model.id).name)
        except TonnageError:
            return scenario.model.id
    return scenario.model.name


def weight_choices(catalogue: Any, engine_id: str) -> list[Choice]:
    """Weight formats with their bits: first those that the engine reads."""
    engine = engine_of(catalogue, engine_id)
    formats: list[WeightFormat] = list(records(catalogue.weight_formats))
    return _sorted_by_engine(engine, [(f, bits(f.bits), _reads(catalogue, engine, f)) for f in formats])


def kv_choices(catalogue: Any, engine_id: str) -> list[Choice]:
    """Cache formats with their bits: first those that the engine keeps."""
    engine = engine_of(catalogue, engine_id)
    formats: list[KvFormat] = list(records(catalogue.kv_formats))
    return _sorted_by_engine(engine, [(f, bits(f.bits), _keeps(engine, f)) for f in formats])


def _sorted_by_engine(engine: Engine | None, rows: Iterable[tuple[Any, str, bool]]) -> list[Choice]:
    if engine is None:
        return [Choice(f.id, format_name(f.name), bits, words=f.id) for f, bits, _there in rows]
    here, elsewhere = engine.name, _first_upper(_("not in {engine}").format(engine=engine.name))
    choices = [
        Choice(f.id, format_name(f.name), bits, here if there else elsewhere, words=f.id) for f, bits, there in rows
    ]
    return sorted(choices, key=lambda choice: choice.group != here)


def engine_of(catalogue: Any, engine_id: str) -> Engine | None:
    try:
        engine: Engine = catalogue.engine(engine_id)
    except TonnageError:
        return None
    return engine


def _reads(catalogue: Any, engine: Engine | None, wanted: WeightFormat) -> bool:
    """Whether the engine loads the format, or its own variant of it; a rule of thumb goes with any."""
    return engine is None or wanted.flat or catalogue.format_for(wanted, engine).id in engine.weight_formats


def _keeps(engine: Engine | None, wanted: KvFormat) -> bool:
    return engine is None or wanted.id in engine.kv_formats


def bits(amount: float) -> str:
    written = number().decimal(amount, 2).rstrip("0").rstrip(number().decimal_sign)
    return _("{bits} bit").format(bits=written)


def engine_choices(catalogue: Any, device: Device | None) -> list[Choice]:
    """Engines; those that do not run on the device say so."""
    return [
        Choice(e.id, engine_name(e), "" if device is None or device.family in e.families else _("not on this device"))
        for e in records(catalogue.engines)
    ]


def engine_name(engine: Engine) -> str:
    return f"{engine.name} {engine.version}".strip()


def release_choices(engine: Engine | None) -> list[Choice]:
    """The release of the catalogue, and those at which a default of the engine changed."""
    known = engine.version if engine else ""
    automatic = Choice(
        "auto", _("{release}, by the catalogue").format(release=known) if known else _("by the catalogue")
    )
    changing = changing_releases(engine.allocator) if engine else ()
    return [automatic, *(Choice(release, release) for release in changing)]


def host_choices(catalogue: Any) -> list[Choice]:
    """The processors of the catalogue, with their memory."""
    return [c for c in device_choices(catalogue) if catalogue.devices[c.key].kind is DeviceKind.CPU]


def link_choices(catalogue: Any, device: Device | None) -> list[Choice]:
    """Links that join this device first, then all others."""
    own = (*device.links, *device.network_links) if device else ()
    links: list[Link] = sorted(records(catalogue.links), key=lambda x: (x.id not in own, x.name.casefold()))
    return [
        Choice(
            x.id,
            x.name,
            number().rate(x.bytes_per_s_per_direction),
            _("Of this device") if x.id in own else _("Others"),
        )
        for x in links
    ]


def plan_key(plan: Plan | None) -> str:
    if plan is None:
        return "auto"
    plain = f"{plan.tensor}.{plan.pipeline}.{plan.replicas}"
    return f"{plain}.{plan.attention_replicas}.{plan.expert}" if plan.spreads_experts else plain


def plan_of(key: str) -> Plan | None:
    if key == "auto":
        return None
    tensor, pipeline, replicas, *spread = (int(part) for part in key.split("."))
    attention, expert = spread or (1, 1)
    return Plan(tensor=tensor, pipeline=pipeline, replicas=replicas, attention_replicas=attention, expert=expert)


def plan_name(plan: Plan) -> str:
    """A plan in words."""
    if plan.ranks == 1:
        return _("one device")
    parts = []
    if plan.tensor > 1:
        parts.append(_("tensor parallel {number}").format(number=plan.tensor))
    if plan.attention_replicas > 1:
        parts.append(_("attention in {number} groups").format(number=plan.attention_replicas))
    if plan.expert > 1:
        parts.append(_("experts over {number}").format(number=plan.expert))
    if plan.pipeline > 1:
        parts.append(_("pipeline of {number}").format(number=plan.pipeline))
    if plan.replicas > 1:
        parts.append(ngettext("{number} replica", "{number} replicas", plan.replicas).format(number=plan.replicas))
    return " × ".join(parts)


def plan_choices(accelerators: int, chosen: Plan | None, experts: int = 0) -> list[Choice]:
    """The automatic plan, and every way to spread a model over so many accelerators, tensor parallel first.

    With experts, of a model and an engine that can spread them, also the ways that keep experts or attention whole.
    """
    automatic = Choice("auto", _("Auto: {plan}").format(plan=plan_name(chosen)) if chosen else _("Auto"))
    plans = [
        Plan(tensor=t, pipeline=p, replicas=accelerators // t // p)
        for t in _divisors(accelerators)
        for p in _divisors(accelerators // t)
    ]
    plans.sort(key=lambda plan: (-plan.tensor, -plan.replicas))
    shown = plans[:24] + _expert_plans(accelerators, experts)[:12]
    return [automatic, *(Choice(plan_key(plan), _first_upper(plan_name(plan))) for plan in shown)]


def _expert_plans(accelerators: int, experts: int) -> list[Plan]:
    """Whole experts on every accelerator of a copy: attention divided, whole in groups, or both; wide copies first."""
    return [
        Plan(tensor=wide // groups, attention_replicas=groups, expert=wide, replicas=accelerators // wide)
        for wide in reversed(_divisors(accelerators))
        if 1 < wide <= experts
        for groups in _divisors(wide)
    ]


def _divisors(number: int) -> list[int]:
    return [n for n in range(1, number + 1) if number % n == 0]


def _first_upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def placement_name(placement: Placement) -> str:
    return {
        Placement.SAME_CARD: _("Same card"),
        Placement.SECOND_CARD: _("A card of its own"),
        Placement.CPU: _("CPU"),
    }[placement]


def role_name(role: CompanionRole) -> str:
    return {CompanionRole.EMBEDDING: _("Embedding"), CompanionRole.RERANKER: _("Reranker")}[role]

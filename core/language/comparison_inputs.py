"""Which inputs of compared scenarios differ: one row an input, written as the inputs write it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from core.catalogue.catalogue import Catalogue
from core.errors import TonnageError
from core.language import sentences
from core.language.cost_sentences import use
from core.language.format_names import format_name
from core.language.messages import gettext as _
from core.language.messages import marked
from core.language.numbers import Formatter, current
from core.language.plain_numbers import TIMES
from core.scenario import CatalogueModel, Plan, Scenario

Write = Callable[[Scenario, Catalogue, Formatter], str]


@dataclass(frozen=True, slots=True)
class InputRow:
    """An input with its value in each scenario."""

    name: str
    values: tuple[str, ...]

    @property
    def differs(self) -> bool:
        return len(set(self.values)) > 1


def input_rows(scenarios: Sequence[Scenario], catalogue: Catalogue) -> list[InputRow]:
    """Every input that people look at, in the order of the inputs; last, how many others differ."""
    write = current()
    rows = [
        InputRow(_(name), tuple(_written(told, scenario, catalogue, write) for scenario in scenarios))
        for name, told in _INPUTS.items()
    ]
    return [*rows, *_others(scenarios, write)]


def _written(told: Write, scenario: Scenario, catalogue: Catalogue, write: Formatter) -> str:
    try:
        return told(scenario, catalogue, write)
    except TonnageError:  # a record that is no longer in the catalogue
        return write.unknown()


# ---- how each is written


def _model(scenario: Scenario, catalogue: Catalogue, _write: Formatter) -> str:
    chosen = scenario.model
    return catalogue.model(chosen.id).name if isinstance(chosen, CatalogueModel) else chosen.name


def _companions(scenario: Scenario, catalogue: Catalogue, write: Formatter) -> str:
    names = [
        catalogue.model(one.model).name if one.model else write.parameters(one.parameters or 0)
        for one in scenario.companions
    ]
    return ", ".join(names) or write.none()


def _requests(scenario: Scenario, _catalogue: Catalogue, write: Formatter) -> str:
    given = scenario.workload.requests_at_once
    return _("from users") if given is None else write.count(given)


def _prompt(scenario: Scenario, _catalogue: Catalogue, write: Formatter) -> str:
    given = scenario.workload.prompt_tokens
    return _("as long as the context") if given is None else write.tokens(given)


def _link(scenario: Scenario, catalogue: Catalogue, _write: Formatter) -> str:
    chosen = scenario.deployment.link
    return _("the best there is") if chosen is None else catalogue.link(chosen).name


def _plan(scenario: Scenario, _catalogue: Catalogue, _write: Formatter) -> str:
    plan: Plan | None = scenario.deployment.plan
    if plan is None:
        return _("chosen by rule")
    parts = {"TP": plan.tensor, "PP": plan.pipeline, "DP": plan.attention_replicas, "EP": plan.expert}
    texts = [f"{name} {size}" for name, size in parts.items() if size > 1]
    return ", ".join([*texts, *([f"{TIMES} {plan.replicas}"] if plan.replicas > 1 else [])]) or "1"


def _price(scenario: Scenario, _catalogue: Catalogue, write: Formatter) -> str:
    price, currency = scenario.economics.price, scenario.economics.currency
    return _("of the catalogue") if price is None else write.money(price, currency)


def _or_none(value: Any, told: Callable[[Any], str], write: Formatter) -> str:
    return write.none() if value is None else told(value)


_INPUTS: dict[str, Write] = {
    marked("Model"): _model,
    marked("Weights"): lambda s, catalogue, _w: format_name(catalogue.weight_format(s.weights).name),
    marked("KV cache"): lambda s, catalogue, _w: format_name(catalogue.kv_format(s.kv_format).name),
    marked("Counted"): lambda s, _c, _w: sentences.mode(s.mode),
    marked("Companions"): _companions,
    marked("Used for"): lambda s, _c, w: _or_none(s.workload.use, use, w),
    marked("Users"): lambda s, _c, w: w.count(s.workload.users),
    marked("Active at once"): lambda s, _c, w: w.share(s.workload.active_share),
    marked("Requests at once"): _requests,
    marked("Prompt"): _prompt,
    marked("Answer"): lambda s, _c, w: w.tokens(s.workload.output_tokens),
    marked("Context limit"): lambda s, _c, w: w.tokens(s.workload.context_tokens),
    marked("Prefix cache hits"): lambda s, _c, w: w.share(s.workload.prefix_hit_share),
    marked("First token within"): lambda s, _c, w: _or_none(s.workload.ttft_target_s, w.seconds, w),
    marked("Speed per user"): lambda s, _c, w: _or_none(s.workload.speed_target, w.speed, w),
    marked("Growth reserve"): lambda s, _c, w: w.share(s.workload.reserve_share),
    marked("Device"): lambda s, catalogue, _w: catalogue.device(s.deployment.device).name,
    marked("Count"): lambda s, _c, w: w.count(s.deployment.count),
    marked("Machines"): lambda s, _c, w: w.count(s.deployment.nodes),
    marked("Link"): _link,
    marked("Plan"): _plan,
    marked("Engine"): lambda s, catalogue, _w: catalogue.engine(s.deployment.engine).name,
    marked("Price of one"): _price,
    marked("Currency"): lambda s, _c, _w: s.economics.currency,
}

#: What the rows above show, as paths of a scenario; the rest is counted.
_SHOWN = {
    "name", "client", "model", "weights", "kv_format", "mode", "companions", "schema_version",
    "workload.use", "workload.users", "workload.active_share", "workload.requests_at_once", "workload.prompt_tokens",
    "workload.output_tokens", "workload.context_tokens", "workload.prefix_hit_share", "workload.ttft_target_s",
    "workload.speed_target", "workload.reserve_share", "deployment.device", "deployment.count", "deployment.nodes",
    "deployment.link", "deployment.plan", "deployment.engine", "economics.price", "economics.currency",
}  # fmt: skip


def _others(scenarios: Sequence[Scenario], write: Formatter) -> Iterator[InputRow]:
    """How many further inputs are not as those of the first scenario."""
    first, *rest = [dict(_leaves(scenario)) for scenario in scenarios]
    apart = [sum(first[path] != other[path] for path in first) for other in rest]
    if any(apart):
        yield InputRow(_("Further inputs that differ"), ("–", *map(write.count, apart)))


def _leaves(scenario: Scenario) -> Iterator[tuple[str, Any]]:
    for name in type(scenario).model_fields:
        value = getattr(scenario, name)
        if name in ("workload", "deployment", "economics"):
            for part in type(value).model_fields:
                if f"{name}.{part}" not in _SHOWN:
                    yield f"{name}.{part}", getattr(value, part)
        elif name not in _SHOWN:
            yield name, value

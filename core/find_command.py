"""`tonnage find FILE`: what to buy for a scenario's need, or with --models what its hardware can run."""

import argparse
import json
import time
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from core import __version__
from core.catalogue.catalogue import Catalogue
from core.catalogue.records import DeviceKind
from core.errors import InvalidInput
from core.refusal import refusal
from core.scenario import Scenario
from core.sizing.concurrency import Redundancy
from core.sizing.search.explain import Explanation, Reason, explain
from core.sizing.search.hardware import find_hardware
from core.sizing.search.models import ModelAnswer, ModelsFound, find_models
from core.sizing.search.report import Answer, HardwareFound
from core.sizing.search.request import Limits, Ranking, SearchRequest


def find_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument(
        "file", type=Path, help="a .tonnage file: its model, workload, targets and reserve are the need"
    )
    parser.add_argument("--models", action="store_true", help="which models the file's hardware can run instead")
    parser.add_argument("--by", type=Ranking, choices=list(Ranking), default=Ranking.COST, help="what to rank by")
    parser.add_argument("--budget", type=_money, help="most that the hardware may cost, in the file's currency")
    parser.add_argument("--power", type=float, metavar="W", help="most that it may draw under load")
    parser.add_argument("--noise", type=float, metavar="DBA", help="loudest that it may be under load")
    parser.add_argument(
        "--kind", type=DeviceKind, choices=list(DeviceKind), nargs="+", default=[], help="how it is built"
    )
    parser.add_argument("--vendor", nargs="+", default=[], help="who makes it")
    parser.add_argument("--device", nargs="+", default=[], help="only these devices of the catalogue")
    parser.add_argument("--most", type=int, default=72, metavar="N", help="at most so many cards or machines")
    parser.add_argument(
        "--percentile", type=int, metavar="N", help="the targets must be met in so many of a hundred cases, 50 to 99"
    )
    parser.add_argument(
        "--safety", type=Redundancy, choices=list(Redundancy), default=Redundancy.NONE, help="what may fail"
    )
    parser.add_argument("--weights", nargs="+", help="weight formats to choose from")
    parser.add_argument("--kv", nargs="+", help="cache formats to choose from")
    parser.add_argument("--engine", nargs="+", help="engines to choose from")
    parser.add_argument("--all", action="store_true", help="every number of each device, not only the best one")
    parser.add_argument("--json", action="store_true", help="the answer as JSON")


def _money(text: str) -> Decimal:
    try:
        return Decimal(text.replace("_", ""))
    except InvalidOperation:
        raise argparse.ArgumentTypeError(f"“{text}” is not an amount; write it like 25000") from None


def request_of(options: argparse.Namespace, scenario: Scenario, catalogue: Catalogue) -> SearchRequest:
    """The question that the options ask; a value that cannot be is named."""
    vendors = {device.vendor.casefold(): device.vendor for device in catalogue.devices.values()}
    unknown = [name for name in options.vendor if name.casefold() not in vendors]
    if unknown:
        known = ", ".join(sorted(vendors.values()))
        raise InvalidInput(
            "The catalogue has no vendor “{unknown}”. There are {known}.", "vendor", unknown=unknown[0], known=known
        )
    try:
        if options.percentile is not None:
            scenario = scenario.edited(workload__target_percentile=options.percentile / 100)
        return SearchRequest(
            scenario=scenario,
            limits=Limits(
                budget=options.budget,
                power_w=options.power,
                noise_dba=options.noise,
                kinds=tuple(options.kind),
                vendors=tuple(vendors[name.casefold()] for name in options.vendor),
                devices=tuple(catalogue.device(name).id for name in options.device),
                most_units=options.most,
            ),
            ranking=options.by,
            redundancy=options.safety,
            weights=_ids(options.weights, lambda name: catalogue.weight_format(name).id),
            kv_formats=_ids(options.kv, lambda name: catalogue.kv_format(name).id),
            engines=_ids(options.engine, lambda name: catalogue.engine(name).id),
        )
    except ValidationError as error:
        wrong = refusal(error)
        field = wrong.field.rpartition(".")[2]
        raise InvalidInput("“{which}” cannot be used: {problem}", field, which=field, problem=wrong.reason) from None


def _ids(names: list[str] | None, look_up: Any) -> tuple[str, ...] | None:
    return None if names is None else tuple(look_up(name) for name in names)


def find(options: argparse.Namespace, scenario: Scenario, catalogue: Catalogue) -> str:
    """Run the search and put it into text, or JSON."""
    request = request_of(options, scenario, catalogue)
    start = time.perf_counter()
    found = find_models(request, catalogue) if options.models else find_hardware(request, catalogue)
    seconds = time.perf_counter() - start
    if options.json:
        if isinstance(found, ModelsFound):
            plain = models_json(found)
        else:
            best = found.best or next(iter(found.unknown), None)
            why = explain(found, best, catalogue) if best is not None else None
            plain = hardware_json(found, options.all, why)
        head = {"tonnage": __version__, "catalogue": catalogue.version, "request": request.model_dump(mode="json")}
        return json.dumps({**head, **plain}, indent=1, ensure_ascii=False) + "\n"
    from core.language.search_summary import hardware_summary, models_summary

    if isinstance(found, ModelsFound):
        return models_summary(found, catalogue, seconds)
    return hardware_summary(found, catalogue, seconds, options.all)


def hardware_json(found: HardwareFound, everything: bool = False, why: Explanation | None = None) -> Mapping[str, Any]:
    """A search for hardware as plain JSON values; `why` explains the first answer."""
    answers = found.answers if everything else found.best_of_each
    return {
        "million_tokens_per_year": found.need.tokens,
        "counts_electricity": found.counts_electricity,
        "why": None if why is None else _why(why),
        "candidates": found.candidates,
        "sized": found.sized,
        "behind": found.behind,
        "answers": [_answer(one) for one in answers],
        "unknown": [_answer(one) for one in found.unknown],
        "ruled_out": [
            {
                "device": one.kind.device.id,
                "units": one.kind.units,
                "by": one.by,
                "asked": one.asked,
                "reached": one.reached,
                "at_best": one.at_best,
            }
            for one in (found.ruled_out if everything else found.nearest_misses)
        ],
    }


def _why(why: Explanation) -> dict[str, Any]:
    """The reasons of the first answer, how far it goes, and what safety takes."""
    carries = why.capacity
    return {
        "reasons": [_reason(one) for one in why.reasons],
        "against": [_reason(one) for one in why.against],
        "before_runner_up": None if why.before_runner_up is None else _reason(why.before_runner_up),
        "requests_within_targets": None if carries is None else carries.requests,
        "users_by_share": None if carries is None else carries.users_by_share,
        "users_by_little": None if carries is None else carries.users_by_little,
        "wall": None if carries is None else carries.wall,
        "safety": [
            {
                "redundancy": one.redundancy,
                "units": one.units,
                "sites": one.sites,
                "price": _amount(one.price),
                "per_year": _amount(one.yearly),
            }
            for one in why.safety
        ],
    }


def _reason(one: Reason) -> dict[str, Any]:
    figures = {name: float(value) for name, value in one.figures.items() if value is not None}
    return {"kind": one.kind, **figures, **one.names}


def _amount(value: Decimal | None) -> str | None:
    """Money to the cent."""
    return None if value is None else str(value.quantize(Decimal("0.01")))


def _answer(answer: Answer) -> dict[str, Any]:
    found, facts = answer.evaluation, answer.evaluation.supply
    return {
        "device": answer.kind.device.id,
        "units": answer.kind.units,
        "scenario": answer.scenario.model_dump(mode="json"),
        "verdict": found.verdict,
        "requests_that_fit": found.requests_that_fit,
        "speed": found.speed,
        "ttft_s": found.ttft,
        "throughput": found.throughput,
        "joules_per_token": found.joules_per_token,
        "per_million_tokens": _amount(found.per_million),
        "per_year": _amount(found.yearly),
        "price": _amount(facts.price),
        "price_low": _amount(facts.price_low),
        "price_high": _amount(facts.price_high),
        "currency": facts.currency,
        "power_w": facts.power_w,
        "power_at_work_w": facts.busy_w,
        "noise_dba": facts.noise_dba,
        "best_for_its_price": answer.best_for_its_price,
        "best_of_device": answer.best_of_device,
        "unknown": sorted(answer.unknown),
    }


def models_json(found: ModelsFound) -> Mapping[str, Any]:
    """A search for models as plain JSON values."""
    return {
        "combinations": found.combinations,
        "sized": found.sized,
        "answers": [_model(one) for one in found.answers],
        "ruled_out": [
            {"model": one.model.id, "by": one.by, "asked": one.asked, "reached": one.reached, "weights": one.weights}
            for one in found.ruled_out
        ],
    }


def _model(answer: ModelAnswer) -> dict[str, Any]:
    return {
        "model": answer.model.id,
        "weights": answer.weights,
        "kv_format": answer.kv_format,
        "published": answer.published,
        "engine": answer.scenario.deployment.engine,
        "parameters": answer.parameters,
        "weight_bytes": answer.weight_bytes,
        "max_context_tokens": answer.context_tokens,
        "requests_that_fit": answer.requests,
        "speed": answer.speed,
        "ttft_s": answer.ttft,
        "throughput": answer.throughput,
    }

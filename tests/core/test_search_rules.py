"""The article's six sizing rules come out of the search by themselves, and change with the figure that decides them."""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pytest

from core.catalogue.catalogue import Catalogue
from core.catalogue.records import DeviceKind, LinkKind
from core.sizing.resolution import resolve
from core.sizing.search.hardware import find_hardware
from core.sizing.search.report import Answer, Exclusion, HardwareFound
from core.sizing.search.request import SearchRequest
from tests.core.search_cases import asked, bandwidth, changed, memory, shuffled_and_renamed

Change = Callable[[SearchRequest, Catalogue], tuple[SearchRequest, Catalogue]]


def article_devices(catalogue: Catalogue) -> list[str]:
    """The hardware of which the article speaks."""
    return [device.id for device in catalogue.devices.values() if device.article_name]


def first(found: HardwareFound) -> Answer:
    """The first answer; where a fact is missing of all of them, the first of those."""
    return (found.answers or found.unknown)[0]


def workload(**changes: Any) -> Change:
    def change(request: SearchRequest, catalogue: Catalogue) -> tuple[SearchRequest, Catalogue]:
        scenario = request.scenario.edited(**{f"workload__{name}": value for name, value in changes.items()})
        return request.model_copy(update={"scenario": scenario}), catalogue

    return change


def device(make: Callable[[Catalogue], Catalogue]) -> Change:
    return lambda request, catalogue: (request, make(catalogue))


@dataclass(frozen=True)
class Rule:
    """A rule as a question: what wins, why, and the one figure that turns it."""

    file: str
    options: dict[str, Any]
    limits: dict[str, Any]
    wins: set[str]
    holds: Callable[[Answer, Catalogue], bool]
    turn: Change
    then: set[str]  # what may win afterwards, as "units x device"


def plan(answer: Answer) -> tuple[int, int, int]:
    chosen = answer.evaluation.candidate.layout.plan
    return chosen.tensor, chosen.pipeline, chosen.replicas


def tensor_parallel_over_nvlink(answer: Answer, catalogue: Catalogue) -> bool:
    link = resolve(answer.scenario, catalogue).setup.link
    return link is not None and link.kind is LinkKind.NVLINK and plan(answer)[0] == 8 and plan(answer)[1] == 1


def priced(id: str, price: int) -> Callable[[Catalogue], Catalogue]:
    def make(catalogue: Catalogue) -> Catalogue:
        quotes = catalogue.devices[id].price
        assert quotes is not None
        same = {"low": Decimal(price), "high": Decimal(price)}
        return changed(catalogue, id, price=quotes.model_copy(update=same))

    return make


RULES = {
    # 4 requests of 256K with an FP8 cache, two retrieval models: 23 + 6 + 4 x 2.7 + runtime, about 45 GB: one card;
    # at the cost of a million tokens of 30 users a second card adds its price and nothing that anybody needs
    # 70 tokens a second are asked: at 60 four desktops of one copy each come near, 63 by the fit, and cost less
    "fits one card: single GPU": Rule(
        "rule-1-one-card",
        {"ranking": "cost", "weights": ["nvfp4"], "kv_formats": ["fp8"]},
        {},
        {"1 x NVIDIA RTX PRO 6000 Blackwell Workstation Edition"},
        lambda answer, _: plan(answer) == (1, 1, 1) and answer.kind.device.kind is DeviceKind.CARD,
        workload(requests_at_once=30),  # one card has room for 22 of them
        {"2 x NVIDIA RTX PRO 6000 Blackwell Workstation Edition"},
    ),
    # 406 GB to read for each token: 8 accelerators at 8 TB/s read it in 6.3 ms, one DGX Spark could not hold it
    "latency on a very large model: SXM, NVLink, tensor parallel in the machine": Rule(
        "rule-2-latency",
        {"ranking": "speed", "weights": ["fp8"]},
        {"most_machines": 1, "kinds": ["card", "module", "unified"]},
        {"8 x NVIDIA B200 SXM 180GB", "8 x NVIDIA B300 SXM (HGX / DGX B300)"},  # both read at 8 TB/s: a draw
        tensor_parallel_over_nvlink,
        device(lambda catalogue: bandwidth(catalogue, "b200-sxm", 0.5)),
        {"8 x NVIDIA B300 SXM (HGX / DGX B300)"},
    ),
    # 384 requests of a model of 17 GB: every card holds it, so copies share the requests and nothing crosses PCIe
    "throughput for many users: copies or pipeline, PCIe is enough": Rule(
        "rule-3-throughput",
        {"ranking": "cost", "weights": ["nvfp4"]},
        {},
        {"2 x NVIDIA RTX PRO 6000 Blackwell Workstation Edition"},
        lambda answer, _: plan(answer) == (1, 1, 2) and answer.kind.device.kind is DeviceKind.CARD,
        workload(requests_at_once=4),
        {"1 x Apple Mac Studio M4 Max 128 GB", "1 x Apple Mac Studio M5 Max 128 GB"},
    ),
    # cache 6 x 21.5 GB = 129 GB against 70 GB of weights, all of it read for each token: 199 GB at 2 x 4.8 TB/s;
    # in a rack: the DGX Station is a desktop machine, with the memory of a B300 in it
    "very long context: bandwidth, H200 or B200, quantised cache": Rule(
        "rule-4-long-context",
        {"ranking": "cost", "weights": ["fp8"]},
        {"most_units": 4, "kinds": ["card", "module", "node"]},
        {"2 x NVIDIA H200 NVL 141GB"},
        lambda answer, _: answer.scenario.kv_format == "fp8",
        device(lambda catalogue: bandwidth(catalogue, "h200-nvl", 0.5)),
        {"4 x NVIDIA H100 NVL 94GB"},
    ),
    # 63 GB of weights under 8,000 USD and 45 dB(A): one desktop with 128 GB; no card of 96 GB costs less than 8,565,
    # and a server around it twice as much again
    "capacity under a budget or noise limit: unified memory": Rule(
        "rule-5-capacity",
        {"ranking": "cost", "weights": ["mxfp4"]},
        {"budget": 8000, "noise_dba": 45},
        {"1 x Apple Mac Studio M4 Max 128 GB"},
        lambda answer, _: answer.kind.device.kind is DeviceKind.UNIFIED,
        device(priced("mac-studio-m4-max-128", 6000)),
        {"1 x Apple Mac Studio M5 Max 128 GB"},
    ),
    # 1,027 GB at one byte each, 640 GB in a machine: two machines, eight ranks inside each, one stage each
    "several machines: tensor parallel inside, pipeline between": Rule(
        "rule-6-machines",
        {"ranking": "speed", "weights": ["fp8"]},
        {"devices": ["hgx-h100-8"], "most_units": 2},
        {"2 x HGX / DGX H100 8x 80GB"},
        lambda answer, _: plan(answer) == (8, 2, 1),
        device(lambda catalogue: memory(catalogue, "hgx-h100-8", 2.0)),
        {"2 x HGX / DGX H100 8x 80GB"},  # as two copies now, each inside its machine
    ),
}


def request_of(rule: Rule, catalogue: Catalogue, ids: dict[str, str] | None = None) -> SearchRequest:
    devices = rule.limits.get("devices", article_devices(catalogue))
    renamed = [ids[id] for id in devices] if ids else devices
    return asked(rule.file, **rule.options, limits={**rule.limits, "devices": renamed})


def hardware(answer: Answer) -> str:
    return f"{answer.kind.units} x {answer.kind.device.name}"


@pytest.mark.parametrize("name", RULES)
def test_the_rule_comes_out_as_the_winner(name: str, catalogue: Catalogue) -> None:
    rule = RULES[name]
    winner = first(find_hardware(request_of(rule, catalogue), catalogue))
    assert hardware(winner) in rule.wins
    assert rule.holds(winner, catalogue)


@pytest.mark.parametrize("name", RULES)
def test_whatever_the_devices_are_called(name: str, catalogue: Catalogue) -> None:
    rule = RULES[name]
    other, ids = shuffled_and_renamed(catalogue)
    wanted = rule.limits.get("devices", article_devices(catalogue))
    request = asked(rule.file, **rule.options, limits={**rule.limits, "devices": [ids[id] for id in wanted]})
    winner = first(find_hardware(request, other))
    assert hardware(winner) in rule.wins
    assert rule.holds(winner, other)


@pytest.mark.parametrize("name", RULES)
def test_one_figure_turns_it(name: str, catalogue: Catalogue) -> None:
    rule = RULES[name]
    request, other = rule.turn(request_of(rule, catalogue), catalogue)
    winner = first(find_hardware(request, other))
    assert hardware(winner) in rule.then
    before = first(find_hardware(request_of(rule, catalogue), catalogue))
    assert (hardware(winner), plan(winner)) != (hardware(before), plan(before))


def test_servers_are_ruled_out_by_noise_and_unknown_noise_is_said(catalogue: Catalogue) -> None:
    rule = RULES["capacity under a budget or noise limit: unified memory"]
    found = find_hardware(request_of(rule, catalogue), catalogue)
    assert found.answers == ()  # of none of the article's devices is the noise known
    assert all(answer.unknown for answer in found.unknown)
    loud = {miss.kind.device.id for miss in found.ruled_out if miss.by is Exclusion.NOISE}
    whole = asked(rule.file, **rule.options, limits={"noise_dba": 45})
    loud |= {m.kind.device.id for m in find_hardware(whole, catalogue).ruled_out if m.by is Exclusion.NOISE}
    assert {"hgx-h200-8", "rtx-pro-6000-server"} <= loud


def test_no_card_wins_always(catalogue: Catalogue) -> None:
    """The article's last rule: the compact model and the very large one end at different hardware."""
    small = first(find_hardware(request_of(RULES["fits one card: single GPU"], catalogue), catalogue))
    large = first(find_hardware(asked("rule-2-latency", ranking="price", weights=["fp8"]), catalogue))
    assert hardware(small) != hardware(large)

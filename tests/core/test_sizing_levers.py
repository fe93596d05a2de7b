"""What would help: each lever does what it says, and the one that is needed stands first."""

from collections.abc import Iterator
from functools import cache

import pytest

from core.catalogue.catalogue import Catalogue
from core.language.levers import lever_gain, lever_sentences, lever_title
from core.language.messages import LANGUAGES, in_language
from core.scenario import (
    CatalogueModel,
    Companion,
    CompanionRole,
    Deployment,
    LineKind,
    Placement,
    Plan,
    Scenario,
    Workload,
)
from core.sizing.costs.cost import cost
from core.sizing.examples import worked_example, worked_example_in_reality
from core.sizing.levers import BUYS, Lever, LeverKind, Measure, levers, next_device
from core.sizing.report import Sizing
from core.sizing.size import size
from tests.core.cases import CASES, scenario
from tests.core.small_catalogue import small_catalogue
from tests.shipped import shipped

L = LeverKind
DENSE = scenario("dense-70b", "fp8", "h200-nvl", workload__context_tokens=16_384, workload__requests_at_once=4)


@cache
def found(chosen: Scenario) -> tuple[Lever, ...]:
    return levers(size(chosen, small_catalogue()), small_catalogue())


def the(kind: LeverKind, chosen: Scenario) -> Lever:
    return next(lever for lever in found(chosen) if lever.kind is kind)


def every() -> Iterator[Lever]:
    for chosen in CASES.values():
        yield from found(chosen)


def test_a_cache_of_half_the_size_holds_twice_the_requests() -> None:
    eight = next(lever for lever in found(DENSE) if lever.edits == {"kv_format": "fp8"})
    assert eight.before.trace["kv_bytes_per_token"] == 2 * eight.after.trace["kv_bytes_per_token"]
    requests = next(gain for gain in eight.gains if gain.measure is Measure.REQUESTS)
    assert requests.times == pytest.approx(2, rel=0.15)


def test_half_the_context_only_where_prompts_leave_room() -> None:
    assert the(L.HALF_CONTEXT, DENSE).edits == {"workload__context_tokens": 8_192}
    full = DENSE.edited(workload__prompt_tokens=10_000)
    assert L.HALF_CONTEXT not in {lever.kind for lever in found(full)}


def test_an_engine_prepared_for_fewer_requests_has_room_for_one() -> None:
    """Llama 3.1 70B in FP8 on 80 GB: vLLM 0.16 tries the scores of 1,024 requests, 5 GB, of which 16 need 0.08."""
    tight = Scenario(
        model=CatalogueModel(id="meta-llama/Llama-3.1-70B-Instruct"), weights="fp8", kv_format="fp16",
        workload=Workload(requests_at_once=1, prompt_tokens=1000, output_tokens=1000, context_tokens=8192),
        deployment=Deployment(device="h100-pcie", release="0.16"),
    )  # fmt: skip
    before = size(tight, shipped())
    assert not before.fits
    lever = next(one for one in levers(before, shipped()) if one.kind is L.PREPARED)
    assert lever.edits == {"deployment__max_requests": 16}
    assert lever.makes_it_fit
    assert lever_title(lever) == "Engine prepared for 16 requests"
    assert not [one for one in levers(lever.after, shipped()) if one.kind is L.PREPARED]


def test_the_article_gets_its_own_three_levers(catalogue: Catalogue) -> None:
    """Cache in 4 bit and half the context each double five requests; so does a second card."""
    kinds = {lever.kind: lever for lever in levers(size(worked_example(), catalogue), catalogue)}
    for kind in (L.KV_FORMAT, L.HALF_CONTEXT, L.ONE_MORE):
        requests = next(gain for gain in kinds[kind].gains if gain.measure is Measure.REQUESTS)
        assert (requests.before, requests.after) == (5, 10)


def test_copies_instead_of_a_split_over_pcie() -> None:
    split = scenario(
        "hybrid-35b", "nvfp4", "rtx-pro-6000-ws", deployment__count=2, deployment__plan=Plan(tensor=2),
        workload__requests_at_once=16,
    )  # fmt: skip
    copies = the(L.COPIES, split)
    assert copies.after.plan == Plan(replicas=2)
    assert copies.after.trace["messages_per_token"] == 0
    assert copies.gains[0].times > 1


def test_a_split_instead_of_copies_over_a_bridge() -> None:
    two = scenario("dense-70b", "fp8", "h200-nvl", deployment__count=2, deployment__plan=Plan(replicas=2))
    assert the(L.TENSOR_PARALLEL, two).edits == {"deployment__plan": Plan(tensor=2)}


def test_retrieval_models_on_a_card_of_their_own() -> None:
    large = Companion(role=CompanionRole.EMBEDDING, parameters=30_000_000_000)
    apart = the(L.RETRIEVAL_APART, DENSE.edited(companions=(large,)))
    assert [c.placement for c in apart.after.scenario.companions] == [Placement.SECOND_CARD]
    assert apart.after.trace["memory_item.embedding"] == 0
    assert L.RETRIEVAL_APART not in {lever.kind for lever in found(DENSE)}


def test_what_makes_it_fit_stands_first() -> None:
    """405 GB of weights on a card of 96 GB: nothing small helps; on 8 cards short of memory several things do."""
    tight = scenario("dense-70b", "fp8", "rtx-pro-6000-ws", workload__requests_at_once=12)
    assert not size(tight, small_catalogue()).fits
    first = found(tight)[0]
    assert first.makes_it_fit
    assert lever_gain(first) == "it fits"
    fitting = [lever.makes_it_fit for lever in found(tight)]
    assert fitting == sorted(fitting, reverse=True)


def test_a_missed_target_decides_what_comes_first() -> None:
    one = DENSE.edited(deployment__device="rtx-pro-6000-ws", workload__requests_at_once=1)
    slow = found(one.edited(workload__speed_target=300.0))[0]
    assert slow.gains[0].measure is Measure.SPEED
    assert slow.gains[0].after > slow.gains[0].before
    assert found(one)[0].gains[0].measure is Measure.REQUESTS


def test_no_lever_makes_worse_what_fits() -> None:
    seen = list(every())
    assert len({lever.kind for lever in seen}) >= 8
    for lever in seen:
        assert lever.after.fits or not lever.before.fits
        assert lever.makes_it_fit or lever.gains[0].times > 1
        assert lever.before.scenario.edited(**lever.edits) == lever.after.scenario
        assert lever.before.scenario != lever.after.scenario


def test_the_same_answer_whatever_the_order_of_the_catalogue() -> None:
    catalogue = small_catalogue()
    turned = small_catalogue()
    object.__setattr__(turned, "devices", dict(reversed(list(catalogue.devices.items()))))
    for chosen in (DENSE, CASES["hybrid mixture"]):
        one, other = (levers(size(chosen, c), c) for c in (catalogue, turned))
        assert [(lever.kind, lever.subject) for lever in one] == [(lever.kind, lever.subject) for lever in other]


def sized(device: str) -> Sizing:
    apple = {"deployment__engine": "mlx", "weights": "mlx4", "kv_format": "fp16"} if device.startswith("mac") else {}
    return size(worked_example_in_reality().edited(deployment__device=device, **apple), shipped())


@pytest.mark.parametrize(
    ("device", "up"),
    [
        ("rtx-pro-6000-ws", "h200-nvl"),
        ("h100-pcie", "h100-nvl"),
        ("h200-sxm", "b200-sxm"),
        ("mac-studio-m3-ultra-256", "mac-studio-m5-ultra-256"),
        ("h200-nvl", None),
    ],
)
def test_the_next_device_up(device: str, up: str | None) -> None:
    found_up = next_device(sized(device), shipped())
    assert (found_up and found_up.id) == up


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_lever_has_words(language: str) -> None:
    with in_language(language):
        for lever in every():
            words = (lever_title(lever), lever_gain(lever), *lever_sentences(lever))
            assert all(words), lever
            assert not any("{" in text for text in words), words
            assert len(lever_sentences(lever)) > len(lever.gains)  # and what it costs


def test_what_is_said_of_the_article_s_example() -> None:
    words = {lever_title(lever): lever_gain(lever).replace("\u00a0", " ") for lever in found(worked_example())}
    assert words["Context limit 128K"] == "+5 requests"
    assert "One more of the same, 2 in all" in words


def test_levers_of_the_shipped_catalogue(catalogue: Catalogue) -> None:
    kinds = [lever.kind for lever in levers(size(worked_example_in_reality(), catalogue), catalogue)]
    assert {L.KV_FORMAT, L.HALF_CONTEXT, L.ONE_MORE, L.NEXT_DEVICE} <= set(kinds)


# ---- money


@pytest.fixture(scope="module")
def priced(catalogue: Catalogue) -> tuple[Lever, ...]:
    """300 people in France with one RTX PRO 6000."""
    need = worked_example_in_reality().edited(workload__users=300, economics__region="FR")
    return levers(size(need, catalogue), catalogue)


def test_what_changes_no_hardware_costs_nothing_to_buy(priced: tuple[Lever, ...]) -> None:
    assert {lever.kind in BUYS for lever in priced} == {True, False}
    for lever in priced:
        assert lever.money is not None
        assert (lever.money.price == 0) == (lever.kind not in BUYS)


def test_one_more_costs_what_the_bill_says(priced: tuple[Lever, ...], catalogue: Catalogue) -> None:
    """A second card in the same workstation: its price, 96 GB of memory beside it and (600 + 100) / 0.8 W of supply.

    In steps of 100 W the supply grows from 1.0 to 1.9 kW; all of it with a tenth for installation.
    """
    lever = next(one for one in priced if one.kind is L.ONE_MORE)
    assert lever.money is not None
    now, then = (cost(sizing, catalogue) for sizing in (lever.before, lever.after))
    assert lever.money.price == then.capital.value - now.capital.value
    assert lever.money.per_million == (now.per_million.value, then.per_million.value)
    card = next(line for line in now.lines if line.kind is LineKind.CARDS)
    rate = float(now.trace["exchange.USD"]) if now.currency != "USD" else 1.0
    beside = (96 * (27 * 37) ** 0.5 + 0.9 * (260 * 300) ** 0.5) / rate
    assert float(lever.money.price or 0) == pytest.approx(1.1 * (float(card.amount.value) + beside), rel=1e-9)
    assert lever.after.trace["difference.cost.capital"] == lever.money.price


def test_entered_lines_do_not_hide_what_hardware_costs(catalogue: Catalogue) -> None:
    """Prices that were typed in for one machine say nothing about two: the proposed lines are compared."""
    need = worked_example_in_reality().edited(
        economics__lines=[{"kind": "services", "name": "Training", "quantity": 1, "price": 1000}]
    )
    lever = next(one for one in levers(size(need, catalogue), catalogue) if one.kind is L.ONE_MORE)
    assert lever.money is not None
    assert (lever.money.price or 0) > 5_000


@pytest.mark.parametrize("code", LANGUAGES)
def test_money_is_said(code: str, priced: tuple[Lever, ...]) -> None:
    with in_language(code):
        texts = [lever_sentences(lever) for lever in priced]
    assert all(len(text) > len(lever.gains) for text, lever in zip(texts, priced, strict=True))
    bought = next(text for text, lever in zip(texts, priced, strict=True) if lever.kind is L.ONE_MORE)
    assert any(character.isdigit() for character in bought[-1])

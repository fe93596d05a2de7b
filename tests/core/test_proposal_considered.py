"""Other hardware on the page that recommends, where a proposal has one option: which, and what is said of it."""

import datetime
from dataclasses import replace
from decimal import Decimal
from functools import cache

from core.proposal.against import against, in_favour
from core.proposal.composition import proposal
from core.proposal.considered import FASTER, considered
from core.proposal.offer import Offer, offer
from core.proposal.options import ProposalOptions
from core.scenario import Scenario
from core.sizing.search.hardware import find_hardware
from core.sizing.search.request import SearchRequest
from core.sizing.size import size
from tests.shipped import shipped
from tests.usual_scenario import scenario

DATE = datetime.date(2026, 11, 30)


@cache
def alone(chosen: Scenario | None = None) -> Offer:
    return offer(chosen or scenario(), shipped(), DATE.isoformat(), alone=True)


def test_others_are_other_hardware_for_the_same_work() -> None:
    first = alone()
    assert 2 <= len(first.others) <= 4
    devices = [one.scenario.deployment.device for one in first.others]
    assert len({*devices, first.scenario.deployment.device}) == len(devices) + 1
    for one in first.others:
        assert (one.scenario.model, one.scenario.weights, one.scenario.workload) == (
            first.scenario.model, first.scenario.weights, first.scenario.workload)  # fmt: skip


def test_the_first_two_cost_least_of_all_answers() -> None:
    first = alone()
    request = SearchRequest(
        scenario=first.scenario, weights=(first.scenario.weights,), kv_formats=(first.scenario.kv_format,)
    )
    devices = [
        answer.kind.device.id
        for answer in find_hardware(request, shipped()).answers
        if answer.kind.device.id != first.scenario.deployment.device
    ]
    assert [one.scenario.deployment.device for one in first.others[:2]] == list(dict.fromkeys(devices))[:2]


def test_the_third_is_faster() -> None:
    first = alone()
    assert first.sizing.decode is not None
    faster = first.others[2].sizing.decode
    assert faster is not None
    assert faster.p50 >= FASTER * first.sizing.decode.p50


def test_the_last_one_misses_the_need_and_costs_less() -> None:
    """Beside an H200 NVL in its server nine DGX Spark cost less and read too slowly.

    Nothing that fails costs less than a workstation with one RTX PRO 6000.
    """
    first = alone(scenario().edited(deployment__device="h200-nvl"))
    assert first.cost is not None
    last = first.others[-1]
    assert last.cost is not None
    assert last.cost.capital.value < first.cost.capital.value
    work, sizing = last.scenario.workload, last.sizing
    late = sizing.ttft is None or (work.ttft_target_s is not None and sizing.ttft.p50 > work.ttft_target_s)
    slow = sizing.decode is None or (work.speed_target is not None and sizing.decode.p50 < work.speed_target)
    assert not sizing.fits or late or slow


def test_without_a_dearer_price_nothing_that_fails_is_named() -> None:
    sizing = alone().sizing
    assert len(considered(sizing, shipped(), Decimal(0))) == len(considered(sizing, shipped(), None)) - 1


def test_each_has_its_row_with_a_reason() -> None:
    composed = proposal([alone()], ProposalOptions(DATE))
    table = composed.recommendation.others
    assert table is not None
    assert len(table.rows) == len(alone().others)
    assert all(cell for row in table.rows for cell in row.cells)


def test_beside_other_options_nothing_is_searched() -> None:
    plain = offer(scenario(), shipped(), DATE.isoformat())
    assert plain.others == ()
    assert proposal([plain, plain], ProposalOptions(DATE)).recommendation.others is None


def test_where_the_option_fails_the_others_do_what_was_asked() -> None:
    from core.language.numbers import formatter

    able, write = alone(), formatter("en")
    hasty = scenario().edited(workload__speed_target=10 * able.sizing.decode.p50 if able.sizing.decode else 1)
    failing = replace(able, sizing=size(hasty, shipped()))
    assert in_favour(able.others[0], failing, write) == "it does what was asked"
    assert {against(one, failing, write) for one in able.others[:3]} == {"no figure speaks against it"}


def test_what_is_too_slow_is_better_only_where_its_speed_is_enough() -> None:
    from core.language.numbers import formatter

    able, write = alone(), formatter("en")
    asked = scenario().edited(workload__speed_target=10 * able.sizing.decode.p50 if able.sizing.decode else 1)
    slow = replace(able, sizing=size(asked, shipped()))
    assert in_favour(slow, able, write).endswith("each are enough")
    assert against(slow, able, write).startswith("too slow")

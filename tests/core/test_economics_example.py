"""The worked example of the economics: 300 people in a French office, RAG on Llama 3.3 70B, two RTX PRO 6000.

Speeds are those of two published runs of this pair, so that the figures below do not move with the calibration. Every
number is the printed one, to its last digit.
"""

from decimal import Decimal
from functools import cache

import pytest

from core.scenario import (
    ApiChoice,
    CatalogueModel,
    CloudChoice,
    CostLine,
    Demand,
    Deployment,
    Economics,
    LineKind,
    Scenario,
    Workload,
)
from core.sizing.costs.cost import cost_of
from core.sizing.costs.report import Cost, Missing, Running
from core.sizing.demand import record_demand, record_service
from core.sizing.size import size
from core.trace import Computed, Origin, OriginKind
from core.units import Unit
from tests.core.recomputed import by_the_text
from tests.shipped import shipped

# Two runs of the pair: 2,048 tokens in and 128 out at 813 output tokens/s, 2,048 in and 2,048 out at 2,336.
_LONG, _SHORT = 2048 / 2336, 128 / 813
OUTPUT_RATE = (2048 - 128) / (_LONG - _SHORT)
PROMPT_RATE = 2048 / (_LONG - 2048 / OUTPUT_RATE)
BUSY_SECONDS = 3000 * 0.85 / PROMPT_RATE + 300 / OUTPUT_RATE


def api(name: str, price_in: str, price_out: str) -> ApiChoice:
    return ApiChoice(name=name, input_price=Decimal(price_in), output_price=Decimal(price_out), currency="USD")


def hyperstack(price: str, hours: int, extras: str) -> CloudChoice:
    return CloudChoice(
        name="Hyperstack", price=Decimal(price), currency="USD", hours=Decimal(hours), extra_share=Decimal(extras)
    )


def economics(**changes: object) -> Economics:
    chosen: dict[str, object] = {
        "currency": "EUR",
        "region": "FR",
        "priced_on": "2026-11-30",
        "lines": (
            CostLine(kind=LineKind.CARDS, quantity=Decimal(2), fact="price.rtx-pro-6000-maxq.eu-net"),
            CostLine(kind=LineKind.HOST, price=Decimal(16_000), currency="USD", dated="2026"),
            CostLine(kind=LineKind.POWER, fact="bom.ups.3kva"),
        ),
        "electricity_price": Decimal("0.1585"),
        "pue": 1.35,
        "idle_power_w": 420.0,
        "busy_power_w": 1100.0,
        "staff_posts": Decimal("0.1"),
        "staff_salary": Decimal(70_000),
        "grid_carbon_g": 54.0,
        "api": (
            ApiChoice(offer="llama-3.3-70b.ovhcloud"),
            api("Nebius", "0.25", "0.75"),
            api("cheapest route", "0.05", "0.24"),
            ApiChoice(offer="gpt-5.4.openai"),
            ApiChoice(offer="claude-sonnet-5.anthropic"),
        ),
        "cloud": (
            hyperstack("1.85", 8760, "0.3"),
            hyperstack("1.3", 8760, "0.3"),
            hyperstack("1.3", 8760, "0"),
            hyperstack("1.85", 2200, "0"),
        ),
    }
    return Economics.model_validate(chosen | changes)


def example(users: int = 300, **changes: object) -> Scenario:
    return Scenario(
        model=CatalogueModel(id="meta-llama/Llama-3.3-70B-Instruct"),
        weights="nvfp4",
        kv_format="fp8",
        workload=Workload(
            users=users,
            active_share=0.1,
            prompt_tokens=3000,
            output_tokens=300,
            context_tokens=8192,
            prefix_hit_share=0.15,
            ttft_target_s=0.5,
            speed_target=40.0,
            demand=Demand(
                daily_share=0.34, requests_per_day=20, days_per_year=220, busy_hour_share=0.2, burst_factor=3
            ),
        ),
        deployment=Deployment(device="rtx-pro-6000-maxq", count=2),
        economics=economics(**changes),
    )


@cache
def worked(users: int = 300, **changes: object) -> Cost:
    catalogue, scenario = shipped(), example(users, **changes)
    sizing = size(scenario, catalogue)
    trace = sizing.trace.copy()
    runs = Origin(OriginKind.CHOICE, title="Two published runs of this pair")
    trace.given("saturated_tok_s_total", 300 / BUSY_SECONDS, Unit.TOKEN_PER_SECOND, runs)
    record_service(trace, scenario.workload)
    demand = record_demand(trace, scenario.workload, catalogue.facts)
    return cost_of(trace, demand, sizing, catalogue)


def printed(value: object, digits: int = 0) -> str:
    """A number as the example prints it."""
    return f"{value:,.{digits}f}".replace(",", " ")


FIGURES: dict[str, tuple[str, int, str]] = {
    # speed
    "demand.busy_seconds": ("0.249", 3, "t"),
    "cost.tokens_while_busy": ("13 268", 0, "tokens/s"),
    # load
    "demand.requests_per_year": ("448 800", 0, "Q"),
    "demand.tokens_per_year": ("1 481", 0, "million tokens a year"),
    "demand.peak_rate": ("0.34", 2, "requests/s"),
    "demand.load_share": ("0.085", 3, "rho"),
    "demand.seconds_in_system": ("8", 0, "W"),
    "demand.in_flight": ("2.7", 1, "L"),
    "demand.by_little": ("7", 0, "design concurrency"),
    "demand.by_share": ("30", 0, "rule of thumb"),
    # purchase
    "cost.line.0.amount": ("29 517", 0, "2 GPUs"),
    "cost.line.1.amount": ("13 793", 0, "host without GPU"),
    "cost.line.2.amount": ("1 638", 0, "UPS"),
    "cost.installation": ("4 495", 0, "installation"),
    "cost.capital": ("49 442", 0, "capex"),
    "cost.vat": ("9 888", 0, "VAT shown apart"),
    # a year
    "cost.annuity": ("14 597", 0, "annuity"),
    "cost.maintenance": ("4 495", 0, "maintenance"),
    "energy.year": ("4 995", 0, "kWh"),
    "cost.energy": ("792", 0, "electricity"),
    "cost.staff": ("7 000", 0, "staff"),
    "cost.yearly": ("26 883", 0, "yearly cost"),
    # a million tokens
    "cost.per_million_tokens": ("18.2", 1, "at 0.35 %"),
    "cost.at_share.1": ("6.43", 2, "at 1 %"),
    "cost.at_share.5": ("1.29", 2, "at 5 %"),
    "cost.at_share.10": ("0.65", 2, "at 10 %"),
    "cost.at_share.20": ("0.32", 2, "at 20 %"),
    "cost.at_share.50": ("0.13", 2, "at 50 %"),
    # hosted models
    "hosted.0.bill": ("945", 0, "OVHcloud"),
    "hosted.1.bill": ("377", 0, "Nebius"),
    "hosted.2.bill": ("86", 0, "cheapest route"),
    "hosted.3.bill": ("4 643", 0, "GPT-5.4"),
    "hosted.4.bill": ("5 223", 0, "Sonnet 5"),
    # cloud
    "cloud.0.bill": ("36 324", 0, "on demand, always on, extras"),
    "cloud.1.bill": ("25 525", 0, "reserved, always on, extras"),
    "cloud.2.bill": ("19 634", 0, "reserved, always on, bare"),
    "cloud.3.bill": ("7 017", 0, "on demand, office hours, bare"),
    "cloud.0.break_even_month": ("19", 0, "month"),
    "cloud.1.break_even_month": ("29", 0, "month"),
    "cloud.2.break_even_month": ("41", 0, "month"),
    "cloud.3.break_even_month": ("343", 0, "never within a term"),
    # energy and carbon
    "energy.joules_per_token": ("0.11", 2, "J when full"),
    "energy.per_million_full": ("0.031", 3, "kWh per M when full"),
    "energy.per_million": ("3.4", 1, "kWh per M at this load"),
    "carbon.of_energy": ("182", 0, "g CO2e per M in France"),
    "carbon.of_making": ("107", 0, "g embodied"),
}


@pytest.mark.parametrize("key", FIGURES)
def test_figure_to_the_printed_digit(key: str) -> None:
    text, digits, _what = FIGURES[key]
    assert printed(worked().trace[key], digits) == text


def test_rates_of_the_two_runs() -> None:
    assert (printed(PROMPT_RATE), printed(OUTPUT_RATE)) == ("18 705", "2 669")
    assert printed(1 / BUSY_SECONDS, 2) == "4.02"


@pytest.mark.parametrize(
    ("share", "text", "digits"),
    [("demand.busy_share", "0.35", 2), ("demand.attainable_share", "2.9", 1)]
    + [(f"hosted.{n}.break_even_share", t, d) for n, t, d in ((0, "10.1", 1), (1, "25.5", 1), (3, "2.05", 2))]
    + [("hosted.4.break_even_share", "1.82", 2)],
)
def test_share_in_per_cent(share: str, text: str, digits: int) -> None:
    assert printed(100 * worked().trace[share], digits) == text


def test_capacity_of_a_year_and_the_load_that_no_load_reaches() -> None:
    cost = worked()
    assert abs(cost.trace["cost.capacity"] - 418_427) < 20  # printed from rounded rates
    assert cost.hosted[2].share.value > 1
    assert [hosted.reachable for hosted in cost.hosted] == [False, False, False, True, True]
    assert [cloud.in_term for cloud in cost.cloud] == [True, True, True, False]


def test_staff_at_which_frontier_models_cost_as_much() -> None:
    users = worked().hosted[3].users.value, worked().hosted[4].users.value
    assert abs(users[0] - 1740) < 10
    assert abs(users[1] - 1550) < 10


def test_germany_has_another_grid() -> None:
    german = worked(region="DE", grid_carbon_g=None)
    assert printed(german.trace["carbon.of_energy"]) == "1 283"


def test_providers_are_those_of_the_catalogue() -> None:
    cost = worked()
    assert (cost.hosted[0].name, cost.hosted[0].provider) == ("llama-3.3-70b", "ovhcloud")
    assert cost.lines[0].quote is not None
    assert (cost.lines[0].quote.currency, cost.lines[0].quote.date) == ("EUR", "2026-10-05")
    assert cost.lines[0].quote.age_months == 1
    assert cost.lines[2].quote is not None
    assert cost.lines[2].quote.currency == "USD"


def test_sums_hold_together() -> None:
    cost = worked()
    items = {item.kind: item.amount.value for item in cost.running}
    assert set(items) == {Running.ANNUITY, Running.ENERGY, Running.MAINTENANCE, Running.STAFF}
    assert sum(items.values()) == cost.yearly.value
    opex = cost.yearly.value - items[Running.ANNUITY]
    assert cost.total.value == cost.capital.value + 4 * opex


def test_every_amount_can_be_computed_again() -> None:
    trace, sizing = worked().trace, worked().sizing.trace
    for key in (key for key in trace if key not in sizing):
        assert trace.reevaluate(key) == trace[key], key
        entry = trace.entry(key)
        if isinstance(entry, Computed):
            assert by_the_text(trace, entry) == entry.value, key


# ---- properties


def test_cost_falls_with_every_share_of_the_year() -> None:
    amounts = [amount.value for _share, amount in worked().at_shares]
    assert amounts == sorted(amounts, reverse=True)
    assert len(set(amounts)) == len(amounts)


def test_volume_at_break_even_costs_what_the_own_system_costs() -> None:
    assert worked().hosted
    for hosted in worked().hosted:
        assert abs(hosted.volume.value * hosted.price.value - worked().yearly.value) < Decimal("1e-18")


def test_twice_the_staff_is_twice_the_load_and_the_same_purchase() -> None:
    one, two = worked(300), worked(600)
    for key in ("demand.requests_per_year", "demand.in_flight", "demand.tokens_per_year"):
        assert two.trace[key] == pytest.approx(2 * one.trace[key], rel=1e-12)
    assert two.capital.value == one.capital.value
    assert two.yearly.value > one.yearly.value  # electricity


def test_month_is_never_where_renting_is_cheaper_to_run() -> None:
    cheap = worked(cloud=(hyperstack("0.01", 2200, "0"),))
    assert cheap.cloud[0].month.value == Decimal("Infinity")
    assert cheap.cloud[0].in_term is False


def test_what_nobody_has_said_is_named_and_not_zero() -> None:
    cost = worked(staff_posts=None)
    assert cost.not_counted == (Missing.STAFF,)
    assert Running.STAFF not in {item.kind for item in cost.running}
    assert cost.yearly.value == worked().yearly.value - 7000

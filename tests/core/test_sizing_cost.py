"""Cost: the bill that a rule proposes, prices with their age, currencies, and what is missing is never zero."""

from collections.abc import Iterator
from decimal import Decimal
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.catalogue.overlay import Overlay
from core.catalogue.records import Confidence, Price
from core.physics import economics as e
from core.scenario import ApiChoice, CatalogueModel, CloudChoice, CostLine, ExchangeRate, LineKind, Plan, Scenario
from core.sizing.costs.cost import cost
from core.sizing.costs.report import Amount, Cost, Missing, Running, age_in_months, aged
from core.sizing.size import size
from core.trace import Computed, OriginKind
from tests.core.offices import NOVEMBER, office, priced
from tests.core.recomputed import by_the_text
from tests.core.small_catalogue import small_catalogue
from tests.shipped import shipped


@cache
def usual() -> Cost:
    return priced(office())


def kinds(found: Cost) -> list[tuple[LineKind, int]]:
    return [(line.kind, int(line.quantity)) for line in found.lines]


# ---- the bill that a rule proposes


def test_a_card_for_servers_comes_with_a_server_and_a_ups() -> None:
    found = priced(office("rtx-pro-6000-server"))
    assert kinds(found) == [(LineKind.CARDS, 1), (LineKind.HOST, 1), (LineKind.POWER, 1)]
    assert all(line.by_rule and line.amount.known for line in found.lines)


@pytest.mark.parametrize(("count", "host"), [(2, "2gpu"), (4, "4gpu"), (8, "8gpu")])
def test_the_server_grows_with_the_cards(count: int, host: str) -> None:
    quote = priced(office("rtx-pro-6000-server", count)).lines[1].quote
    assert quote is not None
    assert host in quote.fact


def test_a_server_for_more_cards_than_any_holds_has_no_price() -> None:
    found = priced(office(count=16))
    assert found.open_lines[0].kind is LineKind.HOST
    assert (found.capital.value, found.capital.missing) == (None, Missing.PRICE)


def test_a_module_brings_the_usual_share_of_a_board() -> None:
    found = priced(office("h100-sxm", 8))
    assert kinds(found) == [(LineKind.CARDS, 8), (LineKind.HOST, 1)]
    cards, host = (line.amount.value for line in found.lines)
    assert Decimal("0.3") < host / (cards + host) < Decimal("0.4")


@pytest.mark.parametrize("device", ["dgx-spark", "hgx-h200-8", "gb300-nvl72"])
def test_a_whole_machine_needs_nothing_beside_it(device: str) -> None:
    assert kinds(priced(office(device))) == [(LineKind.CARDS, 1)]


def test_several_machines_are_joined() -> None:
    scenario = office("rtx-pro-6000-ws", 1, 2).edited(deployment__link="infiniband-ndr")
    network = [line for line in priced(scenario).lines if line.kind is LineKind.NETWORK]
    assert [int(line.quantity) for line in network] == [2, 2, 1]  # adapters, cables, one switch


def test_a_bridge_whose_price_nobody_quotes_is_an_open_line() -> None:
    bridged = {"deployment__link": "nvlink4-bridge-h100-pcie", "deployment__plan": Plan(tensor=2)}
    found = priced(office("h100-pcie", 2).edited(**bridged))
    bridges = [line for line in found.lines if line.kind is LineKind.NETWORK]
    assert [(int(line.quantity), line.amount.missing) for line in bridges] == [(3, Missing.PRICE)]
    assert found.capital.missing is Missing.PRICE
    assert found.yearly.missing is Missing.PRICE
    assert found.energy.known  # what does not depend on the price is there


def test_purchase_lies_between_its_quotes() -> None:
    found = usual()
    assert found.capital_low.value < found.capital.value < found.capital_high.value


# ---- where a price comes from


def test_the_user_s_price_goes_before_all() -> None:
    quote = priced(office(price=Decimal(9_000))).lines[0].quote
    assert quote is not None
    assert (quote.low, quote.high, quote.currency, quote.confidence) == (
        Decimal(9_000),
        Decimal(9_000),
        "EUR",
        Confidence.YOURS,
    )


def test_the_region_s_price_goes_before_the_world_s() -> None:
    french = priced(office("dgx-spark", region="FR")).lines[0].quote
    assert french is not None
    assert (french.low, french.currency) == (Decimal(4_700), "EUR")


def test_a_price_changed_in_the_catalogue_goes_before_the_lists() -> None:
    device = (
        shipped()
        .device("dgx-spark")
        .model_copy(update={"price": Price(low=Decimal(5_000), high=Decimal(5_000), currency="EUR", as_of="2026-11")})
    )
    mine = shipped().with_overlay(Overlay(devices=(device,)))
    assert priced(office("dgx-spark"), mine).lines[0].amount.value == 5_000


def test_a_catalogue_without_lists_knows_the_price_of_the_device_alone() -> None:
    small = small_catalogue()
    scenario = office().edited(model=CatalogueModel(id="dense-70b"), weights="nvfp4", deployment__engine="vllm")
    found = priced(scenario.edited(economics__currency="USD"), small)
    assert found.lines[0].amount.known
    assert found.lines[1].amount.missing is Missing.PRICE
    assert found.capital.missing is Missing.PRICE


# ---- age


def test_age_is_counted_in_full_months() -> None:
    assert [age_in_months(date, NOVEMBER) for date in ("2026-11-09", "2026-08", "2026", "2025", "", "2027")] == [
        0, 3, 0, 11, None, 0,
    ]  # fmt: skip


def test_an_old_price_counts_as_less_certain() -> None:
    assert aged(Confidence.TWO_SOURCES, 3, before_rise=False) is Confidence.TWO_SOURCES
    assert aged(Confidence.TWO_SOURCES, 7, before_rise=False) is Confidence.ONE_SOURCE
    assert aged(Confidence.ONE_SOURCE, 13, before_rise=False) is Confidence.UNVERIFIED
    assert aged(Confidence.ESTIMATE, 40, before_rise=True) is Confidence.ESTIMATE


def test_what_holds_memory_and_is_from_before_the_rise_says_so() -> None:
    node = priced(office("hgx-h100-8")).lines[0].quote
    assert node is not None
    assert (node.before_rise, node.confidence) == (True, Confidence.UNVERIFIED)
    card = usual().lines[0].quote
    assert card is not None
    assert (card.before_rise, card.age_months) == (False, 3)


def test_the_day_of_the_offer_goes_before_the_day_of_the_reader() -> None:
    sizing = size(office(), shipped())
    undated = size(office(priced_on=""), shipped())
    ages = [cost(one, shipped(), "2027-08-01").lines[0].quote for one in (sizing, undated)]
    assert [quote.age_months for quote in ages if quote] == [3, 12]


def test_prices_hold_for_a_month_unless_said() -> None:
    assert usual().valid_days.value == 30
    assert priced(office(validity_days=10)).valid_days.value == 10


# ---- currencies


def test_a_rate_of_the_user_counts_with_its_date() -> None:
    rate = ExchangeRate(currency="USD", per_euro=Decimal("1.25"), dated="2026-11-29")
    found = priced(office(exchange=(rate,)))
    origin = found.trace.entry("exchange.USD").origin  # type: ignore[union-attr]
    assert (origin.kind, origin.date) == (OriginKind.CHOICE, "2026-11-29")
    dear, cheap = usual().lines[0].amount.value, found.lines[0].amount.value
    assert dear * Decimal("1.16") == pytest.approx(cheap * Decimal("1.25"))


def test_an_unknown_rate_leaves_the_amount_missing() -> None:
    found = priced(office(currency="CHF"))
    assert (found.capital.value, found.capital.missing, found.capital.subject) == (None, Missing.EXCHANGE_RATE, "CHF")


def test_the_same_bill_in_dollars_is_the_rate_dearer() -> None:
    euros, dollars = usual(), priced(office(currency="USD"))
    assert dollars.capital.value / euros.capital.value == pytest.approx(Decimal("1.16"), rel=Decimal("1e-20"))
    assert dollars.per_million.value / euros.per_million.value == pytest.approx(Decimal("1.16"), rel=Decimal("1e-12"))


@given(amount=st.decimals(1, 10**9, places=2), rate=st.decimals("0.01", 1000, places=4))
def test_there_and_back_is_the_same_amount(amount: Decimal, rate: Decimal) -> None:
    there = e.converted(amount, Decimal(1), rate)
    assert e.converted(there, rate, Decimal(1)).quantize(Decimal("1e-12")) == amount.quantize(Decimal("1e-12"))


# ---- what is missing


def test_no_price_is_missing_and_never_zero() -> None:
    found = priced(office("rtx-2080"))
    for amount in (found.capital, found.yearly, found.total, found.per_million, found.per_million_full):
        assert (amount.value, amount.missing) == (None, Missing.PRICE)
    assert found.open_lines[0].kind is LineKind.CARDS
    assert not found.price_known


def test_without_users_only_the_full_load_is_known() -> None:
    scenario = office().edited(workload__users=1, workload__requests_at_once=10)
    found = priced(scenario)
    assert found.demand is None
    assert found.per_million.missing is Missing.USERS
    assert found.per_million_full.known
    assert found.capital.known


def test_an_unknown_speed_leaves_the_purchase_and_the_tokens_of_the_year() -> None:
    device = next(d for d in shipped().devices.values() if size(office(d.id), shipped()).speed_unknown)
    known = device.model_copy(
        update={"price": Price(low=Decimal(900), high=Decimal(900), currency="EUR", as_of="2026-11"), "tdp_w": 100.0}
    )
    found = priced(office(device.id), shipped().with_overlay(Overlay(devices=(known,))))
    assert found.lines[0].amount.value == 900
    assert found.trace["demand.tokens_per_year"] > 0
    assert (found.per_million.missing, found.energy.missing) == (Missing.SPEED, Missing.SPEED)
    assert found.per_million_full.missing is Missing.SPEED


def test_without_a_region_electricity_is_missing() -> None:
    found = priced(office(region=""))
    assert found.yearly.missing is Missing.TARIFF
    assert Missing.VAT in found.not_counted


def test_an_empty_bill_is_not_free() -> None:
    assert priced(office(lines=())).capital.missing is Missing.PRICE


def test_an_open_line_keeps_the_sum_open() -> None:
    lines = (
        CostLine(kind=LineKind.CARDS, quantity=Decimal(1), price=Decimal(10_000)),
        CostLine(kind=LineKind.COOLING, name="Rear-door cooler"),
    )
    found = priced(office(lines=lines))
    assert [line.name for line in found.open_lines] == ["Rear-door cooler"]
    assert found.capital.subject == "Rear-door cooler"


def test_a_provider_without_a_price_is_missing_alone() -> None:
    found = priced(office(api=(ApiChoice(name="Asked"),), cloud=(CloudChoice(name="Asked"),)))
    assert (found.hosted[0].bill.missing, found.cloud[0].bill.missing) == (Missing.PRICE, Missing.PRICE)
    assert found.yearly.known


def amounts(found: Cost) -> Iterator[Amount]:
    for name in found.__slots__:
        value = getattr(found, name)
        if isinstance(value, Amount):
            yield value


@pytest.mark.parametrize("device", ["rtx-pro-6000-ws", "rtx-2080", "tpu-v5e", "macbook-pro-m5-max-128", "dgx-spark"])
def test_each_amount_is_a_figure_of_the_trace_or_has_a_reason(device: str) -> None:
    found = priced(office(device))
    for amount in amounts(found):
        assert (amount.value is None) is (amount.missing is not None)
        if amount.known:
            assert found.trace[amount.key] == amount.value


# ---- terms


def test_options_change_what_they_say() -> None:
    base = usual()
    hardware = base.trace["cost.hardware"]
    more = priced(
        office(
            contingency_share=Decimal("0.1"),
            margin_share=Decimal("0.2"),
            residual_share=Decimal("0.25"),
            colocation_price=Decimal(150),
            staff_posts=Decimal("0.5"),
            staff_salary=Decimal(80_000),
        )
    )
    assert more.capital.value == pytest.approx(base.capital.value + hardware * Decimal("0.3"), rel=Decimal("1e-25"))
    assert more.trace["cost.residual"] == hardware / 4
    items = {item.kind: item.amount.value for item in more.running}
    assert items[Running.STAFF] == 40_000
    assert items[Running.COLOCATION] == Decimal(str(more.trace["power.most_w"])) / 1000 * 12 * 150
    assert more.trace["power.pue"] == 1.2
    assert not {Missing.STAFF, Missing.VAT} & set(more.not_counted)


def test_a_yearly_line_is_running_cost_and_not_bought() -> None:
    licence = CostLine(kind=LineKind.SOFTWARE, quantity=Decimal(2), fact="software.nvaie.subscription-1y", yearly=True)
    card = CostLine(kind=LineKind.CARDS, quantity=Decimal(2))
    without, with_it = priced(office(lines=(card,))), priced(office(lines=(card, licence)))
    assert with_it.capital.value == without.capital.value
    licences = {item.kind: item.amount.value for item in with_it.running}[Running.LICENCES]
    assert licences == 9000 / Decimal("1.16")


def test_services_bear_neither_installation_nor_maintenance() -> None:
    card = CostLine(kind=LineKind.CARDS, price=Decimal(10_000))
    service = CostLine(kind=LineKind.SERVICES, price=Decimal(5_000))
    found = priced(office(lines=(card, service)))
    assert found.capital.value == 10_000 + 5_000 + 1_000
    assert found.trace["cost.maintenance"] == 1_000


@settings(max_examples=25, deadline=None)
@given(
    capital=st.decimals(1, 10**8, places=2),
    residual=st.decimals(0, 1, places=3),
    years=st.integers(1, 10),
)
def test_annuity_without_cost_of_capital_is_an_even_share(capital: Decimal, residual: Decimal, years: int) -> None:
    left = capital * residual
    assert e.annuity(capital, left, Decimal(0), Decimal(years)) == (capital - left) / years


@settings(max_examples=25, deadline=None)
@given(rate=st.decimals("0.001", "0.3", places=3), years=st.integers(1, 10))
def test_annuity_pays_the_purchase_back(rate: Decimal, years: int) -> None:
    paid = e.annuity(Decimal(1000), Decimal(0), rate, Decimal(years))
    worth = sum((paid / (1 + rate) ** year for year in range(1, years + 1)), Decimal(0))
    assert abs(worth - 1000) < Decimal("1e-15")
    assert paid > Decimal(1000) / years


# ---- power


def test_a_measured_card_draws_what_was_measured() -> None:
    trace = usual().trace
    assert 300 < trace["power.accelerator_busy_w"] < 500
    assert trace["power.host_w"] == 200
    assert trace["power.most_w"] == 200 + 600
    assert trace["power.idle_w"] < trace["power.busy_w"] < trace["power.most_w"]


def test_a_system_leaves_its_host_what_the_cards_do_not_draw() -> None:
    trace = priced(office("hgx-h100-8")).trace
    assert trace["power.host_w"] == 10_200 - 8 * 700


def test_unknown_power_leaves_energy_missing() -> None:
    found = priced(office("macbook-pro-m5-max-128"))
    assert (found.energy.missing, found.yearly.missing) == (Missing.POWER, Missing.POWER)
    assert found.capital.known


# ---- alternatives


def test_by_rule_the_cheapest_a_middle_and_the_dearest() -> None:
    scenario = office("h100-sxm", 2).edited(
        model=CatalogueModel(id="meta-llama/Llama-3.3-70B-Instruct"), weights="nvfp4"
    )
    found = priced(scenario)
    prices = [hosted.price.value for hosted in found.hosted]
    assert len(prices) == len(found.cloud) == 3
    assert prices[0] < prices[-1]
    rents = [cloud.price.value for cloud in found.cloud]
    assert rents == sorted(rents)


def test_cached_prompts_lower_the_bill() -> None:
    def api(share: float) -> ApiChoice:
        return ApiChoice(
            input_price=Decimal(2), output_price=Decimal(8), cached_price=Decimal("0.2"), cached_share=share
        )

    found = priced(office(api=(api(0.0), api(0.5))))
    assert found.hosted[1].price.value < found.hosted[0].price.value
    assert found.hosted[0].price.value == (Decimal(2) * 1500 + Decimal(8) * 500) / 2000


# ---- the whole


@pytest.mark.parametrize(
    "scenario",
    [office(), office("h100-sxm", 8), office("dgx-spark", region="FR"), office("hgx-h200-8", currency="USD")],
    ids=lambda s: s.deployment.device,
)
def test_every_figure_can_be_computed_again(scenario: Scenario) -> None:
    trace = priced(scenario).trace
    for key in trace:
        assert trace.reevaluate(key) == trace[key], key
        entry = trace.entry(key)
        if isinstance(entry, Computed):
            assert by_the_text(trace, entry) == entry.value, key


def test_cost_leaves_the_sizing_as_it_was() -> None:
    sizing = size(office(), shipped())
    before = len(sizing.trace)
    first, second = cost(sizing, shipped()), cost(sizing, shipped())
    assert len(sizing.trace) == before
    assert [first.trace[key] for key in first.trace] == [second.trace[key] for key in second.trace]


def test_a_line_whose_price_the_catalogue_no_longer_has_is_open() -> None:
    line = {"kind": "host", "fact": "bom.no-such"}
    found = priced(office(lines=[{"kind": "cards"}, line]))
    assert [one.amount.missing for one in found.lines] == [None, Missing.PRICE]
    assert (found.lines[1].name, found.lines[1].fact) == ("bom.no-such", "bom.no-such")
    assert found.capital.missing is Missing.PRICE

"""Offers with plain numbers made by hand: the fixed sizings with a cost, so that no test moves with a price list."""

from dataclasses import replace
from decimal import Decimal

from core.proposal.load import LoadPoint, Moment
from core.proposal.offer import Offer
from core.scenario import CostLine, Demand, Economics, LineKind
from core.sizing.costs.cost import cost_of
from core.sizing.costs.report import Cost
from core.sizing.demand import record_demand, record_service
from core.sizing.report import Sizing
from core.trace import Origin, OriginKind
from core.units import Unit
from tests.core.small_catalogue import small_catalogue
from tests.desktop import fixed_sizing as fixed

MEASURED = Origin(OriginKind.METHOD, "made by hand")
LINES = (
    CostLine(kind=LineKind.CARDS, name="RTX PRO 6000", price=Decimal(12400), dated="2026-11-20"),
    CostLine(kind=LineKind.HOST, name="Server, 2U", price=Decimal(6200), dated="2026-11-20"),
    CostLine(kind=LineKind.SERVICES, name="Installation on site", quantity=Decimal(2), price=Decimal(900)),
)
ECONOMICS = Economics(
    currency="EUR", region="DE", priced_on="2026-11-30", lines=LINES, term_years=Decimal(3),
    capital_cost=Decimal("0.05"), installation_share=Decimal(0), maintenance_share=Decimal("0.05"),
    electricity_price=Decimal("0.24"), pue=1.2, idle_power_w=180.0, busy_power_w=640.0, vat_share=Decimal("0.19"),
    validity_days=30, cloud=(), api=(), grid_carbon_g=363.0, embodied_kg=1500.0,
)  # fmt: skip
DEMAND = Demand(daily_share=0.5, requests_per_day=20, days_per_year=220, busy_hour_share=0.2, burst_factor=3)


def priced(sizing: Sizing | None = None, economics: Economics = ECONOMICS) -> Offer:
    """A fixed sizing with its cost, and sized alone besides."""
    sizing = with_economics(sizing or fixed.fixed_sizing(), economics)
    return Offer(sizing, cost=_cost(sizing), load=_load(sizing))


def with_economics(sizing: Sizing, economics: Economics) -> Sizing:
    workload = sizing.scenario.workload.model_copy(update={"demand": DEMAND})
    scenario = sizing.scenario.model_copy(update={"economics": economics, "workload": workload})
    sizing = replace(sizing, scenario=scenario)
    sizing.trace.given("workload.output_tokens", workload.output_tokens, Unit.TOKEN)
    sizing.trace.given("deployment.accelerators", sizing.plan.ranks, Unit.COUNT)
    sizing.trace.given("workload.reserve_share", 0.0, Unit.SHARE)
    if not sizing.speed_unknown:
        sizing.trace.given("saturated_tok_s_total", 1200.0, Unit.TOKEN_PER_SECOND, MEASURED)
    return sizing


def _cost(sizing: Sizing) -> Cost:
    trace, catalogue, workload = sizing.trace.copy(), small_catalogue(), sizing.scenario.workload
    demand = None
    if not sizing.speed_unknown:
        record_service(trace, workload)
        demand = record_demand(trace, workload, catalogue.facts)
    deployment = sizing.scenario.deployment.model_copy(update={"device": "rtx-pro-6000-ws"})
    known = replace(sizing, scenario=sizing.scenario.model_copy(update={"deployment": deployment}))
    return cost_of(trace, demand, known, catalogue, "2026-11-30")


def _load(sizing: Sizing) -> tuple[LoadPoint, ...]:
    return () if sizing.speed_unknown else (LoadPoint(Moment.NEEDED, sizing),)

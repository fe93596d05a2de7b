"""What hardware costs to buy and to keep, whatever it does: purchase, terms, tax, a year."""

from decimal import Decimal

from core.catalogue.fact_kinds import FactSection
from core.physics import economics as e
from core.physics import purchase
from core.sizing.costs.bill import ENDS, is_hardware
from core.sizing.costs.ledger import Ledger
from core.sizing.costs.report import Missing, PricedLine, Running
from core.units import Unit

#: The figure of each yearly cost.
RUNNING = {
    Running.ANNUITY: "cost.annuity",
    Running.ENERGY: "cost.energy",
    Running.COLOCATION: "cost.colocation",
    Running.MAINTENANCE: "cost.maintenance",
    Running.LICENCES: "cost.licences",
    Running.STAFF: "cost.staff",
}


# ---- purchase


def record_terms(ledger: Ledger) -> None:
    """Record term, cost of capital and the shares of installation and maintenance: the user's, else the usual ones."""
    said, finance, parts = ledger.economics, FactSection.FINANCE, FactSection.PARTS
    years, capital = "finance.depreciation.years", "finance.cost-of-capital"
    ledger.choice_or_fact("cost.term_years", Unit.YEAR, said.term_years, finance, years, Decimal(4))
    ledger.choice_or_fact("cost.capital_rate", Unit.SHARE, said.capital_cost, finance, capital, Decimal("0.07"))
    for key, chosen, id in (
        ("installation_share", said.installation_share, "bom.install.share-of-hardware"),
        ("maintenance_share", said.maintenance_share, "bom.support.hardware-maintenance"),
    ):
        ledger.choice_or_fact(f"cost.{key}", Unit.SHARE, chosen, parts, id, Decimal("0.1"))
    valid = "finance.price-validity"
    ledger.choice_or_fact("cost.validity_days", Unit.COUNT, said.validity_days, finance, valid)
    ledger.given("cost.contingency_share", said.contingency_share, Unit.SHARE)
    ledger.given("cost.margin_share", said.margin_share, Unit.SHARE)
    ledger.given("cost.residual_share", said.residual_share, Unit.SHARE)


def record_capital(ledger: Ledger, lines: tuple[PricedLine, ...]) -> None:
    """Record the purchase, and what it is between the lowest and the highest quotes."""
    once = [line for line in lines if not line.yearly]
    if not once:
        ledger.lack("cost.nothing", Missing.PRICE)
    things = [line for line in lines if is_hardware(line)]
    for end in ENDS:
        hardware = ledger.compute(f"cost.hardware{end}", e.total, items=[line.amount_key(end) for line in things])
        bought = ledger.compute(
            f"cost.bought{end}", e.total, items=[line.amount_key(end) for line in once] or ["cost.nothing"]
        )
        parts = [bought]
        for name, of in (("contingency", bought), ("installation", hardware), ("margin", bought)):
            share = f"cost.{name}_share"
            if not ledger.knows(share) or ledger.trace[share]:
                parts.append(ledger.compute(f"cost.{name}{end}", e.part_of, amount=of, share=share))
        ledger.compute(f"cost.capital{end}", e.total, items=parts)
    ledger.compute("cost.residual", e.part_of, amount="cost.hardware", share="cost.residual_share")
    ledger.compute(
        "cost.annuity",
        e.annuity,
        capital="cost.capital",
        residual="cost.residual",
        rate="cost.capital_rate",
        years="cost.term_years",
    )
    _record_vat(ledger)


def _record_vat(ledger: Ledger) -> None:
    """Value-added tax stands apart: the user's rate, else the standard rate of the region."""
    chosen, region = ledger.economics.vat_share, ledger.economics.region
    fact = ledger.facts.of_region(FactSection.FINANCE, "finance.vat.", region) if region else None
    if chosen is not None:
        ledger.given("cost.vat_share", chosen, Unit.SHARE)
    elif fact is not None and fact.middle is not None and fact.unit == "percent":
        ledger.given("cost.vat_share", fact.middle / 100, Unit.SHARE, fact.origin)
    else:
        ledger.lack("cost.vat_share", Missing.VAT, region)
    ledger.compute("cost.vat", e.part_of, amount="cost.capital", share="cost.vat_share")


# ---- every year


def record_standing(ledger: Ledger, lines: tuple[PricedLine, ...]) -> set[Running]:
    """Record the yearly costs that do not depend on the work; return which there are."""
    said = ledger.economics
    kept = {Running.ANNUITY, Running.MAINTENANCE}
    ledger.compute("cost.maintenance", e.part_of, amount="cost.hardware", share="cost.maintenance_share")
    if said.colocation_price is not None:
        ledger.given("cost.colocation_rate", said.colocation_price, Unit.MONEY)
        ledger.compute("cost.colocation", e.colocation, power="power.most_w", rate="cost.colocation_rate")
        kept.add(Running.COLOCATION)
    yearly = [f"{line.key}.amount" for line in lines if line.yearly]
    if yearly:
        ledger.compute("cost.licences", e.total, items=yearly)
        kept.add(Running.LICENCES)
    if said.staff_posts is not None and said.staff_salary is not None:
        ledger.given("cost.staff_posts", said.staff_posts, Unit.COUNT)
        ledger.given("cost.staff_salary", said.staff_salary, Unit.MONEY)
        ledger.compute("cost.staff", purchase.line_amount, quantity="cost.staff_posts", price="cost.staff_salary")
        kept.add(Running.STAFF)
    return kept


def record_tariff(ledger: Ledger) -> None:
    """Record the price of a kilowatt-hour: the user's, else that of the region."""
    chosen, region = ledger.economics.electricity_price, ledger.economics.region
    fact = ledger.facts.electricity(region)
    if chosen is not None:
        ledger.given("cost.tariff", chosen, Unit.MONEY)
    elif fact is not None and fact.currency == ledger.currency:
        ledger.given("cost.tariff", fact.middle, Unit.MONEY, fact.origin)
    elif fact is not None:
        quoted = ledger.given("cost.tariff.quoted", fact.middle, Unit.MONEY, fact.origin)
        ledger.converted("cost.tariff", quoted, fact.currency)
    else:
        ledger.lack("cost.tariff", Missing.TARIFF, region)

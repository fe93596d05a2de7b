"""Economics: prices, terms and rates; what is left open is taken from the catalogue and shown in its place."""

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal

from PySide6.QtWidgets import QLabel, QWidget

from core.catalogue.records import Price
from core.language.cost_sentences import money
from core.language.figures import label as figure_name
from core.language.messages import gettext as _
from core.language.messages import ngettext
from core.language.numbers import EN_DASH
from core.language.regions import region_name
from core.scenario import Scenario
from core.sizing.costs.report import Amount, Cost
from core.sizing.report import Sizing
from core.units import parse_number
from desktop.inputs import names
from desktop.inputs.alternatives_rows import AlternativesRows
from desktop.inputs.deployment_section import device_of
from desktop.inputs.exchange_row import ExchangeRow
from desktop.inputs.money import CURRENCIES, price
from desktop.inputs.rows import Caption, InputRow, PickerRow, QuantityRow, StepperRow
from desktop.session import Session
from desktop.theme import Theme
from desktop.widgets import quantity
from desktop.widgets.choices import Choice
from desktop.widgets.labels import button, label
from desktop.widgets.picker import ComboPicker
from desktop.widgets.quantity import Quantity
from desktop.widgets.section import Section


class EconomicsSection(Section):
    """The section of prices and terms."""

    def __init__(self, session: Session, theme: Theme, open_bill: Callable[[], object] | None = None) -> None:
        super().__init__(theme, _("Economics"))
        self._session, self._theme = session, theme
        self.bill = button(_("Edit lines…"), "", open_bill)
        self.bill.setAccessibleName(_("Bill of materials: edit lines"))
        self.bill_row = InputRow(theme, _("Bill of materials"), self.bill)
        self.bill.setEnabled(open_bill is not None)
        self.currency = self._picker(_("Currency"), "currency", [Choice(code, code) for code in CURRENCIES])
        self.region = self._picker(_("Region"), "region", [])
        self.region.set_source(self._regions)
        self.price = self._row(_("Price of one"), "price", price())
        self.usual = self._usual()
        share = quantity.exact_share
        self.given = {
            row.path.removeprefix("economics__"): row
            for row in (
                self._row(_("Contingency"), "contingency_share", share(optional=False)),
                self._row(_("Margin"), "margin_share", share(optional=False)),
                self._row(_("Residual value"), "residual_share", share(optional=False)),
                self._row(_("Colocation, kW and month"), "colocation_price", price("180", 10), _("at the client’s")),
                self._row(_("Staff, posts"), "staff_posts", _posts(), _("none")),
                self._row(_("Salary a year"), "staff_salary", price("80,000", 1000), _("none")),
                self._row(_("Day of the offer"), "priced_on", quantity.day(), _("today")),
            )
        }
        self.sites = StepperRow(
            session, theme, _("Sites"), "economics__sites", quantity.count(low=1, high=10, example="2")
        )
        self.rates = [ExchangeRow(session, theme, "USD"), ExchangeRow(session, theme, "CHF")]
        self.alternatives = AlternativesRows(session, theme)
        self.answer = Caption(theme)
        self._fill()

    def _row(self, text: str, field: str, kind: Quantity, placeholder: str = "") -> QuantityRow:
        return QuantityRow(self._session, self._theme, text, f"economics__{field}", kind, placeholder=placeholder)

    def _picker(self, text: str, field: str, choices: list[Choice]) -> ComboPicker:
        picker = ComboPicker(self._theme, text)
        picker.set_choices(choices)
        path = f"economics__{field}"
        picker.chosen.connect(lambda key: self._session.edit(text, **{path: "" if key == NOWHERE else key}))
        return picker

    def _usual(self) -> dict[str, QuantityRow]:
        """Rows that may stay open, by the key of the figure that then stands in."""
        share = quantity.exact_share
        return {
            "cost.term_years": self._row(_("Term"), "term_years", quantity.years()),
            "cost.tariff": self._row(_("Electricity, kWh"), "electricity_price", price("0.25", 0.01)),
            "power.pue": self._row("PUE", "pue", quantity.ratio("1.3")),
            "cost.capital_rate": self._row(_("Cost of capital"), "capital_cost", share()),
            "cost.vat_share": self._row(_("VAT"), "vat_share", share(example="20")),
            "cost.installation_share": self._row(_("Installation"), "installation_share", share()),
            "cost.maintenance_share": self._row(_("Maintenance a year"), "maintenance_share", share()),
            "power.busy_w": self._row(_("Power at work"), "busy_power_w", quantity.plain("W", high=1e8)),
            "power.idle_w": self._row(_("Power waiting"), "idle_power_w", quantity.plain("W", "150", high=1e8)),
            "cost.validity_days": self._row(_("Prices hold"), "validity_days", _days()),
            "carbon.embodied": self._row(_("Made with, CO₂"), "embodied_kg", quantity.plain("kg", "1,500", high=1e8)),
            "carbon.grid": self._row(_("CO₂ of a kWh"), "grid_carbon_g", quantity.plain("g", "300", high=5000)),
        }

    def _fill(self) -> None:
        first = ("cost.term_years", "cost.tariff")
        rows: list[QWidget] = [
            self.price,
            PickerRow(self._theme, _("Currency"), self.currency),
            PickerRow(self._theme, _("Region"), self.region),
            *(self.usual[key] for key in first),
            self.bill_row,
            self.answer,
        ]
        more = self._groups()
        for row in (*rows, *more):
            self.rows.addWidget(row)
        self.add_more(more)
        self.more_toggled.connect(lambda: self.show_scenario(self._session.scenario))
        self.folded_changed.connect(self._on_folded)

    def _groups(self) -> list[QWidget]:
        """The rows that few need, under headings."""
        usual, given = self.usual, self.given
        groups: tuple[tuple[str, tuple[QWidget, ...]], ...] = (
            (
                _("The offer"),
                (
                    self.sites, given["priced_on"], usual["cost.validity_days"], *self.rates,
                    given["contingency_share"], given["margin_share"], usual["cost.vat_share"],
                    usual["cost.installation_share"],
                ),
            ),
            (
                _("Every year"),
                (
                    usual["cost.capital_rate"], given["residual_share"], usual["cost.maintenance_share"],
                    given["colocation_price"], given["staff_posts"], given["staff_salary"],
                ),
            ),
            (
                _("Power and carbon"),
                (
                    usual["power.pue"], usual["power.busy_w"], usual["power.idle_w"], usual["carbon.grid"],
                    usual["carbon.embodied"],
                ),
            ),
            (_("Compared with"), tuple(self.alternatives.rows)),
        )  # fmt: skip
        return [widget for text, rows in groups for widget in (_heading(text), *rows)]

    def _regions(self) -> list[Choice]:
        codes = self._session.catalogue.facts.electricity_regions
        return [Choice(NOWHERE, _("not said")), *(Choice(code, region_name(code), code) for code in codes)]

    # -- showing ------------------------------------------------------------------------------------------------------

    def show_scenario(self, scenario: Scenario) -> None:
        economics, number = scenario.economics, names.number()
        for row in (self.price, *self.usual.values(), *self.given.values()):
            row.show_scenario(scenario)
        self.sites.show_scenario(scenario)
        other = economics.currency not in ("EUR", "USD")
        self.rates[1].set_currency(economics.currency if other else "CHF")
        self.rates[1].setVisible(other and self.shows_more)
        for rate in self.rates:
            rate.show_scenario(scenario)
        self.alternatives.show_scenario(scenario)
        self.currency.set_current(economics.currency)
        region = region_name(economics.region) if economics.region else _("not said")
        self.region.set_current(economics.region or NOWHERE, region)
        device = device_of(self._session.catalogue, scenario.deployment.device)
        known = device.price if device else None
        amount = quotes(known) if known else ""
        self.price.set_placeholder(_("catalogue") if known else _("unknown"))
        self.price.set_caption(_source(amount, known.as_of) if known else "")
        if economics.price is not None:
            amount = number.money(economics.price, economics.currency)
        parts = [amount or _("price unknown")]
        if economics.term_years is not None:
            years = ngettext("{number} year", "{number} years", int(economics.term_years))
            parts.append(years.format(number=number.number(economics.term_years)))
        self.set_summary(" · ".join(parts))

    def show_sizing(self, sizing: Sizing) -> None:
        """What stands in for open fields, and what it comes to; worked out only while it can be seen."""
        if self.folded:
            return
        cost = self._session.cost(sizing)
        self.answer.setVisible(cost is not None)
        for key, row in self.usual.items():
            row.show_usual(cost.trace.get(key) if cost is not None else None)
        for rate in self.rates:
            rate.show_usual(cost.trace.get(f"exchange.{rate.currency}") if cost is not None else None)
        if cost is None:
            return
        self.bill_row.caption.set_caption(lines_of(cost))
        self.answer.set_caption(comes_to(cost))

    def _on_folded(self, folded: bool) -> None:
        if not folded and self._session.sizing is not None:
            self.show_sizing(self._session.sizing)


def _heading(text: str) -> QLabel:
    heading = label(text, "caption", tone="faint")
    heading.setContentsMargins(0, 8, 0, 0)
    return heading


NOWHERE = "-"  # key of "the region is not said"


def _posts() -> Quantity:
    """Posts, exact."""
    plain = replace(quantity.plain("", "0.5", high=1000), low=0)
    return replace(plain, read=lambda text, comma: Decimal(str(parse_number(text, comma))), step=0.1)


def _days() -> Quantity:
    """Whole days, as many as prices hold."""
    return replace(quantity.count(low=0, high=3650, example="30"), optional=True, unit=_("days"))


def lines_of(cost: Cost) -> str:
    """How many lines the bill has, who made them, and how many have no price."""
    number = len(cost.lines)
    if cost.sizing.scenario.economics.lines is None:
        text = ngettext("{number} line, proposed", "{number} lines, proposed", number)
    else:
        text = ngettext("{number} line, entered", "{number} lines, entered", number)
    missing = len(cost.open_lines)
    if missing:
        text = ngettext("{lines}; {missing} without a price", "{lines}; {missing} without a price", missing).format(
            lines=text, missing=names.number().count(missing)
        )
    return text.format(number=names.number().count(number))


def comes_to(cost: Cost) -> str:
    """Purchase, a year and a million tokens, each with the reason where it is unknown."""
    lines = [(figure_name("cost.capital"), cost.capital), (figure_name("cost.yearly"), cost.yearly)]
    lines.append((_("A million tokens"), cost.per_million))
    return "\n".join(_("{name}: {amount}").format(name=name, amount=_amount(of, cost)) for name, of in lines)


def _amount(amount: Amount, cost: Cost) -> str:
    return money(amount, cost.currency)


def quotes(price: Price) -> str:
    """The catalogue's range with its currency."""
    number = names.number()
    low, high = number.count(float(price.low)), number.count(float(price.high))
    return f"{low if low == high else f'{low}{EN_DASH}{high}'}\u00a0{price.currency}"


def _source(amount: str, as_of: str) -> str:
    if not as_of:
        return _("Catalogue: {amount}").format(amount=amount)
    return _("Catalogue: {amount}, {date}").format(amount=amount, date=as_of)

"""The workbook: bill of materials, running cost and every figure of each option, with live formulas.

A figure's cell holds the formula that the sizing applied, on the cells of its inputs; who changes an input sees what
follows. Texts of people go into cells as texts, never as formulas.
"""

import datetime
import io
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.language.cost_sentences import line_name, price_age, running
from core.language.figures import label
from core.language.formulas import in_words
from core.language.messages import gettext as _
from core.language.messages import in_language
from core.language.numbers import Formatter, formatter
from core.language.sentences import confidence, origin, verdict_word
from core.proposal.excel_formulas import excel_formula
from core.proposal.export import write_whole
from core.proposal.letters import letter
from core.proposal.offer import Offer
from core.proposal.options import ProposalOptions
from core.proposal.recommendation import hardware
from core.sizing.costs.report import Cost
from core.trace import Computed, Given, Trace, formula_of
from core.units import Unit

if TYPE_CHECKING:
    from xlsxwriter import Workbook
    from xlsxwriter.format import Format
    from xlsxwriter.worksheet import Worksheet

#: Most characters of a cell.
LONGEST_TEXT = 32_000
_FIRST = 2  # row of the first figure, from 0
_ON_TOP = ("cost.installation", "cost.contingency", "cost.margin")
VALUE = "C"


def write_workbook(offers: Sequence[Offer], options: ProposalOptions, path: Path) -> Path:
    """Make and write the workbook, whole or not at all."""
    write_whole(path, workbook(offers, options))
    return path


def workbook(offers: Sequence[Offer], options: ProposalOptions) -> bytes:
    """The file's content; the same offers and options give the same bytes."""
    import xlsxwriter

    content = io.BytesIO()
    made = xlsxwriter.Workbook(content, {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False})
    stamp = datetime.datetime(options.date.year, options.date.month, options.date.day, 12)
    made.set_properties({"title": options.title or options.client, "author": options.author, "created": stamp})
    with in_language(options.language):
        write = formatter(options.language)
        sheets = [_Figures(made, number, one) for number, one in enumerate(offers)]
        _Overview(made, offers, sheets, options, write)
        for number, one in enumerate(offers):
            if one.cost is not None:
                _Bill(made, number, one.cost, write)
        for sheet in sheets:
            sheet.write()
    made.close()
    return content.getvalue()


def _number(value: Any) -> float | None:
    """A value that a cell can hold as a number."""
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return None
    number = float(value)
    return number if abs(number) < 1e300 else None


class _Looks:
    """The few formats of a workbook."""

    def __init__(self, made: "Workbook") -> None:
        self.title: Format = made.add_format({"bold": True, "font_size": 14})
        self.head: Format = made.add_format({"bold": True, "bottom": 1, "font_color": "#42505D", "text_wrap": True})
        self.strong: Format = made.add_format({"bold": True, "top": 1, "num_format": "#,##0.00"})
        self.name: Format = made.add_format({"bold": True, "top": 1})
        self.money: Format = made.add_format({"num_format": "#,##0.00"})
        self.given: Format = made.add_format({"font_color": "#0F5A99"})
        self.wrap: Format = made.add_format({"text_wrap": True, "valign": "top", "font_color": "#42505D"})


def _text(value: str) -> str:
    return "".join(one for one in value if one in "\n\t" or ord(one) >= 32)[:LONGEST_TEXT]


class _Figures:
    """Every figure of an option: given ones in blue, computed ones as live formulas."""

    def __init__(self, made: "Workbook", number: int, offer: Offer) -> None:
        self.trace: Trace = offer.trace
        title = _("Figures")
        self.name = f"{title[:24]} {letter(number)}"
        self.rows = {key: _FIRST + row for row, key in enumerate(self._keys())}
        self._made = made
        self._title = f"{letter(number)}  {hardware(offer.sizing)}"

    def _keys(self) -> list[str]:
        return [key for key in self.trace if isinstance(self.trace[key], int | float | Decimal | str)]

    def cell(self, key: str) -> str:
        """Where a figure stands, from another sheet."""
        return f"'{self.name}'!${VALUE}${self.rows[key] + 1}"

    def write(self) -> None:
        sheet, looks = self._made.add_worksheet(self.name), _Looks(self._made)
        sheet.write_string(0, 0, _text(self._title), looks.title)
        for column, (heading, width) in enumerate(
            ((_("Key"), 30), (_("Figure"), 46), (_("Value"), 20), (_("Unit"), 12), (_("Formula or source"), 90))
        ):
            sheet.write_string(_FIRST - 1, column, heading, looks.head)
            sheet.set_column(column, column, width)
        sheet.freeze_panes(_FIRST, 2)
        for key, row in self.rows.items():
            self._row(sheet, looks, key, row)

    def _row(self, sheet: "Worksheet", looks: _Looks, key: str, row: int) -> None:
        entry = self.trace.entry(key)
        sheet.write_string(row, 0, _text(key))
        sheet.write_string(row, 1, _text(label(key)))
        sheet.write_string(row, 3, entry.unit.value)
        number = _number(entry.value)
        if number is None:
            sheet.write_string(row, 2, _text(str(entry.value)))
        elif isinstance(entry, Given):
            sheet.write_number(row, 2, number, looks.given)
        else:
            formula = self._formula(entry)
            if formula:
                sheet.write_formula(row, 2, formula, None, number)
            else:
                sheet.write_number(row, 2, number)
        sheet.write_string(row, 4, _text(self._way(key)))

    def _formula(self, entry: Computed) -> str:
        cells: dict[str, str | list[str]] = {}
        for name, at in entry.inputs.items():
            keys = [at] if isinstance(at, str) else list(at)
            if any(key not in self.rows or _number(self.trace[key]) is None for key in keys):
                return ""
            found = [f"{VALUE}{self.rows[key] + 1}" for key in keys]
            cells[name] = found[0] if isinstance(at, str) else found
        return excel_formula(formula_of(entry.function).expression, cells)

    def _way(self, key: str) -> str:
        entry = self.trace.entry(key)
        if isinstance(entry, Computed):
            return in_words(self.trace, key)
        known = entry.origin
        sure = confidence(known.confidence) if known.confidence else ""
        return ", ".join(part for part in (known.title or origin(known.kind), known.date, sure) if part)


class _Bill:
    """What is bought and what a year costs; amounts and sums are formulas on quantities and prices."""

    def __init__(self, made: "Workbook", number: int, cost: Cost, write: Formatter) -> None:
        name = _("Bill of materials")
        self.sheet: Worksheet = made.add_worksheet(f"{name[:24]} {letter(number)}")
        self.looks, self.cost, self.row = _Looks(made), cost, 0
        title = f"{letter(number)}  {hardware(cost.sizing)}, {cost.currency}"
        self.sheet.write_string(0, 0, _text(title), self.looks.title)
        for column, width in enumerate((10, 46, 16, 16, 46)):
            self.sheet.set_column(column, column, width)
        self._bill()
        self._running(write)

    def _heads(self, *heads: str) -> None:
        for column, head in enumerate(heads):
            self.sheet.write_string(self.row, column, head, self.looks.head)
        self.row += 1

    def _bill(self) -> None:
        self.row = 2
        self._heads(_("No."), _("What"), _("Each"), _("Amount"), _("Price of"))
        first = self.row
        things: list[str] = []
        for line in self.cost.lines:
            if line.yearly:
                continue
            self._line(line)
            things.append(f"D{self.row}")
        last = self.row
        shares = {"cost.installation": "cost.installation_share", "cost.contingency": "cost.contingency_share"}
        for key in _ON_TOP:
            if key in self.cost.trace:
                self._amount(label(key), self.cost.trace[key])
                share = self.cost.trace.get(shares.get(key, ""))
                if share is not None:
                    self.sheet.write_string(self.row - 1, 4, label(shares[key]) + f": {float(share):.4g}")
        end = self.row
        total = f"=SUM(D{first + 1}:D{max(last, end)})"
        self._sum(label("cost.capital"), total if self.cost.capital.known else "", self.cost.capital.value)

    def _line(self, line: Any) -> None:
        trace, row = self.cost.trace, self.row
        self.sheet.write_number(row, 0, float(line.quantity), self.looks.given)
        self.sheet.write_string(row, 1, _text(line_name(line)))
        price = trace.get(f"{line.key}.price", trace.get(f"{line.key}.quoted"))
        if not line.amount.known:
            self.sheet.write_string(row, 2, _("unknown"))
            self.sheet.write_string(row, 3, _("unknown"))
        elif price is None:
            self.sheet.write_number(row, 3, float(line.amount.value), self.looks.money)
        else:
            self.sheet.write_number(row, 2, float(price), self.looks.money)
            amount = float(line.amount.value)
            self.sheet.write_formula(row, 3, f"=A{row + 1}*C{row + 1}", self.looks.money, amount)
        self.sheet.write_string(row, 4, _text(price_age(line.quote)) if line.quote else _("no price is known"))
        self.row += 1

    def _amount(self, name: str, value: Any) -> None:
        self.sheet.write_string(self.row, 1, _text(name))
        self.sheet.write_number(self.row, 3, float(value), self.looks.money)
        self.row += 1

    def _sum(self, name: str, formula: str, value: Any) -> None:
        self.sheet.write_string(self.row, 1, _text(name), self.looks.name)
        if formula and value is not None:
            self.sheet.write_formula(self.row, 3, formula, self.looks.strong, float(value))
        else:
            self.sheet.write_string(self.row, 3, _("unknown"), self.looks.name)
        self.row += 1

    def _running(self, write: Formatter) -> None:
        self.row += 2
        self._heads("", _("Item"), "", _("A year"), "")
        first = self.row
        for item in self.cost.running:
            if item.amount.known:
                self._amount(running(item.kind), item.amount.value)
            else:
                self.sheet.write_string(self.row, 1, _text(running(item.kind)))
                self.sheet.write_string(self.row, 3, write.unknown())
                self.row += 1
        known = self.cost.yearly.known
        self._sum(label("cost.yearly"), f"=SUM(D{first + 1}:D{self.row})" if known else "", self.cost.yearly.value)
        year = self.row
        if self.cost.per_million.known:
            self._amount(label("demand.tokens_per_year"), self.cost.trace["demand.tokens_per_year"])
            tokens = self.row
            self._sum(label("cost.per_million_tokens"), f"=D{year}/D{tokens}", self.cost.per_million.value)


class _Overview:
    """The options side by side; each number is that of its sheet of figures."""

    def __init__(
        self,
        made: "Workbook",
        offers: Sequence[Offer],
        sheets: Sequence[_Figures],
        options: ProposalOptions,
        write: Formatter,
    ) -> None:
        sheet, looks = made.add_worksheet(_("Options")), _Looks(made)
        client = options.client or offers[0].scenario.client
        sheet.write_string(0, 0, _text(client or _("Proposal")), looks.title)
        sheet.write_string(1, 0, write.date(options.date))
        sheet.set_column(0, 0, 46)
        sheet.set_column(1, len(offers), 30)
        for number, one in enumerate(offers):
            sheet.write_string(3, number + 1, _text(f"{letter(number)}  {hardware(one.sizing)}"), looks.head)
            sheet.write_string(4, number + 1, verdict_word(one.sizing.verdict))
        sheet.write_string(3, 0, _("Figure"), looks.head)
        sheet.write_string(4, 0, _("Verdict"))
        row = 5
        for key in _OVERVIEW:
            if not any(key in figures.rows for figures in sheets):
                continue
            unit = next(figures.trace.entry(key).unit for figures in sheets if key in figures.rows)
            mark = "" if unit in (Unit.COUNT, Unit.REQUEST, Unit.MONEY) else f" [{unit.value}]"
            sheet.write_string(row, 0, label(key) + mark)
            for number, figures in enumerate(sheets):
                value = _number(figures.trace[key]) if key in figures.rows else None
                if value is None:
                    sheet.write_string(row, number + 1, write.unknown())
                else:
                    sheet.write_formula(row, number + 1, f"={figures.cell(key)}", looks.money, value)
            row += 1


_OVERVIEW = (
    "requests_at_once", "max_concurrency", "memory.total_bytes", "memory.limit_bytes", "memory.free_bytes",
    "decode_tok_s.p10", "decode_tok_s", "decode_tok_s.p90", "ttft_s", "output_tok_s_total", "prefill_tok_s",
    "power.busy_w", "cost.capital", "cost.yearly", "cost.total", "cost.per_million_tokens",
)  # fmt: skip

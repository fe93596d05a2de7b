"""Who the proposal is for and from, when, in which language, currency and on which paper."""

import datetime
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any

from core.language.messages import LANGUAGE_NAMES
from core.language.messages import gettext as _
from core.proposal.gaps import GapKind
from core.proposal.glyphs import named_missing
from core.proposal.options import Paper, ProposalOptions
from desktop.inputs.rows import InputRow, PickerRow
from desktop.pages.proposal.fields import TextField, TextRow
from desktop.pages.proposal.words import paper_name
from desktop.theme import Theme
from desktop.widgets import quantity
from desktop.widgets.choices import Choice
from desktop.widgets.picker import ComboPicker
from desktop.widgets.quantity_edit import QuantityEdit
from desktop.widgets.section import Section

CURRENCIES = ("EUR", "USD", "CHF", "GBP", "SEK", "DKK", "NOK", "PLN", "CZK", "JPY", "CAD", "AUD")
AS_SCENARIO = "scenario"
MOST_DAYS = 3650

Change = Callable[[ProposalOptions], ProposalOptions]


class DocumentSection(Section):
    """Names, date and form of the document."""

    def __init__(self, theme: Theme, change: Callable[[Change], object]) -> None:
        super().__init__(theme, _("Document"))
        self._change = change
        self.client = TextRow(theme, _("Client"), self._writer("client"))
        self.recipient = TextRow(theme, _("For the attention of"), self._writer("recipient"))
        self.title = TextRow(theme, _("Title"), self._writer("title"))
        self.author = TextRow(theme, _("Author"), self._writer("author"))
        self.date = TextRow(theme, _("Date"), self._write_date, most=10)
        self.validity = self._validity(theme)
        self.language = self._picker(theme, _("Language"), LANGUAGE_NAMES.items(), "language")
        self.currency = ComboPicker(theme, _("Currency"))
        self.currency.set_choices(
            [Choice(AS_SCENARIO, _("as in the scenario")), *(Choice(code, code) for code in CURRENCIES)]
        )
        self.currency.chosen.connect(self._choose_currency)
        self.paper = ComboPicker(theme, _("Paper"))
        self.paper.set_choices([Choice(paper.value, paper_name(paper)) for paper in Paper])
        self.paper.chosen.connect(lambda key: change(lambda options: replace(options, paper=Paper(key))))
        for row in (self.client, self.recipient, self.title, self.author, self.date):
            self.rows.addWidget(row)
        self.rows.addWidget(InputRow(theme, _("Valid for"), self.validity))
        self.rows.addWidget(PickerRow(theme, _("Language"), self.language))
        self.rows.addWidget(PickerRow(theme, _("Currency"), self.currency))
        self.rows.addWidget(PickerRow(theme, _("Paper"), self.paper))

    def _writer(self, field: str) -> Callable[[str], object]:
        return lambda text: self._change(partial(_with, field, text))

    def _picker(self, theme: Theme, name: str, choices: Iterable[tuple[str, str]], field: str) -> ComboPicker:
        picker = ComboPicker(theme, name)
        picker.set_choices([Choice(key, text) for key, text in choices])
        picker.chosen.connect(lambda key: self._change(partial(_with, field, key)))
        return picker

    def _validity(self, theme: Theme) -> QuantityEdit:
        days = replace(quantity.count(_("days"), high=MOST_DAYS, example="30"), optional=True, step=5)
        edit = QuantityEdit(theme, days, _("Valid for"))
        edit.setPlaceholderText(_("as prices hold"))
        edit.value_edited.connect(lambda value: self._change(lambda options: replace(options, validity_days=value)))
        return edit

    def _choose_currency(self, key: str) -> None:
        code = "" if key == AS_SCENARIO else key
        self._change(lambda options: replace(options, currency=code))

    def _write_date(self, text: str) -> None:
        try:
            day = datetime.date.fromisoformat(text.strip())
        except ValueError:
            self.date.caption.set_problem(_("Write a date such as 2026-11-30."))
            return
        self.date.caption.set_problem("")
        self._change(lambda options: replace(options, date=day))

    def show_options(self, options: ProposalOptions, client: str, title: str) -> None:
        """Show what is chosen; `client` and `title` stand where nothing was typed."""
        for row, text in (
            (self.client, options.client),
            (self.recipient, options.recipient),
            (self.title, options.title),
            (self.author, options.author),
        ):
            row.edit.show_text(text)
        self.client.edit.setPlaceholderText(client or _("who it is for"))
        self.title.caption.set_caption("" if options.title else title)
        if not self.date.edit.hasFocus():
            self.date.edit.show_text(options.date.isoformat())
        self.validity.set_value(options.validity_days)
        self.language.set_current(options.language)
        self.currency.set_current(options.currency or AS_SCENARIO)
        self.paper.set_current(options.paper.value)
        self.set_summary(options.client or client)

    def field_for(self, kind: GapKind) -> TextField:
        """The field that closes a gap."""
        if kind is GapKind.GLYPHS:
            unprintable = (row.edit for row in (self.client, self.recipient, self.title, self.author))
            return next((edit for edit in unprintable if named_missing(edit.text())), self.client.edit)
        return self.author.edit if kind is GapKind.AUTHOR else self.client.edit


def _with(field: str, value: Any, options: ProposalOptions) -> ProposalOptions:
    return replace(options, **{field: value})

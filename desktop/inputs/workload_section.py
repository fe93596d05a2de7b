"""Workload: how many people, how much text, how fast."""

from dataclasses import replace

from core.language.messages import gettext as _
from core.language.messages import ngettext
from core.scenario import Scenario
from core.sizing.report import Sizing
from desktop.inputs import names
from desktop.inputs.rows import QuantityRow
from desktop.session import Session
from desktop.theme import Theme
from desktop.widgets import quantity
from desktop.widgets.log_slider import halves_between, round_between
from desktop.widgets.section import Section


class WorkloadSection(Section):
    """The section of the workload."""

    def __init__(self, session: Session, theme: Theme) -> None:
        super().__init__(theme, _("Workload"))
        self._session = session
        self.users = QuantityRow(
            session,
            theme,
            _("Users"),
            "workload__users",
            quantity.count(_("users")),
            slider_steps=round_between(10_000),
        )
        self.active = QuantityRow(
            session, theme, _("Active at once"), "workload__active_share", quantity.share(low=0.001)
        )
        self.requests = QuantityRow(
            session,
            theme,
            _("Requests at once"),
            "workload__requests_at_once",
            optional(quantity.count(high=1e7, example="12")),
            placeholder=_("from users"),
        )
        self.prompt = QuantityRow(
            session,
            theme,
            _("Prompt"),
            "workload__prompt_tokens",
            optional(quantity.tokens()),
            placeholder=_("= limit"),
        )
        self.answer = QuantityRow(session, theme, _("Answer"), "workload__output_tokens", quantity.tokens())
        self.context = QuantityRow(
            session,
            theme,
            _("Context limit"),
            "workload__context_tokens",
            quantity.tokens(),
            slider_steps=halves_between(1024, 1_048_576),
        )
        self.prefix = QuantityRow(
            session, theme, _("Prefix cache hits"), "workload__prefix_hit_share", quantity.share()
        )
        self.first_token = QuantityRow(
            session,
            theme,
            _("First token within"),
            "workload__ttft_target_s",
            quantity.seconds(),
            placeholder=_("none"),
        )
        self.speed = QuantityRow(
            session, theme, _("Speed per user"), "workload__speed_target", quantity.speed(), placeholder=_("none")
        )
        self.reserve = QuantityRow(session, theme, _("Growth reserve"), "workload__reserve_share", quantity.share())
        self._rows = [
            self.users, self.active, self.requests, self.prompt, self.answer, self.context, self.prefix,
            self.first_token, self.speed, self.reserve,
        ]  # fmt: skip
        for row in self._rows:
            self.rows.addWidget(row)
        self.requests.caption.set_caption(_("instead of users and share"))
        self.add_more([self.requests, self.reserve])

    def show_scenario(self, scenario: Scenario) -> None:
        workload = scenario.workload
        direct = workload.requests_at_once is not None
        self.users.setVisible(not direct)
        self.active.setVisible(not direct)
        self.requests.setVisible(direct or self.shows_more)
        for row in self._rows:
            row.show_scenario(scenario)
        number = names.number()
        users = ngettext("{number} user", "{number} users", workload.users).format(number=number.count(workload.users))
        if direct:
            at_once = workload.requests_at_once or 1
            users = ngettext("{number} request", "{number} requests", at_once).format(number=number.count(at_once))
        self.set_summary(f"{users} · {number.tokens(workload.context_tokens)}")

    def show_sizing(self, sizing: Sizing) -> None:
        requests = sizing.required_requests
        text = ngettext("{number} request at once", "{number} requests at once", requests)
        self.active.caption.set_caption(text.format(number=names.number().count(requests)))


def optional(kind: quantity.Quantity) -> quantity.Quantity:
    """The same kind of number, which may be left open."""
    return replace(kind, optional=True)

"""Workload: what for, how many people, how much text, how fast."""

from dataclasses import replace

from PySide6.QtWidgets import QWidget

from core.language import cost_sentences
from core.language.messages import gettext as _
from core.language.messages import ngettext
from core.scenario import Scenario, Use, Workload
from core.sizing.presets import with_use
from core.sizing.report import Sizing
from desktop.inputs import names
from desktop.inputs.retrieval_rows import RetrievalRows
from desktop.inputs.rows import PickerRow, QuantityRow
from desktop.session import Session
from desktop.theme import Theme
from desktop.widgets import quantity
from desktop.widgets.choices import Choice
from desktop.widgets.log_slider import halves_between, round_between
from desktop.widgets.picker import ComboPicker
from desktop.widgets.section import Section

SPREAD, TOGETHER = "spread", "together"  # keys of how requests come
OWN = "own"  # key of figures that come from no preset
#: Certainties with which targets are met, in per cent.
CERTAINTIES = (50, 75, 90, 95, 99)


class WorkloadSection(Section):
    """The section of the workload."""

    def __init__(self, session: Session, theme: Theme) -> None:
        super().__init__(theme, _("Workload"))
        self._session, self._theme = session, theme
        self.use = ComboPicker(theme, _("Used for"))
        self.use.set_choices([Choice(OWN, _("Own figures")), *(Choice(u.value, cost_sentences.use(u)) for u in Use)])
        self.use.chosen.connect(self._choose_use)
        self.users = self._row(_("Users"), "users", quantity.count(_("users")), slider_steps=round_between(10_000))
        self.active = self._row(_("Active at once"), "active_share", quantity.share(low=0.001))
        self.requests = self._row(
            _("Requests at once"), "requests_at_once", optional(quantity.count(high=1e7, example="12")), _("from users")
        )
        self.prompt = self._row(_("Prompt"), "prompt_tokens", optional(quantity.tokens()), _("= limit"))
        self.answer = self._row(_("Answer"), "output_tokens", quantity.tokens())
        self.context = self._row(
            _("Context limit"), "context_tokens", quantity.tokens(), slider_steps=halves_between(1024, 1_048_576)
        )
        self.prefix = self._row(_("Prefix cache hits"), "prefix_hit_share", quantity.share())
        self.first_token = self._row(_("First token within"), "ttft_target_s", quantity.seconds(), _("none"))
        self.speed = self._row(_("Speed per user"), "speed_target", quantity.speed(), _("none"))
        self.certainty = ComboPicker(theme, _("In so many cases"))
        self.certainty.set_choices([Choice(str(n), names.number().share(n / 100)) for n in CERTAINTIES])
        self.certainty.chosen.connect(
            lambda key: session.edit(_("In so many cases"), workload__target_percentile=int(key) / 100)
        )
        self.reserve = self._row(_("Growth reserve"), "reserve_share", quantity.share())
        self.rhythm = self._rhythm()
        self.tails = [
            self._row(_("Longest prompt of 100"), "prompt_tail_tokens", optional(quantity.tokens()), _("unknown")),
            self._row(_("Longest answer of 100"), "output_tail_tokens", optional(quantity.tokens()), _("unknown")),
        ]
        self.use_row = PickerRow(theme, _("Used for"), self.use)
        self.certainty_row = PickerRow(theme, _("In so many cases"), self.certainty, "workload__target_percentile")
        self.retrieval = RetrievalRows(session, theme)
        self.arrival = ComboPicker(theme, _("Requests come"))
        self.arrival.set_choices(
            [Choice(SPREAD, _("one by one")), Choice(TOGETHER, _("all at once, as in load tests"))]
        )
        self.arrival.chosen.connect(
            lambda key: session.edit(_("Requests come"), workload__start_together=key == TOGETHER)
        )
        self.arrival_row = PickerRow(theme, _("Requests come"), self.arrival)
        self._fill()

    def _row(
        self,
        text: str,
        field: str,
        kind: quantity.Quantity,
        placeholder: str = "",
        slider_steps: list[int] | None = None,
    ) -> QuantityRow:
        path = f"workload__{field}"
        return QuantityRow(
            self._session, self._theme, text, path, kind, slider_steps=slider_steps, placeholder=placeholder
        )

    def _rhythm(self) -> dict[str, QuantityRow]:
        """How often the users ask, by the key of the figure that stands in where nothing is said."""
        count = replace(quantity.plain("", "20", high=100_000), low=0.1)
        return {
            "demand.requests_per_day": self._row(_("Requests a day, each"), "demand__requests_per_day", count),
            "demand.busy_hour_share": self._row(
                _("Of these in the busiest hour"), "demand__busy_hour_share", quantity.share(1 / 24, optional=True)
            ),
            "demand.burst_factor": self._row(
                _("Busiest minute"), "demand__burst_factor", replace(quantity.ratio("3", 1, 100), unit="×")
            ),
            "demand.daily_share": self._row(
                _("Users on a day"), "demand__daily_share", quantity.share(0.001, optional=True)
            ),
            "demand.days_per_year": self._row(
                _("Working days"), "demand__days_per_year", replace(quantity.plain("", "220", high=366), low=1)
            ),
        }

    def _fill(self) -> None:
        rows: list[QWidget] = [
            self.use_row, self.users, self.active, self.requests, self.prompt, self.answer, self.context, self.prefix,
            self.first_token, self.speed, self.certainty_row, self.reserve, *self.retrieval.rows, *self.rhythm.values(),
            *self.tails, self.arrival_row,
        ]  # fmt: skip
        for row in rows:
            self.rows.addWidget(row)
        self._rows = [row for row in rows if isinstance(row, QuantityRow)]
        self.requests.set_caption(_("instead of users and share"))
        assert self.users.slider is not None
        more = [self.requests, self.certainty_row, self.reserve, *self.retrieval.rows, *self.rhythm.values()]
        self.more_toggled.connect(lambda: self.show_scenario(self._session.scenario))
        self.add_more([*more, *self.tails, self.arrival_row, self.users.slider])

    def _choose_use(self, key: str) -> None:
        """Take over the figures of a preset, or say that they come from none."""
        workload = self._session.scenario.workload
        if key == OWN:
            self._session.edit(_("Own figures"), workload__use=None)
        else:
            self._session.edit(cost_sentences.use(Use(key)), workload=with_use(workload, Use(key)))

    def show_scenario(self, scenario: Scenario) -> None:
        workload = scenario.workload
        direct = workload.requests_at_once is not None
        self.users.setVisible(not direct)
        self.active.setVisible(not direct)
        self.requests.setVisible(direct or self.shows_more)
        for row in self._rows:
            row.show_scenario(scenario)
        self.use.set_current(workload.use.value if workload.use else OWN, _name_of_use(workload))
        self.retrieval.show_scenario(scenario, self.shows_more)
        together = workload.start_together
        self.arrival.set_current(
            TOGETHER if together else SPREAD, _("all at once, as in load tests") if together else _("one by one")
        )
        percent = round(workload.target_percentile * 100)
        self.certainty.set_current(str(percent), names.number().share(percent / 100))
        number = names.number()
        users = ngettext("{number} user", "{number} users", workload.users).format(number=number.count(workload.users))
        if direct:
            at_once = workload.requests_at_once or 1
            users = ngettext("{number} request", "{number} requests", at_once).format(number=number.count(at_once))
        self.set_summary(f"{users} · {number.tokens(workload.context_tokens)}")

    def show_sizing(self, sizing: Sizing) -> None:
        requests, number = sizing.required_requests, names.number()
        text = ngettext("{number} request at once", "{number} requests at once", requests)
        caption, tip = text.format(number=number.count(requests)), ""
        cost = self._session.cost(sizing)
        if cost is not None:
            for key, row in self.rhythm.items():
                row.show_usual(cost.trace[key])
            hourly = number.significant(cost.trace["demand.requests_per_hour"])
            self.rhythm["demand.requests_per_day"].set_caption(_("{number} in the busiest hour").format(number=hourly))
        if cost is not None and cost.demand is not None:
            roads = _("{share} at once; Little’s law: {little}")
            caption = roads.format(share=number.count(cost.demand.by_share), little=number.count(cost.demand.by_little))
            tip = cost_sentences.two_roads(cost.demand)
        self.active.set_caption(caption)
        self.active.caption.setToolTip(tip)


def _name_of_use(workload: Workload) -> str:
    """The preset, and whether its figures still stand."""
    if workload.use is None:
        return _("Own figures")
    name = cost_sentences.use(workload.use)
    return name if with_use(workload, workload.use) == workload else _("{use}, changed").format(use=name)


def optional(kind: quantity.Quantity) -> quantity.Quantity:
    """The same kind of number, which may be left open."""
    return replace(kind, optional=True)

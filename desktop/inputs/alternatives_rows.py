"""What the own system is compared with: rented accelerators and hosted models, by rule or as chosen."""

from typing import Any

from PySide6.QtWidgets import QWidget

from core.catalogue.facts import Offer
from core.catalogue.records import Device
from core.language.messages import gettext as _
from core.language.messages import ngettext
from core.scenario import ApiChoice, CloudChoice, Scenario
from desktop.inputs import names
from desktop.inputs.deployment_section import device_of
from desktop.inputs.money import price
from desktop.inputs.rows import PickerRow, QuantityRow
from desktop.session import Session
from desktop.theme import Theme
from desktop.widgets import quantity
from desktop.widgets.choices import Choice
from desktop.widgets.picker import ComboPicker
from desktop.widgets.quantity import Quantity, Value

RULE, NOTHING, OWN = "auto", "none", "own"  # keys of what is no offer of the catalogue


class FirstOfRow(QuantityRow):
    """A number of the first alternative; giving one where none is chosen begins an offer of the client's own."""

    def __init__(
        self, session: Session, theme: Theme, text: str, path: str, field: str, kind: Quantity, placeholder: str = ""
    ) -> None:
        self._field = field
        super().__init__(session, theme, text, path, kind, placeholder=placeholder)

    def refusal(self, value: Value) -> str:
        return self._session.check(**{self.path: self._with(value)})

    def _on_edited(self, value: Value) -> None:
        self._session.edit(self._text, **{self.path: self._with(value)})

    def _with(self, value: Value) -> list[Any]:
        kept = self._chosen(self._session.scenario)
        items = [one.model_dump() for one in kept] or [{"name": _("Own offer")}]
        return [{**items[0], self._field: value}, *items[1:]]

    def _chosen(self, scenario: Scenario) -> tuple[CloudChoice, ...] | tuple[ApiChoice, ...]:
        economics = scenario.economics
        return (economics.cloud if self.path.endswith("cloud") else economics.api) or ()

    def _show(self, scenario: Scenario) -> None:
        chosen = self._chosen(scenario)
        self.edit.set_value(getattr(chosen[0], self._field) if chosen else None)


class AlternativesRows:
    """The rows of both alternatives."""

    def __init__(self, session: Session, theme: Theme) -> None:
        self._session = session
        self.cloud = ComboPicker(theme, _("Rented instead"), searchable=True)
        self.cloud.set_source(self._clouds)
        self.cloud.chosen.connect(self._choose_cloud)
        self.api = ComboPicker(theme, _("Hosted instead"), searchable=True)
        self.api.set_source(self._offers)
        self.api.chosen.connect(self._choose_api)
        cloud, api, known = "economics__cloud", "economics__api", _("offer")
        self.cloud_rows = [
            FirstOfRow(session, theme, _("Rent, hour and card"), cloud, "price", price("2.50", 0.1), known),
            FirstOfRow(session, theme, _("Hours a year"), cloud, "hours", _hours(), names.number().count(8760)),
            FirstOfRow(session, theme, _("Storage, traffic"), cloud, "extra_share", quantity.exact_share(), "30"),
        ]
        self.api_rows = [
            FirstOfRow(session, theme, _("Prompt, million"), api, "input_price", price("0.74", 0.1), known),
            FirstOfRow(session, theme, _("Answer, million"), api, "output_price", price("0.74", 0.1), known),
        ]
        self.rows: list[QWidget] = [
            PickerRow(theme, _("Rented instead"), self.cloud),
            *self.cloud_rows,
            PickerRow(theme, _("Hosted instead"), self.api),
            *self.api_rows,
        ]

    # -- choices ------------------------------------------------------------------------------------------------------

    def _device(self) -> Device | None:
        return device_of(self._session.catalogue, self._session.scenario.deployment.device)

    def _clouds(self) -> list[Choice]:
        device, number = self._device(), names.number()
        found = self._session.catalogue.facts.cloud([device.id, device.accelerator_id]) if device else ()
        return [
            Choice(RULE, _("By rule: cheapest, middle, dearest")),
            Choice(NOTHING, _("Not compared")),
            *(
                Choice(fact.id, _cloud_name(fact.provider, fact.billing), number.money(fact.middle, fact.currency))
                for fact in found
            ),
        ]

    def _offers(self) -> list[Choice]:
        own: dict[str, Offer] = self._session.catalogue.facts.offers
        return [
            Choice(RULE, _("By rule: who serves this model")),
            Choice(NOTHING, _("Not compared")),
            *(Choice(offer.id, offer.model, offer.provider) for offer in own.values()),
        ]

    def _choose_cloud(self, key: str) -> None:
        chosen: dict[str, Any] = {RULE: None, NOTHING: ()}
        if key not in chosen:
            chosen[key] = ({**self._kept(self._session.scenario.economics.cloud), "fact": key},)
        self._session.edit(_("Rented instead"), economics__cloud=chosen[key])

    def _choose_api(self, key: str) -> None:
        chosen: dict[str, Any] = {RULE: None, NOTHING: ()}
        if key not in chosen:
            chosen[key] = ({"offer": key},)
        self._session.edit(_("Hosted instead"), economics__api=chosen[key])

    @staticmethod
    def _kept(cloud: tuple[CloudChoice, ...] | None) -> dict[str, Any]:
        """Hours and extras hold for another provider as well; its price does not."""
        return {"hours": cloud[0].hours, "extra_share": cloud[0].extra_share} if cloud else {}

    # -- showing ------------------------------------------------------------------------------------------------------

    def show_scenario(self, scenario: Scenario) -> None:
        economics, facts = scenario.economics, self._session.catalogue.facts
        cloud, api = economics.cloud, economics.api
        fact = next((one for one in facts.cloud([*self._ids()]) if cloud and one.id == cloud[0].fact), None)
        name = _cloud_name(fact.provider, fact.billing) if fact else ""
        self.cloud.set_current(*_shown(cloud, name))
        offer = facts.offers.get(api[0].offer or "") if api else None
        self.api.set_current(*_shown(api, f"{offer.model}, {offer.provider}" if offer else ""))
        for row in (*self.cloud_rows, *self.api_rows):
            row.show_scenario(scenario)

    def _ids(self) -> list[str]:
        device = self._device()
        return [device.id, device.accelerator_id] if device else []


def _shown(chosen: tuple[Any, ...] | None, name: str) -> tuple[str, str]:
    """The key and the name of what is chosen; of several, the first and how many there are."""
    if chosen is None:
        return RULE, _("By rule")
    if not chosen:
        return NOTHING, _("Not compared")
    first = chosen[0]
    key = getattr(first, "fact", None) or getattr(first, "offer", None) or OWN
    text = first.name or name or _("Own offer")
    if len(chosen) > 1:
        more = ngettext("{name} and {number} more", "{name} and {number} more", len(chosen) - 1)
        text = more.format(name=text, number=len(chosen) - 1)
    return key, text


def _cloud_name(provider: str, billing: str) -> str:
    return f"{provider}, {billing.replace('_', ' ')}" if billing else provider


def _hours() -> Quantity:
    """Hours of a year, exact."""
    exact = price("8760", 100)
    return Quantity(
        read=exact.read, write=exact.write, example="8760", unit="h", step=100, low=1, high=8784, hint=exact.hint
    )

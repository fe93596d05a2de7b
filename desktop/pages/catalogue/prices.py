"""The figures of a price, and of what else the cost and the load are computed from."""

import re
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Any

from core.catalogue.fact_kinds import Condition, FactSection
from core.language import cost_sentences
from core.language.messages import gettext as _
from core.language.messages import ngettext
from core.language.numbers import current
from core.sizing.costs.report import AGEING, age_in_months
from desktop.pages.catalogue.figures import Data, Figure, FigureGroup, figure, listing, one_of, value_at, worded, words
from desktop.widgets import quantity
from desktop.widgets.quantity import Quantity, Value


def sections() -> dict[FactSection, str]:
    """Headings of the list, in its order."""
    return {
        FactSection.DEVICE_PRICE: _("Devices"),
        FactSection.INTEGRATOR: _("Servers of integrators"),
        FactSection.PARTS: _("Parts"),
        FactSection.SOFTWARE: _("Software"),
        FactSection.CLOUD: _("Rented accelerators"),
        FactSection.API: _("Hosted models"),
        FactSection.ELECTRICITY: _("Electricity"),
        FactSection.COLOCATION: _("Colocation"),
        FactSection.POWER: _("Power and cooling"),
        FactSection.FINANCE: _("Finance"),
        FactSection.CARBON: _("Carbon"),
        FactSection.USAGE: _("How people use models"),
        FactSection.CLAIM: _("Claims of vendors, not computed with"),
    }


def fact_name(fact: Any, catalogue: Any) -> str:
    """A price by what it is the price of."""
    devices = [catalogue.devices[id].name_alone for id in fact.devices if id in catalogue.devices]
    if fact.section is FactSection.DEVICE_PRICE and devices:
        return _listed(devices[0], cost_sentences.condition(fact.condition) if fact.condition else "", _region(fact))
    if fact.section is FactSection.CLOUD and devices and fact.provider:
        return _listed(devices[0], fact.provider, fact.billing.replace("_", " "))
    if fact.section is FactSection.API and fact.model and fact.direction:
        return _listed(fact.model, fact.provider, directions()[fact.direction.value])
    parts = fact.id.split("/")[-1].split(".")
    text = ", ".join(_spelled(part) for part in (parts[1:] or parts))
    return text[:1].upper() + text[1:]


def fact_short(fact: Any) -> str:
    """The figure, for lists."""
    if fact.low is None:
        return _("missing")
    high = fact.high if fact.high is not None else fact.low
    if fact.currency:
        low = current().money(fact.low, fact.currency)
        return low if fact.low == high else current().money_range(fact.low, high, fact.currency)
    low = _plain(fact.low)
    return low if fact.low == high else f"{low}–{_plain(high)}"


def directions() -> dict[str, str]:
    return {"input": _("prompt"), "output": _("answer"), "cached_input": _("cached prompt")}


def price_groups(data: Data, catalogue: Any) -> list[FigureGroup]:
    currency = str(data.get("currency") or "")
    devices: Mapping[str, str] = {one.id: one.name for one in catalogue.devices.values()}
    what = (
        _end("low", _("From"), currency),
        _end("high", _("To"), currency),
        _told(worded("unit", _("Counted per"), words(_("per device"), optional=False))),
        _told(worded("currency", _("Currency"), _currency())),
        _told(worded("region", _("Region"), words("EU", optional=False, most=20))),
        _told(worded("note", _("Note"), words(most=400))),
    )
    groups = [FigureGroup(_("Price") if currency else _("Figure"), what)]
    section = data["section"]
    if section == FactSection.DEVICE_PRICE:
        conditions = {one.value: cost_sentences.condition(one) for one in Condition}
        of_what = [_told(figure("condition", _("Condition"), one_of(conditions)))]
    elif section in (FactSection.CLOUD, FactSection.API):
        of_what = [_told(worded("provider", _("Provider"), words("ovhcloud")))]
    else:
        of_what = []
    if section in (FactSection.DEVICE_PRICE, FactSection.CLOUD):
        of_what.insert(
            0, _told(worded("devices", _("Device"), listing(lambda: devices, "RTX PRO 6000", optional=True), ()))
        )
    if section == FactSection.API:
        models = {one.id: one.name for one in catalogue.models.values()}
        of_what.insert(0, _told(worded("models", _("Model"), listing(lambda: models, "Qwen3-32B", optional=True), ())))
    return [*groups, FigureGroup(_("Of what"), tuple(of_what))] if of_what else groups


def price_age(data: Data, today: date) -> str:
    """How old a price is, as a line under it; nothing where it is new or has no date."""
    dated = str(value_at(data, "source.date") or "")
    if not dated:
        return _("Without a date nobody can tell how old it is.") if data.get("currency") else ""
    months = age_in_months(dated, today.isoformat())
    if not months:
        return ""
    text = ngettext("{months} month old", "{months} months old", months).format(months=current().count(months))
    return _("{age}: ask again before you offer it.").format(age=text) if months > AGEING else text


def blank_price() -> Data:
    return {
        "section": FactSection.DEVICE_PRICE,
        "low": None,
        "high": None,
        "unit": "per device",
        "currency": "EUR",
        "region": "world",
        "note": "",
        "condition": Condition.NEW,
        "devices": (),
        "provider": "",
        "source": {"title": "", "date": "", "confidence": "yours", "note": "", "address": "", "checks": ()},
    }


_SHORT = "gpu cpu vat pue ups ssd api rtx hgx dgx nvl ecc ram ddr4 ddr5 nvme us uk eu co2 it vcf vvf llm"
_LITTLE = "of to in or at by on no"
#: Names that are not written as an id writes them.
_NAMES = {
    "nvaie": "NVIDIA AI Enterprise",
    "vmware": "VMware",
    "redhat": "Red Hat",
    "tensorrt": "TensorRT",
    "sglang": "SGLang",
    "vllm": "vLLM",
    "lenovo": "Lenovo",
    "dell": "Dell",
    "mooncake": "Mooncake",
    "burstgpt": "BurstGPT",
    "azure": "Azure",
    "8gpu": "8 GPU",
}
_AMOUNT = re.compile(r"(\d+)(kva|kw|gb|tb|y)")
_UNITS = {"kva": "kVA", "kw": "kW", "gb": "GB", "tb": "TB", "y": "y"}


def _spelled(part: str) -> str:
    """A piece of an id in words: "eu" is the Union, "fr" a country, "3kva" an amount.

    >>> _spelled("vmware"), _spelled("de-offer"), _spelled("6kva"), _spelled("tensorrt-llm-open")
    ('VMware', 'DE offer', '6\\xa0kVA', 'TensorRT LLM open')
    """
    return " ".join(_word(word) for word in part.replace("_", "-").split("-"))


def _word(word: str) -> str:
    amount = _AMOUNT.fullmatch(word)
    if amount is not None:
        return f"{amount[1]}\N{NO-BREAK SPACE}{_UNITS[amount[2]]}"
    is_country = len(word) == 2 and word.isalpha() and word not in _LITTLE.split()
    return word.upper() if is_country or word in _SHORT.split() else _NAMES.get(word, word)


def _end(key: str, text: str, currency: str) -> Figure:
    def put(data: Data, value: Value) -> None:
        """A range never runs backwards: an end that passes the other takes it along."""
        amount = None if value is None else _exact(value)
        other = data.get("high" if key == "low" else "low")
        data[key] = amount
        if amount is None and key == "low":
            data["high"] = None
        elif amount is not None and other is not None and (amount > other) is (key == "low") and amount != other:
            data["high" if key == "low" else "low"] = amount
        elif amount is not None and key == "high" and other is None:
            data["low"] = amount

    def get(data: Data) -> Value:
        known = data.get(key)
        return None if known is None else float(known)

    kind = quantity.plain(currency, example="12,400", high=1e12, digits=4)
    return Figure(key, text, kind, get, put, "source")


def _told(one: Figure) -> Figure:
    """All of a price comes from one source."""
    return Figure(one.key, one.text, one.kind, one.get, one.put, "source")


def _currency() -> Quantity:
    from core.errors import InvalidInput

    def read(text: str, _comma: bool) -> str:
        code = text.strip().upper()
        if len(code) != 3 or not code.isalpha() or not code.isascii():
            raise InvalidInput(code)
        return code

    base = words("EUR")
    return type(base)(read, str, "EUR", optional=True, hint=_("Write three letters such as {example}. Keeping {kept}."))


def _exact(value: Value) -> Decimal:
    return Decimal(str(value))


def _region(fact: Any) -> str:
    return "" if fact.region == "world" else str(fact.region)


def _listed(*parts: str) -> str:
    return ", ".join(filter(None, parts))


def _plain(value: Decimal) -> str:
    return current().number(float(value)) if value != value.to_integral_value() else current().count(int(value))

"""What else to know: simplifications in force, doubts about the model, prices."""

from collections.abc import Iterator

from core.architecture.blueprint import NoteKind
from core.sizing.origins import catalogue_origin
from core.sizing.report import Finding, FindingKind
from core.sizing.rules.rule import is_article, note, rule, setup_rule
from core.sizing.situation import Setup, Situation
from core.trace import Recipe, Trace
from core.units import Unit

WIDE_PRICE = 1.5


@setup_rule(FindingKind.ARTICLE_MODE, 15, 25)
def article_mode(trace: Recipe, s: Setup) -> Iterator[Finding]:
    """The founding article's simplifications are in force."""
    if is_article(s):
        yield note(FindingKind.ARTICLE_MODE)


@setup_rule(FindingKind.MODEL_READ_WITH_WARNING, source="the reader of the model's own file")
def model_read_with_warning(trace: Recipe, s: Setup) -> Iterator[Finding]:
    """The model's file left something open; `subject` is "kind:subject" of the reader's note."""
    for remark in s.blueprint.warnings:
        if not (is_article(s) and remark.kind is NoteKind.TEXTBOOK):
            yield note(FindingKind.MODEL_READ_WITH_WARNING, subject=f"{remark.kind.value}:{remark.subject}")


@rule(FindingKind.PRICE_UNKNOWN, source="the catalogue of prices")
def price_unknown(trace: Trace, s: Situation) -> Iterator[Finding]:
    """No price is known: it is shown as missing, never as nothing."""
    if s.scenario.economics.price is None and s.setup.device.price is None:
        yield note(FindingKind.PRICE_UNKNOWN, subject=s.setup.device.name)


@rule(FindingKind.PRICE_RANGE_WIDE, source="the catalogue of prices")
def price_range_wide(trace: Trace, s: Situation) -> Iterator[Finding]:
    """The quotes for a device lie far apart."""
    quoted = s.setup.device.price
    if s.scenario.economics.price is not None or quoted is None:
        return
    source = catalogue_origin(s.setup.device, "price")
    trace.given("price.low", quoted.low, Unit.MONEY, source)
    trace.given("price.high", quoted.high, Unit.MONEY, source)
    if float(quoted.high) > WIDE_PRICE * float(quoted.low):
        yield note(FindingKind.PRICE_RANGE_WIDE, "price.low", "price.high", subject=s.setup.device.name)


RULES = (article_mode, model_read_with_warning, price_range_wide, price_unknown)

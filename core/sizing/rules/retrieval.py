"""Embedding model and reranker: with the language model on one card, or on a card of their own."""

from collections.abc import Iterator

from core.physics import memory as m
from core.scenario import Placement, Scenario
from core.sizing.companions import COMPANION_ITEMS
from core.sizing.memory import record_memory
from core.sizing.origins import METHOD
from core.sizing.report import Finding, FindingKind
from core.sizing.resolution import resolve
from core.sizing.rules.rule import note, reason, rule
from core.sizing.situation import Setup, Situation
from core.trace import Trace
from core.units import Unit


def _shares_a_card(s: Setup) -> bool:
    return any(companion.placement is Placement.SAME_CARD for companion in s.companions)


def _has_room(trace: Trace) -> bool:
    return bool(trace["accelerator.shortfall_bytes"] == 0 and trace["max_concurrency"] >= trace["requests_at_once"])


@rule(FindingKind.CO_LOCATE, 26)
def co_locate(trace: Trace, s: Situation) -> Iterator[Finding]:
    """A small platform of its own: embedding model, reranker and language model share one card."""
    if _shares_a_card(s.setup) and _has_room(trace):
        yield reason(FindingKind.CO_LOCATE, *COMPANION_ITEMS.values(), "max_concurrency", "requests_at_once")


@rule(FindingKind.SPLIT_RETRIEVAL, 26)
def split_retrieval(trace: Trace, s: Situation) -> Iterator[Finding]:
    """Beyond that scale, one card for the language model and another for the retrieval models."""
    if not _shares_a_card(s.setup) or _has_room(trace):
        return
    _record_apart(trace, s)
    if trace["apart.max_concurrency"] > trace["max_concurrency"]:
        yield note(FindingKind.SPLIT_RETRIEVAL, "max_concurrency", "apart.max_concurrency", "requests_at_once")


def _record_apart(trace: Trace, s: Situation) -> None:
    """Record how many requests fit once the companions stand elsewhere, with the plan that is best then."""
    situation, apart = resolve(with_retrieval_apart(s.scenario), s.setup.catalogue), Trace()
    record_memory(apart, situation)
    free, each = "accelerator.free_for_kv_bytes", "accelerator.bytes_per_request"
    trace.given("apart.free_for_kv_bytes", apart[free], Unit.BYTE, METHOD)
    trace.given("apart.bytes_per_request", apart[each], Unit.BYTE, METHOD)
    trace.given("apart.replicas", situation.setup.plan.groups, Unit.COUNT, METHOD)
    trace.compute(
        "apart.max_concurrency",
        m.requests_that_fit,
        free_bytes="apart.free_for_kv_bytes",
        bytes_per_request="apart.bytes_per_request",
        replicas="apart.replicas",
    )


def with_retrieval_apart(scenario: Scenario) -> Scenario:
    """The same scenario with every companion of the card on a card of its own."""
    moved = tuple(
        c.model_copy(update={"placement": Placement.SECOND_CARD}) if c.placement is Placement.SAME_CARD else c
        for c in scenario.companions
    )
    return scenario.model_copy(update={"companions": moved})


RULES = (split_retrieval, co_locate)

"""One candidate: hardware, plan, engine and formats. Every candidate is a scenario."""

from dataclasses import dataclass

from core.scenario import Companion, Deployment, Economics, Measurement, Placement, Scenario
from core.sizing.costs.bought import elsewhere
from core.sizing.search.layouts import Layout
from core.sizing.search.variants import Variant


@dataclass(frozen=True, slots=True)
class Candidate:
    """A layout with a variant; `index` is its place among all that were considered."""

    index: int
    layout: Layout
    variant: Variant

    @property
    def units(self) -> int:
        """Units to buy, the one that holds the retrieval models included."""
        return self.layout.units + self.variant.apart

    @property
    def order(self) -> tuple[object, ...]:
        """Decides between candidates with equal figures: the simplest plan, then names."""
        plan, variant = self.layout.plan, self.variant
        return (
            variant.apart, plan.copy_ranks, plan.attention_replicas, plan.expert, plan.tensor, not variant.published,
            variant.engine.name, variant.weights, variant.kv_format,
            self.layout.device.name, self.layout.nodes, self.layout.count, self.layout.device.id,
        )  # fmt: skip


def scenario_of(need: Scenario, candidate: Candidate) -> Scenario:
    """The need on this hardware, ready to be sized or opened.

    What the need says about its own hardware (link, plan, limits of memory) does not carry over to another.
    """
    variant = candidate.variant
    placed = with_layout(need, candidate.layout, variant.apart)
    return placed.model_copy(
        update={
            "weights": variant.weights,
            "kv_format": variant.kv_format,
            "deployment": placed.deployment.model_copy(update={"engine": variant.engine.id}),
            "measurements": pinned(need),
        }
    )


def with_layout(need: Scenario, layout: Layout, apart: bool) -> Scenario:
    """The need on a layout, whatever the engine and the formats."""
    return need.model_copy(
        update={
            "companions": tuple(_placed(companion, apart) for companion in need.companions),
            "deployment": Deployment.model_construct(
                **{
                    **_DEFAULTS,
                    "device": layout.device.id,
                    "count": layout.count,
                    "nodes": layout.nodes,
                    "plan": layout.plan,
                }
            ),
            "economics": economics_on(need, layout),
        }
    )


def pinned(need: Scenario) -> tuple[Measurement, ...]:
    """The user's own measurements with the machine that they were made on, where that was left to the scenario."""
    here = need.deployment
    return tuple(
        one.model_copy(
            update={
                "device": one.device or here.device,
                "count": one.count or here.count,
                "engine": one.engine or here.engine,
            }
        )
        for one in need.measurements
    )


_DEFAULTS = Deployment(device="any").model_dump()


def _placed(companion: Companion, apart: bool) -> Companion:
    if companion.placement is Placement.CPU:
        return companion
    return companion.model_copy(update={"placement": Placement.SECOND_CARD if apart else Placement.SAME_CARD})


def economics_on(need: Scenario, layout: Layout) -> Economics:
    """Prices and terms for a layout: what was said about other hardware says nothing about this."""
    own = need.deployment
    if own.device != layout.device.id:
        return elsewhere(need.economics, False)
    if (own.count, own.nodes) != (layout.count, layout.nodes):
        return elsewhere(need.economics, True)
    return need.economics

"""What is asked: the need (a scenario), what the answer must respect, and by what it is ranked. JSON both ways."""

from decimal import Decimal
from enum import StrEnum

from pydantic import Field

from core.catalogue.records import DeviceKind
from core.scenario import Choice, Name, Scenario
from core.sizing.concurrency import Redundancy

#: Where one site may fail.
SITES = 2


class Ranking(StrEnum):
    """By what the answers are put in order; equal ones by speed, then by price."""

    COST = "cost"  # of a million tokens of the client's own demand; of a year where it is not known
    PRICE = "price"  # to buy, with everything that belongs to it
    SPEED = "speed"  # tokens per second of one user
    ENERGY = "energy"  # of a million tokens of the client's own demand; at full load where it is not known


class Limits(Choice):
    """What rules hardware out, whatever it can do. None and empty: anything."""

    budget: Decimal | None = Field(default=None, ge=0, le=10**12)  # in the currency of the scenario's economics
    power_w: float | None = Field(default=None, gt=0, le=1e9)  # under load
    noise_dba: float | None = Field(default=None, gt=0, le=200)
    kinds: tuple[DeviceKind, ...] = ()
    vendors: tuple[Name, ...] = Field(default=(), max_length=50)
    devices: tuple[Name, ...] = Field(default=(), max_length=500)  # catalogue ids
    most_units: int = Field(default=72, ge=1, le=72)  # cards or machines
    most_machines: int = Field(default=72, ge=1, le=72)


class SearchRequest(Choice):
    """A question to the whole catalogue.

    scenario      its model, companions, workload, targets, reserve and economics are the need; its hardware does not
                  matter. Targets must be met in the share of cases that the workload names
    limits        what rules hardware out
    ranking       by what the answers are put in order
    redundancy    what may fail without the targets being missed; two sites each get everything
    weights       formats to choose from; None: the published ones, and the usual ones of each engine
    least_bits    of a weight, where `weights` leaves the choice open
    kv_formats    formats of the cache to choose from; None: 16 and 8 bit, as each engine keeps them
    engines       to choose from; None: the scenario's own serving engine (else vLLM), llama.cpp and MLX
    most_answers  rows of the ranked list; the best of each device and the best speeds for their price come on top
    """

    scenario: Scenario
    limits: Limits = Limits()
    ranking: Ranking = Ranking.COST
    redundancy: Redundancy = Redundancy.NONE
    weights: tuple[Name, ...] | None = Field(default=None, max_length=50)
    least_bits: float = Field(default=4.0, gt=0, le=32)
    kv_formats: tuple[Name, ...] | None = Field(default=None, max_length=20)
    engines: tuple[Name, ...] | None = Field(default=None, max_length=20)
    most_answers: int = Field(default=20, ge=1, le=1000)

    @property
    def need(self) -> Scenario:
        """The scenario, bought for as many sites as it is asked for."""
        economics = self.scenario.economics
        if self.redundancy is not Redundancy.TWO_SITES or economics.sites > 1:
            return self.scenario
        return self.scenario.model_copy(update={"economics": economics.model_copy(update={"sites": SITES})})

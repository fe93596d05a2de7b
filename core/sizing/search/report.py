"""What a search returns: answers in order, what lacks a fact, what was ruled out and by what number.

Words are put to these in `core.language.search_sentences`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from core.catalogue.records import Device
from core.scenario import Scenario
from core.sizing.search.candidates import Candidate
from core.sizing.search.evaluate import Evaluation
from core.sizing.search.need import Need
from core.sizing.search.request import SearchRequest
from core.sizing.search.supply import Supply


class Fact(StrEnum):
    """What the catalogue may not know about a device."""

    PRICE = "price"
    POWER = "power"
    NOISE = "noise"


class Exclusion(StrEnum):
    """What rules hardware out, the nearest miss first."""

    FIRST_TOKEN = "first_token"  # nosec: later than the target
    SPEED = "speed"  # slower than the target
    RESERVE = "reserve"  # holds the work, not the growth
    BUDGET = "budget"
    POWER = "power"
    NOISE = "noise"
    SPARE = "spare"  # comes alone: nothing is left when it fails
    MEMORY = "memory"
    FIGURES = "figures"  # no computing rate in the catalogue
    SOFTWARE = "software"  # no engine of the request runs on it with these formats


@dataclass(frozen=True, slots=True)
class Kind:
    """So many units of one device: what is bought. Answers compete within it by plan, engine and formats.

    supply     facts of the cheapest way to buy it
    supplies   of each way: with retrieval models on a unit of their own or not, with bridges between cards or not
    """

    device: Device
    units: int
    supply: Supply
    supplies: Mapping[tuple[bool, bool], Supply]

    @property
    def order(self) -> tuple[object, ...]:
        """Decides between kinds with equal figures: less power, newer, name."""
        power = self.supply.power_w
        return (power is None, power or 0.0, -(self.device.release_year or 0), self.device.name, self.units,
                self.device.id)  # fmt: skip


@dataclass(frozen=True, slots=True)
class RuledOut:
    """Hardware that is no answer, with the candidate of it that comes closest.

    asked, reached   the number that was asked for and the one that it has, in the unit of the exclusion
    at_best          `reached` is a bound: no candidate of this kind can do better
    """

    kind: Kind
    by: Exclusion
    asked: float = 0.0
    reached: float = 0.0
    at_best: bool = False
    candidate: Candidate | None = None

    @property
    def miss(self) -> float:
        """How far off, as a ratio of one or more."""
        low, high = sorted((abs(self.asked), abs(self.reached)))
        return high / low if low > 0 else float("inf")


@dataclass(frozen=True, slots=True)
class Answer:
    """Hardware that meets the need, with the plan, engine and formats that do it best.

    best_for_its_price   nothing cheaper is as fast
    best_of_device       no other number of this device ranks before it
    unknown              facts that the question needs and the catalogue lacks
    """

    evaluation: Evaluation
    kind: Kind
    best_for_its_price: bool = False
    best_of_device: bool = False
    unknown: frozenset[Fact] = frozenset()

    @property
    def scenario(self) -> Scenario:
        """The answer, ready to be opened."""
        return self.evaluation.scenario


@dataclass(frozen=True, slots=True)
class HardwareFound:
    """The answer to a search for hardware.

    need        the client's demand, over which costs and energies count
    answers     in order; the first `most_answers`, the best of each device, and every best speed for its price
    unknown     the smallest number of each device that meets everything that is known about it, in the same order
    ruled_out   the rest, nearest miss first
    behind      kinds that meet the need or might, and that a bound proves to rank behind `answers`
    candidates  distinct combinations of device, number, plan, formats and engine that were considered
    sized       of them in full; the others were ruled out or ranked behind by a bound
    """

    request: SearchRequest
    need: Need
    answers: tuple[Answer, ...]
    unknown: tuple[Answer, ...]
    ruled_out: tuple[RuledOut, ...]
    behind: int
    candidates: int
    sized: int

    @property
    def counts_electricity(self) -> bool:
        """Is the price of a kilowatt-hour known, so that costs hold electricity?"""
        return any(answer.evaluation.supply.tariff is not None for answer in (*self.answers, *self.unknown))

    @property
    def best(self) -> Answer | None:
        return self.answers[0] if self.answers else None

    @property
    def best_of_each(self) -> tuple[Answer, ...]:
        """One answer a device, and every best speed for its price."""
        return tuple(answer for answer in self.answers if answer.best_of_device or answer.best_for_its_price)

    @property
    def nearest_misses(self) -> tuple[RuledOut, ...]:
        """One a device, for devices that are in no answer: what tempts first, since it costs no more than what does it.

        What is ruled out and costs more than the best answer as well (72 cards that are almost fast enough) is no near
        miss, unless it is the budget that rules it out.
        """
        answered = {answer.kind.device.id for answer in (*self.answers, *self.unknown)}
        nearest: dict[str, RuledOut] = {}
        for miss in sorted(self.ruled_out, key=self._is_out_of_reach):
            if miss.kind.device.id not in answered:
                nearest.setdefault(miss.kind.device.id, miss)
        return tuple(nearest.values())

    def _is_out_of_reach(self, miss: RuledOut) -> bool:
        if miss.by is Exclusion.BUDGET or self.best is None:
            return False
        most, costs = self.best.evaluation.supply.price, miss.kind.supply.price
        return most is not None and (costs is None or costs > most)

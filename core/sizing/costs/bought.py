"""What a scenario buys: its devices, the card for retrieval models beside them, and the same again at other sites."""

from dataclasses import dataclass
from functools import lru_cache

from core.catalogue.catalogue import Catalogue
from core.catalogue.records import Device, DeviceKind, Link
from core.scenario import Economics, LineKind, Placement, Scenario
from core.sizing.report import Sizing

#: Lines of a bill that are no things.
SERVICES = (LineKind.SERVICES, LineKind.SOFTWARE)
#: Cards that one server takes.
CARDS_IN_A_SERVER = 8
#: A share of time that is most of it.
MOSTLY = 0.5


@dataclass(frozen=True, slots=True)
class Bought:
    """The hardware of a scenario, as a bill of materials and a power draw see it.

    device         the catalogue's record
    link           joins the accelerators of one machine; None where nothing does
    accelerators   that hold the model, all copies together
    reads          do prompts take most of the time of a system that is always busy, or do answers?
    """

    scenario: Scenario
    device: Device
    link: Link | None
    accelerators: int
    reads: bool = False

    @property
    def beside(self) -> int:
        """Devices beside those of the model: one where retrieval models stand on a card of their own."""
        return int(any(companion.placement is Placement.SECOND_CARD for companion in self.scenario.companions))

    @property
    def sites(self) -> int:
        """Places that each get all of it."""
        return self.scenario.economics.sites

    @property
    def units(self) -> int:
        """Devices at one site."""
        deployment = self.scenario.deployment
        return deployment.count * deployment.nodes + self.beside

    @property
    def servers(self) -> tuple[tuple[int, int], ...]:
        """How many machines with how many devices each stand at one site: a further card finds a place or gets one."""
        count, nodes = self.scenario.deployment.count, self.scenario.deployment.nodes
        if self.device.kind not in (DeviceKind.CARD, DeviceKind.MODULE):
            return ((self.units, 1),)
        if self.beside and nodes == 1 and count < CARDS_IN_A_SERVER and self.device.kind is DeviceKind.CARD:
            return ((1, count + 1),)
        return ((nodes, count), (1, 1)) if self.beside else ((nodes, count),)

    @property
    def machines(self) -> int:
        """Machines at one site."""
        return sum(number for number, _ in self.servers)


def bought_of(sizing: Sizing, catalogue: Catalogue) -> Bought:
    """What a sized scenario buys."""
    return Bought(
        scenario=sizing.scenario,
        device=catalogue.device(sizing.scenario.deployment.device),
        link=sizing.link,
        accelerators=int(sizing.trace["deployment.accelerators"]),
        reads=sizing.trace.get("saturated.prompt_share", 0.0) > MOSTLY,
    )


@lru_cache(maxsize=16)
def elsewhere(said: Economics, same_device: bool) -> Economics:
    """Prices and terms for other hardware: without lines that are things, watts, carbon; for another device its price.

    Parameters
    ----------
    said : about the hardware of a scenario
    same_device : is the other hardware a number of the same device?

    Returns
    -------
    what holds for it as well
    """
    services = tuple(line for line in said.lines or () if line.yearly or line.kind in SERVICES)
    changes: dict[str, object] = {
        "lines": None,
        "further_lines": (*services, *said.further_lines),
        "idle_power_w": None,
        "busy_power_w": None,
        "embodied_kg": None,
    }
    if not same_device:
        changes |= {"price": None, "cloud": None}
    return said.model_copy(update=changes)

"""What a scenario buys: its devices, the card for retrieval models beside them, and the same again at other sites."""

from dataclasses import dataclass

from core.catalogue.catalogue import Catalogue
from core.catalogue.records import Device, DeviceKind, Link
from core.scenario import Placement, Scenario
from core.sizing.report import Sizing

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

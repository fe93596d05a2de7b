"""Which link joins the accelerators of a group."""

from dataclasses import dataclass

from core.catalogue.catalogue import Catalogue
from core.catalogue.records import Device, Link, LinkKind
from core.errors import InvalidInput

BETWEEN_MACHINES = (LinkKind.NETWORK, LinkKind.THUNDERBOLT)
FAST = (LinkKind.NVLINK, LinkKind.FABRIC)

#: PCIe by its rate in one direction, for devices whose record names no PCIe link [byte/s].
PCIE = {
    15.75e9: "pcie-gen3-x16",
    31.5e9: "pcie-gen4-x16",
    63.0e9: "pcie-gen5-x16",
    121.0e9: "pcie-gen6-x16",
}


@dataclass(frozen=True, slots=True)
class Links:
    """The links of a device inside one machine, and the one that was chosen, if any."""

    device: Device
    catalogue: Catalogue
    chosen: Link | None

    def joining(self, accelerators: int, tensor: int = 1) -> Link | None:
        """The first of the device's links that reaches so many accelerators, else PCIe; None for one alone.

        A chosen link is taken as it is, unless it cannot join the tensor-parallel group.

        Parameters
        ----------
        accelerators : in the group that shares a model
        tensor : of them, in one tensor-parallel group

        Returns
        -------
        the link
        """
        if self.chosen is not None:
            reach = self.chosen.max_domain
            if reach is not None and tensor > max(1, reach):
                raise InvalidInput(
                    "{chosen} joins {reach} accelerators, the plan splits each layer over {tensor}.",
                    "deployment.link",
                    chosen=self.chosen.name,
                    reach=reach,
                    tensor=tensor,
                )
            return self.chosen
        if accelerators == 1:
            return None
        for link in self._offered():
            if link.max_domain is None or link.max_domain >= accelerators:
                return link
        return self._pcie()

    def fast_domain(self, accelerators: int) -> int:
        """How many of so many accelerators one NVLink or fabric domain joins; 1 where only PCIe or a network does."""
        offered = [self.chosen] if self.chosen else self._offered()
        return max([min(link.max_domain or accelerators, accelerators) for link in offered if link.kind in FAST] or [1])

    def _offered(self) -> list[Link]:
        return [link for link in map(self.catalogue.link, self.device.links) if link.kind is not LinkKind.C2C]

    def _pcie(self) -> Link:
        rate = self.device.pcie_bytes_per_s_per_direction
        if rate not in PCIE:
            raise InvalidInput(
                "The catalogue names no link between several {device}: choose one.",
                "deployment.link",
                device=self.device.name,
            )
        return self.catalogue.link(PCIE[rate])

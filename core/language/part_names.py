"""What the parts are called that a bill of materials proposes, by the facts that their prices come from."""

from core.language.messages import gettext as _
from core.language.messages import marked

_PARTS = {
    # machines and what they are built from
    "bom.host.2gpu-2u-complete": marked("Server for two cards, 2U, without them"),
    "bom.host.4gpu-4u-complete": marked("Server for four cards, 4U, without them"),
    "bom.host.8gpu-pcie-4u-complete": marked("Server for eight cards, 4U, without them"),
    "bom.system.2x-rtx5090-rig": marked("Workstation with two RTX 5090"),
    "bom.system.4x-rtx6000ada-ws": marked("Workstation with four RTX 6000 Ada"),
    "bom.system.4x-a100-refurb": marked("Server with four A100, refurbished"),
    "bom.system.8x-l40s-4u": marked("Server with eight L40S, 4U"),
    "bom.system.2x-epyc9354-1u-768gb": marked("Server without accelerators, two EPYC 9354, 768 GB"),
    "bom.chassis.4u-tower-rack": marked("Workstation: tower"),
    "bom.chassis.1u-10bay": marked("Chassis, 1U, ten drives"),
    "bom.chassis.4u-8gpu-pcie": marked("Chassis for eight cards, 4U"),
    "bom.board.threadripper-wrx90": marked("Workstation: board, seven slots (WRX90)"),
    "bom.board.epyc-sp5-1s": marked("Board, EPYC, one socket"),
    "bom.board.xeon-2s": marked("Board, Xeon, two sockets"),
    "bom.cpu.threadripper-pro-7975wx": marked("Workstation: processor, 32 cores (Threadripper PRO)"),
    "bom.cpu.threadripper-pro-7995wx": marked("Processor, 96 cores (Threadripper PRO 7995WX)"),
    "bom.cpu.ryzen-9950x": marked("Processor, 16 cores (Ryzen 9 9950X)"),
    "bom.cpu.epyc-7543-used": marked("Processor, 32 cores (EPYC 7543), used"),
    "bom.cpu.epyc-9354": marked("Processor, 32 cores (EPYC 9354)"),
    "bom.cpu.epyc-9654": marked("Processor, 96 cores (EPYC 9654)"),
    "bom.cpu.epyc-9755": marked("Processor, 128 cores (EPYC 9755)"),
    "bom.cpu.xeon-6430": marked("Processor, 32 cores (Xeon 6430)"),
    "bom.ram.ddr5-rdimm.spot": marked("Memory, DDR5 RDIMM (GB)"),
    "bom.ram.ddr5-rdimm.256gb-module": marked("Memory, DDR5 RDIMM in modules of 256 GB (GB)"),
    "bom.ram.ddr5-rdimm.late-2025": marked("Memory, DDR5 RDIMM, late in 2025 (GB)"),
    "bom.ram.ddr5-rdimm.pre-crisis": marked("Memory, DDR5 RDIMM, before the rise (GB)"),
    "bom.ram.ddr5-desktop": marked("Memory, DDR5 of desktops (GB)"),
    "bom.nvme.consumer": marked("Flash, NVMe (TB)"),
    "bom.nvme.enterprise-30tb": marked("Flash, NVMe for servers (TB)"),
    "bom.nvme.enterprise.pre-crisis": marked("Flash, NVMe for servers, before the rise (TB)"),
    "bom.storage.2u-24x15tb-node": marked("Storage server, 368 TB"),
    # power, rack, cooling
    "bom.psu.redundant": marked("Power supply (kW)"),
    "bom.ups.3kva": marked("Uninterruptible power supply, 3 kVA"),
    "bom.ups.6kva": marked("Uninterruptible power supply, 6 kVA"),
    "bom.ups.10kva": marked("Uninterruptible power supply, 10 kVA"),
    "bom.pdu.7kw-switched": marked("Power distribution, 7 kW"),
    "bom.pdu.22kw-3phase": marked("Power distribution, 22 kW, three phases"),
    "bom.rack.42u": marked("Rack, 42U"),
    "bom.cooling.cold-plate": marked("Cold plate, each socket"),
    # network
    "bom.nic.10g-x710": marked("Network adapter, 10 Gb/s"),
    "bom.nic.25g-dual": marked("Network adapter, 25 Gb/s"),
    "bom.nic.100g-cx5-used": marked("Network adapter, 100 Gb/s, used"),
    "bom.nic.100g-e810-dual": marked("Network adapter, 100 Gb/s"),
    "bom.nic.200g-cx6": marked("Network adapter, 200 Gb/s"),
    "bom.nic.400g-cx7": marked("Network adapter, 400 Gb/s"),
    "bom.cable.dac-25g": marked("Network cable, 25 Gb/s"),
    "bom.cable.dac-100g": marked("Network cable, 100 Gb/s"),
    "bom.cable.aoc-200g": marked("Network cable, 200 Gb/s"),
    "bom.switch.25g-48port": marked("Network switch, 25 Gb/s, 48 ports"),
    "bom.switch.100g-4port": marked("Network switch, 100 Gb/s, 4 ports"),
    "bom.switch.200g-ib-40port": marked("Network switch, InfiniBand, 40 ports"),
    "bom.switch.400g-64port": marked("Network switch, 400 Gb/s, 64 ports"),
    "bom.nvlink-bridge.h200-nvl-2way": marked("NVLink bridge for two cards"),
    "bom.nvlink-bridge.h100-pcie": marked("NVLink bridge for two cards"),
    # software
    "software.nvaie.subscription-1y": marked("NVIDIA AI Enterprise, one year"),
    "software.nvaie.subscription-5y": marked("NVIDIA AI Enterprise, five years"),
    "software.nvaie.perpetual-5y-support": marked("NVIDIA AI Enterprise, bought, five years of support"),
    "software.nvaie.edu-inception": marked("NVIDIA AI Enterprise, one year, for teaching and start-ups"),
    "software.vmware.vcf": marked("VMware Cloud Foundation, each core"),
    "software.vmware.vcf-realised": marked("VMware Cloud Foundation, each core, as paid"),
    "software.vmware.vvf": marked("VMware vSphere Foundation, each core"),
}


#: The part of which every workstation has one.
TOWER = "bom.chassis.4u-tower-rack"


def part_name(fact: str) -> str:
    """The name of a part by the id of its fact; empty where it has none of its own.

    >>> part_name("bom.psu.redundant"), part_name("price.l40s.new")
    ('Power supply (kW)', '')
    """
    return _(_PARTS[fact]) if fact in _PARTS else ""

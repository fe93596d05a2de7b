"""The machine of a record: device, number, link, plan and engine, as a scenario has them."""

import re
from dataclasses import dataclass
from statistics import median

from core.catalogue.catalogue import Catalogue
from core.catalogue.records import Device, DeviceFamily, DeviceKind, Engine, LinkKind, MemoryTier
from core.catalogue.tables import Table
from core.scenario import Plan
from core.sizing.links import PCIE
from core.units import GB
from tests.accuracy.records import Record, Unusable

#: Memory of a device that nobody named, where only bytes that do not depend on it are asked for.
UNLIMITED_BYTES = 10**14
UNNAMED = "unnamed"
#: Devices meant where a source names none; labels closer than this are the same.
NVIDIA = (DeviceFamily.NVIDIA_HBM, DeviceFamily.NVIDIA_GDDR)
SAME_LABEL = 0.005

_BACK_ENDS = {"cuda": "cuda", "rocm": "rocm", "hip": "rocm", "vulkan": "vulkan", "sycl": "sycl", "metal": "metal"}
_BACK_ENDS |= {"xpu": "xpu"}
_LINK_KINDS = (
    ("nvlink", (LinkKind.NVLINK,)),
    ("xgmi", (LinkKind.FABRIC,)),
    ("infinity", (LinkKind.FABRIC,)),
    ("gaudi", (LinkKind.FABRIC,)),
    ("ici", (LinkKind.FABRIC,)),
    ("thunderbolt", (LinkKind.THUNDERBOLT,)),
    ("pcie", (LinkKind.PCIE,)),
    ("connectx", (LinkKind.NETWORK,)),
    ("gbe", (LinkKind.NETWORK,)),
    ("ethernet", (LinkKind.NETWORK,)),
    ("infiniband", (LinkKind.NETWORK,)),
)
#: Words for messages through the system's IP stack, unless RDMA is named: its ports bonded are one interface of that
#: stack, which NCCL reaches by sockets only. What the catalogue has of kernel TCP ends at 25 Gb/s, about one stream.
_SOCKETS = re.compile(r"\b(tcp|sockets?|bond(ed|ing)?)\b", re.IGNORECASE)
_RDMA = re.compile(r"roce|rdma|infiniband", re.IGNORECASE)
BY_SOCKETS = "ethernet-25g"

#: Builds of llama.cpp of before September 2025 that were asked for flash attention: this generation tells apart how
#: they read prompts only, so that tables have no line of its own for it.
ASKED = "flash-attention-asked"
_POWER_CAP = re.compile(r"\b(\d{2,4}) W (?:power cap|per card)")
#: Weight formats that stand in GGUF files.
_OF_GGUF = re.compile(r"\bgguf\b|\bI?Q\d(_\w+)\b", re.IGNORECASE)


def find_engine(record: Record, catalogue: Catalogue) -> Engine:
    """The engine with the back end and generation of the record; an unofficial port is an engine of its own.

    One that nobody knows works like llama.cpp where it loads the formats of GGUF files, else like the generic server.
    """
    name = record.text("engine_id").lower()
    if not name:
        raise Unusable("the record names no engine")
    known, back_end = catalogue.names.resolve(Table.ENGINES, name), ""
    stem, _, tail = name.rpartition("-")
    if tail in _BACK_ENDS:
        back_end = _BACK_ENDS[tail]
        known = catalogue.names.resolve(Table.ENGINES, stem)
        name = stem
    if known is None:
        relative = next((id for id in catalogue.engines if id != "generic" and id in name), None)
        relative = relative or ("llama.cpp" if _OF_GGUF.search(record.text("quant")) else "generic")
        engine = catalogue.engines[relative].model_copy(
            update={"id": _identity(name), "name": name[:120], "aliases": ()}
        )
    else:
        engine = catalogue.engines[known]
    if not back_end and not record.text("device_id"):  # the family of a device that is not named says nothing
        words = re.findall(r"[a-z]+", record.text("hardware").lower())
        back_end = next((_BACK_ENDS[word] for word in words if word in _BACK_ENDS), "")
    own = {"back_end": back_end, "generation": generation(record, engine.group)}
    changes = {field: value for field, value in own.items() if value}
    return engine.model_copy(update=changes) if changes else engine


def within_power(device: Device, record: Record) -> Device:
    """The device with the power that the notes allow it, where they name a cap below its label."""
    found = _POWER_CAP.search(record.text("notes"))
    cap = float(found[1]) if found else None
    if cap is None or (device.tdp_w and cap >= device.tdp_w):
        return device
    return device.model_copy(update={"tdp_w": cap})


def generation(record: Record, group: str) -> str:
    """The generation that an engine belongs to by its date; llama.cpp also by its attention. Empty: today's.

    llama.cpp uses flash attention by itself since September 2025; before, only where it was asked to. Since then it
    also sorts the tokens of experts on the accelerator (pull requests 15427, 15524, 15525).
    """
    date, notes = record.text("date"), record.text("notes").lower()
    if group == "serving":
        return "serving-2023" if date and date[:4] <= "2024" else ""
    if group != "llama.cpp":
        return ""
    stated = record.part("flags").fields.get("flash_attn")
    old, asked = bool(date) and date[:7] < "2025-09", "fa=1" in notes or stated == 1
    if "flash attention off" in notes or "fa=0" in notes or stated == 0 or (old and not asked):
        return "flash-attention-off"
    return ASKED if old else ""


def _identity(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9._/+-]", "-", name).strip("-.")[:100] or "unknown"


def find_device(record: Record, catalogue: Catalogue) -> Device | None:
    """The device; None where the record names none."""
    name = record.text("device_id")
    if not name:
        return None
    known = catalogue.names.resolve(Table.DEVICES, name)
    if known is None:
        raise Unusable(f"the device “{name[:60]}” is not in the catalogue")
    return catalogue.devices[known]


def unnamed_device(capacity_bytes: int = UNLIMITED_BYTES) -> Device:
    """Stands for a device that is not named; its rates mean nothing, its memory only where the record gives it."""
    tier = MemoryTier(name="memory", kind="gddr", capacity_bytes=capacity_bytes, bandwidth_bytes_per_s=1e12)
    return Device(
        id=UNNAMED,
        name="Device without a name",
        vendor="unnamed",
        kind=DeviceKind.CARD,
        family=DeviceFamily.NVIDIA_GDDR,
        architecture="unnamed",
        memory_tiers=(tier,),
        peak_flops={"fp16": 1e14},
        pcie_bytes_per_s_per_direction=31.5e9,
    )


def labelled_bytes(label_gb: float, catalogue: Catalogue) -> int:
    """What software sees of an NVIDIA device with this size on its label: the median of those in the catalogue.

    A label counts in 2**30 bytes or in 10**9: of 24 GB software sees 22.0 to 23.6 GiB, of 80 GB 79.2.
    """
    seen = sorted(
        device.memory_tiers[0].usable_bytes or 0
        for device in catalogue.devices.values()
        if device.family in NVIDIA and device.memory_tiers and device.memory_tiers[0].usable_bytes
        if abs(device.memory_tiers[0].capacity_bytes / GB / label_gb - 1) < SAME_LABEL
    )
    return round(median(seen)) if seen else round(label_gb * GB)


@dataclass(frozen=True, slots=True)
class Spread:
    """Over how many accelerators a model is spread, and how."""

    count: int
    plan: Plan


def read_spread(record: Record, engine: Engine) -> Spread:
    """Number of accelerators and plan; what llama.cpp is not told to divide otherwise, it splits by layers."""
    split = record.part("parallelism") if "parallelism" in record.fields else record
    tensor, pipeline = split.count("tp", 1) or 1, split.count("pp", 1) or 1
    data, experts = split.count("dp", 1) or 1, split.count("ep", 1) or 1
    count = record.count("n_gpus", record.count("device_count", tensor * pipeline * data)) or 1
    if record.part("flags").flag("expert_parallel"):
        experts = tensor * data
    if record.part("flags").flag("dp_attention") and tensor % data == 0:  # SGLang counts all ranks of a layer as TP
        tensor, experts = tensor // data, tensor
    attention = data if experts > 1 else 1
    rest, odd = divmod(count, tensor * pipeline * attention)
    if odd or rest < data // attention or (tensor * attention) % experts:
        raise Unusable(f"{count} accelerators do not go with TP {tensor}, PP {pipeline}, DP {data}, EP {experts}")
    if rest > 1 and data == 1 and pipeline == 1 and engine.group in ("llama.cpp", "mlx") and tensor == 1:
        pipeline, rest = rest, 1
    plan = Plan(tensor=tensor, pipeline=pipeline, replicas=rest, attention_replicas=attention, expert=experts)
    return Spread(count, plan)


def usual_link(device: Device, spread: Spread, catalogue: Catalogue) -> str | None:
    """The link of accelerators of which nobody says how they are joined: modules have their own, cards PCIe.

    None for one alone, and where the device's first link that reaches all of them is meant.
    """
    offered = [catalogue.link(name).kind for name in device.links]
    if spread.count == 1 or (device.kind is DeviceKind.MODULE and LinkKind.NVLINK in offered):
        return None
    return "pcie-gen4-x16"


def network_by_rate(text: str, device: Device, catalogue: Catalogue) -> str:
    """The network of a device's machine that has the rate in a text: "400 Gb/s"."""
    rate = re.search(r"(\d+)\s*Gb", text)
    if rate is not None:
        for link in (catalogue.link(name) for name in device.network_links):
            if link.bytes_per_s_per_direction == float(rate[1]) * 1e9 / 8:
                return link.id
    raise Unusable(f"the device has no network such as “{text[:40]}”")


def machines_of(device: Device, count: int, catalogue: Catalogue) -> int:
    """Machines that so many modules stand in, where nobody says it: NVLink of one machine joins no more of them."""
    reach = [
        link.max_domain or count for name in device.links if (link := catalogue.link(name)).kind is LinkKind.NVLINK
    ]
    beyond = device.kind is DeviceKind.MODULE and reach and count > max(reach) and count % max(reach) == 0
    return count // max(reach) if beyond else 1


def find_link(text: str, device: Device, catalogue: Catalogue) -> str | None:
    """The device's link of the kind that a source names; None where it names none or the device has none such.

    A network without RDMA is no faster than the catalogue's fastest one of kernel TCP.
    """
    kinds = next((kinds for word, kinds in _LINK_KINDS if word in text.lower()), None)
    if kinds is None:
        return None
    offered = [catalogue.link(name) for name in (*device.links, *device.network_links)]
    of_kind = [link for link in offered if link.kind in kinds]
    rate = re.search(r"(\d+)\s*g", text.lower())
    if rate and len(of_kind) > 1:
        wanted = float(rate[1]) * 1e9 / 8
        of_kind.sort(key=lambda link: abs(link.bytes_per_s_per_direction - wanted))
    if not of_kind and LinkKind.PCIE in kinds:
        return PCIE.get(device.pcie_bytes_per_s_per_direction or 0.0)
    if not of_kind:
        return None
    by_sockets = of_kind[0].kind is LinkKind.NETWORK and _SOCKETS.search(text) and not _RDMA.search(text)
    slower = of_kind[0].bytes_per_s_per_direction <= catalogue.link(BY_SOCKETS).bytes_per_s_per_direction
    return BY_SOCKETS if by_sockets and not slower else of_kind[0].id

"""What an engine may use of an accelerator: its share, of the whole memory or of what loading leaves."""

from core.catalogue.records import Allocator, DeviceFamily
from core.physics import memory as m
from core.physics.reservation.tensorrt_llm import limit_after_loading
from core.scenario import Mode
from core.sizing.apple import first_capacity_bytes, on_metal, working_set_bytes
from core.sizing.engine_defaults import SHARE_OF_WHOLE_TPU_SINCE, before, is_vllm, older_share
from core.sizing.groups import usable_bytes
from core.sizing.origins import ARTICLE, catalogue_origin
from core.sizing.situation import Setup
from core.sizing.static_share import SOURCE as SHARE_OF_SGLANG
from core.sizing.static_share import computes_share, static_share
from core.trace import CHOICE, Origin, OriginKind
from core.units import Unit

OLDER_SHARE = Origin(
    OriginKind.METHOD,
    "TensorRT-LLM, release notes of 0.8: freeGpuMemoryFraction",
    "https://github.com/NVIDIA/TensorRT-LLM/blob/main/docs/source/release-notes.md",
    "2024-02",
)


def memory_share(s: Setup) -> tuple[float, Unit, Origin]:
    """The part of the memory that the engine takes at most."""
    chosen = s.deployment.memory_share
    if chosen is not None:
        return chosen, Unit.SHARE, CHOICE
    if s.mode is Mode.ARTICLE:
        return 1.0, Unit.SHARE, ARTICLE
    if computes_share(s):
        return static_share(s), Unit.SHARE, SHARE_OF_SGLANG
    if (older := older_share(s)) is not None:
        return older, Unit.SHARE, OLDER_SHARE
    return s.engine.memory_share or 1.0, Unit.SHARE, catalogue_origin(s.engine, "memory_share")


def shares_what_is_left(s: Setup) -> bool:
    """Does the engine take its share of what is left after loading, rather than of the whole memory?"""
    if s.mode is not Mode.REAL:
        return False
    old_tpu = s.device.family is DeviceFamily.TPU and is_vllm(s) and before(s, SHARE_OF_WHOLE_TPU_SINCE)
    return s.engine.allocator is Allocator.TENSORRT_LLM or old_tpu


def takes_part_of_the_whole(s: Setup) -> bool:
    """Does the engine take its share of all memory, whatever the system needs of it?"""
    return is_vllm(s) and (s.device.family is DeviceFamily.NVIDIA_UNIFIED or on_metal(s))


def whole_bytes(s: Setup) -> int:
    """The memory of which such an engine takes its share."""
    return working_set_bytes(s) if on_metal(s) else first_capacity_bytes(s)


def first_tier_limit(s: Setup, fixed_bytes: int) -> int:
    """What the engine may use of the first tier, without a trace."""
    usable, share = usable_bytes(s), memory_share(s)[0]
    if shares_what_is_left(s):
        return int(limit_after_loading(usable, share, fixed_bytes))
    if takes_part_of_the_whole(s):
        return int(m.limit_of_the_whole(whole_bytes(s), usable, share))
    return int(m.tier_limit_bytes(usable, share))

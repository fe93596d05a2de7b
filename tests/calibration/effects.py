"""What may move a parameter, and by how much before any measurement is seen.

An effect is a multiplier for every value of some circumstances. Its spread is the standard deviation of the logarithm
that it has a priori; the measurements then say what it is. Device- and engine-keyed effects need two sources: one
source alone cannot tell a device from a machine, nor an engine from a build.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.catalogue.calibration import Circumstances
from tests.accuracy.machines import ASKED

#: Circumstances that one source alone cannot speak for.
NARROW = frozenset({"device", "engine", "back_end"})
#: The generation that sizings assume; it is the base, so it has no effect of its own.
TODAY = "modern"
#: What builds of llama.cpp of before September 2025 that were asked for flash attention have of their own: products of
#: prompts as in builds without, and attention over prompts. In everything else they count as today's.
OF_PROMPTS = frozenset({"mfu", "mfu_e", "mfu_att"})
#: Levels of what is peculiar to measurements.
SOURCE, MACHINE, CONFIGURATION = "source", "machine", "configuration"


@dataclass(frozen=True, slots=True)
class Effect:
    """A multiplier of a parameter for each value of `on`, or one for all values of `pooled` alike.

    `centre` is the expected one for a given value.
    """

    symbol: str
    on: tuple[str, ...]
    spread: float
    centre: Mapping[str, float] = field(default_factory=dict, hash=False)
    pooled: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)

    def level(self, where: Circumstances) -> tuple[str, ...] | None:
        """The values of the circumstances, or None where the effect does not apply.

        An effect that is pooled has one level for all the values that it lists, and none for others.
        """
        if self.pooled:
            met = all(getattr(where, name) in values for name, values in self.pooled.items())
            return ("pooled",) if met else None
        values = tuple(str(getattr(where, name)) for name in self.on)
        if "generation" in self.on:
            generation = values[self.on.index("generation")]
            if generation == TODAY or (generation == ASKED and self.symbol not in OF_PROMPTS):
                return None
        return None if "" in values else values

    def expected(self, level: tuple[str, ...]) -> float:
        return math.log(self.centre.get("*".join(level), 1.0))


def _effects(symbol: str, *entries: tuple[Any, ...]) -> Sequence[Effect]:
    """Effects of a parameter: circumstances, spread, and where known the expected factor of a value."""
    return [
        Effect(symbol, tuple(e[0]), e[1], pooled=e[0])
        if isinstance(e[0], Mapping)
        else Effect(symbol, tuple(e[0].split("*")), e[1], e[2] if len(e) > 2 else {})
        for e in entries
    ]


#: Base values and their spread before the fit; from the physics of kernels (see `kernels`) and experience with engines.
BASES: dict[str, tuple[float, float]] = {
    "eta": (0.85, 0.06),
    "cap": (7.0, 0.3),
    "eta_e": (0.75, 0.3),
    "eta_kv": (0.75, 0.3),
    "mfu_dec_att": (0.08, 0.5),
    "t_op": (3.5e-6, 0.4),
    "t_host": (3e-4, 0.7),
    "t_seq": (1.2e-5, 0.5),
    "mfu": (0.9, 0.3),
    "mfu_e": (0.6, 0.35),
    "n_half": (60.0, 0.6),
    "w_half": (300.0, 0.5),
    "e_half": (0.8e-12, 0.6),
    "ops": (500.0, 0.3),
    "mfu_att": (0.3, 0.4),
    "mfu_b": (0.6, 0.3),
    "gamma": (0.88, 0.06),
    "ars": (1.3, 0.25),
    "c_int": (1.0, 0.25),
    "c_q": (0.35, 0.4),
    "c_burst": (1.0, 0.25),
    "t_req": (0.015, 0.5),
    "pipe": (0.2, 0.4),
    "eta_cpu": (0.6, 0.2),
}

#: Serving engines on devices that their makers do not tune for: kernels written once for all (Triton) instead of by
#: hand, no custom all-reduce. What that costs is estimated for all of them together. Products of 16-bit weights come
#: from the vendor's library there too, so that the efficiency of computing is one of other formats.
UNTUNED = ("gcn5", "cdna1", "rdna2", "rdna3", "rdna3.5", "rdna4")
UNTUNED_SERVING = {"group": ("serving",), "architecture": UNTUNED}
UNTUNED_PRODUCTS = UNTUNED_SERVING | {"arithmetic": ("converted", "fp8", "int8", "nvfp4", "mxfp4")}

EFFECTS: tuple[Effect, ...] = (
    *_effects(
        "eta",
        ("group", 0.15),
        ("back_end", 0.11),
        ("family", 0.14, {"amd-apu": 0.87, "nvidia-unified": 0.95}),
        ("group*family", 0.07),
        ("group*architecture", 0.1),
        (UNTUNED_SERVING, 0.3),
        ("format_class", 0.15),
        ("device", 0.09),
        ("format_class*group", 0.08),
        ("generation", 0.15),
    ),
    *_effects("cap", ("group", 0.25, {"serving": 3.3}), ("format_class", 0.25), ("family", 0.2)),
    *_effects(
        "eta_e",
        ("group", 0.2),
        ("back_end", 0.15),
        ("family", 0.15),
        ("group*family", 0.15),
        ("format_class", 0.15),
    ),
    *_effects(
        "eta_kv",
        ("group", 0.25),
        ("back_end", 0.25),
        ("generation", 0.5),
        ("family", 0.2),
        ("attention", 0.4),
    ),
    *_effects(
        "mfu_dec_att",
        ("group", 0.4, {"serving": 5.0}),  # tensor cores: 0.25 to 0.6 of the 16-bit rate in the tables of kernels
        ("family", 0.4),
        ("generation", 0.8, {"serving-2023": 0.3, "flash-attention-off": 0.5}),
    ),
    *_effects(
        "t_op",
        ("group", 0.28),
        ("back_end", 0.35),
        ("family", 0.32),
        ("group*family", 0.2),
        ("group*architecture", 0.2),
        (UNTUNED_SERVING, 0.6),
        ("generation", 0.5, {"serving-2023": 1.9}),
        ("feed_forward", 0.24),
        ("attention", 0.2),
        ("format_class*group", 0.12),
        ("feed_forward*group", 0.15),
    ),
    *_effects(
        "t_host",
        ("group", 0.6, {"serving": 4.0}),
        ("back_end", 0.4),
        ("generation", 0.9, {"serving-2023": 1.5}),
        ("generation*back_end", 0.6, {"serving-2023*vllm": 2.0}),
    ),
    *_effects(
        "t_seq",
        ("back_end", 0.5),
        ("generation", 1.0, {"serving-2023": 2.0}),
        # 62 % of the time of vLLM 0.5.3 was the host's with an 8B model on an H100, and little of 0.6's: vLLM,
        # "vLLM v0.6.0: 2.7x Throughput Improvement and 5x Latency Reduction", 2024-09
        ("generation*back_end", 0.6, {"serving-2023*vllm": 3.0}),
    ),
    *_effects("t_req", ("back_end", 0.5), ("generation", 0.7)),
    # Small: what a device or engine does with prompts differs less between them than between builds and sources.
    *_effects(
        "mfu",
        ("group", 0.25),
        ("back_end", 0.3),
        ("family", 0.25, {"amd-apu": 0.7}),
        # Since the M3, Apple's 16-bit, 32-bit and integer units work at the same time: "Explore GPU advancements in M3
        # and A17 Pro", 2023. Unpacking weights and adding up no longer wait for multiplying.
        ("architecture", 0.18, {"m1": 0.85, "m2": 0.85, "m3": 1.15, "m4": 1.15}),
        ("arithmetic", 0.18),
        ("arithmetic*group", 0.06),
        ("device", 0.08),
        ("arithmetic*back_end", 0.04),
        ("feed_forward*group", 0.06),
        ("group*family", 0.2),
        ("group*architecture", 0.08),
        (UNTUNED_PRODUCTS, 0.16),
        ("generation", 0.2, {"flash-attention-off": 0.8, ASKED: 0.8}),
    ),
    *_effects(
        "mfu_e",
        ("group", 0.2),
        # The tokens of experts are sorted on the accelerator since September 2025, with smaller tiles: llama.cpp, pull
        # requests 15427, 15524 and 15525; before, prompts of mixtures took 1.1 to 7 times as long.
        ("generation", 0.2, {"flash-attention-off": 0.6, ASKED: 0.6}),
        ("arithmetic", 0.08),
        # SYCL still sorts them on the host: ggml-sycl.cpp, ggml_sycl_mul_mat_id.
        ("back_end", 0.15, {"llama.cpp-sycl": 0.6}),
        ("family", 0.15),
    ),
    *_effects("n_half", ("group", 0.2)),
    *_effects("w_half", ("group", 0.3)),
    # The libraries of serving engines have kernels for each chip, whose matrix units fetch by themselves.
    *_effects("ops", ("group", 0.3, {"serving": 10.0}), ("arithmetic", 0.4, {"f16": 2.0, "copied": 2.0})),
    *_effects(
        "mfu_att",
        ("group", 0.12),
        ("back_end", 0.2),
        ("family", 0.2),
        ("generation", 0.16),
        # The kernel of AMD was 1.5 to 5 times as slow before September 2025: llama.cpp, pull requests 15769 and 15927.
        ("generation*back_end", 0.3, {ASKED + "*llama.cpp-rocm": 0.4}),
        ("attention", 0.16),
    ),
    *_effects("mfu_b", ("group", 0.4), ("generation", 0.3)),
    *_effects(
        "ars",
        ("link", 0.4),
        ("group*architecture", 0.2),
        (UNTUNED_SERVING, 0.6),
        ("back_end", 0.2, {"mlx": 1.5}),  # it exchanges from the host: the device stops before and starts again after
        ("generation", 0.5),
    ),
    *_effects("c_int", ("back_end", 0.25)),
    *_effects("c_q", ("back_end", 0.2)),
    *_effects("gamma", ("group", 0.06, {"llama.cpp": 0.92})),
)


@dataclass(frozen=True, slots=True)
class Nuisance:
    """What one source, machine or configuration adds to its figures of a kind; fitted along, then dropped."""

    kinds: frozenset[str]
    level: str
    spread: float


def _nuisances(kinds: str, source: float, machine: float, configuration: float) -> Sequence[Nuisance]:
    of = frozenset(kinds.split())
    spreads = {SOURCE: source, MACHINE: machine, CONFIGURATION: configuration}
    return [Nuisance(of, level, spread) for level, spread in spreads.items() if spread]


#: Small for a source, so that the physics has to explain the average one; larger for a configuration, so that curves
#: over depth, batch and length weigh more than absolute levels.
NUISANCES: tuple[Nuisance, ...] = (
    *_nuisances("decode offload", 0.012, 0.02, 0.06),
    *_nuisances("prefill", 0.12, 0.15, 0.2),  # builds of one year differ by half in prompts
    *_nuisances("batched tpot", 0.016, 0.03, 0.1),
    *_nuisances("ttft", 0.10, 0.10, 0.2),
    *_nuisances("saturated", 0.03, 0.04, 0.15),
    *_nuisances("reads", 0.10, 0.0, 0.05),  # constants of kernels: an engine reaches less than its kernels alone
    *_nuisances("products", 0.10, 0.0, 0.08),
    *_nuisances("starts", 0.3, 0.0, 0.08),  # and leaves gaps between them
)

#: Scatter of single rows, by kind of figure.
NOISE = {
    "decode": 0.05,
    "offload": 0.10,
    "prefill": 0.09,
    "tpot": 0.09,
    "ttft": 0.25,
    "batched": 0.09,
    "saturated": 0.18,
    "reads": 0.12,
    "products": 0.12,
    "starts": 0.25,
}
#: Rows of middling reliability scatter more.
TIER_B = 1.5

"""Calibration: the rates at which devices and engines work, fitted to public measurements, and what was measured.

A parameter has a base value and multipliers that apply to an engine, a family of devices, a weight format and so on. A
prediction multiplies the base by every multiplier that its circumstances match; what was never measured contributes 1.
`coverage.json` lists which devices were measured with which engine, so that a figure can say how well it is supported.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from math import prod
from pathlib import Path
from typing import Literal

from pydantic import Field

from core import RESOURCES
from core.catalogue.records import DeviceFamily, Engine, Record, Source
from core.errors import CatalogueError
from core.trace import Origin, OriginKind
from core.units import Unit

Kind = Literal["decode", "prefill", "batched", "ttft", "saturated"]
Grade = Literal["A", "B", "C", "D"]
Dimension = Literal[
    "group",
    "engine",
    "back_end",
    "family",
    "architecture",
    "format_class",
    "arithmetic",
    "device",
    "link",
    "attention",
    "feed_forward",
    "generation",
]
Condition = Literal[
    "always",
    "deep",
    "mixture_of_experts",
    "tensor_parallel",
    "layer_split",
    "amd_or_intel",
    "amd_apu",
    "intel",
    "apple",
    "nvidia_gddr",
    "nvidia_hbm",
    "nvidia_unified",
    "serving_engine",
    "earlier_engine",
    "host_memory",
    "family_unmeasured",
]

#: Back ends of llama.cpp by family of devices; each is an engine of its own to calibration.
_LLAMA_CPP = {
    DeviceFamily.NVIDIA_HBM: "cuda",
    DeviceFamily.NVIDIA_GDDR: "cuda",
    DeviceFamily.NVIDIA_UNIFIED: "cuda",
    DeviceFamily.AMD_CDNA: "rocm",
    DeviceFamily.AMD_RDNA: "rocm",
    DeviceFamily.AMD_APU: "vulkan",
    DeviceFamily.INTEL: "vulkan",
    DeviceFamily.APPLE: "metal",
}
_SERVING = {
    DeviceFamily.AMD_CDNA: "rocm",
    DeviceFamily.AMD_RDNA: "rocm",
    DeviceFamily.AMD_APU: "rocm",
    DeviceFamily.INTEL: "xpu",
}


def back_end(engine: Engine, family: DeviceFamily) -> str:
    """The engine as calibration knows it: llama.cpp and the serving engines differ by back end.

    >>> llama = Engine(id="llama.cpp", name="llama.cpp", group="llama.cpp", weight_formats=(), kv_formats=(),
    ...                families=(), runtime_bytes=0, prefill_chunk=512)
    >>> back_end(llama, DeviceFamily.APPLE)
    'llama.cpp-metal'
    >>> back_end(llama.model_copy(update={"back_end": "vulkan"}), DeviceFamily.AMD_RDNA)
    'llama.cpp-vulkan'
    """
    names = _LLAMA_CPP if engine.group == "llama.cpp" else _SERVING if engine.group == "serving" else {}
    name = engine.back_end or names.get(family, "")
    plain = name == "cuda" and engine.group == "serving"  # what is measured without saying so
    return f"{engine.id}-{name}" if name and not plain else engine.id


class Multiplier(Record):
    """A factor that applies where every named circumstance has one of the listed values."""

    on: Mapping[Dimension, tuple[str, ...]] = Field(min_length=1)
    factor: float = Field(gt=0)
    spread: float | None = Field(default=None, gt=0)


class Parameter(Record):
    """One fitted rate."""

    symbol: str
    name: str
    unit: str
    base: float = Field(gt=0)
    spread: float = Field(gt=0)  # standard deviation of the logarithm, after the fit
    prior: float = Field(gt=0)
    prior_spread: float = Field(gt=0)
    supported_by: str
    note: str = ""
    most: float | None = Field(default=None, gt=0)  # the product of base and multipliers never exceeds it
    multipliers: tuple[Multiplier, ...] = ()


class SpreadRule(Record):
    """Widens the range of a kind of figure under a condition, or narrows it where measurements scatter less."""

    kind: Literal["decode", "tpot", "prefill", "batched", "ttft", "saturated"]
    when: Condition
    widening: float = Field(default=1.0, gt=0)
    least: float = Field(default=0.0, ge=0)
    reason: str


class Spread(Record):
    """Standard deviation of the logarithm that was left, by kind of figure and grade A to D."""

    grades: Mapping[Kind, tuple[float, float, float, float]]
    rules: tuple[SpreadRule, ...]


class ParameterFile(Record):
    schema_version: Literal[1]
    source: Source
    generation: str  # of engines that a sizing assumes
    parameters: tuple[Parameter, ...]
    spread: Spread


class CoverageFile(Record):
    schema_version: Literal[1]
    source: Source
    devices: Mapping[str, Mapping[str, tuple[Kind, ...]]]  # device -> back end -> kinds of figure
    families: Mapping[DeviceFamily, Mapping[str, tuple[Kind, ...]]]
    formats: Mapping[str, tuple[str, ...]]  # engine group -> classes of weight format


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What multipliers may depend on."""

    group: str
    engine: str
    back_end: str
    family: str
    architecture: str
    format_class: str
    device: str
    link: str = ""
    attention: str = ""  # "latent", "recurrent" (in some layers), "window" (in some layers), or plain
    feed_forward: str = ""  # "experts" or plain
    generation: str = "modern"
    arithmetic: str = ""  # how products are computed: the format class, or "converted" to 16 bit by a serving engine


@dataclass(frozen=True, slots=True)
class Fitted:
    """A parameter under given circumstances."""

    value: float
    unit: Unit
    origin: Origin


_UNITS = {
    "share": Unit.SHARE,
    "ratio": Unit.RATIO,
    "exponent": Unit.RATIO,
    "s": Unit.SECOND,
    "J": Unit.JOULE,
    "tokens": Unit.TOKEN,
    "B/clock": Unit.RATIO,
    "FLOP/clock": Unit.RATIO,
}


class Calibration:
    """The fitted parameters, the spread of what they predict, and what was measured."""

    def __init__(self, parameters: ParameterFile, coverage: CoverageFile) -> None:
        self.source = parameters.source
        self.generation = parameters.generation
        self.parameters = {parameter.symbol: parameter for parameter in parameters.parameters}
        self.spread = parameters.spread
        self.coverage = coverage
        self._dimensions = {parameter.symbol: _dimensions(parameter) for parameter in parameters.parameters}
        self._fitted: dict[Circumstances, Mapping[str, Fitted]] = {}
        self._alike: dict[tuple[str, ...], Fitted] = {}

    def fitted(self, circumstances: Circumstances) -> Mapping[str, Fitted]:
        """All parameters under the circumstances, by symbol."""
        known = self._fitted.get(circumstances)
        if known is None:
            known = {symbol: self._fit_once(symbol, circumstances) for symbol in self.parameters}
            self._fitted[circumstances] = known
        return known

    def _fit_once(self, symbol: str, circumstances: Circumstances) -> Fitted:
        """The parameter; circumstances that differ in nothing that it depends on share one."""
        key = (symbol, *(getattr(circumstances, dimension) for dimension in self._dimensions[symbol]))
        known = self._alike.get(key)
        if known is None:
            known = self._alike[key] = self._fit(self.parameters[symbol], circumstances)
        return known

    def _fit(self, parameter: Parameter, circumstances: Circumstances) -> Fitted:
        """base * product of the multipliers that match, up to `most`; the origin spells the factors out."""
        factors = [m for m in parameter.multipliers if _matches(m, circumstances)]
        value = parameter.base * prod(m.factor for m in factors)
        if parameter.most is not None:
            value = min(value, parameter.most)
        terms = [f"{parameter.base:g}"] + [f"{m.factor:g} ({_named(m, circumstances)})" for m in factors]
        origin = Origin(
            OriginKind.CALIBRATION,
            title=f"{self.source.title}: {parameter.name} = {' × '.join(terms)}",
            address=self.source.address,
            date=self.source.date,
            confidence=self.source.confidence,
            record=f"calibration/{parameter.symbol}",
        )
        return Fitted(value, _UNITS[parameter.unit], origin)

    def evidence(self, device: str, family: DeviceFamily, engine: str, kind: Kind) -> Grade:
        """How well a kind of figure is supported.

        A: this device was measured with this engine; B: its family was; C: the family with another engine; D: neither.

        Parameters
        ----------
        device : catalogue id of the single accelerator
        family : of devices
        engine : as `back_end` names it
        kind : of figure
        """
        if kind in self.coverage.devices.get(device, {}).get(engine, ()):
            return "A"
        family_engines = self.coverage.families.get(family, {})
        if kind in family_engines.get(engine, ()):
            return "B"
        return "C" if any(kind in kinds for kinds in family_engines.values()) else "D"

    def knows_format(self, group: str, format_class: str) -> bool:
        """Whether weights of this class were measured with this group of engines."""
        return format_class in self.coverage.formats.get(group, ())


def _dimensions(parameter: Parameter) -> tuple[str, ...]:
    """What the parameter's multipliers depend on."""
    return tuple(sorted({dimension for multiplier in parameter.multipliers for dimension in multiplier.on}))


def _matches(multiplier: Multiplier, circumstances: Circumstances) -> bool:
    return all(getattr(circumstances, dimension) in values for dimension, values in multiplier.on.items())


def _named(multiplier: Multiplier, circumstances: Circumstances) -> str:
    return ", ".join(getattr(circumstances, dimension) for dimension in multiplier.on)


def load_calibration(directory: Path) -> Calibration:
    """Read `parameters.json` and `coverage.json`."""
    try:
        parameters = ParameterFile.model_validate_json((directory / "parameters.json").read_bytes())
        coverage = CoverageFile.model_validate_json((directory / "coverage.json").read_bytes())
    except (OSError, ValueError) as error:
        raise CatalogueError(
            "The calibration in {directory} cannot be read: {reason}", directory=directory, reason=error
        ) from error
    return Calibration(parameters, coverage)


@cache
def shipped_calibration() -> Calibration:
    """The calibration that comes with Tonnage."""
    return load_calibration(RESOURCES / "calibration")

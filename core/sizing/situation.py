"""What a scenario means: its ids looked up in the catalogue, its open choices made.

`resolution.resolve` makes it. Everything after that works on a `Situation`: no ids, no "auto", nothing missing. Most of
it asks for the `Setup` only, which many situations share: what follows from that alone is worked out once for each.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from core.architecture.blueprint import Blueprint, TensorClass
from core.catalogue.catalogue import Catalogue
from core.catalogue.records import Device, Engine, KvFormat, Link, WeightFormat
from core.scenario import Companion, Deployment, Mode, ModelChoice, Plan, Scenario
from core.trace import Origin

#: Setups of which is kept what follows from them, some 20 KB each: those of a search, which is asked again.
SETUPS_KEPT = 256


@dataclass(frozen=True, slots=True, eq=False)
class Setup:
    """Model, machine and engine of a scenario: everything but the work. The same one is asked for again and again.

    mode, model, companions, deployment   as chosen
    device          the chosen record; its memory and rates are those of one accelerator
    accelerators    in all nodes and replicas together
    nodes           machines; `accelerators / nodes` stand in each
    link            joins the accelerators of one node; None when there is one accelerator in it
    network         joins nodes; None when there is one node
    weight_format   as the engine's files hold it: MXFP4 means its GGUF variant for llama.cpp
    bits            bits per weight by class, after checkpoint and quantisation config
    model_source    where the counts of the model come from
    kv_format       in article mode with plain element sizes, without scales
    kv_value_format of the values where it differs from the keys'
    context_tokens  the context limit, where the engine chooses by it how it works; 0 where it does not
    sharing         requests that share one cache (llama.cpp: --kv-unified); 1 where each has its own
    """

    mode: Mode
    model: ModelChoice
    companions: tuple[Companion, ...]
    deployment: Deployment
    catalogue: Catalogue
    blueprint: Blueprint
    device: Device
    accelerators: int
    nodes: int
    link: Link | None
    network: Link | None
    plan: Plan
    engine: Engine
    weight_format: WeightFormat
    kv_format: KvFormat
    kv_value_format: KvFormat | None
    bits: Mapping[TensorClass, float]
    model_source: Origin
    context_tokens: int
    sharing: int


@dataclass(frozen=True, slots=True)
class Situation:
    """A resolved scenario: the setup, and in the scenario the work that it is given."""

    scenario: Scenario
    setup: Setup

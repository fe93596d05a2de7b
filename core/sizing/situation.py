"""What a scenario means: its ids looked up in the catalogue, its open choices made.

`resolution.resolve` makes it. Everything after that works on a `Situation`: no ids, no "auto", nothing missing.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from core.architecture.blueprint import Blueprint, TensorClass
from core.catalogue.catalogue import Catalogue
from core.catalogue.records import Device, Engine, KvFormat, Link, WeightFormat
from core.scenario import Plan, Scenario
from core.trace import Origin


@dataclass(frozen=True, slots=True)
class Situation:
    """A resolved scenario.

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
    """

    scenario: Scenario
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

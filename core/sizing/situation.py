"""What a scenario means: its ids looked up in the catalogue, its open choices made.

Everything after this works on a `Situation`: no ids, no "auto", nothing missing.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from core.architecture.blueprint import Blueprint, TensorClass
from core.catalogue.records import Device, Engine, KvFormat, Link, Model, WeightFormat
from core.scenario import Plan, Scenario


class Catalogue(Protocol):
    """What sizing asks of the catalogue; an id that is not there raises CatalogueError."""

    def device(self, id: str, /) -> Device: ...
    def link(self, id: str, /) -> Link: ...
    def model(self, id: str, /) -> Model: ...
    def weight_format(self, id: str, /) -> WeightFormat: ...
    def kv_format(self, id: str, /) -> KvFormat: ...
    def engine(self, id: str, /) -> Engine: ...
    def blueprint(self, id: str, /) -> Blueprint: ...


@dataclass(frozen=True, slots=True)
class Situation:
    """A resolved scenario.

    device          the chosen record; its memory and rates are those of one accelerator
    accelerators    in all nodes and replicas together
    nodes           machines; `accelerators / nodes` stand in each
    link            joins the accelerators of one node; None when there is one accelerator in it
    network         joins nodes; None when there is one node
    bits            bits per weight by class, after checkpoint and quantisation config
    kv_format       in article mode with plain element sizes, without scales
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
    bits: Mapping[TensorClass, float]

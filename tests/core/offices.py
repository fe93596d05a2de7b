"""A server in an office, and what it costs."""

from core.catalogue.catalogue import Catalogue
from core.scenario import CatalogueModel, Deployment, Economics, Scenario, Workload
from core.sizing.costs.cost import cost
from core.sizing.costs.report import Cost
from core.sizing.size import size
from tests.shipped import shipped

NOVEMBER = "2026-11-30"


def office(device: str = "rtx-pro-6000-ws", count: int = 1, nodes: int = 1, **economics: object) -> Scenario:
    return Scenario(
        model=CatalogueModel(id="openai/gpt-oss-20b"),
        weights="mxfp4",
        workload=Workload(users=100, active_share=0.1, prompt_tokens=1500, output_tokens=500),
        deployment=Deployment(device=device, count=count, nodes=nodes, engine="generic"),
        economics=Economics.model_validate({"currency": "EUR", "region": "DE", "priced_on": NOVEMBER} | economics),
    )


def priced(scenario: Scenario, catalogue: Catalogue | None = None) -> Cost:
    known = catalogue or shipped()
    return cost(size(scenario, known), known)

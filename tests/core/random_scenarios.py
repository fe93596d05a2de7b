"""Scenarios drawn at random from the whole catalogue: any model, device, engine, format, plan and load that goes."""

import random
from collections.abc import Iterator

from core.catalogue.catalogue import Catalogue
from core.errors import TonnageError
from core.scenario import CatalogueModel, Deployment, Scenario, Workload
from core.sizing.report import Sizing
from core.sizing.size import size

COUNTS = (1, 1, 1, 2, 4, 8)
REQUESTS = (1, 1, 2, 8, 64, 512)
LENGTHS = (128, 1024, 8192, 65_536)


def random_sizings(catalogue: Catalogue, number: int, seed: int = 1) -> Iterator[Sizing]:
    """So many sizings whose speed is known; what the core refuses is drawn anew."""
    draw, found = random.Random(seed), 0
    while found < number:
        try:
            sizing = size(_scenario(draw, catalogue), catalogue)
        except TonnageError:
            continue
        if not sizing.speed_unknown:
            found += 1
            yield sizing


def _scenario(draw: random.Random, catalogue: Catalogue) -> Scenario:
    device = draw.choice(list(catalogue.devices.values()))
    engine = draw.choice([e for e in catalogue.engines.values() if device.family in e.families])
    prompt, answer = draw.choice(LENGTHS), draw.choice(LENGTHS[:2])
    return Scenario(
        name="drawn at random",
        model=CatalogueModel(id=draw.choice(list(catalogue.models))),
        weights=draw.choice(engine.weight_formats),
        kv_format=draw.choice(engine.kv_formats),
        workload=Workload(
            requests_at_once=draw.choice(REQUESTS),
            prompt_tokens=prompt,
            output_tokens=answer,
            context_tokens=prompt + answer,
            start_together=draw.random() < 0.2,
            prefix_hit_share=draw.choice((0.0, 0.0, 0.5)),
        ),
        deployment=Deployment(device=device.id, count=draw.choice(COUNTS), engine=engine.id),
    )

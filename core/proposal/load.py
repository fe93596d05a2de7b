"""The same deployment with fewer and with more requests at once, each sized in full."""

import math
from dataclasses import dataclass
from enum import StrEnum

from core.catalogue.catalogue import Catalogue
from core.sizing.report import Sizing
from core.sizing.size import size


class Moment(StrEnum):
    """What a number of requests at once stands for."""

    ALONE = "alone"
    QUIET = "quiet"  # half of what is needed
    NEEDED = "needed"
    GROWTH = "growth"  # a quarter more
    FULL = "full"  # as many as fit


@dataclass(frozen=True, slots=True)
class LoadPoint:
    moment: Moment
    sizing: Sizing

    @property
    def requests(self) -> int:
        return self.sizing.required_requests


def load_points(sizing: Sizing, catalogue: Catalogue) -> tuple[LoadPoint, ...]:
    """Size a deployment for one request, half of those needed, those needed, a quarter more, and as many as fit.

    Parameters
    ----------
    sizing : the deployment
    catalogue : what it was sized with

    Returns
    -------
    one point for each different number, by number; empty where the speed is unknown
    """
    if sizing.speed_unknown:
        return ()
    deployment = sizing.scenario.deployment.model_copy(update={"plan": sizing.plan})
    needed, full = sizing.required_requests, int(sizing.trace["max_concurrency"])
    wanted = {
        Moment.NEEDED: needed,
        Moment.FULL: full,
        Moment.ALONE: 1,
        Moment.GROWTH: math.ceil(needed * 1.25),
        Moment.QUIET: needed // 2,
    }
    moments: dict[int, Moment] = {}
    for moment, requests in wanted.items():
        beyond = requests > full and moment is not Moment.NEEDED
        if requests >= 1 and not beyond:
            moments.setdefault(requests, moment)
    points = []
    for requests, moment in sorted(moments.items()):
        if moment is Moment.NEEDED:
            points.append(LoadPoint(moment, sizing))
            continue
        workload = sizing.scenario.workload.model_copy(update={"requests_at_once": requests, "reserve_share": 0.0})
        update = {"workload": workload, "deployment": deployment}
        points.append(LoadPoint(moment, size(sizing.scenario.model_copy(update=update), catalogue)))
    return tuple(points)

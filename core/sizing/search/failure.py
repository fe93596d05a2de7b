"""The load that is left where one copy may fail: the others take over its requests."""

from core.physics.capacity import requests_with_a_copy_down
from core.physics.memory import requests_at_the_peak
from core.scenario import Scenario
from core.sizing.concurrency import Redundancy
from core.sizing.search.candidates import Candidate


def with_a_failure(scenario: Scenario, redundancy: Redundancy, candidate: Candidate) -> Scenario:
    """The scenario to size: with a spare copy, the load under which the other copies work while it is down.

    Parameters
    ----------
    scenario : the candidate's own
    redundancy : what may fail
    candidate : with its plan

    Returns
    -------
    the scenario; as it is where nothing may fail, or where another site stands ready
    """
    if redundancy is not Redundancy.SPARE_REPLICA:
        return scenario
    work, replicas = scenario.workload, candidate.layout.plan.replicas
    requests = work.requests_at_once or requests_at_the_peak(work.users, work.active_share)
    changed = {"requests_at_once": int(requests_with_a_copy_down(requests, replicas))}
    return scenario.model_copy(update={"workload": work.model_copy(update=changed)})

"""Holds the search to the article's claims about which hardware comes first."""

from collections.abc import Mapping
from typing import Any

from core.catalogue.catalogue import Catalogue
from core.catalogue.records import DeviceKind
from core.scenario import Scenario
from core.sizing.search.hardware import find_hardware
from core.sizing.search.report import Exclusion, Fact
from core.sizing.search.request import Limits, Ranking, SearchRequest
from tests.article.scenarios import CLAIMS, scenario


def request(keys: Mapping[str, Any], **limits: Any) -> SearchRequest:
    """The need of a claim, asked of the catalogue, the cheapest first."""
    need: Scenario = scenario(keys)
    return SearchRequest(
        scenario=need, ranking=Ranking.PRICE, weights=(keys["weights"],), limits=Limits.model_validate(limits)
    )


def test_a104_capacity_under_budget_and_noise_is_unified_memory(catalogue: Catalogue) -> None:
    claim = dict(CLAIMS["a104"]["scenario"])
    constraints = claim.pop("constraints")
    limits = {"budget": constraints["budget_usd"], "noise_dba": constraints["noise_dba_max"]}

    anything = find_hardware(request(claim, **limits), catalogue)
    assert anything.best is not None
    assert anything.best.kind.device.kind is DeviceKind.UNIFIED  # of what is known to be quiet
    quiet = find_hardware(request(claim, noise_dba=constraints["noise_dba_max"]), catalogue)
    loud = {miss.kind.device.id for miss in quiet.ruled_out if miss.by is Exclusion.NOISE}
    assert {"hgx-h200-8", "hgx-b300-8", "gb300-nvl72", "rtx-pro-6000-server"} <= loud

    named = [device.id for device in catalogue.devices.values() if device.article_name]
    found = find_hardware(request(claim, devices=named, **limits), catalogue)
    first = found.unknown[0]  # the noise of none of them is known, which is said and passes nothing
    assert found.answers == ()
    assert first.unknown == {Fact.NOISE}
    assert first.kind.device.id == "dgx-spark" or first.kind.device.id.startswith("mac-studio-")
    assert {answer.kind.device.id.split("-")[0] for answer in found.unknown} <= {"mac", "dgx"}


def test_a106_no_device_comes_first_for_every_need(catalogue: Catalogue) -> None:
    claim = CLAIMS["a106"]["scenario"]
    firsts = []
    for variant in ("a", "b"):
        keys = {"mode": "real", "prompt": 2_048, **claim[variant]}
        best = find_hardware(request(keys), catalogue).best
        assert best is not None
        firsts.append(best.kind.device.id)
    assert firsts[0] != firsts[1]

"""Ids looked up, contradictions refused, plans and links chosen."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.catalogue.catalogue import Catalogue
from core.catalogue.records import DeviceKind, LinkKind
from core.errors import CatalogueError, InvalidInput
from core.scenario import Plan, Scenario
from core.sizing.examples import worked_example
from core.sizing.links import Links
from core.sizing.memory import record_memory
from core.sizing.plan import Load, candidates, without_idle_copies
from core.sizing.resolution import resolve
from core.sizing.size import size
from core.trace import Trace
from tests.core.cases import CASES, EMBEDDING, scenario
from tests.core.small_catalogue import blueprints, small_catalogue


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"model__id": "no-model"}, "no-model"),
        ({"weights": "no-format"}, "no-format"),
        ({"kv_format": "no-cache"}, "no-cache"),
        ({"deployment__device": "no-device"}, "no-device"),
        ({"deployment__engine": "no-engine"}, "no-engine"),
        ({"deployment__link": "no-link"}, "no-link"),
    ],
)
def test_a_missing_id_is_named(small: Catalogue, changes: dict[str, Any], named: str) -> None:
    with pytest.raises(CatalogueError, match=named):
        resolve(scenario("dense-70b", "fp8", "rtx-pro-6000-ws").edited(**changes), small)


def test_the_same_choices_are_the_same_setup(small: Catalogue) -> None:
    chosen = CASES["hybrid mixture"]
    one = resolve(chosen, small).setup
    busier = chosen.edited(workload__requests_at_once=3, workload__context_tokens=4096, economics__currency="EUR")
    assert resolve(busier, small).setup is one
    assert resolve(chosen.edited(deployment__graphs=False), small).setup is not one
    assert resolve(chosen, small_catalogue()).setup is not one


@pytest.mark.parametrize("name", CASES)
def test_what_was_sized_before_changes_no_figure(name: str) -> None:
    """What is kept of a setup is the same for every work: whatever came before, a sizing is what a first one is."""
    known, work = small_catalogue(), {"workload__context_tokens": 6000, "workload__requests_at_once": 3}
    for other in (CASES[name], CASES[name].edited(deployment__memory_share=0.8)):
        size(other, known)
    later, first = (size(CASES[name].edited(**work), catalogue) for catalogue in (known, small_catalogue()))
    assert {key: later.trace[key] for key in later.trace} == {key: first.trace[key] for key in first.trace}
    assert later.findings == first.findings


def test_a_plan_must_use_the_accelerators_there_are(small: Catalogue) -> None:
    with pytest.raises(InvalidInput, match=r"4 accelerators .* has 2") as refused:
        resolve(
            scenario("dense-70b", "fp8", "rtx-pro-6000-ws", deployment__count=2, deployment__plan=Plan(tensor=4)), small
        )
    assert refused.value.field == "deployment.plan"


def test_an_encoder_is_not_a_generator(small: Catalogue) -> None:
    with pytest.raises(InvalidInput, match="Encoder 4B"):
        resolve(scenario("encoder", "fp8", "rtx-pro-6000-ws"), small)


def test_machines_without_a_network_need_one(small: Catalogue) -> None:
    chosen = scenario("dense-70b", "fp8", "rtx-pro-6000-ws", deployment__nodes=2)
    with pytest.raises(InvalidInput, match="2 machines") as refused:
        resolve(chosen, small)
    assert refused.value.field == "deployment.link"
    resolved = resolve(chosen.edited(deployment__link="infiniband"), small).setup
    assert resolved.network is not None
    assert resolved.network.id == "infiniband"


def test_a_typed_in_model_needs_no_record(small: Catalogue) -> None:
    assert resolve(worked_example(), small).setup.blueprint.total_parameters == 35_000_000_000


# ---- plan "auto": model, weights, device, edits -> tensor, pipeline, replicas
TWO = {"workload__requests_at_once": 2}
PLANS: list[tuple[str, str, str, dict[str, Any], tuple[int, int, int]]] = [
    ("dense-70b", "fp8", "rtx-pro-6000-ws", {}, (1, 1, 1)),
    ("hybrid-35b", "nvfp4", "rtx-pro-6000-ws", {"deployment__count": 4}, (1, 1, 4)),  # fits one: copies
    ("dense-70b", "fp16", "rtx-pro-6000-ws", {"deployment__count": 4}, (1, 2, 2)),  # PCIe: stages, and copies of them
    ("dense-70b", "fp16", "h200-nvl", {"deployment__count": 4, **TWO}, (2, 1, 2)),  # bridges: tensor
    ("dense-70b", "fp16", "h200-nvl", {"deployment__count": 4}, (4, 1, 1)),  # a copy would have nothing to do
    ("dense-405b", "fp8", "h200-nvl", {"deployment__count": 8}, (4, 1, 2)),  # four, which the bridge joins
    ("dense-405b", "fp16", "h200-nvl", {"deployment__count": 8}, (4, 2, 1)),  # beyond the bridge: stages
    ("dense-405b", "fp8", "hgx-h200-8", TWO, (4, 1, 2)),
    ("dense-405b", "fp8", "hgx-h200-8", {}, (8, 1, 1)),
    ("dense-405b", "fp16", "hgx-h200-8", {}, (8, 1, 1)),
    ("latent", "fp16", "hgx-h200-8", {"deployment__nodes": 2}, (8, 2, 1)),  # tensor inside, stages between
    ("dense-405b", "flat4", "dgx-spark-x2", {}, (1, 2, 1)),
    ("dense-405b", "flat4", "dgx-spark", {"deployment__count": 2}, (1, 2, 1)),  # the same, bought one by one
    ("dense-405b", "fp16", "rtx-pro-6000-ws", {"deployment__count": 2}, (1, 2, 1)),  # does not fit: the widest
]


@pytest.mark.parametrize(("model", "weights", "device", "changes", "expected"), PLANS)
def test_the_plan_that_is_chosen(
    small: Catalogue,
    model: str,
    weights: str,
    device: str,
    changes: dict[str, Any],
    expected: tuple[int, int, int],
) -> None:
    plan = resolve(scenario(model, weights, device, **changes), small).setup.plan
    assert (plan.tensor, plan.pipeline, plan.replicas) == expected


def test_more_requests_take_a_wider_split(small: Catalogue) -> None:
    """Two requests fit two accelerators each; many need the room that fewer copies leave."""
    chosen = scenario("dense-70b", "fp16", "h200-nvl", deployment__count=4, workload__context_tokens=131_072)
    assert resolve(chosen.edited(**TWO), small).setup.plan == Plan(tensor=2, replicas=2)
    assert resolve(chosen.edited(workload__requests_at_once=9), small).setup.plan == Plan(tensor=4)


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(["dense-70b", "hybrid-35b", "windowed", "latent", "dense-405b"]),
    st.sampled_from(["h200-nvl", "rtx-pro-6000-ws", "hgx-h200-8"]),
    st.sampled_from(["fp16", "fp8-head", "fp8"]),
    st.sampled_from([1, 2, 4, 8]),
    st.integers(1, 200),
    st.integers(1_000, 200_000),
)
def test_the_plan_that_is_chosen_fits_if_any_does(
    model: str, device: str, kv_format: str, count: int, requests: int, context: int
) -> None:
    """The quick look at a plan agrees with the figures of its sizing, and the first that fits is taken."""
    catalogue = small_catalogue()
    chosen = scenario(
        model, "fp8", device, kv_format=kv_format, deployment__count=1 if device.startswith("hgx") else count,
        workload__requests_at_once=requests, workload__context_tokens=context, companions=(EMBEDDING,),
    )  # fmt: skip
    situation = resolve(chosen, catalogue)
    load = load_of(chosen, catalogue)
    per_node = situation.setup.accelerators
    fast = Links(situation.setup.device, catalogue, None).fast_domain(per_node)
    plans = list(candidates(1, per_node, fast, load))
    assert situation.setup.plan in plans
    fits = []
    for plan in plans:
        trace = Trace()
        record_memory(trace, resolve(chosen.edited(deployment__plan=plan), catalogue))
        fits.append(trace["accelerator.shortfall_bytes"] == 0)
        assert load.fits(plan, requests) == fits[-1], plan
    if any(fits):
        first = plans[fits.index(True)]
        wider = [plan for plan, fit in zip(plans, fits, strict=True) if fit and plan.tensor > first.tensor]
        assert situation.setup.plan == without_idle_copies(first, wider, requests)


def load_of(chosen: Scenario, catalogue: Catalogue) -> Load:
    situation = resolve(chosen, catalogue)
    return Load.of(situation.setup, chosen.workload.context_tokens)


def test_tensor_parallelism_divides_heads() -> None:
    shape = blueprints()["dense-405b"]
    group = replace(shape.attention[0], query_heads=126)
    catalogue = small_catalogue(blueprints={"dense-405b": replace(shape, attention=(group,))})
    plan = resolve(scenario("dense-405b", "fp8", "hgx-h200-8"), catalogue).setup.plan
    assert 126 % plan.tensor == 0
    assert plan.ranks == 8


# ---- links
LINKS: list[tuple[str, dict[str, Any], str | None]] = [
    ("rtx-pro-6000-ws", {}, None),
    ("rtx-pro-6000-ws", {"deployment__link": "pcie-gen5-x16"}, "pcie-gen5-x16"),  # asked for: shown even for one
    ("rtx-pro-6000-ws", {"deployment__count": 2, "deployment__plan": Plan(tensor=2)}, "pcie-gen5-x16"),
    ("h200-nvl", {"deployment__count": 4, "deployment__plan": Plan(tensor=4)}, "nvlink-bridge"),
    ("h200-nvl", {"deployment__count": 8, "deployment__plan": Plan(tensor=8)}, "pcie-gen5-x16"),  # crosses the bridges
    ("h200-nvl", {"deployment__count": 8, "deployment__plan": Plan(tensor=4, replicas=2)}, "nvlink-bridge"),
    ("hgx-h200-8", {"deployment__plan": Plan(tensor=8)}, "nvlink4"),
    ("dgx-spark-x2", {"deployment__plan": Plan(pipeline=2)}, "spark-cx7"),
]


@pytest.mark.parametrize(("device", "changes", "expected"), LINKS)
def test_the_link_that_is_chosen(small: Catalogue, device: str, changes: dict[str, Any], expected: str | None) -> None:
    link = resolve(scenario("dense-70b", "fp8", device, **changes), small).setup.link
    assert (link.id if link else None) == expected


def test_a_chosen_link_must_reach(small: Catalogue) -> None:
    chosen = scenario(
        "dense-70b", "fp8", "h200-nvl", deployment__count=8, deployment__plan=Plan(tensor=8),
        deployment__link="nvlink-bridge",
    )  # fmt: skip
    with pytest.raises(InvalidInput, match="joins 4 accelerators"):
        resolve(chosen, small)


def test_a_device_without_any_link_cannot_be_joined(small: Catalogue) -> None:
    bare = small.device("h200-nvl").model_copy(update={"links": (), "pcie_bytes_per_s_per_direction": None})
    small = small_catalogue(devices={bare.id: bare})
    with pytest.raises(InvalidInput, match="H200 NVL"):
        resolve(scenario("dense-70b", "fp16", "h200-nvl", deployment__count=4, deployment__plan=Plan(tensor=4)), small)


def test_nodes_and_accelerators(small: Catalogue) -> None:
    cards = resolve(scenario("hybrid-35b", "nvfp4", "rtx-pro-6000-ws", deployment__count=4), small).setup
    assert (cards.nodes, cards.accelerators, cards.network) == (1, 4, None)
    sparks = resolve(scenario("dense-405b", "flat4", "dgx-spark", deployment__count=2), small).setup
    assert (sparks.nodes, sparks.accelerators, sparks.link) == (2, 2, None)
    assert sparks.network is not None
    assert sparks.network.kind is LinkKind.NETWORK
    boards = resolve(scenario("latent", "fp16", "hgx-h200-8", deployment__nodes=2), small).setup
    assert boards.device.kind is DeviceKind.NODE
    assert (boards.nodes, boards.accelerators) == (2, 16)


def test_an_engine_without_tensor_parallelism_splits_into_stages(small: Catalogue) -> None:
    chosen = scenario("dense-405b", "fp16", "hgx-h200-8", deployment__engine="llama.cpp")
    assert resolve(chosen, small).setup.plan == Plan(pipeline=8)


def test_the_engine_chooses_the_kind_of_file() -> None:
    from core.catalogue.records import WeightFormat

    mxfp4 = WeightFormat(id="mxfp4", name="MXFP4", bits=4.25, compute="fp4", format_class="mxfp4")
    gguf = mxfp4.model_copy(update={"id": "mxfp4-gguf", "container": "gguf", "variant_of": "mxfp4"})
    llama = small_catalogue().engine("llama.cpp").model_copy(update={"containers": ("gguf",)})
    catalogue = small_catalogue(weight_formats={"mxfp4": mxfp4, "mxfp4-gguf": gguf}, engines={"llama.cpp": llama})
    chosen = scenario("dense-70b", "mxfp4", "h200-nvl")
    assert resolve(chosen, catalogue).setup.weight_format.id == "mxfp4"
    assert resolve(chosen.edited(deployment__engine="llama.cpp"), catalogue).setup.weight_format.id == "mxfp4-gguf"


@pytest.mark.parametrize(("count", "nodes"), [(1024, 1), (1024, 2), (1024, 256)])
def test_as_many_accelerators_as_can_be_entered_get_a_plan(count: int, nodes: int, small: Catalogue) -> None:
    joined = {"deployment__link": "infiniband"} if nodes > 1 else {}
    case = scenario("dense-70b", "fp8", "rtx-pro-6000-ws", deployment__count=count, deployment__nodes=nodes, **joined)
    plan = resolve(case, small).setup.plan
    assert plan.ranks == count * nodes

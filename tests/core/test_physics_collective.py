"""All-reduce and hand-over: the constants of a link at every rank count."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.catalogue.records import (
    AllReduceCost,
    AllReducePoint,
    AllReduceTable,
    DeviceFamily,
    Link,
    LinkKind,
    Source,
)
from core.physics import collective

GDDR, INTEL = DeviceFamily.NVIDIA_GDDR, DeviceFamily.INTEL


def cost(ranks: int, alpha: float, beta: float | None, bus: float, family: DeviceFamily | None = None) -> AllReduceCost:
    return AllReduceCost(
        ranks=ranks, alpha_s=alpha * 1e-6, beta_bytes_per_s=beta and beta * 1e9, bus_bytes_per_s=bus * 1e9,
        measured=True, family=family,
    )  # fmt: skip


def link(kind: LinkKind = LinkKind.PCIE, rate: float = 63.0, **more: object) -> Link:
    return Link.model_validate(
        {
            "id": "link",
            "name": "Link",
            "kind": kind,
            "bytes_per_s_per_direction": rate * 1e9,
            "bytes_per_s_bidirectional": 2 * rate * 1e9,
            **more,
        }
    )


PCIE = link(all_reduce=(cost(2, 4.6, 17, 20), cost(8, 25, 3.5, 12), cost(4, 13, 5.7, 15)))


def test_a_recorded_rank_count_is_taken_as_it_is() -> None:
    assert collective.all_reduce_cost(PCIE, 4, GDDR) == cost(4, 13, 5.7, 15)


def test_between_records_constants_follow_the_logarithm() -> None:
    six = collective.all_reduce_cost(PCIE, 6, GDDR)
    assert 13e-6 < six.alpha_s < 25e-6
    assert six.alpha_s == pytest.approx(13e-6 + 12e-6 * 0.58496, rel=1e-4)
    assert not six.measured


def test_beyond_the_records_the_start_up_grows_and_rates_stay() -> None:
    sixteen = collective.all_reduce_cost(PCIE, 16, GDDR)
    assert sixteen.alpha_s == pytest.approx(25e-6 * 4 / 3)
    assert sixteen.bus_bytes_per_s == 12e9
    assert not sixteen.measured


def test_a_family_has_records_of_its_own() -> None:
    both = link(all_reduce=(cost(2, 4.6, 17, 20), cost(2, 76, None, 11, INTEL)))
    assert collective.all_reduce_cost(both, 2, INTEL).alpha_s == pytest.approx(76e-6)
    assert collective.all_reduce_cost(both, 2, GDDR).alpha_s == pytest.approx(4.6e-6)


def test_measured_long_messages_give_the_bus_rate() -> None:
    source = Source(title="Measurements")
    points = tuple(
        AllReducePoint(ranks=8, message_bytes=n, seconds=s) for n, s in ((8192, 27e-6), (33_554_432, 2.5e-3))
    )
    table = AllReduceTable(device="card", library="NCCL", points=points, source=source)
    measured = PCIE.model_copy(update={"tables": (table,)})
    assert collective.all_reduce_cost(measured, 8, GDDR).bus_bytes_per_s == pytest.approx(23.5e9, rel=0.01)
    assert collective.all_reduce_cost(measured, 8, GDDR).alpha_s == pytest.approx(25e-6)
    assert collective.all_reduce_cost(measured, 4, GDDR).bus_bytes_per_s == 15e9


@pytest.mark.parametrize("kind", list(LinkKind))
def test_a_link_without_records_has_assumed_constants(kind: LinkKind) -> None:
    two, eight = (collective.all_reduce_cost(link(kind), ranks, GDDR) for ranks in (2, 8))
    assert 0 < two.alpha_s < eight.alpha_s
    assert not two.measured
    assert two.bus_bytes_per_s < 63e9


@pytest.mark.parametrize(
    ("kind", "measured", "holds"),
    [
        (LinkKind.NVLINK, True, True),
        (LinkKind.NVLINK, False, False),
        (LinkKind.PCIE, True, False),  # of one switch
        (LinkKind.NETWORK, False, False),
        (LinkKind.THUNDERBOLT, False, True),
    ],
)
def test_rates_hold_where_they_are_measured_or_those_of_a_standard(kind: LinkKind, measured: bool, holds: bool) -> None:
    known = cost(2, 25, 3, 5).model_copy(update={"measured": measured})
    assert collective.rates_hold(link(kind), known) == holds


def test_hops_take_longer_over_slower_links() -> None:
    latencies = [
        collective.hop_latency_s(one)
        for one in (link(), link(LinkKind.NETWORK, 25.0), link(LinkKind.NETWORK, 1.25))
    ]  # fmt: skip
    assert latencies == [20e-6, 50e-6, 400e-6]


@given(st.floats(1, 1e9), st.floats(1, 1e9), st.integers(2, 64))
def test_a_longer_message_never_takes_less_time(one: float, other: float, ranks: int) -> None:
    constants = collective.all_reduce_cost(PCIE, ranks, GDDR)
    short, long = sorted((one, other))
    times = [
        collective.all_reduce_seconds(
            message, ranks, constants.alpha_s, constants.beta_bytes_per_s or 1e12, constants.bus_bytes_per_s, 1.0, 1.0
        )
        for message in (short, long)
    ]
    assert times[0] <= times[1]

"""The workstation that a rule builds around cards which cool themselves: which cards, how many, its parts by hand."""

from decimal import Decimal

import pytest

from core.language.cost_sentences import line_name
from core.language.messages import in_language
from core.scenario import Companion, CompanionRole, LineKind, Placement
from core.sizing.costs.report import Cost
from core.sizing.costs.workstation import PARTS, cards_in_a_workstation, goes_into_a_workstation
from core.trace import Computed
from tests.core.offices import office, priced
from tests.shipped import shipped


def quantities(found: Cost) -> dict[str, Decimal]:
    return {line.fact: line.quantity for line in found.lines if line.fact.startswith("bom.")}


@pytest.mark.parametrize(
    ("device", "cards"),
    [
        ("rtx-pro-6000-ws", 2),
        ("rtx-pro-6000-maxq", 4),
        ("rtx-6000-ada", 4),
        ("rtx-5090", 2),
        ("rtx-4090-48gb", 2),  # a blower too, at 450 W
        ("arc-pro-b60", 2),
        ("rtx-pro-6000-server", 0),
        ("l40s", 0),
        ("h200-nvl", 0),
        ("t4", 0),
        ("p40", 0),
        ("a10g", 0),
        ("rtx-5090-laptop", 0),
        ("h100-sxm", 0),
        ("dgx-spark", 0),
    ],
)
def test_which_cards_and_how_many(device: str, cards: int) -> None:
    assert cards_in_a_workstation(shipped().device(device)) == cards


def test_a_card_whose_power_nobody_knows_is_not_built_into_a_workstation() -> None:
    card = shipped().device("rtx-pro-6000-ws").model_copy(update={"tdp_w": None})
    assert not goes_into_a_workstation(card, 1)


def test_every_part_has_a_price_with_source_and_date() -> None:
    for part in PARTS:
        fact = shipped().facts.get(part.fact)
        assert fact.known, part.fact
        assert fact.currency == "USD"
        assert fact.source.title
        assert fact.date, part.fact


def test_one_card_of_96_gb_by_hand() -> None:
    """Three modules of 32 GB at sqrt(27 x 37) = 31.61 USD, 4 TB at sqrt(90 x 240) = 146.97, (600 + 200) / 0.8 = 1 kW.

    520 + 1,300 + 3,899 + 96 x 31.6070 + 4 x 146.9694 + 1 x sqrt(260 x 300) = 9,620 USD, where a server takes 15,025
    """
    found = priced(office(currency="USD"))
    parts = found.lines[1:-1]
    assert [(line.kind, int(line.quantity)) for line in parts] == [
        (LineKind.HOST, 1),
        (LineKind.HOST, 1),
        (LineKind.HOST, 1),
        (LineKind.MEMORY, 96),
        (LineKind.STORAGE, 4),
        (LineKind.POWER, 1),
    ]
    assert float(sum(line.amount.value for line in parts)) == pytest.approx(9_620.4, abs=0.1)
    assert all(line.by_rule for line in parts)
    assert found.lines[-1].fact == "bom.ups.3kva"


def test_two_cards_ask_for_twice_the_memory_and_more_power() -> None:
    """(2 x 600 + 300) / 0.8 = 1.875, in steps of 100 W 1.9 kW; 2 x 96 = 192 GB."""
    two = quantities(priced(office(count=2)))
    assert two["bom.ram.ddr5-rdimm.spot"] == 192
    assert two["bom.psu.redundant"] == Decimal("1.9")
    assert "bom.host.2gpu-2u-complete" not in two


def test_small_cards_get_the_least_memory() -> None:
    """16 GB would be half a module of 32 GB twice: 64 GB; (165 + 200) / 0.8 = 456 W: 0.5 kW."""
    small = quantities(priced(office("rtx-4060-ti-16gb")))
    assert small["bom.ram.ddr5-rdimm.spot"] == 64
    assert small["bom.psu.redundant"] == Decimal("0.5")


def test_more_cards_than_a_workstation_takes_stand_in_a_server() -> None:
    assert "bom.host.4gpu-4u-complete" in quantities(priced(office(count=3)))
    four = quantities(priced(office("rtx-pro-6000-maxq", 4)))
    assert four["bom.ram.ddr5-rdimm.spot"] == 384
    assert four["bom.chassis.4u-tower-rack"] == 1
    assert "bom.host.8gpu-pcie-4u-complete" in quantities(priced(office("rtx-pro-6000-maxq", 8)))


def test_several_workstations_and_sites_multiply_every_part() -> None:
    one = quantities(priced(office()))
    four = quantities(priced(office(nodes=2, sites=2).edited(deployment__link="ethernet-100g")))
    for part in PARTS:
        assert four[part.fact] == 4 * one[part.fact], part.fact


def test_a_card_for_retrieval_stands_in_the_same_workstation() -> None:
    apart = Companion(role=CompanionRole.EMBEDDING, parameters=600_000_000, placement=Placement.SECOND_CARD)
    found = quantities(priced(office().edited(companions=(apart,))))
    assert found["bom.ram.ddr5-rdimm.spot"] == 192
    assert found["bom.chassis.4u-tower-rack"] == 1


def test_the_quantities_can_be_checked() -> None:
    found = priced(office(count=2))
    memory = next(line for line in found.lines if line.kind is LineKind.MEMORY)
    entry = found.trace.entry(f"{memory.key}.quantity")
    assert isinstance(entry, Computed)
    assert found.trace.reevaluate(f"{memory.key}.quantity") == 192


@pytest.mark.parametrize("language", ["en", "de", "fr"])
def test_every_part_has_a_name_of_its_own(language: str) -> None:
    with in_language(language):
        names = [line_name(line) for line in priced(office()).lines]
    assert len(set(names)) == len(names)


def test_a_workstation_costs_less_than_the_server_it_stands_in_for() -> None:
    """For every card that goes into one, at every number: what is built has less in it than what is sold complete."""
    servers = {n: "bom.host.2gpu-2u-complete" if n <= 2 else "bom.host.4gpu-4u-complete" for n in range(1, 5)}
    built = {part.fact for part in PARTS}
    for device in shipped().devices.values():
        for cards in range(1, cards_in_a_workstation(device) + 1):
            found = priced(office(device.id, cards, currency="USD"))
            parts = sum(line.amount.value for line in found.lines if line.fact in built)
            server = shipped().facts.get(servers[cards]).middle
            assert server is not None
            assert parts < server, (device.id, cards)

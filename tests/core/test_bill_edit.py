"""Editing a bill of materials: the proposal stays live until a line of it is touched, and nothing is lost."""

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.scenario import CostLine, LineKind, Scenario
from core.sizing.costs.bill_edit import Changes, EditableBill, editable_bill
from core.sizing.costs.cost import cost
from core.sizing.costs.report import Cost
from core.sizing.size import size
from tests.core.offices import office
from tests.shipped import shipped

TRAINING = CostLine(kind=LineKind.SERVICES, name="Training", price=Decimal(1_000))
LICENCE = CostLine(kind=LineKind.SOFTWARE, fact="software.nvaie.subscription-1y", yearly=True)
RACK = CostLine(kind=LineKind.RACK, fact="bom.rack.42u")


def costed(scenario: Scenario) -> Cost:
    return cost(size(scenario, shipped()), shipped())


def bill_of(scenario: Scenario) -> EditableBill:
    return editable_bill(costed(scenario), shipped())


def edited(scenario: Scenario, changes: Changes) -> Scenario:
    plain = {key: None if lines is None else [one.model_dump() for one in lines] for key, lines in changes.items()}
    return scenario.edited(**plain)


def test_a_proposal_is_live_and_says_so() -> None:
    bill = bill_of(office())
    assert bill.live
    assert bill.fits_the_deployment
    assert all(entry.proposed for entry in bill.entries)
    assert bill.own == len(bill.entries)


@pytest.mark.parametrize("device", ["rtx-pro-6000-ws", "rtx-pro-6000-server", "h100-sxm", "dgx-spark"])
def test_taking_the_proposal_over_changes_no_amount(device: str) -> None:
    scenario = office(device, 8 if device == "h100-sxm" else 1)
    before = costed(scenario)
    bill = editable_bill(before, shipped())
    taken = edited(scenario, bill.replaced(0, bill.entries[0].line))
    assert taken.economics.lines is not None
    after = costed(taken)
    assert float(after.capital.value) == pytest.approx(float(before.capital.value), rel=1e-6)
    again = editable_bill(after, shipped())
    assert not again.live
    assert all(entry.proposed for entry in again.entries)


def test_a_line_beside_the_proposal_leaves_it_live() -> None:
    scenario = edited(office(), bill_of(office()).added(TRAINING))
    assert scenario.economics.lines is None
    assert scenario.economics.further_lines == (TRAINING,)
    bill = bill_of(scenario)
    assert bill.live
    assert [entry.proposed for entry in bill.entries][-2:] == [True, False]
    grown = bill_of(scenario.edited(deployment__count=2))
    assert grown.cards == 2
    assert grown.entries[-1].line == TRAINING


def test_a_changed_line_holds_all_of_them() -> None:
    scenario, bill = office(), bill_of(office())
    memory = next(at for at, entry in enumerate(bill.entries) if entry.line.kind is LineKind.MEMORY)
    dearer = bill.entries[memory].line.model_copy(update={"quantity": Decimal(256)})
    changed = edited(scenario, bill.replaced(memory, dearer))
    after = bill_of(changed.edited(deployment__count=2))
    assert not after.live
    assert after.cards == 1
    assert after.units == 2
    assert not after.fits_the_deployment
    assert after.entries[memory].line.quantity == 256
    assert not after.entries[memory].proposed


def test_a_line_is_deleted_and_the_sum_follows() -> None:
    scenario = office()
    before = costed(scenario)
    bill = editable_bill(before, shipped())
    ups = len(bill.entries) - 1
    after = costed(edited(scenario, bill.without(ups)))
    saved = before.lines[ups].amount.value * Decimal("1.1")  # with its part of the installation
    assert float(before.capital.value - after.capital.value) == pytest.approx(float(saved))


def test_lines_are_moved_within_their_part_and_across() -> None:
    scenario = edited(office(), bill_of(office()).added(TRAINING))
    scenario = edited(scenario, bill_of(scenario).added(RACK))
    bill = bill_of(scenario)
    last = len(bill.entries) - 1
    within = edited(scenario, bill.moved(last, -1))
    assert within.economics.lines is None
    assert within.economics.further_lines == (RACK, TRAINING)
    across = edited(scenario, bill.moved(bill.own, -1))
    assert across.economics.further_lines == ()
    assert across.economics.lines is not None
    assert len(across.economics.lines) == len(bill.entries)
    assert bill.moved(0, -1) == {}
    assert bill.moved(last, 1) == {}


def test_a_copy_stands_behind_its_line_once_the_lines_are_entered() -> None:
    bill = bill_of(office())
    held = edited(office(), bill.replaced(0, bill.entries[0].line))
    after = bill_of(edited(held, bill_of(held).added(RACK, 2)))
    assert after.entries[3].line == RACK
    assert bill_of(held).place_of_added(2) == 3
    assert bill.place_of_added(2) == bill.own  # beside a proposal: at its end
    assert bill.added(RACK, 2) == {"economics__further_lines": (RACK,)}


def test_the_proposal_comes_back_and_services_stay() -> None:
    bill = bill_of(office())
    held = edited(office(), bill.replaced(1, bill.entries[1].line.model_copy(update={"quantity": Decimal(3)})))
    for line in (TRAINING, LICENCE, RACK):
        held = edited(held, bill_of(held).added(line))
    again = edited(held, bill_of(held).proposed_again(held.economics))
    assert again.economics.lines is None
    assert again.economics.further_lines == (TRAINING, LICENCE)
    assert bill_of(again).live


def test_a_line_without_a_price_stays_open_when_it_is_taken_over() -> None:
    scenario = office("rtx-2080")
    bill = bill_of(scenario)
    after = costed(edited(scenario, bill.replaced(1, bill.entries[1].line)))
    assert [line.kind for line in after.open_lines] == [LineKind.CARDS]
    assert after.capital.value is None


@settings(max_examples=20, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["add", "delete", "move", "copy"]), st.integers(0, 20)), max_size=8))
def test_no_way_of_editing_loses_or_doubles_a_line(steps: list[tuple[str, int]]) -> None:
    scenario = office()
    bill = bill_of(scenario)
    wanted = len(bill.entries)
    for deed, number in steps:
        at = number % len(bill.entries) if bill.entries else 0
        if deed == "add":
            changes, wanted = bill.added(TRAINING), wanted + 1
        elif not bill.entries:
            continue
        elif deed == "delete":
            changes, wanted = bill.without(at), wanted - 1
        elif deed == "copy":
            changes, wanted = bill.added(bill.entries[at].line, at), wanted + 1
        else:
            changes = bill.moved(at, 1 if number % 2 else -1)
        scenario = edited(scenario, changes)
        bill = bill_of(scenario)
        assert len(bill.entries) == wanted

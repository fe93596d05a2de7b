"""Scenarios side by side: figures, changes against A, the best of a row, the sentence, the inputs that differ."""

import pytest

from core.language.comparison import answer_in_short, cell_text, hardware_in_short, headline, memory_use, subline
from core.language.comparison_inputs import InputRow, input_rows
from core.language.messages import LANGUAGES, in_language
from core.scenario import CatalogueModel, Deployment, Economics, Scenario, Workload
from core.sizing.comparison import Comparison, Row, compare
from core.sizing.standing import Standing
from tests.shipped import shipped

DAY = "2026-11-30"
CARD = Scenario(
    name="One card",
    client="Harbour",
    model=CatalogueModel(id="nvidia/Qwen3.6-35B-A3B-NVFP4"),
    weights="nvfp4",
    kv_format="fp8",
    workload=Workload(
        users=40, active_share=0.3, prompt_tokens=32_768, context_tokens=262_144, speed_target=30, ttft_target_s=4
    ),
    deployment=Deployment(device="rtx-pro-6000-ws"),
    economics=Economics(currency="EUR", region="DE"),
)
H200 = CARD.edited(name="H200", deployment__device="h200-nvl")
SPARKS = CARD.edited(name="Sparks", deployment__device="dgx-spark", deployment__nodes=2)
SMALL = CARD.edited(name="Small", deployment__device="rtx-4090")


def compared(*scenarios: Scenario) -> Comparison:
    return compare([(one, shipped()) for one in scenarios], DAY)


def inputs(*scenarios: Scenario) -> dict[str, InputRow]:
    return {row.name: row for row in input_rows(scenarios, shipped())}


def test_each_option_is_what_its_own_sizing_says() -> None:
    found = compared(CARD, H200)
    for option in found.options:
        decode = option.sizing.decode
        assert decode is not None
        at = found.options.index(option)
        assert found.figures(Row.SPEED).cells[at].value == decode.p50
        assert found.figures(Row.PURCHASE).cells[at].value == option.cost.capital.value
        assert found.figures(Row.REQUESTS).cells[at].value == option.sizing.trace["max_concurrency"]
    assert [option.letter for option in found.options] == ["A", "B"]


def test_changes_are_ratios_to_a_and_stand_in_the_trace() -> None:
    found = compared(CARD, H200, SPARKS)
    assert found.rows
    for figures in found.rows:
        assert figures.changes[0] is None
        for at, letter in enumerate("bc", start=1):
            ratio = float(figures.cells[at].value) / float(figures.cells[0].value)
            assert figures.changes[at] == pytest.approx(ratio)
            assert found.trace[f"change.{letter}.{figures.row}"] == figures.changes[at]
            assert found.trace.reevaluate(f"change.{letter}.{figures.row}") == figures.changes[at]


def test_the_best_is_the_largest_or_the_smallest_and_never_a_tie() -> None:
    found = compared(CARD, H200, SPARKS)
    speeds = [cell.value for cell in found.figures(Row.SPEED).cells]
    prices = [cell.value for cell in found.figures(Row.PURCHASE).cells]
    assert found.figures(Row.SPEED).best == speeds.index(max(speeds))
    assert found.figures(Row.PURCHASE).best == prices.index(min(prices))
    twins = compared(CARD, CARD.edited(name="Twin"))
    assert {figures.best for figures in twins.rows} == {None}
    assert not any(figures.differs for figures in twins.rows)


def test_what_does_not_fit_is_best_in_no_speed() -> None:
    found = compared(CARD, SMALL)
    assert found.options[1].standing is Standing.DOES_NOT_FIT
    speed = found.figures(Row.SPEED)
    assert (speed.cells[1].counts, speed.changes[1], speed.best) == (False, None, None)
    assert cell_text(speed, 1, found).range == "if it fitted"
    assert headline(found) == "B does not fit"


def test_money_of_two_currencies_is_not_compared() -> None:
    found = compared(CARD, H200.edited(economics__currency="USD"))
    assert (found.figures(Row.PURCHASE).changes, found.figures(Row.PURCHASE).best) == ((None, None), None)
    assert "price" not in headline(found)


def test_the_axis_counts_whole_requests() -> None:
    for found in (compared(CARD, H200), compared(CARD, CARD.edited(workload__requests_at_once=1_000_000))):
        assert all(requests == round(requests) for requests in found.axis)
        assert list(found.axis) == sorted(set(found.axis))


def test_all_curves_have_one_axis_and_meet_the_figure() -> None:
    found = compared(CARD, H200)
    assert found.axis[0] == 1
    assert found.axis[-1] >= found.options[0].sizing.required_requests
    for option in found.options:
        assert option.curve is not None
        decode = option.sizing.decode
        assert decode is not None
        need = option.sizing.required_requests
        below = max(at for at, requests in enumerate(found.axis) if requests <= need)
        assert option.curve.p50[below + 1] <= decode.p50 <= option.curve.p50[below]


def test_the_sentence_follows_the_numbers() -> None:
    found = compared(CARD, H200)
    ratio = found.figures(Row.SPEED).changes[1] or 0.0
    share = round((ratio - 1) * 100)
    assert headline(found).startswith(f"B is {share}\u00a0% faster than A for ")
    swapped = headline(compared(H200, CARD))
    assert "slower than A" in swapped
    assert swapped.endswith("less")
    assert headline(compared(CARD, CARD.edited(name="Twin"))) == "B is as fast as A at the same price"
    fast = CARD.edited(workload__speed_target=10_000)
    assert headline(compared(fast, CARD)).startswith("A misses your speed; B is as fast as A")
    late = CARD.edited(workload__ttft_target_s=0.001)
    assert headline(compared(CARD, late)) == "B answers too late"
    assert headline(compared(SMALL, CARD)).startswith("A does not fit; B holds ")


def test_more_than_double_is_a_number_of_times() -> None:
    found = compared(SPARKS.edited(workload__speed_target=None, workload__ttft_target_s=None), H200)
    ratio = found.figures(Row.SPEED).changes[1] or 0.0
    assert ratio > 2
    assert (
        f"B is {ratio:.1f} times as fast as A for {float(found.figures(Row.PURCHASE).changes[1] or 0):.1f} times"
        in (headline(found))
    )


def test_the_second_line_names_the_work_or_says_that_it_differs() -> None:
    same = compared(CARD, H200)
    rows = input_rows([CARD, H200], shipped())
    assert subline(same, rows).startswith("Same work in all: Qwen3.6-35B-A3B-NVFP4, 40 users, 12 requests, 32K prompt")
    longer = H200.edited(workload__context_tokens=131_072)
    rows = input_rows([CARD, longer], shipped())
    assert subline(compared(CARD, longer), rows).startswith("2 inputs differ; the work is not the same")


def test_inputs_that_differ_are_marked() -> None:
    rows = inputs(CARD, SPARKS.edited(kv_format="fp16", deployment__graphs=False))
    assert {name for name, row in rows.items() if row.differs} == {
        "KV cache", "Device", "Machines", "Further inputs that differ",
    }  # fmt: skip
    assert rows["Machines"].values == ("1", "2")
    assert rows["Further inputs that differ"].values == ("–", "1")
    assert "Further inputs that differ" not in inputs(CARD, H200)
    assert inputs(CARD, H200.edited(deployment__device="sold-out"))["Device"].values[1] == "unknown"


@pytest.mark.parametrize("language", LANGUAGES)
def test_columns_are_named_in_every_language(language: str) -> None:
    with in_language(language):
        found = compared(CARD, SPARKS, SMALL)
        for option in found.options:
            assert "{" not in answer_in_short(option) + hardware_in_short(option) + memory_use(option)
        assert hardware_in_short(found.options[1]).startswith("2\u00a0×\u00a0")
        texts = [cell_text(figures, at, found) for figures in found.rows for at in range(3)]
        assert all(text.value and "{" not in text.spoken for text in texts)

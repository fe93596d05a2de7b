"""What a validation refuses is said in plain words, in the reader's language, wherever it was refused."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from core.day import is_day
from core.errors import TonnageError
from core.language import sentences
from core.language.messages import LANGUAGES, in_language
from core.refusal import refusal
from core.scenario import CatalogueModel, Deployment, Scenario
from core.store.scenario_file import dump_scenario, parse_scenario

PLAIN = Scenario(model=CatalogueModel(id="m"), weights="fp8", deployment=Deployment(device="d"))
#: Changes of a file, and the words of the sentence that refuses it.
WRONG: tuple[tuple[dict[str, Any], str], ...] = (
    ({"workload": {"users": "many"}}, "“workload.users” (Users) cannot be used: A whole number is meant."),
    ({"workload": {"users": -1}}, "“workload.users” (Users) cannot be used: At least 1."),
    ({"workload": {"context_tokens": 10**12}}, "(Context limit) cannot be used: At most 1,000,000,000."),
    ({"workload": {"active_share": "half"}}, "(Active at once) cannot be used: A number is meant."),
    ({"workload": {"use": "poetry"}}, "One of these is meant: chat, rag, code, summary, agent."),
    ({"workload": []}, "(Workload) cannot be used: A group of fields is meant."),
    ({"weights": 3}, "“weights” (Weights) cannot be used: A text is meant."),
    ({"name": "n" * 201}, "At most 200 characters."),
    ({"unheard_of": 1}, "“unheard_of” cannot be used: Nothing is called so."),
    ({"model": {"kind": "catalogue"}}, "“model.catalogue.id” (Model) cannot be used: It is missing."),
    ({"model": {"kind": "guess"}}, "One of these is meant: catalogue, textbook."),
    ({"companions": {}}, "A list is meant."),
    ({"companions": [{"role": "reranker"}]}, "Give either a model or a number of parameters."),
    ({"economics": {"currency": "euro"}}, "(Currency) cannot be used: Write a currency code of three capitals such as"),
    ({"economics": {"priced_on": "2025-02-30"}}, "(Day of the offer) cannot be used: Write a date such as 2026-11-20"),
    (
        {"economics": {"lines": [{"kind": "other", "dated": "0000-01-01"}]}},
        "“economics.lines.0.dated” (Bill of materials) cannot be used: Write a date such as",
    ),
    ({"economics": {"exchange": [{"currency": "USD", "per_euro": 1, "dated": "2026-13"}]}}, "Write a date such as"),
    ({"deployment": {"device": "d", "speculation": {"acceptance": 0.5}}}, "Speculative decoding needs the number"),
    ({"deployment": {"device": "d", "graphs": "perhaps"}}, "Yes or no is meant"),
)  # fmt: skip


def refused(change: dict[str, Any]) -> TonnageError:
    content = json.loads(dump_scenario(PLAIN))
    content["scenario"].update(change)
    with pytest.raises(TonnageError) as caught:
        parse_scenario(json.dumps(content), "option.tonnage")
    return caught.value


@pytest.mark.parametrize(("change", "words"), WRONG)
def test_a_file_is_refused_in_plain_words(change: dict[str, Any], words: str) -> None:
    assert words in sentences.error(refused(change))


@pytest.mark.parametrize("code", [code for code in LANGUAGES if code != "en"])
@pytest.mark.parametrize(("change", "words"), WRONG)
def test_in_the_language_of_the_reader(code: str, change: dict[str, Any], words: str) -> None:
    with in_language("en"):
        english = sentences.error(refused(change))
    reason = english.partition("cannot be used: ")[2]
    with in_language(code):
        said = sentences.error(refused(change))
    assert reason not in said
    assert "cannot be used" not in said


def test_what_nobody_foresaw_is_a_sentence_too() -> None:
    class Odd(BaseModel):
        value: bytes

    with pytest.raises(ValidationError) as caught:
        Odd.model_validate({"value": 3.5})
    assert str(refusal(caught.value).reason) == "This value cannot be used here."


def days() -> Iterator[tuple[str, bool]]:
    yield from ((text, True) for text in ("", "2026", "2026-11", "2026-11-20", "2000-02-29", "2028-02-29"))
    wrong = ("0000-01-01", "2025-02-30", "1900-02-29", "2026-04-31", "2026-00", "2026-13", "26-11-20", "2026-1-1", "x")
    yield from ((text, False) for text in (*wrong, "2026-11-20T10:00", "9999-12-31", "2026-11-20\n"))


@pytest.mark.parametrize(("text", "known"), tuple(days()))
def test_a_day_that_no_calendar_has_is_none(text: str, known: bool) -> None:
    assert is_day(text) is known

"""Reading records: every form of field, and files that are wrong."""

from pathlib import Path

import pytest

from core.errors import InvalidInput
from tests.accuracy.records import Record, Unusable, read_records


def test_a_list_and_an_object_with_cases_are_read(tmp_path: Path) -> None:
    for text in ('[{"id": "a"}, 5]', '{"about": "x", "cases": [{"id": "a"}, 5]}'):
        path = tmp_path / "records.json"
        path.write_text(text, "utf-8")
        assert [record.id for record in read_records(path)] == ["a", "record 2"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [("{", "is not JSON"), ('"text"', "neither a list"), ('{"cases": 3}', "neither a list"), ("[" * 10**5, "not JSON")],
)
def test_a_wrong_file_is_named_in_one_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "wrong.json"
    path.write_text(text, "utf-8")
    with pytest.raises(InvalidInput, match=sentence):
        list(read_records(path))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="cannot be read"):
        list(read_records(tmp_path / "none.json"))


def test_fields_have_types() -> None:
    record = Record("r", {"n": 2.5, "t": "x", "b": True, "o": {"k": 1}, "l": [1], "none": None, "half": float("nan")})
    assert record.number("n") == 2.5
    assert record.text("t") == "x"
    assert record.flag("b")
    assert record.part("o").count("k") == 1
    assert record.items("l") == [1]
    assert record.number("none", 7.0) == 7.0
    assert record.part("absent").fields == {}
    for ask in (
        lambda: record.count("n"),
        lambda: record.text("n"),
        lambda: record.number("b"),
        lambda: record.number("half"),
        lambda: record.part("l"),
        lambda: record.items("o"),
    ):
        with pytest.raises(Unusable):
            ask()

from core import tokens


def test_the_copy_says_what_the_source_says() -> None:
    assert tokens.COPY.read_text(encoding="utf-8") == tokens.as_json(), "run `make translations`"

"""One message catalogue for window, command line and proposal: all is translated, and placeholders survive."""

import ast
import io
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import Thread

import pytest
from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po

import dev
from core.errors import InvalidInput, TonnageError
from core.language import messages

ROOT = Path(__file__).resolve().parents[2]
TRANSLATED = [code for code in messages.LANGUAGES if code != messages.SOURCE_LANGUAGE]
KEYWORDS = {
    "_": None,
    "gettext": None,
    "ngettext": (1, 2),
    "pgettext": ((1, "c"), 2),
    "N_": None,
    "marked": None,
    "Phrase": None,
    "wrong": (2,),
    **dict.fromkeys(dev.ERRORS),
}
PLACEHOLDER = re.compile(r"\{(\w+)\}")


def catalogue(code: str) -> Catalog:
    return read_po(io.BytesIO(messages.catalogue_path(code).read_bytes()), locale=code)


def texts_in_sources() -> Iterator[tuple[str, str | tuple[str, ...]]]:
    """Context and text of every message in the sources."""
    for folder in ("core", "desktop"):
        for _file, _line, text, _comments, context in extract_from_dir(ROOT / folder, keywords=KEYWORDS):
            yield context or "", text


def forms(text: str | Sequence[str] | None) -> tuple[str, ...]:
    """A message's text, or its singular and plural."""
    return (text or "",) if isinstance(text, str | None) else tuple(text)


def test_the_sentence_of_every_kind_of_error_is_translated() -> None:
    kinds, waiting = set(), [TonnageError]
    while waiting:
        kind = waiting.pop()
        kinds.add(kind.__name__)
        waiting += kind.__subclasses__()
    assert kinds <= set(dev.ERRORS)


@pytest.mark.parametrize("code", TRANSLATED)
def test_messages_are_read_as_babel_reads_them(code: str) -> None:
    known, read = catalogue(code), messages.translations(code)
    said = {(one.context or "", forms(one.id)[0]): forms(one.string) for one in known if one.id and not one.fuzzy}
    assert read.forms == {key: text for key, text in said.items() if all(text)}
    assert len(read.forms) > 2000
    assert read.rule == known.plural_expr
    one, many = said["", "{number} user"]
    assert [read.plural("{number} user", "{number} users", number) for number in (1, 2)] == [one, many]
    assert read.plural("nobody translated {this}", "these", 2) == "these"


@pytest.mark.parametrize("code", TRANSLATED)
def test_every_text_has_a_translation(code: str) -> None:
    known = {(m.context or "", forms(m.id)[0]): m for m in catalogue(code) if m.id}
    missing = set()
    for context, text in texts_in_sources():
        found = known.get((context, forms(text)[0]))
        if found is None or not all(forms(found.string)):
            missing.add(forms(text)[0])
    assert sorted(missing) == [], "run `make translations`, then fill in resources/i18n"


@pytest.mark.parametrize("code", TRANSLATED)
def test_no_translation_is_fuzzy_or_left_over(code: str) -> None:
    found = catalogue(code)
    used = {forms(text)[0] for _context, text in texts_in_sources()}
    assert [m.id for m in found if m.fuzzy and m.id] == []
    assert [m.id for m in found if m.id and forms(m.id)[0] not in used] == []
    assert not found.obsolete


@pytest.mark.parametrize("code", TRANSLATED)
def test_placeholders_are_the_same(code: str) -> None:
    for message in catalogue(code):
        sources = forms(message.id) if message.id else ()
        for source, translated in zip(sources, forms(message.string), strict=True) if sources else ():
            assert set(PLACEHOLDER.findall(translated)) == set(PLACEHOLDER.findall(source)), source


def test_french_spaces_cannot_break() -> None:
    for message in catalogue("fr"):
        for translated in forms(message.string) if message.id else ():
            assert not re.search(r" [:;?!»]|« ", translated), translated


def test_language_in_force() -> None:
    try:
        messages.set_language("de")
        assert messages.gettext("Weights") == "Gewichte"
        assert messages.ngettext("{number} request", "{number} requests", 1) == "{number} Anfrage"
        assert messages.pgettext("memory", "Missing") == "Es fehlen"
    finally:
        messages.set_language("en")
    assert messages.gettext("Weights") == "Weights"


def test_another_language_holds_in_its_thread_only() -> None:
    heard = []
    with messages.in_language("fr"):
        elsewhere = Thread(target=lambda: heard.append(messages.gettext("Weights")))
        elsewhere.start()
        elsewhere.join()
        heard.append(messages.gettext("Weights"))
    assert heard == ["Weights", "Poids"]


def test_unknown_language_is_refused() -> None:
    with pytest.raises(InvalidInput, match="no texts in “xx”"):
        messages.set_language("xx")
    assert messages.language() == "en"


def test_empty_text_stays_empty() -> None:
    # gettext would answer with the header of the catalogue
    with messages.in_language("de"):
        assert messages.gettext("") == ""


def test_no_text_stands_inside_another() -> None:
    """Before Python 3.12 nothing finds a text within an f-string, so that it would never be translated."""
    inside = []
    for path in [*ROOT.glob("core/**/*.py"), *ROOT.glob("desktop/**/*.py")]:
        for whole in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(whole, ast.JoinedStr):
                calls = [part for part in ast.walk(whole) if isinstance(part, ast.Call)]
                names = {part.func.id for part in calls if isinstance(part.func, ast.Name)}
                if names & KEYWORDS.keys():
                    inside.append(f"{path.relative_to(ROOT)}:{whole.lineno}")
    assert inside == []

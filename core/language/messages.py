"""The words of Tonnage in the language that is in force: gettext over `resources/i18n/<language>/…/tonnage.po`.

English texts are the keys; German and French stand in .po files, which are read on first use (a few milliseconds), so
there is no compiled file that could disagree with them. One language is in force for the program
(`set_language`); a block may speak another one (`in_language`), in its own thread only, so that a French proposal can
be composed in the background of a German window.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path

from core import RESOURCES
from core.errors import InvalidInput
from core.language.po_file import Messages, read_po

SOURCE_LANGUAGE = "en"
LANGUAGES = ("en", "de", "fr")
LANGUAGE_NAMES = {"en": "English", "de": "Deutsch", "fr": "Français"}
DOMAIN = "tonnage"

_language = SOURCE_LANGUAGE
_override: ContextVar[str | None] = ContextVar("language", default=None)


def catalogue_path(code: str) -> Path:
    """Where the translations of a language stand."""
    return RESOURCES / "i18n" / code / "LC_MESSAGES" / f"{DOMAIN}.po"


@cache
def translations(code: str) -> Messages:
    """The message catalogue of a language; English needs none."""
    if code not in LANGUAGES:
        raise InvalidInput(
            "There are no texts in “{code}”. Choose one of {names}.", "language", code=code, names=", ".join(LANGUAGES)
        )
    return Messages({}, "n != 1") if code == SOURCE_LANGUAGE else read_po(catalogue_path(code))


def set_language(code: str) -> None:
    """Put a language in force for the whole program."""
    global _language
    translations(code)
    _language = code


def language() -> str:
    """The language in force here: "en", "de" or "fr"."""
    return _override.get() or _language


@contextmanager
def in_language(code: str) -> Iterator[None]:
    """Speak another language inside a `with` block, in this thread only.

    >>> with in_language("fr"):
    ...     language()
    'fr'
    """
    translations(code)
    token = _override.set(code)
    try:
        yield
    finally:
        _override.reset(token)


def best_language(wanted: Sequence[str]) -> str:
    """The first of the wanted languages ("de_CH.UTF-8", "fr-FR") that Tonnage speaks, else English.

    >>> best_language(["pt-BR", "de_CH.UTF-8"]), best_language(["C"])
    ('de', 'en')
    """
    for name in wanted:
        code = name.replace("-", "_").split("_")[0].lower()
        if code in LANGUAGES:
            return code
    return SOURCE_LANGUAGE


def gettext(message: str) -> str:
    """The message in the language in force; import it as `_`."""
    return translations(language()).text(message) if message else ""


def ngettext(singular: str, plural: str, number: int) -> str:
    """The form of a message that fits a number, in the language in force."""
    return translations(language()).plural(singular, plural, number)


def pgettext(context: str, message: str) -> str:
    """A short message whose meaning depends on its place ("free" memory, "free" of charge)."""
    return translations(language()).text(message, context)


def marked(message: str) -> str:
    """Mark a message for extraction where it cannot be translated yet (tables at module level)."""
    return message

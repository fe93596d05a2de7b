"""Reads a message catalogue of gettext, the `.po` files of `resources/i18n`, as a program needs it.

Babel writes these files and the tests compare what it reads from them; its reader keeps what translators need as well,
which made a start in German or French a tenth slower.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from gettext import c2py
from pathlib import Path

_ENTRY = re.compile(
    r"""(?:^msgctxt[ ](?P<context>"[^\n]*(?:\n"[^\n]*)*)\n)?
        ^msgid[ ](?P<text>"[^\n]*(?:\n"[^\n]*)*)\n
        (?:^msgid_plural[ ](?P<plural>"[^\n]*(?:\n"[^\n]*)*)\n)?
        (?P<forms>(?:^msgstr(?:\[\d\])?[ ]"[^\n]*(?:\n"[^\n]*)*\n?)+)""",
    re.MULTILINE | re.VERBOSE,
)
_FORM = re.compile(r'^msgstr(?:\[\d\])? ("[^\n]*(?:\n"[^\n]*)*)', re.MULTILINE)
_PLURAL = re.compile(r"plural=(?P<rule>[^;]+);")
_ESCAPED = re.compile(r"\\(.)")
_SIGNS = {"n": "\n", "t": "\t", "r": "\r"}


@dataclass(frozen=True, slots=True)
class Messages:
    """The messages of a language: forms by context and text, and which form a number takes."""

    forms: Mapping[tuple[str, str], tuple[str, ...]]
    rule: str

    def text(self, message: str, context: str = "") -> str:
        """The translation of a message; the message itself where there is none."""
        return self.forms.get((context, message), (message,))[0]

    def plural(self, singular: str, plural: str, number: int) -> str:
        """The form of a message that fits a number."""
        forms = self.forms.get(("", singular))
        if forms is None:
            return singular if number == 1 else plural
        return forms[_chooser(self.rule)(number)]


@cache
def _chooser(rule: str) -> Callable[[int], int]:
    choose: Callable[[int], int] = c2py(rule)
    return choose


def read_po(path: Path) -> Messages:
    """The messages of a `.po` file; those without a translation are left out."""
    forms: dict[tuple[str, str], tuple[str, ...]] = {}
    for entry in _ENTRY.finditer(path.read_text(encoding="utf-8")):
        context, text = entry["context"], _joined(entry["text"])
        translated = tuple(map(_joined, _FORM.findall(entry["forms"])))
        if all(translated):
            forms[_joined(context) if context else "", text] = translated
    rule = _PLURAL.search(forms.pop(("", ""), ("",))[0])
    return Messages(forms, rule["rule"] if rule else "n != 1")


def _joined(quoted: str) -> str:
    """A text from its quoted pieces, one a line."""
    text = quoted[1:-1] if "\n" not in quoted else "".join(piece[1:-1] for piece in quoted.split("\n"))
    return _ESCAPED.sub(lambda sign: _SIGNS.get(sign[1], sign[1]), text) if "\\" in text else text

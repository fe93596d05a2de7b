"""The method page names every formula of the physics, word for word, and none that is no more."""

import re

from core.language.method_page import PAGE, filled, modules
from core.language.sentences import evidence
from core.sizing.report import Evidence

TEXT = PAGE.read_text(encoding="utf-8")


def test_lists_are_as_the_docstrings_have_them() -> None:
    assert filled(TEXT) == TEXT, "run `make translations`"


def test_every_module_with_formulas_has_its_list() -> None:
    listed = re.findall(r"<!-- formulas: (\w+) -->", TEXT)
    assert sorted(listed) == modules()
    assert len(modules()) >= 10


def test_each_list_is_followed_or_preceded_by_prose() -> None:
    for chapter in TEXT.split("\n## ")[1:]:
        prose = re.sub(r"<!-- formulas.*?<!-- end -->", "", chapter, flags=re.DOTALL)
        assert len(prose.split()) > 40, chapter[:40]


def test_a_changed_formula_would_be_noticed() -> None:
    changed = TEXT.replace("weights_bytes = ceil(parameters * bits / 8)", "weights_bytes = parameters * bits")
    assert changed != TEXT
    assert filled(changed) == TEXT


def test_evidence_has_the_same_words_as_the_window() -> None:
    for level in Evidence:
        assert f"| {evidence(level)} |" in TEXT

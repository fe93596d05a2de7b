"""The method page `resources/method.md`: prose by hand, lists of formulas from the docstrings.

A list stands between `<!-- formulas: weights -->` and `<!-- end -->` and names every public formula of that module of
`core.physics`. `make translations` writes the lists anew; a test requires that they are up to date and complete.
"""

import importlib
import pkgutil
import re
from collections.abc import Iterator

import core.physics
from core import RESOURCES
from core.trace import Formula, all_formulas, formula_of

PAGE = RESOURCES / "method.md"
_LIST = re.compile(r"<!-- formulas: (?P<module>\w+) -->\n.*?<!-- end -->", re.DOTALL)


def filled(page: str) -> str:
    """The page with every list of formulas as the docstrings have them."""
    return _LIST.sub(
        lambda found: f"<!-- formulas: {found['module']} -->\n{_formulas(found['module'])}<!-- end -->", page
    )


def modules() -> list[str]:
    """The modules of `core.physics` that hold formulas."""
    found = {module for module, _name, _formula in _public()}
    return sorted(found)


def _formulas(module: str) -> str:
    entries = (_entry(name, formula) for at, name, formula in _public() if at == module)
    return "\n" + "".join(entries) + "\n"


def _entry(name: str, formula: Formula) -> str:
    return f"- {formula.summary} `{name}`\n\n      {formula.name} = {formula.expression}\n\n"


def _public() -> Iterator[tuple[str, str, Formula]]:
    """Module, function and formula of everything marked in `core.physics`, in the order of the sources."""
    for module in pkgutil.walk_packages(core.physics.__path__, "core.physics."):
        importlib.import_module(module.name)
    for dotted, function in all_formulas().items():
        *package, module_name, name = dotted.split(".")
        if package[:2] == ["core", "physics"] and not name.startswith("_"):
            yield module_name, name, formula_of(function)


def main() -> None:
    """Write the lists of the page anew."""
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()

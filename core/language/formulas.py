"""A figure's formula as people read it: in words, and with its numbers put in.

The text comes from the docstring of the formula's function (`core.trace.formula_of`). Names are replaced by labels or
numbers; operators get their printed signs, and brackets are set only where they are needed, also round a sum that
stands where one name stood.
"""

import ast
from collections.abc import Callable, Mapping, Sequence

from core.language.figures import label
from core.language.messages import gettext as _
from core.language.messages import marked
from core.language.numbers import Formatter, current
from core.trace import Computed, Trace, formula_of

_SUM, _PRODUCT, _POWER, _ATOM = 1, 2, 3, 4
_OPERATORS: dict[type[ast.operator], tuple[str, int]] = {
    ast.Add: (" + ", _SUM),
    ast.Sub: (" − ", _SUM),
    ast.Mult: (" × ", _PRODUCT),
    ast.Div: (" / ", _PRODUCT),
    ast.FloorDiv: (" / ", _PRODUCT),
    ast.Mod: (" mod ", _PRODUCT),
    ast.Pow: ("^", _POWER),
}
_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Lt: " < ",
    ast.LtE: " ≤ ",
    ast.Gt: " > ",
    ast.GtE: " ≥ ",
    ast.Eq: " = ",
    ast.NotEq: " ≠ ",
}
_FUNCTIONS = {
    "min": marked("the smaller of ({arguments})"),
    "max": marked("the larger of ({arguments})"),
    "floor": marked("rounded down ({arguments})"),
    "ceil": marked("rounded up ({arguments})"),
    "sqrt": marked("square root of ({arguments})"),
    "exp": marked("exp({arguments})"),
    "log": marked("ln({arguments})"),
    "sum": marked("sum of ({arguments})"),
    "poisson_quantile": marked("Poisson quantile of ({arguments})"),
    "binomial_quantile": marked("binomial quantile of ({arguments})"),
    "normal_deviations": marked("normal quantile of ({arguments})"),
    "most_users": marked("most users for ({arguments})"),
}


def in_words(trace: Trace, key: str) -> str:
    """The formula of a figure with the names of its inputs; empty for a given figure.

    A parameter that no figure of its own stands behind keeps its name, spelled out.
    """
    entry = trace.entry(key)
    if not isinstance(entry, Computed):
        return ""
    names = {name: _names(at) for name, at in entry.inputs.items()}
    return write(formula_of(entry.function).expression, names, current().number)


def with_numbers(trace: Trace, key: str, formatter: Formatter) -> str:
    """The formula of a figure with the values of its inputs; empty for a given figure."""
    entry = trace.entry(key)
    if not isinstance(entry, Computed):
        return ""

    def shown(at: str) -> str:
        text = formatter.number(trace[at])
        return f"(−{text[1:]})" if text.startswith(("-", "−")) else text

    numbers = {
        name: [shown(at)] if isinstance(at, str) else [shown(one) for one in at] for name, at in entry.inputs.items()
    }
    return write(formula_of(entry.function).expression, numbers, formatter.number)


def write(
    expression: str, names: Mapping[str, Sequence[str]], number: Callable[[float], str] = lambda value: f"{value:g}"
) -> str:
    """A formula's expression as text.

    names    what is written for a name; several texts are written as their sum inside `sum(...)`, else as a list
    number   how a constant of the formula is written

    >>> write("2 * layers * (a + b)", {"layers": ["48"], "a": ["4"]})
    '2 × 48 × (4 + b)'
    >>> write("sum(parts) * factor", {"parts": ["1", "2"]})
    '(1 + 2) × factor'
    """
    return _Writer(names, number).text(ast.parse(expression, mode="eval").body)[0]


def _names(at: str | Sequence[str]) -> list[str]:
    return [label(at)] if isinstance(at, str) else [label(one) for one in at]


class _Writer:
    """Writes a syntax tree; every method returns the text and how tightly it binds."""

    def __init__(self, names: Mapping[str, Sequence[str]], number: Callable[[float], str]) -> None:
        self.names = names
        self.number = number

    def text(self, node: ast.expr) -> tuple[str, int]:
        method = getattr(self, f"_{type(node).__name__.lower()}", None)
        if method is None:
            return ast.unparse(node), _SUM
        written: tuple[str, int] = method(node)
        return written

    def _bound(self, node: ast.expr, tightness: int) -> str:
        text, binds = self.text(node)
        return text if binds >= tightness else f"({text})"

    def _name(self, node: ast.Name) -> tuple[str, int]:
        if node.id == "infinity":
            return "∞", _ATOM
        written = self.names.get(node.id)
        if written is None:
            return node.id.replace("_", " "), _ATOM
        if len(written) == 1:
            return written[0], _ATOM
        return "[" + "; ".join(written) + "]", _ATOM

    def _constant(self, node: ast.Constant) -> tuple[str, int]:
        return (self.number(node.value), _ATOM) if isinstance(node.value, int | float) else (str(node.value), _ATOM)

    def _binop(self, node: ast.BinOp) -> tuple[str, int]:
        sign, binds = _OPERATORS[type(node.op)]
        strict = isinstance(node.op, ast.Sub | ast.Div | ast.FloorDiv | ast.Mod | ast.Pow)
        left = self._bound(node.left, binds + isinstance(node.op, ast.Pow))
        right = self._bound(node.right, binds + strict)
        text = f"{left}{sign}{right}"
        return (
            (_("rounded down ({arguments})").format(arguments=text), _ATOM)
            if isinstance(node.op, ast.FloorDiv)
            else (text, binds)
        )

    def _unaryop(self, node: ast.UnaryOp) -> tuple[str, int]:
        if isinstance(node.op, ast.USub):
            return f"−{self._bound(node.operand, _PRODUCT)}", _SUM
        return ast.unparse(node), _SUM

    def _compare(self, node: ast.Compare) -> tuple[str, int]:
        text = self._bound(node.left, _SUM)
        for comparison, right in zip(node.ops, node.comparators, strict=True):
            text += _COMPARISONS[type(comparison)] + self._bound(right, _SUM)
        return text, 0

    def _call(self, node: ast.Call) -> tuple[str, int]:
        function = node.func.id if isinstance(node.func, ast.Name) else ast.unparse(node.func)
        if function == "sum" and isinstance(node.args[0], ast.Name) and node.args[0].id in self.names:
            terms = list(self.names[node.args[0].id])
            return (" + ".join(terms), _SUM if len(terms) > 1 else _ATOM) if terms else (self.number(0), _ATOM)
        arguments = [self.text(one)[0] for one in node.args]
        if function == "money":  # the same number, counted in decimals
            return self.text(node.args[0])
        if function == "where" and len(arguments) == 3:
            condition, then, otherwise = arguments
            text = _("({then} if {condition}, else {otherwise})")
            return text.format(then=then, condition=condition, otherwise=otherwise), _ATOM
        if function in _FUNCTIONS:
            return _(_FUNCTIONS[function]).format(arguments="; ".join(arguments)), _POWER
        return f"{function}({'; '.join(arguments)})", _ATOM

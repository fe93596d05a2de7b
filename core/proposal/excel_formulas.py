"""A figure's formula as a formula of a workbook, with cells in place of names, so that a change of an input goes on.

The text comes from the docstring of the formula's function (`core.trace.formula_of`), like the words of the appendix.
What a workbook has no function for (quantiles, the search for a number) stays a number.
"""

import ast
import math
from collections.abc import Mapping, Sequence

_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.Pow: "^",
}
_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "=",
    ast.NotEq: "<>",
}
_FUNCTIONS = {"min": "MIN", "max": "MAX", "sqrt": "SQRT", "exp": "EXP", "log": "LN", "sum": "SUM"}
#: A formula of a workbook may be so long; a longer one stays a number.
LONGEST = 8000
#: What a workbook writes for infinity.
LARGEST = "9.99E+307"

Cells = Mapping[str, str | Sequence[str]]


class Untranslatable(Exception):
    """A workbook cannot compute this."""


def excel_formula(expression: str, cells: Cells) -> str:
    """A formula's expression with cells for its names; empty where a workbook cannot compute it.

    >>> excel_formula("max(0, floor(free / each))", {"free": "B2", "each": "B3"})
    '=MAX(0,FLOOR(B2/B3,1))'
    >>> excel_formula("poisson_quantile(mean, share)", {"mean": "B2", "share": "B3"})
    ''
    """
    try:
        text = "=" + _written(ast.parse(expression, mode="eval").body, cells)
    except Untranslatable:
        return ""
    return text if len(text) <= LONGEST else ""


def _written(node: ast.expr, cells: Cells) -> str:
    if isinstance(node, ast.Name):
        at = cells.get(node.id)
        if isinstance(at, str):
            return at
        if at is not None:
            return ",".join(at)
        raise Untranslatable(node.id)
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return repr(node.value) if math.isfinite(node.value) else LARGEST
    if isinstance(node, ast.BinOp):
        return _operation(node, cells)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return f"(-{_written(node.operand, cells)})"
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        sign = _COMPARISONS[type(node.ops[0])]
        return f"{_bound(node.left, cells)}{sign}{_bound(node.comparators[0], cells)}"
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return _call(node.func.id, node.args, cells)
    raise Untranslatable(ast.unparse(node))


def _operation(node: ast.BinOp, cells: Cells) -> str:
    left, right = _bound(node.left, cells), _bound(node.right, cells)
    if isinstance(node.op, ast.FloorDiv):
        return f"FLOOR({left}/{right},1)"
    if isinstance(node.op, ast.Mod):
        return f"MOD({left},{right})"
    sign = _OPERATORS.get(type(node.op))
    if sign is None:
        raise Untranslatable(ast.unparse(node))
    return f"{left}{sign}{right}"


def _bound(node: ast.expr, cells: Cells) -> str:
    """A part with brackets where it is made of parts itself."""
    text = _written(node, cells)
    simple = isinstance(node, ast.Name | ast.Constant | ast.Call)
    return text if simple and "," not in text.partition("(")[0] else f"({text})"


def _call(name: str, arguments: Sequence[ast.expr], cells: Cells) -> str:
    if name == "money":  # the same number, counted in decimals
        return _bound(arguments[0], cells)
    written = [_written(one, cells) for one in arguments]
    if name in _FUNCTIONS:
        return f"{_FUNCTIONS[name]}({','.join(written) or '0'})"
    if name == "floor":
        return f"FLOOR({written[0]},1)"
    if name == "ceil":
        return f"CEILING({written[0]},1)"
    if name == "where" and len(written) == 3:
        return f"IF({','.join(written)})"
    raise Untranslatable(name)

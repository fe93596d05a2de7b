"""How every figure came about: the numbers that were given, and the formulas that were applied to them.

A `Trace` is filled while a scenario is sized. Each entry is either *given* (a catalogue figure, a choice of the user, a
number counted from a model file) or *computed* (a formula function applied to entries that are already there). Because
a computed entry names its function and its inputs, it can be explained in words, printed with its numbers put in, and
evaluated again: `Trace.reevaluate` must return the very same float.

A formula is an ordinary function whose docstring states the formula as `name = expression` in its second paragraph,
and which is marked with `@formula(unit)`. A test evaluates that text with the recorded inputs and compares it with
what the function returned, so text and code cannot drift apart.
"""

import ast
import inspect
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from functools import lru_cache
from operator import itemgetter
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, cast

from core.errors import TonnageError
from core.units import Unit

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")
P = ParamSpec("P")
Values = Mapping[str, Any]
#: Recipes of one kind that are kept.
RECIPES_KEPT = 4096


class OriginKind(StrEnum):
    """Where a given number comes from."""

    CATALOGUE = "catalogue"  # a device, link, format, engine or price record
    MODEL_FILE = "model_file"  # counted from config.json or a file header
    CHOICE = "choice"  # the user's input
    CALIBRATION = "calibration"  # fitted to public measurements
    METHOD = "method"  # a constant of the method itself
    ARTICLE = "article"  # a simplification of the founding article


@dataclass(frozen=True, slots=True)
class Origin:
    """The source of one given number, ready to be cited."""

    kind: OriginKind
    title: str = ""
    address: str = ""
    date: str = ""
    confidence: str = ""
    record: str = ""  # "devices/rtx-pro-6000-ws", so that the window can open the record


CHOICE = Origin(OriginKind.CHOICE)


@dataclass(frozen=True, slots=True)
class Given:
    """A number that enters the sizing from outside."""

    key: str
    value: Any
    unit: Unit
    origin: Origin


@dataclass(frozen=True, slots=True)
class Computed:
    """A number that a formula made from other entries of the same trace."""

    key: str
    value: Any
    function: Callable[..., Any]
    inputs: Mapping[str, str | Sequence[str]]  # parameter -> key, or keys for a parameter that takes a list

    @property
    def unit(self) -> Unit:
        return formula_of(self.function).unit


Entry = Given | Computed


@dataclass(frozen=True, slots=True)
class Formula:
    """The text of a formula: `name = expression`, read from the function's docstring."""

    name: str
    expression: str
    unit: Unit
    summary: str
    parameters: tuple[str, ...]


_FORMULAS: dict[Callable[..., Any], tuple[Unit, list[Formula]]] = {}
_ORDERS: dict[Callable[..., Any], tuple[str, ...]] = {}  # the parameters of each marked function, in their order


def formula(unit: Unit) -> Callable[[F], F]:
    """Mark a function as a formula with a result in `unit`; its docstring holds the text (see the module)."""

    def register(function: F) -> F:
        _FORMULAS[function] = (unit, [])
        code = function.__code__
        _ORDERS[function] = code.co_varnames[: code.co_argcount]
        return function

    return register


def formula_of(function: Callable[..., Any]) -> Formula:
    """The formula text of a marked function, read on first use."""
    unit, cached = _FORMULAS[function]
    if not cached:
        cached.append(_read(function, unit))
    return cached[0]


def all_formulas() -> dict[str, Callable[..., Any]]:
    """Every marked function by `module.name`, for the method page and its test."""
    return {f"{f.__module__}.{f.__name__}": f for f in _FORMULAS}


def _read(function: Callable[..., Any], unit: Unit) -> Formula:
    paragraphs = inspect.cleandoc(function.__doc__ or "").split("\n\n")
    if len(paragraphs) < 2 or "=" not in paragraphs[1]:
        raise TypeError(f"{function.__module__}.{function.__name__}: the second paragraph must be 'name = expression'")
    name, expression = " ".join(paragraphs[1].split()).split(" = ", 1)
    ast.parse(expression, mode="eval")
    return Formula(
        name.strip(),
        expression.strip(),
        unit,
        " ".join(paragraphs[0].split()),
        tuple(inspect.signature(function).parameters),
    )


def money(figure: float) -> Decimal:
    """A measured figure as a factor of money: the decimal number that it is printed as.

    Money is counted in decimal numbers, so that an offer adds up to the cent; watts, tokens and hours are floats. A
    formula says with `money(...)` where the one meets the other; on paper the figure itself stands there.

    >>> money(0.1), money(3)
    (Decimal('0.1'), Decimal('3'))
    """
    return Decimal(str(figure))


#: What a formula text may use besides its parameters.
EXPRESSION_NAMES: dict[str, Any] = {
    "min": min,
    "max": max,
    "sum": sum,
    "floor": math.floor,
    "ceil": math.ceil,
    "sqrt": math.sqrt,
    "exp": math.exp,
    "log": math.log,
    "where": lambda condition, then, otherwise: then if condition else otherwise,
    "money": money,
    "infinity": Decimal("Infinity"),
}


def expression_name(function: F) -> F:
    """Let formula texts name a function that no arithmetic can spell out, such as a quantile of a distribution."""
    EXPRESSION_NAMES[function.__name__] = function
    return function


def _values_of(values: Values, order: Sequence[str], inputs: Mapping[str, str | Sequence[str]]) -> list[Any]:
    """The arguments of a formula by position; in a plain loop, since it runs for every figure that is recorded."""
    arguments = []
    for name in order:
        at = inputs[name]
        arguments.append(values[at] if at.__class__ is str else [values[k] for k in at])
    return arguments


def _arguments(keys: Sequence[str | Sequence[str]]) -> Callable[[Values], Sequence[Any]]:
    """What takes the arguments of a formula out of the figures, a key or keys each; it runs at every step."""
    plain = [key for key in keys if isinstance(key, str)]
    if not plain and len(keys) == 1 and len(keys[0]) > 1:
        several = itemgetter(*keys[0])
        return lambda values: (list(several(values)),)
    if len(plain) < len(keys):
        return lambda values: [values[k] if isinstance(k, str) else [values[one] for one in k] for k in keys]
    if len(plain) > 1:
        return itemgetter(*plain)
    only = plain[0]
    return lambda values: (values[only],)


#: How each figure was last written in a recipe: most recipes write the same, and keep one record of it together.
_WRITTEN: dict[str, tuple[Any, Any]] = {}


def _shared(key: str, function: Callable[..., Any], inputs: Mapping[str, str | Sequence[str]]) -> tuple[Any, Any]:
    """The record of a formula and its inputs: the one that is kept, where it says the same."""
    how = (function, inputs)
    known = _WRITTEN.get(key)
    if known == how:
        return known
    _WRITTEN[key] = how
    return how


class _Constants(dict[str, Any]):
    """The constants of a recipe; those of the recipe before it are known too."""

    __slots__ = ("before",)

    def __init__(self, before: Mapping[str, Any]) -> None:
        super().__init__()
        self.before = before

    def __missing__(self, key: str) -> Any:
        return self.before[key]


class Recipe:
    """Formulas to apply one after another, whatever the numbers: written once, followed by many traces.

    It is written like a trace. Whoever writes it sees what decides which formulas apply, and no number that may differ
    among the traces that follow it, so that each of them holds what it would hold had the formulas been recorded one by
    one. What follows from constants alone is computed while it is written, and is a constant too.
    """

    __slots__ = ("_before", "_constants", "_found", "_steps")

    def __init__(self, after: "Recipe | None" = None) -> None:
        """Begin a recipe; every trace that follows it has followed `after` before, whose constants are known."""
        self._before = after
        self._constants: dict[str, Any] = {} if after is None else _Constants(after._constants)
        self._steps: list[tuple[str, Callable[..., Any], Callable[[Values], Sequence[Any]]]] = []
        self._found: dict[str, tuple[Any, Any]] = {}

    def given(self, key: str, value: Any, unit: Unit, origin: Origin = CHOICE) -> Any:
        """Write down a constant: a number that follows from what the writer sees."""
        self._constants[key] = value
        self._found[key] = (unit, origin)
        return value

    def compute(self, key: str, function: Callable[..., Any], **inputs: str | Sequence[str]) -> None:
        """Write down a formula; a second time the same is done once. Of constants it makes a constant."""
        order = _ORDERS[function]
        if len(order) != len(inputs):
            raise TypeError(f"{key}: {function.__name__} takes {', '.join(order)}")
        try:
            values = _values_of(self._constants, order, inputs)
        except KeyError:  # a figure that only those have who follow
            self._write(key, function, order, inputs)
            return
        self._constants[key] = function(*values)
        self._found[key] = _shared(key, function, inputs)

    def search(self, key: str, find: Callable[[Values], Any], unit: Unit, origin: Origin) -> None:
        """Write down a number that no formula gives: it is looked for among the figures of who follows."""
        self._steps.append((key, find, lambda values: (values,)))
        self._found[key] = (unit, origin)

    def _write(
        self, key: str, function: Callable[..., Any], order: Sequence[str], inputs: Mapping[str, str | Sequence[str]]
    ) -> None:
        if self._found.get(key) == (function, inputs):
            return
        if self._before is not None and key in self._before._constants:
            raise TypeError(f"{key}: a constant of the recipe before stays as it is")
        self._constants.pop(key, None)
        self._steps.append((key, function, _arguments([inputs[name] for name in order])))
        self._found[key] = _shared(key, function, inputs)

    def follow(self, formulas: "Recipe") -> None:
        """Write down what another recipe holds."""
        self._constants.update(formulas._constants)
        self._found.update(formulas._found)
        for key, function, _ in formulas._steps:
            self.compute(key, function, **formulas._found[key][1])

    def __getitem__(self, key: str) -> Any:
        """The value of a constant."""
        return self._constants[key]

    def __contains__(self, key: object) -> bool:
        """Was it written here, or in what comes before? What the trace holds that follows is not seen."""
        return key in self._found or (self._before is not None and key in self._before)

    def __len__(self) -> int:
        """Formulas in it."""
        return len(self._steps)

    def takes(self, key: str) -> bool:
        """Does a formula take this figure, which is not written here?"""
        return key not in self._found and any(key in self._found[step][1].values() for step, _, _ in self._steps)

    def apply(self, values: dict[str, Any]) -> None:
        """Compute its figures from those that are there."""
        for key, function, arguments in self._steps:
            values[key] = function(*arguments(values))

    def apply_where(self, found: Mapping[str, Any], values: dict[str, Any]) -> None:
        """Compute those of its figures that nobody has found in another way since."""
        for key, function, arguments in self._steps:
            if found.get(key) is self._found[key]:
                values[key] = function(*arguments(values))


class Same(Generic[T]):
    """Something that a recipe is written from and that is known by being the same one: a record or a model."""

    __slots__ = ("it",)

    def __init__(self, it: T) -> None:
        self.it = it

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and other.it is self.it

    def __hash__(self) -> int:
        return id(self.it)


def recipe(write: Callable[Concatenate[Recipe, P], None]) -> Callable[P, Recipe]:
    """Make of a function that writes a recipe one that returns it, written once for the same arguments."""

    @lru_cache(maxsize=RECIPES_KEPT)
    def written(*choices: P.args, **named: P.kwargs) -> Recipe:
        made = Recipe()
        write(made, *choices, **named)
        return made

    return cast(Callable[P, Recipe], written)


class _Values(dict[str, Any]):
    """Figures by key; one of a recipe that waits is computed when somebody asks for it, with all of that recipe."""

    __slots__ = ("found", "waiting")

    def __init__(self, found: Mapping[str, Any]) -> None:
        super().__init__()
        self.found = found
        self.waiting: list[Recipe] = []

    def __missing__(self, key: str) -> Any:
        for formulas in tuple(self.waiting):
            if key in formulas:
                self._compute(formulas)
                break
        if key in self:
            return self[key]
        raise KeyError(key)

    def settle(self) -> None:
        """Compute everything that waits."""
        for formulas in tuple(self.waiting):
            self._compute(formulas)

    def _compute(self, formulas: Recipe) -> None:
        """Compute what waits; only then does it wait no longer, so that another thread finds the one or the other."""
        formulas.apply_where(self.found, self)
        with suppress(ValueError):  # the other thread was faster
            self.waiting.remove(formulas)


class Trace:
    """The figures of one sizing by key, in the order in which they were found.

    Values stand apart from how they were found, and records are made when asked for: recording is in every sizing,
    explaining in few. Figures that few ask for may wait until then (`later`).
    """

    __slots__ = ("_found", "_values")

    def __init__(self) -> None:
        self._found: dict[str, tuple[Any, Any]] = {}  # (unit, origin) of a given number, (function, inputs) of another
        self._values = _Values(self._found)

    def copy(self) -> "Trace":
        """A trace with the same figures, to which others can be added or put in place."""
        twin = Trace()
        twin._found.update(self._found)
        twin._values.update(self._values)
        twin._values.waiting.extend(self._values.waiting)
        return twin

    def joined(self, *others: "Trace") -> "Trace":
        """A trace with the figures of others as well; a figure that is in several is that of the first."""
        whole = Trace()
        for trace in (*reversed(others), self):
            trace._values.settle()
            whole._values.update(trace._values)
            whole._found |= trace._found
        return whole

    def given(self, key: str, value: Any, unit: Unit, origin: Origin = CHOICE) -> Any:
        """Record a number from outside and return it."""
        self._values[key] = value
        self._found[key] = (unit, origin)
        return value

    def compute(self, key: str, function: Callable[..., Any], **inputs: str | Sequence[str]) -> Any:
        """Apply a formula to recorded entries (named by key), record the result under `key`, and return it."""
        values, order = self._values, _ORDERS.get(function, ())
        if len(order) != len(inputs):  # not marked, or with a default
            value = function(
                **{n: values[k] if isinstance(k, str) else [values[i] for i in k] for n, k in inputs.items()}
            )
        else:
            value = function(*_values_of(values, order, inputs))
        values[key] = value
        self._found[key] = (function, inputs)
        return value

    def follow(self, formulas: Recipe) -> None:
        """Apply the formulas of a recipe."""
        self._values.update(formulas._constants)
        formulas.apply(self._values)
        self._found.update(formulas._found)

    def later(self, formulas: Recipe) -> None:
        """Apply the formulas of a recipe when one of its figures is asked for.

        What they need must be there by then, and not change any more. A figure that is found in another way in the
        meantime stays as it is.
        """
        self._values.update(formulas._constants)
        self._values.waiting.append(formulas)
        self._found.update(formulas._found)

    def settle(self) -> None:
        """Compute everything that waits: before another number takes the place of one that is there."""
        self._values.settle()

    def move(self, key: str, to: str) -> None:
        """Give a figure that no other figure uses another key, so that one made of it can take its place."""
        self._values[to] = self._values[key]
        del self._values[key]
        self._found[to] = self._found.pop(key)

    def __getitem__(self, key: str) -> Any:
        """The value of a figure."""
        return self._values[key]

    def __contains__(self, key: object) -> bool:
        return key in self._found

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def get(self, key: str, default: Any = None) -> Any:
        return self._values[key] if key in self._found else default

    def entry(self, key: str) -> Entry:
        """The record of a figure: how it was found."""
        try:
            how, detail = self._found[key]
        except KeyError:
            raise TonnageError("There is no figure called {key} in this sizing.", key=repr(key)) from None
        if isinstance(how, Unit):
            return Given(key, self._values[key], how, detail)
        return Computed(key, self._values[key], how, detail)

    def reevaluate(self, key: str) -> Any:
        """Compute a figure again from the given numbers alone."""
        done: dict[str, Any] = {}

        def value(at: str) -> Any:
            if at not in done:
                entry = self.entry(at)
                if isinstance(entry, Given):
                    done[at] = entry.value
                else:
                    done[at] = entry.function(
                        **{
                            n: value(k) if isinstance(k, str) else [value(one) for one in k]
                            for n, k in entry.inputs.items()
                        }
                    )
            return done[at]

        return value(key)

    def used_by(self, key: str) -> list[str]:
        """The figures that take this one as an input: where it goes."""
        return [
            entry.key
            for entry in map(self.entry, self)
            if isinstance(entry, Computed)
            and any(key == at or (not isinstance(at, str) and key in at) for at in entry.inputs.values())
        ]


#: What formulas are written to, whether they are computed at once or when a trace follows them.
Recorder = Trace | Recipe

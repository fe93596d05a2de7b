"""Arithmetic that takes one number or a whole axis of them.

Formulas are written once and serve a single sizing (plain floats) as well as a curve of 64 points (numpy arrays). numpy
is imported only when an argument already is an array, so that a sizing never pays for it. The elementwise results are
bit for bit those of the float version: both round once, as IEEE 754 prescribes for the operations used here. `power` is
the exception in numpy, whose vectorised routine may differ from the C library by one unit in the last place; it
therefore walks the array with the float routine.
"""

import math
from typing import Any

_NUMBERS = (float, int)


def _is_array(*values: Any) -> bool:
    for value in values:  # noqa: SIM110 -- asked at every step of a formula, where a generator costs
        if value.__class__ not in _NUMBERS and hasattr(value, "ndim"):
            return True
    return False


def minimum(*values: Any) -> Any:
    """The smallest of the values, element by element.

    >>> minimum(3, 2.5, 4)
    2.5
    """
    for value in values:  # asked at every step of a formula: in place, since a call costs as much
        if value.__class__ not in _NUMBERS and hasattr(value, "ndim"):
            break
    else:
        return min(values)
    import numpy as np

    smallest = values[0]
    for value in values[1:]:
        smallest = np.minimum(smallest, value)
    return smallest


def maximum(*values: Any) -> Any:
    """The largest of the values, element by element.

    >>> maximum(3, 2.5, 4)
    4
    """
    for value in values:
        if value.__class__ not in _NUMBERS and hasattr(value, "ndim"):
            break
    else:
        return max(values)
    import numpy as np

    largest = values[0]
    for value in values[1:]:
        largest = np.maximum(largest, value)
    return largest


def where(condition: Any, then: Any, otherwise: Any) -> Any:
    """`then` where the condition holds, else `otherwise`; both are computed.

    Along an axis whole numbers become floats: those of numpy end at 2**63, and bytes of all accelerators may be more.

    >>> where(2 > 1, "yes", "no")
    'yes'
    """
    if not _is_array(condition, then, otherwise):
        return then if condition else otherwise
    import numpy as np

    floats = (float(one) if one.__class__ is int else one for one in (then, otherwise))
    return np.where(condition, *floats)


def floor(value: Any) -> Any:
    """The largest whole number not above the value.

    >>> floor(2.7)
    2
    """
    if value.__class__ in _NUMBERS or not hasattr(value, "ndim"):
        return math.floor(value)
    import numpy as np

    return np.floor(value)


def ceil(value: Any) -> Any:
    """The smallest whole number not below the value.

    >>> ceil(2.1)
    3
    """
    if value.__class__ in _NUMBERS or not hasattr(value, "ndim"):
        return math.ceil(value)
    import numpy as np

    return np.ceil(value)


def sqrt(value: Any) -> Any:
    """The square root.

    >>> sqrt(9.0)
    3.0
    """
    if value.__class__ in _NUMBERS or not hasattr(value, "ndim"):
        return math.sqrt(value)
    import numpy as np

    return np.sqrt(value)


def power(base: Any, exponent: Any) -> Any:
    """`base ** exponent`, with the float routine for every element.

    >>> power(2.0, 10)
    1024.0
    """
    if not _is_array(base, exponent):
        return base**exponent
    return _each(lambda b, e: b**e, base, exponent)


def exp(value: Any) -> Any:
    """e to the value, with the float routine for every element.

    >>> exp(0.0)
    1.0
    """
    if value.__class__ in _NUMBERS or not hasattr(value, "ndim"):
        return math.exp(value)
    return _each(math.exp, value)


def log(value: Any) -> Any:
    """The natural logarithm, with the float routine for every element.

    >>> log(1.0)
    0.0
    """
    if value.__class__ in _NUMBERS or not hasattr(value, "ndim"):
        return math.log(value)
    return _each(math.log, value)


def _each(function: Any, *arguments: Any) -> Any:
    """A float function on every element; the shapes are broadcast."""
    import numpy as np

    broadcast = np.broadcast_arrays(*arguments)
    results = [function(*items) for items in zip(*(a.ravel().tolist() for a in broadcast), strict=True)]
    return np.array(results).reshape(broadcast[0].shape)

"""One number and an axis of numbers give the same floats, to the last bit."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.physics import arrays

positive = st.floats(min_value=1e-12, max_value=1e15)
axis = st.lists(positive, min_size=1, max_size=20)


@given(axis, positive)
def test_minimum_and_maximum_take_arrays(values: list[float], other: float) -> None:
    array = np.array(values)
    assert arrays.minimum(array, other).tolist() == [arrays.minimum(v, other) for v in values]
    assert arrays.maximum(other, array).tolist() == [arrays.maximum(v, other) for v in values]


@pytest.mark.parametrize("name", ["floor", "ceil", "sqrt"])
@given(axis)
def test_roundings_and_roots_are_bit_identical(name: str, values: list[float]) -> None:
    function = getattr(arrays, name)
    assert function(np.array(values)).tolist() == [function(v) for v in values]


@given(st.lists(st.floats(min_value=1e-6, max_value=1e3), min_size=1, max_size=20), st.floats(0.1, 3))
def test_powers_are_bit_identical(values: list[float], exponent: float) -> None:
    assert arrays.power(np.array(values), exponent).tolist() == [v**exponent for v in values]
    assert arrays.power(exponent, np.array(values) / 100).tolist() == [exponent ** (v / 100) for v in values]


@given(st.lists(st.floats(-50, 50), min_size=1, max_size=20))
def test_exponentials_are_bit_identical(values: list[float]) -> None:
    assert arrays.exp(np.array(values)).tolist() == [arrays.exp(v) for v in values]


def test_where_chooses_element_by_element() -> None:
    assert arrays.where(np.array([True, False]), 1.0, 2.0).tolist() == [1.0, 2.0]
    assert arrays.where(True, 1.0, 2.0) == 1.0


def test_numpy_is_imported_for_arrays_only() -> None:
    code = "import sys; from core.physics import arrays as a; a.power(2, 3); a.minimum(1, 2); "
    code += "print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"

"""Bits per weight that lead back to the bytes of a file, to the last one."""

from math import ceil, nextafter


def exact_bits(stored: float, parameters: int) -> float:
    """Bits per weight of which `ceil(parameters * bits / 8)` are exactly the stored bytes.

    bits = bytes * 8 / parameters, taken down by what rounding added

    Parameters
    ----------
    stored : bytes of all tensors of a class, scales included [byte]
    parameters : number of weights in the class, at least 1

    Returns
    -------
    bits per weight [bit/weight]

    >>> exact_bits(4_500_000_000, 8_000_000_000)
    4.5
    """
    bits = stored * 8 / parameters
    while ceil(parameters * bits / 8) > ceil(stored):
        bits = nextafter(bits, 0.0)
    return bits

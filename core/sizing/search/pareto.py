"""The best speed for each price: what nothing cheaper, or as cheap, reaches."""

from collections.abc import Sequence


def best_for_their_price(points: Sequence[tuple[float, float]]) -> list[bool]:
    """Which points of price and speed nothing else beats; points without a finite price are not among them.

    Parameters
    ----------
    points : price, speed

    Returns
    -------
    one mark a point; equal points are marked alike

    >>> best_for_their_price([(10.0, 5.0), (10.0, 6.0), (20.0, 6.0), (30.0, 9.0), (float("inf"), 99.0)])
    [False, True, False, True, False]
    """
    marks, fastest, cheapest_at = [False] * len(points), float("-inf"), float("inf")
    for place in sorted(range(len(points)), key=lambda n: (points[n][0], -points[n][1])):
        price, speed = points[place]
        if price == float("inf"):
            break
        if speed > fastest:
            fastest, cheapest_at, marks[place] = speed, price, True
        elif speed == fastest and price == cheapest_at:
            marks[place] = True
    return marks

"""Prints how far the shipped calibration is from the measurements: one device, one request.

python -m tests.accuracy.report

For information: the parameters were fitted to most of these rows, so this is not a test of prediction.
"""

from collections import defaultdict
from statistics import median, quantiles

from tests.accuracy.coverage import families
from tests.accuracy.measurements import format_class, kind
from tests.accuracy.predictions import Comparison, comparisons


def cells(one: Comparison, family: str) -> list[str]:
    """The lines of the table that a comparison counts for."""
    record = one.record
    figure = kind(record)
    names = [figure, f"{figure}, {family}", f"{figure}, {record['engine_family']}, {format_class(record)}"]
    if figure == "decode" and (record["workload"].get("context_depth") or 0) >= 16_000:
        names.append("decode, depth >= 16k")
    return names


def main() -> None:
    """Print the table."""
    family_of = families()
    groups: dict[str, list[Comparison]] = defaultdict(list)
    for one in comparisons():
        for name in cells(one, family_of[one.record["device_id"]]):
            groups[name].append(one)
    print(f"{'figure':44} {'rows':>5} {'median':>7} {'P90':>6} {'bias':>6} {'held':>6}")
    for name, members in sorted(groups.items()):
        errors = [abs(one.error) for one in members]
        worst = quantiles(errors, n=10)[-1] if len(errors) > 1 else errors[0]
        bias = median(one.p50 / one.measured for one in members)
        held = sum(one.p10 <= one.measured <= one.p90 for one in members) / len(members)
        print(f"{name:44} {len(members):5} {median(errors):7.1%} {worst:6.0%} {bias:6.2f} {held:6.0%}")


if __name__ == "__main__":
    main()

"""The estimates of a sizing whose speed is known."""

from core.sizing.report import Estimate, Sizing


def decode_of(sizing: Sizing) -> Estimate:
    assert sizing.decode is not None
    return sizing.decode


def ttft_of(sizing: Sizing) -> Estimate:
    assert sizing.ttft is not None
    return sizing.ttft


def throughput_of(sizing: Sizing) -> Estimate:
    assert sizing.throughput is not None
    return sizing.throughput

"""The bytes of recurrent states: of sequences, and of the slots that were printed."""

from collections.abc import Callable
from typing import Any

from tests.accuracy.figures import llama_cpp, sglang
from tests.accuracy.figures.asked import Asked
from tests.accuracy.records import Unusable


def of_sequences(q: Asked) -> float:
    if llama_cpp.is_llama(q.case):
        return llama_cpp.states_bytes(q.case)
    return float(q.sizing.trace["accelerator.state_bytes_per_request"]) * q.sequences


def per_layer(q: Asked) -> float:
    sizing = q.sizing
    layers = sum(group.layers for group in sizing.blueprint.recurrent)
    if not layers:
        raise Unusable("the model keeps no recurrent state")
    return float(sizing.trace["state_bytes_per_request"]) / layers


def part_of_rows(part: str) -> Callable[[Asked], float]:
    """The convolutions or the matrices of all rows."""

    def predict(q: Asked) -> float:
        trace, groups = q.sizing.trace, range(len(q.sizing.blueprint.recurrent))
        sizes = [_elements(trace, n, name) for n in groups for name in ("convolution", "matrix")]
        if not sizes:
            raise Unusable("the model keeps no recurrent state")
        return of_sequences(q) * sum(_elements(trace, n, part) for n in groups) / sum(sizes)

    return predict


def of_slots(q: Asked) -> float:
    slots = q.observed.count("mamba_slots")
    sizing = q.sizing
    described = q.record.part("geometry").number("state_bytes_per_slot")
    if slots and described:
        return slots * described
    if not slots or not sizing.blueprint.recurrent:
        raise Unusable("the number of state slots or the shape of the state is not stated")
    groups = range(len(sizing.blueprint.recurrent))
    keys = [f"state.{n}.rank_bytes" if f"state.{n}.rank_bytes" in sizing.trace else f"state.{n}.bytes" for n in groups]
    spare = int(q.record.fields.get("geometry") is None)  # one slot of the pool stays empty
    if sglang.is_sglang(q):
        return (slots + spare) * sglang.state_bytes(q)
    return (slots + spare) * sum(float(sizing.trace[key]) for key in keys)


def part_of_slots(part: str) -> Callable[[Asked], float]:
    def predict(q: Asked) -> float:
        trace, groups = q.sizing.trace, range(len(q.sizing.blueprint.recurrent))
        if not groups and len({"ssm_state_gib", "conv_state_gib"} & set(q.observed.fields)) == 1:
            return of_slots(q)  # all of it in one figure
        if not groups:
            return of_slots(q) * _described_share(q, part)
        if sglang.is_sglang(q):
            return of_slots(q) * sglang.state_bytes(q, part) / sglang.state_bytes(q)
        whole = sum(_elements(trace, n, name) for n in groups for name in ("convolution", "matrix"))
        share = sum(_elements(trace, n, part) for n in groups) / whole if whole else 0.0
        return of_slots(q) * share

    return predict


def _described_share(q: Asked, part: str) -> float:
    """The part of a described state. Layers of linear attention beside latent ones are Kimi's delta attention.

    Three convolutions of width 4 in 16 bit, and for each head of 128 a matrix in 32 bit.
    """
    layers = q.record.part("geometry").part("layers")
    if not layers.count("latent_attention", 0) or "linear_attention" not in layers.fields:
        raise Unusable("the number of state slots or the shape of the state is not stated")
    width = 128
    sizes = {"convolution": 3 * width * 3 * 2, "matrix": width * width * 4}
    return sizes[part] / sum(sizes.values())


def _elements(trace: Any, group: int, part: str) -> float:
    return float(trace[f"state.{group}.{part}_elements"]) * float(trace[f"state.{group}.{part}_bytes"])

"""Which precision each class of tensors has in memory.

`core.catalogue.precision` says what a file holds; here is what that means for memory, and the article's rule of thumb.
"""

from collections.abc import Iterable, Mapping
from math import floor

from core.architecture.blueprint import TensorClass
from core.catalogue.records import WeightFormat

#: Classes that a GGUF file of the language model does not hold: they take no memory.
NOT_IN_GGUF = (TensorClass.VISION, TensorClass.MTP)


def plain_bits(weight_format: WeightFormat) -> float:
    """The bits that people say: 4 for NVFP4 with its 4.5, 8 for FP8 [bit/weight].

    >>> plain_bits(WeightFormat(id="nvfp4", name="NVFP4", bits=4.5, compute="fp4", format_class="nvfp4"))
    4.0
    """
    return float(max(1, floor(weight_format.bits)))


def flat_bits(weight_format: WeightFormat, classes: Iterable[TensorClass]) -> dict[TensorClass, float]:
    """The same plain bits for every class, as the article counts."""
    return dict.fromkeys(classes, plain_bits(weight_format))


def stored_bits(
    weight_format: WeightFormat, bits: Mapping[TensorClass, float], predicts: bool = False
) -> Mapping[TensorClass, float]:
    """Bits of each class as far as the file holds it: nothing for the image tower of a GGUF file.

    Nothing for its MTP layers either, unless the model guesses ahead with them (`predicts`): then it is a file that
    has them, and llama.cpp quantises them like any other layer.
    """
    if weight_format.container != "gguf":
        return bits
    held = {TensorClass.MTP: weight_format.bits} if predicts else {}
    return {**bits, **dict.fromkeys(NOT_IN_GGUF, 0.0), **held}

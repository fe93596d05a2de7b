"""How many bits the weights of a model take in a format, by class of tensor.

Files keep some classes in another precision than the format's name says, and it is there that `parameters x bits` goes
wrong: head and embedding are 10 to 25 % of a small model.
"""

from collections.abc import Mapping

from core.architecture.blueprint import Blueprint, Quantisation, TensorClass
from core.catalogue import gguf_rows
from core.catalogue.records import Checkpoint, WeightFormat

#: Tensors that every token reads, outside the routed experts.
_DENSE = (
    TensorClass.ATTENTION,
    TensorClass.RECURRENT,
    TensorClass.FEED_FORWARD,
    TensorClass.SHARED_EXPERT,
)
#: Classes that a GGUF file of the language model does not hold.
_NOT_IN_GGUF = (TensorClass.VISION, TensorClass.MTP)
#: A config that says so is of a model trained in this format: GGUF files keep its experts as they are, by any name.
_TRAINED_IN = "mxfp4"


def compose_bits(
    chosen: WeightFormat,
    blueprint: Blueprint | None = None,
    quantisation: Quantisation | None = None,
    checkpoint: Checkpoint | None = None,
) -> Mapping[TensorClass, float]:
    """Bits per weight of every class: the format's usual, the model's own quantisation, the published checkpoint.

    bits(class) = checkpoint's, else quantisation's, else kept(class), else the format's bits

    Parameters
    ----------
    chosen : the weight format
    blueprint : the model, where there is one
    quantisation : what the config of a checkpoint in this format states
    checkpoint : published weights in this format

    Returns
    -------
    bits per weight for all classes [bit/weight]

    Notes
    -----
    A tied embedding is the output matrix and has its bits. In a GGUF mixture whose file size is known, the layers (of a
    mixture of experts: the experts) take what the file leaves for them. Of gpt-oss, trained in MXFP4, every GGUF
    file keeps the experts in it: that of 120B in "Q8_0" is as large as that in MXFP4, 63.4 GB (AlexsJones/llmfit#1059).

    >>> from core.catalogue.records import WeightFormat
    >>> plain = WeightFormat(id="x", name="x", bits=8, kept={TensorClass.HEAD: 16}, compute="fp8", format_class="fp8")
    >>> bits = compose_bits(plain)
    >>> bits[TensorClass.HEAD], bits[TensorClass.ATTENTION]
    (16.0, 8.0)
    """
    bits = {kind: float(chosen.kept.get(kind, chosen.bits)) for kind in TensorClass}
    if TensorClass.NGRAM not in chosen.kept:
        bits[TensorClass.NGRAM] = bits[TensorClass.EMBEDDING]
    if chosen.flat or blueprint is None:
        return bits
    if checkpoint is not None and checkpoint.bits.keys() >= blueprint.parameters.keys():
        bits.update(checkpoint.bits)  # every tensor was weighed
        if blueprint.tied_embedding:
            bits[TensorClass.HEAD] = bits[TensorClass.EMBEDDING]
        return bits
    if quantisation is not None:
        bits.update(quantisation.bits)
    if checkpoint is not None:
        bits.update(checkpoint.bits)
    if blueprint.tied_embedding:
        bits[TensorClass.EMBEDDING] = bits[TensorClass.HEAD]
    if chosen.container == "gguf":
        _shift_to_dense(bits, chosen, blueprint)
        _widen_odd_rows(bits, chosen, blueprint)
        if blueprint.quantisation is not None and blueprint.quantisation.method == _TRAINED_IN:
            bits[TensorClass.EXPERT] = blueprint.quantisation.bits[TensorClass.EXPERT]
        if checkpoint is not None and checkpoint.file_bytes is not None and not checkpoint.bits:
            _fit_to_file(bits, chosen, blueprint, checkpoint.file_bytes)
    return bits


def file_bytes(bits: Mapping[TensorClass, float], parameters: Mapping[TensorClass, int]) -> float:
    """Bytes of a file with these parameters.

    bytes = sum over classes of parameters * bits / 8

    >>> file_bytes({TensorClass.EXPERT: 4.5}, {TensorClass.EXPERT: 1600})
    900.0
    """
    return sum(count * bits[kind] for kind, count in parameters.items()) / 8


def _shift_to_dense(bits: dict[TensorClass, float], chosen: WeightFormat, blueprint: Blueprint) -> None:
    """Mixtures of experts: more bits for what every token reads, taken from the experts."""
    experts = blueprint.parameters.get(TensorClass.EXPERT, 0)
    extra = chosen.moe_dense_extra_bits
    if not experts or not extra:
        return
    for kind in _DENSE:
        bits[kind] += extra
    moved = extra * sum(blueprint.parameters.get(kind, 0) for kind in _DENSE)
    bits[TensorClass.EXPERT] -= moved / experts


def _widen_odd_rows(bits: dict[TensorClass, float], chosen: WeightFormat, blueprint: Blueprint) -> None:
    """Tensors whose rows do not divide into blocks of the mixture have a wider type."""
    for kind, more in gguf_rows.widened(chosen.id, blueprint):
        bits[kind] += more
    for kind in (TensorClass.EMBEDDING, TensorClass.HEAD):
        bits[kind] = gguf_rows.widened_words(chosen.id, bits[kind], blueprint)


def _fit_to_file(bits: dict[TensorClass, float], chosen: WeightFormat, blueprint: Blueprint, size: int) -> None:
    """Let the layers, or the experts where there are any, take what the file leaves for them."""
    counts = {kind: n for kind, n in blueprint.parameters.items() if kind not in _NOT_IN_GGUF}
    free = [TensorClass.EXPERT] if counts.get(TensorClass.EXPERT) else [k for k in _DENSE if k not in chosen.kept]
    flexible = file_bytes(bits, {kind: counts.get(kind, 0) for kind in free})
    if not flexible:
        return
    factor = (size - (file_bytes(bits, counts) - flexible)) / flexible
    if 0.8 < factor < 1.25:  # otherwise the file is not what its name says, and the usual bits are the better guess
        for kind in free:
            bits[kind] *= factor

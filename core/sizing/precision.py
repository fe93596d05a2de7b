"""Which precision each class of tensors has."""

from collections.abc import Mapping
from math import floor

from core.architecture.blueprint import Blueprint, TensorClass
from core.catalogue.records import Model, WeightFormat


def weight_bits(
    blueprint: Blueprint, weight_format: WeightFormat, own: Mapping[TensorClass, float], article: bool
) -> dict[TensorClass, float]:
    """Bits per weight of every class of tensors of a model.

    A format keeps some classes in another precision; a checkpoint may state its own (`own`). GGUF files of mixtures give
    the tensors outside the experts more bits and take them from the experts. In article mode every weight has the
    format's plain bits: 4 for NVFP4, not 4.5.

    Parameters
    ----------
    blueprint : whose classes are meant
    weight_format : as chosen
    own : bits that the checkpoint states [bit/weight]
    article : the founding article's simplification

    Returns
    -------
    bits per weight by class [bit/weight]
    """
    if article or weight_format.flat:
        return dict.fromkeys(blueprint.parameters, float(floor(weight_format.bits)))
    extra = weight_format.moe_dense_extra_bits if blueprint.moe else 0.0
    bits = {c: own.get(c, weight_format.kept.get(c, weight_format.bits + extra)) for c in blueprint.parameters}
    if extra and TensorClass.EXPERT not in own:
        raised = sum(n for c, n in blueprint.parameters.items() if c not in weight_format.kept and c not in own)
        experts = blueprint.parameters[TensorClass.EXPERT]
        bits[TensorClass.EXPERT] = weight_format.bits - extra * (raised - experts) / experts
    return bits


def own_bits(blueprint: Blueprint, model: Model | None, format_id: str) -> Mapping[TensorClass, float]:
    """What the checkpoint in this format says of its own bits: the catalogue's record, else the config of the model."""
    for checkpoint in model.checkpoints if model else ():
        if checkpoint.weights == format_id and checkpoint.bits:
            return checkpoint.bits
    quantisation = blueprint.quantisation
    return quantisation.bits if quantisation and quantisation.format_id == format_id else {}

"""Weights: how many bytes a checkpoint takes, in all and on one accelerator.

A checkpoint is counted class by class (experts, attention, embedding, ...), because each class has a precision of its
own. "Parameters times bits" for the whole model is the textbook's shortcut, off by up to a third where it matters.
"""

from collections.abc import Sequence
from typing import Any

from core.physics.arrays import ceil, maximum, where
from core.trace import formula
from core.units import Unit


@formula(Unit.BYTE)
def weights_bytes(parameters: int, bits: float) -> Any:
    """Bytes of the tensors of one class.

    weights_bytes = ceil(parameters * bits / 8)

    Parameters
    ----------
    parameters : number of weights in the class
    bits : stored bits per weight, scales included [bit/weight]

    Returns
    -------
    bytes, whole [byte]

    Notes
    -----
    Padding of tensors and the header of the file are left out (below 0.1 %).

    >>> weights_bytes(35_000_000_000, 4)
    17500000000

    References
    ----------
    1. NVIDIA, NVFP4: 4 bits per weight and one FP8 scale per 16 weights, 4.5 bits.
    """
    return ceil(parameters * bits / 8)


@formula(Unit.BYTE)
def total_weights_bytes(classes: Sequence[int]) -> int:
    """Bytes of all weights of a model: every class is resident, used in this token or not.

    total_weights_bytes = sum(classes)

    Parameters
    ----------
    classes : bytes of each class of tensors [byte]

    Returns
    -------
    bytes of the checkpoint [byte]

    >>> total_weights_bytes([4_000_000_000, 500_000_000])
    4500000000
    """
    return sum(classes)


@formula(Unit.PARAMETER)
def total_parameters(classes: Sequence[int]) -> int:
    """Parameters of all classes together.

    total_parameters = sum(classes)

    Parameters
    ----------
    classes : parameters of each class of tensors

    Returns
    -------
    resident parameters

    >>> total_parameters([30_000_000_000, 5_000_000_000])
    35000000000
    """
    return sum(classes)


@formula(Unit.PARAMETER)
def active_parameters(dense: Sequence[int], layers: int, experts_per_token: int, parameters_per_expert: int) -> int:
    """Parameters that one token is multiplied with.

    active_parameters = sum(dense) + layers * experts_per_token * parameters_per_expert

    Parameters
    ----------
    dense : parameters of the classes that every token passes through
    layers : layers with routed experts; 0 for a dense model
    experts_per_token : experts that one token is sent to
    parameters_per_expert : size of one expert in one layer

    Returns
    -------
    active parameters

    Notes
    -----
    The input embedding is looked up, not multiplied, unless it is the output head as well.

    >>> active_parameters([1_000_000_000], 48, 8, 5_000_000)
    2920000000
    """
    return sum(dense) + layers * experts_per_token * parameters_per_expert


@formula(Unit.BYTE)
def part_of_ranks(whole: int, tensor: int) -> Any:
    """Weights that tensor parallelism divides evenly, on one accelerator.

    part_of_ranks = ceil(whole / tensor)

    Parameters
    ----------
    whole : of all accelerators [byte]
    tensor : accelerators that share each layer

    Returns
    -------
    bytes [byte]

    >>> part_of_ranks(1001, 2)
    501
    """
    return ceil(whole / tensor)


@formula(Unit.BYTE)
def rank_weights_bytes(
    layered: int, replicated: int, first: int, last: int, layers: int, tensor: int, pipeline: int
) -> Any:
    """Weights on the accelerator that holds the most of them.

    rank_weights_bytes = ceil((layered * ceil(layers / pipeline) / layers
        + where(pipeline > 1, max(first, last), first + last)) / tensor + replicated * ceil(layers / pipeline) / layers)

    Parameters
    ----------
    layered : tensors inside layers that tensor parallelism splits [byte]
    replicated : norms and routers, which every tensor-parallel rank keeps whole [byte]
    first : what stands on the first pipeline stage: embedding, image tower [byte]
    last : what stands on the last stage: head, multi-token prediction [byte]
    layers : layers of the model
    tensor : accelerators that share each layer
    pipeline : stages

    Returns
    -------
    bytes on one accelerator [byte]

    Notes
    -----
    Layers count as equal. Stages that do not divide evenly: the longest one counts, with the larger of the two ends.

    >>> rank_weights_bytes(100_000, 0, 2_000, 2_000, 126, 1, 2)
    52000
    >>> rank_weights_bytes(100_000, 0, 2_000, 2_000, 126, 4, 1)
    26000
    """
    ends = where(pipeline > 1, maximum(first, last), first + last)
    return ceil(
        (layered * ceil(layers / pipeline) / layers + ends) / tensor + replicated * ceil(layers / pipeline) / layers
    )

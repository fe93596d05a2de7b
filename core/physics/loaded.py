"""Weights as engines hold them, where that is not what the file holds: padded for kernels, or whole on every rank."""

from typing import Any

from core.physics.arrays import ceil
from core.trace import formula
from core.units import Unit


@formula(Unit.COUNT)
def expert_width(parameters: int, hidden_size: int) -> float:
    """Width inside an expert stored in MXFP4, a multiple of its blocks of 32; biases are less than a block.

    expert_width = 32 * floor(parameters / (96 * hidden_size))

    Parameters
    ----------
    parameters : of one gated expert in one layer
    hidden_size : width of the model

    Returns
    -------
    elements

    >>> expert_width(24_891_840 + 3 * 2880, 2880)
    2880
    """
    return 32 * (parameters // (96 * hidden_size))


@formula(Unit.BYTE)
def padded_expert_bytes(
    expert_bytes: int,
    hidden_size: int,
    width: float,
    ranks: int,
    hidden_multiple: int,
    width_multiple: int,
) -> Any:
    """Experts in MXFP4 in the layout of their kernel, which pads both sides of every matrix.

    padded_expert_bytes = ceil(expert_bytes * ceil(hidden_size / hidden_multiple) * hidden_multiple / hidden_size
        * ceil(width / ranks / width_multiple) * width_multiple * ranks / width)

    Parameters
    ----------
    expert_bytes : all routed experts as the file holds them, scales included [byte]
    hidden_size, width : sides of an expert's matrices
    ranks : accelerators among which the width of an expert is divided
    hidden_multiple, width_multiple : what the kernel pads each side to

    Returns
    -------
    bytes of all ranks together [byte]

    Notes
    -----
    Both sides of gpt-oss are 2,880. Marlin pads them to 3,072 and 2,944: gpt-oss 20B takes 13.69 GiB in place of the
    12.82 of its file; vLLM 0.12 reported 13.72 on four consumer cards and 13.70 on A100. On H100 it reported 13.47 and,
    for the 120B, 64.38: one side padded to 3,072 gives 13.45 and 64.6.

    >>> round(padded_expert_bytes(10_152_345_600, 2880, 2880, 1, 256, 128) / 10_152_345_600, 4)
    1.0904
    >>> round(padded_expert_bytes(10_152_345_600, 2880, 2880, 2, 256, 128) / 10_152_345_600, 4)
    1.1378

    References
    ----------
    1. vLLM, model_executor/layers/quantization/mxfp4.py, Mxfp4MoEMethod.create_weights.
    2. llm-d-benchmark, config_explorer/empirical-vllm-memory-results.md.
    """
    hidden = ceil(hidden_size / hidden_multiple) * hidden_multiple / hidden_size
    return ceil(expert_bytes * hidden * ceil(width / ranks / width_multiple) * width_multiple * ranks / width)


@formula(Unit.BYTE)
def tables_bytes(rotary_elements: int, bytes_each: int, image_levels: int, chunk: int, hidden_size: int) -> int:
    """What engines prepare while they load a model: sines and cosines of all positions, and rows for images.

    tables_bytes = rotary_elements * bytes_each + 2 * image_levels * chunk * hidden_size

    Parameters
    ----------
    rotary_elements : sines and cosines of all positions, over all tables
    bytes_each : of one of them: vLLM keeps 2, SGLang 4 [byte]
    image_levels : layers that receive features of images beside the first; each has rows for a prompt chunk
    chunk : tokens of a prompt chunk (max_num_batched_tokens)
    hidden_size : width of the model

    Returns
    -------
    bytes on every accelerator [byte]

    Notes
    -----
    Llama 3.1 8B has 14.958 GiB of weights and 131,072 positions of 128; vLLM reports 14.9889 GiB after loading.

    >>> round((8_030_261_248 * 2 + tables_bytes(131_072 * 128, 2, 0, 2048, 4096)) / 2**30, 4)
    14.989
    >>> tables_bytes(0, 2, 3, 32_768, 4096) / 2**30
    0.75

    References
    ----------
    1. vLLM 0.12, model_executor/layers/rotary_embedding/base.py and mrope.py; model_executor/models/qwen3_vl.py.
    2. SGLang 0.5.23, srt/layers/rotary_embedding/base.py.
    """
    return rotary_elements * bytes_each + 2 * image_levels * chunk * hidden_size


@formula(Unit.BYTE)
def unfolding_copies_bytes(layers: int, heads: int, width: int, rank: int, tensor: int, pipeline: int) -> Any:
    """Copies in 16 bit of the matrices that unfold latents, for products that have no quantised kernel.

    unfolding_copies_bytes = ceil(2 * layers * heads * width * rank / tensor / pipeline)

    Parameters
    ----------
    layers : of latent attention
    heads : of a layer
    width : of a head's key without its rotary part, and of its value, together
    rank : width of the latent without its rotary part
    tensor, pipeline : accelerators that share each layer, and stages

    Returns
    -------
    bytes on one accelerator [byte]

    Notes
    -----
    DeepSeek R1 in INT4 on 16 cards: vLLM 0.8.3 reported 21.21 GiB, 0.12 more than its file.

    >>> round(unfolding_copies_bytes(61, 128, 256, 512, 16, 1) / 2**30, 2)
    0.12

    References
    ----------
    1. vLLM 0.8.5, v1/attention/backends/mla/common.py, process_weights_after_loading: W_UV, W_UK_T.
    2. SGLang 0.5.8, models/deepseek_common/deepseek_weight_loader.py: w_kc, w_vc, beside kv_b_proj, which stays.
    """
    return ceil(2 * layers * heads * width * rank / tensor / pipeline)


@formula(Unit.BYTE)
def absorbed_bytes(
    layers: int,
    heads: int,
    rank: int,
    query_rank: float,
    hidden_size: int,
    rotary: int,
    width: int,
    bits: float,
    tensor: int,
    pipeline: int,
) -> Any:
    """Products of the matrices of latent attention, which vLLM 0.7 keeps beside them.

    absorbed_bytes = ceil(layers * heads / tensor / pipeline
        * (rank * (query_rank + hidden_size) * bits / 8 + 2 * query_rank * rotary
        + where(bits < 16, 2 * width * rank, 0)))

    Parameters
    ----------
    layers : of latent attention
    heads : of a layer
    rank : width of the latent without its rotary part
    query_rank : width of the latent of queries, or the model's where queries have none
    hidden_size : width of the model
    rotary : width of a key's rotary part
    width : of a head's key without that, and of its value, together
    bits : of a product: those of the attention's weights [bit/weight]
    tensor, pipeline : accelerators that share each layer, and stages

    Returns
    -------
    bytes on one accelerator [byte]

    Notes
    -----
    Matrices that were quantised are also kept in 16 bit. DeepSeek R1 on eight accelerators: 4.47 GiB; vLLM 0.7.3
    reported 83.88 GiB of weights, 0.11.2 79.74.

    >>> round(absorbed_bytes(61, 128, 512, 1536.0, 7168, 64, 256, 8.0, 8, 1) / 2**30, 2)
    4.47
    >>> round(absorbed_bytes(27, 16, 512, 2048.0, 2048, 64, 256, 16.0, 8, 1) / 2**30, 2)
    0.22

    References
    ----------
    1. vLLM 0.7.3, attention/backends/mla/utils.py, process_weights_after_loading: W_Q_UK, W_UV_O, W_QR.
    """
    products = rank * (query_rank + hidden_size) * bits / 8 + 2 * query_rank * rotary
    copies = 2 * width * rank if bits < 16 else 0
    return ceil(layers * heads / tensor / pipeline * (products + copies))


@formula(Unit.BYTE)
def group_scales_bytes(weights_bytes: int, tiled_bytes: int, loaded_bytes: int, group: int) -> Any:
    """16-bit scales of groups in each row, into which Marlin spreads one scale of a square of 8-bit weights.

    group_scales_bytes = ceil(weights_bytes * tiled_bytes / loaded_bytes * 2 / group)

    Parameters
    ----------
    weights_bytes : on the accelerator [byte]
    tiled_bytes : those in 8 bit with a scale for each square, in all of the model [byte]
    loaded_bytes : all that is loaded of the model [byte]
    group : weights of a row that share a scale

    Returns
    -------
    bytes on the accelerator [byte]

    >>> group_scales_bytes(1_000_000, 896_000, 1_000_000, 128)
    14000

    References
    ----------
    1. vLLM, quantization/utils/marlin_utils_fp8.py: "block-wise quantization -> group-wise quantization".
    """
    return ceil(weights_bytes * tiled_bytes / loaded_bytes * 2 / group)


@formula(Unit.BYTE)
def held_bytes(weights_bytes: int, share: float) -> Any:
    """What PyTorch holds of the memory that loading needed for a moment, counted with the weights.

    held_bytes = ceil(weights_bytes * share)

    Parameters
    ----------
    weights_bytes : on the accelerator [byte]
    share : of them

    Returns
    -------
    bytes [byte]

    >>> held_bytes(1_000_000, 0.035)
    35000
    """
    return ceil(weights_bytes * share)

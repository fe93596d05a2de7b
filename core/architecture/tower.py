"""What one image, or one video, is to the tower of a multimodal model: its tokens, its patches, and their width.

Engines try the largest input that a model takes when they start, because its intermediate results may be the most that
ever stands on the accelerator. Read in vLLM 0.33, model_executor/models: qwen2_vl.py, gemma3_mm.py, gemma4_mm.py,
pixtral.py.
"""

from collections.abc import Callable

from core.architecture.blueprint import ImageTower
from core.architecture.fields import Fields, MissingField

#: The hidden states of a patch, what a norm makes of them, and what a block adds.
_COPIES = 3


def image_tower(wrapper: Fields) -> ImageTower | None:
    """The tower of a multimodal file; None where it has none, or nobody has read what its images may be.

    >>> tower = dict(model_type="qwen3_vl", hidden_size=1152, intermediate_size=4304, patch_size=16, in_channels=3)
    >>> image_tower(Fields({"vision_config": tower | {"temporal_patch_size": 2, "spatial_merge_size": 2}}))
    ImageTower(tokens=16384, patches=65536, elements=13600, whole=False)
    """
    tower = wrapper.section("vision_config")
    if tower is None:
        return None
    kind = tower.text("model_type") or wrapper.text("model_type")
    read = _KINDS.get(kind) or _KINDS.get(wrapper.text("model_type"))
    if read is None:
        return None
    try:
        return read(tower, wrapper)
    except MissingField:
        return None


def tower_size(wrapper: Fields) -> int:
    """Layers times squared width of the image tower, by the names that SGLang knows; 0 where there is none.

    Of Kimi K2.5 it has them by names of its own (0.5.23, configs/kimi_k25.py): on eight MI355X 45.3 of 283.5 GiB stayed
    free beside a table of 4 GiB, so that the share was 0.826, and that is 0.908 times 0.95 times 0.9576.

    >>> tower_size(Fields({"vision_config": {"depth": 27, "hidden_size": 1152}})) == 24 * 1152**2
    True
    >>> kimi = {"vt_num_hidden_layers": 27, "vt_hidden_size": 1152}
    >>> round(1 - 0.1 * (tower_size(Fields({"vision_config": kimi})) / (24 * 1024**2) - 1), 4)
    0.9576
    """
    tower = wrapper.section("vision_config")
    if tower is None:
        return 0
    layers = tower.integer("num_hidden_layers", "vt_num_hidden_layers", default=_USUAL_LAYERS)
    return layers * tower.integer("hidden_size", "vt_hidden_size", default=_USUAL_WIDTH) ** 2


#: Where the file does not call them so.
_USUAL_LAYERS, _USUAL_WIDTH = 24, 1024
#: Tokens of the largest image of the Qwen processors: 16,777,216 pixels in squares of 32.
_LARGEST_OF_QWEN = 16_384
#: A video of Gemma 4 for vLLM: frames, tokens of each, and those that frame it.
_FRAMES, _OF_FRAME, _AROUND_FRAME = 32, 70, 8


def _qwen(tower: Fields, wrapper: Fields) -> ImageTower:
    pixels = tower.integer("patch_size") ** 2 * tower.integer("in_channels") * tower.integer("temporal_patch_size")
    merged = tower.integer("spatial_merge_size") ** 2
    return ImageTower(_LARGEST_OF_QWEN, _LARGEST_OF_QWEN * merged, pixels + _of_block(tower, inner=2))


def _siglip(tower: Fields, wrapper: Fields) -> ImageTower:
    patch = tower.integer("patch_size")
    tokens = wrapper.integer("mm_tokens_per_image", default=256)
    return ImageTower(tokens, (tower.integer("image_size") // patch) ** 2, _pixels(tower) + _of_block(tower, inner=2))


def _pixtral(tower: Fields, wrapper: Fields) -> ImageTower:
    side = tower.integer("image_size") // tower.integer("patch_size")
    rows = side // wrapper.integer("spatial_merge_size", default=2)
    return ImageTower(rows * rows + rows, side * side, _pixels(tower) + _of_block(tower, inner=3))  # rows end in breaks


def _gemma4(tower: Fields, wrapper: Fields) -> ImageTower:
    pooled = tower.integer("pooling_kernel_size", default=3) ** 2
    tokens, patches = _FRAMES * (_OF_FRAME + _AROUND_FRAME), _FRAMES * _OF_FRAME * pooled
    text = wrapper.section("text_config")
    whole = text is not None and text.text("use_bidirectional_attention") == "vision"
    return ImageTower(tokens, patches, _pixels(tower) + _of_block(tower, inner=3), whole)


def _pixels(tower: Fields) -> int:
    return tower.integer("num_channels", default=3) * tower.integer("patch_size") ** 2


def _of_block(tower: Fields, inner: int) -> int:
    """Elements inside a block: `inner` widths of a feed-forward block, two of a plain and three of a gated one."""
    return _COPIES * tower.integer("hidden_size") + inner * tower.integer("intermediate_size")


_KINDS: dict[str, Callable[[Fields, Fields], ImageTower]] = {
    "qwen3_vl": _qwen,
    "qwen3_vl_moe": _qwen,
    "qwen3_5": _qwen,
    "qwen3_5_vision": _qwen,
    "qwen3_5_moe": _qwen,
    "qwen3_5_moe_vision": _qwen,
    "qwen4_exp": _qwen,
    "siglip_vision_model": _siglip,
    "pixtral": _pixtral,
    "gemma4_vision": _gemma4,
}

"""Image towers: how many parameters a multimodal model carries beside its language model.

They are counted as one class of tensor, because engines load them whole and keep them in 16 bit.
"""

from collections.abc import Callable

from core.architecture.blueprint import NoteKind, TensorClass
from core.architecture.draft import Draft
from core.architecture.fields import Fields, MissingField

MOST_BLOCKS = 1_024


def add_vision(draft: Draft, wrapper: Fields) -> None:
    """Count the image tower of a multimodal file, or note that it is not counted."""
    tower = wrapper.section("vision_config")
    if tower is None:
        if any(name.endswith("ForConditionalGeneration") for name in wrapper.texts("architectures") or ()):
            draft.note(NoteKind.VISION_NOT_COUNTED, wrapper.text("model_type"))
        return
    kind = tower.text("model_type") or wrapper.text("model_type")
    count = TOWERS.get(kind) or TOWERS.get(wrapper.text("model_type"))
    if count is None:
        draft.note(NoteKind.VISION_NOT_COUNTED, kind)
        return
    try:
        draft.add(TensorClass.VISION, "visual", count(tower, wrapper, draft.core.hidden_size))
    except MissingField:
        draft.note(NoteKind.VISION_NOT_COUNTED, kind)


def _width(tower: Fields, *names: str) -> tuple[int, int]:
    return tower.integer("hidden_size", *names), tower.integer("intermediate_size", *names)


def _block(hidden: int, inner: int) -> int:
    """A transformer block with biases everywhere and two norms with bias."""
    attention = 4 * (hidden * hidden + hidden)
    return attention + 2 * hidden * inner + inner + hidden + 4 * hidden


def _blocks(tower: Fields, *names: str) -> int:
    return tower.integer(*names, most=MOST_BLOCKS)


def _qwen(tower: Fields, wrapper: Fields, text_hidden: int) -> int:
    hidden, inner = _width(tower)
    patch = tower.integer("patch_size") ** 2 * tower.integer("in_channels") * tower.integer("temporal_patch_size")
    positions = tower.integer("num_position_embeddings")
    merged = hidden * tower.integer("spatial_merge_size") ** 2
    merger = merged * merged + merged + merged * tower.integer("out_hidden_size") + tower.integer("out_hidden_size")
    deep = len(tower.integers("deepstack_visual_indexes") or [])
    entry = patch * hidden + hidden + positions * hidden
    blocks = _blocks(tower, "depth") * _block(hidden, inner)
    return entry + blocks + merger + 2 * hidden + deep * (merger + 2 * merged)


def _qwen2(tower: Fields, wrapper: Fields, text_hidden: int) -> int:
    """Qwen2-VL: its own width is "embed_dim"; "hidden_size" is that of the language model."""
    hidden = tower.integer("embed_dim")
    inner = tower.integer("mlp_ratio", default=4, most=64) * hidden
    merged = hidden * tower.integer("spatial_merge_size", default=2) ** 2
    out = tower.integer("hidden_size", default=text_hidden)
    merger = 2 * hidden + merged * merged + merged + merged * out + out
    return _entry_of_qwen2(tower, hidden) + _blocks(tower, "depth") * _block(hidden, inner) + merger


def _qwen2_5(tower: Fields, wrapper: Fields, text_hidden: int) -> int:
    """Qwen2.5-VL: gated blocks with biases, norms without."""
    hidden, inner = _width(tower)
    merged = hidden * tower.integer("spatial_merge_size", default=2) ** 2
    out = tower.integer("out_hidden_size", default=text_hidden)
    block = 4 * (hidden * hidden + hidden) + 3 * hidden * inner + 2 * inner + hidden + 2 * hidden
    merger = hidden + merged * merged + merged + merged * out + out
    return _entry_of_qwen2(tower, hidden) + _blocks(tower, "depth") * block + merger


def _entry_of_qwen2(tower: Fields, hidden: int) -> int:
    pixels = tower.integer("patch_size", "spatial_patch_size", default=14) ** 2
    pixels *= tower.integer("in_channels", "in_chans", default=3) * tower.integer("temporal_patch_size", default=2)
    return pixels * hidden


#: Wrappers of SigLIP whose projector is one matrix behind a norm; those of LLaVA have two layers.
_ONE_MATRIX, _LLAVA = ("gemma3", "paligemma", "shieldgemma2"), ("llava", "llava_next", "llava_onevision")


def _siglip(tower: Fields, wrapper: Fields, text_hidden: int) -> int:
    """SigLIP with the projector of its wrapper; where nobody has read that, the tower is not counted."""
    hidden, inner = _width(tower)
    kind = wrapper.text("model_type")
    if kind not in _ONE_MATRIX + _LLAVA:
        raise tower.missing("projector")
    patch = tower.integer("patch_size")
    positions = (tower.integer("image_size") // patch) ** 2
    entry = tower.integer("num_channels", default=3) * patch * patch * hidden + hidden + positions * hidden
    blocks = _blocks(tower, "num_hidden_layers") * _block(hidden, inner)
    if kind in _LLAVA:
        newline = 0 if kind == "llava" else text_hidden
        return entry + blocks + 2 * hidden + (hidden + 1 + text_hidden + 1) * text_hidden + newline
    return entry + blocks + 2 * hidden + hidden + hidden * text_hidden


def _pixtral(tower: Fields, wrapper: Fields, text_hidden: int) -> int:
    hidden, inner = _width(tower)
    patch = tower.integer("patch_size")
    entry = tower.integer("num_channels", default=3) * patch * patch * hidden + hidden
    blocks = _blocks(tower, "num_hidden_layers") * (4 * hidden * hidden + 3 * hidden * inner + 2 * hidden)
    merge = wrapper.integer("spatial_merge_size", default=2)
    projector = hidden + hidden * merge * merge * hidden + hidden * text_hidden + text_hidden * text_hidden
    return entry + blocks + projector + (2 * text_hidden if wrapper.flag("multimodal_projector_bias") else 0)


def _gemma4(tower: Fields, wrapper: Fields, text_hidden: int) -> int:
    hidden, inner = _width(tower)
    head = tower.integer("head_dim", default=hidden // tower.heads("num_attention_heads"))
    entry = 2 * tower.integer("position_embedding_size", default=10_240) * hidden
    entry += 3 * tower.integer("patch_size") ** 2 * hidden
    block = 4 * hidden * hidden + 2 * head + 3 * hidden * inner + 4 * hidden
    return entry + _blocks(tower, "num_hidden_layers") * block + hidden * text_hidden


def _llama4(tower: Fields, wrapper: Fields, text_hidden: int) -> int:
    hidden, inner = _width(tower)
    patch = tower.integer("patch_size")
    positions = (tower.integer("image_size") // patch) ** 2 + 1
    entry = hidden + positions * hidden + 3 * patch * patch * hidden + 4 * hidden
    into, out = tower.integer("projector_input_dim"), tower.integer("projector_output_dim")
    projector = inner * into + into * out + tower.integer("vision_output_dim") * text_hidden
    return entry + _blocks(tower, "num_hidden_layers") * _block(hidden, inner) + projector


def _moonvit(tower: Fields, wrapper: Fields, text_hidden: int) -> int:
    hidden = tower.integer("vt_hidden_size", "hidden_size")
    inner = tower.integer("vt_intermediate_size", "intermediate_size")
    patch = tower.integer("patch_size", default=14)
    positions = tower.integer("init_pos_emb_height", default=64) * tower.integer("init_pos_emb_width", default=64)
    entry = 3 * patch * patch * hidden + hidden + positions * hidden
    blocks = _blocks(tower, "vt_num_hidden_layers", "num_hidden_layers") * _block(hidden, inner)
    merged = 4 * hidden
    projector = 2 * hidden + merged * merged + merged + merged * text_hidden + text_hidden
    return entry + blocks + 2 * hidden + projector


def _clip(tower: Fields, wrapper: Fields, text_hidden: int) -> int:
    """CLIP as LLaVA has it: a row for the whole image, norms before and after, and a projector of two layers."""
    if tower.has("img_token_compression_config"):
        return _clip_merging(tower, wrapper, text_hidden)
    if wrapper.text("model_type") not in ("llava", "llava_next"):
        raise tower.missing("img_token_compression_config")
    hidden, inner = _width(tower)
    patch = tower.integer("patch_size")
    positions = (tower.integer("image_size") // patch) ** 2 + 1
    entry = hidden + tower.integer("num_channels", default=3) * patch * patch * hidden + positions * hidden
    projector = hidden * text_hidden + text_hidden + text_hidden * text_hidden + text_hidden
    newline = text_hidden if wrapper.text("model_type") == "llava_next" else 0
    return entry + _blocks(tower, "num_hidden_layers") * _block(hidden, inner) + 4 * hidden + projector + newline


def _clip_merging(tower: Fields, wrapper: Fields, text_hidden: int) -> int:
    """MiniMax M3: two frames a patch, a projector, and another that merges four patches."""
    hidden, inner = _width(tower)
    merging = tower.section("img_token_compression_config")
    if merging is None:
        raise tower.missing("img_token_compression_config")
    frames, merge = merging.integer("temporal_patch_size"), merging.integer("spatial_merge_size")
    entry = tower.integer("num_channels", default=3) * frames * tower.integer("patch_size") ** 2 * hidden + 2 * hidden
    wide = tower.integer("projection_dim")
    square = wide * wide + wide
    projectors = hidden * wide + wide + square + merge * merge * wide * wide + wide + square
    return entry + _blocks(tower, "num_hidden_layers") * _block(hidden, inner) + projectors


def _glm5_next(tower: Fields, wrapper: Fields, text_hidden: int) -> int:
    """GLM-5.3-Flash: gated blocks with biases, norms without, and a merger of a convolution and a gated block."""
    hidden, inner = _width(tower)
    head = hidden // tower.heads("num_heads")
    pixels = tower.integer("in_channels") * tower.integer("temporal_patch_size") * tower.integer("patch_size") ** 2
    out, wide = tower.integer("out_hidden_size"), tower.integer("projection_intermediate_size")
    block = 4 * (hidden * hidden + hidden) + 2 * head + 3 * hidden * inner + 2 * inner + hidden + 2 * hidden
    merger = out * out + 2 * out + 3 * out * wide + tower.integer("spatial_merge_size") ** 2 * hidden * out + out
    return pixels * hidden + hidden + _blocks(tower, "depth") * block + hidden + merger


def _muse(tower: Fields, wrapper: Fields, text_hidden: int) -> int:
    """Muse Glimmer: two frames a patch, four patches merged, and a projector of three layers without biases."""
    hidden, inner = _width(tower)
    frames, side = tower.integer("patch_temporal", default=2), tower.integer("patch_size")
    positions = tower.integer("pos_emb_height") * tower.integer("pos_emb_width")
    entry = 3 * frames * side * side * hidden + positions * hidden + 4 * hidden
    merged, wide = tower.integer("merge_size") ** 2 * hidden, wrapper.integer("projector_hidden_size", default=4096)
    blocks = _blocks(tower, "num_hidden_layers") * _block(hidden, inner)
    return entry + blocks + merged * wide + wide * wide + wide * text_hidden


def _gemma4_unified(tower: Fields, wrapper: Fields, text_hidden: int) -> int:
    """Gemma 4 without a tower: squares of pixels, and frames of sound, are projected into the language model."""
    width = tower.integer("mm_embed_dim")
    side = tower.integer("patch_size", default=16) * tower.integer("pooling_kernel_size", default=3)
    pixels, out = 3 * side * side, tower.integer("output_proj_dims", default=width)
    entry = 2 * pixels + pixels * width + width + 2 * tower.integer("mm_posemb_size") * width + 4 * width
    audio = wrapper.section("audio_config")
    heard = audio.integer("audio_embed_dim", default=0, least=0) if audio else 0
    return entry + (out + heard) * text_hidden


TOWERS: dict[str, Callable[[Fields, Fields, int], int]] = {
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
    "llama4_vision_model": _llama4,
    "kimi_k25": _moonvit,
    "clip_vision_model": _clip,
    "qwen2_vl": _qwen2,
    "qwen2_5_vl": _qwen2_5,
    "glm5_next_vision": _glm5_next,
    "muse_glimmer_vision": _muse,
    "gemma4_unified_vision": _gemma4_unified,
}

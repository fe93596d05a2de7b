"""The name of every figure of the trace, short enough for a table and whole enough to be understood alone.

The names stand in `labels`, by area. Keys that come in families ("memory_item.weights", "tier.0.bandwidth_bytes_per_s")
are named by a pattern with the name of the part put in. A key without a name of its own is shown with its words spelled
out, which is correct if not pretty; a test requires a name for every key that other parts rely on.
"""

import re
from functools import lru_cache

from core.architecture.blueprint import TensorClass
from core.language.labels import cost, deployment, fitted, memory, model, reserved, speed
from core.language.labels.families import FAMILIES, WHOLES
from core.language.labels.short import SHORT
from core.language.messages import gettext as _
from core.language.messages import language, marked
from core.sizing.report import Cause

_LABELS = {
    **cost.LABELS,
    **model.LABELS,
    **memory.LABELS,
    **reserved.LABELS,
    **speed.LABELS,
    **fitted.LABELS,
    **deployment.LABELS,
}
_PARTS = {**cost.PARTS, **model.PARTS, **memory.PARTS, **reserved.PARTS, **speed.PARTS, **fitted.PARTS}

_TENSOR_CLASSES: dict[str, str] = {
    TensorClass.EMBEDDING: marked("input table"),
    TensorClass.NGRAM: marked("tables of n-grams"),
    TensorClass.HEAD: marked("output projection"),
    TensorClass.ATTENTION: marked("attention"),
    TensorClass.RECURRENT: marked("linear attention"),
    TensorClass.FEED_FORWARD: marked("feed-forward layers"),
    TensorClass.EXPERT: marked("experts"),
    TensorClass.SHARED_EXPERT: marked("shared expert"),
    TensorClass.ROUTER: marked("router"),
    TensorClass.NORM: marked("norms"),
    TensorClass.VISION: marked("image tower"),
    TensorClass.MTP: marked("multi-token prediction"),
}

_CAUSES: dict[str, str] = {
    Cause.WEIGHTS: marked("weights"),
    Cause.EXPERTS: marked("experts"),
    Cause.KV_CACHE: marked("cache"),
    Cause.STATE: marked("state"),
    Cause.COMPUTE: marked("computing"),
    Cause.LINK: marked("exchange"),
    Cause.ENGINE: marked("engine"),
    Cause.SECOND_TIER: marked("second memory"),
    Cause.PROMPTS: marked("prompts of others"),
}


def short_label(key: str) -> str:
    """The name of a figure in few letters, where its neighbours say the rest."""
    return _(SHORT[key]) if key in SHORT else label(key)


def label(key: str) -> str:
    """The name of a figure in the language in force.

    >>> label("kv_bytes_per_token"), label("weights_bytes.expert"), label("kv.0.kv_heads")
    ('Cache per token', 'Weights: experts', 'Attention 1: KV heads')
    """
    return _label(key, language())


@lru_cache(maxsize=8192)
def _label(key: str, _code: str) -> str:
    """The name, kept for each language: a page of formulas asks for the same names hundreds of times."""
    if key in _LABELS:
        return _(_LABELS[key])
    for pattern, text in FAMILIES:
        match = pattern.match(key)
        if match:
            found = match.groupdict()
            part, group = _parts(found.get("part", "")), _ordinal(found.get("group", ""))
            return _(text).format(part=part, group=group, raw=found.get("raw", ""))
    whole = _whole(key)
    if whole:
        return _("{whole}: {part}").format(whole=_(WHOLES[whole]), part=_parts(key[len(whole) + 1 :]))
    return _spelled(key)


def has_label(key: str) -> bool:
    """Does a figure have a name, with all its parts, rather than its key spelled out?"""
    if key in _LABELS:
        return True
    for pattern, _text in FAMILIES:
        match = pattern.match(key)
        if match:
            part = match.groupdict().get("part", "")
            return not part or part in _LABELS or all(map(_is_known, part.split("."))) or has_label(part)
    whole = _whole(key)
    return bool(whole) and all(map(_is_known, key[len(whole) + 1 :].split(".")))


def _whole(key: str) -> str:
    """The longest beginning of a key that has a name and is not the whole key."""
    segments = key.split(".")
    for length in range(len(segments) - 1, 0, -1):
        start = ".".join(segments[:length])
        if start in WHOLES:
            return start
    return ""


def tensor_class(kind: TensorClass) -> str:
    """The name of a class of tensors."""
    return _(_TENSOR_CLASSES[kind])


def _parts(path: str) -> str:
    """The names of the parts of a key, one after another: "compute.kv.alone" -> "computing, cache, by itself"."""
    if path in _LABELS or _whole(path) or any(pattern.match(path) for pattern, _text in FAMILIES):
        return label(path)
    return ", ".join(_part(segment) for segment in path.split("."))


def _part(name: str) -> str:
    for names in (_PARTS, _TENSOR_CLASSES, _CAUSES):
        if name in names:
            return _(names[name])
    return _ordinal(name) if name.isdigit() else name.replace("_", " ")


def _is_known(name: str) -> bool:
    return name.isdigit() or any(name in names for names in (_PARTS, _TENSOR_CLASSES, _CAUSES))


def _ordinal(position: str) -> str:
    """Groups are counted from 0 in keys, from 1 for people."""
    return str(int(position) + 1) if position.isdigit() else position


def _spelled(key: str) -> str:
    """A key as words: "link.alpha_s" -> "link alpha"."""
    words = re.sub(r"[._]+", " ", re.sub(r"_(bytes_per_s|bytes|s)$", "", key)).strip()
    return words[:1].upper() + words[1:]

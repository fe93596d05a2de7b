"""Repositories that the catalogue does not name: its models in another format, or trained further.

Publishers put the model's name first and say behind it how the weights are stored, or what they trained it for:
"someone/Qwen3-14B-FP8-dynamic", "Qwen/Qwen2.5-Math-1.5B". Such a repository has the layers of the model.
"""

import re
from functools import cache

from core.catalogue.catalogue import Catalogue
from core.catalogue.records import Model

_SEPARATORS = re.compile(r"[\s\-_:]+")
#: Words that say how weights are stored.
_STORAGE = re.compile(
    r"(nv|mx)?fp\d+(a\d+)?|bf16|f16|int\d+|w\d+a\d+(kv\d+)?|\d+bits?|\d+bpw|g\d+|i?q\d\w*|ud|awq|gptq|gguf|mlx|bnb|nf4"
    r"|exl\d|autoround|auto|round|modelopt|compressed|tensors|quant(ized|ised)?(\.\w+)?|dynamic|static|block|channel"
    r"|tensor|per|token|kv|marlin|hf|mtp|mixed|\d+g|[ksml]|xl"
)
#: Words that say what a model was trained for, or that only one kind of its input is kept.
_TRAINING = re.compile(
    r"instruct|it|chat|base|math|coder|code|thinking|reasoning|text|uncensored|abliterated|heretic|preview|hermes|dpo|sft"
    r"|2\d{3}"
)
_SIZE = re.compile(r"(a|e|\d+x)?\d+(\.\d+)?[bm]")
#: Words of models that are made of something else, although they begin like one of the catalogue's.
_OTHER = re.compile(
    r"vl|vision|omni|audio|embedding|embed|reranker|reward|rm|prm|guard|distill\w*|draft|eagle\d*|medusa|dflash|pruned"
    r"|reap|merge\w*|moe|upscaled|lora|adapter|\d+x|v\d+(\.\d+)?"
)


@cache
def words(name: str) -> tuple[str, ...]:
    """The words of a repository without its owner and without Meta's name, which was dropped between two releases.

    >>> words("RedHatAI/Meta-Llama-3.1-8B-FP8")
    ('llama', '3.1', '8b', 'fp8')
    """
    found = tuple(_SEPARATORS.split(name.casefold().strip().rpartition("/")[2].strip("-_ ")))
    return found[1:] if found[:2] == ("meta", "llama") else found


def model_named_like(name: str, catalogue: Catalogue) -> Model | None:
    """The model that a repository's name is made of; None where what else the name says may change its layers.

    The same words but for those of storage. Where names have a size: the same words but for those of training too, else
    the longest name of the catalogue that the repository's begins with, unless the rest speaks of another size or kind.
    """
    asked, known = words(name), _known(catalogue)
    plain = _without(asked, _STORAGE)
    sized = {own: identity for own, identity in known.items() if _sized(own)}
    for names, rules in ((known, (_STORAGE,)), (sized, (_STORAGE, _TRAINING))):
        wanted = _without(asked, *rules)
        hits = {identity for own, identity in names.items() if _without(own, *rules) == wanted}
        if hits:
            return catalogue.models[min(hits, key=lambda identity: _strangeness(identity, asked))]
    begins = [own for own in sized if plain[: len(own)] == own and _is_plain(plain[len(own) :])]
    return catalogue.models[sized[max(begins, key=len)]] if begins else None


def says_storage(name: str) -> bool:
    """Does a repository's name say how its weights are stored? The model's own does not."""
    return any(_STORAGE.fullmatch(word) is not None for word in words(name)[1:])


def says_text(name: str) -> bool:
    """Does a repository's name say that its model takes text alone, so that it holds no tower ("...-Text-NVFP4")?"""
    return "text" in words(name)[1:] and says_storage(name)


def _known(catalogue: Catalogue) -> dict[tuple[str, ...], str]:
    """The catalogue's models by the words of every name."""
    found: dict[tuple[str, ...], str] = {}
    for model in catalogue.models.values():
        for name in (model.id, model.name, *model.aliases):
            found.setdefault(words(name), model.id)
    return found


def _without(name: tuple[str, ...], *rules: re.Pattern[str]) -> tuple[str, ...]:
    """The name without words of these kinds; the first is the model's own."""
    return tuple(w for place, w in enumerate(name) if not place or not any(rule.fullmatch(w) for rule in rules))


def _strangeness(identity: str, asked: tuple[str, ...]) -> tuple[int, int, str]:
    """How little a model's name is like the one asked for: words that only one of them has, then its length."""
    own = words(identity)
    return len(set(own) ^ set(asked)), len(identity), identity


def _sized(name: tuple[str, ...]) -> bool:
    return any(_SIZE.fullmatch(word) for word in name)


def _is_plain(rest: tuple[str, ...]) -> bool:
    return not any(_SIZE.fullmatch(word) or _OTHER.fullmatch(word) for word in rest)

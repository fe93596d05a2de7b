"""What sources call weight and cache formats, and what the catalogue calls them.

People write "UD-Q4_K_XL", "AWQ INT4 g128", "gguf Q5_K_M (20.23 GiB)" or "K q8_0 / V q4_0". A name that the catalogue
does not know becomes a format of the overlay, made from its nearest relative.
"""

import re
from dataclasses import dataclass, replace

from core.architecture.blueprint import TensorClass
from core.catalogue.catalogue import Catalogue
from core.catalogue.records import KvFormat, WeightFormat
from core.catalogue.tables import Table
from core.units import GB, GIB, MIB
from tests.accuracy.records import Unusable

_SIZE = re.compile(r"\(\s*([\d.]+)\s*(GiB|GB|MiB)\b[^)]*\)|,?\s+([\d.]+)\s*(GiB|GB|MiB)\b(?:\s*\([^)]*\))?")
_UNITS = {"GiB": GIB, "GB": GB, "MiB": MIB}
#: What llama.cpp prints of a mixture, "Q4_K - Medium", and what it takes "Q4_K" alone for.
_PRINTED = re.compile(r"\b(Q\d_K)(?:\s*-\s*(Small|Medium|Large)\b|(?![\w]))", re.IGNORECASE)
#: Formats of GGUF files that have the names of others.
_IN_GGUF = {
    "mxfp4": "mxfp4-gguf", "mxfp4 moe": "mxfp4-gguf", "nvfp4": "nvfp4-gguf", "f16": "gguf-f16", "fp16": "gguf-f16",
    "bf16": "gguf-f16",
}  # fmt: skip
_SIZE_IN_NAME = re.compile(r"weights\s+([\d.]+)\s*(GiB|GB)")
_BILLIONS = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)b(?![\w])", re.IGNORECASE)
_K_QUANT = re.compile(r"^(?:UD-)?(I?Q(\d)[\w]*)$", re.IGNORECASE)
_BITS = re.compile(r"(\d+(?:\.\d+)?)\s*-?\s*bits?\b", re.IGNORECASE)
UNSTATED = ("", "not stated", "unknown", "gguf", "none")

#: Words that name a format when the whole text is no name of the catalogue; the first that is found counts.
_WORDS = (
    (r"mlx.*\b(\d)[ -]?bit", r"mlx\1"),
    (r"\bnvfp4|\bmodelopt_fp4|\bfp4\b", "nvfp4"),
    (r"\bmxfp8", "mxfp8"),
    (r"\bmxfp4", "mxfp4"),
    (r"\bw8a8|\bint8|\bgptq-?8|\bgptq.?int8", "int8"),
    (r"\bfp8", "fp8"),
    (r"\bnf4|\bbnb", "nf4"),
    (r"\bawq|\bgptq|\bw4a16|\bint4|\bautoround", "int4"),
    (r"\bbf16|\bbfloat16", "bf16"),
    (r"\bf(p|loat)?16|\bhalf\b", "fp16"),
    (r"\b(?:UD-)?(I?Q\d[A-Za-z0-9_]*)", r"\1"),
    (r"\b4-?bit", "int4"),
    (r"\b8-?bit", "int8"),
)


@dataclass(frozen=True, slots=True)
class Weights:
    """How a record's weights are stored.

    format_id   of the catalogue, or of `made`
    made        a format that the catalogue does not have
    file_bytes  of the whole checkpoint, where the name gives it
    stated      False where the record names no format and the model's usual one is meant
    nominal     the size is parameters of the model's name times the format's bits
    """

    format_id: str
    made: WeightFormat | None = None
    file_bytes: int | None = None
    stated: bool = True
    nominal: bool = False


def converted(weights: Weights, catalogue: Catalogue) -> Weights:
    """The same weights for kernels that convert them and compute in 16 bit (vLLM's Marlin), as the record says."""
    stored = weights.made or catalogue.weight_format(weights.format_id)
    return replace(weights, made=stored.model_copy(update={"compute": "fp16"}))


def with_size_of_name(weights: Weights, name: str, catalogue: Catalogue) -> Weights:
    """With the size that the name of a model gives, "(weights 15.5 GiB)" or "12b", where only its layers are known."""
    size = _SIZE_IN_NAME.search(name)
    if size:
        return replace(weights, file_bytes=round(float(size[1]) * (GIB if size[2] == "GiB" else GB)))
    billions = _BILLIONS.search(name)
    if billions is None or not weights.stated:
        return weights
    stored = weights.made or catalogue.weight_format(weights.format_id)
    return replace(weights, file_bytes=round(float(billions[1]) * 1e9 * stored.bits / 8), nominal=True)


def read_weights(text: str, catalogue: Catalogue, bits: float | None = None) -> Weights:
    """The weights that a source describes; `bits` per weight of the whole file choose among relatives."""
    size = _SIZE.search(text)
    file_bytes = round(float(size[1] or size[3]) * _UNITS[size[2] or size[4]]) if size else None
    name = _PRINTED.sub(_printed_name, _SIZE.sub("", text).strip())
    gguf = name.lower().startswith("gguf")
    name = re.sub(r"^gguf[\s-]*", "", name, flags=re.IGNORECASE).strip()
    if name.lower() in UNSTATED:
        return Weights("Q4_K_M" if gguf else "", None, file_bytes, stated=False)
    known = _IN_GGUF.get(name.lower()) if gguf else None
    known = known or catalogue.names.resolve(Table.WEIGHT_FORMATS, name)
    if known is not None:
        return Weights(known, None, file_bytes)
    quant = _K_QUANT.match(name)
    if quant and name in _WIDE_WORDS and bits is None:
        return _wide_words(name, catalogue, file_bytes)
    if quant:
        return _relative(quant[1], catalogue, bits, file_bytes)
    several = _several(name, catalogue)
    if several is not None:
        return Weights(several.id, several, file_bytes)
    return _by_word(name, gguf, catalogue, bits, file_bytes)


def _printed_name(found: re.Match[str]) -> str:
    """The mixture's own name: Q6_K is one, the other k-quants have a size, and of Q2_K the middle has none."""
    name, size = found[1].upper(), (found[2] or "Medium")[0].upper()
    return name if name == "Q6_K" or (name == "Q2_K" and size == "M") else f"{name}_{size}"


def _by_word(name: str, gguf: bool, catalogue: Catalogue, bits: float | None, file_bytes: int | None) -> Weights:
    low = _BITS.search(name)
    if gguf and low and not re.search(r"[qQ]\d", name):
        return _relative(f"Q{max(2, min(8, int(float(low[1]))))}_K", catalogue, bits or float(low[1]), file_bytes)
    for pattern, replacement in _WORDS:
        found = re.search(pattern, name, re.IGNORECASE)
        if found:
            word = found.expand(replacement)
            known = catalogue.names.resolve(Table.WEIGHT_FORMATS, word)
            if known is not None:
                return Weights(known, None, file_bytes)
            if _K_QUANT.match(word):
                return _relative(word, catalogue, bits, file_bytes)
    raise Unusable(f"the weight format “{name[:60]}” is not known")


#: Mixtures with the table of words and the head in 8 bit, as bartowski publishes them, and what their layers are.
_WIDE_WORDS = {"Q2_K_L": "Q2_K", "Q3_K_XL": "Q3_K_L", "Q4_K_L": "Q4_K_M", "Q5_K_L": "Q5_K_M", "Q6_K_L": "Q6_K"}


def _wide_words(name: str, catalogue: Catalogue, file_bytes: int | None) -> Weights:
    """A mixture whose table of words and head are in 8 bit."""
    usual = catalogue.weight_format(_WIDE_WORDS[name])
    kept = {**usual.kept, TensorClass.EMBEDDING: 8.5, TensorClass.HEAD: 8.5}
    changes = {"id": name, "name": name, "aliases": (), "kept": kept, "whole_file_bits": None}
    return Weights(name, usual.model_copy(update=changes), file_bytes)


def _relative(name: str, catalogue: Catalogue, bits: float | None, file_bytes: int | None) -> Weights:
    """The k-quant that comes nearest: of the same bits, and of those the one with the most alike file."""
    digit = name.upper().removeprefix("I")[1]
    relatives = [
        f
        for f in catalogue.weight_formats.values()
        if f.container == "gguf" and f.id.upper().removeprefix("I").startswith(f"Q{digit}") and "-" not in f.id
    ]
    same = [f for f in relatives if f.id.upper().startswith("I") == name.upper().startswith("I")] or relatives
    if "_K" in name.upper():  # a mixture of k-quants is none of the older formats
        same = [f for f in same if "_K" in f.id] or same
    if not same:
        raise Unusable(f"the weight format “{name[:60]}” is not known")
    wanted = bits if bits is not None else _usual(name, same)
    nearest = min(same, key=lambda f: abs((f.whole_file_bits or f.bits) - wanted))
    made = nearest.model_copy(update={"id": name, "name": name, "aliases": ()})
    return Weights(name, made, file_bytes)


def _usual(name: str, relatives: list[WeightFormat]) -> float:
    """Whole-file bits of a mixture whose name alone is known: between small and large ones of its kind."""
    sizes = sorted(f.whole_file_bits or f.bits for f in relatives)
    share = {"S": 0.0, "M": 0.5, "L": 1.0, "XL": 1.0}.get(name.upper().rsplit("_", 1)[-1], 0.5)
    return sizes[0] + share * (sizes[-1] - sizes[0])


def _several(name: str, catalogue: Catalogue) -> WeightFormat | None:
    """Formats of experts and of the rest, as in "MXFP4 (F16 non-expert)" or "MXFP4 experts, MLX 8-bit rest"."""
    dense = [
        TensorClass.ATTENTION,
        TensorClass.RECURRENT,
        TensorClass.FEED_FORWARD,
        TensorClass.SHARED_EXPERT,
        TensorClass.EMBEDDING,
        TensorClass.HEAD,
    ]
    split = re.match(r"^(.*?)\s*\(\s*(.*?)\s+non-expert\s*\)$", name) or re.match(
        r"^(.*?)\s+(?:routed )?experts,\s*(.*?)\s+(?:rest|attention\S*)$", name
    )
    if split is None:
        return None
    of_experts = read_weights(split[1].removeprefix("mixed:").split("/")[0].strip(), catalogue)
    of_rest = read_weights(split[2], catalogue)
    container = catalogue.weight_format(of_rest.format_id).container
    variant = catalogue.weight_format(of_experts.format_id)
    if re.match(r"F16|BF16|Q\d", split[2], re.IGNORECASE):
        container = "gguf"
    rest = of_rest.made or catalogue.weight_format(of_rest.format_id)
    kept = {**variant.kept, **dict.fromkeys(dense, rest.bits)}
    identity = re.sub(r"[^A-Za-z0-9._+-]+", "-", name).strip("-")[:100]
    return variant.model_copy(
        update={
            "id": identity,
            "name": name[:120],
            "aliases": (),
            "kept": kept,
            "container": container,
            "compute": "fp16" if container != "safetensors" else variant.compute,
            "variant_of": "",
            "moe_dense_extra_bits": 0.0,
        }
    )


@dataclass(frozen=True, slots=True)
class Cache:
    """How a record's keys and values are stored; `key` and `value` differ where the engine keeps them apart."""

    format_id: str
    made: KvFormat | None = None
    key: str = ""
    value: str = ""
    stated: bool = True


_DEFAULTS = ("", "auto", "engine default", "not stated", "default", "none")
#: One format in a text that names keys and values in another way than "K q8_0 / V q4_0".
_CACHE_WORD = re.compile(r"\b(iq4_nl|q\d_\d|bf16|fp?16|f(?:p|loat)?32|fp8(?:_e\dm\d)?)\b", re.IGNORECASE)
#: Cache formats of llama.cpp and its forks that the catalogue does not have: bytes for an element.
_OTHER_CACHES = {"f32": 4.0, "fp32": 4.0, "float32": 4.0, "q6_0": 26 / 32}


def read_cache(text: str, catalogue: Catalogue) -> Cache:
    """The cache format that a source describes; keys and values apart become a format with the mean of both."""
    name = re.sub(r"\(.*?\)", "", text).strip()
    if name.lower() in _DEFAULTS:
        return Cache("fp16", stated=False)
    if "compressed" in name.lower():
        return Cache(_kv_format(name.split("/")[0].strip(), catalogue).id)
    parts: list[str] | None = None
    written = re.match(r"^(?:K\s+)?(\S+)\s*/\s*(?:V\s+)?(\S+)$", name)
    words = _CACHE_WORD.findall(name)
    if written:
        parts = [written[1], written[2]]
    elif len(words) == 2:
        values_first = re.match(r"\W*(?:ct)?v", name, re.IGNORECASE)
        parts = words[::-1] if values_first else words
    if parts is None:
        found = _kv_format(name, catalogue)
        own = None if found.id in catalogue.kv_formats else found
        return Cache(found.id, own, key="" if own else found.id, value="" if own else found.id)
    key, value = _kv_format(parts[0], catalogue), _kv_format(parts[1], catalogue)
    if key.id == value.id:
        return Cache(key.id, key=key.id, value=value.id)
    mean = (key.bytes_per_element + value.bytes_per_element) / 2
    made = KvFormat(
        id=f"{key.id}+{value.id}",
        name=f"{key.name} and {value.name}",
        bytes_per_element=mean,
        per_head_bytes=(key.per_head_bytes + value.per_head_bytes) / 2,
        bits=max(key.bits, value.bits),
    )
    return Cache(made.id, made, key.id, value.id)


def _kv_format(name: str, catalogue: Catalogue) -> KvFormat:
    known = catalogue.names.resolve(Table.KV_FORMATS, name)
    if known is None and re.match(r"fp8_e\dm\d$", name, re.IGNORECASE):
        known = "fp8"
    if known is None and name.lower() in _OTHER_CACHES:
        size = _OTHER_CACHES[name.lower()]
        return KvFormat(id=name.lower(), name=name.lower(), bytes_per_element=size, bits=round(size * 8))
    if known is None:
        raise Unusable(f"the cache format “{name[:60]}” is not known")
    return catalogue.kv_formats[known]

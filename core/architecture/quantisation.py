"""What a checkpoint's own quantisation config says: bits per weight by class of tensor, scales included.

Such configs name either the modules that are quantised or those that are left alone, by pattern. The patterns are
matched against the modules that the reader has counted, so that a class of which some projections are quantised gets
the average that its bytes come out of.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from fnmatch import translate

from core.architecture.blueprint import NoteKind, Quantisation, TensorClass
from core.architecture.draft import Draft
from core.architecture.fields import Fields
from core.errors import InvalidInput

SIXTEEN = 16.0
CACHE_FIELDS = ("kv_cache_scheme", "kv_cache_quant_algo")
CACHE_FORMATS = {8: "fp8", 4: "nvfp4"}  # by bits of a floating number
MOST_PATTERNS = 200_000
MOST_STARTS = 20_000  # patterns that end in a wildcard
MOST_EXPRESSIONS = 1_000  # patterns with wildcards inside
# Classes that engines leave in 16 bit whatever the config says (quantisers skip what is not a projection).
KEPT = frozenset({TensorClass.EMBEDDING, TensorClass.NGRAM, TensorClass.ROUTER, TensorClass.NORM, TensorClass.VISION})
MIXED = frozenset({TensorClass.MTP, TensorClass.EXPERT})
KEPT_MODULES = ("embed_tokens", "shared_head.head", "norm", "norms", "gate", "bias", "sinks")  # inside mixed classes


@dataclass(frozen=True, slots=True)
class Format:
    """A way to store weights: the catalogue's id for it and its bits per weight with scales."""

    format_id: str
    bits: float


PLAIN = Format("bf16", SIXTEEN)


def read_quantisation(wrapper: Fields, fields: Fields, draft: Draft) -> Quantisation | None:
    """The quantisation that a file states, or None; an unknown method is noted in the draft.

    `wrapper` is the whole file, `fields` the language model in it; either may hold the config.
    """
    mlx = wrapper.section("quantization")
    stated = wrapper.section("quantization_config") or fields.section("quantization_config")
    if mlx is not None and mlx.has("bits"):
        return _summed("mlx", _mlx(mlx), draft, frozenset({TensorClass.NORM, TensorClass.VISION}))
    if stated is None:
        return None
    method = stated.text("quant_method") or ("modelopt" if stated.has("quant_algo") else "")
    if not method and stated.has("bits") and stated.has("group_size"):
        return _summed("mlx", _mlx(stated), draft, frozenset({TensorClass.NORM, TensorClass.VISION}))
    rule = METHODS.get(method.lower())
    chosen = rule(stated) if rule else None
    if chosen is None:
        draft.note(NoteKind.UNKNOWN_QUANTISATION, method[:80])
        return None
    fp4_experts = fields.text("expert_dtype") == "fp4" or stated.text("store_dtype") == "mxfp4"
    if fp4_experts and not _by_pattern(stated):  # vLLM 0.33: quantization/fp8.py
        chosen = _experts_in(ALGORITHMS["MXFP4"], chosen)
    return replace(_summed(method, chosen, draft, KEPT), cache=_cache(stated, method))


def _cache(stated: Fields, method: str) -> str:
    """The format that the config asks to keep keys and values in: by name, or by number and kind of bits."""
    inner = stated.section("quantization") or stated
    scheme = next(
        (part.values[name] for name in CACHE_FIELDS for part in (inner, stated) if part.values.get(name)), None
    )
    if isinstance(scheme, str):
        return scheme.lower() if scheme.lower() in CACHE_FORMATS.values() else ""
    if not isinstance(scheme, dict) or scheme.get("type") != "float":
        return ""
    if scheme.get("num_bits") == 8 and scheme.get("dynamic") and method.startswith("modelopt"):
        return ""
    bits = scheme.get("num_bits")
    return CACHE_FORMATS.get(bits, "") if isinstance(bits, int) else ""


def _experts_in(form: Format, rest: "Choice") -> "Choice":
    return lambda module: form if ".experts." in module else rest(module)


Choice = Callable[[str], Format]  # of a module by its name


def _summed(method: str, choose: Choice, draft: Draft, kept: frozenset[TensorClass]) -> Quantisation:
    """Average the bits of the modules in each class; the format is that of most quantised weights."""
    weights: Counter[TensorClass] = Counter()
    formats: Counter[str] = Counter()
    sums: dict[TensorClass, float] = {}
    for (tensor_class, module), count in draft.parameters.items():
        plain = tensor_class in kept or (tensor_class in MIXED and module.rpartition(".")[2] in KEPT_MODULES)
        form = PLAIN if plain else choose(module)
        sums[tensor_class] = sums.get(tensor_class, 0.0) + form.bits * count
        weights[tensor_class] += count
        if form is not PLAIN:
            formats[form.format_id] += count
    format_id = formats.most_common(1)[0][0] if formats else PLAIN.format_id
    ordered = [kind for kind in TensorClass if weights[kind]]
    return Quantisation(method, format_id, {kind: sums[kind] / weights[kind] for kind in ordered})


# ---------------------------------------------------------------------------------------------- methods


def _everything_but(form: Format, ignored: Iterable[str]) -> Choice:
    keeps = _matcher(ignored)
    return lambda module: PLAIN if keeps(module) else form


def _fp8(stated: Fields) -> Choice:
    """FP8 but for the modules named; some name other formats for their experts. "ignore" is not of this method."""
    mixed = _by_pattern(stated)
    block = stated.integers("weight_block_size", least=1)
    form = Format("fp8", 8 + (16 / (block[0] * block[1]) if block and len(block) == 2 else 0))
    rest = _everything_but(form, [*_ignored(stated, ("modules_to_not_convert", "ignored_layers")), "lm_head"])
    if not mixed:
        return rest
    return lambda module: next((form for hit, form in mixed if hit(module)), None) or rest(module)


def _awq(stated: Fields) -> Choice:
    """AutoAWQ, and engines after it, leave out every module with one of the texts anywhere in its name."""
    named = [*_ignored(stated), "lm_head"]
    rest, within = _everything_but(_integer_format(stated, zero_point=True), named), _containing(named)
    return lambda module: PLAIN if within(module) else rest(module)


def _gptq(stated: Fields) -> Choice:
    form = _integer_format(stated, zero_point=True)
    head = [] if stated.flag("lm_head") else ["lm_head"]
    left_out, special = _dynamic(stated)
    rest = _everything_but(form, [*_ignored(stated), *head, *left_out])
    return lambda module: next((own for hit, own in special if hit(module)), None) or rest(module)


def _dynamic(stated: Fields) -> tuple[list[str], list[tuple[Callable[[str], bool], Format]]]:
    """GPTQModel's rules by expression: "-:" leaves modules out, others give them a width or group of their own."""
    rules = stated.section("dynamic")
    left_out: list[str] = []
    special: dict[Format, list[str]] = {}
    usual = (stated.integer("bits", default=4, most=16), stated.integer("group_size", default=128, least=-1))
    for rule, value in rules.values.items() if rules else ():
        expression = "re:" + (rule[2:] if rule[:2] in ("-:", "+:") else rule)
        if rule.startswith("-:"):
            left_out.append(expression)
        elif isinstance(value, Mapping) and not {"bits", "group_size"}.isdisjoint(value):
            own = Fields(value, stated.file, f"{stated.path}dynamic.{rule[:80]}.")
            bits = own.integer("bits", default=usual[0], most=16)
            form = _integers(bits, own.integer("group_size", default=usual[1], least=-1), zero_point=True)
            special.setdefault(form, []).append(expression)
    return left_out, [(_matcher(expressions), form) for form, expressions in special.items()]


def _mxfp4(stated: Fields) -> Choice:
    """Only the experts, as the engines that know this method do."""
    keeps = _matcher(_ignored(stated))
    form = Format("mxfp4", 4.25)
    return lambda module: form if ".experts." in module and not keeps(module) else PLAIN


def _bitsandbytes(stated: Fields) -> Choice:
    if stated.flag("load_in_8bit"):
        form = Format("int8", 8.0)
    else:
        form = Format("nf4", 4.127 if stated.flag("bnb_4bit_use_double_quant") else 4.5)
    return _everything_but(form, [*_ignored(stated), "lm_head"])


def _quark(stated: Fields) -> Choice | None:
    """AMD Quark: a format for all, others by pattern, and what is excluded. vLLM 0.33: quantization/quark/quark.py

    Where a weight goes through several formats, the last one is what is stored.
    """
    keeps = _matcher(_ignored(stated, ("exclude",)))
    usual = _quark_format(stated.section("global_quant_config"))
    special: list[tuple[Callable[[str], bool], Format]] = []
    by_layer = stated.section("layer_quant_config")
    for pattern in by_layer.values if by_layer else ():
        form = _quark_format(by_layer.section(pattern)) if by_layer else None
        if form:
            special.append((_matcher([pattern]), form))
    if usual is None and not special:
        return None
    return lambda module: PLAIN if keeps(module) else _first_or(module, special, usual or PLAIN)


def _first_or(module: str, groups: list[tuple[Callable[[str], bool], Format]], rest: Format) -> Format:
    return next((form for hit, form in groups if hit(module)), rest)


def _quark_format(group: Fields | None) -> Format | None:
    stages = group.values.get("weight") if group else None
    last = stages[-1] if isinstance(stages, list) and stages else stages
    if group is None or not isinstance(last, Mapping):
        return None
    weight = Fields(last, group.file, f"{group.path}weight.")
    dtype, size = weight.text("dtype"), weight.integer("group_size", default=0, least=-1)
    if dtype.startswith("fp4"):
        return ALGORITHMS["MXFP4"]
    if dtype.startswith("fp8"):
        return ALGORITHMS["MXFP8"] if size == 32 else Format("fp8", 8.0)
    if dtype in ("int4", "uint4", "int8", "uint8"):
        return _integers(int(dtype[-1]), size, zero_point=dtype.startswith("uint"))
    return None


def _torchao(stated: Fields) -> Choice | None:
    """torchao: the name of a config, or the config itself, for all projections."""
    group = 128
    if isinstance(stated.values.get("quant_type"), str):
        name, arguments = stated.text("quant_type"), stated.section("quant_type_kwargs")
    else:
        section = stated.section("quant_type")
        default = section.section("default") if section else None
        name, arguments = (default.text("_type"), default.section("_data")) if default else ("", None)
    if arguments is not None:
        group = arguments.integer("group_size", default=group, least=-1)
    plain = name.lower().replace("_", "")
    form = next((make(group) for word, make in _TORCHAO if word in plain), None)
    head = [] if stated.flag("include_input_output_embeddings") else ["lm_head"]
    return _everything_but(form, [*_ignored(stated), *head]) if form else None


#: What the weights of a torchao config are, by a part of its name; four-bit groups have a scale and a zero of 16 bit.
_TORCHAO: tuple[tuple[str, Callable[[int], Format]], ...] = (
    ("nvfp4", lambda group: ALGORITHMS["NVFP4"]),
    ("mxfp8", lambda group: ALGORITHMS["MXFP8"]),
    ("float8weight", lambda group: Format("fp8", 8.0)),
    ("int4weight", lambda group: Format("int4", 4 + (32 / group if group > 0 else 0))),
    ("int8weight", lambda group: Format("int8", 8.0)),
)


def _hqq(stated: Fields) -> Choice | None:
    """HQQ: groups with a scale and a zero point of 16 bit each."""
    inner = stated.section("quant_config")
    weights = (inner.section("weight_quant_params") if inner else None) or stated
    if not weights.has("nbits"):
        return None
    bits, group = weights.integer("nbits", most=16), weights.integer("group_size", default=64)
    form = Format("int8" if bits >= 8 else "int4", bits + 32 / group)
    return _everything_but(form, [*_ignored(stated, ("skip_modules",)), "lm_head"])


def _grouped(stated: Fields) -> Choice | None:
    """compressed-tensors and modelopt: groups of formats with the modules that each is for."""
    mixed = _by_pattern(stated)
    if mixed:
        keeps = _matcher(_ignored(stated))
        return lambda module: _first(module, mixed) if not keeps(module) else PLAIN
    groups = _config_groups(stated)
    if not groups:
        return _algorithm_everywhere(stated)
    keeps = _matcher(_ignored(stated))
    return lambda module: _first(module, groups) if not keeps(module) else PLAIN


def _algorithm_everywhere(stated: Fields) -> Choice | None:
    form = ALGORITHMS.get(stated.text("quant_algo").upper())
    return _everything_but(form, _ignored(stated)) if form else None


def _first(module: str, groups: list[tuple[Callable[[str], bool], Format]]) -> Format:
    return next((form for hit, form in groups if hit(module)), PLAIN)


def _config_groups(stated: Fields) -> list[tuple[Callable[[str], bool], Format]]:
    groups = stated.section("config_groups")
    found = []
    for name in groups.values if groups else ():
        group = groups.section(name) if groups else None
        weights = group.section("weights") if group else None
        if group is None or weights is None:
            continue
        targets = group.texts("targets", MOST_PATTERNS) or ["Linear"]
        hit = _always if "Linear" in targets else _matcher(targets)
        found.append((hit, _weights_format(weights)))
    return found


def _always(module: str) -> bool:
    return True


def _by_pattern(stated: Fields) -> list[tuple[Callable[[str], bool], Format]]:
    """Mixed precision: an algorithm for each module or pattern."""
    for name in ("quantized_layers", "quantized_layers_by_pattern"):
        section = stated.section(name)
        if section is None:
            continue
        patterns: dict[Format, list[str]] = {}
        for pattern, spec in section.values.items():
            form = ALGORITHMS.get(str(spec.get("quant_algo", "")).upper()) if isinstance(spec, Mapping) else None
            if form:
                patterns.setdefault(form, []).append(pattern)
        return [(_matcher(names), form) for form, names in patterns.items()]
    return []


def _mlx(stated: Fields) -> Choice:
    """MLX: everything that is a matrix, embedding and head too, with overrides for single modules."""
    usual = _mlx_format(stated)
    special: dict[str, Format] = {}
    for name, value in stated.values.items():
        if isinstance(value, Mapping) and value.get("bits") is not None:
            special[_plain_name(name)] = _mlx_format(Fields(value, stated.file, f"{stated.path}{name}."))
        elif value is False:
            special[_plain_name(name)] = PLAIN
    return lambda module: special.get(module, usual)


def _mlx_format(stated: Fields) -> Format:
    bits = stated.integer("bits", most=16)
    group = stated.integer("group_size", default=64)
    mode = stated.text("mode", "affine")
    if mode in ("mxfp4", "nvfp4", "mxfp8"):
        return ALGORITHMS[mode.upper()]
    return Format(f"mlx{bits}", bits + 32 / group)


METHODS: dict[str, Callable[[Fields], Choice | None]] = {
    "fp8": _fp8,
    "fbgemm_fp8": _fp8,
    **dict.fromkeys(("awq", "awq_marlin"), _awq),
    **dict.fromkeys(("gptq", "gptq_marlin", "auto-round", "auto_round", "intel/auto-round"), _gptq),
    "quark": _quark,
    "torchao": _torchao,
    "hqq": _hqq,
    "mxfp4": _mxfp4,
    "bitsandbytes": _bitsandbytes,
    "compressed-tensors": _grouped,
    "modelopt": _grouped,
    "modelopt_fp4": _grouped,
}

ALGORITHMS: Mapping[str, Format] = {
    "NVFP4": Format("nvfp4", 4.5),
    "W4A16_NVFP4": Format("nvfp4", 4.5),
    "NVFP4_AWQ": Format("nvfp4", 4.5),
    "W4A8_NVFP4_FP8": Format("nvfp4", 4.5),
    "FP8": Format("fp8", 8.0),
    "FP8_PER_CHANNEL_PER_TOKEN": Format("fp8", 8.0),
    "FP8_PB_WO": Format("fp8", 8 + 16 / 128**2),
    "MXFP4": Format("mxfp4", 4.25),
    "MXFP8": Format("mxfp8", 8.25),
    "W4A16_AWQ": Format("int4", 4.15625),
    "W8A8_SQ_PER_CHANNEL": Format("int8", 8.0),
}


# ---------------------------------------------------------------------------------------------- formats


def _weights_format(weights: Fields) -> Format:
    """The format of a group by number of bits, kind of number and size of the group that shares a scale."""
    bits = weights.integer("num_bits", most=16)
    group = weights.integer("group_size", default=0, least=-1)
    floating = weights.text("type", "int") == "float"
    if bits >= 16:
        return PLAIN
    if floating and bits == 4:
        return ALGORITHMS["MXFP4"] if group == 32 else ALGORITHMS["NVFP4"]
    if floating:
        return ALGORITHMS["MXFP8"] if group == 32 else Format("fp8", float(bits))
    return _integers(bits, group, zero_point=not weights.flag("symmetric", True))


def _integer_format(stated: Fields, zero_point: bool) -> Format:
    bits = stated.integer("bits", "w_bit", default=4, most=16)
    return _integers(bits, stated.integer("group_size", "q_group_size", default=128, least=-1), zero_point)


def _integers(bits: int, group: int, zero_point: bool) -> Format:
    """Integers with a 16-bit scale for each group and, where they are not symmetric, a zero point of their width."""
    scales = (16 + (bits if zero_point else 0)) / group if group > 0 else 0.0
    if bits >= 8 or group <= 0:
        return Format("int8" if bits >= 8 else "int4", bits + scales)
    return Format("int4_g32" if group == 32 else "int4", bits + scales)


# ---------------------------------------------------------------------------------------------- patterns

_PREFIX = re.compile(r"^(?:re:)?(?:\^|\.\*)?(?:model\.|language_model\.|transformer\.)*")
_ALIASES = (
    ("block_sparse_moe", "mlp"),
    ("shared_expert.", "shared_experts."),
    ("linear_attn.in_proj_b", "linear_attn.in_proj_ba"),
    (".ffn.", ".mlp."),
    (".attn.", ".self_attn."),
    (".w1", ".gate_proj"),
    (".w2", ".down_proj"),
    (".w3", ".up_proj"),
)
_WILD = re.compile(r"[*?\[]")
_ALL = re.compile(r"^layers\.[\d*]+\.\*$")  # says nothing but the layer, left over where lists were shortened


IGNORED = ("ignore", "modules_to_not_convert", "exclude_modules", "ignored_layers", "llm_int8_skip_modules")


def _ignored(stated: Fields, names: Iterable[str] = IGNORED) -> list[str]:
    return [pattern for name in names for pattern in stated.texts(name, MOST_PATTERNS) or ()]


def _plain_name(name: str) -> str:
    """A module's name without what checkpoints put in front of it, in the words of `core.architecture.modules`."""
    plain = _PREFIX.sub("", name[:300])
    for theirs, ours in _ALIASES:
        if ours not in plain:
            plain = plain.replace(theirs, ours)
    return "lm_head" if plain == "head" else plain


def _matcher(patterns: Iterable[str]) -> Callable[[str], bool]:
    """Whether a module is meant by any of the patterns: exactly, by a wildcard, as a parent, or by its last name.

    >>> hit = _matcher(["model.layers.*.self_attn", "re:.*shared_experts.*", "lm_head"])
    >>> [hit(m) for m in ("layers.3.self_attn.q_proj", "layers.3.mlp.shared_experts.up_proj", "layers.3.mlp.up_proj")]
    [True, True, False]
    """
    names: set[str] = set()
    starts: set[str] = set()
    expressions: dict[str, None] = {}
    for pattern in patterns:
        plain = _plain_name(pattern)
        if pattern.startswith("re:"):
            expressions[_simple_expression(pattern[3:300])] = None
        elif plain == "*" or _ALL.match(plain):
            continue
        elif not _WILD.search(plain):
            names.add(plain)
        elif plain.endswith("*") and not _WILD.search(plain[:-1]):
            starts.add(plain[:-1])
        else:
            expressions |= {translate(plain): None, translate(plain + ".*"): None}
    if len(starts) > MOST_STARTS or len(expressions) > MOST_EXPRESSIONS:
        raise InvalidInput("The quantisation config names too many patterns.", "quantization_config")
    prefixes, found = tuple(starts), _any_of(expressions)
    return lambda module: _named(module, names) or module.startswith(prefixes) or found(module)


def _containing(patterns: Iterable[str]) -> Callable[[str], bool]:
    """Whether a module's name contains one of the texts; those that name one module whole are not looked for.

    >>> hit = _containing(["model.layers.0.", "linear_attn.in_proj"])
    >>> [hit(m) for m in ("layers.0.mlp.up_proj", "layers.10.mlp.up_proj", "layers.1.linear_attn.in_proj_z")]
    [True, False, True]
    """
    plain = {_plain_name(pattern) for pattern in patterns if not _WILD.search(pattern)}
    texts = [text for text in plain if text.endswith(".") or not text.startswith("layers.")]
    if len(texts) > MOST_EXPRESSIONS:
        raise InvalidInput("The quantisation config names too many patterns.", "quantization_config")
    return lambda module: any(text in module for text in texts if text)


def _named(module: str, names: set[str]) -> bool:
    parts = module.split(".")
    if any(".".join(parts[:end]) in names for end in range(1, len(parts) + 1)):
        return True
    return any(".".join(parts[start:]) in names for start in range(1, len(parts)))


def _simple_expression(expression: str) -> str:
    """A regular expression of a config, of which only what cannot run for ever is taken: names, dots, wildcards
    and alternatives without repetition. Anything else is read as a plain text."""
    if re.fullmatch(r"(?:[\w\-^$]|\\\.|\\d\+|\.\*|\.|\((?:\?:)?[\w|]+\))*", expression):
        return expression if expression.count(".*") <= 4 else re.escape(expression)
    return re.escape(expression)


def _any_of(expressions: Iterable[str]) -> Callable[[str], bool]:
    compiled: list[re.Pattern[str]] = []
    for expression in expressions:
        try:
            compiled.append(re.compile(expression))
        except re.error:
            continue
    return lambda module: any(pattern.match(module) for pattern in compiled)

"""Reading a model's config.json: find the family that it belongs to, and let its reader count.

The file comes from anywhere. What is too large, not JSON, incomplete or absurd is refused with one sentence that names
the field; an architecture that no reader knows is refused by its name.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

from core.architecture.blueprint import Blueprint, NoteKind
from core.architecture.chunked import read_chunked
from core.architecture.classic import read_falcon, read_gpt2
from core.architecture.compressed import read_compressed
from core.architecture.conventional import conventional_draft
from core.architecture.convolution import read_lfm2
from core.architecture.decoder import read_decoder
from core.architecture.draft import Draft
from core.architecture.encoder import read_encoder
from core.architecture.fields import Fields
from core.architecture.further import (
    read_laguna,
    read_mimo_v2,
    read_minimax_m3,
    read_nemotron_nas,
    read_step3,
    read_step3p7,
)
from core.architecture.gemma import read_gemma3n, read_gemma4
from core.architecture.habits import HABITS
from core.architecture.hybrid import read_hybrid, read_mixed_streams
from core.architecture.latent import read_double, read_latent_decoder
from core.architecture.linear import read_kimi_linear, read_lightning, read_pooled, read_sala
from core.architecture.positions import image_levels, rotary_elements
from core.architecture.quantisation import read_quantisation
from core.architecture.spelling import respelled
from core.architecture.state_space import (
    read_bamba,
    read_falcon_hybrid,
    read_granite,
    read_jamba,
    read_mamba1,
    read_mamba2,
    read_nemotron,
)
from core.architecture.tower import image_tower, tower_size
from core.architecture.vision import add_vision
from core.errors import InvalidInput, UnsupportedArchitecture, reason_of

MOST_BYTES = 20 * 10**6
MOST_ENTRIES = 600_000  # of all lists and objects; a mixture that lists its experts by name has 100,000
MOST_DEPTH = 40
TIED = "tie_word_embeddings"
TEXT_SECTIONS = ("text_config", "llm_config", "language_config")
CONTEXT_FIELDS = (
    "max_position_embeddings",
    "max_position_embedding",
    "n_positions",
    "max_seq_len",
    "seq_length",
    "model_max_length",
)

Reader = Callable[[Fields, str], Draft]

# What holds a language model of a known family and an image tower, and changes nothing about the former.
WRAPPERS = frozenset(
    {
        "gemma3",
        "gemma4",
        "kimi_k25",
        "kimi_k3",
        "mistral3",
        "ministral3",
        "pixtral",
        "qwen2_vl",
        "qwen2_5_vl",
        "qwen3_vl",
    }
    | {"qwen3_vl_moe", "llava", "llava_next", "llava_onevision", "internvl", "internvl_chat", "glm4v", "glm4v_moe"}
    | {"idefics3", "smolvlm", "aya_vision", "cohere2_vision", "paligemma", "mistral_small", "kimi_vl", "exaone4_5"}
    | {"lfm2_vl", "lfm2-vl", "interns1"}
)

READERS: dict[str, Reader] = {
    **dict.fromkeys(HABITS, read_decoder),
    **dict.fromkeys(
        ("deepseek_v2", "deepseek_v3", "deepseek_v32", "kimi_k2", "glm_moe_dsa", "glm4_moe_lite", "mistral4"),
        read_latent_decoder,
    ),
    **dict.fromkeys(
        ("axk1", "minicpm3", "youtu"),
        read_latent_decoder,
    ),
    **dict.fromkeys(
        ("qwen3_next", "qwen3_5", "qwen3_5_text", "qwen3_5_moe", "qwen3_5_moe_text", "olmo_hybrid"),
        read_hybrid,
    ),
    **dict.fromkeys(("qwen4_exp", "qwen4_exp_text"), read_mixed_streams),
    **dict.fromkeys(("bert", "roberta", "xlm-roberta", "nomic_bert", "jina_embeddings_v3"), read_encoder),
    **dict.fromkeys(("llama4", "llama4_text"), read_chunked),
    **dict.fromkeys(("gemma3n", "gemma3n_text"), read_gemma3n),
    **dict.fromkeys(("gemma4", "gemma4_text", "gemma4_unified", "gemma4_unified_text"), read_gemma4),
    "longcat_flash": read_double,
    "nemotron_h": read_nemotron,
    "granitemoehybrid": read_granite,
    "falcon_h1": read_falcon_hybrid,
    "jamba": read_jamba,
    "bamba": read_bamba,
    **dict.fromkeys(("mamba", "falcon_mamba"), read_mamba1),
    "mamba2": read_mamba2,
    **dict.fromkeys(("lfm2", "lfm2_moe"), read_lfm2),
    **dict.fromkeys(("kimi_linear", "bailing_hybrid"), read_kimi_linear),
    **dict.fromkeys(("glm5_next", "glm5_next_text"), read_pooled),
    **dict.fromkeys(("minimax_m1", "minimax_text_01", "minimax"), read_lightning),
    "minicpm_sala": read_sala,
    "deepseek_v4": read_compressed,
    "mimo_v2_flash": read_mimo_v2,
    "mimo_v2": read_mimo_v2,
    "step3p5": read_step3p7,
    "step3p7": read_step3p7,
    "laguna": read_laguna,
    "step3_text": read_step3,
    **dict.fromkeys(("minimax_m3", "minimax_m3_vl", "minimax_m3_vl_text"), read_minimax_m3),
    "nemotron-nas": read_nemotron_nas,
    "gpt2": read_gpt2,
    "falcon": read_falcon,
}

# Names of the class that runs a model, where the file's model_type is missing or not the usual one.
BY_CLASS: dict[str, str] = {
    "LlamaForCausalLM": "llama",
    "MistralForCausalLM": "mistral",
    "MixtralForCausalLM": "mixtral",
    "Qwen2ForCausalLM": "qwen2",
    "Qwen3ForCausalLM": "qwen3",
    "Qwen3MoeForCausalLM": "qwen3_moe",
    "DeepseekV3ForCausalLM": "deepseek_v3",
    "DeepseekV32ForCausalLM": "deepseek_v32",
    "DeepseekV4ForCausalLM": "deepseek_v4",
    "GptOssForCausalLM": "gpt_oss",
}


def read_config(
    config: Mapping[str, Any], name: str = "", *, file: str = "config.json", assume_conventional: bool = True
) -> Blueprint:
    """Make a blueprint from the fields of a config.json.

    Parameters
    ----------
    config : the JSON object
    name : what to call the model; empty: what the file says, or its architecture
    file : what to call the file in messages
    assume_conventional : read an unknown architecture as a conventional decoder, with a note, when every field is
        one that such decoders have; else refuse it by its fields

    Raises `InvalidInput` for fields that are missing or absurd, `UnsupportedArchitecture` for families without reader.

    >>> tiny = dict(model_type="llama", num_hidden_layers=2, hidden_size=8, num_attention_heads=2, vocab_size=10)
    >>> read_config(tiny | {"intermediate_size": 16}).total_parameters
    1480
    """
    if not isinstance(config, Mapping):
        raise InvalidInput("{file} does not hold a JSON object.", file=file)
    _refuse_depth(config, file)
    wrapper = Fields(config, file)
    _refuse_other_things(wrapper)
    fields = _language_model(wrapper)
    family = _family(wrapper, fields)
    if family:
        fields = respelled(fields, family)
        _refuse_own_fields_of_layers(fields, family, _title(wrapper))
        draft = READERS[family](fields, family)
        outer = _type(wrapper)
        if fields.path and outer and outer not in READERS and outer not in WRAPPERS:
            draft.note(NoteKind.UNKNOWN_WRAPPER, _title(wrapper))
    elif assume_conventional and _writes_text(wrapper):
        family, draft = _type(wrapper), conventional_draft(fields, _title(wrapper))
    else:
        _refuse(wrapper)
    add_vision(draft, wrapper)
    if wrapper.has("audio_config"):
        audio = wrapper.section("audio_config")
        draft.note(NoteKind.AUDIO_NOT_COUNTED, audio.text("model_type") if audio else "")
    context = fields.tokens(*CONTEXT_FIELDS, default=0)
    if not context:
        draft.note(NoteKind.CONTEXT_NOT_STATED)
    quantisation = read_quantisation(wrapper, fields, draft)
    read = draft.blueprint(name or _stated_name(wrapper) or _title(wrapper), family, context, quantisation)
    return replace(
        read,
        rotary_elements=rotary_elements(fields),
        image_levels=image_levels(wrapper),
        tower=image_tower(wrapper),
        tower_size=tower_size(wrapper),
    )


def name_of(path: Path) -> str:
    """What the place of a file says about the model: a folder of its own, a hub's cache, or the file's name."""
    if path.name != "config.json":
        return path.stem
    folder = path.parent.resolve()  # the file itself may be a link into the cache
    if folder.parent.name == "snapshots" and folder.parent.parent.name.startswith("models--"):
        return folder.parent.parent.name.removeprefix("models--").replace("--", "/", 1)
    return folder.name if re.search(r"\d", folder.name) else ""  # "Downloads" names no model


def read_json(path: Path) -> dict[str, Any]:
    """The JSON object in a file, which is refused by its size before it is read."""
    try:
        if not path.is_file():
            raise InvalidInput("{file} is not a file.", file=path.name)
        size = path.stat().st_size
        if size > MOST_BYTES:
            raise InvalidInput(
                "{path} has {value:,.0f} MB; a config.json has at most {value2}.",
                path=path.name,
                value=size / 1000000.0,
                value2=MOST_BYTES // 10**6,
            )
        with path.open("rb") as stream:
            data = stream.read(MOST_BYTES + 1)
    except OSError as error:
        raise InvalidInput("{file} cannot be read: {reason}.", file=path.name, reason=reason_of(error)) from error
    except ValueError as error:  # a path with a zero byte
        raise InvalidInput("This is not the name of a file.") from error
    return _parse(data, path.name)


def _parse(data: bytes, file: str) -> dict[str, Any]:
    if data.count(b",") + data.count(b"{") + data.count(b"[") > MOST_ENTRIES:  # before they take up memory
        raise InvalidInput(
            "{file} holds more than {most_entries:,} entries; no config.json does.",
            file=file,
            most_entries=MOST_ENTRIES,
        )
    try:
        value = json.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise InvalidInput("{file} is not a text file in UTF-8.", file=file) from None
    except json.JSONDecodeError as error:
        raise InvalidInput(
            "{file} is not JSON: line {lineno}, column {colno}: {msg}.",
            file=file,
            lineno=error.lineno,
            colno=error.colno,
            msg=error.msg,
        ) from None
    except RecursionError:
        raise InvalidInput("{file} is nested too deeply.", file=file) from None
    except ValueError:
        raise InvalidInput("{file} holds a number of thousands of digits.", file=file) from None
    if not isinstance(value, dict):
        raise InvalidInput("{file} does not hold a JSON object.", file=file)
    return value


def _refuse_depth(value: Any, file: str) -> None:
    """Refuse nesting beyond what any config needs, without recursion."""
    level = [value]
    for _ in range(MOST_DEPTH):
        if not level:
            return
        inner: list[Any] = []
        for item in level:
            if isinstance(item, Mapping):
                inner.extend(item.values())
            elif isinstance(item, list | tuple):
                inner.extend(item)
        level = inner
    if level:
        raise InvalidInput("{file} is nested too deeply.", file=file)


def _language_model(wrapper: Fields) -> Fields:
    """The fields of the language model: of its own section in a multimodal file, completed from the outer object."""
    for name in TEXT_SECTIONS:
        section = wrapper.section(name)
        if section is not None:
            outer = {key: value for key, value in wrapper.values.items() if not isinstance(value, Mapping)}
            inner = {key: value for key, value in section.values.items() if value is not None}
            if wrapper.values.get(TIED) is False:  # the whole has both tensors: vLLM 0.33, config/vllm.py
                inner.pop(TIED, None)
            return Fields({**outer, **inner}, wrapper.file, f"{name}.")
    return wrapper


def _family(wrapper: Fields, fields: Fields) -> str:
    """The model_type that has a reader, of the inner or the outer object or by the class; empty: none."""
    outer = _type(wrapper)
    for kind in (outer if outer in OUTER_FIRST else "", fields.text("model_type"), outer):
        if kind in READERS:
            return kind
    names = (fields.texts("architectures") or []) + (wrapper.texts("architectures") or [])
    return next((BY_CLASS[name] for name in names if name in BY_CLASS), "")


OUTER_FIRST = frozenset({"cohere2_moe", "qwen3_5", "qwen3_5_moe"})


def _type(wrapper: Fields) -> str:
    return re.sub(r"[^\w.+-]", "", wrapper.text("model_type"))[:80]


def _title(wrapper: Fields) -> str:
    """The architecture as the file names it."""
    names = wrapper.texts("architectures") or []
    return re.sub(r"[^\w.+-]", "", names[0])[:80] if names else _type(wrapper)


def _stated_name(wrapper: Fields) -> str:
    """The name that the file gives, unless it is a path on the machine that wrote it."""
    stated = wrapper.text("_name_or_path")
    return stated if re.fullmatch(r"[\w.-]+(/[\w.-]+)?", stated) and len(stated) <= 120 else ""


#: How the class of a model ends that writes no text.
SILENT = ("Model", "Encoder", "ForMaskedLM", "ForPreTraining", "Classification", "ForQuestionAnswering", "Detection")


def _writes_text(wrapper: Fields) -> bool:
    """May the file be one of a decoder? Its class says what the model is for, or it states a type alone."""
    names = wrapper.texts("architectures") or []
    if names:
        return any(not name.endswith(SILENT) or name.endswith("LMHeadModel") for name in names)
    return bool(_type(wrapper))


def _refuse_other_things(wrapper: Fields) -> None:
    """Refuse what is no model of its own, or none of language, by what it is."""
    if wrapper.has("peft_type"):
        raise UnsupportedArchitecture(
            "{file} describes an adapter for another model: choose that model itself.", file=wrapper.file
        )
    if wrapper.has("_class_name") and not wrapper.has("model_type"):
        name = re.sub(r"[^\w.+-]", "", wrapper.text("_class_name"))[:80]
        raise UnsupportedArchitecture(
            "{file} describes {name}, which makes images: Tonnage sizes language models.", file=wrapper.file, name=name
        )


#: What may differ by layer, for the readers that look.
BY_LAYER = frozenset({"num_attention_heads", "num_key_value_heads", "head_dim", "intermediate_size"})
LOOK_BY_LAYER = (read_decoder, read_gemma4, read_step3p7)


def _refuse_own_fields_of_layers(fields: Fields, family: str, title: str) -> None:
    """Refuse what a file states for single layers, if the reader would not see it."""
    unseen = fields.stated_by_layer() - (BY_LAYER if READERS[family] in LOOK_BY_LAYER else frozenset())
    if unseen:
        raise UnsupportedArchitecture(
            "Tonnage cannot read the architecture {value} yet; its file has fields unknown here: {shown}.",
            value=title or family,
            shown=", ".join(f'"per_layer_config.{name[:60]}"' for name in sorted(unseen)[:5]),
        )


def _refuse(wrapper: Fields) -> NoReturn:
    kind, title = _type(wrapper), _title(wrapper)
    if not title:
        raise wrapper.missing("model_type")
    named = f"{title} (model_type {kind})" if kind and kind != title else title
    raise UnsupportedArchitecture("Tonnage cannot read the architecture {named} yet.", named=named)

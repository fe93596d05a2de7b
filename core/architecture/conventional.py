"""A model of unknown name whose file has only the fields of a conventional decoder."""

import re

from core.architecture.blueprint import NoteKind
from core.architecture.decoder import read_decoder
from core.architecture.draft import Draft
from core.architecture.fields import Fields
from core.architecture.header_stream import shown
from core.errors import UnsupportedArchitecture

NEEDED = ("num_hidden_layers", "hidden_size", "intermediate_size", "num_attention_heads", "vocab_size")

# Fields that a conventional decoder has and this reader understands.
STRUCTURAL = frozenset(
    {*NEEDED, "num_key_value_heads", "head_dim", "attention_bias", "mlp_bias", "tie_word_embeddings"}
    | {"max_position_embeddings", "sliding_window", "use_sliding_window", "max_window_layers", "layer_types"}
    | {"quantization_config", "quantization"}
)
# Activations that stand behind a gate in every decoder that has them; behind others there may be none.
GATED = ("silu", "swish", "swiglu", "gelu_pytorch_tanh")
# Fields that change neither memory nor speed.
HARMLESS = re.compile(
    r"^_|rope|rotary|yarn|dropout|_pdrop$|_token_id$|_token_index$|_eps$|epsilon$|^eps|initializer|init_|dtype|_act$"
    r"|activation|softcap|scal(e|ing)$|multiplier$|^transformers_version$|^auto_map$|^architectures$|^model_type$"
    r"|^use_cache$|^pretraining_tp$|^output_(attentions|hidden_states|router_logits|scores)$|^return_|^id2label$|^label2id$|^is_|^chunk_size_feed|^problem_type$"
    r"|^original_max_position_embeddings$|^bos_|^eos_|^pad_|^torchscript$|^task_specific|^tokenizer|^name$|norm_type$"
)


def conventional_draft(fields: Fields, title: str) -> Draft:
    """Count it as such a decoder, with a note; refuse it when a field may mean something else."""
    unknown = sorted(key for key in fields.values if fields.has(key) and not _understood(fields, key))
    if unknown:
        names = ", ".join(f'"{shown(key, 60)}"' for key in unknown[:5]) + (", …" if len(unknown) > 5 else "")
        raise UnsupportedArchitecture(
            "Tonnage cannot read the architecture {value} yet; its file has fields unknown here: {shown}.",
            value=title or "?",
            shown=names,
        )
    lacking = [name for name in NEEDED if not fields.has(name)]
    if lacking:
        raise UnsupportedArchitecture(
            'Tonnage cannot read the architecture {value} yet; its file has no "{lacking}".',
            value=title or "?",
            lacking=lacking[0],
        )
    draft = read_decoder(fields, "")
    draft.note(NoteKind.UNKNOWN_ARCHITECTURE, title)
    return draft


def _understood(fields: Fields, key: str) -> bool:
    if key in ("hidden_act", "hidden_activation", "activation_function"):
        return fields.values[key] in GATED
    if key == "is_encoder_decoder":
        return fields.values[key] is False
    return key in STRUCTURAL or bool(HARMLESS.search(key))

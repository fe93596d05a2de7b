"""What formats of weights and caches are called: proper names stay, words are said in the reader's language."""

from core.language.messages import gettext as _
from core.language.messages import marked

#: Names of the shipped catalogue that have words in them.
_WORDS = {
    marked("4 bit, rule of thumb"),
    marked("4 bit (MLX)"),
    marked("8 bit (MLX)"),
    marked("FP16 or BF16"),
    marked("FP8 per tensor"),
    marked("FP8 per token and head"),
    marked("FP8, blocks of 128 x 128"),
    marked("FP8, per tensor or channel"),
    marked("FP8 for latent attention (DeepSeek layout)"),
    marked("INT4 (AWQ or GPTQ, group 128)"),
    marked("INT4, group 32"),
    marked("INT4 per token and head"),
    marked("INT8 per token and head"),
    marked("MLX 4 bit, group 32"),
    marked("MLX 4 bit, group 64"),
    marked("MLX 6 bit, group 64"),
    marked("MLX 8 bit, group 64"),
    marked("MXFP4 in GGUF"),
    marked("NVFP4 in GGUF"),
    marked("NVFP4 for latent attention (DeepSeek layout)"),
    marked("TurboQuant, 3 bit (vLLM)"),
    marked("TurboQuant, 4 bit (vLLM)"),
    marked("TurboQuant, keys of 3 bit, values of 4 (vLLM)"),
    marked("TurboQuant, keys in FP8, values of 4 bit (vLLM)"),
}


def format_name(name: str) -> str:
    """The name of a format as the reader's language has it.

    >>> from core.language.messages import in_language
    >>> with in_language("de"):
    ...     format_name("4 bit, rule of thumb"), format_name("NVFP4")
    ('4 Bit, Faustregel', 'NVFP4')
    """
    return _(name) if name in _WORDS else name

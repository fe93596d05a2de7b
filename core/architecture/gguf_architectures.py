"""The architectures of GGUF files that Tonnage counts, and what llama.cpp knows about each without being told.

Which layers have a window is built into llama.cpp for most architectures; the periods here are those of
`src/llama-model.cpp` in ggml-org/llama.cpp.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from core.architecture.blueprint import AttentionKind


@dataclass(frozen=True, slots=True)
class Windows:
    """Which layers of an architecture see the last tokens only, where the file does not list them."""

    period: int = 0  # the last layer of so many sees everything; 0: all do
    dense_first: bool = False  # the first of so many does instead
    window: int = 0  # [tokens] where the file does not say
    kind: AttentionKind = AttentionKind.WINDOW

    def has(self, layer: int) -> bool:
        if not self.period:
            return False
        place = layer % self.period
        return place != 0 if self.dense_first else place < self.period - 1


NO_WINDOWS = Windows()
WINDOWS: Mapping[str, Windows] = {
    "gemma2": Windows(2, window=4096),
    "gemma3": Windows(6),
    "gemma3n": Windows(5),
    "gemma-embedding": Windows(6),
    "gpt-oss": Windows(2),
    "cohere2": Windows(4),
    "olmo2": Windows(4),
    "exaone4": Windows(4),
    "exaone-moe": Windows(4),
    "llama4": Windows(4, window=8192, kind=AttentionKind.CHUNK),
    "smallthinker": Windows(4, dense_first=True),
    "afmoe": Windows(4),
    "plamo3": Windows(8),
    "modern-bert": Windows(3, dense_first=True),
    "gemma4": NO_WINDOWS,  # lists its layers, as the next two do
    "mimo2": NO_WINDOWS,
    "step35": NO_WINDOWS,
}
_DECODERS = (
    "llama llama-embed mistral3 qwen qwen2 qwen2moe qwen2vl qwen3 qwen3moe qwen3vl qwen3vlmoe phi2 phi3 phimoe gemma "
    "command-r olmo olmoe deepseek chatglm glm4 glm4moe exaone granite granitemoe dbrx arctic bailingmoe bailingmoe2 "
    "dots1 ernie4_5 ernie4_5-moe hunyuan-moe hunyuan-dense smollm3 seed_oss minimax-m2 starcoder starcoder2 gpt2 "
    "gptneox falcon mpt bloom stablelm internlm2 baichuan xverse minicpm nemotron jais jais2 apertus arcee "
    "pangu-embedded grok deci openelm maincoder codeshell orion refact"
)
DECODERS = frozenset(_DECODERS.split())
LATENT = frozenset({"deepseek2", "deepseek32", "glm-dsa", "mistral4", "minicpm3", "plm"})
DELTA_NETS = frozenset({"qwen3next", "qwen35", "qwen35moe"})
MAMBA_2 = frozenset({"mamba2", "nemotron_h", "nemotron_h_moe", "granitehybrid", "falcon-h1"})
MAMBA_1 = frozenset({"mamba", "jamba"})
KDA = "kimi-linear"
_ENCODERS = "bert nomic-bert nomic-bert-moe jina-bert-v2 jina-bert-v3 modern-bert neo-bert eurobert gemma-embedding"
ENCODERS = frozenset(_ENCODERS.split())
SUPPORTED = frozenset(WINDOWS) | DECODERS | LATENT | DELTA_NETS | MAMBA_1 | MAMBA_2 | ENCODERS | {KDA}

OWN_CACHES = {"gemma3n": 20}  # layers from the first on that have a cache of their own
FAMILIES: Mapping[str, str] = {  # model_type of the config.json, where it is not the same word
    "qwen3moe": "qwen3_moe",
    "qwen2moe": "qwen2_moe",
    "qwen3next": "qwen3_next",
    "qwen35": "qwen3_5",
    "qwen35moe": "qwen3_5_moe",
    "gpt-oss": "gpt_oss",
    "glm4moe": "glm4_moe",
    "glm-dsa": "glm_moe_dsa",
    "deepseek2": "deepseek_v3",
    "deepseek32": "deepseek_v32",
    "minimax-m2": "minimax_m2",
    "granitehybrid": "granitemoehybrid",
    "falcon-h1": "falcon_h1",
    "nemotron_h_moe": "nemotron_h",
    "kimi-linear": "kimi_linear",
    "command-r": "cohere",
}
FORMATS: Mapping[str, str] = {  # formats of the catalogue by file type, where they are not called the same
    "F32": "gguf-f16",
    "F16": "gguf-f16",
    "BF16": "gguf-f16",
    "MXFP4": "mxfp4-gguf",
    "NVFP4": "nvfp4-gguf",
}

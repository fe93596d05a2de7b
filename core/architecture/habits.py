"""What the files of conventional decoders do not say, because the program of their family knows it.

Read in the modelling code of Transformers 5.24 and vLLM 0.33, and for families that run by code of their own in the
file named beside them.
"""

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Habits:
    """What the files of a family do not say, because its program knows it."""

    qkv_bias: bool | None = None  # None: as "attention_bias" says
    output_bias: bool | None = None  # None: as "attention_bias" says
    qk_norm: str = ""  # as in `core.architecture.modules.Heads`
    qk_norm_flag: bool | None = None  # what a missing "use_qk_norm" means; None: there is no such field
    output_gate: bool = False
    norms: int = 2  # norms of hidden size in a layer
    tied: bool = False  # where the file does not say
    period: int = 0  # every how many layers one has full attention, where the file does not say; 1: all have a window
    window_flag: bool = False  # "use_sliding_window" must be true
    sinks: bool = False  # one number a query head
    expert_biases: bool = False
    router_bias: bool = False
    shared_field: str = ""  # number of shared experts
    shared_width: str = ""  # width of the shared expert
    dense_field: str = "first_k_dense_replace"  # layers before the first one with experts
    predicts: bool = False  # the checkpoint keeps the layers of "num_nextn_predict_layers"
    predicts_dense: bool = False  # and they have no experts
    head_copies: bool = False  # and copies of the embedding and the head
    gated: bool = True  # the dense feed-forward block; False: up and down alone
    norm_bias: bool = False  # norms have a bias beside their weight
    mlp_bias: bool | None = None  # None: as "mlp_bias" says
    head_bias: bool | None = None  # None: as "lm_head_bias" says
    single_norm: str = ""  # flag of layers whose two blocks stand side by side, behind one norm
    post_norms: str = ""  # flag of two more norms, behind the blocks
    sub_norms: bool = False  # norms before the output projection and the down projection
    embedding_norm: bool = False
    activation: int = 0  # learned numbers in the activation of a layer
    positions: int = -1  # rows of a learned table beyond the longest context; -1: no such table
    inner_multiple: int = 0  # inner width in hidden sizes, where the file does not say
    router_bias_flag: str = ""  # flag of one number an expert beside the router's matrix
    shared_gate: bool = False


_QWEN2 = Habits(qkv_bias=True, output_bias=False, window_flag=True)
_QWEN3 = Habits(qk_norm="head", window_flag=True)
_GEMMA3 = Habits(qk_norm="head", norms=4, tied=True, period=6)
_COHERE = Habits(norms=1, tied=True, qk_norm="full", qk_norm_flag=False)
_HUNYUAN = Habits(qk_norm="head", qk_norm_flag=True, tied=True, shared_field="num_shared_expert")

_OLD = Habits(
    qkv_bias=True, output_bias=True, mlp_bias=True, gated=False, norm_bias=True, inner_multiple=4
)  # the GPT-2 way
_GPTJ = replace(_OLD, qkv_bias=False, output_bias=False, norms=1, head_bias=True)
_MUSE = Habits(norms=4, output_gate=True)
_BAILING = Habits(
    qk_norm="head",
    qk_norm_flag=False,
    shared_field="num_shared_experts",
    router_bias_flag="moe_router_enable_expert_bias",
    predicts=True,
)

HABITS: dict[str, Habits] = {
    "llama": Habits(),
    "mistral": Habits(qkv_bias=False, output_bias=False, period=1),
    "ministral": Habits(qkv_bias=False, output_bias=False, period=1),
    "ministral3": Habits(qkv_bias=False, output_bias=False, period=1),
    "mixtral": Habits(qkv_bias=False, output_bias=False, period=1),
    "qwen2": _QWEN2,
    "qwen2_moe": Habits(
        qkv_bias=True,
        output_bias=False,
        window_flag=True,
        shared_width="shared_expert_intermediate_size",
        shared_gate=True,
    ),
    "qwen2_vl": _QWEN2,
    "qwen2_vl_text": _QWEN2,
    "qwen2_5_vl": _QWEN2,
    "qwen2_5_vl_text": _QWEN2,
    "qwen3": _QWEN3,
    "qwen3_moe": _QWEN3,
    "qwen3_vl_text": _QWEN3,
    "qwen3_vl_moe_text": _QWEN3,
    "phi3": Habits(qkv_bias=False, output_bias=False, period=1),
    "gemma": Habits(tied=True),
    "gemma2": Habits(norms=4, tied=True, period=2),
    "gemma3": _GEMMA3,
    "gemma3_text": _GEMMA3,
    "gpt_oss": Habits(sinks=True, expert_biases=True, period=2),
    "glm": Habits(output_bias=False),
    "glm4": Habits(output_bias=False, norms=4),
    "glm4_moe": Habits(
        output_bias=False,
        qk_norm="head",
        qk_norm_flag=False,
        router_bias=True,
        shared_field="n_shared_experts",
        predicts=True,
        head_copies=True,
    ),
    "olmo2": Habits(qk_norm="full"),
    "olmo3": Habits(qk_norm="full", period=4),
    "exaone4": Habits(qkv_bias=False, output_bias=False, qk_norm="head", period=4),
    "granite": Habits(tied=True),
    "minimax_m2": Habits(qkv_bias=False, output_bias=False, qk_norm="full", router_bias=True),
    "cohere": _COHERE,
    "cohere2": replace(_COHERE, period=4, qk_norm=""),
    "cohere2_moe": replace(_COHERE, period=4, qk_norm="", shared_field="num_shared_experts"),
    "hunyuan_v1_dense": _HUNYUAN,
    "hunyuan_v1_moe": _HUNYUAN,
    "smollm3": Habits(tied=True, window_flag=True),
    "dots1": Habits(qk_norm="head", router_bias=True, shared_field="n_shared_experts"),
    "ernie4_5": Habits(qkv_bias=False, output_bias=False, tied=True),
    "ernie4_5_moe": Habits(
        qkv_bias=False,
        output_bias=False,
        tied=True,
        router_bias=True,
        shared_field="moe_num_shared_experts",
    ),
    "seed_oss": Habits(output_bias=False),
    "mimo": Habits(output_bias=False, window_flag=True, predicts=True),
    "afmoe": Habits(
        qkv_bias=False,
        output_bias=False,
        qk_norm="head",
        output_gate=True,
        norms=4,
        period=4,
        router_bias=True,
        shared_field="num_shared_experts",
        dense_field="num_dense_layers",
    ),
    # Since 2025.
    "apertus": Habits(qk_norm="head", gated=False, activation=2),
    "arcee": Habits(gated=False),
    "bailing_moe": _BAILING,  # inclusionAI/Ling: models/modeling_bailing_moe.py
    "bailing_moe_v2": _BAILING,
    "cwm": Habits(qkv_bias=False, output_bias=False),
    "exaone_moe": Habits(
        qkv_bias=False,
        output_bias=False,
        qk_norm="head",
        period=4,
        router_bias=True,
        shared_field="num_shared_experts",
        predicts=True,
        predicts_dense=True,
    ),
    "flex_olmo": Habits(qk_norm="full"),
    "granite_swa": Habits(tied=True, sinks=True),
    "granitemoe_swa": Habits(tied=True, sinks=True, shared_width="shared_intermediate_size"),
    "hy_v3": Habits(qk_norm="head", router_bias=True, shared_field="num_shared_experts", predicts=True),
    "hyperclovax": Habits(post_norms="use_post_norm"),
    "iquestcoder": Habits(),
    "jais2": Habits(gated=False, norm_bias=True),
    "kolibri1": Habits(
        qk_norm="head", norms=4, period=1, router_bias=True, shared_width="shared_expert_intermediate_size"
    ),
    "mellum": Habits(qk_norm="head"),
    "muse_glimmer": _MUSE,
    "muse_glimmer_text": _MUSE,
    "nanochat": Habits(norms=0, gated=False),
    "sarvam_moe": Habits(
        qk_norm="head", qk_norm_flag=True, router_bias=True, shared_field="n_shared_experts", predicts=True
    ),
    "solar_open": Habits(router_bias=True, shared_field="n_shared_experts"),
    "vaultgemma": Habits(tied=True, period=2),
    # Before.
    "baichuan": Habits(qkv_bias=False, output_bias=False),  # baichuan-inc: modeling_baichuan.py
    "bitnet": Habits(sub_norms=True),
    "bloom": replace(_OLD, tied=True, embedding_norm=True),
    "chatglm": Habits(),  # THUDM/glm-4-9b: modeling_chatglm.py
    "codegen": _GPTJ,
    "dbrx": Habits(qkv_bias=False, output_bias=False),
    "deepseek": Habits(shared_field="n_shared_experts"),  # deepseek-moe-16b: modeling_deepseek.py
    "exaone": Habits(qkv_bias=False, output_bias=False),  # EXAONE-3.5: modeling_exaone.py
    "gpt_bigcode": replace(_OLD, tied=True, positions=0),
    "gpt_neo": replace(_OLD, qkv_bias=False, tied=True, positions=0),
    "gpt_neox": _OLD,
    "gptj": _GPTJ,
    "granitemoe": Habits(tied=True),
    "granitemoeshared": Habits(tied=True, shared_width="shared_intermediate_size"),
    "helium": Habits(),
    "internlm": Habits(),
    "internlm2": Habits(),  # internlm2-chat-7b: modeling_internlm2.py
    "internlm3": Habits(),
    "minicpm": Habits(tied=True),  # MiniCPM: modeling_minicpm.py
    "mpt": Habits(qkv_bias=False, output_bias=False, tied=True, gated=False, mlp_bias=False),
    "nemotron": Habits(gated=False, norm_bias=True),
    "olmo": Habits(norms=0),
    "olmoe": Habits(qk_norm="full"),
    "opt": replace(_OLD, tied=True, positions=2),
    "orion": Habits(qkv_bias=False, output_bias=False, norm_bias=True),  # vLLM: models/orion.py
    "persimmon": replace(_OLD, qk_norm="biased head", qk_norm_flag=True),
    "phi": replace(_OLD, norms=1, head_bias=True, qk_norm="biased head", qk_norm_flag=False),
    "phimoe": Habits(norm_bias=True, period=1),
    "qwen": Habits(qkv_bias=True, output_bias=False),  # Qwen-7B: modeling_qwen.py
    "stablelm": Habits(
        output_bias=False, norm_bias=True, single_norm="use_parallel_residual", qk_norm="full", qk_norm_flag=False
    ),
    "starcoder2": Habits(tied=True, period=1, gated=False, norm_bias=True),
    "xverse": Habits(),
}

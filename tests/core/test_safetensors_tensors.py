"""Classes of tensors by the names that published checkpoints give them, for models of 61 layers."""

import pytest

from core.architecture.blueprint import TensorClass as T
from core.architecture.safetensors import SafeTensor
from core.architecture.safetensors_tensors import Packing, tensor_class, weigh

BY_NAME = {
    "model.embed_tokens.weight": T.EMBEDDING,
    "language_model.model.embed_tokens.weight": T.EMBEDDING,
    "backbone.embeddings.weight": T.EMBEDDING,
    "transformer.wte.weight": T.EMBEDDING,
    "embed.weight": T.EMBEDDING,
    "model.language_model.embed_tokens_per_layer.weight": T.EMBEDDING,
    "roberta.embeddings.word_embeddings.weight": T.EMBEDDING,
    "lm_head.weight": T.HEAD,
    "head.weight": T.HEAD,
    "score.weight": T.HEAD,
    "model.norm.weight": T.NORM,
    "backbone.norm_f.weight": T.NORM,
    "model.layers.3.self_attn.q_proj.weight": T.ATTENTION,
    "model.layers.3.self_attn.q_proj.bias": T.NORM,
    "model.layers.3.self_attn.q_norm.weight": T.NORM,
    "model.layers.3.self_attn.sinks": T.NORM,
    "model.layers.3.self_attn.kv_a_proj_with_mqa.weight": T.ATTENTION,
    "model.layers.3.self_attn.kv_a_proj_with_mqa.weight_scale_inv": T.ATTENTION,
    "model.layers.3.self_attn.kv_a_layernorm.weight": T.NORM,
    "model.layers.3.self_attn.indexer.wq_b.weight": T.ATTENTION,
    "model.layers.3.self_attn.indexer.weights_proj.weight": T.ATTENTION,
    "model.layers.3.linear_attn.in_proj_qkvz.weight": T.RECURRENT,
    "model.layers.3.linear_attn.out_proj.weight": T.RECURRENT,
    "model.layers.3.linear_attn.conv1d.weight": T.NORM,
    "model.layers.3.linear_attn.A_log": T.NORM,
    "model.layers.3.linear_attn.dt_bias": T.NORM,
    "backbone.layers.3.mixer.in_proj.weight": T.RECURRENT,
    "backbone.layers.3.mixer.conv1d.weight": T.NORM,
    "backbone.layers.3.mixer.D": T.NORM,
    "backbone.layers.3.mixer.q_proj.weight": T.ATTENTION,
    "backbone.layers.3.mixer.up_proj.weight": T.FEED_FORWARD,
    "backbone.layers.3.mixer.gate.weight": T.ROUTER,
    "backbone.layers.3.mixer.experts.7.up_proj.weight": T.EXPERT,
    "backbone.layers.3.mixer.shared_experts.up_proj.weight": T.SHARED_EXPERT,
    "backbone.layers.3.norm.weight": T.NORM,
    "model.layers.3.mamba.in_proj.weight": T.RECURRENT,
    "model.layers.3.mlp.gate_proj.weight": T.FEED_FORWARD,
    "model.layers.3.mlp.gate_up_proj.weight": T.FEED_FORWARD,
    "model.layers.3.mlp.gate.weight": T.ROUTER,
    "model.layers.3.mlp.gate.e_score_correction_bias": T.NORM,
    "model.layers.3.mlp.router.weight": T.ROUTER,
    "model.layers.3.mlp.router.bias": T.NORM,
    "model.layers.3.block_sparse_moe.gate.weight": T.ROUTER,
    "model.layers.3.block_sparse_moe.experts.7.w1.weight": T.EXPERT,
    "model.layers.3.block_sparse_moe.input_linear.weight": T.EXPERT,
    "model.layers.3.mlp.switch_mlp.up_proj.scales": T.EXPERT,
    "model.layers.3.mlp.experts.gate_up_proj": T.EXPERT,
    "model.layers.3.mlp.experts.gate_up_proj_bias": T.EXPERT,
    "model.layers.3.mlp.experts.down_proj_blocks": T.EXPERT,
    "model.layers.3.mlp.experts.7.down_proj.weight_scale": T.EXPERT,
    "model.layers.3.mlp.shared_expert.up_proj.weight": T.SHARED_EXPERT,
    "model.layers.3.mlp.shared_expert_gate.weight": T.ROUTER,
    "model.layers.3.shared_mlp.input_linear.weight": T.SHARED_EXPERT,
    "model.layers.3.post_attention_layernorm.weight": T.NORM,
    "model.layers.1.ple.ple_embedding.ngram_embedding.shards.0.weight": T.NGRAM,
    "model.layers.1.ple.key_proj.weight": T.FEED_FORWARD,
    "model.layers.3.attn_hyper_connection.input_mix_weight_down.weight": T.NORM,
    "model.layers.61.embed_tokens.weight": T.MTP,
    "model.layers.61.shared_head.head.weight": T.MTP,
    "model.layers.61.mlp.experts.3.up_proj.weight": T.MTP,
    "mtp.layers.0.mlp.experts.3.up_proj.weight": T.MTP,
    "mtp.fc.weight": T.MTP,
    "model.visual.blocks.3.attn.qkv.weight": T.VISION,
    "visual.merger.linear_fc1.weight": T.VISION,
    "vision_tower.vision_model.encoder.layers.3.self_attn.q_proj.weight": T.VISION,
    "model.vision_tower.patch_conv.weight": T.VISION,
    "multi_modal_projector.linear_1.weight": T.VISION,
    "model.embed_vision.embedding_projection.weight": T.VISION,
    "model.audio_tower.conformer.3.attention.attn.q_proj.weight": T.VISION,
    "encoder.layer.3.attention.self.query.weight": T.ATTENTION,
    "encoder.layer.3.attention.output.dense.weight": T.ATTENTION,
    "encoder.layer.3.intermediate.dense.weight": T.FEED_FORWARD,
    "encoder.layer.3.output.dense.weight": T.FEED_FORWARD,
    "encoder.layer.3.output.LayerNorm.weight": T.NORM,
    "transformer.h.3.attn.c_attn.weight": T.ATTENTION,
    "transformer.h.3.mlp.c_fc.weight": T.FEED_FORWARD,
    "transformer.h.3.ln_1.weight": T.NORM,
}


def tensor(name: str, dtype: str = "BF16", shape: tuple[int, ...] = (64, 64)) -> SafeTensor:
    count = 1
    for n in shape:
        count *= n
    size = {"BF16": 2, "F32": 4, "I32": 4, "U32": 4, "U8": 1, "I8": 1, "F8_E8M0": 1, "I64": 8, "F8_E4M3": 1}[dtype]
    return SafeTensor(name, dtype, shape, 0, count * size)


@pytest.mark.parametrize("name", BY_NAME)
def test_class_by_name(name: str) -> None:
    one_row = name.endswith(("norm.weight", "norm_f.weight", "bias", "LayerNorm.weight", "ln_1.weight"))
    assert tensor_class(tensor(name, shape=(64,) if one_row else (64, 64)), layers=61)[0] is BY_NAME[name]


def test_what_no_name_explains_is_noted() -> None:
    weights = weigh([tensor("model.layers.3.wonder.weight"), tensor("model.layers.4.wonder.weight")], 61)
    assert (weights.unknown, weights.unknown_name) == (2, "model.layers.3.wonder.weight")
    assert weights.bytes[T.FEED_FORWARD] == 2 * 8192


def test_state_layers_that_call_their_projections_attention() -> None:
    names = ["model.layers.3.self_attn.q_proj.weight", "model.layers.4.self_attn.q_proj.weight"]
    weights = weigh([tensor(name) for name in names] + [tensor("model.layers.3.self_attn.A_log", "F32", (32,))], 61)
    assert (weights.bytes[T.RECURRENT], weights.bytes[T.ATTENTION]) == (8192, 8192)


def test_table_that_is_the_head_beside_tables_for_each_layer() -> None:
    """As the config reader has it: Gemma's tied table is read whole, those for each layer are looked up."""
    names = ("model.language_model.embed_tokens.weight", "model.language_model.embed_tokens_per_layer.weight")
    weights = weigh([tensor(names[0]), tensor(names[1], shape=(128, 64))], 61)
    assert (weights.bytes[T.HEAD], weights.bytes[T.EMBEDDING]) == (8192, 16384)


@pytest.mark.parametrize(
    ("name", "dtype", "packing", "parameters"),
    [
        ("weight", "U8", Packing(), 2 * 4096),
        ("weight", "I8", Packing(), 4096),
        ("weight", "I8", Packing(pairs=True), 2 * 4096),
        ("weight", "F8_E4M3", Packing(), 4096),
        ("qweight", "I32", Packing(bits=4), 8 * 4096),
        ("qweight", "I32", Packing(bits=8), 4 * 4096),
        ("qzeros", "I32", Packing(), 0),
        ("g_idx", "I32", Packing(), 0),
        ("weight_packed", "I32", Packing(bits=4), 8 * 4096),
        ("weight_shape", "I64", Packing(), 0),
        ("weight_scale", "F8_E4M3", Packing(), 0),
        ("scale", "F8_E8M0", Packing(), 0),
        ("weight", "U32", Packing(mlx_group=64), 0),
        ("scales", "BF16", Packing(mlx_group=64), 64 * 4096),
        ("scales", "BF16", Packing(), 0),
        ("biases", "BF16", Packing(mlx_group=64), 0),
    ],
)
def test_weights_in_packed_numbers(name: str, dtype: str, packing: Packing, parameters: int) -> None:
    weights = weigh([tensor(f"model.layers.3.mlp.up_proj.{name}", dtype)], 61, packing)
    assert weights.parameters.total() == parameters
    assert weights.bytes[T.FEED_FORWARD] == tensor("x", dtype).bytes

/* The parameter list of each architecture: one row per tensor, in the order of named_parameters().
 *
 * Order and names: the module lists of Hugging Face transformers 4.x (models/<arch>/modeling_<arch>.py; a module's own
 * parameters come before its children's), for Megatron those of Megatron-Core 0.16 (transformer/transformer_layer.py,
 * attention.py, mlp.py, moe/moe_layer.py, multi_latent_attention.py; models/T5/t5_model.py, models/bert/bert_model.py,
 * models/bert/bert_lm_head.py, models/bert/pooler.py; ssm/mamba_layer.py, mamba_mixer.py, mamba_block.py). What tensor parallelism splits: Megatron-Core's
 * column and row parallel layers; norms, routers, low-rank down projections and biases of row parallel layers are whole. */
#include "internal/model.h"

#define NONE DTCI_SPLIT_NONE
#define TP DTCI_SPLIT_TP
#define DIM(x) DTCI_DIM_##x
#define KIND(x) DTC_TENSOR_KIND_##x
/* clang-format off */
/* A tensor of up to three dimensions. */
#define T(part, kind, name, split, when, ...) {name, DTCI_##part, KIND(kind), {__VA_ARGS__}, 0, split, when}
/* Norm over `dim`; with a bias where the model has LayerNorm. */
#define RMS(part, kind, name, when, dim) T(part, kind, name ".weight", NONE, when, DIM(dim))
#define NORM(part, kind, name, when, dim)                                                                              \
  RMS(part, kind, name, when, dim), T(part, kind, name ".bias", NONE, (when) | DTCI_LAYERNORM, DIM(dim))
/* Column parallel linear layer (output split) and row parallel one (input split); with B also a bias. */
#define COL(part, kind, name, when, out, in) T(part, kind, name ".weight", TP, when, DIM(out), DIM(in))
#define COLB(part, kind, name, when, bias, out, in)                                                                    \
  COL(part, kind, name, when, out, in), T(part, kind, name ".bias", TP, (when) | (bias), DIM(out))
#define LIN(part, kind, name, when, out, in) T(part, kind, name ".weight", NONE, when, DIM(out), DIM(in))
#define ROWB(part, kind, name, when, bias, out, in)                                                                    \
  COL(part, kind, name, when, out, in), T(part, kind, name ".bias", NONE, (when) | (bias), DIM(out))

#define EMBED(name) COL(BEFORE, EMBEDDING, name, 0, VOCAB, HIDDEN)
#define HEAD(name) COL(AFTER, HEAD, name, DTCI_UNTIED, VOCAB, HIDDEN)
/* What Llama and its relatives share. */
#define QKVO                                                                                                           \
  COLB(LAYER, ATTENTION, "self_attn.q_proj", DTCI_MHA, DTCI_QKV_BIAS, Q, HIDDEN),                                      \
  COLB(LAYER, ATTENTION, "self_attn.k_proj", DTCI_MHA, DTCI_QKV_BIAS, KV, HIDDEN),                                     \
  COLB(LAYER, ATTENTION, "self_attn.v_proj", DTCI_MHA, DTCI_QKV_BIAS, KV, HIDDEN),                                     \
  ROWB(LAYER, ATTENTION, "self_attn.o_proj", DTCI_MHA, DTCI_OUT_BIAS, HIDDEN, Q)
#define HEAD_NORMS                                                                                                     \
  RMS(LAYER, ATTENTION, "self_attn.q_norm", DTCI_QK_NORM, HEAD),                                                       \
  RMS(LAYER, ATTENTION, "self_attn.k_norm", DTCI_QK_NORM, HEAD)
#define SWIGLU(when)                                                                                                   \
  COLB(LAYER, MLP, "mlp.gate_proj", (when) | DTCI_GATED, DTCI_MLP_BIAS, FFN, HIDDEN),                                  \
  COLB(LAYER, MLP, "mlp.up_proj", (when) | DTCI_GATED, DTCI_MLP_BIAS, FFN, HIDDEN),                                    \
  ROWB(LAYER, MLP, "mlp.down_proj", (when) | DTCI_GATED, DTCI_MLP_BIAS, HIDDEN, FFN)
#define PLAIN_SWIGLU \
  COL(LAYER, MLP, "mlp.gate_proj", DTCI_DENSE | DTCI_GATED, FFN, HIDDEN), \
  COL(LAYER, MLP, "mlp.up_proj", DTCI_DENSE | DTCI_GATED, FFN, HIDDEN), \
  COL(LAYER, MLP, "mlp.down_proj", DTCI_DENSE | DTCI_GATED, HIDDEN, FFN)
#define EXPERT_SWIGLU                                                                                                  \
  COL(EXPERT, EXPERT, "mlp.experts.#.gate_proj", DTCI_MOE | DTCI_GATED, MOE, HIDDEN),                                  \
  COL(EXPERT, EXPERT, "mlp.experts.#.up_proj", DTCI_MOE | DTCI_GATED, MOE, HIDDEN),                                    \
  COL(EXPERT, EXPERT, "mlp.experts.#.down_proj", DTCI_MOE | DTCI_GATED, HIDDEN, MOE)
#define SHARED_SWIGLU(name)                                                                                            \
  COL(LAYER, SHARED, name ".gate_proj", DTCI_MOE | DTCI_SHARED, SHARED, HIDDEN),                                       \
  COL(LAYER, SHARED, name ".up_proj", DTCI_MOE | DTCI_SHARED, SHARED, HIDDEN),                                         \
  COL(LAYER, SHARED, name ".down_proj", DTCI_MOE | DTCI_SHARED, HIDDEN, SHARED)
#define TWO_NORMS                                                                                                      \
  RMS(LAYER, NORM, "input_layernorm", DTCI_NORMS_2, HIDDEN),                                                           \
  RMS(LAYER, NORM, "post_attention_layernorm", DTCI_NORMS_2, HIDDEN)
#define FOUR_NORMS                                                                                                     \
  RMS(LAYER, NORM, "input_layernorm", DTCI_NORMS_4, HIDDEN),                                                           \
  RMS(LAYER, NORM, "post_attention_layernorm", DTCI_NORMS_4, HIDDEN),                                                  \
  RMS(LAYER, NORM, "pre_feedforward_layernorm", DTCI_NORMS_4, HIDDEN),                                                 \
  RMS(LAYER, NORM, "post_feedforward_layernorm", DTCI_NORMS_4, HIDDEN)
/* What GPT, T5 and BERT of Megatron-Core share: the start of a layer, and its end when it is dense. */
#define MEGATRON_ATTENTION(attends)                                                                                    \
  NORM(LAYER, NORM, "input_layernorm", DTCI_NORMS_2 | (attends), HIDDEN),                                              \
  ROWB(LAYER, ATTENTION, "self_attention.linear_proj", DTCI_MHA, DTCI_OUT_BIAS, HIDDEN, Q),                            \
  COLB(LAYER, ATTENTION, "self_attention.linear_qkv", DTCI_MHA, DTCI_QKV_BIAS, QKV, HIDDEN),                           \
  NORM(LAYER, ATTENTION, "self_attention.q_layernorm", DTCI_MHA | DTCI_QK_NORM, HEAD),                                 \
  NORM(LAYER, ATTENTION, "self_attention.k_layernorm", DTCI_MHA | DTCI_QK_NORM, HEAD)
#define MEGATRON_MLP                                                                                                   \
  COLB(LAYER, MLP, "mlp.linear_fc1", DTCI_DENSE | DTCI_GATED, DTCI_MLP_BIAS, FFN_IN, HIDDEN),                          \
  ROWB(LAYER, MLP, "mlp.linear_fc2", DTCI_DENSE | DTCI_GATED, DTCI_MLP_BIAS, HIDDEN, FFN),                             \
  COLB(LAYER, MLP, "mlp.linear_fc1", DTCI_DENSE | DTCI_PLAIN, DTCI_MLP_BIAS, FFN_IN, HIDDEN),                          \
  ROWB(LAYER, MLP, "mlp.linear_fc2", DTCI_DENSE | DTCI_PLAIN, DTCI_MLP_BIAS, HIDDEN, FFN)
#define TAIL RMS(AFTER, FINAL_NORM, "model.norm", 0, HIDDEN), HEAD("lm_head")

/* GPT, T5 (an encoder's layers lack the rows of DTCI_CROSS) and hybrids, whose layers have one of mixer, attention, MLP. */
static const dtci_tensor_row megatron[] = {
  EMBED("embedding.word_embeddings"),
  T(BEFORE, EMBEDDING, "embedding.position_embeddings.weight", NONE, DTCI_LEARNED, DIM(CONTEXT), DIM(HIDDEN)),
  NORM(BETWEEN, FINAL_NORM, "encoder.final_layernorm", DTCI_ENCODER, HIDDEN),
  T(LAYER, MAMBA, "mixer.dt_bias", TP, DTCI_MAMBA, DIM(MAMBA_HEADS)),
  T(LAYER, MAMBA, "mixer.A_log", TP, DTCI_MAMBA, DIM(MAMBA_HEADS)),
  T(LAYER, MAMBA, "mixer.D", TP, DTCI_MAMBA, DIM(MAMBA_HEADS)),
  COL(LAYER, MAMBA, "mixer.in_proj", DTCI_MAMBA, MAMBA_IN, HIDDEN),
  T(LAYER, MAMBA, "mixer.conv1d.weight", TP, DTCI_MAMBA, DIM(MAMBA_CONV), DIM(ONE), DIM(MAMBA_WIDTH)),
  T(LAYER, MAMBA, "mixer.conv1d.bias", TP, DTCI_MAMBA, DIM(MAMBA_CONV)),
  T(LAYER, MAMBA, "mixer.norm.weight", TP, DTCI_MAMBA, DIM(MAMBA_INNER)),
  COL(LAYER, MAMBA, "mixer.out_proj", DTCI_MAMBA, HIDDEN, MAMBA_INNER),
  NORM(LAYER, NORM, "norm", DTCI_MAMBA, HIDDEN),
  MEGATRON_ATTENTION(DTCI_ATTENDS),
  ROWB(LAYER, ATTENTION, "self_attention.linear_proj", DTCI_MLA, DTCI_OUT_BIAS, HIDDEN, V_MLA),
  COL(LAYER, ATTENTION, "self_attention.linear_q_proj", DTCI_MLA | DTCI_Q_FULL, Q_MLA, HIDDEN),
  LIN(LAYER, ATTENTION, "self_attention.linear_q_down_proj", DTCI_MLA | DTCI_Q_RANK, Q_RANK, HIDDEN),
  COL(LAYER, ATTENTION, "self_attention.linear_q_up_proj", DTCI_MLA | DTCI_Q_RANK, Q_MLA, Q_RANK),
  LIN(LAYER, ATTENTION, "self_attention.linear_kv_down_proj", DTCI_MLA, KV_DOWN, HIDDEN),
  COL(LAYER, ATTENTION, "self_attention.linear_kv_up_proj", DTCI_MLA, KV_UP, KV_RANK),
  NORM(LAYER, ATTENTION, "self_attention.q_layernorm", DTCI_MLA | DTCI_Q_RANK, Q_RANK),
  NORM(LAYER, ATTENTION, "self_attention.kv_layernorm", DTCI_MLA, KV_RANK),
  NORM(LAYER, NORM, "pre_cross_attn_layernorm", DTCI_CROSS, HIDDEN),
  ROWB(LAYER, CROSS, "cross_attention.linear_proj", DTCI_CROSS, DTCI_OUT_BIAS, HIDDEN, Q),
  COLB(LAYER, CROSS, "cross_attention.linear_q", DTCI_CROSS, DTCI_QKV_BIAS, Q, HIDDEN),
  COLB(LAYER, CROSS, "cross_attention.linear_kv", DTCI_CROSS, DTCI_QKV_BIAS, KV2, HIDDEN),
  NORM(LAYER, NORM, "pre_mlp_layernorm", DTCI_NORMS_2 | DTCI_FEEDS, HIDDEN),
  MEGATRON_MLP,
  LIN(LAYER, ROUTER, "mlp.router", DTCI_MOE, EXPERTS, HIDDEN),
  T(LAYER, ROUTER, "mlp.router.bias", NONE, DTCI_MOE | DTCI_ROUTER_BIAS, DIM(EXPERTS)),
  COLB(EXPERT, EXPERT, "mlp.experts.local_experts.#.linear_fc1", DTCI_MOE, DTCI_MLP_BIAS, MOE_IN, HIDDEN),
  ROWB(EXPERT, EXPERT, "mlp.experts.local_experts.#.linear_fc2", DTCI_MOE, DTCI_MLP_BIAS, HIDDEN, MOE),
  T(LAYER, SHARED, "mlp.shared_experts.gate_weight", NONE, DTCI_MOE | DTCI_SHARED_GATE, DIM(ONE), DIM(HIDDEN)),
  COL(LAYER, SHARED, "mlp.shared_experts.linear_fc1", DTCI_MOE | DTCI_SHARED, SHARED_IN, HIDDEN),
  COL(LAYER, SHARED, "mlp.shared_experts.linear_fc2", DTCI_MOE | DTCI_SHARED, HIDDEN, SHARED),
  NORM(AFTER, FINAL_NORM, "decoder.final_layernorm", DTCI_NO_HYBRID, HIDDEN),
  NORM(AFTER, FINAL_NORM, "decoder.final_norm", DTCI_HYBRID, HIDDEN),
  COL(AFTER, HEAD, "output_layer", DTCI_UNTIED | DTCI_NO_ENCODER, VOCAB, HIDDEN),
  COL(AFTER, HEAD, "lm_head.output_layer", DTCI_UNTIED | DTCI_ENCODER, VOCAB, HIDDEN),
  T(AFTER, HEAD, "lm_head.output_layer.bias", TP, DTCI_HEAD_BIAS | DTCI_ENCODER, DIM(VOCAB)),
};

static const dtci_tensor_row bert[] = {
  EMBED("embedding.word_embeddings"),
  T(BEFORE, EMBEDDING, "embedding.position_embeddings.weight", NONE, DTCI_LEARNED, DIM(CONTEXT), DIM(HIDDEN)),
  T(BEFORE, EMBEDDING, "embedding.tokentype_embeddings.weight", NONE, 0, DIM(TWO), DIM(HIDDEN)),
  MEGATRON_ATTENTION(0),
  NORM(LAYER, NORM, "pre_mlp_layernorm", DTCI_NORMS_2, HIDDEN),
  MEGATRON_MLP,
  NORM(AFTER, FINAL_NORM, "encoder.final_layernorm", 0, HIDDEN),
  LIN(AFTER, HEAD, "lm_head.dense", 0, HIDDEN, HIDDEN),
  T(AFTER, HEAD, "lm_head.dense.bias", NONE, 0, DIM(HIDDEN)),
  NORM(AFTER, HEAD, "lm_head.layer_norm", 0, HIDDEN),
  HEAD("output_layer"),
  T(AFTER, HEAD, "output_layer.bias", TP, DTCI_HEAD_BIAS, DIM(VOCAB)),
  LIN(AFTER, HEAD, "binary_head", 0, TWO, HIDDEN),
  T(AFTER, HEAD, "binary_head.bias", NONE, 0, DIM(TWO)),
  LIN(AFTER, HEAD, "pooler.dense", 0, HIDDEN, HIDDEN),
  T(AFTER, HEAD, "pooler.dense.bias", NONE, 0, DIM(HIDDEN)),
};

/* Conv1D keeps its weight as (in, out). */
static const dtci_tensor_row gpt2[] = {
  EMBED("transformer.wte"),
  T(BEFORE, EMBEDDING, "transformer.wpe.weight", NONE, DTCI_LEARNED, DIM(CONTEXT), DIM(HIDDEN)),
  NORM(LAYER, NORM, "ln_1", DTCI_NORMS_2, HIDDEN),
  T(LAYER, ATTENTION, "attn.c_attn.weight", TP, DTCI_MHA, DIM(HIDDEN), DIM(QKV)),
  T(LAYER, ATTENTION, "attn.c_attn.bias", TP, DTCI_QKV_BIAS, DIM(QKV)),
  T(LAYER, ATTENTION, "attn.c_proj.weight", TP, DTCI_MHA, DIM(Q), DIM(HIDDEN)),
  T(LAYER, ATTENTION, "attn.c_proj.bias", NONE, DTCI_OUT_BIAS, DIM(HIDDEN)),
  NORM(LAYER, NORM, "ln_2", DTCI_NORMS_2, HIDDEN),
  T(LAYER, MLP, "mlp.c_fc.weight", TP, DTCI_DENSE | DTCI_PLAIN, DIM(HIDDEN), DIM(FFN)),
  T(LAYER, MLP, "mlp.c_fc.bias", TP, DTCI_MLP_BIAS, DIM(FFN)),
  T(LAYER, MLP, "mlp.c_proj.weight", TP, DTCI_DENSE | DTCI_PLAIN, DIM(FFN), DIM(HIDDEN)),
  T(LAYER, MLP, "mlp.c_proj.bias", NONE, DTCI_MLP_BIAS, DIM(HIDDEN)),
  NORM(AFTER, FINAL_NORM, "transformer.ln_f", 0, HIDDEN),
  HEAD("lm_head"),
};

static const dtci_tensor_row opt[] = {
  EMBED("model.decoder.embed_tokens"),
  T(BEFORE, EMBEDDING, "model.decoder.embed_positions.weight", NONE, DTCI_LEARNED, DIM(CONTEXT2), DIM(HIDDEN)),
  NORM(BEFORE, FINAL_NORM, "model.decoder.final_layer_norm", 0, HIDDEN),
  COLB(LAYER, ATTENTION, "self_attn.k_proj", DTCI_MHA, DTCI_QKV_BIAS, KV, HIDDEN),
  COLB(LAYER, ATTENTION, "self_attn.v_proj", DTCI_MHA, DTCI_QKV_BIAS, KV, HIDDEN),
  COLB(LAYER, ATTENTION, "self_attn.q_proj", DTCI_MHA, DTCI_QKV_BIAS, Q, HIDDEN),
  ROWB(LAYER, ATTENTION, "self_attn.out_proj", DTCI_MHA, DTCI_OUT_BIAS, HIDDEN, Q),
  NORM(LAYER, NORM, "self_attn_layer_norm", DTCI_NORMS_2, HIDDEN),
  COLB(LAYER, MLP, "fc1", DTCI_DENSE | DTCI_PLAIN, DTCI_MLP_BIAS, FFN, HIDDEN),
  ROWB(LAYER, MLP, "fc2", DTCI_DENSE | DTCI_PLAIN, DTCI_MLP_BIAS, HIDDEN, FFN),
  NORM(LAYER, NORM, "final_layer_norm", DTCI_NORMS_2, HIDDEN),
  HEAD("lm_head"),
};

static const dtci_tensor_row bloom[] = {
  EMBED("transformer.word_embeddings"),
  NORM(BEFORE, EMBEDDING, "transformer.word_embeddings_layernorm", DTCI_EMBED_NORM, HIDDEN),
  NORM(LAYER, NORM, "input_layernorm", DTCI_NORMS_2, HIDDEN),
  COLB(LAYER, ATTENTION, "self_attention.query_key_value", DTCI_MHA, DTCI_QKV_BIAS, QKV, HIDDEN),
  ROWB(LAYER, ATTENTION, "self_attention.dense", DTCI_MHA, DTCI_OUT_BIAS, HIDDEN, Q),
  NORM(LAYER, NORM, "post_attention_layernorm", DTCI_NORMS_2, HIDDEN),
  COLB(LAYER, MLP, "mlp.dense_h_to_4h", DTCI_DENSE | DTCI_PLAIN, DTCI_MLP_BIAS, FFN, HIDDEN),
  ROWB(LAYER, MLP, "mlp.dense_4h_to_h", DTCI_DENSE | DTCI_PLAIN, DTCI_MLP_BIAS, HIDDEN, FFN),
  NORM(AFTER, FINAL_NORM, "transformer.ln_f", 0, HIDDEN),
  HEAD("lm_head"),
};

static const dtci_tensor_row gpt_neox[] = {
  EMBED("gpt_neox.embed_in"),
  NORM(LAYER, NORM, "input_layernorm", DTCI_NORMS_2, HIDDEN),
  NORM(LAYER, NORM, "post_attention_layernorm", DTCI_NORMS_2, HIDDEN),
  COLB(LAYER, ATTENTION, "attention.query_key_value", DTCI_MHA, DTCI_QKV_BIAS, QKV, HIDDEN),
  ROWB(LAYER, ATTENTION, "attention.dense", DTCI_MHA, DTCI_OUT_BIAS, HIDDEN, Q),
  COLB(LAYER, MLP, "mlp.dense_h_to_4h", DTCI_DENSE | DTCI_PLAIN, DTCI_MLP_BIAS, FFN, HIDDEN),
  ROWB(LAYER, MLP, "mlp.dense_4h_to_h", DTCI_DENSE | DTCI_PLAIN, DTCI_MLP_BIAS, HIDDEN, FFN),
  NORM(AFTER, FINAL_NORM, "gpt_neox.final_layer_norm", 0, HIDDEN),
  HEAD("embed_out"),
};

static const dtci_tensor_row falcon[] = {
  EMBED("transformer.word_embeddings"),
  COLB(LAYER, ATTENTION, "self_attention.query_key_value", DTCI_MHA, DTCI_QKV_BIAS, QKV, HIDDEN),
  ROWB(LAYER, ATTENTION, "self_attention.dense", DTCI_MHA, DTCI_OUT_BIAS, HIDDEN, Q),
  COLB(LAYER, MLP, "mlp.dense_h_to_4h", DTCI_DENSE | DTCI_PLAIN, DTCI_MLP_BIAS, FFN, HIDDEN),
  ROWB(LAYER, MLP, "mlp.dense_4h_to_h", DTCI_DENSE | DTCI_PLAIN, DTCI_MLP_BIAS, HIDDEN, FFN),
  NORM(LAYER, NORM, "ln_attn", DTCI_NORMS_2, HIDDEN),
  NORM(LAYER, NORM, "ln_mlp", DTCI_NORMS_2, HIDDEN),
  NORM(LAYER, NORM, "input_layernorm", DTCI_NORMS_1, HIDDEN),
  NORM(AFTER, FINAL_NORM, "transformer.ln_f", 0, HIDDEN),
  HEAD("lm_head"),
};

static const dtci_tensor_row phi[] = {
  EMBED("model.embed_tokens"),
  COLB(LAYER, ATTENTION, "self_attn.q_proj", DTCI_MHA, DTCI_QKV_BIAS, Q, HIDDEN),
  COLB(LAYER, ATTENTION, "self_attn.k_proj", DTCI_MHA, DTCI_QKV_BIAS, KV, HIDDEN),
  COLB(LAYER, ATTENTION, "self_attn.v_proj", DTCI_MHA, DTCI_QKV_BIAS, KV, HIDDEN),
  ROWB(LAYER, ATTENTION, "self_attn.dense", DTCI_MHA, DTCI_OUT_BIAS, HIDDEN, Q),
  NORM(LAYER, ATTENTION, "self_attn.q_layernorm", DTCI_QK_NORM, HEAD),
  NORM(LAYER, ATTENTION, "self_attn.k_layernorm", DTCI_QK_NORM, HEAD),
  COLB(LAYER, MLP, "mlp.fc1", DTCI_DENSE | DTCI_PLAIN, DTCI_MLP_BIAS, FFN, HIDDEN),
  ROWB(LAYER, MLP, "mlp.fc2", DTCI_DENSE | DTCI_PLAIN, DTCI_MLP_BIAS, HIDDEN, FFN),
  NORM(LAYER, NORM, "input_layernorm", DTCI_NORMS_1, HIDDEN),
  NORM(AFTER, FINAL_NORM, "model.final_layernorm", 0, HIDDEN),
  HEAD("lm_head"),
  T(AFTER, HEAD, "lm_head.bias", TP, DTCI_HEAD_BIAS, DIM(VOCAB)),
};

static const dtci_tensor_row phi3[] = {
  EMBED("model.embed_tokens"),
  COL(LAYER, ATTENTION, "self_attn.o_proj", DTCI_MHA, HIDDEN, Q),
  COL(LAYER, ATTENTION, "self_attn.qkv_proj", DTCI_MHA, QKV, HIDDEN),
  COL(LAYER, MLP, "mlp.gate_up_proj", DTCI_DENSE | DTCI_GATED, FFN_IN, HIDDEN),
  COL(LAYER, MLP, "mlp.down_proj", DTCI_DENSE | DTCI_GATED, HIDDEN, FFN),
  TWO_NORMS,
  TAIL,
};

static const dtci_tensor_row llama[] = {EMBED("model.embed_tokens"), QKVO, SWIGLU(DTCI_DENSE), TWO_NORMS, TAIL};

static const dtci_tensor_row qwen3[] = {
  EMBED("model.embed_tokens"), QKVO, HEAD_NORMS, SWIGLU(DTCI_DENSE), TWO_NORMS, TAIL,
};

static const dtci_tensor_row gemma2[] = {EMBED("model.embed_tokens"), QKVO, SWIGLU(DTCI_DENSE), FOUR_NORMS, TAIL};

static const dtci_tensor_row gemma3[] = {
  EMBED("model.embed_tokens"), QKVO, HEAD_NORMS, SWIGLU(DTCI_DENSE), FOUR_NORMS, TAIL,
};

static const dtci_tensor_row mixtral[] = {
  EMBED("model.embed_tokens"),
  QKVO,
  LIN(LAYER, ROUTER, "block_sparse_moe.gate", DTCI_MOE, EXPERTS, HIDDEN),
  COL(EXPERT, EXPERT, "block_sparse_moe.experts.#.w1", DTCI_MOE | DTCI_GATED, MOE, HIDDEN),
  COL(EXPERT, EXPERT, "block_sparse_moe.experts.#.w2", DTCI_MOE | DTCI_GATED, HIDDEN, MOE),
  COL(EXPERT, EXPERT, "block_sparse_moe.experts.#.w3", DTCI_MOE | DTCI_GATED, MOE, HIDDEN),
  TWO_NORMS,
  TAIL,
};

static const dtci_tensor_row qwen2_moe[] = {
  EMBED("model.embed_tokens"),
  QKVO,
  PLAIN_SWIGLU,
  LIN(LAYER, ROUTER, "mlp.gate", DTCI_MOE, EXPERTS, HIDDEN),
  EXPERT_SWIGLU,
  SHARED_SWIGLU("mlp.shared_expert"),
  T(LAYER, SHARED, "mlp.shared_expert_gate.weight", NONE, DTCI_MOE | DTCI_SHARED_GATE, DIM(ONE), DIM(HIDDEN)),
  TWO_NORMS,
  TAIL,
};

static const dtci_tensor_row qwen3_moe[] = {
  EMBED("model.embed_tokens"),
  QKVO,
  HEAD_NORMS,
  PLAIN_SWIGLU,
  LIN(LAYER, ROUTER, "mlp.gate", DTCI_MOE, EXPERTS, HIDDEN),
  EXPERT_SWIGLU,
  TWO_NORMS,
  TAIL,
};

static const dtci_tensor_row deepseek[] = {
  EMBED("model.embed_tokens"),
  COL(LAYER, ATTENTION, "self_attn.q_proj", DTCI_MLA | DTCI_Q_FULL, Q_MLA, HIDDEN),
  LIN(LAYER, ATTENTION, "self_attn.q_a_proj", DTCI_MLA | DTCI_Q_RANK, Q_RANK, HIDDEN),
  RMS(LAYER, ATTENTION, "self_attn.q_a_layernorm", DTCI_MLA | DTCI_Q_RANK, Q_RANK),
  COL(LAYER, ATTENTION, "self_attn.q_b_proj", DTCI_MLA | DTCI_Q_RANK, Q_MLA, Q_RANK),
  LIN(LAYER, ATTENTION, "self_attn.kv_a_proj_with_mqa", DTCI_MLA, KV_DOWN, HIDDEN),
  RMS(LAYER, ATTENTION, "self_attn.kv_a_layernorm", DTCI_MLA, KV_RANK),
  COL(LAYER, ATTENTION, "self_attn.kv_b_proj", DTCI_MLA, KV_UP, KV_RANK),
  COL(LAYER, ATTENTION, "self_attn.o_proj", DTCI_MLA, HIDDEN, V_MLA),
  COL(LAYER, MLP, "mlp.gate_proj", DTCI_DENSE | DTCI_GATED, FFN, HIDDEN),
  COL(LAYER, MLP, "mlp.up_proj", DTCI_DENSE | DTCI_GATED, FFN, HIDDEN),
  COL(LAYER, MLP, "mlp.down_proj", DTCI_DENSE | DTCI_GATED, HIDDEN, FFN),
  EXPERT_SWIGLU,
  LIN(LAYER, ROUTER, "mlp.gate", DTCI_MOE, EXPERTS, HIDDEN),
  T(LAYER, ROUTER, "mlp.gate.e_score_correction_bias", NONE, DTCI_MOE | DTCI_ROUTER_BIAS, DIM(EXPERTS)),
  SHARED_SWIGLU("mlp.shared_experts"),
  TWO_NORMS,
  TAIL,
};

/* All experts of a layer lie in one tensor. */
static const dtci_tensor_row gpt_oss[] = {
  EMBED("model.embed_tokens"),
  T(LAYER, ATTENTION, "self_attn.sinks", TP, DTCI_MHA, DIM(HEADS)),
  QKVO,
  LIN(LAYER, ROUTER, "mlp.router", DTCI_MOE, EXPERTS, HIDDEN),
  T(LAYER, ROUTER, "mlp.router.bias", NONE, DTCI_MOE | DTCI_ROUTER_BIAS, DIM(EXPERTS)),
  T(LAYER, EXPERT, "mlp.experts.gate_up_proj", TP, DTCI_MOE | DTCI_GATED, DIM(EXPERTS), DIM(HIDDEN), DIM(MOE_IN)),
  T(LAYER, EXPERT, "mlp.experts.gate_up_proj_bias", TP, DTCI_MOE | DTCI_MLP_BIAS, DIM(EXPERTS), DIM(MOE_IN)),
  T(LAYER, EXPERT, "mlp.experts.down_proj", TP, DTCI_MOE | DTCI_GATED, DIM(EXPERTS), DIM(MOE), DIM(HIDDEN)),
  T(LAYER, EXPERT, "mlp.experts.down_proj_bias", NONE, DTCI_MOE | DTCI_MLP_BIAS, DIM(EXPERTS), DIM(HIDDEN)),
  TWO_NORMS,
  TAIL,
};
/* clang-format on */

/* Defaults of the config classes; Megatron: of its command line, but for rotary positions, which everybody asks for. */
#define OFF DTC_BOOL_OFF
#define ON DTC_BOOL_ON
#define GPT(pos, tie, head, norm_count)                                                                                \
  {                                                                                                                    \
    .norm = DTC_NORM_LAYERNORM, .position = DTC_POSITION_##pos, .tied = (tie), .gated = OFF, .qkv_bias = ON,           \
    .out_bias = ON, .mlp_bias = ON, .head_bias = (head), .qk_norm = OFF, .embed_norm = OFF, .norms = (norm_count),     \
    .shared_gate = OFF, .router_bias = OFF                                                                             \
  }
#define LLAMA(tie, qkv, qk, norm_count, gate)                                                                          \
  {                                                                                                                    \
    .norm = DTC_NORM_RMSNORM, .position = DTC_POSITION_ROPE, .tied = (tie), .gated = ON, .qkv_bias = (qkv),            \
    .out_bias = OFF, .mlp_bias = OFF, .head_bias = OFF, .qk_norm = (qk), .embed_norm = OFF, .norms = (norm_count),     \
    .shared_gate = (gate), .router_bias = OFF                                                                          \
  }

const dtci_arch dtci_archs[] = {
    [DTC_ARCH_MEGATRON] = {GPT(ROPE, ON, OFF, 2), "decoder.layers.", 0, 0, {1, 1}},
    [DTC_ARCH_GPT2] = {GPT(LEARNED, ON, OFF, 2), "transformer.h.", 1, 0, {1, 1}},
    [DTC_ARCH_OPT] = {GPT(LEARNED, ON, OFF, 2), "model.decoder.layers.", 0, 0, {3, 1}},
    [DTC_ARCH_BLOOM] = {{.norm = DTC_NORM_LAYERNORM,
                         .position = DTC_POSITION_ALIBI,
                         .tied = ON,
                         .gated = OFF,
                         .qkv_bias = ON,
                         .out_bias = ON,
                         .mlp_bias = ON,
                         .head_bias = OFF,
                         .qk_norm = OFF,
                         .embed_norm = ON,
                         .norms = 2,
                         .shared_gate = OFF,
                         .router_bias = OFF},
                        "transformer.h.",
                        0,
                        0,
                        {1, 1}},
    [DTC_ARCH_GPT_NEOX] = {GPT(ROPE, OFF, OFF, 2), "gpt_neox.layers.", 0, 0, {1, 1}},
    [DTC_ARCH_FALCON] = {{.norm = DTC_NORM_LAYERNORM,
                          .position = DTC_POSITION_ROPE,
                          .tied = ON,
                          .gated = OFF,
                          .qkv_bias = OFF,
                          .out_bias = OFF,
                          .mlp_bias = OFF,
                          .head_bias = OFF,
                          .qk_norm = OFF,
                          .embed_norm = OFF,
                          .norms = 1,
                          .shared_gate = OFF,
                          .router_bias = OFF},
                         "transformer.h.",
                         0,
                         0,
                         {1, 1}},
    [DTC_ARCH_PHI] = {GPT(ROPE, OFF, ON, 1), "model.layers.", 0, 0, {3, 1}},
    [DTC_ARCH_PHI3] = {LLAMA(OFF, OFF, OFF, 2, OFF), "model.layers.", 0, 0, {1, 1}},
    [DTC_ARCH_LLAMA] = {LLAMA(OFF, OFF, OFF, 2, OFF), "model.layers.", 0, 0, {3, 2}},
    [DTC_ARCH_QWEN2] = {LLAMA(OFF, ON, OFF, 2, OFF), "model.layers.", 0, 0, {3, 2}},
    [DTC_ARCH_QWEN3] = {LLAMA(OFF, OFF, ON, 2, OFF), "model.layers.", 0, 1, {3, 2}},
    [DTC_ARCH_GEMMA] = {LLAMA(ON, OFF, OFF, 2, OFF), "model.layers.", 0, 0, {3, 2}},
    [DTC_ARCH_GEMMA2] = {LLAMA(ON, OFF, OFF, 4, OFF), "model.layers.", 0, 0, {3, 2}},
    [DTC_ARCH_GEMMA3] = {LLAMA(ON, OFF, ON, 4, OFF), "model.layers.", 0, 0, {3, 2}},
    [DTC_ARCH_MIXTRAL] = {LLAMA(OFF, OFF, OFF, 2, OFF), "model.layers.", 0, 0, {3, 2}},
    [DTC_ARCH_QWEN2_MOE] = {LLAMA(OFF, ON, OFF, 2, ON), "model.layers.", 0, 0, {3, 2}},
    [DTC_ARCH_QWEN3_MOE] = {LLAMA(OFF, OFF, ON, 2, OFF), "model.layers.", 0, 1, {3, 2}},
    [DTC_ARCH_DEEPSEEK_V2] = {LLAMA(OFF, OFF, OFF, 2, OFF), "model.layers.", 0, 0, {3, 2}},
    [DTC_ARCH_DEEPSEEK_V3] = {{.norm = DTC_NORM_RMSNORM,
                               .position = DTC_POSITION_ROPE,
                               .tied = OFF,
                               .gated = ON,
                               .qkv_bias = OFF,
                               .out_bias = OFF,
                               .mlp_bias = OFF,
                               .head_bias = OFF,
                               .qk_norm = OFF,
                               .embed_norm = OFF,
                               .norms = 2,
                               .shared_gate = OFF,
                               .router_bias = ON},
                              "model.layers.",
                              0,
                              0,
                              {3, 2}},
    [DTC_ARCH_GPT_OSS] = {{.norm = DTC_NORM_RMSNORM,
                           .position = DTC_POSITION_ROPE,
                           .tied = OFF,
                           .gated = ON,
                           .qkv_bias = ON,
                           .out_bias = ON,
                           .mlp_bias = ON,
                           .head_bias = OFF,
                           .qk_norm = OFF,
                           .embed_norm = OFF,
                           .norms = 2,
                           .shared_gate = OFF,
                           .router_bias = ON},
                          "model.layers.",
                          0,
                          1,
                          {3, 2}},
    [DTC_ARCH_BERT] = {GPT(LEARNED, ON, ON, 2), "encoder.layers.", 0, 0, {1, 1}},
};

#define ROWS(list) (*count = sizeof(list) / sizeof(list)[0], (list))

const dtci_tensor_row *dtci_arch_rows(dtc_arch arch, uint32_t *count)
{
  switch (arch) {
  case DTC_ARCH_GPT2:
    return ROWS(gpt2);
  case DTC_ARCH_OPT:
    return ROWS(opt);
  case DTC_ARCH_BLOOM:
    return ROWS(bloom);
  case DTC_ARCH_GPT_NEOX:
    return ROWS(gpt_neox);
  case DTC_ARCH_FALCON:
    return ROWS(falcon);
  case DTC_ARCH_PHI:
    return ROWS(phi);
  case DTC_ARCH_PHI3:
    return ROWS(phi3);
  case DTC_ARCH_LLAMA:
  case DTC_ARCH_QWEN2:
  case DTC_ARCH_GEMMA:
    return ROWS(llama);
  case DTC_ARCH_QWEN3:
    return ROWS(qwen3);
  case DTC_ARCH_GEMMA2:
    return ROWS(gemma2);
  case DTC_ARCH_GEMMA3:
    return ROWS(gemma3);
  case DTC_ARCH_MIXTRAL:
    return ROWS(mixtral);
  case DTC_ARCH_QWEN2_MOE:
    return ROWS(qwen2_moe);
  case DTC_ARCH_QWEN3_MOE:
    return ROWS(qwen3_moe);
  case DTC_ARCH_DEEPSEEK_V2:
  case DTC_ARCH_DEEPSEEK_V3:
    return ROWS(deepseek);
  case DTC_ARCH_GPT_OSS:
    return ROWS(gpt_oss);
  case DTC_ARCH_BERT:
    return ROWS(bert);
  default:
    return ROWS(megatron);
  }
}

/* A plan and a model as arguments of Megatron-LM's training scripts: names as lint_megatron_keys.c has them (d98e8a64),
 * defaults as megatron/training/arguments.py and the configuration classes have them. */
#include "internal/launch_rows.h"
#include "internal/lint_megatron.h"

#define KEY(x) .key = MEGA_##x
#define FLAG(x, ...)                                                                                                   \
  {                                                                                                                    \
    KEY(x), .kind = DTCI_LAUNCH_FLAG, WHEN(__VA_ARGS__)                                                                \
  }
#define OTHER(flag, ...)                                                                                               \
  {                                                                                                                    \
    flag, .kind = DTCI_LAUNCH_FLAG, WHEN(__VA_ARGS__)                                                                  \
  }
#define COUNT(x, ...) COUNTED(x, __VA_ARGS__, {0})
#define COUNTED(x, operand, ...)                                                                                       \
  {                                                                                                                    \
    KEY(x), .left = {operand}, WHEN(__VA_ARGS__)                                                                       \
  }
#define TEXT(x, text, ...)                                                                                             \
  {                                                                                                                    \
    KEY(x), .kind = DTCI_LAUNCH_WORD, .word = text, WHEN(__VA_ARGS__)                                                  \
  }
#define MORE(text, ...)                                                                                                \
  {                                                                                                                    \
    KEY(RECOMPUTE_MODULES), .kind = DTCI_LAUNCH_MORE, .word = text, WHEN(__VA_ARGS__)                                  \
  }
#define SHARDED IS(P(sharding), DTC_SHARDING_FSDP)
#define SELECTIVE IS(P(recompute), DTC_RECOMPUTE_SELECTIVE)
#define FULL IS(P(recompute), DTC_RECOMPUTE_FULL)

/* clang-format off */
static const dtci_launch_row rows[] = {
    /* the split */
    COUNT(TP, P(tp), FROM(P(tp), 2)),
    FLAG(SP, FROM(P(tp), 2), ON(P(sequence_parallel))),
    COUNT(PP, P(pp), FROM(P(pp), 2)),
    /* layers of a chunk where all are equal, which every version knows; else the number of chunks */
    {KEY(BY_LAYERS), .left = {M(layers)}, .right = {P(pp), P(vpp)}, WHEN(FROM(P(vpp), 2), IS(P(first_layers), 0), IS(P(last_layers), 0), OFF(P(account_loss)), OFF(P(account_embedding)))},
    COUNT(BY_COUNT, P(vpp), FROM(P(vpp), 2), FROM(P(first_layers), 1)),
    COUNT(BY_COUNT, P(vpp), FROM(P(vpp), 2), FROM(P(last_layers), 1), IS(P(first_layers), 0)),
    COUNT(BY_COUNT, P(vpp), FROM(P(vpp), 2), ON(P(account_loss))),
    COUNT(BY_COUNT, P(vpp), FROM(P(vpp), 2), ON(P(account_embedding)), OFF(P(account_loss))),
    COUNT(FIRST, P(first_layers), FROM(P(first_layers), 1)),
    COUNT(LAST, P(last_layers), FROM(P(last_layers), 1)),
    FLAG(ACCOUNT_EMBEDDING, ON(P(account_embedding))),
    FLAG(ACCOUNT_LOSS, ON(P(account_loss))),
    COUNT(GROUP, P(group), FROM(P(vpp), 2), FROM(P(group) | DTCI_GIVEN, 1)),
    FLAG(NO_P2P_OVERLAP, FROM(P(vpp), 2), OFF(P(p2p_overlap))),
    COUNT(CP, P(cp), FROM(P(cp), 2)),
    COUNT(EP, P(ep), FROM(P(ep), 2)),
    COUNT(ETP, P(etp), FROM(M(experts), 1), FROM(P(etp) | DTCI_GIVEN, 1)),
    FLAG(DISTOPT, IS(P(sharding), DTC_SHARDING_DISTOPT), OFF(P(whole_tensors))),
    {KEY(INSTANCES), .left = {P(dp), P(cp)}, .right = {P(dp_shard)}, WHEN(IS(P(sharding), DTC_SHARDING_DISTOPT), FROM(P(dp_shard) | DTCI_GIVEN, 1))},
    FLAG(FSDP2, SHARDED),
    FLAG(OVERLAP_REDUCE, ON(P(grad_overlap))),
    FLAG(OVERLAP_GATHER, ON(P(param_overlap))),
    FLAG(TP_OVERLAP, ON(P(tp_overlap))),
    FLAG(EP_OVERLAP, ON(P(moe_overlap))),
    FLAG(DEFER_EMBEDDING, ON(P(defer_wgrad))),

    /* the batch */
    COUNT(MICRO, P(micro_batch)),
    COUNT(GLOBAL, P(global_batch)),
    COUNT(SEQ, P(seq)),

    /* precision, kernels, optimizer */
    FLAG(FP16, IS(P(precision), DTC_PRECISION_FP16)),
    FLAG(BF16, IS(P(precision), DTC_PRECISION_BF16)),
    FLAG(BF16, BETWEEN(P(precision), DTC_PRECISION_FP8, DTC_PRECISION_FP4)),
    TEXT(FP8, "hybrid", IS(P(precision), DTC_PRECISION_FP8), IS(P(fp8_recipe), DTC_FP8_RECIPE_TENSOR)),
    TEXT(FP8, "e4m3", IS(P(precision), DTC_PRECISION_FP8), FROM(P(fp8_recipe), DTC_FP8_RECIPE_BLOCK)),
    TEXT(FP8_RECIPE, "blockwise", IS(P(precision), DTC_PRECISION_FP8), IS(P(fp8_recipe), DTC_FP8_RECIPE_BLOCK)),
    TEXT(FP8_RECIPE, "mxfp8", IS(P(precision), DTC_PRECISION_FP8), IS(P(fp8_recipe), DTC_FP8_RECIPE_MX)),
    FLAG(FP8_GATHER, IS(P(precision), DTC_PRECISION_FP8), ON(P(fp8_params))),
    TEXT(FP4, "e2m1", IS(P(precision), DTC_PRECISION_FP4)),
    FLAG(FP4_GATHER, IS(P(precision), DTC_PRECISION_FP4), ON(P(fp8_params))),
    FLAG(REDUCE_BF16, IS(P(precision), DTC_PRECISION_BF16), IS(P(grad_dtype), DTC_GRAD_DTYPE_16BIT)),
    FLAG(REDUCE_BF16, BETWEEN(P(precision), DTC_PRECISION_FP8, DTC_PRECISION_FP4), IS(P(grad_dtype), DTC_GRAD_DTYPE_16BIT)),
    FLAG(ACCUMULATE_FP32, IS(P(precision), DTC_PRECISION_FP16), IS(P(grad_dtype), DTC_GRAD_DTYPE_FP32)),
    TEXT(IMPLEMENTATION, "local", OFF(P(transformer_engine))),
    FLAG(FLASH, OFF(P(transformer_engine)), IS(P(attention), DTC_ATTENTION_FLASH)),
    TEXT(BACKEND, "flash", ON(P(transformer_engine)), IS(P(attention) | DTCI_GIVEN, DTC_ATTENTION_FLASH)),
    TEXT(BACKEND, "fused", ON(P(transformer_engine)), IS(P(attention) | DTCI_GIVEN, DTC_ATTENTION_CUDNN)),
    TEXT(BACKEND, "unfused", ON(P(transformer_engine)), IS(P(attention), DTC_ATTENTION_EAGER)),
    OTHER("--no-masked-softmax-fusion", IS(P(attention), DTC_ATTENTION_MATH)),
    OTHER("--attention-softmax-in-fp32", ON(P(softmax_fp32))),
    FLAG(NO_GRAD_FUSION, OFF(P(grad_fusion))),
    FLAG(NO_GRAD_FUSION, ON(P(grad_fusion)), SHARDED), /* FSDP2 asks for it */
    OTHER("--no-create-attention-mask-in-dataloader", OFF(P(attention_mask))),
    FLAG(NO_GELU_FUSION, OFF(P(activation_fusion)), OFF(M(gated))),
    FLAG(NO_SWIGLU_FUSION, OFF(P(activation_fusion)), ON(M(gated))),
    FLAG(ENTROPY_FUSION, IS(P(loss), DTC_LOSS_FUSED)),
    TEXT(GRAPH, "transformer_engine", IS(P(cuda_graph), DTC_CUDA_GRAPH_PARTIAL)),
    TEXT(OPTIMIZER, "sgd", BETWEEN(P(optimizer), DTC_OPTIMIZER_SGD, DTC_OPTIMIZER_MOMENTUM)),
    {KEY(SGD_MOMENTUM), .kind = DTCI_LAUNCH_BARE, .word = "0", WHEN(IS(P(optimizer), DTC_OPTIMIZER_SGD))},
    TEXT(OPTIMIZER, "lion", IS(P(optimizer), DTC_OPTIMIZER_LION)),
    TEXT(OPTIMIZER, "muon", IS(P(optimizer), DTC_OPTIMIZER_MUON), OFF(P(whole_tensors))),
    TEXT(OPTIMIZER, "dist_muon", IS(P(optimizer), DTC_OPTIMIZER_MUON), ON(P(whole_tensors))),

    /* recomputation */
    TEXT(RECOMPUTE, "selective", SELECTIVE),
    TEXT(RECOMPUTE, "full", FULL),
    TEXT(RECOMPUTE_METHOD, "uniform", FULL, IS(P(recompute_method), DTC_RECOMPUTE_METHOD_UNIFORM)),
    TEXT(RECOMPUTE_METHOD, "block", FULL, IS(P(recompute_method), DTC_RECOMPUTE_METHOD_BLOCK)),
    COUNT(RECOMPUTE_LAYERS, P(recompute_layers), FULL, FROM(P(recompute_layers), 1)),
    {KEY(RECOMPUTE_LAYERS), .kind = DTCI_LAUNCH_CEIL, .left = {M(layers)}, .right = {P(pp), P(vpp)}, WHEN(FULL, IS(P(recompute_layers), 0))},
    FLAG(RECOMPUTE_MODULES, SELECTIVE),
    MORE("core_attn", SELECTIVE, ON(P(recompute_core_attn))),
    MORE("mlp", SELECTIVE, ON(P(recompute_mlp))),
    MORE("layernorm", SELECTIVE, ON(P(recompute_layernorm))),
    MORE("moe_act", SELECTIVE, ON(P(recompute_moe_act))),
    MORE("mla_up_proj", SELECTIVE, ON(P(recompute_mla_up_proj))),
    MORE("moe", SELECTIVE, ON(P(recompute_moe))),
    MORE("shared_experts", SELECTIVE, ON(P(recompute_shared_experts))),
    FLAG(DISTRIBUTE, ON(P(recompute_distributed))),

    /* the model */
    COUNT(LAYERS, M(layers)),
    COUNT(HIDDEN, M(hidden)),
    COUNT(FFN, M(ffn), FROM(M(ffn), 1)),
    COUNT(HEADS, M(heads)),
    {KEY(KV_CHANNELS), .left = {M(head_dim)}, WHEN(IS(M(kv_rank), 0)), .unlike = {M(head_dim), M(heads), M(hidden)}},
    {KEY(GQA), .kind = DTCI_LAUNCH_FLAG, WHEN(IS(M(kv_rank), 0)), .unlike = {M(kv_heads), 0, M(heads)}},
    {KEY(QUERY_GROUPS), .left = {M(kv_heads)}, WHEN(IS(M(kv_rank), 0)), .unlike = {M(kv_heads), 0, M(heads)}},
    FLAG(MLA, FROM(M(kv_rank), 1)),
    COUNT(Q_RANK, M(q_rank), FROM(M(q_rank), 1)),
    COUNT(KV_RANK, M(kv_rank), FROM(M(kv_rank), 1)),
    COUNT(QK_HEAD_DIM, M(qk_nope_dim), FROM(M(kv_rank), 1)),
    COUNT(QK_ROPE_DIM, M(qk_rope_dim), FROM(M(kv_rank), 1)),
    COUNT(V_HEAD_DIM, M(v_dim), FROM(M(kv_rank), 1)),
    {KEY(MAX_POSITIONS), .kind = DTCI_LAUNCH_MOST, .left = {M(context), P(seq)}},
    TEXT(POSITION, "rope", IS(M(position), DTC_POSITION_ROPE)),
    TEXT(POSITION, "none", IS(M(position), DTC_POSITION_NOPE)),
    TEXT(NORMALIZATION, "RMSNorm", IS(M(norm), DTC_NORM_RMSNORM)),
    FLAG(QK_NORM, ON(M(qk_norm))),
    FLAG(SWIGLU, ON(M(gated))),
    FLAG(NO_BIAS, OFF(M(out_bias))),
    FLAG(QKV_BIAS, OFF(M(out_bias)), ON(M(qkv_bias))),
    FLAG(UNTIE, OFF(M(tied))),
    COUNT(VOCAB, M(vocab)),
    {KEY(VOCAB_MULTIPLE), .left = {P(vocab_multiple)}, .right = {P(tp)}, WHEN(FROM(P(vocab_multiple) | DTCI_GIVEN, 1))},
    {KEY(HIDDEN_DROPOUT), .kind = DTCI_LAUNCH_BARE, .word = "0", WHEN(OFF(P(dropout)))},
    {KEY(ATTENTION_DROPOUT), .kind = DTCI_LAUNCH_BARE, .word = "0", WHEN(OFF(P(attention_dropout)))},
    COUNT(MTP, M(mtp_layers), FROM(M(mtp_layers), 1)),

    /* experts */
    COUNT(NUM_EXPERTS, M(experts), FROM(M(experts), 1)),
    {KEY(MOE_FREQ), .kind = DTCI_LAUNCH_LAYERS, WHEN(FROM(M(experts), 1), FROM(M(dense_layers), 1))},
    {KEY(MOE_FREQ), .kind = DTCI_LAUNCH_LAYERS, WHEN(FROM(M(experts), 1), IS(M(dense_layers), 0), FROM(M(moe_every), 2))},
    COUNT(TOP_K, M(top_k), FROM(M(experts), 1)),
    COUNT(MOE_FFN, M(moe_ffn), FROM(M(experts), 1), FROM(M(moe_ffn), 1)),
    COUNT(SHARED_FFN, M(shared_ffn), FROM(M(shared_ffn), 1)),
    FLAG(SHARED_GATE, FROM(M(shared_ffn), 1), ON(M(shared_gate))),
    TEXT(SCORE, "sigmoid", FROM(M(experts), 1), ON(M(router_bias))),
    FLAG(EXPERT_BIAS, FROM(M(experts), 1), ON(M(router_bias))),
    FLAG(GROUPED_GEMM, FROM(M(experts), 1), ON(P(grouped_gemm))),
    TEXT(DISPATCHER, "alltoall", FROM(M(experts), 1), IS(P(dispatcher), DTC_DISPATCHER_ALLTOALL)),
    TEXT(DISPATCHER, "flex", FROM(M(experts), 1), IS(P(dispatcher), DTC_DISPATCHER_FLEX)),
    {KEY(CAPACITY), .kind = DTCI_LAUNCH_PERCENT, .left = {P(capacity_percent)}, WHEN(FROM(M(experts), 1), FROM(P(capacity_percent), 1))},
    {"--moe-router-dtype", .kind = DTCI_LAUNCH_WORD, .word = "fp32", WHEN(FROM(M(experts), 1), ON(P(router_fp32)))},
};

#define SIZES_OF(family) BIT(DTC_ARCH_##family)

static const dtci_launch_limit limits[] = {
    /* Activations, position of norms and attention that differ from Megatron's are not told by a shape. */
    MASK(M(arch), SIZES_OF(MEGATRON) | SIZES_OF(GPT2) | SIZES_OF(LLAMA) | SIZES_OF(QWEN2) | SIZES_OF(QWEN3) | SIZES_OF(PHI3) |
         SIZES_OF(MIXTRAL) | SIZES_OF(QWEN2_MOE) | SIZES_OF(QWEN3_MOE) | SIZES_OF(DEEPSEEK_V2) | SIZES_OF(DEEPSEEK_V3)),
    ONLY(M(encoder_layers), 0), ONLY(M(mamba_layers), 0), ONLY(M(mlp_layers), 0), ONLY(M(norms), 2), ONLY(M(window), 0),
    ONLY(M(embed_norm), DTC_BOOL_OFF), ONLY(M(head_bias), DTC_BOOL_OFF),
    MASK(M(position), BIT(DTC_POSITION_ROPE) | BIT(DTC_POSITION_LEARNED) | BIT(DTC_POSITION_NOPE)),
    {M(mlp_bias), .min = DTC_BOOL_ON, .max = DTC_BOOL_ON, WHEN(ON(M(out_bias)))},
    {M(mlp_bias), .min = DTC_BOOL_OFF, .max = DTC_BOOL_OFF, WHEN(OFF(M(out_bias)))},
    {M(qkv_bias), .min = DTC_BOOL_ON, .max = DTC_BOOL_ON, WHEN(ON(M(out_bias)))},
    MASK(P(sharding), BIT(DTC_SHARDING_DDP) | BIT(DTC_SHARDING_DISTOPT) | BIT(DTC_SHARDING_FSDP)),
    MASK(P(schedule), BIT(DTC_SCHEDULE_1F1B) | BIT(DTC_SCHEDULE_INTERLEAVED)),
    MASK(P(precision), BIT(DTC_PRECISION_BF16) | BIT(DTC_PRECISION_FP16) | BIT(DTC_PRECISION_FP32) | BIT(DTC_PRECISION_FP8) | BIT(DTC_PRECISION_FP4)),
    {P(fp8_recipe), .mask = BIT(DTC_FP8_RECIPE_TENSOR) | BIT(DTC_FP8_RECIPE_BLOCK) | BIT(DTC_FP8_RECIPE_MX), WHEN(IS(P(precision), DTC_PRECISION_FP8))},
    {P(grad_dtype), .min = DTC_GRAD_DTYPE_FP32, .max = DTC_GRAD_DTYPE_FP32, WHEN(IS(P(precision), DTC_PRECISION_FP32))},
    MASK(P(recompute_method), BIT(DTC_RECOMPUTE_METHOD_UNIFORM) | BIT(DTC_RECOMPUTE_METHOD_BLOCK)),
    MASK(P(optimizer), BIT(DTC_OPTIMIZER_ADAM) | BIT(DTC_OPTIMIZER_SGD) | BIT(DTC_OPTIMIZER_MOMENTUM) | BIT(DTC_OPTIMIZER_LION) | BIT(DTC_OPTIMIZER_MUON)),
    {P(optimizer), .min = DTC_OPTIMIZER_MUON, .max = DTC_OPTIMIZER_MUON, WHEN(ON(P(whole_tensors)))},
    MASK(P(loss), BIT(DTC_LOSS_UPCAST) | BIT(DTC_LOSS_FUSED)),
    MASK(P(cuda_graph), BIT(DTC_CUDA_GRAPH_NONE) | BIT(DTC_CUDA_GRAPH_PARTIAL)),
    {P(transformer_engine), .min = DTC_BOOL_OFF, .max = DTC_BOOL_OFF, WHEN(IS(P(attention), DTC_ATTENTION_MATH))},
    {P(transformer_engine), .min = DTC_BOOL_ON, .max = DTC_BOOL_ON, WHEN(IS(P(attention), DTC_ATTENTION_CUDNN))},
    {P(transformer_engine), .min = DTC_BOOL_ON, .max = DTC_BOOL_ON, WHEN(FROM(P(precision), DTC_PRECISION_FP8))},
    /* What the scripts refuse, at the latest at the first step. */
    {P(sequence_parallel), .min = DTC_BOOL_ON, .max = DTC_BOOL_ON, .when = {FROM(M(experts), 1), FROM(P(tp), 2)}},
    {P(sequence_parallel), .min = DTC_BOOL_ON, .max = DTC_BOOL_ON, WHEN(ON(P(tp_overlap)))},
    {P(tp), .min = 2, .max = UINT64_MAX, WHEN(ON(P(tp_overlap)))},
    {P(tp), .min = 2, .max = UINT64_MAX, WHEN(ON(P(recompute_distributed)))},
    {P(recompute), .min = DTC_RECOMPUTE_FULL, .max = DTC_RECOMPUTE_FULL, WHEN(ON(P(recompute_distributed)))},
    {P(sequence_parallel), .min = DTC_BOOL_OFF, .max = DTC_BOOL_OFF, WHEN(ON(P(recompute_distributed)))},
    {P(recompute), .mask = BIT(DTC_RECOMPUTE_NONE) | BIT(DTC_RECOMPUTE_SELECTIVE), WHEN(IS(P(cuda_graph), DTC_CUDA_GRAPH_PARTIAL))},
    {P(pp), .min = 2, .max = UINT64_MAX, WHEN(ON(P(defer_wgrad)))},
    {P(grad_fusion), .min = DTC_BOOL_ON, .max = DTC_BOOL_ON, WHEN(ON(P(defer_wgrad)))},
    /* megatron/training/arguments.py about --use-torch-fsdp2 */
    {P(pp), .min = 1, .max = 1, WHEN(SHARDED)},
    {P(ep), .min = 1, .max = 1, WHEN(SHARDED)},
    /* There CUDA_DEVICE_MAX_CONNECTIONS has to be 1 for these, and must not be for FSDP. */
    {P(tp), .min = 1, .max = 1, .when = {SHARDED, BETWEEN(DTCI_OPERAND(cluster, compute), 0, 99)}},
    {P(cp), .min = 1, .max = 1, .when = {SHARDED, BETWEEN(DTCI_OPERAND(cluster, compute), 0, 99)}},
    {P(fp8_params), .min = DTC_BOOL_OFF, .max = DTC_BOOL_OFF, WHEN(IS(P(sharding), DTC_SHARDING_DDP))},
    {M(tied), .min = DTC_BOOL_OFF, .max = DTC_BOOL_OFF, WHEN(SHARDED)},
    {P(precision), .mask = BIT(DTC_PRECISION_BF16) | BIT(DTC_PRECISION_FP32), WHEN(SHARDED)},
    {P(optimizer), .mask = BIT(DTC_OPTIMIZER_ADAM) | BIT(DTC_OPTIMIZER_SGD) | BIT(DTC_OPTIMIZER_MOMENTUM), WHEN(SHARDED)},
    {P(reshard), .min = DTC_BOOL_ON, .max = DTC_BOOL_ON},
    /* Rows of newer versions. */
    {P(cuda_graph), .until = 20000, .min = DTC_CUDA_GRAPH_NONE, .max = DTC_CUDA_GRAPH_NONE},
    {P(precision), .until = 20000, .min = 0, .max = DTC_PRECISION_FP8},
    {P(optimizer), .until = 20000, .mask = BIT(DTC_OPTIMIZER_ADAM) | BIT(DTC_OPTIMIZER_SGD) | BIT(DTC_OPTIMIZER_MOMENTUM)},
    {P(moe_overlap), .until = 14000, .min = DTC_BOOL_OFF, .max = DTC_BOOL_OFF},
};
/* clang-format on */

/* Kernels of the optimizer: Megatron has one. */
static const uint32_t others[] = {P(optimizer_kernel)};

void dtci_launch_megatron(dtci_launch_form *f)
{
  FILL(f);
  f->style = DTCI_STYLE_SHELL;
  f->whole = 1;
  f->least = 12000;
}

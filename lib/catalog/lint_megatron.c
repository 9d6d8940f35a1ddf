/* Command lines of Megatron-LM's training scripts (d98e8a64, 22 August 2026): what follows from the flags. The flags are in
 * lint_megatron_keys.c, what Megatron refuses and its sources in lint_megatron_rules.c. */
#include "internal/lint_megatron.h"

#define K(key) DTCI_KEY(DTC_DIALECT_MEGATRON, MEGA_##key)
#define OF(...)                                                                                                        \
  {                                                                                                                    \
    __VA_ARGS__                                                                                                        \
  }
#define IS(key, n) DTCI_WHEN_IS(K(key), n)
#define AT_LEAST(key, n) DTCI_WHEN_AT_LEAST(K(key), n)
#define BETWEEN(key, low, high) DTCI_WHEN_BETWEEN(K(key), low, high)
#define SET(key) DTCI_WHEN_SET(K(key))
#define UNSET(key) DTCI_WHEN_UNSET(K(key))
#define GIVEN(key) DTCI_WHEN_GIVEN(K(key))
#define HAS(key, word) DTCI_WHEN_HAS(K(key), word)
/* Steps, with their conditions last. */
#define PUT(to, n, ...)                                                                                                \
  {                                                                                                                    \
    .key = K(to), .op = DTCI_STEP_PUT, .constant = (n), .when = { __VA_ARGS__ }                                        \
  }
#define CLEAR(to, ...)                                                                                                 \
  {                                                                                                                    \
    .key = K(to), .op = DTCI_STEP_CLEAR, .when = { __VA_ARGS__ }                                                       \
  }
#define COPY(to, of, ...)                                                                                              \
  {                                                                                                                    \
    .key = K(to), .op = DTCI_STEP_PRODUCT, .left = {K(of)}, .when = { __VA_ARGS__ }                                    \
  }
#define PRODUCT(to, of)                                                                                                \
  {                                                                                                                    \
    .key = K(to), .op = DTCI_STEP_PRODUCT, .left = of                                                                  \
  }
#define MOST(to, of)                                                                                                   \
  {                                                                                                                    \
    .key = K(to), .op = DTCI_STEP_MOST, .left = of                                                                     \
  }
#define SUM(to, of, less, n)                                                                                           \
  {                                                                                                                    \
    .key = K(to), .op = DTCI_STEP_SUM, .left = of, .right = less, .constant = (n)                                      \
  }
#define EXACT(to, of, by, ...)                                                                                         \
  {                                                                                                                    \
    .key = K(to), .op = DTCI_STEP_EXACT, .left = of, .right = by, .when = { __VA_ARGS__ }                              \
  }
#define WHOLE(to, of, by, n)                                                                                           \
  {                                                                                                                    \
    .key = K(to), .op = DTCI_STEP_QUOTIENT, .left = of, .right = by, .constant = (n)                                   \
  }
/* What Megatron sets whatever the text says. */
#define FORCE(to, n, ...)                                                                                              \
  {                                                                                                                    \
    .key = K(to), .op = DTCI_STEP_PUT, .constant = (n), .force = 1, .when = { __VA_ARGS__ }                            \
  }
#define NOTHING                                                                                                        \
  {                                                                                                                    \
    0                                                                                                                  \
  }

/* What fields of a model and plan take. A flag's word that has no counterpart there leaves them alone. */
enum { OFF = 0, ON = 1 };

/* clang-format off */
static const dtci_step steps[] = {
    /* ranks */
    PUT(GTP, 1, NOTHING),
    EXACT(GTP, OF(K(SHARDS)), OF(K(TP)), NOTHING),
    COPY(EXPERT_TP, TP, NOTHING),
    COPY(EXPERT_TP, ETP, NOTHING),
    PUT(EXPERT_GTP, 1, NOTHING),
    EXACT(EXPERT_GTP, OF(K(EXPERT_SHARDS)), OF(K(EXPERT_TP)), NOTHING),
    MOST(GTP_ANY, OF(K(GTP), K(EXPERT_GTP))),
    EXACT(DP, OF(DTCI_KEY(DTC_DIALECT_MEGATRON, DTCI_KEY_WORLD)), OF(K(TP), K(PP), K(CP), K(GTP)), NOTHING),
    PRODUCT(MODEL_SPLIT, OF(K(TP), K(CP))),
    PUT(SP_ON, OFF, SET(TP)),
    PUT(SP_ON, ON, IS(SP, 1), AT_LEAST(TP, 2)),

    /* batches */
    PUT(EVAL_OWN, OFF, NOTHING),
    PUT(EVAL_OWN, ON, GIVEN(EVAL_MICRO)),
    PUT(EVAL_OWN, ON, GIVEN(EVAL_GLOBAL)),
    PUT(EVAL_OWN, ON, IS(DECREASE, 1)),
    PRODUCT(GLOBAL, OF(K(MICRO), K(DP), K(GTP))),
    COPY(EVAL_MICRO, MICRO, NOTHING),
    COPY(EVAL_GLOBAL, GLOBAL, NOTHING),
    EXACT(MICROBATCHES, OF(K(GLOBAL)), OF(K(MICRO), K(DP), K(GTP)), UNSET(SCHEDULE)),
    COPY(LENGTH, ENCODER_SEQ, NOTHING),
    COPY(LENGTH, SEQ, NOTHING),

    /* layers and stages; a hybrid pattern says them itself */
    COPY(ALL_LAYERS, ENCODER_LAYERS, NOTHING),
    COPY(ALL_LAYERS, LAYERS, NOTHING),
    CLEAR(ALL_LAYERS, SET(HYBRID_PATTERN)),
    CLEAR(ALL_LAYERS, SET(OLD_PATTERN)),
    SUM(ACCOUNT, OF(K(ACCOUNT_EMBEDDING), K(ACCOUNT_LOSS)), OF(0), 0),
    SUM(SPLIT_LAYERS, OF(K(ALL_LAYERS), K(ACCOUNT)), OF(0), 0),
    WHOLE(STAGE_LAYERS, OF(K(ALL_LAYERS)), OF(K(PP)), 0),
    PUT(SPLIT, MEGA_SPLIT_EVEN, NOTHING),
    PUT(SPLIT, MEGA_SPLIT_UNEVEN, SET(FIRST)),
    PUT(SPLIT, MEGA_SPLIT_UNEVEN, SET(LAST)),
    PUT(SPLIT, MEGA_SPLIT_LAYOUT, SET(LAYOUT)),
    PUT(VPP_BY, MEGA_VPP_NONE, NOTHING),
    PUT(VPP_BY, MEGA_VPP_LAYERS, SET(BY_LAYERS)),
    PUT(VPP_BY, MEGA_VPP_COUNT, SET(BY_COUNT)),
    PUT(VPP_BY, MEGA_VPP_LAYOUT, SET(LAYOUT)),
    EXACT(VPP, OF(K(SPLIT_LAYERS)), OF(K(PP), K(BY_LAYERS)), IS(VPP_BY, MEGA_VPP_LAYERS)),
    COPY(VPP, BY_COUNT, IS(VPP_BY, MEGA_VPP_COUNT)),
    COPY(GROUP, PP, NOTHING),
    WHOLE(GROUPS, OF(K(MICROBATCHES)), OF(K(GROUP)), 0),
    PRODUCT(GROUPED, OF(K(GROUPS), K(GROUP))),
    SUM(REST, OF(K(MICROBATCHES)), OF(K(GROUPED)), 0),

    /* stages of unequal size */
    COPY(ENDS, FIRST, NOTHING),
    COPY(ENDS, LAST, NOTHING),
    SUM(ENDS, OF(K(FIRST), K(LAST)), OF(0), 0),
    PUT(END_STAGES, 1, IS(SPLIT, MEGA_SPLIT_UNEVEN)),
    PUT(END_STAGES, 2, IS(SPLIT, MEGA_SPLIT_UNEVEN), SET(FIRST), SET(LAST)),
    SUM(MIDDLE_STAGES, OF(K(PP)), OF(K(END_STAGES)), 0),
    SUM(MIDDLE_LAYERS, OF(K(ALL_LAYERS)), OF(K(ENDS)), 0),

    /* the rest of what checks are about */
    COPY(EXPERTS, NUM_EXPERTS, AT_LEAST(NUM_EXPERTS, 1)),
    MOST(HALF, OF(K(FP16), K(BF16))),
    MOST(ANY_FSDP, OF(K(FSDP2), K(FSDP))),
    COPY(OWN_SHARDS, FSDP, NOTHING),
    PUT(OWN_SHARDS, ON, IS(OPTIMIZER, MEGA_OPT_DIST_MUON)),
    FORCE(RECOMPUTE, MEGA_RECOMPUTE_SELECTIVE, IS(RECOMPUTE_ACTIVATIONS, 1)),
    FORCE(POSITION, MEGA_POS_ROPE, IS(ROTARY, 1)),
    FORCE(GRAPH, MEGA_GRAPHS_LOCAL, IS(GRAPH_LOCAL, 1), IS(GRAPH, MEGA_GRAPHS_NONE)),
    FORCE(GRAPH, MEGA_GRAPHS_TRANSFORMER_ENGINE, IS(GRAPH_TE, 1), IS(GRAPH, MEGA_GRAPHS_NONE)),
    SUM(OFFLOAD_NEXT, OF(K(OFFLOAD)), OF(0), 1),
    PUT(FUSION, OFF, NOTHING),
    PUT(FUSION, ON, IS(SWIGLU, 0), IS(NO_GELU_FUSION, 0), IS(NO_BIAS, 0)),
    PUT(FUSION, ON, IS(SWIGLU, 1), IS(NO_SWIGLU_FUSION, 0)),
    COPY(SPLIT_DATA, TRAIN_DATA, NOTHING),
    COPY(SPLIT_DATA, VALID_DATA, NOTHING),
    COPY(SPLIT_DATA, TEST_DATA, NOTHING),

    /* the model: what a flag leaves open is said once there are layers */
    COPY(KV, QUERY_GROUPS, IS(GQA, 1), IS(MLA, 0)),
    WHOLE(FFN_STEP, OF(K(HIDDEN)), OF(0), 24),
    {.key = K(FFN_SIZE), .op = DTCI_STEP_PRODUCT, .left = {K(HIDDEN)}, .constant = 4, .when = {IS(SWIGLU, 0)}},
    {.key = K(FFN_SIZE), .op = DTCI_STEP_PRODUCT, .left = {K(FFN_STEP)}, .constant = 64, .when = {IS(SWIGLU, 1)}},
    COPY(FFN_SIZE, FFN, NOTHING),
    PUT(GATED, OFF, SET(ALL_LAYERS)),
    PUT(GATED, ON, IS(SWIGLU, 1)),
    PUT(GATED, ON, IS(QUICK_GEGLU, 1)),
    PUT(TIED, ON, SET(ALL_LAYERS), IS(UNTIE, 0)),
    PUT(TIED, OFF, IS(UNTIE, 1)),
    PUT(LINEAR_BIAS, ON, SET(ALL_LAYERS), IS(NO_BIAS, 0)),
    PUT(LINEAR_BIAS, OFF, IS(NO_BIAS, 1)),
    COPY(MLP_BIAS, LINEAR_BIAS, NOTHING),
    COPY(ATTENTION_BIAS, LINEAR_BIAS, NOTHING),
    PUT(ATTENTION_BIAS, ON, IS(QKV_BIAS, 1)),
    PUT(NORM, DTC_NORM_LAYERNORM, SET(ALL_LAYERS), IS(NORMALIZATION, MEGA_NORM_LAYERNORM)),
    PUT(NORM, DTC_NORM_RMSNORM, IS(NORMALIZATION, MEGA_NORM_RMSNORM)),
    PUT(PLACE, DTC_POSITION_LEARNED, SET(ALL_LAYERS), IS(POSITION, MEGA_POS_LEARNED_ABSOLUTE)),
    PUT(PLACE, DTC_POSITION_ROPE, IS(POSITION, MEGA_POS_ROPE)),
    PUT(PLACE, DTC_POSITION_ROPE, BETWEEN(POSITION, MEGA_POS_YARN, MEGA_POS_MROPE)),
    PUT(PLACE, DTC_POSITION_NOPE, IS(POSITION, MEGA_POS_NONE)),
    PUT(QK_NORMS, OFF, SET(ALL_LAYERS)),
    PUT(QK_NORMS, ON, IS(QK_NORM, 1)),
    COPY(MODEL_TOP_K, TOP_K, SET(EXPERTS)),
    COPY(ROUTER_BIAS, EXPERT_BIAS, SET(EXPERTS)),
    COPY(SHARED_GATES, SHARED_GATE, SET(SHARED_FFN)),
    COPY(MLA_Q, Q_RANK, IS(MLA, 1)),
    COPY(MLA_KV, KV_RANK, IS(MLA, 1)),
    COPY(MLA_NOPE, QK_HEAD_DIM, IS(MLA, 1)),
    COPY(MLA_ROPE, QK_ROPE_DIM, IS(MLA, 1)),
    COPY(MLA_V, V_HEAD_DIM, IS(MLA, 1)),

    /* the plan */
    PUT(SHARDING, DTC_SHARDING_DDP, SET(ALL_LAYERS)),
    PUT(SHARDING, DTC_SHARDING_DISTOPT, IS(DISTOPT, 1)),
    PUT(SHARDING, DTC_SHARDING_DISTOPT, IS(OPTIMIZER, MEGA_OPT_DIST_MUON)),
    PUT(SHARDING, DTC_SHARDING_FSDP, IS(FSDP2, 1)),
    PUT(SHARDING, DTC_SHARDING_DDP, IS(FSDP, 1), IS(STRATEGY, MEGA_STRATEGY_NO_SHARD)),
    PUT(SHARDING, DTC_SHARDING_DISTOPT, IS(FSDP, 1), IS(STRATEGY, MEGA_STRATEGY_OPTIM)),
    CLEAR(SHARDING, IS(FSDP, 1), IS(STRATEGY, MEGA_STRATEGY_OPTIM_GRADS)),
    PUT(SHARDING, DTC_SHARDING_FSDP, IS(FSDP, 1), IS(STRATEGY, MEGA_STRATEGY_OPTIM_GRADS_PARAMS)),
    PUT(PRECISION, DTC_PRECISION_FP32, SET(ALL_LAYERS)),
    PUT(PRECISION, DTC_PRECISION_FP16, IS(FP16, 1)),
    PUT(PRECISION, DTC_PRECISION_BF16, IS(BF16, 1)),
    PUT(GRADS, DTC_GRAD_DTYPE_FP32, IS(ACCUMULATE_FP32, 1)),
    PUT(GRADS, DTC_GRAD_DTYPE_16BIT, IS(BF16, 1), IS(REDUCE_BF16, 1)),
    PUT(OPTIMIZER_KIND, DTC_OPTIMIZER_ADAM, SET(ALL_LAYERS)),
    CLEAR(OPTIMIZER_KIND, IS(OPTIMIZER, MEGA_OPT_SOAP)),
    PUT(OPTIMIZER_KIND, DTC_OPTIMIZER_MOMENTUM, IS(OPTIMIZER, MEGA_OPT_SGD), AT_LEAST(SGD_MOMENTUM, 1)),
    PUT(OPTIMIZER_KIND, DTC_OPTIMIZER_SGD, IS(OPTIMIZER, MEGA_OPT_SGD), IS(SGD_MOMENTUM, 0)),
    PUT(OPTIMIZER_KIND, DTC_OPTIMIZER_MUON, BETWEEN(OPTIMIZER, MEGA_OPT_MUON, MEGA_OPT_DIST_MUON)),
    PUT(OPTIMIZER_KIND, DTC_OPTIMIZER_MUON, IS(OPTIMIZER, MEGA_OPT_ADAPTIVE_MUON)),
    PUT(OPTIMIZER_KIND, DTC_OPTIMIZER_LION, IS(OPTIMIZER, MEGA_OPT_LION)),
    PUT(RECOMPUTE_KIND, DTC_RECOMPUTE_NONE, SET(ALL_LAYERS)),
    PUT(RECOMPUTE_KIND, DTC_RECOMPUTE_SELECTIVE, IS(RECOMPUTE, MEGA_RECOMPUTE_SELECTIVE),
        HAS(RECOMPUTE_MODULES, MEGA_MODULE_CORE_ATTN)),
    SUM(COVERED, OF(K(RECOMPUTE_LAYERS)), OF(K(STAGE_LAYERS)), 0),
    CLEAR(RECOMPUTE_KIND, IS(RECOMPUTE, MEGA_RECOMPUTE_FULL)),
    PUT(RECOMPUTE_KIND, DTC_RECOMPUTE_FULL, IS(RECOMPUTE, MEGA_RECOMPUTE_FULL),
        IS(RECOMPUTE_METHOD, MEGA_METHOD_UNIFORM)),
    PUT(RECOMPUTE_KIND, DTC_RECOMPUTE_FULL, IS(RECOMPUTE, MEGA_RECOMPUTE_FULL), SET(COVERED)),
    PUT(ATTENTION, DTC_ATTENTION_EAGER, IS(IMPLEMENTATION, MEGA_IMPL_LOCAL)),
    PUT(ATTENTION, DTC_ATTENTION_FLASH, IS(FLASH, 1)),
    PUT(ATTENTION, DTC_ATTENTION_FLASH, BETWEEN(BACKEND, MEGA_BACKEND_FLASH, MEGA_BACKEND_FUSED)),
    PUT(ATTENTION, DTC_ATTENTION_EAGER, BETWEEN(BACKEND, MEGA_BACKEND_UNFUSED, MEGA_BACKEND_LOCAL)),
    PUT(DROPOUT, OFF, SET(ALL_LAYERS)),
    PUT(DROPOUT, ON, SET(ALL_LAYERS), AT_LEAST(HIDDEN_DROPOUT, 1)),
    PUT(DROPOUT, ON, SET(ALL_LAYERS), AT_LEAST(ATTENTION_DROPOUT, 1)),
    PRODUCT(PADDING, OF(K(VOCAB_MULTIPLE), K(TP))),
};
/* clang-format on */

void dtci_lint_megatron(dtci_dialect *d)
{
  d->number = DTC_DIALECT_MEGATRON;
  d->form = DTCI_FORM_SCRIPT;
  d->framework = DTC_FRAMEWORK_MEGATRON;
  d->newest = DTC_MAIN;
  d->unknown = DTCI_UNKNOWN_ERROR;
  d->twice = DTC_SEVERITY_WARNING;
  d->keys = dtci_megatron_keys;
  d->keys_count = dtci_megatron_keys_count;
  d->words = dtci_megatron_words;
  d->words_count = dtci_megatron_words_count;
  d->steps = steps;
  d->steps_count = sizeof steps / sizeof steps[0];
  d->rules = dtci_megatron_rules;
  d->rules_count = dtci_megatron_rules_count;
  d->keeps = MEGA_LAYOUT;
}

/* What each operator of Megatron-Core keeps for backward: one row per saved tensor.
 *
 * bytes = (per_value * e + bytes) * basis * T / shard, with e bytes of an activation, T tokens of a micro-batch on a rank;
 * R routed rows take the place of T under DTCI_SHARD_ROWS. With Transformer Engine: read off the saved tensors of its
 * modules and checked against measured peaks. Local: traced on the modules of Megatron-Core 0.16.1 without Transformer
 * Engine (doc/formulas/memory.md). */
#include "internal/operators.h"

#define OP(x) DTC_OPERATOR_##x
#define OF(x) DTCI_OF_##x
#define BY(x) DTCI_SHARD_##x
#define IF(x) DTCI_IF_##x
#define RC(x) DTCI_MODULE_##x
#define ANY 0
/* Cross attention, unfused for the mask it needs, and a Mamba-2 mixer: the same with and without Transformer Engine. */
#define CROSS                                                                                                          \
  {OP(NORM), OF(HIDDEN), BY(SP), 1, 0, {0}, IF(CROSS), NEVER},                                                         \
      {OP(NORM), OF(HIDDEN), BY(SP), 1, 0, {0}, IF(CROSS), NEVER},                                                     \
      {OP(DROPOUT), OF(HIDDEN), BY(SP), 0, 1, {0}, IF(CROSS) | IF(DROPOUT), NEVER},                                    \
      {OP(QKV), OF(Q), BY(TP), 1, 0, {0}, IF(CROSS), NEVER},                                                           \
      {OP(QKV), OF(KV_HEADS_Q), BY(ENCODER), 1, 0, {0}, IF(CROSS), NEVER},                                             \
      {OP(ATTENTION), OF(CROSS_SCORES), BY(TP), 1, 0, {0}, IF(CROSS), RC(CORE_ATTN)},                                  \
      {OP(ATTENTION), OF(CROSS_SCORES), BY(TP), 1, 0, {0}, IF(CROSS) | IF(DROPS_SCORES), RC(CORE_ATTN)},               \
      {OP(ATTENTION), OF(CROSS_SCORES), BY(TP), 0, 1, {0}, IF(CROSS) | IF(DROPS_SCORES), RC(CORE_ATTN)},               \
  {                                                                                                                    \
    OP(ATTENTION_OUT), OF(Q), BY(TP), 1, 0, {0}, IF(CROSS), NEVER                                                      \
  }
#define MAMBA                                                                                                          \
  {OP(MAMBA), OF(MAMBA_IN), BY(TP), 1, 0, {0}, IF(MAMBA), NEVER},                                                      \
      {OP(MAMBA), OF(MAMBA_INNER), BY(TP), 1, 0, {0}, IF(MAMBA), NEVER},                                               \
      {OP(MAMBA), OF(MAMBA_INNER), BY(TP), 1, 0, {0}, IF(MAMBA), NEVER},                                               \
  {                                                                                                                    \
    OP(MAMBA), OF(MAMBA_INNER), BY(TP), 1, 0, {0}, IF(MAMBA), NEVER                                                    \
  }
#define NEVER 0

/* clang-format off */
const dtci_saved_row dtci_saved_te[] = {
    /* op, basis, shard, per_value, bytes, reserved, needs, modules whose recomputation drops it */
    {OP(NORM), OF(HIDDEN), BY(SP), 1, 0, {0}, ANY, NEVER}, /* inputs */
    {OP(NORM), OF(HIDDEN), BY(SP), 1, 0, {0}, IF(NORM_2), NEVER},
    {OP(NORM), OF(HIDDEN), BY(SP), 1, 0, {0}, IF(NOT_FP8), RC(LAYERNORM)}, /* outputs: inputs of linear layers */
    {OP(NORM), OF(HIDDEN), BY(SP), 1, 0, {0}, IF(NORM_2) | IF(NOT_FP8), RC(LAYERNORM)},
    {OP(NORM), OF(HIDDEN), BY(SP), 0, 1, {0}, IF(FP8), RC(LAYERNORM)}, /* .. in one byte */
    {OP(NORM), OF(HIDDEN), BY(SP), 0, 1, {0}, IF(NORM_2) | IF(FP8), RC(LAYERNORM)},
    {OP(NORM), OF(NORMS_MORE_H), BY(SP), 2, 0, {0}, ANY, NEVER}, /* of norms behind a sublayer */

    {OP(QKV), OF(QKV_OUT), BY(TP), 1, 0, {0}, IF(MHA), NEVER}, /* one tensor, of which q, k and v are views */
    {OP(QKV), OF(Q_RANK), BY(NONE), 1, 0, {0}, IF(MLA), NEVER}, /* gathered, so never sharded */
    {OP(QKV), OF(Q_RANK), BY(SP), 1, 0, {0}, IF(MLA), NEVER},
    {OP(QKV), OF(KV_RANK), BY(SP), 1, 0, {0}, IF(MLA), NEVER},
    {OP(QKV), OF(KV_RANK), BY(SP), 1, 0, {0}, IF(MLA), NEVER},
    {OP(QKV), OF(QK_MLA), BY(TP), 1, 0, {0}, IF(MLA), RC(MLA_UP)}, /* q */
    {OP(QKV), OF(QK_MLA), BY(TP), 1, 0, {0}, IF(MLA), RC(MLA_UP)}, /* k */
    {OP(QKV), OF(V_MLA), BY(TP), 1, 0, {0}, IF(MLA), RC(MLA_UP)},

    {OP(QK_NORM), OF(QK), BY(TP), 1, 0, {0}, IF(MHA) | IF(QK_NORM), NEVER},

    {OP(ATTENTION), OF(HEADS), BY(TP), 0, 4, {0}, IF(FLASH), RC(CORE_ATTN)}, /* fp32 log-sum-exp */
    {OP(ATTENTION), OF(Q), BY(TP), 1, 0, {0}, IF(MHA) | IF(OUT_TWICE), RC(CORE_ATTN)}, /* the kernel's own layout */
    {OP(ATTENTION), OF(V_MLA), BY(TP), 1, 0, {0}, IF(MLA) | IF(OUT_TWICE), RC(CORE_ATTN)},
    {OP(ATTENTION), OF(SCORES), BY(TP), 1, 0, {0}, IF(EAGER), RC(CORE_ATTN)}, /* softmax */
    {OP(ATTENTION), OF(SCORES), BY(TP), 1, 0, {0}, IF(EAGER) | IF(DROPS_SCORES), RC(CORE_ATTN)},
    {OP(ATTENTION), OF(SCORES), BY(TP), 0, 1, {0}, IF(EAGER) | IF(DROPS_SCORES), RC(CORE_ATTN)}, /* mask */
    {OP(ATTENTION), OF(KV_REPEATED), BY(TP), 1, 0, {0}, IF(EAGER) | IF(MHA), RC(CORE_ATTN)}, /* k and v repeated to all heads */

    {OP(ATTENTION_OUT), OF(Q), BY(TP), 1, 0, {0}, IF(MHA), NEVER},
    {OP(ATTENTION_OUT), OF(V_MLA), BY(TP), 1, 0, {0}, IF(MLA), NEVER},
    {OP(ATTENTION_OUT), OF(Q), BY(TP), 0, 1, {0}, IF(MHA) | IF(FP8), NEVER}, /* the projection's input in one byte */
    {OP(ATTENTION_OUT), OF(V_MLA), BY(TP), 0, 1, {0}, IF(MLA) | IF(FP8), NEVER},

    {OP(MLP), OF(FFN), BY(TP), 1, 0, {0}, IF(DENSE) | IF(GATED), RC(MLP)},
    {OP(MLP), OF(FFN), BY(TP), 1, 0, {0}, IF(DENSE), RC(MLP)},
    {OP(MLP), OF(FFN), BY(TP), 1, 0, {0}, IF(DENSE) | IF(NOT_FP8), RC(MLP)}, /* the second matrix's input */
    {OP(MLP), OF(FFN), BY(TP), 0, 1, {0}, IF(DENSE) | IF(FP8), RC(MLP)},

    {OP(ROUTER), OF(ROUTES), BY(SP), 0, 4, {0}, IF(MOE), RC(MOE)}, /* row map: (2 E + 1) */
    {OP(EXPERTS), OF(HIDDEN), BY(ROWS), 1, 0, {0}, IF(MOE), RC(MOE)}, /* permuted input */
    {OP(EXPERTS), OF(HIDDEN), BY(ROWS), 1, 0, {0}, IF(MOE) | IF(ROWS_TWICE), RC(MOE)}, /* gathered, then permuted */
    {OP(EXPERTS), OF(MOE_FFN), BY(EXPERT), 3, 0, {0}, IF(MOE) | IF(GATED), RC(MOE) | RC(MOE_ACT)}, /* first product, activation times probability */
    {OP(EXPERTS), OF(MOE_FFN), BY(EXPERT), 2, 0, {0}, IF(MOE) | IF(GATED) | IF(MOE_ACT_AGAIN), RC(MOE)},
    {OP(EXPERTS), OF(MOE_FFN), BY(EXPERT), 3, 0, {0}, IF(MOE) | IF(PLAIN) | IF(PROBABILITIES), RC(MOE) | RC(MOE_ACT)}, /* .. activation, the same times probability */
    {OP(EXPERTS), OF(MOE_FFN), BY(EXPERT), 2, 0, {0}, IF(MOE) | IF(PLAIN) | IF(NO_PROBABILITIES), RC(MOE) | RC(MOE_ACT)},
    {OP(EXPERTS), OF(MOE_FFN), BY(EXPERT), 1, 0, {0}, IF(MOE) | IF(PLAIN) | IF(MOE_ACT_AGAIN), RC(MOE)},
    {OP(SHARED_EXPERTS), OF(SHARED_FFN), BY(TP), 3, 0, {0}, IF(MOE) | IF(GATED), RC(MOE) | RC(SHARED)},
    {OP(SHARED_EXPERTS), OF(SHARED_FFN), BY(TP), 2, 0, {0}, IF(MOE) | IF(PLAIN), RC(MOE) | RC(SHARED)},

    {OP(DROPOUT), OF(HIDDEN), BY(SP), 0, 1, {0}, IF(DROPOUT), NEVER}, /* masks of a byte */
    {OP(DROPOUT), OF(HIDDEN), BY(SP), 0, 1, {0}, IF(DROPOUT) | IF(NORM_2), NEVER},

    CROSS,
    MAMBA,

    {OP(NORM), OF(HIDDEN), BY(SP), 1, 0, {0}, IF(HEAD), NEVER}, /* input of the final norm */
    {OP(HEAD), OF(HIDDEN), BY(SP), 1, 0, {0}, IF(HEAD), NEVER},
    {OP(LOSS), OF(VOCAB), BY(TP), 0, 4, {0}, IF(HEAD), NEVER}, /* fp32 probabilities */
};
const uint32_t dtci_saved_te_count = sizeof dtci_saved_te / sizeof dtci_saved_te[0];

/* The local modules. Whether q and k are views of the projection's output, and what keeps it alive, is worked out in
 * ledger_megatron.c. */
const dtci_saved_row dtci_saved_local[] = {
    {OP(NORM), OF(HIDDEN), BY(SP), 1, 0, {0}, ANY, NEVER}, /* inputs */
    {OP(NORM), OF(HIDDEN), BY(SP), 1, 0, {0}, IF(NORM_2), NEVER},
    {OP(NORM), OF(HIDDEN), BY(SP), 1, 0, {0}, ANY, RC(LAYERNORM)}, /* outputs: inputs of linear layers */
    {OP(NORM), OF(HIDDEN), BY(SP), 1, 0, {0}, IF(NORM_2), RC(LAYERNORM)},
    {OP(NORM), OF(NORMS_MORE_H), BY(SP), 2, 0, {0}, ANY, NEVER}, /* of norms behind a sublayer */
    {OP(NORM), OF(TOKEN), BY(SP), 0, 4, {0}, IF(RMSNORM), RC(LAYERNORM)}, /* reciprocal root mean square */
    {OP(NORM), OF(TOKEN), BY(SP), 0, 4, {0}, IF(RMSNORM) | IF(NORM_2), RC(LAYERNORM)},
    {OP(NORM), OF(TOKEN), BY(SP), 0, 8, {0}, IF(LAYERNORM), RC(LAYERNORM)}, /* mean and reciprocal deviation */
    {OP(NORM), OF(TOKEN), BY(SP), 0, 8, {0}, IF(LAYERNORM) | IF(NORM_2), RC(LAYERNORM)},

    {OP(QKV), OF(QKV_OUT), BY(TP), 1, 0, {0}, IF(MHA) | IF(QKV_STAYS), NEVER}, /* whole: v is a view of it */
    {OP(QKV), OF(Q), BY(TP), 1, 0, {0}, IF(MHA) | IF(Q_APART), NEVER},
    {OP(QKV), OF(KV), BY(TP), 1, 0, {0}, IF(MHA) | IF(K_APART), NEVER},
    {OP(QKV), OF(ROPE_DIM), BY(BATCH), 4, 0, {0}, IF(ROPE_STEPS), RC(MLA_UP)}, /* cos and sin, for q and for k */
    {OP(QKV), OF(Q_RANK), BY(NONE), 1, 0, {0}, IF(MLA), NEVER}, /* gathered, so never sharded */
    {OP(QKV), OF(Q_RANK), BY(SP), 1, 0, {0}, IF(MLA), NEVER},
    {OP(QKV), OF(TOKEN), BY(SP), 0, 4, {0}, IF(MLA) | IF(Q_LOW) | IF(RMSNORM), NEVER}, /* statistics */
    {OP(QKV), OF(TOKEN), BY(SP), 0, 8, {0}, IF(MLA) | IF(Q_LOW) | IF(LAYERNORM), NEVER},
    {OP(QKV), OF(KV_RANK), BY(SP), 1, 0, {0}, IF(MLA) | IF(SP), NEVER}, /* of its down-projection: a copy */
    {OP(QKV), OF(KV_DOWN), BY(NONE), 1, 0, {0}, IF(MLA) | IF(NO_SP), NEVER}, /* .. a view of the whole */
    {OP(QKV), OF(KV_RANK), BY(SP), 1, 0, {0}, IF(MLA), NEVER},
    {OP(QKV), OF(TOKEN), BY(SP), 0, 4, {0}, IF(MLA) | IF(RMSNORM), NEVER},
    {OP(QKV), OF(TOKEN), BY(SP), 0, 8, {0}, IF(MLA) | IF(LAYERNORM), NEVER},
    {OP(QKV), OF(QK_MLA), BY(TP), 1, 0, {0}, IF(MLA), RC(MLA_UP)}, /* q */
    {OP(QKV), OF(QK_MLA), BY(TP), 1, 0, {0}, IF(MLA), RC(MLA_UP)}, /* k */
    {OP(QKV), OF(V_MLA), BY(TP), 1, 0, {0}, IF(MLA), RC(MLA_UP)},
    {OP(QKV), OF(ROPE_DIM), BY(BATCH), 0, 4, {0}, IF(MLA) | IF(MLA_UP_AGAIN), NEVER}, /* fp32 rotary table */
    {OP(QKV), OF(KV_DOWN), BY(NONE), 1, 0, {0}, IF(MLA) | IF(MLA_UP_AGAIN) | IF(SP), NEVER}, /* gathered */

    {OP(QK_NORM), OF(QK_HEADS), BY(TP), 0, 4, {0}, IF(MHA) | IF(QK_NORM) | IF(RMSNORM), NEVER},
    {OP(QK_NORM), OF(QK_HEADS), BY(TP), 0, 8, {0}, IF(MHA) | IF(QK_NORM) | IF(LAYERNORM), NEVER},
    {OP(QK_NORM), OF(Q), BY(TP), 1, 0, {0}, IF(MHA) | IF(Q_COPIED), NEVER}, /* input of q's norm */

    {OP(ATTENTION), OF(HEADS), BY(TP), 0, 4, {0}, IF(FLASH), RC(CORE_ATTN)}, /* fp32 log-sum-exp */
    {OP(ATTENTION), OF(TOKEN), BY(ONCE), 0, 16, {0}, IF(FLASH), RC(CORE_ATTN)}, /* state of random numbers */
    {OP(ATTENTION), OF(TOKEN), BY(ONCE), 0, 8, {0}, IF(FLASH_2), RC(CORE_ATTN)},
    {OP(ATTENTION), OF(KV_HEADS_Q), BY(TP), 1, 0, {0}, IF(MHA) | IF(REPEATED), NEVER}, /* k and v repeated to all heads */
    {OP(ATTENTION), OF(SCORES), BY(TP), 1, 0, {0}, IF(EAGER), RC(CORE_ATTN)}, /* softmax */
    {OP(ATTENTION), OF(SCORES), BY(TP), 0, 4, {0}, IF(EAGER) | IF(SOFTMAX_32), RC(CORE_ATTN)}, /* .. and in fp32 */
    {OP(ATTENTION), OF(SCORES), BY(TP), 1, 0, {0}, IF(EAGER) | IF(DROPS_SCORES), RC(CORE_ATTN)},
    {OP(ATTENTION), OF(SCORES), BY(TP), 0, 1, {0}, IF(EAGER) | IF(DROPS_SCORES), RC(CORE_ATTN)}, /* mask */
    {OP(ATTENTION), OF(SEQ), BY(BATCH), 0, 1, {0}, IF(EAGER) | IF(CAUSAL_MASK), RC(CORE_ATTN)}, /* shared by all layers */

    {OP(ATTENTION_OUT), OF(Q), BY(TP), 1, 0, {0}, IF(MHA), NEVER},
    {OP(ATTENTION_OUT), OF(V_MLA), BY(TP), 1, 0, {0}, IF(MLA), NEVER},

    {OP(MLP), OF(HIDDEN), BY(SP), 1, 0, {0}, IF(DENSE) | IF(MLP_INPUT), NEVER}, /* a recomputed MLP keeps its input */
    {OP(MLP), OF(FFN), BY(TP), 2, 0, {0}, IF(DENSE) | IF(GATED), RC(MLP)},
    {OP(MLP), OF(FFN), BY(TP), 1, 0, {0}, IF(DENSE) | IF(PLAIN), RC(MLP)},
    {OP(MLP), OF(FFN), BY(TP), 1, 0, {0}, IF(DENSE), RC(MLP)}, /* activation */
    {OP(MLP), OF(FFN), BY(TP), 1, 0, {0}, IF(DENSE) | IF(GATED) | IF(ACT_STEPS), RC(MLP)}, /* SiLU's result */
    {OP(MLP), OF(FFN), BY(TP), 1, 0, {0}, IF(DENSE) | IF(GATED) | IF(ACT_STEPS), RC(MLP)}, /* the other half, a copy */

    {OP(ROUTER), OF(TOP_K), BY(SP), 0, 12, {0}, IF(MOE), RC(MOE)}, /* 64-bit indices, fp32 probabilities */
    {OP(ROUTER), OF(TOKEN), BY(ROWS), 0, 8, {0}, IF(MOE), RC(MOE)}, /* row map */
    {OP(ROUTER), OF(EXPERTS), BY(SP), 0, 1, {0}, IF(MOE), RC(MOE)}, /* routing map */
    {OP(ROUTER), OF(EXPERTS), BY(SP), 0, 2, {0}, IF(MOE) | IF(DROPLESS) | IF(ROUTER_16), RC(MOE)}, /* probabilities */
    {OP(ROUTER), OF(EXPERTS), BY(SP), 0, 4, {0}, IF(MOE) | IF(DROPLESS) | IF(ROUTER_32), RC(MOE)},
    {OP(ROUTER), OF(TOKEN), BY(ROWS), 0, 16, {0}, IF(MOE) | IF(CAPACITY), RC(MOE)}, /* indices of kept rows */
    {OP(EXPERTS), OF(HIDDEN), BY(ROWS), 1, 0, {0}, IF(MOE), RC(MOE)}, /* permuted input */
    {OP(EXPERTS), OF(HIDDEN), BY(ROWS), 1, 0, {0}, IF(MOE) | IF(ROWS_TWICE), RC(MOE)}, /* gathered, then permuted */
    {OP(EXPERTS), OF(TOKEN), BY(ROWS), 0, 2, {0}, IF(MOE) | IF(ROUTER_16), RC(MOE)}, /* probabilities */
    {OP(EXPERTS), OF(TOKEN), BY(ROWS), 0, 4, {0}, IF(MOE) | IF(ROUTER_32), RC(MOE)},
    {OP(EXPERTS), OF(MOE_FFN), BY(EXPERT), 3, 0, {0}, IF(MOE), RC(MOE) | RC(MOE_ACT)}, /* gated: first product, activation; plain: three steps */
    {OP(EXPERTS), OF(MOE_FFN), BY(EXPERT), 2, 0, {0}, IF(MOE) | IF(GATED) | IF(MOE_ACT_AGAIN), RC(MOE)},
    {OP(EXPERTS), OF(MOE_FFN), BY(EXPERT), 1, 0, {0}, IF(MOE) | IF(PLAIN) | IF(MOE_ACT_AGAIN), RC(MOE)},
    {OP(SHARED_EXPERTS), OF(SHARED_FFN), BY(TP), 3, 0, {0}, IF(MOE) | IF(GATED), RC(MOE) | RC(SHARED)},
    {OP(SHARED_EXPERTS), OF(SHARED_FFN), BY(TP), 2, 0, {0}, IF(MOE) | IF(PLAIN), RC(MOE) | RC(SHARED)},

    {OP(DROPOUT), OF(HIDDEN), BY(SP), 0, 1, {0}, IF(DROPOUT), NEVER}, /* masks of a byte */
    {OP(DROPOUT), OF(HIDDEN), BY(SP), 0, 1, {0}, IF(DROPOUT) | IF(NORM_2), NEVER},

    CROSS,
    MAMBA,

    {OP(NORM), OF(HIDDEN), BY(SP), 1, 0, {0}, IF(HEAD), NEVER}, /* input of the final norm */
    {OP(HEAD), OF(HIDDEN), BY(SP), 1, 0, {0}, IF(HEAD), NEVER},
    {OP(LOSS), OF(VOCAB), BY(TP), 0, 4, {0}, IF(HEAD), NEVER}, /* fp32 exponentials, in place */
    {OP(LOSS), OF(TOKEN), BY(NONE), 0, 9, {0}, IF(HEAD), NEVER}, /* 64-bit labels, their mask */
};
/* clang-format on */
const uint32_t dtci_saved_local_count = sizeof dtci_saved_local / sizeof dtci_saved_local[0];

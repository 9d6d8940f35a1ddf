/* What each operator of Hugging Face's modules keeps for backward: one row per saved tensor.
 *
 * bytes as in operators_megatron.c. Each elementwise step keeps its own result, and RMSNorm an fp32 copy of its input. A
 * linear layer or norm whose weights are frozen keeps nothing for their gradients; adapters (peft) keep what they read: once
 * for all, or with dropout and under autocast a copy each. torch.compile (COMPILED) computes elementwise steps anew. */
#include "internal/operators.h"

#define OP(x) DTC_OPERATOR_##x
#define ANY 0
#define NEVER 0
#define CORE_ATTN DTCI_MODULE_CORE_ATTN
#define FROZEN DTCI_MODULE_FROZEN
#define COMPILED DTCI_MODULE_INDUCTOR

/* clang-format off */
const dtci_saved_row dtci_saved_hf[] = {
    /* op, basis, shard, per_value, bytes, needs, modules whose recomputation, or FROZEN weights, drop it */
    {OP(NORM), DTCI_OF_NORMS_H, DTCI_SHARD_SP, 0, 2, {0}, DTCI_IF_RMSNORM, NEVER}, /* input */
    {OP(NORM), DTCI_OF_NORMS_H, DTCI_SHARD_SP, 0, 2, {0}, DTCI_IF_RMSNORM | DTCI_IF_UNCAST, COMPILED}, /* cast to fp32 */
    {OP(NORM), DTCI_OF_NORMS_H, DTCI_SHARD_SP, 0, 2, {0}, DTCI_IF_RMSNORM | DTCI_IF_AUTOCAST, NEVER}, /* which is fp32 */
    {OP(NORM), DTCI_OF_NORMS_H, DTCI_SHARD_SP, 1, 0, {0}, DTCI_IF_RMSNORM, FROZEN | COMPILED}, /* normalised; autocast: fp32 with the next */
    {OP(NORM), DTCI_OF_NORMS_H, DTCI_SHARD_SP, 1, 0, {0}, DTCI_IF_RMSNORM, FROZEN}, /* output */
    {OP(NORM), DTCI_OF_NORMS, DTCI_SHARD_SP, 0, 4, {0}, DTCI_IF_RMSNORM, NEVER}, /* reciprocal root mean square */
    {OP(NORM), DTCI_OF_NORMS_H, DTCI_SHARD_SP, 1, 0, {0}, DTCI_IF_LAYERNORM, NEVER}, /* input */
    {OP(NORM), DTCI_OF_NORMS_H, DTCI_SHARD_SP, 1, 0, {0}, DTCI_IF_LAYERNORM | DTCI_IF_AUTOCAST, NEVER}, /* which is fp32 */
    {OP(NORM), DTCI_OF_NORMS_H, DTCI_SHARD_SP, 1, 0, {0}, DTCI_IF_LAYERNORM | DTCI_IF_UNCAST, FROZEN}, /* output */
    {OP(NORM), DTCI_OF_NORMS, DTCI_SHARD_SP, 0, 8, {0}, DTCI_IF_LAYERNORM, NEVER}, /* mean and reciprocal deviation */

    {OP(QKV), DTCI_OF_Q, DTCI_SHARD_TP, 1, 0, {0}, DTCI_IF_MHA | DTCI_IF_QKV, NEVER},
    {OP(QKV), DTCI_OF_KV, DTCI_SHARD_TP, 2, 0, {0}, DTCI_IF_MHA | DTCI_IF_QKV, NEVER},
    {OP(QKV), DTCI_OF_Q_RANK, DTCI_SHARD_NONE, 1, 0, {0}, DTCI_IF_MLA, NEVER}, /* gathered, so never sharded */
    {OP(QKV), DTCI_OF_Q_RANK, DTCI_SHARD_SP, 1, 0, {0}, DTCI_IF_MLA, NEVER},
    {OP(QKV), DTCI_OF_KV_RANK, DTCI_SHARD_SP, 2, 0, {0}, DTCI_IF_MLA, NEVER},
    {OP(QKV), DTCI_OF_QK_MLA, DTCI_SHARD_TP, 2, 0, {0}, DTCI_IF_MLA, NEVER},
    {OP(QKV), DTCI_OF_V_MLA, DTCI_SHARD_TP, 1, 0, {0}, DTCI_IF_MLA, NEVER},
    {OP(QKV), DTCI_OF_ONE_QKV, DTCI_SHARD_TP, 1, 0, {0}, DTCI_IF_MHA, NEVER}, /* of the projection that value is a view of */
    {OP(QKV), DTCI_OF_READ_QKV, DTCI_SHARD_SP, 0, 2, {0}, DTCI_IF_MHA | DTCI_IF_AUTOCAST, FROZEN}, /* cast for each */
    {OP(QKV), DTCI_OF_LORA_QKV, DTCI_SHARD_NONE, 1, 0, {0}, ANY, NEVER},
    {OP(QKV), DTCI_OF_LORA_QKV_MASK, DTCI_SHARD_NONE, 0, 1, {0}, ANY, NEVER},
    {OP(QKV), DTCI_OF_QUANT_QKV, DTCI_SHARD_NONE, 0, 1, {0}, ANY, NEVER},

    {OP(QK_NORM), DTCI_OF_QK, DTCI_SHARD_TP, 0, 4, {0}, DTCI_IF_QK_NORM, NEVER}, /* fp32 input */
    {OP(QK_NORM), DTCI_OF_QK, DTCI_SHARD_TP, 1, 0, {0}, DTCI_IF_QK_NORM, FROZEN}, /* normalised */
    {OP(QK_NORM), DTCI_OF_QK_HEADS, DTCI_SHARD_TP, 0, 4, {0}, DTCI_IF_QK_NORM, NEVER},

    {OP(ATTENTION), DTCI_OF_HEADS, DTCI_SHARD_TP, 0, 4, {0}, DTCI_IF_FLASH, CORE_ATTN}, /* fp32 log-sum-exp */
    {OP(ATTENTION), DTCI_OF_Q, DTCI_SHARD_TP, 0, 12, {0}, DTCI_IF_MHA | DTCI_IF_MATH, NEVER}, /* q, k, v for all heads, scaled, in fp32 */
    {OP(ATTENTION), DTCI_OF_SCORES, DTCI_SHARD_TP, 0, 4, {0}, DTCI_IF_MATH, CORE_ATTN}, /* softmax in fp32 */
    {OP(ATTENTION), DTCI_OF_SCORES, DTCI_SHARD_TP, 0, 5, {0}, DTCI_IF_MATH | DTCI_IF_DROPOUT, CORE_ATTN}, /* dropout's output, mask */
    {OP(ATTENTION), DTCI_OF_SCORES, DTCI_SHARD_TP, 1, 0, {0}, DTCI_IF_EAGER, CORE_ATTN},
    {OP(ATTENTION), DTCI_OF_SCORES, DTCI_SHARD_TP, 0, 4, {0}, DTCI_IF_EAGER | DTCI_IF_FP32_SOFTMAX, CORE_ATTN}, /* softmax in fp32 */
    {OP(ATTENTION), DTCI_OF_SCORES, DTCI_SHARD_TP, 0, 1, {0}, DTCI_IF_EAGER | DTCI_IF_DROPOUT, CORE_ATTN}, /* mask */
    {OP(ATTENTION), DTCI_OF_SCORES, DTCI_SHARD_TP, 1, 0, {0}, DTCI_IF_EAGER | DTCI_IF_DROPOUT | DTCI_IF_UNCAST, CORE_ATTN},
    {OP(ATTENTION), DTCI_OF_KV_REPEATED, DTCI_SHARD_TP, 1, 0, {0}, DTCI_IF_EAGER, CORE_ATTN}, /* k and v repeated to all heads */

    {OP(ATTENTION_OUT), DTCI_OF_Q, DTCI_SHARD_TP, 1, 0, {0}, DTCI_IF_MHA, NEVER},
    {OP(ATTENTION_OUT), DTCI_OF_V_MLA, DTCI_SHARD_TP, 1, 0, {0}, DTCI_IF_MLA, NEVER},
    {OP(ATTENTION_OUT), DTCI_OF_LORA_OUT, DTCI_SHARD_NONE, 1, 0, {0}, ANY, NEVER},
    {OP(ATTENTION_OUT), DTCI_OF_LORA_OUT_MASK, DTCI_SHARD_NONE, 0, 1, {0}, ANY, NEVER},
    {OP(ATTENTION_OUT), DTCI_OF_QUANT_OUT, DTCI_SHARD_NONE, 0, 1, {0}, ANY, NEVER},

    {OP(MLP), DTCI_OF_FFN, DTCI_SHARD_TP, 2, 0, {0}, DTCI_IF_DENSE | DTCI_IF_GATED, NEVER}, /* gate, up */
    {OP(MLP), DTCI_OF_FFN, DTCI_SHARD_TP, 1, 0, {0}, DTCI_IF_DENSE | DTCI_IF_GATED, COMPILED}, /* activation */
    {OP(MLP), DTCI_OF_FFN, DTCI_SHARD_TP, 1, 0, {0}, DTCI_IF_DENSE | DTCI_IF_PLAIN, NEVER},
    {OP(MLP), DTCI_OF_FFN, DTCI_SHARD_TP, 1, 0, {0}, DTCI_IF_DENSE, FROZEN}, /* input of the last linear layer */
    {OP(MLP), DTCI_OF_FFN, DTCI_SHARD_TP, 3, 0, {0}, DTCI_IF_DENSE | DTCI_IF_PLAIN | DTCI_IF_GELU_NEW, NEVER}, /* five steps */

    /* GELU in fp32. */
    {OP(MLP), DTCI_OF_FFN, DTCI_SHARD_TP, 0, 6, {0}, DTCI_IF_DENSE | DTCI_IF_GELU_NEW | DTCI_IF_AUTOCAST, NEVER},
    {OP(MLP), DTCI_OF_READ_MLP, DTCI_SHARD_SP, 0, 2, {0}, DTCI_IF_DENSE | DTCI_IF_AUTOCAST, FROZEN}, /* cast for each */
    {OP(MLP), DTCI_OF_LORA_MLP, DTCI_SHARD_NONE, 1, 0, {0}, DTCI_IF_DENSE, NEVER},
    {OP(MLP), DTCI_OF_LORA_MLP_MASK, DTCI_SHARD_NONE, 0, 1, {0}, DTCI_IF_DENSE, NEVER},
    {OP(MLP), DTCI_OF_QUANT_MLP, DTCI_SHARD_NONE, 0, 1, {0}, DTCI_IF_DENSE, NEVER},

    {OP(ROUTER), DTCI_OF_ROUTES, DTCI_SHARD_SP, 0, 4, {0}, DTCI_IF_MOE, NEVER}, /* row map: (2 E + 1) */
    {OP(EXPERTS), DTCI_OF_ROWS_H, DTCI_SHARD_ETP, 1, 0, {0}, DTCI_IF_MOE, FROZEN}, /* permuted input */
    {OP(EXPERTS), DTCI_OF_ROWS_H, DTCI_SHARD_ETP, 1, 0, {0}, DTCI_IF_MOE, NEVER}, /* result */
    {OP(EXPERTS), DTCI_OF_ROWS_FFN, DTCI_SHARD_SP, 3, 0, {0}, DTCI_IF_MOE, NEVER},
    {OP(EXPERTS), DTCI_OF_ROWS_FFN, DTCI_SHARD_SP, 1, 0, {0}, DTCI_IF_MOE, FROZEN},
    {OP(SHARED_EXPERTS), DTCI_OF_SHARED_FFN, DTCI_SHARD_TP, 3, 0, {0}, DTCI_IF_MOE, NEVER},
    {OP(SHARED_EXPERTS), DTCI_OF_SHARED_FFN, DTCI_SHARD_TP, 1, 0, {0}, DTCI_IF_MOE, FROZEN},

    {OP(DROPOUT), DTCI_OF_HIDDEN, DTCI_SHARD_SP, 0, 2, {0}, DTCI_IF_DROPOUT, NEVER}, /* two masks of a byte */

    {OP(HEAD), DTCI_OF_HIDDEN, DTCI_SHARD_SP, 2, 0, {0}, DTCI_IF_HEAD | DTCI_IF_RMSNORM, FROZEN}, /* final norm, as above */
    {OP(HEAD), DTCI_OF_HIDDEN, DTCI_SHARD_SP, 1, 0, {0}, DTCI_IF_HEAD | DTCI_IF_LAYERNORM, NEVER},
    {OP(HEAD), DTCI_OF_HIDDEN, DTCI_SHARD_SP, 1, 0, {0}, DTCI_IF_HEAD | DTCI_IF_LAYERNORM | DTCI_IF_AUTOCAST, NEVER},
    {OP(HEAD), DTCI_OF_HIDDEN, DTCI_SHARD_SP, 1, 0, {0}, DTCI_IF_HEAD | DTCI_IF_LAYERNORM | DTCI_IF_UNCAST, FROZEN},
    {OP(HEAD), DTCI_OF_HIDDEN, DTCI_SHARD_SP, 0, 4, {0}, DTCI_IF_HEAD | DTCI_IF_RMSNORM, NEVER},
    {OP(HEAD), DTCI_OF_HIDDEN, DTCI_SHARD_SP, 0, 2, {0}, DTCI_IF_HEAD | DTCI_IF_AUTOCAST, FROZEN}, /* cast */
    {OP(HEAD), DTCI_OF_TOKEN, DTCI_SHARD_SP, 0, 4, {0}, DTCI_IF_HEAD | DTCI_IF_RMSNORM, NEVER},
    {OP(HEAD), DTCI_OF_TOKEN, DTCI_SHARD_SP, 0, 8, {0}, DTCI_IF_HEAD | DTCI_IF_LAYERNORM, NEVER},
    {OP(LOSS), DTCI_OF_TOKEN, DTCI_SHARD_NONE, 0, 8, {0}, DTCI_IF_HEAD, NEVER}, /* labels */
    {OP(LOSS), DTCI_OF_VOCAB, DTCI_SHARD_TP, 0, 4, {0}, DTCI_IF_HEAD | DTCI_IF_LOSS_UPCAST, NEVER}, /* fp32 log-probabilities */
    {OP(LOSS), DTCI_OF_VOCAB, DTCI_SHARD_TP, 1, 0, {0}, DTCI_IF_HEAD | DTCI_IF_LOSS_SAME, NEVER}, /* log-probabilities, or logits */
    {OP(LOSS), DTCI_OF_VOCAB, DTCI_SHARD_TP, 0, 4, {0}, DTCI_IF_HEAD | DTCI_IF_LOSS_PARTS | DTCI_IF_AUTOCAST, NEVER}, /* cast for the loss */
};
/* clang-format on */
const uint32_t dtci_saved_hf_count = sizeof dtci_saved_hf / sizeof dtci_saved_hf[0];

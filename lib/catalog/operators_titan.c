/* What each operator of TorchTitan's modules keeps for backward: one row per saved tensor.
 *
 * bytes as in operators_megatron.c. PyTorch's RMSNorm, and the rows of the rotary table gathered in every layer. */
#include "internal/operators.h"

#define OP(x) DTC_OPERATOR_##x
#define ANY 0
#define NEVER 0
#define CORE_ATTN DTCI_MODULE_CORE_ATTN
#define POLICY DTCI_MODULE_POLICY
#define UNFUSED DTCI_MODULE_UNFUSED
#define COMPILED DTCI_MODULE_COMPILED

/* clang-format off */
const dtci_saved_row dtci_saved_titan[] = {
    /* op, basis, shard, per_value, bytes, needs, modules whose recomputation drops it */
    {OP(NORM), DTCI_OF_HIDDEN, DTCI_SHARD_SP, 1, 0, {0}, DTCI_IF_RMSNORM, NEVER}, /* the block's input */
    {OP(NORM), DTCI_OF_NORMS_REST, DTCI_SHARD_SP, 1, 0, {0}, DTCI_IF_RMSNORM, COMPILED}, /* inputs of the other norms; policy: result of the MLP's last product */
    {OP(NORM), DTCI_OF_NORMS_H, DTCI_SHARD_NONE, 1, 0, {0}, DTCI_IF_RMSNORM, POLICY}, /* the linear layers' input, gathered */
    {OP(NORM), DTCI_OF_NORMS_H, DTCI_SHARD_SP, 0, 6, {0}, DTCI_IF_RMSNORM | DTCI_IF_NORM_STEPS, POLICY}, /* fp32 input, normalised */
    {OP(NORM), DTCI_OF_NORMS, DTCI_SHARD_SP, 0, 4, {0}, DTCI_IF_RMSNORM, POLICY}, /* reciprocal root mean square */
    {OP(NORM), DTCI_OF_NORMS_H, DTCI_SHARD_SP, 2, 0, {0}, DTCI_IF_LAYERNORM, POLICY}, /* autocast: fp32 input alone */
    {OP(NORM), DTCI_OF_NORMS_H, DTCI_SHARD_SP, 0, 2, {0}, DTCI_IF_RMSNORM | DTCI_IF_AUTOCAST, NEVER}, /* fp32 input */
    {OP(NORM), DTCI_OF_NORMS, DTCI_SHARD_SP, 0, 8, {0}, DTCI_IF_LAYERNORM, POLICY}, /* mean and reciprocal deviation */

    /* Query, key, value, also with a kernel that computes in 16 bit whatever comes in. */
    {OP(QKV), DTCI_OF_Q, DTCI_SHARD_TP, 0, 2, {0}, DTCI_IF_MHA | DTCI_IF_QKV, NEVER},
    {OP(QKV), DTCI_OF_KV, DTCI_SHARD_TP, 0, 2, {0}, DTCI_IF_MHA | DTCI_IF_QKV, NEVER},
    {OP(QKV), DTCI_OF_KV, DTCI_SHARD_TP, 0, 2, {0}, DTCI_IF_MHA | DTCI_IF_QKV, UNFUSED},
    {OP(QKV), DTCI_OF_Q_RANK, DTCI_SHARD_NONE, 1, 0, {0}, DTCI_IF_MLA, POLICY}, /* gathered, so never sharded */
    {OP(QKV), DTCI_OF_Q_RANK, DTCI_SHARD_SP, 1, 0, {0}, DTCI_IF_MLA, NEVER},
    {OP(QKV), DTCI_OF_KV_RANK, DTCI_SHARD_SP, 2, 0, {0}, DTCI_IF_MLA, POLICY},
    {OP(QKV), DTCI_OF_QK_MLA, DTCI_SHARD_TP, 2, 0, {0}, DTCI_IF_MLA, NEVER},
    {OP(QKV), DTCI_OF_V_MLA, DTCI_SHARD_TP, 1, 0, {0}, DTCI_IF_MLA, POLICY},
    {OP(QKV), DTCI_OF_ROPE, DTCI_SHARD_NONE, 0, 4, {0}, ANY, POLICY}, /* rows of the rotary table */

    {OP(QK_NORM), DTCI_OF_QK, DTCI_SHARD_TP, 1, 0, {0}, DTCI_IF_QK_NORM, POLICY},
    {OP(QK_NORM), DTCI_OF_QK, DTCI_SHARD_TP, 0, 2, {0}, DTCI_IF_QK_NORM | DTCI_IF_AUTOCAST, POLICY}, /* fp32 input */
    {OP(QK_NORM), DTCI_OF_QK_HEADS, DTCI_SHARD_TP, 0, 4, {0}, DTCI_IF_QK_NORM, POLICY},

    {OP(ATTENTION), DTCI_OF_HEADS, DTCI_SHARD_TP, 0, 4, {0}, DTCI_IF_FLASH, CORE_ATTN}, /* fp32 log-sum-exp */
    {OP(ATTENTION), DTCI_OF_Q, DTCI_SHARD_TP, 0, 12, {0}, DTCI_IF_MHA | DTCI_IF_MATH, CORE_ATTN | POLICY}, /* PyTorch's own, as in operators_hf.c */
    {OP(ATTENTION), DTCI_OF_SCORES, DTCI_SHARD_TP, 0, 4, {0}, DTCI_IF_MATH, CORE_ATTN | POLICY},
    {OP(ATTENTION), DTCI_OF_SCORES, DTCI_SHARD_TP, 0, 5, {0}, DTCI_IF_MATH | DTCI_IF_DROPOUT, CORE_ATTN | POLICY},
    {OP(ATTENTION), DTCI_OF_SCORES, DTCI_SHARD_TP, 1, 0, {0}, DTCI_IF_EAGER, CORE_ATTN | POLICY},
    {OP(ATTENTION), DTCI_OF_SCORES, DTCI_SHARD_TP, 0, 4, {0}, DTCI_IF_EAGER | DTCI_IF_FP32_SOFTMAX, CORE_ATTN | POLICY}, /* softmax in fp32 */
    {OP(ATTENTION), DTCI_OF_SCORES, DTCI_SHARD_TP, 0, 1, {0}, DTCI_IF_EAGER | DTCI_IF_DROPOUT, CORE_ATTN | POLICY}, /* mask */
    {OP(ATTENTION), DTCI_OF_SCORES, DTCI_SHARD_TP, 1, 0, {0}, DTCI_IF_EAGER | DTCI_IF_DROPOUT | DTCI_IF_UNCAST, CORE_ATTN | POLICY},
    {OP(ATTENTION), DTCI_OF_KV_REPEATED, DTCI_SHARD_TP, 1, 0, {0}, DTCI_IF_EAGER, CORE_ATTN | POLICY}, /* k and v repeated to all heads */

    {OP(ATTENTION_OUT), DTCI_OF_Q, DTCI_SHARD_TP, 0, 2, {0}, DTCI_IF_MHA, NEVER},
    {OP(ATTENTION_OUT), DTCI_OF_Q, DTCI_SHARD_TP, 0, 4, {0}, DTCI_IF_MHA | DTCI_IF_FP32, POLICY}, /* cast back */
    {OP(ATTENTION_OUT), DTCI_OF_Q, DTCI_SHARD_TP, 0, 2, {0}, DTCI_IF_MHA | DTCI_IF_VARLEN | DTCI_IF_AUTOCAST | DTCI_IF_QK_NORM, POLICY}, /* cast back and again */
    {OP(ATTENTION_OUT), DTCI_OF_V_MLA, DTCI_SHARD_TP, 1, 0, {0}, DTCI_IF_MLA, NEVER},

    {OP(MLP), DTCI_OF_FFN, DTCI_SHARD_TP, 1, 0, {0}, DTCI_IF_DENSE, NEVER}, /* result of the first product */
    {OP(MLP), DTCI_OF_FFN, DTCI_SHARD_TP, 3, 0, {0}, DTCI_IF_DENSE | DTCI_IF_GATED, POLICY}, /* activation, up, product */
    {OP(MLP), DTCI_OF_FFN, DTCI_SHARD_TP, 1, 0, {0}, DTCI_IF_DENSE | DTCI_IF_PLAIN, POLICY},
    {OP(MLP), DTCI_OF_HIDDEN, DTCI_SHARD_SP, 0, 2, {0}, DTCI_IF_DENSE | DTCI_IF_GATED | DTCI_IF_AUTOCAST, NEVER}, /* cast for each of two */

    {OP(ROUTER), DTCI_OF_ROUTES, DTCI_SHARD_SP, 0, 4, {0}, DTCI_IF_MOE, NEVER}, /* row map: (2 E + 1) */
    {OP(EXPERTS), DTCI_OF_ROWS_H, DTCI_SHARD_ETP, 1, 0, {0}, DTCI_IF_MOE, NEVER}, /* permuted input */
    {OP(EXPERTS), DTCI_OF_ROWS_FFN, DTCI_SHARD_SP, 4, 0, {0}, DTCI_IF_MOE, NEVER},
    {OP(SHARED_EXPERTS), DTCI_OF_SHARED_FFN, DTCI_SHARD_TP, 4, 0, {0}, DTCI_IF_MOE, NEVER},

    {OP(DROPOUT), DTCI_OF_HIDDEN, DTCI_SHARD_SP, 0, 2, {0}, DTCI_IF_DROPOUT, NEVER}, /* two masks of a byte */

    {OP(HEAD), DTCI_OF_HIDDEN, DTCI_SHARD_SP, 1, 0, {0}, DTCI_IF_HEAD, NEVER}, /* final norm: input and output */
    {OP(HEAD), DTCI_OF_HIDDEN, DTCI_SHARD_NONE, 1, 0, {0}, DTCI_IF_HEAD, NEVER}, /* gathered */
    {OP(HEAD), DTCI_OF_HIDDEN, DTCI_SHARD_SP, 0, 2, {0}, DTCI_IF_HEAD | DTCI_IF_AUTOCAST, NEVER}, /* cast */
    {OP(HEAD), DTCI_OF_TOKEN, DTCI_SHARD_SP, 0, 4, {0}, DTCI_IF_HEAD | DTCI_IF_RMSNORM, NEVER},
    {OP(HEAD), DTCI_OF_TOKEN, DTCI_SHARD_SP, 0, 8, {0}, DTCI_IF_HEAD | DTCI_IF_LAYERNORM, NEVER},
    {OP(LOSS), DTCI_OF_TOKEN, DTCI_SHARD_NONE, 0, 8, {0}, DTCI_IF_HEAD, NEVER}, /* labels */
    {OP(LOSS), DTCI_OF_VOCAB, DTCI_SHARD_TP, 0, 4, {0}, DTCI_IF_HEAD | DTCI_IF_LOSS_UPCAST, NEVER}, /* fp32 log-probabilities */
    {OP(LOSS), DTCI_OF_VOCAB, DTCI_SHARD_TP, 1, 0, {0}, DTCI_IF_HEAD | DTCI_IF_LOSS_SAME, NEVER}, /* log-probabilities, or logits */
    {OP(LOSS), DTCI_OF_VOCAB, DTCI_SHARD_TP, 0, 4, {0}, DTCI_IF_HEAD | DTCI_IF_LOSS_PARTS | DTCI_IF_AUTOCAST, NEVER}, /* cast for the loss */
};
/* clang-format on */
const uint32_t dtci_saved_titan_count = sizeof dtci_saved_titan / sizeof dtci_saved_titan[0];

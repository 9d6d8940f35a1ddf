/* What each operator of Aleph Alpha's scaling keeps for backward: one row per saved tensor.
 *
 * bytes as in operators_megatron.c. Sources: scaling 0.1.0 core/nn (norm/rms_norm.py, rotary.py, attention/attention.py,
 * masked_softmax, mlp.py: no kernel but FlashAttention's joins two steps); bytes of a norm in PyTorch's steps, of copies
 * around attention and of a score: set on the 638 published runs of arXiv 2311.05610, of an earlier version. */
#include "internal/operators.h"

#define OP(x) DTC_OPERATOR_##x
#define ANY 0
#define NEVER 0

/* clang-format off */
const dtci_saved_row dtci_saved_scaling[] = {
    /* op, basis, shard, per_value, bytes, needs, modules whose recomputation drops it */
    {OP(NORM), DTCI_OF_HIDDEN, DTCI_SHARD_SP, 4, 0, {0}, ANY, NEVER}, /* of two norms: inputs and outputs */
    {OP(NORM), DTCI_OF_HIDDEN, DTCI_SHARD_SP, 0, 16, {0}, DTCI_IF_NORM_STEPS, NEVER}, /* .. fp32 input, normalised in fp32 */

    {OP(QKV), DTCI_OF_Q, DTCI_SHARD_TP, 1, 0, {0}, ANY, NEVER},
    {OP(QKV), DTCI_OF_KV, DTCI_SHARD_TP, 2, 0, {0}, ANY, NEVER},
    {OP(QKV), DTCI_OF_HIDDEN, DTCI_SHARD_TP, 0, 12, {0}, ANY, NEVER}, /* rotated, and laid out for the kernel */
    {OP(ATTENTION), DTCI_OF_HEADS, DTCI_SHARD_TP, 0, 4, {0}, DTCI_IF_FLASH, NEVER}, /* fp32 log-sum-exp */
    {OP(ATTENTION), DTCI_OF_SCORES, DTCI_SHARD_TP, 0, 5, {0}, DTCI_IF_EAGER, NEVER}, /* Megatron's fused softmax */
    {OP(ATTENTION), DTCI_OF_SCORES, DTCI_SHARD_TP, 0, 3, {0}, DTCI_IF_EAGER | DTCI_IF_SOFTMAX_STEPS, NEVER}, /* .. PyTorch's */
    {OP(ATTENTION_OUT), DTCI_OF_Q, DTCI_SHARD_TP, 1, 0, {0}, ANY, NEVER},

    {OP(MLP), DTCI_OF_FFN, DTCI_SHARD_TP, 4, 0, {0}, DTCI_IF_DENSE | DTCI_IF_GATED, NEVER}, /* gate, activation, up, product */
    {OP(MLP), DTCI_OF_FFN, DTCI_SHARD_TP, 2, 0, {0}, DTCI_IF_DENSE | DTCI_IF_PLAIN, NEVER},

    {OP(DROPOUT), DTCI_OF_HIDDEN, DTCI_SHARD_SP, 0, 2, {0}, DTCI_IF_DROPOUT, NEVER}, /* two masks of a byte */
    {OP(HEAD), DTCI_OF_HIDDEN, DTCI_SHARD_SP, 2, 0, {0}, DTCI_IF_HEAD, NEVER}, /* final norm: input and output */
};
/* clang-format on */
const uint32_t dtci_saved_scaling_count = sizeof dtci_saved_scaling / sizeof dtci_saved_scaling[0];

/* What each operator keeps for backward: one row per saved tensor.
 *
 * bytes = (per_value * e + bytes) * basis * T / shard, with e bytes of an activation, T tokens of a micro-batch on a rank.
 * TE form: Megatron-Core with Transformer Engine, read off the saved tensors of its modules and checked against measured
 * peaks (doc/formulas/memory.md). HF form: the modules of Hugging Face transformers in bf16 or fp32, where each
 * elementwise step keeps its own result and RMSNorm an fp32 copy of its input. TT form: the modules of TorchTitan, with
 * PyTorch's RMSNorm, and the rows of its rotary table gathered in every layer. */
#include "internal/operators.h"

#define TE DTCI_FORM_TE
#define HF DTCI_FORM_HF
#define TT DTCI_FORM_TT
#define ALL (TE | HF | TT)
#define OP(x) DTC_OPERATOR_##x
#define ANY 0

/* clang-format off */
const dtci_saved_row dtci_saved_rows[] = {
    /* op, form, basis, shard, per_value, bytes, needs, dropped by selective recompute */
    {OP(NORM), TE, DTCI_OF_NORMS_H, DTCI_SHARD_SP, 2, 0, ANY, 0}, /* inputs and outputs */
    {OP(NORM), HF, DTCI_OF_NORMS_H, DTCI_SHARD_SP, 2, 4, DTCI_IF_RMSNORM, 0}, /* fp32 input, normalised, output; autocast: fp32 both, no output */
    {OP(NORM), TT, DTCI_OF_NORMS_H, DTCI_SHARD_SP, 1, 0, DTCI_IF_RMSNORM, 0},
    {OP(NORM), TT, DTCI_OF_NORMS_H, DTCI_SHARD_NONE, 1, 0, DTCI_IF_RMSNORM, 0}, /* the linear layers' input, gathered */
    {OP(NORM), HF | TT, DTCI_OF_NORMS, DTCI_SHARD_SP, 0, 4, DTCI_IF_RMSNORM, 0}, /* reciprocal root mean square */
    {OP(NORM), HF | TT, DTCI_OF_NORMS_H, DTCI_SHARD_SP, 2, 0, DTCI_IF_LAYERNORM, 0}, /* autocast: fp32 input alone */
    {OP(NORM), TT, DTCI_OF_NORMS_H, DTCI_SHARD_SP, 0, 2, DTCI_IF_RMSNORM | DTCI_IF_AUTOCAST, 0}, /* fp32 input */
    {OP(NORM), HF | TT, DTCI_OF_NORMS, DTCI_SHARD_SP, 0, 8, DTCI_IF_LAYERNORM, 0}, /* mean and reciprocal deviation */

    {OP(QKV), ALL, DTCI_OF_Q, DTCI_SHARD_TP, 1, 0, DTCI_IF_MHA, 0},
    {OP(QKV), ALL, DTCI_OF_KV, DTCI_SHARD_TP, 2, 0, DTCI_IF_MHA, 0},
    {OP(QKV), ALL, DTCI_OF_Q_RANK, DTCI_SHARD_NONE, 1, 0, DTCI_IF_MLA, 0}, /* gathered, so never sharded */
    {OP(QKV), ALL, DTCI_OF_Q_RANK, DTCI_SHARD_SP, 1, 0, DTCI_IF_MLA, 0},
    {OP(QKV), ALL, DTCI_OF_KV_RANK, DTCI_SHARD_SP, 2, 0, DTCI_IF_MLA, 0},
    {OP(QKV), ALL, DTCI_OF_QK_MLA, DTCI_SHARD_TP, 2, 0, DTCI_IF_MLA, 0},
    {OP(QKV), ALL, DTCI_OF_V_MLA, DTCI_SHARD_TP, 1, 0, DTCI_IF_MLA, 0},
    {OP(QKV), HF, DTCI_OF_READ_QKV, DTCI_SHARD_SP, 0, 2, DTCI_IF_MHA | DTCI_IF_AUTOCAST, 0}, /* cast for each */
    {OP(QKV), TT, DTCI_OF_ROPE, DTCI_SHARD_NONE, 0, 4, ANY, 0}, /* rows of the rotary table */

    {OP(QK_NORM), TE | TT, DTCI_OF_QK, DTCI_SHARD_TP, 1, 0, DTCI_IF_QK_NORM, 0},
    {OP(QK_NORM), HF, DTCI_OF_QK, DTCI_SHARD_TP, 1, 4, DTCI_IF_QK_NORM, 0},
    {OP(QK_NORM), TT, DTCI_OF_QK, DTCI_SHARD_TP, 0, 2, DTCI_IF_QK_NORM | DTCI_IF_AUTOCAST, 0}, /* fp32 input */
    {OP(QK_NORM), HF | TT, DTCI_OF_QK_HEADS, DTCI_SHARD_TP, 0, 4, DTCI_IF_QK_NORM, 0},

    {OP(ATTENTION), ALL, DTCI_OF_HEADS, DTCI_SHARD_TP, 0, 4, DTCI_IF_FLASH, 1}, /* fp32 log-sum-exp */
    {OP(ATTENTION), TE, DTCI_OF_Q, DTCI_SHARD_TP, 1, 0, DTCI_IF_FLASH | DTCI_IF_CP | DTCI_IF_MHA, 1},
    {OP(ATTENTION), TE, DTCI_OF_V_MLA, DTCI_SHARD_TP, 1, 0, DTCI_IF_FLASH | DTCI_IF_CP | DTCI_IF_MLA, 1}, /* the kernel's own layout */
    {OP(ATTENTION), TE, DTCI_OF_SCORES, DTCI_SHARD_TP, 1, 0, DTCI_IF_EAGER, 1},
    {OP(ATTENTION), HF | TT, DTCI_OF_SCORES, DTCI_SHARD_TP, 1, 0, DTCI_IF_EAGER, 1},
    {OP(ATTENTION), HF | TT, DTCI_OF_SCORES, DTCI_SHARD_TP, 0, 4, DTCI_IF_EAGER | DTCI_IF_FP32_SOFTMAX, 1}, /* softmax in fp32 */
    {OP(ATTENTION), ALL, DTCI_OF_SCORES, DTCI_SHARD_TP, 0, 1, DTCI_IF_EAGER | DTCI_IF_DROPOUT, 1}, /* mask */
    {OP(ATTENTION), ALL, DTCI_OF_SCORES, DTCI_SHARD_TP, 1, 0, DTCI_IF_EAGER | DTCI_IF_DROPOUT | DTCI_IF_UNCAST, 1},
    {OP(ATTENTION), ALL, DTCI_OF_KV_REPEATED, DTCI_SHARD_TP, 1, 0, DTCI_IF_EAGER, 1}, /* k and v repeated to all heads */

    {OP(ATTENTION_OUT), ALL, DTCI_OF_Q, DTCI_SHARD_TP, 1, 0, DTCI_IF_MHA, 0},
    {OP(ATTENTION_OUT), ALL, DTCI_OF_V_MLA, DTCI_SHARD_TP, 1, 0, DTCI_IF_MLA, 0},

    {OP(MLP), TE, DTCI_OF_FFN, DTCI_SHARD_TP, 3, 0, DTCI_IF_DENSE | DTCI_IF_GATED, 0},
    {OP(MLP), TE, DTCI_OF_FFN, DTCI_SHARD_TP, 2, 0, DTCI_IF_DENSE | DTCI_IF_PLAIN, 0},
    {OP(MLP), HF | TT, DTCI_OF_FFN, DTCI_SHARD_TP, 4, 0, DTCI_IF_DENSE | DTCI_IF_GATED, 0}, /* gate, activation, up, product */
    {OP(MLP), HF | TT, DTCI_OF_FFN, DTCI_SHARD_TP, 2, 0, DTCI_IF_DENSE | DTCI_IF_PLAIN, 0},
    {OP(MLP), HF | TT, DTCI_OF_FFN, DTCI_SHARD_TP, 3, 0, DTCI_IF_DENSE | DTCI_IF_PLAIN | DTCI_IF_GELU_NEW, 0}, /* five steps */

    /* GELU in fp32. */
    {OP(MLP), HF, DTCI_OF_FFN, DTCI_SHARD_TP, 0, 6, DTCI_IF_DENSE | DTCI_IF_GELU_NEW | DTCI_IF_AUTOCAST, 0},
    {OP(MLP), HF, DTCI_OF_READ_MLP, DTCI_SHARD_SP, 0, 2, DTCI_IF_DENSE | DTCI_IF_AUTOCAST, 0}, /* cast for each */
    {OP(MLP), TT, DTCI_OF_HIDDEN, DTCI_SHARD_SP, 0, 2, DTCI_IF_DENSE | DTCI_IF_GATED | DTCI_IF_AUTOCAST, 0},

    {OP(ROUTER), ALL, DTCI_OF_ROUTES, DTCI_SHARD_SP, 0, 4, DTCI_IF_MOE, 0}, /* row map: (2 E + 1) */
    {OP(EXPERTS), ALL, DTCI_OF_ROWS_H, DTCI_SHARD_ETP, 1, 0, DTCI_IF_MOE, 0}, /* permuted input */
    {OP(EXPERTS), TE, DTCI_OF_ROWS_H, DTCI_SHARD_ETP, 1, 0, DTCI_IF_MOE | DTCI_IF_ETP, 0},
    {OP(EXPERTS), TE, DTCI_OF_ROWS_FFN, DTCI_SHARD_SP, 3, 0, DTCI_IF_MOE, 0},
    {OP(EXPERTS), HF | TT, DTCI_OF_ROWS_FFN, DTCI_SHARD_SP, 4, 0, DTCI_IF_MOE, 0},
    {OP(SHARED_EXPERTS), TE, DTCI_OF_SHARED_FFN, DTCI_SHARD_TP, 3, 0, DTCI_IF_MOE | DTCI_IF_GATED, 0},
    {OP(SHARED_EXPERTS), TE, DTCI_OF_SHARED_FFN, DTCI_SHARD_TP, 2, 0, DTCI_IF_MOE | DTCI_IF_PLAIN, 0},
    {OP(SHARED_EXPERTS), HF | TT, DTCI_OF_SHARED_FFN, DTCI_SHARD_TP, 4, 0, DTCI_IF_MOE, 0},

    {OP(DROPOUT), ALL, DTCI_OF_HIDDEN, DTCI_SHARD_SP, 0, 2, DTCI_IF_DROPOUT, 0}, /* two masks of a byte */

    {OP(HEAD), ALL, DTCI_OF_HIDDEN, DTCI_SHARD_SP, 1, 0, DTCI_IF_HEAD, 0}, /* final norm: input and output */
    {OP(HEAD), TE | HF, DTCI_OF_HIDDEN, DTCI_SHARD_SP, 1, 0, DTCI_IF_HEAD, 0},
    {OP(HEAD), TT, DTCI_OF_HIDDEN, DTCI_SHARD_NONE, 1, 0, DTCI_IF_HEAD, 0}, /* gathered */
    {OP(HEAD), HF, DTCI_OF_HIDDEN, DTCI_SHARD_SP, 0, 4, DTCI_IF_HEAD | DTCI_IF_RMSNORM, 0},
    {OP(HEAD), HF | TT, DTCI_OF_HIDDEN, DTCI_SHARD_SP, 0, 2, DTCI_IF_HEAD | DTCI_IF_AUTOCAST, 0}, /* cast */
    {OP(HEAD), HF | TT, DTCI_OF_TOKEN, DTCI_SHARD_SP, 0, 4, DTCI_IF_HEAD | DTCI_IF_RMSNORM, 0},
    {OP(HEAD), HF | TT, DTCI_OF_TOKEN, DTCI_SHARD_SP, 0, 8, DTCI_IF_HEAD | DTCI_IF_LAYERNORM, 0},
    {OP(LOSS), HF | TT, DTCI_OF_TOKEN, DTCI_SHARD_NONE, 0, 8, DTCI_IF_HEAD, 0}, /* labels */
    {OP(LOSS), ALL, DTCI_OF_VOCAB, DTCI_SHARD_TP, 0, 4, DTCI_IF_HEAD, 0}, /* fp32 probabilities */
    {OP(LOSS), TT, DTCI_OF_VOCAB, DTCI_SHARD_TP, 0, 4, DTCI_IF_HEAD | DTCI_IF_TP, 0}, /* loss_parallel's own */
};
const uint32_t dtci_saved_rows_count = sizeof dtci_saved_rows / sizeof dtci_saved_rows[0];

/* Forward FLOPs of the matrix products of one token: 2 * a * b * times / shard. */
const dtci_product_row dtci_product_rows[] = {
    {OP(QKV), DTCI_OF_HIDDEN, DTCI_OF_QKV_OUT, 2, DTCI_SHARD_TP, DTCI_IF_MHA},
    {OP(QKV), DTCI_OF_HIDDEN, DTCI_OF_Q_RANK, 2, DTCI_SHARD_SP, DTCI_IF_MLA},
    {OP(QKV), DTCI_OF_Q_IN, DTCI_OF_QK_MLA, 2, DTCI_SHARD_TP, DTCI_IF_MLA},
    {OP(QKV), DTCI_OF_HIDDEN, DTCI_OF_KV_DOWN, 2, DTCI_SHARD_SP, DTCI_IF_MLA},
    {OP(QKV), DTCI_OF_KV_RANK, DTCI_OF_KV_UP, 2, DTCI_SHARD_TP, DTCI_IF_MLA},
    {OP(ATTENTION), DTCI_OF_SEQ, DTCI_OF_QK_V, 1, DTCI_SHARD_TP, ANY}, /* causal half of the square */
    {OP(ATTENTION_OUT), DTCI_OF_HIDDEN, DTCI_OF_Q, 2, DTCI_SHARD_TP, DTCI_IF_MHA},
    {OP(ATTENTION_OUT), DTCI_OF_HIDDEN, DTCI_OF_V_MLA, 2, DTCI_SHARD_TP, DTCI_IF_MLA},
    {OP(MLP), DTCI_OF_HIDDEN, DTCI_OF_FFN, 6, DTCI_SHARD_TP, DTCI_IF_DENSE | DTCI_IF_GATED},
    {OP(MLP), DTCI_OF_HIDDEN, DTCI_OF_FFN, 4, DTCI_SHARD_TP, DTCI_IF_DENSE | DTCI_IF_PLAIN},
    {OP(ROUTER), DTCI_OF_HIDDEN, DTCI_OF_EXPERTS, 2, DTCI_SHARD_SP, DTCI_IF_MOE},
    {OP(EXPERTS), DTCI_OF_HIDDEN, DTCI_OF_ROWS_FFN, 6, DTCI_SHARD_SP, DTCI_IF_MOE | DTCI_IF_GATED},
    {OP(EXPERTS), DTCI_OF_HIDDEN, DTCI_OF_ROWS_FFN, 4, DTCI_SHARD_SP, DTCI_IF_MOE | DTCI_IF_PLAIN},
    {OP(SHARED_EXPERTS), DTCI_OF_HIDDEN, DTCI_OF_SHARED_FFN, 6, DTCI_SHARD_TP, DTCI_IF_MOE | DTCI_IF_GATED},
    {OP(SHARED_EXPERTS), DTCI_OF_HIDDEN, DTCI_OF_SHARED_FFN, 4, DTCI_SHARD_TP, DTCI_IF_MOE | DTCI_IF_PLAIN},
    {OP(SHARED_EXPERTS), DTCI_OF_HIDDEN, DTCI_OF_SHARED_GATE, 2, DTCI_SHARD_SP, DTCI_IF_MOE},
    {OP(HEAD), DTCI_OF_HIDDEN, DTCI_OF_VOCAB, 2, DTCI_SHARD_TP, DTCI_IF_HEAD},
};
const uint32_t dtci_product_rows_count = sizeof dtci_product_rows / sizeof dtci_product_rows[0];
/* clang-format on */

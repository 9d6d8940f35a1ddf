/* What layers move through memory beside their products: bytes per value and pass, counted from the operations.
 *
 * A fused norm reads and writes 16-bit values: 4 forward, and 10 backward with the gradients; by separate fp32 operations
 * of eager PyTorch about 50 and 96; compiled with its neighbours 2 and 4. A residual addition reads two and writes one;
 * with dropout and bias a mask more. Scores of unfused attention: softmax with scale and mask, and dropout. */
#include "internal/step.h"

#define OP(x) DTC_OPERATOR_##x
#define OF(x) DTCI_OF_##x
#define BY(x) DTCI_SHARD_##x
#define IT(x) DTC_STEP_ITEM_##x
#define TX(x) DTCI_STEP_TEXT_##x
#define IF(x) DTCI_IF_##x

/* clang-format off */
const dtci_moved_row dtci_moved_rows[] = {
    /* op, basis, shard, item, text, forward, backward, needs, lacks */
    {OP(NORM), OF(NORMS_H), BY(SP), IT(ELEMENTWISE), TX(NORM), 4, 10, 0, IF(NORM_STEPS) | IF(COMPILED) | IF(HEAD)},
    {OP(NORM), OF(NORMS_H), BY(SP), IT(ELEMENTWISE), TX(NORM), 50, 96, IF(NORM_STEPS) | IF(RMSNORM), IF(COMPILED) | IF(HEAD)},
    {OP(NORM), OF(NORMS_H), BY(SP), IT(ELEMENTWISE), TX(NORM), 4, 10, IF(NORM_STEPS) | IF(LAYERNORM), IF(COMPILED) | IF(HEAD)},
    {OP(NORM), OF(NORMS_H), BY(SP), IT(ELEMENTWISE), TX(NORM), 2, 4, IF(COMPILED), IF(HEAD)},
    {OP(DROPOUT), OF(NORMS_H), BY(SP), IT(ELEMENTWISE), TX(RESIDUAL), 6, 6, 0, IF(DROPOUT) | IF(HEAD)},
    {OP(DROPOUT), OF(NORMS_H), BY(SP), IT(ELEMENTWISE), TX(RESIDUAL), 7, 11, IF(DROPOUT), IF(HEAD)},
    {OP(ATTENTION), OF(HIDDEN), BY(NONE), IT(ELEMENTWISE), TX(UNPAD), 18, 34, IF(UNPADDED), IF(HEAD)},
    {OP(QKV), OF(QKV_OUT), BY(TP), IT(ELEMENTWISE), TX(ROPE), 4, 4, IF(ROPE) | IF(MHA), IF(STEPS) | IF(HEAD)},
    {OP(QKV), OF(QKV_OUT), BY(TP), IT(ELEMENTWISE), TX(ROPE), 16, 16, IF(ROPE) | IF(MHA) | IF(STEPS), IF(HEAD)},
    {OP(QKV), OF(QK_MLA), BY(TP), IT(ELEMENTWISE), TX(ROPE), 4, 4, IF(ROPE) | IF(MLA), IF(HEAD)},
    {OP(MLP), OF(FFN), BY(TP), IT(ELEMENTWISE), TX(ACTIVATION), 6, 10, IF(DENSE) | IF(GATED), IF(STEPS) | IF(HEAD)},
    {OP(MLP), OF(FFN), BY(TP), IT(ELEMENTWISE), TX(ACTIVATION), 10, 18, IF(DENSE) | IF(GATED) | IF(STEPS), IF(HEAD)},
    {OP(MLP), OF(FFN), BY(TP), IT(ELEMENTWISE), TX(ACTIVATION), 4, 6, IF(DENSE) | IF(PLAIN), IF(HEAD)},
    {OP(SHARED_EXPERTS), OF(SHARED_FFN), BY(TP), IT(ELEMENTWISE), TX(ACTIVATION), 6, 10, IF(MOE) | IF(GATED), IF(HEAD)},
    {OP(SHARED_EXPERTS), OF(SHARED_FFN), BY(TP), IT(ELEMENTWISE), TX(ACTIVATION), 4, 6, IF(MOE) | IF(PLAIN), IF(HEAD)},

    /* Scores: beside what the products read and write, 4 and 8. */
    {OP(ATTENTION), OF(SCORES), BY(TP), IT(ATTENTION), TX(SCORES), 4, 6, IF(EAGER), IF(DROPS_SCORES) | IF(HEAD)},
    {OP(ATTENTION), OF(SCORES), BY(TP), IT(ATTENTION), TX(SCORES), 9, 11, IF(EAGER) | IF(DROPS_SCORES), IF(HEAD)},
    {OP(ATTENTION), OF(SCORES), BY(TP), IT(ATTENTION), TX(SCORES), 10, 14, IF(EAGER) | IF(SOFTMAX_STEPS), IF(HEAD)},

    /* Experts: rows are permuted and back; activation times probability. */
    {OP(ROUTER), OF(HIDDEN), BY(PICKS), IT(ELEMENTWISE), TX(PERMUTE), 1, 1, IF(MOE), IF(HEAD)},
    {OP(EXPERTS), OF(MOE_FFN), BY(PICKS), IT(ELEMENTWISE), TX(ACTIVATION), 6, 10, IF(MOE), IF(EXPERT_STEPS) | IF(HEAD)},
    {OP(EXPERTS), OF(MOE_FFN), BY(PICKS), IT(ELEMENTWISE), TX(ACTIVATION), 70, 160, IF(MOE) | IF(EXPERT_STEPS), IF(HEAD)},

    /* fp8 and fp4: inputs of products and gradients are scaled and cast; times the bytes of the recipe. */
    {OP(QKV), OF(HIDDEN), BY(NONE), IT(ELEMENTWISE), TX(SCALING), 1, 1, IF(FP8), IF(HEAD)},
    {OP(QKV), OF(QKV_OUT), BY(TP), IT(ELEMENTWISE), TX(SCALING), 0, 1, IF(FP8) | IF(MHA), IF(HEAD)},
    {OP(QKV), OF(QK_MLA), BY(TP), IT(ELEMENTWISE), TX(SCALING), 0, 1, IF(FP8) | IF(MLA), IF(HEAD)},
    {OP(ATTENTION_OUT), OF(Q), BY(TP), IT(ELEMENTWISE), TX(SCALING), 1, 0, IF(FP8) | IF(MHA), IF(HEAD)},
    {OP(ATTENTION_OUT), OF(V_MLA), BY(TP), IT(ELEMENTWISE), TX(SCALING), 1, 0, IF(FP8) | IF(MLA), IF(HEAD)},
    {OP(MLP), OF(HIDDEN), BY(NONE), IT(ELEMENTWISE), TX(SCALING), 1, 1, IF(FP8) | IF(DENSE), IF(HEAD)},
    {OP(MLP), OF(FFN), BY(TP), IT(ELEMENTWISE), TX(SCALING), 1, 2, IF(FP8) | IF(DENSE) | IF(GATED), IF(HEAD)},
    {OP(MLP), OF(FFN), BY(TP), IT(ELEMENTWISE), TX(SCALING), 1, 1, IF(FP8) | IF(DENSE) | IF(PLAIN), IF(HEAD)},
    {OP(EXPERTS), OF(HIDDEN), BY(PICKS), IT(ELEMENTWISE), TX(SCALING), 1, 1, IF(FP8) | IF(MOE), IF(HEAD)},
    {OP(EXPERTS), OF(MOE_FFN), BY(PICKS), IT(ELEMENTWISE), TX(SCALING), 1, 2, IF(FP8) | IF(MOE), IF(HEAD)},

    /* A Mamba-2 mixer: convolution, scan and gated norm, each reading and writing its input once. */
    {OP(MAMBA), OF(MAMBA_IN), BY(TP), IT(ELEMENTWISE), TX(SCAN), 12, 24, IF(MAMBA), IF(HEAD)},

    {OP(LOSS), OF(VOCAB), BY(TP), IT(HEAD), TX(LOGITS), 1, 1, IF(HEAD), 0},
};
/* clang-format on */
const uint32_t dtci_moved_rows_count = sizeof dtci_moved_rows / sizeof dtci_moved_rows[0];

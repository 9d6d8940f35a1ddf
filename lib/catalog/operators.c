/* Matrix products of the operators. What they keep for backward: operators_megatron.c, operators_hf.c, operators_titan.c. */
#include "internal/operators.h"

#define OP(x) DTC_OPERATOR_##x
#define OF(x) DTCI_OF_##x
#define BY(x) DTCI_SHARD_##x
#define PART(x) DTCI_PART_##x
#define IF(x) DTCI_IF_##x

/* clang-format off */
const dtci_product_row dtci_product_rows[] = {
    /* op, depth, columns, times, shard, part, reserved, needs */
    {OP(QKV), OF(HIDDEN), OF(QKV_OUT), 2, BY(TP), PART(COLUMNS), {0}, IF(MHA)},
    {OP(QKV), OF(HIDDEN), OF(Q_RANK), 2, BY(SP), PART(WHOLE), {0}, IF(MLA)},
    {OP(QKV), OF(Q_IN), OF(QK_MLA), 2, BY(TP), PART(COLUMNS), {0}, IF(MLA)},
    {OP(QKV), OF(HIDDEN), OF(KV_DOWN), 2, BY(SP), PART(WHOLE), {0}, IF(MLA)},
    {OP(QKV), OF(KV_RANK), OF(KV_UP), 2, BY(TP), PART(COLUMNS), {0}, IF(MLA)},
    {OP(ATTENTION), OF(SEQ), OF(QK_V), 1, BY(TP), PART(HEADS), {0}, IF(MHA)}, /* causal half of the square */
    {OP(ATTENTION), OF(SEQ), OF(QK_V), 1, BY(TP), PART(HEADS), {0}, IF(MLA)},
    {OP(ATTENTION_OUT), OF(Q), OF(HIDDEN), 2, BY(TP), PART(DEPTH), {0}, IF(MHA)},
    {OP(ATTENTION_OUT), OF(V_MLA), OF(HIDDEN), 2, BY(TP), PART(DEPTH), {0}, IF(MLA)},
    {OP(MLP), OF(HIDDEN), OF(FFN), 4, BY(TP), PART(COLUMNS), {0}, IF(DENSE) | IF(GATED)},
    {OP(MLP), OF(HIDDEN), OF(FFN), 2, BY(TP), PART(COLUMNS), {0}, IF(DENSE) | IF(PLAIN)},
    {OP(MLP), OF(FFN), OF(HIDDEN), 2, BY(TP), PART(DEPTH), {0}, IF(DENSE)},
    {OP(ROUTER), OF(HIDDEN), OF(EXPERTS), 2, BY(SP), PART(WHOLE), {0}, IF(MOE)},
    {OP(EXPERTS), OF(HIDDEN), OF(MOE_FFN), 4, BY(PICKS), PART(COLUMNS), {0}, IF(MOE) | IF(GATED)},
    {OP(EXPERTS), OF(HIDDEN), OF(MOE_FFN), 2, BY(PICKS), PART(COLUMNS), {0}, IF(MOE) | IF(PLAIN)},
    {OP(EXPERTS), OF(MOE_FFN), OF(HIDDEN), 2, BY(PICKS), PART(DEPTH), {0}, IF(MOE)},
    {OP(SHARED_EXPERTS), OF(HIDDEN), OF(SHARED_FFN), 4, BY(TP), PART(COLUMNS), {0}, IF(MOE) | IF(GATED)},
    {OP(SHARED_EXPERTS), OF(HIDDEN), OF(SHARED_FFN), 2, BY(TP), PART(COLUMNS), {0}, IF(MOE) | IF(PLAIN)},
    {OP(SHARED_EXPERTS), OF(SHARED_FFN), OF(HIDDEN), 2, BY(TP), PART(DEPTH), {0}, IF(MOE)},
    {OP(SHARED_EXPERTS), OF(HIDDEN), OF(SHARED_GATE), 2, BY(SP), PART(WHOLE), {0}, IF(MOE)},
    {OP(QKV), OF(HIDDEN), OF(Q), 2, BY(TP), PART(COLUMNS), {0}, IF(CROSS)},
    {OP(QKV), OF(HIDDEN), OF(KV_HEADS_Q), 2, BY(ENCODER), PART(COLUMNS), {0}, IF(CROSS)},
    {OP(ATTENTION), OF(CROSS_SCORES), OF(HEAD_DIM), 4, BY(TP), PART(HEADS), {0}, IF(CROSS)},
    {OP(ATTENTION_OUT), OF(Q), OF(HIDDEN), 2, BY(TP), PART(DEPTH), {0}, IF(CROSS)},
    {OP(MAMBA), OF(HIDDEN), OF(MAMBA_IN), 2, BY(TP), PART(COLUMNS), {0}, IF(MAMBA)},
    {OP(MAMBA), OF(MAMBA_INNER), OF(HIDDEN), 2, BY(TP), PART(DEPTH), {0}, IF(MAMBA)},
    {OP(HEAD), OF(HIDDEN), OF(VOCAB), 2, BY(TP), PART(COLUMNS), {0}, IF(HEAD)},
};
const uint32_t dtci_product_rows_count = sizeof dtci_product_rows / sizeof dtci_product_rows[0];
/* clang-format on */

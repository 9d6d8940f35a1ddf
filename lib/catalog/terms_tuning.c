/* Fine-tuning: adapters by the linear layers they stand beside, and what lies on a GPU beside the terms of the framework.
 *
 * Sources: peft 0.21 tuners/lora/layer.py (A: in x rank, B: rank x out; targets are named by linear layer, so that a
 * projection of query, key and value in one has one adapter), bitsandbytes 0.50 functional.py (blocks of 64 weights with a
 * scale; a layer's weights are made 16 bit for each use). */
#include "internal/terms_short.h"
#include "internal/tuning.h"

#define FOR(x) (1u << DTC_LORA_TARGETS_##x)
#define ATTENTION (FOR(ATTENTION) | FOR(ALL))
#define MLP (FOR(MLP) | FOR(ALL))
#define DIM(x) DTCI_DIM_##x

/* clang-format off */
const dtci_adapter_row dtci_adapter_rows[] = {
    /* targets, beside, reads, in, out, 0 */
    {FOR(QV) | ATTENTION, DTCI_LORA_SPLIT_QKV, DTCI_READS_QKV, DIM(HIDDEN), DIM(Q), 0},
    {ATTENTION, DTCI_LORA_SPLIT_QKV, DTCI_READS_QKV, DIM(HIDDEN), DIM(KV), 0}, /* key */
    {FOR(QV) | ATTENTION, DTCI_LORA_SPLIT_QKV, DTCI_READS_QKV, DIM(HIDDEN), DIM(KV), 0}, /* value */
    {FOR(QV) | ATTENTION, DTCI_LORA_ONE_QKV, DTCI_READS_QKV, DIM(HIDDEN), DIM(QKV), 0},
    {ATTENTION, 0, DTCI_READS_OUT, DIM(Q), DIM(HIDDEN), 0},
    {MLP, DTCI_LORA_SPLIT_MLP, DTCI_READS_MLP, DIM(HIDDEN), DIM(FFN), 0}, /* gate */
    {MLP, DTCI_LORA_SPLIT_MLP, DTCI_READS_MLP, DIM(HIDDEN), DIM(FFN), 0}, /* up */
    {MLP, DTCI_LORA_ONE_MLP, DTCI_READS_MLP, DIM(HIDDEN), DIM(FFN_IN), 0},
    {MLP, DTCI_LORA_PLAIN_MLP, DTCI_READS_MLP, DIM(HIDDEN), DIM(FFN), 0},
    {MLP, 0, DTCI_READS_DOWN, DIM(FFN), DIM(HIDDEN), 0},
};
const uint32_t dtci_adapter_rows_count = sizeof dtci_adapter_rows / sizeof dtci_adapter_rows[0];

const dtci_term dtci_terms_tuning[] = {
    /* text, item, unit, shard, per_value, bytes, moments, needs, never */
    {TEXT(FROZEN_4), ITEM(WEIGHTS), U(FOUR_BIT), BY(NONE), 0, 1, ALWAYS, WHEN(QLORA), 0},
    {TEXT(LINEAR_16), ITEM(TRANSIENT), U(LARGEST_LINEAR), BY(NONE), 1, 0, AT(BACKWARD) | AT(END), WHEN(QLORA), 0},
};
/* clang-format on */
const uint32_t dtci_terms_tuning_count = sizeof dtci_terms_tuning / sizeof dtci_terms_tuning[0];

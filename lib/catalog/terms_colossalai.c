/* Terms of ColossalAI: low-level ZeRO (zero1, zero2) and Gemini (zero3), with Hugging Face's modules.
 * Sources: ColossalAI 4f9953be zero/low_level/low_level_optim.py (gradients reduced bucket by bucket, parts cast to fp32
 * for the step, gathered in buckets), zero/gemini (gradients take the place of the weights in their chunk unless several
 * micro-batches are added up; a chunk is gathered for use while the next comes). */
#include "internal/terms_short.h"

#define GEMINI WHEN(SHARDS_WEIGHTS)

/* clang-format off */
const dtci_term dtci_terms_colossalai[] = {
    /* text, item, unit, shard, per_value, bytes, moments, needs, never */
    {TEXT(GRADIENTS), ITEM(GRADIENTS), U(GRADIENTS), BY(NONE), 0, 1, MADE, 0, ADDS | GEMINI},
    {TEXT(GRADIENTS), ITEM(GRADIENTS), U(GRADIENTS), BY(NONE), 0, 1, ALWAYS & ~AT(REST), ADDS, GEMINI},
    {TEXT(GRADIENTS_CHUNKS), ITEM(GRADIENTS), U(GRADIENTS), BY(NONE), 0, 1, ALWAYS, ADDS | GEMINI, HOST},
    {TEXT(BUCKET_SENT), ITEM(BUCKETS), U(BUCKET), BY(NONE), 1, 0, REDUCES, ZERO, GEMINI},
    {TEXT(GATHERED_CHUNKS), ITEM(GATHERED), U(CHUNK), BY(NONE), 2, 0, PASSES, GEMINI, 0},
    {TEXT(HEAD_LOSS), ITEM(TRANSIENT), U(HEAD), BY(NONE), 0, 1, AT(LOSS), 0, 0},
    {TEXT(LOGITS_GRADIENTS_32), ITEM(TRANSIENT), U(LOGITS), BY(VOCAB), 0, 8, AT(LOSS), 0, 0},
    {TEXT(LAYER_INPUT), ITEM(TRANSIENT), U(INPUT), BY(NONE), 0, 1, AT(BACKWARD), 0, WHEN(FULL)},
    {TEXT(MLP), ITEM(TRANSIENT), U(TOKENS_F), BY(TP), 2, 0, AT(BACKWARD), WHEN(DENSE), WHEN(FULL)},
    {TEXT(RECOMPUTED), ITEM(TRANSIENT), U(LAYER), BY(NONE), 0, 1, AT(BACKWARD), WHEN(FULL), 0},
    {TEXT(RECOMPUTED_INPUT_BOTH), ITEM(TRANSIENT), U(INPUT), BY(NONE), 0, 2, AT(BACKWARD), WHEN(FULL), 0},
    {TEXT(PART_COPY_32), ITEM(TRANSIENT), U(OWNED), BY(NONE), 0, 4, AT(STEP), 0, GEMINI | HOST | WHEN(FP32)},
    {TEXT(BUCKET_GATHERED), ITEM(TRANSIENT), U(GATHERED), BY(NONE), 1, 0, AT(STEP), ZERO, GEMINI},
};
/* clang-format on */
const uint32_t dtci_terms_colossalai_count = sizeof dtci_terms_colossalai / sizeof dtci_terms_colossalai[0];

/* Terms of ColossalAI: low-level ZeRO (zero1, zero2) and Gemini (zero3), with Hugging Face's modules.
 * Sources: ColossalAI 4f9953be zero/low_level/low_level_optim.py (gradients reduced bucket by bucket, parts cast to fp32
 * for the step, gathered in buckets), zero/gemini (gradients take the place of the weights in their chunk unless several
 * micro-batches are added up; a chunk is gathered for use while the next comes). */
#include "internal/terms_short.h"

#define GEMINI WHEN(SHARDS_WEIGHTS)

/* clang-format off */
const dtci_term dtci_terms_colossalai[] = {
    /* text, item, unit, shard, per_value, bytes, moments, 0, needs, never */
    {"gradients", ITEM(GRADIENTS), U(GRADIENTS), BY(NONE), 0, 1, MADE, 0, 0, ADDS | GEMINI},
    {"gradients", ITEM(GRADIENTS), U(GRADIENTS), BY(NONE), 0, 1, ALWAYS & ~AT(REST), 0, ADDS, GEMINI},
    {"gradients in chunks of their own", ITEM(GRADIENTS), U(GRADIENTS), BY(NONE), 0, 1, ALWAYS, 0, ADDS | GEMINI, HOST},
    {"bucket that is sent", ITEM(BUCKETS), U(BUCKET), BY(NONE), 1, 0, REDUCES, 0, ZERO, GEMINI},
    {"two gathered chunks", ITEM(GATHERED), U(CHUNK), BY(NONE), 2, 0, PASSES, 0, GEMINI, 0},
    {"head and loss, with probabilities in fp32", ITEM(TRANSIENT), U(HEAD), BY(NONE), 0, 1, AT(LOSS), 0, 0, 0},
    {"two gradients of the logits in fp32", ITEM(TRANSIENT), U(LOGITS), BY(VOCAB), 0, 8, AT(LOSS), 0, 0, 0},
    {"gradient of a layer's input", ITEM(TRANSIENT), U(INPUT), BY(NONE), 0, 1, AT(BACKWARD), 0, 0, WHEN(FULL)},
    {"gradients inside the MLP", ITEM(TRANSIENT), U(TOKENS_F), BY(TP), 2, 0, AT(BACKWARD), 0, WHEN(DENSE), WHEN(FULL)},
    {"a recomputed layer", ITEM(TRANSIENT), U(LAYER), BY(NONE), 0, 1, AT(BACKWARD), 0, WHEN(FULL), 0},
    {"input of a recomputed layer and its gradient", ITEM(TRANSIENT), U(INPUT), BY(NONE), 0, 2, AT(BACKWARD), 0, WHEN(FULL), 0},
    {"fp32 copies of the part's gradients", ITEM(TRANSIENT), U(OWNED), BY(NONE), 0, 4, AT(STEP), 0, 0, GEMINI | HOST | WHEN(FP32)},
    {"bucket of gathered weights", ITEM(TRANSIENT), U(GATHERED), BY(NONE), 1, 0, AT(STEP), 0, ZERO, GEMINI},
};
/* clang-format on */
const uint32_t dtci_terms_colossalai_count = sizeof dtci_terms_colossalai / sizeof dtci_terms_colossalai[0];

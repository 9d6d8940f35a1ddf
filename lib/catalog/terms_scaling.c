/* Terms of Aleph Alpha's scaling: ZeRO-1, 1F1B, logits of the whole vocabulary on every tensor parallel rank.
 * Sources: scaling 0.1.0 core/optimizer/optimizer.py and parameter_group.py (gradients are freed behind the step, which casts
 * the part's to fp32; AdamW of PyTorch copies what it steps), transformer/model/losses/cross_entropy.py (logits as they come,
 * in fp32, log-softmax; backward two gradients in fp32). */
#include "internal/terms_short.h"

/* clang-format off */
const dtci_term dtci_terms_scaling[] = {
    /* text, item, unit, shard, per_value, bytes, moments, needs, never */
    {TEXT(GRADIENTS), ITEM(GRADIENTS), U(GRADIENTS), BY(NONE), 0, 1, MADE, 0, ADDS},
    {TEXT(GRADIENTS), ITEM(GRADIENTS), U(GRADIENTS), BY(NONE), 0, 1, DTCI_ALWAYS & ~AT(REST), ADDS, 0},
    {TEXT(HIDDEN_LOSS), ITEM(TRANSIENT), U(INPUT), BY(NONE), 0, 2, AT(LOSS), 0, 0},
    {TEXT(LOGITS_WHOLE), ITEM(TRANSIENT), U(LOGITS), BY(NONE), 1, 16, AT(LOSS), 0, 0},
    {TEXT(LAYER_INPUT), ITEM(TRANSIENT), U(INPUT), BY(NONE), 0, 1, AT(BACKWARD), 0, WHEN(FULL)},
    {TEXT(MLP), ITEM(TRANSIENT), U(TOKENS_F), BY(TP), 2, 0, AT(BACKWARD), 0, WHEN(FULL)},
    {TEXT(RECOMPUTED), ITEM(TRANSIENT), U(LAYER), BY(NONE), 0, 1, AT(BACKWARD), WHEN(FULL), 0},
    {TEXT(RECOMPUTED_INPUT_BOTH), ITEM(TRANSIENT), U(INPUT), BY(NONE), 0, 2, AT(BACKWARD), WHEN(FULL), 0},
    {TEXT(PART_COPY_32), ITEM(TRANSIENT), U(OWNED), BY(NONE), 0, 4, AT(STEP), 0, WHEN(FP32)},
    {TEXT(STEPPED_COPY), ITEM(TRANSIENT), U(OWNED), BY(NONE), 0, 4, AT(STEP), WHEN(FOREACH), 0},
};
/* clang-format on */
const uint32_t dtci_terms_scaling_count = sizeof dtci_terms_scaling / sizeof dtci_terms_scaling[0];

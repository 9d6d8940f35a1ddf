/* Terms of DeepSpeed: ZeRO 1 to 3, BF16_Optimizer, the pipeline engine, with Hugging Face's modules or, for models of arch
 * megatron, Megatron's own (Megatron-DeepSpeed).
 * Sources: DeepSpeed 0.19.8 runtime/zero/stage_1_and_2.py, stage3.py, partitioned_param_coordinator.py,
 * runtime/bf16_optimizer.py, runtime/fp16/fused_optimizer.py, runtime/pipe/engine.py; which gradients are there between
 * micro-batches, behind backward and behind the step: its engines, traced. The second copy of the gradients without the
 * pipeline engine, and 6 or 10 bytes of a logit: nvidia-smi of BigScience's runs. */
#include "internal/terms_short.h"

#define ZERO2 WHEN(SHARDS_GRADIENTS)
#define ZERO3 WHEN(SHARDS_WEIGHTS)
#define OWN WHEN(MEGATRON_LAYERS)
#define BF16 WHEN(BF16_OPTIMIZER)
#define BEHIND (AT(REDUCED) | AT(STEP))

/* clang-format off */
const dtci_term dtci_terms_deepspeed[] = {
    /* text, item, unit, shard, per_value, bytes, moments, needs, never */
    /* Gradients: whole without ZeRO and in the pipeline engine until the step, under ZeRO-1 until the last backward. */
    {TEXT(GRADIENTS), ITEM(GRADIENTS), U(GRADIENTS), BY(NONE), 0, 1, ALWAYS, ZERO3, HOST},
    {TEXT(GRADIENTS_32), ITEM(GRADIENTS), U(GRADIENTS), BY(NONE), 0, 1, ALWAYS, BF16, 0},
    {TEXT(GRADIENTS_16), ITEM(GRADIENTS), U(PARAMS), BY(NONE), 0, 2, PASSES | BEHIND, BF16, 0},
    {TEXT(GRADIENTS), ITEM(GRADIENTS), U(GRADIENTS), BY(NONE), 0, 1, PASSES, ADDS, ZERO2 | BF16},
    {TEXT(GRADIENTS), ITEM(GRADIENTS), U(GRADIENTS), BY(NONE), 0, 1, AT(END), 0, ADDS | ZERO},
    {TEXT(GRADIENTS), ITEM(GRADIENTS), U(GRADIENTS), BY(NONE), 0, 1, BEHIND, 0, ZERO},
    {TEXT(GRADIENTS), ITEM(GRADIENTS), U(GRADIENTS), BY(NONE), 0, 1, BEHIND, ZERO | WHEN(PP), BF16},
    {TEXT(GRADIENTS_TOUCHED), ITEM(GRADIENTS), U(TOUCHED), BY(NONE), 0, 1, PASSES, ADDS | ZERO2, ZERO3 | HOST},
    {TEXT(GRADIENTS_TOUCHED), ITEM(GRADIENTS), U(TOUCHED), BY(NONE), 0, 1, AT(END), ZERO, ADDS | ZERO3 | BF16 | HOST},
    {TEXT(GRADIENTS_TO_ADD), ITEM(GRADIENTS), U(TOUCHED), BY(NONE), 0, 1, AT(END), ADDS | ZERO2, ZERO3 | HOST},
    {TEXT(GRADIENTS_TOUCHED), ITEM(GRADIENTS), U(TOUCHED), BY(NONE), 0, 1, BEHIND, ZERO, ZERO3 | BF16 | WHEN(PP) | HOST},
    {TEXT(GRADIENTS_AGAIN), ITEM(GRADIENTS), U(PARAMS), BY(NONE), 0, 2, PASSES | BEHIND, ZERO | OWN, ZERO2 | BF16 | WHEN(PP) | HOST},
    {TEXT(GRADIENT_TO_HOST), ITEM(GRADIENTS), U(LARGEST), BY(NONE), 1, 0, ALWAYS, ZERO | HOST, ZERO3},

    /* Buckets: gradients on their way, and the copy that is sent. */
    {TEXT(BUCKET), ITEM(BUCKETS), U(BUCKET), BY(NONE), 1, 0, ALWAYS, ZERO3, 0},
    {TEXT(BUCKET), ITEM(BUCKETS), U(BUCKET), BY(NONE), 1, 0, REDUCES | AT(LOSS), ZERO, ZERO3},
    {TEXT(BUCKET_SENT), ITEM(BUCKETS), U(BUCKET), BY(NONE), 1, 0, REDUCES, ZERO, 0},

    {TEXT(GATHERED_SMALL), ITEM(GATHERED), U(PERSISTENT), BY(NONE), 1, 0, ALWAYS, ZERO3, 0},
    {TEXT(GATHERED), ITEM(GATHERED), U(FETCH), BY(NONE), 1, 0, PASSES, ZERO3, 0},
    {TEXT(GATHERED_PREFETCH), ITEM(GATHERED), U(PREFETCH), BY(NONE), 1, 0, PASSES, ZERO3, 0},

    {TEXT(KEPT_LAST), ITEM(ACTIVATIONS), U(KEPT_LAYER), BY(NONE), 0, 1, AT(END), 0, 0},
    {TEXT(OUTPUTS), ITEM(ACTIVATIONS), U(OUTPUTS), BY(NONE), 0, 1, PASSES, WHEN(PP), 0},

    /* Head and loss. */
    {TEXT(HEAD_LOSS), ITEM(TRANSIENT), U(HEAD), BY(NONE), 0, 1, AT(LOSS), 0, OWN},
    {TEXT(LOGITS_GRADIENTS_32), ITEM(TRANSIENT), U(LOGITS), BY(VOCAB), 0, 8, AT(LOSS), 0, OWN},
    {TEXT(HIDDEN_LOSS), ITEM(TRANSIENT), U(INPUT), BY(NONE), 0, 2, AT(LOSS), OWN, 0},
    {TEXT(LOGITS_32_16), ITEM(TRANSIENT), U(LOGITS), BY(VOCAB), 1, 4, AT(LOSS), OWN, 0},
    {TEXT(LOGITS_GRADIENT_32), ITEM(TRANSIENT), U(LOGITS), BY(VOCAB), 0, 4, AT(LOSS), OWN, WHEN(PP)},

    {TEXT(LAYER_INPUT), ITEM(TRANSIENT), U(INPUT), BY(NONE), 0, 1, AT(BACKWARD), 0, WHEN(FULL)},
    {TEXT(MLP), ITEM(TRANSIENT), U(TOKENS_F), BY(TP), 2, 0, AT(BACKWARD), WHEN(DENSE), WHEN(FULL)},
    {TEXT(RECOMPUTED), ITEM(TRANSIENT), U(LAYER), BY(NONE), 0, 1, AT(BACKWARD), WHEN(FULL), 0},
    {TEXT(RECOMPUTED_OUTPUT), ITEM(TRANSIENT), U(INPUT), BY(NONE), 0, 1, AT(BACKWARD), WHEN(FULL), 0},

    /* Step: the part of the gradients is cut out, made flat, cast. */
    {TEXT(PART_COPIES), ITEM(TRANSIENT), U(OWNED), BY(NONE), 1, 0, AT(STEP), ZERO | WHEN(PP), ZERO2 | BF16 | HOST},
    {TEXT(PART_FLAT), ITEM(TRANSIENT), U(OWNED), BY(NONE), 1, 0, AT(STEP), ZERO, ZERO3 | BF16 | HOST},
    {TEXT(PART_COPY_32), ITEM(TRANSIENT), U(OWNED), BY(NONE), 0, 4, AT(STEP), ZERO, BF16 | WHEN(FP32) | HOST},
    {TEXT(GRADIENTS_FLAT_32), ITEM(TRANSIENT), U(OWNED), BY(NONE), 0, 8, AT(STEP), 0, ZERO | WHEN(FP32)},
    {TEXT(GRADIENTS_CAST), ITEM(TRANSIENT), U(PARAMS), BY(NONE), 0, 2, AT(REDUCED), BF16, 0},
};
/* clang-format on */
const uint32_t dtci_terms_deepspeed_count = sizeof dtci_terms_deepspeed / sizeof dtci_terms_deepspeed[0];

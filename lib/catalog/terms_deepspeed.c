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
    /* text, item, unit, shard, per_value, bytes, moments, 0, needs, never */
    /* Gradients: whole without ZeRO and in the pipeline engine until the step, under ZeRO-1 until the last backward. */
    {"gradients", ITEM(GRADIENTS), U(GRADIENTS), BY(NONE), 0, 1, ALWAYS, 0, ZERO3, HOST},
    {"gradients in fp32", ITEM(GRADIENTS), U(GRADIENTS), BY(NONE), 0, 1, ALWAYS, 0, BF16, 0},
    {"gradients in 16 bit", ITEM(GRADIENTS), U(PARAMS), BY(NONE), 0, 2, PASSES | BEHIND, 0, BF16, 0},
    {"gradients", ITEM(GRADIENTS), U(GRADIENTS), BY(NONE), 0, 1, PASSES, 0, ADDS, ZERO2 | BF16},
    {"gradients", ITEM(GRADIENTS), U(GRADIENTS), BY(NONE), 0, 1, AT(END), 0, 0, ADDS | ZERO},
    {"gradients", ITEM(GRADIENTS), U(GRADIENTS), BY(NONE), 0, 1, BEHIND, 0, 0, ZERO},
    {"gradients", ITEM(GRADIENTS), U(GRADIENTS), BY(NONE), 0, 1, BEHIND, 0, ZERO | WHEN(PP), BF16},
    {"gradients of tensors in the rank's part", ITEM(GRADIENTS), U(TOUCHED), BY(NONE), 0, 1, PASSES, 0, ADDS | ZERO2, ZERO3 | HOST},
    {"gradients of tensors in the rank's part", ITEM(GRADIENTS), U(TOUCHED), BY(NONE), 0, 1, AT(END), 0, ZERO, ADDS | ZERO3 | BF16 | HOST},
    {"those of a micro-batch, to be added", ITEM(GRADIENTS), U(TOUCHED), BY(NONE), 0, 1, AT(END), 0, ADDS | ZERO2, ZERO3 | HOST},
    {"gradients of tensors in the rank's part", ITEM(GRADIENTS), U(TOUCHED), BY(NONE), 0, 1, BEHIND, 0, ZERO, ZERO3 | BF16 | WHEN(PP) | HOST},
    {"gradients again, without the pipeline engine", ITEM(GRADIENTS), U(PARAMS), BY(NONE), 0, 2, PASSES | BEHIND, 0, ZERO | OWN, ZERO2 | BF16 | WHEN(PP) | HOST},
    {"gradient on its way to the host", ITEM(GRADIENTS), U(LARGEST), BY(NONE), 1, 0, ALWAYS, 0, ZERO | HOST, ZERO3},

    /* Buckets: gradients on their way, and the copy that is sent. */
    {"bucket of gradients", ITEM(BUCKETS), U(BUCKET), BY(NONE), 1, 0, ALWAYS, 0, ZERO3, 0},
    {"bucket of gradients", ITEM(BUCKETS), U(BUCKET), BY(NONE), 1, 0, REDUCES | AT(LOSS), 0, ZERO, ZERO3},
    {"bucket that is sent", ITEM(BUCKETS), U(BUCKET), BY(NONE), 1, 0, REDUCES, 0, ZERO, 0},

    {"small weights, gathered for good", ITEM(GATHERED), U(PERSISTENT), BY(NONE), 1, 0, ALWAYS, 0, ZERO3, 0},
    {"gathered weights", ITEM(GATHERED), U(FETCH), BY(NONE), 1, 0, PASSES, 0, ZERO3, 0},
    {"flat buffer of prefetched weights", ITEM(GATHERED), U(PREFETCH), BY(NONE), 1, 0, PASSES, 0, ZERO3, 0},

    {"saved for backward by the last layer", ITEM(ACTIVATIONS), U(KEPT_LAYER), BY(NONE), 0, 1, AT(END), 0, 0, 0},
    {"outputs of the stage, one per micro-batch", ITEM(ACTIVATIONS), U(OUTPUTS), BY(NONE), 0, 1, PASSES, 0, WHEN(PP), 0},

    /* Head and loss. */
    {"head and loss, with probabilities in fp32", ITEM(TRANSIENT), U(HEAD), BY(NONE), 0, 1, AT(LOSS), 0, 0, OWN},
    {"two gradients of the logits in fp32", ITEM(TRANSIENT), U(LOGITS), BY(VOCAB), 0, 8, AT(LOSS), 0, 0, OWN},
    {"hidden states at the loss", ITEM(TRANSIENT), U(INPUT), BY(NONE), 0, 2, AT(LOSS), 0, OWN, 0},
    {"logits in fp32 and 16 bit", ITEM(TRANSIENT), U(LOGITS), BY(VOCAB), 1, 4, AT(LOSS), 0, OWN, 0},
    {"gradient of the logits in fp32", ITEM(TRANSIENT), U(LOGITS), BY(VOCAB), 0, 4, AT(LOSS), 0, OWN, WHEN(PP)},

    {"gradient of a layer's input", ITEM(TRANSIENT), U(INPUT), BY(NONE), 0, 1, AT(BACKWARD), 0, 0, WHEN(FULL)},
    {"gradients inside the MLP", ITEM(TRANSIENT), U(TOKENS_F), BY(TP), 2, 0, AT(BACKWARD), 0, WHEN(DENSE), WHEN(FULL)},
    {"a recomputed layer", ITEM(TRANSIENT), U(LAYER), BY(NONE), 0, 1, AT(BACKWARD), 0, WHEN(FULL), 0},
    {"gradient of a recomputed layer's output", ITEM(TRANSIENT), U(INPUT), BY(NONE), 0, 1, AT(BACKWARD), 0, WHEN(FULL), 0},

    /* Step: the part of the gradients is cut out, made flat, cast. */
    {"copies of the part's gradients", ITEM(TRANSIENT), U(OWNED), BY(NONE), 1, 0, AT(STEP), 0, ZERO | WHEN(PP), ZERO2 | BF16 | HOST},
    {"gradients of the part, flat", ITEM(TRANSIENT), U(OWNED), BY(NONE), 1, 0, AT(STEP), 0, ZERO, ZERO3 | BF16 | HOST},
    {"fp32 copy of the part's gradients", ITEM(TRANSIENT), U(OWNED), BY(NONE), 0, 4, AT(STEP), 0, ZERO, BF16 | WHEN(FP32) | HOST},
    {"fp32 copies of the gradients, apart and flat", ITEM(TRANSIENT), U(OWNED), BY(NONE), 0, 8, AT(STEP), 0, 0, ZERO | WHEN(FP32)},
    {"gradients cast for their reduction", ITEM(TRANSIENT), U(PARAMS), BY(NONE), 0, 2, AT(REDUCED), 0, BF16, 0},
};
/* clang-format on */
const uint32_t dtci_terms_deepspeed_count = sizeof dtci_terms_deepspeed / sizeof dtci_terms_deepspeed[0];

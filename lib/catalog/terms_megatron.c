/* Terms of Megatron-Core: gradients that stay, workspaces, the loss and the backward of a layer. */
#include "internal/terms_short.h"

#define BEHIND (AT(REDUCED) | AT(STEP) | AT(REST)) /* backward */

/* clang-format off */
const dtci_term dtci_terms_megatron[] = {
    /* text, item, unit, shard, per_value, bytes, moments, 0, needs, never */
    {"gradients", ITEM(GRADIENTS), U(GRADIENTS), BY(NONE), 0, 1, ALWAYS, 0, 0, 0},
    {"saved for backward by the last layer", ITEM(ACTIVATIONS), U(KEPT_LAYER), BY(NONE), 0, 1, AT(END), 0, 0, 0},
    {"fp32 copies of the gradients", ITEM(TRANSIENT), U(OWNED), BY(NONE), 0, 4, AT(STEP) | AT(REST), 0, WHEN(FP16), 0},
    {"16-bit embedding and head outside FSDP's units", ITEM(WEIGHTS), U(OUTER), BY(NONE), 0, 2, ALWAYS, 0, WHEN(SHARDS_WEIGHTS), 0},
    {".. their gradients", ITEM(GRADIENTS), U(OUTER), BY(NONE), 0, 4, ALWAYS, 0, WHEN(SHARDS_WEIGHTS) | WHEN(FP8), 0},
    {"fp8 weights and their transposes", ITEM(WEIGHTS), U(FP8_CACHE), BY(NONE), 0, 2, ALWAYS, 0, WHEN(FP8), WHEN(FP8_PARAMS)},
    {"what the caching allocator rounds up", ITEM(WORKSPACE), U(ROUNDING), BY(NONE), 0, 1, ALWAYS, 0, 0, 0},

    {"Transformer Engine's workspace", ITEM(WORKSPACE), U(TE), BY(NONE), 0, 1, ALWAYS, 0, 0, 0},
    {"Megatron's global buffer", ITEM(WORKSPACE), U(GLOBAL), BY(NONE), 0, 1, ALWAYS, 0, 0, 0},
    {"stand-ins for fused weight gradients", ITEM(WORKSPACE), U(STANDINS), BY(NONE), 0, 1, ALWAYS, 0, WHEN(GRAD_FUSION) | WHEN(TE), 0},
    {"rotary table", ITEM(WORKSPACE), U(ROPE), BY(NONE), 0, 4, ALWAYS & ~AT(REST), 0, WHEN(GRAD_FUSION) | WHEN(TE), 0},
    {"scalars, states of random numbers", ITEM(WORKSPACE), U(ONE), BY(NONE), 0, 1 << 20, ALWAYS & ~AT(REST), 0, 0, 0},
    {"scalars, states of random numbers", ITEM(WORKSPACE), U(ONE), BY(NONE), 0, 1 << 20, AT(REST), 0, WHEN(GRAD_FUSION) | WHEN(TE), 0},

    {"dropout mask of the embedding", ITEM(ACTIVATIONS), U(TOKENS_H), BY(SP), 0, 1, IN_BACKWARD, 0, WHEN(FIRST) | WHEN(DROPOUT), 0},
    {"input and output of an encoder's last norm", ITEM(ACTIVATIONS), U(ENCODER_H), BY(SP), 2, 0, IN_BACKWARD, 0, 0, 0},
    {"an encoder's output, dropout mask of its embedding", ITEM(ACTIVATIONS), U(ENCODER_H), BY(SP), 1, 1, IN_BACKWARD, 0, 0, 0},
    {"attention mask", ITEM(ACTIVATIONS), U(MASK), BY(NONE), 0, 1, IN_BACKWARD, 0, WHEN(MASK), 0},
    {"received input", ITEM(ACTIVATIONS), U(INPUT), BY(NONE), 0, 1, IN_BACKWARD, 0, WHEN(PP), WHEN(GRAD_FUSION)},
    {"causal mask of unfused attention", ITEM(ACTIVATIONS), U(CAUSAL), BY(NONE), 0, 1, IN_BACKWARD, 0, 0, 0},
    {"attention masks of a step, one per model chunk", ITEM(TRANSIENT), U(CHUNK_MASKS), BY(NONE), 0, 1, BEHIND, 0, WHEN(PP) | WHEN(MASK), 0},
    {"received inputs of a step, one per model chunk", ITEM(TRANSIENT), U(CHUNK_INPUTS), BY(NONE), 0, 1, BEHIND, 0, WHEN(PP), 0},
    {"inputs of the head, for its deferred gradient", ITEM(TRANSIENT), U(WAITING), BY(NONE), 0, 1, BEHIND, 0, WHEN(PP) | WHEN(DEFER), 0},

    {"hidden states at the loss", ITEM(TRANSIENT), U(INPUT), BY(NONE), 0, 2, AT(LOSS), 0, 0, 0},
    {"logits in fp32 and as they come", ITEM(TRANSIENT), U(LOGITS), BY(VOCAB), 1, 4, AT(LOSS), 0, 0, WHEN(LOSS_FUSED) | WHEN(LOSS_TE)},
    {"logits, in fp32 twice", ITEM(TRANSIENT), U(LOGITS), BY(VOCAB), 1, 8, AT(LOSS), 0, WHEN(LOSS_FUSED), 0},
    {"logits, in place", ITEM(TRANSIENT), U(LOGITS), BY(VOCAB), 1, 0, AT(LOSS), 0, WHEN(LOSS_TE), 0},
    {"gradients of logits that wait", ITEM(TRANSIENT), U(LOGITS), BY(VOCAB), 2, 0, AT(LOSS), 0, WHEN(DEFER), 0},
    {"gradient of the output head", ITEM(TRANSIENT), U(OUTPUT), BY(NONE), 1, 0, AT(LOSS), 0, WHEN(DEFER), 0},
    {"saved for backward by MTP modules", ITEM(ACTIVATIONS), U(MTP_KEPT), BY(NONE), 0, 1, AT(FORWARDED) | AT(LOSS), 0, WHEN(MTP), 0},
    {"logits of MTP modules in fp32", ITEM(TRANSIENT), U(MTP_LOGITS), BY(VOCAB), 0, 4, AT(LOSS), 0, WHEN(MTP), 0},
    {"hidden states of MTP modules", ITEM(TRANSIENT), U(MTP_INPUT), BY(NONE), 0, 4, AT(LOSS), 0, WHEN(MTP), 0},

    {"hidden states at the head", ITEM(TRANSIENT), U(INPUT), BY(NONE), 0, 2, AT(HEAD), 0, 0, 0},
    {"gradient of the logits", ITEM(TRANSIENT), U(LOGITS), BY(VOCAB), 1, 0, AT(HEAD), 0, 0, 0},
    {"gradient of the head's input, whole", ITEM(TRANSIENT), U(TOKENS_H), BY(NONE), 1, 0, AT(HEAD), 0, 0, 0},
    {"gradient of the head's input", ITEM(TRANSIENT), U(INPUT), BY(NONE), 0, 1, AT(HEAD), 0, WHEN(TP), 0},
    {"gradient of the output head", ITEM(TRANSIENT), U(OUTPUT), BY(NONE), 1, 0, AT(HEAD), 0, 0, WHEN(GRAD_FUSION)},
    {"gradient that is sent", ITEM(TRANSIENT), U(INPUT), BY(NONE), 0, 1, AT(HEAD), 0, WHEN(PP), 0},

    {"gradient of a layer's input", ITEM(TRANSIENT), U(INPUT), BY(NONE), 0, 1, AT(BACKWARD), 0, 0, WHEN(FULL)},
    {"gradients inside the MLP", ITEM(TRANSIENT), U(TOKENS_F), BY(TP), 2, 0, AT(BACKWARD), 0, WHEN(DENSE), WHEN(FULL)},
    {"gradients of routed rows", ITEM(TRANSIENT), U(ROWS_H), BY(NONE), 4, 0, AT(EXPERTS), 0, 0, WHEN(FULL)},
    {"hidden states at the experts", ITEM(TRANSIENT), U(INPUT), BY(NONE), 0, 3, AT(EXPERTS), 0, 0, WHEN(FULL)},
    {"gradient that is sent", ITEM(TRANSIENT), U(INPUT), BY(NONE), 0, 1, AT(EXPERTS), 0, WHEN(PP), WHEN(FULL)},
    {"gradient of the head's input", ITEM(TRANSIENT), U(INPUT), BY(NONE), 0, 1, AT(EXPERTS), 0, WHEN(PP) | WHEN(HEAD), WHEN(FULL)},
    {"recomputed layers", ITEM(TRANSIENT), U(LAYER), BY(NONE), 0, 1, AT(BACKWARD), 0, WHEN(FULL), 0},
    {"input of a recomputed layer and its gradient", ITEM(TRANSIENT), U(INPUT), BY(NONE), 0, 2, AT(BACKWARD), 0, WHEN(FULL), 0},
};
/* clang-format on */
const uint32_t dtci_terms_megatron_count = sizeof dtci_terms_megatron / sizeof dtci_terms_megatron[0];

/* Terms of PyTorch DDP and FSDP with Hugging Face's modules, and of TorchTitan. */
#include "internal/terms_short.h"

#define POOL DTCI_POOL

/* clang-format off */
const dtci_term dtci_terms_torch[] = {
    /* text, item, unit, shard, per_value, bytes, moments, 0, needs, never */
    {"token ids and labels", ITEM(TRANSIENT), U(TOKENS), BY(NONE), 0, 16, ALWAYS, 0, 0, 0},

    /* Gradients, which are made in backward and freed behind the step. */
    {"gradients", ITEM(GRADIENTS), U(GRADIENTS), BY(NONE), 0, 1, MADE, 0, 0, WHEN(ACCUMULATES) | WHEN(UNITS) | WHEN(BUCKET_VIEW)},
    {"gradients", ITEM(GRADIENTS), U(GRADIENTS), BY(NONE), 0, 1, ALWAYS & ~AT(REST), 0, WHEN(ACCUMULATES), WHEN(BUCKET_VIEW)},
    {"gradient shards", ITEM(GRADIENTS), U(GRADIENTS), BY(NONE), 0, 1, AT(REDUCED) | AT(STEP), 0, WHEN(UNITS), WHEN(ACCUMULATES)},
    {"gradient shards, without the last unit", ITEM(GRADIENTS), U(GRADIENTS_LAYERS), BY(NONE), 0, 1, AT(END), 0, WHEN(UNITS), WHEN(ACCUMULATES)},
    {"gradient of the output head", ITEM(GRADIENTS), U(HEAD_GRADIENT), BY(NONE), 0, 1, AT(BACKWARD), 0, 0, WHEN(ACCUMULATES) | WHEN(UNITS) | WHEN(BUCKET_VIEW)},
    {"gradients of a layer, made before its attention", ITEM(GRADIENTS), U(LAYER_GRADIENT), BY(NONE), 0, 1, AT(BACKWARD), 0, WHEN(EAGER), WHEN(ACCUMULATES) | WHEN(UNITS) | WHEN(BUCKET_VIEW)},
    {"tied: the head's gradient, and the sum", ITEM(GRADIENTS), U(TIED_GRADIENT), BY(NONE), 0, 1, AT(END), 0, 0, WHEN(ACCUMULATES) | WHEN(UNITS)},
    {"DDP's buckets", ITEM(BUCKETS), U(GRADIENTS), BY(NONE), 0, 1, ALWAYS, 0, WHEN(DP), WHEN(SHARDS_GRADIENTS)},

    /* What is kept for backward, beside the rows of every framework. */
    {"saved for backward, all micro-batches in flight", ITEM(ACTIVATIONS), U(KEPT), BY(NONE), 0, 1, AT(FORWARD), 0, 0, 0},
    {"saved by the layers that still run", ITEM(ACTIVATIONS), U(KEPT_REST), BY(NONE), 0, 1, AT(BOUNDARY), 0, 0, 0},
    {"tables and masks that layers share", ITEM(ACTIVATIONS), U(SHARED), BY(NONE), 0, 1, AT(FORWARD) | AT(FORWARDED) | AT(LOSS) | AT(HEAD) | AT(BACKWARD) | AT(EXPERTS) | AT(BOUNDARY), 0, 0, 0},
    {"saved by head and loss", ITEM(ACTIVATIONS), U(HEAD), BY(NONE), 0, 1, AT(FORWARD) | AT(FORWARDED) | AT(LOSS), 0, WHEN(HEAD), WHEN(CHUNKED)},
    {"16-bit copies of weights", ITEM(GATHERED), U(CAST_FORWARD), BY(NONE), 1, 0, AT(FORWARD), 0, WHEN(AUTOCAST), 0},
    {"16-bit copies of weights", ITEM(GATHERED), U(CAST), BY(NONE), 1, 0, AT(FORWARDED) | AT(LOSS), 0, WHEN(AUTOCAST), 0},
    {"16-bit copies of weights", ITEM(GATHERED), U(CAST_LAYERS), BY(NONE), 1, 0, AT(BACKWARD), 0, WHEN(AUTOCAST), 0},

    /* Loss. */
    {"logits in 16 bit", ITEM(TRANSIENT), U(LOGITS), BY(VOCAB), 1, 0, AT(FORWARD), 0, 0, WHEN(LOSS_CHUNKS) | WHEN(LOSS_FUSED) | WHEN(LOSS_TE) | WHEN(LOSS_COMPILED) | WHEN(CHUNKED)},
    {"logits in fp32", ITEM(TRANSIENT), U(LOGITS), BY(VOCAB), 0, 4, AT(FORWARD), 0, 0, WHEN(LOSS_CHUNKS) | WHEN(LOSS_SAME) | WHEN(LOSS_FUSED) | WHEN(LOSS_TE) | WHEN(LOSS_COMPILED) | WHEN(CHUNKED) | WHEN(FP32)},
    {"loss_parallel's own", ITEM(TRANSIENT), U(LOGITS), BY(VOCAB), 0, 4, AT(FORWARD) | AT(LOSS), 0, WHEN(TP), WHEN(LOSS_SAME) | WHEN(LOSS_FUSED) | WHEN(LOSS_TE) | WHEN(LOSS_COMPILED) | WHEN(CHUNKED)},
    {"two gradients of the logits in fp32", ITEM(TRANSIENT), U(LOGITS), BY(VOCAB), 0, 8, AT(LOSS), 0, 0, WHEN(LOSS_CHUNKS) | WHEN(LOSS_SAME) | WHEN(LOSS_FUSED) | WHEN(LOSS_TE) | WHEN(LOSS_COMPILED) | WHEN(CHUNKED)},
    {"two gradients of the logits", ITEM(TRANSIENT), U(LOGITS), BY(VOCAB), 2, 0, AT(LOSS), 0, WHEN(LOSS_SAME), 0},
    {"gradient of the logits", ITEM(TRANSIENT), U(LOGITS), BY(VOCAB), 1, 0, AT(LOSS), 0, WHEN(LOSS_COMPILED), WHEN(LOSS_CHUNKS)},
    {"gradient of the logits", ITEM(TRANSIENT), U(LOGITS), BY(VOCAB), 1, 0, AT(LOSS), 0, WHEN(LOSS_FUSED), 0},
    {"final norm's output in fp32", ITEM(TRANSIENT), U(INPUT), BY(NONE), 0, 1, AT(FORWARD), 0, WHEN(AUTOCAST) | WHEN(HEAD), WHEN(CHUNKED)},

    /* Loss in chunks (torchtune CEWithChunkedOutputLoss): a chunk's gradient takes the place of its logits; the head's gradient is
     * a sum over chunks. */
    {"a chunk of logits", ITEM(TRANSIENT), U(CHUNK_LOGITS), BY(VOCAB), 1, 0, AT(FORWARD) | AT(LOSS), 0, WHEN(LOSS_CHUNKS) | WHEN(LOSS_COMPILED), 0},
    {"a chunk's logits, probabilities and gradients in fp32", ITEM(TRANSIENT), U(CHUNK_LOGITS), BY(VOCAB), 0, 16, AT(FORWARD) | AT(LOSS), 0, WHEN(LOSS_CHUNKS), WHEN(LOSS_COMPILED)},
    {"gradient of the output head, and of a chunk", ITEM(TRANSIENT), U(OUTPUT), BY(NONE), 2, 0, AT(LOSS), 0, WHEN(LOSS_CHUNKS), 0},

    /* Head and loss in chunks: hidden states, gathered, with their gradients in fp32, and a chunk of logits. */
    {"decoder's result", ITEM(TRANSIENT), U(INPUT), BY(NONE), 0, 1, AT(FORWARD) | AT(FORWARDED), 0, WHEN(CHUNKED) | WHEN(HEAD), 0},
    {"hidden states and their gradient in fp32", ITEM(TRANSIENT), U(TOKENS_H), BY(NONE), 3, 0, AT(FORWARD), 0, WHEN(CHUNKED) | WHEN(HEAD), 0},
    {"gradient of the hidden states", ITEM(TRANSIENT), U(TOKENS_H), BY(NONE), 1, 0, AT(FORWARDED), 0, WHEN(CHUNKED) | WHEN(HEAD), 0},
    {"a chunk of logits", ITEM(TRANSIENT), U(CHUNK_LOGITS), BY(VOCAB), 1, 0, AT(FORWARD), 0, WHEN(CHUNKED) | WHEN(HEAD), 0},
    {"a chunk of hidden states", ITEM(TRANSIENT), U(CHUNK_H), BY(NONE), 1, 0, AT(FORWARD), 0, WHEN(CHUNKED) | WHEN(HEAD), 0},
    {"hidden states and labels of several sequences, copied", ITEM(TRANSIENT), U(CHUNK_COPY), BY(NONE), 0, 1, AT(FORWARD), 0, WHEN(CHUNKED) | WHEN(HEAD), 0},
    {"gradient of the head's unit", ITEM(TRANSIENT), U(UNIT), BY(NONE), 1, 0, AT(FORWARD), 0, WHEN(CHUNKED) | WHEN(UNITS), 0},
    {"gradient of the head's unit in fp32", ITEM(TRANSIENT), U(UNIT), BY(NONE), 0, 4, AT(FORWARD), 0, WHEN(CHUNKED) | WHEN(UNITS), 0},
    {"gradient of the head's unit, all chunks", ITEM(BUCKETS), U(REDUCE_UNIT), BY(NONE), 0, 1, AT(FORWARD), 0, WHEN(CHUNKED) | WHEN(UNITS), 0},
    {"reduce-scatter input of the head's unit", ITEM(BUCKETS), U(REDUCE_UNIT), BY(NONE), 0, 1, AT(FORWARDED), 0, WHEN(CHUNKED) | WHEN(UNITS), 0},
    {"gradient shards of the head's unit", ITEM(GRADIENTS), U(REDUCE_UNIT), BY(DP), 0, 1, AT(FORWARDED) | AT(BACKWARD) | AT(BOUNDARY), 0, WHEN(CHUNKED) | WHEN(UNITS), WHEN(ACCUMULATES)},
    {"tied: a second gradient shard", ITEM(GRADIENTS), U(TIED), BY(DP), 0, 4, AT(REDUCED) | AT(STEP), 0, WHEN(CHUNKED) | WHEN(UNITS), WHEN(ACCUMULATES)},

    /* FSDP, unit by unit. */
    {"gathered weights", ITEM(GATHERED), U(FETCH_FORWARD), BY(NONE), 1, 0, AT(FORWARD), 0, WHEN(UNITS), 0},
    {"gathered weights", ITEM(GATHERED), U(FETCHED), BY(NONE), 1, 0, AT(FORWARDED), 0, WHEN(UNITS), 0},
    {"gathered weights", ITEM(GATHERED), U(FETCH_LOSS), BY(NONE), 1, 0, AT(LOSS), 0, WHEN(UNITS), 0},
    {"gathered weights of two layers", ITEM(GATHERED), U(FETCH), BY(NONE), 1, 0, AT(BACKWARD), 0, WHEN(UNITS), 0},
    {"gathered weights of two layers", ITEM(GATHERED), U(FETCH_BOUNDARY), BY(NONE), 1, 0, AT(BOUNDARY), 0, WHEN(UNITS), 0},
    {"forward of a layer, more than the loss", ITEM(TRANSIENT), U(FIRST), BY(NONE), 0, 1, AT(FORWARD), 0, WHEN(UNITS), 0},
    {"gradients of a layer", ITEM(TRANSIENT), U(LAYER_PARAMS), BY(NONE), 1, 0, AT(BACKWARD), 0, WHEN(UNITS), 0},
    {"gradient of the output head", ITEM(TRANSIENT), U(OUTPUT), BY(NONE), 1, 0, AT(BACKWARD) | AT(BOUNDARY), 0, WHEN(UNITS), 0},
    {"reduce-scatter input of the head's unit", ITEM(BUCKETS), U(REDUCE_UNIT), BY(NONE), 0, 1, AT(BACKWARD), 0, WHEN(UNITS), 0},
    {"reduce-scatter input of a layer", ITEM(BUCKETS), U(REDUCE_LAYER), BY(NONE), 0, 1, AT(BOUNDARY), 0, WHEN(UNITS), 0},
    {"gradient shards of a layer", ITEM(GRADIENTS), U(REDUCE_LAYER), BY(DP), 0, 1, AT(BOUNDARY), 0, WHEN(UNITS) | WHEN(RESHARD), WHEN(ACCUMULATES)},
    {"gradients of the last unit, as made and as reduced", ITEM(TRANSIENT), U(REDUCE_LAST), BY(NONE), 0, 1, AT(END), 0, WHEN(UNITS), 0},

    /* Backward of a layer. */
    {"gradient of a layer's input", ITEM(TRANSIENT), U(INPUT), BY(NONE), 0, 1, AT(BACKWARD) | AT(BOUNDARY), 0, 0, 0},
    {"gradients inside the MLP", ITEM(TRANSIENT), U(TOKENS_F), BY(TP), 2, 0, AT(BACKWARD), 0, WHEN(DENSE), 0},
    {"gradients inside the MLP", ITEM(TRANSIENT), U(BOUNDARY_MLP), BY(NONE), 0, 1, AT(BOUNDARY), 0, WHEN(DENSE), 0},
    {"a recomputed layer", ITEM(TRANSIENT), U(LAYER), BY(NONE), 0, 1, AT(BACKWARD), 0, WHEN(FULL), 0},
    {"input of a recomputed layer", ITEM(TRANSIENT), U(INPUT), BY(NONE), 0, 1, AT(BACKWARD) | AT(BOUNDARY), 0, WHEN(FULL), 0},
    {"what the policy recomputes of a layer", ITEM(TRANSIENT), U(RECOMPUTED), BY(NONE), 0, 1, AT(BACKWARD), 0, 0, WHEN(FULL)},
    {"gradients of softmax and scores, more than those", ITEM(TRANSIENT), U(EAGER), BY(NONE), 0, 1, AT(BACKWARD), 0, WHEN(EAGER), 0},
    {"the layer that runs last, more than what follows", ITEM(TRANSIENT), U(LAST), BY(NONE), 0, 1, AT(END), 0, 0, 0},
    {"gradient of the embedding's result", ITEM(TRANSIENT), U(INPUT), BY(NONE), 0, 1, AT(END), 0, 0, WHEN(UNITS)},

    /* Optimizer step. */
    {"a copy of the parameters", ITEM(TRANSIENT), U(OWNED), BY(NONE), 0, 4, AT(STEP), 0, WHEN(FOREACH), WHEN(PURE)},
    {"a copy of the parameters", ITEM(TRANSIENT), U(OWNED), BY(NONE), 0, 2, AT(STEP), 0, WHEN(FOREACH) | WHEN(PURE), 0},
    {"copies of the largest tensor", ITEM(TRANSIENT), U(LOOP), BY(NONE), 0, 4, AT(STEP), 0, WHEN(LOOP), WHEN(PURE)},
    {"copies of the largest tensor", ITEM(TRANSIENT), U(LOOP), BY(NONE), 0, 2, AT(STEP), 0, WHEN(LOOP) | WHEN(PURE), 0},

    /* The allocator's pools of FSDP's streams, and a block that the loss cannot use again (pytorch torch/distributed/fsdp/_fully_shard). */
    {"gradient shards, in the reduction's pool", ITEM(GRADIENTS), U(GRADIENTS), BY(NONE), 0, 1, POOL, 0, WHEN(UNITS), WHEN(ACCUMULATES)},
    {"gathers' pool: the head's unit and two layers", ITEM(GATHERED), U(FETCH_POOL), BY(NONE), 1, 0, POOL, 0, WHEN(UNITS), 0},
    {"16-bit logits' block", ITEM(TRANSIENT), U(LOGITS), BY(VOCAB), 1, 0, POOL, 0, WHEN(HEAD) | WHEN(UNITS), WHEN(LOSS_SAME) | WHEN(LOSS_FUSED) | WHEN(LOSS_TE) | WHEN(CHUNKED)},
    {"reduce-scatter input that no block of the logits holds", ITEM(BUCKETS), U(REDUCE_ALONE), BY(NONE), 0, 1, POOL, 0, WHEN(UNITS), WHEN(CHUNKED)},
};
/* clang-format on */
const uint32_t dtci_terms_torch_count = sizeof dtci_terms_torch / sizeof dtci_terms_torch[0];

/* Memory as a sum of terms: one row per thing that lies on a GPU, by framework (lib/catalog/terms_*.c). */
#ifndef DTCI_TERMS_H
#define DTCI_TERMS_H

#include "internal/operators.h"
#include <dtcore/memory.h>

enum { DTCI_MOMENTS = DTC_MOMENT_REST + 1, DTCI_ITEMS = DTC_MEMORY_ITEM_WORKSPACE + 1 };

/* What a term counts, of one pipeline stage. */
typedef enum dtci_unit {
  /* Bytes that follow the micro-batches in flight, or the chunks of a rank. */
  DTCI_U_KEPT,         /* saved for backward by all micro-batches in flight */
  DTCI_U_KEPT_LAYER,   /* one layer's part of it */
  DTCI_U_MOVED,        /* all of it, when it lies in host memory: then KEPT is one layer's part */
  DTCI_U_LAYER,        /* what the largest layer keeps of a micro-batch without recomputation */
  DTCI_U_OUTPUTS,      /* a layer's input for each micro-batch in flight: what a stage sends on */
  DTCI_U_KEPT_REST,    /* PyTorch: KEPT without the layer that runs first in backward */
  DTCI_U_LAST,         /* the layer that runs last in backward, more than what comes behind it */
  DTCI_U_FIRST,        /* forward of a layer, more than the loss */
  DTCI_U_RECOMPUTED,   /* LAYER without what is kept of it */
  DTCI_U_CHUNK_MASKS,  /* Megatron: attention masks, one per model chunk */
  DTCI_U_CHUNK_INPUTS, /* layer inputs, one per model chunk */
  DTCI_U_STEADY,       /* the first that does not */
  /* Bytes. */
  DTCI_U_ONE = DTCI_U_STEADY,
  DTCI_U_WEIGHTS, /* states as memory_states.c says, sharded */
  DTCI_U_GRADIENTS,
  DTCI_U_MASTER,
  DTCI_U_MOMENTS,
  DTCI_U_TABLES,   /* rotary tables of the layers */
  DTCI_U_HEAD,     /* what head and loss keep of a micro-batch */
  DTCI_U_INPUT,    /* a layer's input */
  DTCI_U_CUBLAS,   /* a workspace of cuBLAS */
  DTCI_U_TE,       /* one of Transformer Engine */
  DTCI_U_STANDINS, /* stand-ins for fused weight gradients */
  DTCI_U_TOUCHED,  /* ZeRO-1, 2: gradients of the tensors that the rank's part touches */
  /* Values. */
  DTCI_U_TOKENS_H,     /* T h */
  DTCI_U_TOKENS_F,     /* T f */
  DTCI_U_LOGITS,       /* T V */
  DTCI_U_ROWS_H,       /* T k h: routed rows */
  DTCI_U_PARAMS,       /* parameters of the stage, whole */
  DTCI_U_OWNED,        /* those that this rank's optimizer steps, at most a sub-group of zero3 */
  DTCI_U_LAYER_PARAMS, /* of the largest layer */
  DTCI_U_ROOT,         /* of FSDP's root unit: what is outside the layers, a head unit left out */
  DTCI_U_UNIT,         /* of the head's own unit */
  DTCI_U_OUTPUT,       /* of the output head's matrix in the root, a tied one too */
  DTCI_U_FETCH_LOSS,   /* gathered while the loss runs */
  DTCI_U_FETCH,        /* gathered in backward: the layer that runs and the next */
  DTCI_U_CAST,         /* whose 16-bit copies autocast keeps from forward to backward */
  DTCI_U_CAST_LAYERS,  /* the same behind the head's backward */
  DTCI_U_BUCKET,       /* of the bucket that is always there */
  /* PyTorch and TorchTitan, memory_torch.c. Bytes unless `parameters` or `values`. */
  DTCI_U_TOKENS,           /* values: tokens of a micro-batch */
  DTCI_U_CHUNK_H,          /* values: tokens of a chunk of the loss * h */
  DTCI_U_CHUNK_LOGITS,     /* values: those tokens * V */
  DTCI_U_CHUNK_COPY,       /* of hidden states and labels that are cut into chunks */
  DTCI_U_SHARED,           /* what all layers share */
  DTCI_U_EAGER,            /* backward of unfused attention, more than that of the MLP */
  DTCI_U_CAST_FORWARD,     /* parameters whose 16-bit copies autocast keeps while forward runs */
  DTCI_U_FETCH_FORWARD,    /* parameters gathered at the end of forward */
  DTCI_U_FETCHED,          /* parameters that stay gathered behind it */
  DTCI_U_FETCH_BOUNDARY,   /* parameters gathered between two layers */
  DTCI_U_FETCH_POOL,       /* parameters: what the gathers' own pool holds */
  DTCI_U_REDUCE_UNIT,      /* reduce-scatter input of the head's unit */
  DTCI_U_REDUCE_LAYER,     /* of a layer */
  DTCI_U_REDUCE_LAST,      /* gradients of the unit that is reduced last, in both types */
  DTCI_U_REDUCE_ALONE,     /* REDUCE_UNIT where the allocator has no block for it */
  DTCI_U_GRADIENTS_LAYERS, /* GRADIENTS without that unit */
  DTCI_U_HEAD_GRADIENT,
  DTCI_U_LAYER_GRADIENT, /* of a layer's MLP and attention output, before its attention */
  DTCI_U_TIED_GRADIENT,  /* of a tied embedding: the head's, and the sum */
  DTCI_U_TIED,           /* parameters of a tied embedding in TorchTitan */
  DTCI_U_BOUNDARY_MLP,   /* gradients inside the MLP of the second layer */
  DTCI_U_LOOP,           /* parameters: largest tensor, twice */
  /* Fine-tuning, memory_tuning.c. */
  DTCI_U_FOUR_BIT,       /* bytes: frozen weights in 4 bit */
  DTCI_U_LARGEST_LINEAR, /* parameters of a layer's largest linear layer */
  /* Megatron's, bytes. */
  DTCI_U_ROUNDING,  /* what the caching allocator rounds up */
  DTCI_U_GLOBAL,    /* global buffer */
  DTCI_U_MASK,      /* attention mask of a micro-batch */
  DTCI_U_CAUSAL,    /* causal mask of the fused softmax's substitute */
  DTCI_U_WAITING,   /* layer inputs, one per micro-batch, on the stage with the head */
  DTCI_U_MTP_INPUT, /* layer inputs, one per MTP module */
  /* Megatron's, values. */
  DTCI_U_MTP_KEPT,   /* bytes saved for backward by MTP modules */
  DTCI_U_ENCODER_H,  /* T h of an encoder */
  DTCI_U_MTP_LOGITS, /* T V of every MTP module */
  DTCI_U_ROPE,       /* rotary table of a micro-batch */
  DTCI_U_OUTER,      /* parameters of untied embedding and head */
  DTCI_U_FP8_CACHE,  /* parameters but for embedding and head */
  DTCI_U_LARGEST,    /* of the largest tensor */
  DTCI_U_PERSISTENT, /* ZeRO-3: below the persistence threshold, gathered for good */
  DTCI_U_PREFETCH,   /* ZeRO-3: of the bucket that is fetched ahead */
  DTCI_U_CHUNK,      /* Gemini: of a chunk */
  DTCI_U_GATHERED,   /* low-level ZeRO: of a bucket that the step gathers */
  DTCI_UNITS,
} dtci_unit;

/* Divisors beside those of operators.h. */
enum {
  DTCI_SHARD_DP = DTCI_SHARD_ETP + 1, /* dp_shard */
  DTCI_SHARD_VOCAB,                   /* tp, when the logits are split over it */
  DTCI_TERM_SHARDS,
};

/* Conditions: those of a stage in the first bits, behind them those of the case. */
#define DTCI_STAGE_BITS UINT64_C(0xff)
#define DTCI_WHEN(n) (UINT64_C(1) << (n))
#define DTCI_WHEN_FIRST DTCI_WHEN(0) /* stage: with the embedding */
#define DTCI_WHEN_HEAD DTCI_WHEN(1)  /* stage: with the output head */
#define DTCI_WHEN_DENSE DTCI_WHEN(2) /* stage: with dense layers */
#define DTCI_WHEN_MOE DTCI_WHEN(3)   /* stage: with MoE layers */
#define DTCI_WHEN_MTP DTCI_WHEN(4)   /* stage: with MTP modules */
#define DTCI_WHEN_PP DTCI_WHEN(8)    /* pp > 1 */
#define DTCI_WHEN_TP DTCI_WHEN(9)    /* tp > 1 */
#define DTCI_WHEN_SP DTCI_WHEN(10)   /* sequence parallel with tp > 1 */
#define DTCI_WHEN_DP DTCI_WHEN(12)   /* dp * cp > 1 */
#define DTCI_WHEN_ACCUMULATES DTCI_WHEN(13)
#define DTCI_WHEN_SHARDS_OPTIMIZER DTCI_WHEN(14)
#define DTCI_WHEN_SHARDS_GRADIENTS DTCI_WHEN(15)
#define DTCI_WHEN_SHARDS_WEIGHTS DTCI_WHEN(16)
#define DTCI_WHEN_UNITS DTCI_WHEN(17)     /* FSDP: unit by unit */
#define DTCI_WHEN_HEAD_UNIT DTCI_WHEN(18) /* head and embedding are units of their own */
#define DTCI_WHEN_AUTOCAST DTCI_WHEN(19)
#define DTCI_WHEN_FP32 DTCI_WHEN(20)
#define DTCI_WHEN_FP16 DTCI_WHEN(21)
#define DTCI_WHEN_PURE DTCI_WHEN(22)
#define DTCI_WHEN_FP8 DTCI_WHEN(23)
#define DTCI_WHEN_FULL DTCI_WHEN(24) /* full recomputation */
#define DTCI_WHEN_RESHARD DTCI_WHEN(25)
#define DTCI_WHEN_BUCKET_VIEW DTCI_WHEN(26)
#define DTCI_WHEN_LOSS_SAME DTCI_WHEN(27)
#define DTCI_WHEN_LOSS_FUSED DTCI_WHEN(28)
#define DTCI_WHEN_LOSS_TE DTCI_WHEN(29)
#define DTCI_WHEN_LOSS_COMPILED DTCI_WHEN(30)
#define DTCI_WHEN_CHUNKED DTCI_WHEN(31)
#define DTCI_WHEN_TE DTCI_WHEN(32) /* Transformer Engine's modules */
#define DTCI_WHEN_GRAD_FUSION DTCI_WHEN(33)
#define DTCI_WHEN_MASK DTCI_WHEN(34)
#define DTCI_WHEN_DEFER DTCI_WHEN(35)
#define DTCI_WHEN_ALLGATHER DTCI_WHEN(37) /* dispatcher */
#define DTCI_WHEN_FP8_PARAMS DTCI_WHEN(38)
#define DTCI_WHEN_FOREACH DTCI_WHEN(40)
#define DTCI_WHEN_LOOP DTCI_WHEN(41)
#define DTCI_WHEN_DROPOUT DTCI_WHEN(42)
#define DTCI_WHEN_OFFLOAD DTCI_WHEN(43) /* optimizer states lie elsewhere */
#define DTCI_WHEN_OFFLOAD_PARAMS DTCI_WHEN(44)
#define DTCI_WHEN_QLORA DTCI_WHEN(46)           /* frozen weights in 4 bit */
#define DTCI_WHEN_EAGER DTCI_WHEN(47)           /* unfused attention */
#define DTCI_WHEN_MEGATRON_LAYERS DTCI_WHEN(48) /* not Hugging Face's: arch megatron under DeepSpeed */
#define DTCI_WHEN_BF16_OPTIMIZER DTCI_WHEN(49)  /* DeepSpeed: bf16, zero1, gradients in fp32 */

#define DTCI_WHEN_LOSS_CHUNKS                                                                                          \
  DTCI_WHEN(60) /* the loss alone takes the sequence in chunks, of logits that are there whole */

/* What a term is. */
typedef struct dtci_term_text {
  char en[64];
  char zh[96];
} dtci_term_text;

enum {
#define TERM_TEXT(id, english, chinese) DTCI_TERM_TEXT_##id,
#include "internal/terms_texts.def"
#undef TERM_TEXT
  DTCI_TERM_TEXTS,
};

extern const dtci_term_text dtci_term_texts[]; /* by DTCI_TERM_TEXT_* */

/* bytes = (per_value * e + bytes) * unit / shard, with e bytes of an activation. */
typedef struct dtci_term {
  uint32_t text; /* DTCI_TERM_TEXT_* */
  uint8_t item;  /* dtc_memory_item */
  uint8_t unit;
  uint8_t shard;
  uint8_t per_value;
  uint32_t bytes;
  uint32_t moments; /* bit n: there at dtc_moment n */
  uint64_t needs;   /* all of these */
  uint64_t never;   /* none of these */
} dtci_term;

#define DTCI_AT(moment) (1u << DTC_MOMENT_##moment)
#define DTCI_POOL 1u /* in no sum: what the allocator keeps in the pools of other streams, part of reserved */
#define DTCI_ALWAYS (((1u << DTCI_MOMENTS) - 1) & ~1u)

extern const dtci_term dtci_terms_all[];
extern const uint32_t dtci_terms_all_count;
extern const dtci_term dtci_terms_megatron[];
extern const uint32_t dtci_terms_megatron_count;
extern const dtci_term dtci_terms_torch[]; /* PyTorch and TorchTitan */
extern const uint32_t dtci_terms_torch_count;
extern const dtci_term dtci_terms_deepspeed[];
extern const uint32_t dtci_terms_deepspeed_count;
extern const dtci_term dtci_terms_tuning[]; /* of fine-tuning, in every framework */
extern const uint32_t dtci_terms_tuning_count;
extern const dtci_term dtci_terms_scaling[];
extern const uint32_t dtci_terms_scaling_count;
extern const dtci_term dtci_terms_colossalai[];
extern const uint32_t dtci_terms_colossalai_count;

/* When a moment happens. */
typedef struct dtci_moment_row {
  uint64_t needs;
  uint64_t never;
} dtci_moment_row;

extern const dtci_moment_row dtci_moment_rows[DTCI_MOMENTS];

#endif

/* Which tensor an allocation was for: suspects as data, and the quantities that they are multiples of. */
#ifndef DTCI_EXPLAIN_H
#define DTCI_EXPLAIN_H

#include "internal/memory.h"
#include <dtcore/explain.h>

/* Elements of a whole tensor of tp, ep and pp = 1; those by token for one token. 0 where the case has no such tensor. */
typedef enum dtci_quantity {
  DTCI_Q_NONE,
  /* By token. */
  DTCI_Q_VOCAB, /* padded */
  DTCI_Q_HIDDEN,
  DTCI_Q_FFN,
  DTCI_Q_FFN_IN,
  DTCI_Q_QKV,
  DTCI_Q_KV,
  DTCI_Q_ROUTED,
  DTCI_Q_ROUTED_MLP,
  DTCI_Q_HEADS, /* of a pair of tokens */
  /* Of a rank, already split by tp, ep and pp. */
  DTCI_Q_LAYER,       /* of the kind that most layers are */
  DTCI_Q_DENSE_LAYER, /* beside MoE layers */
  DTCI_Q_OUTSIDE,
  DTCI_Q_EXPERT_LAYER,
  DTCI_Q_SUB_GROUP,
  DTCI_Q_PARTS, /* zero3: DTCI_Q_SHARD tensor by tensor */
  DTCI_Q_BUCKET,
  DTCI_Q_COPY, /* from here on of a stage */
  DTCI_Q_EXPERTS,
  DTCI_Q_NO_EXPERTS,
  DTCI_Q_SHARD, /* divided over dp too */
  DTCI_Q_STATES,
  DTCI_Q_STATES_WHOLE,
  DTCI_QUANTITIES,
} dtci_quantity;

/* What a tensor grows with. */
typedef enum dtci_growth {
  DTCI_GROWS_NOT,
  DTCI_GROWS_TOKENS,
  DTCI_GROWS_NEXT,  /* tokens without the last of each sequence */
  DTCI_GROWS_PAIRS, /* micro_batch * seq^2 */
} dtci_growth;

/* What must hold for a type to be usual, as bits. */
enum {
  DTCI_IF_UNFUSED = 1 << 0, /* attention that writes its scores */
  DTCI_IF_FULL = 1 << 1,    /* all weights are trained */
  DTCI_IF_FROZEN = 1 << 2,  /* adapters beside frozen weights */
  DTCI_IF_SHARDED = 1 << 3, /* optimizer states are sharded */
  DTCI_IF_GATHERS = 1 << 4, /* weights are sharded */
  DTCI_IF_WHOLE = 1 << 5,   /* they are not */
  DTCI_IF_MEGATRON = 1 << 6,
  DTCI_NEVER = 1 << 7,
};

enum { DTCI_DTYPES = 3 }; /* of 1, 2 and 4 bytes */

typedef struct dtci_suspect_row {
  dtc_suspect suspect;
  uint8_t quantity; /* dtci_quantity */
  uint8_t growth;   /* dtci_growth */
  uint8_t dtypes;   /* mask of bytes: 1, 2, 4 */
  uint8_t over_tp;  /* of a quantity by token: 1: tensor parallelism splits it, 2: sequence parallelism does */
  uint8_t request;  /* 1: an allocation is for it */
  uint8_t resident; /* 1: it is what is resident */
  uint8_t usual[DTCI_DTYPES];
  uint8_t reserved[3];
  uint32_t avoid; /* bits of dtc_remedy */
} dtci_suspect_row;

/* In the order of dtc_suspect. */
extern const dtci_suspect_row dtci_suspects[];
extern const uint32_t dtci_suspects_count;

/* By dtc_suspect. */
typedef struct dtci_suspect_text {
  char en[96];
  char zh[128];
} dtci_suspect_text;
extern const dtci_suspect_text dtci_suspect_texts[];
extern const uint32_t dtci_suspect_texts_count;

/* Remedies of one weight, of which there is no row. */
extern const uint32_t dtci_tensor_avoid;
extern const uint8_t dtci_tensor_usual[DTCI_DTYPES];

/* Stages that hold different tensors: the first, another, the last. */
enum { DTCI_EXPLAIN_STAGES = 3 };

/* The quantities of a case. */
typedef struct dtci_quantities {
  uint64_t of[DTCI_QUANTITIES]; /* up to DTCI_Q_BUCKET */
  uint64_t stages;
  uint64_t stage[DTCI_EXPLAIN_STAGES]; /* its index */
  uint64_t staged[DTCI_EXPLAIN_STAGES][DTCI_QUANTITIES];
} dtci_quantities;

/* What is asked. */
typedef struct dtci_explain {
  dtci_case c;
  int has_model;
  int knows_batch; /* the plan says the micro-batch */
  int knows_seq;
  int knows_ranks;
  uint32_t holds; /* DTCI_IF_* */
  uint32_t pad;
  dtc_alloc alloc; /* settled: low and high are there */
  dtci_quantities q;
} dtci_explain;

/* ---- explain_units.c ------------------------------------------------------------------------- */

/* Reads the case and counts its quantities. */
dtc_status dtci_explain_count(dtci_explain *x, const dtc_model *model, const dtc_cluster *cluster, const dtc_plan *plan,
                              dtc_error *e);

/* ---- explain_read.c -------------------------------------------------------------------------- */

/* What the caching allocator asks the driver for. */
uint64_t dtci_alloc_rounded(uint64_t bytes);
/* Sets low of an allocation whose low and high are what was printed, where the allocator rounds. */
void dtci_alloc_widen(dtc_alloc *a);

#endif

/* Schedules as data, and orders in closed form: what lib/pipeline.c, pipeline_order.c and pipeline_dual.c share. */
#ifndef DTCI_PIPELINE_ORDER_H
#define DTCI_PIPELINE_ORDER_H

#include "internal/pipeline.h"

/* ---- catalog/pipe_schedules.c ---------------------------------------------------------------- */

/* Who makes the order: closed forms first. */
typedef enum dtci_pipe_maker {
  DTCI_PIPE_1F1B,   /* warm-up, pairs, rest, with one chunk or several */
  DTCI_PIPE_PHASES, /* all forwards, then all backwards */
  DTCI_PIPE_ZB1P,   /* as 1f1b, with split backwards */
  DTCI_PIPE_ZBV,    /* PyTorch's fixed V */
  DTCI_PIPE_EIGHT,  /* the eight steps of DualPipe and DualPipeV */
  DTCI_PIPE_GENERATED_ZB,
  DTCI_PIPE_GENERATED_ZBV,
  DTCI_PIPE_GENERATED_V,
  DTCI_PIPE_GENERATED_1F1B_V,
  DTCI_PIPE_GENERATED_GROUP,
} dtci_pipe_maker;

/* What micro-batches must be. */
typedef enum dtci_pipe_divides {
  DTCI_PIPE_ANY,
  DTCI_PIPE_MULTIPLE, /* a multiple of pp */
  DTCI_PIPE_ROUNDS,   /* a multiple of max(1, micro_batches / pp) */
  DTCI_PIPE_EVEN,     /* even, and pp too */
  DTCI_PIPE_REST,     /* what is left behind whole groups is 0 or at least pp */
} dtci_pipe_divides;

/* Micro-batches that run through a chunk before the next. */
typedef enum dtci_pipe_groups {
  DTCI_PIPE_GROUP_NONE,   /* the schedule has no groups */
  DTCI_PIPE_GROUP_PP,     /* pp */
  DTCI_PIPE_GROUP_ROUNDS, /* micro_batches / max(1, micro_batches / pp) */
  DTCI_PIPE_GROUP_GIVEN,  /* the job's, from pp to micro_batches; pp by default */
  DTCI_PIPE_GROUP_SMALL,  /* the job's, at most pp; pp by default */
} dtci_pipe_groups;

/* Settings that a schedule has. */
enum {
  DTCI_PIPE_HAS_FORWARD_ONLY = 1 << 0,
  DTCI_PIPE_HAS_MOE_OVERLAP = 1 << 1,
  DTCI_PIPE_HAS_P2P_OVERLAP = 1 << 2,
};

/* A schedule as a framework has it. */
typedef struct dtci_pipe_row {
  dtc_schedule schedule;
  dtc_framework framework; /* the first row of a schedule is its home */
  uint8_t place;           /* dtci_pipe_place */
  uint8_t maker;           /* dtci_pipe_maker */
  uint8_t divides;         /* dtci_pipe_divides */
  uint8_t groups;          /* dtci_pipe_groups */
  uint8_t settings;        /* DTCI_PIPE_HAS_* */
  uint8_t rows;            /* ops of a micro-batch on a chunk: 2, or 3 when the backward is split */
  uint8_t least;           /* micro-batches at least this often pp; 0: 1 is enough */
  uint8_t limit;           /* activations that it may hold by default, times pp; 0: it asks for no limit */
  uint16_t chunks;         /* chunks by default */
  uint16_t chunks_min;
  uint16_t chunks_max;
  uint16_t freed[2]; /* shares of an activation that the two halves of a backward free, by default; 0: not asked for */
} dtci_pipe_row;

/* Every schedule, its rows together. */
extern const dtci_pipe_row dtci_pipe_schedules[];
extern const uint32_t dtci_pipe_schedules_count;

/* Row of a schedule, which is not the default, in a framework; its home when there is none. */
const dtci_pipe_row *dtci_pipe_row_of(dtc_schedule schedule, dtc_framework framework);

static inline int dtci_pipe_is_closed(const dtci_pipe_row *row)
{
  return row->maker < DTCI_PIPE_GENERATED_ZB;
}

/* ---- pipeline_order.c ------------------------------------------------------------------------ */

enum {
  DTCI_PIPE_SLOTS = 6,
  DTCI_PIPE_PHASES_MAX = 24,  /* PyTorch's zbv with few micro-batches has 18 */
  DTCI_PIPE_COUNTED = 0xffff, /* no chunk, but the number of an op among the rank's of its kind */
};

/* An op of the pattern that a phase repeats. */
typedef struct dtci_pipe_slot {
  uint8_t kind;
  uint8_t fused;
  uint16_t chunk;
  uint32_t first; /* micro-batch of the first repetition, or its number when the chunk is DTCI_PIPE_COUNTED */
} dtci_pipe_slot;

typedef struct dtci_pipe_phase {
  uint32_t times;
  uint32_t n;
  dtci_pipe_slot slots[DTCI_PIPE_SLOTS];
} dtci_pipe_phase;

/* The ops of a rank as patterns that repeat: every repetition takes the next micro-batch, or the next number. */
typedef struct dtci_pipe_walk {
  const dtc_pipe *p;
  uint32_t rank;
  uint32_t maker;         /* dtci_pipe_maker */
  uint32_t micro_batches; /* of a chunk */
  uint32_t group;         /* micro-batches that run through a chunk before the next */
  uint32_t waiting;       /* of DualPipe: backwards for the weights that wait at once, see dtci_pipe_weight_at() */
  uint32_t n;
  dtci_pipe_phase phases[DTCI_PIPE_PHASES_MAX];
} dtci_pipe_walk;

/* Where a numbered op runs: `left` ops from it on have the same chunk, and micro-batches `step` apart. */
typedef struct dtci_pipe_run {
  uint32_t chunk;
  uint32_t micro_batch;
  uint32_t left;
  uint32_t step;
} dtci_pipe_run;

#define DTCI_PIPE_SLOT(letter, at, number)                                                                             \
  (dtci_pipe_slot)                                                                                                     \
  {                                                                                                                    \
    .kind = DTC_PIPE_KIND_##letter, .chunk = (uint16_t)(at), .first = (uint32_t)(number)                               \
  }

/* Adds a phase; ops of micro-batches that the job has not, and of an inference all but the forwards, are left out. */
void dtci_pipe_repeat(dtci_pipe_walk *w, uint64_t times, uint32_t n, const dtci_pipe_slot *slots);

/* The phases of a rank; the schedule has a closed form. */
void dtci_pipe_walk_of(const dtc_pipe *p, uint64_t rank, dtci_pipe_walk *w);
/* Writes the rank's ops and returns how many there are. */
uint64_t dtci_pipe_write(const dtci_pipe_walk *w, dtc_pipe_op *out);
/* Op `index` of the rank; behind the last an empty one. */
dtc_pipe_op dtci_pipe_at(const dtci_pipe_walk *w, uint64_t index);

/* Most activations that a rank holds; 0 when there is no closed form. Takes a job of any size, and of a framework that
 * does not have the schedule; once a sum does not fit, *bad is set. */
int dtci_pipe_held_of(const dtc_pipe *p, uint64_t rank, dtc_pipe_held *out, int *bad);

/* ---- pipeline_dual.c ------------------------------------------------------------------------- */

void dtci_pipe_zbv_phases(dtci_pipe_walk *w);
void dtci_pipe_eight_phases(dtci_pipe_walk *w);
/* DualPipe: the k-th backward for the weights. */
dtci_pipe_run dtci_pipe_weight_at(const dtci_pipe_walk *w, uint32_t k);

#endif

/* How frameworks give the layers of a model to pipeline stages: one place for dtc_plan_stage() and dtc_pipe_layers().
 * Stage s of pp * vpp is chunk s / pp of rank s mod pp, unless they lie in a V.
 * Sources: Megatron-LM core/transformer/transformer_block.py (get_num_layers_to_build), transformer_layer.py
 * (get_transformer_layer_offset) at d98e8a64; TorchTitan distributed/pipeline_parallel.py (b5bcd76c); ColossalAI
 * pipeline/stage_manager.py (distribute_layers, 4f9953be); DeepSpeed runtime/utils.py (partition_uniform). */
#ifndef DTCI_LAYER_SPLIT_H
#define DTCI_LAYER_SPLIT_H

#include "internal/internal.h"
#include <dtcore/plan.h>

/* Whose way. */
enum {
  DTCI_SPLIT_UNIFORM, /* what does not divide goes to the first stages */
  DTCI_SPLIT_MEGATRON,
  DTCI_SPLIT_TORCHTITAN,
  DTCI_SPLIT_COLOSSALAI, /* what does not divide goes to the stages in the middle */
};

/* A split that the framework takes. */
typedef struct dtci_layer_split {
  uint32_t way;
  uint32_t reserved;
  uint64_t first_less; /* layers that something else stands for on the first stage, and on the last */
  uint64_t last_less;
  uint64_t layers;
  uint64_t pp;
  uint64_t vpp;
  uint64_t first; /* layers of the first rank, and of the last; 0 = not given */
  uint64_t last;
} dtci_layer_split;

/* Layers, and what counts as one. */
static inline uint64_t dtci_split_counted(const dtci_layer_split *s)
{
  return s->layers + s->first_less + s->last_less;
}

/* Ranks whose layers are not given, and what they share. */
static inline uint64_t dtci_middle_ranks(const dtci_layer_split *s)
{
  uint64_t given = (uint64_t)(s->first != 0) + (s->last != 0);
  return s->pp > given ? s->pp - given : 0;
}

static inline uint64_t dtci_middle_layers(const dtci_layer_split *s)
{
  uint64_t given = s->first + s->last;
  return s->layers > given ? s->layers - given : 0;
}

/* The same as numbers that every stage is counted from. */
typedef struct dtci_shares {
  uint32_t way;
  uint32_t reserved;
  uint64_t first_less;
  uint64_t last_less;
  uint64_t pp;
  uint64_t stages; /* pp * vpp */
  uint64_t each;   /* layers of a stage */
  uint64_t rest;   /* stages with one more; of Megatron's split layers of all stages of a chunk */
  uint64_t first;  /* Megatron: layers of a chunk of the first rank */
} dtci_shares;

dtci_shares dtci_shares_of(const dtci_layer_split *s);
/* Layers in front of a stage, stage pp * vpp for all of them: those that Megatron-Core before 0.11 drops are missing. */
uint64_t dtci_split_begin(const dtci_shares *s, uint64_t stage);

/* Where the stages of a schedule lie. */
typedef enum dtci_place {
  DTCI_LOOP, /* stage = chunk * pp + rank */
  DTCI_TURN, /* a V: chunk 0 of rank r is stage r, chunk 1 stage 2 * pp - 1 - r */
  DTCI_BOTH, /* dualpipe: pp stages, rank r holds stage r and stage pp - 1 - r */
} dtci_place;

static inline dtci_place dtci_schedule_place(dtc_schedule schedule)
{
  return schedule == DTC_SCHEDULE_DUALPIPE                                     ? DTCI_BOTH
         : schedule >= DTC_SCHEDULE_ZBV && schedule <= DTC_SCHEDULE_DUALPIPE_V ? DTCI_TURN
                                                                               : DTCI_LOOP;
}

/* The split of a resolved plan. */
dtci_layer_split dtci_split_of(const dtc_model *m, const dtc_plan *p);

/* And what its pipeline ranks hold. */
typedef struct dtci_stages {
  const dtc_model *m;
  dtci_shares shares;
  uint64_t chunks; /* of a rank that lie one behind the other */
  uint64_t mtp;    /* MTP modules of the last stage */
  dtci_place place;
} dtci_stages;

dtci_stages dtci_stages_of(const dtc_model *m, const dtc_plan *p);
dtc_stage dtci_stage_at(const dtci_stages *s, uint64_t rank);
/* The caller's stage of a rank, whose stages were checked; without them the plan's. */
dtc_stage dtci_stage_of(const dtci_stages *s, const dtc_stage *stages, uint64_t rank);

/* Ranks side by side that hold the same. */
typedef struct dtci_stage_run {
  dtc_stage stage;
  uint64_t first;
  uint64_t end;
} dtci_stage_run;

enum { DTCI_RUNS_MOST = 4 };

/* All runs of a pipeline, where they are few; count 0: not looked for, or too many. */
typedef struct dtci_stage_runs {
  uint64_t count;
  dtci_stage_run run[DTCI_RUNS_MOST];
} dtci_stage_runs;

void dtci_stage_runs_of(const dtci_stages *s, dtci_stage_runs *out);
/* Goes on to the next run, of `stages` when they are given; *run is all zero before the first. 0: there is none. */
int dtci_next_run(const dtci_stages *s, const dtc_stage *stages, dtci_stage_run *run);

#endif

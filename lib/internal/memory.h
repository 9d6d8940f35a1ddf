/* The parts of a memory estimate: states, units of a stage, the sheet of its terms. */
#ifndef DTCI_MEMORY_H
#define DTCI_MEMORY_H

#include "internal/layer_split.h"
#include "internal/model.h"
#include "internal/terms.h"
#include <dtcore/pipeline.h>

/* Parameters as one rank of the tensor parallel group holds them. */
typedef struct dtci_held {
  uint64_t params;
  uint64_t matrices; /* those that Muon takes: matrices of the layers */
  uint64_t factors;  /* values that Adafactor keeps */
} dtci_held;

enum { DTCI_TERMS_MOST = 128 };

/* A row of the terms, under a case: bytes = factor * unit / ranks that share it. */
typedef struct dtci_term_line {
  const dtci_term *row;
  uint64_t factor;
  uint32_t sums;   /* bit n: it is part of dtci_sheet.at[n] */
  uint32_t number; /* of the row, as its tables are counted */
} dtci_term_line;

/* What does not change from stage to stage. */
typedef struct dtci_memory_setup {
  dtci_held embedding;
  dtci_held dense;   /* a dense layer */
  dtci_held moe;     /* an MoE layer without its routed experts */
  dtci_held experts; /* the routed experts of an MoE layer that a rank has */
  dtci_held head;    /* output head and final norm */
  dtci_held beside;  /* of an MTP module, its layer left out */
  dtci_held copy;    /* of a tied embedding, on a last stage that is not the first */
  uint64_t mtp_moe;  /* 1: an MTP module's layer is an MoE layer */
  /* The same by dtci_layer_kind of layers that are neither dense nor MoE layers: of a hybrid, of an encoder. */
  uint64_t hybrid; /* 1: `layers` are of those kinds */
  dtci_held kind[DTCI_LAYER_KINDS];
  uint64_t kind_saved[DTCI_LAYER_KINDS];
  uint64_t kind_whole[DTCI_LAYER_KINDS];
  uint64_t expert_matrices; /* parameters of one expert's matrices on a rank */
  uint64_t saved[2];        /* kept by a dense layer, by an MoE layer: one micro-batch */
  uint64_t whole[2];        /* the same without recomputation */
  uint64_t output;          /* parameters of the output head's matrix on a rank */
  uint64_t padding; /* FSDP: rows of a vocabulary's matrix are padded to a multiple of the shards: parameters more */
  uint64_t table;   /* bytes of a layer's rotary table */
  uint64_t shard;   /* ranks a dense state is sharded over */
  uint64_t widest;  /* of a layer's largest matrix */
  uint64_t expert_shard;
  dtci_held adapters[2];       /* of a dense layer, of an MoE layer */
  uint64_t frozen[2];          /* layers that are not trained */
  uint64_t frozen_saved[2];    /* kept by such a layer */
  uint64_t unit[DTCI_UNITS];   /* those that are the same for every stage */
  uint64_t fixed;              /* DTCI_WHEN_* that are, and that no pipeline, sharding or offloading changes, .. */
  uint64_t when;               /* .. and those of the whole case */
  dtci_stages stages;          /* the usual split */
  const dtci_stage_runs *runs; /* of it, or NULL */
  dtc_pipe pipe;               /* the job, .. */
  uint64_t rises;              /* .. 1: a rank may have more in flight than the one before it */
  uint64_t ranks[DTCI_TERM_SHARDS];
  uint64_t terms; /* how many rows may hold under `fixed`: */
  dtci_term_line line[DTCI_TERMS_MOST];
} dtci_memory_setup;

/* What one stage holds, as a rank of the tensor parallel group does. */
typedef struct dtci_stage_held {
  const dtc_stage *stage;
  uint64_t dense_layers; /* MTP modules included */
  uint64_t moe_layers;
  uint64_t kind_layers[DTCI_LAYER_KINDS]; /* the others, .. */
  uint64_t others;                        /* .. all of them */
  uint64_t layers;                        /* of every kind, those of MTP modules and of an encoder included */
  dtci_held dense;                        /* everything but routed experts */
  dtci_held experts;
  dtci_held trained;         /* of dense, adapters included */
  dtci_held trained_experts; /* of experts */
  uint64_t four_bit;         /* parameters of dense in 4 bit */
  uint64_t four_bit_bytes;
  dtc_model_states states;   /* of both, sharded */
  uint64_t unit[DTCI_UNITS]; /* dtci_memory_units() */
} dtci_stage_held;

enum { DTCI_POOLS = DTCI_MOMENTS, DTCI_SUMS };
_Static_assert(DTCI_SUMS <= 16, "sums of a line are bits");

/* Lines that hold under some conditions: those of steady units, then the others, of each those of the same sums
 * together. */
typedef struct dtci_term_list {
  uint64_t when;
  uint64_t moments; /* bit n: dtc_moment n happens */
  uint64_t steady;  /* how many are of steady units */
  uint64_t count;   /* 0: nothing is listed */
  struct {
    uint16_t line; /* in dtci_memory_setup.line */
    uint8_t unit;  /* as its row has them */
    uint8_t shard;
    uint16_t sums; /* as the line has them, those of moments that happen */
    uint16_t row;  /* of the first of several with the same sums: how many these are */
  } at[DTCI_TERMS_MOST];
} dtci_term_list;

/* Bytes of a stage at a moment; [0]: at every one; [DTCI_POOLS]: in pools of other streams, beside any moment. */
typedef struct dtci_sheet {
  uint64_t at[DTCI_SUMS];
  uint64_t all; /* lines together */
} dtci_sheet;

/* A stage whose bytes are counted again with other numbers of micro-batches in flight. */
typedef struct dtci_counted_stage {
  uint64_t known; /* 0: nothing is */
  uint64_t units; /* 0: nor are its units and what follows: */
  dtci_sheet steady;
  dtc_stage stage;
  dtci_stage_held held;
} dtci_counted_stage;

/* What those who count many cases keep: stages of one pipeline, whatever its schedule and chunks are, and lists of one
 * framework, by a hash of their conditions. At least one each. */
typedef struct dtci_counted {
  dtci_counted_stage *stage;
  dtci_term_list *list;
  uint32_t stages;
  uint32_t lists;
  uint64_t next; /* the stage that gives way */
} dtci_counted;

/* ---- memory_states.c ------------------------------------------------------------------------- */

dtci_held dtci_held_of(const dtci_group *g, uint64_t tp, int *bad);
/* to += times * add */
void dtci_hold(dtci_held *to, const dtci_held *add, uint64_t times, int *bad);
void dtci_add_states(dtc_model_states *to, const dtci_held *held, const dtc_plan *p, uint64_t shard, int *bad);

/* ---- memory_tuning.c ------------------------------------------------------------------------- */

/* What fine-tuning adds to the setup, to what a stage holds, to its states, and to its units when all others are known. */
void dtci_tuning_prepare(const dtci_case *c, dtci_ledger *l, dtci_memory_setup *s, int *bad);
void dtci_tuning_hold(const dtci_case *c, const dtci_memory_setup *s, dtci_stage_held *h, int *bad);
void dtci_tuning_states(const dtci_case *c, dtci_stage_held *h, int *bad);
void dtci_tuning_units(const dtci_case *c, const dtci_memory_setup *s, const dtci_stage_held *h,
                       uint64_t unit[DTCI_UNITS], int *bad);

/* ---- memory_units.c -------------------------------------------------------------------------- */

/* The two parts of dtci_held_prepare(): what no pipeline, sharding or offloading changes, and the rest. */
void dtci_setup_layers(const dtci_case *c, const dtci_weights *w, dtci_memory_setup *s, int *bad);
void dtci_setup_split(const dtci_case *c, dtci_memory_setup *s, int *bad);
/* What depends on the case alone; `w` is the model's. */
dtc_status dtci_held_prepare(const dtci_case *c, const dtci_weights *w, dtci_memory_setup *s, dtc_error *e);
/* The same, and refuses what memory does not count. */
dtc_status dtci_memory_prepare(const dtci_case *c, const dtci_weights *w, dtci_memory_setup *s, dtc_error *e);
/* Layers of a stage by kind, those of MTP modules among them. */
void dtci_stage_layers(const dtci_memory_setup *s, const dtc_stage *stage, uint64_t of[DTCI_LAYER_KINDS]);
/* What a stage holds. */
void dtci_memory_hold(const dtci_case *c, const dtci_memory_setup *s, const dtc_stage *stage, dtci_stage_held *h,
                      int *bad);
/* Units of a stage; those of the case are copied. */
void dtci_memory_units(const dtci_case *c, const dtci_memory_setup *s, dtci_stage_held *h, uint64_t in_flight,
                       int *bad);
/* The same once more, when only the schedule and its chunks changed: those before DTCI_U_STEADY. */
void dtci_memory_units_again(const dtci_case *c, const dtci_memory_setup *s, dtci_stage_held *h, uint64_t in_flight,
                             int *bad);

/* Layers, of `layers` in a stage, that full recomputation takes. */
uint64_t dtci_recomputed_layers(const dtc_plan *p, uint64_t layers);

/* ---- memory_torch.c -------------------------------------------------------------------------- */

/* Units of PyTorch and TorchTitan: of the case, and of a stage after the others. */
void dtci_torch_prepare(const dtci_case *c, dtci_ledger *l, dtci_memory_setup *s, uint64_t tokens, uint64_t vocab,
                        int *bad);
void dtci_torch_units(const dtci_case *c, const dtci_memory_setup *s, const dtci_stage_held *h,
                      uint64_t unit[DTCI_UNITS], int *bad);
/* ---- memory_megatron.c ----------------------------------------------------------------------- */

/* Megatron's own, behind the others: of the case, of a stage, and of it those that are not steady. */
void dtci_megatron_prepare(const dtci_case *c, dtci_memory_setup *s, uint64_t tokens, int *bad);
void dtci_megatron_units(const dtci_case *c, const dtci_memory_setup *s, const dtci_stage_held *h, uint64_t in_flight,
                         uint64_t unit[DTCI_UNITS], int *bad);
void dtci_megatron_units_again(const dtci_case *c, const dtci_memory_setup *s, const dtci_stage_held *h,
                               uint64_t in_flight, uint64_t unit[DTCI_UNITS], int *bad);
/* Is the waste of whole segments among its units? */
int dtci_is_rounded(const dtci_case *c, const dtci_memory_setup *s, const dtci_stage_held *h);

/* ---- memory_offload.c ------------------------------------------------------------------------ */

/* Fills host and nvme of a stage; its in_flight is known. */
void dtci_memory_offload(const dtci_case *c, const dtci_memory_setup *s, const dtci_stage_held *h, dtc_memory *out,
                         int *bad);

/* ---- memory_zero.c --------------------------------------------------------------------------- */

/* Parameters of a stage in the part that is a rank's own under ZeRO. */
uint64_t dtci_part_of_rank(const dtci_memory_setup *s, const dtci_stage_held *h, int *bad);
/* Units of DeepSpeed, ColossalAI and scaling, after the others. */
void dtci_zero_units(const dtci_case *c, const dtci_memory_setup *s, const dtci_stage_held *h,
                     uint64_t unit[DTCI_UNITS], int *bad);

/* ---- memory_terms.c -------------------------------------------------------------------------- */

/* The two parts of a case's conditions, as dtci_setup_layers() and dtci_setup_split(); the first lists rows. */
void dtci_terms_fixed(const dtci_case *c, dtci_memory_setup *s);
void dtci_terms_split(const dtci_case *c, dtci_memory_setup *s);
/* Lines of a stage; `list` holds others, or nothing. */
void dtci_terms_list(const dtci_memory_setup *s, const dtci_stage_held *h, dtci_term_list *list);
/* The same, which may be among those of `counted`. */
const dtci_term_list *dtci_terms_listed(const dtci_memory_setup *s, const dtci_stage_held *h, dtci_counted *counted);
/* Adds up the lines of a stage: those of steady units on an empty sheet, and the others on top of them. */
void dtci_sheet_steady(const dtci_memory_setup *s, const dtci_term_list *list, const dtci_stage_held *h,
                       dtci_sheet *sheet, int *bad);
void dtci_sheet_others(const dtci_memory_setup *s, const dtci_term_list *list, const dtci_stage_held *h,
                       dtci_sheet *sheet, int *bad);
/* Items at a moment, those that are always there among them; the sheet is known to be right. */
void dtci_memory_items(const dtci_memory_setup *s, const dtci_term_list *list, const dtci_stage_held *h,
                       dtc_moment moment, uint64_t items[DTCI_ITEMS]);

/* Terms of a stage that are not 0. */
dtc_status dtci_memory_list(const dtci_case *c, const dtci_memory_setup *s, const dtci_stage_held *h,
                            dtc_memory_term *terms, size_t cap, size_t *count, dtc_error *e);

/* ---- memory.c -------------------------------------------------------------------------------- */

/* What the allocator holds and the GPU shows of a model's bytes in tensors, with their ranges. */
void dtci_memory_shown(const dtci_case *c, uint64_t allocated, dtc_memory *out, int *bad);

/* Bytes of an item; 0 of DTC_MEMORY_ITEM_NONE. */
uint64_t dtci_memory_item(const dtc_memory *m, dtc_memory_item item);
/* What the GPU shows of so many bytes in tensors and in pools of other streams. */
uint64_t dtci_device_bytes(const dtci_case *c, uint64_t allocated, uint64_t pools, int *bad);
/* One stage. */
dtc_status dtci_memory_stage(const dtci_case *c, const dtci_memory_setup *s, uint64_t index, const dtc_stage *stage,
                             dtc_memory *out, dtc_error *e);
/* Reads the caller's case, checks it, and weighs its model; what a schedule has in flight need not be known. */
dtc_status dtci_held_begin(dtci_case *c, dtci_weights *w, const dtc_model *model, const dtc_cluster *cluster,
                           const dtc_plan *plan, const dtc_stage *stages, size_t n, dtc_error *e);
/* The same of what memory needs. */
dtc_status dtci_memory_begin(dtci_case *c, dtci_weights *w, const dtc_model *model, const dtc_cluster *cluster,
                             const dtc_plan *plan, const dtc_stage *stages, size_t n, dtc_error *e);
/* Of a legal case whose model weighs `w`: the stage that needs most. */
dtc_status dtci_memory_of(const dtci_case *c, const dtci_weights *w, const dtc_stage *stages, size_t n, dtc_memory *out,
                          dtc_error *e);
/* The stage that needs most; stages NULL for the usual split. */
dtc_status dtci_memory_worst(const dtci_case *c, const dtci_memory_setup *s, const dtc_stage *stages, dtc_memory *out,
                             dtc_error *e);

/* ---- memory_fullest.c ------------------------------------------------------------------------ */

/* Run `i` of a pipeline's stages; *run is all zero before the first, and may be changed. NULL: there is none. */
const dtci_stage_run *dtci_memory_run(const dtci_memory_setup *s, const dtc_stage *stages, uint64_t i,
                                      dtci_stage_run *run);
/* Bytes that the GPU of the fullest stage shows, `stages` NULL for the usual split; `worst` that stage, its index in
 * `first`. Stages in `counted` are of a case that differs in schedule and chunks alone. */
uint64_t dtci_memory_device(const dtci_case *c, const dtci_memory_setup *s, dtci_counted *counted,
                            const dtc_stage *stages, dtci_stage_run *worst, int *bad);
/* A stage, which may be among those of `counted`; its units are as they were last counted. */
dtci_counted_stage *dtci_counted_of(const dtci_case *c, const dtci_memory_setup *s, dtci_counted *counted,
                                    const dtc_stage *stage, int *bad);
/* Forgets the stages. */
void dtci_counted_forget(dtci_counted *counted);

#endif

/* The parts of a memory estimate that do not change from stage to stage. */
#ifndef DTCI_MEMORY_H
#define DTCI_MEMORY_H

#include "internal/ledger.h"
#include "internal/model.h"
#include <dtcore/memory.h>

/* Parameters as one rank of the tensor parallel group holds them. */
typedef struct dtci_held {
  uint64_t params;
  uint64_t matrices; /* those that Muon takes: matrices of the layers */
  uint64_t factors;  /* values that Adafactor keeps */
} dtci_held;

typedef struct dtci_memory_setup {
  dtci_held embedding;
  dtci_held dense;   /* a dense layer */
  dtci_held moe;     /* an MoE layer without its routed experts */
  dtci_held experts; /* the routed experts of an MoE layer that a rank has */
  dtci_held head;    /* output head and final norm */
  dtci_held beside;  /* of an MTP module, its layer left out */
  dtci_held copy;    /* of a tied embedding, on a last stage that is not the first */
  uint64_t mtp_moe;  /* 1: an MTP module's layer is an MoE layer */
  uint64_t saved[2]; /* kept by a dense layer, by an MoE layer: one micro-batch */
  uint64_t loss;     /* temporaries of the loss */
  uint64_t backward; /* temporaries of a layer's backward */
  uint64_t hidden;   /* a layer's input */
  uint64_t output;   /* parameters of the output head's matrix on a rank */
  uint64_t table;    /* bytes of a layer's rotary table */
  uint64_t shard;    /* ranks a dense state is sharded over */
  uint64_t expert_shard;
  uint64_t workspace;       /* of kernels */
  uint64_t workspace_dense; /* stand-ins for weight gradients: of a stage with dense layers */
  uint64_t workspace_moe;
  uint64_t workspace_head;
} dtci_memory_setup;

/* What one stage holds, as a rank of the tensor parallel group does. */
typedef struct dtci_stage_held {
  const dtc_stage *stage;
  uint64_t dense_layers; /* MTP modules included */
  uint64_t moe_layers;
  dtci_held dense; /* everything but routed experts */
  dtci_held experts;
} dtci_stage_held;

/* Finds the moment of the peak: fills moment, in_flight, gradients (given whole), buckets, gathered, activations and
 * transient. */
void dtci_memory_peak(const dtci_case *c, const dtci_memory_setup *s, const dtci_stage_held *h, dtc_memory *out,
                      int *bad);

/* What depends on the case alone; `w` is the model's. */
dtc_status dtci_memory_prepare(const dtci_case *c, const dtci_weights *w, dtci_memory_setup *s, dtc_error *e);
/* One stage. */
dtc_status dtci_memory_stage(const dtci_case *c, const dtci_memory_setup *s, uint64_t index, const dtc_stage *stage,
                             dtc_memory *out, dtc_error *e);
/* The stage that needs most; stages NULL for the usual split. */
dtc_status dtci_memory_worst(const dtci_case *c, const dtci_memory_setup *s, const dtc_stage *stages, dtc_memory *out,
                             dtc_error *e);

#endif

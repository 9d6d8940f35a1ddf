/* The parts of a memory estimate that do not change from stage to stage. */
#ifndef DTCI_MEMORY_H
#define DTCI_MEMORY_H

#include "internal/ledger.h"
#include "internal/model.h"
#include <dtcore/memory.h>

typedef struct dtci_memory_setup {
  dtci_weights weights;
  uint64_t saved[2]; /* kept by a dense layer, by an MoE layer: one micro-batch */
  uint64_t loss;     /* temporaries of the loss */
  uint64_t backward; /* temporaries of a layer's backward */
  uint64_t shard;    /* ranks a dense state is sharded over */
  uint64_t expert_shard;
} dtci_memory_setup;

/* What depends on the case alone. The model's vocabulary is padded in the case. */
dtc_status dtci_memory_prepare(dtci_case *c, dtci_memory_setup *s, dtc_error *e);
/* One stage. */
dtc_status dtci_memory_stage(const dtci_case *c, const dtci_memory_setup *s, uint64_t index, const dtc_stage *stage,
                             dtc_memory *out, dtc_error *e);
/* The stage that needs most; stages NULL for the usual split. */
dtc_status dtci_memory_worst(const dtci_case *c, const dtci_memory_setup *s, const dtc_stage *stages, dtc_memory *out,
                             dtc_error *e);

#endif

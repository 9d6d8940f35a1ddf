/* What a pipeline schedule holds. */
#ifndef DTCI_PIPELINE_H
#define DTCI_PIPELINE_H

#include "internal/internal.h"
#include <dtcore/plan.h>

/* Micro-batches (model chunks when interleaved) whose activations a stage holds at once, for a resolved plan. */
uint64_t dtci_in_flight(const dtc_plan *p, uint64_t stage, int *bad);

#endif

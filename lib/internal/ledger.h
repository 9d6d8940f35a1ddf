/* What the layers keep and compute: the sums that memory and step take. */
#ifndef DTCI_LEDGER_H
#define DTCI_LEDGER_H

#include "internal/plan.h"
#include <dtcore/ledger.h>

/* Values of a row of TorchTitan's rotary table; 0 without rotary positions. */
uint64_t dtci_rope_values(const dtc_model *m);
/* A layer's input. */
uint64_t dtci_hidden_bytes(const dtc_model *m, const dtc_plan *p, int *bad);
/* Bytes of a type of the layers' activations. */
static inline uint64_t dtci_activation_size(const dtc_plan *p)
{
  return p->precision == DTC_PRECISION_FP32 ? 4 : 2;
}

#endif

/* What the layers keep and compute: the sums that memory and step take. */
#ifndef DTCI_LEDGER_H
#define DTCI_LEDGER_H

#include "internal/plan.h"
#include <dtcore/ledger.h>

/* Bytes that a layer of this kind keeps for backward, for one micro-batch on one rank. */
uint64_t dtci_saved(const dtc_model *m, const dtc_plan *p, dtc_layer_kind kind, int *bad);
/* Temporaries at the peak of the loss on the stage with the head, logits included. */
uint64_t dtci_loss_bytes(const dtc_model *m, const dtc_plan *p, int *bad);
/* Temporaries of a layer's backward beside what it saved. */
uint64_t dtci_backward_bytes(const dtc_model *m, const dtc_plan *p, int *bad);
/* Values of a row of TorchTitan's rotary table; 0 without rotary positions. */
uint64_t dtci_rope_values(const dtc_model *m);
/* A layer's input. */
uint64_t dtci_hidden_bytes(const dtc_model *m, const dtc_plan *p, int *bad);
/* Bytes of a type of the layers' activations. */
uint64_t dtci_activation_size(const dtc_plan *p);

#endif

/* The frameworks' own estimators: which formulas a version has. */
#ifndef DTCI_ESTIMATOR_H
#define DTCI_ESTIMATOR_H

#include "internal/internal.h"
#include <dtcore/memory.h>

typedef struct dtci_estimator_row {
  dtc_estimator estimator;
  dtc_release since; /* versions [since, until) */
  dtc_release until; /* 0: those to `newest`, and the head */
  dtc_release newest;
  uint32_t whole; /* DeepSpeed, without offload: bytes on every GPU per parameter */
  uint32_t shard; /* and of the part of a GPU */
  uint32_t apart; /* Megatron, 1: norms and routers are whole on every rank, experts over ep and etp; 0: all over tp */
  uint32_t needs; /* DTCI_NEEDS_*: what it is told of the model */
} dtci_estimator_row;

enum {
  DTCI_NEEDS_PARAMS = 1 << 0,
  DTCI_NEEDS_LAYER = 1 << 1, /* the largest layer */
  DTCI_NEEDS_SHAPE = 1 << 2,
};

/* Rows of an estimator stand together, the oldest first. */
extern const dtci_estimator_row dtci_estimators[];
extern const uint32_t dtci_estimators_count;

/* Bytes of a weight as accelerate loads it, in halves; by dtc_load_dtype, row 0 is empty. */
extern const uint8_t dtci_load_halves[];

#endif

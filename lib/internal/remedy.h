/* Changes of a plan that may save memory, as data: rows of lib/catalog/remedies.c. */
#ifndef DTCI_REMEDY_H
#define DTCI_REMEDY_H

#include "internal/plan.h"
#include <dtcore/memory.h>

typedef enum dtci_change {
  DTCI_SET,    /* the field gets `value` */
  DTCI_DOUBLE, /* twice its value */
  DTCI_HALVE,  /* half of it, rounded down */
} dtci_change;

typedef struct dtci_remedy_row {
  dtc_remedy remedy;
  uint32_t change;
  uint32_t field;      /* operand of the plan: DTCI_OPERAND() */
  uint32_t value;      /* of DTCI_SET */
  uint32_t frameworks; /* DTCI_PYTORCH ..: those that have it */
  uint32_t with;       /* the plan has all of these, DTCI_TP .. */
  uint32_t from;       /* bits of the field's values that it starts from; 0: any */
  uint32_t above;      /* and the value is above this; 0: any */
  uint32_t shardings;  /* bits of dtc_sharding; 0: any */
  uint32_t trades_dp;  /* 1: dp is halved where it is even, so that the GPUs stay */
} dtci_remedy_row;

/* Is the change one of the framework, from a plan that does not have it yet? (memory_remedy.c) */
int dtci_remedy_applies(const dtci_case *c, dtc_remedy remedy);

extern const dtci_remedy_row dtci_remedies[];
extern const uint32_t dtci_remedies_count;

#endif

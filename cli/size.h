/* A bare size: all that follows from it is how many bytes of training states a framework keeps. */
#ifndef SIZE_H
#define SIZE_H

#include "model_arg.h"

/* Whose bytes these are. */
typedef struct size_states {
  dtc_framework framework;
  dtc_model_states states; /* of the whole model on one GPU */
} size_states;

/* Refuses options that a size has no use for, then counts: as the framework of the options keeps the states, else as
 * DeepSpeed does with mixed-precision Adam, 2 + 2 + 12 bytes a parameter. 0, or EXIT_BAD_INPUT with the reason printed. */
int size_count(const cli *c, const args *a, const model_arg *model, const plan_arg *plan, size_states *out);

#endif

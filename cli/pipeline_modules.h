/* The modules of a model in the order in which a pipeline cuts it: embedding, layers, final norm, head. */
#ifndef PIPELINE_MODULES_H
#define PIPELINE_MODULES_H

#include "pipeline_arg.h"

typedef struct modules {
  model_arg model;
  bool has_model;
  uint64_t layers;   /* of the model */
  uint64_t *weights; /* parameters of each module: layers + 3 of them */
  double *costs;     /* FLOPs of each item of a micro-batch: embedding, layers, norm with head: layers + 2 of them */
} modules;

/* The model of the operand or of the plan, if any. 0, or EXIT_BAD_INPUT with the reason printed. */
int modules_read(const cli *c, const args *a, const plan_arg *plan, modules *out);

/* Leaves 1 for the modules of a class of names, and 0 for the others. 0, or EXIT_BAD_INPUT. */
int modules_choose(const cli *c, const char *class, modules *m);

#endif

/* What moves together in a step: reductions of gradients, gathers of weights, sub-groups of the optimizer. */
#ifndef SHARD_BATCHES_H
#define SHARD_BATCHES_H

#include "shard_arg.h"

/* --reductions, --gathers and --sub-groups. */
int answer_shard_batches(const cli *c, const args *a, const shard_arg *s);

/* Sums of a step; nothing of the schemes whose collectives the library does not list. */
void batch_sums_print(const cli *c, const shard_arg *s);

/* step */
void batch_sums_json(json *j, const cli *c, const shard_arg *s);

#endif

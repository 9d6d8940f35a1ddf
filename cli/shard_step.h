/* An optimizer step: its collectives, what a rank holds meanwhile, and what offloading moves. */
#ifndef SHARD_STEP_H
#define SHARD_STEP_H

#include "shard_arg.h"

int answer_shard_step(const cli *c, const args *a, const shard_arg *s);

#endif

/* What an optimizer keeps for the tensors that the heaviest rank gives it, and what its step adds. */
#ifndef SHARD_OPTIMIZER_H
#define SHARD_OPTIMIZER_H

#include "shard_arg.h"

int answer_shard_optimizer(const cli *c, const args *a, const shard_arg *s);

#endif

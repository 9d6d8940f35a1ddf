/* A picture of a sharding: a row for each rank, or for each bucket where all ranks hold the same. */
#ifndef SHARD_MAP_H
#define SHARD_MAP_H

#include "shard_arg.h"

int answer_shard_map(const cli *c, const args *a, const shard_arg *s);

#endif

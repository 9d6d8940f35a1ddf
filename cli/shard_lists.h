/* Lists of what a sharding moves together. */
#ifndef SHARD_LISTS_H
#define SHARD_LISTS_H

#include "shard_arg.h"

/* The buckets by their numbers. The caller frees. */
dtc_bucket *shard_buckets(const cli *c, const shard_arg *s, size_t *count);

int answer_shard_buckets(const cli *c, const args *a, const shard_arg *s);

#endif

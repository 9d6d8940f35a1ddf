/* What each way to share the states holds and sends, beside DDP. */
#ifndef SHARD_COMPARE_H
#define SHARD_COMPARE_H

#include "shard_arg.h"

int answer_shard_compare(const cli *c, const args *a, const shard_arg *s);

#endif

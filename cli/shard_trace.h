/* One iteration of ZeRO-3: what it gathers, and how much is whole at a time. */
#ifndef SHARD_TRACE_H
#define SHARD_TRACE_H

#include "shard_arg.h"

int answer_shard_trace(const cli *c, const args *a, const shard_arg *s);

#endif

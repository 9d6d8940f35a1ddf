/* FSDP2 cuts tensors by rows: what it costs when the ranks do not divide them, and which world nearby costs least. */
#ifndef SHARD_EVEN_H
#define SHARD_EVEN_H

#include "shard_findings.h"

void even_print(const cli *c, const shard_arg *s, const shard_findings *f);

#endif

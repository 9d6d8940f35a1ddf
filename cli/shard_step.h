/* An optimizer step: its collectives, what a rank holds meanwhile, and what offloading moves. */
#ifndef SHARD_STEP_H
#define SHARD_STEP_H

#include "shard_arg.h"

/* The collectives of a step, and the bytes of the heaviest rank. */
enum { STEP_MESSAGES = 8 };
typedef struct shard_step {
  uint64_t micro_batches;
  dtc_message messages[STEP_MESSAGES];
  size_t n;
  dtc_shard_bytes bytes;
} shard_step;

/* 0, or EXIT_BAD_INPUT with the reason printed. */
int shard_step_read(const cli *c, const shard_arg *s, uint64_t micro_batches, shard_step *out);

int answer_shard_step(const cli *c, const args *a, const shard_arg *s);

#endif

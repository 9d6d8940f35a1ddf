/* Two shardings of the same tensors: of a checkpoint, and of the job that loads it. */
#ifndef RESHARD_ARG_H
#define RESHARD_ARG_H

#include "shard_arg.h"

/* One of the two. */
typedef struct reshard_side {
  dtc_shards shards; /* resolved */
  uint64_t tp;       /* tensor parallel degree, of fsdp2 */
  dtc_slot *slots;
  dtc_shard_totals totals;
} reshard_side;

typedef struct reshard_arg {
  tensors tensors;
  reshard_side from;
  reshard_side to;
  dtc_checkpoint_form form; /* of the checkpoint; default what its framework writes */
  uint64_t bandwidth;       /* of the storage, bytes/s; 0 = not said */
} reshard_arg;

/* 0, or EXIT_BAD_INPUT with the reason printed. */
int reshard_arg_read(const cli *c, const args *a, reshard_arg *out);

/* Both are fsdp2, whose tensors are read as boxes. */
bool reshard_boxes(const reshard_arg *r);

#endif

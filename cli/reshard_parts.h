/* What ranks read of a checkpoint: sums, and piece by piece. */
#ifndef RESHARD_PARTS_H
#define RESHARD_PARTS_H

#include "reshard_arg.h"

/* Sums over all ranks, by the vectors of the buckets where the form keeps those and they are alike, else by tensors; of
 * fsdp2 by boxes. 0, or EXIT_BAD_INPUT with the reason printed. */
int reshard_sum(const cli *c, const reshard_arg *r, dtc_checkpoint_form form, dtc_reshard_sums *out);

/* What --rank reads. */
int answer_reshard_rank(const cli *c, const args *a, const reshard_arg *r, dtc_checkpoint_form form);

/* "zero12 over 32 ranks -> ..." */
void print_sides(const cli *c, const reshard_arg *r);

/* model, tensors, from, to */
void json_sides(json *j, const reshard_arg *r);

#endif

/* Parts of tensors: what a rank holds, and who holds a tensor. */
#ifndef SHARD_PARTS_H
#define SHARD_PARTS_H

#include "shard_arg.h"

/* What a rank holds, in the order of the tensors; gives how many parts. The caller frees. */
size_t rank_parts(const cli *c, const shard_arg *s, uint64_t rank, dtc_fragment **out);

/* tensor, bucket, tensor_offset, shard_offset, length */
void json_part(json *j, const dtc_fragment *f);

int answer_shard_rank(const cli *c, const args *a, const shard_arg *s);
int answer_shard_tensor(const cli *c, const args *a, const shard_arg *s);

#endif

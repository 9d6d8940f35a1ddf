/* fsdp1_flatparam.csv: the whole model as one flat parameter of FSDP1. */
#include "shards.h"

void golden_fsdp1_flatparam(golden *g)
{
  dtc_shards s;
  uint64_t world = golden_number(g, "world");
  const char *dtype = golden_cell(g, "unsharded_dtype");
  int aligned = golden_is(g, "use_orig_params", "1");
  DTC_INIT(&s);
  s.scheme = DTC_SHARD_SCHEME_FSDP1;
  s.world = world;
  s.dtype = shards_dtype(dtype, strlen(dtype));
  s.orig_params = aligned ? DTC_BOOL_ON : DTC_BOOL_OFF;
  const shards_layout *l = shards_lay(g, &s);
  if (l == NULL)
    return;
  uint64_t end = l->slots[0].bucket_end, used = l->slots[0].used, part = end / world;
  uint64_t flat = aligned ? end : used, none = 0, pads = 0;
  digest ranges = digest_start;
  for (uint64_t rank = 0; rank < world; rank++) {
    size_t n = shards_fragments(g, l, rank);
    uint64_t from = rank * part, real = from < flat ? flat - from : 0, pad = part - (real < part ? real : part);
    ranges = digest_put(digest_put(ranges, from), from + part);
    ranges = digest_put(digest_put(ranges, pad), n);
    for (size_t k = 0; k < n; k++) {
      ranges = digest_put(digest_put(ranges, l->fragments[k].tensor), l->fragments[k].tensor_offset);
      ranges = digest_put(digest_put(ranges, l->fragments[k].length), l->fragments[k].shard_offset);
    }
    pads += pad;
    none += n == 0;
  }
  golden_u64(g, "flat_numel", flat);
  golden_u64(g, "align_pad", used - l->model->numel);
  golden_u64(g, "world_pad", flat - used);
  golden_u64(g, "shard_numel", part);
  golden_u64(g, "padded_unsharded_numel", end);
  golden_u64(g, "n_ranks_without_params", none);
  golden_u64(g, "sum_rank_pad", pads);
  digest_answer(g, "fnv_ranges", ranges);
}

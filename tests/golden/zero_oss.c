/* zero_oss.csv: whole tensors to the least loaded rank, by fairscale's OSS and PyTorch's ZeroRedundancyOptimizer. */
#include "shards.h"

void golden_zero_oss(golden *g)
{
  dtc_shards s;
  dtc_shard_totals t;
  digest owners = digest_start;
  DTC_INIT(&s);
  s.scheme = golden_is(g, "kind", "fairscale_oss") ? DTC_SHARD_SCHEME_OSS : DTC_SHARD_SCHEME_WHOLE;
  s.world = golden_number(g, "world");
  const shards_layout *l = shards_lay(g, &s);
  if (l == NULL || !shards_totals(g, l, &t))
    return;
  for (size_t i = 0; i < l->model->n; i++)
    owners = digest_put(owners, l->slots[i].owner);
  golden_u64(g, "max_rank_numel", t.most);
  golden_u64(g, "min_rank_numel", t.least);
  digest_answer(g, "fnv_owner", owners);
}

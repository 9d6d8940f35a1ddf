/* colossal_chunks.csv, rows of kind lowlevel: ColossalAI's low-level ZeRO: padded tensors, buckets, the step's gathers. */
#include "batches.h"

#include <inttypes.h>
#include <stdio.h>

static digest put_batches(const batches *b)
{
  digest d = digest_start;
  for (size_t i = 0; i < b->n; i++) {
    d = digest_put(d, b->list[i].tensors);
    d = digest_put(d, b->list[i].elements);
  }
  return d;
}

static void answer_layout(golden *g, const shards_layout *l)
{
  digest d = digest_start;
  dtc_shard_totals t;
  if (!shards_totals(g, l, &t))
    return;
  for (size_t i = 0; i < l->model->n; i++) {
    const dtc_slot *slot = &l->slots[i];
    uint64_t size = slot->bucket_end - slot->bucket_start;
    d = digest_put(d, slot->used);
    d = digest_put(d, size - slot->used);
    d = digest_put(d, size / l->shards.world);
  }
  digest_answer(g, "fnv_layout", d);
  golden_u64(g, "total_alloc_numel", t.padded);
  golden_u64(g, "total_waste_or_pad", t.padded - t.numel);
}

void golden_colossal_lowlevel(golden *g)
{
  dtc_shards s;
  char extra[80];
  uint64_t largest = 0;
  DTC_INIT(&s);
  s.scheme = DTC_SHARD_SCHEME_LOW_LEVEL_ZERO;
  s.world = golden_number(g, "dp");
  s.bucket = golden_number(g, "chunk_size_or_bucket");
  const shards_layout *l = shards_lay(g, &s);
  const batches *reductions = l != NULL ? batches_of(g, l, BATCHES_REDUCTIONS) : NULL;
  const batches *gathers = reductions != NULL ? batches_of(g, l, BATCHES_GATHERS) : NULL;
  if (gathers == NULL)
    return;
  answer_layout(g, l);
  for (size_t i = 0; i < gathers->n; i++)
    largest = gathers->list[i].kept > largest ? gathers->list[i].kept : largest;
  snprintf(extra, sizeof extra, "%016" PRIx64 "/%zu/%016" PRIx64, put_batches(reductions), gathers->n,
           put_batches(gathers));
  golden_u64(g, "chunk_size_or_bucket", l->shards.bucket);
  golden_u64(g, "n_chunks_or_buckets", reductions->n);
  golden_u64(g, "max_chunk_or_allgather_numel", largest);
  golden_text(g, "extra", extra);
}

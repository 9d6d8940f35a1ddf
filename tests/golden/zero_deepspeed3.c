/* zero_deepspeed3.csv: DeepSpeed's ZeRO-3: parts of each tensor, sub-groups, persistent tensors, buckets, hpZ. */
#include "batches.h"

#include <inttypes.h>
#include <stdio.h>

static void answer_ranges(golden *g, const shards_layout *l)
{
  digest d = digest_start;
  uint64_t held = 0;
  dtc_shard_totals t;
  if (!shards_totals(g, l, &t))
    return;
  for (uint64_t rank = 0; rank < l->shards.world; rank++) {
    size_t count = shards_fragments(g, l, rank), k = 0;
    held = 0;
    for (size_t i = 0; i < l->model->n; i++) {
      uint64_t part = (l->slots[i].bucket_end - l->slots[i].bucket_start) / l->shards.world;
      uint64_t real = k < count && l->fragments[k].tensor == i ? l->fragments[k++].length : 0;
      d = digest_put(d, part * rank);
      d = digest_put(d, real);
      d = digest_put(d, part - real);
      held += real;
    }
    d = digest_put(d, held);
  }
  golden_u64(g, "partition_numel_per_rank", t.per_rank);
  golden_u64(g, "total_pad", t.padded - t.numel);
  golden_u64(g, "real_numel_last_rank", held);
  golden_u64(g, "n_all_padding_ranks", t.empty);
  digest_answer(g, "fnv_ranges", d);
}

static void answer_batches(golden *g, const shards_layout *l)
{
  digest d = digest_start;
  dtc_error err;
  uint64_t tensors = 0, elements = 0;
  DTC_INIT(&err);
  const batches *groups = batches_of(g, l, BATCHES_SUB_GROUPS), *b = batches_of(g, l, BATCHES_REDUCTIONS);
  if (groups == NULL || b == NULL ||
      !golden_ok(g, dtc_shards_persistent(&l->shards, l->model->shapes, l->model->n, &tensors, &elements, &err), &err))
    return;
  for (size_t i = 0; i < b->n; i++) {
    d = digest_put(d, b->list[i].tensors);
    d = digest_put(d, b->list[i].elements);
    d = digest_put(d, b->list[i].sent);
    d = digest_put(d, b->list[i].kept);
  }
  golden_u64(g, "n_sub_groups", groups->n);
  golden_u64(g, "n_persistent", tensors);
  golden_u64(g, "persistent_numel", elements);
  golden_u64(g, "n_ipg_buckets", b->n);
  digest_answer(g, "fnv_ipg", d);
}

static void answer_secondary(golden *g, const shards_layout *l)
{
  uint64_t hpz = l->shards.hpz, elements = 0;
  size_t n = l->model->n, count = 0;
  digest d = digest_start;
  char text[64];
  for (uint64_t rank = 0; rank < hpz; rank++) {
    dtc_error err;
    DTC_INIT(&err);
    if (!golden_ok(g,
                   dtc_shards_secondary(&l->shards, l->model->shapes, n, l->slots, n, rank, l->fragments, n, &count,
                                        &elements, &err),
                   &err))
      return;
    for (size_t i = 0, k = 0; i < n; i++) {
      d = digest_put(d, (l->slots[i].bucket_end - l->slots[i].bucket_start) / hpz);
      d = digest_put(d, k < count && l->fragments[k].tensor == i ? l->fragments[k++].length : 0);
    }
  }
  snprintf(text, sizeof text, "%" PRIu64 "/%016" PRIx64, elements, d);
  golden_text(g, "secondary_numel/fnv", text);
}

void golden_zero_deepspeed3(golden *g)
{
  dtc_shards s;
  DTC_INIT(&s);
  s.scheme = DTC_SHARD_SCHEME_ZERO3;
  s.version = 19006;
  s.world = golden_number(g, "world");
  s.bucket = golden_number(g, "reduce_bucket_size");
  s.sub_group = golden_number(g, "sub_group_size");
  s.persistence = golden_number(g, "persistence_threshold");
  s.persistence = s.persistence != 0 ? s.persistence : DTC_NONE;
  s.hpz = golden_number(g, "hpz");
  const shards_layout *l = shards_lay(g, &s);
  if (l == NULL)
    return;
  answer_ranges(g, l);
  answer_batches(g, l);
  answer_secondary(g, l);
}

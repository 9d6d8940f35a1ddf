/* zero_deepspeed12.csv: DeepSpeed's ZeRO-1 and 2: the flat vector, its buckets, their slices, the accumulator. */
#include "batches.h"

#include <stdio.h>

/* The layout's tensors in the order of the vector: index of the k-th one. */
static size_t *placed(const shards_layout *l)
{
  static size_t *order;
  size_t n = l->model->n, k = 0;
  size_t steps = l->shards.round_robin == DTC_BOOL_ON ? (size_t)l->shards.world : 1;
  order = batches_grown(order, n, sizeof *order);
  for (size_t first = 0; first < steps && first < n; first++)
    for (size_t i = first; i < n; i += steps)
      order[k++] = i;
  return order;
}

static digest put_rank(golden *g, const shards_layout *l, const size_t *order, uint64_t rank, uint64_t part, digest d)
{
  static const dtc_fragment **of;
  size_t n = l->model->n, count = shards_fragments(g, l, rank);
  uint64_t begin = rank * part, end = begin + part, numel = l->model->numel;
  of = batches_grown(of, n, sizeof *of);
  for (size_t i = 0; i < n; i++)
    of[i] = NULL;
  for (size_t k = 0; k < count; k++)
    of[l->fragments[k].tensor] = &l->fragments[k];
  d = digest_put(d, begin);
  d = digest_put(d, end);
  d = digest_put(d, numel <= begin ? part : end > numel ? end - numel : 0);
  d = digest_put(d, count);
  for (size_t k = 0; k < n; k++) {
    const dtc_fragment *f = of[order[k]];
    if (f == NULL)
      continue;
    d = digest_put(d, f->tensor);
    d = digest_put(d, f->tensor_offset);
    d = digest_put(d, f->length);
    d = digest_put(d, f->shard_offset);
  }
  return d;
}

static void answer_ranges(golden *g, const shards_layout *l)
{
  dtc_shard_totals t;
  digest d = digest_start;
  const size_t *order = placed(l);
  char text[24];
  if (!shards_totals(g, l, &t))
    return;
  for (uint64_t rank = 0; rank < l->shards.world; rank++)
    d = put_rank(g, l, order, rank, t.per_rank, d);
  digest_answer(g, "fnv_ranges", d);
  golden_u64(g, "aligned_numel", t.padded);
  golden_u64(g, "partition_size", t.per_rank);
  golden_u64(g, "total_pad", t.padded - t.numel);
  snprintf(text, sizeof text, "%llu", (unsigned long long)(t.padded == t.numel ? 0 : t.numel / t.per_rank));
  golden_text(g, "first_padded_rank", t.padded == t.numel ? "-1" : text);
}

static int accumulator(golden *g, const shards_layout *l, uint64_t rank, uint64_t *elements)
{
  dtc_error err;
  DTC_INIT(&err);
  return golden_ok(g,
                   dtc_shards_accumulator(&l->shards, l->model->shapes, l->model->n, l->slots, l->model->n, rank,
                                          elements, l->scratch, l->n_scratch, &err),
                   &err);
}

static void answer_accumulator(golden *g, const shards_layout *l)
{
  digest d = digest_start;
  uint64_t elements = 0, most = 0;
  for (uint64_t rank = 0; rank < l->shards.world; rank++) {
    if (!accumulator(g, l, rank, &elements))
      return;
    if (rank == 0)
      golden_u64(g, "grads_in_partition_r0", elements);
    most = elements > most ? elements : most;
    d = digest_put(d, elements);
  }
  digest_answer(g, "fnv_grads_in_partition", d);
  golden_u64(g, "max_grads_in_partition", most);
  if (accumulator(g, l, DTC_NONE, &elements))
    golden_u64(g, "max_grads_in_partition", elements);
}

static void answer_buckets(golden *g, const shards_layout *l)
{
  digest d = digest_start;
  const batches *b = batches_of(g, l, BATCHES_REDUCTIONS);
  for (size_t i = 0; b != NULL && i < b->n; i++) {
    d = digest_put(d, b->list[i].tensors);
    d = digest_put(d, b->list[i].elements);
  }
  golden_u64(g, "n_ipg_buckets", b != NULL ? b->n : 0);
  digest_answer(g, "fnv_ipg", d);
}

static void answer_slices(golden *g, const shards_layout *l)
{
  static dtc_slice *slices;
  size_t cap = l->model->n + (size_t)l->shards.world, n = 0, lists = 0;
  digest d = digest_start;
  dtc_error err;
  DTC_INIT(&err);
  slices = batches_grown(slices, cap, sizeof *slices);
  if (!golden_ok(g,
                 dtc_shards_slices(&l->shards, l->model->shapes, l->model->n, l->slots, l->model->n, slices, cap, &n,
                                   l->scratch, l->n_scratch, &err),
                 &err))
    return;
  int by_owner = l->shards.multi_rank != DTC_BOOL_ON;
  for (size_t i = 0; i < n; i++) {
    lists += i == 0 || slices[i].reduction != slices[i - 1].reduction ||
             (by_owner && slices[i].owner != slices[i - 1].owner);
    d = digest_put(d, slices[i].owner);
    d = digest_put(d, slices[i].elements);
  }
  golden_u64(g, "n_collective_lists", lists);
  golden_u64(g, "n_slices", n);
  digest_answer(g, "fnv_slices", d);
}

void golden_zero_deepspeed12(golden *g)
{
  dtc_shards s;
  DTC_INIT(&s);
  s.scheme = DTC_SHARD_SCHEME_ZERO12;
  s.version = 19006;
  s.world = golden_number(g, "world");
  s.bucket = golden_number(g, "reduce_bucket_size");
  s.round_robin = golden_is(g, "round_robin", "1") ? DTC_BOOL_ON : DTC_BOOL_OFF;
  s.multi_rank = golden_is(g, "multi_rank_allreduce", "1") ? DTC_BOOL_ON : DTC_BOOL_OFF;
  const shards_layout *l = shards_lay(g, &s);
  if (l == NULL)
    return;
  answer_ranges(g, l);
  answer_accumulator(g, l);
  answer_buckets(g, l);
  answer_slices(g, l);
}

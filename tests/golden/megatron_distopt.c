/* megatron_distopt.csv: Megatron-Core's buckets with the distributed optimizer, without it, and layer-wise; digests over
 * the layout and over what each rank holds. */
#include "shards.h"

#include <stdlib.h>
#include <string.h>

static dtc_shard_scheme scheme_of(const golden *g)
{
  if (golden_is(g, "kind", "distopt"))
    return DTC_SHARD_SCHEME_DISTOPT;
  return golden_is(g, "kind", "layerwise") ? DTC_SHARD_SCHEME_LAYERWISE : DTC_SHARD_SCHEME_ALLREDUCE;
}

/* Marks the tensors of "3/17", or takes the marks away. */
static void mark_shared(const golden *g, const shards_model *m, uint32_t shared)
{
  const char *s = golden_cell(g, "shared_embedding_idx");
  char *end;
  for (; *s >= '0' && *s <= '9'; s = end + (*end == '/')) {
    uint64_t i = strtoull(s, &end, 10);
    if (i < m->n)
      m->shapes[i].shared = shared;
  }
}

/* The layout's first tensor of each bucket, by the bucket's number; count of buckets. */
static size_t list_buckets(const shards_layout *l, const dtc_slot **buckets)
{
  size_t count = 0;
  for (size_t i = 0; i < l->model->n; i++) {
    const dtc_slot *slot = &l->slots[i];
    count = slot->bucket + 1 > count ? slot->bucket + 1 : count;
    buckets[slot->bucket] = slot;
  }
  return count;
}

/* Elements without padding, as Megatron books them: layer-wise buckets have gaps, which do not count. */
static uint64_t unpadded(const shards_layout *l, const dtc_slot *bucket)
{
  uint64_t sum = 0;
  if (l->shards.scheme != DTC_SHARD_SCHEME_LAYERWISE)
    return bucket->used;
  for (size_t i = 0; i < l->model->n; i++)
    sum += l->slots[i].bucket == bucket->bucket ? l->model->shapes[i].rows * l->model->shapes[i].cols : 0;
  return sum;
}

static void answer_layout(golden *g, const shards_layout *l, const dtc_slot **buckets, size_t n_buckets)
{
  digest d = digest_start;
  uint64_t used = 0, end = 0;
  for (size_t b = 0; b < n_buckets; b++) {
    d = digest_put(d, buckets[b]->bucket_start);
    d = digest_put(d, buckets[b]->bucket_end);
    d = digest_put(d, unpadded(l, buckets[b]));
    used += unpadded(l, buckets[b]);
    end = buckets[b]->bucket_end;
  }
  for (size_t i = 0; i < l->model->n; i++) {
    d = digest_put(d, i);
    d = digest_put(d, l->slots[i].start);
    d = digest_put(d, l->slots[i].start + l->model->shapes[i].rows * l->model->shapes[i].cols);
    d = digest_put(d, l->slots[i].bucket);
  }
  golden_u64(g, "buffer_numel", end);
  golden_u64(g, "numel_unpadded", used);
  golden_u64(g, "total_padding", end - l->model->numel);
  golden_u64(g, "n_buckets", n_buckets);
  digest_answer(g, "fnv_layout", d);
}

static int by_place(const void *a, const void *b)
{
  const dtc_fragment *x = a, *y = b;
  if (x->bucket != y->bucket)
    return x->bucket < y->bucket ? -1 : 1;
  return x->shard_offset < y->shard_offset ? -1 : x->shard_offset > y->shard_offset;
}

static digest put_fragment(digest d, const shards_layout *l, const dtc_fragment *f)
{
  uint64_t at = l->slots[f->tensor].start + f->tensor_offset;
  d = digest_put(d, f->tensor);
  d = digest_put(d, at);
  d = digest_put(d, at + f->length);
  d = digest_put(d, f->shard_offset);
  d = digest_put(d, f->shard_offset + f->length);
  d = digest_put(d, f->tensor_offset);
  return digest_put(d, f->tensor_offset + f->length);
}

/* Per rank and bucket the parts of tensors, in the order of their places. */
static void answer_ranks(golden *g, const shards_layout *l, size_t n_buckets)
{
  digest d = digest_start;
  uint64_t empty = 0;
  for (uint64_t rank = 0; rank < l->shards.world; rank++) {
    size_t n = shards_fragments(g, l, rank), k = 0;
    qsort(l->fragments, n, sizeof *l->fragments, by_place);
    for (size_t b = 0; b < n_buckets; b++) {
      size_t from = k;
      while (k < n && l->fragments[k].bucket == b)
        k++;
      d = digest_put(digest_put(digest_put(d, rank), b), k - from);
      empty += k == from;
      for (size_t j = from; j < k; j++)
        d = put_fragment(d, l, &l->fragments[j]);
    }
  }
  golden_u64(g, "n_empty_rank_buckets", empty);
  digest_answer(g, "fnv_rank_ranges", d);
}

/* Rows without a digest of the ranks hold no answers about ranks. */
static void answer_none(golden *g)
{
  static const char *const columns[] = {"max_rank_owned", "min_rank_owned", "n_empty_rank_buckets"};
  for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
    golden_text(g, columns[i], "-1");
  golden_text(g, "fnv_rank_ranges", "");
}

static void answer(golden *g, const shards_layout *l)
{
  dtc_shard_totals t;
  const dtc_slot **buckets = malloc(sizeof(*buckets) * (l->model->n + 1));
  size_t n_buckets = list_buckets(l, buckets);
  answer_layout(g, l, buckets, n_buckets);
  free(buckets);
  if (golden_is(g, "fnv_rank_ranges", "")) {
    answer_none(g);
  } else if (shards_totals(g, l, &t)) {
    golden_u64(g, "max_rank_owned", t.most);
    golden_u64(g, "min_rank_owned", t.least);
    answer_ranks(g, l, n_buckets);
  }
}

void golden_megatron_distopt(golden *g)
{
  dtc_shards s;
  DTC_INIT(&s);
  const shards_model *m = shards_model_of(g);
  if (m == NULL)
    return;
  s.scheme = scheme_of(g);
  s.world = golden_number(g, "dp");
  s.bucket = golden_is(g, "bucket_size", "") ? DTC_NONE : golden_number(g, "bucket_size");
  if (s.scheme != DTC_SHARD_SCHEME_ALLREDUCE)
    s.high_busbw = golden_is(g, "pad_high_nccl", "1") ? DTC_BOOL_ON : DTC_BOOL_OFF;
  mark_shared(g, m, 1);
  const shards_layout *l = shards_lay(g, &s);
  mark_shared(g, m, 0);
  if (l != NULL)
    answer(g, l);
}

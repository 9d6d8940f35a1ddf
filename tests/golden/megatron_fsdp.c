/* megatron_fsdp.csv: groups packed on a grid of rows. The digest of v1 holds the tensors in the order of packing, and
 * the size of a chunk, which is no part of a layout and is found here again. */
#include "shards.h"

#include <stdlib.h>

static uint64_t numel_of(const dtc_shape *shape)
{
  return shape->rows * shape->cols;
}

/* Longest rows first, tensors with equal rows in their order. */
static void sort_rows(const shards_model *m, size_t *order, size_t n)
{
  for (size_t k = 1; k < n; k++)
    for (size_t j = k; j > 0 && m->shapes[order[j]].cols > m->shapes[order[j - 1]].cols; j--) {
      size_t swapped = order[j];
      order[j] = order[j - 1];
      order[j - 1] = swapped;
    }
}

static uint64_t chunk_of(const shards_model *m, const size_t *order, size_t n)
{
  uint64_t chunk = m->shapes[order[0]].cols;
  for (size_t k = 0; k < n; k++) {
    uint64_t row = m->shapes[order[k]].cols, numel = numel_of(&m->shapes[order[k]]), multiple = chunk;
    if ((chunk % row == 0 && numel % chunk == 0) || numel < chunk)
      continue;
    while (multiple % row != 0)
      multiple += chunk;
    chunk = multiple;
  }
  return chunk;
}

static digest put_group(digest d, const shards_layout *l, size_t *order, size_t n)
{
  const dtc_slot *first = &l->slots[order[0]];
  uint64_t size = first->bucket_end - first->bucket_start;
  sort_rows(l->model, order, n);
  d = digest_put(digest_put(d, first->bucket), chunk_of(l->model, order, n));
  d = digest_put(digest_put(d, size), size / l->shards.world);
  for (size_t k = 0; k < n; k++) {
    d = digest_put(d, order[k]);
    d = digest_put(d, l->slots[order[k]].start - first->bucket_start);
    d = digest_put(d, numel_of(&l->model->shapes[order[k]]));
  }
  return d;
}

static digest digest_v1(const shards_layout *l)
{
  digest d = digest_start;
  size_t *order = malloc(sizeof *order * (l->model->n + 1));
  for (size_t i = 0; i < l->model->n;) {
    size_t n = 0;
    uint32_t bucket = l->slots[i].bucket;
    for (; i < l->model->n && l->slots[i].bucket == bucket; i++)
      order[n++] = i;
    d = put_group(d, l, order, n);
  }
  free(order);
  return d;
}

static digest digest_v2(const shards_layout *l)
{
  digest d = digest_start;
  for (size_t i = 0; i < l->model->n; i++)
    d = digest_put(d, l->slots[i].start);
  return digest_put(d, l->slots[0].bucket_end);
}

void golden_megatron_fsdp(golden *g)
{
  dtc_shards s;
  dtc_shard_totals t;
  int v2 = golden_is(g, "version", "v2");
  DTC_INIT(&s);
  s.scheme = v2 ? DTC_SHARD_SCHEME_MEGATRON_FSDP2 : DTC_SHARD_SCHEME_MEGATRON_FSDP;
  s.world = golden_number(g, "dp");
  if (!v2)
    s.bucket = golden_is(g, "suggested_bucket_size", "") ? DTC_NONE : golden_number(g, "suggested_bucket_size");
  const shards_layout *l = shards_lay(g, &s);
  if (l == NULL || !shards_totals(g, l, &t))
    return;
  golden_u64(g, "padded_numel", t.padded);
  golden_u64(g, "padding", t.padded - t.numel);
  golden_u64(g, "n_groups", t.buckets);
  digest_answer(g, "fnv_layout", v2 ? digest_v2(l) : digest_v1(l));
}

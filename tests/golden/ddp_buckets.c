/* ddp_buckets.csv: DDP's buckets of gradients, of the first iteration (init) and rebuilt. */
#include "shards.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { DTYPES = 8 };

/* The model with its types, which are named in turn: "fp32/bf16". */
static shards_model with_types(const shards_model *m, const char *names)
{
  dtc_dtype dtype[DTYPES];
  size_t types = 0;
  shards_model out = {.shapes = calloc(m->n, sizeof *out.shapes), .n = m->n, .numel = m->numel};
  for (const char *s = names; *s != 0 && types < DTYPES; s += *s == '/') {
    size_t len = strcspn(s, "/");
    dtype[types++] = shards_dtype(s, len);
    s += len;
  }
  if (out.shapes == NULL || types == 0)
    abort();
  for (size_t i = 0; i < m->n; i++) {
    out.shapes[i] = m->shapes[i];
    out.shapes[i].dtype = dtype[i % types];
  }
  return out;
}

static digest put_bucket(const shards_layout *l, const dtc_bucket *buckets, size_t b, digest d)
{
  size_t n = l->model->n;
  d = digest_put(digest_put(d, buckets[b].tensors), buckets[b].bytes);
  for (size_t k = 0; k < n; k++) {
    size_t i = l->shards.first_step == DTC_BOOL_ON ? k : n - 1 - k;
    if (l->slots[i].bucket == b)
      d = digest_put(d, i);
  }
  return d;
}

/* Buckets at the end that never reached their limit. */
static size_t left_over(const shards_layout *l, const dtc_bucket *buckets, size_t n)
{
  size_t left = 0;
  int seen[DTC_DTYPE_FP64 + 1] = {0};
  for (size_t b = 0; b < n; b++) {
    uint64_t limit = seen[buckets[b].dtype] ? l->shards.bucket : l->shards.first_bucket;
    seen[buckets[b].dtype] = 1;
    left += buckets[b].bytes < limit;
  }
  return left;
}

static void answer(golden *g, const shards_layout *l, const dtc_bucket *buckets, size_t n)
{
  char text[20];
  uint64_t most = 0, least = UINT64_MAX;
  size_t closed = n - left_over(l, buckets, n);
  digest d = digest_start, other;
  for (size_t b = 0; b < n; b++) {
    most = buckets[b].bytes > most ? buckets[b].bytes : most;
    least = buckets[b].bytes < least ? buckets[b].bytes : least;
    d = put_bucket(l, buckets, b, d);
  }
  /* the order of those left over of several types is PyTorch's hash map's: either will do */
  other = digest_start;
  for (size_t b = 0; b < n; b++)
    other = put_bucket(l, buckets, b < closed ? b : n - 1 - (b - closed), other);
  snprintf(text, sizeof text, "%016" PRIx64, other);
  int is_other = l->shards.first_step != DTC_BOOL_ON && golden_is(g, "fnv_buckets", text);
  golden_u64(g, "n_buckets", n);
  golden_u64(g, "max_bucket_bytes", most);
  golden_u64(g, "min_bucket_bytes", least);
  digest_answer(g, "fnv_buckets", is_other ? other : d);
}

void golden_ddp_buckets(golden *g)
{
  dtc_shards s;
  dtc_error err;
  size_t n = 0;
  const shards_model *m = shards_model_of(g);
  const char *limits = golden_cell(g, "bucket_limits_bytes"), *slash = strrchr(limits, '/');
  if (m == NULL)
    return;
  DTC_INIT(&err);
  DTC_INIT(&s);
  s.scheme = DTC_SHARD_SCHEME_DDP;
  s.first_step = golden_is(g, "mode", "init") ? DTC_BOOL_ON : DTC_BOOL_OFF;
  s.first_bucket = strtoull(limits, NULL, 10);
  s.bucket = strtoull(slash != NULL ? slash + 1 : limits, NULL, 10);
  shards_model typed = with_types(m, golden_cell(g, "dtypes_cycled"));
  const shards_layout *l = shards_lay_model(g, &s, &typed);
  dtc_bucket *buckets = calloc(m->n, sizeof *buckets);
  if (buckets == NULL)
    abort();
  if (l != NULL &&
      golden_ok(g, dtc_shards_buckets(&s, typed.shapes, typed.n, l->slots, typed.n, buckets, typed.n, &n, &err), &err))
    answer(g, l, buckets, n);
  free(typed.shapes);
  free(buckets);
}

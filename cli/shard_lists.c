#include "shard_lists.h"

#include "report.h"
#include "table.h"
#include "text.h"

#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 64 };

dtc_bucket *shard_buckets(const cli *c, const shard_arg *s, size_t *count)
{
  const tensors *t = &s->tensors;
  dtc_bucket *out = grow(NULL, (t->n + 1) * sizeof *out);
  dtc_error err;
  DTC_INIT(&err);
  if (dtc_shards_buckets(&s->shards, t->shapes, t->n, s->slots, t->n, out, t->n, count, &err) != DTC_OK)
    exit(fail_with(c, NULL, &err)); /* not of slots that the library has laid */
  return out;
}

/* Elements of a bucket that a rank holds, if any of it. */
static uint64_t bucket_share(const shard_arg *s, const dtc_bucket *b)
{
  return (b->stop - b->start) / (b->owner == DTC_EVENLY ? s->shards.world : 1);
}

static uint64_t bucket_padding(const shard_arg *s, const dtc_bucket *buckets, size_t i)
{
  uint64_t held = 0;
  for (size_t k = buckets[i].first; k < s->tensors.n; k++) {
    if (s->slots[k].bucket == i)
      held += s->tensors.shapes[k].rows * s->tensors.shapes[k].cols;
  }
  return buckets[i].stop - buckets[i].start - held;
}

static void bucket_row(const cli *c, const shard_arg *s, table *t, const dtc_bucket *buckets, size_t i)
{
  const dtc_bucket *b = &buckets[i];
  char name[TENSOR_NAME];
  char mib[64];
  tensor_name(c, &s->tensors, b->first, name);
  snprintf(mib, sizeof mib, "%.4g", (double)b->bytes / (1 << 20));
  table_cell(t, text_u64(i).s);
  table_cell(t, name);
  table_cell(t, text_u64(b->tensors).s);
  table_cell(t, text_thousands(b->stop - b->start).s);
  table_cell(t, text_thousands(bucket_padding(s, buckets, i)).s);
  table_cell(t, mib);
  table_cell(t, b->owner == DTC_EVENLY ? text_thousands(bucket_share(s, b)).s : "");
  table_cell(t, b->owner < DTC_EVERYWHERE ? text_u64(b->owner).s : "");
}

static void buckets_text(const cli *c, const shard_arg *s, const dtc_bucket *buckets, size_t n, uint64_t limit)
{
  static const msg head[] = {MSG_BUCKET,  MSG_FIRST_TENSOR, MSG_TENSORS,  MSG_ELEMENTS,
                             MSG_PADDING, MSG_MIB_HEAD,     MSG_PER_RANK, MSG_OWNER};
  table t = table_new("rlrrrrrr");
  for (size_t i = 0; i < t.columns; i++)
    table_cell(&t, say(c, head[i]));
  for (size_t i = 0; i < n && i < limit; i++)
    bucket_row(c, s, &t, buckets, i);
  print_shards(c, s);
  putchar('\n');
  table_print(c, &t, 2);
  if (n > limit)
    print_line(c, MSG_ROWS_MORE, text_u64(n - limit).s);
}

static void buckets_json(const args *a, const shard_arg *s, const dtc_bucket *buckets, size_t n, uint64_t limit)
{
  json j;
  json_start(&j, a->command);
  json_shards(&j, s);
  json_array(&j, "list");
  for (size_t i = 0; i < n && i < limit; i++) {
    const dtc_bucket *b = &buckets[i];
    json_object(&j, NULL);
    json_u64(&j, "first", b->first);
    json_u64(&j, "tensors", b->tensors);
    json_u64(&j, "elements", b->stop - b->start);
    json_u64(&j, "padding", bucket_padding(s, buckets, i));
    json_u64(&j, "bytes", b->bytes);
    if (b->owner < DTC_EVERYWHERE)
      json_u64(&j, "owner", b->owner);
    else
      json_null(&j, "owner");
    json_u64(&j, "per_rank", bucket_share(s, b));
    json_end(&j);
  }
  json_end(&j);
  json_end(&j);
}

int answer_shard_buckets(const cli *c, const args *a, const shard_arg *s)
{
  uint64_t limit;
  size_t n;
  if (args_number(c, a, OPT_SHARD_LIMIT, 1, ROWS, &limit) != 0)
    return EXIT_BAD_INPUT;
  dtc_bucket *buckets = shard_buckets(c, s, &n);
  if (c->json)
    buckets_json(a, s, buckets, n, limit);
  else
    buckets_text(c, s, buckets, n, limit);
  free(buckets);
  return EXIT_YES;
}

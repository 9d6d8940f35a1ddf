#include "shard_batches.h"

#include "report.h"
#include "table.h"
#include "text.h"

#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 64 };

/* A list that the library makes. */
typedef struct batch_kind {
  option_id option;
  const char *key; /* in JSON */
  msg name;
  bool collective;
  dtc_status (*list)(const dtc_shards *, const dtc_shape *, size_t, const dtc_slot *, size_t, dtc_batch *, size_t,
                     size_t *, dtc_error *);
} batch_kind;

static const batch_kind kinds[] = {
    {OPT_REDUCTIONS, "reductions", MSG_REDUCTIONS, true, dtc_shards_reductions},
    {OPT_GATHERS, "gathers", MSG_GATHERS, true, dtc_shards_gathers},
    {OPT_SUB_GROUPS, "sub_groups", MSG_SUB_GROUPS, false, dtc_shards_sub_groups},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* The batches of a kind; the caller frees. */
static dtc_status list_batches(const shard_arg *s, const batch_kind *k, dtc_batch **out, size_t *n, dtc_error *err)
{
  const tensors *t = &s->tensors;
  DTC_INIT(err);
  *n = 0;
  *out = grow(NULL, (t->n + 1) * sizeof **out);
  return k->list(&s->shards, t->shapes, t->n, s->slots, t->n, *out, t->n, n, err);
}

/* ---- one by one -------------------------------------------------------------------------------------------------- */

static void batches_text(const cli *c, const shard_arg *s, const batch_kind *k, const dtc_batch *list, size_t n,
                         uint64_t limit)
{
  static const msg head[] = {MSG_NUMBER, MSG_FIRST_TENSOR, MSG_TENSORS, MSG_ELEMENTS, MSG_SENT, MSG_KEPT};
  table t = table_new("rlrrrr");
  for (size_t i = 0; i < t.columns; i++)
    table_cell(&t, say(c, head[i]));
  for (size_t i = 0; i < n && i < limit; i++) {
    char name[TENSOR_NAME];
    tensor_name(c, &s->tensors, list[i].first, name);
    table_cell(&t, text_u64(i).s);
    table_cell(&t, name);
    table_cell(&t, text_u64(list[i].tensors).s);
    table_cell(&t, text_thousands(list[i].elements).s);
    table_cell(&t, text_thousands(list[i].sent).s);
    table_cell(&t, text_thousands(list[i].kept).s);
  }
  print_shards(c, s);
  print_line(c, MSG_BATCHES, say(c, k->name), text_u64(n).s);
  if (n != 0)
    table_print(c, &t, 2);
  if (n > limit)
    print_line(c, MSG_ROWS_MORE, text_u64(n - limit).s);
}

static void batches_json(const args *a, const shard_arg *s, const batch_kind *k, const dtc_batch *list, size_t n,
                         uint64_t limit)
{
  json j;
  json_start(&j, a->command);
  json_shards(&j, s);
  json_array(&j, k->key);
  for (size_t i = 0; i < n && i < limit; i++) {
    json_object(&j, NULL);
    json_u64(&j, "first", list[i].first);
    json_u64(&j, "tensors", list[i].tensors);
    json_u64(&j, "elements", list[i].elements);
    json_u64(&j, "sent", list[i].sent);
    json_u64(&j, "kept", list[i].kept);
    json_end(&j);
  }
  json_end(&j);
  json_end(&j);
}

int answer_shard_batches(const cli *c, const args *a, const shard_arg *s)
{
  const batch_kind *k = kinds;
  dtc_batch *list;
  dtc_error err;
  uint64_t limit;
  size_t n;
  while (a->value[k->option] == NULL)
    k++;
  if (args_number(c, a, OPT_SHARD_LIMIT, 1, ROWS, &limit) != 0)
    return EXIT_BAD_INPUT;
  int code = list_batches(s, k, &list, &n, &err) == DTC_OK ? EXIT_YES : fail_with(c, NULL, &err);
  if (code == EXIT_YES && c->json)
    batches_json(a, s, k, list, n, limit);
  else if (code == EXIT_YES)
    batches_text(c, s, k, list, n, limit);
  free(list);
  return code;
}

/* ---- sums of a step ---------------------------------------------------------------------------------------------- */

typedef struct sums {
  bool known; /* the scheme has such batches */
  uint64_t calls;
  uint64_t sent;
  uint64_t kept;
  uint64_t largest; /* elements of the largest buffer, of no collective of a rank's largest part */
} sums;

static sums sum_batches(const shard_arg *s, const batch_kind *k)
{
  dtc_batch *list;
  dtc_error err;
  size_t n;
  sums out = {.known = list_batches(s, k, &list, &n, &err) == DTC_OK};
  for (size_t i = 0; out.known && i < n; i++) {
    uint64_t buffer = k->collective && list[i].sent > list[i].kept ? list[i].sent : list[i].kept;
    out.calls++;
    out.sent += list[i].sent;
    out.kept += list[i].kept;
    out.largest = buffer > out.largest ? buffer : out.largest;
  }
  free(list);
  return out;
}

/* DeepSpeed's buffer of accumulated gradients on the rank that needs most; false of other schemes. */
static bool find_accumulator(const cli *c, const shard_arg *s, uint64_t *elements)
{
  const tensors *t = &s->tensors;
  size_t n;
  uint64_t *scratch = shards_scratch(c, &s->shards, t, &n);
  dtc_status status =
      dtc_shards_accumulator(&s->shards, t->shapes, t->n, s->slots, t->n, DTC_NONE, elements, scratch, n, NULL);
  free(scratch);
  return status == DTC_OK;
}

static bool find_persistent(const shard_arg *s, uint64_t *count, uint64_t *elements)
{
  return dtc_shards_persistent(&s->shards, s->tensors.shapes, s->tensors.n, count, elements, NULL) == DTC_OK;
}

static void print_sums(const cli *c, const sums *list)
{
  static const msg head[] = {MSG_EMPTY, MSG_CALLS, MSG_SENT, MSG_KEPT, MSG_LARGEST};
  table t = table_new("lrrrr");
  for (size_t i = 0; i < t.columns; i++)
    table_cell(&t, say(c, head[i]));
  for (size_t k = 0; k < KINDS; k++) {
    if (!list[k].known || !kinds[k].collective)
      continue;
    table_cell(&t, say(c, kinds[k].name));
    table_cell(&t, text_u64(list[k].calls).s);
    table_cell(&t, text_thousands(list[k].sent).s);
    table_cell(&t, text_thousands(list[k].kept).s);
    table_cell(&t, text_thousands(list[k].largest).s);
  }
  print_line(c, MSG_STEP_TITLE);
  table_print(c, &t, 2);
}

void batch_sums_print(const cli *c, const shard_arg *s)
{
  sums list[KINDS];
  uint64_t count;
  uint64_t elements;
  bool any = false;
  for (size_t k = 0; k < KINDS; k++) {
    list[k] = sum_batches(s, &kinds[k]);
    any = any || list[k].known;
  }
  const sums *sub_groups = &list[KINDS - 1];
  if (!any)
    return;
  print_sums(c, list);
  if (s->shards.scheme == DTC_SHARD_SCHEME_ZERO12)
    print_line(c, s->shards.multi_rank == DTC_BOOL_ON ? MSG_STEP_ALLREDUCE : MSG_STEP_REDUCE);
  if (find_accumulator(c, s, &elements))
    print_line(c, MSG_STEP_ACCUMULATOR, text_thousands(elements).s, text_thousands(s->totals.per_rank).s);
  if (sub_groups->known)
    print_line(c, MSG_STEP_SUB_GROUPS, text_u64(sub_groups->calls).s, text_thousands(sub_groups->largest).s);
  if (find_persistent(s, &count, &elements))
    print_line(c, MSG_STEP_PERSISTENT, text_u64(count).s, text_thousands(elements).s);
}

static void json_sums(json *j, const char *key, const sums *v)
{
  if (!v->known) {
    json_null(j, key);
    return;
  }
  json_object(j, key);
  json_u64(j, "calls", v->calls);
  json_u64(j, "sent", v->sent);
  json_u64(j, "kept", v->kept);
  json_u64(j, "largest", v->largest);
  json_end(j);
}

static void json_known(json *j, const char *key, bool known, uint64_t value)
{
  if (known)
    json_u64(j, key, value);
  else
    json_null(j, key);
}

void batch_sums_json(json *j, const cli *c, const shard_arg *s)
{
  uint64_t count = 0;
  uint64_t elements = 0;
  json_object(j, "step");
  for (size_t k = 0; k < KINDS; k++) {
    sums v = sum_batches(s, &kinds[k]);
    json_sums(j, kinds[k].key, &v);
  }
  json_known(j, "accumulator", find_accumulator(c, s, &elements), elements);
  bool known = find_persistent(s, &count, &elements);
  json_known(j, "persistent_tensors", known, count);
  json_known(j, "persistent_elements", known, elements);
  json_end(j);
}

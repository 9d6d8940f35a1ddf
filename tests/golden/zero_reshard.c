/* zero_reshard.csv: what every rank reads from a checkpoint of another world. The digest goes by key, then target, then
 * source; the library answers target by target, so the lists of all targets are kept and merged. */
#include "shards.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Both shardings, and the slots of both. */
typedef struct sides {
  const shards_model *model;
  dtc_shards source;
  dtc_shards target;
  uint64_t source_tp;
  uint64_t target_tp;
  dtc_slot *source_slots;
  dtc_slot *target_slots;
} sides;

/* "dp8" or "dp4.tp2". */
static void read_side(const golden *g, const char *column, dtc_shards *s, uint64_t *tp)
{
  char *end;
  DTC_INIT(s);
  s->world = strtoull(golden_cell(g, column) + 2, &end, 10);
  *tp = strncmp(end, ".tp", 3) == 0 ? strtoull(end + 3, NULL, 10) : 1;
}

static int starts(const golden *g, const char *column, const char *with)
{
  return strncmp(golden_cell(g, column), with, strlen(with)) == 0;
}

/* Small models are laid in one bucket where large ones have buckets of 40 M. */
static uint64_t bucket_of(const golden *g)
{
  static const char *const small[] = {"mat_odd", "rand0", "rand2", "primes"};
  if (golden_is(g, "scheme", "mega_dp_reshardable_default"))
    return 0;
  for (size_t i = 0; i < sizeof small / sizeof small[0]; i++)
    if (golden_is(g, "model", small[i]))
      return DTC_NONE;
  return golden_is(g, "scheme", "mega_dp_reshardable") ? 40000000 : DTC_NONE;
}

static void set_scheme(const golden *g, dtc_shards *s)
{
  if (golden_is(g, "scheme", "ds12_flat"))
    s->scheme = DTC_SHARD_SCHEME_ZERO12;
  else if (golden_is(g, "scheme", "ds3_param"))
    s->scheme = DTC_SHARD_SCHEME_ZERO3;
  else if (golden_is(g, "scheme", "dcp_box"))
    s->scheme = DTC_SHARD_SCHEME_FSDP2;
  else
    s->scheme = DTC_SHARD_SCHEME_DISTOPT;
  if (s->scheme == DTC_SHARD_SCHEME_DISTOPT)
    s->bucket = bucket_of(g);
}

static dtc_slot *lay(golden *g, const dtc_shards *s)
{
  const shards_layout *l = shards_lay(g, s);
  if (l == NULL)
    return NULL;
  dtc_slot *slots = malloc(sizeof *slots * (l->model->n + 1));
  memcpy(slots, l->slots, sizeof *slots * l->model->n);
  return slots;
}

static void answer_sums(golden *g, const dtc_reshard_sums *sums)
{
  golden_u64(g, "n_read_items", sums->items);
  golden_u64(g, "numel_needed", sums->needed);
  golden_u64(g, "numel_same_rank", sums->same);
  golden_u64(g, "numel_moved", sums->moved);
}

/* ---- items ---- */

typedef struct item_list {
  dtc_reshard_item *items;
  size_t n;
  size_t at;
} item_list;

/* The calls count first: room for none gives DTC_E_SPACE and the number. */
static int list_items(golden *g, const sides *s, uint64_t rank, item_list *l)
{
  dtc_error err;
  size_t n = s->model->n;
  DTC_INIT(&err);
  dtc_status status = dtc_reshard_items(&s->source, &s->target, s->model->shapes, n, s->source_slots, n,
                                        s->target_slots, n, rank, DTC_RESHARD_KIND_BUCKET, NULL, 0, &l->n, &err);
  if (status == DTC_OK)
    return 1;
  l->items = malloc(sizeof *l->items * l->n);
  status = dtc_reshard_items(&s->source, &s->target, s->model->shapes, n, s->source_slots, n, s->target_slots, n, rank,
                             DTC_RESHARD_KIND_BUCKET, l->items, l->n, &l->n, &err);
  return golden_ok(g, status, &err);
}

/* A flat vector has no key in the digest. */
static digest put_item(digest d, uint64_t target, const dtc_reshard_item *item, int keyed)
{
  d = keyed ? digest_put(d, item->key) : d;
  d = digest_put(digest_put(d, target), item->source);
  return digest_put(digest_put(digest_put(d, item->source_offset), item->target_offset), item->length);
}

static void answer_items(golden *g, const sides *s)
{
  digest d = digest_start;
  int keyed = !golden_is(g, "scheme", "ds12_flat"), ok = 1;
  uint64_t items = 0, needed = 0, same = 0;
  item_list *lists = calloc(s->target.world, sizeof *lists);
  for (uint64_t rank = 0; ok && rank < s->target.world; rank++)
    ok = list_items(g, s, rank, &lists[rank]);
  for (size_t key = 0; ok && key < s->model->n; key++)
    for (uint64_t rank = 0; rank < s->target.world; rank++)
      for (item_list *l = &lists[rank]; l->at < l->n && l->items[l->at].key == key; l->at++) {
        d = put_item(d, rank, &l->items[l->at], keyed);
        items++;
        needed += l->items[l->at].length;
        same += l->items[l->at].source == rank ? l->items[l->at].length : 0;
      }
  for (uint64_t rank = 0; rank < s->target.world; rank++)
    free(lists[rank].items);
  free(lists);
  answer_sums(g, &(dtc_reshard_sums){.items = items, .needed = needed, .same = same, .moved = needed - same});
  digest_answer(g, "fnv_items", d);
}

/* By buckets; a text in the row is the answer of the verdict. */
static void by_items(golden *g, const sides *s)
{
  dtc_error err;
  dtc_reshard r;
  dtc_reshard_sums sums;
  char text[80];
  size_t n = s->model->n;
  DTC_INIT(&err);
  DTC_INIT(&r);
  DTC_INIT(&sums);
  if (!golden_ok(g,
                 dtc_reshard_check(&s->source, &s->target, s->model->shapes, n, s->source_slots, n, s->target_slots, n,
                                   DTC_CHECKPOINT_FORM_DEFAULT, &r, &err),
                 &err))
    return;
  dtc_status status = dtc_reshard_totals(&s->source, &s->target, s->model->shapes, n, s->source_slots, n,
                                         s->target_slots, n, DTC_RESHARD_KIND_BUCKET, &sums, &err);
  if (r.rule == DTC_RULE_RESHARD_BUCKET && status == DTC_E_CONFLICT) {
    snprintf(text, sizeof text, "bucket unpadded sizes differ (%" PRIu64 " vs %" PRIu64 " buckets)", r.source_buckets,
             r.target_buckets);
    golden_text(g, "n_read_items", text);
  } else if (golden_ok(g, status, &err)) {
    answer_sums(g, &sums);
    answer_items(g, s);
  }
}

/* ---- boxes ---- */

typedef struct box_list {
  dtc_reshard_box *boxes;
  size_t n;
  size_t at;
} box_list;

static int list_boxes(golden *g, const sides *s, uint64_t rank, box_list *l, uint64_t *scratch, uint64_t n_scratch)
{
  dtc_error err;
  DTC_INIT(&err);
  dtc_status status = dtc_reshard_boxes(&s->source, s->source_tp, &s->target, s->target_tp, s->model->shapes,
                                        s->model->n, rank, NULL, 0, &l->n, scratch, n_scratch, &err);
  if (status == DTC_OK)
    return 1;
  l->boxes = malloc(sizeof *l->boxes * l->n);
  status = dtc_reshard_boxes(&s->source, s->source_tp, &s->target, s->target_tp, s->model->shapes, s->model->n, rank,
                             l->boxes, l->n, &l->n, scratch, n_scratch, &err);
  return golden_ok(g, status, &err);
}

/* Offsets and length of each dimension; what lies behind the second is never cut. */
static digest put_box(digest d, const shards_model *m, uint64_t target, const dtc_reshard_box *b)
{
  uint32_t dims = m->shapes[b->tensor].dims;
  d = digest_put(digest_put(digest_put(d, b->tensor), target), b->source);
  d = digest_put(digest_put(digest_put(d, b->source_row), b->target_row), b->rows);
  if (dims == 2)
    d = digest_put(digest_put(digest_put(d, b->source_col), b->target_col), b->cols);
  for (uint32_t i = 1; dims > 2 && i < dims; i++)
    d = digest_put(digest_put(digest_put(d, 0), 0), m->sizes[b->tensor][i]);
  return d;
}

/* Targets of a tensor go by tensor parallel rank, then place. */
static digest put_tensor(digest d, const sides *s, size_t tensor, box_list *lists)
{
  for (uint64_t q = 0; q < s->target_tp; q++)
    for (uint64_t k = 0; k < s->target.world; k++) {
      uint64_t rank = k * s->target_tp + q;
      for (box_list *l = &lists[rank]; l->at < l->n && l->boxes[l->at].tensor == tensor; l->at++)
        d = put_box(d, s->model, rank, &l->boxes[l->at]);
    }
  return d;
}

static void by_boxes(golden *g, const sides *s)
{
  dtc_error err;
  dtc_reshard_sums sums;
  uint64_t n_scratch = 0, ranks = s->target.world * s->target_tp;
  digest d = digest_start;
  DTC_INIT(&err);
  DTC_INIT(&sums);
  if (!golden_ok(g, dtc_reshard_scratch(&s->source, s->source_tp, &n_scratch, &err), &err))
    return;
  uint64_t *scratch = malloc(sizeof *scratch * (n_scratch + 1));
  box_list *lists = calloc(ranks, sizeof *lists);
  int ok = golden_ok(g,
                     dtc_reshard_box_totals(&s->source, s->source_tp, &s->target, s->target_tp, s->model->shapes,
                                            s->model->n, &sums, scratch, n_scratch, &err),
                     &err);
  for (uint64_t rank = 0; ok && rank < ranks; rank++)
    ok = list_boxes(g, s, rank, &lists[rank], scratch, n_scratch);
  for (size_t i = 0; ok && i < s->model->n; i++)
    d = put_tensor(d, s, i, lists);
  for (uint64_t rank = 0; rank < ranks; rank++)
    free(lists[rank].boxes);
  free(lists);
  free(scratch);
  answer_sums(g, &sums);
  digest_answer(g, "fnv_items", d);
}

void golden_zero_reshard(golden *g)
{
  sides s = {.model = shards_model_of(g)};
  if (s.model == NULL)
    return;
  read_side(g, "from", &s.source, &s.source_tp);
  read_side(g, "to", &s.target, &s.target_tp);
  set_scheme(g, &s.source);
  set_scheme(g, &s.target);
  if (starts(g, "scheme", "dcp")) {
    by_boxes(g, &s);
    return;
  }
  s.source_slots = lay(g, &s.source);
  s.target_slots = lay(g, &s.target);
  if (s.source_slots != NULL && s.target_slots != NULL)
    by_items(g, &s);
  free(s.source_slots);
  free(s.target_slots);
}

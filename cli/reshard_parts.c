#include "reshard_parts.h"

#include "report.h"
#include "table.h"
#include "text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS_SHOWN = 64 };

static bool keeps_buckets(dtc_checkpoint_form form)
{
  return form == DTC_CHECKPOINT_FORM_NATIVE || form == DTC_CHECKPOINT_FORM_ELASTIC ||
         form == DTC_CHECKPOINT_FORM_DP_RESHARDABLE;
}

/* ---- sums -------------------------------------------------------------------------------------------------------- */

static dtc_status sum_items(const reshard_arg *r, dtc_reshard_kind kind, dtc_reshard_sums *out, dtc_error *err)
{
  const tensors *t = &r->tensors;
  return dtc_reshard_totals(&r->from.shards, &r->to.shards, t->shapes, t->n, r->from.slots, t->n, r->to.slots, t->n,
                            kind, out, err);
}

/* Scratch of the boxes. The caller frees. */
static uint64_t *box_scratch(const reshard_arg *r, size_t *n)
{
  uint64_t needed = 0;
  if (dtc_reshard_scratch(&r->from.shards, r->from.tp, &needed, NULL) != DTC_OK)
    needed = 0; /* the call that uses it says why */
  *n = (size_t)needed;
  return grow(NULL, (*n + 1) * sizeof(uint64_t));
}

int reshard_sum(const cli *c, const reshard_arg *r, dtc_checkpoint_form form, dtc_reshard_sums *out)
{
  dtc_status status = DTC_E_CONFLICT;
  dtc_error err;
  DTC_INIT(&err);
  DTC_INIT(out);
  if (reshard_boxes(r)) {
    size_t n;
    uint64_t *scratch = box_scratch(r, &n);
    status = dtc_reshard_box_totals(&r->from.shards, r->from.tp, &r->to.shards, r->to.tp, r->tensors.shapes,
                                    r->tensors.n, out, scratch, n, &err);
    free(scratch);
    return status == DTC_OK ? 0 : fail_with(c, NULL, &err);
  }
  if (keeps_buckets(form))
    status = sum_items(r, DTC_RESHARD_KIND_BUCKET, out, &err);
  if (status != DTC_OK) /* buckets that differ have tensors in common all the same */
    status = sum_items(r, DTC_RESHARD_KIND_TENSOR, out, &err);
  return status == DTC_OK ? 0 : fail_with(c, NULL, &err);
}

/* ---- pieces of a rank -------------------------------------------------------------------------------------------- */

/* What a rank reads: items, or boxes of fsdp2. */
typedef struct pieces {
  dtc_reshard_kind kind;
  dtc_reshard_item *items;
  dtc_reshard_box *boxes;
  size_t n;
  uint64_t elements;
} pieces;

static dtc_status list_items(const reshard_arg *r, uint64_t rank, pieces *p, dtc_error *err)
{
  const tensors *t = &r->tensors;
  dtc_status status = DTC_E_SPACE;
  for (size_t cap = 0; status == DTC_E_SPACE; cap = p->n) {
    p->items = grow(p->items, (cap + 1) * sizeof *p->items);
    status = dtc_reshard_items(&r->from.shards, &r->to.shards, t->shapes, t->n, r->from.slots, t->n, r->to.slots, t->n,
                               rank, p->kind, p->items, cap, &p->n, err);
  }
  for (size_t i = 0; status == DTC_OK && i < p->n; i++)
    p->elements += p->items[i].length;
  return status;
}

static dtc_status list_boxes(const reshard_arg *r, uint64_t rank, pieces *p, dtc_error *err)
{
  size_t n;
  uint64_t *scratch = box_scratch(r, &n);
  dtc_status status = DTC_E_SPACE;
  for (size_t cap = 0; status == DTC_E_SPACE; cap = p->n) {
    p->boxes = grow(p->boxes, (cap + 1) * sizeof *p->boxes);
    status = dtc_reshard_boxes(&r->from.shards, r->from.tp, &r->to.shards, r->to.tp, r->tensors.shapes, r->tensors.n,
                               rank, p->boxes, cap, &p->n, scratch, n, err);
  }
  for (size_t i = 0; status == DTC_OK && i < p->n; i++)
    p->elements += p->boxes[i].rows * p->boxes[i].cols;
  free(scratch);
  return status;
}

static int list_pieces(const cli *c, const reshard_arg *r, dtc_checkpoint_form form, uint64_t rank, pieces *p)
{
  dtc_error err;
  DTC_INIT(&err);
  *p = (pieces){.kind = keeps_buckets(form) ? DTC_RESHARD_KIND_BUCKET : DTC_RESHARD_KIND_TENSOR};
  dtc_status status = reshard_boxes(r) ? list_boxes(r, rank, p, &err) : list_items(r, rank, p, &err);
  if (status != DTC_OK && p->kind == DTC_RESHARD_KIND_BUCKET && !reshard_boxes(r)) {
    p->kind = DTC_RESHARD_KIND_TENSOR;
    status = list_items(r, rank, p, &err);
  }
  return status == DTC_OK ? 0 : fail_with(c, NULL, &err);
}

static void items_text(const cli *c, const reshard_arg *r, const pieces *p, uint64_t limit)
{
  static const msg head[] = {MSG_TENSOR, MSG_SOURCE_RANK, MSG_SOURCE_PLACE, MSG_TARGET_PLACE, MSG_ELEMENTS};
  bool by_tensor = p->kind == DTC_RESHARD_KIND_TENSOR;
  table t = table_new("lrrrr");
  for (size_t i = 0; i < t.columns; i++)
    table_cell(&t, say(c, i == 0 && !by_tensor ? MSG_BUCKET : head[i]));
  for (size_t i = 0; i < p->n && i < limit; i++) {
    const dtc_reshard_item *one = &p->items[i];
    char name[TENSOR_NAME];
    snprintf(name, sizeof name, "%s", text_u64(one->key).s);
    if (by_tensor)
      tensor_name(c, &r->tensors, one->key, name);
    table_cell(&t, name);
    table_cell(&t, text_u64(one->source).s);
    table_cell(&t, text_thousands(one->source_offset).s);
    table_cell(&t, text_thousands(one->target_offset).s);
    table_cell(&t, text_thousands(one->length).s);
  }
  table_print(c, &t, 2);
}

/* "128, 0": row and element of the row. */
static text corner_text(uint64_t row, uint64_t col)
{
  text t;
  snprintf(t.s, sizeof t.s, "%" PRIu64 ", %" PRIu64, row, col);
  return t;
}

static void boxes_text(const cli *c, const reshard_arg *r, const pieces *p, uint64_t limit)
{
  static const msg head[] = {MSG_TENSOR, MSG_SOURCE_RANK, MSG_SOURCE_PLACE, MSG_TARGET_PLACE, MSG_ROWS, MSG_COLS};
  table t = table_new("lrrrrr");
  for (size_t i = 0; i < t.columns; i++)
    table_cell(&t, say(c, head[i]));
  for (size_t i = 0; i < p->n && i < limit; i++) {
    const dtc_reshard_box *b = &p->boxes[i];
    char name[TENSOR_NAME];
    tensor_name(c, &r->tensors, b->tensor, name);
    table_cell(&t, name);
    table_cell(&t, text_u64(b->source).s);
    table_cell(&t, corner_text(b->source_row, b->source_col).s);
    table_cell(&t, corner_text(b->target_row, b->target_col).s);
    table_cell(&t, text_u64(b->rows).s);
    table_cell(&t, text_u64(b->cols).s);
  }
  table_print(c, &t, 2);
}

static void json_box(json *j, const dtc_reshard_box *b)
{
  json_object(j, NULL);
  json_u64(j, "tensor", b->tensor);
  json_u64(j, "source", b->source);
  json_u64(j, "source_row", b->source_row);
  json_u64(j, "target_row", b->target_row);
  json_u64(j, "rows", b->rows);
  json_u64(j, "source_col", b->source_col);
  json_u64(j, "target_col", b->target_col);
  json_u64(j, "cols", b->cols);
  json_end(j);
}

static void json_item(json *j, const pieces *p, const dtc_reshard_item *one)
{
  json_object(j, NULL);
  json_u64(j, p->kind == DTC_RESHARD_KIND_TENSOR ? "tensor" : "bucket", one->key);
  json_u64(j, "source", one->source);
  json_u64(j, "source_offset", one->source_offset);
  json_u64(j, "target_offset", one->target_offset);
  json_u64(j, "length", one->length);
  json_end(j);
}

static void pieces_json(const args *a, const reshard_arg *r, uint64_t rank, const pieces *p)
{
  json j;
  json_start(&j, a->command);
  json_sides(&j, r);
  json_u64(&j, "rank", rank);
  json_u64(&j, "elements", p->elements);
  json_array(&j, "pieces");
  for (size_t i = 0; i < p->n; i++) {
    if (p->boxes != NULL)
      json_box(&j, &p->boxes[i]);
    else
      json_item(&j, p, &p->items[i]);
  }
  json_end(&j);
  json_end(&j);
}

int answer_reshard_rank(const cli *c, const args *a, const reshard_arg *r, dtc_checkpoint_form form)
{
  uint64_t rank;
  uint64_t limit;
  uint64_t ranks = r->to.shards.world * r->to.tp;
  pieces p;
  if (args_number(c, a, OPT_SHARD_RANK, 0, 0, &rank) != 0 ||
      args_number(c, a, OPT_SHARD_LIMIT, 1, ROWS_SHOWN, &limit) != 0)
    return EXIT_BAD_INPUT;
  if (rank >= ranks)
    return fail(c, MSG_COUNT_RANGE, "rank", a->value[OPT_SHARD_RANK], "0", text_u64(ranks - 1).s);
  if (list_pieces(c, r, form, rank, &p) != 0)
    return EXIT_BAD_INPUT;
  if (c->json) {
    pieces_json(a, r, rank, &p);
  } else {
    print_sides(c, r);
    print_line(c, MSG_RANK_READS, text_u64(rank).s, text_thousands(p.elements).s, text_u64(p.n).s);
    if (p.n != 0)
      (p.boxes != NULL ? boxes_text : items_text)(c, r, &p, limit);
    if (p.n > limit)
      print_line(c, MSG_ROWS_MORE, text_u64(p.n - limit).s);
  }
  free(p.items);
  free(p.boxes);
  return EXIT_YES;
}

/* ---- both sides -------------------------------------------------------------------------------------------------- */

void print_sides(const cli *c, const reshard_arg *r)
{
  const char *from = dtc_value_name(DTC_FIELD(shards, scheme), r->from.shards.scheme);
  const char *to = dtc_value_name(DTC_FIELD(shards, scheme), r->to.shards.scheme);
  text from_world = text_u64(r->from.shards.world);
  text to_world = text_u64(r->to.shards.world);
  text count = text_u64(r->tensors.n);
  text numel = text_thousands(r->from.totals.numel);
  if (r->tensors.has_model)
    print_model(c, &r->tensors.model);
  if (r->from.tp == 1 && r->to.tp == 1)
    print_line(c, MSG_RESHARD_LINE, from, from_world.s, to, to_world.s, count.s, numel.s);
  else
    print_line(c, MSG_RESHARD_LINE_TP, from, from_world.s, text_u64(r->from.tp).s, to, to_world.s, text_u64(r->to.tp).s,
               count.s, numel.s);
}

static void json_side(json *j, const char *key, const reshard_side *s)
{
  json_object(j, key);
  json_struct(j, "shards", DTC_STRUCT_shards, &s->shards);
  json_u64(j, "tp", s->tp);
  json_struct(j, "totals", DTC_STRUCT_shard_totals, &s->totals);
  json_end(j);
}

void json_sides(json *j, const reshard_arg *r)
{
  if (r->tensors.has_model)
    json_model(j, &r->tensors.model);
  else
    json_null(j, "model");
  json_u64(j, "tensors", r->tensors.n);
  json_side(j, "from", &r->from);
  json_side(j, "to", &r->to);
}

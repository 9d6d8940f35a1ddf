#include "shard_parts.h"

#include "report.h"
#include "table.h"
#include "text.h"

#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 64 };

size_t rank_parts(const cli *c, const shard_arg *s, uint64_t rank, dtc_fragment **out)
{
  const tensors *t = &s->tensors;
  size_t count = 0;
  dtc_error err;
  DTC_INIT(&err);
  *out = grow(NULL, (t->n + 1) * sizeof **out);
  if (dtc_shards_fragments(&s->shards, t->shapes, t->n, s->slots, t->n, rank, *out, t->n, &count, &err) != DTC_OK)
    exit(fail_with(c, NULL, &err)); /* not of a rank below the world */
  return count;
}

void json_part(json *j, const dtc_fragment *f)
{
  json_u64(j, "tensor", f->tensor);
  json_u64(j, "bucket", f->bucket);
  json_u64(j, "tensor_offset", f->tensor_offset);
  json_u64(j, "shard_offset", f->shard_offset);
  json_u64(j, "length", f->length);
}

static int read_rank(const cli *c, const args *a, const shard_arg *s, uint64_t *rank)
{
  if (args_number(c, a, OPT_SHARD_RANK, 0, 0, rank) != 0)
    return EXIT_BAD_INPUT;
  if (*rank < s->shards.world)
    return 0;
  return fail(c, MSG_COUNT_RANGE, "rank", a->value[OPT_SHARD_RANK], "0", text_u64(s->shards.world - 1).s);
}

/* ---- of a rank --------------------------------------------------------------------------------------------------- */

static void print_parts(const cli *c, const shard_arg *s, const dtc_fragment *parts, size_t n, uint64_t limit)
{
  static const msg head[] = {MSG_TENSOR, MSG_BUCKET, MSG_FROM_ELEMENT, MSG_ELEMENTS, MSG_SHARD_PLACE};
  bool buckets = s->totals.buckets > 1;
  table t = table_new("lrrrr");
  for (size_t i = 0; i < t.columns; i++)
    table_cell(&t, say(c, head[i]));
  for (size_t i = 0; i < n && i < limit; i++) {
    char name[TENSOR_NAME];
    tensor_name(c, &s->tensors, parts[i].tensor, name);
    table_cell(&t, name);
    table_cell(&t, buckets ? text_u64(parts[i].bucket).s : "");
    table_cell(&t, text_thousands(parts[i].tensor_offset).s);
    table_cell(&t, text_thousands(parts[i].length).s);
    table_cell(&t, text_thousands(parts[i].shard_offset).s);
  }
  table_print(c, &t, 2);
  if (n > limit)
    print_line(c, MSG_ROWS_MORE, text_u64(n - limit).s);
}

static void rank_json(const args *a, const shard_arg *s, uint64_t rank, const dtc_fragment *parts, size_t n,
                      uint64_t elements)
{
  json j;
  json_start(&j, a->command);
  json_shards(&j, s);
  json_u64(&j, "rank", rank);
  json_u64(&j, "elements", elements);
  json_u64(&j, "bytes", elements_bytes(&s->shards, elements));
  json_array(&j, "parts");
  for (size_t i = 0; i < n; i++) {
    json_object(&j, NULL);
    json_part(&j, &parts[i]);
    json_end(&j);
  }
  json_end(&j);
  json_end(&j);
}

int answer_shard_rank(const cli *c, const args *a, const shard_arg *s)
{
  uint64_t rank;
  uint64_t limit;
  uint64_t elements = 0;
  dtc_fragment *parts;
  if (read_rank(c, a, s, &rank) != 0 || args_number(c, a, OPT_SHARD_LIMIT, 1, ROWS, &limit) != 0)
    return EXIT_BAD_INPUT;
  size_t n = rank_parts(c, s, rank, &parts);
  for (size_t i = 0; i < n; i++)
    elements += parts[i].length;
  if (c->json) {
    rank_json(a, s, rank, parts, n, elements);
  } else {
    print_shards(c, s);
    print_line(c, MSG_RANK_HOLDS, text_u64(rank).s, text_thousands(elements).s,
               text_thousands(elements_bytes(&s->shards, elements)).s, text_u64(n).s);
    if (n != 0)
      print_parts(c, s, parts, n, limit);
  }
  free(parts);
  return EXIT_YES;
}

/* ---- of a tensor ------------------------------------------------------------------------------------------------- */

/* Who holds a tensor: ranks first to last, each a part. */
typedef struct owners {
  size_t tensor;
  uint64_t numel;
  uint64_t first, last;
  bool all;   /* every rank holds all of it */
  bool asked; /* for an element */
  uint64_t element, rank, place;
} owners;

static int owner_of(const cli *c, const shard_arg *s, size_t tensor, uint64_t element, uint64_t *rank, uint64_t *offset)
{
  const tensors *t = &s->tensors;
  dtc_error err;
  DTC_INIT(&err);
  if (dtc_shards_owner(&s->shards, t->shapes, t->n, s->slots, t->n, tensor, element, rank, offset, &err) != DTC_OK)
    return fail_with(c, NULL, &err);
  return 0;
}

/* The part of one tensor: the library is asked about it alone, so that the length of the model does not matter. */
static bool part_of(const cli *c, const shard_arg *s, size_t tensor, uint64_t rank, dtc_fragment *out)
{
  size_t count = 0;
  dtc_error err;
  DTC_INIT(&err);
  if (dtc_shards_fragments(&s->shards, &s->tensors.shapes[tensor], 1, &s->slots[tensor], 1, rank, out, 1, &count,
                           &err) != DTC_OK)
    exit(fail_with(c, NULL, &err)); /* not of a rank below the world */
  out->tensor = (uint32_t)tensor;
  return count == 1;
}

/* --element */
static int find_element(const cli *c, const args *a, const shard_arg *s, owners *o)
{
  const char *asked = a->value[OPT_ELEMENT];
  o->asked = asked != NULL;
  if (!o->asked)
    return 0;
  if (!text_read_u64(asked, &o->element))
    return fail(c, MSG_BAD_VALUE, "element", asked, "N");
  return owner_of(c, s, o->tensor, o->element, &o->rank, &o->place);
}

static int find_owners(const cli *c, const args *a, const shard_arg *s, owners *o)
{
  uint64_t offset;
  *o = (owners){0};
  if (tensor_find(c, &s->tensors, a->value[OPT_TENSOR], &o->tensor) != 0)
    return EXIT_BAD_INPUT;
  const dtc_shape *shape = &s->tensors.shapes[o->tensor];
  o->numel = shape->rows * shape->cols;
  o->all = s->slots[o->tensor].owner == DTC_EVERYWHERE;
  if (o->numel != 0 && (owner_of(c, s, o->tensor, 0, &o->first, &offset) != 0 ||
                        owner_of(c, s, o->tensor, o->numel - 1, &o->last, &offset) != 0))
    return EXIT_BAD_INPUT;
  return find_element(c, a, s, o);
}

static void owner_row(table *t, const char *rank, const char *from, const char *length, const char *place)
{
  table_cell(t, rank);
  table_cell(t, from);
  table_cell(t, length);
  table_cell(t, place);
}

/* The first and the last ranks, when there are more than `limit`. */
static void print_owners(const cli *c, const shard_arg *s, const owners *o, uint64_t limit)
{
  uint64_t ranks = o->last - o->first + 1;
  uint64_t head = ranks > limit ? (limit + 1) / 2 : ranks;
  uint64_t tail = ranks > limit ? limit - head : 0;
  table t = table_new("rrrr");
  owner_row(&t, say(c, MSG_RANK), say(c, MSG_FROM_ELEMENT), say(c, MSG_ELEMENTS), say(c, MSG_SHARD_PLACE));
  for (uint64_t i = 0; i < ranks; i = i + 1 == head ? ranks - tail : i + 1) {
    dtc_fragment f;
    if (i == ranks - tail && ranks > limit)
      owner_row(&t, "..", "", "", "");
    if (part_of(c, s, o->tensor, o->first + i, &f))
      owner_row(&t, text_u64(o->first + i).s, text_thousands(f.tensor_offset).s, text_thousands(f.length).s,
                text_thousands(f.shard_offset).s);
  }
  table_print(c, &t, 2);
}

static void tensor_text(const cli *c, const shard_arg *s, const owners *o, uint64_t limit)
{
  char name[TENSOR_NAME];
  char shape[TENSOR_NAME];
  tensor_name(c, &s->tensors, o->tensor, name);
  shape_text(&s->tensors.shapes[o->tensor], shape);
  print_shards(c, s);
  print_line(c, MSG_TENSOR_LINE, name, shape, text_thousands(o->numel).s, text_u64(s->slots[o->tensor].bucket).s);
  if (o->numel == 0) {
    print_line(c, MSG_TENSOR_EMPTY);
    return;
  }
  if (o->all)
    print_line(c, MSG_TENSOR_ALL);
  else if (o->first == o->last)
    print_line(c, MSG_TENSOR_ONE, text_u64(o->first).s);
  else
    print_line(c, MSG_TENSOR_RANKS, text_u64(o->first).s, text_u64(o->last).s);
  if (!o->all)
    print_owners(c, s, o, limit);
  if (o->asked && !o->all)
    print_line(c, MSG_ELEMENT_LINE, text_thousands(o->element).s, text_u64(o->rank).s, text_thousands(o->place).s);
}

static void tensor_json(const cli *c, const args *a, const shard_arg *s, const owners *o, uint64_t limit)
{
  char name[TENSOR_NAME];
  json j;
  uint64_t last = o->all ? s->shards.world - 1 : o->last;
  tensor_name(c, &s->tensors, o->tensor, name);
  json_start(&j, a->command);
  json_shards(&j, s);
  json_u64(&j, "tensor", o->tensor);
  json_text(&j, "name", s->tensors.has_model ? name : NULL);
  json_u64(&j, "elements", o->numel);
  json_bool(&j, "everywhere", o->all);
  json_array(&j, "parts");
  for (uint64_t r = o->first; o->numel != 0 && r <= last && r - o->first < limit; r++) {
    dtc_fragment f;
    if (!part_of(c, s, o->tensor, r, &f))
      continue;
    json_object(&j, NULL);
    json_u64(&j, "rank", r);
    json_part(&j, &f);
    json_end(&j);
  }
  json_end(&j);
  if (o->numel == 0) {
    json_null(&j, "first_rank");
    json_null(&j, "last_rank");
  } else {
    json_u64(&j, "first_rank", o->first);
    json_u64(&j, "last_rank", last);
  }
  if (o->asked) {
    json_object(&j, "owner");
    json_u64(&j, "element", o->element);
    json_u64(&j, "rank", o->rank);
    json_u64(&j, "shard_offset", o->place);
    json_end(&j);
  } else {
    json_null(&j, "owner");
  }
  json_end(&j);
}

int answer_shard_tensor(const cli *c, const args *a, const shard_arg *s)
{
  owners o;
  uint64_t limit;
  if (args_number(c, a, OPT_SHARD_LIMIT, 1, ROWS, &limit) != 0 || find_owners(c, a, s, &o) != 0)
    return EXIT_BAD_INPUT;
  if (c->json)
    tensor_json(c, a, s, &o, limit);
  else
    tensor_text(c, s, &o, limit);
  return EXIT_YES;
}

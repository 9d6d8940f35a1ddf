#include "shard_even.h"

#include "report.h"
#include "table.h"
#include "text.h"

#include <stdlib.h>

enum { MOST_SHOWN = 5, MOST_SHAPES = 64, NEAREST = 8, MOST_WORLD = 8192 };

static uint64_t padding_of(const dtc_shape *shape, uint64_t world)
{
  return (shape->rows + world - 1) / world * world * shape->cols - shape->rows * shape->cols;
}

static double padding_at(const shard_arg *s, uint64_t world)
{
  double sum = 0;
  for (size_t i = 0; i < s->tensors.n; i++)
    sum += (double)padding_of(&s->tensors.shapes[i], world);
  return sum;
}

/* Where no world divides everything: the nearby one, a whole number of nodes, that pads least. */
static void print_least(const cli *c, const shard_arg *s)
{
  uint64_t world = s->shards.world;
  uint64_t from = (world / 2 + NEAREST - 1) / NEAREST * NEAREST;
  uint64_t to = world * 2 / NEAREST * NEAREST;
  uint64_t best = from;
  if (world < NEAREST || world > MOST_WORLD)
    return;
  for (uint64_t w = from; w <= to; w += NEAREST) {
    if (padding_at(s, w) < padding_at(s, best))
      best = w;
  }
  print_line(c, MSG_ROWS_LEAST, text_u64(from).s, text_u64(to).s, text_u64(best).s,
             text_percent(padding_at(s, best), (double)s->totals.numel).s);
}

/* Tensors of one shape, and what they pad together. */
typedef struct padded {
  size_t first;
  uint64_t count;
  uint64_t padding;
} padded;

static void count_shape(const shard_arg *s, size_t i, padded list[MOST_SHAPES], size_t *n)
{
  const dtc_shape *shape = &s->tensors.shapes[i];
  uint64_t padding = padding_of(shape, s->shards.world);
  size_t at = 0;
  while (at < *n && (s->tensors.shapes[list[at].first].rows != shape->rows ||
                     s->tensors.shapes[list[at].first].cols != shape->cols))
    at++;
  if (padding == 0 || at == MOST_SHAPES)
    return;
  if (at == *n)
    list[(*n)++] = (padded){.first = i};
  list[at].count++;
  list[at].padding += padding;
}

static int by_padding(const void *a, const void *b)
{
  const padded *x = a;
  const padded *y = b;
  if (x->padding != y->padding)
    return x->padding < y->padding ? 1 : -1;
  return (x->first > y->first) - (x->first < y->first);
}

/* The shapes that pad most, most first. */
static void print_padded(const cli *c, const shard_arg *s)
{
  static const msg head[] = {MSG_FIRST_TENSOR, MSG_TENSORS, MSG_SHAPE, MSG_ROWS_RANK, MSG_PADDING};
  padded list[MOST_SHAPES];
  size_t n = 0;
  table t = table_new("lrrrr");
  for (size_t i = 0; i < t.columns; i++)
    table_cell(&t, say(c, head[i]));
  for (size_t i = 0; i < s->tensors.n; i++)
    count_shape(s, i, list, &n);
  qsort(list, n, sizeof *list, by_padding);
  for (size_t i = 0; i < n && i < MOST_SHOWN; i++) {
    const dtc_shape *shape = &s->tensors.shapes[list[i].first];
    char cell[TENSOR_NAME];
    tensor_name(c, &s->tensors, list[i].first, cell);
    table_cell(&t, cell);
    table_cell(&t, text_u64(list[i].count).s);
    shape_text(shape, cell);
    table_cell(&t, cell);
    table_cell(&t, text_u64((shape->rows + s->shards.world - 1) / s->shards.world).s);
    table_cell(&t, text_thousands(list[i].padding).s);
  }
  print_line(c, MSG_ROWS_TENSORS);
  table_print(c, &t, 2);
}

/* Does a world nearby divide all rows? The finding says which. */
static bool world_divides(const shard_findings *f)
{
  for (size_t i = 0; i < f->n; i++)
    if (f->list[i].rule == DTC_RULE_SHARD_ROWS)
      return f->list[i].lower != DTC_NONE || f->list[i].upper != DTC_NONE;
  return false;
}

void even_print(const cli *c, const shard_arg *s, const shard_findings *f)
{
  const dtc_shard_totals *t = &s->totals;
  if (t->padded == t->numel) {
    print_line(c, MSG_ROWS_EVEN);
    return;
  }
  double even = (double)t->numel / (double)s->shards.world;
  print_line(c, MSG_ROWS_UNEVEN, text_percent((double)t->most - even, even).s,
             text_percent((double)(t->padded - t->numel), (double)t->numel).s);
  if (!world_divides(f))
    print_least(c, s);
  print_padded(c, s);
}

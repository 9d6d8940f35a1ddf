/* megatron-fsdp: groups of tensors packed on a grid of rows, so that few rows are cut between ranks.
 * Sources: Megatron-LM d98e8a64 megatron/core/distributed/fsdp/src/megatron_fsdp/param_and_grad_buffer.py, and
 * experimental/layout.py, called v2 here. */
#include "internal/shard.h"

/* Packing takes steps of the order of tensors squared. */
enum { TENSORS_MOST = 1 << 16 };

/* A list whose elements are taken out while it is walked. */
typedef struct chain {
  uint64_t *item;
  uint64_t *next; /* of each element the number of the next; `n` ends the list */
  size_t n;
  size_t head;
} chain;

static void put_last(chain *c, uint64_t item)
{
  c->item[c->n] = item;
  c->next[c->n] = c->n + 1;
  c->n++;
}

static void take_out(chain *c, size_t at, size_t before)
{
  if (at == c->head)
    c->head = (size_t)c->next[at];
  else
    c->next[before] = c->next[at];
}

/* A group that is being packed. */
typedef struct grid {
  const dtci_laying *l;
  uint64_t chunk; /* rows of all sizes fit into it */
  uint64_t at;    /* end of what is packed */
  int v2;
  chain large; /* tensors of a chunk or more, in order */
  chain small;
} grid;

/* The first large tensor whose end fits behind an end of `rest` elements, in one chunk: it is laid so that its incomplete
 * chunk comes first, and closes the gap from behind. Gives the end of the gap. */
static uint64_t lay_partner(grid *g, uint64_t rest)
{
  chain *c = &g->large;
  size_t before = c->head;
  for (size_t k = c->head; k < c->n; before = k, k = (size_t)c->next[k]) {
    uint64_t numel = dtci_numel(&g->l->shapes[c->item[k]]);
    uint64_t other = numel % g->chunk;
    if (other == 0 || rest + other > g->chunk)
      continue;
    uint64_t start = g->at - other;
    g->l->slots[c->item[k]].start = start;
    g->at += numel - other;
    take_out(c, k, before);
    return start;
  }
  return g->at;
}

/* Small tensors go into a gap as long as they fit. v2 starts each at a multiple of its row. */
static void fill_gap(grid *g, uint64_t gap, uint64_t end)
{
  chain *c = &g->small;
  size_t before = c->head;
  for (size_t k = c->head; k < c->n; k = (size_t)c->next[k]) {
    const dtc_shape *shape = &g->l->shapes[c->item[k]];
    uint64_t start = g->v2 ? dtci_round_up(gap, shape->cols) : gap;
    if (start + dtci_numel(shape) > end) {
      before = k;
      continue;
    }
    g->l->slots[c->item[k]].start = start;
    gap = start + dtci_numel(shape);
    take_out(c, k, before);
  }
}

static void pack_large(grid *g)
{
  chain *c = &g->large;
  while (c->head < c->n) {
    uint64_t i = c->item[c->head];
    uint64_t numel = dtci_numel(&g->l->shapes[i]);
    uint64_t gap = g->at + numel;
    c->head = (size_t)c->next[c->head];
    g->l->slots[i].start = g->at;
    g->at += dtci_round_up(numel, g->chunk);
    if (numel % g->chunk != 0) {
      uint64_t end = lay_partner(g, numel % g->chunk);
      fill_gap(g, gap, end);
    }
  }
}

static void pack_rest(grid *g)
{
  const chain *c = &g->small;
  for (size_t k = c->head; k < c->n; k = (size_t)c->next[k]) {
    const dtc_shape *shape = &g->l->shapes[c->item[k]];
    g->at = g->v2 ? dtci_round_up(g->at, shape->cols) : g->at;
    g->l->slots[c->item[k]].start = g->at;
    g->at += dtci_numel(shape);
  }
}

/* ---- a group ----------------------------------------------------------------------------------- */

typedef struct group {
  const dtci_laying *l;
  uint64_t *order; /* its tensors */
  size_t n;
  uint64_t start;
  uint32_t number;
} group;

/* Size of a chunk: a common multiple of the rows. v1 leaves out rows that the chunk so far serves anyway, and tensors
 * that are smaller than it. */
static dtc_status chunk_of(const group *g, int v2, uint64_t *chunk, dtc_error *e)
{
  *chunk = v2 || g->n == 0 ? 1 : g->l->shapes[g->order[0]].cols;
  for (size_t k = 0; k < g->n; k++) {
    int bad = 0;
    const dtc_shape *shape = &g->l->shapes[g->order[k]];
    uint64_t numel = dtci_numel(shape);
    int served = (*chunk % shape->cols == 0 && numel % *chunk == 0) || numel < *chunk || shape->cols == *chunk;
    if (served && !v2)
      continue;
    *chunk = dtci_mul(*chunk / dtci_common_divisor(*chunk, shape->cols), shape->cols, &bad);
    if (bad || *chunk > DTCI_END_MOST)
      return dtci_fail_overflow(e, DTC_FIELD(shape, cols), shape->cols);
  }
  return DTC_OK;
}

/* Large tensors in the order of the group; small ones too, v2's largest first. `room` has 4 * n elements behind order. */
static void sort_sizes(const group *g, grid *to, uint64_t *room)
{
  size_t n = g->n;
  to->large = (chain){.item = room, .next = room + n};
  to->small = (chain){.item = room + 2 * n, .next = room + 3 * n};
  for (size_t k = 0; k < n; k++) {
    int small = dtci_numel(&g->l->shapes[g->order[k]]) < to->chunk;
    put_last(small ? &to->small : &to->large, g->order[k]);
  }
  if (to->v2)
    dtci_order_down(g->l->shapes, DTCI_ORDER_NUMEL, to->small.item, room + 4 * n, to->small.n);
}

static dtc_status lay_group(group *g, int v2, dtc_error *e)
{
  int bad = 0;
  const dtci_laying *l = g->l;
  grid to = {.l = l, .v2 = v2};
  uint64_t *room = g->order + g->n;
  if (!v2)
    dtci_order_down(l->shapes, DTCI_ORDER_COLS, g->order, room, g->n);
  TRY(chunk_of(g, v2, &to.chunk, e));
  sort_sizes(g, &to, room);
  pack_large(&to);
  pack_rest(&to);
  uint64_t multiple = dtci_mul(to.chunk, l->s->world, &bad);
  uint64_t size = bad ? 0 : dtci_mul(dtci_ceil_div(to.at, multiple), multiple, &bad);
  uint64_t end = dtci_add(g->start, size, &bad);
  if (bad || end > DTCI_END_MOST)
    return dtci_fail_overflow(e, DTC_FIELD(shards, world), l->s->world);
  for (size_t k = 0; k < g->n; k++) {
    dtc_slot *slot = &l->slots[g->order[k]];
    *slot = (dtc_slot){g->start + slot->start, g->start, end, to.at, g->number, DTC_EVENLY};
  }
  g->start = end;
  g->number++;
  g->n = 0;
  return DTC_OK;
}

/* v1 closes a group behind the tensor that fills the suggested size of a bucket. */
dtc_status dtci_lay_megatron_fsdp(const dtci_laying *l, dtc_error *e)
{
  int v2 = l->s->scheme == DTC_SHARD_SCHEME_MEGATRON_FSDP2;
  uint64_t bucket = v2 ? DTC_NONE : l->s->bucket;
  uint64_t held = 0;
  group g = {.l = l, .order = l->scratch};
  if (l->n > TENSORS_MOST)
    return dtci_fail_range(e, DTCI_ARG(SHAPES), l->n, 0, TENSORS_MOST);
  for (size_t i = 0; i < l->n; i++) {
    if (l->shapes[i].cols == 0) /* no common multiple; Megatron divides by zero */
      return dtci_fail_range(e, DTC_FIELD(shape, cols), 0, 1, UINT64_C(1) << 40);
    g.order[g.n++] = i;
    held += dtci_numel(&l->shapes[i]);
    if (held >= bucket) {
      TRY(lay_group(&g, v2, e));
      held = 0;
    }
  }
  return g.n != 0 ? lay_group(&g, v2, e) : DTC_OK;
}

/* Batches of tensors, for the files about DeepSpeed and ColossalAI. */
#include "batches.h"

#include <stdlib.h>

void *batches_grown(void *p, size_t n, size_t size)
{
  p = realloc(p, n != 0 ? n * size : 1);
  if (p == NULL)
    abort();
  return p;
}

static dtc_status ask(const shards_layout *l, batches_what what, batches *b, size_t cap, dtc_error *err)
{
  const dtc_shape *shapes = l->model->shapes;
  size_t n = l->model->n;
  if (what == BATCHES_REDUCTIONS)
    return dtc_shards_reductions(&l->shards, shapes, n, l->slots, n, b->list, cap, &b->n, err);
  if (what == BATCHES_GATHERS)
    return dtc_shards_gathers(&l->shards, shapes, n, l->slots, n, b->list, cap, &b->n, err);
  return dtc_shards_sub_groups(&l->shards, shapes, n, l->slots, n, b->list, cap, &b->n, err);
}

const batches *batches_of(golden *g, const shards_layout *l, batches_what what)
{
  static batches kept[3];
  batches *b = &kept[what];
  dtc_error err;
  DTC_INIT(&err);
  b->list = batches_grown(b->list, l->model->n, sizeof *b->list);
  return golden_ok(g, ask(l, what, b, l->model->n, &err), &err) ? b : NULL;
}

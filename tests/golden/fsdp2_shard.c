/* fsdp2_shard.csv: rows of each tensor, cut by tensor parallelism first and by fully_shard then. */
#include "shards.h"

#include <stdlib.h>

/* What the ranks hold: `held` elements of tensor i on each (tp, rank), `parts` with padding on each tp. */
typedef struct grid {
  uint64_t tp;
  uint64_t world;
  uint64_t *held;
  uint64_t *parts;
} grid;

static uint64_t *held_at(const grid *q, uint64_t i, uint64_t tp, uint64_t rank)
{
  return &q->held[(i * q->tp + tp) * q->world + rank];
}

/* One rank of tensor parallelism; the first answers the sums. */
static int fill_tp(golden *g, grid *q, const shards_model *whole, dtc_shape *shapes, uint64_t tp)
{
  dtc_error err;
  dtc_shards s;
  size_t count = 0;
  DTC_INIT(&err);
  DTC_INIT(&s);
  s.scheme = DTC_SHARD_SCHEME_FSDP2;
  s.world = q->world;
  dtc_status status = dtc_shards_local(whole->shapes, whole->n, q->tp, tp, shapes, whole->n, &count, &err);
  shards_model model = {.shapes = shapes, .n = count};
  dtc_shard_totals t;
  const shards_layout *l = golden_ok(g, status, &err) ? shards_lay_model(g, &s, &model) : NULL;
  if (l == NULL || (tp == 0 && !shards_totals(g, l, &t)))
    return 0;
  for (uint64_t rank = 0; rank < q->world; rank++) {
    size_t n = shards_fragments(g, l, rank);
    for (size_t k = 0; k < n; k++)
      *held_at(q, l->fragments[k].tensor, tp, rank) = l->fragments[k].length;
  }
  for (size_t i = 0; i < count; i++)
    q->parts[i * q->tp + tp] = (l->slots[i].bucket_end - l->slots[i].bucket_start) / q->world;
  if (tp != 0)
    return 1;
  golden_u64(g, "allgather_in_numel_per_rank", t.per_rank);
  golden_u64(g, "allgather_out_numel", t.padded);
  golden_u64(g, "reduce_scatter_in_numel", t.padded);
  golden_u64(g, "reduce_scatter_out_numel", t.per_rank);
  golden_u64(g, "max_rank_local_numel", t.most);
  golden_u64(g, "min_rank_local_numel", t.least);
  golden_u64(g, "n_empty_ranks", t.empty);
  return 1;
}

/* Tensor i on every rank. An empty part starts where the rank of tensor parallelism ends. */
static digest put_tensor(const grid *q, const dtc_shape *shape, size_t i, digest d)
{
  uint64_t each = (shape->rows + q->tp - 1) / q->tp;
  for (uint64_t tp = 0; tp < q->tp; tp++) {
    uint64_t row = tp * each < shape->rows ? tp * each : shape->rows;
    for (uint64_t rank = 0; rank < q->world; rank++) {
      uint64_t held = *held_at(q, i, tp, rank), rows = shape->cols != 0 ? held / shape->cols : 0;
      d = digest_put(digest_put(digest_put(d, i), tp), rank);
      d = digest_put(digest_put(d, row), rows);
      d = digest_put(digest_put(d, held), q->parts[i * q->tp + tp] - held);
      row += rows;
    }
  }
  return d;
}

void golden_fsdp2_shard(golden *g)
{
  const shards_model *m = shards_model_of(g);
  grid q = {.tp = golden_number(g, "tp_world"), .world = golden_number(g, "fsdp_world")};
  if (m == NULL)
    return;
  q.held = calloc(m->n * q.tp * q.world, sizeof *q.held);
  q.parts = calloc(m->n * q.tp, sizeof *q.parts);
  dtc_shape *shapes = calloc(m->n, sizeof *shapes);
  if (q.held == NULL || q.parts == NULL || shapes == NULL)
    abort();
  uint64_t tp = 0;
  while (tp < q.tp && fill_tp(g, &q, m, shapes, tp))
    tp++;
  digest d = digest_start;
  for (size_t i = 0; i < m->n; i++)
    d = put_tensor(&q, &m->shapes[i], i, d);
  if (tp == q.tp)
    digest_answer(g, "fnv_shards", d);
  free(q.held);
  free(q.parts);
  free(shapes);
}

/* traced_zero_states.csv: what ranks of DeepSpeed engines hold, moment by moment. */
#include "shards.h"

#include <stdio.h>
#include <stdlib.h>

enum { TENSORS_MOST = 1024 };

/* The tensors of param_numels, as vectors. */
static const shards_model *model_of(golden *g)
{
  static dtc_shape shapes[TENSORS_MOST];
  static shards_model model = {.shapes = shapes};
  const char *at = golden_cell(g, "param_numels");
  char *end;
  model.n = 0;
  model.numel = 0;
  for (uint64_t numel = strtoull(at, &end, 10); end != at && model.n < TENSORS_MOST; numel = strtoull(at, &end, 10)) {
    shapes[model.n++] = (dtc_shape){.rows = numel, .cols = 1};
    model.numel += numel;
    at = end;
  }
  return &model;
}

static void read_shards(const golden *g, dtc_shards *s)
{
  const char *type = golden_cell(g, "dtype");
  const char *accum = golden_cell(g, "gad");
  uint64_t stage = golden_number(g, "stage");
  DTC_INIT(s);
  s->scheme = stage == 3 ? DTC_SHARD_SCHEME_ZERO3 : DTC_SHARD_SCHEME_ZERO12;
  s->version = 19008;
  s->world = golden_number(g, "world");
  s->dtype = shards_dtype(type, strlen(type));
  s->grad_accum = *accum != '\0' ? shards_dtype(accum, strlen(accum)) : DTC_DTYPE_DEFAULT;
  s->bucket = golden_number(g, "bucket");
  s->contiguous = golden_is(g, "contig", "1") ? DTC_BOOL_ON : DTC_BOOL_OFF;
  if (stage != 3) {
    s->stage = stage;
    return;
  }
  uint64_t persistence = golden_number(g, "persist");
  s->persistence = persistence != 0 ? persistence : DTC_NONE;
  s->sub_group = golden_number(g, "sub");
}

/* "init", "iter1_after_backward_2of4", "iter2_after_step". */
static dtc_shard_moment moment_of(const golden *g, uint64_t *micro_batch)
{
  const char *when = golden_cell(g, "when");
  unsigned iteration = 0, micro = 0;
  *micro_batch = 0;
  if (strcmp(when, "init") == 0)
    return DTC_SHARD_MOMENT_INIT;
  if (sscanf(when, "iter%u_after_backward_%uof", &iteration, &micro) != 2)
    return DTC_SHARD_MOMENT_STEP;
  *micro_batch = micro - 1;
  return iteration == 1 ? DTC_SHARD_MOMENT_FIRST_BACKWARD : DTC_SHARD_MOMENT_BACKWARD;
}

void golden_traced_zero_states(golden *g)
{
  dtc_shards s;
  dtc_shard_bytes b;
  uint64_t micro_batch;
  dtc_error err;
  DTC_INIT(&b);
  DTC_INIT(&err);
  read_shards(g, &s);
  const shards_layout *l = shards_lay_model(g, &s, model_of(g));
  dtc_shard_moment moment = moment_of(g, &micro_batch);
  if (l == NULL ||
      !golden_ok(g,
                 dtc_shards_held(&l->shards, l->model->shapes, l->model->n, l->slots, l->model->n,
                                 golden_number(g, "rank"), golden_number(g, "gas"), micro_batch, moment, &b, &err),
                 &err))
    return;
  golden_u64(g, "module_param_bytes", b.params);
  golden_u64(g, "bit16_flat_bytes", b.weights);
  golden_u64(g, "fp32_master_bytes", b.master);
  golden_u64(g, "optimizer_state_bytes", b.moments);
  golden_u64(g, "averaged_gradients_bytes", b.averaged);
  if (golden_is(g, "offload", "0") && golden_is(g, "offload_param", "0"))
    golden_u64(g, "total_distinct_bytes", b.weights + b.master + b.moments + b.gradients + b.buckets + b.gathered);
}

#include "shard_optimizer.h"

#include "report.h"
#include "table.h"
#include "text.h"

#include <stdio.h>
#include <stdlib.h>

/* Tensors that the optimizer is given. */
typedef struct given {
  dtc_shape *shapes;
  size_t n;
} given;

/* The optimizer's tensors are fp32 copies, or the parts themselves, which FSDP keeps in fp32; only these have the weights. */
static dtc_dtype dtype_of(const dtc_shards *s)
{
  bool weights =
      s->scheme == DTC_SHARD_SCHEME_DDP || s->scheme == DTC_SHARD_SCHEME_WHOLE || s->scheme == DTC_SHARD_SCHEME_OSS;
  return weights ? s->dtype : DTC_DTYPE_FP32;
}

/* DeepSpeed steps with a vector: of the rank's part, or with zero3 of each sub-group. */
static int vectors(const cli *c, const shard_arg *s, given *g)
{
  const tensors *t = &s->tensors;
  dtc_batch *groups;
  dtc_error err;
  if (s->shards.scheme == DTC_SHARD_SCHEME_ZERO12 || s->shards.scheme == DTC_SHARD_SCHEME_BF16) {
    g->shapes[g->n++] = (dtc_shape){.rows = s->totals.per_rank, .cols = 1};
    return 0;
  }
  DTC_INIT(&err);
  groups = grow(NULL, (t->n + 1) * sizeof *groups);
  if (dtc_shards_sub_groups(&s->shards, t->shapes, t->n, s->slots, t->n, groups, t->n, &g->n, &err) != DTC_OK) {
    free(groups);
    return fail_with(c, NULL, &err);
  }
  for (size_t i = 0; i < g->n; i++)
    g->shapes[i] = (dtc_shape){.rows = groups[i].kept, .cols = 1};
  free(groups);
  return 0;
}

/* Others step with each part: whole tensors and rows keep their shape, the rest are vectors. */
static int parts(const cli *c, const shard_arg *s, given *g)
{
  const tensors *t = &s->tensors;
  dtc_fragment *f = grow(NULL, (t->n + 1) * sizeof *f);
  dtc_error err;
  DTC_INIT(&err);
  if (dtc_shards_fragments(&s->shards, t->shapes, t->n, s->slots, t->n, s->totals.heaviest, f, t->n, &g->n, &err) !=
      DTC_OK) {
    free(f);
    return fail_with(c, NULL, &err);
  }
  for (size_t i = 0; i < g->n; i++) {
    const dtc_shape *whole = &t->shapes[f[i].tensor];
    g->shapes[i] = (dtc_shape){.rows = f[i].length, .cols = 1};
    if (f[i].length == whole->rows * whole->cols)
      g->shapes[i] = *whole;
    else if (s->shards.scheme == DTC_SHARD_SCHEME_FSDP2)
      g->shapes[i] = (dtc_shape){f[i].length / whole->cols, whole->cols, whole->dims, whole->dtype, 0, 0};
  }
  free(f);
  return 0;
}

static void bytes_row(const cli *c, table *t, msg name, uint64_t bytes)
{
  table_cell(t, say(c, name));
  table_cell(t, bytes != DTC_NONE ? text_thousands(bytes).s : "?");
  table_cell(t, bytes != DTC_NONE ? text_gib_small(bytes).s : "?");
}

static void print_text(const cli *c, const shard_arg *s, const given *g, const dtc_optimizer_held *held)
{
  table t = table_new("lrr");
  print_shards(c, s);
  print_line(c, MSG_OPTIMIZER_HELD, text_u64(s->totals.heaviest).s, text_u64(g->n).s);
  table_cell(&t, "");
  table_cell(&t, say(c, MSG_BYTES));
  table_cell(&t, "GiB");
  bytes_row(c, &t, MSG_OPTIMIZER_DEVICE, held->device);
  bytes_row(c, &t, MSG_OPTIMIZER_HOST, held->host);
  bytes_row(c, &t, MSG_OPTIMIZER_ROUNDED, held->rounded);
  bytes_row(c, &t, MSG_OPTIMIZER_FIRST, held->first_step);
  bytes_row(c, &t, MSG_OPTIMIZER_LATER, held->later_step);
  table_print(c, &t, 2);
}

static void print_json(const args *a, const shard_arg *s, const given *g, const dtc_optimizer_spec *spec,
                       const dtc_optimizer_held *held)
{
  json j;
  json_start(&j, a->command);
  json_shards(&j, s);
  json_u64(&j, "rank", s->totals.heaviest);
  json_u64(&j, "stepped", g->n);
  json_struct(&j, "optimizer", DTC_STRUCT_optimizer_spec, spec);
  json_struct(&j, "held", DTC_STRUCT_optimizer_held, held);
  json_end(&j);
}

static int answer(const cli *c, const args *a, const shard_arg *s, given *g)
{
  bool flat = s->shards.scheme >= DTC_SHARD_SCHEME_ZERO12 && s->shards.scheme <= DTC_SHARD_SCHEME_MICS;
  dtc_optimizer_spec spec;
  dtc_optimizer_held held;
  dtc_error err;
  DTC_INIT(&spec);
  DTC_INIT(&held);
  DTC_INIT(&err);
  spec.dtype = dtype_of(&s->shards);
  if (fields_set(c, a, DTC_STRUCT_optimizer_spec, &spec) != 0 || (flat ? vectors : parts)(c, s, g) != 0)
    return EXIT_BAD_INPUT;
  if (dtc_optimizer_bytes(g->shapes, g->n, &spec, &held, &err) != DTC_OK)
    return fail_with(c, NULL, &err);
  if (c->json)
    print_json(a, s, g, &spec, &held);
  else
    print_text(c, s, g, &held);
  return EXIT_YES;
}

int answer_shard_optimizer(const cli *c, const args *a, const shard_arg *s)
{
  given g = {grow(NULL, (s->tensors.n + 1) * sizeof(dtc_shape)), 0};
  int exit_code = answer(c, a, s, &g);
  free(g.shapes);
  return exit_code;
}

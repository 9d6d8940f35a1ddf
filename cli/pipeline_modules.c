#include "pipeline_modules.h"

#include <stdlib.h>
#include <string.h>

enum { LEDGER = 32 };

/* Adds a tensor to the module that it lies in. */
static void add_tensor(modules *m, const dtc_tensor *t, bool *moe)
{
  uint64_t module = t->layer != DTC_NONE ? 1 + t->layer : t->kind == DTC_TENSOR_KIND_EMBEDDING ? 0 : m->layers + 1;
  if (t->layer == DTC_NONE && t->kind == DTC_TENSOR_KIND_HEAD)
    module = m->layers + 2;
  m->weights[module] += t->numel;
  if (t->kind == DTC_TENSOR_KIND_EXPERT)
    moe[module] = true;
}

/* Parameters of each module, and which layers have experts. */
static int count_weights(const cli *c, modules *m, bool *moe)
{
  const dtc_model *model = &m->model.model;
  uint64_t count;
  dtc_error err;
  DTC_INIT(&err);
  if (dtc_model_tensor_count(model, &count, &err) != DTC_OK)
    return fail_with(c, m->model.name, &err);
  for (uint64_t i = 0; i < count; i++) {
    dtc_tensor t;
    DTC_INIT(&t);
    if (dtc_model_tensor(model, i, &t, &err) != DTC_OK)
      return fail_with(c, m->model.name, &err);
    if (t.layer == DTC_NONE || t.layer < m->layers) /* not of multi-token prediction */
      add_tensor(m, &t, moe);
  }
  if (m->weights[m->layers + 2] == 0) /* tied: a module of its own, which counts the table again */
    m->weights[m->layers + 2] = model->vocab * model->hidden;
  return 0;
}

/* FLOPs of a micro-batch in a layer of a kind, forward and backward. */
static int count_flops(const cli *c, const modules *m, const dtc_plan *plan, dtc_layer_kind kind, double *out)
{
  dtc_ledger_row rows[LEDGER];
  dtc_plan p = *plan;
  size_t n;
  dtc_error err;
  DTC_INIT(&err);
  /* The split that is asked for need not be one that this plan allows. */
  p.pp = p.vpp = p.accumulation = p.global_batch = 0;
  p.schedule = DTC_SCHEDULE_DEFAULT;
  *out = 0;
  if (dtc_ledger_rows(&m->model.model, &p, kind, rows, LEDGER, &n, &err) != DTC_OK)
    return fail_with(c, m->model.name, &err);
  for (size_t i = 0; i < n; i++)
    *out += rows[i].forward_flops + rows[i].backward_flops;
  return 0;
}

static int count_costs(const cli *c, modules *m, const dtc_plan *plan, const bool *moe)
{
  double dense = 0;
  double experts = 0;
  bool any[2] = {false, false};
  for (uint64_t i = 0; i < m->layers; i++)
    any[moe[i + 1]] = true;
  if ((any[0] && count_flops(c, m, plan, DTC_LAYER_KIND_DENSE, &dense) != 0) ||
      (any[1] && count_flops(c, m, plan, DTC_LAYER_KIND_MOE, &experts) != 0) ||
      count_flops(c, m, plan, DTC_LAYER_KIND_HEAD, &m->costs[m->layers + 1]) != 0)
    return EXIT_BAD_INPUT;
  m->costs[0] = 0; /* a lookup */
  for (uint64_t i = 0; i < m->layers; i++)
    m->costs[i + 1] = moe[i + 1] ? experts : dense;
  return 0;
}

int modules_read(const cli *c, const args *a, const plan_arg *plan, modules *out)
{
  memset(out, 0, sizeof *out);
  out->has_model = a->operand != NULL || plan->has_model;
  if (!out->has_model)
    return 0;
  if (model_arg_read(c, a, plan, &out->model) != 0)
    return EXIT_BAD_INPUT;
  if (out->model.size_only)
    return fail(c, MSG_SIZE_HAS_NO_SHAPE, out->model.name);
  out->layers = out->model.model.layers;
  size_t n = (size_t)out->layers + 3;
  bool *moe = grow(NULL, n * sizeof *moe);
  out->weights = grow(NULL, n * sizeof *out->weights);
  out->costs = grow(NULL, n * sizeof *out->costs);
  memset(moe, 0, n * sizeof *moe);
  memset(out->weights, 0, n * sizeof *out->weights);
  int code = count_weights(c, out, moe);
  if (code == 0)
    code = count_costs(c, out, &plan->plan, moe);
  free(moe);
  return code;
}

int modules_choose(const cli *c, const char *class, modules *m)
{
  static const char *const names[] = {"embedding", "transformer", "norm", "head"};
  size_t chosen = 0;
  while (chosen < 4 && strcmp(names[chosen], class) != 0)
    chosen++;
  if (chosen == 4)
    return fail(c, MSG_UNKNOWN_VALUE, "type", class, "transformer, embedding, norm, head");
  for (uint64_t i = 0; i < m->layers + 3; i++) {
    size_t which = i == 0 ? 0 : i <= m->layers ? 1 : i == m->layers + 1 ? 2 : 3;
    m->weights[i] = which == chosen;
  }
  return 0;
}

/* dtcore plan: looks closer at what a search found, and at what comes nearest when it found nothing. */
#include "search.h"

#include <stdlib.h>

static dtc_status plan_of(const search_question *q, uint64_t index, dtc_plan *out, dtc_error *err)
{
  dtc_plan p;
  DTC_INIT(&p);
  DTC_INIT(out);
  dtc_status status = dtc_search_plan(&q->model.model, &q->cluster.cluster, &q->plan.plan, &q->space, index, &p, err);
  return status != DTC_OK ? status : dtc_plan_resolve(&q->model.model, &q->cluster.cluster, &p, out, err);
}

static dtc_status memory_of(const search_question *q, const dtc_plan *plan, dtc_memory *out, dtc_error *err)
{
  DTC_INIT(out);
  return dtc_memory_estimate(&q->model.model, &q->cluster.cluster, plan, NULL, 0, out, err);
}

dtc_status search_plan_at(const search_question *q, uint64_t index, dtc_plan *plan, dtc_memory *memory, dtc_error *err)
{
  dtc_status status = plan_of(q, index, plan, err);
  return status != DTC_OK ? status : memory_of(q, plan, memory, err);
}

dtc_status search_timed(const search_question *q, const dtc_plan *plan, const dtc_memory *memory, dtc_error *err)
{
  uint64_t device = q->space.surely == DTC_BOOL_ON ? memory->device_high : memory->device;
  dtc_step step;
  DTC_INIT(&step);
  if (device > memory->capacity || memory->capacity - device < q->space.reserve)
    return DTC_OK;
  return dtc_step_estimate(&q->model.model, &q->cluster.cluster, plan, NULL, 0, NULL, &step, err);
}

static dtc_status look_at(const search_question *q, const dtc_found *found, search_plan *out, dtc_error *err)
{
  const dtc_model *m = &q->model.model;
  const dtc_cluster *on = &q->cluster.cluster;
  out->found = *found;
  DTC_INIT(&out->step);
  DTC_INIT(&out->rate);
  dtc_status status = search_plan_at(q, found->index, &out->plan, &out->memory, err);
  if (status == DTC_OK)
    status = dtc_step_estimate(m, on, &out->plan, NULL, 0, NULL, &out->step, err);
  if (status == DTC_OK &&
      dtc_step_rates(m, on, &out->plan, DTC_FLOPS_MEGATRON, found->seconds, &out->rate, NULL) != DTC_OK)
    DTC_INIT(&out->rate);
  return status;
}

/* ---- nothing fits ------------------------------------------------------------------------------------------------ */

/* Are there searches with this change, and more, too? */
static bool is_searched(dtc_remedy remedy)
{
  static const dtc_remedy searched[] = {DTC_REMEDY_RECOMPUTE_FULL,
                                        DTC_REMEDY_SHARD_OPTIMIZER,
                                        DTC_REMEDY_SHARD_GRADIENTS,
                                        DTC_REMEDY_SHARD_WEIGHTS,
                                        DTC_REMEDY_OFFLOAD_OPTIMIZER,
                                        DTC_REMEDY_OFFLOAD_PARAMS,
                                        DTC_REMEDY_DP};
  for (size_t i = 0; i < sizeof searched / sizeof *searched; i++) {
    if (searched[i] == remedy)
      return true;
  }
  return false;
}

/* Of the other changes of the plan that would cut memory, what is enough, on the machine without what is to stay free. */
static void look_for_remedies(const search_question *q, search_least *l)
{
  dtc_memory_remedy all[MAX_REMEDIES];
  dtc_cluster on = q->cluster.cluster;
  size_t count = 0;
  on.usable -= q->space.reserve < on.usable ? q->space.reserve : 0;
  if (dtc_memory_remedies(&q->model.model, &on, &l->plan, NULL, 0, all, MAX_REMEDIES, &count, NULL) != DTC_OK)
    return;
  for (size_t i = 0; i < count; i++) {
    if (all[i].fits == DTC_BOOL_ON && !is_searched(all[i].remedy))
      l->remedies[l->remedy_count++] = all[i];
  }
}

/* Why there is not even one to look at: what is wrong with the first plan. */
static void look_at_first(const search_question *q, search_least *l)
{
  const dtc_model *m = &q->model.model;
  const dtc_cluster *on = &q->cluster.cluster;
  dtc_step step;
  DTC_INIT(&step);
  if (search_plan_at(q, q->first, &l->plan, &l->memory, &l->refused) != DTC_OK ||
      dtc_step_estimate(m, on, &l->plan, NULL, 0, NULL, &step, &l->refused) != DTC_OK)
    return;
  DTC_INIT(&l->refused);
}

static int look_at_least(const cli *c, search_question *q)
{
  search_least *l = &q->least;
  dtc_error err;
  DTC_INIT(&err);
  DTC_INIT(&l->refused);
  if (q->sum.least == 0 || q->sum.over == 0) {
    look_at_first(q, l);
    return 0;
  }
  if (search_plan_at(q, q->sum.least_index, &l->plan, &l->memory, &err) != DTC_OK)
    return fail_with(c, NULL, &err);
  l->known = true;
  if (search_timed(q, &l->plan, &l->memory, &l->refused) == DTC_OK)
    look_for_remedies(q, l);
  return 0;
}

int search_look(const cli *c, search_question *q)
{
  dtc_error err;
  DTC_INIT(&err);
  if (q->count == 0)
    return look_at_least(c, q);
  q->plans = grow(NULL, q->count * sizeof *q->plans);
  for (size_t i = 0; i < q->count; i++) {
    if (look_at(q, &q->best[i], &q->plans[i], &err) != DTC_OK)
      return fail_with(c, NULL, &err);
  }
  return 0;
}

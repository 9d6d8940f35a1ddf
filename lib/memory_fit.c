/* Fewest GPUs on which a model fits. */
#include "internal/cluster.h"
#include "internal/memory.h"

#include "internal/catalog.h"

enum { MOST_GPUS = 1 << 20, LEGAL_TRIES = 4096 };

/* What is asked: resolved model and cluster, the caller's plan as it was given. */
typedef struct question {
  dtc_model model;
  dtc_cluster cluster;
  dtc_plan plan;
  uint64_t most; /* GPUs */
} question;

/* The case at these degrees, filled. */
static dtc_status case_at(const question *q, uint64_t tp, uint64_t pp, uint64_t dp, dtci_case *c, dtc_error *e)
{
  c->model = q->model;
  c->cluster = q->cluster;
  c->cluster.nodes = 0; /* the search keeps to q->most itself */
  c->has_cluster = 1;
  c->plan = q->plan;
  c->plan.tp = tp;
  c->plan.pp = pp;
  c->plan.dp = dp;
  /* Whoever splits layers over tensor parallel ranks to save memory also splits what lies between them. */
  if (c->plan.sequence_parallel == DTC_BOOL_DEFAULT && c->plan.sharding == DTC_SHARDING_DISTOPT && tp > 1)
    c->plan.sequence_parallel = DTC_BOOL_ON;
  return dtci_plan_fill(c, e);
}

static dtc_status memory_at(const question *q, uint64_t tp, uint64_t pp, uint64_t dp, dtc_memory *out, dtc_error *e)
{
  dtci_case c;
  dtci_memory_setup s;
  TRY(case_at(q, tp, pp, dp, &c, e));
  TRY(dtci_memory_prepare(&c, &s, e));
  return dtci_memory_worst(&c, &s, NULL, out, e);
}

static int legal_at(const question *q, uint64_t tp, uint64_t pp, uint64_t dp)
{
  dtci_case c;
  dtc_error unused;
  return case_at(q, tp, pp, dp, &c, &unused) == DTC_OK && dtci_plan_legal(&c, &unused) == DTC_OK;
}

/* Smallest legal dp in [from, most]; 0 when none is near. */
static uint64_t next_legal(const question *q, uint64_t tp, uint64_t pp, uint64_t from, uint64_t most)
{
  for (uint64_t dp = from; dp <= most && dp - from < LEGAL_TRIES; dp++)
    if (legal_at(q, tp, pp, dp))
      return dp;
  return 0;
}

/* Smallest dp up to `most` that fits, by bisection: more ranks never hold more, but for the communicators that a second
 * GPU brings, so that 1 is tried by itself. *at is the memory there, or at `most` when nothing fits (then 0). */
static dtc_status least_dp(const question *q, uint64_t tp, uint64_t pp, uint64_t most, uint64_t *dp, dtc_memory *at,
                           dtc_error *e)
{
  uint64_t low = 1;
  uint64_t high = most;
  dtc_memory tried;
  *dp = 0;
  if (q->plan.dp != 0)
    low = high = q->plan.dp <= most ? q->plan.dp : most;
  TRY(memory_at(q, tp, pp, high, at, e));
  TRY(memory_at(q, tp, pp, low, &tried, e));
  if (tried.fits == DTC_BOOL_ON) {
    high = low;
    *at = tried;
  }
  if (at->fits != DTC_BOOL_ON || (q->plan.dp != 0 && q->plan.dp > most))
    return DTC_OK;
  while (low < high) {
    uint64_t middle = low + (high - low) / 2;
    TRY(memory_at(q, tp, pp, middle, &tried, e));
    if (tried.fits == DTC_BOOL_ON)
      high = middle;
    else
      low = middle + 1;
  }
  *dp = next_legal(q, tp, pp, high, q->plan.dp != 0 ? high : most);
  return *dp != 0 ? memory_at(q, tp, pp, *dp, at, e) : DTC_OK;
}

/* Largest item: sharded ones have vanished where this is asked. */
static dtc_memory_item largest(const dtc_memory *m)
{
  const uint64_t items[] = {0,
                            m->weights,
                            m->gradients,
                            m->optimizer,
                            m->buckets,
                            m->gathered,
                            m->activations,
                            m->transient,
                            m->workspace};
  dtc_memory_item best = DTC_MEMORY_ITEM_WEIGHTS;
  for (dtc_memory_item i = best; i <= DTC_MEMORY_ITEM_WORKSPACE; i++)
    if (items[i] > items[best])
      best = i;
  return best;
}

/* Takes (tp, pp) into the answer: fewer GPUs win; while nothing fits, the least memory. */
static dtc_status try_degrees(const question *q, uint64_t tp, uint64_t pp, dtc_fit *fit, dtc_error *e)
{
  uint64_t cp = q->plan.cp != 0 ? q->plan.cp : 1;
  uint64_t each = tp * pp * cp;
  uint64_t most = (fit->gpus != 0 ? fit->gpus - 1 : q->most) / each;
  uint64_t dp = 0;
  dtc_memory at;
  if (most == 0 || next_legal(q, tp, pp, q->plan.dp != 0 ? q->plan.dp : 1, q->plan.dp != 0 ? q->plan.dp : most) == 0)
    return DTC_OK;
  TRY(least_dp(q, tp, pp, most, &dp, &at, e));
  if (dp == 0 && (fit->gpus != 0 || (fit->device != 0 && at.device >= fit->device)))
    return DTC_OK;
  fit->gpus = dp * each;
  fit->nodes = dtci_ceil_div(fit->gpus, q->cluster.gpus_per_node);
  fit->tp = tp;
  fit->pp = pp;
  fit->dp = dp;
  fit->device = at.device;
  fit->limit = dp == 0 ? largest(&at) : DTC_MEMORY_ITEM_NONE;
  return DTC_OK;
}

/* Degrees that the search runs over: those given stay; tp and pp grow for the distributed optimizer only. */
static dtc_status search(const question *q, dtc_fit *fit, dtc_error *e)
{
  int grows = q->plan.sharding == DTC_SHARDING_DISTOPT;
  uint64_t tp_most = q->plan.tp != 0 ? q->plan.tp : grows ? q->cluster.nvlink_domain : 1;
  uint64_t pp_most = q->plan.pp != 0 ? q->plan.pp : grows ? q->model.layers : 1;
  for (uint64_t tp = q->plan.tp != 0 ? q->plan.tp : 1; tp <= tp_most; tp++) {
    if (q->model.heads % tp != 0)
      continue;
    for (uint64_t pp = q->plan.pp != 0 ? q->plan.pp : 1; pp <= pp_most && pp <= q->most; pp++)
      if (pp == q->plan.pp || q->model.layers % pp == 0)
        TRY(try_degrees(q, tp, pp, fit, e));
  }
  return DTC_OK;
}

static dtc_status answer(const dtc_model *model, const dtc_cluster *cluster, const dtc_plan *plan, dtc_fit *fit,
                         dtc_error *e)
{
  question q;
  dtci_case c = {.has_cluster = 1};
  TRY(dtci_model_in(model, &q.model, e));
  TRY(dtci_cluster_in(cluster, &q.cluster, e));
  TRY(dtci_in(&q.plan, DTC_STRUCT_plan, plan, e));
  q.most = q.cluster.nodes != 0 ? q.cluster.nodes * q.cluster.gpus_per_node : MOST_GPUS;
  /* The sharding decides what is searched, so its default is filled here. */
  c.plan = q.plan;
  dtci_plan_fill_kind(&c.plan);
  q.plan.framework = c.plan.framework;
  q.plan.sharding = c.plan.sharding;
  *fit = (dtc_fit){.struct_size = sizeof *fit, .capacity = q.cluster.usable};
  TRY(search(&q, fit, e));
  if (fit->device != 0)
    return DTC_OK;
  /* No degrees were legal: say what is wrong with those given, or the smallest. */
  TRY(case_at(&q, q.plan.tp != 0 ? q.plan.tp : 1, q.plan.pp != 0 ? q.plan.pp : 1, q.plan.dp != 0 ? q.plan.dp : 1, &c, e));
  TRY(dtci_plan_legal(&c, e));
  return dtci_fail_range(e, DTC_FIELD(plan, dp), c.plan.dp, 1, q.most / (c.plan.tp * c.plan.cp * c.plan.pp));
}

dtc_status dtc_memory_min_gpus(const dtc_model *model, const dtc_cluster *cluster, const dtc_plan *plan, dtc_fit *out,
                               dtc_error *err)
{
  dtc_error e;
  dtc_fit fit;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = answer(model, cluster, plan, &fit, &e);
  return dtci_end(s != DTC_OK ? s : dtci_out(out, DTC_STRUCT_fit, &fit, &e), &e, err);
}

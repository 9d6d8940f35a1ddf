/* Fewest GPUs on which a model fits. */
#include "internal/catalog.h"
#include "internal/cluster.h"
#include "internal/memory.h"
#include "internal/rules.h"

enum { MOST_GPUS = 1 << 20, LEGAL_TRIES = 4096 };

/* What is asked: resolved model and cluster, the caller's plan as it was given. */
typedef struct question {
  dtc_model model;
  dtc_cluster cluster;
  dtc_plan plan;
  uint64_t most; /* GPUs */
} question;

/* Degrees under trial. */
typedef struct degrees {
  uint64_t tp;
  uint64_t pp;
  uint64_t ep;
} degrees;

static uint64_t or_one(uint64_t degree)
{
  return degree != 0 ? degree : 1;
}

/* The case at these degrees, filled. */
static dtc_status case_at(const question *q, degrees d, uint64_t dp, dtci_case *c, dtc_error *e)
{
  c->model = q->model;
  c->cluster = q->cluster;
  c->cluster.nodes = 0; /* the search keeps to q->most itself */
  c->has_cluster = 1;
  c->has_stages = 0;
  c->plan = q->plan;
  c->plan.tp = d.tp;
  c->plan.pp = d.pp;
  c->plan.ep = d.ep;
  c->plan.dp = dp;
  /* Whoever splits layers over tensor parallel ranks to save memory also splits what lies between them. */
  if (c->plan.sequence_parallel == DTC_BOOL_DEFAULT && c->plan.sharding == DTC_SHARDING_DISTOPT && d.tp > 1)
    c->plan.sequence_parallel = DTC_BOOL_ON;
  return dtci_plan_fill(c, e);
}

static dtc_status memory_at(const question *q, degrees d, uint64_t dp, dtc_memory *out, dtc_error *e)
{
  dtci_case c;
  dtci_memory_setup s;
  TRY(case_at(q, d, dp, &c, e));
  TRY(dtci_memory_prepare(&c, &s, e));
  return dtci_memory_worst(&c, &s, NULL, out, e);
}

/* Does the rule compare dp, or what is derived from it? */
static int follows_dp(const dtci_rule_row *row)
{
  static const uint32_t derived[] = {DTCI_OPERAND(plan, dp), DTCI_OPERAND(plan, dp_shard),
                                     DTCI_OPERAND(plan, micro_batch), DTCI_OPERAND(plan, accumulation),
                                     DTCI_OPERAND(plan, global_batch)};
  for (size_t i = 0; i < sizeof derived / sizeof derived[0]; i++)
    if (dtci_rule_reads(row, derived[i]))
      return 1;
  return 0;
}

/* Smallest legal dp in [from, most]; 0 when none is near, or when another dp would not make the degrees legal. */
static uint64_t next_legal(const question *q, degrees d, uint64_t from, uint64_t most)
{
  for (uint64_t dp = from; dp <= most && dp - from < LEGAL_TRIES; dp++) {
    dtci_case c;
    dtc_error e;
    if (case_at(q, d, dp, &c, &e) != DTC_OK)
      return 0;
    const dtci_rule_row *broken = dtci_plan_broken(&c);
    if (broken == NULL)
      return dp;
    if (!follows_dp(broken))
      return 0;
  }
  return 0;
}

/* Smallest legal dp in [low, most] that fits; 0 when none does. *at is the memory there, or at `most`. More ranks never
 * hold more, but for the communicators that a second GPU brings: `low` is tried by itself, the rest by bisection. */
static dtc_status least_dp(const question *q, degrees d, uint64_t low, uint64_t most, uint64_t *dp, dtc_memory *at,
                           dtc_error *e)
{
  uint64_t high = most;
  dtc_memory tried;
  *dp = 0;
  TRY(memory_at(q, d, high, at, e));
  TRY(memory_at(q, d, low, &tried, e));
  if (tried.fits == DTC_BOOL_ON)
    high = low;
  else if (at->fits != DTC_BOOL_ON)
    return DTC_OK;
  while (low < high) {
    uint64_t middle = low + (high - low) / 2;
    TRY(memory_at(q, d, middle, &tried, e));
    if (tried.fits == DTC_BOOL_ON)
      high = middle;
    else
      low = middle + 1;
  }
  *dp = next_legal(q, d, high, most);
  return *dp != 0 ? memory_at(q, d, *dp, at, e) : DTC_OK;
}

/* Largest item: sharded ones have vanished where this is asked. */
static dtc_memory_item largest(const dtc_memory *m)
{
  const uint64_t items[] = {0,           m->weights,     m->gradients, m->optimizer, m->buckets,
                            m->gathered, m->activations, m->transient, m->workspace};
  dtc_memory_item best = DTC_MEMORY_ITEM_WEIGHTS;
  for (dtc_memory_item i = best; i <= DTC_MEMORY_ITEM_WORKSPACE; i++)
    if (items[i] > items[best])
      best = i;
  return best;
}

/* Takes these degrees into the answer: fewer GPUs win; while nothing fits, the least memory. */
static dtc_status try_degrees(const question *q, degrees d, dtc_fit *fit, dtc_error *e)
{
  uint64_t each = d.tp * d.pp * or_one(q->plan.cp);
  uint64_t most = (fit->gpus != 0 ? fit->gpus - 1 : q->most) / each;
  uint64_t low = or_one(q->plan.dp);
  uint64_t dp = 0;
  dtc_memory at;
  if (low > most)
    return DTC_OK;
  if (q->plan.dp != 0)
    most = low;
  low = next_legal(q, d, low, most);
  if (low == 0)
    return DTC_OK;
  TRY(least_dp(q, d, low, most, &dp, &at, e));
  if (dp == 0 && (fit->gpus != 0 || (fit->device != 0 && at.device >= fit->device)))
    return DTC_OK;
  fit->gpus = dp * each;
  fit->nodes = dtci_ceil_div(fit->gpus, q->cluster.gpus_per_node);
  fit->tp = d.tp;
  fit->pp = d.pp;
  fit->ep = d.ep;
  fit->dp = dp;
  fit->device = at.device;
  fit->limit = dp == 0 ? largest(&at) : DTC_MEMORY_ITEM_NONE;
  return DTC_OK;
}

/* Expert parallel degrees: those that divide the experts. */
static dtc_status search_ep(const question *q, degrees d, dtc_fit *fit, dtc_error *e)
{
  int grows = q->plan.sharding == DTC_SHARDING_DISTOPT && q->model.experts != 0 && q->plan.ep == 0;
  uint64_t most = grows ? q->model.experts : or_one(q->plan.ep);
  for (d.ep = or_one(q->plan.ep); d.ep <= most; d.ep++)
    if (!grows || q->model.experts % d.ep == 0)
      TRY(try_degrees(q, d, fit, e));
  return DTC_OK;
}

/* Degrees that are given stay; tp and pp grow for the distributed optimizer only. */
static dtc_status search(const question *q, dtc_fit *fit, dtc_error *e)
{
  int grows = q->plan.sharding == DTC_SHARDING_DISTOPT;
  uint64_t tp_most = q->plan.tp != 0 ? q->plan.tp : grows ? q->cluster.nvlink_domain : 1;
  uint64_t pp_most = q->plan.pp != 0 ? q->plan.pp : grows ? q->model.layers : 1;
  degrees d = {0, 0, 0};
  for (d.tp = or_one(q->plan.tp); d.tp <= tp_most; d.tp++) {
    if (q->model.heads % d.tp != 0)
      continue;
    for (d.pp = or_one(q->plan.pp); d.pp <= pp_most && d.pp <= q->most; d.pp++)
      if (d.pp == q->plan.pp || q->model.layers % d.pp == 0)
        TRY(search_ep(q, d, fit, e));
  }
  return DTC_OK;
}

static dtc_status answer(const dtc_model *model, const dtc_cluster *cluster, const dtc_plan *plan, dtc_fit *fit,
                         dtc_error *e)
{
  question q;
  dtci_case c;
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
  degrees d = {or_one(fit->tp != 0 ? fit->tp : q.plan.tp), or_one(fit->pp != 0 ? fit->pp : q.plan.pp),
               or_one(fit->ep != 0 ? fit->ep : q.plan.ep)};
  TRY(case_at(&q, d, or_one(fit->dp != 0 ? fit->dp : q.plan.dp), &c, e));
  fit->sequence_parallel = c.plan.sequence_parallel;
  if (fit->device != 0)
    return DTC_OK;
  /* No degrees were legal: say what is wrong with those given, or the smallest. */
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

/* Fewest GPUs on which a model fits.
 *
 * Nothing is assumed of how memory falls with the number of ranks (it does not fall evenly: shards, expert groups and
 * batches jump). First every (tp, pp) doubles dp until it fits, which bounds the answer from above; the states alone bound
 * it from below; then every number of GPUs between is tried, fewest first. What is legal the rules say. */
#include "internal/cluster.h"
#include "internal/memory.h"
#include "internal/pipeline.h"

enum {
  MOST_GPUS = 1 << 20,
  MOST_STAGES = 1024,
  MOST_TRIES = 65536,
  NEAR = 64,     /* values beside an illegal dp */
  DEGREES = 128, /* legal values of tp, and of pp, that are tried in the second pass */
};

/* Degrees under trial. */
typedef struct degrees {
  uint64_t tp;
  uint64_t pp;
  uint64_t dp;
} degrees;

typedef struct search {
  dtci_case base; /* resolved model and cluster, the caller's plan with its framework and sharding */
  dtci_weights weights;
  uint64_t most; /* GPUs */
  uint64_t cp;
  uint64_t tries;
  int legal; /* some degrees were */
  uint64_t tp[DEGREES];
  uint64_t pp[DEGREES];
  size_t tps;
  size_t pps;
  dtc_min_gpus fit;
  dtc_plan best;
  dtci_case tried; /* of the degrees under trial; here once, not in a frame of each pass */
  dtci_memory_setup setup;
} search;

typedef enum verdict { ILLEGAL, NEVER_LEGAL, TOO_LARGE, FITS } verdict;

static uint64_t or_one(uint64_t degree)
{
  return degree != 0 ? degree : 1;
}

static int searches(const search *s)
{
  return dtci_shardings[s->base.plan.sharding].searches;
}

/* The case at these degrees, filled. */
static dtc_status case_at(const search *s, degrees d, dtci_case *c, dtc_error *e)
{
  *c = s->base;
  c->plan.tp = d.tp;
  c->plan.pp = d.pp;
  c->plan.dp = d.dp;
  if (searches(s) && c->model.experts != 0 && c->plan.ep == 0) {
    uint64_t etp = c->plan.etp != 0 ? c->plan.etp : dtci_default_etp(&c->model, &c->plan);
    uint64_t ranks = d.tp * s->cp * d.dp;
    c->plan.ep = dtci_common_divisor(c->model.experts, ranks / dtci_common_divisor(ranks, etp));
  }
  /* Whoever splits layers over tensor parallel ranks to save memory also splits what lies between them. */
  if (searches(s) && c->plan.sequence_parallel == DTC_BOOL_DEFAULT && d.tp > 1)
    c->plan.sequence_parallel = DTC_BOOL_ON;
  return dtci_plan_fill(c, e);
}

/* Would another dp make the degrees legal? Yes when the rule compares dp, or what is derived from it. */
static int follows_dp(const dtci_rule_row *row)
{
  static const uint32_t derived[] = {DTCI_OPERAND(plan, dp),           DTCI_OPERAND(plan, dp_shard),
                                     DTCI_OPERAND(plan, micro_batch),  DTCI_OPERAND(plan, accumulation),
                                     DTCI_OPERAND(plan, global_batch), DTCI_OPERAND(plan, ep)};
  for (size_t i = 0; i < sizeof derived / sizeof derived[0]; i++)
    if (dtci_rule_reads(row, derived[i]))
      return 1;
  return 0;
}

/* Fewest GPUs win, then the least tp, then the least pp; while nothing fits, the least memory. */
static int better(const search *s, const dtc_plan *p, const dtc_memory *m, uint64_t gpus)
{
  const dtc_min_gpus *fit = &s->fit;
  if (m->fits != DTC_BOOL_ON)
    return fit->gpus == 0 && (fit->device == 0 || m->device < fit->device);
  if (fit->gpus != gpus)
    return fit->gpus == 0 || gpus < fit->gpus;
  return p->tp < s->best.tp || (p->tp == s->best.tp && p->pp < s->best.pp);
}

static void keep(search *s, const dtci_case *c, const dtc_memory *m, uint64_t gpus)
{
  dtc_min_gpus *fit = &s->fit;
  int fits = m->fits == DTC_BOOL_ON;
  if (!better(s, &c->plan, m, gpus))
    return;
  s->best = c->plan;
  fit->device = m->device;
  fit->gpus = fits ? gpus : 0;
  fit->nodes = dtci_ceil_div(fit->gpus, c->cluster.gpus_per_node);
  fit->limit = fits ? DTC_MEMORY_ITEM_NONE : m->largest;
  fit->limit_bytes = fits ? 0 : dtci_memory_item(m, m->largest);
}

static void try_degrees(search *s, degrees d, verdict *v)
{
  dtci_case *c = &s->tried;
  dtc_memory m;
  dtc_error unused;
  s->tries += 1 + d.pp / 16;
  *v = NEVER_LEGAL;
  if (case_at(s, d, c, &unused) != DTC_OK)
    return;
  const dtci_rule_row *broken = dtci_plan_broken(c);
  if (broken != NULL) {
    *v = follows_dp(broken) ? ILLEGAL : NEVER_LEGAL;
    return;
  }
  *v = TOO_LARGE;
  s->legal = 1;
  if (dtci_memory_prepare(c, &s->weights, &s->setup, &unused) != DTC_OK ||
      dtci_memory_worst(c, &s->setup, NULL, &m, &unused) != DTC_OK)
    return; /* does not fit 64 bits */
  if (m.fits == DTC_BOOL_ON)
    *v = FITS;
  keep(s, c, &m, d.tp * d.pp * d.dp * s->cp);
}

static void remember(uint64_t list[DEGREES], size_t *n, uint64_t value)
{
  for (size_t i = 0; i < *n; i++)
    if (list[i] == value)
      return;
  if (*n < DEGREES)
    list[(*n)++] = value;
}

/* Tries dp, and while that is illegal the next ones, `step` 1 or -1, short of `end`. */
static void try_near(search *s, degrees d, uint64_t step, uint64_t end, verdict *v)
{
  *v = ILLEGAL;
  for (int i = 0; i < NEAR && *v == ILLEGAL && d.dp != end; i++, d.dp += step)
    try_degrees(s, d, v);
  if (*v > NEVER_LEGAL) {
    remember(s->tp, &s->tps, d.tp);
    remember(s->pp, &s->pps, d.pp);
  }
}

/* First pass: doubles dp for one (tp, pp), and tries the largest there is last. */
static void bound(search *s, degrees d)
{
  uint64_t each = d.tp * d.pp * s->cp;
  uint64_t most = (s->fit.gpus != 0 ? s->fit.gpus - 1 : s->most) / each;
  verdict v = ILLEGAL;
  if (s->base.plan.dp != 0) {
    d.dp = s->base.plan.dp;
    if (d.dp <= most)
      try_near(s, d, 1, d.dp + 1, &v);
    return;
  }
  for (d.dp = 1; d.dp <= most && v != NEVER_LEGAL && v != FITS; d.dp *= 2)
    try_near(s, d, 1, d.dp * 2 <= most ? d.dp * 2 : most + 1, &v);
  if (v == NEVER_LEGAL || v == FITS || most == 0)
    return;
  uint64_t tried = d.dp / 2;
  d.dp = most;
  try_near(s, d, UINT64_MAX, tried, &v);
}

/* Largest value of a degree: the given one, else 1, or what the search may use. */
static uint64_t largest(const search *s, uint64_t given, uint64_t limit)
{
  return given != 0 ? given : searches(s) ? limit : 1;
}

static void first_pass(search *s)
{
  const dtc_plan *p = &s->base.plan;
  uint64_t tp_most = largest(s, p->tp, s->base.cluster.nvlink_domain);
  uint64_t pp_most = largest(s, p->pp, s->base.model.layers < MOST_STAGES ? s->base.model.layers : MOST_STAGES);
  degrees d;
  for (d.tp = or_one(p->tp); d.tp <= tp_most; d.tp++)
    for (d.pp = or_one(p->pp); d.pp <= pp_most && s->tries < MOST_TRIES; d.pp++)
      bound(s, d);
}

/* All ways to make `gpus` out of the degrees of the first pass. */
static void try_gpus(search *s, uint64_t gpus)
{
  verdict v = ILLEGAL;
  uint64_t rest = gpus / s->cp;
  for (size_t i = 0; i < s->tps; i++)
    for (size_t k = 0; k < s->pps; k++) {
      degrees d = {s->tp[i], s->pp[k], rest / s->tp[i] / s->pp[k]};
      if (d.tp * d.pp * d.dp * s->cp == gpus && (s->base.plan.dp == 0 || d.dp == s->base.plan.dp))
        try_degrees(s, d, &v);
    }
}

/* All of the model on one stage. */
static dtc_stage one_stage(const dtci_case *c)
{
  dtc_plan p = {.framework = c->plan.framework, .schedule = DTC_SCHEDULE_1F1B, .pp = 1, .vpp = 1};
  dtci_stages stages = dtci_stages_of(&c->model, &p);
  return dtci_stage_at(&stages, 0);
}

/* Second pass: every number of GPUs from what the states alone take. */
static dtc_status second_pass(search *s, dtc_error *e)
{
  dtci_case *c = &s->tried;
  dtc_memory m;
  degrees one = {1, 1, 1};
  TRY(case_at(s, one, c, e));
  dtc_stage all = one_stage(c);
  TRY(dtci_memory_prepare(c, &s->weights, &s->setup, e));
  c->plan.accumulation = 2; /* so that gradients count */
  TRY(dtci_memory_stage(c, &s->setup, 0, &all, &m, e));
  uint64_t least = (m.weights + m.gradients + m.optimizer) / s->base.cluster.usable;
  for (uint64_t gpus = or_one(least); gpus <= s->fit.gpus && s->tries < MOST_TRIES; gpus++)
    try_gpus(s, gpus);
  return DTC_OK;
}

/* What is wrong with the degrees that were given, or with the smallest: first what no dp would mend. */
static dtc_status say_illegal(const search *s, dtc_error *e)
{
  const dtc_plan *p = &s->base.plan;
  degrees d = {or_one(p->tp), or_one(p->pp), or_one(p->dp)};
  dtci_case c;
  TRY(case_at(s, d, &c, e));
  for (uint32_t i = 0; i < dtci_rules_count; i++) {
    const dtci_rule_row *row = &dtci_rules[i];
    if (row->severity == DTC_SEVERITY_ERROR && !follows_dp(row) && !dtci_rule_check(row, &c, e))
      return e->status;
  }
  TRY(dtci_plan_legal(&c, e));
  return dtci_fail_range(e, DTC_FIELD(plan, dp), d.dp, 1, s->most / (d.tp * d.pp * s->cp));
}

static dtc_status run(search *s, const dtc_model *model, const dtc_cluster *cluster, const dtc_plan *plan, dtc_error *e)
{
  dtc_plan *p = &s->base.plan;
  memset(s, 0, sizeof *s);
  s->base.has_cluster = 1;
  TRY(dtci_model_in(model, &s->base.model, e));
  TRY(dtci_cluster_in(cluster, &s->base.cluster, e));
  TRY(dtci_in(p, DTC_STRUCT_plan, plan, e));
  TRY(dtci_model_weights(&s->base.model, &s->weights, e));
  /* The sharding decides what is searched, so its default is filled here. */
  dtc_plan kind = *p;
  TRY(dtci_plan_fill_kind(&kind, e));
  TRY(dtci_in_flight_known(&kind, e));
  p->framework = kind.framework;
  p->sharding = kind.sharding;
  s->cp = or_one(p->cp);
  s->most = MOST_GPUS;
  if (s->base.cluster.nodes != 0)
    s->most = s->base.cluster.nodes * s->base.cluster.gpus_per_node;
  s->base.cluster.nodes = 0; /* the search keeps to `most` itself */
  s->fit = (dtc_min_gpus){.struct_size = sizeof s->fit, .capacity = s->base.cluster.usable};
  first_pass(s);
  if (!s->legal)
    return say_illegal(s, e);
  return s->fit.device != 0 ? second_pass(s, e) : dtci_fail_overflow(e, DTC_FIELD(plan, micro_batch), p->micro_batch);
}

dtc_status dtc_memory_min_gpus(const dtc_model *model, const dtc_cluster *cluster, const dtc_plan *plan,
                               dtc_min_gpus *out, dtc_plan *best, dtc_error *err)
{
  dtc_error e;
  search found;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = run(&found, model, cluster, plan, &e);
  /* Both outputs or none. */
  s = s != DTC_OK ? s : dtci_out_ok(best, DTC_STRUCT_plan, &e);
  s = s != DTC_OK ? s : dtci_out(out, DTC_STRUCT_min_gpus, &found.fit, &e);
  return dtci_end(s != DTC_OK ? s : dtci_out(best, DTC_STRUCT_plan, &found.best, &e), &e, err);
}

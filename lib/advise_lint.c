/* What a legal plan loses: for each rule whether it is broken, and the nearest plan that does not break it. */
#include "internal/advise.h"
#include "internal/cluster.h"
#include "internal/model.h"
#include "internal/plan.h"

/* A plan with what it comes to. */
typedef struct weighed {
  dtc_plan plan; /* resolved */
  dtc_memory memory;
  dtc_step step;
  int held;  /* its memory is modelled */
  int timed; /* its time is modelled */
} weighed;

typedef struct lint {
  dtc_model model;
  dtc_cluster cluster;
  dtc_plan given;
  weighed now;
  weighed next;
} lint;

/* What memory that is saved may cost, and what is worth a word. */
#define SLOWER_MOST 1.05
#define FASTER_LEAST .99

/* What a change has to bring to be one, as bits. */
enum { FITS = 1, FASTER = 2, SMALLER = 4, HOST = 8, ALWAYS = 16 };

/* A rule, the field that it is about, and what its change brings; ALWAYS: it is a finding without a change too. */
typedef struct lint_row {
  dtc_rule rule;
  uint32_t field;
  uint32_t brings;
  uint32_t value; /* of the field, where that is the change */
} lint_row;

#define ROW(name, member, brings, value)                                                                               \
  {                                                                                                                    \
    DTC_RULE_##name, DTC_FIELD(plan, member), brings, value                                                            \
  }
static const lint_row rows[] = {
    ROW(PLACE_TP, tp, ALWAYS, 0),
    ROW(PLACE_EP, ep, ALWAYS, 0),
    ROW(PLACE_CP, cp, ALWAYS, 0),
    ROW(NEED_OFFLOAD, offload, FITS, DTC_OFFLOAD_DEFAULT),
    ROW(NEED_OFFLOAD_PARAMS, offload, FITS, DTC_OFFLOAD_OPTIMIZER),
    ROW(FIT_MICRO_BATCH, micro_batch, FITS, 0),
    ROW(FILL_PIPELINE, accumulation, ALWAYS, 0),
    ROW(NEED_RECOMPUTE, recompute, FITS | FASTER, 0),
    ROW(NEED_SHARDING, sharding, FITS | FASTER, 0),
    ROW(FIT_HOST, offload, ALWAYS | HOST, 0),
    ROW(SPLIT_LOGITS, vocab_parallel, SMALLER, DTC_BOOL_ON),
    ROW(HIDE_GRADIENTS, grad_overlap, FASTER, DTC_BOOL_ON),
    ROW(FIT_MEMORY, micro_batch, ALWAYS | FITS, 0),
    ROW(SPLIT_SEQUENCE, sequence_parallel, SMALLER, DTC_BOOL_ON),
};
enum { ROWS = sizeof rows / sizeof rows[0], CHANGES = 64, REMEDIES = 32 };

static dtc_status weigh(const lint *l, const dtc_plan *plan, weighed *w, dtc_error *e)
{
  memset(w, 0, sizeof *w);
  w->plan.struct_size = sizeof w->plan;
  w->memory.struct_size = sizeof w->memory;
  w->step.struct_size = sizeof w->step;
  TRY(dtc_plan_resolve(&l->model, &l->cluster, plan, &w->plan, e));
  w->held = dtc_memory_estimate(&l->model, &l->cluster, plan, NULL, 0, &w->memory, NULL) == DTC_OK;
  w->timed = dtc_step_estimate(&l->model, &l->cluster, plan, NULL, 0, NULL, &w->step, NULL) == DTC_OK;
  return DTC_OK;
}

static int fits(const weighed *w)
{
  return w->held && w->memory.fits == DTC_BOOL_ON;
}

static int host_fits(const lint *l, const weighed *w)
{
  return !w->held || l->cluster.host_memory == 0 || w->memory.host_node <= l->cluster.host_memory;
}

/* ---- placement ------------------------------------------------------------------------------- */

/* Axes of a mesh, as bits of their names. */
#define AXIS(name) (1u << DTC_AXIS_NAME_##name)

/* Do the groups over these axes lie inside NVLink's domain? What cannot be told does. */
static int inside(const lint *l, const dtc_plan *p, dtc_mesh_part part, uint32_t names)
{
  dtc_layout layout = {.struct_size = sizeof layout};
  dtc_placement at = {.struct_size = sizeof at};
  dtc_axis axes[DTC_MESH_AXES];
  dtc_group_kind kind = {.part = part};
  size_t n = 0;
  if (dtc_layout_from_plan(&l->model, &l->cluster, p, &layout, NULL) != DTC_OK ||
      dtc_layout_mesh(&layout, part, axes, DTC_MESH_AXES, &n, NULL) != DTC_OK)
    return 1;
  for (size_t i = 0; i < n; i++)
    if (axes[i].name < 32 && (names >> axes[i].name & 1))
      kind.axes |= 1u << i;
  if (kind.axes == 0 ||
      dtc_mesh_placement(axes, n, layout.offset, &kind, dtci_larger(1, l->cluster.nvlink_domain), &at, NULL) != DTC_OK)
    return 1;
  return at.spread == DTC_SPREAD_INSIDE;
}

static int placed(const lint *l, const dtc_plan *p, dtc_rule rule)
{
  switch (rule) {
  case DTC_RULE_PLACE_TP:
    return p->tp == 1 || inside(l, p, DTC_MESH_PART_DENSE, AXIS(TP));
  case DTC_RULE_PLACE_EP:
    return p->ep == 1 || inside(l, p, DTC_MESH_PART_EXPERTS, AXIS(EP));
  default: /* that tp leaves it is told by its own rule */
    return p->cp == 1 || !placed(l, p, DTC_RULE_PLACE_TP) || inside(l, p, DTC_MESH_PART_DENSE, AXIS(TP) | AXIS(CP));
  }
}

/* ---- is it broken? --------------------------------------------------------------------------- */

static int broken(const lint *l, dtc_rule rule)
{
  const dtc_plan *p = &l->now.plan;
  int full = fits(&l->now) || !l->now.held;
  switch (rule) {
  case DTC_RULE_PLACE_TP:
  case DTC_RULE_PLACE_EP:
  case DTC_RULE_PLACE_CP:
    return !placed(l, p, rule);
  case DTC_RULE_NEED_OFFLOAD:
    return p->offload != DTC_OFFLOAD_DEFAULT;
  case DTC_RULE_NEED_OFFLOAD_PARAMS:
    return p->offload > DTC_OFFLOAD_OPTIMIZER;
  case DTC_RULE_FIT_MICRO_BATCH:
    return !full && p->micro_batch > 1;
  case DTC_RULE_FIT_MEMORY:
    return !full;
  case DTC_RULE_FILL_PIPELINE:
    return p->pp > 1 && p->accumulation < p->pp;
  case DTC_RULE_NEED_RECOMPUTE:
    return p->recompute > DTC_RECOMPUTE_NONE && full;
  case DTC_RULE_NEED_SHARDING:
    return full && (p->sharding == DTC_SHARDING_ZERO3 || p->sharding == DTC_SHARDING_FSDP);
  case DTC_RULE_FIT_HOST:
    return p->offload != DTC_OFFLOAD_DEFAULT && !host_fits(l, &l->now);
  case DTC_RULE_SPLIT_LOGITS:
    return p->tp > 1 && p->vocab_parallel == DTC_BOOL_OFF;
  case DTC_RULE_HIDE_GRADIENTS:
    return p->grad_overlap == DTC_BOOL_OFF && l->now.timed && l->now.step.gradients > .02 * l->now.step.seconds;
  default: /* DTC_RULE_SPLIT_SEQUENCE */
    return p->tp > 1 && p->sequence_parallel == DTC_BOOL_OFF;
  }
}

/* ---- changes --------------------------------------------------------------------------------- */

/* The same GPUs, the same batch. */
static dtc_plan fixed(const lint *l)
{
  const dtc_plan *p = &l->now.plan;
  dtc_plan next = dtci_plan_kept(&l->given, p);
  next.tp = p->tp;
  next.cp = p->cp;
  next.pp = p->pp;
  next.global_batch = p->global_batch;
  return next;
}

/* The n-th divisor of `of` below it, the largest first; 0: there are no more. */
static uint64_t smaller_divisor(uint64_t of, uint32_t n)
{
  for (uint64_t k = 2; k <= of && k <= 4096; k++)
    if (of % k == 0 && n-- == 0)
      return of / k;
  return 0;
}

/* A smaller degree; what it had goes to dp, then to pp. */
static int less_degree(const lint *l, dtc_rule rule, uint32_t n, dtc_plan *next)
{
  uint64_t *degree = rule == DTC_RULE_PLACE_TP ? &next->tp : &next->cp;
  uint64_t had = *degree;
  uint64_t value = smaller_divisor(had, n / 2);
  if (value == 0)
    return 0;
  *degree = value;
  *(n % 2 == 0 ? &next->dp : &next->pp) *= had / value;
  next->dp_shard = 0;
  return placed(l, next, rule) ? 1 : -1;
}

static int less_experts(const lint *l, uint32_t n, dtc_plan *next)
{
  next->etp = l->now.plan.etp;
  next->ep = smaller_divisor(l->now.plan.ep, n);
  return next->ep == 0 ? 0 : placed(l, next, DTC_RULE_PLACE_EP) ? 1 : -1;
}

static int less_offload(const lint *l, uint32_t n, dtc_plan *next)
{
  dtc_offload had = l->now.plan.offload;
  next->offload = had - 1 - n;
  return n < had;
}

/* Smaller micro-batches. Fewer stages with more data parallel ranks do not help: there are fewer micro-batches then by the
 * same factor. */
static int more_micro_batches(const lint *l, uint32_t n, dtc_plan *next)
{
  const dtc_plan *p = &l->now.plan;
  next->micro_batch = smaller_divisor(p->micro_batch, n);
  if (next->micro_batch == 0)
    return 0;
  return p->global_batch / (next->micro_batch * next->dp) >= p->pp ? 1 : -1;
}

static int less_recompute(const lint *l, uint32_t n, dtc_plan *next)
{
  dtc_recompute value = DTC_RECOMPUTE_NONE + n;
  if (value >= l->now.plan.recompute)
    return 0;
  dtci_plan_clear_recompute(next);
  next->recompute = value;
  return 1;
}

/* ZeRO-3 to ZeRO-2, then to ZeRO-1; FSDP keeps its weights between forward and backward. */
static int less_sharding(const lint *l, uint32_t n, dtc_plan *next)
{
  if (l->now.plan.sharding == DTC_SHARDING_FSDP) {
    next->reshard = DTC_BOOL_OFF;
    return n == 0 && l->now.plan.reshard == DTC_BOOL_ON;
  }
  next->sharding = DTC_SHARDING_ZERO2 - n;
  next->live = next->persistence = 0;
  return n <= 1;
}

static int smaller_micro_batch(const lint *l, uint32_t n, dtc_plan *next)
{
  dtc_max_setting most = {.struct_size = sizeof most};
  if (n != 0 || dtc_memory_max_micro_batch(&l->model, &l->cluster, next, NULL, 0, &most, NULL) != DTC_OK ||
      most.value == 0)
    return 0;
  next->micro_batch = most.value;
  return 1;
}

/* The first remedy with which it fits. */
static int remedy(const lint *l, uint32_t n, dtc_plan *next)
{
  dtc_memory_remedy list[REMEDIES];
  size_t count = 0;
  if (n != 0 || dtc_memory_remedies(&l->model, &l->cluster, next, NULL, 0, list, REMEDIES, &count, NULL) != DTC_OK)
    return 0;
  for (size_t i = 0; i < count; i++)
    if (list[i].fits == DTC_BOOL_ON &&
        dtc_memory_remedy_plan(&l->model, &l->cluster, next, list[i].remedy, next, NULL) == DTC_OK)
      return 1;
  return 0;
}

/* The n-th change: 1 one, -1 not one that helps, 0 there are no more. */
static int change(const lint *l, const lint_row *row, uint32_t n, dtc_plan *next)
{
  *next = fixed(l);
  switch (row->rule) {
  case DTC_RULE_PLACE_TP:
  case DTC_RULE_PLACE_CP:
    return less_degree(l, row->rule, n, next);
  case DTC_RULE_PLACE_EP:
    return less_experts(l, n, next);
  case DTC_RULE_FIT_HOST:
    return less_offload(l, n, next);
  case DTC_RULE_FIT_MICRO_BATCH:
    return smaller_micro_batch(l, n, next);
  case DTC_RULE_FIT_MEMORY:
    return remedy(l, n, next);
  case DTC_RULE_FILL_PIPELINE:
    return more_micro_batches(l, n, next);
  case DTC_RULE_NEED_RECOMPUTE:
    return less_recompute(l, n, next);
  case DTC_RULE_NEED_SHARDING:
    return less_sharding(l, n, next);
  default:
    dtci_write(next, dtci_field_of(row->field), row->value);
    return n == 0;
  }
}

/* Does the changed plan bring what the row asks for? Placement may cost memory, but not the GPU's limit. */
static int brings(const lint *l, const lint_row *row)
{
  const weighed *now = &l->now;
  const weighed *next = &l->next;
  int both_timed = now->timed && next->timed;
  if ((row->brings & FITS) && !fits(next))
    return 0;
  if ((row->brings & FASTER) && !(both_timed && next->step.seconds < FASTER_LEAST * now->step.seconds))
    return 0;
  if ((row->brings & SMALLER) && !(now->held && next->held && next->memory.device < now->memory.device))
    return 0;
  if ((row->brings & SMALLER) && both_timed && next->step.seconds > SLOWER_MOST * now->step.seconds)
    return 0;
  if ((row->brings & HOST) && !(host_fits(l, next) && fits(next)))
    return 0;
  return fits(next) || !fits(now);
}

/* The nearest plan that does not break the rule, in l->next. */
static int mended(lint *l, const lint_row *row)
{
  for (uint32_t n = 0; n < CHANGES; n++) {
    dtc_plan next;
    int found = change(l, row, n, &next);
    if (found == 0)
      return 0;
    if (found > 0 && weigh(l, &next, &l->next, NULL) == DTC_OK && brings(l, row))
      return 1;
  }
  return 0;
}

/* ---- findings -------------------------------------------------------------------------------- */

static void describe(const lint *l, const lint_row *row, dtc_error *e)
{
  const dtc_plan *p = &l->now.plan;
  uint64_t limit = row->rule <= DTC_RULE_PLACE_CP ? l->cluster.nvlink_domain : DTC_NONE;
  dtci_fail(e, DTC_E_CONFLICT, row->rule, row->field, dtci_read(p, dtci_field_of(row->field)));
  e->severity = DTC_SEVERITY_WARNING;
  e->max = row->rule == DTC_RULE_FILL_PIPELINE     ? p->pp
           : row->rule == DTC_RULE_FIT_MICRO_BATCH ? l->next.plan.micro_batch
                                                   : limit;
}

/* What an earlier finding says already. */
static int said(dtc_rule rule, dtc_rule before)
{
  return (rule == DTC_RULE_NEED_OFFLOAD_PARAMS && before == DTC_RULE_NEED_OFFLOAD) ||
         (rule == DTC_RULE_FIT_MEMORY && before == DTC_RULE_FIT_MICRO_BATCH);
}

static dtc_status lint_all(lint *l, dtc_error *findings, size_t cap, size_t *count, dtc_error *e)
{
  dtc_rule of_memory = DTC_RULE_NONE; /* the last finding that another may repeat */
  size_t n = 0;
  if (cap != 0)
    TRY(dtci_out_ok(findings, DTC_STRUCT_error, e));
  for (uint32_t i = 0; i < ROWS; i++) {
    dtc_error one;
    if (!broken(l, rows[i].rule) || said(rows[i].rule, of_memory))
      continue;
    if (!(rows[i].brings & ALWAYS) && !mended(l, &rows[i]))
      continue;
    if (rows[i].rule == DTC_RULE_NEED_OFFLOAD || rows[i].rule == DTC_RULE_FIT_MICRO_BATCH)
      of_memory = rows[i].rule;
    describe(l, &rows[i], &one);
    if (n < cap)
      TRY(dtci_out_at(findings, n, DTC_STRUCT_error, &one, e));
    n++;
  }
  *count = n;
  return n <= cap ? DTC_OK : dtci_fail_space(e, cap, n);
}

static dtc_status read_lint(lint *l, const dtc_model *model, const dtc_cluster *cluster, const dtc_plan *plan,
                            dtc_error *e)
{
  TRY(dtci_model_in(model, &l->model, e));
  TRY(dtci_cluster_in(cluster, &l->cluster, e));
  TRY(dtci_in(&l->given, DTC_STRUCT_plan, plan, e));
  return weigh(l, &l->given, &l->now, e);
}

dtc_status dtc_framework_lint_plan(const dtc_model *model, const dtc_cluster *cluster, const dtc_plan *plan,
                                   dtc_error *findings, size_t cap, size_t *count, dtc_error *err)
{
  dtc_error e;
  lint l;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status status = read_lint(&l, model, cluster, plan, &e);
  return dtci_end(status != DTC_OK ? status : lint_all(&l, findings, cap, count, &e), &e, err);
}

static dtc_advice cost_of(const weighed *now, const weighed *next)
{
  const dtc_plan *p = &next->plan;
  return (dtc_advice){.framework = p->framework,
                      .sharding = p->sharding,
                      .offload = p->offload,
                      .fits = next->held ? next->memory.fits : DTC_BOOL_DEFAULT,
                      .seconds = next->timed ? next->step.seconds : 0,
                      .seconds_now = now->timed ? now->step.seconds : 0,
                      .device = next->held ? next->memory.device : 0,
                      .device_now = now->held ? now->memory.device : 0,
                      .host = next->held ? next->memory.host_node : 0,
                      .host_now = now->held ? now->memory.host_node : 0,
                      .gpus = p->tp * p->cp * p->pp * p->dp};
}

static dtc_status cost(lint *l, dtc_rule rule, dtc_plan *next, dtc_advice *out, dtc_error *e)
{
  uint32_t i = 0;
  while (i < ROWS && rows[i].rule != rule)
    i++;
  if (i == ROWS || !broken(l, rule) || !mended(l, &rows[i]))
    return dtci_fail(e, DTC_E_UNSUPPORTED, DTC_RULE_ADVISE_CHANGE, DTC_FIELD(error, rule), rule);
  TRY(dtci_out(next, DTC_STRUCT_plan, &l->next.plan, e));
  *out = cost_of(&l->now, &l->next);
  return DTC_OK;
}

dtc_status dtc_framework_lint_cost(const dtc_model *model, const dtc_cluster *cluster, const dtc_plan *plan,
                                   dtc_rule rule, dtc_plan *next, dtc_advice *cost_out, dtc_error *err)
{
  dtc_error e;
  lint l;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status status = read_lint(&l, model, cluster, plan, &e);
  return dtci_end(status != DTC_OK ? status : cost(&l, rule, next, cost_out, &e), &e, err);
}

/* ---- sockets --------------------------------------------------------------------------------- */

static dtc_status sockets(lint *l, double bandwidth, dtc_advice *out, dtc_error *e)
{
  dtc_step first = {.struct_size = sizeof first};
  TRY(dtci_check_double(e, DTCI_ARG(BANDWIDTH), bandwidth, 1, 1e15));
  TRY(dtc_step_estimate(&l->model, &l->cluster, &l->given, NULL, 0, NULL, &first, e));
  l->cluster.fabric = DTC_FABRIC_TCP;
  l->cluster.nic_bandwidth = bandwidth;
  l->cluster.nics_per_node = 1;
  TRY(weigh(l, &l->given, &l->next, e));
  *out = cost_of(&l->now, &l->next);
  return DTC_OK;
}

dtc_status dtc_framework_sockets(const dtc_model *model, const dtc_cluster *cluster, const dtc_plan *plan,
                                 double bandwidth, dtc_advice *cost_out, dtc_error *err)
{
  dtc_error e;
  lint l;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status status = read_lint(&l, model, cluster, plan, &e);
  return dtci_end(status != DTC_OK ? status : sockets(&l, bandwidth, cost_out, &e), &e, err);
}

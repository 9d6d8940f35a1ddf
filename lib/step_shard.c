/* What data parallelism adds to a step: units of sharded weights, reduction of gradients, the optimizer, offloading. */
#include "internal/step.h"
#include "internal/tuning.h"

/* Bytes of a weight and of a gradient as they are sent. */
static double weight_size(const dtc_plan *p)
{
  return (double)dtci_activation_size(p);
}

static double gradient_size(const dtc_plan *p)
{
  return (double)dtci_gradient_size(p);
}

/* ---- units ----------------------------------------------------------------------------------- */

/* Parameters of a layer on a rank of the tensor parallel group: those of all ranks, and routed experts. */
typedef struct unit {
  double dense;
  double experts;
} unit;

static unit unit_of(const dtci_memory_setup *s, uint32_t kind)
{
  switch (kind) {
  case DTCI_TIMED_DENSE:
    return (unit){(double)s->dense.params, 0};
  case DTCI_TIMED_MOE:
    return (unit){(double)s->moe.params, (double)s->experts.params};
  case DTCI_TIMED_HEAD:
    return (unit){(double)s->output, 0};
  default:
    return (unit){(double)s->kind[kind - DTCI_TIMED_MAMBA + DTCI_MAMBA_LAYER].params, 0};
  }
}

/* A collective on the values of a unit among the ranks that share it. */
static double share_message(const dtci_step_work *w, dtc_collective op, unit u, double each)
{
  const dtc_plan *p = &w->c->plan;
  double rate = w->machine.software->unit_rate;
  double seconds = dtci_message(w, op, each * u.dense, w->held->shard, p->tp);
  if (u.experts > 0)
    seconds += dtci_message(w, op, each * u.experts, w->held->expert_shard, p->ep * p->etp);
  return seconds / rate;
}

static void lengthen(dtci_step_work *w, uint32_t kind, uint32_t way, dtc_step_item item, double to, double bytes)
{
  dtci_layer_time *t = &w->layer[kind];
  double more = to - t->sum[way];
  dtc_step_term term = {.index = way == DTCI_FORWARD ? DTCI_STEP_TEXT_UNIT : DTCI_STEP_TEXT_UNIT_BACK,
                        .item = item,
                        .bytes = bytes,
                        .each = more};
  t->item[way][item] += more;
  t->both[item] += more;
  t->sum[way] = to;
  dtci_step_note(w, kind, &term);
}

/* In a pipeline gradients are reduced once a step, and weights gathered once where they stay (torch's PipelineStage). */
static int gathers_each(const dtc_plan *p)
{
  return p->pp == 1 || p->reshard != DTC_BOOL_OFF;
}

/* Gathering and reducing hide behind the layer's work, as far as they are shorter, and slow it down. */
static void time_unit(dtci_step_work *w, uint32_t kind)
{
  const dtc_plan *p = &w->c->plan;
  const dtci_software_row *s = w->machine.software;
  dtci_layer_time *t = &w->layer[kind];
  unit u = unit_of(w->held, kind);
  double all = t->sum[DTCI_FORWARD] + t->sum[DTCI_BACKWARD];
  double gather = gathers_each(p) ? share_message(w, DTC_COLLECTIVE_ALL_GATHER, u, weight_size(p)) : 0;
  double reduce = p->pp == 1 ? share_message(w, DTC_COLLECTIVE_REDUCE_SCATTER, u, gradient_size(p)) : 0;
  double again = p->reshard == DTC_BOOL_OFF ? 0 : gather;
  double back = again + reduce;
  double busy = all > 0 ? (gather + back) / all : 0;
  double slow = s->unit_slow ? 1 + dtci_step_shared.unit_slow * (busy < 1 ? busy : 1) : 1;
  double forward = dtci_larger_f64(t->sum[DTCI_FORWARD] * slow, gather);
  double backward = dtci_larger_f64(t->sum[DTCI_BACKWARD] * slow, back);
  lengthen(w, kind, DTCI_FORWARD, DTC_STEP_ITEM_WEIGHTS, forward, weight_size(p) * (u.dense + u.experts));
  lengthen(w, kind, DTCI_BACKWARD, DTC_STEP_ITEM_GRADIENTS, backward,
           (weight_size(p) + gradient_size(p)) * (u.dense + u.experts));
}

int dtci_step_units(dtci_step_work *w)
{
  int has = dtci_shardings[w->c->plan.sharding].weights && w->held->shard != 1;
  for (uint32_t kind = 0; kind < DTCI_TIMED_KINDS && has; kind++)
    if (kind != DTCI_TIMED_HEAD && w->layer[kind].sum[DTCI_FORWARD] > 0)
      time_unit(w, kind);
  return has;
}

/* ---- once a step ----------------------------------------------------------------------------- */

/* A stage while its step is timed. */
typedef struct data {
  dtci_step_work *w;
  double *item;
  const dtci_stage_held *held;
  double dense; /* parameters that are trained */
  double experts;
  double own; /* of both, that this rank steps */
  double tables;
} data;

static void add(data *d, dtc_step_item item, uint32_t text, double seconds, double bytes)
{
  if (!(seconds > 0))
    return;
  d->item[item] += seconds;
  dtci_step_note_all(d->w, text, item, seconds, bytes, 1);
}

/* What is not hidden of some seconds, which may hide behind a pass. */
static double exposed(double seconds, dtc_bool overlap, double pass)
{
  return overlap == DTC_BOOL_ON ? dtci_larger_f64(0, seconds - pass) : seconds;
}

/* All units of a pipeline's stage, once. */
static void units_once(data *d, const double pass[DTCI_WAYS])
{
  const dtc_plan *p = &d->w->c->plan;
  unit stage = {d->dense, d->experts};
  double gather = share_message(d->w, DTC_COLLECTIVE_ALL_GATHER, stage, weight_size(p));
  double reduce = share_message(d->w, DTC_COLLECTIVE_REDUCE_SCATTER, stage, gradient_size(p));
  if (!gathers_each(p))
    add(d, DTC_STEP_ITEM_WEIGHTS, DTCI_STEP_TEXT_UNIT, exposed(gather, DTC_BOOL_ON, pass[DTCI_FORWARD]),
        weight_size(p) * (d->dense + d->experts));
  if (p->pp > 1)
    add(d, DTC_STEP_ITEM_GRADIENTS, DTCI_STEP_TEXT_UNIT_BACK, exposed(reduce, DTC_BOOL_ON, pass[DTCI_BACKWARD]),
        gradient_size(p) * (d->dense + d->experts));
}

/* The first and last layer's messages, and those of the embedding's unit in every micro-batch, hide behind nothing. */
static void unit_ends(data *d)
{
  dtci_step_work *w = d->w;
  const dtc_plan *p = &w->c->plan;
  uint32_t kind = d->held->moe_layers != 0 ? DTCI_TIMED_MOE : DTCI_TIMED_DENSE;
  unit layer = unit_of(w->held, kind);
  unit table = {(double)w->held->output, 0};
  double gather = share_message(w, DTC_COLLECTIVE_ALL_GATHER, layer, weight_size(p));
  double reduce = share_message(w, DTC_COLLECTIVE_REDUCE_SCATTER, layer, gradient_size(p));
  double again = p->reshard == DTC_BOOL_OFF ? 1 : 2;
  if (p->pp == 1) {
    double m = (double)p->accumulation;
    gather += again * m * share_message(w, DTC_COLLECTIVE_ALL_GATHER, table, weight_size(p));
    reduce += m * share_message(w, DTC_COLLECTIVE_REDUCE_SCATTER, table, gradient_size(p));
  }
  add(d, DTC_STEP_ITEM_WEIGHTS, DTCI_STEP_TEXT_UNIT_ENDS, gather, weight_size(p) * layer.dense);
  add(d, DTC_STEP_ITEM_GRADIENTS, DTCI_STEP_TEXT_UNIT_ENDS, reduce, gradient_size(p) * layer.dense);
  if (p->dp * p->cp > w->held->shard) { /* hsdp: shards between replicas */
    double bytes = gradient_size(p) * d->dense / (double)w->held->shard;
    uint64_t replicas = p->dp * p->cp / w->held->shard;
    add(d, DTC_STEP_ITEM_GRADIENTS, DTCI_STEP_TEXT_REPLICAS,
        dtci_message(w, DTC_COLLECTIVE_ALL_REDUCE, bytes, replicas, p->tp * w->held->shard), bytes);
  }
}

/* Gradients of replicated weights: reduced once a step, in every micro-batch where each rank keeps only its part. */
static void reduce(data *d, double backward)
{
  dtci_step_work *w = d->w;
  const dtc_plan *p = &w->c->plan;
  double times = dtci_shardings[p->sharding].gradients ? (double)p->accumulation : 1;
  dtc_collective op = p->sharding == DTC_SHARDING_DISTOPT ? DTC_COLLECTIVE_REDUCE_SCATTER : DTC_COLLECTIVE_ALL_REDUCE;
  double bytes = gradient_size(p) * d->dense;
  double seconds = dtci_message(w, op, bytes, p->dp * p->cp, p->tp);
  double more = gradient_size(p) * d->experts;
  if (more > 0)
    seconds += dtci_message(w, op, more, p->tp * p->cp * p->dp / (p->ep * p->etp), p->ep * p->etp);
  add(d, DTC_STEP_ITEM_GRADIENTS, DTCI_STEP_TEXT_REDUCE, times * exposed(seconds, p->grad_overlap, backward),
      bytes + more);
}

static void tied(data *d)
{
  const dtc_plan *p = &d->w->c->plan;
  double bytes = gradient_size(p) * (double)d->w->held->output;
  uint64_t stride = p->tp * p->cp * p->dp * (p->pp - 1);
  if (p->pp > 1 && d->w->c->model.tied == DTC_BOOL_ON)
    add(d, DTC_STEP_ITEM_GRADIENTS, DTCI_STEP_TEXT_TIED,
        dtci_message(d->w, DTC_COLLECTIVE_ALL_REDUCE, bytes, 2, stride), bytes);
}

static void gather(data *d, double forward)
{
  dtci_step_work *w = d->w;
  const dtc_plan *p = &w->c->plan;
  uint64_t shard = w->held->shard;
  double bytes = weight_size(p) * d->dense;
  double seconds = dtci_message(w, DTC_COLLECTIVE_ALL_GATHER, bytes, shard, p->tp);
  double more = weight_size(p) * d->experts;
  if (more > 0)
    seconds += dtci_message(w, DTC_COLLECTIVE_ALL_GATHER, more, w->held->expert_shard, p->ep * p->etp);
  add(d, DTC_STEP_ITEM_WEIGHTS, DTCI_STEP_TEXT_GATHER, exposed(seconds, p->param_overlap, forward), bytes + more);
}

/* ---- the optimizer --------------------------------------------------------------------------- */

/* Its states are read and written; gradients are cleared, and their norm is taken. */
static void step(data *d)
{
  dtci_step_work *w = d->w;
  const dtc_plan *p = &w->c->plan;
  int sharded = dtci_shardings[p->sharding].gradients;
  double states = 2 * ((double)d->held->states.master + (double)d->held->states.moments);
  double own = d->own;
  double whole = sharded ? own : d->dense + d->experts;
  double bytes = states + dtci_step_shared.whole * whole;
  if (p->offload == DTC_OFFLOAD_DEFAULT)
    add(d, DTC_STEP_ITEM_OPTIMIZER, DTCI_STEP_TEXT_OPTIMIZER, bytes / w->machine.hbm, bytes);
}

/* An optimizer on the host: its memory is shared by a node's ranks; gradients go there, weights come back, with zero3's
 * offloaded parameters in every pass. */
static void offload(data *d)
{
  dtci_step_work *w = d->w;
  const dtc_plan *p = &w->c->plan;
  const dtc_cluster *c = &w->c->cluster;
  double ranks = (double)dtci_smaller(c->gpus_per_node, p->tp * p->cp * p->pp * p->dp);
  double copy = c->pcie_bandwidth * dtci_step_shared.copy_rate;
  double step_bytes = dtci_step_shared.host_step * d->own;
  double copies = (gradient_size(p) + weight_size(p)) * d->own;
  if (p->offload == DTC_OFFLOAD_DEFAULT)
    return;
  if (p->offload == DTC_OFFLOAD_PARAMS || p->offload == DTC_OFFLOAD_NVME)
    copies += 2 * weight_size(p) * d->own * (double)p->accumulation;
  add(d, DTC_STEP_ITEM_OPTIMIZER, DTCI_STEP_TEXT_ON_HOST,
      step_bytes * ranks / (c->host_bandwidth * dtci_step_shared.host_rate), step_bytes);
  add(d, DTC_STEP_ITEM_OFFLOAD, DTCI_STEP_TEXT_COPIES, copies / copy, copies);
  if (p->offload == DTC_OFFLOAD_NVME)
    add(d, DTC_STEP_ITEM_OFFLOAD, DTCI_STEP_TEXT_NVME, 24 * d->own * ranks / c->nvme_bandwidth, 24 * d->own);
}

void dtci_step_data(dtci_step_work *w, const dtc_stage *stage, const double pass[DTCI_WAYS],
                    double item[DTCI_STEP_ITEMS])
{
  const dtc_plan *p = &w->c->plan;
  const dtci_sharding_row *split = &dtci_shardings[p->sharding];
  dtci_stage_held held;
  data d = {.w = w, .item = item, .held = &held};
  if (w->counted != NULL)
    d.held = &dtci_counted_of(w->c, w->held, w->counted, stage, &w->bad)->held;
  else
    dtci_memory_hold(w->c, w->held, stage, &held, &w->bad);
  d.dense = (double)d.held->trained.params;
  d.experts = (double)d.held->trained_experts.params;
  d.own = split->optimizer ? d.dense / (double)w->held->shard + d.experts / (double)w->held->expert_shard
                           : d.dense + d.experts;
  if (split->weights && w->held->shard > 1) {
    unit_ends(&d);
    units_once(&d, pass);
  } else {
    reduce(&d, pass[DTCI_BACKWARD]);
  }
  tied(&d);
  if (split->optimizer && !split->weights)
    gather(&d, pass[DTCI_FORWARD]);
  step(&d);
  offload(&d);
  double host = w->machine.software->step * w->machine.host;
  add(&d, DTC_STEP_ITEM_LAUNCH, DTCI_STEP_TEXT_STEP, host, 0);
}

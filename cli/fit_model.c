/* dtcore fit with a model: fewest GPUs for each way to shard, and one good plan. */
#include "fit.h"

#include "plan_short.h"

#include <string.h>

/* In the order of the table. */
static const fit_family families[FIT_FAMILIES] = {
    {DTC_FRAMEWORK_PYTORCH, DTC_SHARDING_DDP, MSG_FAMILY_DDP, true},
    {DTC_FRAMEWORK_DEEPSPEED, DTC_SHARDING_DDP, MSG_FAMILY_DDP, false},
    {DTC_FRAMEWORK_MEGATRON, DTC_SHARDING_DDP, MSG_FAMILY_DDP, false},
    {DTC_FRAMEWORK_COLOSSALAI, DTC_SHARDING_DDP, MSG_FAMILY_DDP, false},
    {DTC_FRAMEWORK_TORCHTITAN, DTC_SHARDING_DDP, MSG_FAMILY_DDP, false},
    {DTC_FRAMEWORK_DEEPSPEED, DTC_SHARDING_ZERO1, MSG_FAMILY_ZERO1, true},
    {DTC_FRAMEWORK_PYTORCH, DTC_SHARDING_ZERO1, MSG_FAMILY_ZERO1, false},
    {DTC_FRAMEWORK_COLOSSALAI, DTC_SHARDING_ZERO1, MSG_FAMILY_ZERO1, false},
    {DTC_FRAMEWORK_DEEPSPEED, DTC_SHARDING_ZERO2, MSG_FAMILY_ZERO2, true},
    {DTC_FRAMEWORK_COLOSSALAI, DTC_SHARDING_ZERO2, MSG_FAMILY_ZERO2, false},
    {DTC_FRAMEWORK_DEEPSPEED, DTC_SHARDING_ZERO3, MSG_FAMILY_ZERO3, true},
    {DTC_FRAMEWORK_COLOSSALAI, DTC_SHARDING_ZERO3, MSG_FAMILY_ZERO3, false},
    {DTC_FRAMEWORK_PYTORCH, DTC_SHARDING_FSDP, MSG_FAMILY_FSDP, true},
    {DTC_FRAMEWORK_TORCHTITAN, DTC_SHARDING_FSDP, MSG_FAMILY_FSDP, false},
    {DTC_FRAMEWORK_MEGATRON, DTC_SHARDING_FSDP, MSG_FAMILY_FSDP, false},
    {DTC_FRAMEWORK_PYTORCH, DTC_SHARDING_HSDP, MSG_FAMILY_HSDP, true},
    {DTC_FRAMEWORK_TORCHTITAN, DTC_SHARDING_HSDP, MSG_FAMILY_HSDP, false},
    {DTC_FRAMEWORK_MEGATRON, DTC_SHARDING_DISTOPT, MSG_FAMILY_DISTOPT, true},
};

/* The families of the user's framework, else the usual ones, that his sharding leaves; those two alone when they are no
 * family. */
static void choose_families(fit_answer *f)
{
  const dtc_plan *base = &f->base;
  for (size_t i = 0; i < FIT_FAMILIES; i++) {
    bool framework =
        base->framework == DTC_FRAMEWORK_DEFAULT ? families[i].usual : base->framework == families[i].framework;
    bool sharding = base->sharding == DTC_SHARDING_DEFAULT || base->sharding == families[i].sharding;
    if (framework && sharding)
      f->rows[f->row_count++].family = families[i];
  }
  if (f->row_count == 0)
    f->rows[f->row_count++].family = (fit_family){base->framework, base->sharding, MSG_FAMILY_OTHER, false};
}

/* Without a word about recomputation, none and all of it are tried. */
static void choose_modes(fit_answer *f)
{
  f->modes[f->mode_count++] = f->base.recompute == DTC_RECOMPUTE_DEFAULT ? DTC_RECOMPUTE_NONE : f->base.recompute;
  if (f->base.recompute == DTC_RECOMPUTE_DEFAULT)
    f->modes[f->mode_count++] = DTC_RECOMPUTE_FULL;
}

bool fit_cell_fits(const fit_question *q, const fit_cell *cell)
{
  return cell->fit.gpus != 0 && (q->cluster.gpus == 0 || cell->fit.gpus <= q->cluster.gpus);
}

/* The fewest GPUs there could be, not those there are: nodes without end. GPUs that are a part of a node are tried by
 * themselves first, since what is sharded in a node has a smaller one there. */
static dtc_status search(const fit_question *q, const dtc_plan *plan, fit_cell *cell, dtc_error *err)
{
  dtc_cluster endless = q->cluster.cluster;
  endless.nodes = 0;
  dtc_status status = dtc_memory_min_gpus(&q->model.model, &endless, plan, &cell->fit, &cell->plan, err);
  if (endless.gpus_per_node == q->cluster.usual.gpus_per_node || (status == DTC_OK && fit_cell_fits(q, cell)))
    return status;
  return dtc_memory_min_gpus(&q->model.model, &q->cluster.usual, plan, &cell->fit, &cell->plan, err);
}

static dtc_status fill_cell(const fit_question *q, const dtc_plan *base, const fit_family *family, dtc_recompute mode,
                            fit_cell *cell, dtc_error *err)
{
  dtc_plan p = *base;
  if (family->framework != base->framework)
    p.framework_version = 0;
  p.framework = family->framework;
  p.sharding = family->sharding;
  p.recompute = mode;
  DTC_INIT(&cell->fit);
  DTC_INIT(&cell->plan);
  return search(q, &p, cell, err);
}

/* All cells. When no family can do what the user asks, a rule that holds for all (they have the lower numbers) says more
 * than what a single framework lacks. */
static int fill_rows(const cli *c, const fit_question *q, fit_answer *f)
{
  const fit_row *possible = NULL;
  const dtc_error *plainest = NULL;
  for (size_t r = 0; r < f->row_count; r++) {
    fit_row *row = &f->rows[r];
    dtc_status status = DTC_OK;
    DTC_INIT(&row->refused);
    for (size_t m = 0; m < f->mode_count && status == DTC_OK; m++)
      status = fill_cell(q, &f->base, &row->family, f->modes[m], &row->cells[m], &row->refused);
    if (status == DTC_OK && possible == NULL)
      possible = row;
    else if (status != DTC_OK && (plainest == NULL || row->refused.rule < plainest->rule))
      plainest = &row->refused;
  }
  if (possible == NULL)
    return fail_with(c, NULL, plainest);
  f->base.seq = possible->cells[0].plan.seq;
  f->base.micro_batch = possible->cells[0].plan.micro_batch;
  return 0;
}

/* Data parallel ranks of the plan shown: all GPUs there are, else whole nodes where tp * pp * cp can fill them. */
static uint64_t good_dp(const fit_question *q, const fit_cell *cell)
{
  const dtc_plan *p = &cell->plan;
  uint64_t each = p->tp * p->pp * p->cp;
  uint64_t per_node = q->cluster.cluster.gpus_per_node;
  if (q->plan.plan.dp != 0)
    return p->dp;
  if (q->cluster.gpus != 0)
    return q->cluster.gpus / each;
  for (uint64_t dp = p->dp; cell->fit.gpus > per_node && dp < p->dp + per_node; dp++) {
    if (dp * each % per_node == 0)
      return dp;
  }
  return p->dp;
}

/* The cell's plan on more GPUs; false when that is not legal (a given global batch may not divide) or does not fit. */
static bool widen(const fit_question *q, const dtc_cluster *cluster, const fit_cell *cell, dtc_plan *plan,
                  dtc_memory *memory)
{
  const dtc_plan *given = &q->plan.plan;
  dtc_plan p = cell->plan;
  p.dp = good_dp(q, cell);
  p.dp_shard = given->dp_shard;
  p.global_batch = given->global_batch;
  p.accumulation = given->accumulation;
  return dtc_plan_resolve(&q->model.model, cluster, &p, plan, NULL) == DTC_OK &&
         dtc_memory_estimate(&q->model.model, cluster, plan, NULL, 0, memory, NULL) == DTC_OK &&
         memory->fits == DTC_BOOL_ON;
}

/* What would be shown of a cell. */
static int show(const cli *c, const fit_question *q, const fit_cell *cell, dtc_plan *plan, dtc_memory *memory)
{
  dtc_cluster endless = q->cluster.cluster; /* tp * pp need not divide the GPUs there are */
  dtc_error err;
  DTC_INIT(&err);
  DTC_INIT(plan);
  DTC_INIT(memory);
  endless.nodes = 0;
  if (widen(q, &endless, cell, plan, memory))
    return 0;
  *plan = cell->plan;
  return dtc_memory_estimate(&q->model.model, &endless, plan, NULL, 0, memory, &err) == DTC_OK
             ? 0
             : fail_with(c, NULL, &err);
}

/* Kinds of splitting: 0 for DDP, 1 for states sharded over data parallel ranks, more with tensors, layers, sequences or
 * experts split as well. */
static int kinds_of_splitting(const dtc_plan *p)
{
  return (p->sharding != DTC_SHARDING_DDP) + (p->tp > 1) + (p->pp > 1) + (p->cp > 1) + (p->ep > 1);
}

/* Whether a cell of the row, of which the plan p with memory m would be shown, is a better answer than what f shows: a
 * usual family, fewest nodes, less recomputation, fewer kinds of splitting, least memory. With a number of GPUs given, all
 * that fit use them all. */
static bool better(const fit_question *q, const fit_answer *f, const fit_row *row, const fit_cell *cell,
                   const dtc_plan *p, const dtc_memory *m)
{
  const fit_cell *best = &f->best->cells[f->best_mode];
  int kinds = kinds_of_splitting(p) - kinds_of_splitting(&f->plan);
  if (f->best->family.usual != row->family.usual)
    return row->family.usual;
  if (q->cluster.gpus == 0 && best->fit.nodes != cell->fit.nodes)
    return cell->fit.nodes < best->fit.nodes;
  if (best->plan.recompute != cell->plan.recompute)
    return cell->plan.recompute < best->plan.recompute;
  return kinds != 0 ? kinds < 0 : m->device < f->memory.device;
}

static int choose(const cli *c, const fit_question *q, fit_answer *f)
{
  for (size_t i = 0; i < f->row_count * f->mode_count; i++) {
    const fit_row *row = &f->rows[i / f->mode_count];
    const fit_cell *cell = &row->cells[i % f->mode_count];
    dtc_plan plan;
    dtc_memory memory;
    if (row->refused.status != DTC_OK || !fit_cell_fits(q, cell))
      continue;
    if (show(c, q, cell, &plan, &memory) != 0)
      return EXIT_BAD_INPUT;
    if (f->best != NULL && !better(q, f, row, cell, &plan, &memory))
      continue;
    f->best = row;
    f->best_mode = i % f->mode_count;
    f->plan = plan;
    f->memory = memory;
  }
  if (f->best != NULL)
    f->shown = plan_shorten(&q->model.model, &q->cluster.cluster, &f->plan);
  return 0;
}

/* How far the plan shown can be taken: with the batch and the accumulation that the user gave. */
static int stretch(const cli *c, const fit_question *q, fit_answer *f)
{
  dtc_cluster endless = q->cluster.cluster;
  dtc_plan p = f->plan;
  dtc_error err;
  DTC_INIT(&err);
  DTC_INIT(&f->micro_batch);
  DTC_INIT(&f->seq);
  endless.nodes = 0;
  p.global_batch = q->plan.plan.global_batch;
  p.accumulation = q->plan.plan.accumulation;
  if (f->best != NULL &&
      (dtc_memory_max_micro_batch(&q->model.model, &endless, &p, NULL, 0, &f->micro_batch, &err) != DTC_OK ||
       dtc_memory_max_seq(&q->model.model, &endless, &p, NULL, 0, &f->seq, &err) != DTC_OK))
    return fail_with(c, NULL, &err);
  return 0;
}

int fit_model(const cli *c, const fit_question *q, fit_answer *out)
{
  memset(out, 0, sizeof *out);
  out->base = q->plan.plan;
  choose_families(out);
  choose_modes(out);
  if (fill_rows(c, q, out) != 0 || fit_activations(c, q, out) != 0)
    return EXIT_BAD_INPUT;
  return choose(c, q, out) != 0 ? EXIT_BAD_INPUT : stretch(c, q, out);
}

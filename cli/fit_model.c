/* dtcore fit with a model: fewest GPUs for each way to shard, and one good plan. */
#include "fit.h"

#include <string.h>

/* In the order of the table. */
static const fit_family families[FIT_FAMILIES] = {
    {DTC_FRAMEWORK_PYTORCH, DTC_SHARDING_DDP, MSG_FAMILY_DDP},
    {DTC_FRAMEWORK_DEEPSPEED, DTC_SHARDING_ZERO1, MSG_FAMILY_ZERO1},
    {DTC_FRAMEWORK_DEEPSPEED, DTC_SHARDING_ZERO2, MSG_FAMILY_ZERO2},
    {DTC_FRAMEWORK_DEEPSPEED, DTC_SHARDING_ZERO3, MSG_FAMILY_ZERO3},
    {DTC_FRAMEWORK_PYTORCH, DTC_SHARDING_FSDP, MSG_FAMILY_FSDP},
    {DTC_FRAMEWORK_MEGATRON, DTC_SHARDING_DISTOPT, MSG_FAMILY_DISTOPT},
};

const dtc_recompute fit_recomputes[FIT_RECOMPUTES] = {DTC_RECOMPUTE_NONE, DTC_RECOMPUTE_SELECTIVE, DTC_RECOMPUTE_FULL};
const dtc_attention fit_attentions[FIT_ATTENTIONS] = {DTC_ATTENTION_FLASH, DTC_ATTENTION_EAGER};

/* The families that the user's framework and sharding leave; those two alone, as resolved, when they are no family. */
static void choose_families(const dtc_plan *base, const dtc_plan *resolved, fit_answer *f)
{
  for (size_t i = 0; i < FIT_FAMILIES; i++) {
    bool framework = base->framework == DTC_FRAMEWORK_DEFAULT || base->framework == families[i].framework;
    bool sharding = base->sharding == DTC_SHARDING_DEFAULT || base->sharding == families[i].sharding;
    if (framework && sharding)
      f->rows[f->row_count++].family = families[i];
  }
  if (f->row_count == 0)
    f->rows[f->row_count++].family = (fit_family){resolved->framework, resolved->sharding, MSG_FAMILY_OTHER};
}

/* Families, and micro-batch and sequence length as they will be used, so that the plans shown say them. */
static int fill_base(const cli *c, const fit_question *q, fit_answer *f)
{
  dtc_plan one = q->plan.plan;
  dtc_error err;
  DTC_INIT(&err);
  f->base = q->plan.plan;
  one.dp = one.dp_shard = 0;
  one.global_batch = one.accumulation = 0;
  if (dtc_plan_resolve(&q->model.model, NULL, &one, &one, &err) != DTC_OK)
    return fail_with(c, NULL, &err);
  choose_families(&f->base, &one, f);
  f->base.seq = one.seq;
  f->base.micro_batch = one.micro_batch;
  f->modes[f->mode_count++] = f->base.recompute == DTC_RECOMPUTE_DEFAULT ? DTC_RECOMPUTE_NONE : f->base.recompute;
  if (f->base.recompute == DTC_RECOMPUTE_DEFAULT)
    f->modes[f->mode_count++] = DTC_RECOMPUTE_FULL;
  return 0;
}

/* Kept by all layers of one kind; nothing when the model has none. */
static dtc_status kept_by(const dtc_model *model, const dtc_plan *plan, dtc_layer_kind kind, uint64_t layers,
                          uint64_t *bytes, dtc_error *err)
{
  dtc_ledger_row rows[DTC_OPERATOR_LOSS];
  size_t count = 0;
  dtc_status s = layers == 0 ? DTC_OK : dtc_ledger_rows(model, plan, kind, rows, DTC_OPERATOR_LOSS, &count, err);
  for (size_t i = 0; s == DTC_OK && i < count; i++)
    *bytes += layers * rows[i].saved;
  return s;
}

/* One micro-batch with all layers on one GPU, in the module form of a framework. */
static dtc_plan activation_plan(const fit_answer *f, dtc_framework framework)
{
  dtc_plan p = f->base;
  p.framework = framework;
  if (framework != f->base.framework)
    p.framework_version = 0;
  p.sharding = DTC_SHARDING_DEFAULT;
  p.pp = p.vpp = p.accumulation = 1;
  p.dp = p.dp_shard = p.global_batch = 0;
  p.schedule = DTC_SCHEDULE_DEFAULT;
  return p;
}

/* One micro-batch on one GPU with all layers, for each module form: Hugging Face's and Megatron's. */
static int count_activations(const cli *c, const fit_question *q, fit_answer *f)
{
  dtc_params params;
  dtc_error err;
  DTC_INIT(&params);
  DTC_INIT(&err);
  if (dtc_model_params(&q->model.model, &params, &err) != DTC_OK)
    return fail_with(c, NULL, &err);
  if (f->base.framework == DTC_FRAMEWORK_DEFAULT) {
    f->forms[f->form_count++] = DTC_FRAMEWORK_PYTORCH;
    f->forms[f->form_count++] = DTC_FRAMEWORK_MEGATRON;
  } else {
    f->forms[f->form_count++] = f->base.framework;
  }
  for (size_t i = 0; i < f->form_count * FIT_RECOMPUTES * FIT_ATTENTIONS; i++) {
    size_t form = i / (FIT_RECOMPUTES * FIT_ATTENTIONS);
    size_t r = i / FIT_ATTENTIONS % FIT_RECOMPUTES;
    size_t k = i % FIT_ATTENTIONS;
    dtc_plan p = activation_plan(f, f->forms[form]);
    uint64_t *bytes = &f->activations[form][r][k];
    p.recompute = fit_recomputes[r];
    p.attention = fit_attentions[k];
    if (kept_by(&q->model.model, &p, DTC_LAYER_KIND_DENSE, params.dense_count, bytes, &err) != DTC_OK ||
        kept_by(&q->model.model, &p, DTC_LAYER_KIND_MOE, params.moe_count, bytes, &err) != DTC_OK)
      return fail_with(c, NULL, &err);
  }
  return 0;
}

static void set_degrees(fit_cell *cell)
{
  cell->plan.tp = cell->fit.tp;
  cell->plan.pp = cell->fit.pp;
  cell->plan.dp = cell->fit.dp;
  if (cell->fit.ep > 1)
    cell->plan.ep = cell->fit.ep;
  if (cell->fit.sequence_parallel == DTC_BOOL_ON)
    cell->plan.sequence_parallel = DTC_BOOL_ON;
}

/* Bytes of the item that stays, where data parallelism has shrunk all that it can. */
static uint64_t limit_bytes(const fit_question *q, const fit_cell *cell)
{
  const memory_item *item = memory_item_of(cell->fit.limit);
  dtc_plan p = cell->plan;
  dtc_memory m;
  DTC_INIT(&m);
  if (p.dp == 0)
    p.dp = 1 << 16;
  p.global_batch = 0;
  if (item == NULL || dtc_memory_estimate(&q->model.model, NULL, &p, NULL, 0, &m, NULL) != DTC_OK)
    return 0;
  return memory_item_bytes(&m, item);
}

static int fill_cell(const cli *c, const fit_question *q, const dtc_plan *base, const fit_family *family,
                     dtc_recompute mode, fit_cell *cell)
{
  dtc_cluster endless = q->cluster.cluster; /* the fewest GPUs there could be, not those there are */
  dtc_error err;
  DTC_INIT(&err);
  DTC_INIT(&cell->fit);
  endless.nodes = 0;
  cell->plan = *base;
  if (family->framework != base->framework)
    cell->plan.framework_version = 0;
  cell->plan.framework = family->framework;
  cell->plan.sharding = family->sharding;
  cell->plan.recompute = mode;
  if (dtc_memory_min_gpus(&q->model.model, &endless, &cell->plan, &cell->fit, &err) != DTC_OK)
    return fail_with(c, say(c, family->name), &err);
  set_degrees(cell);
  if (cell->fit.gpus == 0)
    cell->limit_bytes = limit_bytes(q, cell);
  return 0;
}

bool fit_cell_fits(const fit_question *q, const fit_cell *cell)
{
  return cell->fit.gpus != 0 && (q->cluster.gpus == 0 || cell->fit.gpus <= q->cluster.gpus);
}

/* Whether cell b is the better answer: fewest GPUs, then less recomputation. With a number of GPUs given, all that fit
 * use them all, so only recomputation counts. */
static bool better(const fit_question *q, const fit_cell *a, const fit_cell *b)
{
  if (q->cluster.gpus == 0 && a->fit.gpus != b->fit.gpus)
    return b->fit.gpus < a->fit.gpus;
  return b->plan.recompute < a->plan.recompute;
}

/* Ties: on one GPU the plainest family, on more the one that leaves most memory per GPU: the last rows. */
static void choose(const fit_question *q, fit_answer *f)
{
  const fit_cell *best = NULL;
  for (size_t r = 0; r < f->row_count; r++) {
    for (size_t m = 0; m < f->mode_count; m++) {
      const fit_cell *cell = &f->rows[r].cells[m];
      if (!fit_cell_fits(q, cell))
        continue;
      bool tie = best != NULL && !better(q, best, cell) && !better(q, cell, best) && best->fit.gpus != 1;
      if (best == NULL || better(q, best, cell) || tie) {
        best = cell;
        f->best = &f->rows[r];
        f->best_mode = m;
      }
    }
  }
}

/* Data parallel ranks of the plan shown: all GPUs there are, else whole nodes where tp * pp * cp can fill them. */
static uint64_t good_dp(const fit_question *q, const fit_cell *cell)
{
  const dtc_plan *p = &cell->plan;
  uint64_t each = p->tp * p->pp * (p->cp == 0 ? 1 : p->cp);
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

static int detail(const cli *c, const fit_question *q, fit_answer *f)
{
  const fit_cell *cell = &f->best->cells[f->best_mode];
  dtc_cluster endless = q->cluster.cluster; /* tp * pp need not divide the GPUs there are */
  dtc_plan one = cell->plan;
  dtc_error err;
  DTC_INIT(&err);
  DTC_INIT(&f->memory);
  DTC_INIT(&f->per_param);
  endless.nodes = 0;
  f->plan = cell->plan;
  f->plan.dp = good_dp(q, cell);
  if (dtc_memory_estimate(&q->model.model, &endless, &f->plan, NULL, 0, &f->memory, NULL) != DTC_OK ||
      f->memory.fits != DTC_BOOL_ON)
    f->plan.dp = cell->plan.dp; /* a given global batch may not divide: then the fewest */
  if (dtc_memory_estimate(&q->model.model, &endless, &f->plan, NULL, 0, &f->memory, &err) != DTC_OK)
    return fail_with(c, NULL, &err);
  one.dp = one.cp = one.dp_shard = 1;
  /* Some optimizers keep states that a size alone does not give: then nothing is said about bytes per parameter. */
  if (dtc_memory_states(q->model.params, &one, &f->per_param, &err) != DTC_OK)
    f->per_param.total = 0;
  return 0;
}

int fit_model(const cli *c, const fit_question *q, fit_answer *out)
{
  memset(out, 0, sizeof *out);
  if (fill_base(c, q, out) != 0 || count_activations(c, q, out) != 0)
    return EXIT_BAD_INPUT;
  for (size_t r = 0; r < out->row_count; r++) {
    for (size_t m = 0; m < out->mode_count; m++) {
      fit_row *row = &out->rows[r];
      if (fill_cell(c, q, &out->base, &row->family, out->modes[m], &row->cells[m]) != 0)
        return EXIT_BAD_INPUT;
    }
  }
  choose(q, out);
  return out->best == NULL ? 0 : detail(c, q, out);
}

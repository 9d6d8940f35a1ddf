/* Speed of a step by a convention of counting FLOPs, and what the plan recomputes beside. */
#include "internal/cluster.h"
#include "internal/collective.h"
#include "internal/layer_split.h"
#include "internal/model.h"
#include "internal/plan.h"
#include "internal/step.h"

#include <float.h>

#define SECONDS_MOST 1e9
#define SECONDS_LEAST 0x1p-1022
enum { TITAN_FUSED_QKV = 3000 }; /* version from which query, key and value are one product: 0.3.0 */

/* ---- what is recomputed ---------------------------------------------------------------------- */

/* Shares of what a forward computes that is computed once more. */
typedef struct shares {
  double layers; /* of the layers' matrix products */
  double scores;
} shares;

/* Layers that recomputation of a block takes: the first recompute_layers of every model chunk, 0 all of them. */
static uint64_t in_blocks(const dtc_model *m, const dtc_plan *p)
{
  dtci_layer_split split = dtci_split_of(m, p);
  dtci_shares s = dtci_shares_of(&split);
  uint64_t n = 0;
  if (p->recompute_layers == 0 || s.stages >= m->layers)
    return m->layers;
  for (uint64_t stage = 0; stage < s.stages; stage++)
    n += dtci_smaller(p->recompute_layers, dtci_split_begin(&s, stage + 1) - dtci_split_begin(&s, stage));
  return n;
}

double dtci_recomputed_share(const dtc_model *m, const dtc_plan *p)
{
  uint64_t n = m->layers;
  if (p->recompute_method == DTC_RECOMPUTE_METHOD_EVERY)
    n /= p->recompute_layers;
  if (p->recompute_method == DTC_RECOMPUTE_METHOD_BLOCK)
    n = in_blocks(m, p);
  return (double)n / (double)m->layers;
}

/* What a module's name takes is what the ledger drops for it (lib/catalog/operators_megatron.c): `moe` the shared experts
 * too. Norms and activation functions have no products. */
static shares of_modules(const dtc_model *m, const dtc_plan *p, const dtci_products *all, double sum)
{
  double n = 0;
  double up = (double)m->layers * ((double)m->q_rank * (double)dtci_model_dim(m, DTCI_DIM_Q_MLA) +
                                   (double)m->kv_rank * (double)dtci_model_dim(m, DTCI_DIM_KV_UP));
  int moe = p->recompute_moe == DTC_BOOL_ON;
  n += p->recompute_mlp == DTC_BOOL_ON ? (double)all->mlp : 0;
  n += p->recompute_mla_up_proj == DTC_BOOL_ON && m->kv_rank != 0 ? up : 0;
  n += moe ? (double)all->router + (double)all->experts : 0;
  n += moe || p->recompute_shared_experts == DTC_BOOL_ON ? (double)all->shared : 0;
  return (shares){n / sum, p->recompute_core_attn == DTC_BOOL_ON ? 1 : 0};
}

/* TorchTitan's policy computes every second product of a layer again, never attention: of query, key, value, output, gate,
 * up, down (the first three one product from 0.3.0) key, output and up. Of other layers half is a guess. */
double dtci_policy_share(const dtc_model *m, const dtc_plan *p)
{
  double h = (double)m->hidden;
  double output = h * (double)dtci_model_dim(m, DTCI_DIM_Q);
  double key = h * (double)dtci_model_dim(m, DTCI_DIM_KV);
  double one = h * (double)m->ffn; /* of the MLP's products */
  double all = 2 * output + 2 * key + (m->gated == DTC_BOOL_ON ? 3 : 2) * one;
  if (m->kv_rank != 0 || m->experts != 0)
    return .5;
  return (output + (p->framework_version < TITAN_FUSED_QKV ? key : 0) + one) / all;
}

static dtc_status recomputed(const dtci_case *c, shares *again, dtc_error *e)
{
  dtc_params params;
  dtci_products all;
  int bad = 0;
  *again = (shares){0, 0};
  if (c->plan.recompute == DTC_RECOMPUTE_NONE)
    return DTC_OK;
  TRY(dtci_model_count(&c->model, &params, e));
  dtci_model_products(&c->model, &params, &all, &bad);
  double sum = (double)dtci_products_sum(&all, &bad);
  if (bad)
    return dtci_fail_overflow(e, DTC_FIELD(model, layers), c->model.layers);
  if (c->plan.recompute == DTC_RECOMPUTE_FULL)
    again->layers = again->scores = dtci_recomputed_share(&c->model, &c->plan);
  else if (dtci_frameworks[c->plan.framework].form == DTCI_FORM_TT)
    again->layers = dtci_policy_share(&c->model, &c->plan);
  else
    *again = of_modules(&c->model, &c->plan, &all, sum);
  return DTC_OK;
}

/* ---- rates ----------------------------------------------------------------------------------- */

static dtc_status fill(dtc_step_rate *r, const dtci_case *c, const dtci_flops *f, const shares *again, dtc_error *e)
{
  const dtc_plan *p = &c->plan;
  double sequences = (double)p->global_batch;
  double tokens = sequences * (double)p->seq;
  double gpus = (double)p->tp * (double)p->cp * (double)p->pp * (double)p->dp;
  double each = f->layers + f->scores + f->others;
  double more = f->hfu ? 0 : f->forward * again->layers + f->scores / 3 * again->scores;
  r->tokens_per_second = tokens / r->seconds;
  r->tokens_per_gpu_second = r->tokens_per_second / gpus;
  r->sequences_per_second = sequences / r->seconds;
  r->model_flops = tokens * each;
  r->hardware_flops = tokens * (each + more);
  r->flops_per_gpu_second = r->model_flops / r->seconds / gpus;
  r->peak = c->cluster.bf16 > 0 ? c->cluster.bf16 : c->cluster.fp16;
  if (r->peak > 0) {
    r->mfu = r->flops_per_gpu_second / r->peak;
    r->hfu = r->hardware_flops / r->seconds / gpus / r->peak;
  }
  if (r->tokens_per_second <= DBL_MAX && r->hardware_flops / r->seconds <= DBL_MAX && r->hfu <= DBL_MAX)
    return DTC_OK;
  return dtci_fail_overflow(e, DTCI_ARG(SECONDS), dtci_word_of(r->seconds));
}

dtc_status dtci_step_rates(const dtci_case *c, dtc_step_rate *r, dtc_error *e)
{
  dtci_flops f;
  dtci_flops packed;
  shares again;
  TRY(dtci_model_flops(&c->model, c->plan.seq, r->convention, &f, e));
  if (c->plan.packed < c->plan.seq) { /* a token attends to its own sequence alone */
    TRY(dtci_model_flops(&c->model, c->plan.packed, r->convention, &packed, e));
    f.scores = packed.scores;
  }
  TRY(recomputed(c, &again, e));
  return fill(r, c, &f, &again, e);
}

static dtc_status rates(dtc_step_rate *r, const dtc_model *model, const dtc_cluster *cluster, const dtc_plan *plan,
                        dtc_error *e)
{
  dtci_case c;
  TRY(dtci_case_in(&c, model, cluster, plan, e));
  c.has_stages = 1; /* how the layers are split does not matter */
  TRY(dtci_plan_legal(&c, e));
  TRY(dtci_check_double(e, DTCI_ARG(SECONDS), r->seconds, SECONDS_LEAST, SECONDS_MOST));
  return dtci_step_rates(&c, r, e);
}

dtc_status dtc_step_rates(const dtc_model *model, const dtc_cluster *cluster, const dtc_plan *plan,
                          dtc_flops_convention convention, double seconds, dtc_step_rate *out, dtc_error *err)
{
  dtc_error e;
  dtc_step_rate r = {.struct_size = sizeof r, .convention = convention, .seconds = seconds};
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = rates(&r, model, cluster, plan, &e);
  return dtci_end(s != DTC_OK ? s : dtci_out(out, DTC_STRUCT_step_rate, &r, &e), &e, err);
}

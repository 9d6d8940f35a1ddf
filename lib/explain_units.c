/* The quantities that suspects are multiples of: of the case, and of the stages of its pipeline. */
#include "internal/cluster.h"
#include "internal/explain.h"
#include "internal/operators.h"
#include "internal/tuning.h"

/* Tensors that are looked at for the first group of zero3. */
enum { GROUP_TENSORS = 1 << 14 };

/* ---- what the case says ---------------------------------------------------------------------- */

static uint32_t holds_of(const dtc_plan *p)
{
  const dtci_sharding_row *s = &dtci_shardings[p->sharding];
  int frozen = dtci_has_adapters(p);
  uint64_t bits = dtci_on(dtci_is_unfused(p), DTCI_IF_UNFUSED) | dtci_on(!frozen, DTCI_IF_FULL) |
                  dtci_on(frozen, DTCI_IF_FROZEN) | dtci_on(s->optimizer, DTCI_IF_SHARDED) |
                  dtci_on(s->weights, DTCI_IF_GATHERS) | dtci_on(!s->weights, DTCI_IF_WHOLE) |
                  dtci_on(dtci_frameworks[p->framework].megatron, DTCI_IF_MEGATRON);
  return (uint32_t)bits;
}

/* ---- by token -------------------------------------------------------------------------------- */

static void count_tokens(const dtci_case *c, uint64_t of[DTCI_QUANTITIES])
{
  const dtc_model *m = &c->model;
  int dense = m->experts == 0 || dtci_moe_layers(m, m->layers) < m->layers;
  of[DTCI_Q_VOCAB] = dtci_padded_vocab(m, &c->plan);
  of[DTCI_Q_HIDDEN] = m->hidden;
  of[DTCI_Q_FFN] = dense ? m->ffn : 0;
  of[DTCI_Q_FFN_IN] = dense && m->gated == DTC_BOOL_ON ? 2 * m->ffn : 0;
  of[DTCI_Q_QKV] = m->kv_rank == 0 ? (m->heads + 2 * m->kv_heads) * m->head_dim : 0;
  of[DTCI_Q_KV] = m->kv_rank == 0 ? 2 * m->kv_heads * m->head_dim : 0;
  of[DTCI_Q_ROUTED] = m->experts != 0 ? m->top_k * m->hidden : 0;
  of[DTCI_Q_ROUTED_MLP] = m->experts != 0 ? m->top_k * m->moe_ffn : 0;
  of[DTCI_Q_HEADS] = m->heads;
}

/* ---- of a rank ------------------------------------------------------------------------------- */

static void count_layers(const dtci_case *c, const dtci_memory_setup *s, uint64_t of[DTCI_QUANTITIES], int *bad)
{
  const dtc_model *m = &c->model;
  uint64_t moe = m->experts != 0 ? dtci_moe_layers(m, m->layers) : 0;
  uint64_t moe_layer = dtci_add(s->moe.params, s->experts.params, bad);
  of[DTCI_Q_LAYER] = moe != 0 ? moe_layer : s->dense.params;
  of[DTCI_Q_DENSE_LAYER] = moe != 0 && moe < m->layers ? s->dense.params : 0;
  of[DTCI_Q_EXPERT_LAYER] = moe != 0 ? s->experts.params : 0;
  of[DTCI_Q_OUTSIDE] = dtci_add(s->embedding.params, s->head.params, bad);
  of[DTCI_Q_BUCKET] = c->plan.bucket;
}

/* Elements of a flat vector that is cut: DeepSpeed's of ZeRO-1 and 2 end at a multiple of two elements per rank. */
static uint64_t even_part(const dtc_plan *p, uint64_t part)
{
  const dtci_sharding_row *s = &dtci_shardings[p->sharding];
  int pads = p->framework == DTC_FRAMEWORK_DEEPSPEED && s->optimizer && !s->weights;
  return pads && part != UINT64_MAX ? part + part % 2 : part;
}

/* zero3 steps its own parts of tensors, each rounded up, one after the other, until a group has sub_group_size elements: the
 * first group, or a rank's part in DTCI_Q_PARTS when all are fewer. Neither when there are too many tensors to look. */
static dtc_status count_group(const dtci_case *c, uint64_t of[DTCI_QUANTITIES], dtc_error *e)
{
  uint64_t most = dtci_frameworks[c->plan.framework].step_group;
  uint64_t sum = 0;
  uint64_t count = 0;
  uint64_t i = 0;
  int bad = 0;
  if (most == 0 || c->plan.sharding != DTC_SHARDING_ZERO3 || c->plan.tp * c->plan.pp * c->plan.ep != 1)
    return DTC_OK;
  TRY(dtci_model_tensors(&c->model, &count, e));
  for (; i < dtci_smaller(count, GROUP_TENSORS) && sum < most; i++) {
    dtc_tensor t;
    TRY(dtci_model_describe(&c->model, i, &t, e));
    sum = dtci_add(sum, dtci_ceil_div(t.numel, c->plan.dp_shard), &bad);
  }
  of[DTCI_Q_SUB_GROUP] = sum < most ? 0 : sum;
  of[DTCI_Q_PARTS] = sum < most && i == count ? sum : 0;
  return bad ? dtci_fail_overflow(e, DTC_FIELD(model, hidden), c->model.hidden) : DTC_OK;
}

/* ---- of a stage ------------------------------------------------------------------------------ */

static void count_states(const dtc_plan *p, const dtci_held *dense, const dtci_held *experts,
                         uint64_t of[DTCI_QUANTITIES], int *bad)
{
  dtc_model_states whole = {.struct_size = sizeof whole};
  dtci_add_states(&whole, dense, p, 1, bad);
  dtci_add_states(&whole, experts, p, 1, bad);
  of[DTCI_Q_STATES_WHOLE] = whole.total;
}

static void count_stage(const dtci_case *c, const dtci_memory_setup *s, const dtc_stage *stage,
                        uint64_t of[DTCI_QUANTITIES], int *bad)
{
  dtci_stage_held h;
  dtci_memory_hold(c, s, stage, &h, bad);
  of[DTCI_Q_COPY] = dtci_add(h.dense.params, h.experts.params, bad);
  of[DTCI_Q_EXPERTS] = h.experts.params;
  of[DTCI_Q_NO_EXPERTS] = h.experts.params != 0 ? h.dense.params : 0;
  of[DTCI_Q_SHARD] = even_part(&c->plan, dtci_part_of_rank(s, &h, bad));
  of[DTCI_Q_STATES] = h.states.total;
  count_states(&c->plan, &h.trained, &h.trained_experts, of, bad);
}

/* The first stage, another, the last. */
static void count_stages(const dtci_case *c, const dtci_memory_setup *s, dtci_quantities *q, int *bad)
{
  const uint64_t pp = c->plan.pp;
  const uint64_t at[DTCI_EXPLAIN_STAGES] = {0, 1, pp - 1};
  for (int i = 0; i < DTCI_EXPLAIN_STAGES; i++) {
    if (at[i] >= pp || (q->stages != 0 && at[i] <= q->stage[q->stages - 1]))
      continue;
    dtc_stage stage = dtci_stage_at(&s->stages, at[i]);
    q->stage[q->stages] = at[i];
    count_stage(c, s, &stage, q->staged[q->stages++], bad);
  }
}

/* ---- parameters alone ------------------------------------------------------------------------ */

/* What follows from a number of parameters, for a plan that is filled. */
static void count_params(const dtc_plan *p, uint64_t params, dtci_quantities *q, int *bad)
{
  const dtci_held all = {params, 0, 0};
  const dtci_held none = {0, 0, 0};
  dtc_model_states states = {.struct_size = sizeof states};
  uint64_t *of = q->staged[0];
  memset(of, 0, DTCI_QUANTITIES * sizeof of[0]);
  q->stages = 1;
  q->stage[0] = 0;
  of[DTCI_Q_COPY] = params;
  of[DTCI_Q_SHARD] = even_part(p, dtci_ceil_div(params, p->dp_shard));
  if (dtci_is_tuned(p) || p->optimizer == DTC_OPTIMIZER_ADAFACTOR || p->optimizer == DTC_OPTIMIZER_MUON)
    return; /* states need the shapes */
  dtci_add_states(&states, &all, p, p->dp_shard, bad);
  of[DTCI_Q_STATES] = states.total;
  count_states(p, &all, &none, of, bad);
}

/* A plan without a model: defaults, and the ranks that states are sharded over. */
static dtc_status fill_size(dtci_explain *x, const dtc_cluster *cluster, const dtc_plan *plan, dtc_error *e)
{
  dtci_case *c = &x->c;
  memset(c, 0, sizeof *c);
  if (x->alloc.params == 0)
    return dtci_fail(e, DTC_E_CONFLICT, DTC_RULE_EXPLAIN_MODEL, DTC_FIELD(alloc, params), 0);
  if (cluster != NULL)
    TRY(dtci_cluster_in(cluster, &c->cluster, e));
  c->has_cluster = cluster != NULL;
  TRY(dtci_in(&c->plan, DTC_STRUCT_plan, plan, e));
  c->given = c->plan;
  TRY(dtci_plan_fill_kind(&c->plan, e));
  if (c->plan.tp * c->plan.pp * c->plan.ep != 1)
    return dtci_fail(e, DTC_E_CONFLICT, DTC_RULE_EXPLAIN_PARAMS, DTC_FIELD(alloc, params), x->alloc.params);
  return dtci_plan_fill_size(&c->plan, &c->cluster, e);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static dtc_status count_model(dtci_explain *x, const dtci_weights *w, dtc_error *e)
{
  dtci_memory_setup s;
  const dtc_plan *p = &x->c.plan;
  int bad = 0;
  TRY(dtci_held_prepare(&x->c, w, &s, e));
  count_tokens(&x->c, x->q.of);
  count_layers(&x->c, &s, x->q.of, &bad);
  TRY(count_group(&x->c, x->q.of, e));
  if (x->alloc.params == 0)
    count_stages(&x->c, &s, &x->q, &bad);
  else if (p->tp * p->pp * p->ep == 1)
    count_params(p, x->alloc.params, &x->q, &bad);
  else
    return dtci_fail(e, DTC_E_CONFLICT, DTC_RULE_EXPLAIN_PARAMS, DTC_FIELD(alloc, params), x->alloc.params);
  if (x->q.of[DTCI_Q_PARTS] != 0 && x->alloc.params == 0)
    x->q.staged[0][DTCI_Q_SHARD] = x->q.of[DTCI_Q_PARTS];
  return bad ? dtci_fail_overflow(e, DTC_FIELD(model, hidden), x->c.model.hidden) : DTC_OK;
}

dtc_status dtci_explain_count(dtci_explain *x, const dtc_model *model, const dtc_cluster *cluster, const dtc_plan *plan,
                              dtc_error *e)
{
  dtci_weights w;
  int bad = 0;
  x->has_model = model != NULL;
  memset(&x->q, 0, sizeof x->q);
  if (x->has_model) {
    TRY(dtci_held_begin(&x->c, &w, model, cluster, plan, NULL, 0, e));
    TRY(count_model(x, &w, e));
  } else {
    TRY(fill_size(x, cluster, plan, e));
    count_params(&x->c.plan, x->alloc.params, &x->q, &bad);
  }
  const dtc_plan *given = &x->c.given;
  x->holds = holds_of(&x->c.plan);
  x->knows_batch = given->micro_batch != 0 || (given->global_batch != 0 && given->accumulation != 0);
  x->knows_seq = given->seq != 0;
  x->knows_ranks = given->dp != 0 || given->dp_shard != 0 || x->c.cluster.nodes != 0;
  return bad ? dtci_fail_overflow(e, DTC_FIELD(alloc, params), x->alloc.params) : DTC_OK;
}

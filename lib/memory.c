/* What each GPU must hold: states by bytes per parameter, activations from the ledger, the moment of the peak. */
#include "internal/memory.h"

#include "internal/catalog.h"
#include "internal/pipeline.h"

/* Caching allocator: reserved over allocated, median of 23 B200 stages 1.052 (1.017 to 1.093), in thousandths. */
enum { RESERVED_MORE = 52 };
/* CUDA context and kernels 0.5 to 1.8 GiB, torch.distributed 1 to 2 GiB (stas00/ml-engineering, training/performance). */
#define CONTEXT DTCI_GIB(1)
#define NCCL DTCI_GIB(1)

/* ---- states ---------------------------------------------------------------------------------- */

static uint64_t gradient_size(const dtc_plan *p)
{
  return p->grad_dtype == DTC_GRAD_DTYPE_FP32 ? 4 : 2;
}

static dtci_held held_of(const dtci_group *g, uint64_t tp, int *bad)
{
  return (dtci_held){
      .params = dtci_add(g->params[0], dtci_ceil_div(g->params[1], tp), bad),
      .matrices = dtci_add(g->matrices[0], dtci_ceil_div(g->matrices[1], tp), bad),
      .factors = g->factors,
  };
}

/* to += times * add */
static void hold(dtci_held *to, const dtci_held *add, uint64_t times, int *bad)
{
  if (times == 0)
    return;
  to->params = dtci_add(to->params, dtci_mul(times, add->params, bad), bad);
  to->matrices = dtci_add(to->matrices, dtci_mul(times, add->matrices, bad), bad);
  to->factors = dtci_add(to->factors, dtci_mul(times, add->factors, bad), bad);
}

static uint64_t moments_of(const dtci_held *h, dtc_optimizer optimizer, int *bad)
{
  switch (optimizer) {
  case DTC_OPTIMIZER_SGD:
    return 0;
  case DTC_OPTIMIZER_MOMENTUM:
  case DTC_OPTIMIZER_LION:
    return dtci_mul(4, h->params, bad);
  case DTC_OPTIMIZER_ADAM8:
    return dtci_add(dtci_mul(2, h->params, bad), dtci_mul(8, dtci_ceil_div(h->params, 256), bad), bad);
  case DTC_OPTIMIZER_ADAFACTOR:
    return dtci_mul(4, h->factors, bad);
  case DTC_OPTIMIZER_MUON:
    return dtci_add(dtci_mul(4, h->matrices, bad), dtci_mul(8, h->params - h->matrices, bad), bad);
  default:
    return dtci_mul(8, h->params, bad);
  }
}

static void add_states(dtc_states *to, const dtci_held *h, const dtc_plan *p, uint64_t shard, int *bad)
{
  const dtci_framework_row *f = &dtci_frameworks[p->framework];
  uint32_t kind = dtci_precision_index(p);
  uint64_t weights = dtci_mul(f->weight[kind], h->params, bad);
  uint64_t gradients = dtci_mul(gradient_size(p), h->params, bad);
  uint64_t optimizer = dtci_shardings[p->sharding].optimizer ? shard : 1;
  if (h->params == 0)
    return;
  to->weights = dtci_add(to->weights, dtci_ceil_div(weights, dtci_shardings[p->sharding].weights ? shard : 1), bad);
  to->gradients =
      dtci_add(to->gradients, dtci_ceil_div(gradients, dtci_shardings[p->sharding].gradients ? shard : 1), bad);
  to->master = dtci_add(to->master, dtci_ceil_div(dtci_mul(f->master[kind], h->params, bad), optimizer), bad);
  to->moments = dtci_add(to->moments, dtci_ceil_div(moments_of(h, p->optimizer, bad), optimizer), bad);
  to->total = dtci_add(dtci_add(to->weights, to->gradients, bad), dtci_add(to->master, to->moments, bad), bad);
}

static dtc_status states_of_size(uint64_t params, dtc_plan *p, dtc_states *out, dtc_error *e)
{
  int bad = 0;
  dtci_held h = {params, 0, 0};
  if (params == 0 || params > (uint64_t)1 << 56)
    return dtci_fail_range(e, DTCI_ARG(PARAMS), params, 1, (uint64_t)1 << 56);
  TRY(dtci_plan_fill_kind(p, e));
  if (p->optimizer == DTC_OPTIMIZER_ADAFACTOR || p->optimizer == DTC_OPTIMIZER_MUON)
    return dtci_fail(e, DTC_E_UNSUPPORTED, DTC_RULE_SIZE_ONLY, DTC_FIELD(plan, optimizer), p->optimizer);
  p->dp = p->dp != 0 ? p->dp : 1;
  uint64_t ranks = dtci_mul(p->dp, p->cp, &bad);
  dtci_plan_fill_shard(p, 0);
  if (p->dp_shard > ranks)
    return dtci_fail_range(e, DTC_FIELD(plan, dp_shard), p->dp_shard, 1, ranks);
  *out = (dtc_states){.struct_size = sizeof *out};
  add_states(out, &h, p, p->dp_shard, &bad);
  return bad ? dtci_fail_overflow(e, DTCI_ARG(PARAMS), params) : DTC_OK;
}

dtc_status dtc_memory_states(uint64_t params, const dtc_plan *plan, dtc_states *out, dtc_error *err)
{
  dtc_error e;
  dtc_plan p;
  dtc_states states;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = dtci_in(&p, DTC_STRUCT_plan, plan, &e);
  s = s != DTC_OK ? s : states_of_size(params, &p, &states, &e);
  return dtci_end(s != DTC_OK ? s : dtci_out(out, DTC_STRUCT_states, &states, &e), &e, err);
}

/* ---- what a stage holds ---------------------------------------------------------------------- */

/* Layers of a stage by kind, those of MTP modules included. */
typedef struct layers {
  uint64_t dense;
  uint64_t moe;
} layers;

static layers layers_of(const dtci_memory_setup *s, const dtc_stage *stage)
{
  uint64_t mtp_moe = s->mtp_moe ? stage->mtp_layers : 0;
  return (layers){stage->layers - stage->moe_layers + stage->mtp_layers - mtp_moe, stage->moe_layers + mtp_moe};
}

static dtci_held dense_of(const dtci_memory_setup *s, const dtc_stage *stage, layers n, int *bad)
{
  dtci_held h = {0, 0, 0};
  hold(&h, &s->dense, n.dense, bad);
  hold(&h, &s->moe, n.moe, bad);
  hold(&h, &s->beside, stage->mtp_layers, bad);
  if (stage->embedding)
    hold(&h, &s->embedding, 1, bad);
  if (stage->head)
    hold(&h, &s->head, 1, bad);
  if (stage->head && !stage->embedding)
    hold(&h, &s->copy, 1, bad);
  return h;
}

static uint64_t workspace_bytes(const dtci_memory_setup *s, const dtc_stage *stage, layers n, int *bad)
{
  uint64_t bytes = s->workspace;
  bytes = dtci_add(bytes, n.dense != 0 ? s->workspace_dense : 0, bad);
  bytes = dtci_add(bytes, n.moe != 0 ? s->workspace_moe : 0, bad);
  return dtci_add(bytes, stage->head ? s->workspace_head : 0, bad);
}

/* ---- one stage ------------------------------------------------------------------------------- */

/* States are exact where nothing is sharded: shards are padded, which these formulas leave out. Which gradients are there
 * at the peak is a model where they are made in backward. */
static uint32_t exact_items(const dtc_plan *p)
{
  const dtci_sharding_row *split = &dtci_shardings[p->sharding];
  int alone = p->dp_shard == 1;
  int plain = p->optimizer != DTC_OPTIMIZER_ADAFACTOR && p->optimizer != DTC_OPTIMIZER_ADAM8;
  uint32_t mask = 0;
  if (alone || !split->weights)
    mask |= 1u << DTC_MEMORY_ITEM_WEIGHTS;
  if ((alone || !split->gradients) && !dtci_frameworks[p->framework].late_gradients)
    mask |= 1u << DTC_MEMORY_ITEM_GRADIENTS;
  if ((alone || !split->optimizer) && plain)
    mask |= 1u << DTC_MEMORY_ITEM_OPTIMIZER;
  return mask;
}

static void add_totals(const dtci_case *c, dtc_memory *out, int *bad)
{
  uint64_t sum =
      dtci_add(dtci_add(out->weights, out->gradients, bad), dtci_add(out->optimizer, out->buckets, bad), bad);
  sum = dtci_add(sum, dtci_add(out->gathered, out->activations, bad), bad);
  out->allocated = dtci_add(sum, dtci_add(out->transient, out->workspace, bad), bad);
  out->reserved = dtci_add(out->allocated, dtci_mul(out->allocated / 1000, RESERVED_MORE, bad), bad);
  uint64_t ranks = c->plan.tp * c->plan.cp * c->plan.pp * c->plan.dp;
  out->device = dtci_add(out->reserved, CONTEXT + (ranks > 1 ? NCCL : 0), bad);
  if (c->has_cluster) {
    out->capacity = c->cluster.usable;
    out->fits = out->device <= out->capacity ? DTC_BOOL_ON : DTC_BOOL_OFF;
  }
}

dtc_status dtci_memory_stage(const dtci_case *c, const dtci_memory_setup *s, uint64_t index, const dtc_stage *stage,
                             dtc_memory *out, dtc_error *e)
{
  const dtc_plan *p = &c->plan;
  dtc_states states = {0};
  dtci_stage_held h = {.stage = stage, .experts = {0, 0, 0}};
  int bad = 0;
  layers n = layers_of(s, stage);
  h.dense_layers = n.dense;
  h.moe_layers = n.moe;
  h.dense = dense_of(s, stage, n, &bad);
  hold(&h.experts, &s->experts, n.moe, &bad);
  add_states(&states, &h.dense, p, s->shard, &bad);
  add_states(&states, &h.experts, p, s->expert_shard, &bad);
  *out = (dtc_memory){.struct_size = sizeof *out, .stage = index, .exact = exact_items(p)};
  out->params = dtci_add(h.dense.params, h.experts.params, &bad);
  out->weights = dtci_add(states.weights, dtci_mul(s->table, dtci_add(n.dense, n.moe, &bad), &bad), &bad);
  out->gradients = states.gradients;
  out->optimizer = dtci_add(states.master, states.moments, &bad);
  out->workspace = workspace_bytes(s, stage, n, &bad);
  dtci_memory_peak(c, s, &h, out, &bad);
  add_totals(c, out, &bad);
  return bad ? dtci_fail_overflow(e, DTC_FIELD(plan, micro_batch), p->micro_batch) : DTC_OK;
}

/* ---- what all stages share ------------------------------------------------------------------- */

/* Outside the layers every optimizer treats a matrix like any parameter. `more`: parameters that padding the vocabulary
 * adds. */
static dtci_held held_outside(const dtci_group *g, uint64_t tp, uint64_t more, int *bad)
{
  dtci_group padded = *g;
  padded.params[1] = dtci_add(padded.params[1], more, bad);
  dtci_held h = held_of(&padded, tp, bad);
  h.matrices = 0;
  return h;
}

static void prepare_held(const dtci_case *c, dtci_memory_setup *s, const dtci_weights *w, int *bad)
{
  const dtc_model *m = &c->model;
  const dtc_plan *p = &c->plan;
  uint64_t vocab = dtci_ceil_div(m->vocab, p->vocab_multiple) * p->vocab_multiple;
  uint64_t more = (vocab - m->vocab) * m->hidden;
  int tied = m->tied == DTC_BOOL_ON;
  dtci_held none = {0, 0, 0};
  dtci_held expert = held_of(&w->expert, p->etp, bad);
  s->output = dtci_ceil_div(vocab * m->hidden, p->tp);
  s->embedding = held_outside(&w->embedding, p->tp, more, bad);
  s->dense = held_of(&w->dense, p->tp, bad);
  s->moe = held_of(&w->moe, p->tp, bad);
  s->experts = s->copy = none;
  hold(&s->experts, &expert, m->experts / p->ep, bad);
  s->copy.params = tied ? s->output : 0; /* a last stage keeps a copy of the embedding as its head */
  s->head = held_outside(&w->head, p->tp, tied ? 0 : more, bad);
  s->head.params = dtci_add(s->head.params, w->final_norm.params[0], bad);
  s->beside = held_of(&w->beside, p->tp, bad);
  s->mtp_moe = w->mtp_moe;
}

/* cuBLAS: one workspace each for forward's and autograd's thread, 32 MiB on Hopper, else 8.125 MiB. Megatron: Transformer
 * Engine's, 4 MiB on Ampere, else 32 MiB, and a 16-bit buffer per distinct weight shape that stands in for its gradient
 * (gradient accumulation fusion); the output layer gathers a split sequence into a buffer that stays. GPUs that say
 * no compute capability count as Hopper. */
static void prepare_workspace(const dtci_case *c, dtci_memory_setup *s, const dtci_weights *w, int *bad)
{
  const dtc_plan *p = &c->plan;
  uint64_t e = dtci_activation_size(p);
  uint32_t compute = c->cluster.compute != 0 ? c->cluster.compute : 90;
  s->workspace = compute == 90 ? 2 * DTCI_MIB(32) : 2 * DTCI_MIB(8) + DTCI_MIB(1) / 4;
  s->workspace_dense = s->workspace_moe = s->workspace_head = 0;
  if (!dtci_frameworks[p->framework].te)
    return;
  s->workspace += compute < 90 ? DTCI_MIB(4) : DTCI_MIB(32);
  s->workspace_dense = dtci_mul(e, s->dense.matrices, bad);
  s->workspace_moe = dtci_mul(e, held_of(&w->expert, p->etp, bad).matrices, bad);
  /* The attention of dense layers has the same shapes. */
  if (dtci_moe_layers(&c->model, c->model.layers) == c->model.layers)
    s->workspace_moe = dtci_add(s->workspace_moe, dtci_mul(e, s->moe.matrices, bad), bad);
  s->workspace_head = dtci_mul(e, s->output, bad);
  if (p->sequence_parallel == DTC_BOOL_ON && p->tp > 1)
    s->workspace_head = dtci_add(s->workspace_head, dtci_mul(p->tp, s->hidden, bad), bad);
}

dtc_status dtci_memory_prepare(const dtci_case *c, const dtci_weights *w, dtci_memory_setup *s, dtc_error *e)
{
  const dtc_plan *p = &c->plan;
  int bad = 0;
  prepare_held(c, s, w, &bad);
  s->hidden = dtci_hidden_bytes(&c->model, p, &bad);
  prepare_workspace(c, s, w, &bad);
  s->saved[0] = dtci_saved(&c->model, p, DTC_LAYER_KIND_DENSE, &bad);
  s->saved[1] = c->model.experts != 0 ? dtci_saved(&c->model, p, DTC_LAYER_KIND_MOE, &bad) : 0;
  s->loss = dtci_loss_bytes(&c->model, p, &bad);
  s->backward = dtci_backward_bytes(&c->model, p, &bad);
  s->table = dtci_frameworks[p->framework].rope_tables ? dtci_mul(4 * dtci_rope_values(&c->model), p->seq, &bad) : 0;
  s->shard = p->dp_shard;
  /* Experts are sharded over the ranks that hold the same ones, in the same proportion. */
  uint64_t same = dtci_ceil_div(p->tp * p->cp * p->dp, p->ep * p->etp);
  s->expert_shard = dtci_ceil_div(dtci_mul(same, p->dp_shard, &bad), p->cp * p->dp);
  return bad ? dtci_fail_overflow(e, DTC_FIELD(plan, micro_batch), p->micro_batch) : DTC_OK;
}

/* ---- all stages ------------------------------------------------------------------------------ */

static dtc_status sum_wrong(uint32_t field, uint64_t got, uint64_t wanted, dtc_error *e)
{
  dtci_fail(e, DTC_E_CONFLICT, DTC_RULE_STAGE_SUM, field, got);
  e->other_got = wanted;
  return DTC_E_CONFLICT;
}

/* The caller's stages make up the model: every layer once, one embedding, one head. */
static dtc_status check_stages(const dtci_case *c, const dtc_stage *stages, size_t n, dtc_error *e)
{
  dtc_stage sum = {0};
  int bad = 0;
  if (stages == NULL && n == 0)
    return DTC_OK;
  if (stages == NULL || n != c->plan.pp)
    return sum_wrong(DTC_FIELD(plan, pp), n, c->plan.pp, e);
  for (size_t i = 0; i < n; i++) {
    sum.layers = dtci_add(sum.layers, stages[i].layers, &bad);
    sum.moe_layers = dtci_add(sum.moe_layers, stages[i].moe_layers, &bad);
    sum.mtp_layers = dtci_add(sum.mtp_layers, stages[i].mtp_layers, &bad);
    sum.embedding += stages[i].embedding != 0;
    sum.head += stages[i].head != 0;
    if (stages[i].moe_layers > stages[i].layers)
      return sum_wrong(DTC_FIELD(stage, moe_layers), stages[i].moe_layers, stages[i].layers, e);
  }
  if (bad || sum.layers != c->model.layers)
    return sum_wrong(DTC_FIELD(stage, layers), bad ? DTC_NONE : sum.layers, c->model.layers, e);
  if (sum.moe_layers != dtci_moe_layers(&c->model, c->model.layers))
    return sum_wrong(DTC_FIELD(stage, moe_layers), sum.moe_layers, dtci_moe_layers(&c->model, c->model.layers), e);
  uint64_t mtp = dtci_frameworks[c->plan.framework].trains_mtp ? c->model.mtp_layers : 0;
  if (sum.mtp_layers != mtp)
    return sum_wrong(DTC_FIELD(stage, mtp_layers), sum.mtp_layers, mtp, e);
  if (sum.embedding != 1)
    return sum_wrong(DTC_FIELD(stage, embedding), sum.embedding, 1, e);
  return sum.head == 1 ? DTC_OK : sum_wrong(DTC_FIELD(stage, head), sum.head, 1, e);
}

static dtc_status begin(dtci_case *c, dtci_memory_setup *s, const dtc_model *model, const dtc_cluster *cluster,
                        const dtc_plan *plan, const dtc_stage *stages, size_t n, dtc_error *e)
{
  dtci_weights w;
  TRY(dtci_case_in(c, model, cluster, plan, e));
  c->has_stages = stages != NULL;
  TRY(dtci_plan_legal(c, e));
  TRY(dtci_in_flight_known(&c->plan, e));
  TRY(check_stages(c, stages, n, e));
  TRY(dtci_model_weights(&c->model, &w, e));
  return dtci_memory_prepare(c, &w, s, e);
}

dtc_status dtci_memory_worst(const dtci_case *c, const dtci_memory_setup *s, const dtc_stage *stages, dtc_memory *out,
                             dtc_error *e)
{
  dtc_stage last = {0};
  uint64_t held = 0;
  int bad = 0;
  for (uint64_t i = 0; i < c->plan.pp; i++) {
    dtc_memory one;
    dtc_stage stage = stages != NULL ? stages[i] : dtci_stage_of(&c->model, &c->plan, i);
    uint64_t holds = dtci_in_flight(&c->plan, i, &bad);
    if (i != 0 && holds <= held && memcmp(&stage, &last, sizeof stage) == 0)
      continue; /* equal layers and no more micro-batches: no more memory */
    last = stage;
    held = holds;
    TRY(dtci_memory_stage(c, s, i, &stage, &one, e));
    if (i == 0 || one.device > out->device)
      *out = one;
  }
  return DTC_OK;
}

dtc_status dtc_memory_estimate(const dtc_model *model, const dtc_cluster *cluster, const dtc_plan *plan,
                               const dtc_stage *stages, size_t n, dtc_memory *out, dtc_error *err)
{
  dtc_error e;
  dtci_case c;
  dtci_memory_setup setup;
  dtc_memory worst;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = begin(&c, &setup, model, cluster, plan, stages, n, &e);
  s = s != DTC_OK ? s : dtci_memory_worst(&c, &setup, stages, &worst, &e);
  return dtci_end(s != DTC_OK ? s : dtci_out(out, DTC_STRUCT_memory, &worst, &e), &e, err);
}

static dtc_status list_stages(const dtci_case *c, const dtci_memory_setup *s, const dtc_stage *stages, dtc_memory *out,
                              size_t cap, size_t *count, dtc_error *e)
{
  if (cap < c->plan.pp) {
    *count = c->plan.pp;
    return dtci_fail_space(e, cap, c->plan.pp);
  }
  for (uint64_t i = 0; i < c->plan.pp; i++) {
    dtc_memory one;
    dtc_stage stage = stages != NULL ? stages[i] : dtci_stage_of(&c->model, &c->plan, i);
    TRY(dtci_memory_stage(c, s, i, &stage, &one, e));
    TRY(dtci_out_at(out, i, DTC_STRUCT_memory, &one, e));
  }
  *count = c->plan.pp;
  return DTC_OK;
}

dtc_status dtc_memory_stages(const dtc_model *model, const dtc_cluster *cluster, const dtc_plan *plan,
                             const dtc_stage *stages, size_t n, dtc_memory *out, size_t cap, size_t *count,
                             dtc_error *err)
{
  dtc_error e;
  dtci_case c;
  dtci_memory_setup setup;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = begin(&c, &setup, model, cluster, plan, stages, n, &e);
  return dtci_end(s != DTC_OK ? s : list_stages(&c, &setup, stages, out, cap, count, &e), &e, err);
}

/* Units: the quantities of a stage that terms of memory are multiples of. */
#include "internal/memory.h"

#include "internal/catalog.h"
#include "internal/pipeline.h"
#include "internal/tuning.h"

/* ---- what a stage holds ---------------------------------------------------------------------- */

void dtci_stage_layers(const dtci_memory_setup *s, const dtc_stage *stage, uint64_t of[DTCI_LAYER_KINDS])
{
  uint64_t mtp_moe = s->mtp_moe ? stage->mtp_layers : 0;
  memset(of, 0, DTCI_LAYER_KINDS * sizeof of[0]);
  of[DTCI_ENCODER_LAYER] = stage->encoder_layers;
  if (s->hybrid) {
    of[DTCI_MAMBA_LAYER] = stage->mamba_layers;
    of[DTCI_MLP_LAYER] = stage->mlp_layers;
    of[DTCI_ATTENTION_LAYER] = stage->layers - stage->mamba_layers - stage->mlp_layers;
  } else {
    of[DTCI_DENSE_LAYER] = stage->layers - stage->moe_layers + stage->mtp_layers - mtp_moe;
    of[DTCI_MOE_LAYER] = stage->moe_layers + mtp_moe;
  }
}

static dtci_held dense_of(const dtci_memory_setup *s, const dtc_stage *stage, const uint64_t n[DTCI_LAYER_KINDS],
                          int *bad)
{
  dtci_held h = {0, 0, 0};
  dtci_hold(&h, &s->dense, n[DTCI_DENSE_LAYER], bad);
  dtci_hold(&h, &s->moe, n[DTCI_MOE_LAYER], bad);
  dtci_hold(&h, &s->beside, stage->mtp_layers, bad);
  if (stage->embedding)
    dtci_hold(&h, &s->embedding, 1, bad);
  if (stage->head)
    dtci_hold(&h, &s->head, 1, bad);
  if (stage->head && !stage->embedding)
    dtci_hold(&h, &s->copy, 1, bad);
  if (stage->mtp_layers != 0 && !stage->embedding) /* MTP modules embed too */
    h.params = dtci_add(h.params, s->output, bad);
  return h;
}

/* Outside the layers every optimizer treats a matrix like any parameter. `more`: parameters that padding the vocabulary
 * adds. */
static dtci_held held_outside(const dtci_group *g, uint64_t tp, uint64_t more, int *bad)
{
  dtci_group padded = *g;
  padded.params[1] = dtci_add(padded.params[1], more, bad);
  dtci_held h = dtci_held_of(&padded, tp, bad);
  h.matrices = 0;
  return h;
}

static void prepare_held(const dtci_case *c, dtci_memory_setup *s, const dtci_weights *w, int *bad)
{
  const dtc_model *m = &c->model;
  const dtc_plan *p = &c->plan;
  uint64_t vocab = dtci_padded_vocab(m, p);
  uint64_t more = (vocab - m->vocab) * m->hidden;
  int tied = m->tied == DTC_BOOL_ON;
  dtci_held none = {0, 0, 0};
  dtci_held expert = dtci_held_of(&w->expert, p->etp, bad);
  s->output = dtci_ceil_div(vocab * m->hidden, p->tp);
  uint64_t width = dtci_larger(dtci_larger(m->ffn, m->heads * m->head_dim), dtci_larger(m->moe_ffn, m->shared_ffn));
  s->widest = dtci_ceil_div(dtci_mul(m->hidden, width, bad), p->tp);
  s->embedding = held_outside(&w->embedding, p->tp, more, bad);
  s->dense = dtci_held_of(&w->dense, p->tp, bad);
  s->moe = dtci_held_of(&w->moe, p->tp, bad);
  s->experts = s->copy = none;
  dtci_hold(&s->experts, &expert, m->experts / p->ep, bad);
  s->copy.params = tied ? s->output : 0; /* a last stage keeps a copy of the embedding as its head */
  s->head = held_outside(&w->head, p->tp, tied ? 0 : more, bad);
  s->head.params = dtci_add(s->head.params, w->final_norm.params[0], bad);
  s->beside = dtci_held_of(&w->beside, p->tp, bad);
  s->mtp_moe = w->mtp_moe;
}

void dtci_memory_hold(const dtci_case *c, const dtci_memory_setup *s, const dtc_stage *stage, dtci_stage_held *h,
                      int *bad)
{
  uint64_t n[DTCI_LAYER_KINDS];
  dtci_stage_layers(s, stage, n);
  h->stage = stage;
  h->others = h->four_bit = h->four_bit_bytes = 0;
  h->experts = (dtci_held){0, 0, 0};
  h->states = (dtc_model_states){.struct_size = 0};
  h->dense_layers = n[DTCI_DENSE_LAYER];
  h->moe_layers = n[DTCI_MOE_LAYER];
  memcpy(h->kind_layers + DTCI_MAMBA_LAYER, n + DTCI_MAMBA_LAYER, sizeof n - DTCI_MAMBA_LAYER * sizeof n[0]);
  h->dense = dense_of(s, stage, n, bad);
  for (int i = DTCI_MAMBA_LAYER; i < DTCI_LAYER_KINDS; i++) {
    h->others += n[i];
    dtci_hold(&h->dense, &s->kind[i], n[i], bad);
  }
  h->layers = h->dense_layers + h->moe_layers + h->others;
  dtci_hold(&h->experts, &s->experts, n[DTCI_MOE_LAYER], bad);
  dtci_tuning_hold(c, s, h, bad);
  dtci_held padded = h->trained;
  int own = stage->head != 0 && c->model.tied != DTC_BOOL_ON;
  uint64_t tables = (stage->embedding != 0 ? 1u : 0u) + (own ? 1u : 0u);
  if (!dtci_is_tuned(&c->plan)) /* else at most their weights are padded */
    padded.params = dtci_add(padded.params, dtci_mul(tables, s->padding, bad), bad);
  dtci_add_states(&h->states, &padded, &c->plan, s->shard, bad);
  dtci_add_states(&h->states, &h->trained_experts, &c->plan, s->expert_shard, bad);
  dtci_tuning_states(c, h, bad);
}

/* ---- units of the case ----------------------------------------------------------------------- */

/* cuBLAS: a workspace of 32 MiB on Hopper, else 8.125 MiB; Transformer Engine's 4 MiB on Ampere, else 32 MiB. GPUs that say
 * no compute capability count as Hopper. */
static void prepare_workspace(const dtci_case *c, dtci_memory_setup *s)
{
  uint32_t compute = c->cluster.compute != 0 ? c->cluster.compute : 90;
  s->unit[DTCI_U_CUBLAS] = compute == 90 ? DTCI_MIB(32) : DTCI_MIB(8) + DTCI_MIB(1) / 8;
  if (c->plan.cublas_workspace != 0)
    s->unit[DTCI_U_CUBLAS] = c->plan.cublas_workspace;
  s->unit[DTCI_U_TE] = compute < 90 ? DTCI_MIB(4) : DTCI_MIB(32);
}

static void prepare_units(const dtci_case *c, dtci_ledger *l, dtci_memory_setup *s, int *bad)
{
  const dtc_model *m = &c->model;
  const dtc_plan *p = &c->plan;
  uint64_t tokens = dtci_tokens_of(p, p->seq, bad);
  uint64_t vocab = dtci_padded_vocab(m, p);
  s->unit[DTCI_U_ONE] = 1;
  s->unit[DTCI_U_INPUT] = dtci_hidden_bytes(m, p, bad);
  s->unit[DTCI_U_HEAD] = dtci_saved_whole(l, DTC_LAYER_KIND_HEAD, bad);
  s->unit[DTCI_U_TOKENS_H] = dtci_mul(tokens, m->hidden, bad);
  s->unit[DTCI_U_TOKENS_F] = dtci_mul(tokens, m->ffn, bad);
  s->unit[DTCI_U_LOGITS] = dtci_mul(tokens, vocab, bad);
  s->unit[DTCI_U_ROWS_H] = dtci_mul(dtci_mul(tokens, m->top_k, bad), m->hidden, bad);
  if (dtci_frameworks[p->framework].terms == DTCI_TERMS_TORCH)
    dtci_torch_prepare(c, l, s, tokens, vocab, bad);
  if (dtci_frameworks[p->framework].megatron)
    dtci_megatron_prepare(c, s, tokens, bad);
}

/* What a layer keeps, and without recomputation. */
static void prepare_saved(dtci_ledger *l, dtc_layer_kind kind, uint64_t *saved, uint64_t *whole, int *bad)
{
  *saved = dtci_saved(l, kind, bad);
  *whole = l->p->recompute == DTC_RECOMPUTE_NONE ? *saved : dtci_saved_whole(l, kind, bad);
}

/* Layers that only Megatron has. */
static void prepare_kinds(const dtci_case *c, dtci_ledger *l, const dtci_weights *w, dtci_memory_setup *s, int *bad)
{
  const dtci_group *const groups[DTCI_LAYER_KINDS] = {[DTCI_MAMBA_LAYER] = &w->mamba,
                                                      [DTCI_ATTENTION_LAYER] = &w->attention,
                                                      [DTCI_MLP_LAYER] = &w->mlp,
                                                      [DTCI_ENCODER_LAYER] = &w->encoder};
  static const uint8_t kinds[DTCI_LAYER_KINDS] = {[DTCI_MAMBA_LAYER] = DTC_LAYER_KIND_MAMBA,
                                                  [DTCI_ATTENTION_LAYER] = DTC_LAYER_KIND_ATTENTION,
                                                  [DTCI_MLP_LAYER] = DTC_LAYER_KIND_MLP,
                                                  [DTCI_ENCODER_LAYER] = DTC_LAYER_KIND_ENCODER};
  s->hybrid = (uint64_t)dtci_is_hybrid(&c->model);
  for (int i = DTCI_MAMBA_LAYER; i < DTCI_LAYER_KINDS && (s->hybrid || c->model.encoder_layers != 0); i++) {
    s->kind[i] = dtci_held_of(groups[i], c->plan.tp, bad);
    prepare_saved(l, kinds[i], &s->kind_saved[i], &s->kind_whole[i], bad);
  }
}

dtc_status dtci_memory_prepare(const dtci_case *c, const dtci_weights *w, dtci_memory_setup *s, dtc_error *e)
{
  TRY(dtci_tuning_check(c, e));
  return dtci_held_prepare(c, w, s, e);
}

void dtci_setup_layers(const dtci_case *c, const dtci_weights *w, dtci_memory_setup *s, int *bad)
{
  const dtc_plan *p = &c->plan;
  dtci_ledger l;
  memset(s, 0, offsetof(dtci_memory_setup, line));
  prepare_held(c, s, w, bad);
  prepare_workspace(c, s);
  dtci_ledger_begin(&l, &c->model, p, bad);
  prepare_units(c, &l, s, bad);
  s->expert_matrices = dtci_held_of(&w->expert, p->etp, bad).matrices;
  prepare_saved(&l, DTC_LAYER_KIND_DENSE, &s->saved[0], &s->whole[0], bad);
  if (c->model.experts != 0)
    prepare_saved(&l, DTC_LAYER_KIND_MOE, &s->saved[1], &s->whole[1], bad);
  s->table = dtci_frameworks[p->framework].rope_tables ? dtci_mul(4 * dtci_rope_values(&c->model), p->seq, bad) : 0;
  dtci_tuning_prepare(c, &l, s, bad);
  prepare_kinds(c, &l, w, s, bad);
  dtci_terms_fixed(c, s);
}

void dtci_setup_split(const dtci_case *c, dtci_memory_setup *s, int *bad)
{
  const dtc_plan *p = &c->plan;
  s->shard = p->dp_shard;
  s->padding = 0;
  if (dtci_shardings[p->sharding].units) { /* FSDP2 cuts rows; those of layers divide by nearly any number of shards */
    uint64_t rows = dtci_ceil_div(c->model.vocab, p->tp);
    s->padding = dtci_mul(dtci_ceil_div(rows, s->shard) * s->shard - rows, c->model.hidden, bad);
  }
  /* Experts are sharded over the ranks that hold the same ones, in the same proportion. */
  uint64_t same = dtci_ceil_div(p->tp * p->cp * p->dp, p->ep * p->etp);
  s->expert_shard = dtci_ceil_div(dtci_mul(same, p->dp_shard, bad), p->cp * p->dp);
  s->stages = dtci_stages_of(&c->model, p);
  s->runs = NULL;
  s->pipe = dtci_pipe_of(p);
  s->rises = (uint64_t)dtci_in_flight_rises(&s->pipe);
  dtci_terms_split(c, s);
}

dtc_status dtci_held_prepare(const dtci_case *c, const dtci_weights *w, dtci_memory_setup *s, dtc_error *e)
{
  int bad = 0;
  dtci_setup_layers(c, w, s, &bad);
  dtci_setup_split(c, s, &bad);
  return bad ? dtci_fail_overflow(e, DTC_FIELD(plan, micro_batch), c->plan.micro_batch) : DTC_OK;
}

/* ---- units of a stage ------------------------------------------------------------------------ */

/* A 16-bit buffer per distinct weight shape stands in for its gradient; the attention of dense layers has the shapes of the
 * others'. */
static uint64_t standins(const dtci_case *c, const dtci_memory_setup *s, const dtci_stage_held *h, int *bad)
{
  uint64_t values = h->dense_layers != 0 ? s->dense.matrices : 0;
  if (h->moe_layers != 0) {
    values = dtci_add(values, s->expert_matrices, bad);
    if (dtci_moe_layers(&c->model, c->model.layers) == c->model.layers)
      values = dtci_add(values, s->moe.matrices, bad);
  }
  for (int i = DTCI_MAMBA_LAYER; i < DTCI_LAYER_KINDS && h->others != 0; i++)
    values = dtci_add(values, h->kind_layers[i] != 0 ? s->kind[i].matrices : 0, bad);
  values = dtci_add(values, h->stage->head ? s->output : 0, bad);
  return dtci_mul(dtci_activation_size(&c->plan), values, bad);
}

/* Parameters that the optimizer steps at a time. */
static uint64_t owned(const dtci_case *c, const dtci_memory_setup *s, const dtci_stage_held *h, int *bad)
{
  const dtci_sharding_row *split = &dtci_shardings[c->plan.sharding];
  uint64_t most = dtci_frameworks[c->plan.framework].step_group;
  uint64_t n = dtci_add(dtci_ceil_div(h->trained.params, split->optimizer ? s->shard : 1),
                        dtci_ceil_div(h->trained_experts.params, split->optimizer ? s->expert_shard : 1), bad);
  return split->weights && most != 0 ? dtci_smaller(n, most) : n;
}

uint64_t dtci_recomputed_layers(const dtc_plan *p, uint64_t n)
{
  if (p->recompute != DTC_RECOMPUTE_FULL)
    return 0;
  return p->recompute_method == DTC_RECOMPUTE_METHOD_EVERY ? n / p->recompute_layers : n;
}

/* Kept by n dense layers (kind 0) or MoE layers (1). */
static uint64_t kept_by_layers(const dtci_case *c, const dtci_memory_setup *s, int kind, uint64_t n, int *bad)
{
  uint64_t full = dtci_recomputed_layers(&c->plan, n);
  if (c->plan.recompute != DTC_RECOMPUTE_FULL)
    return dtci_mul(n, s->saved[kind], bad);
  return dtci_add(dtci_mul(full, s->saved[kind], bad), dtci_mul(n - full, s->whole[kind], bad), bad);
}

static void saved_units(const dtci_case *c, const dtci_memory_setup *s, const dtci_stage_held *h, uint64_t in_flight,
                        uint64_t unit[DTCI_UNITS], int *bad)
{
  uint64_t n = h->layers;
  uint64_t kept = dtci_add(kept_by_layers(c, s, 0, h->dense_layers - s->frozen[0], bad),
                           kept_by_layers(c, s, 1, h->moe_layers - s->frozen[1], bad), bad);
  uint64_t whole = dtci_larger(h->dense_layers != 0 ? s->whole[0] : 0, h->moe_layers != 0 ? s->whole[1] : 0);
  for (int i = 0; i < 2; i++)
    kept = dtci_add(kept, dtci_mul(s->frozen[i], s->frozen_saved[i], bad), bad);
  for (int i = DTCI_MAMBA_LAYER; i < DTCI_LAYER_KINDS && h->others != 0; i++) {
    kept = dtci_add(kept, dtci_mul(h->kind_layers[i], s->kind_saved[i], bad), bad);
    whole = dtci_larger(whole, h->kind_layers[i] != 0 ? s->kind_whole[i] : 0);
  }
  unit[DTCI_U_KEPT] = dtci_mul(in_flight, dtci_ceil_div(kept, c->plan.vpp), bad);
  unit[DTCI_U_OUTPUTS] = dtci_mul(in_flight, unit[DTCI_U_INPUT], bad);
  unit[DTCI_U_KEPT_LAYER] = n != 0 ? dtci_ceil_div(unit[DTCI_U_KEPT], n) : 0;
  unit[DTCI_U_MOVED] = 0;
  if (c->plan.offload_activations == DTC_BOOL_ON) { /* what the layer that runs next needs is back */
    unit[DTCI_U_MOVED] = unit[DTCI_U_KEPT];
    unit[DTCI_U_KEPT] = unit[DTCI_U_KEPT_LAYER];
  }
  unit[DTCI_U_LAYER] = whole;
}

void dtci_memory_units(const dtci_case *c, const dtci_memory_setup *s, dtci_stage_held *h, uint64_t in_flight, int *bad)
{
  uint64_t *unit = h->unit;
  uint64_t moe = h->moe_layers != 0 ? dtci_add(s->moe.params, s->experts.params, bad) : 0;
  uint64_t bucket = c->plan.bucket;
  uint64_t trained = dtci_add(h->trained.params, h->trained_experts.params, bad);
  memcpy(unit, s->unit, sizeof s->unit);
  unit[DTCI_U_WEIGHTS] = h->states.weights;
  unit[DTCI_U_GRADIENTS] = h->states.gradients;
  unit[DTCI_U_MASTER] = h->states.master;
  unit[DTCI_U_MOMENTS] = h->states.moments;
  unit[DTCI_U_TABLES] = dtci_mul(s->table, h->dense_layers + h->moe_layers, bad);
  unit[DTCI_U_PARAMS] = dtci_add(h->dense.params, h->experts.params, bad);
  unit[DTCI_U_LAYER_PARAMS] = dtci_larger(moe, h->dense_layers != 0 ? s->dense.params : 0);
  unit[DTCI_U_OUTPUT] = h->stage->head ? s->output : 0;
  unit[DTCI_U_OWNED] = owned(c, s, h, bad);
  unit[DTCI_U_STANDINS] = s->when & DTCI_WHEN_GRAD_FUSION ? standins(c, s, h, bad) : 0;
  unit[DTCI_U_BUCKET] = dtci_shardings[c->plan.sharding].weights ? bucket : dtci_smaller(bucket, trained);
  saved_units(c, s, h, in_flight, unit, bad);
  switch (dtci_frameworks[c->plan.framework].terms) {
  case DTCI_TERMS_TORCH:
    dtci_torch_units(c, s, h, unit, bad);
    break;
  case DTCI_TERMS_MEGATRON:
    dtci_megatron_units(c, s, h, in_flight, unit, bad);
    break;
  default:
    dtci_zero_units(c, s, h, unit, bad);
  }
  dtci_tuning_units(c, s, h, unit, bad);
}

void dtci_memory_units_again(const dtci_case *c, const dtci_memory_setup *s, dtci_stage_held *h, uint64_t in_flight,
                             int *bad)
{
  if (dtci_frameworks[c->plan.framework].terms != DTCI_TERMS_MEGATRON || dtci_is_tuned(&c->plan)) {
    dtci_memory_units(c, s, h, in_flight, bad);
    return;
  }
  saved_units(c, s, h, in_flight, h->unit, bad);
  dtci_megatron_units_again(c, s, h, in_flight, h->unit, bad);
}

/* Layers of pipeline stages. */
#include "internal/model.h"
#include "internal/plan.h"
#include "internal/layer_split.h"

/* ---- by the numbers -------------------------------------------------------------------------- */

static dtci_shares megatron_shares(const dtci_layer_split *s)
{
  uint64_t ranks = dtci_middle_ranks(s);
  int uneven = (s->first | s->last) != 0;
  uint64_t share = uneven ? (ranks != 0 ? dtci_middle_layers(s) / ranks : 0) : dtci_split_counted(s) / s->pp;
  uint64_t each = share / s->vpp;
  uint64_t first = s->first != 0 ? s->first / s->vpp : each;
  uint64_t last = s->last != 0 ? s->last / s->vpp : each;
  uint64_t chunk = s->pp == 1 ? first : first + last + (s->pp - 2) * each;
  if (s->pp == 1 && s->first == 0)
    chunk = last;
  return (dtci_shares){.each = each, .rest = chunk, .first = first};
}

dtci_shares dtci_shares_of(const dtci_layer_split *s)
{
  uint64_t stages = s->pp * s->vpp;
  dtci_shares shares = {.each = dtci_split_counted(s) / stages, .rest = dtci_split_counted(s) % stages};
  if (s->way == DTCI_SPLIT_MEGATRON)
    shares = megatron_shares(s);
  shares.way = s->way;
  shares.first_less = s->first_less;
  shares.last_less = s->last_less;
  shares.pp = s->pp;
  shares.stages = stages;
  return shares;
}

/* Of each rank, in every chunk. */
static uint64_t megatron_begin(const dtci_shares *s, uint64_t stage)
{
  uint64_t chunk = stage < s->pp ? 0 : stage / s->pp;
  uint64_t rank = stage - chunk * s->pp;
  return chunk * s->rest + (rank != 0 ? s->first + (rank - 1) * s->each : 0);
}

/* The stages with one more are the first ones, ColossalAI's those in the middle. */
static uint64_t even_begin(const dtci_shares *s, uint64_t stage)
{
  uint64_t from = s->way == DTCI_SPLIT_COLOSSALAI ? s->stages / 2 - s->rest / 2 : 0;
  return stage * s->each + (stage > from ? dtci_smaller(stage - from, s->rest) : 0);
}

uint64_t dtci_split_begin(const dtci_shares *s, uint64_t stage)
{
  uint64_t begin = s->way == DTCI_SPLIT_MEGATRON ? megatron_begin(s, stage) : even_begin(s, stage);
  return begin - (stage != 0 ? s->first_less : 0) - (stage == s->stages ? s->last_less : 0);
}

/* ---- of a plan ------------------------------------------------------------------------------- */

dtci_layer_split dtci_split_of(const dtc_model *m, const dtc_plan *p)
{
  dtci_layer_split s = {.way = dtci_frameworks[p->framework].split, .layers = m->layers, .pp = p->pp, .vpp = p->vpp};
  if (dtci_schedule_place(p->schedule) == DTCI_BOTH)
    s.vpp = 1;
  if (s.way == DTCI_SPLIT_MEGATRON) {
    s.first = p->first_layers;
    s.last = p->last_layers;
    s.first_less = p->account_embedding == DTC_BOOL_ON;
    s.last_less = p->account_loss == DTC_BOOL_ON;
  } else if (s.way == DTCI_SPLIT_TORCHTITAN && s.pp * s.vpp > 1) {
    s.first_less = 1;
    s.last_less = 1;
  } else if (p->framework ==
             DTC_FRAMEWORK_DEEPSPEED) { /* of more stages than layers embedding and head fill one each */
    s.first_less = s.pp > s.layers;
    s.last_less = s.pp > s.layers + 1;
  }
  return s;
}

/* Adds stage `index`. An encoder's layers are shared out evenly, the first stages with the smaller parts:
 * Megatron has no pipeline of such models, callers with one give their stages. */
static void add_stage(const dtc_model *m, const dtci_shares *s, uint64_t index, dtc_stage *out)
{
  uint64_t stages = s->stages;
  uint64_t begin = dtci_split_begin(s, index);
  uint64_t end = dtci_split_begin(s, index + 1);
  out->layers += end - begin;
  if (m->experts != 0 || dtci_is_hybrid(m)) {
    dtci_layers before = dtci_layers_until(m, begin);
    dtci_layers behind = dtci_layers_until(m, end);
    out->moe_layers += behind.of[DTCI_MOE_LAYER] - before.of[DTCI_MOE_LAYER];
    out->mamba_layers += behind.of[DTCI_MAMBA_LAYER] - before.of[DTCI_MAMBA_LAYER];
    out->mlp_layers += behind.of[DTCI_MLP_LAYER] - before.of[DTCI_MLP_LAYER];
  }
  if (m->encoder_layers != 0)
    out->encoder_layers += m->encoder_layers * (index + 1) / stages - m->encoder_layers * index / stages;
  out->embedding |= index == 0;
  out->head |= index + 1 == stages;
}

dtci_stages dtci_stages_of(const dtc_model *m, const dtc_plan *p)
{
  dtci_layer_split split = dtci_split_of(m, p);
  return (dtci_stages){.m = m,
                       .shares = dtci_shares_of(&split),
                       .chunks = split.vpp,
                       .mtp = dtci_frameworks[p->framework].trains_mtp ? m->mtp_layers : 0,
                       .place = dtci_schedule_place(p->schedule)};
}

dtc_stage dtci_stage_at(const dtci_stages *s, uint64_t rank)
{
  uint64_t pp = s->shares.pp;
  dtc_stage out = {.struct_size = sizeof out};
  for (uint64_t chunk = 0; chunk < s->chunks; chunk++) {
    uint64_t turned = s->place == DTCI_TURN && chunk == 1;
    add_stage(s->m, &s->shares, turned ? 2 * pp - 1 - rank : chunk * pp + rank, &out);
  }
  if (s->place == DTCI_BOTH)
    add_stage(s->m, &s->shares, pp - 1 - rank, &out);
  out.mtp_layers = out.head ? s->mtp : 0;
  return out;
}

dtc_stage dtci_stage_of(const dtci_stages *s, const dtc_stage *stages, uint64_t rank)
{
  dtc_stage out;
  if (stages == NULL)
    return dtci_stage_at(s, rank);
  dtci_read_at(&out, DTC_STRUCT_stage, stages, (size_t)rank);
  return out;
}

int dtci_next_run(const dtci_stages *s, const dtc_stage *stages, dtci_stage_run *run)
{
  uint64_t first = run->end;
  if (first == s->shares.pp)
    return 0;
  run->first = first;
  run->stage = dtci_stage_of(s, stages, first);
  for (run->end = first + 1; run->end < s->shares.pp; run->end++) {
    dtc_stage next = dtci_stage_of(s, stages, run->end);
    if (memcmp(&next, &run->stage, sizeof next) != 0)
      break;
  }
  return 1;
}

void dtci_stage_runs_of(const dtci_stages *s, dtci_stage_runs *out)
{
  dtci_stage_run run = {.end = 0};
  out->count = 0;
  while (dtci_next_run(s, NULL, &run)) {
    if (out->count == DTCI_RUNS_MOST) {
      out->count = 0;
      return;
    }
    out->run[out->count++] = run;
  }
}

dtc_status dtc_plan_stage(const dtc_model *model, const dtc_plan *plan, uint64_t index, dtc_stage *out, dtc_error *err)
{
  dtc_error e;
  dtci_case c;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = dtci_case_legal(&c, model, NULL, plan, &e);
  if (s == DTC_OK && index >= c.plan.pp)
    s = dtci_fail_index(&e, index, c.plan.pp);
  if (s == DTC_OK) {
    dtci_stages stages = dtci_stages_of(&c.model, &c.plan);
    dtc_stage stage = dtci_stage_at(&stages, index);
    s = dtci_out(out, DTC_STRUCT_stage, &stage, &e);
  }
  return dtci_end(s, &e, err);
}

/* Layers of pipeline stages. */
#include "internal/model.h"
#include "internal/plan.h"
#include "internal/layer_split.h"

/* ---- by the numbers -------------------------------------------------------------------------- */

/* Of each rank, in every chunk. */
static uint64_t megatron_begin(const dtci_layer_split *s, uint64_t stage)
{
  uint64_t rank = stage % s->pp;
  uint64_t ranks = dtci_middle_ranks(s);
  int uneven = (s->first | s->last) != 0;
  uint64_t share = uneven ? (ranks != 0 ? dtci_middle_layers(s) / ranks : 0) : dtci_split_counted(s) / s->pp;
  uint64_t each = share / s->vpp;
  uint64_t first = s->first != 0 ? s->first / s->vpp : each;
  uint64_t last = s->last != 0 ? s->last / s->vpp : each;
  uint64_t chunk = s->pp == 1 ? first : first + last + (s->pp - 2) * each;
  if (s->pp == 1 && s->first == 0)
    chunk = last;
  return stage / s->pp * chunk + (rank != 0 ? first + (rank - 1) * each : 0);
}

static uint64_t even_begin(uint64_t layers, uint64_t stages, uint64_t stage)
{
  return stage * (layers / stages) + dtci_smaller(stage, layers % stages);
}

static uint64_t colossalai_begin(uint64_t layers, uint64_t stages, uint64_t stage)
{
  uint64_t rest = layers % stages;
  uint64_t from = stages / 2 - rest / 2;
  return stage * (layers / stages) + (stage > from ? dtci_smaller(stage - from, rest) : 0);
}

uint64_t dtci_split_begin(const dtci_layer_split *s, uint64_t stage)
{
  uint64_t stages = s->pp * s->vpp;
  uint64_t counted = dtci_split_counted(s);
  uint64_t begin = s->way == DTCI_SPLIT_MEGATRON     ? megatron_begin(s, stage)
                   : s->way == DTCI_SPLIT_COLOSSALAI ? colossalai_begin(counted, stages, stage)
                                                     : even_begin(counted, stages, stage);
  return begin - (stage != 0 ? s->first_less : 0) - (stage == stages ? s->last_less : 0);
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
  }
  return s;
}

/* Adds stage `index` of `stages`. */
static void add_stage(const dtc_model *m, const dtci_layer_split *s, uint64_t index, uint64_t stages, dtc_stage *out)
{
  uint64_t begin = dtci_split_begin(s, index);
  uint64_t end = dtci_split_begin(s, index + 1);
  out->layers += end - begin;
  out->moe_layers += dtci_moe_layers(m, end) - dtci_moe_layers(m, begin);
  out->embedding |= index == 0;
  out->head |= index + 1 == stages;
}

dtc_stage dtci_stage_of(const dtc_model *m, const dtc_plan *p, uint64_t index)
{
  dtci_layer_split s = dtci_split_of(m, p);
  dtci_place place = dtci_schedule_place(p->schedule);
  uint64_t stages = s.pp * s.vpp;
  dtc_stage out = {0, 0, 0, 0, 0};
  for (uint64_t chunk = 0; chunk < s.vpp; chunk++) {
    uint64_t turned = place == DTCI_TURN && chunk == 1;
    add_stage(m, &s, turned ? 2 * s.pp - 1 - index : chunk * s.pp + index, stages, &out);
  }
  if (place == DTCI_BOTH)
    add_stage(m, &s, s.pp - 1 - index, stages, &out);
  out.mtp_layers = out.head && dtci_frameworks[p->framework].trains_mtp ? m->mtp_layers : 0;
  return out;
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
  if (s == DTC_OK)
    *out = dtci_stage_of(&c.model, &c.plan, index);
  return dtci_end(s, &e, err);
}

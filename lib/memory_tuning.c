/* Fine-tuning: which of the weights that a stage holds are trained, and weights in 4 bit. */
#include "internal/memory.h"
#include "internal/tuning.h"

/* ---- 4 bit ----------------------------------------------------------------------------------- */

/* bitsandbytes functional.py: a scale per block of weights, in fp32 or in 8 bit with an fp32 scale per block of scales. */
enum { BLOCK = 64, SCALE_BLOCK = 256 };

static uint64_t four_bit(uint64_t params, const dtc_plan *p, int *bad)
{
  uint64_t blocks = dtci_ceil_div(params, BLOCK);
  uint64_t scales = p->double_quant == DTC_BOOL_ON
                        ? dtci_add(blocks, dtci_mul(4, dtci_ceil_div(blocks, SCALE_BLOCK), bad), bad)
                        : dtci_mul(4, blocks, bad);
  return dtci_add(dtci_ceil_div(params, 2), scales, bad);
}

/* Parameters of a layer's largest linear layer. */
static uint64_t largest_linear(const dtc_model *m)
{
  const uint64_t *readers = dtci_archs[m->arch].readers;
  uint64_t qkv = dtci_model_dim(m, readers[0] == 1 ? DTCI_DIM_QKV : DTCI_DIM_Q);
  uint64_t up = dtci_model_dim(m, readers[1] == 1 ? DTCI_DIM_FFN_IN : DTCI_DIM_FFN);
  return m->hidden * dtci_larger(up, qkv);
}

/* ---- of the case ----------------------------------------------------------------------------- */

/* Layers before the first that is trained keep nothing, unless gradients go through them to the embedding. */
void dtci_tuning_prepare(const dtci_case *c, dtci_ledger *l, dtci_memory_setup *s, int *bad)
{
  const dtc_model *m = &c->model;
  const dtc_plan *p = &c->plan;
  uint64_t n = dtci_smaller(p->frozen_layers, m->layers);
  int through = !dtci_has_adapters(p) && p->frozen_embedding != DTC_BOOL_ON;
  s->unit[DTCI_U_LARGEST_LINEAR] = largest_linear(m);
  if (!dtci_is_tuned(p))
    return;
  s->frozen[1] = dtci_moe_layers(m, n);
  s->frozen[0] = n - s->frozen[1];
  for (int moe = 0; moe < 2; moe++) {
    dtci_adapters a;
    dtc_layer_kind kind = moe ? DTC_LAYER_KIND_MOE : DTC_LAYER_KIND_DENSE;
    dtci_adapters_of(m, p, !moe, &a, bad);
    s->adapters[moe] = (dtci_held){a.params, a.params, a.factors};
    s->frozen_saved[moe] = s->frozen[moe] != 0 && through ? dtci_saved_frozen(l, kind, bad) : 0;
  }
}

/* ---- of a stage ------------------------------------------------------------------------------ */

static void take(dtci_held *from, const dtci_held *part, uint64_t times)
{
  from->params -= times * part->params;
  from->matrices -= times * part->matrices;
  from->factors -= times * part->factors;
}

/* Adapters beside frozen weights: h->dense counts both. */
static void hold_adapters(const dtci_case *c, const dtci_memory_setup *s, dtci_stage_held *h, int *bad)
{
  h->trained = h->trained_experts = (dtci_held){0, 0, 0};
  dtci_hold(&h->trained, &s->adapters[0], h->dense_layers - s->frozen[0], bad);
  dtci_hold(&h->trained, &s->adapters[1], h->moe_layers - s->frozen[1], bad);
  if (c->plan.tuning == DTC_TUNING_QLORA)
    h->four_bit = dtci_mul(h->dense_layers, s->dense.matrices, bad);
  dtci_hold(&h->dense, &h->trained, 1, bad);
}

void dtci_tuning_hold(const dtci_case *c, const dtci_memory_setup *s, dtci_stage_held *h, int *bad)
{
  h->trained = h->dense;
  h->trained_experts = h->experts;
  if (!dtci_is_tuned(&c->plan) || *bad)
    return;
  if (dtci_has_adapters(&c->plan)) {
    hold_adapters(c, s, h, bad);
    return;
  }
  take(&h->trained, &s->dense, s->frozen[0]);
  take(&h->trained, &s->moe, s->frozen[1]);
  take(&h->trained_experts, &s->experts, s->frozen[1]);
  if (c->plan.frozen_embedding == DTC_BOOL_ON)
    take(&h->trained, &s->embedding, 1);
}

/* Frozen weights have neither gradients nor optimizer states, nor a master copy. */
void dtci_tuning_states(const dtci_case *c, dtci_stage_held *h, int *bad)
{
  const dtc_plan *p = &c->plan;
  uint64_t each = dtci_frameworks[p->framework].weight[dtci_precision_index(p)];
  uint64_t frozen = h->dense.params - h->trained.params + h->experts.params - h->trained_experts.params;
  if (frozen == 0 || *bad)
    return;
  h->four_bit_bytes = four_bit(h->four_bit, p, bad);
  uint64_t ranks = dtci_shardings[p->sharding].weights ? p->dp_shard : 1;
  uint64_t plain = dtci_ceil_div(dtci_mul(each, frozen - h->four_bit, bad), ranks);
  uint64_t bytes = dtci_add(plain, h->four_bit_bytes, bad);
  h->states.weights = dtci_add(h->states.weights, bytes, bad);
  h->states.total = dtci_add(h->states.total, bytes, bad);
}

/* Parameters of the largest tensor that is trained. */
static uint64_t largest_trained(const dtci_case *c, const dtci_memory_setup *s)
{
  uint64_t linear = s->unit[DTCI_U_LARGEST_LINEAR];
  uint64_t outside = dtci_larger(s->embedding.params, s->output);
  if (dtci_has_adapters(&c->plan))
    return s->adapters[0].params;
  return dtci_larger(linear, outside);
}

/* What the terms of PyTorch count of gradients: beside frozen weights those of adapters alone. */
static void adapter_gradients(const dtci_case *c, const dtci_memory_setup *s, const dtci_stage_held *h,
                              uint64_t unit[DTCI_UNITS], int *bad)
{
  const dtc_plan *p = &c->plan;
  uint64_t layer = s->adapters[h->dense_layers != 0 ? 0 : 1].params;
  uint64_t inner = dtci_mul(2 * dtci_activation_size(p), unit[DTCI_U_TOKENS_F], bad);
  unit[DTCI_U_HEAD_GRADIENT] = unit[DTCI_U_TIED_GRADIENT] = 0;
  unit[DTCI_U_UNIT] = unit[DTCI_U_ROOT] = unit[DTCI_U_OUTPUT] = unit[DTCI_U_TIED] = 0;
  unit[DTCI_U_REDUCE_UNIT] = unit[DTCI_U_REDUCE_LAST] = unit[DTCI_U_REDUCE_ALONE] = 0;
  unit[DTCI_U_GRADIENTS_LAYERS] = unit[DTCI_U_GRADIENTS];
  unit[DTCI_U_LAYER_PARAMS] = layer;
  unit[DTCI_U_LAYER_GRADIENT] = unit[DTCI_U_REDUCE_LAYER] = dtci_mul(4, layer, bad);
  unit[DTCI_U_LAST] =
      dtci_add(p->recompute == DTC_RECOMPUTE_FULL ? unit[DTCI_U_LAYER] : unit[DTCI_U_KEPT_LAYER], inner, bad);
}

void dtci_tuning_units(const dtci_case *c, const dtci_memory_setup *s, const dtci_stage_held *h,
                       uint64_t unit[DTCI_UNITS], int *bad)
{
  const dtc_plan *p = &c->plan;
  unit[DTCI_U_WEIGHTS] -= h->four_bit_bytes;
  unit[DTCI_U_FOUR_BIT] = h->four_bit_bytes;
  if (dtci_has_adapters(p))
    adapter_gradients(c, s, h, unit, bad);
  if (p->step_in_backward == DTC_BOOL_ON) {
    uint64_t most = largest_trained(c, s);
    uint64_t bytes = dtci_mul(dtci_gradient_size(p), most, bad);
    unit[DTCI_U_GRADIENTS] = dtci_smaller(unit[DTCI_U_GRADIENTS], bytes);
    unit[DTCI_U_OWNED] = dtci_smaller(unit[DTCI_U_OWNED], most);
  }
}

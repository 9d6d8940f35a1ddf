/* Model states: bytes per parameter by framework, precision, optimizer and sharding. */
#include "internal/memory.h"
#include "internal/optimizers.h"
#include "internal/tuning.h"

dtci_held dtci_held_of(const dtci_group *g, uint64_t tp, int *bad)
{
  return (dtci_held){
      .params = dtci_add(g->params[0], dtci_ceil_div(g->params[1], tp), bad),
      .matrices = dtci_add(g->matrices[0], dtci_ceil_div(g->matrices[1], tp), bad),
      .factors = g->factors,
  };
}

/* to += times * add */
void dtci_hold(dtci_held *to, const dtci_held *add, uint64_t times, int *bad)
{
  if (times == 0)
    return;
  to->params = dtci_add(to->params, dtci_mul(times, add->params, bad), bad);
  to->matrices = dtci_add(to->matrices, dtci_mul(times, add->matrices, bad), bad);
  to->factors = dtci_add(to->factors, dtci_mul(times, add->factors, bad), bad);
}

static uint64_t fp32_moments(const dtci_held *h, dtc_optimizer optimizer, int *bad)
{
  switch (optimizer) {
  case DTC_OPTIMIZER_ADAM8:
    return dtci_add(dtci_mul(2, h->params, bad), dtci_mul(8, dtci_ceil_div(h->params, 256), bad), bad);
  case DTC_OPTIMIZER_ADAFACTOR:
    return dtci_mul(4, h->factors, bad);
  case DTC_OPTIMIZER_MUON:
    return dtci_add(dtci_mul(4, h->matrices, bad), dtci_mul(8, h->params - h->matrices, bad), bad);
  default:
    return dtci_mul(UINT64_C(4) * dtci_optimizers[optimizer].states, h->params, bad);
  }
}

/* PyTorch's optimizers keep what they keep in the type of the parameters. */
static uint64_t moments_of(const dtci_held *h, const dtc_plan *p, int *bad)
{
  uint64_t bytes = fp32_moments(h, p->optimizer, bad);
  return p->precision == DTC_PRECISION_PURE_BF16 && p->optimizer != DTC_OPTIMIZER_ADAM8 ? bytes / 2 : bytes;
}

static void add_optimizer(dtc_model_states *to, const dtci_held *h, const dtc_plan *p, uint64_t shard, int *bad)
{
  uint64_t master = dtci_mul(dtci_frameworks[p->framework].master[dtci_precision_index(p)], h->params, bad);
  to->master = dtci_add(to->master, dtci_ceil_div(master, shard), bad);
  to->moments = dtci_add(to->moments, dtci_ceil_div(moments_of(h, p, bad), shard), bad);
}

/* DeepSpeed's flat buffers of ZeRO-1 and 2 end at a multiple of two elements per rank. */
static dtci_held flat_of(const dtci_held *h, const dtc_plan *p, uint64_t shard, int *bad)
{
  dtci_held flat = *h;
  if (p->framework == DTC_FRAMEWORK_DEEPSPEED && dtci_shardings[p->sharding].optimizer &&
      !dtci_shardings[p->sharding].weights)
    flat.params = dtci_mul(2 * shard, dtci_ceil_div(h->params, 2 * shard), bad);
  return flat;
}

void dtci_add_states(dtc_model_states *to, const dtci_held *held, const dtc_plan *p, uint64_t shard, int *bad)
{
  const dtci_framework_row *f = &dtci_frameworks[p->framework];
  uint32_t kind = dtci_precision_index(p);
  const dtci_held flat = flat_of(held, p, shard, bad);
  const dtci_held *h = &flat;
  uint64_t weights = dtci_mul(f->weight[kind], h->params, bad);
  uint64_t reduced = p->grad_dtype == DTC_GRAD_DTYPE_FP32 ? h->params : held->params; /* in 16 bit tensor by tensor */
  uint64_t gradients = dtci_mul(dtci_gradient_size(p), reduced, bad);
  uint64_t optimizer = dtci_shardings[p->sharding].optimizer ? shard : 1;
  if (h->params == 0)
    return;
  to->weights = dtci_add(to->weights, dtci_ceil_div(weights, dtci_shardings[p->sharding].weights ? shard : 1), bad);
  to->gradients =
      dtci_add(to->gradients, dtci_ceil_div(gradients, dtci_shardings[p->sharding].gradients ? shard : 1), bad);
  dtci_held part = *h;
  dtci_held whole = {0, 0, 0};
  if (p->whole_tensors == DTC_BOOL_ON) { /* of the rank that has the embedding */
    part.params = h->matrices;
    whole.params = h->params - h->matrices;
  }
  add_optimizer(to, &part, p, optimizer, bad);
  add_optimizer(to, &whole, p, 1, bad);
  to->total = dtci_add(dtci_add(to->weights, to->gradients, bad), dtci_add(to->master, to->moments, bad), bad);
}

static dtc_status states_of_size(uint64_t params, dtc_plan *p, dtc_model_states *out, dtc_error *e)
{
  static const dtc_cluster unknown;
  int bad = 0;
  dtci_held h = {params, 0, 0};
  if (params == 0 || params > (uint64_t)1 << 56)
    return dtci_fail_range(e, DTCI_ARG(PARAMS), params, 1, (uint64_t)1 << 56);
  TRY(dtci_plan_fill_kind(p, e));
  if (p->optimizer == DTC_OPTIMIZER_ADAFACTOR || p->optimizer == DTC_OPTIMIZER_MUON)
    return dtci_fail(e, DTC_E_UNSUPPORTED, DTC_RULE_SIZE_ONLY, DTC_FIELD(plan, optimizer), p->optimizer);
  if (dtci_is_tuned(p))
    return dtci_fail(e, DTC_E_UNSUPPORTED, DTC_RULE_SIZE_ONLY, DTC_FIELD(plan, tuning), p->tuning);
  if (p->step_in_backward == DTC_BOOL_ON)
    return dtci_fail(e, DTC_E_UNSUPPORTED, DTC_RULE_SIZE_ONLY, DTC_FIELD(plan, step_in_backward), p->step_in_backward);
  TRY(dtci_plan_fill_size(p, &unknown, e));
  *out = (dtc_model_states){.struct_size = sizeof *out};
  dtci_add_states(out, &h, p, p->dp_shard, &bad);
  return bad ? dtci_fail_overflow(e, DTCI_ARG(PARAMS), params) : DTC_OK;
}

dtc_status dtc_memory_states(uint64_t params, const dtc_plan *plan, dtc_model_states *out, dtc_error *err)
{
  dtc_error e;
  dtc_plan p;
  dtc_model_states states;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = dtci_in(&p, DTC_STRUCT_plan, plan, &e);
  s = s != DTC_OK ? s : states_of_size(params, &p, &states, &e);
  return dtci_end(s != DTC_OK ? s : dtci_out(out, DTC_STRUCT_model_states, &states, &e), &e, err);
}

/* What lies on the host and on NVMe instead of the GPU. The formulas are those of shard_bytes.c; here are the buffers beside.
 * Sources: DeepSpeed 0.19.8 runtime/zero/offload_config.py (buffer_count, buffer_size), runtime/swap_tensor;
 * ColossalAI 4f9953be zero: the states of the part, and its gradients in fp32 while it steps. */
#include "internal/memory.h"
#include "internal/shard.h"

enum {
  PARAM_BUFFERS = 5, /* of 1e8 elements, for weights on NVMe */
  STATE_BUFFERS = 4, /* of a sub-group in fp32, for states on NVMe */
  STATES = 12,       /* bytes of master weight and Adam's moments, as shard_bytes.c counts them */
};
#define PARAM_BUFFER UINT64_C(100000000)

static void deepspeed(const dtci_case *c, const dtci_stage_held *h, const dtci_offload_part *x, dtc_memory *out,
                      int *bad)
{
  const dtc_plan *p = &c->plan;
  dtc_offload_bytes o = {.struct_size = sizeof o};
  uint64_t adam = dtci_mul(STATES, x->part, bad);
  uint64_t states = dtci_add(h->states.master, h->states.moments, bad);
  if (p->sharding == DTC_SHARDING_ZERO3)
    dtci_offload_zero3(x, p->offload, &o);
  else
    dtci_offload_flat(x, &o);
  if (p->offload != DTC_OFFLOAD_NVME) { /* another optimizer's states */
    out->host = dtci_add(o.host - adam, states, bad);
    return;
  }
  uint64_t group = dtci_smaller(x->part, dtci_frameworks[p->framework].step_group);
  out->host = dtci_add(o.host, PARAM_BUFFERS * PARAM_BUFFER * x->b, bad);
  out->host = dtci_add(out->host, dtci_mul(STATE_BUFFERS * 4, group, bad), bad);
  out->nvme = dtci_add(o.nvme - adam, states, bad);
}

static void colossalai(const dtci_case *c, const dtci_stage_held *h, const dtci_offload_part *x, dtc_memory *out,
                       int *bad)
{
  out->host = dtci_add(dtci_add(h->states.master, h->states.moments, bad), dtci_mul(4, x->part, bad), bad);
  if (c->plan.offload == DTC_OFFLOAD_PARAMS)
    out->host = dtci_add(out->host, h->states.weights, bad);
}

static void states(const dtci_case *c, const dtci_memory_setup *s, const dtci_stage_held *h, dtc_memory *out, int *bad)
{
  const dtc_plan *p = &c->plan;
  uint64_t e = dtci_activation_size(p);
  dtci_offload_part x = {
      .largest = h->unit[DTCI_U_LARGEST], .micro = p->accumulation, .b = e, .g = dtci_gradient_size(p)};
  x.part = dtci_part_of_rank(s, h, bad);
  x.touched = h->unit[DTCI_U_TOUCHED] / x.g;
  if (!dtci_mul_fits(x.micro, dtci_mul(24, dtci_add(x.part, x.touched, bad), bad)))
    *bad = 1;
  if (!*bad && p->framework == DTC_FRAMEWORK_COLOSSALAI)
    colossalai(c, h, &x, out, bad);
  else if (!*bad)
    deepspeed(c, h, &x, out, bad);
}

void dtci_memory_offload(const dtci_case *c, const dtci_memory_setup *s, const dtci_stage_held *h, dtc_memory *out,
                         int *bad)
{
  int saved = c->plan.offload_activations == DTC_BOOL_ON;
  if (c->plan.offload == DTC_OFFLOAD_DEFAULT && !saved)
    return;
  if (c->plan.offload != DTC_OFFLOAD_DEFAULT)
    states(c, s, h, out, bad);
  if (saved)
    out->host = dtci_add(out->host, h->unit[DTCI_U_MOVED], bad);
}

/* Units of DeepSpeed, ColossalAI and scaling: what ZeRO gathers, buckets and touches. */
#include "internal/memory.h"

/* Weights gathered for use: the root stays, and `n_layers` layers are there at once, for the next one is fetched while one
 * runs; ZeRO-3 up to its limit, which is passed by the tensor that reaches it. */
static uint64_t fetched(const dtci_case *c, const dtci_memory_setup *s, const uint64_t *unit, uint64_t n_layers,
                        int *bad)
{
  uint64_t n = dtci_add(unit[DTCI_U_ROOT], dtci_mul(n_layers, unit[DTCI_U_LAYER_PARAMS], bad), bad);
  if (c->plan.live != 0)
    n = dtci_add(c->plan.live, dtci_larger(unit[DTCI_U_OUTPUT], s->widest), bad);
  return dtci_smaller(n, unit[DTCI_U_PARAMS]);
}

uint64_t dtci_part_of_rank(const dtci_memory_setup *s, const dtci_stage_held *h, int *bad)
{
  return dtci_add(dtci_ceil_div(h->dense.params, s->shard), dtci_ceil_div(h->experts.params, s->expert_shard), bad);
}

enum { CHUNK_LEAST = 32 << 20 }; /* Gemini: min_chunk_size_m */

/* Gradients of the tensors that a rank's part touches, whole: a part begins and ends inside a tensor, or lies in one. In
 * fp32 they are cut (0.19.8). */
static uint64_t touched(const dtci_case *c, const dtci_memory_setup *s, const dtci_stage_held *h, const uint64_t *unit,
                        int *bad)
{
  uint64_t part = dtci_part_of_rank(s, h, bad);
  uint64_t n = dtci_larger(dtci_add(part, s->widest, bad), unit[DTCI_U_LARGEST]);
  if (c->plan.grad_dtype == DTC_GRAD_DTYPE_FP32)
    return dtci_mul(4, part, bad);
  return dtci_mul(2, s->shard > 1 ? dtci_smaller(n, unit[DTCI_U_PARAMS]) : part, bad);
}

/* Norms and biases stay gathered; matrices are larger than any threshold of use. */
static uint64_t persistent(const dtci_case *c, const dtci_memory_setup *s, const dtci_stage_held *h, int *bad)
{
  uint64_t vectors = dtci_mul(h->dense_layers, s->dense.params - s->dense.matrices, bad);
  vectors = dtci_add(vectors, dtci_mul(h->moe_layers, s->moe.params - s->moe.matrices, bad), bad);
  return c->model.hidden < c->plan.persistence ? vectors : 0;
}

void dtci_zero_units(const dtci_case *c, const dtci_memory_setup *s, const dtci_stage_held *h,
                     uint64_t unit[DTCI_UNITS], int *bad)
{
  uint64_t params = unit[DTCI_U_PARAMS];
  unit[DTCI_U_ROOT] = dtci_add(h->stage->embedding ? s->embedding.params : 0, h->stage->head ? s->head.params : 0, bad);
  unit[DTCI_U_FETCH_LOSS] = fetched(c, s, unit, 1, bad);
  unit[DTCI_U_FETCH] = fetched(c, s, unit, 2, bad);
  uint64_t largest = dtci_larger(s->widest, h->stage->embedding || h->stage->head ? s->output : 0);
  unit[DTCI_U_LARGEST] = dtci_smaller(largest, params);
  unit[DTCI_U_TOUCHED] = touched(c, s, h, unit, bad);
  unit[DTCI_U_PERSISTENT] = persistent(c, s, h, bad);
  unit[DTCI_U_PREFETCH] = dtci_smaller(dtci_frameworks[c->plan.framework].prefetch, params);
  unit[DTCI_U_CHUNK] = dtci_smaller(dtci_larger(CHUNK_LEAST, largest), params);
  unit[DTCI_U_GATHERED] = dtci_smaller(dtci_larger(dtci_mul(c->plan.bucket, s->shard, bad), largest), params);
}

/* The moment of the peak: what lives beside weights, optimizer states and workspaces, moment by moment. */
#include "internal/memory.h"
#include "internal/pipeline.h"

typedef struct moment {
  dtc_moment name;
  uint64_t gradients;
  uint64_t buckets;
  uint64_t gathered;
  uint64_t activations;
  uint64_t transient;
} moment;

/* What the moments are made of. */
typedef struct parts {
  const dtc_plan *plan;
  const dtci_framework_row *framework;
  const dtci_sharding_row *sharding;
  uint64_t e;      /* bytes of an activation */
  uint64_t params; /* of the stage */
  uint64_t layer;  /* parameters of the largest layer: FSDP's usual unit */
  int units;       /* 1: FSDP takes embedding, layers, and head with the final norm, as units of their own */
  uint64_t root;   /* of FSDP's root unit, which is reduced last: what is outside the layers, the head unit left out */
  uint64_t unit;   /* of the head's unit, where it is one */
  uint64_t head;   /* of the output head's matrix in the root, a tied one too */
  uint64_t cast;   /* whose 16-bit copies, made by autocast, are kept from forward to their backward */
  uint64_t gradients; /* all of them */
  uint64_t early;     /* those that are there before backward */
  uint64_t kept;      /* activations of all micro-batches in flight */
} parts;

static uint64_t max_of(uint64_t a, uint64_t b)
{
  return a > b ? a : b;
}

static uint64_t min_of(uint64_t a, uint64_t b)
{
  return a < b ? a : b;
}

/* Buckets that are there all the time: DDP's copy of the gradients, under PyTorch's ZeroRedundancyOptimizer too; DeepSpeed's
 * ipg bucket (with ZeRO-3 whatever the model's size). */
static uint64_t standing_buckets(const parts *x, int *bad)
{
  uint64_t bucket = x->framework->bucket;
  if (x->sharding->units)
    return 0;
  if (x->framework->ddp_copy && !x->sharding->gradients)
    return x->plan->dp * x->plan->cp > 1 ? x->gradients : 0;
  if (!x->sharding->optimizer)
    return 0;
  return dtci_mul(x->e, x->sharding->weights ? bucket : min_of(bucket, x->params), bad);
}

/* Weights gathered for use, or the 16-bit copies that autocast makes of fp32 weights. `layers` layers are there at once,
 * for the next one is fetched while one runs, and the root unit stays; units of their own are gone when they have run. In
 * a pipeline TorchTitan keeps all of a stage. */
static uint64_t gathered(const parts *x, uint64_t layers, int *bad)
{
  uint64_t fetched = dtci_add(x->units ? 0 : x->root, dtci_mul(layers, x->layer, bad), bad);
  if (!x->sharding->weights)
    return dtci_mul(x->e, x->cast, bad);
  if (!x->sharding->units && x->framework->live != 0)
    fetched = x->framework->live;
  if (x->units && x->plan->pp > 1)
    fetched = x->params;
  return dtci_mul(x->e, min_of(fetched, x->params), bad);
}

/* Loss and its backward: all activations, no layer has made gradients yet. A head that is a unit of its own is alone. */
static moment at_loss(const parts *x, const dtci_memory_setup *s, int *bad)
{
  int alone = x->units && x->plan->pp == 1;
  return (moment){.name = DTC_MOMENT_LOSS,
                  .gradients = x->early,
                  .buckets = standing_buckets(x, bad),
                  .gathered = alone ? dtci_mul(x->e, x->unit, bad) : gathered(x, 1, bad),
                  .activations = x->kept,
                  .transient = s->loss};
}

/* Backward of the first layer that runs: all activations, and the copies of the layers' weights. FSDP: the layer's
 * gradient in 16 bit, and the head's: in 16 bit too, or the fp32 reduce-scatter input of the head's unit. */
static moment at_backward(const parts *x, const dtci_memory_setup *s, moment loss, int *bad)
{
  moment m = loss;
  m.name = DTC_MOMENT_BACKWARD;
  m.gathered = gathered(x, 2, bad);
  if (dtci_autocast(x->plan))
    m.gathered = dtci_mul(x->e, max_of(x->cast - min_of(x->cast, x->head), x->layer), bad);
  m.transient = s->backward;
  if (x->units)
    m.buckets = dtci_mul(4, x->unit, bad);
  if (x->sharding->units)
    m.transient = dtci_add(m.transient, dtci_mul(x->e, dtci_add(x->layer, x->head, bad), bad), bad);
  return m;
}

/* Between that layer and the next, FSDP: the fp32 reduce-scatter input of the layer. */
static moment at_boundary(const parts *x, const dtci_memory_setup *s, moment backward, int *bad)
{
  moment m = backward;
  m.buckets = dtci_mul(4, x->layer, bad);
  m.transient = dtci_add(s->hidden, dtci_mul(x->e, x->head, bad), bad);
  return m;
}

/* Behind the last layer: all gradients. FSDP reduces the root's, in 16 bit and fp32 beside the layers' shards; else the
 * last layer's activations are still there. */
static moment at_end(const parts *x, const dtci_memory_setup *s, const dtci_stage_held *h, moment backward, int *bad)
{
  uint64_t layers = h->dense_layers + h->moe_layers;
  moment m = backward;
  m.gradients = x->gradients;
  m.activations = layers != 0 ? dtci_ceil_div(x->kept, layers) : 0;
  if (dtci_autocast(x->plan))
    m.gathered = dtci_mul(x->e, x->layer, bad);
  if (x->sharding->units) {
    m.gathered = m.activations = 0;
    m.gradients -= min_of(m.gradients, dtci_ceil_div(dtci_mul(4, x->root, bad), s->shard));
    m.buckets = dtci_mul(4, x->root, bad);
    m.transient = dtci_mul(x->e, x->root, bad);
  }
  return m;
}

/* Optimizer step: no activations, its own temporaries. */
static moment at_step(const parts *x, const dtci_memory_setup *s, const dtci_stage_held *h, int *bad)
{
  int sharded = x->sharding->optimizer;
  uint64_t owned = dtci_add(dtci_ceil_div(h->dense.params, sharded ? s->shard : 1),
                            dtci_ceil_div(h->experts.params, sharded ? s->expert_shard : 1), bad);
  if (x->sharding->weights && x->framework->step_group != 0)
    owned = min_of(owned, x->framework->step_group);
  return (moment){.name = DTC_MOMENT_STEP,
                  .gradients = x->gradients,
                  .buckets = standing_buckets(x, bad),
                  .transient = dtci_mul(x->framework->step[dtci_precision_index(x->plan)], owned, bad)};
}

static void consider(const moment *m, dtc_memory *out, uint64_t *peak, int *bad)
{
  uint64_t sum = dtci_add(dtci_add(m->gradients, m->buckets, bad), dtci_add(m->gathered, m->activations, bad), bad);
  sum = dtci_add(sum, m->transient, bad);
  if (sum <= *peak && out->moment != DTC_MOMENT_NONE)
    return;
  *peak = sum;
  out->moment = m->name;
  out->gradients = m->gradients;
  out->buckets = m->buckets;
  out->gathered = m->gathered;
  out->activations = m->activations;
  out->transient = m->transient;
}

/* Autocast copies what is multiplied: not tables that are looked up, and a recomputed layer only while it runs. */
static uint64_t cast_params(const dtci_case *c, const dtci_memory_setup *s, const dtci_stage_held *h, uint64_t head)
{
  if (!dtci_autocast(&c->plan))
    return 0;
  if (c->plan.recompute == DTC_RECOMPUTE_FULL)
    return head;
  uint64_t looked_up = h->stage->embedding ? s->embedding.params : 0;
  if (c->model.tied == DTC_BOOL_ON && h->stage->head)
    looked_up -= min_of(looked_up, head);
  return h->dense.params + h->experts.params - looked_up;
}

void dtci_memory_peak(const dtci_case *c, const dtci_memory_setup *s, const dtci_stage_held *h, dtc_memory *out,
                      int *bad)
{
  const dtc_plan *p = &c->plan;
  uint64_t moe = h->moe_layers != 0 ? dtci_add(s->moe.params, s->experts.params, bad) : 0;
  uint64_t dense = h->dense_layers != 0 ? s->dense.params : 0;
  uint64_t kept = dtci_add(dtci_mul(h->dense_layers, s->saved[0], bad), dtci_mul(h->moe_layers, s->saved[1], bad), bad);
  out->in_flight = dtci_in_flight(p, out->stage, bad);
  parts x = {.plan = p,
             .framework = &dtci_frameworks[p->framework],
             .sharding = &dtci_shardings[p->sharding],
             .e = dtci_activation_size(p),
             .params = out->params,
             .layer = max_of(moe, dense),
             .gradients = out->gradients,
             .kept = dtci_mul(out->in_flight, dtci_ceil_div(kept, p->vpp), bad)};
  uint64_t head = h->stage->head ? s->head.params : 0;
  x.units = x.sharding->units && x.framework->head_unit && c->model.tied == DTC_BOOL_OFF;
  x.unit = x.units ? head : 0;
  x.root = dtci_add(h->stage->embedding ? s->embedding.params : 0, head - x.unit, bad);
  x.head = h->stage->head && !x.units ? s->output : 0;
  x.cast = cast_params(c, s, h, x.head);
  x.early = x.framework->late_gradients && p->accumulation == 1 ? 0 : x.gradients;
  moment loss = at_loss(&x, s, bad);
  moment backward = at_backward(&x, s, loss, bad);
  moment moments[] = {backward, at_end(&x, s, h, backward, bad), at_step(&x, s, h, bad),
                      at_boundary(&x, s, backward, bad), loss};
  int happens[] = {1, 1, 1, x.sharding->units, h->stage->head != 0};
  uint64_t peak = 0;
  for (int i = 0; i < 5; i++)
    if (happens[i])
      consider(&moments[i], out, &peak, bad);
}

/* Megatron's units: buffers and copies that stay, what full recomputation keeps, what the allocator rounds up. */
#include "internal/memory.h"

#include "internal/catalog.h"

enum { GROUPED_STREAMS = 4 }; /* TE's grouped product: one more workspace per stream (cpp_extensions/gemm.py) */

static int is_te(const dtci_memory_setup *s)
{
  return (s->when & DTCI_WHEN_TE) != 0;
}

/* ---- buffers --------------------------------------------------------------------------------- */

/* A stage whose products are all TE's never makes a workspace of cuBLAS; experts are TE's in the local modules too. */
static void workspace_units(const dtci_case *c, const dtci_memory_setup *s, const dtci_stage_held *h, uint64_t *unit,
                            int *bad)
{
  uint64_t groups = h->moe_layers != 0 && c->plan.grouped_gemm == DTC_BOOL_ON ? GROUPED_STREAMS : 0;
  if (is_te(s) && !h->stage->head)
    unit[DTCI_U_CUBLAS] = 0;
  unit[DTCI_U_TE] = is_te(s) || h->moe_layers != 0 ? dtci_mul(unit[DTCI_U_TE], 1 + groups, bad) : 0;
}

/* Buffer of the name "mpu" (utils.py, GlobalMemoryBuffer): as large as the largest request. */
static uint64_t global_buffer(const dtci_case *c, const dtci_memory_setup *s, const dtci_stage_held *h,
                              const uint64_t *unit, int *bad)
{
  const dtc_plan *p = &c->plan;
  uint64_t e = dtci_activation_size(p);
  uint64_t most = 0;
  if (!is_te(s) && (s->when & DTCI_WHEN_EAGER) != 0) { /* scores */
    uint64_t seq = dtci_larger(p->seq, p->encoder_seq);
    uint64_t scores = dtci_mul(dtci_mul(p->micro_batch, seq, bad), seq, bad);
    most = dtci_mul(e * dtci_ceil_div(c->model.heads, p->tp), scores, bad);
  }
  if (s->when & DTCI_WHEN_SP) /* gathered input of a linear layer */
    most = dtci_larger(most, dtci_mul(e, unit[DTCI_U_TOKENS_H], bad));
  if (h->moe_layers != 0 && (s->when & DTCI_WHEN_ALLGATHER) != 0) /* rows of the expert group */
    most = dtci_larger(most, dtci_mul(unit[DTCI_U_INPUT], p->ep * p->etp, bad));
  return most;
}

/* Layers of a stage without its MTP modules, which run behind its last chunk and are in flight once. */
typedef struct body {
  uint64_t dense;
  uint64_t moe;
  uint64_t all; /* of every kind */
} body;

static body body_of(const dtci_memory_setup *s, const dtci_stage_held *h)
{
  uint64_t mtp = h->stage->mtp_layers;
  body b = {dtci_less(h->dense_layers, s->mtp_moe ? 0 : mtp), dtci_less(h->moe_layers, s->mtp_moe ? mtp : 0), 0};
  b.all = h->layers - (h->dense_layers - b.dense) - (h->moe_layers - b.moe);
  return b;
}

/* ---- recomputed layers ----------------------------------------------------------------------- */

/* Uniform: of every recompute_layers layers one input stays, and they are recomputed together. Block: of every chunk the
 * first recompute_layers keep their inputs (dense layers come first), the others all; hybrids are recomputed whole. */
static void recompute_units(const dtci_case *c, const dtci_memory_setup *s, const body *b, uint64_t in_flight,
                            uint64_t *unit, int *bad)
{
  const dtc_plan *p = &c->plan;
  uint64_t n = p->recompute_layers != 0 ? p->recompute_layers : DTC_NONE;
  uint64_t again = b->all;
  uint64_t kept = 0;
  if (p->recompute_method == DTC_RECOMPUTE_METHOD_BLOCK && again == b->dense + b->moe) {
    again = n == DTC_NONE ? again : dtci_smaller(again, dtci_mul(n, p->vpp, bad));
    uint64_t dense = b->dense - dtci_smaller(b->dense, again);
    uint64_t moe = b->all - again - dense;
    kept = dtci_add(dtci_mul(dense, s->whole[0], bad), dtci_mul(moe, s->whole[1], bad), bad);
  }
  n = p->recompute_method == DTC_RECOMPUTE_METHOD_UNIFORM && n != DTC_NONE ? n : 1;
  kept = dtci_add(
      kept, dtci_mul(dtci_mul(p->vpp, dtci_ceil_div(dtci_ceil_div(again, p->vpp), n), bad), s->saved[0], bad), bad);
  unit[DTCI_U_KEPT] = dtci_mul(in_flight, dtci_ceil_div(kept, p->vpp), bad);
  unit[DTCI_U_LAYER] = dtci_mul(dtci_smaller(n, dtci_ceil_div(again, p->vpp)), unit[DTCI_U_LAYER], bad);
}

/* ---- what the allocator rounds up ------------------------------------------------------------ */

enum { SEGMENTS = 32, ROUND = 512 };

/* Free rests of segments, equal ones together. */
typedef struct rests {
  uint64_t size[SEGMENTS];
  uint64_t count[SEGMENTS];
  uint32_t n;
  uint32_t taken; /* how often one was */
  uint64_t wasted;
} rests;

static void give(rests *r, uint64_t size)
{
  uint32_t i = 0;
  while (i < r->n && r->size[i] != size)
    i++;
  if (i == SEGMENTS)
    return; /* too many sizes: not used again */
  if (i == r->n) {
    r->size[i] = size;
    r->count[i] = 0;
    r->n++;
  }
  r->count[i]++;
}

/* Smallest rest that fits, taken off the list; 0 when none does. */
static uint64_t take(rests *r, uint64_t size)
{
  uint32_t best = SEGMENTS;
  for (uint32_t i = 0; i < r->n; i++)
    if (r->size[i] >= size && (best == SEGMENTS || r->size[i] < r->size[best]))
      best = i;
  if (best == SEGMENTS)
    return 0;
  uint64_t found = r->size[best];
  r->taken++;
  if (--r->count[best] == 0) {
    r->n--;
    r->size[best] = r->size[r->n];
    r->count[best] = r->count[r->n];
  }
  return found;
}

/* One request of PyTorch's caching allocator (CUDACachingAllocator.cpp): 512 bytes are the unit; above 1 MiB it takes the
 * smallest rest that fits, else a segment of 20 MiB below 10 MiB, of a multiple of 2 MiB above; a rest of 1 MiB or less is
 * not split off. */
static void request(rests *r, uint64_t size)
{
  size = dtci_ceil_div(size, ROUND) * ROUND;
  if (size <= DTCI_MIB(1))
    return;
  uint64_t block = take(r, size);
  if (block == 0)
    block = size < DTCI_MIB(10) ? DTCI_MIB(20) : dtci_ceil_div(size, DTCI_MIB(2)) * DTCI_MIB(2);
  if (block - size > DTCI_MIB(1))
    give(r, block - size);
  else
    r->wasted += block - size;
}

/* Elements of the large tensors of a stage in the order in which they are made. */
enum { GROUP_TENSORS = 7 };

typedef struct group {
  uint64_t size[GROUP_TENSORS];
  uint64_t layers;
} group;

typedef struct tensors {
  uint64_t embedding;
  uint64_t positions;
  group encoder;
  group layer;
  uint64_t head;
} tensors;

/* A tensor's copies in a row: one, or the two moments. */
static void request_times(rests *r, uint64_t bytes, int times)
{
  for (int i = 0; i < times; i++)
    request(r, bytes);
}

/* A layer that took no rest and left none of a new size is like all that follow. */
static void request_group(rests *r, const group *g, uint64_t bytes, int times)
{
  for (uint64_t left = g->layers; left > 0; left--) {
    rests before = *r;
    for (int i = 0; i < GROUP_TENSORS; i++)
      request_times(r, bytes * g->size[i], times);
    if (r->taken != before.taken || r->n != before.n)
      continue;
    r->wasted += (left - 1) * (r->wasted - before.wasted);
    for (uint32_t i = 0; i < r->n; i++)
      r->count[i] += (left - 1) * (r->count[i] - before.count[i]);
    return;
  }
}

static void request_all(rests *r, const tensors *t, uint64_t bytes, int times)
{
  request_times(r, bytes * t->embedding, times);
  request_times(r, bytes * t->positions, times);
  request_group(r, &t->encoder, bytes, times);
  request_group(r, &t->layer, bytes, times);
  request_times(r, bytes * t->head, times);
}

/* Attention, of a decoder with an encoder cross attention, and MLP. */
static group layer_tensors(const dtc_model *m, uint64_t tp, int cross)
{
  uint64_t gated = m->gated == DTC_BOOL_ON ? 2 : 1;
  uint64_t q = dtci_ceil_div(m->heads * m->head_dim * m->hidden, tp);
  uint64_t kv = dtci_ceil_div(m->kv_heads * m->head_dim * m->hidden, tp);
  uint64_t times = cross ? 1 : 0;
  return (group){.size = {q + 2 * kv, q, times * q, times * 2 * q, times * q,
                          dtci_ceil_div(gated * m->ffn * m->hidden, tp), dtci_ceil_div(m->ffn * m->hidden, tp)}};
}

/* Waste of weights, gradient buffer, master weights and moments of a dense stage that shards none of them. */
static uint64_t rounding(const dtci_case *c, const dtci_memory_setup *s, const dtci_stage_held *h)
{
  const dtc_model *m = &c->model;
  rests r = {.n = 0, .taken = 0, .wasted = 0};
  tensors t = {.encoder = layer_tensors(m, c->plan.tp, 0),
               .layer = layer_tensors(m, c->plan.tp, m->encoder_layers != 0)};
  t.encoder.layers = h->kind_layers[DTCI_ENCODER_LAYER];
  t.layer.layers = h->dense_layers;
  if (h->stage->embedding) {
    t.positions = m->position == DTC_POSITION_LEARNED ? m->context * m->hidden : 0;
    t.embedding = s->output;
  }
  t.head = h->stage->head && (m->tied == DTC_BOOL_OFF || c->plan.pp > 1) ? s->output : 0;
  request_all(&r, &t, 2, 1);
  request(&r, h->states.gradients);
  request_all(&r, &t, 4, 1);
  request_all(&r, &t, 4, 2);
  return r.wasted;
}

int dtci_is_rounded(const dtci_case *c, const dtci_memory_setup *s, const dtci_stage_held *h)
{
  const dtc_plan *p = &c->plan;
  int adam =
      p->optimizer == DTC_OPTIMIZER_ADAM && (p->precision == DTC_PRECISION_BF16 || p->precision == DTC_PRECISION_FP16);
  return adam && (s->when & (DTCI_WHEN_SHARDS_OPTIMIZER | DTCI_WHEN_GRAD_FUSION)) == 0 && h->moe_layers == 0 &&
         c->model.kv_rank == 0 && !s->hybrid;
}

/* ---- all ------------------------------------------------------------------------------------- */

/* Embedding and head matrices that a stage has; an MTP module behind a pipeline keeps an embedding of its own. */
static uint64_t outer_matrices(const dtci_case *c, const dtci_stage_held *h)
{
  uint64_t head = c->model.tied == DTC_BOOL_OFF || c->plan.pp > 1;
  uint64_t mtp = h->stage->mtp_layers != 0 && c->plan.pp > 1;
  return (h->stage->embedding != 0) + (h->stage->head != 0 ? head + mtp : 0);
}

void dtci_megatron_prepare(const dtci_case *c, dtci_memory_setup *s, uint64_t tokens, int *bad)
{
  const dtc_plan *p = &c->plan;
  const dtc_model *m = &c->model;
  uint64_t longest = dtci_larger(p->seq, p->encoder_seq);
  uint64_t square = dtci_mul(longest, longest, bad);
  uint64_t masks = m->encoder_layers != 0 ? 2 : 1; /* the encoder's, and those of the decoder */
  int causal = p->transformer_engine == DTC_BOOL_OFF &&
               (dtci_megatron_conditions(m, p, DTC_LAYER_KIND_DENSE, 0) & DTCI_IF_CAUSAL_MASK) != 0;
  s->unit[DTCI_U_ROWS_H] = dtci_mul(dtci_routed_rows(m, p, tokens, bad), m->hidden, bad);
  s->unit[DTCI_U_MASK] = dtci_ceil_div(dtci_mul(masks * p->micro_batch, square, bad), p->cp);
  s->unit[DTCI_U_CAUSAL] = causal ? square : 0;
  s->unit[DTCI_U_ENCODER_H] =
      m->encoder_layers != 0 ? dtci_mul(dtci_mul(p->micro_batch, p->encoder_seq, bad), m->hidden, bad) : 0;
  /* One table of angles; of latent attention cosines and sines. */
  uint64_t angles = (m->kv_rank != 0 ? 2 : 1) * dtci_rotary_width(m);
  s->unit[DTCI_U_ROPE] = m->position == DTC_POSITION_ROPE ? dtci_mul(angles, tokens, bad) : 0;
}

static void input_units(const dtc_plan *p, const dtci_stage_held *h, uint64_t *unit, int *bad)
{
  unit[DTCI_U_WAITING] = h->stage->head ? dtci_mul(p->accumulation, unit[DTCI_U_INPUT], bad) : 0;
  unit[DTCI_U_MTP_LOGITS] = dtci_mul(h->stage->mtp_layers, unit[DTCI_U_LOGITS], bad);
  unit[DTCI_U_MTP_INPUT] = dtci_mul(h->stage->mtp_layers, unit[DTCI_U_INPUT], bad);
}

/* Kept by a micro-batch on its way through all chunks. */
static uint64_t kept_by_micro_batch(const dtci_memory_setup *s, const dtci_stage_held *h, const body *b, int *bad)
{
  uint64_t kept = dtci_add(dtci_mul(b->dense, s->saved[0], bad), dtci_mul(b->moe, s->saved[1], bad), bad);
  for (int i = DTCI_MAMBA_LAYER; i < DTCI_LAYER_KINDS && h->others != 0; i++)
    kept = dtci_add(kept, dtci_mul(h->kind_layers[i], s->kind_saved[i], bad), bad);
  return kept;
}

/* Interleaved: with the loss counted as a layer the last chunk of the last rank is a layer shorter than the others. It is in
 * flight once, the others share the rest. */
static uint64_t kept_in_flight(const dtci_case *c, const dtci_memory_setup *s, const dtci_stage_held *h, const body *b,
                               uint64_t in_flight, int *bad)
{
  const dtc_plan *p = &c->plan;
  uint64_t n = b->all;
  uint64_t kept = kept_by_micro_batch(s, h, b, bad);
  int uneven = p->vpp > 1 && p->account_loss == DTC_BOOL_ON && h->stage->head && in_flight != 0;
  if (!uneven || n == 0 || n + 1 < p->vpp)
    return dtci_mul(in_flight, dtci_ceil_div(kept, p->vpp), bad);
  uint64_t last = (n + 1) / p->vpp - 1;
  uint64_t others = dtci_mul(n - last, in_flight - 1, bad); /* layers * chunks in flight, over vpp - 1 */
  return dtci_add(dtci_mul(last, kept / n, bad), dtci_mul(others, kept / n, bad) / (p->vpp - 1), bad);
}

void dtci_megatron_units_again(const dtci_case *c, const dtci_memory_setup *s, const dtci_stage_held *h,
                               uint64_t in_flight, uint64_t unit[DTCI_UNITS], int *bad)
{
  const body b = body_of(s, h);
  unit[DTCI_U_CHUNK_MASKS] = dtci_mul(c->plan.vpp, unit[DTCI_U_MASK], bad);
  unit[DTCI_U_CHUNK_INPUTS] = dtci_mul(c->plan.vpp, unit[DTCI_U_INPUT], bad);
  unit[DTCI_U_KEPT] = kept_in_flight(c, s, h, &b, in_flight, bad);
  if (s->when & DTCI_WHEN_FULL)
    recompute_units(c, s, &b, in_flight, unit, bad);
}

void dtci_megatron_units(const dtci_case *c, const dtci_memory_setup *s, const dtci_stage_held *h, uint64_t in_flight,
                         uint64_t unit[DTCI_UNITS], int *bad)
{
  uint64_t outer = dtci_mul(outer_matrices(c, h), s->output, bad);
  workspace_units(c, s, h, unit, bad);
  input_units(&c->plan, h, unit, bad);
  unit[DTCI_U_GLOBAL] = global_buffer(c, s, h, unit, bad);
  unit[DTCI_U_OUTER] = c->model.tied == DTC_BOOL_OFF ? outer : 0;
  unit[DTCI_U_FP8_CACHE] = dtci_less(unit[DTCI_U_PARAMS], outer);
  unit[DTCI_U_ROUNDING] = dtci_is_rounded(c, s, h) ? rounding(c, s, h) : 0;
  unit[DTCI_U_MTP_KEPT] = dtci_mul(h->stage->mtp_layers, s->saved[s->mtp_moe != 0], bad);
  dtci_megatron_units_again(c, s, h, in_flight, unit, bad);
}

/* Units of PyTorch and TorchTitan: what FSDP gathers and reduces, what autocast copies, peaks inside a layer. */
#include "internal/memory.h"

#include "internal/catalog.h"

/* FSDP reduces gradients in fp32, weights that are all in 16 bit in 16 bit. */
static uint64_t reduced_size(const dtc_plan *p)
{
  return p->precision == DTC_PRECISION_PURE_BF16 ? 2 : 4;
}

/* ---- units of the case ----------------------------------------------------------------------- */

/* What all layers share of Hugging Face's modules: cosine and sine, in fp32 under autocast; with learned positions the
 * embedding's dropout mask and the position ids. */
static uint64_t shared_tables(const dtci_case *c, uint64_t tokens, int *bad)
{
  const dtc_model *m = &c->model;
  uint64_t size = dtci_autocast(&c->plan) ? 4 : dtci_activation_size(&c->plan);
  if (m->position == DTC_POSITION_ROPE)
    return dtci_mul(2 * size * dtci_rotary_width(m), dtci_ceil_div(c->plan.seq, c->plan.cp), bad);
  return c->plan.dropout == DTC_BOOL_ON ? dtci_mul(tokens, m->hidden + 8, bad) : 0;
}

/* Parameters of a dense layer that backward uses before the attention. */
static uint64_t used_first(const dtc_model *m, const dtc_plan *p)
{
  uint64_t matrices = m->gated == DTC_BOOL_ON ? 3 : 2;
  return dtci_ceil_div((matrices * m->ffn + m->heads * m->head_dim) * m->hidden, p->tp);
}

/* Backward of unfused attention: 8 bytes per score for the gradients of softmax and scores, beside the gradients of
 * the layer's output and of the values; the MLP, its norm, the attention's result and the 16-bit copy of the
 * probabilities are gone. What that is more than the backward of the MLP. */
static uint64_t eager_backward(const dtci_case *c, dtci_ledger *l, uint64_t tokens, int *bad)
{
  const dtc_model *m = &c->model;
  const dtc_plan *p = &c->plan;
  uint64_t e = dtci_activation_size(p);
  uint64_t scores = dtci_ceil_div(dtci_mul(dtci_mul(m->heads, p->seq, bad), tokens, bad), p->tp);
  uint64_t values = dtci_ceil_div(dtci_mul(m->heads * m->head_dim, tokens, bad), p->tp);
  uint64_t freed = dtci_saved_by(l, DTC_LAYER_KIND_DENSE, DTC_OPERATOR_MLP, bad);
  uint64_t norms = dtci_saved_by(l, DTC_LAYER_KIND_DENSE, DTC_OPERATOR_NORM, bad);
  uint64_t mlp = dtci_ceil_div(dtci_mul(dtci_mul(2 * e, m->ffn, bad), tokens, bad), p->tp);
  if (dtci_autocast(p)) /* copies of the weights */
    freed = dtci_add(freed, dtci_mul(2, used_first(m, p), bad), bad);
  freed = dtci_add(freed, norms - dtci_ceil_div(norms, m->norms), bad);
  freed = dtci_add(freed, dtci_mul(e, values, bad), bad);
  if (e == 2)
    freed = dtci_add(freed, dtci_mul(2, scores, bad), bad);
  if (m->kv_heads != m->heads)
    freed = dtci_add(freed, dtci_mul(e, dtci_less(values, values / m->heads * m->kv_heads), bad), bad);
  uint64_t more = dtci_add(dtci_mul(8, scores, bad), dtci_mul(e, values, bad), bad);
  return dtci_less(more, dtci_add(freed, mlp, bad));
}

void dtci_torch_prepare(const dtci_case *c, dtci_ledger *l, dtci_memory_setup *s, uint64_t tokens, uint64_t vocab,
                        int *bad)
{
  const dtc_plan *p = &c->plan;
  uint64_t chunk = dtci_ceil_div(tokens, p->loss_chunks);
  uint64_t e = dtci_activation_size(p);
  int hugging_face = dtci_frameworks[p->framework].form == DTCI_FORM_HF;
  s->unit[DTCI_U_TOKENS] = tokens;
  s->unit[DTCI_U_CHUNK_H] = dtci_mul(chunk, c->model.hidden, bad);
  s->unit[DTCI_U_CHUNK_LOGITS] = dtci_mul(chunk, vocab, bad);
  /* The slices of several sequences are copied. */
  if (p->micro_batch > 1)
    s->unit[DTCI_U_CHUNK_COPY] = dtci_mul(tokens, e * c->model.hidden + 16, bad);
  s->unit[DTCI_U_SHARED] = hugging_face ? shared_tables(c, tokens, bad) : 0;
  if (p->attention == DTC_ATTENTION_EAGER)
    s->unit[DTCI_U_EAGER] = eager_backward(c, l, tokens, bad);
}

/* ---- units of a stage ------------------------------------------------------------------------ */

/* Autocast copies what is multiplied: not tables that are looked up, and a recomputed layer only while it runs, or
 * until forward ends. */
static void casts(const dtci_case *c, const dtci_memory_setup *s, const dtci_stage_held *h, uint64_t unit[DTCI_UNITS],
                  int *bad)
{
  const dtc_plan *p = &c->plan;
  uint64_t head = unit[DTCI_U_OUTPUT];
  uint64_t looked_up = h->stage->embedding ? s->embedding.params : 0;
  uint64_t layers = h->dense_layers + h->moe_layers;
  if (!dtci_autocast(p))
    return;
  if (c->model.tied == DTC_BOOL_ON && h->stage->head)
    looked_up = dtci_less(looked_up, head);
  uint64_t all = h->dense.params + h->experts.params - looked_up;
  uint64_t gone = dtci_mul(dtci_recomputed_layers(p, layers), unit[DTCI_U_LAYER_PARAMS], bad);
  unit[DTCI_U_CAST_FORWARD] = all;
  unit[DTCI_U_CAST] = dtci_recomputed_layers(p, layers) == layers ? head : dtci_larger(dtci_less(all, gone), head);
  unit[DTCI_U_CAST_LAYERS] = dtci_larger(dtci_less(unit[DTCI_U_CAST], head), unit[DTCI_U_LAYER_PARAMS]);
}

/* Units of FSDP: of TorchTitan embedding, layers, and head with the final norm; tied, embedding and head are one. Else
 * layers, and the root with what is left. */
static void shapes(const dtci_case *c, const dtci_memory_setup *s, const dtci_stage_held *h, uint64_t unit[DTCI_UNITS],
                   int *bad)
{
  int own = (s->when & DTCI_WHEN_HEAD_UNIT) != 0;
  int tied = c->model.tied == DTC_BOOL_ON && h->stage->head;
  uint64_t head = h->stage->head ? dtci_add(s->head.params, tied ? 0 : s->padding, bad) : 0;
  uint64_t embedding = h->stage->embedding ? dtci_add(s->embedding.params, s->padding, bad) : 0;
  uint64_t all = dtci_add(embedding, head, bad);
  unit[DTCI_U_UNIT] = !own ? 0 : tied ? all : head;
  unit[DTCI_U_ROOT] = all - unit[DTCI_U_UNIT];
  unit[DTCI_U_OUTPUT] = h->stage->head && !own ? s->output : 0;
  unit[DTCI_U_TIED] = own && tied && embedding != 0 ? s->output : 0;
  unit[DTCI_U_LOOP] = dtci_mul(2, dtci_larger(dtci_larger(s->output, embedding), unit[DTCI_U_LAYER_PARAMS] / 8), bad);
}

/* Weights gathered for use. The root stays from forward to backward, and the next layer is fetched while one runs.
 * Behind forward a head that is a unit of its own stays gathered, and in a pipeline all of a stage. */
static void gathers(const dtci_case *c, uint64_t unit[DTCI_UNITS], uint64_t layers, int own, int *bad)
{
  const dtc_plan *p = &c->plan;
  uint64_t layer = unit[DTCI_U_LAYER_PARAMS];
  uint64_t all = unit[DTCI_U_PARAMS];
  uint64_t root = own ? 0 : unit[DTCI_U_ROOT];
  uint64_t two = dtci_smaller(dtci_add(root, dtci_mul(2, layer, bad), bad), all);
  int keeps = p->reshard == DTC_BOOL_OFF || (own && p->pp > 1);
  int chunked = p->loss_chunks > 1;
  unit[DTCI_U_FETCH_FORWARD] = own ? (keeps ? all : unit[DTCI_U_UNIT]) : dtci_add(keeps ? all : root, layer, bad);
  unit[DTCI_U_FETCH_LOSS] = keeps ? all : own ? unit[DTCI_U_UNIT] : dtci_smaller(dtci_add(root, layer, bad), all);
  unit[DTCI_U_FETCHED] = own && chunked ? (keeps ? all - unit[DTCI_U_UNIT] : 0)
                         : keeps        ? all
                         : own          ? unit[DTCI_U_UNIT]
                                        : root;
  unit[DTCI_U_FETCH] = keeps ? all : two;
  unit[DTCI_U_FETCH_BOUNDARY] = keeps ? all : layers > 1 ? dtci_add(root, dtci_mul(2, layer, bad), bad) : two;
  unit[DTCI_U_FETCH_POOL] = dtci_add(own ? unit[DTCI_U_UNIT] : unit[DTCI_U_ROOT], dtci_mul(2, layer, bad), bad);
}

/* Gradients: what the units that are reduced last, and first, take. `r` bytes are reduced. */
static void reductions(const dtci_case *c, const dtci_memory_setup *s, uint64_t unit[DTCI_UNITS], uint64_t layers,
                       int own, int *bad)
{
  uint64_t r = reduced_size(&c->plan);
  uint64_t e = dtci_activation_size(&c->plan);
  uint64_t last = c->model.tied == DTC_BOOL_ON && own ? unit[DTCI_U_UNIT] : unit[DTCI_U_ROOT];
  uint64_t layer = unit[DTCI_U_LAYER_PARAMS];
  uint64_t shard = dtci_ceil_div(dtci_mul(r, last, bad), s->shard);
  uint64_t copy = dtci_mul(e + r, last, bad);
  unit[DTCI_U_REDUCE_UNIT] = dtci_mul(r, unit[DTCI_U_UNIT], bad);
  unit[DTCI_U_REDUCE_LAYER] = dtci_mul(r, layer, bad);
  unit[DTCI_U_REDUCE_LAST] = dtci_larger(copy, dtci_add(dtci_mul(r, last, bad), shard, bad));
  unit[DTCI_U_GRADIENTS_LAYERS] = dtci_less(unit[DTCI_U_GRADIENTS], shard);
  /* The allocator finds no block among the logits' that holds the reduce-scatter input of the head. */
  uint64_t logits = dtci_mul(4, dtci_ceil_div(unit[DTCI_U_LOGITS], c->plan.tp), bad);
  unit[DTCI_U_REDUCE_ALONE] = logits < unit[DTCI_U_REDUCE_UNIT] ? unit[DTCI_U_REDUCE_UNIT] : 0;
  if (layers < 2)
    return;
  /* The layer that runs last, at its first norm: its gradients, the reduce-scatter input of the one before, and what
   * the norm's backward holds in fp32: 26 bytes per value of 2. A recomputed layer's input is still kept. */
  uint64_t kept = c->plan.recompute == DTC_RECOMPUTE_FULL ? unit[DTCI_U_KEPT_LAYER] : 0;
  uint64_t there = dtci_add(dtci_mul(13, unit[DTCI_U_INPUT], bad), dtci_mul(r + 2 * e, layer, bad), bad);
  there = dtci_add(there, kept, bad);
  there = dtci_add(there, dtci_mul(e, dtci_add(own ? 0 : unit[DTCI_U_ROOT], unit[DTCI_U_OUTPUT], bad), bad), bad);
  unit[DTCI_U_LAST] =
      dtci_less(there, dtci_add(unit[DTCI_U_REDUCE_LAST], dtci_ceil_div(dtci_mul(r, layer, bad), s->shard), bad));
}

/* Gradients of the two widest tensors inside an MLP. */
static uint64_t inside_mlp(const dtc_plan *p, const uint64_t unit[DTCI_UNITS], int *bad)
{
  return dtci_mul(2 * dtci_activation_size(p), dtci_ceil_div(unit[DTCI_U_TOKENS_F], p->tp), bad);
}

/* Without FSDP: the layer that runs last with what it keeps, against the embedding behind it, whose gradient is new;
 * tied, it is there twice more, as the head's and as their sum. */
static void ends(const dtci_case *c, const dtci_memory_setup *s, const dtci_stage_held *h, uint64_t unit[DTCI_UNITS],
                 int *bad)
{
  const dtc_plan *p = &c->plan;
  uint64_t g = dtci_gradient_size(p);
  uint64_t embedding = h->stage->embedding ? s->embedding.params : 0;
  int tied = c->model.tied == DTC_BOOL_ON && h->stage->head && embedding != 0;
  uint64_t full = p->recompute == DTC_RECOMPUTE_FULL ? unit[DTCI_U_LAYER] : unit[DTCI_U_KEPT_LAYER];
  uint64_t inner = inside_mlp(p, unit, bad);
  unit[DTCI_U_HEAD_GRADIENT] = dtci_mul(g, unit[DTCI_U_OUTPUT], bad);
  unit[DTCI_U_TIED_GRADIENT] = tied ? dtci_mul(2 * g, s->output, bad) : 0;
  unit[DTCI_U_LAYER_GRADIENT] = h->dense_layers != 0 ? dtci_mul(g, used_first(&c->model, p), bad) : 0;
  uint64_t there = dtci_add(full, inner, bad);
  there = dtci_less(there, dtci_mul(g, dtci_add(embedding, unit[DTCI_U_LAYER_PARAMS], bad), bad));
  unit[DTCI_U_LAST] = dtci_less(there, unit[DTCI_U_TIED_GRADIENT]);
}

/* What head and loss take while forward runs, gathered weights included. */
static uint64_t at_loss(const dtci_case *c, const uint64_t unit[DTCI_UNITS], int *bad)
{
  const dtc_plan *p = &c->plan;
  uint64_t e = dtci_activation_size(p);
  uint64_t gathered = dtci_mul(e, unit[DTCI_U_FETCH_FORWARD], bad);
  if (p->loss_chunks > 1) {
    uint64_t chunk = dtci_add(dtci_ceil_div(unit[DTCI_U_CHUNK_LOGITS], p->tp), unit[DTCI_U_CHUNK_H], bad);
    uint64_t hidden = dtci_add(unit[DTCI_U_INPUT], dtci_mul(3 * e, unit[DTCI_U_TOKENS_H], bad), bad);
    uint64_t head = dtci_add(dtci_mul(e + 4, unit[DTCI_U_UNIT], bad), unit[DTCI_U_REDUCE_UNIT], bad);
    return dtci_add(dtci_add(gathered, dtci_mul(e, chunk, bad), bad), dtci_add(hidden, head, bad), bad);
  }
  uint64_t each = p->loss == DTC_LOSS_UPCAST ? (e == 2 ? 6 : e) : p->loss == DTC_LOSS_SAME ? e : 0;
  uint64_t logits = dtci_ceil_div(dtci_mul(each, unit[DTCI_U_LOGITS], bad), p->tp);
  return dtci_add(dtci_add(gathered, unit[DTCI_U_HEAD], bad), logits, bad);
}

/* FSDP, forward: of the first layer while the gather buffer of the root is still there, or of the last while what is
 * not kept of it is; more than the loss. */
static uint64_t in_forward(const dtci_case *c, const dtci_memory_setup *s, const uint64_t unit[DTCI_UNITS], int own,
                           int *bad)
{
  uint64_t e = dtci_activation_size(&c->plan);
  uint64_t layer = dtci_mul(e, unit[DTCI_U_LAYER_PARAMS], bad);
  uint64_t loss = at_loss(c, unit, bad);
  uint64_t last = dtci_add(dtci_add(unit[DTCI_U_RECOMPUTED], dtci_mul(2, layer, bad), bad),
                           own ? 0 : dtci_mul(e, unit[DTCI_U_ROOT], bad), bad);
  uint64_t first = dtci_add(dtci_mul(own ? 0 : 2 * e, unit[DTCI_U_ROOT], bad), layer, bad);
  first = dtci_add(first, dtci_add(dtci_ceil_div(layer, s->shard), unit[DTCI_U_INPUT], bad), bad);
  return dtci_larger(dtci_less(first, dtci_add(unit[DTCI_U_KEPT], loss, bad)), dtci_less(last, loss));
}

void dtci_torch_units(const dtci_case *c, const dtci_memory_setup *s, const dtci_stage_held *h,
                      uint64_t unit[DTCI_UNITS], int *bad)
{
  const dtci_sharding_row *split = &dtci_shardings[c->plan.sharding];
  uint64_t layers = h->dense_layers + h->moe_layers;
  int own = (s->when & DTCI_WHEN_HEAD_UNIT) != 0;
  shapes(c, s, h, unit, bad);
  casts(c, s, h, unit, bad);
  unit[DTCI_U_KEPT_REST] = dtci_less(unit[DTCI_U_KEPT], unit[DTCI_U_MOVED] == 0 ? unit[DTCI_U_KEPT_LAYER] : 0);
  unit[DTCI_U_RECOMPUTED] = dtci_less(unit[DTCI_U_LAYER], unit[DTCI_U_KEPT_LAYER]);
  if (!split->units) {
    ends(c, s, h, unit, bad);
    return;
  }
  gathers(c, unit, layers, own, bad);
  reductions(c, s, unit, layers, own, bad);
  uint64_t inner = inside_mlp(&c->plan, unit, bad);
  unit[DTCI_U_BOUNDARY_MLP] =
      layers > 2 ? inner : dtci_less(inner, dtci_mul(dtci_activation_size(&c->plan), unit[DTCI_U_LAYER_PARAMS], bad));
  unit[DTCI_U_FIRST] = in_forward(c, s, unit, own, bad);
}

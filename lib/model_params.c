/* Sizes and counts of a resolved model: sums over lib/catalog/archs.c. */
#include "internal/model.h"

/* What the model has, as feature bits, without those of a layer. */
uint32_t dtci_model_features(const dtc_model *m)
{
  uint32_t f = m->norms == 1 ? DTCI_NORMS_1 : m->norms == 4 ? DTCI_NORMS_4 : DTCI_NORMS_2;
  f |= m->tied == DTC_BOOL_ON ? 0u : DTCI_UNTIED;
  f |= m->gated == DTC_BOOL_ON ? DTCI_GATED : DTCI_PLAIN;
  f |= m->qkv_bias == DTC_BOOL_ON ? DTCI_QKV_BIAS : 0u;
  f |= m->out_bias == DTC_BOOL_ON ? DTCI_OUT_BIAS : 0u;
  f |= m->mlp_bias == DTC_BOOL_ON ? DTCI_MLP_BIAS : 0u;
  f |= m->head_bias == DTC_BOOL_ON ? DTCI_HEAD_BIAS : 0u;
  f |= m->qk_norm == DTC_BOOL_ON ? DTCI_QK_NORM : 0u;
  f |= m->embed_norm == DTC_BOOL_ON ? DTCI_EMBED_NORM : 0u;
  f |= m->norm == DTC_NORM_LAYERNORM ? DTCI_LAYERNORM : 0u;
  f |= m->position == DTC_POSITION_LEARNED ? DTCI_LEARNED : 0u;
  f |= m->kv_rank == 0 ? DTCI_MHA : m->q_rank != 0 ? DTCI_MLA | DTCI_Q_RANK : DTCI_MLA | DTCI_Q_FULL;
  f |= m->encoder_layers != 0 ? DTCI_ENCODER : DTCI_NO_ENCODER;
  f |= dtci_is_hybrid(m) ? DTCI_HYBRID : DTCI_NO_HYBRID;
  if (m->experts != 0) {
    f |= m->shared_ffn != 0 ? DTCI_SHARED : 0u;
    f |= m->shared_ffn != 0 && m->shared_gate == DTC_BOOL_ON ? DTCI_SHARED_GATE : 0u;
    f |= m->router_bias == DTC_BOOL_ON ? DTCI_ROUTER_BIAS : 0u;
  }
  return f;
}

uint32_t dtci_layer_features(const dtc_model *m, dtci_layer_kind kind)
{
  static const uint32_t has[DTCI_LAYER_KINDS] = {
      [DTCI_DENSE_LAYER] = DTCI_ATTENDS | DTCI_FEEDS | DTCI_DENSE,
      [DTCI_MOE_LAYER] = DTCI_ATTENDS | DTCI_FEEDS | DTCI_MOE,
      [DTCI_MAMBA_LAYER] = DTCI_MAMBA,
      [DTCI_ATTENTION_LAYER] = DTCI_ATTENDS,
      [DTCI_MLP_LAYER] = DTCI_FEEDS | DTCI_DENSE,
      [DTCI_ENCODER_LAYER] = DTCI_ATTENDS | DTCI_FEEDS | DTCI_DENSE,
  };
  uint32_t f = dtci_model_features(m) | has[kind];
  if (kind == DTCI_DENSE_LAYER && m->encoder_layers != 0)
    f |= DTCI_CROSS;
  return f & DTCI_ATTENDS ? f : f & ~(uint32_t)(DTCI_MHA | DTCI_MLA);
}

/* Fields are bounded by 2^32, heads and head sizes by 2^20: no sum or product of two here can overflow. */
uint64_t dtci_model_dim(const dtc_model *m, uint8_t dim)
{
  uint64_t up = m->gated == DTC_BOOL_ON ? 2 : 1;
  switch ((dtci_dim)dim) {
  case DTCI_DIM_NONE:
  case DTCI_DIM_ONE:
    return 1;
  case DTCI_DIM_HIDDEN:
    return m->hidden;
  case DTCI_DIM_VOCAB:
    return m->vocab;
  case DTCI_DIM_CONTEXT:
    return m->context;
  case DTCI_DIM_CONTEXT2:
    return m->context + 2;
  case DTCI_DIM_Q:
    return m->heads * m->head_dim;
  case DTCI_DIM_KV:
    return m->kv_heads * m->head_dim;
  case DTCI_DIM_KV2:
    return 2 * m->kv_heads * m->head_dim;
  case DTCI_DIM_QKV:
    return (m->heads + 2 * m->kv_heads) * m->head_dim;
  case DTCI_DIM_HEAD:
    return m->head_dim;
  case DTCI_DIM_HEADS:
    return m->heads;
  case DTCI_DIM_FFN:
    return m->ffn;
  case DTCI_DIM_FFN_IN:
    return up * m->ffn;
  case DTCI_DIM_MOE:
    return m->moe_ffn;
  case DTCI_DIM_MOE_IN:
    return up * m->moe_ffn;
  case DTCI_DIM_SHARED:
    return m->shared_ffn;
  case DTCI_DIM_SHARED_IN:
    return up * m->shared_ffn;
  case DTCI_DIM_EXPERTS:
    return m->experts;
  case DTCI_DIM_Q_RANK:
    return m->q_rank;
  case DTCI_DIM_KV_RANK:
    return m->kv_rank;
  case DTCI_DIM_KV_DOWN:
    return m->kv_rank + m->qk_rope_dim;
  case DTCI_DIM_Q_MLA:
    return m->heads * (m->qk_nope_dim + m->qk_rope_dim);
  case DTCI_DIM_KV_UP:
    return m->heads * (m->qk_nope_dim + m->v_dim);
  case DTCI_DIM_V_MLA:
    return m->heads * m->v_dim;
  case DTCI_DIM_TWO:
    return 2;
  case DTCI_DIM_MAMBA_IN:
    return 2 * m->mamba_inner + 2 * m->mamba_groups * m->mamba_state + m->mamba_heads;
  case DTCI_DIM_MAMBA_CONV:
    return m->mamba_inner + 2 * m->mamba_groups * m->mamba_state;
  case DTCI_DIM_MAMBA_WIDTH:
    return 4;
  case DTCI_DIM_MAMBA_INNER:
    return m->mamba_inner;
  case DTCI_DIM_MAMBA_HEADS:
    return m->mamba_heads;
  }
  return 1;
}

uint64_t dtci_tensor_numel(const dtc_model *m, const dtci_tensor_row *row, int *bad)
{
  uint64_t n = dtci_model_dim(m, row->dims[0]);
  for (int i = 1; i < 3 && row->dims[i] != DTCI_DIM_NONE; i++)
    n = dtci_mul(n, dtci_model_dim(m, row->dims[i]), bad);
  return n;
}

/* MoE layers: those from dense_layers on whose index mod moe_every is moe_offset. */
static uint64_t moe_until(const dtc_model *m, uint64_t n)
{
  return n > m->moe_offset ? (n - m->moe_offset - 1) / m->moe_every + 1 : 0;
}

uint64_t dtci_moe_layers(const dtc_model *m, uint64_t n)
{
  if (m->experts == 0 || n <= m->dense_layers)
    return 0;
  return moe_until(m, n) - moe_until(m, m->dense_layers);
}

int dtci_is_moe(const dtc_model *m, uint64_t layer)
{
  return dtci_moe_layers(m, layer + 1) != dtci_moe_layers(m, layer);
}

int dtci_is_hybrid(const dtc_model *m)
{
  return (m->mamba_layers | m->mlp_layers) != 0;
}

/* Of `some` among `all` that are spread evenly, those among the first n. */
static uint64_t spread(uint64_t some, uint64_t all, uint64_t n)
{
  return all != 0 ? dtci_ceil_div(n * some, all) : 0;
}

dtci_layers dtci_layers_until(const dtc_model *m, uint64_t n)
{
  dtci_layers l = {{0}};
  if (!dtci_is_hybrid(m)) {
    l.of[DTCI_MOE_LAYER] = dtci_moe_layers(m, n);
    l.of[DTCI_DENSE_LAYER] = n - l.of[DTCI_MOE_LAYER];
    return l;
  }
  l.of[DTCI_MAMBA_LAYER] = spread(m->mamba_layers, m->layers, n);
  uint64_t others = n - l.of[DTCI_MAMBA_LAYER];
  l.of[DTCI_MLP_LAYER] = spread(m->mlp_layers, m->layers - m->mamba_layers, others);
  l.of[DTCI_ATTENTION_LAYER] = others - l.of[DTCI_MLP_LAYER];
  return l;
}

dtci_layer_kind dtci_kind_of(const dtc_model *m, uint64_t layer)
{
  dtci_layers before = dtci_layers_until(m, layer);
  dtci_layers behind = dtci_layers_until(m, layer + 1);
  uint32_t kind = 0;
  while (kind + 1 < DTCI_LAYER_KINDS && behind.of[kind] == before.of[kind])
    kind++;
  return (dtci_layer_kind)kind;
}

dtc_status dtci_model_plain(const dtc_model *m, dtc_error *e)
{
  uint32_t field = m->encoder_layers != 0 ? DTC_FIELD(model, encoder_layers)
                   : m->mamba_layers != 0 ? DTC_FIELD(model, mamba_layers)
                                          : DTC_FIELD(model, mlp_layers);
  if (m->encoder_layers == 0 && !dtci_is_hybrid(m))
    return DTC_OK;
  return dtci_fail(e, DTC_E_UNSUPPORTED, DTC_RULE_MODEL_LAYERS, field, dtci_read(m, dtci_field_of(field)));
}

/* ---- sums by kind ---------------------------------------------------------------------------- */

enum { KINDS = DTC_TENSOR_KIND_MAMBA + 1 };

typedef struct sums {
  dtci_group kind[KINDS];
} sums;

/* to += times * add */
static void add_group(dtci_group *to, const dtci_group *add, uint64_t times, int *bad)
{
  for (int i = 0; i < 2; i++) {
    to->params[i] = dtci_add(to->params[i], dtci_mul(times, add->params[i], bad), bad);
    to->matrices[i] = dtci_add(to->matrices[i], dtci_mul(times, add->matrices[i], bad), bad);
  }
  to->factors = dtci_add(to->factors, dtci_mul(times, add->factors, bad), bad);
}

/* One tensor; of a tensor that holds all experts of a layer one expert's share, to count like the rows per expert. A
 * convolution's three dimensions make no matrix; Adafactor takes the last two as one for each of the first. */
static dtci_group group_of(const dtc_model *m, const dtci_tensor_row *row, int *bad)
{
  dtci_group g = {0};
  uint8_t skip = row->kind == DTC_TENSOR_KIND_EXPERT && row->part == DTCI_LAYER;
  uint64_t n = dtci_tensor_numel(m, row, bad);
  if (skip)
    n /= m->experts;
  g.params[row->split] = n;
  g.factors = n;
  if (!skip && row->dims[2] != DTCI_DIM_NONE) {
    uint64_t last = dtci_model_dim(m, row->dims[1]) + dtci_model_dim(m, row->dims[2]);
    g.factors = dtci_mul(dtci_model_dim(m, row->dims[0]), last, bad);
  } else if (row->dims[skip + 1] != DTCI_DIM_NONE) {
    g.matrices[row->split] = n;
    g.factors = dtci_model_dim(m, row->dims[skip]) + dtci_model_dim(m, row->dims[skip + 1]);
  }
  return g;
}

/* Sums the rows that a layer with these features has, and those outside the layers. */
static sums sum_rows(const dtc_model *m, uint32_t features, int *bad)
{
  sums s = {0};
  uint32_t count = 0;
  const dtci_tensor_row *rows = dtci_arch_rows(m->arch, &count);
  for (uint32_t i = 0; i < count; i++)
    if ((rows[i].when & features) == rows[i].when) {
      dtci_group g = group_of(m, &rows[i], bad);
      add_group(&s.kind[rows[i].kind], &g, 1, bad);
    }
  return s;
}

static uint64_t both(const sums *s, dtc_tensor_kind kind, int *bad)
{
  return dtci_add(s->kind[kind].params[0], s->kind[kind].params[1], bad);
}

static uint64_t matrices(const sums *s, dtc_tensor_kind kind, int *bad)
{
  return dtci_add(s->kind[kind].matrices[0], s->kind[kind].matrices[1], bad);
}

/* ---- parameters ------------------------------------------------------------------------------ */

/* An MTP module is one more layer of the last layer's kind, a 2h x h projection and three norms (DeepSeek-V3, 2.2). */
static uint64_t beside_layer(const dtc_model *m, uint64_t final_norm)
{
  return 2 * m->hidden * m->hidden + 3 * final_norm;
}

static uint64_t mtp_of(const dtc_model *m, const dtc_params *p, int *bad)
{
  uint64_t layer = dtci_is_moe(m, m->layers - 1) ? p->moe_layer : p->dense_layer;
  return dtci_mul(m->mtp_layers, dtci_add(layer, beside_layer(m, p->final_norm), bad), bad);
}

/* What a layer holds, but for routed experts. */
static dtci_group layer_of(const sums *s, int *bad)
{
  static const uint8_t kinds[] = {DTC_TENSOR_KIND_ATTENTION, DTC_TENSOR_KIND_CROSS, DTC_TENSOR_KIND_MAMBA,
                                  DTC_TENSOR_KIND_MLP,       DTC_TENSOR_KIND_NORM,  DTC_TENSOR_KIND_ROUTER,
                                  DTC_TENSOR_KIND_SHARED};
  dtci_group g = {0};
  for (size_t i = 0; i < sizeof kinds; i++)
    add_group(&g, &s->kind[kinds[i]], 1, bad);
  return g;
}

/* The same of a kind of layer; nothing when the model has no such layer. */
static dtci_group layer_kind(const dtc_model *m, dtci_layer_kind kind, uint64_t count, int *bad)
{
  if (count == 0)
    return (dtci_group){0};
  sums s = sum_rows(m, dtci_layer_features(m, kind), bad);
  return layer_of(&s, bad);
}

/* Sets the size of a layer and their number, and adds them to the total. */
static void count_layers(const dtci_group *layer, uint64_t n, uint64_t *each, uint64_t *count, uint64_t *total,
                         int *bad)
{
  if (n == 0)
    return;
  *each = dtci_add(layer->params[0], layer->params[1], bad);
  *count = n;
  *total = dtci_add(*total, dtci_mul(n, *each, bad), bad);
}

/* The layers of a hybrid, whose layers of attention alone are at hand; adds them to `active`. */
static void count_hybrid(const dtc_model *m, const sums *attention, dtc_params *p, int *bad)
{
  dtci_layers n = dtci_layers_until(m, m->layers);
  sums mlp = sum_rows(m, dtci_layer_features(m, DTCI_MLP_LAYER), bad);
  dtci_group layer = layer_kind(m, DTCI_MAMBA_LAYER, n.of[DTCI_MAMBA_LAYER], bad);
  count_layers(&layer, n.of[DTCI_MAMBA_LAYER], &p->mamba_layer, &p->mamba_count, &p->active, bad);
  layer = layer_of(attention, bad);
  count_layers(&layer, n.of[DTCI_ATTENTION_LAYER], &p->attention_layer, &p->attention_count, &p->active, bad);
  layer = layer_of(&mlp, bad);
  count_layers(&layer, n.of[DTCI_MLP_LAYER], &p->mlp_layer, &p->mlp_count, &p->active, bad);
  p->attention = p->attention_count != 0 ? p->attention : 0;
  p->mlp = p->mlp_count != 0 ? both(&mlp, DTC_TENSOR_KIND_MLP, bad) : 0;
}

/* Layers of attention and MLP, an encoder's too; adds them to `active`. */
static void count_dense(const dtc_model *m, const sums *dense, dtc_params *p, int *bad)
{
  dtci_group layer = layer_of(dense, bad);
  count_layers(&layer, m->layers - dtci_moe_layers(m, m->layers), &p->dense_layer, &p->dense_count, &p->active, bad);
  layer = layer_kind(m, DTCI_ENCODER_LAYER, m->encoder_layers, bad);
  count_layers(&layer, m->encoder_layers, &p->encoder_layer, &p->encoder_count, &p->active, bad);
  p->mlp = p->dense_count != 0 ? both(dense, DTC_TENSOR_KIND_MLP, bad) : 0;
}

/* The MoE layers; adds what a token passes through to `active`, and all of it to `total`. */
static void count_experts(const dtc_model *m, dtc_params *p, int *bad)
{
  if (m->experts == 0)
    return;
  sums moe = sum_rows(m, dtci_layer_features(m, DTCI_MOE_LAYER), bad);
  dtci_group rest = layer_of(&moe, bad);
  p->router = both(&moe, DTC_TENSOR_KIND_ROUTER, bad);
  p->shared = both(&moe, DTC_TENSOR_KIND_SHARED, bad);
  p->expert = both(&moe, DTC_TENSOR_KIND_EXPERT, bad);
  p->moe_count = dtci_moe_layers(m, m->layers);
  if (p->moe_count == 0)
    return;
  uint64_t used = dtci_add(rest.params[0], rest.params[1], bad);
  p->moe_layer = dtci_add(used, dtci_mul(m->experts, p->expert, bad), bad);
  used = dtci_add(used, dtci_mul(m->top_k, p->expert, bad), bad);
  p->total = dtci_add(p->total, dtci_mul(p->moe_count, p->moe_layer, bad), bad);
  p->active = dtci_add(p->active, dtci_mul(p->moe_count, used, bad), bad);
}

/* Sums that say what attention is. */
static sums sum_attention(const dtc_model *m, int *bad)
{
  return sum_rows(m, dtci_layer_features(m, dtci_is_hybrid(m) ? DTCI_ATTENTION_LAYER : DTCI_DENSE_LAYER), bad);
}

dtc_status dtci_model_count(const dtc_model *m, dtc_params *p, dtc_error *e)
{
  int bad = 0;
  sums s = sum_attention(m, &bad);
  *p = (dtc_params){.struct_size = sizeof *p};
  p->embedding = both(&s, DTC_TENSOR_KIND_EMBEDDING, &bad);
  p->head = both(&s, DTC_TENSOR_KIND_HEAD, &bad);
  p->final_norm = both(&s, DTC_TENSOR_KIND_FINAL_NORM, &bad);
  p->attention = both(&s, DTC_TENSOR_KIND_ATTENTION, &bad);
  p->cross = both(&s, DTC_TENSOR_KIND_CROSS, &bad);
  p->norms = both(&s, DTC_TENSOR_KIND_NORM, &bad);
  p->active = dtci_add(dtci_add(p->embedding, p->head, &bad), p->final_norm, &bad);
  if (dtci_is_hybrid(m))
    count_hybrid(m, &s, p, &bad);
  else
    count_dense(m, &s, p, &bad);
  p->total = p->active;
  count_experts(m, p, &bad);
  p->mtp = mtp_of(m, p, &bad);
  return bad ? dtci_fail_overflow(e, DTC_FIELD(model, layers), m->layers) : DTC_OK;
}

dtc_status dtc_model_params(const dtc_model *model, dtc_params *out, dtc_error *err)
{
  dtc_error e;
  dtc_model m;
  dtc_params p;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = dtci_model_in(model, &m, &e);
  s = s != DTC_OK ? s : dtci_model_count(&m, &p, &e);
  return dtci_end(s != DTC_OK ? s : dtci_out(out, DTC_STRUCT_params, &p, &e), &e, err);
}

/* ---- what splitting needs -------------------------------------------------------------------- */

/* `all` without `part`, which lies in it */
static dtci_group without(const dtci_group *all, const dtci_group *part)
{
  dtci_group g = {.factors = all->factors - part->factors};
  for (int i = 0; i < 2; i++) {
    g.params[i] = all->params[i] - part->params[i];
    g.matrices[i] = all->matrices[i] - part->matrices[i];
  }
  return g;
}

dtc_status dtci_model_weights(const dtc_model *m, dtci_weights *w, dtc_error *e)
{
  int bad = 0;
  sums s = sum_attention(m, &bad);
  *w = (dtci_weights){.embedding = s.kind[DTC_TENSOR_KIND_EMBEDDING],
                      .head = s.kind[DTC_TENSOR_KIND_HEAD],
                      .final_norm = s.kind[DTC_TENSOR_KIND_FINAL_NORM]};
  w->beside = (dtci_group){.params = {beside_layer(m, w->final_norm.params[0]), 0}};
  w->mtp_moe = (uint64_t)dtci_is_moe(m, m->layers - 1);
  if (dtci_is_hybrid(m)) {
    w->mamba = layer_kind(m, DTCI_MAMBA_LAYER, m->mamba_layers, &bad);
    if (m->mamba_layers + m->mlp_layers < m->layers)
      w->attention = layer_of(&s, &bad);
    w->mlp = layer_kind(m, DTCI_MLP_LAYER, m->mlp_layers, &bad);
  } else {
    w->dense = layer_of(&s, &bad);
  }
  if (m->encoder_layers != 0) {
    w->encoder = layer_kind(m, DTCI_ENCODER_LAYER, m->encoder_layers, &bad);
    w->cross = without(&w->dense, &w->encoder);
  }
  if (m->experts != 0) {
    s = sum_rows(m, dtci_layer_features(m, DTCI_MOE_LAYER), &bad);
    w->expert = s.kind[DTC_TENSOR_KIND_EXPERT];
    w->moe = layer_of(&s, &bad);
  }
  return bad ? dtci_fail_overflow(e, DTC_FIELD(model, hidden), m->hidden) : DTC_OK;
}

/* ---- matrix products ------------------------------------------------------------------------- */

void dtci_model_products(const dtc_model *m, const dtc_params *p, dtci_products *out, int *bad)
{
  sums dense = sum_rows(m, dtci_layer_features(m, DTCI_DENSE_LAYER), bad);
  uint64_t layers = dtci_add(p->dense_count, p->moe_count, bad);
  *out = (dtci_products){.attention = dtci_mul(layers, matrices(&dense, DTC_TENSOR_KIND_ATTENTION, bad), bad),
                         .mlp = dtci_mul(p->dense_count, matrices(&dense, DTC_TENSOR_KIND_MLP, bad), bad)};
  if (p->moe_count == 0)
    return;
  sums moe = sum_rows(m, dtci_layer_features(m, DTCI_MOE_LAYER), bad);
  uint64_t chosen = dtci_mul(m->top_k, matrices(&moe, DTC_TENSOR_KIND_EXPERT, bad), bad);
  out->router = dtci_mul(p->moe_count, matrices(&moe, DTC_TENSOR_KIND_ROUTER, bad), bad);
  out->shared = dtci_mul(p->moe_count, matrices(&moe, DTC_TENSOR_KIND_SHARED, bad), bad);
  out->experts = dtci_mul(p->moe_count, chosen, bad);
}

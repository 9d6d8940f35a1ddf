/* Models: the catalogue, defaults and checks, parameters and tensors. All counts are sums over lib/catalog/archs.c. */
#include "internal/catalog.h"
#include "internal/model.h"

/* ---- catalogue ------------------------------------------------------------------------------- */

size_t dtc_model_count(void)
{
  return dtci_models_count;
}

const char *dtc_model_name(size_t index)
{
  return index < dtci_models_count ? dtci_models[index].name : NULL;
}

const char *dtc_model_source(size_t index)
{
  return index < dtci_models_count ? dtci_models[index].source : NULL;
}

static size_t find_in(const char *column, const char *name, uint64_t *nearest)
{
  return dtci_name_find(column, dtci_models_count, sizeof dtci_models[0], name, strlen(name), nearest);
}

/* By name, by Hugging Face id, by what stands behind an id's organisation. */
static size_t find_name(const char *name, uint64_t *nearest)
{
  size_t i = find_in(dtci_models[0].name, name, NULL);
  if (i == dtci_models_count)
    i = find_in(dtci_models[0].hf_id, name, NULL);
  for (size_t k = 0; k < dtci_models_count && i == dtci_models_count; k++) {
    const char *id = dtci_models[k].hf_id;
    size_t slash = 0;
    while (id[slash] != 0 && id[slash] != '/')
      slash++;
    if (id[slash] != 0 && dtci_name_find(id + slash + 1, 1, 1, name, strlen(name), NULL) == 0)
      i = k;
  }
  return i < dtci_models_count ? i : find_in(dtci_models[0].name, name, nearest);
}

dtc_status dtci_model_named(const char *name, dtc_model *local, dtc_error *e)
{
  uint64_t nearest = DTC_NONE;
  size_t i = name != NULL ? find_name(name, &nearest) : dtci_models_count;
  if (i == dtci_models_count)
    return dtci_fail_name(e, DTC_RULE_MODEL_NAME, nearest);
  *local = dtci_models[i].model;
  local->struct_size = sizeof *local;
  return dtci_model_fill(local, e);
}

dtc_status dtc_model_find(const char *name, dtc_model *out, dtc_error *err)
{
  dtc_error e;
  dtc_model m;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = dtci_model_named(name, &m, &e);
  return dtci_end(s != DTC_OK ? s : dtci_out(out, DTC_STRUCT_model, &m, &e), &e, err);
}

/* ---- defaults and checks --------------------------------------------------------------------- */

/* Fields that an architecture has a default for. */
static const uint16_t arch_defaults[] = {
    offsetof(dtc_model, norm),       offsetof(dtc_model, position),    offsetof(dtc_model, tied),
    offsetof(dtc_model, gated),      offsetof(dtc_model, qkv_bias),    offsetof(dtc_model, out_bias),
    offsetof(dtc_model, mlp_bias),   offsetof(dtc_model, head_bias),   offsetof(dtc_model, qk_norm),
    offsetof(dtc_model, embed_norm), offsetof(dtc_model, shared_gate), offsetof(dtc_model, router_bias),
};

static void arch_fill(dtc_model *m)
{
  const dtc_model *defaults = &dtci_archs[m->arch].defaults;
  for (size_t i = 0; i < sizeof arch_defaults / sizeof arch_defaults[0]; i++) {
    uint32_t v = 0;
    memcpy(&v, (const unsigned char *)m + arch_defaults[i], sizeof v);
    if (v == 0)
      memcpy((unsigned char *)m + arch_defaults[i], (const unsigned char *)defaults + arch_defaults[i], sizeof v);
  }
  if (m->norms == 0)
    m->norms = defaults->norms;
}

static dtc_status needs(uint32_t field, uint64_t got, uint64_t min, uint64_t max, uint32_t other, uint64_t other_got,
                        dtc_error *e)
{
  if (got >= min && got <= max)
    return DTC_OK;
  dtci_fail(e, DTC_E_CONFLICT, DTC_RULE_MODEL_NEEDS, field, got);
  e->other = other;
  e->other_got = other_got;
  e->min = min;
  e->max = max;
  return DTC_E_CONFLICT;
}

static dtc_status divides(uint32_t field, uint64_t got, uint32_t other, uint64_t other_got, dtc_error *e)
{
  if (other_got % got == 0)
    return DTC_OK;
  dtci_fail(e, DTC_E_DIVIDE, DTC_RULE_MODEL_DIVIDES, field, got);
  e->other = other;
  e->other_got = other_got;
  for (e->lower = got; other_got % e->lower != 0;)
    e->lower--;
  return DTC_E_DIVIDE;
}

#define FIELD(x) DTC_FIELD(model, x), m->x
static dtc_status fill_attention(dtc_model *m, dtc_error *e)
{
  if (m->kv_heads == 0)
    m->kv_heads = m->heads;
  TRY(needs(FIELD(kv_heads), 1, m->heads, FIELD(heads), e));
  TRY(divides(FIELD(kv_heads), FIELD(heads), e));
  if (m->kv_rank == 0) {
    TRY(needs(FIELD(q_rank), 0, 0, FIELD(kv_rank), e));
    TRY(needs(FIELD(qk_nope_dim), 0, 0, FIELD(kv_rank), e));
    TRY(needs(FIELD(qk_rope_dim), 0, 0, FIELD(kv_rank), e));
    TRY(needs(FIELD(v_dim), 0, 0, FIELD(kv_rank), e));
    if (m->head_dim == 0) {
      TRY(divides(FIELD(heads), FIELD(hidden), e));
      m->head_dim = m->hidden / m->heads;
    }
    return DTC_OK;
  }
  TRY(needs(FIELD(qkv_bias), DTC_BOOL_OFF, DTC_BOOL_OFF, FIELD(kv_rank), e));
  TRY(needs(FIELD(qk_norm), DTC_BOOL_OFF, DTC_BOOL_OFF, FIELD(kv_rank), e));
  TRY(needs(FIELD(qk_nope_dim), 1, UINT64_MAX, FIELD(kv_rank), e));
  if (m->v_dim == 0)
    m->v_dim = m->qk_nope_dim;
  uint64_t whole = m->qk_nope_dim + m->qk_rope_dim;
  if (whole > dtci_field_of(DTC_FIELD(model, head_dim))->max)
    return dtci_fail_range(e, DTC_FIELD(model, head_dim), whole, 0, dtci_field_of(DTC_FIELD(model, head_dim))->max);
  if (m->head_dim == 0)
    m->head_dim = whole;
  return needs(FIELD(head_dim), whole, whole, FIELD(qk_nope_dim), e);
}

static dtc_status fill_experts(dtc_model *m, dtc_error *e)
{
  if (m->experts == 0) {
    TRY(needs(FIELD(top_k), 0, 0, FIELD(experts), e));
    TRY(needs(FIELD(moe_ffn), 0, 0, FIELD(experts), e));
    TRY(needs(FIELD(shared_ffn), 0, 0, FIELD(experts), e));
    TRY(needs(FIELD(dense_layers), 0, 0, FIELD(experts), e));
    TRY(needs(FIELD(moe_every), 0, 0, FIELD(experts), e));
    return needs(FIELD(moe_offset), 0, 0, FIELD(experts), e);
  }
  m->top_k = m->top_k != 0 ? m->top_k : 1;
  m->moe_ffn = m->moe_ffn != 0 ? m->moe_ffn : m->ffn;
  m->moe_every = m->moe_every != 0 ? m->moe_every : 1;
  TRY(needs(FIELD(top_k), 1, m->experts, FIELD(experts), e));
  TRY(needs(FIELD(dense_layers), 0, m->layers, FIELD(layers), e));
  return needs(FIELD(moe_offset), 0, m->moe_every - 1, FIELD(moe_every), e);
}

/* Megatron's T5: its cross attention takes neither grouped queries nor MLA (transformer/attention.py), its layers have no
 * experts (models/T5/t5_spec.py). */
static dtc_status check_encoder(const dtc_model *m, dtc_error *e)
{
  if (m->encoder_layers == 0)
    return DTC_OK;
  TRY(needs(FIELD(kv_heads), m->heads, m->heads, FIELD(encoder_layers), e));
  TRY(needs(FIELD(kv_rank), 0, 0, FIELD(encoder_layers), e));
  TRY(needs(FIELD(experts), 0, 0, FIELD(encoder_layers), e));
  TRY(needs(FIELD(mtp_layers), 0, 0, FIELD(encoder_layers), e));
  TRY(needs(FIELD(mamba_layers), 0, 0, FIELD(encoder_layers), e));
  return needs(FIELD(mlp_layers), 0, 0, FIELD(encoder_layers), e);
}

/* Megatron's defaults: heads of 64, inner size 2 h, 8 groups, states of 128 (ssm/mamba_mixer.py). */
static dtc_status fill_mamba(dtc_model *m, dtc_error *e)
{
  enum { HEAD = 64, GROUPS = 8, STATE = 128 };
  if (m->mamba_layers == 0) {
    TRY(needs(FIELD(mamba_inner), 0, 0, FIELD(mamba_layers), e));
    TRY(needs(FIELD(mamba_heads), 0, 0, FIELD(mamba_layers), e));
    TRY(needs(FIELD(mamba_groups), 0, 0, FIELD(mamba_layers), e));
    return needs(FIELD(mamba_state), 0, 0, FIELD(mamba_layers), e);
  }
  if (m->mamba_inner == 0)
    m->mamba_inner = m->mamba_heads != 0 ? HEAD * m->mamba_heads : 2 * m->hidden;
  if (m->mamba_heads == 0 && m->mamba_inner % HEAD == 0)
    m->mamba_heads = m->mamba_inner / HEAD;
  m->mamba_groups = m->mamba_groups != 0 ? m->mamba_groups : GROUPS;
  m->mamba_state = m->mamba_state != 0 ? m->mamba_state : STATE;
  TRY(needs(FIELD(mamba_heads), 1, UINT64_MAX, FIELD(mamba_inner), e));
  TRY(divides(FIELD(mamba_heads), FIELD(mamba_inner), e));
  return divides(FIELD(mamba_groups), FIELD(mamba_heads), e);
}

static dtc_status fill_hybrid(dtc_model *m, dtc_error *e)
{
  TRY(fill_mamba(m, e));
  if (!dtci_is_hybrid(m))
    return DTC_OK;
  uint32_t why = m->mamba_layers != 0 ? DTC_FIELD(model, mamba_layers) : DTC_FIELD(model, mlp_layers);
  uint64_t count = m->mamba_layers != 0 ? m->mamba_layers : m->mlp_layers;
  TRY(needs(FIELD(mamba_layers), 0, m->layers, FIELD(layers), e));
  TRY(needs(FIELD(mlp_layers), 0, m->layers - m->mamba_layers, FIELD(layers), e));
  TRY(needs(FIELD(kv_rank), 0, 0, why, count, e));
  TRY(needs(FIELD(experts), 0, 0, why, count, e));
  return needs(FIELD(mtp_layers), 0, 0, why, count, e);
}

/* A feature that no tensor of the architecture has would be left out of every count: refuse it. */
static dtc_status check_features(const dtc_model *m, dtc_error *e)
{
  static const struct {
    uint32_t feature;
    uint32_t field;
  } told[] = {
      {DTCI_GATED, DTC_FIELD(model, gated)},
      {DTCI_PLAIN, DTC_FIELD(model, gated)},
      {DTCI_QKV_BIAS, DTC_FIELD(model, qkv_bias)},
      {DTCI_OUT_BIAS, DTC_FIELD(model, out_bias)},
      {DTCI_MLP_BIAS, DTC_FIELD(model, mlp_bias)},
      {DTCI_HEAD_BIAS, DTC_FIELD(model, head_bias)},
      {DTCI_QK_NORM, DTC_FIELD(model, qk_norm)},
      {DTCI_LAYERNORM, DTC_FIELD(model, norm)},
      {DTCI_LEARNED, DTC_FIELD(model, position)},
      {DTCI_EMBED_NORM, DTC_FIELD(model, embed_norm)},
      {DTCI_NORMS_1 | DTCI_NORMS_2 | DTCI_NORMS_4, DTC_FIELD(model, norms)},
      {DTCI_SHARED, DTC_FIELD(model, shared_ffn)},
      {DTCI_SHARED_GATE, DTC_FIELD(model, shared_gate)},
      {DTCI_ROUTER_BIAS, DTC_FIELD(model, router_bias)},
      {DTCI_MHA | DTCI_MLA, DTC_FIELD(model, kv_rank)},
      {DTCI_DENSE | DTCI_MOE, DTC_FIELD(model, experts)},
      {DTCI_ENCODER, DTC_FIELD(model, encoder_layers)},
      {DTCI_MAMBA, DTC_FIELD(model, mamba_layers)},
      {DTCI_FEEDS, DTC_FIELD(model, mlp_layers)},
  };
  uint32_t count = 0;
  const dtci_tensor_row *rows = dtci_arch_rows(m->arch, &count);
  uint32_t known = DTCI_UNTIED;
  uint32_t has = dtci_model_features(m);
  for (uint32_t i = 0; i < count; i++)
    if ((rows[i].when & DTCI_ENCODER & ~has) == 0) /* a bias that T5's head alone has */
      known |= rows[i].when;
  has |= m->experts != 0 ? DTCI_MOE : 0u;
  has |= dtci_moe_layers(m, m->layers) < m->layers ? DTCI_DENSE : 0u;
  has |= m->mamba_layers != 0 ? DTCI_MAMBA : 0u;
  has |= m->mlp_layers != 0 ? DTCI_FEEDS : 0u;
  for (size_t i = 0; i < sizeof told / sizeof told[0]; i++)
    if (has & told[i].feature & ~known) {
      dtci_fail(e, DTC_E_UNSUPPORTED, DTC_RULE_ARCH_FEATURE, told[i].field, dtci_read(m, dtci_field_of(told[i].field)));
      e->other = DTC_FIELD(model, arch);
      e->other_got = m->arch;
      return DTC_E_UNSUPPORTED;
    }
  return DTC_OK;
}

dtc_status dtci_model_fill(dtc_model *m, dtc_error *e)
{
  if (m->arch == DTC_ARCH_DEFAULT)
    m->arch = DTC_ARCH_MEGATRON;
  /* MLA has neither, whatever the architecture does otherwise. */
  if (m->kv_rank != 0 && m->qkv_bias == DTC_BOOL_DEFAULT)
    m->qkv_bias = DTC_BOOL_OFF;
  if (m->kv_rank != 0 && m->qk_norm == DTC_BOOL_DEFAULT)
    m->qk_norm = DTC_BOOL_OFF;
  /* Of T5's head: a bias, if it shares the embedding's weight (models/T5/t5_model.py). */
  if (m->arch == DTC_ARCH_MEGATRON && m->encoder_layers != 0 && m->head_bias == DTC_BOOL_DEFAULT &&
      m->tied != DTC_BOOL_OFF)
    m->head_bias = DTC_BOOL_ON;
  arch_fill(m);
  if (m->ffn == 0)
    m->ffn = 4 * m->hidden;
  TRY(fill_attention(m, e));
  TRY(fill_experts(m, e));
  TRY(fill_hybrid(m, e));
  TRY(check_encoder(m, e));
  TRY(needs(FIELD(norms), m->norms == 3 ? 4 : 1, 4, DTC_FIELD(model, arch), m->arch, e));
  if (m->window == 0)
    TRY(needs(FIELD(window_every), 0, 0, FIELD(window), e));
  if (m->position == DTC_POSITION_LEARNED)
    TRY(needs(FIELD(context), 1, UINT64_MAX, DTC_FIELD(model, position), m->position, e));
  return check_features(m, e);
}

dtc_status dtci_model_in(const dtc_model *user, dtc_model *local, dtc_error *e)
{
  TRY(dtci_in(local, DTC_STRUCT_model, user, e));
  return dtci_model_fill(local, e);
}

dtc_status dtc_model_resolve(const dtc_model *model, dtc_model *out, dtc_error *err)
{
  dtc_error e;
  dtc_model m;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = dtci_model_in(model, &m, &e);
  return dtci_end(s != DTC_OK ? s : dtci_out(out, DTC_STRUCT_model, &m, &e), &e, err);
}

/* dtc_model_from_hf(): two passes over a config.json. The first checks the text and finds model_type, the second reads
 * the keys that the type's rows in lib/catalog/hf.c name. */
#include "internal/catalog.h"
#include "internal/json.h"
#include "internal/model.h"

/* What was read: for each key row its value and the value's place. DTC_NONE: null for `value`, not there for `at`. */
typedef struct hf {
  const dtci_hf_type *type;
  uint64_t value[DTCI_HF_KEYS_MAX];
  uint64_t at[DTCI_HF_KEYS_MAX];
  uint64_t listed; /* entries of layer_types */
  dtc_model model;
  dtci_json json;
  dtci_json_keys keys;
} hf;

/* Largest value of a key that fills no field. */
enum { HF_PLAIN_MAX = 1 << 24 };

/* ---- errors and rows ------------------------------------------------------------------------- */

static dtc_status hf_point(const hf *h, uint32_t row, dtc_status status, dtc_error *e)
{
  e->other = (uint32_t)DTC_STRUCT_hf << 16 | row;
  e->offset = h->at[row];
  return status;
}

static dtc_status hf_fail(const hf *h, uint32_t row, dtc_status status, dtc_rule rule, uint64_t got, dtc_error *e)
{
  return hf_point(h, row, dtci_fail(e, status, rule, dtci_hf_keys[row].field, got), e);
}

/* The value has the wrong JSON type. */
static dtc_status hf_wrong(const hf *h, uint32_t row, dtc_error *e)
{
  return hf_fail(h, row, DTC_E_RANGE, DTC_RULE_HF_VALUE, DTC_NONE, e);
}

static int hf_has(const hf *h, uint32_t row)
{
  return (dtci_hf_keys[row].dialects & h->type->dialect) != 0;
}

static int hf_given(const hf *h, uint32_t row)
{
  return hf_has(h, row) && h->at[row] != DTC_NONE && h->value[row] != DTC_NONE;
}

/* Does the row's value go into its field as it is? */
static int hf_fills(const hf *h, uint32_t row)
{
  const dtci_hf_key *key = &dtci_hf_keys[row];
  return hf_has(h, row) && key->field != 0 && key->kind != DTCI_HF_MUST_ON && key->kind != DTCI_HF_MUST_OFF;
}

/* First row below `end` that gave a value for the field; dtci_hf_keys_count when there is none. */
static uint32_t hf_giver(const hf *h, uint32_t field, uint32_t end)
{
  for (uint32_t r = DTCI_HF_KEY_FIRST; r < end; r++) {
    if (hf_fills(h, r) && dtci_hf_keys[r].field == field && hf_given(h, r))
      return r;
  }
  return dtci_hf_keys_count;
}

/* The row to name in an error about a field: the one that gave it, else its usual one. */
static uint32_t hf_row_of(const hf *h, uint32_t field)
{
  uint32_t row = hf_giver(h, field, dtci_hf_keys_count);
  for (uint32_t r = DTCI_HF_KEY_FIRST; r < dtci_hf_keys_count && row == dtci_hf_keys_count; r++) {
    if (hf_fills(h, r) && dtci_hf_keys[r].field == field)
      row = r;
  }
  return row;
}

/* Row of a key that the type has, by name. */
static uint32_t hf_row_named(const hf *h, const char *key)
{
  uint32_t r = DTCI_HF_KEY_FIRST;
  while (r < dtci_hf_keys_count && !(hf_has(h, r) && dtci_same(dtci_hf_keys[r].key, strlen(dtci_hf_keys[r].key), key)))
    r++;
  return r;
}

/* Value of a key that fills no field. */
static uint64_t hf_plain(const hf *h, const char *key, uint64_t missing)
{
  uint32_t r = hf_row_named(h, key);
  return r < dtci_hf_keys_count && hf_given(h, r) ? h->value[r] : missing;
}

/* A field of the model against another value: names the key that the field came from. */
static dtc_status hf_against(const hf *h, dtc_status status, uint32_t field, uint64_t got, uint64_t other, dtc_error *e)
{
  dtci_fail(e, status, DTC_RULE_HF_CONFLICT, field, got);
  e->other_got = other;
  return hf_point(h, hf_row_of(h, field), status, e);
}

static void hf_put(dtc_model *m, uint32_t field, uint64_t v)
{
  unsigned char *p = (unsigned char *)m + (field & 0xFFFF);
  uint32_t narrow = (uint32_t)v;
  if (dtci_field_of(field)->type == DTCI_U64)
    memcpy(p, &v, sizeof v);
  else
    memcpy(p, &narrow, sizeof narrow);
}

/* ---- values ---------------------------------------------------------------------------------- */

static dtc_status hf_integer(const hf *h, uint32_t row, uint64_t *v, dtc_error *e)
{
  const dtci_hf_key *key = &dtci_hf_keys[row];
  uint64_t min = key->kind == DTCI_HF_COUNT, max = key->field != 0 ? dtci_field_of(key->field)->max : HF_PLAIN_MAX;
  dtc_status s = DTC_OK;
  if (h->json.type == DTCI_JSON_NULL && !key->needed)
    *v = key->kind == DTCI_HF_COUNT ? DTC_NONE : 0;
  else if (!dtci_json_u64(&h->json, v))
    s = hf_wrong(h, row, e);
  else if ((*v < min || *v > max) && key->field == 0)
    s = hf_fail(h, row, DTC_E_RANGE, DTC_RULE_HF_VALUE, *v, e);
  else if (*v < min || *v > max)
    s = hf_point(h, row, dtci_fail_range(e, key->field, *v, min, max), e);
  if (s != DTC_OK) {
    e->min = min;
    e->max = max;
  }
  return s;
}

static dtc_status hf_switch(const hf *h, uint32_t row, uint64_t *v, dtc_error *e)
{
  uint32_t kind = dtci_hf_keys[row].kind;
  if (h->json.type != DTCI_JSON_TRUE && h->json.type != DTCI_JSON_FALSE && h->json.type != DTCI_JSON_NULL)
    return hf_wrong(h, row, e);
  *v = h->json.type == DTCI_JSON_TRUE ? DTC_BOOL_ON : DTC_BOOL_OFF;
  if ((kind == DTCI_HF_MUST_ON && *v != DTC_BOOL_ON) || (kind == DTCI_HF_MUST_OFF && *v != DTC_BOOL_OFF))
    return hf_fail(h, row, DTC_E_UNSUPPORTED, DTC_RULE_HF_VALUE, *v, e);
  return DTC_OK;
}

static dtc_status hf_method(const hf *h, uint32_t row, uint64_t *v, dtc_error *e)
{
  if (h->json.type != DTCI_JSON_STRING && h->json.type != DTCI_JSON_NULL)
    return hf_wrong(h, row, e);
  *v = dtci_json_is(&h->json, "noaux_tc") ? DTC_BOOL_ON : DTC_BOOL_OFF;
  return DTC_OK;
}

/* [0, 1, .. k - 1] gives k. Another list is legal in transformers, but dtc_model cannot say it. */
static dtc_status hf_leading(hf *h, uint32_t row, uint64_t *v, dtc_error *e)
{
  *v = 0;
  if (h->json.type == DTCI_JSON_NULL)
    return DTC_OK;
  if (h->json.type != DTCI_JSON_ARRAY)
    return hf_wrong(h, row, e);
  for (;; ++*v) {
    uint64_t layer = 0;
    dtc_status s = dtci_json_next(&h->json, e);
    if (s != DTC_OK || h->json.type == DTCI_JSON_ARRAY_END)
      return s;
    if (!dtci_json_u64(&h->json, &layer))
      return hf_wrong(h, row, e);
    if (layer != *v)
      return hf_fail(h, row, DTC_E_UNSUPPORTED, DTC_RULE_HF_VALUE, layer, e);
  }
}

/* The number n for which layer i attends to everything exactly when (i + 1) mod n is 0; 0 when no layer does. */
static dtc_status hf_layers(hf *h, uint32_t row, uint64_t *v, dtc_error *e)
{
  uint64_t n = 0;
  if (h->json.type == DTCI_JSON_NULL) {
    h->at[row] = DTC_NONE;
    return DTC_OK;
  }
  if (h->json.type != DTCI_JSON_ARRAY)
    return hf_wrong(h, row, e);
  *v = 0;
  for (h->listed = 0;; h->listed++) {
    dtc_status s = dtci_json_next(&h->json, e);
    if (s != DTC_OK || h->json.type == DTCI_JSON_ARRAY_END)
      return s;
    if (h->json.type != DTCI_JSON_STRING)
      return hf_wrong(h, row, e);
    int full = dtci_json_is(&h->json, "full_attention");
    n++;
    if (full && *v == 0)
      *v = n;
    if (full != (*v != 0 && n % *v == 0) || (!full && !dtci_json_is(&h->json, "sliding_attention")))
      return hf_fail(h, row, DTC_E_UNSUPPORTED, DTC_RULE_HF_VALUE, h->listed, e);
  }
}

static dtc_status hf_value(hf *h, uint32_t row, dtc_error *e)
{
  h->at[row] = h->json.at;
  switch (dtci_hf_keys[row].kind) {
  case DTCI_HF_COUNT:
  case DTCI_HF_NUMBER:
    return hf_integer(h, row, &h->value[row], e);
  case DTCI_HF_METHOD:
    return hf_method(h, row, &h->value[row], e);
  case DTCI_HF_LEADING:
    return hf_leading(h, row, &h->value[row], e);
  case DTCI_HF_LAYERS:
    return hf_layers(h, row, &h->value[row], e);
  default:
    return hf_switch(h, row, &h->value[row], e);
  }
}

/* ---- the two passes -------------------------------------------------------------------------- */

/* Reads the first token of the value that begins at `pos`. */
static dtc_status hf_open(hf *h, const char *json, size_t len, size_t pos, dtc_error *e)
{
  dtci_json_start(&h->json, json, len);
  h->json.pos = pos;
  h->keys.count = 0;
  return dtci_json_next(&h->json, e);
}

/* The next key of the object, and behind it the first token of its value; *more is 0 at the object's end. */
static dtc_status hf_next(hf *h, dtci_json *key, int *more, dtc_error *e)
{
  dtc_status s = dtci_json_next(&h->json, e);
  *more = s == DTC_OK && h->json.type == DTCI_JSON_KEY;
  if (!*more)
    return s;
  *key = h->json;
  s = dtci_json_once(&h->keys, key, e);
  return s == DTC_OK ? dtci_json_next(&h->json, e) : s;
}

/* The value of model_type. */
static dtc_status hf_type_named(hf *h, dtc_error *e)
{
  const dtci_json *j = &h->json;
  uint64_t nearest = DTC_NONE;
  h->at[DTCI_HF_KEY_TYPE] = j->at;
  if (j->type != DTCI_JSON_STRING)
    return hf_wrong(h, DTCI_HF_KEY_TYPE, e);
  for (uint32_t i = 0; i < dtci_hf_types_count; i++) {
    if (dtci_json_is(j, dtci_hf_types[i].model_type)) {
      h->type = &dtci_hf_types[i];
      return DTC_OK;
    }
  }
  size_t found = dtci_name_find(dtci_hf_types[0].model_type, dtci_hf_types_count, sizeof *dtci_hf_types,
                                j->text + j->at + 1, j->n, &nearest);
  dtc_status s = hf_fail(h, DTCI_HF_KEY_TYPE, DTC_E_UNKNOWN, DTC_RULE_HF_TYPE, DTC_NONE, e);
  e->lower = found < dtci_hf_types_count ? found : nearest;
  return s;
}

/* First pass: the whole text. What its keys say is looked at only when the text is well formed. */
static dtc_status hf_first_pass(hf *h, const char *json, size_t len, dtc_error *e)
{
  dtci_json key, type;
  type.type = DTCI_JSON_END;
  dtc_status s = hf_open(h, json, len, 0, e);
  int more = h->json.type == DTCI_JSON_OBJECT;
  while (s == DTC_OK && more) {
    s = hf_next(h, &key, &more, e);
    if (s != DTC_OK || !more)
      break;
    if (dtci_json_is(&key, dtci_hf_keys[DTCI_HF_KEY_TYPE].key))
      type = h->json;
    if (dtci_json_is(&key, dtci_hf_keys[DTCI_HF_KEY_TEXT].key))
      h->at[DTCI_HF_KEY_TEXT] = h->json.at;
    s = dtci_json_skip(&h->json, e);
  }
  if (s == DTC_OK)
    s = dtci_json_skip(&h->json, e);
  if (s == DTC_OK)
    s = dtci_json_next(&h->json, e);
  if (s != DTC_OK)
    return s;
  if (type.type == DTCI_JSON_END)
    return hf_fail(h, DTCI_HF_KEY_TYPE, DTC_E_CONFLICT, DTC_RULE_HF_MISSING, DTC_NONE, e);
  h->json = type;
  return hf_type_named(h, e);
}

/* Second pass: the keys of the object that begins at `pos`. */
static dtc_status hf_second_pass(hf *h, const char *json, size_t len, size_t pos, dtc_error *e)
{
  dtci_json key;
  int more = 0;
  dtc_status s = hf_open(h, json, len, pos, e);
  while (s == DTC_OK) {
    s = hf_next(h, &key, &more, e);
    if (s != DTC_OK || !more)
      return s;
    for (uint32_t r = DTCI_HF_KEY_FIRST; r < dtci_hf_keys_count && s == DTC_OK; r++) {
      if (hf_has(h, r) && dtci_json_is(&key, dtci_hf_keys[r].key))
        s = hf_value(h, r, e);
    }
    if (s == DTC_OK)
      s = dtci_json_skip(&h->json, e);
  }
  return s;
}

/* ---- from keys to the model ------------------------------------------------------------------ */

/* Puts what was given into the model. Two names for a field must agree, but layer_types goes before a pattern. */
static dtc_status hf_fill(hf *h, dtc_error *e)
{
  for (uint32_t r = DTCI_HF_KEY_FIRST; r < dtci_hf_keys_count; r++) {
    if (!hf_fills(h, r) || !hf_given(h, r))
      continue;
    uint32_t before = hf_giver(h, dtci_hf_keys[r].field, r);
    if (before < r && h->value[before] != h->value[r] && dtci_hf_keys[r].kind != DTCI_HF_LAYERS) {
      uint32_t second = h->at[before] > h->at[r] ? before : r, first = second == r ? before : r;
      dtc_status s = hf_fail(h, second, DTC_E_CONFLICT, DTC_RULE_HF_CONFLICT, h->value[second], e);
      e->other_got = h->value[first];
      return s;
    }
    hf_put(&h->model, dtci_hf_keys[r].field, h->value[r]);
  }
  return DTC_OK;
}

/* Was a key of this field there, null included? */
static int hf_mentioned(const hf *h, uint32_t field)
{
  for (uint32_t r = DTCI_HF_KEY_FIRST; r < dtci_hf_keys_count; r++) {
    if (hf_fills(h, r) && dtci_hf_keys[r].field == field && h->at[r] != DTC_NONE)
      return 1;
  }
  return 0;
}

/* Defaults of the config class for the keys that are missing. */
static dtc_status hf_defaults(hf *h, dtc_error *e)
{
  for (uint32_t r = DTCI_HF_KEY_FIRST; r < dtci_hf_keys_count; r++) {
    const dtci_hf_key *key = &dtci_hf_keys[r];
    if (!hf_fills(h, r) || hf_mentioned(h, key->field))
      continue;
    if (key->needed)
      return hf_fail(h, r, DTC_E_CONFLICT, DTC_RULE_HF_MISSING, DTC_NONE, e);
    if (key->missing != 0)
      hf_put(&h->model, key->field, key->missing);
  }
  return DTC_OK;
}

/* FalconConfig and FalconDecoderLayer: num_kv_heads counts only in the new architecture, whose layers have two norms
 * side by side unless they say otherwise; else a parallel layer has one. */
static void hf_falcon(hf *h)
{
  dtc_model *m = &h->model;
  int newer = hf_plain(h, "new_decoder_architecture", DTC_BOOL_OFF) == DTC_BOOL_ON;
  int parallel = hf_plain(h, "parallel_attn", DTC_BOOL_ON) == DTC_BOOL_ON;
  int multi_query = hf_plain(h, "multi_query", DTC_BOOL_ON) == DTC_BOOL_ON;
  int alibi = hf_plain(h, "alibi", DTC_BOOL_OFF) == DTC_BOOL_ON;
  if (!newer)
    m->kv_heads = multi_query ? 1 : m->heads;
  m->norms = !parallel || hf_plain(h, "num_ln_in_parallel_attn", newer ? 2 : 1) == 2 ? 2 : 1;
  m->position = alibi ? DTC_POSITION_ALIBI : DTC_POSITION_ROPE;
}

/* OPT-350m's embedding is narrower than the model and projected. */
static dtc_status hf_opt(const hf *h, dtc_error *e)
{
  uint64_t width = hf_plain(h, "word_embed_proj_dim", h->model.hidden);
  if (width == h->model.hidden)
    return DTC_OK;
  dtci_fail(e, DTC_E_UNSUPPORTED, DTC_RULE_HF_CONFLICT, DTC_FIELD(model, hidden), h->model.hidden);
  e->other_got = width;
  return hf_point(h, hf_row_named(h, "word_embed_proj_dim"), DTC_E_UNSUPPORTED, e);
}

/* Which layers slide. Qwen2 and Qwen3 leave the first max_window_layers (28 when missing) full. */
static dtc_status hf_window(hf *h, dtc_error *e)
{
  dtc_model *m = &h->model;
  uint32_t use = hf_row_named(h, "use_sliding_window"), full = hf_row_named(h, "max_window_layers");
  int listed = h->listed != DTC_NONE;
  if (listed && h->listed != m->layers) {
    dtci_fail(e, DTC_E_CONFLICT, DTC_RULE_HF_CONFLICT, DTC_FIELD(model, layers), m->layers);
    e->other_got = h->listed;
    return hf_point(h, hf_row_named(h, "layer_types"), DTC_E_CONFLICT, e);
  }
  if (use < dtci_hf_keys_count && hf_plain(h, "use_sliding_window", DTC_BOOL_OFF) != DTC_BOOL_ON)
    m->window = 0;
  if (m->window != 0 && full < dtci_hf_keys_count && !listed) {
    uint64_t first = hf_plain(h, "max_window_layers", 28);
    if (first >= m->layers)
      m->window = 0;
    else if (first > 0)
      return hf_fail(h, full, DTC_E_UNSUPPORTED, DTC_RULE_HF_VALUE, first, e);
  }
  if (m->window_every == 1)
    m->window = 0;
  if (m->window == 0)
    m->window_every = 0;
  return DTC_OK;
}

/* n_shared_experts counts experts of moe_intermediate_size. Qwen's layer i is MoE when (i + 1) mod n is 0. */
static dtc_status hf_moe(hf *h, dtc_error *e)
{
  dtc_model *m = &h->model;
  const uint32_t shared = DTC_FIELD(model, shared_ffn);
  uint64_t max = dtci_field_of(shared)->max;
  int bad = 0;
  if (h->type->moe_last)
    m->moe_offset = m->moe_every != 0 ? m->moe_every - 1 : 0;
  if (!h->type->shared)
    return DTC_OK;
  m->shared_ffn = dtci_mul(m->shared_ffn, m->moe_ffn, &bad);
  if (bad || m->shared_ffn > max)
    return hf_point(h, hf_row_of(h, shared), dtci_fail_range(e, shared, bad ? DTC_NONE : m->shared_ffn, 0, max), e);
  return DTC_OK;
}

/* Contradictions that transformers would meet when it builds the model or first runs it. */
static dtc_status hf_check(const hf *h, dtc_error *e)
{
  const dtc_model *m = &h->model;
  if (m->kv_heads > m->heads)
    return hf_against(h, DTC_E_CONFLICT, DTC_FIELD(model, kv_heads), m->kv_heads, m->heads, e);
  if (m->kv_heads != 0 && m->heads % m->kv_heads != 0)
    return hf_against(h, DTC_E_DIVIDE, DTC_FIELD(model, kv_heads), m->kv_heads, m->heads, e);
  if (m->head_dim == 0 && m->kv_rank == 0 && m->hidden % m->heads != 0)
    return hf_against(h, DTC_E_DIVIDE, DTC_FIELD(model, heads), m->heads, m->hidden, e);
  if (m->top_k > m->experts)
    return hf_against(h, DTC_E_CONFLICT, DTC_FIELD(model, top_k), m->top_k, m->experts, e);
  return DTC_OK;
}

static dtc_status hf_build(hf *h, dtc_error *e)
{
  dtc_status s = DTC_OK;
  h->model.arch = h->type->arch;
  s = hf_fill(h, e);
  if (s == DTC_OK)
    s = hf_defaults(h, e);
  if (s == DTC_OK && h->type->special == DTCI_HF_FALCON)
    hf_falcon(h);
  if (s == DTC_OK && h->type->special == DTCI_HF_OPT)
    s = hf_opt(h, e);
  if (s == DTC_OK)
    s = hf_window(h, e);
  if (s == DTC_OK)
    s = hf_moe(h, e);
  return s == DTC_OK ? hf_check(h, e) : s;
}

static dtc_status hf_read(const char *json, size_t len, dtc_model *local, dtc_error *e)
{
  hf h;
  memset(h.at, 0xFF, sizeof h.at);
  h.listed = DTC_NONE;
  DTC_INIT(&h.model);
  dtc_status s = hf_first_pass(&h, json, len, e);
  if (s != DTC_OK)
    return s;
  size_t pos = 0;
  if ((dtci_hf_keys[DTCI_HF_KEY_TEXT].dialects & h.type->dialect) != 0) {
    if (h.at[DTCI_HF_KEY_TEXT] == DTC_NONE)
      return hf_fail(&h, DTCI_HF_KEY_TEXT, DTC_E_CONFLICT, DTC_RULE_HF_MISSING, DTC_NONE, e);
    pos = (size_t)h.at[DTCI_HF_KEY_TEXT];
    if (json[pos] != '{')
      return hf_wrong(&h, DTCI_HF_KEY_TEXT, e);
  }
  s = hf_second_pass(&h, json, len, pos, e);
  if (s == DTC_OK)
    s = hf_build(&h, e);
  if (s != DTC_OK)
    return s;
  s = dtci_model_in(&h.model, local, e);
  uint32_t row = s == DTC_OK ? dtci_hf_keys_count : hf_row_of(&h, e->field);
  return row < dtci_hf_keys_count ? hf_point(&h, row, s, e) : s;
}

dtc_status dtc_model_from_hf(const char *json, size_t len, dtc_model *out, dtc_error *err)
{
  dtc_error e;
  dtc_model local;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = hf_read(json, len, &local, &e);
  if (s == DTC_OK)
    s = dtci_out(out, DTC_STRUCT_model, &local, &e);
  return dtci_end(s, &e, err);
}

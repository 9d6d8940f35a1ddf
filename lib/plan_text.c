/* The one-line text form of a plan. */
#include "internal/chars.h"
#include "internal/model.h"
#include "internal/plan.h"

static const char tag[] = "dtcore:";

/* Words of the form key=value, and for dtc_bool fields the switches `key` and `nokey`. These are written first and in this
 * order, some by a shorter name; the other fields follow by their own names, in the order of dtc_plan. */
static const struct word {
  char key[20];
  uint32_t field;
} words[] = {
    {"tp", DTC_FIELD(plan, tp)},
    {"cp", DTC_FIELD(plan, cp)},
    {"pp", DTC_FIELD(plan, pp)},
    {"vpp", DTC_FIELD(plan, vpp)},
    {"dp", DTC_FIELD(plan, dp)},
    {"dp_shard", DTC_FIELD(plan, dp_shard)},
    {"ep", DTC_FIELD(plan, ep)},
    {"etp", DTC_FIELD(plan, etp)},
    {"sharding", DTC_FIELD(plan, sharding)},
    {"sp", DTC_FIELD(plan, sequence_parallel)},
    {"schedule", DTC_FIELD(plan, schedule)},
    {"mbs", DTC_FIELD(plan, micro_batch)},
    {"gbs", DTC_FIELD(plan, global_batch)},
    {"accum", DTC_FIELD(plan, accumulation)},
    {"seq", DTC_FIELD(plan, seq)},
    {"encoder_seq", DTC_FIELD(plan, encoder_seq)},
    {"recompute", DTC_FIELD(plan, recompute)},
    {"attention", DTC_FIELD(plan, attention)},
    {"precision", DTC_FIELD(plan, precision)},
    {"grad", DTC_FIELD(plan, grad_dtype)},
    {"optimizer", DTC_FIELD(plan, optimizer)},
    {"dropout", DTC_FIELD(plan, dropout)},
    {"vocab_multiple", DTC_FIELD(plan, vocab_multiple)},
    {"first", DTC_FIELD(plan, first_layers)},
    {"last", DTC_FIELD(plan, last_layers)},
    {"account_embedding", DTC_FIELD(plan, account_embedding)},
    {"account_loss", DTC_FIELD(plan, account_loss)},
    {"group", DTC_FIELD(plan, group)},
};
enum { WORDS = sizeof words / sizeof words[0] };

static uint32_t id_of(const dtci_field *f)
{
  return (uint32_t)DTC_STRUCT_plan << 16 | f->offset;
}

/* Is the field one that is written by its own name? The framework has a form of its own. */
static int has_its_name(const dtci_field *f)
{
  uint32_t id = id_of(f);
  for (uint32_t i = 0; i < WORDS; i++)
    if (words[i].field == id)
      return 0;
  return id != DTC_FIELD(plan, struct_size) && id != DTC_FIELD(plan, framework) &&
         id != DTC_FIELD(plan, framework_version);
}

/* The field of a key; NULL when there is none. */
static const dtci_field *field_of_key(const char *key, size_t n)
{
  const dtci_struct *s = dtci_struct_of(DTC_STRUCT_plan);
  for (uint32_t i = 0; i < WORDS; i++)
    if (dtci_same(key, n, words[i].key))
      return dtci_field_of(words[i].field);
  for (uint32_t i = 0; i < s->count; i++) {
    const dtci_field *f = &dtci_fields[s->first + i];
    if (dtci_same(key, n, f->name))
      return has_its_name(f) ? f : NULL;
  }
  return NULL;
}

/* ---- reading --------------------------------------------------------------------------------- */

typedef struct reader {
  const char *text;
  size_t pos;
  size_t end;
  dtc_plan *plan;
  dtc_model *model;                   /* NULL when the caller has no use for one */
  uint8_t seen[sizeof(dtc_plan) / 4]; /* by offset of a field / 4, 1: it was given; [0] the model */
} reader;

static dtc_status fail_at(dtc_status status, dtc_rule rule, uint32_t field, size_t at, dtc_error *e)
{
  dtci_fail(e, status, rule, field, DTC_NONE);
  e->offset = at;
  return status;
}

static dtc_status once(reader *r, uint32_t offset, uint32_t field, size_t at, dtc_error *e)
{
  if (r->seen[offset / 4])
    return fail_at(DTC_E_CONFLICT, DTC_RULE_PLAN_TWICE, field, at, e);
  r->seen[offset / 4] = 1;
  return DTC_OK;
}

/* The plan's part of a text: behind the tag, up to ';' or a line end. */
static void find_plan(reader *r, size_t len)
{
  r->pos = 0;
  for (size_t i = 0; i + sizeof tag - 1 <= len; i++)
    if (memcmp(r->text + i, tag, sizeof tag - 1) == 0) {
      r->pos = i + sizeof tag - 1;
      break;
    }
  for (r->end = r->pos; r->end < len; r->end++) {
    char c = r->text[r->end];
    if (c == ';' || c == '\n' || c == '\r' || c == 0)
      break;
  }
}

static int is_space(char c)
{
  return c == ' ' || c == '\t';
}

/* Version text 0.19 or 0.19.8 or main, as a number. */
static int get_version(const char *s, size_t n, uint32_t *v)
{
  uint64_t part[3] = {0, 0, 0};
  size_t start = 0;
  int k = 0;
  if (dtci_same(s, n, "main")) {
    *v = DTC_MAIN;
    return 1;
  }
  for (size_t i = 0; i <= n; i++) {
    if (i < n && s[i] != '.')
      continue;
    if (k == 3 || !dtci_get_u64(s + start, i - start, &part[k]) || part[k] > (k == 0 ? 4294u : 999u))
      return 0;
    k++;
    start = i + 1;
  }
  uint64_t number = part[0] * 1000000 + part[1] * 1000 + part[2];
  *v = (uint32_t)number;
  return number < DTC_MAIN;
}

/* `megatron` or `megatron@0.19`; *known is 0 when the word is no framework. */
static dtc_status read_framework(reader *r, const char *s, size_t n, size_t at, int *known, dtc_error *e)
{
  size_t name = 0;
  const dtci_field *f = dtci_field_of(DTC_FIELD(plan, framework));
  while (name < n && s[name] != '@')
    name++;
  uint64_t v = dtci_value_of(f->enum_id, s, name);
  *known = v != DTC_NONE && v != DTC_FRAMEWORK_DEFAULT;
  if (!*known)
    return DTC_OK;
  TRY(once(r, f->offset, DTC_FIELD(plan, framework), at, e));
  r->plan->framework = (dtc_framework)v;
  if (name < n && !get_version(s + name + 1, n - name - 1, &r->plan->framework_version))
    return fail_at(DTC_E_PARSE, DTC_RULE_PLAN_VALUE, DTC_FIELD(plan, framework_version), at + name + 1, e);
  return DTC_OK;
}

static dtc_status read_model(reader *r, const char *s, size_t n, size_t at, dtc_error *e)
{
  char name[64] = {0}; /* longer than any name of the catalogue */
  TRY(once(r, 0, DTCI_ARG(NAME), at, e));
  if (r->model == NULL)
    return DTC_OK;
  memcpy(name, s, n < sizeof name ? n : 0); /* a longer one is unknown, like an empty one */
  dtc_status status = dtci_model_named(name, r->model, e);
  if (status != DTC_OK)
    e->offset = at + sizeof "model=" - 1;
  return status;
}

static dtc_status write_value(reader *r, const dtci_field *f, const char *s, size_t n, size_t at, dtc_error *e)
{
  uint32_t id = id_of(f);
  uint64_t v = 0;
  if (f->type == DTCI_ENUM) {
    v = dtci_value_of(f->enum_id, s, n);
    if (v == DTC_NONE)
      return fail_at(DTC_E_PARSE, DTC_RULE_PLAN_VALUE, id, at, e);
  } else if (!dtci_get_u64(s, n, &v)) {
    return fail_at(DTC_E_PARSE, DTC_RULE_PLAN_VALUE, id, at, e);
  }
  /* 0 in a text is a mistake: a default is said by leaving the word out. */
  if (v > f->max || (f->type == DTCI_U64 && v == 0)) {
    dtci_fail_range(e, id, v, 1, f->max);
    e->offset = at;
    return DTC_E_RANGE;
  }
  dtci_write(r->plan, f, v);
  return DTC_OK;
}

/* key=value */
static dtc_status read_pair(reader *r, const char *s, size_t key, size_t n, size_t at, dtc_error *e)
{
  if (dtci_same(s, key, "model"))
    return read_model(r, s + key + 1, n - key - 1, at, e);
  const dtci_field *f = field_of_key(s, key);
  if (f == NULL || f->type == DTCI_BOOL)
    return fail_at(DTC_E_UNKNOWN, DTC_RULE_PLAN_WORD, DTCI_ARG(TEXT), at, e);
  TRY(once(r, f->offset, id_of(f), at, e));
  return write_value(r, f, s + key + 1, n - key - 1, at + key + 1, e);
}

/* sp, nosp, a framework */
static dtc_status read_bare(reader *r, const char *s, size_t n, size_t at, dtc_error *e)
{
  int known = 0;
  TRY(read_framework(r, s, n, at, &known, e));
  if (known)
    return DTC_OK;
  size_t no = n > 2 && s[0] == 'n' && s[1] == 'o' ? 2 : 0;
  const dtci_field *f = field_of_key(s + no, n - no);
  if (f == NULL || f->type != DTCI_BOOL)
    return fail_at(DTC_E_UNKNOWN, DTC_RULE_PLAN_WORD, DTCI_ARG(TEXT), at, e);
  TRY(once(r, f->offset, id_of(f), at, e));
  dtci_write(r->plan, f, no ? DTC_BOOL_OFF : DTC_BOOL_ON);
  return DTC_OK;
}

static dtc_status read_plan(reader *r, dtc_error *e)
{
  while (r->pos < r->end) {
    size_t at = r->pos;
    if (is_space(r->text[at])) {
      r->pos++;
      continue;
    }
    size_t n = 0;
    size_t key = SIZE_MAX;
    for (; at + n < r->end && !is_space(r->text[at + n]); n++)
      if (r->text[at + n] == '=' && key == SIZE_MAX)
        key = n;
    r->pos = at + n;
    if (key != SIZE_MAX)
      TRY(read_pair(r, r->text + at, key, n, at, e));
    else
      TRY(read_bare(r, r->text + at, n, at, e));
  }
  return DTC_OK;
}

dtc_status dtc_plan_parse(const char *text, size_t len, dtc_model *model, dtc_plan *plan, dtc_error *err)
{
  dtc_error e;
  dtc_plan p;
  dtc_model m;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  memset(&p, 0, sizeof p);
  p.struct_size = sizeof p;
  reader r = {.text = text, .plan = &p, .model = model != NULL ? &m : NULL};
  find_plan(&r, text != NULL ? len : 0);
  dtc_status s = read_plan(&r, &e);
  uint32_t named = r.seen[0];
  /* Both outputs or none: their sizes are tried before either is written. */
  s = s != DTC_OK ? s : dtci_out_ok(plan, DTC_STRUCT_plan, &e);
  if (s == DTC_OK && model != NULL)
    s = dtci_out_ok(model, DTC_STRUCT_model, &e);
  if (s == DTC_OK && model != NULL && named)
    s = dtci_out(model, DTC_STRUCT_model, &m, &e);
  return dtci_end(s != DTC_OK ? s : dtci_out(plan, DTC_STRUCT_plan, &p, &e), &e, err);
}

/* ---- writing --------------------------------------------------------------------------------- */

static void put_word(dtci_text *t, const char *key, const dtci_field *f, const dtc_plan *p)
{
  uint64_t v = dtci_read(p, f);
  if (v == 0)
    return;
  dtci_puts(t, " ");
  if (f->type == DTCI_BOOL) {
    dtci_puts(t, v == DTC_BOOL_OFF ? "no" : "");
    dtci_puts(t, key);
    return;
  }
  dtci_puts(t, key);
  dtci_puts(t, "=");
  if (f->type == DTCI_ENUM)
    dtci_puts(t, dtc_value_name(id_of(f), v));
  else
    dtci_put_u64(t, v);
}

static void put_words(dtci_text *t, const dtc_plan *p)
{
  const dtci_struct *s = dtci_struct_of(DTC_STRUCT_plan);
  for (uint32_t i = 0; i < WORDS; i++)
    put_word(t, words[i].key, dtci_field_of(words[i].field), p);
  for (const dtci_field *f = &dtci_fields[s->first]; f != &dtci_fields[s->first + s->count]; f++)
    if (has_its_name(f))
      put_word(t, f->name, f, p);
}

static int name_char(char c)
{
  return dtci_is_name(c) || c == '.' || c == '-' || c == '/';
}

static dtc_status write_plan(const char *model_name, const dtc_plan *p, dtci_text *t, dtc_error *e)
{
  for (size_t i = 0; model_name != NULL && (i == 0 || model_name[i] != 0); i++)
    if (!name_char(model_name[i])) {
      dtci_fail(e, DTC_E_PARSE, DTC_RULE_PLAN_VALUE, DTCI_ARG(NAME), DTC_NONE);
      e->offset = i;
      return DTC_E_PARSE;
    }
  if (p->framework == DTC_FRAMEWORK_DEFAULT && p->framework_version != 0)
    return dtci_fail(e, DTC_E_CONFLICT, DTC_RULE_PLAN_VALUE, DTC_FIELD(plan, framework_version), p->framework_version);
  dtci_puts(t, tag);
  if (model_name != NULL) {
    dtci_puts(t, " model=");
    dtci_puts(t, model_name);
  }
  if (p->framework != DTC_FRAMEWORK_DEFAULT) {
    dtci_puts(t, " ");
    dtci_puts(t, dtc_value_name(DTC_FIELD(plan, framework), p->framework));
    if (p->framework_version != 0) {
      dtci_puts(t, "@");
      dtci_put_release(t, p->framework_version);
    }
  }
  put_words(t, p);
  dtci_end_text(t);
  return DTC_OK;
}

dtc_status dtc_plan_format(const char *model_name, const dtc_plan *plan, char *buf, size_t cap, size_t *len,
                           dtc_error *err)
{
  dtc_error e;
  dtc_plan p;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtci_text t = {buf, buf != NULL ? cap : 0, 0};
  dtc_status s = dtci_in(&p, DTC_STRUCT_plan, plan, &e);
  s = s != DTC_OK ? s : write_plan(model_name, &p, &t, &e);
  if (s == DTC_OK && len != NULL)
    *len = t.len;
  return dtci_end(s, &e, err);
}

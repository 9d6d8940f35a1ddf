/* Errors: numbers in, a line of text out. */
#include "internal/advise.h"
#include "internal/catalog.h"
#include "internal/nccl.h"
#include "internal/rules.h"
#include "internal/settings.h"
#include "internal/step.h"

int dtci_begin(dtc_error *e, const dtc_error *err)
{
  memset(e, 0, sizeof *e);
  e->struct_size = sizeof *e;
  return err == NULL || dtci_out_ok(err, DTC_STRUCT_error, e) == DTC_OK;
}

dtc_status dtci_end(dtc_status status, const dtc_error *e, dtc_error *err)
{
  dtc_error unused;
  if (status != DTC_OK && err != NULL)
    (void)dtci_out(err, DTC_STRUCT_error, e, &unused);
  return status;
}

dtc_status dtci_fail(dtc_error *e, dtc_status status, dtc_rule rule, uint32_t field, uint64_t got)
{
  *e = (dtc_error){
      .struct_size = sizeof *e,
      .status = status,
      .rule = rule,
      .field = field,
      .got = got,
      .other_got = DTC_NONE,
      .min = DTC_NONE,
      .max = DTC_NONE,
      .lower = DTC_NONE,
      .upper = DTC_NONE,
      .offset = DTC_NONE,
  };
  return status;
}

dtc_status dtci_fail_within(dtc_error *e, dtc_status status, dtc_rule rule, uint32_t field, uint64_t got, uint64_t min,
                            uint64_t max)
{
  dtci_fail(e, status, rule, field, got);
  e->min = min;
  e->max = max;
  return status;
}

dtc_status dtci_fail_range(dtc_error *e, uint32_t field, uint64_t got, uint64_t min, uint64_t max)
{
  return dtci_fail_within(e, DTC_E_RANGE, DTC_RULE_RANGE, field, got, min, max);
}

dtc_status dtci_check_range(dtc_error *e, uint32_t field, uint64_t got, uint64_t min, uint64_t max)
{
  return got >= min && got <= max ? DTC_OK : dtci_fail_range(e, field, got, min, max);
}

dtc_status dtci_check_double(dtc_error *e, uint32_t field, double got, double min, double max)
{
  if (got >= min && got <= max) /* false for NaN */
    return DTC_OK;
  return dtci_fail_range(e, field, dtci_word_of(got), dtci_word_of(min), dtci_word_of(max));
}

dtc_status dtci_fail_overflow(dtc_error *e, uint32_t field, uint64_t got)
{
  return dtci_fail(e, DTC_E_OVERFLOW, DTC_RULE_OVERFLOW, field, got);
}

dtc_status dtci_fail_name(dtc_error *e, dtc_rule rule, uint64_t nearest)
{
  dtci_fail(e, DTC_E_UNKNOWN, rule, DTCI_ARG(NAME), DTC_NONE);
  e->lower = nearest;
  return DTC_E_UNKNOWN;
}

dtc_status dtci_fail_index(dtc_error *e, uint64_t index, uint64_t count)
{
  dtci_fail(e, DTC_E_RANGE, DTC_RULE_INDEX, DTCI_ARG(INDEX), index);
  e->min = 0;
  e->max = count - 1;
  return DTC_E_RANGE;
}

dtc_status dtci_fail_space(dtc_error *e, uint64_t cap, uint64_t needed)
{
  dtci_fail(e, DTC_E_SPACE, DTC_RULE_SPACE, DTCI_ARG(OUT), cap);
  e->min = needed;
  return DTC_E_SPACE;
}

size_t dtci_count(uint64_t n)
{
  return n < SIZE_MAX ? (size_t)n : SIZE_MAX;
}

dtc_status dtci_scratch_in(const uint64_t *scratch, size_t n_scratch, uint64_t needed, dtc_error *e)
{
  uint64_t there = scratch != NULL ? n_scratch : 0;
  if (there >= needed)
    return DTC_OK;
  dtci_fail(e, DTC_E_SPACE, DTC_RULE_SCRATCH, DTCI_ARG(SCRATCH), there);
  e->min = needed;
  return DTC_E_SPACE;
}

/* ---- text ------------------------------------------------------------------------------------ */

static void put_field(dtci_text *t, uint32_t field)
{
  dtci_puts(t, dtc_field_name(field));
}

/* A value as its field's type says. */
static void put_value(dtci_text *t, uint32_t field, uint64_t v)
{
  const dtci_field *f = dtci_field_of(field);
  int is_double = field == DTCI_ARG(LATENCY) || field == DTCI_ARG(TRANSFER) || field == DTCI_ARG(FRACTION) ||
                  field == DTCI_ARG(SECONDS) || field == DTCI_ARG(ALPHA) || field == DTCI_ARG(BETA) ||
                  field == DTCI_ARG(GAMMA) || field == DTCI_ARG(BANDWIDTH);
  if (field >> 16 == DTC_STRUCT_setting) {
    dtci_setting_put(t, field, v);
  } else if (is_double || (f != NULL && f->type == DTCI_F64)) {
    dtci_put_f64(t, dtci_double_of(v));
  } else if (f != NULL && f->type == DTCI_RELEASE) {
    dtci_put_release(t, (uint32_t)v);
  } else {
    dtci_put_u64(t, v);
  }
}

static void put_enum(dtci_text *t, uint32_t field, uint64_t v)
{
  const char *name = dtc_value_name(field, v);
  if (name[0] == '?')
    put_value(t, field, v);
  else
    dtci_puts(t, name);
}

static void put_hf_types(dtci_text *t)
{
  for (uint32_t i = 0; i < dtci_hf_types_count; i++) {
    dtci_puts(t, i != 0 ? ", " : "");
    dtci_puts(t, dtci_hf_types[i].model_type);
  }
}

/* The nearest name of a catalogue, where there is one. */
static void put_name(dtci_text *t, int zh, const char *names, size_t count, size_t stride, uint64_t index)
{
  if (index >= count)
    return;
  dtci_puts(t, zh ? "；最接近的名称是 " : "; the nearest name is ");
  dtci_puts(t, names + index * stride);
}

/* "1 to 8", "1 or more", or the only legal value. */
static void put_range(dtci_text *t, uint32_t field, uint64_t min, uint64_t max, int zh)
{
  put_enum(t, field, min);
  if (max == UINT64_MAX) {
    dtci_puts(t, zh ? " 或更大" : " or more");
  } else if (max != min) {
    dtci_puts(t, zh ? " 到 " : " to ");
    put_enum(t, field, max);
  }
}

/* The range, where one is known. */
static void put_wanted(dtci_text *t, const dtc_error *e, int zh)
{
  if (e->min == DTC_NONE)
    return;
  dtci_puts(t, zh ? "；应为 " : "; wanted ");
  put_range(t, e->field, e->min, e->max, zh);
}

static void put_lower_upper(dtci_text *t, const dtc_error *e, int zh)
{
  if (e->lower != DTC_NONE)
    put_value(t, e->field, e->lower);
  if (e->lower != DTC_NONE && e->upper != DTC_NONE)
    dtci_puts(t, zh ? "、" : ", ");
  if (e->upper != DTC_NONE)
    put_value(t, e->field, e->upper);
}

static void put_nearest(dtci_text *t, const dtc_error *e, const char *field, int zh)
{
  if (e->lower == DTC_NONE && e->upper == DTC_NONE)
    return;
  dtci_puts(t, zh ? "；最接近的合法" : "; nearest legal");
  dtci_puts(t, field[0] != 0 ? " " : zh ? "值" : "");
  dtci_puts(t, field);
  dtci_puts(t, zh ? "：" : ": ");
  put_lower_upper(t, e, zh);
}

/* Values near by that divide everything, where there are any. */
static void put_even(dtci_text *t, const dtc_error *e, int zh)
{
  if (e->lower == DTC_NONE && e->upper == DTC_NONE)
    return;
  dtci_puts(t, zh ? "；均匀的 " : "; even ");
  put_field(t, e->field);
  dtci_puts(t, zh ? "：" : ": ");
  put_lower_upper(t, e, zh);
}

/* What is said of a key of a configuration; 0 when s[0..n) is none of its placeholders. */
static int put_key(dtci_text *t, const dtc_error *e, int zh, const char *s, size_t n)
{
  if (dtci_same(s, n, "takes")) {
    dtci_setting_put_takes(t, e->field, zh);
  } else if (dtci_same(s, n, "within")) {
    int inside = e->field >> 16 == DTC_STRUCT_setting;
    dtci_puts(t, !inside ? "" : zh ? "（在 " : " in ");
    dtci_puts(t, inside ? dtc_field_name(e->field) : "");
    dtci_puts(t, inside && zh ? " 中）" : "");
  } else if (dtci_same(s, n, "like")) {
    dtci_puts(t, e->other == 0 ? "" : zh ? "；最接近的名称是 " : "; the nearest name is ");
    dtci_puts(t, e->other == 0 ? "" : dtc_field_name(e->other));
  } else if (dtci_same(s, n, "instead")) {
    dtci_puts(t, e->other == 0 ? "" : zh ? "；请用 " : "; use ");
    dtci_puts(t, e->other == 0 ? "" : dtc_field_name(e->other));
  } else {
    return 0;
  }
  return 1;
}

/* Puts what the placeholder s[0..n) stands for. */
static void put_placeholder(dtci_text *t, const dtc_error *e, int zh, const char *s, size_t n)
{
  const dtci_struct *noun = dtci_struct_of(e->field >> 16);
  if (put_key(t, e, zh, s, n))
    return;
  if (dtci_same(s, n, "field"))
    put_field(t, e->field);
  else if (dtci_same(s, n, "other"))
    put_field(t, e->other);
  else if (dtci_same(s, n, "got"))
    put_value(t, e->field, e->got);
  else if (dtci_same(s, n, "value"))
    put_enum(t, e->field, e->got);
  else if (dtci_same(s, n, "other_got"))
    put_value(t, e->other, e->other_got);
  else if (dtci_same(s, n, "other_value"))
    put_enum(t, e->other, e->other_got);
  else if (dtci_same(s, n, "min"))
    put_value(t, e->field, e->min);
  else if (dtci_same(s, n, "max"))
    put_value(t, e->field, e->max);
  else if (dtci_same(s, n, "range"))
    put_range(t, e->field, e->min, e->max, zh);
  else if (dtci_same(s, n, "wanted"))
    put_wanted(t, e, zh);
  else if (dtci_same(s, n, "nearest"))
    put_nearest(t, e, "", zh);
  else if (dtci_same(s, n, "even"))
    put_even(t, e, zh);
  else if (dtci_same(s, n, "offset"))
    dtci_put_u64(t, e->offset);
  else if (dtci_same(s, n, "struct"))
    dtci_puts(t, noun != NULL ? noun->name : "?");
  else if (dtci_same(s, n, "hf_types"))
    put_hf_types(t);
  else if (dtci_same(s, n, "model"))
    put_name(t, zh, dtci_models[0].name, dtci_models_count, sizeof dtci_models[0], e->lower);
  else if (dtci_same(s, n, "gpu"))
    put_name(t, zh, dtci_gpus[0].name, dtci_gpus_count, sizeof dtci_gpus[0], e->lower);
  else if (dtci_same(s, n, "cluster"))
    put_name(t, zh, dtci_clusters[0].name, dtci_clusters_count, sizeof dtci_clusters[0], e->lower);
  else if (dtci_same(s, n, "software"))
    put_name(t, zh, dtci_softwares[0].name, dtci_softwares_count, sizeof dtci_softwares[0], e->lower);
  else if (dtci_same(s, n, "traits"))
    put_name(t, zh, dtci_traits[0].name, dtci_traits_count, sizeof dtci_traits[0], e->lower);
  else if (dtci_same(s, n, "nccl"))
    put_name(t, zh, dtci_nccl_systems[0].name, dtci_nccl_systems_count, sizeof dtci_nccl_systems[0], e->lower);
}

static void put_template(dtci_text *t, const dtc_error *e, int zh, const char *s)
{
  while (*s != 0) {
    size_t n = 0;
    while (s[n] != 0 && s[n] != '{')
      n++;
    dtci_put(t, s, n);
    s += n;
    if (*s == 0)
      return;
    for (n = 1; s[n] != 0 && s[n] != '}';)
      n++;
    put_placeholder(t, e, zh, s + 1, n - 1);
    s += n + (s[n] == '}');
  }
}

static void put_operand(dtci_text *t, uint32_t operand, int zh)
{
  const dtci_derived_row *row = &dtci_derived_rows[DTCI_DERIVED(operand)];
  if (DTCI_DERIVED(operand) != 0)
    dtci_puts(t, zh ? row->zh : row->en);
  else
    put_field(t, DTCI_FIELD(operand));
}

static void put_product(dtci_text *t, const uint32_t operands[DTCI_OPERANDS], uint32_t factor, int zh)
{
  if (factor > 1)
    dtci_put_u64(t, factor);
  for (int i = 0; i < DTCI_OPERANDS && operands[i] != 0; i++) {
    dtci_puts(t, i != 0 || factor > 1 ? " * " : "");
    put_operand(t, operands[i], zh);
  }
}

/* Names of the values whose bits are set. */
static void put_values(dtci_text *t, uint32_t field, uint64_t bits, int zh)
{
  int more = 0;
  for (uint64_t v = 0; v < 64; v++)
    if (bits >> v & 1) {
      dtci_puts(t, !more ? "" : zh ? "、" : ", ");
      put_enum(t, field, v);
      more = 1;
    }
}

/* "tp must divide heads", by the rule's hook. */
static void put_relation(dtci_text *t, const dtc_error *e, const dtci_rule_row *row, int zh)
{
  static const char words[][2][40] = {
      [DTCI_DIVIDES] = {" must divide ", " 必须整除 "},
      [DTCI_EITHER] = {" must divide or be a multiple of ", " 必须整除或被整除于 "},
      [DTCI_AT_MOST] = {" must be at most ", " 不得超过 "},
      [DTCI_EQUALS] = {" must equal ", " 必须等于 "},
      [DTCI_NEEDS] = {" must be ", " 必须为 "},
      [DTCI_ONE_OF] = {" must be one of ", " 必须为以下之一："},
      [DTCI_EXCLUDES] = {" does not go with ", " 不能用于 "},
  };
  if (row->hook == DTCI_NEEDS && DTCI_FIELD(row->need.field) >> 16 == DTC_STRUCT_setting &&
      (row->need.field & DTCI_GIVEN)) {
    static const char given[2][2][32] = {{" must not be given", " 不得给出"}, {" must be given", " 必须给出"}};
    put_field(t, e->other);
    dtci_puts(t, given[row->need.min > 0][zh]);
  } else if (row->hook == DTCI_NEEDS) {
    put_field(t, e->other);
    dtci_puts(t, words[DTCI_NEEDS][zh]);
    put_range(t, e->other, e->min, e->max, zh);
  } else if (row->hook == DTCI_ONE_OF) {
    put_field(t, e->field);
    dtci_puts(t, words[DTCI_ONE_OF][zh]);
    put_values(t, e->field, row->need.min, zh);
  } else if (row->hook == DTCI_EXCLUDES) {
    put_field(t, e->field);
    dtci_puts(t, words[DTCI_EXCLUDES][zh]);
    put_operand(t, dtci_rule_other(row, row->fix), zh);
  } else {
    put_product(t, row->left, row->factor, zh);
    dtci_puts(t, words[row->hook][zh]);
    put_product(t, row->right, 1, zh);
  }
}

/* Is there a value to tell? Keys of a configuration may have none. */
static int has_value(uint32_t field, uint64_t value)
{
  return field >> 16 != DTC_STRUCT_setting || (value != DTC_NONE && dtci_setting_tells(field));
}

/* " (heads = 64)"; nothing where a number stands for itself. */
static void put_other(dtci_text *t, const dtc_error *e, const dtci_rule_row *row, int zh)
{
  int compares = row->hook != DTCI_NEEDS && row->hook != DTCI_ONE_OF && row->hook != DTCI_EXCLUDES;
  int left = DTCI_FIELD(row->left[0]) == e->other;
  if (e->other == 0 || !has_value(e->other, e->other_got))
    return;
  dtci_puts(t, zh ? "（" : " (");
  if (compares)
    put_product(t, left ? row->left : row->right, left ? row->factor : 1, zh);
  else
    put_operand(t, dtci_rule_other(row, row->fix), zh);
  dtci_puts(t, " = ");
  put_enum(t, e->other, e->other_got);
  dtci_puts(t, zh ? "）" : ")");
}

/* "tp = 7: tp must divide heads (heads = 64): each rank holds whole attention heads; nearest legal: 4, 8" */
static void put_finding(dtci_text *t, const dtc_error *e, const dtci_rule_row *row, int zh)
{
  int product = e->field >> 16 == DTC_STRUCT_layout && dtci_rule_multiplies(row, e->field);
  if (product)
    put_product(t, row->left, row->factor, zh);
  else
    put_field(t, e->field);
  if (has_value(e->field, e->got)) {
    dtci_puts(t, " = ");
    put_enum(t, e->field, e->got);
  }
  dtci_puts(t, zh ? "：" : ": ");
  put_relation(t, e, row, zh);
  put_other(t, e, row, zh);
  dtci_puts(t, zh ? "：" : ": ");
  dtci_puts(t, zh ? row->zh : row->en);
  put_nearest(t, e, product ? dtc_field_name(e->field) : "", zh);
}

size_t dtc_error_format(const dtc_error *err, dtc_lang lang, char *buf, size_t cap)
{
  dtci_text t = {buf, buf != NULL ? cap : 0, 0};
  dtc_error e;
  dtc_error unused;
  int zh = lang == DTC_LANG_ZH;
  if (dtci_in(&e, DTC_STRUCT_error, err, &unused) != DTC_OK)
    dtci_puts(&t, zh ? "错误结构无效" : "not a valid dtc_error");
  else if (e.status == DTC_OK)
    dtci_puts(&t, zh ? "成功" : "ok");
  else {
    const dtci_rule_row *row = dtci_rule_of(e.rule);
    if (row == NULL)
      dtci_puts(&t, zh ? "未知错误" : "unknown error");
    else if (row->hook == DTCI_TEXT || row->hook == DTCI_WHEN)
      put_template(&t, &e, zh, zh ? row->zh : row->en);
    else
      put_finding(&t, &e, dtci_setting_rule_about(row, e.field), zh);
  }
  dtci_end_text(&t);
  return t.len;
}

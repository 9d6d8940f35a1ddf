/* Struct sizes in and out, the range of every field, errors and their texts, names, versions, numbers as text. */
#include "check.h"

#include <math.h>
#include <stdlib.h>

#include <dtcore.h>
#include "internal/settings.h"

enum { STRUCT_MAX = 4096 };

static uint64_t bits(double v)
{
  uint64_t b = 0;
  memcpy(&b, &v, sizeof b);
  return b;
}

/* ---- size-first structs ------------------------------------------------------------------------------------------- */

static int is_sized(const dtci_struct *s)
{
  return strcmp(dtci_fields[s->first].name, "struct_size") == 0;
}

/* A struct of exactly `size` bytes, so that the address sanitizer sees a byte too many; every known field legal. */
static unsigned char *make(const dtci_struct *s, uint32_t size)
{
  unsigned char *p = calloc(1, size);
  assert_non_null(p);
  for (uint32_t i = 0; i < s->count; i++)
    dtci_write(p, &dtci_fields[s->first + i], dtci_fields[s->first + i].min);
  memcpy(p, &size, sizeof size);
  return p;
}

static void fields_tile_every_struct(void **state)
{
  (void)state;
  assert_int_equal(dtci_structs_count, 90);
  for (uint32_t i = 0; i < dtci_structs_count; i++) {
    const dtci_struct *s = &dtci_structs[i];
    uint32_t end = 0;
    for (uint32_t k = 0; k < s->count; k++) {
      const dtci_field *f = &dtci_fields[s->first + k];
      assert_int_equal(f->offset, end); /* no padding */
      end += (uint32_t)dtci_field_size(f);
    }
    assert_int_equal(end, s->size);
  }
}

static void wrong_sizes_are_refused(void **state)
{
  (void)state;
  for (uint32_t i = 0; i < dtci_structs_count; i++) {
    const dtci_struct *s = &dtci_structs[i];
    uint32_t wrong[] = {0, 1, s->size - 1u, STRUCT_MAX + 1, UINT32_MAX};
    for (size_t k = 0; is_sized(s) && k < sizeof wrong / sizeof wrong[0]; k++) {
      unsigned char *user = make(s, s->size);
      unsigned char local[1024];
      unsigned char before[1024];
      dtc_error e;
      memset(local, 0xa5, sizeof local);
      memcpy(before, local, sizeof before);
      memcpy(user, &wrong[k], sizeof wrong[k]);
      assert_int_equal(dtci_in(local, s->number, user, &e), DTC_E_SIZE);
      assert_int_equal(e.rule, DTC_RULE_STRUCT_SIZE);
      assert_int_equal(e.field, (uint32_t)s->number << 16);
      assert_true(e.got == wrong[k] && e.min == s->size && e.max == STRUCT_MAX);
      assert_memory_equal(local, before, sizeof local);
      assert_int_equal(dtci_out(user, s->number, local, &e), DTC_E_SIZE);
      assert_memory_equal(user, &wrong[k], sizeof wrong[k]);
      free(user);
    }
  }
}

static void no_struct_at_all_is_refused(void **state)
{
  (void)state;
  dtc_model m = check_shape(DTC_ARCH_LLAMA, 1, 8, 2, 16);
  dtc_error e;
  DTC_INIT(&e);
  assert_int_equal(dtc_model_resolve(NULL, &m, &e), DTC_E_SIZE);
  assert_true(e.field == (uint32_t)DTC_STRUCT_model << 16 && e.got == 0);
  assert_int_equal(dtc_model_resolve(&m, NULL, &e), DTC_E_SIZE);
}

static void a_longer_struct_with_a_zero_tail_is_read(void **state)
{
  (void)state;
  for (uint32_t i = 0; i < dtci_structs_count; i++) {
    const dtci_struct *s = &dtci_structs[i];
    uint32_t sizes[] = {s->size, s->size + 1u, s->size + 8u, STRUCT_MAX};
    for (size_t k = 0; is_sized(s) && k < sizeof sizes / sizeof sizes[0]; k++) {
      unsigned char *user = make(s, sizes[k]);
      unsigned char local[1024] = {0};
      dtc_error e;
      uint32_t size = 0;
      assert_int_equal(dtci_in(local, s->number, user, &e), DTC_OK);
      memcpy(&size, local, sizeof size);
      assert_int_equal(size, s->size);
      assert_memory_equal(local + sizeof size, user + sizeof size, s->size - sizeof size);
      free(user);
    }
  }
}

static void an_unknown_tail_that_is_set_is_refused(void **state)
{
  (void)state;
  for (uint32_t i = 0; i < dtci_structs_count; i++) {
    const dtci_struct *s = &dtci_structs[i];
    uint32_t size = s->size + 16u;
    for (uint32_t at = s->size; is_sized(s) && at < size; at++) {
      unsigned char *user = make(s, size);
      unsigned char local[1024] = {0};
      unsigned char before[1024] = {0};
      dtc_error e;
      user[at] = 0x80;
      assert_int_equal(dtci_in(local, s->number, user, &e), DTC_E_NEWER);
      assert_int_equal(e.rule, DTC_RULE_STRUCT_NEWER);
      assert_true(e.got == at && e.max == s->size);
      assert_int_equal(e.field, (uint32_t)s->number << 16);
      assert_memory_equal(local, before, sizeof local);
      free(user);
    }
  }
}

static void outputs_keep_their_size_and_unknown_tails_become_zero(void **state)
{
  (void)state;
  for (uint32_t i = 0; i < dtci_structs_count; i++) {
    const dtci_struct *s = &dtci_structs[i];
    uint32_t sizes[] = {s->size, s->size + 1u, s->size + 24u, STRUCT_MAX};
    for (size_t k = 0; is_sized(s) && k < sizeof sizes / sizeof sizes[0]; k++) {
      unsigned char *local = make(s, s->size);
      unsigned char *user = malloc(sizes[k]);
      uint32_t size = 0;
      dtc_error e;
      memset(user, 0xff, sizes[k]);
      memcpy(user, &sizes[k], sizeof sizes[k]);
      assert_int_equal(dtci_out(user, s->number, local, &e), DTC_OK);
      memcpy(&size, user, sizeof size);
      assert_int_equal(size, sizes[k]);
      assert_memory_equal(user + sizeof size, local + sizeof size, s->size - sizeof size);
      for (uint32_t at = s->size; at < sizes[k]; at++)
        assert_int_equal(user[at], 0);
      free(user);
      free(local);
    }
  }
}

static void arrays_have_the_stride_of_their_first_element(void **state)
{
  (void)state;
  enum { STRIDE = sizeof(dtc_tensor) + 8, COUNT = 3 };
  unsigned char *array = malloc(COUNT * STRIDE);
  uint32_t stride = STRIDE;
  dtc_tensor t;
  dtc_error e;
  DTC_INIT(&t);
  memset(array, 0xff, COUNT * STRIDE);
  memcpy(array, &stride, sizeof stride);
  for (size_t i = 0; i < COUNT; i++) {
    uint64_t tail = 1;
    dtc_tensor got;
    t.numel = 100 + i;
    assert_int_equal(dtci_out_at(array, i, DTC_STRUCT_tensor, &t, &e), DTC_OK);
    memcpy(&got, array + i * STRIDE, sizeof got);
    memcpy(&tail, array + i * STRIDE + sizeof got, sizeof tail);
    assert_true(got.numel == 100 + i && got.struct_size == STRIDE && tail == 0);
  }
  memset(array, 0, sizeof stride);
  assert_int_equal(dtci_out_at(array, 0, DTC_STRUCT_tensor, &t, &e), DTC_E_SIZE);
  free(array);
}

static void a_longer_model_may_be_its_own_output(void **state)
{
  (void)state;
  struct {
    dtc_model m;
    uint64_t tail[3];
  } longer;
  memset(&longer, 0, sizeof longer);
  longer.m = check_shape(DTC_ARCH_LLAMA, 2, 8, 2, 16);
  longer.m.struct_size = sizeof longer;
  assert_int_equal(dtc_model_resolve(&longer.m, &longer.m, NULL), DTC_OK);
  assert_int_equal(longer.m.struct_size, sizeof longer);
  assert_true(longer.m.ffn == 32 && longer.tail[0] == 0 && longer.tail[2] == 0);
}

/* ---- ranges ------------------------------------------------------------------------------------------------------- */

/* Reads one struct through the public function that takes it. The output has no valid size: it may not be reached. */
static dtc_status resolve(uint32_t noun, const void *user, dtc_error *err)
{
  dtc_model m = check_shape(DTC_ARCH_LLAMA, 2, 8, 2, 16);
  uint32_t no_size = 0;
  switch (noun) {
  case DTC_STRUCT_model:
    return dtc_model_resolve(user, (dtc_model *)(void *)&no_size, err);
  case DTC_STRUCT_cluster:
    return dtc_cluster_resolve(user, (dtc_cluster *)(void *)&no_size, err);
  default:
    return dtc_plan_resolve(&m, NULL, user, (dtc_plan *)(void *)&no_size, err);
  }
}

static void check_bad(const dtci_struct *s, const dtci_field *f, uint64_t bad)
{
  unsigned char *user = make(s, s->size);
  dtc_error e;
  DTC_INIT(&e);
  dtci_write(user, f, bad);
  if (resolve(s->number, user, &e) != DTC_E_RANGE || e.field != ((uint32_t)s->number << 16 | f->offset))
    fail_msg("%s.%s = %llu: status %d, field %s", s->name, f->name, (unsigned long long)bad, (int)e.status,
             dtc_field_name(e.field));
  assert_true(e.rule == DTC_RULE_RANGE && e.got == bad && e.min == f->min && e.max == f->max);
  assert_int_equal(e.status, DTC_E_RANGE);
  assert_string_equal(dtc_field_name(e.field), f->name);
  free(user);
}

static void check_field(const dtci_struct *s, const dtci_field *f)
{
  static const double never[] = {-1.0, -5e-324, (double)NAN, -(double)NAN, (double)INFINITY, -(double)INFINITY, 1e300};
  dtc_error e;
  if (f->type == DTCI_F64) {
    for (size_t k = 0; k < sizeof never / sizeof never[0]; k++)
      check_bad(s, f, bits(never[k]));
    check_bad(s, f, f->max + 1); /* the next double */
    check_bad(s, f, UINT64_MAX); /* a NaN too */
  } else {
    uint64_t widest = UINT64_MAX >> (64 - 8 * dtci_field_size(f));
    if (f->max < widest) {
      check_bad(s, f, f->max + 1);
      check_bad(s, f, widest);
      check_bad(s, f, widest / 2 + 1);
    }
    if (f->min > 0)
      check_bad(s, f, f->min - 1);
  }
  unsigned char *user = make(s, s->size);
  dtci_write(user, f, f->max);
  assert_int_equal(dtci_ranges(user, s->number, &e), DTC_OK);
  free(user);
}

static void every_field_outside_its_range_is_named(void **state)
{
  (void)state;
  uint32_t checked = 0;
  for (uint32_t i = 0; i < dtci_structs_count; i++) {
    const dtci_struct *s = &dtci_structs[i];
    if (s->number != DTC_STRUCT_model && s->number != DTC_STRUCT_cluster && s->number != DTC_STRUCT_plan)
      continue;
    for (uint32_t k = 1; k < s->count; k++, checked++)
      check_field(s, &dtci_fields[s->first + k]);
  }
  assert_int_equal(checked, 44 + 29 + 85);
}

/* What is 0 today can become a field tomorrow. */
static void padding_of_what_is_given_is_zero(void **state)
{
  (void)state;
  dtc_collective_time time;
  dtc_error e;
  DTC_INIT(&time);
  DTC_INIT(&e);
  dtc_cluster c;
  DTC_INIT(&c);
  assert_int_equal(dtc_gpu_find("h100-80gb", &c, NULL), DTC_OK);
  dtc_collective_call call = {.struct_size = sizeof call, .bytes = 1 << 20, .ranks = 8, .pad = 1};
  assert_int_equal(dtc_collective_estimate(&c, &call, &time, &e), DTC_E_RANGE);
  assert_true(e.field == DTC_FIELD(collective_call, pad) && e.rule == DTC_RULE_RANGE && e.got == 1 && e.max == 0);
  uint32_t checked = 0;
  for (uint32_t i = 0; i < dtci_structs_count; i++) {
    const dtci_struct *s = &dtci_structs[i];
    for (uint32_t k = 1; k < s->count; k++) {
      const dtci_field *f = &dtci_fields[s->first + k];
      if (strcmp(f->name, "pad") != 0)
        continue;
      assert_true(f->min == 0 && f->max == 0);
      checked++;
    }
  }
  assert_true(checked > 20);
}

/* ---- errors as numbers -------------------------------------------------------------------------------------------- */

static void an_error_struct_is_optional(void **state)
{
  (void)state;
  dtc_model m = check_shape(DTC_ARCH_LLAMA, 2, 8, 3, 16);
  assert_int_equal(dtc_model_resolve(&m, &m, NULL), DTC_E_DIVIDE);
}

static void an_error_struct_of_a_wrong_size_is_refused_first(void **state)
{
  (void)state;
  static const uint32_t wrong[] = {0, sizeof(dtc_error) - 1, STRUCT_MAX + 1, UINT32_MAX};
  for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
    dtc_model m = check_shape(DTC_ARCH_LLAMA, 2, 8, 2, 16);
    dtc_model before = m;
    dtc_error e;
    dtc_error same;
    memset(&e, 0x5a, sizeof e);
    e.struct_size = wrong[k];
    same = e;
    assert_int_equal(dtc_model_resolve(&m, &m, &e), DTC_E_SIZE);
    assert_memory_equal(&m, &before, sizeof m);
    assert_memory_equal(&e, &same, sizeof e);
  }
}

static void success_leaves_the_error_struct_alone(void **state)
{
  (void)state;
  dtc_model m = check_shape(DTC_ARCH_LLAMA, 2, 8, 2, 16);
  dtc_error e;
  dtc_error same;
  memset(&e, 0x5a, sizeof e);
  e.struct_size = sizeof e;
  same = e;
  assert_int_equal(dtc_model_resolve(&m, &m, &e), DTC_OK);
  assert_memory_equal(&e, &same, sizeof e);
}

static void a_longer_error_struct_keeps_its_size(void **state)
{
  (void)state;
  struct {
    dtc_error e;
    uint64_t tail;
  } longer;
  dtc_model m = check_shape(DTC_ARCH_LLAMA, 0, 8, 2, 16);
  memset(&longer, 0xff, sizeof longer);
  longer.e.struct_size = sizeof longer;
  assert_int_equal(dtc_model_resolve(&m, &m, &longer.e), DTC_E_RANGE);
  assert_int_equal(longer.e.struct_size, sizeof longer);
  assert_int_equal(longer.e.field, DTC_FIELD(model, layers));
  assert_true(longer.e.got == 0 && longer.e.min == 1 && longer.e.max == 1 << 20 && longer.tail == 0);
  assert_true(longer.e.other == 0 && longer.e.other_got == DTC_NONE && longer.e.lower == DTC_NONE);
  assert_true(longer.e.upper == DTC_NONE && longer.e.offset == DTC_NONE);
  assert_int_equal(longer.e.severity, DTC_SEVERITY_ERROR);
}

/* Every output of a call that fails keeps every byte. */
static void outputs_are_untouched_by_errors(void **state)
{
  (void)state;
  dtc_model bad = check_shape(DTC_ARCH_LLAMA, 0, 8, 2, 16);
  dtc_model good = check_shape(DTC_ARCH_LLAMA, 1, 8, 2, 16);
  dtc_cluster no_memory;
  dtc_plan plan;
  DTC_INIT(&no_memory);
  DTC_INIT(&plan);
  plan.tp = 3;
  union {
    dtc_model model;
    dtc_params params;
    dtc_tensor tensor;
    dtc_cluster cluster;
    dtc_plan plan;
    dtc_stage stage;
    size_t count;
    uint64_t wide;
    double number;
    unsigned char bytes[1024];
  } out, before;
#define UNTOUCHED(size, status, call)                                                                                  \
  do {                                                                                                                 \
    uint32_t out_size = (uint32_t)(size);                                                                              \
    memset(&out, 0xa5, sizeof out);                                                                                    \
    if (out_size != 0)                                                                                                 \
      memcpy(&out, &out_size, sizeof out_size);                                                                        \
    before = out;                                                                                                      \
    assert_int_equal(call, status);                                                                                    \
    assert_memory_equal(&out, &before, sizeof out);                                                                    \
  } while (0)
  UNTOUCHED(sizeof(dtc_model), DTC_E_UNKNOWN, dtc_model_find("no such model", &out.model, NULL));
  UNTOUCHED(sizeof(dtc_model), DTC_E_RANGE, dtc_model_resolve(&bad, &out.model, NULL));
  UNTOUCHED(sizeof(dtc_model), DTC_E_PARSE, dtc_model_from_hf("{", 1, &out.model, NULL));
  UNTOUCHED(sizeof(dtc_params), DTC_E_RANGE, dtc_model_params(&bad, &out.params, NULL));
  UNTOUCHED(0, DTC_E_RANGE, dtc_model_tensor_count(&bad, &out.wide, NULL));
  UNTOUCHED(sizeof(dtc_tensor), DTC_E_RANGE, dtc_model_tensor(&bad, 0, &out.tensor, NULL));
  UNTOUCHED(sizeof(dtc_tensor), DTC_E_RANGE, dtc_model_tensor(&good, 12, &out.tensor, NULL));
  UNTOUCHED(0, DTC_E_RANGE, dtc_model_tensor_name(&good, 12, NULL, 0, &out.count, NULL));
  UNTOUCHED(0, DTC_E_RANGE, dtc_model_flops(&bad, 1, 0, &out.number, NULL));
  UNTOUCHED(0, DTC_E_RANGE, dtc_model_flops(&good, 0, 0, &out.number, NULL));
  UNTOUCHED(sizeof(dtc_cluster), DTC_E_RANGE, dtc_cluster_resolve(&no_memory, &out.cluster, NULL));
  UNTOUCHED(sizeof(dtc_cluster), DTC_E_UNKNOWN, dtc_gpu_find("no such GPU", &out.cluster, NULL));
  UNTOUCHED(sizeof(dtc_cluster), DTC_E_UNKNOWN, dtc_cluster_find("no such", &out.cluster, NULL));
  UNTOUCHED(sizeof(dtc_plan), DTC_E_DIVIDE, dtc_plan_resolve(&good, NULL, &plan, &out.plan, NULL));
  UNTOUCHED(sizeof(dtc_stage), DTC_E_DIVIDE, dtc_plan_stage(&good, &plan, 0, &out.stage, NULL));
  UNTOUCHED(0, DTC_E_DIVIDE, dtc_ledger_rows(&good, &plan, DTC_LAYER_KIND_DENSE, NULL, 0, &out.count, NULL));
  plan.tp = 1;
  UNTOUCHED(0, DTC_E_RANGE, dtc_ledger_rows(&good, &plan, 9, NULL, 0, &out.count, NULL));
  UNTOUCHED(8, DTC_E_SIZE, dtc_model_resolve(&good, &out.model, NULL));
  UNTOUCHED(8, DTC_E_SIZE, dtc_model_params(&good, &out.params, NULL));
  UNTOUCHED(8, DTC_E_SIZE, dtc_model_tensor(&good, 0, &out.tensor, NULL));
  UNTOUCHED(8, DTC_E_SIZE, dtc_plan_resolve(&good, NULL, &plan, &out.plan, NULL));
#undef UNTOUCHED
}

/* ---- errors as text ----------------------------------------------------------------------------------------------- */

/* An error that gives every placeholder a value. */
static dtc_error sample(const dtci_rule_row *row)
{
  dtc_error e;
  DTC_INIT(&e);
  e.status = row->status;
  e.severity = row->severity;
  e.rule = row->rule;
  uint32_t fix = row->fix != 0 ? row->fix : row->left[0];
  e.field = row->hook == DTCI_TEXT ? DTC_FIELD(plan, tp) : DTCI_FIELD(fix);
  e.other = row->rule >= DTC_RULE_HF_TYPE && row->rule <= DTC_RULE_HF_CONFLICT ? (uint32_t)DTC_STRUCT_hf << 16 | 2
                                                                               : DTC_FIELD(model, heads);
  e.got = 1234567;
  e.other_got = 7654321;
  e.min = 11;
  e.max = 22;
  e.lower = 3;
  e.upper = UINT64_MAX - 1;
  e.offset = 98765;
  return e;
}

/* Cuts the line at every length. Buffers have exactly `cap` bytes, for the address sanitizer. */
static void check_cuts(const dtc_error *e, dtc_lang lang)
{
  char whole[1024];
  size_t len = dtc_error_format(e, lang, whole, sizeof whole);
  assert_in_range(len, 1, sizeof whole - 1);
  assert_int_equal(strlen(whole), len);
  assert_int_equal(check_utf8(whole), len);
  assert_int_equal(dtc_error_format(e, lang, NULL, 0), len);
  for (size_t cap = 1; cap <= len + 2; cap++) {
    char *buf = malloc(cap);
    memset(buf, 0x7f, cap);
    assert_int_equal(dtc_error_format(e, lang, buf, cap), len);
    assert_non_null(memchr(buf, 0, cap));
    size_t got = strlen(buf);
    assert_memory_equal(buf, whole, got);
    assert_int_equal(check_utf8(buf), got);
    size_t room = cap - 1 < len ? cap - 1 : len;
    assert_in_range(got, room < 3 ? 0 : room - 3, room);
    if (lang == DTC_LANG_EN)
      assert_int_equal(got, room);
    free(buf);
  }
}

/* Rows of every table: of calls and plans, layouts, pipes, and of settings by dialect. */
enum { ROWS_MOST = 2048 };

/* Every row that there is, and how many. */
static uint32_t gather(const dtci_rule_row *rows[ROWS_MOST])
{
  dtci_dialect d;
  uint32_t n = 0;
  for (uint32_t table = 0; dtci_rule_at(table, 0) != NULL; table++)
    for (uint32_t i = 0; dtci_rule_at(table, i) != NULL && n < ROWS_MOST; i++)
      rows[n++] = dtci_rule_at(table, i);
  for (uint32_t i = 0; i < dtci_lint_rules_count && n < ROWS_MOST; i++)
    rows[n++] = &dtci_lint_rules[i];
  for (dtc_dialect dialect = 1; dialect <= DTC_DIALECT_NCCL; dialect++)
    for (uint32_t i = 0; dtci_dialect_of(dialect, &d) && i < d.rules_count && n < ROWS_MOST; i++)
      rows[n++] = &d.rules[i].row;
  assert_true(n < ROWS_MOST);
  return n;
}

/* Findings of settings have their status in the row; several rows of a dialect may be one rule, about several keys. */
static int is_setting(const dtci_rule_row *row)
{
  return row->rule >= DTC_RULE_LINT_UNKNOWN && row->rule < DTC_RULE_NCCL_SYSTEM;
}

static void every_rule_has_a_line_in_both_languages(void **state)
{
  (void)state;
  const dtci_rule_row *all[ROWS_MOST];
  const uint32_t n = gather(all);
  for (uint32_t i = 0; i < n; i++) {
    const dtci_rule_row *row = all[i];
    dtc_error e = sample(row);
    char en[1024];
    char zh[1024];
    assert_non_null(memchr(row->en, 0, sizeof row->en));
    assert_non_null(memchr(row->zh, 0, sizeof row->zh));
    assert_true(row->en[0] != 0 && row->zh[0] != 0);
    assert_int_equal(row->status != DTC_OK, row->hook != DTCI_TEXT || is_setting(row));
    (void)dtc_error_format(&e, DTC_LANG_EN, en, sizeof en);
    (void)dtc_error_format(&e, DTC_LANG_ZH, zh, sizeof zh);
    assert_true(strcmp(en, zh) != 0 && strcmp(en, "unknown error") != 0);
    assert_null(strpbrk(en, "{}?"));
    assert_null(strpbrk(zh, "{}?"));
    for (const char *c = en; *c != 0; c++)
      assert_in_range(*c, 0x20, 0x7e);
  }
}

static void every_rule_line_is_cut_at_a_character(void **state)
{
  (void)state;
  const dtci_rule_row *all[ROWS_MOST];
  const uint32_t n = gather(all);
  for (uint32_t i = 0; i < n; i++) {
    dtc_error e = sample(all[i]);
    check_cuts(&e, DTC_LANG_EN);
    check_cuts(&e, DTC_LANG_ZH);
  }
}

static void every_rule_number_has_one_row(void **state)
{
  (void)state;
  const dtci_rule_row *all[ROWS_MOST];
  const uint32_t n = gather(all);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t rows = 0;
    for (uint32_t k = 0; k < n; k++)
      rows += all[k]->rule == all[i]->rule;
    if (!is_setting(all[i])) {
      assert_int_equal(rows, 1);
      assert_ptr_equal(dtci_rule_of(all[i]->rule), all[i]);
    } else if (i > 0 && all[i - 1]->rule != all[i]->rule) { /* the first of its rows */
      assert_ptr_equal(dtci_rule_of(all[i]->rule), all[i]);
    }
  }
  assert_null(dtci_rule_of(DTC_RULE_NONE));
}

/* How often {word} stands in a template. */
static uint32_t uses(const char *text, const char *word)
{
  size_t n = strlen(word);
  uint32_t count = 0;
  for (const char *s = strchr(text, '{'); s != NULL; s = strchr(s + 1, '{'))
    count += strncmp(s + 1, word, n) == 0 && s[n + 1] == '}';
  return count;
}

static void placeholders_are_known_and_the_same_in_both_languages(void **state)
{
  (void)state;
  static const char words[][12] = {"field",   "other",   "got",      "value",  "other_got", "other_value", "min",
                                   "max",     "range",   "wanted",   "offset", "struct",    "hf_types",    "model",
                                   "gpu",     "cluster", "nearest",  "even",   "takes",     "within",      "like",
                                   "instead", "nccl",    "software", "traits"};
  const dtci_rule_row *all[ROWS_MOST];
  const uint32_t n = gather(all);
  for (uint32_t i = 0; i < n; i++) {
    const dtci_rule_row *row = all[i];
    uint32_t braces = 0;
    uint32_t known = 0;
    for (const char *s = row->en; *s != 0; s++)
      braces += *s == '{';
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++) {
      known += uses(row->en, words[k]);
      assert_int_equal(uses(row->en, words[k]), uses(row->zh, words[k]));
    }
    assert_int_equal(known, braces);
    assert_true(row->hook == DTCI_TEXT || row->hook == DTCI_WHEN || braces == 0);
  }
}

static void check_line(const dtc_error *e, dtc_lang lang, const char *line)
{
  char buf[512];
  assert_int_equal(dtc_error_format(e, lang, buf, sizeof buf), strlen(line));
  assert_string_equal(buf, line);
}

static void lines_say_value_rule_and_nearest(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-3-70b");
  dtc_plan p;
  dtc_error e;
  DTC_INIT(&p);
  DTC_INIT(&e);
  p.tp = 7;
  assert_int_equal(dtc_plan_resolve(&m, NULL, &p, &p, &e), DTC_E_DIVIDE);
  check_line(&e, DTC_LANG_EN,
             "tp = 7: tp must divide heads (heads = 64): each rank holds whole attention heads; nearest legal: 4, 8");
  check_line(&e, DTC_LANG_ZH,
             "tp = 7：tp 必须整除 heads（heads = 64）：每个 rank 持有完整的注意力头；最接近的合法值：4、8");
  m.layers = 0;
  assert_int_equal(dtc_model_resolve(&m, &m, &e), DTC_E_RANGE);
  check_line(&e, DTC_LANG_EN, "layers = 0: must be 1 to 1048576");
  check_line(&e, DTC_LANG_ZH, "layers = 0：必须为 1 到 1048576");
  m = check_named("gpt2");
  m.context = 0;
  assert_int_equal(dtc_model_resolve(&m, &m, &e), DTC_E_CONFLICT);
  check_line(&e, DTC_LANG_EN, "context = 0: must be 1 or more with position = learned");
  m.struct_size = 12;
  assert_int_equal(dtc_model_resolve(&m, &m, &e), DTC_E_SIZE);
  check_line(&e, DTC_LANG_EN, "model.struct_size = 12: must be 304 to 4096; use DTC_INIT()");
}

static void doubles_in_errors_are_read_as_such(void **state)
{
  (void)state;
  dtc_cluster c;
  dtc_error e;
  DTC_INIT(&c);
  DTC_INIT(&e);
  c.memory = (uint64_t)80 << 30;
  c.bf16 = -1.5;
  assert_int_equal(dtc_cluster_resolve(&c, &c, &e), DTC_E_RANGE);
  check_line(&e, DTC_LANG_EN, "bf16 = -1.5: must be 0 to 1e+18");
}

static void what_is_no_error_says_so(void **state)
{
  (void)state;
  dtc_error e;
  DTC_INIT(&e);
  check_line(&e, DTC_LANG_EN, "ok");
  check_line(&e, DTC_LANG_ZH, "成功");
  check_line(NULL, DTC_LANG_EN, "not a valid dtc_error");
  check_line(NULL, DTC_LANG_ZH, "错误结构无效");
  e.status = DTC_E_RANGE;
  e.rule = 99;
  check_line(&e, DTC_LANG_EN, "unknown error");
  e.rule = DTC_RULE_RANGE;
  e.severity = 7;
  check_line(&e, DTC_LANG_EN, "not a valid dtc_error");
  e.severity = 0;
  e.struct_size = 3;
  check_line(&e, DTC_LANG_EN, "not a valid dtc_error");
  check_cuts(&e, DTC_LANG_ZH);
}

/* ---- versions and names ------------------------------------------------------------------------------------------- */

static void versions_agree(void **state)
{
  (void)state;
  assert_int_equal(dtc_version(), 1000000);
  assert_int_equal(dtc_version(), DTC_VERSION);
  assert_string_equal(dtc_version_string(), "1.0.0");
}

static void struct_sizes_can_be_asked(void **state)
{
  (void)state;
  assert_int_equal(dtc_struct_size(DTC_STRUCT_error), 80);
  assert_int_equal(dtc_struct_size(DTC_STRUCT_model), sizeof(dtc_model));
  assert_int_equal(dtc_struct_size(DTC_STRUCT_params), sizeof(dtc_params));
  assert_int_equal(dtc_struct_size(DTC_STRUCT_tensor), sizeof(dtc_tensor));
  assert_int_equal(dtc_struct_size(DTC_STRUCT_cluster), sizeof(dtc_cluster));
  assert_int_equal(dtc_struct_size(DTC_STRUCT_plan), sizeof(dtc_plan));
  assert_int_equal(dtc_struct_size(DTC_STRUCT_stage), sizeof(dtc_stage));
  assert_int_equal(dtc_struct_size(DTC_STRUCT_ledger_row), 32);
  assert_int_equal(dtc_struct_size(DTC_STRUCT_memory), sizeof(dtc_memory));
  assert_int_equal(dtc_struct_size(DTC_STRUCT_arg), 0);
  assert_int_equal(dtc_struct_size(DTC_STRUCT_hf), 0);
  assert_int_equal(dtc_struct_size(UINT32_MAX), 0);
}

static void fields_have_names(void **state)
{
  (void)state;
  assert_string_equal(dtc_field_name(DTC_FIELD(plan, tp)), "tp");
  assert_string_equal(dtc_field_name(DTC_FIELD(model, qk_rope_dim)), "qk_rope_dim");
  assert_string_equal(dtc_field_name(DTC_FIELD(cluster, nvlink_bandwidth)), "nvlink_bandwidth");
  assert_string_equal(dtc_field_name(DTC_FIELD(plan, tp) + 1), "?");
  assert_string_equal(dtc_field_name(0), "?");
  assert_string_equal(dtc_field_name(UINT32_MAX), "?");
}

static void values_have_names(void **state)
{
  (void)state;
  assert_string_equal(dtc_value_name(DTC_FIELD(plan, sharding), DTC_SHARDING_ZERO2), "zero2");
  assert_string_equal(dtc_value_name(DTC_FIELD(model, arch), DTC_ARCH_GPT_OSS), "gpt_oss");
  assert_string_equal(dtc_value_name(DTC_FIELD(model, tied), DTC_BOOL_ON), "on");
  assert_string_equal(dtc_value_name(DTC_FIELD(model, tied), 3), "?");
  assert_string_equal(dtc_value_name(DTC_FIELD(model, tied), ((uint64_t)1 << 32) + 1), "?");
  assert_string_equal(dtc_value_name(DTC_FIELD(error, rule), DTC_RULE_FIT_HOST), "fit_host");
  assert_string_equal(dtc_value_name(DTC_FIELD(error, rule), DTC_RULE_NONE), "none");
  assert_string_equal(dtc_value_name(DTC_FIELD(error, rule), UINT64_MAX), "?");
  assert_string_equal(dtc_value_name(DTC_FIELD(plan, tp), 1), "?");
  assert_string_equal(dtc_value_name(0, 1), "?");
}

/* Of a field of any size the lowest bits are written, and nothing beside it. */
static void fields_of_every_size_are_read_as_written(void **state)
{
  (void)state;
  static const uint64_t values[] = {0, 1, 0x81, 0x8182, UINT32_MAX, UINT64_MAX};
  uint32_t sizes = 0;
  for (uint32_t i = 0; i < dtci_structs_count; i++)
    for (uint32_t k = 0; k < dtci_structs[i].count; k++) {
      const dtci_field *f = &dtci_fields[dtci_structs[i].first + k];
      size_t size = dtci_field_size(f);
      uint64_t all = size == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * size) - 1;
      sizes |= 1u << size;
      for (size_t v = 0; v < sizeof values / sizeof values[0]; v++) {
        unsigned char bytes[4096], before[4096];
        memset(bytes, 0x5a, sizeof bytes);
        memcpy(before, bytes, sizeof bytes);
        assert_true(f->offset + size <= sizeof bytes);
        dtci_write(bytes, f, values[v]);
        assert_true(dtci_read(bytes, f) == (values[v] & all));
        assert_memory_equal(bytes, before, f->offset);
        assert_memory_equal(bytes + f->offset + size, before, sizeof bytes - f->offset - size);
      }
    }
  assert_int_equal(sizes, 1u << 1 | 1u << 2 | 1u << 4 | 1u << 8);
  const dtc_pipe_op op = {.chunk = UINT16_MAX, .kind = UINT8_MAX, .fused = UINT8_MAX}; /* none of them has a range */
  dtc_error e;
  assert_int_equal(dtci_ranges(&op, DTC_STRUCT_pipe_op, &e), DTC_OK);
}

static void every_value_of_an_enum_field_can_be_read_back(void **state)
{
  (void)state;
  uint32_t checked = 0;
  for (uint32_t i = 0; i < dtci_structs_count; i++)
    for (uint32_t k = 0; k < dtci_structs[i].count; k++) {
      const dtci_field *f = &dtci_fields[dtci_structs[i].first + k];
      uint32_t id = (uint32_t)dtci_structs[i].number << 16 | f->offset;
      if (f->type != DTCI_ENUM && f->type != DTCI_BOOL)
        continue;
      for (uint64_t v = f->min; v <= f->max; v++, checked++) {
        const char *name = dtc_value_name(id, v);
        assert_string_not_equal(name, "?");
        assert_int_equal(dtci_value_of(f->enum_id, name, strlen(name)), v);
      }
      assert_string_equal(dtc_value_name(id, f->max + 1), "?");
      assert_true(dtci_value_of(f->enum_id, "nothing", 7) == DTC_NONE);
    }
  assert_true(checked > 80);
}

/* ---- numbers and names as text ------------------------------------------------------------------------------------ */

static void check_f64(double v, const char *text)
{
  char buf[40];
  dtci_text t = {buf, sizeof buf, 0};
  dtci_put_f64(&t, v);
  dtci_end_text(&t);
  assert_string_equal(buf, text);
}

static void doubles_are_written_with_six_digits(void **state)
{
  (void)state;
  check_f64(0, "0");
  check_f64(1, "1");
  check_f64(10, "10");
  check_f64(37.25, "37.25");
  check_f64(1.05, "1.05");
  check_f64(-2.5, "-2.5");
  check_f64(100000, "100000");
  check_f64(123456, "123456");
  check_f64(999999.4, "999999");
  check_f64(999999.6, "1e+6");
  check_f64(1234567, "1.23457e+6");
  check_f64(1.5e12, "1.5e+12");
  check_f64(989.5e12, "9.895e+14");
  check_f64(1e18, "1e+18");
  check_f64(1e-3, "0.001");
  check_f64(0.5, "0.5");
  check_f64(0.0625, "0.0625");
  check_f64(1.25e-5, "1.25e-5");
  check_f64(1.7e308, "1.7e+308");
  check_f64(5e-324, "4.94066e-324");
  check_f64((double)NAN, "NaN");
  check_f64((double)INFINITY, "infinity");
  check_f64(-(double)INFINITY, "-infinity");
}

static void the_largest_double_is_not_infinite(void **state)
{
  (void)state;
  check_f64(1.7976931348623157e308, "1.79769e+308");
}

static void integers_are_written_whole(void **state)
{
  (void)state;
  char buf[64];
  dtci_text t = {buf, sizeof buf, 0};
  dtci_put_u64(&t, 0);
  dtci_puts(&t, " ");
  dtci_put_u64(&t, 1000);
  dtci_puts(&t, " ");
  dtci_put_u64(&t, UINT64_MAX);
  dtci_end_text(&t);
  assert_string_equal(buf, "0 1000 18446744073709551615");
}

static void check_get(const char *s, int ok, uint64_t expected)
{
  uint64_t v = 77;
  assert_int_equal(dtci_get_u64(s, strlen(s), &v), ok);
  assert_int_equal(v, ok ? expected : 77);
}

static void integers_are_read_strictly(void **state)
{
  (void)state;
  check_get("0", 1, 0);
  check_get("00042", 1, 42);
  check_get("18446744073709551615", 1, UINT64_MAX);
  check_get("18446744073709551616", 0, 0);
  check_get("99999999999999999999999", 0, 0);
  check_get("", 0, 0);
  check_get("-1", 0, 0);
  check_get("+1", 0, 0);
  check_get("1 ", 0, 0);
  check_get("12a", 0, 0);
}

static void names_are_found_by_letters_digits_and_points(void **state)
{
  (void)state;
  static const char names[][16] = {"h100-80gb", "a100-40gb", "v1.5", "v15", "mi300x"};
  uint64_t nearest = 99;
#define FIND(text) dtci_name_find(names[0], 5, sizeof names[0], text, strlen(text), &nearest)
  assert_int_equal(FIND("h100-80gb"), 0);
  assert_int_equal(FIND("H100_80GB"), 0);
  assert_int_equal(FIND("h 100 80 gb"), 0);
  assert_int_equal(FIND("v1.5"), 2);
  assert_int_equal(FIND("v15"), 3);
  assert_int_equal(nearest, 99);
  assert_int_equal(FIND("h100"), 5); /* one that begins so */
  assert_int_equal(nearest, 0);
  assert_int_equal(FIND("a100-48gb"), 5);
  assert_int_equal(nearest, 1);
  assert_int_equal(FIND("ni300x"), 5);
  assert_int_equal(nearest, 4);
  assert_int_equal(FIND("b200"), 5); /* a far name is no hint */
  assert_true(nearest == DTC_NONE);
  assert_int_equal(FIND(""), 5);
  assert_true(nearest == DTC_NONE);
  assert_int_equal(dtci_name_find(names[0], 5, sizeof names[0], "h100-80gbXX", 9, NULL), 0);
#undef FIND
}

static void a_name_of_any_length_is_only_unknown(void **state)
{
  (void)state;
  static const char names[][8] = {"abc", "xyz"};
  char longer[300];
  uint64_t nearest = 99;
  memset(longer, 'q', sizeof longer);
  for (size_t len = 0; len <= sizeof longer; len++) {
    assert_int_equal(dtci_name_find(names[0], 2, sizeof names[0], longer, len, &nearest), 2);
    assert_true(nearest == DTC_NONE);
  }
}

/* ---- checked arithmetic ------------------------------------------------------------------------------------------- */

static void overflow_is_remembered(void **state)
{
  (void)state;
  int bad = 0;
  assert_true(dtci_mul((uint64_t)1 << 32, ((uint64_t)1 << 32) - 1, &bad) == UINT64_MAX - UINT32_MAX && bad == 0);
  assert_true(dtci_add(UINT64_MAX - 1, 1, &bad) == UINT64_MAX && bad == 0);
  (void)dtci_mul((uint64_t)1 << 32, (uint64_t)1 << 32, &bad);
  assert_int_equal(bad, 1);
  assert_true(dtci_mul(2, 3, &bad) == 6 && bad == 1);
  bad = 0;
  (void)dtci_add(UINT64_MAX, 1, &bad);
  assert_int_equal(bad, 1);
  assert_int_equal(dtci_ceil_div(0, 3), 0);
  assert_int_equal(dtci_ceil_div(7, 3), 3);
  assert_true(dtci_ceil_div(UINT64_MAX, 2) == (uint64_t)1 << 63);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fields_tile_every_struct),
      cmocka_unit_test(wrong_sizes_are_refused),
      cmocka_unit_test(no_struct_at_all_is_refused),
      cmocka_unit_test(a_longer_struct_with_a_zero_tail_is_read),
      cmocka_unit_test(an_unknown_tail_that_is_set_is_refused),
      cmocka_unit_test(outputs_keep_their_size_and_unknown_tails_become_zero),
      cmocka_unit_test(arrays_have_the_stride_of_their_first_element),
      cmocka_unit_test(a_longer_model_may_be_its_own_output),
      cmocka_unit_test(every_field_outside_its_range_is_named),
      cmocka_unit_test(padding_of_what_is_given_is_zero),
      cmocka_unit_test(an_error_struct_is_optional),
      cmocka_unit_test(an_error_struct_of_a_wrong_size_is_refused_first),
      cmocka_unit_test(success_leaves_the_error_struct_alone),
      cmocka_unit_test(a_longer_error_struct_keeps_its_size),
      cmocka_unit_test(outputs_are_untouched_by_errors),
      cmocka_unit_test(every_rule_has_a_line_in_both_languages),
      cmocka_unit_test(every_rule_line_is_cut_at_a_character),
      cmocka_unit_test(every_rule_number_has_one_row),
      cmocka_unit_test(placeholders_are_known_and_the_same_in_both_languages),
      cmocka_unit_test(lines_say_value_rule_and_nearest),
      cmocka_unit_test(doubles_in_errors_are_read_as_such),
      cmocka_unit_test(what_is_no_error_says_so),
      cmocka_unit_test(versions_agree),
      cmocka_unit_test(struct_sizes_can_be_asked),
      cmocka_unit_test(fields_have_names),
      cmocka_unit_test(values_have_names),
      cmocka_unit_test(fields_of_every_size_are_read_as_written),
      cmocka_unit_test(every_value_of_an_enum_field_can_be_read_back),
      cmocka_unit_test(doubles_are_written_with_six_digits),
      cmocka_unit_test(the_largest_double_is_not_infinite),
      cmocka_unit_test(integers_are_written_whole),
      cmocka_unit_test(integers_are_read_strictly),
      cmocka_unit_test(names_are_found_by_letters_digits_and_points),
      cmocka_unit_test(a_name_of_any_length_is_only_unknown),
      cmocka_unit_test(overflow_is_remembered),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

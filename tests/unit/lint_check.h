/* What tests of dtc_framework_lint() need: a text is linted, its findings are looked up; every rule of a dialect has a text
 * that breaks it. */
#ifndef LINT_CHECK_H
#define LINT_CHECK_H

#include "check.h"

#include "internal/settings.h"

#include <stdio.h>
#include <stdlib.h>

enum { LINT_FINDINGS = 64 };

typedef struct lint_result {
  dtc_status status;
  dtc_error error;
  dtc_model model;
  dtc_plan plan;
  dtc_error findings[LINT_FINDINGS];
  size_t count;
} lint_result;

static inline dtc_lint lint_of(dtc_dialect dialect, dtc_release version, uint64_t world)
{
  dtc_lint lint;
  DTC_INIT(&lint);
  lint.dialect = dialect;
  lint.version = version;
  lint.world = world;
  return lint;
}

static inline lint_result lint_len(const dtc_lint *lint, const char *text, size_t len)
{
  lint_result r;
  uint64_t needed = 0;
  memset(&r, 0, sizeof r);
  DTC_INIT(&r.error);
  DTC_INIT(&r.model);
  DTC_INIT(&r.plan);
  DTC_INIT(&r.findings[0]);
  check_ok(dtc_framework_lint_scratch(lint, &needed, &r.error), &r.error);
  uint64_t *scratch = malloc(needed * sizeof *scratch);
  memset(scratch, 0xA5, needed * sizeof *scratch);
  r.status = dtc_framework_lint(lint, text, len, &r.model, &r.plan, r.findings, LINT_FINDINGS, &r.count, scratch,
                                needed, &r.error);
  free(scratch);
  return r;
}

static inline lint_result lint_text(const dtc_lint *lint, const char *text)
{
  return lint_len(lint, text, strlen(text));
}

/* The first finding of a rule about a key (any, when it is NULL); NULL when there is none. */
static inline const dtc_error *lint_found(const lint_result *r, dtc_rule rule, const char *key)
{
  for (size_t i = 0; i < r->count && i < LINT_FINDINGS; i++)
    if (r->findings[i].rule == rule && (key == NULL || strcmp(dtc_field_name(r->findings[i].field), key) == 0))
      return &r->findings[i];
  return NULL;
}

static inline size_t lint_errors(const lint_result *r)
{
  size_t n = 0;
  for (size_t i = 0; i < r->count && i < LINT_FINDINGS; i++)
    n += r->findings[i].severity == DTC_SEVERITY_ERROR;
  return n;
}

/* All findings as text, for messages. */
static inline const char *lint_lines(const lint_result *r)
{
  static char lines[8192];
  size_t len = 0;
  lines[0] = 0;
  for (size_t i = 0; i < r->count && i < LINT_FINDINGS && len < sizeof lines - 512; i++) {
    len += dtc_error_format(&r->findings[i], DTC_LANG_EN, lines + len, sizeof lines - len);
    len = len < sizeof lines - 2 ? len : sizeof lines - 2;
    lines[len++] = '\n';
    lines[len] = 0;
  }
  return lines;
}

/* Exactly these findings, in this order: "rule key offset|rule key offset|". */
static inline void lint_expect(const lint_result *r, const char *expected)
{
  char got[2048] = "";
  size_t len = 0;
  if (r->status != DTC_OK)
    check_ok(r->status, &r->error);
  for (size_t i = 0; i < r->count; i++)
    len += (size_t)snprintf(got + len, sizeof got - len, "%u %s %lld|", r->findings[i].rule,
                            dtc_field_name(r->findings[i].field), (long long)r->findings[i].offset);
  if (strcmp(got, expected) != 0)
    fail_msg("got      %s\nexpected %s\n%s", got, expected, lint_lines(r));
}

/* A text that breaks a rule. */
typedef struct lint_example {
  dtc_rule rule;
  const char *key; /* that is reported */
  uint64_t world;
  dtc_release version;
  uint32_t compute;
  const char *text;
} lint_example;

/* Each example gives the finding it is for, with a line of text; each row of the dialect's rules has an example. */
static inline void lint_examples(dtc_dialect dialect, const lint_example *examples, size_t n)
{
  dtci_dialect d;
  assert_true(dtci_dialect_of(dialect, &d));
  for (size_t i = 0; i < n; i++) {
    dtc_lint lint = lint_of(dialect, examples[i].version, examples[i].world);
    lint.compute = examples[i].compute;
    lint_result r = lint_text(&lint, examples[i].text);
    check_ok(r.status, &r.error);
    if (lint_found(&r, examples[i].rule, examples[i].key) == NULL)
      fail_msg("no finding %u of %s in %s\n%s", examples[i].rule, examples[i].key, examples[i].text, lint_lines(&r));
  }
  for (uint32_t i = 0; i < d.rules_count; i++) {
    const dtci_rule_row *row = &d.rules[i].row;
    const char *key = d.keys[row->fix & (DTCI_KEYS_MAX - 1)].name;
    size_t k = 0; /* what a reader tells is about no key in particular */
    while (k < n && !(examples[k].rule == row->rule && (row->hook == DTCI_TEXT || strcmp(examples[k].key, key) == 0)))
      k++;
    if (k == n)
      fail_msg("rule %u of %s has no example", d.rules[i].row.rule, key);
  }
}

/* What every dialect's tables must be. */
static inline void lint_tables(dtc_dialect dialect)
{
  dtci_dialect d;
  assert_true(dtci_dialect_of(dialect, &d));
  assert_int_equal(d.number, dialect);
  assert_true(d.keys_count <= DTCI_KEYS_MAX);
  for (uint32_t i = 0; i < d.keys_count; i++) {
    const dtci_key *key = &d.keys[i];
    if (key->name[0] == 0 || key->name[sizeof key->name - 1] != 0)
      fail_msg("key %u has no name, or a long one", i);
    if (key->to >= d.keys_count ||
        (key->kind == DTCI_KEY_ALIAS && (key->to == 0 || d.keys[key->to].kind == DTCI_KEY_ALIAS)))
      fail_msg("%s stands for no key", key->name);
    if (key->field != 0 && dtci_field_of(key->field) == NULL)
      fail_msg("%s sets no field", key->name);
    uint32_t words = 0;
    for (uint32_t w = 0; w < d.words_count; w++)
      words += d.words[w].set == key->words;
    int wants = key->kind == DTCI_KEY_WORD || key->kind == DTCI_KEY_WORDS;
    if ((words > 0 && key->words != 0) != wants && key->kind != DTCI_KEY_INTEGER)
      fail_msg("%s: words of another kind", key->name);
    for (uint32_t k = 0; k < i; k++) {
      const dtci_key *other = &d.keys[k];
      int meet = (other->until == 0 || key->since < other->until) && (key->until == 0 || other->since < key->until);
      if (strcmp(other->name, key->name) == 0 && meet)
        fail_msg("%s stands twice", key->name);
    }
  }
  for (uint32_t i = 0; i < d.words_count; i++)
    assert_int_equal(d.words[i].word[sizeof d.words[i].word - 1], 0);
  for (uint32_t i = 0; i < d.rules_count; i++) {
    const dtci_rule_row *row = &d.rules[i].row, *first = dtci_rule_of(row->rule);
    assert_ptr_not_equal(first, NULL);
    assert_int_not_equal(row->status, DTC_OK);
    assert_int_equal(first->hook, row->hook);
    assert_string_equal(first->en, row->en);
    assert_string_equal(first->zh, row->zh);
    assert_int_equal(row->en[sizeof row->en - 1], 0);
    assert_int_equal(row->zh[sizeof row->zh - 1], 0);
    if (row->hook != DTCI_TEXT)
      assert_int_equal(DTCI_FIELD(row->fix) >> DTCI_KEY_BITS, (uint32_t)DTC_STRUCT_setting << 4 | dialect);
    if (i > 0 && row->rule < d.rules[i - 1].row.rule)
      fail_msg("rule %u stands behind %u", row->rule, d.rules[i - 1].row.rule);
  }
}

#endif

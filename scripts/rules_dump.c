/* Prints the table of rules as it is compiled, for scripts/gen: number, status, severity, English and Chinese text,
 * with tabs between them. Text of a rule of dtc_plan_check(): the whole line as users see it, with UNSAID for numbers that only a plan
 * gives. Text of the others: the message with what stands in braces. */
#include "internal/settings.h"

#include <dtcore.h>
#include <inttypes.h>
#include <stdio.h>

enum { LINE = 512 };
#define UNSAID UINT32_MAX

/* The one framework that the rule is for; PyTorch where it is for several. */
static uint32_t framework_of(const dtci_rule_row *row)
{
  for (uint32_t f = DTC_FRAMEWORK_PYTORCH; f <= DTC_FRAMEWORK_TORCHTITAN; f++)
    if (row->with & 1u << (f - 1))
      return f;
  return DTC_FRAMEWORK_PYTORCH;
}

/* The finding of a rule, as dtci_rule_check() would make it. */
static dtc_error finding(const dtci_rule_row *row)
{
  dtc_error e;
  (void)dtci_fail(&e, row->status, row->rule, DTCI_FIELD(row->fix != 0 ? row->fix : row->left[0]), UNSAID);
  e.severity = row->severity;
  e.other = DTCI_FIELD(dtci_rule_other(row, row->fix != 0 ? row->fix : row->left[0]));
  e.other_got = UNSAID;
  if (row->hook == DTCI_NEEDS) {
    e.min = row->need.min;
    e.max = row->need.max;
  } else if (row->hook == DTCI_EXCLUDES && row->when[1].field != 0) {
    e.other_got = row->when[1].min;
  } else if (row->hook == DTCI_EXCLUDES && (row->since | row->until) != 0) {
    e.other_got = row->until - 1000;
  } else if (row->hook == DTCI_ONE_OF || row->hook == DTCI_EXCLUDES) {
    e.other_got = framework_of(row);
  }
  return e;
}

static void dump(const dtci_rule_row *row)
{
  char en[LINE];
  char zh[LINE];
  snprintf(en, sizeof en, "%s", row->en);
  snprintf(zh, sizeof zh, "%s", row->zh);
  if (row->hook != DTCI_TEXT) {
    dtc_error e = finding(row);
    dtc_error_format(&e, DTC_LANG_EN, en, sizeof en);
    dtc_error_format(&e, DTC_LANG_ZH, zh, sizeof zh);
  }
  printf("%" PRIu32 "\t%" PRId32 "\t%" PRIu32 "\t%s\t%s\n", row->rule, row->status, row->severity, en, zh);
}

int main(void)
{
  const dtci_rule_row *row = NULL;
  for (uint32_t table = 0; dtci_rule_at(table, 0) != NULL; table++)
    for (uint32_t i = 0; (row = dtci_rule_at(table, i)) != NULL; i++)
      dump(row);
  for (uint32_t i = 0; i < dtci_lint_rules_count; i++)
    dump(&dtci_lint_rules[i]);
  for (dtc_dialect n = 1; n <= DTC_DIALECT_NCCL; n++) {
    dtci_dialect d;
    for (uint32_t i = 0; dtci_dialect_of(n, &d) && i < d.rules_count; i++)
      if (i == 0 || d.rules[i].row.rule != d.rules[i - 1].row.rule) /* rows of one rule have the same texts */
        dump(&d.rules[i].row);
  }
  return ferror(stdout) != 0;
}

/* Applies the rows of lib/catalog/rules.c, and finds the nearest values that are legal under all of them. */
#include "internal/rules.h"

/* Values tried on each side before the search for a nearest legal one gives up. */
enum { NEAREST_TRIES = 4096 };

const dtci_rule_row *dtci_rule_of(dtc_rule rule)
{
  for (uint32_t i = 0; i < dtci_rules_count; i++)
    if (dtci_rules[i].rule == rule)
      return &dtci_rules[i];
  return NULL;
}

static const unsigned char *place_of(const dtci_facts *facts, uint32_t operand)
{
  uint32_t noun = (operand & ~DTCI_WIDE) >> 16;
  const void *base = noun == DTC_STRUCT_model     ? (const void *)facts->model
                     : noun == DTC_STRUCT_cluster ? (const void *)facts->cluster
                                                  : (const void *)facts->plan;
  return (const unsigned char *)base + (operand & 0xffff);
}

static uint64_t value_of(const dtci_facts *facts, uint32_t operand)
{
  uint64_t wide = 0;
  uint32_t narrow = 0;
  if (operand & DTCI_WIDE) {
    memcpy(&wide, place_of(facts, operand), sizeof wide);
    return wide;
  }
  memcpy(&narrow, place_of(facts, operand), sizeof narrow);
  return narrow;
}

static int meets(const dtci_facts *facts, const dtci_when *when)
{
  if (when->field == 0)
    return 1;
  uint64_t v = value_of(facts, when->field);
  return v >= when->min && v <= when->max;
}

/* Product of operands, one of them left out; saturates at a value that no plan reaches. */
static uint64_t product(const dtci_facts *facts, const uint32_t operands[DTCI_OPERANDS], uint64_t factor,
                        uint32_t without)
{
  uint64_t r = factor != 0 ? factor : 1;
  int bad = 0;
  for (int i = 0; i < DTCI_OPERANDS && operands[i] != 0; i++)
    if (operands[i] != without)
      r = dtci_mul(r, value_of(facts, operands[i]), &bad);
  return bad ? UINT64_MAX : r;
}

static int has(const uint32_t operands[DTCI_OPERANDS], uint32_t operand)
{
  for (int i = 0; i < DTCI_OPERANDS; i++)
    if (operands[i] == operand)
      return 1;
  return 0;
}

int dtci_rule_reads(const dtci_rule_row *row, uint32_t operand)
{
  return has(row->left, operand) || has(row->right, operand);
}

static int divides(uint64_t a, uint64_t b)
{
  return a != 0 && b % a == 0;
}

int dtci_rule_holds(const dtci_rule_row *row, const dtci_facts *facts)
{
  if (row->hook == DTCI_TEXT || !meets(facts, &row->when[0]) || !meets(facts, &row->when[1]))
    return 1;
  if (row->hook == DTCI_NEEDS)
    return meets(facts, &row->need);
  uint64_t left = product(facts, row->left, row->factor, 0);
  uint64_t right = product(facts, row->right, 1, 0);
  switch (row->hook) {
  case DTCI_DIVIDES:
    return divides(left, right);
  case DTCI_EITHER:
    return divides(left, right) || divides(right, left);
  case DTCI_AT_MOST:
    return left <= right;
  case DTCI_EQUALS:
    return left == right;
  default:
    return 1;
  }
}

/* Would this value of the plan's field pass every rule that compares it? The batch product follows from the others. */
static int legal(dtci_facts facts, const dtci_rule_row *broken, uint64_t value)
{
  dtc_plan tried = *facts.plan;
  memcpy((unsigned char *)&tried + (broken->fix & 0xffff), &value, sizeof value);
  facts.plan = &tried;
  for (uint32_t i = 0; i < dtci_rules_count; i++) {
    const dtci_rule_row *row = &dtci_rules[i];
    int compares = dtci_rule_reads(row, broken->fix);
    int counts = row == broken || (row->severity == DTC_SEVERITY_ERROR && row->hook != DTCI_EQUALS);
    if (compares && counts && !dtci_rule_holds(row, &facts))
      return 0;
  }
  return 1;
}

/* Nearest legal values of a plan field below and above. They lie `step` apart, on multiples of it. */
static void nearest(const dtci_rule_row *row, const dtci_facts *facts, dtc_error *e)
{
  const dtci_field *f = dtci_field_of(row->fix & ~DTCI_WIDE);
  if (f == NULL || f->type != DTCI_U64 || (row->fix & ~DTCI_WIDE) >> 16 != DTC_STRUCT_plan || row->hook == DTCI_NEEDS)
    return;
  uint64_t step = 1;
  if (has(row->right, row->fix) && row->hook != DTCI_EITHER)
    step = product(facts, row->left, row->factor, 0);
  if (step == 0 || step > f->max)
    return;
  uint64_t start = e->got / step * step;
  for (uint64_t i = 0; i < NEAREST_TRIES && e->lower == DTC_NONE && start >= (i + 1) * step; i++)
    if (start - i * step < e->got && legal(*facts, row, start - i * step))
      e->lower = start - i * step;
  for (uint64_t i = 1; i < NEAREST_TRIES && e->upper == DTC_NONE && i * step <= f->max - start; i++)
    if (legal(*facts, row, start + i * step))
      e->upper = start + i * step;
}

int dtci_rule_check(const dtci_rule_row *row, const dtci_facts *facts, dtc_error *e)
{
  if (dtci_rule_holds(row, facts))
    return 1;
  dtci_fail(e, row->status, row->rule, row->fix & ~DTCI_WIDE, value_of(facts, row->fix));
  e->severity = row->severity;
  const uint32_t *other = has(row->left, row->fix) ? row->right : row->left;
  if (row->hook == DTCI_NEEDS) {
    e->other = row->need.field & ~DTCI_WIDE;
    e->other_got = value_of(facts, row->need.field);
    e->min = row->need.min;
    e->max = row->need.max == UINT64_MAX ? DTC_NONE : row->need.max;
  } else {
    e->other = other[0] & ~DTCI_WIDE;
    e->other_got = product(facts, other, other == row->left ? row->factor : 1, 0);
    uint64_t rest = product(facts, row->left, row->factor, row->fix);
    if (row->hook == DTCI_AT_MOST && rest != 0)
      e->max = e->other_got / rest;
  }
  nearest(row, facts, e);
  return 0;
}

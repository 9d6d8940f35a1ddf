/* Applies the rows of lib/catalog/rules.c, and finds the nearest values that are legal under all of them. */
#include "internal/plan.h"
#include "internal/rules.h"

/* Values tried on each side before the search for a nearest legal one gives up. */
enum { NEAREST_TRIES = 1024 };

const dtci_rule_row *dtci_rule_of(dtc_rule rule)
{
  for (uint32_t i = 0; i < dtci_rules_count; i++)
    if (dtci_rules[i].rule == rule)
      return &dtci_rules[i];
  for (uint32_t i = 0; i < dtci_layout_rules_count; i++)
    if (dtci_layout_rules[i].row.rule == rule)
      return &dtci_layout_rules[i].row;
  for (uint32_t i = 0; i < dtci_pipe_rules_count; i++)
    if (dtci_pipe_rules[i].rule == rule)
      return &dtci_pipe_rules[i];
  return NULL;
}

static const unsigned char *place_of(const dtci_case *c, uint32_t operand)
{
  uint32_t at = operand & 0xffff;
  switch (DTCI_FIELD(operand) >> 16) {
  case DTC_STRUCT_layout:
    return (const unsigned char *)c->layout + at;
  case DTC_STRUCT_model:
    return (const unsigned char *)&c->model + at;
  case DTC_STRUCT_cluster:
    return (const unsigned char *)&c->cluster + at;
  default:
    return (const unsigned char *)(operand & DTCI_GIVEN ? &c->given : &c->plan) + at;
  }
}

static uint64_t value_of(const dtci_case *c, uint32_t operand)
{
  uint64_t wide = 0;
  uint32_t narrow = 0;
  if (operand & DTCI_WIDE) {
    memcpy(&wide, place_of(c, operand), sizeof wide);
    return wide;
  }
  memcpy(&narrow, place_of(c, operand), sizeof narrow);
  return narrow;
}

static int meets(const dtci_case *c, const dtci_when *when)
{
  if (when->field == 0)
    return 1;
  uint64_t v = value_of(c, when->field);
  return v >= when->min && v <= when->max;
}

uint64_t dtci_rule_product(const dtci_case *c, const uint32_t operands[DTCI_OPERANDS], uint64_t factor,
                           uint32_t without)
{
  uint64_t r = factor != 0 ? factor : 1;
  int bad = 0;
  for (int i = 0; i < DTCI_OPERANDS && operands[i] != 0; i++)
    if (operands[i] != without)
      r = dtci_mul(r, value_of(c, operands[i]), &bad);
  return bad ? UINT64_MAX : r;
}

static int has(const uint32_t operands[DTCI_OPERANDS], uint32_t operand)
{
  for (int i = 0; i < DTCI_OPERANDS; i++)
    if (operands[i] == operand)
      return 1;
  return 0;
}

int dtci_rule_multiplies(const dtci_rule_row *row, uint32_t field)
{
  int among = 0;
  for (int i = 0; i < DTCI_OPERANDS; i++)
    among = among || (row->left[i] != 0 && DTCI_FIELD(row->left[i]) == field);
  return among && row->left[1] != 0 && (row->hook == DTCI_DIVIDES || row->hook == DTCI_EQUALS);
}

int dtci_rule_reads(const dtci_rule_row *row, uint32_t operand)
{
  return has(row->left, operand) || has(row->right, operand);
}

static int divides(uint64_t a, uint64_t b)
{
  return a != 0 && b % a == 0;
}

int dtci_rule_holds(const dtci_rule_row *row, const dtci_case *c)
{
  if (row->hook == DTCI_TEXT || (row->even && c->has_stages) || !meets(c, &row->when[0]) || !meets(c, &row->when[1]))
    return 1;
  if (row->hook == DTCI_EXCLUDES)
    return 0;
  if (row->hook == DTCI_NEEDS)
    return meets(c, &row->need);
  uint64_t left = dtci_rule_product(c, row->left, row->factor, 0);
  uint64_t right = dtci_rule_product(c, row->right, 1, 0);
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

/* Would the caller's plan with this value pass every rule that compares it? Defaults that follow from it follow. A batch
 * that does not come out whatever the value is left alone. */
static int legal(const dtci_case *c, const dtci_rule_row *broken, uint64_t value)
{
  dtci_case tried = *c;
  dtc_error unused;
  tried.plan = c->given;
  memcpy((unsigned char *)&tried.plan + (broken->fix & 0xffff), &value, sizeof value);
  if (dtci_plan_fill(&tried, &unused) != DTC_OK)
    return 0;
  for (uint32_t i = 0; i < dtci_rules_count; i++) {
    const dtci_rule_row *row = &dtci_rules[i];
    int follows = row->hook != DTCI_EQUALS || row->fix == broken->fix;
    int counts = row == broken || (row->severity == DTC_SEVERITY_ERROR && follows);
    if (dtci_rule_reads(row, broken->fix) && counts && !dtci_rule_holds(row, &tried))
      return 0;
  }
  return 1;
}

/* The largest value of `fix` on the left that can pass: what is left of the right. */
static uint64_t most_of(const dtci_rule_row *row, const dtci_case *c)
{
  uint64_t rest = dtci_rule_product(c, row->left, row->factor, row->fix);
  int bounded = (row->hook == DTCI_DIVIDES || row->hook == DTCI_AT_MOST) && has(row->left, row->fix) && rest != 0;
  return bounded ? dtci_rule_product(c, row->right, 1, 0) / rest : UINT64_MAX;
}

/* Nearest legal values of a plan field below and above. They lie `step` apart, on multiples of it. */
static void nearest(const dtci_rule_row *row, const dtci_case *c, dtc_error *e)
{
  const dtci_field *f = dtci_field_of(DTCI_FIELD(row->fix));
  if (f == NULL || f->type != DTCI_U64 || DTCI_FIELD(row->fix) >> 16 != DTC_STRUCT_plan || row->hook == DTCI_NEEDS ||
      row->hook == DTCI_EXCLUDES)
    return;
  uint64_t step = 1;
  uint64_t most = most_of(row, c);
  if (has(row->right, row->fix) && row->hook != DTCI_EITHER)
    step = dtci_rule_product(c, row->left, row->factor, 0);
  if (step == 0 || step > f->max)
    return;
  uint64_t start = (e->got < most ? e->got : most) / step * step;
  for (uint64_t i = 0; i < NEAREST_TRIES && e->lower == DTC_NONE && start >= (i + 1) * step; i++)
    if (start - i * step < e->got && legal(c, row, start - i * step))
      e->lower = start - i * step;
  for (uint64_t i = 1; i < NEAREST_TRIES && e->upper == DTC_NONE && i * step <= f->max - start; i++)
    if (start + i * step > e->got && legal(c, row, start + i * step))
      e->upper = start + i * step;
}

void dtci_rule_describe(const dtci_rule_row *row, const dtci_case *c, uint32_t fix, dtc_error *e)
{
  dtci_fail(e, row->status, row->rule, DTCI_FIELD(fix), value_of(c, fix));
  e->severity = row->severity;
  const uint32_t *other = has(row->left, fix) ? row->right : row->left;
  if (row->hook == DTCI_NEEDS) {
    e->other = DTCI_FIELD(row->need.field);
    e->other_got = value_of(c, row->need.field);
    e->min = row->need.min;
    e->max = row->need.max == UINT64_MAX ? DTC_NONE : row->need.max;
  } else if (row->hook == DTCI_EXCLUDES) {
    e->other = DTCI_FIELD(row->when[1].field);
    e->other_got = value_of(c, row->when[1].field);
  } else {
    e->other = DTCI_FIELD(other[0]);
    e->other_got = dtci_rule_product(c, other, other == row->left ? row->factor : 1, 0);
    uint64_t rest = dtci_rule_product(c, row->left, row->factor, fix);
    if (row->hook == DTCI_AT_MOST && rest != 0)
      e->max = e->other_got / rest;
  }
}

int dtci_rule_check(const dtci_rule_row *row, const dtci_case *c, dtc_error *e)
{
  if (dtci_rule_holds(row, c))
    return 1;
  dtci_rule_describe(row, c, row->fix, e);
  nearest(row, c, e);
  return 0;
}

/* What follows from the values of a configuration: steps, findings of rules, fields of a model and a plan. */
#include "internal/settings.h"

/* Values tried on each side before the search for a nearest legal one gives up. */
enum { NEAREST_TRIES = 1024 };

/* Values and states, of the text or of a trial. */
typedef struct view {
  const dtci_settings *s;
  uint64_t *value;
  uint64_t *state;
} view;

static uint32_t index_of(uint32_t operand)
{
  return operand & (DTCI_KEYS_MAX - 1);
}

static uint64_t state_of(const view *v, uint32_t operand)
{
  return v->state[index_of(operand)];
}

static int is_unknown(uint64_t state)
{
  return state == DTCI_STATE_AUTO || state == DTCI_STATE_UNKNOWN;
}

typedef enum answer { NO, YES, PERHAPS } answer;

/* Does a condition hold? */
static answer holds(const view *v, const dtci_when *when)
{
  if (when->field == 0)
    return YES;
  uint64_t state = state_of(v, when->field), value = v->value[index_of(when->field)];
  if (state == DTCI_STATE_UNKNOWN)
    return PERHAPS;
  if (when->field & DTCI_GIVEN)
    return state >= when->min && state <= when->max ? YES : NO;
  if (state == DTCI_STATE_AUTO)
    return PERHAPS;
  if (state == DTCI_STATE_NONE)
    return NO;
  if (when->bit != 0)
    value = value >> (when->bit - 1) & 1;
  return (int64_t)value >= (int64_t)when->min && (int64_t)value <= (int64_t)when->max ? YES : NO;
}

/* All of them? A NO decides, then a PERHAPS. */
static answer all_hold(const view *v, const dtci_when *when, size_t n)
{
  answer all = YES;
  for (size_t i = 0; i < n; i++) {
    answer one = holds(v, &when[i]);
    if (one == NO)
      return NO;
    if (one == PERHAPS)
      all = PERHAPS;
  }
  return all;
}

/* Have operands values that are known? NO when one has none. */
static answer all_known(const view *v, const uint32_t *operands, size_t n)
{
  answer all = YES;
  for (size_t i = 0; i < n && operands[i] != 0; i++) {
    uint64_t state = state_of(v, operands[i]);
    if (state == DTCI_STATE_NONE)
      return NO;
    if (is_unknown(state))
      all = PERHAPS;
  }
  return all;
}

/* ---- steps ----------------------------------------------------------------------------------- */

enum { OPERANDS = 4 };

static uint64_t product(const view *v, const uint32_t operands[OPERANDS], uint64_t r, int *bad)
{
  for (int i = 0; i < OPERANDS && operands[i] != 0; i++)
    r = dtci_mul(r, v->value[index_of(operands[i])], bad);
  return r;
}

/* Sums and extremes are of small integers that may be below 0. */
static int64_t add_up(const view *v, const dtci_step *step, int *bad)
{
  int64_t r = step->constant;
  for (int i = 0; i < OPERANDS && step->left[i] != 0; i++)
    *bad |= __builtin_add_overflow(r, (int64_t)v->value[index_of(step->left[i])], &r);
  for (int i = 0; i < OPERANDS && step->right[i] != 0; i++)
    *bad |= __builtin_sub_overflow(r, (int64_t)v->value[index_of(step->right[i])], &r);
  return r;
}

static int64_t extreme(const view *v, const dtci_step *step)
{
  int most = step->op == DTCI_STEP_MOST;
  int64_t r = most ? step->constant : INT64_MAX;
  for (int i = 0; i < OPERANDS && step->left[i] != 0; i++) {
    int64_t one = (int64_t)v->value[index_of(step->left[i])];
    r = (most ? one > r : one < r) ? one : r;
  }
  return r;
}

/* The value of a step; 0 when it has none. */
static int worked(const view *v, const dtci_step *step, uint64_t *r)
{
  int bad = 0;
  uint64_t factor = step->constant > 0 ? (uint64_t)step->constant : 1;
  switch (step->op) {
  case DTCI_STEP_PRODUCT:
    *r = product(v, step->right, product(v, step->left, factor, &bad), &bad);
    return !bad;
  case DTCI_STEP_ROOT: {
    uint64_t above = product(v, step->left, 1, &bad), below = product(v, step->right, 1, &bad);
    if (bad || below == 0)
      return 0;
    *r = dtci_root(above / below, (uint32_t)step->constant);
    return 1;
  }
  case DTCI_STEP_QUOTIENT:
  case DTCI_STEP_EXACT: {
    uint64_t above = product(v, step->left, 1, &bad), below = product(v, step->right, factor, &bad);
    if (bad || below == 0 || (step->op == DTCI_STEP_EXACT && above % below != 0))
      return 0;
    *r = above / below;
    return 1;
  }
  case DTCI_STEP_SUM: {
    int64_t sum = add_up(v, step, &bad);
    *r = (uint64_t)sum;
    return !bad && sum >= 0;
  }
  case DTCI_STEP_MOST:
  case DTCI_STEP_LEAST:
    *r = (uint64_t)extreme(v, step);
    return 1;
  case DTCI_STEP_PUT:
    *r = (uint64_t)step->constant;
    return 1;
  default:
    return 0;
  }
}

/* Does one of the operands or conditions come from the text? Then so does what is worked out. */
static int from_text(const view *v, const dtci_step *step)
{
  int given = 0;
  for (int i = 0; i < OPERANDS; i++)
    given = given || (step->left[i] != 0 && state_of(v, step->left[i]) >= DTCI_STATE_WORKED) ||
            (step->right[i] != 0 && state_of(v, step->right[i]) >= DTCI_STATE_WORKED);
  for (size_t i = 0; i < sizeof step->when / sizeof step->when[0]; i++)
    given = given || (step->when[i].field != 0 && state_of(v, step->when[i].field) >= DTCI_STATE_WORKED);
  return given;
}

static void work_one(const view *v, const dtci_step *step)
{
  uint32_t key = index_of(step->key);
  uint64_t r = 0;
  if (v->state[key] >= DTCI_STATE_GIVEN && !step->force)
    return;
  answer when = all_hold(v, step->when, sizeof step->when / sizeof step->when[0]);
  answer left = all_known(v, step->left, OPERANDS), right = all_known(v, step->right, OPERANDS);
  if (when == NO || left == NO || right == NO)
    return;
  if (when == PERHAPS || left == PERHAPS || right == PERHAPS) {
    v->state[key] = DTCI_STATE_UNKNOWN;
    return;
  }
  int given = from_text(v, step), has = worked(v, step, &r);
  v->value[key] = r;
  v->state[key] = !has ? DTCI_STATE_NONE : given ? DTCI_STATE_WORKED : DTCI_STATE_DEFAULT;
}

static void work(const view *v)
{
  const dtci_dialect *d = &v->s->dialect;
  for (uint32_t i = 0; i < d->steps_count; i++)
    if (dtci_setting_has(d->steps[i].since, d->steps[i].until, v->s->version))
      work_one(v, &d->steps[i]);
}

void dtci_settings_work(dtci_settings *s)
{
  /* What the text says, without what follows from it, is kept for trials of other values. */
  memcpy(s->said_value, s->value, s->dialect.keys_count * sizeof *s->value);
  memcpy(s->said_state, s->state, s->dialect.keys_count * sizeof *s->state);
  view v = {s, s->value, s->state};
  work(&v);
}

/* ---- rules ----------------------------------------------------------------------------------- */

/* A value that a rule needs and that is not there does not hold; one that is not known may. */
static int is_broken(const view *v, const dtci_setting_rule *rule, dtci_case *c)
{
  const dtci_rule_row *row = &rule->row;
  if (!dtci_setting_has(rule->since, rule->until, v->s->version) || row->hook == DTCI_TEXT ||
      all_hold(v, row->when, sizeof row->when / sizeof row->when[0]) != YES ||
      all_hold(v, rule->more, sizeof rule->more / sizeof rule->more[0]) != YES)
    return 0;
  if (row->hook == DTCI_EXCLUDES || row->hook == DTCI_WHEN)
    return 1;
  if (row->hook == DTCI_NEEDS)
    return holds(v, &row->need) == NO;
  if (all_known(v, row->left, DTCI_OPERANDS) != YES || all_known(v, row->right, DTCI_OPERANDS) != YES)
    return 0;
  c->setting = v->value;
  c->state = v->state;
  return !dtci_rule_holds(row, c);
}

/* Would the text pass every rule that compares this key, with this value? */
static int legal(const dtci_settings *s, const dtci_setting_rule *broken, uint64_t value, dtci_case *c)
{
  const dtci_dialect *d = &s->dialect;
  uint32_t key = index_of(broken->row.fix);
  view v = {s, s->tried_value, s->tried_state};
  memcpy(v.value, s->said_value, d->keys_count * sizeof *v.value);
  memcpy(v.state, s->said_state, d->keys_count * sizeof *v.state);
  v.value[key] = value;
  work(&v);
  for (uint32_t i = 0; i < d->rules_count; i++) {
    const dtci_setting_rule *rule = &d->rules[i];
    int counts = rule == broken || (rule->row.severity == DTC_SEVERITY_ERROR && rule->row.fix == broken->row.fix) ||
                 (rule->row.severity == DTC_SEVERITY_ERROR && dtci_rule_reads(&rule->row, broken->row.fix));
    if (counts && is_broken(&v, rule, c))
      return 0;
  }
  return 1;
}

static int is_right(const dtci_rule_row *row, uint32_t operand)
{
  int found = 0;
  for (int i = 0; i < DTCI_OPERANDS; i++)
    found = found || row->right[i] == operand;
  return found;
}

/* Nearest legal values of an integer that the text gives. */
static void nearest(const dtci_settings *s, const dtci_setting_rule *rule, dtci_case *c, dtc_error *e)
{
  const dtci_rule_row *row = &rule->row;
  const dtci_key *key = &s->dialect.keys[index_of(row->fix)];
  uint64_t got = e->got, step = 1, max = key->max.i > 0 ? (uint64_t)key->max.i : INT64_MAX;
  int compares =
      row->hook == DTCI_DIVIDES || row->hook == DTCI_EITHER || row->hook == DTCI_AT_MOST || row->hook == DTCI_EQUALS;
  if (!compares || key->kind != DTCI_KEY_INTEGER || s->state[index_of(row->fix)] != DTCI_STATE_GIVEN || got > max)
    return;
  if (row->hook == DTCI_DIVIDES && is_right(row, row->fix))
    step = dtci_rule_product(c, row->left, row->factor, row->fix);
  if (step == 0 || step > max)
    return;
  uint64_t least = key->min.i > 0 ? (uint64_t)key->min.i : 1, start = got / step * step;
  for (uint64_t i = 0; i < NEAREST_TRIES && e->lower == DTC_NONE && start >= i * step + least; i++)
    if (start - i * step < got && legal(s, rule, start - i * step, c))
      e->lower = start - i * step;
  for (uint64_t i = 1; i < NEAREST_TRIES && e->upper == DTC_NONE && i * step <= max - start; i++)
    if (legal(s, rule, start + i * step, c))
      e->upper = start + i * step;
}

/* Values that are not there are not told. */
static void hide(const dtci_settings *s, uint32_t field, uint64_t *got)
{
  if (field >> 16 == DTC_STRUCT_setting && (s->state[index_of(field)] == DTCI_STATE_NONE ||
                                            is_unknown(s->state[index_of(field)]) || !dtci_setting_tells(field)))
    *got = DTC_NONE;
}

/* Where the text has a key, or what it is worked out from. */
static uint64_t place_of(const dtci_settings *s, uint32_t key)
{
  const dtci_dialect *d = &s->dialect;
  uint64_t at = s->at[key];
  for (uint32_t i = 0; i < d->steps_count && at == DTC_NONE; i++)
    for (int k = 0; k < OPERANDS && index_of(d->steps[i].key) == key && at == DTC_NONE; k++)
      if (d->steps[i].left[k] != 0)
        at = s->at[index_of(d->steps[i].left[k])];
  return at;
}

void dtci_settings_check(dtci_settings *s)
{
  const dtci_dialect *d = &s->dialect;
  view v = {s, s->value, s->state};
  dtci_case c;
  memset(&c, 0, sizeof c);
  for (uint32_t i = 0; i < d->rules_count; i++) {
    const dtci_setting_rule *rule = &d->rules[i];
    dtc_error e;
    if (!is_broken(&v, rule, &c))
      continue;
    c.setting = s->value;
    c.state = s->state;
    dtci_rule_describe(&rule->row, &c, rule->row.fix, &e);
    e.offset = place_of(s, index_of(rule->row.fix));
    if (e.offset == DTC_NONE && e.other >> 16 == DTC_STRUCT_setting)
      e.offset = place_of(s, index_of(e.other));
    nearest(s, rule, &c, &e);
    int several = rule->row.left[1] != 0 || rule->row.right[1] != 0;
    hide(s, e.field, &e.got);
    if (!several)
      hide(s, e.other, &e.other_got);
    dtci_lint_found(s, &e);
  }
}

/* ---- fields ---------------------------------------------------------------------------------- */

/* The field's value; 0 leaves it alone. */
static uint64_t mapped(const dtci_key *key, const dtci_field *f, uint64_t value)
{
  int has = 0;
  for (size_t i = 0; i < sizeof key->map; i++)
    has = has || key->map[i] != 0;
  if (has)
    return value < sizeof key->map ? key->map[value] : 0;
  if (f->type == DTCI_BOOL)
    return value != 0 ? DTC_BOOL_ON : DTC_BOOL_OFF;
  return value;
}

void dtci_settings_fill(const dtci_settings *s, dtc_model *model, dtc_plan *plan)
{
  const dtci_dialect *d = &s->dialect;
  if (d->framework != 0) {
    plan->framework = d->framework;
    plan->framework_version = s->asked;
  }
  for (uint32_t i = 0; i < d->keys_count; i++) {
    const dtci_key *key = &d->keys[i];
    const dtci_field *f = dtci_field_of(key->field);
    int has = s->state[i] == DTCI_STATE_GIVEN ||
              (s->state[i] == DTCI_STATE_WORKED && !(key->flags & DTCI_ONLY_GIVEN)) ||
              (s->state[i] == DTCI_STATE_DEFAULT && (key->flags & DTCI_FILLS));
    if (f == NULL || f->type == DTCI_F64 || !has)
      continue;
    uint64_t value = mapped(key, f, s->value[i]);
    if (value != 0 && value >= f->min && value <= f->max)
      dtci_write(key->field >> 16 == DTC_STRUCT_model ? (void *)model : (void *)plan, f, value);
  }
}

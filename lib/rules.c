/* Applies the rows of lib/catalog/rules.c, and finds the nearest values that are legal under all of them. */
#include "internal/plan.h"
#include "internal/rules.h"
#include "internal/layer_split.h"

/* Values tried on each side before the search for a nearest legal one gives up. */
enum { NEAREST_TRIES = 1024 };

const dtci_rule_row *dtci_rule_at(uint32_t table, uint32_t i)
{
#define ROW(number, rows)                                                                                              \
  case number:                                                                                                         \
    return i < rows##_count ? &rows[i] : NULL
  switch (table) {
    ROW(0, dtci_messages);
    ROW(1, dtci_rules);
  case 2:
    return i < dtci_layout_rules_count ? &dtci_layout_rules[i].row : NULL;
    ROW(3, dtci_pipe_rules);
    ROW(4, dtci_nccl_rules);
    ROW(5, dtci_collective_rules);
    ROW(6, dtci_step_rules);
    ROW(7, dtci_search_rules);
    ROW(8, dtci_explain_rules);
    ROW(9, dtci_launch_rules);
    ROW(10, dtci_advise_rules);
  default:
    return NULL;
  }
#undef ROW
}

const dtci_rule_row *dtci_rule_of(dtc_rule rule)
{
  const dtci_rule_row *row = NULL;
  for (uint32_t table = 0; dtci_rule_at(table, 0) != NULL; table++)
    for (uint32_t i = 0; (row = dtci_rule_at(table, i)) != NULL; i++)
      if (row->rule == rule)
        return row;
  return dtci_setting_rule_of(rule);
}

/* ---- values ---------------------------------------------------------------------------------- */

static uint64_t derived_of(const dtci_case *c, uint32_t which)
{
  const dtc_plan *p = &c->plan;
  dtci_layer_split split = dtci_split_of(&c->model, p);
  int given = p->schedule == DTC_SCHEDULE_INTERLEAVED && p->group > p->pp; /* a smaller one is refused elsewhere */
  uint64_t group = given ? p->group : p->pp;
  switch (which) {
  case DTCI_SPLIT_LAYERS: /* DeepSpeed splits a list of modules, embedding and head among them */
    return p->framework == DTC_FRAMEWORK_DEEPSPEED ? c->model.layers + 2 : dtci_split_counted(&split);
  case DTCI_ENDS:
    return p->first_layers + p->last_layers;
  case DTCI_MIDDLE_LAYERS:
    return dtci_middle_layers(&split);
  case DTCI_MIDDLE_RANKS:
    return dtci_middle_ranks(&split);
  case DTCI_LAST_GROUP:
    return (p->accumulation - 1) % group + 1;
  default:
    return p->accumulation < p->pp ? 1 : p->accumulation / p->pp;
  }
}

/* Where the structs that rules read lie in a case. */
static const uint16_t places[] = {
    [DTC_STRUCT_model] = offsetof(dtci_case, model),
    [DTC_STRUCT_cluster] = offsetof(dtci_case, cluster),
    [DTC_STRUCT_plan] = offsetof(dtci_case, plan),
};

static inline const unsigned char *place_of(const dtci_case *c, uint32_t operand)
{
  uint32_t number = DTCI_FIELD(operand) >> 16;
  if (number == DTC_STRUCT_setting)
    return (const unsigned char *)((operand & DTCI_GIVEN ? c->state : c->setting) + (operand & (DTCI_KEYS_MAX - 1)));
  if (number == DTC_STRUCT_layout || number == DTC_STRUCT_launch)
    return (const unsigned char *)c->layout + (operand & 0xffff);
  size_t place = operand & DTCI_GIVEN ? offsetof(dtci_case, given) : places[number];
  return (const unsigned char *)c + place + (operand & 0xffff);
}

static inline uint64_t value_of(const dtci_case *c, uint32_t operand)
{
  uint64_t wide = 0;
  uint32_t narrow = 0;
  if (DTCI_DERIVED(operand) != 0)
    return derived_of(c, DTCI_DERIVED(operand));
  if (operand & DTCI_WIDE) {
    memcpy(&wide, place_of(c, operand), sizeof wide);
    return wide;
  }
  memcpy(&narrow, place_of(c, operand), sizeof narrow);
  return narrow;
}

static uint32_t traits_of_schedule(const dtc_plan *p)
{
  int interleaved = p->schedule == DTC_SCHEDULE_INTERLEAVED;
  int groups = interleaved || p->schedule == DTC_SCHEDULE_VPP;
  int chunks = p->schedule >= DTC_SCHEDULE_INTERLEAVED && p->schedule <= DTC_SCHEDULE_DUALPIPE;
  return (interleaved || p->schedule == DTC_SCHEDULE_INTERLEAVED_ZB ? DTCI_IN_ROUNDS : 0u) |
         (groups && p->vpp > 1 ? DTCI_INTERLEAVED : 0u) | (chunks ? DTCI_CHUNKS : 0u) |
         (dtci_schedule_place(p->schedule) != DTCI_LOOP ? DTCI_V : 0u);
}

/* Most plans leave the fields from recompute_method on to the defaults, and rules about one of them need look no further. */
static int is_detailed(const dtc_plan *given)
{
  enum { FIRST = offsetof(dtc_plan, recompute_method) };
  static const unsigned char none[sizeof *given - FIRST];
  return memcmp((const unsigned char *)given + FIRST, none, sizeof none) != 0;
}

uint32_t dtci_traits_of(const dtci_case *c)
{
  const dtc_plan *p = &c->plan;
  uint32_t traits = 1u << (p->framework - 1) & DTCI_FRAMEWORKS;
  const uint64_t above_one[] = {p->tp, p->cp, p->pp, p->vpp, p->ep};
  for (uint32_t i = 0; i < 5; i++)
    traits |= (uint32_t)(above_one[i] > 1) * DTCI_TP << i;
  traits |= c->model.experts != 0 ? DTCI_EXPERTS : 0;
  traits |= c->cluster.nodes != 0 ? DTCI_GPUS : 0;
  traits |= c->given.dp != 0 ? DTCI_DP_GIVEN : 0;
  traits |= p->sequence_parallel == DTC_BOOL_ON ? DTCI_SP : 0;
  traits |= (p->first_layers | p->last_layers) != 0 ? DTCI_UNEVEN : 0;
  traits |= p->moe_overlap == DTC_BOOL_ON ? DTCI_OVERLAP : 0;
  traits |= p->account_embedding == DTC_BOOL_ON || p->account_loss == DTC_BOOL_ON ? DTCI_ACCOUNT : 0;
  traits |= p->p2p_overlap == DTC_BOOL_ON ? DTCI_P2P : 0;
  traits |= p->group != 0 ? DTCI_GROUP : 0;
  traits |= c->model.position == DTC_POSITION_LEARNED ? DTCI_TABLE : 0;
  traits |= c->model.shared_ffn != 0 ? DTCI_SHARES : 0;
  traits |= (c->model.encoder_layers | p->encoder_seq) != 0 ? DTCI_ENCODES : 0;
  traits |= c->model.mamba_layers != 0 ? DTCI_MIXES : 0;
  traits |= is_detailed(&c->given) ? DTCI_DETAILED : 0;
  traits |= p->sharding >= DTC_SHARDING_ZERO1 && p->sharding <= DTC_SHARDING_ZERO3 ? DTCI_ZERO : 0;
  traits |= p->sharding == DTC_SHARDING_FSDP || p->sharding == DTC_SHARDING_HSDP ? DTCI_FSDP : 0;
  return traits | traits_of_schedule(p);
}

static inline int meets(const dtci_case *c, const dtci_when *when)
{
  if (when->field == 0)
    return 1;
  uint64_t v = value_of(c, when->field);
  if (when->bit != 0)
    v = v >> (when->bit - 1) & 1;
  if (DTCI_FIELD(when->field) >> 16 == DTC_STRUCT_setting) /* may be below 0 */
    return (int64_t)v >= (int64_t)when->min && (int64_t)v <= (int64_t)when->max;
  return v >= when->min && v <= when->max;
}

/* Inline: without an operand to leave out the comparison goes, which rules that are checked feel. */
static inline uint64_t product(const dtci_case *c, const uint32_t operands[DTCI_OPERANDS], uint64_t factor,
                               uint32_t without)
{
  uint64_t r = factor != 0 ? factor : 1;
  int bad = 0;
  for (int i = 0; i < DTCI_OPERANDS && operands[i] != 0; i++)
    if (without == 0 || operands[i] != without)
      r = dtci_mul(r, value_of(c, operands[i]), &bad);
  return bad ? UINT64_MAX : r;
}

uint64_t dtci_rule_product(const dtci_case *c, const uint32_t operands[DTCI_OPERANDS], uint64_t factor,
                           uint32_t without)
{
  return product(c, operands, factor, without);
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

/* Does a derived number among the operands follow from this one? */
static int has_derived(const uint32_t operands[DTCI_OPERANDS], uint32_t operand)
{
  for (int i = 0; i < DTCI_OPERANDS; i++) {
    const dtci_derived_row *row = &dtci_derived_rows[DTCI_DERIVED(operands[i])];
    for (int k = 0; DTCI_DERIVED(operands[i]) != 0 && k < 5; k++)
      if (row->reads[k] == DTCI_FIELD(operand))
        return 1;
  }
  return 0;
}

int dtci_rule_reads(const dtci_rule_row *row, uint32_t operand)
{
  return has(row->left, operand) || has(row->right, operand) || has_derived(row->left, operand) ||
         has_derived(row->right, operand);
}

/* Nothing is divided among no ranks. */
static int divides(uint64_t a, uint64_t b)
{
  return a != 0 ? b % a == 0 : b == 0;
}

/* What a case has not and has, to be held against `with` and `without` at once. */
static inline uint64_t against_of(const dtci_case *c)
{
  const uint32_t both[2] = {~c->traits, c->traits};
  uint64_t r = 0;
  memcpy(&r, both, sizeof r);
  return r;
}

/* Is the rule about plans with these traits? */
static inline int concerns(const dtci_rule_row *row, uint64_t against)
{
  uint64_t r = 0;
  memcpy(&r, &row->with, sizeof r);
  return (r & against) == 0;
}

/* And about plans like this one otherwise? */
static inline int met(const dtci_rule_row *row, const dtci_case *c)
{
  if ((row->since | row->until) != 0 &&
      (c->plan.framework_version < row->since || (row->until != 0 && c->plan.framework_version >= row->until)))
    return 0;
  return !(row->even && c->has_stages) && meets(c, &row->when[0]) && meets(c, &row->when[1]);
}

/* Does a rule that is about this plan hold? */
static inline int holds(const dtci_rule_row *row, const dtci_case *c)
{
  if (!met(row, c) || row->hook == DTCI_TEXT)
    return 1;
  if (row->hook == DTCI_EXCLUDES || row->hook == DTCI_WHEN)
    return 0;
  if (row->hook == DTCI_NEEDS)
    return meets(c, &row->need);
  if (row->hook == DTCI_ONE_OF)
    return row->need.min >> value_of(c, row->need.field) & 1;
  uint64_t left = product(c, row->left, row->factor, 0);
  uint64_t right = product(c, row->right, 1, 0);
  switch (row->hook) {
  case DTCI_DIVIDES:
    return divides(left, right);
  case DTCI_EITHER:
    return divides(left, right) || divides(right, left);
  case DTCI_AT_MOST:
    return left <= right;
  default:
    return left == right;
  }
}

/* The first of the rows in front of `end` that is broken, or `end`. */
static const dtci_rule_row *first_broken(const dtci_rule_row *row, const dtci_rule_row *end, const dtci_case *c)
{
  uint64_t against = against_of(c);
  while (row < end && (!concerns(row, against) || holds(row, c)))
    row++;
  return row;
}

int dtci_rule_holds(const dtci_rule_row *row, const dtci_case *c)
{
  return first_broken(row, row + 1, c) != row;
}

int dtci_rules_hold(const uint16_t *list, uint32_t n, const dtci_case *c)
{
  uint64_t against = against_of(c);
  for (uint32_t i = 0; i < n; i++) {
    const dtci_rule_row *row = &dtci_rules[list[i]];
    if (concerns(row, against) && !holds(row, c))
      return 0;
  }
  return 1;
}

int dtci_condition_meets(const dtci_case *c, const dtci_when *when)
{
  return meets(c, when);
}

uint32_t dtci_next_broken(const dtci_case *c, uint32_t from)
{
  return (uint32_t)(first_broken(dtci_rules + from, dtci_rules + dtci_rules_count, c) - dtci_rules);
}

/* ---- what to do about it --------------------------------------------------------------------- */

/* Would the caller's plan with this value pass every rule that compares it? Defaults that follow from it follow. A batch
 * that does not come out whatever the value is left alone. */
static int legal(const dtci_case *c, const dtci_rule_row *broken, uint32_t fix, uint64_t value)
{
  dtci_case tried = *c;
  dtc_error unused;
  tried.plan = c->given;
  memcpy((unsigned char *)&tried.plan + (fix & 0xffff), &value, sizeof value);
  if (dtci_plan_fill(&tried, &unused) != DTC_OK)
    return 0;
  for (uint32_t i = 0; i < dtci_rules_count; i++) {
    const dtci_rule_row *row = &dtci_rules[i];
    int follows = row->hook != DTCI_EQUALS || row->fix == broken->fix;
    int counts = row == broken || (row->severity == DTC_SEVERITY_ERROR && follows);
    if (counts && dtci_rule_reads(row, fix) && !dtci_rule_holds(row, &tried))
      return 0;
  }
  return 1;
}

/* The largest value of `fix` on the left that can pass: what is left of the right. */
static uint64_t most_of(const dtci_rule_row *row, const dtci_case *c, uint32_t fix)
{
  uint64_t rest = dtci_rule_product(c, row->left, row->factor, fix);
  int bounded = (row->hook == DTCI_DIVIDES || row->hook == DTCI_AT_MOST) && has(row->left, fix) && rest != 0;
  return bounded ? dtci_rule_product(c, row->right, 1, 0) / rest : UINT64_MAX;
}

/* The least value of `fix` on the right that can pass. */
static uint64_t least_of(const dtci_rule_row *row, const dtci_case *c, uint32_t fix)
{
  uint64_t rest = dtci_rule_product(c, row->right, 1, fix);
  if (row->hook != DTCI_AT_MOST || !has(row->right, fix) || rest == 0)
    return 0;
  return dtci_ceil_div(dtci_rule_product(c, row->left, row->factor, 0), rest);
}

/* Legal values that lie apart: what a product on the left divides, or equals, is its multiple. */
static uint64_t step_of(const dtci_rule_row *row, const dtci_case *c, uint32_t fix)
{
  int multiples = (row->hook == DTCI_DIVIDES || row->hook == DTCI_EQUALS) && has(row->right, fix);
  return multiples && !has_derived(row->left, fix) ? dtci_rule_product(c, row->left, row->factor, 0) : 1;
}

/* The one value that makes both sides equal. */
static void equal_value(const dtci_rule_row *row, const dtci_case *c, uint32_t fix, uint64_t most, dtc_error *e)
{
  int right = has(row->right, fix);
  uint64_t rest = right ? dtci_rule_product(c, row->right, 1, fix) : dtci_rule_product(c, row->left, row->factor, fix);
  uint64_t whole = right ? dtci_rule_product(c, row->left, row->factor, 0) : dtci_rule_product(c, row->right, 1, 0);
  if (rest == 0 || whole % rest != 0 || whole / rest > most || whole == 0 || !legal(c, row, fix, whole / rest))
    return;
  *(whole / rest < e->got ? &e->lower : &e->upper) = whole / rest;
}

/* Nearest legal values of a plan field below and above. They lie `step` apart, on multiples of it. */
static void nearest(const dtci_rule_row *row, const dtci_case *c, uint32_t fix, dtc_error *e)
{
  const dtci_field *f = dtci_field_of(DTCI_FIELD(fix));
  if (f == NULL || f->type != DTCI_U64 || DTCI_FIELD(fix) >> 16 != DTC_STRUCT_plan || row->hook == DTCI_NEEDS ||
      row->hook == DTCI_ONE_OF || row->hook == DTCI_EXCLUDES)
    return;
  uint64_t most = most_of(row, c, fix);
  uint64_t least = least_of(row, c, fix);
  uint64_t step = step_of(row, c, fix);
  if (step == 0 || step > f->max || least > f->max)
    return;
  uint64_t start = (e->got < most ? e->got : most) / step * step;
  for (uint64_t i = 0; i < NEAREST_TRIES && e->lower == DTC_NONE && start >= (i + 1) * step; i++)
    if (start - i * step < e->got && legal(c, row, fix, start - i * step))
      e->lower = start - i * step;
  if (start < least)
    start = (least - 1) / step * step;
  for (uint64_t i = 1; i < NEAREST_TRIES && e->upper == DTC_NONE && i * step <= f->max - start; i++)
    if (start + i * step > e->got && legal(c, row, fix, start + i * step))
      e->upper = start + i * step;
  if (row->hook == DTCI_EQUALS && e->lower == DTC_NONE && e->upper == DTC_NONE) /* farther away than was tried */
    equal_value(row, c, fix, f->max, e);
}

uint32_t dtci_rule_other(const dtci_rule_row *row, uint32_t fix)
{
  switch (row->hook) {
  case DTCI_NEEDS:
    return row->need.field;
  case DTCI_ONE_OF:
    return DTCI_OPERAND(plan, framework);
  case DTCI_WHEN:
    return row->when[1].field;
  case DTCI_EXCLUDES:
    if (row->when[1].field != 0)
      return row->when[1].field;
    return (row->since | row->until) != 0 ? DTCI_OPERAND(plan, framework_version) : DTCI_OPERAND(plan, framework);
  default:
    return has(row->left, fix) ? row->right[0] : row->left[0];
  }
}

/* What is told of an operand: of a setting its value, also when its state is what counts. */
static uint32_t told(uint32_t operand)
{
  return DTCI_FIELD(operand) >> 16 == DTC_STRUCT_setting ? operand & ~DTCI_GIVEN : operand;
}

void dtci_rule_describe(const dtci_rule_row *row, const dtci_case *c, uint32_t fix, dtc_error *e)
{
  uint32_t against = dtci_rule_other(row, fix);
  dtci_fail(e, row->status, row->rule, DTCI_FIELD(fix), value_of(c, told(fix)));
  e->severity = row->severity;
  e->other = DTCI_FIELD(against);
  if (row->hook == DTCI_NEEDS) {
    e->other_got = value_of(c, told(against));
    e->min = row->need.min;
    e->max = row->need.max >= INT64_MAX ? DTC_NONE : row->need.max;
  } else if (row->hook == DTCI_ONE_OF || row->hook == DTCI_EXCLUDES || row->hook == DTCI_WHEN) {
    e->other_got = against != 0 ? value_of(c, told(against)) : DTC_NONE;
  } else {
    int left = has(row->left, fix);
    e->other_got = dtci_rule_product(c, left ? row->right : row->left, left ? 1 : row->factor, 0);
    uint64_t rest = dtci_rule_product(c, row->left, row->factor, fix);
    if (row->hook == DTCI_AT_MOST && left && rest != 0)
      e->max = e->other_got / rest;
    else if (row->hook == DTCI_AT_MOST && !left && has(row->right, fix))
      e->min = least_of(row, c, fix);
  }
}

int dtci_rule_check(const dtci_rule_row *row, const dtci_case *c, dtc_error *e)
{
  if (dtci_rule_holds(row, c))
    return 1;
  uint32_t fix = row->or_fix != 0 && value_of(c, row->fix) == 0 ? row->or_fix : row->fix;
  dtci_rule_describe(row, c, fix, e);
  nearest(row, c, fix, e);
  return 0;
}

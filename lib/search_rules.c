/* Which rules an axis can break: those are looked at when it moves, and what they refuse is stepped over as a whole. */
#include "internal/plan.h"
#include "internal/search.h"

#define ON(axis) (1u << DTC_SPACE_AXIS_##axis)
#define DATA (ON(GPUS) | ON(TP) | ON(CP) | ON(PP))
#define CHUNKS (ON(PP) | ON(VPP) | ON(SCHEDULE))
#define ALL ((1u << DTC_SPACE_AXES) - 1)

/* Fields of a resolved plan that follow axes; others are the same in all of a space. */
typedef struct follows {
  uint32_t field;
  uint32_t axes;
} follows;

static const follows fields[] = {
    {DTC_FIELD(plan, tp), ON(TP)},
    {DTC_FIELD(plan, cp), ON(CP)},
    {DTC_FIELD(plan, pp), ON(PP)},
    {DTC_FIELD(plan, dp), DATA},
    {DTC_FIELD(plan, ep), ON(EP)},
    {DTC_FIELD(plan, etp), ON(ETP) | ON(TP)},
    {DTC_FIELD(plan, vpp), ON(VPP)},
    {DTC_FIELD(plan, schedule), ON(SCHEDULE)},
    {DTC_FIELD(plan, sharding), ON(SHARDING)},
    {DTC_FIELD(plan, dp_shard), DATA | ON(SHARDING) | ON(DP_SHARD)},
    {DTC_FIELD(plan, sequence_parallel), ON(SEQUENCE_PARALLEL) | ON(TP)},
    {DTC_FIELD(plan, micro_batch), ON(MICRO_BATCH) | DATA},
    {DTC_FIELD(plan, accumulation), ON(MICRO_BATCH) | DATA},
    {DTC_FIELD(plan, recompute), ON(RECOMPUTE)},
    {DTC_FIELD(plan, recompute_method), ON(RECOMPUTE_LAYERS)},
    {DTC_FIELD(plan, recompute_layers), ON(RECOMPUTE) | ON(RECOMPUTE_LAYERS)},
    {DTC_FIELD(plan, recompute_core_attn), ON(RECOMPUTE)},
    {DTC_FIELD(plan, account_embedding), ON(LAYERS)},
    {DTC_FIELD(plan, account_loss), ON(LAYERS)},
    {DTC_FIELD(plan, last_layers), ON(LAYERS) | ON(PP)},
    {DTC_FIELD(plan, group), CHUNKS},
    {DTC_FIELD(plan, p2p_overlap), CHUNKS},
    {DTC_FIELD(plan, grad_overlap), ON(PP)},
    {DTC_FIELD(plan, vocab_multiple), ON(TP)},
    {DTC_FIELD(plan, bucket), ON(SHARDING)},
    {DTC_FIELD(plan, live), ON(SHARDING)},
    {DTC_FIELD(plan, persistence), ON(SHARDING)},
    {DTC_FIELD(plan, offload), ON(OFFLOAD)},
};

/* The same of what a plan has; the rest are the same in all of a space. */
static const follows traits[] = {
    {DTCI_TP, ON(TP)},
    {DTCI_CP, ON(CP)},
    {DTCI_PP, ON(PP)},
    {DTCI_VPP, ON(VPP)},
    {DTCI_EP, ON(EP)},
    {DTCI_SP, ON(SEQUENCE_PARALLEL) | ON(TP)},
    {DTCI_INTERLEAVED, CHUNKS},
    {DTCI_V, CHUNKS},
    {DTCI_IN_ROUNDS, CHUNKS},
    {DTCI_CHUNKS, CHUNKS},
    {DTCI_P2P, CHUNKS},
    {DTCI_GROUP, CHUNKS},
    {DTCI_ZERO, ON(SHARDING)},
    {DTCI_FSDP, ON(SHARDING)},
    {DTCI_DETAILED, ON(RECOMPUTE_LAYERS) | ON(OFFLOAD)},
    {DTCI_UNEVEN, ON(LAYERS) | ON(PP)},
    {DTCI_ACCOUNT, ON(LAYERS)},
};

static uint32_t axes_of_field(uint32_t field)
{
  for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
    if (fields[i].field == field)
      return fields[i].axes;
  return 0;
}

static uint32_t axes_of(uint32_t operand)
{
  const dtci_derived_row *derived = &dtci_derived_rows[DTCI_DERIVED(operand)];
  uint32_t axes = axes_of_field(DTCI_FIELD(operand));
  for (int i = 0; DTCI_DERIVED(operand) != 0 && i < 5; i++)
    axes |= axes_of_field(derived->reads[i]);
  return axes;
}

/* How many of the schedules that a space has meet a condition about them. */
static uint32_t schedules_that_meet(const dtci_space *s, const dtci_when *when)
{
  uint32_t n = 0;
  for (uint32_t i = 0; i < dtci_axis_count(s, DTC_SPACE_AXIS_SCHEDULE); i++) {
    uint64_t value = dtci_axis_value(s, DTC_SPACE_AXIS_SCHEDULE, i);
    n += value >= when->min && value <= when->max;
  }
  return n;
}

/* A condition about schedules that all of them meet follows no axis. */
static uint32_t axes_of_condition(const dtci_space *s, const dtci_when *when)
{
  int schedule = when->field == DTCI_OPERAND(plan, schedule);
  if (schedule && schedules_that_meet(s, when) == dtci_axis_count(s, DTC_SPACE_AXIS_SCHEDULE))
    return 0;
  return axes_of(when->field);
}

static uint32_t axes_of_rule(const dtci_space *s, const dtci_rule_row *row)
{
  uint32_t axes = axes_of(row->need.field) | axes_of_condition(s, &row->when[0]) | axes_of_condition(s, &row->when[1]);
  for (int i = 0; i < DTCI_OPERANDS; i++)
    axes |= axes_of(row->left[i]) | axes_of(row->right[i]);
  for (size_t i = 0; i < sizeof traits / sizeof traits[0]; i++)
    axes |= (row->with | row->without) & traits[i].field ? traits[i].axes : 0;
  return axes;
}

static uint32_t last_axis(uint32_t axes)
{
  uint32_t last = 0;
  for (uint32_t i = 0; i < DTC_SPACE_AXES; i++)
    last = axes >> i & 1 ? i : last;
  return last;
}

/* Traits that axes change. */
static uint32_t moving_traits(const dtci_space *s)
{
  const dtci_when turned = {.min = DTC_SCHEDULE_ZBV, .max = DTC_SCHEDULE_DUALPIPE};
  uint32_t moving = 0;
  for (size_t i = 0; i < sizeof traits / sizeof traits[0]; i++)
    moving |= traits[i].field;
  return schedules_that_meet(s, &turned) != 0 ? moving : moving & ~(uint32_t)DTCI_V;
}

static int may_meet(const dtci_space *s, const dtci_case *any, const dtci_when *when)
{
  if (when->field == DTCI_OPERAND(plan, schedule) && schedules_that_meet(s, when) == 0)
    return 0;
  return axes_of_condition(s, when) != 0 || dtci_condition_meets(any, when);
}

/* Can the rule be about a plan of the space, of which `any` is one? */
static int concerns(const dtci_space *s, const dtci_rule_row *row, const dtci_case *any, uint32_t moving)
{
  uint32_t lacks = row->with & ~moving & ~any->traits;
  uint32_t has = row->without & ~moving & any->traits;
  return row->severity == DTC_SEVERITY_ERROR && (lacks | has) == 0 && may_meet(s, any, &row->when[0]) &&
         may_meet(s, any, &row->when[1]);
}

/* The rules that matter, then those of each axis in a row. */
dtc_status dtci_sieve_of(dtci_sieve *sieve, const dtci_space *s, const dtci_case *any, dtc_error *e)
{
  uint16_t found[DTCI_RULES_MOST];
  uint8_t last[DTCI_RULES_MOST];
  uint32_t count = 0;
  uint16_t n = 0;
  uint32_t moving = moving_traits(s);
  for (uint32_t i = 0; i < dtci_rules_count; i++) {
    const dtci_rule_row *row = &dtci_rules[i];
    if (!concerns(s, row, any, moving))
      continue;
    if (count == DTCI_RULES_MOST)
      return dtci_fail_space(e, DTCI_RULES_MOST, count + 1);
    found[count] = (uint16_t)i;
    last[count++] = (uint8_t)last_axis(axes_of_rule(s, row));
  }
  for (uint32_t axis = 0; axis < DTC_SPACE_AXES; axis++) {
    sieve->first[axis] = n;
    for (uint32_t i = 0; i < count; i++)
      if (last[i] == axis)
        sieve->rule[n++] = found[i];
  }
  sieve->first[DTC_SPACE_AXES] = n;
  return DTC_OK;
}

int dtci_sieve_passes(const dtci_sieve *sieve, const dtci_case *c, uint32_t axis)
{
  uint32_t first = sieve->first[axis];
  return dtci_rules_hold(sieve->rule + first, sieve->first[axis + 1] - first, c);
}

/* ---- values without effect ------------------------------------------------------------------- */

static int shards_same(const dtci_space *s, const dtc_plan *p, uint64_t value)
{
  dtc_plan usual = *p;
  usual.dp_shard = 0;
  dtci_plan_fill_shard(&usual, s->base.cluster.gpus_per_node);
  return value == usual.dp_shard;
}

/* With one stage every schedule is that of 1F1B, which is legal; but for GPipe, whose memory holds all micro-batches. */
static int scheduled_before(const dtci_space *s, uint32_t digit)
{
  if (dtci_axis_value(s, DTC_SPACE_AXIS_SCHEDULE, digit) == DTC_SCHEDULE_GPIPE)
    return 0;
  for (uint32_t i = 0; i < digit; i++) {
    uint64_t value = dtci_axis_value(s, DTC_SPACE_AXIS_SCHEDULE, i);
    if (value == DTC_SCHEDULE_DEFAULT || value == DTC_SCHEDULE_1F1B)
      return 1;
  }
  return 0;
}

int dtci_is_same(const dtci_space *s, const uint32_t digit[DTC_SPACE_AXES], const dtc_plan *p, uint32_t axis)
{
  uint64_t value = dtci_axis_value(s, axis, digit[axis]);
  uint64_t how = dtci_axis_value(s, DTC_SPACE_AXIS_LAYERS, digit[DTC_SPACE_AXIS_LAYERS]);
  switch (axis) {
  case DTC_SPACE_AXIS_PP: /* layers that one rank has, or that divide anyway */
    return digit[DTC_SPACE_AXIS_LAYERS] != 0 &&
           (p->pp == 1 || (how == DTC_SPACE_LAYERS_LAST && s->base.model.layers % p->pp == 0));
  case DTC_SPACE_AXIS_SEQUENCE_PARALLEL: /* off is the one that stays: rules ask more of on, without tp too */
    return p->tp == 1 && value == DTC_BOOL_ON && dtci_axis_count(s, axis) > 1;
  case DTC_SPACE_AXIS_RECOMPUTE_LAYERS:
    return digit[axis] != 0 && p->recompute != DTC_RECOMPUTE_FULL;
  case DTC_SPACE_AXIS_SCHEDULE:
    return p->pp == 1 && scheduled_before(s, digit[axis]);
  case DTC_SPACE_AXIS_DP_SHARD:
    return digit[axis] != 0 && (!dtci_shardings[p->sharding].optimizer || shards_same(s, p, value));
  default:
    return 0;
  }
}

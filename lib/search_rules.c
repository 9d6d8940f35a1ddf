/* Which rules an axis can break: those are looked at when it moves, and what they refuse is stepped over as a whole.
 * What they say of the values of few axes is kept. */
#include "internal/plan.h"
#include "internal/search.h"

#define ON(axis) (1u << DTC_SPACE_AXIS_##axis)
#define DATA (ON(GPUS) | ON(TP) | ON(CP) | ON(PP))
#define CHUNKS (ON(PP) | ON(VPP) | ON(SCHEDULE))

/* Fields of a resolved plan that follow axes, by the fastest of them, the fastest first; others are the same in all of a
 * space. */
typedef struct follows {
  uint32_t operand; /* or a trait */
  uint32_t axes;
} follows;

static const follows fields[] = {
    {DTCI_OPERAND(plan, dp_shard), DATA | ON(SHARDING) | ON(DP_SHARD)},
    {DTCI_OPERAND(plan, schedule), ON(SCHEDULE)},
    {DTCI_OPERAND(plan, group), CHUNKS},
    {DTCI_OPERAND(plan, p2p_overlap), CHUNKS},
    {DTCI_OPERAND(plan, vpp), ON(VPP)},
    {DTCI_OPERAND(plan, pp), ON(PP)},
    {DTCI_OPERAND(plan, dp), DATA},
    {DTCI_OPERAND(plan, micro_batch), ON(MICRO_BATCH) | DATA},
    {DTCI_OPERAND(plan, accumulation), ON(MICRO_BATCH) | DATA},
    {DTCI_OPERAND(plan, account_embedding), ON(LAYERS) | ON(PP)},
    {DTCI_OPERAND(plan, account_loss), ON(LAYERS) | ON(PP)},
    {DTCI_OPERAND(plan, last_layers), ON(LAYERS) | ON(PP)},
    {DTCI_OPERAND(plan, grad_overlap), ON(PP)},
    {DTCI_OPERAND(plan, offload), ON(OFFLOAD)},
    {DTCI_OPERAND(plan, sharding), ON(SHARDING)},
    {DTCI_OPERAND(plan, bucket), ON(SHARDING)},
    {DTCI_OPERAND(plan, live), ON(SHARDING)},
    {DTCI_OPERAND(plan, persistence), ON(SHARDING)},
    {DTCI_OPERAND(plan, recompute_method), ON(RECOMPUTE_LAYERS)},
    {DTCI_OPERAND(plan, recompute_layers), ON(RECOMPUTE) | ON(RECOMPUTE_LAYERS)},
    {DTCI_OPERAND(plan, recompute), ON(RECOMPUTE)},
    {DTCI_OPERAND(plan, recompute_core_attn), ON(RECOMPUTE)},
    {DTCI_OPERAND(plan, sequence_parallel), ON(SEQUENCE_PARALLEL) | ON(TP)},
    {DTCI_OPERAND(plan, etp), ON(ETP) | ON(TP)},
    {DTCI_OPERAND(plan, ep), ON(EP)},
    {DTCI_OPERAND(plan, cp), ON(CP)},
    {DTCI_OPERAND(plan, tp), ON(TP)},
    {DTCI_OPERAND(plan, vocab_multiple), ON(TP)},
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
    {DTCI_ACCOUNT, ON(LAYERS) | ON(PP)},
};

static uint32_t axes_of_field(uint32_t field)
{
  for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
    if (DTCI_FIELD(fields[i].operand) == field)
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
    axes |= (row->with | row->without) & traits[i].operand ? traits[i].axes : 0;
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
    moving |= traits[i].operand;
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

/* ---- values without effect, and GPUs that do not divide --------------------------------------- */

static int shards_same(const dtci_space *s, const dtc_plan *p)
{
  dtc_plan usual = *p;
  usual.dp_shard = 0;
  dtci_plan_fill_shard(&usual, s->base.cluster.gpus_per_node);
  return p->dp_shard == usual.dp_shard;
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

/* Has this axis' value no effect, given those of the axes before? */
static int is_same(const dtci_space *s, const uint32_t digit[DTC_SPACE_AXES], const dtc_plan *p, uint32_t axis)
{
  switch (axis) {
  case DTC_SPACE_AXIS_PP: { /* layers that one rank has, or that divide anyway */
    uint32_t how = digit[DTC_SPACE_AXIS_LAYERS];
    int last = dtci_axis_value(s, DTC_SPACE_AXIS_LAYERS, how) == DTC_SPACE_LAYERS_LAST;
    return how != 0 && (p->pp == 1 || (last && s->base.model.layers % p->pp == 0));
  }
  case DTC_SPACE_AXIS_SEQUENCE_PARALLEL: /* off is the one that stays: rules ask more of on, without tp too */
    return p->tp == 1 && p->sequence_parallel == DTC_BOOL_ON && dtci_axis_count(s, axis) > 1;
  case DTC_SPACE_AXIS_RECOMPUTE_LAYERS:
    return digit[axis] != 0 && p->recompute != DTC_RECOMPUTE_FULL;
  case DTC_SPACE_AXIS_SCHEDULE:
    return p->pp == 1 && scheduled_before(s, digit[axis]);
  case DTC_SPACE_AXIS_DP_SHARD:
    return digit[axis] != 0 && (!dtci_shardings[p->sharding].optimizer || shards_same(s, p));
  default:
    return 0;
  }
}

/* Do the GPUs divide among the degrees up to this axis? */
static int divides(const dtci_space *s, const uint32_t digit[DTC_SPACE_AXES], const dtc_plan *p, uint32_t axis)
{
  if (axis != DTC_SPACE_AXIS_CP && axis != DTC_SPACE_AXIS_PP)
    return 1;
  uint64_t gpus = dtci_axis_value(s, DTC_SPACE_AXIS_GPUS, digit[DTC_SPACE_AXIS_GPUS]);
  if (s->base.plan.dp != 0)
    return axis == DTC_SPACE_AXIS_CP || p->tp * p->cp * p->pp * p->dp == gpus;
  return gpus % (p->tp * p->cp * (axis == DTC_SPACE_AXIS_PP ? p->pp : 1)) == 0;
}

/* What both follow, of each axis. */
static const uint32_t plain[DTC_SPACE_AXES] = {
    [DTC_SPACE_AXIS_CP] = ON(GPUS) | ON(TP) | ON(CP),
    [DTC_SPACE_AXIS_SEQUENCE_PARALLEL] = ON(TP) | ON(SEQUENCE_PARALLEL),
    [DTC_SPACE_AXIS_RECOMPUTE_LAYERS] = ON(RECOMPUTE) | ON(RECOMPUTE_LAYERS),
    [DTC_SPACE_AXIS_PP] = DATA | ON(LAYERS),
    [DTC_SPACE_AXIS_SCHEDULE] = ON(PP) | ON(SCHEDULE),
    [DTC_SPACE_AXIS_DP_SHARD] = DATA | ON(SHARDING) | ON(DP_SHARD),
};

/* ---- parts ----------------------------------------------------------------------------------- */

/* Values of these axes together. */
static uint64_t combinations(const dtci_space *s, uint32_t axes)
{
  uint64_t n = 1;
  for (; axes != 0; axes &= axes - 1)
    n *= dtci_axis_count(s, (uint32_t)__builtin_ctz(axes)); /* at most DTCI_AXIS_VALUES, of few axes */
  return n;
}

/* The part, of those of its axis from `first` on, that a rule goes into: one whose verdicts stay few, or a new one, if there
 * is room. */
static dtci_sieve_part *part_for(dtci_sieve *sieve, const dtci_space *s, uint32_t first, uint32_t axes)
{
  for (uint32_t i = first; i < sieve->parts; i++) {
    dtci_sieve_part *part = &sieve->part[i];
    if (part->axes == axes || combinations(s, part->axes | axes) <= DTCI_VERDICTS_OF_PART)
      return part;
  }
  return sieve->parts < DTCI_PARTS_MOST ? &sieve->part[sieve->parts++] : NULL;
}

/* Rules found, with the axes that they follow. */
typedef struct found {
  uint32_t count;
  uint32_t axes[DTCI_RULES_MOST];
  uint16_t rule[DTCI_RULES_MOST];
  uint16_t part[DTCI_RULES_MOST];
} found;

static dtc_status find_rules(found *f, const dtci_space *s, const dtci_case *any, dtc_error *e)
{
  uint32_t moving = moving_traits(s);
  f->count = 0;
  for (uint32_t i = 0; i < dtci_rules_count; i++) {
    const dtci_rule_row *row = &dtci_rules[i];
    if (!concerns(s, row, any, moving))
      continue;
    if (f->count == DTCI_RULES_MOST)
      return dtci_fail_space(e, DTCI_RULES_MOST, f->count + 1);
    uint32_t axes = axes_of_rule(s, row);
    f->axes[f->count] = axes | 1u << last_axis(axes); /* what follows none is told with the first */
    f->rule[f->count++] = (uint16_t)i;
  }
  return DTC_OK;
}

/* Digits times their weights make the place of a verdict. */
static void weigh(dtci_sieve_part *part, const dtci_space *s)
{
  uint32_t weight = 1;
  part->weights = 0;
  for (uint32_t axis = DTC_SPACE_AXES; axis-- > 0;) {
    if (!(part->axes >> axis & 1))
      continue;
    part->axis[part->weights] = (uint8_t)axis;
    part->weight[part->weights++] = weight;
    weight *= dtci_axis_count(s, axis);
  }
}

/* Rules of a part stand in a row, and verdicts of parts one behind the other. */
static void lay_out(dtci_sieve *sieve, const dtci_space *s, const found *f)
{
  uint16_t n = 0;
  uint64_t verdicts = 0;
  for (uint32_t k = 0; k < sieve->parts; k++) {
    dtci_sieve_part *part = &sieve->part[k];
    part->rule = n;
    for (uint32_t i = 0; i < f->count; i++)
      if (f->part[i] == k)
        sieve->rule[n++] = f->rule[i];
    part->rules = (uint16_t)(n - part->rule);
    uint64_t needed = combinations(s, part->axes);
    part->kept = needed <= DTCI_VERDICTS - verdicts;
    part->verdict = (uint32_t)verdicts;
    if (!part->kept)
      continue;
    verdicts += needed;
    weigh(part, s);
  }
  memset(sieve->verdict, 0, sizeof sieve->verdict);
}

dtc_status dtci_sieve_of(dtci_sieve *sieve, const dtci_space *s, const dtci_case *any, dtc_error *e)
{
  found f;
  TRY(find_rules(&f, s, any, e));
  memset(sieve->part, 0, sizeof sieve->part);
  sieve->parts = 0;
  for (uint32_t axis = 0; axis < DTC_SPACE_AXES; axis++) {
    uint32_t first = sieve->parts;
    sieve->first[axis] = (uint16_t)first;
    if (sieve->parts == DTCI_PARTS_MOST)
      return dtci_fail_space(e, DTCI_PARTS_MOST, DTCI_PARTS_MOST + 1);
    if (plain[axis] != 0)
      sieve->part[sieve->parts++] = (dtci_sieve_part){.axes = plain[axis], .plain = 1};
    for (uint32_t i = 0; i < f.count; i++) {
      if (last_axis(f.axes[i]) != axis)
        continue;
      dtci_sieve_part *part = part_for(sieve, s, first, f.axes[i]);
      if (part == NULL)
        return dtci_fail_space(e, DTCI_PARTS_MOST, DTCI_PARTS_MOST + 1);
      part->axes |= f.axes[i];
      f.part[i] = (uint16_t)(part - sieve->part);
    }
  }
  sieve->first[DTC_SPACE_AXES] = (uint16_t)sieve->parts;
  lay_out(sieve, s, &f);
  return DTC_OK;
}

void dtci_sieve_enter(dtci_sieve *sieve, const uint32_t digit[DTC_SPACE_AXES], uint32_t axis)
{
  for (uint32_t k = sieve->first[axis]; k < sieve->first[axis + 1]; k++) {
    dtci_sieve_part *part = &sieve->part[k];
    part->base = part->verdict;
    for (uint32_t i = 1; i < part->weights; i++)
      part->base += part->weight[i] * digit[part->axis[i]];
  }
}

/* The fastest axis has weight 1. */
static uint32_t place_of(const dtci_sieve_part *part, const uint32_t digit[DTC_SPACE_AXES])
{
  return part->base + digit[part->axis[0]];
}

dtci_verdict dtci_sieve_known(const dtci_sieve *sieve, const uint32_t digit[DTC_SPACE_AXES], uint32_t axis, uint32_t *k)
{
  for (; *k < sieve->first[axis + 1]; (*k)++) {
    const dtci_sieve_part *part = &sieve->part[*k];
    dtci_verdict verdict = part->kept ? sieve->verdict[place_of(part, digit)] : DTCI_UNKNOWN;
    if (verdict != DTCI_HOLDS)
      return verdict;
  }
  return DTCI_HOLDS;
}

dtci_verdict dtci_sieve_keep(dtci_sieve *sieve, const uint32_t digit[DTC_SPACE_AXES], uint32_t k, dtci_verdict verdict)
{
  const dtci_sieve_part *part = &sieve->part[k];
  if (part->kept)
    sieve->verdict[place_of(part, digit)] = verdict;
  return verdict;
}

dtci_verdict dtci_sieve_plain(const dtci_sieve *sieve, const dtci_space *s, const uint32_t digit[DTC_SPACE_AXES],
                              const dtc_plan *p, uint32_t k)
{
  const dtci_sieve_part *part = &sieve->part[k];
  uint32_t axis = last_axis(part->axes);
  if (!part->plain)
    return DTCI_HOLDS;
  return is_same(s, digit, p, axis) ? DTCI_SAME : divides(s, digit, p, axis) ? DTCI_HOLDS : DTCI_BROKEN;
}

dtci_verdict dtci_sieve_judge(const dtci_sieve *sieve, const dtci_case *c, uint32_t k)
{
  const dtci_sieve_part *part = &sieve->part[k];
  return dtci_rules_hold(sieve->rule + part->rule, part->rules, c) ? DTCI_HOLDS : DTCI_BROKEN;
}

void dtci_varied_copy(dtc_plan *to, const dtc_plan *from, uint32_t axis)
{
  for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
    if (fields[i].axes >> axis == 0) /* nor do those behind it */
      return;
    unsigned char *at = (unsigned char *)to + (fields[i].operand & 0xffff);
    const unsigned char *value = (const unsigned char *)from + (fields[i].operand & 0xffff);
    if (fields[i].operand & DTCI_WIDE)
      memcpy(at, value, sizeof(uint64_t));
    else
      memcpy(at, value, sizeof(uint32_t));
  }
}

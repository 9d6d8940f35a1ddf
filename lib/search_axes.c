/* The axes of a space: which values each has, and the plan of an index. */
#include "internal/cluster.h"
#include "internal/search.h"

enum { CP_MOST = 16, MICRO_BATCH_MOST = 64, KEEP = 10 };

/* ---- fields ---------------------------------------------------------------------------------- */

/* The plan's field of an axis, as an operand; 0: none. */
static const uint32_t fields[DTC_SPACE_AXES] = {
    [DTC_SPACE_AXIS_TP] = DTCI_OPERAND(plan, tp),
    [DTC_SPACE_AXIS_CP] = DTCI_OPERAND(plan, cp),
    [DTC_SPACE_AXIS_EP] = DTCI_OPERAND(plan, ep),
    [DTC_SPACE_AXIS_ETP] = DTCI_OPERAND(plan, etp),
    [DTC_SPACE_AXIS_SEQUENCE_PARALLEL] = DTCI_OPERAND(plan, sequence_parallel),
    [DTC_SPACE_AXIS_MICRO_BATCH] = DTCI_OPERAND(plan, micro_batch),
    [DTC_SPACE_AXIS_RECOMPUTE] = DTCI_OPERAND(plan, recompute),
    [DTC_SPACE_AXIS_RECOMPUTE_LAYERS] = DTCI_OPERAND(plan, recompute_layers),
    [DTC_SPACE_AXIS_PP] = DTCI_OPERAND(plan, pp),
    [DTC_SPACE_AXIS_VPP] = DTCI_OPERAND(plan, vpp),
    [DTC_SPACE_AXIS_SCHEDULE] = DTCI_OPERAND(plan, schedule),
    [DTC_SPACE_AXIS_SHARDING] = DTCI_OPERAND(plan, sharding),
    [DTC_SPACE_AXIS_DP_SHARD] = DTCI_OPERAND(plan, dp_shard),
    [DTC_SPACE_AXIS_OFFLOAD] = DTCI_OPERAND(plan, offload),
};

static uint64_t field_of(const dtc_plan *p, uint32_t axis)
{
  return fields[axis] != 0 ? dtci_read(p, dtci_field_of(DTCI_FIELD(fields[axis]))) : 0;
}

/* As dtci_write(), without looking the field up: every plan of a search is set. */
static void set_field(dtc_plan *p, uint32_t axis, uint64_t value)
{
  uint32_t narrow = (uint32_t)value;
  unsigned char *at = (unsigned char *)p + (fields[axis] & 0xffff);
  if (fields[axis] & DTCI_WIDE)
    memcpy(at, &value, sizeof value);
  else
    memcpy(at, &narrow, sizeof narrow);
}

/* ---- values ---------------------------------------------------------------------------------- */

/* Values of an axis while they are listed; too many are counted, not kept. */
typedef struct list {
  dtci_space *s;
  uint32_t axis;
  uint32_t count;
} list;

static void put(list *l, uint64_t value)
{
  if (l->count < DTCI_AXIS_VALUES && l->s->first[l->axis] + l->count < DTCI_SPACE_VALUES)
    l->s->value[l->s->first[l->axis] + l->count] = (uint32_t)value;
  l->count++;
}

/* Divisors up to `most`, the small ones first. */
static void put_divisors(list *l, uint64_t n, uint64_t most)
{
  uint64_t root = 0;
  for (uint64_t d = 1; d <= n / d && d <= most; d++) {
    root = d;
    if (n % d == 0)
      put(l, d);
  }
  for (uint64_t d = root; d >= 1 && n / d <= most; d--)
    if (n % d == 0 && n / d != d)
      put(l, n / d);
}

static void put_bits(list *l, uint32_t mask)
{
  for (uint32_t i = 0; i < 32; i++)
    if (mask >> i & 1)
      put(l, i);
}

static uint64_t or_else(uint64_t given, uint64_t value)
{
  return given != 0 ? given : value;
}

static uint64_t nodes_least(const dtci_space *s)
{
  return dtci_ceil_div(s->asked.gpus_least, s->base.cluster.gpus_per_node);
}

/* Halves of the cluster's nodes. */
static void put_nodes(list *l)
{
  uint64_t n = l->s->base.cluster.nodes;
  uint64_t least = l->s->asked.gpus_least != 0 ? nodes_least(l->s) : n;
  put(l, n);
  for (; n % 2 == 0 && n / 2 >= least; n /= 2)
    put(l, n / 2);
}

/* A mask without the default, which is one of the others; `others` when nothing is left. */
static uint32_t named(uint32_t mask, uint32_t others)
{
  return (mask & ~1u) != 0 ? mask & ~1u : others;
}

uint32_t dtci_space_shardings(const dtci_space *s)
{
  return named(s->asked.shardings, dtci_spaces[s->base.plan.framework].shardings);
}

uint32_t dtci_space_recomputes(const dtci_space *s)
{
  return named(s->asked.recomputes, dtci_spaces[s->base.plan.framework].recomputes);
}

uint32_t dtci_space_offloads(const dtci_space *s)
{
  return s->asked.offloads != 0 ? s->asked.offloads : 1u << DTC_OFFLOAD_DEFAULT;
}

/* Are layers split as the plan says? */
static int layers_given(const dtci_space *s)
{
  const dtc_plan *p = &s->base.plan;
  return p->framework != DTC_FRAMEWORK_MEGATRON || (p->first_layers | p->last_layers) != 0 ||
         (p->account_embedding | p->account_loss) != DTC_BOOL_DEFAULT;
}

static void put_splits(list *l)
{
  uint64_t last = layers_given(l->s) ? DTC_SPACE_LAYERS_EVEN : DTC_SPACE_LAYERS_LAST;
  for (uint64_t i = DTC_SPACE_LAYERS_EVEN; i <= last; i++)
    put(l, i);
}

static int divides_one(uint64_t n, uint64_t from, uint64_t to)
{
  for (uint64_t of = from; of <= to; of++)
    if (of % n == 0)
      return 1;
  return 0;
}

/* What pp * vpp divides, of each way to split; a V has two chunks, of whatever length. */
static void put_chunks(list *l)
{
  const dtci_space *s = l->s;
  const dtc_plan *p = &s->base.plan;
  uint64_t layers = s->base.model.layers + (p->account_embedding == DTC_BOOL_ON) + (p->account_loss == DTC_BOOL_ON);
  uint64_t more = layers_given(s) ? 0 : 2; /* embedding and loss */
  uint64_t most = dtci_smaller(or_else(s->asked.vpp_most, layers), layers + more);
  for (uint64_t n = 1; n <= most; n++)
    if (n <= 2 || divides_one(n, layers, layers + more))
      put(l, n);
}

static void put_layers(list *l)
{
  const dtci_space *s = l->s;
  put(l, 0);
  int block = s->asked.recompute_layers == DTC_BOOL_ON && dtci_frameworks[s->base.plan.framework].megatron;
  for (uint64_t n = 1; block && n < s->base.model.layers; n *= 2)
    put(l, n);
}

static void put_values(list *l)
{
  const dtci_space *s = l->s;
  const dtc_space *a = &s->asked;
  const dtc_model *m = &s->base.model;
  const dtc_cluster *c = &s->base.cluster;
  const dtci_space_row *u = &dtci_spaces[s->base.plan.framework];
  uint64_t gpus = c->nodes * c->gpus_per_node;
  uint64_t domain = or_else(a->tp_most, dtci_domain(c));
  switch (l->axis) {
  case DTC_SPACE_AXIS_GPUS:
    put_nodes(l);
    break;
  case DTC_SPACE_AXIS_TP:
    put_divisors(l, gpus, domain);
    break;
  case DTC_SPACE_AXIS_CP:
    put_divisors(l, gpus, or_else(a->cp_most, CP_MOST));
    break;
  case DTC_SPACE_AXIS_EP:
    put_divisors(l, or_else(m->experts, 1), or_else(a->ep_most, m->experts + 1));
    break;
  case DTC_SPACE_AXIS_ETP:
    put_divisors(l, gpus, m->experts != 0 && dtci_frameworks[s->base.plan.framework].expert_tp ? domain : 1);
    break;
  case DTC_SPACE_AXIS_SEQUENCE_PARALLEL:
    put(l, DTC_BOOL_OFF);
    put(l, DTC_BOOL_ON);
    break;
  case DTC_SPACE_AXIS_MICRO_BATCH:
    put_divisors(l, s->base.plan.global_batch, or_else(a->micro_batch_most, MICRO_BATCH_MOST));
    break;
  case DTC_SPACE_AXIS_RECOMPUTE:
    put_bits(l, dtci_space_recomputes(s));
    break;
  case DTC_SPACE_AXIS_RECOMPUTE_LAYERS:
    put_layers(l);
    break;
  case DTC_SPACE_AXIS_LAYERS:
    put_splits(l);
    break;
  case DTC_SPACE_AXIS_PP:
    put_divisors(l, gpus, or_else(a->pp_most, m->layers));
    break;
  case DTC_SPACE_AXIS_VPP:
    put_chunks(l);
    break;
  case DTC_SPACE_AXIS_SCHEDULE:
    put_bits(l, named(a->schedules, u->schedules));
    break;
  case DTC_SPACE_AXIS_SHARDING:
    put_bits(l, dtci_space_shardings(s));
    break;
  case DTC_SPACE_AXIS_DP_SHARD:
    put(l, 0);
    if (a->dp_split == DTC_BOOL_ON)
      put_divisors(l, gpus, gpus);
    break;
  default:
    put_bits(l, dtci_space_offloads(s));
  }
}

/* ---- the space ------------------------------------------------------------------------------- */

dtc_status dtci_space_in(dtci_space *s, const dtc_model *model, const dtc_cluster *cluster, const dtc_plan *plan,
                         const dtc_space *space, dtc_error *e)
{
  dtc_plan *p = &s->base.plan;
  memset(s, 0, sizeof *s);
  s->base.has_cluster = 1;
  TRY(dtci_model_in(model, &s->base.model, e));
  TRY(dtci_cluster_in(cluster, &s->base.cluster, e));
  TRY(dtci_in(p, DTC_STRUCT_plan, plan, e));
  s->asked = (dtc_space){.struct_size = sizeof s->asked};
  if (space != NULL)
    TRY(dtci_in(&s->asked, DTC_STRUCT_space, space, e));
  dtci_default(&s->asked.keep, KEEP);
  if (p->framework == DTC_FRAMEWORK_DEFAULT)
    p->framework = p->sharding != DTC_SHARDING_DEFAULT ? dtci_shardings[p->sharding].framework : DTC_FRAMEWORK_MEGATRON;
  if (p->global_batch == 0)
    return dtci_fail(e, DTC_E_CONFLICT, DTC_RULE_SEARCH_BATCH, DTC_FIELD(plan, global_batch), 0);
  if (s->base.cluster.nodes == 0)
    return dtci_fail(e, DTC_E_CONFLICT, DTC_RULE_SEARCH_GPUS, DTC_FIELD(cluster, nodes), 0);
  uint64_t gpus = s->base.cluster.nodes * s->base.cluster.gpus_per_node;
  return dtci_check_range(e, DTC_FIELD(space, gpus_least), s->asked.gpus_least, 0, gpus);
}

dtc_status dtci_space_of(dtci_space *s, const dtc_model *model, const dtc_cluster *cluster, const dtc_plan *plan,
                         const dtc_space *space, dtc_error *e)
{
  const uint64_t most = UINT64_C(1) << 62;
  TRY(dtci_space_in(s, model, cluster, plan, space, e));
  for (uint32_t axis = 0; axis < DTC_SPACE_AXES; axis++) {
    list l = {.s = s, .axis = axis};
    uint64_t given = field_of(&s->base.plan, axis);
    if (given != 0)
      put(&l, given);
    else
      put_values(&l);
    uint32_t left = DTCI_SPACE_VALUES - s->first[axis];
    uint32_t room = left < DTCI_AXIS_VALUES ? left : DTCI_AXIS_VALUES;
    if (l.count > room)
      return dtci_fail_within(e, DTC_E_RANGE, DTC_RULE_SEARCH_SPACE, DTCI_ARG(AXIS), axis, 0, room);
    s->first[axis + 1] = s->first[axis] + l.count;
  }
  s->size = 1;
  for (uint32_t axis = DTC_SPACE_AXES; axis-- > 0;) {
    uint64_t n = dtci_axis_count(s, axis);
    s->stride[axis] = s->size;
    if (n != 0 && s->size > most / n)
      return dtci_fail_overflow(e, DTCI_ARG(AXIS), axis);
    s->size *= n;
  }
  return DTC_OK;
}

/* Layers of the last rank, when all others have as many as an even split rounded up; 0: none would be left, or as many. */
static uint64_t rest_of(uint64_t layers, uint64_t pp)
{
  uint64_t others = (pp - 1) * dtci_ceil_div(layers, pp);
  return others < layers && layers % pp != 0 ? layers - others : 0;
}

static void split_layers(const dtci_space *s, uint64_t how, dtc_plan *p)
{
  const dtc_plan *given = &s->base.plan;
  p->account_loss = given->account_loss;
  p->account_embedding = given->account_embedding;
  p->last_layers = given->last_layers;
  if (p->pp == 1)
    return;
  if (how == DTC_SPACE_LAYERS_LOSS || how == DTC_SPACE_LAYERS_BOTH)
    p->account_loss = DTC_BOOL_ON;
  if (how == DTC_SPACE_LAYERS_BOTH)
    p->account_embedding = DTC_BOOL_ON;
  if (how == DTC_SPACE_LAYERS_LAST)
    p->last_layers = rest_of(s->base.model.layers, p->pp);
}

void dtci_space_set(const dtci_space *s, const uint32_t digit[DTC_SPACE_AXES], uint32_t from, dtc_plan *p)
{
  for (uint32_t axis = from; axis < DTC_SPACE_AXES; axis++)
    if (fields[axis] != 0)
      set_field(p, axis, s->value[s->first[axis] + digit[axis]]);
  if (s->base.plan.recompute_layers == 0 && from <= DTC_SPACE_AXIS_RECOMPUTE_LAYERS)
    p->recompute_method = p->recompute_layers != 0 ? DTC_RECOMPUTE_METHOD_BLOCK : s->base.plan.recompute_method;
  if (from > DTC_SPACE_AXIS_PP)
    return;
  split_layers(s, dtci_axis_value(s, DTC_SPACE_AXIS_LAYERS, digit[DTC_SPACE_AXIS_LAYERS]), p);
  if (s->base.plan.dp == 0)
    p->dp =
        dtci_larger(1, dtci_axis_value(s, DTC_SPACE_AXIS_GPUS, digit[DTC_SPACE_AXIS_GPUS]) / (p->tp * p->cp * p->pp));
}

void dtci_space_digits(const dtci_space *s, uint64_t index, uint32_t digit[DTC_SPACE_AXES])
{
  for (uint32_t axis = 0; axis < DTC_SPACE_AXES; axis++) {
    digit[axis] = (uint32_t)(index / s->stride[axis]);
    index %= s->stride[axis];
  }
}

/* ---- entry points ---------------------------------------------------------------------------- */

dtc_status dtc_search_size(const dtc_model *model, const dtc_cluster *cluster, const dtc_plan *plan,
                           const dtc_space *space, uint64_t *size, dtc_error *err)
{
  dtc_error e;
  dtci_space s;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status status = dtci_space_of(&s, model, cluster, plan, space, &e);
  if (status == DTC_OK)
    *size = s.size;
  return dtci_end(status, &e, err);
}

static dtc_status axis_of(const dtci_space *s, dtc_space_axis axis, uint64_t *values, size_t cap, size_t *count,
                          dtc_error *e)
{
  TRY(dtci_check_range(e, DTCI_ARG(AXIS), axis, 0, DTC_SPACE_AXES - 1));
  uint32_t n = dtci_axis_count(s, axis);
  for (uint32_t i = 0; i < n && i < cap; i++)
    values[i] = dtci_axis_value(s, axis, i);
  *count = n;
  return n <= cap ? DTC_OK : dtci_fail_space(e, cap, n);
}

dtc_status dtc_search_axis(const dtc_model *model, const dtc_cluster *cluster, const dtc_plan *plan,
                           const dtc_space *space, dtc_space_axis axis, uint64_t *values, size_t cap, size_t *count,
                           dtc_error *err)
{
  dtc_error e;
  dtci_space s;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status status = dtci_space_of(&s, model, cluster, plan, space, &e);
  return dtci_end(status != DTC_OK ? status : axis_of(&s, axis, values, cap, count, &e), &e, err);
}

static dtc_status plan_of(const dtci_space *s, uint64_t index, dtc_plan *out, dtc_error *e)
{
  uint32_t digit[DTC_SPACE_AXES];
  dtc_plan p = s->base.plan;
  TRY(dtci_check_range(e, DTCI_ARG(INDEX), index, 0, s->size - 1));
  dtci_space_digits(s, index, digit);
  dtci_space_set(s, digit, 0, &p);
  return dtci_out(out, DTC_STRUCT_plan, &p, e);
}

dtc_status dtc_search_plan(const dtc_model *model, const dtc_cluster *cluster, const dtc_plan *plan,
                           const dtc_space *space, uint64_t index, dtc_plan *out, dtc_error *err)
{
  dtc_error e;
  dtci_space s;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status status = dtci_space_of(&s, model, cluster, plan, space, &e);
  return dtci_end(status != DTC_OK ? status : plan_of(&s, index, out, &e), &e, err);
}

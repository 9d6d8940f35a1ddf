/* What to search when nothing of a space fits. */
#include "internal/plan.h"
#include "internal/search.h"

enum { GPUS_MOST = 1 << 20, SEQ_LEAST = 128 };

#define BIT(kind, value) (1u << DTC_##kind##_##value)

/* The three that a change gives. */
typedef struct change {
  dtc_cluster cluster;
  dtc_plan plan;
  dtc_space space;
} change;

/* How often `x` doubles up to `most`. */
static uint64_t doublings(uint64_t x, uint64_t most)
{
  uint64_t n = 0;
  for (; x <= most / 2; x *= 2)
    n++;
  return n;
}

/* What a space has of a mask: the plan's field, when that is given. */
static uint32_t had_of(uint32_t field, uint32_t mask)
{
  return field != 0 ? 1u << field : mask;
}

/* Frees a mask's field of the plan and adds a bit; whether that is something new. */
static int add_bit(uint32_t *field, uint32_t *mask, uint32_t usual, uint32_t bit)
{
  uint32_t had = had_of(*field, usual);
  *field = 0;
  *mask = had | bit;
  return (had & bit) != bit;
}

/* Offloads that a space does not have yet. */
static uint64_t offloads_left(const dtci_space *s)
{
  uint32_t had = had_of(s->base.plan.offload, dtci_space_offloads(s));
  uint64_t n = 0;
  for (dtc_offload o = DTC_OFFLOAD_OPTIMIZER; o <= DTC_OFFLOAD_NVME; o++)
    n += !(had >> o & 1);
  return n;
}

static uint32_t add_offloads(const dtci_space *s, uint64_t step)
{
  uint32_t mask = had_of(s->base.plan.offload, dtci_space_offloads(s));
  for (dtc_offload o = DTC_OFFLOAD_OPTIMIZER; o <= DTC_OFFLOAD_NVME && step > 0; o++) {
    step -= !(mask >> o & 1);
    mask |= 1u << o;
  }
  return mask;
}

/* Makes the change; steps that there are. */
static uint64_t make(const dtci_space *s, dtc_search_kind kind, uint64_t step, uint64_t seq, change *to)
{
  uint32_t every = BIT(SHARDING, DDP) | BIT(SHARDING, ZERO1) | BIT(SHARDING, ZERO2) | BIT(SHARDING, ZERO3) |
                   BIT(SHARDING, FSDP) | BIT(SHARDING, HSDP) | BIT(SHARDING, DISTOPT);
  uint64_t steps = 0;
  switch (kind) {
  case DTC_SEARCH_KIND_RECOMPUTE:
    return (uint64_t)add_bit(&to->plan.recompute, &to->space.recomputes, dtci_space_recomputes(s),
                             BIT(RECOMPUTE, FULL));
  case DTC_SEARCH_KIND_SHARDING: /* the rules tell which of them the framework has */
    return (uint64_t)add_bit(&to->plan.sharding, &to->space.shardings, dtci_space_shardings(s), every);
  case DTC_SEARCH_KIND_OFFLOAD:
    to->plan.offload = DTC_OFFLOAD_DEFAULT;
    to->space.offloads = add_offloads(s, step);
    return offloads_left(s);
  case DTC_SEARCH_KIND_SEQ:
    steps = doublings(SEQ_LEAST, seq);
    to->plan.seq = step <= steps ? seq >> step : seq;
    to->plan.packed = 0; /* at most seq */
    return steps;
  default:
    steps = doublings(s->base.cluster.nodes * s->base.cluster.gpus_per_node, GPUS_MOST);
    to->cluster.nodes = step <= steps ? s->base.cluster.nodes << step : s->base.cluster.nodes;
    return steps;
  }
}

static dtc_status change_to(dtci_space *s, dtc_search_kind kind, uint64_t step, change *to, dtc_error *e)
{
  dtci_case filled = s->base;
  TRY(dtci_check_range(e, DTCI_ARG(KIND), kind, DTC_SEARCH_KIND_RECOMPUTE, DTC_SEARCH_KIND_GPUS));
  TRY(dtci_plan_fill(&filled, e));
  *to = (change){s->base.cluster, s->base.plan, s->asked};
  uint64_t steps = make(s, kind, step, filled.plan.seq, to);
  return dtci_check_range(e, DTCI_ARG(STEP), step, 1, steps);
}

static dtc_status give(const change *to, dtc_cluster *cluster, dtc_plan *plan, dtc_space *space, dtc_error *e)
{
  TRY(dtci_out_ok(plan, DTC_STRUCT_plan, e));
  TRY(dtci_out_ok(space, DTC_STRUCT_space, e));
  TRY(dtci_out(cluster, DTC_STRUCT_cluster, &to->cluster, e));
  TRY(dtci_out(plan, DTC_STRUCT_plan, &to->plan, e));
  return dtci_out(space, DTC_STRUCT_space, &to->space, e);
}

dtc_status dtc_search_change(const dtc_model *model, const dtc_cluster *cluster, const dtc_plan *plan,
                             const dtc_space *space, dtc_search_kind kind, uint64_t step, dtc_cluster *next_cluster,
                             dtc_plan *next_plan, dtc_space *next_space, dtc_error *err)
{
  dtc_error e;
  dtci_space s;
  change to;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status status = dtci_space_in(&s, model, cluster, plan, space, &e);
  status = status != DTC_OK ? status : change_to(&s, kind, step, &to, &e);
  status = status != DTC_OK ? status : give(&to, next_cluster, next_plan, next_space, &e);
  return dtci_end(status, &e, err);
}

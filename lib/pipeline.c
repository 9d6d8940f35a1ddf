/* A pipeline job: its defaults, what frameworks refuse, and the ways to its order. */
#include "internal/pipeline_order.h"

enum { PP_MOST = 4096, MICRO_BATCHES_MOST = 1 << 20 };

const dtci_pipe_row *dtci_pipe_row_of(dtc_schedule schedule, dtc_framework framework)
{
  const dtci_pipe_row *row = dtci_pipe_schedules + (schedule - 1); /* every schedule before it has a row */
  const dtci_pipe_row *end = dtci_pipe_schedules + dtci_pipe_schedules_count;
  while (row < end - 1 && row->schedule != schedule)
    row++;
  const dtci_pipe_row *home = row;
  for (; row != end && row->schedule == schedule; row++)
    if (row->framework == framework)
      return row;
  return home;
}

static const dtci_pipe_row *row_of(const dtc_pipe *p)
{
  return dtci_pipe_row_of(p->schedule, p->framework);
}

dtci_pipe_place dtci_pipe_place_of(const dtc_pipe *p)
{
  return (dtci_pipe_place)row_of(p)->place;
}

/* Forwards of a rank. */
static uint64_t forwards(const dtc_pipe *p)
{
  return dtci_pipe_place_of(p) == DTCI_PIPE_DUAL ? p->micro_batches : p->micro_batches * p->vpp;
}

/* DualPipe splits most backwards on its first rank: one for each rank behind twice, and one of its own. */
uint64_t dtci_pipe_rows(const dtc_pipe *p)
{
  const dtci_pipe_row *row = row_of(p);
  uint64_t all = forwards(p);
  if (p->forward_only == DTC_BOOL_ON)
    return all;
  uint64_t ranks = row->place == DTCI_PIPE_DUAL ? p->pp / 2 : p->pp;
  return row->rows * all + (row->maker == DTCI_PIPE_EIGHT ? 2 * ranks - 1 : 0);
}

/* ---- refusals -------------------------------------------------------------------------------- */

/* Fails with the schedule as what the value was held against. */
static dtc_status fail_by_schedule(const dtc_pipe *p, dtc_status status, dtc_rule rule, uint32_t field, uint64_t got,
                                   dtc_error *e)
{
  dtci_fail(e, status, rule, field, got);
  e->other = DTC_FIELD(pipe, schedule);
  e->other_got = p->schedule;
  return status;
}

static dtc_status no_setting(const dtc_pipe *p, uint32_t field, uint64_t got, dtc_error *e)
{
  return fail_by_schedule(p, DTC_E_CONFLICT, DTC_RULE_PIPE_SETTING, field, got, e);
}

static dtc_status check_chunks(const dtci_pipe_row *row, const dtc_pipe *p, dtc_error *e)
{
  if (p->vpp >= row->chunks_min && p->vpp <= row->chunks_max)
    return DTC_OK;
  fail_by_schedule(p, DTC_E_RANGE, DTC_RULE_PIPE_CHUNKS, DTC_FIELD(pipe, vpp), p->vpp, e);
  e->min = row->chunks_min;
  e->max = row->chunks_max;
  return DTC_E_RANGE;
}

/* Megatron's validate_args: two ranks of the interleaved schedule would wait for each other twice in one batched call,
 * unless messages overlap; a single rank never runs it. */
static dtc_status check_p2p(const dtci_pipe_row *row, const dtc_pipe *p, dtc_error *e)
{
  int on = p->p2p_overlap == DTC_BOOL_ON;
  if (!(row->settings & DTCI_PIPE_HAS_P2P_OVERLAP)) {
    if (!on)
      return DTC_OK;
    if (p->schedule == DTC_SCHEDULE_1F1B && p->framework == DTC_FRAMEWORK_MEGATRON)
      return dtci_fail(e, DTC_E_CONFLICT, DTC_RULE_PIPE_P2P, DTC_FIELD(pipe, p2p_overlap), p->p2p_overlap);
    return no_setting(p, DTC_FIELD(pipe, p2p_overlap), p->p2p_overlap, e);
  }
  uint64_t least = p->p2p_overlap == DTC_BOOL_OFF ? 3 : 2;
  return dtci_check_range(e, DTC_FIELD(pipe, pp), p->pp, least, PP_MOST);
}

static dtc_status check_settings(const dtci_pipe_row *row, const dtc_pipe *p, dtc_error *e)
{
  if (p->forward_only == DTC_BOOL_ON && !(row->settings & DTCI_PIPE_HAS_FORWARD_ONLY))
    return no_setting(p, DTC_FIELD(pipe, forward_only), p->forward_only, e);
  if (p->moe_overlap == DTC_BOOL_ON && !(row->settings & DTCI_PIPE_HAS_MOE_OVERLAP))
    return no_setting(p, DTC_FIELD(pipe, moe_overlap), p->moe_overlap, e);
  if (p->limit != 0 && row->limit == 0)
    return no_setting(p, DTC_FIELD(pipe, limit), p->limit, e);
  if (p->freed_input != 0 && row->limit == 0)
    return no_setting(p, DTC_FIELD(pipe, freed_input), p->freed_input, e);
  if (p->freed_weight != 0 && row->limit == 0)
    return no_setting(p, DTC_FIELD(pipe, freed_weight), p->freed_weight, e);
  return check_p2p(row, p, e);
}

/* Rounds of PyTorch: as many as hold pp micro-batches or more each. */
static uint64_t rounds_of(const dtc_pipe *p, uint64_t micro_batches)
{
  return micro_batches < p->pp ? 1 : micro_batches / p->pp;
}

static uint64_t least_of(const dtci_pipe_row *row, const dtc_pipe *p)
{
  return row->least != 0 ? row->least * p->pp : 1;
}

/* Do so many micro-batches, which are enough, divide as the schedule wants? */
static int divides(const dtci_pipe_row *row, const dtc_pipe *p, uint64_t m)
{
  switch (row->divides) {
  case DTCI_PIPE_MULTIPLE:
    return m % p->pp == 0;
  case DTCI_PIPE_ROUNDS:
    return m % rounds_of(p, m) == 0;
  case DTCI_PIPE_EVEN:
    return m % 2 == 0;
  case DTCI_PIPE_REST:
    return m >= p->group && (m % p->group == 0 || m % p->group >= p->pp);
  default:
    return 1;
  }
}

/* Both neighbours are found within a group or a round. */
static dtc_status fail_divides(const dtci_pipe_row *row, const dtc_pipe *p, dtc_error *e)
{
  static const dtc_rule rules[] = {[DTCI_PIPE_MULTIPLE] = DTC_RULE_PIPE_MULTIPLE,
                                   [DTCI_PIPE_ROUNDS] = DTC_RULE_PIPE_ROUNDS,
                                   [DTCI_PIPE_EVEN] = DTC_RULE_PIPE_EVEN,
                                   [DTCI_PIPE_REST] = DTC_RULE_PIPE_REST};
  uint64_t m = p->micro_batches;
  dtci_fail(e, DTC_E_DIVIDE, rules[row->divides], DTC_FIELD(pipe, micro_batches), m);
  if (row->divides == DTCI_PIPE_MULTIPLE) {
    e->other = DTC_FIELD(pipe, pp);
    e->other_got = p->pp;
  } else if (row->divides == DTCI_PIPE_ROUNDS) {
    e->other_got = rounds_of(p, m);
  } else if (row->divides == DTCI_PIPE_REST) {
    e->other = DTC_FIELD(pipe, group);
    e->other_got = p->group;
    e->min = p->pp;
  }
  for (uint64_t v = m - 1; v >= least_of(row, p) && e->lower == DTC_NONE; v--)
    if (divides(row, p, v))
      e->lower = v;
  for (uint64_t v = m + 1; v <= MICRO_BATCHES_MOST && e->upper == DTC_NONE; v++)
    if (divides(row, p, v))
      e->upper = v;
  return DTC_E_DIVIDE;
}

/* Megatron's group is at least pp and at most all micro-batches. */
static dtc_status check_group(const dtc_pipe *p, dtc_error *e)
{
  int few = p->group < p->pp;
  if (!few && p->group <= p->micro_batches)
    return DTC_OK;
  dtci_fail_within(e, DTC_E_RANGE, DTC_RULE_PIPE_GROUP, DTC_FIELD(pipe, group), p->group, p->pp, p->micro_batches);
  e->other = few ? DTC_FIELD(pipe, pp) : DTC_FIELD(pipe, micro_batches);
  e->other_got = few ? p->pp : p->micro_batches;
  *(few ? &e->upper : &e->lower) = e->other_got;
  return DTC_E_RANGE;
}

static dtc_status fill_group(const dtci_pipe_row *row, dtc_pipe *p, dtc_error *e)
{
  uint64_t own = row->groups == DTCI_PIPE_GROUP_NONE     ? 0
                 : row->groups == DTCI_PIPE_GROUP_ROUNDS ? p->micro_batches / rounds_of(p, p->micro_batches)
                                                         : p->pp;
  if (row->groups == DTCI_PIPE_GROUP_GIVEN || row->groups == DTCI_PIPE_GROUP_SMALL) {
    dtci_default(&p->group, own);
    if (row->groups == DTCI_PIPE_GROUP_GIVEN)
      return check_group(p, e);
    p->group = dtci_smaller(p->group, own); /* the generator takes no more */
    return DTC_OK;
  }
  if (p->group != 0 && p->group != own)
    return no_setting(p, DTC_FIELD(pipe, group), p->group, e);
  p->group = own;
  return DTC_OK;
}

static dtc_status check_micro_batches(const dtci_pipe_row *row, dtc_pipe *p, dtc_error *e)
{
  if (row->divides == DTCI_PIPE_EVEN && p->pp % 2 != 0) {
    dtci_fail(e, DTC_E_DIVIDE, DTC_RULE_PIPE_EVEN, DTC_FIELD(pipe, pp), p->pp);
    e->lower = p->pp > 1 ? p->pp - 1 : DTC_NONE;
    e->upper = p->pp + 1;
    return DTC_E_DIVIDE;
  }
  if (p->micro_batches < least_of(row, p)) {
    fail_by_schedule(p, DTC_E_RANGE, DTC_RULE_PIPE_LEAST, DTC_FIELD(pipe, micro_batches), p->micro_batches, e);
    e->min = least_of(row, p);
    e->max = MICRO_BATCHES_MOST;
    return DTC_E_RANGE;
  }
  TRY(fill_group(row, p, e));
  return divides(row, p, p->micro_batches) ? DTC_OK : fail_divides(row, p, e);
}

/* ---- defaults -------------------------------------------------------------------------------- */

static void default_bool(dtc_bool *v, int on)
{
  if (*v == DTC_BOOL_DEFAULT)
    *v = on ? DTC_BOOL_ON : DTC_BOOL_OFF;
}

static void default_time(double *v)
{
  if (*v == 0)
    *v = 1000;
}

static dtc_status fill(dtc_pipe *p, dtc_error *e)
{
  if (p->schedule == DTC_SCHEDULE_DEFAULT)
    p->schedule = p->vpp > 1 ? DTC_SCHEDULE_INTERLEAVED : DTC_SCHEDULE_1F1B;
  const dtci_pipe_row *row = row_of(p);
  if (p->framework == DTC_FRAMEWORK_DEFAULT)
    p->framework = row->framework;
  if (row->framework != p->framework)
    return fail_by_schedule(p, DTC_E_UNSUPPORTED, DTC_RULE_PIPE_FRAMEWORK, DTC_FIELD(pipe, framework), p->framework, e);
  dtci_default(&p->vpp, row->chunks);
  default_bool(&p->forward_only, 0);
  default_bool(&p->moe_overlap, 0);
  default_bool(&p->p2p_overlap, row->settings & DTCI_PIPE_HAS_P2P_OVERLAP);
  TRY(check_chunks(row, p, e));
  TRY(check_settings(row, p, e));
  TRY(check_micro_batches(row, p, e));
  default_time(&p->forward);
  default_time(&p->input);
  default_time(&p->weight);
  dtci_default(&p->limit, row->limit * p->pp);
  if (p->freed_input == 0 && p->freed_weight == 0) { /* one of them alone may be 0 */
    p->freed_input = row->freed[0];
    p->freed_weight = row->freed[1];
  }
  /* At most 2^10 chunks of 2^20 micro-batches with three ops on 2^12 ranks. */
  if (dtci_pipe_rows(p) * p->pp > UINT64_C(1) << 32)
    return dtci_fail_overflow(e, DTC_FIELD(pipe, micro_batches), p->micro_batches);
  return DTC_OK;
}

dtc_status dtci_pipe_in(const dtc_pipe *user, dtc_pipe *p, dtc_error *e)
{
  TRY(dtci_in(p, DTC_STRUCT_pipe, user, e));
  return fill(p, e);
}

dtc_status dtc_pipe_resolve(const dtc_pipe *pipe, dtc_pipe *out, dtc_error *err)
{
  dtc_error e;
  dtc_pipe p;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = dtci_pipe_in(pipe, &p, &e);
  return dtci_end(s != DTC_OK ? s : dtci_out(out, DTC_STRUCT_pipe, &p, &e), &e, err);
}

/* ---- of a plan ------------------------------------------------------------------------------- */

static void from_plan(const dtc_plan *plan, dtc_pipe *p)
{
  DTC_INIT(p);
  p->schedule = plan->schedule;
  p->framework = plan->framework;
  p->pp = plan->pp;
  p->vpp = plan->vpp;
  p->micro_batches = plan->accumulation;
  /* Megatron turns off, or ignores, what the schedule does not have. */
  if (plan->schedule == DTC_SCHEDULE_INTERLEAVED || plan->schedule == DTC_SCHEDULE_GROUP_INTERLEAVED)
    p->group = plan->group;
  if (plan->schedule == DTC_SCHEDULE_INTERLEAVED) {
    p->p2p_overlap = plan->p2p_overlap;
    p->moe_overlap = plan->moe_overlap;
  }
}

static dtc_status plan_in(const dtc_plan *user, dtc_pipe *p, dtc_error *e)
{
  dtc_plan plan;
  TRY(dtci_in(&plan, DTC_STRUCT_plan, user, e));
  TRY(dtci_check_range(e, DTC_FIELD(plan, framework), plan.framework, 1, DTC_FRAMEWORK_SCALING));
  TRY(dtci_check_range(e, DTC_FIELD(plan, schedule), plan.schedule, 1, DTC_SCHEDULE_ZB_H2));
  TRY(dtci_check_range(e, DTC_FIELD(plan, pp), plan.pp, 1, PP_MOST));
  TRY(dtci_check_range(e, DTC_FIELD(plan, vpp), plan.vpp, 1, PP_MOST));
  TRY(dtci_check_range(e, DTC_FIELD(plan, accumulation), plan.accumulation, 1, MICRO_BATCHES_MOST));
  from_plan(&plan, p);
  TRY(dtci_ranges(p, DTC_STRUCT_pipe, e));
  return fill(p, e);
}

dtc_status dtc_pipe_from_plan(const dtc_plan *plan, dtc_pipe *out, dtc_error *err)
{
  dtc_error e;
  dtc_pipe p;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = plan_in(plan, &p, &e);
  return dtci_end(s != DTC_OK ? s : dtci_out(out, DTC_STRUCT_pipe, &p, &e), &e, err);
}

/* What lib/memory*.c ask: a schedule counts the same whatever framework runs it, and for any number of micro-batches. */
dtc_pipe dtci_pipe_of(const dtc_plan *plan)
{
  dtc_pipe p;
  from_plan(plan, &p);
  dtci_default(&p.group, plan->pp);
  return p;
}

dtc_status dtci_in_flight_known(const dtc_plan *plan, dtc_error *e)
{
  if (dtci_pipe_is_closed(dtci_pipe_row_of(plan->schedule, plan->framework)))
    return DTC_OK;
  return dtci_fail(e, DTC_E_UNSUPPORTED, DTC_RULE_PIPE_CLOSED, DTC_FIELD(plan, schedule), plan->schedule);
}

/* A split backward for the input leaves what the one for the weights needs: the inputs of linear layers, most of all. */
uint64_t dtci_in_flight(const dtc_pipe *p, uint64_t stage, int *bad)
{
  dtc_pipe_held held = {0, 0};
  (void)dtci_pipe_held_of(p, stage, &held, bad);
  return dtci_larger(held.weight, held.input);
}

/* Chunks in a V fill from both ends; elsewhere a rank has no more in flight than the one before. */
int dtci_in_flight_rises(const dtc_pipe *p)
{
  return dtci_pipe_row_of(p->schedule, p->framework)->maker == DTCI_PIPE_ZBV;
}

/* ---- stages, sizes --------------------------------------------------------------------------- */

static dtc_status stage_of(const dtc_pipe *pipe, uint64_t rank, uint64_t chunk, uint64_t *stage, dtc_error *e)
{
  dtc_pipe p;
  TRY(dtci_pipe_in(pipe, &p, e));
  TRY(dtci_check_range(e, DTCI_ARG(RANK), rank, 0, p.pp - 1));
  TRY(dtci_check_range(e, DTCI_ARG(CHUNK), chunk, 0, p.vpp - 1));
  *stage = dtci_pipe_stage_at(&p, rank, chunk);
  return DTC_OK;
}

dtc_status dtc_pipe_stage(const dtc_pipe *pipe, uint64_t rank, uint64_t chunk, uint64_t *stage, dtc_error *err)
{
  dtc_error e;
  return dtci_begin(&e, err) ? dtci_end(stage_of(pipe, rank, chunk, stage, &e), &e, err) : DTC_E_SIZE;
}

static dtc_status count_rows(const dtc_pipe *pipe, uint64_t *rows, dtc_error *e)
{
  dtc_pipe p;
  TRY(dtci_pipe_in(pipe, &p, e));
  *rows = dtci_pipe_rows(&p);
  return DTC_OK;
}

dtc_status dtc_pipe_count(const dtc_pipe *pipe, uint64_t *rows, dtc_error *err)
{
  dtc_error e;
  return dtci_begin(&e, err) ? dtci_end(count_rows(pipe, rows, &e), &e, err) : DTC_E_SIZE;
}

/* ---- orders ---------------------------------------------------------------------------------- */

static uint64_t order_scratch(const dtc_pipe *p, int *bad)
{
  switch (row_of(p)->maker) {
  case DTCI_PIPE_GENERATED_ZB:
    return dtci_pipe_zb_scratch(p, bad);
  case DTCI_PIPE_GENERATED_ZBV:
    return dtci_pipe_zbv_scratch(p, bad);
  case DTCI_PIPE_GENERATED_V:
    return dtci_pipe_v_scratch(p, bad);
  case DTCI_PIPE_GENERATED_1F1B_V:
    return dtci_pipe_1f1b_v_scratch(p, bad);
  case DTCI_PIPE_GENERATED_GROUP:
    return dtci_pipe_group_scratch(p, bad);
  default:
    return 0;
  }
}

static dtc_status scratch_of(const dtc_pipe *pipe, uint64_t *needed, dtc_error *e)
{
  dtc_pipe p;
  int bad = 0;
  TRY(dtci_pipe_in(pipe, &p, e));
  uint64_t order = order_scratch(&p, &bad);
  uint64_t simulate = dtci_pipe_simulate_scratch(&p, &bad);
  if (bad)
    return dtci_fail_overflow(e, DTC_FIELD(pipe, micro_batches), p.micro_batches);
  *needed = order > simulate ? order : simulate;
  return DTC_OK;
}

dtc_status dtc_pipe_scratch(const dtc_pipe *pipe, uint64_t *needed, dtc_error *err)
{
  dtc_error e;
  return dtci_begin(&e, err) ? dtci_end(scratch_of(pipe, needed, &e), &e, err) : DTC_E_SIZE;
}

/* Rank after rank, each filled up to the longest. */
static dtc_status write_closed(const dtc_pipe *p, uint64_t rows, dtc_pipe_op *out)
{
  dtci_pipe_walk w;
  for (uint64_t rank = 0; rank < p->pp; rank++, out += rows) {
    dtci_pipe_walk_of(p, rank, &w);
    uint64_t ops = dtci_pipe_write(&w, out);
    memset(out + ops, 0, (size_t)(rows - ops) * sizeof *out);
  }
  return DTC_OK;
}

static dtc_status write_order(const dtc_pipe *p, dtc_pipe_op *out, uint64_t *scratch, dtc_error *e)
{
  switch (row_of(p)->maker) {
  case DTCI_PIPE_GENERATED_ZB:
    return dtci_pipe_zb(p, out, scratch, e);
  case DTCI_PIPE_GENERATED_ZBV:
    return dtci_pipe_zbv(p, out, scratch, e);
  case DTCI_PIPE_GENERATED_V:
    return dtci_pipe_v(p, out, scratch, e);
  case DTCI_PIPE_GENERATED_1F1B_V:
    return dtci_pipe_1f1b_v(p, out, scratch, e);
  case DTCI_PIPE_GENERATED_GROUP:
    return dtci_pipe_group(p, out, scratch, e);
  default:
    return write_closed(p, dtci_pipe_rows(p), out);
  }
}

static dtc_status order(const dtc_pipe *pipe, dtc_pipe_op *out, size_t cap, size_t *count, uint64_t *scratch,
                        size_t n_scratch, dtc_error *e)
{
  dtc_pipe p;
  int bad = 0;
  TRY(dtci_pipe_in(pipe, &p, e));
  uint64_t ops = p.pp * dtci_pipe_rows(&p);
  if (cap < ops) {
    *count = dtci_count(ops);
    return dtci_fail_space(e, cap, ops);
  }
  uint64_t needed = order_scratch(&p, &bad);
  if (bad)
    return dtci_fail_overflow(e, DTC_FIELD(pipe, micro_batches), p.micro_batches);
  TRY(dtci_scratch_in(scratch, n_scratch, needed, e));
  TRY(write_order(&p, out, scratch, e));
  *count = dtci_count(ops);
  return DTC_OK;
}

dtc_status dtc_pipe_order(const dtc_pipe *pipe, dtc_pipe_op *out, size_t cap, size_t *count, uint64_t *scratch,
                          size_t n_scratch, dtc_error *err)
{
  dtc_error e;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  return dtci_end(order(pipe, out, cap, count, scratch, n_scratch, &e), &e, err);
}

static dtc_status not_closed(const dtc_pipe *p, dtc_error *e)
{
  return dtci_fail(e, DTC_E_UNSUPPORTED, DTC_RULE_PIPE_CLOSED, DTC_FIELD(pipe, schedule), p->schedule);
}

static dtc_status op_at(const dtc_pipe *pipe, uint64_t rank, uint64_t index, dtc_pipe_op *out, dtc_error *e)
{
  dtc_pipe p;
  dtci_pipe_walk w;
  TRY(dtci_pipe_in(pipe, &p, e));
  TRY(dtci_check_range(e, DTCI_ARG(RANK), rank, 0, p.pp - 1));
  if (index >= dtci_pipe_rows(&p))
    return dtci_fail_index(e, index, dtci_pipe_rows(&p));
  if (!dtci_pipe_is_closed(row_of(&p)))
    return not_closed(&p, e);
  dtci_pipe_walk_of(&p, rank, &w);
  *out = dtci_pipe_at(&w, index);
  return DTC_OK;
}

dtc_status dtc_pipe_op_at(const dtc_pipe *pipe, uint64_t rank, uint64_t index, dtc_pipe_op *out, dtc_error *err)
{
  dtc_error e;
  return dtci_begin(&e, err) ? dtci_end(op_at(pipe, rank, index, out, &e), &e, err) : DTC_E_SIZE;
}

static dtc_status inflight(const dtc_pipe *pipe, uint64_t rank, dtc_pipe_held *out, dtc_error *e)
{
  dtc_pipe p;
  dtc_pipe_held held;
  int bad = 0; /* a resolved job's sums fit */
  TRY(dtci_pipe_in(pipe, &p, e));
  TRY(dtci_check_range(e, DTCI_ARG(RANK), rank, 0, p.pp - 1));
  if (!dtci_pipe_held_of(&p, rank, &held, &bad))
    return not_closed(&p, e);
  *out = held;
  return DTC_OK;
}

dtc_status dtc_pipe_inflight(const dtc_pipe *pipe, uint64_t rank, dtc_pipe_held *out, dtc_error *err)
{
  dtc_error e;
  return dtci_begin(&e, err) ? dtci_end(inflight(pipe, rank, out, &e), &e, err) : DTC_E_SIZE;
}

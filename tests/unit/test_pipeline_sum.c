/* What a pipeline's ops add up to, and what its functions refuse. */
#include "pipes_check.h"

#include <float.h>

static pipes x;

static void start(dtc_schedule schedule, dtc_framework framework, uint64_t pp, uint64_t vpp, uint64_t m)
{
  dtc_pipe p = check_pipe(schedule, framework, pp, vpp, m);
  pipes_order(&x, &p);
}

static uint64_t bits(double v)
{
  uint64_t word = 0;
  memcpy(&word, &v, sizeof word);
  return word;
}

/* ---- ranks ----------------------------------------------------------------------------------- */

static void activations_are_freed_in_two_parts(void **state)
{
  (void)state;
  static const dtc_pipe_op order[] = {
      {0, 0, DTC_PIPE_KIND_FORWARD, 0}, {1, 0, DTC_PIPE_KIND_FORWARD, 0},  {0, 0, DTC_PIPE_KIND_INPUT, 0},
      {2, 0, DTC_PIPE_KIND_FORWARD, 0}, {1, 0, DTC_PIPE_KIND_BACKWARD, 0}, {3, 0, DTC_PIPE_KIND_FORWARD, 0},
      {0, 0, DTC_PIPE_KIND_WEIGHT, 0},  {2, 0, DTC_PIPE_KIND_BACKWARD, 0}, {3, 0, DTC_PIPE_KIND_BACKWARD, 0}};
  start(DTC_SCHEDULE_1F1B, DTC_FRAMEWORK_MEGATRON, 1, 1, 4);
  x.costs[0] = (dtc_pipe_cost){1, 2, 4, 100, 10};
  memcpy(x.ops, order, sizeof order);
  x.n = sizeof order / sizeof *order;
  pipes_run(&x);
  assert_int_equal(x.ranks[0].held_input, 2);
  assert_int_equal(x.ranks[0].held_weight, 3);
  assert_int_equal(x.ranks[0].bytes, 230); /* micro-batches 2 and 3 whole, of 0 what its weights need */
  assert_true(x.ranks[0].start == 0 && x.ranks[0].stop == 28 && x.ranks[0].busy == 28);
}

/* During a pair the new activations and the old ones are there, whichever op stands first. */
static void a_pair_holds_both(void **state)
{
  (void)state;
  dtc_pipe_op order[] = {{0, 0, DTC_PIPE_KIND_FORWARD, 0},
                         {0, 0, DTC_PIPE_KIND_BACKWARD, 1},
                         {1, 0, DTC_PIPE_KIND_FORWARD, 0},
                         {1, 0, DTC_PIPE_KIND_BACKWARD, 0}};
  start(DTC_SCHEDULE_1F1B, DTC_FRAMEWORK_MEGATRON, 1, 1, 2);
  for (int swapped = 0; swapped < 2; swapped++) {
    memcpy(x.ops, order, sizeof order);
    x.n = 4;
    pipes_run(&x);
    assert_true(x.ranks[0].held_input == 2 && x.ranks[0].bytes == 2 && x.ranks[0].busy == 6000);
    dtc_pipe_op first = order[1];
    order[1] = (dtc_pipe_op){order[2].micro_batch, 0, order[2].kind, 1};
    order[2] = (dtc_pipe_op){first.micro_batch, 0, first.kind, 0};
  }
}

static void held_activations_are_those_of_the_closed_form(void **state)
{
  (void)state;
  static const dtc_schedule schedules[] = {DTC_SCHEDULE_GPIPE, DTC_SCHEDULE_1F1B,       DTC_SCHEDULE_INTERLEAVED,
                                           DTC_SCHEDULE_VPP,   DTC_SCHEDULE_LOOPED_BFS, DTC_SCHEDULE_INTERLEAVED_ZB};
  for (size_t k = 0; k < sizeof schedules / sizeof *schedules; k++)
    for (uint64_t pp = 2; pp <= 6; pp++)
      for (uint64_t rounds = 1; rounds <= 3; rounds++) {
        start(schedules[k], 0, pp, 0, rounds * pp);
        x.costs[0].freed_input = 3;
        x.costs[0].freed_weight = 0;
        pipes_run(&x);
        for (uint64_t rank = 0; rank < pp; rank++) {
          dtc_pipe_held held;
          assert_int_equal(dtc_pipe_inflight(&x.p, rank, &held, NULL), DTC_OK);
          assert_int_equal(x.ranks[rank].held_input, held.input);
          assert_int_equal(x.ranks[rank].held_weight, held.weight);
          assert_int_equal(x.ranks[rank].bytes, 3 * held.input);
        }
      }
}

static void inference_frees_nothing(void **state)
{
  (void)state;
  dtc_pipe p = check_pipe(DTC_SCHEDULE_1F1B, DTC_FRAMEWORK_MEGATRON, 2, 1, 5);
  p.forward_only = DTC_BOOL_ON;
  pipes_order(&x, &p);
  pipes_run(&x);
  assert_true(x.ranks[0].held_input == 5 && x.ranks[1].held_weight == 5 && x.sum.bubble == 1000);
}

/* ---- sums ------------------------------------------------------------------------------------ */

static void totals_are_the_worst_ranks(void **state)
{
  (void)state;
  static const dtc_pipe_rank ranks[] = {{0, 10, 6, 0, 0, 7}, {2, 15, 12, 0, 0, 9}, {4, 16, 10, 0, 0, 9}};
  dtc_pipe_totals t;
  assert_int_equal(dtc_pipe_sum(ranks, 3, &t, NULL), DTC_OK);
  assert_true(t.makespan == 16 && t.busy == 12 && t.bubble == 4 && t.span == 13 && t.span_bubble == 4);
  assert_true(t.idle == 1 - 28.0 / 48 && t.bytes == 9 && t.rank == 1);
}

static void nothing_to_do_is_not_idle(void **state)
{
  (void)state;
  static const dtc_pipe_rank none[2];
  dtc_pipe_totals t;
  assert_int_equal(dtc_pipe_sum(none, 2, &t, NULL), DTC_OK);
  assert_true(t.makespan == 0 && t.idle == 0 && t.bubble == 0 && t.rank == 0);
  start(DTC_SCHEDULE_1F1B, DTC_FRAMEWORK_MEGATRON, 2, 1, 2);
  x.n = 0;
  pipes_run(&x);
  assert_true(x.sum.makespan == 0 && x.ranks[1].stop == 0);
}

static void sums_refuse_what_is_no_time(void **state)
{
  (void)state;
  static const double wrong[] = {-1, DBL_MAX, 1.0 / 0.0, -1.0 / 0.0, 0.0 / 0.0};
  dtc_pipe_totals t = {.rank = 77};
  dtc_error e;
  DTC_INIT(&e);
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    dtc_pipe_rank ranks[] = {{0, 10, 6, 0, 0, 7}, {0, 10, 6, 0, 0, 7}};
    ranks[1].busy = wrong[k];
    assert_int_equal(dtc_pipe_sum(ranks, 2, &t, &e), DTC_E_RANGE);
    assert_true(e.rule == DTC_RULE_ELEMENT && e.field == DTC_FIELD(pipe_rank, busy) && e.other_got == 1);
    ranks[1].stop = wrong[k];
    assert_int_equal(dtc_pipe_sum(ranks, 2, &t, &e), DTC_E_RANGE);
    assert_true(e.field == DTC_FIELD(pipe_rank, stop) && e.got == bits(wrong[k]));
    ranks[1].start = k == 0 ? 11 : wrong[k];
    assert_int_equal(dtc_pipe_sum(ranks, 2, &t, &e), DTC_E_RANGE);
  }
  assert_int_equal(dtc_pipe_sum(NULL, 0, &t, &e), DTC_E_RANGE);
  assert_int_equal(dtc_pipe_sum(NULL, 4097, &t, &e), DTC_E_RANGE);
  assert_true(e.field == DTC_ARG_RANKS && e.got == 4097 && e.min == 1 && e.max == 4096);
  assert_int_equal(t.rank, 77);
}

/* ---- orders that cannot run ------------------------------------------------------------------ */

enum { PP = 4, M = 6, ROWS = 2 * M };

/* x is 1F1B of 4 ranks and 6 micro-batches; row `row` of rank `rank` becomes `op`. The row that is told is `got`. */
static void check_wrong(uint64_t rank, uint64_t row, dtc_pipe_op op, uint64_t got)
{
  dtc_error e;
  DTC_INIT(&e);
  start(DTC_SCHEDULE_1F1B, DTC_FRAMEWORK_MEGATRON, PP, 1, M);
  x.ops[rank * ROWS + row] = op;
  assert_int_equal(pipes_simulate(&x, &e), DTC_E_CONFLICT);
  assert_true(e.rule == DTC_RULE_PIPE_ORDER && e.field == DTC_ARG_OPS);
  assert_int_equal(e.got, got);
  x.sends = DTC_PIPE_SENDS_BLOCKING; /* which knows one order alone */
  assert_int_equal(pipes_simulate(&x, &e), DTC_E_CONFLICT);
  assert_int_equal(e.got, rank * ROWS + row);
}

static void what_is_no_op_of_the_job_is_refused(void **state)
{
  (void)state;
  check_wrong(1, 5, (dtc_pipe_op){0, 0, 5, 0}, ROWS + 5);
  check_wrong(1, 5, (dtc_pipe_op){0, 0, 255, 0}, ROWS + 5);
  check_wrong(1, 0, (dtc_pipe_op){0, 1, DTC_PIPE_KIND_FORWARD, 0}, ROWS);
  check_wrong(1, 0, (dtc_pipe_op){0, UINT16_MAX, DTC_PIPE_KIND_FORWARD, 0}, ROWS);
  check_wrong(3, 0, (dtc_pipe_op){M, 0, DTC_PIPE_KIND_FORWARD, 0}, 3 * ROWS);
  check_wrong(3, 0, (dtc_pipe_op){UINT32_MAX, 0, DTC_PIPE_KIND_FORWARD, 0}, 3 * ROWS);
  check_wrong(0, 0, (dtc_pipe_op){0, 0, DTC_PIPE_KIND_FORWARD, 2}, 0);
}

static void an_op_runs_once(void **state)
{
  (void)state;
  check_wrong(0, 1, (dtc_pipe_op){0, 0, DTC_PIPE_KIND_FORWARD, 0}, 1);
  check_wrong(3, 3, (dtc_pipe_op){0, 0, DTC_PIPE_KIND_BACKWARD, 0}, 3 * ROWS + 3);
  check_wrong(3, 3, (dtc_pipe_op){0, 0, DTC_PIPE_KIND_INPUT, 0}, 3 * ROWS + 3);
  check_wrong(3, 3, (dtc_pipe_op){0, 0, DTC_PIPE_KIND_WEIGHT, 0}, 3 * ROWS + 3); /* the backward was whole */
  check_wrong(3, 1, (dtc_pipe_op){0, 0, DTC_PIPE_KIND_WEIGHT, 0}, 3 * ROWS + 1); /* before its backward */
}

static void what_waits_for_ever_is_refused(void **state)
{
  (void)state;
  check_wrong(0, 0, (dtc_pipe_op){0, 0, DTC_PIPE_KIND_BACKWARD, 0}, 0); /* before its forward */
  /* Rank 0 waits in row 4 for the backward of micro-batch 0, which the last rank does not come to: */
  check_wrong(3, 0, (dtc_pipe_op){0, 0, DTC_PIPE_KIND_BACKWARD, 0}, 4); /* before its forward */
  check_wrong(0, 0, (dtc_pipe_op){0}, 4);                               /* nobody has its forward */
  check_wrong(2, 1, (dtc_pipe_op){5, 0, DTC_PIPE_KIND_FORWARD, 0}, 4);  /* rank 2 waits for a later one */
  check_wrong(3, 0, (dtc_pipe_op){0, 0, DTC_PIPE_KIND_FORWARD, 1}, 4);  /* as one step with its own input */
}

static void pairs_stand_in_two_rows(void **state)
{
  (void)state;
  check_wrong(3, ROWS - 1, (dtc_pipe_op){5, 0, DTC_PIPE_KIND_BACKWARD, 1}, 4 * ROWS - 1); /* the last row */
  start(DTC_SCHEDULE_1F1B, DTC_FRAMEWORK_MEGATRON, 1, 1, 2);
  static const dtc_pipe_op second[][2] = {
      {{0, 0, DTC_PIPE_KIND_FORWARD, 1}, {0, 0, DTC_PIPE_KIND_NONE, 0}},
      {{0, 0, DTC_PIPE_KIND_FORWARD, 1}, {1, 0, DTC_PIPE_KIND_FORWARD, 1}},
      {{0, 0, DTC_PIPE_KIND_FORWARD, 1}, {2, 0, DTC_PIPE_KIND_FORWARD, 0}},
      {{0, 0, DTC_PIPE_KIND_FORWARD, 1}, {0, 0, DTC_PIPE_KIND_FORWARD, 0}},
      {{0, 0, DTC_PIPE_KIND_FORWARD, 1}, {0, 0, DTC_PIPE_KIND_BACKWARD, 0}},
  };
  for (size_t k = 0; k < sizeof second / sizeof *second; k++) {
    dtc_error e;
    DTC_INIT(&e);
    memcpy(x.ops, second[k], sizeof second[k]);
    x.n = 2;
    assert_int_equal(pipes_simulate(&x, &e), DTC_E_CONFLICT);
    assert_true(e.rule == DTC_RULE_PIPE_ORDER && e.got == 0);
  }
}

static void ranks_refuse_orders_too(void **state)
{
  (void)state;
  static const dtc_pipe_op wrong[] = {{0, 0, 5, 0},
                                      {0, 1, DTC_PIPE_KIND_FORWARD, 0},
                                      {M, 0, DTC_PIPE_KIND_FORWARD, 0},
                                      {0, 0, DTC_PIPE_KIND_FORWARD, 2},
                                      {0, 0, DTC_PIPE_KIND_BACKWARD, 0},
                                      {0, 0, DTC_PIPE_KIND_INPUT, 0},
                                      {0, 0, DTC_PIPE_KIND_WEIGHT, 0}};
  dtc_error e;
  DTC_INIT(&e);
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    start(DTC_SCHEDULE_1F1B, DTC_FRAMEWORK_MEGATRON, PP, 1, M);
    pipes_run(&x);
    x.ops[ROWS] = wrong[k];
    assert_int_equal(pipes_ranks(&x, &e), DTC_E_CONFLICT);
    assert_true(e.rule == DTC_RULE_PIPE_ORDER && e.got == ROWS);
  }
  start(DTC_SCHEDULE_1F1B, DTC_FRAMEWORK_MEGATRON, PP, 1, M);
  x.ops[4 * ROWS - 1].fused = 1;
  assert_int_equal(pipes_ranks(&x, &e), DTC_E_CONFLICT);
  assert_int_equal(e.got, 4 * ROWS - 1);
}

/* ---- other arguments ------------------------------------------------------------------------- */

static void check_refused(dtc_status status, dtc_rule rule, uint32_t field, uint64_t got)
{
  dtc_error e;
  DTC_INIT(&e);
  assert_int_equal(pipes_simulate(&x, &e), status);
  assert_true(e.rule == rule && e.field == field && e.got == got);
}

static void costs_lie_in_their_ranges(void **state)
{
  (void)state;
  static const double wrong[] = {-1, 2e15, 0.0 / 0.0, 1.0 / 0.0};
  char line[128];
  dtc_error e;
  DTC_INIT(&e);
  start(DTC_SCHEDULE_1F1B, DTC_FRAMEWORK_MEGATRON, PP, 1, M);
  x.n_costs = 2;
  check_refused(DTC_E_RANGE, DTC_RULE_LENGTH_OR_ONE, DTC_ARG_COSTS, 2);
  x.n_costs = 0;
  check_refused(DTC_E_RANGE, DTC_RULE_LENGTH_OR_ONE, DTC_ARG_COSTS, 0);
  x.n_costs = PP;
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    memset(x.costs, 0, sizeof x.costs);
    x.costs[3].weight = wrong[k];
    check_refused(DTC_E_RANGE, DTC_RULE_ELEMENT, DTC_FIELD(pipe_cost, weight), bits(wrong[k]));
    x.costs[2].input = wrong[k];
    check_refused(DTC_E_RANGE, DTC_RULE_ELEMENT, DTC_FIELD(pipe_cost, input), bits(wrong[k]));
    x.costs[1].forward = wrong[k];
    check_refused(DTC_E_RANGE, DTC_RULE_ELEMENT, DTC_FIELD(pipe_cost, forward), bits(wrong[k]));
    assert_int_equal(pipes_ranks(&x, &e), DTC_E_RANGE);
    assert_int_equal(e.other_got, 1);
  }
  x.costs[0].freed_weight = (UINT64_C(1) << 50) + 1;
  check_refused(DTC_E_RANGE, DTC_RULE_ELEMENT, DTC_FIELD(pipe_cost, freed_weight), x.costs[0].freed_weight);
  memset(x.costs, 0, sizeof x.costs);
  x.costs[1].forward = -1;
  (void)pipes_simulate(&x, &e);
  dtc_error_format(&e, DTC_LANG_EN, line, sizeof line);
  assert_string_equal(line, "forward[1] = -1: must be 0 to 1e+15");
}

static void messages_lie_in_their_range(void **state)
{
  (void)state;
  static const double wrong[] = {-1, 2e15, 0.0 / 0.0, 1.0 / 0.0};
  char line[128];
  dtc_error e;
  DTC_INIT(&e);
  start(DTC_SCHEDULE_1F1B, DTC_FRAMEWORK_MEGATRON, PP, 1, M);
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    x.latency = 0;
    x.transfer = wrong[k];
    check_refused(DTC_E_RANGE, DTC_RULE_RANGE, DTC_ARG_TRANSFER, bits(wrong[k]));
    x.latency = wrong[k];
    check_refused(DTC_E_RANGE, DTC_RULE_RANGE, DTC_ARG_LATENCY, bits(wrong[k]));
  }
  x.latency = -1;
  (void)pipes_simulate(&x, &e);
  dtc_error_format(&e, DTC_LANG_EN, line, sizeof line);
  assert_string_equal(line, "latency = -1: must be 0 to 1e+15");
}

static void blocking_sends_are_those_of_megatrons_1f1b(void **state)
{
  (void)state;
  dtc_error e;
  DTC_INIT(&e);
  start(DTC_SCHEDULE_1F1B, DTC_FRAMEWORK_MEGATRON, PP, 1, M);
  x.sends = 2;
  check_refused(DTC_E_RANGE, DTC_RULE_RANGE, DTC_ARG_SENDS, 2);
  x.sends = DTC_PIPE_SENDS_BLOCKING;
  x.n = PP * (ROWS - 1);
  assert_int_equal(pipes_simulate(&x, &e), DTC_E_RANGE);
  assert_true(e.rule == DTC_RULE_LENGTH && e.got == x.n && e.min == PP * ROWS);
  start(DTC_SCHEDULE_1F1B, DTC_FRAMEWORK_DEEPSPEED, PP, 1, M);
  x.sends = DTC_PIPE_SENDS_BLOCKING;
  assert_int_equal(pipes_simulate(&x, &e), DTC_E_UNSUPPORTED);
  assert_true(e.rule == DTC_RULE_PIPE_SENDS && e.other == DTC_FIELD(pipe, framework));
  start(DTC_SCHEDULE_INTERLEAVED, DTC_FRAMEWORK_MEGATRON, PP, 2, 2 * PP);
  x.sends = DTC_PIPE_SENDS_BLOCKING;
  assert_int_equal(pipes_simulate(&x, &e), DTC_E_UNSUPPORTED);
  assert_true(e.rule == DTC_RULE_PIPE_SENDS && e.other_got == DTC_SCHEDULE_INTERLEAVED);
}

static void rows_are_those_of_all_ranks(void **state)
{
  (void)state;
  char line[128];
  dtc_error e;
  DTC_INIT(&e);
  start(DTC_SCHEDULE_1F1B, DTC_FRAMEWORK_MEGATRON, PP, 1, M);
  x.n = PP * ROWS - 1;
  check_refused(DTC_E_RANGE, DTC_RULE_PIPE_MULTIPLE, DTC_ARG_OPS, x.n);
  assert_int_equal(pipes_ranks(&x, &e), DTC_E_RANGE);
  dtc_error_format(&e, DTC_LANG_EN, line, sizeof line);
  assert_string_equal(line, "ops = 47: must be a multiple of pp = 4; nearest legal: 44, 48");
}

static void short_arrays_tell_what_they_need(void **state)
{
  (void)state;
  size_t count = 77;
  uint64_t needed = 0;
  dtc_error e;
  DTC_INIT(&e);
  start(DTC_SCHEDULE_1F1B, DTC_FRAMEWORK_MEGATRON, PP, 1, M);
  assert_int_equal(dtc_pipe_scratch(&x.p, &needed, &e), DTC_OK);
  assert_true(needed > 0 && needed <= PIPES_SCRATCH);
#define SIMULATE(cap, n_scratch)                                                                                       \
  dtc_pipe_simulate(&x.p, x.ops, x.n, x.costs, 1, 0, 0, 0, x.times, cap, &count, pipes_scratch, n_scratch, &e)
  assert_int_equal(SIMULATE(PIPES_OPS, needed - 1), DTC_E_SPACE);
  assert_true(e.rule == DTC_RULE_SCRATCH && e.min == needed && count == 77);
  assert_int_equal(SIMULATE(x.n - 1, needed), DTC_E_SPACE);
  assert_true(e.rule == DTC_RULE_SPACE && e.min == x.n && count == x.n);
  count = 77;
  x.ops[0].kind = 9;
  assert_int_equal(SIMULATE(x.n, needed), DTC_E_CONFLICT);
  assert_int_equal(count, 77);
  x.ops[0].kind = DTC_PIPE_KIND_FORWARD;
  assert_int_equal(SIMULATE(x.n, needed), DTC_OK);
  assert_int_equal(count, x.n);
#undef SIMULATE
#define RANKS(n_times, cap) dtc_pipe_ranks(&x.p, x.ops, x.n, x.costs, 1, x.times, n_times, x.ranks, cap, &count, &e)
  assert_int_equal(RANKS(x.n, PP - 1), DTC_E_SPACE);
  assert_true(e.min == PP && count == PP);
  assert_int_equal(RANKS(x.n - 1, PP), DTC_E_RANGE);
  assert_true(e.rule == DTC_RULE_LENGTH && e.field == DTC_ARG_TIMES && e.min == x.n && e.max == x.n);
#undef RANKS
}

static void ranks_refuse_what_is_no_time(void **state)
{
  (void)state;
  static const double wrong[] = {0.0 / 0.0, 1.0 / 0.0, -1.0 / 0.0};
  dtc_error e;
  DTC_INIT(&e);
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    start(DTC_SCHEDULE_1F1B, DTC_FRAMEWORK_MEGATRON, PP, 1, M);
    pipes_run(&x);
    x.times[5].stop = wrong[k];
    assert_int_equal(pipes_ranks(&x, &e), DTC_E_RANGE);
    assert_true(e.field == DTC_FIELD(pipe_time, stop) && e.got == bits(wrong[k]) && e.other_got == 5);
    x.times[4].start = wrong[k];
    assert_int_equal(pipes_ranks(&x, &e), DTC_E_RANGE);
    assert_true(e.rule == DTC_RULE_ELEMENT && e.field == DTC_FIELD(pipe_time, start) && e.other_got == 4);
  }
  x.times[4] = (dtc_pipe_time){2, 1};
  assert_int_equal(pipes_ranks(&x, &e), DTC_E_RANGE);
  x.times[4] = (dtc_pipe_time){-DBL_MAX, DBL_MAX};
  assert_int_equal(pipes_ranks(&x, &e), DTC_E_RANGE);
  start(DTC_SCHEDULE_GPIPE, 0, 1, 1, 4);
  for (size_t i = 0; i < x.n; i++)
    x.times[i] = (dtc_pipe_time){0, DBL_MAX / 2};
  assert_int_equal(pipes_ranks(&x, &e), DTC_E_OVERFLOW);
}

static void bytes_fit_a_word(void **state)
{
  (void)state;
  dtc_error e;
  DTC_INIT(&e);
  start(DTC_SCHEDULE_GPIPE, 0, 1, 1, 1 << 13);
  x.costs[0].freed_input = x.costs[0].freed_weight = UINT64_C(1) << 50;
  check_ok(pipes_simulate(&x, &e), &e);
  assert_int_equal(pipes_ranks(&x, &e), DTC_E_OVERFLOW);
  x.costs[0].freed_weight--;
  check_ok(pipes_ranks(&x, &e), &e);
  assert_int_equal(x.ranks[0].bytes, ((UINT64_C(1) << 51) - 1) << 13);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(activations_are_freed_in_two_parts),
      cmocka_unit_test(a_pair_holds_both),
      cmocka_unit_test(held_activations_are_those_of_the_closed_form),
      cmocka_unit_test(inference_frees_nothing),
      cmocka_unit_test(totals_are_the_worst_ranks),
      cmocka_unit_test(nothing_to_do_is_not_idle),
      cmocka_unit_test(sums_refuse_what_is_no_time),
      cmocka_unit_test(what_is_no_op_of_the_job_is_refused),
      cmocka_unit_test(an_op_runs_once),
      cmocka_unit_test(what_waits_for_ever_is_refused),
      cmocka_unit_test(pairs_stand_in_two_rows),
      cmocka_unit_test(ranks_refuse_orders_too),
      cmocka_unit_test(costs_lie_in_their_ranges),
      cmocka_unit_test(messages_lie_in_their_range),
      cmocka_unit_test(blocking_sends_are_those_of_megatrons_1f1b),
      cmocka_unit_test(rows_are_those_of_all_ranks),
      cmocka_unit_test(short_arrays_tell_what_they_need),
      cmocka_unit_test(ranks_refuse_what_is_no_time),
      cmocka_unit_test(bytes_fit_a_word),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

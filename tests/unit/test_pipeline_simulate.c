/* When ops of pipelines run: small orders timed by hand, every start held against its inputs, and what is refused. */
#include "pipes_check.h"

static pipes x;

#define F(micro_batch, chunk)                                                                                          \
  {                                                                                                                    \
    micro_batch, chunk, DTC_PIPE_KIND_FORWARD, 0                                                                       \
  }
#define B(micro_batch, chunk)                                                                                          \
  {                                                                                                                    \
    micro_batch, chunk, DTC_PIPE_KIND_BACKWARD, 0                                                                      \
  }
#define I(micro_batch, chunk)                                                                                          \
  {                                                                                                                    \
    micro_batch, chunk, DTC_PIPE_KIND_INPUT, 0                                                                         \
  }
#define W(micro_batch, chunk)                                                                                          \
  {                                                                                                                    \
    micro_batch, chunk, DTC_PIPE_KIND_WEIGHT, 0                                                                        \
  }
#define NONE                                                                                                           \
  {                                                                                                                    \
    0, 0, 0, 0                                                                                                         \
  }

static void set_order(const dtc_pipe_op *ops, size_t n)
{
  memcpy(x.ops, ops, n * sizeof *ops);
  x.n = n;
}
#define ORDER(ops) set_order(ops, sizeof(ops) / sizeof *(ops))

static void check_times(const dtc_pipe_time *expected)
{
  dtc_error e;
  DTC_INIT(&e);
  check_ok(pipes_simulate(&x, &e), &e);
  for (size_t i = 0; i < x.n; i++)
    if (x.times[i].start != expected[i].start || x.times[i].stop != expected[i].stop)
      fail_msg("op %u runs from %g to %g, expected %g to %g", (unsigned)i, x.times[i].start, x.times[i].stop,
               expected[i].start, expected[i].stop);
}

/* ---- by hand --------------------------------------------------------------------------------- */

static void start(dtc_schedule schedule, dtc_framework framework, uint64_t pp, uint64_t vpp, uint64_t m)
{
  dtc_pipe p = check_pipe(schedule, framework, pp, vpp, m);
  pipes_order(&x, &p);
}

static void messages_take_their_latency(void **state)
{
  (void)state;
  static const dtc_pipe_op order[] = {F(0, 0), B(0, 0), NONE, F(0, 0), NONE, B(0, 0)};
  static const dtc_pipe_time expected[] = {{0, 3}, {34, 37}, {0, 0}, {13, 18}, {0, 0}, {18, 24}};
  start(DTC_SCHEDULE_1F1B, DTC_FRAMEWORK_MEGATRON, 2, 1, 1);
  x.costs[0] = (dtc_pipe_cost){3, 2, 1, 0, 0};
  x.costs[1] = (dtc_pipe_cost){5, 4, 2, 0, 0};
  x.n_costs = 2;
  x.latency = 10;
  ORDER(order);
  check_times(expected);
  x.latency = 7; /* each link carries one message */
  x.transfer = 3;
  check_times(expected);
}

static void a_link_carries_one_message_at_a_time(void **state)
{
  (void)state;
  static const dtc_pipe_op order[] = {F(0, 0), F(1, 0), F(2, 0), F(0, 0), F(1, 0), F(2, 0)};
  static const dtc_pipe_time expected[] = {{0, 1}, {1, 2}, {2, 3}, {6, 7}, {10, 11}, {14, 15}};
  start(DTC_SCHEDULE_GPIPE, 0, 2, 1, 3);
  pipes_costs(&x, 1, 1, 1);
  x.latency = 1;
  x.transfer = 4;
  ORDER(order);
  check_times(expected);
}

/* Of two ranks the next one is the one before, too: rank 1 sends forwards to chunk 1 and backwards over one link. */
static void two_ranks_have_one_link_each_way(void **state)
{
  (void)state;
  static const dtc_pipe_op order[] = {F(0, 0), F(1, 0), F(0, 1), F(1, 1), B(0, 1),
                                      F(0, 0), F(0, 1), F(1, 0), B(0, 1), NONE};
  static const dtc_pipe_time expected[] = {{0, 1},     {1, 2},     {202, 203}, {405, 406}, {505, 506},
                                           {101, 102}, {303, 304}, {304, 305}, {305, 306}, {0, 0}};
  start(DTC_SCHEDULE_INTERLEAVED, DTC_FRAMEWORK_MEGATRON, 2, 2, 2);
  pipes_costs(&x, 1, 1, 0);
  x.transfer = 100;
  ORDER(order);
  check_times(expected);
}

static void the_v_turns_on_its_last_rank(void **state)
{
  (void)state;
  static const dtc_pipe_op order[] = {F(0, 0), F(0, 1), I(0, 1), I(0, 0), W(0, 0),
                                      F(0, 0), F(0, 1), I(0, 1), W(0, 1), I(0, 0)};
  static const dtc_pipe_time expected[] = {{0, 1},   {23, 24}, {24, 25}, {52, 53}, {53, 58},
                                           {11, 12}, {12, 13}, {35, 36}, {36, 41}, {41, 42}};
  start(DTC_SCHEDULE_ZBV, DTC_FRAMEWORK_PYTORCH, 2, 2, 1);
  pipes_costs(&x, 1, 1, 5);
  x.latency = 10;
  ORDER(order);
  check_times(expected);
}

static void dualpipe_starts_at_both_ends(void **state)
{
  (void)state;
  static const dtc_pipe_op order[] = {F(0, 0), F(0, 1), B(0, 1), B(0, 0), F(0, 1), F(0, 0), B(0, 0), B(0, 1)};
  /* the directions mirror each other */
  static const dtc_pipe_time expected[] = {{0, 1}, {11, 13}, {13, 16}, {26, 30}, {0, 1}, {11, 13}, {13, 16}, {26, 30}};
  start(DTC_SCHEDULE_DUALPIPE, 0, 2, 0, 4);
  x.costs[0] = (dtc_pipe_cost){1, 4, 0, 0, 0}; /* stage 0: rank 0 in direction 0, rank 1 in direction 1 */
  x.costs[1] = (dtc_pipe_cost){2, 3, 0, 0, 0};
  x.n_costs = 2;
  x.latency = 10;
  ORDER(order);
  check_times(expected);
}

static void a_pair_starts_with_both_inputs(void **state)
{
  (void)state;
  static const dtc_pipe_op order[] = {
      F(0, 0), {1, 0, DTC_PIPE_KIND_FORWARD, 1}, B(0, 0), B(1, 0), F(0, 0), B(0, 0), F(1, 0), B(1, 0)};
  static const dtc_pipe_time expected[] = {{0, 2}, {10, 16}, {10, 16}, {24, 28}, {3, 5}, {5, 9}, {17, 19}, {19, 23}};
  start(DTC_SCHEDULE_1F1B, DTC_FRAMEWORK_MEGATRON, 2, 1, 2);
  pipes_costs(&x, 2, 3, 1);
  x.latency = 1;
  ORDER(order);
  check_times(expected);
  check_ok(pipes_ranks(&x, NULL), NULL);
  assert_true(x.ranks[0].busy == 12 && x.ranks[0].start == 0 && x.ranks[0].stop == 28);
}

/* Both results of a pair are sent at its end, the first op's before the other's. */
static void a_pair_sends_one_after_the_other(void **state)
{
  (void)state;
  static const dtc_pipe_op order[] = {
      F(0, 0), F(1, 0), F(0, 1), F(1, 1), B(0, 1), F(0, 0), F(0, 1), {1, 0, DTC_PIPE_KIND_FORWARD, 1}, B(0, 1), NONE};
  static const dtc_pipe_time expected[] = {{0, 1},   {1, 2},   {22, 23}, {46, 47}, {56, 57},
                                           {11, 12}, {33, 34}, {34, 36}, {34, 36}, {0, 0}};
  start(DTC_SCHEDULE_INTERLEAVED, DTC_FRAMEWORK_MEGATRON, 2, 2, 2);
  pipes_costs(&x, 1, 1, 0);
  x.transfer = 10;
  ORDER(order);
  check_times(expected);
}

static void blocking_calls_wait_for_the_other_side(void **state)
{
  (void)state;
  static const dtc_pipe_time one[] = {{0, 2}, {14, 18}, {5, 7}, {7, 11}};
  static const dtc_pipe_time forwards[] = {{0, 2}, {5, 7}, {5, 7}, {10, 12}};
  start(DTC_SCHEDULE_1F1B, DTC_FRAMEWORK_MEGATRON, 2, 1, 1);
  pipes_costs(&x, 2, 3, 1);
  x.latency = 1;
  x.transfer = 2;
  x.sends = DTC_PIPE_SENDS_BLOCKING;
  check_times(one);
  static const dtc_pipe_op longer[] = {F(0, 0), B(0, 0), NONE, F(0, 0), B(0, 0), NONE};
  static const dtc_pipe_time same[] = {{0, 2}, {14, 18}, {0, 0}, {5, 7}, {7, 11}, {0, 0}};
  memset(x.times, 0x5a, sizeof longer / sizeof *longer * sizeof *x.times);
  ORDER(longer);
  check_times(same); /* rows of no op take no time */
  dtc_pipe p = check_pipe(DTC_SCHEDULE_1F1B, DTC_FRAMEWORK_MEGATRON, 2, 1, 2);
  p.forward_only = DTC_BOOL_ON;
  pipes_order(&x, &p);
  pipes_costs(&x, 2, 3, 1);
  x.latency = 1;
  x.transfer = 2;
  x.sends = DTC_PIPE_SENDS_BLOCKING;
  check_times(forwards); /* the second message waits until the first has been used */
}

/* ---- every start against its inputs ---------------------------------------------------------- */

enum { ENDS = 1 << 16 };

/* Ends of forwards and backwards by chunk (counted over all ranks) and micro-batch. */
static double forward_end[ENDS], backward_end[ENDS];

static uint64_t stage_of(uint64_t rank, uint64_t chunk)
{
  uint64_t stage = 0;
  assert_int_equal(dtc_pipe_stage(&x.p, rank, chunk, &stage, NULL), DTC_OK);
  return stage;
}

/* The rank and chunk of a stage; of dualpipe in that chunk's direction. */
static uint64_t place_of(uint64_t stage, uint64_t chunk)
{
  int dual = x.p.schedule == DTC_SCHEDULE_DUALPIPE;
  for (uint64_t at = 0; at < x.p.pp * x.p.vpp; at++)
    if (stage_of(at / x.p.vpp, at % x.p.vpp) == stage && (!dual || at % x.p.vpp == chunk))
      return at;
  fail_msg("no rank has stage %u", (unsigned)stage);
  return 0;
}

static void note_ends(void)
{
  for (size_t i = 0; i < x.n; i++) {
    uint64_t rank = i / (x.n / x.p.pp), at = rank * x.p.vpp + x.ops[i].chunk;
    double *ends = x.ops[i].kind == DTC_PIPE_KIND_FORWARD ? forward_end : backward_end;
    if (x.ops[i].kind != DTC_PIPE_KIND_NONE && x.ops[i].kind != DTC_PIPE_KIND_WEIGHT)
      ends[at * x.p.micro_batches + x.ops[i].micro_batch] = x.times[i].stop;
  }
}

/* When the input of an op is there; links are never busy. */
static double input_of(uint64_t rank, dtc_pipe_op op)
{
  uint64_t stage = stage_of(rank, op.chunk), own = rank * x.p.vpp + op.chunk;
  uint64_t stages = x.p.schedule == DTC_SCHEDULE_DUALPIPE ? x.p.pp : x.p.pp * x.p.vpp;
  int forward = op.kind == DTC_PIPE_KIND_FORWARD;
  if (op.kind == DTC_PIPE_KIND_WEIGHT || (forward && stage == 0))
    return 0;
  if (!forward && stage + 1 == stages)
    return forward_end[own * x.p.micro_batches + op.micro_batch];
  uint64_t from = place_of(forward ? stage - 1 : stage + 1, op.chunk);
  double end = (forward ? forward_end : backward_end)[from * x.p.micro_batches + op.micro_batch];
  return from / x.p.vpp == rank ? end : end + x.latency;
}

static double time_of(uint64_t rank, dtc_pipe_op op)
{
  const dtc_pipe_cost *c = &x.costs[x.n_costs == 1 ? 0 : stage_of(rank, op.chunk)];
  double times[] = {0, c->forward, c->input + c->weight, c->input, c->weight};
  return times[op.kind];
}

static double larger(double a, double b)
{
  return a > b ? a : b;
}

static void check_starts(void)
{
  note_ends();
  for (size_t i = 0; i < x.n; i++) {
    uint64_t rank = i / (x.n / x.p.pp);
    dtc_pipe_op op = x.ops[i];
    if (op.kind == DTC_PIPE_KIND_NONE)
      continue;
    double free = i % (x.n / x.p.pp) == 0 ? 0 : x.times[i - 1].stop, input = input_of(rank, op),
           time = time_of(rank, op);
    if (op.fused) {
      input = larger(input, input_of(rank, x.ops[i + 1]));
      time += time_of(rank, x.ops[i + 1]);
      assert_memory_equal(&x.times[i], &x.times[i + 1], sizeof x.times[i]);
    }
    assert_true(x.times[i].start == larger(free, input) && x.times[i].stop == x.times[i].start + time);
    i += op.fused;
  }
}

/* A job of any schedule with a closed form, and its order. */
static void random_job(uint64_t *seed)
{
  static const dtc_schedule schedules[] = {
      DTC_SCHEDULE_GPIPE,      DTC_SCHEDULE_1F1B,       DTC_SCHEDULE_INTERLEAVED,    DTC_SCHEDULE_VPP,
      DTC_SCHEDULE_LOOPED_BFS, DTC_SCHEDULE_DUALPIPE_V, DTC_SCHEDULE_INTERLEAVED_ZB, DTC_SCHEDULE_DUALPIPE,
      DTC_SCHEDULE_ZBV};
  dtc_schedule schedule = schedules[check_random(seed, sizeof schedules / sizeof *schedules)];
  uint64_t pp = 2 * (1 + check_random(seed, 3)), m = pp * (2 + check_random(seed, 3));
  dtc_pipe p = check_pipe(schedule, 0, pp, 0, m);
  p.moe_overlap = schedule == DTC_SCHEDULE_INTERLEAVED && check_random(seed, 2) ? DTC_BOOL_ON : 0;
  pipes_order(&x, &p);
  x.n_costs = schedule == DTC_SCHEDULE_DUALPIPE ? pp : pp * x.p.vpp;
  for (size_t i = 0; i < x.n_costs; i++)
    x.costs[i] = (dtc_pipe_cost){(double)check_random(seed, 50), (double)check_random(seed, 50),
                                 (double)check_random(seed, 50), check_random(seed, 50), check_random(seed, 50)};
  x.latency = (double)check_random(seed, 30);
}

static void every_op_starts_as_soon_as_it_can(void **state)
{
  (void)state;
  uint64_t seed = 3;
  for (int round = 0; round < 150; round++) {
    random_job(&seed);
    pipes_run(&x);
    check_starts();
  }
}

/* ---- properties ------------------------------------------------------------------------------ */

/* Forward and backward of one micro-batch through all stages. */
static double path(void)
{
  double sum = 0;
  for (size_t i = 0; i < x.n_costs; i++)
    sum += x.costs[i].forward + x.costs[i].input;
  return sum;
}

static void longer_messages_never_shorten_a_step(void **state)
{
  (void)state;
  uint64_t seed = 4;
  for (int round = 0; round < 100; round++) {
    double before = 0;
    random_job(&seed);
    for (int more = 0; more < 4; more++) {
      pipes_run(&x);
      assert_true(x.sum.makespan >= before && x.sum.makespan >= x.sum.busy && x.sum.makespan >= path());
      before = x.sum.makespan;
      x.latency += (double)check_random(&seed, 20);
      x.transfer += (double)check_random(&seed, 20);
    }
  }
}

static void twice_the_times_take_twice_as_long(void **state)
{
  (void)state;
  static dtc_pipe_time once[PIPES_OPS];
  uint64_t seed = 5;
  for (int round = 0; round < 100; round++) {
    random_job(&seed);
    x.transfer = (double)check_random(&seed, 30) / 7;
    pipes_run(&x);
    memcpy(once, x.times, x.n * sizeof *once);
    for (size_t i = 0; i < x.n_costs; i++)
      x.costs[i] = (dtc_pipe_cost){2 * x.costs[i].forward, 2 * x.costs[i].input, 2 * x.costs[i].weight, 0, 0};
    x.latency *= 2;
    x.transfer *= 2;
    pipes_run(&x);
    for (size_t i = 0; i < x.n; i++)
      assert_true(x.times[i].start == 2 * once[i].start && x.times[i].stop == 2 * once[i].stop);
  }
}

/* Rows without an op may stand anywhere, and change nothing. */
static void empty_rows_are_skipped(void **state)
{
  (void)state;
  static dtc_pipe_op loose[PIPES_OPS];
  static dtc_pipe_time times[PIPES_OPS];
  start(DTC_SCHEDULE_INTERLEAVED_ZB, DTC_FRAMEWORK_PYTORCH, 4, 2, 8);
  x.latency = 5;
  pipes_run(&x);
  memcpy(times, x.times, x.n * sizeof *times);
  memset(loose, 0, sizeof loose);
  for (size_t i = 0; i < x.n; i++) {
    loose[2 * i + 1] = x.ops[i];
    loose[2 * i] = (dtc_pipe_op){UINT32_MAX, UINT16_MAX, DTC_PIPE_KIND_NONE, 9}; /* what else it says is not read */
  }
  set_order(loose, 2 * x.n);
  pipes_run(&x);
  for (size_t i = 0; i < x.n / 2; i++) {
    assert_memory_equal(&x.times[2 * i + 1], &times[i], sizeof *times);
    assert_true(x.times[2 * i].start == 0 && x.times[2 * i].stop == 0);
  }
}

/* The first rows of every rank run as before, or one of them waits for ever: then which is said. */
static void parts_of_an_order_end(void **state)
{
  (void)state;
  static dtc_pipe_op all[PIPES_OPS];
  uint64_t seed = 6;
  int ran = 0, stopped = 0;
  for (int round = 0; round < 300; round++) {
    dtc_error e;
    DTC_INIT(&e);
    random_job(&seed);
    memcpy(all, x.ops, x.n * sizeof *all);
    size_t rows = x.n / x.p.pp, kept = check_random(&seed, rows + 1);
    for (size_t rank = 0; rank < x.p.pp; rank++)
      memcpy(&x.ops[rank * kept], &all[rank * rows], kept * sizeof *all);
    x.n = kept * x.p.pp;
    dtc_status status = pipes_simulate(&x, &e);
    assert_true(status == DTC_OK || (status == DTC_E_CONFLICT && e.rule == DTC_RULE_PIPE_ORDER && e.got < x.n));
    ran += status == DTC_OK;
    stopped += status != DTC_OK;
  }
  assert_true(ran > 0 && stopped > 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(messages_take_their_latency),
      cmocka_unit_test(a_link_carries_one_message_at_a_time),
      cmocka_unit_test(two_ranks_have_one_link_each_way),
      cmocka_unit_test(the_v_turns_on_its_last_rank),
      cmocka_unit_test(dualpipe_starts_at_both_ends),
      cmocka_unit_test(a_pair_starts_with_both_inputs),
      cmocka_unit_test(a_pair_sends_one_after_the_other),
      cmocka_unit_test(blocking_calls_wait_for_the_other_side),
      cmocka_unit_test(every_op_starts_as_soon_as_it_can),
      cmocka_unit_test(longer_messages_never_shorten_a_step),
      cmocka_unit_test(twice_the_times_take_twice_as_long),
      cmocka_unit_test(empty_rows_are_skipped),
      cmocka_unit_test(parts_of_an_order_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

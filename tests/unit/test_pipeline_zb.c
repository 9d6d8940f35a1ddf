/* Generated pipeline orders: small ones op by op, and of many jobs that they are complete, run to their end and keep to
 * the memory they were given. */
#include "check.h"

#include "internal/pipeline.h"

#include <stdio.h>
#include <stdlib.h>

#define S(name) DTC_SCHEDULE_##name

/* ---- jobs ------------------------------------------------------------------------------------------------------- */

typedef struct maker {
  dtc_schedule schedule;
  int v;        /* stages lie in a V */
  uint64_t ops; /* of a micro-batch and chunk */
  uint64_t (*scratch)(const dtc_pipe *p, int *bad);
  dtc_status (*order)(const dtc_pipe *p, dtc_pipe_op *out, uint64_t *scratch, dtc_error *e);
} maker;

static const maker makers[] = {
    {S(ZB_H1), 0, 3, dtci_pipe_zb_scratch, dtci_pipe_zb},
    {S(ZB_H2), 0, 3, dtci_pipe_zb_scratch, dtci_pipe_zb},
    {S(ZBV), 1, 3, dtci_pipe_zbv_scratch, dtci_pipe_zbv},
    {S(V_HALF), 1, 3, dtci_pipe_v_scratch, dtci_pipe_v},
    {S(V_MIN), 1, 3, dtci_pipe_v_scratch, dtci_pipe_v},
    {S(1F1B_V), 1, 2, dtci_pipe_1f1b_v_scratch, dtci_pipe_1f1b_v},
    {S(GROUP_INTERLEAVED), 0, 3, dtci_pipe_group_scratch, dtci_pipe_group},
};
enum { MAKERS = sizeof makers / sizeof *makers };

static const maker *maker_of(const dtc_pipe *p)
{
  for (int i = 0; i < MAKERS; i++)
    if (makers[i].schedule == p->schedule)
      return &makers[i];
  fail();
  return NULL;
}

/* A resolved job with equal times. */
static dtc_pipe job(dtc_schedule schedule, uint64_t pp, uint64_t micro_batches)
{
  dtc_pipe p;
  DTC_INIT(&p);
  p.schedule = schedule;
  p.pp = pp;
  p.vpp = schedule == S(ZB_H1) || schedule == S(ZB_H2) ? 1 : 2;
  p.micro_batches = micro_batches;
  p.group = 1;
  p.forward = p.input = p.weight = 1000;
  p.limit = schedule == S(ZB_H1) ? pp : 2 * pp;
  p.freed_input = schedule == S(ZBV) ? 7 : 0;
  p.freed_weight = schedule == S(ZBV) ? 32 : 1;
  return p;
}

static uint64_t rows_of(const dtc_pipe *p)
{
  return maker_of(p)->ops * p->micro_batches * p->vpp;
}

/* Status of an order, which is to be freed. Scratch is filled with `fill` before, and nothing behind it is written. */
static dtc_status make(const dtc_pipe *p, dtc_pipe_op **out, int fill, dtc_error *e)
{
  int bad = 0;
  uint64_t ops = rows_of(p) * p->pp, words = maker_of(p)->scratch(p, &bad);
  assert_false(bad);
  uint64_t *scratch = malloc((words + 1) * sizeof *scratch);
  *out = malloc((ops + 1) * sizeof **out);
  assert_true(scratch != NULL && *out != NULL);
  memset(scratch, fill, (words + 1) * sizeof *scratch);
  memset(*out + ops, 77, sizeof **out);
  uint64_t behind = scratch[words];
  DTC_INIT(e);
  dtc_status status = maker_of(p)->order(p, *out, scratch, e);
  assert_true(scratch[words] == behind && (*out)[ops].kind == 77);
  free(scratch);
  return status;
}

static dtc_pipe_op *made(const dtc_pipe *p)
{
  dtc_error e;
  dtc_pipe_op *out = NULL;
  check_ok(make(p, &out, 0xa5, &e), &e);
  return out;
}

/* ---- replay ----------------------------------------------------------------------------------------------------- */

typedef struct replay {
  const dtc_pipe *p;
  const dtc_pipe_op *ops;
  double *ends;   /* of forwards, backwards (for the input) and those for the weights; -1 before they ran */
  uint64_t *next; /* row of each rank */
  double *now;
} replay;

static uint64_t stage_of(const dtc_pipe *p, uint64_t rank, uint64_t chunk)
{
  return maker_of(p)->v ? chunk == 0 ? rank : 2 * p->pp - 1 - rank : chunk * p->pp + rank;
}

static uint64_t rank_of(const dtc_pipe *p, uint64_t stage)
{
  return maker_of(p)->v ? stage < p->pp ? stage : 2 * p->pp - 1 - stage : stage % p->pp;
}

static double *end_of(const replay *r, int what, uint64_t stage, uint64_t micro_batch)
{
  return &r->ends[((uint64_t)what * r->p->pp * r->p->vpp + stage) * r->p->micro_batches + micro_batch];
}

/* Runs an op when what it needs is there. */
static int run_op(replay *r, uint64_t rank, const dtc_pipe_op *op)
{
  const dtc_pipe *p = r->p;
  assert_true(op->chunk < p->vpp && op->micro_batch < p->micro_batches && op->fused == 0);
  uint64_t stage = stage_of(p, rank, op->chunk), from = stage, last = p->pp * p->vpp - 1;
  int what = op->kind == DTC_PIPE_KIND_FORWARD ? 0 : op->kind == DTC_PIPE_KIND_WEIGHT ? 2 : 1;
  double cost = what == 0 ? p->forward : what == 2 ? p->weight : p->input;
  double begin = r->now[rank], input = 0;
  if (op->kind == DTC_PIPE_KIND_BACKWARD)
    cost += p->weight;
  else
    assert_int_equal(op->kind, what == 0   ? DTC_PIPE_KIND_FORWARD
                               : what == 1 ? DTC_PIPE_KIND_INPUT
                                           : DTC_PIPE_KIND_WEIGHT);
  assert_true(*end_of(r, what, stage, op->micro_batch) == -1); /* once */
  if (what == 0 && stage > 0)
    input = *end_of(r, 0, from = stage - 1, op->micro_batch);
  else if (what == 1)
    input = stage < last ? *end_of(r, 1, from = stage + 1, op->micro_batch) : *end_of(r, 0, stage, op->micro_batch);
  else if (what == 2)
    input = *end_of(r, 1, stage, op->micro_batch);
  if (input == -1)
    return 0;
  input += rank_of(p, from) != rank ? p->hop : 0;
  begin = input > begin ? input : begin;
  *end_of(r, what, stage, op->micro_batch) = r->now[rank] = begin + cost;
  return 1;
}

/* Runs all ops, each rank's in their order, and returns the end of the last one. Fails when an op is missing or comes
 * twice, and when the ranks wait for one another. */
static double run_all(const dtc_pipe *p, const dtc_pipe_op *ops)
{
  uint64_t rows = rows_of(p), ends = 3 * p->pp * p->vpp * p->micro_batches, left = rows * p->pp;
  replay r = {p, ops, malloc(ends * sizeof(double)), calloc(p->pp, sizeof *r.next), calloc(p->pp, sizeof(double))};
  double end = 0;
  assert_true(r.ends != NULL && r.next != NULL && r.now != NULL);
  for (uint64_t i = 0; i < ends; i++)
    r.ends[i] = -1;
  for (uint64_t before = left + 1; left < before;) {
    before = left;
    for (uint64_t rank = 0; rank < p->pp; rank++)
      for (; r.next[rank] < rows && run_op(&r, rank, &ops[rank * rows + r.next[rank]]); left--)
        r.next[rank]++;
  }
  assert_int_equal(left, 0);
  for (uint64_t rank = 0; rank < p->pp; rank++)
    end = r.now[rank] > end ? r.now[rank] : end;
  free(r.ends);
  free(r.next);
  free(r.now);
  return end;
}

/* Most that a rank holds, in shares of an activation. */
static uint64_t most_held(const dtc_pipe *p, const dtc_pipe_op *ops, uint64_t freed_input, uint64_t freed_weight)
{
  uint64_t most = 0, rows = rows_of(p);
  for (uint64_t rank = 0; rank < p->pp; rank++) {
    uint64_t held = 0;
    for (uint64_t i = rank * rows; i < (rank + 1) * rows; i++) {
      held += ops[i].kind == DTC_PIPE_KIND_FORWARD ? freed_input + freed_weight : 0;
      held -= ops[i].kind == DTC_PIPE_KIND_INPUT || ops[i].kind == DTC_PIPE_KIND_BACKWARD ? freed_input : 0;
      held -= ops[i].kind == DTC_PIPE_KIND_WEIGHT || ops[i].kind == DTC_PIPE_KIND_BACKWARD ? freed_weight : 0;
      most = held > most ? held : most;
    }
  }
  return most;
}

/* ---- small orders ----------------------------------------------------------------------------------------------- */

/* A rank's ops as text: F forward, B backward, I for the input, W for the weights, micro-batch, and chunk unless there is
 * one. */
static void check_rank(const dtc_pipe *p, uint64_t rank, const char *expected)
{
  static const char letters[] = "-FBIW";
  char line[4096] = "";
  size_t len = 0;
  dtc_pipe_op *ops = made(p);
  for (uint64_t i = 0; i < rows_of(p); i++) {
    const dtc_pipe_op *op = &ops[rank * rows_of(p) + i];
    len += (size_t)sprintf(line + len, "%s%c%u", i > 0 ? " " : "", letters[op->kind % 5], op->micro_batch);
    if (p->vpp > 1)
      len += (size_t)sprintf(line + len, ".%u", op->chunk);
  }
  assert_string_equal(line, expected);
  free(ops);
}

static void two_ranks_zero_bubble(void **state)
{
  (void)state;
  dtc_pipe h1 = job(S(ZB_H1), 2, 4), h2 = job(S(ZB_H2), 2, 4);
  check_rank(&h1, 0, "F0 F1 I0 W0 F2 I1 W1 F3 I2 W2 I3 W3");
  check_rank(&h1, 1, "F0 I0 F1 I1 W0 F2 I2 W1 F3 I3 W2 W3");
  check_rank(&h2, 0, "F0 F1 F2 I0 F3 W0 I1 W1 I2 W2 I3 W3");
  check_rank(&h2, 1, "F0 I0 F1 I1 F2 I2 F3 I3 W0 W1 W2 W3");
}

static void two_ranks_in_a_v(void **state)
{
  (void)state;
  dtc_pipe zbv = job(S(ZBV), 2, 4), half = job(S(V_HALF), 2, 4), least = job(S(V_MIN), 2, 4);
  dtc_pipe whole = job(S(1F1B_V), 2, 4);
  check_rank(&zbv, 1,
             "F0.0 F0.1 F1.0 F1.1 I0.1 W0.1 F2.0 I0.0 W0.0 F2.1 I1.1 W1.1 F3.0 I1.0 W1.0 F3.1 I2.1 I2.0 I3.1 "
             "I3.0 W2.1 W2.0 W3.1 W3.0");
  check_rank(&half, 0,
             "F0.0 F1.0 F2.0 F0.1 I0.1 W0.1 F1.1 I0.0 I1.1 W1.1 F2.1 W0.0 F3.0 I1.0 I2.1 W2.1 F3.1 I3.1 I2.0 "
             "W3.1 I3.0 W1.0 W2.0 W3.0");
  check_rank(&least, 1,
             "F0.0 F0.1 I0.1 I0.0 F1.0 F1.1 W0.1 W0.0 I1.1 I1.0 F2.0 F2.1 W1.1 W1.0 I2.1 I2.0 F3.0 F3.1 W2.1 "
             "W2.0 I3.1 I3.0 W3.1 W3.0");
  check_rank(&whole, 0, "F0.0 F1.0 F2.0 F0.1 B0.1 F1.1 B1.1 F3.0 B0.0 F2.1 B2.1 B1.0 F3.1 B3.1 B2.0 B3.0");
}

static void groups_of_two(void **state)
{
  (void)state;
  dtc_pipe p = job(S(GROUP_INTERLEAVED), 4, 4);
  p.group = 2;
  check_rank(&p, 3,
             "F0.0 F1.0 F0.1 I0.1 W0.1 F1.1 I1.1 W1.1 F2.0 I0.0 W0.0 F3.0 I1.0 W1.0 F2.1 I2.1 W2.1 F3.1 I3.1 W3.1 "
             "I2.0 W2.0 I3.0 W3.0");
}

static void one_rank_one_micro_batch(void **state)
{
  (void)state;
  for (int i = 0; i < MAKERS; i++) {
    dtc_pipe p = job(makers[i].schedule, 1, 1);
    check_rank(&p, 0,
               p.vpp == 1                ? "F0 I0 W0"
               : p.schedule == S(1F1B_V) ? "F0.0 F0.1 B0.1 B0.0"
               : p.schedule == S(V_HALF) ? "F0.0 F0.1 I0.1 W0.1 I0.0 W0.0"
               : p.schedule == S(ZBV)    ? "F0.0 F0.1 I0.1 I0.0 W0.1 W0.0"
               : p.schedule == S(V_MIN)  ? "F0.0 F0.1 I0.1 I0.0 W0.1 W0.0"
                                         : "F0.0 F0.1 I0.1 W0.1 I0.0 W0.0");
  }
}

/* ---- what is known of larger ones ------------------------------------------------------------------------------- */

/* With equal times and no hop ZB-H1 leaves (pp - 1) * (F + I - W) idle, ZB-H2 and ZBV (pp - 1) * F. */
static void bubbles_are_the_known_ones(void **state)
{
  (void)state;
  for (uint64_t pp = 2; pp <= 16; pp++) {
    static const dtc_schedule schedules[] = {S(ZB_H1), S(ZB_H2), S(ZBV)};
    for (int i = 0; i < 3; i++) {
      dtc_pipe p = job(schedules[i], pp, 3 * pp);
      dtc_pipe_op *ops = made(&p);
      double busy = 3000 * (double)(p.vpp * p.micro_batches);
      check_near(run_all(&p, ops), busy + 1000 * (double)(pp - 1));
      free(ops);
    }
  }
}

static void v_schedules_hold_the_known_number(void **state)
{
  (void)state;
  static const struct {
    dtc_schedule schedule;
    uint64_t pp, held;
  } rows[] = {
      {S(V_HALF), 2, 4}, {S(V_HALF), 3, 4},  {S(V_HALF), 4, 6},  {S(V_HALF), 6, 8}, {S(V_HALF), 8, 10},
      {S(V_MIN), 2, 4},  {S(V_MIN), 4, 4},   {S(V_MIN), 6, 6},   {S(1F1B_V), 2, 4}, {S(1F1B_V), 3, 6},
      {S(1F1B_V), 4, 6}, {S(1F1B_V), 6, 10}, {S(1F1B_V), 8, 12},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    dtc_pipe p = job(rows[i].schedule, rows[i].pp, 2 * rows[i].pp);
    dtc_pipe_op *ops = made(&p);
    assert_int_equal(most_held(&p, ops, 0, 1), rows[i].held);
    free(ops);
  }
}

/* ---- random jobs ------------------------------------------------------------------------------------------------ */

static double random_time(uint64_t *seed)
{
  static const double odd[] = {0, 1e-9, 1, 1000, 1e15};
  uint64_t pick = check_random(seed, 8);
  return pick < 5 ? odd[pick] : (double)(1 + check_random(seed, 100000)) / 7;
}

static dtc_pipe random_job(uint64_t *seed, uint64_t pp, uint64_t micro_batches)
{
  static const uint64_t shares[] = {0, 1, 7, 32, (uint64_t)1 << 40};
  dtc_pipe p = job(makers[check_random(seed, MAKERS)].schedule, pp, micro_batches);
  p.forward = random_time(seed);
  p.input = random_time(seed);
  p.weight = random_time(seed);
  p.hop = random_time(seed);
  p.freed_input = shares[check_random(seed, 5)];
  p.freed_weight = shares[check_random(seed, 5)];
  p.freed_weight += p.freed_input + p.freed_weight == 0;
  p.limit = check_random(seed, 3) > 0 ? p.limit : check_random(seed, 2) > 0 ? DTC_NONE : 1 + check_random(seed, 3 * pp);
  if (p.schedule == S(GROUP_INTERLEAVED)) {
    p.vpp = 1 + check_random(seed, 6);
    p.group = 1 + check_random(seed, pp + 2);
  }
  return p;
}

/* Does every time count when it is added to the others? Where one is lost, the authors' sort by ends puts forwards before
 * the backwards that made room for them. */
static int times_count(const dtc_pipe *p)
{
  const double times[] = {p->forward, p->input, p->weight};
  for (int i = 0; i < 3; i++)
    if (times[i] < 1e-6 * (p->forward + p->input + p->weight + p->hop))
      return 0;
  return 1;
}

static void check_limit(const dtc_pipe *p, const dtc_pipe_op *ops)
{
  uint64_t whole = p->freed_input + p->freed_weight;
  int limited = p->schedule == S(ZB_H1) || p->schedule == S(ZB_H2) || p->schedule == S(ZBV);
  if (limited && p->limit != DTC_NONE && (p->schedule == S(ZBV) || times_count(p)))
    assert_true(most_held(p, ops, p->freed_input, p->freed_weight) <= p->limit * whole);
}

/* An order with every op once, which runs to its end within its memory; or none because of memory, of zbv alone and only
 * with less than 2 * pp. */
static void random_orders_run_to_their_end(void **state)
{
  (void)state;
  uint64_t seed = 7;
  int refused = 0;
  for (int round = 0; round < check_rounds(2500); round++) {
    int large = round % 100 == 0;
    dtc_pipe p = random_job(&seed, 1 + check_random(&seed, large ? 64 : 13), 1 + check_random(&seed, large ? 512 : 40));
    dtc_pipe_op *ops = NULL;
    dtc_error e;
    dtc_status status = make(&p, &ops, round, &e);
    if (status == DTC_E_CONFLICT) {
      assert_true(p.schedule == S(ZBV) && p.limit < 2 * p.pp);
      refused++;
    } else {
      check_ok(status, &e);
      run_all(&p, ops);
      check_limit(&p, ops);
    }
    free(ops);
  }
  assert_true(refused > check_rounds(10));
}

static void the_largest_of_every_kind(void **state)
{
  (void)state;
  for (int i = 0; i < MAKERS; i++) {
    dtc_pipe p = job(makers[i].schedule, 64, 512);
    p.forward = 29718;
    p.input = 29444;
    p.weight = 19927;
    p.hop = 577;
    p.group = 24;
    dtc_pipe_op *ops = made(&p);
    run_all(&p, ops);
    check_limit(&p, ops);
    free(ops);
  }
}

static void orders_do_not_depend_on_scratch(void **state)
{
  (void)state;
  uint64_t seed = 11;
  for (int round = 0; round < 200; round++) {
    dtc_pipe p = random_job(&seed, 1 + check_random(&seed, 9), 1 + check_random(&seed, 20));
    dtc_pipe_op *one = NULL, *other = NULL;
    dtc_error e;
    dtc_status status = make(&p, &one, 0, &e);
    assert_int_equal(make(&p, &other, 0xff, &e), status);
    if (status == DTC_OK)
      assert_memory_equal(one, other, rows_of(&p) * p.pp * sizeof *one);
    free(one);
    free(other);
  }
}

/* Times are a matter of their ratio, and of the V schedules without split times of none at all. */
static void only_the_ratio_of_times_counts(void **state)
{
  (void)state;
  for (int i = 0; i < MAKERS; i++) {
    dtc_pipe p = job(makers[i].schedule, 6, 20), q = p;
    int planned = p.schedule == S(ZB_H1) || p.schedule == S(ZB_H2) || p.schedule == S(ZBV);
    q.forward = 2048 * p.forward;
    q.input = 2048 * p.input;
    q.weight = planned ? 2048 * p.weight : 1;
    dtc_pipe_op *one = made(&p), *other = made(&q);
    assert_memory_equal(one, other, rows_of(&p) * p.pp * sizeof *one);
    free(one);
    free(other);
  }
}

static void groups_beyond_pp_are_pp(void **state)
{
  (void)state;
  for (uint64_t pp = 1; pp < 7; pp++) {
    dtc_pipe p = job(S(GROUP_INTERLEAVED), pp, 11), q = p;
    p.group = pp;
    q.group = (uint64_t)1 << 20;
    dtc_pipe_op *one = made(&p), *other = made(&q);
    assert_memory_equal(one, other, rows_of(&p) * p.pp * sizeof *one);
    free(one);
    free(other);
  }
}

/* ---- refusals --------------------------------------------------------------------------------------------------- */

static void check_refused(const dtc_pipe *p, dtc_status status, dtc_rule rule, uint32_t field, uint64_t got)
{
  dtc_error e;
  dtc_pipe_op *ops = NULL;
  assert_int_equal(make(p, &ops, 0, &e), status);
  assert_int_equal(e.rule, rule);
  assert_int_equal(e.field, field);
  assert_int_equal(e.got, got);
  free(ops);
}

static void too_little_memory(void **state)
{
  (void)state;
  dtc_pipe p = job(S(ZBV), 4, 8);
  char line[256];
  dtc_error e;
  dtc_pipe_op *ops = NULL;
  for (p.limit = 1; p.limit < 8; p.limit++)
    check_refused(&p, DTC_E_CONFLICT, DTC_RULE_PIPE_MEMORY, DTC_FIELD(pipe, limit), p.limit);
  p.limit = 3;
  assert_int_equal(make(&p, &ops, 0, &e), DTC_E_CONFLICT);
  dtc_error_format(&e, DTC_LANG_EN, line, sizeof line);
  assert_non_null(strstr(line, "limit = 3: zbv finds no order"));
  free(ops);
  p.limit = 8;
  free(made(&p));
  dtc_pipe q = job(S(ZB_H1), 4, 8); /* no resolved job has this limit */
  q.limit = 0;
  check_refused(&q, DTC_E_CONFLICT, DTC_RULE_PIPE_MEMORY, DTC_FIELD(pipe, limit), 0);
}

/* Refused before anything is read or written: no scratch, no rows. */
static void too_much_work(void **state)
{
  (void)state;
  for (int i = 0; i < MAKERS; i++) {
    dtc_pipe p = job(makers[i].schedule, 4096, (uint64_t)1 << 20);
    dtc_error e;
    int bad = 0;
    DTC_INIT(&e);
    if (p.schedule != S(GROUP_INTERLEAVED))
      assert_int_equal(makers[i].scratch(&p, &bad), 0);
    p.vpp = p.schedule == S(GROUP_INTERLEAVED) ? 1024 : p.vpp;
    assert_int_equal(makers[i].order(&p, NULL, NULL, &e), DTC_E_RANGE);
    assert_int_equal(e.rule, DTC_RULE_PIPE_WORK);
    assert_true(e.field == DTC_FIELD(pipe, micro_batches) && e.got == p.micro_batches && e.max == (uint64_t)1 << 32);
    assert_false(bad);
  }
}

/* Work that only the moves of ops sum up to. */
static void too_many_moves(void **state)
{
  (void)state;
  dtc_pipe p = job(S(1F1B_V), 1024, 2048);
  check_refused(&p, DTC_E_RANGE, DTC_RULE_PIPE_WORK, DTC_FIELD(pipe, micro_batches), 2048);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(two_ranks_zero_bubble),
      cmocka_unit_test(two_ranks_in_a_v),
      cmocka_unit_test(groups_of_two),
      cmocka_unit_test(one_rank_one_micro_batch),
      cmocka_unit_test(bubbles_are_the_known_ones),
      cmocka_unit_test(v_schedules_hold_the_known_number),
      cmocka_unit_test(random_orders_run_to_their_end),
      cmocka_unit_test(the_largest_of_every_kind),
      cmocka_unit_test(orders_do_not_depend_on_scratch),
      cmocka_unit_test(only_the_ratio_of_times_counts),
      cmocka_unit_test(groups_beyond_pp_are_pp),
      cmocka_unit_test(too_little_memory),
      cmocka_unit_test(too_much_work),
      cmocka_unit_test(too_many_moves),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

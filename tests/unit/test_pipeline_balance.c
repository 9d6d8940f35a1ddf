/* The best split: against every split of few items, with ties, zeros and limits; what it holds against limits, refusals. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>

enum { ITEMS = 16, PARTS = 4096 };

static dtc_pipe_part parts[PARTS];
static dtc_pipe_gain gain;
static size_t count;
static dtc_error err;

static dtc_pipe job(dtc_schedule schedule, uint64_t pp, uint64_t micro_batches)
{
  dtc_pipe p;
  DTC_INIT(&p);
  p.schedule = schedule;
  p.pp = pp;
  p.micro_batches = micro_batches;
  return p;
}

static dtc_status ask(const dtc_pipe *p, const dtc_pipe_item *items, size_t n, uint64_t limit)
{
  uint64_t needed = 0;
  DTC_INIT(&err);
  dtc_status status = dtc_pipe_balance_scratch(p, n, &needed, &err);
  if (status != DTC_OK)
    return status;
  uint64_t *scratch = malloc(needed * sizeof *scratch);
  assert_non_null(scratch);
  status = dtc_pipe_balance(p, items, n, limit, parts, PARTS, &count, &gain, scratch, needed, &err);
  free(scratch);
  return status;
}

static void refused(dtc_status got, dtc_status status, dtc_rule rule, const char *line)
{
  char text[256];
  assert_int_equal(got, status);
  assert_int_equal(err.rule, rule);
  dtc_error_format(&err, DTC_LANG_EN, text, sizeof text);
  assert_string_equal(text, line);
}

static void are(const char *expected)
{
  char got[8 * ITEMS] = "";
  size_t at = 0;
  for (size_t i = 0; i < count; i++)
    at += (size_t)snprintf(got + at, sizeof got - at, "%s%u", i > 0 ? " " : "", (unsigned)parts[i].layers);
  assert_string_equal(got, expected);
}

/* ---- every split ----------------------------------------------------------------------------- */

/* The best of all splits of n items into `stages`, and the least limit that any has. */
typedef struct best {
  double cost;
  double squares;
  uint64_t limit;
  int found;
} best;

static double cost_of(const dtc_pipe_item *items, uint64_t begin, uint64_t end)
{
  double sum = 0;
  for (uint64_t i = begin; i < end; i++)
    sum += items[i].cost;
  return sum;
}

static uint64_t bytes_of(const dtc_pipe_item *items, uint64_t begin, uint64_t end, uint64_t held)
{
  uint64_t sum = 0;
  for (uint64_t i = begin; i < end; i++)
    sum += items[i].bytes + held * items[i].saved;
  return sum;
}

static void try_split(const dtc_pipe_item *items, const uint64_t *ends, size_t stages, const uint64_t *held,
                      uint64_t limit, best *b)
{
  double dearest = 0, squares = 0;
  uint64_t begin = 0, bytes = 0;
  for (size_t s = 0; s < stages; s++) {
    double cost = cost_of(items, begin, ends[s]);
    uint64_t there = bytes_of(items, begin, ends[s], held[s]);
    dearest = cost > dearest ? cost : dearest;
    squares += cost * cost;
    bytes = there > bytes ? there : bytes;
    begin = ends[s];
  }
  b->limit = bytes < b->limit ? bytes : b->limit;
  if (limit > 0 && bytes > limit)
    return;
  if (!b->found || dearest < b->cost || (dearest <= b->cost && squares < b->squares)) {
    b->cost = dearest;
    b->squares = squares;
  }
  b->found = 1;
}

static best best_of_all(const dtc_pipe_item *items, uint64_t n, size_t stages, const uint64_t *held, uint64_t limit)
{
  uint64_t ends[ITEMS];
  best b = {.limit = UINT64_MAX};
  for (size_t s = 0; s < stages; s++)
    ends[s] = s + 1;
  ends[stages - 1] = n;
  for (;;) {
    size_t s = stages - 1;
    try_split(items, ends, stages, held, limit, &b);
    while (s-- > 0 && ends[s] == n - (stages - 1 - s))
      ;
    if (s == SIZE_MAX)
      return b;
    ends[s]++;
    for (size_t k = s + 1; k + 1 < stages; k++)
      ends[k] = ends[k - 1] + 1;
  }
}

static void random_items(uint64_t *seed, dtc_pipe_item *items, uint64_t n)
{
  static const uint64_t tops[] = {1, 2, 4, 100, 1000000};
  uint64_t cost = tops[check_random(seed, 5)], bytes = tops[check_random(seed, 4)];
  for (uint64_t i = 0; i < n; i++)
    items[i] = (dtc_pipe_item){.cost = (double)check_random(seed, cost + 1),
                               .bytes = check_random(seed, bytes + 1),
                               .saved = check_random(seed, 4)};
}

/* What a split is, and that its gain says so. Costs are whole numbers: their sums are exact. */
static void check_split(const dtc_pipe_item *items, uint64_t n, const uint64_t *held, const best *b)
{
  double squares = 0, dearest = 0;
  uint64_t next = 0, bytes = 0;
  for (size_t s = 0; s < count; s++) {
    uint64_t end = next + parts[s].layers;
    double cost = cost_of(items, next, end);
    uint64_t there = bytes_of(items, next, end, held[s]);
    assert_true(parts[s].first == next && parts[s].layers > 0 && parts[s].mtp_layers == 0);
    assert_true(parts[s].rank == s && parts[s].chunk == 0);
    assert_true(parts[s].embedding == (s == 0) && parts[s].head == (s == count - 1));
    squares += cost * cost;
    dearest = cost > dearest ? cost : dearest;
    bytes = there > bytes ? there : bytes;
    next = end;
  }
  assert_int_equal(next, n);
  assert_true(dearest == b->cost && gain.cost == b->cost && squares == b->squares && gain.bytes == bytes);
  check_near(gain.mean * (double)count, cost_of(items, 0, n));
}

/* A job with one stage on each rank, and what its ranks hold. */
static dtc_pipe random_job(uint64_t *seed, uint64_t pp, uint64_t *held)
{
  static const dtc_schedule schedules[] = {DTC_SCHEDULE_GPIPE, DTC_SCHEDULE_1F1B, DTC_SCHEDULE_INTERLEAVED_ZB};
  dtc_schedule schedule = schedules[check_random(seed, 3)];
  uint64_t m = 1 + check_random(seed, 6);
  if (schedule == DTC_SCHEDULE_INTERLEAVED_ZB && m > pp)
    m = pp; /* one round */
  dtc_pipe p = job(schedule, pp, m);
  p.vpp = 1;
  for (uint64_t r = 0; r < pp; r++)
    held[r] = schedule == DTC_SCHEDULE_1F1B && m > pp - r ? pp - r : m;
  return p;
}

static void splits_are_the_best_of_all(void **state)
{
  (void)state;
  uint64_t seed = 17;
  uint64_t beyond = 0, within = 0;
  for (int round = 0; round < 20000; round++) {
    dtc_pipe_item items[ITEMS];
    uint64_t held[4], pp = 1 + check_random(&seed, 4), n = pp + check_random(&seed, 13 - pp);
    uint64_t limit = check_random(&seed, 3) > 0 ? 1 + check_random(&seed, 60) : 0;
    dtc_pipe p = random_job(&seed, pp, held);
    random_items(&seed, items, n);
    best b = best_of_all(items, n, pp, held, limit);
    dtc_status got = ask(&p, items, n, limit);
    if (b.found) {
      check_ok(got, &err);
      check_split(items, n, held, &b);
      assert_true(limit > 0 || gain.uniform >= gain.cost);
      within += limit > 0;
    } else {
      assert_int_equal(got, DTC_E_CONFLICT);
      assert_true(err.rule == DTC_RULE_BALANCE_LIMIT && err.got == limit && err.min == b.limit);
      check_ok(ask(&p, items, n, b.limit), &err);
      beyond++;
    }
  }
  assert_true(beyond > 1000 && within > 1000);
}

/* ---- properties ------------------------------------------------------------------------------ */

static void a_larger_limit_costs_no_more(void **state)
{
  (void)state;
  uint64_t seed = 5;
  for (int round = 0; round < 300; round++) {
    dtc_pipe_item items[ITEMS];
    dtc_pipe p = job(DTC_SCHEDULE_1F1B, 4, 8);
    double before = 1e300;
    random_items(&seed, items, 12);
    items[0].saved = 1;
    assert_int_equal(ask(&p, items, 12, 1), DTC_E_CONFLICT);
    for (uint64_t limit = err.min; limit < err.min + 40; limit++) {
      check_ok(ask(&p, items, 12, limit), &err);
      assert_true(gain.cost <= before && gain.bytes <= limit);
      before = gain.cost;
    }
    check_ok(ask(&p, items, 12, 0), &err);
    assert_true(gain.cost <= before);
  }
}

static void costs_may_be_fractions(void **state)
{
  (void)state;
  dtc_pipe p = job(DTC_SCHEDULE_1F1B, 4, 8);
  dtc_pipe_item items[34] = {{.cost = 0.25}};
  for (size_t i = 1; i < 33; i++)
    items[i].cost = 1.5;
  items[33].cost = 5.75; /* the head */
  check_ok(ask(&p, items, 34, 0), &err);
  are("10 9 9 6"); /* 13.75 13.5 13.5 13.25 */
  assert_true(gain.cost == 13.75 && gain.uniform == 16.25 && gain.mean == 13.5);
  assert_true(gain.bytes == 0);
}

static void what_is_left_over_goes_to_the_late_stages(void **state)
{
  (void)state;
  dtc_pipe p = job(DTC_SCHEDULE_1F1B, 4, 8);
  dtc_pipe_item items[ITEMS];
  for (size_t i = 0; i < 10; i++)
    items[i] = (dtc_pipe_item){.cost = 1, .bytes = 10, .saved = 1};
  check_ok(ask(&p, items, 10, 0), &err);
  are("2 2 3 3");
  assert_true(gain.cost == 3 && gain.uniform == 3 && gain.bytes == 36);
  for (size_t i = 0; i < 9; i++)
    items[i] = (dtc_pipe_item){.cost = 1, .saved = 10};
  check_ok(ask(&p, items, 9, 0), &err);
  are("2 2 2 3");
  check_ok(ask(&p, items, 9, 60), &err); /* an item takes 40, 30, 20 and 10 on the ranks */
  are("1 2 3 3");
  assert_true(gain.bytes == 60 && gain.uniform == 3);
  p = job(DTC_SCHEDULE_1F1B, 10, 8);
  check_ok(ask(&p, items, 10, 0), &err);
  are("1 1 1 1 1 1 1 1 1 1");
  for (size_t i = 0; i < 10; i++)
    items[i].cost = 0;
  p.pp = 1;
  check_ok(ask(&p, items, 10, 0), &err);
  are("10");
}

/* With a limit the search rests on this: what a stage takes, every later one takes too. */
static void ranks_hold_no_more_than_those_before(void **state)
{
  (void)state;
  for (dtc_schedule schedule = DTC_SCHEDULE_GPIPE; schedule <= DTC_SCHEDULE_ZB_H2; schedule++)
    for (dtc_framework framework = DTC_FRAMEWORK_DEFAULT; framework <= DTC_FRAMEWORK_TORCHTITAN; framework++)
      for (uint64_t m = 1; m < 40; m++) {
        dtc_pipe p = job(schedule, 6, m);
        dtc_pipe_held held = {0, 0}, before = {UINT64_MAX, UINT64_MAX};
        p.framework = framework;
        p.vpp = 1;
        for (uint64_t rank = 0; dtc_pipe_inflight(&p, rank, &held, NULL) == DTC_OK; rank++) {
          assert_true(held.weight <= before.weight);
          before = held;
        }
      }
}

/* ---- places ---------------------------------------------------------------------------------- */

static void stages_lie_where_the_schedule_says(void **state)
{
  (void)state;
  dtc_pipe_item items[ITEMS];
  for (size_t i = 0; i < ITEMS; i++)
    items[i] = (dtc_pipe_item){.cost = 1, .bytes = 1, .saved = 1};
  dtc_pipe p = job(DTC_SCHEDULE_INTERLEAVED, 4, 8);
  check_ok(ask(&p, items, 16, 0), &err);
  assert_true(count == 8 && parts[5].rank == 1 && parts[5].chunk == 1 && parts[7].head);
  assert_true(gain.bytes == DTC_NONE); /* two stages on a rank */
  p = job(DTC_SCHEDULE_ZBV, 4, 8);
  check_ok(ask(&p, items, 16, 0), &err);
  assert_true(count == 8 && parts[4].rank == 3 && parts[7].rank == 0 && parts[7].chunk == 1);
  p = job(DTC_SCHEDULE_DUALPIPE, 4, 8);
  check_ok(ask(&p, items, 16, 0), &err);
  assert_true(count == 4 && parts[3].rank == 3 && parts[3].chunk == 0 && gain.bytes == DTC_NONE);
  p = job(DTC_SCHEDULE_ZB_H1, 4, 8);
  check_ok(ask(&p, items, 16, 0), &err);
  assert_true(count == 4 && gain.bytes == DTC_NONE); /* no closed form */
}

/* ---- refusals -------------------------------------------------------------------------------- */

static void limits_need_one_stage_and_a_closed_form(void **state)
{
  (void)state;
  dtc_pipe_item items[ITEMS] = {{.cost = 1}};
  dtc_pipe p = job(DTC_SCHEDULE_INTERLEAVED, 4, 8);
  refused(ask(&p, items, 16, 100), DTC_E_UNSUPPORTED, DTC_RULE_FIELD_NEEDS, "vpp = 2: must be 1 with limit = 100");
  p = job(DTC_SCHEDULE_ZB_H1, 4, 8);
  assert_int_equal(ask(&p, items, 16, 100), DTC_E_UNSUPPORTED);
  assert_int_equal(err.rule, DTC_RULE_PIPE_CLOSED);
  p = job(DTC_SCHEDULE_DUALPIPE, 4, 8);
  assert_int_equal(ask(&p, items, 16, 100), DTC_E_UNSUPPORTED);
}

static void items_are_checked(void **state)
{
  (void)state;
  dtc_pipe_item items[ITEMS] = {{.cost = 1}};
  dtc_pipe p = job(DTC_SCHEDULE_1F1B, 4, 8);
  refused(ask(&p, items, 3, 0), DTC_E_RANGE, DTC_RULE_BALANCE_ITEMS, "items: 3 for 4 stages: each needs at least one");
  refused(ask(&p, items, 0, 0), DTC_E_RANGE, DTC_RULE_RANGE, "items = 0: must be 1 to 65536");
  assert_int_equal(ask(&p, items, 65537, 0), DTC_E_RANGE);
  items[2].cost = -1;
  refused(ask(&p, items, 4, 0), DTC_E_RANGE, DTC_RULE_ELEMENT, "cost[2] = -1: must be 0 to 1e+15");
  items[2].cost = 1.1e15;
  assert_int_equal(ask(&p, items, 4, 0), DTC_E_RANGE);
  uint64_t nan = UINT64_C(0x7ff8000000000000);
  memcpy(&items[2].cost, &nan, sizeof nan);
  assert_int_equal(ask(&p, items, 4, 0), DTC_E_RANGE);
  items[2] = (dtc_pipe_item){.bytes = (UINT64_C(1) << 50) + 1};
  assert_int_equal(ask(&p, items, 4, 0), DTC_E_RANGE);
  assert_true(err.field == DTC_FIELD(pipe_item, bytes) && err.other_got == 2);
  items[2] = (dtc_pipe_item){.saved = UINT64_MAX};
  assert_int_equal(ask(&p, items, 4, 0), DTC_E_RANGE);
  assert_true(err.field == DTC_FIELD(pipe_item, saved));
  assert_int_equal(dtc_pipe_balance(&p, NULL, 4, 0, parts, PARTS, &count, &gain, NULL, 0, &err), DTC_E_RANGE);
  p.pp = 0;
  assert_int_equal(ask(&p, items, 4, 0), DTC_E_RANGE);
  assert_int_equal(err.field, DTC_FIELD(pipe, pp));
}

static void bytes_must_fit(void **state)
{
  (void)state;
  dtc_pipe_item items[ITEMS] = {{.cost = 1}};
  dtc_pipe p = job(DTC_SCHEDULE_GPIPE, 1, 1 << 20);
  items[0].saved = UINT64_C(1) << 50;
  assert_int_equal(ask(&p, items, 1, 0), DTC_E_OVERFLOW);
  items[0].saved = UINT64_C(1) << 43;
  check_ok(ask(&p, items, 1, 0), &err);
  assert_true(gain.bytes == UINT64_C(1) << 63);
  check_ok(ask(&p, items, 1, UINT64_C(1) << 63), &err);
  assert_int_equal(ask(&p, items, 1, (UINT64_C(1) << 63) - 1), DTC_E_CONFLICT);
  assert_true(err.min == UINT64_C(1) << 63);
}

static void work_is_bounded(void **state)
{
  (void)state;
  enum { MANY = 65536 };
  dtc_pipe_item *items = calloc(MANY, sizeof *items); /* of no cost: every split is the best */
  dtc_pipe p = job(DTC_SCHEDULE_1F1B, 8, 8);
  uint64_t seed = 1;
  assert_non_null(items);
  assert_int_equal(ask(&p, items, MANY, 0), DTC_E_RANGE);
  assert_true(err.rule == DTC_RULE_PIPE_WORK && err.got == MANY && err.max == UINT64_C(1) << 32);
  for (size_t i = 0; i < MANY; i++)
    items[i].cost = 1 + (double)check_random(&seed, 3);
  p.pp = 64;
  check_ok(ask(&p, items, MANY, 0), &err);
  assert_true(gain.cost < gain.mean + 2);
  free(items);
}

static void outputs_stay_until_all_is_right(void **state)
{
  (void)state;
  dtc_pipe_item items[ITEMS] = {{.cost = 1}};
  dtc_pipe p = job(DTC_SCHEDULE_1F1B, 2, 8);
  uint64_t needed = 77, scratch[128];
  assert_int_equal(dtc_pipe_balance_scratch(&p, 1, &needed, NULL), DTC_E_RANGE);
  assert_int_equal(needed, 77);
  check_ok(dtc_pipe_balance_scratch(&p, 4, &needed, NULL), NULL);
  assert_true(needed <= 128);
  DTC_INIT(&err);
  count = 99;
  gain.cost = 7;
  assert_int_equal(dtc_pipe_balance(&p, items, 4, 0, parts, 2, &count, &gain, scratch, needed - 1, &err), DTC_E_SPACE);
  assert_true(count == 99 && err.rule == DTC_RULE_SCRATCH && err.min == needed);
  assert_int_equal(dtc_pipe_balance(&p, items, 4, 0, parts, 2, &count, &gain, NULL, needed, &err), DTC_E_SPACE);
  assert_int_equal(dtc_pipe_balance(&p, items, 4, 0, parts, 1, &count, &gain, scratch, needed, &err), DTC_E_SPACE);
  assert_true(count == 2 && err.rule == DTC_RULE_SPACE && err.got == 1 && err.min == 2);
  items[0].saved = 100;
  count = 99;
  assert_int_equal(dtc_pipe_balance(&p, items, 4, 1, parts, 2, &count, &gain, scratch, needed, NULL), DTC_E_CONFLICT);
  assert_true(count == 99 && gain.cost == 7);
  assert_int_equal(dtc_pipe_balance(&p, items, 4, 0, parts, 2, &count, &gain, scratch, needed, NULL), DTC_OK);
  assert_true(count == 2 && gain.cost == 1);
  err.struct_size = 1;
  assert_int_equal(dtc_pipe_balance(&p, items, 4, 0, parts, 2, &count, &gain, scratch, needed, &err), DTC_E_SIZE);
  assert_int_equal(dtc_pipe_balance_scratch(&p, 4, &needed, &err), DTC_E_SIZE);
  p.struct_size = 2;
  assert_int_equal(dtc_pipe_balance(&p, items, 4, 0, parts, 2, &count, &gain, scratch, needed, NULL), DTC_E_SIZE);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(splits_are_the_best_of_all),
      cmocka_unit_test(a_larger_limit_costs_no_more),
      cmocka_unit_test(costs_may_be_fractions),
      cmocka_unit_test(what_is_left_over_goes_to_the_late_stages),
      cmocka_unit_test(ranks_hold_no_more_than_those_before),
      cmocka_unit_test(stages_lie_where_the_schedule_says),
      cmocka_unit_test(limits_need_one_stage_and_a_closed_form),
      cmocka_unit_test(items_are_checked),
      cmocka_unit_test(bytes_must_fit),
      cmocka_unit_test(work_is_bounded),
      cmocka_unit_test(outputs_stay_until_all_is_right),
  };
  return cmocka_run_group_tests_name("pipeline_balance", tests, NULL, NULL);
}

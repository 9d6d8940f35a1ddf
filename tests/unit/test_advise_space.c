/* Spaces of plans that are too large for advice: they are made smaller, step by step, and the numbers of an answer are those
 * of the space that was searched. */
#include "check.h"

enum { STEPS = 4, PLANS_MOST = 1 << 28 };

typedef struct job {
  dtc_model m;
  dtc_cluster c;
  dtc_plan p;
} job;

static job job_of(dtc_model m, uint64_t nodes)
{
  job j = {.m = m};
  DTC_INIT(&j.c);
  DTC_INIT(&j.p);
  assert_int_equal(dtc_cluster_find("dgx-h100", &j.c, NULL), DTC_OK);
  j.c.nodes = nodes;
  j.p.seq = 1 << 17; /* long enough for context parallel ranks */
  j.p.global_batch = 8 * nodes;
  return j;
}

/* Layers, heads and experts of many divisors. */
static dtc_model divisible(uint64_t layers, uint64_t heads)
{
  dtc_model m = check_shape(DTC_ARCH_MEGATRON, layers, 2 * heads, heads, 50400);
  m.experts = heads;
  m.moe_ffn = 5040;
  return m;
}

/* What is searched of Megatron, `step` times smaller: chunks, then expert tensor parallel ranks, then stages. */
static uint64_t size_of(const job *j, int step, dtc_plan *plan, dtc_space *space)
{
  uint64_t size = 0;
  DTC_INIT(space);
  *plan = j->p;
  plan->framework = DTC_FRAMEWORK_MEGATRON;
  plan->etp = step > 1;
  space->vpp_most = step > 0 ? 4 : 0;
  space->pp_most = step > 2 ? 16 : 64;
  space->micro_batch_most = 8;
  space->keep = 1;
  assert_int_equal(dtc_search_size(&j->m, &j->c, plan, space, &size, NULL), DTC_OK);
  return size;
}

/* The first step after which it is small enough. */
static int step_of(const job *j)
{
  dtc_plan plan;
  dtc_space space;
  int step = 0;
  while (step < STEPS && size_of(j, step, &plan, &space) > PLANS_MOST)
    step++;
  return step;
}

static void check_numbers(const job *j, int step)
{
  dtc_plan plan, expected, got;
  dtc_space space;
  dtc_error e;
  dtc_advice a = {.framework = DTC_FRAMEWORK_MEGATRON};
  DTC_INIT(&e);
  DTC_INIT(&got);
  DTC_INIT(&expected);
  assert_int_equal(step_of(j), step);
  a.index = size_of(j, step, &plan, &space);
  assert_int_equal(dtc_framework_advise_plan(&j->m, &j->c, &j->p, &a, &got, &e), DTC_E_RANGE);
  a.index--;
  check_ok(dtc_search_plan(&j->m, &j->c, &plan, &space, a.index, &expected, &e), &e);
  check_ok(dtc_framework_advise_plan(&j->m, &j->c, &j->p, &a, &got, &e), &e);
  assert_memory_equal(&got, &expected, sizeof got);
}

static void large_spaces_are_made_smaller(void **state)
{
  (void)state;
  job j = job_of(check_named("llama-3-70b"), 8);
  check_numbers(&j, 0);
  j = job_of(divisible(720720, 65520), 1 << 20);
  check_numbers(&j, 1);
  j = job_of(check_named("qwen3-235b-a22b"), 5040);
  check_numbers(&j, 2);
  j = job_of(divisible(5040, 2520), 5040);
  check_numbers(&j, 3);
}

/* A space that stays too large is not searched: no number of an answer has a plan. */
static void the_largest_has_no_plan(void **state)
{
  (void)state;
  job j = job_of(divisible(720720, 65520), 720720);
  dtc_plan got;
  dtc_error e;
  dtc_advice a = {.framework = DTC_FRAMEWORK_MEGATRON};
  DTC_INIT(&e);
  DTC_INIT(&got);
  assert_int_equal(step_of(&j), STEPS);
  assert_int_equal(dtc_framework_advise_plan(&j.m, &j.c, &j.p, &a, &got, &e), DTC_E_UNSUPPORTED);
  assert_int_equal(e.rule, DTC_RULE_ADVISE_KNOWN);
  assert_int_equal(e.field, DTC_FIELD(advice, framework));
  assert_int_equal(got.tp, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(large_spaces_are_made_smaller),
      cmocka_unit_test(the_largest_has_no_plan),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

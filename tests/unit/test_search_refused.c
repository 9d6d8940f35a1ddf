/* What searches refuse, and that they write nothing then; scratch, constants of time. */
#include "search_check.h"

static search_result result;

/* ---- refusals -------------------------------------------------------------------------------- */

typedef struct refusal {
  dtc_status status;
  dtc_rule rule; /* 0: whichever */
  uint32_t field;
  uint64_t got;
} refusal;

static void check_refusal(dtc_status status, const dtc_error *e, refusal r)
{
  assert_int_equal(status, r.status);
  assert_int_equal(e->field, r.field);
  assert_true(e->got == r.got && (r.rule == 0 || e->rule == r.rule));
}

/* All functions refuse the space, and write nothing. */
static void refused(const search_space *s, refusal r)
{
  static const unsigned char none[sizeof(dtc_plan)];
  dtc_error e;
  uint64_t size = 99;
  uint64_t value = 99;
  size_t count = 99;
  dtc_plan p = check_plan();
  dtc_found found = {99, 0, 0, 0, 0};
  dtc_search out;
  DTC_INIT(&e);
  DTC_INIT(&out);
  check_refusal(dtc_search_size(&s->m, &s->c, &s->p, &s->s, &size, &e), &e, r);
  check_refusal(dtc_search_axis(&s->m, &s->c, &s->p, &s->s, DTC_SPACE_AXIS_EP, &value, 1, &count, &e), &e, r);
  check_refusal(dtc_search_plan(&s->m, &s->c, &s->p, &s->s, 0, &p, &e), &e, r);
  check_refusal(dtc_search_run(&s->m, &s->c, &s->p, &s->s, NULL, 0, 1, &found, 1, &count, &out, search_scratch,
                               SEARCH_SCRATCH, &e),
                &e, r);
  assert_true(size == 99 && value == 99 && count == 99 && found.index == 99 && out.tried == 0);
  assert_memory_equal((unsigned char *)&p + sizeof(uint32_t), none, sizeof p - sizeof(uint32_t));
}

static void spaces_are_refused(void **state)
{
  (void)state;
  const search_space good = search_of("llama-3-8b", 2, 64);
  search_space s = good;
  s.p.global_batch = 0;
  refused(&s, (refusal){DTC_E_CONFLICT, DTC_RULE_SEARCH_BATCH, DTC_FIELD(plan, global_batch), 0});
  s = good;
  s.c.nodes = 0;
  refused(&s, (refusal){DTC_E_CONFLICT, DTC_RULE_SEARCH_GPUS, DTC_FIELD(cluster, nodes), 0});
  s = good;
  s.s.gpus_least = 17;
  refused(&s, (refusal){DTC_E_RANGE, 0, DTC_FIELD(space, gpus_least), 17});
  s = good;
  s.s.shardings = 256;
  refused(&s, (refusal){DTC_E_RANGE, 0, DTC_FIELD(space, shardings), 256});
  s = good;
  s.s.objective = 4;
  refused(&s, (refusal){DTC_E_RANGE, 0, DTC_FIELD(space, objective), 4});
  s = good;
  s.s.keep = (1 << 20) + 1;
  refused(&s, (refusal){DTC_E_RANGE, 0, DTC_FIELD(space, keep), (1 << 20) + 1});
  s = good;
  s.p.global_batch = 963761198400; /* 6720 divisors */
  s.s.micro_batch_most = (uint64_t)1 << 32;
  refused(&s, (refusal){DTC_E_RANGE, DTC_RULE_SEARCH_SPACE, DTC_ARG_AXIS, DTC_SPACE_AXIS_MICRO_BATCH});
}

static void a_space_may_be_too_large(void **state)
{
  (void)state;
  search_space s = search_of("mixtral-8x7b", 10395, 83160); /* 83160: 128 divisors, 5040: 60 */
  uint64_t size = 99;
  dtc_error e;
  DTC_INIT(&e);
  s.m.layers = s.m.experts = 5040;
  s.s.tp_most = s.s.cp_most = s.s.pp_most = 1 << 20;
  s.s.micro_batch_most = 1 << 20;
  s.s.recompute_layers = DTC_BOOL_ON;
  s.s.schedules = 65535;
  uint64_t without = search_size(&s); /* 2^60.1 */
  assert_true(without / 128 / 128 / 128 / 128 / 128 == (uint64_t)60 * 62 * 4 * 2 * 3 * 14 * 2 * 15);
  s.s.dp_split = DTC_BOOL_ON;
  s.s.shardings = 255;
  assert_int_equal(dtc_search_size(&s.m, &s.c, &s.p, &s.s, &size, &e), DTC_E_OVERFLOW);
  assert_true(size == 99 && e.field == DTC_ARG_AXIS);
}

static void structs_of_other_sizes(void **state)
{
  (void)state;
  struct {
    dtc_space space;
    uint64_t more;
  } newer;
  search_space s = search_of("llama-3-8b", 2, 64);
  uint64_t size = 99;
  memset(&newer, 0, sizeof newer);
  newer.space.struct_size = sizeof newer;
  assert_int_equal(dtc_search_size(&s.m, &s.c, &s.p, &newer.space, &size, NULL), DTC_OK);
  assert_int_equal(size, 604800);
  size = 99;
  newer.more = 1;
  assert_int_equal(dtc_search_size(&s.m, &s.c, &s.p, &newer.space, &size, NULL), DTC_E_NEWER);
  newer.space.struct_size = 0;
  assert_int_equal(dtc_search_size(&s.m, &s.c, &s.p, &newer.space, &size, NULL), DTC_E_SIZE);
  assert_int_equal(size, 99);
  assert_int_equal(dtc_search_size(&s.m, &s.c, &s.p, NULL, &size, NULL), DTC_OK); /* all is default */
  assert_int_equal(size, 604800);
}

static void axes_and_indexes_are_in_range(void **state)
{
  (void)state;
  search_space s = search_of("llama-3-8b", 2, 64);
  uint64_t few[4] = {99, 99, 99, 99};
  size_t count = 99;
  dtc_plan p = check_plan();
  dtc_error e;
  DTC_INIT(&e);
  check_refusal(dtc_search_axis(&s.m, &s.c, &s.p, &s.s, DTC_SPACE_AXES, few, 4, &count, &e), &e,
                (refusal){DTC_E_RANGE, 0, DTC_ARG_AXIS, DTC_SPACE_AXES});
  assert_true(count == 99 && few[0] == 99);
  for (size_t cap = 0; cap < 4; cap++) {
    count = 99;
    assert_int_equal(dtc_search_axis(&s.m, &s.c, &s.p, &s.s, DTC_SPACE_AXIS_CP, cap ? few : NULL, cap, &count, &e),
                     DTC_E_SPACE);
    assert_true(count == 5 && e.got == cap && e.min == 5);
  }
  check_refusal(dtc_search_plan(&s.m, &s.c, &s.p, &s.s, 604800, &p, &e), &e,
                (refusal){DTC_E_RANGE, 0, DTC_ARG_INDEX, 604800});
  assert_true(e.max == 604799 && p.tp == 0);
}

/* ---- runs ------------------------------------------------------------------------------------ */

typedef struct run_call {
  uint64_t first;
  uint64_t number;
  size_t cap;
  size_t n_scratch;
} run_call;

/* The call is refused; best and out stay as they were. */
static size_t run_refused(const search_space *s, run_call call, refusal r, dtc_error *e)
{
  dtc_found best[16], before[16];
  dtc_search out, same;
  size_t count = 99;
  memset(best, 0x5a, sizeof best);
  memset(before, 0x5a, sizeof before);
  memset(&out, 0x5a, sizeof out);
  out.struct_size = sizeof out;
  same = out;
  DTC_INIT(e);
  check_refusal(dtc_search_run(&s->m, &s->c, &s->p, &s->s, NULL, call.first, call.number, best, call.cap, &count, &out,
                               search_scratch, call.n_scratch, e),
                e, r);
  assert_memory_equal(best, before, sizeof best);
  assert_memory_equal(&out, &same, sizeof out);
  return count;
}

static void runs_are_refused(void **state)
{
  (void)state;
  search_space s = search_of("llama-3-8b", 2, 64);
  uint64_t needed = 0;
  dtc_error e;
  assert_int_equal(dtc_search_scratch(&needed, NULL), DTC_OK);
  assert_in_range(needed, 100, SEARCH_SCRATCH);
  size_t enough = (size_t)needed;
  size_t count =
      run_refused(&s, (run_call){604801, 0, 16, enough}, (refusal){DTC_E_RANGE, 0, DTC_ARG_FIRST, 604801}, &e);
  assert_true(count == 99 && e.max == 604800);
  count = run_refused(&s, (run_call){604700, 101, 16, enough}, (refusal){DTC_E_RANGE, 0, DTC_ARG_NUMBER, 101}, &e);
  assert_true(count == 99 && e.max == 100);
  count =
      run_refused(&s, (run_call){0, UINT64_MAX, 16, enough}, (refusal){DTC_E_RANGE, 0, DTC_ARG_NUMBER, UINT64_MAX}, &e);
  assert_true(count == 99 && e.max == 604800);
  count = run_refused(&s, (run_call){0, 100, 16, enough - 1},
                      (refusal){DTC_E_SPACE, DTC_RULE_SCRATCH, DTC_ARG_SCRATCH, needed - 1}, &e);
  assert_true(count == 99 && e.min == needed);
  count = run_refused(&s, (run_call){0, 100, 9, enough}, (refusal){DTC_E_SPACE, DTC_RULE_SPACE, DTC_ARG_OUT, 9}, &e);
  assert_true(count == 10 && e.min == 10); /* keep */
  count = run_refused(&s, (run_call){0, 5, 4, enough}, (refusal){DTC_E_SPACE, DTC_RULE_SPACE, DTC_ARG_OUT, 4}, &e);
  assert_true(count == 5 && e.min == 5); /* number is less */
  DTC_INIT(&e);
  assert_int_equal(
      dtc_search_run(&s.m, &s.c, &s.p, &s.s, NULL, 0, 1, result.best, 1, &count, &result.out, NULL, 1 << 20, &e),
      DTC_E_SPACE);
  assert_true(e.rule == DTC_RULE_SCRATCH && e.got == 0 && e.min == needed);
}

static void what_no_plan_can_be_weighed_by(void **state)
{
  (void)state;
  dtc_error e;
  search_space s = search_of("llama-3-8b", 2, 64);
  s.c.hbm_bandwidth = 0;
  dtc_found best[10];
  size_t count = 99;
  DTC_INIT(&e);
  DTC_INIT(&result.out);
  assert_int_equal(dtc_search_run(&s.m, &s.c, &s.p, &s.s, NULL, 0, 100, best, 10, &count, &result.out, search_scratch,
                                  SEARCH_SCRATCH, &e),
                   DTC_E_CONFLICT);
  assert_true(count == 99 && result.out.tried == 0);
  s = search_of("llama-3-8b", 2, 64); /* a model that only Megatron has */
  s.p.framework = DTC_FRAMEWORK_PYTORCH;
  s.m = check_shape(DTC_ARCH_MEGATRON, 24, 1024, 16, 50304);
  s.m.mamba_layers = 10;
  s.m.mlp_layers = 10;
  assert_int_equal(dtc_search_run(&s.m, &s.c, &s.p, &s.s, NULL, 0, 100, best, 10, &count, &result.out, search_scratch,
                                  SEARCH_SCRATCH, &e),
                   DTC_E_UNSUPPORTED);
  assert_true(count == 99 && result.out.tried == 0);
}

static void nothing_is_searched(void **state)
{
  (void)state;
  search_space s = search_of("llama-3-8b", 2, 64);
  const uint64_t firsts[] = {0, 7, 604800};
  for (size_t i = 0; i < 3; i++) {
    search_run(&s, firsts[i], 0, &result);
    assert_true(result.count == 0 && result.out.tried == 0 && result.out.fit == 0 && result.out.least == 0);
  }
}

/* Constants of time reach the times. */
static void params_are_used(void **state)
{
  (void)state;
  search_space s = search_of("llama-3-8b", 2, 64);
  dtc_step_params params;
  dtc_error e;
  dtc_step step;
  DTC_INIT(&params);
  DTC_INIT(&e);
  DTC_INIT(&step);
  params.bf16 = 2e14;
  uint64_t size = search_size(&s);
  search_run(&s, 0, size, &result);
  double usual = result.best[0].seconds;
  check_ok(dtc_search_run(&s.m, &s.c, &s.p, &s.s, &params, 0, size, result.best, SEARCH_BEST, &result.count,
                          &result.out, search_scratch, SEARCH_SCRATCH, &e),
           &e);
  dtc_plan p = search_plan(&s, result.best[0].index);
  check_ok(dtc_step_estimate(&s.m, &s.c, &p, NULL, 0, &params, &step, &e), &e);
  assert_true(result.best[0].seconds == step.seconds && step.seconds > 1.5 * usual);
  params.bf16 = -1;
  assert_int_equal(dtc_search_run(&s.m, &s.c, &s.p, &s.s, &params, 0, size, result.best, SEARCH_BEST, &result.count,
                                  &result.out, search_scratch, SEARCH_SCRATCH, &e),
                   DTC_E_RANGE);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(spaces_are_refused),     cmocka_unit_test(a_space_may_be_too_large),
      cmocka_unit_test(structs_of_other_sizes), cmocka_unit_test(axes_and_indexes_are_in_range),
      cmocka_unit_test(runs_are_refused),       cmocka_unit_test(what_no_plan_can_be_weighed_by),
      cmocka_unit_test(nothing_is_searched),    cmocka_unit_test(params_are_used),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

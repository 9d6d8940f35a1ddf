/* What to search when nothing fits: the steps of each kind, and that the first one that fits is the smallest. */
#include "search_check.h"

static search_result result;

/* The space after a step. */
static dtc_status change(const search_space *s, dtc_search_kind kind, uint64_t step, search_space *next, dtc_error *e)
{
  *next = *s;
  DTC_INIT(&next->c);
  DTC_INIT(&next->p);
  DTC_INIT(&next->s);
  DTC_INIT(e);
  return dtc_search_change(&s->m, &s->c, &s->p, &s->s, kind, step, &next->c, &next->p, &next->s, e);
}

static search_space changed(const search_space *s, dtc_search_kind kind, uint64_t step)
{
  dtc_error e;
  search_space next;
  check_ok(change(s, kind, step, &next, &e), &e);
  return next;
}

/* There is no step behind `steps`. */
static void ends(const search_space *s, dtc_search_kind kind, uint64_t steps)
{
  const search_space before = *s;
  dtc_error e;
  search_space next;
  if (steps != 0)
    (void)changed(s, kind, steps);
  assert_int_equal(change(s, kind, steps + 1, &next, &e), DTC_E_RANGE);
  assert_true(e.field == DTC_ARG_STEP && e.got == steps + 1 && e.max == steps);
  assert_true(next.c.nodes == 0 && next.p.global_batch == 0 && next.s.offloads == 0); /* nothing was written */
  assert_memory_equal(s, &before, sizeof before);
}

/* ---- steps ----------------------------------------------------------------------------------- */

static void nodes_double(void **state)
{
  (void)state;
  search_space s = search_of("llama-3-8b", 2, 64);
  assert_int_equal(changed(&s, DTC_SEARCH_KIND_GPUS, 1).c.nodes, 4);
  assert_int_equal(changed(&s, DTC_SEARCH_KIND_GPUS, 5).c.nodes, 64);
  ends(&s, DTC_SEARCH_KIND_GPUS, 16); /* 2^20 GPUs of 2^4 */
  s.c.nodes = 3;
  assert_int_equal(changed(&s, DTC_SEARCH_KIND_GPUS, 15).c.nodes, 3 << 15);
  ends(&s, DTC_SEARCH_KIND_GPUS, 15); /* 24 * 2^16 are more */
  s.c.nodes = 1 << 17;
  ends(&s, DTC_SEARCH_KIND_GPUS, 0);
}

static void sequences_halve(void **state)
{
  (void)state;
  search_space s = search_of("llama-3-8b", 2, 64);
  s.p.seq = 8192;
  s.p.packed = 4096;
  search_space next = changed(&s, DTC_SEARCH_KIND_SEQ, 2);
  assert_true(next.p.seq == 2048 && next.p.packed == 0 && next.c.nodes == 2 && next.p.global_batch == 64);
  ends(&s, DTC_SEARCH_KIND_SEQ, 6); /* 128 */
  s.p.seq = s.p.packed = 0;
  assert_int_equal(changed(&s, DTC_SEARCH_KIND_SEQ, 1).p.seq, 2048); /* of 4096, the default */
  s.p.seq = 255;
  ends(&s, DTC_SEARCH_KIND_SEQ, 0);
}

static void masks_grow(void **state)
{
  (void)state;
  enum { NONE = 1 << DTC_RECOMPUTE_NONE, FULL = 1 << DTC_RECOMPUTE_FULL };
  search_space s = search_of("llama-3-8b", 2, 64);
  ends(&s, DTC_SEARCH_KIND_RECOMPUTE, 0); /* all have full */
  s.p.recompute = DTC_RECOMPUTE_NONE;
  search_space next = changed(&s, DTC_SEARCH_KIND_RECOMPUTE, 1);
  assert_true(next.p.recompute == DTC_RECOMPUTE_DEFAULT && next.s.recomputes == (NONE | FULL));
  ends(&s, DTC_SEARCH_KIND_RECOMPUTE, 1);
  s.p.recompute = DTC_RECOMPUTE_DEFAULT;
  s.s.recomputes = NONE;
  assert_int_equal(changed(&s, DTC_SEARCH_KIND_RECOMPUTE, 1).s.recomputes, NONE | FULL);
  s.p.sharding = DTC_SHARDING_DDP;
  s.p.framework = DTC_FRAMEWORK_MEGATRON;
  next = changed(&s, DTC_SEARCH_KIND_SHARDING, 1);
  assert_true(next.p.sharding == DTC_SHARDING_DEFAULT && next.s.shardings == 0xfe && next.p.framework == s.p.framework);
  s.p.sharding = DTC_SHARDING_DEFAULT;
  s.s.shardings = 0xfe;
  ends(&s, DTC_SEARCH_KIND_SHARDING, 0);
}

static void offloads_follow_each_other(void **state)
{
  (void)state;
  search_space s = search_of("llama-3-8b", 2, 64);
  assert_int_equal(changed(&s, DTC_SEARCH_KIND_OFFLOAD, 1).s.offloads, 1 | 1 << DTC_OFFLOAD_OPTIMIZER);
  assert_int_equal(changed(&s, DTC_SEARCH_KIND_OFFLOAD, 2).s.offloads, 7);
  assert_int_equal(changed(&s, DTC_SEARCH_KIND_OFFLOAD, 3).s.offloads, 15);
  ends(&s, DTC_SEARCH_KIND_OFFLOAD, 3);
  s.p.offload = DTC_OFFLOAD_PARAMS;
  search_space next = changed(&s, DTC_SEARCH_KIND_OFFLOAD, 1);
  assert_true(next.p.offload == 0 && next.s.offloads == (1 << DTC_OFFLOAD_OPTIMIZER | 1 << DTC_OFFLOAD_PARAMS));
  ends(&s, DTC_SEARCH_KIND_OFFLOAD, 2);
}

static void kinds_are_in_range(void **state)
{
  (void)state;
  search_space s = search_of("llama-3-8b", 2, 64);
  search_space next;
  dtc_error e;
  for (int i = 0; i < 2; i++) {
    dtc_search_kind kind = i ? DTC_SEARCH_KIND_GPUS + 1 : DTC_SEARCH_KIND_NONE;
    assert_int_equal(change(&s, kind, 1, &next, &e), DTC_E_RANGE);
    assert_true(e.field == DTC_ARG_KIND && e.got == kind && e.min == 1 && e.max == 5);
  }
  assert_int_equal(change(&s, DTC_SEARCH_KIND_GPUS, 0, &next, &e), DTC_E_RANGE);
  assert_int_equal(e.field, DTC_ARG_STEP);
  assert_int_equal(change(&s, DTC_SEARCH_KIND_SEQ, UINT64_MAX, &next, &e), DTC_E_RANGE);
  s.p.global_batch = 0;
  assert_int_equal(change(&s, DTC_SEARCH_KIND_GPUS, 1, &next, &e), DTC_E_CONFLICT);
}

/* ---- the smallest ---------------------------------------------------------------------------- */

static uint64_t fit_of(const search_space *s)
{
  search_run(s, 0, search_size(s), &result);
  return result.out.fit;
}

/* Steps up to the first whose space has a plan that fits; 0: none has. The plan that is found does fit. */
static uint64_t first_that_fits(const search_space *s, dtc_search_kind kind)
{
  dtc_error e;
  search_space next;
  assert_int_equal(fit_of(s), 0);
  for (uint64_t step = 1; change(s, kind, step, &next, &e) == DTC_OK; step++) {
    if (fit_of(&next) == 0)
      continue;
    dtc_plan p = search_plan(&next, result.best[0].index);
    dtc_memory m;
    DTC_INIT(&m);
    check_ok(dtc_memory_estimate(&next.m, &next.c, &p, NULL, 0, &m, &e), &e);
    assert_true(m.fits == DTC_BOOL_ON && m.device == result.best[0].device);
    return step;
  }
  return 0;
}

static void the_first_that_fits_is_the_smallest(void **state)
{
  (void)state;
  search_space s = search_of("llama-3-70b", 1, 64);
  s.p.seq = 8192;
  assert_int_equal(first_that_fits(&s, DTC_SEARCH_KIND_SEQ), 0); /* 16 bytes a parameter, whatever the sequence */
  uint64_t step = first_that_fits(&s, DTC_SEARCH_KIND_GPUS);
  assert_in_range(step, 1, 2);  /* 70.6 G parameters at 16 bytes are 1.05 TiB; a node has 0.62 TiB */
  s.p.tp = s.p.pp = s.p.cp = 1; /* a whole model on each GPU */
  s.p.sharding = DTC_SHARDING_DISTOPT;
  s.p.framework = DTC_FRAMEWORK_MEGATRON;
  assert_int_equal(first_that_fits(&s, DTC_SEARCH_KIND_GPUS), 0); /* weights alone are 131 GiB */
  s = search_of("llama-3-8b", 1, 8);
  s.p.seq = 131072;
  s.p.recompute = DTC_RECOMPUTE_NONE;
  s.p.cp = s.p.pp = 1;
  s.p.tp = 8;
  assert_int_equal(first_that_fits(&s, DTC_SEARCH_KIND_RECOMPUTE), 1);
  step = first_that_fits(&s, DTC_SEARCH_KIND_SEQ);
  assert_in_range(step, 1, 6);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nodes_double),       cmocka_unit_test(sequences_halve),
      cmocka_unit_test(masks_grow),         cmocka_unit_test(offloads_follow_each_other),
      cmocka_unit_test(kinds_are_in_range), cmocka_unit_test(the_first_that_fits_is_the_smallest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

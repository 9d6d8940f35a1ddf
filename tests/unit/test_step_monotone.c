/* What physics says of any job: more bandwidth, more FLOP/s, more power never take longer; more work never less; what
 * hides messages or launches never adds to them; and limits that no kernel beats. */
#include "step_check.h"

#include "internal/step.h"

enum { JOBS = 500 };

/* A few roundings of the sum. Not where backwards for the weights fill bubbles: a step that waits for the host gets longer
 * when they get shorter. */
static void check_no_longer(const step_job *j, const char *what, double got, double than)
{
  char text[512];
  int fills = j->p.pp > 1 && j->p.schedule >= DTC_SCHEDULE_ZBV;
  if (fills || got <= than * (1 + 1e-12))
    return;
  size_t n = 0;
  (void)!dtc_plan_format(NULL, &j->p, text, sizeof text, &n, NULL);
  fail_msg("%s: %.17g, not more than %.17g; %s", what, got, than, text);
}

/* 1 when both are legal. */
static int estimates(const step_job *j, dtc_step *s)
{
  DTC_INIT(s);
  return dtc_step_estimate(&j->m, &j->c, &j->p, NULL, 0, NULL, s, NULL) == DTC_OK;
}

/* ---- the machine ----------------------------------------------------------------------------- */

static void faster_parts(void **state)
{
  (void)state;
  enum { PARTS = 12 };
  seed = 1;
  for (int i = 0; i < JOBS; i++) {
    dtc_step s;
    step_job j = step_random(&s);
    step_job k = j;
    double *const parts[PARTS] = {&k.c.fp32,
                                  &k.c.bf16,
                                  &k.c.fp8,
                                  &k.c.fp4,
                                  &k.c.hbm_bandwidth,
                                  &k.c.nvlink_bandwidth,
                                  &k.c.pcie_bandwidth,
                                  &k.c.nic_bandwidth,
                                  &k.c.power,
                                  &k.c.host_bandwidth,
                                  &k.c.nvme_bandwidth,
                                  &k.c.fp16};
    for (size_t n = 0; n < PARTS; n++) {
      dtc_step t;
      double before = *parts[n];
      double factor = 1 + (double)roll(8) / 4;
      *parts[n] *= factor;
      assert_true(estimates(&k, &t));
      if (t.stage == s.stage) /* another slowest stage steps other weights */
        check_no_longer(&j, "faster part", t.seconds, s.seconds);
      *parts[n] = before / factor;
      if (estimates(&k, &t) && t.stage == s.stage)
        check_no_longer(&j, "slower part", s.seconds, t.seconds);
      *parts[n] = before;
    }
  }
}

static void slower_parameters(void **state)
{
  (void)state;
  seed = 2;
  for (int i = 0; i < JOBS; i++) {
    dtc_step s;
    step_job j = step_random(&s);
    dtc_step_params p;
    DTC_INIT(&p);
    assert_int_equal(dtc_step_resolve(&j.m, &j.c, &j.p, NULL, &p, NULL), DTC_OK);
    double *const rates[] = {&p.fp32, &p.bf16, &p.fp8, &p.fp4, &p.hbm};
    double *const factors[] = {&p.attention, &p.communication, &p.host};
    for (size_t n = 0; n < sizeof rates / sizeof rates[0]; n++) {
      double before = *rates[n];
      *rates[n] /= 1.5;
      check_no_longer(&j, "slower rate", s.seconds, step_with(&j, &p).seconds);
      *rates[n] = before;
    }
    for (size_t n = 0; n < sizeof factors / sizeof factors[0]; n++) {
      double before = *factors[n];
      *factors[n] *= 1.5;
      check_no_longer(&j, "larger factor", s.seconds, step_with(&j, &p).seconds);
      *factors[n] = before;
    }
  }
}

/* ---- the plan -------------------------------------------------------------------------------- */

static void more_micro_batches(void **state)
{
  (void)state;
  int seen = 0;
  seed = 3;
  for (int i = 0; i < JOBS; i++) {
    dtc_step s;
    dtc_step t;
    step_job j = step_random(&s);
    j.p.accumulation += j.p.pp;
    if (!estimates(&j, &t))
      continue;
    seen++;
    check_no_longer(&j, "micro-batches", s.seconds, t.seconds);
    assert_true(t.tokens > s.tokens && t.dense >= s.dense);
  }
  assert_true(seen > JOBS / 2);
}

/* Switches a setting of a plan on, and says which of the two is no longer. */
static void check_setting(uint32_t field, uint64_t off, uint64_t on, int longer, int least)
{
  const char *name = dtci_field_of(field)->name;
  int seen = 0;
  int changed = 0;
  for (int i = 0; i < JOBS; i++) {
    dtc_step without;
    dtc_step with;
    step_job j = step_random(&without);
    if (j.p.recompute == DTC_RECOMPUTE_SELECTIVE) /* not the default of which depends on the other modules */
      j.p.recompute_core_attn = DTC_BOOL_ON;
    dtci_write(&j.p, dtci_field_of(field), off);
    if (!estimates(&j, &without))
      continue;
    dtci_write(&j.p, dtci_field_of(field), on);
    if (!estimates(&j, &with) || with.stage != without.stage)
      continue;
    seen++;
    changed += without.seconds != with.seconds;
    if (longer)
      check_no_longer(&j, name, without.seconds, with.seconds);
    else
      check_no_longer(&j, name, with.seconds, without.seconds);
  }
  if (seen < 20 || changed < least)
    fail_msg("%s: %d jobs, %d changed", name, seen, changed);
}

static void settings(void **state)
{
  (void)state;
  seed = 4;
  enum { OFF = DTC_BOOL_OFF, ON = DTC_BOOL_ON };
  check_setting(DTC_FIELD(plan, recompute), DTC_RECOMPUTE_NONE, DTC_RECOMPUTE_FULL, 1, 50);
  check_setting(DTC_FIELD(plan, recompute), DTC_RECOMPUTE_NONE, DTC_RECOMPUTE_SELECTIVE, 1, 50);
  check_setting(DTC_FIELD(plan, recompute_mlp), OFF, ON, 1, 5);
  check_setting(DTC_FIELD(plan, dropout), OFF, ON, 1, 50);
  check_setting(DTC_FIELD(plan, tp_overlap), OFF, ON, 0, 20);
  check_setting(DTC_FIELD(plan, grad_overlap), OFF, ON, 0, 20);
  check_setting(DTC_FIELD(plan, param_overlap), OFF, ON, 0, 10);
  check_setting(DTC_FIELD(plan, p2p_overlap), OFF, ON, 0, 5);
  check_setting(DTC_FIELD(plan, moe_overlap), OFF, ON, 0, 2);
  check_setting(DTC_FIELD(plan, grad_fusion), OFF, ON, 0, 50);
  check_setting(DTC_FIELD(plan, compile), OFF, ON, 0, 20);
  check_setting(DTC_FIELD(plan, reshard), OFF, ON, 1, 10);
  check_setting(DTC_FIELD(plan, cuda_graph), DTC_CUDA_GRAPH_NONE, DTC_CUDA_GRAPH_PARTIAL, 0, 5);
  check_setting(DTC_FIELD(plan, cuda_graph), DTC_CUDA_GRAPH_PARTIAL, DTC_CUDA_GRAPH_FULL, 0, 5);
  check_setting(DTC_FIELD(plan, flash_version), 2, 3, 0, 20);
  check_setting(DTC_FIELD(plan, micro_batch), 1, 2, 1, 50);
}

/* ---- limits ---------------------------------------------------------------------------------- */

static void one_gpu_sends_nothing(void **state)
{
  (void)state;
  seed = 5;
  for (int i = 0; i < 200; i++) {
    dtc_step s;
    step_job j = step_random(&s);
    j.p.tp = j.p.cp = j.p.pp = j.p.dp = j.p.ep = j.p.etp = j.p.vpp = 1;
    j.p.dp_shard = 0;
    j.p.schedule = DTC_SCHEDULE_DEFAULT;
    j.c.nvlink_bandwidth = j.c.pcie_bandwidth = j.c.nic_bandwidth = 0;
    j.p.offload = DTC_OFFLOAD_DEFAULT;
    if (!estimates(&j, &s))
      continue;
    assert_true(s.gpus == 1 && s.tp == 0 && s.cp == 0 && s.ep == 0 && s.pp == 0 && s.bubble == 0 && s.weights == 0 &&
                s.gradients == 0 && s.stragglers == 0 && s.offload == 0);
    assert_true(s.dense + s.attention > 0 && s.launch > 0 && (s.optimizer > 0 || j.p.tuning > DTC_TUNING_FULL));
  }
}

/* No product is faster than the GPU's peak, and than its operands and result pass through memory. */
static void products_keep_to_the_peaks(void **state)
{
  (void)state;
  uint64_t seen = 0;
  seed = 6;
  for (int i = 0; i < JOBS; i++) {
    dtc_step s;
    dtc_step_term terms[STEP_TERMS];
    dtc_plan p = check_plan();
    step_job j = step_random(&s);
    assert_int_equal(dtc_plan_resolve(&j.m, &j.c, &j.p, &p, NULL), DTC_OK);
    const double peaks[DTCI_RATES] = {j.c.fp32, j.c.bf16, j.c.fp8, j.c.fp4};
    double peak = peaks[dtci_step_type(&p)];
    size_t n = step_terms(&j, NULL, terms);
    for (size_t t = 0; t < n; t++) {
      if (terms[t].n == 0)
        continue;
      seen++;
      double most = terms[t].index / DTCI_PASSES == DTC_OPERATOR_ATTENTION ? j.c.bf16 : peak;
      assert_true(terms[t].flops > 0 && terms[t].each >= terms[t].flops / most);
      assert_true(terms[t].each >= terms[t].bytes / j.c.hbm_bandwidth);
    }
  }
  assert_true(seen > 10 * JOBS);
}

static dtci_step_machine machine(double rate, double hbm, double sms)
{
  return (dtci_step_machine){.rate = {rate, rate, rate, rate}, .top = {rate, rate, rate, rate}, .hbm = hbm, .sms = sms};
}

/* A product's time grows with each of its sides, in whole tiles. */
static void products_grow(void **state)
{
  (void)state;
  const dtci_step_machine g = machine(8e14, 2e12, 132);
  const dtci_step_machine few = machine(8e14, 2e12, 1);
  seed = 8;
  for (int i = 0; i < check_rounds(20000); i++) {
    dtci_gemm a = {1 + roll(20000), 1 + roll(20000), 1 + roll(20000), 1 + (double)roll(3), 2};
    dtci_gemm b = a;
    double seconds = dtci_product_time(&g, DTCI_IN_16, &a);
    assert_true(seconds >= dtci_gemm_flops(&a) / 8e14 && seconds >= dtci_gemm_bytes(&a, DTCI_IN_16) / 2e12);
    b.batch++;
    assert_true(dtci_product_time(&few, DTCI_IN_16, &b) >= dtci_product_time(&few, DTCI_IN_16, &a));
    b = a;
    b.k += 8;
    assert_true(b.batch > 1 || dtci_product_time(&g, DTCI_IN_16, &b) >= seconds);
    b = a;
    b.m += 256;
    assert_true(b.batch > 1 || dtci_product_time(&few, DTCI_IN_16, &b) >= dtci_product_time(&few, DTCI_IN_16, &a));
  }
}

/* Primes, one, and more than any memory holds: finite. */
static void odd_products(void **state)
{
  (void)state;
  static const uint64_t sides[] = {1, 2, 7, 127, 129, 257, 65521, (uint64_t)1 << 32, UINT64_MAX};
  const dtci_step_machine g = machine(8e14, 2e12, 132);
  for (int i = 0; i < 729; i++) {
    dtci_gemm a = {sides[i % 9], sides[i / 9 % 9], sides[i / 81], 1, 2};
    double seconds = dtci_product_time(&g, DTCI_IN_16, &a);
    assert_true(seconds > 0 && seconds < 1e50);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(faster_parts),          cmocka_unit_test(slower_parameters),
      cmocka_unit_test(more_micro_batches),    cmocka_unit_test(settings),
      cmocka_unit_test(one_gpu_sends_nothing), cmocka_unit_test(products_keep_to_the_peaks),
      cmocka_unit_test(products_grow),         cmocka_unit_test(odd_products),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Verdicts about measured times; dispatch and combine of experts. */
#include "collective_check.h"

static dtc_verdict verdict_of(const dtc_cluster *c, const dtc_collective_call *call, double us)
{
  dtc_error e;
  dtc_verdict v;
  DTC_INIT(&e);
  DTC_INIT(&v);
  check_ok(dtc_collective_judge(c, call, us / 1e6, &v, &e), &e);
  return v;
}

static void published_runs_are_good(void **state)
{
  (void)state;
  dtc_cluster h100 = check_cluster_named("dgx-h100");
  dtc_collective_call call = check_call(DTC_COLLECTIVE_ALL_REDUCE, GIB, 16);
  dtc_verdict v = verdict_of(&h100, &call, 4511);
  assert_true(v.grade == DTC_GRADE_GOOD && v.reason == DTC_SLOW_REASON_NONE && v.explained == 0);
  check_within(v.of_expected, 1, 0.03);
  assert_true(v.of_bound > 0.4 && v.of_bound < 1);
  v = verdict_of(&h100, &call, 3000); /* faster is good too, down to the bound */
  assert_int_equal(v.grade, DTC_GRADE_GOOD);
}

/* The reason whose time was measured is told. */
static void wrong_settings_are_recognized(void **state)
{
  (void)state;
  dtc_cluster h100 = check_cluster_named("dgx-h100");
  dtc_collective_call call = check_call(DTC_COLLECTIVE_ALL_REDUCE, GIB, 32);
  dtc_cluster wrong = h100;
  wrong.fabric = DTC_FABRIC_TCP;
  dtc_verdict v = verdict_of(&h100, &call, check_time(&wrong, &call).seconds * 1e6);
  assert_true(v.grade == DTC_GRADE_BROKEN && v.reason == DTC_SLOW_REASON_SOCKETS);
  wrong = h100;
  wrong.nics_per_node = 1;
  v = verdict_of(&h100, &call, check_time(&wrong, &call).seconds * 1.03e6);
  assert_true(v.grade == DTC_GRADE_BROKEN && v.reason == DTC_SLOW_REASON_ONE_NIC);
  check_within(v.explained, check_time(&wrong, &call).seconds, 0.001);
  wrong.nics_per_node = 4;
  v = verdict_of(&h100, &call, check_time(&wrong, &call).seconds * 1.03e6);
  assert_true(v.grade != DTC_GRADE_GOOD && v.reason == DTC_SLOW_REASON_HALF_NICS);
  call.ranks = 8;
  wrong = h100;
  wrong.nvlink_bandwidth = 0;
  wrong.nvlink_domain = 8;
  v = verdict_of(&h100, &call, check_time(&wrong, &call).seconds * 1e6);
  assert_true(v.grade == DTC_GRADE_BROKEN && v.reason == DTC_SLOW_REASON_PCIE);
  dtc_collective_call off = call;
  off.in_switch = DTC_BOOL_OFF;
  v = verdict_of(&h100, &call, check_time(&h100, &off).seconds * 1e6);
  assert_true(v.grade == DTC_GRADE_LOW && v.reason == DTC_SLOW_REASON_IN_SWITCH);
}

static void a_small_message_that_waits(void **state)
{
  (void)state;
  dtc_cluster h100 = check_cluster_named("dgx-h100");
  dtc_collective_call call = check_call(DTC_COLLECTIVE_ALL_REDUCE, 8192, 8);
  dtc_verdict v = verdict_of(&h100, &call, 40);
  assert_int_equal(v.reason, DTC_SLOW_REASON_BLOCKING);
  v = verdict_of(&h100, &call, 6300);
  assert_true(v.grade == DTC_GRADE_BROKEN && v.reason == DTC_SLOW_REASON_SETUP);
  call = check_call(DTC_COLLECTIVE_ALL_TO_ALL, GIB, 64);
  call.tuned = DTC_BOOL_ON;
  dtc_collective_call plain = call;
  plain.tuned = DTC_BOOL_OFF;
  v = verdict_of(&h100, &call, check_time(&h100, &plain).seconds * 1e6);
  assert_int_equal(v.reason, DTC_SLOW_REASON_CHANNELS);
}

/* Alps on two nodes of four GH200 without its plugin for Slingshot: 1 MiB took 1502 us, 64 MiB 21253 us. */
static void alps_on_sockets(void **state)
{
  (void)state;
  dtc_cluster c = check_gpu_named("h100-80gb");
  c.gpus_per_node = c.nvlink_domain = 4;
  c.nics_per_node = 4;
  c.nic_bandwidth = 25e9;
  c.fabric = DTC_FABRIC_SLINGSHOT;
  dtc_collective_call call = check_call(DTC_COLLECTIVE_ALL_REDUCE, MIB, 8);
  dtc_verdict v = verdict_of(&c, &call, 1502);
  assert_true(v.grade == DTC_GRADE_BROKEN && v.reason == DTC_SLOW_REASON_SOCKETS);
  call.bytes = 64 * MIB;
  v = verdict_of(&c, &call, 21253);
  assert_true(v.grade == DTC_GRADE_BROKEN && v.reason == DTC_SLOW_REASON_SOCKETS);
}

static void what_cannot_be_is_said(void **state)
{
  (void)state;
  dtc_cluster h100 = check_cluster_named("dgx-h100");
  dtc_collective_call call = check_call(DTC_COLLECTIVE_ALL_REDUCE, GIB, 8);
  dtc_verdict v = verdict_of(&h100, &call, 100);
  assert_int_equal(v.grade, DTC_GRADE_IMPOSSIBLE);
  assert_true(v.of_bound > 1);
  static const double bad[] = {0, -1, 2e6};
  for (size_t i = 0; i < 3; i++)
    assert_int_equal(dtc_collective_judge(&h100, &call, bad[i], &v, NULL), DTC_E_RANGE);
  call.op = DTC_COLLECTIVE_NONE;
  assert_int_equal(dtc_collective_judge(&h100, &call, 1, &v, NULL), DTC_E_RANGE);
}

/* ---- experts --------------------------------------------------------------------------------- */

static dtc_moe_call moe_of(dtc_moe_op op, dtc_moe_kernel kernel, uint64_t tokens, uint64_t ranks)
{
  dtc_moe_call call;
  DTC_INIT(&call);
  call.op = op;
  call.kernel = kernel;
  call.tokens = tokens;
  call.top_k = 8;
  call.hidden = 7168;
  call.ranks = ranks;
  return call;
}

static dtc_moe_time moe_time(const dtc_cluster *c, const dtc_moe_call *call)
{
  dtc_error e;
  dtc_moe_time t;
  DTC_INIT(&e);
  DTC_INIT(&t);
  check_ok(dtc_moe_estimate(c, call, &t, &e), &e);
  return t;
}

/* DeepEP on H800 with 400 Gb/s: 173 and 314 us; its tables for H100: 1852.8 and 3641.1 us. */
static void deepep_tables_come_out(void **state)
{
  (void)state;
  dtc_cluster h100 = check_cluster_named("dgx-h100");
  dtc_moe_call call = moe_of(DTC_MOE_OP_DISPATCH, DTC_MOE_KERNEL_LOW_LATENCY, 128, 64);
  dtc_moe_time t = moe_time(&h100, &call);
  check_within(t.seconds * 1e6, 173, 0.04);
  assert_true(t.nodes == 8 && t.bound == DTC_BOUND_NIC);
  check_near(t.nic_bytes, 128.0 * 8 * (7168 + 224 + 16) * 56 / 64);
  check_near(t.sent, 128.0 * 8 * (7168 + 224 + 16) * 63 / 64);
  call.op = DTC_MOE_OP_COMBINE;
  check_within(moe_time(&h100, &call).seconds * 1e6, 314, 0.06);
  call = moe_of(DTC_MOE_OP_DISPATCH, DTC_MOE_KERNEL_NORMAL, 4096, 32);
  check_within(moe_time(&h100, &call).seconds * 1e6, 1852.8, 0.08);
  call.op = DTC_MOE_OP_COMBINE;
  check_within(moe_time(&h100, &call).seconds * 1e6, 3641.1, 0.03);
}

static void a_proxy_is_slower(void **state)
{
  (void)state;
  dtc_cluster h100 = check_cluster_named("dgx-h100");
  dtc_cluster p5 = check_cluster_named("aws-p5");
  for (uint64_t ranks = 16; ranks <= 64; ranks *= 2)
    for (uint32_t kernel = DTC_MOE_KERNEL_NORMAL; kernel <= DTC_MOE_KERNEL_LOW_LATENCY; kernel++) {
      dtc_moe_call call = moe_of(DTC_MOE_OP_DISPATCH, kernel, 4096, ranks);
      double gpu = moe_time(&h100, &call).seconds;
      call.library = DTC_MOE_LIBRARY_UCCL;
      double host = moe_time(&h100, &call).seconds;
      assert_true(kernel == DTC_MOE_KERNEL_NORMAL || host > gpu);
      assert_true(kernel == DTC_MOE_KERNEL_NORMAL || moe_time(&p5, &call).seconds > host);
    }
}

static void more_tokens_take_longer(void **state)
{
  (void)state;
  dtc_cluster clusters[] = {check_cluster_named("dgx-h100"), check_cluster_named("gb200-nvl72")};
  for (size_t c = 0; c < 2; c++)
    for (uint32_t op = 0; op <= DTC_MOE_OP_COMBINE; op++)
      for (uint32_t kernel = 0; kernel <= (c == 0 ? DTC_MOE_KERNEL_LOW_LATENCY : DTC_MOE_KERNEL_ONE_SIDED); kernel++)
        for (uint64_t ranks = 2; ranks <= 64; ranks *= 2) {
          double before = 0;
          for (uint64_t tokens = 1; tokens <= 65536; tokens *= 2) {
            dtc_moe_call call = moe_of(op, kernel, tokens, ranks);
            dtc_moe_time t = moe_time(&clusters[c], &call);
            assert_true(t.seconds >= before && t.low < t.seconds && t.seconds < t.high && t.bound != DTC_BOUND_NONE);
            before = t.seconds;
          }
        }
  dtc_moe_call alone = moe_of(DTC_MOE_OP_DISPATCH, DTC_MOE_KERNEL_NORMAL, 4096, 1);
  assert_true(moe_time(&clusters[0], &alone).seconds == 0);
}

static void bad_calls_are_refused(void **state)
{
  (void)state;
  dtc_error e;
  dtc_moe_time t;
  DTC_INIT(&e);
  DTC_INIT(&t);
  dtc_cluster h100 = check_cluster_named("dgx-h100"), l40s = check_gpu_named("l40s");
  dtc_moe_call call = moe_of(DTC_MOE_OP_DISPATCH, DTC_MOE_KERNEL_TWO_SIDED, 1, 16);
  assert_int_equal(dtc_moe_estimate(&h100, &call, &t, &e), DTC_E_CONFLICT);
  assert_int_equal(e.rule, DTC_RULE_MOE_DOMAIN);
  call.kernel = DTC_MOE_KERNEL_NORMAL;
  call.sms = 4;
  assert_int_equal(dtc_moe_estimate(&h100, &call, &t, &e), DTC_E_RANGE);
  assert_int_equal(e.rule, DTC_RULE_MOE_SMS);
  assert_int_equal(e.min, 5);
  call.sms = 0;
  assert_int_equal(dtc_moe_estimate(&l40s, &call, &t, &e), DTC_E_UNSUPPORTED);
  call.per_node = 17;
  assert_int_equal(dtc_moe_estimate(&h100, &call, &t, &e), DTC_E_RANGE);
  call.per_node = 0;
  h100.nics_per_node = 0;
  assert_int_equal(dtc_moe_estimate(&h100, &call, &t, &e), DTC_E_UNSUPPORTED);
  call.top_k = 0;
  assert_int_equal(dtc_moe_estimate(&h100, &call, &t, &e), DTC_E_RANGE);
  assert_true(t.seconds == 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(published_runs_are_good),    cmocka_unit_test(wrong_settings_are_recognized),
      cmocka_unit_test(a_small_message_that_waits), cmocka_unit_test(alps_on_sockets),
      cmocka_unit_test(what_cannot_be_is_said),     cmocka_unit_test(deepep_tables_come_out),
      cmocka_unit_test(a_proxy_is_slower),          cmocka_unit_test(more_tokens_take_longer),
      cmocka_unit_test(bad_calls_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Times of collectives: published runs, what must hold of any time, defaults and refusals, groups of a mesh. */
#include "collective_check.h"

static const dtc_collective every_op[] = {
    DTC_COLLECTIVE_ALL_REDUCE, DTC_COLLECTIVE_REDUCE_SCATTER, DTC_COLLECTIVE_ALL_GATHER, DTC_COLLECTIVE_REDUCE,
    DTC_COLLECTIVE_BROADCAST,  DTC_COLLECTIVE_ALL_TO_ALL,     DTC_COLLECTIVE_SEND_RECV,  DTC_COLLECTIVE_GATHER,
    DTC_COLLECTIVE_SCATTER,    DTC_COLLECTIVE_BARRIER};
enum { OPS = sizeof every_op / sizeof every_op[0] };

/* ---- published runs -------------------------------------------------------------------------- */

static void published_times_come_out(void **state)
{
  (void)state;
  dtc_cluster h100 = check_cluster_named("dgx-h100");
  dtc_cluster nvl72 = check_cluster_named("gb200-nvl72");
  dtc_cluster b200 = check_cluster_named("dgx-b200");
  /* AWS p5: 1077 to 1121 us; Nebius and OCI: 4479 to 4512 us; CoreWeave: 3109 us */
  check_within(check_us(&h100, DTC_COLLECTIVE_ALL_REDUCE, 256 * MIB, 8), 1099, 0.03);
  check_within(check_us(&h100, DTC_COLLECTIVE_ALL_REDUCE, GIB, 16), 4495, 0.03);
  check_within(check_us(&nvl72, DTC_COLLECTIVE_ALL_REDUCE, GIB, 72), 3109, 0.08);
  /* all-to-all between nodes: 23 GB/s of a 50 GB/s port, 37 and more when tuned */
  dtc_collective_call a2a = check_call(DTC_COLLECTIVE_ALL_TO_ALL, 64 * MIB, 64);
  check_within(check_time(&h100, &a2a).seconds * 1e6, 2695, 0.05);
  a2a.tuned = DTC_BOOL_ON;
  check_within(check_time(&h100, &a2a).seconds * 1e6, 1730, 0.05);
  check_within(check_us(&b200, DTC_COLLECTIVE_ALL_REDUCE, 16 * GIB, 8), 16.0 * 1024 * 1.048576 * 1.75 / 842 * 1e3,
               0.03);
}

static void two_levels_and_rails(void **state)
{
  (void)state;
  dtc_cluster h100 = check_cluster_named("dgx-h100");
  dtc_collective_call rail = check_call(DTC_COLLECTIVE_ALL_REDUCE, 64 * MIB, 8);
  rail.per_node = 1;
  rail.groups = 8;
  check_within(check_time(&h100, &rail).seconds * 1e6, 4021, 0.05);
  dtc_collective_call levels = check_call(DTC_COLLECTIVE_ALL_REDUCE, 256 * MIB, 32);
  double tree = check_time(&h100, &levels).seconds;
  levels.two_level = DTC_BOOL_ON;
  dtc_collective_time t = check_time(&h100, &levels);
  check_within(t.seconds * 1e6, 3263, 0.05);
  assert_true(tree < t.seconds);
  assert_int_equal(t.bound, DTC_BOUND_NIC);
}

static void small_messages_wait_for_the_launch(void **state)
{
  (void)state;
  dtc_cluster h100 = check_cluster_named("dgx-h100");
  dtc_collective_call call = check_call(DTC_COLLECTIVE_ALL_REDUCE, 1024, 8);
  dtc_collective_time loop = check_time(&h100, &call);
  assert_int_equal(loop.bound, DTC_BOUND_LATENCY);
  check_within(loop.seconds * 1e6, 16.6, 0.05);
  call.style = DTC_CALL_STYLE_BLOCKING;
  dtc_collective_time blocking = check_time(&h100, &call);
  assert_int_equal(blocking.bound, DTC_BOUND_LAUNCH);
  check_within(blocking.seconds * 1e6, 38.6, 0.05);
  call.style = DTC_CALL_STYLE_THREAD;
  dtc_collective_time thread = check_time(&h100, &call);
  assert_int_equal(thread.bound, DTC_BOUND_LAUNCH);
  check_within(thread.seconds * 1e6, 30.4, 0.01);
}

static void what_bounds_a_large_vector(void **state)
{
  (void)state;
  dtc_cluster h100 = check_cluster_named("dgx-h100");
  dtc_cluster a100 = check_cluster_named("dgx-a100");
  dtc_cluster l40s = check_gpu_named("l40s");
  dtc_collective_call call = check_call(DTC_COLLECTIVE_ALL_REDUCE, GIB, 8);
  dtc_collective_time t = check_time(&h100, &call);
  assert_int_equal(t.bound, DTC_BOUND_SWITCH);
  check_within(t.busbw, 465e9, 0.04); /* more than 450 GB/s of NVLink */
  call.in_switch = DTC_BOOL_OFF;
  t = check_time(&h100, &call);
  assert_int_equal(t.bound, DTC_BOUND_NVLINK);
  check_within(t.busbw, 360e9, 0.04);
  assert_int_equal(check_time(&a100, &call).bound, DTC_BOUND_NVLINK);
  assert_int_equal(check_time(&l40s, &call).bound, DTC_BOUND_PCIE);
  call.ranks = 32;
  t = check_time(&a100, &call);
  assert_int_equal(t.bound, DTC_BOUND_NIC);
  assert_int_equal(t.nodes, 4);
  assert_true(t.nic_bandwidth > 10e9 && t.nic_bandwidth <= 25e9);
}

/* ---- what holds of any time ------------------------------------------------------------------ */

/* A call of any kind on any cluster of the catalogue that has links and ports. */
static dtc_collective_call random_call(uint64_t *seed, dtc_cluster *c)
{
  dtc_collective_call call;
  for (;;) {
    DTC_INIT(c);
    assert_int_equal(dtc_cluster_find(dtc_cluster_name(check_random(seed, dtc_cluster_count())), c, NULL), DTC_OK);
    c->fabric = (dtc_fabric)check_random(seed, DTC_FABRIC_TCP + 1);
    call = check_call(every_op[check_random(seed, OPS)], (uint64_t)1 << check_random(seed, 36), 0);
    call.ranks = 1 + check_random(seed, (uint64_t)1 << check_random(seed, 11));
    call.per_node = check_random(seed, 3) == 0 ? 1 + check_random(seed, call.ranks < 8 ? call.ranks : 8) : 0;
    call.groups = check_random(seed, 9);
    call.style = (dtc_call_style)check_random(seed, 3);
    call.version = check_random(seed, 2) ? 2020000 : 0;
    call.in_switch = (dtc_bool)check_random(seed, 3);
    call.tuned = (dtc_bool)check_random(seed, 3);
    if (c->nics_per_node != 0)
      return call;
  }
}

static void more_bytes_never_take_less_time(void **state)
{
  (void)state;
  uint64_t seed = 3;
  for (int round = 0; round < 2000; round++) {
    dtc_cluster c;
    dtc_collective_call call = random_call(&seed, &c);
    dtc_collective_time before = {0};
    for (call.bytes = 1; call.bytes < 64 * GIB; call.bytes += 1 + call.bytes * (1 + check_random(&seed, 8)) / 4) {
      dtc_collective_time t = check_time(&c, &call);
      assert_true(t.seconds >= before.seconds);
      assert_true(t.seconds >= t.lower_bound);
      assert_true(t.low <= t.seconds && t.seconds <= t.high && t.low >= t.lower_bound);
      assert_true(t.busbw >= before.busbw * (1 - 1e-12)); /* for bisection */
      before = t;
    }
  }
}

static void a_faster_link_never_takes_longer(void **state)
{
  (void)state;
  uint64_t seed = 5;
  for (int round = 0; round < 5000; round++) {
    dtc_cluster c;
    dtc_collective_call call = random_call(&seed, &c);
    double before = check_time(&c, &call).seconds;
    double factor = 1 + (double)check_random(&seed, 100) / 10;
    double *links[] = {&c.nvlink_bandwidth, &c.pcie_bandwidth, &c.nic_bandwidth};
    *links[check_random(&seed, 3)] *= factor;
    assert_true(check_time(&c, &call).seconds <= before * (1 + 1e-12));
  }
}

static void one_rank_is_free(void **state)
{
  (void)state;
  dtc_cluster c;
  DTC_INIT(&c); /* even where nothing is known */
  c.memory = GIB;
  for (size_t i = 0; i < OPS; i++) {
    dtc_collective_call call = check_call(every_op[i], GIB, 1);
    dtc_collective_time t = check_time(&c, &call);
    assert_true(t.seconds == 0 && t.lower_bound == 0 && t.bound == DTC_BOUND_NONE && t.nodes == 1);
  }
}

static void more_ranks_on_the_same_ports_take_longer(void **state)
{
  (void)state;
  dtc_cluster c = check_cluster_named("dgx-h100");
  dtc_collective_call call = check_call(DTC_COLLECTIVE_ALL_GATHER, GIB, 16);
  double alone = check_time(&c, &call).seconds;
  call.groups = 2;
  assert_true(check_time(&c, &call).seconds > 1.8 * alone);
  call.per_node = 4; /* with two groups on a node each has half of the ports anyway */
  call.ranks = 8;
  double half = check_time(&c, &call).seconds;
  call.groups = 1;
  check_within(check_time(&c, &call).seconds, half, 0.01);
}

static void a_cut_link_is_a_relative(void **state)
{
  (void)state;
  dtc_cluster h100 = check_gpu_named("h100-80gb");
  dtc_cluster h800 = check_gpu_named("h800-80gb");
  dtc_collective_call call = check_call(DTC_COLLECTIVE_ALL_REDUCE, GIB, 8);
  dtc_collective_time whole = check_time(&h100, &call);
  dtc_collective_time cut = check_time(&h800, &call);
  assert_int_equal(whole.confidence, DTC_CONFIDENCE_MEASURED);
  assert_int_equal(cut.confidence, DTC_CONFIDENCE_RELATIVE);
  check_within(cut.seconds, whole.seconds * 18 / 8, 0.06);
  dtc_cluster unknown = h100;
  unknown.vendor = DTC_VENDOR_DEFAULT;
  assert_int_equal(check_time(&unknown, &call).confidence, DTC_CONFIDENCE_EXTRAPOLATED);
}

/* ---- defaults and refusals ------------------------------------------------------------------- */

static void defaults_are_filled(void **state)
{
  (void)state;
  dtc_cluster h100 = check_cluster_named("dgx-h100");
  dtc_cluster rack = check_cluster_named("gb200-nvl72");
  dtc_cluster amd = check_gpu_named("mi300x");
  dtc_collective_call call = check_call(DTC_COLLECTIVE_ALL_REDUCE, MIB, 64), out, again;
  DTC_INIT(&out);
  DTC_INIT(&again);
  assert_int_equal(dtc_collective_resolve(&h100, &call, &out, NULL), DTC_OK);
  assert_true(out.per_node == 8 && out.groups == 1 && out.in_switch == DTC_BOOL_ON && out.tuned == DTC_BOOL_OFF &&
              out.two_level == DTC_BOOL_OFF);
  assert_int_equal(dtc_collective_resolve(&h100, &out, &again, NULL), DTC_OK);
  assert_memory_equal(&out, &again, sizeof out);
  assert_int_equal(dtc_collective_resolve(&rack, &call, &out, NULL), DTC_OK);
  assert_int_equal(out.per_node, 64);
  assert_int_equal(dtc_collective_resolve(&amd, &call, &out, NULL), DTC_OK);
  assert_int_equal(out.tuned, DTC_BOOL_ON);
}

static void refuses(const dtc_cluster *c, const dtc_collective_call *call, dtc_status status, dtc_rule rule,
                    uint32_t field)
{
  dtc_error e;
  char line[256];
  dtc_collective_time t;
  DTC_INIT(&e);
  DTC_INIT(&t);
  assert_int_equal(dtc_collective_estimate(c, call, &t, &e), status);
  assert_int_equal(e.rule, rule);
  assert_int_equal(e.field, field);
  assert_true(t.seconds == 0);
  assert_true(dtc_error_format(&e, DTC_LANG_EN, line, sizeof line) > 20);
}

static void what_cannot_be_answered_is_refused(void **state)
{
  (void)state;
  dtc_cluster c = check_cluster_named("dgx-h100");
  dtc_cluster none = c;
  dtc_collective_call call = check_call(DTC_COLLECTIVE_NONE, MIB, 16);
  refuses(&c, &call, DTC_E_RANGE, DTC_RULE_COLLECTIVE_OP, DTC_FIELD(collective_call, op));
  call.op = DTC_COLLECTIVE_ALL_REDUCE;
  call.per_node = 17;
  refuses(&c, &call, DTC_E_RANGE, DTC_RULE_COLLECTIVE_PER_NODE, DTC_FIELD(collective_call, per_node));
  call.per_node = 0;
  call.ranks = 0;
  refuses(&c, &call, DTC_E_RANGE, DTC_RULE_RANGE, DTC_FIELD(collective_call, ranks));
  call.ranks = 8;
  call.two_level = DTC_BOOL_ON;
  refuses(&c, &call, DTC_E_CONFLICT, DTC_RULE_COLLECTIVE_TWO_LEVEL, DTC_FIELD(collective_call, two_level));
  call.two_level = DTC_BOOL_DEFAULT;
  none.nvlink_bandwidth = none.pcie_bandwidth = 0;
  refuses(&none, &call, DTC_E_UNSUPPORTED, DTC_RULE_COLLECTIVE_LINK, DTC_FIELD(cluster, nvlink_bandwidth));
  none = c;
  none.nics_per_node = 0;
  call.ranks = 16;
  refuses(&none, &call, DTC_E_UNSUPPORTED, DTC_RULE_COLLECTIVE_NIC, DTC_FIELD(cluster, nic_bandwidth));
  call.struct_size = 8;
  refuses(&c, &call, DTC_E_SIZE, DTC_RULE_STRUCT_SIZE, (uint32_t)DTC_STRUCT_collective_call << 16);
}

static void machine_types_tell_their_fabric(void **state)
{
  (void)state;
  assert_int_equal(check_cluster_named("aws-p4de").fabric, DTC_FABRIC_EFA_V1);
  assert_int_equal(check_cluster_named("aws-p5").fabric, DTC_FABRIC_EFA);
  assert_int_equal(check_cluster_named("gcp-a3-mega").fabric, DTC_FABRIC_TCPXO);
  assert_int_equal(check_cluster_named("gcp-a3-high").fabric, DTC_FABRIC_TCPX);
  assert_int_equal(check_cluster_named("gcp-a3-ultra").fabric, DTC_FABRIC_GCP_ROCE);
  assert_int_equal(check_cluster_named("dgx-h100").fabric, DTC_FABRIC_DEFAULT);
  dtc_cluster h100 = check_cluster_named("dgx-h100"), p5 = check_cluster_named("aws-p5");
  assert_true(check_us(&p5, DTC_COLLECTIVE_ALL_REDUCE, 1024, 16) >
              check_us(&h100, DTC_COLLECTIVE_ALL_REDUCE, 1024, 16));
}

/* ---- groups of a mesh ------------------------------------------------------------------------ */

static dtc_collective_call of_kind(const dtc_axis *axes, size_t n, uint32_t mask, const dtc_cluster *c)
{
  dtc_error e;
  dtc_group_kind kind = {.axes = mask};
  dtc_collective_call call = check_call(DTC_COLLECTIVE_ALL_REDUCE, GIB, 1), out;
  DTC_INIT(&e);
  DTC_INIT(&out);
  check_ok(dtc_collective_from_mesh(axes, n, 0, &kind, c, &call, &out, &e), &e);
  return out;
}

static void a_mesh_gives_the_groups(void **state)
{
  (void)state;
  const dtc_axis axes[] = {{DTC_AXIS_NAME_TP, 0, 4, 0}, {DTC_AXIS_NAME_DP, 0, 16, 0}, {DTC_AXIS_NAME_PP, 0, 2, 0}};
  dtc_cluster c = check_cluster_named("dgx-h100");
  dtc_collective_call tp = of_kind(axes, 3, 1, &c);
  assert_true(tp.ranks == 4 && tp.per_node == 4 && tp.groups == 2 && tp.bytes == GIB);
  dtc_collective_call dp = of_kind(axes, 3, 2, &c);
  assert_true(dp.ranks == 16 && dp.per_node == 2 && dp.groups == 4);
  dtc_collective_call pp = of_kind(axes, 3, 4, &c);
  assert_true(pp.ranks == 2 && pp.per_node == 1 && pp.groups == 8);
  dtc_collective_call all = of_kind(axes, 3, UINT32_MAX, &c);
  assert_true(all.ranks == 128 && all.per_node == 8 && all.groups == 1);
  /* three ranks on nodes of eight: some groups cross a border */
  const dtc_axis odd[] = {{DTC_AXIS_NAME_TP, 0, 3, 0}, {DTC_AXIS_NAME_DP, 0, 8, 0}};
  dtc_collective_call cut = of_kind(odd, 2, 1, &c);
  assert_true(cut.ranks == 3 && cut.per_node == 2);
  dtc_collective_call made = dp;
  made.ranks = 16;
  assert_true(check_time(&c, &made).nodes == 8);
}

static void a_bad_mesh_is_refused(void **state)
{
  (void)state;
  const dtc_axis axes[] = {{DTC_AXIS_NAME_TP, 0, 4, 0}};
  dtc_group_kind kind = {.axes = 4};
  dtc_cluster c = check_cluster_named("dgx-h100");
  dtc_collective_call call = check_call(DTC_COLLECTIVE_ALL_REDUCE, GIB, 1), out = call;
  assert_int_equal(dtc_collective_from_mesh(axes, 1, 0, &kind, &c, &call, &out, NULL), DTC_E_RANGE);
  assert_int_equal(dtc_collective_from_mesh(axes, 0, 0, &kind, &c, &call, &out, NULL), DTC_E_RANGE);
  assert_int_equal(out.ranks, 1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(published_times_come_out),
      cmocka_unit_test(two_levels_and_rails),
      cmocka_unit_test(small_messages_wait_for_the_launch),
      cmocka_unit_test(what_bounds_a_large_vector),
      cmocka_unit_test(more_bytes_never_take_less_time),
      cmocka_unit_test(a_faster_link_never_takes_longer),
      cmocka_unit_test(one_rank_is_free),
      cmocka_unit_test(more_ranks_on_the_same_ports_take_longer),
      cmocka_unit_test(a_cut_link_is_a_relative),
      cmocka_unit_test(defaults_are_filled),
      cmocka_unit_test(what_cannot_be_answered_is_refused),
      cmocka_unit_test(machine_types_tell_their_fabric),
      cmocka_unit_test(a_mesh_gives_the_groups),
      cmocka_unit_test(a_bad_mesh_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

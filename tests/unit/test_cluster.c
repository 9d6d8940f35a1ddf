/* Clusters: defaults, checks, and the catalogues of GPUs and machine types. */
#include "check.h"

#include "internal/catalog.h"
#include "internal/cluster.h"

static dtc_cluster cluster(const char *name)
{
  dtc_cluster c;
  DTC_INIT(&c);
  if (dtc_cluster_find(name, &c, NULL) != DTC_OK)
    fail_msg("%s is not found", name);
  return c;
}

static dtc_cluster smallest(void)
{
  dtc_cluster c;
  DTC_INIT(&c);
  c.memory = DTCI_GIB(80);
  return c;
}

static uint64_t bits(double v)
{
  uint64_t b = 0;
  memcpy(&b, &v, sizeof b);
  return b;
}

static void same(double got, double expected)
{
  assert_true(bits(got) == bits(expected));
}

/* ---- resolve ----------------------------------------------------------------------------------------------------- */

static void defaults_are_filled_once(void **state)
{
  (void)state;
  dtc_cluster c = smallest();
  assert_int_equal(dtc_cluster_resolve(&c, &c, NULL), DTC_OK);
  assert_int_equal(c.struct_size, sizeof c);
  assert_true(c.memory == DTCI_GIB(80) && c.usable == DTCI_GIB(80));
  assert_true(c.gpus_per_node == 8 && c.nvlink_domain == 8);
  assert_true(c.nodes == 0 && c.host_memory == 0 && c.nics_per_node == 0);
  same(c.bf16, 0);

  dtc_cluster again;
  DTC_INIT(&again);
  assert_int_equal(dtc_cluster_resolve(&c, &again, NULL), DTC_OK);
  assert_memory_equal(&c, &again, sizeof c);
}

static void what_is_said_stays(void **state)
{
  (void)state;
  dtc_cluster c = smallest();
  dtc_cluster out;
  c.usable = DTCI_GIB(79);
  c.gpus_per_node = 4;
  c.nodes = 3;
  DTC_INIT(&out);
  assert_int_equal(dtc_cluster_resolve(&c, &out, NULL), DTC_OK);
  assert_true(out.usable == DTCI_GIB(79) && out.gpus_per_node == 4 && out.nvlink_domain == 4 && out.nodes == 3);

  c.nvlink_domain = 72;
  assert_int_equal(dtc_cluster_resolve(&c, &out, NULL), DTC_OK);
  assert_int_equal(out.nvlink_domain, 72);
  assert_int_equal(c.nodes, 3);
}

static void usable_beyond_memory_is_a_conflict(void **state)
{
  (void)state;
  dtc_cluster c = smallest();
  dtc_error err;
  DTC_INIT(&err);
  c.usable = c.memory;
  assert_int_equal(dtc_cluster_resolve(&c, &c, &err), DTC_OK);
  c.usable = c.memory + 1;
  assert_int_equal(dtc_cluster_resolve(&c, &c, &err), DTC_E_CONFLICT);
  assert_int_equal(err.status, DTC_E_CONFLICT);
  assert_int_equal(err.rule, DTC_RULE_RANGE);
  assert_int_equal(err.field, DTC_FIELD(cluster, usable));
  assert_int_equal(err.other, DTC_FIELD(cluster, memory));
  assert_true(err.got == c.memory + 1 && err.other_got == c.memory && err.max == c.memory);
}

static void expect_range(const dtc_cluster *c, uint32_t field, uint64_t got)
{
  dtc_cluster out;
  dtc_cluster untouched;
  dtc_error err;
  memset(&out, 0x5a, sizeof out);
  out.struct_size = sizeof out;
  untouched = out;
  DTC_INIT(&err);
  assert_int_equal(dtc_cluster_resolve(c, &out, &err), DTC_E_RANGE);
  assert_int_equal(err.rule, DTC_RULE_RANGE);
  assert_int_equal(err.field, field);
  assert_true(err.got == got);
  assert_memory_equal(&out, &untouched, sizeof out);
}

static void values_outside_their_range_are_refused(void **state)
{
  (void)state;
  const uint64_t quiet = UINT64_C(0x7ff8000000000000);
  double nan = 0;
  memcpy(&nan, &quiet, sizeof nan);
  dtc_cluster c = smallest();
  c.memory = 0;
  expect_range(&c, DTC_FIELD(cluster, memory), 0);
  c = smallest();
  c.bf16 = nan;
  expect_range(&c, DTC_FIELD(cluster, bf16), quiet);
  c = smallest();
  c.fp8 = -1;
  expect_range(&c, DTC_FIELD(cluster, fp8), bits(-1));
  c = smallest();
  c.nic_bandwidth = 2e15;
  expect_range(&c, DTC_FIELD(cluster, nic_bandwidth), bits(2e15));
  c = smallest();
  c.power = 1.5e6;
  expect_range(&c, DTC_FIELD(cluster, power), bits(1.5e6));
  c = smallest();
  c.mtbf = -1;
  expect_range(&c, DTC_FIELD(cluster, mtbf), bits(-1));
  c = smallest();
  c.vendor = 5;
  expect_range(&c, DTC_FIELD(cluster, vendor), 5);
  c = smallest();
  c.nodes = UINT64_MAX;
  expect_range(&c, DTC_FIELD(cluster, nodes), UINT64_MAX);
}

static void struct_sizes_are_checked(void **state)
{
  (void)state;
  dtc_cluster c = smallest();
  dtc_cluster out;
  dtc_error err;
  DTC_INIT(&err);
  DTC_INIT(&out);
  c.struct_size--;
  assert_int_equal(dtc_cluster_resolve(&c, &out, &err), DTC_E_SIZE);
  assert_int_equal(err.rule, DTC_RULE_STRUCT_SIZE);
  c = smallest();
  out.struct_size = 0;
  assert_int_equal(dtc_cluster_resolve(&c, &out, NULL), DTC_E_SIZE);
  assert_int_equal(dtc_gpu_find("h200", &out, NULL), DTC_E_SIZE);
  assert_int_equal(dtc_cluster_find("aws-p5", &out, NULL), DTC_E_SIZE);
  err.struct_size = 4;
  DTC_INIT(&out);
  assert_int_equal(dtc_cluster_resolve(&c, &out, &err), DTC_E_SIZE);
  assert_int_equal(dtc_gpu_find("h200", &out, &err), DTC_E_SIZE);
  assert_int_equal(dtc_cluster_find("aws-p5", &out, &err), DTC_E_SIZE);
}

static void a_longer_struct_may_not_hold_unknown_values(void **state)
{
  (void)state;
  struct {
    dtc_cluster c;
    uint64_t later;
  } in = {.c = smallest(), .later = 0}, out = {.c = smallest(), .later = 7};
  in.c.struct_size = out.c.struct_size = sizeof in;
  assert_int_equal(dtc_cluster_resolve(&in.c, &out.c, NULL), DTC_OK);
  assert_true(out.later == 0 && out.c.struct_size == sizeof out && out.c.gpus_per_node == 8);

  in.later = 1;
  dtc_error err;
  DTC_INIT(&err);
  assert_int_equal(dtc_cluster_resolve(&in.c, &out.c, &err), DTC_E_NEWER);
  assert_int_equal(err.rule, DTC_RULE_STRUCT_NEWER);
}

static void internal_reader_resolves(void **state)
{
  (void)state;
  dtc_cluster c = smallest();
  dtc_cluster local;
  dtc_error e;
  assert_int_equal(dtci_cluster_in(&c, &local, &e), DTC_OK);
  assert_true(local.gpus_per_node == 8 && local.usable == c.memory);
}

/* ---- catalogues -------------------------------------------------------------------------------------------------- */

static int at_most(double low, double high)
{
  return low <= high;
}

/* A dense peak is at most twice that of the type twice as wide (Blackwell Ultra's fp4: three times), so a sparse figure
 * that slipped in shows. GeForce cards halve fp16 and fp8 when they accumulate in fp32, not int8 and fp4. */
static void check_gpu(const char *name, const dtc_cluster *c)
{
  int ok = c->vendor != DTC_VENDOR_DEFAULT && (c->compute >= 70) == (c->vendor == DTC_VENDOR_NVIDIA);
  ok &= c->memory >= DTCI_GIB(16) && c->usable <= c->memory && c->usable >= c->memory / 100 * 90;
  ok &= c->fp16 >= 70e12 && c->fp16 <= 2600e12 && at_most(c->fp32, c->fp16);
  ok &= c->bf16 <= 0 || bits(c->bf16) == bits(c->fp16);
  double halved = strncmp(name, "rtx-", 4) == 0 ? 2 : 1;
  ok &= at_most(c->tf32, c->fp16 / 2 * 1.02) && at_most(c->fp8, c->fp16 * 2.03);
  ok &= at_most(c->fp4, c->fp8 * (halved > 1 ? 4.01 : 3.01)) && at_most(c->int8, c->fp16 * 2.03 * halved);
  ok &= c->hbm_bandwidth >= 600e9 && c->hbm_bandwidth <= 8e12;
  ok &= c->nvlink_bandwidth <= 900e9 && c->pcie_bandwidth <= 450e9;
  ok &= (c->nics_per_node == 0) == (c->nic_bandwidth <= 0) && c->nic_bandwidth <= 100e9;
  ok &= c->gpus_per_node >= 1 && c->gpus_per_node <= 8 && c->nvlink_domain >= 1;
  ok &= c->nodes == 0;
  if (!ok)
    fail_msg("%s has an implausible number", name);
}

static void every_row_resolves_and_is_plausible(void **state)
{
  (void)state;
  assert_true(dtc_gpu_count() >= 27 && dtc_cluster_count() >= 20);
  for (size_t i = 0; i < dtc_gpu_count(); i++) {
    dtc_cluster c = check_gpu_named(dtc_gpu_name(i));
    dtc_cluster again;
    DTC_INIT(&again);
    assert_true(strlen(dtc_gpu_source(i)) > 0);
    check_gpu(dtc_gpu_name(i), &c);
    assert_int_equal(dtc_cluster_resolve(&c, &again, NULL), DTC_OK);
    assert_memory_equal(&c, &again, sizeof c);
  }
  for (size_t i = 0; i < dtc_cluster_count(); i++) {
    dtc_cluster c = cluster(dtc_cluster_name(i));
    assert_true(strlen(dtc_cluster_source(i)) > 0);
    check_gpu(dtc_cluster_name(i), &c);
    assert_true(c.nics_per_node > 0);
  }
}

/* What a cluster row may state: the rest comes from its GPU. */
static void cluster_rows_state_only_the_node(void **state)
{
  (void)state;
  for (size_t i = 0; i < dtci_clusters_count; i++) {
    dtc_cluster rest = dtci_clusters[i].node;
    dtc_cluster zero;
    dtc_cluster board = check_gpu_named(dtci_clusters[i].gpu);
    dtc_cluster c = cluster(dtci_clusters[i].name);
    memset(&zero, 0, sizeof zero);
    rest.nvlink_domain = 0;
    rest.nic_bandwidth = rest.node_power = rest.host_bandwidth = 0;
    rest.nics_per_node = rest.gpus_per_node = rest.host_memory = 0;
    rest.fabric = DTC_FABRIC_DEFAULT;
    assert_memory_equal(&rest, &zero, sizeof zero);
    assert_true(c.memory == board.memory && c.usable == board.usable && c.compute == board.compute);
    same(c.bf16, board.bf16);
    same(c.nvlink_bandwidth, board.nvlink_bandwidth);
    same(c.power, board.power);
    same(c.mtbf, board.mtbf);
    assert_int_equal(c.sms, board.sms);
  }
}

/* A name is found at its own row only, so that no other name equals it when case, '-' and '_' are left out. */
static void names_are_unique(void **state)
{
  (void)state;
  size_t nearest = 0;
  for (size_t i = 0; i < dtci_gpus_count; i++) {
    const char *name = dtci_gpus[i].name;
    assert_true(dtci_name_find(dtci_gpus[0].name, dtci_gpus_count, sizeof dtci_gpus[0], name, strlen(name), &nearest) ==
                i);
    assert_true(dtci_name_find(dtci_clusters[0].name, dtci_clusters_count, sizeof dtci_clusters[0], name, strlen(name),
                               &nearest) == dtci_clusters_count);
  }
  for (size_t i = 0; i < dtci_clusters_count; i++) {
    const char *name = dtci_clusters[i].name;
    assert_true(dtci_name_find(dtci_clusters[0].name, dtci_clusters_count, sizeof dtci_clusters[0], name, strlen(name),
                               &nearest) == i);
  }
}

static void names_as_people_write_them(void **state)
{
  (void)state;
  dtc_cluster c = check_gpu_named("H100_80GB");
  dtc_cluster d = check_gpu_named("h100-80gb");
  assert_memory_equal(&c, &d, sizeof c);
  c = cluster("DGX_H100");
  d = cluster("dgx-h100");
  assert_memory_equal(&c, &d, sizeof c);
}

static void peaks_are_the_dense_ones(void **state)
{
  (void)state;
  static const struct {
    char name[24];
    double bf16;
    double fp8;
    double fp4;
  } rows[] = {
      {"a100-80gb", 312e12, 0, 0},
      {"h100-80gb", 989.4e12, 1978.9e12, 0},
      {"h100-80gb-pcie", 756.5e12, 1513e12, 0},
      {"h100-nvl", 835.5e12, 1670.5e12, 0},
      {"h200", 989.4e12, 1978.9e12, 0},
      {"b200", 2250e12, 4500e12, 9000e12},
      {"b300", 2250e12, 4500e12, 13500e12},
      {"gb200", 2500e12, 5000e12, 10000e12},
      {"gb300", 2500e12, 5000e12, 15000e12},
      {"mi300x", 1307.4e12, 2614.9e12, 0},
      {"l40s", 362.05e12, 733e12, 0},
      {"rtx-4090", 165.2e12, 330.3e12, 0},
      {"rtx-3090", 71e12, 0, 0},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    dtc_cluster c = check_gpu_named(rows[i].name);
    same(c.bf16, rows[i].bf16);
    same(c.fp8, rows[i].fp8);
    same(c.fp4, rows[i].fp4);
  }
  same(check_gpu_named("v100-32gb").fp16, 125e12);
  same(check_gpu_named("v100-32gb").bf16, 0);
}

static void links_are_per_direction(void **state)
{
  (void)state;
  same(check_gpu_named("a100-80gb").nvlink_bandwidth, 300e9);
  same(check_gpu_named("h100-80gb").nvlink_bandwidth, 450e9);
  same(check_gpu_named("h800-80gb").nvlink_bandwidth, 200e9);
  same(check_gpu_named("b200").nvlink_bandwidth, 900e9);
  same(check_gpu_named("a100-80gb").pcie_bandwidth, 32e9);
  assert_int_equal(check_gpu_named("rtx-4090").nvlink_domain, 1);
  assert_int_equal(check_gpu_named("gb200").nvlink_domain, 72);
}

/* fp32 peak = SMs * lanes * 2 * boost clock, which data sheets print too: a wrong count shows in the clock. V100, A100
 * and MI250X have 64 lanes, all later ones 128 (white papers). */
static double boost_ghz(const dtc_cluster *c)
{
  int half = (c->compute >= 70 && c->compute <= 80) || (c->vendor == DTC_VENDOR_AMD && c->fp8 <= 0);
  return c->fp32 / (c->sms * (half ? 64 : 128) * 2.0) / 1e9;
}

static void every_gpu_has_units_and_power(void **state)
{
  (void)state;
  for (size_t i = 0; i < dtc_gpu_count(); i++) {
    dtc_cluster c = check_gpu_named(dtc_gpu_name(i));
    if (c.vendor != DTC_VENDOR_NVIDIA && c.vendor != DTC_VENDOR_AMD)
      continue;
    if (c.sms < 70 || c.sms > 304 || c.power < 280 || c.power > 1400)
      fail_msg("%s has an implausible count or power", dtc_gpu_name(i));
    if (boost_ghz(&c) < 1.4 || boost_ghz(&c) > 2.53)
      fail_msg("%s: fp32 and SMs mean %d MHz", dtc_gpu_name(i), (int)(boost_ghz(&c) * 1000));
  }
}

static void units_clocks_and_power_of_data_sheets(void **state)
{
  (void)state;
  static const struct {
    char name[20];
    uint32_t sms;
    double ghz; /* boost clock of the sheet, or of the white paper */
    double power;
  } rows[] = {
      {"v100-32gb", 80, 1.53, 300},       {"a100-80gb", 108, 1.41, 400},       {"a100-80gb-pcie", 108, 1.41, 300},
      {"h100-80gb", 132, 1.98, 700},      {"h100-80gb-pcie", 114, 1.755, 350}, {"h100-nvl", 132, 1.785, 400},
      {"h100-96gb-500w", 132, 1.98, 500}, {"mi250x", 110, 1.7, 280},           {"mi300x", 304, 2.1, 750},
      {"mi325x", 304, 2.1, 1000},         {"mi355x", 256, 2.4, 1400},          {"l40s", 142, 2.52, 350},
      {"rtx-3090", 82, 1.695, 350},       {"rtx-4090", 128, 2.52, 450},        {"rtx-5090", 170, 2.407, 575},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    dtc_cluster c = check_gpu_named(rows[i].name);
    double off = boost_ghz(&c) / rows[i].ghz;
    if (c.sms != rows[i].sms || bits(c.power) != bits(rows[i].power) || off < 0.99 || off > 1.01)
      fail_msg("%s: %u SMs, %d W, %d MHz", rows[i].name, c.sms, (int)c.power, (int)(boost_ghz(&c) * 1000));
  }
  /* what the driver says: torch device properties, nvidia-smi */
  assert_int_equal(check_gpu_named("h20").sms, 78);
  assert_int_equal(check_gpu_named("b200").sms, 148);
  assert_int_equal(check_gpu_named("b300").sms, 148);
  assert_int_equal(check_gpu_named("gb300").sms, 152);
  same(check_gpu_named("b300").power, 1100);
  same(check_gpu_named("ascend-910b").power, 0);
}

/* 6.5, 10.2 and 14.3 kW with 8 GPUs of 400, 700 and 1000 W (data sheets of the DGX) */
static void nodes_beside_their_gpus(void **state)
{
  (void)state;
  same(cluster("dgx-a100").node_power, 3300);
  same(cluster("dgx-h100").node_power, 4600);
  same(cluster("dgx-b200").node_power, 6300);
  same(cluster("aws-p5").node_power, 0);
  same(cluster("dgx-a100").host_bandwidth, 2 * 8 * 3200e6 * 8);
  same(cluster("dgx-h100").host_bandwidth, 2 * 8 * 4400e6 * 8);
  same(cluster("gb200-nvl72").host_bandwidth, 768e9);
  same(cluster("hgx-h100").host_bandwidth, 0);
}

/* Llama 3: one of 16384 GPUs failed every 3.1 hours of 54 days; RSC-1: a job of 16384 GPUs runs for 1.8 hours. */
static void published_failures(void **state)
{
  (void)state;
  double h100 = check_gpu_named("h100-80gb").mtbf / 16384;
  double a100 = check_gpu_named("a100-80gb").mtbf / 16384;
  assert_true(h100 > 3.05 && h100 < 3.15 && a100 > 1.75 && a100 < 1.85);
  same(cluster("dgx-h100").mtbf, check_gpu_named("h100-80gb").mtbf);
  same(check_gpu_named("b200").mtbf, 0);
}

static void check_network(const char *name, double gbit)
{
  dtc_cluster c = cluster(name);
  double total = (double)c.nics_per_node * c.nic_bandwidth * 8 / 1e9;
  if (bits(total) != bits(gbit))
    fail_msg("%s has %d Gbit/s, not %d", name, (int)total, (int)gbit);
}

static void networks_of_the_clouds(void **state)
{
  (void)state;
  check_network("dgx-a100", 1600);
  check_network("dgx-h100", 3200);
  check_network("dgx-b300", 6400);
  check_network("gb200-nvl72", 1600);
  check_network("aws-p4d", 400);
  check_network("aws-p5", 3200);
  check_network("aws-p5en", 3200);
  check_network("azure-nd-h100-v5", 3200);
  check_network("gcp-a3-high", 800);
  check_network("gcp-a3-mega", 1600);
  check_network("gcp-a3-ultra", 3200);
  assert_int_equal(cluster("gb300-nvl72").gpus_per_node, 4);
  assert_int_equal(cluster("pcie-node").nvlink_domain, 1);
}

/* ---- names that are not known ------------------------------------------------------------------------------------ */

typedef dtc_status finder(const char *name, dtc_cluster *out, dtc_error *err);

static dtc_error refused(finder *find, const char *name, dtc_rule rule)
{
  dtc_cluster out;
  dtc_cluster untouched;
  dtc_error err;
  memset(&out, 0x5a, sizeof out);
  out.struct_size = sizeof out;
  untouched = out;
  DTC_INIT(&err);
  assert_int_equal(find(name, &out, &err), DTC_E_UNKNOWN);
  assert_int_equal(err.status, DTC_E_UNKNOWN);
  assert_int_equal(err.rule, rule);
  assert_int_equal(err.field, DTCI_ARG(NAME));
  assert_memory_equal(&out, &untouched, sizeof out);
  return err;
}

static void unknown_names_give_the_nearest(void **state)
{
  (void)state;
  dtc_error err = refused(dtc_gpu_find, "h100-81gb", DTC_RULE_GPU_NAME);
  assert_string_equal(dtc_gpu_name((size_t)err.lower), "h100-80gb");
  err = refused(dtc_gpu_find, "rtx4091", DTC_RULE_GPU_NAME);
  assert_string_equal(dtc_gpu_name((size_t)err.lower), "rtx-4090");
  err = refused(dtc_cluster_find, "aws-p55", DTC_RULE_CLUSTER_NAME);
  assert_string_equal(dtc_cluster_name((size_t)err.lower), "aws-p5");

  err = refused(dtc_gpu_find, NULL, DTC_RULE_GPU_NAME);
  assert_true(err.lower == DTC_NONE);
  err = refused(dtc_cluster_find, NULL, DTC_RULE_CLUSTER_NAME);
  assert_true(err.lower == DTC_NONE);
  err = refused(dtc_gpu_find, "", DTC_RULE_GPU_NAME);
  assert_true(err.lower == DTC_NONE);
  err = refused(dtc_gpu_find, "abacus", DTC_RULE_GPU_NAME);
  assert_true(err.lower == DTC_NONE);
}

static void gpus_and_clusters_are_kept_apart(void **state)
{
  (void)state;
  refused(dtc_gpu_find, "dgx-h100", DTC_RULE_GPU_NAME);
  refused(dtc_cluster_find, "h100-80gb", DTC_RULE_CLUSTER_NAME);
}

static void an_index_beyond_the_end_has_no_name(void **state)
{
  (void)state;
  assert_null(dtc_gpu_name(dtc_gpu_count()));
  assert_null(dtc_gpu_source(dtc_gpu_count()));
  assert_null(dtc_cluster_name(dtc_cluster_count()));
  assert_null(dtc_cluster_source(SIZE_MAX));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(defaults_are_filled_once),
      cmocka_unit_test(what_is_said_stays),
      cmocka_unit_test(usable_beyond_memory_is_a_conflict),
      cmocka_unit_test(values_outside_their_range_are_refused),
      cmocka_unit_test(struct_sizes_are_checked),
      cmocka_unit_test(a_longer_struct_may_not_hold_unknown_values),
      cmocka_unit_test(internal_reader_resolves),
      cmocka_unit_test(every_row_resolves_and_is_plausible),
      cmocka_unit_test(cluster_rows_state_only_the_node),
      cmocka_unit_test(names_are_unique),
      cmocka_unit_test(names_as_people_write_them),
      cmocka_unit_test(peaks_are_the_dense_ones),
      cmocka_unit_test(links_are_per_direction),
      cmocka_unit_test(every_gpu_has_units_and_power),
      cmocka_unit_test(units_clocks_and_power_of_data_sheets),
      cmocka_unit_test(nodes_beside_their_gpus),
      cmocka_unit_test(published_failures),
      cmocka_unit_test(networks_of_the_clouds),
      cmocka_unit_test(unknown_names_give_the_nearest),
      cmocka_unit_test(gpus_and_clusters_are_kept_apart),
      cmocka_unit_test(an_index_beyond_the_end_has_no_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

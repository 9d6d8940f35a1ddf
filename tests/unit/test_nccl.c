/* NCCL's tuning: systems and what is refused, right values of tables and choices, where the choice changes held against
 * the choice itself, the tuner's file line by line. The vectors of tests/golden cover the formulas. */
#include "check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { AR = DTC_COLLECTIVE_ALL_REDUCE, RS, AG, REDUCE, BROADCAST };
enum { TREE = DTC_NCCL_ALGORITHM_TREE, RING, DIRECT, CHAIN, NVLS, NVLS_TREE, PAT };
enum { LL = DTC_NCCL_PROTOCOL_LL, LL128, SIMPLE };
enum { V2_21 = 2021005, V2_27 = 2027007, V2_30 = 2030007 };

static const uint64_t KIB = 1024, MIB = 1 << 20, GIB = 1 << 30;
static dtc_error err;

static dtc_nccl on(const char *system, uint32_t version, uint64_t nodes, uint64_t per_node)
{
  dtc_nccl n;
  DTC_INIT(&n);
  DTC_INIT(&err);
  check_ok(dtc_nccl_find(system, version, nodes, per_node, &n, &err), &err);
  return n;
}

static void line_is(const char *line)
{
  char got[256];
  dtc_error_format(&err, DTC_LANG_EN, got, sizeof got);
  assert_string_equal(got, line);
}

/* ---- systems --------------------------------------------------------------------------------- */

static void every_system_is_found(void **state)
{
  (void)state;
  assert_int_equal(dtc_nccl_count(), 14);
  for (size_t i = 0; i < dtc_nccl_count(); i++) {
    char name[32];
    unsigned gpus = 8;
    snprintf(name, sizeof name, "%s", dtc_nccl_name(i));
    if (strncmp(name, "gb200-nvl", 9) == 0)
      gpus = (unsigned)strtoul(name + 9, NULL, 10);
    dtc_nccl one = on(name, 0, 1, gpus);
    dtc_nccl more = on(name, 0, 1024, gpus);
    for (char *c = name; *c != 0; c++)
      *c = *c == '-' ? '_' : *c;
    dtc_nccl same = on(name, V2_30, 1, gpus);
    assert_memory_equal(&one, &same, sizeof one);
    assert_true(more.ring_channels > 0 && more.ring_intra > 0 && more.ring_inter <= more.ring_intra);
    assert_true(strlen(dtc_nccl_source(i)) > 20);
  }
  assert_null(dtc_nccl_name(dtc_nccl_count()));
  assert_null(dtc_nccl_source(SIZE_MAX));
}

static void a_system_has_its_search_result(void **state)
{
  (void)state;
  dtc_nccl n = on("h100-8x400", 0, 4, 8);
  assert_true(n.version == V2_30 && n.compute == 90 && n.cpu == DTC_NCCL_CPU_INTEL && n.nodes == 4 && n.per_node == 8);
  assert_true(n.ring_channels == 8 && n.ring_intra == 48e9 && n.tree_pattern == DTC_NCCL_PATTERN_TREE);
  assert_true(n.nvls_channels == 8 && n.nvls_intra == 40e9 && n.nvls_inter == 48e9 && n.channels == 16);
  assert_true(n.collnet == DTC_BOOL_OFF && n.ll128 == DTC_BOOL_ON && n.same_rings == DTC_BOOL_OFF);
  assert_true(on("h100-8x400-amd", 0, 4, 8).cpu == DTC_NCCL_CPU_AMD);
  n = on("h100-8x400", 0, 4, 1);
  assert_true(n.ring_channels == 2 && n.nvls_channels == 0 && n.same_rings == DTC_BOOL_ON && n.nvlink == DTC_BOOL_OFF);
  assert_true(on("b200-8x400", V2_27, 1, 8).tree_intra == 40e9 && on("b200-8x400", 0, 1, 8).tree_intra == 45e9);
  assert_true(on("gb200-nvl72", 0, 2, 72).cpu == DTC_NCCL_CPU_ARM);
  assert_int_equal(on("b200-8x400", 0, 2, 8).channels, 16);
  assert_int_equal(on("gb200-nvl16", 0, 2, 16).channels, 32);
}

static dtc_status find(const char *name, uint32_t version, uint64_t nodes, uint64_t per_node)
{
  dtc_nccl n;
  dtc_nccl before;
  DTC_INIT(&n);
  DTC_INIT(&err);
  before = n;
  dtc_status status = dtc_nccl_find(name, version, nodes, per_node, &n, &err);
  assert_memory_equal(&n, &before, sizeof n);
  return status;
}

static void what_is_not_known_is_refused(void **state)
{
  (void)state;
  assert_int_equal(find("h100-8x40", 0, 2, 8), DTC_E_UNKNOWN);
  assert_int_equal(err.rule, DTC_RULE_NCCL_SYSTEM);
  assert_string_equal(dtc_nccl_name(err.lower), "h100-8x400");
  assert_int_equal(find(NULL, 0, 2, 8), DTC_E_UNKNOWN);
  assert_int_equal(err.lower, DTC_NONE);
  assert_int_equal(find("b200-8x400", V2_21, 2, 8), DTC_E_UNSUPPORTED);
  line_is("version = 2.21.5: NCCL's constants or this system's search are known from 2.27 on");
  assert_int_equal(find("a100-8x200", 2020003, 2, 8), DTC_E_UNSUPPORTED);
  assert_int_equal(find("a100-8x200", 0, 2, 3), DTC_E_UNSUPPORTED);
  line_is("per_node = 3: this system's search is not known for so many ranks of a node; nearest legal: 2, 4");
  assert_int_equal(find("h100-8x200", 0, 2, 4), DTC_E_UNSUPPORTED);
  assert_true(err.rule == DTC_RULE_NCCL_PLACE && err.lower == DTC_NONE && err.upper == 8);
  assert_int_equal(find("b200-8x400", V2_27, 1, 4), DTC_E_UNSUPPORTED); /* its trees depend on the version */
  assert_int_equal(find("gb200-nvl8", 0, 2, 72), DTC_E_UNSUPPORTED);
  assert_int_equal(find("a100-8x200", 0, 1, 1), DTC_E_RANGE);
  assert_int_equal(err.rule, DTC_RULE_NCCL_RANKS);
  assert_int_equal(find("a100-8x200", 0, 0, 8), DTC_E_RANGE);
  assert_int_equal(find("a100-8x200", 0, 65537, 8), DTC_E_RANGE);
  assert_int_equal(find("a100-8x200", 0, 1, UINT64_MAX), DTC_E_RANGE);
  assert_int_equal(dtc_nccl_find("a100-8x200", 0, 1, 8, NULL, NULL), DTC_E_SIZE);
}

/* ---- defaults -------------------------------------------------------------------------------- */

/* What a log shows of two nodes without NVLink, and nothing else. */
static dtc_nccl plain(void)
{
  dtc_nccl n;
  DTC_INIT(&n);
  n.compute = 89;
  n.nodes = 2;
  n.per_node = 4;
  n.ring_channels = 2;
  n.tree_channels = 2;
  n.ring_intra = 12e9;
  n.tree_intra = 12e9;
  return n;
}

static void defaults_follow_and_resolving_twice_changes_nothing(void **state)
{
  (void)state;
  dtc_nccl n = plain();
  dtc_nccl once;
  dtc_nccl twice;
  DTC_INIT(&once);
  DTC_INIT(&twice);
  check_ok(dtc_nccl_resolve(&n, &once, &err), &err);
  check_ok(dtc_nccl_resolve(&once, &twice, &err), &err);
  assert_memory_equal(&once, &twice, sizeof once);
  assert_true(once.version == V2_30 && once.cpu == DTC_NCCL_CPU_INTEL && once.channels == 4);
  assert_true(once.ring_inter == 12e9 && once.tree_inter == 12e9 && once.nvls_inter == 0);
  assert_true(once.ll128 == DTC_BOOL_ON && once.fp8 == DTC_BOOL_OFF && once.same_rings == DTC_BOOL_OFF);
  n.version = V2_21;
  check_ok(dtc_nccl_resolve(&n, &once, &err), &err);
  assert_int_equal(once.ll128, DTC_BOOL_OFF); /* 8.9 had none then */
  n.nodes = 1;
  n.per_node = 31;
  check_ok(dtc_nccl_resolve(&n, &once, &err), &err);
  assert_int_equal(once.same_rings, DTC_BOOL_ON);
  n.per_node = 32;
  check_ok(dtc_nccl_resolve(&n, &once, &err), &err);
  assert_int_equal(once.same_rings, DTC_BOOL_OFF);
}

static uint64_t channels_of(dtc_nccl n)
{
  n.channels = 0;
  check_ok(dtc_nccl_resolve(&n, &n, &err), &err);
  return n.channels;
}

static void channels_follow_from_the_search(void **state)
{
  (void)state;
  dtc_nccl n = on("h100-8x400", 0, 2, 8);
  n.ring_channels = 4;
  assert_int_equal(channels_of(n), 16); /* above 45 GB/s: once more */
  n.ring_intra = 45e9;
  assert_int_equal(channels_of(n), 8);
  n.tree_channels = 3;
  assert_int_equal(channels_of(n), 6);
  n.collnet = DTC_BOOL_ON;
  n.chain_channels = 8;
  n.chain_intra = 60e9;
  n.chain_inter = 48e9;
  assert_int_equal(channels_of(n), 9);
  n.ring_channels = n.tree_channels = 64;
  assert_int_equal(channels_of(n), 64);
}

static void refuses(dtc_nccl n, dtc_status status, dtc_rule rule, const char *line)
{
  dtc_nccl out;
  dtc_nccl before;
  dtc_nccl_choice choice;
  DTC_INIT(&out);
  DTC_INIT(&err);
  before = out;
  assert_int_equal(dtc_nccl_resolve(&n, &out, &err), status);
  assert_int_equal(err.rule, rule);
  line_is(line);
  assert_memory_equal(&out, &before, sizeof out);
  assert_int_equal(dtc_nccl_choose(&n, AR, 1, &choice, NULL), status);
}

static void bad_communicators_are_refused(void **state)
{
  (void)state;
  dtc_nccl n = plain();
  n.version = 2020005;
  refuses(n, DTC_E_UNSUPPORTED, DTC_RULE_NCCL_VERSION,
          "version = 2.20.5: NCCL's constants or this system's search are known from 2.21 on");
  n = plain();
  n.nodes = n.per_node = 1;
  refuses(n, DTC_E_RANGE, DTC_RULE_NCCL_RANKS, "per_node = 1: NCCL tunes nothing for a single rank");
  n = plain();
  n.nvls_channels = 8;
  refuses(n, DTC_E_RANGE, DTC_RULE_NCCL_SEARCH, "nvls_intra = 0: a search that found channels has a bandwidth");
  n.nvls_intra = 0.5;
  refuses(n, DTC_E_RANGE, DTC_RULE_RANGE, "nvls_intra = 0.5: must be 1 to 1e+15");
  n.nvls_intra = 1;
  n.ring_inter = 0x1p-1074;
  refuses(n, DTC_E_RANGE, DTC_RULE_RANGE, "ring_inter = 4.94066e-324: must be 1 to 1e+15");
  n = plain();
  n.version = V2_27;
  n.collnet = DTC_BOOL_ON;
  refuses(n, DTC_E_UNSUPPORTED, DTC_RULE_NCCL_COLLNET, "collnet = on: known since NCCL 2.30, not for 2.27.7");
  n = plain();
  n.version = V2_21;
  n.fp8 = DTC_BOOL_ON;
  refuses(n, DTC_E_UNSUPPORTED, DTC_RULE_NCCL_FP8, "fp8 = on: came with NCCL 2.24, not in 2.21.5");
  n = plain();
  n.compute = 60;
  refuses(n, DTC_E_RANGE, DTC_RULE_RANGE, "compute = 60: must be 70 to 1000");
  n = plain();
  n.ring_channels = 0;
  refuses(n, DTC_E_RANGE, DTC_RULE_RANGE, "ring_channels = 0: must be 1 to 64");
}

/* ---- tables ---------------------------------------------------------------------------------- */

static dtc_nccl_row rows[DTC_NCCL_ROWS];
static size_t count;

static void tabulate(const dtc_nccl *n, dtc_collective op)
{
  DTC_INIT(&err);
  check_ok(dtc_nccl_table(n, op, rows, DTC_NCCL_ROWS, &count, &err), &err);
}

/* The row, or NULL. */
static const dtc_nccl_row *row_of(dtc_nccl n, dtc_collective op, uint32_t algorithm, uint32_t protocol)
{
  tabulate(&n, op);
  for (size_t i = 0; i < count; i++)
    if (rows[i].algorithm == algorithm && rows[i].protocol == protocol)
      return &rows[i];
  return NULL;
}

static void row_is(dtc_nccl n, dtc_collective op, uint32_t algorithm, uint32_t protocol, double us, double gbps)
{
  const dtc_nccl_row *row = row_of(n, op, algorithm, protocol);
  assert_non_null(row);
  check_near(row->latency, us * 1e-6);
  check_near(row->bandwidth, gbps * 1e9);
  assert_int_equal(row->usable, 1);
}

static void tables_have_right_values(void **state)
{
  (void)state;
  dtc_nccl n = on("h100-8x400", 0, 2, 8);
  row_is(n, AR, TREE, LL, 6.8 + 2 * (7 * .6 + 5), 39 * .85 / 2);
  row_is(n, AR, RING, SIMPLE, 8.4 + 28 * 3.4 + 2 * 14, 384. * 16 / 30);
  row_is(n, AG, RING, LL, 6.6 + 14 * 1. + 2.7, 39. * 16 / 15);
  row_is(n, AR, NVLS_TREE, SIMPLE, 25 + 2 * 20.9, 8 * 57.7 * 16 / 30);
  row_is(n, BROADCAST, RING, SIMPLE, 8.4 + 16 * 14, 384);
  assert_int_equal(count, 3); /* broadcasts have rings alone */
  n = on("h100-8x400", 0, 1, 8);
  row_is(n, AR, NVLS, SIMPLE, 25, 272);
  row_is(n, AG, NVLS, SIMPLE, 25, 208.25);
  row_is(n, REDUCE, RING, LL, 7.2, 141);
  row_is(on("a100-8x200", 0, 2, 1), AG, PAT, SIMPLE, 8 + 4 + 5.6, 36);
  row_is(on("h100-8x400-sharp", 0, 1, 8), AR, DIRECT, SIMPLE, 44, 204);
  row_is(on("h100-8x400-sharp", 0, 2, 8), AR, CHAIN, SIMPLE, 2 * 7 * 2.8 + 30, 192);
}

static void versions_differ(void **state)
{
  (void)state;
  dtc_nccl n = on("h100-8x400", V2_21, 2, 8);
  row_is(n, AR, RING, SIMPLE, 8.4 + 26 * 3.4 + 4 * 14, 204.8);
  row_is(n, AR, TREE, SIMPLE, 2 * (7 * 28 + 28), 331.2 * .85 / 2);
  row_is(n, AR, NVLS_TREE, SIMPLE, 25 + 28, 320. * 5 / 6);
  n = on("h100-8x400", V2_27, 4, 8);
  row_is(n, AR, NVLS_TREE, SIMPLE, 25 + 56, 192. * 5 / 6);
  dtc_nccl_row old = *row_of(on("h100-8x400", V2_27, 1, 8), AG, NVLS, SIMPLE);
  check_near(old.bandwidth, 280e9);
  row_is(on("b200-8x400", V2_27, 2, 8), AR, RING, LL128, 14 + 28 * 1.9 + 8, 353.28 * 16 / 30);
  dtc_nccl between = on("h100-8x400", 2028003, 2, 8);
  n = on("h100-8x400", V2_27, 2, 8);
  tabulate(&between, AR);
  dtc_nccl_row kept[DTC_NCCL_ROWS];
  memcpy(kept, rows, sizeof kept);
  tabulate(&n, AR);
  assert_memory_equal(kept, rows, count * sizeof rows[0]);
  n = on("h100-8x400", 0, 2, 8);
  n.version = DTC_MAIN;
  row_is(n, AR, NVLS_TREE, SIMPLE, 25 + 41.8, 8 * 57.7 * 16 / 30);
}

static void switches_and_processors_matter(void **state)
{
  (void)state;
  dtc_nccl n = on("h100-8x400", 0, 2, 8);
  dtc_nccl off = n;
  off.ll128 = DTC_BOOL_OFF;
  assert_non_null(row_of(n, AR, RING, LL128));
  assert_null(row_of(off, AR, RING, LL128));
  assert_null(row_of(n, AR, NVLS, SIMPLE)); /* on several nodes only with collnet */
  off.nvls_channels = 1;
  assert_null(row_of(off, AR, NVLS_TREE, SIMPLE));
  off.nvlink = DTC_BOOL_OFF;
  row_is(off, AR, TREE, LL, 6.8 + 2 * (7 * 1. + 5), 39 * .85 / 2);
  double usual = row_of(off, AR, TREE, SIMPLE)->latency;
  off.cpu = DTC_NCCL_CPU_POWER;
  check_near(row_of(off, AR, TREE, SIMPLE)->latency, usual + 2 * 7 * 1.7e-6);
  n.cpu = DTC_NCCL_CPU_AMD; /* posts cost twice, LL has another limit */
  row_is(n, AR, RING, LL, 6.6 + 28 * 2. + 2 * 2.7, 22.5 * 16 / 30);
  n.cpu = DTC_NCCL_CPU_MIXED;
  row_is(n, AR, RING, LL, 6.6 + 28 * 1. + 2 * 2.7, 22.5 * 16 / 30);
  n.same_rings = DTC_BOOL_ON;
  row_is(n, REDUCE, RING, LL, 6.6 + 2.7, 22.5);
}

static void too_many_ranks_of_a_node_are_in_the_table_but_not_taken(void **state)
{
  (void)state;
  dtc_nccl_choice c;
  dtc_nccl n = on("gb200-nvl72", 0, 1, 72);
  assert_int_equal(row_of(n, AG, NVLS, SIMPLE)->usable, 0);
  assert_int_equal(row_of(n, AR, NVLS, SIMPLE)->usable, 1);
  check_ok(dtc_nccl_choose(&n, AG, GIB, &c, &err), &err);
  assert_int_equal(c.algorithm, RING);
  n = on("h100-8x400-sharp", 0, 2, 8);
  n.per_node = 16;
  assert_int_equal(row_of(n, AR, DIRECT, SIMPLE)->usable, 0);
}

static void tables_are_in_order_and_need_space(void **state)
{
  (void)state;
  dtc_nccl n = on("h100-8x400-sharp", 0, 2, 8);
  tabulate(&n, AR);
  assert_int_equal(count, 10);
  for (size_t i = 1; i < count; i++)
    assert_true(rows[i - 1].algorithm * 4 + rows[i - 1].protocol < rows[i].algorithm * 4 + rows[i].protocol);
  count = 0;
  assert_int_equal(dtc_nccl_table(&n, AR, rows, 9, &count, &err), DTC_E_SPACE);
  assert_int_equal(count, 10);
  for (dtc_collective op = 0; op < 12; op++) {
    int known = op >= AR && op <= BROADCAST;
    assert_int_equal(dtc_nccl_table(&n, op, rows, DTC_NCCL_ROWS, &count, &err), known ? DTC_OK : DTC_E_UNSUPPORTED);
  }
  line_is("op = 11: NCCL has a model of all_reduce to broadcast (1 to 5) alone");
  assert_int_equal(dtc_nccl_table(NULL, AR, rows, DTC_NCCL_ROWS, &count, &err), DTC_E_SIZE);
}

/* ---- choices --------------------------------------------------------------------------------- */

static dtc_nccl_choice choose(dtc_nccl n, dtc_collective op, uint64_t bytes)
{
  dtc_nccl_choice c = {0};
  DTC_INIT(&err);
  check_ok(dtc_nccl_choose(&n, op, bytes, &c, &err), &err);
  check_near(c.seconds, c.latency + (double)bytes / c.bandwidth);
  return c;
}

static void takes(dtc_nccl n, dtc_collective op, uint64_t bytes, uint32_t algorithm, uint32_t protocol)
{
  dtc_nccl_choice c = choose(n, op, bytes);
  if (c.algorithm != algorithm || c.protocol != protocol)
    fail_msg("%" PRIu64 " bytes: %s %s", bytes, dtc_value_name(DTC_FIELD(nccl_choice, algorithm), c.algorithm),
             dtc_value_name(DTC_FIELD(nccl_choice, protocol), c.protocol));
}

static void the_choice_is_nccls(void **state)
{
  (void)state;
  dtc_nccl n = on("a100-8x200", 0, 2, 8);
  takes(n, AR, 128 * KIB, TREE, LL);
  takes(n, AR, 256 * KIB, TREE, LL128);
  takes(n, AR, 16 * MIB, RING, LL128);
  takes(n, AR, 128 * MIB, RING, SIMPLE);
  n = on("h100-8x400", 0, 1, 8);
  takes(n, AR, MIB, RING, LL);
  takes(n, AR, 2 * MIB, NVLS, SIMPLE);
  takes(n, AG, 16 * GIB, RING, SIMPLE);
  n = on("h100-8x400", 0, 8, 8);
  takes(n, AR, 16 * MIB, NVLS_TREE, SIMPLE);
  takes(n, AR, 4 * GIB, RING, SIMPLE);
  takes(on("h100-8x400-sharp", 0, 4, 8), AR, 64 * KIB, NVLS, SIMPLE);
  takes(on("h100-8x400", 0, 64, 1), AG, MIB, PAT, SIMPLE);
  takes(on("h100-8x400", V2_27, 2, 8), AR, 512 * KIB, NVLS_TREE, SIMPLE);
  takes(on("h100-8x400", V2_30, 2, 8), AR, 512 * KIB, TREE, LL128);
  assert_true(choose(n, AR, 0).seconds > 0);
}

static void channels_are_those_that_have_enough_to_do(void **state)
{
  (void)state;
  dtc_nccl n = on("h100-8x400", 0, 1, 8);
  assert_int_equal(choose(n, AR, 32 * KIB).channels, 1);
  assert_int_equal(choose(n, AR, 128 * KIB).channels, 4);
  assert_int_equal(choose(n, AR, MIB).channels, 24);
  assert_int_equal(choose(n, AR, GIB).channels, 16); /* NVLS */
  assert_int_equal(choose(on("b200-8x400", 0, 1, 8), AR, GIB).channels, 24);
  assert_int_equal(choose(on("b200-8x400", 0, 2, 8), AR, GIB).channels, 32);
  assert_int_equal(choose(on("h100-8x400", 0, 64, 1), AG, MIB).channels, 4); /* PAT */
}

/* The chain of CollNet gives a channel 640 threads of 512 bytes each at least, as NCCL's enqueue.cc does. */
static void channels_of_a_collnet_chain(void **state)
{
  (void)state;
  enum { EACH = 640 * 512 };
  dtc_nccl n = plain();
  n.version = V2_30;
  n.nodes = 64;
  n.ring_channels = n.tree_channels = n.chain_channels = 8;
  n.ring_intra = n.tree_intra = 1e9;
  n.chain_intra = 20e9;
  n.collnet = DTC_BOOL_ON;
  takes(n, AR, 5 * EACH, DTC_NCCL_ALGORITHM_COLLNET_CHAIN, SIMPLE);
  assert_int_equal(choose(n, AR, 5 * EACH).channels, 5);
  assert_int_equal(choose(n, AR, 5 * EACH - 1).channels, 4);
  assert_int_equal(choose(n, AR, GIB).channels, 16);
  n.chain_inter = 10e9; /* faster inside nodes: half as many again */
  assert_int_equal(choose(n, AR, GIB).channels, 24);
}

static void fp8_keeps_away_from_long_rings(void **state)
{
  (void)state;
  dtc_nccl n = on("a100-8x200", 0, 2, 8);
  dtc_nccl_choice usual = choose(n, AG, GIB);
  n.fp8 = DTC_BOOL_ON;
  takes(n, AR, 128 * MIB, TREE, SIMPLE);
  dtc_nccl_choice c = choose(n, AG, GIB); /* nothing but rings */
  assert_memory_equal(&c, &usual, sizeof c);
  n = on("a100-8x200", 0, 1, 8);
  n.fp8 = DTC_BOOL_ON;
  takes(n, AR, 128 * MIB, RING, SIMPLE); /* of 8 ranks */
}

/* Without corrections by size a larger vector takes longer; with them the tree's estimate falls where the factor rises. */
static void time_grows_with_bytes_and_falls_with_bandwidth(void **state)
{
  (void)state;
  for (size_t i = 0; i < dtc_nccl_count(); i++) {
    unsigned gpus = strncmp(dtc_nccl_name(i), "gb200", 5) == 0 ? (unsigned)strtoul(dtc_nccl_name(i) + 9, NULL, 10) : 8;
    dtc_nccl n = on(dtc_nccl_name(i), 0, 1 + i % 5, gpus);
    dtc_nccl faster = n;
    faster.ring_intra *= 2;
    faster.ring_inter *= 2;
    double wire = (double)n.ring_channels * n.ring_intra * (double)(n.nodes * gpus) / (double)(n.nodes * gpus - 1);
    double before = 0;
    for (uint64_t bytes = 1; bytes < 64 * GIB; bytes += bytes / 3 + 1) {
      double t = choose(n, RS, bytes).seconds;
      assert_true(t > before && choose(faster, RS, bytes).seconds <= t);
      before = t;
      dtc_nccl_choice c = choose(n, RS, bytes);
      assert_true(c.algorithm != RING || (double)bytes / t <= wire);
    }
    double half = row_of(n, AR, RING, SIMPLE)->bandwidth;
    check_near(row_of(n, AG, RING, SIMPLE)->bandwidth, 2 * half);
  }
}

/* ---- switch points --------------------------------------------------------------------------- */

static dtc_nccl_range ranges[DTC_NCCL_RANGES];

static size_t switch_points(dtc_nccl n, dtc_collective op, uint64_t first, uint64_t last)
{
  size_t found = 0;
  DTC_INIT(&err);
  check_ok(dtc_nccl_switches(&n, op, first, last, ranges, DTC_NCCL_RANGES, &found, &err), &err);
  return found;
}

static int is_choice(const dtc_nccl_range *r, const dtc_nccl_choice *c)
{
  return r->algorithm == c->algorithm && r->protocol == c->protocol;
}

/* Each range's first size takes its pair, the size before the one before, and so do sizes between. */
static void check_ranges(dtc_nccl n, dtc_collective op, uint64_t first, uint64_t last)
{
  static uint64_t seed = 1;
  size_t found = switch_points(n, op, first, last);
  assert_true(found > 0 && ranges[0].first == first);
  for (size_t i = 0; i < found; i++) {
    dtc_nccl_choice c = choose(n, op, ranges[i].first);
    uint64_t end = i + 1 < found ? ranges[i + 1].first - 1 : last;
    assert_true(is_choice(&ranges[i], &c) && ranges[i].seconds == c.seconds && end >= ranges[i].first);
    c = choose(n, op, end);
    assert_true(is_choice(&ranges[i], &c));
    for (int k = 0; k < 20; k++) {
      uint64_t span = end - ranges[i].first;
      c = choose(n, op, ranges[i].first + (span == 0 ? 0 : check_random(&seed, span)));
      assert_true(is_choice(&ranges[i], &c));
    }
    assert_true(i == 0 || ranges[i - 1].algorithm != ranges[i].algorithm ||
                ranges[i - 1].protocol != ranges[i].protocol);
  }
}

static void ranges_are_those_of_the_choice(void **state)
{
  (void)state;
  for (size_t i = 0; i < dtc_nccl_count(); i++) {
    unsigned gpus = strncmp(dtc_nccl_name(i), "gb200", 5) == 0 ? (unsigned)strtoul(dtc_nccl_name(i) + 9, NULL, 10) : 8;
    for (uint64_t nodes = 1; nodes <= 1024; nodes *= 4)
      for (dtc_collective op = AR; op <= BROADCAST; op++) {
        check_ranges(on(dtc_nccl_name(i), 0, nodes, gpus), op, 0, UINT64_MAX);
        check_ranges(on(dtc_nccl_name(i), 0, nodes, gpus), op, 1000 * nodes, 16 * GIB);
      }
  }
  check_ranges(on("h100-8x400", 0, 64, 1), AG, 0, UINT64_MAX);
  check_ranges(on("h100-8x400", V2_21, 8, 8), AR, 0, UINT64_MAX);
}

static void ranges_have_right_values(void **state)
{
  (void)state;
  dtc_nccl n = on("h100-8x400", 0, 2, 8);
  assert_int_equal(switch_points(n, AR, 0, UINT64_MAX), 4);
  assert_true(ranges[1].first == 203895 && ranges[1].algorithm == RING && ranges[1].protocol == LL);
  assert_true(ranges[2].first == 244816 && ranges[2].algorithm == TREE && ranges[2].protocol == LL128);
  assert_true(ranges[3].first == 1968826 && ranges[3].algorithm == NVLS_TREE);
  assert_int_equal(switch_points(n, AR, 203895, 203895), 1);
  assert_int_equal(switch_points(n, AR, 203894, 203895), 2);
  size_t found = 0;
  assert_int_equal(dtc_nccl_switches(&n, AR, 2, 1, ranges, DTC_NCCL_RANGES, &found, &err), DTC_E_RANGE);
  assert_true(err.field == DTC_ARG_LAST && err.min == 2);
  assert_int_equal(dtc_nccl_switches(&n, AR, 0, GIB, ranges, 3, &found, &err), DTC_E_SPACE);
  assert_int_equal(found, 4);
  assert_int_equal(dtc_nccl_switches(&n, DTC_COLLECTIVE_ALL_TO_ALL, 0, 1, ranges, 3, &found, &err), DTC_E_UNSUPPORTED);
}

/* Any communicator: a walk ends, within the promised length. */
static void ranges_of_any_communicator_end(void **state)
{
  (void)state;
  uint64_t seed = 7;
  for (int i = 0; i < 2000; i++) {
    dtc_nccl n = on("h100-8x400-sharp", 0, 1 + check_random(&seed, 9), 8);
    double *speeds = &n.ring_intra;
    for (int k = 0; k < 10; k++)
      speeds[k] = (double)(1 + check_random(&seed, 4)) * (check_random(&seed, 8) == 0 ? 1e-6 : 1) * 12e9;
    n.nvls_channels = n.direct_channels = n.chain_channels = 1 + check_random(&seed, 32);
    n.compute = check_random(&seed, 2) == 0 ? 100 : 90;
    (void)switch_points(n, AR, 0, UINT64_MAX);
  }
}

/* ---- tuner file ------------------------------------------------------------------------------ */

typedef struct line {
  char op[16], algorithm[16], protocol[16];
  uint64_t first, last, channels, nodes, ranks;
} line;

static const char *read_line(const char *at, line *l)
{
  int n = sscanf(at, "%15[a-z],%" SCNu64 ",%" SCNu64 ",%15[a-z_],%15[a-z0-9],%" SCNu64 ",%" SCNu64 ",%" SCNu64 "\n",
                 l->op, &l->first, &l->last, l->algorithm, l->protocol, &l->channels, &l->nodes, &l->ranks);
  assert_int_equal(n, 8);
  return strchr(at, '\n') + 1;
}

/* Lines of an operation follow each other over all sizes; each is the choice, with no more channels than NCCL takes. */
static void check_lines(dtc_nccl n, dtc_collective op, const char *name)
{
  static char text[1 << 14];
  size_t len = 0;
  uint64_t next = 0;
  line l = {0};
  check_ok(dtc_nccl_tuner_write(&n, op, text, sizeof text, &len, &err), &err);
  assert_true(len < sizeof text && text[0] == '#' && strlen(text) == len);
  for (const char *at = strchr(text, '\n') + 1; *at != 0;) {
    at = read_line(at, &l);
    assert_true(strcmp(l.op, name) == 0 && l.first == next && l.nodes == n.nodes && l.ranks == n.nodes * n.per_node);
    for (int end = 0; end < 2; end++) {
      dtc_nccl_choice c = choose(n, op, end ? l.last : l.first);
      assert_string_equal(l.algorithm, dtc_value_name(DTC_FIELD(nccl_choice, algorithm), c.algorithm));
      assert_string_equal(l.protocol, dtc_value_name(DTC_FIELD(nccl_choice, protocol), c.protocol));
      assert_true(l.channels >= 1 && l.channels <= c.channels);
    }
    next = l.last + 1;
  }
  assert_int_equal(l.last, UINT64_MAX);
}

static void tuner_lines_are_the_choice(void **state)
{
  (void)state;
  static const char *const names[] = {"", "allreduce", "reducescatter", "allgather", "reduce", "broadcast"};
  DTC_INIT(&err);
  for (dtc_collective op = AR; op <= BROADCAST; op++) {
    check_lines(on("h100-8x400", 0, 2, 8), op, names[op]);
    check_lines(on("h100-8x400-sharp", 0, 16, 8), op, names[op]);
    check_lines(on("gb200-nvl72", 0, 4, 72), op, names[op]);
    check_lines(on("a100-8x200", V2_21, 8, 8), op, names[op]);
  }
}

static void the_tuner_file_is_right_and_is_cut(void **state)
{
  (void)state;
  static const char whole[] = "# NCCL 2.30.7, nodes 2, ranks of a node 8: operation,first,last,algorithm,protocol,"
                              "channels,nodes,ranks\n"
                              "allreduce,0,8191,tree,ll,1,2,16\n"
                              "allreduce,8192,16383,tree,ll,2,2,16\n"
                              "allreduce,16384,32767,tree,ll,4,2,16\n"
                              "allreduce,32768,65535,tree,ll,8,2,16\n"
                              "allreduce,65536,203894,tree,ll,16,2,16\n"
                              "allreduce,203895,244815,ring,ll,3,2,16\n"
                              "allreduce,244816,1968825,tree,ll128,16,2,16\n"
                              "allreduce,1968826,18446744073709551615,nvls_tree,simple,16,2,16\n";
  dtc_nccl n = on("h100-8x400", 0, 2, 8);
  char text[sizeof whole + 8];
  size_t len = 0;
  for (size_t cap = 0; cap <= sizeof text; cap += cap < 40 ? 1 : 97) {
    memset(text, 'x', sizeof text);
    check_ok(dtc_nccl_tuner_write(&n, AR, cap == 0 ? NULL : text, cap, &len, &err), &err);
    assert_int_equal(len, sizeof whole - 1);
    size_t room = cap == 0 ? 0 : cap - 1 < len ? cap - 1 : len;
    assert_memory_equal(text, whole, room);
    assert_int_equal(text[room], cap == 0 ? 'x' : 0);
  }
  check_ok(dtc_nccl_tuner_write(&n, DTC_COLLECTIVE_NONE, NULL, 0, &len, &err), &err);
  assert_true(len > 5 * 100);
  assert_int_equal(dtc_nccl_tuner_write(&n, DTC_COLLECTIVE_BARRIER, NULL, 0, &len, &err), DTC_E_UNSUPPORTED);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_system_is_found),
      cmocka_unit_test(a_system_has_its_search_result),
      cmocka_unit_test(what_is_not_known_is_refused),
      cmocka_unit_test(defaults_follow_and_resolving_twice_changes_nothing),
      cmocka_unit_test(channels_follow_from_the_search),
      cmocka_unit_test(bad_communicators_are_refused),
      cmocka_unit_test(tables_have_right_values),
      cmocka_unit_test(versions_differ),
      cmocka_unit_test(switches_and_processors_matter),
      cmocka_unit_test(too_many_ranks_of_a_node_are_in_the_table_but_not_taken),
      cmocka_unit_test(tables_are_in_order_and_need_space),
      cmocka_unit_test(the_choice_is_nccls),
      cmocka_unit_test(channels_are_those_that_have_enough_to_do),
      cmocka_unit_test(channels_of_a_collnet_chain),
      cmocka_unit_test(fp8_keeps_away_from_long_rings),
      cmocka_unit_test(time_grows_with_bytes_and_falls_with_bandwidth),
      cmocka_unit_test(ranges_are_those_of_the_choice),
      cmocka_unit_test(ranges_have_right_values),
      cmocka_unit_test(ranges_of_any_communicator_end),
      cmocka_unit_test(tuner_lines_are_the_choice),
      cmocka_unit_test(the_tuner_file_is_right_and_is_cut),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Placement in closed form, held against a walk over every group; rings of nodes. */
#include "check.h"

static dtc_placement place(const dtc_axis *axes, size_t n, uint64_t offset, const dtc_group_kind *kind, uint64_t domain)
{
  dtc_placement p;
  dtc_error e;
  DTC_INIT(&p);
  DTC_INIT(&e);
  check_ok(dtc_mesh_placement(axes, n, offset, kind, domain, &p, &e), &e);
  return p;
}

enum { DOMAINS = 512 };

/* What a walk over the groups finds. */
typedef struct walk {
  uint64_t groups;
  uint64_t inside;
  uint64_t domains; /* of each group; 0 when they differ */
  uint64_t members;
  int rail;
} walk;

static walk walk_groups(const dtc_axis *axes, size_t n, uint64_t offset, const dtc_group_kind *kind, uint64_t domain)
{
  dtc_group g;
  walk w = {.rail = 1};
  int even = 1;
  assert_int_equal(dtc_mesh_group_of(axes, n, offset, kind, offset, &g, NULL), DTC_OK);
  w.groups = g.count;
  for (uint64_t group = 0; group < w.groups; group++) {
    uint64_t in[DOMAINS] = {0}, rank = 0, first = 0, touched = 0;
    uint64_t size = 0;
    for (; dtc_mesh_member(axes, n, offset, kind, group, size, &rank, NULL) == DTC_OK; size++) {
      first = size == 0 ? rank : first;
      w.rail = w.rail && rank % domain == first % domain;
      touched += in[rank / domain]++ == 0;
    }
    w.inside += touched == 1;
    for (size_t d = 0; d < DOMAINS; d++)
      even = even && (in[d] == 0 || in[d] * touched == size);
    even = even && (group == 0 || touched == w.domains);
    w.domains = touched;
    w.members = size / touched;
  }
  w.domains = even ? w.domains : 0;
  return w;
}

/* SPANS must be true. STRADDLES may be said of groups that happen to lie evenly, but then no axis lies on the borders. */
static void check_against_walk(const dtc_axis *axes, size_t n, uint64_t offset, const dtc_group_kind *kind,
                               uint64_t domain)
{
  dtc_placement p = place(axes, n, offset, kind, domain);
  walk w = walk_groups(axes, n, offset, kind, domain);
  assert_int_equal(p.groups, w.groups);
  assert_int_equal(p.inside, w.inside);
  assert_int_equal(p.rail, w.rail ? DTC_BOOL_ON : DTC_BOOL_OFF);
  assert_int_equal(p.spread == DTC_SPREAD_INSIDE, w.inside == w.groups);
  if (p.spread != DTC_SPREAD_STRADDLES)
    assert_true(p.domains == w.domains && p.members == w.members);
  else
    assert_true(p.domains == 0 && p.members == 0);
}

static void placement_is_that_of_a_walk(void **state)
{
  (void)state;
  uint64_t seed = 5;
  uint64_t straddles = 0, even = 0;
  for (int round = 0; round < 3000; round++) {
    dtc_axis axes[4];
    size_t n = 1 + check_random(&seed, 4);
    static const uint64_t sizes[] = {1, 2, 2, 3, 4, 4, 5, 6, 8};
    for (size_t a = 0; a < n; a++)
      axes[a] = (dtc_axis){.size = sizes[check_random(&seed, 9)]};
    dtc_group_kind kind = {.axes = (uint32_t)check_random(&seed, UINT64_C(1) << n)};
    kind.pick = check_random(&seed, 5) == 0 ? 1 + (uint32_t)check_random(&seed, 2) : 0;
    uint64_t domain = 1 + check_random(&seed, 20), offset = check_random(&seed, 4) == 0 ? check_random(&seed, 30) : 0;
    if (check_random(&seed, 2) == 0)
      domain = UINT64_C(1) << check_random(&seed, 5);
    if (offset + 8 * 8 * 8 * 8 >= DOMAINS * domain)
      continue;
    check_against_walk(axes, n, offset, &kind, domain);
    dtc_placement p = place(axes, n, offset, &kind, domain);
    straddles += p.spread == DTC_SPREAD_STRADDLES;
    if (p.spread == DTC_SPREAD_STRADDLES)
      even += walk_groups(axes, n, offset, &kind, domain).domains != 0;
  }
  assert_in_range(straddles, 100, 3000);
  assert_in_range(even, 0, straddles / 4); /* by luck */
}

/* The order in which axes stand tells nothing where their strides do. */
static void axes_in_any_order_are_placed_alike(void **state)
{
  (void)state;
  const dtc_axis in_order[] = {{0, 0, 2, 1}, {0, 0, 3, 2}, {0, 0, 4, 6}, {0, 0, 2, 24}};
  static const unsigned orders[][4] = {{3, 2, 1, 0}, {1, 0, 3, 2}, {2, 0, 3, 1}};
  for (size_t o = 0; o < sizeof orders / sizeof orders[0]; o++)
    for (uint32_t mask = 0; mask < 16; mask++)
      for (uint64_t domain = 1; domain <= 48; domain++) {
        dtc_axis axes[4];
        dtc_group_kind kind = {.axes = mask}, same = {.axes = 0};
        for (unsigned a = 0; a < 4; a++) {
          axes[a] = in_order[orders[o][a]];
          same.axes |= (mask >> a & 1) << orders[o][a];
        }
        dtc_placement p = place(axes, 4, 0, &kind, domain), expected = place(in_order, 4, 0, &same, domain);
        assert_memory_equal(&p, &expected, sizeof p);
        check_against_walk(axes, 4, 0, &kind, domain);
      }
}

static void chunks_are_placed_where_they_cut_evenly(void **state)
{
  (void)state;
  const dtc_axis axes[] = {{0, 0, 2, 0}, {0, 0, 4, 0}, {0, 0, 6, 0}};
  static const dtc_group_kind even[] = {{.axes = 6, .chunk = 8},
                                        {.axes = 6, .chunk = 2},
                                        {.axes = 6, .chunk = 4, .step = 2},
                                        {.axes = 7, .chunk = 3, .step = 8}};
  for (size_t i = 0; i < sizeof even / sizeof even[0]; i++)
    for (uint64_t domain = 1; domain <= 12; domain++)
      check_against_walk(axes, 3, 0, &even[i], domain);
  dtc_group_kind uneven = {.axes = 6, .chunk = 3}, rest = {.axes = 4, .chunk = 4};
  dtc_placement p;
  dtc_error e;
  DTC_INIT(&p);
  DTC_INIT(&e);
  assert_int_equal(dtc_mesh_placement(axes, 3, 0, &uneven, 8, &p, &e), DTC_E_UNSUPPORTED);
  assert_int_equal(e.rule, DTC_RULE_KIND_EVEN);
  assert_int_equal(dtc_mesh_placement(axes, 3, 0, &rest, 8, &p, &e), DTC_E_UNSUPPORTED);
}

/* The examples of Megatron's default order on nodes of 8 GPUs. */
static void eight_gpus_a_node(void **state)
{
  (void)state;
  const dtc_axis tp8[] = {{0, 0, 8, 0}, {0, 0, 16, 0}, {0, 0, 8, 0}}; /* GPT-175B on 1,024: tp 8, dp 16, pp 8 */
  dtc_group_kind tp = {.axes = 1}, dp = {.axes = 2}, pp = {.axes = 4}, all = {.axes = 7};
  dtc_placement p = place(tp8, 3, 0, &tp, 8);
  assert_true(p.spread == DTC_SPREAD_INSIDE && p.groups == 128 && p.inside == 128 && p.rail == DTC_BOOL_OFF &&
              p.segment == 1);
  p = place(tp8, 3, 0, &dp, 8);
  assert_true(p.spread == DTC_SPREAD_SPANS && p.domains == 16 && p.members == 1 && p.rail == DTC_BOOL_ON &&
              p.segment == 16);
  p = place(tp8, 3, 0, &pp, 8);
  assert_true(p.spread == DTC_SPREAD_SPANS && p.domains == 8 && p.rail == DTC_BOOL_ON && p.segment == 128);
  p = place(tp8, 3, 0, &all, 8);
  assert_true(p.spread == DTC_SPREAD_SPANS && p.domains == 128 && p.members == 8 && p.groups == 1 && p.inside == 0);

  const dtc_axis tp4cp4[] = {{0, 0, 4, 0}, {0, 0, 4, 0}, {0, 0, 4, 0}}; /* cp spans two nodes with two ranks in each */
  p = place(tp4cp4, 3, 0, &dp, 8);
  assert_true(p.spread == DTC_SPREAD_SPANS && p.domains == 2 && p.members == 2 && p.rail == DTC_BOOL_OFF);

  const dtc_axis tp6[] = {{0, 0, 6, 0}, {0, 0, 4, 0}}; /* 24 ranks on 3 nodes: 0-5 | 6-11 | 12-17 | 18-23 */
  p = place(tp6, 2, 0, &tp, 8);
  assert_true(p.spread == DTC_SPREAD_STRADDLES && p.inside == 2 && p.groups == 4 && p.domains == 0 && p.segment == 3);
}

/* Racks of 72: powers of two above 8 do not divide them. */
static void seventy_two_gpus_a_rack(void **state)
{
  (void)state;
  const dtc_axis ep16[] = {{0, 0, 16, 0}, {0, 0, 36, 0}}, ep64[] = {{0, 0, 64, 0}, {0, 0, 9, 0}};
  dtc_group_kind ep = {.axes = 1};
  dtc_placement p = place(ep16, 2, 0, &ep, 72); /* 576 ranks on 8 racks: half of the borders cut a group */
  assert_true(p.spread == DTC_SPREAD_STRADDLES && p.groups == 36 && p.inside == 32);
  p = place(ep64, 2, 0, &ep, 72);
  assert_true(p.spread == DTC_SPREAD_STRADDLES && p.inside == 2);
  p = place(ep64, 2, 0, &ep, 4); /* nodes of 4: --segment=16 keeps each group in one rack */
  assert_true(p.spread == DTC_SPREAD_SPANS && p.domains == 16 && p.members == 4 && p.segment == 16);
  p = place(ep16, 2, 0, &ep, 4);
  assert_int_equal(p.segment, 4);
  const dtc_axis ep72[] = {{0, 0, 72, 0}, {0, 0, 8, 0}};
  p = place(ep72, 2, 0, &ep, 72);
  assert_true(p.spread == DTC_SPREAD_INSIDE && p.segment == 1);
}

static void domains_have_a_range(void **state)
{
  (void)state;
  const dtc_axis axes[] = {{0, 0, 8, 0}};
  dtc_group_kind kind = {.axes = 1};
  dtc_placement p;
  dtc_error e;
  DTC_INIT(&p);
  DTC_INIT(&e);
  p.groups = 77;
  assert_int_equal(dtc_mesh_placement(axes, 1, 0, &kind, 0, &p, &e), DTC_E_RANGE);
  assert_true(e.field == DTC_ARG_DOMAIN && e.min == 1 && e.max == 4096);
  assert_int_equal(dtc_mesh_placement(axes, 1, 0, &kind, 4097, &p, &e), DTC_E_RANGE);
  assert_int_equal(p.groups, 77);
  p.struct_size = 3;
  assert_int_equal(dtc_mesh_placement(axes, 1, 0, &kind, 8, &p, &e), DTC_E_SIZE);
}

/* A world of 2^32 ranks in odd sizes is placed without walking it. */
static void large_worlds_are_counted_not_walked(void **state)
{
  (void)state;
  const dtc_axis axes[] = {{0, 0, 3, 0}, {0, 0, 5, 0}, {0, 0, 7, 0}, {0, 0, 11, 0}, {0, 0, 1000003, 0}};
  dtc_group_kind kind = {.axes = 2};
  dtc_placement p = place(axes, 5, 0, &kind, 64);
  assert_int_equal(p.groups, UINT64_C(3) * 7 * 11 * 1000003);
  /* of each period of 64 blocks of 15 ranks, starts s with s % 64 + 12 < 64 stay inside */
  assert_in_range(p.inside, p.groups * 81 / 100, p.groups * 82 / 100);
}

/* ---- rings ------------------------------------------------------------------------------------------------------- */

static uint64_t crossings(const uint64_t *leaves, size_t n)
{
  uint64_t c = 99;
  assert_int_equal(dtc_ring_crossings(leaves, n, &c, NULL), DTC_OK);
  return c;
}

static void rings_cross_leaves(void **state)
{
  (void)state;
  const uint64_t alternating[] = {0, 1, 0, 1}, sorted[] = {0, 0, 1, 1}, one[] = {4, 4, 4}, three[] = {2, 0, 1, 2};
  assert_int_equal(crossings(alternating, 4), 4);
  assert_int_equal(crossings(sorted, 4), 2);
  assert_int_equal(crossings(one, 3), 0);
  assert_int_equal(crossings(three, 4), 3);
  assert_int_equal(crossings(three, 1), 0);
  assert_int_equal(crossings(NULL, 0), 0);
  uint64_t c = 5;
  assert_int_equal(dtc_ring_crossings(NULL, 2, &c, NULL), DTC_E_RANGE);
  assert_int_equal(c, 5);
}

static void the_best_order_goes_leaf_by_leaf(void **state)
{
  (void)state;
  uint64_t seed = 7;
  for (int round = 0; round < 200; round++) {
    uint64_t leaves[40], order[40], moved[40], seen = 0;
    size_t n = 1 + check_random(&seed, 40), count = 0, distinct = 0;
    for (size_t i = 0; i < n; i++)
      leaves[i] = check_random(&seed, 6);
    for (uint64_t leaf = 0; leaf < 6; leaf++) {
      int there = 0;
      for (size_t i = 0; i < n; i++)
        there |= leaves[i] == leaf;
      distinct += (size_t)there;
    }
    assert_int_equal(dtc_ring_order(leaves, n, order, n, &count, NULL), DTC_OK);
    assert_int_equal(count, n);
    for (size_t i = 0; i < n; i++) {
      moved[i] = leaves[order[i]];
      seen |= UINT64_C(1) << order[i];
      if (i > 0) /* stable */
        assert_true(moved[i - 1] < moved[i] || (moved[i - 1] == moved[i] && order[i - 1] < order[i]));
    }
    assert_int_equal(seen, (UINT64_C(1) << n) - 1);
    assert_int_equal(crossings(moved, n), distinct == 1 ? 0 : distinct);
  }
  uint64_t order[2];
  const uint64_t leaves[] = {1, 0, 1};
  size_t count = 0;
  assert_int_equal(dtc_ring_order(leaves, 3, order, 2, &count, NULL), DTC_E_SPACE);
  assert_int_equal(count, 3);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(placement_is_that_of_a_walk),
      cmocka_unit_test(axes_in_any_order_are_placed_alike),
      cmocka_unit_test(chunks_are_placed_where_they_cut_evenly),
      cmocka_unit_test(eight_gpus_a_node),
      cmocka_unit_test(seventy_two_gpus_a_rack),
      cmocka_unit_test(domains_have_a_range),
      cmocka_unit_test(large_worlds_are_counted_not_walked),
      cmocka_unit_test(rings_cross_leaves),
      cmocka_unit_test(the_best_order_goes_leaf_by_leaf),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

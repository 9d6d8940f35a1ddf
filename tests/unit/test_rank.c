/* Meshes: coordinates, ranks and groups by formula, held against plain counting. */
#include "check.h"

#include <stdlib.h>

static const dtc_axis tp_dp_pp[] = {
    {DTC_AXIS_NAME_TP, 0, 2, 0}, {DTC_AXIS_NAME_DP, 0, 3, 0}, {DTC_AXIS_NAME_PP, 0, 4, 0}};

static dtc_error error(void)
{
  dtc_error e;
  DTC_INIT(&e);
  return e;
}

/* A mesh of up to five axes in any order, with some of size 1. */
static size_t random_mesh(uint64_t *seed, dtc_axis *axes)
{
  size_t n = 1 + check_random(seed, 7);
  uint64_t stride = 1;
  for (size_t a = 0; a < n; a++) {
    axes[a] = (dtc_axis){.size = 1 + check_random(seed, n > 5 ? 3 : 5), .stride = stride};
    stride *= axes[a].size;
  }
  for (size_t a = n; a > 1; a--) {
    size_t b = check_random(seed, a);
    dtc_axis swapped = axes[a - 1];
    axes[a - 1] = axes[b];
    axes[b] = swapped;
  }
  return n;
}

static uint64_t world_of(const dtc_axis *axes, size_t n)
{
  dtc_error e = error();
  uint64_t world = 0;
  check_ok(dtc_mesh_world(axes, n, &world, &e), &e);
  return world;
}

/* ---- coordinates ------------------------------------------------------------------------------------------------- */

static void the_first_axis_is_the_fastest(void **state)
{
  (void)state;
  uint64_t coord[3], rank = 0;
  size_t count = 0;
  assert_int_equal(world_of(tp_dp_pp, 3), 24);
  assert_int_equal(dtc_mesh_coord(tp_dp_pp, 3, 0, 17, coord, 3, &count, NULL), DTC_OK);
  assert_true(count == 3 && coord[0] == 1 && coord[1] == 2 && coord[2] == 2);
  assert_int_equal(dtc_mesh_rank(tp_dp_pp, 3, 100, coord, 3, &rank, NULL), DTC_OK);
  assert_int_equal(rank, 117);
}

static void coordinates_come_back(void **state)
{
  (void)state;
  uint64_t seed = 1;
  for (int round = 0; round < 300; round++) {
    dtc_axis axes[DTC_MESH_AXES];
    size_t n = random_mesh(&seed, axes);
    uint64_t world = world_of(axes, n), offset = check_random(&seed, 3) * 7;
    for (uint64_t rank = 0; rank < world; rank++) {
      uint64_t coord[DTC_MESH_AXES], back = 0, sum = 0;
      size_t count = 0;
      assert_int_equal(dtc_mesh_coord(axes, n, offset, offset + rank, coord, n, &count, NULL), DTC_OK);
      for (size_t a = 0; a < n; a++)
        sum += coord[a] * axes[a].stride;
      assert_int_equal(sum, rank);
      assert_int_equal(dtc_mesh_rank(axes, n, offset, coord, n, &back, NULL), DTC_OK);
      assert_int_equal(back, offset + rank);
    }
  }
}

static void a_table_holds_the_same_coordinates(void **state)
{
  (void)state;
  uint64_t seed = 2;
  for (int round = 0; round < 300; round++) {
    dtc_axis axes[DTC_MESH_AXES];
    size_t n = random_mesh(&seed, axes), count = 0;
    uint64_t world = world_of(axes, n), first = check_random(&seed, world);
    uint64_t ranks = check_random(&seed, world - first + 1);
    uint32_t *table = malloc(sizeof *table * (ranks * n + 1));
    table[ranks * n] = 77;
    assert_int_equal(dtc_mesh_table(axes, n, first, ranks, table, ranks * n, &count, NULL), DTC_OK);
    assert_int_equal(count, ranks * n);
    assert_int_equal(table[ranks * n], 77);
    for (uint64_t i = 0; i < ranks; i++) {
      uint64_t coord[DTC_MESH_AXES];
      assert_int_equal(dtc_mesh_coord(axes, n, 0, first + i, coord, n, &count, NULL), DTC_OK);
      for (size_t a = 0; a < n; a++)
        assert_int_equal(table[i * n + a], coord[a]);
    }
    free(table);
  }
}

static void the_largest_world_has_coordinates(void **state)
{
  (void)state;
  const dtc_axis axes[] = {{0, 0, UINT64_C(1) << 16, 0}, {0, 0, UINT64_C(1) << 16, 0}};
  uint64_t coord[2];
  uint32_t table[4];
  size_t count = 0;
  assert_true(world_of(axes, 2) == UINT64_C(1) << 32);
  assert_int_equal(dtc_mesh_coord(axes, 2, UINT64_C(1) << 32, (UINT64_C(1) << 33) - 1, coord, 2, &count, NULL), DTC_OK);
  assert_true(coord[0] == 65535 && coord[1] == 65535);
  assert_int_equal(dtc_mesh_table(axes, 2, (UINT64_C(1) << 32) - 2, 2, table, 4, &count, NULL), DTC_OK);
  assert_true(table[0] == 65534 && table[1] == 65535 && table[2] == 65535 && table[3] == 65535);
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

/* The lists of a kind by counting: list number and element of each rank, first axis fastest. */
static void count_lists(const dtc_axis *axes, size_t n, uint32_t set, uint64_t rank, uint64_t *list, uint64_t *element)
{
  uint64_t coord[DTC_MESH_AXES], in = 1, out = 1;
  size_t count = 0;
  *list = *element = 0;
  assert_int_equal(dtc_mesh_coord(axes, n, 0, rank, coord, n, &count, NULL), DTC_OK);
  for (size_t a = 0; a < n; a++) {
    uint64_t *weight = set >> a & 1 ? &in : &out;
    *(set >> a & 1 ? element : list) += coord[a] * *weight;
    *weight *= axes[a].size;
  }
}

static void groups_are_those_of_counting(void **state)
{
  (void)state;
  uint64_t seed = 3;
  for (int round = 0; round < 400; round++) {
    dtc_axis axes[DTC_MESH_AXES];
    size_t n = random_mesh(&seed, axes);
    dtc_group_kind kind = {.axes = (uint32_t)check_random(&seed, UINT64_C(1) << n)};
    uint64_t world = world_of(axes, n), offset = check_random(&seed, 2) * 1000, size = 1;
    for (size_t a = 0; a < n; a++)
      size *= kind.axes >> a & 1 ? axes[a].size : 1;
    for (uint64_t rank = 0; rank < world; rank++) {
      dtc_group g;
      uint64_t list, element, member = 0;
      count_lists(axes, n, kind.axes, rank, &list, &element);
      assert_int_equal(dtc_mesh_group_of(axes, n, offset, &kind, offset + rank, &g, NULL), DTC_OK);
      assert_true(g.count == world / size && g.size == size && g.index == list && g.place == element);
      assert_int_equal(dtc_mesh_member(axes, n, offset, &kind, g.index, g.place, &member, NULL), DTC_OK);
      assert_int_equal(member, offset + rank);
      assert_int_equal(dtc_mesh_member(axes, n, offset, &kind, g.index, 0, &member, NULL), DTC_OK);
      assert_int_equal(member, g.first);
    }
  }
}

/* Every rank that is in a group comes back from it, and the groups' sizes add up. */
static void check_partition(const dtc_axis *axes, size_t n, const dtc_group_kind *kind, uint64_t expected)
{
  dtc_group g;
  uint64_t sum = 0, rank = 0;
  dtc_error e = error();
  check_ok(dtc_mesh_group_of(axes, n, 0, kind, 0, &g, &e), &e);
  for (uint64_t group = 0, count = g.count; group < count; group++) {
    g.size = 1;
    for (uint64_t i = 0; i < g.size; i++) {
      check_ok(dtc_mesh_member(axes, n, 0, kind, group, i, &rank, &e), &e);
      check_ok(dtc_mesh_group_of(axes, n, 0, kind, rank, &g, &e), &e);
      assert_true(g.index == group && g.place == i && i < g.size);
    }
    assert_int_equal(dtc_mesh_member(axes, n, 0, kind, group, g.size, &rank, NULL), DTC_E_RANGE);
    sum += g.size;
  }
  assert_int_equal(sum, expected);
}

static void chunks_cut_lists(void **state)
{
  (void)state;
  const dtc_axis axes[] = {{0, 0, 2, 0}, {0, 0, 12, 0}};
  dtc_group g;
  /* 12 ranks of a list in chunks of 5: the last has 2 */
  dtc_group_kind chunks = {.axes = 2, .chunk = 5};
  assert_int_equal(dtc_mesh_group_of(axes, 2, 0, &chunks, 22, &g, NULL), DTC_OK);
  assert_true(g.count == 6 && g.size == 2 && g.index == 2 && g.place == 1 && g.first == 20);
  check_partition(axes, 2, &chunks, 24);
  /* levels: every third rank, four of them */
  dtc_group_kind level = {.axes = 2, .chunk = 4, .step = 3};
  assert_int_equal(dtc_mesh_group_of(axes, 2, 0, &level, 15, &g, NULL), DTC_OK);
  assert_true(g.count == 6 && g.size == 4 && g.index == 4 && g.place == 2 && g.first == 3);
  check_partition(axes, 2, &level, 24);
  dtc_group_kind blocks = {.axes = 2, .chunk = 2, .step = 3};
  check_partition(axes, 2, &blocks, 24);
}

static void ends_of_lists(void **state)
{
  (void)state;
  dtc_group g;
  dtc_group_kind ends = {.axes = 4, .pick = 2}, first = {.axes = 4, .pick = 1};
  assert_int_equal(dtc_mesh_group_of(tp_dp_pp, 3, 0, &ends, 20, &g, NULL), DTC_OK);
  assert_true(g.count == 6 && g.size == 2 && g.index == 2 && g.place == 1 && g.first == 2);
  assert_int_equal(dtc_mesh_group_of(tp_dp_pp, 3, 0, &ends, 8, &g, NULL), DTC_OK);
  assert_true(g.count == 6 && g.size == 2 && g.index == DTC_NONE && g.place == DTC_NONE && g.first == 0);
  check_partition(tp_dp_pp, 3, &ends, 12);
  check_partition(tp_dp_pp, 3, &first, 6);
  /* one stage: first and last are one rank */
  const dtc_axis one[] = {{0, 0, 4, 0}, {0, 0, 1, 0}};
  dtc_group_kind only = {.axes = 2, .pick = 2};
  assert_int_equal(dtc_mesh_group_of(one, 2, 0, &only, 3, &g, NULL), DTC_OK);
  assert_true(g.count == 4 && g.size == 1 && g.index == 3 && g.place == 0);
}

static void all_bits_mean_the_world(void **state)
{
  (void)state;
  dtc_group_kind all = {.axes = UINT32_MAX};
  dtc_group g;
  assert_int_equal(dtc_mesh_group_of(tp_dp_pp, 3, 0, &all, 23, &g, NULL), DTC_OK);
  assert_true(g.count == 1 && g.size == 24 && g.index == 0 && g.place == 23 && g.first == 0);
}

/* ---- lists that do not ascend ------------------------------------------------------------------------------------ */

static void pytorch_sorts_the_ranks_of_a_group(void **state)
{
  (void)state;
  /* DeviceMesh([[3, 2], [1, 0]], names dp, tp): rank 0 has the coordinates (1, 1) and the local ranks (0, 0) */
  const dtc_axis axes[] = {{DTC_AXIS_NAME_TP, 0, 2, 0}, {DTC_AXIS_NAME_DP, 0, 2, 0}};
  const uint64_t ranks[] = {3, 2, 1, 0};
  dtc_group_kind tp = {.axes = 1}, dp = {.axes = 2};
  dtc_group g;
  uint64_t local = 9;
  assert_int_equal(dtc_mesh_listed(axes, 2, ranks, 4, &dp, 0, &g, &local, NULL), DTC_OK);
  assert_true(g.place == 1 && local == 0 && g.first == 0 && g.size == 2);
  assert_int_equal(dtc_mesh_listed(axes, 2, ranks, 4, &tp, 3, &g, &local, NULL), DTC_OK);
  assert_true(g.place == 0 && local == 1 && g.first == 2);
}

static void a_list_holds_each_rank_once(void **state)
{
  (void)state;
  const dtc_axis axes[] = {{0, 0, 4, 0}};
  const uint64_t twice[] = {5, 7, 7, 8};
  dtc_group_kind all = {.axes = 1};
  dtc_group g;
  uint64_t local = 0;
  dtc_error e = error();
  assert_int_equal(dtc_mesh_listed(axes, 1, twice, 4, &all, 7, &g, &local, &e), DTC_E_CONFLICT);
  assert_true(e.rule == DTC_RULE_RANKS_TWICE && e.got == 7);
  assert_int_equal(dtc_mesh_listed(axes, 1, twice, 4, &all, 6, &g, &local, &e), DTC_E_RANGE);
  assert_true(e.rule == DTC_RULE_RANKS_LISTED && e.got == 6);
  assert_int_equal(dtc_mesh_listed(axes, 1, twice, 3, &all, 7, &g, &local, &e), DTC_E_RANGE);
  assert_int_equal(e.field, DTC_ARG_RANKS);
  assert_int_equal(dtc_mesh_listed(axes, 1, NULL, 4, &all, 7, &g, &local, &e), DTC_E_RANGE);
}

/* ---- refusals ---------------------------------------------------------------------------------------------------- */

static void check_mesh(const dtc_axis *axes, size_t n, dtc_status status, dtc_rule rule)
{
  uint64_t world = 42;
  dtc_error e = error();
  assert_int_equal(dtc_mesh_world(axes, n, &world, &e), status);
  assert_int_equal(e.rule, rule);
  assert_int_equal(world, 42);
}

static void meshes_that_are_none(void **state)
{
  (void)state;
  const dtc_axis hole[] = {{0, 0, 2, 1}, {0, 0, 2, 4}}, overlap[] = {{0, 0, 4, 1}, {0, 0, 2, 2}};
  const dtc_axis same[] = {{0, 0, 2, 1}, {0, 0, 2, 1}}, zero[] = {{0, 0, 0, 0}};
  const dtc_axis huge[] = {{0, 0, UINT64_C(1) << 32, 0}, {0, 0, 2, 0}}, one[] = {{0, 0, 1, 99}, {0, 0, 3, 1}};
  dtc_axis many[DTC_MESH_AXES + 1];
  for (size_t a = 0; a <= DTC_MESH_AXES; a++)
    many[a] = (dtc_axis){.size = 1};
  check_mesh(hole, 2, DTC_E_CONFLICT, DTC_RULE_MESH_TILES);
  check_mesh(overlap, 2, DTC_E_CONFLICT, DTC_RULE_MESH_TILES);
  check_mesh(same, 2, DTC_E_CONFLICT, DTC_RULE_MESH_TILES);
  check_mesh(zero, 1, DTC_E_RANGE, DTC_RULE_RANGE);
  check_mesh(huge, 2, DTC_E_OVERFLOW, DTC_RULE_OVERFLOW);
  check_mesh(many, DTC_MESH_AXES + 1, DTC_E_RANGE, DTC_RULE_RANGE);
  check_mesh(many, 0, DTC_E_RANGE, DTC_RULE_RANGE);
  check_mesh(NULL, 3, DTC_E_RANGE, DTC_RULE_RANGE);
  assert_int_equal(world_of(one, 2), 3); /* the stride of an axis of size 1 does not matter */
  assert_int_equal(world_of(many, DTC_MESH_AXES), 1);
}

static void ranks_outside_are_refused(void **state)
{
  (void)state;
  uint64_t coord[3] = {7, 7, 7};
  size_t count = 0;
  dtc_error e = error();
  assert_int_equal(dtc_mesh_coord(tp_dp_pp, 3, 8, 32, coord, 3, &count, &e), DTC_E_RANGE);
  assert_true(e.field == DTC_ARG_RANK && e.got == 32 && e.min == 8 && e.max == 31);
  assert_int_equal(dtc_mesh_coord(tp_dp_pp, 3, 8, 7, coord, 3, &count, &e), DTC_E_RANGE);
  assert_int_equal(dtc_mesh_coord(tp_dp_pp, 3, 0, 7, coord, 2, &count, &e), DTC_E_SPACE);
  assert_int_equal(count, 3);
  uint64_t rank = 5;
  coord[0] = 2;
  assert_int_equal(dtc_mesh_rank(tp_dp_pp, 3, 0, coord, 3, &rank, &e), DTC_E_RANGE);
  assert_true(e.field == DTC_ARG_COORD && e.got == 2 && e.max == 1 && rank == 5);
  assert_int_equal(dtc_mesh_rank(tp_dp_pp, 3, 0, coord, 2, &rank, &e), DTC_E_RANGE);
  assert_int_equal(dtc_mesh_rank(tp_dp_pp, 3, UINT64_MAX, coord, 3, &rank, &e), DTC_E_RANGE);
  assert_int_equal(e.field, DTC_ARG_OFFSET);
  uint32_t table[6];
  assert_int_equal(dtc_mesh_table(tp_dp_pp, 3, 24, 0, table, 6, &count, &e), DTC_E_RANGE);
  assert_int_equal(dtc_mesh_table(tp_dp_pp, 3, 20, 5, table, 6, &count, &e), DTC_E_RANGE);
  assert_int_equal(dtc_mesh_table(tp_dp_pp, 3, 0, 3, table, 6, &count, &e), DTC_E_SPACE);
  assert_int_equal(count, 9);
}

static void kinds_that_are_none(void **state)
{
  (void)state;
  static const struct {
    dtc_group_kind kind;
    dtc_status status;
    uint32_t field;
  } wrong[] = {
      {{.axes = 8}, DTC_E_RANGE, DTC_FIELD(group_kind, axes)},
      {{.axes = 1, .pick = 3}, DTC_E_RANGE, DTC_FIELD(group_kind, pick)},
      {{.axes = 1, .pick = 1, .chunk = 2}, DTC_E_RANGE, DTC_FIELD(group_kind, chunk)},
      {{.axes = 1, .pick = 1, .step = 2}, DTC_E_RANGE, DTC_FIELD(group_kind, step)},
      {{.axes = 1, .chunk = UINT64_MAX}, DTC_E_RANGE, DTC_FIELD(group_kind, chunk)},
      {{.axes = 4, .chunk = 3, .step = 2}, DTC_E_DIVIDE, DTC_FIELD(group_kind, chunk)},
      {{.axes = 4, .chunk = UINT64_C(1) << 32, .step = UINT64_C(1) << 32}, DTC_E_DIVIDE, DTC_FIELD(group_kind, chunk)},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    dtc_group g = {.count = 3};
    dtc_error e = error();
    assert_int_equal(dtc_mesh_group_of(tp_dp_pp, 3, 0, &wrong[i].kind, 0, &g, &e), wrong[i].status);
    assert_int_equal(e.field, wrong[i].field);
    assert_int_equal(g.count, 3);
  }
  dtc_group g;
  dtc_group_kind step = {.axes = 4, .step = 1, .chunk = 9};
  assert_int_equal(dtc_mesh_group_of(tp_dp_pp, 3, 0, &step, 0, &g, NULL), DTC_OK);
  assert_int_equal(g.size, 4); /* a chunk longer than the list is the list */
  uint64_t rank = 0;
  assert_int_equal(dtc_mesh_member(tp_dp_pp, 3, 0, &step, 6, 0, &rank, NULL), DTC_E_RANGE);
  assert_int_equal(dtc_mesh_group_of(tp_dp_pp, 3, 0, NULL, 0, &g, NULL), DTC_E_SIZE);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_first_axis_is_the_fastest),
      cmocka_unit_test(coordinates_come_back),
      cmocka_unit_test(a_table_holds_the_same_coordinates),
      cmocka_unit_test(the_largest_world_has_coordinates),
      cmocka_unit_test(groups_are_those_of_counting),
      cmocka_unit_test(chunks_cut_lists),
      cmocka_unit_test(ends_of_lists),
      cmocka_unit_test(all_bits_mean_the_world),
      cmocka_unit_test(pytorch_sorts_the_ranks_of_a_group),
      cmocka_unit_test(a_list_holds_each_rank_once),
      cmocka_unit_test(meshes_that_are_none),
      cmocka_unit_test(ranks_outside_are_refused),
      cmocka_unit_test(kinds_that_are_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

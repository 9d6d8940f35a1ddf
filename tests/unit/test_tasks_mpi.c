/* Open MPI: mapping and ranking, refusals, and both against placing process by process. */
#include "check.h"

enum { MAX = 512 };

static dtc_task tasks[MAX];
static size_t count;
static dtc_error err;

static dtc_mpi job(uint64_t nodes, uint64_t slots, uint64_t np)
{
  dtc_mpi m;
  DTC_INIT(&m);
  m.sockets = 2;
  m.cores = 4;
  m.nodes = nodes;
  m.slots = slots;
  m.np = np;
  return m;
}

static dtc_status mpi(const dtc_mpi *m)
{
  DTC_INIT(&err);
  return dtc_tasks_mpi(m, tasks, MAX, &count, &err);
}

/* The tasks' nodes, a digit each: "00112"; and their local ranks. */
enum { NODE, LOCAL };

static void are(int what, const char *expected)
{
  char got[MAX + 1] = {0};
  for (size_t i = 0; i < count; i++)
    got[i] = (char)('0' + (what == NODE ? tasks[i].node : tasks[i].local_rank));
  assert_string_equal(got, expected);
}

static void refused(dtc_status got, dtc_status status, dtc_rule rule, const char *line)
{
  char text[256];
  assert_int_equal(got, status);
  assert_int_equal(err.status, status);
  assert_int_equal(err.rule, rule);
  dtc_error_format(&err, DTC_LANG_EN, text, sizeof text);
  assert_string_equal(text, line);
}

/* ---- Open MPI ---------------------------------------------------------------------------------------------------- */

static void mappings_and_rankings(void **state)
{
  (void)state;
  dtc_mpi m = job(2, 8, 12);
  assert_int_equal(mpi(&m), DTC_OK); /* by default fills node after node */
  are(NODE, "000000001111");
  are(LOCAL, "012345670123");
  m.map = DTC_MPI_BY_NODE;
  assert_int_equal(mpi(&m), DTC_OK);
  are(NODE, "010101010101");
  m.rank = DTC_MPI_BY_SLOT;
  assert_int_equal(mpi(&m), DTC_OK);
  are(NODE, "000000111111");
  m.map = DTC_MPI_BY_SLOT;
  m.rank = DTC_MPI_BY_NODE;
  assert_int_equal(mpi(&m), DTC_OK);
  are(NODE, "010101010000");
  are(LOCAL, "001122334567");
}

static void a_socket_span_interleaves_ranks(void **state)
{
  (void)state;
  dtc_mpi m = job(1, 8, 8);
  m.map = DTC_MPI_BY_SOCKET;
  m.map_span = DTC_BOOL_ON;
  assert_int_equal(mpi(&m), DTC_OK);
  are(LOCAL, "04152637"); /* ranks 0, 2, 4, 6 on the first socket */
  m.rank = DTC_MPI_BY_CORE;
  assert_int_equal(mpi(&m), DTC_OK);
  are(LOCAL, "01234567");
  m.map_span = DTC_BOOL_OFF;
  assert_int_equal(mpi(&m), DTC_OK);
  are(LOCAL, "02461357");
}

static void rank_by_larger_objects(void **state)
{
  (void)state;
  dtc_mpi m = job(2, 8, 11);
  m.map = DTC_MPI_BY_CORE;
  m.rank = DTC_MPI_BY_SOCKET;
  assert_int_equal(mpi(&m), DTC_OK);
  are(LOCAL, "04152637012");
  m.rank_span = DTC_BOOL_ON;
  assert_int_equal(mpi(&m), DTC_OK);
  are(NODE, "00100100100");
  are(LOCAL, "04015126237");
}

static void processes_per_resource(void **state)
{
  (void)state;
  dtc_mpi m = job(3, 8, 0);
  m.ppr = 2;
  assert_int_equal(mpi(&m), DTC_OK);
  are(NODE, "001122");
  m.map = DTC_MPI_BY_SOCKET;
  m.np = 9;
  assert_int_equal(mpi(&m), DTC_OK);
  are(NODE, "000011112");
  m.np = 13;
  refused(mpi(&m), DTC_E_RANGE, DTC_RULE_MPI_PPR, "np = 13: must be 1 to 12: ppr = 2 supports no more processes");
  m.np = 0;
  m.slots = 3;
  refused(mpi(&m), DTC_E_RANGE, DTC_RULE_MPI_PPR_SLOTS, "ppr = 2: must be 1: a node has slots = 3");
}

static void mpi_refusals(void **state)
{
  (void)state;
  dtc_mpi m = job(2, 8, 17);
  refused(mpi(&m), DTC_E_RANGE, DTC_RULE_MPI_SLOTS, "np = 17: must be 1 to 16: the nodes have no more slots");
  m.np = 8;
  m.map = DTC_MPI_BY_SOCKET;
  m.pe = 5;
  refused(mpi(&m), DTC_E_CONFLICT, DTC_RULE_MPI_PE,
          "pe = 5: must be 1 to 4 with map = socket, which has no more cores");
  m.map = DTC_MPI_BY_SLOT; /* left to binding */
  assert_int_equal(mpi(&m), DTC_OK);
  m.map_span = DTC_BOOL_ON;
  refused(mpi(&m), DTC_E_CONFLICT, DTC_RULE_FIELD_NEEDS, "map_span = on: must be off with map = slot");
  m.map_span = DTC_BOOL_OFF;
  m.rank_span = DTC_BOOL_ON;
  refused(mpi(&m), DTC_E_CONFLICT, DTC_RULE_FIELD_NEEDS, "rank_span = on: must be off with rank = slot");
  m.rank_span = DTC_BOOL_OFF;
  m.ppr = 2;
  refused(mpi(&m), DTC_E_CONFLICT, DTC_RULE_FIELD_NEEDS, "ppr = 2: must be 0 with map = slot");
  m.ppr = 0;
  m.numas = 3;
  refused(mpi(&m), DTC_E_DIVIDE, DTC_RULE_MPI_NUMA,
          "numas = 3: must divide sockets = 2 or be its multiple, and divide the cores");
  m.numas = 0;
  m.nodes = 0;
  assert_int_equal(mpi(&m), DTC_E_RANGE);
  m.nodes = 1 << 20;
  m.slots = 65536;
  m.np = 0;
  assert_int_equal(mpi(&m), DTC_E_RANGE);
}

static void the_array_is_too_short(void **state)
{
  (void)state;
  dtc_mpi m = job(2, 4, 0);
  DTC_INIT(&err);
  refused(dtc_tasks_mpi(&m, tasks, 7, &count, &err), DTC_E_SPACE, DTC_RULE_SPACE,
          "the output array holds 7, 8 are needed");
  assert_int_equal(count, 8);
  m.struct_size = 4;
  assert_int_equal(dtc_tasks_mpi(&m, tasks, MAX, &count, NULL), DTC_E_SIZE);
}

/* ---- process by process ------------------------------------------------------------------------------------------ */

enum { NODES = 8, PLACES = 256 };

/* What the mapper leaves: the first and the last core of the object of each local rank. */
typedef struct places {
  int first[NODES][PLACES];
  int last[NODES][PLACES];
  int ranked[NODES][PLACES];
  int n[NODES];
} places;

static int cores_of(const dtc_mpi *m, dtc_mpi_by by)
{
  int cores = (int)(m->sockets * m->cores);
  return by == DTC_MPI_BY_SOCKET ? (int)m->cores
         : by == DTC_MPI_BY_NUMA ? cores / (int)m->numas
         : by == DTC_MPI_BY_CORE ? 1
                                 : cores;
}

static void put(places *p, const dtc_mpi *m, uint64_t node, int object, uint64_t *left)
{
  int wide = cores_of(m, m->map);
  if (*left == 0)
    return;
  --*left;
  p->first[node][p->n[node]] = object * wide;
  p->last[node][p->n[node]++] = object * wide + wide - 1;
}

static void map_naively(const dtc_mpi *m, places *p)
{
  int objects = (int)(m->sockets * m->cores) / cores_of(m, m->map);
  uint64_t left = m->np, all = m->nodes * (uint64_t)objects;
  uint64_t each = m->np / all != 0 ? m->np / all : 1, extra = m->np > all ? m->np % all : 0;
  for (uint64_t node = 0; node < m->nodes; node++) {
    if (m->ppr == 0 && m->map != DTC_MPI_BY_NODE && m->map_span != DTC_BOOL_ON) {
      for (uint64_t i = 0; i < m->slots; i++)
        put(p, m, node, (int)i % objects, &left);
      continue;
    }
    for (int object = 0; object < objects; object++) {
      uint64_t n = m->ppr != 0 ? m->ppr : each + (extra != 0);
      extra -= extra != 0;
      for (uint64_t i = 0; i < n; i++)
        put(p, m, node, object, &left);
    }
  }
}

/* Gives the next rank to the first process of a node that lies on a ranked object and has none. */
static int rank_on(places *p, const dtc_mpi *m, int node, int object, size_t *rank)
{
  int wide = cores_of(m, m->rank);
  for (int i = 0; i < p->n[node]; i++) {
    if (p->ranked[node][i] || p->first[node][i] >= (object + 1) * wide || p->last[node][i] < object * wide)
      continue;
    p->ranked[node][i] = 1;
    assert_int_equal(tasks[*rank].node, node);
    assert_int_equal(tasks[*rank].local_rank, i);
    ++*rank;
    return 1;
  }
  return 0;
}

static void same_ranks(places *p, const dtc_mpi *m)
{
  size_t rank = 0;
  int across = m->rank == DTC_MPI_BY_NODE || m->rank_span == DTC_BOOL_ON;
  int objects = (int)(m->sockets * m->cores) / cores_of(m, m->rank);
  for (int node = 0; !across && node < (int)m->nodes; node++)
    for (int some = 1; some;) {
      some = 0;
      for (int object = 0; object < objects; object++)
        some |= rank_on(p, m, node, object, &rank);
    }
  while (across && rank < count)
    for (int node = 0; node < (int)m->nodes; node++)
      for (int object = 0; object < objects; object++)
        (void)rank_on(p, m, node, object, &rank);
  assert_int_equal(rank, count);
}

static void placing_process_by_process_gives_the_same(void **state)
{
  (void)state;
  uint64_t seed = 9;
  int good = 0;
  for (int trial = 0; trial < 40000; trial++) {
    places p = {.n = {0}};
    uint64_t nodes = 1 + check_random(&seed, NODES), slots = 1 + check_random(&seed, 20);
    dtc_mpi m = job(nodes, slots, 1 + check_random(&seed, nodes * slots));
    m.sockets = 1 + (uint32_t)check_random(&seed, 4);
    m.cores = 1 + (uint32_t)check_random(&seed, 6);
    m.numas = 1 + (uint32_t)check_random(&seed, 4);
    m.map = (dtc_mpi_by)(1 + check_random(&seed, 5));
    m.rank = (dtc_mpi_by)(1 + check_random(&seed, 5));
    m.map_span = (dtc_bool)check_random(&seed, 3);
    m.rank_span = (dtc_bool)check_random(&seed, 3);
    m.ppr = check_random(&seed, 3) == 0 ? check_random(&seed, 5) : 0;
    if (mpi(&m) != DTC_OK)
      continue;
    good++;
    assert_int_equal(count, m.np);
    map_naively(&m, &p);
    same_ranks(&p, &m);
  }
  assert_true(good > 4000);
}

int main(void)
{
  const struct CMUnitTest tests_of_mpi[] = {
      cmocka_unit_test(mappings_and_rankings),
      cmocka_unit_test(a_socket_span_interleaves_ranks),
      cmocka_unit_test(rank_by_larger_objects),
      cmocka_unit_test(processes_per_resource),
      cmocka_unit_test(mpi_refusals),
      cmocka_unit_test(the_array_is_too_short),
      cmocka_unit_test(placing_process_by_process_gives_the_same),
  };
  return cmocka_run_group_tests(tests_of_mpi, NULL, NULL);
}

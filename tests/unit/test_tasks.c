/* Slurm, torchrun and DeepSpeed: the traps of each, refusals, and Slurm's layouts against dealing task by task. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>

enum { MAX = 512 };

static dtc_task tasks[MAX];
static size_t count;
static dtc_error err;

static dtc_slurm step(dtc_distribution distribution, uint64_t ntasks)
{
  dtc_slurm s;
  DTC_INIT(&s);
  s.distribution = distribution;
  s.ntasks = ntasks;
  return s;
}

static dtc_status slurm(const dtc_slurm *s, const uint64_t *cpus, size_t n)
{
  DTC_INIT(&err);
  return dtc_tasks_slurm(s, cpus, n, NULL, 0, NULL, 0, tasks, MAX, &count, &err);
}

static dtc_status ordered(const dtc_slurm *s, const uint64_t *cpus, size_t n, const uint64_t *order, size_t n_order)
{
  DTC_INIT(&err);
  return dtc_tasks_slurm(s, cpus, n, NULL, 0, order, n_order, tasks, MAX, &count, &err);
}

static dtc_status c10d(const char *hosts, const uint64_t *workers, size_t n)
{
  DTC_INIT(&err);
  return dtc_tasks_c10d(hosts, strlen(hosts), workers, n, tasks, MAX, &count, &err);
}

static dtc_status deepspeed(const char *text)
{
  DTC_INIT(&err);
  return dtc_tasks_deepspeed(text, strlen(text), tasks, MAX, &count, &err);
}

/* The tasks' nodes, a digit each: "00112". And their local ranks, LOCAL_RANK and node ranks in the same way. */
enum { NODE, LOCAL, LOCAL_ENV, NODE_RANK };

static void are(int what, const char *expected)
{
  char got[MAX + 1] = {0};
  for (size_t i = 0; i < count; i++) {
    const dtc_task *t = &tasks[i];
    uint32_t v = what == NODE        ? t->node
                 : what == LOCAL     ? t->local_rank
                 : what == LOCAL_ENV ? t->local_env
                                     : t->node_rank;
    got[i] = (char)('0' + v);
  }
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

#define LIST(...) (const uint64_t[]){__VA_ARGS__}, sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t)

/* ---- Slurm: the traps -------------------------------------------------------------------------------------------- */

static void one_task_per_node_is_the_same_either_way(void **state)
{
  (void)state;
  for (dtc_distribution d = DTC_DISTRIBUTION_DEFAULT; d <= DTC_DISTRIBUTION_CYCLIC; d++) {
    dtc_slurm s = step(d, 4);
    assert_int_equal(slurm(&s, LIST(8, 8, 8, 8)), DTC_OK);
    are(NODE, "0123");
    are(LOCAL, "0000");
    are(NODE_RANK, "0123");
  }
}

static void the_default_follows_tasks_and_nodes(void **state)
{
  (void)state;
  dtc_slurm s = step(DTC_DISTRIBUTION_DEFAULT, 8);
  assert_int_equal(slurm(&s, LIST(8, 8)), DTC_OK);
  are(NODE, "00001111");
  s.distribution = DTC_DISTRIBUTION_CYCLIC;
  assert_int_equal(slurm(&s, LIST(8, 8)), DTC_OK);
  are(NODE, "01010101");
  are(LOCAL, "00112233");
  are(LOCAL_ENV, "00112233");
}

/* -N2 -n5: what was allocated decides. */
static void the_allocation_decides_the_split(void **state)
{
  (void)state;
  dtc_slurm s = step(DTC_DISTRIBUTION_BLOCK, 5);
  assert_int_equal(slurm(&s, LIST(4, 1)), DTC_OK);
  are(NODE, "00001");
  assert_int_equal(slurm(&s, LIST(8, 8)), DTC_OK);
  are(NODE, "00011");
}

/* srun lowers -N4 -n3 to 3 nodes; the layout code itself leaves the fourth empty. */
static void a_step_smaller_than_its_nodes(void **state)
{
  (void)state;
  dtc_slurm s = step(DTC_DISTRIBUTION_DEFAULT, 3);
  assert_int_equal(slurm(&s, LIST(1, 1, 1)), DTC_OK);
  are(NODE, "012");
  assert_int_equal(slurm(&s, LIST(1, 1, 1, 1)), DTC_OK);
  are(NODE, "012");
}

/* -N2 --ntasks-per-node=2 -m plane=4 on what srun gets for it. */
static void a_plane_replaces_tasks_per_node(void **state)
{
  (void)state;
  dtc_slurm s = step(DTC_DISTRIBUTION_PLANE, 0);
  s.plane = 4;
  s.ntasks_per_node = 2;
  assert_int_equal(slurm(&s, LIST(3, 1)), DTC_OK);
  are(NODE, "0001");
  s.ntasks = 8;
  s.plane = 2;
  assert_int_equal(slurm(&s, LIST(4, 4)), DTC_OK);
  are(NODE, "00110011");
  are(LOCAL, "01012323");
}

/* -N4 -n10 --ntasks-per-node=4: srun drops the limit and allocates 7, 1, 1, 1. */
static void an_unfit_tasks_per_node(void **state)
{
  (void)state;
  dtc_slurm s = step(DTC_DISTRIBUTION_BLOCK, 10);
  assert_int_equal(slurm(&s, LIST(7, 1, 1, 1)), DTC_OK);
  are(NODE, "0000000123");
  s.ntasks = 6;
  s.ntasks_per_node = 3;
  assert_int_equal(slurm(&s, LIST(8, 4)), DTC_OK);
  are(NODE, "000111");
  s.ntasks = 0;
  assert_int_equal(slurm(&s, LIST(8, 8, 8)), DTC_OK);
  are(NODE, "000111222");
}

static void pack_fills_nodes(void **state)
{
  (void)state;
  dtc_slurm s = step(DTC_DISTRIBUTION_BLOCK, 7);
  s.pack = DTC_BOOL_ON;
  assert_int_equal(slurm(&s, LIST(4, 4, 4)), DTC_OK);
  are(NODE, "0000112");
  s.distribution = DTC_DISTRIBUTION_CYCLIC; /* no effect */
  assert_int_equal(slurm(&s, LIST(4, 4, 4)), DTC_OK);
  are(NODE, "0120120");
}

static void cpus_of_a_task(void **state)
{
  (void)state;
  dtc_slurm s = step(DTC_DISTRIBUTION_BLOCK, 6);
  DTC_INIT(&err);
  assert_int_equal(dtc_tasks_slurm(&s, LIST(8, 8), LIST(2), NULL, 0, tasks, MAX, &count, &err), DTC_OK);
  are(NODE, "000111");
  assert_int_equal(dtc_tasks_slurm(&s, LIST(8, 8), LIST(2, 4), NULL, 0, tasks, MAX, &count, &err), DTC_OK);
  are(NODE, "000011");
  assert_int_equal(dtc_tasks_slurm(&s, LIST(8, 8), LIST(9, 0), NULL, 0, tasks, MAX, &count, &err), DTC_OK);
  are(NODE, "011111"); /* 9 CPUs a task: room for one all the same */
}

static void arbitrary_follows_the_hostfile(void **state)
{
  (void)state;
  dtc_slurm s = step(DTC_DISTRIBUTION_ARBITRARY, 0);
  assert_int_equal(ordered(&s, LIST(1, 1, 1, 1), LIST(3, 3, 0, 0, 2, 3)), DTC_OK);
  are(NODE, "330023");
  are(LOCAL, "010102");
  are(NODE_RANK, "220012"); /* node 1 is none of the step's */
  s.ntasks = 5;
  refused(ordered(&s, LIST(1, 1, 1, 1), LIST(3, 3, 0, 0, 2, 3)), DTC_E_CONFLICT, DTC_RULE_LENGTH,
          "order has 6 elements: must be 5");
  s.ntasks = 2;
  refused(ordered(&s, LIST(1, 1), LIST(0, 2)), DTC_E_RANGE, DTC_RULE_ELEMENT, "order[1] = 2: must be 0 to 1");
  refused(slurm(&s, LIST(1, 1)), DTC_E_CONFLICT, DTC_RULE_LENGTH, "order has 0 elements: must be 1 to 16777216");
}

/* From 26.05 on block deals and numbers by the topology's rank, ties by index; other distributions do not. */
static void topology_order(void **state)
{
  (void)state;
  dtc_slurm s = step(DTC_DISTRIBUTION_BLOCK, 8);
  s.pack = DTC_BOOL_ON; /* not looked at then */
  assert_int_equal(ordered(&s, LIST(2, 2, 2, 2), LIST(7, 0, 7, 0)), DTC_OK);
  are(NODE, "11330022");
  are(LOCAL, "01010101");
  are(NODE_RANK, "11330022"); /* SLURM_NODEID stays the place in the node list */
  s.release = 26005000;
  assert_int_equal(ordered(&s, LIST(2, 2, 2, 2), LIST(7, 0, 7, 0)), DTC_OK);
  are(NODE, "11330022");
  s.release = 25011000;
  assert_int_equal(ordered(&s, LIST(2, 2, 2, 2), LIST(7, 0, 7, 0)), DTC_OK);
  are(NODE, "00112233");
  s.release = 0;
  s.distribution = DTC_DISTRIBUTION_CYCLIC;
  assert_int_equal(ordered(&s, LIST(2, 2, 2, 2), LIST(7, 0, 7, 0)), DTC_OK);
  are(NODE, "01230123");
  s = step(DTC_DISTRIBUTION_BLOCK, 2);
  assert_int_equal(ordered(&s, LIST(1, 1, 1, 1, 1), LIST(9, 8, 3, 8, 4)), DTC_OK);
  are(NODE, "24");
}

static void slurm_refusals(void **state)
{
  (void)state;
  dtc_slurm s = step(DTC_DISTRIBUTION_PLANE, 4);
  refused(slurm(&s, LIST(2, 2)), DTC_E_CONFLICT, DTC_RULE_FIELD_NEEDS,
          "plane = 0: must be 1 to 65533 with distribution = plane");
  s.distribution = DTC_DISTRIBUTION_BLOCK;
  s.plane = 2;
  refused(slurm(&s, LIST(2, 2)), DTC_E_CONFLICT, DTC_RULE_FIELD_NEEDS,
          "plane = 2: must be 0 with distribution = block");
  s.plane = 0;
  refused(slurm(&s, NULL, 0), DTC_E_RANGE, DTC_RULE_LENGTH, "cpus has 0 elements: must be 1 to 1048576");
  refused(slurm(&s, LIST(2, 70000)), DTC_E_RANGE, DTC_RULE_ELEMENT, "cpus[1] = 70000: must be 0 to 65535");
  assert_true(err.lower == 65535 && err.upper == DTC_NONE);
  refused(ordered(&s, LIST(2, 2), LIST(0)), DTC_E_CONFLICT, DTC_RULE_LENGTH, "order has 1 elements: must be 2");
  DTC_INIT(&err);
  refused(dtc_tasks_slurm(&s, LIST(2, 2, 2), LIST(1, 1), NULL, 0, tasks, MAX, &count, &err), DTC_E_CONFLICT,
          DTC_RULE_LENGTH_OR_ONE, "cpus_per_task has 2 elements: must be one for all, or 3");
  s.ntasks_per_node = 9000;
  refused(dtc_tasks_slurm(&s, LIST(2, 2), LIST(8), NULL, 0, tasks, MAX, &count, &err), DTC_E_RANGE,
          DTC_RULE_SLURM_PRODUCT,
          "ntasks_per_node = 9000: must be 0 to 8191 with cpus_per_task = 8: Slurm keeps their product in 16 bits");
  s.ntasks = 1 + (1 << 24);
  assert_int_equal(slurm(&s, LIST(2, 2)), DTC_E_RANGE);
  s.ntasks = 0;
  s.ntasks_per_node = 65533;
  static uint64_t many[300];
  assert_int_equal(slurm(&s, many, 300), DTC_E_RANGE);
  s.struct_size = 8;
  assert_int_equal(slurm(&s, LIST(2, 2)), DTC_E_SIZE);
}

static void more_tasks_than_a_node_can_count(void **state)
{
  (void)state;
  size_t n = 70000;
  uint64_t *order = calloc(n, sizeof *order);
  dtc_task *many = calloc(n, sizeof *many);
  dtc_slurm s = step(DTC_DISTRIBUTION_BLOCK, n);
  assert_true(order != NULL && many != NULL);
  DTC_INIT(&err);
  refused(dtc_tasks_slurm(&s, LIST(8), NULL, 0, NULL, 0, many, n, &count, &err), DTC_E_RANGE, DTC_RULE_SLURM_NODE,
          "ntasks = 70000: puts 70000 tasks on one node, Slurm counts them in 16 bits");
  s.distribution = DTC_DISTRIBUTION_ARBITRARY;
  assert_int_equal(dtc_tasks_slurm(&s, LIST(8), NULL, 0, order, n, many, n, &count, &err), DTC_E_RANGE);
  order[69999] = 1;
  s.distribution = DTC_DISTRIBUTION_CYCLIC;
  assert_int_equal(dtc_tasks_slurm(&s, LIST(8, 8), NULL, 0, NULL, 0, many, n, &count, &err), DTC_OK);
  assert_true(many[69999].node == 1 && many[69999].local_rank == 34999);
  free(order);
  free(many);
}

static void space(void **state)
{
  (void)state;
  dtc_slurm s = step(DTC_DISTRIBUTION_BLOCK, 9);
  DTC_INIT(&err);
  count = 77;
  refused(dtc_tasks_slurm(&s, LIST(8, 8), NULL, 0, NULL, 0, tasks, 8, &count, &err), DTC_E_SPACE, DTC_RULE_SPACE,
          "the output array holds 8, 9 are needed");
  assert_int_equal(count, 9);
  assert_int_equal(dtc_tasks_torchrun(LIST(2, 3), NULL, 0, &count, NULL), DTC_E_SPACE);
  assert_int_equal(count, 5);
  assert_int_equal(dtc_tasks_c10d("a b", 3, LIST(2), tasks, 3, &count, NULL), DTC_E_SPACE);
  assert_int_equal(count, 4);
  assert_int_equal(dtc_tasks_deepspeed("a slots=6", 9, tasks, 5, &count, NULL), DTC_E_SPACE);
  assert_int_equal(count, 6);
  /* Other errors leave the count alone. */
  assert_int_equal(dtc_tasks_deepspeed("a slots=6\na slots=1", 19, tasks, MAX, &count, NULL), DTC_E_CONFLICT);
  assert_int_equal(count, 6);
}

/* ---- Slurm, task by task ----------------------------------------------------------------------------------------- */

enum { NODES = 9 };

typedef struct naive {
  int n;
  int tasks;
  int room[NODES];
  int has[NODES];
  int left;
} naive;

static int give(naive *d, int node)
{
  if (d->left == 0)
    return 0;
  d->left--;
  return ++d->has[node] < d->room[node];
}

/* Rounds of `chunk` to nodes with room; when a round leaves none with room, everybody takes. */
static void deal_rounds(naive *d, int chunk)
{
  int everybody = 0;
  while (d->left > 0) {
    int some = 0;
    for (int node = 0; node < d->n; node++)
      for (int k = 0; k < chunk; k++)
        if (everybody || d->has[node] < d->room[node])
          some |= give(d, node);
    everybody |= !some;
  }
}

static void deal_block(naive *d, int pack)
{
  if (!pack) {
    deal_rounds(d, 1);
    return;
  }
  for (int node = 0; node < d->n; node++)
    (void)give(d, node);
  for (int node = 0; node < d->n; node++)
    while (d->left > 0 && d->has[node] < d->room[node])
      (void)give(d, node);
  while (d->left > 0)
    for (int node = 0; node < d->n; node++)
      (void)give(d, node);
}

static void deal_plane(naive *d, int plane)
{
  int some = 0;
  for (int node = 0; node < d->n; node++)
    (void)give(d, node);
  for (int node = 0; node < d->n; node++)
    for (int k = 1; k < plane; k++)
      if (d->has[node] < d->room[node])
        some |= give(d, node);
  for (int node = 0; node < d->n && !some; node++)
    d->room[node] = 0;
  deal_rounds(d, plane);
}

static void deal_cyclic(naive *d)
{
  int room = 0;
  for (int node = 0; node < d->n; node++)
    room += d->room[node];
  for (int node = 0; node < d->n && room < d->tasks; node++)
    d->room[node] += (d->tasks - room + d->n - 1) / d->n;
  deal_rounds(d, 1);
}

static void same_numbers(const naive *d, int chunk)
{
  int done[NODES] = {0};
  size_t id = 0;
  assert_int_equal(count, d->tasks);
  while (id < count)
    for (int node = 0; node < d->n; node++)
      for (int k = 0; k < chunk && done[node] < d->has[node]; k++, id++) {
        assert_int_equal(tasks[id].node, node);
        assert_int_equal(tasks[id].local_rank, done[node]++);
        assert_int_equal(tasks[id].local_env, tasks[id].local_rank);
        assert_int_equal(tasks[id].node_rank, node);
      }
}

static void dealing_task_by_task_gives_the_same(void **state)
{
  (void)state;
  uint64_t seed = 5;
  for (int trial = 0; trial < 20000; trial++) {
    uint64_t cpus[NODES], per[NODES];
    naive d = {.n = 1 + (int)check_random(&seed, NODES), .tasks = 1 + (int)check_random(&seed, 60)};
    dtc_slurm s = step((dtc_distribution)(1 + check_random(&seed, 3)), (uint64_t)d.tasks);
    s.plane = s.distribution == DTC_DISTRIBUTION_PLANE ? 1 + check_random(&seed, 5) : 0;
    s.pack = (dtc_bool)check_random(&seed, 3);
    s.ntasks_per_node = check_random(&seed, 2) ? 1 + check_random(&seed, 4) : 0;
    for (int node = 0; node < d.n; node++) {
      cpus[node] = check_random(&seed, 12);
      per[node] = check_random(&seed, 4);
      uint64_t each = per[node] != 0 ? per[node] : 1, room = cpus[node] / each, limit = s.ntasks_per_node * each;
      room = room != 0 ? room : 1;
      d.room[node] = (int)(limit != 0 && s.plane == 0 && limit < room ? limit : room);
    }
    d.left = d.tasks;
    if (s.distribution == DTC_DISTRIBUTION_BLOCK)
      deal_block(&d, s.pack == DTC_BOOL_ON);
    else if (s.distribution == DTC_DISTRIBUTION_CYCLIC)
      deal_cyclic(&d);
    else
      deal_plane(&d, (int)s.plane);
    DTC_INIT(&err);
    check_ok(dtc_tasks_slurm(&s, cpus, (size_t)d.n, per, (size_t)d.n, NULL, 0, tasks, MAX, &count, &err), &err);
    same_numbers(&d, s.plane != 0 ? (int)s.plane : s.distribution == DTC_DISTRIBUTION_CYCLIC ? 1 : MAX);
  }
}

/* ---- torchrun ---------------------------------------------------------------------------------------------------- */

static void static_rendezvous_counts_up(void **state)
{
  (void)state;
  DTC_INIT(&err);
  assert_int_equal(dtc_tasks_torchrun(LIST(3, 2, 4), tasks, MAX, &count, &err), DTC_OK);
  are(NODE, "000112222");
  are(LOCAL, "012010123");
  are(LOCAL_ENV, "012010123");
  are(NODE_RANK, "000112222");
  refused(dtc_tasks_torchrun(LIST(3, 0), tasks, MAX, &count, &err), DTC_E_RANGE, DTC_RULE_ELEMENT,
          "workers[1] = 0: must be 1 to 65536");
  refused(dtc_tasks_torchrun(NULL, 5, tasks, MAX, &count, &err), DTC_E_RANGE, DTC_RULE_LENGTH,
          "workers has 0 elements: must be 1 to 1048576");
  uint64_t many[300];
  for (int i = 0; i < 300; i++)
    many[i] = 65536;
  refused(dtc_tasks_torchrun(many, 300, tasks, MAX, &count, &err), DTC_E_RANGE, DTC_RULE_SUM,
          "workers add up to 19660800: must be 1 to 16777216");
}

static void c10d_sorts_host_names_as_strings(void **state)
{
  (void)state;
  assert_int_equal(c10d("node2 node10\nnode1", LIST(2)), DTC_OK);
  are(NODE, "221100");
  are(NODE_RANK, "001122");
  are(LOCAL, "010101");
  assert_int_equal(c10d("\r\n node2, node10,node1 ,", LIST(1, 2, 3)), DTC_OK);
  are(NODE, "222110");
  are(LOCAL, "012010");
  /* Capitals before small letters, a prefix first, bytes above 127 last. */
  assert_int_equal(c10d("b\xc3\xa9 ba b B bz", LIST(1)), DTC_OK);
  are(NODE, "32140");
}

static void c10d_refusals(void **state)
{
  (void)state;
  refused(c10d(" , \n", LIST(1)), DTC_E_PARSE, DTC_RULE_HOST_NONE, "hosts: there is no host");
  refused(c10d("c b a b c", LIST(1)), DTC_E_CONFLICT, DTC_RULE_HOST_TWICE, "byte 6: this host is listed twice");
  refused(c10d("a b c", LIST(1, 2)), DTC_E_CONFLICT, DTC_RULE_LENGTH_OR_ONE,
          "workers has 2 elements: must be one for all, or 3");
  refused(c10d("a b", NULL, 3), DTC_E_CONFLICT, DTC_RULE_LENGTH_OR_ONE,
          "workers has 0 elements: must be one for all, or 2");
  refused(c10d("a b", LIST(1, 70000)), DTC_E_RANGE, DTC_RULE_ELEMENT, "workers[1] = 70000: must be 1 to 65536");
  enum { HOSTS = (1 << 20) + 1 }; /* one more than there may be nodes */
  static char many[2 * HOSTS];
  for (size_t i = 0; i < HOSTS; i++) {
    many[2 * i] = 'a';
    many[2 * i + 1] = ' ';
  }
  DTC_INIT(&err);
  refused(dtc_tasks_c10d(many, sizeof many, LIST(1), tasks, MAX, &count, &err), DTC_E_RANGE, DTC_RULE_LENGTH,
          "hosts has 1048577 elements: must be 1 to 1048576");
  assert_int_equal(dtc_tasks_c10d(NULL, 9, LIST(1), tasks, MAX, &count, NULL), DTC_E_PARSE);
  err.struct_size = 4;
  assert_int_equal(dtc_tasks_c10d("a", 1, LIST(1), tasks, MAX, &count, &err), DTC_E_SIZE);
}

static void any_order_of_hosts_gives_one_order_of_ranks(void **state)
{
  (void)state;
  uint64_t seed = 3;
  uint64_t one = 1;
  for (int trial = 0; trial < 200; trial++) {
    char text[MAX] = {0};
    size_t len = 0, n = 1 + check_random(&seed, 40);
    uint64_t start = check_random(&seed, 100), stride = 1 + 2 * check_random(&seed, 30);
    for (size_t i = 0; i < n; i++) /* odd strides visit each of 64 names once */
      len += (size_t)sprintf(text + len, "n%u ", (unsigned)((start + i * stride) % 64));
    DTC_INIT(&err);
    check_ok(dtc_tasks_c10d(text, len, &one, 1, tasks, MAX, &count, &err), &err);
    assert_int_equal(count, n);
    for (size_t i = 1; i < n; i++) {
      char a[8], b[8];
      sprintf(a, "%u", (unsigned)((start + tasks[i - 1].node * stride) % 64));
      sprintf(b, "%u", (unsigned)((start + tasks[i].node * stride) % 64));
      assert_true(strcmp(a, b) < 0);
    }
  }
}

/* ---- DeepSpeed --------------------------------------------------------------------------------------------------- */

static void local_rank_is_wrong_on_uneven_hosts(void **state)
{
  (void)state;
  assert_int_equal(deepspeed("worker-1 slots=3\nworker-2 slots=2\n"), DTC_OK);
  are(NODE, "00011");
  are(LOCAL, "01201");
  are(LOCAL_ENV, "01210"); /* ranks 3, 4 of the second host get LOCAL_RANK 1, 0 */
  assert_int_equal(deepspeed("a slots=2\nb slots=4\n"), DTC_OK);
  are(NODE, "001111");
  are(LOCAL, "010123");
  are(LOCAL_ENV, "012301");
  assert_int_equal(deepspeed("a slots=4\nb slots=4"), DTC_OK);
  are(LOCAL, "01230123");
  are(LOCAL_ENV, "01230123");
}

static void what_a_hostfile_may_hold(void **state)
{
  (void)state;
  assert_int_equal(deepspeed("# two machines\r\n\r\n  b\tslots=1 # fast\r\n\t#a slots=9\n \n a   slots=2x\n"), DTC_OK);
  are(NODE, "011");
  are(NODE_RANK, "011");
  assert_int_equal(deepspeed("a slots=01\rb slots=1"), DTC_OK);
  are(NODE, "01");
  assert_int_equal(deepspeed("slots=1 slots=2"), DTC_OK);
  are(LOCAL, "01");
}

static void hostfile_refusals(void **state)
{
  (void)state;
  refused(deepspeed(""), DTC_E_PARSE, DTC_RULE_HOST_NONE, "hostfile: there is no host");
  refused(deepspeed("# none\n\n"), DTC_E_PARSE, DTC_RULE_HOST_NONE, "hostfile: there is no host");
  refused(deepspeed("a slots=2\n b slots=2\nb slots=2\na slots=1"), DTC_E_CONFLICT, DTC_RULE_HOST_TWICE,
          "byte 21: this host is listed twice");
  static const char *const bad[] = {"a",           "a slots",    "a slots=", "a slots=x",  "slots=4",   "a 4",
                                    "a b slots=4", "a slots =4", "a=4",      "a slots= 4", "a SLOTS=4", "aslots=4"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    char text[64] = "ok slots=1\n ";
    strcat(text, bad[i]);
    refused(deepspeed(text), DTC_E_PARSE, DTC_RULE_HOST_LINE, "byte 12: not a line of the form \"host slots=8\"");
  }
  refused(deepspeed("a slots=0"), DTC_E_RANGE, DTC_RULE_HOST_SLOTS, "byte 8: slots = 0: must be 1 to 65536");
  assert_int_equal(deepspeed("a slots=99999999999999999999999"), DTC_E_RANGE);
  assert_int_equal(dtc_tasks_deepspeed(NULL, 9, tasks, MAX, &count, NULL), DTC_E_PARSE);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_task_per_node_is_the_same_either_way),
      cmocka_unit_test(the_default_follows_tasks_and_nodes),
      cmocka_unit_test(the_allocation_decides_the_split),
      cmocka_unit_test(a_step_smaller_than_its_nodes),
      cmocka_unit_test(a_plane_replaces_tasks_per_node),
      cmocka_unit_test(an_unfit_tasks_per_node),
      cmocka_unit_test(pack_fills_nodes),
      cmocka_unit_test(cpus_of_a_task),
      cmocka_unit_test(arbitrary_follows_the_hostfile),
      cmocka_unit_test(topology_order),
      cmocka_unit_test(slurm_refusals),
      cmocka_unit_test(more_tasks_than_a_node_can_count),
      cmocka_unit_test(space),
      cmocka_unit_test(dealing_task_by_task_gives_the_same),
      cmocka_unit_test(static_rendezvous_counts_up),
      cmocka_unit_test(c10d_sorts_host_names_as_strings),
      cmocka_unit_test(c10d_refusals),
      cmocka_unit_test(any_order_of_hosts_gives_one_order_of_ranks),
      cmocka_unit_test(local_rank_is_wrong_on_uneven_hosts),
      cmocka_unit_test(what_a_hostfile_may_hold),
      cmocka_unit_test(hostfile_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

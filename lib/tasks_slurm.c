/* Tasks of a Slurm step: how many each node gets, then which. Follows src/common/slurm_step_layout.c of Slurm 22.05 and
 * 26.05; its loops, one task at a time, are sums here.
 *
 * The output array is the working space. A node that gets tasks is in the "list": entry k in fields of tasks[k]. Every
 * node has room for a task, so the list is never longer than the array. */
#include "internal/tasks.h"

enum {
  CPUS_MAX = 65535,                       /* uint16_t in Slurm */
  NODE_TASKS_MAX = 65535,                 /* the same */
  RELEASE_TOPOLOGY = 26 * 1000000 + 5000, /* _task_layout_topo() */
};

typedef struct step {
  dtc_slurm s; /* with no default left */
  const uint64_t *cpus;
  const uint64_t *cpus_per_task;
  const uint64_t *order; /* NULL when it does not count */
  uint64_t nodes;
  uint64_t per_task; /* length of cpus_per_task; 0 = 1 CPU */
} step;

/* ---- checks ---------------------------------------------------------------------------------- */

static dtc_status fail_length(uint32_t field, uint64_t got, uint64_t min, uint64_t max, dtc_error *e)
{
  return dtci_fail_within(e, DTC_E_CONFLICT, DTC_RULE_LENGTH, field, got, min, max);
}

static dtc_status check_lists(const step *p, size_t n_order, dtc_error *e)
{
  int arbitrary = p->s.distribution == DTC_DISTRIBUTION_ARBITRARY;
  if (p->nodes == 0 || p->nodes > DTCI_NODES_MAX)
    return dtci_fail_within(e, DTC_E_RANGE, DTC_RULE_LENGTH, DTCI_ARG(CPUS), p->nodes, 1, DTCI_NODES_MAX);
  if (p->per_task > 1 && p->per_task != p->nodes)
    return dtci_fail_within(e, DTC_E_CONFLICT, DTC_RULE_LENGTH_OR_ONE, DTCI_ARG(TASK_CPUS), p->per_task, 1, p->nodes);
  if (arbitrary && (n_order == 0 || n_order > DTCI_TASKS_MAX))
    return fail_length(DTCI_ARG(ORDER), n_order, 1, DTCI_TASKS_MAX, e);
  if (arbitrary && p->s.ntasks != 0 && n_order != p->s.ntasks)
    return fail_length(DTCI_ARG(ORDER), n_order, p->s.ntasks, p->s.ntasks, e);
  if (!arbitrary && n_order != 0 && n_order != p->nodes)
    return fail_length(DTCI_ARG(ORDER), n_order, p->nodes, p->nodes, e);
  TRY(dtci_list_ok(p->cpus, (size_t)p->nodes, DTCI_ARG(CPUS), 0, CPUS_MAX, e));
  TRY(dtci_list_ok(p->cpus_per_task, (size_t)p->per_task, DTCI_ARG(TASK_CPUS), 0, CPUS_MAX - 2,
                   e)); /* then INFINITE, NO_VAL */
  return arbitrary ? dtci_list_ok(p->order, n_order, DTCI_ARG(ORDER), 0, p->nodes - 1, e) : DTC_OK;
}

/* A plane has a size, and nothing else has one. */
static dtc_status check_plane(const dtc_slurm *s, dtc_error *e)
{
  int plane = s->distribution == DTC_DISTRIBUTION_PLANE;
  if (plane == (s->plane != 0))
    return DTC_OK;
  dtci_fail(e, DTC_E_CONFLICT, DTC_RULE_FIELD_NEEDS, DTC_FIELD(slurm, plane), s->plane);
  e->other = DTC_FIELD(slurm, distribution);
  e->other_got = s->distribution;
  e->min = plane ? 1 : 0;
  e->max = plane ? CPUS_MAX - 2 : 0;
  return DTC_E_CONFLICT;
}

static uint64_t task_cpus(const step *p, uint64_t node)
{
  uint64_t given = p->per_task == 0 ? 1 : p->cpus_per_task[p->per_task > 1 ? node : 0];
  return given != 0 ? given : 1;
}

static dtc_status check_product(const step *p, dtc_error *e)
{
  for (uint64_t node = 0; node < (p->per_task > 1 ? p->nodes : 1); node++) {
    uint64_t max = CPUS_MAX / task_cpus(p, node);
    if (p->s.ntasks_per_node <= max)
      continue;
    dtci_fail(e, DTC_E_RANGE, DTC_RULE_SLURM_PRODUCT, DTC_FIELD(slurm, ntasks_per_node), p->s.ntasks_per_node);
    e->other = DTCI_ARG(TASK_CPUS);
    e->other_got = task_cpus(p, node);
    e->min = 0;
    e->max = e->lower = max;
    return DTC_E_RANGE;
  }
  return DTC_OK;
}

/* Checks and fills the defaults. */
static dtc_status resolve(step *p, size_t n_order, dtc_error *e)
{
  dtc_slurm *s = &p->s;
  TRY(check_lists(p, n_order, e));
  TRY(check_plane(s, e));
  TRY(check_product(p, e));
  if (s->ntasks == 0 && s->distribution == DTC_DISTRIBUTION_ARBITRARY)
    s->ntasks = n_order;
  if (s->ntasks == 0)
    s->ntasks = p->nodes * (s->ntasks_per_node != 0 ? s->ntasks_per_node : 1);
  if (s->ntasks > DTCI_TASKS_MAX)
    return dtci_fail_range(e, DTC_FIELD(slurm, ntasks), s->ntasks, 1, DTCI_TASKS_MAX);
  if (s->distribution == DTC_DISTRIBUTION_DEFAULT) /* src/srun/libsrun/launch.c */
    s->distribution = s->ntasks <= p->nodes ? DTC_DISTRIBUTION_CYCLIC : DTC_DISTRIBUTION_BLOCK;
  int ranked = s->distribution == DTC_DISTRIBUTION_BLOCK && n_order != 0;
  ranked = ranked && (s->release == 0 || s->release >= RELEASE_TOPOLOGY);
  if (!ranked && s->distribution != DTC_DISTRIBUTION_ARBITRARY)
    p->order = NULL;
  return DTC_OK;
}

/* ---- how many tasks a node gets -------------------------------------------------------------- */

/* Tasks that a node has CPUs for, at least 1. The limit of ntasks_per_node is multiplied by the CPUs of a task although
 * the CPUs were divided by them already: _init_task_layout(). */
static uint64_t room_of(const step *p, uint64_t node)
{
  uint64_t each = task_cpus(p, node);
  uint64_t room = p->cpus[node] / each;
  uint64_t limit = p->s.ntasks_per_node * each;
  room = room != 0 ? room : 1;
  return p->s.distribution != DTC_DISTRIBUTION_PLANE && limit != 0 && limit < room ? limit : room;
}

/* Extra rounds of cyclic when there are more tasks than room: every node takes them after its own, while others still
 * have room. */
static uint64_t extra_rounds(const step *p)
{
  uint64_t room = 0;
  for (uint64_t node = 0; node < p->nodes; node++)
    room += room_of(p, node);
  return p->s.ntasks > room ? dtci_ceil_div(p->s.ntasks - room, p->nodes) : 0;
}

/* Lists the nodes in the order in which tasks are dealt: node_rank the node, local_env its room. */
static void list_nodes(const step *p, dtc_task *t, uint64_t listed)
{
  uint64_t extra = p->s.distribution == DTC_DISTRIBUTION_CYCLIC ? extra_rounds(p) : 0;
  int one = p->s.distribution == DTC_DISTRIBUTION_PLANE && p->s.plane == 1;
  for (uint32_t k = 0; k < listed; k++)
    t[k] = (dtc_task){.node = k};
  if (p->order != NULL) { /* by topology rank, then index */
    dtci_key by_rank = {.rank = p->order};
    dtci_tasks_heap(t, listed, &by_rank);
    for (uint64_t node = listed; node < p->nodes; node++)
      dtci_tasks_keep_least(t, listed, (dtc_task){.node = (uint32_t)node}, &by_rank);
    dtci_tasks_sort(t, listed, &by_rank);
  }
  for (uint64_t k = 0; k < listed; k++) {
    t[k].node_rank = t[k].node;
    /* After a first round of planes of 1 no node counts as having room, so all share alike: _task_layout_plane(). */
    t[k].local_env = one ? 1 : (uint32_t)(room_of(p, t[k].node) + extra);
  }
}

/* Tasks dealt when no node has more than `level`. */
static uint64_t dealt(const dtc_task *t, uint64_t listed, uint64_t level)
{
  uint64_t sum = 0;
  for (uint64_t k = 0; k < listed; k++)
    sum += dtci_smaller(t[k].local_env, level);
  return sum;
}

/* Rounds of `chunk` that are dealt in full. */
static uint64_t full_rounds(const dtc_task *t, uint64_t listed, uint64_t tasks, uint64_t chunk)
{
  uint64_t low = 0;
  uint64_t high = DTCI_TASKS_MAX + CPUS_MAX + 1;
  while (high - low > 1) {
    uint64_t middle = low + (high - low) / 2;
    if (dealt(t, listed, middle * chunk) <= tasks)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* Turns the rooms of the list into tasks. They are dealt in rounds, `chunk` to each node while it has room, in the
 * first round one to each before the rest of a chunk; what is then left in rounds of `over`, room or not. */
static void deal(dtc_task *t, uint64_t listed, uint64_t tasks, uint64_t chunk, uint64_t over)
{
  uint64_t room = dealt(t, listed, UINT32_MAX);
  uint64_t rounds = room > tasks ? full_rounds(t, listed, tasks, chunk) : 0;
  uint64_t left = 0;
  if (room <= tasks)
    left = tasks - room;
  else
    left = tasks - (rounds != 0 ? dealt(t, listed, rounds * chunk) : listed);
  uint64_t each = room <= tasks ? left / (listed * over) * over : 0;
  left -= each * listed;
  for (uint64_t k = 0; k < listed; k++) {
    uint64_t has = t[k].local_env;
    uint64_t take = over;
    if (room > tasks) {
      uint64_t base = rounds != 0 ? dtci_smaller(has, rounds * chunk) : 1;
      take = dtci_smaller(has - base, rounds != 0 ? chunk : chunk - 1);
      has = base;
    }
    take = dtci_smaller(take, left);
    left -= take;
    t[k].local_env = (uint32_t)(has + each + take);
  }
}

static dtc_status check_counts(const step *p, const dtc_task *t, uint64_t listed, dtc_error *e)
{
  for (uint64_t k = 0; k < listed; k++) {
    if (t[k].local_env <= NODE_TASKS_MAX)
      continue;
    dtci_fail(e, DTC_E_RANGE, DTC_RULE_SLURM_NODE, DTC_FIELD(slurm, ntasks), p->s.ntasks);
    e->other_got = t[k].local_env;
    e->max = NODE_TASKS_MAX;
    return DTC_E_RANGE;
  }
  return DTC_OK;
}

/* ---- which tasks a node gets ----------------------------------------------------------------- */

/* Ids go round the list, `chunk` to each node that still lacks some; a node that is done leaves the list. */
static void number(dtc_task *t, uint64_t listed, uint64_t chunk)
{
  uint64_t at = 0;
  for (uint64_t base = 0; listed > 0; base += chunk) {
    uint64_t kept = 0;
    for (uint64_t k = 0; k < listed; k++) {
      uint32_t node = t[k].node_rank;
      uint32_t tasks = t[k].local_env;
      uint64_t end = dtci_smaller(tasks, base + chunk);
      for (uint64_t local = base; local < end; local++, at++) {
        t[at].node = node;
        t[at].local_rank = (uint32_t)local;
      }
      if (tasks > end) {
        t[kept].node_rank = node;
        t[kept].local_env = tasks;
        kept++;
      }
    }
    listed = kept;
  }
}

static dtc_status lay_out(const step *p, dtc_task *t, dtc_error *e)
{
  const dtc_slurm *s = &p->s;
  uint64_t listed = dtci_smaller(p->nodes, s->ntasks);
  int plane = s->distribution == DTC_DISTRIBUTION_PLANE;
  int pack = s->distribution == DTC_DISTRIBUTION_BLOCK && s->pack == DTC_BOOL_ON && p->order == NULL;
  list_nodes(p, t, listed);
  deal(t, listed, s->ntasks, plane ? s->plane : pack ? CPUS_MAX : 1, plane ? s->plane : 1);
  TRY(check_counts(p, t, listed, e));
  number(t, listed, plane ? s->plane : s->distribution == DTC_DISTRIBUTION_CYCLIC ? 1 : DTCI_TASKS_MAX);
  for (uint64_t i = 0; i < s->ntasks; i++) {
    t[i].local_env = t[i].local_rank;
    t[i].node_rank = t[i].node;
  }
  return DTC_OK;
}

/* ---- arbitrary ------------------------------------------------------------------------------- */

/* One pass of a radix sort by 10 bits of the node: ids from local_env to node_rank, or back. */
static void sort_pass(const step *p, dtc_task *t, unsigned shift, int back)
{
  uint32_t at[1024] = {0};
  uint32_t sum = 0;
  uint64_t n = p->s.ntasks;
  for (uint64_t i = 0; i < n; i++)
    at[p->order[i] >> shift & 1023]++;
  for (uint32_t i = 0; i < 1024; i++) {
    uint32_t those = at[i];
    at[i] = sum;
    sum += those;
  }
  for (uint64_t i = 0; i < n; i++) {
    uint32_t id = back ? t[i].node_rank : t[i].local_env;
    uint32_t to = at[p->order[id] >> shift & 1023]++;
    if (back)
      t[to].local_env = id;
    else
      t[to].node_rank = id;
  }
}

static dtc_status lay_out_listed(const step *p, dtc_task *t, dtc_error *e)
{
  uint64_t n = p->s.ntasks;
  uint32_t local = 0;
  uint32_t rank = 0;
  for (uint32_t i = 0; i < n; i++)
    t[i] = (dtc_task){.local_env = i};
  sort_pass(p, t, 0, 0); /* 2^20 nodes: two passes, which keep the order of the ids of a node */
  sort_pass(p, t, 10, 1);
  for (uint64_t k = 0; k < n; k++) {
    uint32_t id = t[k].local_env;
    int same = k != 0 && p->order[id] == p->order[t[k - 1].local_env];
    local = same ? local + 1 : 0;
    rank += k != 0 && !same;
    t[id].node = (uint32_t)p->order[id];
    t[id].local_rank = local;
    t[id].node_rank = rank;
    if (local < NODE_TASKS_MAX)
      continue;
    dtci_fail(e, DTC_E_RANGE, DTC_RULE_SLURM_NODE, DTC_FIELD(slurm, ntasks), n);
    e->other_got = local + 1;
    e->max = NODE_TASKS_MAX;
    return DTC_E_RANGE;
  }
  for (uint64_t i = 0; i < n; i++)
    t[i].local_env = t[i].local_rank;
  return DTC_OK;
}

dtc_status dtc_tasks_slurm(const dtc_slurm *slurm, const uint64_t *cpus, size_t n_cpus, const uint64_t *cpus_per_task,
                           size_t n_cpus_per_task, const uint64_t *order, size_t n_order, dtc_task *tasks, size_t cap,
                           size_t *count, dtc_error *err)
{
  dtc_error e;
  step p = {.cpus = cpus,
            .cpus_per_task = cpus_per_task,
            .order = order,
            .nodes = cpus != NULL ? n_cpus : 0,
            .per_task = cpus_per_task != NULL ? n_cpus_per_task : 0};
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = dtci_in(&p.s, DTC_STRUCT_slurm, slurm, &e);
  s = s != DTC_OK ? s : resolve(&p, order != NULL ? n_order : 0, &e);
  s = s != DTC_OK ? s : dtci_tasks_room(p.s.ntasks, cap, count, &e);
  if (s == DTC_OK && p.s.distribution == DTC_DISTRIBUTION_ARBITRARY)
    s = lay_out_listed(&p, tasks, &e);
  else if (s == DTC_OK)
    s = lay_out(&p, tasks, &e);
  if (s == DTC_OK)
    *count = dtci_count(p.s.ntasks);
  return dtci_end(s, &e, err);
}

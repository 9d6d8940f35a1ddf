/* Processes of Open MPI's mpirun. Follows orte/mca/rmaps of Open MPI 4.1: round_robin/rmaps_rr_mappers.c and
 * ppr/rmaps_ppr.c decide how many processes each object of a node gets and in which order the node lists them, which is
 * the local rank; base/rmaps_base_ranking.c then numbers them. On equal nodes both are formulas. */
#include "internal/tasks.h"

typedef struct job {
  dtc_mpi m;        /* with no default left */
  uint64_t objects; /* of a node that processes are mapped to; 1 for slot and node */
  /* Blocks: object g of all nodes gets the processes from g * each + min(g, extra) on. Else a node is filled to its
   * slots, its objects in turn. */
  int blocks;
  uint64_t each;
  uint64_t extra;
  /* Ranking: in a pass each class of a node's processes gives `quota` of them, one for each ranked object that it
   * lies on. */
  uint64_t classes;
  uint64_t quota;
  int across; /* a pass goes over all nodes */
} job;

static uint64_t objects_of(const dtc_mpi *m, dtc_mpi_by by)
{
  switch (by) {
  case DTC_MPI_BY_SOCKET:
    return m->sockets;
  case DTC_MPI_BY_NUMA:
    return m->numas;
  case DTC_MPI_BY_CORE:
    return (uint64_t)m->sockets * m->cores;
  default:
    return 1;
  }
}

/* ---- checks ---------------------------------------------------------------------------------- */

static int is_object(dtc_mpi_by by)
{
  return by == DTC_MPI_BY_SOCKET || by == DTC_MPI_BY_NUMA || by == DTC_MPI_BY_CORE;
}

/* `field`, which is `got`, does not go with the value of `by`; what does begins at `least`. */
static dtc_status fail_by(uint32_t field, uint64_t got, uint32_t by, uint64_t value, uint64_t legal, dtc_error *e)
{
  dtci_fail(e, DTC_E_CONFLICT, DTC_RULE_FIELD_NEEDS, field, got);
  e->other = by;
  e->other_got = value;
  e->min = e->max = legal;
  return DTC_E_CONFLICT;
}

static dtc_status check_words(const dtc_mpi *m, dtc_error *e)
{
  if (m->ppr != 0 && m->map == DTC_MPI_BY_SLOT)
    return fail_by(DTC_FIELD(mpi, ppr), m->ppr, DTC_FIELD(mpi, map), m->map, 0, e);
  if (m->map_span == DTC_BOOL_ON && m->ppr != 0)
    return fail_by(DTC_FIELD(mpi, map_span), m->map_span, DTC_FIELD(mpi, ppr), m->ppr, DTC_BOOL_OFF, e);
  if (m->map_span == DTC_BOOL_ON && !is_object(m->map))
    return fail_by(DTC_FIELD(mpi, map_span), m->map_span, DTC_FIELD(mpi, map), m->map, DTC_BOOL_OFF, e);
  if (m->rank_span == DTC_BOOL_ON && !is_object(m->rank))
    return fail_by(DTC_FIELD(mpi, rank_span), m->rank_span, DTC_FIELD(mpi, rank), m->rank, DTC_BOOL_OFF, e);
  return DTC_OK;
}

/* NUMA nodes, sockets and cores lie in each other. */
static dtc_status check_numas(const dtc_mpi *m, dtc_error *e)
{
  int nested = m->numas % m->sockets == 0 || m->sockets % m->numas == 0;
  if (nested && objects_of(m, DTC_MPI_BY_CORE) % m->numas == 0)
    return DTC_OK;
  dtci_fail(e, DTC_E_DIVIDE, DTC_RULE_MPI_NUMA, DTC_FIELD(mpi, numas), m->numas);
  e->other = DTC_FIELD(mpi, sockets);
  e->other_got = m->sockets;
  e->lower = e->upper = m->sockets;
  return DTC_E_DIVIDE;
}

/* Mapping to an object checks that a process's cores lie on it; the other mappers leave PE to binding. */
static dtc_status check_pe(const dtc_mpi *m, dtc_error *e)
{
  uint64_t cores = objects_of(m, DTC_MPI_BY_CORE) / objects_of(m, m->map);
  if (m->ppr != 0 || !is_object(m->map) || m->pe <= cores)
    return DTC_OK;
  dtci_fail(e, DTC_E_CONFLICT, DTC_RULE_MPI_PE, DTC_FIELD(mpi, pe), m->pe);
  e->other = DTC_FIELD(mpi, map);
  e->other_got = m->map;
  e->min = 1;
  e->max = e->lower = cores;
  return DTC_E_CONFLICT;
}

static dtc_status fail_np(dtc_rule rule, const dtc_mpi *m, uint64_t max, dtc_error *e)
{
  dtci_fail(e, DTC_E_RANGE, rule, DTC_FIELD(mpi, np), m->np);
  e->other = rule == DTC_RULE_MPI_PPR ? DTC_FIELD(mpi, ppr) : DTC_FIELD(mpi, slots);
  e->other_got = rule == DTC_RULE_MPI_PPR ? m->ppr : m->slots;
  e->min = 1;
  e->max = e->lower = max;
  return DTC_E_RANGE;
}

/* Fills np and checks it. */
static dtc_status check_np(dtc_mpi *m, dtc_error *e)
{
  uint64_t objects = objects_of(m, m->map);
  uint64_t all = m->nodes * (m->ppr != 0 ? m->ppr * objects : m->slots);
  if (m->np == 0)
    m->np = all;
  if (m->np > all)
    return fail_np(m->ppr != 0 ? DTC_RULE_MPI_PPR : DTC_RULE_MPI_SLOTS, m, all, e);
  if (m->ppr != 0 && dtci_smaller(m->np, m->ppr * objects) > m->slots) {
    dtci_fail(e, DTC_E_RANGE, DTC_RULE_MPI_PPR_SLOTS, DTC_FIELD(mpi, ppr), m->ppr);
    e->other = DTC_FIELD(mpi, slots);
    e->other_got = m->slots;
    e->min = m->slots / objects != 0 ? 1 : 0;
    e->max = e->lower = m->slots / objects;
    return DTC_E_RANGE;
  }
  if (m->np > DTCI_TASKS_MAX)
    return dtci_fail_range(e, DTC_FIELD(mpi, np), m->np, 1, DTCI_TASKS_MAX);
  return DTC_OK;
}

static dtc_status resolve(dtc_mpi *m, dtc_error *e)
{
  int by_default = m->map == DTC_MPI_BY_DEFAULT;
  uint64_t np = m->np != 0 ? m->np : m->nodes * m->slots;
  m->sockets = m->sockets != 0 ? m->sockets : 1;
  m->cores = m->cores != 0 ? m->cores : (uint32_t)dtci_ceil_div(m->slots, m->sockets);
  m->numas = m->numas != 0 ? m->numas : m->sockets;
  if (by_default)
    m->map = m->ppr != 0 ? DTC_MPI_BY_NODE : np > 2 ? DTC_MPI_BY_SOCKET : DTC_MPI_BY_CORE;
  if (m->rank == DTC_MPI_BY_DEFAULT)
    m->rank = by_default || m->ppr != 0 ? DTC_MPI_BY_SLOT : m->map;
  TRY(check_words(m, e));
  TRY(check_numas(m, e));
  TRY(check_np(m, e));
  return check_pe(m, e);
}

/* ---- mapping --------------------------------------------------------------------------------- */

static void map(job *j)
{
  const dtc_mpi *m = &j->m;
  uint64_t all = 0;
  j->objects = objects_of(m, m->map);
  j->blocks = m->ppr != 0 || m->map_span == DTC_BOOL_ON || m->map == DTC_MPI_BY_NODE;
  if (!j->blocks)
    return;
  /* Alike for nodes and for the objects of a span: an even share, at least one, and one more for the first. */
  all = m->nodes * j->objects;
  j->each = m->ppr != 0 ? m->ppr : m->np > all ? m->np / all : 1;
  j->extra = m->ppr == 0 && m->np > all ? m->np % all : 0;
}

/* Blocks: processes before object g of all nodes. */
static uint64_t block_start(const job *j, uint64_t g)
{
  return dtci_smaller(g * j->each + dtci_smaller(g, j->extra), j->m.np);
}

/* Processes of a node that is not mapped in blocks. */
static uint64_t filled(const job *j, uint64_t node)
{
  uint64_t before = node * j->m.slots;
  return before < j->m.np ? dtci_smaller(j->m.np - before, j->m.slots) : 0;
}

/* Processes of a node on its objects [first, first + n). */
static uint64_t on_objects(const job *j, uint64_t node, uint64_t first, uint64_t n)
{
  uint64_t g = node * j->objects + first;
  if (j->blocks)
    return block_start(j, g + n) - block_start(j, g);
  uint64_t all = filled(j, node);
  uint64_t rest = all % j->objects;
  return all / j->objects * n + (rest > first ? dtci_smaller(rest - first, n) : 0);
}

/* Local rank of the i-th of them. */
static uint64_t local_of(const job *j, uint64_t node, uint64_t first, uint64_t n, uint64_t i)
{
  uint64_t g = node * j->objects;
  if (j->blocks)
    return block_start(j, g + first) - block_start(j, g) + i;
  return i / n * j->objects + first + i % n;
}

/* ---- ranking --------------------------------------------------------------------------------- */

/* A ranked object takes, in each pass, the first process left that lies on it. Processes on larger objects lie on
 * several ranked ones, a ranked object may hold several smaller ones. */
static void rank(job *j)
{
  uint64_t ranked = objects_of(&j->m, j->m.rank);
  j->across = j->m.rank == DTC_MPI_BY_NODE || j->m.rank_span == DTC_BOOL_ON;
  j->classes = dtci_smaller(ranked, j->objects);
  j->quota = j->m.rank == DTC_MPI_BY_SLOT ? DTCI_TASKS_MAX : ranked / j->classes;
}

/* One pass over a node. Returns how many processes it numbered. Neither the classes of a node nor the nodes have more
 * processes than those before them, so that the first empty one ends a pass. */
static uint64_t rank_node(const job *j, uint64_t node, uint64_t pass, dtc_task *t)
{
  uint64_t per_class = j->objects / j->classes;
  uint64_t done = 0;
  for (uint64_t c = 0; c < j->classes; c++) {
    uint64_t from = pass * j->quota;
    uint64_t to = dtci_smaller(from + j->quota, on_objects(j, node, c * per_class, per_class));
    if (from >= to)
      break;
    for (uint64_t i = from; i < to; i++) {
      uint32_t local = (uint32_t)local_of(j, node, c * per_class, per_class, i);
      t[done++] = (dtc_task){(uint32_t)node, local, local, (uint32_t)node};
    }
  }
  return done;
}

static void rank_all(const job *j, dtc_task *t)
{
  uint64_t done = 0;
  for (uint64_t pass = 0; j->across && done < j->m.np; pass++)
    for (uint64_t node = 0, numbered = 1; node < j->m.nodes && numbered != 0; node++)
      done += numbered = rank_node(j, node, pass, t + done);
  for (uint64_t node = 0; done < j->m.np; node++)
    for (uint64_t pass = 0, numbered = 1; numbered != 0; pass++)
      done += numbered = rank_node(j, node, pass, t + done);
}

static dtc_status mpirun(job *j, dtc_task *tasks, size_t cap, size_t *count, dtc_error *e)
{
  TRY(resolve(&j->m, e));
  TRY(dtci_tasks_room(j->m.np, cap, count, e));
  map(j);
  rank(j);
  rank_all(j, tasks);
  *count = dtci_count(j->m.np);
  return DTC_OK;
}

dtc_status dtc_tasks_mpi(const dtc_mpi *mpi, dtc_task *tasks, size_t cap, size_t *count, dtc_error *err)
{
  dtc_error e;
  job j = {.objects = 1};
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = dtci_in(&j.m, DTC_STRUCT_mpi, mpi, &e);
  return dtci_end(s != DTC_OK ? s : mpirun(&j, tasks, cap, count, &e), &e, err);
}

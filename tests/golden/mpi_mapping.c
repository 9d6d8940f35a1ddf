/* mpi_mapping.csv: processes of mpirun on nodes of 2 sockets with 4 cores and one NUMA node. */
#include "golden.h"

#include <stdio.h>
#include <stdlib.h>

enum { TASKS_MAX = 4096, TEXT_SIZE = 1 << 16 };

static int starts(const char *text, const char *with)
{
  return strncmp(text, with, strlen(with)) == 0;
}

static dtc_mpi_by by_of(const char *word, size_t len)
{
  static const char names[][8] = {"slot", "node", "socket", "numa", "core"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strlen(names[i]) == len && memcmp(names[i], word, len) == 0)
      return (dtc_mpi_by)(DTC_MPI_BY_SLOT + i);
  return DTC_MPI_BY_DEFAULT;
}

/* `socket:span`, `slot:PE=2`, `ppr:2:socket`; returns 0 when it is something else. */
static int read_policy(dtc_mpi *m, const char *s, size_t len, dtc_mpi_by *by, dtc_bool *span)
{
  const char *end = s + len;
  if (starts(s, "ppr:")) {
    char *rest = NULL;
    m->ppr = strtoull(s + 4, &rest, 10);
    s = rest + (*rest == ':');
  }
  size_t word = strcspn(s, ": ");
  *by = by_of(s, word);
  s += word;
  if (starts(s, ":span"))
    *span = DTC_BOOL_ON;
  else if (starts(s, ":PE="))
    m->pe = strtoull(s + 4, NULL, 10);
  else if (s != end)
    return 0;
  return *by != DTC_MPI_BY_DEFAULT;
}

/* Reads the options of mpirun; returns 0 when one is not known. */
static int read_args(dtc_mpi *m, const char *s)
{
  while (*(s += strspn(s, " ")) != 0) {
    size_t word = strcspn(s, " ");
    const char *value = s + word + strspn(s + word, " ");
    size_t len = strcspn(value, " ");
    if (starts(s, "--bynode")) {
      m->map = DTC_MPI_BY_NODE;
      s += word;
      continue;
    }
    if (starts(s, "--npernode")) {
      m->map = DTC_MPI_BY_NODE;
      m->ppr = strtoull(value, NULL, 10);
    } else if (starts(s, "--map-by")) {
      if (!read_policy(m, value, len, &m->map, &m->map_span))
        return 0;
    } else if (!starts(s, "--rank-by") || !read_policy(m, value, len, &m->rank, &m->rank_span)) {
      return 0;
    }
    s = value + len;
  }
  return 1;
}

/* "n0:0,1;n1:2": ranks of each node by local rank, nodes without any left out. */
static void write_nodes(char *out, const dtc_task *tasks, size_t count, uint64_t nodes)
{
  static uint32_t ranks[TASKS_MAX];
  char *at = out;
  for (uint32_t node = 0; node < nodes; node++) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++)
      if (tasks[i].node == node) {
        ranks[tasks[i].local_rank % TASKS_MAX] = i;
        n++;
      }
    for (uint32_t i = 0; i < n; i++)
      at += i == 0 ? sprintf(at, "%sn%u:%u", at == out ? "" : ";", node, ranks[i]) : sprintf(at, ",%u", ranks[i]);
  }
  *at = 0;
}

void golden_mpi_mapping(golden *g)
{
  static dtc_task tasks[TASKS_MAX];
  static char text[TEXT_SIZE];
  size_t count = 0;
  dtc_mpi m;
  dtc_error err;
  DTC_INIT(&m);
  DTC_INIT(&err);
  m.sockets = 2;
  m.cores = 4;
  m.numas = 1;
  m.nodes = golden_number(g, "nodes");
  m.slots = golden_number(g, "slots");
  m.np = golden_number(g, "np");
  if (!read_args(&m, golden_cell(g, "args"))) {
    golden_refused(g, "these options are not known");
    return;
  }
  dtc_status status = dtc_tasks_mpi(&m, tasks, TASKS_MAX, &count, &err);
  if (*golden_cell(g, "node_ranks") == 0) {
    if (status != DTC_E_RANGE)
      golden_not_refused(g);
    return;
  }
  if (!golden_ok(g, status, &err))
    return;
  write_nodes(text, tasks, count, m.nodes);
  golden_text(g, "node_ranks", text);
}

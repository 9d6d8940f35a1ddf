/* slurm_distribution.csv: task ids of each node, by local id, as Slurm's own layout code and live srun gave them. */
#include "golden.h"

#include <stdio.h>
#include <stdlib.h>

/* Everything of a row; the arrays are one allocation each. */
typedef struct row {
  uint64_t nodes;
  uint64_t ntasks;
  uint64_t *cpus;
  uint64_t *cpus_per_task;
  uint64_t *order; /* of arbitrary */
  size_t n_order;
  dtc_task *tasks;
  uint32_t *ids;   /* by node and local id */
  uint32_t *first; /* of each node in ids; then its end */
  char *text;
} row;

static void *array(uint64_t n, size_t size)
{
  void *p = calloc(n != 0 ? n : 1, size);
  if (p == NULL)
    abort();
  return p;
}

static int is(const golden *g, const char *column, const char *value)
{
  return strcmp(golden_cell(g, column), value) == 0;
}

/* "8x2,4x1" is 8, 8, 4. */
static void read_repeats(const char *s, uint64_t *out, uint64_t n)
{
  for (uint64_t i = 0; *s != 0 && i < n; s += *s == ',') {
    char *end = NULL;
    uint64_t value = strtoull(s, &end, 10), times = strtoull(end + (*end == 'x'), &end, 10);
    for (; times > 0 && i < n; times--)
      out[i++] = value;
    s = end;
  }
}

/* Position of host number `wanted` in "n[0,2-3]" or "n0"; `nodes` when it is not there. */
static uint64_t position(const char *list, uint64_t wanted, uint64_t nodes)
{
  uint64_t at = 0;
  list += strcspn(list, "0123456789");
  while (*list >= '0' && *list <= '9') {
    char *end = NULL;
    uint64_t first = strtoull(list, &end, 10), last = *end == '-' ? strtoull(end + 1, &end, 10) : first;
    if (wanted >= first && wanted <= last)
      return at + wanted - first;
    at += last - first + 1;
    list = end + (*end == ',');
  }
  return nodes;
}

static void read_hostfile(const golden *g, row *r)
{
  const char *s = golden_cell(g, "hostfile");
  while (*s != 0 && r->n_order < r->ntasks) {
    size_t len = strcspn(s, ",");
    r->order[r->n_order++] =
        position(golden_cell(g, "job_nodelist"), strtoull(s + strcspn(s, "0123456789"), NULL, 10), r->nodes);
    s += len + (s[len] == ',');
  }
}

static dtc_slurm read_step(const golden *g)
{
  dtc_slurm s;
  DTC_INIT(&s);
  s.distribution = is(g, "dist", "block")    ? DTC_DISTRIBUTION_BLOCK
                   : is(g, "dist", "cyclic") ? DTC_DISTRIBUTION_CYCLIC
                   : is(g, "dist", "plane")  ? DTC_DISTRIBUTION_PLANE
                                             : DTC_DISTRIBUTION_ARBITRARY;
  s.pack = is(g, "flags", "pack") ? DTC_BOOL_ON : is(g, "flags", "nopack") ? DTC_BOOL_OFF : DTC_BOOL_DEFAULT;
  s.release = 22005008;
  s.ntasks = golden_number(g, "ntasks");
  if (s.distribution == DTC_DISTRIBUTION_PLANE)
    s.plane = golden_number(g, "plane");
  else if (!is(g, "plane", "-"))
    s.ntasks_per_node = golden_number(g, "plane");
  return s;
}

/* "0,1;2;": groups of ids, one for each node. */
static size_t write_ids(row *r, size_t count)
{
  char *at = r->text;
  for (size_t i = 0; i < count; i++)
    r->first[r->tasks[i].node + 1]++;
  for (uint64_t node = 0; node < r->nodes; node++)
    r->first[node + 1] += r->first[node];
  for (size_t i = 0; i < count; i++)
    r->ids[r->first[r->tasks[i].node] + r->tasks[i].local_rank] = (uint32_t)i;
  for (uint64_t node = 0; node < r->nodes; node++) {
    at += sprintf(at, "%s", node != 0 ? ";" : "");
    for (uint32_t i = r->first[node]; i < r->first[node + 1]; i++)
      at += sprintf(at, "%s%u", i != r->first[node] ? "," : "", r->ids[i]);
  }
  return (size_t)(at - r->text);
}

static void answer(golden *g, row *r)
{
  char hash[65];
  size_t count = 0;
  dtc_error err;
  DTC_INIT(&err);
  dtc_slurm s = read_step(g);
  read_repeats(golden_cell(g, "cpus_rle"), r->cpus, r->nodes);
  read_repeats(golden_cell(g, "cpus_per_task_rle"), r->cpus_per_task, r->nodes);
  read_hostfile(g, r);
  dtc_status status = dtc_tasks_slurm(&s, r->cpus, r->nodes, r->cpus_per_task, r->nodes, r->order, r->n_order, r->tasks,
                                      r->ntasks, &count, &err);
  if (!golden_ok(g, status, &err))
    return;
  golden_sha256(r->text, write_ids(r, count), hash);
  golden_text(g, "tids_sha256", hash);
}

void golden_slurm_distribution(golden *g)
{
  row r = {.nodes = golden_number(g, "nnodes"), .ntasks = golden_number(g, "ntasks")};
  r.cpus = array(r.nodes, sizeof *r.cpus);
  r.cpus_per_task = array(r.nodes, sizeof *r.cpus_per_task);
  r.order = array(r.ntasks, sizeof *r.order);
  r.tasks = array(r.ntasks, sizeof *r.tasks);
  r.ids = array(r.ntasks, sizeof *r.ids);
  r.first = array(r.nodes + 1, sizeof *r.first);
  r.text = array(r.ntasks * 11 + r.nodes + 1, 1);
  answer(g, &r);
  free(r.cpus);
  free(r.cpus_per_task);
  free(r.order);
  free(r.tasks);
  free(r.ids);
  free(r.first);
  free(r.text);
}

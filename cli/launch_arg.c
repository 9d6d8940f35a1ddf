#include "launch_arg.h"

#include "file.h"
#include "text.h"
#include "values.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const launchers[] = {"slurm", "torchrun", "c10d", "deepspeed", "mpi"};

const char *launch_name(const launch *l)
{
  return launchers[l->by];
}

/* ---- options ----------------------------------------------------------------------------------------------------- */

static int read_launcher(const cli *c, const args *a, launch *out)
{
  const char *name = a->value[OPT_LAUNCHER];
  char list[128] = "";
  if (name == NULL)
    return 0;
  out->asked = true;
  for (out->by = 0; out->by < sizeof launchers / sizeof *launchers; out->by++) {
    if (strcmp(name, launchers[out->by]) == 0)
      return 0;
    list_add(c, list, sizeof list, launchers[out->by]);
  }
  return fail(c, MSG_UNKNOWN_VALUE, "launcher", name, list);
}

/* An option that one launcher alone has. */
static int check_owner(const cli *c, const args *a, const launch *l, option_id id, uint32_t by)
{
  if (a->value[id] == NULL || (l->asked && l->by == by))
    return 0;
  return fail(c, MSG_NEEDS_LAUNCHER, options[id].name, launchers[by]);
}

static int read_distribution(const cli *c, const args *a, dtc_slurm *out)
{
  const char *dist = a->value[OPT_DIST];
  if (dist == NULL)
    return 0;
  size_t len = strcspn(dist, "=");
  out->distribution = value_find(DTC_FIELD(slurm, distribution), dist, len);
  bool plane = out->distribution == DTC_DISTRIBUTION_PLANE;
  if (plane == (dist[len] == 0) || (plane && !text_read_u64(dist + len + 1, &out->plane)) ||
      out->distribution == DTC_DISTRIBUTION_DEFAULT || out->distribution == DTC_DISTRIBUTION_ARBITRARY)
    return fail(c, MSG_BAD_VALUE, "dist", dist, "block, cyclic, plane=N");
  return 0;
}

static int read_map(const cli *c, const args *a, dtc_mpi_by *out)
{
  const char *map = a->value[OPT_MAP_BY];
  char list[128];
  *out = map == NULL ? DTC_MPI_BY_DEFAULT : value_find(DTC_FIELD(mpi, map), map, strlen(map));
  if (map == NULL || *out != DTC_MPI_BY_DEFAULT)
    return 0;
  value_list(c, DTC_FIELD(mpi, map), list, sizeof list);
  return fail(c, MSG_UNKNOWN_VALUE, "map-by", map, list);
}

static int compare_hosts(const void *a, const void *b)
{
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* A launcher has each node once. */
static int check_hosts(const cli *c, const launch *of)
{
  const char *twice = NULL;
  char **sorted = grow(NULL, of->host_count * sizeof *sorted);
  memcpy(sorted, of->hosts, of->host_count * sizeof *sorted);
  qsort(sorted, of->host_count, sizeof *sorted, compare_hosts);
  for (size_t i = 1; i < of->host_count && twice == NULL; i++)
    twice = strcmp(sorted[i - 1], sorted[i]) == 0 ? sorted[i] : NULL;
  free(sorted);
  return twice == NULL ? 0 : fail(c, MSG_HOST_REPEATED, twice);
}

static int read_hosts(const cli *c, const args *a, launch *out)
{
  const char *given = a->value[OPT_HOSTS];
  if (given == NULL)
    return 0;
  out->names = copy_text(given);
  out->hosts = grow(NULL, (strlen(given) / 2 + 1) * sizeof *out->hosts);
  for (char *s = out->names;;) {
    size_t n = strcspn(s, ",");
    bool last = s[n] == 0;
    if (n == 0 || strcspn(s, " \t\r\n#") < n)
      return fail(c, MSG_BAD_VALUE, "hosts", given, "NAME,NAME,...");
    s[n] = 0;
    out->hosts[out->host_count++] = s;
    if (last)
      return check_hosts(c, out);
    s += n + 1;
  }
}

static int read_hostfile(const cli *c, const args *a, launch *out)
{
  const char *path = a->value[OPT_HOSTFILE];
  dtc_error err;
  DTC_INIT(&err);
  if (path == NULL)
    return 0;
  out->path = path;
  out->hostfile = file_read(path, &out->hostfile_len);
  if (out->hostfile == NULL)
    return fail(c, MSG_CANNOT_READ, path, strerror(errno));
  dtc_status status = dtc_tasks_deepspeed(out->hostfile, out->hostfile_len, NULL, 0, &out->slots, &err);
  return status == DTC_OK || status == DTC_E_SPACE ? 0 : fail_with(c, path, &err);
}

int launch_read(const cli *c, const args *a, launch *out)
{
  DTC_INIT(&out->slurm);
  if (read_launcher(c, a, out) != 0 || check_owner(c, a, out, OPT_DIST, LAUNCH_SLURM) != 0 ||
      check_owner(c, a, out, OPT_MAP_BY, LAUNCH_MPI) != 0 ||
      check_owner(c, a, out, OPT_HOSTFILE, LAUNCH_DEEPSPEED) != 0 || read_distribution(c, a, &out->slurm) != 0 ||
      read_map(c, a, &out->map) != 0 || read_hosts(c, a, out) != 0 || read_hostfile(c, a, out) != 0)
    return EXIT_BAD_INPUT;
  bool names = out->host_count != 0 || out->hostfile != NULL;
  if (out->host_count != 0 && out->hostfile != NULL)
    return fail(c, MSG_HOSTS_TWICE);
  if (out->asked && (out->by == LAUNCH_C10D || out->by == LAUNCH_DEEPSPEED) && !names)
    return fail(c, MSG_NEEDS_HOSTS, launchers[out->by]);
  if (a->value[OPT_WRITE_HOSTFILE] != NULL &&
      (!out->asked || (out->by != LAUNCH_SLURM && out->by != LAUNCH_DEEPSPEED) || out->host_count == 0))
    return fail(c, MSG_WRITE_NEEDS);
  return 0;
}

/* ---- tasks ------------------------------------------------------------------------------------------------------- */

static dtc_status run_slurm(const layout_arg *l, const launch *of, uint64_t *each, dtc_task *tasks, size_t cap,
                            size_t *count, dtc_error *err)
{
  dtc_slurm slurm = of->slurm;
  slurm.ntasks = l->layout.offset + l->layout.world;
  return dtc_tasks_slurm(&slurm, each, (size_t)layout_nodes(l), NULL, 0, NULL, 0, tasks, cap, count, err);
}

static dtc_status run_mpi(const layout_arg *l, const launch *of, dtc_task *tasks, size_t cap, size_t *count,
                          dtc_error *err)
{
  dtc_mpi mpi;
  DTC_INIT(&mpi);
  mpi.map = of->map;
  mpi.nodes = layout_nodes(l);
  mpi.slots = l->per_node;
  mpi.np = l->layout.offset + l->layout.world;
  return dtc_tasks_mpi(&mpi, tasks, cap, count, err);
}

/* `each` has the GPUs of each node. */
static dtc_status run(const layout_arg *l, const launch *of, uint64_t *each, dtc_task *tasks, size_t cap, size_t *count,
                      dtc_error *err)
{
  switch (of->by) {
  case LAUNCH_SLURM:
    return run_slurm(l, of, each, tasks, cap, count, err);
  case LAUNCH_TORCHRUN:
    return dtc_tasks_torchrun(each, (size_t)layout_nodes(l), tasks, cap, count, err);
  case LAUNCH_C10D:
    return dtc_tasks_c10d(of->hostfile, of->hostfile_len, each, 1, tasks, cap, count, err);
  case LAUNCH_DEEPSPEED:
    return dtc_tasks_deepspeed(of->hostfile, of->hostfile_len, tasks, cap, count, err);
  default:
    return run_mpi(l, of, tasks, cap, count, err);
  }
}

/* A line for each host: its name, of DeepSpeed with its slots. */
static void write_hosts(const layout_arg *l, launch *of)
{
  char slots[32] = "";
  size_t cap = 1;
  if (of->by == LAUNCH_DEEPSPEED)
    snprintf(slots, sizeof slots, " slots=%" PRIu64, l->per_node);
  for (size_t i = 0; i < of->host_count; i++)
    cap += strlen(of->hosts[i]) + strlen(slots) + 1;
  of->hostfile = grow(NULL, cap);
  of->hostfile_len = 0;
  for (size_t i = 0; i < of->host_count; i++)
    of->hostfile_len +=
        (size_t)snprintf(of->hostfile + of->hostfile_len, cap - of->hostfile_len, "%s%s\n", of->hosts[i], slots);
}

int launch_run(const cli *c, const layout_arg *l, launch *out)
{
  const uint64_t most = (uint64_t)1 << 24; /* ranks that the library follows */
  uint64_t nodes = layout_nodes(l);
  uint64_t end = l->layout.offset + l->layout.world;
  dtc_error err;
  DTC_INIT(&err);
  if (out->host_count != 0 && out->host_count != nodes)
    return fail(c, MSG_LIST_NODES, "hosts", text_u64(out->host_count).s, text_u64(nodes).s);
  if (!out->asked)
    return 0;
  if (end > most)
    return fail(c, MSG_LAUNCH_MOST, text_u64(end).s, text_u64(most).s);
  if (out->host_count != 0)
    write_hosts(l, out);
  uint64_t *each = grow(NULL, (size_t)nodes * sizeof *each);
  for (uint64_t i = 0; i < nodes; i++)
    each[i] = l->per_node;
  dtc_status status = run(l, out, each, NULL, 0, &out->count, &err);
  if (status == DTC_E_SPACE) {
    out->tasks = grow(NULL, out->count * sizeof *out->tasks);
    status = run(l, out, each, out->tasks, out->count, &out->count, &err);
  }
  free(each);
  if (status != DTC_OK)
    return fail_with(c, out->path != NULL ? out->path : launchers[out->by], &err);
  return out->count >= end ? 0 : fail(c, MSG_LAUNCH_FEW, launchers[out->by], text_u64(out->count).s, text_u64(end).s);
}

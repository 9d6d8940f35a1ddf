#include "cluster_arg.h"

#include "text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char *skip(const char *s)
{
  return s + strspn(s, "-_ ");
}

static bool same_name(const char *a, const char *b)
{
  for (;;) {
    a = skip(a);
    b = skip(b);
    if (tolower((unsigned char)*a) != tolower((unsigned char)*b))
      return false;
    if (*a == 0)
      return true;
    a++;
    b++;
  }
}

size_t name_index(const char *given, size_t count, const char *(*name)(size_t))
{
  size_t i = 0;
  while (i < count && !same_name(given, name(i)))
    i++;
  return i;
}

static const char *catalogue_name(const char *given, size_t count, const char *(*name)(size_t))
{
  size_t i = name_index(given, count, name);
  return i < count ? name(i) : given;
}

static int find(const cli *c, const args *a, cluster_arg *out)
{
  const char *gpu = a->value[OPT_GPU];
  const char *machine = a->value[OPT_CLUSTER];
  dtc_error err;
  dtc_status status;
  DTC_INIT(&err);
  if (gpu != NULL && machine != NULL)
    return fail(c, MSG_GPU_AND_CLUSTER);
  if (gpu == NULL && machine == NULL)
    return 0;
  status = gpu != NULL ? dtc_gpu_find(gpu, &out->cluster, &err) : dtc_cluster_find(machine, &out->cluster, &err);
  if (status != DTC_OK)
    return fail_name(c, gpu != NULL ? gpu : machine, &err);
  out->given = true;
  out->name = gpu != NULL ? catalogue_name(gpu, dtc_gpu_count(), dtc_gpu_name)
                          : catalogue_name(machine, dtc_cluster_count(), dtc_cluster_name);
  return 0;
}

/* A node with so many GPUs; NVLink that joins a whole usual node joins all of a smaller one. */
static void set_node(dtc_cluster *cl, uint64_t gpus)
{
  if (cl->nvlink_domain == cl->gpus_per_node && gpus < cl->gpus_per_node)
    cl->nvlink_domain = (uint32_t)gpus;
  cl->gpus_per_node = gpus;
}

/* Nodes for the GPUs asked for; fewer than a node has are a smaller node. */
static int place(const cli *c, uint64_t nodes, uint64_t gpus, cluster_arg *out)
{
  dtc_cluster *cl = &out->cluster;
  if (gpus != 0 && nodes == 0 && gpus < cl->gpus_per_node)
    set_node(cl, gpus);
  uint64_t per_node = cl->gpus_per_node;
  if (gpus != 0 && gpus % per_node != 0)
    return fail(c, MSG_GPUS_NODES, text_u64(gpus).s, text_u64(per_node).s, text_u64(gpus - gpus % per_node).s,
                text_u64(gpus - gpus % per_node + per_node).s);
  if (gpus != 0 && nodes != 0 && gpus != nodes * per_node)
    return fail(c, MSG_GPUS_AND_NODES, text_u64(gpus).s, text_u64(nodes).s, text_u64(per_node).s);
  cl->nodes = nodes != 0 ? nodes : gpus / per_node;
  out->gpus = cl->nodes * per_node;
  return 0;
}

/* ---- what an option says of the machine instead of the catalogue ------------------------------------------------- */

typedef struct own_figure {
  option_id option;
  bool bytes; /* a size, else a plain number */
  size_t offset;
} own_figure;

static const own_figure own_figures[] = {
    {OPT_POWER, false, offsetof(dtc_cluster, power)},
    {OPT_HOST_BANDWIDTH, true, offsetof(dtc_cluster, host_bandwidth)},
    {OPT_NVME_BANDWIDTH, true, offsetof(dtc_cluster, nvme_bandwidth)},
    {OPT_STORAGE_BANDWIDTH, true, offsetof(dtc_cluster, storage_bandwidth)},
    {OPT_MTBF, false, offsetof(dtc_cluster, mtbf)},
    {OPT_PRICE, false, offsetof(dtc_cluster, price)},
};

/* A number above 0; ranges are the library's. */
static bool read_figure(const char *s, bool bytes, double *out)
{
  uint64_t n;
  if (bytes) {
    bool ok = text_read_bytes(s, &n);
    *out = ok ? (double)n : 0;
    return ok;
  }
  return text_read_positive(s, out);
}

static int read_own(const cli *c, const args *a, cluster_arg *out)
{
  for (size_t i = 0; i < sizeof own_figures / sizeof *own_figures; i++) {
    const own_figure *f = &own_figures[i];
    const char *given = a->value[f->option];
    double v;
    if (given == NULL)
      continue;
    if (!out->given)
      return fail(c, MSG_OPTION_NEEDS_GPU, options[f->option].name);
    if (!read_figure(given, f->bytes, &v))
      return fail(c, MSG_BAD_VALUE, options[f->option].name, given, options[f->option].value);
    memcpy((char *)&out->cluster + f->offset, &v, sizeof v);
  }
  return 0;
}

int cluster_arg_read(const cli *c, const args *a, cluster_arg *out)
{
  uint64_t nodes;
  uint64_t gpus;
  uint64_t per_node;
  memset(out, 0, sizeof *out);
  DTC_INIT(&out->cluster);
  if (find(c, a, out) != 0 || read_own(c, a, out) != 0 || args_number(c, a, OPT_NODES, 1, 0, &nodes) != 0 ||
      args_number(c, a, OPT_GPUS, 1, 0, &gpus) != 0 || args_number(c, a, OPT_GPUS_PER_NODE, 1, 0, &per_node) != 0)
    return EXIT_BAD_INPUT;
  if (!out->given)
    return nodes + gpus + per_node == 0 ? 0 : fail(c, MSG_NODES_NEED_GPU);
  dtc_cluster *cl = &out->cluster;
  if (per_node != 0)
    set_node(cl, per_node);
  out->usual = *cl;
  if (place(c, nodes, gpus, out) != 0)
    return EXIT_BAD_INPUT;
  dtc_error err;
  DTC_INIT(&err);
  return dtc_cluster_resolve(cl, cl, &err) == DTC_OK && dtc_cluster_resolve(&out->usual, &out->usual, &err) == DTC_OK
             ? 0
             : fail_with(c, out->name, &err);
}

uint64_t nominal_gb(const cluster_arg *a)
{
  /* The catalogue name says it where the GPU is sold in several sizes; else the binary size rounds to it. */
  const char *end = strstr(a->name, "gb");
  const char *start = end;
  while (start != NULL && start > a->name && isdigit((unsigned char)start[-1]))
    start--;
  if (start != NULL && start != end)
    return strtoull(start, NULL, 10);
  return (a->cluster.memory + ((uint64_t)1 << 29)) >> 30;
}

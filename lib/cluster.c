/* What it is trained on: the catalogues of GPUs and clusters, defaults and checks of a cluster. */
#include "internal/cluster.h"
#include "internal/catalog.h"

enum { USUAL_NODE = 8 }; /* GPUs on an HGX, OAM or Atlas board */

/* Fills what is 0 from the other fields; the ranges hold already. */
static dtc_status resolve(dtc_cluster *c, dtc_error *e)
{
  if (c->usable == 0)
    c->usable = c->memory;
  if (c->gpus_per_node == 0)
    c->gpus_per_node = USUAL_NODE;
  if (c->nvlink_domain == 0)
    c->nvlink_domain = (uint32_t)c->gpus_per_node;
  if (c->usable <= c->memory)
    return DTC_OK;
  dtci_fail(e, DTC_E_CONFLICT, DTC_RULE_RANGE, DTC_FIELD(cluster, usable), c->usable);
  e->other = DTC_FIELD(cluster, memory);
  e->other_got = c->memory;
  e->min = 0;
  e->max = c->memory;
  return DTC_E_CONFLICT;
}

dtc_status dtci_cluster_in(const dtc_cluster *user, dtc_cluster *local, dtc_error *e)
{
  dtc_status status = dtci_in(local, DTC_STRUCT_cluster, user, e);
  return status != DTC_OK ? status : resolve(local, e);
}

static dtc_status write_resolved(const dtc_cluster *cluster, dtc_cluster *out, dtc_error *e)
{
  dtc_cluster local;
  dtc_status status = dtci_cluster_in(cluster, &local, e);
  return status != DTC_OK ? status : dtci_out(out, DTC_STRUCT_cluster, &local, e);
}

dtc_status dtc_cluster_resolve(const dtc_cluster *cluster, dtc_cluster *out, dtc_error *err)
{
  dtc_error e;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  return dtci_end(write_resolved(cluster, out, &e), &e, err);
}

/* ---- names ----------------------------------------------------------------------------------- */

static size_t gpu_index(const char *name, size_t len, uint64_t *nearest)
{
  return dtci_name_find(dtci_gpus[0].name, dtci_gpus_count, sizeof dtci_gpus[0], name, len, nearest);
}

static size_t cluster_index(const char *name, size_t len, uint64_t *nearest)
{
  return dtci_name_find(dtci_clusters[0].name, dtci_clusters_count, sizeof dtci_clusters[0], name, len, nearest);
}

/* ---- GPUs ------------------------------------------------------------------------------------ */

size_t dtc_gpu_count(void)
{
  return dtci_gpus_count;
}

const char *dtc_gpu_name(size_t index)
{
  return index < dtci_gpus_count ? dtci_gpus[index].name : NULL;
}

const char *dtc_gpu_source(size_t index)
{
  return index < dtci_gpus_count ? dtci_gpus[index].source : NULL;
}

static dtc_status find_gpu(const char *name, dtc_cluster *out, dtc_error *e)
{
  uint64_t nearest = DTC_NONE;
  if (name == NULL)
    return dtci_fail_name(e, DTC_RULE_GPU_NAME, DTC_NONE);
  size_t i = gpu_index(name, strlen(name), &nearest);
  if (i == dtci_gpus_count)
    return dtci_fail_name(e, DTC_RULE_GPU_NAME, nearest);
  return write_resolved(&dtci_gpus[i].gpu, out, e);
}

dtc_status dtc_gpu_find(const char *name, dtc_cluster *out, dtc_error *err)
{
  dtc_error e;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  return dtci_end(find_gpu(name, out, &e), &e, err);
}

/* ---- clusters -------------------------------------------------------------------------------- */

size_t dtc_cluster_count(void)
{
  return dtci_clusters_count;
}

const char *dtc_cluster_name(size_t index)
{
  return index < dtci_clusters_count ? dtci_clusters[index].name : NULL;
}

const char *dtc_cluster_source(size_t index)
{
  return index < dtci_clusters_count ? dtci_clusters[index].source : NULL;
}

static void set_f64(double *out, double stated)
{
  if (stated > 0)
    *out = stated;
}

/* The node fields that a cluster row states replace those of its GPU row. */
static void set_node(dtc_cluster *c, const dtc_cluster *node)
{
  if (node->nvlink_domain != 0)
    c->nvlink_domain = node->nvlink_domain;
  if (node->nics_per_node != 0)
    c->nics_per_node = node->nics_per_node;
  if (node->gpus_per_node != 0)
    c->gpus_per_node = node->gpus_per_node;
  if (node->host_memory != 0)
    c->host_memory = node->host_memory;
  if (node->fabric != DTC_FABRIC_DEFAULT)
    c->fabric = node->fabric;
  set_f64(&c->nic_bandwidth, node->nic_bandwidth);
  set_f64(&c->node_power, node->node_power);
  set_f64(&c->host_bandwidth, node->host_bandwidth);
  set_f64(&c->nvme_bandwidth, node->nvme_bandwidth);
  set_f64(&c->storage_bandwidth, node->storage_bandwidth);
}

static dtc_status find_cluster(const char *name, dtc_cluster *out, dtc_error *e)
{
  uint64_t nearest = DTC_NONE;
  if (name == NULL)
    return dtci_fail_name(e, DTC_RULE_CLUSTER_NAME, DTC_NONE);
  size_t i = cluster_index(name, strlen(name), &nearest);
  if (i == dtci_clusters_count)
    return dtci_fail_name(e, DTC_RULE_CLUSTER_NAME, nearest);
  const dtci_cluster_row *row = &dtci_clusters[i];
  size_t gpu = gpu_index(row->gpu, strlen(row->gpu), &nearest);
  if (gpu == dtci_gpus_count) /* a test holds every row to a GPU of the catalogue */
    return dtci_fail_name(e, DTC_RULE_GPU_NAME, nearest);
  dtc_cluster local = dtci_gpus[gpu].gpu;
  set_node(&local, &row->node);
  return write_resolved(&local, out, e);
}

dtc_status dtc_cluster_find(const char *name, dtc_cluster *out, dtc_error *err)
{
  dtc_error e;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  return dtci_end(find_cluster(name, out, &e), &e, err);
}

/* The time of a collective on a cluster: defaults of a call, the kind of links, lower bounds, what an estimate rests on. */
#include "internal/collective.h"

#include <float.h>

enum { NODE = 8, OLD = 2029000, OLDER = 2025000 }; /* NCCL 2.29, 2.25 */

/* ---- defaults -------------------------------------------------------------------------------- */

static dtc_status check(const dtc_cluster *c, const dtc_collective_call *call, dtc_error *e)
{
  uint32_t op = DTC_FIELD(collective_call, op);
  if (call->op == DTC_COLLECTIVE_NONE)
    return dtci_fail_within(e, DTC_E_RANGE, DTC_RULE_COLLECTIVE_OP, op, 0, 1, DTC_COLLECTIVE_BARRIER);
  if (call->per_node > call->ranks)
    return dtci_fail_within(e, DTC_E_RANGE, DTC_RULE_COLLECTIVE_PER_NODE, DTC_FIELD(collective_call, per_node),
                            call->per_node, 0, call->ranks);
  if (call->ranks == 1)
    return DTC_OK;
  if (call->per_node > 1 && !dtci_is_rate(c->nvlink_bandwidth) && !dtci_is_rate(c->pcie_bandwidth))
    return dtci_fail(e, DTC_E_UNSUPPORTED, DTC_RULE_COLLECTIVE_LINK, DTC_FIELD(cluster, nvlink_bandwidth), 0);
  if (call->per_node < call->ranks && (!dtci_is_rate(c->nic_bandwidth) || c->nics_per_node == 0))
    return dtci_fail(e, DTC_E_UNSUPPORTED, DTC_RULE_COLLECTIVE_NIC, DTC_FIELD(cluster, nic_bandwidth), 0);
  int levels = call->op == DTC_COLLECTIVE_ALL_REDUCE && call->per_node > 1 && call->per_node < call->ranks;
  if (call->two_level == DTC_BOOL_ON && !levels)
    return dtci_fail(e, DTC_E_CONFLICT, DTC_RULE_COLLECTIVE_TWO_LEVEL, DTC_FIELD(collective_call, two_level),
                     DTC_BOOL_ON);
  return DTC_OK;
}

dtc_status dtci_collective_in(const dtc_cluster *cluster, const dtc_collective_call *call, dtc_cluster *local,
                              dtc_collective_call *resolved, dtc_error *e)
{
  TRY(dtci_cluster_in(cluster, local, e));
  TRY(dtci_in(resolved, DTC_STRUCT_collective_call, call, e));
  dtci_default(&resolved->per_node, dtci_smaller(resolved->ranks, dtci_domain(local)));
  dtci_default(&resolved->groups, 1);
  if (resolved->in_switch == DTC_BOOL_DEFAULT)
    resolved->in_switch = DTC_BOOL_ON;
  if (resolved->tuned == DTC_BOOL_DEFAULT)
    resolved->tuned = local->vendor == DTC_VENDOR_AMD ? DTC_BOOL_ON : DTC_BOOL_OFF;
  if (resolved->two_level == DTC_BOOL_DEFAULT)
    resolved->two_level = DTC_BOOL_OFF;
  return check(local, resolved, e);
}

dtc_status dtc_collective_resolve(const dtc_cluster *cluster, const dtc_collective_call *call, dtc_collective_call *out,
                                  dtc_error *err)
{
  dtc_error e;
  dtc_cluster local;
  dtc_collective_call resolved;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = dtci_collective_in(cluster, call, &local, &resolved, &e);
  return dtci_end(s != DTC_OK ? s : dtci_out(out, DTC_STRUCT_collective_call, &resolved, &e), &e, err);
}

/* ---- the call as it is timed ----------------------------------------------------------------- */

static int is_mesh(const dtc_cluster *c)
{
  return c->vendor == DTC_VENDOR_AMD || c->vendor == DTC_VENDOR_HUAWEI;
}

static const dtci_pcie_row *pcie_row(const dtc_cluster *c)
{
  uint32_t vendor = c->vendor == DTC_VENDOR_INTEL ? DTC_VENDOR_INTEL : DTC_VENDOR_NVIDIA;
  for (uint32_t i = 0; i + 1 < dtci_pcie_rows_count; i++)
    if (dtci_pcie_rows[i].vendor == vendor && c->compute >= dtci_pcie_rows[i].compute)
      return &dtci_pcie_rows[i];
  return &dtci_pcie_rows[dtci_pcie_rows_count - 1];
}

/* The newest kind of GPU that is not newer; of one that tells no compute capability Hopper's. */
static const dtci_nvlink_row *nvlink_row(const dtc_cluster *c)
{
  uint32_t compute = c->compute != 0 ? c->compute : 90;
  for (uint32_t i = 0; i + 1 < dtci_nvlink_rows_count; i++)
    if (compute >= dtci_nvlink_rows[i].compute)
      return &dtci_nvlink_rows[i];
  return &dtci_nvlink_rows[dtci_nvlink_rows_count - 1];
}

/* How the GPUs are joined, and how much slower than those that were measured. */
static void join(dtci_group_work *w, const dtc_cluster *c)
{
  w->link = c->nvlink_bandwidth;
  if (!dtci_is_rate(c->nvlink_bandwidth)) {
    w->joined = DTCI_JOINED_PCIE;
    w->pcie = pcie_row(c);
    w->link = c->pcie_bandwidth;
    w->slower = dtci_is_rate(c->pcie_bandwidth) ? w->pcie->link / c->pcie_bandwidth : 1;
  } else if (is_mesh(c)) {
    w->joined = DTCI_JOINED_MESH;
  } else if (c->compute != 0 && c->compute < 80) {
    w->joined = DTCI_JOINED_VOLTA;
    w->slower = 150e9 / c->nvlink_bandwidth;
  } else {
    w->nvlink = nvlink_row(c);
    w->slower = w->nvlink->link / c->nvlink_bandwidth;
  }
}

/* Ports of a group in a node, GB/s of payload: its share of all, and no more than its GPUs move to ports. */
static double ports_of(const dtc_cluster *c, uint64_t g, uint64_t groups)
{
  double nodes = (double)dtci_domain(c) / (double)c->gpus_per_node; /* of a rack */
  double all = c->nic_bandwidth * (double)c->nics_per_node * nodes / 1e9 * dtci_collective.nic_payload;
  double slot = dtci_is_rate(c->pcie_bandwidth) ? c->pcie_bandwidth / 1e9 * dtci_collective.slot_payload : all;
  double share = all / (double)groups;
  double most = slot * (double)g;
  return share < most ? share : most;
}

static dtci_group_work work_of(const dtc_cluster *c, const dtc_collective_call *call)
{
  dtci_group_work w = {
      .op = call->op,
      .old = call->version != 0 && call->version < OLD,
      .older = call->version != 0 && call->version < OLDER,
      .in_switch = call->in_switch == DTC_BOOL_ON,
      .tuned = call->tuned == DTC_BOOL_ON,
      .fabric = c->fabric == DTC_FABRIC_DEFAULT ? DTC_FABRIC_RDMA : c->fabric,
      .rack = c->nvlink_domain > NODE && dtci_is_rate(c->nvlink_bandwidth) && !is_mesh(c),
      .slower = 1,
      .n = call->ranks,
      .g = call->per_node,
      .nodes = dtci_ceil_div(call->ranks, call->per_node),
      .bytes = (double)call->bytes,
  };
  join(&w, c);
  w.rack = w.rack && w.joined == DTCI_JOINED_NVLINK;
  if (w.nodes > 1)
    w.ports = ports_of(c, call->per_node, call->groups);
  return w;
}

/* All-reduce as reduce-scatter in the node, all-reduce of the shards on every rail, all-gather in the node. */
static dtci_spent two_level(const dtc_cluster *c, const dtc_collective_call *call)
{
  dtc_collective_call part = *call;
  part.op = DTC_COLLECTIVE_REDUCE_SCATTER;
  part.ranks = call->per_node;
  dtci_group_work w = work_of(c, &part);
  double us = dtci_inside(&w).us;
  w.op = DTC_COLLECTIVE_ALL_GATHER;
  us += dtci_inside(&w).us;
  part.op = DTC_COLLECTIVE_ALL_REDUCE;
  part.ranks = dtci_ceil_div(call->ranks, call->per_node);
  part.per_node = 1;
  part.groups = call->groups * call->per_node;
  w = work_of(c, &part);
  w.bytes = (double)call->bytes / (double)call->per_node;
  dtci_spent rail = dtci_between(&w);
  return (dtci_spent){us + rail.us, rail.us * 2 > us ? rail.bound : DTC_BOUND_NVLINK};
}

/* What the host adds. */
static dtci_spent issued(dtci_spent t, const dtci_group_work *w, dtc_call_style style)
{
  double per_gpu = w->joined == DTCI_JOINED_MESH ? dtci_mesh.thread : 3.8;
  if (w->joined == DTCI_JOINED_NVLINK)
    per_gpu = w->nvlink->thread;
  double host = per_gpu * (double)w->g;
  if (style == DTC_CALL_STYLE_BLOCKING) {
    t.bound = t.us < dtci_collective.blocking ? DTC_BOUND_LAUNCH : t.bound;
    t.us += dtci_collective.blocking;
  }
  if (style == DTC_CALL_STYLE_THREAD && t.us < host)
    t = (dtci_spent){host, DTC_BOUND_LAUNCH};
  return t;
}

/* ---- bounds and trust ------------------------------------------------------------------------ */

/* Bytes that must leave a node, or enter it, whatever the algorithm. */
static double leaves_node(const dtci_group_work *w)
{
  double n = (double)w->n;
  double nodes = (double)w->nodes;
  double away = (n - (double)w->g) / n;
  switch (w->op) {
  case DTC_COLLECTIVE_ALL_REDUCE:
    return 2 * (nodes - 1) / nodes * w->bytes;
  case DTC_COLLECTIVE_REDUCE_SCATTER:
  case DTC_COLLECTIVE_ALL_GATHER:
    return away * w->bytes;
  case DTC_COLLECTIVE_ALL_TO_ALL:
    return away * w->bytes * (double)w->g;
  case DTC_COLLECTIVE_GATHER:
  case DTC_COLLECTIVE_SCATTER:
    return away * w->bytes;
  case DTC_COLLECTIVE_BARRIER:
    return 0;
  default:
    return w->bytes;
  }
}

/* Seconds that no algorithm beats: what must cross a GPU's link, and a node's ports, at the nominal rate. */
static double lower_bound(const dtc_cluster *c, const dtci_group_work *w, const dtc_collective_call *call)
{
  double n = w->op == DTC_COLLECTIVE_SEND_RECV ? 2 : (double)w->n;
  double link = dtci_wire_factor(w->op, n) * w->bytes;
  if (w->op == DTC_COLLECTIVE_ALL_REDUCE && w->in_switch && w->joined == DTCI_JOINED_NVLINK &&
      w->nvlink->in_switch.least != 0 && link > (1 + 1 / n) * w->bytes)
    link = (1 + 1 / n) * w->bytes;
  double nodes = (double)dtci_domain(c) / (double)c->gpus_per_node;
  double ports = c->nic_bandwidth * (double)c->nics_per_node * nodes / (double)call->groups;
  double inside = w->g > 1 && w->link > 0 && w->nodes == 1 ? link / w->link : 0;
  double between = w->nodes > 1 ? leaves_node(w) / ports : 0;
  return inside > between ? inside : between;
}

/* Is there a run of this class of operation on this fabric? */
static dtc_confidence trust_between(const dtci_group_work *w)
{
  int two = w->nodes <= 2;
  int reduce = w->op == DTC_COLLECTIVE_ALL_REDUCE;
  if (w->rack)
    return reduce || w->op == DTC_COLLECTIVE_ALL_TO_ALL ? DTC_CONFIDENCE_MEASURED : DTC_CONFIDENCE_EXTRAPOLATED;
  if (w->g == 1)
    return two && !reduce ? DTC_CONFIDENCE_MEASURED : DTC_CONFIDENCE_RELATIVE;
  uint32_t kind = reduce ? DTCI_CLASS_REDUCE : DTCI_CLASS_GATHER;
  if (w->op == DTC_COLLECTIVE_ALL_TO_ALL)
    kind = DTCI_CLASS_ALL_TO_ALL;
  if (!(dtci_fabric_rows[w->fabric][kind].share > 0))
    return DTC_CONFIDENCE_EXTRAPOLATED;
  return two || (reduce && w->nodes <= 8) ? DTC_CONFIDENCE_MEASURED : DTC_CONFIDENCE_RELATIVE;
}

static dtc_confidence trust(const dtc_cluster *c, const dtci_group_work *w)
{
  int one_way = w->op == DTC_COLLECTIVE_ALL_REDUCE || w->op == DTC_COLLECTIVE_REDUCE_SCATTER ||
                w->op == DTC_COLLECTIVE_ALL_GATHER || w->op == DTC_COLLECTIVE_ALL_TO_ALL;
  int own = w->slower >= 0.99 && w->slower <= 1.01;
  if (c->vendor == DTC_VENDOR_DEFAULT || c->vendor == DTC_VENDOR_HUAWEI)
    return DTC_CONFIDENCE_EXTRAPOLATED;
  if (w->nodes > 1) {
    dtc_confidence between = trust_between(w);
    return between == DTC_CONFIDENCE_MEASURED && (!own || !one_way) ? DTC_CONFIDENCE_RELATIVE : between;
  }
  if (w->joined == DTCI_JOINED_PCIE && (c->compute == 0 || c->compute < 89) && c->vendor == DTC_VENDOR_NVIDIA)
    return DTC_CONFIDENCE_EXTRAPOLATED;
  return own && one_way && w->joined != DTCI_JOINED_VOLTA ? DTC_CONFIDENCE_MEASURED : DTC_CONFIDENCE_RELATIVE;
}

/* Nine of ten published runs lie within this factor, by size (64 KiB, 4 MiB, 64 MiB) and by what the estimate rests on;
 * for relatives and extrapolations twice and four times as far away. */
static double spread(const dtci_group_work *w, dtc_confidence confidence)
{
  static const double inside[4] = {.14, .25, .2, .07};
  static const double between[4] = {.2, .35, .14, .1};
  int size = (w->bytes > 65536) + (w->bytes > 4194304) + (w->bytes > 67108864);
  double measured = w->nodes > 1 ? between[size] : inside[size];
  return 1 + measured * (confidence == DTC_CONFIDENCE_MEASURED ? 1 : confidence == DTC_CONFIDENCE_RELATIVE ? 2 : 4);
}

/* ---- the estimate ---------------------------------------------------------------------------- */

void dtci_collective_time(const dtc_cluster *cluster, const dtc_collective_call *call, dtc_collective_time *out)
{
  *out = (dtc_collective_time){.struct_size = sizeof *out, .confidence = DTC_CONFIDENCE_MEASURED, .nodes = 1};
  if (call->ranks == 1)
    return;
  dtci_group_work w = work_of(cluster, call);
  dtci_spent t = w.nodes == 1 ? dtci_inside(&w) : dtci_between(&w);
  if (call->two_level == DTC_BOOL_ON)
    t = two_level(cluster, call);
  t = issued(t, &w, call->style);
  out->nodes = w.nodes < UINT32_MAX ? (uint32_t)w.nodes : UINT32_MAX;
  out->bound = t.bound;
  out->confidence = trust(cluster, &w);
  out->lower_bound = lower_bound(cluster, &w, call);
  out->seconds = t.us / 1e6;
  if (out->seconds < out->lower_bound)
    out->seconds = out->lower_bound;
  double factor = spread(&w, out->confidence);
  out->low = out->seconds / factor > out->lower_bound ? out->seconds / factor : out->lower_bound;
  out->high = out->seconds * factor;
  if (call->op == DTC_COLLECTIVE_BARRIER)
    return;
  out->algbw = w.bytes / out->seconds;
  out->busbw = out->algbw * dtci_wire_factor(call->op, w.op == DTC_COLLECTIVE_SEND_RECV ? 2 : (double)w.n);
  double ports = (double)cluster->nics_per_node * (double)dtci_domain(cluster) / (double)cluster->gpus_per_node;
  if (w.nodes > 1)
    out->nic_bandwidth = leaves_node(&w) * (double)call->groups / ports / out->seconds;
}

static dtc_status estimate(const dtc_cluster *cluster, const dtc_collective_call *call, dtc_collective_time *out,
                           dtc_error *e)
{
  dtc_cluster local;
  dtc_collective_call resolved;
  dtc_collective_time time;
  TRY(dtci_collective_in(cluster, call, &local, &resolved, e));
  dtci_collective_time(&local, &resolved, &time);
  return dtci_out(out, DTC_STRUCT_collective_time, &time, e);
}

dtc_status dtc_collective_estimate(const dtc_cluster *cluster, const dtc_collective_call *call,
                                   dtc_collective_time *out, dtc_error *err)
{
  dtc_error e;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  return dtci_end(estimate(cluster, call, out, &e), &e, err);
}

/* ---- groups of a mesh ------------------------------------------------------------------------ */

static dtc_status from_mesh(const dtc_axis *axes, size_t n, uint64_t offset, const dtc_group_kind *kind,
                            const dtc_cluster *cluster, const dtc_collective_call *call, dtc_collective_call *out,
                            dtc_error *e)
{
  dtc_cluster local;
  dtc_collective_call made;
  dtc_placement place = {.struct_size = sizeof place};
  dtc_group group;
  uint64_t world = 0;
  TRY(dtci_cluster_in(cluster, &local, e));
  TRY(dtci_in(&made, DTC_STRUCT_collective_call, call, e));
  uint64_t domain = dtci_domain(&local) < 4096 ? dtci_domain(&local) : 4096;
  TRY(dtc_mesh_placement(axes, n, offset, kind, domain, &place, e));
  TRY(dtc_mesh_world(axes, n, &world, e));
  TRY(dtc_mesh_group_of(axes, n, offset, kind, offset, &group, e));
  made.ranks = group.size;
  uint64_t spread_over = dtci_ceil_div(group.size, domain) + 1; /* a group that lies unevenly */
  made.per_node = place.members != 0 ? place.members : dtci_ceil_div(group.size, spread_over);
  if (made.per_node > made.ranks)
    made.per_node = made.ranks;
  made.groups = dtci_smaller(world, domain) / made.per_node;
  dtci_default(&made.groups, 1);
  return dtci_out(out, DTC_STRUCT_collective_call, &made, e);
}

dtc_status dtc_collective_from_mesh(const dtc_axis *axes, size_t n, uint64_t offset, const dtc_group_kind *kind,
                                    const dtc_cluster *cluster, const dtc_collective_call *call,
                                    dtc_collective_call *out, dtc_error *err)
{
  dtc_error e;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  return dtci_end(from_mesh(axes, n, offset, kind, cluster, call, out, &e), &e, err);
}

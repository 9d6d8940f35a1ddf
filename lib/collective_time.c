/* Times of collectives: inside a node or NVLink domain, between nodes, between racks. Microseconds and MB; the constants
 * are in lib/catalog/collective_curves.c. Every term grows with the bytes and falls with a link's rate, and so do least and
 * largest of them. */
#include "internal/collective.h"

#include <math.h>

enum { NODE = 8 }; /* ranks that the curves know; more are a rack */

/* ---- operations ------------------------------------------------------------------------------ */

double dtci_wire_factor(dtc_collective op, double n)
{
  switch (op) {
  case DTC_COLLECTIVE_ALL_REDUCE:
    return 2 * (n - 1) / n;
  case DTC_COLLECTIVE_REDUCE_SCATTER:
  case DTC_COLLECTIVE_ALL_GATHER:
  case DTC_COLLECTIVE_ALL_TO_ALL:
  case DTC_COLLECTIVE_GATHER:
  case DTC_COLLECTIVE_SCATTER:
    return (n - 1) / n;
  case DTC_COLLECTIVE_REDUCE:
  case DTC_COLLECTIVE_BROADCAST:
  case DTC_COLLECTIVE_SEND_RECV:
    return 1;
  default:
    return 0;
  }
}

/* Which constants an operation has: a chain runs as a ring of all-gather does, what goes point to point as all-to-all. */
static uint32_t class_of(dtc_collective op)
{
  switch (op) {
  case DTC_COLLECTIVE_ALL_REDUCE:
  case DTC_COLLECTIVE_BARRIER:
    return DTCI_CLASS_REDUCE;
  case DTC_COLLECTIVE_ALL_TO_ALL:
  case DTC_COLLECTIVE_SEND_RECV:
  case DTC_COLLECTIVE_GATHER:
  case DTC_COLLECTIVE_SCATTER:
    return DTCI_CLASS_ALL_TO_ALL;
  default:
    return DTCI_CLASS_GATHER;
  }
}

uint32_t dtci_log2_up(uint64_t n)
{
  return n > 1 ? 64 - (uint32_t)__builtin_clzll(n - 1) : 0;
}

/* Of a pair only two ranks take part, whatever the group. */
static double ranks_of(dtc_collective op, uint64_t n)
{
  return op == DTC_COLLECTIVE_SEND_RECV ? 2 : (double)n;
}

static double floor_of(const dtci_floor floor[2], dtc_collective op, double n)
{
  uint32_t kind = class_of(op);
  const dtci_floor *f = &floor[kind == DTCI_CLASS_ALL_TO_ALL];
  return f->start + f->step * (n - 1) * (kind == DTCI_CLASS_REDUCE ? 2 : 1);
}

/* ---- NVLink ---------------------------------------------------------------------------------- */

/* May NVSwitch reduce here? */
static int reduces(const dtci_group_work *w, double n)
{
  uint64_t few = w->joined == DTCI_JOINED_NVLINK ? w->nvlink->in_switch.least : 0;
  return w->in_switch && few != 0 && n >= (double)few && class_of(w->op) == DTCI_CLASS_REDUCE;
}

/* Time of Simple above the floor: rings, or NVSwitch. */
static double simple(const dtci_group_work *w, double n, double y, const dtci_line *line)
{
  const dtci_in_switch *s = &w->nvlink->in_switch;
  double wire = (1 + 1 / n) * w->bytes / 1e6 * w->slower;
  double z = dtci_smaller_f64(y, dtci_collective.saturated);
  if (reduces(w, n))
    return s->start + s->r * wire + s->root * sqrt(dtci_smaller_f64(wire, dtci_collective.saturated));
  return line->start + line->step * (n - 1) + line->r * (y + line->c / (n - 1) * z) + line->root * sqrt(z);
}

/* Time above the floor at n of 2 to 8 ranks. */
static dtci_spent nvlink_above(const dtci_group_work *w, double n)
{
  const dtci_line *line = &w->nvlink->line[class_of(w->op)];
  double y = dtci_wire_factor(w->op, n) * w->bytes / 1e6 * w->slower;
  double few = 1 / sqrt(n - 1);
  double ll = w->old && line->ll_old > 0 ? line->ll_old : line->ll;
  double large = simple(w, n, y, line);
  double small = ll * y * few;
  if (line->r128 > 0)
    small = dtci_smaller_f64(small, line->start128 + line->r128 * y * sqrt(few));
  return (dtci_spent){dtci_smaller_f64(small, large),
                      large < small && reduces(w, n) ? DTC_BOUND_SWITCH : DTC_BOUND_NVLINK};
}

/* More than 8 ranks of a rack: never less than 8 take; all-reduce then runs at the rate of the link. */
static dtci_spent rack_above(const dtci_group_work *w, double n)
{
  double y = dtci_wire_factor(w->op, n) * w->bytes / 1e6 * w->slower;
  double r = class_of(w->op) == DTCI_CLASS_REDUCE ? 1e12 / w->nvlink->link : w->nvlink->line[class_of(w->op)].r;
  dtci_spent eight = nvlink_above(w, NODE);
  double large = r * y + dtci_smaller_f64(dtci_collective.rack_root_most, dtci_collective.rack_root * sqrt(y));
  eight.us = dtci_larger_f64(eight.us, large);
  return eight;
}

static dtci_spent nvlink_time(const dtci_group_work *w, double n)
{
  const dtci_nvlink_row *row = w->nvlink;
  double at = n > NODE ? NODE : n;
  double floor = floor_of(row->floor, w->op, at) + (w->older ? row->old_launch : 0);
  floor += dtci_collective.rack_step * row->floor[0].step * (n - at);
  dtci_spent above = n > NODE ? rack_above(w, n) : nvlink_above(w, n);
  return (dtci_spent){floor + above.us, above.us < floor ? DTC_BOUND_LATENCY : above.bound};
}

/* ---- other links ----------------------------------------------------------------------------- */

/* Linear between the sizes that were measured. */
static double pcie_r(const dtci_pcie_row *row, double n)
{
  if (n <= 4)
    return row->r[0] + (row->r[1] - row->r[0]) * (n - 2) / 2;
  return row->r[1] + (row->r[2] - row->r[1]) * (dtci_smaller_f64(n, NODE) - 4) / 4;
}

static dtci_spent pcie_time(const dtci_group_work *w, double n)
{
  const dtci_pcie_row *row = w->pcie;
  double floor = floor_of(row->floor, w->op, n);
  double y = dtci_wire_factor(w->op, n) * w->bytes / 1e6 * w->slower;
  double r = pcie_r(row, n);
  if (row->gathers > 0 && w->op == DTC_COLLECTIVE_ALL_GATHER)
    y *= n;
  double k = class_of(w->op) == DTCI_CLASS_REDUCE ? row->k_reduce : row->k;
  double above = dtci_smaller_f64(k * r * y, row->start + row->step * (n - 1) + r * y + row->root * sqrt(y));
  return (dtci_spent){floor + above, above < floor ? DTC_BOUND_LATENCY : DTC_BOUND_PCIE};
}

static dtci_spent mesh_time(const dtci_group_work *w, double n)
{
  const dtci_mesh_row *row = &dtci_mesh;
  const dtci_floor floors[2] = {row->floor, row->floor};
  double floor = floor_of(floors, w->op, n);
  double share = class_of(w->op) == DTCI_CLASS_ALL_TO_ALL ? row->share_a2a : row->share;
  double used = dtci_smaller_f64(n - 1, row->links) / row->links;
  double y = dtci_wire_factor(w->op, n) * w->bytes / 1e6;
  double r = 1e12 / (w->link * used * share);
  double above = dtci_smaller_f64(dtci_larger_f64(row->small, r) * y,
                                  r * y + row->root * sqrt(dtci_smaller_f64(y, row->root_most)));
  return (dtci_spent){floor + above, above < floor ? DTC_BOUND_LATENCY : DTC_BOUND_NVLINK};
}

static dtci_spent volta_time(const dtci_group_work *w, double n)
{
  const dtci_floor floors[2] = {dtci_volta_floor, dtci_volta_floor};
  double floor = floor_of(floors, w->op, n) - dtci_volta_floor.step * (n - 1);
  double y = dtci_wire_factor(w->op, n) * w->bytes / 1e6 * w->slower;
  double above = dtci_volta_r[(uint32_t)dtci_smaller_f64(n, NODE)] * y;
  return (dtci_spent){floor + above, above < floor ? DTC_BOUND_LATENCY : DTC_BOUND_NVLINK};
}

static dtci_spent inside(const dtci_group_work *w, uint64_t ranks)
{
  double n = ranks_of(w->op, ranks);
  switch (w->joined) {
  case DTCI_JOINED_NVLINK:
    return nvlink_time(w, n);
  case DTCI_JOINED_VOLTA:
    return volta_time(w, n);
  case DTCI_JOINED_MESH:
    return mesh_time(w, n);
  default:
    return pcie_time(w, n);
  }
}

dtci_spent dtci_inside(const dtci_group_work *w)
{
  return inside(w, w->n);
}

/* ---- between nodes --------------------------------------------------------------------------- */

/* The row of a fabric; where no run is known, InfiniBand's, each number scaled as that of an operation which is known. */
static dtci_fabric_row fabric_row(const dtci_group_work *w)
{
  uint32_t kind = class_of(w->op);
  const dtci_fabric_row *own = dtci_fabric_rows[w->fabric];
  const dtci_fabric_row *rdma = dtci_fabric_rows[DTC_FABRIC_RDMA];
  uint32_t known = 0;
  if (w->g == 1)
    return dtci_rail_row;
  if (own[kind].share > 0)
    return own[kind];
  while (known + 1 < DTCI_CLASSES && !(own[known].share > 0))
    known++;
  dtci_fabric_row row = rdma[kind];
  row.hop *= own[known].hop / rdma[known].hop;
  row.start *= own[known].start / rdma[known].start;
  row.doubling *= own[known].doubling / rdma[known].doubling;
  row.share *= dtci_smaller_f64(1, own[known].share / rdma[known].share);
  row.overlap = own[known].overlap;
  if (rdma[known].root_small > 0)
    row.root_small *= own[known].root_small / rdma[known].root_small;
  return row;
}

/* Bus rate of a ring inside the node; no limit where one rank is there, or every peer has a link. */
static double ring_rate(const dtci_group_work *w)
{
  if (w->g == 1 || w->joined == DTCI_JOINED_MESH)
    return 1e9;
  if (w->joined == DTCI_JOINED_NVLINK)
    return 1000 / (w->nvlink->line[DTCI_CLASS_GATHER].r * w->slower);
  if (w->joined == DTCI_JOINED_VOLTA)
    return 1000 / (dtci_volta_r[w->g < NODE ? w->g : NODE] * w->slower);
  return dtci_collective.ports_pcie / w->slower;
}

/* Bus rate that NVSwitch lets a tree have, or the ring inside the node. */
static double tree_most(const dtci_group_work *w, double ring)
{
  if (!reduces(w, (double)w->g))
    return ring * dtci_collective.tree_ring;
  const dtci_in_switch *s = &w->nvlink->in_switch;
  return s->between * 1000 / (s->r * w->slower) * 1.75 / 1.125; /* busbw of 8 ranks: 2 * 7 / 8 of (1 + 1 / 8) */
}

/* Bus rate between nodes, GB/s, and what limits it. A tree over two nodes crosses their border once per direction, a ring
 * almost twice; over three it is 4/3. */
static double rate_between(const dtci_group_work *w, double share, dtc_bound *bound)
{
  double n = (double)w->n;
  double net = w->ports * share;
  double ring = ring_rate(w);
  double rate = dtci_smaller_f64(net, ring);
  dtc_bound inner = w->joined == DTCI_JOINED_PCIE ? DTC_BOUND_PCIE : DTC_BOUND_NVLINK;
  *bound = net <= ring ? DTC_BOUND_NIC : inner;
  if (w->op != DTC_COLLECTIVE_ALL_REDUCE || w->g == 1 || w->joined == DTCI_JOINED_MESH)
    return rate;
  double tree = net * (w->nodes == 2 ? 2 : w->nodes == 3 ? 4.0 / 3 : 1) * (n - 1) / n;
  double most = tree_most(w, ring);
  if (dtci_smaller_f64(tree, most) <= rate)
    return rate;
  *bound = tree <= most ? DTC_BOUND_NIC : reduces(w, (double)w->g) ? DTC_BOUND_SWITCH : inner;
  return dtci_smaller_f64(tree, most);
}

/* Microseconds on the wire. */
static double wire_between(const dtci_group_work *w, double share, dtc_bound *bound)
{
  double n = (double)w->n;
  double port = w->ports * share / (double)w->g; /* one GPU's */
  if (class_of(w->op) != DTCI_CLASS_ALL_TO_ALL)
    return dtci_wire_factor(w->op, n) * w->bytes / 1e3 / rate_between(w, share, bound);
  *bound = DTC_BOUND_NIC;
  if (!w->tuned)
    port = dtci_smaller_f64(port, dtci_collective.channel_rate);
  double away = w->op == DTC_COLLECTIVE_SEND_RECV ? 1 : (double)(w->n - w->g) / n;
  return away * w->bytes / 1e3 / port;
}

/* The floor inside a node on which the hops stand. */
static double floor_between(const dtci_group_work *w)
{
  dtci_group_work empty = *w;
  empty.bytes = 0;
  empty.older = 0;
  uint64_t rings = class_of(w->op) == DTCI_CLASS_GATHER ? w->n : w->g;
  uint64_t ranks = w->g == 1 ? 2 : rings;
  if (w->joined == DTCI_JOINED_NVLINK) /* a ring over nodes, not a rack */
    return floor_of(w->nvlink->floor, w->op, ranks_of(w->op, ranks));
  return inside(&empty, ranks).us;
}

static dtci_spent nodes_time(const dtci_group_work *w)
{
  dtc_bound bound = DTC_BOUND_NIC;
  dtci_fabric_row row = fabric_row(w);
  uint32_t kind = class_of(w->op);
  double doublings = dtci_log2_up(w->nodes);
  double y = dtci_wire_factor(w->op, (double)w->n) * w->bytes / 1e6;
  double x = wire_between(w, row.share, &bound);
  double steps = kind == DTCI_CLASS_GATHER && w->g > 1 ? (double)w->nodes : doublings;
  double small = floor_between(w) + row.hop * steps + dtci_collective.small_wire * x + row.root_small * sqrt(y);
  double large = row.start + row.doubling * (doublings - 1) + (row.overlap > 0 ? row.overlap : 1) * x +
                 row.root * sqrt(dtci_smaller_f64(y, dtci_collective.root_most));
  double both = (double)w->g < (double)w->n / 2 ? (double)w->g : (double)w->n / 2;
  if (kind == DTCI_CLASS_GATHER)
    large += dtci_collective.ring_rank * ((double)w->n - 2 * both);
  double us = dtci_larger_f64(x, dtci_smaller_f64(small, large));
  return (dtci_spent){us, x < us / 2 ? DTC_BOUND_LATENCY : bound};
}

/* Between racks of one NVLink domain each. */
static dtci_spent racks_time(const dtci_group_work *w)
{
  const dtci_collective_constants *k = &dtci_collective;
  dtc_bound bound = DTC_BOUND_NIC;
  double doublings = dtci_log2_up(w->nodes);
  double n = (double)w->n;
  double y = dtci_wire_factor(w->op, n) * w->bytes / 1e6;
  double root = k->racks_root * sqrt(dtci_smaller_f64(y, k->racks_most));
  double port = w->ports / (double)w->g;
  if (class_of(w->op) == DTCI_CLASS_ALL_TO_ALL) {
    double x = (n - (double)w->g) / n * w->bytes / 1e3 / (port * k->racks_a2a);
    double us = k->racks_start + x + root;
    return (dtci_spent){us, x < us / 2 ? DTC_BOUND_LATENCY : bound};
  }
  double rate = w->nodes <= 4 && class_of(w->op) == DTCI_CLASS_REDUCE ? k->racks_tree : k->racks_ring;
  double x = y * 1e3 / dtci_smaller_f64(rate_between(w, 1, &bound), rate);
  double ring = k->racks_step * (n - 1) * (class_of(w->op) == DTCI_CLASS_REDUCE ? 2 : 1) + x;
  double small = floor_of(w->nvlink->floor, w->op, NODE) + k->racks_hop * doublings + k->racks_small * y;
  double us = w->nodes <= 4 ? dtci_larger_f64(x, dtci_smaller_f64(small, k->racks_start * doublings + root + x)) : ring;
  return (dtci_spent){us, x < us / 2 ? DTC_BOUND_LATENCY : bound};
}

dtci_spent dtci_between(const dtci_group_work *w)
{
  return w->rack && w->g > 1 ? racks_time(w) : nodes_time(w);
}

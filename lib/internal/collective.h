/* Times of collectives inside the library: microseconds, and MB = 1e6 bytes. A vector's Y is what a rank moves in a ring:
 * bytes * factor / 1e6. */
#ifndef DTCI_COLLECTIVE_H
#define DTCI_COLLECTIVE_H

#include "internal/cluster.h"
#include <dtcore/collective.h>

/* ---- lib/catalog/collective_curves.c: constants, with the rows that set them ------------------- */

/* Which constants an operation has. */
enum { DTCI_CLASS_REDUCE, DTCI_CLASS_GATHER, DTCI_CLASS_ALL_TO_ALL, DTCI_CLASSES };

/* One curve above the floor, for all group sizes of a kind of GPU: the least of NCCL's three protocols
 *   LL      ll * Y / sqrt(n - 1)
 *   LL128   start128 + r128 * Y / sqrt(sqrt(n - 1))
 *   Simple  start + step * (n - 1) + r * (Y + c / (n - 1) * Z) + root * sqrt(Z),  Z = min(Y, 600). */
typedef struct dtci_line {
  double ll;       /* us/MB */
  double ll_old;   /* before NCCL 2.29; 0 = the same */
  double start128; /* us */
  double r128;     /* us/MB; 0 = there is no such protocol */
  double start;    /* us */
  double step;     /* us per rank */
  double r;        /* us/MB: 1000 / r GB/s of the bus is what large vectors reach */
  double c;        /* share of r that small groups lose */
  double root;     /* us/sqrt(MB) */
} dtci_line;

/* Reduction in NVSwitch, whose wire moves W = bytes * (1 + 1 / n): start + r * W + root * sqrt(min(W, 600)). */
typedef struct dtci_in_switch {
  double start;
  double r;
  double root;
  double between; /* share of what it reaches when nodes take part */
  uint64_t least; /* ranks; 0 = the GPU has none */
} dtci_in_switch;

typedef struct dtci_floor {
  double start; /* us */
  double step;  /* us per step: n - 1, of all-reduce 2 (n - 1) */
} dtci_floor;

/* GPUs joined by NVSwitch. */
typedef struct dtci_nvlink_row {
  uint32_t compute; /* least compute capability * 10 */
  uint32_t pad;
  double link;         /* NVLink of the GPUs that were measured, bytes/s */
  dtci_floor floor[2]; /* all-to-all: second */
  double old_launch;   /* us more before NCCL 2.25 */
  double thread;       /* us of the host per GPU of a thread that drives several */
  dtci_line line[DTCI_CLASSES];
  dtci_in_switch in_switch;
} dtci_nvlink_row;

/* Cards on PCIe: the least of k * r(n) * Y and start + step * (n - 1) + r(n) * Y + root * sqrt(Y). r(n) is known at 2, 4
 * and 8 ranks, and linear between them. */
typedef struct dtci_pcie_row {
  uint32_t vendor;
  uint32_t compute;    /* least */
  double link;         /* PCIe of the cards that were measured, bytes/s */
  dtci_floor floor[2]; /* all-to-all: second */
  double r[3];         /* us/MB */
  double k;
  double k_reduce; /* k of all-reduce */
  double start;
  double step;
  double root;
  double gathers; /* 1: all-gather moves as much as n of them */
} dtci_pcie_row;

/* A network. Small and large vectors, l = log2 of the nodes, x = us on the wire:
 *   floor + hop * steps + 4 x + root_small * sqrt(Y)
 *   start + doubling * (l - 1) + overlap * x + root * sqrt(min(Y, 200)) [+ 1.5 (n - 2 g) for rings] */
typedef struct dtci_fabric_row {
  double hop;
  double root_small;
  double start;
  double doubling;
  double root;
  double share;   /* of the NIC's payload; 0 = no run: InfiniBand's row, scaled by a row of this fabric */
  double overlap; /* of the wire's time that a call waits for; 0 = 1 */
} dtci_fabric_row;

/* One GPU for each switch of links to every peer (xGMI, HCCS). */
typedef struct dtci_mesh_row {
  dtci_floor floor;
  double share;     /* of the links' rate */
  double share_a2a; /* the same of all-to-all */
  double small;     /* us/MB that small vectors take at least */
  double root;      /* us/sqrt(MB) of large ones */
  double root_most; /* MB */
  double links;     /* of a GPU */
  double thread;    /* us of the host per GPU of a thread that drives several */
} dtci_mesh_row;

extern const dtci_nvlink_row dtci_nvlink_rows[];
extern const uint32_t dtci_nvlink_rows_count;
extern const dtci_pcie_row dtci_pcie_rows[];
extern const uint32_t dtci_pcie_rows_count;
extern const dtci_mesh_row dtci_mesh;
extern const double dtci_volta_r[9]; /* us/MB at n ranks of a DGX-1's links */
extern const dtci_floor dtci_volta_floor;
extern const dtci_fabric_row dtci_fabric_rows[][DTCI_CLASSES]; /* by dtc_fabric */
extern const dtci_fabric_row dtci_rail_row;                    /* groups with one rank on a node */

/* Constants that stand alone. */
typedef struct dtci_collective_constants {
  double saturated;      /* MB: Z */
  double nic_payload;    /* of the port's rate */
  double slot_payload;   /* of PCIe that a GPU moves to ports */
  double blocking;       /* us that a framework's waiting call adds */
  double small_wire;     /* wires of a small vector between nodes */
  double root_most;      /* MB */
  double ring_rank;      /* us per rank beyond two nodes' */
  double channel_rate;   /* GB/s of all-to-all between nodes with NCCL's default channels */
  double tree_ring;      /* share of the ring inside the node that a tree reaches */
  double ports_pcie;     /* GB/s of a ring over PCIe */
  double rack_step;      /* share of the floor's step that ranks beyond 8 take */
  double rack_root;      /* us/sqrt(MB) */
  double rack_root_most; /* us */
  double racks_start;    /* us per doubling of racks */
  double racks_root;     /* us/sqrt(MB) */
  double racks_most;     /* MB */
  double racks_tree;     /* GB/s up to 4 racks */
  double racks_ring;     /* GB/s beyond */
  double racks_step;     /* us per step of a ring beyond */
  double racks_hop;      /* us per doubling of small vectors */
  double racks_small;    /* us/MB of small vectors */
  double racks_a2a;      /* share of the NIC */
} dtci_collective_constants;

extern const dtci_collective_constants dtci_collective;

/* ---- lib/collective_time.c ----------------------------------------------------------------------- */

enum { DTCI_JOINED_NVLINK, DTCI_JOINED_VOLTA, DTCI_JOINED_MESH, DTCI_JOINED_PCIE };

/* A call on a cluster, ready to be timed. */
typedef struct dtci_group_work {
  const dtci_nvlink_row *nvlink;
  const dtci_pcie_row *pcie;
  dtc_collective op;
  uint32_t joined;    /* DTCI_JOINED_* */
  uint32_t old;       /* NCCL before 2.29 */
  uint32_t older;     /* NCCL before 2.25 */
  uint32_t in_switch; /* NVSwitch may reduce */
  uint32_t tuned;
  uint32_t fabric;
  uint32_t rack; /* the NVLink domain is larger than a node of 8 */
  double slower; /* rate of the links that were measured / the cluster's */
  double link;   /* bytes/s of a GPU and direction */
  double ports;  /* payload of the ports of a group in a node, GB/s */
  uint64_t n;
  uint64_t g; /* ranks in a node */
  uint64_t nodes;
  double bytes;
} dtci_group_work;

/* Time and what bounds it. */
typedef struct dtci_spent {
  double us;
  dtc_bound bound;
} dtci_spent;

/* A bandwidth that is known; less than a byte per second is none, and would overflow. */
static inline int dtci_is_rate(double bandwidth)
{
  return bandwidth >= 1;
}

double dtci_wire_factor(dtc_collective op, double n); /* busbw / algbw */
uint32_t dtci_log2_up(uint64_t n);                    /* bits of n - 1 */
/* One call in a tight loop; within a node or NVLink domain, and between several. */
dtci_spent dtci_inside(const dtci_group_work *w);
dtci_spent dtci_between(const dtci_group_work *w);

/* ---- lib/collective.c ---------------------------------------------------------------------------- */

/* A resolved call on a resolved cluster, as seconds. */
void dtci_collective_time(const dtc_cluster *cluster, const dtc_collective_call *call, dtc_collective_time *out);
/* Both in, checked, with their defaults filled. */
dtc_status dtci_collective_in(const dtc_cluster *cluster, const dtc_collective_call *call, dtc_cluster *local,
                              dtc_collective_call *resolved, dtc_error *e);

#endif

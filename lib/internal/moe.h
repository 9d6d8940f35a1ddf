/* Constants of expert parallel dispatch and combine (lib/catalog/collective_moe.c): microseconds and GB/s. */
#ifndef DTCI_MOE_H
#define DTCI_MOE_H

/* Of one direction. */
typedef struct dtci_moe_row {
  double low_start; /* low latency in a node: start, least, rate */
  double low_least;
  double low_rate;
  double low_nodes; /* between nodes: start, and more per doubling of the nodes */
  double low_doubling;
  double proxy_efa[2]; /* share of the NIC that a process of the host moves over EFA: two nodes, more */
  double node_start;   /* normal in a node: start, GB/s per SM, most */
  double node_per_sm;
  double node_rate;
  double nodes_start; /* between nodes: start, more per doubling, GB/s per SM, SMs that move nothing */
  double nodes_doubling;
  double per_sm;
  double idle_sms;
  double nvlink_faster; /* NVLink kernels: rate against combine's, bytes more per token, one-sided start */
  double nvlink_extra;
  double one_sided_start;
  double one_sided_doubling;
} dtci_moe_row;

typedef struct dtci_moe_constants {
  double low_nvlink;  /* GB/s over the whole NVLink */
  double low_share;   /* of the NIC, when the GPU issues */
  double proxy_share; /* when a process of the host does, on InfiniBand */
  double normal_root; /* us/sqrt(token) */
  double normal_most; /* tokens */
  double normal_share;
  double normal_share_many; /* beyond 4 nodes, with the default buffers */
  double two_sided_start;
  double two_sided; /* GB/s at one rank, and more per doubling */
  double two_sided_doubling;
  double one_sided[3]; /* GB/s at 2, 8 and 32 ranks */
} dtci_moe_constants;

extern const dtci_moe_row dtci_moe_rows[2]; /* by dtc_moe_op */
extern const dtci_moe_constants dtci_moe;

#endif

/* The cluster as the rest of the library reads it. */
#ifndef DTCI_CLUSTER_H
#define DTCI_CLUSTER_H

#include "internal/internal.h"
#include <dtcore/cluster.h>

/* Reads a caller's cluster into a local one, checks it and fills its defaults. */
dtc_status dtci_cluster_in(const dtc_cluster *user, dtc_cluster *local, dtc_error *e);

/* GPUs that NVLink joins, or those of a node, whichever are more. */
static inline uint64_t dtci_domain(const dtc_cluster *c)
{
  return dtci_larger(c->nvlink_domain, c->gpus_per_node);
}

#endif

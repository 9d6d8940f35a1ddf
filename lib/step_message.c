/* Times of messages: a plan's groups as they lie on the cluster. */
#include "internal/collective.h"
#include "internal/step.h"

static double message(const dtci_step_work *w, dtc_collective op, double bytes, uint64_t ranks, uint64_t stride)
{
  const dtc_cluster *c = &w->c->cluster;
  uint64_t domain = dtci_domain(c);
  uint64_t inside = stride < domain ? dtci_smaller(ranks, domain / stride) : 1;
  double most = (double)((uint64_t)1 << 50); /* that a call may have */
  double more = bytes > most ? bytes / most : 1;
  dtc_collective_time time;
  int spans = inside < ranks;
  while (ranks % inside != 0) /* groups lie evenly on nodes */
    inside--;
  dtc_collective_call call = {
      .struct_size = sizeof call,
      .op = op,
      .in_switch = DTC_BOOL_ON,
      .tuned = DTC_BOOL_ON,
      .two_level = DTC_BOOL_OFF,
      .bytes = (uint64_t)(bytes / more),
      .ranks = ranks,
      .per_node = inside,
      .groups = spans ? dtci_larger(1, domain / inside) : 1,
  };
  dtci_collective_time(c, &call, &time);
  return time.seconds * more * w->machine.communication;
}

double dtci_message(const dtci_step_work *w, dtc_collective op, double bytes, uint64_t ranks, uint64_t stride)
{
  if (ranks <= 1 || !(bytes >= 1))
    return 0;
  if (w->memo == NULL)
    return message(w, op, bytes, ranks, stride);
  uint64_t key = ((dtci_word_of(bytes) * 31 + ranks) * 31 + stride) * 31 + op;
  dtci_message_memo *m = &w->memo[(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) % DTCI_MESSAGES];
  if (m->bytes == bytes && m->ranks == ranks && m->stride == stride && m->op == op)
    return m->seconds;
  *m = (dtci_message_memo){bytes, ranks, stride, op, message(w, op, bytes, ranks, stride)};
  return m->seconds;
}

dtc_status dtci_messages_known(const dtci_case *c, dtc_error *e)
{
  const dtc_plan *p = &c->plan;
  uint64_t ranks = p->tp * p->cp * p->pp * p->dp;
  int inside = dtci_domain(&c->cluster) > 1 && ranks > 1;
  if (inside && !dtci_is_rate(c->cluster.nvlink_bandwidth) && !dtci_is_rate(c->cluster.pcie_bandwidth))
    return dtci_fail(e, DTC_E_UNSUPPORTED, DTC_RULE_COLLECTIVE_LINK, DTC_FIELD(cluster, nvlink_bandwidth), 0);
  if (ranks > dtci_domain(&c->cluster) && (!dtci_is_rate(c->cluster.nic_bandwidth) || c->cluster.nics_per_node == 0))
    return dtci_fail(e, DTC_E_UNSUPPORTED, DTC_RULE_COLLECTIVE_NIC, DTC_FIELD(cluster, nic_bandwidth), 0);
  if (p->offload != DTC_OFFLOAD_DEFAULT && !dtci_is_rate(c->cluster.host_bandwidth))
    return dtci_fail(e, DTC_E_CONFLICT, DTC_RULE_STEP_HOST, DTC_FIELD(cluster, host_bandwidth), 0);
  if (p->offload != DTC_OFFLOAD_DEFAULT && !dtci_is_rate(c->cluster.pcie_bandwidth))
    return dtci_fail(e, DTC_E_CONFLICT, DTC_RULE_STEP_HOST, DTC_FIELD(cluster, pcie_bandwidth), 0);
  if (p->offload == DTC_OFFLOAD_NVME && !dtci_is_rate(c->cluster.nvme_bandwidth))
    return dtci_fail(e, DTC_E_CONFLICT, DTC_RULE_STEP_HOST, DTC_FIELD(cluster, nvme_bandwidth), 0);
  return DTC_OK;
}

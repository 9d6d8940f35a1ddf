/* Dispatch and combine of expert parallelism: DeepEP, UCCL-EP, TensorRT-LLM's NVLink kernels. Microseconds, and bytes
 * over 1000 GB/s, which are one. The constants are those of moe in lib/catalog/collective_moe.c. */
#include "internal/collective.h"
#include "internal/moe.h"

#include <math.h>

/* A call ready to be timed. */
typedef struct moe_work {
  const dtc_moe_call *call;
  const dtci_moe_row *row; /* of the direction */
  double n;
  double g;
  double nodes;
  double doublings; /* of nodes */
  double token;     /* bytes of one */
  double port;      /* a GPU's payload, GB/s */
  double nvlink;    /* share of the NVLink that was measured */
  int efa;
} moe_work;

/* Different places of m that k picks hit, when each is as likely. */
static double distinct(double m, uint64_t k)
{
  double missed = 1;
  for (uint64_t i = 0; i < k; i++)
    missed *= 1 - 1 / m;
  return m * (1 - missed);
}

static double token_bytes(const dtc_moe_call *call)
{
  double hidden = (double)call->hidden;
  if (call->op == DTC_MOE_OP_COMBINE || call->format == DTC_MOE_FORMAT_BF16)
    return 2 * hidden;
  return call->format == DTC_MOE_FORMAT_NVFP4 ? hidden / 2 + hidden / 16 : hidden + hidden / 32 + 16;
}

/* Time, and the bytes of a rank. */
typedef struct moe_spent {
  double us;
  double sent;
  double nic;
  dtc_bound bound;
} moe_spent;

static moe_spent low_latency(const moe_work *w)
{
  const dtci_moe_row *r = w->row;
  double bytes = (double)w->call->tokens * (double)w->call->top_k * w->token;
  double sent = bytes * (w->n - 1) / w->n;
  if (w->nodes <= 1) {
    double wire = bytes / 1e3 / dtci_smaller_f64(r->low_rate, dtci_moe.low_nvlink * w->nvlink);
    return (moe_spent){dtci_larger_f64(r->low_least, r->low_start + wire), sent, 0,
                       wire > r->low_start ? DTC_BOUND_NVLINK : DTC_BOUND_LATENCY};
  }
  double share = dtci_moe.low_share;
  if (w->call->library == DTC_MOE_LIBRARY_UCCL)
    share = w->efa ? r->proxy_efa[w->nodes > 2] : dtci_moe.proxy_share;
  double nic = bytes * (w->n - w->g) / w->n;
  double start = r->low_nodes + r->low_doubling * w->doublings;
  double wire = nic / (w->port * share) / 1e3;
  return (moe_spent){start + wire, sent, nic, wire > start ? DTC_BOUND_NIC : DTC_BOUND_LATENCY};
}

static moe_spent normal(const moe_work *w)
{
  const dtci_moe_row *r = w->row;
  double bytes = (double)w->call->tokens * w->token;
  double root = dtci_moe.normal_root * sqrt(dtci_smaller_f64((double)w->call->tokens, dtci_moe.normal_most));
  double over_nvlink = bytes * distinct(w->n, w->call->top_k);
  double sent = over_nvlink * (w->n - 1) / w->n;
  double sms = w->call->sms;
  if (w->nodes <= 1) {
    double wire = over_nvlink / 1e3 / dtci_smaller_f64(r->node_per_sm * sms, r->node_rate * w->nvlink);
    return (moe_spent){r->node_start + root + wire, sent, 0,
                       r->node_per_sm * sms < r->node_rate * w->nvlink ? DTC_BOUND_SMS : DTC_BOUND_NVLINK};
  }
  double nic = bytes * distinct(w->nodes, w->call->top_k) * (w->nodes - 1) / w->nodes;
  if (w->call->library == DTC_MOE_LIBRARY_UCCL) {
    double local = bytes * distinct(w->g, w->call->top_k) / (r->node_rate * w->nvlink) / 1e3;
    return (moe_spent){r->node_start + local + nic / w->port / 1e3, sent, nic, DTC_BOUND_NIC};
  }
  double wire = nic / (w->port * (w->nodes > 4 ? dtci_moe.normal_share_many : dtci_moe.normal_share)) / 1e3;
  double local = over_nvlink / (r->per_sm * (sms - r->idle_sms)) / 1e3;
  double start = r->nodes_start + r->nodes_doubling * w->doublings;
  return (moe_spent){start + root + dtci_larger_f64(wire, local), sent, nic,
                     wire >= local ? DTC_BOUND_NIC : DTC_BOUND_SMS};
}

/* GB/s of the one-sided kernels, linear between the sizes that were measured: 2, 8, 32 ranks. */
static double one_sided_rate(double doublings)
{
  const double *r = dtci_moe.one_sided;
  if (doublings <= 3)
    return r[0] + (r[1] - r[0]) * (dtci_larger_f64(doublings, 1) - 1) / 2;
  return r[1] + (r[2] - r[1]) * (dtci_smaller_f64(doublings, 5) - 3) / 2;
}

static moe_spent nvlink_kernels(const moe_work *w)
{
  const dtci_moe_row *r = w->row;
  double doublings = dtci_log2_up((uint64_t)w->n);
  double bytes = (double)w->call->tokens * (w->token + r->nvlink_extra) * distinct(w->n, w->call->top_k);
  double sent = bytes * (w->n - 1) / w->n;
  int two = w->call->kernel == DTC_MOE_KERNEL_TWO_SIDED;
  double rate = two ? dtci_moe.two_sided + dtci_moe.two_sided_doubling * dtci_smaller_f64(doublings, 6)
                    : one_sided_rate(doublings);
  double start = two ? dtci_moe.two_sided_start : r->one_sided_start + r->one_sided_doubling * doublings;
  double wire = (two ? bytes : sent) / (rate * r->nvlink_faster * w->nvlink) / 1e3;
  return (moe_spent){start + wire, sent, 0, wire > start ? DTC_BOUND_NVLINK : DTC_BOUND_LATENCY};
}

/* ---- the estimate ---------------------------------------------------------------------------- */

static int over_nvlink_only(const dtc_moe_call *call)
{
  return call->kernel == DTC_MOE_KERNEL_TWO_SIDED || call->kernel == DTC_MOE_KERNEL_ONE_SIDED;
}

static dtc_status check(const dtc_cluster *c, const dtc_moe_call *call, const dtci_moe_row *row, dtc_error *e)
{
  if (call->per_node > call->ranks)
    return dtci_fail_within(e, DTC_E_RANGE, DTC_RULE_COLLECTIVE_PER_NODE, DTC_FIELD(moe_call, per_node), call->per_node,
                            0, call->ranks);
  if (call->ranks == 1)
    return DTC_OK;
  if (!dtci_is_rate(c->nvlink_bandwidth))
    return dtci_fail(e, DTC_E_UNSUPPORTED, DTC_RULE_COLLECTIVE_LINK, DTC_FIELD(cluster, nvlink_bandwidth), 0);
  if (call->per_node == call->ranks)
    return DTC_OK;
  if (over_nvlink_only(call)) {
    dtci_fail(e, DTC_E_CONFLICT, DTC_RULE_MOE_DOMAIN, DTC_FIELD(moe_call, ranks), call->ranks);
    e->max = call->per_node;
    return DTC_E_CONFLICT;
  }
  if (!dtci_is_rate(c->nic_bandwidth) || c->nics_per_node == 0)
    return dtci_fail(e, DTC_E_UNSUPPORTED, DTC_RULE_COLLECTIVE_NIC, DTC_FIELD(cluster, nic_bandwidth), 0);
  if (call->kernel == DTC_MOE_KERNEL_NORMAL && !((double)call->sms > row->idle_sms))
    return dtci_fail_within(e, DTC_E_RANGE, DTC_RULE_MOE_SMS, DTC_FIELD(moe_call, sms), call->sms,
                            (uint64_t)row->idle_sms + 1, 1024);
  return DTC_OK;
}

static void resolve(const dtc_cluster *c, dtc_moe_call *call)
{
  uint64_t domain = dtci_domain(c);
  dtci_default(&call->per_node, dtci_smaller(call->ranks, domain));
  if (call->format == DTC_MOE_FORMAT_DEFAULT)
    call->format = call->op == DTC_MOE_OP_DISPATCH ? DTC_MOE_FORMAT_FP8 : DTC_MOE_FORMAT_BF16;
  if (call->sms == 0)
    call->sms = call->per_node == call->ranks ? 20 : 24;
}

static moe_work work_of(const dtc_cluster *c, const dtc_moe_call *call)
{
  uint64_t nodes = dtci_ceil_div(call->ranks, call->per_node);
  double reference = over_nvlink_only(call) ? 900e9 : 450e9; /* GB200; H100 and H200 */
  return (moe_work){
      .call = call,
      .row = &dtci_moe_rows[call->op],
      .n = (double)call->ranks,
      .g = (double)call->per_node,
      .nodes = (double)nodes,
      .doublings = dtci_log2_up(nodes),
      .token = token_bytes(call),
      .port =
          c->nic_bandwidth * (double)c->nics_per_node / (double)c->gpus_per_node / 1e9 * dtci_collective.nic_payload,
      .nvlink = c->nvlink_bandwidth / reference,
      .efa = c->fabric == DTC_FABRIC_EFA || c->fabric == DTC_FABRIC_EFA_V1,
  };
}

static dtc_confidence trust(const dtc_cluster *c, const dtc_moe_call *call)
{
  uint32_t measured = over_nvlink_only(call) ? 100 : 90;
  if (c->vendor != DTC_VENDOR_NVIDIA)
    return DTC_CONFIDENCE_EXTRAPOLATED;
  return c->compute / 10 * 10 == measured ? DTC_CONFIDENCE_MEASURED : DTC_CONFIDENCE_RELATIVE;
}

static dtc_status estimate(const dtc_cluster *cluster, const dtc_moe_call *user, dtc_moe_time *out, dtc_error *e)
{
  dtc_cluster c;
  dtc_moe_call call;
  dtc_moe_time t = {.struct_size = sizeof t, .confidence = DTC_CONFIDENCE_MEASURED, .nodes = 1};
  TRY(dtci_cluster_in(cluster, &c, e));
  TRY(dtci_in(&call, DTC_STRUCT_moe_call, user, e));
  resolve(&c, &call);
  TRY(check(&c, &call, &dtci_moe_rows[call.op], e));
  if (call.ranks == 1)
    return dtci_out(out, DTC_STRUCT_moe_time, &t, e);
  moe_work w = work_of(&c, &call);
  moe_spent s = over_nvlink_only(&call)                     ? nvlink_kernels(&w)
                : call.kernel == DTC_MOE_KERNEL_LOW_LATENCY ? low_latency(&w)
                                                            : normal(&w);
  t.bound = s.bound;
  t.confidence = trust(&c, &call);
  t.nodes = (uint32_t)w.nodes;
  t.seconds = s.us / 1e6;
  double factor = t.confidence == DTC_CONFIDENCE_MEASURED ? 1.12 : t.confidence == DTC_CONFIDENCE_RELATIVE ? 1.25 : 1.5;
  t.low = t.seconds / factor;
  t.high = t.seconds * factor;
  t.sent = s.sent;
  t.nic_bytes = s.nic;
  t.bandwidth = s.sent / t.seconds;
  return dtci_out(out, DTC_STRUCT_moe_time, &t, e);
}

dtc_status dtc_moe_estimate(const dtc_cluster *cluster, const dtc_moe_call *call, dtc_moe_time *out, dtc_error *err)
{
  dtc_error e;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  return dtci_end(estimate(cluster, call, out, &e), &e, err);
}

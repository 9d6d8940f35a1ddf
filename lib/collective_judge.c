/* What a measured time says: how far it is from the estimate, and which wrong setting would give such a time. */
#include "internal/collective.h"

/* Slower than the estimate by this factor is low, or broken: neighbouring sizes of one healthy run differ as much. By size:
 * up to 64 KiB, 4 MiB, 64 MiB, more. */
static const double low_from[4] = {1.5, 1.8, 1.4, 1.25};
static const double broken_from[4] = {3, 4, 2.5, 2.2};
/* A reason explains a time when it gives it within this factor, and is this much nearer than the estimate. */
static const double explains = 1.6;
static const double seconds_most = 1e6;

static int size_class(uint64_t bytes)
{
  return (bytes > 65536) + (bytes > 4194304) + (bytes > 67108864);
}

/* The cluster or the call with one thing set wrong; 0 when that cannot be. */
static int set_wrong(dtc_slow_reason reason, dtc_cluster *c, dtc_collective_call *call, uint32_t nodes)
{
  switch (reason) {
  case DTC_SLOW_REASON_SOCKETS:
    c->fabric = DTC_FABRIC_TCP;
    return nodes > 1;
  case DTC_SLOW_REASON_ONE_NIC:
    if (nodes == 1 || c->nics_per_node < 2)
      return 0;
    c->nics_per_node = 1;
    return 1;
  case DTC_SLOW_REASON_HALF_NICS:
    c->nic_bandwidth /= 2;
    return nodes > 1;
  case DTC_SLOW_REASON_PCIE:
    if (!dtci_is_rate(c->nvlink_bandwidth) || !dtci_is_rate(c->pcie_bandwidth) || call->per_node == 1)
      return 0;
    c->nvlink_bandwidth = 0;
    c->nvlink_domain = (uint32_t)c->gpus_per_node;
    return call->per_node <= c->gpus_per_node;
  case DTC_SLOW_REASON_IN_SWITCH:
    call->in_switch = DTC_BOOL_OFF;
    return 1;
  case DTC_SLOW_REASON_CHANNELS:
    call->tuned = DTC_BOOL_OFF;
    return nodes > 1;
  case DTC_SLOW_REASON_BLOCKING:
    if (call->style == DTC_CALL_STYLE_BLOCKING)
      return 0;
    call->style = DTC_CALL_STYLE_BLOCKING;
    return 1;
  default:
    return 0;
  }
}

static double apart(double a, double b)
{
  return a > b ? a / b : b / a;
}

/* The setting whose time is nearest; slower than expected and near the measured. */
static void explain(const dtc_cluster *cluster, const dtc_collective_call *call, uint32_t nodes, double seconds,
                    dtc_verdict *v)
{
  double nearest = apart(seconds, v->expected) / 1.2;
  nearest = nearest < explains ? nearest : explains;
  for (uint32_t r = DTC_SLOW_REASON_SOCKETS; r <= DTC_SLOW_REASON_BLOCKING; r++) {
    dtc_cluster c = *cluster;
    dtc_collective_call wrong = *call;
    dtc_collective_time t;
    if (!set_wrong(r, &c, &wrong, nodes))
      continue;
    dtci_collective_time(&c, &wrong, &t);
    if (t.seconds <= v->expected * 1.1 || apart(seconds, t.seconds) >= nearest)
      continue;
    nearest = apart(seconds, t.seconds);
    v->reason = r;
    v->explained = t.seconds;
  }
  if (v->reason == DTC_SLOW_REASON_NONE && v->grade == DTC_GRADE_BROKEN && size_class(call->bytes) == 0 &&
      seconds > 8 * v->expected)
    v->reason = DTC_SLOW_REASON_SETUP;
}

static void judge(const dtc_cluster *cluster, const dtc_collective_call *call, double seconds, dtc_verdict *v)
{
  dtc_collective_time t;
  int size = size_class(call->bytes);
  dtci_collective_time(cluster, call, &t);
  double trust = t.confidence == DTC_CONFIDENCE_MEASURED ? 1 : t.confidence == DTC_CONFIDENCE_RELATIVE ? 1.15 : 1.4;
  *v = (dtc_verdict){.struct_size = sizeof *v, .grade = DTC_GRADE_GOOD, .confidence = t.confidence};
  v->expected = t.seconds;
  v->of_expected = t.seconds / seconds;
  v->of_bound = t.lower_bound / seconds;
  if (seconds < t.lower_bound * 0.98) {
    v->grade = DTC_GRADE_IMPOSSIBLE;
    return;
  }
  if (seconds <= t.seconds * low_from[size] * trust)
    return;
  v->grade = seconds > t.seconds * broken_from[size] * trust ? DTC_GRADE_BROKEN : DTC_GRADE_LOW;
  explain(cluster, call, t.nodes, seconds, v);
}

static dtc_status verdict(const dtc_cluster *cluster, const dtc_collective_call *call, double seconds, dtc_verdict *out,
                          dtc_error *e)
{
  dtc_cluster local;
  dtc_collective_call resolved;
  dtc_verdict v;
  TRY(dtci_collective_in(cluster, call, &local, &resolved, e));
  if (!(seconds > 0 && seconds <= seconds_most))
    return dtci_check_double(e, DTCI_ARG(SECONDS), seconds, 0x1p-1022, seconds_most);
  judge(&local, &resolved, seconds, &v);
  return dtci_out(out, DTC_STRUCT_verdict, &v, e);
}

dtc_status dtc_collective_judge(const dtc_cluster *cluster, const dtc_collective_call *call, double seconds,
                                dtc_verdict *out, dtc_error *err)
{
  dtc_error e;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  return dtci_end(verdict(cluster, call, seconds, out, &e), &e, err);
}

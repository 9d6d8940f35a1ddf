/* What the tests of collectives share: calls on a cluster in a line. */
#ifndef COLLECTIVE_CHECK_H
#define COLLECTIVE_CHECK_H

#include "check.h"

#define MIB ((uint64_t)1 << 20)
#define GIB ((uint64_t)1 << 30)

static inline dtc_cluster check_cluster_named(const char *name)
{
  dtc_cluster c;
  DTC_INIT(&c);
  if (dtc_cluster_find(name, &c, NULL) != DTC_OK)
    fail_msg("%s is not found", name);
  return c;
}

static inline dtc_collective_call check_call(dtc_collective op, uint64_t bytes, uint64_t ranks)
{
  dtc_collective_call call;
  DTC_INIT(&call);
  call.op = op;
  call.bytes = bytes;
  call.ranks = ranks;
  return call;
}

static inline dtc_collective_time check_time(const dtc_cluster *c, const dtc_collective_call *call)
{
  dtc_error e;
  dtc_collective_time t;
  DTC_INIT(&e);
  DTC_INIT(&t);
  check_ok(dtc_collective_estimate(c, call, &t, &e), &e);
  return t;
}

static inline double check_us(const dtc_cluster *c, dtc_collective op, uint64_t bytes, uint64_t ranks)
{
  dtc_collective_call call = check_call(op, bytes, ranks);
  return check_time(c, &call).seconds * 1e6;
}

/* Within a share of what is expected. */
static inline void check_within(double got, double expected, double share)
{
  if (!(got >= expected * (1 - share) && got <= expected * (1 + share)))
    fail_msg("got %g, expected %g within %g %%", got, expected, 100 * share);
}

#endif

/* Sizes for a share of the best rate, and the law that fits measured points. */
#include "internal/collective.h"

#include <math.h>

#define BYTES_MOST ((uint64_t)1 << 50)
#define LARGE ((uint64_t)1 << 44) /* a vector that has the best rate */
#define RANKS_MOST ((uint64_t)1 << 32)
enum { POINTS_MOST = 65536, TERMS = 3 };

/* ---- size for a share of the best busbw ------------------------------------------------------ */

/* busbw never falls with the size: every time is a sum of terms that grow no faster than it. */
static dtc_status size_for(const dtc_cluster *cluster, const dtc_collective_call *call, double fraction,
                           uint64_t *bytes, dtc_error *e)
{
  dtc_cluster local;
  dtc_collective_call c;
  dtc_collective_time t;
  uint64_t low = 0;
  uint64_t high = LARGE;
  TRY(dtci_collective_in(cluster, call, &local, &c, e));
  if (!(fraction > 0 && fraction < 1))
    return dtci_check_double(e, DTCI_ARG(FRACTION), fraction, 0x1p-1022, 1 - 0x1p-53);
  if (c.ranks == 1 || c.op == DTC_COLLECTIVE_BARRIER)
    return dtci_fail(e, DTC_E_CONFLICT, DTC_RULE_COLLECTIVE_PEAK, DTC_FIELD(collective_call, op), c.op);
  c.bytes = high;
  dtci_collective_time(&local, &c, &t);
  double wanted = t.busbw * fraction;
  while (high - low > 1 + low / 1000) {
    c.bytes = low + (high - low) / 2;
    dtci_collective_time(&local, &c, &t);
    if (t.busbw >= wanted)
      high = c.bytes;
    else
      low = c.bytes;
  }
  *bytes = high;
  return DTC_OK;
}

dtc_status dtc_collective_size(const dtc_cluster *cluster, const dtc_collective_call *call, double fraction,
                               uint64_t *bytes, dtc_error *err)
{
  dtc_error e;
  uint64_t size = 0;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = size_for(cluster, call, fraction, &size, &e);
  if (s == DTC_OK)
    *bytes = size;
  return dtci_end(s, &e, err);
}

/* ---- the law --------------------------------------------------------------------------------- */

static dtc_status op_in(dtc_collective op, uint64_t ranks, uint64_t least, dtc_error *e)
{
  if (op == DTC_COLLECTIVE_NONE || op > DTC_COLLECTIVE_BARRIER)
    return dtci_fail_within(e, DTC_E_RANGE, DTC_RULE_COLLECTIVE_OP, DTCI_ARG(OP), op, 1, DTC_COLLECTIVE_BARRIER);
  return dtci_check_range(e, DTCI_ARG(RANKS), ranks, least, RANKS_MOST);
}

static double law_at(const dtc_collective_law *law, double wire)
{
  double x = wire / law->bandwidth;
  return law->latency + x + 2 * law->shape * sqrt(law->latency * x);
}

/* seconds = sum of coefficient * term: 1, wire / scale, sqrt(wire / scale); least squares of the relative errors, in
 * which the unknowns are linear. */
typedef struct normal {
  double a[TERMS][TERMS];
  double b[TERMS];
  double scale;
  double factor; /* wire / bytes */
} normal;

static void terms_of(const normal *m, const dtc_timing *p, double term[TERMS])
{
  double wire = (double)p->bytes * m->factor / m->scale;
  term[0] = 1;
  term[1] = wire;
  term[2] = sqrt(wire);
}

static void gather_normal(normal *m, const dtc_timing *points, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    double term[TERMS];
    if (!(points[i].seconds > 0))
      continue;
    terms_of(m, &points[i], term);
    for (uint32_t r = 0; r < TERMS; r++) {
      for (uint32_t c = 0; c < TERMS; c++)
        m->a[r][c] += term[r] / points[i].seconds * (term[c] / points[i].seconds);
      m->b[r] += term[r] / points[i].seconds;
    }
  }
}

/* Coefficients of the terms in `mask`, the others 0, by elimination; 0 when they are not told apart or one is negative. */
static int solve(const normal *m, uint32_t mask, double x[TERMS])
{
  normal w = *m;
  for (uint32_t r = 0; r < TERMS; r++)
    for (uint32_t c = 0; c < TERMS; c++)
      if (!(mask >> r & 1) || !(mask >> c & 1))
        w.a[r][c] = r == c ? m->a[r][r] : 0;
  for (uint32_t r = 0; r < TERMS; r++)
    w.b[r] = mask >> r & 1 ? w.b[r] : 0;
  for (uint32_t p = 0; p < TERMS; p++) {
    if (!(w.a[p][p] > m->a[p][p] * 1e-12))
      return 0;
    for (uint32_t r = p + 1; r < TERMS; r++) {
      double f = w.a[r][p] / w.a[p][p];
      for (uint32_t c = p; c < TERMS; c++)
        w.a[r][c] -= f * w.a[p][c];
      w.b[r] -= f * w.b[p];
    }
  }
  for (uint32_t r = TERMS; r-- > 0;) {
    x[r] = w.b[r];
    for (uint32_t c = r + 1; c < TERMS; c++)
      x[r] -= w.a[r][c] * x[c];
    x[r] /= w.a[r][r];
    if (!(x[r] >= 0))
      return 0;
  }
  return 1;
}

/* Error that is left: what the normal equations make of it. */
static double rest_of(const normal *m, const double x[TERMS])
{
  double rest = 0;
  for (uint32_t r = 0; r < TERMS; r++) {
    for (uint32_t c = 0; c < TERMS; c++)
      rest += x[r] * m->a[r][c] * x[c];
    rest -= 2 * x[r] * m->b[r];
  }
  return rest;
}

/* The best coefficients that are not negative; latency and rate are positive. */
static int best_of(const normal *m, double best[TERMS])
{
  static const uint32_t masks[] = {7, 3};
  double least = 0;
  int found = 0;
  for (uint32_t i = 0; i < 2; i++) {
    double x[TERMS];
    if (!solve(m, masks[i], x) || !(x[0] > 0) || !(x[1] > 0))
      continue;
    double rest = rest_of(m, x);
    if (found && rest >= least)
      continue;
    found = 1;
    least = rest;
    memcpy(best, x, sizeof x);
  }
  return found;
}

static dtc_status points_in(const dtc_timing *points, size_t n, uint64_t *largest, uint32_t *used, dtc_error *e)
{
  uint64_t sizes[3] = {0, 0, 0};
  uint32_t different = 0;
  if (points == NULL)
    return dtci_fail_range(e, DTCI_ARG(POINTS), 0, 3, POINTS_MOST);
  TRY(dtci_check_range(e, DTCI_ARG(POINTS), n, 3, POINTS_MOST));
  for (size_t i = 0; i < n; i++) {
    TRY(dtci_check_range(e, DTC_FIELD(timing, bytes), points[i].bytes, 0, BYTES_MOST));
    TRY(dtci_check_double(e, DTC_FIELD(timing, seconds), points[i].seconds, 0, 1e6));
    if (!(points[i].seconds > 0))
      continue;
    ++*used;
    if (points[i].bytes > *largest)
      *largest = points[i].bytes;
    int known = 0;
    for (uint32_t k = 0; k < different; k++)
      known |= sizes[k] == points[i].bytes;
    if (!known && different < 3)
      sizes[different++] = points[i].bytes;
  }
  return different == 3 ? DTC_OK
                        : dtci_fail(e, DTC_E_CONFLICT, DTC_RULE_COLLECTIVE_POINTS, DTCI_ARG(POINTS), different);
}

/* Mean and largest error on the points. */
static void judge(dtc_collective_law *law, const normal *m, const dtc_timing *points, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    if (!(points[i].seconds > 0))
      continue;
    double error = law_at(law, (double)points[i].bytes * m->factor) / points[i].seconds - 1;
    error = error < 0 ? -error : error;
    law->error += error / law->points;
    law->worst = error > law->worst ? error : law->worst;
  }
}

static dtc_status fit(dtc_collective op, uint64_t ranks, const dtc_timing *points, size_t n, dtc_collective_law *law,
                      dtc_error *e)
{
  normal m = {0};
  double x[TERMS];
  uint64_t largest = 0;
  TRY(op_in(op, ranks, 2, e));
  TRY(points_in(points, n, &largest, &law->points, e));
  m.factor = dtci_wire_factor(op, op == DTC_COLLECTIVE_SEND_RECV ? 2 : (double)ranks);
  m.scale = (double)largest * m.factor;
  if (!(m.scale > 0))
    return dtci_fail(e, DTC_E_CONFLICT, DTC_RULE_COLLECTIVE_POINTS, DTCI_ARG(OP), op);
  gather_normal(&m, points, n);
  if (!best_of(&m, x))
    return dtci_fail(e, DTC_E_CONFLICT, DTC_RULE_COLLECTIVE_POINTS, DTCI_ARG(POINTS), law->points);
  law->latency = x[0];
  law->bandwidth = m.scale / x[1];
  law->shape = x[2] / (2 * sqrt(x[0] * x[1]));
  judge(law, &m, points, n);
  return dtci_ranges(law, DTC_STRUCT_collective_law, e) == DTC_OK
             ? DTC_OK
             : dtci_fail(e, DTC_E_CONFLICT, DTC_RULE_COLLECTIVE_POINTS, DTCI_ARG(POINTS), law->points);
}

dtc_status dtc_collective_fit(const dtc_timing *points, size_t n_points, uint64_t ranks, dtc_collective op,
                              dtc_collective_law *out, dtc_error *err)
{
  dtc_error e;
  dtc_collective_law law = {.struct_size = sizeof law};
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = fit(op, ranks, points, n_points, &law, &e);
  return dtci_end(s != DTC_OK ? s : dtci_out(out, DTC_STRUCT_collective_law, &law, &e), &e, err);
}

static dtc_status law_time(const dtc_collective_law *user, dtc_collective op, uint64_t bytes, uint64_t ranks,
                           double *seconds, dtc_error *e)
{
  dtc_collective_law law;
  TRY(dtci_in(&law, DTC_STRUCT_collective_law, user, e));
  TRY(op_in(op, ranks, 1, e));
  TRY(dtci_check_range(e, DTCI_ARG(BYTES), bytes, 0, BYTES_MOST));
  double n = op == DTC_COLLECTIVE_SEND_RECV ? 2 : (double)ranks;
  *seconds = ranks > 1 ? law_at(&law, (double)bytes * dtci_wire_factor(op, n)) : 0;
  return DTC_OK;
}

dtc_status dtc_collective_law_time(const dtc_collective_law *law, uint64_t bytes, uint64_t ranks, dtc_collective op,
                                   double *seconds, dtc_error *err)
{
  dtc_error e;
  double t = 0;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = law_time(law, op, bytes, ranks, &t, &e);
  if (s == DTC_OK)
    *seconds = t;
  return dtci_end(s, &e, err);
}

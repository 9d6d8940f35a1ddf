/* Calibration: factors on the parts of a step that fit measured steps, and the factor of messages that fits measured
 * collectives. */
#include "internal/collective.h"
#include <dtcore/step.h>

enum { FACTORS = 5, ROUNDS = 24, SAMPLES_MOST = 65536, POINTS_MOST = 65536 };
#define LEAST_FACTOR 0.05
#define LEAST_ERROR 0.005 /* below it errors count by their square */
#define TIED 10.0         /* what holds a factor to 1: five times the square of what it is away from it */
#define LEAST_BYTES ((uint64_t)1 << 20)
#define SECONDS_LEAST 1e-9
#define SECONDS_MOST 1e9

/* ---- a measured step ------------------------------------------------------------------------- */

static dtc_status sum_in(dtc_error *e, uint32_t field, double sum)
{
  return dtci_check_double(e, field, sum, 0, SECONDS_MOST);
}

static dtc_status measure(const dtc_step *user, double seconds, dtc_step_sample *out, dtc_error *e)
{
  dtc_step s;
  TRY(dtci_in(&s, DTC_STRUCT_step, user, e));
  TRY(dtci_check_double(e, DTCI_ARG(SECONDS), seconds, SECONDS_LEAST, SECONDS_MOST));
  *out = (dtc_step_sample){.products = s.dense + s.experts + s.head + s.recompute,
                           .attention = s.attention,
                           .memory = s.elementwise + s.optimizer + s.offload,
                           .communication = s.tp + s.cp + s.ep + s.pp + s.weights + s.gradients,
                           .host = s.launch,
                           .measured = seconds};
  TRY(sum_in(e, DTC_FIELD(step, dense), out->products));
  TRY(sum_in(e, DTC_FIELD(step, attention), out->attention));
  TRY(sum_in(e, DTC_FIELD(step, elementwise), out->memory));
  TRY(sum_in(e, DTC_FIELD(step, tp), out->communication));
  TRY(sum_in(e, DTC_FIELD(step, launch), out->host));
  double sum = out->products + out->attention + out->memory + out->communication + out->host;
  double grows = s.bubble + s.stragglers;
  TRY(sum_in(e, DTC_FIELD(step, bubble), grows));
  out->share = sum > 0 ? grows / sum : 0;
  return dtci_check_double(e, DTC_FIELD(step, bubble), out->share, 0, SECONDS_MOST);
}

dtc_status dtc_step_measure(const dtc_step *step, double seconds, dtc_step_sample *out, dtc_error *err)
{
  dtc_error e;
  dtc_step_sample sample;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = measure(step, seconds, &sample, &e);
  if (s == DTC_OK)
    *out = sample;
  return dtci_end(s, &e, err);
}

/* ---- least squares --------------------------------------------------------------------------- */

/* Shares of the measured time that the parts of a sample are estimated to take: sum of factor * part = 1, if all is well. */
static void parts_of(const dtc_step_sample *s, double part[FACTORS])
{
  double scale = (1 + s->share) / s->measured;
  part[0] = s->products * scale;
  part[1] = s->attention * scale;
  part[2] = s->memory * scale;
  part[3] = s->communication * scale;
  part[4] = s->host * scale;
}

/* Squares of errors and of what factors are away from 1: sum a x x - 2 b x. */
typedef struct normal {
  double a[FACTORS][FACTORS];
  double b[FACTORS];
} normal;

/* predicted / measured - 1 of a sample whose parts are known. */
static double error_at(const double part[FACTORS], const double x[FACTORS])
{
  double error = -1;
  for (uint32_t r = 0; r < FACTORS; r++)
    error += x[r] * part[r];
  return error < 0 ? -error : error;
}

/* Weighs samples by one over their error under factors `x`, so that least squares minimise the errors themselves. */
static void weigh(const dtc_step_sample *samples, size_t n, const double x[FACTORS], normal *m)
{
  *m = (normal){0};
  for (uint32_t r = 0; r < FACTORS; r++)
    m->a[r][r] = m->b[r] = TIED;
  for (size_t i = 0; i < n; i++) {
    double part[FACTORS];
    parts_of(&samples[i], part);
    double error = error_at(part, x);
    double weight = 1 / (error > LEAST_ERROR ? error : LEAST_ERROR);
    for (uint32_t r = 0; r < FACTORS; r++) {
      m->b[r] += weight * part[r];
      for (uint32_t c = 0; c < FACTORS; c++)
        m->a[r][c] += weight * part[r] * part[c];
    }
  }
}

static dtc_status samples_in(const dtc_step_sample *samples, size_t n, dtc_error *e)
{
  TRY(dtci_check_range(e, DTCI_ARG(SAMPLES), n, 1, SAMPLES_MOST));
  for (size_t i = 0; i < n; i++)
    TRY(dtci_ranges(&samples[i], DTC_STRUCT_step_sample, e));
  return DTC_OK;
}

/* Factors with those in `held` at their least, the others free, by elimination; 0 when they are not told apart. */
static int solve(const normal *m, uint32_t held, double x[FACTORS])
{
  normal w = *m;
  for (uint32_t r = 0; r < FACTORS; r++)
    for (uint32_t c = 0; c < FACTORS; c++)
      if (!(held >> r & 1) && (held >> c & 1)) {
        w.b[r] -= w.a[r][c] * LEAST_FACTOR;
        w.a[r][c] = 0;
      } else if (held >> r & 1) {
        w.a[r][c] = r == c ? 1 : 0;
      }
  for (uint32_t r = 0; r < FACTORS; r++)
    w.b[r] = held >> r & 1 ? LEAST_FACTOR : w.b[r];
  for (uint32_t p = 0; p < FACTORS; p++) {
    if (!(held >> p & 1) && !(w.a[p][p] > m->a[p][p] * 1e-14))
      return 0;
    for (uint32_t r = p + 1; r < FACTORS; r++) {
      double f = w.a[r][p] / w.a[p][p];
      for (uint32_t c = p; c < FACTORS; c++)
        w.a[r][c] -= f * w.a[p][c];
      w.b[r] -= f * w.b[p];
    }
  }
  for (uint32_t p = FACTORS; p-- > 0;) {
    x[p] = w.b[p];
    for (uint32_t c = p + 1; c < FACTORS; c++)
      x[p] -= w.a[p][c] * x[c];
    x[p] /= w.a[p][p];
  }
  return 1;
}

static double cost_of(const normal *m, const double x[FACTORS])
{
  double cost = 0;
  for (uint32_t r = 0; r < FACTORS; r++) {
    double row = 0;
    for (uint32_t c = 0; c < FACTORS; c++)
      row += m->a[r][c] * x[c];
    cost += x[r] * (row - 2 * m->b[r]);
  }
  return cost;
}

/* The best factors, none below the least: of all choices of those that are held there the one that costs least. */
static void best_of(const normal *m, double best[FACTORS])
{
  double least = 0;
  int found = 0;
  for (uint32_t held = 0; held < 1u << FACTORS; held++) {
    double x[FACTORS];
    int legal = solve(m, held, x);
    for (uint32_t r = 0; legal && r < FACTORS; r++)
      legal = x[r] >= LEAST_FACTOR;
    if (!legal)
      continue;
    double cost = cost_of(m, x);
    if (!found || cost < least) {
      memcpy(best, x, sizeof x);
      least = cost;
      found = 1;
    }
    if (held == 0) /* nothing to hold */
      return;
  }
}

/* Mean of |estimate / measured - 1|. */
static double error_of(const dtc_step_sample *samples, size_t n, const double x[FACTORS])
{
  double sum = 0;
  for (size_t i = 0; i < n; i++) {
    double part[FACTORS];
    parts_of(&samples[i], part);
    sum += error_at(part, x);
  }
  return sum / (double)n;
}

/* Least absolute errors, by least squares whose weights follow from the last round; the best round counts. */
static void settle(const dtc_step_sample *samples, size_t n, double best[FACTORS])
{
  double x[FACTORS];
  double least = error_of(samples, n, best) * (double)n;
  memcpy(x, best, sizeof x);
  for (int round = 0; round < ROUNDS; round++) {
    normal m;
    weigh(samples, n, x, &m);
    best_of(&m, x);
    double cost = error_of(samples, n, x) * (double)n;
    for (uint32_t r = 0; r < FACTORS; r++)
      cost += TIED / 2 * (x[r] - 1) * (x[r] - 1);
    if (cost < least) {
      least = cost;
      memcpy(best, x, sizeof x);
    }
  }
}

/* ---- parameters ------------------------------------------------------------------------------ */

/* A factor of 0 would stay 0, which means "not given". */
static dtc_status params_in(const dtc_step_params *user, dtc_step_params *p, dtc_error *e)
{
  TRY(dtci_in(p, DTC_STRUCT_step_params, user, e));
  if (!(p->attention > 0))
    return dtci_fail(e, DTC_E_RANGE, DTC_RULE_STEP_RESOLVED, DTC_FIELD(step_params, attention), 0);
  if (!(p->communication > 0))
    return dtci_fail(e, DTC_E_RANGE, DTC_RULE_STEP_RESOLVED, DTC_FIELD(step_params, communication), 0);
  if (!(p->host > 0))
    return dtci_fail(e, DTC_E_RANGE, DTC_RULE_STEP_RESOLVED, DTC_FIELD(step_params, host), 0);
  return DTC_OK;
}

/* Factors are on times; a rate of 0 stays 0. */
static void apply(const double x[FACTORS], dtc_step_params *p)
{
  p->fp32 /= x[0];
  p->bf16 /= x[0];
  p->fp8 /= x[0];
  p->fp4 /= x[0];
  p->attention *= x[1];
  p->hbm /= x[2];
  p->communication *= x[3];
  p->host *= x[4];
}

static dtc_status fit(const dtc_step_sample *samples, size_t n, const dtc_step_params *params, dtc_step_params *out,
                      dtc_step_fitted *fitted, dtc_error *e)
{
  static const double as_they_are[FACTORS] = {1, 1, 1, 1, 1};
  dtc_step_params p;
  double x[FACTORS] = {1, 1, 1, 1, 1};
  TRY(params_in(params, &p, e));
  TRY(samples_in(samples, n, e));
  settle(samples, n, x);
  apply(x, &p);
  TRY(dtci_ranges(&p, DTC_STRUCT_step_params, e));
  dtc_step_fitted f = {.struct_size = sizeof f,
                       .steps = (uint32_t)n,
                       .products = x[0],
                       .attention = x[1],
                       .memory = x[2],
                       .communication = x[3],
                       .host = x[4],
                       .before = error_of(samples, n, as_they_are),
                       .after = error_of(samples, n, x)};
  TRY(dtci_out_ok(out, DTC_STRUCT_step_params, e));
  TRY(dtci_out(fitted, DTC_STRUCT_step_fitted, &f, e));
  return dtci_out(out, DTC_STRUCT_step_params, &p, e);
}

dtc_status dtc_step_fit(const dtc_step_sample *samples, size_t n_samples, const dtc_step_params *params,
                        dtc_step_params *out, dtc_step_fitted *fitted, dtc_error *err)
{
  dtc_error e;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  return dtci_end(fit(samples, n_samples, params, out, fitted, &e), &e, err);
}

/* ---- measured collectives -------------------------------------------------------------------- */

/* A call whose points are looked at. */
typedef struct measured {
  const dtc_cluster *cluster;
  dtc_collective_call *call;
  const dtc_timing *points;
  size_t n;
} measured;

/* Measured over estimated time of a point; 0 of one that does not count. */
static double ratio_of(const measured *m, size_t i)
{
  dtc_collective_time t;
  if (m->points[i].bytes < LEAST_BYTES || !(m->points[i].seconds > 0))
    return 0;
  m->call->bytes = m->points[i].bytes;
  dtci_collective_time(m->cluster, m->call, &t);
  return m->points[i].seconds / t.seconds;
}

/* How many ratios there are up to one, and the least above it; DTC_NONE where none is. */
static size_t up_to(const measured *m, uint64_t bits, uint64_t *above)
{
  size_t count = 0;
  *above = DTC_NONE;
  for (size_t i = 0; i < m->n; i++) {
    double ratio = ratio_of(m, i);
    uint64_t b = 0;
    memcpy(&b, &ratio, sizeof b);
    if (b != 0 && b <= bits)
      count++;
    else if (b != 0 && b < *above)
      *above = b;
  }
  return count;
}

/* Positive doubles are ordered as their bits are: the median is found by bisection, without memory to sort in. */
static double median_of(const measured *m, size_t count)
{
  uint64_t low = 0;
  uint64_t high = DTC_NONE;
  uint64_t middle_bits = 0;
  uint64_t above = 0;
  size_t middle = (count + 1) / 2;
  size_t to_low = 0;
  size_t to_high = count;
  double a = 0;
  double b = 0;
  while (high - low > 1 && to_high - to_low > 1) {
    uint64_t mid = low + (high - low) / 2;
    size_t to_mid = up_to(m, mid, &above);
    *(to_mid >= middle ? &high : &low) = mid;
    *(to_mid >= middle ? &to_high : &to_low) = to_mid;
  }
  (void)up_to(m, low, &middle_bits);
  memcpy(&a, &middle_bits, sizeof a);
  if (count % 2 != 0 || up_to(m, middle_bits, &above) > middle)
    return a;
  memcpy(&b, &above, sizeof b);
  return a + (b - a) / 2;
}

static dtc_status fit_collective(const dtc_cluster *cluster, const dtc_collective_call *call, const dtc_timing *points,
                                 size_t n, const dtc_step_params *params, dtc_step_params *out, dtc_error *e)
{
  dtc_cluster local;
  dtc_collective_call resolved;
  dtc_step_params p;
  uint64_t above = 0;
  TRY(dtci_collective_in(cluster, call, &local, &resolved, e));
  TRY(dtci_in(&p, DTC_STRUCT_step_params, params, e));
  if (resolved.ranks == 1 || resolved.op == DTC_COLLECTIVE_BARRIER)
    return dtci_fail(e, DTC_E_CONFLICT, DTC_RULE_COLLECTIVE_PEAK, DTC_FIELD(collective_call, op), resolved.op);
  TRY(dtci_check_range(e, DTCI_ARG(POINTS), n, 1, POINTS_MOST));
  for (size_t i = 0; i < n; i++)
    TRY(dtci_ranges(&points[i], DTC_STRUCT_timing, e));
  measured m = {&local, &resolved, points, n};
  size_t count = up_to(&m, DTC_NONE, &above);
  if (count == 0)
    return dtci_fail_within(e, DTC_E_CONFLICT, DTC_RULE_STEP_POINTS, DTCI_ARG(POINTS), n, LEAST_BYTES, DTC_NONE);
  p.communication = median_of(&m, count);
  TRY(dtci_ranges(&p, DTC_STRUCT_step_params, e));
  return dtci_out(out, DTC_STRUCT_step_params, &p, e);
}

dtc_status dtc_step_fit_collective(const dtc_cluster *cluster, const dtc_collective_call *call,
                                   const dtc_timing *points, size_t n_points, const dtc_step_params *params,
                                   dtc_step_params *out, dtc_error *err)
{
  dtc_error e;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  return dtci_end(fit_collective(cluster, call, points, n_points, params, out, &e), &e, err);
}

/* A training run with failures: expected time, what checkpoints are worth, GPU-hours, cost, energy.
 *
 * Failures of the job are a Poisson process of mean time M. A checkpoint is written behind every t seconds of steps, in d
 * seconds; a failure throws the job back to the last one, and it goes on when R seconds have passed without another. Then,
 * with w = t + d, an interval takes on average
 *   M e^(R/M) (e^(w/M) - 1)
 * (J. T. Daly, FGCS 22 (2006) 303). Of it w are steps and writing; e^(w/M) - 1 attempts fail, which take
 * M (e^(w/M) - 1) - w seconds of steps and writing that are lost, and each is followed by M (e^(R/M) - 1) seconds until the
 * job is back. Without libm e^x - 1 - x is summed up as its series: all terms are positive, so that nothing cancels and the
 * error is that of the last place. */
#include "internal/cluster.h"
#include "internal/collective.h"
#include <dtcore/step.h>

#include <math.h>

#define HOUR 3600.0
#define DAY 86400.0
#define RESTART 600.0
#define UTILISATION 0.9
/* w and R are at most so many M: a job of which one attempt in e^10 = 22026 gets through does not get ahead. */
#define LONGEST 10.0
enum { TERMS = 64 }; /* of the series: 10^64 / 64! = 8e-26 */

/* e^x - 1 - x for 0 <= x <= LONGEST. */
static double exp_beyond(double x)
{
  double sum = 0;
  double term = x * x / 2;
  for (int k = 3; k <= TERMS; k++) {
    sum += term;
    term *= x / k;
  }
  return sum;
}

/* Daly's higher-order interval (the same paper): the best to a part in a thousand of the time. */
static double best_of(double mtbf, double write)
{
  double r = write / (2 * mtbf);
  if (write >= 2 * mtbf)
    return mtbf;
  return sqrt(2 * write * mtbf) * (1 + sqrt(r) / 3 + r / 9) - write;
}

/* Steps between checkpoints, at most all. */
static double whole_steps(double seconds, const dtc_run_call *call, double steps)
{
  if (seconds >= steps * call->step_seconds)
    return steps;
  double n = (double)(uint64_t)(seconds / call->step_seconds + .5);
  return n >= 1 ? n : 1;
}

static dtc_status fail_behind(const dtc_run_call *call, dtc_error *e)
{
  return dtci_fail(e, DTC_E_CONFLICT, DTC_RULE_RUN_AHEAD, DTC_FIELD(run_call, gpus), call->gpus);
}

/* Adds what failures cost; M, w and R as above. */
static dtc_status add_failures(dtc_run *r, const dtc_run_call *call, double write, dtc_error *e)
{
  double m = r->mtbf_seconds;
  double intervals = r->steps / r->interval_steps;
  double w = r->interval_seconds + write;
  if (!(w <= LONGEST * m && call->restart_seconds <= LONGEST * m))
    return fail_behind(call, e);
  double x = w / m;
  double back = call->restart_seconds / m;
  double beyond = exp_beyond(x);
  r->lost_seconds = intervals * m * beyond;
  r->restart_seconds = intervals * (x + beyond) * m * (back + exp_beyond(back));
  return DTC_OK;
}

/* How often checkpoints are written, and the time of all. */
static dtc_status spend(dtc_run *r, const dtc_run_call *call, double write, dtc_error *e)
{
  int fails = r->mtbf_seconds > 0;
  r->productive_seconds = r->steps * call->step_seconds;
  r->best_interval = fails && write > 0 ? best_of(r->mtbf_seconds, write) : 0;
  double interval = call->interval_seconds > 0 ? call->interval_seconds : r->best_interval;
  if (fails || interval > 0) { /* a checkpoint that costs nothing is written behind every step */
    r->interval_steps = whole_steps(interval, call, r->steps);
    r->interval_seconds = r->interval_steps * call->step_seconds;
    r->checkpoint_seconds = r->steps / r->interval_steps * write;
  }
  if (fails)
    TRY(add_failures(r, call, write, e));
  r->seconds = r->productive_seconds + r->checkpoint_seconds + r->lost_seconds + r->restart_seconds;
  r->failures = fails ? r->seconds / r->mtbf_seconds : 0;
  return DTC_OK;
}

static void charge(dtc_run *r, const dtc_cluster *c, const dtc_run_call *call)
{
  double gpus = (double)call->gpus;
  double nodes = (double)dtci_ceil_div(call->gpus, c->gpus_per_node);
  double price = call->price > 0 ? call->price : c->price;
  double watts = (gpus * c->power * call->utilisation + nodes * c->node_power) * call->pue;
  r->days = r->seconds / DAY;
  r->goodput = r->productive_seconds / r->seconds;
  r->gpu_hours = gpus * r->seconds / HOUR;
  r->cost = r->gpu_hours * price;
  r->energy = c->power > 0 ? r->seconds * watts : 0;
}

static double steps_of(const dtc_run_call *call)
{
  double n = call->tokens / call->step_tokens;
  double whole = (double)(uint64_t)n; /* at most 1e18 */
  return whole < n ? whole + 1 : whole;
}

static double or_else(double given, double value)
{
  return given > 0 ? given : value;
}

static dtc_status estimate(const dtc_cluster *cluster, const dtc_run_call *given, dtc_run *r, dtc_error *e)
{
  dtc_cluster c;
  dtc_run_call call;
  TRY(dtci_cluster_in(cluster, &c, e));
  TRY(dtci_in(&call, DTC_STRUCT_run_call, given, e));
  TRY(dtci_check_double(e, DTC_FIELD(run_call, step_seconds), call.step_seconds, 0x1p-1022, 1e9));
  double mtbf = or_else(call.mtbf, c.mtbf);
  double write = call.write_seconds;
  if (!(write > 0) && dtci_is_rate(c.storage_bandwidth))
    write = (double)call.checkpoint_bytes / c.storage_bandwidth;
  call.restart_seconds = or_else(call.restart_seconds, RESTART);
  call.utilisation = or_else(call.utilisation, UTILISATION);
  call.pue = or_else(call.pue, 1);
  r->steps = steps_of(&call);
  r->mtbf_seconds = mtbf * HOUR / (double)call.gpus;
  if (mtbf > 0 && !(r->mtbf_seconds > 0))
    return fail_behind(&call, e);
  TRY(spend(r, &call, write, e));
  charge(r, &c, &call);
  return DTC_OK;
}

dtc_status dtc_run_estimate(const dtc_cluster *cluster, const dtc_run_call *call, dtc_run *out, dtc_error *err)
{
  dtc_error e;
  dtc_run r = {.struct_size = sizeof r};
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = estimate(cluster, call, &r, &e);
  return dtci_end(s != DTC_OK ? s : dtci_out(out, DTC_STRUCT_run, &r, &e), &e, err);
}

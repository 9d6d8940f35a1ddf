/* Runs with failures: Daly's formula and intervals, published runs, what must hold of any run, refusals. */
#include "check.h"

#include <math.h>

#define HOUR 3600.0
#define DAY 86400.0

static dtc_run run_on(const dtc_cluster *c, const dtc_run_call *call)
{
  dtc_error e;
  dtc_run r;
  DTC_INIT(&e);
  DTC_INIT(&r);
  check_ok(dtc_run_estimate(c, call, &r, &e), &e);
  return r;
}

/* A cluster that says nothing but its memory. */
static dtc_cluster plain_cluster(void)
{
  dtc_cluster c;
  DTC_INIT(&c);
  c.memory = (uint64_t)80 << 30;
  return c;
}

/* Steps of a second, so many of them; the job fails every so many seconds. */
static dtc_run_call job(double steps, double mtbf, double write, double restart)
{
  dtc_run_call call;
  DTC_INIT(&call);
  call.tokens = steps * 1000;
  call.step_tokens = 1000;
  call.step_seconds = 1;
  call.gpus = 8;
  call.mtbf = mtbf * 8 / HOUR;
  call.write_seconds = write;
  call.restart_seconds = restart;
  return call;
}

static double total(dtc_run_call call)
{
  dtc_cluster c = plain_cluster();
  return run_on(&c, &call).seconds;
}

static void check_about(double got, double expected, double share)
{
  if (!(got >= expected * (1 - share) && got <= expected * (1 + share)))
    fail_msg("got %.9g, expected %.9g within %g", got, expected, share);
}

static void check_same(double got, double expected)
{
  if (!(got >= expected && got <= expected))
    fail_msg("got %.17g, expected %.17g", got, expected);
}

/* ---- Daly ------------------------------------------------------------------------------------ */

/* (1 + x / 2^30)^(2^30) */
static double power_of_e(double x)
{
  long double p = 1 + (long double)x / (1 << 30);
  for (int i = 0; i < 30; i++)
    p *= p;
  return (double)p;
}

/* M e^(R/M) (e^(w/M) - 1) an interval. */
static void time_is_dalys(void **state)
{
  (void)state;
  static const double mtbf[] = {50, 300, 5000, 50000};
  static const double interval[] = {10, 100, 450};
  static const double write[] = {1, 30, 50};
  static const double restart[] = {1, 200, 500};
  for (int i = 0; i < 4 * 3 * 3 * 3; i++) {
    double m = mtbf[i % 4];
    double t = interval[i / 4 % 3];
    double d = write[i / 12 % 3];
    double back = restart[i / 36];
    dtc_run_call call = job(9000, m, d, back);
    call.interval_seconds = t;
    if (t + d <= 10 * m)
      check_about(total(call), 9000 / t * m * power_of_e(back / m) * (power_of_e((t + d) / m) - 1), 1e-6);
  }
}

/* Captions of figures 3 to 5 of J. T. Daly, FGCS 22 (2006) 303: 117, 57 and 9.1 minutes. */
static void intervals_are_dalys(void **state)
{
  (void)state;
  dtc_cluster c = plain_cluster();
  static const double mtbf[] = {24 * 60, 6 * 60, 15};
  static const double minutes[] = {117, 57, 9.1};
  static const double rounded[] = {.5, .5, .05};
  for (int i = 0; i < 3; i++) {
    dtc_run_call call = job(500 * HOUR, mtbf[i] * 60, 300, 600);
    dtc_run r = run_on(&c, &call);
    assert_true(r.best_interval / 60 > minutes[i] - rounded[i] && r.best_interval / 60 < minutes[i] + rounded[i]);
    check_about(r.interval_seconds, r.best_interval, 0.5 / r.best_interval);
    check_near(r.mtbf_seconds, mtbf[i] * 60);
  }
  dtc_run_call call = job(1e6, 100, 250, 1); /* writing takes more than two mean times */
  check_same(run_on(&c, &call).best_interval, 100);
}

/* The shortest time that any interval gives, by bisection of its slope. */
static double shortest(dtc_run_call call, double steps)
{
  double low = 1;
  double high = steps;
  while (high - low > 3) {
    double a = low + (high - low) / 3;
    double b = high - (high - low) / 3;
    double times[2];
    call.interval_seconds = a;
    times[0] = total(call);
    call.interval_seconds = b;
    times[1] = total(call);
    if (times[0] < times[1])
      high = b;
    else
      low = a;
  }
  call.interval_seconds = (low + high) / 2;
  return total(call);
}

static void no_interval_is_much_better(void **state)
{
  (void)state;
  static const double shares[] = {1e-5, 1e-4, 1e-3, 1e-2, .05, .2, .5, 1};
  for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++) {
    dtc_run_call call = job(9e5, 1e5, 1e5 * shares[i], 60);
    double best = total(call);
    double least = shortest(call, 9e5);
    double off = shares[i] > .1 ? 3e-3 : 1e-5; /* a perturbation: good while writing takes little of the mean time */
    if (!(best <= least * (1 + off) && best >= least * (1 - 1e-9)))
      fail_msg("write / mtbf = %g: %.9g seconds, %.9g are possible", shares[i], best, least);
  }
}

/* ---- what holds of any run ------------------------------------------------------------------- */

static dtc_run_call random_job(uint64_t *seed)
{
  dtc_run_call call = job(1 + (double)check_random(seed, 1000000), 0, 0, 0);
  call.step_seconds = (double)(1 + check_random(seed, 10000)) / 100;
  call.gpus = 1 + check_random(seed, 1 << check_random(seed, 17));
  call.mtbf = check_random(seed, 8) == 0 ? 0 : (double)check_random(seed, 100000) + 5 * (double)call.gpus;
  call.write_seconds = (double)check_random(seed, 300);
  call.restart_seconds = (double)check_random(seed, 3000);
  call.interval_seconds = check_random(seed, 2) == 0 ? 0 : (double)check_random(seed, 10000);
  return call;
}

static void items_add_up_and_failures_never_help(void **state)
{
  (void)state;
  dtc_cluster c = plain_cluster();
  uint64_t seed = 11;
  for (int i = 0; i < 20000; i++) {
    dtc_run_call call = random_job(&seed);
    dtc_run r = run_on(&c, &call);
    check_same(r.productive_seconds + r.checkpoint_seconds + r.lost_seconds + r.restart_seconds, r.seconds);
    check_near(r.productive_seconds, r.steps * call.step_seconds);
    check_near(r.goodput, r.productive_seconds / r.seconds);
    check_near(r.days * 24 * (double)call.gpus, r.gpu_hours);
    check_near(r.interval_seconds, r.interval_steps * call.step_seconds);
    assert_true(r.interval_steps <= r.steps && r.goodput > 0 && r.goodput <= 1);
    check_same(r.interval_steps, floor(r.interval_steps));
    assert_true((r.failures > 0) == (call.mtbf > 0));
    dtc_run_call better = call;
    better.interval_seconds = r.interval_seconds; /* the same, so that the rounding of steps does not count */
    better.mtbf *= 1.5;
    assert_true(run_on(&c, &better).seconds <= r.seconds * (1 + 1e-12));
    better.mtbf = call.mtbf;
    better.restart_seconds = call.restart_seconds > 0 ? call.restart_seconds / 2 : 300;
    assert_true(run_on(&c, &better).seconds <= r.seconds * (1 + 1e-12));
  }
}

/* The parts of the sum, to first order: half an interval is lost, failures cost a restart each. */
static void parts_are_what_they_are_called(void **state)
{
  (void)state;
  dtc_cluster c = plain_cluster();
  dtc_run_call call = job(1e6, 1e6, 10, 500);
  call.interval_seconds = 1000;
  dtc_run r = run_on(&c, &call);
  check_same(r.productive_seconds, 1e6);
  check_near(r.checkpoint_seconds, 1e6 / 1000 * 10);
  check_about(r.lost_seconds, r.failures * 1010 / 2, 2e-3);
  check_about(r.restart_seconds, r.failures * 500, 2e-3);
  check_near(r.failures, r.seconds / 1e6);
}

static void what_is_not_said_costs_nothing(void **state)
{
  (void)state;
  dtc_cluster c = plain_cluster();
  dtc_run_call call = job(1000.5, 0, 20, 100); /* no failures, no checkpoints */
  dtc_run r = run_on(&c, &call);
  check_same(r.steps, 1001);
  check_same(r.seconds, 1001);
  check_same(r.goodput, 1);
  check_same(r.cost + r.energy + r.failures + r.mtbf_seconds + r.interval_seconds + r.interval_steps + r.best_interval,
             0);
  call.interval_seconds = 100; /* checkpoints all the same */
  check_near(run_on(&c, &call).seconds, 1001 + 1001 / 100.0 * 20);
  call = job(1000, 5000, 0, 100); /* checkpoints that cost nothing: one behind every step */
  r = run_on(&c, &call);
  check_same(r.interval_steps, 1);
  check_same(r.checkpoint_seconds + r.best_interval, 0);
  check_about(r.lost_seconds, 1000 / 5000.0 / 2, 0.05);
  call = job(1000, 1e9, 200, 100); /* one interval is as long as the run */
  check_same(run_on(&c, &call).interval_steps, 1000);
}

static void the_cluster_says_what_the_call_does_not(void **state)
{
  (void)state;
  dtc_cluster c = plain_cluster();
  c.mtbf = 50000;
  c.price = 2;
  c.power = 700;
  c.node_power = 3000;
  c.storage_bandwidth = 2e9;
  dtc_run_call call = job(1e5, 0, 0, 0);
  call.gpus = 20; /* three nodes */
  call.checkpoint_bytes = 60000000000;
  dtc_run r = run_on(&c, &call);
  check_near(r.mtbf_seconds, 50000 * HOUR / 20);
  check_near(r.checkpoint_seconds, r.steps / r.interval_steps * 30);
  check_about(r.restart_seconds, r.failures * 600, 1e-2);
  check_near(r.gpu_hours, 20 * r.seconds / HOUR);
  check_near(r.cost, 2 * r.gpu_hours);
  check_near(r.energy, r.seconds * (20 * 700 * .9 + 3 * 3000));
  call.mtbf = 100000;
  call.write_seconds = 5;
  call.restart_seconds = 60;
  call.price = 3.5;
  call.utilisation = .5;
  call.pue = 1.2;
  r = run_on(&c, &call);
  check_near(r.mtbf_seconds, 100000 * HOUR / 20);
  check_near(r.checkpoint_seconds, r.steps / r.interval_steps * 5);
  check_about(r.restart_seconds, r.failures * 60, 1e-3);
  check_near(r.cost, 3.5 * r.gpu_hours);
  check_near(r.energy, r.seconds * (20 * 700 * .5 + 3 * 3000) * 1.2);
  c.power = 0;
  check_same(run_on(&c, &call).energy, 0);
}

/* ---- published runs -------------------------------------------------------------------------- */

/* Llama 3 405B, arXiv 2407.21783, section 3.3.4: in 54 days on 16384 H100 466 interruptions, 419 of them unexpected, more
 * than 90 % of the time effective. Storage takes 2 TB/s (section 3.3.1); 12 bytes of a parameter make 4.9 TB. */
static void llama_3_405b(void **state)
{
  (void)state;
  dtc_cluster c = plain_cluster();
  c.storage_bandwidth = 2e12;
  dtc_run_call call;
  DTC_INIT(&call);
  call.gpus = 16384;
  call.mtbf = 54 * 24.0 / 419 * 16384; /* 50676 hours of a GPU */
  call.checkpoint_bytes = UINT64_C(12) * 405853388800;
  call.step_tokens = 16 << 20;
  call.step_seconds = (double)(16 << 20) * 6 * 405e9 / 400e12 / 16384; /* 400 TFLOP/s a GPU */
  call.tokens = call.step_tokens * 54 * DAY * .9 / call.step_seconds;  /* what 54 days of 90 % do */
  dtc_run r = run_on(&c, &call);
  check_near(r.mtbf_seconds, 54 * DAY / 419);
  assert_true(r.goodput > .9 && r.goodput < .96);
  assert_true(r.days < 54 && r.days > 54 * .93);
  check_about(r.failures, 419, 0.07);
  assert_true(r.best_interval > 180 && r.best_interval < 300);
}

/* OPT-175B, arXiv 2205.01068 and its logbook: 992 A100, some 33 days of computing in 57; in two months at least 35 restarts
 * by hand and more than 70 that were estimated to be automatic. Failures explain part of it, and the days lie between. */
static void opt_175b(void **state)
{
  (void)state;
  dtc_cluster c = plain_cluster();
  dtc_run_call call;
  DTC_INIT(&call);
  call.gpus = 992;
  call.mtbf = 57 * 24.0 / (35 + 70) * 992;
  call.step_tokens = 2 << 20;
  call.tokens = 143000 * call.step_tokens;
  call.step_seconds = 33 * DAY / 143000;
  call.write_seconds = 60;
  call.restart_seconds = 2 * HOUR;
  call.interval_seconds = 250 * call.step_seconds;
  dtc_run r = run_on(&c, &call);
  check_near(r.steps, 143000);
  check_near(r.interval_steps, 250);
  assert_true(r.days > 33 * 1.15 && r.days < 57);
  assert_true(r.failures > 60 && r.failures < 105);
  assert_true(r.restart_seconds > 3 * r.lost_seconds); /* what happened by hand took most of it */
}

/* BLOOM, arXiv 2211.05100, section 3: 384 A100 for 3.5 months, 1082990 GPU-hours, one or two GPUs a week, a checkpoint
 * every 3 hours, so that a failure cost 1.5 hours on average. */
static void bloom_176b(void **state)
{
  (void)state;
  dtc_cluster c = plain_cluster();
  dtc_run_call call;
  DTC_INIT(&call);
  call.gpus = 384;
  call.mtbf = 7 * 24 / 1.5 * 384;
  call.step_tokens = 2048 * 2048;
  call.tokens = 366e9;
  call.step_seconds = 105; /* main-README.md of bigscience/train/tr11-176B-ml */
  call.write_seconds = 40; /* 2.3 TB, the same */
  call.restart_seconds = 900;
  call.interval_seconds = 3 * HOUR;
  dtc_run r = run_on(&c, &call);
  check_about(r.lost_seconds / r.failures, 1.5 * HOUR, 0.03);
  assert_true(r.failures > 105 / 7.0 && r.failures < 2 * 105 / 7.0);
  assert_true(r.goodput > .97);
  check_about(r.gpu_hours, 1082990, 0.1);
}

/* Kokolis and others, arXiv 2410.21680: 6.5 failures in a thousand days of a node of 8 make a mean time of 1.8 hours with
 * 16384 GPUs, 0.23 hours with 131072. */
static void rates_of_gpus_add_up(void **state)
{
  (void)state;
  dtc_cluster c = plain_cluster();
  dtc_run_call call = job(1e6, 0, 1, 1);
  c.mtbf = 1000 * 24 / 6.5 * 8;
  call.gpus = 16384;
  check_about(run_on(&c, &call).mtbf_seconds / HOUR, 1.8, 0.01);
  call.gpus = 131072;
  check_about(run_on(&c, &call).mtbf_seconds / HOUR, 0.23, 0.03);
}

/* ---- refusals -------------------------------------------------------------------------------- */

static void refuse(const dtc_run_call *call, dtc_status status, uint32_t field)
{
  dtc_cluster c = plain_cluster();
  dtc_error e;
  dtc_run r;
  DTC_INIT(&e);
  memset(&r, 0x5a, sizeof r);
  r.struct_size = sizeof r;
  dtc_run before = r;
  assert_int_equal(dtc_run_estimate(&c, call, &r, &e), status);
  assert_int_equal(e.field, field);
  if (status == DTC_E_CONFLICT)
    assert_int_equal(e.rule, DTC_RULE_RUN_AHEAD);
  assert_memory_equal(&r, &before, sizeof r);
}

static void values_out_of_range_are_refused(void **state)
{
  (void)state;
  static const struct {
    uint32_t field;
    double value;
  } wrong[] = {
      {DTC_FIELD(run_call, tokens), .5},
      {DTC_FIELD(run_call, tokens), 1.1e18},
      {DTC_FIELD(run_call, step_seconds), 0},
      {DTC_FIELD(run_call, step_seconds), -1},
      {DTC_FIELD(run_call, step_seconds), 1.1e9},
      {DTC_FIELD(run_call, step_seconds), (double)NAN},
      {DTC_FIELD(run_call, step_tokens), 0},
      {DTC_FIELD(run_call, step_tokens), 1.1e15},
      {DTC_FIELD(run_call, mtbf), -1},
      {DTC_FIELD(run_call, mtbf), 1.1e12},
      {DTC_FIELD(run_call, write_seconds), -1},
      {DTC_FIELD(run_call, restart_seconds), 1.1e9},
      {DTC_FIELD(run_call, interval_seconds), (double)INFINITY},
      {DTC_FIELD(run_call, price), -1},
      {DTC_FIELD(run_call, utilisation), 1.01},
      {DTC_FIELD(run_call, pue), 10.1},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    dtc_run_call call = job(1000, 1e6, 1, 1);
    memcpy((unsigned char *)&call + (wrong[i].field & 0xffff), &wrong[i].value, sizeof(double));
    refuse(&call, DTC_E_RANGE, wrong[i].field);
  }
  dtc_run_call call = job(1000, 1e6, 1, 1);
  call.gpus = 0;
  refuse(&call, DTC_E_RANGE, DTC_FIELD(run_call, gpus));
  call.gpus = ((uint64_t)1 << 32) + 1;
  refuse(&call, DTC_E_RANGE, DTC_FIELD(run_call, gpus));
}

static void a_job_that_does_not_get_ahead_is_refused(void **state)
{
  (void)state;
  uint32_t gpus = DTC_FIELD(run_call, gpus);
  dtc_run_call call = job(1000, 10, 1, 1);
  call.interval_seconds = 99;
  assert_true(total(call) > 1000);
  call.interval_seconds = 100; /* with its checkpoint more than ten mean times */
  refuse(&call, DTC_E_CONFLICT, gpus);
  call = job(1000, 10, 1, 100);
  assert_true(total(call) > 1000);
  call.restart_seconds = 100.1;
  refuse(&call, DTC_E_CONFLICT, gpus);
  call = job(1000, 1, 9.5, 1); /* the best interval is too long */
  refuse(&call, DTC_E_CONFLICT, gpus);
  call = job(1000, 0, 1, 1);
  call.mtbf = 5e-324;
  refuse(&call, DTC_E_CONFLICT, gpus);
  call.gpus = UINT64_C(1) << 32; /* the mean time of so many is 0, which is not that of none that fails */
  refuse(&call, DTC_E_CONFLICT, gpus);
  call.gpus = 8;
  dtc_cluster c = plain_cluster();
  dtc_error e;
  dtc_run r;
  char line[256];
  DTC_INIT(&e);
  DTC_INIT(&r);
  assert_int_equal(dtc_run_estimate(&c, &call, &r, &e), DTC_E_CONFLICT);
  dtc_error_format(&e, DTC_LANG_EN, line, sizeof line);
  assert_non_null(strstr(line, "with 8 GPUs failures come faster"));
}

/* Nothing overflows at the ends of the ranges. */
static void extremes_are_numbers(void **state)
{
  (void)state;
  dtc_cluster c = plain_cluster();
  c.power = c.node_power = 1e6;
  dtc_run_call call = job(1e15, 0, 1e9, 1e9);
  call.step_seconds = 1e9;
  call.gpus = (uint64_t)1 << 20;
  call.price = 1e9;
  call.pue = 10;
  call.mtbf = 1e12;
  call.interval_seconds = 1e-300;
  dtc_run r = run_on(&c, &call);
  assert_true(r.energy > r.seconds && r.energy <= 1e300 && r.cost > r.seconds && r.cost <= 1e300);
  call = job(1, 1e14, 0, 1e-300);
  call.step_seconds = 1e-300;
  r = run_on(&c, &call);
  assert_true(r.seconds > 0 && r.goodput > 0 && r.goodput <= 1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(time_is_dalys),
      cmocka_unit_test(intervals_are_dalys),
      cmocka_unit_test(no_interval_is_much_better),
      cmocka_unit_test(items_add_up_and_failures_never_help),
      cmocka_unit_test(parts_are_what_they_are_called),
      cmocka_unit_test(what_is_not_said_costs_nothing),
      cmocka_unit_test(the_cluster_says_what_the_call_does_not),
      cmocka_unit_test(llama_3_405b),
      cmocka_unit_test(opt_175b),
      cmocka_unit_test(bloom_176b),
      cmocka_unit_test(rates_of_gpus_add_up),
      cmocka_unit_test(values_out_of_range_are_refused),
      cmocka_unit_test(a_job_that_does_not_get_ahead_is_refused),
      cmocka_unit_test(extremes_are_numbers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

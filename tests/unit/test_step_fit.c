/* Calibration: what a step becomes as a sample, factors that are found again, refusals; the factor of messages. */
#include "collective_check.h"

#include <math.h>

enum { FACTORS = 5, MANY = 400 };

static dtc_step_params resolved_params(void)
{
  dtc_step_params p;
  DTC_INIT(&p);
  p.software = 3;
  p.fp32 = 5e13;
  p.bf16 = 6e14;
  p.fp8 = 1.2e15; /* fp4 is 0: the GPU has none */
  p.hbm = 2e12;
  p.attention = 1.3;
  p.communication = 1.25;
  p.host = .8;
  return p;
}

static dtc_step_fitted fit(const dtc_step_sample *samples, size_t n, dtc_step_params *out)
{
  dtc_error e;
  dtc_step_fitted f;
  dtc_step_params p = resolved_params();
  DTC_INIT(&e);
  DTC_INIT(&f);
  DTC_INIT(out);
  check_ok(dtc_step_fit(samples, n, &p, out, &f, &e), &e);
  assert_int_equal(f.steps, n);
  return f;
}

static void check_about(double got, double expected, double off)
{
  if (!(got >= expected - off && got <= expected + off))
    fail_msg("got %.9g, expected %.9g within %g", got, expected, off);
}

/* ---- samples --------------------------------------------------------------------------------- */

static void a_step_is_grouped(void **state)
{
  (void)state;
  dtc_step s;
  dtc_step_sample sample;
  dtc_error e;
  DTC_INIT(&s);
  DTC_INIT(&e);
  s.dense = 1;
  s.experts = 2;
  s.head = 4;
  s.recompute = 8;
  s.attention = 16;
  s.elementwise = 32;
  s.optimizer = 64;
  s.offload = 128;
  s.tp = 256;
  s.cp = 512;
  s.ep = 1024;
  s.pp = 2048;
  s.weights = 4096;
  s.gradients = 8192;
  s.launch = 16384;
  s.bubble = 32767;
  s.stragglers = 65534;
  s.seconds = 5; /* not looked at */
  check_ok(dtc_step_measure(&s, 7, &sample, &e), &e);
  check_near(sample.products, 15);
  check_near(sample.attention, 16);
  check_near(sample.memory, 224);
  check_near(sample.communication, 16128);
  check_near(sample.host, 16384);
  check_near(sample.share, 3);
  check_near(sample.measured, 7);
  memset((unsigned char *)&s + 8, 0, sizeof s - 8); /* an empty step */
  check_ok(dtc_step_measure(&s, 1e-9, &sample, &e), &e);
  assert_true(sample.share <= 0 && sample.products <= 0);
}

static void a_step_without_sense_is_refused(void **state)
{
  (void)state;
  static const struct {
    uint32_t place;
    uint32_t field;
    double value;
  } wrong[] = {
      {DTC_FIELD(step, recompute), DTC_FIELD(step, dense), -1},
      {DTC_FIELD(step, head), DTC_FIELD(step, dense), 1.1e9},
      {DTC_FIELD(step, attention), DTC_FIELD(step, attention), -1},
      {DTC_FIELD(step, optimizer), DTC_FIELD(step, elementwise), 1.1e9},
      {DTC_FIELD(step, gradients), DTC_FIELD(step, tp), -1},
      {DTC_FIELD(step, launch), DTC_FIELD(step, launch), 1.1e9},
      {DTC_FIELD(step, stragglers), DTC_FIELD(step, bubble), -1},
      {DTC_FIELD(step, pp), DTC_FIELD(step, pp), (double)NAN},
  };
  for (size_t i = 0; i <= sizeof wrong / sizeof wrong[0]; i++) {
    int ends = i == sizeof wrong / sizeof wrong[0];
    dtc_step s;
    dtc_error e;
    dtc_step_sample sample;
    DTC_INIT(&s);
    DTC_INIT(&e);
    memset(&sample, 0x5a, sizeof sample);
    dtc_step_sample before = sample;
    if (!ends)
      memcpy((unsigned char *)&s + (wrong[i].place & 0xffff), &wrong[i].value, sizeof(double));
    assert_int_equal(dtc_step_measure(&s, ends ? 0 : 1, &sample, &e), DTC_E_RANGE);
    assert_int_equal(e.field, ends ? (uint32_t)DTC_ARG_SECONDS : wrong[i].field);
    assert_memory_equal(&sample, &before, sizeof sample);
  }
}

/* ---- factors --------------------------------------------------------------------------------- */

/* Steps of all kinds, which take what the factors say, off by up to `noise`. */
static void make_samples(dtc_step_sample *samples, size_t n, const double factor[FACTORS], double noise, uint64_t seed)
{
  for (size_t i = 0; i < n; i++) {
    double part[FACTORS];
    double sum = 0;
    double size = 1e-2 * (double)(1 + check_random(&seed, 1000));
    for (int k = 0; k < FACTORS; k++) {
      part[k] = size * (double)(check_random(&seed, 3) == 0 ? check_random(&seed, 1000) : check_random(&seed, 100));
      sum += part[k] * factor[k];
    }
    part[0] += size * 100;
    sum += size * 100 * factor[0];
    double share = (double)check_random(&seed, 50) / 100;
    double off = 1 + noise * ((double)check_random(&seed, 2001) / 1000 - 1);
    samples[i] = (dtc_step_sample){part[0], part[1], part[2], part[3], part[4], share, sum * (1 + share) * off};
  }
}

static void known_factors_are_found(void **state)
{
  (void)state;
  static const double factors[][FACTORS] = {
      {1, 1, 1, 1, 1}, {1.1, .9, 1.2, 1.5, .7}, {.8, 1.3, 1, 2, 1.4}, {1.5, 1.5, 1.5, 1.5, 1.5}, {.6, 1, 1, .5, 3}};
  for (size_t i = 0; i < sizeof factors / sizeof factors[0]; i++) {
    dtc_step_sample samples[MANY];
    dtc_step_params out;
    const double *f = factors[i];
    make_samples(samples, MANY, f, 0, 17 + i);
    dtc_step_fitted found = fit(samples, MANY, &out);
    const double got[FACTORS] = {found.products, found.attention, found.memory, found.communication, found.host};
    for (int k = 0; k < FACTORS; k++)
      check_about(got[k], f[k], i == 0 ? 1e-9 : .03 + .18 * fabs(f[k] - 1)); /* being held to 1 costs a fifth at most */
    assert_true(found.after <= .2 * found.before + 1e-12);
    check_near(out.bf16, 6e14 / found.products);
    check_near(out.fp32, 5e13 / found.products);
    check_near(out.fp8, 1.2e15 / found.products);
    check_near(out.hbm, 2e12 / found.memory);
    check_near(out.attention, 1.3 * found.attention);
    check_near(out.communication, 1.25 * found.communication);
    check_near(out.host, .8 * found.host);
    assert_true(out.fp4 <= 0 && out.software == 3);
  }
}

/* What holds them weighs less and less. */
static void more_steps_find_them_better(void **state)
{
  (void)state;
  static const double f[FACTORS] = {.8, 1.3, 1.1, 2, 1.4};
  static dtc_step_sample samples[20 * MANY];
  dtc_step_params out;
  make_samples(samples, 20 * MANY, f, .1, 21);
  dtc_step_fitted found = fit(samples, 20 * MANY, &out);
  check_about(found.products, .8, .03);
  check_about(found.attention, 1.3, .03);
  check_about(found.memory, 1.1, .02);
  check_about(found.communication, 2, .03);
  check_about(found.host, 1.4, .02);
}

/* What is minimised, from its definition. */
static double cost_of(const dtc_step_sample *samples, size_t n, const double x[FACTORS])
{
  double cost = 0;
  for (size_t i = 0; i < n; i++) {
    const dtc_step_sample *s = &samples[i];
    const double part[FACTORS] = {s->products, s->attention, s->memory, s->communication, s->host};
    double sum = 0;
    for (int k = 0; k < FACTORS; k++)
      sum += x[k] * part[k];
    cost += fabs(sum * (1 + s->share) / s->measured - 1);
  }
  for (int k = 0; k < FACTORS; k++)
    cost += 5 * (x[k] - 1) * (x[k] - 1);
  return cost;
}

/* No factor moved by a fiftieth makes it less than by a hundredth. */
static void the_sum_is_least(void **state)
{
  (void)state;
  for (uint64_t round = 0; round < 40; round++) {
    static const double factor[FACTORS] = {1.3, .6, .9, .8, 2.5};
    static const double as_they_are[FACTORS] = {1, 1, 1, 1, 1};
    dtc_step_sample samples[MANY];
    dtc_step_params out;
    size_t n = 1 + round * round % MANY;
    make_samples(samples, n, factor, .3, round);
    dtc_step_fitted f = fit(samples, n, &out);
    const double got[FACTORS] = {f.products, f.attention, f.memory, f.communication, f.host};
    double cost = cost_of(samples, n, got);
    assert_true(cost <= cost_of(samples, n, as_they_are) + 1e-9);
    for (int k = 0; k < FACTORS; k++)
      for (int up = 0; up < 2; up++) {
        double moved[FACTORS];
        memcpy(moved, got, sizeof moved);
        moved[k] *= up ? 1.02 : 1 / 1.02;
        if (moved[k] >= .05)
          assert_true(cost <= 1.01 * cost_of(samples, n, moved));
      }
  }
}

/* One step that takes a tenth more moves a factor by less than that; forty move it by nearly all of it. */
static void few_steps_move_little(void **state)
{
  (void)state;
  dtc_step_sample samples[40];
  dtc_step_params out;
  for (int i = 0; i < 40; i++)
    samples[i] = (dtc_step_sample){1, 0, 0, 0, 0, 0, 1.1};
  dtc_step_fitted one = fit(samples, 1, &out);
  check_about(one.products, 1 + 1 / 1.1 / 10, 2e-3); /* of 1 - x / 1.1 + 5 (x - 1)^2 */

  check_near(one.attention, 1);
  check_near(one.host, 1);
  check_near(one.before, 1 - 1 / 1.1);
  check_near(one.after, 1 - one.products / 1.1);
  dtc_step_fitted all = fit(samples, 40, &out);
  assert_true(all.products > 1.095 && all.products < 1.1);
}

static void factors_stay_above_a_twentieth(void **state)
{
  (void)state;
  dtc_step_sample samples[MANY];
  dtc_step_params out;
  for (int i = 0; i < MANY; i++) /* messages take no time at all */
    samples[i] = (dtc_step_sample){1, 0, 0, 1 + i, 0, 0, 1};
  dtc_step_fitted f = fit(samples, MANY, &out);
  check_near(f.communication, .05);
  check_near(out.communication, 1.25 * .05);
  for (int i = 0; i < MANY; i++) /* nothing does */
    samples[i] = (dtc_step_sample){1e9, 1e9, 1e9, 1e9, 1e9, 1e9, 1e-9};
  f = fit(samples, MANY, &out);
  check_near(f.products, .05);
  check_near(f.host, .05);
  for (int i = 0; i < MANY; i++) /* an estimate of nothing says nothing */
    samples[i] = (dtc_step_sample){0, 0, 0, 0, 0, 0, 1};
  f = fit(samples, MANY, &out);
  check_near(f.products, 1);
  check_near(f.after, 1);
}

static void the_order_does_not_matter(void **state)
{
  (void)state;
  static const double factor[FACTORS] = {1.1, .9, 1.2, 1.5, .7};
  dtc_step_sample samples[MANY];
  dtc_step_params out[2];
  uint64_t seed = 5;
  make_samples(samples, MANY, factor, .2, 3);
  dtc_step_fitted before = fit(samples, MANY, &out[0]);
  for (size_t i = MANY; i-- > 1;) {
    size_t k = check_random(&seed, i + 1);
    dtc_step_sample swap = samples[i];
    samples[i] = samples[k];
    samples[k] = swap;
  }
  dtc_step_fitted after = fit(samples, MANY, &out[1]);
  check_near(after.products, before.products);
  check_near(after.attention, before.attention);
  check_near(after.memory, before.memory);
  check_near(after.communication, before.communication);
  check_near(after.host, before.host);
  check_near(after.after, before.after);
}

static void a_second_fit_starts_where_the_first_ended(void **state)
{
  (void)state;
  static const double factor[FACTORS] = {1.2, .9, 1.1, 1.5, 1};
  dtc_step_sample samples[MANY];
  dtc_step_params out;
  make_samples(samples, MANY, factor, 0, 3);
  dtc_step_fitted f = fit(samples, MANY, &out);
  for (int i = 0; i < MANY; i++) {
    samples[i].products *= f.products;
    samples[i].attention *= f.attention;
    samples[i].memory *= f.memory;
    samples[i].communication *= f.communication;
    samples[i].host *= f.host;
  }
  dtc_step_fitted again = fit(samples, MANY, &out);
  check_about(again.before, f.after, 1e-12);
  assert_true(again.after < f.after / 2);
}

/* ---- refusals of a fit ----------------------------------------------------------------------- */

static void refuse(const dtc_step_sample *samples, size_t n, const dtc_step_params *params, uint32_t field)
{
  dtc_error e;
  dtc_step_params out;
  dtc_step_fitted f;
  DTC_INIT(&e);
  memset(&out, 0x5a, sizeof out);
  memset(&f, 0x5a, sizeof f);
  out.struct_size = sizeof out;
  f.struct_size = sizeof f;
  dtc_step_params params_before = out;
  dtc_step_fitted before = f;
  assert_int_equal(dtc_step_fit(samples, n, params, &out, &f, &e), DTC_E_RANGE);
  assert_int_equal(e.field, field);
  assert_memory_equal(&out, &params_before, sizeof out);
  assert_memory_equal(&f, &before, sizeof f);
}

static dtc_rule rule_of(const dtc_step_sample *sample, const dtc_step_params *params)
{
  dtc_error e;
  dtc_step_params out;
  dtc_step_fitted f;
  DTC_INIT(&e);
  DTC_INIT(&out);
  DTC_INIT(&f);
  assert_int_equal(dtc_step_fit(sample, 1, params, &out, &f, &e), DTC_E_RANGE);
  return e.rule;
}

static void what_does_not_fit_is_refused(void **state)
{
  (void)state;
  static dtc_step_sample many[65537];
  dtc_step_sample s = {1, 1, 1, 1, 1, 0, 5};
  dtc_step_params p = resolved_params();
  refuse(&s, 0, &p, DTC_ARG_SAMPLES);
  for (size_t i = 0; i < 65537; i++)
    many[i] = s;
  refuse(many, 65537, &p, DTC_ARG_SAMPLES);
  many[65535].measured = 0;
  refuse(many, 65536, &p, DTC_FIELD(step_sample, measured));
  s.share = -.1;
  refuse(&s, 1, &p, DTC_FIELD(step_sample, share));
  s.share = 0;
  s.memory = (double)NAN;
  refuse(&s, 1, &p, DTC_FIELD(step_sample, memory));
  s.memory = 1;
  p.host = 0;
  refuse(&s, 1, &p, DTC_FIELD(step_params, host));
  assert_int_equal(rule_of(&s, &p), DTC_RULE_STEP_RESOLVED);
  p.host = 1001;
  refuse(&s, 1, &p, DTC_FIELD(step_params, host));
  p = resolved_params();
  p.communication = 0;
  refuse(&s, 1, &p, DTC_FIELD(step_params, communication));
  p = resolved_params();
  p.bf16 = 9e17; /* and would be more than any rate */
  s = (dtc_step_sample){4, 0, 0, 0, 0, 0, 1};
  refuse(&s, 1, &p, DTC_FIELD(step_params, bf16));
}

/* ---- messages -------------------------------------------------------------------------------- */

static double communication(const dtc_cluster *c, const dtc_collective_call *call, const dtc_timing *points, size_t n)
{
  dtc_error e;
  dtc_step_params p;
  dtc_step_params out;
  DTC_INIT(&e);
  DTC_INIT(&p);
  DTC_INIT(&out);
  p.bf16 = 5;
  check_ok(dtc_step_fit_collective(c, call, points, n, &p, &out, &e), &e);
  check_near(out.bf16, 5);
  return out.communication;
}

/* Points that take some factor of the estimate. */
static dtc_timing point(const dtc_cluster *c, const dtc_collective_call *call, uint64_t bytes, double factor)
{
  dtc_collective_call sized = *call;
  sized.bytes = bytes;
  return (dtc_timing){bytes, check_time(c, &sized).seconds * factor};
}

static void the_median_is_taken(void **state)
{
  (void)state;
  dtc_cluster c = check_cluster_named("dgx-h100");
  dtc_collective_call call = check_call(DTC_COLLECTIVE_ALL_REDUCE, 0, 16);
  dtc_timing points[6] = {
      point(&c, &call, MIB, 1.5),      point(&c, &call, 1024, 40),      point(&c, &call, 64 * MIB, 1.2),
      point(&c, &call, MIB - 1, .001), point(&c, &call, 16 * MIB, 1.3), {GIB, 0},
  };
  check_near(communication(&c, &call, points, 6), 1.3);
  points[5] = point(&c, &call, GIB, 1.1); /* and of four the middle between two */
  check_near(communication(&c, &call, points, 6), 1.25);
  points[2] = points[4]; /* equal ones */
  check_near(communication(&c, &call, points, 6), 1.3);
  check_near(communication(&c, &call, points, 1), 1.5);
}

static void the_median_of_many(void **state)
{
  (void)state;
  dtc_cluster c = check_cluster_named("dgx-a100");
  dtc_collective_call call = check_call(DTC_COLLECTIVE_REDUCE_SCATTER, 0, 8);
  dtc_timing points[101];
  uint64_t seed = 9;
  for (uint64_t i = 0; i < 101; i++)
    points[i] = point(&c, &call, MIB << check_random(&seed, 12), .5 + (double)(i * 37 % 101) / 100);
  check_near(communication(&c, &call, points, 101), 1);
}

static void refuse_points(const dtc_collective_call *call, const dtc_timing *points, size_t n, dtc_status status,
                          dtc_rule rule)
{
  dtc_cluster c = check_cluster_named("dgx-h100");
  dtc_error e;
  dtc_step_params p;
  dtc_step_params out;
  DTC_INIT(&e);
  DTC_INIT(&p);
  memset(&out, 0x5a, sizeof out);
  out.struct_size = sizeof out;
  dtc_step_params before = out;
  assert_int_equal(dtc_step_fit_collective(&c, call, points, n, &p, &out, &e), status);
  assert_int_equal(e.rule, rule);
  assert_memory_equal(&out, &before, sizeof out);
  char line[256];
  dtc_error_format(&e, DTC_LANG_EN, line, sizeof line);
  if (rule == DTC_RULE_STEP_POINTS)
    assert_string_equal(line, "points: none of the 1 has a time and 1048576 bytes or more");
}

static void measurements_without_sense_are_refused(void **state)
{
  (void)state;
  dtc_collective_call call = check_call(DTC_COLLECTIVE_ALL_REDUCE, 0, 16);
  dtc_timing small = {MIB - 1, 1e-3};
  dtc_timing untimed = {GIB, 0};
  dtc_timing negative = {GIB, -1};
  dtc_timing slow = {MIB, 1e6};
  dtc_timing good = {GIB, 1e-2};
  refuse_points(&call, &small, 1, DTC_E_CONFLICT, DTC_RULE_STEP_POINTS);
  refuse_points(&call, &untimed, 1, DTC_E_CONFLICT, DTC_RULE_STEP_POINTS);
  refuse_points(&call, &negative, 1, DTC_E_RANGE, DTC_RULE_RANGE);
  refuse_points(&call, &slow, 1, DTC_E_RANGE, DTC_RULE_RANGE); /* a factor beyond 1000 */
  refuse_points(&call, &good, 0, DTC_E_RANGE, DTC_RULE_RANGE);
  call.ranks = 1;
  refuse_points(&call, &good, 1, DTC_E_CONFLICT, DTC_RULE_COLLECTIVE_PEAK);
  call = check_call(DTC_COLLECTIVE_BARRIER, 0, 16);
  refuse_points(&call, &good, 1, DTC_E_CONFLICT, DTC_RULE_COLLECTIVE_PEAK);
  call = check_call(DTC_COLLECTIVE_NONE, 0, 16);
  refuse_points(&call, &good, 1, DTC_E_RANGE, DTC_RULE_COLLECTIVE_OP);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_step_is_grouped),
      cmocka_unit_test(a_step_without_sense_is_refused),
      cmocka_unit_test(known_factors_are_found),
      cmocka_unit_test(more_steps_find_them_better),
      cmocka_unit_test(the_sum_is_least),
      cmocka_unit_test(few_steps_move_little),
      cmocka_unit_test(factors_stay_above_a_twentieth),
      cmocka_unit_test(the_order_does_not_matter),
      cmocka_unit_test(a_second_fit_starts_where_the_first_ended),
      cmocka_unit_test(what_does_not_fit_is_refused),
      cmocka_unit_test(the_median_is_taken),
      cmocka_unit_test(the_median_of_many),
      cmocka_unit_test(measurements_without_sense_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

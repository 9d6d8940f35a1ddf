/* Sizes for a share of the best rate, laws, and the output of nccl-tests. */
#include "collective_check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- sizes ----------------------------------------------------------------------------------- */

static void a_size_reaches_its_share(void **state)
{
  (void)state;
  static const char *const names[] = {"dgx-h100", "dgx-a100", "aws-p5", "gcp-a3-high", "gb200-nvl72"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    for (uint64_t ranks = 2; ranks <= 256; ranks *= 4) {
      dtc_cluster c = check_cluster_named(names[i]);
      dtc_collective_call call = check_call(DTC_COLLECTIVE_ALL_GATHER, 0, ranks);
      uint64_t bytes = 0;
      assert_int_equal(dtc_collective_size(&c, &call, 0.8, &bytes, NULL), DTC_OK);
      call.bytes = (uint64_t)1 << 44;
      double best = check_time(&c, &call).busbw;
      call.bytes = bytes;
      check_within(check_time(&c, &call).busbw / best, 0.8, 0.01);
      call.bytes = bytes - bytes / 100;
      assert_true(check_time(&c, &call).busbw < 0.8 * best);
    }
}

/* AWS p5 reaches 74 % of its best at 64 MiB and 82 % at 128 MiB. */
static void the_size_for_h100_is_as_measured(void **state)
{
  (void)state;
  dtc_cluster c = check_cluster_named("aws-p5");
  dtc_collective_call call = check_call(DTC_COLLECTIVE_ALL_REDUCE, 0, 8);
  uint64_t bytes = 0;
  assert_int_equal(dtc_collective_size(&c, &call, 0.8, &bytes, NULL), DTC_OK);
  assert_true(bytes > 80 * MIB && bytes < 160 * MIB);
}

static void sizes_without_sense_are_refused(void **state)
{
  (void)state;
  dtc_cluster c = check_cluster_named("dgx-h100");
  dtc_collective_call call = check_call(DTC_COLLECTIVE_ALL_REDUCE, 0, 8);
  uint64_t bytes = 7;
  static const double fractions[] = {0, 1, -1, 2};
  for (size_t i = 0; i < 4; i++)
    assert_int_equal(dtc_collective_size(&c, &call, fractions[i], &bytes, NULL), DTC_E_RANGE);
  assert_int_equal(dtc_collective_size(&c, &call, (double)NAN, &bytes, NULL), DTC_E_RANGE);
  call.op = DTC_COLLECTIVE_BARRIER;
  assert_int_equal(dtc_collective_size(&c, &call, 0.5, &bytes, NULL), DTC_E_CONFLICT);
  call = check_call(DTC_COLLECTIVE_ALL_REDUCE, 0, 1);
  assert_int_equal(dtc_collective_size(&c, &call, 0.5, &bytes, NULL), DTC_E_CONFLICT);
  assert_int_equal(bytes, 7);
}

/* ---- laws ------------------------------------------------------------------------------------ */

static dtc_collective_law law_of(double latency, double bandwidth, double shape)
{
  dtc_collective_law law;
  DTC_INIT(&law);
  law.latency = latency;
  law.bandwidth = bandwidth;
  law.shape = shape;
  return law;
}

static double at(const dtc_collective_law *law, uint64_t bytes)
{
  dtc_error e;
  double seconds = 0;
  DTC_INIT(&e);
  check_ok(dtc_collective_law_time(law, bytes, 8, DTC_COLLECTIVE_ALL_REDUCE, &seconds, &e), &e);
  return seconds;
}

static dtc_collective_law fitted(const dtc_timing *points, size_t n)
{
  dtc_error e;
  dtc_collective_law law;
  DTC_INIT(&e);
  DTC_INIT(&law);
  check_ok(dtc_collective_fit(points, n, 8, DTC_COLLECTIVE_ALL_REDUCE, &law, &e), &e);
  return law;
}

static void a_law_is_found_again(void **state)
{
  (void)state;
  static const double shapes[] = {0, 0.6, 2};
  for (size_t i = 0; i < 3; i++) {
    dtc_collective_law law = law_of(15e-6, 484e9, shapes[i]);
    dtc_timing points[24];
    for (size_t p = 0; p < 24; p++) {
      points[p].bytes = (uint64_t)1024 << p;
      points[p].seconds = at(&law, points[p].bytes);
    }
    dtc_collective_law got = fitted(points, 24);
    check_within(got.latency, law.latency, 1e-6);
    check_within(got.bandwidth, law.bandwidth, 1e-6);
    assert_true(fabs(got.shape - law.shape) < 1e-6);
    assert_true(got.error < 1e-6 && got.worst < 1e-6 && got.points == 24);
  }
  dtc_collective_law alpha_beta = law_of(1e-5, 1e11, 0);
  check_near(at(&alpha_beta, 800000), 1e-5 + 1.75 * 800000 / 1e11);
}

/* A published curve, H100 of AWS p5 on one node: every other size predicts the rest. */
static void half_of_a_curve_predicts_the_other(void **state)
{
  (void)state;
  dtc_cluster c = check_cluster_named("aws-p5");
  dtc_timing points[20], half[10];
  for (size_t i = 0; i < 20; i++) {
    points[i].bytes = (uint64_t)1 << (12 + i);
    points[i].seconds = check_us(&c, DTC_COLLECTIVE_ALL_REDUCE, points[i].bytes, 8) / 1e6;
    if (i % 2 == 0)
      half[i / 2] = points[i];
  }
  dtc_collective_law law = fitted(half, 10);
  double sum = 0;
  for (size_t i = 1; i < 20; i += 2)
    sum += fabs(at(&law, points[i].bytes) / points[i].seconds - 1) / 10;
  assert_true(sum <= law.error * 1.2);
  assert_true(law.worst < 0.4);
}

static void points_without_time_are_left_out(void **state)
{
  (void)state;
  dtc_timing points[] = {{1 << 10, 1e-5}, {1 << 20, 0}, {1 << 22, 3e-5}, {1 << 25, 1e-4}};
  assert_int_equal(fitted(points, 4).points, 3);
}

static void bad_points_are_refused(void **state)
{
  (void)state;
  dtc_collective_law law;
  DTC_INIT(&law);
  dtc_timing same[] = {{8, 1}, {8, 2}, {16, 1}};
  dtc_timing negative[] = {{8, -1}, {16, 2}, {32, 1}};
  dtc_timing falling[] = {{8, 100}, {16000, 1e-3}, {32000000, 1e-6}};
  dtc_timing tiny[] = {{8, 5e-324}, {16, 5e-324}, {32, 5e-324}};
  dtc_collective op = DTC_COLLECTIVE_ALL_REDUCE;
  assert_int_equal(dtc_collective_fit(same, 3, 8, op, &law, NULL), DTC_E_CONFLICT);
  assert_int_equal(dtc_collective_fit(negative, 3, 8, op, &law, NULL), DTC_E_RANGE);
  assert_int_equal(dtc_collective_fit(falling, 3, 8, op, &law, NULL), DTC_E_CONFLICT);
  assert_int_equal(dtc_collective_fit(tiny, 3, 8, op, &law, NULL), DTC_E_CONFLICT);
  assert_int_equal(dtc_collective_fit(same, 2, 8, op, &law, NULL), DTC_E_RANGE);
  assert_int_equal(dtc_collective_fit(NULL, 3, 8, op, &law, NULL), DTC_E_RANGE);
  assert_int_equal(dtc_collective_fit(same, 3, 1, op, &law, NULL), DTC_E_RANGE);
  assert_int_equal(dtc_collective_fit(falling, 3, 8, DTC_COLLECTIVE_BARRIER, &law, NULL), DTC_E_CONFLICT);
  assert_true(law.latency == 0);
  double seconds = 7;
  law = law_of(1, 0, 1);
  assert_int_equal(dtc_collective_law_time(&law, 1, 8, op, &seconds, NULL), DTC_E_RANGE);
  assert_true(seconds == 7);
}

/* ---- nccl-tests ------------------------------------------------------------------------------ */

static size_t read_text(const char *text, dtc_timing *out, size_t cap)
{
  dtc_error e;
  size_t count = 0;
  DTC_INIT(&e);
  check_ok(dtc_collective_read(text, strlen(text), out, cap, &count, &e), &e);
  return count;
}

static void tables_are_read(void **state)
{
  (void)state;
  dtc_timing p[8];
  const char *text = "# nThread 1 nGpus 8 minBytes 8 maxBytes 8589934592\n"
                     "#       size         count      type   redop    root     time   algbw   busbw #wrong\n"
                     "           8             2     float     sum      -1    34.61    0.00    0.00      0    34.16"
                     "    0.00    0.00      0\n"
                     "1,0: 268435456  67108864  float  sum  -1  1121  239.46  419.06  0  1121.5  239.4  418.9  0\r\n"
                     "  536870912   8388608   float   none   2.1e+03   255.3  223.4   N/A   2098  255.9  223.9  0\n"
                     "  0  0  float  sum  -1  0.2  0 0 0 0.2 0 0 0\n"
                     "# Avg bus bandwidth    : 41.2\n";
  assert_int_equal(read_text(text, p, 8), 3);
  assert_int_equal(p[0].bytes, 8);
  check_near(p[0].seconds, 34.61e-6);
  assert_int_equal(p[1].bytes, 268435456);
  check_near(p[1].seconds, 1121e-6);
  assert_int_equal(p[2].bytes, 536870912); /* a table without roots */
  check_near(p[2].seconds, 2100e-6);
}

/* As C prints numbers: with and without an exponent, of either sign; of the times the first is taken. */
static void times_have_exponents(void **state)
{
  (void)state;
  static const struct {
    const char *time;
    double us; /* 0: not a number */
  } rows[] = {{"1.5e+03", 1500}, {"1.5E3", 1500}, {"2e-2", .02}, {"12.", 12},      {".5", .5}, {"1e", 0},  {"1e+", 0},
              {"1e-", 0},        {"1e+x", 0},     {"1e100", 0},  {"1.5e+03us", 0}, {"e5", 0},  {"1e13", 0}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    dtc_timing p;
    size_t count = 0;
    char text[96];
    snprintf(text, sizeof text, "8 2 float sum -1 %s 1 1 0 7 1 1 0", rows[i].time);
    dtc_status s = dtc_collective_read(text, strlen(text), &p, 1, &count, NULL);
    if (rows[i].us == 0) {
      assert_int_equal(s, DTC_E_PARSE);
      continue;
    }
    assert_int_equal(s, DTC_OK);
    check_near(p.seconds, rows[i].us * 1e-6);
  }
}

static void a_short_array_tells_how_many(void **state)
{
  (void)state;
  dtc_timing p[1];
  size_t count = 0;
  const char *text = "8 2 float 1.5 0 0 0 1.5 0 0 0\n16 4 float 1.5 0 0 0 1.5 0 0 0";
  assert_int_equal(dtc_collective_read(text, strlen(text), p, 1, &count, NULL), DTC_E_SPACE);
  assert_int_equal(count, 2);
  assert_int_equal(p[0].bytes, 8);
}

static void other_texts_hold_no_point(void **state)
{
  (void)state;
  static const char *const texts[] = {"",
                                      "\n\n",
                                      "hello",
                                      "8 2 float",
                                      "8 2 float sum -1 nan 1 1 1 1 1 1 1",
                                      "8 2 float sum -1 1e999 1 1 0 1 1 1 0",
                                      "8 2 9 0 -1 1 1 1 0 1 1 1 0",
                                      "99999999999999999999 2 float sum -1 1 1 1 0 1 1 1 0",
                                      "8 2 float sum -1 -5 1 1 0 1 1 1 0",
                                      "8 2 float 1.2.3 1 1 0 1 1 1 0",
                                      "a b c d e f g h i j k l m n o p q r s t u v w x y z 8 2 float 1 1 1 0"};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    dtc_timing p;
    size_t count = 7;
    assert_int_equal(dtc_collective_read(texts[i], strlen(texts[i]), &p, 1, &count, NULL), DTC_E_PARSE);
    assert_int_equal(count, 7);
  }
  dtc_timing p;
  size_t count = 7;
  dtc_error e;
  DTC_INIT(&e);
  assert_int_equal(dtc_collective_read(NULL, 9, &p, 1, &count, &e), DTC_E_RANGE);
  assert_true(e.field == DTC_ARG_TEXT && e.got == 9 && e.max == 0 && count == 7);
}

/* Any bytes: a table with holes and strange ones in it, in a buffer of just its size. */
static void hostile_texts_are_survived(void **state)
{
  (void)state;
  static const char table[] = " 1024 256 float sum -1 15.42 0.07 0.12 0 15.31 0.07 0.12 0\n";
  uint64_t seed = 11;
  for (int round = 0; round < 20000; round++) {
    size_t len = check_random(&seed, sizeof table);
    char *text = malloc(len + 1);
    dtc_timing p[2];
    size_t count = 0;
    memcpy(text, table, len);
    for (uint64_t holes = check_random(&seed, 4); holes > 0 && len > 0; holes--)
      text[check_random(&seed, len)] = (char)check_random(&seed, 256);
    dtc_status s = dtc_collective_read(text, len, p, 2, &count, NULL);
    assert_true(s == DTC_OK || s == DTC_E_PARSE);
    free(text);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_size_reaches_its_share),
      cmocka_unit_test(the_size_for_h100_is_as_measured),
      cmocka_unit_test(sizes_without_sense_are_refused),
      cmocka_unit_test(a_law_is_found_again),
      cmocka_unit_test(half_of_a_curve_predicts_the_other),
      cmocka_unit_test(points_without_time_are_left_out),
      cmocka_unit_test(bad_points_are_refused),
      cmocka_unit_test(tables_are_read),
      cmocka_unit_test(a_short_array_tells_how_many),
      cmocka_unit_test(times_have_exponents),
      cmocka_unit_test(other_texts_hold_no_point),
      cmocka_unit_test(hostile_texts_are_survived),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

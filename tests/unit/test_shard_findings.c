/* Findings about layouts: each with numbers worked out by hand, at the edge where it is no longer given, and of models whose
 * numbers are known from the frameworks' own code. */
#include "check.h"

#include <stdlib.h>

enum { TENSORS = 12, FINDINGS = 8 };

#define SCHEME(x) DTC_SHARD_SCHEME_##x

typedef struct job {
  dtc_shards s;
  const dtc_tracing *tracing;
  dtc_shape shapes[TENSORS];
  dtc_slot slots[TENSORS];
  size_t n;
} job;

static job job_of(dtc_shard_scheme scheme, uint64_t world)
{
  job j = {.n = 0};
  DTC_INIT(&j.s);
  j.s.scheme = scheme;
  j.s.world = world;
  return j;
}

static void add(job *j, uint64_t rows, uint64_t cols)
{
  j->shapes[j->n++] = (dtc_shape){.rows = rows, .cols = cols};
}

static uint64_t *scratch_of(const dtc_shards *s, size_t n, uint64_t *needed)
{
  check_ok(dtc_shards_scratch(s, n, needed, NULL), NULL);
  return malloc(sizeof(uint64_t) * (*needed + 1));
}

static size_t check_all(const job *j, const dtc_shape *shapes, dtc_slot *slots, size_t n, dtc_error *f)
{
  uint64_t needed = 0;
  size_t count = 0;
  uint64_t *scratch = scratch_of(&j->s, n, &needed);
  dtc_error e;
  DTC_INIT(&e);
  check_ok(dtc_shards_layout(&j->s, shapes, n, slots, n, &count, scratch, needed, &e), &e);
  DTC_INIT(&f[0]);
  check_ok(dtc_shards_check(&j->s, shapes, n, slots, n, j->tracing, f, FINDINGS, &count, scratch, needed, &e), &e);
  free(scratch);
  for (size_t i = 0; i < count; i++) {
    char line[256];
    assert_int_equal(f[i].struct_size, sizeof f[i]);
    assert_int_equal(f[i].severity, DTC_SEVERITY_WARNING);
    assert_int_equal(f[i].status, DTC_E_CONFLICT);
    assert_true(i == 0 || f[i - 1].rule < f[i].rule);
    assert_in_range(dtc_error_format(&f[i], DTC_LANG_EN, line, sizeof line), 20, sizeof line - 1);
  }
  return count;
}

/* The finding of a rule, which is there as often as `times`. */
static dtc_error found(job *j, dtc_rule rule, size_t times)
{
  dtc_error f[FINDINGS];
  dtc_error it = {0};
  size_t n = check_all(j, j->shapes, j->slots, j->n, f);
  size_t seen = 0;
  for (size_t i = 0; i < n; i++) {
    seen += f[i].rule == rule;
    it = f[i].rule == rule ? f[i] : it;
  }
  assert_int_equal(seen, times);
  return it;
}

static void expect_none(job *j, dtc_rule rule)
{
  (void)found(j, rule, 0);
}

static dtc_error expect(job *j, dtc_rule rule, uint32_t field, uint64_t got, uint64_t min)
{
  dtc_error f = found(j, rule, 1);
  assert_int_equal(f.field, field);
  assert_int_equal(f.got, got);
  assert_int_equal(f.min, min);
  return f;
}

static void expect_other(const dtc_error *f, uint32_t other, uint64_t got)
{
  assert_int_equal(f->other, other);
  assert_int_equal(f->other_got, got);
}

static void expect_line(const dtc_error *f, const char *line)
{
  char buf[256];
  dtc_error_format(f, DTC_LANG_EN, buf, sizeof buf);
  assert_string_equal(buf, line);
}

/* ---- DeepSpeed and low-level ZeRO -------------------------------------------------------------------------------- */

static job of_105(dtc_shard_scheme scheme, uint64_t world)
{
  job j = job_of(scheme, world);
  add(&j, 10, 10);
  add(&j, 5, 1);
  return j;
}

/* A ring's all-reduce sends twice what its reduce-scatter sends. */
static void gradients_are_all_reduced(void **state)
{
  (void)state;
  const dtc_rule rule = DTC_RULE_SHARD_REDUCE;
  job j = of_105(SCHEME(ZERO12), 4);
  dtc_error f = expect(&j, rule, DTC_FIELD(shards, multi_rank), 210, 105);
  expect_line(&f, "multi_rank: gradients are all-reduced: a rank sends 210 elements, to their owners 105");
  j.s.multi_rank = DTC_BOOL_OFF;
  expect_none(&j, rule);
  j = of_105(SCHEME(ZERO12), 1);
  expect_none(&j, rule);
  j = of_105(SCHEME(BF16), 4); /* the vector is padded to 2 * 4: 112 */
  expect(&j, rule, DTC_FIELD(shards, scheme), 224, 112);
  j = of_105(SCHEME(ZERO3), 4);
  expect_none(&j, rule);
  j.s.reduce_scatter = DTC_BOOL_OFF;
  expect(&j, rule, DTC_FIELD(shards, reduce_scatter), 210, 105);
  j = of_105(SCHEME(LOW_LEVEL_ZERO), 4); /* each tensor is padded to 4: 100 + 8 */
  expect(&j, rule, DTC_FIELD(shards, stage), 216, 108);
  j.s.stage = 2;
  expect_none(&j, rule);
}

/* 1024 elements on 8 ranks: a part of 128. The last holds the end of tensor 0 and all of tensor 1. */
static void gradients_are_kept_as_whole_tensors(void **state)
{
  (void)state;
  const dtc_rule rule = DTC_RULE_SHARD_WHOLE;
  job j = job_of(SCHEME(ZERO12), 8);
  add(&j, 1000, 1);
  add(&j, 24, 1);
  dtc_error f = expect(&j, rule, DTC_FIELD(shards, world), 1024, 128);
  expect_other(&f, DTC_ARG_TENSOR, 0);
  expect_line(&f, "a rank keeps gradients of 1024 elements for its part of 128: whole tensors, the largest is 0");
  j.s.world = 2; /* 1024 are twice the part of 512, not more */
  expect_none(&j, rule);
  j = job_of(SCHEME(ZERO12), 4);
  for (int i = 0; i < 8; i++)
    add(&j, 16, 8);
  expect_none(&j, rule);
}

static void expect_peak(const job *j, const dtc_tracing *k, uint64_t peak)
{
  static const dtc_module calls[] = {{0, 1}, {1, 1}, {1, 1}, {0, 1}};
  uint64_t scratch[17 * TENSORS];
  dtc_trace t;
  DTC_INIT(&t);
  check_ok(dtc_shards_trace(&j->s, j->shapes, j->n, calls, 4, k, &t, scratch, 17 * TENSORS, NULL), NULL);
  assert_int_equal(t.peak_live, peak);
}

static void all_weights_are_live(void **state)
{
  (void)state;
  const dtc_rule rule = DTC_RULE_SHARD_LIVE;
  const uint32_t live = DTC_FIELD(tracing, max_live);
  dtc_tracing k;
  DTC_INIT(&k);
  job j = job_of(SCHEME(ZERO3), 2);
  add(&j, 1000, 1000);
  add(&j, 1000, 1000);
  dtc_error f = expect(&j, rule, live, 2000000, 1000000000);
  expect_line(&f,
              "all 2000000 elements may be whole at once, up to 1000000000 are: weights take no less than with ZeRO-2");
  expect_peak(&j, &k, 2000000);
  j.tracing = &k;
  k.max_live = 2000001;
  expect(&j, rule, live, 2000000, 2000001);
  k.max_live = DTC_NONE;
  expect(&j, rule, live, 2000000, 2000000);
  k.max_live = 2000000; /* what is used again soon stays nevertheless */
  expect(&j, rule, DTC_FIELD(tracing, max_reuse), 2000000, 500000000);
  k.prefetch = DTC_NONE;
  k.max_live = 0;
  k.max_reuse = 4000000;
  expect(&j, rule, DTC_FIELD(tracing, max_reuse), 2000000, 2000000);
  expect_peak(&j, &k, 2000000);
  k.max_reuse = 3999999;
  expect_none(&j, rule);
  k.max_reuse = DTC_NONE;
  expect_none(&j, rule);
  expect_peak(&j, &k, 1000000);
  DTC_INIT(&k);
  k.first_step = DTC_BOOL_ON;
  expect_none(&j, rule);
  k.first_step = DTC_BOOL_OFF;
  k.prefetch = DTC_NONE - 1;
  k.max_live = 1000000; /* the persistent tensor does not count, 1000001 elements do */
  k.max_reuse = DTC_NONE;
  j.n = 0;
  add(&j, 100000, 1);
  add(&j, 1000001, 1);
  expect_none(&j, rule);
  j.shapes[1].rows = 999999;
  expect(&j, rule, live, 1099999, 1000000);
  j.s.scheme = SCHEME(MICS);
  expect(&j, rule, live, 1099999, 1000000);
  j.s.world = 1;
  expect_none(&j, rule);
  j = job_of(SCHEME(ZERO3), 2);
  add(&j, 0, 1);
  expect_none(&j, rule);
}

static void step_gathers_grow_with_the_world(void **state)
{
  (void)state;
  job j = job_of(SCHEME(LOW_LEVEL_ZERO), 4);
  add(&j, 20, 1);
  add(&j, 20, 1);
  j.s.bucket = 10; /* two parts of 5, of 4 ranks each */
  dtc_error f = expect(&j, DTC_RULE_SHARD_GATHER, DTC_FIELD(shards, bucket), 40, 10);
  expect_other(&f, DTC_FIELD(shards, world), 4);
  expect_line(&f, "bucket = 10 limits a rank's part: the step gathers 40 elements with world = 4");
  j.s.bucket = 40;
  expect_none(&j, DTC_RULE_SHARD_GATHER);
}

/* ---- PyTorch and fairscale --------------------------------------------------------------------------------------- */

/* 6 rows of 5 on 4 ranks: 2, 2, 2 and 0 rows; 12 rows of 3: 3 each. */
static void rows_do_not_divide(void **state)
{
  (void)state;
  const dtc_rule rule = DTC_RULE_SHARD_ROWS;
  job j = job_of(SCHEME(FSDP2), 4);
  add(&j, 12, 3);
  add(&j, 6, 5);
  add(&j, 0, 5);
  dtc_error f = expect(&j, rule, DTC_FIELD(shards, world), 19, 9);
  expect_other(&f, DTC_ARG_TENSOR, 1);
  assert_int_equal(f.lower, 3);
  assert_int_equal(f.upper, 6);
  expect_line(&f, "ranks hold 9 to 19 elements: world cuts tensor 1 worst; even world: 3, 6");
  j.s.world = 3;
  expect_none(&j, rule);
  j.s.world = 6;
  expect_none(&j, rule);
  j.n = 0;
  j.s.world = 4;
  add(&j, 7, 1);
  f = expect(&j, rule, DTC_FIELD(shards, world), 2, 1);
  assert_int_equal(f.lower, DTC_NONE);
  assert_int_equal(f.upper, 7);
  add(&j, 9, 1);
  f = expect(&j, rule, DTC_FIELD(shards, world), 5, 1);
  assert_int_equal(f.upper, DTC_NONE);
  expect_line(&f, "ranks hold 1 to 5 elements: world cuts tensor 1 worst");
  j.n = 0;
  add(&j, 7, 1);
  add(&j, 9, 0); /* holds nothing that could be uneven */
  assert_int_equal(found(&j, rule, 1).upper, 7);
  j.n = 0;
  j.s.world = 2;
  add(&j, 4294967311, 1); /* a prime above the largest world */
  f = found(&j, rule, 1);
  assert_true(f.lower == DTC_NONE && f.upper == DTC_NONE);
}

/* The nearest worlds are even, and none between them is. */
static void nearest_worlds_are_even(void **state)
{
  (void)state;
  uint64_t seed = 3;
  for (int round = 0; round < 300; round++) {
    job j = job_of(SCHEME(FSDP2), 2 + check_random(&seed, 30));
    uint64_t step = 1 + check_random(&seed, 24);
    for (int i = 0; i < 3; i++)
      add(&j, step * (1 + check_random(&seed, 9)), 1 + check_random(&seed, 5));
    dtc_error f[FINDINGS];
    size_t n = check_all(&j, j.shapes, j.slots, j.n, f);
    if (n == 0 || f[0].rule != DTC_RULE_SHARD_ROWS)
      continue;
    uint64_t low = f[0].lower != DTC_NONE ? f[0].lower : 1;
    uint64_t high = f[0].upper != DTC_NONE ? f[0].upper : 400;
    for (uint64_t world = low; world <= high; world++) {
      j.s.world = world;
      (void)found(&j, DTC_RULE_SHARD_ROWS, world != low && world != f[0].upper);
    }
  }
}

static void a_tensor_is_larger_than_a_bucket(void **state)
{
  (void)state;
  const dtc_rule rule = DTC_RULE_SHARD_LARGE;
  job j = job_of(SCHEME(DDP), 2);
  j.s.dtype = DTC_DTYPE_FP32;
  j.s.bucket = 100;
  add(&j, 10, 1);
  add(&j, 50, 1); /* comes first in backward, and closes its bucket */
  dtc_error f = expect(&j, rule, DTC_FIELD(shards, bucket), 200, 100);
  expect_other(&f, DTC_ARG_TENSOR, 1);
  expect_line(&f, "a bucket has 200 bytes: tensor 1 is larger than bucket = 100");
  j.s.bucket = 200;
  expect_none(&j, rule);
  j.s.bucket = 100;
  j.shapes[0].rows = 50;
  j.shapes[1].rows = 10; /* 40 bytes do not close the bucket, which tensor 0 then joins */
  f = expect(&j, rule, DTC_FIELD(shards, bucket), 240, 100);
  expect_other(&f, DTC_ARG_TENSOR, 0);
  j.shapes[1].rows = 50; /* the first of the largest is named */
  f = expect(&j, rule, DTC_FIELD(shards, bucket), 200, 100);
  expect_other(&f, DTC_ARG_TENSOR, 0);
  j.s.bucket = DTC_NONE;
  expect_none(&j, rule);
  j.s.bucket = 100;
  j.s.world = 1;
  expect_none(&j, rule);
}

static void ranks_hold_nothing(void **state)
{
  (void)state;
  const dtc_rule rule = DTC_RULE_SHARD_IDLE;
  job j = job_of(SCHEME(OSS), 4);
  for (int i = 0; i < 3; i++)
    add(&j, 5, 1);
  dtc_error f = expect(&j, rule, DTC_FIELD(shards, world), 1, 3);
  expect_line(&f, "1 ranks hold no element of a tensor, 3 hold them all");
  add(&j, 1, 1);
  expect_none(&j, rule);
  j = job_of(SCHEME(FSDP2), 8); /* 5 rows, one on each of five ranks */
  add(&j, 5, 7);
  expect(&j, rule, DTC_FIELD(shards, world), 3, 5);
  j.n = 0;
  expect_none(&j, rule);
  add(&j, 0, 7);
  expect_none(&j, rule);
}

/* ---- Megatron and Gemini ----------------------------------------------------------------------------------------- */

static void padding_is_more_than_a_tenth(void **state)
{
  (void)state;
  const dtc_rule rule = DTC_RULE_SHARD_PADDING;
  const uint32_t world = DTC_FIELD(shards, world);
  for (dtc_shard_scheme v = SCHEME(MEGATRON_FSDP); v <= SCHEME(MEGATRON_FSDP2); v++) {
    job j = job_of(v, 4);
    add(&j, 3, 5); /* to a multiple of 4 rows */
    dtc_error f = expect(&j, rule, world, 20, 15);
    assert_int_equal(f.other_got, 33);
    expect_line(&f, "buckets hold 20 elements for 15 of tensors: 33 % of these is padding");
    j.s.world = 3;
    expect_none(&j, rule);
    j.s.world = 11;
    j.shapes[0] = (dtc_shape){.rows = 10, .cols = 1}; /* 1 of 10: not more than a tenth */
    expect_none(&j, rule);
    j.s.world = 10;
    j.shapes[0].rows = 9;
    assert_int_equal(expect(&j, rule, world, 10, 9).other_got, 11);
  }
  job j = job_of(SCHEME(LAYERWISE), 2); /* 2 shards, of multiples of 64 */
  add(&j, 10, 10);
  assert_int_equal(expect(&j, rule, world, 256, 100).other_got, 156);
  j.shapes[0] = (dtc_shape){.rows = 16, .cols = 8};
  add(&j, 16, 8);
  expect_none(&j, rule);
  j = job_of(SCHEME(GEMINI), 2); /* chunks of 100: one tensor of 60 in each */
  for (int i = 0; i < 3; i++)
    add(&j, 60, 1);
  j.s.min_chunk = 100;
  j.s.search_range = 1;
  j.s.interval = 100;
  assert_int_equal(expect(&j, rule, DTC_FIELD(shards, min_chunk), 300, 180).other_got, 66);
  j.s.world = 1;
  expect(&j, rule, DTC_FIELD(shards, min_chunk), 300, 180);
  j.s.min_chunk = 60;
  j.s.interval = 60;
  expect_none(&j, rule);
}

static void the_bucket_is_the_default_of_a_world(void **state)
{
  (void)state;
  const dtc_rule rule = DTC_RULE_SHARD_DEFAULT;
  const uint32_t bucket = DTC_FIELD(shards, bucket);
  job j = job_of(SCHEME(DISTOPT), 8);
  add(&j, 41000000, 1);
  expect_none(&j, rule);
  add(&j, 41000000, 1);
  dtc_error f = expect(&j, rule, bucket, 40000000, 1);
  assert_int_equal(f.max, 40);
  expect_line(&f, "bucket = 40000000 is the default of world = 1 to 40: dp_reshardable may not load with another");
  j.s.world = 1;
  assert_int_equal(expect(&j, rule, bucket, 40000000, 1).max, 40);
  j.s.world = 40;
  assert_int_equal(expect(&j, rule, bucket, 40000000, 1).max, 40);
  j.s.world = 64;
  f = expect(&j, rule, bucket, 64000000, 64);
  assert_int_equal(f.max, 64);
  expect_line(&f, "bucket = 64000000 is the default of world = 64: dp_reshardable may not load with another");
  j.s.bucket = 50000000;
  expect_none(&j, rule);
  j.s.bucket = 0;
  j.shapes[1].rows = 39999999; /* the other tensor joins it */
  expect_none(&j, rule);
  j.shapes[1].rows = 40000000;
  (void)found(&j, rule, 1);
  j.shapes[0].shared = 1; /* has a bucket of its own with any size */
  expect_none(&j, rule);
}

/* What is used of each bucket at 8 ranks is the same at 4096, which have one bucket, exactly when nothing was found. */
static void default_buckets_differ_when_found(void **state)
{
  (void)state;
  uint64_t seed = 11;
  size_t times = 0;
  for (int round = 0; round < 400; round++) {
    job j = job_of(SCHEME(DISTOPT), 4096);
    for (uint64_t n = check_random(&seed, 4); j.n <= n;) {
      add(&j, 1 + check_random(&seed, 45000000), 1);
      j.shapes[j.n - 1].shared = check_random(&seed, 5) == 0;
    }
    expect_none(&j, DTC_RULE_RESHARD_BUCKET); /* lays them out */
    job k = j;
    dtc_error f[FINDINGS];
    int differs = 0;
    k.s.world = 8;
    size_t n = check_all(&k, k.shapes, k.slots, k.n, f);
    for (size_t i = 0; i < j.n; i++)
      differs |= j.slots[i].bucket != k.slots[i].bucket || j.slots[i].used != k.slots[i].used;
    assert_int_equal(n != 0 && f[0].rule == DTC_RULE_SHARD_DEFAULT, differs);
    times += (size_t)differs;
  }
  assert_in_range(times, 50, 350);
}

/* Buckets of multiples of lcm(1000, 128) = 16000: a part of 16. */
static void parts_are_all_padding(void **state)
{
  (void)state;
  const dtc_rule rule = DTC_RULE_SHARD_PARTS;
  job j = job_of(SCHEME(DISTOPT), 1000);
  add(&j, 8000, 1);
  add(&j, 16000, 1);
  j.s.bucket = 1; /* tensor 1 is bucket 0 */
  dtc_error f = expect(&j, rule, DTC_FIELD(shards, world), 500, 1);
  expect_line(&f, "500 parts of buckets are all padding, the first in bucket 1: Megatron-Core stops saving");
  expect_none(&j, DTC_RULE_SHARD_IDLE);
  j.shapes[1].rows = 4000;
  expect(&j, rule, DTC_FIELD(shards, world), 1250, 0);
  expect(&j, DTC_RULE_SHARD_IDLE, DTC_FIELD(shards, world), 500, 500);
  j.shapes[0].rows = 15985; /* the last rank holds one element */
  j.shapes[1].rows = 16000;
  expect_none(&j, rule);
}

/* ---- models -------------------------------------------------------------------------------------------------------- */

typedef struct known {
  char model[16];
  dtc_shard_scheme scheme;
  dtc_dtype dtype;
  uint64_t world;
  dtc_rule rule;
  uint64_t got;
  uint64_t min;
} known;

/* Published with the vectors that the frameworks' code made, 8.39 G rounded: the largest accumulator of ZeRO-1 and 2, FSDP2's
 * ranks, DDP's largest bucket, buffers of the layer-wise optimizer, Gemini's chunks with 739.9 M of waste, the largest gather of
 * low-level ZeRO. */
static const known models[] = {
    {"gpt2", SCHEME(ZERO12), DTC_DTYPE_BF16, 64, DTC_RULE_SHARD_WHOLE, 39383808, 1944372},
    {"llama-2-7b", SCHEME(ZERO12), DTC_DTYPE_BF16, 64, DTC_RULE_SHARD_WHOLE, 243269632, 105287744},
    {"llama-2-7b", SCHEME(ZERO12), DTC_DTYPE_BF16, 1024, DTC_RULE_SHARD_WHOLE, 176173056, 6580484},
    {"gpt2", SCHEME(FSDP2), DTC_DTYPE_BF16, 100, DTC_RULE_SHARD_ROWS, 1271524, 380964},
    {"gpt2", SCHEME(FSDP2), DTC_DTYPE_BF16, 512, DTC_RULE_SHARD_ROWS, 280600, 56904},
    {"llama-2-7b", SCHEME(FSDP2), DTC_DTYPE_BF16, 512, DTC_RULE_SHARD_ROWS, 13296136, 7012872},
    {"llama-2-7b", SCHEME(LAYERWISE), DTC_DTYPE_BF16, 64, DTC_RULE_SHARD_PADDING, 8388608000, 6738415616},
    {"llama-2-7b", SCHEME(GEMINI), DTC_DTYPE_BF16, 64, DTC_RULE_SHARD_PADDING, 7478312960, 6738415616},
    {"llama-2-7b", SCHEME(LOW_LEVEL_ZERO), DTC_DTYPE_BF16, 64, DTC_RULE_SHARD_GATHER, 792756224, 12 << 20},
    {"llama-2-7b", SCHEME(LOW_LEVEL_ZERO), DTC_DTYPE_BF16, 1024, DTC_RULE_SHARD_GATHER, 6738415616, 12 << 20},
    {"gpt2", SCHEME(DDP), DTC_DTYPE_FP32, 8, DTC_RULE_SHARD_LARGE, 176446464, 25 << 20},
    {"llama-2-7b", SCHEME(DDP), DTC_DTYPE_FP32, 8, DTC_RULE_SHARD_LARGE, 524288000, 25 << 20},
    {"llama-2-7b", SCHEME(DISTOPT), DTC_DTYPE_BF16, 8, DTC_RULE_SHARD_DEFAULT, 40000000, 1},
    {"llama-2-7b", SCHEME(DISTOPT), DTC_DTYPE_BF16, 128, DTC_RULE_SHARD_DEFAULT, 128000000, 128},
};

static void models_have_known_numbers(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
    const known *k = &models[i];
    dtc_model m = check_named(k->model);
    size_t n = 0;
    dtc_error f[FINDINGS];
    (void)!dtc_shards_shapes(&m, NULL, 0, &n, NULL);
    dtc_shape *shapes = malloc(sizeof *shapes * n);
    dtc_slot *slots = malloc(sizeof *slots * n);
    check_ok(dtc_shards_shapes(&m, shapes, n, &n, NULL), NULL);
    job j = job_of(k->scheme, k->world);
    j.s.dtype = k->dtype;
    j.s.stage = k->scheme == SCHEME(LOW_LEVEL_ZERO) ? 2 : 0;
    size_t count = check_all(&j, shapes, slots, n, f);
    size_t at = 0;
    while (at < count && f[at].rule != k->rule)
      at++;
    assert_true(at < count);
    assert_int_equal(f[at].got, k->got);
    assert_int_equal(f[at].min, k->min);
    free(shapes);
    free(slots);
  }
}

/* ---- arguments ----------------------------------------------------------------------------------------------------- */

/* Two findings: gradients all-reduced, and kept as whole tensors. */
static job with_two(uint64_t scratch[17 * TENSORS])
{
  size_t count = 0;
  job j = job_of(SCHEME(ZERO12), 8);
  add(&j, 1000, 1);
  add(&j, 24, 1);
  check_ok(dtc_shards_layout(&j.s, j.shapes, j.n, j.slots, j.n, &count, scratch, 17 * TENSORS, NULL), NULL);
  return j;
}

static void the_array_may_be_short(void **state)
{
  (void)state;
  uint64_t scratch[17 * TENSORS];
  size_t count = 0;
  dtc_error f[2];
  dtc_error e;
  job j = with_two(scratch);
  DTC_INIT(&e);
  DTC_INIT(&f[0]);
  DTC_INIT(&f[1]);
  assert_int_equal(dtc_shards_check(&j.s, j.shapes, 2, j.slots, 2, NULL, f, 1, &count, scratch, 17 * TENSORS, &e),
                   DTC_E_SPACE);
  assert_true(count == 2 && e.rule == DTC_RULE_SPACE && e.got == 1 && e.min == 2);
  assert_int_equal(f[0].rule, DTC_RULE_SHARD_REDUCE);
  assert_int_equal(f[1].rule, DTC_RULE_NONE);
  count = 0;
  assert_int_equal(dtc_shards_check(&j.s, j.shapes, 2, j.slots, 2, NULL, NULL, 0, &count, scratch, 17 * TENSORS, NULL),
                   DTC_E_SPACE);
  assert_int_equal(count, 2);
  check_ok(dtc_shards_check(&j.s, j.shapes, 2, j.slots, 2, NULL, f, 2, &count, scratch, 17 * TENSORS, &e), &e);
  assert_int_equal(f[1].rule, DTC_RULE_SHARD_WHOLE);
  j.n = 0;
  check_ok(dtc_shards_check(&j.s, NULL, 0, NULL, 0, NULL, NULL, 0, &count, NULL, 0, &e), &e);
  assert_int_equal(count, 0);
}

static void bad_arguments_are_refused(void **state)
{
  (void)state;
  uint64_t scratch[17 * TENSORS];
  size_t count = 77;
  dtc_error f[2];
  dtc_error e;
  dtc_tracing k;
  job j = with_two(scratch);
  DTC_INIT(&e);
  DTC_INIT(&f[0]);
  DTC_INIT(&k);
#define CHECK(status)                                                                                                  \
  assert_int_equal(dtc_shards_check(&j.s, j.shapes, 2, j.slots, j.n, &k, f, 2, &count, scratch, n_scratch, &e), status)
  size_t n_scratch = 33;
  CHECK(DTC_E_SPACE);
  assert_true(e.rule == DTC_RULE_SCRATCH && e.got == 33 && e.min == 34);
  n_scratch = 34;
  j.n = 1;
  CHECK(DTC_E_RANGE);
  assert_int_equal(e.field, DTC_ARG_SLOTS);
  j.n = 2;
  k.backward = (1 << 24) + 1;
  CHECK(DTC_E_RANGE);
  assert_int_equal(e.field, DTC_FIELD(tracing, backward));
  k.backward = 0;
  k.struct_size = 3;
  CHECK(DTC_E_SIZE);
  DTC_INIT(&k);
  f[0].struct_size = 3;
  CHECK(DTC_E_SIZE);
  DTC_INIT(&f[0]);
  j.s.scheme = 99;
  CHECK(DTC_E_RANGE);
  assert_int_equal(e.field, DTC_FIELD(shards, scheme));
  j.s.scheme = SCHEME(ZERO12);
  j.slots[1].owner = 0; /* a vector is cut evenly */
  CHECK(DTC_E_CONFLICT);
  assert_true(e.rule == DTC_RULE_SLOTS && e.got == 1);
  j.slots[1].owner = DTC_EVENLY;
  j.slots[0].bucket = 2;
  CHECK(DTC_E_CONFLICT);
  j.slots[0].bucket = 0;
  assert_int_equal(count, 77);
  e.struct_size = 3;
  CHECK(DTC_E_SIZE);
#undef CHECK
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gradients_are_all_reduced),
      cmocka_unit_test(gradients_are_kept_as_whole_tensors),
      cmocka_unit_test(all_weights_are_live),
      cmocka_unit_test(step_gathers_grow_with_the_world),
      cmocka_unit_test(rows_do_not_divide),
      cmocka_unit_test(nearest_worlds_are_even),
      cmocka_unit_test(a_tensor_is_larger_than_a_bucket),
      cmocka_unit_test(ranks_hold_nothing),
      cmocka_unit_test(padding_is_more_than_a_tenth),
      cmocka_unit_test(the_bucket_is_the_default_of_a_world),
      cmocka_unit_test(default_buckets_differ_when_found),
      cmocka_unit_test(parts_are_all_padding),
      cmocka_unit_test(models_have_known_numbers),
      cmocka_unit_test(the_array_may_be_short),
      cmocka_unit_test(bad_arguments_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

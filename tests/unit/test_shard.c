/* The core of shardings: defaults and refusals, plans, shapes of models; and for every scheme that the ranks' parts tile the
 * tensors, and that owners and sums agree with them. */
#include "shards_check.h"

static dtc_error error(void)
{
  dtc_error e;
  DTC_INIT(&e);
  return e;
}

static dtc_shards resolved(dtc_shards s)
{
  dtc_error e = error();
  check_ok(dtc_shards_resolve(&s, &s, &e), &e);
  return s;
}

/* ---- defaults ---------------------------------------------------------------------------------------------------- */

static void defaults_are_the_frameworks(void **state)
{
  (void)state;
  dtc_shards s = resolved(shards_of(DTC_SHARD_SCHEME_DEFAULT, 0));
  assert_true(s.scheme == DTC_SHARD_SCHEME_ZERO12 && s.world == 1 && s.replicas == 1 && s.stage == 1);
  assert_true(s.dtype == DTC_DTYPE_BF16 && s.grad_dtype == DTC_DTYPE_BF16 && s.bucket == 500000000);
  assert_true(s.round_robin == DTC_BOOL_OFF && s.multi_rank == DTC_BOOL_ON);
  assert_true(s.sub_group == 0 && s.persistence == 0 && s.min_chunk == 0 && s.reshard == DTC_BOOL_DEFAULT);
  s = resolved(shards_of(DTC_SHARD_SCHEME_ZERO3, 8));
  assert_true(s.sub_group == 1000000000 && s.persistence == 100000 && s.hpz == 0 && s.reduce_scatter == DTC_BOOL_ON);
  s = resolved(shards_of(DTC_SHARD_SCHEME_FSDP1, 8));
  assert_true(s.orig_params == DTC_BOOL_ON && s.reshard == DTC_BOOL_ON && s.every_micro == DTC_BOOL_ON);
  s = resolved(shards_of(DTC_SHARD_SCHEME_DDP, 8));
  assert_true(s.bucket == 25 << 20 && s.first_bucket == 1 << 20 && s.every_micro == DTC_BOOL_OFF);
  s = resolved(shards_of(DTC_SHARD_SCHEME_GEMINI, 8));
  assert_true(s.min_chunk == 32 << 20 && s.search_range == 32 << 20 && s.interval == 1024 && s.bucket == 0);
  s = resolved(shards_of(DTC_SHARD_SCHEME_LOW_LEVEL_ZERO, 8));
  assert_true(s.bucket == 12 << 20 && s.stage == 1);
}

/* Megatron's buckets are the larger of 40 M and 1 M per rank. */
static void megatrons_buckets_grow_with_the_world(void **state)
{
  (void)state;
  assert_int_equal(resolved(shards_of(DTC_SHARD_SCHEME_DISTOPT, 40)).bucket, 40000000);
  assert_int_equal(resolved(shards_of(DTC_SHARD_SCHEME_DISTOPT, 41)).bucket, 41000000);
  assert_int_equal(resolved(shards_of(DTC_SHARD_SCHEME_ALLREDUCE, 1024)).bucket, 1024000000);
  assert_int_equal(resolved(shards_of(DTC_SHARD_SCHEME_LAYERWISE, 8)).grad_dtype, DTC_DTYPE_FP32);
}

static void resolving_twice_changes_nothing(void **state)
{
  (void)state;
  for (uint32_t scheme = 0; scheme <= DTC_SHARD_SCHEME_LOW_LEVEL_ZERO; scheme++) {
    dtc_shards once = resolved(shards_of(scheme, 12)), twice = resolved(once);
    assert_memory_equal(&once, &twice, sizeof once);
    assert_true(once.scheme != 0 && once.version != 0);
  }
}

/* The error of a sharding that is refused; out stays as it was. */
static dtc_error refused(const dtc_shards *s, dtc_status expected)
{
  dtc_error e = error();
  dtc_shards out, before;
  DTC_INIT(&out);
  memset((char *)&out + sizeof out.struct_size, 0xA5, sizeof out - sizeof out.struct_size);
  before = out;
  assert_int_equal(dtc_shards_resolve(s, &out, &e), expected);
  assert_memory_equal(&out, &before, sizeof out);
  return e;
}

static void settings_that_a_scheme_lacks(void **state)
{
  (void)state;
#define LACKS(SCHEME, member, value)                                                                                   \
  do {                                                                                                                 \
    dtc_shards s = shards_of(DTC_SHARD_SCHEME_##SCHEME, 4);                                                            \
    s.member = value;                                                                                                  \
    dtc_error e = refused(&s, DTC_E_UNSUPPORTED);                                                                      \
    assert_true(e.rule == DTC_RULE_SHARD_SETTING && e.field == DTC_FIELD(shards, member) && e.got == (value));         \
  } while (0)
  LACKS(ZERO3, stage, 2);
  LACKS(FSDP2, bucket, 1000);
  LACKS(ZERO12, first_bucket, 1000);
  LACKS(ZERO12, sub_group, 7);
  LACKS(BF16, persistence, DTC_NONE);
  LACKS(DISTOPT, hpz, 2);
  LACKS(FSDP1, min_chunk, 1);
  LACKS(WHOLE, search_range, 1);
  LACKS(OSS, interval, 1);
  LACKS(BF16, round_robin, DTC_BOOL_ON);
  LACKS(ZERO3, multi_rank, DTC_BOOL_ON);
  LACKS(ZERO12, reduce_scatter, DTC_BOOL_ON);
  LACKS(FSDP2, orig_params, DTC_BOOL_ON);
  LACKS(ALLREDUCE, high_busbw, DTC_BOOL_ON);
  LACKS(FSDP1, first_step, DTC_BOOL_ON);
  LACKS(LOW_LEVEL_ZERO, keep_large, DTC_BOOL_ON);
  LACKS(DDP, reshard, DTC_BOOL_ON);
  LACKS(DISTOPT, every_micro, DTC_BOOL_ON);
#undef LACKS
}

static void values_out_of_range(void **state)
{
  (void)state;
#define REFUSES(member, value)                                                                                         \
  do {                                                                                                                 \
    dtc_shards s = shards_of(DTC_SHARD_SCHEME_ZERO3, 4);                                                               \
    s.member = value;                                                                                                  \
    dtc_error e = refused(&s, DTC_E_RANGE);                                                                            \
    assert_true(e.field == DTC_FIELD(shards, member) && e.got == (value) && e.got > e.max);                            \
  } while (0)
  REFUSES(scheme, DTC_SHARD_SCHEME_LOW_LEVEL_ZERO + 1);
  REFUSES(world, (UINT64_C(1) << 32) + 1);
  REFUSES(world, UINT64_MAX);
  REFUSES(replicas, (UINT64_C(1) << 32) + 1);
  REFUSES(stage, 3);
  REFUSES(hpz, (UINT64_C(1) << 32) + 1);
  REFUSES(dtype, DTC_DTYPE_FP64 + 1);
  REFUSES(reduce_scatter, DTC_BOOL_OFF + DTC_BOOL_ON + 1);
  REFUSES(version, 900000000);
#undef REFUSES
  dtc_shards s = shards_of(DTC_SHARD_SCHEME_OSS, 4), out;
  s.version = 900000000; /* fairscale's, which the library does not number */
  DTC_INIT(&out);
  assert_int_equal(dtc_shards_resolve(&s, &out, NULL), DTC_OK);
  s.struct_size = 3;
  assert_int_equal(dtc_shards_resolve(&s, &out, NULL), DTC_E_SIZE);
  assert_int_equal(dtc_shards_resolve(NULL, &out, NULL), DTC_E_SIZE);
}

/* ---- plans ------------------------------------------------------------------------------------------------------- */

typedef struct plan_row {
  dtc_framework framework;
  dtc_sharding sharding;
  dtc_shard_scheme scheme; /* default: refused */
  uint64_t world;          /* with dp 16 and cp 2 */
  uint64_t replicas;
  uint64_t stage;
} plan_row;

static dtc_status shards_from(const plan_row *row, dtc_plan *p, dtc_shards *out, dtc_error *e)
{
  dtc_model m = check_named("llama-3-8b");
  p->framework = row->framework;
  p->sharding = row->sharding;
  p->dp = 16;
  p->cp = 2;
  p->dp_shard = row->sharding == DTC_SHARDING_HSDP ? 8 : 0;
  DTC_INIT(out);
  return dtc_shards_from_plan(&m, NULL, p, out, e);
}

#define ROW(framework, sharding, scheme, ...)                                                                          \
  {                                                                                                                    \
    DTC_FRAMEWORK_##framework, DTC_SHARDING_##sharding, DTC_SHARD_SCHEME_##scheme, __VA_ARGS__                         \
  }

static void plans_say_who_shards(void **state)
{
  (void)state;
  static const plan_row rows[] = {
      ROW(PYTORCH, DDP, DDP, 32, 1, 0),
      ROW(PYTORCH, ZERO1, WHOLE, 32, 1, 0),
      ROW(PYTORCH, FSDP, FSDP2, 32, 1, 0),
      ROW(PYTORCH, HSDP, FSDP2, 8, 4, 0),
      ROW(DEEPSPEED, ZERO1, ZERO12, 32, 1, 1),
      ROW(DEEPSPEED, ZERO2, ZERO12, 32, 1, 2),
      ROW(DEEPSPEED, ZERO3, ZERO3, 32, 1, 0),
      ROW(MEGATRON, DISTOPT, DISTOPT, 32, 1, 0),
      ROW(MEGATRON, DDP, ALLREDUCE, 32, 1, 0),
      ROW(MEGATRON, FSDP, MEGATRON_FSDP, 32, 1, 0),
      ROW(COLOSSALAI, DDP, DDP, 32, 1, 0),
      ROW(COLOSSALAI, ZERO1, LOW_LEVEL_ZERO, 32, 1, 1),
      ROW(COLOSSALAI, ZERO2, LOW_LEVEL_ZERO, 32, 1, 2),
      ROW(COLOSSALAI, ZERO3, GEMINI, 32, 1, 0),
      ROW(COLOSSALAI, FSDP, FSDP1, 32, 1, 0),
      ROW(TORCHTITAN, FSDP, FSDP2, 32, 1, 0),
      ROW(TORCHTITAN, HSDP, FSDP2, 8, 4, 0),
      ROW(TORCHTITAN, DDP, DDP, 32, 1, 0),
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    dtc_error e = error();
    dtc_plan p = check_plan();
    dtc_shards s;
    check_ok(shards_from(&rows[i], &p, &s, &e), &e);
    assert_int_equal(s.scheme, rows[i].scheme);
    assert_true(s.world == rows[i].world && s.replicas == rows[i].replicas && s.stage == rows[i].stage);
    dtc_shards again = resolved(s);
    assert_memory_equal(&s, &again, sizeof s);
  }
}

/* Scaling cuts flat parts as DeepSpeed's first stage does, has no context parallel ranks, and without sharding no scheme. */
static void scaling_shards_as_deepspeed(void **state)
{
  (void)state;
  dtc_error e = error();
  dtc_plan p = check_plan();
  dtc_model m = check_named("llama-3-8b");
  dtc_shards s;
  DTC_INIT(&s);
  p.framework = DTC_FRAMEWORK_SCALING;
  p.sharding = DTC_SHARDING_ZERO1;
  p.dp = 16;
  check_ok(dtc_shards_from_plan(&m, NULL, &p, &s, &e), &e);
  assert_true(s.scheme == DTC_SHARD_SCHEME_ZERO12 && s.world == 16 && s.replicas == 1 && s.stage == 1);
  p.sharding = DTC_SHARDING_DDP;
  assert_int_equal(dtc_shards_from_plan(&m, NULL, &p, &s, &e), DTC_E_UNSUPPORTED);
  assert_true(e.rule == DTC_RULE_SHARD_SCHEME && e.field == DTC_FIELD(plan, sharding) && e.got == DTC_SHARDING_DDP);
}

static void plans_say_types_and_versions(void **state)
{
  (void)state;
  static const plan_row megatron = ROW(MEGATRON, DISTOPT, DISTOPT, 32, 1, 0),
                        torch = ROW(PYTORCH, FSDP, FSDP2, 32, 1, 0), titan = ROW(TORCHTITAN, FSDP, FSDP2, 32, 1, 0),
                        deepspeed = ROW(DEEPSPEED, ZERO3, ZERO3, 32, 1, 0);
  dtc_error e = error();
  dtc_shards s;
  dtc_plan p = check_plan();
  check_ok(shards_from(&megatron, &p, &s, &e), &e);
  assert_true(s.dtype == DTC_DTYPE_BF16 && s.grad_dtype == DTC_DTYPE_FP32 && s.bucket == 40000000);
  p.grad_dtype = DTC_GRAD_DTYPE_16BIT;
  check_ok(shards_from(&megatron, &p, &s, &e), &e);
  assert_int_equal(s.grad_dtype, DTC_DTYPE_BF16);
  p = check_plan();
  p.precision = DTC_PRECISION_FP16;
  check_ok(shards_from(&deepspeed, &p, &s, &e), &e);
  assert_true(s.dtype == DTC_DTYPE_FP16 && s.grad_dtype == DTC_DTYPE_FP16);
  p.precision = DTC_PRECISION_FP32;
  check_ok(shards_from(&torch, &p, &s, &e), &e);
  assert_int_equal(s.dtype, DTC_DTYPE_FP32);
  p = check_plan();
  p.framework_version = 18000;
  check_ok(shards_from(&deepspeed, &p, &s, &e), &e);
  assert_int_equal(s.version, 18000);
  p = check_plan();
  check_ok(shards_from(&titan, &p, &s, &e), &e); /* PyTorch's version, not TorchTitan's */
  assert_int_equal(s.version, resolved(shards_of(DTC_SHARD_SCHEME_FSDP2, 1)).version);
}

static void plans_that_are_refused(void **state)
{
  (void)state;
  static const plan_row bare = ROW(DEEPSPEED, DDP, DEFAULT, 0, 0, 0), wrong = ROW(MEGATRON, ZERO1, DEFAULT, 0, 0, 0),
                        good = ROW(PYTORCH, DDP, DDP, 0, 0, 0);
  dtc_error e = error();
  dtc_shards s;
  dtc_plan p = check_plan();
  assert_int_equal(shards_from(&bare, &p, &s, &e), DTC_E_UNSUPPORTED);
  assert_true(e.rule == DTC_RULE_SHARD_SCHEME && e.field == DTC_FIELD(plan, sharding) && e.got == DTC_SHARDING_DDP);
  assert_true(s.scheme == 0 && s.world == 0);
  assert_int_equal(shards_from(&wrong, &p, &s, &e), DTC_E_UNSUPPORTED);
  assert_int_equal(e.rule, DTC_RULE_MEGATRON_ZERO);
  assert_int_equal(shards_from(&good, &p, &s, NULL), DTC_OK);
  assert_int_equal(dtc_shards_from_plan(NULL, NULL, &p, &s, NULL), DTC_E_SIZE);
  dtc_model m = check_named("llama-3-8b");
  assert_int_equal(dtc_shards_from_plan(&m, NULL, NULL, &s, NULL), DTC_E_SIZE);
  p.dp = UINT64_C(1) << 32; /* times cp it is more ranks than a sharding has */
  p.micro_batch = 1;
  p.accumulation = 1;
  memset((char *)&s + sizeof s.struct_size, 0, sizeof s - sizeof s.struct_size);
  assert_int_equal(dtc_shards_from_plan(&m, NULL, &p, &s, &e), DTC_E_RANGE);
  assert_true(e.field == DTC_FIELD(shards, world) && e.got == UINT64_C(1) << 33 && s.world == 0);
}

/* ---- shapes ------------------------------------------------------------------------------------------------------ */

static void shapes_are_the_models(void **state)
{
  (void)state;
  static dtc_shape shapes[1024];
  static const char *const names[] = {"llama-3-70b", "gpt2"};
  for (int k = 0; k < 2; k++) {
    dtc_error e = error();
    dtc_model m = check_named(names[k]);
    dtc_params params;
    size_t count = 0;
    uint64_t numel = 0;
    DTC_INIT(&params);
    check_ok(dtc_model_params(&m, &params, &e), &e);
    check_ok(dtc_shards_shapes(&m, shapes, 1024, &count, &e), &e);
    for (size_t i = 0; i < count; i++) {
      dtc_tensor t;
      DTC_INIT(&t);
      check_ok(dtc_model_tensor(&m, i, &t, &e), &e);
      assert_true(shapes[i].rows == t.dim0 && shapes[i].rows * shapes[i].cols == t.dim0 * t.dim1 * t.dim2);
      assert_true(shapes[i].dims == t.dims && shapes[i].shared == 0 && shapes[i].dtype == DTC_DTYPE_DEFAULT);
      numel += shapes[i].rows * shapes[i].cols;
    }
    assert_int_equal(numel, params.total);
    size_t less = 0;
    assert_int_equal(dtc_shards_shapes(&m, shapes, count - 1, &less, &e), DTC_E_SPACE);
    assert_true(less == count && e.got == count - 1 && e.min == count);
  }
  size_t count = 4711;
  dtc_model bad = check_named("gpt2");
  bad.layers = DTC_NONE;
  assert_int_not_equal(dtc_shards_shapes(&bad, shapes, 1024, &count, NULL), DTC_OK);
  assert_int_equal(dtc_shards_shapes(NULL, shapes, 1024, &count, NULL), DTC_E_SIZE);
  assert_int_equal(count, 4711);
}

static void llama_over_1024_ranks(void **state)
{
  (void)state;
  enum { MOST = 1024 };
  static dtc_shape shapes[MOST];
  static dtc_slot slots[MOST];
  static dtc_fragment parts[MOST];
  static uint64_t scratch[17 * MOST];
  dtc_error e = error();
  dtc_model m = check_named("llama-3-70b");
  size_t n = 0, count = 0;
  check_ok(dtc_shards_shapes(&m, shapes, MOST, &n, &e), &e);
  assert_int_equal(n, 723);
  for (uint64_t world = 1000; world <= 1024; world += 24) {
    dtc_shards s = shards_of(DTC_SHARD_SCHEME_ZERO3, world);
    dtc_shard_totals t;
    uint64_t most = 0, rank = 0, held = 0;
    DTC_INIT(&t);
    check_ok(dtc_shards_layout(&s, shapes, n, slots, MOST, &count, scratch, 17 * MOST, &e), &e);
    check_ok(dtc_shards_totals(&s, shapes, n, slots, n, &t, scratch, 17 * MOST, &e), &e);
    assert_true(t.numel == UINT64_C(70553706496) && t.buckets == 723 && t.per_rank * world == t.padded);
    for (uint64_t r = 0; r < world; r++) {
      uint64_t sum = 0;
      check_ok(dtc_shards_fragments(&s, shapes, n, slots, n, r, parts, MOST, &count, &e), &e);
      for (size_t k = 0; k < count; k++)
        sum += parts[k].length;
      rank = sum > most ? r : rank;
      most = sum > most ? sum : most;
      held += sum;
    }
    assert_true(held == t.numel && most == t.most && rank == t.heaviest);
  }
}

static void local_shapes_at_the_limits(void **state)
{
  (void)state;
  const uint64_t most = UINT64_C(1) << 32;
  dtc_shape shape = {.rows = most + 1, .cols = 1, .shared = 1, .dims = 1}, out;
  size_t count = 0;
  assert_int_equal(dtc_shards_local(&shape, 1, most, 0, &out, 1, &count, NULL), DTC_OK);
  assert_true(out.rows == 2 && out.shared == 1 && out.dims == 1 && count == 1);
  assert_int_equal(dtc_shards_local(&shape, 1, most, most / 2, &out, 1, &count, NULL), DTC_OK);
  assert_int_equal(out.rows, 1);
  assert_int_equal(dtc_shards_local(&shape, 1, most, most - 1, &out, 1, &count, NULL), DTC_OK);
  assert_int_equal(out.rows, 0);
  assert_int_equal(dtc_shards_local(&shape, 1, 2, 1, &shape, 1, &count, NULL), DTC_OK); /* onto itself */
  assert_int_equal(shape.rows, most / 2);
  count = 4711;
  assert_int_equal(dtc_shards_local(&shape, 1, most + 1, 0, &out, 1, &count, NULL), DTC_E_RANGE);
  assert_int_equal(dtc_shards_local(&shape, ((size_t)1 << 24) + 1, 2, 0, &out, 1, &count, NULL), DTC_E_RANGE);
  shape = (dtc_shape){.rows = UINT64_C(1) << 40, .cols = UINT64_C(1) << 40};
  assert_int_equal(dtc_shards_local(&shape, 1, 2, 0, &out, 1, &count, NULL), DTC_E_OVERFLOW);
  assert_int_equal(count, 4711);
  assert_int_equal(dtc_shards_local(NULL, 0, 2, 0, NULL, 0, &count, NULL), DTC_OK);
  assert_int_equal(count, 0);
}

/* ---- every layout ------------------------------------------------------------------------------------------------ */

/* Tensors that the scheme takes, with small settings. megatron-fsdp needs rows with a small common multiple. */
static void set_random(shards_case *c, dtc_shard_scheme scheme, uint64_t world, uint64_t *seed)
{
  static const uint64_t cols[] = {1, 2, 3, 4, 6, 12};
  int grid = scheme == DTC_SHARD_SCHEME_MEGATRON_FSDP || scheme == DTC_SHARD_SCHEME_MEGATRON_FSDP2;
  shards_random(c, seed, scheme == DTC_SHARD_SCHEME_DDP);
  for (size_t i = 0; grid && i < c->n; i++)
    c->shapes[i].cols = cols[check_random(seed, 6)];
  c->s = shards_of(scheme, world);
  if (scheme == DTC_SHARD_SCHEME_GEMINI) {
    c->s.min_chunk = 1 + check_random(seed, 100000);
    c->s.search_range = 1 + check_random(seed, 5000);
    c->s.interval = 1 + check_random(seed, 1000);
  }
  if (scheme == DTC_SHARD_SCHEME_ZERO12)
    c->s.round_robin = (dtc_bool)check_random(seed, 3);
  if (scheme == DTC_SHARD_SCHEME_FSDP1)
    c->s.orig_params = (dtc_bool)check_random(seed, 3);
  if (scheme == DTC_SHARD_SCHEME_DISTOPT)
    c->s.bucket = 1 + check_random(seed, 100000);
}

static void small_worlds_are_walked_through(void **state)
{
  (void)state;
  uint64_t seed = 17;
  shards_case c = {.scratch = NULL};
  for (dtc_shard_scheme scheme = DTC_SHARD_SCHEME_ZERO12; scheme <= DTC_SHARD_SCHEME_LOW_LEVEL_ZERO; scheme++)
    for (uint64_t world = 1; world <= 17; world++)
      for (int round = 0; round < 8; round++) {
        set_random(&c, scheme, world, &seed);
        shards_check(&c, &seed);
      }
  shards_free(&c);
}

/* The layer-wise optimizer walks all ranks for each tensor. */
static void large_worlds_are_sampled(void **state)
{
  (void)state;
  static const uint64_t worlds[] = {1024, 1009, 65536, 65537, 999983, 1000000};
  uint64_t seed = 18;
  shards_case c = {.scratch = NULL};
  for (dtc_shard_scheme scheme = DTC_SHARD_SCHEME_ZERO12; scheme <= DTC_SHARD_SCHEME_LOW_LEVEL_ZERO; scheme++)
    for (size_t k = 0; k < (scheme == DTC_SHARD_SCHEME_LAYERWISE ? 2 : 6); k++)
      for (int round = 0; round < 10; round++) {
        set_random(&c, scheme, worlds[k], &seed);
        shards_check(&c, &seed);
      }
  shards_free(&c);
}

/* Ranks of which most hold nothing. */
static void more_ranks_than_elements(void **state)
{
  (void)state;
  const uint64_t world = UINT64_C(1) << 32;
  uint64_t seed = 3, offset = 0;
  shards_case c = {.s = shards_of(DTC_SHARD_SCHEME_ZERO3, world), .n = 3};
  dtc_shard_totals t;
  DTC_INIT(&t);
  c.shapes[0] = (dtc_shape){.rows = 5, .cols = 1};
  c.shapes[1] = (dtc_shape){.rows = 0, .cols = 7};
  c.shapes[2] = (dtc_shape){.rows = (UINT64_C(1) << 31) + 1, .cols = 3};
  shards_check(&c, &seed);
  assert_int_equal(dtc_shards_totals(&c.s, c.shapes, 3, c.slots, 3, &t, c.scratch, c.n_scratch, NULL), DTC_OK);
  /* the last tensor holds two elements per rank: 3221225473 ranks, the last of them with one */
  uint64_t numel = shards_numel(&c, 2);
  assert_true(t.most == 3 && t.heaviest == 0 && t.least == 0 && t.lightest == (numel + 1) / 2);
  assert_true(t.empty == world - (numel + 1) / 2 && t.padded == 3 * world && t.per_rank == 3);
  assert_int_equal(shards_owner(&c, 2, numel - 1, &offset), (numel - 1) / 2);
  shards_free(&c);
}

/* ---- refusals ---------------------------------------------------------------------------------------------------- */

static shards_case three(void)
{
  shards_case c = {.s = shards_of(DTC_SHARD_SCHEME_ZERO3, 4), .n = 3};
  for (size_t i = 0; i < 3; i++)
    c.shapes[i] = (dtc_shape){.rows = 10 * (i + 1), .cols = 1};
  shards_lay(&c);
  return c;
}

static dtc_status layout_status(const shards_case *c, const dtc_shape *shapes, size_t cap, size_t n_scratch,
                                dtc_error *e)
{
  dtc_slot slots[SHARDS_MOST];
  size_t count = 4711;
  dtc_status s = dtc_shards_layout(&c->s, shapes, c->n, slots, cap, &count, c->scratch, n_scratch, e);
  int told = s == DTC_OK || (s == DTC_E_SPACE && e->field != DTC_ARG_SCRATCH);
  assert_int_equal(count, told ? c->n : 4711);
  return s;
}

static void what_layouts_refuse(void **state)
{
  (void)state;
  dtc_error e = error();
  shards_case c = three();
  assert_int_equal(layout_status(&c, c.shapes, 3, c.n_scratch, &e), DTC_OK);
  assert_int_equal(layout_status(&c, c.shapes, 2, c.n_scratch, &e), DTC_E_SPACE);
  assert_int_equal(layout_status(&c, c.shapes, 3, c.n_scratch - 1, &e), DTC_E_SPACE);
  assert_true(e.rule == DTC_RULE_SCRATCH && e.field == DTC_ARG_SCRATCH && e.min == c.n_scratch);
  assert_int_equal(layout_status(&c, NULL, 3, c.n_scratch, &e), DTC_E_RANGE);
  assert_true(e.field == DTC_ARG_SHAPES && e.got == 3);
  c.shapes[1].cols = (UINT64_C(1) << 40) + 1;
  assert_int_equal(layout_status(&c, c.shapes, 3, c.n_scratch, &e), DTC_E_RANGE);
  assert_int_equal(e.field, DTC_FIELD(shape, cols));
  c.shapes[1] = c.shapes[2] = (dtc_shape){.rows = UINT64_C(1) << 40, .cols = 1 << 15}; /* 2^55 each */
  assert_int_equal(layout_status(&c, c.shapes, 3, c.n_scratch, &e), DTC_E_OVERFLOW);
  c.shapes[1] = (dtc_shape){.rows = UINT64_C(1) << 40, .cols = UINT64_C(1) << 40};
  assert_int_equal(layout_status(&c, c.shapes, 3, c.n_scratch, &e), DTC_E_OVERFLOW);
  shards_free(&c);
}

/* Failures inside the layout itself leave the count alone. */
static void layouts_that_overflow(void **state)
{
  (void)state;
  dtc_error e = error();
  shards_case c = {.s = shards_of(DTC_SHARD_SCHEME_FSDP2, UINT64_C(1) << 32), .n = 2};
  c.shapes[0] = (dtc_shape){.rows = 1, .cols = 1};
  c.shapes[1] = (dtc_shape){.rows = 1, .cols = UINT64_C(1) << 40}; /* a row for each of 2^32 ranks */
  uint64_t scratch[64];
  c.scratch = scratch;
  assert_int_equal(layout_status(&c, c.shapes, 2, 64, &e), DTC_E_OVERFLOW);
  assert_int_equal(e.field, DTC_FIELD(shape, cols));
  c.s = shards_of(DTC_SHARD_SCHEME_MEGATRON_FSDP, 2);
  c.shapes[1].cols = 0;
  assert_int_equal(layout_status(&c, c.shapes, 2, 64, &e), DTC_E_RANGE);
}

static void scratch_is_what_is_needed(void **state)
{
  (void)state;
  dtc_error e = error();
  uint64_t needed = 4711, wide = 0;
  dtc_shards s = shards_of(DTC_SHARD_SCHEME_FSDP1, 8);
  check_ok(dtc_shards_scratch(&s, 0, &needed, &e), &e);
  assert_int_equal(needed, 0);
  s.scheme = DTC_SHARD_SCHEME_LAYERWISE;
  check_ok(dtc_shards_scratch(&s, 10, &needed, &e), &e);
  s.world = 9;
  check_ok(dtc_shards_scratch(&s, 10, &wide, &e), &e);
  assert_int_equal(wide, needed + 3);
  needed = 4711;
  assert_int_equal(dtc_shards_scratch(&s, ((size_t)1 << 24) + 1, &needed, &e), DTC_E_RANGE);
  assert_int_equal(e.field, DTC_ARG_SHAPES);
  s.hpz = 2;
  assert_int_equal(dtc_shards_scratch(&s, 10, &needed, &e), DTC_E_UNSUPPORTED);
  assert_int_equal(needed, 4711);
}

static dtc_status parts_status(const shards_case *c, uint64_t rank, size_t n_slots, size_t cap, dtc_error *e)
{
  dtc_fragment parts[SHARDS_MOST];
  size_t count = 4711;
  dtc_status s = dtc_shards_fragments(&c->s, c->shapes, c->n, c->slots, n_slots, rank, parts, cap, &count, e);
  assert_true((count == 4711) == (s != DTC_OK && s != DTC_E_SPACE));
  return s;
}

static void what_fragments_refuse(void **state)
{
  (void)state;
  dtc_error e = error();
  shards_case c = three();
  size_t count = 4711;
  assert_int_equal(parts_status(&c, 3, 3, 3, &e), DTC_OK);
  assert_int_equal(parts_status(&c, 0, 3, 2, &e), DTC_E_SPACE);
  assert_true(e.got == 2 && e.min == 3);
  assert_int_equal(parts_status(&c, 4, 3, 3, &e), DTC_E_RANGE);
  assert_true(e.field == DTC_ARG_RANK && e.got == 4 && e.max == 3);
  assert_int_equal(parts_status(&c, 0, 2, 3, &e), DTC_E_RANGE);
  assert_true(e.field == DTC_ARG_SLOTS && e.got == 2 && e.min == 3);
  assert_int_equal(dtc_shards_fragments(&c.s, c.shapes, 3, NULL, 3, 0, NULL, 0, &count, &e), DTC_E_RANGE);
  assert_int_equal(dtc_shards_fragments(&c.s, NULL, 3, c.slots, 3, 0, NULL, 0, &count, &e), DTC_E_RANGE);
  assert_int_equal(count, 4711);
  c.s.world = 5; /* slots for another world: 12 elements over 5 ranks */
  assert_int_equal(parts_status(&c, 0, 3, 3, &e), DTC_E_CONFLICT);
  assert_true(e.rule == DTC_RULE_SLOTS && e.field == DTC_ARG_SLOTS && e.got == 0);
  c.s.world = 4;
  c.slots[1].owner = 4;
  assert_int_equal(parts_status(&c, 0, 3, 3, &e), DTC_E_CONFLICT);
  assert_int_equal(e.got, 1);
  c.slots[1].owner = 3;
  assert_int_equal(parts_status(&c, 0, 3, 3, &e), DTC_OK);
  c.slots[2].start += 3; /* ends behind its bucket */
  assert_int_equal(parts_status(&c, 0, 3, 3, &e), DTC_E_CONFLICT);
  assert_int_equal(e.got, 2);
  shards_free(&c);
}

static dtc_status totals_status(const shards_case *c, size_t n_scratch, dtc_error *e)
{
  dtc_shard_totals t;
  DTC_INIT(&t);
  t.numel = 4711;
  dtc_status s = dtc_shards_totals(&c->s, c->shapes, c->n, c->slots, c->n, &t, c->scratch, n_scratch, e);
  assert_true((t.numel == 4711) == (s != DTC_OK));
  return s;
}

static void what_totals_refuse(void **state)
{
  (void)state;
  dtc_error e = error();
  shards_case c = three();
  assert_int_equal(totals_status(&c, c.n_scratch, &e), DTC_OK);
  assert_int_equal(totals_status(&c, c.n_scratch - 1, &e), DTC_E_SPACE);
  assert_true(e.rule == DTC_RULE_SCRATCH && e.min == c.n_scratch);
  c.slots[1].bucket = 3;
  assert_int_equal(totals_status(&c, c.n_scratch, &e), DTC_E_CONFLICT);
  assert_true(e.rule == DTC_RULE_SLOTS && e.got == 1);
  shards_free(&c);
}

static dtc_status owner_status(const shards_case *c, uint64_t tensor, uint64_t element, dtc_error *e)
{
  uint64_t rank = 4711, offset = 4711;
  dtc_status s = dtc_shards_owner(&c->s, c->shapes, c->n, c->slots, c->n, tensor, element, &rank, &offset, e);
  assert_true((rank == 4711 && offset == 4711) == (s != DTC_OK));
  return s;
}

/* The owner is found without a look at the other tensors. */
static void what_owners_refuse(void **state)
{
  (void)state;
  dtc_error e = error();
  shards_case c = three();
  uint64_t rank = 0, offset = 0;
  assert_int_equal(owner_status(&c, 3, 0, &e), DTC_E_RANGE);
  assert_true(e.field == DTC_ARG_TENSOR && e.max == 2);
  assert_int_equal(owner_status(&c, 1, 20, &e), DTC_E_RANGE);
  assert_true(e.field == DTC_ARG_ELEMENT && e.max == 19);
  assert_int_equal(dtc_shards_owner(&c.s, c.shapes, 3, c.slots, 2, 0, 0, &rank, &offset, &e), DTC_E_RANGE);
  assert_int_equal(e.field, DTC_ARG_SLOTS);
  assert_int_equal(dtc_shards_owner(&c.s, NULL, 3, c.slots, 3, 0, 0, &rank, &offset, &e), DTC_E_RANGE);
  assert_int_equal(e.field, DTC_ARG_SHAPES);
  assert_int_equal(dtc_shards_owner(&c.s, NULL, 0, NULL, 0, 0, 0, &rank, &offset, &e), DTC_E_RANGE);
  assert_int_equal(e.field, DTC_ARG_TENSOR);
  c.slots[1].bucket_start = c.slots[1].start + 1;
  assert_int_equal(owner_status(&c, 1, 0, &e), DTC_E_CONFLICT);
  assert_true(e.rule == DTC_RULE_SLOTS && e.got == 1);
  c.shapes[2].rows = DTC_NONE;
  assert_int_equal(owner_status(&c, 2, 0, &e), DTC_E_RANGE);
  assert_int_equal(owner_status(&c, 0, 9, &e), DTC_OK);
  shards_free(&c);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(defaults_are_the_frameworks),
      cmocka_unit_test(megatrons_buckets_grow_with_the_world),
      cmocka_unit_test(resolving_twice_changes_nothing),
      cmocka_unit_test(settings_that_a_scheme_lacks),
      cmocka_unit_test(values_out_of_range),
      cmocka_unit_test(plans_say_who_shards),
      cmocka_unit_test(scaling_shards_as_deepspeed),
      cmocka_unit_test(plans_say_types_and_versions),
      cmocka_unit_test(plans_that_are_refused),
      cmocka_unit_test(shapes_are_the_models),
      cmocka_unit_test(llama_over_1024_ranks),
      cmocka_unit_test(local_shapes_at_the_limits),
      cmocka_unit_test(small_worlds_are_walked_through),
      cmocka_unit_test(large_worlds_are_sampled),
      cmocka_unit_test(more_ranks_than_elements),
      cmocka_unit_test(what_layouts_refuse),
      cmocka_unit_test(layouts_that_overflow),
      cmocka_unit_test(scratch_is_what_is_needed),
      cmocka_unit_test(what_fragments_refuse),
      cmocka_unit_test(what_totals_refuse),
      cmocka_unit_test(what_owners_refuse),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

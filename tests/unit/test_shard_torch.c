/* Layouts of PyTorch and fairscale: DDP's buckets, whole tensors, FSDP; shapes under tensor parallelism; buckets. */
#include "shards_check.h"

static dtc_error error(void)
{
  dtc_error e;
  DTC_INIT(&e);
  return e;
}

/* A case of vectors. */
static shards_case vectors(dtc_shard_scheme scheme, uint64_t world, const uint64_t *numels, size_t n)
{
  shards_case c = {.s = shards_of(scheme, world), .n = n};
  for (size_t i = 0; i < n; i++)
    c.shapes[i] = (dtc_shape){.rows = numels[i], .cols = 1};
  return c;
}

#define VECTORS(scheme, world, ...)                                                                                    \
  vectors(DTC_SHARD_SCHEME_##scheme, world, (const uint64_t[]){__VA_ARGS__},                                           \
          sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

static size_t buckets_of(shards_case *c, dtc_bucket *out)
{
  dtc_error e = error();
  size_t n = 0;
  shards_lay(c);
  check_ok(dtc_shards_buckets(&c->s, c->shapes, c->n, c->slots, c->n, out, SHARDS_MOST, &n, &e), &e);
  return n;
}

/* ---- DDP --------------------------------------------------------------------------------------------------------- */

static void ddp_overshoots_its_limits(void **state)
{
  (void)state;
  /* from the end: 30 reaches 16 * 2 bytes at once; 10 + 20 + 40 reach 64 * 2; 5 is left */
  shards_case c = VECTORS(DDP, 8, 5, 40, 20, 10, 30);
  dtc_bucket b[SHARDS_MOST];
  c.s.first_bucket = 32;
  c.s.bucket = 128;
  assert_int_equal(buckets_of(&c, b), 3);
  assert_true(b[0].tensors == 1 && b[0].first == 4 && b[0].bytes == 60 && b[0].start == 0 && b[0].stop == 30);
  assert_true(b[1].tensors == 3 && b[1].first == 1 && b[1].bytes == 140 && b[1].start == 30);
  assert_true(b[2].tensors == 1 && b[2].first == 0 && b[2].used == 5 && b[2].stop == 105);
  assert_true(c.slots[3].start == 30 && c.slots[2].start == 40 && c.slots[1].start == 60);
  assert_true(b[0].owner == DTC_EVERYWHERE && b[0].dtype == DTC_DTYPE_BF16);
  shards_free(&c);
}

static void ddp_starts_in_the_order_of_definition(void **state)
{
  (void)state;
  /* 5 + 40 reach 32 bytes, 20 + 10 + 30 are left over; the list is reversed */
  shards_case c = VECTORS(DDP, 8, 5, 40, 20, 10, 30);
  dtc_bucket b[SHARDS_MOST];
  c.s.first_step = DTC_BOOL_ON;
  c.s.first_bucket = 32;
  c.s.bucket = 128;
  assert_int_equal(buckets_of(&c, b), 2);
  assert_true(b[0].tensors == 3 && b[0].first == 2 && b[0].used == 60);
  assert_true(b[1].tensors == 2 && b[1].first == 0 && b[1].start == 60 && c.slots[1].start == 65);
  shards_free(&c);
}

static void ddp_keeps_types_apart(void **state)
{
  (void)state;
  /* from the end: bf16 3, fp32 2, bf16 1, fp32 0: each type has a first limit of its own */
  shards_case c = VECTORS(DDP, 2, 10, 10, 10, 10);
  dtc_bucket b[SHARDS_MOST];
  c.shapes[0].dtype = c.shapes[2].dtype = DTC_DTYPE_FP32;
  c.s.first_bucket = 20;
  c.s.bucket = 1000;
  assert_int_equal(buckets_of(&c, b), 4);
  assert_true(b[0].first == 3 && b[1].first == 2 && b[1].dtype == DTC_DTYPE_FP32 && b[1].bytes == 40);
  assert_true(b[2].first == 1 && b[3].first == 0); /* left over: bf16 came first */
  c.s.first_step = DTC_BOOL_ON;
  c.s.first_bucket = c.s.bucket = DTC_NONE;
  assert_int_equal(buckets_of(&c, b), 2);
  assert_true(b[0].first == 1 && b[0].tensors == 2 && b[1].first == 0 && b[1].bytes == 80);
  shards_free(&c);
}

static void ddp_has_pytorchs_limits(void **state)
{
  (void)state;
  dtc_shards s = shards_of(DTC_SHARD_SCHEME_DDP, 8), r;
  DTC_INIT(&r);
  assert_int_equal(dtc_shards_resolve(&s, &r, NULL), DTC_OK);
  assert_true(r.first_bucket == 1 << 20 && r.bucket == 25 << 20);
  s.bucket = 1000;
  assert_int_equal(dtc_shards_resolve(&s, &r, NULL), DTC_OK);
  assert_true(r.first_bucket == 1000 && r.bucket == 1000);
  s.bucket = 0;
  s.first_step = DTC_BOOL_ON; /* one bucket per type */
  assert_int_equal(dtc_shards_resolve(&s, &r, NULL), DTC_OK);
  assert_true(r.first_bucket == DTC_NONE && r.bucket == DTC_NONE);
}

static void ddp_holds_what_every_layout_does(void **state)
{
  (void)state;
  shards_case c = {.scratch = NULL};
  uint64_t seed = 5;
  for (int round = 0; round < 400; round++) {
    shards_random(&c, &seed, 1);
    c.s = shards_of(DTC_SHARD_SCHEME_DDP, 1 + check_random(&seed, 20));
    c.s.first_step = round % 2 ? DTC_BOOL_ON : DTC_BOOL_OFF;
    c.s.bucket = 1 + check_random(&seed, 1 << 20);
    c.s.first_bucket = 1 + check_random(&seed, 1 << 10);
    shards_check(&c, &seed);
  }
  shards_free(&c);
}

/* ---- whole tensors ----------------------------------------------------------------------------------------------- */

static void check_owners(shards_case *c, const uint32_t *owners)
{
  shards_lay(c);
  for (size_t i = 0; i < c->n; i++)
    assert_int_equal(c->slots[i].owner, owners[i]);
  shards_free(c);
}

static void largest_first_or_in_order(void **state)
{
  (void)state;
  shards_case whole = VECTORS(WHOLE, 3, 3, 9, 4, 9, 5, 1), oss = VECTORS(OSS, 3, 3, 9, 4, 9, 5, 1);
  check_owners(&whole, (const uint32_t[]){0, 0, 2, 1, 2, 1}); /* 5 and 4 fill rank 2; all hold 9 when 3 comes */
  check_owners(&oss, (const uint32_t[]){0, 1, 2, 0, 2, 1});
  shards_case empty = VECTORS(OSS, 4, 0, 0, 7, 0, 7);
  check_owners(&empty, (const uint32_t[]){0, 0, 0, 1, 1}); /* what weighs nothing stays with the first */
}

/* The same by plain counting. */
static void whole_tensors_by_counting(void **state)
{
  (void)state;
  shards_case c = {.scratch = NULL};
  uint64_t seed = 9, load[64];
  for (int round = 0; round < 600; round++) {
    int by_size = round % 2;
    uint64_t world = 1 + check_random(&seed, 40);
    int done[SHARDS_MOST] = {0};
    shards_random(&c, &seed, 0);
    for (size_t i = 0; i < c.n && round % 3 == 0; i++)
      c.shapes[i] = (dtc_shape){.rows = check_random(&seed, 4), .cols = 1}; /* many ties */
    c.s = shards_of(by_size ? DTC_SHARD_SCHEME_WHOLE : DTC_SHARD_SCHEME_OSS, world);
    shards_lay(&c);
    memset(load, 0, sizeof load);
    for (size_t k = 0; k < c.n; k++) {
      size_t next = c.n;
      uint64_t rank = 0;
      for (size_t i = 0; i < c.n; i++)
        if (!done[i] && (next == c.n || (by_size && shards_numel(&c, i) > shards_numel(&c, next))))
          next = i;
      for (uint64_t r = 1; r < world; r++)
        rank = load[r] < load[rank] ? r : rank;
      assert_int_equal(c.slots[next].owner, rank);
      load[rank] += shards_numel(&c, next);
      done[next] = 1;
    }
  }
  shards_free(&c);
}

static void other_layouts_hold_what_every_layout_does(void **state)
{
  (void)state;
  shards_check_scheme(DTC_SHARD_SCHEME_WHOLE, 1, 200);
  shards_check_scheme(DTC_SHARD_SCHEME_OSS, 1, 200);
  shards_check_scheme(DTC_SHARD_SCHEME_FSDP1, 0, 200);
  shards_check_scheme(DTC_SHARD_SCHEME_FSDP2, 1, 200);
}

static void the_largest_world_takes_no_longer(void **state)
{
  (void)state;
  shards_case c = VECTORS(WHOLE, UINT64_C(1) << 32, 7, 8, 9);
  check_owners(&c, (const uint32_t[]){2, 1, 0});
}

/* ---- FSDP -------------------------------------------------------------------------------------------------------- */

static void fsdp2_cuts_what_tensor_parallelism_left(void **state)
{
  (void)state;
  /* 13 rows over tp 2: 7 and 6; 7 over 4 ranks: 2, 2, 2, 1 */
  shards_case c = {.s = shards_of(DTC_SHARD_SCHEME_FSDP2, 4), .n = 1};
  dtc_shape whole = {.rows = 13, .cols = 3, .dims = 2, .dtype = DTC_DTYPE_FP32};
  dtc_fragment f;
  dtc_bucket b;
  size_t count = 0;
  assert_int_equal(dtc_shards_local(&whole, 1, 2, 1, c.shapes, 1, &count, NULL), DTC_OK);
  assert_true(count == 1 && c.shapes[0].rows == 6 && c.shapes[0].cols == 3 && c.shapes[0].dtype == DTC_DTYPE_FP32);
  assert_int_equal(dtc_shards_local(&whole, 1, 2, 0, c.shapes, 1, &count, NULL), DTC_OK);
  assert_int_equal(c.shapes[0].rows, 7);
  assert_int_equal(buckets_of(&c, &b), 1);
  assert_true(b.used == 21 && b.stop == 24 && b.bytes == 96 && b.owner == DTC_EVENLY);
  assert_int_equal(shards_parts(&c, 3, &f), 1);
  assert_true(f.tensor_offset == 18 && f.length == 3 && f.shard_offset == 0);
  shards_free(&c);
}

/* All ranks together have all rows. */
static void tensor_parallelism_tiles_the_rows(void **state)
{
  (void)state;
  shards_case c = {.scratch = NULL};
  uint64_t seed = 4;
  for (int round = 0; round < 200; round++) {
    dtc_shape out[SHARDS_MOST];
    uint64_t rows[SHARDS_MOST] = {0}, tp = 1 + check_random(&seed, 40);
    size_t count = 0;
    shards_random(&c, &seed, 1);
    for (uint64_t rank = 0; rank < tp; rank++) {
      assert_int_equal(dtc_shards_local(c.shapes, c.n, tp, rank, out, c.n, &count, NULL), DTC_OK);
      for (size_t i = 0; i < count; i++) {
        assert_true(out[i].cols == c.shapes[i].cols && out[i].rows <= (c.shapes[i].rows + tp - 1) / tp);
        rows[i] += out[i].rows;
      }
    }
    for (size_t i = 0; i < c.n; i++)
      assert_int_equal(rows[i], c.shapes[i].rows);
  }
}

static void what_tensor_parallelism_refuses(void **state)
{
  (void)state;
  dtc_error e = error();
  dtc_shape shape = {.rows = 4, .cols = 4}, out;
  size_t count = 9;
  assert_int_equal(dtc_shards_local(&shape, 1, 0, 0, &out, 1, &count, &e), DTC_E_RANGE);
  assert_true(e.field == DTC_ARG_TP && e.min == 1 && e.max == UINT64_C(1) << 32);
  assert_int_equal(dtc_shards_local(&shape, 1, 4, 4, &out, 1, &count, &e), DTC_E_RANGE);
  assert_true(e.field == DTC_ARG_RANK && e.max == 3);
  assert_int_equal(dtc_shards_local(NULL, 1, 4, 0, &out, 1, &count, &e), DTC_E_RANGE);
  assert_int_equal(count, 9);
  assert_int_equal(dtc_shards_local(&shape, 1, 4, 0, &out, 0, &count, &e), DTC_E_SPACE);
  assert_int_equal(count, 1);
  shape.rows = DTC_NONE;
  assert_int_equal(dtc_shards_local(&shape, 1, 4, 0, &out, 1, &count, &e), DTC_E_RANGE);
}

/* ---- buckets ----------------------------------------------------------------------------------------------------- */

static dtc_status buckets_status(const shards_case *c, size_t cap, dtc_error *e)
{
  dtc_bucket b[SHARDS_MOST];
  size_t n = 4711;
  dtc_status status = dtc_shards_buckets(&c->s, c->shapes, c->n, c->slots, c->n, b, cap, &n, e);
  assert_true((n == 4711) == (status != DTC_OK && status != DTC_E_SPACE));
  return status;
}

static void what_buckets_refuse(void **state)
{
  (void)state;
  dtc_error e = error();
  shards_case c = VECTORS(ZERO12, 2, 10, 20, 30);
  dtc_bucket b[SHARDS_MOST];
  assert_int_equal(buckets_of(&c, b), 1);
  assert_true(b[0].tensors == 3 && b[0].used == 60 && b[0].bytes == 120);
  assert_int_equal(buckets_status(&c, 0, &e), DTC_E_SPACE);
  assert_true(e.min == 1);
  c.slots[2].used--;
  assert_int_equal(buckets_status(&c, 3, &e), DTC_E_CONFLICT);
  assert_true(e.rule == DTC_RULE_SLOTS && e.got == 2);
  c.slots[2].used++;
  c.slots[1].bucket = 2; /* a hole is no conflict */
  size_t n = 0;
  assert_int_equal(dtc_shards_buckets(&c.s, c.shapes, 3, c.slots, 3, b, 3, &n, &e), DTC_OK);
  assert_true(n == 3 && b[1].tensors == 0 && b[1].stop == 0 && b[2].first == 1);
  c.slots[1].bucket = 3;
  assert_int_equal(buckets_status(&c, 3, &e), DTC_E_CONFLICT);
  c.slots[1].bucket = 0;
  for (size_t i = 0; i < 3; i++)
    c.slots[i].bucket_end = UINT64_C(1) << 62;
  assert_int_equal(buckets_status(&c, 3, &e), DTC_OK);
  c.s.dtype = DTC_DTYPE_FP64;
  assert_int_equal(buckets_status(&c, 3, &e), DTC_E_OVERFLOW);
  shards_free(&c);
}

static void no_tensors_have_no_buckets(void **state)
{
  (void)state;
  for (uint32_t scheme = DTC_SHARD_SCHEME_DDP; scheme <= DTC_SHARD_SCHEME_OSS; scheme++) {
    dtc_shards s = shards_of(scheme, 3);
    size_t count = 9;
    assert_int_equal(dtc_shards_layout(&s, NULL, 0, NULL, 0, &count, NULL, 0, NULL), DTC_OK);
    assert_int_equal(dtc_shards_buckets(&s, NULL, 0, NULL, 0, NULL, 0, &count, NULL), DTC_OK);
    assert_int_equal(count, 0);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ddp_overshoots_its_limits),
      cmocka_unit_test(ddp_starts_in_the_order_of_definition),
      cmocka_unit_test(ddp_keeps_types_apart),
      cmocka_unit_test(ddp_has_pytorchs_limits),
      cmocka_unit_test(ddp_holds_what_every_layout_does),
      cmocka_unit_test(largest_first_or_in_order),
      cmocka_unit_test(whole_tensors_by_counting),
      cmocka_unit_test(other_layouts_hold_what_every_layout_does),
      cmocka_unit_test(the_largest_world_takes_no_longer),
      cmocka_unit_test(fsdp2_cuts_what_tensor_parallelism_left),
      cmocka_unit_test(tensor_parallelism_tiles_the_rows),
      cmocka_unit_test(what_tensor_parallelism_refuses),
      cmocka_unit_test(what_buckets_refuse),
      cmocka_unit_test(no_tensors_have_no_buckets),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

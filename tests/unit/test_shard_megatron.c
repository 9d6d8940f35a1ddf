/* Layouts of Megatron-Core's buffers and of megatron-fsdp. */
#include "shards_check.h"

static dtc_error error(void)
{
  dtc_error e;
  DTC_INIT(&e);
  return e;
}

static shards_case shapes_of(dtc_shard_scheme scheme, uint64_t world, const dtc_shape *shapes, size_t n)
{
  shards_case c = {.s = shards_of(scheme, world), .n = n};
  memcpy(c.shapes, shapes, n * sizeof *shapes);
  return c;
}

#define CASE(scheme, world, ...)                                                                                       \
  shapes_of(DTC_SHARD_SCHEME_##scheme, world, (const dtc_shape[]){__VA_ARGS__},                                        \
            sizeof((const dtc_shape[]){__VA_ARGS__}) / sizeof(dtc_shape))
#define VECTOR(n)                                                                                                      \
  {                                                                                                                    \
    .rows = (n), .cols = 1, .dims = 1                                                                                  \
  }
#define MATRIX(r, c)                                                                                                   \
  {                                                                                                                    \
    .rows = (r), .cols = (c), .dims = 2                                                                                \
  }

static void is_slot(const shards_case *c, size_t i, uint64_t start, uint32_t bucket, uint64_t bucket_start,
                    uint64_t bucket_end, uint64_t used)
{
  const dtc_slot *s = &c->slots[i];
  if (s->start != start || s->bucket != bucket || s->bucket_start != bucket_start || s->bucket_end != bucket_end ||
      s->used != used)
    fail_msg("slot %d: %d in bucket %d [%d, %d) with %d", (int)i, (int)s->start, (int)s->bucket, (int)s->bucket_start,
             (int)s->bucket_end, (int)s->used);
}

/* The layout is refused with this status for this field. */
static void refused(shards_case *c, dtc_status status, uint32_t field)
{
  dtc_error e = error();
  size_t count = 77;
  check_ok(dtc_shards_scratch(&c->s, c->n, &c->n_scratch, &e), &e);
  c->scratch = realloc(c->scratch, sizeof *c->scratch * (c->n_scratch + 1));
  assert_int_equal(dtc_shards_layout(&c->s, c->shapes, c->n, c->slots, c->n, &count, c->scratch, c->n_scratch, &e),
                   status);
  assert_int_equal(e.field, field);
  assert_int_equal(count, 77);
  shards_free(c);
}

/* ---- buckets from the end ---------------------------------------------------------------------------------------- */

static void tensors_start_at_64_elements_from_the_last(void **state)
{
  (void)state;
  shards_case c = CASE(DISTOPT, 2, VECTOR(100), VECTOR(70), VECTOR(10));
  c.s.bucket = DTC_NONE;
  shards_lay(&c);
  is_slot(&c, 2, 0, 0, 0, 384, 292);
  is_slot(&c, 1, 64, 0, 0, 384, 292);
  is_slot(&c, 0, 192, 0, 0, 384, 292);
  shards_free(&c);
}

static void a_bucket_closes_behind_the_tensor_that_fills_it(void **state)
{
  (void)state;
  shards_case c = CASE(DISTOPT, 2, VECTOR(100), VECTOR(70), VECTOR(10));
  c.s.bucket = 100;
  shards_lay(&c);
  is_slot(&c, 2, 0, 0, 0, 256, 134);
  is_slot(&c, 1, 64, 0, 0, 256, 134);
  is_slot(&c, 0, 256, 1, 256, 384, 100);
  shards_free(&c);
}

static void a_shared_embedding_is_alone(void **state)
{
  (void)state;
  shards_case c = CASE(DISTOPT, 2, VECTOR(10), VECTOR(20), VECTOR(30));
  c.s.bucket = DTC_NONE;
  c.shapes[1].shared = 1;
  shards_lay(&c);
  is_slot(&c, 2, 0, 0, 0, 128, 64); /* the gap in front of the embedding counts as used */
  is_slot(&c, 1, 128, 1, 128, 256, 20);
  is_slot(&c, 0, 256, 2, 256, 384, 10);
  shards_free(&c);
}

static void high_bandwidth_pads_to_powers_of_two(void **state)
{
  (void)state;
  shards_case c = CASE(DISTOPT, 3, VECTOR(10));
  c.s.high_busbw = DTC_BOOL_ON;
  shards_lay(&c);
  is_slot(&c, 0, 0, 0, 0, 3 * 65536, 10);
  c.s.high_busbw = DTC_BOOL_OFF;
  shards_lay(&c);
  is_slot(&c, 0, 0, 0, 0, 3 * 128, 10);
  shards_free(&c);
}

static void without_the_distributed_optimizer_nothing_is_padded(void **state)
{
  (void)state;
  shards_case c = CASE(ALLREDUCE, 8, VECTOR(10), VECTOR(20), VECTOR(30));
  c.s.bucket = 25;
  c.shapes[1].shared = 1; /* means nothing here */
  shards_lay(&c);
  is_slot(&c, 2, 0, 0, 0, 30, 30);
  is_slot(&c, 1, 30, 1, 30, 60, 30);
  is_slot(&c, 0, 50, 1, 30, 60, 30);
  assert_int_equal(c.slots[0].owner, DTC_EVERYWHERE);
  shards_free(&c);
}

/* ---- layer-wise -------------------------------------------------------------------------------------------------- */

static void the_dearest_tensor_goes_first(void **state)
{
  (void)state;
  shards_case c = CASE(LAYERWISE, 2, MATRIX(64, 64), MATRIX(32, 128), VECTOR(4096));
  c.s.bucket = DTC_NONE;
  shards_lay(&c);
  /* the vector would make either part longer than 1.3 times the mean, so it goes to the shortest */
  is_slot(&c, 0, 0, 0, 0, 16384, 12288);
  is_slot(&c, 1, 8192, 0, 0, 16384, 12288);
  is_slot(&c, 2, 4096, 0, 0, 16384, 12288);
  shards_free(&c);
}

static void costs_above_64_bits_keep_their_order(void **state)
{
  (void)state;
  const uint64_t side = UINT64_C(1) << 27; /* cost 2^81, which is 0 in 64 bits */
  shards_case c = CASE(LAYERWISE, 2, MATRIX(side, side), {.rows = UINT64_C(1) << 40, .cols = 1 << 15, .dims = 3});
  c.s.bucket = DTC_NONE;
  shards_lay(&c);
  assert_int_equal(c.slots[0].start, 0);
  assert_true(c.slots[1].start == UINT64_C(1) << 55);
  shards_free(&c);
}

static void work_of_the_layer_wise_balance_is_bounded(void **state)
{
  (void)state;
  dtc_error e = error();
  const size_t n = 65536;
  size_t count = 0;
  uint64_t needed = 0;
  dtc_shards s = shards_of(DTC_SHARD_SCHEME_LAYERWISE, 4097);
  check_ok(dtc_shards_scratch(&s, n, &needed, &e), &e);
  dtc_shape *shapes = calloc(n, sizeof *shapes);
  dtc_slot *slots = calloc(n, sizeof *slots);
  uint64_t *scratch = calloc(needed, sizeof *scratch);
  assert_int_equal(dtc_shards_layout(&s, shapes, n, slots, n, &count, scratch, needed, &e), DTC_E_RANGE);
  assert_true(e.field == DTC_FIELD(shards, world) && e.max == 4096);
  free(scratch);
  free(slots);
  free(shapes);
}

/* ---- megatron-fsdp ----------------------------------------------------------------------------------------------- */

static void rows_lie_on_a_grid_of_their_common_multiple(void **state)
{
  (void)state;
  shards_case c = CASE(MEGATRON_FSDP, 2, MATRIX(3, 4), MATRIX(2, 6), VECTOR(5));
  c.s.bucket = DTC_NONE;
  shards_lay(&c);
  is_slot(&c, 1, 0, 0, 0, 48, 29);
  is_slot(&c, 0, 12, 0, 0, 48, 29);
  is_slot(&c, 2, 24, 0, 0, 48, 29);
  shards_free(&c);
}

static void small_tensors_fill_gaps(void **state)
{
  (void)state;
  shards_case c = CASE(MEGATRON_FSDP, 1, MATRIX(3, 4), MATRIX(5, 6), VECTOR(5));
  c.s.bucket = DTC_NONE;
  shards_lay(&c);
  is_slot(&c, 1, 0, 0, 0, 48, 48);
  is_slot(&c, 2, 30, 0, 0, 48, 48);
  is_slot(&c, 0, 36, 0, 0, 48, 48);
  shards_free(&c);
}

static void a_partner_closes_a_gap_from_behind(void **state)
{
  (void)state;
  shards_case c = CASE(MEGATRON_FSDP, 1, MATRIX(3, 4), MATRIX(3, 6), MATRIX(3, 6));
  c.s.bucket = DTC_NONE;
  shards_lay(&c);
  is_slot(&c, 1, 0, 0, 0, 48, 48);
  is_slot(&c, 2, 18, 0, 0, 48, 48);
  is_slot(&c, 0, 36, 0, 0, 48, 48);
  shards_free(&c);
}

static void v2_starts_small_tensors_at_whole_rows(void **state)
{
  (void)state;
  shards_case c = CASE(MEGATRON_FSDP2, 1, MATRIX(3, 4), MATRIX(5, 6), MATRIX(1, 4));
  shards_lay(&c);
  is_slot(&c, 0, 0, 0, 0, 48, 48);
  is_slot(&c, 1, 12, 0, 0, 48, 48);
  is_slot(&c, 2, 44, 0, 0, 48, 48);
  shards_free(&c);
}

static void groups_close_at_the_suggested_size(void **state)
{
  (void)state;
  shards_case c = CASE(MEGATRON_FSDP, 4, VECTOR(10), VECTOR(10), VECTOR(3));
  c.s.bucket = 20;
  shards_lay(&c);
  is_slot(&c, 0, 0, 0, 0, 20, 20);
  is_slot(&c, 1, 10, 0, 0, 20, 20);
  is_slot(&c, 2, 20, 1, 20, 24, 3);
  shards_free(&c);
}

static void grids_that_do_not_exist_are_refused(void **state)
{
  (void)state;
  shards_case c = CASE(MEGATRON_FSDP, 2, MATRIX(3, 0));
  refused(&c, DTC_E_RANGE, DTC_FIELD(shape, cols));
  static const uint64_t primes[] = {99991, 99989, 99971, 99961, 99929};
  c = CASE(MEGATRON_FSDP2, 2, MATRIX(1, 1));
  for (c.n = 0; c.n < 5; c.n++)
    c.shapes[c.n] = (dtc_shape)MATRIX(1, primes[c.n]);
  refused(&c, DTC_E_OVERFLOW, DTC_FIELD(shape, cols));
  c.n = 3; /* a chunk of 10^15, over 2^32 ranks */
  c.s.world = UINT64_C(1) << 32;
  refused(&c, DTC_E_OVERFLOW, DTC_FIELD(shards, world));
}

static void groups_of_megatron_fsdp_are_bounded(void **state)
{
  (void)state;
  dtc_error e = error();
  const size_t n = 65537;
  size_t count = 0;
  dtc_shape *shapes = calloc(n, sizeof *shapes);
  dtc_slot *slots = calloc(n, sizeof *slots);
  uint64_t needed = 0;
  dtc_shards s = shards_of(DTC_SHARD_SCHEME_MEGATRON_FSDP, 2);
  check_ok(dtc_shards_scratch(&s, n, &needed, &e), &e);
  uint64_t *scratch = calloc(needed, sizeof *scratch);
  for (size_t i = 0; i < n; i++)
    shapes[i] = (dtc_shape)VECTOR(1 + i % 3);
  assert_int_equal(dtc_shards_layout(&s, shapes, n, slots, n, &count, scratch, needed, &e), DTC_E_RANGE);
  assert_int_equal(e.max, n - 1);
  check_ok(dtc_shards_layout(&s, shapes, n - 1, slots, n, &count, scratch, needed, &e), &e);
  free(scratch);
  free(slots);
  free(shapes);
}

/* ---- what holds for every layout --------------------------------------------------------------------------------- */

static void set_random(shards_case *c, uint64_t *seed)
{
  static const uint64_t buckets[] = {0, DTC_NONE, 1, 500, 100000};
  c->s.bucket = buckets[check_random(seed, 5)];
  for (size_t i = 0; i < c->n; i++)
    c->shapes[i].shared = check_random(seed, 10) == 0;
}

static void megatron_layouts_tile(void **state)
{
  (void)state;
  static const dtc_shard_scheme schemes[] = {DTC_SHARD_SCHEME_DISTOPT, DTC_SHARD_SCHEME_ALLREDUCE,
                                             DTC_SHARD_SCHEME_LAYERWISE};
  uint64_t seed = 5;
  shards_case c = {.scratch = NULL};
  for (int round = 0; round < 240; round++) {
    shards_random(&c, &seed, 0);
    c.s = shards_of(schemes[round % 3], shards_random_world(&seed));
    c.s.world = round % 3 == 2 && c.s.world > 1000 ? c.s.world % 1000 + 1 : c.s.world;
    set_random(&c, &seed);
    if (c.s.scheme != DTC_SHARD_SCHEME_ALLREDUCE)
      c.s.high_busbw = check_random(&seed, 2) ? DTC_BOOL_ON : DTC_BOOL_OFF;
    shards_check(&c, &seed);
  }
  shards_free(&c);
}

/* Rows of few sizes, so that their common multiple stays small. */
static void megatron_fsdp_layouts_tile(void **state)
{
  (void)state;
  static const uint64_t cols[] = {1, 2, 3, 4, 6, 12, 16, 40, 64};
  uint64_t seed = 6;
  shards_case c = {.scratch = NULL};
  for (int round = 0; round < 400; round++) {
    c.n = check_random(&seed, 30);
    for (size_t i = 0; i < c.n; i++)
      c.shapes[i] = (dtc_shape)MATRIX(check_random(&seed, 60), cols[check_random(&seed, 9)]);
    c.s = shards_of(round % 2 ? DTC_SHARD_SCHEME_MEGATRON_FSDP : DTC_SHARD_SCHEME_MEGATRON_FSDP2,
                    shards_random_world(&seed));
    if (round % 2)
      set_random(&c, &seed);
    shards_check(&c, &seed);
  }
  shards_free(&c);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tensors_start_at_64_elements_from_the_last),
      cmocka_unit_test(a_bucket_closes_behind_the_tensor_that_fills_it),
      cmocka_unit_test(a_shared_embedding_is_alone),
      cmocka_unit_test(high_bandwidth_pads_to_powers_of_two),
      cmocka_unit_test(without_the_distributed_optimizer_nothing_is_padded),
      cmocka_unit_test(the_dearest_tensor_goes_first),
      cmocka_unit_test(costs_above_64_bits_keep_their_order),
      cmocka_unit_test(work_of_the_layer_wise_balance_is_bounded),
      cmocka_unit_test(rows_lie_on_a_grid_of_their_common_multiple),
      cmocka_unit_test(small_tensors_fill_gaps),
      cmocka_unit_test(a_partner_closes_a_gap_from_behind),
      cmocka_unit_test(v2_starts_small_tensors_at_whole_rows),
      cmocka_unit_test(groups_close_at_the_suggested_size),
      cmocka_unit_test(grids_that_do_not_exist_are_refused),
      cmocka_unit_test(groups_of_megatron_fsdp_are_bounded),
      cmocka_unit_test(megatron_layouts_tile),
      cmocka_unit_test(megatron_fsdp_layouts_tile),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

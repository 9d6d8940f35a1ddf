/* Gemini's chunks: the search by hand and against plain counting, tensors in chunks, refusals. */
#include "shards_check.h"

#include <math.h>

static dtc_error error(void)
{
  dtc_error e;
  DTC_INIT(&e);
  return e;
}

static shards_case gemini(uint64_t world, uint64_t min_chunk, uint64_t range, uint64_t interval)
{
  shards_case c = {.s = shards_of(DTC_SHARD_SCHEME_GEMINI, world)};
  c.s.min_chunk = min_chunk;
  c.s.search_range = range;
  c.s.interval = interval;
  return c;
}

static void add(shards_case *c, uint64_t numel, size_t times)
{
  for (size_t k = 0; k < times; k++)
    c->shapes[c->n++] = (dtc_shape){.rows = numel, .cols = 1};
}

/* Lays the case out, and what the search found. */
static dtc_chunks chunks_of(shards_case *c)
{
  dtc_error e = error();
  dtc_chunks found;
  DTC_INIT(&found);
  shards_lay(c);
  check_ok(dtc_shards_chunks(&c->s, c->shapes, c->n, &found, c->scratch, c->n_scratch, &e), &e);
  return found;
}

static void small_models_stay_gathered(void **state)
{
  (void)state;
  shards_case c = gemini(8, 1000, 100, 10);
  add(&c, 333, 3);
  dtc_chunks found = chunks_of(&c);
  assert_true(found.gathered == 1 && found.size == 999 && found.waste == 0 && found.large == 0);
  assert_true(c.slots[2].start == 666 && c.slots[2].bucket_end == 999 && c.slots[2].owner == DTC_EVERYWHERE);
  add(&c, 1, 1); /* 1000 elements: no longer below the least */
  found = chunks_of(&c);
  assert_true(found.gathered == 0 && found.size == 1000 && c.slots[0].owner == DTC_EVENLY);
  shards_free(&c);
}

static void the_first_of_the_best_sizes_is_taken(void **state)
{
  (void)state;
  /* tensors of 6 in chunks of 10, 12, 14, 16, 18: 4 of 10 are unused in each of 6 chunks, none of 12 or 18 */
  shards_case c = gemini(5, 10, 8, 2);
  add(&c, 6, 6);
  dtc_chunks found = chunks_of(&c);
  assert_true(found.least == 10 && found.waste == 0 && found.size == 15); /* 12, rounded up to the world */
  assert_true(c.slots[1].start == 6 && c.slots[2].start == 15 && c.slots[2].bucket == 1 && c.slots[2].used == 12);
  assert_true(c.slots[5].bucket == 2 && c.slots[5].bucket_end == 45 && c.slots[5].owner == DTC_EVENLY);
  shards_free(&c);
}

static void large_tensors_have_chunks_of_their_own(void **state)
{
  (void)state;
  /* 20 of 10 and one of 1000: mean 57, deviation 211, so 1000 is left out */
  shards_case c = gemini(3, 20, 1, 1);
  add(&c, 10, 3);
  add(&c, 1000, 1);
  add(&c, 10, 17);
  dtc_chunks found = chunks_of(&c);
  assert_true(found.large == 1 && found.least == 20 && found.size == 21 && found.waste == 0);
  assert_true(c.slots[2].bucket == 1 && c.slots[3].bucket == 2 && c.slots[4].bucket == 3);
  assert_true(c.slots[3].bucket_end - c.slots[3].bucket_start == 1002 && c.slots[3].used == 1000);
  c.s.keep_large = DTC_BOOL_ON;
  found = chunks_of(&c);
  assert_true(found.large == 0 && found.least == 1000 && found.size == 1002);
  shards_free(&c);
}

/* Nine empty tensors and one of another size, which is exactly three deviations above the mean: whether it is left out
 * hangs on the last bit and on the order of the sum. Expected values are numpy 2.4.6's. */
static void the_last_bit_is_numpys(void **state)
{
  (void)state;
  static const struct {
    uint64_t numel;
    size_t place;
    uint64_t large;
  } cases[] = {{1, 0, 0}, {7, 0, 0}, {11, 0, 1}, {11, 7, 1}, {11, 8, 0}, {11, 9, 0}, {7, 8, 0}, {7, 9, 1}, {9, 9, 0}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    shards_case c = gemini(1, 1, 1, 1);
    add(&c, 0, 10);
    c.shapes[cases[k].place].rows = cases[k].numel;
    assert_int_equal(chunks_of(&c).large, cases[k].large);
    shards_free(&c);
  }
}

/* ---- against plain counting -------------------------------------------------------------------------------------- */

static uint64_t waste_by_counting(const shards_case *c, double limit, uint64_t size)
{
  uint64_t waste = 0, left = 0;
  for (size_t i = 0; i < c->n; i++) {
    uint64_t numel = shards_numel(c, i);
    if ((double)numel > limit)
      continue;
    if (numel > left) {
      waste += left;
      left = size;
    }
    left -= numel;
  }
  return waste + left;
}

/* Up to 60 tensors, neighbours often alike. */
static void random_tensors(shards_case *c, uint64_t *seed)
{
  c->n = 0;
  for (size_t runs = 1 + check_random(seed, 8); runs > 0; runs--) {
    uint64_t numel = check_random(seed, check_random(seed, 6) == 0 ? 100000 : 500);
    add(c, numel, 1 + check_random(seed, check_random(seed, 2) ? 7 : 1));
  }
}

static void the_search_by_counting(void **state)
{
  (void)state;
  uint64_t seed = 3;
  for (int round = 0; round < 500; round++) {
    uint64_t interval = 1 + check_random(&seed, 50), world = 1 + check_random(&seed, 20), best = DTC_NONE, size = 0;
    shards_case c = gemini(world, 1 + check_random(&seed, 3000), 1 + check_random(&seed, 3000), interval);
    double sum = 0, squares = 0;
    random_tensors(&c, &seed);
    c.s.keep_large = round % 3 == 0 ? DTC_BOOL_ON : DTC_BOOL_OFF;
    dtc_chunks found = chunks_of(&c);
    for (size_t i = 0; i < c.n; i++)
      sum += (double)shards_numel(&c, i);
    assert_int_equal(found.gathered, sum < (double)c.s.min_chunk);
    if (!found.gathered) {
      double mean = sum / (double)c.n;
      for (size_t i = 0; i < c.n; i++)
        squares += ((double)shards_numel(&c, i) - mean) * ((double)shards_numel(&c, i) - mean);
      double limit = round % 3 == 0 ? 1e30 : mean + 3 * sqrt(squares / (double)c.n);
      for (uint64_t at = found.least; at <= found.least + c.s.search_range; at += interval) {
        uint64_t waste = waste_by_counting(&c, limit, at);
        size = waste < best ? at : size;
        best = waste < best ? waste : best;
      }
      assert_int_equal(found.waste, best);
      assert_int_equal(found.size, (size + world - 1) / world * world);
      assert_true(found.least % interval == 0 && found.least >= c.s.min_chunk);
    }
    shards_free(&c);
  }
}

static void gemini_holds_what_every_layout_does(void **state)
{
  (void)state;
  uint64_t seed = 8;
  for (int round = 0; round < 300; round++) {
    shards_case c = gemini(shards_random_world(&seed), 1 + check_random(&seed, 100000), 1 + check_random(&seed, 10000),
                           1 + check_random(&seed, 1000));
    shards_random(&c, &seed, 0);
    shards_check(&c, &seed);
    shards_free(&c);
  }
}

/* ---- refusals ---------------------------------------------------------------------------------------------------- */

static dtc_status refused(const shards_case *c, dtc_error *e)
{
  dtc_chunks found;
  DTC_INIT(&found);
  return dtc_shards_chunks(&c->s, c->shapes, c->n, &found, c->scratch, c->n_scratch, e);
}

static void what_the_search_refuses(void **state)
{
  (void)state;
  dtc_error e = error();
  shards_case c = gemini(4, 1, UINT64_C(1) << 18, 1);
  add(&c, 7, 5);
  assert_int_equal(refused(&c, &e), DTC_E_SPACE);
  assert_true(e.field == DTC_ARG_SCRATCH && e.min != 0);
  c.n_scratch = e.min;
  c.scratch = malloc(sizeof *c.scratch * c.n_scratch);
  assert_int_equal(refused(&c, &e), DTC_E_RANGE); /* 2^18 + 1 sizes */
  assert_true(e.rule == DTC_RULE_CHUNK_SEARCH && e.field == DTC_FIELD(shards, interval) && e.got == 1 && e.min == 2);
  size_t count = 4711;
  assert_int_equal(dtc_shards_layout(&c.s, c.shapes, c.n, c.slots, SHARDS_MOST, &count, c.scratch, c.n_scratch, &e),
                   DTC_E_RANGE);
  assert_int_equal(count, 4711);
  c.s.interval = e.min;
  assert_int_equal(refused(&c, &e), DTC_OK);
  c.s.search_range = c.s.interval = UINT64_C(1) << 40;
  assert_int_equal(refused(&c, &e), DTC_OK);
  c.s.min_chunk = (UINT64_C(1) << 40) + 1;
  assert_int_equal(refused(&c, &e), DTC_E_RANGE);
  c.s = shards_of(DTC_SHARD_SCHEME_ZERO3, 4);
  assert_int_equal(refused(&c, &e), DTC_E_UNSUPPORTED);
  assert_true(e.rule == DTC_RULE_SHARD_SCHEME && e.field == DTC_FIELD(shards, scheme));
  shards_free(&c);
}

/* 1024 tensors, each of another size than the one before: 2^16 sizes at most. */
static void many_tensors_shorten_the_search(void **state)
{
  (void)state;
  enum { MANY = 1024 };
  dtc_error e = error();
  dtc_chunks found;
  uint64_t needed = 0;
  dtc_shape *shapes = calloc(MANY, sizeof *shapes);
  dtc_shards s = gemini(8, 1000, (1 << 16) - 1, 1).s;
  for (size_t i = 0; i < MANY; i++)
    shapes[i] = (dtc_shape){.rows = 500 + i % 2, .cols = 1};
  check_ok(dtc_shards_scratch(&s, MANY, &needed, &e), &e);
  uint64_t *scratch = malloc(sizeof *scratch * needed);
  DTC_INIT(&found);
  check_ok(dtc_shards_chunks(&s, shapes, MANY, &found, scratch, needed, &e), &e);
  assert_true(found.size % 8 == 0 && found.large == 0);
  s.search_range++;
  assert_int_equal(dtc_shards_chunks(&s, shapes, MANY, &found, scratch, needed, &e), DTC_E_RANGE);
  assert_true(e.min == 2 && e.upper == 2);
  free(scratch);
  free(shapes);
}

static void no_tensors_are_an_empty_chunk(void **state)
{
  (void)state;
  dtc_shards s = shards_of(DTC_SHARD_SCHEME_GEMINI, 3);
  dtc_chunks found;
  size_t count = 9;
  DTC_INIT(&found);
  assert_int_equal(dtc_shards_chunks(&s, NULL, 0, &found, NULL, 0, NULL), DTC_OK);
  assert_true(found.gathered == 1 && found.size == 0);
  assert_int_equal(dtc_shards_layout(&s, NULL, 0, NULL, 0, &count, NULL, 0, NULL), DTC_OK);
  assert_int_equal(count, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(small_models_stay_gathered),
      cmocka_unit_test(the_first_of_the_best_sizes_is_taken),
      cmocka_unit_test(large_tensors_have_chunks_of_their_own),
      cmocka_unit_test(the_last_bit_is_numpys),
      cmocka_unit_test(the_search_by_counting),
      cmocka_unit_test(gemini_holds_what_every_layout_does),
      cmocka_unit_test(what_the_search_refuses),
      cmocka_unit_test(many_tensors_shorten_the_search),
      cmocka_unit_test(no_tensors_are_an_empty_chunk),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Buckets, slices, accumulator, sub-groups and secondary copies of ZeRO: by hand, and held against plain counting. */
#include "check.h"

enum { MOST = 24, ROOM = 4096 };

/* A small layout with all that the calls need. */
typedef struct laid {
  dtc_shards s;
  dtc_shape shapes[MOST];
  dtc_slot slots[MOST];
  size_t n;
  uint64_t scratch[17 * MOST];
  dtc_error e;
} laid;

static void set(laid *l, dtc_shard_scheme scheme, uint64_t world, const uint64_t *numels, size_t n)
{
  memset(l, 0, sizeof *l);
  DTC_INIT(&l->s);
  DTC_INIT(&l->e);
  l->s.scheme = scheme;
  l->s.world = world;
  l->n = n;
  for (size_t i = 0; i < n; i++)
    l->shapes[i] = (dtc_shape){.rows = numels[i], .cols = 1};
}

static void lay(laid *l)
{
  size_t count = 0;
  uint64_t needed = 0;
  check_ok(dtc_shards_scratch(&l->s, l->n, &needed, &l->e), &l->e);
  assert_true(needed <= sizeof l->scratch / sizeof l->scratch[0]);
  check_ok(dtc_shards_layout(&l->s, l->shapes, l->n, l->slots, MOST, &count, l->scratch, needed, &l->e), &l->e);
}

static size_t reductions(laid *l, dtc_batch *out)
{
  size_t count = 0;
  check_ok(dtc_shards_reductions(&l->s, l->shapes, l->n, l->slots, l->n, out, MOST, &count, &l->e), &l->e);
  return count;
}

static size_t gathers(laid *l, dtc_batch *out)
{
  size_t count = 0;
  check_ok(dtc_shards_gathers(&l->s, l->shapes, l->n, l->slots, l->n, out, MOST, &count, &l->e), &l->e);
  return count;
}

static size_t sub_groups(laid *l, dtc_batch *out)
{
  size_t count = 0;
  check_ok(dtc_shards_sub_groups(&l->s, l->shapes, l->n, l->slots, l->n, out, MOST, &count, &l->e), &l->e);
  return count;
}

static size_t slices(laid *l, dtc_slice *out, size_t cap)
{
  size_t count = 0;
  check_ok(dtc_shards_slices(&l->s, l->shapes, l->n, l->slots, l->n, out, cap, &count, l->scratch, 17 * MOST, &l->e),
           &l->e);
  return count;
}

static uint64_t accumulator(laid *l, uint64_t rank)
{
  uint64_t elements = 0;
  check_ok(
      dtc_shards_accumulator(&l->s, l->shapes, l->n, l->slots, l->n, rank, &elements, l->scratch, 17 * MOST, &l->e),
      &l->e);
  return elements;
}

static void is_batch(const dtc_batch *b, uint64_t elements, uint64_t sent, uint64_t kept, uint32_t first,
                     uint32_t tensors)
{
  assert_int_equal(b->elements, elements);
  assert_int_equal(b->sent, sent);
  assert_int_equal(b->kept, kept);
  assert_int_equal(b->first, first);
  assert_int_equal(b->tensors, tensors);
}

static void is_slice(const dtc_slice *s, uint32_t reduction, uint32_t owner, uint64_t elements)
{
  assert_int_equal(s->reduction, reduction);
  assert_int_equal(s->owner, owner);
  assert_int_equal(s->elements, elements);
}

/* ---- by hand ------------------------------------------------------------------------------------------------------ */

static void zero2_reduces_everything_to_everyone(void **state)
{
  (void)state;
  static laid l;
  dtc_batch b[MOST];
  set(&l, DTC_SHARD_SCHEME_ZERO12, 2, (const uint64_t[]){5, 0, 4, 7}, 4);
  l.s.stage = 2;
  l.s.bucket = 8;
  lay(&l);
  assert_int_equal(reductions(&l, b), 3);
  is_batch(&b[0], 7, 7, 7, 3, 1);
  is_batch(&b[1], 4, 4, 4, 2, 1);
  is_batch(&b[2], 5, 5, 5, 0, 1);
  assert_int_equal(gathers(&l, b), 1);
  is_batch(&b[0], 16, 8, 16, 0, 4);
}

static void slices_by_bucket_and_by_owner(void **state)
{
  (void)state;
  static laid l;
  dtc_slice s[ROOM];
  set(&l, DTC_SHARD_SCHEME_ZERO12, 2, (const uint64_t[]){5, 4, 7}, 3);
  lay(&l); /* 8 to a rank: the second tensor lies on both */
  assert_int_equal(slices(&l, s, ROOM), 4);
  is_slice(&s[0], 0, 1, 7);
  is_slice(&s[1], 0, 0, 3);
  is_slice(&s[2], 0, 1, 1);
  is_slice(&s[3], 0, 0, 5);
  l.s.multi_rank = DTC_BOOL_OFF;
  assert_int_equal(slices(&l, s, ROOM), 4);
  is_slice(&s[0], 0, 1, 7);
  is_slice(&s[1], 0, 1, 1);
  is_slice(&s[2], 0, 0, 3);
  is_slice(&s[3], 0, 0, 5);
}

static void the_accumulator_holds_whole_tensors(void **state)
{
  (void)state;
  static laid l;
  set(&l, DTC_SHARD_SCHEME_ZERO12, 2, (const uint64_t[]){5, 4, 7}, 3);
  lay(&l);
  assert_int_equal(accumulator(&l, 0), 9);
  assert_int_equal(accumulator(&l, 1), 11);
  assert_int_equal(accumulator(&l, DTC_NONE), 11);
}

static void bf16_reduces_one_vector(void **state)
{
  (void)state;
  static laid l;
  dtc_batch b[MOST];
  set(&l, DTC_SHARD_SCHEME_BF16, 2, (const uint64_t[]){5, 4}, 2);
  lay(&l);
  assert_int_equal(reductions(&l, b), 1);
  is_batch(&b[0], 12, 12, 12, 0, 2);
}

static void zero3_scatters_padded_tensors(void **state)
{
  (void)state;
  static laid l;
  dtc_batch b[MOST];
  set(&l, DTC_SHARD_SCHEME_ZERO3, 4, (const uint64_t[]){3, 0, 9, 5}, 4);
  l.s.bucket = 14;
  lay(&l);
  assert_int_equal(reductions(&l, b), 2);
  is_batch(&b[0], 14, 20, 5, 3, 3); /* an empty gradient has a place */
  is_batch(&b[1], 3, 4, 1, 0, 1);
  l.s.reduce_scatter = DTC_BOOL_OFF;
  assert_int_equal(reductions(&l, b), 2);
  is_batch(&b[0], 14, 14, 14, 3, 3);
}

static void zero3_sub_groups_and_persistent_tensors(void **state)
{
  (void)state;
  static laid l;
  dtc_batch b[MOST];
  uint64_t tensors = 0, elements = 0;
  set(&l, DTC_SHARD_SCHEME_ZERO3, 4, (const uint64_t[]){3, 9, 0, 5}, 4);
  l.s.sub_group = 4;
  l.s.persistence = 5;
  l.s.version = 19006;
  lay(&l);
  assert_int_equal(sub_groups(&l, b), 2);
  is_batch(&b[0], 12, 16, 4, 0, 2);
  is_batch(&b[1], 5, 8, 2, 2, 2);
  assert_int_equal(gathers(&l, b), 1);
  is_batch(&b[0], 8, 3, 12, 0, 3);
  assert_int_equal(dtc_shards_persistent(&l.s, l.shapes, l.n, &tensors, &elements, &l.e), DTC_OK);
  assert_true(tensors == 3 && elements == 8);
  l.s.version = 19008;
  assert_int_equal(sub_groups(&l, b), 2);
  is_batch(&b[1], 5, 8, 2, 3, 1);
}

static void the_secondary_copy_is_cut_over_fewer_ranks(void **state)
{
  (void)state;
  static laid l;
  dtc_fragment f[MOST];
  size_t count = 0;
  uint64_t elements = 0;
  set(&l, DTC_SHARD_SCHEME_ZERO3, 8, (const uint64_t[]){3, 9}, 2);
  l.s.hpz = 2;
  lay(&l);
  for (uint64_t rank = 0; rank < 8; rank++) {
    check_ok(dtc_shards_secondary(&l.s, l.shapes, 2, l.slots, 2, rank, f, MOST, &count, &elements, &l.e), &l.e);
    assert_int_equal(elements, 12); /* 8 and 16 elements, padded, on two ranks */
    assert_int_equal(count, rank % 2 == 0 ? 2 : 1);
    assert_int_equal(f[count - 1].tensor_offset, rank % 2 * 8);
    assert_int_equal(f[count - 1].length, rank % 2 == 0 ? 8 : 1);
  }
  l.s.hpz = 0;
  check_ok(dtc_shards_secondary(&l.s, l.shapes, 2, l.slots, 2, 0, f, MOST, &count, &elements, &l.e), &l.e);
  assert_true(count == 0 && elements == 0);
  l.s.hpz = 2;
  elements = 7;
  assert_int_equal(dtc_shards_secondary(&l.s, l.shapes, 2, l.slots, 2, 0, f, 1, &count, &elements, &l.e), DTC_E_SPACE);
  assert_true(count == 2 && elements == 7);
  assert_int_equal(dtc_shards_secondary(&l.s, l.shapes, 2, l.slots, 2, 8, f, MOST, &count, &elements, &l.e),
                   DTC_E_RANGE);
  assert_true(l.e.field == DTC_ARG_RANK && l.e.got == 8 && l.e.max == 7);
}

static void low_level_zero_gathers_by_parts(void **state)
{
  (void)state;
  static laid l;
  dtc_batch b[MOST];
  set(&l, DTC_SHARD_SCHEME_LOW_LEVEL_ZERO, 2, (const uint64_t[]){6, 24, 13, 8}, 4);
  l.s.bucket = 10;
  lay(&l);
  assert_int_equal(gathers(&l, b), 3);
  is_batch(&b[0], 12, 12, 24, 1, 1);
  is_batch(&b[1], 10, 10, 20, 0, 2);
  is_batch(&b[2], 4, 4, 8, 3, 1);
  l.s.stage = 2;
  l.s.bucket = 21; /* the bare 13 fits behind 8, its 14 are kept */
  assert_int_equal(reductions(&l, b), 3);
  is_batch(&b[0], 22, 22, 11, 3, 2);
  is_batch(&b[1], 24, 24, 12, 1, 1);
  is_batch(&b[2], 6, 6, 3, 0, 1);
  l.s.stage = 1;
  assert_int_equal(reductions(&l, b), 3);
  is_batch(&b[0], 22, 22, 22, 3, 2);
}

static void newer_versions_do_not_count_empty_tensors(void **state)
{
  (void)state;
  static laid l;
  set(&l, DTC_SHARD_SCHEME_ZERO12, 2, (const uint64_t[]){0, 1, 1, 1}, 4);
  l.s.round_robin = DTC_BOOL_ON;
  l.s.version = 19006;
  lay(&l);
  assert_true(l.slots[2].start == 0 && l.slots[1].start == 1 && l.slots[3].start == 2);
  l.s.version = 19008;
  lay(&l);
  assert_true(l.slots[1].start == 0 && l.slots[3].start == 1 && l.slots[2].start == 2);
}

/* ---- refusals ----------------------------------------------------------------------------------------------------- */

static void what_is_refused(void **state)
{
  (void)state;
  static laid l;
  dtc_batch b[MOST];
  dtc_slice s[4];
  size_t count = 0;
  uint64_t elements = 0;
  set(&l, DTC_SHARD_SCHEME_ZERO3, 2, (const uint64_t[]){5, 4, 7}, 3);
  l.s.bucket = 1;
  lay(&l);
  assert_int_equal(dtc_shards_reductions(&l.s, l.shapes, 3, l.slots, 3, b, 2, &count, &l.e), DTC_E_SPACE);
  assert_true(count == 3 && l.e.min == 3);
  assert_int_equal(dtc_shards_reductions(&l.s, l.shapes, 3, l.slots, 2, b, 3, &count, &l.e), DTC_E_RANGE);
  assert_int_equal(dtc_shards_slices(&l.s, l.shapes, 3, l.slots, 3, s, 4, &count, l.scratch, 17 * MOST, &l.e),
                   DTC_E_UNSUPPORTED);
  assert_int_equal(l.e.rule, DTC_RULE_SHARD_SCHEME);
  set(&l, DTC_SHARD_SCHEME_ZERO12, 2, (const uint64_t[]){5, 4, 7}, 3);
  lay(&l);
  assert_int_equal(dtc_shards_slices(&l.s, l.shapes, 3, l.slots, 3, s, 4, &count, l.scratch, 1, &l.e), DTC_E_SPACE);
  assert_int_equal(l.e.field, DTC_ARG_SCRATCH);
  assert_int_equal(dtc_shards_accumulator(&l.s, l.shapes, 3, l.slots, 3, 2, &elements, NULL, 0, &l.e), DTC_E_RANGE);
  assert_int_equal(dtc_shards_accumulator(&l.s, l.shapes, 3, l.slots, 3, 1, &elements, NULL, 0, &l.e), DTC_OK);
  assert_int_equal(dtc_shards_sub_groups(&l.s, l.shapes, 3, l.slots, 3, b, 3, &count, &l.e), DTC_E_UNSUPPORTED);
  l.slots[1].owner = 0;
  assert_int_equal(dtc_shards_accumulator(&l.s, l.shapes, 3, l.slots, 3, 1, &elements, NULL, 0, &l.e), DTC_E_CONFLICT);
}

/* There are as many slices as ranks, and they are not walked. */
static void many_ranks(void **state)
{
  (void)state;
  static laid l;
  dtc_slice s[3];
  size_t count = 0;
  for (int on = 0; on < 2; on++) {
    set(&l, DTC_SHARD_SCHEME_ZERO12, UINT64_C(1) << 32, (const uint64_t[]){UINT64_C(1) << 40, 3}, 2);
    l.s.multi_rank = on ? DTC_BOOL_ON : DTC_BOOL_OFF;
    lay(&l);
    dtc_status status = dtc_shards_slices(&l.s, l.shapes, 2, l.slots, 2, s, 3, &count, l.scratch, 17 * MOST, &l.e);
    assert_int_equal(status, DTC_E_SPACE);
    uint64_t part = l.slots[1].bucket_end >> 32, start = l.slots[1].start;
    assert_int_equal(count, (start - 1) / part + 1 + (start + 2) / part - start / part + 1);
    assert_int_equal(s[0].owner, start / part);
    assert_int_equal(accumulator(&l, DTC_NONE), (UINT64_C(1) << 40) + 3);
  }
}

/* ---- plain counting ----------------------------------------------------------------------------------------------- */

static void set_random(laid *l, dtc_shard_scheme scheme, uint64_t *seed)
{
  uint64_t numels[MOST];
  size_t n = check_random(seed, MOST + 1);
  for (size_t i = 0; i < n; i++)
    numels[i] = check_random(seed, 4) == 0 ? check_random(seed, 2) : check_random(seed, 60);
  set(l, scheme, 1 + check_random(seed, check_random(seed, 2) != 0 ? 9 : 70), numels, n);
  l->s.bucket = 1 + check_random(seed, 120);
  if (scheme != DTC_SHARD_SCHEME_LOW_LEVEL_ZERO)
    l->s.version = check_random(seed, 2) != 0 ? 19006 : 19008;
}

/* Element by element: the run goes on while the owner stays. */
static size_t plain_slices(laid *l, dtc_slice *out)
{
  dtc_batch b[MOST];
  size_t n = 0, buckets = reductions(l, b), i = l->n;
  for (size_t k = 0; k < buckets; k++) {
    size_t begin = n;
    for (uint64_t left = b[k].elements; left != 0;) {
      i--;
      uint64_t numel = l->shapes[i].rows;
      for (uint64_t x = 0; x < numel; x++) {
        uint64_t rank = 0, offset = 0;
        assert_int_equal(dtc_shards_owner(&l->s, l->shapes, l->n, l->slots, l->n, i, x, &rank, &offset, NULL), DTC_OK);
        if (n == begin || out[n - 1].owner != rank)
          out[n++] = (dtc_slice){0, (uint32_t)k, (uint32_t)rank};
        out[n - 1].elements++;
      }
      left -= numel;
    }
  }
  return n;
}

/* Each owner's slices together, in the order in which owners appear. */
static void plain_grouping(dtc_slice *s, size_t n)
{
  for (size_t i = 1; i < n; i++) {
    size_t to = i;
    for (size_t j = i; j-- > 0 && s[j].reduction == s[i].reduction;)
      if (s[j].owner == s[i].owner) {
        to = j + 1;
        break;
      }
    dtc_slice moved = s[i];
    memmove(&s[to + 1], &s[to], (i - to) * sizeof *s);
    s[to] = moved;
  }
}

static void slices_are_those_of_plain_counting(void **state)
{
  (void)state;
  static laid l;
  static dtc_slice got[ROOM], expected[ROOM];
  uint64_t seed = 3;
  for (int round = 0; round < 400; round++) {
    set_random(&l, DTC_SHARD_SCHEME_ZERO12, &seed);
    l.s.round_robin = check_random(&seed, 2) != 0 ? DTC_BOOL_ON : DTC_BOOL_OFF;
    lay(&l);
    size_t n = plain_slices(&l, expected);
    assert_true(n <= l.n + l.s.world);
    assert_int_equal(slices(&l, got, ROOM), n);
    assert_memory_equal(got, expected, n * sizeof *got);
    l.s.multi_rank = DTC_BOOL_OFF;
    plain_grouping(expected, n);
    assert_int_equal(slices(&l, got, ROOM), n);
    assert_memory_equal(got, expected, n * sizeof *got);
    size_t count = 0;
    if (n != 0) {
      dtc_status s =
          dtc_shards_slices(&l.s, l.shapes, l.n, l.slots, l.n, got, n - 1, &count, l.scratch, 17 * MOST, &l.e);
      assert_true(s == DTC_E_SPACE && count == n);
    }
  }
}

static void the_accumulator_is_what_the_fragments_touch(void **state)
{
  (void)state;
  static laid l;
  uint64_t seed = 4;
  for (int round = 0; round < 300; round++) {
    uint64_t most = 0;
    set_random(&l, DTC_SHARD_SCHEME_ZERO12, &seed);
    l.s.round_robin = check_random(&seed, 2) != 0 ? DTC_BOOL_ON : DTC_BOOL_OFF;
    lay(&l);
    for (uint64_t rank = 0; rank < l.s.world; rank++) {
      dtc_fragment f[MOST];
      size_t count = 0;
      uint64_t touched = 0;
      check_ok(dtc_shards_fragments(&l.s, l.shapes, l.n, l.slots, l.n, rank, f, MOST, &count, &l.e), &l.e);
      for (size_t k = 0; k < count; k++)
        touched += l.shapes[f[k].tensor].rows;
      assert_int_equal(accumulator(&l, rank), touched);
      most = touched > most ? touched : most;
    }
    assert_int_equal(accumulator(&l, DTC_NONE), most);
  }
}

/* Buckets hold all tensors from the last to the first, none twice; each is as long as it may be. */
static void buckets_are_full(laid *l)
{
  dtc_batch b[MOST];
  size_t n = reductions(l, b), i = l->n;
  int low = l->s.scheme == DTC_SHARD_SCHEME_LOW_LEVEL_ZERO, skips = l->s.scheme == DTC_SHARD_SCHEME_ZERO12;
  for (size_t k = 0; k < n; k++) {
    uint64_t held = 0;
    uint32_t tensors = 0;
    while (i > 0 && tensors + (skips && l->shapes[i - 1].rows == 0 ? 0u : 1u) <= b[k].tensors) {
      uint64_t numel = l->shapes[--i].rows, padded = (numel + l->s.world - 1) / l->s.world * l->s.world;
      assert_true(held == 0 || held + numel <= l->s.bucket || (skips && numel == 0));
      if (tensors == 0 && !(skips && numel == 0))
        assert_int_equal(b[k].first, i);
      tensors += skips && numel == 0 ? 0 : 1;
      held += low ? padded : numel;
    }
    assert_int_equal(b[k].elements, held);
    if (k + 1 < n)
      assert_true(held + l->shapes[i - 1].rows > l->s.bucket);
  }
  while (i > 0)
    assert_int_equal(l->shapes[--i].rows, 0);
}

static void buckets_are_filled_greedily(void **state)
{
  (void)state;
  static laid l;
  uint64_t seed = 5;
  static const dtc_shard_scheme schemes[] = {DTC_SHARD_SCHEME_ZERO12, DTC_SHARD_SCHEME_ZERO3, DTC_SHARD_SCHEME_MICS,
                                             DTC_SHARD_SCHEME_LOW_LEVEL_ZERO};
  for (int round = 0; round < 400; round++) {
    set_random(&l, schemes[round % 4], &seed);
    lay(&l);
    buckets_are_full(&l);
  }
}

static void parts_of_all_batches_are_the_layouts(void **state)
{
  (void)state;
  static laid l;
  uint64_t seed = 6;
  static const dtc_shard_scheme schemes[] = {DTC_SHARD_SCHEME_ZERO3, DTC_SHARD_SCHEME_LOW_LEVEL_ZERO};
  for (int round = 0; round < 200; round++) {
    dtc_batch b[MOST];
    dtc_shard_totals t;
    uint64_t kept = 0, sent = 0;
    DTC_INIT(&t);
    set_random(&l, schemes[round % 2], &seed);
    l.s.sub_group = round % 2 == 0 ? 1 + check_random(&seed, 50) : 0;
    lay(&l);
    size_t n = round % 2 == 0 ? sub_groups(&l, b) : gathers(&l, b);
    for (size_t k = 0; k < n; k++) {
      kept += round % 2 == 0 ? b[k].kept : b[k].sent;
      sent += round % 2 == 0 ? b[k].sent : b[k].kept;
    }
    check_ok(dtc_shards_totals(&l.s, l.shapes, l.n, l.slots, l.n, &t, l.scratch, 17 * MOST, &l.e), &l.e);
    assert_int_equal(kept, t.per_rank);
    assert_int_equal(sent, t.padded);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(zero2_reduces_everything_to_everyone),
      cmocka_unit_test(slices_by_bucket_and_by_owner),
      cmocka_unit_test(the_accumulator_holds_whole_tensors),
      cmocka_unit_test(bf16_reduces_one_vector),
      cmocka_unit_test(zero3_scatters_padded_tensors),
      cmocka_unit_test(zero3_sub_groups_and_persistent_tensors),
      cmocka_unit_test(the_secondary_copy_is_cut_over_fewer_ranks),
      cmocka_unit_test(low_level_zero_gathers_by_parts),
      cmocka_unit_test(newer_versions_do_not_count_empty_tensors),
      cmocka_unit_test(what_is_refused),
      cmocka_unit_test(many_ranks),
      cmocka_unit_test(slices_are_those_of_plain_counting),
      cmocka_unit_test(the_accumulator_is_what_the_fragments_touch),
      cmocka_unit_test(buckets_are_filled_greedily),
      cmocka_unit_test(parts_of_all_batches_are_the_layouts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

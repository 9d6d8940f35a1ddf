/* Searches in pieces: what any of them make together is what one call finds. */
#include "search_check.h"
#include <math.h>

static search_result whole, piece;

enum { SPACES = 50, PIECES = 12 };

typedef struct part {
  dtc_found best[SEARCH_BEST];
  size_t count;
} part;

static part parts[PIECES + 1];
static uint64_t sums[FATES];

/* Cuts a range at random points; the numbers add up to those of the whole, its best plans lie in the parts. */
static void search_parts(const search_space *s, uint64_t first, uint64_t number)
{
  uint64_t end = first + number;
  memset(sums, 0, sizeof sums);
  for (int i = 0; i < PIECES; i++) {
    uint64_t n = i == PIECES - 1 ? end - first : roll(end - first + 1) / (uint64_t)(1 + roll(6));
    search_run(s, first, n, &piece);
    assert_true(piece.out.tried == n);
    memcpy(parts[i].best, piece.best, sizeof piece.best);
    parts[i].count = piece.count;
    search_fates(&piece.out, sums);
    first += n;
  }
}

/* Merges any two until one is left. */
static void merge_parts(uint64_t keep)
{
  for (uint64_t left = PIECES; left > 1; left--) {
    uint64_t i = roll(left);
    uint64_t k = (i + 1 + roll(left - 1)) % left;
    part *to = &parts[PIECES];
    assert_int_equal(dtc_search_merge(parts[i].best, parts[i].count, parts[k].best, parts[k].count, keep, to->best,
                                      SEARCH_BEST, &to->count, NULL),
                     DTC_OK);
    parts[i < k ? i : k] = *to;
    parts[i < k ? k : i] = parts[left - 1];
  }
}

static void check_pieces(const search_space *s, uint64_t first, uint64_t number)
{
  uint64_t keep = s->s.keep != 0 ? s->s.keep : 10;
  search_parts(s, first, number);
  merge_parts(keep);
  search_run(s, first, number, &whole);
  uint64_t numbers[FATES] = {0};
  search_fates(&whole.out, numbers);
  assert_memory_equal(sums, numbers, sizeof numbers);
  assert_int_equal(parts[0].count, whole.count);
  for (size_t i = 0; i < whole.count; i++)
    assert_memory_equal(&parts[0].best[i], &whole.best[i], sizeof whole.best[i]);
}

static void any_pieces_make_the_whole(void **state)
{
  (void)state;
  seed = 4;
  for (int i = 0; i < SPACES; i++) {
    uint64_t size = 0;
    search_space s = search_random(&size);
    uint64_t first = roll(3) ? 0 : roll(size);
    for (int k = 0; k < 4; k++)
      check_pieces(&s, first, size - first);
  }
}

/* Plans that show the same bytes: of those the smaller index is kept, wherever the cut is. */
static void the_smaller_index_wins_a_tie(void **state)
{
  (void)state;
  search_space s = search_of("llama-3-8b", 2, 64);
  s.s.objective = DTC_OBJECTIVE_MEMORY;
  s.s.cp_most = 1;
  s.s.keep = 64;
  uint64_t size = search_size(&s);
  uint64_t ties = 0;
  search_run(&s, 0, size, &whole);
  assert_int_equal(whole.count, 64);
  for (size_t i = 1; i < whole.count; i++) {
    const dtc_found *a = &whole.best[i - 1];
    const dtc_found *b = &whole.best[i];
    assert_true(a->value < b->value || (a->value == b->value && a->index < b->index));
    ties += a->value == b->value;
  }
  assert_true(ties > 10);
  seed = 11;
  for (s.s.keep = 1; s.s.keep <= 64; s.s.keep *= 2)
    check_pieces(&s, 0, size);
}

/* ---- merges ---------------------------------------------------------------------------------- */

static size_t merge(const dtc_found *left, size_t n_left, const dtc_found *right, size_t n_right, dtc_found *best,
                    uint64_t keep)
{
  size_t count = 99;
  assert_int_equal(dtc_search_merge(left, n_left, right, n_right, keep, best, 8, &count, NULL), DTC_OK);
  return count;
}

static void merges(void **state)
{
  (void)state;
  static const dtc_found left[] = {{5, 1, 1, 10, 8}, {2, 2, 2, 20, 8}, {9, 2, 2, 20, 8}, {1, 7, 7, 70, 8}};
  static const dtc_found right[] = {{5, 1, 1, 10, 8}, {3, 2, 2, 30, 8}, {9, 2, 2, 20, 8}, {0, 9, 9, 90, 8}};
  static const uint64_t expected[] = {5, 2, 3, 9, 1, 0};
  dtc_found best[8];
  assert_int_equal(merge(left, 4, right, 4, best, 8), 6);
  for (size_t i = 0; i < 6; i++)
    assert_true(best[i].index == expected[i]);
  assert_memory_equal(&best[2], &right[1], sizeof best[2]);
  assert_int_equal(merge(right, 4, left, 4, best, 8), 6);
  for (size_t i = 0; i < 6; i++)
    assert_true(best[i].index == expected[i]);
  assert_int_equal(merge(left, 4, right, 4, best, 0), 6); /* all */
  for (size_t keep = 1; keep <= 6; keep++) {
    memset(best, 0x5a, sizeof best);
    assert_int_equal(merge(left, 4, right, 4, best, keep), keep);
    assert_true(best[keep - 1].index == expected[keep - 1]);
    assert_true(best[keep].index == 0x5a5a5a5a5a5a5a5a);
  }
}

static void merges_need_room(void **state)
{
  (void)state;
  static const dtc_found left[] = {{5, 1, 1, 10, 8}, {2, 2, 2, 20, 8}};
  static const dtc_found right[] = {{7, 1.5, 1.5, 10, 8}, {2, 2, 2, 20, 8}};
  static const double wrong[] = {-1, 1e31, (double)NAN, (double)INFINITY};
  dtc_found best[8];
  size_t count = 99;
  dtc_error e;
  DTC_INIT(&e);
  for (size_t cap = 0; cap < 3; cap++) {
    assert_int_equal(dtc_search_merge(left, 2, right, 2, 0, cap ? best : NULL, cap, &count, &e), DTC_E_SPACE);
    assert_true(count == 3 && e.got == cap && e.min == 3);
  }
  assert_int_equal(dtc_search_merge(left, 2, right, 2, 2, best, 2, &count, &e), DTC_OK);
  assert_int_equal(count, 2);
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    dtc_found bad[] = {left[0], left[1]};
    count = 99;
    bad[1].value = wrong[i];
    assert_int_equal(dtc_search_merge(left, 2, bad, 2, 0, best, 8, &count, &e), DTC_E_RANGE);
    assert_true(e.field == DTC_FIELD(found, value) && count == 99);
    bad[1].value = 0;
    bad[1].seconds = wrong[i];
    assert_int_equal(dtc_search_merge(bad, 2, right, 2, 0, best, 8, &count, &e), DTC_E_RANGE);
    assert_true(e.field == DTC_FIELD(found, seconds) && count == 99);
  }
}

static void merges_of_nothing(void **state)
{
  (void)state;
  static const dtc_found some[] = {{5, 1, 1, 10, 8}, {2, 2, 2, 20, 8}};
  dtc_found best[8];
  assert_int_equal(merge(NULL, 0, NULL, 0, best, 8), 0);
  assert_int_equal(merge(NULL, 0, NULL, 0, NULL, 0), 0);
  assert_int_equal(merge(some, 2, NULL, 0, best, 8), 2);
  assert_memory_equal(best, some, sizeof some);
  memset(best, 0, sizeof best);
  assert_int_equal(merge(NULL, 0, some, 2, best, 8), 2);
  assert_memory_equal(best, some, sizeof some);
  assert_int_equal(merge(some, 2, some, 2, best, 8), 2); /* one's own */
  assert_memory_equal(best, some, sizeof some);
  assert_int_equal(merge(some, 1, some + 1, 1, best, 1), 1);
  assert_int_equal(best[0].index, 5);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(any_pieces_make_the_whole),
      cmocka_unit_test(the_smaller_index_wins_a_tie),
      cmocka_unit_test(merges),
      cmocka_unit_test(merges_of_nothing),
      cmocka_unit_test(merges_need_room),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Bytes that ranks move, and the textbooks' costs. */
#include "collective_check.h"

static dtc_traffic bytes_of(dtc_collective op, uint64_t bytes, uint64_t ranks, uint64_t rank)
{
  dtc_error e;
  dtc_traffic t = {0};
  DTC_INIT(&e);
  check_ok(dtc_collective_bytes(bytes, ranks, rank, op, &t, &e), &e);
  return t;
}

static void every_byte_that_is_sent_is_received(void **state)
{
  (void)state;
  for (uint32_t op = DTC_COLLECTIVE_ALL_REDUCE; op <= DTC_COLLECTIVE_BARRIER; op++)
    for (uint64_t ranks = 1; ranks < 12; ranks++)
      for (uint64_t bytes = 0; bytes < 40; bytes++) {
        dtc_traffic sum = {0};
        for (uint64_t r = 0; r < ranks; r++) {
          dtc_traffic t = bytes_of(op, bytes, ranks, r);
          sum.sent += t.sent;
          sum.received += t.received;
        }
        assert_int_equal(sum.sent, sum.received);
        assert_true(ranks > 1 || sum.sent == 0);
        if (op == DTC_COLLECTIVE_ALL_GATHER || op == DTC_COLLECTIVE_REDUCE_SCATTER || op == DTC_COLLECTIVE_ALL_TO_ALL)
          assert_int_equal(sum.sent, bytes * (ranks - 1));
      }
}

static void all_reduce_is_reduce_scatter_and_all_gather(void **state)
{
  (void)state;
  for (uint64_t ranks = 2; ranks < 12; ranks++)
    for (uint64_t bytes = 0; bytes < 40; bytes++)
      for (uint64_t r = 0; r < ranks; r++) {
        dtc_traffic whole = bytes_of(DTC_COLLECTIVE_ALL_REDUCE, bytes, ranks, r);
        dtc_traffic a = bytes_of(DTC_COLLECTIVE_REDUCE_SCATTER, bytes, ranks, r);
        dtc_traffic b = bytes_of(DTC_COLLECTIVE_ALL_GATHER, bytes, ranks, r);
        assert_true(whole.sent == a.sent + b.sent && whole.received == a.received + b.received);
      }
}

/* Rank r of four with ten bytes: shards of 3, 3, 2 and 2. */
static void the_first_shards_take_the_rest(void **state)
{
  (void)state;
  assert_int_equal(bytes_of(DTC_COLLECTIVE_ALL_GATHER, 10, 4, 0).received, 7);
  assert_int_equal(bytes_of(DTC_COLLECTIVE_ALL_GATHER, 10, 4, 3).received, 8);
  assert_int_equal(bytes_of(DTC_COLLECTIVE_ALL_GATHER, 10, 4, 3).sent, 7); /* all but rank 0's */
  assert_int_equal(bytes_of(DTC_COLLECTIVE_REDUCE_SCATTER, 10, 4, 2).sent, 8);
  assert_int_equal(bytes_of(DTC_COLLECTIVE_ALL_TO_ALL, 10, 4, 1).received, 9);
  assert_int_equal(bytes_of(DTC_COLLECTIVE_GATHER, 10, 4, 0).received, 7);
  assert_int_equal(bytes_of(DTC_COLLECTIVE_SCATTER, 10, 4, 2).received, 2);
  assert_int_equal(bytes_of(DTC_COLLECTIVE_BROADCAST, 10, 4, 0).sent, 10);
  assert_int_equal(bytes_of(DTC_COLLECTIVE_BROADCAST, 10, 4, 3).sent, 0);
  assert_int_equal(bytes_of(DTC_COLLECTIVE_REDUCE, 10, 4, 0).sent, 0);
  assert_int_equal(bytes_of(DTC_COLLECTIVE_SEND_RECV, 10, 4, 1).sent, 10);
  assert_int_equal(bytes_of(DTC_COLLECTIVE_ALL_REDUCE, (uint64_t)1 << 50, (uint64_t)1 << 32, 5).sent,
                   2 * (((uint64_t)1 << 50) - ((uint64_t)1 << 18)));
}

static void bad_bytes_are_refused(void **state)
{
  (void)state;
  dtc_traffic t = {7, 7};
  assert_int_equal(dtc_collective_bytes(1, 2, 0, DTC_COLLECTIVE_NONE, &t, NULL), DTC_E_RANGE);
  assert_int_equal(dtc_collective_bytes(1, 2, 0, 99, &t, NULL), DTC_E_RANGE);
  assert_int_equal(dtc_collective_bytes(UINT64_MAX, 2, 0, DTC_COLLECTIVE_REDUCE, &t, NULL), DTC_E_RANGE);
  assert_int_equal(dtc_collective_bytes(1, 0, 0, DTC_COLLECTIVE_REDUCE, &t, NULL), DTC_E_RANGE);
  assert_int_equal(dtc_collective_bytes(1, 2, 2, DTC_COLLECTIVE_REDUCE, &t, NULL), DTC_E_RANGE);
  assert_true(t.sent == 7 && t.received == 7);
}

/* ---- uneven all-to-all ----------------------------------------------------------------------- */

static void the_slowest_rank_is_found(void **state)
{
  (void)state;
  const uint64_t matrix[] = {9, 1, 2, 3, /* rank 0 sends 6, receives 12 */
                             4, 9, 0, 0, /* */
                             4, 0, 9, 1, /* */
                             4, 5, 0, 9};
  dtc_error e;
  dtc_exchange x;
  DTC_INIT(&e);
  DTC_INIT(&x);
  check_ok(dtc_collective_exchange(matrix, 16, 4, 2, &x, &e), &e);
  assert_true(x.rank == 0 && x.sent == 6 && x.received == 12);
  assert_int_equal(x.total, 24);
  assert_int_equal(x.between, 2 + 3 + 0 + 0 + 4 + 0 + 4 + 5);
  assert_int_equal(x.bytes, 16); /* an even one of 16 bytes moves 12 per rank */
}

static void an_even_matrix_is_an_all_to_all(void **state)
{
  (void)state;
  enum { N = 8 };
  uint64_t matrix[N * N];
  dtc_exchange x;
  for (size_t i = 0; i < N * N; i++)
    matrix[i] = 100;
  DTC_INIT(&x);
  assert_int_equal(dtc_collective_exchange(matrix, N * N, N, 4, &x, NULL), DTC_OK);
  assert_int_equal(x.bytes, 100 * N);
  assert_int_equal(x.sent, bytes_of(DTC_COLLECTIVE_ALL_TO_ALL, 100 * N, N, 0).sent);
  assert_int_equal(x.between, 100 * N * N / 2);
}

static void bad_matrices_are_refused(void **state)
{
  (void)state;
  const uint64_t matrix[] = {0, UINT64_MAX, 1, 0};
  dtc_exchange x;
  DTC_INIT(&x);
  assert_int_equal(dtc_collective_exchange(matrix, 4, 2, 1, &x, NULL), DTC_E_RANGE);
  assert_int_equal(dtc_collective_exchange(matrix, 3, 2, 1, &x, NULL), DTC_E_RANGE);
  assert_int_equal(dtc_collective_exchange(NULL, 4, 2, 1, &x, NULL), DTC_E_RANGE);
  assert_int_equal(dtc_collective_exchange(matrix, 4, 2, 0, &x, NULL), DTC_E_RANGE);
  assert_int_equal(dtc_collective_exchange(matrix, 0, 0, 1, &x, NULL), DTC_E_RANGE);
  assert_int_equal(dtc_collective_exchange(matrix, 1, 1, 1, &x, NULL), DTC_OK);
  assert_int_equal(x.bytes, 0);
}

/* ---- classic algorithms ---------------------------------------------------------------------- */

static double cost_of(dtc_classic algorithm, dtc_collective op, uint64_t bytes, uint64_t ranks)
{
  dtc_error e;
  double seconds = 0;
  DTC_INIT(&e);
  check_ok(dtc_collective_classic(bytes, ranks, op, 1e-5, 1e-9, 1e-10, algorithm, &seconds, &e), &e);
  return seconds;
}

/* a = 10 us, b = 1 ns, c = .1 ns; 8 and 6 ranks, 8e6 bytes: n b = 8 ms, n c = .8 ms */
static void costs_are_those_of_the_textbooks(void **state)
{
  (void)state;
  uint64_t n = 8000000;
  check_near(cost_of(DTC_CLASSIC_HOCKNEY, DTC_COLLECTIVE_SEND_RECV, n, 2), 1e-5 + 8e-3);
  check_near(cost_of(DTC_CLASSIC_RING, DTC_COLLECTIVE_ALL_GATHER, n, 8), 7e-5 + 7e-3);
  check_near(cost_of(DTC_CLASSIC_RING, DTC_COLLECTIVE_ALL_REDUCE, n, 8), 14e-5 + 14e-3 + 7e-4);
  check_near(cost_of(DTC_CLASSIC_RECURSIVE_DOUBLING, DTC_COLLECTIVE_ALL_REDUCE, n, 8), 3e-5 + 24e-3 + 2.4e-3);
  check_near(cost_of(DTC_CLASSIC_RABENSEIFNER, DTC_COLLECTIVE_ALL_REDUCE, n, 8), 6e-5 + 14e-3 + 7e-4);
  check_near(cost_of(DTC_CLASSIC_RABENSEIFNER, DTC_COLLECTIVE_ALL_REDUCE, n, 6),
             6e-5 + (10.0 / 6 + 2) * 8e-3 + (1 + 5.0 / 6) * 8e-4);
  check_near(cost_of(DTC_CLASSIC_BRUCK, DTC_COLLECTIVE_ALL_TO_ALL, n, 8), 3e-5 + 12e-3);
  check_near(cost_of(DTC_CLASSIC_BINOMIAL, DTC_COLLECTIVE_BROADCAST, n, 6), 3e-5 + 24e-3);
  check_near(cost_of(DTC_CLASSIC_BINOMIAL, DTC_COLLECTIVE_GATHER, n, 8), 3e-5 + 7e-3);
  check_near(cost_of(DTC_CLASSIC_PAIRWISE, DTC_COLLECTIVE_ALL_TO_ALL, n, 8), 7e-5 + 8e-3);
  check_near(cost_of(DTC_CLASSIC_SCATTER_GATHER, DTC_COLLECTIVE_BROADCAST, n, 8), 6e-5 + 14e-3);
  check_near(cost_of(DTC_CLASSIC_DOUBLE_TREE, DTC_COLLECTIVE_ALL_REDUCE, n, 8), 6e-5 + 16e-3 + 8e-4);
  check_near(cost_of(DTC_CLASSIC_DISSEMINATION, DTC_COLLECTIVE_BARRIER, 0, 9), 4e-5);
  assert_true(cost_of(DTC_CLASSIC_RING, DTC_COLLECTIVE_ALL_REDUCE, n, 1) == 0);
}

static void an_algorithm_does_what_it_does(void **state)
{
  (void)state;
  double seconds = 7;
  dtc_error e;
  DTC_INIT(&e);
  assert_int_equal(dtc_collective_classic(1, 2, DTC_COLLECTIVE_REDUCE, 1, 1, 1, DTC_CLASSIC_BRUCK, &seconds, &e),
                   DTC_E_CONFLICT);
  assert_int_equal(e.rule, DTC_RULE_COLLECTIVE_CLASSIC);
  assert_int_equal(dtc_collective_classic(1, 2, DTC_COLLECTIVE_REDUCE, 1, 1, 1, 99, &seconds, &e), DTC_E_RANGE);
  assert_int_equal(dtc_collective_classic(1, 2, DTC_COLLECTIVE_REDUCE, -1, 1, 1, DTC_CLASSIC_HOCKNEY, &seconds, &e),
                   DTC_E_RANGE);
  assert_int_equal(e.field, (uint32_t)DTC_ARG_ALPHA);
  char line[256];
  (void)dtc_error_format(&e, DTC_LANG_EN, line, sizeof line);
  assert_non_null(strstr(line, "alpha"));
  assert_non_null(strstr(line, "-1"));
  assert_true(seconds == 7);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_byte_that_is_sent_is_received),
      cmocka_unit_test(all_reduce_is_reduce_scatter_and_all_gather),
      cmocka_unit_test(the_first_shards_take_the_rest),
      cmocka_unit_test(bad_bytes_are_refused),
      cmocka_unit_test(the_slowest_rank_is_found),
      cmocka_unit_test(an_even_matrix_is_an_all_to_all),
      cmocka_unit_test(bad_matrices_are_refused),
      cmocka_unit_test(costs_are_those_of_the_textbooks),
      cmocka_unit_test(an_algorithm_does_what_it_does),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

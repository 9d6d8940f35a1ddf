/* Times of pipelines that are known in closed form: bubbles of schedules whose stages are equal, and what messages add to
 * them. The forms were found over grids of an independent simulation of the frameworks' own orders. */
#include "pipes_check.h"

static pipes x;

static const dtc_pipe_cost costs[] = {
    {.forward = 1000, .input = 1000, .weight = 1000},
    {.forward = 10, .input = 12, .weight = 8},
    {.forward = 10, .input = 14, .weight = 6},
    {.forward = 3, .input = 7, .weight = 0},
};
enum { COSTS = sizeof costs / sizeof *costs };

static double larger(double a, double b)
{
  return a > b ? a : b;
}

/* The job's bubble is `hops` forwards and whole backwards of a chunk, whatever they take. */
static void check_bubble(const dtc_pipe *p, uint64_t hops)
{
  pipes_order(&x, p);
  for (size_t k = 0; k < COSTS; k++) {
    const dtc_pipe_cost *c = &costs[k];
    pipes_costs(&x, c->forward, c->input, c->weight);
    pipes_run(&x);
    double busy = (double)(x.p.micro_batches * x.p.vpp) * (c->forward + c->input + c->weight);
    double bubble = (double)hops * (c->forward + c->input + c->weight);
    if (x.sum.bubble != bubble || x.sum.busy != busy || x.sum.makespan != busy + bubble)
      fail_msg("schedule %u pp %u vpp %u m %u: bubble %g, expected %g", x.p.schedule, (unsigned)x.p.pp,
               (unsigned)x.p.vpp, (unsigned)x.p.micro_batches, x.sum.bubble, bubble);
  }
}

static void one_chunk_waits_for_the_other_stages(void **state)
{
  (void)state;
  for (uint64_t pp = 1; pp <= 9; pp++)
    for (uint64_t m = 1; m <= 20; m++) {
      dtc_pipe gpipe = check_pipe(DTC_SCHEDULE_GPIPE, DTC_FRAMEWORK_PYTORCH, pp, 1, m);
      dtc_pipe megatron = check_pipe(DTC_SCHEDULE_1F1B, DTC_FRAMEWORK_MEGATRON, pp, 1, m);
      dtc_pipe deepspeed = check_pipe(DTC_SCHEDULE_1F1B, DTC_FRAMEWORK_DEEPSPEED, pp, 1, m);
      check_bubble(&gpipe, pp - 1);
      check_bubble(&megatron, pp - 1);
      check_bubble(&deepspeed, pp - 1);
    }
}

/* Every group that Megatron takes, and its forwards and backwards as one step. */
static void check_groups(uint64_t pp, uint64_t vpp, uint64_t m)
{
  dtc_pipe p = check_pipe(DTC_SCHEDULE_INTERLEAVED, DTC_FRAMEWORK_MEGATRON, pp, vpp, m);
  for (p.group = pp; p.group <= m; p.group++) {
    uint64_t rest = m % p.group;
    if (rest != 0 && rest < pp)
      continue;
    p.moe_overlap = DTC_BOOL_OFF;
    check_bubble(&p, pp - 1);
    p.moe_overlap = DTC_BOOL_ON;
    check_bubble(&p, pp - 1);
  }
}

static void chunks_divide_the_bubble(void **state)
{
  (void)state;
  for (uint64_t pp = 2; pp <= 6; pp++)
    for (uint64_t vpp = 2; vpp <= 4; vpp++)
      for (uint64_t m = pp; m <= 3 * pp; m++) {
        dtc_pipe bfs = check_pipe(DTC_SCHEDULE_LOOPED_BFS, 0, pp, vpp, m);
        dtc_pipe torch = check_pipe(DTC_SCHEDULE_INTERLEAVED, DTC_FRAMEWORK_PYTORCH, pp, vpp, m);
        dtc_pipe fork = check_pipe(DTC_SCHEDULE_VPP, 0, pp, vpp, m);
        check_bubble(&bfs, pp - 1);
        check_groups(pp, vpp, m);
        if (m % (m / pp) == 0)
          check_bubble(&torch, pp - 1);
        if (m % pp == 0)
          check_bubble(&fork, pp - 1);
      }
  dtc_pipe few = check_pipe(DTC_SCHEDULE_INTERLEAVED, DTC_FRAMEWORK_PYTORCH, 4, 2, 3);
  check_bubble(&few, 4); /* fewer micro-batches than ranks */
}

static void split_backwards_fill_the_bubble(void **state)
{
  (void)state;
  for (uint64_t pp = 2; pp <= 8; pp++)
    for (uint64_t vpp = 1; vpp <= 3; vpp++) {
      dtc_pipe p = check_pipe(DTC_SCHEDULE_INTERLEAVED_ZB, DTC_FRAMEWORK_PYTORCH, pp, vpp, 3 * pp);
      pipes_order(&x, &p);
      for (size_t k = 0; k < COSTS; k++) {
        double f = costs[k].forward, i = costs[k].input, w = costs[k].weight;
        pipes_costs(&x, f, i, w);
        pipes_run(&x);
        assert_true(x.sum.bubble == (double)(pp - 1) * larger(f, larger(i, f + i - w)));
      }
    }
}

/* An order that zero-bubble generates for the costs that it then takes. */
static void run_generated(dtc_schedule schedule, uint64_t pp, const dtc_pipe_cost *cost)
{
  dtc_pipe p = check_pipe(schedule, 0, pp, 1, 3 * pp);
  p.forward = cost->forward;
  p.input = cost->input;
  p.weight = cost->weight;
  pipes_order(&x, &p);
  pipes_costs(&x, cost->forward, cost->input, cost->weight);
  pipes_run(&x);
}

static void generated_orders_fill_more_of_it(void **state)
{
  (void)state;
  for (uint64_t pp = 2; pp <= 8; pp++)
    for (size_t k = 0; k < 3; k++) {
      double f = costs[k].forward, left = f + costs[k].input - costs[k].weight;
      run_generated(DTC_SCHEDULE_ZB_H1, pp, &costs[k]);
      assert_true(x.sum.bubble == (double)(pp - 1) * left);
      if (k == 2)
        continue; /* longer backwards for the input leave more of ZB-H2's */
      run_generated(DTC_SCHEDULE_ZB_H2, pp, &costs[k]);
      assert_true(x.sum.bubble == (double)(pp - 1) * f && (k != 0 || x.sum.span_bubble == 0));
    }
}

static void the_v_waits_within_no_rank(void **state)
{
  (void)state;
  for (uint64_t pp = 2; pp <= 8; pp++)
    for (uint64_t m = 2 * pp - 1; m <= 3 * pp; m++) {
      dtc_pipe p = check_pipe(DTC_SCHEDULE_ZBV, DTC_FRAMEWORK_PYTORCH, pp, 2, m);
      pipes_order(&x, &p);
      pipes_run(&x);
      assert_true(x.sum.bubble == 1000 * (double)(pp - 1) && x.sum.span_bubble == 0);
    }
}

static void dualpipe_fills_it_from_both_ends(void **state)
{
  (void)state;
  for (uint64_t pp = 2; pp <= 8; pp += 2)
    for (uint64_t m = 2 * pp; m <= 4 * pp; m += 2) {
      dtc_pipe both = check_pipe(DTC_SCHEDULE_DUALPIPE, 0, pp, 0, m);
      dtc_pipe half = check_pipe(DTC_SCHEDULE_DUALPIPE_V, 0, pp, 0, m);
      pipes_order(&x, &both);
      pipes_run(&x);
      assert_true(x.sum.bubble == 1000 * (double)(pp - 2));
      pipes_order(&x, &half);
      pipes_run(&x);
      assert_true(x.sum.bubble == 2000 * (double)(pp - 1));
    }
}

/* ---- messages -------------------------------------------------------------------------------- */

/* Messages of one time unit make the step `hops` units longer. */
static void check_hops(const dtc_pipe *p, dtc_pipe_sends sends, uint64_t hops)
{
  pipes_order(&x, p);
  x.sends = sends;
  pipes_run(&x);
  double without = x.sum.makespan;
  x.transfer = sends == DTC_PIPE_SENDS_BLOCKING ? 0.75 : 0;
  x.latency = 1 - x.transfer;
  pipes_run(&x);
  if (x.sum.makespan != without + (double)hops)
    fail_msg("schedule %u pp %u vpp %u m %u group %u: %g units more, expected %u", x.p.schedule, (unsigned)x.p.pp,
             (unsigned)x.p.vpp, (unsigned)x.p.micro_batches, (unsigned)x.p.group, x.sum.makespan - without,
             (unsigned)hops);
}

static void messages_of_one_chunk_are_not_hidden(void **state)
{
  (void)state;
  for (uint64_t pp = 2; pp <= 8; pp++)
    for (uint64_t m = 1; m <= 25; m++) {
      dtc_pipe p = check_pipe(DTC_SCHEDULE_1F1B, DTC_FRAMEWORK_MEGATRON, pp, 1, m);
      dtc_pipe gpipe = check_pipe(DTC_SCHEDULE_GPIPE, 0, pp, 1, m);
      uint64_t through = 2 * (pp - 1);
      uint64_t async = through + (m == 1 ? 0 : 2 * (m - 2 - (m - 2) / pp));
      uint64_t blocking = pp == 2 ? m + 1 : through + (m == 1 ? 0 : 1 + 2 * (m - 2));
      check_hops(&p, DTC_PIPE_SENDS_ASYNC, async);
      check_hops(&p, DTC_PIPE_SENDS_BLOCKING, blocking);
      check_hops(&gpipe, DTC_PIPE_SENDS_ASYNC, through);
    }
}

static void larger_groups_hide_messages(void **state)
{
  (void)state;
  for (uint64_t pp = 2; pp <= 6; pp++)
    for (uint64_t vpp = 2; vpp <= 4; vpp++)
      for (uint64_t rounds = 2; rounds <= 8; rounds += 2) {
        dtc_pipe p = check_pipe(DTC_SCHEDULE_INTERLEAVED, DTC_FRAMEWORK_MEGATRON, pp, vpp, rounds * pp);
        check_hops(&p, DTC_PIPE_SENDS_ASYNC, 2 * (pp * vpp - 1));
        p.group = 2 * pp;
        check_hops(&p, DTC_PIPE_SENDS_ASYNC, 2 * (pp - 1));
      }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_chunk_waits_for_the_other_stages), cmocka_unit_test(chunks_divide_the_bubble),
      cmocka_unit_test(split_backwards_fill_the_bubble),      cmocka_unit_test(generated_orders_fill_more_of_it),
      cmocka_unit_test(the_v_waits_within_no_rank),           cmocka_unit_test(dualpipe_fills_it_from_both_ends),
      cmocka_unit_test(messages_of_one_chunk_are_not_hidden), cmocka_unit_test(larger_groups_hide_messages),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Pipelines of step times: the closed form beside a simulation of the frameworks' own orders. */
#include "step_check.h"

#include "internal/step.h"

#include "pipes_check.h"

static pipes x;

/* ---- costs and the simulation ---------------------------------------------------------------- */

static size_t costs_of(const step_job *j, dtc_pipe_cost *out)
{
  dtc_error e;
  size_t n = 0;
  DTC_INIT(&e);
  check_ok(dtc_step_costs(&j->m, &j->c, &j->p, NULL, 0, NULL, out, PIPES_STAGES, &n, &e), &e);
  return n;
}

/* The order of the plan's job, generated for the mean of its costs. */
static double simulated(const step_job *j)
{
  dtc_error e;
  dtc_plan plan = check_plan();
  dtc_pipe pipe;
  dtc_pipe_cost costs[PIPES_STAGES];
  size_t n = costs_of(j, costs);
  DTC_INIT(&e);
  DTC_INIT(&pipe);
  check_ok(dtc_plan_resolve(&j->m, &j->c, &j->p, &plan, &e), &e);
  check_ok(dtc_pipe_from_plan(&plan, &pipe, &e), &e);
  pipe.forward = pipe.input = pipe.weight = 0;
  for (size_t i = 0; i < n; i++) {
    pipe.forward += costs[i].forward / (double)n;
    pipe.input += costs[i].input / (double)n;
    pipe.weight += costs[i].weight / (double)n;
  }
  pipes_order(&x, &pipe);
  memcpy(x.costs, costs, n * sizeof costs[0]);
  x.n_costs = n;
  pipes_run(&x);
  return x.sum.makespan;
}

/* What the closed form says of the same: all items that grow with the micro-batches, and the bubble. Messages between
 * stages are left out, as in the simulation, and what happens once a step. */
static double closed(const step_job *j)
{
  dtc_step s = step_of(j);
  dtc_step_term terms[STEP_TERMS];
  size_t n = step_terms(j, NULL, terms);
  double sum = s.dense + s.attention + s.experts + s.elementwise + s.head + s.recompute + s.launch + s.tp + s.cp + s.ep;
  return sum + s.bubble - step_term(terms, n, "host work of every step");
}

static step_job piped(const char *text, dtc_schedule schedule, uint64_t vpp, uint64_t micro_batches)
{
  step_job j = step_job_of("dgx-h100", text);
  j.p.schedule = schedule;
  j.p.vpp = vpp;
  j.p.accumulation = micro_batches;
  return j;
}

#define LLAMA "dtcore: model=llama-3-70b megatron tp=8 pp=4 dp=2 mbs=1 seq=4096 sp"
#define TITAN "dtcore: model=llama-3-70b torchtitan sharding=ddp tp=8 pp=4 dp=1 mbs=1 seq=4096 sp"

/* Where the last stage is the slowest, for the head lies there, as the simulation has it. TorchTitan gives the last stage
 * fewer layers: the stages in the middle are the slowest, and the form is up to 5 % too long. */
static void plain_schedules_are_exact(void **state)
{
  (void)state;
  static const struct {
    const char *text;
    dtc_schedule schedule;
    uint64_t vpp;
    double off;
  } rows[] = {
      {LLAMA, DTC_SCHEDULE_1F1B, 1, 1e-9},
      {LLAMA, DTC_SCHEDULE_INTERLEAVED, 2, 1e-9},
      {LLAMA, DTC_SCHEDULE_INTERLEAVED, 4, 1e-9},
      {LLAMA, DTC_SCHEDULE_VPP, 2, 1e-9},
      {TITAN, DTC_SCHEDULE_GPIPE, 1, .02},
      {TITAN, DTC_SCHEDULE_LOOPED_BFS, 2, .05},
      {TITAN, DTC_SCHEDULE_LOOPED_BFS, 3, .05},
      {TITAN, DTC_SCHEDULE_1F1B, 1, .02},
      {TITAN, DTC_SCHEDULE_INTERLEAVED, 2, .05},
      {LLAMA " recompute=full", DTC_SCHEDULE_INTERLEAVED, 5, 1e-9},
      {"dtcore: model=mixtral-8x7b megatron pp=4 ep=8 dp=8 mbs=1 seq=4096", DTC_SCHEDULE_1F1B, 1, 1e-9},
      {"dtcore: model=llama-3-8b deepspeed sharding=zero1 tp=2 pp=4 dp=2 mbs=2 seq=2048", DTC_SCHEDULE_1F1B, 1, 1e-9},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    for (uint64_t m = 4; m <= 32; m *= 2) {
      step_job j = piped(rows[i].text, rows[i].schedule, rows[i].vpp, m);
      double expected = simulated(&j);
      step_near(closed(&j), expected, rows[i].off);
      assert_true(closed(&j) > expected * (1 - 1e-9)); /* never too short */
    }
}

/* Backwards in two halves: a few per cent where stages differ by embedding and head. */
static void split_backwards_are_close(void **state)
{
  (void)state;
  static const struct {
    const char *text;
    dtc_schedule schedule;
    uint64_t vpp;
    uint64_t least; /* micro-batches */
    double off;
  } rows[] = {
      {LLAMA, DTC_SCHEDULE_ZB_H1, 1, 4, .01},
      {LLAMA, DTC_SCHEDULE_ZB_H2, 1, 8, .02},
      {LLAMA, DTC_SCHEDULE_ZBV, 2, 8, .015},
      {LLAMA, DTC_SCHEDULE_DUALPIPE, 2, 8, .015},
      {TITAN, DTC_SCHEDULE_INTERLEAVED_ZB, 2, 4, .02},
      {TITAN, DTC_SCHEDULE_ZBV, 2, 8, .03},
      {TITAN, DTC_SCHEDULE_DUALPIPE_V, 2, 8, .03},
      {LLAMA " recompute=full", DTC_SCHEDULE_ZB_H1, 1, 4, .01},
      {LLAMA " recompute=full", DTC_SCHEDULE_ZBV, 2, 8, .015},
      {"dtcore: model=llama-3-8b megatron tp=8 pp=2 dp=2 mbs=1 seq=4096 sp", DTC_SCHEDULE_ZBV, 2, 4, .03},
      {"dtcore: model=deepseek-v2-lite megatron pp=3 ep=8 dp=8 mbs=1 seq=4096", DTC_SCHEDULE_ZB_H1, 1, 6, .04},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    for (uint64_t m = rows[i].least; m <= 64; m *= 2) {
      step_job j = piped(rows[i].text, rows[i].schedule, rows[i].vpp, m);
      double got = closed(&j);
      double expected = simulated(&j);
      if (!(got <= expected * (1 + rows[i].off) && got >= expected * (1 - rows[i].off)))
        fail_msg("row %u, %u micro-batches: %.4f of the simulation", (unsigned)i, (unsigned)m, got / expected);
    }
}

/* Of DualPipe a rank has two stages, and half of the micro-batches from each end: about as long as 1F1B's without its
 * bubble. */
static void dualpipe_does_no_work_twice(void **state)
{
  (void)state;
  step_job j = piped(LLAMA, DTC_SCHEDULE_1F1B, 1, 64);
  dtc_step plain = step_of(&j);
  j = piped(LLAMA, DTC_SCHEDULE_DUALPIPE, 2, 64);
  dtc_step dual = step_of(&j);
  assert_true(dual.dense == plain.dense && dual.bubble < plain.bubble / 2 && dual.seconds < plain.seconds);
}

/* ---- the closed form alone ------------------------------------------------------------------- */

static double bubble(dtc_schedule schedule, uint64_t pp, uint64_t vpp, uint64_t m, double f, double i, double w)
{
  dtc_plan p = check_plan();
  double n = (double)((pp - 1) * vpp);
  const double others[DTCI_PARTS] = {n * f, n * i, n * w};
  p.schedule = schedule;
  p.pp = pp;
  p.vpp = vpp;
  p.accumulation = m;
  return dtci_bubble(&p, others, 0);
}

static double simulated_bubble(dtc_schedule schedule, dtc_framework framework, uint64_t pp, uint64_t vpp, uint64_t m,
                               const dtc_pipe_cost *c)
{
  dtc_pipe p = check_pipe(schedule, framework, pp, vpp, m);
  p.forward = c->forward;
  p.input = c->input;
  p.weight = c->weight;
  pipes_order(&x, &p);
  pipes_costs(&x, c->forward, c->input, c->weight);
  pipes_run(&x);
  return x.sum.bubble;
}

/* Equal stages, forwards and backwards of any length: share of the step that the form may miss. */
static void equal_stages(void **state)
{
  (void)state;
  static const dtc_pipe_cost costs[] = {{.forward = 1000, .input = 1000, .weight = 1000},
                                        {.forward = 1000, .input = 1300, .weight = 800},
                                        {.forward = 1000, .input = 1600, .weight = 600},
                                        {.forward = 1000, .input = 2300, .weight = 800},
                                        {.forward = 1000, .input = 1400, .weight = 1200}};
  static const struct {
    dtc_schedule schedule;
    dtc_framework framework;
    uint64_t vpp;
    uint64_t least; /* micro-batches, times pp */
    double off;
  } rows[] = {
      {DTC_SCHEDULE_GPIPE, DTC_FRAMEWORK_PYTORCH, 1, 1, 1e-12},
      {DTC_SCHEDULE_1F1B, DTC_FRAMEWORK_MEGATRON, 1, 1, 1e-12},
      {DTC_SCHEDULE_INTERLEAVED, DTC_FRAMEWORK_MEGATRON, 3, 1, 1e-12},
      {DTC_SCHEDULE_VPP, DTC_FRAMEWORK_MEGATRON, 2, 1, 1e-12},
      {DTC_SCHEDULE_LOOPED_BFS, DTC_FRAMEWORK_PYTORCH, 4, 1, 1e-12},
      {DTC_SCHEDULE_INTERLEAVED_ZB, DTC_FRAMEWORK_PYTORCH, 2, 1, 1e-12},
      {DTC_SCHEDULE_ZB_H1, DTC_FRAMEWORK_MEGATRON, 1, 1, 1e-12},
      {DTC_SCHEDULE_ZBV, DTC_FRAMEWORK_PYTORCH, 2, 1, 1e-12},
      {DTC_SCHEDULE_ZBV, DTC_FRAMEWORK_MEGATRON, 2, 2, .02},
      {DTC_SCHEDULE_ZB_H2, DTC_FRAMEWORK_MEGATRON, 1, 1, .041},
      {DTC_SCHEDULE_DUALPIPE, DTC_FRAMEWORK_MEGATRON, 2, 2, .03},
      {DTC_SCHEDULE_DUALPIPE_V, DTC_FRAMEWORK_PYTORCH, 2, 2, .03},
  };
  for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
    for (uint64_t pp = 2; pp <= 8; pp += 2)
      for (uint64_t m = rows[r].least * pp; m <= 4 * pp; m += pp)
        for (size_t k = 0; k < sizeof costs / sizeof costs[0]; k++) {
          const dtc_pipe_cost *c = &costs[k];
          uint64_t vpp = rows[r].vpp;
          double got = bubble(rows[r].schedule, pp, vpp, m, c->forward, c->input, c->weight);
          double expected = simulated_bubble(rows[r].schedule, rows[r].framework, pp, vpp, m, c);
          if (!(got <= expected + rows[r].off * x.sum.makespan && got >= expected - rows[r].off * x.sum.makespan))
            fail_msg("schedule %u pp %u m %u costs %u: %g, simulated %g of %g", rows[r].schedule, (unsigned)pp,
                     (unsigned)m, (unsigned)k, got, expected, x.sum.makespan);
        }
}

/* A slow first stage leaves the others time for their bubble, which the closed form does not see: it is too long, by no
 * more than the share that the stages differ. */
static void slow_first_stages_are_bounded(void **state)
{
  (void)state;
  for (uint64_t m = 4; m <= 32; m *= 2) {
    step_job j = piped(LLAMA " first=23 last=19", DTC_SCHEDULE_1F1B, 1, m);
    double got = closed(&j);
    double expected = simulated(&j);
    assert_true(got >= expected * (1 - 1e-9) && got <= expected * (1 + 4. / 19));
  }
}

/* ---- costs ----------------------------------------------------------------------------------- */

static void costs_are_the_pipeline(void **state)
{
  (void)state;
  dtc_pipe_cost costs[PIPES_STAGES];
  step_job j = piped(LLAMA, DTC_SCHEDULE_INTERLEAVED, 5, 16);
  dtc_step s = step_of(&j);
  double slowest = 0;
  assert_int_equal(costs_of(&j, costs), 20);
  for (uint64_t rank = 0; rank < 4; rank++) {
    double sum = 0;
    for (uint64_t chunk = 0; chunk < 5; chunk++) {
      const dtc_pipe_cost *c = &costs[chunk * 4 + rank];
      assert_true(c->forward > 0 && c->input > c->weight && c->weight > 0 && c->freed_input == 0);
      assert_memory_equal(c, &costs[rank], sizeof *c); /* evenly */
      sum += c->forward + c->input + c->weight;
    }
    slowest = sum > slowest ? sum : slowest;
  }
  step_near(16 * slowest + s.bubble, closed(&j), 1e-12);
}

static void costs_in_a_v_and_twice(void **state)
{
  (void)state;
  dtc_pipe_cost costs[PIPES_STAGES];
  step_job j = piped(LLAMA, DTC_SCHEDULE_ZBV, 2, 16);
  assert_int_equal(costs_of(&j, costs), 8);
  for (size_t i = 0; i < 4; i++)
    assert_memory_equal(&costs[i], &costs[7 - i], sizeof costs[i]);
  assert_true(costs[0].forward > costs[1].forward && costs[1].forward == costs[2].forward);
  j = piped(LLAMA, DTC_SCHEDULE_DUALPIPE, 2, 16);
  assert_int_equal(costs_of(&j, costs), 4);
  assert_memory_equal(&costs[0], &costs[3], sizeof costs[0]);
  assert_memory_equal(&costs[1], &costs[2], sizeof costs[1]);
  step_job plain = piped(LLAMA, DTC_SCHEDULE_1F1B, 1, 16);
  dtc_pipe_cost once[PIPES_STAGES];
  assert_int_equal(costs_of(&plain, once), 4);
  step_near(costs[1].forward, once[1].forward, 1e-12);
  step_near(costs[0].forward, (once[0].forward + once[3].forward) / 2, 1e-12);
}

static void costs_space(void **state)
{
  (void)state;
  dtc_pipe_cost costs[8];
  dtc_error e;
  size_t n = 0;
  step_job j = piped(LLAMA, DTC_SCHEDULE_INTERLEAVED, 2, 16);
  DTC_INIT(&e);
  assert_int_equal(dtc_step_costs(&j.m, &j.c, &j.p, NULL, 0, NULL, costs, 7, &n, &e), DTC_E_SPACE);
  assert_int_equal(n, 8);
  n = 0;
  check_ok(dtc_step_costs(&j.m, &j.c, &j.p, NULL, 0, NULL, costs, 8, &n, &e), &e);
  assert_int_equal(n, 8);
}

/* A long pipeline is no slower to estimate than its stages are many. */
static void long_pipelines(void **state)
{
  (void)state;
  dtc_error e;
  dtc_step s;
  step_job j = {check_shape(DTC_ARCH_LLAMA, 1 << 20, 1024, 16, 32000), step_cluster("dgx-h100"), check_plan()};
  DTC_INIT(&e);
  DTC_INIT(&s);
  j.p.framework = DTC_FRAMEWORK_MEGATRON;
  j.p.pp = 1 << 20;
  j.p.seq = 64;
  j.m.ffn = 4096;
  check_ok(dtc_step_estimate(&j.m, &j.c, &j.p, NULL, 0, NULL, &s, &e), &e);
  assert_true(s.gpus == 1 << 20 && s.bubble > 0 && s.stage == (1 << 20) - 1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(plain_schedules_are_exact),
      cmocka_unit_test(split_backwards_are_close),
      cmocka_unit_test(dualpipe_does_no_work_twice),
      cmocka_unit_test(equal_stages),
      cmocka_unit_test(slow_first_stages_are_bounded),
      cmocka_unit_test(costs_are_the_pipeline),
      cmocka_unit_test(costs_in_a_v_and_twice),
      cmocka_unit_test(costs_space),
      cmocka_unit_test(long_pipelines),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

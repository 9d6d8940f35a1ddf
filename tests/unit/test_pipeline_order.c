/* Orders in closed form: known ones, complete and free of deadlock for random jobs, the same op by op. */
#include "pipeline_check.h"

#include <stdio.h>

enum { ON = DTC_BOOL_ON, MEGATRON = DTC_FRAMEWORK_MEGATRON, PYTORCH = DTC_FRAMEWORK_PYTORCH };

/* ---- known orders ------------------------------------------------------------------------------------------------ */

/* "F0.0 F1.0+B0.1": the ops of a rank. */
static void write_text(const dtc_pipe_op *ops, uint64_t rows, int chunks, char *at)
{
  for (uint64_t i = 0; i < rows && ops[i].kind != DTC_PIPE_KIND_NONE; i++) {
    at += sprintf(at, "%s%c%u",
                  i == 0             ? ""
                  : ops[i - 1].fused ? "+"
                                     : " ",
                  "?FBIW"[ops[i].kind], (unsigned)ops[i].micro_batch);
    if (chunks)
      at += sprintf(at, ".%u", ops[i].chunk);
  }
}

static void check_rank(const dtc_pipe *p, uint64_t rank, const char *expected)
{
  char text[4096] = "";
  uint64_t rows = 0;
  dtc_pipe out;
  DTC_INIT(&out);
  assert_int_equal(dtc_pipe_resolve(p, &out, NULL), DTC_OK);
  dtc_pipe_op *ops = check_order(p, &rows);
  write_text(ops + rank * rows, rows, out.vpp > 1, text);
  assert_string_equal(text, expected);
  free(ops);
}

static void gpipe_keeps_the_order_of_micro_batches(void **state)
{
  (void)state;
  dtc_pipe p = check_pipe(DTC_SCHEDULE_GPIPE, PYTORCH, 2, 0, 3);
  check_rank(&p, 0, "F0 F1 F2 B0 B1 B2");
  check_rank(&p, 1, "F0 F1 F2 B0 B1 B2");
}

static void all_forms_of_1f1b_are_one(void **state)
{
  (void)state;
  for (dtc_framework f = DTC_FRAMEWORK_PYTORCH; f <= DTC_FRAMEWORK_TORCHTITAN; f++) {
    dtc_pipe p = check_pipe(DTC_SCHEDULE_1F1B, f, 3, 0, 4);
    check_rank(&p, 0, "F0 F1 F2 B0 F3 B1 B2 B3");
    check_rank(&p, 1, "F0 F1 B0 F2 B1 F3 B2 B3");
    check_rank(&p, 2, "F0 B0 F1 B1 F2 B2 F3 B3");
  }
  dtc_pipe few = check_pipe(DTC_SCHEDULE_1F1B, MEGATRON, 4, 0, 2);
  check_rank(&few, 0, "F0 F1 B0 B1");
  check_rank(&few, 3, "F0 B0 F1 B1");
}

static void interleaved_runs_in_groups(void **state)
{
  (void)state;
  dtc_pipe p = check_pipe(DTC_SCHEDULE_INTERLEAVED, MEGATRON, 2, 2, 5);
  p.group = 3;
  check_rank(&p, 0,
             "F0.0 F1.0 F2.0 F0.1 F1.1 F2.1 B0.1 F3.0 B1.1 F4.0 B2.1 F3.1 B0.0 F4.1 B1.0 B2.0 B3.1 B4.1 B3.0 B4.0");
  check_rank(&p, 1,
             "F0.0 F1.0 F2.0 F0.1 B0.1 F1.1 B1.1 F2.1 B2.1 F3.0 B0.0 F4.0 B1.0 F3.1 B2.0 F4.1 B3.1 B4.1 B3.0 B4.0");
  p.p2p_overlap = DTC_BOOL_ON;
  p.forward_only = ON;
  check_rank(&p, 1, "F0.0 F1.0 F2.0 F0.1 F1.1 F2.1 F3.0 F4.0 F3.1 F4.1");
  /* PyTorch: 10 micro-batches on 4 ranks make two rounds of 5. */
  dtc_pipe rounds = check_pipe(DTC_SCHEDULE_INTERLEAVED, PYTORCH, 4, 2, 10);
  uint64_t rows = 0;
  dtc_pipe_op *ops = check_order(&rounds, &rows);
  assert_true(ops[4].micro_batch == 4 && ops[4].chunk == 0 && ops[5].micro_batch == 0 && ops[5].chunk == 1);
  free(ops);
}

static void an_overlap_of_experts_fuses_pairs(void **state)
{
  (void)state;
  dtc_pipe p = check_pipe(DTC_SCHEDULE_INTERLEAVED, MEGATRON, 2, 2, 4);
  p.moe_overlap = ON;
  check_rank(&p, 0, "F0.0 F1.0 F0.1 F1.1 F2.0 F3.0+B0.1 F2.1+B1.1 F3.1+B0.0 B1.0 B2.1 B3.1 B2.0 B3.0");
  check_rank(&p, 1, "F0.0 F1.0 F0.1 F1.1+B0.1 F2.0+B1.1 F3.0+B0.0 F2.1+B1.0 F3.1+B2.1 B3.1 B2.0 B3.0");
  p.forward_only = ON;
  check_rank(&p, 0, "F0.0 F1.0 F0.1 F1.1 F2.0 F3.0 F2.1 F3.1");
}

static void looped_bfs_goes_back_the_way_it_came(void **state)
{
  (void)state;
  dtc_pipe p = check_pipe(DTC_SCHEDULE_LOOPED_BFS, PYTORCH, 2, 2, 2);
  check_rank(&p, 0, "F0.0 F1.0 F0.1 F1.1 B1.1 B0.1 B1.0 B0.0");
}

static void zb1p_delays_weights_by_the_rank(void **state)
{
  (void)state;
  dtc_pipe p = check_pipe(DTC_SCHEDULE_INTERLEAVED_ZB, PYTORCH, 2, 2, 4);
  check_rank(&p, 0,
             "F0.0 F1.0 F0.1 F1.1 I0.1 W0.1 F2.0 I1.1 W1.1 F3.0 I0.0 W0.0 F2.1 I1.0 W1.0 F3.1 I2.1 W2.1 I3.1 "
             "W3.1 I2.0 W2.0 I3.0 W3.0");
  check_rank(&p, 1,
             "F0.0 F1.0 F0.1 I0.1 F1.1 I1.1 W0.1 F2.0 I0.0 W1.1 F3.0 I1.0 W0.0 F2.1 I2.1 W1.0 F3.1 I3.1 W2.1 "
             "I2.0 W3.1 I3.0 W2.0 W3.0");
  /* Fewer backwards than ranks before: all weights come at the end. */
  dtc_pipe few = check_pipe(DTC_SCHEDULE_INTERLEAVED_ZB, PYTORCH, 4, 1, 2);
  check_rank(&few, 3, "F0 I0 F1 I1 W0 W1");
}

static void zbv_leaves_out_what_the_job_has_not(void **state)
{
  (void)state;
  dtc_pipe p = check_pipe(DTC_SCHEDULE_ZBV, PYTORCH, 2, 0, 2);
  check_rank(&p, 0, "F0.0 F1.0 F0.1 I0.1 W0.1 F1.1 I1.1 W1.1 I0.0 W0.0 I1.0 W1.0");
  check_rank(&p, 1, "F0.0 F0.1 F1.0 F1.1 I0.1 W0.1 I0.0 W0.0 I1.1 W1.1 I1.0 W1.0");
  p.micro_batches = 1;
  check_rank(&p, 0, "F0.0 F0.1 I0.1 W0.1 I0.0 W0.0");
}

static void dualpipe_runs_eight_steps(void **state)
{
  (void)state;
  dtc_pipe v = check_pipe(DTC_SCHEDULE_DUALPIPE_V, PYTORCH, 2, 0, 5);
  check_rank(&v, 0,
             "F0.0 F1.0 F2.0 F0.1 I0.1 W0.1 F1.1 F3.0+B1.1 F2.1+B0.0 F4.0+B2.1 F3.1+B1.0 B3.1 F4.1+B2.0 B4.1 "
             "I3.0 W3.0 I4.0 W4.0");
  check_rank(&v, 1,
             "F0.0 F0.1 F1.0 F1.1 F2.0 B0.1 F2.1+B0.0 F3.0+B1.1 F3.1+B1.0 F4.0+B2.1 F4.1+B2.0 B3.1 B3.0 I4.1 "
             "I4.0 W4.1 W4.0");
  dtc_pipe dual = check_pipe(DTC_SCHEDULE_DUALPIPE, 0, 2, 0, 4);
  check_rank(&dual, 0, "F0.0 F0.1 F1.0 B0.1 F1.1+B0.0 B1.1 I1.0 W1.0");
  check_rank(&dual, 1, "F0.1 F0.0 F1.1 B0.0 F1.0+B0.1 B1.0 I1.1 W1.1");
  dual.forward_only = ON;
  check_rank(&dual, 1, "F0.1 F0.0 F1.1 F1.0");
}

/* ---- any job ----------------------------------------------------------------------------------------------------- */

/* Schedules whose order is a formula. */
static const struct {
  dtc_schedule schedule;
  dtc_framework framework;
  uint64_t chunks; /* at most */
} closed[] = {
    {DTC_SCHEDULE_GPIPE, PYTORCH, 1},
    {DTC_SCHEDULE_1F1B, MEGATRON, 1},
    {DTC_SCHEDULE_1F1B, PYTORCH, 1},
    {DTC_SCHEDULE_1F1B, DTC_FRAMEWORK_DEEPSPEED, 1},
    {DTC_SCHEDULE_INTERLEAVED, MEGATRON, 8},
    {DTC_SCHEDULE_INTERLEAVED, PYTORCH, 8},
    {DTC_SCHEDULE_INTERLEAVED, DTC_FRAMEWORK_COLOSSALAI, 8},
    {DTC_SCHEDULE_VPP, MEGATRON, 8},
    {DTC_SCHEDULE_LOOPED_BFS, PYTORCH, 8},
    {DTC_SCHEDULE_INTERLEAVED_ZB, PYTORCH, 8},
    {DTC_SCHEDULE_ZBV, PYTORCH, 2},
    {DTC_SCHEDULE_DUALPIPE_V, PYTORCH, 2},
    {DTC_SCHEDULE_DUALPIPE, MEGATRON, 2},
};
enum { CLOSED = sizeof closed / sizeof closed[0] };

/* A random job that is accepted. */
static dtc_pipe random_job(uint64_t *seed, uint64_t pp, uint64_t chunks, uint64_t micro_batches)
{
  for (;;) {
    size_t i = check_random(seed, CLOSED);
    uint64_t most = closed[i].chunks < chunks ? closed[i].chunks : chunks;
    dtc_pipe p = check_pipe(closed[i].schedule, closed[i].framework, 1 + check_random(seed, pp),
                            1 + check_random(seed, most), 1 + check_random(seed, micro_batches));
    if (p.schedule == DTC_SCHEDULE_INTERLEAVED && p.framework == MEGATRON) {
      p.group = check_random(seed, 2) * (p.pp + check_random(seed, 8));
      p.moe_overlap = check_random(seed, 2) ? ON : DTC_BOOL_OFF;
    }
    if (check_random(seed, 8) == 0)
      p.forward_only = ON;
    if (dtc_pipe_resolve(&p, &p, NULL) == DTC_OK)
      return p;
  }
}

/* What has run: by micro-batch and place in the chain of stages, from the first forward on. */
typedef struct replay {
  const dtc_pipe *p;
  uint8_t *done; /* bit dtc_pipe_kind */
  uint64_t stages;
} replay;

static uint8_t *done_at(const replay *r, const dtc_pipe_op *op, uint64_t stage)
{
  uint64_t chain = r->p->schedule == DTC_SCHEDULE_DUALPIPE ? op->chunk : 0;
  return &r->done[(chain * r->p->micro_batches + op->micro_batch) * r->stages + stage];
}

/* The op's place in its chain; of DualPipe each direction has one. */
static uint64_t place_of(const replay *r, uint64_t rank, const dtc_pipe_op *op)
{
  uint64_t stage = 0;
  assert_int_equal(dtc_pipe_stage(r->p, rank, op->chunk, &stage, NULL), DTC_OK);
  return stage;
}

static int is_ready(const replay *r, uint64_t rank, const dtc_pipe_op *op)
{
  uint64_t stage = place_of(r, rank, op);
  unsigned own = *done_at(r, op, stage);
  if (op->kind == DTC_PIPE_KIND_FORWARD)
    return stage == 0 || (*done_at(r, op, stage - 1) >> DTC_PIPE_KIND_FORWARD & 1);
  if (op->kind == DTC_PIPE_KIND_WEIGHT)
    return own >> DTC_PIPE_KIND_INPUT & 1;
  if (stage + 1 == r->stages)
    return own >> DTC_PIPE_KIND_FORWARD & 1;
  unsigned behind = *done_at(r, op, stage + 1);
  return (behind >> DTC_PIPE_KIND_BACKWARD & 1) || (behind >> DTC_PIPE_KIND_INPUT & 1);
}

static void run_op(const replay *r, uint64_t rank, const dtc_pipe_op *op)
{
  uint8_t *done = done_at(r, op, place_of(r, rank, op));
  assert_true(op->micro_batch < r->p->micro_batches && op->chunk < r->p->vpp);
  assert_int_equal(*done >> op->kind & 1, 0); /* each at most once */
  *done = (uint8_t)(*done | 1u << op->kind);
}

/* Runs a rank as far as it goes; both ops of a fused pair need their inputs when it begins. */
static uint64_t run_rank(const replay *r, uint64_t rank, const dtc_pipe_op *ops, uint64_t rows, uint64_t at)
{
  while (at < rows && ops[at].kind != DTC_PIPE_KIND_NONE && is_ready(r, rank, &ops[at])) {
    if (ops[at].fused) {
      assert_true(at + 1 < rows && ops[at].kind == DTC_PIPE_KIND_FORWARD &&
                  ops[at + 1].kind == DTC_PIPE_KIND_BACKWARD && !ops[at + 1].fused);
      if (!is_ready(r, rank, &ops[at + 1]))
        break;
      run_op(r, rank, &ops[at++]);
    }
    run_op(r, rank, &ops[at++]);
  }
  return at;
}

/* Every micro-batch ran forward through every stage once, and back. */
static void check_complete(const replay *r)
{
  uint64_t chains = r->p->schedule == DTC_SCHEDULE_DUALPIPE ? 2 : 1;
  for (uint64_t i = 0; i < chains * r->p->micro_batches * r->stages; i++) {
    int exists = chains == 1 || i / r->stages % r->p->micro_batches < r->p->micro_batches / 2;
    unsigned done = r->done[i];
    if (!exists)
      assert_int_equal(done, 0);
    else if (r->p->forward_only == ON)
      assert_int_equal(done, 1 << DTC_PIPE_KIND_FORWARD);
    else
      assert_true(done == (1 << DTC_PIPE_KIND_FORWARD | 1 << DTC_PIPE_KIND_BACKWARD) ||
                  done == (1 << DTC_PIPE_KIND_FORWARD | 1 << DTC_PIPE_KIND_INPUT | 1 << DTC_PIPE_KIND_WEIGHT));
  }
}

static void check_runs(const dtc_pipe *p, const dtc_pipe_op *ops, uint64_t rows)
{
  replay r = {p, NULL, p->schedule == DTC_SCHEDULE_DUALPIPE ? p->pp : p->pp * p->vpp};
  uint64_t *at = calloc(p->pp, sizeof *at);
  int moved = 1;
  r.done = calloc(2 * p->micro_batches * r.stages, 1);
  while (moved) {
    moved = 0;
    for (uint64_t rank = 0; rank < p->pp; rank++) {
      uint64_t next = run_rank(&r, rank, ops + rank * rows, rows, at[rank]);
      moved |= next != at[rank];
      at[rank] = next;
    }
  }
  check_complete(&r);
  for (uint64_t rank = 0; rank < p->pp; rank++) /* behind the last op all rows are empty */
    for (uint64_t i = at[rank]; i < rows; i++) {
      static const dtc_pipe_op none = {0, 0, 0, 0};
      assert_memory_equal(&ops[rank * rows + i], &none, sizeof none);
    }
  free(r.done);
  free(at);
}

static void every_order_is_complete_and_runs_to_its_end(void **state)
{
  (void)state;
  uint64_t seed = 1, rows = 0;
  for (int round = 0; round < 600; round++) {
    dtc_pipe p = round % 50 == 0 ? random_job(&seed, 64, 8, 512) : random_job(&seed, 12, 6, 48);
    dtc_pipe_op *ops = check_order(&p, &rows);
    check_runs(&p, ops, rows);
    free(ops);
  }
}

static void any_op_is_found_without_the_others(void **state)
{
  (void)state;
  uint64_t seed = 2, rows = 0;
  for (int round = 0; round < 300; round++) {
    dtc_pipe p = random_job(&seed, 8, 4, 32);
    dtc_pipe_op *ops = check_order(&p, &rows);
    for (uint64_t i = 0; i < p.pp * rows; i++) {
      dtc_pipe_op op = {9, 9, 9, 9};
      assert_int_equal(dtc_pipe_op_at(&p, i / rows, i % rows, &op, NULL), DTC_OK);
      assert_memory_equal(&op, &ops[i], sizeof op);
    }
    free(ops);
  }
}

/* Most activations alive, counted op by op. */
static dtc_pipe_held count_held(const dtc_pipe_op *ops, uint64_t rows)
{
  dtc_pipe_held now = {0, 0}, most = {0, 0};
  for (uint64_t i = 0; i < rows; i++) {
    now.input += ops[i].kind == DTC_PIPE_KIND_FORWARD;
    now.weight += ops[i].kind == DTC_PIPE_KIND_FORWARD;
    now.input -= ops[i].kind == DTC_PIPE_KIND_BACKWARD || ops[i].kind == DTC_PIPE_KIND_INPUT;
    now.weight -= ops[i].kind == DTC_PIPE_KIND_BACKWARD || ops[i].kind == DTC_PIPE_KIND_WEIGHT;
    most.input = now.input > most.input ? now.input : most.input;
    most.weight = now.weight > most.weight ? now.weight : most.weight;
  }
  return most;
}

static void check_held(const dtc_pipe *p)
{
  uint64_t rows = 0;
  dtc_pipe_op *ops = check_order(p, &rows);
  for (uint64_t rank = 0; rank < p->pp; rank++) {
    dtc_pipe_held held = {0, 0}, counted = count_held(ops + rank * rows, rows);
    assert_int_equal(dtc_pipe_inflight(p, rank, &held, NULL), DTC_OK);
    if (held.input != counted.input || held.weight != counted.weight)
      fail_msg("%s pp %d vpp %d micro-batches %d group %d rank %d: held %d, %d, counted %d, %d",
               dtc_value_name(DTC_FIELD(pipe, schedule), p->schedule), (int)p->pp, (int)p->vpp, (int)p->micro_batches,
               (int)p->group, (int)rank, (int)held.input, (int)held.weight, (int)counted.input, (int)counted.weight);
  }
  free(ops);
}

static void what_a_rank_holds_is_what_its_order_holds(void **state)
{
  (void)state;
  uint64_t seed = 3;
  for (size_t i = 0; i < CLOSED; i++) /* all small jobs */
    for (uint64_t pp = 1; pp <= 6; pp++)
      for (uint64_t vpp = 1; vpp <= closed[i].chunks && vpp <= 3; vpp++)
        for (uint64_t m = 1; m <= 2 * pp + 6; m++) {
          dtc_pipe p = check_pipe(closed[i].schedule, closed[i].framework, pp, vpp, m);
          if (dtc_pipe_resolve(&p, &p, NULL) == DTC_OK)
            check_held(&p);
        }
  for (int round = 0; round < 300; round++) {
    dtc_pipe p = random_job(&seed, 24, 6, 96);
    check_held(&p);
  }
}

static void one_rank_and_one_micro_batch_are_jobs(void **state)
{
  (void)state;
  for (size_t i = 0; i < CLOSED; i++)
    for (uint64_t pp = 1; pp <= 2; pp++)
      for (uint64_t m = 1; m <= 4; m++) {
        dtc_pipe p = check_pipe(closed[i].schedule, closed[i].framework, pp, 0, m);
        uint64_t rows = 0;
        if (dtc_pipe_resolve(&p, &p, NULL) != DTC_OK)
          continue;
        dtc_pipe_op *ops = check_order(&p, &rows);
        check_runs(&p, ops, rows);
        free(ops);
      }
  dtc_pipe p = check_pipe(DTC_SCHEDULE_1F1B, MEGATRON, 1, 0, 1);
  check_rank(&p, 0, "F0 B0");
}

/* ---- arguments --------------------------------------------------------------------------------------------------- */

static void a_short_array_is_told_its_length(void **state)
{
  (void)state;
  dtc_pipe p = check_pipe(DTC_SCHEDULE_1F1B, MEGATRON, 3, 0, 4);
  dtc_error e;
  dtc_pipe_op ops[24];
  size_t count = 0;
  DTC_INIT(&e);
  assert_int_equal(dtc_pipe_order(&p, NULL, 0, &count, NULL, 0, &e), DTC_E_SPACE);
  assert_true(count == 24 && e.got == 0 && e.min == 24 && e.rule == DTC_RULE_SPACE);
  count = 0;
  assert_int_equal(dtc_pipe_order(&p, ops, 23, &count, NULL, 0, NULL), DTC_E_SPACE);
  assert_int_equal(count, 24);
  assert_int_equal(dtc_pipe_order(&p, ops, 24, &count, NULL, 0, NULL), DTC_OK);
}

static void ops_outside_the_order_are_refused(void **state)
{
  (void)state;
  dtc_pipe p = check_pipe(DTC_SCHEDULE_1F1B, MEGATRON, 3, 0, 4);
  dtc_pipe zb = check_pipe(DTC_SCHEDULE_ZB_H1, MEGATRON, 3, 0, 4);
  dtc_pipe_op op = {9, 9, 9, 9};
  dtc_pipe_held held = {9, 9};
  dtc_error e;
  DTC_INIT(&e);
  assert_int_equal(dtc_pipe_op_at(&p, 3, 0, &op, &e), DTC_E_RANGE);
  assert_true(e.field == DTC_ARG_RANK && e.got == 3 && e.max == 2);
  assert_int_equal(dtc_pipe_op_at(&p, 0, 8, &op, &e), DTC_E_RANGE);
  assert_true(e.field == DTC_ARG_INDEX && e.got == 8 && e.max == 7);
  assert_int_equal(dtc_pipe_op_at(&zb, 0, 0, &op, &e), DTC_E_UNSUPPORTED);
  assert_true(e.rule == DTC_RULE_PIPE_CLOSED && e.field == DTC_FIELD(pipe, schedule) && e.got == DTC_SCHEDULE_ZB_H1);
  assert_int_equal(dtc_pipe_inflight(&zb, 0, &held, &e), DTC_E_UNSUPPORTED);
  assert_int_equal(e.rule, DTC_RULE_PIPE_CLOSED);
  assert_int_equal(dtc_pipe_inflight(&p, UINT64_MAX, &held, &e), DTC_E_RANGE);
  assert_true(op.micro_batch == 9 && op.kind == 9 && held.input == 9 && held.weight == 9);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gpipe_keeps_the_order_of_micro_batches),
      cmocka_unit_test(all_forms_of_1f1b_are_one),
      cmocka_unit_test(interleaved_runs_in_groups),
      cmocka_unit_test(an_overlap_of_experts_fuses_pairs),
      cmocka_unit_test(looped_bfs_goes_back_the_way_it_came),
      cmocka_unit_test(zb1p_delays_weights_by_the_rank),
      cmocka_unit_test(zbv_leaves_out_what_the_job_has_not),
      cmocka_unit_test(dualpipe_runs_eight_steps),
      cmocka_unit_test(every_order_is_complete_and_runs_to_its_end),
      cmocka_unit_test(any_op_is_found_without_the_others),
      cmocka_unit_test(what_a_rank_holds_is_what_its_order_holds),
      cmocka_unit_test(one_rank_and_one_micro_batch_are_jobs),
      cmocka_unit_test(a_short_array_is_told_its_length),
      cmocka_unit_test(ops_outside_the_order_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

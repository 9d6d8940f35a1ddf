/* The lock steps of DeepSpeed's pipeline engine: runtime/pipe/schedule.py at edaa7221, TrainSchedule and
 * InferenceSchedule. */
#include "internal/pipeline_order.h"

/* A rank's instructions: counted all, written as far as there is room. */
typedef struct sink {
  dtc_pipe_step *out;
  uint64_t cap;
  uint64_t count;
  uint32_t step;
} sink;

/* An engine of a rank; micro-batches are signed, because steps before the first have none. */
typedef struct engine {
  int64_t rank;
  int64_t ranks;
  int64_t micro_batches;
  int64_t buffers;
} engine;

static void put(sink *s, dtc_pipe_instruction what, int64_t buffer)
{
  if (s->count < s->cap)
    s->out[s->count] = (dtc_pipe_step){s->step, (uint16_t)buffer, (uint16_t)what};
  s->count++;
}

static int there(const engine *g, int64_t micro_batch)
{
  return micro_batch >= 0 && micro_batch < g->micro_batches;
}

static int is_end(const engine *g)
{
  return g->rank == 0 || g->rank == g->ranks - 1;
}

/* ---- training -------------------------------------------------------------------------------- */

/* Even ranks run forwards in even steps, odd ranks in odd ones. */
static int is_forward(const engine *g, int64_t step)
{
  return step % 2 == g->rank % 2;
}

/* The micro-batch of a step; outside [0, micro_batches) there is none. */
static int64_t micro_batch_at(const engine *g, int64_t step)
{
  int64_t base = step / 2;
  if (is_forward(g, step))
    return base - g->rank / 2;
  return step % 2 == 0 ? base - g->ranks + (g->rank + 1) / 2 : base - g->ranks + 1 + g->rank / 2;
}

/* A buffer is taken again after as many micro-batches as there are buffers. */
static int64_t buffer_of(const engine *g, int64_t micro_batch)
{
  return micro_batch % g->buffers;
}

static void train_step(const engine *g, int64_t step, sink *s)
{
  int64_t now = micro_batch_at(g, step);
  int64_t before = step > 0 ? micro_batch_at(g, step - 1) : -1;
  int forward = is_forward(g, step);
  if (forward && there(g, before) && g->rank > 0)
    put(s, DTC_PIPE_INSTRUCTION_SEND_GRAD, buffer_of(g, before));
  if (forward && there(g, now) && g->rank > 0)
    put(s, DTC_PIPE_INSTRUCTION_RECV_ACTIVATION, buffer_of(g, now));
  if (!forward && there(g, now) && g->rank < g->ranks - 1)
    put(s, DTC_PIPE_INSTRUCTION_RECV_GRAD, buffer_of(g, now));
  if (!forward && there(g, before) && g->rank < g->ranks - 1)
    put(s, DTC_PIPE_INSTRUCTION_SEND_ACTIVATION, buffer_of(g, before));
  if (forward && there(g, now) && is_end(g))
    put(s, DTC_PIPE_INSTRUCTION_LOAD, buffer_of(g, now));
  if (there(g, now))
    put(s, forward ? DTC_PIPE_INSTRUCTION_FORWARD : DTC_PIPE_INSTRUCTION_BACKWARD, buffer_of(g, now));
}

static void train(engine *g, sink *s)
{
  int64_t steps = 2 * (g->micro_batches + g->ranks - 1);
  int64_t ahead = g->ranks - g->rank;
  g->buffers = ahead < g->micro_batches ? ahead : g->micro_batches;
  g->buffers = g->buffers > 2 ? g->buffers : 2;
  for (int64_t step = 0; step < steps; step++) {
    s->step = (uint32_t)step;
    train_step(g, step, s);
  }
  put(s, DTC_PIPE_INSTRUCTION_REDUCE_TIED, 0);
  put(s, DTC_PIPE_INSTRUCTION_REDUCE_GRADS, 0);
  put(s, DTC_PIPE_INSTRUCTION_OPTIMIZER_STEP, 0);
}

/* ---- inference ------------------------------------------------------------------------------- */

/* Two buffers in turn; even ranks send before they receive, odd ranks after. */
static void infer_step(const engine *g, int64_t step, sink *s)
{
  int64_t now = step - g->rank;
  int64_t receives = (step + g->rank) % 2;
  int sends = g->rank < g->ranks - 1 && there(g, now - 1);
  if (is_end(g) && there(g, now))
    put(s, DTC_PIPE_INSTRUCTION_LOAD, receives);
  if (g->rank % 2 == 0 && sends)
    put(s, DTC_PIPE_INSTRUCTION_SEND_ACTIVATION, 1 - receives);
  if (g->rank > 0 && there(g, now))
    put(s, DTC_PIPE_INSTRUCTION_RECV_ACTIVATION, receives);
  if (g->rank % 2 != 0 && sends)
    put(s, DTC_PIPE_INSTRUCTION_SEND_ACTIVATION, 1 - receives);
  if (there(g, now))
    put(s, DTC_PIPE_INSTRUCTION_FORWARD, receives);
}

static void infer(const engine *g, sink *s)
{
  for (int64_t step = 0; step < g->micro_batches + g->ranks - 1; step++) {
    s->step = (uint32_t)step;
    infer_step(g, step, s);
  }
}

static dtc_status steps(const dtc_pipe *pipe, uint64_t rank, dtc_pipe_step *out, size_t cap, size_t *count,
                        dtc_error *e)
{
  dtc_pipe p;
  TRY(dtci_pipe_in(pipe, &p, e));
  TRY(dtci_check_range(e, DTCI_ARG(RANK), rank, 0, p.pp - 1));
  if (p.framework != DTC_FRAMEWORK_DEEPSPEED)
    return dtci_fail_within(e, DTC_E_UNSUPPORTED, DTC_RULE_RANGE, DTC_FIELD(pipe, framework), p.framework,
                            DTC_FRAMEWORK_DEEPSPEED, DTC_FRAMEWORK_DEEPSPEED);
  engine g = {(int64_t)rank, (int64_t)p.pp, (int64_t)p.micro_batches, 2};
  sink s = {out, cap, 0, 0};
  if (p.forward_only == DTC_BOOL_ON)
    infer(&g, &s);
  else
    train(&g, &s);
  if (s.count > cap) {
    *count = dtci_count(s.count);
    return dtci_fail_space(e, cap, s.count);
  }
  *count = dtci_count(s.count);
  return DTC_OK;
}

dtc_status dtc_pipe_steps(const dtc_pipe *pipe, uint64_t rank, dtc_pipe_step *out, size_t cap, size_t *count,
                          dtc_error *err)
{
  dtc_error e;
  return dtci_begin(&e, err) ? dtci_end(steps(pipe, rank, out, cap, count, &e), &e, err) : DTC_E_SIZE;
}

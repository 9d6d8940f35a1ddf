/* What the unit tests of pipelines share: a job with its order, and the times of it. */
#ifndef PIPES_CHECK_H
#define PIPES_CHECK_H

#include "pipeline_check.h"

enum { PIPES_OPS = 1 << 16, PIPES_RANKS = 64, PIPES_STAGES = 256, PIPES_SCRATCH = 1 << 21 };

typedef struct pipes {
  dtc_pipe p; /* resolved */
  dtc_pipe_op ops[PIPES_OPS];
  size_t n;
  dtc_pipe_cost costs[PIPES_STAGES];
  size_t n_costs;
  double latency;
  double transfer;
  dtc_pipe_sends sends;
  dtc_pipe_time times[PIPES_OPS];
  dtc_pipe_rank ranks[PIPES_RANKS];
  dtc_pipe_totals sum;
} pipes;

static uint64_t pipes_scratch[PIPES_SCRATCH];

/* A job with its own order, one cost for all stages, and messages that take no time. */
static inline void pipes_order(pipes *x, const dtc_pipe *p)
{
  dtc_error e;
  DTC_INIT(&e);
  DTC_INIT(&x->p);
  check_ok(dtc_pipe_resolve(p, &x->p, &e), &e);
  check_ok(dtc_pipe_order(&x->p, x->ops, PIPES_OPS, &x->n, pipes_scratch, PIPES_SCRATCH, &e), &e);
  x->costs[0] = (dtc_pipe_cost){.forward = 1000, .input = 1000, .weight = 1000, .freed_input = 1};
  x->n_costs = 1;
  x->latency = 0;
  x->transfer = 0;
  x->sends = DTC_PIPE_SENDS_ASYNC;
}

static inline void pipes_costs(pipes *x, double forward, double input, double weight)
{
  x->costs[0].forward = forward;
  x->costs[0].input = input;
  x->costs[0].weight = weight;
}

static inline dtc_status pipes_simulate(pipes *x, dtc_error *e)
{
  size_t count = 0;
  return dtc_pipe_simulate(&x->p, x->ops, x->n, x->costs, x->n_costs, x->latency, x->transfer, x->sends, x->times,
                           PIPES_OPS, &count, pipes_scratch, PIPES_SCRATCH, e);
}

static inline dtc_status pipes_ranks(pipes *x, dtc_error *e)
{
  size_t count = 0;
  return dtc_pipe_ranks(&x->p, x->ops, x->n, x->costs, x->n_costs, x->times, x->n, x->ranks, PIPES_RANKS, &count, e);
}

/* Times, ranks and sums; all must succeed. */
static inline void pipes_run(pipes *x)
{
  dtc_error e;
  DTC_INIT(&e);
  check_ok(pipes_simulate(x, &e), &e);
  check_ok(pipes_ranks(x, &e), &e);
  check_ok(dtc_pipe_sum(x->ranks, x->p.pp, &x->sum, &e), &e);
}

#endif

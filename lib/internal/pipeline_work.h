/* An order of ops with what it costs: what simulating it and summing it up share. */
#ifndef DTCI_PIPELINE_WORK_H
#define DTCI_PIPELINE_WORK_H

#include "internal/pipeline.h"

typedef struct dtci_pipe_work {
  dtc_pipe p; /* resolved */
  const dtc_pipe_op *ops;
  const dtc_pipe_cost *costs;
  uint64_t rows;   /* of a rank */
  uint64_t each;   /* micro-batches that a chunk runs: of dualpipe those of a direction */
  uint64_t stride; /* from a stage's cost to the next one's: 0 or 1 */
} dtci_pipe_work;

/* Resolves the job; checks lengths and every cost. */
dtc_status dtci_pipe_work_in(dtci_pipe_work *work, const dtc_pipe *pipe, const dtc_pipe_op *ops, size_t n_ops,
                             const dtc_pipe_cost *costs, size_t n_costs, dtc_error *e);

/* ops[row] makes the order one that cannot run. */
dtc_status dtci_pipe_fail_row(uint64_t row, dtc_error *e);

static inline const dtc_pipe_cost *dtci_pipe_cost_of(const dtci_pipe_work *work, uint64_t rank, uint64_t chunk)
{
  return &work->costs[work->stride * dtci_pipe_stage_at(&work->p, rank, chunk)];
}

/* Does the op, which is not of kind NONE, exist in the job? */
static inline int dtci_pipe_op_known(dtc_pipe_op op, uint64_t chunks, uint64_t each)
{
  return op.kind <= DTC_PIPE_KIND_WEIGHT && op.fused <= 1 && op.chunk < chunks && op.micro_batch < each;
}

/* May the op at `row` run as one step with the next, given that the rank's rows end before `end`? */
static inline int dtci_pipe_pair_known(const dtc_pipe_op *ops, uint64_t row, uint64_t end, uint64_t chunks,
                                       uint64_t each)
{
  return row + 1 < end && ops[row + 1].kind != DTC_PIPE_KIND_NONE && ops[row + 1].fused == 0 &&
         dtci_pipe_op_known(ops[row + 1], chunks, each);
}

/* How messages go, and where the times are written. */
typedef struct dtci_pipe_sending {
  double latency;
  double transfer;
  dtc_pipe_time *out;
  uint64_t *scratch; /* dtci_pipe_simulate_scratch() words */
} dtci_pipe_sending;

/* Times of the ops of Megatron's 1f1b, whose sends and receives block. */
dtc_status dtci_pipe_blocking(const dtci_pipe_work *work, const dtci_pipe_sending *sending, dtc_error *e);

#endif

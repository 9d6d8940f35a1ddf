/* A step of a pipeline: its order, its times, and what follows from them. */
#ifndef PIPELINE_RUN_H
#define PIPELINE_RUN_H

#include "pipeline_arg.h"
#include "text.h"

typedef struct pipe_run {
  dtc_pipe job;
  dtc_pipe_op *ops; /* rank after rank */
  dtc_pipe_time *times;
  size_t rows; /* of each rank */
  dtc_pipe_cost *costs;
  size_t n_costs;
  dtc_pipe_rank *ranks;
  dtc_pipe_totals totals;
} pipe_run;

/* The order alone, and with its times. 0; EXIT_NO, with the reason in `err`, when the schedule cannot run (refused, or
 * no order within the limit); EXIT_BAD_INPUT with the reason printed. */
int pipe_run_order(const cli *c, const dtc_pipe *job, pipe_run *out, dtc_error *err);
int pipe_run_time(const cli *c, const pipe_arg *p, const dtc_pipe *job, pipe_run *out, dtc_error *err);
/* Times of an order, for the costs that `out` holds. */
int pipe_run_with(const cli *c, double latency, double transfer, dtc_pipe_sends sends, pipe_run *out, dtc_error *err);
void pipe_run_free(pipe_run *r);

/* An op on its own: one of a fused pair has its part of the pair's time. */
dtc_pipe_time pipe_op_time(const pipe_run *r, size_t row);

/* Stage of an op's chunk on a rank. */
uint64_t pipe_stage(const dtc_pipe *job, uint64_t rank, uint64_t chunk);

/* "F12.1" as golden vectors write it: chunk only where there are several. */
text pipe_token(const dtc_pipe *job, const dtc_pipe_op *op);

/* "33", "12.25": six digits. */
text text_time(double time);

#endif

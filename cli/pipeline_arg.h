/* The pipeline that the options of `dtcore pipeline` describe: schedules, degrees, times. */
#ifndef PIPELINE_ARG_H
#define PIPELINE_ARG_H

#include "json_out.h"
#include "model_arg.h"

enum { MOST_SCHEDULES = 16 };

/* Times are those of a micro-batch through one of pp stages: a chunk of a schedule that cuts each stage into v takes 1/v
 * of them, so that all schedules do the same work. */
typedef struct pipe_arg {
  plan_arg plan;
  dtc_schedule schedules[MOST_SCHEDULES]; /* 0: the framework's usual one */
  size_t n;                               /* at least 1 */
  dtc_pipe pipe;                          /* not resolved, without a schedule */
  double forward;
  double input; /* of backward, which takes input + weight */
  double weight;
  double latency;
  double transfer;
  dtc_pipe_sends sends;
  double *scale; /* factors of stages; NULL: all alike */
  size_t n_scale;
} pipe_arg;

/* 0, or EXIT_BAD_INPUT with the reason printed. `splits`: layers are asked for, so that micro-batches may be left out. */
int pipe_arg_read(const cli *c, const args *a, bool splits, pipe_arg *out);

/* The job with one of the schedules, resolved. */
dtc_status pipe_arg_job(const pipe_arg *p, dtc_schedule schedule, dtc_pipe *out, dtc_error *err);

/* Chunks that one of the pp stages of the times is cut into; DualPipe cuts none. */
uint64_t pipe_parts(const dtc_pipe *job);

const char *schedule_name(dtc_schedule schedule);

/* Whose code runs it: "zero-bubble" where that is Megatron's fork, "deepseek" for DualPipe, else the framework. */
const char *schedule_home(const dtc_pipe *job);

/* Numbers with commas between them, [least, 1e15]; as many as there are. 0, or EXIT_BAD_INPUT. */
int numbers_read(const cli *c, const args *a, option_id id, double least, double **out, size_t *n);

/* The keys "pipe" and "times". */
void json_pipe(json *j, const dtc_pipe *job);
void json_times(json *j, const pipe_arg *p);

#endif

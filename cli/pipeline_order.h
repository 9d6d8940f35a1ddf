/* What the ranks of a pipeline do, as text. */
#ifndef PIPELINE_ORDER_H
#define PIPELINE_ORDER_H

#include "pipeline_run.h"

/* A schedule that cannot run: bad input, but "no" when it is memory that it lacks. */
int answer_refused(const cli *c, const args *a, const dtc_error *err);

/* --order: the ops of each rank. */
int answer_order(const cli *c, const args *a, const dtc_pipe *job);

/* --steps: the instructions of DeepSpeed's engine. */
int answer_steps(const cli *c, const args *a, const dtc_pipe *job);

#endif

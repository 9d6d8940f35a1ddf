/* What the tests of pipelines share: a job in a line, and its order. */
#ifndef PIPELINE_CHECK_H
#define PIPELINE_CHECK_H

#include "check.h"

#include <stdlib.h>

static inline dtc_pipe check_pipe(dtc_schedule schedule, dtc_framework framework, uint64_t pp, uint64_t vpp,
                                  uint64_t micro_batches)
{
  dtc_pipe p;
  DTC_INIT(&p);
  p.schedule = schedule;
  p.framework = framework;
  p.pp = pp;
  p.vpp = vpp;
  p.micro_batches = micro_batches;
  return p;
}

/* The whole order, to be freed; `rows` of each rank. */
static inline dtc_pipe_op *check_order(const dtc_pipe *p, uint64_t *rows)
{
  dtc_error e;
  size_t count = 0;
  uint64_t needed = 0;
  DTC_INIT(&e);
  check_ok(dtc_pipe_count(p, rows, &e), &e);
  check_ok(dtc_pipe_scratch(p, &needed, &e), &e);
  dtc_pipe_op *ops = malloc((*rows * p->pp + 1) * sizeof *ops);
  uint64_t *scratch = malloc((needed + 1) * sizeof *scratch);
  ops[*rows * p->pp] = (dtc_pipe_op){7, 7, 7, 7};
  check_ok(dtc_pipe_order(p, ops, *rows * p->pp, &count, scratch, needed, &e), &e);
  assert_int_equal(count, *rows * p->pp);
  assert_true(ops[count].micro_batch == 7 && ops[count].kind == 7);
  free(scratch);
  return ops;
}

#endif

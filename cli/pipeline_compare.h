/* Several schedules side by side, all doing the same work. */
#ifndef PIPELINE_COMPARE_H
#define PIPELINE_COMPARE_H

#include "pipeline_run.h"

/* `no` when none of them can run. */
int answer_compare(const cli *c, const args *a, const pipe_arg *p);

#endif

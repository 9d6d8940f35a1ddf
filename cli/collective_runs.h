/* Measured collectives: the output of nccl-tests judged, and a law fitted to it. */
#ifndef COLLECTIVE_RUNS_H
#define COLLECTIVE_RUNS_H

#include "collective_arg.h"

/* --judge: 0 when every size is as it should be, else EXIT_NO. */
int answer_judge(const cli *c, const args *a, collective_arg *arg);

/* --fit */
int answer_law(const cli *c, const args *a, const collective_arg *arg);

/* The sizes and times of a log of nccl-tests ("-" for stdin); NULL with the reason printed. */
dtc_timing *runs_read(const cli *c, const char *path, size_t *n);

#endif

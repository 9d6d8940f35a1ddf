/* What the answers about collectives print in the same way. */
#ifndef COLLECTIVE_PRINT_H
#define COLLECTIVE_PRINT_H

#include "collective_arg.h"
#include "json_out.h"
#include "text.h"

/* Values of the library's enums as words for people. */
const char *say_bound(const cli *c, dtc_bound bound);
const char *say_confidence(const cli *c, dtc_confidence confidence);
const char *say_grade(const cli *c, dtc_grade grade);
const char *say_reason(const cli *c, dtc_slow_reason reason);

/* "ring simple" */
text text_choice(const dtc_nccl_choice *choice);

/* "all_reduce 256 MiB on dgx-h100: GPUs 64, ..."; without the size when `what` is "". */
void print_call(const cli *c, const collective_arg *arg, const char *what);

/* call: op, ranks and the rest of the call, machine */
void json_call(json *j, const collective_arg *arg);

/* The choice, or null. */
void json_choice(json *j, const char *key, const char *system, const dtc_nccl_choice *choice);

#endif

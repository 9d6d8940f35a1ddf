/* NCCL's own choices for a collective, where what its search finds on the machine is known. */
#ifndef COLLECTIVE_NCCL_H
#define COLLECTIVE_NCCL_H

#include "collective_arg.h"

typedef struct collective_nccl {
  const char *system; /* NULL when none is known for the machine */
  dtc_nccl comm;
} collective_nccl;

/* The communicator of --system, else of the system that is as the machine. 0, or EXIT_BAD_INPUT with the reason
 * printed: a system that was named and does not fit. `arg` is resolved. */
int collective_nccl_find(const cli *c, const args *a, const collective_arg *arg, collective_nccl *out);

/* False when NCCL has no model of the operation, or nothing is known. */
bool collective_nccl_choose(const collective_nccl *n, const collective_arg *arg, uint64_t bytes, dtc_nccl_choice *out);

/* --nccl-tuner-csv */
int answer_tuner(const cli *c, const args *a);

#endif

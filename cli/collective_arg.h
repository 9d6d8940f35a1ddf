/* A collective operation on a machine, as the command line gives it. */
#ifndef COLLECTIVE_ARG_H
#define COLLECTIVE_ARG_H

#include "cluster_arg.h"

typedef struct collective_arg {
  const char *op_name;      /* of the library */
  const char *machine;      /* as in the catalogue; NULL when none is given */
  dtc_cluster cluster;      /* whole nodes */
  dtc_collective_call call; /* resolved when there is a machine; else op, ranks and version */
} collective_arg;

/* OP, the machine and the group; not the size. Without --gpu and --cluster only what needs no machine. 0, or
 * EXIT_BAD_INPUT with the reason printed. */
int collective_arg_read(const cli *c, const args *a, collective_arg *out);

/* Defaults for the machine; EXIT_BAD_INPUT when there is none. */
int collective_arg_resolve(const cli *c, collective_arg *arg);

/* OP alone; '-' and '_' are alike. */
int collective_op_read(const cli *c, const char *word, dtc_collective *op);

#endif

/* The launcher that starts the ranks, the names of the nodes, and the tasks that follow. */
#ifndef LAUNCH_ARG_H
#define LAUNCH_ARG_H

#include "layout_arg.h"

enum { LAUNCH_SLURM, LAUNCH_TORCHRUN, LAUNCH_C10D, LAUNCH_DEEPSPEED, LAUNCH_MPI };

typedef struct launch {
  bool asked;      /* --launcher */
  uint32_t by;     /* index of the launcher */
  dtc_slurm slurm; /* --dist */
  dtc_mpi_by map;  /* --map-by */
  char *names;     /* --hosts, each ends in NUL */
  const char **hosts;
  size_t host_count; /* 0 when they have no names */
  const char *path;  /* --hostfile; NULL when not given */
  char *hostfile;    /* its text, or made of --hosts */
  size_t hostfile_len;
  size_t slots; /* of --hostfile; 0 without one */
  dtc_task *tasks;
  size_t count;
} launch;

/* The options. 0, or EXIT_BAD_INPUT with the reason printed, as below. */
int launch_read(const cli *c, const args *a, launch *out);

/* The tasks, for the ranks of a layout. */
int launch_run(const cli *c, const layout_arg *l, launch *out);

const char *launch_name(const launch *l);

#endif

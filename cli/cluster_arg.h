/* The machine that --gpu, --cluster, --nodes, --gpus and --gpus-per-node give, and what --power and others say of it. */
#ifndef CLUSTER_ARG_H
#define CLUSTER_ARG_H

#include "options.h"

typedef struct cluster_arg {
  bool given;
  const char *name;    /* as in the catalogue */
  dtc_cluster cluster; /* nodes is 0 when neither --nodes nor --gpus is given */
  dtc_cluster usual;   /* any number of whole nodes, where `cluster` may be a part of one */
  uint64_t gpus;       /* GPUs there are; 0 = not said */
} cluster_arg;

/* 0, or EXIT_BAD_INPUT with the reason printed. */
int cluster_arg_read(const cli *c, const args *a, cluster_arg *out);

/* Index of the name in a catalogue as the library finds it: case, '-', '_' and ' ' do not matter. `count` when it is not
 * there under this name. */
size_t name_index(const char *given, size_t count, const char *(*name)(size_t));

/* The GPU memory that people call it by, decimal GB: an H100 with 79.65 GiB is "80 GB". */
uint64_t nominal_gb(const cluster_arg *a);

#endif

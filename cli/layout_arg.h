/* The layout of ranks that the options give: by degrees, or by MODEL and a plan. */
#ifndef LAYOUT_ARG_H
#define LAYOUT_ARG_H

#include "model_arg.h"

#include "cluster_arg.h"

typedef struct mesh {
  dtc_axis axes[DTC_MESH_AXES];
  size_t n;
} mesh;

typedef struct layout_arg {
  bool has_model;
  model_arg model;
  cluster_arg cluster;
  dtc_layout layout;     /* resolved */
  mesh meshes[2];        /* by dtc_mesh_part */
  bool one_mesh;         /* the experts have no mesh of their own */
  dtc_group_kind *kinds; /* that the framework makes */
  size_t kind_count;
  uint64_t per_node; /* GPUs of a node; 8 when not said */
} layout_arg;

/* `ranks` or `nodes` is how many there are, when another option says so; else 0. 0, or EXIT_BAD_INPUT with the reason
 * printed. */
int layout_arg_read(const cli *c, const args *a, uint64_t ranks, uint64_t nodes, layout_arg *out);

/* Nodes that the ranks take. */
uint64_t layout_nodes(const layout_arg *l);

#endif

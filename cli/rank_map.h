/* The map of `ranks`: a picture with a cell for each rank, nodes below each other. */
#ifndef RANK_MAP_H
#define RANK_MAP_H

#include "json_out.h"
#include "layout_arg.h"

/* --map, or an option that only a map has. */
bool map_asked(const args *a);

int answer_map(const cli *c, const args *a, const layout_arg *l);

/* rank, node, local, and coord on both meshes. */
void json_rank(json *j, const char *key, const layout_arg *l, uint64_t rank);

#endif

/* Groups of ranks as text and as JSON. */
#ifndef GROUPS_H
#define GROUPS_H

#include "json_out.h"
#include "layout_arg.h"

enum { KIND_NAME = 128 };

/* As the framework calls the kind; the axes of one's own, "tp-cp". */
void kind_name(const layout_arg *l, const dtc_group_kind *kind, char out[KIND_NAME]);

/* "tp-cp", without axes of 1 unless there are no others. */
void kind_axes(const layout_arg *l, const dtc_group_kind *kind, char out[KIND_NAME]);

/* The kind that a user names, either way; case does not matter. "dp" and "tp" stand for the axes that they are split
 * into, where they are. 0, or EXIT_BAD_INPUT with the reason printed. */
int kind_find(const cli *c, const layout_arg *l, const char *name, size_t len, dtc_group_kind *out);

/* The kind of axes alone, of the dense mesh when it has them all, else of the experts'; false when neither does. */
bool kind_of_axes(const layout_arg *l, const char *name, size_t len, dtc_group_kind *out);

/* Index of an axis, "pp", and the mesh it is of: the dense one when both have it. False when there is none. */
bool axis_find(const layout_arg *l, const char *name, size_t len, dtc_mesh_part *part, size_t *index);

/* Coordinates of a rank in the order of the axes of a mesh. */
void rank_coord(const layout_arg *l, dtc_mesh_part part, uint64_t rank, uint64_t out[DTC_MESH_AXES]);

/* Where a rank stands; a member of a group. */
dtc_group group_of(const layout_arg *l, const dtc_group_kind *kind, uint64_t rank);
uint64_t group_member(const layout_arg *l, const dtc_group_kind *kind, uint64_t group, uint64_t index);

/* The group with this index. */
dtc_group group_at(const layout_arg *l, const dtc_group_kind *kind, uint64_t group);

/* Ranks from one member to the next; 0 when it is not the same everywhere. */
uint64_t kind_stride(const layout_arg *l, const dtc_group_kind *kind);

/* "0 1 2 3", or "0 8 16 .. 504 (+8)" when that takes more than `room` columns. */
void group_text(const layout_arg *l, const dtc_group_kind *kind, uint64_t group, size_t room, char *out, size_t cap);

/* name, mesh, axes, groups, size, stride */
void json_kind(json *j, const layout_arg *l, const dtc_group_kind *kind, uint64_t groups, uint64_t size);

/* The ranks of a group, at most `limit` of them. */
void json_group(json *j, const char *key, const layout_arg *l, const dtc_group_kind *kind, uint64_t group,
                uint64_t limit);

/* layout: every field of dtc_layout, and the meshes. */
void json_layout(json *j, const layout_arg *l);

/* "64 ranks in the order of megatron, fastest first: tp 2 x dp 8 x pp 4", and the experts'. */
void print_layout(const cli *c, const layout_arg *l);

#endif

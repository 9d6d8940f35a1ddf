/* A checked mesh, its groups, and layouts as data. */
#ifndef DTCI_RANK_H
#define DTCI_RANK_H

#include "internal/internal.h"
#include "internal/rules.h"
#include <dtcore/rank.h>

/* ---- rank.c ---------------------------------------------------------------------------------- */

enum { DTCI_BYTE = 8, DTCI_BYTES = 8 }; /* order and cp_levels are packed: bits of a byte, bytes */
enum { DTCI_WORLD_BITS = 32 };          /* ranks at most: 2^32, so that no product of two sizes overflows */

/* Axes with their strides filled in, known to tile `world` ranks. */
typedef struct dtci_mesh {
  uint32_t n;
  uint32_t reserved;
  uint64_t offset;
  uint64_t world;
  uint64_t size[DTC_MESH_AXES];
  uint64_t stride[DTC_MESH_AXES];
} dtci_mesh;

/* How the lists of a kind are cut into groups. */
typedef struct dtci_cut {
  uint32_t axes; /* without bits of no axis */
  uint32_t pick;
  uint64_t lists;
  uint64_t list;  /* ranks of a list */
  uint64_t chunk; /* ranks of a group; the last one may have fewer */
  uint64_t step;
  uint64_t groups; /* groups of a list */
} dtci_cut;

dtc_status dtci_mesh_in(const dtc_axis *axes, size_t n, uint64_t offset, dtci_mesh *out, dtc_error *e);
/* Fills what follows from chunk and step, 0 for their defaults; they must fit the list. */
void dtci_cut_list(dtci_cut *cut, uint64_t chunk, uint64_t step);
dtc_status dtci_cut_in(const dtci_mesh *m, const dtc_group_kind *kind, dtci_cut *out, dtc_error *e);
void dtci_mesh_coords(const dtci_mesh *m, uint64_t index, uint64_t coord[DTC_MESH_AXES]);
/* The group of the rank with these coordinates. */
void dtci_group_at(const dtci_mesh *m, const dtci_cut *cut, const uint64_t coord[DTC_MESH_AXES], dtc_group *out);

/* ---- catalog/rank_schemes.c ------------------------------------------------------------------ */

enum { DTCI_SCHEME_AXES = 7 };

/* Axes of a scheme, fastest first. Which axis takes what the others leave of the world follows from its name. */
typedef struct dtci_scheme_row {
  dtc_scheme scheme;
  uint32_t since; /* first version of the framework; later rows of a scheme come first */
  dtc_framework framework;
  uint8_t axes[2][DTCI_SCHEME_AXES]; /* by dtc_mesh_part; dtc_axis_name, 0 ends; no experts: as dense */
  uint8_t expert_tp;                 /* 1: etp defaults to tp, 0: to 1 */
  uint8_t order;                     /* 1: layout.order may rearrange it */
} dtci_scheme_row;

extern const dtci_scheme_row dtci_schemes[];
extern const uint32_t dtci_schemes_count;

/* ---- catalog/rank_kinds.c -------------------------------------------------------------------- */

/* How the lists of a kind are cut. */
enum {
  DTCI_CUT_NONE,
  DTCI_CUT_FIRST,     /* first rank of each list */
  DTCI_CUT_ENDS,      /* first and last */
  DTCI_CUT_INSTANCES, /* one consecutive group per optimizer instance */
  DTCI_CUT_ACROSS,    /* one rank of each instance */
  DTCI_CUT_LEVELS,    /* a kind per level of cp_levels */
  DTCI_CUT_DOUBLES,   /* a kind per power of two below the length's largest */
  DTCI_CUT_IN_EP,     /* TorchTitan 0.2.0: the part of dp_shard inside ep */
  DTCI_CUT_MOD_EP,    /* the part outside */
};

/* When a kind is there. */
enum {
  DTCI_IF_ALWAYS,
  DTCI_IF_INSTANCES, /* more than one optimizer instance */
  DTCI_IF_GTP,
  DTCI_IF_EGTP,
  DTCI_IF_NO_GTP, /* neither gtp_remat nor egtp_remat */
  DTCI_IF_ANY_GTP,
  DTCI_IF_HYBRID,
  DTCI_IF_LEVELS,
  DTCI_IF_WIDE, /* groups have more than one rank */
  DTCI_IF_EP,   /* ep > 1 */
  DTCI_IF_NO_EP,
  DTCI_IF_EP_WIDE, /* ep > 1, and groups have more than one rank */
};

typedef struct dtci_kind_row {
  uint8_t first; /* schemes it is for: [first, last] */
  uint8_t last;
  uint8_t part;
  uint8_t cut;
  uint8_t when;
  uint8_t more;   /* 1: the kind's number is written behind its name */
  uint32_t since; /* versions it is for: [since, until) */
  uint32_t until; /* 0: no end */
  uint32_t axes;  /* bit of each dtc_axis_name */
  char name[60];
} dtci_kind_row;

/* Sorted by `first`. */
extern const dtci_kind_row dtci_kinds[];
extern const uint32_t dtci_kinds_count;

/* ---- rank_order.c ---------------------------------------------------------------------------- */

/* Axis i of a packed order; 0 behind its end. */
uint32_t dtci_order_axis(uint64_t order, uint32_t i);
/* Names of the axes of a mesh, fastest first: the scheme's, rearranged by the order; what the order leaves out, which has
 * size 1, goes to the end. Returns how many. */
uint32_t dtci_layout_axes(const dtci_scheme_row *row, const dtc_layout *l, uint32_t part, uint8_t names[DTC_MESH_AXES]);
/* The order names axes that Megatron knows, each once, and every one whose size is not 1. */
dtc_status dtci_order_check(const dtc_layout *l, dtc_error *e);

/* ---- rank_layout.c --------------------------------------------------------------------------- */

/* A resolved layout with its two meshes. */
typedef struct dtci_layout {
  dtc_layout given;
  const dtci_scheme_row *row;
  /* By dtc_mesh_part. */
  uint8_t names[2][DTC_MESH_AXES];
  uint32_t present[2]; /* bit of each name */
  uint8_t at[2][32];   /* axis of each name */
  dtci_mesh mesh[2];
} dtci_layout;

/* Field of the degree that is the size of an axis; 0 for axes that take what is left. */
uint32_t dtci_axis_field(uint32_t name);
uint64_t dtci_layout_degree(const dtc_layout *l, uint32_t field);
dtc_status dtci_layout_in(const dtc_layout *layout, dtci_layout *out, dtc_error *e);

#endif

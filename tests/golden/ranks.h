/* Lists of ranks in the canonical text of the ranks_*.csv files: ranks joined by ',', groups by ';', or their SHA-256 with
 * samples when the world is large. */
#ifndef GOLDEN_RANKS_H
#define GOLDEN_RANKS_H

#include "golden.h"

/* Rows of numbers: groups of ranks, or coordinates of one rank each. Grows; one is kept for the whole run. */
typedef struct ranks {
  uint64_t *value;
  size_t values;
  size_t value_cap;
  size_t *end; /* of each row, in value */
  size_t rows;
  size_t row_cap;
} ranks;

/* How samples of a large list are written behind its hash. */
typedef enum ranks_samples {
  RANKS_GROUPS, /* GROUP:SIZE:RANKS, of five groups */
  RANKS_TUPLES, /* RANK=TUPLE, of eight ranks */
  RANKS_ENDS,   /* first and last eight ranks of the first and the last group */
  RANKS_NONE,   /* the hash alone */
} ranks_samples;

ranks *ranks_empty(void);
void ranks_put(ranks *r, uint64_t value);
void ranks_end_row(ranks *r);

/* Adds every group of a kind, by dtc_mesh_group_of() and dtc_mesh_member(); checks on the way that the two agree. */
int ranks_groups(golden *g, ranks *r, const dtc_axis *axes, size_t n, uint64_t offset, const dtc_group_kind *kind);
/* Adds the coordinates of every rank, last axis first. */
int ranks_coords(golden *g, ranks *r, const dtc_axis *axes, size_t n);

/* Answers n_groups, group_size and value, as the row's `enc` says. */
void ranks_answer(golden *g, const ranks *r, ranks_samples samples);
/* Answers n_groups, group_size and value of an `enc` of text: RANK=TUPLE of some ranks. */
void ranks_answer_samples(golden *g, const ranks *r, char between);

enum { RANKS_KINDS = 128, RANKS_KIND_TEXT = 96 };

/* The kinds of a layout with their names; 0, and the row fails, when the library refuses. */
size_t ranks_kinds(golden *g, const dtc_layout *l, dtc_group_kind *kinds, char names[][RANKS_KIND_TEXT]);
/* Answers value: the names, "tp|dp". */
void ranks_answer_names(golden *g, char names[][RANKS_KIND_TEXT], size_t count);

/* A row that holds a refusal passes when the library refuses. */
void ranks_expect_refusal(golden *g, dtc_status status);

enum { RANKS_AXES = DTC_MESH_AXES, RANKS_NAME = 24 };

/* Names and sizes of axes as the files hold them: "2x3x4" and "dp-cp-tp". */
typedef struct ranks_shape {
  size_t n;
  char name[RANKS_AXES][RANKS_NAME];
  uint64_t size[RANKS_AXES];
} ranks_shape;

int ranks_shape_read(ranks_shape *s, const char *names, const char *sizes);
/* Axis of that name, of the first `len` bytes; s->n when there is none. */
size_t ranks_axis(const ranks_shape *s, const char *name, size_t len);
/* The axes reversed: the files write the slowest first, a mesh has the fastest first. */
size_t ranks_rowmajor(const ranks_shape *s, dtc_axis *axes);
/* Set of axes of ranks_rowmajor() for names joined by `between`; 0 when one is unknown. */
uint32_t ranks_set(const ranks_shape *s, const char *names, char between);

#endif

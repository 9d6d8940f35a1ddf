/* What the files about shards share: models by name, digests of numbers, layouts. */
#ifndef GOLDEN_SHARDS_H
#define GOLDEN_SHARDS_H

#include "golden.h"

/* ---- FNV-1a-64 over signed 64-bit little-endian numbers ---- */

typedef uint64_t digest;

static const digest digest_start = 0xcbf29ce484222325u;

digest digest_put(digest d, uint64_t number);
/* Answers a column with the digest as 16 hexadecimal digits. */
void digest_answer(golden *g, const char *column, digest d);

/* ---- the models of zero_models.csv ---- */

typedef struct shards_model {
  dtc_shape *shapes;
  size_t n;
  uint64_t numel;
  uint64_t (*sizes)[8]; /* of each tensor, by dimension */
} shards_model;

/* The row's model, by the column `model`; NULL, and the row fails, when there is none. zero_models.csv is looked for beside
 * the file, then in tests/golden. Kept until another model is asked for. */
const shards_model *shards_model_of(golden *g);

/* ---- a layout of the row's model ---- */

typedef struct shards_layout {
  dtc_shards shards; /* resolved */
  const shards_model *model;
  dtc_slot *slots;
  uint64_t *scratch;
  uint64_t n_scratch;
  dtc_fragment *fragments; /* room for model->n */
} shards_layout;

/* Lays the row's model out; NULL, and the row fails, when the library refuses. Kept until the next call. */
const shards_layout *shards_lay(golden *g, const dtc_shards *shards);
/* The same for other tensors; the layout keeps `model`. */
const shards_layout *shards_lay_model(golden *g, const dtc_shards *shards, const shards_model *model);
/* Fragments of a rank, in the layout's own array. */
size_t shards_fragments(golden *g, const shards_layout *l, uint64_t rank);
/* Sums of the layout. */
int shards_totals(golden *g, const shards_layout *l, dtc_shard_totals *t);

/* Type by its name, which need not end in NUL: bf16 when there is no such one. */
dtc_dtype shards_dtype(const char *name, size_t len);

#endif

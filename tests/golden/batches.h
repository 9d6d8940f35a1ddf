/* Lists that the files about DeepSpeed and ColossalAI share: batches of tensors of a layout. */
#ifndef GOLDEN_BATCHES_H
#define GOLDEN_BATCHES_H

#include "shards.h"

typedef enum batches_what { BATCHES_REDUCTIONS, BATCHES_GATHERS, BATCHES_SUB_GROUPS } batches_what;

typedef struct batches {
  dtc_batch *list;
  size_t n;
} batches;

/* The layout's batches; NULL, and the row fails, when the library refuses. Kept until the next call of the same kind. */
const batches *batches_of(golden *g, const shards_layout *l, batches_what what);

/* Room for `n` elements of `size` bytes in place of p; ends the program when there is none. */
void *batches_grown(void *p, size_t n, size_t size);

#endif

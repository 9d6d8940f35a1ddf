/* Splits of a model's layers over pipeline stages: what the files of dtc_pipe_layers() and dtc_pipe_balance() share. */
#ifndef DTCI_PIPELINE_SPLIT_H
#define DTCI_PIPELINE_SPLIT_H

#include "internal/pipeline.h"

/* Steps that a call does at most. */
#define DTCI_SPLIT_WORK (UINT64_C(1) << 32)

/* A split and what it is read from. */
typedef struct dtci_split {
  dtc_pipe_split s; /* once resolved, vpp is that of the result */
  const char *layout;
  size_t len;
  const uint64_t *weights;
  size_t n_weights;
} dtci_split;

/* Each way of splitting has two steps: what it refuses, which also fills s.vpp, and the layers of each stage, of the layout
 * its other members too. The parts are all zero before. */
dtc_status dtci_layout_resolve(dtci_split *x, dtc_error *e);
void dtci_layout_fill(const dtci_split *x, dtc_pipe_part *out);

uint64_t dtci_balanced_words(const dtc_pipe_split *s); /* of scratch */
dtc_status dtci_balanced_resolve(const dtci_split *x, dtc_error *e);
dtc_status dtci_balanced_fill(const dtci_split *x, dtc_pipe_part *out, uint64_t *scratch, dtc_error *e);

/* DeepSpeed's partition_uniform: as many to each part, to the first ones one more; of less items than parts one each. */
static inline uint64_t dtci_uniform(uint64_t items, uint64_t parts, uint64_t part)
{
  return items / parts + (part < items % parts);
}

/* Rank and chunk of each stage, one rank after the other or in a V. */
void dtci_place_stages(dtc_pipe_part *out, uint64_t pp, uint64_t stages, int v_shape);

/* Values near `around` in [least, most] whose product with `factor` divides `whole`, into lower and upper. */
void dtci_nearest_divisors(dtc_error *e, uint64_t around, uint64_t least, uint64_t most, uint64_t factor,
                           uint64_t whole);

/* A value that does not go with what another field says. */
dtc_status dtci_fail_with(dtc_error *e, dtc_status status, uint32_t field, uint64_t got, uint64_t min, uint64_t max,
                          uint32_t other, uint64_t other_got);

#endif

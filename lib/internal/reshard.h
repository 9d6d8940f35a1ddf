/* What resharding and checkpoints share. */
#ifndef DTCI_RESHARD_H
#define DTCI_RESHARD_H

#include "internal/shard.h"

/* Two cuts of `numel` elements, into parts of a and of b: pieces that both together make, and elements of which both cuts
 * give the part the same number. a and b are not 0 unless numel is. */
uint64_t dtci_overlaps(uint64_t numel, uint64_t a, uint64_t b);
uint64_t dtci_overlap_same(uint64_t numel, uint64_t a, uint64_t b);

/* Refuses work beyond DTCI_STEPS_MOST. */
dtc_status dtci_steps_in(uint64_t steps, uint32_t field, dtc_error *e);

/* ---- two shardings of the same tensors --------------------------------------------------------- */

/* What the public functions share. */
typedef struct dtci_moving {
  dtc_shards source;
  dtc_shards target;
  const dtc_shape *shapes;
  const dtc_slot *source_slots;
  const dtc_slot *target_slots;
  size_t n;
} dtci_moving;

/* Reads the caller's arguments; shapes, slots and n are set already. */
dtc_status dtci_moving_in(dtci_moving *m, const dtc_shards *source, const dtc_shards *target, size_t n_source_slots,
                          size_t n_target_slots, dtc_error *e);
dtc_status dtci_kind_in(dtc_reshard_kind kind, dtc_error *e);

/* Walks the buckets by their numbers. Frameworks number them along the tensors, forwards or backwards. */
typedef struct dtci_walk {
  const dtc_slot *slots;
  size_t n;
  size_t at;    /* tensors that are behind, from the end where the numbers start */
  uint32_t arg; /* of errors */
  int backwards;
} dtci_walk;

/* Two layouts bucket by bucket. */
typedef struct dtci_pairs {
  dtci_walk source;
  dtci_walk target;
  uint64_t number;   /* of the pair */
  const dtc_slot *a; /* NULL behind the last */
  const dtc_slot *b;
} dtci_pairs;

dtci_pairs dtci_pairs_of(const dtci_moving *m);
/* The next buckets, which must be alike. */
dtc_status dtci_next_equal(dtci_pairs *p, dtc_error *e);

/* ---- forms of checkpoints -------------------------------------------------------------------- */

int dtci_has_form(const dtc_shards *s, dtc_checkpoint_form form);
/* The form that the caller means, checked. */
dtc_status dtci_form_in(const dtc_shards *s, dtc_checkpoint_form form, dtc_checkpoint_form *out, dtc_error *e);
/* The form that loads at any world. */
dtc_checkpoint_form dtci_form_general(const dtc_shards *s);

#endif

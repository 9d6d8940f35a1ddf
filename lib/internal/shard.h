/* Layouts of tensors over ranks: one function per family fills the slots, everything else reads them. */
#ifndef DTCI_SHARD_H
#define DTCI_SHARD_H

#include "internal/internal.h"
#include <dtcore/shard.h>

/* Where the last bucket of a layout may end. */
#define DTCI_END_MOST (UINT64_C(1) << 62)

/* Most steps of a function whose work grows with tensors times ranks: seconds. */
#define DTCI_STEPS_MOST (UINT64_C(1) << 28)

static inline uint64_t dtci_round_up(uint64_t x, uint64_t to)
{
  return dtci_ceil_div(x, to) * to;
}

/* ---- tensors --------------------------------------------------------------------------------- */

uint64_t dtci_dtype_bytes(dtc_dtype dtype);
/* Type of a tensor, with the shards' as its default. */
dtc_dtype dtci_dtype_of(const dtc_shards *s, const dtc_shape *shape);

static inline uint64_t dtci_numel(const dtc_shape *shape)
{
  return shape->rows * shape->cols;
}

/* Dimensions of a tensor. */
static inline uint32_t dtci_dims(const dtc_shape *shape)
{
  return shape->dims != 0 ? shape->dims : shape->cols == 1 ? 1 : 2;
}

/* ---- schemes --------------------------------------------------------------------------------- */

/* zero3 and mics. */
int dtci_is_zero3(const dtc_shards *s);
/* Does zero3 keep a tensor gathered? */
int dtci_persists(const dtc_shards *s, uint64_t numel);
/* An empty tensor in DeepSpeed 0.19.8 and later, which leave it out of vectors and sub-groups, as if it were frozen
 * (runtime/utils.py, is_optimized_parameter). */
int dtci_leaves_out(const dtc_shards *s, const dtc_shape *shape);
/* Size of a bucket when none is given, and what each rank adds to it. */
uint64_t dtci_default_bucket(dtc_shard_scheme scheme, uint64_t world);
uint64_t dtci_bucket_per_rank(dtc_shard_scheme scheme);

/* The function does not answer for this scheme. */
dtc_status dtci_fail_scheme(const dtc_shards *s, dtc_error *e);

/* ---- the caller's arguments ------------------------------------------------------------------ */

/* Reads and resolves the caller's sharding. */
dtc_status dtci_shards_in(const dtc_shards *shards, dtc_shards *out, dtc_error *e);
/* Elements of scratch that a layout of n tensors needs. */
uint64_t dtci_scratch_of(const dtc_shards *s, size_t n);
/* Checks shapes; their sum goes to *numel. */
dtc_status dtci_shapes_in(const dtc_shape *shapes, size_t n, uint64_t *numel, dtc_error *e);
/* Checks that the slots fit the shapes and the world. */
dtc_status dtci_slots_in(const dtc_shards *s, const dtc_shape *shapes, size_t n, const dtc_slot *slots, size_t n_slots,
                         dtc_error *e);
/* Reads how zero3 fetches tensors, and fills its defaults. */
dtc_status dtci_tracing_in(const dtc_tracing *tracing, size_t n_modules, dtc_tracing *k, dtc_error *e);

/* ---- laying: one function per family, and the order in which some take the tensors ----------- */

/* What a layout function works on: everything checked, and the sum of all tensors known to fit. */
typedef struct dtci_laying {
  const dtc_shards *s; /* resolved */
  const dtc_shape *shapes;
  size_t n;
  dtc_slot *slots;
  uint64_t *scratch; /* as long as dtci_scratch_of() says */
} dtci_laying;

dtc_status dtci_lay_flat(const dtci_laying *l, dtc_error *e);       /* zero12, bf16 */
dtc_status dtci_lay_tensors(const dtci_laying *l, dtc_error *e);    /* zero3, mics, low_level_zero */
dtc_status dtci_lay_flat_param(const dtci_laying *l, dtc_error *e); /* fsdp1 */
dtc_status dtci_lay_rows(const dtci_laying *l, dtc_error *e);       /* fsdp2 */
dtc_status dtci_lay_ddp(const dtci_laying *l, dtc_error *e);
dtc_status dtci_lay_whole(const dtci_laying *l, dtc_error *e); /* whole, oss */
dtc_status dtci_lay_distopt(const dtci_laying *l, dtc_error *e);
dtc_status dtci_lay_allreduce(const dtci_laying *l, dtc_error *e);
dtc_status dtci_lay_layerwise(const dtci_laying *l, dtc_error *e);
dtc_status dtci_lay_megatron_fsdp(const dtci_laying *l, dtc_error *e); /* both versions */
dtc_status dtci_lay_gemini(const dtci_laying *l, dtc_error *e);

/* Below 2^84: sides whose product is at most 2^56 (numel_most of shard.c), times the shorter once more. */
typedef struct dtci_wide {
  uint64_t high;
  uint64_t low;
} dtci_wide;
int dtci_wide_less(dtci_wide a, dtci_wide b);
dtci_wide dtci_wide_sum(dtci_wide a, dtci_wide b);

/* Multiplications of the Newton-Schulz iteration, as Megatron weighs them; other tensors count their elements. */
dtci_wide dtci_cost_of(const dtc_shape *shape);

/* Sorts numbers of tensors by falling key, equal ones in the order they come in. `spare` is as long as `order`. */
typedef enum dtci_order_key { DTCI_ORDER_COST, DTCI_ORDER_COLS, DTCI_ORDER_NUMEL } dtci_order_key;
void dtci_order_down(const dtc_shape *shapes, dtci_order_key key, uint64_t *order, uint64_t *spare, size_t n);

/* ---- places in a bucket ---------------------------------------------------------------------- */

/* Part of a bucket that each rank holds, when it is cut evenly. */
static inline uint64_t dtci_shard_part(const dtc_slot *slot, uint64_t world)
{
  return (slot->bucket_end - slot->bucket_start) / world;
}

/* Elements [low, high); none when low is not below high. */
typedef struct dtci_span {
  uint64_t low;
  uint64_t high;
} dtci_span;

static inline dtci_span dtci_span_common(dtci_span a, dtci_span b)
{
  return (dtci_span){a.low > b.low ? a.low : b.low, a.high < b.high ? a.high : b.high};
}

static inline uint64_t dtci_span_length(dtci_span s)
{
  return s.low < s.high ? s.high - s.low : 0;
}

static inline uint64_t dtci_span_shared(dtci_span a, dtci_span b)
{
  return dtci_span_length(dtci_span_common(a, b));
}

/* The part of a bucket that a rank holds, as places in the bucket. */
static inline dtci_span dtci_part_of(const dtc_slot *slot, uint64_t world, uint64_t rank)
{
  uint64_t part = dtci_shard_part(slot, world);
  if (slot->owner == DTC_EVENLY)
    return (dtci_span){rank * part, (rank + 1) * part};
  if (slot->owner == DTC_EVERYWHERE || slot->owner == rank)
    return (dtci_span){0, slot->bucket_end - slot->bucket_start};
  return (dtci_span){0, 0};
}

/* Elements of a tensor that a rank holds, as places in the bucket. */
static inline dtci_span dtci_held_by(const dtc_slot *slot, uint64_t numel, uint64_t world, uint64_t rank)
{
  uint64_t start = slot->start - slot->bucket_start;
  return dtci_span_common((dtci_span){start, start + numel}, dtci_part_of(slot, world, rank));
}

/* The ranks over whose parts of an evenly cut bucket a tensor lies, and how much of it the first and the last of them hold;
 * those between hold a whole part each. */
typedef struct dtci_cover {
  uint64_t first;
  uint64_t last;
  uint64_t head;
  uint64_t tail; /* 0 when the first is the last */
  uint64_t part;
} dtci_cover;

/* The bucket is cut evenly, and the tensor not empty: so parts are not. */
static inline dtci_cover dtci_cover_of(const dtc_slot *slot, uint64_t numel, uint64_t world)
{
  uint64_t begin = slot->start - slot->bucket_start;
  uint64_t end = begin + numel;
  uint64_t part = dtci_shard_part(slot, world);
  uint64_t first = begin / part;
  uint64_t last = (end - 1) / part;
  if (first == last)
    return (dtci_cover){first, last, numel, 0, part};
  return (dtci_cover){first, last, (first + 1) * part - begin, end - last * part, part};
}

/* ---- reading: what is read off a layout ------------------------------------------------------ */

/* What is read off a layout: the sharding, its tensors and where they lie, all checked. */
typedef struct dtci_reading {
  dtc_shards s;
  const dtc_shape *shapes;
  const dtc_slot *slots;
  size_t n;
  uint64_t numel;
} dtci_reading;

/* Checks everything; of `r` everything is set then. */
dtc_status dtci_read_in(const dtc_shards *shards, const dtc_shape *shapes, size_t n_shapes, const dtc_slot *slots,
                        size_t n_slots, dtci_reading *r, dtc_error *e);
/* Checks one tensor and its slot, and no other: of `r` all but numel is set, which becomes the tensor's. */
dtc_status dtci_tensor_in(dtci_reading *r, size_t n_slots, uint64_t tensor, dtc_error *e);
/* Fails unless every bucket is cut evenly. */
dtc_status dtci_check_even(const dtci_reading *r, dtc_error *e);

/* dtc_shards_totals(), of what was read. `scratch` is as long as dtci_scratch_of() says. */
dtc_status dtci_totals(const dtci_reading *r, uint64_t *scratch, dtc_shard_totals *t, dtc_error *e);
/* Parts of evenly cut buckets that hold no element of a tensor, and the first bucket that has one. */
uint64_t dtci_empty_parts(const dtc_shape *shapes, const dtc_slot *slots, size_t n, uint64_t world, uint64_t *first);

/* Would distopt's buckets of more than this size hold something else? */
int dtci_buckets_cut(const dtci_reading *r, uint64_t bucket);

/* ---- reading: what moves together ------------------------------------------------------------ */

/* Fills a bucket of gradients, which backward makes from the last tensor to the first: those from `at` on, counted from the
 * end. Returns where the next bucket begins. A tensor that is larger than a bucket has one to itself. */
size_t dtci_fill_bucket(const dtci_reading *r, size_t at, dtc_batch *b);
/* Number of all-gathers behind the step of low_level_zero, and elements of the largest. */
uint64_t dtci_count_gathers(const dtci_reading *r);
uint64_t dtci_largest_gather(const dtci_reading *r);
/* Most elements of a rank in one sub-group of zero3. */
uint64_t dtci_largest_sub_group(const dtci_reading *r);
/* Whole elements of the tensors that touch a rank's part of a vector that is cut evenly; of the rank for which they are most,
 * with two elements of scratch per tensor. */
uint64_t dtci_accumulator(const dtci_reading *r, uint64_t rank);
uint64_t dtci_largest_accumulator(const dtci_reading *r, uint64_t *scratch);

/* Sums over a layout that messages and bytes are made of, elements. */
typedef struct dtci_sums {
  uint64_t numel;
  uint64_t bytes; /* of the tensors, each in its type */
  uint64_t buckets;
  uint64_t padded;
  uint64_t part; /* a rank's part of all buckets */
  uint64_t largest_bucket;
  uint64_t largest_tensor;
  uint64_t gathered; /* tensors that zero3 gathers and frees, padded */
  uint64_t gathered_tensors;
  uint64_t persistent; /* tensors that it keeps, padded */
  uint64_t persistent_tensors;
  uint64_t reductions; /* gradient buckets of zero12, zero3, mics and low_level_zero */
  uint64_t reduced;
  uint64_t sent;
  uint64_t largest_reduced;
  uint64_t largest_sent;
  uint64_t lists; /* zero12: reduces to single owners; low_level_zero: all-gathers of the step; DTC_NONE unknown */
} dtci_sums;

/* Fails on a vector of zero12 that is not cut evenly. */
dtc_status dtci_sum_up(const dtci_reading *r, dtci_sums *sums, dtc_error *e);

/* ---- shard_bytes.c --------------------------------------------------------------------------- */

/* What offloading follows from, of a rank. No product of `micro` and 24 bytes for each element may overflow. */
typedef struct dtci_offload_part {
  uint64_t part;    /* elements of its part */
  uint64_t touched; /* of the tensors that the part touches (zero1, zero2) */
  uint64_t largest; /* of the largest tensor */
  uint64_t micro;   /* micro-batches of a step */
  uint64_t b;       /* bytes of a weight */
  uint64_t g;       /* bytes of a gradient */
} dtci_offload_part;

void dtci_offload_flat(const dtci_offload_part *x, dtc_offload_bytes *o);
void dtci_offload_zero3(const dtci_offload_part *x, dtc_offload offload, dtc_offload_bytes *o);

#endif

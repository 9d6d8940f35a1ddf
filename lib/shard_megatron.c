/* Megatron-Core's gradient buffers: buckets of the distributed optimizer, without it, and of the layer-wise optimizer.
 * Sources: Megatron-LM d98e8a64 megatron/core/optimizer/param_layout.py, distrib_optimizer.py, layer_wise_optimizer.py,
 * megatron/core/distributed/param_and_grad_buffer.py. Megatron pads with double division; it is exact below 2^53. */
#include "internal/shard.h"

enum { TENSOR_ALIGNMENT = 64, END_ALIGNMENT = 128, BUSBW_ALIGNMENT = 65536 };

/* What the end of a bucket is padded to: parts of 128 bytes or so, and for NCCL's best algorithms powers of two. */
static uint64_t end_alignment(const dtc_shards *s)
{
  uint64_t power = s->high_busbw == DTC_BOOL_ON ? BUSBW_ALIGNMENT : END_ALIGNMENT;
  return s->world / dtci_common_divisor(s->world, power) * power;
}

/* ---- buckets in reverse order of the tensors --------------------------------------------------- */

/* The open bucket: tensors [.., top). */
typedef struct open_bucket {
  const dtci_laying *l;
  uint64_t alignment;
  uint64_t start;
  size_t top;
  uint32_t number;
  uint32_t owner;
} open_bucket;

/* Closes the bucket behind tensor `low`, whose elements end at `used`. */
static dtc_status close_bucket(open_bucket *b, size_t low, uint64_t used, dtc_error *e)
{
  uint64_t end = dtci_round_up(used, b->alignment);
  if (end > DTCI_END_MOST)
    return dtci_fail_overflow(e, DTC_FIELD(shards, world), b->l->s->world);
  for (size_t i = low; i < b->top; i++) {
    uint64_t start = b->l->slots[i].start;
    b->l->slots[i] = (dtc_slot){start, b->start, end, used - b->start, b->number, b->owner};
  }
  b->start = end;
  b->top = low;
  b->number++;
  return DTC_OK;
}

/* A bucket closes behind the tensor that fills it. A shared embedding is alone in its bucket; the bucket before it counts
 * the gap at its end as used, because it closes when the next tensor's place is already known. */
static dtc_status fill_buckets(open_bucket *b, uint64_t tensor_alignment, int splits_shared, dtc_error *e)
{
  const dtci_laying *l = b->l;
  uint64_t at = 0;
  for (size_t i = l->n; i-- > 0;) {
    int alone = splits_shared && l->shapes[i].shared != 0;
    at = dtci_round_up(at, tensor_alignment);
    if (alone && i + 1 < b->top) {
      TRY(close_bucket(b, i + 1, at, e));
      at = b->start;
    }
    l->slots[i].start = at;
    at += dtci_numel(&l->shapes[i]);
    if (alone || at - b->start >= l->s->bucket) {
      TRY(close_bucket(b, i, at, e));
      at = b->start;
    }
  }
  return b->top != 0 ? close_bucket(b, 0, at, e) : DTC_OK;
}

/* A shared embedding is alone in its bucket; one before it that was not full counts the gap at its end. */
int dtci_buckets_cut(const dtci_reading *r, uint64_t bucket)
{
  uint64_t at = 0;
  for (size_t i = r->n; i-- > 0;) {
    int shared = r->shapes[i].shared != 0;
    if (at >= bucket && (!shared || at % TENSOR_ALIGNMENT != 0))
      return 1;
    at = shared ? 0 : dtci_round_up(at, TENSOR_ALIGNMENT) + dtci_numel(&r->shapes[i]);
  }
  return 0;
}

dtc_status dtci_lay_distopt(const dtci_laying *l, dtc_error *e)
{
  open_bucket b = {.l = l, .alignment = end_alignment(l->s), .top = l->n, .owner = DTC_EVENLY};
  return fill_buckets(&b, TENSOR_ALIGNMENT, 1, e);
}

/* Without the distributed optimizer nothing is cut, so nothing is padded. */
dtc_status dtci_lay_allreduce(const dtci_laying *l, dtc_error *e)
{
  open_bucket b = {.l = l, .alignment = 1, .top = l->n, .owner = DTC_EVERYWHERE};
  return fill_buckets(&b, 1, 0, e);
}

/* ---- the layer-wise optimizer ------------------------------------------------------------------ */

/* Whole tensors over the ranks. The load of a rank, its cost so far, is carried from bucket to bucket. */
typedef struct balance {
  const dtci_laying *l;
  uint64_t world;
  uint64_t *at;   /* elements in each rank's part of the open bucket */
  uint64_t *high; /* load of each rank, two words */
  uint64_t *low;
  uint64_t *order; /* tensors of a bucket, and room to sort them */
  uint64_t *spare;
  uint64_t part_alignment;
  uint64_t start; /* of the open bucket */
  size_t top;     /* its tensors are [.., top) */
  uint32_t number;
} balance;

static dtci_wide load_of(const balance *b, uint64_t rank)
{
  return (dtci_wide){b->high[rank], b->low[rank]};
}

/* Rank whose part is shortest, the first of them; the longest part goes to *longest. */
static uint64_t shortest(const balance *b, uint64_t *longest)
{
  uint64_t rank = 0;
  *longest = 0;
  for (uint64_t r = 0; r < b->world; r++) {
    rank = b->at[r] < b->at[rank] ? r : rank;
    *longest = b->at[r] > *longest ? b->at[r] : *longest;
  }
  return rank;
}

/* Rank that a tensor goes to: the least loaded of those whose part stays below the limit, else the shortest. */
static uint64_t rank_for(const balance *b, uint64_t numel, uint64_t limit)
{
  uint64_t rank = b->world;
  for (uint64_t r = 0; r < b->world; r++) {
    int fits = dtci_round_up(b->at[r], TENSOR_ALIGNMENT) + numel <= limit;
    if (fits && (rank == b->world || dtci_wide_less(load_of(b, r), load_of(b, rank))))
      rank = r;
  }
  uint64_t longest = 0;
  return rank < b->world ? rank : shortest(b, &longest);
}

static uint64_t append(balance *b, uint64_t rank, uint64_t numel)
{
  uint64_t place = dtci_round_up(b->at[rank], TENSOR_ALIGNMENT);
  b->at[rank] = place + numel;
  return place;
}

/* Sends the tensors of a bucket to ranks, dearest first; slots get the place in the rank's part, and the rank. */
static void distribute(balance *b, size_t low, uint64_t sum)
{
  const double slack = 1.3; /* a part may exceed the mean by 30 % before the balance of cost yields to that of size */
  uint64_t limit = (uint64_t)((double)sum / (double)b->world * slack);
  size_t n = 0;
  for (size_t i = b->top; i-- > low;)
    b->order[n++] = i;
  dtci_order_down(b->l->shapes, DTCI_ORDER_COST, b->order, b->spare, n);
  for (size_t k = 0; k < n; k++) {
    size_t i = (size_t)b->order[k];
    uint64_t numel = dtci_numel(&b->l->shapes[i]);
    uint64_t rank = rank_for(b, numel, limit);
    dtci_wide load = dtci_wide_sum(load_of(b, rank), dtci_cost_of(&b->l->shapes[i]));
    b->high[rank] = load.high;
    b->low[rank] = load.low;
    b->l->slots[i].start = append(b, rank, numel);
    b->l->slots[i].used = rank;
  }
}

/* Closes the bucket behind tensor `low`. All parts are as long as the longest. */
static dtc_status close_balance(balance *b, size_t low, uint64_t sum, dtc_error *e)
{
  int bad = 0;
  uint64_t longest = 0;
  memset(b->at, 0, (size_t)b->world * sizeof *b->at);
  distribute(b, low, sum);
  (void)shortest(b, &longest);
  uint64_t part = dtci_round_up(longest, b->part_alignment);
  uint64_t end = dtci_add(b->start, dtci_mul(part, b->world, &bad), &bad);
  if (bad || end > DTCI_END_MOST)
    return dtci_fail_overflow(e, DTC_FIELD(shards, world), b->world);
  uint64_t used = 0;
  for (size_t i = low; i < b->top; i++) {
    uint64_t last = b->l->slots[i].used * part + b->l->slots[i].start + dtci_numel(&b->l->shapes[i]);
    used = last > used ? last : used;
  }
  for (size_t i = low; i < b->top; i++) {
    dtc_slot *slot = &b->l->slots[i];
    *slot = (dtc_slot){b->start + slot->used * part + slot->start, b->start, end, used, b->number, DTC_EVENLY};
  }
  memset(b->at, 0, (size_t)b->world * sizeof *b->at);
  b->start = end;
  b->top = low;
  b->number++;
  return DTC_OK;
}

/* Elements that a bucket must hold before it closes: 90 % of what ranks with a largest tensor each would hold. */
static uint64_t least_sum(const balance *b, uint64_t largest)
{
  double filled = (double)b->world * (double)largest * 0.9;
  uint64_t least = filled < 9e18 ? (uint64_t)filled : UINT64_MAX;
  return least > b->l->s->bucket ? least : b->l->s->bucket;
}

/* While a bucket is open its tensors are only tried on the ranks, in order, the shortest first. It closes when it holds
 * enough, and the next tensor would make the longest part longer. */
static dtc_status balance_all(balance *b, dtc_error *e)
{
  const dtci_laying *l = b->l;
  uint64_t sum = 0;
  uint64_t largest = 0;
  for (size_t i = l->n; i-- > 0;) {
    uint64_t longest = 0;
    uint64_t numel = dtci_numel(&l->shapes[i]);
    uint64_t rank = shortest(b, &longest);
    int longer = dtci_round_up(b->at[rank], TENSOR_ALIGNMENT) + numel > dtci_round_up(longest, b->part_alignment);
    if (l->s->bucket != DTC_NONE && b->top > i + 1 && longer && sum >= least_sum(b, largest)) {
      TRY(close_balance(b, i + 1, sum, e));
      sum = largest = rank = 0;
    }
    (void)append(b, rank, numel);
    sum += numel;
    largest = numel > largest ? numel : largest;
  }
  return b->top != 0 ? close_balance(b, 0, sum, e) : DTC_OK;
}

dtc_status dtci_lay_layerwise(const dtci_laying *l, dtc_error *e)
{
  uint64_t world = l->s->world;
  uint64_t share = end_alignment(l->s) / world;
  if (l->n != 0 && world > DTCI_STEPS_MOST / l->n)
    return dtci_fail_range(e, DTC_FIELD(shards, world), world, 0, DTCI_STEPS_MOST / l->n);
  balance b = {
      .l = l,
      .world = world,
      .at = l->scratch,
      .high = l->scratch + world,
      .low = l->scratch + 2 * world,
      .order = l->scratch + 3 * world,
      .spare = l->scratch + 3 * world + l->n,
      .part_alignment = share / dtci_common_divisor(share, TENSOR_ALIGNMENT) * TENSOR_ALIGNMENT,
      .top = l->n,
  };
  memset(l->scratch, 0, (size_t)(3 * world) * sizeof *l->scratch);
  return balance_all(&b, e);
}

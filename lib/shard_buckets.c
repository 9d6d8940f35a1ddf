/* The buckets of a layout, read off the slots. */
#include "internal/shard.h"

/* Slots of one bucket agree on it. */
static int is_same_bucket(const dtc_bucket *b, const dtc_slot *slot)
{
  return b->start == slot->bucket_start && b->stop == slot->bucket_end && b->used == slot->used &&
         b->owner == slot->owner;
}

static dtc_status open_bucket(dtc_bucket *b, const dtc_slot *slot, uint32_t first, dtc_dtype dtype, dtc_error *e)
{
  int bad = 0;
  uint64_t bytes = dtci_mul(slot->bucket_end - slot->bucket_start, dtci_dtype_bytes(dtype), &bad);
  if (bad)
    return dtci_fail_overflow(e, DTC_FIELD(slot, bucket_end), slot->bucket_end);
  *b = (dtc_bucket){.start = slot->bucket_start,
                    .stop = slot->bucket_end,
                    .used = slot->used,
                    .bytes = bytes,
                    .owner = slot->owner,
                    .first = first,
                    .dtype = dtype};
  return DTC_OK;
}

/* Fills the buckets from the slots, whose numbers are below n_buckets. */
static dtc_status gather(const dtc_shards *s, const dtc_shape *shapes, size_t n, const dtc_slot *slots, dtc_bucket *out,
                         size_t n_buckets, dtc_error *e)
{
  for (size_t b = 0; b < n_buckets; b++)
    out[b] = (dtc_bucket){0};
  for (size_t i = 0; i < n; i++) {
    dtc_bucket *b = &out[slots[i].bucket];
    if (b->tensors == 0)
      TRY(open_bucket(b, &slots[i], (uint32_t)i, dtci_dtype_of(s, &shapes[i]), e));
    if (!is_same_bucket(b, &slots[i]))
      return dtci_fail(e, DTC_E_CONFLICT, DTC_RULE_SLOTS, DTCI_ARG(SLOTS), i);
    b->tensors++;
  }
  return DTC_OK;
}

static dtc_status buckets(const dtc_shards *shards, const dtc_shape *shapes, size_t n, const dtc_slot *slots,
                          size_t n_slots, dtc_bucket *out, size_t cap, size_t *count, dtc_error *e)
{
  dtc_shards s;
  uint64_t numel = 0;
  size_t n_buckets = 0;
  TRY(dtci_shards_in(shards, &s, e));
  TRY(dtci_shapes_in(shapes, n, &numel, e));
  TRY(dtci_slots_in(&s, shapes, n, slots, n_slots, e));
  for (size_t i = 0; i < n; i++) {
    if (slots[i].bucket >= n)
      return dtci_fail(e, DTC_E_CONFLICT, DTC_RULE_SLOTS, DTCI_ARG(SLOTS), i);
    n_buckets = slots[i].bucket >= n_buckets ? (size_t)slots[i].bucket + 1 : n_buckets;
  }
  if (cap >= n_buckets)
    TRY(gather(&s, shapes, n, slots, out, n_buckets, e));
  *count = n_buckets;
  return cap >= n_buckets ? DTC_OK : dtci_fail_space(e, cap, n_buckets);
}

dtc_status dtc_shards_buckets(const dtc_shards *shards, const dtc_shape *shapes, size_t n_shapes, const dtc_slot *slots,
                              size_t n_slots, dtc_bucket *out, size_t cap, size_t *count, dtc_error *err)
{
  dtc_error e;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  return dtci_end(buckets(shards, shapes, n_shapes, slots, n_slots, out, cap, count, &e), &e, err);
}

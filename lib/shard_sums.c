/* Sums over a layout that messages and bytes are made of. */
#include "internal/shard.h"

/* Buckets are made of tensors next to each other, so that a walk through the tensors meets each bucket once. DDP's, of
 * several types, are not: there the number of the last one is their number. */
static void sum_buckets(const dtci_reading *r, dtci_sums *sums)
{
  for (size_t i = 0; i < r->n; i++) {
    const dtc_slot *slot = &r->slots[i];
    sums->buckets = slot->bucket >= sums->buckets ? (uint64_t)slot->bucket + 1 : sums->buckets;
    if (i != 0 && r->slots[i - 1].bucket == slot->bucket)
      continue;
    uint64_t size = slot->bucket_end - slot->bucket_start;
    sums->padded += size;
    sums->part += dtci_shard_part(slot, r->s.world);
    sums->largest_bucket = size > sums->largest_bucket ? size : sums->largest_bucket;
  }
}

static void sum_tensors(const dtci_reading *r, dtci_sums *sums)
{
  int zero3 = dtci_is_zero3(&r->s);
  for (size_t i = 0; i < r->n; i++) {
    uint64_t numel = dtci_numel(&r->shapes[i]);
    uint64_t padded = dtci_round_up(numel, r->s.world);
    int persists = zero3 && dtci_persists(&r->s, numel);
    *(persists ? &sums->persistent : &sums->gathered) += padded;
    *(persists ? &sums->persistent_tensors : &sums->gathered_tensors) += 1;
    sums->largest_tensor = numel > sums->largest_tensor ? numel : sums->largest_tensor;
    sums->bytes += numel * dtci_dtype_bytes(dtci_dtype_of(&r->s, &r->shapes[i]));
  }
}

/* Ranks whose parts of the vector a bucket of gradients covers, when its tensors lie next to each other. */
static uint64_t owners_of(const dtci_reading *r, size_t at, size_t end)
{
  uint64_t first = UINT64_MAX;
  uint64_t last = 0;
  for (size_t k = at; k < end; k++) {
    size_t i = r->n - 1 - k;
    uint64_t numel = dtci_numel(&r->shapes[i]);
    if (numel == 0)
      continue;
    dtci_cover c = dtci_cover_of(&r->slots[i], numel, r->s.world);
    first = c.first < first ? c.first : first;
    last = c.last > last ? c.last : last;
  }
  return first != UINT64_MAX ? last - first + 1 : 0;
}

static void sum_reductions(const dtci_reading *r, dtci_sums *sums)
{
  int vector = r->s.scheme == DTC_SHARD_SCHEME_ZERO12;
  if (!vector && !dtci_is_zero3(&r->s) && r->s.scheme != DTC_SHARD_SCHEME_LOW_LEVEL_ZERO)
    return;
  for (size_t at = 0; at < r->n;) {
    dtc_batch b;
    size_t end = dtci_fill_bucket(r, at, &b);
    if (b.tensors != 0) {
      sums->reductions++;
      sums->reduced += b.elements;
      sums->sent += b.sent;
      sums->largest_reduced = b.elements > sums->largest_reduced ? b.elements : sums->largest_reduced;
      sums->largest_sent = b.sent > sums->largest_sent ? b.sent : sums->largest_sent;
      sums->lists += vector ? owners_of(r, at, end) : 0;
    }
    at = end;
  }
}

dtc_status dtci_sum_up(const dtci_reading *r, dtci_sums *sums, dtc_error *e)
{
  if (r->s.scheme == DTC_SHARD_SCHEME_ZERO12)
    TRY(dtci_check_even(r, e));
  *sums = (dtci_sums){.numel = r->numel};
  sum_buckets(r, sums);
  sum_tensors(r, sums);
  sum_reductions(r, sums);
  if (r->s.scheme == DTC_SHARD_SCHEME_LOW_LEVEL_ZERO)
    sums->lists = dtci_count_gathers(r);
  else if (r->s.round_robin == DTC_BOOL_ON)
    sums->lists = DTC_NONE;
  return DTC_OK;
}

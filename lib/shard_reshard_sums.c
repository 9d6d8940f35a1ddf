/* Sums over what all ranks read from a checkpoint: by formula where buckets are cut evenly, else part by part. */
#include "internal/reshard.h"

static dtc_status bucket_sums(const dtci_moving *m, dtc_reshard_sums *sums, dtc_error *e)
{
  int bad = 0;
  dtci_pairs p = dtci_pairs_of(m);
  for (;;) {
    TRY(dtci_next_equal(&p, e));
    if (p.a == NULL)
      return DTC_OK;
    uint64_t a = dtci_shard_part(p.a, m->source.world);
    uint64_t b = dtci_shard_part(p.b, m->target.world);
    sums->items += dtci_overlaps(p.b->used, a, b);
    sums->needed = dtci_add(sums->needed, p.b->used, &bad);
    if (bad)
      return dtci_fail_overflow(e, DTC_FIELD(slot, used), p.b->used);
    sums->same += dtci_overlap_same(p.b->used, a, b);
  }
}

/* Ranks that hold a part of a tensor, when not all of them hold it whole. */
typedef struct holders {
  const dtc_slot *slot;
  uint64_t world;
  uint64_t numel;
  uint64_t first;
  uint64_t last;
} holders;

static holders holders_of(const dtc_slot *slot, uint64_t world, uint64_t numel)
{
  holders h = {slot, world, numel, slot->owner, slot->owner};
  if (slot->owner == DTC_EVENLY) {
    dtci_cover c = dtci_cover_of(slot, numel, world);
    h.first = c.first;
    h.last = c.last;
  } else if (slot->owner == DTC_EVERYWHERE) {
    h.first = h.last = 0;
  }
  return h;
}

/* Elements of the tensor that a rank holds. */
static dtci_span span_of(const holders *h, uint64_t rank)
{
  uint64_t start = h->slot->start - h->slot->bucket_start;
  dtci_span held = dtci_held_by(h->slot, h->numel, h->world, rank);
  return held.low < held.high ? (dtci_span){held.low - start, held.high - start} : (dtci_span){0, 0};
}

/* Does a part of the tensor start at the element? */
static int cuts_at(const holders *h, uint64_t element)
{
  return h->slot->owner == DTC_EVENLY &&
         (h->slot->start - h->slot->bucket_start + element) % dtci_shard_part(h->slot, h->world) == 0;
}

/* Both sides hold each element once. Items are the cuts of both, but that common ones count once. */
static void cross(const holders *a, const holders *b, dtc_reshard_sums *sums)
{
  uint64_t common = 0;
  const holders *fewer = a->last - a->first < b->last - b->first ? a : b;
  const holders *other = fewer == a ? b : a;
  for (uint64_t r = fewer->first; r <= fewer->last; r++) {
    dtci_span x = span_of(fewer, r);
    common += r > fewer->first && cuts_at(other, x.low);
    if (r >= other->first && r <= other->last)
      sums->same += dtci_span_shared(x, span_of(other, r));
  }
  sums->items += a->last - a->first + b->last - b->first + 1 - common;
  sums->needed += a->numel;
}

/* Elements that ranks below `ranks` hold. */
static uint64_t held_below(const holders *h, uint64_t ranks)
{
  if (ranks > h->last)
    return h->numel;
  return ranks <= h->first ? 0 : span_of(h, ranks - 1).high;
}

/* Every rank of the job holds the tensor whole, or every rank of the checkpoint did. */
static dtc_status repeat(const holders *a, const holders *b, dtc_reshard_sums *sums, dtc_error *e)
{
  int bad = 0;
  int all = a->slot->owner == DTC_EVERYWHERE;
  uint64_t common = a->world < b->world ? a->world : b->world;
  uint64_t times = b->slot->owner == DTC_EVERYWHERE ? b->world : 1;
  uint64_t pieces = all ? b->last - b->first + 1 : a->last - a->first + 1;
  sums->items = dtci_add(sums->items, dtci_mul(times, pieces, &bad), &bad);
  sums->needed = dtci_add(sums->needed, dtci_mul(times, a->numel, &bad), &bad);
  if (bad)
    return dtci_fail_overflow(e, DTC_FIELD(shards, world), b->world);
  sums->same += !all ? held_below(a, b->world) : times != 1 ? common * a->numel : held_below(b, a->world);
  return DTC_OK;
}

static dtc_status tensor_sums(const dtci_moving *m, dtc_reshard_sums *sums, dtc_error *e)
{
  uint64_t steps = 0;
  for (size_t i = 0; i < m->n; i++) {
    uint64_t numel = dtci_numel(&m->shapes[i]);
    if (numel == 0)
      continue;
    holders a = holders_of(&m->source_slots[i], m->source.world, numel);
    holders b = holders_of(&m->target_slots[i], m->target.world, numel);
    if (a.slot->owner == DTC_EVERYWHERE || b.slot->owner == DTC_EVERYWHERE) {
      TRY(repeat(&a, &b, sums, e));
      continue;
    }
    steps += (a.last - a.first < b.last - b.first ? a.last - a.first : b.last - b.first) + 1;
    TRY(dtci_steps_in(steps, DTC_FIELD(shards, world), e));
    cross(&a, &b, sums);
  }
  return DTC_OK;
}

static dtc_status sum_up(const dtci_moving *m, dtc_reshard_kind kind, dtc_reshard_sums *sums, dtc_error *e)
{
  *sums = (dtc_reshard_sums){.struct_size = sizeof *sums};
  TRY(dtci_kind_in(kind, e));
  if (kind == DTC_RESHARD_KIND_TENSOR)
    TRY(tensor_sums(m, sums, e));
  else
    TRY(bucket_sums(m, sums, e));
  sums->moved = sums->needed - sums->same;
  return DTC_OK;
}

dtc_status dtc_reshard_totals(const dtc_shards *source, const dtc_shards *target, const dtc_shape *shapes,
                              size_t n_shapes, const dtc_slot *source_slots, size_t n_source_slots,
                              const dtc_slot *target_slots, size_t n_target_slots, dtc_reshard_kind kind,
                              dtc_reshard_sums *out, dtc_error *err)
{
  dtc_error e;
  dtc_reshard_sums sums;
  dtci_moving m = {.shapes = shapes, .source_slots = source_slots, .target_slots = target_slots, .n = n_shapes};
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = dtci_moving_in(&m, source, target, n_source_slots, n_target_slots, &e);
  if (s == DTC_OK)
    s = sum_up(&m, kind, &sums, &e);
  return dtci_end(s != DTC_OK ? s : dtci_out(out, DTC_STRUCT_reshard_sums, &sums, &e), &e, err);
}

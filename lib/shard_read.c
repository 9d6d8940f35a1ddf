/* What is read off the slots: fragments, owners, sums. */
#include "internal/shard.h"

typedef dtci_reading reading;

dtc_status dtci_read_in(const dtc_shards *shards, const dtc_shape *shapes, size_t n_shapes, const dtc_slot *slots,
                        size_t n_slots, reading *r, dtc_error *e)
{
  *r = (reading){.shapes = shapes, .slots = slots, .n = n_shapes};
  TRY(dtci_shards_in(shards, &r->s, e));
  TRY(dtci_shapes_in(shapes, n_shapes, &r->numel, e));
  return dtci_slots_in(&r->s, shapes, n_shapes, slots, n_slots, e);
}

dtc_status dtci_check_even(const reading *r, dtc_error *e)
{
  for (size_t i = 0; i < r->n; i++)
    if (r->slots[i].owner != DTC_EVENLY)
      return dtci_fail(e, DTC_E_CONFLICT, DTC_RULE_SLOTS, DTCI_ARG(SLOTS), i);
  return DTC_OK;
}

/* ---- fragments ------------------------------------------------------------------------------- */

/* An empty tensor has no elements, but frameworks book it where its place is: DeepSpeed below 0.19.8 with the rank whose
 * part holds the place, FSDP1 with the rank whose part it lies strictly inside. */
static int books_empty(const dtc_shards *s, const dtc_shape *shape, uint64_t place, dtci_span part)
{
  if (s->scheme == DTC_SHARD_SCHEME_ZERO12 || s->scheme == DTC_SHARD_SCHEME_BF16)
    return !dtci_leaves_out(s, shape) && place >= part.low && place < part.high;
  return s->scheme == DTC_SHARD_SCHEME_FSDP1 && place > part.low && place < part.high;
}

/* The part of tensor i that a rank holds; 0 when it holds none. */
static int fragment_of(const reading *r, size_t i, uint64_t rank, dtc_fragment *f)
{
  const dtc_slot *slot = &r->slots[i];
  uint64_t numel = dtci_numel(&r->shapes[i]);
  uint64_t start = slot->start - slot->bucket_start;
  dtci_span part = dtci_part_of(slot, r->s.world, rank);
  dtci_span held = dtci_held_by(slot, numel, r->s.world, rank);
  int booked = numel == 0 && books_empty(&r->s, &r->shapes[i], start, part);
  if (dtci_span_length(held) == 0 && !booked)
    return 0;
  *f = (dtc_fragment){
      .tensor = (uint32_t)i,
      .bucket = slot->bucket,
      .tensor_offset = held.low - start,
      .shard_offset = held.low - part.low,
      .length = dtci_span_length(held),
  };
  return 1;
}

static dtc_status fragments(const reading *r, uint64_t rank, dtc_fragment *out, size_t cap, size_t *count, dtc_error *e)
{
  size_t n = 0;
  if (rank >= r->s.world)
    return dtci_fail_range(e, DTCI_ARG(RANK), rank, 0, r->s.world - 1);
  for (size_t i = 0; i < r->n; i++) {
    dtc_fragment f;
    if (!fragment_of(r, i, rank, &f))
      continue;
    if (n < cap)
      out[n] = f;
    n++;
  }
  *count = n;
  return n <= cap ? DTC_OK : dtci_fail_space(e, cap, n);
}

dtc_status dtc_shards_fragments(const dtc_shards *shards, const dtc_shape *shapes, size_t n_shapes,
                                const dtc_slot *slots, size_t n_slots, uint64_t rank, dtc_fragment *out, size_t cap,
                                size_t *count, dtc_error *err)
{
  dtc_error e;
  reading r;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = dtci_read_in(shards, shapes, n_shapes, slots, n_slots, &r, &e);
  return dtci_end(s != DTC_OK ? s : fragments(&r, rank, out, cap, count, &e), &e, err);
}

static dtc_status owner(reading *r, size_t n_slots, uint64_t tensor, uint64_t element, uint64_t *rank, uint64_t *offset,
                        dtc_error *e)
{
  TRY(dtci_tensor_in(r, n_slots, tensor, e));
  const dtc_slot *slot = &r->slots[tensor];
  if (element >= r->numel)
    return dtci_fail_range(e, DTCI_ARG(ELEMENT), element, 0, r->numel != 0 ? r->numel - 1 : 0);
  uint64_t place = slot->start - slot->bucket_start + element;
  uint64_t part = slot->owner == DTC_EVENLY ? dtci_shard_part(slot, r->s.world) : UINT64_MAX;
  *rank = slot->owner == DTC_EVENLY ? place / part : slot->owner == DTC_EVERYWHERE ? 0 : slot->owner;
  *offset = place % part;
  return DTC_OK;
}

dtc_status dtc_shards_owner(const dtc_shards *shards, const dtc_shape *shapes, size_t n_shapes, const dtc_slot *slots,
                            size_t n_slots, uint64_t tensor, uint64_t element, uint64_t *rank, uint64_t *offset,
                            dtc_error *err)
{
  dtc_error e;
  reading r = {.shapes = shapes, .slots = slots, .n = n_shapes};
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = dtci_shards_in(shards, &r.s, &e);
  return dtci_end(s != DTC_OK ? s : owner(&r, n_slots, tensor, element, rank, offset, &e), &e, err);
}

/* ---- sums ------------------------------------------------------------------------------------ */

/* From rank `rank` on, each rank holds `change` elements more (two's complement). */
typedef struct events {
  uint64_t *list; /* pairs of rank and change */
  size_t n;
} events;

static void put_event(events *v, uint64_t rank, uint64_t change)
{
  v->list[2 * v->n] = rank;
  v->list[2 * v->n + 1] = change;
  v->n++;
}

/* A tensor over the parts of an even bucket: the first and the last rank hold less than a whole part. */
static void put_tensor(events *v, const dtc_slot *slot, uint64_t numel, uint64_t world)
{
  dtci_cover c = dtci_cover_of(slot, numel, world);
  if (c.first == c.last) {
    put_event(v, c.first, numel);
    put_event(v, c.first + 1, 0 - numel);
    return;
  }
  put_event(v, c.first, c.head);
  put_event(v, c.first + 1, c.part - c.head);
  put_event(v, c.last, c.tail - c.part);
  put_event(v, c.last + 1, 0 - c.tail);
}

/* Sorts by rank, digit by digit from the lowest: worlds are small numbers, so that few passes do. `spare` is as long as
 * the list, and becomes it. */
static void sort_events(events *v, uint64_t *spare, uint64_t world)
{
  enum { BITS = 8, DIGITS = 1 << BITS };
  for (unsigned shift = 0; world >> shift != 0; shift += BITS) {
    uint32_t places[DIGITS] = {0};
    uint32_t before = 0;
    for (size_t i = 0; i < v->n; i++)
      places[(v->list[2 * i] >> shift) % DIGITS]++;
    for (size_t d = 0; d < DIGITS; d++) {
      uint32_t there = places[d];
      places[d] = before;
      before += there;
    }
    for (size_t i = 0; i < v->n; i++) {
      uint32_t place = places[(v->list[2 * i] >> shift) % DIGITS]++;
      memcpy(&spare[2 * (size_t)place], &v->list[2 * i], 2 * sizeof *spare);
    }
    uint64_t *sorted = spare;
    spare = v->list;
    v->list = sorted;
  }
}

/* Walks the ranks from change to change. */
static void weigh(const events *v, uint64_t world, uint64_t base, dtc_shard_totals *t)
{
  uint64_t held = base;
  uint64_t rank = 0;
  size_t i = 0;
  t->least = UINT64_MAX;
  t->most = 0;
  while (rank < world) {
    while (i < v->n && v->list[2 * i] == rank)
      held += v->list[2 * i++ + 1];
    uint64_t next = i < v->n && v->list[2 * i] < world ? v->list[2 * i] : world;
    if (held < t->least) {
      t->least = held;
      t->lightest = rank;
    }
    if (held > t->most || rank == 0) {
      t->most = held;
      t->heaviest = rank;
    }
    t->empty += held == 0 ? next - rank : 0;
    rank = next;
  }
}

/* The first tensor of each bucket in the order of the tensors finds the bucket new. `sums` has an element per bucket. */
static void count_buckets(const reading *r, uint64_t *sums, dtc_shard_totals *t)
{
  for (size_t i = 0; i < r->n; i++)
    sums[i] = 0;
  for (size_t i = 0; i < r->n; i++) {
    const dtc_slot *slot = &r->slots[i];
    uint64_t size = slot->bucket_end - slot->bucket_start;
    uint64_t *sum = &sums[slot->bucket];
    if (*sum == 0) { /* holds the bucket's tensors, and one more to tell that it was seen */
      *sum = 1;
      t->buckets++;
      t->padded += size;
      t->per_rank += slot->owner == DTC_EVENLY       ? dtci_shard_part(slot, r->s.world)
                     : slot->owner == DTC_EVERYWHERE ? size
                                                     : 0;
      t->largest = size > t->largest ? size : t->largest;
    }
    *sum += dtci_numel(&r->shapes[i]);
  }
}

dtc_status dtci_totals(const reading *r, uint64_t *scratch, dtc_shard_totals *t, dtc_error *e)
{
  uint64_t *sums = r->n != 0 ? scratch + 16 * r->n : NULL;
  events v = {scratch, 0};
  uint64_t base = 0; /* elements that every rank holds alike */
  const uint64_t said = UINT64_MAX;
  *t = (dtc_shard_totals){.struct_size = sizeof *t, .numel = r->numel};
  for (size_t i = 0; i < r->n; i++)
    if (r->slots[i].bucket >= r->n)
      return dtci_fail(e, DTC_E_CONFLICT, DTC_RULE_SLOTS, DTCI_ARG(SLOTS), i);
  count_buckets(r, sums, t);
  for (size_t i = 0; i < r->n; i++) {
    const dtc_slot *slot = &r->slots[i];
    uint64_t numel = dtci_numel(&r->shapes[i]);
    uint64_t size = slot->bucket_end - slot->bucket_start;
    if (slot->owner == DTC_EVERYWHERE) {
      base += numel;
    } else if (slot->owner != DTC_EVENLY && numel != 0) {
      put_event(&v, slot->owner, numel);
      put_event(&v, (uint64_t)slot->owner + 1, 0 - numel);
    } else if (slot->owner == DTC_EVENLY && numel != 0 && sums[slot->bucket] == size + 1) {
      base += dtci_shard_part(slot, r->s.world); /* without a gap every rank holds a whole part: said once */
      sums[slot->bucket] = said;
    } else if (slot->owner == DTC_EVENLY && numel != 0 && sums[slot->bucket] != said) {
      put_tensor(&v, slot, numel, r->s.world);
    }
  }
  if (v.n != 0) /* else there may be no scratch */
    sort_events(&v, scratch + 8 * r->n, r->s.world);
  weigh(&v, r->s.world, base, t);
  int owned = r->n != 0 && r->slots[0].owner < DTC_EVERYWHERE;
  t->per_rank = owned ? t->most : t->per_rank;
  return DTC_OK;
}

dtc_status dtc_shards_totals(const dtc_shards *shards, const dtc_shape *shapes, size_t n_shapes, const dtc_slot *slots,
                             size_t n_slots, dtc_shard_totals *out, uint64_t *scratch, size_t n_scratch, dtc_error *err)
{
  dtc_error e;
  reading r;
  dtc_shard_totals t;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = dtci_read_in(shards, shapes, n_shapes, slots, n_slots, &r, &e);
  if (s == DTC_OK)
    s = dtci_scratch_in(scratch, n_scratch, dtci_scratch_of(&r.s, r.n), &e);
  if (s == DTC_OK)
    s = dtci_totals(&r, scratch, &t, &e);
  return dtci_end(s != DTC_OK ? s : dtci_out(out, DTC_STRUCT_shard_totals, &t, &e), &e, err);
}

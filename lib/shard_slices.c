/* How DeepSpeed ZeRO-1 and 2 share gradients out: the slices of each bucket, and the buffer they are accumulated in.
 * Source: DeepSpeed edaa7221 runtime/zero/stage_1_and_2.py (average_tensor, get_partition_info, grads_in_partition). */
#include "internal/shard.h"

/* Slices and accumulator need one vector that is cut evenly. */
static dtc_status check_vector(const dtci_reading *r, dtc_error *e)
{
  if (r->s.scheme != DTC_SHARD_SCHEME_ZERO12)
    return dtci_fail_scheme(&r->s, e);
  return dtci_check_even(r, e);
}

static dtci_cover cover_of(const dtci_reading *r, size_t i)
{
  return dtci_cover_of(&r->slots[i], dtci_numel(&r->shapes[i]), r->s.world);
}

/* A rank and a number below 2^25 in one sortable key. */
enum { KEY_BITS = 25 };

static uint64_t key(uint64_t rank, size_t number)
{
  return rank << KEY_BITS | number;
}

static uint64_t rank_of_key(uint64_t k)
{
  return k >> KEY_BITS;
}

static size_t number_of_key(uint64_t k)
{
  return (size_t)(k & ((1u << KEY_BITS) - 1));
}

typedef struct slices {
  dtc_slice *out;
  size_t cap;
  size_t n;
  uint32_t reduction;
} slices;

static void put_slice(slices *v, uint64_t owner, uint64_t elements, int joins)
{
  v->n -= (size_t)joins;
  if (v->n < v->cap && joins)
    v->out[v->n].elements += elements;
  else if (v->n < v->cap)
    v->out[v->n] = (dtc_slice){elements, v->reduction, (uint32_t)owner};
  v->n++;
}

/* Only those that fit are walked: there may be as many as ranks. */
static void put_middle(slices *v, const dtci_cover *t)
{
  uint64_t between = t->last > t->first ? t->last - t->first - 1 : 0;
  for (uint64_t k = 0; k < between && v->n + k < v->cap; k++)
    v->out[v->n + k] = (dtc_slice){t->part, v->reduction, (uint32_t)(t->first + 1 + k)};
  v->n += (size_t)between;
}

/* Slices of the tensors [at, end) of a bucket, in their order. */
static void put_in_order(const dtci_reading *r, size_t at, size_t end, slices *v)
{
  uint64_t before = DTC_NONE;
  for (; at < end; at++) {
    size_t i = r->n - 1 - at;
    if (dtci_numel(&r->shapes[i]) == 0)
      continue;
    dtci_cover t = cover_of(r, i);
    put_slice(v, t.first, t.head, t.first == before);
    put_middle(v, &t);
    if (t.last > t.first)
      put_slice(v, t.last, t.tail, 0);
    before = t.last;
  }
}

/* The ends of tensors by owner: end 2 * k of the k-th tensor of the bucket is its head, end 2 * k + 1 its tail. What lies
 * between is a slice of its own, because no other tensor touches that rank's part. */
typedef struct ends {
  uint64_t *keys;   /* two per tensor */
  uint64_t *next;   /* two per tensor: the next end of the same owner, 0 none; FOLLOWS when there is one before */
  uint64_t *before; /* one per tensor: the end that lies before its head */
} ends;

#define FOLLOWS (UINT64_C(1) << 63)

static void link_ends(const dtci_reading *r, size_t at, size_t end, const ends *l)
{
  size_t n = 0;
  uint64_t before = DTC_NONE;
  for (size_t k = 0; at + k < end; k++) {
    size_t i = r->n - 1 - at - k;
    l->next[2 * k] = 0;
    l->next[2 * k + 1] = 0;
    l->before[k] = before;
    if (dtci_numel(&r->shapes[i]) == 0)
      continue;
    dtci_cover t = cover_of(r, i);
    l->keys[n++] = key(t.first, 2 * k);
    if (t.last > t.first)
      l->keys[n++] = key(t.last, 2 * k + 1);
    before = 2 * k + (t.last > t.first);
  }
  dtci_sort(l->keys, n, NULL);
  for (size_t j = 1; j < n; j++)
    if (rank_of_key(l->keys[j]) == rank_of_key(l->keys[j - 1])) {
      l->next[number_of_key(l->keys[j - 1])] |= number_of_key(l->keys[j]);
      l->next[number_of_key(l->keys[j])] |= FOLLOWS;
    }
}

/* All slices of an owner, when this end is the first of them. */
static void put_owner(const dtci_reading *r, size_t at, size_t from, const ends *l, slices *v)
{
  uint64_t before = DTC_NONE;
  uint64_t x = from;
  if (l->next[from] & FOLLOWS)
    return;
  do {
    dtci_cover t = cover_of(r, r->n - 1 - at - (size_t)(x / 2));
    if (x % 2 == 0)
      put_slice(v, t.first, t.head, before != DTC_NONE && l->before[x / 2] == before);
    else
      put_slice(v, t.last, t.tail, 0);
    before = x;
    x = l->next[x] & ~FOLLOWS;
  } while (x != 0);
}

/* The same slices, but each owner's together, in the order in which owners appear. */
static void put_by_owner(const dtci_reading *r, size_t at, size_t end, uint64_t *scratch, slices *v)
{
  size_t n = end - at;
  ends l = {scratch, scratch + 2 * n, scratch + 4 * n};
  link_ends(r, at, end, &l);
  for (size_t k = 0; k < n; k++) {
    size_t i = r->n - 1 - at - k;
    if (dtci_numel(&r->shapes[i]) == 0)
      continue;
    dtci_cover t = cover_of(r, i);
    put_owner(r, at, 2 * k, &l, v);
    put_middle(v, &t);
    if (t.last > t.first)
      put_owner(r, at, 2 * k + 1, &l, v);
  }
}

static dtc_status cut(const dtci_reading *r, slices *v, uint64_t *scratch, size_t *count, dtc_error *e)
{
  TRY(check_vector(r, e));
  for (size_t at = 0; at < r->n;) {
    dtc_batch b;
    size_t end = dtci_fill_bucket(r, at, &b);
    if (r->s.multi_rank == DTC_BOOL_ON)
      put_in_order(r, at, end, v);
    else
      put_by_owner(r, at, end, scratch, v);
    v->reduction++;
    at = end;
  }
  *count = v->n;
  return v->n <= v->cap ? DTC_OK : dtci_fail_space(e, v->cap, v->n);
}

dtc_status dtc_shards_slices(const dtc_shards *shards, const dtc_shape *shapes, size_t n_shapes, const dtc_slot *slots,
                             size_t n_slots, dtc_slice *out, size_t cap, size_t *count, uint64_t *scratch,
                             size_t n_scratch, dtc_error *err)
{
  dtc_error e;
  dtci_reading r;
  slices v = {out, cap, 0, 0};
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = dtci_read_in(shards, shapes, n_shapes, slots, n_slots, &r, &e);
  s = s != DTC_OK ? s : dtci_scratch_in(scratch, n_scratch, dtci_scratch_of(&r.s, r.n), &e);
  return dtci_end(s != DTC_OK ? s : cut(&r, &v, scratch, count, &e), &e, err);
}

/* Walks the ranks at which a tensor begins: the largest buffer is one of theirs. */
uint64_t dtci_largest_accumulator(const dtci_reading *r, uint64_t *scratch)
{
  uint64_t *firsts = scratch;
  uint64_t *lasts = r->n != 0 ? scratch + r->n : NULL;
  uint64_t held = 0;
  uint64_t most = 0;
  size_t n = 0;
  for (size_t i = 0; i < r->n; i++) {
    if (dtci_numel(&r->shapes[i]) == 0)
      continue;
    dtci_cover t = cover_of(r, i);
    firsts[n] = key(t.first, i);
    lasts[n++] = key(t.last, i);
  }
  dtci_sort(firsts, n, NULL);
  dtci_sort(lasts, n, NULL);
  for (size_t i = 0, left = 0; i < n; i++) {
    while (rank_of_key(lasts[left]) < rank_of_key(firsts[i]))
      held -= dtci_numel(&r->shapes[number_of_key(lasts[left++])]);
    held += dtci_numel(&r->shapes[number_of_key(firsts[i])]);
    most = held > most ? held : most;
  }
  return most;
}

uint64_t dtci_accumulator(const dtci_reading *r, uint64_t rank)
{
  uint64_t held = 0;
  for (size_t i = 0; i < r->n; i++) {
    uint64_t numel = dtci_numel(&r->shapes[i]);
    if (numel == 0)
      continue;
    dtci_cover t = cover_of(r, i);
    held += t.first <= rank && rank <= t.last ? numel : 0;
  }
  return held;
}

static dtc_status accumulator(const dtci_reading *r, uint64_t rank, uint64_t *elements, uint64_t *scratch,
                              size_t n_scratch, dtc_error *e)
{
  TRY(check_vector(r, e));
  if (rank != DTC_NONE && rank >= r->s.world)
    return dtci_fail_range(e, DTCI_ARG(RANK), rank, 0, r->s.world - 1);
  if (rank == DTC_NONE)
    TRY(dtci_scratch_in(scratch, n_scratch, dtci_scratch_of(&r->s, r->n), e));
  *elements = rank == DTC_NONE ? dtci_largest_accumulator(r, scratch) : dtci_accumulator(r, rank);
  return DTC_OK;
}

dtc_status dtc_shards_accumulator(const dtc_shards *shards, const dtc_shape *shapes, size_t n_shapes,
                                  const dtc_slot *slots, size_t n_slots, uint64_t rank, uint64_t *elements,
                                  uint64_t *scratch, size_t n_scratch, dtc_error *err)
{
  dtc_error e;
  dtci_reading r;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = dtci_read_in(shards, shapes, n_shapes, slots, n_slots, &r, &e);
  return dtci_end(s != DTC_OK ? s : accumulator(&r, rank, elements, scratch, n_scratch, &e), &e, err);
}

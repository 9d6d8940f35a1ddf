/* What holds for every layout of tensors over ranks: parts of all ranks tile each tensor once, owners and sums agree with
 * the parts, buckets with the slots. */
#ifndef SHARDS_CHECK_H
#define SHARDS_CHECK_H

#include "check.h"

#include <stdlib.h>

enum { SHARDS_MOST = 64 }; /* tensors of a case */

typedef struct shards_case {
  dtc_shards s;
  dtc_shape shapes[SHARDS_MOST];
  size_t n;
  dtc_slot slots[SHARDS_MOST];
  uint64_t *scratch;
  uint64_t n_scratch;
} shards_case;

static inline uint64_t shards_numel(const shards_case *c, size_t i)
{
  return c->shapes[i].rows * c->shapes[i].cols;
}

static inline dtc_shards shards_of(dtc_shard_scheme scheme, uint64_t world)
{
  dtc_shards s;
  DTC_INIT(&s);
  s.scheme = scheme;
  s.world = world;
  return s;
}

/* Lays c->shapes out by c->s; scratch is as long as the library says, behind it a mark. */
static inline void shards_lay(shards_case *c)
{
  dtc_error e;
  size_t count = 0;
  DTC_INIT(&e);
  check_ok(dtc_shards_resolve(&c->s, &c->s, &e), &e);
  check_ok(dtc_shards_scratch(&c->s, c->n, &c->n_scratch, &e), &e);
  c->scratch = realloc(c->scratch, sizeof *c->scratch * (c->n_scratch + 1));
  assert_non_null(c->scratch);
  c->scratch[c->n_scratch] = 4711;
  check_ok(dtc_shards_layout(&c->s, c->shapes, c->n, c->slots, c->n, &count, c->scratch, c->n_scratch, &e), &e);
  assert_int_equal(count, c->n);
  assert_int_equal(c->scratch[c->n_scratch], 4711);
}

static inline void shards_free(shards_case *c)
{
  free(c->scratch);
  c->scratch = NULL;
}

static inline size_t shards_parts(const shards_case *c, uint64_t rank, dtc_fragment *out)
{
  dtc_error e;
  size_t count = 0;
  DTC_INIT(&e);
  check_ok(dtc_shards_fragments(&c->s, c->shapes, c->n, c->slots, c->n, rank, out, c->n, &count, &e), &e);
  return count;
}

static inline uint64_t shards_owner(const shards_case *c, size_t tensor, uint64_t element, uint64_t *offset)
{
  dtc_error e;
  uint64_t rank = 0;
  DTC_INIT(&e);
  check_ok(dtc_shards_owner(&c->s, c->shapes, c->n, c->slots, c->n, tensor, element, &rank, offset, &e), &e);
  return rank;
}

/* The owner of the first and of the last element of a part is its rank; of a bucket that all hold it is rank 0. */
static inline void shards_check_owner(const shards_case *c, const dtc_fragment *f, uint64_t rank)
{
  for (int last = 0; last < 2; last++) {
    uint64_t skip = last ? f->length - 1 : 0, offset = 0;
    uint64_t owner = shards_owner(c, f->tensor, f->tensor_offset + skip, &offset);
    assert_int_equal(owner, c->slots[f->tensor].owner == DTC_EVERYWHERE ? 0 : rank);
    assert_int_equal(offset, f->shard_offset + skip);
  }
}

/* Parts of one rank: ascending tensors, inside their tensor and bucket; their elements. */
static inline uint64_t shards_check_parts(const shards_case *c, const dtc_fragment *parts, size_t n, uint64_t rank)
{
  uint64_t held = 0;
  for (size_t k = 0; k < n; k++) {
    const dtc_fragment *f = &parts[k];
    assert_true(f->tensor < c->n && (k == 0 || f->tensor > parts[k - 1].tensor));
    assert_true(f->tensor_offset <= shards_numel(c, f->tensor));
    assert_true(f->length <= shards_numel(c, f->tensor) - f->tensor_offset);
    assert_int_equal(f->bucket, c->slots[f->tensor].bucket);
    if (f->length != 0)
      shards_check_owner(c, f, rank);
    held += f->length;
  }
  return held;
}

/* Every rank's parts follow each other through each tensor, and what the ranks hold gives the sums. For worlds that can be
 * walked through. */
static inline void shards_check_world(const shards_case *c, const dtc_shard_totals *t)
{
  dtc_fragment parts[SHARDS_MOST];
  uint64_t next[SHARDS_MOST] = {0}, empty = 0, most = 0, least = UINT64_MAX, heaviest = 0, lightest = 0;
  for (uint64_t rank = 0; rank < c->s.world; rank++) {
    size_t n = shards_parts(c, rank, parts);
    uint64_t held = shards_check_parts(c, parts, n, rank);
    for (size_t k = 0; k < n; k++) {
      int whole = c->slots[parts[k].tensor].owner != DTC_EVENLY;
      assert_int_equal(parts[k].tensor_offset, whole ? 0 : next[parts[k].tensor]);
      next[parts[k].tensor] += parts[k].length;
    }
    heaviest = held > most ? rank : heaviest;
    most = held > most ? held : most;
    lightest = held < least ? rank : lightest;
    least = held < least ? held : least;
    empty += held == 0;
  }
  for (size_t i = 0; i < c->n; i++)
    assert_int_equal(next[i], shards_numel(c, i) * (c->slots[i].owner == DTC_EVERYWHERE ? c->s.world : 1));
  assert_true(t->most == most && t->least == least && t->empty == empty);
  assert_true(t->heaviest == heaviest && t->lightest == lightest);
}

/* Some elements: their owner holds them, in a part behind whose end another rank follows. For any world. */
static inline void shards_check_some(const shards_case *c, uint64_t *seed, int rounds)
{
  dtc_fragment parts[SHARDS_MOST];
  for (int round = 0; c->n != 0 && round < rounds; round++) {
    size_t tensor = check_random(seed, c->n), k = 0;
    uint64_t numel = shards_numel(c, tensor), offset = 0;
    if (numel == 0)
      continue;
    uint64_t element = round % 3 == 0 ? numel - 1 : (check_random(seed, UINT64_C(1) << 31) << 20) % numel;
    uint64_t rank = shards_owner(c, tensor, element, &offset);
    size_t n = shards_parts(c, rank, parts);
    shards_check_parts(c, parts, n, rank);
    while (k < n && parts[k].tensor != tensor)
      k++;
    assert_true(k < n && element >= parts[k].tensor_offset);
    assert_true(element - parts[k].tensor_offset < parts[k].length);
    assert_int_equal(offset, parts[k].shard_offset + (element - parts[k].tensor_offset));
    uint64_t end = parts[k].tensor_offset + parts[k].length;
    assert_true(end == numel || shards_owner(c, tensor, end, &offset) == rank + 1);
  }
}

static inline uint64_t shards_held(const shards_case *c, uint64_t rank)
{
  dtc_fragment parts[SHARDS_MOST];
  size_t n = shards_parts(c, rank, parts);
  return shards_check_parts(c, parts, n, rank);
}

/* The ranks that the sums name, their neighbours and those at both ends. For any world. */
static inline void shards_check_ends(const shards_case *c, const dtc_shard_totals *t)
{
  assert_int_equal(shards_held(c, t->heaviest), t->most);
  assert_int_equal(shards_held(c, t->lightest), t->least);
  assert_true(t->heaviest == 0 || shards_held(c, t->heaviest - 1) < t->most);
  assert_true(t->lightest == 0 || shards_held(c, t->lightest - 1) > t->least);
  const uint64_t ends[] = {0, c->s.world - 1};
  for (int k = 0; k < 2; k++) {
    uint64_t held = shards_held(c, ends[k]);
    assert_true(held >= t->least && held <= t->most);
  }
  assert_true((t->empty != 0) == (t->least == 0) && t->empty <= c->s.world);
}

/* Buckets agree with the slots and with the sums. */
static inline void shards_check_buckets(const shards_case *c, const dtc_shard_totals *t)
{
  dtc_bucket buckets[SHARDS_MOST];
  dtc_error e;
  size_t n = 0;
  uint64_t used[SHARDS_MOST] = {0}, tensors = 0, padded = 0, largest = 0, there = 0, part = 0;
  DTC_INIT(&e);
  check_ok(dtc_shards_buckets(&c->s, c->shapes, c->n, c->slots, c->n, buckets, c->n, &n, &e), &e);
  for (size_t i = 0; i < c->n; i++) {
    const dtc_slot *slot = &c->slots[i];
    const dtc_bucket *b = &buckets[slot->bucket];
    assert_true(slot->bucket < n && b->start == slot->bucket_start && b->stop == slot->bucket_end);
    assert_true(b->used == slot->used && b->owner == slot->owner && b->first <= i);
    assert_true(slot->start + shards_numel(c, i) <= b->start + b->used);
    used[slot->bucket] += shards_numel(c, i);
  }
  for (size_t b = 0; b < n; b++) {
    uint64_t size = buckets[b].stop - buckets[b].start;
    assert_true(used[b] <= buckets[b].used && buckets[b].used <= size);
    assert_true(buckets[b].tensors == 0 || c->slots[buckets[b].first].bucket == b);
    assert_true(size == 0 ? buckets[b].bytes == 0 : buckets[b].bytes % size == 0);
    there += buckets[b].tensors != 0;
    tensors += buckets[b].tensors;
    padded += size;
    part += buckets[b].owner == DTC_EVENLY ? size / c->s.world : size;
    largest = size > largest ? size : largest;
  }
  assert_int_equal(tensors, c->n);
  assert_true(t->buckets == there && t->padded == padded && t->largest == largest);
  assert_int_equal(t->per_rank, c->n != 0 && c->slots[0].owner < DTC_EVERYWHERE ? t->most : part);
}

/* No two tensors share an element of the space. */
static inline void shards_check_apart(const shards_case *c)
{
  for (size_t i = 0; i < c->n; i++)
    for (size_t k = 0; k < i; k++) {
      uint64_t i_end = c->slots[i].start + shards_numel(c, i), k_end = c->slots[k].start + shards_numel(c, k);
      assert_true(shards_numel(c, i) == 0 || shards_numel(c, k) == 0 || i_end <= c->slots[k].start ||
                  k_end <= c->slots[i].start);
    }
}

/* Everything that holds for every layout; worlds above 1000 by samples. */
static inline void shards_check(shards_case *c, uint64_t *seed)
{
  dtc_error e;
  dtc_shard_totals t;
  uint64_t numel = 0;
  DTC_INIT(&e);
  DTC_INIT(&t);
  shards_lay(c);
  check_ok(dtc_shards_totals(&c->s, c->shapes, c->n, c->slots, c->n, &t, c->scratch, c->n_scratch, &e), &e);
  for (size_t i = 0; i < c->n; i++)
    numel += shards_numel(c, i);
  assert_int_equal(t.numel, numel);
  assert_int_equal(c->scratch[c->n_scratch], 4711);
  shards_check_apart(c);
  shards_check_buckets(c, &t);
  shards_check_some(c, seed, 20);
  shards_check_ends(c, &t);
  if (c->s.world <= 1000)
    shards_check_world(c, &t);
}

/* Up to 20 tensors: ones, primes, empty ones, one above 2^31, all types when `mixed`. */
static inline void shards_random(shards_case *c, uint64_t *seed, int mixed)
{
  static const uint64_t odd[] = {1, 2, 3, 7, 31, 127, 8191, 65537};
  c->n = check_random(seed, 21);
  for (size_t i = 0; i < c->n; i++) {
    dtc_shape *shape = &c->shapes[i];
    uint64_t kind = check_random(seed, 10);
    *shape = (dtc_shape){.rows = 1 + check_random(seed, 300), .cols = 1 + check_random(seed, 300), .dims = 2};
    if (kind < 4)
      *shape = (dtc_shape){.rows = odd[check_random(seed, 8)], .cols = kind < 2 ? 1 : odd[check_random(seed, 8)]};
    if (kind == 4)
      *(check_random(seed, 2) ? &shape->rows : &shape->cols) = 0;
    if (kind == 5 && check_random(seed, 4) == 0)
      *shape = (dtc_shape){.rows = (UINT64_C(1) << 31) + 1, .cols = 1};
    if (mixed)
      shape->dtype = (dtc_dtype)check_random(seed, DTC_DTYPE_FP64 + 1);
  }
}

/* 1 to 1000, now and then up to 10^6. */
static inline uint64_t shards_random_world(uint64_t *seed)
{
  uint64_t kind = check_random(seed, 8);
  return 1 + check_random(seed, kind == 0 ? 1000000 : kind == 1 ? 1000 : 40);
}

/* Random tensors and worlds for a scheme, with its own settings. */
static inline void shards_check_scheme(dtc_shard_scheme scheme, int mixed, int rounds)
{
  shards_case c = {.scratch = NULL};
  uint64_t seed = scheme;
  for (int round = 0; round < rounds; round++) {
    shards_random(&c, &seed, mixed);
    c.s = shards_of(scheme, shards_random_world(&seed));
    shards_check(&c, &seed);
  }
  shards_free(&c);
}

#endif

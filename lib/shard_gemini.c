/* ColossalAI Gemini's chunks: the search of their size, and the tensors in them. Sources: ColossalAI 4f9953be
 * colossalai/zero/gemini/chunk/search_utils.py, chunk.py, manager.py; numpy/_core/_methods.py (_var) and
 * numpy/_core/src/umath/loops_utils.h.src (pairwise sum), which the search calls. */
#include "internal/shard.h"

#include <math.h>

/* ---- numpy's standard deviation --------------------------------------------------------------- */

/* Tensors [first, first + n). */
typedef struct span {
  size_t first;
  size_t n;
} span;

static double squared(const dtc_shape *shape, double mean)
{
  double distance = (double)dtci_numel(shape) - mean;
  return distance * distance;
}

/* Up to 128 squares in numpy's order: eight sums side by side, then what is left. */
static double sum_block(const dtc_shape *shapes, size_t n, double mean)
{
  double r[8];
  double sum = 0;
  size_t i = 0;
  if (n >= 8) {
    for (size_t k = 0; k < 8; k++)
      r[k] = squared(&shapes[k], mean);
    for (i = 8; i < n - n % 8; i += 8)
      for (size_t k = 0; k < 8; k++)
        r[k] += squared(&shapes[i + k], mean);
    sum = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
  }
  for (; i < n; i++)
    sum += squared(&shapes[i], mean);
  return sum;
}

/* Sum of the squares in numpy's order: halves whose first is a multiple of 8, down to blocks. `waiting` holds the second
 * halves that are still to be summed, `sums` the first halves that wait for them. */
static double sum_squares(const dtc_shape *shapes, size_t n, double mean)
{
  enum { BLOCK = 128, DEPTH = 32 }; /* 2^24 tensors are halved 18 times */
  span waiting[DEPTH];
  double sums[DEPTH];
  int is_summed[DEPTH];
  size_t depth = 0;
  span now = {0, n};
  for (;;) {
    while (now.n > BLOCK) {
      size_t half = now.n / 2 - now.n / 2 % 8;
      waiting[depth] = (span){now.first + half, now.n - half};
      is_summed[depth++] = 0;
      now.n = half;
    }
    double sum = sum_block(shapes + now.first, now.n, mean);
    while (depth > 0 && is_summed[depth - 1])
      sum = sums[--depth] + sum;
    if (depth == 0)
      return sum;
    sums[depth - 1] = sum;
    is_summed[depth - 1] = 1;
    now = waiting[depth - 1];
  }
}

/* Above this size a tensor takes no part in the search: three deviations above the mean. */
static double limit_of(const dtci_laying *l, uint64_t numel)
{
  if (l->s->keep_large == DTC_BOOL_ON)
    return 0x1p63;
  double n = (double)l->n;
  double mean = (double)numel / n;
  double deviation = sqrt(sum_squares(l->shapes, l->n, mean) / n);
  return mean + 3 * deviation;
}

/* ---- the search ------------------------------------------------------------------------------- */

/* Tensors that are tried, neighbours of one size together: pairs of size and number. */
typedef struct runs {
  uint64_t *list;
  size_t n;
} runs;

static void put_run(runs *r, uint64_t size)
{
  if (r->n != 0 && r->list[2 * r->n - 2] == size) {
    r->list[2 * r->n - 1]++;
    return;
  }
  r->list[2 * r->n] = size;
  r->list[2 * r->n + 1] = 1;
  r->n++;
}

/* Elements that stay unused with chunks of this size; `most` or more when it is not less than that. Every size of the runs
 * fits a chunk. */
static uint64_t waste_of(const runs *r, uint64_t chunk, uint64_t most)
{
  uint64_t waste = 0;
  uint64_t left = 0;
  for (size_t i = 0; i < r->n && waste < most; i++) {
    uint64_t size = r->list[2 * i];
    uint64_t times = r->list[2 * i + 1];
    uint64_t fit = times == 1 ? size <= left : size != 0 ? left / size : times;
    if (fit >= times) {
      left -= times * size;
      continue;
    }
    times -= fit;
    waste += left - fit * size;
    uint64_t each = times == 1 ? 1 : chunk / size;
    uint64_t full = (times - 1) / each; /* chunks that are left behind */
    waste += full * (chunk - each * size);
    left = chunk - (times - full * each) * size;
  }
  return waste + left;
}

/* A search may try this many sizes, and look at this many runs; ColossalAI's own settings try 2^15. */
static const uint64_t sizes_most = UINT64_C(1) << 18;
static const uint64_t steps_most = UINT64_C(1) << 26;

static dtc_status search(const dtci_laying *l, const runs *r, dtc_chunks *c, dtc_error *e)
{
  uint64_t most = r->n <= steps_most / sizes_most ? sizes_most : steps_most / r->n;
  if (l->s->search_range / l->s->interval >= most) {
    dtci_fail(e, DTC_E_RANGE, DTC_RULE_CHUNK_SEARCH, DTC_FIELD(shards, interval), l->s->interval);
    e->min = e->upper = l->s->search_range / most + 1;
    return DTC_E_RANGE;
  }
  c->waste = UINT64_MAX;
  for (uint64_t size = c->least; size <= c->least + l->s->search_range && c->waste != 0; size += l->s->interval) {
    uint64_t waste = waste_of(r, size, c->waste);
    if (waste < c->waste) {
      c->waste = waste;
      c->size = size;
    }
  }
  c->size = dtci_round_up(c->size, l->s->world);
  return DTC_OK;
}

/* A model below the least chunk is one chunk, as it is, that every rank keeps. */
static dtc_status find_chunks(const dtci_laying *l, dtc_chunks *c, dtc_error *e)
{
  runs r = {l->scratch, 0};
  uint64_t numel = 0;
  *c = (dtc_chunks){.struct_size = sizeof *c};
  for (size_t i = 0; i < l->n; i++)
    numel += dtci_numel(&l->shapes[i]);
  if (numel < l->s->min_chunk) {
    c->gathered = 1;
    c->size = c->least = numel;
    return DTC_OK;
  }
  double limit = limit_of(l, numel);
  c->least = l->s->min_chunk;
  for (size_t i = 0; i < l->n; i++) {
    uint64_t size = dtci_numel(&l->shapes[i]);
    if ((double)size > limit) {
      c->large++;
      continue;
    }
    c->least = size > c->least ? size : c->least;
    put_run(&r, size);
  }
  c->least = dtci_round_up(c->least, l->s->interval);
  return search(l, &r, c, e);
}

/* ---- the tensors ------------------------------------------------------------------------------ */

/* These tensors, whose starts are known, are a chunk. */
static void close_chunk(const dtci_laying *l, span tensors, const dtc_slot *chunk)
{
  for (size_t i = tensors.first; i < tensors.first + tensors.n; i++) {
    uint64_t start = l->slots[i].start;
    l->slots[i] = *chunk;
    l->slots[i].start = start;
  }
}

/* Tensors follow each other; the first that no longer fits opens a new chunk, which is as large as it when it is larger
 * than a chunk. Two neighbouring chunks hold more than the first of them, so all ends stay below 2^62. */
dtc_status dtci_lay_gemini(const dtci_laying *l, dtc_error *e)
{
  dtc_chunks c;
  TRY(find_chunks(l, &c, e));
  dtc_slot chunk = {.owner = c.gathered ? DTC_EVERYWHERE : DTC_EVENLY};
  span tensors = {0, 0};
  for (size_t i = 0; i < l->n; i++) {
    uint64_t numel = dtci_numel(&l->shapes[i]);
    if (i == 0 || numel > chunk.bucket_end - chunk.bucket_start - chunk.used) {
      close_chunk(l, tensors, &chunk);
      chunk.bucket += i != 0;
      chunk.bucket_start = chunk.bucket_end;
      chunk.bucket_end += numel > c.size ? dtci_round_up(numel, l->s->world) : c.size;
      chunk.used = 0;
      tensors = (span){i, 0};
    }
    l->slots[i].start = chunk.bucket_start + chunk.used;
    chunk.used += numel;
    tensors.n++;
  }
  close_chunk(l, tensors, &chunk);
  return DTC_OK;
}

static dtc_status chunks(const dtc_shards *shards, const dtc_shape *shapes, size_t n, dtc_chunks *out,
                         uint64_t *scratch, size_t n_scratch, dtc_error *e)
{
  dtc_shards s;
  dtc_chunks c;
  uint64_t numel = 0;
  TRY(dtci_shards_in(shards, &s, e));
  if (s.scheme != DTC_SHARD_SCHEME_GEMINI)
    return dtci_fail_scheme(&s, e);
  TRY(dtci_shapes_in(shapes, n, &numel, e));
  TRY(dtci_scratch_in(scratch, n_scratch, dtci_scratch_of(&s, n), e));
  dtci_laying l = {&s, shapes, n, NULL, scratch};
  TRY(find_chunks(&l, &c, e));
  return dtci_out(out, DTC_STRUCT_chunks, &c, e);
}

dtc_status dtc_shards_chunks(const dtc_shards *shards, const dtc_shape *shapes, size_t n_shapes, dtc_chunks *out,
                             uint64_t *scratch, size_t n_scratch, dtc_error *err)
{
  dtc_error e;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  return dtci_end(chunks(shards, shapes, n_shapes, out, scratch, n_scratch, &e), &e, err);
}

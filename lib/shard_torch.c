/* Layouts that shard no tensor: DDP's buckets, and optimizers that give whole tensors to ranks; tensor parallelism before
 * FSDP2. Sources: PyTorch 2.15 torch/csrc/distributed/c10d/reducer.cpp (compute_bucket_assignment_by_size),
 * torch/nn/parallel/distributed.py, torch/distributed/optim/zero_redundancy_optimizer.py (_partition_parameters),
 * torch/distributed/fsdp/_fully_shard/_fsdp_param.py; fairscale 146f1602 fairscale/optim/oss.py. */
#include "internal/shard.h"

/* ---- DDP ------------------------------------------------------------------------------------- */

enum { DTYPES = DTC_DTYPE_FP64 + 1 };

/* Buckets while they fill, in the order in which they were opened. */
typedef struct filling {
  uint64_t *sizes;  /* elements of each bucket */
  uint64_t *places; /* its number in the end */
  uint64_t opened;
  uint64_t closed;
  uint64_t open[DTYPES];  /* the type's open bucket, or DTC_NONE */
  uint32_t stage[DTYPES]; /* 0 no bucket yet, 1 the first is open, 2 it is closed */
  dtc_dtype seen[DTYPES]; /* types in the order of their first tensors */
  uint32_t n_seen;
} filling;

/* A tensor joins its type's bucket, which closes when it has reached the limit: so it may grow beyond it. The first limit
 * holds for the first bucket of each type. The bytes of all tensors fit 2^59. */
static void add_tensor(const dtci_laying *l, filling *f, size_t i)
{
  dtc_dtype dtype = dtci_dtype_of(l->s, &l->shapes[i]);
  if (f->open[dtype] == DTC_NONE) {
    if (f->stage[dtype] == 0) {
      f->stage[dtype] = 1;
      f->seen[f->n_seen++] = dtype;
    }
    f->open[dtype] = f->opened;
    f->sizes[f->opened++] = 0;
  }
  uint64_t bucket = f->open[dtype];
  l->slots[i].start = f->sizes[bucket];
  l->slots[i].bucket = (uint32_t)bucket;
  f->sizes[bucket] += dtci_numel(&l->shapes[i]);
  uint64_t limit = f->stage[dtype] == 1 ? l->s->first_bucket : l->s->bucket;
  if (f->sizes[bucket] * dtci_dtype_bytes(dtype) < limit)
    return;
  f->places[bucket] = f->closed++;
  f->open[dtype] = DTC_NONE;
  f->stage[dtype] = 2;
}

/* Numbers of the buckets. In the first step the list is sorted by each bucket's first tensor, that is as they were opened,
 * and reversed; later they stand as they were closed, behind them those left over, which PyTorch takes from a hash map. */
static void place_buckets(const dtci_laying *l, filling *f)
{
  if (l->s->first_step == DTC_BOOL_ON) {
    for (uint64_t b = 0; b < f->opened; b++)
      f->places[b] = f->opened - 1 - b;
    return;
  }
  for (uint32_t k = 0; k < f->n_seen; k++)
    if (f->open[f->seen[k]] != DTC_NONE)
      f->places[f->open[f->seen[k]]] = f->closed++;
}

/* Starts of the buckets, by their numbers in the end. */
static void start_buckets(const filling *f, uint64_t *starts)
{
  uint64_t at = 0;
  for (uint64_t b = 0; b < f->opened; b++)
    starts[f->places[b]] = f->sizes[b];
  for (uint64_t b = 0; b < f->opened; b++) {
    uint64_t size = starts[b];
    starts[b] = at;
    at += size;
  }
}

/* Space of elements: a bucket holds one type, so that its bytes follow. */
dtc_status dtci_lay_ddp(const dtci_laying *l, dtc_error *e)
{
  (void)e;
  if (l->n == 0)
    return DTC_OK;
  uint64_t *starts = l->scratch + 2 * l->n;
  filling f = {.sizes = l->scratch, .places = l->scratch + l->n};
  for (uint32_t k = 0; k < DTYPES; k++)
    f.open[k] = DTC_NONE;
  for (size_t k = 0; k < l->n; k++)
    add_tensor(l, &f, l->s->first_step == DTC_BOOL_ON ? k : l->n - 1 - k);
  place_buckets(l, &f);
  start_buckets(&f, starts);
  for (size_t i = 0; i < l->n; i++) {
    uint64_t bucket = l->slots[i].bucket;
    uint64_t start = starts[f.places[bucket]];
    l->slots[i] = (dtc_slot){.start = start + l->slots[i].start,
                             .bucket_start = start,
                             .bucket_end = start + f.sizes[bucket],
                             .used = f.sizes[bucket],
                             .bucket = (uint32_t)f.places[bucket],
                             .owner = DTC_EVERYWHERE};
  }
  return DTC_OK;
}

/* ---- whole tensors --------------------------------------------------------------------------- */

/* Ranks as a heap, the least loaded first and among equals the first of them: pairs of load and rank. */
typedef struct ranks_heap {
  uint64_t *pairs;
  size_t n;
} ranks_heap;

static int is_lighter(const uint64_t *a, const uint64_t *b)
{
  return a[0] != b[0] ? a[0] < b[0] : a[1] < b[1];
}

/* Loads the lightest rank, which then finds its new place. */
static void load_lightest(ranks_heap *h, uint64_t load)
{
  uint64_t moved[2] = {h->pairs[0] + load, h->pairs[1]};
  size_t at = 0;
  for (;;) {
    size_t child = 2 * at + 1;
    if (child + 1 < h->n && is_lighter(&h->pairs[2 * child + 2], &h->pairs[2 * child]))
      child++;
    if (child >= h->n || !is_lighter(&h->pairs[2 * child], moved))
      break;
    h->pairs[2 * at] = h->pairs[2 * child];
    h->pairs[2 * at + 1] = h->pairs[2 * child + 1];
    at = child;
  }
  h->pairs[2 * at] = moved[0];
  h->pairs[2 * at + 1] = moved[1];
}

/* Each tensor goes to the rank that holds least so far. The first unloaded rank is taken first, so that no more ranks than
 * tensors come into it. */
dtc_status dtci_lay_whole(const dtci_laying *l, dtc_error *e)
{
  (void)e;
  if (l->n == 0)
    return DTC_OK;
  ranks_heap h = {l->scratch, l->s->world < l->n ? (size_t)l->s->world : l->n};
  uint64_t *order = l->scratch + 2 * l->n;
  for (size_t k = 0; k < l->n; k++)
    order[k] = k;
  if (l->s->scheme == DTC_SHARD_SCHEME_WHOLE)
    dtci_order_down(l->shapes, DTCI_ORDER_NUMEL, order, order + l->n, l->n);
  for (size_t k = 0; k < h.n; k++) {
    h.pairs[2 * k] = 0;
    h.pairs[2 * k + 1] = k;
  }
  for (size_t k = 0; k < l->n; k++) {
    size_t i = (size_t)order[k];
    l->slots[i].owner = (uint32_t)h.pairs[1];
    load_lightest(&h, dtci_numel(&l->shapes[i]));
  }
  uint64_t at = 0;
  for (size_t i = 0; i < l->n; i++) {
    uint64_t numel = dtci_numel(&l->shapes[i]);
    l->slots[i] = (dtc_slot){at, at, at + numel, numel, (uint32_t)i, l->slots[i].owner};
    at += numel;
  }
  return DTC_OK;
}

/* ---- tensor parallelism before FSDP2 --------------------------------------------------------- */

static dtc_status local(const dtc_shape *shapes, size_t n, uint64_t tp, uint64_t tp_rank, dtc_shape *out, size_t cap,
                        size_t *count, dtc_error *e)
{
  const uint64_t most = UINT64_C(1) << 32;
  uint64_t numel = 0;
  if (tp < 1 || tp > most)
    return dtci_fail_range(e, DTCI_ARG(TP), tp, 1, most);
  if (tp_rank >= tp)
    return dtci_fail_range(e, DTCI_ARG(RANK), tp_rank, 0, tp - 1);
  TRY(dtci_shapes_in(shapes, n, &numel, e));
  *count = n;
  if (cap < n)
    return dtci_fail_space(e, cap, n);
  for (size_t i = 0; i < n; i++) {
    uint64_t rows = dtci_ceil_div(shapes[i].rows, tp);
    uint64_t first = tp_rank * rows; /* at most 2^40 + 2^32 */
    uint64_t left = first < shapes[i].rows ? shapes[i].rows - first : 0;
    out[i] = shapes[i];
    out[i].rows = rows < left ? rows : left;
  }
  return DTC_OK;
}

dtc_status dtc_shards_local(const dtc_shape *shapes, size_t n_shapes, uint64_t tp, uint64_t tp_rank, dtc_shape *out,
                            size_t cap, size_t *count, dtc_error *err)
{
  dtc_error e;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  return dtci_end(local(shapes, n_shapes, tp, tp_rank, out, cap, count, &e), &e, err);
}

/* What DeepSpeed and ColossalAI's low-level ZeRO move and step together: gradient buckets, the step's all-gathers,
 * sub-groups, persistent tensors, the secondary copy.
 * Sources: DeepSpeed edaa7221 runtime/zero/stage_1_and_2.py (reduce_independent_p_g_buckets_and_remove_grads),
 * stage3.py (the same, _create_fp16_sub_groups), parameter_offload.py
 * (mark_persistent_parameters), partition_parameters.py (_partition_param_sec), bf16_optimizer.py; ColossalAI 4f9953be
 * zero/low_level/low_level_optim.py (_add_to_bucket, step). */
#include "internal/shard.h"

dtc_status dtci_fail_scheme(const dtc_shards *s, dtc_error *e)
{
  return dtci_fail(e, DTC_E_UNSUPPORTED, DTC_RULE_SHARD_SCHEME, DTC_FIELD(shards, scheme), s->scheme);
}

int dtci_is_zero3(const dtc_shards *s)
{
  return s->scheme == DTC_SHARD_SCHEME_ZERO3 || s->scheme == DTC_SHARD_SCHEME_MICS;
}

int dtci_persists(const dtc_shards *s, uint64_t numel)
{
  return numel <= (s->persistence != DTC_NONE ? s->persistence : 0);
}

int dtci_leaves_out(const dtc_shards *s, const dtc_shape *shape)
{
  return s->version >= 19008 && dtci_numel(shape) == 0;
}

static int is_low_level(const dtc_shards *s)
{
  return s->scheme == DTC_SHARD_SCHEME_LOW_LEVEL_ZERO;
}

/* ---- batches ----------------------------------------------------------------------------------- */

typedef struct batches {
  dtc_batch *out;
  size_t cap;
  size_t n;
  uint64_t largest; /* most elements kept */
} batches;

static void put_batch(batches *v, const dtc_batch *b)
{
  if (v->n < v->cap)
    v->out[v->n] = *b;
  v->largest = b->kept > v->largest ? b->kept : v->largest;
  v->n++;
}

static dtc_status end_batches(const batches *v, size_t *count, dtc_error *e)
{
  *count = v->n;
  return v->n <= v->cap ? DTC_OK : dtci_fail_space(e, v->cap, v->n);
}

static void add_tensor(dtc_batch *b, size_t i)
{
  b->first = b->tensors == 0 ? (uint32_t)i : b->first;
  b->tensors++;
}

/* Would the next tensor close the bucket? ZeRO-3 looks for tensors in it, the others for elements. */
static int is_open(const dtci_reading *r, const dtc_batch *b)
{
  return dtci_is_zero3(&r->s) ? b->tensors != 0 : b->elements != 0;
}

/* Does a rank get its part alone? ZeRO-1 and 2 do not, although the second could. */
static int scatters(const dtc_shards *s)
{
  return dtci_is_zero3(s) ? s->reduce_scatter == DTC_BOOL_ON : is_low_level(s) && s->stage == 2;
}

/* Low-level ZeRO keeps gradients padded, but asks before whether the bare one fits. ZeRO-1 and 2 never see an empty
 * gradient. */
size_t dtci_fill_bucket(const dtci_reading *r, size_t at, dtc_batch *b)
{
  uint64_t world = r->s.world;
  *b = (dtc_batch){0};
  for (; at < r->n; at++) {
    size_t i = r->n - 1 - at;
    uint64_t numel = dtci_numel(&r->shapes[i]);
    uint64_t padded = dtci_round_up(numel, world);
    if (numel == 0 && r->s.scheme == DTC_SHARD_SCHEME_ZERO12)
      continue;
    if (is_open(r, b) && b->elements + numel > r->s.bucket)
      return at;
    uint64_t counted = is_low_level(&r->s) ? padded : numel;
    b->elements += counted;
    b->sent += scatters(&r->s) ? padded : counted;
    b->kept += scatters(&r->s) ? padded / world : counted;
    add_tensor(b, i);
  }
  return at;
}

static void put_buckets(const dtci_reading *r, batches *v)
{
  size_t at = 0;
  while (at < r->n) {
    dtc_batch b;
    at = dtci_fill_bucket(r, at, &b);
    if (is_open(r, &b))
      put_batch(v, &b);
  }
}

/* The vector of ZeRO-1 and 2 and of BF16_Optimizer goes through one call, padding included. */
static void put_vector(const dtci_reading *r, uint64_t ranks, batches *v)
{
  uint64_t size = r->n != 0 ? r->slots[0].bucket_end - r->slots[0].bucket_start : 0;
  dtc_batch b = {size, size / ranks, size, 0, (uint32_t)r->n};
  if (size != 0)
    put_batch(v, &b);
}

static dtc_status reductions(const dtci_reading *r, batches *v, dtc_error *e)
{
  switch (r->s.scheme) {
  case DTC_SHARD_SCHEME_ZERO12:
  case DTC_SHARD_SCHEME_ZERO3:
  case DTC_SHARD_SCHEME_MICS:
  case DTC_SHARD_SCHEME_LOW_LEVEL_ZERO:
    put_buckets(r, v);
    return DTC_OK;
  case DTC_SHARD_SCHEME_BF16:
    put_vector(r, 1, v);
    return DTC_OK;
  default:
    return dtci_fail_scheme(&r->s, e);
  }
}

dtc_status dtc_shards_reductions(const dtc_shards *shards, const dtc_shape *shapes, size_t n_shapes,
                                 const dtc_slot *slots, size_t n_slots, dtc_batch *out, size_t cap, size_t *count,
                                 dtc_error *err)
{
  dtc_error e;
  dtci_reading r;
  batches v = {out, cap, 0, 0};
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = dtci_read_in(shards, shapes, n_shapes, slots, n_slots, &r, &e);
  s = s != DTC_OK ? s : reductions(&r, &v, &e);
  return dtci_end(s != DTC_OK ? s : end_batches(&v, count, &e), &e, err);
}

/* Low-level ZeRO holds a rank's parts against its bucket size. A part that is larger goes at once and alone, before those
 * that wait. */
static void put_low_level_gathers(const dtci_reading *r, batches *v)
{
  uint64_t world = r->s.world;
  dtc_batch open = {0};
  for (size_t i = 0; i < r->n; i++) {
    uint64_t part = dtci_ceil_div(dtci_numel(&r->shapes[i]), world);
    dtc_batch alone = {part, part, part * world, (uint32_t)i, 1};
    if (part > r->s.bucket) {
      put_batch(v, &alone);
      continue;
    }
    if (open.elements + part > r->s.bucket) {
      put_batch(v, &open);
      open = (dtc_batch){0};
    }
    open.elements += part;
    open.sent += part;
    open.kept += part * world;
    add_tensor(&open, i);
  }
  if (open.tensors != 0)
    put_batch(v, &open);
}

uint64_t dtci_count_gathers(const dtci_reading *r)
{
  batches v = {NULL, 0, 0, 0};
  put_low_level_gathers(r, &v);
  return v.n;
}

uint64_t dtci_largest_gather(const dtci_reading *r)
{
  batches v = {NULL, 0, 0, 0};
  put_low_level_gathers(r, &v);
  return v.largest;
}

static void put_persistent(const dtci_reading *r, batches *v)
{
  dtc_batch b = {0};
  for (size_t i = 0; i < r->n; i++) {
    uint64_t numel = dtci_numel(&r->shapes[i]);
    if (!dtci_persists(&r->s, numel))
      continue;
    b.elements += numel;
    b.sent += dtci_ceil_div(numel, r->s.world);
    b.kept += dtci_round_up(numel, r->s.world);
    add_tensor(&b, i);
  }
  if (b.tensors != 0)
    put_batch(v, &b);
}

static dtc_status gathers(const dtci_reading *r, batches *v, dtc_error *e)
{
  switch (r->s.scheme) {
  case DTC_SHARD_SCHEME_ZERO12:
  case DTC_SHARD_SCHEME_BF16:
    put_vector(r, r->s.world, v);
    return DTC_OK;
  case DTC_SHARD_SCHEME_ZERO3:
  case DTC_SHARD_SCHEME_MICS:
    put_persistent(r, v);
    return DTC_OK;
  case DTC_SHARD_SCHEME_LOW_LEVEL_ZERO:
    put_low_level_gathers(r, v);
    return DTC_OK;
  default:
    return dtci_fail_scheme(&r->s, e);
  }
}

dtc_status dtc_shards_gathers(const dtc_shards *shards, const dtc_shape *shapes, size_t n_shapes, const dtc_slot *slots,
                              size_t n_slots, dtc_batch *out, size_t cap, size_t *count, dtc_error *err)
{
  dtc_error e;
  dtci_reading r;
  batches v = {out, cap, 0, 0};
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = dtci_read_in(shards, shapes, n_shapes, slots, n_slots, &r, &e);
  s = s != DTC_OK ? s : gathers(&r, &v, &e);
  return dtci_end(s != DTC_OK ? s : end_batches(&v, count, &e), &e, err);
}

/* ---- ZeRO-3 ------------------------------------------------------------------------------------ */

/* A sub-group closes when a rank's parts in it have reached its size. */
static void put_sub_groups(const dtci_reading *r, batches *v)
{
  dtc_batch b = {0};
  for (size_t i = 0; i < r->n; i++) {
    uint64_t numel = dtci_numel(&r->shapes[i]);
    if (dtci_leaves_out(&r->s, &r->shapes[i]))
      continue;
    b.elements += numel;
    b.sent += dtci_round_up(numel, r->s.world);
    b.kept += dtci_ceil_div(numel, r->s.world);
    add_tensor(&b, i);
    if (b.kept >= r->s.sub_group) {
      put_batch(v, &b);
      b = (dtc_batch){0};
    }
  }
  if (b.tensors != 0)
    put_batch(v, &b);
}

uint64_t dtci_largest_sub_group(const dtci_reading *r)
{
  batches v = {NULL, 0, 0, 0};
  put_sub_groups(r, &v);
  return v.largest;
}

static dtc_status sub_groups(const dtci_reading *r, batches *v, dtc_error *e)
{
  if (!dtci_is_zero3(&r->s))
    return dtci_fail_scheme(&r->s, e);
  put_sub_groups(r, v);
  return DTC_OK;
}

dtc_status dtc_shards_sub_groups(const dtc_shards *shards, const dtc_shape *shapes, size_t n_shapes,
                                 const dtc_slot *slots, size_t n_slots, dtc_batch *out, size_t cap, size_t *count,
                                 dtc_error *err)
{
  dtc_error e;
  dtci_reading r;
  batches v = {out, cap, 0, 0};
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = dtci_read_in(shards, shapes, n_shapes, slots, n_slots, &r, &e);
  s = s != DTC_OK ? s : sub_groups(&r, &v, &e);
  return dtci_end(s != DTC_OK ? s : end_batches(&v, count, &e), &e, err);
}

static dtc_status persistent(const dtc_shards *shards, const dtc_shape *shapes, size_t n, uint64_t *tensors,
                             uint64_t *elements, dtc_error *e)
{
  dtci_reading r = {.shapes = shapes, .n = n};
  dtc_batch b = {0};
  batches v = {&b, 1, 0, 0};
  TRY(dtci_shards_in(shards, &r.s, e));
  TRY(dtci_shapes_in(shapes, n, &r.numel, e));
  if (!dtci_is_zero3(&r.s))
    return dtci_fail_scheme(&r.s, e);
  put_persistent(&r, &v);
  *tensors = b.tensors;
  *elements = b.elements;
  return DTC_OK;
}

dtc_status dtc_shards_persistent(const dtc_shards *shards, const dtc_shape *shapes, size_t n_shapes, uint64_t *tensors,
                                 uint64_t *elements, dtc_error *err)
{
  dtc_error e;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  return dtci_end(persistent(shards, shapes, n_shapes, tensors, elements, &e), &e, err);
}

/* The padded tensor cut over hpz consecutive ranks; what a cut that does not divide it leaves over nobody holds. */
static dtc_status secondary(const dtci_reading *r, uint64_t rank, dtc_fragment *out, size_t cap, size_t *count,
                            uint64_t *elements, dtc_error *e)
{
  uint64_t hpz = r->s.hpz;
  uint64_t sum = 0;
  size_t n = 0;
  if (!dtci_is_zero3(&r->s))
    return dtci_fail_scheme(&r->s, e);
  if (rank >= r->s.world)
    return dtci_fail_range(e, DTCI_ARG(RANK), rank, 0, r->s.world - 1);
  for (size_t i = 0; hpz > 1 && i < r->n; i++) {
    const dtc_slot *slot = &r->slots[i];
    uint64_t numel = dtci_numel(&r->shapes[i]);
    uint64_t padded = slot->bucket_end - slot->bucket_start;
    if (padded != dtci_round_up(numel, r->s.world))
      return dtci_fail(e, DTC_E_CONFLICT, DTC_RULE_SLOTS, DTCI_ARG(SLOTS), i);
    uint64_t part = padded / hpz;
    uint64_t begin = rank % hpz * part;
    sum += part;
    if (begin >= numel || part == 0)
      continue;
    uint64_t length = numel - begin < part ? numel - begin : part;
    if (n < cap)
      out[n] = (dtc_fragment){.tensor = (uint32_t)i, .bucket = slot->bucket, .tensor_offset = begin, .length = length};
    n++;
  }
  *count = n;
  if (n > cap)
    return dtci_fail_space(e, cap, n);
  *elements = sum;
  return DTC_OK;
}

dtc_status dtc_shards_secondary(const dtc_shards *shards, const dtc_shape *shapes, size_t n_shapes,
                                const dtc_slot *slots, size_t n_slots, uint64_t rank, dtc_fragment *out, size_t cap,
                                size_t *count, uint64_t *elements, dtc_error *err)
{
  dtc_error e;
  dtci_reading r;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = dtci_read_in(shards, shapes, n_shapes, slots, n_slots, &r, &e);
  return dtci_end(s != DTC_OK ? s : secondary(&r, rank, out, cap, count, elements, &e), &e, err);
}

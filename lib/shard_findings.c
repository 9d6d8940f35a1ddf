/* What surprises in a layout, as warnings with numbers.
 * Sources: DeepSpeed edaa7221 runtime/zero/stage_1_and_2.py (average_tensor, grads_in_partition), bf16_optimizer.py, stage3.py,
 * partitioned_param_coordinator.py; PyTorch 2.15 distributed/fsdp/_fully_shard/_fsdp_param.py, csrc
 * distributed/c10d/reducer.cpp (compute_bucket_assignment_by_size); Megatron-LM d98e8a64 megatron/training/training.py,
 * core/optimizer/distrib_optimizer.py, layer_wise_optimizer.py, core/distributed/fsdp/src/megatron_fsdp; ColossalAI 4f9953be
 * zero/low_level/low_level_optim.py, zero/gemini/chunk/search_utils.py. */
#include "internal/shard.h"

/* What findings are read off. */
typedef struct checked {
  const dtci_reading *r;
  dtc_tracing k;
  dtc_shard_totals t;
  uint64_t touched; /* zero12: elements of the gradients that a rank keeps, at most */
} checked;

/* Which schemes a rule is about. */
typedef struct about {
  dtc_rule rule;
  uint32_t schemes;
  uint32_t least_world;
} about;

#define IN(x) (1u << DTC_SHARD_SCHEME_##x)
#define EVERY UINT32_MAX

static const about rules[] = {
    {DTC_RULE_SHARD_REDUCE, IN(ZERO12) | IN(BF16) | IN(ZERO3) | IN(LOW_LEVEL_ZERO), 2},
    {DTC_RULE_SHARD_WHOLE, IN(ZERO12), 2},
    {DTC_RULE_SHARD_LIVE, IN(ZERO3) | IN(MICS), 2},
    {DTC_RULE_SHARD_ROWS, IN(FSDP2), 2},
    {DTC_RULE_SHARD_PADDING, IN(LAYERWISE) | IN(MEGATRON_FSDP) | IN(MEGATRON_FSDP2) | IN(GEMINI), 1},
    {DTC_RULE_SHARD_GATHER, IN(LOW_LEVEL_ZERO), 2},
    {DTC_RULE_SHARD_LARGE, IN(DDP), 2},
    {DTC_RULE_SHARD_DEFAULT, IN(DISTOPT), 1},
    {DTC_RULE_SHARD_IDLE, EVERY, 2},
    {DTC_RULE_SHARD_PARTS, IN(DISTOPT), 2},
};

/* Numbers of a warning: what there is, and what there would be or should be. */
static int warn(dtc_error *f, uint32_t field, uint64_t got, uint64_t min)
{
  f->field = field;
  f->got = got;
  f->min = min;
  return 1;
}

static void name_tensor(dtc_error *f, size_t tensor)
{
  f->other = DTCI_ARG(TENSOR);
  f->other_got = tensor;
}

static size_t largest_tensor(const dtci_reading *r)
{
  size_t largest = 0;
  for (size_t i = 1; i < r->n; i++)
    if (dtci_numel(&r->shapes[i]) > dtci_numel(&r->shapes[largest]))
      largest = i;
  return largest;
}

/* ---- DeepSpeed --------------------------------------------------------------------------------- */

/* The setting that makes an all-reduce of it; 0: gradients are reduced to their owners. */
static uint32_t reduces_by(const dtc_shards *s)
{
  if (s->scheme == DTC_SHARD_SCHEME_ZERO12)
    return s->multi_rank == DTC_BOOL_ON ? DTC_FIELD(shards, multi_rank) : 0;
  if (s->scheme == DTC_SHARD_SCHEME_ZERO3)
    return s->reduce_scatter == DTC_BOOL_OFF ? DTC_FIELD(shards, reduce_scatter) : 0;
  if (s->scheme == DTC_SHARD_SCHEME_LOW_LEVEL_ZERO)
    return s->stage == 1 ? DTC_FIELD(shards, stage) : 0;
  return DTC_FIELD(shards, scheme);
}

/* Elements in a ring, without its factor (world - 1) / world: an all-reduce is a reduce-scatter and an all-gather. */
static int find_reduce(const checked *c, dtc_error *f)
{
  const dtc_shards *s = &c->r->s;
  uint32_t field = reduces_by(s);
  int padded = s->scheme == DTC_SHARD_SCHEME_BF16 || s->scheme == DTC_SHARD_SCHEME_LOW_LEVEL_ZERO;
  uint64_t elements = padded ? c->t.padded : c->t.numel;
  return field != 0 && elements != 0 && warn(f, field, 2 * elements, elements);
}

/* Whole tensors that touch a part are at least twice the part: no world makes them less than the largest tensor. */
static int find_whole(const checked *c, dtc_error *f)
{
  name_tensor(f, largest_tensor(c->r));
  return c->touched > 2 * c->t.per_rank && warn(f, DTC_FIELD(shards, world), c->touched, c->t.per_rank);
}

/* Prefetching goes on while fewer than max_live elements are whole, not counting the persistent ones; what is used again
 * within max_reuse is not released, and the whole iteration uses each tensor twice. */
static int find_live(const checked *c, dtc_error *f)
{
  uint64_t counted = 0;
  uint64_t reused = c->k.max_reuse / 2;
  if (c->k.first_step == DTC_BOOL_ON || c->t.numel == 0)
    return 0;
  for (size_t i = 0; i < c->r->n; i++) {
    uint64_t numel = dtci_numel(&c->r->shapes[i]);
    counted += dtci_persists(&c->r->s, numel) ? 0 : numel;
  }
  if (c->k.prefetch != 0 && counted < c->k.max_live)
    return warn(f, DTC_FIELD(tracing, max_live), c->t.numel, c->k.max_live != DTC_NONE ? c->k.max_live : c->t.numel);
  return c->t.numel <= reused && warn(f, DTC_FIELD(tracing, max_reuse), c->t.numel, reused);
}

/* ---- FSDP2 ------------------------------------------------------------------------------------- */

/* Elements that rank 0 holds of a tensor beyond those of the last rank. */
static uint64_t unevenness(const dtc_shape *shape, uint64_t world)
{
  uint64_t rows = dtci_ceil_div(shape->rows, world);
  uint64_t before = rows * (world - 1);
  uint64_t last = before < shape->rows ? shape->rows - before : 0;
  return (rows - last) * shape->cols;
}

/* Worlds next to it that divide the rows of every tensor. */
static void find_worlds(const dtci_reading *r, dtc_error *f)
{
  const uint64_t most = UINT64_C(1) << 32;
  uint64_t common = 0;
  for (size_t i = 0; i < r->n; i++)
    if (dtci_numel(&r->shapes[i]) != 0)
      common = dtci_common_divisor(common, r->shapes[i].rows);
  for (uint64_t d = 1; d * d <= common; d++) {
    if (common % d != 0)
      continue;
    for (uint64_t k = 0; k < 2; k++) {
      uint64_t world = k == 0 ? d : common / d;
      if (world > 1 && world < r->s.world && (f->lower == DTC_NONE || world > f->lower))
        f->lower = world;
      if (world > r->s.world && world <= most && world < f->upper) /* DTC_NONE is the greatest */
        f->upper = world;
    }
  }
}

static int find_rows(const checked *c, dtc_error *f)
{
  const dtci_reading *r = c->r;
  size_t worst = 0;
  if (c->t.most == c->t.least)
    return 0;
  for (size_t i = 1; i < r->n; i++)
    if (unevenness(&r->shapes[i], r->s.world) > unevenness(&r->shapes[worst], r->s.world))
      worst = i;
  name_tensor(f, worst);
  find_worlds(r, f);
  return warn(f, DTC_FIELD(shards, world), c->t.most, c->t.least);
}

/* ---- buckets ----------------------------------------------------------------------------------- */

static int find_padding(const checked *c, dtc_error *f)
{
  const uint64_t most = UINT64_C(1) << 50; /* of a quotient: a hundred times it fits */
  uint64_t numel = c->t.numel;
  uint64_t padding = c->t.padded - numel;
  if (c->t.padded < numel || numel == 0 || padding <= numel / 10)
    return 0;
  f->other_got = dtci_smaller(padding / numel, most) * 100 + padding % numel * 100 / numel;
  int gemini = c->r->s.scheme == DTC_SHARD_SCHEME_GEMINI;
  return warn(f, gemini ? DTC_FIELD(shards, min_chunk) : DTC_FIELD(shards, world), c->t.padded, numel);
}

static int find_gather(const checked *c, dtc_error *f)
{
  uint64_t largest = dtci_largest_gather(c->r);
  f->other = DTC_FIELD(shards, world);
  f->other_got = c->r->s.world;
  return largest > c->r->s.bucket && warn(f, DTC_FIELD(shards, bucket), largest, c->r->s.bucket);
}

static uint64_t bytes_of(const dtci_reading *r, size_t i, uint64_t elements)
{
  int bad = 0;
  uint64_t bytes = dtci_mul(elements, dtci_dtype_bytes(dtci_dtype_of(&r->s, &r->shapes[i])), &bad);
  return bad ? DTC_NONE : bytes;
}

/* A bucket closes behind the tensor that fills it, so that it is no smaller than any of its tensors. */
static int find_large(const checked *c, dtc_error *f)
{
  const dtci_reading *r = c->r;
  uint64_t bucket = 0;
  uint64_t tensor = 0;
  for (size_t i = 0; i < r->n; i++) {
    uint64_t whole = bytes_of(r, i, r->slots[i].bucket_end - r->slots[i].bucket_start);
    uint64_t own = bytes_of(r, i, dtci_numel(&r->shapes[i]));
    bucket = whole > bucket ? whole : bucket;
    if (own <= tensor)
      continue;
    tensor = own;
    name_tensor(f, i);
  }
  return tensor > r->s.bucket && warn(f, DTC_FIELD(shards, bucket), bucket, r->s.bucket);
}

/* ---- Megatron's default ------------------------------------------------------------------------ */

/* Checkpoints of the form dp_reshardable load where every bucket holds as much as before. */
static int find_default(const checked *c, dtc_error *f)
{
  const dtc_shards *s = &c->r->s;
  uint64_t smallest = dtci_default_bucket(s->scheme, 1);
  if (s->bucket != dtci_default_bucket(s->scheme, s->world) || !dtci_buckets_cut(c->r, smallest))
    return 0;
  int grows = s->bucket > smallest;
  f->max = grows ? s->world : smallest / dtci_bucket_per_rank(s->scheme);
  return warn(f, DTC_FIELD(shards, bucket), s->bucket, grows ? s->world : 1);
}

/* ---- ranks and parts without elements ---------------------------------------------------------- */

static int find_idle(const checked *c, dtc_error *f)
{
  uint64_t world = c->r->s.world;
  return c->t.empty != 0 && c->t.numel != 0 && warn(f, DTC_FIELD(shards, world), c->t.empty, world - c->t.empty);
}

static int find_parts(const checked *c, dtc_error *f)
{
  uint64_t first = 0;
  uint64_t empty = dtci_empty_parts(c->r->shapes, c->r->slots, c->r->n, c->r->s.world, &first);
  return empty != 0 && warn(f, DTC_FIELD(shards, world), empty, first);
}

/* ---- all of them ------------------------------------------------------------------------------- */

static int find(const checked *c, const about *a, dtc_error *f)
{
  if ((a->schemes >> c->r->s.scheme & 1) == 0 || c->r->s.world < a->least_world)
    return 0;
  dtci_fail(f, DTC_E_CONFLICT, a->rule, 0, DTC_NONE);
  f->severity = DTC_SEVERITY_WARNING;
  switch (a->rule) {
  case DTC_RULE_SHARD_REDUCE:
    return find_reduce(c, f);
  case DTC_RULE_SHARD_WHOLE:
    return find_whole(c, f);
  case DTC_RULE_SHARD_LIVE:
    return find_live(c, f);
  case DTC_RULE_SHARD_ROWS:
    return find_rows(c, f);
  case DTC_RULE_SHARD_PADDING:
    return find_padding(c, f);
  case DTC_RULE_SHARD_GATHER:
    return find_gather(c, f);
  case DTC_RULE_SHARD_LARGE:
    return find_large(c, f);
  case DTC_RULE_SHARD_DEFAULT:
    return find_default(c, f);
  case DTC_RULE_SHARD_IDLE:
    return find_idle(c, f);
  default:
    return find_parts(c, f);
  }
}

static dtc_status read_all(checked *c, const dtc_tracing *tracing, uint64_t *scratch, size_t n_scratch, dtc_error *e)
{
  const dtci_reading *r = c->r;
  const size_t calls_most = 1 << 24;
  dtc_tracing defaults = {.struct_size = sizeof defaults};
  TRY(dtci_tracing_in(tracing != NULL ? tracing : &defaults, calls_most, &c->k, e));
  TRY(dtci_scratch_in(scratch, n_scratch, dtci_scratch_of(&r->s, r->n), e));
  if (r->s.scheme == DTC_SHARD_SCHEME_ZERO12 || r->s.scheme == DTC_SHARD_SCHEME_DISTOPT)
    TRY(dtci_check_even(r, e));
  TRY(dtci_totals(r, scratch, &c->t, e));
  c->touched = r->s.scheme == DTC_SHARD_SCHEME_ZERO12 ? dtci_largest_accumulator(r, scratch) : 0;
  return DTC_OK;
}

static dtc_status check(const checked *c, dtc_error *findings, size_t cap, size_t *count, dtc_error *e)
{
  size_t n = 0;
  if (cap != 0)
    TRY(dtci_out_ok(findings, DTC_STRUCT_error, e));
  for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
    dtc_error finding;
    if (!find(c, &rules[i], &finding))
      continue;
    if (n < cap)
      TRY(dtci_out_at(findings, n, DTC_STRUCT_error, &finding, e));
    n++;
  }
  *count = n;
  return n <= cap ? DTC_OK : dtci_fail_space(e, cap, n);
}

dtc_status dtc_shards_check(const dtc_shards *shards, const dtc_shape *shapes, size_t n_shapes, const dtc_slot *slots,
                            size_t n_slots, const dtc_tracing *tracing, dtc_error *findings, size_t cap, size_t *count,
                            uint64_t *scratch, size_t n_scratch, dtc_error *err)
{
  dtc_error e;
  dtci_reading r;
  checked c = {.r = &r};
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = dtci_read_in(shards, shapes, n_shapes, slots, n_slots, &r, &e);
  if (s == DTC_OK)
    s = read_all(&c, tracing, scratch, n_scratch, &e);
  return dtci_end(s != DTC_OK ? s : check(&c, findings, cap, count, &e), &e, err);
}

/* Shardings: defaults, layouts by family, and what is read off the slots. */
#include "internal/model.h"
#include "internal/plan.h"
#include "internal/shard.h"

enum { TENSORS_MOST = 1 << 24 };

uint64_t dtci_dtype_bytes(dtc_dtype dtype)
{
  static const uint8_t bytes[] = {2, 2, 2, 4, 1, 8};
  return bytes[dtype];
}

dtc_dtype dtci_dtype_of(const dtc_shards *s, const dtc_shape *shape)
{
  return shape->dtype != DTC_DTYPE_DEFAULT ? shape->dtype : s->dtype;
}

/* ---- schemes --------------------------------------------------------------------------------- */

/* What a scheme has: its framework, the size of its bucket, and which settings it reads. Sources: DeepSpeed edaa7221
 * runtime/zero/config.py; PyTorch torch/nn/parallel/distributed.py; Megatron-LM d98e8a64 megatron/training/training.py
 * (the larger of 40 M and 1 M per rank); ColossalAI 4f9953be zero/low_level/low_level_optim.py. */
enum {
  READS_STAGE = 1 << 0,
  READS_BUCKET = 1 << 1,
  READS_ZERO3 = 1 << 2,
  READS_GEMINI = 1 << 3,
  READS_ROUND = 1 << 4,
  READS_ORIG = 1 << 5,
  READS_BUSBW = 1 << 6,
  READS_DDP = 1 << 7,
  READS_FSDP = 1 << 8,
  READS_SYNC = 1 << 9,
  READS_ACCUM = 1 << 10,
};

typedef struct scheme_row {
  dtc_framework framework;
  uint32_t reads;
  uint64_t bucket;
  uint64_t bucket_per_rank;
} scheme_row;

static const scheme_row schemes[] = {
    [DTC_SHARD_SCHEME_ZERO12] = {DTC_FRAMEWORK_DEEPSPEED, READS_STAGE | READS_BUCKET | READS_ROUND | READS_ACCUM,
                                 500000000, 0},
    [DTC_SHARD_SCHEME_BF16] = {DTC_FRAMEWORK_DEEPSPEED, READS_BUCKET, 500000000, 0},
    [DTC_SHARD_SCHEME_ZERO3] = {DTC_FRAMEWORK_DEEPSPEED, READS_BUCKET | READS_ZERO3 | READS_ACCUM, 500000000, 0},
    [DTC_SHARD_SCHEME_MICS] = {DTC_FRAMEWORK_DEEPSPEED, READS_BUCKET | READS_ZERO3 | READS_ACCUM, 500000000, 0},
    [DTC_SHARD_SCHEME_DDP] = {DTC_FRAMEWORK_PYTORCH, READS_BUCKET | READS_DDP | READS_SYNC, 25 << 20, 0},
    [DTC_SHARD_SCHEME_FSDP1] = {DTC_FRAMEWORK_PYTORCH, READS_ORIG | READS_FSDP | READS_SYNC, 0, 0},
    [DTC_SHARD_SCHEME_FSDP2] = {DTC_FRAMEWORK_PYTORCH, READS_FSDP | READS_SYNC, 0, 0},
    [DTC_SHARD_SCHEME_WHOLE] = {DTC_FRAMEWORK_PYTORCH, 0, 0, 0},
    [DTC_SHARD_SCHEME_OSS] = {DTC_FRAMEWORK_DEFAULT, 0, 0, 0},
    [DTC_SHARD_SCHEME_DISTOPT] = {DTC_FRAMEWORK_MEGATRON, READS_BUCKET | READS_BUSBW, 40000000, 1000000},
    [DTC_SHARD_SCHEME_ALLREDUCE] = {DTC_FRAMEWORK_MEGATRON, READS_BUCKET, 40000000, 1000000},
    [DTC_SHARD_SCHEME_LAYERWISE] = {DTC_FRAMEWORK_MEGATRON, READS_BUCKET | READS_BUSBW, 40000000, 1000000},
    [DTC_SHARD_SCHEME_MEGATRON_FSDP] = {DTC_FRAMEWORK_MEGATRON, READS_BUCKET, 40000000, 1000000},
    [DTC_SHARD_SCHEME_MEGATRON_FSDP2] = {DTC_FRAMEWORK_MEGATRON, 0, 0, 0},
    [DTC_SHARD_SCHEME_GEMINI] = {DTC_FRAMEWORK_COLOSSALAI, READS_GEMINI, 0, 0},
    [DTC_SHARD_SCHEME_LOW_LEVEL_ZERO] = {DTC_FRAMEWORK_COLOSSALAI, READS_STAGE | READS_BUCKET, 12 << 20, 0},
};

/* Settings with their defaults, and what a scheme must read to have them. */
typedef struct setting {
  uint32_t reads;
  uint32_t offset;
  uint64_t value;
} setting;

#define AT(x) (uint32_t) offsetof(dtc_shards, x)

static const setting numbers[] = {
    {READS_STAGE, AT(stage), 1},
    {READS_ZERO3, AT(sub_group), 1000000000},
    {READS_ZERO3, AT(persistence), 100000},
    {READS_ZERO3, AT(hpz), 0},
    {READS_GEMINI, AT(min_chunk), UINT64_C(32) << 20},
    {READS_GEMINI, AT(search_range), UINT64_C(32) << 20},
    {READS_GEMINI, AT(interval), 1024},
};

static const setting switches[] = {
    {READS_ROUND, AT(round_robin), DTC_BOOL_OFF},   {READS_ROUND, AT(multi_rank), DTC_BOOL_ON},
    {READS_ZERO3, AT(reduce_scatter), DTC_BOOL_ON}, {READS_ORIG, AT(orig_params), DTC_BOOL_ON},
    {READS_BUSBW, AT(high_busbw), DTC_BOOL_OFF},    {READS_DDP, AT(first_step), DTC_BOOL_OFF},
    {READS_GEMINI, AT(keep_large), DTC_BOOL_OFF},   {READS_FSDP, AT(reshard), DTC_BOOL_ON},
    {READS_ACCUM, AT(contiguous), DTC_BOOL_ON},
};

static dtc_status fail_setting(uint32_t offset, uint64_t got, dtc_error *e)
{
  return dtci_fail(e, DTC_E_UNSUPPORTED, DTC_RULE_SHARD_SETTING, (uint32_t)DTC_STRUCT_shards << 16 | offset, got);
}

/* Fills a setting's default, or refuses one that the scheme has not. What it has not stays 0. */
static dtc_status fill_number(dtc_shards *s, const setting *set, uint32_t reads, dtc_error *e)
{
  uint64_t *v = (uint64_t *)(void *)((unsigned char *)s + set->offset);
  if ((reads & set->reads) == 0)
    return *v == 0 ? DTC_OK : fail_setting(set->offset, *v, e);
  *v = *v != 0 ? *v : set->value;
  return DTC_OK;
}

static dtc_status fill_switch(dtc_shards *s, const setting *set, uint32_t reads, dtc_error *e)
{
  dtc_bool *v = (dtc_bool *)(void *)((unsigned char *)s + set->offset);
  if ((reads & set->reads) == 0)
    return *v != DTC_BOOL_ON ? DTC_OK : fail_setting(set->offset, *v, e);
  *v = *v != DTC_BOOL_DEFAULT ? *v : (dtc_bool)set->value;
  return DTC_OK;
}

uint64_t dtci_bucket_per_rank(dtc_shard_scheme scheme)
{
  return schemes[scheme].bucket_per_rank;
}

uint64_t dtci_default_bucket(dtc_shard_scheme scheme, uint64_t world)
{
  uint64_t per_rank = schemes[scheme].bucket_per_rank * world;
  return schemes[scheme].bucket > per_rank ? schemes[scheme].bucket : per_rank;
}

static dtc_status fill_bucket(dtc_shards *s, const scheme_row *row, dtc_error *e)
{
  if ((row->reads & READS_BUCKET) == 0)
    return s->bucket == 0 ? DTC_OK : fail_setting(AT(bucket), s->bucket, e);
  if ((row->reads & READS_DDP) == 0 && s->first_bucket != 0)
    return fail_setting(AT(first_bucket), s->first_bucket, e);
  int unlimited = s->first_step == DTC_BOOL_ON && s->bucket == 0; /* but with find_unused_parameters */
  if (row->reads & READS_DDP && unlimited)
    s->bucket = DTC_NONE;
  if (row->reads & READS_DDP && s->first_bucket == 0)
    s->first_bucket = s->bucket != 0 ? s->bucket : 1 << 20;
  if (s->bucket == 0)
    s->bucket = dtci_default_bucket(s->scheme, s->world);
  return DTC_OK;
}

static dtc_status fill(dtc_shards *s, dtc_error *e)
{
  if (s->scheme == DTC_SHARD_SCHEME_DEFAULT)
    s->scheme = DTC_SHARD_SCHEME_ZERO12;
  const scheme_row *row = &schemes[s->scheme];
  uint32_t newest = row->framework != DTC_FRAMEWORK_DEFAULT ? dtci_frameworks[row->framework].version : DTC_MAIN;
  if (s->version == 0)
    s->version = newest;
  if (s->version > newest && s->version != DTC_MAIN)
    return dtci_fail_range(e, DTC_FIELD(shards, version), s->version, 0, newest);
  if (s->dtype == DTC_DTYPE_DEFAULT)
    s->dtype = DTC_DTYPE_BF16;
  if (s->grad_dtype == DTC_DTYPE_DEFAULT)
    s->grad_dtype = row->framework == DTC_FRAMEWORK_MEGATRON ? DTC_DTYPE_FP32 : s->dtype;
  if ((row->reads & READS_ACCUM) == 0 && s->grad_accum != DTC_DTYPE_DEFAULT)
    return fail_setting(AT(grad_accum), s->grad_accum, e);
  if (row->reads & READS_ACCUM && s->grad_accum == DTC_DTYPE_DEFAULT)
    s->grad_accum = s->dtype;
  s->world = s->world != 0 ? s->world : 1;
  s->replicas = s->replicas != 0 ? s->replicas : 1;
  TRY(fill_bucket(s, row, e));
  for (uint32_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
    TRY(fill_number(s, &numbers[i], row->reads, e));
  for (uint32_t i = 0; i < sizeof switches / sizeof switches[0]; i++)
    TRY(fill_switch(s, &switches[i], row->reads, e));
  setting sync = {READS_SYNC, AT(every_micro), row->reads & READS_FSDP ? DTC_BOOL_ON : DTC_BOOL_OFF};
  return fill_switch(s, &sync, row->reads, e);
}

dtc_status dtci_shards_in(const dtc_shards *shards, dtc_shards *out, dtc_error *e)
{
  TRY(dtci_in(out, DTC_STRUCT_shards, shards, e));
  return fill(out, e);
}

dtc_status dtc_shards_resolve(const dtc_shards *shards, dtc_shards *out, dtc_error *err)
{
  dtc_error e;
  dtc_shards s;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status status = dtci_shards_in(shards, &s, &e);
  return dtci_end(status != DTC_OK ? status : dtci_out(out, DTC_STRUCT_shards, &s, &e), &e, err);
}

/* The scheme of each framework for each sharding of a plan; ColossalAI's ddp and fsdp are PyTorch's, by its plugins.
 * DeepSpeed reduces whole gradients in a way of its own without ZeRO, which is no scheme here. */
static dtc_shard_scheme scheme_of(const dtc_plan *p)
{
  switch (p->framework) {
  case DTC_FRAMEWORK_MEGATRON:
    if (p->sharding == DTC_SHARDING_FSDP)
      return DTC_SHARD_SCHEME_MEGATRON_FSDP;
    return p->sharding == DTC_SHARDING_DISTOPT ? DTC_SHARD_SCHEME_DISTOPT : DTC_SHARD_SCHEME_ALLREDUCE;
  case DTC_FRAMEWORK_COLOSSALAI:
    if (p->sharding == DTC_SHARDING_DDP)
      return DTC_SHARD_SCHEME_DDP;
    if (p->sharding == DTC_SHARDING_FSDP)
      return DTC_SHARD_SCHEME_FSDP1;
    return p->sharding == DTC_SHARDING_ZERO3 ? DTC_SHARD_SCHEME_GEMINI : DTC_SHARD_SCHEME_LOW_LEVEL_ZERO;
  case DTC_FRAMEWORK_DEEPSPEED:
    if (p->sharding == DTC_SHARDING_DDP)
      return DTC_SHARD_SCHEME_DEFAULT;
    return p->sharding == DTC_SHARDING_ZERO3 ? DTC_SHARD_SCHEME_ZERO3 : DTC_SHARD_SCHEME_ZERO12;
  case DTC_FRAMEWORK_SCALING: /* flat parts as DeepSpeed's (core/optimizer/parameter_group.py) */
    return p->sharding == DTC_SHARDING_ZERO1 ? DTC_SHARD_SCHEME_ZERO12 : DTC_SHARD_SCHEME_DEFAULT;
  default:
    if (p->sharding == DTC_SHARDING_DDP)
      return DTC_SHARD_SCHEME_DDP;
    return p->sharding == DTC_SHARDING_ZERO1 ? DTC_SHARD_SCHEME_WHOLE : DTC_SHARD_SCHEME_FSDP2;
  }
}

static dtc_status shards_of(const dtc_plan *p, dtc_shards *s, dtc_error *e)
{
  DTC_INIT(s);
  s->scheme = scheme_of(p);
  if (s->scheme == DTC_SHARD_SCHEME_DEFAULT)
    return dtci_fail(e, DTC_E_UNSUPPORTED, DTC_RULE_SHARD_SCHEME, DTC_FIELD(plan, sharding), p->sharding);
  s->version = schemes[s->scheme].framework == p->framework ? p->framework_version : 0;
  s->dtype = p->precision == DTC_PRECISION_FP32   ? DTC_DTYPE_FP32
             : p->precision == DTC_PRECISION_FP16 ? DTC_DTYPE_FP16
                                                  : DTC_DTYPE_BF16;
  if (p->framework == DTC_FRAMEWORK_MEGATRON && p->grad_dtype == DTC_GRAD_DTYPE_16BIT)
    s->grad_dtype = s->dtype;
  uint64_t ranks = p->dp * p->cp;
  s->world = p->sharding == DTC_SHARDING_DDP ? ranks : p->dp_shard;
  s->replicas = ranks / s->world;
  int staged = s->scheme == DTC_SHARD_SCHEME_ZERO12 || s->scheme == DTC_SHARD_SCHEME_LOW_LEVEL_ZERO;
  if (staged)
    s->stage = p->sharding == DTC_SHARDING_ZERO2 ? 2 : 1;
  return DTC_OK;
}

dtc_status dtc_shards_from_plan(const dtc_model *model, const dtc_cluster *cluster, const dtc_plan *plan,
                                dtc_shards *out, dtc_error *err)
{
  dtc_error e;
  dtci_case c;
  dtc_shards s;
  dtc_shards filled;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status status = dtci_case_legal(&c, model, cluster, plan, &e);
  if (status == DTC_OK)
    status = shards_of(&c.plan, &s, &e);
  if (status == DTC_OK)
    status = dtci_shards_in(&s, &filled, &e);
  return dtci_end(status != DTC_OK ? status : dtci_out(out, DTC_STRUCT_shards, &filled, &e), &e, err);
}

/* ---- reading the caller's arrays ------------------------------------------------------------- */

static dtc_status check_record(const dtc_shape *shape, dtc_error *e)
{
  const uint64_t most = UINT64_C(1) << 40;
  if (shape->rows > most)
    return dtci_fail_range(e, DTC_FIELD(shape, rows), shape->rows, 0, most);
  if (shape->cols > most)
    return dtci_fail_range(e, DTC_FIELD(shape, cols), shape->cols, 0, most);
  if (shape->dims > 8)
    return dtci_fail_range(e, DTC_FIELD(shape, dims), shape->dims, 0, 8);
  if (shape->dtype > DTC_DTYPE_FP64)
    return dtci_fail_range(e, DTC_FIELD(shape, dtype), shape->dtype, 0, DTC_DTYPE_FP64);
  if (shape->shared > 1)
    return dtci_fail_range(e, DTC_FIELD(shape, shared), shape->shared, 0, 1);
  if (shape->cut > DTC_CUT_COLS)
    return dtci_fail_range(e, DTC_FIELD(shape, cut), shape->cut, 0, DTC_CUT_COLS);
  return DTC_OK;
}

/* Elements of everything together: padding included they stay below 2^63. */
static const uint64_t numel_most = UINT64_C(1) << 56;

static dtc_status check_shapes_length(const dtc_shape *shapes, size_t n, dtc_error *e)
{
  if (n > TENSORS_MOST || (shapes == NULL && n != 0))
    return dtci_fail_range(e, DTCI_ARG(SHAPES), n, 0, shapes != NULL ? TENSORS_MOST : 0);
  return DTC_OK;
}

dtc_status dtci_shapes_in(const dtc_shape *shapes, size_t n, uint64_t *numel, dtc_error *e)
{
  int bad = 0;
  TRY(check_shapes_length(shapes, n, e));
  *numel = 0;
  for (size_t i = 0; i < n; i++) {
    TRY(check_record(&shapes[i], e));
    *numel = dtci_add(*numel, dtci_mul(shapes[i].rows, shapes[i].cols, &bad), &bad);
    if (bad || *numel > numel_most)
      return dtci_fail_overflow(e, DTC_FIELD(shape, rows), shapes[i].rows);
  }
  return DTC_OK;
}

/* Does the slot hold its tensor, in a bucket that the ranks can share? */
static int slot_fits(const dtc_shards *s, const dtc_shape *shape, const dtc_slot *slot)
{
  int ordered =
      slot->bucket_start <= slot->start && slot->start <= slot->bucket_end && slot->bucket_end <= DTCI_END_MOST;
  if (!ordered || slot->bucket_end - slot->start < dtci_numel(shape))
    return 0;
  if (slot->owner == DTC_EVENLY)
    return (slot->bucket_end - slot->bucket_start) % s->world == 0;
  return slot->owner == DTC_EVERYWHERE || slot->owner < s->world;
}

static dtc_status check_slots_length(size_t n, const dtc_slot *slots, size_t n_slots, dtc_error *e)
{
  if (n_slots != n || (slots == NULL && n != 0))
    return dtci_fail_range(e, DTCI_ARG(SLOTS), slots != NULL ? n_slots : 0, n, n);
  return DTC_OK;
}

dtc_status dtci_slots_in(const dtc_shards *s, const dtc_shape *shapes, size_t n, const dtc_slot *slots, size_t n_slots,
                         dtc_error *e)
{
  TRY(check_slots_length(n, slots, n_slots, e));
  for (size_t i = 0; i < n; i++)
    if (!slot_fits(s, &shapes[i], &slots[i]))
      return dtci_fail(e, DTC_E_CONFLICT, DTC_RULE_SLOTS, DTCI_ARG(SLOTS), i);
  return DTC_OK;
}

dtc_status dtci_tensor_in(dtci_reading *r, size_t n_slots, uint64_t tensor, dtc_error *e)
{
  TRY(check_shapes_length(r->shapes, r->n, e));
  TRY(check_slots_length(r->n, r->slots, n_slots, e));
  if (tensor >= r->n)
    return dtci_fail_range(e, DTCI_ARG(TENSOR), tensor, 0, r->n != 0 ? r->n - 1 : 0);
  TRY(dtci_shapes_in(&r->shapes[tensor], 1, &r->numel, e));
  if (!slot_fits(&r->s, &r->shapes[tensor], &r->slots[tensor]))
    return dtci_fail(e, DTC_E_CONFLICT, DTC_RULE_SLOTS, DTCI_ARG(SLOTS), tensor);
  return DTC_OK;
}

/* ---- layout ---------------------------------------------------------------------------------- */

static dtc_status lay(const dtci_laying *l, dtc_error *e)
{
  switch (l->s->scheme) {
  case DTC_SHARD_SCHEME_ZERO12:
  case DTC_SHARD_SCHEME_BF16:
    return dtci_lay_flat(l, e);
  case DTC_SHARD_SCHEME_DDP:
    return dtci_lay_ddp(l, e);
  case DTC_SHARD_SCHEME_FSDP1:
    return dtci_lay_flat_param(l, e);
  case DTC_SHARD_SCHEME_FSDP2:
    return dtci_lay_rows(l, e);
  case DTC_SHARD_SCHEME_WHOLE:
  case DTC_SHARD_SCHEME_OSS:
    return dtci_lay_whole(l, e);
  case DTC_SHARD_SCHEME_DISTOPT:
    return dtci_lay_distopt(l, e);
  case DTC_SHARD_SCHEME_ALLREDUCE:
    return dtci_lay_allreduce(l, e);
  case DTC_SHARD_SCHEME_LAYERWISE:
    return dtci_lay_layerwise(l, e);
  case DTC_SHARD_SCHEME_MEGATRON_FSDP:
  case DTC_SHARD_SCHEME_MEGATRON_FSDP2:
    return dtci_lay_megatron_fsdp(l, e);
  case DTC_SHARD_SCHEME_GEMINI:
    return dtci_lay_gemini(l, e);
  default:
    return dtci_lay_tensors(l, e);
  }
}

/* Events of dtc_shards_totals(), room to sort them, and a sum per bucket; what the layouts that sort or balance need is
 * less, but for the layer-wise one, which keeps three loads per rank. */
uint64_t dtci_scratch_of(const dtc_shards *s, size_t n)
{
  return 17 * (uint64_t)n + (s->scheme == DTC_SHARD_SCHEME_LAYERWISE ? 3 * s->world : 0);
}

dtc_status dtc_shards_scratch(const dtc_shards *shards, size_t tensors, uint64_t *needed, dtc_error *err)
{
  dtc_error e;
  dtc_shards s;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status status = dtci_shards_in(shards, &s, &e);
  if (status == DTC_OK && tensors > TENSORS_MOST)
    status = dtci_fail_range(&e, DTCI_ARG(SHAPES), tensors, 0, TENSORS_MOST);
  if (status == DTC_OK)
    *needed = dtci_scratch_of(&s, tensors);
  return dtci_end(status, &e, err);
}

static dtc_status layout(const dtc_shards *shards, const dtc_shape *shapes, size_t n, dtc_slot *slots, size_t cap,
                         size_t *count, uint64_t *scratch, size_t n_scratch, dtc_error *e)
{
  dtc_shards s;
  uint64_t numel = 0;
  TRY(dtci_shards_in(shards, &s, e));
  TRY(dtci_shapes_in(shapes, n, &numel, e));
  TRY(dtci_scratch_in(scratch, n_scratch, dtci_scratch_of(&s, n), e));
  if (cap < n) {
    *count = n;
    return dtci_fail_space(e, cap, n);
  }
  dtci_laying l = {&s, shapes, n, slots, scratch};
  TRY(lay(&l, e));
  *count = n;
  return DTC_OK;
}

dtc_status dtc_shards_layout(const dtc_shards *shards, const dtc_shape *shapes, size_t n_shapes, dtc_slot *slots,
                             size_t cap, size_t *count, uint64_t *scratch, size_t n_scratch, dtc_error *err)
{
  dtc_error e;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  return dtci_end(layout(shards, shapes, n_shapes, slots, cap, count, scratch, n_scratch, &e), &e, err);
}

static dtc_status shapes_of(const dtc_model *model, dtc_shape *shapes, size_t cap, size_t *count, dtc_error *e)
{
  uint64_t tensors = 0;
  TRY(dtc_model_tensor_count(model, &tensors, e));
  if (cap < tensors) {
    *count = dtci_count(tensors);
    return dtci_fail_space(e, cap, tensors);
  }
  for (uint64_t i = 0; i < tensors; i++) {
    dtc_tensor t;
    DTC_INIT(&t);
    TRY(dtc_model_tensor(model, i, &t, e));
    shapes[i] = (dtc_shape){.rows = t.dim0, .cols = t.dim1 * t.dim2, .dims = (uint32_t)t.dims};
  }
  *count = dtci_count(tensors);
  return DTC_OK;
}

dtc_status dtc_shards_shapes(const dtc_model *model, dtc_shape *shapes, size_t cap, size_t *count, dtc_error *err)
{
  dtc_error e;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  return dtci_end(shapes_of(model, shapes, cap, count, &e), &e, err);
}

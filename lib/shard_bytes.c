/* Bytes of a rank by item, and what offloading moves and holds.
 * Sources: DeepSpeed edaa7221 runtime/zero/stage_1_and_2.py, bf16_optimizer.py, stage3.py, partition_parameters.py,
 * offload_config.py; PyTorch 2.15 torch/nn/parallel/distributed.py, fsdp/_flat_param.py, _fully_shard; Megatron-LM d98e8a64
 * core/optimizer/distrib_optimizer.py, core/distributed; ColossalAI 4f9953be zero/gemini, zero/low_level. Adam with fp32
 * states: 4 bytes of master weight, 8 of moments. */
#include "internal/shard.h"

enum { MASTER = 4, MOMENTS = 8, FP32 = 4 };

/* What the bytes of a rank are made of. */
typedef struct counts {
  const dtci_reading *r;
  dtci_sums sums;
  uint64_t touched; /* whole elements of the tensors that touch the rank's part (zero12) */
  uint64_t micro;
  uint64_t b; /* bytes of a weight */
  uint64_t g; /* bytes of a gradient */
} counts;

/* ZeRO-1 and 2: gradients of a part are accumulated in whole tensors. Stage 1 keeps all gradients until the last backward;
 * stage 2 with more than one micro-batch a list of its own and a buffer. The step flattens them and casts to fp32. */
static void flat_bytes(const counts *c, dtc_shard_bytes *o)
{
  uint64_t bucket = dtci_smaller(c->r->s.bucket, c->sums.numel);
  o->weights = c->b * c->sums.padded;
  o->master = MASTER * c->sums.part;
  o->moments = MOMENTS * c->sums.part;
  if (c->r->s.stage == 1)
    o->gradients = c->g * c->sums.numel;
  else
    o->gradients = c->g * c->touched * (c->micro > 1 ? 2 : 1);
  o->buckets = c->r->s.stage == 2 ? c->g * bucket : 0;
  o->reduce = c->g * c->sums.largest_reduced * (c->r->s.stage == 2 ? 1 : 2);
  o->step = c->g * c->sums.part + FP32 * c->sums.part + (c->r->s.stage == 1 ? c->g * c->touched : 0);
  o->step_request = FP32 * c->sums.part;
}

/* BF16_Optimizer keeps a whole fp32 gradient, and casts it for the reduction. */
static void bf16_bytes(const counts *c, dtc_shard_bytes *o)
{
  o->weights = c->b * c->sums.padded;
  o->master = MASTER * c->sums.part;
  o->moments = MOMENTS * c->sums.part;
  o->gradients = FP32 * c->sums.padded;
  o->reduce = c->g * c->sums.padded;
}

/* ZeRO-3: the bucket is always there; a reduce-scatter makes a copy of it in which each rank's parts lie together. */
static void zero3_bytes(const counts *c, dtc_shard_bytes *o)
{
  uint64_t part = c->sums.part;
  o->weights = c->b * part;
  o->master = MASTER * part;
  o->moments = MOMENTS * part;
  o->gradients = c->g * part;
  o->buckets = c->g * c->r->s.bucket;
  o->reduce = c->g * c->sums.largest_sent;
  o->gathered = c->b * (c->sums.persistent + c->sums.largest_tensor);
  o->step_request = FP32 * dtci_largest_sub_group(c->r);
  o->step = o->step_request;
  if (c->r->s.hpz > 1)
    o->weights += c->b * ((part * c->r->s.world) / c->r->s.hpz);
}

/* FSDP: fp32 parts are the master weights; units are gathered in the compute type. */
static void fsdp_bytes(const counts *c, dtc_shard_bytes *o)
{
  o->weights = FP32 * c->sums.part;
  o->moments = MOMENTS * c->sums.part;
  o->gradients = FP32 * c->sums.part;
  o->reduce = c->g * c->sums.padded;
  o->gathered = c->b * c->sums.padded;
}

/* Everything whole on every rank; DDP's buckets hold the gradients a second time. */
static void replicated_bytes(const counts *c, dtc_shard_bytes *o)
{
  int ddp = c->r->s.scheme == DTC_SHARD_SCHEME_DDP;
  o->weights = c->b * c->sums.numel;
  o->gradients = c->g * c->sums.numel;
  o->buckets = ddp ? c->g * c->sums.numel : 0;
  o->master = ddp && c->b == FP32 ? 0 : MASTER * c->sums.numel;
  o->moments = MOMENTS * c->sums.numel;
}

/* Whole weights and gradients, states of the tensors that the rank owns. */
static void owned_bytes(const counts *c, uint64_t rank, dtc_shard_bytes *o)
{
  uint64_t held = 0;
  for (size_t i = 0; i < c->r->n; i++)
    held += c->r->slots[i].owner == rank ? dtci_numel(&c->r->shapes[i]) : 0;
  o->weights = c->b * c->sums.numel;
  o->gradients = c->g * c->sums.numel;
  o->master = c->b == FP32 ? 0 : MASTER * held;
  o->moments = MOMENTS * held;
}

/* Megatron's buffers: weights and gradients whole and padded, states of the rank's part. */
static void distopt_bytes(const counts *c, dtc_shard_bytes *o)
{
  o->weights = c->b * c->sums.padded;
  o->gradients = c->g * c->sums.padded;
  o->master = MASTER * c->sums.part;
  o->moments = MOMENTS * c->sums.part;
}

/* Parts of everything; whole buckets are gathered for use, one at a time. */
static void parts_bytes(const counts *c, dtc_shard_bytes *o)
{
  int gemini = c->r->s.scheme == DTC_SHARD_SCHEME_GEMINI; /* gradients take the place of the weights' chunk */
  o->weights = c->b * c->sums.part;
  o->gradients = gemini ? 0 : c->g * c->sums.part;
  o->master = MASTER * c->sums.part;
  o->moments = MOMENTS * c->sums.part;
  o->gathered = c->b * c->sums.largest_bucket;
  o->reduce = gemini ? 0 : c->g * c->sums.largest_bucket;
}

/* Low-level ZeRO: weights whole; the step gathers parts of up to a bucket, times the world. */
static void low_level_bytes(const counts *c, dtc_shard_bytes *o)
{
  o->weights = c->b * c->sums.numel;
  o->gradients = c->g * (c->r->s.stage == 2 ? c->sums.part : c->sums.numel);
  o->master = MASTER * c->sums.part;
  o->moments = MOMENTS * c->sums.part;
  o->reduce = c->g * c->sums.largest_reduced;
  o->step = c->b * dtci_largest_gather(c->r);
}

static void bytes_of(const counts *c, uint64_t rank, dtc_shard_bytes *o)
{
  switch (c->r->s.scheme) {
  case DTC_SHARD_SCHEME_ZERO12:
    flat_bytes(c, o);
    break;
  case DTC_SHARD_SCHEME_BF16:
    bf16_bytes(c, o);
    break;
  case DTC_SHARD_SCHEME_ZERO3:
  case DTC_SHARD_SCHEME_MICS:
    zero3_bytes(c, o);
    break;
  case DTC_SHARD_SCHEME_FSDP1:
  case DTC_SHARD_SCHEME_FSDP2:
    fsdp_bytes(c, o);
    break;
  case DTC_SHARD_SCHEME_DDP:
  case DTC_SHARD_SCHEME_ALLREDUCE:
    replicated_bytes(c, o);
    break;
  case DTC_SHARD_SCHEME_WHOLE:
  case DTC_SHARD_SCHEME_OSS:
    owned_bytes(c, rank, o);
    break;
  case DTC_SHARD_SCHEME_DISTOPT:
  case DTC_SHARD_SCHEME_LAYERWISE:
    distopt_bytes(c, o);
    break;
  case DTC_SHARD_SCHEME_LOW_LEVEL_ZERO:
    low_level_bytes(c, o);
    break;
  default:
    parts_bytes(c, o);
    break;
  }
}

/* Padded elements stay below 2^58, so that no sum of 16 bytes for each overflows. */
static dtc_status count(const dtci_reading *r, uint64_t rank, uint64_t micro, counts *c, dtc_error *e)
{
  const uint64_t most = UINT64_C(1) << 58;
  TRY(dtci_check_range(e, DTCI_ARG(RANK), rank, 0, r->s.world - 1));
  TRY(dtci_check_range(e, DTCI_ARG(MICRO_BATCHES), micro, 1, UINT64_C(1) << 32));
  *c = (counts){.r = r, .micro = micro, .b = dtci_dtype_bytes(r->s.dtype), .g = dtci_dtype_bytes(r->s.grad_dtype)};
  TRY(dtci_sum_up(r, &c->sums, e));
  int allocates = dtci_is_zero3(&r->s) || (r->s.scheme == DTC_SHARD_SCHEME_ZERO12 && r->s.bucket != DTC_NONE);
  uint64_t bucket = allocates ? r->s.bucket : 0;
  if (c->sums.padded > most || c->sums.sent > most || c->sums.gathered > most || bucket > most)
    return dtci_fail_overflow(e, DTC_FIELD(shards, bucket), r->s.bucket);
  if (r->s.scheme == DTC_SHARD_SCHEME_ZERO12)
    c->touched = dtci_accumulator(r, rank);
  return DTC_OK;
}

dtc_status dtc_shards_bytes(const dtc_shards *shards, const dtc_shape *shapes, size_t n_shapes, const dtc_slot *slots,
                            size_t n_slots, uint64_t rank, uint64_t micro_batches, dtc_shard_bytes *out, dtc_error *err)
{
  dtc_error e;
  dtci_reading r;
  counts c;
  dtc_shard_bytes o = {.struct_size = sizeof o};
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = dtci_read_in(shards, shapes, n_shapes, slots, n_slots, &r, &e);
  if (s == DTC_OK)
    s = count(&r, rank, micro_batches, &c, &e);
  if (s == DTC_OK)
    bytes_of(&c, rank, &o);
  return dtci_end(s != DTC_OK ? s : dtci_out(out, DTC_STRUCT_shard_bytes, &o, &e), &e, err);
}

/* ---- DeepSpeed at a moment ------------------------------------------------------------------- */

/* What a moment is: whether steps have been made, and which of a step's backwards has just been. */
typedef struct instant {
  int stepped;
  int backward;
  int last;
} instant;

/* Averaged gradients of a part: the whole tensors that touch it and, of the vector's end, the padding; accumulated in fp32
 * beside 16-bit weights they are the part itself (get_flat_partition, _build_compact_grad_partition_buffer). */
static uint64_t averaged_part(const counts *c, uint64_t rank, uint64_t *compact)
{
  uint64_t end = (rank + 1) * c->sums.part;
  uint64_t begin = rank * c->sums.part;
  uint64_t real = begin > c->sums.numel ? begin : c->sums.numel;
  uint64_t padding = end > real ? end - real : 0;
  *compact = c->r->s.grad_accum == DTC_DTYPE_FP32 && c->b != FP32;
  return *compact ? FP32 * c->sums.part : dtci_dtype_bytes(c->r->s.grad_accum) * (c->touched + padding);
}

/* The bucket is allocated whole, however small the model; an endless one cannot be. */
static uint64_t bucket_of(const counts *c)
{
  return c->r->s.bucket != DTC_NONE ? c->r->s.bucket : c->sums.numel;
}

/* Between micro-batches stage 1 keeps every gradient, and the bucket that the next one will fill; stage 2 what it has of its
 * part. The last backward makes averaged gradients of them, the step frees those. */
static void flat_held(const counts *c, uint64_t rank, const instant *t, dtc_shard_bytes *o)
{
  uint64_t compact;
  uint64_t averaged = averaged_part(c, rank, &compact);
  int open = t->backward && !t->last;
  int contiguous = c->r->s.contiguous == DTC_BOOL_ON;
  o->weights = c->b * c->sums.padded;
  o->params = o->weights;
  if (open && c->r->s.stage == 1) {
    o->gradients = c->b * c->sums.numel;
    o->buckets = contiguous ? c->g * bucket_of(c) : 0;
  } else if (open) {
    o->gradients = compact ? averaged : dtci_dtype_bytes(c->r->s.grad_accum) * c->touched;
    o->averaged = compact ? averaged : 0;
  } else if (t->backward) {
    o->gradients = averaged;
    o->averaged = averaged;
  }
}

/* The buffer of the part's gradients and the bucket are always there. What persists is gathered behind a step, to be whole
 * from then on; of a single rank the weights themselves are. */
static void zero3_held(const counts *c, const instant *t, dtc_shard_bytes *o)
{
  int gathers = t->stepped && c->sums.persistent_tensors != 0;
  int alone = c->r->s.world == 1;
  o->weights = c->b * c->sums.part;
  o->gradients = dtci_dtype_bytes(c->r->s.grad_accum) * c->sums.part;
  o->averaged = t->backward ? o->gradients : 0;
  o->buckets = c->r->s.contiguous == DTC_BOOL_ON ? c->g * c->r->s.bucket : 0;
  o->gathered = gathers && !alone ? c->b * c->sums.persistent : 0;
  o->params = gathers && alone ? o->weights : o->gathered;
}

static dtc_status held_of(const counts *c, uint64_t rank, dtc_shard_moment moment, uint64_t micro, dtc_shard_bytes *o,
                          dtc_error *e)
{
  const dtc_shards *s = &c->r->s;
  int flat = s->scheme == DTC_SHARD_SCHEME_ZERO12;
  TRY(dtci_check_range(e, DTCI_ARG(MOMENT), moment, 0, DTC_SHARD_MOMENT_STEP));
  TRY(dtci_check_range(e, DTCI_ARG(MICRO_BATCH), micro, 0, c->micro - 1));
  if (!flat && s->scheme != DTC_SHARD_SCHEME_ZERO3)
    return dtci_fail_scheme(s, e);
  if (flat && s->stage == 1 && c->b != FP32 && s->grad_accum == DTC_DTYPE_FP32)
    return dtci_fail(e, DTC_E_UNSUPPORTED, DTC_RULE_SHARD_SETTING, DTC_FIELD(shards, grad_accum), s->grad_accum);
  if (s->hpz > 1)
    return dtci_fail(e, DTC_E_UNSUPPORTED, DTC_RULE_SHARD_SETTING, DTC_FIELD(shards, hpz), s->hpz);
  const instant t = {
      .stepped = moment != DTC_SHARD_MOMENT_INIT && moment != DTC_SHARD_MOMENT_FIRST_BACKWARD,
      .backward = moment != DTC_SHARD_MOMENT_INIT && moment != DTC_SHARD_MOMENT_STEP,
      .last = micro == c->micro - 1,
  };
  o->master = MASTER * c->sums.part;
  o->moments = t.stepped ? MOMENTS * c->sums.part : 0;
  if (flat)
    flat_held(c, rank, &t, o);
  else
    zero3_held(c, &t, o);
  return DTC_OK;
}

dtc_status dtc_shards_held(const dtc_shards *shards, const dtc_shape *shapes, size_t n_shapes, const dtc_slot *slots,
                           size_t n_slots, uint64_t rank, uint64_t micro_batches, uint64_t micro_batch,
                           dtc_shard_moment moment, dtc_shard_bytes *out, dtc_error *err)
{
  dtc_error e;
  dtci_reading r;
  counts c;
  dtc_shard_bytes o = {.struct_size = sizeof o};
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = dtci_read_in(shards, shapes, n_shapes, slots, n_slots, &r, &e);
  if (s == DTC_OK)
    s = count(&r, rank, micro_batches, &c, &e);
  if (s == DTC_OK)
    s = held_of(&c, rank, moment, micro_batch, &o, &e);
  return dtci_end(s != DTC_OK ? s : dtci_out(out, DTC_STRUCT_shard_bytes, &o, &e), &e, err);
}

/* ---- offload --------------------------------------------------------------------------------- */

/* ZeRO-1 and 2 with the optimizer on the host: gradients go there in fp32 at the end, with more than one micro-batch those of
 * each micro-batch before, to be added there, and back; updated weights come back. */
void dtci_offload_flat(const dtci_offload_part *x, dtc_offload_bytes *o)
{
  int several = x->micro > 1;
  o->to_host = FP32 * x->part + (several ? x->micro * x->g * x->touched : 0);
  o->to_device = x->b * x->part + (several ? (x->micro - 1) * x->g * x->touched : 0);
  o->host = (MASTER + FP32 + MOMENTS + x->b) * x->part + (several ? x->g * x->touched : 0) + x->g * x->largest;
}

/* ZeRO-3: gradients of each micro-batch go to the host, and from the second on come back first to be added to; updated weights
 * come back; weights on the host come once for forward and once for backward of each micro-batch. */
void dtci_offload_zero3(const dtci_offload_part *x, dtc_offload offload, dtc_offload_bytes *o)
{
  uint64_t part = x->part;
  int nvme = offload == DTC_OFFLOAD_NVME;
  uint64_t passes = offload != DTC_OFFLOAD_OPTIMIZER ? 2 * x->micro : 0;
  o->to_host = x->micro * x->g * part;
  o->to_device = (x->micro - 1) * x->g * part + x->b * part + passes * x->b * part;
  o->host = (FP32 + x->b) * part + (nvme ? 0 : (MASTER + MOMENTS) * part);
  o->host += offload == DTC_OFFLOAD_PARAMS ? x->b * part : 0;
  o->nvme_read = nvme ? (MASTER + MOMENTS) * part + passes * x->b * part : 0;
  o->nvme_write = nvme ? (MASTER + MOMENTS) * part + x->b * part : 0;
  o->nvme = nvme ? (MASTER + MOMENTS + x->b) * part : 0;
}

static dtc_status offload_of(const counts *c, dtc_offload offload, dtc_offload_bytes *o, dtc_error *e)
{
  int zero3 = c->r->s.scheme == DTC_SHARD_SCHEME_ZERO3;
  int flat = c->r->s.scheme == DTC_SHARD_SCHEME_ZERO12;
  TRY(dtci_check_range(e, DTCI_ARG(OFFLOAD), offload, 0, DTC_OFFLOAD_NVME));
  if (offload == DTC_OFFLOAD_DEFAULT)
    return DTC_OK;
  if ((!flat || offload != DTC_OFFLOAD_OPTIMIZER) && !zero3)
    return dtci_fail_scheme(&c->r->s, e);
  if (!dtci_mul_fits(c->micro, 24 * (c->sums.padded + c->touched)))
    return dtci_fail_overflow(e, DTCI_ARG(MICRO_BATCHES), c->micro);
  const dtci_offload_part x = {c->sums.part, c->touched, c->sums.largest_tensor, c->micro, c->b, c->g};
  if (flat)
    dtci_offload_flat(&x, o);
  else
    dtci_offload_zero3(&x, offload, o);
  return DTC_OK;
}

dtc_status dtc_shards_offload(const dtc_shards *shards, const dtc_shape *shapes, size_t n_shapes, const dtc_slot *slots,
                              size_t n_slots, uint64_t rank, uint64_t micro_batches, dtc_offload offload,
                              dtc_offload_bytes *out, dtc_error *err)
{
  dtc_error e;
  dtci_reading r;
  counts c;
  dtc_offload_bytes o = {.struct_size = sizeof o};
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = dtci_read_in(shards, shapes, n_shapes, slots, n_slots, &r, &e);
  if (s == DTC_OK)
    s = count(&r, rank, micro_batches, &c, &e);
  if (s == DTC_OK)
    s = offload_of(&c, offload, &o, &e);
  return dtci_end(s != DTC_OK ? s : dtci_out(out, DTC_STRUCT_offload_bytes, &o, &e), &e, err);
}

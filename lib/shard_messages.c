/* Collectives of the data-parallel axis in an optimizer step.
 * Sources: DeepSpeed edaa7221 runtime/zero/stage_1_and_2.py (all-reduce of whole buckets unless
 * use_multi_rank_bucket_allreduce is off), bf16_optimizer.py, stage3.py, mics.py; PyTorch 2.15
 * torch/nn/parallel/distributed.py, fsdp/_fully_shard; Megatron-LM d98e8a64 core/distributed/param_and_grad_buffer.py,
 * fsdp/src/megatron_fsdp; ColossalAI 4f9953be zero/low_level, zero/gemini; fairscale 146f1602 optim/oss.py. */
#include "internal/shard.h"

/* How many elements a message has, and in how many calls. */
enum {
  SIZE_PADDED,     /* all buckets */
  SIZE_NUMEL,      /* all tensors */
  SIZE_REDUCED,    /* what the reductions hold */
  SIZE_SENT,       /* what they send, padding included */
  SIZE_PART,       /* a rank's part of all buckets */
  SIZE_GATHERED,   /* tensors that do not stay gathered, padded */
  SIZE_PERSISTENT, /* tensors that do, padded */
};
enum {
  CALLS_ONE,
  CALLS_BUCKETS,
  CALLS_REDUCTIONS,
  CALLS_LISTS, /* reductions cut by owner; gathers of the step */
  CALLS_TENSORS,
  CALLS_GATHERED,
  CALLS_PERSISTENT,
  CALLS_HOLDERS, /* ranks that hold whole tensors */
};

/* When a message is there. */
enum {
  IF_ALWAYS,
  IF_STAGE_1,     /* stage 1, multi_rank on where the scheme has it */
  IF_STAGE_1_OWN, /* stage 1, multi_rank off */
  IF_STAGE_2,     /* stage 2, as above */
  IF_STAGE_2_OWN,
  IF_SCATTER, /* reduce_scatter on */
  IF_NO_SCATTER,
  IF_NO_HPZ,
  IF_HPZ,
  IF_RESHARD,
  IF_REPLICAS, /* more than one, in the backward of every micro-batch */
};

/* How often in a step. */
enum { TIMES_ONCE, TIMES_MICRO, TIMES_SYNC }; /* every micro-batch when every_micro is on */

typedef struct message_row {
  uint8_t scheme;
  uint8_t when;
  uint8_t op;
  uint8_t phase;
  uint8_t group;
  uint8_t gradient; /* 1: elements of grad_dtype */
  uint8_t size;
  uint8_t calls;
  uint8_t times;
} message_row;

#define S(x) DTC_SHARD_SCHEME_##x
#define AR DTC_COLLECTIVE_ALL_REDUCE
#define RS DTC_COLLECTIVE_REDUCE_SCATTER
#define AG DTC_COLLECTIVE_ALL_GATHER
#define RE DTC_COLLECTIVE_REDUCE
#define BC DTC_COLLECTIVE_BROADCAST
#define FWD DTC_PHASE_FORWARD
#define BWD DTC_PHASE_BACKWARD
#define END DTC_PHASE_BOUNDARY
#define STEP DTC_PHASE_STEP
#define ALL DTC_SHARD_GROUP_WORLD
#define REP DTC_SHARD_GROUP_REPLICAS
#define HPZ DTC_SHARD_GROUP_HPZ

static const message_row rows[] = {
    {S(ZERO12), IF_STAGE_1, AR, END, ALL, 1, SIZE_REDUCED, CALLS_REDUCTIONS, TIMES_ONCE},
    {S(ZERO12), IF_STAGE_1_OWN, RE, END, ALL, 1, SIZE_REDUCED, CALLS_LISTS, TIMES_ONCE},
    {S(ZERO12), IF_STAGE_2, AR, BWD, ALL, 1, SIZE_REDUCED, CALLS_REDUCTIONS, TIMES_MICRO},
    {S(ZERO12), IF_STAGE_2_OWN, RE, BWD, ALL, 1, SIZE_REDUCED, CALLS_LISTS, TIMES_MICRO},
    {S(ZERO12), IF_ALWAYS, AG, STEP, ALL, 0, SIZE_PADDED, CALLS_ONE, TIMES_ONCE},
    {S(BF16), IF_ALWAYS, AR, END, ALL, 1, SIZE_PADDED, CALLS_ONE, TIMES_ONCE},
    {S(BF16), IF_ALWAYS, AG, STEP, ALL, 0, SIZE_PADDED, CALLS_ONE, TIMES_ONCE},
    {S(ZERO3), IF_ALWAYS, AG, FWD, ALL, 0, SIZE_GATHERED, CALLS_GATHERED, TIMES_MICRO},
    {S(ZERO3), IF_NO_HPZ, AG, BWD, ALL, 0, SIZE_GATHERED, CALLS_GATHERED, TIMES_MICRO},
    {S(ZERO3), IF_HPZ, AG, BWD, HPZ, 0, SIZE_GATHERED, CALLS_GATHERED, TIMES_MICRO},
    {S(ZERO3), IF_SCATTER, RS, BWD, ALL, 1, SIZE_SENT, CALLS_REDUCTIONS, TIMES_MICRO},
    {S(ZERO3), IF_NO_SCATTER, AR, BWD, ALL, 1, SIZE_REDUCED, CALLS_REDUCTIONS, TIMES_MICRO},
    {S(ZERO3), IF_ALWAYS, AG, STEP, ALL, 0, SIZE_PERSISTENT, CALLS_PERSISTENT, TIMES_ONCE},
    {S(MICS), IF_ALWAYS, AG, FWD, ALL, 0, SIZE_GATHERED, CALLS_GATHERED, TIMES_MICRO},
    {S(MICS), IF_ALWAYS, AG, BWD, ALL, 0, SIZE_GATHERED, CALLS_GATHERED, TIMES_MICRO},
    {S(MICS), IF_ALWAYS, RS, BWD, ALL, 1, SIZE_SENT, CALLS_REDUCTIONS, TIMES_MICRO},
    {S(MICS), IF_REPLICAS, AR, END, REP, 1, SIZE_PART, CALLS_ONE, TIMES_ONCE},
    {S(MICS), IF_ALWAYS, AG, STEP, ALL, 0, SIZE_PERSISTENT, CALLS_PERSISTENT, TIMES_ONCE},
    {S(DDP), IF_ALWAYS, AR, BWD, ALL, 1, SIZE_NUMEL, CALLS_BUCKETS, TIMES_SYNC},
    {S(FSDP1), IF_ALWAYS, AG, FWD, ALL, 0, SIZE_PADDED, CALLS_ONE, TIMES_MICRO},
    {S(FSDP1), IF_RESHARD, AG, BWD, ALL, 0, SIZE_PADDED, CALLS_ONE, TIMES_MICRO},
    {S(FSDP1), IF_ALWAYS, RS, BWD, ALL, 1, SIZE_PADDED, CALLS_ONE, TIMES_SYNC},
    {S(FSDP1), IF_REPLICAS, AR, BWD, REP, 1, SIZE_PART, CALLS_ONE, TIMES_SYNC},
    {S(FSDP2), IF_ALWAYS, AG, FWD, ALL, 0, SIZE_PADDED, CALLS_ONE, TIMES_MICRO},
    {S(FSDP2), IF_RESHARD, AG, BWD, ALL, 0, SIZE_PADDED, CALLS_ONE, TIMES_MICRO},
    {S(FSDP2), IF_ALWAYS, RS, BWD, ALL, 1, SIZE_PADDED, CALLS_ONE, TIMES_SYNC},
    {S(FSDP2), IF_REPLICAS, AR, BWD, REP, 1, SIZE_PART, CALLS_ONE, TIMES_SYNC},
    {S(WHOLE), IF_ALWAYS, AR, BWD, ALL, 1, SIZE_NUMEL, CALLS_ONE, TIMES_ONCE},
    {S(WHOLE), IF_ALWAYS, BC, STEP, ALL, 0, SIZE_NUMEL, CALLS_HOLDERS, TIMES_ONCE},
    {S(OSS), IF_ALWAYS, AR, BWD, ALL, 1, SIZE_NUMEL, CALLS_ONE, TIMES_ONCE},
    {S(OSS), IF_ALWAYS, BC, STEP, ALL, 0, SIZE_NUMEL, CALLS_TENSORS, TIMES_ONCE},
    {S(DISTOPT), IF_ALWAYS, RS, BWD, ALL, 1, SIZE_PADDED, CALLS_BUCKETS, TIMES_ONCE},
    {S(DISTOPT), IF_REPLICAS, AR, BWD, REP, 1, SIZE_PART, CALLS_BUCKETS, TIMES_ONCE},
    {S(DISTOPT), IF_ALWAYS, AG, STEP, ALL, 0, SIZE_PADDED, CALLS_BUCKETS, TIMES_ONCE},
    {S(ALLREDUCE), IF_ALWAYS, AR, BWD, ALL, 1, SIZE_PADDED, CALLS_BUCKETS, TIMES_ONCE},
    {S(LAYERWISE), IF_ALWAYS, RS, BWD, ALL, 1, SIZE_PADDED, CALLS_BUCKETS, TIMES_ONCE},
    {S(LAYERWISE), IF_ALWAYS, AG, STEP, ALL, 0, SIZE_PADDED, CALLS_BUCKETS, TIMES_ONCE},
    {S(MEGATRON_FSDP), IF_ALWAYS, AG, FWD, ALL, 0, SIZE_PADDED, CALLS_BUCKETS, TIMES_MICRO},
    {S(MEGATRON_FSDP), IF_ALWAYS, AG, BWD, ALL, 0, SIZE_PADDED, CALLS_BUCKETS, TIMES_MICRO},
    {S(MEGATRON_FSDP), IF_ALWAYS, RS, BWD, ALL, 1, SIZE_PADDED, CALLS_BUCKETS, TIMES_MICRO},
    {S(MEGATRON_FSDP2), IF_ALWAYS, AG, FWD, ALL, 0, SIZE_PADDED, CALLS_BUCKETS, TIMES_MICRO},
    {S(MEGATRON_FSDP2), IF_ALWAYS, AG, BWD, ALL, 0, SIZE_PADDED, CALLS_BUCKETS, TIMES_MICRO},
    {S(MEGATRON_FSDP2), IF_ALWAYS, RS, BWD, ALL, 1, SIZE_PADDED, CALLS_BUCKETS, TIMES_MICRO},
    {S(GEMINI), IF_ALWAYS, AG, FWD, ALL, 0, SIZE_PADDED, CALLS_BUCKETS, TIMES_MICRO},
    {S(GEMINI), IF_ALWAYS, AG, BWD, ALL, 0, SIZE_PADDED, CALLS_BUCKETS, TIMES_MICRO},
    {S(GEMINI), IF_ALWAYS, RS, BWD, ALL, 1, SIZE_PADDED, CALLS_BUCKETS, TIMES_MICRO},
    {S(LOW_LEVEL_ZERO), IF_STAGE_1, AR, END, ALL, 1, SIZE_PADDED, CALLS_REDUCTIONS, TIMES_ONCE},
    {S(LOW_LEVEL_ZERO), IF_STAGE_2, RS, BWD, ALL, 1, SIZE_PADDED, CALLS_REDUCTIONS, TIMES_MICRO},
    {S(LOW_LEVEL_ZERO), IF_ALWAYS, AG, STEP, ALL, 0, SIZE_PADDED, CALLS_LISTS, TIMES_ONCE},
};

/* ---- messages -------------------------------------------------------------------------------- */

static int is_there(const dtc_shards *s, uint8_t when)
{
  int own = s->multi_rank == DTC_BOOL_OFF && s->scheme == DTC_SHARD_SCHEME_ZERO12;
  switch (when) {
  case IF_STAGE_1:
    return s->stage == 1 && !own;
  case IF_STAGE_1_OWN:
    return s->stage == 1 && own;
  case IF_STAGE_2:
    return s->stage == 2 && !own;
  case IF_STAGE_2_OWN:
    return s->stage == 2 && own;
  case IF_SCATTER:
    return s->reduce_scatter == DTC_BOOL_ON;
  case IF_NO_SCATTER:
    return s->reduce_scatter == DTC_BOOL_OFF;
  case IF_HPZ:
    return s->hpz > 1;
  case IF_NO_HPZ:
    return s->hpz <= 1;
  case IF_RESHARD:
    return s->reshard == DTC_BOOL_ON;
  case IF_REPLICAS:
    return s->replicas > 1;
  default:
    return 1;
  }
}

static uint64_t size_of(const dtci_sums *sums, uint8_t size)
{
  const uint64_t sizes[] = {
      [SIZE_PADDED] = sums->padded,
      [SIZE_NUMEL] = sums->numel,
      [SIZE_REDUCED] = sums->reduced,
      [SIZE_SENT] = sums->sent,
      [SIZE_PART] = sums->part,
      [SIZE_GATHERED] = sums->gathered,
      [SIZE_PERSISTENT] = sums->persistent,
  };
  return sizes[size];
}

static uint64_t calls_of(const dtci_reading *r, const dtci_sums *sums, uint8_t calls)
{
  const uint64_t all[] = {
      [CALLS_ONE] = 1,
      [CALLS_BUCKETS] = sums->buckets,
      [CALLS_REDUCTIONS] = sums->reductions,
      [CALLS_LISTS] = sums->lists,
      [CALLS_TENSORS] = r->n,
      [CALLS_GATHERED] = sums->gathered_tensors,
      [CALLS_PERSISTENT] = sums->persistent_tensors,
      [CALLS_HOLDERS] = dtci_smaller(r->n, r->s.world),
  };
  return all[calls];
}

static dtc_status message_of(const dtci_reading *r, const dtci_sums *sums, const message_row *row, uint64_t micro,
                             dtc_message *m, dtc_error *e)
{
  int bad = 0;
  int sync = row->times == TIMES_MICRO || (row->times == TIMES_SYNC && r->s.every_micro == DTC_BOOL_ON);
  uint64_t times = sync ? micro : 1;
  uint64_t bytes = dtci_dtype_bytes(row->gradient ? r->s.grad_dtype : r->s.dtype);
  uint64_t calls = calls_of(r, sums, row->calls);
  uint64_t once = dtci_mul(size_of(sums, row->size), bytes, &bad);
  if (r->s.scheme == DTC_SHARD_SCHEME_DDP) /* each tensor in its own type */
    once = sums->bytes;
  *m = (dtc_message){.op = row->op, .phase = row->phase, .group = row->group};
  m->bytes = dtci_mul(once, times, &bad);
  m->calls = calls != DTC_NONE ? dtci_mul(calls, times, &bad) : DTC_NONE;
  return bad ? dtci_fail_overflow(e, DTCI_ARG(MICRO_BATCHES), micro) : DTC_OK;
}

static dtc_status messages(const dtci_reading *r, uint64_t micro, dtc_message *out, size_t cap, size_t *count,
                           dtc_error *e)
{
  dtci_sums sums;
  size_t n = 0;
  TRY(dtci_check_range(e, DTCI_ARG(MICRO_BATCHES), micro, 1, UINT64_C(1) << 32));
  TRY(dtci_sum_up(r, &sums, e));
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    dtc_message m;
    if (rows[i].scheme != r->s.scheme || !is_there(&r->s, rows[i].when))
      continue;
    TRY(message_of(r, &sums, &rows[i], micro, &m, e));
    if (m.bytes == 0)
      continue;
    if (n < cap)
      out[n] = m;
    n++;
  }
  *count = n;
  return n <= cap ? DTC_OK : dtci_fail_space(e, cap, n);
}

dtc_status dtc_shards_messages(const dtc_shards *shards, const dtc_shape *shapes, size_t n_shapes,
                               const dtc_slot *slots, size_t n_slots, uint64_t micro_batches, dtc_message *out,
                               size_t cap, size_t *count, dtc_error *err)
{
  dtc_error e;
  dtci_reading r;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = dtci_read_in(shards, shapes, n_shapes, slots, n_slots, &r, &e);
  return dtci_end(s != DTC_OK ? s : messages(&r, micro_batches, out, cap, count, &e), &e, err);
}

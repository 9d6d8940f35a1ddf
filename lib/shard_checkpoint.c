/* Checkpoints: which forms a scheme has, bytes, files, times.
 * Sources: DeepSpeed edaa7221 runtime/engine.py, checkpoint/ds_to_universal.py (a file per tensor and state),
 * checkpoint/universal_checkpoint.py and runtime/zero/stage3.py (each rank reads whole tensors, stage 3 all of them);
 * Megatron-LM d98e8a64 megatron/core/optimizer/distrib_optimizer.py and dist_checkpointing/strategies/torch.py; PyTorch
 * 2.15 torch/distributed/checkpoint/filesystem.py. */
#include "internal/reshard.h"

/* ---- forms ----------------------------------------------------------------------------------- */

#define HAS(form) (1u << DTC_CHECKPOINT_FORM_##form)

/* Forms that a scheme writes, the one it writes when not told otherwise, and the one that loads at any world. Schemes
 * without a row keep whole tensors on one rank or another, and write them as such. */
typedef struct form_row {
  uint32_t has;
  dtc_checkpoint_form usual;
  dtc_checkpoint_form general;
} form_row;

#define DEEPSPEED_FORMS                                                                                                \
  {                                                                                                                    \
    HAS(NATIVE) | HAS(ELASTIC) | HAS(UNIVERSAL), DTC_CHECKPOINT_FORM_NATIVE, DTC_CHECKPOINT_FORM_UNIVERSAL             \
  }
#define TORCH_FORMS                                                                                                    \
  {                                                                                                                    \
    HAS(DCP), DTC_CHECKPOINT_FORM_DCP, DTC_CHECKPOINT_FORM_DCP                                                         \
  }

static const form_row forms[DTC_SHARD_SCHEME_LOW_LEVEL_ZERO + 1] = {
    [DTC_SHARD_SCHEME_ZERO12] = DEEPSPEED_FORMS,
    [DTC_SHARD_SCHEME_BF16] = {HAS(NATIVE) | HAS(UNIVERSAL), DTC_CHECKPOINT_FORM_NATIVE, DTC_CHECKPOINT_FORM_UNIVERSAL},
    [DTC_SHARD_SCHEME_ZERO3] = DEEPSPEED_FORMS,
    [DTC_SHARD_SCHEME_MICS] = {HAS(NATIVE), DTC_CHECKPOINT_FORM_NATIVE, DTC_CHECKPOINT_FORM_NATIVE},
    [DTC_SHARD_SCHEME_DDP] = TORCH_FORMS,
    [DTC_SHARD_SCHEME_FSDP1] = TORCH_FORMS,
    [DTC_SHARD_SCHEME_FSDP2] = TORCH_FORMS,
    [DTC_SHARD_SCHEME_DISTOPT] = {HAS(DP_RESHARDABLE) | HAS(FULLY_RESHARDABLE), DTC_CHECKPOINT_FORM_DP_RESHARDABLE,
                                  DTC_CHECKPOINT_FORM_FULLY_RESHARDABLE},
    [DTC_SHARD_SCHEME_ALLREDUCE] = {HAS(FULLY_RESHARDABLE), DTC_CHECKPOINT_FORM_FULLY_RESHARDABLE,
                                    DTC_CHECKPOINT_FORM_FULLY_RESHARDABLE},
    [DTC_SHARD_SCHEME_MEGATRON_FSDP] = TORCH_FORMS,
    [DTC_SHARD_SCHEME_MEGATRON_FSDP2] = TORCH_FORMS,
};

int dtci_has_form(const dtc_shards *s, dtc_checkpoint_form form)
{
  return form <= DTC_CHECKPOINT_FORM_DCP && (forms[s->scheme].has >> form & 1) != 0;
}

dtc_checkpoint_form dtci_form_general(const dtc_shards *s)
{
  return forms[s->scheme].general;
}

dtc_status dtci_form_in(const dtc_shards *s, dtc_checkpoint_form form, dtc_checkpoint_form *out, dtc_error *e)
{
  if (form > DTC_CHECKPOINT_FORM_DCP)
    return dtci_fail_range(e, DTCI_ARG(FORM), form, 0, DTC_CHECKPOINT_FORM_DCP);
  *out = form != DTC_CHECKPOINT_FORM_DEFAULT ? form : forms[s->scheme].usual;
  if (dtci_has_form(s, *out))
    return DTC_OK;
  dtci_fail(e, DTC_E_UNSUPPORTED, DTC_RULE_RESHARD_FORM, DTCI_ARG(FORM), form);
  e->other = DTC_FIELD(shards, scheme);
  e->other_got = s->scheme;
  return DTC_E_UNSUPPORTED;
}

/* ---- bytes ------------------------------------------------------------------------------------ */

enum { MASTER_BYTES = 4, MOMENTS_BYTES = 8, STATES_BYTES = MASTER_BYTES + MOMENTS_BYTES };

/* What the estimate is made of. */
typedef struct making {
  dtci_reading r;
  dtc_shard_totals t;
  uint64_t stored;  /* elements of states that are written */
  uint64_t largest; /* elements of the largest tensor */
  uint64_t weights; /* bytes of the weights */
} making;

/* Stage 3 writes its parts with their padding, Megatron its vectors with the gaps between tensors. */
static uint64_t stored(const making *m, dtc_checkpoint_form form, uint64_t *seen, int *bad)
{
  uint64_t sum = 0;
  if (form == DTC_CHECKPOINT_FORM_NATIVE && dtci_is_zero3(&m->r.s))
    return m->t.padded;
  if (form != DTC_CHECKPOINT_FORM_DP_RESHARDABLE)
    return m->t.numel;
  for (size_t i = 0; i < m->r.n; i++)
    seen[i] = 0;
  for (size_t i = 0; i < m->r.n; i++) {
    uint64_t size = m->r.slots[i].bucket_end - m->r.slots[i].bucket_start;
    if (seen[m->r.slots[i].bucket]++ == 0) /* numbers of buckets are below n: the sums were made of them */
      sum = dtci_add(sum, m->r.slots[i].used < size ? m->r.slots[i].used : size, bad);
  }
  return sum;
}

/* Files: DeepSpeed's states of each rank, and weights of the first or with stage 3 of each; the universal form fp32,
 * exp_avg, exp_avg_sq and step of each tensor; Megatron two files of each rank and its three indexes; torch one, and an
 * index. */
static uint64_t files_of(const making *m, dtc_checkpoint_form form)
{
  switch (form) {
  case DTC_CHECKPOINT_FORM_UNIVERSAL:
    return 4 * (uint64_t)m->r.n + 1;
  case DTC_CHECKPOINT_FORM_DP_RESHARDABLE:
  case DTC_CHECKPOINT_FORM_FULLY_RESHARDABLE:
    return 2 * m->r.s.world + 3;
  case DTC_CHECKPOINT_FORM_DCP:
    return m->r.s.world + 1;
  default:
    return dtci_is_zero3(&m->r.s) ? 2 * m->r.s.world : m->r.s.world + 1;
  }
}

/* torch writes the sharded weights and moments of their type, nothing else. */
static void fill_torch(const making *m, dtc_checkpoint *c, int *bad)
{
  uint64_t width = 3 * dtci_dtype_bytes(m->r.s.dtype);
  c->weights = m->weights;
  c->moments = dtci_mul(2, m->weights, bad);
  c->rank_bytes = c->needed = c->read = dtci_mul(m->t.most, width, bad);
  if (m->r.s.scheme == DTC_SHARD_SCHEME_DDP) /* copies are written once; each rank reads all of them */
    c->rank_bytes = dtci_ceil_div(dtci_add(c->weights, c->moments, bad), m->r.s.world);
  c->read_all = m->r.s.scheme == DTC_SHARD_SCHEME_DDP ? dtci_mul(m->r.s.world, c->read, bad)
                                                      : dtci_add(c->weights, c->moments, bad);
}

/* Whole elements of the tensors that a rank's part of the vector touches: of the rank that touches most, and of all ranks. */
typedef struct touched {
  uint64_t most;
  uint64_t all;
} touched;

static dtc_status touch(const making *m, uint64_t *scratch, touched *t, int *bad, dtc_error *e)
{
  TRY(dtci_check_even(&m->r, e));
  *t = (touched){dtci_largest_accumulator(&m->r, scratch), 0};
  for (size_t i = 0; i < m->r.n; i++) {
    uint64_t numel = dtci_numel(&m->r.shapes[i]);
    if (numel == 0)
      continue;
    dtci_cover c = dtci_cover_of(&m->r.slots[i], numel, m->r.s.world);
    t->all = dtci_add(t->all, dtci_mul(numel, c.last - c.first + 1, bad), bad);
  }
  return DTC_OK;
}

/* Stages 1 and 2 write the weights once, from the first rank; stage 3 leaves them out, the fp32 copy serves. */
static dtc_status fill_deepspeed(const making *m, uint64_t *scratch, dtc_checkpoint *c, int *bad, dtc_error *e)
{
  touched t = {m->t.numel, dtci_mul(m->r.s.world, m->t.numel, bad)};
  int flat = m->r.s.scheme == DTC_SHARD_SCHEME_ZERO12 || m->r.s.scheme == DTC_SHARD_SCHEME_BF16;
  uint64_t own = dtci_mul(flat ? m->t.most : m->t.per_rank, STATES_BYTES, bad);
  c->weights = flat ? m->weights : 0;
  c->rank_bytes = dtci_add(own, c->weights, bad);
  c->needed = dtci_mul(m->t.most, STATES_BYTES, bad);
  if (c->form == DTC_CHECKPOINT_FORM_NATIVE) {
    c->read = own;
    c->read_all = dtci_mul(m->stored, STATES_BYTES, bad);
  } else {
    if (flat && c->form == DTC_CHECKPOINT_FORM_UNIVERSAL)
      TRY(touch(m, scratch, &t, bad, e));
    c->read = dtci_mul(t.most, STATES_BYTES, bad);
    c->read_all = dtci_mul(t.all, STATES_BYTES, bad);
  }
  if (c->form == DTC_CHECKPOINT_FORM_UNIVERSAL)
    c->staging = dtci_mul(m->largest, STATES_BYTES, bad);
  return DTC_OK;
}

/* Weights are written by all ranks, each its share. The fully reshardable form gathers all states on the first rank. */
static void fill_megatron(const making *m, dtc_checkpoint *c, int *bad)
{
  uint64_t states = dtci_mul(m->stored, STATES_BYTES, bad);
  uint64_t own = dtci_mul(m->t.most, STATES_BYTES, bad);
  int gathers = c->form == DTC_CHECKPOINT_FORM_FULLY_RESHARDABLE && m->r.s.scheme == DTC_SHARD_SCHEME_DISTOPT;
  int whole = m->r.s.scheme == DTC_SHARD_SCHEME_ALLREDUCE;
  uint64_t share = dtci_ceil_div(m->weights, m->r.s.world);
  c->weights = m->weights;
  c->rank_bytes = dtci_add(share, gathers ? states : whole ? dtci_ceil_div(states, m->r.s.world) : own, bad);
  c->staging = gathers ? states : 0;
  c->needed = c->read = own;
  c->read_all = whole ? dtci_mul(m->r.s.world, states, bad) : states;
}

static dtc_status fill(making *m, double bandwidth, uint64_t *scratch, dtc_checkpoint *c, dtc_error *e)
{
  int bad = 0;
  if (bandwidth != 0)
    TRY(dtci_check_double(e, DTCI_ARG(BANDWIDTH), bandwidth, 1, 1e18));
  m->stored = stored(m, c->form, scratch, &bad);
  for (size_t i = 0; i < m->r.n; i++) {
    uint64_t numel = dtci_numel(&m->r.shapes[i]);
    m->largest = numel > m->largest ? numel : m->largest;
    m->weights += numel * dtci_dtype_bytes(dtci_dtype_of(&m->r.s, &m->r.shapes[i]));
  }
  c->master = c->form != DTC_CHECKPOINT_FORM_DCP ? dtci_mul(m->stored, MASTER_BYTES, &bad) : 0;
  c->moments = c->form != DTC_CHECKPOINT_FORM_DCP ? dtci_mul(m->stored, MOMENTS_BYTES, &bad) : 0;
  if (c->form == DTC_CHECKPOINT_FORM_DCP)
    fill_torch(m, c, &bad);
  else if (c->form == DTC_CHECKPOINT_FORM_DP_RESHARDABLE || c->form == DTC_CHECKPOINT_FORM_FULLY_RESHARDABLE)
    fill_megatron(m, c, &bad);
  else
    TRY(fill_deepspeed(m, scratch, c, &bad, e));
  c->bytes = dtci_add(c->weights, dtci_add(c->master, c->moments, &bad), &bad);
  c->files = files_of(m, c->form);
  if (bad)
    return dtci_fail_overflow(e, DTC_FIELD(shards, world), m->r.s.world);
  c->write_seconds = bandwidth > 0 ? (double)c->bytes / bandwidth : 0;
  c->read_seconds = bandwidth > 0 ? (double)c->read_all / bandwidth : 0;
  return DTC_OK;
}

dtc_status dtc_checkpoint_estimate(const dtc_shards *shards, const dtc_shape *shapes, size_t n_shapes,
                                   const dtc_slot *slots, size_t n_slots, double bandwidth, dtc_checkpoint_form form,
                                   dtc_checkpoint *out, uint64_t *scratch, size_t n_scratch, dtc_error *err)
{
  dtc_error e;
  dtc_checkpoint c = {.struct_size = sizeof c};
  making m = {0};
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = dtci_read_in(shards, shapes, n_shapes, slots, n_slots, &m.r, &e);
  if (s == DTC_OK)
    s = dtci_scratch_in(scratch, n_scratch, dtci_scratch_of(&m.r.s, m.r.n), &e);
  if (s == DTC_OK)
    s = dtci_totals(&m.r, scratch, &m.t, &e);
  if (s == DTC_OK)
    s = dtci_form_in(&m.r.s, form, &c.form, &e);
  if (s == DTC_OK)
    s = fill(&m, bandwidth, scratch, &c, &e);
  return dtci_end(s != DTC_OK ? s : dtci_out(out, DTC_STRUCT_checkpoint, &c, &e), &e, err);
}

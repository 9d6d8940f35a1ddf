/* Collectives, bytes and offload of a step: held against a replay of the schedule, micro-batch by micro-batch. */
#include "check.h"

#include <stdlib.h>

enum { TENSORS = 24, MESSAGES = 8 };

typedef struct job {
  dtc_shards s; /* resolved */
  dtc_shape shapes[TENSORS];
  dtc_slot slots[TENSORS];
  size_t n;
} job;

static void lay(job *j)
{
  uint64_t *scratch, needed = 0;
  size_t count = 0;
  dtc_error e;
  DTC_INIT(&e);
  check_ok(dtc_shards_resolve(&j->s, &j->s, &e), &e);
  check_ok(dtc_shards_scratch(&j->s, j->n, &needed, &e), &e);
  scratch = malloc(sizeof *scratch * (needed + 1));
  check_ok(dtc_shards_layout(&j->s, j->shapes, j->n, j->slots, TENSORS, &count, scratch, needed, &e), &e);
  free(scratch);
}

static job job_of(dtc_shard_scheme scheme, uint64_t world)
{
  static const uint64_t rows[] = {7, 1, 64, 3, 128, 5, 16, 1, 9, 32};
  static const uint64_t cols[] = {13, 40, 8, 1, 4, 100, 1, 1, 11, 32};
  job j = {.n = 10};
  DTC_INIT(&j.s);
  j.s.scheme = scheme;
  j.s.world = world;
  for (size_t i = 0; i < j.n; i++)
    j.shapes[i] = (dtc_shape){.rows = rows[i], .cols = cols[i]};
  return j;
}

static uint64_t numel(const job *j, size_t i)
{
  return j->shapes[i].rows * j->shapes[i].cols;
}

static uint64_t all(const job *j)
{
  uint64_t sum = 0;
  for (size_t i = 0; i < j->n; i++)
    sum += numel(j, i);
  return sum;
}

static uint64_t up(uint64_t x, uint64_t to)
{
  return (x + to - 1) / to * to;
}

static size_t messages(const job *j, uint64_t micro, dtc_message *m)
{
  size_t count = 0;
  dtc_error e;
  DTC_INIT(&e);
  check_ok(dtc_shards_messages(&j->s, j->shapes, j->n, j->slots, j->n, micro, m, MESSAGES, &count, &e), &e);
  return count;
}

/* What a replay adds up: bytes and calls by operation, phase and group. */
typedef struct replay {
  uint64_t bytes[6][5][3];
  uint64_t calls[6][5][3];
} replay;

static void add(replay *r, dtc_collective op, dtc_phase phase, dtc_shard_group group, uint64_t bytes)
{
  r->bytes[op][phase][group] += bytes;
  r->calls[op][phase][group] += bytes != 0;
}

static void check_replay(const job *j, uint64_t micro, const replay *r)
{
  dtc_message m[MESSAGES];
  replay left = *r;
  size_t n = messages(j, micro, m);
  for (size_t i = 0; i < n; i++) {
    assert_int_equal(m[i].bytes, left.bytes[m[i].op][m[i].phase][m[i].group]);
    assert_int_equal(m[i].calls, left.calls[m[i].op][m[i].phase][m[i].group]);
    left.bytes[m[i].op][m[i].phase][m[i].group] = 0;
    left.calls[m[i].op][m[i].phase][m[i].group] = 0;
  }
  for (int op = 0; op < 6; op++)
    for (int phase = 0; phase < 5; phase++)
      for (int group = 0; group < 3; group++)
        assert_int_equal(left.bytes[op][phase][group], 0);
}

#define AR DTC_COLLECTIVE_ALL_REDUCE
#define RS DTC_COLLECTIVE_REDUCE_SCATTER
#define AG DTC_COLLECTIVE_ALL_GATHER
#define RE DTC_COLLECTIVE_REDUCE
#define BC DTC_COLLECTIVE_BROADCAST

/* ---- replays ----------------------------------------------------------------------------------------------------- */

static void reduce_flat(const job *j, replay *r, dtc_phase phase)
{
  uint64_t held = 0, part = j->slots[0].bucket_end / j->s.world;
  for (size_t i = j->n; i-- > 0;) {
    int closes = held + numel(j, i) > j->s.bucket && held != 0;
    if (j->s.multi_rank == DTC_BOOL_ON && closes)
      add(r, AR, phase, 0, 2 * held);
    held = (closes ? 0 : held) + numel(j, i);
    if (i == 0 && j->s.multi_rank == DTC_BOOL_ON)
      add(r, AR, phase, 0, 2 * held);
  }
  if (j->s.multi_rank == DTC_BOOL_ON)
    return;
  /* one reduce for each owner of a bucket: the vector is walked from its end */
  uint64_t bucket = 0, sum = 0, last = UINT64_MAX;
  for (size_t i = j->n; i-- > 0;) {
    if (bucket + numel(j, i) > j->s.bucket && bucket != 0) {
      add(r, RE, phase, 0, 2 * sum);
      bucket = sum = 0;
      last = UINT64_MAX;
    }
    bucket += numel(j, i);
    for (uint64_t x = numel(j, i); x-- > 0;) {
      uint64_t owner = (j->slots[i].start + x) / part;
      if (owner != last && last != UINT64_MAX) {
        add(r, RE, phase, 0, 2 * sum);
        sum = 0;
      }
      last = owner;
      sum++;
    }
  }
  add(r, RE, phase, 0, 2 * sum);
}

static void zero_1_and_2(void **state)
{
  (void)state;
  for (uint64_t stage = 1; stage <= 2; stage++)
    for (dtc_bool multi = DTC_BOOL_ON; multi <= DTC_BOOL_OFF; multi++)
      for (uint64_t world = 1; world <= 9; world += 2)
        for (uint64_t micro = 1; micro <= 3; micro++) {
          job j = job_of(DTC_SHARD_SCHEME_ZERO12, world);
          replay r = {0};
          j.s.stage = stage;
          j.s.multi_rank = multi;
          j.s.bucket = 600;
          lay(&j);
          for (uint64_t k = 0; k < micro; k++)
            if (stage == 2)
              reduce_flat(&j, &r, DTC_PHASE_BACKWARD);
          if (stage == 1)
            reduce_flat(&j, &r, DTC_PHASE_BOUNDARY);
          add(&r, AG, DTC_PHASE_STEP, 0, 2 * up(all(&j), 2 * world));
          check_replay(&j, micro, &r);
        }
}

static void zero_3(void **state)
{
  (void)state;
  for (int scatter = 0; scatter < 2; scatter++)
    for (uint64_t hpz = 0; hpz <= 2; hpz += 2)
      for (uint64_t micro = 1; micro <= 3; micro++) {
        job j = job_of(DTC_SHARD_SCHEME_ZERO3, 4);
        replay r = {0};
        j.s.reduce_scatter = scatter ? DTC_BOOL_ON : DTC_BOOL_OFF;
        j.s.hpz = hpz;
        j.s.persistence = 40;
        j.s.bucket = 700;
        lay(&j);
        for (uint64_t k = 0; k < micro; k++) {
          uint64_t held = 0, padded = 0;
          for (size_t i = 0; i < j.n; i++)
            if (numel(&j, i) > 40)
              add(&r, AG, DTC_PHASE_FORWARD, 0, 2 * up(numel(&j, i), 4));
          for (size_t i = j.n; i-- > 0;) {
            if (numel(&j, i) > 40)
              add(&r, AG, DTC_PHASE_BACKWARD, hpz > 1 ? DTC_SHARD_GROUP_HPZ : 0, 2 * up(numel(&j, i), 4));
            if (held != 0 && held + numel(&j, i) > 700) {
              add(&r, scatter ? RS : AR, DTC_PHASE_BACKWARD, 0, 2 * (scatter ? padded : held));
              held = padded = 0;
            }
            held += numel(&j, i);
            padded += up(numel(&j, i), 4);
          }
          add(&r, scatter ? RS : AR, DTC_PHASE_BACKWARD, 0, 2 * (scatter ? padded : held));
        }
        for (size_t i = 0; i < j.n; i++)
          if (numel(&j, i) <= 40)
            add(&r, AG, DTC_PHASE_STEP, 0, 2 * up(numel(&j, i), 4));
        check_replay(&j, micro, &r);
      }
}

static void fsdp(void **state)
{
  (void)state;
  for (uint64_t micro = 1; micro <= 3; micro++)
    for (uint64_t replicas = 1; replicas <= 2; replicas++)
      for (int reshard = 0; reshard < 2; reshard++)
        for (int every = 0; every < 2; every++) {
          job j = job_of(DTC_SHARD_SCHEME_FSDP2, 6);
          replay r = {0};
          uint64_t padded = 0;
          j.s.replicas = replicas;
          j.s.reshard = reshard ? DTC_BOOL_ON : DTC_BOOL_OFF;
          j.s.every_micro = every ? DTC_BOOL_ON : DTC_BOOL_OFF;
          j.s.grad_dtype = DTC_DTYPE_FP32;
          lay(&j);
          for (size_t i = 0; i < j.n; i++)
            padded += up(j.shapes[i].rows, 6) * j.shapes[i].cols;
          for (uint64_t k = 0; k < micro; k++) {
            add(&r, AG, DTC_PHASE_FORWARD, 0, 2 * padded);
            if (reshard)
              add(&r, AG, DTC_PHASE_BACKWARD, 0, 2 * padded);
            if (every || k + 1 == micro) {
              add(&r, RS, DTC_PHASE_BACKWARD, 0, 4 * padded);
              if (replicas > 1)
                add(&r, AR, DTC_PHASE_BACKWARD, DTC_SHARD_GROUP_REPLICAS, 4 * padded / 6);
            }
          }
          check_replay(&j, micro, &r);
        }
}

/* Every bucket of a layout, once each: first place, size. */
static void each_bucket(const job *j, replay *r, dtc_collective op, dtc_phase phase, uint64_t bytes)
{
  for (size_t i = 0; i < j->n; i++) {
    size_t k = 0;
    while (k < i && j->slots[k].bucket != j->slots[i].bucket)
      k++;
    if (k == i)
      add(r, op, phase, 0, bytes * (j->slots[i].bucket_end - j->slots[i].bucket_start));
  }
}

static void megatron(void **state)
{
  (void)state;
  for (uint64_t bucket = 100; bucket <= 1000; bucket += 300) {
    job j = job_of(DTC_SHARD_SCHEME_DISTOPT, 4);
    replay r = {0};
    j.s.bucket = bucket;
    lay(&j);
    each_bucket(&j, &r, RS, DTC_PHASE_BACKWARD, 4); /* fp32 gradients, once per step */
    each_bucket(&j, &r, AG, DTC_PHASE_STEP, 2);
    check_replay(&j, 5, &r);

    j = job_of(DTC_SHARD_SCHEME_ALLREDUCE, 4);
    r = (replay){0};
    j.s.bucket = bucket;
    lay(&j);
    each_bucket(&j, &r, AR, DTC_PHASE_BACKWARD, 4);
    check_replay(&j, 5, &r);
  }
}

static void ddp_reduces_the_last_micro_batch_alone(void **state)
{
  (void)state;
  dtc_message m[MESSAGES];
  job j = job_of(DTC_SHARD_SCHEME_DDP, 4);
  j.s.bucket = 1000;
  lay(&j);
  assert_int_equal(messages(&j, 4, m), 1);
  assert_true(m[0].op == AR && m[0].phase == DTC_PHASE_BACKWARD && m[0].bytes == 2 * all(&j));
  uint64_t calls = m[0].calls;
  j.s.every_micro = DTC_BOOL_ON;
  assert_int_equal(messages(&j, 4, m), 1);
  assert_true(m[0].bytes == 8 * all(&j) && m[0].calls == 4 * calls);
}

/* The rule of thumb: 1, 1.5, 1 and 1.5 times DDP, for the ring's volume. Llama-3 8B on 64 ranks. */
static void what_each_family_costs(void **state)
{
  (void)state;
  static const struct {
    dtc_shard_scheme scheme;
    double times; /* of DDP's ring volume */
  } rows[] = {{DTC_SHARD_SCHEME_ZERO12, 1.5},
              {DTC_SHARD_SCHEME_ZERO3, 1.5},
              {DTC_SHARD_SCHEME_FSDP2, 1.5},
              {DTC_SHARD_SCHEME_DISTOPT, 1.5 /* fp32 gradients: (4 + 2) / 4 */}};
  dtc_model model = check_named("llama-3-8b");
  dtc_shape *shapes = malloc(sizeof *shapes * 1000);
  dtc_slot *slots = malloc(sizeof *slots * 1000);
  uint64_t *scratch = malloc(sizeof *scratch * 10000);
  size_t n = 0, count = 0;
  dtc_error e;
  DTC_INIT(&e);
  check_ok(dtc_shards_shapes(&model, shapes, 1000, &n, &e), &e);
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    dtc_shards s;
    dtc_message m[MESSAGES];
    double volume = 0;
    DTC_INIT(&s);
    s.scheme = rows[i].scheme;
    s.world = 64;
    check_ok(dtc_shards_layout(&s, shapes, n, slots, 1000, &count, scratch, 10000, &e), &e);
    check_ok(dtc_shards_messages(&s, shapes, n, slots, n, 1, m, MESSAGES, &count, &e), &e);
    for (size_t k = 0; k < count; k++)
      volume += (double)m[k].bytes * (m[k].op == AR ? 2 : 1);
    double ddp = 2 * 2 * 8030261248.0;
    if (volume < 0.999 * rows[i].times * ddp || volume > 1.001 * rows[i].times * ddp)
      fail_msg("scheme %u: %.4f times DDP", rows[i].scheme, volume / ddp);
  }
  free(shapes);
  free(slots);
  free(scratch);
}

/* ---- bytes ------------------------------------------------------------------------------------------------------- */

static dtc_shard_bytes bytes_of(const job *j, uint64_t rank, uint64_t micro)
{
  dtc_shard_bytes b;
  dtc_error e;
  DTC_INIT(&b);
  DTC_INIT(&e);
  check_ok(dtc_shards_bytes(&j->s, j->shapes, j->n, j->slots, j->n, rank, micro, &b, &e), &e);
  return b;
}

static void bytes_of_a_rank(void **state)
{
  (void)state;
  job j = job_of(DTC_SHARD_SCHEME_ZERO12, 4);
  j.s.stage = 2;
  lay(&j);
  uint64_t padded = up(all(&j), 8), part = padded / 4, touched = 0;
  for (size_t i = 0; i < j.n; i++)
    touched += j.slots[i].start < part ? numel(&j, i) : 0;
  dtc_shard_bytes b = bytes_of(&j, 0, 1);
  assert_true(b.weights == 2 * padded && b.master == 4 * part && b.moments == 8 * part);
  assert_true(b.gradients == 2 * touched && b.step_request == 4 * part && b.step == 6 * part);
  assert_int_equal(bytes_of(&j, 0, 2).gradients, 4 * touched);

  j = job_of(DTC_SHARD_SCHEME_DISTOPT, 4);
  lay(&j);
  uint64_t buffer = j.slots[0].bucket_end;
  b = bytes_of(&j, 0, 1);
  assert_true(b.weights == 2 * buffer && b.gradients == 4 * buffer && b.master == buffer && b.moments == 2 * buffer);

  j = job_of(DTC_SHARD_SCHEME_WHOLE, 4);
  lay(&j);
  uint64_t held = 0;
  for (uint64_t rank = 0; rank < 4; rank++)
    held += bytes_of(&j, rank, 1).moments;
  assert_int_equal(held, 8 * all(&j));
}

/* baichuan2-13b under ZeRO-2 on 4 ranks asked for 12.94 GiB in the step: the fp32 copy of a part. */
static void the_step_asks_for_a_part_in_fp32(void **state)
{
  (void)state;
  job j = {.n = 1};
  DTC_INIT(&j.s);
  j.s.world = 4;
  j.s.stage = 2;
  j.shapes[0] = (dtc_shape){.rows = 13896668160, .cols = 1};
  lay(&j);
  assert_int_equal(bytes_of(&j, 0, 1).step_request, 13896668160);
}

/* ---- DeepSpeed at a moment --------------------------------------------------------------------------------------- */

static dtc_shard_bytes held_of(const job *j, uint64_t rank, uint64_t micro, dtc_shard_moment moment, uint64_t at)
{
  dtc_shard_bytes b;
  dtc_error e;
  DTC_INIT(&b);
  DTC_INIT(&e);
  check_ok(dtc_shards_held(&j->s, j->shapes, j->n, j->slots, j->n, rank, micro, at, moment, &b, &e), &e);
  return b;
}

/* Ten elements over two ranks: 12 with padding, 6 each; the tensors of 7 and 3 both touch rank 1. */
static void flat_vectors_moment_by_moment(void **state)
{
  (void)state;
  job j = {.n = 2, .shapes = {{.rows = 7, .cols = 1}, {.rows = 3, .cols = 1}}};
  DTC_INIT(&j.s);
  j.s.world = 2;
  j.s.bucket = 100;
  lay(&j);
  dtc_shard_bytes b = held_of(&j, 0, 4, DTC_SHARD_MOMENT_INIT, 0);
  assert_true(b.weights == 24 && b.params == 24 && b.master == 24 && b.moments == 0 && b.gradients == 0);
  b = held_of(&j, 0, 4, DTC_SHARD_MOMENT_FIRST_BACKWARD, 0);
  assert_true(b.moments == 0 && b.gradients == 20 && b.averaged == 0 && b.buckets == 200);
  b = held_of(&j, 0, 4, DTC_SHARD_MOMENT_BACKWARD, 3);
  assert_true(b.moments == 48 && b.gradients == 14 && b.averaged == 14 && b.buckets == 0);
  b = held_of(&j, 1, 4, DTC_SHARD_MOMENT_BACKWARD, 3); /* both tensors and the padding of 2 */
  assert_true(b.averaged == 2 * (10 + 2));
  b = held_of(&j, 1, 4, DTC_SHARD_MOMENT_STEP, 0);
  assert_true(b.moments == 48 && b.gradients == 0 && b.averaged == 0);
  j.s.stage = 2;
  b = held_of(&j, 1, 4, DTC_SHARD_MOMENT_DEFAULT, 1); /* whole tensors, no padding yet */
  assert_true(b.gradients == 20 && b.averaged == 0 && b.buckets == 0);
  j.s.grad_accum = DTC_DTYPE_FP32;
  b = held_of(&j, 1, 4, DTC_SHARD_MOMENT_BACKWARD, 1);
  assert_true(b.gradients == 24 && b.averaged == 24);
}

static void zero3_moment_by_moment(void **state)
{
  (void)state;
  job j = {.n = 2, .shapes = {{.rows = 7, .cols = 1}, {.rows = 3, .cols = 1}}};
  DTC_INIT(&j.s);
  j.s.scheme = DTC_SHARD_SCHEME_ZERO3;
  j.s.world = 2;
  j.s.bucket = 100;
  j.s.persistence = 5;
  j.s.grad_accum = DTC_DTYPE_FP32;
  lay(&j);
  dtc_shard_bytes b = held_of(&j, 0, 1, DTC_SHARD_MOMENT_FIRST_BACKWARD, 0); /* 4 + 2 elements */
  assert_true(b.weights == 12 && b.master == 24 && b.moments == 0 && b.gradients == 24 && b.averaged == 24);
  assert_true(b.buckets == 200 && b.gathered == 0 && b.params == 0);
  b = held_of(&j, 0, 1, DTC_SHARD_MOMENT_STEP, 0); /* the tensor of 3 is whole: 4 with padding */
  assert_true(b.moments == 48 && b.averaged == 0 && b.gradients == 24 && b.gathered == 8 && b.params == 8);
  j.s.contiguous = DTC_BOOL_OFF;
  assert_int_equal(held_of(&j, 0, 1, DTC_SHARD_MOMENT_STEP, 0).buckets, 0);
  j.s.world = 1;
  lay(&j);
  b = held_of(&j, 0, 1, DTC_SHARD_MOMENT_STEP, 0); /* the weights themselves */
  assert_true(b.gathered == 0 && b.params == 20 && b.weights == 20);
}

static void moments_that_are_not_known_are_refused(void **state)
{
  (void)state;
  dtc_shard_bytes b;
  dtc_error e;
  DTC_INIT(&b);
  DTC_INIT(&e);
  job j = job_of(DTC_SHARD_SCHEME_ZERO12, 4);
  lay(&j);
  assert_int_equal(dtc_shards_held(&j.s, j.shapes, j.n, j.slots, j.n, 0, 2, 0, 9, &b, &e), DTC_E_RANGE);
  assert_int_equal(e.field, DTC_ARG_MOMENT);
  assert_int_equal(dtc_shards_held(&j.s, j.shapes, j.n, j.slots, j.n, 0, 2, 2, 0, &b, &e), DTC_E_RANGE);
  assert_int_equal(e.field, DTC_ARG_MICRO_BATCH);
  j.s.grad_accum = DTC_DTYPE_FP32; /* DeepSpeed takes its BF16_Optimizer */
  assert_int_equal(dtc_shards_held(&j.s, j.shapes, j.n, j.slots, j.n, 0, 2, 0, 0, &b, &e), DTC_E_UNSUPPORTED);
  assert_int_equal(e.field, DTC_FIELD(shards, grad_accum));
  j = job_of(DTC_SHARD_SCHEME_FSDP2, 4);
  lay(&j);
  assert_int_equal(dtc_shards_held(&j.s, j.shapes, j.n, j.slots, j.n, 0, 2, 0, 0, &b, &e), DTC_E_UNSUPPORTED);
  j.s.grad_accum = DTC_DTYPE_FP32;
  assert_int_equal(dtc_shards_resolve(&j.s, &j.s, &e), DTC_E_UNSUPPORTED);
}

/* ---- offload ----------------------------------------------------------------------------------------------------- */

static dtc_offload_bytes offload_of(const job *j, uint64_t micro, dtc_offload offload)
{
  dtc_offload_bytes o;
  dtc_error e;
  DTC_INIT(&o);
  DTC_INIT(&e);
  check_ok(dtc_shards_offload(&j->s, j->shapes, j->n, j->slots, j->n, 0, micro, offload, &o, &e), &e);
  return o;
}

static void offloaded_bytes_are_those_of_a_replay(void **state)
{
  (void)state;
  for (uint64_t micro = 1; micro <= 4; micro++) {
    job j = job_of(DTC_SHARD_SCHEME_ZERO3, 4);
    lay(&j);
    uint64_t part = 0, down = 0, up_ = 0, nvme_read = 0, nvme_write = 0;
    for (size_t i = 0; i < j.n; i++)
      part += up(numel(&j, i), 4) / 4;
    for (uint64_t k = 0; k < micro; k++) {
      up_ += 2 * 2 * part;         /* weights for forward and for backward */
      nvme_read += 2 * 2 * part;   /* they come from NVMe each time */
      up_ += k > 0 ? 2 * part : 0; /* the sum so far */
      down += 2 * part;
    }
    nvme_read += 12 * part;
    nvme_write += 12 * part + 2 * part;
    up_ += 2 * part; /* updated weights */
    dtc_offload_bytes o = offload_of(&j, micro, DTC_OFFLOAD_NVME);
    assert_true(o.to_host == down && o.to_device == up_);
    assert_true(o.nvme_read == nvme_read && o.nvme_write == nvme_write && o.nvme == 14 * part);
    o = offload_of(&j, micro, DTC_OFFLOAD_OPTIMIZER);
    assert_true(o.to_host == down && o.to_device == up_ - micro * 4 * part && o.nvme == 0);
  }
  job j = job_of(DTC_SHARD_SCHEME_ZERO12, 4);
  lay(&j);
  uint64_t part = up(all(&j), 8) / 4;
  dtc_offload_bytes o = offload_of(&j, 1, DTC_OFFLOAD_OPTIMIZER);
  assert_true(o.to_host == 4 * part && o.to_device == 2 * part);
  o = offload_of(&j, 1, DTC_OFFLOAD_DEFAULT);
  assert_true(o.to_host == 0 && o.host == 0);
}

/* ---- refusals ---------------------------------------------------------------------------------------------------- */

static void what_is_refused(void **state)
{
  (void)state;
  dtc_message m[MESSAGES];
  dtc_shard_bytes b;
  dtc_offload_bytes o;
  size_t count = 0;
  dtc_error e;
  DTC_INIT(&e);
  DTC_INIT(&b);
  DTC_INIT(&o);
  job j = job_of(DTC_SHARD_SCHEME_DISTOPT, 4);
  lay(&j);
  assert_int_equal(dtc_shards_messages(&j.s, j.shapes, j.n, j.slots, j.n, 0, m, MESSAGES, &count, &e), DTC_E_RANGE);
  assert_int_equal(e.field, DTC_ARG_MICRO_BATCHES);
  assert_int_equal(dtc_shards_messages(&j.s, j.shapes, j.n, j.slots, j.n, 1, m, 1, &count, &e), DTC_E_SPACE);
  assert_int_equal(count, 2);
  assert_int_equal(dtc_shards_bytes(&j.s, j.shapes, j.n, j.slots, j.n, 4, 1, &b, &e), DTC_E_RANGE);
  assert_int_equal(e.field, DTC_ARG_RANK);
  assert_int_equal(dtc_shards_offload(&j.s, j.shapes, j.n, j.slots, j.n, 0, 1, DTC_OFFLOAD_OPTIMIZER, &o, &e),
                   DTC_E_UNSUPPORTED);
  assert_int_equal(dtc_shards_offload(&j.s, j.shapes, j.n, j.slots, j.n, 0, 1, 9, &o, &e), DTC_E_RANGE);
  /* 24 bytes of 2^40 elements in each of 2^32 micro-batches are 2^76 and more. */
  j = job_of(DTC_SHARD_SCHEME_ZERO3, 4);
  j.n = 1;
  j.shapes[0] = (dtc_shape){.rows = 1 << 20, .cols = 1 << 20};
  lay(&j);
  uint64_t micro = UINT64_C(1) << 32;
  assert_int_equal(dtc_shards_offload(&j.s, j.shapes, j.n, j.slots, j.n, 0, micro, DTC_OFFLOAD_OPTIMIZER, &o, &e),
                   DTC_E_OVERFLOW);
  assert_true(e.field == DTC_ARG_MICRO_BATCHES && e.got == micro);
  j.s.bucket = UINT64_C(1) << 59;
  assert_int_equal(dtc_shards_bytes(&j.s, j.shapes, j.n, j.slots, j.n, 0, 1, &b, &e), DTC_E_OVERFLOW);
  assert_true(e.field == DTC_FIELD(shards, bucket) && e.got == UINT64_C(1) << 59);
}

/* Of a vector that no layout makes: parts that nobody holds. */
static void a_vector_that_is_not_cut_is_refused(void **state)
{
  (void)state;
  static const dtc_slot whole[] = {{0, 0, 3, 3, 0, DTC_EVERYWHERE}, {0, 0, 3, 3, 0, 1}};
  static const dtc_slot apart[] = {{0, 0, 0, 0, 0, DTC_EVENLY}, {8, 8, 16, 3, 1, DTC_EVENLY}};
  const dtc_shape shapes[] = {{.rows = 0, .cols = 1}, {.rows = 3, .cols = 1}};
  job j = job_of(DTC_SHARD_SCHEME_ZERO12, 8);
  dtc_message m[MESSAGES];
  dtc_shard_bytes b;
  dtc_offload_bytes o;
  size_t count = 0;
  DTC_INIT(&b);
  DTC_INIT(&o);
  for (size_t i = 0; i < 2; i++) {
    assert_int_equal(dtc_shards_messages(&j.s, &shapes[1], 1, &whole[i], 1, 1, m, MESSAGES, &count, NULL),
                     DTC_E_CONFLICT);
    assert_int_equal(dtc_shards_bytes(&j.s, &shapes[1], 1, &whole[i], 1, 0, 1, &b, NULL), DTC_E_CONFLICT);
    assert_int_equal(dtc_shards_offload(&j.s, &shapes[1], 1, &whole[i], 1, 0, 1, DTC_OFFLOAD_OPTIMIZER, &o, NULL),
                     DTC_E_CONFLICT);
  }
  assert_int_equal(dtc_shards_messages(&j.s, shapes, 2, apart, 2, 1, m, MESSAGES, &count, NULL), DTC_OK);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(zero_1_and_2),
      cmocka_unit_test(zero_3),
      cmocka_unit_test(fsdp),
      cmocka_unit_test(megatron),
      cmocka_unit_test(ddp_reduces_the_last_micro_batch_alone),
      cmocka_unit_test(what_each_family_costs),
      cmocka_unit_test(bytes_of_a_rank),
      cmocka_unit_test(the_step_asks_for_a_part_in_fp32),
      cmocka_unit_test(flat_vectors_moment_by_moment),
      cmocka_unit_test(zero3_moment_by_moment),
      cmocka_unit_test(moments_that_are_not_known_are_refused),
      cmocka_unit_test(offloaded_bytes_are_those_of_a_replay),
      cmocka_unit_test(what_is_refused),
      cmocka_unit_test(a_vector_that_is_not_cut_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

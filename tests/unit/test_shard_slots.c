/* Slots that no layout makes: every function that reads slots gives a status, whatever they say. */
#include "check_roll.h"

enum { TENSORS = 6, SCRATCH = 512, ROUNDS = 20000 };

static dtc_shards roll_shards(void)
{
  dtc_shards s;
  DTC_INIT(&s);
  s.scheme = (dtc_shard_scheme)(1 + roll(DTC_SHARD_SCHEME_LOW_LEVEL_ZERO));
  s.world = 1 + roll(9);
  s.replicas = roll(3);
  if (s.scheme == DTC_SHARD_SCHEME_ZERO12) {
    s.multi_rank = (dtc_bool)roll(3);
    s.round_robin = (dtc_bool)roll(3);
    s.stage = roll(3);
    s.bucket = roll(40);
  }
  if (s.scheme == DTC_SHARD_SCHEME_ZERO3)
    s.hpz = roll(4);
  return s;
}

/* A slot that holds its tensor, in a bucket that may be cut: what is checked of one alone. */
static dtc_slot roll_slot(uint64_t numel, uint64_t world)
{
  static const uint32_t owners[] = {DTC_EVENLY, DTC_EVENLY, DTC_EVERYWHERE};
  uint64_t begin = roll(2) * roll(30);
  uint64_t before = numel != 0 ? roll(5) : 0;
  uint64_t size = before + numel + roll(2) * roll(4);
  uint32_t owner = roll(4) != 0 ? owners[roll(3)] : (uint32_t)roll(world);
  if (owner == DTC_EVENLY)
    size = (size + world - 1) / world * world;
  return (dtc_slot){.start = begin + before,
                    .bucket_start = begin,
                    .bucket_end = begin + size,
                    .used = roll(4) != 0 ? size : roll(50),
                    .bucket = (uint32_t)roll(TENSORS + 1),
                    .owner = owner};
}

typedef struct job {
  dtc_shards s;
  dtc_slot slots[TENSORS];
} job;

static void read_step(const job *j, const dtc_shape *shapes, size_t n)
{
  dtc_message messages[8];
  dtc_batch batches[TENSORS + 2];
  dtc_shard_bytes bytes;
  dtc_offload_bytes offload;
  size_t count;
  DTC_INIT(&bytes);
  DTC_INIT(&offload);
  uint64_t rank = roll(j->s.world);
  uint64_t micro = 1 + roll(3);
  dtc_offload what = (dtc_offload)roll(4);
  (void)!dtc_shards_messages(&j->s, shapes, n, j->slots, n, micro, messages, 8, &count, NULL);
  (void)!dtc_shards_bytes(&j->s, shapes, n, j->slots, n, rank, micro, &bytes, NULL);
  (void)!dtc_shards_offload(&j->s, shapes, n, j->slots, n, rank, micro, what, &offload, NULL);
  (void)!dtc_shards_reductions(&j->s, shapes, n, j->slots, n, batches, TENSORS + 2, &count, NULL);
  (void)!dtc_shards_gathers(&j->s, shapes, n, j->slots, n, batches, TENSORS + 2, &count, NULL);
  (void)!dtc_shards_sub_groups(&j->s, shapes, n, j->slots, n, batches, TENSORS + 2, &count, NULL);
}

static void read_layout(const job *j, const dtc_shape *shapes, size_t n)
{
  uint64_t scratch[SCRATCH];
  dtc_bucket buckets[TENSORS];
  dtc_fragment parts[TENSORS];
  dtc_slice slices[4 * TENSORS];
  dtc_error findings[8];
  dtc_shard_totals totals;
  dtc_checkpoint checkpoint;
  uint64_t owner, offset;
  size_t count;
  DTC_INIT(&totals);
  DTC_INIT(&findings[0]);
  DTC_INIT(&checkpoint);
  uint64_t rank = roll(j->s.world);
  dtc_checkpoint_form form = (dtc_checkpoint_form)roll(7);
  (void)!dtc_shards_totals(&j->s, shapes, n, j->slots, n, &totals, scratch, SCRATCH, NULL);
  (void)!dtc_shards_buckets(&j->s, shapes, n, j->slots, n, buckets, TENSORS, &count, NULL);
  (void)!dtc_shards_fragments(&j->s, shapes, n, j->slots, n, rank, parts, TENSORS, &count, NULL);
  (void)!dtc_shards_secondary(&j->s, shapes, n, j->slots, n, rank, parts, TENSORS, &count, &offset, NULL);
  (void)!dtc_shards_owner(&j->s, shapes, n, j->slots, n, roll(TENSORS), roll(20), &owner, &offset, NULL);
  (void)!dtc_shards_slices(&j->s, shapes, n, j->slots, n, slices, 4 * TENSORS, &count, scratch, SCRATCH, NULL);
  (void)!dtc_shards_accumulator(&j->s, shapes, n, j->slots, n, roll(2) != 0 ? DTC_NONE : rank, &offset, scratch,
                                SCRATCH, NULL);
  (void)!dtc_shards_check(&j->s, shapes, n, j->slots, n, NULL, findings, 8, &count, scratch, SCRATCH, NULL);
  (void)!dtc_checkpoint_estimate(&j->s, shapes, n, j->slots, n, (double)roll(3), form, &checkpoint, scratch, SCRATCH,
                                 NULL);
}

static void read_both(const job *a, const job *b, const dtc_shape *shapes, size_t n)
{
  dtc_reshard verdict;
  dtc_reshard_sums sums;
  dtc_reshard_item items[4 * TENSORS];
  size_t count;
  DTC_INIT(&verdict);
  DTC_INIT(&sums);
  dtc_checkpoint_form form = (dtc_checkpoint_form)roll(7);
  dtc_reshard_kind kind = (dtc_reshard_kind)roll(3);
  uint64_t rank = roll(b->s.world);
  (void)!dtc_reshard_check(&a->s, &b->s, shapes, n, a->slots, n, b->slots, n, form, &verdict, NULL);
  (void)!dtc_reshard_items(&a->s, &b->s, shapes, n, a->slots, n, b->slots, n, rank, kind, items, 4 * TENSORS, &count,
                           NULL);
  (void)!dtc_reshard_totals(&a->s, &b->s, shapes, n, a->slots, n, b->slots, n, kind, &sums, NULL);
}

static void all_slots_give_a_status(void **state)
{
  (void)state;
  seed = 1;
  for (size_t round = 0; round < ROUNDS; round++) {
    dtc_shape shapes[TENSORS];
    job jobs[2] = {{.s = roll_shards()}, {.s = roll_shards()}};
    size_t n = (size_t)roll(TENSORS + 1);
    if (roll(2) != 0)
      jobs[1].s = jobs[0].s;
    for (size_t i = 0; i < n; i++)
      shapes[i] = (dtc_shape){.rows = roll(6), .cols = roll(4)};
    for (size_t k = 0; k < 2; k++)
      for (size_t i = 0; i < n; i++)
        jobs[k].slots[i] = roll_slot(shapes[i].rows * shapes[i].cols, jobs[k].s.world);
    read_step(&jobs[0], shapes, n);
    read_layout(&jobs[0], shapes, n);
    read_both(&jobs[0], &jobs[1], shapes, n);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(all_slots_give_a_status)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

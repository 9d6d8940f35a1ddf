/* Interleaved 1F1B in groups with split backwards: a building block of `group` micro-batches that repeats.
 * Source: zero-bubble 39f2c186 megatron/core/pipeline_parallel/zerobubble/scheduler/group_interleaved_1f1b.py. */
#include "internal/pipeline_generate.h"

/* Time runs in slots of three ops. Forwards of all stages stand in one order, a slot each, in which groups leave room for
 * one another: chunk c of a group begins `starts[c]` groups after its chunk 0, and a group's turns fall on places that no
 * other group of any chunk takes. Stage r runs the order r ops late. Backwards follow in the same order with the chunks
 * turned round, two ops of time a stage. */
typedef struct block {
  uint64_t m;
  uint64_t vpp;
  uint64_t group;
  uint64_t groups;
  uint64_t slots;   /* of the forwards of a stage */
  uint64_t *starts; /* by chunk, in groups */
  uint64_t *chunks; /* chunk that a group runs whose number, divided by vpp, leaves this rest */
} block;

/* Group size of the job; what is larger than pp is pp. */
static uint64_t group_of(const dtc_pipe *p)
{
  return p->group == 0 ? 1 : dtci_smaller(p->group, p->pp);
}

/* Groups between two chunks of a group, so that a message comes round; and 1 more as often as the places would meet. */
static uint64_t start_of(const dtc_pipe *p, uint64_t chunk)
{
  uint64_t distance = dtci_ceil_div((p->pp + 1) / 2, group_of(p));
  uint64_t common = dtci_common_divisor(p->vpp, distance);
  return distance * chunk + chunk / (p->vpp / common);
}

static uint64_t slots_of(const dtc_pipe *p)
{
  uint64_t groups = dtci_ceil_div(p->micro_batches, group_of(p));
  return group_of(p) * (start_of(p, p->vpp - 1) + p->vpp * (groups - 1) + 1);
}

/* A stage runs its forwards this many slots ahead of its backwards. */
static uint64_t lead_of(const dtc_pipe *p, uint64_t rank)
{
  return group_of(p) * start_of(p, p->vpp - 1) + p->pp - 1 - rank;
}

static uint64_t steps(const dtc_pipe *p, int *bad)
{
  return dtci_mul(p->pp, dtci_add(slots_of(p), lead_of(p, 0), bad), bad);
}

uint64_t dtci_pipe_group_scratch(const dtc_pipe *p, int *bad)
{
  return dtci_mul(2, p->vpp, bad);
}

/* What stands in a slot of the order: 0 when it is empty. */
static int slot(const block *b, uint64_t at, uint64_t *chunk, uint64_t *micro_batch)
{
  uint64_t place = at / b->group;
  *chunk = b->chunks[place % b->vpp];
  if (at >= b->slots || place < b->starts[*chunk])
    return 0;
  uint64_t group = (place - b->starts[*chunk]) / b->vpp;
  *micro_batch = group * b->group + at % b->group;
  return *micro_batch < b->m;
}

static void write_stage(const block *b, uint64_t lead, dtc_pipe_op *out)
{
  uint64_t chunk = 0, i = 0;
  for (uint64_t at = 0; at < b->slots + lead; at++) {
    if (slot(b, at, &chunk, &i))
      *out++ = dtci_pipe_op_of(DTC_PIPE_KIND_FORWARD, chunk, i);
    if (at < lead || !slot(b, at - lead, &chunk, &i))
      continue;
    *out++ = dtci_pipe_op_of(DTC_PIPE_KIND_INPUT, b->vpp - 1 - chunk, i);
    *out++ = dtci_pipe_op_of(DTC_PIPE_KIND_WEIGHT, b->vpp - 1 - chunk, i);
  }
}

dtc_status dtci_pipe_group(const dtc_pipe *p, dtc_pipe_op *out, uint64_t *scratch, dtc_error *e)
{
  int bad = 0;
  if (steps(p, &bad) > DTCI_PIPE_WORK || bad)
    return dtci_pipe_fail_work(p, e);
  block b = {.m = p->micro_batches, .vpp = p->vpp, .group = group_of(p), .slots = slots_of(p)};
  b.starts = scratch;
  b.chunks = scratch + p->vpp;
  for (uint64_t c = 0; c < p->vpp; c++) {
    b.starts[c] = start_of(p, c);
    b.chunks[b.starts[c] % p->vpp] = c;
  }
  for (uint64_t r = 0; r < p->pp; r++)
    write_stage(&b, lead_of(p, r), out + 3 * b.m * b.vpp * r);
  return DTC_OK;
}

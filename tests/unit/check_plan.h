/* What the tests of plans share. */
#ifndef CHECK_PLAN_H
#define CHECK_PLAN_H

#include "check_roll.h"

#include <dtcore/plan.h>
#include "internal/internal.h"
#include "internal/rules.h"

enum { FINDINGS = 32 };

#define P(x) DTC_FIELD(plan, x)
#define M(x) DTC_FIELD(model, x)
#define C(x) DTC_FIELD(cluster, x)

/* Nodes of eight GPUs. */
static inline dtc_cluster nodes(uint64_t n)
{
  dtc_cluster c;
  DTC_INIT(&c);
  c.memory = (uint64_t)80 << 30;
  c.gpus_per_node = 8;
  c.nodes = n;
  return c;
}

static inline dtc_plan resolved(const dtc_model *m, const dtc_cluster *c, const dtc_plan *p)
{
  dtc_plan out = check_plan();
  dtc_error err;
  DTC_INIT(&err);
  check_ok(dtc_plan_resolve(m, c, p, &out, &err), &err);
  return out;
}

static inline size_t check(const dtc_model *m, const dtc_cluster *c, const dtc_plan *p, dtc_error findings[FINDINGS])
{
  size_t n = 0;
  memset(findings, 0, FINDINGS * sizeof findings[0]);
  findings[0].struct_size = sizeof findings[0];
  assert_int_equal(dtc_plan_check(m, c, p, findings, FINDINGS, &n, NULL), DTC_OK);
  return n;
}

static inline const dtc_error *finding(const dtc_error *findings, size_t n, dtc_rule rule)
{
  for (size_t i = 0; i < n; i++)
    if (findings[i].rule == rule)
      return &findings[i];
  return NULL;
}

/* A number in the field's range: mostly a small one, else of any size up to `most`. */
static inline uint64_t random_number(const dtci_field *f, uint64_t most)
{
  uint64_t high = f->max < most ? f->max : most;
  uint64_t below = roll(2) ? 8 : (uint64_t)1 << (1 + roll(24));
  uint64_t v = f->min + (roll(2) ? (uint64_t)1 << roll(4) : roll(below));
  return v < high ? v : high;
}

/* Sets every `one_in`-th field of a plan to any value that its type has: new fields and new values are among them. */
static inline void random_fields(dtc_plan *p, uint64_t one_in, uint64_t most)
{
  const dtci_struct *s = dtci_struct_of(DTC_STRUCT_plan);
  for (uint32_t i = 1; i < s->count; i++) { /* but struct_size */
    const dtci_field *f = &dtci_fields[s->first + i];
    if (roll(one_in) != 0)
      continue;
    int small = f->type == DTCI_ENUM || f->type == DTCI_BOOL;
    if (f->type != DTCI_RELEASE)
      dtci_write(p, f, small ? roll(values_of(f)) : random_number(f, most));
  }
}

static inline dtc_plan random_plan(uint64_t largest)
{
  dtc_plan p = check_plan();
  uint64_t *degrees[] = {&p.tp,       &p.cp, &p.pp,  &p.vpp,         &p.dp,
                         &p.dp_shard, &p.ep, &p.etp, &p.micro_batch, &p.accumulation};
  if (roll(3) == 0)
    random_fields(&p, 16, largest);
  for (size_t i = 0; i < sizeof degrees / sizeof degrees[0]; i++)
    *degrees[i] = roll(3) == 0 ? 1 + roll(largest) : 0;
  p.global_batch = roll(3) == 0 ? 1 + roll(largest * largest) : 0;
  p.seq = roll(3) == 0 ? 1 + roll(8192) : 0;
  const uint32_t often[] = {P(framework), P(sharding),   P(sequence_parallel), P(recompute), P(attention),
                            P(precision), P(grad_dtype), P(optimizer),         P(dropout)};
  for (size_t i = 0; i < sizeof often / sizeof often[0]; i++)
    dtci_write(&p, dtci_field_of(often[i]), random_value(often[i]));
  p.schedule = (dtc_schedule)(roll(4) ? roll(4) : random_value(P(schedule)));
  return p;
}

static const char *const names[] = {"llama-3-8b", "gpt2", "mixtral-8x7b", "qwen1.5-moe-a2.7b", "llama-3.1-405b"};

#endif

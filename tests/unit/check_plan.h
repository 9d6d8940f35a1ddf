/* What the tests of plans share. */
#ifndef CHECK_PLAN_H
#define CHECK_PLAN_H

#include "check.h"

#include <dtcore/plan.h>
#include "internal/internal.h"
#include "internal/rules.h"

enum { FINDINGS = 32 };

#define P(x) DTC_FIELD(plan, x)
#define M(x) DTC_FIELD(model, x)

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

/* A generator with a fixed seed: the same plans on every machine. */
static uint64_t seed;

static inline uint64_t roll(uint64_t n)
{
  return check_random(&seed, n);
}

static inline dtc_plan random_plan(uint64_t largest)
{
  dtc_plan p = check_plan();
  uint64_t *degrees[] = {&p.tp,       &p.cp, &p.pp,  &p.vpp,         &p.dp,
                         &p.dp_shard, &p.ep, &p.etp, &p.micro_batch, &p.accumulation};
  for (size_t i = 0; i < sizeof degrees / sizeof degrees[0]; i++)
    if (roll(3) == 0)
      *degrees[i] = 1 + roll(largest);
  if (roll(3) == 0)
    p.global_batch = 1 + roll(largest * largest);
  if (roll(3) == 0)
    p.seq = 1 + roll(8192);
  p.framework = (dtc_framework)roll(6);
  p.sharding = (dtc_sharding)roll(8);
  p.sequence_parallel = (dtc_bool)roll(3);
  p.schedule = (dtc_schedule)(roll(4) ? roll(4) : roll(16));
  p.recompute = (dtc_recompute)roll(4);
  p.attention = (dtc_attention)roll(3);
  p.precision = (dtc_precision)roll(4);
  p.grad_dtype = (dtc_grad_dtype)roll(3);
  p.optimizer = (dtc_optimizer)roll(8);
  p.dropout = (dtc_bool)roll(3);
  uint64_t *numbers[] = {&p.first_layers, &p.last_layers, &p.group};
  dtc_bool *switches[] = {&p.account_embedding, &p.account_loss, &p.p2p_overlap, &p.moe_overlap};
  if (roll(3))
    return p;
  for (size_t i = 0; i < 3; i++)
    *numbers[i] = roll(3) == 0 ? 1 + roll(largest) : 0;
  for (size_t i = 0; i < 4; i++)
    *switches[i] = (dtc_bool)(roll(3) == 0 ? roll(3) : 0);
  return p;
}

static const char *const names[] = {"llama-3-8b", "gpt2", "mixtral-8x7b", "qwen1.5-moe-a2.7b", "llama-3.1-405b"};

#endif

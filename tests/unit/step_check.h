/* What the tests of step times share: jobs by their plan's text, or any legal job; estimates and their terms. */
#ifndef STEP_CHECK_H
#define STEP_CHECK_H

#include "check_roll.h"

enum { STEP_ITEMS = DTC_STEP_ITEM_STRAGGLERS + 1, STEP_TERMS = 192 };

typedef struct step_job {
  dtc_model m;
  dtc_cluster c;
  dtc_plan p;
} step_job;

static inline dtc_cluster step_cluster(const char *name)
{
  dtc_cluster c;
  DTC_INIT(&c);
  if (dtc_cluster_find(name, &c, NULL) != DTC_OK)
    fail_msg("%s is not found", name);
  return c;
}

static inline step_job step_job_of(const char *cluster, const char *text)
{
  dtc_error e;
  step_job j = {.c = step_cluster(cluster)};
  DTC_INIT(&e);
  DTC_INIT(&j.m);
  DTC_INIT(&j.p);
  check_ok(dtc_plan_parse(text, strlen(text), &j.m, &j.p, &e), &e);
  return j;
}

static inline dtc_step step_with(const step_job *j, const dtc_step_params *params)
{
  dtc_error e;
  dtc_step s;
  DTC_INIT(&e);
  DTC_INIT(&s);
  check_ok(dtc_step_estimate(&j->m, &j->c, &j->p, NULL, 0, params, &s, &e), &e);
  return s;
}

static inline dtc_step step_of(const step_job *j)
{
  return step_with(j, NULL);
}

/* Seconds of an item. */
static inline double step_item(const dtc_step *s, dtc_step_item item)
{
  double items[STEP_ITEMS];
  memcpy(items + 1, (const unsigned char *)s + offsetof(dtc_step, dense), (STEP_ITEMS - 1) * sizeof items[0]);
  return items[item];
}

static inline size_t step_terms(const step_job *j, const dtc_step_params *params, dtc_step_term out[STEP_TERMS])
{
  dtc_error e;
  size_t n = 0;
  DTC_INIT(&e);
  check_ok(dtc_step_terms(&j->m, &j->c, &j->p, NULL, 0, params, out, STEP_TERMS, &n, &e), &e);
  assert_in_range(n, 1, STEP_TERMS);
  return n;
}

/* Seconds of the terms of a name. */
static inline double step_term(const dtc_step_term *terms, size_t n, const char *text)
{
  double sum = 0;
  for (size_t i = 0; i < n; i++)
    sum += strcmp(dtc_step_term_text(terms[i].index, DTC_LANG_EN), text) == 0 ? terms[i].seconds : 0;
  return sum;
}

/* Equal within a share of what is expected. */
static inline void step_near(double got, double expected, double share)
{
  double off = got > expected ? got - expected : expected - got;
  if (!(off <= share * expected))
    fail_msg("got %.17g, expected %.17g", got, expected);
}

/* ---- any job --------------------------------------------------------------------------------- */

static inline dtc_model step_random_model(void)
{
  static const char *const models[] = {"llama-3-8b",       "llama-3-70b",       "gpt2-xl",      "mixtral-8x7b",
                                       "deepseek-v2-lite", "qwen3-30b-a3b",     "deepseek-v3",  "mistral-7b-v0.1",
                                       "gemma-2-9b",       "moonlight-16b-a3b", "megatron-18b", "gpt-oss-20b"};
  enum { NAMED = sizeof models / sizeof models[0] };
  uint64_t pick = roll(NAMED + 3);
  if (pick < NAMED)
    return check_named(models[pick]);
  dtc_model m = check_shape(pick == NAMED ? DTC_ARCH_BERT : DTC_ARCH_MEGATRON, 24, 1024, 16, 50304);
  m.context = 4096;
  m.encoder_layers = pick == NAMED + 1 ? 24 : 0;
  m.position = pick == NAMED + 1 ? DTC_POSITION_LEARNED : DTC_POSITION_DEFAULT;
  m.mamba_layers = pick == NAMED + 2 ? 10 : 0;
  m.mlp_layers = pick == NAMED + 2 ? 10 : 0;
  return m;
}

static inline void step_random_values(dtc_plan *p, uint32_t one_in)
{
  static const uint32_t fields[] = {DTC_FIELD(plan, recompute),
                                    DTC_FIELD(plan, attention),
                                    DTC_FIELD(plan, precision),
                                    DTC_FIELD(plan, dropout),
                                    DTC_FIELD(plan, recompute_method),
                                    DTC_FIELD(plan, recompute_mlp),
                                    DTC_FIELD(plan, recompute_layernorm),
                                    DTC_FIELD(plan, recompute_moe_act),
                                    DTC_FIELD(plan, recompute_mla_up_proj),
                                    DTC_FIELD(plan, recompute_moe),
                                    DTC_FIELD(plan, dispatcher),
                                    DTC_FIELD(plan, grad_fusion),
                                    DTC_FIELD(plan, compile),
                                    DTC_FIELD(plan, offload),
                                    DTC_FIELD(plan, tuning),
                                    DTC_FIELD(plan, tp_overlap),
                                    DTC_FIELD(plan, grad_overlap),
                                    DTC_FIELD(plan, param_overlap),
                                    DTC_FIELD(plan, cuda_graph),
                                    DTC_FIELD(plan, fp8_recipe),
                                    DTC_FIELD(plan, moe_overlap),
                                    DTC_FIELD(plan, recompute_shared_experts),
                                    DTC_FIELD(plan, activation_fusion),
                                    DTC_FIELD(plan, reshard),
                                    DTC_FIELD(plan, transformer_engine),
                                    DTC_FIELD(plan, recompute_distributed),
                                    DTC_FIELD(plan, p2p_overlap)};
  for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
    if (roll(one_in) == 0)
      dtci_write(p, dtci_field_of(fields[i]), random_value(fields[i]));
}

static inline dtc_plan step_random_plan(void)
{
  dtc_plan p = check_plan();
  p.framework = (dtc_framework)(roll(2) ? DTC_FRAMEWORK_MEGATRON : roll(DTC_FRAMEWORK_SCALING + 1));
  p.sharding = (dtc_sharding)(roll(2) ? 0 : roll(DTC_SHARDING_DISTOPT + 1));
  p.tp = (uint64_t)1 << roll(4);
  p.cp = (uint64_t)1 << (roll(3) ? 0 : roll(3));
  p.pp = (uint64_t)1 << (roll(2) ? 0 : roll(4));
  p.dp = (uint64_t)1 << roll(5);
  p.dp_shard = roll(3) ? 0 : (uint64_t)1 << roll(4);
  p.ep = (uint64_t)1 << (roll(2) ? 0 : roll(4));
  p.etp = roll(2);
  p.vpp = p.pp > 1 && roll(3) == 0 ? 2 : 0;
  p.schedule = (dtc_schedule)(p.pp > 1 && roll(2) ? roll(DTC_SCHEDULE_ZB_H2 + 1) : 0);
  p.accumulation = p.pp * (1 + roll(3));
  p.micro_batch = 1 + roll(2);
  p.seq = (uint64_t)1024 << roll(3);
  p.sequence_parallel = (dtc_bool)roll(3);
  p.recompute_layers = roll(3);
  p.encoder_seq = roll(2) * 512;
  p.packed = roll(3) ? 0 : 1000;
  p.offload_activations = DTC_BOOL_OFF;
  step_random_values(&p, 6);
  return p;
}

/* A legal job; `s` is its estimate. Most draws are refused, by a rule. */
static inline step_job step_random(dtc_step *s)
{
  static const char *const clusters[] = {"dgx-h100", "dgx-a100", "dgx-b200", "gb200-nvl72", "gcp-a3-mega"};
  for (int tries = 0; tries < 10000; tries++) {
    step_job j = {step_random_model(), step_cluster(clusters[roll(5)]), step_random_plan()};
    dtc_error e;
    DTC_INIT(&e);
    DTC_INIT(s);
    dtc_status status = dtc_step_estimate(&j.m, &j.c, &j.p, NULL, 0, NULL, s, &e);
    if (status == DTC_OK)
      return j;
    assert_true(status != DTC_E_OVERFLOW && e.rule != DTC_RULE_NONE);
  }
  fail_msg("no legal job");
  return (step_job){0};
}

#endif

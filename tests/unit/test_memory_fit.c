/* Fewest GPUs: against trying them all, and what is said when none helps. */
#include "check_roll.h"

#include <dtcore/memory.h>
#include "internal/catalog.h"
#include "internal/internal.h"

/* Nodes of eight GPUs with so many GiB to use. */
static dtc_cluster gpus(uint64_t usable_gib, uint64_t nodes)
{
  dtc_cluster c;
  DTC_INIT(&c);
  c.memory = DTCI_GIB(usable_gib + 1);
  c.usable = DTCI_GIB(usable_gib);
  c.gpus_per_node = 8;
  c.nodes = nodes;
  c.compute = 90;
  return c;
}

/* A dtc_min_gpus and the degrees of its plan. */
typedef struct answer {
  uint64_t gpus;
  uint64_t nodes;
  uint64_t device;
  dtc_memory_item limit;
  uint64_t limit_bytes;
  uint64_t tp;
  uint64_t pp;
  uint64_t ep;
  uint64_t dp;
} answer;

/* The answer; what it says of its plan is held against the plan itself. */
static answer min_gpus(const dtc_model *m, const dtc_cluster *c, const dtc_plan *p)
{
  dtc_min_gpus fit;
  dtc_plan best;
  dtc_memory memory;
  dtc_error err;
  dtc_cluster endless = *c;
  DTC_INIT(&fit);
  DTC_INIT(&best);
  DTC_INIT(&memory);
  DTC_INIT(&err);
  check_ok(dtc_memory_min_gpus(m, c, p, &fit, &best, &err), &err);
  endless.nodes = 0;
  assert_true(fit.capacity == c->usable);
  assert_int_equal(dtc_memory_estimate(m, &endless, &best, NULL, 0, &memory, &err), DTC_OK);
  assert_true(memory.device == fit.device && (memory.fits == DTC_BOOL_ON) == (fit.gpus != 0));
  assert_true(fit.gpus == 0 || fit.gpus == best.tp * best.cp * best.pp * best.dp);
  return (answer){fit.gpus, fit.nodes, fit.device, fit.limit, fit.limit_bytes, best.tp, best.pp, best.ep, best.dp};
}

/* ---- against trying them all --------------------------------------------------------------------------------------- */

/* Memory at these degrees on a cluster without end; 0 when they are illegal. */
static int try_plan(const dtc_model *m, dtc_cluster c, dtc_plan p, dtc_memory *out)
{
  c.nodes = 0;
  DTC_INIT(out);
  if (p.tp > 1 && p.sharding == DTC_SHARDING_DISTOPT && p.sequence_parallel == DTC_BOOL_DEFAULT)
    p.sequence_parallel = DTC_BOOL_ON;
  return dtc_memory_estimate(m, &c, &p, NULL, 0, out, NULL) == DTC_OK;
}

/* Smallest dp up to `most` that is legal and fits; 0 when there is none. */
static uint64_t smallest_dp(const dtc_model *m, const dtc_cluster *c, dtc_plan p, uint64_t most, dtc_memory *out)
{
  for (p.dp = 1; p.dp <= most; p.dp++)
    if (try_plan(m, *c, p, out) && out->fits == DTC_BOOL_ON)
      return p.dp;
  return 0;
}

static void check_dp(const char *name, uint64_t gib, const dtc_plan *p, uint64_t most)
{
  dtc_model m = check_named(name);
  dtc_cluster c = gpus(gib, most / 8);
  dtc_memory at;
  uint64_t dp = smallest_dp(&m, &c, *p, most, &at);
  answer fit = min_gpus(&m, &c, p);
  if (fit.gpus != dp)
    fail_msg("%s on %lu GiB, sharding %u: %lu GPUs, not %lu", name, (unsigned long)gib, p->sharding,
             (unsigned long)fit.gpus, (unsigned long)dp);
  if (dp == 0) {
    assert_true(fit.limit != DTC_MEMORY_ITEM_NONE && fit.device > c.usable);
    return;
  }
  assert_true(fit.dp == dp && fit.tp == 1 && fit.pp == 1 && fit.ep == 1 && fit.nodes == (dp + 7) / 8);
  assert_true(fit.device == at.device && fit.limit == DTC_MEMORY_ITEM_NONE);
}

static void data_parallel_answers_are_the_smallest(void **state)
{
  (void)state;
  static const char *const names[] = {"llama-3-8b", "qwen2-7b", "gpt3-13b", "llama-3-70b", "mixtral-8x7b"};
  seed = 7;
  for (int i = 0; i < 40; i++) {
    dtc_plan p = check_plan();
    const char *name = names[roll(5)];
    p.sharding = DTC_SHARDING_DDP + (dtc_sharding)roll(6);
    p.recompute = DTC_RECOMPUTE_FULL;
    p.seq = 512 + 512 * roll(3);
    p.global_batch = roll(2) ? 256 : 0;
    check_dp(name, 16 + 8 * roll(16), &p, 256);
  }
}

/* Largest ep that divides the experts and is legal. */
static uint64_t largest_ep(const dtc_model *m, const dtc_plan *p)
{
  dtc_plan tried = *p;
  uint64_t best = 1;
  for (uint64_t ep = 1; p->ep == 0 && ep <= m->experts; ep++) {
    tried.ep = ep;
    best = dtc_plan_resolve(m, NULL, &tried, &(dtc_plan){.struct_size = sizeof tried}, NULL) == DTC_OK ? ep : best;
  }
  return p->ep != 0 ? p->ep : best;
}

/* Fewest GPUs, then the least tp, then the least pp. */
static answer all_degrees(const dtc_model *m, const dtc_cluster *c, const dtc_plan *p, uint64_t most)
{
  answer best = {0};
  for (uint64_t tp = 1; tp <= 8; tp++)
    for (uint64_t pp = 1; pp <= m->layers; pp++)
      for (uint64_t dp = 1; dp * tp * pp <= most; dp++) {
        dtc_plan tried = *p;
        dtc_memory at;
        tried.tp = tp;
        tried.pp = pp;
        tried.dp = dp;
        if (m->experts != 0)
          tried.ep = largest_ep(m, &tried);
        if (!try_plan(m, *c, tried, &at) || at.fits != DTC_BOOL_ON)
          continue;
        if (best.gpus == 0 || dp * tp * pp < best.gpus)
          best = (answer){.gpus = dp * tp * pp,
                          .tp = tp,
                          .pp = pp,
                          .ep = tried.ep != 0 ? tried.ep : 1,
                          .dp = dp,
                          .device = at.device};
      }
  return best;
}

static void distopt_answers_are_the_smallest(void **state)
{
  (void)state;
  static const char *const names[] = {"gpt3-1.3b", "llama-3.2-1b", "llama-3-8b", "gpt2-xl", "qwen1.5-moe-a2.7b"};
  seed = 8;
  for (int i = 0; i < 16; i++) {
    dtc_plan p = check_plan();
    dtc_model m = check_named(names[roll(5)]);
    dtc_cluster c = gpus(6 + 3 * roll(14), 4);
    p.sharding = DTC_SHARDING_DISTOPT;
    p.recompute = (dtc_recompute)roll(4);
    p.seq = 512 + 512 * roll(2);
    p.ep = m.experts != 0 ? roll(3) : 0;
    answer expected = all_degrees(&m, &c, &p, 32);
    answer fit = min_gpus(&m, &c, &p);
    if (fit.gpus != expected.gpus)
      fail_msg("case %d: %lu GPUs, not %lu", i, (unsigned long)fit.gpus, (unsigned long)expected.gpus);
    if (fit.gpus != 0)
      assert_true(fit.tp == expected.tp && fit.pp == expected.pp && fit.ep == expected.ep && fit.dp == expected.dp &&
                  fit.device == expected.device && fit.nodes == (fit.gpus + 7) / 8);
  }
}

/* Of a hybrid whose MLPs are tiny: 44 layers of attention would be eleven times as much, and no bound. */
static void a_hybrid_is_bounded_by_its_own_layers(void **state)
{
  (void)state;
  dtc_model m = check_shape(DTC_ARCH_MEGATRON, 44, 8192, 64, 1024);
  dtc_plan p = check_plan();
  int between = 0;
  m.mamba_layers = 1;
  m.mlp_layers = 41;
  m.ffn = 16;
  p.framework = DTC_FRAMEWORK_MEGATRON;
  p.sharding = DTC_SHARDING_DISTOPT;
  p.tp = p.pp = 1;
  p.seq = 512;
  for (uint64_t gib = 8; gib <= 24; gib++) {
    dtc_memory at;
    dtc_cluster c = gpus(gib, 4);
    uint64_t dp = smallest_dp(&m, &c, p, 32, &at);
    answer fit = min_gpus(&m, &c, &p);
    assert_true(fit.gpus == dp);
    between += dp > 2 && (dp & (dp - 1)) != 0;
  }
  assert_true(between > 0); /* some answers are not found by doubling alone */
}

/* ---- known answers -------------------------------------------------------------------------------------------------- */

/* 70e9 parameters with nothing sharded are over a terabyte on every GPU, however many there are. */
static void no_number_of_gpus_helps_without_sharding(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-3-70b");
  dtc_cluster c = gpus(79, 0);
  dtc_plan p = check_plan();
  p.sharding = DTC_SHARDING_DDP;
  answer fit = min_gpus(&m, &c, &p);
  assert_true(fit.gpus == 0 && fit.nodes == 0 && fit.limit_bytes != 0);
  assert_true(fit.device > (uint64_t)70000000000 * 16);
  assert_int_equal(fit.limit, DTC_MEMORY_ITEM_OPTIMIZER); /* two fp32 moments: 8 of 16 bytes */
  p.framework = DTC_FRAMEWORK_DEEPSPEED;
  p.sharding = DTC_SHARDING_ZERO1; /* weights and gradients of 140 GB stay */
  fit = min_gpus(&m, &c, &p);
  assert_int_equal(fit.gpus, 0);
  assert_true(fit.limit == DTC_MEMORY_ITEM_WEIGHTS || fit.limit == DTC_MEMORY_ITEM_GRADIENTS);
}

static void activations_can_be_the_limit(void **state)
{
  (void)state;
  dtc_model m = check_named("qwen2-72b");
  dtc_cluster c = gpus(79, 0);
  dtc_plan p = check_plan();
  p.sharding = DTC_SHARDING_ZERO3;
  p.recompute = DTC_RECOMPUTE_FULL;
  p.seq = 32768;
  answer fit = min_gpus(&m, &c, &p);
  assert_int_equal(fit.gpus, 0);
  assert_true(fit.limit == DTC_MEMORY_ITEM_ACTIVATIONS || fit.limit == DTC_MEMORY_ITEM_TRANSIENT);
}

static void sharding_more_needs_fewer(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-3-8b");
  dtc_cluster c = gpus(79, 0);
  uint64_t last = UINT64_MAX;
  for (dtc_sharding s = DTC_SHARDING_ZERO1; s <= DTC_SHARDING_ZERO3; s++) {
    dtc_plan p = check_plan();
    p.sharding = s;
    p.recompute = DTC_RECOMPUTE_FULL;
    answer fit = min_gpus(&m, &c, &p);
    assert_true(fit.gpus != 0 && fit.gpus <= last);
    last = fit.gpus;
  }
}

static void a_larger_gpu_never_needs_more(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-3-8b");
  for (dtc_sharding s = DTC_SHARDING_DDP; s <= DTC_SHARDING_DISTOPT; s++) {
    uint64_t last = UINT64_MAX;
    for (uint64_t gib = 10; gib <= 320; gib *= 2) {
      dtc_cluster c = gpus(gib, 16);
      dtc_plan p = check_plan();
      p.sharding = s;
      answer fit = min_gpus(&m, &c, &p);
      assert_true(last == UINT64_MAX || (fit.gpus != 0 && fit.gpus <= last));
      last = fit.gpus != 0 ? fit.gpus : last;
    }
  }
}

/* ---- bounds ---------------------------------------------------------------------------------------------------------- */

static void the_cluster_bounds_the_answer(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-3-70b");
  dtc_plan p = check_plan();
  p.sharding = DTC_SHARDING_ZERO3;
  p.recompute = DTC_RECOMPUTE_FULL;
  dtc_cluster c = gpus(79, 0);
  answer fit = min_gpus(&m, &c, &p);
  assert_true(fit.gpus > 8 && fit.gpus <= 64);
  c.nodes = (fit.gpus + 7) / 8;
  assert_true(min_gpus(&m, &c, &p).gpus == fit.gpus);
  c.nodes--;
  answer none = min_gpus(&m, &c, &p);
  assert_true(none.gpus == 0 && none.device > c.usable && none.limit != DTC_MEMORY_ITEM_NONE);
}

static void given_degrees_stay(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-3-8b");
  dtc_cluster c = gpus(79, 0);
  dtc_plan p = check_plan();
  p.sharding = DTC_SHARDING_DISTOPT;
  p.tp = 4;
  answer fit = min_gpus(&m, &c, &p);
  assert_true(fit.tp == 4 && fit.gpus == fit.tp * fit.pp * fit.dp && fit.gpus != 0);
  p.pp = 2;
  p.dp = 3;
  fit = min_gpus(&m, &c, &p);
  assert_true(fit.tp == 4 && fit.pp == 2 && fit.dp == 3 && fit.gpus == 24 && fit.nodes == 3);
  p = check_plan();
  p.sharding = DTC_SHARDING_ZERO3;
  p.recompute = DTC_RECOMPUTE_FULL;
  p.cp = 2;
  p.dp = 8;
  fit = min_gpus(&m, &c, &p);
  assert_true(fit.dp == 8 && fit.gpus == 16);
  p.cp = 0;
  p.dp = 1; /* one GPU is too few, and more are not asked for */
  fit = min_gpus(&m, &c, &p);
  assert_true(fit.gpus == 0 && fit.device > c.usable);
}

static void refused(const dtc_model *m, const dtc_cluster *c, const dtc_plan *p, dtc_rule rule, uint32_t field,
                    uint64_t got)
{
  dtc_min_gpus fit;
  dtc_plan best;
  dtc_error err;
  memset(&fit, 0x5a, sizeof fit);
  memset(&best, 0x5a, sizeof best);
  fit.struct_size = sizeof fit;
  best.struct_size = sizeof best;
  dtc_min_gpus before = fit;
  dtc_plan best_before = best;
  DTC_INIT(&err);
  assert_int_not_equal(dtc_memory_min_gpus(m, c, p, &fit, &best, &err), DTC_OK);
  assert_int_equal(err.rule, rule);
  assert_int_equal(err.field, field);
  assert_true(err.got == got);
  assert_memory_equal(&fit, &before, sizeof fit);
  assert_memory_equal(&best, &best_before, sizeof best);
}

static void an_illegal_degree_is_named(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-3-8b");
  dtc_cluster c = gpus(79, 0);
  dtc_plan p = check_plan();
  p.tp = 7;
  refused(&m, &c, &p, DTC_RULE_TP_HEADS, DTC_FIELD(plan, tp), 7);
  p = check_plan();
  p.pp = 33;
  refused(&m, &c, &p, DTC_RULE_PP_LAYERS, DTC_FIELD(plan, pp), 33);
  p = check_plan();
  p.ep = 2;
  refused(&m, &c, &p, DTC_RULE_EP_NEEDS_EXPERTS, DTC_FIELD(plan, ep), 2);
  p = check_plan();
  p.cp = 3;
  refused(&m, &c, &p, DTC_RULE_CP_SEQ, DTC_FIELD(plan, seq), 4096);
  p = check_plan();
  p.sharding = DTC_SHARDING_DISTOPT;
  p.framework = DTC_FRAMEWORK_PYTORCH;
  refused(&m, &c, &p, DTC_RULE_DISTOPT, DTC_FIELD(plan, sharding), DTC_SHARDING_DISTOPT);
}

static void a_schedule_that_cannot_be_counted_is_named(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-3-8b");
  dtc_cluster c = gpus(79, 0);
  dtc_plan p = check_plan();
  p.schedule = DTC_SCHEDULE_ZB_H1;
  refused(&m, &c, &p, DTC_RULE_PIPE_CLOSED, DTC_FIELD(plan, schedule), DTC_SCHEDULE_ZB_H1);
}

/* A degree that is given but larger than the cluster is an error, not "does not fit". */
static void a_degree_beyond_the_cluster_is_named(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-3.2-1b");
  dtc_cluster c = gpus(79, 1);
  dtc_plan p = check_plan();
  p.sharding = DTC_SHARDING_ZERO3;
  p.dp = 16;
  dtc_min_gpus fit;
  dtc_plan best = check_plan();
  DTC_INIT(&fit);
  assert_int_equal(dtc_memory_min_gpus(&m, &c, &p, &fit, &best, NULL), DTC_E_RANGE);
}

/* A dp that expert parallelism rules out is not tried: the next legal one must fit too, communicators included. */
static void the_answer_is_legal_and_fits(void **state)
{
  (void)state;
  dtc_model m = check_named("qwen1.5-moe-a2.7b");
  dtc_plan p = check_plan();
  p.framework = DTC_FRAMEWORK_DEEPSPEED;
  p.sharding = DTC_SHARDING_ZERO1;
  p.ep = 2;
  p.recompute = DTC_RECOMPUTE_FULL;
  for (uint64_t gib = 100; gib < 400; gib++) {
    dtc_cluster c = gpus(gib, 4);
    answer fit = min_gpus(&m, &c, &p);
    assert_true(fit.gpus == 0 || (fit.device <= c.usable && fit.dp % 2 == 0));
  }
}

/* The shard of hsdp follows the node, so that memory does not fall evenly with the ranks. */
static void hybrid_sharding_is_not_bisected(void **state)
{
  (void)state;
  static const char *const names[] = {"opt-30b", "llama-2-13b", "qwen2-7b"};
  for (uint64_t nodes = 1; nodes <= 5; nodes++)
    for (int i = 0; i < 3; i++) {
      dtc_plan p = check_plan();
      p.sharding = DTC_SHARDING_HSDP;
      p.recompute = DTC_RECOMPUTE_FULL;
      check_dp(names[i], 79, &p, 8 * nodes);
    }
}

/* Many divisors, a large NVLink domain, a batch that does not come out: an answer all the same, and soon. */
static void awkward_shapes_end(void **state)
{
  (void)state;
  dtc_model m = {.struct_size = sizeof m, .layers = 720720, .hidden = 5040, .heads = 5040, .vocab = 32000};
  dtc_cluster c = gpus(79, 0);
  dtc_plan p = check_plan();
  dtc_plan best = check_plan();
  dtc_min_gpus fit;
  DTC_INIT(&fit);
  m.experts = 5040;
  m.ffn = 5040;
  c.nvlink_domain = 65536;
  p.sharding = DTC_SHARDING_DISTOPT;
  assert_int_equal(dtc_memory_min_gpus(&m, &c, &p, &fit, &best, NULL), DTC_OK);
  p.global_batch = 1000003;
  assert_int_equal(dtc_memory_min_gpus(&m, &c, &p, &fit, &best, NULL), DTC_OK);
}

/* A pipeline with model chunks wants its micro-batches in groups of pp: dp = 12 is legal where 8 is not. */
static void a_rule_that_dp_breaks_from_afar_does_not_end_the_search(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-3-8b");
  dtc_plan p = check_plan();
  p.sharding = DTC_SHARDING_DISTOPT;
  p.tp = 1;
  p.pp = 4;
  p.vpp = 2;
  p.global_batch = 48;
  for (uint64_t gib = 16; gib < 80; gib++) {
    dtc_cluster c = gpus(gib, 32);
    dtc_memory at;
    dtc_plan tried = p;
    uint64_t dp = smallest_dp(&m, &c, tried, 64, &at);
    answer fit = min_gpus(&m, &c, &p);
    if (fit.gpus != 4 * dp)
      fail_msg("%lu GiB: %lu GPUs, not %lu", (unsigned long)gib, (unsigned long)fit.gpus, (unsigned long)(4 * dp));
  }
}

static void inputs_are_checked(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-3.2-1b");
  dtc_cluster c = gpus(79, 0);
  dtc_plan p = check_plan();
  dtc_min_gpus fit;
  dtc_plan best = check_plan();
  DTC_INIT(&fit);
  assert_int_equal(dtc_memory_min_gpus(&m, NULL, &p, &fit, &best, NULL), DTC_E_SIZE);
  assert_int_equal(dtc_memory_min_gpus(NULL, &c, &p, &fit, &best, NULL), DTC_E_SIZE);
  assert_int_equal(dtc_memory_min_gpus(&m, &c, NULL, &fit, &best, NULL), DTC_E_SIZE);
  fit.struct_size = 8;
  assert_int_equal(dtc_memory_min_gpus(&m, &c, &p, &fit, &best, NULL), DTC_E_SIZE);
  p.tp = ((uint64_t)1 << 20) + 1;
  assert_int_equal(dtc_memory_min_gpus(&m, &c, &p, &fit, &best, NULL), DTC_E_RANGE);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(data_parallel_answers_are_the_smallest),
      cmocka_unit_test(hybrid_sharding_is_not_bisected),
      cmocka_unit_test(awkward_shapes_end),
      cmocka_unit_test(distopt_answers_are_the_smallest),
      cmocka_unit_test(a_hybrid_is_bounded_by_its_own_layers),
      cmocka_unit_test(no_number_of_gpus_helps_without_sharding),
      cmocka_unit_test(activations_can_be_the_limit),
      cmocka_unit_test(sharding_more_needs_fewer),
      cmocka_unit_test(a_larger_gpu_never_needs_more),
      cmocka_unit_test(the_cluster_bounds_the_answer),
      cmocka_unit_test(given_degrees_stay),
      cmocka_unit_test(an_illegal_degree_is_named),
      cmocka_unit_test(a_schedule_that_cannot_be_counted_is_named),
      cmocka_unit_test(a_degree_beyond_the_cluster_is_named),
      cmocka_unit_test(the_answer_is_legal_and_fits),
      cmocka_unit_test(a_rule_that_dp_breaks_from_afar_does_not_end_the_search),
      cmocka_unit_test(inputs_are_checked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

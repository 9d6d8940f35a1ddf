/* Changes that cut memory: each against the changed plan's own estimate. */
#include "check.h"
#include "check_plan.h"

#include "internal/catalog.h"

enum { MOST = 32 };

typedef struct answer {
  dtc_memory_remedy list[MOST];
  size_t n;
  uint64_t before;
} answer;

static answer remedies(const dtc_model *m, const dtc_cluster *c, const dtc_plan *p)
{
  answer a = {.n = 0};
  dtc_memory memory;
  dtc_error err;
  DTC_INIT(&memory);
  DTC_INIT(&err);
  check_ok(dtc_memory_remedies(m, c, p, NULL, 0, a.list, MOST, &a.n, &err), &err);
  check_ok(dtc_memory_estimate(m, c, p, NULL, 0, &memory, &err), &err);
  a.before = memory.device;
  return a;
}

static const dtc_memory_remedy *find(const answer *a, dtc_remedy remedy)
{
  for (size_t i = 0; i < a->n; i++)
    if (a->list[i].remedy == remedy)
      return &a->list[i];
  return NULL;
}

/* Every number of a remedy follows from its plan; they are in order, and each stands once. */
static void check_answer(const dtc_model *m, const dtc_cluster *c, const dtc_plan *p, const answer *a)
{
  uint32_t seen = 0;
  for (size_t i = 0; i < a->n; i++) {
    const dtc_memory_remedy *r = &a->list[i];
    dtc_plan changed = check_plan();
    dtc_memory memory;
    dtc_error err;
    DTC_INIT(&memory);
    DTC_INIT(&err);
    check_ok(dtc_memory_remedy_plan(m, c, p, r->remedy, &changed, &err), &err);
    check_ok(dtc_memory_estimate(m, c, &changed, NULL, 0, &memory, &err), &err);
    assert_true(r->device == memory.device && r->fits == memory.fits && r->saved == a->before - memory.device);
    assert_true(r->saved > 0 && (i == 0 || r->saved <= a->list[i - 1].saved));
    assert_true(r->gpus == changed.tp * changed.cp * changed.pp * changed.dp);
    assert_true(r->field >> 16 == DTC_STRUCT_plan && (seen >> r->remedy & 1) == 0);
    seen |= 1u << r->remedy;
  }
}

static void every_remedy_is_what_its_plan_needs(void **state)
{
  (void)state;
  static const char *const models[] = {"llama-3.2-1b", "gpt2", "qwen2-7b", "mixtral-8x7b", "llama-3-70b"};
  size_t all = 0;
  seed = 5;
  for (int i = 0; i < 200; i++) {
    dtc_plan p = check_plan();
    dtc_plan out = check_plan();
    dtc_model m = check_named(models[roll(5)]);
    dtc_cluster c = nodes(roll(2) ? 4 : 0);
    c.usable = DTCI_GIB(79);
    p.framework = random_value(P(framework));
    p.sharding = random_value(P(sharding));
    p.recompute = random_value(P(recompute));
    p.attention = random_value(P(attention));
    p.precision = random_value(P(precision));
    p.offload = random_value(P(offload));
    p.tp = 1 << roll(3);
    p.micro_batch = roll(6);
    p.dp = roll(2) ? 0 : 1 + roll(4);
    p.global_batch = roll(3) ? 0 : 96;
    if (dtc_plan_resolve(&m, &c, &p, &out, NULL) != DTC_OK)
      continue;
    answer a = remedies(&m, &c, &p);
    check_answer(&m, &c, &p, &a);
    all += a.n;
  }
  assert_true(all > 200);
}

static void the_gpus_and_the_batch_stay(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-3-8b");
  dtc_cluster c = nodes(4);
  dtc_plan p = check_plan();
  dtc_plan out = check_plan();
  p.framework = DTC_FRAMEWORK_MEGATRON;
  p.tp = 2;
  p.micro_batch = 4;
  p.global_batch = 256;
  answer a = remedies(&m, &c, &p);
  const dtc_memory_remedy *tp = find(&a, DTC_REMEDY_TP);
  assert_true(tp != NULL && tp->gpus == 32 && tp->value == 4 && tp->field == P(tp));
  assert_int_equal(dtc_memory_remedy_plan(&m, &c, &p, DTC_REMEDY_TP, &out, NULL), DTC_OK);
  assert_true(out.tp == 4 && out.dp == 8 && out.global_batch == 256 && out.micro_batch == 4 && out.accumulation == 8);
  assert_int_equal(dtc_memory_remedy_plan(&m, &c, &p, DTC_REMEDY_MICRO_BATCH_HALF, &out, NULL), DTC_OK);
  assert_true(out.micro_batch == 2 && out.global_batch == 256 && out.accumulation == 8);
  /* The cluster has no more GPUs. */
  assert_null(find(&a, DTC_REMEDY_DP));
  c.nodes = 0;
  p.dp = 16;
  a = remedies(&m, &c, &p);
  const dtc_memory_remedy *dp = find(&a, DTC_REMEDY_DP);
  assert_true(dp != NULL && dp->gpus == 64 && dp->value == 32);
}

/* A plan whose framework follows from its degrees keeps it when they change. */
static void the_framework_stays(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-3.2-1b");
  dtc_plan p = check_plan();
  dtc_plan out = check_plan();
  assert_int_equal(dtc_memory_remedy_plan(&m, NULL, &p, DTC_REMEDY_TP, &out, NULL), DTC_OK);
  assert_true(out.framework == DTC_FRAMEWORK_PYTORCH && out.tp == 2);
}

static void what_saves_nothing_is_left_out(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-3.2-1b");
  dtc_plan p = check_plan();
  p.framework = DTC_FRAMEWORK_DEEPSPEED;
  p.sharding = DTC_SHARDING_DDP;
  p.recompute = DTC_RECOMPUTE_FULL;
  answer a = remedies(&m, NULL, &p);
  /* All layers are recomputed already; one sequence: nothing to halve. */
  assert_null(find(&a, DTC_REMEDY_RECOMPUTE_FULL));
  assert_null(find(&a, DTC_REMEDY_MICRO_BATCH_HALF));
  for (size_t i = 0; i < a.n; i++)
    assert_int_equal(a.list[i].fits, DTC_BOOL_DEFAULT);
  /* A large model over several micro-batches: every stage of ZeRO saves more. Of a small one ZeRO-3's buffers cost more. */
  m = check_named("llama-2-70b");
  p.dp = 8;
  p.accumulation = 2;
  a = remedies(&m, NULL, &p);
  const dtc_memory_remedy *weights = find(&a, DTC_REMEDY_SHARD_WEIGHTS);
  const dtc_memory_remedy *gradients = find(&a, DTC_REMEDY_SHARD_GRADIENTS);
  const dtc_memory_remedy *optimizer = find(&a, DTC_REMEDY_SHARD_OPTIMIZER);
  assert_true(weights != NULL && gradients != NULL && optimizer != NULL);
  assert_true(weights->saved > gradients->saved && gradients->saved > optimizer->saved);
  assert_int_equal(weights->value, DTC_SHARDING_ZERO3);
}

static void a_change_of_pp_takes_its_own_stages(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-3.2-1b");
  dtc_plan p = check_plan();
  dtc_stage stages[2] = {{.struct_size = sizeof *stages, .layers = 1, .embedding = 1}, {.layers = 15, .head = 1}};
  answer a = {.n = 0};
  p.framework = DTC_FRAMEWORK_MEGATRON;
  p.pp = 2;
  p.dp = 2;
  assert_int_equal(dtc_memory_remedies(&m, NULL, &p, stages, 2, a.list, MOST, &a.n, NULL), DTC_OK);
  const dtc_memory_remedy *pp = find(&a, DTC_REMEDY_PP);
  assert_true(pp != NULL && pp->value == 4 && pp->gpus == 4);
  assert_non_null(find(&a, DTC_REMEDY_RECOMPUTE_FULL));
}

static void arguments_are_checked(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-3.2-1b");
  dtc_plan p = check_plan();
  dtc_plan out = check_plan();
  dtc_error err;
  answer a = {.n = 0};
  size_t n = 0;
  DTC_INIT(&err);
  assert_int_equal(dtc_memory_remedy_plan(&m, NULL, &p, DTC_REMEDY_NONE, &out, &err), DTC_E_RANGE);
  assert_int_equal(dtc_memory_remedy_plan(&m, NULL, &p, DTC_REMEDY_VOCAB_PARALLEL + 1, &out, &err), DTC_E_RANGE);
  assert_true(err.max == DTC_REMEDY_VOCAB_PARALLEL);
  assert_int_equal(dtc_memory_remedy_plan(&m, NULL, &p, DTC_REMEDY_FLASH, &out, &err), DTC_E_UNSUPPORTED);
  assert_int_equal(err.rule, DTC_RULE_REMEDY);
  assert_int_equal(dtc_memory_remedy_plan(&m, NULL, &p, DTC_REMEDY_EP, &out, NULL), DTC_E_UNSUPPORTED);
  a = remedies(&m, NULL, &p);
  assert_true(a.n > 1);
  assert_int_equal(dtc_memory_remedies(&m, NULL, &p, NULL, 0, a.list, 1, &n, &err), DTC_E_SPACE);
  assert_true(n == a.n);
  assert_int_equal(dtc_memory_remedies(&m, NULL, NULL, NULL, 0, a.list, MOST, &n, NULL), DTC_E_SIZE);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_remedy_is_what_its_plan_needs),
      cmocka_unit_test(the_gpus_and_the_batch_stay),
      cmocka_unit_test(the_framework_stays),
      cmocka_unit_test(what_saves_nothing_is_left_out),
      cmocka_unit_test(a_change_of_pp_takes_its_own_stages),
      cmocka_unit_test(arguments_are_checked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

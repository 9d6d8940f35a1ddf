/* What the frameworks' own estimators print: formulas of other versions than the golden vectors have, parameters that
 * follow from a model, and refusals. */
#include "check.h"

#include <dtcore/memory.h>

static dtc_estimator_call call_of(dtc_estimator estimator)
{
  dtc_estimator_call c;
  DTC_INIT(&c);
  c.estimator = estimator;
  return c;
}

static dtc_estimator_result ask(const dtc_model *m, const dtc_plan *p, const dtc_estimator_call *c)
{
  dtc_estimator_result out;
  dtc_error err;
  DTC_INIT(&out);
  DTC_INIT(&err);
  check_ok(dtc_memory_framework_estimate(c, m, p, &out, &err), &err);
  return out;
}

static dtc_error refused(const dtc_model *m, const dtc_plan *p, const dtc_estimator_call *c, dtc_status status)
{
  dtc_estimator_result out;
  dtc_error err;
  DTC_INIT(&out);
  DTC_INIT(&err);
  dtc_estimator_result before = out;
  assert_int_equal(dtc_memory_framework_estimate(c, m, p, &out, &err), status);
  assert_memory_equal(&out, &before, sizeof out);
  return err;
}

/* ---- DeepSpeed ------------------------------------------------------------------------------------------------- */

/* The example of its documentation, t5-3b on 8 GPUs: 15.93 GB, and 11.28 GB since pull request 5099. */
static void test_zero2_versions(void **state)
{
  (void)state;
  dtc_estimator_call c = call_of(DTC_ESTIMATOR_DEEPSPEED_ZERO2);
  c.params = 2851000000;
  c.gpus_per_node = 8;
  c.offload = DTC_BOOL_OFF;
  dtc_estimator_result now = ask(NULL, NULL, &c);
  check_near(now.gpu, 2 * 2851e6 + 18 * 2851e6 / 8);
  check_near(now.host, 2851e6 * 4 * 8 * 1.5);
  assert_int_equal(now.version, 19008);
  c.version = 14002;
  check_near(ask(NULL, NULL, &c).gpu, 4 * 2851e6 + 16 * 2851e6 / 8);
  c.version = 14003;
  check_near(ask(NULL, NULL, &c).gpu, now.gpu);
  c.version = DTC_MAIN;
  check_near(ask(NULL, NULL, &c).gpu, now.gpu);
  /* Only what the GPU holds without offload changed. */
  c.offload = DTC_BOOL_ON;
  c.version = 5010;
  check_near(ask(NULL, NULL, &c).gpu, 2 * 2851e6);
  check_near(ask(NULL, NULL, &c).host, 2851e6 * 32 * 1.5);
}

/* Issue 4527 of DeepSpeed: 6,805M parameters, 131M in the largest layer, 4 GPUs, host and GPU in GiB. */
static void test_zero3_options(void **state)
{
  (void)state;
  static const struct {
    dtc_bool offload, params, init;
    double host, gpu;
  } printed[] = {
      {DTC_BOOL_ON, DTC_BOOL_ON, DTC_BOOL_ON, 171.12, 0.49},
      {DTC_BOOL_ON, DTC_BOOL_ON, DTC_BOOL_OFF, 171.12, 0.49},
      {DTC_BOOL_ON, DTC_BOOL_OFF, DTC_BOOL_ON, 152.10, 3.66},
      {DTC_BOOL_ON, DTC_BOOL_OFF, DTC_BOOL_OFF, 152.10, 3.66},
      {DTC_BOOL_OFF, DTC_BOOL_OFF, DTC_BOOL_ON, 2.93, 29.01},
      {DTC_BOOL_OFF, DTC_BOOL_OFF, DTC_BOOL_OFF, 152.10, 29.01},
      {DTC_BOOL_OFF, DTC_BOOL_DEFAULT, DTC_BOOL_ON, 2.93, 29.01}, /* no parameters without the optimizer */
  };
  dtc_estimator_call c = call_of(DTC_ESTIMATOR_DEEPSPEED_ZERO3);
  c.params = 6805000000;
  c.layer_params = 131000000;
  c.gpus_per_node = 4;
  for (size_t i = 0; i < sizeof printed / sizeof printed[0]; i++) {
    c.offload = printed[i].offload;
    c.offload_params = printed[i].params;
    c.zero_init = printed[i].init;
    dtc_estimator_result e = ask(NULL, NULL, &c);
    assert_true(e.host / (1 << 30) > printed[i].host - 0.005 && e.host / (1 << 30) < printed[i].host + 0.005);
    assert_true(e.gpu / (1 << 30) > printed[i].gpu - 0.005 && e.gpu / (1 << 30) < printed[i].gpu + 0.005);
    check_near(e.layer, 4 * 131e6);
  }
}

/* The largest layer is the module with most parameters of its own: a table, or fused experts. */
static void test_largest_module(void **state)
{
  (void)state;
  static const struct {
    char name[16];
    uint64_t layer;
  } known[] = {
      {"gpt2", 50257 * 768},         {"opt-1.3b", 50272 * 2048},     {"llama-2-7b", 32000 * 4096},
      {"llama-3-8b", 128256 * 4096}, {"llama-3-70b", 128256 * 8192}, {"llama-3.1-405b", 2101346304},
      {"bloom", 250880ull * 14336},
  };
  dtc_estimator_call c = call_of(DTC_ESTIMATOR_DEEPSPEED_ZERO3);
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    dtc_model m = check_named(known[i].name);
    dtc_params n;
    DTC_INIT(&n);
    assert_int_equal(dtc_model_params(&m, &n, NULL), DTC_OK);
    dtc_estimator_result e = ask(&m, NULL, &c);
    check_near(e.layer_params, (double)known[i].layer);
    check_near(e.params, (double)n.total);
  }
  /* gpt-oss-20b keeps 32 experts in one module: two matrices and their biases. */
  dtc_model m = check_named("gpt-oss-20b");
  check_near(ask(&m, NULL, &c).layer_params, 32.0 * (2880.0 * 5760 + 5760 + 2880.0 * 2880 + 2880));
}

/* ---- Megatron-LM ----------------------------------------------------------------------------------------------- */

/* Issue 597 of Megatron-LM: what its functions give for these arguments, MiB. */
static void test_megatron_report(void **state)
{
  (void)state;
  dtc_model m = check_shape(DTC_ARCH_MEGATRON, 32, 4096, 32, 32000);
  dtc_plan p;
  DTC_INIT(&p);
  m.ffn = 11008;
  m.tied = DTC_BOOL_OFF;
  m.gated = DTC_BOOL_ON;
  m.norm = DTC_NORM_RMSNORM;
  p.dp = 8;
  p.micro_batch = 2;
  p.seq = 4096;
  p.sequence_parallel = DTC_BOOL_ON;
  p.recompute = DTC_RECOMPUTE_SELECTIVE;
  dtc_estimator_call c = call_of(DTC_ESTIMATOR_MEGATRON);
  dtc_estimator_result e = ask(&m, &p, &c);
  const double mib = 1024 * 1024;
  assert_true(e.states / mib > 48196.895 && e.states / mib < 48196.905);
  assert_true(e.activations / mib > 30600.055 && e.activations / mib < 30600.065);
  check_near(e.gpu, e.states + e.activations);
  check_near(e.params, 6738415616.0);
  /* Either condition alone, and it takes the other formula: 1.05 (s b h 34 L + 8 s b + s b h + 2 s b (h + V)). */
  p.recompute = DTC_RECOMPUTE_FULL;
  e = ask(&m, &p, &c);
  check_near(e.activations, 1.05 * 8192 * (4096.0 * 34 * 32 + 8 + 4096 + 2 * (4096 + 32000)));
}

/* Before pull request 4687 experts, norms and all were divided by tp, ep was not looked at, and no router was counted. */
static void test_megatron_before_ep(void **state)
{
  (void)state;
  dtc_model m = check_named("mixtral-8x7b");
  dtc_plan p;
  DTC_INIT(&p);
  p.tp = 2;
  p.ep = 4;
  p.etp = 1;
  p.dp = 8;
  dtc_estimator_call c = call_of(DTC_ESTIMATOR_MEGATRON);
  c.version = 17000;
  const double layer = 2 * 4096.0 * (14336 * 8 * 1.5 + 1) + 2 * 4096.0 * 4096 * 1.25;
  const double embedding = 4096.0 * 32000;
  dtc_estimator_result e = ask(&m, &p, &c);
  check_near(e.shard_params, (32 * layer + 4096 + 2 * embedding) / 2);
  check_near(e.states, e.shard_params * (6 + 12.0 / 8));
  check_near(e.active_params, 0);
  c.version = 19000;
  e = ask(&m, &p, &c);
  const double experts = 32 * 2 * 4096.0 * 14336 * 8 * 1.5 / 4;
  const double base = (32 * 2 * 4096.0 * 4096 * 1.25 + 2 * embedding) / 2 + 32 * (2 * 4096.0 + 4096 * 8) + 4096;
  check_near(e.shard_params, experts + base);
  check_near(e.states, base * (6 + 12.0 / 8) + experts * (6 + 12.0 / 4)); /* 16 GPUs / ep 4 */
  /* The plan's version counts when the call names none. */
  c.version = 0;
  p.framework_version = 17000;
  p.framework = DTC_FRAMEWORK_MEGATRON;
  e = ask(&m, &p, &c);
  assert_int_equal(e.version, 17000);
  check_near(e.active_params, 0);
}

/* ---- accelerate ------------------------------------------------------------------------------------------------ */

static void test_accelerate(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-2-7b");
  const double params = 6738415616.0 - 32000 * 4096.0; /* AutoModel: no output head */
  const double layer = 202383360;                      /* a decoder layer; the table is smaller */
  dtc_estimator_call c = call_of(DTC_ESTIMATOR_ACCELERATE);
  dtc_estimator_result e = ask(&m, NULL, &c);
  check_near(e.params, params);
  check_near(e.weights, 4 * params);
  check_near(e.layer, 4 * layer);
  check_near(e.gpu, 16 * params);
  c.dtype = DTC_LOAD_DTYPE_FLOAT16;
  e = ask(&m, NULL, &c);
  check_near(e.weights, 2 * params);
  check_near(e.gradients, 6 * params);
  check_near(e.gpu, 8 * params);
  c.dtype = DTC_LOAD_DTYPE_INT4;
  e = ask(&m, NULL, &c);
  check_near(e.weights, params / 2);
  check_near(e.layer, layer / 2);
  check_near(e.gpu, 0); /* not for training */
}

/* ---- refusals -------------------------------------------------------------------------------------------------- */

static void test_refusals(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-2-7b");
  dtc_plan p;
  DTC_INIT(&p);
  dtc_estimator_call c = call_of(DTC_ESTIMATOR_NONE);
  assert_int_equal(refused(&m, &p, &c, DTC_E_RANGE).field, DTC_FIELD(estimator_call, estimator));
  /* Versions that were not read. */
  static const uint32_t unknown[][2] = {{DTC_ESTIMATOR_DEEPSPEED_ZERO2, 5009},
                                        {DTC_ESTIMATOR_DEEPSPEED_ZERO3, 20000},
                                        {DTC_ESTIMATOR_MEGATRON, 16000},
                                        {DTC_ESTIMATOR_MEGATRON, 18000},
                                        {DTC_ESTIMATOR_ACCELERATE, 1003000}};
  for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
    c = call_of(unknown[i][0]);
    c.version = unknown[i][1];
    dtc_error e = refused(&m, &p, &c, DTC_E_UNSUPPORTED);
    assert_int_equal(e.field, DTC_FIELD(estimator_call, version));
    assert_int_equal(e.got, unknown[i][1]);
  }
  /* The nearest known ones are told: 0.19 for the gap that 0.18 is. */
  c = call_of(DTC_ESTIMATOR_MEGATRON);
  c.version = 18000;
  assert_true(refused(&m, &p, &c, DTC_E_UNSUPPORTED).min == 19000);
  c = call_of(DTC_ESTIMATOR_DEEPSPEED_ZERO2);
  c.version = 5009;
  assert_true(refused(&m, &p, &c, DTC_E_UNSUPPORTED).min == 5010);
  /* Without a model. */
  c = call_of(DTC_ESTIMATOR_DEEPSPEED_ZERO3);
  assert_int_equal(refused(NULL, NULL, &c, DTC_E_CONFLICT).field, DTC_FIELD(estimator_call, params));
  c.params = 1000;
  assert_int_equal(refused(NULL, NULL, &c, DTC_E_CONFLICT).field, DTC_FIELD(estimator_call, layer_params));
  c.estimator = DTC_ESTIMATOR_MEGATRON;
  refused(NULL, NULL, &c, DTC_E_SIZE);
  /* Plans that are none of Megatron's report. */
  p.framework = DTC_FRAMEWORK_DEEPSPEED;
  assert_int_equal(refused(&m, &p, &c, DTC_E_CONFLICT).field, DTC_FIELD(plan, framework));
  DTC_INIT(&p);
  p.sharding = DTC_SHARDING_FSDP;
  assert_int_equal(refused(&m, &p, &c, DTC_E_UNSUPPORTED).field, DTC_FIELD(plan, sharding));
  DTC_INIT(&p);
  p.tp = p.dp = 1;
  p.ep = 2;
  assert_int_equal(refused(&m, &p, &c, DTC_E_CONFLICT).field, DTC_FIELD(plan, ep));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_zero2_versions),     cmocka_unit_test(test_zero3_options),
      cmocka_unit_test(test_largest_module),     cmocka_unit_test(test_megatron_report),
      cmocka_unit_test(test_megatron_before_ep), cmocka_unit_test(test_accelerate),
      cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

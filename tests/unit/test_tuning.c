/* Memory of fine-tuning: adapters, frozen weights, 4 bit. */
#include "check_plan.h"

#include <dtcore/memory.h>

enum { MOMENTS = 16, TERMS = 128 };

static dtc_memory estimate(const dtc_model *m, const dtc_plan *p)
{
  dtc_memory out;
  dtc_error err;
  DTC_INIT(&out);
  DTC_INIT(&err);
  check_ok(dtc_memory_estimate(m, NULL, p, NULL, 0, &out, &err), &err);
  return out;
}

/* One GPU, wholly in bf16. */
static dtc_plan one_gpu(dtc_tuning tuning)
{
  dtc_plan p = check_plan();
  p.framework = DTC_FRAMEWORK_PYTORCH;
  p.precision = DTC_PRECISION_PURE_BF16;
  p.tuning = tuning;
  p.dp = p.micro_batch = p.accumulation = 1;
  p.seq = 512;
  return p;
}

static uint64_t params_of(const dtc_model *m, const dtc_plan *p)
{
  return estimate(m, p).params;
}

/* ---- adapters ------------------------------------------------------------------------------------------------------ */

static void parameters_of_adapters(void **state)
{
  (void)state;
  /* What peft's print_trainable_parameters() says of Llama 2 7B with rank 8; a fused projection has one adapter. */
  static const struct {
    char model[16];
    dtc_lora_targets targets;
    uint64_t rank;
    uint64_t params;
  } rows[] = {
      {"llama-2-7b", DTC_LORA_TARGETS_DEFAULT, 0, 4194304},
      {"llama-2-7b", DTC_LORA_TARGETS_QV, 16, 8388608},
      {"llama-2-7b", DTC_LORA_TARGETS_ATTENTION, 8, 8388608},
      {"llama-2-7b", DTC_LORA_TARGETS_MLP, 8, 11599872},
      {"llama-2-7b", DTC_LORA_TARGETS_ALL, 8, 19988480},
      {"llama-3-8b", DTC_LORA_TARGETS_QV, 8, 3407872},
      {"phi-3-mini-4k", DTC_LORA_TARGETS_QV, 8, 8 * 32 * (3072 + 9216)},
      {"phi-3-mini-4k", DTC_LORA_TARGETS_ALL, 8, 8 * 32 * (12288 + 6144 + 3072 + 16384 + 8192 + 3072)},
      {"gpt2", DTC_LORA_TARGETS_MLP, 4, 4 * 12 * 2 * (768 + 3072)},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    dtc_model m = check_named(rows[i].model);
    dtc_plan p = one_gpu(DTC_TUNING_FULL);
    uint64_t whole = params_of(&m, &p);
    p.tuning = DTC_TUNING_LORA;
    p.lora_targets = rows[i].targets;
    p.lora_rank = rows[i].rank;
    assert_int_equal(params_of(&m, &p) - whole, rows[i].params);
  }
}

/* Frozen weights have neither gradients nor optimizer states. */
static void states_of_adapters(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-2-7b");
  dtc_plan p = one_gpu(DTC_TUNING_LORA);
  dtc_memory x = estimate(&m, &p);
  const uint64_t base = 6738415616, adapters = 4194304;
  assert_int_equal(x.weights, 2 * (base + adapters));
  assert_int_equal(x.optimizer, 4 * adapters);
  p.precision = DTC_PRECISION_FP32;
  x = estimate(&m, &p);
  assert_int_equal(x.weights, 4 * (base + adapters));
  assert_int_equal(x.optimizer, 8 * adapters);
  p.framework = DTC_FRAMEWORK_DEEPSPEED;
  p.precision = DTC_PRECISION_BF16;
  p.sharding = DTC_SHARDING_ZERO2;
  p.dp = 8;
  x = estimate(&m, &p);
  assert_int_equal(x.weights, 2 * (base + adapters));
  assert_int_equal(x.optimizer, 12 * adapters / 8);
  p.framework = DTC_FRAMEWORK_PYTORCH;
  p.precision = DTC_PRECISION_PURE_BF16;
  p.sharding = DTC_SHARDING_FSDP;
  x = estimate(&m, &p);
  assert_int_equal(x.weights, 2 * (base + adapters) / 8);
  assert_int_equal(x.exact, 0);
}

/* ---- 4 bit --------------------------------------------------------------------------------------------------------- */

static void weights_in_four_bit(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-2-7b");
  dtc_plan p = one_gpu(DTC_TUNING_QLORA);
  /* 6476005376 weights of linear layers at 0.5625 bytes, or 0.515869; embedding, head, norms and adapters at 2. */
  const uint64_t rest = 2 * (UINT64_C(262144000) + 266240 + 4194304);
  assert_int_equal(estimate(&m, &p).weights, 3642753024 + rest);
  p.double_quant = DTC_BOOL_ON;
  assert_int_equal(estimate(&m, &p).weights, 3340771328 + rest);
}

/* bitsandbytes before 0.43.2 kept the inputs, as they came or cast. */
static void inputs_in_four_bit(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-2-7b");
  dtc_plan p = one_gpu(DTC_TUNING_QLORA);
  uint64_t none = estimate(&m, &p).activations;
  p.quant_inputs = 2; /* two norms' outputs, the MLP's product */
  assert_int_equal(estimate(&m, &p).activations - none, 512 * 32 * 2 * (2 * 4096 + 11008));
  p.quant_inputs = 4; /* seven copies */
  assert_int_equal(estimate(&m, &p).activations - none, UINT64_C(512) * 32 * 4 * (6 * 4096 + 11008));
}

/* ---- what is kept -------------------------------------------------------------------------------------------------- */

static dtc_model traced_model(dtc_arch arch)
{
  dtc_model m;
  DTC_INIT(&m);
  m.arch = arch;
  m.layers = 3;
  m.hidden = 256;
  m.heads = 4;
  m.kv_heads = 2;
  m.head_dim = 64;
  m.ffn = 704;
  m.vocab = 1000;
  return m;
}

static uint64_t kept_per_token(const dtc_model *m, const dtc_plan *p)
{
  dtc_ledger_row rows[16];
  size_t n = 0;
  uint64_t sum = 0;
  assert_int_equal(dtc_ledger_rows(m, p, DTC_LAYER_KIND_DENSE, rows, 16, &n, NULL), DTC_OK);
  for (size_t i = 0; i < n; i++)
    sum += rows[i].saved;
  assert_int_equal(sum % p->seq, 0);
  return sum / p->seq;
}

/* Autograd was seen to keep this (torch 2.15, transformers 5, peft, without a cache of keys: saved_tensors_hooks, copies of
 * weights left out; of Phi-3 also the copy that the attention kernel of a CPU makes of its result). */
static void kept_beside_frozen_weights(void **state)
{
  (void)state;
  enum {
    QV = DTC_LORA_TARGETS_QV,
    ATT = DTC_LORA_TARGETS_ATTENTION,
    MLP = DTC_LORA_TARGETS_MLP,
    ALL = DTC_LORA_TARGETS_ALL
  };
  enum { PURE = DTC_PRECISION_PURE_BF16, CAST = DTC_PRECISION_BF16 };
  static const struct {
    dtc_arch arch;
    dtc_precision precision;
    dtc_lora_targets targets; /* 0: all weights are trained */
    uint64_t bytes;
  } rows[] = {
      {DTC_ARCH_LLAMA, PURE, 0, 11288},   {DTC_ARCH_LLAMA, PURE, QV, 8376},   {DTC_ARCH_LLAMA, PURE, ATT, 8408},
      {DTC_ARCH_LLAMA, PURE, MLP, 9800},  {DTC_ARCH_LLAMA, PURE, ALL, 10376}, {DTC_ARCH_LLAMA, CAST, 0, 13848},
      {DTC_ARCH_LLAMA, CAST, QV, 8888},   {DTC_ARCH_LLAMA, CAST, ATT, 9944},  {DTC_ARCH_LLAMA, CAST, MLP, 10312},
      {DTC_ARCH_LLAMA, CAST, ALL, 12424}, {DTC_ARCH_QWEN3, PURE, 0, 13616},   {DTC_ARCH_QWEN3, PURE, QV, 9936},
      {DTC_ARCH_QWEN3, PURE, ALL, 11936}, {DTC_ARCH_PHI3, PURE, 0, 12056},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    dtc_model m = traced_model(rows[i].arch);
    dtc_plan p = one_gpu(rows[i].targets != 0 ? DTC_TUNING_LORA : DTC_TUNING_FULL);
    p.precision = rows[i].precision;
    p.lora_targets = rows[i].targets;
    assert_int_equal(kept_per_token(&m, &p), rows[i].bytes);
  }
}

/* Dropout of adapters: what each reads once more, and a mask of a byte. */
static void kept_with_dropout(void **state)
{
  (void)state;
  dtc_model m = traced_model(DTC_ARCH_LLAMA);
  dtc_plan p = one_gpu(DTC_TUNING_LORA);
  p.lora_targets = DTC_LORA_TARGETS_ALL;
  p.dropout = DTC_BOOL_ON;
  assert_int_equal(kept_per_token(&m, &p), 7944 + 3 * (6 * 256 + 704));
}

static uint64_t activations_of(const dtc_model *m, const dtc_plan *p)
{
  dtc_memory_held held[MOMENTS] = {{.struct_size = sizeof *held}};
  size_t n = 0;
  assert_int_equal(dtc_memory_moments(m, NULL, p, 0, NULL, 0, held, MOMENTS, &n, NULL), DTC_OK);
  for (size_t i = 0; i < n; i++)
    if (held[i].moment == DTC_MOMENT_FORWARDED)
      return held[i].activations;
  fail();
  return 0;
}

/* The same trace: layers before the first that is trained keep nothing; where gradients go through to the embedding,
 * what they need. */
static void kept_by_frozen_layers(void **state)
{
  (void)state;
  dtc_model m = traced_model(DTC_ARCH_LLAMA);
  dtc_plan p = one_gpu(DTC_TUNING_FULL);
  uint64_t whole = activations_of(&m, &p);
  uint64_t trained = estimate(&m, &p).optimizer;
  p.frozen_layers = 1;
  assert_int_equal(whole - activations_of(&m, &p), 512 * 3456);
  assert_int_equal(trained - estimate(&m, &p).optimizer, 4 * 737792);
  p.frozen_embedding = DTC_BOOL_ON;
  assert_int_equal(whole - activations_of(&m, &p), 512 * 11288);
  assert_int_equal(trained - estimate(&m, &p).optimizer, 4 * (737792 + 256000));
  assert_int_equal(estimate(&m, &p).params, 3 * 737792 + 2 * 256000 + 256);
}

/* ---- less memory --------------------------------------------------------------------------------------------------- */

static uint64_t gradients_at_end(const dtc_model *m, const dtc_plan *p)
{
  dtc_memory_held held[MOMENTS] = {{.struct_size = sizeof *held}};
  size_t n = 0;
  assert_int_equal(dtc_memory_moments(m, NULL, p, 0, NULL, 0, held, MOMENTS, &n, NULL), DTC_OK);
  for (size_t i = 0; i < n; i++)
    if (held[i].moment == DTC_MOMENT_REDUCED)
      return held[i].gradients;
  fail();
  return 0;
}

static void stepped_in_backward(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-2-7b");
  dtc_plan p = one_gpu(DTC_TUNING_FULL);
  assert_int_equal(gradients_at_end(&m, &p), 2 * UINT64_C(6738415616));
  p.step_in_backward = DTC_BOOL_ON;
  assert_int_equal(gradients_at_end(&m, &p), 2 * 32000 * 4096); /* of the largest tensor */
}

static void activations_elsewhere(void **state)
{
  (void)state;
  dtc_model m = traced_model(DTC_ARCH_LLAMA);
  dtc_plan p = one_gpu(DTC_TUNING_FULL);
  uint64_t whole = activations_of(&m, &p);
  p.offload_activations = DTC_BOOL_ON;
  assert_int_equal(whole - activations_of(&m, &p), 512 * 2 * 11288); /* one layer's stay */
  dtc_memory out;
  DTC_INIT(&out);
  assert_int_equal(dtc_memory_estimate(&m, NULL, &p, NULL, 0, &out, NULL), DTC_OK);
  assert_int_equal(out.host, 512 * 3 * 11288); /* all are on the host */
}

/* torch.compile keeps of a norm its input and output, and does not keep the activation function's result. */
static void compiled_layers(void **state)
{
  (void)state;
  dtc_model m = traced_model(DTC_ARCH_LLAMA);
  dtc_plan p = one_gpu(DTC_TUNING_FULL);
  p.compile = DTC_BOOL_ON;
  assert_int_equal(kept_per_token(&m, &p), 11288 - 8 * 256 - 2 * 704);
}

/* ---- refused ------------------------------------------------------------------------------------------------------- */

static void refused(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-2-7b");
  dtc_model latent = check_named("deepseek-v2-lite");
  dtc_model experts = check_named("mixtral-8x7b");
  dtc_plan tensor = one_gpu(DTC_TUNING_LORA), pipeline = tensor, megatron = tensor, four = one_gpu(DTC_TUNING_QLORA);
  dtc_plan frozen = one_gpu(DTC_TUNING_FULL), mlp = tensor, plain = tensor, stepped = frozen, offloaded, scaling;
  tensor.tp = 2;
  frozen.frozen_layers = 2;
  frozen.cp = 2;
  pipeline.framework = DTC_FRAMEWORK_DEEPSPEED;
  pipeline.precision = DTC_PRECISION_BF16;
  pipeline.pp = 2;
  megatron.framework = DTC_FRAMEWORK_MEGATRON;
  megatron.precision = DTC_PRECISION_BF16;
  four.sharding = DTC_SHARDING_FSDP;
  four.dp = 8;
  mlp.lora_targets = DTC_LORA_TARGETS_ALL;
  offloaded = megatron;
  offloaded.tuning = DTC_TUNING_FULL;
  offloaded.offload_activations = DTC_BOOL_ON;
  scaling = offloaded;
  scaling.framework = DTC_FRAMEWORK_SCALING;
  stepped.step_in_backward = DTC_BOOL_ON;
  stepped.sharding = DTC_SHARDING_FSDP;
  stepped.dp = 8;
  const struct {
    const dtc_model *model;
    const dtc_plan *plan;
    dtc_rule rule;
    uint32_t field;
  } rows[] = {
      {&m, &tensor, DTC_RULE_TUNING_DEGREE, P(tp)},
      {&m, &frozen, DTC_RULE_TUNING_DEGREE, P(cp)},
      {&m, &pipeline, DTC_RULE_TUNING_DEGREE, P(pp)},
      {&m, &megatron, DTC_RULE_TUNING_FRAMEWORK, P(framework)},
      {&m, &four, DTC_RULE_TUNING_SHARDED, P(sharding)},
      {&latent, &plain, DTC_RULE_TUNING_MODEL, M(kv_rank)},
      {&experts, &mlp, DTC_RULE_TUNING_MODEL, M(experts)},
      {&m, &stepped, DTC_RULE_TUNING_SHARDED, P(sharding)},
      {&m, &offloaded, DTC_RULE_OFFLOAD_ACTIVATIONS, P(framework)},
      {&m, &scaling, DTC_RULE_OFFLOAD_ACTIVATIONS, P(framework)},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    dtc_memory out;
    dtc_error err;
    DTC_INIT(&out);
    DTC_INIT(&err);
    assert_int_equal(dtc_memory_estimate(rows[i].model, NULL, rows[i].plan, NULL, 0, &out, &err), DTC_E_UNSUPPORTED);
    assert_int_equal(err.rule, rows[i].rule);
    assert_int_equal(err.field, rows[i].field);
  }
  dtc_model_states states;
  DTC_INIT(&states);
  assert_int_equal(dtc_memory_states(1000000, &plain, &states, NULL), DTC_E_UNSUPPORTED);
  assert_int_equal(dtc_memory_states(1000000, &stepped, &states, NULL), DTC_E_UNSUPPORTED);
}

static void rules_of_tuning(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-2-7b");
  dtc_error findings[FINDINGS];
  dtc_plan p = one_gpu(DTC_TUNING_DEFAULT);
  p.lora_rank = 16;
  p.lora_targets = DTC_LORA_TARGETS_ALL;
  p.double_quant = DTC_BOOL_ON;
  p.quant_inputs = 4;
  p.frozen_layers = 33;
  p.accumulation = 2;
  p.step_in_backward = DTC_BOOL_ON;
  size_t n = check(&m, NULL, &p, findings);
  const dtc_rule warnings[] = {DTC_RULE_LORA_RANK, DTC_RULE_LORA_TARGETS, DTC_RULE_DOUBLE_QUANT, DTC_RULE_QUANT_INPUTS};
  for (size_t i = 0; i < sizeof warnings / sizeof warnings[0]; i++) {
    assert_non_null(finding(findings, n, warnings[i]));
    assert_int_equal(finding(findings, n, warnings[i])->severity, DTC_SEVERITY_WARNING);
  }
  assert_int_equal(finding(findings, n, DTC_RULE_FROZEN_LAYERS)->severity, DTC_SEVERITY_ERROR);
  assert_int_equal(finding(findings, n, DTC_RULE_STEP_IN_BACKWARD)->severity, DTC_SEVERITY_ERROR);
  p = one_gpu(DTC_TUNING_QLORA);
  p.lora_rank = 16;
  p.double_quant = DTC_BOOL_ON;
  p.frozen_layers = 32;
  assert_int_equal(check(&m, NULL, &p, findings), 0);
}

/* Every term of a fine-tuned plan has a text, and what is in 4 bit is a term of its own. */
static void terms_have_texts(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-2-7b");
  dtc_plan p = one_gpu(DTC_TUNING_QLORA);
  dtc_memory_term terms[TERMS];
  size_t n = 0, found = 0;
  assert_int_equal(dtc_memory_terms(&m, NULL, &p, 0, NULL, 0, terms, TERMS, &n, NULL), DTC_OK);
  for (size_t i = 0; i < n; i++) {
    const char *text = dtc_memory_term_text(terms[i].index, DTC_LANG_EN);
    assert_non_null(text);
    if (strcmp(text, "frozen weights in 4 bit, with their scales") == 0)
      found += terms[i].bytes == 3642753024;
  }
  assert_int_equal(found, 1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(parameters_of_adapters),
      cmocka_unit_test(states_of_adapters),
      cmocka_unit_test(weights_in_four_bit),
      cmocka_unit_test(inputs_in_four_bit),
      cmocka_unit_test(kept_beside_frozen_weights),
      cmocka_unit_test(kept_with_dropout),
      cmocka_unit_test(kept_by_frozen_layers),
      cmocka_unit_test(stepped_in_backward),
      cmocka_unit_test(activations_elsewhere),
      cmocka_unit_test(compiled_layers),
      cmocka_unit_test(refused),
      cmocka_unit_test(rules_of_tuning),
      cmocka_unit_test(terms_have_texts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

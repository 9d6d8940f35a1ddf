/* Plans: defaults, the batch triple, sizes. */
#include "check_plan.h"

/* ---- defaults ---------------------------------------------------------------------------------------------------- */

static void every_default_of_a_dense_plan(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-3-8b");
  dtc_plan p = check_plan();
  dtc_plan out = resolved(&m, NULL, &p);
  dtc_plan expected = {
      .struct_size = sizeof expected,
      .framework = DTC_FRAMEWORK_PYTORCH,
      .framework_version = 2015000,
      .sharding = DTC_SHARDING_DDP,
      .tp = 1,
      .cp = 1,
      .pp = 1,
      .vpp = 1,
      .dp = 1,
      .dp_shard = 1,
      .ep = 1,
      .etp = 1,
      .sequence_parallel = DTC_BOOL_OFF,
      .schedule = DTC_SCHEDULE_1F1B,
      .micro_batch = 1,
      .global_batch = 1,
      .accumulation = 1,
      .seq = 4096,
      .recompute = DTC_RECOMPUTE_NONE,
      .attention = DTC_ATTENTION_FLASH,
      .precision = DTC_PRECISION_BF16,
      .grad_dtype = DTC_GRAD_DTYPE_FP32,
      .optimizer = DTC_OPTIMIZER_ADAM,
      .dropout = DTC_BOOL_OFF,
      .vocab_multiple = 1,
      .account_embedding = DTC_BOOL_OFF,
      .account_loss = DTC_BOOL_OFF,
      .p2p_overlap = DTC_BOOL_OFF,
      .moe_overlap = DTC_BOOL_OFF,
      .recompute_method = DTC_RECOMPUTE_METHOD_UNIFORM,
      .recompute_layers = 1,
      .loss = DTC_LOSS_UPCAST,
      .optimizer_kernel = DTC_OPTIMIZER_KERNEL_FOREACH,
      .loss_chunks = 1,
      .dispatcher = DTC_DISPATCHER_ALLTOALL,
      .load_percent = 100,
      .tuning = DTC_TUNING_FULL,
      .lora_targets = DTC_LORA_TARGETS_QV,
      .lora_rank = 8,
      .grouped_gemm = DTC_BOOL_ON,
      .reshard = DTC_BOOL_ON,
      .vocab_parallel = DTC_BOOL_ON,
      .activation_fusion = DTC_BOOL_ON,
      .recompute_core_attn = DTC_BOOL_OFF,
      .recompute_mlp = DTC_BOOL_OFF,
      .recompute_layernorm = DTC_BOOL_OFF,
      .recompute_moe_act = DTC_BOOL_OFF,
      .recompute_mla_up_proj = DTC_BOOL_OFF,
      .recompute_moe = DTC_BOOL_OFF,
      .recompute_shared_experts = DTC_BOOL_OFF,
      .transformer_engine = DTC_BOOL_OFF,
      .grad_fusion = DTC_BOOL_OFF,
      .attention_mask = DTC_BOOL_OFF,
      .defer_wgrad = DTC_BOOL_OFF,
      .fp8_params = DTC_BOOL_OFF,
      .bucket_view = DTC_BOOL_OFF,
      .fused_norm = DTC_BOOL_OFF,
      .compile = DTC_BOOL_OFF,
      .offload_activations = DTC_BOOL_OFF,
      .frozen_embedding = DTC_BOOL_OFF,
      .double_quant = DTC_BOOL_OFF,
      .step_in_backward = DTC_BOOL_OFF,
      .attention_dropout = DTC_BOOL_OFF,
      .softmax_fp32 = DTC_BOOL_OFF,
      .router_fp32 = DTC_BOOL_OFF,
      .recompute_distributed = DTC_BOOL_OFF,
      .whole_tensors = DTC_BOOL_OFF,
      .flash_version = 2,
      .tp_overlap = DTC_BOOL_OFF,
      .grad_overlap = DTC_BOOL_ON,
      .param_overlap = DTC_BOOL_OFF,
      .cuda_graph = DTC_CUDA_GRAPH_NONE,
      .fp8_recipe = DTC_FP8_RECIPE_TENSOR,
      .packed = 4096,
  };
  assert_memory_equal(&out, &expected, sizeof out);
}

static void defaults_follow_from_what_is_said(void **state)
{
  (void)state;
  dtc_model m = check_named("mixtral-8x7b");
  dtc_plan p = check_plan();
  p.tp = 2;
  p.cp = 2;
  p.pp = 4;
  p.vpp = 2;
  p.dp = 8;
  p.ep = 4;
  p.micro_batch = 2;
  dtc_plan out = resolved(&m, NULL, &p);
  assert_int_equal(out.framework, DTC_FRAMEWORK_MEGATRON);
  assert_int_equal(out.framework_version, 20000);
  assert_int_equal(out.sharding, DTC_SHARDING_DISTOPT);
  assert_int_equal(out.schedule, DTC_SCHEDULE_INTERLEAVED);
  assert_int_equal(out.dp_shard, 16);
  assert_int_equal(out.etp, 2);
  assert_int_equal(out.accumulation, 4);
  assert_int_equal(out.global_batch, 64);
  assert_int_equal(out.vocab_multiple, 256);
  assert_int_equal(out.grad_dtype, DTC_GRAD_DTYPE_FP32);
  assert_int_equal(out.p2p_overlap, DTC_BOOL_ON);
  assert_int_equal(out.group, 4);
}

/* What does not come out is left idle only when dp is said. */
static void gpus_are_not_left_idle_without_a_word(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-3-70b");
  dtc_cluster c = nodes(16);
  dtc_error findings[FINDINGS];
  dtc_plan p = check_plan();
  p.tp = 8;
  p.pp = 5;
  size_t n = check(&m, &c, &p, findings);
  assert_int_equal(n, 1);
  assert_int_equal(findings[0].rule, DTC_RULE_WORLD_DIVIDES);
  p.dp = 3;
  n = check(&m, &c, &p, findings);
  assert_int_equal(n, 1);
  assert_int_equal(findings[0].rule, DTC_RULE_WORLD);
  assert_int_equal(findings[0].severity, DTC_SEVERITY_WARNING);
}

static void a_sharding_names_its_framework(void **state)
{
  (void)state;
  static const struct {
    dtc_sharding sharding;
    dtc_framework framework;
    uint64_t dp_shard; /* of 16 ranks */
  } rows[] = {
      {DTC_SHARDING_DDP, DTC_FRAMEWORK_PYTORCH, 1},       {DTC_SHARDING_ZERO1, DTC_FRAMEWORK_DEEPSPEED, 16},
      {DTC_SHARDING_ZERO2, DTC_FRAMEWORK_DEEPSPEED, 16},  {DTC_SHARDING_ZERO3, DTC_FRAMEWORK_DEEPSPEED, 16},
      {DTC_SHARDING_FSDP, DTC_FRAMEWORK_PYTORCH, 16},     {DTC_SHARDING_HSDP, DTC_FRAMEWORK_PYTORCH, 8},
      {DTC_SHARDING_DISTOPT, DTC_FRAMEWORK_MEGATRON, 16},
  };
  dtc_model m = check_named("llama-3-8b");
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    dtc_plan p = check_plan();
    p.sharding = rows[i].sharding;
    p.dp = 16;
    dtc_plan out = resolved(&m, NULL, &p);
    assert_int_equal(out.framework, rows[i].framework);
    assert_int_equal(out.sharding, rows[i].sharding);
    assert_int_equal(out.dp_shard, rows[i].dp_shard);
  }
}

static void each_framework_has_its_own_defaults(void **state)
{
  (void)state;
  static const struct {
    dtc_framework framework;
    uint32_t version;
    dtc_sharding sharding;
    dtc_bool sp; /* with tp = 2 */
    dtc_grad_dtype bf16;
    dtc_grad_dtype fp16;
    uint64_t vocab_multiple;
  } rows[] = {
      {DTC_FRAMEWORK_PYTORCH, 2015000, DTC_SHARDING_DDP, DTC_BOOL_OFF, DTC_GRAD_DTYPE_FP32, DTC_GRAD_DTYPE_FP32, 1},
      {DTC_FRAMEWORK_DEEPSPEED, 19008, DTC_SHARDING_ZERO1, DTC_BOOL_OFF, DTC_GRAD_DTYPE_16BIT, DTC_GRAD_DTYPE_16BIT, 1},
      {DTC_FRAMEWORK_MEGATRON, 20000, DTC_SHARDING_DISTOPT, DTC_BOOL_OFF, DTC_GRAD_DTYPE_FP32, DTC_GRAD_DTYPE_16BIT,
       256},
      {DTC_FRAMEWORK_COLOSSALAI, 5000, DTC_SHARDING_ZERO1, DTC_BOOL_OFF, DTC_GRAD_DTYPE_16BIT, DTC_GRAD_DTYPE_16BIT, 1},
      {DTC_FRAMEWORK_TORCHTITAN, 3000, DTC_SHARDING_FSDP, DTC_BOOL_ON, DTC_GRAD_DTYPE_FP32, DTC_GRAD_DTYPE_FP32, 1},
      {DTC_FRAMEWORK_SCALING, 1000, DTC_SHARDING_ZERO1, DTC_BOOL_OFF, DTC_GRAD_DTYPE_16BIT, DTC_GRAD_DTYPE_16BIT, 1},
  };
  dtc_model m = check_named("llama-3-8b");
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    dtc_plan p = check_plan();
    p.framework = rows[i].framework;
    p.tp = 2;
    dtc_plan out = resolved(&m, NULL, &p);
    assert_int_equal(out.framework_version, rows[i].version);
    assert_int_equal(out.sharding, rows[i].sharding);
    assert_int_equal(out.grad_dtype, rows[i].bf16);
    assert_int_equal(out.vocab_multiple, rows[i].vocab_multiple);
    assert_int_equal(out.sequence_parallel, rows[i].sp);
    p.precision = DTC_PRECISION_FP16;
    assert_int_equal(resolved(&m, NULL, &p).grad_dtype, rows[i].fp16);
    p.precision = DTC_PRECISION_FP32;
    assert_int_equal(resolved(&m, NULL, &p).grad_dtype, DTC_GRAD_DTYPE_FP32);
  }
}

static void gradients_are_reduced_in_backward_by_default(void **state)
{
  (void)state;
  static const struct {
    dtc_framework framework;
    dtc_bool alone;  /* with pp = 1 */
    dtc_bool staged; /* with pp = 2 */
  } rows[] = {
      {DTC_FRAMEWORK_PYTORCH, DTC_BOOL_ON, DTC_BOOL_DEFAULT}, /* has no pipeline */
      {DTC_FRAMEWORK_DEEPSPEED, DTC_BOOL_ON, DTC_BOOL_OFF},   {DTC_FRAMEWORK_MEGATRON, DTC_BOOL_OFF, DTC_BOOL_OFF},
      {DTC_FRAMEWORK_COLOSSALAI, DTC_BOOL_ON, DTC_BOOL_ON},   {DTC_FRAMEWORK_TORCHTITAN, DTC_BOOL_ON, DTC_BOOL_ON},
      {DTC_FRAMEWORK_SCALING, DTC_BOOL_OFF, DTC_BOOL_OFF},
  };
  dtc_model m = check_named("llama-3-8b");
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    dtc_plan p = check_plan();
    p.framework = rows[i].framework;
    p.dp = 2;
    dtc_plan out = resolved(&m, NULL, &p);
    assert_int_equal(out.grad_overlap, rows[i].alone);
    assert_int_equal(out.tp_overlap, DTC_BOOL_OFF);
    assert_int_equal(out.param_overlap, DTC_BOOL_OFF);
    p.pp = 2;
    if (rows[i].staged != DTC_BOOL_DEFAULT)
      assert_int_equal(resolved(&m, NULL, &p).grad_overlap, rows[i].staged);
    p.pp = 0;
    for (dtc_bool b = DTC_BOOL_ON; b <= DTC_BOOL_OFF; b++) { /* what is said stays */
      p.grad_overlap = b;
      assert_int_equal(resolved(&m, NULL, &p).grad_overlap, b);
    }
  }
}

static void the_kernel_of_attention_has_its_generation(void **state)
{
  (void)state;
  static const struct {
    dtc_attention attention;
    uint32_t compute;
    uint32_t version;
  } rows[] = {
      {DTC_ATTENTION_DEFAULT, 90, 3}, /* cudnn */ {DTC_ATTENTION_DEFAULT, 80, 2},
      {DTC_ATTENTION_DEFAULT, 0, 2},  {DTC_ATTENTION_CUDNN, 0, 3},
      {DTC_ATTENTION_CUDNN, 80, 2},   {DTC_ATTENTION_CUDNN, 100, 3},
      {DTC_ATTENTION_FLASH, 90, 2},   {DTC_ATTENTION_EAGER, 90, 2},
      {DTC_ATTENTION_MATH, 90, 2},
  };
  dtc_model m = check_named("llama-3-8b");
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    dtc_cluster c = nodes(1);
    dtc_plan p = check_plan();
    c.compute = rows[i].compute;
    p.framework = DTC_FRAMEWORK_MEGATRON;
    p.attention = rows[i].attention;
    assert_int_equal(resolved(&m, &c, &p).flash_version, rows[i].version);
    p.flash_version = 1;
    assert_int_equal(resolved(&m, &c, &p).flash_version, 1);
  }
}

static void sequences_are_not_packed_by_default(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-3-8b");
  dtc_plan p = check_plan();
  p.seq = 2048;
  assert_int_equal(resolved(&m, NULL, &p).packed, 2048);
  p.packed = 400;
  assert_int_equal(resolved(&m, NULL, &p).packed, 400);
}

static void seq_defaults_to_the_context_up_to_4096(void **state)
{
  (void)state;
  dtc_plan p = check_plan();
  dtc_model m = check_named("gpt2");
  assert_int_equal(resolved(&m, NULL, &p).seq, 1024);
  m = check_named("llama-3.1-8b");
  assert_int_equal(resolved(&m, NULL, &p).seq, 4096);
  m.context = 0;
  assert_int_equal(resolved(&m, NULL, &p).seq, 4096);
}

static void dp_is_what_the_cluster_leaves(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-3-70b");
  dtc_cluster c = nodes(16);
  dtc_plan p = check_plan();
  p.tp = 8;
  p.pp = 4;
  assert_int_equal(resolved(&m, &c, &p).dp, 4);
  p.cp = 2;
  assert_int_equal(resolved(&m, &c, &p).dp, 2);
  p.cp = 0;
  c.nodes = 0;
  assert_int_equal(resolved(&m, &c, &p).dp, 1);
  assert_int_equal(resolved(&m, NULL, &p).dp, 1);
}

static void hsdp_shards_over_a_node(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-3-8b");
  dtc_cluster c = nodes(4);
  dtc_plan p = check_plan();
  p.sharding = DTC_SHARDING_HSDP;
  assert_int_equal(resolved(&m, &c, &p).dp_shard, 8);
  c.gpus_per_node = 4;
  assert_int_equal(resolved(&m, &c, &p).dp_shard, 4);
  p.dp = 2;
  assert_int_equal(resolved(&m, &c, &p).dp_shard, 2);
}

/* A default may not break a rule: 12 ranks on nodes of 8 are sharded over what divides both. */
static void hsdp_default_is_legal(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-3-8b");
  for (uint64_t dp = 1; dp <= 40; dp++) {
    dtc_plan p = check_plan();
    p.sharding = DTC_SHARDING_HSDP;
    p.dp = dp;
    assert_int_equal(dp % resolved(&m, NULL, &p).dp_shard, 0);
  }
}

/* ---- the batch triple -------------------------------------------------------------------------------------------- */

static void any_two_of_the_batch_give_the_third(void **state)
{
  (void)state;
  static const struct {
    uint64_t dp, pp, micro, global, accum;  /* given */
    uint64_t micro_is, global_is, accum_is; /* resolved */
  } rows[] = {
      {4, 1, 0, 0, 0, 1, 4, 1},   {4, 8, 0, 0, 0, 1, 32, 8},  {4, 1, 2, 0, 0, 2, 8, 1},    {4, 1, 0, 0, 3, 1, 12, 3},
      {4, 1, 2, 0, 3, 2, 24, 3},  {4, 1, 2, 24, 0, 2, 24, 3}, {4, 1, 0, 24, 3, 2, 24, 3},  {4, 1, 0, 24, 0, 1, 24, 6},
      {4, 1, 2, 24, 3, 2, 24, 3}, {4, 1, 2, 8, 1, 2, 8, 1},   {16, 1, 1, 16, 1, 1, 16, 1}, {1, 1, 0, 7, 0, 1, 7, 7},
      {1, 1, 0, 7, 1, 7, 7, 1},
  };
  dtc_model m = check_named("llama-3-8b");
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    dtc_plan p = check_plan();
    p.framework = DTC_FRAMEWORK_DEEPSPEED;
    p.dp = rows[i].dp;
    p.pp = rows[i].pp;
    p.micro_batch = rows[i].micro;
    p.global_batch = rows[i].global;
    p.accumulation = rows[i].accum;
    dtc_plan out = resolved(&m, NULL, &p);
    assert_int_equal(out.micro_batch, rows[i].micro_is);
    assert_int_equal(out.global_batch, rows[i].global_is);
    assert_int_equal(out.accumulation, rows[i].accum_is);
  }
}

static void a_batch_that_does_not_come_out_is_refused(void **state)
{
  (void)state;
  static const struct {
    uint64_t dp, micro, global, accum;
    dtc_rule rule;
    uint64_t other_got, lower, upper;
  } rows[] = {
      {4, 3, 100, 0, DTC_RULE_BATCH, 12, 96, 108},
      {4, 0, 30, 0, DTC_RULE_BATCH, 4, 28, 32},
      {48, 0, 100, 0, DTC_RULE_BATCH, 48, 96, 144},
      {4, 0, 30, 3, DTC_RULE_BATCH, 4, 24, 36},
      {8, 2, 4, 0, DTC_RULE_BATCH, 16, DTC_NONE, 16},
      {1, 2, 8, 1, DTC_RULE_BATCH_PRODUCT, 2, 2, DTC_NONE}, /* a world of one instead of four */
      {4, 1, 32, 1, DTC_RULE_BATCH_PRODUCT, 4, 4, DTC_NONE},
      {4, 2, 8, 3, DTC_RULE_BATCH_PRODUCT, 24, DTC_NONE, 24},
      {4, 0, 32, 3, DTC_RULE_BATCH_PRODUCT, 12, 24, 36},
  };
  dtc_model m = check_named("llama-3-8b");
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    dtc_plan p = check_plan();
    dtc_plan out = check_plan();
    dtc_error err;
    DTC_INIT(&err);
    p.framework = DTC_FRAMEWORK_DEEPSPEED;
    p.dp = rows[i].dp;
    p.micro_batch = rows[i].micro;
    p.global_batch = rows[i].global;
    p.accumulation = rows[i].accum;
    assert_int_equal(dtc_plan_resolve(&m, NULL, &p, &out, &err),
                     rows[i].rule == DTC_RULE_BATCH ? DTC_E_DIVIDE : DTC_E_CONFLICT);
    assert_int_equal(err.rule, rows[i].rule);
    assert_int_equal(err.field, DTC_FIELD(plan, global_batch));
    assert_int_equal(err.other, DTC_FIELD(plan, micro_batch));
    assert_true(err.got == rows[i].global && err.other_got == rows[i].other_got);
    assert_true(err.lower == rows[i].lower && err.upper == rows[i].upper);
    dtc_plan untouched = check_plan();
    assert_memory_equal(&out, &untouched, sizeof out);
  }
}

/* Nearest global batches on both sides of one that is not a multiple of `unit`. */
static void check_nearest(const dtc_error *e, uint64_t global, uint64_t unit)
{
  uint64_t below = (global - 1) / unit * unit;
  assert_true(e->lower == (below != 0 ? below : DTC_NONE));
  assert_true(e->upper == global / unit * unit + unit);
}

static void check_batch(uint64_t dp, uint64_t micro, uint64_t global, uint64_t accum)
{
  dtc_model m = check_named("llama-3-8b");
  dtc_plan p = check_plan();
  dtc_plan out = check_plan();
  dtc_error e;
  DTC_INIT(&e);
  p.framework = DTC_FRAMEWORK_DEEPSPEED;
  p.dp = dp;
  p.micro_batch = micro;
  p.global_batch = global;
  p.accumulation = accum;
  dtc_status s = dtc_plan_resolve(&m, NULL, &p, &out, &e);
  uint64_t given = dp * (micro != 0 ? micro : 1) * (accum != 0 ? accum : 1);
  int comes_out = global == 0 || (micro != 0 && accum != 0 ? global == given : global % given == 0);
  assert_int_equal(s == DTC_OK, comes_out);
  if (s == DTC_OK) {
    assert_true(out.global_batch == out.micro_batch * dp * out.accumulation);
    assert_true(micro == 0 || out.micro_batch == micro);
    assert_true(accum == 0 || out.accumulation == accum);
    assert_true(global == 0 || out.global_batch == global);
    return;
  }
  assert_int_equal(e.field, DTC_FIELD(plan, global_batch));
  assert_int_equal(e.got, global);
  if (micro != 0 && accum != 0 && e.rule == DTC_RULE_BATCH_PRODUCT)
    assert_true(e.lower == (given < global ? given : DTC_NONE) && e.upper == (given > global ? given : DTC_NONE));
  else if (micro == 0 || accum == 0)
    check_nearest(&e, global, given);
}

/* Zeros, primes, multiples and conflicts, against what the numbers say. */
static void every_combination_of_the_batch(void **state)
{
  (void)state;
  static const uint64_t values[] = {0, 1, 2, 3, 7, 12, 24, 97, 1u << 20};
  enum { VALUES = sizeof values / sizeof values[0] };
  for (size_t dp = 1; dp < VALUES - 1; dp++)
    for (size_t micro = 0; micro < VALUES - 1; micro++)
      for (size_t global = 0; global < VALUES; global++)
        for (size_t accum = 0; accum < VALUES - 1; accum++)
          check_batch(values[dp], values[micro], values[global], values[accum]);
}

/* ---- resolve again ---------------------------------------------------------------------------------------------------- */

static void resolving_twice_changes_nothing(void **state)
{
  (void)state;
  size_t legal = 0;
  seed = 2;
  for (int i = 0; i < check_rounds(6000); i++) {
    dtc_model m = check_named(names[roll(5)]);
    dtc_cluster c = nodes(roll(4));
    dtc_plan p = random_plan(4);
    const dtc_cluster *where = roll(2) ? &c : NULL;
    dtc_plan once = check_plan();
    dtc_plan twice = check_plan();
    if (dtc_plan_resolve(&m, where, &p, &once, NULL) != DTC_OK)
      continue;
    legal++;
    assert_int_equal(dtc_plan_resolve(&m, where, &once, &twice, NULL), DTC_OK);
    assert_memory_equal(&once, &twice, sizeof once);
    assert_int_equal(dtc_plan_resolve(&m, where, &once, &once, NULL), DTC_OK); /* onto itself */
    assert_memory_equal(&once, &twice, sizeof once);
  }
  assert_true(legal > (size_t)check_rounds(300));
}

static dtc_model wide(void)
{
  dtc_model m;
  DTC_INIT(&m);
  m.layers = 2;
  m.hidden = 1 << 20;
  m.heads = 1 << 14;
  m.ffn = 1 << 22;
  m.vocab = 1000;
  m.position = DTC_POSITION_ROPE;
  return m;
}

/* At the ends of the ranges a plan is refused, or what comes out can go in again. */
static void filled_values_stay_in_their_ranges(void **state)
{
  (void)state;
  dtc_model m = wide();
  dtc_cluster big = nodes((uint64_t)1 << 32);
  dtc_plan plans[6];
  for (size_t i = 0; i < 6; i++)
    plans[i] = check_plan();
  plans[0].dp = (uint64_t)1 << 32;
  plans[0].cp = 2; /* dp_shard */
  plans[1].dp = 1 << 10;
  plans[1].micro_batch = (uint64_t)1 << 32; /* global_batch */
  plans[2].global_batch = (uint64_t)1 << 40;
  plans[2].accumulation = 1;                 /* micro_batch */
  plans[3].global_batch = (uint64_t)1 << 40; /* accumulation */
  plans[4].tp = 1 << 14;                     /* vocab_multiple */
  plans[5].tp = 1;                           /* dp: all of the cluster */
  big.gpus_per_node = 4096;
  for (size_t i = 0; i < 6; i++) {
    const dtc_cluster *c = i == 5 ? &big : NULL;
    dtc_plan once = check_plan();
    dtc_plan twice = check_plan();
    dtc_status s = dtc_plan_resolve(&m, c, &plans[i], &once, NULL);
    if (s == DTC_OK)
      s = dtc_plan_resolve(&m, c, &once, &twice, NULL) == DTC_OK ? DTC_OK : -1;
    if (s != DTC_OK && s != DTC_E_RANGE && s != DTC_E_OVERFLOW)
      fail_msg("plan %d resolves to one that does not", (int)i);
    if (s == DTC_OK)
      assert_memory_equal(&once, &twice, sizeof once);
  }
}

static void products_that_overflow_are_errors(void **state)
{
  (void)state;
  dtc_model m = wide();
  dtc_plan p = check_plan();
  dtc_plan out = check_plan();
  dtc_error err;
  dtc_error findings[FINDINGS];
  size_t n = 0;
  DTC_INIT(&err);
  p.tp = p.cp = p.pp = 1 << 20;
  p.dp = (uint64_t)1 << 32;
  assert_int_equal(dtc_plan_resolve(&m, NULL, &p, &out, &err), DTC_E_OVERFLOW);
  assert_int_equal(err.rule, DTC_RULE_OVERFLOW);
  assert_int_equal(err.field, DTC_FIELD(plan, dp));
  DTC_INIT(&findings[0]);
  assert_int_equal(dtc_plan_check(&m, NULL, &p, findings, FINDINGS, &n, &err), DTC_E_OVERFLOW);

  p = check_plan();
  p.dp = p.micro_batch = p.accumulation = (uint64_t)1 << 32;
  assert_int_equal(dtc_plan_resolve(&m, NULL, &p, &out, &err), DTC_E_OVERFLOW);
  assert_int_equal(err.field, DTC_FIELD(plan, global_batch));
  p.global_batch = (uint64_t)1 << 40; /* the product of the rule saturates instead */
  assert_int_not_equal(dtc_plan_resolve(&m, NULL, &p, &out, &err), DTC_OK);
}

static void a_field_outside_its_range_is_named(void **state)
{
  (void)state;
  static const struct {
    uint32_t field;
    uint64_t value, max;
  } rows[] = {
      {P(tp), ((uint64_t)1 << 20) + 1, (uint64_t)1 << 20},
      {P(dp), ((uint64_t)1 << 32) + 1, (uint64_t)1 << 32},
      {P(global_batch), UINT64_MAX, (uint64_t)1 << 40},
      {P(framework), 7, 6},
      {P(sharding), 8, 7},
      {P(optimizer), 19, 18},
      {P(dropout), 3, 2},
      {P(precision), 7, 6},
      {P(flash_version), 4, 3},
      {P(cuda_graph), 4, 3},
      {P(fp8_recipe), 5, 4},
      {P(packed), ((uint64_t)1 << 32) + 1, (uint64_t)1 << 32},
  };
  dtc_model m = check_named("llama-3-8b");
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    dtc_plan p = check_plan();
    dtc_plan out = check_plan();
    dtc_error err;
    dtc_error findings[1];
    size_t n = 77;
    DTC_INIT(&err);
    DTC_INIT(&findings[0]);
    dtci_write(&p, dtci_field_of(rows[i].field), rows[i].value);
    assert_int_equal(dtc_plan_resolve(&m, NULL, &p, &out, &err), DTC_E_RANGE);
    assert_int_equal(err.field, rows[i].field);
    assert_true(err.got == rows[i].value && err.min == 0 && err.max == rows[i].max);
    assert_int_equal(dtc_plan_check(&m, NULL, &p, findings, 1, &n, NULL), DTC_E_RANGE);
    assert_int_equal(n, 77);
  }
}

/* ---- arrays and sizes ---------------------------------------------------------------------------------------------- */

static void the_first_finding_sets_the_stride(void **state)
{
  (void)state;
  struct {
    dtc_error e;
    uint64_t mine[2];
  } findings[FINDINGS];
  dtc_error plain[FINDINGS];
  dtc_model m = check_named("llama-3-70b");
  dtc_plan p = check_plan();
  size_t n = 0;
  p.tp = 3;
  p.pp = 99;
  p.vpp = 3;
  memset(findings, 0x5a, sizeof findings);
  findings[0].e.struct_size = sizeof findings[0];
  assert_int_equal(dtc_plan_check(&m, NULL, &p, &findings[0].e, FINDINGS, &n, NULL), DTC_OK);
  assert_int_equal(check(&m, NULL, &p, plain), n);
  assert_true(n >= 3);
  for (size_t i = 0; i < n; i++) {
    assert_int_equal(findings[i].e.struct_size, sizeof findings[0]);
    assert_int_equal(findings[i].e.rule, plain[i].rule);
    assert_true(findings[i].e.got == plain[i].got && findings[i].mine[0] == 0 && findings[i].mine[1] == 0);
  }
}

static void too_small_an_array_tells_the_count(void **state)
{
  (void)state;
  dtc_error findings[FINDINGS];
  dtc_error err;
  dtc_model m = check_named("llama-3-70b");
  dtc_plan p = check_plan();
  p.tp = 3;
  p.pp = 99;
  p.vpp = 3;
  size_t all = check(&m, NULL, &p, findings);
  for (size_t cap = 0; cap < all; cap++) {
    size_t n = 0;
    DTC_INIT(&err);
    DTC_INIT(&findings[0]);
    memset(&findings[cap], 0x5a, sizeof findings[cap]);
    findings[0].struct_size = sizeof findings[0];
    dtc_error beyond = findings[cap];
    assert_int_equal(dtc_plan_check(&m, NULL, &p, cap != 0 ? findings : NULL, cap, &n, &err), DTC_E_SPACE);
    assert_int_equal(n, all);
    assert_int_equal(err.rule, DTC_RULE_SPACE);
    assert_true(err.got == cap && err.min == all);
    assert_memory_equal(&findings[cap], &beyond, sizeof beyond);
  }
  size_t n = 0;
  findings[0].struct_size = 8;
  assert_int_equal(dtc_plan_check(&m, NULL, &p, findings, FINDINGS, &n, NULL), DTC_E_SIZE);
}

static void struct_sizes_are_checked(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-3-8b");
  dtc_plan p = check_plan();
  dtc_plan out = check_plan();
  dtc_error err;
  DTC_INIT(&err);
  p.struct_size = 100;
  assert_int_equal(dtc_plan_resolve(&m, NULL, &p, &out, &err), DTC_E_SIZE);
  assert_int_equal(err.field >> 16, DTC_STRUCT_plan);
  p = check_plan();
  out.struct_size = 0;
  assert_int_equal(dtc_plan_resolve(&m, NULL, &p, &out, &err), DTC_E_SIZE);
  out = check_plan();
  assert_int_equal(dtc_plan_resolve(NULL, NULL, &p, &out, &err), DTC_E_SIZE);
  assert_int_equal(dtc_plan_resolve(&m, NULL, NULL, &out, &err), DTC_E_SIZE);
  err.struct_size = 1;
  assert_int_equal(dtc_plan_resolve(&m, NULL, &p, &out, &err), DTC_E_SIZE);

  struct {
    dtc_plan p;
    uint64_t later;
  } longer = {.p = check_plan(), .later = 1};
  longer.p.struct_size = sizeof longer;
  assert_int_equal(dtc_plan_resolve(&m, NULL, &longer.p, &out, NULL), DTC_E_NEWER);
  longer.later = 0;
  assert_int_equal(dtc_plan_resolve(&m, NULL, &longer.p, &out, NULL), DTC_OK);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_default_of_a_dense_plan),
      cmocka_unit_test(defaults_follow_from_what_is_said),
      cmocka_unit_test(gpus_are_not_left_idle_without_a_word),
      cmocka_unit_test(a_sharding_names_its_framework),
      cmocka_unit_test(each_framework_has_its_own_defaults),
      cmocka_unit_test(gradients_are_reduced_in_backward_by_default),
      cmocka_unit_test(the_kernel_of_attention_has_its_generation),
      cmocka_unit_test(sequences_are_not_packed_by_default),
      cmocka_unit_test(seq_defaults_to_the_context_up_to_4096),
      cmocka_unit_test(dp_is_what_the_cluster_leaves),
      cmocka_unit_test(hsdp_shards_over_a_node),
      cmocka_unit_test(hsdp_default_is_legal),
      cmocka_unit_test(any_two_of_the_batch_give_the_third),
      cmocka_unit_test(a_batch_that_does_not_come_out_is_refused),
      cmocka_unit_test(every_combination_of_the_batch),
      cmocka_unit_test(resolving_twice_changes_nothing),
      cmocka_unit_test(filled_values_stay_in_their_ranges),
      cmocka_unit_test(products_that_overflow_are_errors),
      cmocka_unit_test(a_field_outside_its_range_is_named),
      cmocka_unit_test(the_first_finding_sets_the_stride),
      cmocka_unit_test(too_small_an_array_tells_the_count),
      cmocka_unit_test(struct_sizes_are_checked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

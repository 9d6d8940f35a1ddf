/* Plans: defaults, the batch triple, every rule broken once, nearest legal values, stages. */
#include "check.h"

#include <dtcore/plan.h>
#include "internal/internal.h"
#include "internal/rules.h"

enum { FINDINGS = 32 };

/* Nodes of eight GPUs. */
static dtc_cluster nodes(uint64_t n)
{
  dtc_cluster c;
  DTC_INIT(&c);
  c.memory = (uint64_t)80 << 30;
  c.gpus_per_node = 8;
  c.nodes = n;
  return c;
}

static dtc_plan resolved(const dtc_model *m, const dtc_cluster *c, const dtc_plan *p)
{
  dtc_plan out = check_plan();
  dtc_error err;
  DTC_INIT(&err);
  check_ok(dtc_plan_resolve(m, c, p, &out, &err), &err);
  return out;
}

static size_t check(const dtc_model *m, const dtc_cluster *c, const dtc_plan *p, dtc_error findings[FINDINGS])
{
  size_t n = 0;
  memset(findings, 0, FINDINGS * sizeof findings[0]);
  findings[0].struct_size = sizeof findings[0];
  assert_int_equal(dtc_plan_check(m, c, p, findings, FINDINGS, &n, NULL), DTC_OK);
  return n;
}

static const dtc_error *finding(const dtc_error *findings, size_t n, dtc_rule rule)
{
  for (size_t i = 0; i < n; i++)
    if (findings[i].rule == rule)
      return &findings[i];
  return NULL;
}

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
  p.pp = 5; /* 128 / 40 = 3, the rest stays idle */
  assert_int_equal(resolved(&m, &c, &p).dp, 3);
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

/* ---- every rule broken once ---------------------------------------------------------------------------------------- */

typedef struct broken {
  const char *model;
  uint64_t nodes; /* 0: no cluster */
  struct {
    uint32_t field;
    uint64_t value;
  } set[6];
  dtc_rule rule;
  dtc_status status;
  dtc_severity severity;
  uint32_t field;
  uint32_t other;
  uint64_t got, other_got, min, max, lower, upper;
} broken;

#define P(x) DTC_FIELD(plan, x)
#define M(x) DTC_FIELD(model, x)
#define NO DTC_NONE
#define ERROR DTC_SEVERITY_ERROR
#define WARNING DTC_SEVERITY_WARNING

/* clang-format off */
static const broken breaks[] = {
    {"llama-3-70b", 0, {{P(tp), 7}}, DTC_RULE_TP_HEADS, DTC_E_DIVIDE, ERROR,
     P(tp), M(heads), 7, 64, NO, NO, 4, 8},
    {"gpt2", 0, {{M(kv_heads), 6}, {M(arch), DTC_ARCH_MEGATRON}, {P(tp), 4}}, DTC_RULE_TP_KV_HEADS, DTC_E_DIVIDE, ERROR,
     P(tp), M(kv_heads), 4, 6, NO, NO, 3, 6},
    {"llama-3-70b", 0, {{M(ffn), 100}, {P(tp), 8}}, DTC_RULE_TP_FFN, DTC_E_DIVIDE, ERROR,
     P(tp), M(ffn), 8, 100, NO, NO, 4, NO},
    {"qwen1.5-moe-a2.7b", 0, {{M(shared_ffn), 5636}, {P(tp), 8}, {P(etp), 1}}, DTC_RULE_TP_SHARED_FFN, DTC_E_DIVIDE, ERROR,
     P(tp), M(shared_ffn), 8, 5636, NO, NO, 4, NO},
    {"mixtral-8x7b", 0, {{P(etp), 3}, {P(dp), 3}}, DTC_RULE_ETP_MOE_FFN, DTC_E_DIVIDE, ERROR,
     P(etp), M(moe_ffn), 3, 14336, NO, NO, 1, NO},
    {"mixtral-8x7b", 0, {{P(ep), 3}, {P(dp), 24}}, DTC_RULE_EP_EXPERTS, DTC_E_DIVIDE, ERROR,
     P(ep), M(experts), 3, 8, NO, NO, 2, 4},
    {"llama-3-8b", 0, {{P(ep), 2}, {P(dp), 2}}, DTC_RULE_EP_NEEDS_EXPERTS, DTC_E_CONFLICT, ERROR,
     P(ep), M(experts), 2, 0, 1, NO, NO, NO},
    {"mixtral-8x7b", 0, {{P(ep), 8}, {P(dp), 12}}, DTC_RULE_EP_WORLD, DTC_E_DIVIDE, ERROR,
     P(ep), P(tp), 8, 12, NO, NO, 4, NO},
    {"mixtral-8x7b", 1, {{P(tp), 2}, {P(pp), 2}, {P(ep), 8}, {P(etp), 1}}, DTC_RULE_EP_WORLD, DTC_E_DIVIDE, ERROR,
     P(ep), P(tp), 8, 4, NO, NO, 4, NO},
    {"llama-3-8b", 0, {{P(pp), 40}}, DTC_RULE_PP_LAYERS, DTC_E_RANGE, ERROR,
     P(pp), M(layers), 40, 32, NO, 32, 32, NO},
    {"llama-3-8b", 0, {{P(pp), 4}, {P(vpp), 3}}, DTC_RULE_VPP_LAYERS, DTC_E_DIVIDE, ERROR,
     P(vpp), M(layers), 3, 32, NO, NO, 2, 4},
    {"llama-3-8b", 0, {{P(vpp), 2}}, DTC_RULE_VPP_NEEDS_PP, DTC_E_CONFLICT, ERROR,
     P(vpp), P(pp), 2, 1, 2, NO, NO, NO},
    {"llama-3-8b", 0, {{P(pp), 4}, {P(vpp), 2}, {P(accumulation), 6}}, DTC_RULE_VPP_BATCH, DTC_E_DIVIDE, ERROR,
     P(accumulation), P(pp), 6, 4, NO, NO, 4, 8},
    {"llama-3-8b", 0, {{P(cp), 4}, {P(seq), 1004}}, DTC_RULE_CP_SEQ, DTC_E_DIVIDE, ERROR,
     P(seq), P(cp), 1004, 8, NO, NO, 1000, 1008},
    {"llama-3-8b", 0, {{P(tp), 8}, {P(sequence_parallel), 2}, {P(seq), 1004}}, DTC_RULE_SP_SEQ, DTC_E_DIVIDE, ERROR,
     P(seq), P(tp), 1004, 8, NO, NO, 1000, 1008},
    {"llama-3-8b", 0, {{P(sequence_parallel), 2}}, DTC_RULE_SP_NEEDS_TP, DTC_E_CONFLICT, WARNING,
     P(sequence_parallel), P(tp), 2, 1, 2, NO, NO, NO},
    {"llama-3-8b", 0, {{P(dp), 12}, {P(dp_shard), 5}, {P(sharding), DTC_SHARDING_FSDP}}, DTC_RULE_DP_SHARD, DTC_E_DIVIDE, ERROR,
     P(dp_shard), P(dp), 5, 12, NO, NO, 4, 6},
    {"llama-3-8b", 0, {{P(dp), 4}, {P(micro_batch), 3}, {P(global_batch), 100}}, DTC_RULE_BATCH, DTC_E_DIVIDE, ERROR,
     P(global_batch), P(micro_batch), 100, 12, NO, NO, 96, 108},
    {"llama-3-8b", 0, {{P(dp), 4}, {P(micro_batch), 2}, {P(global_batch), 32}, {P(accumulation), 2}}, DTC_RULE_BATCH_PRODUCT, DTC_E_CONFLICT, ERROR,
     P(global_batch), P(micro_batch), 32, 16, NO, NO, 16, NO},
    {"llama-3-8b", 2, {{P(tp), 4}, {P(dp), 3}, {P(sharding), DTC_SHARDING_DDP}, {P(global_batch), 12}}, DTC_RULE_WORLD, DTC_E_DIVIDE, WARNING,
     P(dp), DTC_FIELD(cluster, nodes), 3, 16, NO, NO, NO, 4},
    {"llama-3-8b", 1, {{P(dp), 12}, {P(sharding), DTC_SHARDING_DDP}, {P(global_batch), 24}}, DTC_RULE_WORLD_SIZE, DTC_E_RANGE, ERROR,
     P(dp), DTC_FIELD(cluster, nodes), 12, 8, NO, 8, 8, NO},
    {"gpt2", 0, {{P(seq), 2048}}, DTC_RULE_SEQ_CONTEXT, DTC_E_RANGE, ERROR,
     P(seq), M(context), 2048, 1024, NO, 1024, 1024, NO},
    {"llama-3-70b", 2, {{P(tp), 16}}, DTC_RULE_TP_DOMAIN, DTC_E_RANGE, WARNING,
     P(tp), DTC_FIELD(cluster, nvlink_domain), 16, 8, NO, 8, 8, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_PYTORCH}, {P(sharding), DTC_SHARDING_DISTOPT}}, DTC_RULE_DISTOPT, DTC_E_CONFLICT, ERROR,
     P(sharding), P(framework), DTC_SHARDING_DISTOPT, DTC_FRAMEWORK_PYTORCH, DTC_FRAMEWORK_MEGATRON, DTC_FRAMEWORK_MEGATRON, NO, NO},
    {"llama-3-8b", 0, {{P(pp), 4}, {P(vpp), 2}, {P(schedule), DTC_SCHEDULE_1F1B}}, DTC_RULE_VPP_SCHEDULE, DTC_E_CONFLICT, ERROR,
     P(vpp), P(schedule), 2, DTC_SCHEDULE_1F1B, DTC_SCHEDULE_INTERLEAVED, DTC_SCHEDULE_INTERLEAVED_ZB, NO, NO},
    {"llama-3-8b", 0, {{P(pp), 4}, {P(schedule), DTC_SCHEDULE_INTERLEAVED}}, DTC_RULE_INTERLEAVED_VPP, DTC_E_CONFLICT, ERROR,
     P(schedule), P(vpp), DTC_SCHEDULE_INTERLEAVED, 1, 2, NO, NO, NO},
    {"llama-3-8b", 0, {{P(framework), DTC_FRAMEWORK_MEGATRON}, {P(pp), 5}}, DTC_RULE_MEGATRON_PP_LAYERS, DTC_E_DIVIDE, ERROR,
     P(pp), M(layers), 5, 32, NO, NO, 4, 8},
    {"llama-3-8b", 0, {{P(sharding), DTC_SHARDING_ZERO3}, {P(framework), DTC_FRAMEWORK_MEGATRON}}, DTC_RULE_MEGATRON_ZERO, DTC_E_UNSUPPORTED, ERROR,
     P(sharding), P(framework), DTC_SHARDING_ZERO3, DTC_FRAMEWORK_MEGATRON, NO, NO, NO, NO},
    {"llama-3-8b", 0, {{P(sharding), DTC_SHARDING_HSDP}, {P(framework), DTC_FRAMEWORK_MEGATRON}}, DTC_RULE_MEGATRON_HSDP, DTC_E_UNSUPPORTED, ERROR,
     P(sharding), P(framework), DTC_SHARDING_HSDP, DTC_FRAMEWORK_MEGATRON, NO, NO, NO, NO},
    {"llama-3-8b", 0, {{P(sharding), DTC_SHARDING_ZERO1}, {P(framework), DTC_FRAMEWORK_TORCHTITAN}}, DTC_RULE_TORCHTITAN_ZERO, DTC_E_UNSUPPORTED, ERROR,
     P(sharding), P(framework), DTC_SHARDING_ZERO1, DTC_FRAMEWORK_TORCHTITAN, NO, NO, NO, NO},
    {"llama-3-8b", 0, {{P(sharding), DTC_SHARDING_ZERO2}, {P(framework), DTC_FRAMEWORK_PYTORCH}}, DTC_RULE_PYTORCH_ZERO, DTC_E_UNSUPPORTED, ERROR,
     P(sharding), P(framework), DTC_SHARDING_ZERO2, DTC_FRAMEWORK_PYTORCH, NO, NO, NO, NO},
    {"llama-3-8b", 0, {{P(sharding), DTC_SHARDING_FSDP}, {P(framework), DTC_FRAMEWORK_DEEPSPEED}}, DTC_RULE_DEEPSPEED_FSDP, DTC_E_UNSUPPORTED, ERROR,
     P(sharding), P(framework), DTC_SHARDING_FSDP, DTC_FRAMEWORK_DEEPSPEED, NO, NO, NO, NO},
    {"llama-3-8b", 0, {{P(sharding), DTC_SHARDING_HSDP}, {P(framework), DTC_FRAMEWORK_COLOSSALAI}}, DTC_RULE_COLOSSALAI_HSDP, DTC_E_UNSUPPORTED, ERROR,
     P(sharding), P(framework), DTC_SHARDING_HSDP, DTC_FRAMEWORK_COLOSSALAI, NO, NO, NO, NO},
    {"llama-3-8b", 0, {{P(pp), 2}, {P(framework), DTC_FRAMEWORK_PYTORCH}}, DTC_RULE_PYTORCH_PP, DTC_E_UNSUPPORTED, ERROR,
     P(pp), P(framework), 2, DTC_FRAMEWORK_PYTORCH, NO, NO, NO, NO},
    {"llama-3-8b", 0, {{P(ep), 2}, {P(dp), 2}, {P(framework), DTC_FRAMEWORK_PYTORCH}}, DTC_RULE_PYTORCH_EP, DTC_E_UNSUPPORTED, ERROR,
     P(ep), P(framework), 2, DTC_FRAMEWORK_PYTORCH, NO, NO, NO, NO},
    {"llama-3-8b", 0, {{P(pp), 4}, {P(vpp), 2}, {P(framework), DTC_FRAMEWORK_DEEPSPEED}}, DTC_RULE_DEEPSPEED_VPP, DTC_E_UNSUPPORTED, ERROR,
     P(vpp), P(framework), 2, DTC_FRAMEWORK_DEEPSPEED, NO, NO, NO, NO},
    {"llama-3-8b", 0, {{P(pp), 2}, {P(sharding), DTC_SHARDING_ZERO2}}, DTC_RULE_DEEPSPEED_PP_ZERO, DTC_E_UNSUPPORTED, ERROR,
     P(sharding), P(pp), DTC_SHARDING_ZERO2, 2, 1, 1, NO, NO},
    {"llama-3-8b", 0, {{P(recompute), DTC_RECOMPUTE_SELECTIVE}, {P(framework), DTC_FRAMEWORK_TORCHTITAN}}, DTC_RULE_SELECTIVE, DTC_E_UNSUPPORTED, WARNING,
     P(recompute), P(framework), DTC_RECOMPUTE_SELECTIVE, DTC_FRAMEWORK_TORCHTITAN, DTC_FRAMEWORK_MEGATRON, DTC_FRAMEWORK_MEGATRON, NO, NO},
    {"llama-3-8b", 0, {{P(sharding), DTC_SHARDING_FSDP}, {P(framework), DTC_FRAMEWORK_MEGATRON}}, DTC_RULE_MEGATRON_FSDP, DTC_E_UNSUPPORTED, WARNING,
     P(sharding), P(framework), DTC_SHARDING_FSDP, DTC_FRAMEWORK_MEGATRON, NO, NO, NO, NO},
};
/* clang-format on */
enum { BREAKS = sizeof breaks / sizeof breaks[0] };

static void set_up(const broken *b, dtc_model *m, dtc_plan *p)
{
  *m = check_named(b->model);
  *p = check_plan();
  for (size_t i = 0; i < 6 && b->set[i].field != 0; i++)
    dtci_write(b->set[i].field >> 16 == DTC_STRUCT_model ? (void *)m : (void *)p, dtci_field_of(b->set[i].field),
               b->set[i].value);
}

static void every_rule_gives_its_numbers(void **state)
{
  (void)state;
  dtc_error findings[FINDINGS];
  for (size_t i = 0; i < BREAKS; i++) {
    const broken *b = &breaks[i];
    dtc_model m;
    dtc_plan p;
    dtc_cluster c = nodes(b->nodes);
    set_up(b, &m, &p);
    size_t n = check(&m, b->nodes != 0 ? &c : NULL, &p, findings);
    const dtc_error *f = finding(findings, n, b->rule);
    if (f == NULL)
      fail_msg("rule %u is not found", b->rule);
    if (f->status != b->status || f->severity != b->severity || f->field != b->field || f->other != b->other)
      fail_msg("rule %u: status %d, severity %u, field %x, other %x", b->rule, f->status, f->severity, f->field,
               f->other);
    if (f->got != b->got || f->other_got != b->other_got || f->min != b->min || f->max != b->max)
      fail_msg("rule %u: got %lu, other %lu, min %lu, max %lu", b->rule, (unsigned long)f->got,
               (unsigned long)f->other_got, (unsigned long)f->min, (unsigned long)f->max);
    if (f->lower != b->lower || f->upper != b->upper)
      fail_msg("rule %u: lower %ld, upper %ld", b->rule, (long)f->lower, (long)f->upper);
    assert_true(f->offset == DTC_NONE);
  }
}

/* Of the finding list, resolve gives the first error; warnings do not stop it. */
static void resolve_stops_at_the_first_error(void **state)
{
  (void)state;
  dtc_error findings[FINDINGS];
  for (size_t i = 0; i < BREAKS; i++) {
    const broken *b = &breaks[i];
    dtc_model m;
    dtc_plan p;
    dtc_plan out = check_plan();
    dtc_error err;
    dtc_cluster c = nodes(b->nodes);
    DTC_INIT(&err);
    set_up(b, &m, &p);
    size_t n = check(&m, b->nodes != 0 ? &c : NULL, &p, findings);
    dtc_status s = dtc_plan_resolve(&m, b->nodes != 0 ? &c : NULL, &p, &out, &err);
    size_t k = 0;
    while (k < n && findings[k].severity != DTC_SEVERITY_ERROR)
      k++;
    assert_int_equal(s, k < n ? findings[k].status : DTC_OK);
    assert_int_equal(s == DTC_OK, b->severity == WARNING);
    if (k < n)
      assert_memory_equal(&err, &findings[k], sizeof err);
  }
}

static void every_rule_that_checks_is_broken_above(void **state)
{
  (void)state;
  for (uint32_t i = 0; i < dtci_rules_count; i++) {
    size_t k = 0;
    while (k < BREAKS && breaks[k].rule != dtci_rules[i].rule)
      k++;
    assert_true(dtci_rules[i].hook == DTCI_TEXT || k < BREAKS);
  }
  dtc_model m = check_named("mixtral-8x7b");
  dtc_plan p = check_plan();
  m.top_k = 9;
  assert_int_equal(dtc_plan_resolve(&m, NULL, &p, &p, NULL), DTC_E_CONFLICT);
}

static void findings_come_in_the_order_of_their_rules(void **state)
{
  (void)state;
  dtc_error findings[FINDINGS];
  dtc_model m = check_named("mixtral-8x7b");
  dtc_plan p = check_plan();
  p.tp = 7;
  p.ep = 3;
  p.pp = 99;
  p.seq = 4001;
  p.cp = 2;
  p.micro_batch = 3;
  p.global_batch = 7;
  size_t n = check(&m, NULL, &p, findings);
  assert_true(n >= 5);
  for (size_t i = 1; i < n; i++)
    assert_true(findings[i - 1].rule < findings[i].rule);
}

static void a_legal_plan_has_no_findings(void **state)
{
  (void)state;
  dtc_error findings[FINDINGS];
  dtc_model m = check_named("llama-3-70b");
  dtc_cluster c = nodes(64);
  dtc_plan p = check_plan();
  p.tp = 8;
  p.pp = 4;
  p.vpp = 5;
  p.sequence_parallel = DTC_BOOL_ON;
  p.global_batch = 1024;
  assert_int_equal(check(&m, &c, &p, findings), 0);
}

/* ---- nearest legal values -------------------------------------------------------------------------------------------- */

/* Defaults that were filled from the wrong value move with it: the nearest value is judged in the user's plan. */
static void nearest_values_do_not_hang_on_filled_defaults(void **state)
{
  (void)state;
  dtc_error findings[FINDINGS];
  dtc_model m = check_named("mixtral-8x7b");
  dtc_plan p = check_plan();
  p.tp = 7; /* etp = tp */
  size_t n = check(&m, NULL, &p, findings);
  const dtc_error *f = finding(findings, n, DTC_RULE_TP_HEADS);
  assert_non_null(f);
  assert_true(f->lower == 4 && f->upper == 8);

  dtc_cluster c = nodes(1);
  m = check_named("llama-3-8b");
  p = check_plan();
  p.sharding = DTC_SHARDING_FSDP;
  p.dp = 12; /* dp_shard = dp, global_batch = dp */
  n = check(&m, &c, &p, findings);
  f = finding(findings, n, DTC_RULE_WORLD_SIZE);
  assert_non_null(f);
  assert_true(f->lower == 8 && f->upper == DTC_NONE);

  p = check_plan();
  p.pp = 40; /* accumulation = pp */
  p.vpp = 2;
  n = check(&m, NULL, &p, findings);
  f = finding(findings, n, DTC_RULE_PP_LAYERS);
  assert_non_null(f);
  assert_true(f->lower == 16 && f->upper == DTC_NONE);
}

static void nearest_values_are_found_far_away(void **state)
{
  (void)state;
  dtc_error findings[FINDINGS];
  dtc_model m = check_named("llama-3-70b");
  dtc_plan p = check_plan();
  p.tp = 100000;
  size_t n = check(&m, NULL, &p, findings);
  const dtc_error *f = finding(findings, n, DTC_RULE_TP_HEADS);
  assert_non_null(f);
  assert_true(f->lower == 64 && f->upper == DTC_NONE);

  p = check_plan();
  p.pp = 1000000;
  n = check(&m, NULL, &p, findings);
  f = finding(findings, n, DTC_RULE_PP_LAYERS);
  assert_non_null(f);
  assert_true(f->lower == 80 && f->upper == DTC_NONE);
}

/* A generator with a fixed seed: the same plans on every machine. */
static uint64_t seed;

static uint64_t roll(uint64_t n)
{
  return check_random(&seed, n);
}

static dtc_plan random_plan(uint64_t largest)
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
  p.schedule = (dtc_schedule)roll(4);
  p.recompute = (dtc_recompute)roll(4);
  p.attention = (dtc_attention)roll(3);
  p.precision = (dtc_precision)roll(4);
  p.grad_dtype = (dtc_grad_dtype)roll(3);
  p.optimizer = (dtc_optimizer)roll(8);
  p.dropout = (dtc_bool)roll(3);
  return p;
}

static const char *const names[] = {"llama-3-8b", "gpt2", "mixtral-8x7b", "qwen1.5-moe-a2.7b", "llama-3.1-405b"};

static void try_nearest(const dtc_model *m, const dtc_cluster *c, const dtc_plan *p, const dtc_error *f, uint64_t value)
{
  dtc_error after[FINDINGS];
  dtc_plan tried = *p;
  if (value == DTC_NONE)
    return;
  dtci_write(&tried, dtci_field_of(f->field), value);
  size_t n = check(m, c, &tried, after);
  const dtc_error *left = finding(after, n, f->rule);
  if (left != NULL) {
    char text[256];
    assert_int_equal(dtc_plan_format(NULL, p, text, sizeof text, NULL, NULL), DTC_OK);
    fail_msg("rule %u: %lu is no cure: %s", f->rule, (unsigned long)value, text);
  }
}

static void nearest_values_cure_the_finding(void **state)
{
  (void)state;
  dtc_error findings[FINDINGS];
  size_t tried = 0;
  seed = 1;
  for (int i = 0; i < 400; i++) {
    dtc_model m = check_named(names[roll(5)]);
    dtc_cluster c = nodes(roll(4));
    dtc_plan p = random_plan(40);
    const dtc_cluster *where = roll(2) ? &c : NULL;
    size_t n = check(&m, where, &p, findings);
    for (size_t k = 0; k < n; k++) {
      assert_true(findings[k].lower == DTC_NONE || findings[k].lower < findings[k].got);
      assert_true(findings[k].upper == DTC_NONE || findings[k].upper > findings[k].got);
      try_nearest(&m, where, &p, &findings[k], findings[k].lower);
      try_nearest(&m, where, &p, &findings[k], findings[k].upper);
      tried += findings[k].lower != DTC_NONE;
      tried += findings[k].upper != DTC_NONE;
    }
  }
  assert_true(tried > 300);
}

/* ---- resolve again ---------------------------------------------------------------------------------------------------- */

static void resolving_twice_changes_nothing(void **state)
{
  (void)state;
  size_t legal = 0;
  seed = 2;
  for (int i = 0; i < 6000; i++) {
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
  assert_true(legal > 300);
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
      {P(framework), 6, 5},
      {P(sharding), 8, 7},
      {P(optimizer), 8, 7},
      {P(dropout), 3, 2},
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

/* ---- stages ---------------------------------------------------------------------------------------------------------- */

static void check_stages(const dtc_model *m, const dtc_plan *p, uint64_t layers, uint64_t moe)
{
  dtc_stage sum = {0};
  uint64_t last = UINT64_MAX;
  for (uint64_t i = 0; i < p->pp; i++) {
    dtc_stage s;
    assert_int_equal(dtc_plan_stage(m, p, i, &s, NULL), DTC_OK);
    assert_true(s.layers <= last && s.layers >= 1 && s.moe_layers <= s.layers);
    assert_int_equal(s.embedding, i == 0);
    assert_int_equal(s.head, i + 1 == p->pp);
    last = s.layers;
    sum.layers += s.layers;
    sum.moe_layers += s.moe_layers;
  }
  assert_int_equal(sum.layers, layers);
  assert_int_equal(sum.moe_layers, moe);
}

static void stages_make_up_the_model(void **state)
{
  (void)state;
  dtc_plan p = check_plan();
  dtc_model dense = check_named("llama-3-8b");
  dtc_model moe = check_named("qwen1.5-moe-a2.7b");
  dtc_model mixed = moe;
  p.framework = DTC_FRAMEWORK_TORCHTITAN; /* which takes any pp */
  mixed.dense_layers = 1;                 /* then every other one of 23 */
  mixed.moe_every = 2;
  for (p.pp = 1; p.pp <= 24; p.pp++) {
    check_stages(&dense, &p, 32, 0);
    check_stages(&moe, &p, 24, 24);
  }
  for (p.pp = 1; p.pp <= 24; p.pp++)
    check_stages(&mixed, &p, 24, 11);
}

static void the_first_stages_take_the_rest(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-3-8b");
  dtc_plan p = check_plan();
  dtc_stage s;
  p.framework = DTC_FRAMEWORK_TORCHTITAN;
  p.pp = 5; /* 7 7 6 6 6 */
  const uint64_t layers[] = {7, 7, 6, 6, 6};
  for (uint64_t i = 0; i < 5; i++) {
    assert_int_equal(dtc_plan_stage(&m, &p, i, &s, NULL), DTC_OK);
    assert_int_equal(s.layers, layers[i]);
  }
}

static void a_stage_beyond_the_last_is_refused(void **state)
{
  (void)state;
  dtc_model m = check_named("llama-3-8b");
  dtc_plan p = check_plan();
  dtc_stage s = {.layers = 77};
  dtc_error err;
  DTC_INIT(&err);
  p.pp = 4;
  assert_int_equal(dtc_plan_stage(&m, &p, 4, &s, &err), DTC_E_RANGE);
  assert_int_equal(err.rule, DTC_RULE_INDEX);
  assert_true(err.got == 4 && err.max == 3 && s.layers == 77);
  p.pp = 33;
  assert_int_equal(dtc_plan_stage(&m, &p, 0, &s, &err), DTC_E_RANGE);
  assert_int_equal(err.rule, DTC_RULE_PP_LAYERS);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_default_of_a_dense_plan),
      cmocka_unit_test(defaults_follow_from_what_is_said),
      cmocka_unit_test(a_sharding_names_its_framework),
      cmocka_unit_test(each_framework_has_its_own_defaults),
      cmocka_unit_test(seq_defaults_to_the_context_up_to_4096),
      cmocka_unit_test(dp_is_what_the_cluster_leaves),
      cmocka_unit_test(hsdp_shards_over_a_node),
      cmocka_unit_test(hsdp_default_is_legal),
      cmocka_unit_test(any_two_of_the_batch_give_the_third),
      cmocka_unit_test(a_batch_that_does_not_come_out_is_refused),
      cmocka_unit_test(every_rule_gives_its_numbers),
      cmocka_unit_test(resolve_stops_at_the_first_error),
      cmocka_unit_test(every_rule_that_checks_is_broken_above),
      cmocka_unit_test(findings_come_in_the_order_of_their_rules),
      cmocka_unit_test(a_legal_plan_has_no_findings),
      cmocka_unit_test(nearest_values_do_not_hang_on_filled_defaults),
      cmocka_unit_test(nearest_values_are_found_far_away),
      cmocka_unit_test(nearest_values_cure_the_finding),
      cmocka_unit_test(resolving_twice_changes_nothing),
      cmocka_unit_test(filled_values_stay_in_their_ranges),
      cmocka_unit_test(products_that_overflow_are_errors),
      cmocka_unit_test(a_field_outside_its_range_is_named),
      cmocka_unit_test(the_first_finding_sets_the_stride),
      cmocka_unit_test(too_small_an_array_tells_the_count),
      cmocka_unit_test(struct_sizes_are_checked),
      cmocka_unit_test(stages_make_up_the_model),
      cmocka_unit_test(the_first_stages_take_the_rest),
      cmocka_unit_test(a_stage_beyond_the_last_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

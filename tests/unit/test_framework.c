/* dtc_framework_lint(): the call, JSON, and DeepSpeed's dialect. */
#include "lint_check.h"

enum { RELEASE_0_19_6 = 19006, RELEASE_0_19_8 = 19008 };

static lint_result deepspeed(const char *text)
{
  dtc_lint lint = lint_of(DTC_DIALECT_DEEPSPEED, RELEASE_0_19_6, 8);
  return lint_text(&lint, text);
}

static void check_findings(const char *text, const char *expected)
{
  lint_result r = deepspeed(text);
  lint_expect(&r, expected);
}

/* ---- common findings ------------------------------------------------------------------------- */

#define MICRO "\"train_micro_batch_size_per_gpu\": 1"

static void an_unknown_name_stops_or_not(void **state)
{
  (void)state;
  lint_result r = deepspeed("{" MICRO ", \"zero_optimisation\": {\"stage\": 2}}");
  lint_expect(&r, "401 text 38|");
  assert_int_equal(r.findings[0].severity, DTC_SEVERITY_WARNING);
  assert_string_equal(dtc_field_name(r.findings[0].other), "zero_optimization");
  assert_string_equal(lint_lines(&r),
                      "byte 38: unknown name, the tool goes on as if it were not there; the nearest name "
                      "is zero_optimization\n");
  r = deepspeed("{" MICRO ", \"zero_optimization\": {\"overlap_com\": true}}");
  lint_expect(&r, "400 zero_optimization 60|");
  assert_int_equal(r.findings[0].severity, DTC_SEVERITY_ERROR);
  assert_string_equal(lint_lines(&r),
                      "byte 60: unknown name in zero_optimization, the tool stops at it; the nearest name "
                      "is zero_optimization.overlap_comm\n");
  check_findings("{" MICRO ", \"optimizer\": {\"params\": {\"anything\": [1, {}]}, \"typ\": 1}}", "401 optimizer 85|");
  r = deepspeed("{" MICRO ", \"\\u0066p16\": {\"enabled\": false, \"qqqqqqqqqqqqqqqqq\": []}}");
  lint_expect(&r, "400 fp16 70|");
  assert_int_equal(r.findings[0].other, 0);
}

static void a_value_has_the_type_of_its_key(void **state)
{
  (void)state;
  lint_result r = deepspeed("{" MICRO ", \"zero_optimization\": {\"reduce_bucket_size\": 0.5, \"overlap_comm\": 2}}");
  lint_expect(&r, "402 zero_optimization.reduce_bucket_size 60|402 zero_optimization.overlap_comm 87|");
  assert_string_equal(lint_lines(&r),
                      "byte 60: not a value of zero_optimization.reduce_bucket_size, which takes an integer, "
                      "0 or more\nbyte 87: not a value of zero_optimization.overlap_comm, which takes true or "
                      "false\n");
  check_findings("{" MICRO ", \"fp16\": 3, \"bf16\": null, \"zero_optimization\": []}",
                 "402 fp16 38|402 bf16 49|402 zero_optimization 63|");
  check_findings("{\"train_batch_size\": \"8\"}", "402 train_batch_size 1|");
  check_findings("{" MICRO ", \"compile\": {\"passes\": [\"z1\", 3, \"z9\", []], \"deepcompile\": \"yes\"}}",
                 "404 compile.passes 50|404 compile.passes 50|402 compile.passes 50|");
  check_findings("{" MICRO ", \"compile\": {\"passes\": []}}", "");
  check_findings("{" MICRO ", \"tensorboard\": {\"output_path\": 7}}", "402 tensorboard.output_path 54|");
  r = deepspeed("{" MICRO ", \"wall_clock_breakdown\": \"false\", \"steps_per_print\": null}");
  lint_expect(&r, "402 wall_clock_breakdown 38|");
  assert_int_equal(r.findings[0].severity, DTC_SEVERITY_WARNING);
}

/* Of a number the message tells the range, where it has one. */
static void numbers_tell_their_range(void **state)
{
  (void)state;
  char line[256];
  lint_result r = deepspeed("{" MICRO ", \"gradient_clipping\": {}, \"fp16\": {\"loss_scale\": \"x\"}, "
                            "\"zero_optimization\": {\"offload_optimizer\": {\"ratio\": \"x\"}}}");
  assert_string_equal(
      lint_lines(&r),
      "byte 38: not a value of gradient_clipping, which takes a number\n"
      "byte 72: not a value of fp16.loss_scale, which takes a number, 0 or more\n"
      "byte 136: not a value of zero_optimization.offload_optimizer.ratio, which takes a number, 0 to 1\n");
  dtc_error_format(&r.findings[1], DTC_LANG_ZH, line, sizeof line);
  assert_non_null(strstr(line, "数值，0 或更大"));
  dtc_error_format(&r.findings[2], DTC_LANG_ZH, line, sizeof line);
  assert_non_null(strstr(line, "数值，0 到 1"));
}

static void a_value_lies_in_its_range(void **state)
{
  (void)state;
  lint_result r = deepspeed("{" MICRO ", \"zero_optimization\": {\"stage\": 4}}");
  lint_expect(&r, "403 zero_optimization.stage 60|");
  assert_int_equal(r.findings[0].status, DTC_E_RANGE);
  assert_int_equal(r.findings[0].got, 4);
  assert_int_equal(r.findings[0].min, 0);
  assert_int_equal(r.findings[0].max, 3);
  assert_int_equal(r.findings[0].lower, 3);
  assert_int_equal(r.findings[0].upper, DTC_NONE);
  assert_string_equal(lint_lines(&r), "zero_optimization.stage = 4: must be 0 to 3; nearest legal: 3\n");
  r = deepspeed("{\"train_batch_size\": -8}");
  lint_expect(&r, "403 train_batch_size 1|");
  assert_string_equal(lint_lines(&r), "train_batch_size = -8: must be 1 to 1099511627776; nearest legal: 1\n");
  r = deepspeed("{" MICRO ", \"zero_optimization\": {\"stage\": 3, \"offload_optimizer\": {\"ratio\": 1.5}}}");
  lint_expect(&r, "403 zero_optimization.offload_optimizer.ratio 94|");
  assert_string_equal(lint_lines(&r),
                      "zero_optimization.offload_optimizer.ratio = 1.5: must be 0 to 1; nearest legal: 1\n");
}

static void a_word_is_one_of_its_set(void **state)
{
  (void)state;
  lint_result r =
      deepspeed("{" MICRO ", \"communication_data_type\": \"bfp16\", \"checkpoint\": {\"tag_validation\": \"FAIL\"}}");
  lint_expect(&r, "404 communication_data_type 38|");
  assert_string_equal(lint_lines(&r),
                      "byte 38: not a word of communication_data_type, which takes one of fp16, bf16, fp32\n");
  check_findings("{" MICRO ", \"optimizer\": {\"type\": \"adamw\"}}", "");
  r = deepspeed("{" MICRO ", \"optimizer\": {\"type\": \"Nonesuch\"}}");
  lint_expect(&r, "404 optimizer.type 52|");
  assert_int_equal(r.findings[0].severity, DTC_SEVERITY_WARNING);
}

static void a_key_stands_once(void **state)
{
  (void)state;
  lint_result r = deepspeed("{" MICRO ", \"fp16\": {}, \"fp16\": {\"enabled\": false, \"enabled\": true}}");
  lint_expect(&r, "405 fp16 50|405 fp16.enabled 77|");
  assert_int_equal(r.findings[0].severity, DTC_SEVERITY_ERROR);
  assert_int_equal(r.findings[0].status, DTC_E_CONFLICT);
  assert_int_equal(r.plan.precision, DTC_PRECISION_FP16);
  check_findings("{" MICRO ", \"bf16\": {}, \"bfloat16\": {\"enabled\": true}}", "405 bf16 50|");
}

static void keys_come_and_go_with_versions(void **state)
{
  (void)state;
  dtc_lint lint = lint_of(DTC_DIALECT_DEEPSPEED, 0, 8);
  static const char text[] = "{" MICRO ", \"nebula\": {\"x\": 1}, \"zero_optimization\": {\"mics_shard_size\": 4}}";
  lint_result r = lint_text(&lint, text);
  lint_expect(&r, "406 nebula 38|406 zero_optimization.mics_shard_size 80|");
  assert_string_equal(lint_lines(&r),
                      "byte 38: nebula is no longer taken\nbyte 80: zero_optimization.mics_shard_size is no "
                      "longer taken\n");
  lint.version = DTC_MAIN;
  r = lint_text(&lint, text);
  assert_int_equal(r.count, 2);
  assert_int_equal(r.plan.framework_version, DTC_MAIN);
  lint.version = RELEASE_0_19_8 - 1;
  r = lint_text(&lint, text);
  lint_expect(&r, "");
}

/* ---- what follows ---------------------------------------------------------------------------- */

static void check_plan_text(const char *text, const char *expected)
{
  lint_result r = deepspeed(text);
  char line[256];
  size_t len = 0;
  check_ok(r.status, &r.error);
  check_ok(dtc_plan_format(NULL, &r.plan, line, sizeof line, &len, &r.error), &r.error);
  assert_string_equal(line, expected);
}

static void a_plan_follows(void **state)
{
  (void)state;
  check_plan_text("{" MICRO "}", "dtcore: deepspeed@0.19.6 dp=8 sharding=ddp mbs=1 accum=1 precision=fp32");
  check_plan_text("{\"train_batch_size\": 64}",
                  "dtcore: deepspeed@0.19.6 dp=8 sharding=ddp mbs=8 gbs=64 accum=1 precision=fp32");
  check_plan_text("{\"train_batch_size\": 64, \"gradient_accumulation_steps\": 4, \"bf16\": {\"enabled\": true},"
                  "\"zero_optimization\": {\"stage\": \"3\"}, \"optimizer\": {\"type\": \"Lion\"}}",
                  "dtcore: deepspeed@0.19.6 dp=8 sharding=zero3 mbs=2 gbs=64 accum=4 precision=bf16 optimizer=lion");
  check_plan_text("{" MICRO ", \"tensor_parallel\": {\"autotp_size\": 4}, \"fp16\": {\"enabled\": true},"
                  "\"data_types\": {\"grad_accum_dtype\": \"bf16\"}, \"zero_optimization\": true}",
                  "dtcore: deepspeed@0.19.6 tp=4 dp=2 sharding=zero1 mbs=1 accum=1 precision=fp16 grad=16bit");
  check_plan_text("{" MICRO
                  ", \"expert_parallel\": {\"enabled\": true, \"autoep_size\": 4}, \"bf16\": {\"enabled\": \"auto\"}}",
                  "dtcore: deepspeed@0.19.6 dp=8 ep=4 etp=1 sharding=ddp mbs=1 accum=1");
  check_plan_text("{" MICRO ", \"torch_autocast\": {\"enabled\": true}, \"zero_optimization\": {\"stage\": \"auto\"}}",
                  "dtcore: deepspeed@0.19.6 dp=8 mbs=1 accum=1");
}

static void a_model_follows(void **state)
{
  (void)state;
  lint_result r = deepspeed("{" MICRO ", \"vocabulary_size\": 50264}");
  lint_expect(&r, "");
  assert_int_equal(r.model.vocab, 50264);
}

static void a_batch_is_worked_out_or_refused(void **state)
{
  (void)state;
  lint_result r = deepspeed("{\"train_batch_size\": 60, \"train_micro_batch_size_per_gpu\": 2}");
  lint_expect(&r, "520 train_batch_size 1|");
  assert_int_equal(r.findings[0].got, 60);
  assert_int_equal(r.findings[0].other_got, 48);
  assert_int_equal(r.findings[0].lower, 48);
  assert_int_equal(r.findings[0].upper, 64);
  assert_string_equal(
      lint_lines(&r),
      "train_batch_size = 60: train_micro_batch_size_per_gpu * gradient_accumulation_steps * data parallel "
      "ranks must equal train_batch_size (train_micro_batch_size_per_gpu * gradient_accumulation_steps * data "
      "parallel ranks = 48): what is not given is divided out and rounded down, then all are compared; nearest "
      "legal: 48, 64\n");
  check_findings(
      "{\"train_batch_size\": 64, \"train_micro_batch_size_per_gpu\": 2, \"gradient_accumulation_steps\": 4}", "");
  /* Not known: nothing is said about it. */
  dtc_lint lint = lint_of(DTC_DIALECT_DEEPSPEED, 0, 0);
  r = lint_text(&lint, "{\"train_batch_size\": 61, \"train_micro_batch_size_per_gpu\": 2}");
  lint_expect(&r, "");
  assert_int_equal(r.plan.accumulation, 0);
}

/* ---- every rule ------------------------------------------------------------------------------ */

#define ZERO(text) "{" MICRO ", \"zero_optimization\": {" text "}}"
#define DS(rule, key, text)                                                                                            \
  {                                                                                                                    \
    DTC_RULE_DEEPSPEED_##rule, key, 8, RELEASE_0_19_6, 0, text                                                         \
  }
#define NEW(rule, key, text)                                                                                           \
  {                                                                                                                    \
    DTC_RULE_DEEPSPEED_##rule, key, 8, 0, 0, text                                                                      \
  }
#define AUTOEP3(text) "{" MICRO ", \"expert_parallel\": {\"enabled\": true" text
#define STAGE3(key, value) DS(STAGE3, "zero_optimization." key, ZERO("\"stage\": 2, \"" key "\": " value))

static const lint_example examples[] = {
    DS(BATCH, "train_batch_size", "{\"train_batch_size\": 30}"),
    DS(MICRO, "train_batch_size", "{\"train_batch_size\": 4}"),
    DS(STEPS, "train_batch_size", "{\"train_batch_size\": 8, \"train_micro_batch_size_per_gpu\": 2}"),
    DS(NO_BATCH, "train_batch_size", "{\"gradient_accumulation_steps\": 2}"),
    NEW(NO_BATCH, "train_batch_size", "{}"),
    DS(AUTO, "train_batch_size", "{\"train_batch_size\": \"auto\"}"),
    DS(AUTO, "train_micro_batch_size_per_gpu", "{\"train_micro_batch_size_per_gpu\": \"auto\"}"),
    DS(AUTO, "gradient_accumulation_steps", "{" MICRO ", \"gradient_accumulation_steps\": \"auto\"}"),
    DS(SEQUENCE, "sequence_parallel_size", "{" MICRO ", \"sequence_parallel_size\": 3}"),
    NEW(FILE, "sequence_parallel_size", "{" MICRO ", \"sequence_parallel_size\": 4}"),
    DS(FP16_BF16, "fp16.enabled", "{" MICRO ", \"fp16\": {\"enabled\": true}, \"bf16\": {\"enabled\": true}}"),
    DS(MASTER, "fp16.fp16_master_weights_and_grads",
       "{" MICRO ", \"fp16\": {\"fp16_master_weights_and_grads\": true}}"),
    DS(MASTER, "bf16.bf16_master_weights_and_grads",
       "{" MICRO ", \"bf16\": {\"bf16_master_weights_and_grads\": true}}"),
    DS(MASTER, "bf16.bf16_optimizer_states", "{" MICRO ", \"bf16\": {\"bf16_optimizer_states\": true}}"),
    DS(STATES, "bf16.bf16_optimizer_states", "{" MICRO ", \"bf16\": {\"bf16_optimizer_states\": true}}"),
    DS(RATIO, "zero_optimization.offload_optimizer.ratio",
       ZERO("\"stage\": 2, \"offload_optimizer\": {\"ratio\": 0.5}")),
    DS(SUM, "gradient_allreduce_op",
       "{" MICRO ", \"gradient_allreduce_op\": \"sum\", \"zero_optimization\": {\"stage\": 3}}"),
    DS(SUM, "gradient_allreduce_op",
       "{" MICRO ", \"gradient_allreduce_op\": \"SUM\", \"compile\": {\"deepcompile\": true}}"),
    DS(SUM, "gradient_allreduce_op",
       "{" MICRO ", \"gradient_allreduce_op\": \"sum\", \"zero_optimization\": {\"zenflow\": {}}}"),
    DS(PARAM, "zero_optimization.offload_param.device", ZERO("\"stage\": 2, \"offload_param\": {\"device\": \"cpu\"}")),
    DS(PARAM, "zero_optimization.offload_param.device", ZERO("\"stage\": 2, \"cpu_offload_param\": true")),
    DS(OPTIMIZER, "zero_optimization.offload_optimizer.device", ZERO("\"offload_optimizer\": {\"device\": \"cpu\"}")),
    DS(NVME, "zero_optimization.offload_param.device", ZERO("\"stage\": 3, \"offload_param\": {\"device\": \"nvme\"}")),
    DS(NVME, "zero_optimization.offload_optimizer.device",
       ZERO("\"stage\": 3, \"offload_optimizer\": {\"device\": \"nvme\", \"nvme_path\": null}")),
    STAGE3("stage3_prefetch_bucket_size", "1"),
    STAGE3("stage3_param_persistence_threshold", "1"),
    STAGE3("stage3_model_persistence_threshold", "1"),
    STAGE3("stage3_max_live_parameters", "1e9"),
    STAGE3("stage3_max_reuse_distance", "1"),
    STAGE3("stage3_gather_16bit_weights_on_model_save", "true"),
    STAGE3("stage3_module_granularity_threshold", "1"),
    STAGE3("stage3_use_all_reduce_for_fetch_params", "true"),
    STAGE3("stage3_allgather_sequential", "true"),
    STAGE3("stage3_partition_stream_chunk_size", "1"),
    DS(SUPER, "zero_optimization.offload_optimizer.super_offload",
       ZERO("\"stage\": 2, \"offload_optimizer\": {\"super_offload\": true}")),
    DS(OLD, "zero_optimization.cpu_offload", ZERO("\"cpu_offload\": false")),
    DS(OLD, "zero_optimization.cpu_offload_param", ZERO("\"cpu_offload_param\": false")),
    DS(OLD, "zero_optimization.cpu_offload_use_pin_memory", ZERO("\"cpu_offload_use_pin_memory\": false")),
    DS(ZERO_TRUE, "zero_optimization", "{" MICRO ", \"zero_optimization\": true}"),
    DS(LEGACY, "zero_optimization.legacy_stage1", ZERO("\"stage\": 1, \"legacy_stage1\": true")),
    DS(ELASTIC, "train_batch_size", "{\"train_batch_size\": 8, \"elasticity\": {\"enabled\": true}}"),
    DS(ELASTIC, "train_micro_batch_size_per_gpu", "{" MICRO ", \"elasticity\": {\"enabled\": true}}"),
    DS(ELASTIC, "gradient_accumulation_steps",
       "{\"gradient_accumulation_steps\": 2, \"elasticity\": {\"enabled\": true}}"),
    DS(ELASTIC3, "zero_optimization.elastic_checkpoint", ZERO("\"stage\": 3, \"elastic_checkpoint\": true")),
    DS(ONEBIT, "optimizer.type",
       "{" MICRO ", \"optimizer\": {\"type\": \"OneBitAdam\"}, \"zero_optimization\": {\"stage\": 1}}"),
    NEW(ONEBIT_GONE, "optimizer.type", "{" MICRO ", \"optimizer\": {\"type\": \"ZeroOneAdam\"}}"),
    DS(AUTOEP, "tensor_parallel.autotp_size",
       AUTOEP3("}, \"zero_optimization\": {\"stage\": 3}, \"tensor_parallel\": {\"autotp_size\": 2}}")),
    DS(AUTOEP, "sequence_parallel_size",
       AUTOEP3("}, \"zero_optimization\": {\"stage\": 3}, \"sequence_parallel_size\": 2}")),
    DS(AUTOEP, "zero_optimization.mics_shard_size",
       AUTOEP3("}, \"zero_optimization\": {\"stage\": 3, \"mics_shard_size\": 8}}")),
    DS(AUTOEP, "zero_optimization.zero_hpz_partition_size",
       AUTOEP3("}, \"zero_optimization\": {\"stage\": 3, \"zero_hpz_partition_size\": 8}}")),
    DS(AUTOEP, "zero_optimization.zero_quantized_gradients",
       AUTOEP3("}, \"zero_optimization\": {\"stage\": 3, \"zero_quantized_gradients\": true}}")),
    DS(AUTOEP, "expert_parallel.expert_tensor_parallel_size",
       AUTOEP3(", \"expert_tensor_parallel_size\": 2}, \"zero_optimization\": {\"stage\": 3}}")),
    DS(NORM, "optimizer.params.max_grad_norm", "{" MICRO ", \"optimizer\": {\"params\": {\"max_grad_norm\": 1.0}}}"),
    DS(VOCAB, "vocabulary_size", "{" MICRO ", \"vocabulary_size\": 50257}"),
    DS(CHECKPOINTS, "activation_checkpointing.contiguous_memory_optimization",
       "{" MICRO ", \"activation_checkpointing\": {\"contiguous_memory_optimization\": true}}"),
    DS(NUMBER, "activation_checkpointing.contiguous_memory_optimization",
       "{" MICRO ", \"activation_checkpointing\": {\"contiguous_memory_optimization\": true}}"),
};

static void every_rule_has_a_text_that_breaks_it(void **state)
{
  (void)state;
  lint_tables(DTC_DIALECT_DEEPSPEED);
  lint_examples(DTC_DIALECT_DEEPSPEED, examples, sizeof examples / sizeof examples[0]);
}

/* Texts that are in order, or nearly so: no rule says more than these. */
static void good_texts_have_no_findings(void **state)
{
  (void)state;
  static const char *const texts[] = {
      "{\"train_batch_size\": 64, \"train_micro_batch_size_per_gpu\": 2, \"gradient_accumulation_steps\": 4,"
      " \"steps_per_print\": 10, \"optimizer\": {\"type\": \"AdamW\", \"params\": {\"lr\": 1e-4, \"betas\": [0.9, "
      "0.95]}},"
      " \"scheduler\": {\"type\": \"WarmupLR\", \"params\": {\"warmup_num_steps\": \"auto\"}},"
      " \"bf16\": {\"enabled\": true}, \"zero_optimization\": {\"stage\": 3, \"overlap_comm\": true,"
      " \"contiguous_gradients\": true, \"reduce_bucket_size\": 5e8, \"stage3_prefetch_bucket_size\": \"auto\","
      " \"offload_param\": {\"device\": \"nvme\", \"nvme_path\": \"/local\", \"pin_memory\": true}},"
      " \"gradient_clipping\": 1.0, \"wall_clock_breakdown\": false, \"activation_checkpointing\": {\"profile\": "
      "true}}",
      "{" MICRO ", \"aio\": {\"block_size\": 1048576}, \"flops_profiler\": {\"enabled\": false, \"profile_step\": 1},"
      " \"comms_logger\": {\"enabled\": true, \"prof_ops\": [\"all_reduce\"]}, \"autotuning\": {\"x\": {\"y\": [[]]}}}",
      "{\"elasticity\": {\"enabled\": true, \"micro_batch_sizes\": [2, 4], \"max_train_batch_size\": 64}}",
      "{\"train_batch_size\": 16, \"elasticity\": {\"enabled\": true, \"ignore_non_elastic_batch_info\": true}}",
  };
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
    check_findings(texts[i], "");
}

/* ---- the call -------------------------------------------------------------------------------- */

static void the_dialect_is_told_from_the_text(void **state)
{
  (void)state;
  dtc_lint lint = lint_of(DTC_DIALECT_DEFAULT, RELEASE_0_19_6, 8);
  lint_result r = lint_text(&lint, " \n\t{\"train_batch_size\": 30}");
  lint_expect(&r, "520 train_batch_size 4|");
}

static void too_little_space_is_said(void **state)
{
  (void)state;
  static const char text[] = "{\"a\": 1, \"b\": 2, \"train_batch_size\": 8}";
  dtc_lint lint = lint_of(DTC_DIALECT_DEEPSPEED, 0, 8);
  dtc_error out[2], e;
  dtc_model model;
  dtc_plan plan;
  uint64_t needed = 0, most = 0;
  size_t count = 7;
  DTC_INIT(&e);
  DTC_INIT(&out[0]);
  DTC_INIT(&model);
  DTC_INIT(&plan);
  check_ok(dtc_framework_lint_scratch(&lint, &needed, &e), &e);
  uint64_t *scratch = malloc(needed * sizeof *scratch);
  assert_int_equal(dtc_framework_lint(&lint, text, sizeof text - 1, &model, &plan, out, 1, &count, scratch, needed, &e),
                   DTC_E_SPACE);
  assert_int_equal(count, 2);
  assert_int_equal(e.min, 2);
  assert_int_equal(plan.framework, 0); /* untouched */
  assert_int_equal(
      dtc_framework_lint(&lint, text, sizeof text - 1, &model, &plan, NULL, 0, &count, scratch, needed, &e),
      DTC_E_SPACE);
  assert_int_equal(dtc_framework_lint(&lint, text, sizeof text - 1, &model, &plan, out, 2, &count, scratch, needed, &e),
                   DTC_OK);
  assert_int_equal(plan.framework, DTC_FRAMEWORK_DEEPSPEED);
  assert_int_equal(
      dtc_framework_lint(&lint, text, sizeof text - 1, &model, &plan, out, 2, &count, scratch, needed - 1, &e),
      DTC_E_SPACE);
  assert_int_equal(e.rule, DTC_RULE_SCRATCH);
  assert_int_equal(e.min, needed);
  assert_int_equal(dtc_framework_lint(&lint, text, sizeof text - 1, &model, &plan, out, 2, &count, NULL, needed, &e),
                   DTC_E_SPACE);
  free(scratch);
  lint.dialect = DTC_DIALECT_DEFAULT;
  check_ok(dtc_framework_lint_scratch(&lint, &most, &e), &e);
  assert_true(most >= needed);
}

static void structs_are_checked(void **state)
{
  (void)state;
  dtc_lint lint = lint_of(DTC_DIALECT_DEEPSPEED, 0, 8);
  dtc_error out[1], e;
  dtc_model model;
  dtc_plan plan;
  uint64_t needed = 77, scratch[8192];
  size_t count = 7;
  DTC_INIT(&e);
  DTC_INIT(&out[0]);
  DTC_INIT(&model);
  DTC_INIT(&plan);
  lint.dialect = DTC_DIALECT_NCCL + 1;
  assert_int_equal(dtc_framework_lint_scratch(&lint, &needed, &e), DTC_E_RANGE);
  assert_int_equal(needed, 77);
  for (dtc_dialect n = DTC_DIALECT_DEEPSPEED; n <= DTC_DIALECT_NCCL; n++) { /* every number has its tables */
    dtci_dialect d;
    assert_true(dtci_dialect_of(n, &d));
    assert_int_equal(d.number, n);
    lint.dialect = n;
    assert_int_equal(dtc_framework_lint_scratch(&lint, &needed, &e), DTC_OK);
    assert_in_range(needed, 100, 1 << 20);
  }
  lint.dialect = DTC_DIALECT_DEEPSPEED;
  lint.compute = 1001;
  assert_int_equal(dtc_framework_lint(&lint, "{}", 2, &model, &plan, out, 1, &count, scratch, 8192, &e), DTC_E_RANGE);
  lint.compute = 0;
  assert_int_equal(dtc_framework_lint(&lint, "{}", (1 << 27) + 1, &model, &plan, out, 1, &count, scratch, 8192, &e),
                   DTC_E_RANGE);
  model.struct_size = 3;
  assert_int_equal(dtc_framework_lint(&lint, "{}", 2, &model, &plan, out, 1, &count, scratch, 8192, &e), DTC_E_SIZE);
  DTC_INIT(&model);
  plan.struct_size = 3;
  assert_int_equal(dtc_framework_lint(&lint, "{}", 2, &model, &plan, out, 1, &count, scratch, 8192, &e), DTC_E_SIZE);
  DTC_INIT(&plan);
  out[0].struct_size = 3;
  assert_int_equal(dtc_framework_lint(&lint, "{}", 2, &model, &plan, out, 1, &count, scratch, 8192, &e), DTC_E_SIZE);
  lint.struct_size = 3;
  assert_int_equal(dtc_framework_lint(&lint, "{}", 2, &model, &plan, out, 1, &count, scratch, 8192, NULL), DTC_E_SIZE);
  assert_int_equal(count, 7);
}

static void broken_json_is_refused(void **state)
{
  (void)state;
  static const char *const texts[] = {"",
                                      "[]",
                                      "3",
                                      "{",
                                      "{\"a\"}",
                                      "{\"fp16\": {\"enabled\": tru}}",
                                      "{} x",
                                      "{\"a\": 1,}",
                                      "{\"a\": \"b}",
                                      "{,}",
                                      "{\"fp16\": {]}",
                                      "{\"a\": Infinity}",
                                      "\x01",
                                      "{\"a\": [1, 2}"};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    lint_result r = deepspeed(texts[i]);
    assert_int_equal(r.status, DTC_E_PARSE);
    assert_int_equal(r.plan.framework, 0);
    assert_true(r.error.offset <= strlen(texts[i]));
  }
}

static void hostile_json_ends_soon(void **state)
{
  (void)state;
  enum { SIZE = 1 << 20 };
  static const char *const parts[] = {"{\"a\":", "[",
                                      "{\"fp16\":", "{\"zero_optimization\":{\"offload_param\":", "\"a\":1,"};
  char *text = malloc(SIZE + 1);
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    size_t n = strlen(parts[i]), k = 1;
    text[0] = '{';
    for (; k + n <= SIZE; k += n)
      memcpy(text + k, parts[i], n);
    text[k] = 0;
    lint_result r = deepspeed(text);
    assert_int_equal(r.status, DTC_E_PARSE);
  }
  /* One long name, and a million unknown ones: all are counted. */
  memset(text, 'x', SIZE);
  memcpy(text, "{\"", 2);
  strcpy(text + SIZE - 5, "\":1}");
  lint_result r = deepspeed(text);
  assert_int_equal(r.status, DTC_OK);
  assert_int_equal(r.count, 2);
  size_t names = 0, k = 1;
  for (; k + 6 < SIZE; k += 6, names++)
    memcpy(text + k, "\"b\":1,", 6);
  text[k - 1] = '}';
  text[k] = 0;
  r = deepspeed(text);
  assert_int_equal(r.status, DTC_E_SPACE);
  assert_int_equal(r.count, names + 1);
  free(text);
}

static void names_of_keys_are_told(void **state)
{
  (void)state;
  lint_result r =
      deepspeed("{" MICRO ", \"fp16\": {\"enabled\": true}, \"bf16\": {\"enabled\": true}, \"zero_optimization\":"
                "{\"offload_param\": {\"device\": \"cpu\"}}}");
  const dtc_error *e = lint_found(&r, DTC_RULE_DEEPSPEED_FP16_BF16, NULL);
  assert_non_null(e);
  assert_string_equal(dtc_field_name(e->field), "fp16.enabled");
  assert_string_equal(dtc_field_name(e->other), "bf16.enabled");
  assert_string_equal(dtc_value_name(e->field, 1), "true");
  e = lint_found(&r, DTC_RULE_DEEPSPEED_PARAM, NULL);
  assert_non_null(e);
  assert_string_equal(dtc_value_name(e->field, e->got), "cpu");
  assert_string_equal(dtc_value_name(e->field, 9), "?");
  assert_string_equal(dtc_field_name((uint32_t)DTC_STRUCT_setting << 16), "?");
  assert_string_equal(dtc_field_name((uint32_t)DTC_STRUCT_setting << 16 | 0xffff), "?");
  assert_string_equal(dtc_field_name((uint32_t)DTC_STRUCT_setting << 16 | 0x1fff), "?");
}

static void numbers_are_read(void **state)
{
  (void)state;
  static const struct {
    char text[32];
    double value;
  } good[] = {{"1", 1},
              {"-0.5", -0.5},
              {".25", 0.25},
              {"5e8", 5e8},
              {"1E+2", 100},
              {"1e-3", 0.001},
              {"2.", 2},
              {"0e999", 0},
              {"1e-999", 0},
              {"123456789012345678901", 123456789012345678901.0},
              {"0.00000000000000000000001", 1e-23}};
  double v = 0;
  for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
    assert_true(dtci_text_f64(good[i].text, strlen(good[i].text), &v));
    check_near(v, good[i].value);
  }
  assert_true(dtci_text_f64("1e999", 5, &v) && v > 1e308);
  assert_true(dtci_text_f64("-Inf", 4, &v) && v < -1e308);
  assert_true(dtci_text_f64("NaN", 3, &v) && v != v);
  static const char *const bad[] = {
      "", "-", ".", "e5", "1e", "1e+", "1.2.3", "0x10", "1 ", "infinit", "1e99999999999999999999"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
    assert_false(dtci_text_f64(bad[i], strlen(bad[i]), &v));
  int64_t n = 0;
  assert_true(dtci_text_i64("-9223372036854775807", 20, &n) && n == -INT64_MAX);
  assert_true(dtci_text_i64("+3", 2, &n) && n == 3);
  assert_false(dtci_text_i64("9223372036854775808", 19, &n));
  assert_false(dtci_text_i64("--3", 3, &n));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_unknown_name_stops_or_not),
      cmocka_unit_test(a_value_has_the_type_of_its_key),
      cmocka_unit_test(numbers_tell_their_range),
      cmocka_unit_test(a_value_lies_in_its_range),
      cmocka_unit_test(a_word_is_one_of_its_set),
      cmocka_unit_test(a_key_stands_once),
      cmocka_unit_test(keys_come_and_go_with_versions),
      cmocka_unit_test(a_plan_follows),
      cmocka_unit_test(a_model_follows),
      cmocka_unit_test(a_batch_is_worked_out_or_refused),
      cmocka_unit_test(every_rule_has_a_text_that_breaks_it),
      cmocka_unit_test(good_texts_have_no_findings),
      cmocka_unit_test(the_dialect_is_told_from_the_text),
      cmocka_unit_test(too_little_space_is_said),
      cmocka_unit_test(structs_are_checked),
      cmocka_unit_test(broken_json_is_refused),
      cmocka_unit_test(hostile_json_ends_soon),
      cmocka_unit_test(names_of_keys_are_told),
      cmocka_unit_test(numbers_are_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The dialects of TorchTitan, ColossalAI, accelerate, the Trainer and torchrun: each rule has a text that breaks it and one
 * that does not, and what texts say comes back as a plan. */
#include "lint_check.h"

/* A text that breaks a rule, and one like it that does not. */
typedef struct lint_pair {
  dtc_rule rule;
  const char *key; /* that is reported */
  uint64_t world;
  dtc_release version;
  uint32_t compute;
  const char *broken;
  const char *kept;
} lint_pair;

static void check_kept(dtc_dialect dialect, const lint_pair *p)
{
  dtc_lint lint = lint_of(dialect, p->version, p->world);
  lint.compute = p->compute;
  lint_result r = lint_text(&lint, p->kept);
  check_ok(r.status, &r.error);
  if (lint_found(&r, p->rule, p->key) != NULL)
    fail_msg("finding %u of %s in %s\n%s", p->rule, p->key, p->kept, lint_lines(&r));
}

/* Arguments of other plugins: each row of the rule gives its own text. */
static size_t add_arguments(lint_example *examples, char texts[][160], size_t most)
{
  dtci_dialect d;
  size_t n = 0;
  assert_true(dtci_dialect_of(DTC_DIALECT_COLOSSALAI, &d));
  for (uint32_t i = 0; i < d.rules_count; i++) {
    const dtci_rule_row *row = &d.rules[i].row;
    if (row->rule != DTC_RULE_COLOSSAL_ARGUMENT)
      continue;
    assert_true(n < most);
    const dtci_key *key = &d.keys[row->fix & (DTCI_KEYS_MAX - 1)];
    const char *plugin = NULL, *word = NULL;
    for (uint32_t w = 0; w < d.words_count; w++) {
      if (plugin == NULL && d.words[w].set == 1 && d.words[w].value == row->when[1].min)
        plugin = d.words[w].word;
      if (word == NULL && key->words != 0 && d.words[w].set == key->words)
        word = d.words[w].word;
    }
    const char *quote = word != NULL ? "\"" : "";
    const char *value = word != NULL ? word : key->kind == DTCI_KEY_SWITCH ? "true" : "1";
    (void)snprintf(texts[n], 160, "{\"plugin\": \"%s\", \"%s\": %s%s%s}", plugin, key->name, quote, value, quote);
    examples[n] = (lint_example){.rule = row->rule, .key = key->name, .text = texts[n]};
    n++;
  }
  return n;
}

static void check_pairs(dtc_dialect dialect, const lint_pair *pairs, size_t n)
{
  static lint_example examples[256];
  static char texts[200][160];
  size_t count = 0;
  lint_tables(dialect);
  for (size_t i = 0; i < n; i++) {
    check_kept(dialect, &pairs[i]);
    examples[count++] = (lint_example){pairs[i].rule,    pairs[i].key,     pairs[i].world,
                                       pairs[i].version, pairs[i].compute, pairs[i].broken};
  }
  if (dialect == DTC_DIALECT_COLOSSALAI)
    count += add_arguments(examples + count, texts, 200);
  lint_examples(dialect, examples, count);
}

#define PAIRS(dialect, array) check_pairs(dialect, array, sizeof array / sizeof array[0])

static lint_result linted(dtc_dialect dialect, dtc_release version, uint64_t world, const char *text)
{
  dtc_lint lint = lint_of(dialect, version, world);
  lint_result r = lint_text(&lint, text);
  check_ok(r.status, &r.error);
  return r;
}

/* ---- TorchTitan ------------------------------------------------------------------------------ */

#define TOML 2002
#define P "{\"parallelism\": {"
#define SHARD_DEGREE "parallelism.data_parallel_shard_degree"
#define EAGER "\"training\": {\"disable_cuda_graphs\": true}"

static void torchtitan_rules(void **state)
{
  (void)state;
  static const lint_pair pairs[] = {
      {DTC_RULE_TITAN_WORLD, SHARD_DEGREE, 8, 0, 0, P "\"data_parallel_shard_degree\": 3}}",
       P "\"data_parallel_shard_degree\": 8}}"},
      {DTC_RULE_TITAN_WORLD, SHARD_DEGREE, 6, 0, 0, P "\"tensor_parallel_degree\": 4}}",
       P "\"tensor_parallel_degree\": 3}}"},
      {DTC_RULE_TITAN_EP, "parallelism.expert_parallel_degree", 8, 0, 0, P "\"expert_parallel_degree\": 3}}",
       P "\"expert_parallel_degree\": 4}}"},
      {DTC_RULE_TITAN_EP, "parallelism.expert_parallel_degree", 8, TOML, 0,
       P "\"expert_parallel_degree\": 8, \"expert_tensor_parallel_degree\": 2, \"tensor_parallel_degree\": 2}}",
       P "\"expert_parallel_degree\": 4, \"expert_tensor_parallel_degree\": 2, \"tensor_parallel_degree\": 2}}"},
      {DTC_RULE_TITAN_ETP, "parallelism.expert_tensor_parallel_degree", 0, TOML, 0,
       P "\"expert_parallel_degree\": 2, \"expert_tensor_parallel_degree\": 2, \"tensor_parallel_degree\": 4}}",
       P "\"expert_parallel_degree\": 2, \"expert_tensor_parallel_degree\": 1, \"tensor_parallel_degree\": 4}}"},
      {DTC_RULE_TITAN_BATCH, "training.global_batch_size", 8, TOML, 0,
       "{\"training\": {\"local_batch_size\": 2, \"global_batch_size\": 24}}",
       "{\"training\": {\"local_batch_size\": 2, \"global_batch_size\": 32}}"},
      {DTC_RULE_TITAN_BATCH, "training.num_tokens_per_train_step", 8, 0, 0,
       "{\"training\": {\"num_tokens_per_train_step\": 16384}}",
       "{\"training\": {\"num_tokens_per_train_step\": 262144}}"},
      {DTC_RULE_TITAN_MICRO, "training.local_batch_size", 0, TOML, 0,
       "{\"parallelism\": {\"pipeline_parallel_degree\": 2, \"pipeline_parallel_microbatch_size\": 3}}",
       "{\"parallelism\": {\"pipeline_parallel_degree\": 2, \"pipeline_parallel_microbatch_size\": 4}}"},
      {DTC_RULE_TITAN_MINUS_ONE, SHARD_DEGREE, 0, 0, 0, P "\"data_parallel_shard_degree\": 0}}",
       P "\"data_parallel_shard_degree\": -1}}"},
      {DTC_RULE_TITAN_MINUS_ONE, "training.global_batch_size", 0, TOML, 0, "{\"training\": {\"global_batch_size\": 0}}",
       "{\"training\": {\"global_batch_size\": -1}}"},
      {DTC_RULE_TITAN_MINUS_ONE, "training.num_tokens_per_train_step", 0, 0, 0,
       "{\"training\": {\"num_tokens_per_train_step\": 0}}", "{\"training\": {\"num_tokens_per_train_step\": -1}}"},
      {DTC_RULE_TITAN_SEQ, "training.seq_len", 0, TOML, 0,
       "{\"training\": {\"seq_len\": 2044}, \"parallelism\": {\"context_parallel_degree\": 4}}",
       "{\"training\": {\"seq_len\": 2048}, \"parallelism\": {\"context_parallel_degree\": 4}}"},
      {DTC_RULE_TITAN_SEQ, "training.num_tokens_per_microbatch_per_dp_rank", 0, 0, 0,
       "{\"training\": {\"num_tokens_per_microbatch_per_dp_rank\": 4098}, \"parallelism\": "
       "{\"tensor_parallel_degree\": 4}}",
       "{\"training\": {\"num_tokens_per_microbatch_per_dp_rank\": 4098}, \"parallelism\": "
       "{\"tensor_parallel_degree\": 4,"
       "\"enable_sequence_parallel\": false}}"},
      {DTC_RULE_TITAN_GRAPHS, "parallelism.pipeline_parallel_degree", 0, 0, 0, P "\"pipeline_parallel_degree\": 2}}",
       P "\"pipeline_parallel_degree\": 2}, " EAGER "}"},
      {DTC_RULE_TITAN_ASYNC_TP, "compile.enable_async_tensor_parallel", 0, 0, 0,
       "{\"compile\": {\"enable_async_tensor_parallel\": true, \"enable\": true, \"components\": [\"loss\"]}}",
       "{\"compile\": {\"enable_async_tensor_parallel\": true, \"enable\": true, \"components\": [\"loss\", "
       "\"model\"]}}"},
      {DTC_RULE_TITAN_ASYNC_TP, "parallelism.enable_async_tensor_parallel", 0, TOML, 0,
       P "\"enable_async_tensor_parallel\": true}}",
       P "\"enable_async_tensor_parallel\": true}, \"compile\": {\"enable\": true}}"},
      {DTC_RULE_TITAN_SYMMETRIC, "parallelism.enable_fsdp_symm_mem", 0, 0, 80, P "\"enable_fsdp_symm_mem\": true}}",
       P "\"enable_fsdp_symm_mem\": false}}"},
      {DTC_RULE_TITAN_BALANCER, "parallelism.context_parallel_load_balancer", 0, 0, 0,
       P "\"context_parallel_load_balancer\": \"\"}}", P "\"context_parallel_load_balancer\": null}}"},
      {DTC_RULE_TITAN_FULL_DTENSOR, "parallelism.spmd_backend", 0, 0, 0, P "\"spmd_backend\": \"full_dtensor\"}}",
       P "\"spmd_backend\": \"partial_dtensor\"}}"},
      {DTC_RULE_TITAN_BUDGET, "activation_checkpoint.mode", 0, TOML, 0,
       "{\"activation_checkpoint\": {\"mode\": \"memory_budget\"}}",
       "{\"activation_checkpoint\": {\"mode\": \"memory_budget\"}, \"compile\": {\"enable\": true}}"},
      {DTC_RULE_TITAN_BUDGET, "activation_checkpoint.class", 0, 0, 0,
       "{\"activation_checkpoint\": {\"class\": \"MemoryBudgetAC\"}}",
       "{\"activation_checkpoint\": {\"class\": \"MemoryBudgetAC\"}, \"compile\": {\"enable\": true}}"},
      {DTC_RULE_TITAN_MIXED, "parallelism.tensor_parallel_degree", 8, TOML, 0, P "\"tensor_parallel_degree\": 8}}",
       P "\"tensor_parallel_degree\": 4}}"},
      {DTC_RULE_TITAN_MIXED, "parallelism.pipeline_parallel_degree", 8, TOML, 0, P "\"pipeline_parallel_degree\": 8}}",
       P "\"pipeline_parallel_degree\": 4}}"},
      {DTC_RULE_TITAN_BUBBLE, "parallelism.pipeline_parallel_degree", 0, 0, 0,
       P "\"pipeline_parallel_degree\": 4, \"num_pp_microbatches\": 2}}",
       P "\"pipeline_parallel_degree\": 4, \"num_pp_microbatches\": 8}}"},
      {DTC_RULE_TITAN_DUALPIPE, "activation_checkpoint.mode", 0, TOML, 0,
       P "\"pipeline_parallel_degree\": 2, \"expert_parallel_degree\": 2, \"pipeline_parallel_schedule\": "
         "\"dualpipev\"}}",
       P
       "\"pipeline_parallel_degree\": 2, \"expert_parallel_degree\": 2, \"pipeline_parallel_schedule\": \"dualpipev\"},"
       "\"activation_checkpoint\": {\"mode\": \"none\"}}"},
      {DTC_RULE_TITAN_IN_BACKWARD, "optimizer.early_step_in_backward", 0, TOML, 0,
       P "\"pipeline_parallel_degree\": 2}, \"optimizer\": {\"early_step_in_backward\": true}}",
       P "\"tensor_parallel_degree\": 2}, \"optimizer\": {\"early_step_in_backward\": true}}"},
      {DTC_RULE_TITAN_TYPECHECKING, "debug.spmd_typechecking", 0, 0, 0,
       P "\"pipeline_parallel_degree\": 2}, \"debug\": {\"spmd_typechecking\": true}}",
       P "\"tensor_parallel_degree\": 2}, \"debug\": {\"spmd_typechecking\": true}}"},
      {DTC_RULE_TITAN_NO_EFFECT, "parallelism.num_pp_microbatches", 0, 0, 0, P "\"num_pp_microbatches\": 8}}",
       P "\"num_pp_microbatches\": 8, \"pipeline_parallel_degree\": 2}}"},
      {DTC_RULE_TITAN_NO_EFFECT, "compile.enable_async_tensor_parallel", 0, 0, 0,
       "{\"compile\": {\"enable_async_tensor_parallel\": true}}",
       "{\"compile\": {\"enable_async_tensor_parallel\": true}, \"parallelism\": {\"tensor_parallel_degree\": 2}}"},
      {DTC_RULE_TITAN_INVARIANT, "debug.batch_invariant", 0, 0, 0, "{\"debug\": {\"batch_invariant\": true}}",
       "{\"debug\": {\"batch_invariant\": false}}"},
  };
  PAIRS(DTC_DIALECT_TORCHTITAN, pairs);
}

static void torchtitan_names_by_version(void **state)
{
  (void)state;
  static const char old[] = "{\"training\": {\"local_batch_size\": 4, \"seq_len\": 8192}}";
  static const char new[] =
      "{\"training\": {\"max_context_length\": 8192}, \"parallelism\": {\"num_pp_microbatches\": 1}}";
  lint_result r = linted(DTC_DIALECT_TORCHTITAN, TOML, 8, old);
  lint_expect(&r, "");
  r = linted(DTC_DIALECT_TORCHTITAN, 3000, 8, old);
  lint_expect(&r, "");
  r = linted(DTC_DIALECT_TORCHTITAN, DTC_MAIN, 8, old);
  lint_expect(&r, "406 training.local_batch_size 14|406 training.seq_len 37|");
  assert_string_equal(dtc_field_name(r.findings[1].other), "training.max_context_length");
  r = linted(DTC_DIALECT_TORCHTITAN, 0, 8, new);
  lint_expect(&r, "");
  r = linted(DTC_DIALECT_TORCHTITAN, TOML, 8, new);
  assert_int_equal(lint_errors(&r), 2);
  assert_non_null(lint_found(&r, DTC_RULE_LINT_UNKNOWN, "training"));
  r = linted(DTC_DIALECT_TORCHTITAN, 3000, 8, P "\"expert_tensor_parallel_degree\": 1}, \"job\": {}}");
  lint_expect(&r, "406 parallelism.expert_tensor_parallel_degree 17|406 job 54|");
  r = linted(DTC_DIALECT_TORCHTITAN, 3000, 8, P "\"spmd_backend\": \"full_dtensor\"}}");
  lint_expect(&r, "");
}

static void torchtitan_plans(void **state)
{
  (void)state;
  dtc_plan p = linted(DTC_DIALECT_TORCHTITAN, TOML, 64,
                      "{\"training\": {\"local_batch_size\": 4, \"seq_len\": 8192, \"global_batch_size\": 128},"
                      "\"parallelism\": {\"tensor_parallel_degree\": 4, \"data_parallel_replicate_degree\": 2,"
                      "\"context_parallel_degree\": 2}, \"activation_checkpoint\": {\"mode\": \"full\"}}")
                   .plan;
  assert_int_equal(p.framework, DTC_FRAMEWORK_TORCHTITAN);
  assert_int_equal(p.framework_version, TOML);
  assert_int_equal(p.tp, 4);
  assert_int_equal(p.cp, 2);
  assert_int_equal(p.dp, 8);
  assert_int_equal(p.dp_shard, 8);
  assert_int_equal(p.sharding, DTC_SHARDING_HSDP);
  assert_int_equal(p.micro_batch, 4);
  assert_int_equal(p.global_batch, 128);
  assert_int_equal(p.seq, 8192);
  assert_int_equal(p.recompute, DTC_RECOMPUTE_FULL);
  assert_int_equal(p.precision, DTC_PRECISION_BF16);
  p = linted(DTC_DIALECT_TORCHTITAN, 0, 16,
             "{\"training\": {\"num_tokens_per_microbatch_per_dp_rank\": 8192, \"max_context_length\": 4096,"
             "\"num_tokens_per_train_step\": 524288, \"mixed_precision_param\": \"float32\"},"
             "\"parallelism\": {\"pipeline_parallel_degree\": 2, \"pipeline_parallel_schedule\": \"gpipe\","
             "\"num_pp_microbatches\": 4, \"enable_sequence_parallel\": false}}")
          .plan;
  assert_int_equal(p.pp, 2);
  assert_int_equal(p.dp, 8);
  assert_int_equal(p.schedule, DTC_SCHEDULE_GPIPE);
  assert_int_equal(p.micro_batch, 2);
  assert_int_equal(p.global_batch, 128);
  assert_int_equal(p.sharding, DTC_SHARDING_FSDP);
  assert_int_equal(p.precision, DTC_PRECISION_FP32);
  assert_int_equal(p.sequence_parallel, DTC_BOOL_OFF);
}

/* ---- ColossalAI ------------------------------------------------------------------------------ */

#define HYBRID "{\"plugin\": \"HybridParallelPlugin\", "
#define MOE "{\"plugin\": \"MoeHybridParallelPlugin\", "
#define GEMINI "{\"plugin\": \"GeminiPlugin\", "
#define LOW_LEVEL "{\"plugin\": \"LowLevelZeroPlugin\", "
#define DEGREES(tp, pp) "\"tp_size\": " tp ", \"pp_size\": " pp
#define SP(mode) "\"enable_sequence_parallelism\": true, \"sequence_parallelism_mode\": \"" mode "\""
#define LEGACY(mode, size) "{\"parallel\": {\"tensor\": {\"mode\": \"" mode "\", \"size\": " size "}}}"

static void colossalai_rules(void **state)
{
  (void)state;
  static const lint_pair pairs[] = {
      {DTC_RULE_COLOSSAL_WORLD, "tp_size", 8, 0, 0, HYBRID DEGREES("3", "1") "}", HYBRID DEGREES("4", "1") "}"},
      {DTC_RULE_COLOSSAL_WORLD, "tp_size", 8, 0, 0, GEMINI "\"tp_size\": 4, \"extra_dp_size\": 3}",
       GEMINI "\"tp_size\": 4, \"extra_dp_size\": 2}"},
      {DTC_RULE_COLOSSAL_WORLD, "extra_dp_size", 8, 0, 0, LOW_LEVEL "\"extra_dp_size\": 3}",
       LOW_LEVEL "\"extra_dp_size\": 2}"},
      {DTC_RULE_COLOSSAL_WORLD, "extra_dp_size", 8, 0, 0, GEMINI "\"extra_dp_size\": 3}",
       GEMINI "\"extra_dp_size\": 2}"},
      {DTC_RULE_COLOSSAL_WORLD, "parallel.tensor.size", 6, 0, 0, LEGACY("1d", "4"), LEGACY("1d", "3")},
      {DTC_RULE_COLOSSAL_SP_WORLD, "sp_size", 8, 0, 0,
       HYBRID DEGREES("2", "1") ", \"sp_size\": 3, " SP("all_to_all") "}",
       HYBRID DEGREES("2", "1") ", \"sp_size\": 4, " SP("all_to_all") "}"},
      {DTC_RULE_COLOSSAL_EP, "ep_size", 4, 0, 0, MOE DEGREES("1", "1") ", \"ep_size\": 8}",
       MOE DEGREES("1", "1") ", \"ep_size\": 2}"},
      {DTC_RULE_COLOSSAL_SP_OFF, "sp_size", 0, 0, 0, HYBRID DEGREES("2", "1") ", \"sp_size\": 2}",
       HYBRID DEGREES("2", "1") ", \"sp_size\": 1}"},
      {DTC_RULE_COLOSSAL_SP_TP, "sequence_parallelism_mode", 0, 0, 0, HYBRID DEGREES("1", "1") ", " SP("ring") "}",
       HYBRID DEGREES("1", "1") ", " SP("ring_attn") "}"},
      {DTC_RULE_COLOSSAL_SP_SIZE, "sp_size", 0, 0, 0,
       HYBRID DEGREES("2", "1") ", \"sp_size\": 2, " SP("split_gather") "}",
       HYBRID DEGREES("2", "1") ", \"sp_size\": 2, " SP("all_to_all") "}"},
      {DTC_RULE_COLOSSAL_SP_MODE, "sequence_parallelism_mode", 0, 0, 0,
       HYBRID DEGREES("2", "1") ", \"sequence_parallelism_mode\": \"ring\"}",
       HYBRID DEGREES("2", "1") ", " SP("ring") "}"},
      {DTC_RULE_COLOSSAL_MICRO, "num_microbatches", 0, 0, 0, HYBRID DEGREES("1", "2") "}",
       HYBRID DEGREES("1", "2") ", \"microbatch_size\": 1}"},
      {DTC_RULE_COLOSSAL_CHUNKS, "pp_style", 0, 0, 0, HYBRID DEGREES("1", "2") ", \"pp_style\": \"interleaved\"}",
       HYBRID DEGREES("1", "2") ", \"pp_style\": \"interleaved\", \"num_model_chunks\": 4}"},
      {DTC_RULE_COLOSSAL_NODES, "pp_style", 0, 0, 0, HYBRID DEGREES("1", "1") ", \"pp_style\": \"zbv\"}",
       HYBRID DEGREES("1", "1") ", \"pp_style\": \"zbv\", \"scheduler_nodes\": [1]}"},
      {DTC_RULE_COLOSSAL_PP_ZERO, "zero_stage", 0, 0, 0, HYBRID DEGREES("1", "2") ", \"zero_stage\": 2}",
       HYBRID DEGREES("1", "2") ", \"zero_stage\": 1}"},
      {DTC_RULE_COLOSSAL_MOE_ZERO, "zero_stage", 0, 0, 0, MOE DEGREES("1", "1") ", \"zero_stage\": 2}",
       HYBRID DEGREES("1", "1") ", \"zero_stage\": 2}"},
      {DTC_RULE_COLOSSAL_MOE_ZERO, "overlap_communication", 0, 0, 0, MOE "\"overlap_communication\": true}",
       HYBRID "\"overlap_communication\": true}"},
      {DTC_RULE_COLOSSAL_MISSING, "tp_size", 0, 0, 0, "{}", GEMINI "\"verbose\": true}"},
      {DTC_RULE_COLOSSAL_MISSING, "pp_size", 0, 0, 0, HYBRID "\"tp_size\": 2}", LEGACY("1d", "3")},
      {DTC_RULE_COLOSSAL_MISSING, "ep_size", 0, 0, 0, MOE DEGREES("1", "1") "}", HYBRID DEGREES("1", "1") "}"},
      {DTC_RULE_COLOSSAL_NORM, "norm_type", 0, 0, 0, LOW_LEVEL "\"norm_type\": 1.5}", LOW_LEVEL "\"norm_type\": 2}"},
      {DTC_RULE_COLOSSAL_PRECISION, "precision", 0, 0, 0, GEMINI "\"precision\": \"fp32\"}",
       LOW_LEVEL "\"precision\": \"fp32\"}"},
      {DTC_RULE_COLOSSAL_PLACEMENT, "shard_param_frac", 0, 0, 0,
       GEMINI "\"placement_policy\": \"auto\", \"shard_param_frac\": 1.0}", GEMINI "\"shard_param_frac\": 1.0}"},
      {DTC_RULE_COLOSSAL_PLACEMENT, "offload_optim_frac", 0, 0, 0,
       GEMINI "\"placement_policy\": \"auto\", \"offload_optim_frac\": 1.0}", GEMINI "\"offload_optim_frac\": 1.0}"},
      {DTC_RULE_COLOSSAL_PLACEMENT, "offload_param_frac", 0, 0, 0,
       GEMINI "\"placement_policy\": \"auto\", \"offload_param_frac\": 1.0}", GEMINI "\"offload_param_frac\": 1.0}"},
      {DTC_RULE_COLOSSAL_PLACEMENT, "warmup_non_model_data_ratio", 0, 0, 0,
       GEMINI "\"warmup_non_model_data_ratio\": 0.5}",
       GEMINI "\"placement_policy\": \"auto\", \"warmup_non_model_data_ratio\": 0.5}"},
      {DTC_RULE_COLOSSAL_PLACEMENT, "steady_cuda_cap_ratio", 0, 0, 0, GEMINI "\"steady_cuda_cap_ratio\": 0.5}",
       GEMINI "\"placement_policy\": \"auto\", \"steady_cuda_cap_ratio\": 0.5}"},
      {DTC_RULE_COLOSSAL_OFFLOAD, "offload_param_frac", 0, 0, 0, GEMINI "\"offload_param_frac\": 0.5}",
       GEMINI "\"offload_param_frac\": 0.5, \"offload_optim_frac\": 1.0}"},
      {DTC_RULE_COLOSSAL_SQUARE, "parallel.tensor.size", 0, 0, 0, LEGACY("2d", "8"), LEGACY("2d", "16")},
      {DTC_RULE_COLOSSAL_SQUARE, "parallel.tensor.size", 0, 0, 0, LEGACY("2.5d", "12, \"depth\": 2"),
       LEGACY("2.5d", "8, \"depth\": 2")},
      {DTC_RULE_COLOSSAL_SQUARE, "parallel.tensor.size", 0, 0, 0, LEGACY("3d", "16"), LEGACY("3d", "27")},
      {DTC_RULE_COLOSSAL_LEGACY, "parallel.tensor.mode", 0, 0, 0, LEGACY("2d", "4"), LEGACY("1d", "4")},
  };
  PAIRS(DTC_DIALECT_COLOSSALAI, pairs);
}

static void colossalai_squares_and_cubes(void **state)
{
  (void)state;
  for (uint64_t n = 1; n <= 1100; n++) {
    char text[128];
    uint64_t square = 0, cube = 0;
    for (uint64_t q = 1; q * q <= n; q++) {
      square |= q * q == n;
      cube |= q * q * q == n;
    }
    for (int d = 2; d <= 3; d++) {
      (void)snprintf(text, sizeof text, LEGACY("%dd", "%llu"), d, (unsigned long long)n);
      lint_result r = linted(DTC_DIALECT_COLOSSALAI, 0, 0, text);
      assert_int_equal(lint_found(&r, DTC_RULE_COLOSSAL_SQUARE, NULL) == NULL, d == 2 ? square : cube);
    }
  }
}

static void colossalai_plans(void **state)
{
  (void)state;
  dtc_plan p =
      linted(DTC_DIALECT_COLOSSALAI, 0, 64,
             HYBRID DEGREES("8", "4") ", \"num_microbatches\": 8, \"zero_stage\": 1, \"precision\": \"bf16\","
                                      "\"pp_style\": \"interleaved\", \"num_model_chunks\": 2, " SP("ring") "}")
          .plan;
  assert_int_equal(p.framework, DTC_FRAMEWORK_COLOSSALAI);
  assert_int_equal(p.tp, 8);
  assert_int_equal(p.pp, 4);
  assert_int_equal(p.vpp, 2);
  assert_int_equal(p.dp, 2);
  assert_int_equal(p.cp, 0);
  assert_int_equal(p.sequence_parallel, DTC_BOOL_ON);
  assert_int_equal(p.sharding, DTC_SHARDING_ZERO1);
  assert_int_equal(p.precision, DTC_PRECISION_BF16);
  assert_int_equal(p.schedule, DTC_SCHEDULE_INTERLEAVED);
  assert_int_equal(p.accumulation, 8);
  p = linted(DTC_DIALECT_COLOSSALAI, 0, 8, HYBRID DEGREES("1", "1") ", \"sp_size\": 2, " SP("all_to_all") "}").plan;
  assert_int_equal(p.cp, 2);
  assert_int_equal(p.dp, 4);
  assert_int_equal(p.sequence_parallel, DTC_BOOL_DEFAULT);
  p = linted(DTC_DIALECT_COLOSSALAI, 0, 8, GEMINI "\"tp_size\": 2, \"extra_dp_size\": 2}").plan;
  assert_int_equal(p.sharding, DTC_SHARDING_ZERO3);
  assert_int_equal(p.dp, 4);
  assert_int_equal(p.dp_shard, 2);
  assert_int_equal(p.precision, DTC_PRECISION_FP16);
  p = linted(DTC_DIALECT_COLOSSALAI, 0, 8, LOW_LEVEL "\"stage\": 2}").plan;
  assert_int_equal(p.sharding, DTC_SHARDING_ZERO2);
  assert_int_equal(p.dp, 8);
}

/* ---- accelerate ------------------------------------------------------------------------------ */

#define FSDP "{\"distributed_type\": \"FSDP\", \"num_processes\": 8, \"fsdp_config\": {"
#define FSDP2 FSDP "\"fsdp_version\": 2, "
#define SIZES(...) FSDP2 "\"fsdp_offload_params\": false}, \"parallelism_config\": {" __VA_ARGS__ "}}"
#define SIZE(name, n) "\"parallelism_config_" name "_size\": " n
#define DEEPSPEED "{\"distributed_type\": \"DEEPSPEED\", \"num_processes\": 8, \"deepspeed_config\": {"
#define FILE_AND(key) DEEPSPEED "\"deepspeed_config_file\": \"ds.json\", \"" key "}}"
#define F(key) "fsdp_config.fsdp_" key
#define D(key) "deepspeed_config." key

static void accelerate_rules(void **state)
{
  (void)state;
  static const lint_pair pairs[] = {
      {DTC_RULE_ACCELERATE_TYPE, "distributed_type", 0, 0, 0, "{\"num_processes\": 8}",
       "{\"distributed_type\": \"NO\"}"},
      {DTC_RULE_ACCELERATE_PROCESSES, "num_processes", 0, 0, 0, "{\"distributed_type\": \"MULTI_GPU\"}",
       "{\"distributed_type\": \"NO\"}"},
      {DTC_RULE_ACCELERATE_MACHINES, "num_processes", 0, 0, 0, "{\"num_machines\": 3, \"num_processes\": 8}",
       "{\"num_machines\": 2, \"num_processes\": 8}"},
      {DTC_RULE_ACCELERATE_IP, "num_machines", 0, 0, 0, "{\"distributed_type\": \"MULTI_GPU\", \"num_machines\": 2}",
       "{\"distributed_type\": \"MULTI_GPU\", \"num_machines\": 2, \"main_process_ip\": \"h0\"}"},
      {DTC_RULE_ACCELERATE_RESHARD, F("reshard_after_forward"), 0, 0, 0,
       FSDP2 "\"fsdp_reshard_after_forward\": \"FULL_SHARD\"}}", FSDP2 "\"fsdp_reshard_after_forward\": true}}"},
      {DTC_RULE_ACCELERATE_RESHARD, F("reshard_after_forward"), 0, 0, 0, FSDP "\"fsdp_reshard_after_forward\": true}}",
       FSDP "\"fsdp_reshard_after_forward\": \"full_shard\"}}"},
      {DTC_RULE_ACCELERATE_PREFETCH, F("forward_prefetch"), 0, 0, 0, FSDP2 "\"forward_prefetch\": true}}",
       FSDP2 "\"forward_prefetch\": false}}"},
      {DTC_RULE_ACCELERATE_RESET, F("sharding_strategy"), 0, 0, 0, FSDP2 "\"fsdp_sharding_strategy\": 1}}",
       FSDP "\"fsdp_sharding_strategy\": 1}}"},
      {DTC_RULE_ACCELERATE_RESET, F("backward_prefetch"), 0, 0, 0,
       FSDP2 "\"fsdp_backward_prefetch\": \"BACKWARD_PRE\"}}", FSDP "\"fsdp_backward_prefetch\": \"BACKWARD_PRE\"}}"},
      {DTC_RULE_ACCELERATE_RESET, F("use_orig_params"), 0, 0, 0, FSDP2 "\"fsdp_use_orig_params\": true}}",
       FSDP "\"fsdp_use_orig_params\": true}}"},
      {DTC_RULE_ACCELERATE_RESET, F("sync_module_states"), 0, 0, 0, FSDP2 "\"fsdp_sync_module_states\": true}}",
       FSDP "\"fsdp_sync_module_states\": true}}"},
      {DTC_RULE_ACCELERATE_STATE_DICT, F("state_dict_type"), 0, 0, 0,
       FSDP2 "\"fsdp_state_dict_type\": \"LOCAL_STATE_DICT\"}}",
       FSDP "\"fsdp_state_dict_type\": \"LOCAL_STATE_DICT\"}}"},
      {DTC_RULE_ACCELERATE_RAM, F("cpu_ram_efficient_loading"), 0, 0, 0, FSDP "\"fsdp_sync_module_states\": false}}",
       FSDP "\"fsdp_sync_module_states\": false, \"fsdp_cpu_ram_efficient_loading\": false}}"},
      {DTC_RULE_ACCELERATE_OFFLOAD, F("activation_checkpointing_offload"), 0, 0, 0,
       FSDP2 "\"fsdp_activation_checkpointing_offload\": true}}",
       FSDP2 "\"fsdp_activation_checkpointing_offload\": true, \"fsdp_activation_checkpointing\": true}}"},
      {DTC_RULE_ACCELERATE_SIZES, "parallelism_config.parallelism_config_dp_shard_size", 0, 0, 0,
       SIZES(SIZE("dp_shard", "2") ", " SIZE("tp", "2")), SIZES(SIZE("dp_shard", "4") ", " SIZE("tp", "2"))},
      {DTC_RULE_ACCELERATE_CP_SP, "parallelism_config.parallelism_config_cp_size", 0, 0, 0,
       SIZES(SIZE("cp", "2") ", " SIZE("sp", "2")), SIZES(SIZE("cp", "2"))},
      {DTC_RULE_ACCELERATE_REPLICATE, "parallelism_config.parallelism_config_tp_size", 0, 0, 0,
       SIZES(SIZE("tp", "2") ", " SIZE("dp_replicate", "4")),
       SIZES(SIZE("tp", "2") ", " SIZE("dp_replicate", "2") ", " SIZE("dp_shard", "2"))},
      {DTC_RULE_ACCELERATE_REPLICATE, "parallelism_config.parallelism_config_cp_size", 0, 0, 0,
       SIZES(SIZE("cp", "2") ", " SIZE("dp_replicate", "4")), SIZES(SIZE("cp", "2") ", " SIZE("dp_shard", "4"))},
      {DTC_RULE_ACCELERATE_FSDP1, "parallelism_config", 0, 0, 0,
       FSDP "\"fsdp_version\": 1}, \"parallelism_config\": {" SIZE("dp_shard", "8") "}}", SIZES(SIZE("dp_shard", "8"))},
      {DTC_RULE_ACCELERATE_SHARD, "parallelism_config.parallelism_config_dp_shard_size", 0, 0, 0,
       SIZES(SIZE("tp", "8")), SIZES(SIZE("tp", "4") ", " SIZE("dp_shard", "2"))},
      {DTC_RULE_ACCELERATE_FILE, D("gradient_accumulation_steps"), 0, 0, 0,
       FILE_AND("gradient_accumulation_steps\": 1"), DEEPSPEED "\"gradient_accumulation_steps\": 1}}"},
      {DTC_RULE_ACCELERATE_FILE, D("gradient_clipping"), 0, 0, 0, FILE_AND("gradient_clipping\": 1.0"),
       FILE_AND("zero3_init_flag\": true")},
      {DTC_RULE_ACCELERATE_FILE, D("zero_stage"), 0, 0, 0, FILE_AND("zero_stage\": 3"),
       DEEPSPEED "\"zero_stage\": 3}}"},
      {DTC_RULE_ACCELERATE_FILE, D("offload_optimizer_device"), 0, 0, 0,
       FILE_AND("offload_optimizer_device\": \"cpu\""), DEEPSPEED "\"offload_optimizer_device\": \"cpu\"}}"},
      {DTC_RULE_ACCELERATE_FILE, D("offload_param_device"), 0, 0, 0, FILE_AND("offload_param_device\": \"cpu\""),
       DEEPSPEED "\"offload_param_device\": \"cpu\"}}"},
      {DTC_RULE_ACCELERATE_FILE, D("offload_optimizer_nvme_path"), 0, 0, 0,
       FILE_AND("offload_optimizer_nvme_path\": \"x\""), DEEPSPEED "\"offload_optimizer_nvme_path\": \"x\"}}"},
      {DTC_RULE_ACCELERATE_FILE, D("offload_param_nvme_path"), 0, 0, 0, FILE_AND("offload_param_nvme_path\": \"x\""),
       DEEPSPEED "\"offload_param_nvme_path\": \"x\"}}"},
      {DTC_RULE_ACCELERATE_FILE, D("zero3_save_16bit_model"), 0, 0, 0, FILE_AND("zero3_save_16bit_model\": true"),
       DEEPSPEED "\"zero_stage\": 3, \"zero3_save_16bit_model\": true}}"},
      {DTC_RULE_ACCELERATE_FILE, "mixed_precision", 0, 0, 0,
       "{\"mixed_precision\": \"bf16\", \"distributed_type\": \"DEEPSPEED\","
       "\"deepspeed_config\": {\"deepspeed_config_file\": \"ds.json\"}}",
       "{\"mixed_precision\": \"bf16\", \"distributed_type\": \"DEEPSPEED\", \"deepspeed_config\": {\"zero_stage\": "
       "2}}"},
      {DTC_RULE_ACCELERATE_ZERO3, D("zero3_save_16bit_model"), 0, 0, 0, DEEPSPEED "\"zero3_save_16bit_model\": true}}",
       DEEPSPEED "\"zero3_save_16bit_model\": true, \"zero_stage\": 3}}"},
      {DTC_RULE_ACCELERATE_ZERO3, D("zero3_init_flag"), 0, 0, 0, DEEPSPEED "\"zero3_init_flag\": true}}",
       DEEPSPEED "\"zero3_init_flag\": false}}"},
      {DTC_RULE_ACCELERATE_UNUSED, "fsdp_config", 0, 0, 0, "{\"distributed_type\": \"NO\", \"fsdp_config\": {}}",
       FSDP "\"fsdp_version\": 1}}"},
      {DTC_RULE_ACCELERATE_UNUSED, "deepspeed_config", 0, 0, 0,
       "{\"distributed_type\": \"NO\", \"deepspeed_config\": {}}", DEEPSPEED "\"zero_stage\": 1}}"},
      {DTC_RULE_ACCELERATE_UNUSED, "megatron_lm_config", 0, 0, 0,
       "{\"distributed_type\": \"NO\", \"megatron_lm_config\": {}}",
       "{\"distributed_type\": \"MEGATRON_LM\", \"megatron_lm_config\": {}}"},
  };
  PAIRS(DTC_DIALECT_ACCELERATE, pairs);
}

static void accelerate_plans(void **state)
{
  (void)state;
  dtc_plan p = linted(DTC_DIALECT_ACCELERATE, 0, 0,
                      "{\"distributed_type\": \"FSDP\", \"num_processes\": 16, \"mixed_precision\": \"bf16\","
                      "\"fsdp_config\": {\"fsdp_version\": 2, \"fsdp_activation_checkpointing\": true},"
                      "\"parallelism_config\": {" SIZE("dp_replicate", "2") ", " SIZE("dp_shard", "2") ", " SIZE(
                          "tp", "2") ", " SIZE("cp", "2") "}}")
                   .plan;
  assert_int_equal(p.framework, DTC_FRAMEWORK_PYTORCH);
  assert_int_equal(p.sharding, DTC_SHARDING_HSDP);
  assert_int_equal(p.tp, 2);
  assert_int_equal(p.cp, 2);
  assert_int_equal(p.dp, 4);
  assert_int_equal(p.dp_shard, 4);
  assert_int_equal(p.precision, DTC_PRECISION_BF16);
  assert_int_equal(p.recompute, DTC_RECOMPUTE_FULL);
  lint_result r =
      linted(DTC_DIALECT_ACCELERATE, 0, 0,
             DEEPSPEED "\"zero_stage\": 3, \"gradient_accumulation_steps\": 4, \"offload_param_device\": \"none\"}}");
  lint_expect(&r, "");
  assert_int_equal(r.plan.framework, DTC_FRAMEWORK_DEEPSPEED);
  assert_int_equal(r.plan.sharding, DTC_SHARDING_ZERO3);
  assert_int_equal(r.plan.accumulation, 4);
  assert_int_equal(r.plan.dp, 8);
}

static void accelerate_names(void **state)
{
  (void)state;
  lint_result r = linted(DTC_DIALECT_ACCELERATE, 0, 0, "{\"distributed_type\": \"NO\", \"num_proceses\": 8}");
  lint_expect(&r, "400 text 27|");
  assert_string_equal(dtc_field_name(r.findings[0].other), "num_processes");
  r = linted(DTC_DIALECT_ACCELERATE, 0, 0, FSDP "\"fsdp_shard\": 1}}");
  assert_non_null(lint_found(&r, DTC_RULE_LINT_UNHEARD, "fsdp_config"));
  assert_int_equal(lint_errors(&r), 0);
  /* What YAML makes of an unquoted no. */
  r = linted(DTC_DIALECT_ACCELERATE, 0, 0, "{\"distributed_type\": \"NO\", \"mixed_precision\": false}");
  lint_expect(&r, "404 mixed_precision 27|");
}

/* ---- Trainer --------------------------------------------------------------------------------- */

#define T "torchrun --nproc_per_node 8 run_clm.py "

static void trainer_rules(void **state)
{
  (void)state;
  enum { V4 = 4057000 };
  static const lint_pair pairs[] = {
      {DTC_RULE_TRAINER_PRECISION, "--fp16", 0, 0, 0, T "--fp16 --bf16 True", T "--fp16 false --bf16"},
      {DTC_RULE_TRAINER_STRATEGY, "--fsdp", 0, 0, 0, T "--fsdp hybrid_shard", T "--fsdp full_shard"},
      {DTC_RULE_TRAINER_STRATEGY, "--fsdp", 0, 0, 0, T "--fsdp no_shard", T "--fsdp no_shard --fsdp_config f.json"},
      {DTC_RULE_TRAINER_STRATEGY, "--fsdp", 0, V4, 0, T "--fsdp offload", T "--fsdp 'full_shard offload'"},
      {DTC_RULE_TRAINER_STRATEGY, "--fsdp", 0, V4, 0, T "--fsdp 'full_shard shard_grad_op'", T "--fsdp hybrid_shard"},
      {DTC_RULE_TRAINER_WORDS, "--fsdp", 0, 0, 0, T "--fsdp \"full_shard auto_wrap\"", T "--fsdp --bf16"},
      {DTC_RULE_TRAINER_CHECKPOINTING, "--gradient_checkpointing", 0, 0, 0, T "--gradient_checkpointing --fsdp",
       T "--gradient-checkpointing"},
      {DTC_RULE_TRAINER_DEEPSPEED, "--fsdp", 0, 0, 0, T "--fsdp --deepspeed ds.json",
       T "--deepspeed=ds.json --fsdp ''"},
      {DTC_RULE_TRAINER_FSDP_CONFIG, "--fsdp_config", 0, 0, 0, T "--fsdp_config f.json",
       T "--fsdp_config f.json --fsdp"},
  };
  PAIRS(DTC_DIALECT_TRAINER, pairs);
}

static void trainer_plans(void **state)
{
  (void)state;
  lint_result r = linted(DTC_DIALECT_TRAINER, 4057000, 8,
                         T "--per_device_train_batch_size 2 \\\n --gradient-accumulation-steps=4 --bf16 --lora_rank 8 "
                           "--fsdp 'full_shard auto_wrap' --gradient_checkpointing False --optim adamw_8bit");
  lint_expect(&r, "");
  assert_int_equal(r.plan.framework, DTC_FRAMEWORK_PYTORCH);
  assert_int_equal(r.plan.sharding, DTC_SHARDING_FSDP);
  assert_int_equal(r.plan.micro_batch, 2);
  assert_int_equal(r.plan.accumulation, 4);
  assert_int_equal(r.plan.precision, DTC_PRECISION_BF16);
  assert_int_equal(r.plan.optimizer, DTC_OPTIMIZER_ADAM8);
  assert_int_equal(r.plan.dp, 8);
  assert_int_equal(r.plan.recompute, DTC_RECOMPUTE_DEFAULT);
  /* A switch without a value is on; in a branch that may not be taken it is not known. */
  r = linted(DTC_DIALECT_TRAINER, 0, 0, "A=--bf16\n" T "$A");
  assert_int_equal(r.plan.precision, DTC_PRECISION_BF16);
  r = linted(DTC_DIALECT_TRAINER, 0, 0, "if true; then\n" T "--bf16\nfi\n");
  lint_expect(&r, "");
  assert_int_equal(r.plan.precision, DTC_PRECISION_DEFAULT);
  r = linted(DTC_DIALECT_TRAINER, 0, 0, "deepspeed train.py --deepspeed ds.json --fp16 --optim schedule_free_radam");
  lint_expect(&r, "");
  assert_int_equal(r.plan.framework, DTC_FRAMEWORK_DEEPSPEED);
  assert_int_equal(r.plan.sharding, DTC_SHARDING_DEFAULT);
  assert_int_equal(r.plan.micro_batch, 8);
  assert_int_equal(r.plan.precision, DTC_PRECISION_FP16);
  assert_int_equal(r.plan.optimizer, DTC_OPTIMIZER_DEFAULT);
  r = linted(DTC_DIALECT_TRAINER, 0, 0, T "--fsdp 'full_shard autowrap' --no_cuda");
  lint_expect(&r, "404 --fsdp 39|406 --no_cuda 68|");
}

/* ---- torchrun -------------------------------------------------------------------------------- */

static void torchrun_rules(void **state)
{
  (void)state;
  static const lint_pair pairs[] = {
      {DTC_RULE_TORCHRUN_NODE_RANK, "--nnodes", 0, 0, 0, "torchrun --nnodes=2 --master-addr=h0 t.py",
       "torchrun --nnodes=2 --master-addr=h0 --node_rank=$SLURM_NODEID t.py"},
      {DTC_RULE_TORCHRUN_LOOPBACK, "--master-addr", 0, 0, 0, "torchrun --nnodes 2 --node-rank 1 t.py",
       "torchrun --nnodes 2 --node-rank 1 --master-addr $HOST t.py"},
      {DTC_RULE_TORCHRUN_MASTER, "--master-addr", 0, 0, 0,
       "torchrun --rdzv-backend=c10d --rdzv_endpoint=h0 --master-addr=h0 t.py",
       "torchrun --rdzv-backend=c10d --rdzv_endpoint=h0 t.py --master-addr=h0"},
      {DTC_RULE_TORCHRUN_MASTER, "--master-port", 0, 0, 0, "torchrun --rdzv-backend=c10d --master-port=1 t.py",
       "torchrun --master-port=1 t.py"},
      {DTC_RULE_TORCHRUN_MASTER, "--node-rank", 0, 0, 0, "torchrun --rdzv-backend=c10d --node-rank=1 t.py",
       "torchrun --node-rank=1 t.py"},
      {DTC_RULE_TORCHRUN_ENDPOINT, "--rdzv-backend", 0, 0, 0, "torchrun --nnodes=1:4 --rdzv-backend=c10d t.py",
       "torchrun --nnodes=1:4 --rdzv-backend=c10d --rdzv-endpoint=h0:29400 t.py"},
      {DTC_RULE_TORCHRUN_STANDALONE, "--nnodes", 0, 0, 0, "torchrun --standalone --nnodes=2 t.py",
       "torchrun --standalone --nnodes=1 t.py"},
      {DTC_RULE_TORCHRUN_STANDALONE, "--rdzv-backend", 0, 0, 0, "torchrun --standalone --rdzv-backend=c10d t.py",
       "torchrun --standalone t.py"},
      {DTC_RULE_TORCHRUN_STANDALONE, "--rdzv-endpoint", 0, 0, 0, "torchrun --standalone --rdzv-endpoint=h0 t.py",
       "torchrun --standalone t.py"},
      {DTC_RULE_TORCHRUN_STANDALONE, "--rdzv-id", 0, 0, 0, "torchrun --standalone --rdzv-id=7 t.py",
       "torchrun --standalone t.py --rdzv-id 7"},
      {DTC_RULE_TORCHRUN_WORLD, "--nproc-per-node", 16, 0, 0,
       "torchrun --nnodes=2 --nproc-per-node=4 --node-rank=0 --master-addr=h0 t.py",
       "torchrun --nnodes=2 --nproc-per-node=8 --node-rank=0 --master-addr=h0 t.py"},
  };
  PAIRS(DTC_DIALECT_TORCHRUN, pairs);
}

static void torchrun_words(void **state)
{
  (void)state;
  static const struct {
    const char *text;
    const char *findings;
  } cases[] = {
      {"torchrun --nproc_per_node=gpu --nnodes 1 train.py --nnodes 7 --what", ""},
      {"python -m torch.distributed.run --nproc-per-node auto -m torchtitan.train --module llama3", ""},
      {"python3 -m torch.distributed.launch --use_env --nproc_per_node=8 train.py", ""},
      {"torchrun --nproc_per_node=8 --num_gpus=2 train.py", "400 text 28|"},
      {"torchrun --nproc-per-node=some train.py", "402 --nproc-per-node 9|"},
      {"torchrun --nproc-per-node=0 train.py", "403 --nproc-per-node 9|"},
      {"torchrun --nnodes=a:b train.py", "402 --nnodes 9|"},
      {"torchrun --numa-binding socket --start-method=fork train.py", ""},
      {"torchrun --numa-binding cores train.py", "404 --numa-binding 9|"},
      {"export PET_NNODES=2\ntorchrun --nproc-per-node 8 train.py", "634 --nnodes 7|635 --master-addr 7|"},
      {"PET_NNODES=2 PET_NODE_RANK=1 PET_MASTER_ADDR=h0 torchrun train.py", ""},
      {"torchrun --nnodes=2 --node-rank=0 --rdzv-endpoint h0:29500 train.py", ""},
      {"srun --ntasks-per-node=1 torchrun --nnodes=$N --rdzv-backend c10d --rdzv-endpoint $H train.py", ""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    lint_result r = linted(DTC_DIALECT_TORCHRUN, 0, 0, cases[i].text);
    char got[512] = "";
    size_t len = 0;
    for (size_t k = 0; k < r.count; k++)
      len += (size_t)snprintf(got + len, sizeof got - len, "%u %s %llu|", r.findings[k].rule,
                              dtc_field_name(r.findings[k].field), (unsigned long long)r.findings[k].offset);
    if (strcmp(got, cases[i].findings) != 0)
      fail_msg("%s\ngot      %s\nexpected %s\n%s", cases[i].text, got, cases[i].findings, lint_lines(&r));
  }
}

/* ---- all ------------------------------------------------------------------------------------- */

/* Any bytes give a status, and a text cut anywhere. */
static void bytes_give_a_status(void **state)
{
  (void)state;
  static const char *const texts[] = {
      P "\"tensor_parallel_degree\": 4, \"context_parallel_load_balancer\": \"\"}, \"compile\": {\"components\": "
        "[\"x\"]}}",
      HYBRID DEGREES("2", "1") ", " SP("ring") ", \"scheduler_nodes\": [[1], {\"a\": 2}]}", SIZES(SIZE("tp", "9")),
      T "--fsdp 'a b  c' --bf16 maybe --optim x", "torchrun --nnodes=1:,4 --nproc-per-node= -m x"};
  uint64_t seed = 7;
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
    for (int round = 0; round < 400; round++) {
      char bytes[512];
      size_t len = strlen(texts[i]);
      memcpy(bytes, texts[i], len);
      for (uint64_t k = check_random(&seed, 4); k > 0; k--)
        bytes[check_random(&seed, len)] = (char)(0x20 + check_random(&seed, 0x5f));
      for (dtc_dialect d = DTC_DIALECT_TORCHTITAN; d <= DTC_DIALECT_TORCHRUN; d++) {
        dtci_dialect tables;
        if (!dtci_dialect_of(d, &tables))
          continue;
        dtc_lint lint = lint_of(d, 0, check_random(&seed, 3) * 8);
        lint_result r = lint_len(&lint, bytes, check_random(&seed, len + 1));
        assert_true(r.status == DTC_OK || r.status == DTC_E_PARSE || r.status == DTC_E_SPACE);
      }
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(torchtitan_rules),
      cmocka_unit_test(torchtitan_names_by_version),
      cmocka_unit_test(torchtitan_plans),
      cmocka_unit_test(colossalai_rules),
      cmocka_unit_test(colossalai_squares_and_cubes),
      cmocka_unit_test(colossalai_plans),
      cmocka_unit_test(accelerate_rules),
      cmocka_unit_test(accelerate_plans),
      cmocka_unit_test(accelerate_names),
      cmocka_unit_test(trainer_rules),
      cmocka_unit_test(trainer_plans),
      cmocka_unit_test(torchrun_rules),
      cmocka_unit_test(torchrun_words),
      cmocka_unit_test(bytes_give_a_status),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The Megatron dialect: every row of its rules, flags that are gone or ignored, scripts as people write them, and what
 * comes out as model and plan. Right values are those of Megatron-LM d98e8a64. */
#include "lint_check.h"
#include "lint_megatron.h"

#include "internal/lint_megatron.h"

/* A run that Megatron takes, on 8 ranks. */
static const char before[] =
    "CUDA_DEVICE_MAX_CONNECTIONS=1 torchrun --nproc-per-node 8 pretrain_gpt.py --num-layers 32 "
    "--hidden-size 4096 --num-attention-heads 32 --seq-length 4096 "
    "--max-position-embeddings 4096 --micro-batch-size 1 --train-iters 10 --lr 1e-4 --bf16 "
    "--position-embedding-type rope ";

static dtc_lint megatron(uint64_t world, uint32_t compute)
{
  dtc_lint lint = lint_of(DTC_DIALECT_MEGATRON, 0, world);
  lint.compute = compute;
  return lint;
}

static lint_result on(uint32_t compute, const char *flags)
{
  char text[2048];
  dtc_lint lint = megatron(8, compute);
  if (flags[0] == '!')
    return lint_text(&lint, flags + 1);
  snprintf(text, sizeof text, "%s%s", before, flags);
  return lint_text(&lint, text);
}

static lint_result with(const char *flags)
{
  return on(90, flags);
}

/* ---- rules ----------------------------------------------------------------------------------- */

static const char *key_name(uint32_t operand)
{
  return dtci_megatron_keys[operand & (DTCI_KEYS_MAX - 1)].name;
}

/* What a row needs, or does not go with; NULL when it compares two sides. */
static const char *other_of(const dtci_rule_row *row)
{
  if (row->hook == DTCI_NEEDS)
    return key_name(row->need.field);
  return row->hook == DTCI_EXCLUDES ? key_name(row->when[1].field) : NULL;
}

static const dtc_error *found(const lint_result *r, const megatron_example *example)
{
  for (size_t i = 0; i < r->count && i < LINT_FINDINGS; i++) {
    const dtc_error *e = &r->findings[i];
    if (e->rule == example->rule && strcmp(dtc_field_name(e->field), example->key) == 0 &&
        (example->other == NULL || strcmp(dtc_field_name(e->other), example->other) == 0))
      return e;
  }
  return NULL;
}

static void test_rows(void **state)
{
  (void)state;
  const size_t count = sizeof megatron_examples / sizeof megatron_examples[0];
  assert_int_equal(count, dtci_megatron_rules_count);
  for (size_t i = 0; i < count; i++) {
    const megatron_example *example = &megatron_examples[i];
    const dtci_rule_row *row = &dtci_megatron_rules[i].row;
    assert_int_equal(example->rule, row->rule);
    assert_string_equal(example->key, key_name(row->fix));
    assert_true((example->other == NULL) == (other_of(row) == NULL));
    if (example->other != NULL)
      assert_string_equal(example->other, other_of(row));
    lint_result broken = on(example->compute, example->breaks);
    const dtc_error *e = found(&broken, example);
    if (broken.status != DTC_OK || e == NULL)
      fail_msg("row %zu: not found in %s\n%s", i, example->breaks, lint_lines(&broken));
    assert_int_equal(e->severity, row->severity);
    lint_result passed = on(90, example->passes);
    if (passed.status != DTC_OK || found(&passed, example) != NULL)
      fail_msg("row %zu: found in %s\n%s", i, example->passes, lint_lines(&passed));
  }
}

static void test_tables(void **state)
{
  (void)state;
  lint_tables(DTC_DIALECT_MEGATRON);
  /* Two flags of one meaning, and those that turn something off, put into a key of the same kind. */
  for (uint32_t i = 0; i < dtci_megatron_keys_count; i++) {
    const dtci_key *key = &dtci_megatron_keys[i];
    if (key->kind == DTCI_KEY_FLAG && key->to != 0)
      assert_int_equal(dtci_megatron_keys[key->to].kind, DTCI_KEY_FLAG);
  }
}

static void test_quiet(void **state)
{
  (void)state;
  lint_result r = with("");
  lint_expect(&r, "");
  r = with("--tensor-model-parallel-size 2 --sequence-parallel --pipeline-model-parallel-size 2 --global-batch-size 64 "
           "--num-virtual-stages-per-pipeline-rank 4 --use-distributed-optimizer --overlap-grad-reduce "
           "--overlap-param-gather --recompute-granularity full --recompute-method uniform --recompute-num-layers 1");
  lint_expect(&r, "");
  r = with("--num-experts 8 --expert-model-parallel-size 4 --disable-bias-linear --swiglu --moe-grouped-gemm "
           "--moe-token-dispatcher-type flex --moe-flex-dispatcher-backend hybridep");
  lint_expect(&r, "");
}

/* Without a world, ranks are not known; a fragment lacks what is given elsewhere. */
static void test_fragment(void **state)
{
  (void)state;
  dtc_lint lint = megatron(0, 0);
  lint_result r = lint_text(&lint, "--tensor-model-parallel-size 3 --pipeline-model-parallel-size 7 --bf16");
  lint_expect(&r, "");
  r = lint_text(&lint, "torchrun pretrain_gpt.py --num-layers $LAYERS --hidden-size 4096 --num-attention-heads $HEADS "
                       "--micro-batch-size 1 --tensor-model-parallel-size 8 ${OTHERS[@]}");
  lint_expect(&r, "");
}

/* ---- flags ----------------------------------------------------------------------------------- */

static void test_gone(void **state)
{
  (void)state;
  static const char gone[][2][48] = {
      {"--model-parallel-size 8", "--tensor-model-parallel-size"},
      {"--batch-size 4", "--micro-batch-size"},
      {"--warmup 1", "--lr-warmup-fraction"},
      {"--checkpoint-activations", "--recompute-activations"},
      {"--use-custom-fsdp", "--use-megatron-fsdp"},
      {"--encoder-tensor-model-parallel-size 2", "--tensor-model-parallel-size"},
      {"--fp8-hybrid", "--fp8-format"},
      {"--use-legacy-models", ""},
      {"--DDP-impl local", ""},
  };
  for (size_t i = 0; i < sizeof gone / sizeof gone[0]; i++) {
    lint_result r = with(gone[i][0]);
    const dtc_error *e = lint_found(&r, DTC_RULE_LINT_GONE, NULL);
    if (e == NULL)
      fail_msg("%s: %s", gone[i][0], lint_lines(&r));
    assert_int_equal(e->severity, DTC_SEVERITY_ERROR);
    assert_string_equal(e->other != 0 ? dtc_field_name(e->other) : "", gone[i][1]);
    assert_int_equal(r.count, 1);
  }
}

static void test_ignored(void **state)
{
  (void)state;
  static const char ignored[][40] = {"--rampup-batch-size 16 16 1000", "--use-mcore-models", "--use-dist-ckpt",
                                     "--ckpt-fully-parallel-save"};
  for (size_t i = 0; i < sizeof ignored / sizeof ignored[0]; i++) {
    lint_result r = with(ignored[i]);
    const dtc_error *e = lint_found(&r, DTC_RULE_LINT_IGNORED, NULL);
    assert_ptr_not_equal(e, NULL);
    assert_int_equal(e->severity, DTC_SEVERITY_WARNING);
    assert_int_equal(r.count, 1);
  }
}

/* As argparse: names in full, values of the type, among the choices, as many as a flag takes. */
static void test_values(void **state)
{
  (void)state;
  static const struct {
    const char *flags;
    dtc_rule rule;
    const char *key;
  } wrong[] = {
      {"--use-mcore-models-typo", DTC_RULE_LINT_UNKNOWN, NULL},
      {"--tensor-model-parallel 2", DTC_RULE_LINT_UNKNOWN, NULL},
      {"--tensor_model_parallel_size 2", DTC_RULE_LINT_UNKNOWN, NULL},
      {"--tensor-model-parallel-size two", DTC_RULE_LINT_TYPE, "--tensor-model-parallel-size"},
      {"--tensor-model-parallel-size 0", DTC_RULE_LINT_RANGE, "--tensor-model-parallel-size"},
      {"--weight-decay much", DTC_RULE_LINT_TYPE, "--weight-decay"},
      {"--data-parallel-sharding-strategy zero3", DTC_RULE_LINT_WORD, "--data-parallel-sharding-strategy"},
      {"--recompute-modules core_attn foo", DTC_RULE_LINT_WORD, "--recompute-modules"},
      {"--fp8-format E4M3", DTC_RULE_LINT_WORD, "--fp8-format"},
      {"--global-batch-size", DTC_RULE_LINT_ARGS, "--global-batch-size"},
      {"--global-batch-size --swiglu", DTC_RULE_LINT_ARGS, "--global-batch-size"},
      {"--swiglu true", DTC_RULE_LINT_STRAY, "--swiglu"},
      {"--timing-log-level 3", DTC_RULE_LINT_RANGE, "--timing-log-level"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    lint_result r = with(wrong[i].flags);
    const dtc_error *e = lint_found(&r, wrong[i].rule, wrong[i].key);
    if (e == NULL || e->severity != DTC_SEVERITY_ERROR)
      fail_msg("%s: %s", wrong[i].flags, lint_lines(&r));
  }
  lint_result r = with("--seq-length=4096");
  const dtc_error *e = lint_found(&r, DTC_RULE_LINT_TWICE, "--seq-length");
  assert_ptr_not_equal(e, NULL);
  assert_int_equal(e->severity, DTC_SEVERITY_WARNING);
}

/* Flags of two names, and flags that take back. */
static void test_names(void **state)
{
  (void)state;
  lint_result r = with("--save x --persistent-save-interval 100");
  lint_expect(&r, "");
  r = with("--disable-tp-comm-overlap-ag --no-rl-partial-rollouts --use-checkpoint-opt-param-scheduler "
           "--override-opt_param-scheduler --rl-skip-bos-token --no-rl-skip-bos-token");
  assert_int_equal(lint_errors(&r), 0);
  assert_int_equal(r.count, 1);
  assert_int_equal(r.findings[0].rule, DTC_RULE_LINT_TWICE);
  r = with("--data-path 0.5 a 0.5 b --split 99,1,0 --exit-signal SIGTERM --moe-layer-freq '([0]*3+[1]*29)' "
           "--window-size 128,0 --rl-default-top-k -1 --profile-ranks 0 1 2");
  assert_int_equal(lint_errors(&r), 0);
}

/* ---- scripts --------------------------------------------------------------------------------- */

static const char script[] = "#!/bin/bash\n"
                             "export CUDA_DEVICE_MAX_CONNECTIONS=1\n"
                             "GPUS_PER_NODE=8\n"
                             "NUM_NODES=2 # of the cluster\n"
                             "TP=4\n"
                             "CHECKPOINT_PATH=$1\n"
                             "DISTRIBUTED_ARGS=(\n"
                             "    --nproc_per_node $GPUS_PER_NODE\n"
                             "    --nnodes $NUM_NODES\n"
                             ")\n"
                             "GPT_MODEL_ARGS=(\n"
                             "    --num-layers 96 # as GPT-3\n"
                             "    --hidden-size 12288\n"
                             "    --num-attention-heads 96\n"
                             "    --seq-length 2048\n"
                             "    --max-position-embeddings 2048\n"
                             ")\n"
                             "TRAINING_ARGS=(\n"
                             "    --micro-batch-size 1\n"
                             "    --global-batch-size 1536\n"
                             "    --train-iters 500000\n"
                             "    --weight-decay 0.1\n"
                             "    --clip-grad 1.0\n"
                             "    --fp16\n"
                             "    --lr 6.0e-5\n"
                             "    --min-lr 6.0e-6\n"
                             ")\n"
                             "MODEL_PARALLEL_ARGS=(\n"
                             "    --tensor-model-parallel-size $TP\n"
                             "    --pipeline-model-parallel-size 4\n"
                             ")\n"
                             "torchrun ${DISTRIBUTED_ARGS[@]} pretrain_gpt.py \\\n"
                             "    ${GPT_MODEL_ARGS[@]} \\\n"
                             "    ${TRAINING_ARGS[@]} \\\n"
                             "    ${MODEL_PARALLEL_ARGS[@]} \\\n"
                             "    --save \"$CHECKPOINT_PATH\" --save-interval 100\n";

static void test_script(void **state)
{
  (void)state;
  dtc_lint lint = megatron(16, 90);
  lint_result r = lint_text(&lint, script);
  lint_expect(&r, "");
  assert_int_equal(r.plan.framework, DTC_FRAMEWORK_MEGATRON);
  assert_int_equal(r.plan.tp, 4);
  assert_int_equal(r.plan.pp, 4);
  assert_int_equal(r.plan.dp, 1);
  assert_int_equal(r.plan.global_batch, 1536);
  assert_int_equal(r.plan.precision, DTC_PRECISION_FP16);
  assert_int_equal(r.model.layers, 96);
  assert_int_equal(r.model.ffn, 4 * 12288);
  lint.world = 24;
  r = lint_text(&lint, script);
  assert_ptr_not_equal(lint_found(&r, DTC_RULE_ARGS_WORLD, "--tensor-model-parallel-size"), NULL);
  /* The dialect is told from the text. */
  lint.dialect = DTC_DIALECT_DEFAULT;
  r = lint_text(&lint, script);
  assert_ptr_not_equal(lint_found(&r, DTC_RULE_ARGS_WORLD, "--tensor-model-parallel-size"), NULL);
}

/* A comment or a missing backslash cuts the command: the rest of the flags is a command of its own. */
static void test_cut(void **state)
{
  (void)state;
  static const char comment[] = "python pretrain_gpt.py --num-layers 4 \\\n"
                                "  --hidden-size 64 \\ # small\n"
                                "  --num-attention-heads 4\n";
  static const char backslash[] = "python pretrain_gpt.py --num-layers 4 \\\n"
                                  "  --hidden-size 64\n"
                                  "  --num-attention-heads 4\n";
  dtc_lint lint = megatron(8, 90);
  lint_result r = lint_text(&lint, comment);
  assert_ptr_not_equal(lint_found(&r, DTC_RULE_LINT_CUT, NULL), NULL);
  r = lint_text(&lint, backslash);
  assert_ptr_not_equal(lint_found(&r, DTC_RULE_LINT_CUT, NULL), NULL);
}

/* ---- model and plan -------------------------------------------------------------------------- */

static void test_llama(void **state)
{
  (void)state;
  lint_result r = with("--group-query-attention --num-query-groups 8 --swiglu --ffn-hidden-size 14336 "
                       "--normalization RMSNorm --disable-bias-linear --untie-embeddings-and-output-weights "
                       "--vocab-size 128256 --attention-dropout 0 --hidden-dropout 0.0 --use-flash-attn "
                       "--tensor-model-parallel-size 2 --sequence-parallel --context-parallel-size 2 "
                       "--use-distributed-optimizer --recompute-activations --qk-layernorm");
  lint_expect(&r, "");
  const dtc_model *m = &r.model;
  assert_int_equal(m->layers, 32);
  assert_int_equal(m->hidden, 4096);
  assert_int_equal(m->heads, 32);
  assert_int_equal(m->kv_heads, 8);
  assert_int_equal(m->ffn, 14336);
  assert_int_equal(m->vocab, 128256);
  assert_int_equal(m->context, 4096);
  assert_int_equal(m->norm, DTC_NORM_RMSNORM);
  assert_int_equal(m->position, DTC_POSITION_ROPE);
  assert_int_equal(m->tied, DTC_BOOL_OFF);
  assert_int_equal(m->gated, DTC_BOOL_ON);
  assert_int_equal(m->qkv_bias, DTC_BOOL_OFF);
  assert_int_equal(m->mlp_bias, DTC_BOOL_OFF);
  assert_int_equal(m->out_bias, DTC_BOOL_OFF);
  assert_int_equal(m->qk_norm, DTC_BOOL_ON);
  assert_int_equal(m->experts, 0);
  const dtc_plan *p = &r.plan;
  assert_int_equal(p->tp, 2);
  assert_int_equal(p->cp, 2);
  assert_int_equal(p->dp, 2);
  assert_int_equal(p->sequence_parallel, DTC_BOOL_ON);
  assert_int_equal(p->sharding, DTC_SHARDING_DISTOPT);
  assert_int_equal(p->recompute, DTC_RECOMPUTE_SELECTIVE);
  assert_int_equal(p->attention, DTC_ATTENTION_FLASH);
  assert_int_equal(p->precision, DTC_PRECISION_BF16);
  assert_int_equal(p->optimizer, DTC_OPTIMIZER_ADAM);
  assert_int_equal(p->dropout, DTC_BOOL_OFF);
  assert_int_equal(p->micro_batch, 1);
  assert_int_equal(p->global_batch, 2);
  assert_int_equal(p->seq, 4096);
}

/* Defaults of a GPT: biases, LayerNorm, tied embeddings, dropout, 4 * hidden; SwiGLU has two thirds of it. */
static void test_defaults(void **state)
{
  (void)state;
  lint_result r = with("");
  assert_int_equal(r.model.norm, DTC_NORM_LAYERNORM);
  assert_int_equal(r.model.tied, DTC_BOOL_ON);
  assert_int_equal(r.model.gated, DTC_BOOL_OFF);
  assert_int_equal(r.model.mlp_bias, DTC_BOOL_ON);
  assert_int_equal(r.model.qkv_bias, DTC_BOOL_ON);
  assert_int_equal(r.model.ffn, 16384);
  assert_int_equal(r.model.kv_heads, 0);
  assert_int_equal(r.plan.dropout, DTC_BOOL_ON);
  assert_int_equal(r.plan.sharding, DTC_SHARDING_DDP);
  assert_int_equal(r.plan.recompute, DTC_RECOMPUTE_NONE);
  assert_int_equal(r.plan.global_batch, 8);
  r = with("--swiglu");
  assert_int_equal(r.model.ffn, 10880); /* int(4 * 4096 * 2 / 3 / 64) * 64 */
  dtc_lint lint = megatron(8, 90);
  r = lint_text(&lint, "--tensor-model-parallel-size 2");
  assert_int_equal(r.model.norm, DTC_NORM_DEFAULT);
  assert_int_equal(r.model.tied, DTC_BOOL_DEFAULT);
  assert_int_equal(r.plan.precision, DTC_PRECISION_DEFAULT);
}

static void test_experts(void **state)
{
  (void)state;
  lint_result r = with("--num-experts 64 --moe-router-topk 6 --moe-ffn-hidden-size 1408 "
                       "--moe-shared-expert-intermediate-size 2816 --expert-model-parallel-size 8 "
                       "--expert-tensor-parallel-size 1 --disable-bias-linear --multi-latent-attention "
                       "--kv-lora-rank 512 --qk-pos-emb-head-dim 64 --v-head-dim 128 --mtp-num-layers 1 "
                       "--moe-router-enable-expert-bias --moe-router-score-function sigmoid");
  lint_expect(&r, "");
  assert_int_equal(r.model.experts, 64);
  assert_int_equal(r.model.top_k, 6);
  assert_int_equal(r.model.moe_ffn, 1408);
  assert_int_equal(r.model.shared_ffn, 2816);
  assert_int_equal(r.model.router_bias, DTC_BOOL_ON);
  assert_int_equal(r.model.kv_rank, 512);
  assert_int_equal(r.model.q_rank, 0);
  assert_int_equal(r.model.qk_nope_dim, 128);
  assert_int_equal(r.model.qk_rope_dim, 64);
  assert_int_equal(r.model.v_dim, 128);
  assert_int_equal(r.model.mtp_layers, 1);
  assert_int_equal(r.plan.ep, 8);
  assert_int_equal(r.plan.etp, 1);
}

static void test_plans(void **state)
{
  (void)state;
  lint_result r = with("--pipeline-model-parallel-size 4 --num-layers-per-virtual-pipeline-stage 2");
  assert_int_equal(r.plan.vpp, 4);
  r = with("--use-megatron-fsdp --ckpt-format fsdp_dtensor");
  assert_int_equal(r.plan.sharding, DTC_SHARDING_FSDP);
  r = with("--use-megatron-fsdp --data-parallel-sharding-strategy no_shard");
  assert_int_equal(r.plan.sharding, DTC_SHARDING_DDP);
  r = with("--use-megatron-fsdp --data-parallel-sharding-strategy optim_grads");
  assert_int_equal(r.plan.sharding, DTC_SHARDING_DEFAULT);
  r = with("--optimizer sgd");
  assert_int_equal(r.plan.optimizer, DTC_OPTIMIZER_MOMENTUM);
  r = with("--optimizer sgd --sgd-momentum 0");
  assert_int_equal(r.plan.optimizer, DTC_OPTIMIZER_SGD);
  r = with("--optimizer muon");
  assert_int_equal(r.plan.optimizer, DTC_OPTIMIZER_MUON);
  r = with("--grad-reduce-in-bf16");
  assert_int_equal(r.plan.grad_dtype, DTC_GRAD_DTYPE_16BIT);
  r = with("--recompute-granularity full --recompute-method block --recompute-num-layers 8");
  assert_int_equal(r.plan.recompute, DTC_RECOMPUTE_DEFAULT);
  r = with("--recompute-granularity full --recompute-method block --recompute-num-layers 32");
  assert_int_equal(r.plan.recompute, DTC_RECOMPUTE_FULL);
  r = with("--attention-backend unfused");
  assert_int_equal(r.plan.attention, DTC_ATTENTION_EAGER);
  r = with("--sequence-parallel");
  assert_int_equal(r.plan.sequence_parallel, DTC_BOOL_DEFAULT);
}

/* The layout is held against pp, the layers and the prediction modules, and says how many chunks a rank has. */
static void test_layout(void **state)
{
  (void)state;
  static const struct {
    const char *flags;
    dtc_rule rule;
    const char *key;
  } wrong[] = {
      {"--num-layers 9 --pipeline-model-parallel-size 4 --pipeline-model-parallel-layout 'Ett|tt|tt|ttL'",
       DTC_RULE_LAYOUT_LAYERS, "--num-layers"},
      {"--num-layers 8 --mtp-num-layers 1 --pipeline-model-parallel-size 4 --pipeline-model-parallel-layout "
       "'Ett|tt|tt|ttL'",
       DTC_RULE_LAYOUT_LAYERS, "--mtp-num-layers"},
      {"--num-layers 8 --pipeline-model-parallel-size 8 --pipeline-model-parallel-layout 'Ett|tt|tt|ttL'",
       DTC_RULE_LAYOUT_STAGES, "--pipeline-model-parallel-size"},
      {"--num-layers 8 --pipeline-model-parallel-size 4 --pipeline-model-parallel-layout 'Ett|tt|tt|xtL'",
       DTC_RULE_LAYOUT_SYNTAX, "--pipeline-model-parallel-layout"},
      {"--num-layers 8 --pipeline-model-parallel-size 4 --pipeline-model-parallel-layout 'tt|tt|tt|ttL'",
       DTC_RULE_LAYOUT_ENDS, "--pipeline-model-parallel-layout"},
      {"--num-layers 8 --mtp-num-layers 1 --pipeline-model-parallel-size 2 --pipeline-model-parallel-layout "
       "'Ettm|tt|tt|ttL'",
       DTC_RULE_LAYOUT_MTP, "--pipeline-model-parallel-layout"},
      {"--num-layers 8 --pipeline-model-parallel-layout 'Ett|tt|tt|ttL'", DTC_RULE_ARGS_VPP_PP,
       "--pipeline-model-parallel-size"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    lint_result r = with(wrong[i].flags);
    const dtc_error *e = lint_found(&r, wrong[i].rule, wrong[i].key);
    if (e == NULL || e->severity != DTC_SEVERITY_ERROR)
      fail_msg("%s\n%s", wrong[i].flags, lint_lines(&r));
  }
  lint_result r = with("--num-layers 8 --pipeline-model-parallel-size 2 --pipeline-model-parallel-layout "
                       "'Ett|tt|tt|ttL' --global-batch-size 16");
  assert_int_equal(lint_errors(&r), 0);
  assert_int_equal(r.plan.vpp, 2);
  r = with("--num-layers 8 --pipeline-model-parallel-size 2 --pipeline-model-parallel-layout \"E(tt|)*3ttL\"");
  assert_int_equal(lint_errors(&r), 0);
  r = with("--num-layers $N --pipeline-model-parallel-size 4 --pipeline-model-parallel-layout 'Ett|tt|tt|ttL'");
  assert_int_equal(lint_errors(&r), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_tables),   cmocka_unit_test(test_rows),   cmocka_unit_test(test_quiet),
      cmocka_unit_test(test_fragment), cmocka_unit_test(test_gone),   cmocka_unit_test(test_ignored),
      cmocka_unit_test(test_values),   cmocka_unit_test(test_names),  cmocka_unit_test(test_script),
      cmocka_unit_test(test_cut),      cmocka_unit_test(test_llama),  cmocka_unit_test(test_defaults),
      cmocka_unit_test(test_experts),  cmocka_unit_test(test_layout), cmocka_unit_test(test_plans),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Command line of a Hugging Face Trainer script: flags of transformers' TrainingArguments that are about the split, the
 * batch or the precision, from 4.57 to 5.24. Every other flag is the script's own. Sources: transformers/training_args.py
 * (4.57.0, 5.0.0, 5.10.0, 5.24.0), hf_argparser.py, trainer.py. */
#include "internal/settings.h"

#define K(key) DTCI_KEY(DTC_DIALECT_TRAINER, key)
#define PLAN(x) .field = DTC_FIELD(plan, x)
#define V5 .since = 5000000
/* --fsdp is a switch, and FSDP2 the default. */
#define SWITCH_FSDP .since = 5010000
#define WORDS_FSDP .until = 5010000

enum {
  WORLD = DTCI_KEY_WORLD,
  FRAMEWORK = DTCI_KEY_FIRST,
  SHARDING,
  PRECISION,
  DP,
  RECOMPUTE,
  MICRO,
  STEPS,
  FP16,
  BF16,
  CHECKPOINTING,
  FSDP,
  FSDP_CONFIG,
  DEEPSPEED,
};

enum { FSDPS = 1, OPTIMIZERS, BACKENDS };
enum { FULL_SHARD, SHARD_GRAD_OP, NO_SHARD, HYBRID_SHARD, HYBRID_SHARD_ZERO2, OFFLOAD, AUTO_WRAP };

static const dtci_word words[] = {
    {FSDPS, FULL_SHARD, 0, "full_shard"},
    {FSDPS, SHARD_GRAD_OP, 0, "shard_grad_op"},
    {FSDPS, NO_SHARD, 0, "no_shard"},
    {FSDPS, HYBRID_SHARD, 0, "hybrid_shard"},
    {FSDPS, HYBRID_SHARD_ZERO2, 0, "hybrid_shard_zero2"},
    {FSDPS, OFFLOAD, 0, "offload"},
    {FSDPS, AUTO_WRAP, 0, "auto_wrap"},
    {OPTIMIZERS, DTC_OPTIMIZER_ADAM, 0, "adamw_torch"},
    {OPTIMIZERS, DTC_OPTIMIZER_ADAM, 0, "adamw_torch_fused"},
    {OPTIMIZERS, DTC_OPTIMIZER_ADAM, 0, "adamw_apex_fused"},
    {OPTIMIZERS, DTC_OPTIMIZER_ADAM, 0, "paged_adamw_32bit"},
    {OPTIMIZERS, DTC_OPTIMIZER_ADAM8, 0, "adamw_8bit"},
    {OPTIMIZERS, DTC_OPTIMIZER_ADAM8, 0, "adamw_bnb_8bit"},
    {OPTIMIZERS, DTC_OPTIMIZER_ADAM8, 0, "paged_adamw_8bit"},
    {OPTIMIZERS, DTC_OPTIMIZER_ADAFACTOR, 0, "adafactor"},
    {OPTIMIZERS, DTC_OPTIMIZER_SGD, 0, "sgd"},
    {OPTIMIZERS, DTC_OPTIMIZER_LION, 0, "lion_32bit"},
    {OPTIMIZERS, DTC_OPTIMIZER_LION, 0, "paged_lion_32bit"},
    {BACKENDS, 0, 0, "nccl"},
    {BACKENDS, 1, 0, "gloo"},
    {BACKENDS, 2, 0, "mpi"},
    {BACKENDS, 3, 0, "xccl"},
    {BACKENDS, 4, 0, "hccl"},
    {BACKENDS, 5, 0, "cncl"},
    {BACKENDS, 6, 0, "mccl"},
    {BACKENDS, 7, 0, "ccl"},
};

#define WORKED .kind = DTCI_KEY_WORKED
#define COUNT .kind = DTCI_KEY_INTEGER, .min = {1}, .max = {INT64_C(1) << 32}
#define INTEGER .kind = DTCI_KEY_INTEGER
#define NUMBER .kind = DTCI_KEY_NUMBER
#define SWITCH .kind = DTCI_KEY_SWITCH, .args = DTCI_ARGS_OPTIONAL, .flags = DTCI_HAS
#define TEXT .kind = DTCI_KEY_TEXT
#define GONE .kind = DTCI_KEY_GONE, V5

static const dtci_key keys[] = {
    DTCI_LINT_KEYS,
    [FRAMEWORK] = {"framework", WORKED, PLAN(framework), .flags = DTCI_FILLS},
    [SHARDING] = {"sharding", WORKED, PLAN(sharding), .flags = DTCI_FILLS},
    [PRECISION] = {"precision", WORKED, PLAN(precision), .flags = DTCI_FILLS},
    [DP] = {"data parallel ranks", WORKED, PLAN(dp)},
    [RECOMPUTE] = {"recompute", WORKED, PLAN(recompute)},
    [MICRO] = {"--per_device_train_batch_size", COUNT, .flags = DTCI_HAS | DTCI_FILLS, .fill = {8}, PLAN(micro_batch)},
    [STEPS] = {"--gradient_accumulation_steps", COUNT, .flags = DTCI_HAS | DTCI_FILLS, .fill = {1}, PLAN(accumulation)},
    [FP16] = {"--fp16", SWITCH},
    [BF16] = {"--bf16", SWITCH},
    [CHECKPOINTING] = {"--gradient_checkpointing", SWITCH},
    [FSDP] = {"--fsdp", .kind = DTCI_KEY_WORDS, .words = FSDPS, .args = DTCI_ARGS_OPTIONAL},
    [FSDP_CONFIG] = {"--fsdp_config", TEXT},
    [DEEPSPEED] = {"--deepspeed", TEXT},

    {"--activation_checkpointing", .kind = DTCI_KEY_ALIAS, .to = CHECKPOINTING, .args = DTCI_ARGS_OPTIONAL,
     SWITCH_FSDP},
    {"--optim", .kind = DTCI_KEY_WORD, .words = OPTIMIZERS, .flags = DTCI_OTHERS, PLAN(optimizer),
     .map = {0, 1, 2, 3, 4, 5, 6, 7}},
    {"--per_device_eval_batch_size", COUNT},
    {"--max_steps", INTEGER},
    {"--num_train_epochs", NUMBER},
    {"--learning_rate", NUMBER},
    {"--weight_decay", NUMBER},
    {"--max_grad_norm", NUMBER},
    {"--tf32", SWITCH},
    {"--torch_compile", SWITCH},
    {"--dataloader_num_workers", INTEGER, .max = {1 << 20}},
    {"--dataloader_drop_last", SWITCH},
    {"--ddp_backend", .kind = DTCI_KEY_WORD, .words = BACKENDS},
    {"--ddp_timeout", INTEGER},
    {"--ddp_bucket_cap_mb", INTEGER},
    {"--ddp_find_unused_parameters", SWITCH},
    {"--ddp_broadcast_buffers", SWITCH},
    {"--seed", INTEGER},

    /* Gone with 5. */
    {"--per_gpu_train_batch_size", GONE, .to = MICRO},
    {"--fp16_backend", GONE},
    {"--fp16_opt_level", GONE},
    {"--half_precision_backend", GONE},
    {"--fsdp_min_num_params", GONE, .to = FSDP_CONFIG},
    {"--fsdp_transformer_layer_cls_to_wrap", GONE, .to = FSDP_CONFIG},
    {"--no_cuda", GONE},
    {"--overwrite_output_dir", GONE},
    {"--sharded_ddp", GONE, .to = FSDP},
};

/* ---- steps ----------------------------------------------------------------------------------- */

#define PUT(to, value) .key = K(to), .op = DTCI_STEP_PUT, .constant = (value)
#define HAS(word) DTCI_WHEN_HAS(K(FSDP), word)
#define WHEN_FSDP DTCI_WHEN_GIVEN(K(FSDP))
#define WHEN_DEEPSPEED DTCI_WHEN_GIVEN(K(DEEPSPEED))
#define WHEN_ONE(key) DTCI_WHEN_IS(K(key), 1)

static const dtci_step steps[] = {
    {PUT(FRAMEWORK, DTC_FRAMEWORK_PYTORCH)},
    {PUT(FRAMEWORK, DTC_FRAMEWORK_DEEPSPEED), .when = {WHEN_DEEPSPEED}},
    {PUT(SHARDING, DTC_SHARDING_DDP)},
    {PUT(SHARDING, DTC_SHARDING_FSDP), .when = {WHEN_FSDP}},
    {PUT(SHARDING, DTC_SHARDING_DDP), .when = {HAS(NO_SHARD)}},
    {PUT(SHARDING, DTC_SHARDING_HSDP), .when = {HAS(HYBRID_SHARD)}},
    {PUT(SHARDING, DTC_SHARDING_HSDP), .when = {HAS(HYBRID_SHARD_ZERO2)}},
    /* DeepSpeed's file says it. */
    {.key = K(SHARDING), .op = DTCI_STEP_CLEAR, .when = {WHEN_DEEPSPEED}},
    {PUT(PRECISION, DTC_PRECISION_FP32)},
    {PUT(PRECISION, DTC_PRECISION_FP16), .when = {WHEN_ONE(FP16)}},
    {PUT(PRECISION, DTC_PRECISION_BF16), .when = {WHEN_ONE(BF16)}},
    {.key = K(DP), .op = DTCI_STEP_PRODUCT, .left = {K(WORLD)}},
    {PUT(RECOMPUTE, DTC_RECOMPUTE_FULL), .when = {WHEN_ONE(CHECKPOINTING)}},
};

/* ---- rules ----------------------------------------------------------------------------------- */

#define ERROR .status = DTC_E_CONFLICT, .severity = DTC_SEVERITY_ERROR
#define WARNING .status = DTC_E_CONFLICT, .severity = DTC_SEVERITY_WARNING

#define STRATEGY(...)                                                                                                  \
  .row = {.rule = DTC_RULE_TRAINER_STRATEGY,                                                                           \
          ERROR,                                                                                                       \
          .hook = DTCI_WHEN,                                                                                           \
          .fix = K(FSDP),                                                                                              \
          .when = {__VA_ARGS__},                                                                                       \
          .en = "{field} = {got}: one of full_shard and shard_grad_op, or another with FSDP1; offload beside it",      \
          .zh = "{field} = {got}：full_shard 与 shard_grad_op 取其一，其余需要 FSDP1；offload 只能附加"}
#define CHECKPOINTS(condition)                                                                                         \
  .row = {.rule = DTC_RULE_TRAINER_CHECKPOINTING,                                                                      \
          WARNING,                                                                                                     \
          .hook = DTCI_EXCLUDES,                                                                                       \
          .fix = K(CHECKPOINTING),                                                                                     \
          .when = {WHEN_ONE(CHECKPOINTING), condition},                                                                \
          .en = "backward would gather twice; use activation_checkpointing of fsdp_config",                            \
          .zh = "反向会收集两次；请用 fsdp_config 的 activation_checkpointing"}

static const dtci_setting_rule rules[] = {
    {.row = {.rule = DTC_RULE_TRAINER_PRECISION,
             ERROR,
             .hook = DTCI_EXCLUDES,
             .fix = K(FP16),
             .when = {WHEN_ONE(FP16), WHEN_ONE(BF16)},
             .en = "one of them is the type of the activations",
             .zh = "激活只能是其中一种类型"}},
    {SWITCH_FSDP, STRATEGY(HAS(NO_SHARD), DTCI_WHEN_NOT_GIVEN(K(FSDP_CONFIG)))},
    {SWITCH_FSDP, STRATEGY(HAS(HYBRID_SHARD), DTCI_WHEN_NOT_GIVEN(K(FSDP_CONFIG)))},
    {SWITCH_FSDP, STRATEGY(HAS(HYBRID_SHARD_ZERO2), DTCI_WHEN_NOT_GIVEN(K(FSDP_CONFIG)))},
    {WORDS_FSDP, STRATEGY(DTCI_WHEN_IS(K(FSDP), 1 << OFFLOAD))},
    {WORDS_FSDP, STRATEGY(HAS(FULL_SHARD), HAS(SHARD_GRAD_OP))},
    {SWITCH_FSDP, .row = {.rule = DTC_RULE_TRAINER_WORDS,
                          .status = DTC_E_UNSUPPORTED,
                          .severity = DTC_SEVERITY_WARNING,
                          .hook = DTCI_WHEN,
                          .fix = K(FSDP),
                          .when = {DTCI_WHEN_AT_LEAST(K(FSDP), 1)},
                          .en = "{field} = {got}: words are deprecated; --fsdp alone, the rest in --fsdp_config",
                          .zh = "{field} = {got}：取值已弃用；只写 --fsdp，其余放入 --fsdp_config"}},
    {SWITCH_FSDP, CHECKPOINTS(WHEN_FSDP)},
    {WORDS_FSDP, CHECKPOINTS(HAS(FULL_SHARD))},
    {WORDS_FSDP, CHECKPOINTS(HAS(HYBRID_SHARD))},
    {.row = {.rule = DTC_RULE_TRAINER_DEEPSPEED,
             ERROR,
             .hook = DTCI_EXCLUDES,
             .fix = K(FSDP),
             .when = {WHEN_FSDP, WHEN_DEEPSPEED},
             .en = "one of them shards the model",
             .zh = "只能由其中之一切分模型"}},
    {.row = {.rule = DTC_RULE_TRAINER_FSDP_CONFIG,
             WARNING,
             .hook = DTCI_NEEDS,
             .fix = K(FSDP_CONFIG),
             .need = DTCI_WHEN_SET(K(FSDP)),
             .when = {DTCI_WHEN_GIVEN(K(FSDP_CONFIG))},
             .en = "it is not read otherwise",
             .zh = "否则不会读取"}},
};

void dtci_lint_trainer(dtci_dialect *d)
{
  d->number = DTC_DIALECT_TRAINER;
  d->form = DTCI_FORM_SCRIPT;
  d->newest = 5024000;
  d->unknown = DTCI_UNKNOWN_FREE;
  d->twice = DTC_SEVERITY_WARNING;
  d->dashes = 1;
  d->shortened = 0;
  d->keys = keys;
  d->keys_count = sizeof keys / sizeof keys[0];
  d->words = words;
  d->words_count = sizeof words / sizeof words[0];
  d->steps = steps;
  d->steps_count = sizeof steps / sizeof steps[0];
  d->rules = rules;
  d->rules_count = sizeof rules / sizeof rules[0];
}

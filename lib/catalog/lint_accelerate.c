/* accelerate's configuration file, as JSON: 1.15. Sources: accelerate/commands/config/config_args.py (what a file holds),
 * commands/launch.py (what becomes of it), utils/launch.py, utils/dataclasses.py (FullyShardedDataParallelPlugin,
 * DeepSpeedPlugin), parallelism_config.py. Names outside the blocks must be known; those of a block become attributes that
 * nothing looks at. Names of fsdp_config may leave out fsdp_. What the FSDP plugin refuses in a program counts too where a
 * file only loses it. */
#include "internal/settings.h"

#define K(key) DTCI_KEY(DTC_DIALECT_ACCELERATE, key)
#define PLAN(x) .field = DTC_FIELD(plan, x)

enum {
  WORLD = DTCI_KEY_WORLD,
  RANKS = DTCI_KEY_FIRST, /* processes, of the text or the caller */
  TOTAL,                  /* product of the sizes of parallelism_config */
  FRAMEWORK,
  SHARDING,
  DP,
  STATE_RANKS,
  CONTEXT,
  RECOMPUTE,
  /* Keys of the text that rules or steps mention. */
  TYPE,
  PROCESSES,
  MACHINES,
  IP,
  MIXED,
  FSDP,
  VERSION,
  STRATEGY,
  RESHARD,
  FORWARD_PREFETCH,
  BACKWARD_PREFETCH,
  ORIG_PARAMS,
  SYNC,
  RAM,
  STATE_DICT,
  CHECKPOINTING,
  OFFLOAD,
  WRAP,
  PARAMS_OFFLOAD,
  MIN_PARAMS,
  WRAP_CLASSES,
  IGNORED,
  SIZES,
  REPLICATE,
  SHARD,
  TP,
  CP,
  SP,
  DEEPSPEED,
  FILE,
  STAGE,
  STEPS,
  CLIPPING,
  OFFLOAD_OPTIMIZER,
  OFFLOAD_PARAM,
  PATH_OPTIMIZER,
  PATH_PARAM,
  SAVE_16BIT,
  INIT_FLAG,
  MEGATRON,
  DISTOPT,
};

enum {
  TYPES = 1,
  PRECISIONS,
  RESHARDS,
  STRATEGIES,
  PREFETCHES,
  STATE_DICTS,
  POLICIES,
  DEVICES,
  LAUNCHERS,
  CP_BACKENDS,
  SP_BACKENDS,
  ENVIRONMENTS
};
enum { TYPE_NO, TYPE_FSDP, TYPE_MULTI, TYPE_XLA, TYPE_MEGATRON, TYPE_DEEPSPEED };
enum { NO, FP16, BF16, FP8 };
enum { FALSE, TRUE, FULL_SHARD, SHARD_GRAD_OP, NO_SHARD, HYBRID_SHARD, HYBRID_SHARD_ZERO2 };
enum { LOCAL_STATE_DICT = 2 };

static const dtci_word words[] = {
    {TYPES, TYPE_NO, 0, "NO"},
    {TYPES, TYPE_FSDP, 0, "FSDP"},
    {TYPES, TYPE_MULTI, 0, "MULTI_GPU"},
    {TYPES, TYPE_DEEPSPEED, 0, "DEEPSPEED"},
    {TYPES, TYPE_MEGATRON, 0, "MEGATRON_LM"},
    {TYPES, TYPE_XLA, 0, "XLA"},
    {TYPES, TYPE_MULTI, 0, "MULTI_CPU"},
    {TYPES, TYPE_MULTI, 0, "MULTI_NPU"},
    {TYPES, TYPE_MULTI, 0, "MULTI_MLU"},
    {TYPES, TYPE_MULTI, 0, "MULTI_SDAA"},
    {TYPES, TYPE_MULTI, 0, "MULTI_MUSA"},
    {TYPES, TYPE_MULTI, 0, "MULTI_XPU"},
    {TYPES, TYPE_MULTI, 0, "MULTI_HPU"},
    {TYPES, TYPE_MULTI, 0, "MULTI_NEURON"},
    {PRECISIONS, NO, 0, "no"},
    {PRECISIONS, FP16, 0, "fp16"},
    {PRECISIONS, BF16, 0, "bf16"},
    {PRECISIONS, FP8, 0, "fp8"},
    {RESHARDS, TRUE, 0, "true"},
    {RESHARDS, FALSE, 0, "false"},
    {RESHARDS, FULL_SHARD, 0, "FULL_SHARD"},
    {RESHARDS, SHARD_GRAD_OP, 0, "SHARD_GRAD_OP"},
    {RESHARDS, NO_SHARD, 0, "NO_SHARD"},
    {RESHARDS, HYBRID_SHARD, 0, "HYBRID_SHARD"},
    {RESHARDS, HYBRID_SHARD_ZERO2, 0, "HYBRID_SHARD_ZERO2"},
    {STRATEGIES, FULL_SHARD, 0, "FULL_SHARD"},
    {STRATEGIES, SHARD_GRAD_OP, 0, "SHARD_GRAD_OP"},
    {STRATEGIES, NO_SHARD, 0, "NO_SHARD"},
    {STRATEGIES, HYBRID_SHARD, 0, "HYBRID_SHARD"},
    {STRATEGIES, HYBRID_SHARD_ZERO2, 0, "HYBRID_SHARD_ZERO2"},
    {STRATEGIES, FULL_SHARD, 0, "1"},
    {STRATEGIES, SHARD_GRAD_OP, 0, "2"},
    {STRATEGIES, NO_SHARD, 0, "3"},
    {STRATEGIES, HYBRID_SHARD, 0, "4"},
    {STRATEGIES, HYBRID_SHARD_ZERO2, 0, "5"},
    {PREFETCHES, 1, 0, "BACKWARD_PRE"},
    {PREFETCHES, 2, 0, "BACKWARD_POST"},
    {PREFETCHES, 0, 0, "NO_PREFETCH"},
    {STATE_DICTS, 1, 0, "FULL_STATE_DICT"},
    {STATE_DICTS, 3, 0, "SHARDED_STATE_DICT"},
    {STATE_DICTS, LOCAL_STATE_DICT, 0, "LOCAL_STATE_DICT"},
    {POLICIES, 1, 0, "TRANSFORMER_BASED_WRAP"},
    {POLICIES, 2, 0, "SIZE_BASED_WRAP"},
    {POLICIES, 0, 0, "NO_WRAP"},
    {DEVICES, 0, 0, "none"},
    {DEVICES, 1, 0, "cpu"},
    {DEVICES, 2, 0, "nvme"},
    {LAUNCHERS, 0, 0, "pdsh"},
    {LAUNCHERS, 1, 0, "standard"},
    {LAUNCHERS, 2, 0, "openmpi"},
    {LAUNCHERS, 3, 0, "mvapich"},
    {LAUNCHERS, 4, 0, "mpich"},
    {LAUNCHERS, 5, 0, "nossh"},
    {LAUNCHERS, 6, 0, "slurm"},
    {CP_BACKENDS, 0, 0, "torch"},
    {SP_BACKENDS, 0, 0, "deepspeed"},
    {ENVIRONMENTS, 0, 0, "LOCAL_MACHINE"},
    {ENVIRONMENTS, 1, 0, "AMAZON_SAGEMAKER"},
};

#define WORKED .kind = DTCI_KEY_WORKED
#define COUNT .kind = DTCI_KEY_INTEGER, .min = {1}, .max = {INT64_C(1) << 32}
#define SIZE .kind = DTCI_KEY_INTEGER, .flags = DTCI_HAS, .fill = {1}, .min = {1}, .max = {1 << 20}
#define INTEGER .kind = DTCI_KEY_INTEGER
#define NUMBER .kind = DTCI_KEY_NUMBER, .flags = DTCI_AUTO | DTCI_NULL
#define SWITCH .kind = DTCI_KEY_SWITCH, .flags = DTCI_LAX
#define ON .kind = DTCI_KEY_SWITCH, .flags = DTCI_LAX | DTCI_HAS, .fill = {1}
#define OFF .kind = DTCI_KEY_SWITCH, .flags = DTCI_LAX | DTCI_HAS
#define WORD(set) .kind = DTCI_KEY_WORD, .words = (set), .flags = DTCI_NO_CASE
#define DEVICE .kind = DTCI_KEY_WORD, .words = DEVICES, .flags = DTCI_NULL
#define TEXT .kind = DTCI_KEY_TEXT, .flags = DTCI_NULL
#define ANY .kind = DTCI_KEY_ANY, .flags = DTCI_NULL
#define FREE .kind = DTCI_KEY_BLOCK, .unknown = DTCI_UNKNOWN_FREE, .flags = DTCI_NULL
#define LOST .kind = DTCI_KEY_BLOCK, .unknown = DTCI_UNKNOWN_WARNING, .flags = DTCI_NULL
#define ALIAS(key) .kind = DTCI_KEY_ALIAS, .to = (key)
#define F "fsdp_config.fsdp_"
#define F_SHORT "fsdp_config."
#define P "parallelism_config.parallelism_config_"
#define D "deepspeed_config."
#define M "megatron_lm_config.megatron_lm_"

static const dtci_key keys[] = {
    DTCI_LINT_KEYS,
    [RANKS] = {"processes", WORKED},
    [TOTAL] = {"product of the sizes", WORKED},
    [FRAMEWORK] = {"framework", WORKED, PLAN(framework), .flags = DTCI_FILLS},
    [SHARDING] = {"sharding", WORKED, PLAN(sharding), .flags = DTCI_FILLS},
    [DP] = {"data parallel ranks", WORKED, PLAN(dp)},
    [STATE_RANKS] = {"ranks that states are sharded over", WORKED, PLAN(dp_shard)},
    [CONTEXT] = {"context parallel ranks", WORKED, PLAN(cp)},
    [RECOMPUTE] = {"recompute", WORKED, PLAN(recompute)},

    [TYPE] = {"distributed_type", .kind = DTCI_KEY_WORD, .words = TYPES},
    [PROCESSES] = {"num_processes", COUNT},
    [MACHINES] = {"num_machines", COUNT, .flags = DTCI_HAS, .fill = {1}},
    [IP] = {"main_process_ip", TEXT},
    [MIXED] = {"mixed_precision", .kind = DTCI_KEY_WORD, .words = PRECISIONS, .flags = DTCI_NO_CASE | DTCI_NULL,
               PLAN(precision),
               .map = {DTC_PRECISION_FP32, DTC_PRECISION_FP16, DTC_PRECISION_BF16, DTC_PRECISION_BF16}},

    [FSDP] = {"fsdp_config", LOST},
    [VERSION] = {F "version", INTEGER, .flags = DTCI_HAS | DTCI_LAX, .fill = {1}, .min = {1}, .max = {2}},
    [STRATEGY] = {F "sharding_strategy", WORD(STRATEGIES)},
    [RESHARD] = {F "reshard_after_forward", WORD(RESHARDS)},
    [FORWARD_PREFETCH] = {F "forward_prefetch", SWITCH},
    [BACKWARD_PREFETCH] = {F "backward_prefetch", .kind = DTCI_KEY_WORD, .words = PREFETCHES,
                           .flags = DTCI_NO_CASE | DTCI_NULL},
    [ORIG_PARAMS] = {F "use_orig_params", SWITCH},
    [SYNC] = {F "sync_module_states", ON},
    [RAM] = {F "cpu_ram_efficient_loading", ON},
    [STATE_DICT] = {F "state_dict_type", WORD(STATE_DICTS)},
    [CHECKPOINTING] = {F "activation_checkpointing", OFF},
    [OFFLOAD] = {F "activation_checkpointing_offload", OFF},
    [WRAP] = {F "auto_wrap_policy", WORD(POLICIES)},
    [PARAMS_OFFLOAD] = {F "offload_params", OFF},
    [MIN_PARAMS] = {F "min_num_params", INTEGER},
    [WRAP_CLASSES] = {F "transformer_layer_cls_to_wrap", ANY},
    [IGNORED] = {F "ignored_modules", ANY},

    [SIZES] = {"parallelism_config", LOST},
    [REPLICATE] = {P "dp_replicate_size", SIZE},
    [SHARD] = {P "dp_shard_size", SIZE},
    [TP] = {P "tp_size", SIZE, PLAN(tp)},
    [CP] = {P "cp_size", SIZE},
    [SP] = {P "sp_size", SIZE},

    [DEEPSPEED] = {"deepspeed_config", LOST},
    [FILE] = {D "deepspeed_config_file", TEXT},
    [STAGE] = {D "zero_stage", INTEGER, .flags = DTCI_HAS | DTCI_LAX, .fill = {2}, .min = {0}, .max = {3}},
    [STEPS] = {D "gradient_accumulation_steps", INTEGER, .flags = DTCI_AUTO, .min = {1}, .max = {INT64_C(1) << 32},
               PLAN(accumulation)},
    [CLIPPING] = {D "gradient_clipping", NUMBER},
    [OFFLOAD_OPTIMIZER] = {D "offload_optimizer_device", DEVICE},
    [OFFLOAD_PARAM] = {D "offload_param_device", DEVICE},
    [PATH_OPTIMIZER] = {D "offload_optimizer_nvme_path", TEXT},
    [PATH_PARAM] = {D "offload_param_nvme_path", TEXT},
    [SAVE_16BIT] = {D "zero3_save_16bit_model", SWITCH},
    [INIT_FLAG] = {D "zero3_init_flag", SWITCH},

    [MEGATRON] = {"megatron_lm_config", FREE},
    [DISTOPT] = {M "use_distributed_optimizer", SWITCH},
    {M "tp_degree", SIZE, PLAN(tp)},
    {M "pp_degree", SIZE, PLAN(pp)},
    {M "num_micro_batches", COUNT, PLAN(accumulation)},
    {M "sequence_parallelism", SWITCH, PLAN(sequence_parallel)},
    {M "context_parallel_size", SIZE, PLAN(cp)},
    {M "expert_model_parallel_size", SIZE, PLAN(ep)},
    {M "recompute_activations", SWITCH, PLAN(recompute), .map = {0, DTC_RECOMPUTE_SELECTIVE}},

    {F_SHORT "version", ALIAS(VERSION)},
    {F_SHORT "sharding_strategy", ALIAS(STRATEGY)},
    {F_SHORT "reshard_after_forward", ALIAS(RESHARD)},
    {F_SHORT "forward_prefetch", ALIAS(FORWARD_PREFETCH)},
    {F_SHORT "backward_prefetch", ALIAS(BACKWARD_PREFETCH)},
    {F_SHORT "use_orig_params", ALIAS(ORIG_PARAMS)},
    {F_SHORT "sync_module_states", ALIAS(SYNC)},
    {F_SHORT "cpu_ram_efficient_loading", ALIAS(RAM)},
    {F_SHORT "state_dict_type", ALIAS(STATE_DICT)},
    {F_SHORT "activation_checkpointing", ALIAS(CHECKPOINTING)},
    {F_SHORT "activation_checkpointing_offload", ALIAS(OFFLOAD)},
    {F_SHORT "auto_wrap_policy", ALIAS(WRAP)},
    {F_SHORT "offload_params", ALIAS(PARAMS_OFFLOAD)},
    {F_SHORT "min_num_params", ALIAS(MIN_PARAMS)},
    {F_SHORT "transformer_layer_cls_to_wrap", ALIAS(WRAP_CLASSES)},
    {F_SHORT "ignored_modules", ALIAS(IGNORED)},

    {P "cp_backend", WORD(CP_BACKENDS)},
    {P "cp_comm_strategy", TEXT},
    {P "sp_backend", WORD(SP_BACKENDS)},
    {P "sp_seq_length", ANY},
    {P "sp_seq_length_is_variable", ANY},
    {P "sp_attn_implementation", TEXT},

    {D "deepspeed_multinode_launcher", WORD(LAUNCHERS)},
    {D "deepspeed_hostfile", TEXT},
    {D "deepspeed_exclusion_filter", TEXT},
    {D "deepspeed_inclusion_filter", TEXT},
    {D "deepspeed_moe_layer_cls_names", ANY},

    {"compute_environment", .kind = DTCI_KEY_WORD, .words = ENVIRONMENTS},
    {"machine_rank", INTEGER, .max = {1 << 20}},
    {"main_process_port", INTEGER, .flags = DTCI_NULL, .max = {65535}},
    {"main_training_function", TEXT},
    {"gpu_ids", ANY},
    {"rdzv_backend", TEXT},
    {"same_network", SWITCH},
    {"use_cpu", SWITCH},
    {"debug", SWITCH},
    {"enable_cpu_affinity", SWITCH},
    {"downcast_bf16", SWITCH},
    {"fp16", ANY},
    {"dynamo_backend", TEXT},
    {"dynamo_config", FREE},
    {"fp8_config", FREE},
    {"mpirun_config", FREE},
    {"tpu_name", TEXT},
    {"tpu_zone", TEXT},
    {"tpu_use_cluster", SWITCH},
    {"tpu_use_sudo", SWITCH},
    {"tpu_vm", ANY},
    {"tpu_env", ANY},
    {"command_file", TEXT},
    {"commands", ANY},
    /* SageMaker's. */
    {"ec2_instance_type", TEXT},
    {"iam_role_name", TEXT},
    {"image_uri", TEXT},
    {"profile", TEXT},
    {"region", TEXT},
    {"base_job_name", TEXT},
    {"pytorch_version", ANY},
    {"transformers_version", ANY},
    {"py_version", ANY},
    {"sagemaker_inputs_file", TEXT},
    {"sagemaker_metrics_file", TEXT},
    {"additional_args", FREE},
};

/* ---- steps ----------------------------------------------------------------------------------- */

#define PUT(to, value) .key = K(to), .op = DTCI_STEP_PUT, .constant = (value)
#define COPY(to, from) .key = K(to), .op = DTCI_STEP_PRODUCT, .left = {K(from)}
#define OF(type) DTCI_WHEN_IS(K(TYPE), type)
#define WHEN_ONE(key) DTCI_WHEN_IS(K(key), 1)
#define WHEN_SOME(key) DTCI_WHEN_AT_LEAST(K(key), 2)
#define WHEN_SIZES DTCI_WHEN_GIVEN(K(SIZES))

static const dtci_step steps[] = {
    {COPY(RANKS, WORLD)},
    {COPY(RANKS, PROCESSES)},
    {.key = K(TOTAL), .op = DTCI_STEP_PRODUCT, .left = {K(REPLICATE), K(SHARD), K(TP), K(CP)}, .right = {K(SP)}},

    {PUT(FRAMEWORK, DTC_FRAMEWORK_PYTORCH)},
    {PUT(FRAMEWORK, DTC_FRAMEWORK_DEEPSPEED), .when = {OF(TYPE_DEEPSPEED)}},
    {PUT(FRAMEWORK, DTC_FRAMEWORK_MEGATRON), .when = {OF(TYPE_MEGATRON)}},

    /* A plan has no more than FSDP for what keeps weights between the passes (SHARD_GRAD_OP, no reshard). */
    {PUT(SHARDING, DTC_SHARDING_DDP)},
    {PUT(SHARDING, DTC_SHARDING_FSDP), .when = {OF(TYPE_FSDP)}},
    {PUT(SHARDING, DTC_SHARDING_DDP), .when = {OF(TYPE_FSDP), WHEN_ONE(VERSION), DTCI_WHEN_IS(K(STRATEGY), NO_SHARD)}},
    {PUT(SHARDING, DTC_SHARDING_HSDP),
     .when = {OF(TYPE_FSDP), WHEN_ONE(VERSION), DTCI_WHEN_AT_LEAST(K(STRATEGY), HYBRID_SHARD)}},
    {PUT(SHARDING, DTC_SHARDING_HSDP), .when = {OF(TYPE_FSDP), WHEN_SIZES, WHEN_SOME(REPLICATE)}},
    {PUT(SHARDING, DTC_SHARDING_ZERO1), .when = {OF(TYPE_DEEPSPEED), DTCI_WHEN_IS(K(STAGE), 1)}},
    {PUT(SHARDING, DTC_SHARDING_ZERO2), .when = {OF(TYPE_DEEPSPEED), DTCI_WHEN_IS(K(STAGE), 2)}},
    {PUT(SHARDING, DTC_SHARDING_ZERO3), .when = {OF(TYPE_DEEPSPEED), DTCI_WHEN_IS(K(STAGE), 3)}},
    {PUT(SHARDING, DTC_SHARDING_DISTOPT), .when = {OF(TYPE_MEGATRON), WHEN_ONE(DISTOPT)}},
    {.key = K(SHARDING), .op = DTCI_STEP_CLEAR, .when = {DTCI_WHEN_GIVEN(K(FILE))}},

    {COPY(DP, RANKS), .when = {DTCI_WHEN_BETWEEN(K(TYPE), TYPE_NO, TYPE_XLA)}},
    {COPY(DP, RANKS), .when = {OF(TYPE_DEEPSPEED)}},
    {.key = K(DP), .op = DTCI_STEP_PRODUCT, .left = {K(REPLICATE), K(SHARD)}, .when = {WHEN_SIZES, WHEN_SOME(TOTAL)}},
    {.key = K(DP), .op = DTCI_STEP_QUOTIENT, .left = {K(RANKS)}, .right = {K(SP)}, .when = {WHEN_SIZES, WHEN_SOME(SP)}},
    {.key = K(STATE_RANKS),
     .op = DTCI_STEP_PRODUCT,
     .left = {K(SHARD), K(CP)},
     .when = {WHEN_SIZES, WHEN_SOME(TOTAL), OF(TYPE_FSDP)}},
    {COPY(CONTEXT, CP), .when = {WHEN_SOME(CP)}},
    {COPY(CONTEXT, SP), .when = {WHEN_SOME(SP)}},
    {PUT(RECOMPUTE, DTC_RECOMPUTE_FULL), .when = {OF(TYPE_FSDP), WHEN_ONE(CHECKPOINTING)}},
};

/* ---- rules ----------------------------------------------------------------------------------- */

#define ERROR .status = DTC_E_CONFLICT, .severity = DTC_SEVERITY_ERROR
#define WARNING .status = DTC_E_CONFLICT, .severity = DTC_SEVERITY_WARNING

#define RESHARD_RULE(low, high, version)                                                                               \
  {                                                                                                                    \
    .row = {                                                                                                           \
      .rule = DTC_RULE_ACCELERATE_RESHARD,                                                                             \
      ERROR,                                                                                                           \
      .hook = DTCI_WHEN,                                                                                               \
      .fix = K(RESHARD),                                                                                               \
      .when = {DTCI_WHEN_BETWEEN(K(RESHARD), low, high), DTCI_WHEN_IS(K(VERSION), version)},                           \
      .en = "{field} = {value} with {other} = {other_got}: FSDP2 takes true or false, FSDP1 a strategy",               \
      .zh = "{field} = {value}，而 {other} = {other_got}：FSDP2 接受 true 或 false，FSDP1 接受策略名"      \
    }                                                                                                                  \
  }
#define RESET(key)                                                                                                     \
  {                                                                                                                    \
    .row = {                                                                                                           \
      .rule = DTC_RULE_ACCELERATE_RESET,                                                                               \
      WARNING,                                                                                                         \
      .hook = DTCI_EXCLUDES,                                                                                           \
      .fix = K(key),                                                                                                   \
      .when = {DTCI_WHEN_GIVEN(K(key)), DTCI_WHEN_IS(K(VERSION), 2)},                                                  \
      .en = "FSDP2 has no such option, and goes on without it",                                                        \
      .zh = "FSDP2 没有该选项，会忽略它"                                                                     \
    }                                                                                                                  \
  }
#define OFFLOAD_RULE(condition)                                                                                        \
  {                                                                                                                    \
    .row = {                                                                                                           \
      .rule = DTC_RULE_ACCELERATE_OFFLOAD,                                                                             \
      ERROR,                                                                                                           \
      .hook = DTCI_NEEDS,                                                                                              \
      .fix = K(OFFLOAD),                                                                                               \
      .need = condition,                                                                                               \
      .when = {WHEN_ONE(OFFLOAD)},                                                                                     \
      .en = "FSDP2 offloads the activations that it checkpoints",                                                      \
      .zh = "FSDP2 卸载的是它做检查点的激活"                                                               \
    }                                                                                                                  \
  }
#define REPLICATE_RULE(key)                                                                                            \
  {                                                                                                                    \
    .more = {WHEN_SOME(REPLICATE)}, .row = {                                                                           \
      .rule = DTC_RULE_ACCELERATE_REPLICATE,                                                                           \
      ERROR,                                                                                                           \
      .hook = DTCI_NEEDS,                                                                                              \
      .fix = K(key),                                                                                                   \
      .need = WHEN_SOME(SHARD),                                                                                        \
      .when = {WHEN_SOME(key)},                                                                                        \
      .en = "replicas (dp_replicate_size) without sharding are plain DDP",                                             \
      .zh = "只有副本（dp_replicate_size）而不切分即为普通 DDP"                                          \
    }                                                                                                                  \
  }
#define FILE_RULE(key)                                                                                                 \
  {                                                                                                                    \
    .more = {OF(TYPE_DEEPSPEED)}, .row = {                                                                             \
      .rule = DTC_RULE_ACCELERATE_FILE,                                                                                \
      ERROR,                                                                                                           \
      .hook = DTCI_EXCLUDES,                                                                                           \
      .fix = K(key),                                                                                                   \
      .when = {DTCI_WHEN_GIVEN(K(key)), DTCI_WHEN_GIVEN(K(FILE))},                                                     \
      .en = "DeepSpeed's own file says it",                                                                            \
      .zh = "应写在 DeepSpeed 自己的文件里"                                                                   \
    }                                                                                                                  \
  }
#define ZERO3_RULE(key)                                                                                                \
  {                                                                                                                    \
    .more = {DTCI_WHEN_NOT_GIVEN(K(FILE))}, .row = {                                                                   \
      .rule = DTC_RULE_ACCELERATE_ZERO3,                                                                               \
      WARNING,                                                                                                         \
      .hook = DTCI_NEEDS,                                                                                              \
      .fix = K(key),                                                                                                   \
      .need = DTCI_WHEN_IS(K(STAGE), 3),                                                                               \
      .when = {WHEN_ONE(key), OF(TYPE_DEEPSPEED)},                                                                     \
      .en = "it has no effect otherwise",                                                                              \
      .zh = "否则不起作用"                                                                                       \
    }                                                                                                                  \
  }
#define UNUSED(block, type)                                                                                            \
  {                                                                                                                    \
    .row = {                                                                                                           \
      .rule = DTC_RULE_ACCELERATE_UNUSED,                                                                              \
      WARNING,                                                                                                         \
      .hook = DTCI_NEEDS,                                                                                              \
      .fix = K(block),                                                                                                 \
      .need = OF(type),                                                                                                \
      .when = {DTCI_WHEN_GIVEN(K(block)), DTCI_WHEN_SET(K(TYPE))},                                                     \
      .en = "nothing looks at the block otherwise",                                                                    \
      .zh = "否则不会使用该块"                                                                                 \
    }                                                                                                                  \
  }

static const dtci_setting_rule rules[] = {
    {.row = {.rule = DTC_RULE_ACCELERATE_TYPE,
             ERROR,
             .hook = DTCI_WHEN,
             .fix = K(TYPE),
             .when = {DTCI_WHEN_UNSET(K(TYPE))},
             .en = "{field} must be given",
             .zh = "必须给出 {field}"}},
    {.row = {.rule = DTC_RULE_ACCELERATE_PROCESSES,
             WARNING,
             .hook = DTCI_WHEN,
             .fix = K(PROCESSES),
             .when = {DTCI_WHEN_UNSET(K(PROCESSES)), DTCI_WHEN_AT_LEAST(K(TYPE), TYPE_FSDP)},
             .en = "{field} is not given: accelerate stops, unless its command line has --num_processes",
             .zh = "未给出 {field}：除非命令行有 --num_processes，否则 accelerate 会终止"}},
    {.row = {.rule = DTC_RULE_ACCELERATE_MACHINES,
             .status = DTC_E_DIVIDE,
             .severity = DTC_SEVERITY_WARNING,
             .hook = DTCI_DIVIDES,
             .fix = K(PROCESSES),
             .left = {K(MACHINES)},
             .right = {K(PROCESSES)},
             .en = "num_processes is of all machines, and is rounded down",
             .zh = "num_processes 是所有机器之和，会向下取整"}},
    {.row = {.rule = DTC_RULE_ACCELERATE_IP,
             ERROR,
             .hook = DTCI_NEEDS,
             .fix = K(MACHINES),
             .need = DTCI_WHEN_SET(K(IP)),
             .when = {WHEN_SOME(MACHINES), DTCI_WHEN_BETWEEN(K(TYPE), TYPE_NO, TYPE_MEGATRON)},
             .en = "machines meet there",
             .zh = "各机器在此汇合"}},
    RESHARD_RULE(FULL_SHARD, HYBRID_SHARD_ZERO2, 2),
    RESHARD_RULE(FALSE, TRUE, 1),
    {.row = {.rule = DTC_RULE_ACCELERATE_PREFETCH,
             .status = DTC_E_UNSUPPORTED,
             .hook = DTCI_EXCLUDES,
             .fix = K(FORWARD_PREFETCH),
             .when = {WHEN_ONE(FORWARD_PREFETCH), DTCI_WHEN_IS(K(VERSION), 2)},
             .en = "the plugin stops at it; of a file it is left out",
             .zh = "插件会因此终止；来自文件时被忽略"}},
    RESET(STRATEGY),
    RESET(BACKWARD_PREFETCH),
    RESET(ORIG_PARAMS),
    RESET(SYNC),
    {.row = {.rule = DTC_RULE_ACCELERATE_STATE_DICT,
             .status = DTC_E_UNSUPPORTED,
             .hook = DTCI_EXCLUDES,
             .fix = K(STATE_DICT),
             .when = {DTCI_WHEN_IS(K(STATE_DICT), LOCAL_STATE_DICT), DTCI_WHEN_IS(K(VERSION), 2)},
             .en = "FSDP2 has FULL_STATE_DICT and SHARDED_STATE_DICT",
             .zh = "FSDP2 支持 FULL_STATE_DICT 与 SHARDED_STATE_DICT"}},
    {.row = {.rule = DTC_RULE_ACCELERATE_RAM,
             ERROR,
             .hook = DTCI_NEEDS,
             .fix = K(RAM),
             .need = WHEN_ONE(SYNC),
             .when = {WHEN_ONE(RAM), OF(TYPE_FSDP)},
             .en = "one rank loads the weights, the others get them from it",
             .zh = "由一个进程加载权重，其余进程从它获取"}},
    OFFLOAD_RULE(WHEN_ONE(CHECKPOINTING)),
    OFFLOAD_RULE(DTCI_WHEN_IS(K(VERSION), 2)),
    {.more = {DTCI_WHEN_IS(K(SP), 1)},
     .row = {.rule = DTC_RULE_ACCELERATE_SIZES,
             .status = DTC_E_DIVIDE,
             .hook = DTCI_EQUALS,
             .fix = K(SHARD),
             .left = {K(REPLICATE), K(SHARD), K(TP), K(CP), K(SP)},
             .right = {K(RANKS)},
             .when = {WHEN_SIZES, WHEN_SOME(TOTAL)},
             .en = "every process has a place in the mesh",
             .zh = "每个进程在网格中都有位置"}},
    {.row = {.rule = DTC_RULE_ACCELERATE_CP_SP,
             ERROR,
             .hook = DTCI_EXCLUDES,
             .fix = K(CP),
             .when = {WHEN_SOME(CP), WHEN_SOME(SP)},
             .en = "a sequence is cut by one of them",
             .zh = "序列只由其中之一切分"}},
    REPLICATE_RULE(TP),
    REPLICATE_RULE(CP),
    {.more = {WHEN_SOME(TOTAL)},
     .row = {.rule = DTC_RULE_ACCELERATE_FSDP1,
             ERROR,
             .hook = DTCI_NEEDS,
             .fix = K(SIZES),
             .need = DTCI_WHEN_IS(K(VERSION), 2),
             .when = {WHEN_SIZES, OF(TYPE_FSDP)},
             .en = "FSDP1 has no mesh",
             .zh = "FSDP1 没有网格"}},
    {.more = {WHEN_ONE(SHARD), WHEN_ONE(CP), WHEN_SOME(TOTAL)},
     .row = {.rule = DTC_RULE_ACCELERATE_SHARD,
             ERROR,
             .hook = DTCI_WHEN,
             .fix = K(SHARD),
             .when = {OF(TYPE_FSDP), DTCI_WHEN_IS(K(VERSION), 2)},
             .en = "{field} = {got}: FSDP2 has no ranks to shard over, cp_size is 1 too",
             .zh = "{field} = {got}：FSDP2 没有可切分的进程，cp_size 也为 1"}},
    FILE_RULE(STEPS),
    FILE_RULE(CLIPPING),
    FILE_RULE(STAGE),
    FILE_RULE(OFFLOAD_OPTIMIZER),
    FILE_RULE(OFFLOAD_PARAM),
    FILE_RULE(PATH_OPTIMIZER),
    FILE_RULE(PATH_PARAM),
    FILE_RULE(SAVE_16BIT),
    FILE_RULE(MIXED),
    ZERO3_RULE(SAVE_16BIT),
    ZERO3_RULE(INIT_FLAG),
    UNUSED(FSDP, TYPE_FSDP),
    UNUSED(DEEPSPEED, TYPE_DEEPSPEED),
    UNUSED(MEGATRON, TYPE_MEGATRON),
};

void dtci_lint_accelerate(dtci_dialect *d)
{
  d->number = DTC_DIALECT_ACCELERATE;
  d->form = DTCI_FORM_JSON;
  d->newest = 1015000;
  d->unknown = DTCI_UNKNOWN_ERROR;
  d->twice = DTC_SEVERITY_WARNING;
  d->keys = keys;
  d->keys_count = sizeof keys / sizeof keys[0];
  d->words = words;
  d->words_count = sizeof words / sizeof words[0];
  d->steps = steps;
  d->steps_count = sizeof steps / sizeof steps[0];
  d->rules = rules;
  d->rules_count = sizeof rules / sizeof rules[0];
}

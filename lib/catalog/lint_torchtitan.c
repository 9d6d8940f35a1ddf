/* TorchTitan's configuration, as JSON of its sections: the TOML files of 0.2.2 and before, what the Python functions of
 * 0.3.0 and of the head (b5bcd76c) put into Trainer.Config. Sources: torchtitan/config/job_config.py and manager.py (0.2.2),
 * config/configs.py, trainer.py (0.3.0, b5bcd76c), distributed/parallel_dims.py, pipeline_parallel.py, dual_pipe_v.py,
 * activation_checkpoint.py, components/optimizer.py. All of them stop at names they do not know. In 0.3.0 the activation
 * checkpointing is an object of a class: here its name is the key "class", and null is none. */
#include "internal/settings.h"

#define K(key) DTCI_KEY(DTC_DIALECT_TORCHTITAN, key)
#define PLAN(x) .field = DTC_FIELD(plan, x)
/* TOML up to 0.2.2; Python since 0.3.0; tokens instead of sequences since the head. */
#define TOML .until = 3000
#define PYTHON .since = 3000
#define PYTHON_0_3_0 .since = 3000, .until = 3001
#define SEQUENCES .until = 3001
#define TOKENS .since = 3001

enum {
  WORLD = DTCI_KEY_WORLD,
  COMPUTE = DTCI_KEY_COMPUTE,
  SHARD = DTCI_KEY_FIRST, /* data_parallel_shard_degree, -1 resolved */
  OUTER,                  /* ranks of the other degrees */
  DP,
  STATE_RANKS,
  SHARDING,
  PRECISION,
  RECOMPUTE,
  STEP_SEQUENCES,
  MICRO_SEQUENCES,
  ACCUMULATION,
  RUNS,   /* micro-batches of a pipeline run */
  SP_TP,  /* parts that sequence parallelism cuts a sequence into */
  CP_CUT, /* and context parallelism */
  SCHEDULE,
  /* Keys of the text that rules or steps mention. */
  REPLICATE,
  SHARD_DEGREE,
  TP,
  PP,
  CP,
  EP,
  ETP,
  SP,
  PP_SCHEDULE,
  PP_MICRO,
  PP_RUNS,
  OVERLAP,
  BALANCER,
  SYMMETRIC,
  BACKEND,
  OLD_ASYNC_TP,
  BATCH,
  GLOBAL_BATCH,
  SEQ,
  CONTEXT,
  RANK_TOKENS,
  STEP_TOKENS,
  NO_GRAPHS,
  DTYPE,
  PARAM,
  COMPILE,
  COMPONENTS,
  ASYNC_TP,
  AC_MODE,
  AC_CLASS,
  IN_BACKWARD,
  BATCH_INVARIANT,
  TYPECHECKING,
};

/* Sets of words. */
enum {
  RESHARD = 1,
  SCHEDULES,
  BALANCERS,
  BACKENDS,
  DTYPES,
  PARTS,
  MODES,
  CLASSES,
  OPTIMIZERS,
  LOOPS,
  ROTATIONS,
  DECAYS,
  DISPATCH,
  EXPORTS,
  ASYNC_MODES,
  COMM_MODES
};
enum { EMPTY = 2 };
enum { FULL_DTENSOR = 2 };
enum { BFLOAT16, FLOAT32 };
enum { MODEL, LOSS };
enum { SELECTIVE, FULL, BUDGET, NONE };

static const dtci_word words[] = {
    {RESHARD, 0, 0, "default"},
    {RESHARD, 1, 0, "always"},
    {RESHARD, 2, 0, "never"},
    /* torch.distributed.pipelining.schedules.get_schedule_class(). */
    {SCHEDULES, DTC_SCHEDULE_1F1B, 0, "1F1B"},
    {SCHEDULES, DTC_SCHEDULE_INTERLEAVED, 0, "Interleaved1F1B"},
    {SCHEDULES, DTC_SCHEDULE_GPIPE, 0, "GPipe"},
    {SCHEDULES, DTC_SCHEDULE_LOOPED_BFS, 0, "LoopedBFS"},
    {SCHEDULES, DTC_SCHEDULE_INTERLEAVED_ZB, 0, "InterleavedZeroBubble"},
    {SCHEDULES, DTC_SCHEDULE_ZBV, 0, "ZBVZeroBubble"},
    {SCHEDULES, DTC_SCHEDULE_DUALPIPE_V, 0, "DualPipeV"},
    {SCHEDULES, 32, 0, "PipelineScheduleSingle"},
    {SCHEDULES, 33, 0, "PipelineScheduleMulti"},
    {BALANCERS, 0, 0, "headtail"},
    {BALANCERS, 1, 0, "ptrr"},
    {BALANCERS, EMPTY, 0, ""},
    {BACKENDS, 0, 0, "spmd_types"},
    {BACKENDS, 1, 0, "partial_dtensor"},
    {BACKENDS, FULL_DTENSOR, 0, "full_dtensor"},
    {DTYPES, BFLOAT16, 0, "bfloat16"},
    {DTYPES, FLOAT32, 0, "float32"},
    {PARTS, MODEL, 0, "model"},
    {PARTS, LOSS, 0, "loss"},
    {MODES, SELECTIVE, 0, "selective"},
    {MODES, FULL, 0, "full"},
    {MODES, BUDGET, 0, "memory_budget"},
    {MODES, NONE, 0, "none"},
    {CLASSES, SELECTIVE, 0, "SelectiveAC"},
    {CLASSES, FULL, 0, "FullAC"},
    {CLASSES, BUDGET, 0, "MemoryBudgetAC"},
    {OPTIMIZERS, DTC_OPTIMIZER_ADAM, 0, "AdamW"},
    {OPTIMIZERS, DTC_OPTIMIZER_ADAM, 0, "Adam"},
    {LOOPS, 0, 0, "fused"},
    {LOOPS, 1, 0, "foreach"},
    {LOOPS, 2, 0, "for-loop"},
    {ROTATIONS, 0, 0, "allgather"},
    {ROTATIONS, 1, 0, "alltoall"},
    {DECAYS, 0, 0, "linear"},
    {DECAYS, 1, 0, "sqrt"},
    {DECAYS, 2, 0, "cosine"},
    {DISPATCH, 0, 0, "standard"},
    {DISPATCH, 1, 0, "deepep"},
    {EXPORTS, 0, 0, "float32"},
    {EXPORTS, 1, 0, "bfloat16"},
    {EXPORTS, 2, 0, "float16"},
    {ASYNC_MODES, 0, 0, "disabled"},
    {ASYNC_MODES, 1, 0, "async"},
    {ASYNC_MODES, 2, 0, "async_with_pinned_mem"},
    {COMM_MODES, 0, 0, "default"},
    {COMM_MODES, 1, 0, "fake_backend"},
    {COMM_MODES, 2, 0, "local_tensor"},
    {COMM_MODES, 3, 0, "torchcomms"},
};

#define WORKED .kind = DTCI_KEY_WORKED
#define DEGREE .kind = DTCI_KEY_INTEGER, .flags = DTCI_HAS, .fill = {1}, .min = {1}, .max = {1 << 20}
#define COUNT .kind = DTCI_KEY_INTEGER, .min = {1}, .max = {INT64_C(1) << 40}
#define OR_MINUS_ONE .kind = DTCI_KEY_INTEGER, .flags = DTCI_HAS, .fill = {-1}, .min = {-1}, .max = {INT64_C(1) << 40}
#define INTEGER .kind = DTCI_KEY_INTEGER
#define INTEGER_OR_NONE .kind = DTCI_KEY_INTEGER, .flags = DTCI_NULL
#define NUMBER .kind = DTCI_KEY_NUMBER
#define OFF .kind = DTCI_KEY_SWITCH, .flags = DTCI_HAS
#define ON .kind = DTCI_KEY_SWITCH, .flags = DTCI_HAS, .fill = {1}
#define WORD(set) .kind = DTCI_KEY_WORD, .words = (set)
#define TEXT .kind = DTCI_KEY_TEXT, .flags = DTCI_NULL
#define ANY .kind = DTCI_KEY_ANY
#define BLOCK .kind = DTCI_KEY_BLOCK
#define FREE .kind = DTCI_KEY_BLOCK, .unknown = DTCI_UNKNOWN_FREE, .flags = DTCI_NULL
#define GONE .kind = DTCI_KEY_GONE
#define P "parallelism."
#define T "training."
#define A "activation_checkpoint."

static const dtci_key keys[] = {
    DTCI_LINT_KEYS,
    [SHARD] = {"dp_shard", WORKED},
    [OUTER] = {"ranks of the other degrees", WORKED},
    [DP] = {"data parallel ranks", WORKED, PLAN(dp)},
    [STATE_RANKS] = {"ranks that states are sharded over", WORKED, PLAN(dp_shard)},
    [SHARDING] = {"sharding", WORKED, PLAN(sharding), .flags = DTCI_FILLS},
    [PRECISION] = {"precision", WORKED, PLAN(precision), .flags = DTCI_FILLS},
    [RECOMPUTE] = {"recompute", WORKED, PLAN(recompute), .map = {0, DTC_RECOMPUTE_FULL, 0, DTC_RECOMPUTE_NONE}},
    [STEP_SEQUENCES] = {"sequences of a step", WORKED, PLAN(global_batch)},
    [MICRO_SEQUENCES] = {"sequences of a micro-batch", WORKED, PLAN(micro_batch), .flags = DTCI_FILLS},
    [ACCUMULATION] = {"micro-batches of a step", WORKED, PLAN(accumulation), .flags = DTCI_FILLS},
    [RUNS] = {"pipeline micro-batches", WORKED},
    [SP_TP] = {"sequence parallel ranks", WORKED},
    [CP_CUT] = {"context parallel parts", WORKED},
    [SCHEDULE] = {"schedule", WORKED, PLAN(schedule)},

    [REPLICATE] = {P "data_parallel_replicate_degree", DEGREE},
    [SHARD_DEGREE] = {P "data_parallel_shard_degree", INTEGER, .flags = DTCI_HAS, .fill = {-1}, .min = {-1},
                      .max = {1 << 20}},
    [TP] = {P "tensor_parallel_degree", DEGREE, PLAN(tp)},
    [PP] = {P "pipeline_parallel_degree", DEGREE, PLAN(pp)},
    [CP] = {P "context_parallel_degree", DEGREE, PLAN(cp)},
    [EP] = {P "expert_parallel_degree", DEGREE, PLAN(ep)},
    [ETP] = {P "expert_tensor_parallel_degree", DEGREE, PLAN(etp), TOML},
    [SP] = {P "enable_sequence_parallel", ON, PLAN(sequence_parallel), PYTHON},
    [PP_SCHEDULE] = {P "pipeline_parallel_schedule", WORD(SCHEDULES), .flags = DTCI_HAS | DTCI_NO_CASE,
                     .fill = {DTC_SCHEDULE_1F1B}},
    [PP_MICRO] = {P "pipeline_parallel_microbatch_size", DEGREE, SEQUENCES},
    [PP_RUNS] = {P "num_pp_microbatches", DEGREE, TOKENS},
    [OVERLAP] = {P "pipeline_parallel_expert_parallel_overlap", ON, TOML},
    [BALANCER] = {P "context_parallel_load_balancer", WORD(BALANCERS), .flags = DTCI_HAS | DTCI_NULL | DTCI_WARN},
    [SYMMETRIC] = {P "enable_fsdp_symm_mem", OFF, PYTHON},
    [BACKEND] = {P "spmd_backend", WORD(BACKENDS), .flags = DTCI_HAS, PYTHON},
    [OLD_ASYNC_TP] = {P "enable_async_tensor_parallel", OFF, TOML},
    [BATCH] = {T "local_batch_size", COUNT, .flags = DTCI_HAS, .fill = {8}, SEQUENCES},
    [GLOBAL_BATCH] = {T "global_batch_size", OR_MINUS_ONE, SEQUENCES},
    [SEQ] = {T "seq_len", COUNT, .flags = DTCI_HAS | DTCI_FILLS, .fill = {2048}, PLAN(seq), SEQUENCES},
    [CONTEXT] = {T "max_context_length", COUNT, .flags = DTCI_HAS | DTCI_FILLS, .fill = {2048}, PLAN(seq), TOKENS},
    [RANK_TOKENS] = {T "num_tokens_per_microbatch_per_dp_rank", COUNT, .flags = DTCI_HAS, .fill = {16384}, TOKENS},
    [STEP_TOKENS] = {T "num_tokens_per_train_step", OR_MINUS_ONE, TOKENS},
    [NO_GRAPHS] = {T "disable_cuda_graphs", OFF, PYTHON},
    [DTYPE] = {T "dtype", WORD(DTYPES), .flags = DTCI_HAS, .fill = {FLOAT32}},
    [PARAM] = {T "mixed_precision_param", WORD(DTYPES), .flags = DTCI_HAS, .fill = {BFLOAT16}},
    [COMPILE] = {"compile.enable", OFF},
    [COMPONENTS] = {"compile.components", .kind = DTCI_KEY_WORDS, .words = PARTS, .flags = DTCI_HAS | DTCI_WARN,
                    .fill = {1 << MODEL | 1 << LOSS}},
    [ASYNC_TP] = {"compile.enable_async_tensor_parallel", OFF, PYTHON},
    [AC_MODE] = {A "mode", WORD(MODES), .flags = DTCI_HAS, TOML},
    [AC_CLASS] = {A "class", WORD(CLASSES), .flags = DTCI_HAS, PYTHON},
    [IN_BACKWARD] = {"optimizer.early_step_in_backward", OFF, TOML},
    [BATCH_INVARIANT] = {"debug.batch_invariant", OFF, PYTHON},
    [TYPECHECKING] = {"debug.spmd_typechecking", OFF, PYTHON},

    {"parallelism", BLOCK},
    {P "fsdp_reshard_after_forward", WORD(RESHARD)},
    {P "disable_loss_parallel", OFF, TOML},
    {P "disable_loss_parallel", GONE, PYTHON},
    {P "enable_async_tensor_parallel", GONE, .to = ASYNC_TP, PYTHON},
    {P "expert_tensor_parallel_degree", GONE, PYTHON},
    {P "pipeline_parallel_expert_parallel_overlap", GONE, PYTHON},
    {P "pipeline_parallel_microbatch_size", GONE, .to = PP_RUNS, TOKENS},
    {P "pipeline_parallel_layers_per_stage", COUNT, .flags = DTCI_NULL},
    {P "pipeline_parallel_first_stage_less_layers", INTEGER},
    {P "pipeline_parallel_last_stage_less_layers", INTEGER},
    {P "pipeline_parallel_schedule_csv", TEXT},
    {P "module_fqns_per_model_part", ANY},
    {P "context_parallel_rotate_method", WORD(ROTATIONS), TOML},
    {P "context_parallel_rotate_method", GONE, PYTHON},
    {P "context_parallel_ptrr_mask_key", TEXT, PYTHON},
    {P "expert_parallel_comm_backend", WORD(DISPATCH), TOML},
    {P "expert_parallel_comm_backend", GONE, PYTHON},

    {"training", BLOCK},
    {T "local_batch_size", GONE, .to = RANK_TOKENS, TOKENS},
    {T "global_batch_size", GONE, .to = STEP_TOKENS, TOKENS},
    {T "seq_len", GONE, .to = CONTEXT, TOKENS},
    {T "enable_cpu_offload", OFF},
    {T "max_norm", NUMBER},
    {T "steps", INTEGER},
    {T "mixed_precision_reduce", WORD(DTYPES)},
    {T "gc_freq", INTEGER},
    {T "gc_debug", OFF},
    {T "dataset", TEXT, TOML},
    {T "dataset", GONE, PYTHON},
    {T "dataset_path", TEXT, TOML},
    {T "dataset_path", GONE, PYTHON},
    {T "dataloader", FREE, TOML},
    {T "dataloader", GONE, PYTHON},

    {"compile", BLOCK},
    {"compile.backend", TEXT},

    {"activation_checkpoint", BLOCK, .flags = DTCI_NULL},
    {A "selective_ac_option", TEXT, TOML},
    {A "per_op_sac_force_recompute_mm_shapes_by_fqns", ANY, TOML},
    {A "force_recompute_mm_shapes_by_fqns", ANY, PYTHON},
    {A "early_stop", OFF, TOML},
    {A "memory_budget", NUMBER, .max = {.d = 1}},
    {A "visualize_memory_budget_pareto", OFF},
    {A "preserve_rng_state", ON},
    {A "determinism_check", TEXT},
    {A "debug", OFF},

    {"optimizer", BLOCK, TOML},
    {"optimizer", FREE, PYTHON},
    {"optimizer.name", WORD(OPTIMIZERS), PLAN(optimizer), TOML},
    {"optimizer.lr", NUMBER, TOML},
    {"optimizer.beta1", NUMBER, TOML},
    {"optimizer.beta2", NUMBER, TOML},
    {"optimizer.eps", NUMBER, TOML},
    {"optimizer.weight_decay", NUMBER, TOML},
    {"optimizer.implementation", WORD(LOOPS), TOML},

    {"lr_scheduler", BLOCK},
    {"lr_scheduler.warmup_steps", INTEGER},
    {"lr_scheduler.total_steps", INTEGER_OR_NONE},
    {"lr_scheduler.decay_ratio", NUMBER, .flags = DTCI_NULL},
    {"lr_scheduler.decay_type", WORD(DECAYS)},
    {"lr_scheduler.min_lr_factor", NUMBER},

    {"debug", BLOCK},
    {"debug.seed", INTEGER_OR_NONE},
    {"debug.deterministic", OFF},
    {"debug.deterministic_warn_only", OFF},
    {"debug.moe_force_load_balance", OFF},
    {"debug.detect_anomaly", OFF, PYTHON},
    {"debug.print_config", OFF, PYTHON},
    {"debug.save_config_file", TEXT, PYTHON},
    {"debug.enable_structured_logging", ON, PYTHON},

    {"metrics", BLOCK},
    {"metrics.log_freq", INTEGER},
    {"metrics.enable_tensorboard", OFF},
    {"metrics.disable_color_printing", OFF},
    {"metrics.save_tb_folder", TEXT},
    {"metrics.save_for_all_ranks", OFF},
    {"metrics.enable_wandb", OFF},

    {"checkpoint", BLOCK, TOML},
    {"checkpoint", FREE, PYTHON},
    {"checkpoint.enable", OFF},
    {"checkpoint.enable_ft_dataloader_checkpoints", ON, TOML},
    {"checkpoint.folder", TEXT},
    {"checkpoint.interval", INTEGER},
    {"checkpoint.initial_load_path", TEXT},
    {"checkpoint.initial_load_model_only", ON},
    {"checkpoint.initial_load_in_hf", OFF},
    {"checkpoint.initial_load_in_hf_quantized", OFF},
    {"checkpoint.last_save_model_only", ON},
    {"checkpoint.last_save_in_hf", OFF},
    {"checkpoint.export_dtype", WORD(EXPORTS)},
    {"checkpoint.async_mode", WORD(ASYNC_MODES), .flags = DTCI_NO_CASE},
    {"checkpoint.keep_latest_k", INTEGER},
    {"checkpoint.load_step", INTEGER},
    {"checkpoint.exclude_from_loading", ANY},
    {"checkpoint.enable_first_step_checkpoint", OFF},
    {"checkpoint.create_seed_checkpoint", OFF},
    {"checkpoint.load_only", OFF},

    {"comm", BLOCK},
    {"comm.init_timeout_seconds", INTEGER},
    {"comm.train_timeout_seconds", INTEGER},
    {"comm.trace_buf_size", INTEGER},
    {"comm.save_traces_folder", TEXT},
    {"comm.save_traces_file_prefix", TEXT},
    {"comm.mode", WORD(COMM_MODES)},

    /* Sections of the TOML files. */
    {"job", FREE, TOML},
    {"job", GONE, PYTHON},
    {"profiling", FREE, TOML},
    {"profiling", GONE, PYTHON},
    {"model", FREE, TOML},
    {"model", GONE, PYTHON},
    {"quantize", FREE, TOML},
    {"quantize", GONE, PYTHON},
    {"memory_estimation", FREE, TOML},
    {"memory_estimation", GONE, PYTHON},
    {"fault_tolerance", FREE, TOML},
    {"fault_tolerance", GONE, PYTHON},
    {"experimental", FREE, TOML},
    {"experimental", GONE, PYTHON},
    {"validation", FREE, TOML},
    {"validation", GONE, PYTHON},

    /* Arguments of Trainer.Config. */
    {"model_spec", ANY, PYTHON},
    {"hf_assets_path", TEXT, PYTHON},
    {"dump_folder", TEXT, PYTHON},
    {"profiler", FREE, PYTHON},
    {"tokenizer", FREE, PYTHON},
    {"dataloader", FREE, PYTHON},
    {"validator", FREE, PYTHON},
    {"override", FREE, PYTHON},
    {"loss", FREE, PYTHON},
    {"sdc_replayer", FREE, TOKENS},
};

/* ---- steps ----------------------------------------------------------------------------------- */

#define PUT(to, value) .key = K(to), .op = DTCI_STEP_PUT, .constant = (value)
#define COPY(to, from) .key = K(to), .op = DTCI_STEP_PRODUCT, .left = {K(from)}
#define WHEN_ONE(key) DTCI_WHEN_IS(K(key), 1)
#define WHEN_SOME(key) DTCI_WHEN_AT_LEAST(K(key), 2)

static const dtci_step steps[] = {
    {COPY(SHARD, SHARD_DEGREE), .when = {DTCI_WHEN_AT_LEAST(K(SHARD_DEGREE), 0)}},
    {.key = K(SHARD),
     .op = DTCI_STEP_QUOTIENT,
     .left = {K(WORLD)},
     .right = {K(REPLICATE), K(CP), K(TP), K(PP)},
     .when = {DTCI_WHEN_IS(K(SHARD_DEGREE), UINT64_MAX)}},
    {.key = K(DP), .op = DTCI_STEP_PRODUCT, .left = {K(REPLICATE), K(SHARD)}},
    {.key = K(STATE_RANKS), .op = DTCI_STEP_PRODUCT, .left = {K(SHARD), K(CP)}},
    {PUT(SHARDING, DTC_SHARDING_FSDP)},
    {PUT(SHARDING, DTC_SHARDING_HSDP), .when = {WHEN_SOME(REPLICATE)}},
    {PUT(SHARDING, DTC_SHARDING_DDP), .when = {WHEN_ONE(SHARD), WHEN_ONE(CP)}},
    /* Full bfloat16 has no fp32 weights, as no precision here has. */
    {PUT(PRECISION, DTC_PRECISION_FP32), .when = {DTCI_WHEN_IS(K(DTYPE), FLOAT32)}},
    {PUT(PRECISION, DTC_PRECISION_BF16), .when = {DTCI_WHEN_IS(K(DTYPE), FLOAT32), DTCI_WHEN_IS(K(PARAM), BFLOAT16)}},
    {COPY(RECOMPUTE, AC_MODE), TOML},
    {COPY(RECOMPUTE, AC_CLASS), PYTHON, .when = {DTCI_WHEN_GIVEN(K(AC_CLASS))}},
    {COPY(SCHEDULE, PP_SCHEDULE), .when = {WHEN_SOME(PP)}},

    {COPY(MICRO_SEQUENCES, BATCH), SEQUENCES},
    {COPY(MICRO_SEQUENCES, PP_MICRO), SEQUENCES, .when = {WHEN_SOME(PP)}},
    {COPY(STEP_SEQUENCES, GLOBAL_BATCH), SEQUENCES, .when = {DTCI_WHEN_AT_LEAST(K(GLOBAL_BATCH), 1)}},
    {PUT(RUNS, 1)},
    {.key = K(RUNS),
     .op = DTCI_STEP_QUOTIENT,
     .left = {K(BATCH)},
     .right = {K(PP_MICRO)},
     SEQUENCES,
     .when = {WHEN_SOME(PP)}},
    {COPY(RUNS, PP_RUNS), TOKENS, .when = {WHEN_SOME(PP)}},
    {COPY(ACCUMULATION, RUNS), SEQUENCES, .when = {DTCI_WHEN_IS(K(GLOBAL_BATCH), UINT64_MAX)}},
    {COPY(ACCUMULATION, RUNS), TOKENS, .when = {DTCI_WHEN_IS(K(STEP_TOKENS), UINT64_MAX)}},
    {.key = K(MICRO_SEQUENCES), .op = DTCI_STEP_EXACT, .left = {K(RANK_TOKENS)}, .right = {K(CONTEXT)}, TOKENS},
    {.key = K(STEP_SEQUENCES),
     .op = DTCI_STEP_EXACT,
     .left = {K(STEP_TOKENS)},
     .right = {K(CONTEXT)},
     TOKENS,
     .when = {DTCI_WHEN_AT_LEAST(K(STEP_TOKENS), 1)}},

    {PUT(SP_TP, 1)},
    {COPY(SP_TP, TP), TOML},
    {COPY(SP_TP, TP), PYTHON, .when = {WHEN_ONE(SP)}},
    {PUT(CP_CUT, 1)},
    {.key = K(CP_CUT), .op = DTCI_STEP_PRODUCT, .left = {K(CP)}, .constant = 2, .when = {WHEN_SOME(CP)}},
};

/* ---- rules ----------------------------------------------------------------------------------- */

#define ERROR .status = DTC_E_CONFLICT, .severity = DTC_SEVERITY_ERROR
#define WARNING .status = DTC_E_CONFLICT, .severity = DTC_SEVERITY_WARNING
#define DIVIDE .status = DTC_E_DIVIDE, .hook = DTCI_DIVIDES

#define MINUS_ONE(key)                                                                                                 \
  {                                                                                                                    \
    .row = {                                                                                                           \
      .rule = DTC_RULE_TITAN_MINUS_ONE,                                                                                \
      .status = DTC_E_RANGE,                                                                                           \
      .hook = DTCI_WHEN,                                                                                               \
      .fix = K(key),                                                                                                   \
      .when = {DTCI_WHEN_IS(K(key), 0)},                                                                               \
      .en = "{field} = 0: it is -1 or at least 1",                                                                     \
      .zh = "{field} = 0：只能为 -1 或至少 1"                                                                   \
    }                                                                                                                  \
  }
#define WORLD_TEXTS                                                                                                    \
  .status = DTC_E_DIVIDE, .hook = DTCI_EQUALS, .right = {K(WORLD)}, .en = "every rank has a place in the mesh",        \
  .zh = "每个进程在网格中都有位置"
#define BATCH_TEXTS .en = "a step is a whole number of gradient accumulation steps", .zh = "一步包含整数个梯度累积步"
#define SEQ_TEXTS .en = "sequence and context parallelism cut it evenly", .zh = "序列并行与上下文并行均匀切分"
#define ASYNC(key, condition)                                                                                          \
  .row = {.rule = DTC_RULE_TITAN_ASYNC_TP,                                                                             \
          ERROR,                                                                                                       \
          .hook = DTCI_NEEDS,                                                                                          \
          .fix = K(key),                                                                                               \
          .need = condition,                                                                                           \
          .when = {WHEN_ONE(key)},                                                                                     \
          .en = "asynchronous tensor parallelism is part of the compiled model",                                       \
          .zh = "异步张量并行属于编译后的模型"}
#define MIXED(key)                                                                                                     \
  {                                                                                                                    \
    TOML, .more = {WHEN_ONE(CP)}, .row = {                                                                             \
      .rule = DTC_RULE_TITAN_MIXED,                                                                                    \
      WARNING,                                                                                                         \
      .hook = DTCI_EXCLUDES,                                                                                           \
      .fix = K(key),                                                                                                   \
      .when = {WHEN_SOME(key), WHEN_ONE(SHARD)},                                                                       \
      .en = "mixed precision is FSDP's: without it training runs in fp32",                                             \
      .zh = "混合精度由 FSDP 实现：没有它则以 fp32 训练"                                                \
    }                                                                                                                  \
  }
#define BACKWARD(key)                                                                                                  \
  {                                                                                                                    \
    TOML, .row = {                                                                                                     \
      .rule = DTC_RULE_TITAN_IN_BACKWARD,                                                                              \
      ERROR,                                                                                                           \
      .hook = DTCI_EXCLUDES,                                                                                           \
      .fix = K(IN_BACKWARD),                                                                                           \
      .when = {WHEN_ONE(IN_BACKWARD), WHEN_SOME(key)},                                                                 \
      .en = "an optimizer in backward needs the gradient of a rank alone",                                             \
      .zh = "反向中的优化器只能使用本进程的梯度"                                                      \
    }                                                                                                                  \
  }
#define NO_EFFECT(key, least, condition)                                                                               \
  .row = {.rule = DTC_RULE_TITAN_NO_EFFECT,                                                                            \
          WARNING,                                                                                                     \
          .hook = DTCI_NEEDS,                                                                                          \
          .fix = K(key),                                                                                               \
          .need = condition,                                                                                           \
          .when = {DTCI_WHEN_GIVEN(K(key)), DTCI_WHEN_AT_LEAST(K(key), least)},                                        \
          .en = "it has no effect otherwise",                                                                          \
          .zh = "否则不起作用"}

static const dtci_setting_rule rules[] = {
    {.row = {.rule = DTC_RULE_TITAN_WORLD,
             .fix = K(SHARD_DEGREE),
             .left = {K(REPLICATE), K(SHARD_DEGREE), K(CP), K(TP), K(PP)},
             .when = {DTCI_WHEN_AT_LEAST(K(SHARD_DEGREE), 1)},
             WORLD_TEXTS}},
    {.row = {.rule = DTC_RULE_TITAN_WORLD,
             .fix = K(SHARD_DEGREE),
             .left = {K(REPLICATE), K(SHARD), K(CP), K(TP), K(PP)},
             .when = {DTCI_WHEN_IS(K(SHARD_DEGREE), UINT64_MAX)},
             WORLD_TEXTS}},
    {TOML, .row = {.rule = DTC_RULE_TITAN_EP,
                   DIVIDE,
                   .fix = K(EP),
                   .left = {K(EP), K(ETP)},
                   .right = {K(SHARD), K(CP), K(TP)},
                   .when = {WHEN_SOME(EP)},
                   .en = "experts take ranks of FSDP, context and tensor parallelism",
                   .zh = "专家占用 FSDP、上下文并行与张量并行的进程"}},
    {PYTHON, .row = {.rule = DTC_RULE_TITAN_EP,
                     DIVIDE,
                     .fix = K(EP),
                     .left = {K(EP)},
                     .right = {K(SHARD), K(CP), K(TP)},
                     .when = {WHEN_SOME(EP)},
                     .en = "experts take ranks of FSDP, context and tensor parallelism",
                     .zh = "专家占用 FSDP、上下文并行与张量并行的进程"}},
    {TOML, .row = {.rule = DTC_RULE_TITAN_ETP,
                   .status = DTC_E_CONFLICT,
                   .hook = DTCI_EQUALS,
                   .fix = K(ETP),
                   .left = {K(ETP)},
                   .right = {K(TP)},
                   .when = {WHEN_SOME(ETP), WHEN_SOME(EP)},
                   .en = "experts are cut as the rest, or not at all",
                   .zh = "专家要么与其余部分同样切分，要么不切分"}},
    {SEQUENCES, .row = {.rule = DTC_RULE_TITAN_BATCH,
                        DIVIDE,
                        .fix = K(GLOBAL_BATCH),
                        .left = {K(BATCH), K(REPLICATE), K(SHARD)},
                        .right = {K(GLOBAL_BATCH)},
                        .when = {DTCI_WHEN_AT_LEAST(K(GLOBAL_BATCH), 1)},
                        BATCH_TEXTS}},
    {TOKENS, .row = {.rule = DTC_RULE_TITAN_BATCH,
                     DIVIDE,
                     .fix = K(STEP_TOKENS),
                     .left = {K(RANK_TOKENS), K(RUNS), K(REPLICATE), K(SHARD)},
                     .right = {K(STEP_TOKENS)},
                     .when = {DTCI_WHEN_AT_LEAST(K(STEP_TOKENS), 1)},
                     BATCH_TEXTS}},
    {SEQUENCES, .row = {.rule = DTC_RULE_TITAN_MICRO,
                        DIVIDE,
                        .fix = K(BATCH),
                        .left = {K(PP_MICRO)},
                        .right = {K(BATCH)},
                        .when = {WHEN_SOME(PP)},
                        .en = "the batch is cut into micro-batches",
                        .zh = "批被切分为微批"}},
    MINUS_ONE(SHARD_DEGREE),
    MINUS_ONE(GLOBAL_BATCH),
    MINUS_ONE(STEP_TOKENS),
    {SEQUENCES, .row = {.rule = DTC_RULE_TITAN_SEQ,
                        DIVIDE,
                        .fix = K(SEQ),
                        .left = {K(SP_TP), K(CP_CUT)},
                        .right = {K(SEQ)},
                        SEQ_TEXTS}},
    {TOKENS, .row = {.rule = DTC_RULE_TITAN_SEQ,
                     DIVIDE,
                     .fix = K(RANK_TOKENS),
                     .left = {K(SP_TP), K(CP_CUT)},
                     .right = {K(RANK_TOKENS)},
                     SEQ_TEXTS}},
    {PYTHON, .row = {.rule = DTC_RULE_TITAN_GRAPHS,
                     ERROR,
                     .hook = DTCI_NEEDS,
                     .fix = K(PP),
                     .need = WHEN_ONE(NO_GRAPHS),
                     .when = {WHEN_SOME(PP)},
                     .en = "CUDA graphs are on by default and do not hold a pipeline",
                     .zh = "CUDA graph 默认开启，且不支持流水线"}},
    {PYTHON, ASYNC(ASYNC_TP, WHEN_ONE(COMPILE))},
    {PYTHON, ASYNC(ASYNC_TP, DTCI_WHEN_HAS(K(COMPONENTS), MODEL))},
    {TOML, ASYNC(OLD_ASYNC_TP, WHEN_ONE(COMPILE))},
    {TOML, ASYNC(OLD_ASYNC_TP, DTCI_WHEN_HAS(K(COMPONENTS), MODEL))},
    {PYTHON, .row = {.rule = DTC_RULE_TITAN_SYMMETRIC,
                     .status = DTC_E_UNSUPPORTED,
                     .hook = DTCI_NEEDS,
                     .fix = K(SYMMETRIC),
                     .need = DTCI_WHEN_AT_LEAST(K(COMPUTE), 90),
                     .when = {WHEN_ONE(SYMMETRIC), DTCI_WHEN_AT_LEAST(K(COMPUTE), 1)},
                     .en = "symmetric memory needs compute capability 9.0 on NVIDIA GPUs",
                     .zh = "对称内存在 NVIDIA GPU 上要求计算能力 9.0"}},
    {.row = {.rule = DTC_RULE_TITAN_BALANCER,
             ERROR,
             .hook = DTCI_WHEN,
             .fix = K(BALANCER),
             .when = {DTCI_WHEN_IS(K(BALANCER), EMPTY)},
             .en = "{field} is empty: null (None) turns balancing off",
             .zh = "{field} 为空：用 null（None）关闭负载均衡"}},
    {TOKENS, .row = {.rule = DTC_RULE_TITAN_FULL_DTENSOR,
                     .status = DTC_E_UNSUPPORTED,
                     .hook = DTCI_WHEN,
                     .fix = K(BACKEND),
                     .when = {DTCI_WHEN_IS(K(BACKEND), FULL_DTENSOR)},
                     .en = "{field} = {value}: gone; spmd_types or partial_dtensor",
                     .zh = "{field} = {value}：已移除；请用 spmd_types 或 partial_dtensor"}},
    {TOML, .row = {.rule = DTC_RULE_TITAN_BUDGET,
                   ERROR,
                   .hook = DTCI_NEEDS,
                   .fix = K(AC_MODE),
                   .need = WHEN_ONE(COMPILE),
                   .when = {DTCI_WHEN_IS(K(AC_MODE), BUDGET)},
                   .en = "a memory budget is kept by the compiler",
                   .zh = "内存预算由编译器实现"}},
    {PYTHON, .row = {.rule = DTC_RULE_TITAN_BUDGET,
                     ERROR,
                     .hook = DTCI_NEEDS,
                     .fix = K(AC_CLASS),
                     .need = WHEN_ONE(COMPILE),
                     .when = {DTCI_WHEN_IS(K(AC_CLASS), BUDGET)},
                     .en = "a memory budget is kept by the compiler",
                     .zh = "内存预算由编译器实现"}},
    MIXED(TP),
    MIXED(PP),
    {.row = {.rule = DTC_RULE_TITAN_BUBBLE,
             WARNING,
             .hook = DTCI_AT_MOST,
             .fix = K(PP),
             .left = {K(PP)},
             .right = {K(RUNS)},
             .when = {WHEN_SOME(PP)},
             .en = "with fewer micro-batches than stages most ranks wait",
             .zh = "微批少于阶段数时大多数进程在等待"}},
    {TOML, .more = {DTCI_WHEN_IS(K(PP_SCHEDULE), DTC_SCHEDULE_DUALPIPE_V), WHEN_SOME(PP), WHEN_ONE(OVERLAP)},
     .row = {.rule = DTC_RULE_TITAN_DUALPIPE,
             ERROR,
             .hook = DTCI_EXCLUDES,
             .fix = K(AC_MODE),
             .when = {DTCI_WHEN_BETWEEN(K(AC_MODE), SELECTIVE, BUDGET), WHEN_SOME(EP)},
             .en = "DualPipeV with expert parallelism overlaps both passes: nothing is recomputed",
             .zh = "DualPipeV 与专家并行会重叠前后向：不能重计算"}},
    BACKWARD(EP),
    BACKWARD(PP),
    {PYTHON, .more = {DTCI_WHEN_IS(K(BACKEND), 0)},
     .row = {.rule = DTC_RULE_TITAN_TYPECHECKING,
             ERROR,
             .hook = DTCI_EXCLUDES,
             .fix = K(TYPECHECKING),
             .when = {WHEN_ONE(TYPECHECKING), WHEN_SOME(PP)},
             .en = "types are checked without a pipeline",
             .zh = "类型检查不支持流水线"}},
    {TOKENS, NO_EFFECT(PP_RUNS, 2, WHEN_SOME(PP))},
    {PYTHON, NO_EFFECT(ASYNC_TP, 1, WHEN_SOME(TP))},
    {PYTHON, .row = {.rule = DTC_RULE_TITAN_INVARIANT,
                     .status = DTC_E_UNSUPPORTED,
                     .hook = DTCI_WHEN,
                     .fix = K(BATCH_INVARIANT),
                     .when = {WHEN_ONE(BATCH_INVARIANT)},
                     .en = "{field} = true: not for pre-training",
                     .zh = "{field} = true：不支持预训练"}},
};

void dtci_lint_torchtitan(dtci_dialect *d)
{
  d->number = DTC_DIALECT_TORCHTITAN;
  d->form = DTCI_FORM_JSON;
  d->framework = DTC_FRAMEWORK_TORCHTITAN;
  d->newest = DTC_MAIN;
  d->unknown = DTCI_UNKNOWN_ERROR;
  d->twice = DTC_SEVERITY_ERROR;
  d->keys = keys;
  d->keys_count = sizeof keys / sizeof keys[0];
  d->words = words;
  d->words_count = sizeof words / sizeof words[0];
  d->steps = steps;
  d->steps_count = sizeof steps / sizeof steps[0];
  d->rules = rules;
  d->rules_count = sizeof rules / sizeof rules[0];
}

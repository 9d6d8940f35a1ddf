/* ColossalAI's plugins, as JSON of their arguments: {"plugin": "HybridParallelPlugin", "tp_size": 2, "pp_size": 1}; without
 * a plugin it is that one. {"parallel": ..} is the configuration of colossalai.legacy. Sources: ColossalAI 0.5
 * booster/plugin/hybrid_parallel_plugin.py, moe_hybrid_parallel_plugin.py, gemini_plugin.py, low_level_zero_plugin.py,
 * torch_ddp_plugin.py, torch_fsdp_plugin.py, shardformer/shard/shard_config.py, zero/gemini/placement_policy.py,
 * legacy/context/parallel_context.py and process_group_initializer. */
#include "internal/settings.h"

#define K(key) DTCI_KEY(DTC_DIALECT_COLOSSALAI, key)
#define PLAN(x) .field = DTC_FIELD(plan, x)

enum {
  WORLD = DTCI_KEY_WORLD,
  DP = DTCI_KEY_FIRST,
  STATE_RANKS,
  SHARDING,
  CONTEXT, /* ranks that a sequence is cut over besides tensor parallelism; 1 without */
  CP,
  SP_ON,
  SCHEDULE,
  Q2,
  Q25,
  Q3,
  /* Keys of the text that rules or steps mention. */
  PLUGIN,
  TP,
  PP,
  SP,
  EP,
  EXTRA_DP,
  PRECISION,
  ZERO,
  STAGE,
  FLASH,
  SP_ENABLED,
  SP_MODE,
  RUNS,
  MICRO,
  STYLE,
  CHUNKS,
  NODES,
  OVERLAP,
  NORM_TYPE,
  PLACEMENT,
  SHARD_PARAM,
  OFFLOAD_OPTIM,
  OFFLOAD_PARAM,
  WARMUP_RATIO,
  STEADY_RATIO,
  LEGACY_PP,
  LEGACY_SIZE,
  LEGACY_MODE,
  LEGACY_DEPTH,
  /* Keys of single plugins. */
  ALL_OPTIMIZATION,
  FUSED_NORMALIZATION,
  JIT_FUSED,
  PARALLEL_OUTPUT,
  INITIAL_SCALE,
  MIN_SCALE,
  GROWTH_FACTOR,
  BACKOFF_FACTOR,
  GROWTH_INTERVAL,
  HYSTERESIS,
  MAX_SCALE,
  MAX_NORM,
  BROADCAST_BUFFERS,
  DDP_BUCKET,
  FIND_UNUSED,
  CHECK_REDUCTION,
  BUCKET_VIEW,
  STATIC_GRAPH,
  ZERO_BUCKET,
  CPU_OFFLOAD,
  COMM_DTYPE,
  CUSTOM_POLICY,
  STAGE_LAYERS,
  CHECKPOINT_CONFIG,
  METADATA_CACHE,
  VOCAB_MULTIPLE,
  DP_OUTSIDE,
  MOE_DP_OUTSIDE,
  OVERLAP_P2P,
  OVERLAP_ALLGATHER,
  FP8,
  INNER_RING,
  CHUNK_CONFIG,
  CHUNK_DEVICE,
  GRADIENT_ACCUMULATION,
  PREFETCH,
  MASTER_WEIGHTS,
  PIN_MEMORY,
  OUTPUTS_FP32,
  STRICT_DDP,
  SEARCH_RANGE,
  HIDDEN_DIM,
  MIN_CHUNK,
  MEMSTATS,
  GPU_MARGIN,
  ASYNC_REDUCE,
  VERBOSE,
  REDUCE_BUCKET,
  CAST_INPUTS,
  BUCKET_CAP,
  PROCESS_GROUP,
  STRATEGY,
  WRAP_POLICY,
  BACKWARD_PREFETCH,
  MIXED,
  IGNORED_MODULES,
  INIT_FN,
  SYNC_STATES,
};

/* Plugins, in an order that lets their arguments be told by ranges. */
enum { HYBRID, MOE, GEMINI, LOW_LEVEL, DDP, FSDP };
enum { PLUGINS = 1, PRECISIONS, SP_MODES, STYLES, PLACEMENTS, LEGACY_MODES };
enum { BF16 = DTC_PRECISION_BF16, FP16 = DTC_PRECISION_FP16, FP32 = DTC_PRECISION_FP32 };
enum { SPLIT_GATHER, RING, ALL_TO_ALL, RING_ATTN };
enum { STATIC, AUTO };
enum { MODE_1D, MODE_2D, MODE_25D, MODE_3D, MODE_SEQUENCE };

static const dtci_word words[] = {
    {PLUGINS, HYBRID, 0, "HybridParallelPlugin"},
    {PLUGINS, MOE, 0, "MoeHybridParallelPlugin"},
    {PLUGINS, GEMINI, 0, "GeminiPlugin"},
    {PLUGINS, LOW_LEVEL, 0, "LowLevelZeroPlugin"},
    {PLUGINS, DDP, 0, "TorchDDPPlugin"},
    {PLUGINS, FSDP, 0, "TorchFSDPPlugin"},
    {PRECISIONS, FP16, 0, "fp16"},
    {PRECISIONS, BF16, 0, "bf16"},
    {PRECISIONS, FP32, 0, "fp32"},
    {SP_MODES, SPLIT_GATHER, 0, "split_gather"},
    {SP_MODES, RING, 0, "ring"},
    {SP_MODES, ALL_TO_ALL, 0, "all_to_all"},
    {SP_MODES, RING_ATTN, 0, "ring_attn"},
    {STYLES, DTC_SCHEDULE_1F1B, 0, "1f1b"},
    {STYLES, DTC_SCHEDULE_INTERLEAVED, 0, "interleaved"},
    {STYLES, DTC_SCHEDULE_ZBV, 0, "zbv"},
    {PLACEMENTS, STATIC, 0, "static"},
    {PLACEMENTS, AUTO, 0, "auto"},
    {LEGACY_MODES, MODE_1D, 0, "1d"},
    {LEGACY_MODES, MODE_2D, 0, "2d"},
    {LEGACY_MODES, MODE_25D, 0, "2.5d"},
    {LEGACY_MODES, MODE_3D, 0, "3d"},
    {LEGACY_MODES, MODE_SEQUENCE, 0, "sequence"},
};

#define WORKED .kind = DTCI_KEY_WORKED
#define SIZE .kind = DTCI_KEY_INTEGER, .min = {1}, .max = {1 << 20}
#define COUNT .kind = DTCI_KEY_INTEGER, .min = {1}, .max = {INT64_C(1) << 32}
#define INTEGER .kind = DTCI_KEY_INTEGER
#define NUMBER .kind = DTCI_KEY_NUMBER
#define PART .kind = DTCI_KEY_NUMBER, .max = {.d = 1}, .flags = DTCI_HAS
#define OFF .kind = DTCI_KEY_SWITCH, .flags = DTCI_HAS
#define ON .kind = DTCI_KEY_SWITCH, .flags = DTCI_HAS, .fill = {1}
#define WORD(set) .kind = DTCI_KEY_WORD, .words = (set)
#define ANY .kind = DTCI_KEY_ANY, .flags = DTCI_NULL
#define BLOCK .kind = DTCI_KEY_BLOCK

static const dtci_key keys[] = {
    DTCI_LINT_KEYS,
    [DP] = {"data parallel ranks", WORKED, PLAN(dp)},
    [STATE_RANKS] = {"ranks that states are sharded over", WORKED, PLAN(dp_shard)},
    [SHARDING] = {"sharding", WORKED, PLAN(sharding), .flags = DTCI_FILLS},
    [CONTEXT] = {"sequence parallel ranks", WORKED},
    [CP] = {"context parallel ranks", WORKED, PLAN(cp)},
    [SP_ON] = {"sequence parallel in the tensor parallel group", WORKED, PLAN(sequence_parallel)},
    [SCHEDULE] = {"schedule", WORKED, PLAN(schedule)},
    [Q2] = {"q", WORKED},
    [Q25] = {"q of a layer", WORKED},
    [Q3] = {"q of a cube", WORKED},

    [PLUGIN] = {"plugin", WORD(PLUGINS), .flags = DTCI_HAS},
    [TP] = {"tp_size", SIZE, PLAN(tp)},
    [PP] = {"pp_size", SIZE, PLAN(pp)},
    [SP] = {"sp_size", SIZE, .flags = DTCI_NULL},
    [EP] = {"ep_size", SIZE, PLAN(ep)},
    [EXTRA_DP] = {"extra_dp_size", SIZE, .flags = DTCI_HAS, .fill = {1}},
    [PRECISION] = {"precision", WORD(PRECISIONS), .flags = DTCI_HAS | DTCI_FILLS, .fill = {FP16}, PLAN(precision)},
    [ZERO] = {"zero_stage", INTEGER, .min = {0}, .max = {2}, .flags = DTCI_HAS},
    [STAGE] = {"stage", INTEGER, .min = {1}, .max = {2}, .flags = DTCI_HAS, .fill = {1}},
    [FLASH] = {"enable_flash_attention", OFF, PLAN(attention), .map = {0, DTC_ATTENTION_FLASH}},
    [SP_ENABLED] = {"enable_sequence_parallelism", OFF},
    [SP_MODE] = {"sequence_parallelism_mode", WORD(SP_MODES), .flags = DTCI_HAS | DTCI_NULL, .fill = {ALL_TO_ALL}},
    [RUNS] = {"num_microbatches", COUNT, .flags = DTCI_NULL, PLAN(accumulation)},
    [MICRO] = {"microbatch_size", COUNT, .flags = DTCI_NULL, PLAN(micro_batch)},
    [STYLE] = {"pp_style", WORD(STYLES), .flags = DTCI_HAS, .fill = {DTC_SCHEDULE_1F1B}},
    [CHUNKS] = {"num_model_chunks", SIZE, .flags = DTCI_HAS, .fill = {1}, PLAN(vpp)},
    [NODES] = {"scheduler_nodes", ANY},
    [OVERLAP] = {"overlap_communication", .kind = DTCI_KEY_SWITCH},
    [NORM_TYPE] = {"norm_type", NUMBER, .flags = DTCI_HAS, .fill = {.d = 2}},
    [PLACEMENT] = {"placement_policy", WORD(PLACEMENTS), .flags = DTCI_HAS},
    [SHARD_PARAM] = {"shard_param_frac", PART, .fill = {.d = 1}},
    [OFFLOAD_OPTIM] = {"offload_optim_frac", PART},
    [OFFLOAD_PARAM] = {"offload_param_frac", PART},
    [WARMUP_RATIO] = {"warmup_non_model_data_ratio", NUMBER},
    [STEADY_RATIO] = {"steady_cuda_cap_ratio", NUMBER},
    [LEGACY_PP] = {"parallel.pipeline", SIZE, .flags = DTCI_HAS, .fill = {1}, PLAN(pp)},
    [LEGACY_SIZE] = {"parallel.tensor.size", SIZE, .flags = DTCI_HAS, .fill = {1}, PLAN(tp)},
    [LEGACY_MODE] = {"parallel.tensor.mode", WORD(LEGACY_MODES), .flags = DTCI_NULL},
    [LEGACY_DEPTH] = {"parallel.tensor.depth", SIZE},

    [ALL_OPTIMIZATION] = {"enable_all_optimization", OFF},
    [FUSED_NORMALIZATION] = {"enable_fused_normalization", OFF},
    [JIT_FUSED] = {"enable_jit_fused", OFF},
    [PARALLEL_OUTPUT] = {"parallel_output", ON},
    [INITIAL_SCALE] = {"initial_scale", NUMBER},
    [MIN_SCALE] = {"min_scale", NUMBER},
    [GROWTH_FACTOR] = {"growth_factor", NUMBER},
    [BACKOFF_FACTOR] = {"backoff_factor", NUMBER},
    [GROWTH_INTERVAL] = {"growth_interval", INTEGER},
    [HYSTERESIS] = {"hysteresis", INTEGER},
    [MAX_SCALE] = {"max_scale", NUMBER},
    [MAX_NORM] = {"max_norm", NUMBER},
    [BROADCAST_BUFFERS] = {"broadcast_buffers", ON},
    [DDP_BUCKET] = {"ddp_bucket_cap_mb", NUMBER},
    [FIND_UNUSED] = {"find_unused_parameters", OFF},
    [CHECK_REDUCTION] = {"check_reduction", OFF},
    [BUCKET_VIEW] = {"gradient_as_bucket_view", OFF},
    [STATIC_GRAPH] = {"static_graph", OFF},
    [ZERO_BUCKET] = {"zero_bucket_size_in_m", NUMBER},
    [CPU_OFFLOAD] = {"cpu_offload", ANY},
    [COMM_DTYPE] = {"communication_dtype", ANY},
    [CUSTOM_POLICY] = {"custom_policy", ANY},
    [STAGE_LAYERS] = {"num_layers_per_stage", ANY},
    [CHECKPOINT_CONFIG] = {"gradient_checkpoint_config", ANY},
    [METADATA_CACHE] = {"enable_metadata_cache", ON},
    [VOCAB_MULTIPLE] = {"make_vocab_size_divisible_by", COUNT, PLAN(vocab_multiple)},
    [DP_OUTSIDE] = {"dp_outside", ON},
    [MOE_DP_OUTSIDE] = {"moe_dp_outside", ON},
    [OVERLAP_P2P] = {"overlap_p2p", ON},
    [OVERLAP_ALLGATHER] = {"overlap_allgather", OFF},
    [FP8] = {"use_fp8", OFF},
    [INNER_RING] = {"inner_ring_size", INTEGER, .flags = DTCI_NULL},
    [CHUNK_CONFIG] = {"chunk_config_dict", ANY},
    [CHUNK_DEVICE] = {"chunk_init_device", ANY},
    [GRADIENT_ACCUMULATION] = {"enable_gradient_accumulation", OFF},
    [PREFETCH] = {"max_prefetch", INTEGER},
    [MASTER_WEIGHTS] = {"master_weights", ON},
    [PIN_MEMORY] = {"pin_memory", OFF},
    [OUTPUTS_FP32] = {"force_outputs_fp32", OFF},
    [STRICT_DDP] = {"strict_ddp_mode", OFF},
    [SEARCH_RANGE] = {"search_range_m", INTEGER},
    [HIDDEN_DIM] = {"hidden_dim", INTEGER, .flags = DTCI_NULL},
    [MIN_CHUNK] = {"min_chunk_size_m", NUMBER},
    [MEMSTATS] = {"memstats", ANY},
    [GPU_MARGIN] = {"gpu_margin_mem_ratio", NUMBER},
    [ASYNC_REDUCE] = {"enable_async_reduce", ON},
    [VERBOSE] = {"verbose", OFF},
    [REDUCE_BUCKET] = {"reduce_bucket_size_in_m", INTEGER},
    [CAST_INPUTS] = {"cast_inputs", ON},
    [BUCKET_CAP] = {"bucket_cap_mb", NUMBER},
    [PROCESS_GROUP] = {"process_group", ANY},
    [STRATEGY] = {"sharding_strategy", ANY},
    [WRAP_POLICY] = {"auto_wrap_policy", ANY},
    [BACKWARD_PREFETCH] = {"backward_prefetch", ANY},
    [MIXED] = {"mixed_precision", ANY},
    [IGNORED_MODULES] = {"ignored_modules", ANY},
    [INIT_FN] = {"param_init_fn", ANY},
    [SYNC_STATES] = {"sync_module_states", OFF},
    {"fp8_communication", OFF},
    {"parallel", BLOCK, .unknown = DTCI_UNKNOWN_FREE},
    {"parallel.tensor", BLOCK},
};

/* ---- steps ----------------------------------------------------------------------------------- */

#define PUT(to, value) .key = K(to), .op = DTCI_STEP_PUT, .constant = (value)
#define COPY(to, from) .key = K(to), .op = DTCI_STEP_PRODUCT, .left = {K(from)}
#define ROOT(to, n) .key = K(to), .op = DTCI_STEP_ROOT, .constant = (n), .left = {K(LEGACY_SIZE)}
#define OF(value) DTCI_WHEN_IS(K(PLUGIN), value)
#define OF_PIPELINE DTCI_WHEN_BETWEEN(K(PLUGIN), HYBRID, MOE)
#define WHEN_SOME(key) DTCI_WHEN_AT_LEAST(K(key), 2)
#define IN_TP_GROUP DTCI_WHEN_BETWEEN(K(SP_MODE), SPLIT_GATHER, RING)
#define OF_ITS_OWN DTCI_WHEN_BETWEEN(K(SP_MODE), ALL_TO_ALL, RING_ATTN)
#define WHEN_SP DTCI_WHEN_IS(K(SP_ENABLED), 1)
#define TWO UINT64_C(0x4000000000000000)

static const dtci_step steps[] = {
    {PUT(SP_MODE, ALL_TO_ALL)}, /* also for null */
    {PUT(CONTEXT, 1), .when = {OF_PIPELINE}},
    {COPY(CONTEXT, SP), .when = {WHEN_SP, OF_ITS_OWN, OF_PIPELINE}},
    {COPY(CP, SP), .when = {WHEN_SP, OF_ITS_OWN, OF_PIPELINE}},
    {PUT(SP_ON, 1), .when = {WHEN_SP, IN_TP_GROUP, OF_PIPELINE}},
    {PUT(SP_ON, 1), .when = {WHEN_SP, WHEN_SOME(TP), OF(GEMINI)}},
    {.key = K(DP),
     .op = DTCI_STEP_QUOTIENT,
     .left = {K(WORLD)},
     .right = {K(TP), K(PP), K(CONTEXT)},
     .when = {OF_PIPELINE}},
    {COPY(DP, WORLD), .when = {DTCI_WHEN_BETWEEN(K(PLUGIN), GEMINI, FSDP)}},
    {.key = K(DP), .op = DTCI_STEP_QUOTIENT, .left = {K(WORLD)}, .right = {K(TP)}, .when = {OF(GEMINI)}},
    {.key = K(STATE_RANKS),
     .op = DTCI_STEP_QUOTIENT,
     .left = {K(DP)},
     .right = {K(EXTRA_DP)},
     .when = {DTCI_WHEN_BETWEEN(K(PLUGIN), GEMINI, LOW_LEVEL)}},
    {COPY(SCHEDULE, STYLE), .when = {WHEN_SOME(PP)}},

    {PUT(SHARDING, DTC_SHARDING_DDP), .when = {OF_PIPELINE}},
    {PUT(SHARDING, DTC_SHARDING_ZERO1), .when = {OF_PIPELINE, DTCI_WHEN_IS(K(ZERO), 1)}},
    {PUT(SHARDING, DTC_SHARDING_ZERO2), .when = {OF(HYBRID), DTCI_WHEN_IS(K(ZERO), 2)}},
    {PUT(SHARDING, DTC_SHARDING_ZERO1), .when = {OF(MOE), DTCI_WHEN_IS(K(ZERO), 2)}},
    {PUT(SHARDING, DTC_SHARDING_ZERO1), .when = {OF(LOW_LEVEL)}},
    {PUT(SHARDING, DTC_SHARDING_ZERO2), .when = {OF(LOW_LEVEL), DTCI_WHEN_IS(K(STAGE), 2)}},
    {PUT(SHARDING, DTC_SHARDING_ZERO3), .when = {OF(GEMINI)}},
    {PUT(SHARDING, DTC_SHARDING_ZERO2), .when = {OF(GEMINI), DTCI_WHEN_IS(K(SHARD_PARAM), 0)}},
    {PUT(SHARDING, DTC_SHARDING_DDP), .when = {OF(DDP)}},
    {PUT(SHARDING, DTC_SHARDING_FSDP), .when = {OF(FSDP)}},

    /* colossalai.legacy. */
    {.key = K(DP),
     .op = DTCI_STEP_QUOTIENT,
     .left = {K(WORLD)},
     .right = {K(LEGACY_SIZE), K(LEGACY_PP)},
     .when = {DTCI_WHEN_GIVEN(K(LEGACY_SIZE))}},
    {.key = K(SHARDING), .op = DTCI_STEP_CLEAR, .when = {DTCI_WHEN_GIVEN(K(LEGACY_SIZE))}},
    {ROOT(Q2, 2)},
    {ROOT(Q25, 2), .right = {K(LEGACY_DEPTH)}},
    {ROOT(Q3, 3)},
};

/* ---- rules ----------------------------------------------------------------------------------- */

#define ERROR .status = DTC_E_CONFLICT, .severity = DTC_SEVERITY_ERROR
#define WARNING .status = DTC_E_CONFLICT, .severity = DTC_SEVERITY_WARNING
#define DIVIDE .status = DTC_E_DIVIDE, .hook = DTCI_DIVIDES

#define WORLD_RULE                                                                                                     \
  .rule = DTC_RULE_COLOSSAL_WORLD, DIVIDE, .right = {K(WORLD)}, .en = "every rank has a place in the mesh",            \
  .zh = "每个进程在网格中都有位置"
#define CHUNK_RULE(style, condition)                                                                                   \
  {                                                                                                                    \
    .more = {OF_PIPELINE}, .row = {                                                                                    \
      .rule = DTC_RULE_COLOSSAL_CHUNKS,                                                                                \
      ERROR,                                                                                                           \
      .hook = DTCI_NEEDS,                                                                                              \
      .fix = K(STYLE),                                                                                                 \
      .need = condition,                                                                                               \
      .when = {DTCI_WHEN_IS(K(STYLE), style), WHEN_SOME(PP)},                                                          \
      .en = "1f1b runs one chunk of layers on a rank, zbv two, interleaved two or more",                               \
      .zh = "1f1b 每个进程运行一块层，zbv 两块，interleaved 两块或更多"                              \
    }                                                                                                                  \
  }
#define MOE_RULE(key, condition)                                                                                       \
  {                                                                                                                    \
    .row = {                                                                                                           \
      .rule = DTC_RULE_COLOSSAL_MOE_ZERO,                                                                              \
      WARNING,                                                                                                         \
      .hook = DTCI_WHEN,                                                                                               \
      .fix = K(key),                                                                                                   \
      .when = {condition, OF(MOE)},                                                                                    \
      .en = "{field}: the MoE plugin goes on with stage 1 and without overlap, else unused experts hang it",           \
      .zh = "{field}：MoE 插件会改用 stage 1 且不重叠，否则未被使用的专家会导致挂起"          \
    }                                                                                                                  \
  }
/* The plugins from `first` to `last` have the argument: two rows, for those before and behind. */
#define ONLY(key, low, high)                                                                                           \
  {                                                                                                                    \
    .row = {                                                                                                           \
      .rule = DTC_RULE_COLOSSAL_ARGUMENT,                                                                              \
      .status = DTC_E_UNKNOWN,                                                                                         \
      .hook = DTCI_WHEN,                                                                                               \
      .fix = K(key),                                                                                                   \
      .when = {DTCI_WHEN_GIVEN(K(key)), DTCI_WHEN_BETWEEN(K(PLUGIN), low, high)},                                      \
      .en = "{field}: {other_value} has no such argument",                                                             \
      .zh = "{field}：{other_value} 没有这个参数"                                                               \
    }                                                                                                                  \
  }
#define FROM_GEMINI(key) ONLY(key, GEMINI, FSDP)
#define FROM_LOW_LEVEL(key) ONLY(key, LOW_LEVEL, FSDP)
#define FROM_DDP(key) ONLY(key, DDP, FSDP)
#define BEFORE_GEMINI(key) ONLY(key, HYBRID, MOE)
#define BEFORE_LOW_LEVEL(key) ONLY(key, HYBRID, GEMINI)
#define BEFORE_DDP(key) ONLY(key, HYBRID, LOW_LEVEL)
#define BEFORE_FSDP(key) ONLY(key, HYBRID, DDP)
#define MISSING(key, low, high)                                                                                        \
  {                                                                                                                    \
    .more = {DTCI_WHEN_NOT_GIVEN(K(LEGACY_SIZE))}, .row = {                                                            \
      .rule = DTC_RULE_COLOSSAL_MISSING,                                                                               \
      ERROR,                                                                                                           \
      .hook = DTCI_WHEN,                                                                                               \
      .fix = K(key),                                                                                                   \
      .when = {DTCI_WHEN_UNSET(K(key)), DTCI_WHEN_BETWEEN(K(PLUGIN), low, high)},                                      \
      .en = "{field} must be given for {other_value}",                                                                 \
      .zh = "{other_value} 必须给出 {field}"                                                                       \
    }                                                                                                                  \
  }
#define PLACED(key, policy)                                                                                            \
  {                                                                                                                    \
    .row = {                                                                                                           \
      .rule = DTC_RULE_COLOSSAL_PLACEMENT,                                                                             \
      WARNING,                                                                                                         \
      .hook = DTCI_NEEDS,                                                                                              \
      .fix = K(key),                                                                                                   \
      .need = DTCI_WHEN_IS(K(PLACEMENT), policy),                                                                      \
      .when = {DTCI_WHEN_GIVEN(K(key)), OF(GEMINI)},                                                                   \
      .en = "the other placement does not look at it",                                                                 \
      .zh = "另一种放置策略不使用它"                                                                        \
    }                                                                                                                  \
  }
#define OFFLOAD_RULE(key)                                                                                              \
  {                                                                                                                    \
    .more = {DTCI_WHEN_BETWEEN(K(key), 0, DTCI_BITS_BELOW_ONE)}, .row = {                                              \
      .rule = DTC_RULE_COLOSSAL_OFFLOAD,                                                                               \
      WARNING,                                                                                                         \
      .hook = DTCI_WHEN,                                                                                               \
      .fix = K(OFFLOAD_PARAM),                                                                                         \
      .when = {DTCI_WHEN_AT_LEAST(K(OFFLOAD_PARAM), 1), DTCI_WHEN_SET(K(key))},                                        \
      .en = "{field}: ignored while {other} is below 1",                                                               \
      .zh = "{field}：{other} 小于 1 时被忽略"                                                                  \
    }                                                                                                                  \
  }
#define SQUARE_RULE(mode, ...)                                                                                         \
  {                                                                                                                    \
    .row = {                                                                                                           \
      .rule = DTC_RULE_COLOSSAL_SQUARE,                                                                                \
      .status = DTC_E_DIVIDE,                                                                                          \
      .hook = DTCI_EQUALS,                                                                                             \
      .fix = K(LEGACY_SIZE),                                                                                           \
      .left = {__VA_ARGS__},                                                                                           \
      .right = {K(LEGACY_SIZE)},                                                                                       \
      .when = {DTCI_WHEN_IS(K(LEGACY_MODE), mode)},                                                                    \
      .en = "ranks stand in a square, a stack of squares or a cube",                                                   \
      .zh = "进程排成正方形、多层正方形或立方体"                                                      \
    }                                                                                                                  \
  }

static const dtci_setting_rule rules[] = {
    {.row = {WORLD_RULE, .fix = K(TP), .left = {K(TP), K(PP)}, .when = {OF_PIPELINE}}},
    {.row = {WORLD_RULE, .fix = K(TP), .left = {K(TP), K(EXTRA_DP)}, .when = {OF(GEMINI)}}},
    {.row = {WORLD_RULE, .fix = K(EXTRA_DP), .left = {K(EXTRA_DP)}, .when = {OF(LOW_LEVEL)}}},
    {.row = {WORLD_RULE, .fix = K(EXTRA_DP), .left = {K(EXTRA_DP)}, .when = {OF(GEMINI), DTCI_WHEN_UNSET(K(TP))}}},
    {.row = {WORLD_RULE, .fix = K(LEGACY_SIZE), .left = {K(LEGACY_SIZE), K(LEGACY_PP)}}},
    {.more = {WHEN_SOME(CONTEXT)},
     .row = {.rule = DTC_RULE_COLOSSAL_SP_WORLD,
             DIVIDE,
             .severity = DTC_SEVERITY_WARNING,
             .fix = K(SP),
             .left = {K(TP), K(PP), K(SP)},
             .right = {K(WORLD)},
             .when = {OF_PIPELINE},
             .en = "the plugin rounds the data-parallel size down, and the mesh then leaves ranks out",
             .zh = "插件将数据并行大小向下取整，网格会遗漏部分进程"}},
    {.row = {.rule = DTC_RULE_COLOSSAL_EP,
             DIVIDE,
             .fix = K(EP),
             .left = {K(EP)},
             .right = {K(DP)},
             .when = {OF(MOE)},
             .en = "experts are spread over data-parallel ranks",
             .zh = "专家分布在数据并行进程上"}},
    {.more = {OF_PIPELINE},
     .row = {.rule = DTC_RULE_COLOSSAL_SP_OFF,
             ERROR,
             .hook = DTCI_NEEDS,
             .fix = K(SP),
             .need = WHEN_SP,
             .when = {WHEN_SOME(SP)},
             .en = "without it there is no sequence parallelism",
             .zh = "否则没有序列并行"}},
    {.more = {OF_PIPELINE, IN_TP_GROUP},
     .row = {.rule = DTC_RULE_COLOSSAL_SP_TP,
             ERROR,
             .hook = DTCI_NEEDS,
             .fix = K(SP_MODE),
             .need = WHEN_SOME(TP),
             .when = {WHEN_SP},
             .en = "it shares the tensor parallel group",
             .zh = "它与张量并行共用进程组"}},
    {.more = {OF_PIPELINE, WHEN_SP},
     .row = {.rule = DTC_RULE_COLOSSAL_SP_SIZE,
             WARNING,
             .hook = DTCI_WHEN,
             .fix = K(SP),
             .when = {WHEN_SOME(SP), IN_TP_GROUP},
             .en = "{field} = {got}: ignored, {other_value} has tp_size ranks",
             .zh = "{field} = {got}：被忽略，{other_value} 使用 tp_size 个进程"}},
    {.row = {.rule = DTC_RULE_COLOSSAL_SP_MODE,
             WARNING,
             .hook = DTCI_NEEDS,
             .fix = K(SP_MODE),
             .need = WHEN_SP,
             .when = {DTCI_WHEN_GIVEN(K(SP_MODE)), OF_PIPELINE},
             .en = "without it there is no sequence parallelism",
             .zh = "否则没有序列并行"}},
    {.more = {OF_PIPELINE, WHEN_SOME(PP)},
     .row = {.rule = DTC_RULE_COLOSSAL_MICRO,
             ERROR,
             .hook = DTCI_WHEN,
             .fix = K(RUNS),
             .when = {DTCI_WHEN_UNSET(K(RUNS)), DTCI_WHEN_UNSET(K(MICRO))},
             .en = "a pipeline needs {field} or {other}",
             .zh = "流水线需要 {field} 或 {other}"}},
    CHUNK_RULE(DTC_SCHEDULE_1F1B, DTCI_WHEN_IS(K(CHUNKS), 1)),
    CHUNK_RULE(DTC_SCHEDULE_INTERLEAVED, WHEN_SOME(CHUNKS)),
    CHUNK_RULE(DTC_SCHEDULE_ZBV, DTCI_WHEN_IS(K(CHUNKS), 2)),
    {.row = {.rule = DTC_RULE_COLOSSAL_NODES,
             ERROR,
             .hook = DTCI_NEEDS,
             .fix = K(STYLE),
             .need = DTCI_WHEN_SET(K(NODES)),
             .when = {DTCI_WHEN_IS(K(STYLE), DTC_SCHEDULE_ZBV), OF_PIPELINE},
             .en = "they are the schedule that it runs",
             .zh = "它们就是要运行的调度"}},
    {.more = {OF(HYBRID)},
     .row = {.rule = DTC_RULE_COLOSSAL_PP_ZERO,
             ERROR,
             .hook = DTCI_EXCLUDES,
             .fix = K(ZERO),
             .when = {DTCI_WHEN_IS(K(ZERO), 2), WHEN_SOME(PP)},
             .en = "gradients would be reduced for every micro-batch",
             .zh = "否则每个微批都要归约梯度"}},
    MOE_RULE(ZERO, DTCI_WHEN_IS(K(ZERO), 2)),
    MOE_RULE(OVERLAP, DTCI_WHEN_IS(K(OVERLAP), 1)),
    FROM_LOW_LEVEL(TP),
    FROM_GEMINI(PP),
    FROM_GEMINI(SP),
    ONLY(EP, HYBRID, HYBRID),
    FROM_GEMINI(EP),
    BEFORE_GEMINI(EXTRA_DP),
    FROM_DDP(EXTRA_DP),
    FROM_DDP(PRECISION),
    FROM_GEMINI(ZERO),
    BEFORE_LOW_LEVEL(STAGE),
    FROM_DDP(STAGE),
    FROM_LOW_LEVEL(FLASH),
    FROM_LOW_LEVEL(SP_ENABLED),
    FROM_GEMINI(SP_MODE),
    FROM_GEMINI(RUNS),
    FROM_GEMINI(MICRO),
    FROM_GEMINI(STYLE),
    FROM_GEMINI(CHUNKS),
    FROM_GEMINI(NODES),
    ONLY(OVERLAP, GEMINI, GEMINI),
    FROM_DDP(OVERLAP),
    BEFORE_GEMINI(NORM_TYPE),
    FROM_DDP(NORM_TYPE),
    BEFORE_GEMINI(PLACEMENT),
    FROM_LOW_LEVEL(PLACEMENT),
    BEFORE_GEMINI(SHARD_PARAM),
    FROM_LOW_LEVEL(SHARD_PARAM),
    BEFORE_GEMINI(OFFLOAD_OPTIM),
    FROM_LOW_LEVEL(OFFLOAD_OPTIM),
    BEFORE_GEMINI(OFFLOAD_PARAM),
    FROM_LOW_LEVEL(OFFLOAD_PARAM),
    BEFORE_GEMINI(WARMUP_RATIO),
    FROM_LOW_LEVEL(WARMUP_RATIO),
    BEFORE_GEMINI(STEADY_RATIO),
    FROM_LOW_LEVEL(STEADY_RATIO),
    FROM_LOW_LEVEL(ALL_OPTIMIZATION),
    FROM_LOW_LEVEL(FUSED_NORMALIZATION),
    FROM_LOW_LEVEL(JIT_FUSED),
    FROM_GEMINI(PARALLEL_OUTPUT),
    FROM_DDP(INITIAL_SCALE),
    FROM_DDP(MIN_SCALE),
    FROM_DDP(GROWTH_FACTOR),
    FROM_DDP(BACKOFF_FACTOR),
    FROM_DDP(GROWTH_INTERVAL),
    FROM_DDP(HYSTERESIS),
    FROM_DDP(MAX_SCALE),
    FROM_DDP(MAX_NORM),
    ONLY(BROADCAST_BUFFERS, GEMINI, LOW_LEVEL),
    ONLY(BROADCAST_BUFFERS, FSDP, FSDP),
    FROM_GEMINI(DDP_BUCKET),
    ONLY(FIND_UNUSED, GEMINI, LOW_LEVEL),
    ONLY(FIND_UNUSED, FSDP, FSDP),
    ONLY(CHECK_REDUCTION, GEMINI, LOW_LEVEL),
    ONLY(CHECK_REDUCTION, FSDP, FSDP),
    ONLY(BUCKET_VIEW, GEMINI, LOW_LEVEL),
    ONLY(BUCKET_VIEW, FSDP, FSDP),
    ONLY(STATIC_GRAPH, GEMINI, LOW_LEVEL),
    ONLY(STATIC_GRAPH, FSDP, FSDP),
    FROM_GEMINI(ZERO_BUCKET),
    ONLY(CPU_OFFLOAD, GEMINI, GEMINI),
    ONLY(CPU_OFFLOAD, DDP, DDP),
    ONLY(COMM_DTYPE, GEMINI, GEMINI),
    FROM_DDP(COMM_DTYPE),
    FROM_GEMINI(CUSTOM_POLICY),
    FROM_GEMINI(STAGE_LAYERS),
    FROM_GEMINI(CHECKPOINT_CONFIG),
    FROM_GEMINI(METADATA_CACHE),
    FROM_GEMINI(VOCAB_MULTIPLE),
    ONLY(DP_OUTSIDE, MOE, FSDP),
    ONLY(MOE_DP_OUTSIDE, HYBRID, HYBRID),
    FROM_GEMINI(MOE_DP_OUTSIDE),
    FROM_GEMINI(OVERLAP_P2P),
    ONLY(OVERLAP_ALLGATHER, GEMINI, GEMINI),
    FROM_DDP(OVERLAP_ALLGATHER),
    FROM_DDP(FP8),
    ONLY(INNER_RING, MOE, FSDP),
    BEFORE_GEMINI(CHUNK_CONFIG),
    FROM_LOW_LEVEL(CHUNK_CONFIG),
    BEFORE_GEMINI(CHUNK_DEVICE),
    FROM_LOW_LEVEL(CHUNK_DEVICE),
    BEFORE_GEMINI(GRADIENT_ACCUMULATION),
    FROM_LOW_LEVEL(GRADIENT_ACCUMULATION),
    BEFORE_GEMINI(PREFETCH),
    FROM_LOW_LEVEL(PREFETCH),
    BEFORE_GEMINI(MASTER_WEIGHTS),
    FROM_DDP(MASTER_WEIGHTS),
    BEFORE_GEMINI(PIN_MEMORY),
    FROM_LOW_LEVEL(PIN_MEMORY),
    BEFORE_GEMINI(OUTPUTS_FP32),
    FROM_LOW_LEVEL(OUTPUTS_FP32),
    BEFORE_GEMINI(STRICT_DDP),
    FROM_LOW_LEVEL(STRICT_DDP),
    BEFORE_GEMINI(SEARCH_RANGE),
    FROM_LOW_LEVEL(SEARCH_RANGE),
    BEFORE_GEMINI(HIDDEN_DIM),
    FROM_LOW_LEVEL(HIDDEN_DIM),
    BEFORE_GEMINI(MIN_CHUNK),
    FROM_LOW_LEVEL(MIN_CHUNK),
    BEFORE_GEMINI(MEMSTATS),
    FROM_LOW_LEVEL(MEMSTATS),
    BEFORE_GEMINI(GPU_MARGIN),
    FROM_LOW_LEVEL(GPU_MARGIN),
    BEFORE_GEMINI(ASYNC_REDUCE),
    FROM_LOW_LEVEL(ASYNC_REDUCE),
    BEFORE_GEMINI(VERBOSE),
    FROM_DDP(VERBOSE),
    BEFORE_LOW_LEVEL(REDUCE_BUCKET),
    FROM_DDP(REDUCE_BUCKET),
    BEFORE_LOW_LEVEL(CAST_INPUTS),
    FROM_DDP(CAST_INPUTS),
    BEFORE_DDP(BUCKET_CAP),
    ONLY(BUCKET_CAP, FSDP, FSDP),
    BEFORE_FSDP(PROCESS_GROUP),
    BEFORE_FSDP(STRATEGY),
    BEFORE_FSDP(WRAP_POLICY),
    BEFORE_FSDP(BACKWARD_PREFETCH),
    BEFORE_FSDP(MIXED),
    BEFORE_FSDP(IGNORED_MODULES),
    BEFORE_FSDP(INIT_FN),
    BEFORE_FSDP(SYNC_STATES),
    MISSING(TP, HYBRID, MOE),
    MISSING(PP, HYBRID, MOE),
    MISSING(EP, MOE, MOE),
    {.row = {.rule = DTC_RULE_COLOSSAL_NORM,
             .status = DTC_E_UNSUPPORTED,
             .hook = DTCI_NEEDS,
             .fix = K(NORM_TYPE),
             .need = DTCI_WHEN_IS(K(NORM_TYPE), TWO),
             .when = {OF(LOW_LEVEL), DTCI_WHEN_SET(K(NORM_TYPE))},
             .en = "the plugin clips by that norm alone",
             .zh = "该插件只按该范数裁剪"}},
    {.row = {.rule = DTC_RULE_COLOSSAL_PRECISION,
             .status = DTC_E_UNSUPPORTED,
             .hook = DTCI_WHEN,
             .fix = K(PRECISION),
             .when = {DTCI_WHEN_IS(K(PRECISION), FP32), OF(GEMINI)},
             .en = "{field} = {value}: {other_value} has fp16 and bf16",
             .zh = "{field} = {value}：{other_value} 只支持 fp16 与 bf16"}},
    PLACED(SHARD_PARAM, STATIC),
    PLACED(OFFLOAD_OPTIM, STATIC),
    PLACED(OFFLOAD_PARAM, STATIC),
    PLACED(WARMUP_RATIO, AUTO),
    PLACED(STEADY_RATIO, AUTO),
    OFFLOAD_RULE(SHARD_PARAM),
    OFFLOAD_RULE(OFFLOAD_OPTIM),
    SQUARE_RULE(MODE_2D, K(Q2), K(Q2)),
    SQUARE_RULE(MODE_25D, K(LEGACY_DEPTH), K(Q25), K(Q25)),
    SQUARE_RULE(MODE_3D, K(Q3), K(Q3), K(Q3)),
    {.row = {.rule = DTC_RULE_COLOSSAL_LEGACY,
             WARNING,
             .hook = DTCI_WHEN,
             .fix = K(LEGACY_MODE),
             .when = {DTCI_WHEN_BETWEEN(K(LEGACY_MODE), MODE_2D, MODE_3D)},
             .en = "{field} = {value}: in colossalai.legacy alone; plugins have 1D tensor parallelism",
             .zh = "{field} = {value}：仅存在于 colossalai.legacy；插件只有一维张量并行"}},
};

void dtci_lint_colossalai(dtci_dialect *d)
{
  d->number = DTC_DIALECT_COLOSSALAI;
  d->form = DTCI_FORM_JSON;
  d->framework = DTC_FRAMEWORK_COLOSSALAI;
  d->newest = 5000;
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

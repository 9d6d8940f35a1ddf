/* DeepSpeed's ds_config.json: 0.19 up to 0.19.8.
 * Sources: deepspeed/runtime/config.py, constants.py, zero/config.py, zero/offload_config.py, precision_config.py,
 * zenflow/zenflow_config.py, tensor_parallel/config.py, model_checkpointing/config.py, activation_checkpointing,
 * swap_tensor/aio_config.py, compile/config.py, monitor/config.py, comm/config.py, module_inject/auto_ep_config.py
 * (edaa7221); release 0.19.8 for what it refuses. Blocks that pydantic models read refuse other keys; of the others, and
 * outside every block, DeepSpeed looks up the names it knows and never at the rest. */
#include "internal/settings.h"

#define K(key) DTCI_KEY(DTC_DIALECT_DEEPSPEED, key)
#define PLAN(x) .field = DTC_FIELD(plan, x)
#define SINCE_0_19_8 .since = 19008
#define UNTIL_0_19_8 .until = 19008

enum {
  WORLD = DTCI_KEY_WORLD,
  DP = DTCI_KEY_FIRST, /* ranks that DeepSpeed counts as data parallel for the batch */
  RANKS,               /* ranks that are */
  EP,
  ETP,
  PRECISION,
  /* Keys of the text that rules or steps mention. */
  TRAIN,
  MICRO,
  STEPS,
  SEQUENCE,
  REDUCE_OP,
  VOCAB,
  FP16,
  FP16_MASTER,
  BF16_BLOCK,
  BF16,
  BF16_MASTER,
  BF16_STATES,
  AUTOCAST,
  ZERO,
  STAGE,
  CPU_OFFLOAD,
  CPU_OFFLOAD_PARAM,
  CPU_OFFLOAD_PIN,
  LEGACY,
  ELASTIC_CHECKPOINT,
  HPZ,
  MICS,
  QUANTIZED_GRADIENTS,
  ZENFLOW,
  PREFETCH,
  PERSISTENCE,
  MODEL_PERSISTENCE,
  LIVE,
  REUSE,
  GATHER,
  GRANULARITY,
  ALL_REDUCE,
  SEQUENTIAL,
  CHUNK,
  PARAM_DEVICE,
  PARAM_PATH,
  OPTIMIZER_DEVICE,
  OPTIMIZER_PATH,
  RATIO,
  SUPER,
  OPTIMIZER,
  NORM,
  ELASTICITY,
  ELASTICITY_IGNORE,
  AUTOTP,
  TP_BLOCK,
  AUTOEP,
  AUTOEP_SIZE,
  AUTOEP_TP,
  PARTITION,
  CONTIGUOUS,
  CHECKPOINTS,
  DEEPCOMPILE,
};

/* Sets of words. */
enum { COMM = 1, DTYPE, DEVICE, OP, OPTIMIZERS, SCHEDULERS, TAGS, PASSES, STRATEGY };
enum { NONE, CPU, NVME };
enum { MEAN, SUM };
enum { FIRST_ONEBIT = 8, LAST_ONEBIT = 10 }; /* behind the values of dtc_optimizer, which the others are */

static const dtci_word words[] = {
    {COMM, 0, 0, "fp16"},
    {COMM, 1, 0, "bf16"},
    {COMM, 2, 0, "fp32"},
    {COMM, 1, 1, "bfp16"},
    /* DtypeEnum; what is kept of gradients, as dtc_grad_dtype. */
    {DTYPE, 0, 0, "fp16"},
    {DTYPE, 0, 0, "float16"},
    {DTYPE, 0, 0, "half"},
    {DTYPE, 0, 0, "torch.float16"},
    {DTYPE, 1, 0, "bf16"},
    {DTYPE, 1, 0, "bfloat16"},
    {DTYPE, 1, 0, "torch.bfloat16"},
    {DTYPE, 2, 0, "fp32"},
    {DTYPE, 2, 0, "float32"},
    {DTYPE, 2, 0, "float"},
    {DTYPE, 2, 0, "torch.float32"},
    {DTYPE, 3, 0, "int8"},
    {DTYPE, 3, 0, "torch.int8"},
    {DEVICE, NONE, 0, "none"},
    {DEVICE, CPU, 0, "cpu"},
    {DEVICE, NVME, 0, "nvme"},
    {OP, MEAN, 0, "mean"},
    {OP, SUM, 0, "sum"},
    {OPTIMIZERS, DTC_OPTIMIZER_ADAM, 0, "Adam"},
    {OPTIMIZERS, DTC_OPTIMIZER_ADAM, 0, "AdamW"},
    {OPTIMIZERS, DTC_OPTIMIZER_ADAM, 0, "MuAdam"},
    {OPTIMIZERS, DTC_OPTIMIZER_ADAM, 0, "MuAdamW"},
    {OPTIMIZERS, DTC_OPTIMIZER_SGD, 0, "SGD"},
    {OPTIMIZERS, DTC_OPTIMIZER_SGD, 0, "MuSGD"},
    {OPTIMIZERS, DTC_OPTIMIZER_LION, 0, "Lion"},
    {OPTIMIZERS, DTC_OPTIMIZER_MUON, 0, "Muon"},
    {OPTIMIZERS, FIRST_ONEBIT, 0, "OneBitAdam"},
    {OPTIMIZERS, FIRST_ONEBIT + 1, 0, "OneBitLamb"},
    {OPTIMIZERS, LAST_ONEBIT, 0, "ZeroOneAdam"},
    {OPTIMIZERS, LAST_ONEBIT + 1, 0, "Lamb"},
    {OPTIMIZERS, LAST_ONEBIT + 2, 0, "Adagrad"},
    {OPTIMIZERS, LAST_ONEBIT + 3, 0, "RMSprop"},
    {OPTIMIZERS, LAST_ONEBIT + 4, 0, "Adadelta"},
    {OPTIMIZERS, LAST_ONEBIT + 5, 0, "Adamax"},
    {OPTIMIZERS, LAST_ONEBIT + 6, 0, "NAdam"},
    {OPTIMIZERS, LAST_ONEBIT + 7, 0, "RAdam"},
    {OPTIMIZERS, LAST_ONEBIT + 8, 0, "SparseAdam"},
    {SCHEDULERS, 0, 0, "WarmupLR"},
    {SCHEDULERS, 1, 0, "WarmupDecayLR"},
    {SCHEDULERS, 2, 0, "WarmupCosineLR"},
    {SCHEDULERS, 3, 0, "OneCycle"},
    {SCHEDULERS, 4, 0, "LRRangeTest"},
    {TAGS, 0, 0, "Warn"},
    {TAGS, 1, 0, "Ignore"},
    {TAGS, 2, 0, "Fail"},
    {PASSES, 0, 0, "z1"},
    {PASSES, 1, 0, "z3"},
    {PASSES, 2, 0, "autosp"},
    {STRATEGY, 0, 0, "auto"},
    {STRATEGY, 1, 0, "step"},
    {STRATEGY, 2, 0, "epoch"},
};

/* Of pydantic models: "auto" is dropped, or Hugging Face puts a value there; numbers and switches may stand in quotes. */
#define MODEL DTCI_LAX | DTCI_AUTO
#define COUNT .kind = DTCI_KEY_INTEGER, .max = {INT64_MAX}
#define INTEGER .kind = DTCI_KEY_INTEGER
#define SWITCH .kind = DTCI_KEY_SWITCH
#define NUMBER .kind = DTCI_KEY_NUMBER
#define TEXT .kind = DTCI_KEY_TEXT, .flags = MODEL | DTCI_NULL
#define ANY .kind = DTCI_KEY_ANY
#define BLOCK .kind = DTCI_KEY_BLOCK
#define FREE .kind = DTCI_KEY_BLOCK, .unknown = DTCI_UNKNOWN_FREE
#define LOOKED_UP .kind = DTCI_KEY_BLOCK, .unknown = DTCI_UNKNOWN_WARNING
#define GONE .kind = DTCI_KEY_GONE, SINCE_0_19_8
#define ALIAS(key) .kind = DTCI_KEY_ALIAS, .to = (key)
#define OFF .flags = MODEL | DTCI_HAS
#define ON .flags = MODEL | DTCI_HAS, .fill = {1}
#define IS(n) .flags = MODEL | DTCI_HAS, .fill = {n}
#define OPEN .flags = MODEL | DTCI_NULL
/* Looked up in the dictionary: of any type. */
#define PLAIN_SWITCH SWITCH, .flags = DTCI_WARN | DTCI_NULL
#define PLAIN_NUMBER NUMBER, .flags = DTCI_WARN | DTCI_NULL | DTCI_AUTO
#define WORD(set) .kind = DTCI_KEY_WORD, .words = (set)
#define PART .kind = DTCI_KEY_NUMBER, .max = {.d = 1}
#define ZO "zero_optimization."

static const dtci_key keys[] = {
    DTCI_LINT_KEYS,
    [DP] = {"data parallel ranks", .kind = DTCI_KEY_WORKED},
    [RANKS] = {"dp", PLAN(dp)},
    [EP] = {"expert parallel ranks", PLAN(ep)},
    [ETP] = {"tensor parallel ranks of experts", PLAN(etp)},
    [PRECISION] = {"precision", PLAN(precision), .flags = DTCI_FILLS},

    [TRAIN] = {"train_batch_size", INTEGER, PLAN(global_batch), .min = {1}, .max = {INT64_C(1) << 40},
               .flags = DTCI_AUTO | DTCI_NULL | DTCI_ONLY_GIVEN},
    [MICRO] = {"train_micro_batch_size_per_gpu", INTEGER, PLAN(micro_batch), .min = {1}, .max = {INT64_C(1) << 32},
               .flags = DTCI_AUTO | DTCI_NULL},
    [STEPS] = {"gradient_accumulation_steps", INTEGER, PLAN(accumulation), .min = {1}, .max = {INT64_C(1) << 32},
               .flags = DTCI_AUTO | DTCI_NULL},
    [SEQUENCE] = {"sequence_parallel_size", INTEGER, PLAN(cp), .min = {1}, .max = {1 << 20}, .flags = DTCI_NULL},
    [REDUCE_OP] = {"gradient_allreduce_op", WORD(OP), .flags = DTCI_NO_CASE},
    [VOCAB] = {"vocabulary_size", INTEGER, .field = DTC_FIELD(model, vocab), .flags = DTCI_WARN | DTCI_NULL},

    /* Mixed precision. */
    [FP16] = {"fp16.enabled", SWITCH, OFF},
    [FP16_MASTER] = {"fp16.fp16_master_weights_and_grads", SWITCH, OFF},
    [BF16_BLOCK] = {"bf16", BLOCK},
    [BF16] = {"bf16.enabled", SWITCH, OFF},
    [BF16_MASTER] = {"bf16.bf16_master_weights_and_grads", SWITCH, OFF},
    [BF16_STATES] = {"bf16.bf16_optimizer_states", SWITCH, OFF},
    [AUTOCAST] = {"torch_autocast.enabled", PLAIN_SWITCH},

    /* ZeRO. */
    [ZERO] = {"zero_optimization", BLOCK, .flags = DTCI_LAX},
    [STAGE] = {ZO "stage", INTEGER, PLAN(sharding), .min = {0}, .max = {3}, .flags = MODEL | DTCI_HAS | DTCI_FILLS,
               .map = {DTC_SHARDING_DDP, DTC_SHARDING_ZERO1, DTC_SHARDING_ZERO2, DTC_SHARDING_ZERO3}},
    [CPU_OFFLOAD] = {ZO "cpu_offload", SWITCH, OPEN},
    [CPU_OFFLOAD_PARAM] = {ZO "cpu_offload_param", SWITCH, OPEN},
    [CPU_OFFLOAD_PIN] = {ZO "cpu_offload_use_pin_memory", SWITCH, OPEN},
    [LEGACY] = {ZO "legacy_stage1", SWITCH, OFF},
    [ELASTIC_CHECKPOINT] = {ZO "elastic_checkpoint", SWITCH, OFF},
    [HPZ] = {ZO "zero_hpz_partition_size", COUNT, IS(1)},
    [MICS] = {ZO "mics_shard_size", INTEGER, IS(-1), UNTIL_0_19_8},
    [QUANTIZED_GRADIENTS] = {ZO "zero_quantized_gradients", SWITCH, OFF},
    [ZENFLOW] = {ZO "zenflow", BLOCK, .flags = DTCI_NULL},
    [PREFETCH] = {ZO "stage3_prefetch_bucket_size", COUNT, IS(50000000)},
    [PERSISTENCE] = {ZO "stage3_param_persistence_threshold", COUNT, IS(100000)},
    [MODEL_PERSISTENCE] = {ZO "stage3_model_persistence_threshold", COUNT, IS(INT64_MAX)},
    [LIVE] = {ZO "stage3_max_live_parameters", COUNT, IS(1000000000)},
    [REUSE] = {ZO "stage3_max_reuse_distance", COUNT, IS(1000000000)},
    [GATHER] = {ZO "stage3_gather_16bit_weights_on_model_save", SWITCH, OFF},
    [GRANULARITY] = {ZO "stage3_module_granularity_threshold", INTEGER, IS(0)},
    [ALL_REDUCE] = {ZO "stage3_use_all_reduce_for_fetch_params", SWITCH, OFF},
    [SEQUENTIAL] = {ZO "stage3_allgather_sequential", SWITCH, OFF},
    [CHUNK] = {ZO "stage3_partition_stream_chunk_size", COUNT, IS(0)},
    [PARAM_DEVICE] = {ZO "offload_param.device", WORD(DEVICE), OFF},
    [PARAM_PATH] = {ZO "offload_param.nvme_path", TEXT},
    [OPTIMIZER_DEVICE] = {ZO "offload_optimizer.device", WORD(DEVICE), OFF},
    [OPTIMIZER_PATH] = {ZO "offload_optimizer.nvme_path", TEXT},
    [RATIO] = {ZO "offload_optimizer.ratio", PART, .flags = MODEL},
    [SUPER] = {ZO "offload_optimizer.super_offload", SWITCH, OFF},

    /* What else rules mention. */
    [OPTIMIZER] = {"optimizer.type", WORD(OPTIMIZERS), PLAN(optimizer), .flags = DTCI_NO_CASE | DTCI_WARN | DTCI_NULL,
                   .map = {0, 1, 2, 3, 4, 5, 6, 7}},
    [NORM] = {"optimizer.params.max_grad_norm", PLAIN_NUMBER},
    [ELASTICITY] = {"elasticity.enabled", SWITCH, .flags = DTCI_WARN | DTCI_HAS, UNTIL_0_19_8},
    [ELASTICITY_IGNORE] = {"elasticity.ignore_non_elastic_batch_info", SWITCH, .flags = DTCI_WARN | DTCI_HAS,
                           UNTIL_0_19_8},
    [AUTOTP] = {"tensor_parallel.autotp_size", COUNT, PLAN(tp), OFF},
    [TP_BLOCK] = {"tensor_parallel.tp", BLOCK},
    [AUTOEP] = {"expert_parallel.enabled", PLAIN_SWITCH},
    [AUTOEP_SIZE] = {"expert_parallel.autoep_size", INTEGER, .flags = DTCI_HAS, .fill = {1}, .min = {1},
                     .max = {1 << 20}},
    [AUTOEP_TP] = {"expert_parallel.expert_tensor_parallel_size", INTEGER, .flags = DTCI_HAS, .fill = {1}, .min = {1},
                   .max = {1 << 20}},
    [PARTITION] = {"activation_checkpointing.partition_activations", SWITCH, .flags = DTCI_WARN | DTCI_HAS},
    [CONTIGUOUS] = {"activation_checkpointing.contiguous_memory_optimization", PLAIN_SWITCH},
    [CHECKPOINTS] = {"activation_checkpointing.number_checkpoints", INTEGER, .flags = DTCI_NULL | DTCI_WARN},
    [DEEPCOMPILE] = {"compile.deepcompile", SWITCH, OFF},

    /* Plain names. */
    {"steps_per_print", PLAIN_NUMBER},
    {"dump_state", PLAIN_SWITCH},
    {"disable_allgather", PLAIN_SWITCH},
    {"communication_data_type", WORD(COMM), .flags = DTCI_NO_CASE | DTCI_NULL},
    {"seq_parallel_comm_data_type", WORD(COMM), .flags = DTCI_NO_CASE | DTCI_NULL},
    {"prescale_gradients", PLAIN_SWITCH},
    {"gradient_predivide_factor", PLAIN_NUMBER},
    {"sparse_gradients", PLAIN_SWITCH, UNTIL_0_19_8},
    {"sparse_gradients", GONE},
    {"gradient_clipping", PLAIN_NUMBER},
    {"managed_gradient_accumulation", PLAIN_SWITCH},
    {"graph_harvesting", PLAIN_SWITCH, UNTIL_0_19_8},
    {"graph_harvesting", GONE},
    {"wall_clock_breakdown", PLAIN_SWITCH},
    {"memory_breakdown", PLAIN_SWITCH},
    {"dataloader_drop_last", PLAIN_SWITCH},
    {"zero_allow_untested_optimizer", PLAIN_SWITCH},
    {"zero_force_ds_cpu_optimizer", PLAIN_SWITCH},
    {"use_data_before_expert_parallelism", PLAIN_SWITCH},
    {"log_level", ANY},

    {"fp16", BLOCK},
    {"fp16.auto_cast", SWITCH, OFF},
    {"fp16.loss_scale", NUMBER, .flags = MODEL, .max = {.d = 1e308}},
    {"fp16.initial_scale_power", INTEGER, IS(16)},
    {"fp16.loss_scale_window", INTEGER, IS(1000)},
    {"fp16.hysteresis", INTEGER, IS(2)},
    {"fp16.consecutive_hysteresis", SWITCH, OFF},
    {"fp16.min_loss_scale", INTEGER, IS(1)},
    {"bfloat16", ALIAS(BF16_BLOCK)},
    {"bf16.immediate_grad_update", SWITCH, OFF},
    {"bf16.check_grad_overflow", SWITCH, OFF},
    {"torch_autocast", LOOKED_UP},
    {"torch_autocast.dtype", WORD(DTYPE)},
    {"torch_autocast.lower_precision_safe_modules", ANY},
    {"amp", FREE, UNTIL_0_19_8},
    {"amp", GONE},
    {"data_types", LOOKED_UP},
    {"data_types.grad_accum_dtype", WORD(DTYPE), PLAN(grad_dtype), .flags = DTCI_NULL,
     .map = {DTC_GRAD_DTYPE_16BIT, DTC_GRAD_DTYPE_16BIT, DTC_GRAD_DTYPE_FP32}},
    {"data_types.param_dtype", WORD(DTYPE), .flags = DTCI_NULL},
    {"data_types.buffer_dtype", WORD(DTYPE), .flags = DTCI_NULL},

    {ZO "contiguous_gradients", SWITCH, ON},
    {ZO "reduce_scatter", SWITCH, ON},
    {ZO "reduce_bucket_size", COUNT, IS(500000000)},
    {ZO "use_multi_rank_bucket_allreduce", SWITCH, ON},
    {ZO "allgather_partitions", SWITCH, ON},
    {ZO "allgather_bucket_size", COUNT, IS(500000000)},
    {ZO "overlap_comm", SWITCH, OPEN},
    {ZO "load_from_fp32_weights", SWITCH, ON},
    {ZO "sub_group_size", COUNT, IS(1000000000)},
    {ZO "prefetch_bucket_size", ALIAS(PREFETCH)},
    {ZO "param_persistence_threshold", ALIAS(PERSISTENCE)},
    {ZO "model_persistence_threshold", ALIAS(MODEL_PERSISTENCE)},
    {ZO "max_live_parameters", ALIAS(LIVE)},
    {ZO "max_reuse_distance", ALIAS(REUSE)},
    {ZO "gather_16bit_weights_on_model_save", ALIAS(GATHER)},
    {ZO "stage3_gather_fp16_weights_on_model_save", ALIAS(GATHER)},
    {ZO "module_granularity_threshold", ALIAS(GRANULARITY)},
    {ZO "use_all_reduce_for_fetch_params", ALIAS(ALL_REDUCE)},
    {ZO "allgather_sequential", ALIAS(SEQUENTIAL)},
    {ZO "partition_stream_chunk_size", ALIAS(CHUNK)},
    {ZO "ignore_unused_parameters", SWITCH, ON},
    {ZO "round_robin_gradients", SWITCH, OFF},
    {ZO "zero_quantized_weights", SWITCH, OFF},
    {ZO "zero_quantized_nontrainable_weights", SWITCH, OFF},
    {ZO "zeropp_loco_param", ANY, UNTIL_0_19_8},
    {ZO "zeropp_loco_param", GONE},
    {ZO "mics_shard_size", GONE},
    {ZO "mics_hierarchical_params_gather", SWITCH, OFF, UNTIL_0_19_8},
    {ZO "mics_hierarchical_params_gather", GONE},
    {ZO "memory_efficient_linear", SWITCH, ON},
    {ZO "pipeline_loading_checkpoint", SWITCH, OFF},
    {ZO "override_module_apply", SWITCH, ON},
    {ZO "log_trace_cache_warnings", SWITCH, OFF},
    {ZO "enable_sanity_checks", SWITCH, OFF},
    {ZO "save_muon_momentum_buffer_in_memory", SWITCH, OFF},
    {ZO "leaf_module", BLOCK, .flags = DTCI_NULL},
    {ZO "leaf_module.classes", ANY},
    {ZO "leaf_module.names", ANY},
    {ZO "leaf_module.name_suffixes", ANY},
    {ZO "offload_param", BLOCK, .flags = DTCI_NULL},
    {ZO "offload_param.buffer_count", COUNT, IS(5)},
    {ZO "offload_param.buffer_size", COUNT, IS(100000000)},
    {ZO "offload_param.max_in_cpu", COUNT, IS(1000000000)},
    {ZO "offload_param.pin_memory", SWITCH, ON},
    {ZO "offload_optimizer", BLOCK, .flags = DTCI_NULL},
    {ZO "offload_optimizer.buffer_count", COUNT, IS(4)},
    {ZO "offload_optimizer.pin_memory", SWITCH, ON},
    {ZO "offload_optimizer.pipeline_read", SWITCH, OFF},
    {ZO "offload_optimizer.pipeline_write", SWITCH, OFF},
    {ZO "offload_optimizer.fast_init", SWITCH, OFF},
    {ZO "offload_optimizer.convert_grad_on_cpu", SWITCH, ON},
    {ZO "offload_optimizer.cpuadam_cores_perc", PART, .flags = MODEL},
    {ZO "zenflow.topk_ratio", PART, .flags = MODEL},
    {ZO "zenflow.select_strategy", WORD(STRATEGY)},
    {ZO "zenflow.select_interval", INTEGER, OPEN},
    {ZO "zenflow.update_interval", INTEGER, OPEN},
    {ZO "zenflow.overlap_step", SWITCH, OFF},
    {ZO "zenflow.offload", SWITCH, OFF},
    {ZO "zenflow.auto_ratio", PART, .flags = MODEL},
    {ZO "zenflow.full_warm_up_rounds", INTEGER, IS(0)},
    {ZO "zenflow.pt_reserved_cores_perc", PART, .flags = MODEL},
    {ZO "zenflow.steps_per_epoch", INTEGER, OPEN},

    {"optimizer", LOOKED_UP},
    {"optimizer.params", FREE, .flags = DTCI_NULL},
    {"optimizer.legacy_fusion", PLAIN_SWITCH},
    {"scheduler", LOOKED_UP},
    {"scheduler.type", WORD(SCHEDULERS), .flags = DTCI_WARN | DTCI_NULL},
    {"scheduler.params", FREE, .flags = DTCI_NULL},

    {"tensor_parallel", BLOCK},
    {"tensor_parallel.dtype", ANY},
    {"tensor_parallel.tp_overlap_comm", SWITCH, OFF},
    {"tensor_parallel.tensor_parallel", ALIAS(TP_BLOCK)},
    {"tensor_parallel.tp.tp_size", INTEGER, IS(1)},
    {"tensor_parallel.tp.tp_grain_size", INTEGER, IS(1)},
    {"tensor_parallel.tp.mpu", ANY},
    {"tensor_parallel.tp.tp_group", ANY},
    {"tensor_parallel.injection_policy_tuple", ANY},
    {"tensor_parallel.partition_config", ANY},
    {"tensor_parallel.preset_model", TEXT},
    {"tensor_parallel.keep_module_on_host", SWITCH, OFF},
    {"tensor_parallel.replace_with_kernel_inject", SWITCH, OFF},
    {"tensor_parallel.kernel_inject", SWITCH, OFF},

    {"expert_parallel", LOOKED_UP},
    {"expert_parallel.validate_folding_routing", ANY},
    {"expert_parallel.async_split_plan", ANY},
    {"expert_parallel.preset_model", ANY},
    {"expert_parallel.moe_layer_pattern", ANY},
    {"expert_parallel.expert_pattern", ANY},
    {"expert_parallel.router_pattern", ANY},
    {"expert_parallel.use_grouped_mm", ANY},
    {"expert_parallel.disable_triton_grouped_mm", ANY},
    {"expert_parallel.route_norm", ANY},
    {"expert_parallel.route_scale", ANY},
    {"expert_parallel.score_apply", ANY},
    {"expert_parallel.combine_impl", ANY},
    {"expert_parallel.row_weighting_impl", ANY},
    {"expert_parallel.gate_up_impl", ANY},
    {"expert_parallel.comm_backend", ANY},
    {"expert_parallel.comm_num_sm", ANY},
    {"expert_parallel.comm_qp_margin", ANY},
    {"expert_parallel.comm_max_tokens_per_rank", ANY},
    {"expert_parallel.num_expert_groups", ANY},
    {"expert_parallel.num_limited_groups", ANY},
    {"expert_parallel.score_func", ANY},
    {"expert_parallel.top_k", ANY},
    {"expert_parallel.load_balance_coeff", ANY},
    {"expert_parallel.routed_scaling_factor", ANY},
    {"expert_parallel.expert_w1", ANY},
    {"expert_parallel.expert_w2", ANY},
    {"expert_parallel.expert_w3", ANY},
    {"expert_parallel.num_experts_attr", ANY},
    {"expert_parallel.top_k_attr", ANY},
    {"expert_parallel.has_shared_experts", ANY},
    {"expert_parallel.shared_experts_pattern", ANY},
    {"expert_parallel.shared_experts_gate_pattern", ANY},
    {"expert_parallel.expert_activation", ANY},

    {"activation_checkpointing", LOOKED_UP},
    {"activation_checkpointing.cpu_checkpointing", PLAIN_SWITCH},
    {"activation_checkpointing.synchronize_checkpoint_boundary", PLAIN_SWITCH},
    {"activation_checkpointing.profile", PLAIN_SWITCH},

    {"checkpoint", LOOKED_UP},
    {"checkpoint.tag_validation", WORD(TAGS), .flags = DTCI_NO_CASE},
    {"checkpoint.load_universal", PLAIN_SWITCH},
    {"checkpoint.use_node_local_storage", PLAIN_SWITCH},
    {"checkpoint.checkpoint_serialization", PLAIN_SWITCH},
    {"checkpoint.writer", ANY},
    {"checkpoint.parallel_write", LOOKED_UP},
    {"checkpoint.parallel_write.pipeline_stage", SWITCH},

    {"aio", LOOKED_UP},
    {"aio.io_backend", ANY},
    {"aio.block_size", PLAIN_NUMBER},
    {"aio.queue_depth", PLAIN_NUMBER},
    {"aio.thread_count", PLAIN_NUMBER},
    {"aio.intra_op_parallelism", PLAIN_NUMBER},
    {"aio.single_submit", PLAIN_SWITCH},
    {"aio.overlap_events", PLAIN_SWITCH},
    {"aio.use_gds", PLAIN_SWITCH},

    {"compile", BLOCK},
    {"compile.free_activation", SWITCH, OFF},
    {"compile.free_activation_threshold", INTEGER, IS(10 << 20)},
    {"compile.offload_activation", SWITCH, OFF},
    {"compile.offload_opt_states", SWITCH, OFF},
    {"compile.double_buffer", SWITCH, ON},
    {"compile.symmetric_memory", SWITCH, OFF},
    {"compile.debug_log", SWITCH, OFF},
    {"compile.offload_parameters", SWITCH, OFF},
    {"compile.sync_before_reduce", SWITCH, OFF},
    {"compile.sync_after_reduce", SWITCH, OFF},
    {"compile.sync_before_allgather", SWITCH, OFF},
    {"compile.sync_after_allgather", SWITCH, OFF},
    {"compile.keep_int_input_tensors", SWITCH, ON},
    {"compile.keep_all_input_tensors", SWITCH, OFF},
    {"compile.passes", .kind = DTCI_KEY_WORDS, .words = PASSES, .flags = DTCI_NULL},

    {"hybrid_engine", BLOCK},
    {"hybrid_engine.enabled", SWITCH, OFF},
    {"hybrid_engine.max_out_tokens", INTEGER, IS(512)},
    {"hybrid_engine.inference_tp_size", INTEGER, IS(1)},
    {"hybrid_engine.release_inference_cache", SWITCH, OFF},
    {"hybrid_engine.pin_parameters", SWITCH, ON},
    {"hybrid_engine.tp_gather_partition_size", INTEGER, IS(8)},
    {"hybrid_engine.enable_cuda_graph", SWITCH, OFF},

    /* Monitors and profilers. */
    {"tensorboard", BLOCK},
    {"tensorboard.enabled", SWITCH, OFF},
    {"tensorboard.output_path", TEXT},
    {"tensorboard.job_name", TEXT},
    {"wandb", BLOCK},
    {"wandb.enabled", SWITCH, OFF},
    {"wandb.group", TEXT},
    {"wandb.team", TEXT},
    {"wandb.project", TEXT},
    {"csv_monitor", BLOCK},
    {"csv_monitor.enabled", SWITCH, OFF},
    {"csv_monitor.output_path", TEXT},
    {"csv_monitor.job_name", TEXT},
    {"comet", BLOCK},
    {"comet.enabled", SWITCH, OFF},
    {"comet.samples_log_interval", INTEGER, IS(100)},
    {"comet.project", TEXT},
    {"comet.workspace", TEXT},
    {"comet.api_key", TEXT},
    {"comet.experiment_name", TEXT},
    {"comet.experiment_key", TEXT},
    {"comet.online", SWITCH, OPEN},
    {"comet.mode", TEXT},
    {"trackio", BLOCK},
    {"trackio.enabled", SWITCH, OFF},
    {"trackio.project", TEXT},
    {"comms_logger", BLOCK},
    {"comms_logger.enabled", SWITCH, OFF},
    {"comms_logger.prof_all", SWITCH, ON},
    {"comms_logger.prof_ops", ANY},
    {"comms_logger.verbose", SWITCH, OFF},
    {"comms_logger.debug", SWITCH, OFF},
    {"flops_profiler", LOOKED_UP},
    {"flops_profiler.enabled", PLAIN_SWITCH},
    {"flops_profiler.recompute_fwd_factor", PLAIN_NUMBER},
    {"flops_profiler.profile_step", PLAIN_NUMBER},
    {"flops_profiler.module_depth", PLAIN_NUMBER},
    {"flops_profiler.top_modules", PLAIN_NUMBER},
    {"flops_profiler.detailed", PLAIN_SWITCH},
    {"flops_profiler.output_file", ANY},

    /* What is read elsewhere, or no longer. */
    {"autotuning", FREE},
    {"data_efficiency", FREE},
    {"datastates_ckpt", FREE},
    {"pipeline", FREE},
    {"timers", FREE},
    {"weight_quantization", FREE},
    {"elasticity", FREE, UNTIL_0_19_8},
    {"elasticity", GONE},
    {"nebula", FREE, UNTIL_0_19_8},
    {"nebula", GONE},
    {"compression_training", FREE, UNTIL_0_19_8},
    {"compression_training", GONE},
    {"quantize_training", FREE, UNTIL_0_19_8},
    {"quantize_training", GONE},
    {"eigenvalue", FREE, UNTIL_0_19_8},
    {"eigenvalue", GONE},
    {"sparse_attention", FREE, UNTIL_0_19_8},
    {"sparse_attention", GONE},
    {"curriculum_learning", FREE, UNTIL_0_19_8},
    {"curriculum_learning", GONE},
    {"progressive_layer_drop", FREE, UNTIL_0_19_8},
    {"progressive_layer_drop", GONE},
};

/* ---- steps: DeepSpeedConfig._set_batch_related_parameters() and what follows ------------------ */

#define PUT(to, value) .key = K(to), .op = DTCI_STEP_PUT, .constant = (value)
#define COPY(to, from) .key = K(to), .op = DTCI_STEP_PRODUCT, .left = {K(from)}

static const dtci_step steps[] = {
    /* From a dict; from a file, which is what a text is, sequence_parallel_size does not count. */
    {COPY(DP, WORLD)},
    {.key = K(DP), .op = DTCI_STEP_QUOTIENT, .left = {K(WORLD)}, .right = {K(SEQUENCE)}, UNTIL_0_19_8},

    {.key = K(STEPS),
     .op = DTCI_STEP_QUOTIENT,
     .left = {K(TRAIN)},
     .right = {K(MICRO), K(DP)},
     .when = {DTCI_WHEN_SET(K(TRAIN)), DTCI_WHEN_SET(K(MICRO))}},
    {.key = K(MICRO),
     .op = DTCI_STEP_QUOTIENT,
     .left = {K(TRAIN)},
     .right = {K(DP), K(STEPS)},
     .when = {DTCI_WHEN_SET(K(TRAIN)), DTCI_WHEN_UNSET(K(MICRO))}},
    {.key = K(MICRO),
     .op = DTCI_STEP_QUOTIENT,
     .left = {K(TRAIN)},
     .right = {K(DP)},
     .when = {DTCI_WHEN_SET(K(TRAIN)), DTCI_WHEN_UNSET(K(MICRO)), DTCI_WHEN_UNSET(K(STEPS))}},
    {PUT(STEPS, 1), .when = {DTCI_WHEN_SET(K(MICRO)), DTCI_WHEN_UNSET(K(STEPS)), DTCI_WHEN_SET(K(DP))}},
    {PUT(STEPS, 1), .when = {DTCI_WHEN_SET(K(MICRO)), DTCI_WHEN_UNSET(K(STEPS)), DTCI_WHEN_UNSET(K(TRAIN))}},
    {.key = K(TRAIN),
     .op = DTCI_STEP_PRODUCT,
     .left = {K(MICRO), K(STEPS), K(DP)},
     .when = {DTCI_WHEN_UNSET(K(TRAIN))}},

    {PUT(STAGE, 1), .when = {DTCI_WHEN_IS(K(ZERO), 2)}},
    {PUT(OPTIMIZER_DEVICE, CPU), .when = {DTCI_WHEN_IS(K(CPU_OFFLOAD), 1)}},
    {PUT(PARAM_DEVICE, CPU), .when = {DTCI_WHEN_IS(K(CPU_OFFLOAD_PARAM), 1)}},

    {.key = K(RANKS), .op = DTCI_STEP_EXACT, .left = {K(WORLD)}},
    {.key = K(RANKS), .op = DTCI_STEP_EXACT, .left = {K(RANKS)}, .right = {K(SEQUENCE)}},
    {.key = K(RANKS),
     .op = DTCI_STEP_EXACT,
     .left = {K(RANKS)},
     .right = {K(AUTOTP)},
     .when = {DTCI_WHEN_AT_LEAST(K(AUTOTP), 1)}},
    {COPY(EP, AUTOEP_SIZE), .when = {DTCI_WHEN_IS(K(AUTOEP), 1)}},
    {COPY(ETP, AUTOEP_TP), .when = {DTCI_WHEN_IS(K(AUTOEP), 1)}},
    {PUT(PRECISION, DTC_PRECISION_FP32)},
    {PUT(PRECISION, DTC_PRECISION_FP16), .when = {DTCI_WHEN_IS(K(FP16), 1)}},
    {PUT(PRECISION, DTC_PRECISION_BF16), .when = {DTCI_WHEN_IS(K(BF16), 1)}},
    {.key = K(PRECISION), .op = DTCI_STEP_CLEAR, .when = {DTCI_WHEN_IS(K(AUTOCAST), 1)}},
};

/* ---- rules ----------------------------------------------------------------------------------- */

#define ERROR .status = DTC_E_CONFLICT, .severity = DTC_SEVERITY_ERROR
#define WARNING .status = DTC_E_CONFLICT, .severity = DTC_SEVERITY_WARNING

/* Rows of one rule differ in the key that is reported, and in its values. */
#define AUTO_BATCH(key)                                                                                                \
  {                                                                                                                    \
    .row = {                                                                                                           \
      .rule = DTC_RULE_DEEPSPEED_AUTO,                                                                                 \
      ERROR,                                                                                                           \
      .hook = DTCI_WHEN,                                                                                               \
      .fix = K(key),                                                                                                   \
      .when = {DTCI_WHEN_AUTO(K(key))},                                                                                \
      .en = "{field} is \"auto\": Hugging Face's integration puts a number there, DeepSpeed itself stops",             \
      .zh = "{field} 为 \"auto\"：由 Hugging Face 集成填入数值，DeepSpeed 自身会终止"                   \
    }                                                                                                                  \
  }
#define NO_BATCH                                                                                                       \
  .row = {.rule = DTC_RULE_DEEPSPEED_NO_BATCH,                                                                         \
          ERROR,                                                                                                       \
          .hook = DTCI_WHEN,                                                                                           \
          .fix = K(TRAIN),                                                                                             \
          .when = {DTCI_WHEN_UNSET(K(TRAIN)), DTCI_WHEN_UNSET(K(MICRO))},                                              \
          .en = "neither {field} nor {other} is given: DeepSpeed stops",                                               \
          .zh = "{field} 与 {other} 均未给出：DeepSpeed 会终止"}
#define MASTER_ZERO(key)                                                                                               \
  {                                                                                                                    \
    .row = {                                                                                                           \
      .rule = DTC_RULE_DEEPSPEED_MASTER,                                                                               \
      ERROR,                                                                                                           \
      .hook = DTCI_NEEDS,                                                                                              \
      .fix = K(key),                                                                                                   \
      .need = DTCI_WHEN_BETWEEN(K(STAGE), 1, 3),                                                                       \
      .when = {DTCI_WHEN_IS(K(key), 1)},                                                                               \
      .en = "only ZeRO's optimizers keep 16-bit master weights and states",                                            \
      .zh = "只有 ZeRO 优化器支持 16 位主权重与状态"                                                     \
    }                                                                                                                  \
  }
#define NO_SUM(other)                                                                                                  \
  {                                                                                                                    \
    .row = {                                                                                                           \
      .rule = DTC_RULE_DEEPSPEED_SUM,                                                                                  \
      ERROR,                                                                                                           \
      .hook = DTCI_EXCLUDES,                                                                                           \
      .fix = K(REDUCE_OP),                                                                                             \
      .when = {DTCI_WHEN_IS(K(REDUCE_OP), SUM), other},                                                                \
      .en = "its gradients are averaged in any case",                                                                  \
      .zh = "其梯度总是取平均"                                                                                 \
    }                                                                                                                  \
  }
#define NVME_PATH(device, path)                                                                                        \
  {                                                                                                                    \
    .row = {                                                                                                           \
      .rule = DTC_RULE_DEEPSPEED_NVME,                                                                                 \
      WARNING,                                                                                                         \
      .hook = DTCI_NEEDS,                                                                                              \
      .fix = K(device),                                                                                                \
      .need = DTCI_WHEN_SET(K(path)),                                                                                  \
      .when = {DTCI_WHEN_IS(K(device), NVME)},                                                                         \
      .en = "the configuration is accepted, the swapper then fails without a path",                                    \
      .zh = "配置会被接受，但没有路径时交换器会失败"                                                \
    }                                                                                                                  \
  }
#define STAGE3_ONLY(key)                                                                                               \
  {                                                                                                                    \
    .row = {                                                                                                           \
      .rule = DTC_RULE_DEEPSPEED_STAGE3,                                                                               \
      WARNING,                                                                                                         \
      .hook = DTCI_NEEDS,                                                                                              \
      .fix = K(key),                                                                                                   \
      .need = DTCI_WHEN_IS(K(STAGE), 3),                                                                               \
      .when = {DTCI_WHEN_GIVEN(K(key))},                                                                               \
      .en = "the other stages do not look at it",                                                                      \
      .zh = "其他 stage 不使用它"                                                                                \
    }                                                                                                                  \
  }
#define OLD(key)                                                                                                       \
  {                                                                                                                    \
    .row = {                                                                                                           \
      .rule = DTC_RULE_DEEPSPEED_OLD,                                                                                  \
      WARNING,                                                                                                         \
      .hook = DTCI_WHEN,                                                                                               \
      .fix = K(key),                                                                                                   \
      .when = {DTCI_WHEN_GIVEN(K(key))},                                                                               \
      .en = "{field} is deprecated: use offload_optimizer and offload_param",                                          \
      .zh = "{field} 已弃用：请用 offload_optimizer 与 offload_param"                                           \
    }                                                                                                                  \
  }
#define ELASTIC_BATCH(key)                                                                                             \
  {                                                                                                                    \
    UNTIL_0_19_8, .more = {DTCI_WHEN_IS(K(ELASTICITY_IGNORE), 0)}, .row = {                                            \
      .rule = DTC_RULE_DEEPSPEED_ELASTIC,                                                                              \
      ERROR,                                                                                                           \
      .hook = DTCI_EXCLUDES,                                                                                           \
      .fix = K(key),                                                                                                   \
      .when = {DTCI_WHEN_GIVEN(K(key)), DTCI_WHEN_IS(K(ELASTICITY), 1)},                                               \
      .en = "elasticity works the batches out; ignore_non_elastic_batch_info silences it",                             \
      .zh = "弹性训练会自行确定批大小；ignore_non_elastic_batch_info 可忽略此错误"                  \
    }                                                                                                                  \
  }
#define NO_AUTOEP(key, least)                                                                                          \
  {                                                                                                                    \
    .more = {DTCI_WHEN_IS(K(AUTOEP), 1)}, .row = {                                                                     \
      .rule = DTC_RULE_DEEPSPEED_AUTOEP,                                                                               \
      ERROR,                                                                                                           \
      .hook = DTCI_EXCLUDES,                                                                                           \
      .fix = K(key),                                                                                                   \
      .when = {DTCI_WHEN_AT_LEAST(K(key), least), DTCI_WHEN_IS(K(STAGE), 3)},                                          \
      .en = "AutoEP with stage 3 has no other parallelism",                                                            \
      .zh = "stage 3 下的 AutoEP 不支持其他并行方式"                                                        \
    }                                                                                                                  \
  }

static const dtci_setting_rule rules[] = {
    {.more = {DTCI_WHEN_AT_LEAST(K(MICRO), 1), DTCI_WHEN_AT_LEAST(K(STEPS), 1)},
     .row = {.rule = DTC_RULE_DEEPSPEED_BATCH,
             .status = DTC_E_DIVIDE,
             .hook = DTCI_EQUALS,
             .fix = K(TRAIN),
             .left = {K(MICRO), K(STEPS), K(DP)},
             .right = {K(TRAIN)},
             .en = "what is not given is divided out and rounded down, then all are compared",
             .zh = "未给出的值由整除得到并向下取整，然后整体比较"}},
    {.row = {.rule = DTC_RULE_DEEPSPEED_MICRO,
             ERROR,
             .hook = DTCI_NEEDS,
             .fix = K(TRAIN),
             .need = DTCI_WHEN_AT_LEAST(K(MICRO), 1),
             .when = {DTCI_WHEN_GIVEN(K(TRAIN)), DTCI_WHEN_SET(K(MICRO))},
             .en = "there are more ranks than sequences of a step",
             .zh = "进程数多于一步的序列数"}},
    {.row = {.rule = DTC_RULE_DEEPSPEED_STEPS,
             ERROR,
             .hook = DTCI_NEEDS,
             .fix = K(TRAIN),
             .need = DTCI_WHEN_AT_LEAST(K(STEPS), 1),
             .when = {DTCI_WHEN_GIVEN(K(TRAIN)), DTCI_WHEN_SET(K(STEPS))},
             .en = "one micro-batch of all ranks is larger than train_batch_size",
             .zh = "所有进程的一个微批已大于 train_batch_size"}},
    {UNTIL_0_19_8, .more = {DTCI_WHEN_IS(K(ELASTICITY), 0)}, NO_BATCH},
    {SINCE_0_19_8, NO_BATCH},
    AUTO_BATCH(TRAIN),
    AUTO_BATCH(MICRO),
    AUTO_BATCH(STEPS),
    {.row = {.rule = DTC_RULE_DEEPSPEED_SEQUENCE,
             .status = DTC_E_DIVIDE,
             .hook = DTCI_DIVIDES,
             .fix = K(SEQUENCE),
             .left = {K(SEQUENCE)},
             .right = {K(WORLD)},
             .en = "every sequence-parallel group has as many ranks",
             .zh = "每个序列并行组的进程数相同"}},
    {SINCE_0_19_8, .row = {.rule = DTC_RULE_DEEPSPEED_FILE,
                           WARNING,
                           .hook = DTCI_WHEN,
                           .fix = K(SEQUENCE),
                           .when = {DTCI_WHEN_AT_LEAST(K(SEQUENCE), 2)},
                           .en = "{field} = {got}: of a file it does not count for the batches, of a dict it does",
                           .zh = "{field} = {got}：来自文件时不计入批大小，来自 dict 时计入"}},
    {.row = {.rule = DTC_RULE_DEEPSPEED_FP16_BF16,
             ERROR,
             .hook = DTCI_EXCLUDES,
             .fix = K(FP16),
             .when = {DTCI_WHEN_IS(K(FP16), 1), DTCI_WHEN_IS(K(BF16), 1)},
             .en = "one of them is the type of the weights",
             .zh = "权重只能是其中一种类型"}},
    MASTER_ZERO(FP16_MASTER),
    MASTER_ZERO(BF16_MASTER),
    MASTER_ZERO(BF16_STATES),
    {.row = {.rule = DTC_RULE_DEEPSPEED_STATES,
             ERROR,
             .hook = DTCI_NEEDS,
             .fix = K(BF16_STATES),
             .need = DTCI_WHEN_IS(K(BF16_MASTER), 1),
             .when = {DTCI_WHEN_IS(K(BF16_STATES), 1)},
             .en = "states of 16 bit belong to master weights of 16 bit",
             .zh = "16 位状态必须配合 16 位主权重"}},
    {.row = {.rule = DTC_RULE_DEEPSPEED_RATIO,
             ERROR,
             .hook = DTCI_NEEDS,
             .fix = K(RATIO),
             .need = DTCI_WHEN_IS(K(STAGE), 3),
             .when = {DTCI_WHEN_BETWEEN(K(RATIO), 0, DTCI_BITS_BELOW_ONE)},
             .en = "the other stages offload the optimizer whole",
             .zh = "其他 stage 只能整体卸载优化器"}},
    NO_SUM(DTCI_WHEN_IS(K(STAGE), 3)),
    NO_SUM(DTCI_WHEN_GIVEN(K(ZENFLOW))),
    NO_SUM(DTCI_WHEN_IS(K(DEEPCOMPILE), 1)),
    {.row = {.rule = DTC_RULE_DEEPSPEED_PARAM,
             WARNING,
             .hook = DTCI_NEEDS,
             .fix = K(PARAM_DEVICE),
             .need = DTCI_WHEN_IS(K(STAGE), 3),
             .when = {DTCI_WHEN_AT_LEAST(K(PARAM_DEVICE), CPU)},
             .en = "the other stages keep whole weights on the GPU, without a word",
             .zh = "其他 stage 会不声不响地把完整权重保留在 GPU 上"}},
    {.row = {.rule = DTC_RULE_DEEPSPEED_OPTIMIZER,
             WARNING,
             .hook = DTCI_NEEDS,
             .fix = K(OPTIMIZER_DEVICE),
             .need = DTCI_WHEN_BETWEEN(K(STAGE), 1, 3),
             .when = {DTCI_WHEN_AT_LEAST(K(OPTIMIZER_DEVICE), CPU)},
             .en = "without ZeRO nothing is offloaded, without a word",
             .zh = "没有 ZeRO 时不会卸载任何内容，也没有提示"}},
    NVME_PATH(PARAM_DEVICE, PARAM_PATH),
    NVME_PATH(OPTIMIZER_DEVICE, OPTIMIZER_PATH),
    STAGE3_ONLY(PREFETCH),
    STAGE3_ONLY(PERSISTENCE),
    STAGE3_ONLY(MODEL_PERSISTENCE),
    STAGE3_ONLY(LIVE),
    STAGE3_ONLY(REUSE),
    STAGE3_ONLY(GATHER),
    STAGE3_ONLY(GRANULARITY),
    STAGE3_ONLY(ALL_REDUCE),
    STAGE3_ONLY(SEQUENTIAL),
    STAGE3_ONLY(CHUNK),
    {.row = {.rule = DTC_RULE_DEEPSPEED_SUPER,
             WARNING,
             .hook = DTCI_NEEDS,
             .fix = K(SUPER),
             .need = DTCI_WHEN_IS(K(STAGE), 3),
             .when = {DTCI_WHEN_IS(K(SUPER), 1)},
             .en = "it is part of stage 3",
             .zh = "它是 stage 3 的一部分"}},
    OLD(CPU_OFFLOAD),
    OLD(CPU_OFFLOAD_PARAM),
    OLD(CPU_OFFLOAD_PIN),
    {.row = {.rule = DTC_RULE_DEEPSPEED_ZERO_TRUE,
             WARNING,
             .hook = DTCI_WHEN,
             .fix = K(ZERO),
             .when = {DTCI_WHEN_IS(K(ZERO), 2)},
             .en = "{field} is true: an old form of stage 1; give an object with stage",
             .zh = "{field} 为 true：这是 stage 1 的旧写法；请给出含 stage 的对象"}},
    {.row = {.rule = DTC_RULE_DEEPSPEED_LEGACY,
             ERROR,
             .hook = DTCI_WHEN,
             .fix = K(LEGACY),
             .when = {DTCI_WHEN_IS(K(LEGACY), 1), DTCI_WHEN_BETWEEN(K(STAGE), 1, 2)},
             .en = "{field} is true: the old stage 1 is gone, DeepSpeed stops",
             .zh = "{field} 为 true：旧的 stage 1 已移除，DeepSpeed 会终止"}},
    ELASTIC_BATCH(TRAIN),
    ELASTIC_BATCH(MICRO),
    ELASTIC_BATCH(STEPS),
    {.row = {.rule = DTC_RULE_DEEPSPEED_ELASTIC3,
             WARNING,
             .hook = DTCI_EXCLUDES,
             .fix = K(ELASTIC_CHECKPOINT),
             .when = {DTCI_WHEN_IS(K(ELASTIC_CHECKPOINT), 1), DTCI_WHEN_IS(K(STAGE), 3)},
             .en = "it is no longer supported there; use universal checkpoints",
             .zh = "已不再支持；请使用通用检查点"}},
    {.row = {.rule = DTC_RULE_DEEPSPEED_ONEBIT,
             ERROR,
             .hook = DTCI_EXCLUDES,
             .fix = K(OPTIMIZER),
             .when = {DTCI_WHEN_BETWEEN(K(OPTIMIZER), FIRST_ONEBIT, LAST_ONEBIT), DTCI_WHEN_BETWEEN(K(STAGE), 1, 3)},
             .en = "1-bit optimizers reduce gradients of their own",
             .zh = "1-bit 优化器自行归约梯度"}},
    {SINCE_0_19_8, .row = {.rule = DTC_RULE_DEEPSPEED_ONEBIT_GONE,
                           .status = DTC_E_UNSUPPORTED,
                           .hook = DTCI_WHEN,
                           .fix = K(OPTIMIZER),
                           .when = {DTCI_WHEN_BETWEEN(K(OPTIMIZER), FIRST_ONEBIT, LAST_ONEBIT)},
                           .en = "{field} = {value}: 1-bit optimizers are gone",
                           .zh = "{field} = {value}：1-bit 优化器已移除"}},
    NO_AUTOEP(AUTOTP, 2),
    NO_AUTOEP(SEQUENCE, 2),
    NO_AUTOEP(MICS, 1),
    NO_AUTOEP(HPZ, 2),
    NO_AUTOEP(QUANTIZED_GRADIENTS, 1),
    NO_AUTOEP(AUTOEP_TP, 2),
    {.row = {.rule = DTC_RULE_DEEPSPEED_NORM,
             WARNING,
             .hook = DTCI_WHEN,
             .fix = K(NORM),
             .when = {DTCI_WHEN_AT_LEAST(K(NORM), 1)},
             .en = "{field} = {got}: not a parameter of the optimizer; use gradient_clipping",
             .zh = "{field} = {got}：不是优化器参数；请用 gradient_clipping"}},
    {.row = {.rule = DTC_RULE_DEEPSPEED_VOCAB,
             .status = DTC_E_DIVIDE,
             .severity = DTC_SEVERITY_WARNING,
             .hook = DTCI_DIVIDES,
             .fix = K(VOCAB),
             .factor = 8,
             .right = {K(VOCAB)},
             .when = {DTCI_WHEN_AT_LEAST(K(VOCAB), 1)},
             .en = "tensor cores want multiples of 8",
             .zh = "张量核心需要 8 的倍数"}},
    {.row = {.rule = DTC_RULE_DEEPSPEED_CHECKPOINTS,
             ERROR,
             .hook = DTCI_NEEDS,
             .fix = K(CONTIGUOUS),
             .need = DTCI_WHEN_IS(K(PARTITION), 1),
             .when = {DTCI_WHEN_IS(K(CONTIGUOUS), 1)},
             .en = "checkpoints are laid together only when they are partitioned",
             .zh = "只有切分的检查点才能连续存放"}},
    {.row = {.rule = DTC_RULE_DEEPSPEED_NUMBER,
             ERROR,
             .hook = DTCI_NEEDS,
             .fix = K(CONTIGUOUS),
             .need = DTCI_WHEN_SET(K(CHECKPOINTS)),
             .when = {DTCI_WHEN_IS(K(CONTIGUOUS), 1)},
             .en = "the buffer is as large as its number of checkpoints",
             .zh = "缓冲区大小取决于检查点数"}},
};

void dtci_lint_deepspeed(dtci_dialect *d)
{
  d->number = DTC_DIALECT_DEEPSPEED;
  d->form = DTCI_FORM_JSON;
  d->framework = DTC_FRAMEWORK_DEEPSPEED;
  d->newest = 19008;
  d->unknown = DTCI_UNKNOWN_WARNING;
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

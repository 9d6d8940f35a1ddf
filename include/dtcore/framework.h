/**
 * @file framework.h
 * @brief Frameworks: reading what people have (configuration files, command lines, environments), and what is wrong
 * with it.
 *
 * A text is read in the dialect of the tool it is for. What it says about the model and the split comes back as a
 * dtc_model and a dtc_plan with the given fields set and the others 0; what the tool would refuse, ignore or silently
 * change comes back as findings, in the order of the text, then of the rules.
 */
#ifndef DTCORE_FRAMEWORK_H
#define DTCORE_FRAMEWORK_H

#include <dtcore/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Whose text it is. */
typedef uint32_t dtc_dialect;
enum {
  DTC_DIALECT_DEFAULT = 0,    /**< told from the text: JSON is DeepSpeed's, else what its words say */
  DTC_DIALECT_DEEPSPEED = 1,  /**< ds_config.json */
  DTC_DIALECT_MEGATRON = 2,   /**< command line of a Megatron-LM training script; shell variables set before it count */
  DTC_DIALECT_TORCHTITAN = 3, /**< TorchTitan's sections, as JSON: {"parallelism": {"tensor_parallel_degree": 8}} */
  DTC_DIALECT_COLOSSALAI = 4, /**< ColossalAI's plugin, as JSON: {"plugin": "HybridParallelPlugin", "tp_size": 2} */
  DTC_DIALECT_ACCELERATE = 5, /**< accelerate's configuration, as JSON */
  DTC_DIALECT_TRAINER = 6,    /**< command line of a Hugging Face Trainer script: --fsdp, --deepspeed, batch sizes */
  DTC_DIALECT_HOSTFILE = 7,   /**< DeepSpeed's hostfile; its launcher's flags may follow, on lines of their own:
                                 `--include=worker-0@worker-1:0,2` */
  DTC_DIALECT_SLURM = 8,      /**< sbatch script or srun command line */
  DTC_DIALECT_TORCHRUN = 9,   /**< torchrun command line */
  DTC_DIALECT_NCCL = 10,      /**< lines NAME=value of an environment, or shell text; what `ip -br addr` (lines
                                 `eth0 UP 192.168.3.15/20`) and `ibdev2netdev` print may follow, for exact findings */
};

/** A text to read, and what it will run on. */
typedef struct dtc_lint {
  uint32_t struct_size; /**< sizeof, set by DTC_INIT() */
  dtc_dialect dialect;  /**< whose text */
  dtc_release version;  /**< of the tool; 0 = newest known, DTC_MAIN = head [0, 4294967295] */
  uint32_t compute;     /**< compute capability * 10 of the GPUs (90 Hopper, 100 Blackwell); 0 = not known [0, 1000] */
  uint64_t world;       /**< ranks; 0 = what the text says, else rules about it are left out [0, 2^32] */
  uint64_t nodes;       /**< nodes; 0 = not known [0, 2^20] */
} dtc_lint;

/** Rules of dtc_framework_lint(): first those of every dialect, then what single tools do. Numbers are frozen. */
enum {
  DTC_RULE_LINT_UNKNOWN = 400, /**< a name that the tool knows: it stops at others */
  DTC_RULE_LINT_UNHEARD = 401, /**< a name that the tool knows: it goes on without others (warning) */
  DTC_RULE_LINT_TYPE = 402,    /**< a value of the key's type */
  DTC_RULE_LINT_RANGE = 403,   /**< a value in the key's range */
  DTC_RULE_LINT_WORD = 404,    /**< one of the words that the key takes */
  DTC_RULE_LINT_TWICE = 405,   /**< a key is given once (a warning where the last one counts) */
  DTC_RULE_LINT_GONE = 406,    /**< a key that is not gone */
  DTC_RULE_LINT_IGNORED = 407, /**< a key that has an effect (warning) */
  DTC_RULE_LINT_ARGS = 408,    /**< a flag has as many values as it takes */
  DTC_RULE_LINT_STRAY = 409,   /**< a word of the command belongs to a flag */
  DTC_RULE_LINT_CUT = 410,     /**< a command goes on: nothing stands behind the backslash, no comment between */
  DTC_RULE_LINT_HASH = 411,    /**< a comment stands outside quotes */
  DTC_RULE_LINT_BLANKS = 412,  /**< an assignment has no blanks around its = */
  DTC_RULE_LINT_QUOTE = 413,   /**< a quote or parenthesis ends */
  DTC_RULE_LINT_BYTES = 414,   /**< text: no control characters */

  /* Megatron-LM's command lines. */
  DTC_RULE_ARGS_WORLD = 420,             /**< tp * pp * cp * gtp divides world */
  DTC_RULE_ARGS_SHARDS = 421,            /**< tp divides the weight shards of GTP */
  DTC_RULE_ARGS_EXPERT_SHARDS = 422,     /**< the experts' tp divides their weight shards */
  DTC_RULE_ARGS_EXPERT_WORLD = 423,      /**< ep * etp * pp * expert gtp divides world (warning) */
  DTC_RULE_ARGS_CP_LEVELS = 424,         /**< the levels of context parallelism multiply to cp */
  DTC_RULE_ARGS_CP_COMM = 425,           /**< a2a+p2p needs levels of context parallelism */
  DTC_RULE_ARGS_CONNECTIONS = 426,       /**< tp > 1 or cp > 1 before Blackwell needs CUDA_DEVICE_MAX_CONNECTIONS=1 */
  DTC_RULE_ARGS_CONNECTIONS_FSDP = 427,  /**< FSDP needs CUDA_DEVICE_MAX_CONNECTIONS other than 1 */
  DTC_RULE_ARGS_SP_TP = 428,             /**< sequence parallel needs tp > 1 (warning) */
  DTC_RULE_ARGS_TP_OVERLAP = 429,        /**< overlap of tensor-parallel communication needs sequence parallel */
  DTC_RULE_ARGS_HYBRID_CP = 430,         /**< what hybrid context parallelism does not go with */
  DTC_RULE_ARGS_GTP = 431,               /**< what weight shards of GTP need */
  DTC_RULE_ARGS_SHARP = 432,             /**< a SHARP group needs --use-sharp */
  DTC_RULE_ARGS_REQUIRED = 433,          /**< flags without a default that every run needs */
  DTC_RULE_ARGS_FOLLOWS = 434,           /**< flags of which one follows from the other */
  DTC_RULE_ARGS_BATCH = 435,             /**< micro-batch * dp * gtp divides the global batch */
  DTC_RULE_ARGS_EVAL_BATCH = 436,        /**< micro-batch * dp * gtp divides the evaluation's batch */
  DTC_RULE_ARGS_HEADS = 437,             /**< tp divides the heads */
  DTC_RULE_ARGS_KV_HEADS = 438,          /**< tp divides the query groups or the other way round */
  DTC_RULE_ARGS_HEAD_SIZE = 439,         /**< heads divide the hidden size, unless --kv-channels is given */
  DTC_RULE_ARGS_CP_SEQ = 440,            /**< 2 * cp divides the sequence length */
  DTC_RULE_ARGS_POSITIONS = 441,         /**< the sequence length is at most the positions */
  DTC_RULE_ARGS_DECODER_POSITIONS = 442, /**< the decoder's sequence length is at most the positions */
  DTC_RULE_ARGS_MODEL = 443,             /**< flags about the model that do not go together */
  DTC_RULE_ARGS_MODEL_NEEDS = 444,       /**< flags about the model that need another */
  DTC_RULE_ARGS_MODEL_GIVEN = 445,       /**< flags about the model that need another to be given */
  DTC_RULE_ARGS_LINEAR_HEADS = 446,      /**< key heads of linear attention divide its value heads */
  DTC_RULE_ARGS_LINEAR_SPLIT = 447,      /**< tp * cp divides the key heads of linear attention */
  DTC_RULE_ARGS_BUILD_FFN = 448,         /**< tp divides the MLP size (warning) */
  DTC_RULE_ARGS_BUILD_MOE_FFN = 449,     /**< etp divides the experts' MLP size (warning) */
  DTC_RULE_ARGS_SP_SEQ = 450,            /**< tp * cp divides the sequence with sequence parallel (warning) */
  DTC_RULE_ARGS_ONE_SPLIT = 451,         /**< one way alone to split layers over stages */
  DTC_RULE_ARGS_LAYERS = 452,            /**< pp divides the layers, with those accounted for */
  DTC_RULE_ARGS_VPP_LAYERS = 453,        /**< pp * layers of a chunk divide the layers, with those accounted for */
  DTC_RULE_ARGS_VPP_ACCOUNT = 454,       /**< pp * vpp divides the layers, with those accounted for */
  DTC_RULE_ARGS_VPP_BUILD = 455,         /**< pp * vpp divides the layers (warning) */
  DTC_RULE_ARGS_VPP_PP = 456,            /**< interleaving needs pp > 1, without overlap of p2p pp > 2 */
  DTC_RULE_ARGS_WARMUP_FLUSH = 457,   /**< overlap of p2p in warm-up and flush needs interleaving and overlap of p2p */
  DTC_RULE_ARGS_UNEVEN_ENDS = 458,    /**< two given stages hold all layers when there are no others */
  DTC_RULE_ARGS_UNEVEN_NONE = 459,    /**< middle stages need layers */
  DTC_RULE_ARGS_UNEVEN_MIDDLE = 460,  /**< the middle stages divide the middle layers */
  DTC_RULE_ARGS_UNEVEN_FEWER = 461,   /**< given stages hold at most all layers (warning) */
  DTC_RULE_ARGS_FIRST_VPP = 462,      /**< vpp divides the layers of the first stage */
  DTC_RULE_ARGS_LAST_VPP = 463,       /**< vpp divides the layers of the last stage */
  DTC_RULE_ARGS_MIDDLE_VPP = 464,     /**< vpp divides the layers of the middle stages */
  DTC_RULE_ARGS_UNEVEN_ZERO = 465,    /**< first and last stage, pp = 2 and vpp > 1 (warning) */
  DTC_RULE_ARGS_GROUP = 466,          /**< a group of micro-batches is at least pp (warning) */
  DTC_RULE_ARGS_GROUP_MOST = 467,     /**< a group of micro-batches is at most all (warning) */
  DTC_RULE_ARGS_GROUP_REST = 468,     /**< the last group of micro-batches is 0 or at least pp (warning) */
  DTC_RULE_ARGS_OVERLAP_GATHER = 469, /**< what overlap of the parameter gather needs */
  DTC_RULE_ARGS_FSDP2 = 470,          /**< what --use-torch-fsdp2 does not go with */
  DTC_RULE_ARGS_FSDP2_NEEDS = 471,    /**< what --use-torch-fsdp2 needs */
  DTC_RULE_ARGS_FSDP_NEEDS = 472,     /**< what --use-megatron-fsdp needs */
  DTC_RULE_ARGS_FSDP = 473,           /**< what --use-megatron-fsdp does not go with */
  DTC_RULE_ARGS_OPTIMIZER_OFFLOAD = 474, /**< what --optimizer-cpu-offload needs */
  DTC_RULE_ARGS_PRECISION_AWARE = 475,   /**< what --use-precision-aware-optimizer needs (warning) */
  DTC_RULE_ARGS_REUSE_GRADS = 476,       /**< reused gradient buffers need --fp8-param-gather (warning) */
  DTC_RULE_ARGS_FREEZE = 477,            /**< frozen layers turn the distributed optimizer off (warning) */
  DTC_RULE_ARGS_HALF = 478,              /**< one 16-bit type, gradients in fp32 when they are accumulated so */
  DTC_RULE_ARGS_HALF_NEEDS = 479,        /**< flags that need fp16 or bf16 */
  DTC_RULE_ARGS_FP8 = 480,               /**< what fp8 does not go with */
  DTC_RULE_ARGS_FP8_NEEDS = 481,         /**< what fp8 needs */
  DTC_RULE_ARGS_FP8_GIVEN = 482,         /**< flags about fp8 and fp4 that need another to be given */
  DTC_RULE_ARGS_BF16_START = 483,        /**< first layers kept in bf16 are at most those of a stage */
  DTC_RULE_ARGS_BF16_END = 484,          /**< last layers kept in bf16 are at most those of a stage */
  DTC_RULE_ARGS_RECOMPUTE_GIVEN = 485,   /**< what recomputation and offloading need to be given */
  DTC_RULE_ARGS_RECOMPUTE = 486,         /**< what recomputation does not go with */
  DTC_RULE_ARGS_RECOMPUTE_NEEDS = 487,   /**< what recomputation needs */
  DTC_RULE_ARGS_OFFLOAD_LAYERS = 488,    /**< fewer layers are offloaded than there are */
  DTC_RULE_ARGS_OFFLOAD = 489,           /**< what offloading of layers does not go with */
  DTC_RULE_ARGS_OFFLOAD_NEEDS = 490,     /**< what fine-grained offloading needs */
  DTC_RULE_ARGS_GRAPH = 491,             /**< what CUDA graphs do not go with */
  DTC_RULE_ARGS_GRAPH_NEEDS = 492,       /**< CUDA graphs of an iteration need --no-check-for-nan-in-loss-and-grad */
  DTC_RULE_ARGS_EP_EXPERTS = 493,        /**< ep > 1 needs experts */
  DTC_RULE_ARGS_EP_DIVIDES = 494,        /**< ep divides the experts */
  DTC_RULE_ARGS_TOP_K = 495,             /**< a token is sent to at most all experts (warning) */
  DTC_RULE_ARGS_GROUPED_GEMM = 496,      /**< grouped GEMM needs compute capability 8.0 */
  DTC_RULE_ARGS_MOE_BIAS = 497,          /**< experts with biases need etp = 1, or --disable-bias-linear */
  DTC_RULE_ARGS_MOE_SP = 498,            /**< experts and tp > 1 need sequence parallel (warning) */
  DTC_RULE_ARGS_MOE_NEEDS = 499,         /**< flags about experts that need another */
  DTC_RULE_ARGS_MOE_GIVEN = 500,         /**< flags about experts that need another to be given */
  DTC_RULE_ARGS_MOE = 501,               /**< flags about experts that do not go together */
  DTC_RULE_ARGS_ROUTER_GROUPS = 502,     /**< the router's groups divide the experts */
  DTC_RULE_ARGS_GROUP_TOP_K = 503,       /**< a token is sent to at most all groups of experts */
  DTC_RULE_ARGS_EP_OVERLAP_NEEDS = 504,  /**< what overlap of the experts' all-to-all needs */
  DTC_RULE_ARGS_EP_OVERLAP = 505,        /**< what overlap of the experts' all-to-all does not go with */
  DTC_RULE_ARGS_DEFER_EMBEDDING =
      506,                         /**< deferred weight gradients of the embedding need pp > 1 and fused accumulation */
  DTC_RULE_ARGS_ITERATIONS = 507,  /**< training is counted in iterations or in samples */
  DTC_RULE_ARGS_MIN_LR = 508,      /**< the least learning rate is at most the largest */
  DTC_RULE_ARGS_DECAY_GIVEN = 509, /**< a weight decay that changes needs a start and an end */
  DTC_RULE_ARGS_DATA = 510,        /**< one source of data */
  DTC_RULE_ARGS_DETERMINISTIC = 511, /**< what --deterministic-mode does not go with */
  DTC_RULE_ARGS_CKPT_NEEDS = 512,    /**< what checkpoints need */
  DTC_RULE_ARGS_CKPT_GIVEN = 513,    /**< flags about checkpoints that need another to be given */
  DTC_RULE_ARGS_CKPT = 514,          /**< flags about checkpoints that do not go together */
  DTC_RULE_ARGS_ASYNC_SAVE = 515,    /**< asynchronous saving needs a persistent worker (warning) */
  DTC_RULE_ARGS_SAVE_RETAIN = 516,   /**< kept checkpoints are some of those saved */
  DTC_RULE_ARGS_LOG_MEMORY = 517,    /**< memory is logged at some of the log's times */
  DTC_RULE_ARGS_INFERENCE = 518,     /**< pipelined inference needs pp > 1 and no CUDA graphs */

  /* DeepSpeed. */
  DTC_RULE_DEEPSPEED_BATCH = 520,       /**< train_batch_size = micro-batch * accumulation * data-parallel ranks */
  DTC_RULE_DEEPSPEED_MICRO = 521,       /**< the micro-batch that follows from train_batch_size is not 0 */
  DTC_RULE_DEEPSPEED_STEPS = 522,       /**< the accumulation that follows from train_batch_size is not 0 */
  DTC_RULE_DEEPSPEED_NO_BATCH = 523,    /**< train_batch_size or the micro-batch is given */
  DTC_RULE_DEEPSPEED_AUTO = 524,        /**< batches are numbers: DeepSpeed itself has no "auto" for them */
  DTC_RULE_DEEPSPEED_SEQUENCE = 525,    /**< sequence_parallel_size divides the ranks */
  DTC_RULE_DEEPSPEED_FILE = 526,        /**< sequence_parallel_size counts in a dict only (warning) */
  DTC_RULE_DEEPSPEED_FP16_BF16 = 527,   /**< fp16 or bf16, not both */
  DTC_RULE_DEEPSPEED_MASTER = 528,      /**< 16-bit master weights and states need ZeRO */
  DTC_RULE_DEEPSPEED_STATES = 529,      /**< bf16_optimizer_states needs bf16_master_weights_and_grads */
  DTC_RULE_DEEPSPEED_RATIO = 530,       /**< a part of the optimizer is offloaded with stage 3 only */
  DTC_RULE_DEEPSPEED_SUM = 531,         /**< gradient_allreduce_op sum is not for stage 3, ZenFlow, DeepCompile */
  DTC_RULE_DEEPSPEED_PARAM = 532,       /**< offload_param needs stage 3 (warning) */
  DTC_RULE_DEEPSPEED_OPTIMIZER = 533,   /**< offload_optimizer needs ZeRO (warning) */
  DTC_RULE_DEEPSPEED_NVME = 534,        /**< nvme needs nvme_path (warning) */
  DTC_RULE_DEEPSPEED_STAGE3 = 535,      /**< stage3_* needs stage 3 (warning) */
  DTC_RULE_DEEPSPEED_SUPER = 536,       /**< super_offload needs stage 3 (warning) */
  DTC_RULE_DEEPSPEED_OLD = 537,         /**< cpu_offload and its siblings are deprecated (warning) */
  DTC_RULE_DEEPSPEED_ZERO_TRUE = 538,   /**< zero_optimization is an object (warning) */
  DTC_RULE_DEEPSPEED_LEGACY = 539,      /**< legacy_stage1 is gone */
  DTC_RULE_DEEPSPEED_ELASTIC = 540,     /**< elasticity sets the batches */
  DTC_RULE_DEEPSPEED_ELASTIC3 = 541,    /**< elastic_checkpoint is not for stage 3 (warning) */
  DTC_RULE_DEEPSPEED_ONEBIT = 542,      /**< 1-bit optimizers are not for ZeRO */
  DTC_RULE_DEEPSPEED_ONEBIT_GONE = 543, /**< 1-bit optimizers are gone */
  DTC_RULE_DEEPSPEED_AUTOEP = 544,      /**< AutoEP with stage 3 has no other parallelism */
  DTC_RULE_DEEPSPEED_NORM = 545,        /**< gradient_clipping, not the optimizer's max_grad_norm (warning) */
  DTC_RULE_DEEPSPEED_VOCAB = 546,       /**< 8 divides vocabulary_size (warning) */
  DTC_RULE_DEEPSPEED_CHECKPOINTS = 547, /**< contiguous_memory_optimization needs partition_activations */
  DTC_RULE_DEEPSPEED_NUMBER = 548,      /**< contiguous_memory_optimization needs number_checkpoints */

  /* TorchTitan. */
  DTC_RULE_TITAN_WORLD = 570,        /**< the degrees' product is all ranks */
  DTC_RULE_TITAN_EP = 571,           /**< expert parallelism takes whole groups of the other ranks */
  DTC_RULE_TITAN_ETP = 572,          /**< expert_tensor_parallel_degree is 1 or the tensor parallel degree */
  DTC_RULE_TITAN_BATCH = 573,        /**< a step is a whole number of gradient accumulation steps */
  DTC_RULE_TITAN_MICRO = 574,        /**< the micro-batch divides the local batch */
  DTC_RULE_TITAN_MINUS_ONE = 575,    /**< -1 or at least 1 */
  DTC_RULE_TITAN_SEQ = 576,          /**< sequence and context parallelism cut evenly */
  DTC_RULE_TITAN_GRAPHS = 577,       /**< no CUDA graphs with a pipeline */
  DTC_RULE_TITAN_ASYNC_TP = 578,     /**< asynchronous tensor parallelism needs the model compiled */
  DTC_RULE_TITAN_SYMMETRIC = 579,    /**< symmetric memory needs compute capability 9.0 */
  DTC_RULE_TITAN_BALANCER = 580,     /**< a load balancer is not empty text */
  DTC_RULE_TITAN_FULL_DTENSOR = 581, /**< the backend full_dtensor is gone */
  DTC_RULE_TITAN_BUDGET = 582,       /**< a memory budget needs the model compiled */
  DTC_RULE_TITAN_MIXED = 583,        /**< mixed precision with tensor or pipeline parallelism needs FSDP (warning) */
  DTC_RULE_TITAN_BUBBLE = 584,       /**< a pipeline has as many micro-batches as stages (warning) */
  DTC_RULE_TITAN_DUALPIPE = 585,     /**< DualPipeV with experts recomputes nothing */
  DTC_RULE_TITAN_IN_BACKWARD = 586,  /**< an optimizer in backward has no expert or pipeline parallelism */
  DTC_RULE_TITAN_TYPECHECKING = 587, /**< SPMD types are not checked with a pipeline */
  DTC_RULE_TITAN_NO_EFFECT = 588,    /**< a setting of a parallelism that is on (warning) */
  DTC_RULE_TITAN_INVARIANT = 589,    /**< batch-invariant mode is not for pre-training */

  /* ColossalAI. */
  DTC_RULE_COLOSSAL_WORLD = 590,     /**< the degrees divide the ranks */
  DTC_RULE_COLOSSAL_SP_WORLD = 591,  /**< sp_size too: not looked at (warning) */
  DTC_RULE_COLOSSAL_EP = 592,        /**< ep_size divides the data-parallel ranks */
  DTC_RULE_COLOSSAL_SP_OFF = 593,    /**< sp_size needs enable_sequence_parallelism */
  DTC_RULE_COLOSSAL_SP_TP = 594,     /**< split_gather and ring need tensor parallelism */
  DTC_RULE_COLOSSAL_SP_SIZE = 595,   /**< split_gather and ring have tp_size ranks whatever sp_size is (warning) */
  DTC_RULE_COLOSSAL_SP_MODE = 596,   /**< a mode needs enable_sequence_parallelism (warning) */
  DTC_RULE_COLOSSAL_MICRO = 597,     /**< a pipeline needs num_microbatches or microbatch_size */
  DTC_RULE_COLOSSAL_CHUNKS = 598,    /**< model chunks as the pipeline's style wants them */
  DTC_RULE_COLOSSAL_NODES = 599,     /**< zbv needs scheduler_nodes */
  DTC_RULE_COLOSSAL_PP_ZERO = 600,   /**< a pipeline has ZeRO up to stage 1 */
  DTC_RULE_COLOSSAL_MOE_ZERO = 601,  /**< the MoE plugin has neither stage 2 nor overlap (warning) */
  DTC_RULE_COLOSSAL_ARGUMENT = 602,  /**< an argument that the plugin has */
  DTC_RULE_COLOSSAL_MISSING = 603,   /**< an argument that the plugin wants */
  DTC_RULE_COLOSSAL_NORM = 604,      /**< LowLevelZeroPlugin has norm_type 2 */
  DTC_RULE_COLOSSAL_PRECISION = 605, /**< GeminiPlugin has no fp32 */
  DTC_RULE_COLOSSAL_PLACEMENT = 606, /**< fractions are for static placement, ratios for auto (warning) */
  DTC_RULE_COLOSSAL_OFFLOAD = 607,   /**< parameters are offloaded when all else is (warning) */
  DTC_RULE_COLOSSAL_SQUARE = 608,    /**< 2D, 2.5D and 3D tensor parallelism have q^2, d * q^2 and q^3 ranks */
  DTC_RULE_COLOSSAL_LEGACY = 609,    /**< 2D, 2.5D and 3D are in colossalai.legacy alone (warning) */

  /* accelerate. */
  DTC_RULE_ACCELERATE_TYPE = 610,       /**< distributed_type is given */
  DTC_RULE_ACCELERATE_PROCESSES = 611,  /**< num_processes is given, here or on the command line (warning) */
  DTC_RULE_ACCELERATE_MACHINES = 612,   /**< num_machines divides num_processes (warning) */
  DTC_RULE_ACCELERATE_IP = 613,         /**< several machines need main_process_ip */
  DTC_RULE_ACCELERATE_RESHARD = 614,    /**< reshard_after_forward is a bool for FSDP2, a strategy for FSDP1 */
  DTC_RULE_ACCELERATE_PREFETCH = 615,   /**< FSDP2 has no forward_prefetch */
  DTC_RULE_ACCELERATE_RESET = 616,      /**< FSDP2 has no such option, it is reset (warning) */
  DTC_RULE_ACCELERATE_STATE_DICT = 617, /**< FSDP2 has no LOCAL_STATE_DICT */
  DTC_RULE_ACCELERATE_RAM = 618,        /**< cpu_ram_efficient_loading needs sync_module_states */
  DTC_RULE_ACCELERATE_OFFLOAD = 619,    /**< activations are offloaded by FSDP2 with activation_checkpointing */
  DTC_RULE_ACCELERATE_SIZES = 620,      /**< the sizes' product is num_processes */
  DTC_RULE_ACCELERATE_CP_SP = 621,      /**< context or sequence parallelism, not both */
  DTC_RULE_ACCELERATE_REPLICATE = 622,  /**< replicas with tensor or context parallelism are sharded too */
  DTC_RULE_ACCELERATE_FSDP1 = 623,      /**< parallelism_config needs FSDP2 */
  DTC_RULE_ACCELERATE_SHARD = 624,      /**< FSDP2 has ranks to shard over */
  DTC_RULE_ACCELERATE_FILE = 625,       /**< deepspeed_config_file says it all */
  DTC_RULE_ACCELERATE_ZERO3 = 626,      /**< zero3_* need stage 3 (warning) */
  DTC_RULE_ACCELERATE_UNUSED = 627,     /**< a block that distributed_type uses (warning) */

  /* Hugging Face Trainer. */
  DTC_RULE_TRAINER_PRECISION = 628,     /**< fp16 or bf16, not both */
  DTC_RULE_TRAINER_STRATEGY = 629,      /**< FSDP2 has full_shard and shard_grad_op */
  DTC_RULE_TRAINER_WORDS = 630,         /**< --fsdp has no words any more (warning) */
  DTC_RULE_TRAINER_CHECKPOINTING = 631, /**< FSDP has its own activation_checkpointing (warning) */
  DTC_RULE_TRAINER_DEEPSPEED = 632,     /**< --fsdp or --deepspeed, not both */
  DTC_RULE_TRAINER_FSDP_CONFIG = 633,   /**< --fsdp_config needs --fsdp (warning) */

  /* torchrun. */
  DTC_RULE_TORCHRUN_NODE_RANK = 634,  /**< static rendezvous of several nodes needs --node-rank */
  DTC_RULE_TORCHRUN_LOOPBACK = 635,   /**< and an address that the other nodes reach */
  DTC_RULE_TORCHRUN_MASTER = 636,     /**< --master-addr, --master-port and --node-rank are static's (warning) */
  DTC_RULE_TORCHRUN_ENDPOINT = 637,   /**< other rendezvous of several nodes needs --rdzv-endpoint */
  DTC_RULE_TORCHRUN_STANDALONE = 638, /**< --standalone is one node, and overrides the rendezvous */
  DTC_RULE_TORCHRUN_WORLD = 639,      /**< nodes * processes are the ranks */

  /* DeepSpeed's launcher. */
  DTC_RULE_HOSTS_BOTH = 640,      /**< --include or --exclude, not both */
  DTC_RULE_HOSTS_FILTER = 641,    /**< --include and --exclude are host or host:0,1, between @ */
  DTC_RULE_HOSTS_UNKNOWN = 642,   /**< their hosts are in the hostfile */
  DTC_RULE_HOSTS_SLOT = 643,      /**< their slots are in the hostfile */
  DTC_RULE_HOSTS_UNCHECKED = 644, /**< the same, where DeepSpeed does not look (warning) */
  DTC_RULE_HOSTS_DROPPED = 645,   /**< --include names slots: 0.15.2 to 0.19.7 leave out hosts without (warning) */
  DTC_RULE_HOSTS_NOTHING = 646,   /**< a host is left (warning) */
  DTC_RULE_HOSTS_JUNK = 647,      /**< nothing stands behind slots=N (warning) */
  DTC_RULE_HOSTS_LOCAL = 648,     /**< LOCAL_RANK, a global rank modulo slots, counts from 0 on each host (warning) */
  DTC_RULE_HOSTS_NUM = 649,       /**< --num_nodes and --num_gpus do not go with --include and --exclude */
  DTC_RULE_HOSTS_SLURM = 650,     /**< --launcher slurm has no --include and --exclude before 0.19.8 */
  DTC_RULE_HOSTS_RANK = 651,      /**< --no_ssh needs --node_rank on each host */
  DTC_RULE_HOSTS_WORLD = 652,     /**< the slots are as many as the ranks (warning) */

  /* Slurm. */
  DTC_RULE_SBATCH_TASKS = 655,       /**< --ntasks = --nodes * --ntasks-per-node (warning) */
  DTC_RULE_SBATCH_SQUARED = 656,     /**< one task of a node starts torchrun, which starts the others */
  DTC_RULE_SBATCH_IDLE = 657,        /**< srun python runs as many tasks of a node as there are GPUs (warning) */
  DTC_RULE_SBATCH_OWN_GPU = 658,     /**< --gpus-per-task: a task sees its own GPUs only (warning) */
  DTC_RULE_SBATCH_LATE = 659,        /**< #SBATCH stands before the first command (warning) */
  DTC_RULE_SBATCH_BLANK = 660,       /**< #SBATCH has no blank behind its # (warning) */
  DTC_RULE_SBATCH_VARIABLE = 661,    /**< #SBATCH lines are not expanded (warning) */
  DTC_RULE_SBATCH_LOCALHOST = 662,   /**< a rendezvous does not fall back to localhost (warning) */
  DTC_RULE_SBATCH_LAUNCH_NODE = 663, /**< SLURM_LAUNCH_NODE_IPADDR may be the login node (warning) */
  DTC_RULE_SBATCH_VISIBLE = 664,     /**< each task picks its own of CUDA_VISIBLE_DEVICES (warning) */
  DTC_RULE_SBATCH_ALONE = 665,       /**< on several nodes srun starts torchrun (warning) */
  DTC_RULE_SBATCH_GPUS = 666,        /**< --gpus = --nodes * --gpus-per-node */
  DTC_RULE_SBATCH_MORE = 667,        /**< at most as many tasks of a node as GPUs (warning) */
  DTC_RULE_SBATCH_PROCESSES = 668,   /**< at most as many processes of a node as GPUs */
  DTC_RULE_SBATCH_WORLD = 669,       /**< the tasks, or processes, are as many as the ranks (warning) */

  /* NCCL. */
  DTC_RULE_NCCL_DEVICE = 670,       /**< a device has a port: mlx5_0:1 */
  DTC_RULE_NCCL_PREFIX = 671,       /**< = before names that longer ones begin with (warning) */
  DTC_RULE_NCCL_FORM = 672,         /**< names without blanks, ; and globs, ^ before = (warning) */
  DTC_RULE_NCCL_BARE = 673,         /**< a name stands behind ^ (warning) */
  DTC_RULE_NCCL_PORT = 674,         /**< ports count from 1 (warning) */
  DTC_RULE_NCCL_LONG = 675,         /**< as many names as NCCL reads: 32 devices, 16 interfaces (warning) */
  DTC_RULE_NCCL_LOOPBACK = 676,     /**< no lo, docker, veth between nodes (warning) */
  DTC_RULE_NCCL_LONGER = 677,       /**< a name selects one device or interface of those given (warning) */
  DTC_RULE_NCCL_NO_DEVICE = 678,    /**< NCCL_IB_HCA selects a device of those given (warning) */
  DTC_RULE_NCCL_NO_INTERFACE = 679, /**< NCCL_SOCKET_IFNAME selects an interface of those given */
  DTC_RULE_NCCL_SUBNET = 680,       /**< each interface has a subnet of its own (warning) */
  DTC_RULE_NCCL_IB_OFF = 681,       /**< InfiniBand and RoCE are on (warning) */
  DTC_RULE_NCCL_P2P_OFF = 682,      /**< GPUs of a node reach each other (warning) */
  DTC_RULE_NCCL_NET = 683,          /**< NCCL_NET names a network that is on */
  DTC_RULE_NCCL_MASTER = 684,       /**< MASTER_ADDR of several nodes is not loopback (warning) */
  DTC_RULE_NCCL_CHOICE = 685,       /**< NCCL_ALGO and NCCL_PROTO hold words that NCCL knows */
  DTC_RULE_NCCL_RING = 686,         /**< NCCL_ALGO leaves ring for what others cannot do (warning) */
  DTC_RULE_NCCL_CHANNELS = 687,     /**< the least channels are at most the most (warning) */
  DTC_RULE_NCCL_MISMATCH = 688,     /**< nodes have the same networks: NCCL may check (warning) */
  DTC_RULE_NCCL_TORCH = 689,        /**< PyTorch's variables begin with TORCH_ (warning) */
};

/**
 * @brief Reads a text, and finds what its tool would refuse, ignore or silently change. O(text).
 * @param lint the dialect, and what it will run on
 * @param text the text; need not end in NUL
 * @param len bytes [0, 2^27]
 * @param model what the text says about the model; only given fields are set
 * @param plan what it says about the split; only given fields are set
 * @param out array of cap findings; element 0's struct_size is the stride
 * @param cap length of out
 * @param count findings there are
 * @param scratch array of n_scratch elements; may be NULL when none is needed
 * @param n_scratch length of scratch, see dtc_framework_lint_scratch()
 * @param err may be NULL; offset is the place in the text
 * @return DTC_OK, DTC_E_SIZE, DTC_E_NEWER, DTC_E_RANGE, DTC_E_PARSE (no text of this dialect: broken JSON, a quote
 *         without an end, binary bytes), DTC_E_SPACE (*count was written). Findings are exact: Megatron-LM d98e8a64,
 *         DeepSpeed 0.19 and its launcher, TorchTitan b5bcd76c and 0.2.2, ColossalAI 0.5, accelerate 1.15, NCCL 2.30,
 *         for the rules that doc/errors.md lists. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_framework_lint(const dtc_lint *lint, const char *text, size_t len,
                                                    dtc_model *model, dtc_plan *plan, dtc_error *out, size_t cap,
                                                    size_t *count, uint64_t *scratch, size_t n_scratch, dtc_error *err);

/**
 * @brief Elements of scratch that dtc_framework_lint() needs.
 * @param lint the dialect
 * @param needed elements of 8 bytes
 * @param err may be NULL
 * @return DTC_OK, DTC_E_SIZE, DTC_E_NEWER, DTC_E_RANGE. Exact. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_framework_lint_scratch(const dtc_lint *lint, uint64_t *needed, dtc_error *err);

/**
 * @brief Which ports of InfiniBand or RoCE devices NCCL_IB_HCA selects.
 *
 * A name is a prefix: mlx5_1 also selects mlx5_10. `=` asks for the whole name, `^` excludes, `^=` both; `name:port`
 * selects one port. A list that matches nothing makes NCCL use sockets, without an error. NCCL keeps 63 bytes of a name,
 * reads 32 names, and opens no further device once 32 ports are selected; ports of a device stand together.
 * @param value value of NCCL_IB_HCA; empty selects all
 * @param len bytes [0, 65536]
 * @param devices `mlx5_0:1` and so on, between blanks
 * @param devices_len bytes [0, 65536]
 * @param out array of cap numbers: 1 for each device that is selected, else 0
 * @param cap length of out
 * @param count devices there are
 * @param err may be NULL
 * @return DTC_OK, DTC_E_SIZE, DTC_E_RANGE, DTC_E_PARSE (a device without a port), DTC_E_SPACE. Exact: NCCL 2.30
 *         (parseStringList, matchIfList). Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_framework_lint_hca(const char *value, size_t len, const char *devices,
                                                        size_t devices_len, uint32_t *out, size_t cap, size_t *count,
                                                        dtc_error *err);

#ifdef __cplusplus
}
#endif
#endif

/**
 * @file plan.h
 * @brief How it is split: parallel degrees, sharding, batch, precision; what is legal; the one-line text form.
 */
#ifndef DTCORE_PLAN_H
#define DTCORE_PLAN_H

#include <dtcore/cluster.h>
#include <dtcore/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Training framework. */
typedef uint32_t dtc_framework;
enum {
  DTC_FRAMEWORK_DEFAULT = 0,   /**< the one that has the plan's sharding; without one Megatron's when a degree but dp
                                     is above 1, else PyTorch */
  DTC_FRAMEWORK_PYTORCH = 1,   /**< PyTorch DDP and FSDP with Hugging Face models */
  DTC_FRAMEWORK_DEEPSPEED = 2, /**< DeepSpeed with Hugging Face models; those of arch megatron with Megatron's layers */
  DTC_FRAMEWORK_MEGATRON = 3,  /**< Megatron-LM, Megatron-Core */
  DTC_FRAMEWORK_COLOSSALAI = 4, /**< ColossalAI */
  DTC_FRAMEWORK_TORCHTITAN = 5, /**< TorchTitan */
  DTC_FRAMEWORK_SCALING = 6,    /**< Aleph Alpha's scaling */
};

/** Version of a framework: major * 10^6 + minor * 10^3 + patch; DTC_MAIN for the head of its repository. */
typedef uint32_t dtc_release;

/** The head of a framework's repository. */
#define DTC_MAIN UINT32_MAX

/** How model states are sharded over the data-parallel ranks. */
typedef uint32_t dtc_sharding;
enum {
  DTC_SHARDING_DEFAULT = 0, /**< the framework's: megatron distopt, deepspeed and colossalai zero1, torchtitan fsdp,
                                 pytorch ddp */
  DTC_SHARDING_DDP = 1,     /**< nothing sharded */
  DTC_SHARDING_ZERO1 = 2,   /**< optimizer states */
  DTC_SHARDING_ZERO2 = 3,   /**< optimizer states and gradients */
  DTC_SHARDING_ZERO3 = 4,   /**< optimizer states, gradients and weights */
  DTC_SHARDING_FSDP = 5,    /**< as zero3, fp32 shards: FSDP1 FULL_SHARD, FSDP2 */
  DTC_SHARDING_HSDP = 6,    /**< fsdp over dp_shard ranks, replicated over the others */
  DTC_SHARDING_DISTOPT = 7, /**< optimizer states over dp * cp: Megatron's distributed optimizer */
};

/** Pipeline schedule. Those from interleaved to interleaved_zb run several model chunks on a rank. */
typedef uint32_t dtc_schedule;
enum {
  DTC_SCHEDULE_DEFAULT = 0,           /**< interleaved when vpp > 1, else 1f1b */
  DTC_SCHEDULE_GPIPE = 1,             /**< all forwards, then all backwards */
  DTC_SCHEDULE_1F1B = 2,              /**< one forward, one backward */
  DTC_SCHEDULE_INTERLEAVED = 3,       /**< 1F1B over vpp model chunks per rank */
  DTC_SCHEDULE_VPP = 4,               /**< the same as the zero-bubble fork of Megatron writes it, in groups of pp */
  DTC_SCHEDULE_LOOPED_BFS = 5,        /**< PyTorch's LoopedBFS: all micro-batches through a chunk, then the next */
  DTC_SCHEDULE_GROUP_INTERLEAVED = 6, /**< zero-bubble's interleaved with groups smaller than pp */
  DTC_SCHEDULE_ZBV = 7,               /**< zero bubble, chunks in a V */
  DTC_SCHEDULE_V_HALF = 8,            /**< zero-bubble's V with about half of 1f1b's activations */
  DTC_SCHEDULE_V_MIN = 9,             /**< zero-bubble's V with about a third of them */
  DTC_SCHEDULE_1F1B_V = 10,           /**< zero-bubble's 1f1b, chunks in a V */
  DTC_SCHEDULE_DUALPIPE_V = 11,       /**< DualPipe cut in half: chunks in a V, forward and backward overlapped */
  DTC_SCHEDULE_DUALPIPE = 12,         /**< DeepSeek's DualPipe: micro-batches from both ends, every stage twice */
  DTC_SCHEDULE_INTERLEAVED_ZB = 13,   /**< PyTorch's InterleavedZeroBubble (ZB1P) */
  DTC_SCHEDULE_ZB_H1 = 14,            /**< zero-bubble's ZB-H1: the activations of 1f1b */
  DTC_SCHEDULE_ZB_H2 = 15,            /**< zero-bubble's ZB-H2: twice as many, hardly a bubble */
};

/** What is recomputed in backward. */
typedef uint32_t dtc_recompute;
enum {
  DTC_RECOMPUTE_DEFAULT = 0,   /**< none */
  DTC_RECOMPUTE_NONE = 1,      /**< nothing */
  DTC_RECOMPUTE_SELECTIVE = 2, /**< Megatron: the modules that recompute_* name, without one the attention core (scores,
                                    softmax); TorchTitan: every operator but attention and every second matrix product */
  DTC_RECOMPUTE_FULL = 3,      /**< every layer from its input */
};

/** Which layers full recomputation takes. */
typedef uint32_t dtc_recompute_method;
enum {
  DTC_RECOMPUTE_METHOD_DEFAULT = 0, /**< uniform */
  DTC_RECOMPUTE_METHOD_UNIFORM = 1, /**< all, recompute_layers of them from one kept input */
  DTC_RECOMPUTE_METHOD_BLOCK = 2,   /**< the first recompute_layers of every model chunk, each from its input */
  DTC_RECOMPUTE_METHOD_EVERY = 3,   /**< one in recompute_layers: TorchTitan's selective option by number */
};

/** Attention kernel. */
typedef uint32_t dtc_attention;
enum {
  DTC_ATTENTION_DEFAULT = 0, /**< Megatron with Transformer Engine on a cluster of compute capability 9.0 (Hopper)
                                  cudnn, its local modules eager, else flash */
  DTC_ATTENTION_FLASH = 1,   /**< flash attention: no score matrix is kept; TorchTitan: its varlen, which casts */
  DTC_ATTENTION_EAGER = 2,   /**< unfused: the score matrix is kept */
  DTC_ATTENTION_CUDNN = 3,   /**< cuDNN's fused attention, as Transformer Engine takes it on Hopper: as flash, but its
                                  output is never a second tensor */
  DTC_ATTENTION_MATH = 4,    /**< unfused with PyTorch's own softmax: the score matrix in fp32 too */
};

/** Type of weights and activations in the layers. */
typedef uint32_t dtc_precision;
enum {
  DTC_PRECISION_DEFAULT = 0,   /**< bf16 */
  DTC_PRECISION_BF16 = 1,      /**< bf16, fp32 master weights */
  DTC_PRECISION_FP16 = 2,      /**< fp16, fp32 master weights */
  DTC_PRECISION_FP32 = 3,      /**< fp32 throughout */
  DTC_PRECISION_PURE_BF16 = 4, /**< bf16 throughout: weights, gradients and optimizer states */
  DTC_PRECISION_FP8 = 5,       /**< matrix products in fp8 (Transformer Engine), the rest as bf16; memory of other
                                    frameworks than Megatron is counted as of bf16 */
  DTC_PRECISION_FP4 = 6,       /**< matrix products in NVFP4 (Transformer Engine), the rest as bf16; memory is counted
                                    as of fp8 */
};

/** How values are scaled to fp8. */
typedef uint32_t dtc_fp8_recipe;
enum {
  DTC_FP8_RECIPE_DEFAULT = 0, /**< tensor */
  DTC_FP8_RECIPE_TENSOR = 1,  /**< a scale per tensor: delayed or current scaling */
  DTC_FP8_RECIPE_ROW = 2,     /**< a scale per row: torchao's rowwise */
  DTC_FP8_RECIPE_BLOCK = 3,   /**< a scale per block of 128, as DeepSeek-V3 has it */
  DTC_FP8_RECIPE_MX = 4,      /**< MXFP8: a scale per 32 values */
};

/** What runs as CUDA graphs. */
typedef uint32_t dtc_cuda_graph;
enum {
  DTC_CUDA_GRAPH_DEFAULT = 0, /**< none */
  DTC_CUDA_GRAPH_NONE = 1,    /**< every kernel is launched */
  DTC_CUDA_GRAPH_PARTIAL = 2, /**< layers without what depends on the routing: Transformer Engine's graphs */
  DTC_CUDA_GRAPH_FULL = 3,    /**< a whole step */
};

/** Type of the gradients that are kept. */
typedef uint32_t dtc_grad_dtype;
enum {
  DTC_GRAD_DTYPE_DEFAULT = 0, /**< fp32 for fp32 training, for Megatron in bf16 and fp8, and for PyTorch and TorchTitan
                                   but in pure_bf16; else 16 bit */
  DTC_GRAD_DTYPE_FP32 = 1,    /**< 4 bytes */
  DTC_GRAD_DTYPE_16BIT = 2,   /**< 2 bytes */
};

/** Optimizer; the bytes are per parameter, without the master weight. */
typedef uint32_t dtc_optimizer;
enum {
  DTC_OPTIMIZER_DEFAULT = 0,   /**< adam */
  DTC_OPTIMIZER_ADAM = 1,      /**< Adam, AdamW: two fp32 moments, 8 bytes */
  DTC_OPTIMIZER_SGD = 2,       /**< SGD without momentum: nothing */
  DTC_OPTIMIZER_MOMENTUM = 3,  /**< SGD with momentum: 4 bytes */
  DTC_OPTIMIZER_LION = 4,      /**< Lion: one moment, 4 bytes */
  DTC_OPTIMIZER_ADAM8 = 5,     /**< 8-bit Adam: two moments of 1 byte and a fp32 scale per block of 256 */
  DTC_OPTIMIZER_ADAFACTOR = 6, /**< Adafactor: a row and a column vector per matrix, fp32 */
  DTC_OPTIMIZER_MUON = 7,      /**< Muon: 4 bytes for the matrices of the layers, Adam's 8 for the rest */
  DTC_OPTIMIZER_ADAMAX = 8,    /**< Adamax: two moments, 8 bytes */
  DTC_OPTIMIZER_NADAM = 9,     /**< NAdam: two moments, 8 bytes */
  DTC_OPTIMIZER_RADAM = 10,    /**< RAdam: two moments, 8 bytes */
  DTC_OPTIMIZER_ADAGRAD = 11,  /**< Adagrad: 4 bytes */
  DTC_OPTIMIZER_ADADELTA = 12, /**< Adadelta: 8 bytes */
  DTC_OPTIMIZER_RMSPROP = 13,  /**< RMSprop without momentum, not centered: 4 bytes */
  DTC_OPTIMIZER_RPROP = 14,    /**< Rprop: 8 bytes */
  DTC_OPTIMIZER_ASGD = 15,     /**< ASGD: 4 bytes */
  DTC_OPTIMIZER_LAMB = 16,     /**< LAMB: two moments, 8 bytes */
  DTC_OPTIMIZER_LARS = 17,     /**< LARS: one moment, 4 bytes */
  DTC_OPTIMIZER_ADEMAMIX = 18, /**< AdEMAMix: three moments, 12 bytes */
};

/** How the optimizer step runs over the parameters. */
typedef uint32_t dtc_optimizer_kernel;
enum {
  DTC_OPTIMIZER_KERNEL_DEFAULT = 0, /**< in a plan PyTorch and scaling foreach, the others fused */
  DTC_OPTIMIZER_KERNEL_FUSED = 1,   /**< one kernel, in place, no temporaries */
  DTC_OPTIMIZER_KERNEL_FOREACH = 2, /**< operation by operation over all tensors: a copy of the parameters */
  DTC_OPTIMIZER_KERNEL_LOOP = 3,    /**< tensor by tensor: copies of one tensor */
};

/** How the loss is made of the output head's result. */
typedef uint32_t dtc_loss;
enum {
  DTC_LOSS_DEFAULT = 0,  /**< upcast: as transformers' own, and Megatron's without fusion */
  DTC_LOSS_UPCAST = 1,   /**< cross entropy of logits cast to fp32 */
  DTC_LOSS_SAME = 2,     /**< cross entropy of logits as they come, in 16 bit */
  DTC_LOSS_FUSED = 3,    /**< Megatron's fusion in PyTorch (cross-entropy-fusion-impl native) */
  DTC_LOSS_TE = 4,       /**< Transformer Engine's, in place (cross-entropy-fusion-impl te) */
  DTC_LOSS_COMPILED = 5, /**< torch.compile fuses cast and cross entropy */
};

/** How Megatron brings tokens to experts. */
typedef uint32_t dtc_dispatcher;
enum {
  DTC_DISPATCHER_DEFAULT = 0,   /**< alltoall */
  DTC_DISPATCHER_ALLGATHER = 1, /**< every rank of the expert group gathers all tokens */
  DTC_DISPATCHER_ALLTOALL = 2,  /**< tokens go where their experts are */
  DTC_DISPATCHER_FLEX = 3,      /**< DeepEP, HybridEP */
};

/** What lies in host memory or on NVMe instead of the GPU. */
typedef uint32_t dtc_offload;
enum {
  DTC_OFFLOAD_DEFAULT = 0,   /**< nothing */
  DTC_OFFLOAD_OPTIMIZER = 1, /**< master weights and moments in host memory */
  DTC_OFFLOAD_PARAMS = 2,    /**< the weights too (zero3) */
  DTC_OFFLOAD_NVME = 3,      /**< weights, master weights and moments on NVMe (zero3) */
};

/** What is trained. */
typedef uint32_t dtc_tuning;
enum {
  DTC_TUNING_DEFAULT = 0, /**< full */
  DTC_TUNING_FULL = 1,    /**< all weights, but those that frozen_* name */
  DTC_TUNING_LORA = 2,    /**< low-rank adapters beside frozen weights */
  DTC_TUNING_QLORA = 3,   /**< low-rank adapters beside frozen weights in 4 bit (NF4) */
};

/** Linear layers that have a low-rank adapter. */
typedef uint32_t dtc_lora_targets;
enum {
  DTC_LORA_TARGETS_DEFAULT = 0,   /**< qv */
  DTC_LORA_TARGETS_QV = 1,        /**< query and value projections */
  DTC_LORA_TARGETS_ATTENTION = 2, /**< query, key, value and output projections */
  DTC_LORA_TARGETS_MLP = 3,       /**< the MLP's */
  DTC_LORA_TARGETS_ALL = 4,       /**< all linear layers of the layers */
};

/** How a model is split and trained. */
typedef struct dtc_plan {
  uint32_t struct_size;          /**< sizeof, set by DTC_INIT() */
  dtc_framework framework;       /**< framework */
  dtc_release framework_version; /**< its version; 0 = newest known, DTC_MAIN = head [0, 4294967295] */
  dtc_sharding sharding;         /**< sharding of the model states */
  uint64_t tp;                   /**< tensor parallel degree; 0 = 1 [0, 2^20] */
  uint64_t cp;                   /**< context parallel degree; 0 = 1 [0, 2^20] */
  uint64_t pp;                   /**< pipeline parallel degree; 0 = 1 [0, 2^20] */
  uint64_t vpp;                  /**< model chunks per pipeline rank; 0 = 1 [0, 2^20] */
  uint64_t dp;       /**< data parallel degree, without cp; 0 = what the cluster leaves, else the least [0, 2^32] */
  uint64_t dp_shard; /**< ranks of dp * cp that a state is sharded over; 0 = all, ddp 1, hsdp in a node [0, 2^32] */
  uint64_t ep;       /**< expert parallel degree; 0 = 1 [0, 2^20] */
  uint64_t etp;      /**< tensor parallel degree of the experts; 0 = tp for Megatron, else 1 [0, 2^20] */
  dtc_bool
      sequence_parallel; /**< sequence parallel in the tensor parallel group; default off, TorchTitan with tp > 1 on */
  dtc_schedule schedule; /**< pipeline schedule */
  uint64_t micro_batch;  /**< sequences of a micro-batch, per data-parallel rank; 0 = derived, else 1 [0, 2^32] */
  uint64_t global_batch; /**< sequences of an optimizer step; 0 = micro_batch * dp * accumulation [0, 2^40] */
  uint64_t accumulation; /**< micro-batches of an optimizer step per rank; 0 = derived, else pp [0, 2^32] */
  uint64_t seq;          /**< sequence length, tokens; 0 = the model's context, at most 4096 [0, 2^32] */
  dtc_recompute recompute;    /**< activation recomputation (checkpointing) */
  dtc_attention attention;    /**< attention kernel */
  dtc_precision precision;    /**< training precision */
  dtc_grad_dtype grad_dtype;  /**< type of the kept gradients */
  dtc_optimizer optimizer;    /**< optimizer */
  dtc_bool dropout;           /**< hidden and attention dropout, with adapters theirs; default off */
  uint64_t vocab_multiple;    /**< the vocabulary is padded to its multiple; 0 = Megatron 128 * tp, else 1 [0, 2^32] */
  dtc_bool account_embedding; /**< Megatron: the embedding counts as a layer when layers are split; default off */
  dtc_bool account_loss;      /**< Megatron: the output head and loss count as a layer; default off */
  dtc_bool p2p_overlap;       /**< Megatron: messages of the pipeline overlap; default on when interleaved, else off */
  dtc_bool moe_overlap;       /**< Megatron: expert parallel messages overlap (1F1B with all-to-all); default off */
  uint64_t first_layers;      /**< Megatron: layers of the first pipeline rank; 0 = not given [0, 2^20] */
  uint64_t last_layers;       /**< Megatron: layers of the last pipeline rank; 0 = not given [0, 2^20] */
  uint64_t group;             /**< Megatron, interleaved: micro-batches that run through a chunk before the next;
                                   0 = pp [0, 2^20] */
  dtc_recompute_method recompute_method; /**< which layers full recomputation takes */
  dtc_bool recompute_core_attn;          /**< selective: scores and softmax; default on unless another is on */
  dtc_bool recompute_mlp;                /**< selective: dense MLPs; default off */
  dtc_bool recompute_layernorm;          /**< selective: outputs of norms; default off */
  dtc_bool recompute_moe_act;            /**< selective: activation function of the experts; default off */
  dtc_bool recompute_mla_up_proj;        /**< selective: up-projections of latent attention; default off */
  dtc_bool recompute_moe;                /**< selective: MoE layers' routed part whole; default off */
  dtc_bool recompute_shared_experts;     /**< selective: shared experts; default off */
  uint64_t recompute_layers;             /**< number of recompute_method; 0 = 1, of block all layers [0, 2^20] */
  dtc_loss loss;                         /**< cross entropy */
  dtc_optimizer_kernel optimizer_kernel; /**< optimizer step */
  uint64_t loss_chunks;                  /**< parts of the sequence that head and loss take in turn; 0 = 1 [0, 2^20] */
  dtc_dispatcher dispatcher;             /**< how tokens come to experts */
  dtc_bool grouped_gemm;                 /**< one grouped product for all experts of a rank; default on */
  uint64_t capacity_percent;   /**< rows that an expert takes at most, percent of an even share; 0 = all [0, 10^6] */
  uint64_t load_percent;       /**< rows of the busiest rank's experts, percent of an even share; 0 = 100
                                              [0, 10^6] */
  dtc_bool transformer_engine; /**< Megatron: Transformer Engine's modules, off: the local ones; default on, else off */
  dtc_bool grad_fusion;        /**< Megatron: weight gradients are added in the product; default on, else off */
  dtc_bool attention_mask;     /**< Megatron: the data loader makes an attention mask; default on, else off */
  dtc_bool defer_wgrad;        /**< Megatron: the embedding's weight gradient waits for the end; default off */
  dtc_bool fp8_params;         /**< fp8: weights are kept in fp8 only; default off */
  dtc_bool reshard;            /**< FSDP: weights are freed behind forward; default on */
  dtc_bool bucket_view;        /**< DDP: gradients are views of the buckets; default off */
  dtc_bool vocab_parallel;     /**< logits are split over tensor parallel ranks; default on */
  dtc_bool fused_norm;         /**< norms are one kernel, off: PyTorch's steps; default on for Megatron and for
                                      TorchTitan from 0.2, else off; Hugging Face's are steps in any case */
  dtc_bool compile;            /**< torch.compile; default off */
  dtc_offload offload;         /**< model states in host memory or on NVMe */
  dtc_bool offload_activations;  /**< saved activations in host memory; not Megatron's and scaling's; default off */
  uint64_t bucket;               /**< elements of a bucket of gradients; 0 = DeepSpeed 5 * 10^8, ColossalAI 12 * 2^20,
                                      others none [0, 2^40] */
  uint64_t live;                 /**< DeepSpeed zero3: stage3_max_live_parameters; 0 = 10^9 [0, 2^40] */
  uint64_t persistence;          /**< DeepSpeed zero3: stage3_param_persistence_threshold; 0 = 10^5 [0, 2^40] */
  dtc_tuning tuning;             /**< what is trained */
  dtc_lora_targets lora_targets; /**< linear layers that have an adapter */
  uint64_t lora_rank;            /**< rank of the adapters; 0 = 8 [0, 2^20] */
  uint64_t frozen_layers;        /**< first layers that are not trained [0, 2^32] */
  dtc_bool frozen_embedding;     /**< input embedding is not trained; default off */
  dtc_bool double_quant;         /**< 4 bit: the blocks' scales are quantised too; default off */
  uint32_t quant_inputs; /**< 4 bit: bytes of each value that linear layers keep of their input, in the compute type, as
                                      bitsandbytes before 0.43.2 did; 0 = they keep none [0, 4] */
  dtc_bool step_in_backward;      /**< PyTorch: a layer is stepped as soon as it has its gradients; default off */
  dtc_bool attention_dropout;     /**< dropout of attention scores; default as dropout */
  dtc_bool softmax_fp32;          /**< Megatron: PyTorch's softmax runs in fp32; default off */
  dtc_bool router_fp32;           /**< Megatron: the router's probabilities are in fp32; default off */
  dtc_bool activation_fusion;     /**< Megatron: bias and activation are one kernel; default on */
  dtc_bool recompute_distributed; /**< Megatron, full recomputation: kept inputs are split over tp; default off */
  dtc_bool whole_tensors;    /**< distopt: a tensor lies whole on one rank, as Megatron's layer-wise optimizer deals
                                      them out; default off */
  uint64_t cublas_workspace; /**< bytes of CUBLAS_WORKSPACE_CONFIG; 0 = PyTorch's [0, 2^40] */
  uint64_t encoder_seq;      /**< sequence length of an encoder, tokens; 0 = seq when there is one [0, 2^32] */
  /* Of these only time depends. */
  uint32_t flash_version;    /**< generation of the flash attention kernel; 0 = 3 for cudnn, but not below compute
                                  capability 9.0, else 2 [0, 3] */
  dtc_bool tp_overlap;       /**< messages of tensor parallelism overlap with products: Megatron's tp-comm-overlap,
                                  TorchTitan's async TP; default off */
  dtc_bool grad_overlap;     /**< gradients are reduced while backward runs; default off for Megatron, scaling and
                                  DeepSpeed with pp > 1, else on */
  dtc_bool param_overlap;    /**< Megatron, distopt: weights are gathered while forward runs; default off */
  dtc_cuda_graph cuda_graph; /**< Megatron: what runs as CUDA graphs */
  dtc_fp8_recipe fp8_recipe; /**< fp8: how values are scaled */
  uint64_t packed; /**< mean length of the sequences that one of `seq` tokens is packed of; 0 = seq [0, 2^32] */
} dtc_plan;

/** Pipeline stage: the layers one pipeline rank holds. */
typedef struct dtc_stage {
  uint32_t struct_size;    /**< sizeof, set by DTC_INIT() */
  uint32_t embedding;      /**< 1 when it holds the input embedding */
  uint32_t head;           /**< 1 when it holds the final norm, the output head and the loss */
  uint32_t pad;            /**< 0 */
  uint64_t layers;         /**< transformer layers */
  uint64_t moe_layers;     /**< how many of them are MoE layers */
  uint64_t mtp_layers;     /**< multi-token-prediction modules beside them */
  uint64_t mamba_layers;   /**< how many of the layers are Mamba-2 mixers */
  uint64_t mlp_layers;     /**< how many are an MLP alone; in a hybrid the rest is attention alone */
  uint64_t encoder_layers; /**< encoder layers beside them */
} dtc_stage;

/** Rules of dtc_plan_check(): first those that hold for every framework. Numbers are frozen. */
enum {
  DTC_RULE_TP_HEADS = 100,         /**< tp divides heads */
  DTC_RULE_TP_KV_HEADS = 101,      /**< tp divides kv_heads, or kv_heads divides tp */
  DTC_RULE_TP_FFN = 102,           /**< tp divides ffn */
  DTC_RULE_TP_SHARED_FFN = 103,    /**< tp divides shared_ffn */
  DTC_RULE_ETP_MOE_FFN = 104,      /**< etp divides moe_ffn */
  DTC_RULE_EP_EXPERTS = 105,       /**< ep divides experts */
  DTC_RULE_EP_NEEDS_EXPERTS = 106, /**< ep > 1 needs experts */
  DTC_RULE_EP_WORLD = 107,         /**< ep * etp divides tp * cp * dp */
  DTC_RULE_PP_LAYERS = 108,        /**< pp is at most layers, of an even split */
  DTC_RULE_VPP_LAYERS = 109,       /**< Megatron: pp * vpp divides layers */
  DTC_RULE_VPP_NEEDS_PP = 110,     /**< vpp > 1 needs pp > 1 */
  DTC_RULE_VPP_BATCH = 111,        /**< interleaved: the last group of micro-batches holds pp or more */
  DTC_RULE_CP_SEQ = 112,           /**< 2 * cp divides seq when cp > 1, but for DeepSpeed */
  DTC_RULE_SP_SEQ = 113,           /**< tp * cp divides seq with sequence parallel */
  DTC_RULE_SP_NEEDS_TP = 114,      /**< sequence parallel has no effect with tp = 1 (warning) */
  DTC_RULE_DP_SHARD = 115,         /**< dp_shard divides dp * cp */
  DTC_RULE_BATCH = 116,            /**< micro_batch * dp divides global_batch */
  DTC_RULE_BATCH_PRODUCT = 117,    /**< global_batch = micro_batch * dp * accumulation */
  DTC_RULE_WORLD = 118,            /**< tp * cp * pp * dp, when dp is given, is all of the cluster's GPUs (warning) */
  DTC_RULE_WORLD_SIZE = 119,       /**< tp * cp * pp * dp, when dp is given, is at most the cluster's GPUs */
  DTC_RULE_SEQ_CONTEXT = 120,      /**< seq is at most a learned position table's rows */
  DTC_RULE_TP_DOMAIN = 121,        /**< tp is at most the GPUs joined by NVLink (warning) */
  DTC_RULE_DISTOPT = 122,          /**< distopt is Megatron's */
  DTC_RULE_VPP_SCHEDULE = 123,     /**< vpp > 1 needs a schedule of several chunks */
  DTC_RULE_INTERLEAVED_VPP = 124,  /**< a schedule of several chunks needs vpp > 1 */
  /* What single frameworks do not have. */
  DTC_RULE_MEGATRON_PP_LAYERS = 125, /**< Megatron-Core from 0.11: pp divides layers, unless stages are given */
  DTC_RULE_MEGATRON_ZERO = 126,      /**< Megatron has no zero1..3 */
  DTC_RULE_MEGATRON_HSDP = 127,      /**< Megatron has no hsdp */
  DTC_RULE_TORCHTITAN_ZERO = 128,    /**< TorchTitan has no zero1..3 */
  DTC_RULE_PYTORCH_ZERO = 129,       /**< PyTorch has no zero2, zero3 (fsdp is its own) */
  DTC_RULE_DEEPSPEED_FSDP = 130,     /**< DeepSpeed has no fsdp, hsdp (zero3 is its own) */
  DTC_RULE_COLOSSALAI_HSDP = 131,    /**< ColossalAI has no hsdp */
  DTC_RULE_PYTORCH_PP = 132,         /**< pp > 1 is none of plain PyTorch */
  DTC_RULE_PYTORCH_EP = 133,         /**< ep > 1 is none of plain PyTorch */
  DTC_RULE_DEEPSPEED_VPP = 134,      /**< DeepSpeed's pipeline has no model chunks */
  DTC_RULE_DEEPSPEED_PP_ZERO = 135,  /**< DeepSpeed's pipeline takes no zero2, zero3 */
  DTC_RULE_SELECTIVE = 136,          /**< selective recomputation, as counted here, is Megatron's or TorchTitan's
                                          (warning) */
  DTC_RULE_MEGATRON_FSDP = 137,      /**< Megatron's fsdp is counted like FSDP2 (warning) */
  /* Machines. */
  DTC_RULE_TP_CP_DOMAIN = 138,  /**< tp * cp is at most the GPUs joined by NVLink (warning) */
  DTC_RULE_EP_DOMAIN = 139,     /**< ep * etp is at most the GPUs joined by NVLink (warning) */
  DTC_RULE_WORLD_DIVIDES = 140, /**< tp * cp * pp divides the cluster's GPUs when dp is not given */
  /* Settings of Megatron alone. */
  DTC_RULE_FIRST_LAYERS = 141,      /**< first_layers is Megatron's */
  DTC_RULE_LAST_LAYERS = 142,       /**< last_layers is Megatron's */
  DTC_RULE_ACCOUNT_EMBEDDING = 143, /**< account_embedding is Megatron's */
  DTC_RULE_ACCOUNT_LOSS = 144,      /**< account_loss is Megatron's */
  DTC_RULE_GROUP = 145,             /**< group is Megatron's */
  DTC_RULE_P2P_OVERLAP = 146,       /**< p2p_overlap is Megatron's */
  DTC_RULE_MOE_OVERLAP = 147,       /**< moe_overlap is Megatron's */
  /* Schedules. */
  DTC_RULE_V_CHUNKS = 148,            /**< schedules in a V, and dualpipe, work with vpp = 2 */
  DTC_RULE_DUALPIPE_RANKS = 149,      /**< dualpipe: pp is even */
  DTC_RULE_DUALPIPE_EVEN = 150,       /**< dualpipe: accumulation is even */
  DTC_RULE_DUALPIPE_BATCH = 151,      /**< dualpipe, dualpipe_v: 2 * pp is at most accumulation */
  DTC_RULE_TORCH_ROUNDS = 152,        /**< PyTorch's interleaved: its rounds divide accumulation */
  DTC_RULE_TORCH_1F1B = 153,          /**< PyTorch's 1f1b: pp is at most accumulation */
  DTC_RULE_MEGATRON_SCHEDULE = 154,   /**< a schedule of Megatron-LM or its fork */
  DTC_RULE_DEEPSPEED_SCHEDULE = 155,  /**< DeepSpeed has 1f1b alone */
  DTC_RULE_COLOSSALAI_SCHEDULE = 156, /**< ColossalAI has 1f1b, interleaved and zbv */
  DTC_RULE_TORCH_SCHEDULE = 157,      /**< a schedule of torch.distributed.pipelining */
  DTC_RULE_CHUNK_LAYERS = 158,        /**< not Megatron: pp * vpp is at most layers */
  /* Megatron. */
  DTC_RULE_MEGATRON_DROPPED = 159,         /**< before 0.11: layers that pp does not divide are dropped (warning) */
  DTC_RULE_MEGATRON_ENDS = 160,            /**< first_layers + last_layers is at most layers */
  DTC_RULE_MEGATRON_MIDDLE = 161,          /**< the other ranks divide what first_layers and last_layers leave */
  DTC_RULE_MEGATRON_FIRST_CHUNKS = 162,    /**< vpp divides first_layers */
  DTC_RULE_MEGATRON_LAST_CHUNKS = 163,     /**< vpp divides last_layers */
  DTC_RULE_MEGATRON_MIDDLE_CHUNKS = 164,   /**< vpp divides the layers of each other rank */
  DTC_RULE_MEGATRON_TWO_ENDS = 165,        /**< vpp > 1 with no rank but first and last: Megatron divides by zero */
  DTC_RULE_MEGATRON_ENDS_EMBEDDING = 166,  /**< account_embedding goes with neither first_layers nor last_layers */
  DTC_RULE_MEGATRON_ENDS_LOSS = 167,       /**< account_loss goes with neither first_layers nor last_layers */
  DTC_RULE_MEGATRON_ENDS_V = 168,          /**< schedules in a V split layers evenly */
  DTC_RULE_MEGATRON_ENDS_VERSION = 169,    /**< first_layers, last_layers: from 0.9 */
  DTC_RULE_MEGATRON_ENDS_VPP = 170,        /**< with vpp > 1 from 0.11 */
  DTC_RULE_MEGATRON_ACCOUNT_VERSION = 171, /**< account_embedding, account_loss: from 0.11 */
  DTC_RULE_MEGATRON_GROUP_LEAST = 172,     /**< group is at least pp */
  DTC_RULE_MEGATRON_GROUP_MOST = 173,      /**< group is at most accumulation */
  DTC_RULE_MEGATRON_P2P_RANKS = 174,       /**< vpp > 1 with pp = 2 needs p2p_overlap */
  DTC_RULE_MEGATRON_P2P_UNUSED = 175,      /**< p2p_overlap has no effect unless interleaved (warning) */
  DTC_RULE_MOE_OVERLAP_EP = 176,           /**< moe_overlap needs ep > 1 */
  DTC_RULE_MOE_OVERLAP_VPP = 177,          /**< moe_overlap with pp > 1 needs vpp > 1 */
  DTC_RULE_MOE_OVERLAP_RECOMPUTE = 178,    /**< moe_overlap does not go with full recomputation */
  DTC_RULE_MOE_OVERLAP_PRECISION = 179,    /**< moe_overlap does not go with fp32 */
  DTC_RULE_MEGATRON_EP_DP = 180,           /**< before 0.10: ep divides dp */
  DTC_RULE_MEGATRON_EP_CP = 181,           /**< before 0.8: ep > 1 does not go with cp > 1 */
  DTC_RULE_MEGATRON_ETP = 182,             /**< before 0.10: etp = tp */
  /* The others. */
  DTC_RULE_DEEPSPEED_MOE_ZERO3 = 183,   /**< before 0.19.3: ep > 1 does not go with zero3 */
  DTC_RULE_DEEPSPEED_ZERO3_TP = 184,    /**< ep > 1 with zero3 needs tp = 1 */
  DTC_RULE_DEEPSPEED_ZERO3_CP = 185,    /**< ep > 1 with zero3 needs cp = 1 */
  DTC_RULE_DEEPSPEED_ZERO3_ETP = 186,   /**< ep > 1 with zero3 needs etp = 1 */
  DTC_RULE_ULYSSES_HEADS = 187,         /**< DeepSpeed: cp divides heads */
  DTC_RULE_ULYSSES_SEQ = 188,           /**< DeepSpeed: cp divides seq */
  DTC_RULE_TORCHTITAN_EP_SHARD = 189,   /**< TorchTitan with hsdp: ep divides dp_shard * tp */
  DTC_RULE_TORCHTITAN_ZB = 190,         /**< TorchTitan: interleaved_zb needs vpp > 1 */
  DTC_RULE_COLOSSALAI_EP_DP = 191,      /**< ColossalAI: ep divides dp */
  DTC_RULE_COLOSSALAI_PP_ZERO = 192,    /**< ColossalAI's pipeline takes no zero2, zero3, fsdp */
  DTC_RULE_COLOSSALAI_SP = 193,         /**< ColossalAI: sequence parallel needs tp > 1 */
  DTC_RULE_COLOSSALAI_WORLD = 194,      /**< ColossalAI: tp * pp divides the GPUs when dp is not given */
  DTC_RULE_COLOSSALAI_IDLE = 195,       /**< ColossalAI does not look whether tp * cp * pp does (warning) */
  DTC_RULE_PYTORCH_TP_REPLICAS = 196,   /**< accelerate: tp > 1 with dp > 1 needs fsdp or hsdp (warning) */
  DTC_RULE_PYTORCH_CP_REPLICAS = 197,   /**< accelerate: cp > 1 with dp > 1 needs fsdp or hsdp (warning) */
  DTC_RULE_COLOSSALAI_SIZE = 198,       /**< ColossalAI: tp * cp * pp is at most the GPUs when dp is not given */
  DTC_RULE_MEGATRON_GROUP_UNUSED = 199, /**< Megatron: group has no effect unless interleaved (warning) */
  /* Models with an encoder, and hybrids. */
  DTC_RULE_ENCODER_PP = 250,       /**< Megatron: a model with an encoder has no pipeline */
  DTC_RULE_ENCODER_SEQ = 251,      /**< encoder_seq needs an encoder */
  DTC_RULE_ENCODER_CONTEXT = 252,  /**< encoder_seq is at most a learned position table's rows */
  DTC_RULE_MAMBA_TP_GROUPS = 253,  /**< tp divides mamba_groups */
  DTC_RULE_MAMBA_RANK_HEADS = 254, /**< cp * tp divides mamba_heads */
  /* Memory settings that have no effect. */
  DTC_RULE_TRANSFORMER_ENGINE = 800,    /**< transformer_engine is Megatron's (warning) */
  DTC_RULE_GRAD_FUSION = 801,           /**< grad_fusion is Megatron's (warning) */
  DTC_RULE_ATTENTION_MASK = 802,        /**< attention_mask is Megatron's (warning) */
  DTC_RULE_DEFER_WGRAD = 803,           /**< defer_wgrad is Megatron's (warning) */
  DTC_RULE_SOFTMAX_FP32 = 804,          /**< softmax_fp32 is Megatron's (warning) */
  DTC_RULE_ROUTER_FP32 = 805,           /**< router_fp32 is Megatron's (warning) */
  DTC_RULE_RECOMPUTE_DISTRIBUTED = 806, /**< recompute_distributed is Megatron's (warning) */
  DTC_RULE_WHOLE_TENSORS = 807,         /**< whole_tensors is Megatron's (warning) */
  DTC_RULE_DISPATCHER = 808,            /**< allgather is Megatron's (warning) */
  DTC_RULE_CAPACITY = 809,              /**< capacity_percent is Megatron's (warning) */
  DTC_RULE_CAPACITY_EXPERTS = 810,      /**< capacity_percent needs experts (warning) */
  DTC_RULE_LOAD_EXPERTS = 811,          /**< load_percent needs experts (warning) */
  DTC_RULE_LOAD_CAPACITY = 812,         /**< load_percent has no effect under a capacity (warning) */
  DTC_RULE_WHOLE_MUON = 813,            /**< whole_tensors is for muon (warning) */
  DTC_RULE_RECOMPUTE_BLOCK = 814,       /**< a block of recomputed layers needs full recomputation (warning) */
  DTC_RULE_FP8_PARAMS = 815,            /**< fp8_params needs fp8 or fp4 (warning) */
  DTC_RULE_DEFER_PP = 816,              /**< defer_wgrad needs pp > 1 (warning) */
  DTC_RULE_SOFTMAX_MATH = 817,          /**< softmax_fp32 is of PyTorch's softmax, attention math (warning) */
  /* Offloading. */
  DTC_RULE_OFFLOAD_FRAMEWORK = 820,   /**< offload is counted for DeepSpeed and ColossalAI */
  DTC_RULE_OFFLOAD_ZERO = 821,        /**< offload needs zero1, zero2 or zero3 */
  DTC_RULE_OFFLOAD_PARAMS = 822,      /**< weights on the host or on NVMe need zero3 */
  DTC_RULE_COLOSSALAI_NVME = 823,     /**< ColossalAI keeps no weights on NVMe */
  DTC_RULE_OFFLOAD_CHECKPOINTS = 824, /**< DeepSpeed: offload_activations moves checkpoints: recompute = full */
  DTC_RULE_ZERO3_LIVE = 825,          /**< live has no effect without zero3 (warning) */
  DTC_RULE_ZERO3_PERSISTENCE = 826,   /**< persistence has no effect without zero3 (warning) */
  DTC_RULE_SCALING_SHARDING = 827,    /**< scaling has ddp and zero1 */
  DTC_RULE_SCALING_SCHEDULE = 828,    /**< scaling has 1f1b alone */
  DTC_RULE_SCALING_EXPERTS = 829,     /**< scaling has no experts */
  DTC_RULE_SCALING_CP = 830,          /**< scaling has no context parallelism */
  /* Fine-tuning; those from 846 on are memory's, which does not count everything. */
  DTC_RULE_FROZEN_LAYERS = 840,    /**< frozen_layers is at most layers */
  DTC_RULE_LORA_RANK = 841,        /**< lora_rank has no effect without adapters (warning) */
  DTC_RULE_LORA_TARGETS = 842,     /**< lora_targets has no effect without adapters (warning) */
  DTC_RULE_DOUBLE_QUANT = 843,     /**< double_quant has no effect without qlora (warning) */
  DTC_RULE_QUANT_INPUTS = 844,     /**< quant_inputs has no effect without qlora (warning) */
  DTC_RULE_STEP_IN_BACKWARD = 845, /**< step_in_backward needs accumulation = 1 */
  DTC_RULE_TUNING_FRAMEWORK = 846, /**< fine-tuning is counted for PyTorch, DeepSpeed and ColossalAI, steps in backward
                                        for PyTorch and TorchTitan */
  DTC_RULE_TUNING_DEGREE = 847,    /**< fine-tuning is counted without tp, cp, pp and ep */
  DTC_RULE_TUNING_SHARDED = 848,   /**< 4-bit weights and frozen layers are counted without sharded weights, steps in
                                        backward without sharded states */
  DTC_RULE_TUNING_MODEL = 849,     /**< adapters are counted beside the linear layers of attention and of a dense MLP */
  DTC_RULE_OFFLOAD_ACTIVATIONS = 850, /**< memory of offload_activations is not counted for Megatron and scaling */
  /* What only time depends on. */
  DTC_RULE_TP_OVERLAP_TP = 900,          /**< tp_overlap has no effect with tp = 1 (warning) */
  DTC_RULE_TP_OVERLAP_SP = 901,          /**< Megatron: tp_overlap needs sequence parallel */
  DTC_RULE_TP_OVERLAP_COMPILE = 902,     /**< TorchTitan: tp_overlap needs compile */
  DTC_RULE_PARAM_OVERLAP = 903,          /**< param_overlap is Megatron's (warning) */
  DTC_RULE_PARAM_OVERLAP_SHARDING = 904, /**< Megatron: param_overlap needs distopt, or its fsdp */
  DTC_RULE_PARAM_OVERLAP_GRAD = 905,     /**< Megatron: param_overlap needs grad_overlap */
  DTC_RULE_CUDA_GRAPH = 906,             /**< cuda_graph is Megatron's (warning) */
  DTC_RULE_FP8_RECIPE = 907,             /**< fp8_recipe needs fp8 (warning) */
  DTC_RULE_FP8_COMPUTE = 908,            /**< fp8 on a GPU of NVIDIA needs compute capability 8.9 */
  DTC_RULE_FP8_RECIPE_COMPUTE = 909,     /**< mx on a GPU of NVIDIA needs compute capability 10.0 */
  DTC_RULE_FP4_COMPUTE = 910,            /**< fp4 on a GPU of NVIDIA needs compute capability 10.0 */
  DTC_RULE_PACKED = 911,                 /**< packed is at most seq */
  DTC_RULE_FLASH_VERSION = 912,          /**< flash_version 3 runs as 2 below compute capability 9.0 (warning) */
};

/**
 * @brief Fills every default field and checks the plan against every rule; stops at the first error. Idempotent.
 * @param model what is trained
 * @param cluster on what; NULL when only the plan matters: dp then defaults to 1
 * @param plan how it is split
 * @param out the plan with no default left; may be the same object
 * @param err may be NULL
 * @return DTC_OK, DTC_E_SIZE, DTC_E_NEWER, DTC_E_RANGE, DTC_E_DIVIDE, DTC_E_CONFLICT, DTC_E_OVERFLOW, with the nearest
 *         legal values in err; DTC_E_UNSUPPORTED as dtc_model_resolve(). Exact. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_plan_resolve(const dtc_model *model, const dtc_cluster *cluster,
                                                  const dtc_plan *plan, dtc_plan *out, dtc_error *err);

/**
 * @brief All findings about a plan: errors and warnings, in the order of their rule numbers.
 * @param model what is trained
 * @param cluster on what; may be NULL
 * @param plan how it is split; defaults are filled as in dtc_plan_resolve()
 * @param findings array of cap findings; findings[0].struct_size is the stride and must be valid when cap > 0
 * @param cap length of findings
 * @param count findings there are
 * @param err may be NULL
 * @return DTC_OK (also when there are findings), DTC_E_SPACE (*count was written), DTC_E_SIZE, DTC_E_NEWER, DTC_E_RANGE
 *         (a field is outside its own range: nothing can be said), DTC_E_OVERFLOW, as dtc_model_resolve() and
 *         dtc_cluster_resolve() for what they refuse. Exact. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_plan_check(const dtc_model *model, const dtc_cluster *cluster,
                                                const dtc_plan *plan, dtc_error *findings, size_t cap, size_t *count,
                                                dtc_error *err);

/**
 * @brief Reads the one-line text form: `dtcore: model=llama-3-70b megatron@0.19 tp=8 pp=4 dp=16 sp mbs=1 seq=4096`.
 *        Reading starts behind the first "dtcore:" (at the start of a text without one) and ends at ';', a line end,
 *        NUL or the end, so that the plan can stand beside other text. Words not given stay 0, default.
 * @param text need not end in NUL
 * @param len bytes
 * @param model filled from the catalogue when the text names one, untouched otherwise; may be NULL
 * @param plan the plan, not resolved
 * @param err may be NULL; offset is the place of the word
 * @return DTC_OK, DTC_E_SIZE, DTC_E_NEWER, DTC_E_UNKNOWN (word or name), DTC_E_PARSE (value), DTC_E_CONFLICT (a word
 *         twice), DTC_E_RANGE. Exact. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_plan_parse(const char *text, size_t len, dtc_model *model, dtc_plan *plan,
                                                dtc_error *err);

/**
 * @brief Writes the one-line text form; dtc_plan_parse() reads the same plan back. Default fields are left out.
 * @param model_name name for `model=`, of letters, digits, '.', '_', '-' and '/'; NULL to leave it out
 * @param plan the plan
 * @param buf where to write; may be NULL when cap is 0
 * @param cap bytes in buf; the text is cut to cap - 1 bytes and always ends in NUL
 * @param len bytes of the whole text without the NUL; may be NULL
 * @param err may be NULL
 * @return DTC_OK, DTC_E_SIZE, DTC_E_NEWER, DTC_E_RANGE, DTC_E_PARSE (model_name), DTC_E_CONFLICT (a version of the
 *         default framework). Exact. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_plan_format(const char *model_name, const dtc_plan *plan, char *buf, size_t cap,
                                                 size_t *len, dtc_error *err);

/**
 * @brief What a pipeline rank holds, as the plan's framework splits the layers: Megatron evenly or as first_layers,
 *        last_layers and account_* say; TorchTitan with one layer less on the first and on the last stage; ColossalAI
 *        gives what does not divide to the middle; the others to the first. Embedding and head fill a rank each where
 *        DeepSpeed has more ranks than layers. A rank's chunks are added up. The kinds of a hybrid's layers are spread
 *        evenly, as dtc_model_tensor() says: not the pattern of a real one, whose stages a caller must count.
 * @param model what is trained
 * @param plan how it is split
 * @param index pipeline rank [0, pp)
 * @param out its layers
 * @param err may be NULL
 * @return as dtc_plan_resolve(), DTC_E_RANGE for index. Exact for Megatron-Core, TorchTitan and ColossalAI, but for a
 *         hybrid's kinds of layers. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_plan_stage(const dtc_model *model, const dtc_plan *plan, uint64_t index,
                                                dtc_stage *out, dtc_error *err);

#ifdef __cplusplus
}
#endif
#endif

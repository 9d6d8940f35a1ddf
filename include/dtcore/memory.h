/**
 * @file memory.h
 * @brief What each GPU must hold, and on how many GPUs a model fits.
 */
#ifndef DTCORE_MEMORY_H
#define DTCORE_MEMORY_H

#include <dtcore/shard.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Bytes of the model states of one GPU. */
typedef struct dtc_model_states {
  uint32_t struct_size; /**< sizeof, set by DTC_INIT() */
  uint32_t pad;         /**< 0 */
  uint64_t weights;     /**< weights that are trained with, bytes */
  uint64_t gradients;   /**< gradients, bytes */
  uint64_t master;      /**< fp32 master weights, bytes */
  uint64_t moments;     /**< optimizer states, bytes */
  uint64_t total;       /**< sum, bytes */
} dtc_model_states;

/** Moments of a training step, in its order. */
typedef uint32_t dtc_moment;
enum {
  DTC_MOMENT_NONE = 0,
  DTC_MOMENT_FORWARD = 1,   /**< forward of the head and loss, while it runs */
  DTC_MOMENT_FORWARDED = 2, /**< between forward and backward */
  DTC_MOMENT_LOSS = 3,      /**< backward of the loss, on the stage with the head */
  DTC_MOMENT_HEAD = 4,      /**< backward of the output head */
  DTC_MOMENT_BACKWARD = 5,  /**< backward of the layer that runs first, with what is recomputed for it */
  DTC_MOMENT_EXPERTS = 6,   /**< backward of its experts */
  DTC_MOMENT_BOUNDARY = 7,  /**< between two layers */
  DTC_MOMENT_END = 8,       /**< end of backward, while the last gradients are reduced */
  DTC_MOMENT_REDUCED = 9,   /**< between backward and optimizer step */
  DTC_MOMENT_STEP = 10,     /**< optimizer step */
  DTC_MOMENT_REST = 11,     /**< between two steps */
};

/** What an item of dtc_memory is, for dtc_min_gpus.limit. */
typedef uint32_t dtc_memory_item;
enum {
  DTC_MEMORY_ITEM_NONE = 0,
  DTC_MEMORY_ITEM_WEIGHTS = 1,     /**< dtc_memory.weights */
  DTC_MEMORY_ITEM_GRADIENTS = 2,   /**< dtc_memory.gradients */
  DTC_MEMORY_ITEM_OPTIMIZER = 3,   /**< dtc_memory.optimizer */
  DTC_MEMORY_ITEM_BUCKETS = 4,     /**< dtc_memory.buckets */
  DTC_MEMORY_ITEM_GATHERED = 5,    /**< dtc_memory.gathered */
  DTC_MEMORY_ITEM_ACTIVATIONS = 6, /**< dtc_memory.activations */
  DTC_MEMORY_ITEM_TRANSIENT = 7,   /**< dtc_memory.transient */
  DTC_MEMORY_ITEM_WORKSPACE = 8,   /**< dtc_memory.workspace */
};

/**
 * Peak memory of one GPU of a pipeline stage, by item, bytes: what is there at the moment of the peak. States exact
 * without padding, the rest a model.
 */
typedef struct dtc_memory {
  uint32_t struct_size;    /**< sizeof, set by DTC_INIT() */
  dtc_moment moment;       /**< when the peak comes */
  uint64_t stage;          /**< pipeline stage */
  uint64_t params;         /**< parameters of the stage that a rank of tp * ep works on, before dp sharding */
  uint64_t in_flight;      /**< micro-batches whose activations are held at once; model chunks when vpp > 1 */
  uint64_t weights;        /**< weights, and TorchTitan's rotary tables, bytes */
  uint64_t gradients;      /**< gradients that are there at the peak, bytes */
  uint64_t optimizer;      /**< master weights and optimizer states, bytes */
  uint64_t buckets;        /**< communication buckets, bytes */
  uint64_t gathered;       /**< weights gathered for use (zero3, fsdp), and 16-bit copies made by autocast, bytes */
  uint64_t activations;    /**< saved for backward, all micro-batches in flight, bytes */
  uint64_t transient;      /**< at the peak: logits, a recomputed layer, or step temporaries, bytes */
  uint64_t workspace;      /**< of kernels (cuBLAS, Transformer Engine), and reused weight-gradient buffers, bytes */
  uint64_t allocated;      /**< sum of the above, as torch.cuda.max_memory_allocated, bytes */
  uint64_t reserved;       /**< what the caching allocator then holds, bytes */
  uint64_t device;         /**< reserved, CUDA context and NCCL, as nvidia-smi shows, bytes */
  uint64_t capacity;       /**< the cluster's usable memory, bytes; 0 without a cluster */
  dtc_bool fits;           /**< on when device <= capacity; default without a cluster */
  uint32_t exact;          /**< mask: bit n is set when the item with dtc_memory_item n is exact, as tensors have it:
                                the allocator rounds each up to 512 bytes */
  uint64_t steady;         /**< allocated between two steps, as torch.cuda.memory_allocated, bytes */
  uint64_t allocated_low;  /**< allocated is between low and high in nine runs of ten, bytes; equal when all items are
                                exact */
  uint64_t allocated_high; /**< see allocated_low, bytes */
  uint64_t reserved_low;   /**< the same of reserved, bytes */
  uint64_t reserved_high;  /**< the same of reserved, bytes */
  uint64_t device_low;     /**< the same of device, bytes */
  uint64_t device_high;    /**< the same of device, bytes */
  uint64_t host;           /**< host memory of this rank: what is offloaded, with its buffers, bytes */
  uint64_t host_node;      /**< the same of a node's ranks, bytes; without a cluster a node has 8 */
  uint64_t nvme;           /**< NVMe of this rank, bytes */
  dtc_memory_item largest; /**< item that takes most at the peak */
  uint32_t pad;            /**< 0 */
  uint64_t host_high;      /**< host with half as much more, which pinned blocks may take (DeepSpeed's rule), bytes */
  uint64_t host_node_high; /**< the same of a node, bytes */
} dtc_memory;

/** What a GPU holds at one moment of a step, by item, bytes; items as in dtc_memory. */
typedef struct dtc_memory_held {
  uint32_t struct_size; /**< sizeof, set by DTC_INIT() */
  dtc_moment moment;    /**< when */
  uint64_t weights;     /**< weights, bytes */
  uint64_t gradients;   /**< gradients, bytes */
  uint64_t optimizer;   /**< master weights and optimizer states, bytes */
  uint64_t buckets;     /**< communication buckets, bytes */
  uint64_t gathered;    /**< weights gathered for use, bytes */
  uint64_t activations; /**< saved for backward, bytes */
  uint64_t transient;   /**< temporaries, bytes */
  uint64_t workspace;   /**< of kernels, bytes */
  uint64_t allocated;   /**< sum, bytes */
} dtc_memory_held;

/** One term of the sum: count * each / ranks, rounded up. A record, frozen for ever. */
typedef struct dtc_memory_term {
  uint32_t index;       /**< for dtc_memory_term_text() */
  dtc_memory_item item; /**< item that it is part of */
  uint32_t moments;     /**< mask: bit n is set when it is there at the dtc_moment n, bit 0 when in `reserved` alone */
  uint32_t pad;         /**< 0 */
  uint64_t count;       /**< how many of the unit that the text names */
  uint64_t each;        /**< bytes of one */
  uint64_t ranks;       /**< ranks that share them */
  uint64_t bytes;       /**< the term, bytes */
} dtc_memory_term;

/** Fewest GPUs. */
typedef struct dtc_min_gpus {
  uint32_t struct_size;  /**< sizeof, set by DTC_INIT() */
  dtc_memory_item limit; /**< when nothing fits: the largest item, which more GPUs do not shrink */
  uint64_t gpus;         /**< fewest GPUs; 0 when no number of GPUs helps */
  uint64_t nodes;        /**< nodes for them */
  uint64_t device;       /**< memory of the worst GPU, bytes: of the answer, or at best when nothing fits */
  uint64_t capacity;     /**< usable memory of a GPU, bytes */
  uint64_t limit_bytes;  /**< when nothing fits: bytes of that item, at best */
} dtc_min_gpus;

/** Whose optimizer. */
typedef uint32_t dtc_optimizer_library;
enum {
  DTC_OPTIMIZER_LIBRARY_DEFAULT = 0,      /**< bitsandbytes for adam8, lion, lamb, lars and ademamix, else torch */
  DTC_OPTIMIZER_LIBRARY_TORCH = 1,        /**< torch.optim */
  DTC_OPTIMIZER_LIBRARY_BITSANDBYTES = 2, /**< bitsandbytes.optim */
  DTC_OPTIMIZER_LIBRARY_TORCHAO = 3,      /**< torchao.optim */
};

/** What states are stored as. */
typedef uint32_t dtc_optimizer_format;
enum {
  DTC_OPTIMIZER_FORMAT_DEFAULT = 0, /**< full; adam8 and torchao int8 */
  DTC_OPTIMIZER_FORMAT_FULL = 1,    /**< torch the tensor's type, bitsandbytes fp32 */
  DTC_OPTIMIZER_FORMAT_INT8 = 2,    /**< 1 byte, and a fp32 scale per block of 256 */
  DTC_OPTIMIZER_FORMAT_INT4 = 3,    /**< torchao: half a byte, and a fp32 scale per block of 128 */
  DTC_OPTIMIZER_FORMAT_FP8 = 4,     /**< torchao: 1 byte, and a fp32 scale per block of 256 */
};

/** An optimizer with its settings. */
typedef struct dtc_optimizer_spec {
  uint32_t struct_size;          /**< sizeof, set by DTC_INIT() */
  dtc_optimizer optimizer;       /**< which; default adam */
  dtc_optimizer_library library; /**< whose */
  dtc_optimizer_kernel kernel;   /**< torch: how it steps; default foreach */
  dtc_optimizer_format format;   /**< what states are stored as */
  dtc_dtype dtype;               /**< type of tensors that name none; default bf16 */
  dtc_bool amsgrad;              /**< adam of torch and torchao: a third state; default off */
  dtc_bool momentum;             /**< rmsprop of torch: a state for momentum; default off */
  dtc_bool centered;             /**< rmsprop of torch: a state for the mean gradient; default off */
  dtc_bool nesterov;             /**< momentum of torch: Nesterov's, with weight decay; default off */
  dtc_bool capturable;           /**< torch: step counters on the GPU, for CUDA graphs; default off */
  dtc_bool gpu_default;          /**< torch.set_default_device("cuda"): counters follow, adam's do not; default off */
} dtc_optimizer_spec;

/** What an optimizer keeps and needs for a list of tensors. */
typedef struct dtc_optimizer_held {
  uint32_t struct_size; /**< sizeof, set by DTC_INIT() */
  uint32_t pad;         /**< 0 */
  uint64_t device;      /**< states on the GPU, bytes */
  uint64_t host;        /**< states in host memory, bytes */
  uint64_t rounded;     /**< device with each tensor rounded up to 512, as torch allocates, bytes */
  uint64_t first_step;  /**< most that the first step adds, its new states included, bytes; DTC_NONE = not known */
  uint64_t later_step;  /**< most that a later step adds, without weight decay, bytes; DTC_NONE = not known */
} dtc_optimizer_held;

/**
 * @brief Model states of one GPU for a number of parameters: bytes per parameter by framework, precision, gradient
 *        type, optimizer, and sharding over dp_shard of dp * cp ranks.
 * @param params parameters that the GPU's tensor and pipeline parallel rank works on [1, 2^56]
 * @param plan how they are kept; tp, pp and ep do not divide `params` again
 * @param out bytes
 * @param err may be NULL
 * @return DTC_OK, DTC_E_SIZE, DTC_E_NEWER, DTC_E_RANGE, DTC_E_OVERFLOW, DTC_E_UNSUPPORTED (adafactor, muon, adapters,
 *         frozen weights and steps in backward need the shapes). Exact: Megatron-Core 0.16 6 + 12/(dp cp), DeepSpeed
 *         0.19 2 + 2 + 12, PyTorch 2.x; without padding but for DeepSpeed's zero1 and zero2, whose flat buffer (of one
 *         parameter group) is padded. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_memory_states(uint64_t params, const dtc_plan *plan, dtc_model_states *out,
                                                   dtc_error *err);

/**
 * @brief Peak memory of the GPU that needs most.
 * @param model what is trained
 * @param cluster on what; may be NULL: then nothing is said about fitting
 * @param plan how it is split
 * @param stages pp stages, stages[0].struct_size apart, or NULL for dtc_plan_stage()
 * @param n length of stages; 0 with NULL
 * @param out the worst stage
 * @param err may be NULL
 * @return as dtc_plan_resolve(), DTC_E_CONFLICT (stages do not add up), DTC_E_UNSUPPORTED. States exact without
 *         padding, the rest a model; measured error in doc/accuracy.md. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_memory_estimate(const dtc_model *model, const dtc_cluster *cluster,
                                                     const dtc_plan *plan, const dtc_stage *stages, size_t n,
                                                     dtc_memory *out, dtc_error *err);

/**
 * @brief Peak memory of every pipeline stage.
 * @param model what is trained
 * @param cluster on what; may be NULL
 * @param plan how it is split
 * @param stages pp stages, stages[0].struct_size apart, or NULL for dtc_plan_stage()
 * @param n length of stages; 0 with NULL
 * @param out array of cap results; out[0].struct_size is the stride and must be valid when cap > 0
 * @param cap length of out
 * @param count stages there are
 * @param err may be NULL
 * @return as dtc_memory_estimate(), DTC_E_SPACE (*count was written). Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_memory_stages(const dtc_model *model, const dtc_cluster *cluster,
                                                   const dtc_plan *plan, const dtc_stage *stages, size_t n,
                                                   dtc_memory *out, size_t cap, size_t *count, dtc_error *err);

/**
 * @brief What the GPU of one pipeline stage holds, moment by moment.
 * @param model what is trained
 * @param cluster on what; may be NULL
 * @param plan how it is split
 * @param index pipeline rank [0, pp)
 * @param stages pp stages, stages[0].struct_size apart, or NULL for dtc_plan_stage()
 * @param n length of stages; 0 with NULL
 * @param held array of cap moments, in the order of dtc_moment; those that a stage has not are left out;
 *        held[0].struct_size is the stride and must be valid when cap > 0
 * @param cap length of held
 * @param count moments there are, at most 11
 * @param err may be NULL
 * @return as dtc_memory_estimate(), DTC_E_RANGE for index, DTC_E_SPACE (*count was written). Model. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_memory_moments(const dtc_model *model, const dtc_cluster *cluster,
                                                    const dtc_plan *plan, uint64_t index, const dtc_stage *stages,
                                                    size_t n, dtc_memory_held *held, size_t cap, size_t *count,
                                                    dtc_error *err);

/**
 * @brief The terms that dtc_memory_moments() adds up: which formula gave which bytes.
 * @param model what is trained
 * @param cluster on what; may be NULL
 * @param plan how it is split
 * @param index pipeline rank [0, pp)
 * @param stages pp stages, stages[0].struct_size apart, or NULL for dtc_plan_stage()
 * @param n length of stages; 0 with NULL
 * @param terms array of cap terms; terms of 0 bytes are left out
 * @param cap length of terms
 * @param count terms there are, at most 128
 * @param err may be NULL
 * @return as dtc_memory_moments(). Model. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_memory_terms(const dtc_model *model, const dtc_cluster *cluster,
                                                  const dtc_plan *plan, uint64_t index, const dtc_stage *stages,
                                                  size_t n, dtc_memory_term *terms, size_t cap, size_t *count,
                                                  dtc_error *err);

/**
 * @brief What a term is: "logits in fp32 and 16 bit".
 * @param index dtc_memory_term.index
 * @param lang 0 English, 1 Chinese; of others English
 * @return constant string; NULL when there is no such term. Exact. Since 1.0.
 */
DTC_API const char *dtc_memory_term_text(uint32_t index, dtc_lang lang);

/**
 * @brief Fewest GPUs on which a model fits, for the plan's sharding, and the plan that takes them. Degrees that the
 *        plan gives stay. ddp, zero1..3, fsdp and hsdp vary dp; distopt varies tp (within the NVLink domain), pp (to
 *        1024), dp, takes the largest ep for them, and turns sequence parallelism on with tp > 1 unless the plan says
 *        otherwise. Among equally many GPUs the least tp wins, then the least pp. At most 65536 plans are tried.
 * @param model what is trained
 * @param cluster on what; its `nodes`, when given, bounds the answer, else 2^20 GPUs do
 * @param plan sharding, micro_batch, seq, recompute, attention, precision, optimizer, degrees; accumulation 0 means the
 *        pipeline is filled
 * @param out the answer
 * @param best the plan of the answer, resolved; when nothing fits the one that comes closest
 * @param err may be NULL
 * @return as dtc_memory_estimate(), when no degrees are legal what is wrong with the smallest. Model. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_memory_min_gpus(const dtc_model *model, const dtc_cluster *cluster,
                                                     const dtc_plan *plan, dtc_min_gpus *out, dtc_plan *best,
                                                     dtc_error *err);

/** The largest value of a setting of a plan that fits. */
typedef struct dtc_max_setting {
  uint32_t struct_size;  /**< sizeof, set by DTC_INIT() */
  dtc_memory_item limit; /**< item that takes most with `next`; none when there is no next value */
  uint64_t value;        /**< largest legal value that fits; 0 when none does */
  uint64_t device;       /**< memory of the worst GPU with it, bytes; 0 when none fits */
  uint64_t next;         /**< next legal value, which does not fit; 0 when the plan allows none */
  uint64_t next_device;  /**< memory of the worst GPU with that, bytes; 0 when it does not fit 64 bits */
  uint64_t capacity;     /**< usable memory of a GPU, bytes */
} dtc_max_setting;

/** A change of a plan that may save memory. */
typedef uint32_t dtc_remedy;
enum {
  DTC_REMEDY_NONE = 0,
  DTC_REMEDY_RECOMPUTE_SELECTIVE = 1,  /**< recompute = selective */
  DTC_REMEDY_RECOMPUTE_FULL = 2,       /**< recompute = full */
  DTC_REMEDY_MICRO_BATCH_HALF = 3,     /**< half the micro-batch */
  DTC_REMEDY_MICRO_BATCH_ONE = 4,      /**< micro-batch of 1 */
  DTC_REMEDY_SEQUENCE_PARALLEL = 5,    /**< sequence parallelism on */
  DTC_REMEDY_TP = 6,                   /**< twice the tp; half the dp where that is even */
  DTC_REMEDY_PP = 7,                   /**< twice the pp; half the dp where that is even */
  DTC_REMEDY_CP = 8,                   /**< twice the cp; half the dp where that is even */
  DTC_REMEDY_EP = 9,                   /**< twice the ep, on the same GPUs */
  DTC_REMEDY_DP = 10,                  /**< twice the dp, on twice the GPUs */
  DTC_REMEDY_SHARD_OPTIMIZER = 11,     /**< optimizer states sharded: zero1, distopt */
  DTC_REMEDY_SHARD_GRADIENTS = 12,     /**< gradients too: zero2 */
  DTC_REMEDY_SHARD_WEIGHTS = 13,       /**< weights too: zero3, fsdp */
  DTC_REMEDY_OFFLOAD_OPTIMIZER = 14,   /**< optimizer states in host memory */
  DTC_REMEDY_OFFLOAD_PARAMS = 15,      /**< weights too */
  DTC_REMEDY_OFFLOAD_ACTIVATIONS = 16, /**< saved activations in host memory */
  DTC_REMEDY_LOSS_FUSED = 17,          /**< a fused cross entropy */
  DTC_REMEDY_LOSS_CHUNKS = 18,         /**< output head and loss in 8 parts of the sequence */
  DTC_REMEDY_OPTIMIZER_8BIT = 19,      /**< 8-bit Adam */
  DTC_REMEDY_OPTIMIZER_FUSED = 20,     /**< an optimizer step of one kernel, without temporaries */
  DTC_REMEDY_FLASH = 21,               /**< flash attention */
  DTC_REMEDY_BF16 = 22,                /**< bf16 training */
  DTC_REMEDY_GRADS_16BIT = 23,         /**< gradients kept in 16 bit */
  DTC_REMEDY_BUCKET_VIEW = 24,         /**< DDP's gradients as views of its buckets */
  DTC_REMEDY_VOCAB_PARALLEL = 25,      /**< logits split over tensor parallel ranks */
};

/** What one change of a plan saves. A record, frozen for ever. */
typedef struct dtc_memory_remedy {
  dtc_remedy remedy; /**< the change, for dtc_memory_remedy_plan() */
  dtc_bool fits;     /**< on when the changed plan fits; default without a cluster */
  uint32_t field;    /**< field of the plan that it changes */
  uint32_t pad;      /**< 0 */
  uint64_t value;    /**< to this */
  uint64_t gpus;     /**< GPUs that the changed plan takes */
  uint64_t device;   /**< memory of the worst GPU with it, bytes */
  uint64_t saved;    /**< bytes of it less than before */
} dtc_memory_remedy;

/**
 * @brief Largest micro-batch that fits. With a global batch only its divisors are legal; without one any number is, and
 *        memory is taken to grow with it: nothing up to 16 above the answer fits.
 * @param model what is trained
 * @param cluster on what
 * @param plan how it is split; its micro_batch is not looked at, accumulation stays when it is given
 * @param stages pp stages, stages[0].struct_size apart, or NULL for dtc_plan_stage()
 * @param n length of stages; 0 with NULL
 * @param out the answer
 * @param err may be NULL
 * @return as dtc_memory_estimate() with the smallest legal micro-batch. Model. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_memory_max_micro_batch(const dtc_model *model, const dtc_cluster *cluster,
                                                            const dtc_plan *plan, const dtc_stage *stages, size_t n,
                                                            dtc_max_setting *out, dtc_error *err);

/**
 * @brief Longest sequence that fits, of those that tp and cp can split and the model has positions for. Memory is taken to
 *        grow with it: none of the next 16 legal lengths above the answer fits.
 * @param model what is trained
 * @param cluster on what
 * @param plan how it is split; its seq is not looked at
 * @param stages pp stages, stages[0].struct_size apart, or NULL for dtc_plan_stage()
 * @param n length of stages; 0 with NULL
 * @param out the answer
 * @param err may be NULL
 * @return as dtc_memory_estimate() with the shortest legal sequence. Model. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_memory_max_seq(const dtc_model *model, const dtc_cluster *cluster,
                                                    const dtc_plan *plan, const dtc_stage *stages, size_t n,
                                                    dtc_max_setting *out, dtc_error *err);

/**
 * @brief What would cut the memory of the worst GPU: every change of dtc_remedy that the plan's framework has, is legal and
 *        saves something, each by itself and estimated anew; what saves most comes first. A batch that the plan gives stays,
 *        and the number of GPUs where dp can be halved.
 * @param model what is trained
 * @param cluster on what; may be NULL
 * @param plan how it is split
 * @param stages pp stages, stages[0].struct_size apart, or NULL for dtc_plan_stage(), which a change of pp takes in any case
 * @param n length of stages; 0 with NULL
 * @param out array of cap remedies
 * @param cap length of out
 * @param count remedies there are, at most 25
 * @param err may be NULL
 * @return as dtc_memory_estimate(), DTC_E_SPACE (*count was written). Model. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_memory_remedies(const dtc_model *model, const dtc_cluster *cluster,
                                                     const dtc_plan *plan, const dtc_stage *stages, size_t n,
                                                     dtc_memory_remedy *out, size_t cap, size_t *count, dtc_error *err);

/**
 * @brief The plan with one change of dtc_remedy, as dtc_memory_remedies() counts it.
 * @param model what is trained
 * @param cluster on what; may be NULL
 * @param plan how it is split
 * @param remedy the change [1, 25]
 * @param out the changed plan, resolved; may be the same object
 * @param err may be NULL
 * @return as dtc_plan_resolve(), of the plan and of the changed one; DTC_E_RANGE for remedy, DTC_E_UNSUPPORTED when the
 *         plan's framework does not have it or the plan already does. Exact. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_memory_remedy_plan(const dtc_model *model, const dtc_cluster *cluster,
                                                        const dtc_plan *plan, dtc_remedy remedy, dtc_plan *out,
                                                        dtc_error *err);

/** A framework's own estimator of training memory. */
typedef uint32_t dtc_estimator;
enum {
  DTC_ESTIMATOR_NONE = 0,
  DTC_ESTIMATOR_DEEPSPEED_ZERO2 = 1, /**< DeepSpeed's estimate_zero2_model_states_mem_needs(), 0.5.10 and later */
  DTC_ESTIMATOR_DEEPSPEED_ZERO3 = 2, /**< DeepSpeed's estimate_zero3_model_states_mem_needs(), 0.5.10 and later */
  DTC_ESTIMATOR_MEGATRON = 3,        /**< Megatron-LM's report_theoretical_memory(), 0.17, 0.19 and later */
  DTC_ESTIMATOR_ACCELERATE = 4,      /**< Hugging Face's `accelerate estimate-memory`, 1.4 and later */
};

/** Type that accelerate's estimator loads the weights in. */
typedef uint32_t dtc_load_dtype;
enum {
  DTC_LOAD_DTYPE_DEFAULT = 0, /**< float32 */
  DTC_LOAD_DTYPE_FLOAT32 = 1, /**< 4 bytes */
  DTC_LOAD_DTYPE_FLOAT16 = 2, /**< 2 bytes, bfloat16 too */
  DTC_LOAD_DTYPE_INT8 = 3,    /**< 1 byte; not for training */
  DTC_LOAD_DTYPE_INT4 = 4,    /**< half a byte; not for training */
};

/** What a framework's estimator is asked, beside model and plan. */
typedef struct dtc_estimator_call {
  uint32_t struct_size;    /**< sizeof, set by DTC_INIT() */
  dtc_estimator estimator; /**< whose */
  dtc_release version;     /**< of its framework; 0 = for Megatron the plan's, else the newest known [0, 4294967295] */
  dtc_load_dtype dtype;    /**< accelerate: type of the weights */
  dtc_bool offload;        /**< DeepSpeed: cpu_offload, the optimizer on the host; default on */
  dtc_bool offload_params; /**< DeepSpeed, zero3: cpu_offload_params, beside the optimizer; default on */
  dtc_bool zero_init;      /**< DeepSpeed, zero3: weights are made sharded; default on */
  uint32_t pad;            /**< 0 */
  double buffer;           /**< DeepSpeed: additional_buffer_factor of host memory; 0 = 1.5 [0, 1000] */
  uint64_t params;         /**< not Megatron: parameters; 0 = the model's [0, 2^48] */
  uint64_t layer_params;   /**< zero3, accelerate: parameters of the largest layer; 0 = the model's [0, 2^48] */
  uint64_t gpus_per_node;  /**< DeepSpeed: GPUs of a node; 0 = 1 [0, 2^20] */
  uint64_t nodes;          /**< DeepSpeed: nodes; 0 = 1 [0, 2^20] */
  uint64_t latent;         /**< Megatron: moe_latent_size, width of the routed experts; 0 = hidden [0, 2^24] */
} dtc_estimator_call;

/** What a framework's estimator gives; 0 where it says nothing. Fractions are the estimator's own. */
typedef struct dtc_estimator_result {
  uint32_t struct_size;     /**< sizeof, set by DTC_INIT() */
  dtc_estimator estimator;  /**< whose */
  dtc_release version;      /**< of its framework */
  uint32_t pad;             /**< 0 */
  double gpu;               /**< memory of a GPU as it reports it, bytes; accelerate: the largest of the four below */
  double host;              /**< DeepSpeed: memory of a node's host, bytes */
  double params;            /**< parameters that it counts */
  double layer_params;      /**< zero3, accelerate: of the largest layer */
  double active_params;     /**< Megatron from 0.19: parameters that a token passes through, MTP modules whole */
  double shard_params;      /**< Megatron: on the most loaded rank */
  double other_params;      /**< Megatron, pp > 1: on a rank of the other stages */
  double states;            /**< Megatron: weights, gradients and optimizer of the most loaded rank, bytes */
  double activations;       /**< Megatron: the one of the next two that it reports, bytes */
  double activations_sp;    /**< Megatron: by its formula for sequence parallel with selective recomputation, bytes */
  double activations_plain; /**< Megatron: by its formula for everything else, bytes */
  double layer;     /**< zero3: 4 bytes for each parameter of the largest layer; accelerate: its weights, bytes */
  double weights;   /**< accelerate: weights as loaded, bytes */
  double model;     /**< accelerate: model in training, bytes */
  double gradients; /**< accelerate: gradients in training, bytes */
  double optimizer; /**< accelerate: optimizer in training, bytes */
  double step;      /**< accelerate: optimizer step, bytes */
} dtc_estimator_result;

/**
 * @brief What a framework's own estimator prints, by version. None of them counts what a job really takes: DeepSpeed's
 *        have model states alone, accelerate's no batch, Megatron's activations know neither experts nor grouped
 *        queries, gated MLPs, context parallelism or full recomputation; dtc_memory_estimate() counts these.
 * @param call whose, and its arguments
 * @param model what is trained; may be NULL when the call says what is asked of it, but for Megatron
 * @param plan for Megatron: how it is split, `sharding` ddp or distopt; need not be legal. Others do not read it; may be
 *        NULL
 * @param out what it says
 * @param err may be NULL
 * @return as dtc_model_params(), dtc_plan_resolve(); DTC_E_UNSUPPORTED (a version whose formulas are not known, a
 *         sharding that Megatron's does not have), DTC_E_CONFLICT (a plan of another framework; without a model,
 *         parameters that the call does not say). Exact by the formulas of DeepSpeed 0.19.8, Megatron-LM d98e8a64 and
 *         accelerate 1.15.0, given the parameters; accelerate's count of a model's buffers, a few KiB, is left out.
 *         Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_memory_framework_estimate(const dtc_estimator_call *call, const dtc_model *model,
                                                               const dtc_plan *plan, dtc_estimator_result *out,
                                                               dtc_error *err);

/**
 * @brief What an optimizer keeps for a list of tensors, on the GPU and on the host, and what its step adds. O(tensors).
 *
 * The tensors are those that the optimizer is given: parts, or a flat vector, of sharded ones. Paged optimizers of bitsandbytes
 * keep the same bytes, in memory that CUDA moves. torchao's step counters, 4 bytes of host memory per tensor, are left out.
 * @param shapes the tensors
 * @param n_shapes length of shapes [0, 2^24]
 * @param spec the optimizer
 * @param out the bytes
 * @param err may be NULL
 * @return DTC_OK, DTC_E_SIZE, DTC_E_NEWER, DTC_E_RANGE (a field, a shape, n_shapes), DTC_E_OVERFLOW, DTC_E_UNSUPPORTED (the
 *         library has not this optimizer, format or setting; muon takes matrices only, adafactor tensors of up to two
 *         dimensions). Exact: torch 2.15, bitsandbytes 0.50, torchao 0.18. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_optimizer_bytes(const dtc_shape *shapes, size_t n_shapes,
                                                     const dtc_optimizer_spec *spec, dtc_optimizer_held *out,
                                                     dtc_error *err);

#ifdef __cplusplus
}
#endif
#endif

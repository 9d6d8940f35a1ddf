/**
 * @file memory.h
 * @brief What each GPU must hold, and on how many GPUs a model fits.
 */
#ifndef DTCORE_MEMORY_H
#define DTCORE_MEMORY_H

#include <dtcore/ledger.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Bytes of the model states of one GPU. */
typedef struct dtc_states {
  uint32_t struct_size; /**< sizeof, set by DTC_INIT() */
  uint32_t pad;         /**< 0 */
  uint64_t weights;     /**< weights that are trained with, bytes */
  uint64_t gradients;   /**< gradients, bytes */
  uint64_t master;      /**< fp32 master weights, bytes */
  uint64_t moments;     /**< optimizer states, bytes */
  uint64_t total;       /**< sum, bytes */
} dtc_states;

/** When the peak comes. */
typedef uint32_t dtc_moment;
enum {
  DTC_MOMENT_NONE = 0,
  DTC_MOMENT_LOSS = 1,     /**< loss and its backward, on the stage with the head */
  DTC_MOMENT_BACKWARD = 2, /**< backward of a layer, with what is recomputed for it */
  DTC_MOMENT_STEP = 3,     /**< optimizer step: no activations, but its temporaries */
};

/** What an item of dtc_memory is, for dtc_fit.limit. */
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
  uint32_t struct_size; /**< sizeof, set by DTC_INIT() */
  dtc_moment moment;    /**< when the peak comes */
  uint64_t stage;       /**< pipeline stage */
  uint64_t params;      /**< parameters of the stage that a rank of tp * ep works on, before dp sharding */
  uint64_t in_flight;   /**< micro-batches whose activations are held at once; model chunks when vpp > 1 */
  uint64_t weights;     /**< weights, and TorchTitan's rotary tables, bytes */
  uint64_t gradients;   /**< gradients that are there at the peak, bytes */
  uint64_t optimizer;   /**< master weights and optimizer states, bytes */
  uint64_t buckets;     /**< communication buckets, bytes */
  uint64_t gathered;    /**< weights gathered for use (zero3, fsdp), and 16-bit copies made by autocast, bytes */
  uint64_t activations; /**< saved for backward, all micro-batches in flight, bytes */
  uint64_t transient;   /**< at the peak: logits, a recomputed layer, or step temporaries, bytes */
  uint64_t workspace;   /**< of kernels (cuBLAS, Transformer Engine), and reused weight-gradient buffers, bytes */
  uint64_t allocated;   /**< sum of the above, as torch.cuda.max_memory_allocated, bytes */
  uint64_t reserved;    /**< what the caching allocator then holds, bytes */
  uint64_t device;      /**< reserved, CUDA context and NCCL, as nvidia-smi shows, bytes */
  uint64_t capacity;    /**< the cluster's usable memory, bytes; 0 without a cluster */
  dtc_bool fits;        /**< on when device <= capacity; default without a cluster */
  uint32_t exact;       /**< mask: bit n is set when the item with dtc_memory_item n is exact */
} dtc_memory;

/** Fewest GPUs. */
typedef struct dtc_fit {
  uint32_t struct_size;  /**< sizeof, set by DTC_INIT() */
  dtc_memory_item limit; /**< when nothing fits: the largest item, which more GPUs do not shrink */
  uint64_t gpus;         /**< fewest GPUs; 0 when no number of GPUs helps */
  uint64_t nodes;        /**< nodes for them */
  uint64_t device;       /**< memory of the worst GPU, bytes: of the answer, or at best when nothing fits */
  uint64_t capacity;     /**< usable memory of a GPU, bytes */
  uint64_t limit_bytes;  /**< when nothing fits: bytes of that item, at best */
} dtc_fit;

/**
 * @brief Model states of one GPU for a number of parameters: bytes per parameter by framework, precision, gradient
 *        type, optimizer, and sharding over dp_shard of dp * cp ranks.
 * @param params parameters that the GPU's tensor and pipeline parallel rank works on [1, 2^56]
 * @param plan how they are kept; tp, pp and ep do not divide `params` again
 * @param out bytes
 * @param err may be NULL
 * @return DTC_OK, DTC_E_SIZE, DTC_E_NEWER, DTC_E_RANGE, DTC_E_OVERFLOW, DTC_E_UNSUPPORTED (adafactor and muon need the
 *         shapes). Exact without padding: Megatron-Core 0.16 6 + 12/(dp cp), DeepSpeed 0.19 2 + 2 + 12, PyTorch 2.x.
 *         Since 0.1.
 */
DTC_API DTC_NODISCARD dtc_status dtc_memory_states(uint64_t params, const dtc_plan *plan, dtc_states *out,
                                                   dtc_error *err);

/**
 * @brief Peak memory of the GPU that needs most.
 * @param model what is trained
 * @param cluster on what; may be NULL: then nothing is said about fitting
 * @param plan how it is split
 * @param stages pp stages, or NULL for dtc_plan_stage()
 * @param n length of stages; 0 with NULL
 * @param out the worst stage
 * @param err may be NULL
 * @return as dtc_plan_resolve(), DTC_E_CONFLICT (stages do not add up), DTC_E_UNSUPPORTED. States exact without
 *         padding, the rest a model; measured error in doc/formulas/memory.md. Since 0.1.
 */
DTC_API DTC_NODISCARD dtc_status dtc_memory_estimate(const dtc_model *model, const dtc_cluster *cluster,
                                                     const dtc_plan *plan, const dtc_stage *stages, size_t n,
                                                     dtc_memory *out, dtc_error *err);

/**
 * @brief Peak memory of every pipeline stage.
 * @param model what is trained
 * @param cluster on what; may be NULL
 * @param plan how it is split
 * @param stages pp stages, or NULL for dtc_plan_stage()
 * @param n length of stages; 0 with NULL
 * @param out array of cap results; out[0].struct_size is the stride and must be valid when cap > 0
 * @param cap length of out
 * @param count stages there are
 * @param err may be NULL
 * @return as dtc_memory_estimate(), DTC_E_SPACE (*count was written). Since 0.1.
 */
DTC_API DTC_NODISCARD dtc_status dtc_memory_stages(const dtc_model *model, const dtc_cluster *cluster,
                                                   const dtc_plan *plan, const dtc_stage *stages, size_t n,
                                                   dtc_memory *out, size_t cap, size_t *count, dtc_error *err);

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
 * @return as dtc_memory_estimate(), when no degrees are legal what is wrong with the smallest. Model. Since 0.1.
 */
DTC_API DTC_NODISCARD dtc_status dtc_memory_min_gpus(const dtc_model *model, const dtc_cluster *cluster,
                                                     const dtc_plan *plan, dtc_fit *out, dtc_plan *best,
                                                     dtc_error *err);

#ifdef __cplusplus
}
#endif
#endif

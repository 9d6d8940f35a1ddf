/**
 * @file explain.h
 * @brief What an out-of-memory message means: which tensor did not fit, and what avoids it.
 */
#ifndef DTCORE_EXPLAIN_H
#define DTCORE_EXPLAIN_H

#include <dtcore/memory.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a size is of. */
typedef uint32_t dtc_alloc_kind;
enum {
  DTC_ALLOC_KIND_DEFAULT = 0,   /**< request */
  DTC_ALLOC_KIND_REQUEST = 1,   /**< one allocation: "Tried to allocate" */
  DTC_ALLOC_KIND_ALLOCATED = 2, /**< what tensors take, as torch.cuda.memory_allocated */
  DTC_ALLOC_KIND_DEVICE = 3,    /**< what a GPU holds, as nvidia-smi shows: context and communicators too */
};

/** Whose memory. */
typedef uint32_t dtc_alloc_device;
enum {
  DTC_ALLOC_DEVICE_DEFAULT = 0, /**< gpu */
  DTC_ALLOC_DEVICE_GPU = 1,     /**< a GPU, CUDA or HIP */
  DTC_ALLOC_DEVICE_NPU = 2,     /**< an Ascend NPU */
  DTC_ALLOC_DEVICE_HOST = 3,    /**< host memory */
};

/** A size that a message tells. Numbers beside the size are 0 where nothing is said of them. */
typedef struct dtc_alloc {
  uint32_t struct_size;    /**< sizeof, set by DTC_INIT() */
  dtc_alloc_kind kind;     /**< what the size is of */
  dtc_alloc_device device; /**< whose memory */
  uint32_t pad;            /**< 0 */
  uint64_t bytes;          /**< the size as printed, bytes [0, 2^60] */
  uint64_t low;            /**< least that the tensor can have, bytes; low and high 0 = what the allocator makes `bytes`
                                of [0, 2^60] */
  uint64_t high;           /**< most that it can have, bytes [0, 2^60] */
  uint64_t capacity;       /**< memory of the device, bytes [0, 2^60] */
  uint64_t free;           /**< of it free, bytes [0, 2^60] */
  uint64_t in_use;         /**< of it held by the process, bytes [0, 2^60] */
  uint64_t allocated;      /**< of it taken by tensors, bytes [0, 2^60] */
  uint64_t reserved;       /**< of it held by the caching allocator, bytes [0, 2^60] */
  uint64_t offset;         /**< where in the text the size stands, bytes */
  uint64_t params;         /**< parameters, where a size alone is known, or more than the model's are trained;
                                0 = the model's [0, 2^48] */
} dtc_alloc;

/** What an allocation was for. */
typedef uint32_t dtc_suspect;
enum {
  DTC_SUSPECT_NONE = 0,
  DTC_SUSPECT_LOGITS = 1,      /**< logits: tokens * padded vocabulary */
  DTC_SUSPECT_LOGITS_NEXT = 2, /**< the same without the last token of each sequence: Hugging Face's shift */
  DTC_SUSPECT_SCORES = 3,      /**< attention scores of a layer: micro_batch * heads * seq^2 */
  DTC_SUSPECT_LAYER = 4,       /**< weights of a layer, gathered, or their gradients */
  DTC_SUSPECT_OUTSIDE = 5,     /**< embedding, head and final norm, gathered, or their gradients */
  DTC_SUSPECT_TENSOR = 6,      /**< one weight, or its gradient */
  DTC_SUSPECT_SHARD = 7,       /**< a rank's part of the parameters: gradients at the step, master weights, a moment */
  DTC_SUSPECT_SUB_GROUP = 8,   /**< the first of the groups that zero3 steps one after the other */
  DTC_SUSPECT_BUCKET = 9,      /**< bucket in which gradients are reduced */
  DTC_SUSPECT_COPY = 10,       /**< all weights of a rank of tensor and pipeline parallelism, not sharded, or their
                                      gradients */
  DTC_SUSPECT_EXPERTS = 11,    /**< the routed experts of a rank, all its layers: weights or gradients */
  DTC_SUSPECT_NO_EXPERTS = 12, /**< the same of everything but the routed experts */
  DTC_SUSPECT_EXPERT_LAYER = 13, /**< the routed experts of a rank in one layer */
  DTC_SUSPECT_HIDDEN = 14,       /**< activations: tokens * hidden */
  DTC_SUSPECT_MLP = 15,          /**< inside of an MLP: tokens * ffn */
  DTC_SUSPECT_MLP_IN = 16,       /**< both halves of a gated one: tokens * 2 ffn */
  DTC_SUSPECT_QKV = 17,          /**< queries, keys and values: tokens * (heads + 2 kv_heads) * head_dim */
  DTC_SUSPECT_KV = 18,           /**< keys and values: tokens * 2 kv_heads * head_dim */
  DTC_SUSPECT_ROUTED = 19,       /**< tokens sent to experts: tokens * top_k * hidden */
  DTC_SUSPECT_ROUTED_MLP = 20,   /**< inside of the experts: tokens * top_k * moe_ffn */
  DTC_SUSPECT_STATES = 21, /**< what is resident: weights, gradients and optimizer states as the plan shards them */
  DTC_SUSPECT_STATES_WHOLE = 22, /**< what is resident: the same with nothing sharded */
};

/** A number of the plan that the message settles. */
typedef uint32_t dtc_solved;
enum {
  DTC_SOLVED_NONE = 0,        /**< the plan says everything */
  DTC_SOLVED_MICRO_BATCH = 1, /**< sequences of a micro-batch */
  DTC_SOLVED_TOKENS = 2,      /**< tokens of a micro-batch on a rank */
  DTC_SOLVED_SEQ = 3,         /**< sequence length */
  DTC_SOLVED_RANKS = 4,       /**< ranks that a state is sharded over */
  DTC_SOLVED_PARAMS = 5,      /**< parameters */
};

/** A tensor that an allocation may have been for. A record, frozen for ever. */
typedef struct dtc_candidate {
  dtc_suspect suspect;  /**< which tensor */
  dtc_solved solved;    /**< what was free and is settled by it */
  uint32_t dtype_bytes; /**< bytes of an element; 0 for states, which are of several types */
  dtc_bool usual;       /**< on when the plan makes such a tensor in training; off: only loading, saving or another
                             setting would */
  uint64_t avoid;       /**< mask: bit n is set when the dtc_remedy n makes it smaller or does away with it */
  uint64_t value;       /**< of what is solved */
  uint64_t elements;    /**< elements of the tensor */
  uint64_t bytes;       /**< its bytes, before the allocator rounds them up */
  uint64_t distance;    /**< from what a message would print for it to what this one printed, bytes */
  uint64_t ranks;       /**< ranks that share it: the tensor is 1 / ranks of the whole */
  uint64_t stage;       /**< pipeline stage; DTC_NONE when it is the same on all that have it */
  uint64_t tensor;      /**< of one weight: its index for dtc_model_tensor(); DTC_NONE for others */
} dtc_candidate;

/**
 * @brief Reads the size in a pasted message: out-of-memory errors of PyTorch for CUDA, HIP and NPU in the wordings of
 *        1.0 to 2.9, of its CPU allocator and of NumPy, anywhere in a log; or a bare size ("16.83 GiB", "388 MiB",
 *        "180355072", "14678MiB / 40960MiB" of nvidia-smi, "14678 MiB after init").
 *
 * A printed number stands for a range: its last digit is rounded, and newer versions print what the caching allocator
 * asks the driver for: 2 MiB for up to 1 MiB, 20 MiB for less than 10 MiB, above that a multiple of 2 MiB. `low` and
 * `high` are what the tensor can have by either. Bytes of the CPU allocator are exact, and so is an array of NumPy whose
 * shape and type are told. A comma stands before each three digits ("1,024.00 MiB"); a number with another comma
 * ("16,83 GiB") is no size.
 * @param text UTF-8 text; need not end in NUL
 * @param len bytes; the first message is read, and a bare size from up to 128 bytes alone
 * @param out the size
 * @param err may be NULL; offset is where the size stands
 * @return DTC_OK, DTC_E_SIZE, DTC_E_NEWER, DTC_E_PARSE (no size in the text), DTC_E_RANGE (a size of 0, or above 2^60). Exact
 *         by c10/cuda/CUDACachingAllocator.cpp of PyTorch 2.x. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_explain_read(const char *text, size_t len, dtc_alloc *out, dtc_error *err);

/**
 * @brief Which tensor an allocation was for: every one of dtc_suspect whose bytes, by a formula over model and plan, a
 *        message would print like this one.
 *
 * What the plan does not give is free and solved for: the micro-batch (without micro_batch, or global_batch and
 * accumulation), the sequence length, the ranks that states are sharded over (without dp and a cluster's nodes). A number
 * counts as settled when no more than one size in eight would be printed for some value of it; tokens of logits always
 * are. First come tensors with nothing to solve, then micro-batches, sequence lengths and ranks, then numbers of
 * parameters (within a tenth of the model's), then tokens of logits; among these the usual ones, then the nearest, then
 * in the order of dtc_suspect.
 * @param model what is trained; NULL when alloc.params is all that is known: then only copies and shards of all
 *        parameters are looked at
 * @param cluster on what; may be NULL
 * @param plan how it is split; must be legal
 * @param alloc the size
 * @param candidates array of cap candidates
 * @param cap length of candidates
 * @param count candidates there are, at most 64
 * @param err may be NULL
 * @return as dtc_plan_resolve(), DTC_E_SPACE (*count was written), DTC_E_CONFLICT (no size; params with tp, pp or ep above
 *         1; neither model nor params). Bytes of tensors are exact, which of them it was is a model: the first one is
 *         right for the published cases of tests/cases.csv. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_explain_alloc(const dtc_model *model, const dtc_cluster *cluster,
                                                   const dtc_plan *plan, const dtc_alloc *alloc,
                                                   dtc_candidate *candidates, size_t cap, size_t *count,
                                                   dtc_error *err);

/**
 * @brief What a suspect is, with its formula: "logits: tokens * vocabulary".
 * @param suspect which
 * @param lang 0 English, 1 Chinese; of others English
 * @return constant string; NULL when there is no such suspect. Exact. Since 1.0.
 */
DTC_API const char *dtc_explain_text(dtc_suspect suspect, dtc_lang lang);

/** Rules of out-of-memory messages. Numbers are frozen. */
enum {
  DTC_RULE_EXPLAIN_TEXT = 930,   /**< a text has a size in it */
  DTC_RULE_EXPLAIN_BYTES = 931,  /**< a size is told */
  DTC_RULE_EXPLAIN_PARAMS = 932, /**< parameters given beside a model go with tp = pp = ep = 1 */
  DTC_RULE_EXPLAIN_MODEL = 933,  /**< without a model the parameters are given */
};

#ifdef __cplusplus
}
#endif
#endif

/**
 * @file shard.h
 * @brief Which element lies on which data-parallel rank, exactly, and what moves it: buckets, collectives, resharding.
 *
 * Every framework lays its tensors into buckets, and cuts each bucket evenly over the ranks, or gives it to one of them.
 * dtc_shards_layout() says where each tensor lies: one dtc_slot per tensor, in the caller's array. Everything else reads
 * those slots; nothing is kept per rank. Ranks are places in the group that shares the states, [0, world).
 * Scratch is memory of the caller's that a call may use; what it holds behind the call is unspecified.
 */
#ifndef DTCORE_SHARD_H
#define DTCORE_SHARD_H

#include <dtcore/rank.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Type of a tensor's elements. */
typedef uint32_t dtc_dtype;
enum {
  DTC_DTYPE_DEFAULT = 0, /**< bf16 */
  DTC_DTYPE_BF16 = 1,    /**< 2 bytes */
  DTC_DTYPE_FP16 = 2,    /**< 2 bytes */
  DTC_DTYPE_FP32 = 3,    /**< 4 bytes */
  DTC_DTYPE_FP8 = 4,     /**< 1 byte */
  DTC_DTYPE_FP64 = 5,    /**< 8 bytes */
};

/** Who shards. */
typedef uint32_t dtc_shard_scheme;
enum {
  DTC_SHARD_SCHEME_DEFAULT = 0,         /**< zero12 */
  DTC_SHARD_SCHEME_ZERO12 = 1,          /**< DeepSpeed ZeRO-1 and 2: one flat vector */
  DTC_SHARD_SCHEME_BF16 = 2,            /**< DeepSpeed's BF16_Optimizer: the same vector, gradients whole */
  DTC_SHARD_SCHEME_ZERO3 = 3,           /**< DeepSpeed ZeRO-3: each tensor */
  DTC_SHARD_SCHEME_MICS = 4,            /**< MiCS: zero3 in groups */
  DTC_SHARD_SCHEME_DDP = 5,             /**< PyTorch DDP: nothing sharded, gradients in buckets */
  DTC_SHARD_SCHEME_FSDP1 = 6,           /**< FSDP1: one flat parameter per unit */
  DTC_SHARD_SCHEME_FSDP2 = 7,           /**< fully_shard: rows of each tensor */
  DTC_SHARD_SCHEME_WHOLE = 8,           /**< ZeroRedundancyOptimizer: whole tensors, largest first */
  DTC_SHARD_SCHEME_OSS = 9,             /**< fairscale OSS: whole tensors in order */
  DTC_SHARD_SCHEME_DISTOPT = 10,        /**< Megatron-Core's distributed optimizer */
  DTC_SHARD_SCHEME_ALLREDUCE = 11,      /**< Megatron-Core without it: buckets without padding, nothing sharded */
  DTC_SHARD_SCHEME_LAYERWISE = 12,      /**< Megatron-Core's layer-wise optimizer (Muon): whole tensors in buckets */
  DTC_SHARD_SCHEME_MEGATRON_FSDP = 13,  /**< megatron-fsdp */
  DTC_SHARD_SCHEME_MEGATRON_FSDP2 = 14, /**< its experimental layout, v2 */
  DTC_SHARD_SCHEME_GEMINI = 15,         /**< ColossalAI Gemini: chunks */
  DTC_SHARD_SCHEME_LOW_LEVEL_ZERO = 16, /**< ColossalAI's low-level ZeRO: each tensor */
};

/** What tensor parallelism cuts of a tensor. */
typedef uint32_t dtc_cut;
enum {
  DTC_CUT_DEFAULT =
      0,             /**< vectors are whole, matrices cut along the longer dimension, of equal ones rows; others rows */
  DTC_CUT_WHOLE = 1, /**< nothing: every rank holds it */
  DTC_CUT_ROWS = 2,  /**< dimension 0 */
  DTC_CUT_COLS = 3,  /**< the elements of a row */
};

/** A tensor as sharding sees it. A record, frozen for ever. */
typedef struct dtc_shape {
  uint64_t rows;   /**< size of dimension 0; 1 of a scalar [0, 2^40] */
  uint64_t cols;   /**< elements of a row: product of the other dimensions; 1 of a vector [0, 2^40] */
  uint32_t dims;   /**< number of dimensions; 0 = 1 when cols is 1, else 2 [0, 8] */
  dtc_dtype dtype; /**< type of its elements; default the shards' */
  uint32_t shared; /**< 1 when it is an embedding shared between pipeline stages (Megatron) [0, 1] */
  dtc_cut cut;     /**< what tensor parallelism cuts, where a function is told its degree */
} dtc_shape;

/** Sharding: whose, over how many ranks, with which settings. */
typedef struct dtc_shards {
  uint32_t struct_size;    /**< sizeof, set by DTC_INIT() */
  dtc_shard_scheme scheme; /**< whose */
  dtc_release version;     /**< version of the framework; 0 = newest known, DTC_MAIN = head [0, 4294967295] */
  dtc_dtype dtype;         /**< type of weights and gradients in communication */
  uint64_t world;          /**< ranks that share the states; 0 = 1 [0, 2^32] */
  uint64_t replicas;       /**< groups of them (HSDP, MiCS, optimizer instances); 0 = 1 [0, 2^32] */
  uint64_t stage;          /**< ZeRO stage of zero12 and low_level_zero; 0 = 1 [0, 2] */
  uint64_t bucket;         /**< size of a bucket: elements, ddp bytes; DTC_NONE = one bucket; 0 = the framework's */
  uint64_t first_bucket;   /**< ddp: bytes of the first bucket of a type; 0 = 2^20, or bucket when that is given */
  uint64_t sub_group;      /**< zero3: elements of a rank's sub-group, sub_group_size; 0 = 10^9 */
  uint64_t persistence;    /**< zero3: tensors up to it stay gathered; 0 = 100000, DTC_NONE = none */
  uint64_t hpz;            /**< zero3: ranks of a secondary partition; 0 = none [0, 2^32] */
  uint64_t min_chunk;      /**< gemini: least size of a chunk, elements; 0 = 32 * 2^20 [0, 2^40] */
  uint64_t search_range;   /**< gemini: elements above the least that are tried; 0 = 32 * 2^20 [0, 2^40] */
  uint64_t interval;       /**< gemini: step of the search, the hidden size; 0 = 1024 [0, 2^40] */
  dtc_bool round_robin;    /**< zero12: round_robin_gradients; default off */
  dtc_bool multi_rank;     /**< zero12: use_multi_rank_bucket_allreduce; default on */
  dtc_bool reduce_scatter; /**< zero3: reduce_scatter; default on */
  dtc_bool orig_params;    /**< fsdp1: use_orig_params; default on */
  dtc_bool high_busbw;     /**< distopt, layerwise: pad_buckets_for_high_nccl_busbw; default off */
  dtc_bool first_step;     /**< ddp: buckets of the first iteration, before they are rebuilt; default off */
  dtc_bool keep_large;     /**< gemini: tensors far above the mean take part in the search; default off */
  dtc_dtype grad_dtype;    /**< type of gradients in communication; default Megatron fp32, else dtype */
  dtc_bool reshard;        /**< fsdp1, fsdp2: weights are freed behind forward and gathered again; default on */
  dtc_bool every_micro;    /**< ddp, fsdp1, fsdp2: reduce each micro-batch, not the last alone; default off, fsdp on */
  dtc_dtype grad_accum;    /**< zero12, zero3, mics: gradients between micro-batches, grad_accum_dtype; default dtype */
  dtc_bool contiguous;     /**< zero12, zero3, mics: contiguous_gradients; default on */
} dtc_shards;

/** dtc_slot.owner of a bucket that is cut evenly over the ranks. */
#define DTC_EVENLY UINT32_MAX

/** dtc_slot.owner of a bucket that every rank holds whole. */
#define DTC_EVERYWHERE (UINT32_MAX - 1)

/** Where a tensor lies: [start, start + rows * cols) in a bucket [bucket_start, bucket_end). A record, frozen for ever. */
typedef struct dtc_slot {
  uint64_t start;        /**< first element, in the space of all buckets */
  uint64_t bucket_start; /**< first element of its bucket */
  uint64_t bucket_end;   /**< end of its bucket, padding included */
  uint64_t used;         /**< elements of the bucket without the padding at its end */
  uint32_t bucket;       /**< number of the bucket */
  uint32_t owner;        /**< rank that holds the whole bucket; DTC_EVENLY, DTC_EVERYWHERE: no single one */
} dtc_slot;

/** What a sharding comes to. */
typedef struct dtc_shard_totals {
  uint32_t struct_size; /**< sizeof, set by DTC_INIT() */
  uint32_t pad;         /**< 0 */
  uint64_t numel;       /**< elements of the tensors */
  uint64_t padded;      /**< elements of all buckets */
  uint64_t buckets;     /**< buckets */
  uint64_t largest;     /**< elements of the largest bucket */
  uint64_t heaviest;    /**< a rank that holds most, the first of them */
  uint64_t most;        /**< elements of tensors that it holds */
  uint64_t lightest;    /**< a rank that holds least, the first of them */
  uint64_t least;       /**< elements of tensors that it holds */
  uint64_t empty;       /**< ranks that hold no element of a tensor */
  uint64_t per_rank;    /**< elements of a rank with its padding; of whole tensors the heaviest's */
} dtc_shard_totals;

/** A part of a tensor that a rank holds. A record, frozen for ever. */
typedef struct dtc_fragment {
  uint32_t tensor;        /**< index of the tensor */
  uint32_t bucket;        /**< number of its bucket */
  uint64_t tensor_offset; /**< first element in the tensor */
  uint64_t shard_offset;  /**< the same element in the rank's part of the bucket */
  uint64_t length;        /**< elements; 0 for an empty tensor that the framework books here */
} dtc_fragment;

/** A bucket of a layout. A record, frozen for ever. */
typedef struct dtc_bucket {
  uint64_t start;   /**< first element, in the space of all buckets */
  uint64_t stop;    /**< end, padding included */
  uint64_t used;    /**< elements without the padding at its end */
  uint64_t bytes;   /**< bytes of [start, end) in the type dtype */
  uint32_t tensors; /**< tensors in it; 0 when no slot names the bucket, then all else is 0 too */
  uint32_t owner;   /**< rank that holds it whole; DTC_EVENLY, DTC_EVERYWHERE: no single one */
  uint32_t first;   /**< index of the first tensor in it, in the order of the tensors */
  dtc_dtype dtype;  /**< type of that tensor */
} dtc_bucket;

/** What Gemini's search for the size of its chunks finds. */
typedef struct dtc_chunks {
  uint32_t struct_size; /**< sizeof, set by DTC_INIT() */
  uint32_t gathered;    /**< 1 when the model is one chunk that every rank keeps whole, 0 when chunks are cut */
  uint64_t size;        /**< elements of a chunk; a larger tensor has a chunk of its own */
  uint64_t waste;       /**< elements that stay unused, of the tensors that were tried, before the size is rounded up */
  uint64_t least;       /**< smallest size that was tried, elements */
  uint64_t large;       /**< tensors that took no part, more than three standard deviations above the mean */
} dtc_chunks;

/** Tensors that go together: through one collective, or through one step of the optimizer. A record, frozen for ever. */
typedef struct dtc_batch {
  uint64_t elements; /**< elements, as the framework counts them against the limit of a batch */
  uint64_t sent;     /**< elements of a rank's input */
  uint64_t kept;     /**< elements of a rank's output; as many as sent when it is reduced in place */
  uint32_t first;    /**< the tensor that comes first */
  uint32_t tensors;  /**< number of tensors */
} dtc_batch;

/** A run of one owner in a bucket of gradients. A record, frozen for ever. */
typedef struct dtc_slice {
  uint64_t elements;  /**< elements of the run */
  uint32_t reduction; /**< index of its bucket in dtc_shards_reductions() */
  uint32_t owner;     /**< rank that keeps it */
} dtc_slice;

/** A call of a module: consecutive tensors that it owns itself, without its children's. A record, frozen for ever. */
typedef struct dtc_module {
  uint32_t first;   /**< first tensor */
  uint32_t tensors; /**< number of tensors; 0: it owns none, but is a step like the others */
} dtc_module;

/** How zero3 fetches tensors. */
typedef struct dtc_tracing {
  uint32_t struct_size; /**< sizeof, set by DTC_INIT() */
  dtc_bool first_step;  /**< the first iteration, which records the order: nothing is prefetched; default off */
  uint64_t prefetch;    /**< stage3_prefetch_bucket_size, elements; 0 = 5 * 10^7, DTC_NONE = no prefetch */
  uint64_t max_live;    /**< stage3_max_live_parameters, elements; 0 = 10^9, DTC_NONE = no limit */
  uint64_t max_reuse;   /**< stage3_max_reuse_distance, elements; 0 = 10^9, DTC_NONE = everything is released */
  uint64_t backward;    /**< index of backward's first call of a module; 0 = half of the calls [0, 2^24] */
} dtc_tracing;

/** What a rank gathers and holds in one iteration of zero3, elements. */
typedef struct dtc_trace {
  uint32_t struct_size;       /**< sizeof, set by DTC_INIT() */
  uint32_t pad;               /**< 0 */
  uint64_t gathered_forward;  /**< elements of tensors gathered in forward */
  uint64_t gathered_backward; /**< the same in backward */
  uint64_t gathered_step;     /**< the same behind the optimizer's step: the persistent ones */
  uint64_t calls_forward;     /**< all-gathers of forward */
  uint64_t calls_backward;    /**< all-gathers of backward */
  uint64_t largest_call;      /**< elements of tensors of the largest all-gather */
  uint64_t peak_live;         /**< most elements of tensors that are whole at a time */
  uint64_t peak_buffers;      /**< most elements of whole tensors with their padding, and of buffers beside them */
  uint64_t live_at_step;      /**< elements of tensors that are whole when the optimizer begins */
} dtc_trace;

/** When in an optimizer step something happens. */
typedef uint32_t dtc_phase;
enum {
  DTC_PHASE_NONE = 0,
  DTC_PHASE_FORWARD = 1,  /**< forward of a micro-batch */
  DTC_PHASE_BACKWARD = 2, /**< backward of a micro-batch */
  DTC_PHASE_BOUNDARY = 3, /**< behind the last backward, before the optimizer */
  DTC_PHASE_STEP = 4,     /**< the optimizer and what follows it */
};

/** Ranks that take part in a message of the data-parallel axis. */
typedef uint32_t dtc_shard_group;
enum {
  DTC_SHARD_GROUP_WORLD = 0,    /**< those that share the states */
  DTC_SHARD_GROUP_REPLICAS = 1, /**< those that hold the same part */
  DTC_SHARD_GROUP_HPZ = 2,      /**< those that share the secondary copy */
};

/** Collectives of one kind in an optimizer step. A record, frozen for ever. */
typedef struct dtc_message {
  dtc_collective op;     /**< what */
  dtc_phase phase;       /**< when */
  dtc_shard_group group; /**< who */
  uint32_t pad;          /**< 0 */
  uint64_t bytes;        /**< of the whole buffers, all calls of a step together */
  uint64_t calls;        /**< calls of a step; DTC_NONE = not known (zero12 with round_robin on and multi_rank off) */
} dtc_message;

/** Bytes that one rank holds, by item. What is there all the time, then what comes and goes. Adam in fp32. */
typedef struct dtc_shard_bytes {
  uint32_t struct_size;  /**< sizeof, set by DTC_INIT() */
  uint32_t pad;          /**< 0 */
  uint64_t weights;      /**< weights that are trained with, bytes */
  uint64_t master;       /**< fp32 master weights, bytes */
  uint64_t moments;      /**< two fp32 moments, bytes */
  uint64_t gradients;    /**< gradients that are kept between micro-batches, bytes */
  uint64_t buckets;      /**< buffers of communication that are always there, bytes */
  uint64_t reduce;       /**< most that a reduction adds while it runs, bytes */
  uint64_t gathered;     /**< most weights gathered for use at once when every tensor is a unit of its own, bytes */
  uint64_t step;         /**< most that the optimizer step adds, bytes */
  uint64_t step_request; /**< largest single allocation of the step: the fp32 copy of a part of the gradients, bytes */
  uint64_t
      averaged;    /**< of `gradients` at a moment: reduced, and ready for the optimizer (averaged_gradients), bytes */
  uint64_t params; /**< of `weights` and `gathered` at a moment: what the module's parameters show, bytes */
} dtc_shard_bytes;

/** When DeepSpeed's tensors are counted. */
typedef uint32_t dtc_shard_moment;
enum {
  DTC_SHARD_MOMENT_DEFAULT = 0,        /**< backward */
  DTC_SHARD_MOMENT_INIT = 1,           /**< before the first step */
  DTC_SHARD_MOMENT_FIRST_BACKWARD = 2, /**< behind a backward of the first step, which has no moments yet */
  DTC_SHARD_MOMENT_BACKWARD = 3,       /**< behind a backward of a later step */
  DTC_SHARD_MOMENT_STEP = 4,           /**< behind a step */
};

/** What offloading moves and holds, per rank and optimizer step. */
typedef struct dtc_offload_bytes {
  uint32_t struct_size; /**< sizeof, set by DTC_INIT() */
  uint32_t pad;         /**< 0 */
  uint64_t to_host;     /**< device to host, bytes */
  uint64_t to_device;   /**< host to device, bytes */
  uint64_t nvme_read;   /**< read from NVMe, bytes */
  uint64_t nvme_write;  /**< written to NVMe, bytes */
  uint64_t host;        /**< host memory of the rank, bytes */
  uint64_t nvme;        /**< NVMe space of the rank, bytes */
} dtc_offload_bytes;

/**
 * @brief Fills every default, and checks every value. Idempotent.
 * @param shards the sharding
 * @param out the same with defaults filled; may be the same object
 * @param err may be NULL
 * @return DTC_OK, DTC_E_SIZE, DTC_E_NEWER, DTC_E_RANGE, DTC_E_UNSUPPORTED (a setting that the scheme has not). Exact.
 *         Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_shards_resolve(const dtc_shards *shards, dtc_shards *out, dtc_error *err);

/**
 * @brief The sharding of a plan: its framework's, over dp_shard ranks; ddp's over dp * cp.
 * @param model what is trained
 * @param cluster on what; may be NULL
 * @param plan how it is split; defaults are filled as in dtc_plan_resolve()
 * @param out the sharding, resolved
 * @param err may be NULL
 * @return as dtc_plan_resolve(), as dtc_shards_resolve(), DTC_E_UNSUPPORTED (DeepSpeed without ZeRO). Exact. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_shards_from_plan(const dtc_model *model, const dtc_cluster *cluster,
                                                      const dtc_plan *plan, dtc_shards *out, dtc_error *err);

/**
 * @brief Shapes of the model's tensors, in the order of dtc_model_tensor().
 * @param model the shape of the model
 * @param shapes array of cap shapes
 * @param cap length of shapes
 * @param count tensors there are
 * @param err may be NULL
 * @return as dtc_model_tensor_count(), DTC_E_SPACE (*count was written). Exact. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_shards_shapes(const dtc_model *model, dtc_shape *shapes, size_t cap, size_t *count,
                                                   dtc_error *err);

/**
 * @brief Elements of scratch that the functions of this header need; for boxes see dtc_reshard_scratch().
 * @param shards the sharding
 * @param tensors number of tensors [0, 2^24]
 * @param needed elements of 8 bytes
 * @param err may be NULL
 * @return as dtc_shards_resolve(), DTC_E_RANGE (tensors). Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_shards_scratch(const dtc_shards *shards, size_t tensors, uint64_t *needed,
                                                    dtc_error *err);

/**
 * @brief Shapes on one rank of tensor parallelism, which cuts dimension 0 before FSDP2 cuts what is left of it.
 * @param shapes the tensors
 * @param n_shapes length of shapes [0, 2^24]
 * @param tp ranks of tensor parallelism [1, 2^32]
 * @param tp_rank the rank; it holds rows from tp_rank * ceil(rows / tp) on [0, tp)
 * @param out array of cap shapes; may be shapes
 * @param cap length of out
 * @param count shapes there are: n_shapes
 * @param err may be NULL
 * @return DTC_OK, DTC_E_SIZE (of err), DTC_E_RANGE (a shape, n_shapes, tp, tp_rank), DTC_E_OVERFLOW, DTC_E_SPACE (*count
 *         was written). Exact: PyTorch 2.15. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_shards_local(const dtc_shape *shapes, size_t n_shapes, uint64_t tp,
                                                  uint64_t tp_rank, dtc_shape *out, size_t cap, size_t *count,
                                                  dtc_error *err);

/**
 * @brief Where each tensor lies. O(tensors), whole and oss O(tensors * log tensors), gemini as dtc_shards_chunks().
 *
 * ddp: elements of one type in each bucket, buckets in the order in which they are reduced; those that are left over of
 * several types, whose order PyTorch leaves open, in the order of the types' first gradients. whole, oss: a bucket is a
 * tensor. gemini: a bucket is a chunk.
 *
 * distopt, allreduce, layerwise: buckets from the last tensor to the first; only distopt reads shape.shared. layerwise: each
 * tensor whole in one rank's part, O(tensors * (world + log tensors)), at most 2^28 tensors * world. megatron_fsdp: a bucket
 * is a group, O(tensors^2), at most 2^16 tensors, and none has cols = 0.
 * @param shards the sharding
 * @param shapes the tensors, in the order of the module's parameters
 * @param n_shapes length of shapes [0, 2^24]
 * @param slots array of cap slots, one per tensor
 * @param cap length of slots
 * @param count slots there are: n_shapes
 * @param scratch array of n_scratch elements; may be NULL when none is needed
 * @param n_scratch length of scratch, see dtc_shards_scratch()
 * @param err may be NULL
 * @return as dtc_shards_resolve(), DTC_E_RANGE (a shape, n_shapes, world), DTC_E_OVERFLOW, DTC_E_SPACE (*count was
 *         written, or err.field is scratch and err.min its length). Exact: DeepSpeed 0.19, PyTorch 2.15, Megatron-Core 0.19,
 *         ColossalAI 0.5, fairscale 0.4. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_shards_layout(const dtc_shards *shards, const dtc_shape *shapes, size_t n_shapes,
                                                   dtc_slot *slots, size_t cap, size_t *count, uint64_t *scratch,
                                                   size_t n_scratch, dtc_error *err);

/**
 * @brief Sums of a layout: padding, buckets, the heaviest and the lightest rank. O(tensors).
 * @param shards the sharding
 * @param shapes the tensors
 * @param n_shapes length of shapes
 * @param slots from dtc_shards_layout()
 * @param n_slots length of slots: n_shapes
 * @param out the sums
 * @param scratch array of n_scratch elements; may be NULL when none is needed
 * @param n_scratch length of scratch, see dtc_shards_scratch()
 * @param err may be NULL
 * @return as dtc_shards_layout(), DTC_E_CONFLICT (slots that are no layout of these tensors). Exact. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_shards_totals(const dtc_shards *shards, const dtc_shape *shapes, size_t n_shapes,
                                                   const dtc_slot *slots, size_t n_slots, dtc_shard_totals *out,
                                                   uint64_t *scratch, size_t n_scratch, dtc_error *err);

/**
 * @brief The buckets of a layout, by their numbers: what one collective moves. O(tensors).
 * @param shards the sharding
 * @param shapes the tensors
 * @param n_shapes length of shapes
 * @param slots from dtc_shards_layout()
 * @param n_slots length of slots: n_shapes
 * @param out array of cap buckets; n_shapes are always enough
 * @param cap length of out
 * @param count buckets there are
 * @param err may be NULL
 * @return as dtc_shards_layout(), DTC_E_CONFLICT (slots that are no layout of these tensors). Exact. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_shards_buckets(const dtc_shards *shards, const dtc_shape *shapes, size_t n_shapes,
                                                    const dtc_slot *slots, size_t n_slots, dtc_bucket *out, size_t cap,
                                                    size_t *count, dtc_error *err);

/**
 * @brief Gemini's search for the size of its chunks. O((search_range / interval + 1) * tensors).
 * @param shards the sharding, of scheme gemini
 * @param shapes the tensors
 * @param n_shapes length of shapes [0, 2^24]
 * @param out what was found
 * @param scratch array of n_scratch elements; may be NULL when none is needed
 * @param n_scratch length of scratch, see dtc_shards_scratch()
 * @param err may be NULL
 * @return as dtc_shards_layout(), DTC_E_UNSUPPORTED (another scheme), DTC_E_RANGE (interval, when search_range / interval + 1
 *         sizes are more than 2^18, or times the tensors, neighbours of one size counted once, more than 2^26; err.min is
 *         the least that does). Exact: ColossalAI 0.5, of tensors up to 2^53 elements together. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_shards_chunks(const dtc_shards *shards, const dtc_shape *shapes, size_t n_shapes,
                                                   dtc_chunks *out, uint64_t *scratch, size_t n_scratch,
                                                   dtc_error *err);

/**
 * @brief What a rank holds: parts of tensors, in the order of the tensors. O(tensors).
 * @param shards the sharding
 * @param shapes the tensors
 * @param n_shapes length of shapes
 * @param slots from dtc_shards_layout()
 * @param n_slots length of slots: n_shapes
 * @param rank [0, world)
 * @param out array of cap fragments; n_shapes are always enough
 * @param cap length of out
 * @param count fragments there are
 * @param err may be NULL
 * @return as dtc_shards_layout(), DTC_E_CONFLICT (slots that are no layout of these tensors), DTC_E_RANGE (rank). Exact.
 *         Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_shards_fragments(const dtc_shards *shards, const dtc_shape *shapes,
                                                      size_t n_shapes, const dtc_slot *slots, size_t n_slots,
                                                      uint64_t rank, dtc_fragment *out, size_t cap, size_t *count,
                                                      dtc_error *err);

/**
 * @brief The rank that holds an element. O(1): it checks this tensor and its slot, and no other.
 * @param shards the sharding
 * @param shapes the tensors
 * @param n_shapes length of shapes
 * @param slots from dtc_shards_layout()
 * @param n_slots length of slots: n_shapes
 * @param tensor index of the tensor [0, n_shapes)
 * @param element element of the tensor [0, rows * cols)
 * @param rank the rank
 * @param offset the element's place in the rank's part of the bucket
 * @param err may be NULL
 * @return as dtc_shards_fragments(), DTC_E_RANGE (tensor, element). Exact. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_shards_owner(const dtc_shards *shards, const dtc_shape *shapes, size_t n_shapes,
                                                  const dtc_slot *slots, size_t n_slots, uint64_t tensor,
                                                  uint64_t element, uint64_t *rank, uint64_t *offset, dtc_error *err);

/** Form of a checkpoint. */
typedef uint32_t dtc_checkpoint_form;
enum {
  DTC_CHECKPOINT_FORM_DEFAULT = 0,           /**< what the scheme's framework writes when not told otherwise */
  DTC_CHECKPOINT_FORM_NATIVE = 1,            /**< DeepSpeed: a file per rank */
  DTC_CHECKPOINT_FORM_ELASTIC = 2,           /**< the same with elastic_checkpoint */
  DTC_CHECKPOINT_FORM_UNIVERSAL = 3,         /**< DeepSpeed's universal checkpoint, written by ds_to_universal.py */
  DTC_CHECKPOINT_FORM_DP_RESHARDABLE = 4,    /**< Megatron-Core: a vector per bucket */
  DTC_CHECKPOINT_FORM_FULLY_RESHARDABLE = 5, /**< Megatron-Core: tensors, --dist-ckpt-optim-fully-reshardable */
  DTC_CHECKPOINT_FORM_DCP = 6,               /**< torch.distributed.checkpoint: boxes of tensors */
};

/** Whether a checkpoint can be loaded. */
typedef uint32_t dtc_loading;
enum {
  DTC_LOADING_DEFAULT = 0, /**< not said */
  DTC_LOADING_YES = 1,     /**< as it is */
  DTC_LOADING_CONVERT = 2, /**< in another form */
  DTC_LOADING_NO = 3,      /**< never */
};

/** Whether another sharding can load a checkpoint, and why not. */
typedef struct dtc_reshard {
  uint32_t struct_size;        /**< sizeof, set by DTC_INIT() */
  dtc_loading loading;         /**< can it be loaded */
  dtc_checkpoint_form form;    /**< form of the checkpoint */
  dtc_checkpoint_form convert; /**< form that could be loaded; default when there is none, or none is needed */
  dtc_rule rule;               /**< what stands against it; DTC_RULE_NONE when nothing does */
  uint32_t pad;                /**< 0 */
  uint64_t source_buckets;     /**< dp_reshardable: buckets of the checkpoint */
  uint64_t target_buckets;     /**< buckets of the job */
  uint64_t bucket;             /**< first bucket that stands against it; DTC_NONE = none */
  uint64_t source_used;        /**< elements of that bucket in the checkpoint, 0 when it has none such */
  uint64_t target_used;        /**< elements of that bucket in the job, 0 when it has none such */
  uint64_t source_empty;       /**< dp_reshardable: parts of buckets that are all padding, in the checkpoint */
  uint64_t target_empty;       /**< the same in the job */
} dtc_reshard;

/** What the numbers of an item count from. */
typedef uint32_t dtc_reshard_kind;
enum {
  DTC_RESHARD_KIND_DEFAULT = 0, /**< bucket */
  DTC_RESHARD_KIND_BUCKET = 1,  /**< buckets as vectors: DeepSpeed's own files, Megatron's dp_reshardable */
  DTC_RESHARD_KIND_TENSOR = 2,  /**< tensors: forms that any sharding loads */
};

/** Elements that a rank reads from another's part. A record, frozen for ever. */
typedef struct dtc_reshard_item {
  uint32_t key;           /**< number of the bucket, or index of the tensor */
  uint32_t pad;           /**< 0 */
  uint64_t source;        /**< rank whose part they are read from */
  uint64_t source_offset; /**< first element in the source's part of its bucket */
  uint64_t target_offset; /**< the same element in the target's part of its bucket */
  uint64_t length;        /**< elements */
} dtc_reshard_item;

/** A box of a tensor that a rank reads from another's. Ranks count tensor parallelism first. A record, frozen for ever. */
typedef struct dtc_reshard_box {
  uint32_t tensor;     /**< index of the tensor */
  uint32_t pad;        /**< 0 */
  uint64_t source;     /**< rank whose box is read: place in the shard group * tp + tensor parallel rank */
  uint64_t source_row; /**< first row in the source's box */
  uint64_t target_row; /**< the same row in the target's box */
  uint64_t rows;       /**< rows */
  uint64_t source_col; /**< first element of a row in the source's box */
  uint64_t target_col; /**< the same element in the target's box */
  uint64_t cols;       /**< elements of a row */
} dtc_reshard_box;

/** What all ranks read. */
typedef struct dtc_reshard_sums {
  uint32_t struct_size; /**< sizeof, set by DTC_INIT() */
  uint32_t pad;         /**< 0 */
  uint64_t items;       /**< items or boxes */
  uint64_t needed;      /**< elements */
  uint64_t same;        /**< elements whose source is the rank itself */
  uint64_t moved;       /**< elements from other ranks */
} dtc_reshard_sums;

/** What a checkpoint of weights, an fp32 copy of them and Adam's two moments comes to. */
typedef struct dtc_checkpoint {
  uint32_t struct_size;     /**< sizeof, set by DTC_INIT() */
  dtc_checkpoint_form form; /**< its form */
  uint64_t weights;         /**< weights in the type of training, bytes */
  uint64_t master;          /**< fp32 copy, bytes; 0 where the weights are the copy */
  uint64_t moments;         /**< moments, bytes */
  uint64_t bytes;           /**< all of it */
  uint64_t rank_bytes;      /**< what the rank that writes most writes, bytes */
  uint64_t files;           /**< files with tensors, and their indexes */
  uint64_t staging;         /**< host memory that a process of the conversion needs at once, bytes; 0 = no conversion */
  uint64_t needed;          /**< states of the rank that has most, bytes: what it must read */
  uint64_t read;            /**< bytes that the rank that reads most reads */
  uint64_t read_all;        /**< bytes that all ranks read */
  double write_seconds;     /**< bytes / bandwidth; 0 when that is not known */
  double read_seconds;      /**< read_all / bandwidth; 0 when that is not known */
} dtc_checkpoint;

/**
 * @brief Can a checkpoint be loaded by another sharding of the same tensors? O(tensors).
 *
 * DeepSpeed's files per rank load at their own world, stages 1 and 2 at any with elastic_checkpoint; the universal form
 * loads everywhere. Megatron's dp_reshardable loads when each bucket holds as many elements without its padding, and
 * no part of a bucket is all padding. Its fully_reshardable form, and torch's, load at any world.
 * @param source sharding of the checkpoint
 * @param target sharding of the job
 * @param shapes the tensors
 * @param n_shapes length of shapes
 * @param source_slots from dtc_shards_layout() of source
 * @param n_source_slots length of source_slots: n_shapes
 * @param target_slots from dtc_shards_layout() of target
 * @param n_target_slots length of target_slots: n_shapes
 * @param form of the checkpoint; default what the framework of source writes
 * @param out the verdict
 * @param err may be NULL
 * @return as dtc_shards_totals(), DTC_E_UNSUPPORTED (a form that source has not). Exact: DeepSpeed 0.19, Megatron-Core
 *         0.19, PyTorch 2.15. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_reshard_check(const dtc_shards *source, const dtc_shards *target,
                                                   const dtc_shape *shapes, size_t n_shapes,
                                                   const dtc_slot *source_slots, size_t n_source_slots,
                                                   const dtc_slot *target_slots, size_t n_target_slots,
                                                   dtc_checkpoint_form form, dtc_reshard *out, dtc_error *err);

/**
 * @brief What one rank reads from whom. Padding is never read. O(tensors + items).
 * @param source sharding of the checkpoint
 * @param target sharding of the job
 * @param shapes the tensors
 * @param n_shapes length of shapes
 * @param source_slots from dtc_shards_layout() of source
 * @param n_source_slots length of source_slots: n_shapes
 * @param target_slots from dtc_shards_layout() of target
 * @param n_target_slots length of target_slots: n_shapes
 * @param rank that reads [0, target.world)
 * @param kind buckets, which must be alike in both, or tensors
 * @param out array of cap items, by key, then by source
 * @param cap length of out
 * @param count items there are
 * @param err may be NULL
 * @return as dtc_shards_totals(), DTC_E_RANGE (rank), DTC_E_CONFLICT (buckets that differ), DTC_E_UNSUPPORTED (buckets
 *         that do not follow the order of the tensors). Exact: DeepSpeed 0.19, Megatron-Core 0.19. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_reshard_items(const dtc_shards *source, const dtc_shards *target,
                                                   const dtc_shape *shapes, size_t n_shapes,
                                                   const dtc_slot *source_slots, size_t n_source_slots,
                                                   const dtc_slot *target_slots, size_t n_target_slots, uint64_t rank,
                                                   dtc_reshard_kind kind, dtc_reshard_item *out, size_t cap,
                                                   size_t *count, dtc_error *err);

/**
 * @brief Sums over the items of all ranks. Buckets: O(tensors); tensors: O(tensors * ranks that hold a part of one).
 * @param source sharding of the checkpoint
 * @param target sharding of the job
 * @param shapes the tensors
 * @param n_shapes length of shapes
 * @param source_slots from dtc_shards_layout() of source
 * @param n_source_slots length of source_slots: n_shapes
 * @param target_slots from dtc_shards_layout() of target
 * @param n_target_slots length of target_slots: n_shapes
 * @param kind buckets, which must be alike in both, or tensors
 * @param out the sums
 * @param err may be NULL
 * @return as dtc_reshard_items(), DTC_E_OVERFLOW, DTC_E_RANGE (more than 2^28 steps). Exact. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_reshard_totals(const dtc_shards *source, const dtc_shards *target,
                                                    const dtc_shape *shapes, size_t n_shapes,
                                                    const dtc_slot *source_slots, size_t n_source_slots,
                                                    const dtc_slot *target_slots, size_t n_target_slots,
                                                    dtc_reshard_kind kind, dtc_reshard_sums *out, dtc_error *err);

/**
 * @brief Elements of scratch that dtc_reshard_boxes() and dtc_reshard_box_totals() need.
 * @param source sharding of the checkpoint: fsdp2
 * @param source_tp its tensor parallel degree; 0 = 1 [0, 2^32 / source.world]
 * @param needed elements of 8 bytes
 * @param err may be NULL
 * @return as dtc_shards_resolve(), DTC_E_RANGE (source_tp), DTC_E_UNSUPPORTED (another scheme). Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_reshard_scratch(const dtc_shards *source, uint64_t source_tp, uint64_t *needed,
                                                     dtc_error *err);

/**
 * @brief What one rank reads from a checkpoint of torch.distributed.checkpoint, as boxes.
 *
 * Tensor parallelism cuts each tensor first, fully_shard() the rows of what it leaves. A tensor that is whole on every
 * tensor parallel rank is written by one of them: the one whose plan holds the fewest bytes so far, the first of them.
 * O(tensors * ranks of source) with source_tp > 1, else O(tensors + boxes).
 * @param source sharding of the checkpoint: fsdp2
 * @param source_tp its tensor parallel degree; 0 = 1 [0, 2^32 / source.world]
 * @param target sharding of the job: fsdp2
 * @param target_tp its tensor parallel degree; 0 = 1 [0, 2^32 / target.world]
 * @param shapes the tensors, before tensor parallelism; cut says what it cuts
 * @param n_shapes length of shapes [0, 2^24]
 * @param rank that reads: place in the shard group * target_tp + tensor parallel rank [0, target.world * target_tp)
 * @param out array of cap boxes, by tensor, then by tensor parallel rank and place of the source
 * @param cap length of out
 * @param count boxes there are
 * @param scratch array of n_scratch elements; may be NULL when none is needed
 * @param n_scratch length of scratch, see dtc_reshard_scratch()
 * @param err may be NULL
 * @return as dtc_reshard_scratch(), DTC_E_RANGE (a shape, rank, more than 2^28 steps), DTC_E_OVERFLOW, DTC_E_DIVIDE (a
 *         cut that leaves a rest), DTC_E_SPACE. Exact: PyTorch 2.15. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_reshard_boxes(const dtc_shards *source, uint64_t source_tp,
                                                   const dtc_shards *target, uint64_t target_tp,
                                                   const dtc_shape *shapes, size_t n_shapes, uint64_t rank,
                                                   dtc_reshard_box *out, size_t cap, size_t *count, uint64_t *scratch,
                                                   size_t n_scratch, dtc_error *err);

/**
 * @brief Sums over the boxes of all ranks. O(tensors * ranks).
 * @param source sharding of the checkpoint: fsdp2
 * @param source_tp its tensor parallel degree; 0 = 1 [0, 2^32 / source.world]
 * @param target sharding of the job: fsdp2
 * @param target_tp its tensor parallel degree; 0 = 1 [0, 2^32 / target.world]
 * @param shapes the tensors, before tensor parallelism; cut says what it cuts
 * @param n_shapes length of shapes [0, 2^24]
 * @param out the sums
 * @param scratch array of n_scratch elements; may be NULL when none is needed
 * @param n_scratch length of scratch, see dtc_reshard_scratch()
 * @param err may be NULL
 * @return as dtc_reshard_boxes(). Exact: PyTorch 2.15. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_reshard_box_totals(const dtc_shards *source, uint64_t source_tp,
                                                        const dtc_shards *target, uint64_t target_tp,
                                                        const dtc_shape *shapes, size_t n_shapes, dtc_reshard_sums *out,
                                                        uint64_t *scratch, size_t n_scratch, dtc_error *err);

/**
 * @brief Bytes, files and times of a checkpoint that the sharding writes, and of reading it again. O(tensors).
 *
 * Adam's moments and the copy are fp32: 12 bytes per element; the form of torch keeps weights and moments in the type of
 * the sharded weights.
 * @param shards the sharding
 * @param shapes the tensors
 * @param n_shapes length of shapes
 * @param slots from dtc_shards_layout()
 * @param n_slots length of slots: n_shapes
 * @param bandwidth of the storage, all ranks together, bytes/s [1, 1e18]; 0 = not known
 * @param form of the checkpoint; default what the scheme's framework writes
 * @param out bytes, files, seconds
 * @param scratch array of n_scratch elements; may be NULL when none is needed
 * @param n_scratch length of scratch, see dtc_shards_scratch()
 * @param err may be NULL
 * @return as dtc_shards_totals(), DTC_E_RANGE (bandwidth), DTC_E_UNSUPPORTED (a form that the scheme has not). Model:
 *         files and the share of a rank as read in the code, times without latency; bytes of DeepSpeed's and Megatron's
 *         states follow exactly from the layout. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_checkpoint_estimate(const dtc_shards *shards, const dtc_shape *shapes,
                                                         size_t n_shapes, const dtc_slot *slots, size_t n_slots,
                                                         double bandwidth, dtc_checkpoint_form form,
                                                         dtc_checkpoint *out, uint64_t *scratch, size_t n_scratch,
                                                         dtc_error *err);

/**
 * @brief The collectives that reduce the gradients of one backward, in their order. O(tensors).
 *
 * elements is what the framework holds against its bucket size. Kept is less than sent where a rank gets its part alone:
 * zero3 with reduce_scatter, low_level_zero with stage 2. zero12 all-reduces, whatever the stage; bf16 reduces one whole
 * vector. MiCS reduces what it keeps a second time, over its replicas.
 * @param shards the sharding
 * @param shapes the tensors
 * @param n_shapes length of shapes
 * @param slots from dtc_shards_layout()
 * @param n_slots length of slots: n_shapes
 * @param out array of cap batches; n_shapes are always enough
 * @param cap length of out
 * @param count batches there are
 * @param err may be NULL
 * @return as dtc_shards_fragments(), DTC_E_UNSUPPORTED (the scheme). Exact: DeepSpeed 0.19, ColossalAI 0.5. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_shards_reductions(const dtc_shards *shards, const dtc_shape *shapes,
                                                       size_t n_shapes, const dtc_slot *slots, size_t n_slots,
                                                       dtc_batch *out, size_t cap, size_t *count, dtc_error *err);

/**
 * @brief The runs of one owner into which zero12 cuts each of its reductions, in their order.
 *
 * With multi_rank the runs of a bucket are copied out of one all-reduce; without it they stand owner by owner, and the runs
 * of an owner go to it in one reduce. O(tensors * log tensors + cap); there are at most n_shapes + world runs.
 * @param shards the sharding
 * @param shapes the tensors
 * @param n_shapes length of shapes
 * @param slots from dtc_shards_layout()
 * @param n_slots length of slots: n_shapes
 * @param out array of cap slices
 * @param cap length of out
 * @param count slices there are
 * @param scratch array of n_scratch elements; may be NULL when none is needed
 * @param n_scratch length of scratch, see dtc_shards_scratch()
 * @param err may be NULL
 * @return as dtc_shards_layout(), DTC_E_CONFLICT (slots that are no layout of these tensors), DTC_E_UNSUPPORTED (a scheme
 *         other than zero12). Exact: DeepSpeed 0.19. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_shards_slices(const dtc_shards *shards, const dtc_shape *shapes, size_t n_shapes,
                                                   const dtc_slot *slots, size_t n_slots, dtc_slice *out, size_t cap,
                                                   size_t *count, uint64_t *scratch, size_t n_scratch, dtc_error *err);

/**
 * @brief Size of the buffer in which zero12 accumulates its gradients: the tensors that touch a rank's part, each whole.
 *
 * O(tensors), for the largest O(tensors * log tensors). With gradients accumulated in fp32 DeepSpeed 0.19.8 and later keep
 * the part itself instead.
 * @param shards the sharding
 * @param shapes the tensors
 * @param n_shapes length of shapes
 * @param slots from dtc_shards_layout()
 * @param n_slots length of slots: n_shapes
 * @param rank [0, world), or DTC_NONE for the rank that needs most
 * @param elements size of the buffer
 * @param scratch array of n_scratch elements; may be NULL when a rank is named
 * @param n_scratch length of scratch, see dtc_shards_scratch()
 * @param err may be NULL
 * @return as dtc_shards_layout(), DTC_E_CONFLICT (slots that are no layout of these tensors), DTC_E_RANGE (rank),
 *         DTC_E_UNSUPPORTED (a scheme other than zero12). Exact: DeepSpeed 0.19. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_shards_accumulator(const dtc_shards *shards, const dtc_shape *shapes,
                                                        size_t n_shapes, const dtc_slot *slots, size_t n_slots,
                                                        uint64_t rank, uint64_t *elements, uint64_t *scratch,
                                                        size_t n_scratch, dtc_error *err);

/**
 * @brief The all-gathers behind the optimizer's step, in their order. O(tensors).
 *
 * Sent is a rank's part, kept the whole buffer. zero12 and bf16 gather the vector in one call, zero3 its persistent
 * tensors; low_level_zero holds parts, not whole tensors, against its bucket size, so that its buffers grow with the world.
 * @param shards the sharding
 * @param shapes the tensors
 * @param n_shapes length of shapes
 * @param slots from dtc_shards_layout()
 * @param n_slots length of slots: n_shapes
 * @param out array of cap batches; n_shapes are always enough
 * @param cap length of out
 * @param count batches there are
 * @param err may be NULL
 * @return as dtc_shards_fragments(), DTC_E_UNSUPPORTED (the scheme). Exact: DeepSpeed 0.19, ColossalAI 0.5. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_shards_gathers(const dtc_shards *shards, const dtc_shape *shapes, size_t n_shapes,
                                                    const dtc_slot *slots, size_t n_slots, dtc_batch *out, size_t cap,
                                                    size_t *count, dtc_error *err);

/**
 * @brief The sub-groups that zero3's optimizer steps through. O(tensors).
 *
 * Kept is a rank's part, sent all ranks' parts. DeepSpeed 0.19.8 and later leave empty tensors out.
 * @param shards the sharding
 * @param shapes the tensors
 * @param n_shapes length of shapes
 * @param slots from dtc_shards_layout()
 * @param n_slots length of slots: n_shapes
 * @param out array of cap batches; n_shapes are always enough
 * @param cap length of out
 * @param count batches there are
 * @param err may be NULL
 * @return as dtc_shards_fragments(), DTC_E_UNSUPPORTED (a scheme other than zero3 and mics). Exact: DeepSpeed 0.19.
 *         Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_shards_sub_groups(const dtc_shards *shards, const dtc_shape *shapes,
                                                       size_t n_shapes, const dtc_slot *slots, size_t n_slots,
                                                       dtc_batch *out, size_t cap, size_t *count, dtc_error *err);

/**
 * @brief The tensors that zero3 keeps gathered: those of up to `persistence` elements.
 * @param shards the sharding
 * @param shapes the tensors
 * @param n_shapes length of shapes
 * @param tensors number of tensors
 * @param elements their elements
 * @param err may be NULL
 * @return as dtc_shards_resolve(), DTC_E_RANGE (a shape, n_shapes), DTC_E_OVERFLOW, DTC_E_UNSUPPORTED (a scheme other than
 *         zero3 and mics). Exact: DeepSpeed 0.19. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_shards_persistent(const dtc_shards *shards, const dtc_shape *shapes,
                                                       size_t n_shapes, uint64_t *tensors, uint64_t *elements,
                                                       dtc_error *err);

/**
 * @brief What a rank holds of the secondary copy of zero3's hpz, from which backward gathers. O(tensors).
 * @param shards the sharding
 * @param shapes the tensors
 * @param n_shapes length of shapes
 * @param slots from dtc_shards_layout()
 * @param n_slots length of slots: n_shapes
 * @param rank [0, world)
 * @param out array of cap fragments, in the order of the tensors; n_shapes are always enough
 * @param cap length of out
 * @param count fragments there are; 0 without hpz
 * @param elements size of the copy, padding included: of each tensor (bucket_end - bucket_start) / hpz
 * @param err may be NULL
 * @return as dtc_shards_fragments(), DTC_E_UNSUPPORTED (a scheme other than zero3 and mics). Exact: DeepSpeed 0.19.
 *         Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_shards_secondary(const dtc_shards *shards, const dtc_shape *shapes,
                                                      size_t n_shapes, const dtc_slot *slots, size_t n_slots,
                                                      uint64_t rank, dtc_fragment *out, size_t cap, size_t *count,
                                                      uint64_t *elements, dtc_error *err);

/**
 * @brief One iteration of zero3, call by call: what is gathered, prefetched and released, and how much is live at most.
 *
 * O(tensors + modules + tensors of all calls).
 * @param shards the sharding
 * @param shapes the tensors
 * @param n_shapes length of shapes
 * @param modules calls of modules in the order in which they run, forward and behind it backward; with activation
 *        checkpointing a layer's calls stand once more before their backward
 * @param n_modules length of modules [0, 2^24]
 * @param tracing how tensors are fetched
 * @param out what it comes to
 * @param scratch array of n_scratch elements; may be NULL when none is needed
 * @param n_scratch length of scratch, see dtc_shards_scratch()
 * @param err may be NULL
 * @return as dtc_shards_layout(), DTC_E_RANGE (n_modules, a module, a field of tracing), DTC_E_UNSUPPORTED (a scheme other
 *         than zero3 and mics). Exact: DeepSpeed 0.19; peak_buffers where a module's tensors are waited for in ascending
 *         order, which DeepSpeed leaves to Python. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_shards_trace(const dtc_shards *shards, const dtc_shape *shapes, size_t n_shapes,
                                                  const dtc_module *modules, size_t n_modules,
                                                  const dtc_tracing *tracing, dtc_trace *out, uint64_t *scratch,
                                                  size_t n_scratch, dtc_error *err);

/**
 * @brief The collectives of the data-parallel axis in an optimizer step. O(tensors).
 *
 * fsdp1, fsdp2: all tensors are one unit, which goes in one call; ask for each unit of a model by itself. zero3 gathers
 * every tensor that is not persistent for forward and for backward again, as with max_reuse_distance 0; dtc_shards_trace()
 * tells what really stays.
 * @param shards the sharding
 * @param shapes the tensors
 * @param n_shapes length of shapes
 * @param slots from dtc_shards_layout()
 * @param n_slots length of slots: n_shapes
 * @param micro_batches micro-batches of a step [1, 2^32]
 * @param out array of cap messages; 8 are always enough
 * @param cap length of out
 * @param count messages there are
 * @param err may be NULL
 * @return as dtc_shards_fragments(), DTC_E_RANGE (micro_batches), DTC_E_OVERFLOW. Exact by the code of the versions of
 *         dtc_shards_layout(). Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_shards_messages(const dtc_shards *shards, const dtc_shape *shapes, size_t n_shapes,
                                                     const dtc_slot *slots, size_t n_slots, uint64_t micro_batches,
                                                     dtc_message *out, size_t cap, size_t *count, dtc_error *err);

/**
 * @brief Bytes that a rank holds, by item. O(tensors).
 * @param shards the sharding
 * @param shapes the tensors
 * @param n_shapes length of shapes
 * @param slots from dtc_shards_layout()
 * @param n_slots length of slots: n_shapes
 * @param rank [0, world)
 * @param micro_batches micro-batches of a step [1, 2^32]
 * @param out the bytes
 * @param err may be NULL
 * @return as dtc_shards_messages(), DTC_E_RANGE (rank). Exact by the code of the versions of dtc_shards_layout(), without the
 *         allocator. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_shards_bytes(const dtc_shards *shards, const dtc_shape *shapes, size_t n_shapes,
                                                  const dtc_slot *slots, size_t n_slots, uint64_t rank,
                                                  uint64_t micro_batches, dtc_shard_bytes *out, dtc_error *err);

/**
 * @brief Bytes that a rank of DeepSpeed holds at a moment, by item: what is there then, `reduce` and `step` are 0. O(tensors).
 *
 * weights, master, moments, gradients, buckets and gathered add up to all. With offload the same tensors lie elsewhere.
 * @param shards the sharding
 * @param shapes the tensors
 * @param n_shapes length of shapes
 * @param slots from dtc_shards_layout()
 * @param n_slots length of slots: n_shapes
 * @param rank [0, world)
 * @param micro_batches micro-batches of a step [1, 2^32]
 * @param micro_batch whose backward it is; the last one's ends the step's gradients. Unused for init and step [0, micro_batches)
 * @param moment when
 * @param out the bytes
 * @param err may be NULL
 * @return as dtc_shards_bytes(), DTC_E_RANGE (moment, micro_batch), DTC_E_UNSUPPORTED (a scheme other than zero12 and zero3;
 *         stage 1 in 16 bit with gradients accumulated in fp32, which is scheme bf16). Exact: DeepSpeed 0.19.8. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_shards_held(const dtc_shards *shards, const dtc_shape *shapes, size_t n_shapes,
                                                 const dtc_slot *slots, size_t n_slots, uint64_t rank,
                                                 uint64_t micro_batches, uint64_t micro_batch, dtc_shard_moment moment,
                                                 dtc_shard_bytes *out, dtc_error *err);

/**
 * @brief The surprises of a layout, with their numbers: warnings, in the order of their rule numbers. O(tensors * log tensors).
 *
 * DTC_RULE_SHARD_REDUCE to DTC_RULE_SHARD_PARTS; doc/formulas/shards.md says when each is given, and what its numbers are.
 * @param shards the sharding
 * @param shapes the tensors
 * @param n_shapes length of shapes
 * @param slots from dtc_shards_layout()
 * @param n_slots length of slots: n_shapes
 * @param tracing how zero3 fetches tensors; may be NULL: the defaults
 * @param findings array of cap findings; findings[0].struct_size is the stride and must be valid when cap > 0
 * @param cap length of findings; 8 are always enough
 * @param count findings there are
 * @param scratch array of n_scratch elements; may be NULL when none is needed
 * @param n_scratch length of scratch, see dtc_shards_scratch()
 * @param err may be NULL
 * @return DTC_OK (also when there are findings), as dtc_shards_totals(), DTC_E_SPACE (*count was written, or err.field is
 *         scratch and err.min its length), DTC_E_RANGE (a field of tracing). Exact by the code of the versions of
 *         dtc_shards_layout(). Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_shards_check(const dtc_shards *shards, const dtc_shape *shapes, size_t n_shapes,
                                                  const dtc_slot *slots, size_t n_slots, const dtc_tracing *tracing,
                                                  dtc_error *findings, size_t cap, size_t *count, uint64_t *scratch,
                                                  size_t n_scratch, dtc_error *err);

/**
 * @brief What offloading moves between GPU, host and NVMe, and what it holds there; of zero12 and zero3. O(tensors).
 * @param shards the sharding
 * @param shapes the tensors
 * @param n_shapes length of shapes
 * @param slots from dtc_shards_layout()
 * @param n_slots length of slots: n_shapes
 * @param rank [0, world)
 * @param micro_batches micro-batches of a step [1, 2^32]
 * @param offload what is offloaded
 * @param out the bytes
 * @param err may be NULL
 * @return as dtc_shards_bytes(), DTC_E_UNSUPPORTED (an offload that the scheme has not). Exact by the code of DeepSpeed
 *         0.19. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_shards_offload(const dtc_shards *shards, const dtc_shape *shapes, size_t n_shapes,
                                                    const dtc_slot *slots, size_t n_slots, uint64_t rank,
                                                    uint64_t micro_batches, dtc_offload offload, dtc_offload_bytes *out,
                                                    dtc_error *err);

#ifdef __cplusplus
}
#endif
#endif

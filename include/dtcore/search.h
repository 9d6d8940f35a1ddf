/**
 * @file search.h
 * @brief The best plans of a space that is written out axis by axis.
 */
#ifndef DTCORE_SEARCH_H
#define DTCORE_SEARCH_H

#include <dtcore/memory.h>
#include <dtcore/step.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What the best plan has least of. */
typedef uint32_t dtc_objective;
enum {
  DTC_OBJECTIVE_DEFAULT = 0,  /**< time */
  DTC_OBJECTIVE_TIME = 1,     /**< seconds of a step, and so most tokens per second */
  DTC_OBJECTIVE_GPU_TIME = 2, /**< GPU-seconds of a step, and so the least cost */
  DTC_OBJECTIVE_MEMORY = 3,   /**< bytes that the fullest GPU shows, and so the most head-room */
};

/** Axes of a space, the slowest first: index 0 has the first value of each, and the last axis moves from index to index. */
typedef uint32_t dtc_space_axis;
enum {
  DTC_SPACE_AXIS_GPUS = 0,              /**< GPUs: the cluster's, and what is left of them when nodes are halved */
  DTC_SPACE_AXIS_TP = 1,                /**< plan.tp: divisors of the GPUs up to tp_most */
  DTC_SPACE_AXIS_CP = 2,                /**< plan.cp: divisors of the GPUs up to cp_most */
  DTC_SPACE_AXIS_EP = 3,                /**< plan.ep: divisors of the model's experts up to ep_most */
  DTC_SPACE_AXIS_ETP = 4,               /**< plan.etp: divisors of the GPUs up to tp_most, for Megatron's experts */
  DTC_SPACE_AXIS_SEQUENCE_PARALLEL = 5, /**< plan.sequence_parallel: off, on */
  DTC_SPACE_AXIS_MICRO_BATCH = 6,       /**< plan.micro_batch: divisors of the global batch up to micro_batch_most */
  DTC_SPACE_AXIS_RECOMPUTE = 7,         /**< plan.recompute: those of recomputes */
  DTC_SPACE_AXIS_RECOMPUTE_LAYERS = 8,  /**< plan.recompute_layers of method block: 0 all layers, then powers of two */
  DTC_SPACE_AXIS_SHARDING = 9,          /**< plan.sharding: those of shardings */
  DTC_SPACE_AXIS_OFFLOAD = 10,          /**< plan.offload: those of offloads */
  DTC_SPACE_AXIS_LAYERS = 11,           /**< dtc_space_layers: Megatron's, when the plan does not say */
  DTC_SPACE_AXIS_PP = 12,               /**< plan.pp: divisors of the GPUs up to pp_most */
  DTC_SPACE_AXIS_VPP = 13,              /**< plan.vpp: divisors of what may be split, up to vpp_most, and 2 for a V */
  DTC_SPACE_AXIS_SCHEDULE = 14,         /**< plan.schedule: those of schedules */
  DTC_SPACE_AXIS_DP_SHARD = 15,         /**< plan.dp_shard: 0 the sharding's default, then divisors of the GPUs */
};

/** How Megatron's pipeline ranks get their layers. */
typedef uint32_t dtc_space_layers;
enum {
  DTC_SPACE_LAYERS_EVEN = 0, /**< evenly, or as the plan says */
  DTC_SPACE_LAYERS_LOSS = 1, /**< plan.account_loss */
  DTC_SPACE_LAYERS_BOTH = 2, /**< plan.account_loss and plan.account_embedding */
  DTC_SPACE_LAYERS_LAST = 3, /**< plan.last_layers: the others have as many as an even split rounded up */
};

/** Number of axes. */
#define DTC_SPACE_AXES 16

/** Which plans are tried. A field that the plan gives is not varied; bit n of a mask stands for value n of its enum,
 * bit 0 for nothing but in offloads. */
typedef struct dtc_space {
  uint32_t struct_size;      /**< sizeof, set by DTC_INIT() */
  dtc_objective objective;   /**< what is minimised */
  uint64_t gpus_least;       /**< fewest GPUs; 0 = all of the cluster's [0, 2^32] */
  uint64_t tp_most;          /**< largest tp; 0 = GPUs joined by NVLink [0, 2^20] */
  uint64_t cp_most;          /**< largest cp; 0 = 16 [0, 2^20] */
  uint64_t ep_most;          /**< largest ep; 0 = experts [0, 2^20] */
  uint64_t pp_most;          /**< largest pp; 0 = layers [0, 2^20] */
  uint64_t vpp_most;         /**< most model chunks of a rank; 0 = layers [0, 2^20] */
  uint64_t micro_batch_most; /**< largest micro-batch; 0 = 64 [0, 2^32] */
  uint64_t reserve;          /**< bytes that stay free on every GPU [0, 2^60] */
  uint64_t keep;             /**< plans that are kept; 0 = 10 [0, 2^20] */
  uint32_t shardings;        /**< mask of dtc_sharding; 0 = those that the framework has [0, 255] */
  uint32_t recomputes;       /**< mask of dtc_recompute; 0 = none, full, and selective where memory counts it [0, 15] */
  uint32_t schedules;        /**< mask of dtc_schedule; 0 = 1f1b, and interleaved where there is one [0, 65535] */
  uint32_t offloads;         /**< mask of dtc_offload, bit 0 nothing; 0 = nothing alone [0, 31] */
  dtc_bool recompute_layers; /**< Megatron: full recomputation of fewer layers too; default off */
  dtc_bool dp_split;         /**< every split of the data parallel ranks that shard; default off */
  dtc_bool surely;           /**< a plan fits when the upper end of its range does; default off */
  uint32_t pad;              /**< 0 */
} dtc_space;

/** A plan that fits. A record, frozen for ever. */
typedef struct dtc_found {
  uint64_t index;  /**< in the space, for dtc_search_plan() */
  double value;    /**< of the objective: seconds, GPU-seconds, or bytes [0, 1e30] */
  double seconds;  /**< of a step [0, 1e30] */
  uint64_t device; /**< bytes that the fullest GPU shows */
  uint64_t gpus;   /**< ranks */
} dtc_found;

/** What became of the plans of a range; those of adjoining ranges add up. */
typedef struct dtc_search {
  uint32_t struct_size;  /**< sizeof, set by DTC_INIT() */
  dtc_memory_item limit; /**< largest item of the plan that needs least memory */
  uint64_t tried;        /**< all */
  uint64_t same;         /**< another index is the same plan: a value without effect */
  uint64_t illegal;      /**< the framework refuses them */
  uint64_t unknown;      /**< legal, but their memory or time is not modelled */
  uint64_t over;         /**< too large for a GPU */
  uint64_t fit;          /**< they fit */
  uint64_t pruned;       /**< of these, not timed to the end: sure to be worse than the plans that are kept */
  uint64_t least;        /**< bytes that a GPU shows with the plan that needs least; 0 none */
  uint64_t least_index;  /**< which it is */
} dtc_search;

/** Rules of searches; they join dtc_rule. */
enum {
  DTC_RULE_SEARCH_BATCH = 920, /**< a search needs plan.global_batch */
  DTC_RULE_SEARCH_GPUS = 921,  /**< a search needs the number of the cluster's nodes */
  DTC_RULE_SEARCH_SPACE = 922, /**< a space has fewer than 2^62 plans */
};

/**
 * @brief Number of plans of a space.
 * @param model what is trained
 * @param cluster on what, with its number of nodes
 * @param plan what is not varied: every field that is not 0; global_batch is needed. The framework is that of a given
 *        sharding, else Megatron
 * @param space which plans; may be NULL: all is default
 * @param size plans
 * @param err may be NULL
 * @return as dtc_model_resolve(), as dtc_cluster_resolve(), DTC_E_RANGE (plan, space), DTC_E_CONFLICT (no global_batch,
 *         no nodes), DTC_E_OVERFLOW. Exact. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_search_size(const dtc_model *model, const dtc_cluster *cluster,
                                                 const dtc_plan *plan, const dtc_space *space, uint64_t *size,
                                                 dtc_error *err);

/**
 * @brief Values of an axis, in order.
 * @param model what is trained
 * @param cluster on what
 * @param plan what is not varied
 * @param space which plans; may be NULL
 * @param axis [0, DTC_SPACE_AXES)
 * @param values array of cap values: numbers, or values of the axis' enum
 * @param cap length of values
 * @param count values there are, at most 256
 * @param err may be NULL
 * @return as dtc_search_size(), DTC_E_SPACE (*count was written). Exact. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_search_axis(const dtc_model *model, const dtc_cluster *cluster,
                                                 const dtc_plan *plan, const dtc_space *space, dtc_space_axis axis,
                                                 uint64_t *values, size_t cap, size_t *count, dtc_error *err);

/**
 * @brief The plan of an index, as the other functions take it; it need not be legal.
 * @param model what is trained
 * @param cluster on what
 * @param plan what is not varied
 * @param space which plans; may be NULL
 * @param index [0, size)
 * @param out the given plan with the values of all axes, and with dp
 * @param err may be NULL
 * @return as dtc_search_size(), DTC_E_RANGE (index). Exact. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_search_plan(const dtc_model *model, const dtc_cluster *cluster,
                                                 const dtc_plan *plan, const dtc_space *space, uint64_t index,
                                                 dtc_plan *out, dtc_error *err);

/**
 * @brief The best plans among some of a space's. Memory and time are those of dtc_memory_estimate() and
 *        dtc_step_estimate(), bit for bit. Ranges may be searched in any pieces, by threads, processes and machines: what
 *        dtc_search_merge() makes of the pieces is what one call finds.
 * @param model what is trained
 * @param cluster on what
 * @param plan what is not varied
 * @param space which plans; may be NULL
 * @param params constants of time; may be NULL
 * @param first index of the first plan [0, size]
 * @param number how many [0, size - first]
 * @param best array of cap plans, the best first; of equal ones the smaller index
 * @param cap length of best
 * @param count plans in best
 * @param out what became of all; the pruned ones depend on the pieces, nothing else does
 * @param scratch array of n_scratch elements
 * @param n_scratch length of scratch, see dtc_search_scratch()
 * @param err may be NULL
 * @return as dtc_search_size(), DTC_E_RANGE (first, number, params), DTC_E_SPACE (fewer than keep
 *         and number: *count was written; n_scratch),
 *         DTC_E_CONFLICT (a cluster without what times need), DTC_E_UNSUPPORTED (a model or setting that memory or time
 *         does not count). Model: as those two functions. O(number): some microseconds for
 *         each legal plan. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_search_run(const dtc_model *model, const dtc_cluster *cluster,
                                                const dtc_plan *plan, const dtc_space *space,
                                                const dtc_step_params *params, uint64_t first, uint64_t number,
                                                dtc_found *best, size_t cap, size_t *count, dtc_search *out,
                                                uint64_t *scratch, size_t n_scratch, dtc_error *err);

/**
 * @brief Elements of scratch that dtc_search_run() needs, whatever the space.
 * @param needed elements
 * @param err may be NULL
 * @return DTC_OK, DTC_E_SIZE (err). Exact. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_search_scratch(uint64_t *needed, dtc_error *err);

/**
 * @brief The best of what two searches of one space found.
 * @param left from dtc_search_run() or a merge
 * @param n_left length of left
 * @param right from another piece
 * @param n_right length of right
 * @param keep most plans that are kept; 0 = all
 * @param best array of cap plans, apart from left and right
 * @param cap length of best
 * @param count plans in best; an index is there once
 * @param err may be NULL
 * @return DTC_OK, DTC_E_SIZE, DTC_E_RANGE (value or seconds of a plan), DTC_E_SPACE (*count was written). Exact.
 *         Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_search_merge(const dtc_found *left, size_t n_left, const dtc_found *right,
                                                  size_t n_right, uint64_t keep, dtc_found *best, size_t cap,
                                                  size_t *count, dtc_error *err);

/** What may make a plan fit where none of a space does. */
typedef uint32_t dtc_search_kind;
enum {
  DTC_SEARCH_KIND_NONE = 0,
  DTC_SEARCH_KIND_RECOMPUTE = 1, /**< full recomputation too */
  DTC_SEARCH_KIND_SHARDING = 2,  /**< all shardings that the framework has */
  DTC_SEARCH_KIND_OFFLOAD = 3,   /**< optimizer states in host memory too; then weights; then on NVMe */
  DTC_SEARCH_KIND_SEQ = 4,       /**< half the sequence; a quarter; and so on */
  DTC_SEARCH_KIND_GPUS = 5,      /**< twice the nodes; four times; and so on */
};

/**
 * @brief What to search next when nothing of a space fits: the same with one change of a kind, larger from step to step.
 *        The first step whose space has a plan that fits is the smallest change of its kind; when no step of
 *        DTC_SEARCH_KIND_GPUS has one, more GPUs will not help.
 * @param model what is trained
 * @param cluster on what
 * @param plan what is not varied
 * @param space which plans; may be NULL
 * @param kind what is changed
 * @param step how much [1, ..]: as long as there is something left to change
 * @param next_cluster the cluster to search with: of DTC_SEARCH_KIND_GPUS with more nodes, up to 2^20 GPUs
 * @param next_plan the plan: with a shorter sequence, at least 128 tokens; without a field that is freed
 * @param next_space the space
 * @param err may be NULL
 * @return as dtc_search_size(), DTC_E_RANGE (kind; step: max says how many there are, 0 when none). Exact. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_search_change(const dtc_model *model, const dtc_cluster *cluster,
                                                   const dtc_plan *plan, const dtc_space *space, dtc_search_kind kind,
                                                   uint64_t step, dtc_cluster *next_cluster, dtc_plan *next_plan,
                                                   dtc_space *next_space, dtc_error *err);

#ifdef __cplusplus
}
#endif

#endif

/**
 * @file rank.h
 * @brief Which rank does what: meshes of ranks, the groups that frameworks make of them, and how groups lie on nodes.
 *
 * A mesh is an array of axes and an offset: rank = offset + sum of coordinate * stride. The strides must tile the ranks
 * without gap or overlap. The order of the array decides how groups and their members are counted, first axis fastest;
 * when the strides ascend, as in every mesh of dtc_layout_mesh(), members ascend too, and the index in a group is the
 * rank in the process group, because torch.distributed.new_group() sorts.
 */
#ifndef DTCORE_RANK_H
#define DTCORE_RANK_H

#include <dtcore/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What ranks of a group do together. Factor of the wire: bytes that a ring moves per rank, over those of the whole vector. */
typedef uint32_t dtc_collective;
enum {
  DTC_COLLECTIVE_NONE = 0,
  DTC_COLLECTIVE_ALL_REDUCE = 1,     /**< 2 (n - 1) / n */
  DTC_COLLECTIVE_REDUCE_SCATTER = 2, /**< (n - 1) / n */
  DTC_COLLECTIVE_ALL_GATHER = 3,     /**< (n - 1) / n */
  DTC_COLLECTIVE_REDUCE = 4,         /**< to one rank: 1 */
  DTC_COLLECTIVE_BROADCAST = 5,      /**< from one rank: 1 */
  DTC_COLLECTIVE_ALL_TO_ALL = 6,     /**< (n - 1) / n */
  DTC_COLLECTIVE_SEND_RECV = 7,      /**< 1 */
  DTC_COLLECTIVE_GATHER = 8,         /**< to one rank: (n - 1) / n */
  DTC_COLLECTIVE_SCATTER = 9,        /**< from one rank: (n - 1) / n */
  DTC_COLLECTIVE_BARRIER = 10,       /**< nothing is moved */
};

/** What an axis of a mesh stands for. */
typedef uint32_t dtc_axis_name;
enum {
  DTC_AXIS_NAME_NONE = 0,          /**< an axis of the caller's own */
  DTC_AXIS_NAME_TP = 1,            /**< tensor parallel */
  DTC_AXIS_NAME_CP = 2,            /**< context parallel; sequence parallel of Ulysses and ColossalAI */
  DTC_AXIS_NAME_DP = 3,            /**< data parallel */
  DTC_AXIS_NAME_PP = 4,            /**< pipeline parallel */
  DTC_AXIS_NAME_EP = 5,            /**< expert parallel */
  DTC_AXIS_NAME_ETP = 6,           /**< tensor parallel of the experts */
  DTC_AXIS_NAME_EDP = 7,           /**< data parallel of the experts */
  DTC_AXIS_NAME_GTP_REMAT = 8,     /**< Megatron's generalized tensor parallel */
  DTC_AXIS_NAME_EGTP_REMAT = 9,    /**< the same for the experts */
  DTC_AXIS_NAME_INSTANCE = 10,     /**< Megatron's distributed optimizer instances */
  DTC_AXIS_NAME_DP_SHARD = 11,     /**< data parallel ranks that a state is sharded over */
  DTC_AXIS_NAME_DP_REPLICATE = 12, /**< data parallel ranks that hold the same shard */
  DTC_AXIS_NAME_EFSDP = 13,        /**< TorchTitan's data parallel of the experts */
  DTC_AXIS_NAME_TP_I = 14,         /**< first axis of 2D, 2.5D and 3D tensor parallelism */
  DTC_AXIS_NAME_TP_J = 15,         /**< second axis of it */
  DTC_AXIS_NAME_TP_K = 16,         /**< third axis of it: depth */
};

/** Axes of a mesh at most. */
#define DTC_MESH_AXES 16

/** One axis of a mesh. A record, frozen for ever. */
typedef struct dtc_axis {
  dtc_axis_name name; /**< what it stands for */
  uint32_t pad;       /**< 0 */
  uint64_t size;      /**< ranks along it [1, 2^32] */
  uint64_t stride;    /**< ranks from one to the next; 0 = product of the sizes of the axes before it [0, 2^32] */
} dtc_axis;

/** Whose order of ranks: a framework, or a part of one that orders ranks in its own way. */
typedef uint32_t dtc_scheme;
enum {
  DTC_SCHEME_DEFAULT = 0,             /**< megatron */
  DTC_SCHEME_MEGATRON = 1,            /**< Megatron-Core: tp-cp-ep-dp-pp, or `order` */
  DTC_SCHEME_MEGATRON_TP_PP_DP = 2,   /**< --use-tp-pp-dp-mapping: tp-cp-ep-pp-dp since core 0.11, before tp-pp-dp */
  DTC_SCHEME_DEEPSPEED = 3,           /**< PipeModelDataParallelTopology: tp-dp-pp; AutoTP */
  DTC_SCHEME_DEEPSPEED_MOE = 4,       /**< native expert groups: tp-ep-edp-pp */
  DTC_SCHEME_DEEPSPEED_MOE_EDP = 5,   /**< use_data_before_expert_parallelism: tp-edp-ep-pp */
  DTC_SCHEME_DEEPSPEED_AUTOEP = 6,    /**< AutoEP folding: experts ep-edp-pp over tp-dp-pp */
  DTC_SCHEME_DEEPSPEED_ULYSSES = 7,   /**< sequence parallel: cp-dp */
  DTC_SCHEME_DEEPSPEED_HPZ = 8,       /**< zero_hpz_partition_size = dp_shard: dp_shard-dp_replicate */
  DTC_SCHEME_DEEPSPEED_QGZ = 9,       /**< qgZ all-to-all over nodes of dp_shard: dp_shard-dp_replicate */
  DTC_SCHEME_TORCHTITAN = 10,         /**< tp-cp-dp_shard-dp_replicate-pp; experts ep-efsdp-dp_replicate-pp */
  DTC_SCHEME_TORCHTITAN_DTENSOR = 11, /**< the same with spmd_backend partial_dtensor: groups differ */
  DTC_SCHEME_PYTORCH = 12,            /**< DDP, FSDP, HSDP: dp_shard-dp_replicate */
  DTC_SCHEME_COLOSSALAI = 13,         /**< HybridParallelPlugin: cp-tp-pp-dp */
  DTC_SCHEME_COLOSSALAI_INSIDE = 14,  /**< dp_outside=False: cp-tp-dp-pp */
  DTC_SCHEME_COLOSSALAI_RING = 15,    /**< ring_attn: tp-cp-pp-dp */
  DTC_SCHEME_COLOSSALAI_RING_IN = 16, /**< ring_attn, dp_outside=False: tp-cp-dp-pp */
  DTC_SCHEME_COLOSSALAI_MOE = 17,     /**< MoeHybridParallelPlugin: cp-tp-ep-pp-edp */
  DTC_SCHEME_COLOSSALAI_MOE_IN = 18,  /**< moe_dp_outside=False: cp-tp-ep-edp-pp */
  DTC_SCHEME_COLOSSALAI_GEMINI = 19,  /**< GeminiPlugin: tp-dp_replicate-dp_shard */
  DTC_SCHEME_COLOSSALAI_ZERO = 20,    /**< LowLevelZeroPlugin: dp_shard-dp_replicate */
  DTC_SCHEME_COLOSSALAI_1D = 21,      /**< legacy: tp-pp-dp */
  DTC_SCHEME_COLOSSALAI_2D = 22,      /**< legacy SUMMA, tp = q^2: tp_i-tp_j-pp-dp */
  DTC_SCHEME_COLOSSALAI_25D = 23,     /**< legacy 2.5D, tp = q^2 * tp_depth: tp_i-tp_j-tp_k-pp-dp */
  DTC_SCHEME_COLOSSALAI_3D = 24,      /**< legacy 3D, tp = l^3: tp_i-tp_j-tp_k-pp-dp */
  DTC_SCHEME_NANOTRON = 25,           /**< nanotron: tp-cp-dp-pp */
  DTC_SCHEME_DEEPSPEED_GRID = 26,     /**< PipelineParallelGrid without a topology: pp 0 = every other prime of world */
};

/** Which mesh of a layout: the same ranks, split in two ways. */
typedef uint32_t dtc_mesh_part;
enum {
  DTC_MESH_PART_DENSE = 0,   /**< everything but the experts */
  DTC_MESH_PART_EXPERTS = 1, /**< the experts; where a framework has no second mesh, the same as dense */
};

/** Degrees of a job, and whose order of ranks it has: everything that the rank of a process follows from. */
typedef struct dtc_layout {
  uint32_t struct_size;  /**< sizeof, set by DTC_INIT() */
  dtc_scheme scheme;     /**< whose order of ranks */
  dtc_release version;   /**< version of the framework; 0 = newest known, DTC_MAIN = head [0, 4294967295] */
  dtc_bool hybrid_cp;    /**< Megatron's hybrid context parallel groups; default off */
  uint64_t world;        /**< ranks; 0 = product of the degrees [0, 2^32] */
  uint64_t tp;           /**< tensor parallel degree; 0 = 1 [0, 2^32] */
  uint64_t cp;           /**< context (Ulysses, ColossalAI: sequence) parallel degree; 0 = 1 [0, 2^32] */
  uint64_t pp;           /**< pipeline parallel degree; 0 = 1 [0, 2^32] */
  uint64_t dp;           /**< data parallel degree; 0 = what world leaves [0, 2^32] */
  uint64_t dp_shard;     /**< ranks of dp that a state is sharded over; 0 = dp / dp_replicate [0, 2^32] */
  uint64_t dp_replicate; /**< ranks of dp that hold the same shard; 0 = 1, or dp / dp_shard [0, 2^32] */
  uint64_t ep;           /**< expert parallel degree; 0 = 1 [0, 2^32] */
  uint64_t etp;          /**< tensor parallel degree of the experts; 0 = tp for Megatron, else 1 [0, 2^32] */
  uint64_t gtp_remat;    /**< Megatron's generalized tensor parallel degree; 0 = 1 [0, 2^32] */
  uint64_t egtp_remat;   /**< the same for the experts; 0 = 1 [0, 2^32] */
  uint64_t instances;    /**< Megatron's distributed optimizer instances; 0 = 1 [0, 2^32] */
  uint64_t tp_depth;     /**< depth of 2.5D tensor parallelism; 0 = 1 [0, 2^32] */
  uint64_t order;        /**< Megatron's order as dtc_order_parse() packs it; 0 = the scheme's */
  uint64_t cp_levels;    /**< Megatron's hierarchical cp sizes, a byte each, innermost lowest; 0 = none */
  uint64_t offset;       /**< first rank [0, 2^32] */
} dtc_layout;

/**
 * A kind of group: which ranks of a mesh belong together. A record, frozen for ever. All bits of `axes` set and the
 * rest 0 is the whole mesh; a kind of one's own needs `axes` only.
 *
 * The ranks that differ in `axes` alone form a list. chunk cuts it: group (a, u) of a list is its elements
 * (a * chunk + j) * step + u, j < chunk.
 */
typedef struct dtc_group_kind {
  uint32_t axes;      /**< bit i is set when axis i of the mesh varies inside a group */
  dtc_mesh_part part; /**< mesh of the layout */
  uint32_t name;      /**< what dtc_group_kind_text() writes; 0 for a kind of one's own. Not frozen */
  uint32_t pick;      /**< ranks that are in a group: 0 all of a list, 1 its first, 2 its first and last */
  uint64_t chunk;     /**< ranks of a list that make a group; the last group may be short; 0 = all [0, 2^32] */
  uint64_t step;      /**< elements of the list from one rank of a group to the next; 0 = 1 [0, 2^32] */
} dtc_group_kind;

/** Where a rank stands in the groups of one kind. A record, frozen for ever. */
typedef struct dtc_group {
  uint64_t count; /**< groups of the kind */
  uint64_t size;  /**< ranks in this group; in the first when the rank is in none */
  uint64_t index; /**< which group the rank is in; DTC_NONE when in none */
  uint64_t place; /**< its index in the group; DTC_NONE when in none */
  uint64_t first; /**< first rank of the group; of the first group when the rank is in none */
} dtc_group;

/** How the groups of a kind lie on domains (nodes, NVLink domains) of equally many consecutive ranks. */
typedef uint32_t dtc_spread;
enum {
  DTC_SPREAD_NONE = 0,
  DTC_SPREAD_INSIDE = 1,    /**< every group lies inside one domain */
  DTC_SPREAD_SPANS = 2,     /**< every group spans `domains` domains with `members` ranks in each */
  DTC_SPREAD_STRADDLES = 3, /**< domain borders cut the blocks of an axis: groups lie unevenly */
};

/** Placement of the groups of a kind. */
typedef struct dtc_placement {
  uint32_t struct_size; /**< sizeof, set by DTC_INIT() */
  dtc_spread spread;    /**< how they lie */
  dtc_bool rail;        /**< on when all ranks of each group have the same local rank: they use one rail */
  uint32_t pad;         /**< 0 */
  uint64_t groups;      /**< groups of the kind */
  uint64_t inside;      /**< how many of them lie inside one domain */
  uint64_t domains;     /**< domains that each group touches; 0 when they differ */
  uint64_t members;     /**< ranks of a group in each domain it touches; 0 when they differ */
  uint64_t
      segment; /**< fewest consecutive domains whose borders cut no group, for any world: nodes of Slurm's --segment */
} dtc_placement;

/** Rules of dtc_layout_resolve(). Numbers are frozen. */
enum {
  DTC_RULE_LAYOUT_WORLD = 200,              /**< tp * cp * pp divides world */
  DTC_RULE_LAYOUT_REPLICATE = 201,          /**< dp_replicate divides dp */
  DTC_RULE_LAYOUT_SHARD = 202,              /**< dp_shard divides dp */
  DTC_RULE_LAYOUT_DP = 203,                 /**< dp_shard * dp_replicate = dp */
  DTC_RULE_LAYOUT_PRODUCT = 204,            /**< the degrees multiply to world */
  DTC_RULE_LAYOUT_AXIS = 205,               /**< a degree that the scheme has an axis for */
  DTC_RULE_LAYOUT_ROOT = 206,               /**< 2D, 2.5D, 3D: tp has the root */
  DTC_RULE_MEGATRON_WORLD = 207,            /**< tp * cp * pp * gtp_remat divides world */
  DTC_RULE_MEGATRON_EXPERT_WORLD = 208,     /**< etp * ep * pp * egtp_remat divides world */
  DTC_RULE_MEGATRON_INSTANCES = 209,        /**< instances divides dp * cp */
  DTC_RULE_MEGATRON_EXPERT_INSTANCES = 210, /**< instances divides the experts' data parallel ranks */
  DTC_RULE_MEGATRON_GTP_INSTANCES = 211,    /**< gtp_remat > 1 needs one instance */
  DTC_RULE_MEGATRON_EGTP_INSTANCES = 212,   /**< egtp_remat > 1 needs one instance */
  DTC_RULE_MEGATRON_GTP_VERSION = 213,      /**< gtp_remat came with core 0.19 */
  DTC_RULE_MEGATRON_EGTP_VERSION = 214,     /**< egtp_remat came with core 0.19 */
  DTC_RULE_MEGATRON_HYBRID = 215,           /**< hybrid_cp needs an even dp * cp */
  DTC_RULE_MEGATRON_LEVELS = 216,           /**< cp_levels multiply to cp */
  DTC_RULE_MEGATRON_PP_GROUPS = 217,        /**< pp groups are the same for the experts */
  DTC_RULE_DEEPSPEED_EP = 218,              /**< ep divides dp */
  DTC_RULE_AUTOEP_WORLD = 219,              /**< ep * pp divides world */
  DTC_RULE_AUTOEP_PP = 220,                 /**< pp > 1 needs tp = 1 */
  DTC_RULE_AUTOEP_TP = 221,                 /**< tp > 1 needs ep > 1 */
  DTC_RULE_ULYSSES_CP = 222,                /**< cp is above 1 */
  DTC_RULE_QGZ_WORLD = 223,                 /**< dp_shard divides world, or ranks would be in no group */
  DTC_RULE_TORCHTITAN_ETP = 224,            /**< no etp since 0.3 */
  DTC_RULE_TORCHTITAN_ETP_TP = 225,         /**< etp is 1 or tp */
  DTC_RULE_TORCHTITAN_EP = 226,             /**< ep * etp divides dp_shard * cp * tp */
  DTC_RULE_TORCHTITAN_EP_CP = 227,          /**< 0.2.0: cp divides ep */
  DTC_RULE_TORCHTITAN_EP_TP = 228,          /**< 0.2.0: cp * tp divides ep, unless etp = tp */
  DTC_RULE_COLOSSALAI_EP = 229,             /**< ep divides dp */
  DTC_RULE_NANOTRON_EP = 230,               /**< ep is 1 */
};

/**
 * @brief Reads an order of axes, fastest first: "tp-cp-ep-dp-pp", Megatron's names.
 * @param text case does not matter; need not end in NUL
 * @param len bytes
 * @param order the axes' dtc_axis_name, a byte each, the fastest lowest
 * @param err may be NULL; offset is the place of the word
 * @return DTC_OK, DTC_E_SIZE, DTC_E_UNKNOWN (no axis of that name; an empty text), DTC_E_CONFLICT (an axis twice, which
 *         Megatron takes and makes nonsense of). Exact: Megatron-Core 0.11 to main. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_order_parse(const char *text, size_t len, uint64_t *order, dtc_error *err);

/**
 * @brief Fills every default degree, world included, and refuses what the framework refuses. Idempotent.
 * @param layout degrees and scheme
 * @param out the layout with no default left but order and cp_levels; may be the same object
 * @param err may be NULL; with the offending product in got and the nearest legal values
 * @return DTC_OK, DTC_E_SIZE, DTC_E_NEWER, DTC_E_RANGE, DTC_E_DIVIDE, DTC_E_CONFLICT, DTC_E_UNKNOWN (order),
 *         DTC_E_OVERFLOW, DTC_E_UNSUPPORTED (a degree that the scheme has no axis for). Exact for the versions in
 *         doc/formulas/ranks.md. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_layout_resolve(const dtc_layout *layout, dtc_layout *out, dtc_error *err);

/**
 * @brief The layout of a plan: its degrees, and the scheme of its framework.
 * @param model what is trained
 * @param cluster on what; may be NULL
 * @param plan how it is split; defaults are filled as in dtc_plan_resolve()
 * @param out the layout, resolved
 * @param err may be NULL
 * @return as dtc_plan_resolve(), as dtc_layout_resolve(). Exact. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_layout_from_plan(const dtc_model *model, const dtc_cluster *cluster,
                                                      const dtc_plan *plan, dtc_layout *out, dtc_error *err);

/**
 * @brief The axes of a layout's mesh, fastest first, with their strides. Axes of size 1 are there too.
 * @param layout degrees and scheme
 * @param part dense or experts
 * @param out array of cap axes; DTC_MESH_AXES are always enough
 * @param cap length of out
 * @param count axes there are
 * @param err may be NULL
 * @return as dtc_layout_resolve(), DTC_E_RANGE (part), DTC_E_SPACE (*count was written). Exact. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_layout_mesh(const dtc_layout *layout, dtc_mesh_part part, dtc_axis *out,
                                                 size_t cap, size_t *count, dtc_error *err);

/**
 * @brief The kinds of groups that the framework makes, in the order in which it makes them.
 * @param layout degrees and scheme
 * @param out array of cap kinds
 * @param cap length of out
 * @param count kinds there are
 * @param err may be NULL
 * @return as dtc_layout_resolve(), DTC_E_SPACE (*count was written). Exact. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_layout_kinds(const dtc_layout *layout, dtc_group_kind *out, size_t cap,
                                                  size_t *count, dtc_error *err);

/**
 * @brief Where a rank stands in the groups of every kind, in the order of dtc_layout_kinds().
 * @param layout degrees and scheme
 * @param rank [offset, offset + world)
 * @param out array of cap groups
 * @param cap length of out
 * @param count kinds there are
 * @param err may be NULL
 * @return as dtc_layout_resolve(), DTC_E_RANGE (rank), DTC_E_SPACE (*count was written). Exact. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_layout_groups(const dtc_layout *layout, uint64_t rank, dtc_group *out, size_t cap,
                                                   size_t *count, dtc_error *err);

/**
 * @brief Name of a kind of group as the framework calls it: "TENSOR_MODEL_PARALLEL_GROUP", the group_desc of its logs.
 * @param kind from dtc_layout_kinds()
 * @param buf where to write; may be NULL when cap is 0
 * @param cap bytes in buf; the name is cut to cap - 1 bytes and always ends in NUL
 * @param len bytes of the whole name without the NUL; may be NULL
 * @param err may be NULL
 * @return DTC_OK, DTC_E_SIZE, DTC_E_RANGE (kind.name). Exact. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_group_kind_text(const dtc_group_kind *kind, char *buf, size_t cap, size_t *len,
                                                     dtc_error *err);

/**
 * @brief Ranks of a mesh: the product of its sizes. Checks the mesh.
 * @param axes the mesh
 * @param n length of axes [1, DTC_MESH_AXES]
 * @param world ranks
 * @param err may be NULL
 * @return DTC_OK, DTC_E_SIZE, DTC_E_RANGE (n, a size), DTC_E_CONFLICT (strides that do not tile the ranks),
 *         DTC_E_OVERFLOW (more than 2^32 ranks). Exact. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_mesh_world(const dtc_axis *axes, size_t n, uint64_t *world, dtc_error *err);

/**
 * @brief Coordinates of a rank, in the order of the axes.
 * @param axes the mesh
 * @param n length of axes [1, DTC_MESH_AXES]
 * @param offset first rank of the mesh [0, 2^32]
 * @param rank [offset, offset + world)
 * @param coord array of cap coordinates
 * @param cap length of coord
 * @param count coordinates there are: n
 * @param err may be NULL
 * @return as dtc_mesh_world(), DTC_E_RANGE (rank, offset), DTC_E_SPACE (*count was written). Exact. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_mesh_coord(const dtc_axis *axes, size_t n, uint64_t offset, uint64_t rank,
                                                uint64_t *coord, size_t cap, size_t *count, dtc_error *err);

/**
 * @brief The rank with given coordinates.
 * @param axes the mesh
 * @param n length of axes [1, DTC_MESH_AXES]
 * @param offset first rank of the mesh [0, 2^32]
 * @param coord one coordinate per axis [0, size)
 * @param n_coord length of coord: n
 * @param rank the rank
 * @param err may be NULL
 * @return as dtc_mesh_world(), DTC_E_RANGE (coord, n_coord, offset). Exact. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_mesh_rank(const dtc_axis *axes, size_t n, uint64_t offset, const uint64_t *coord,
                                               size_t n_coord, uint64_t *rank, dtc_error *err);

/**
 * @brief Coordinates of many ranks at once: row i of the table is rank first + i, column a is axis a.
 * @param axes the mesh
 * @param n length of axes [1, DTC_MESH_AXES]
 * @param first index of the first rank in the mesh, without an offset [0, world)
 * @param ranks rows [0, world - first]
 * @param table array of cap coordinates
 * @param cap length of table
 * @param count coordinates there are: n * ranks
 * @param err may be NULL
 * @return as dtc_mesh_world(), DTC_E_RANGE (first, ranks), DTC_E_SPACE (*count was written). Exact. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_mesh_table(const dtc_axis *axes, size_t n, uint64_t first, uint64_t ranks,
                                                uint32_t *table, size_t cap, size_t *count, dtc_error *err);

/**
 * @brief Where a rank stands in the groups of a kind.
 * @param axes the mesh
 * @param n length of axes [1, DTC_MESH_AXES]
 * @param offset first rank of the mesh [0, 2^32]
 * @param kind kind of group; its part is not read
 * @param rank [offset, offset + world)
 * @param out the group
 * @param err may be NULL
 * @return as dtc_mesh_world(), DTC_E_RANGE (rank, offset, a bit of kind.axes, kind.pick, kind.chunk, kind.step),
 *         DTC_E_DIVIDE (chunk * step must divide the list when step > 1). Exact. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_mesh_group_of(const dtc_axis *axes, size_t n, uint64_t offset,
                                                   const dtc_group_kind *kind, uint64_t rank, dtc_group *out,
                                                   dtc_error *err);

/**
 * @brief The i-th rank of a group.
 * @param axes the mesh
 * @param n length of axes [1, DTC_MESH_AXES]
 * @param offset first rank of the mesh [0, 2^32]
 * @param kind kind of group; its part is not read
 * @param group which group [0, dtc_group.count)
 * @param index which of its ranks [0, dtc_group.size)
 * @param rank the rank
 * @param err may be NULL
 * @return as dtc_mesh_group_of(). Exact. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_mesh_member(const dtc_axis *axes, size_t n, uint64_t offset,
                                                 const dtc_group_kind *kind, uint64_t group, uint64_t index,
                                                 uint64_t *rank, dtc_error *err);

/**
 * @brief The same for a mesh whose ranks are a list of one's own, such as DeviceMesh([[3, 2], [1, 0]]): where the rank
 *        stands by its coordinates, and which rank it has in the process group. The two differ when the list does not
 *        ascend, because PyTorch sorts the ranks of a group (unless it is told preserve_rank_order=True, since 2.15).
 * @param axes the mesh; element i of the list lies where rank i of the mesh would
 * @param n length of axes [1, DTC_MESH_AXES]
 * @param ranks the list, every rank once
 * @param n_ranks length of ranks: the mesh's world
 * @param kind kind of group, a whole list: pick, chunk and step 0
 * @param rank a rank of the list
 * @param out the group by coordinates; first is its smallest rank
 * @param local index in the sorted group: torch.distributed.get_rank(group)
 * @param err may be NULL
 * @return as dtc_mesh_group_of(), DTC_E_RANGE (n_ranks, rank not in the list, kind.chunk), DTC_E_CONFLICT (a rank of the
 *         group twice). Exact: PyTorch 2.5 to 2.15. O(ranks). Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_mesh_listed(const dtc_axis *axes, size_t n, const uint64_t *ranks, size_t n_ranks,
                                                 const dtc_group_kind *kind, uint64_t rank, dtc_group *out,
                                                 uint64_t *local, dtc_error *err);

/**
 * @brief How the groups of a kind lie on domains of consecutive ranks.
 * @param axes the mesh
 * @param n length of axes [1, DTC_MESH_AXES]
 * @param offset first rank of the mesh [0, 2^32]
 * @param kind kind of group; its part is not read
 * @param domain ranks of a domain: GPUs of a node, or joined by NVLink [1, 4096]
 * @param out the placement
 * @param err may be NULL
 * @return as dtc_mesh_group_of(), DTC_E_RANGE (domain), DTC_E_UNSUPPORTED (a chunk that cuts an axis unevenly). Exact.
 *         Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_mesh_placement(const dtc_axis *axes, size_t n, uint64_t offset,
                                                    const dtc_group_kind *kind, uint64_t domain, dtc_placement *out,
                                                    dtc_error *err);

/**
 * @brief Hops of a ring over nodes, in the order of the list and closed at its end, that leave a leaf switch.
 * @param leaves leaf switch of each node
 * @param n_leaves nodes; 0 gives 0
 * @param crossings hops between two leaves; no order has fewer than there are leaves, 0 when there is one
 * @param err may be NULL
 * @return DTC_OK, DTC_E_SIZE, DTC_E_RANGE (a list that is missing). Exact. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_ring_crossings(const uint64_t *leaves, size_t n_leaves, uint64_t *crossings,
                                                    dtc_error *err);

/**
 * @brief The order of nodes with the fewest crossings: leaf by leaf in the order of their numbers, the nodes of a leaf in
 *        the order given.
 * @param leaves leaf switch of each node
 * @param n_leaves nodes
 * @param order array of cap node indexes
 * @param cap length of order
 * @param count nodes there are
 * @param err may be NULL
 * @return DTC_OK, DTC_E_SIZE, DTC_E_RANGE (a list that is missing), DTC_E_SPACE (*count was written). Exact. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_ring_order(const uint64_t *leaves, size_t n_leaves, uint64_t *order, size_t cap,
                                                size_t *count, dtc_error *err);

#ifdef __cplusplus
}
#endif
#endif

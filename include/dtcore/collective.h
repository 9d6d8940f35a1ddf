/**
 * @file collective.h
 * @brief Collective communication: how long an operation takes on a cluster, what bounds it, how many bytes move, and
 * what a measured time says.
 *
 * `bytes` is always the whole vector, as NCCL and nccl-tests count: for all-gather, reduce-scatter and all-to-all ranks
 * times the shard. algbw = bytes / seconds; busbw = algbw * f, where f is the factor of dtc_collective. busbw is the rate
 * of the wire for rings alone: reduction in NVSwitch and trees over two nodes give more than any link carries.
 *
 * Bandwidths are bytes/s of one direction. Times are those of NCCL, RCCL and oneCCL on the GPUs and fabrics of
 * doc/formulas/collectives.md, with the error on published runs in doc/accuracy.md.
 */
#ifndef DTCORE_COLLECTIVE_H
#define DTCORE_COLLECTIVE_H

#include <dtcore/rank.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How calls are issued. */
typedef uint32_t dtc_call_style;
enum {
  DTC_CALL_STYLE_LOOP = 0,     /**< one behind the other without waiting, a process or thread per GPU; CUDA graphs */
  DTC_CALL_STYLE_THREAD = 1,   /**< one thread drives all GPUs of a node: nccl-tests -g 8 */
  DTC_CALL_STYLE_BLOCKING = 2, /**< a framework's call between events, waited for each time */
};

/** What bounds a time. */
typedef uint32_t dtc_bound;
enum {
  DTC_BOUND_NONE = 0,    /**< nothing is to be done */
  DTC_BOUND_LAUNCH = 1,  /**< the host that issues the calls */
  DTC_BOUND_LATENCY = 2, /**< the floor of the operation: steps and hops, whatever the size */
  DTC_BOUND_NVLINK = 3,  /**< NVLink, xGMI or HCCS */
  DTC_BOUND_PCIE = 4,    /**< PCIe, of GPUs without NVLink */
  DTC_BOUND_NIC = 5,     /**< the network ports */
  DTC_BOUND_SWITCH = 6,  /**< reduction in NVSwitch */
  DTC_BOUND_SMS = 7,     /**< the SMs that move data */
};

/** What an estimate rests on. */
typedef uint32_t dtc_confidence;
enum {
  DTC_CONFIDENCE_NONE = 0,
  DTC_CONFIDENCE_MEASURED = 1,     /**< published runs of this operation on this kind of GPU and fabric */
  DTC_CONFIDENCE_RELATIVE = 2,     /**< runs of a relative: another operation, a cut link, a sibling of the GPU */
  DTC_CONFIDENCE_EXTRAPOLATED = 3, /**< no run near it */
};

/** A collective operation of one group, or of like groups at once. */
typedef struct dtc_collective_call {
  uint32_t struct_size; /**< sizeof, set by DTC_INIT() */
  dtc_collective op;    /**< what is done */
  dtc_call_style style; /**< how calls are issued */
  dtc_release version;  /**< of NCCL: 2.29 moved switch points of all-to-all; 0 = newest known [0, 4294967295] */
  dtc_bool in_switch;   /**< NVSwitch reduces (NVLS); default on where GPU and group have it */
  dtc_bool tuned;       /**< all-to-all between nodes has channels and queue pairs enough for the NIC; default off, of
                             AMD on */
  dtc_bool two_level;   /**< all-reduce as reduce-scatter in the node, all-reduce over rails, all-gather; default off */
  uint32_t pad;         /**< 0 */
  uint64_t bytes;       /**< whole vector [0, 2^50] */
  uint64_t ranks;       /**< of the group [1, 2^32] */
  uint64_t per_node;    /**< ranks of it in a node, or in an NVLink domain where that is larger; 0 = as many as fit
                             [0, 65536] */
  uint64_t groups;      /**< like groups that use a node's ports at once; 0 = 1 [0, 65536] */
} dtc_collective_call;

/** Time of a collective. */
typedef struct dtc_collective_time {
  uint32_t struct_size;      /**< sizeof, set by DTC_INIT() */
  dtc_bound bound;           /**< what bounds it */
  dtc_confidence confidence; /**< what it rests on */
  uint32_t nodes;            /**< nodes, or NVLink domains, of the group */
  double seconds;            /**< time of a call */
  double low;                /**< nine of ten published runs of such calls took longer, seconds */
  double high;               /**< nine of ten took less, seconds: eight of ten are between low and high */
  double lower_bound;        /**< no algorithm is faster, seconds: what must cross a link, at its nominal rate */
  double algbw;              /**< bytes / seconds; 0 when nothing is moved */
  double busbw;              /**< algbw times the factor of the operation, bytes/s */
  double nic_bandwidth;      /**< what one port of a node must carry, on average, bytes/s; 0 inside a node */
} dtc_collective_time;

/** Bytes of a rank. A record, frozen for ever. */
typedef struct dtc_traffic {
  uint64_t sent;     /**< to other ranks */
  uint64_t received; /**< from other ranks */
} dtc_traffic;

/** Bytes of an uneven all-to-all. */
typedef struct dtc_exchange {
  uint32_t struct_size; /**< sizeof, set by DTC_INIT() */
  uint32_t pad;         /**< 0 */
  uint64_t rank;        /**< the rank that moves most, in one direction; the first of them */
  uint64_t sent;        /**< what it sends to others */
  uint64_t received;    /**< what it receives from others */
  uint64_t total;       /**< what all ranks send to others */
  uint64_t between;     /**< what of it crosses nodes */
  uint64_t bytes;       /**< whole vector of an even all-to-all in which every rank moves as much: for
                             dtc_collective_call */
} dtc_exchange;

/** How good a measured time is. */
typedef uint32_t dtc_grade;
enum {
  DTC_GRADE_NONE = 0,
  DTC_GRADE_GOOD = 1,       /**< as expected, or faster */
  DTC_GRADE_LOW = 2,        /**< slower than published runs, within what neighbouring sizes of one run differ */
  DTC_GRADE_BROKEN = 3,     /**< much slower: something is set wrong */
  DTC_GRADE_IMPOSSIBLE = 4, /**< faster than the lower bound: another call was measured, or another cluster */
};

/** What would make a call as slow as it was measured. */
typedef uint32_t dtc_slow_reason;
enum {
  DTC_SLOW_REASON_NONE = 0,      /**< nothing, or nothing that is known */
  DTC_SLOW_REASON_SOCKETS = 1,   /**< TCP sockets instead of RDMA */
  DTC_SLOW_REASON_ONE_NIC = 2,   /**< one port of a node is used */
  DTC_SLOW_REASON_HALF_NICS = 3, /**< half the ports are used, or half their rate */
  DTC_SLOW_REASON_PCIE = 4,      /**< data moves over PCIe instead of NVLink */
  DTC_SLOW_REASON_IN_SWITCH = 5, /**< NVSwitch does not reduce */
  DTC_SLOW_REASON_CHANNELS = 6,  /**< too few channels or queue pairs, or one rail */
  DTC_SLOW_REASON_BLOCKING = 7,  /**< each call is waited for */
  DTC_SLOW_REASON_SETUP = 8,     /**< connections are made inside the measurement: repeat with warm-up */
};

/** What a measured time says. */
typedef struct dtc_verdict {
  uint32_t struct_size;      /**< sizeof, set by DTC_INIT() */
  dtc_grade grade;           /**< how good it is */
  dtc_slow_reason reason;    /**< what explains it best, when it is slow */
  dtc_confidence confidence; /**< of the estimate */
  double expected;           /**< estimated seconds */
  double of_expected;        /**< expected / measured */
  double of_bound;           /**< lower bound / measured: share of what the hardware allows */
  double explained;          /**< seconds that the reason would give; 0 without one */
} dtc_verdict;

/** A measured size. A record, frozen for ever. */
typedef struct dtc_timing {
  uint64_t bytes; /**< whole vector [0, 2^50] */
  double seconds; /**< time of a call [0, 1e6] */
} dtc_timing;

/** Law of a curve: seconds = L + x + 2 k sqrt(L x), where x = bytes * f / bandwidth. k = 0 is Hockney's alpha and beta. */
typedef struct dtc_collective_law {
  uint32_t struct_size; /**< sizeof, set by DTC_INIT() */
  uint32_t points;      /**< points it was fitted to [0, 4294967295] */
  double latency;       /**< L, seconds [0, 1e6] */
  double bandwidth;     /**< of the bus, bytes/s [1, 1e18] */
  double shape;         /**< k [0, 1e6] */
  double error;         /**< mean of |law / measured - 1| [0, 1e18] */
  double worst;         /**< largest of them [0, 1e18] */
} dtc_collective_law;

/** An algorithm of the textbooks. a = alpha, latency of a message; b = beta, seconds per byte; c = gamma, seconds to
 * reduce a byte; p ranks, n bytes; lg = log2, rounded up. */
typedef uint32_t dtc_classic;
enum {
  DTC_CLASSIC_HOCKNEY = 0,            /**< one message: a + n b */
  DTC_CLASSIC_RING = 1,               /**< all-gather, reduce-scatter, all-reduce: around a ring */
  DTC_CLASSIC_RECURSIVE_DOUBLING = 2, /**< all-reduce: lg p (a + n b + n c); all-gather */
  DTC_CLASSIC_RABENSEIFNER = 3,       /**< all-reduce: halving, then doubling */
  DTC_CLASSIC_BRUCK = 4,              /**< all-to-all: lg p (a + n b / 2); all-gather */
  DTC_CLASSIC_BINOMIAL = 5,           /**< broadcast, reduce, gather, scatter: a tree */
  DTC_CLASSIC_PAIRWISE = 6,           /**< all-to-all: (p - 1) a + n b; reduce-scatter */
  DTC_CLASSIC_SCATTER_GATHER = 7,     /**< broadcast: scatter, then all-gather by recursive doubling */
  DTC_CLASSIC_DOUBLE_TREE = 8,        /**< all-reduce, broadcast, reduce: two trees, each with half of the bytes */
  DTC_CLASSIC_DISSEMINATION = 9,      /**< barrier: lg p a */
};

/** Direction of expert parallel traffic. */
typedef uint32_t dtc_moe_op;
enum {
  DTC_MOE_OP_DISPATCH = 0, /**< tokens go to their experts */
  DTC_MOE_OP_COMBINE = 1,  /**< results come back */
};

/** Kernels of expert parallel traffic. */
typedef uint32_t dtc_moe_kernel;
enum {
  DTC_MOE_KERNEL_NORMAL = 0,      /**< DeepEP: a token goes once to each node, then over NVLink */
  DTC_MOE_KERNEL_LOW_LATENCY = 1, /**< DeepEP: every pick is sent */
  DTC_MOE_KERNEL_TWO_SIDED = 2,   /**< TensorRT-LLM NVLinkTwoSided, in one NVLink domain */
  DTC_MOE_KERNEL_ONE_SIDED = 3,   /**< TensorRT-LLM NVLinkOneSided, in one NVLink domain */
};

/** Whose library issues network operations. */
typedef uint32_t dtc_moe_library;
enum {
  DTC_MOE_LIBRARY_DEEPEP = 0, /**< the GPU */
  DTC_MOE_LIBRARY_UCCL = 1,   /**< UCCL-EP: a process of the host */
};

/** Format of a token on the wire. */
typedef uint32_t dtc_moe_format;
enum {
  DTC_MOE_FORMAT_DEFAULT = 0, /**< fp8 for dispatch, bf16 for combine */
  DTC_MOE_FORMAT_BF16 = 1,    /**< 2 hidden bytes */
  DTC_MOE_FORMAT_FP8 = 2,     /**< hidden + hidden / 32 + 16 bytes: values, scales, and what describes the token */
  DTC_MOE_FORMAT_NVFP4 = 3,   /**< hidden / 2 + hidden / 16 bytes */
};

/** Dispatch or combine of an expert parallel group. */
typedef struct dtc_moe_call {
  uint32_t struct_size;    /**< sizeof, set by DTC_INIT() */
  dtc_moe_op op;           /**< direction */
  dtc_moe_kernel kernel;   /**< kernels */
  dtc_moe_library library; /**< whose */
  dtc_moe_format format;   /**< of a token; combine is bf16 */
  uint32_t sms;            /**< SMs that normal kernels take; 0 = 20 in a node, 24 between nodes [0, 1024] */
  uint64_t tokens;         /**< of a rank [0, 2^32] */
  uint64_t top_k;          /**< experts of a token [1, 1024] */
  uint64_t hidden;         /**< hidden size [1, 2^24] */
  uint64_t ranks;          /**< of the group [1, 2^24] */
  uint64_t per_node;       /**< ranks of it in a node or NVLink domain; 0 = as many as fit [0, 65536] */
} dtc_moe_call;

/** Time of a dispatch or combine. */
typedef struct dtc_moe_time {
  uint32_t struct_size;      /**< sizeof, set by DTC_INIT() */
  dtc_bound bound;           /**< what bounds it */
  dtc_confidence confidence; /**< what it rests on */
  uint32_t nodes;            /**< nodes, or NVLink domains, of the group */
  double seconds;            /**< time of a call */
  double low;                /**< nine of ten published runs took longer, seconds */
  double high;               /**< nine of ten took less, seconds */
  double sent;               /**< bytes that a rank sends to others, as the picks fall evenly */
  double nic_bytes;          /**< bytes of it that leave the node */
  double bandwidth;          /**< sent / seconds, bytes/s */
} dtc_moe_time;

/** Rules of collectives; they join dtc_rule. */
enum {
  DTC_RULE_COLLECTIVE_OP = 720,        /**< an operation is named */
  DTC_RULE_COLLECTIVE_LINK = 721,      /**< the cluster says how its GPUs are joined: NVLink or PCIe bandwidth */
  DTC_RULE_COLLECTIVE_NIC = 722,       /**< between nodes it says which ports they have */
  DTC_RULE_COLLECTIVE_PER_NODE = 723,  /**< per_node is at most ranks */
  DTC_RULE_COLLECTIVE_TWO_LEVEL = 724, /**< two levels: an all-reduce over several nodes with several ranks each */
  DTC_RULE_COLLECTIVE_POINTS = 725,    /**< a law needs three points of different sizes */
  DTC_RULE_COLLECTIVE_CLASSIC = 726,   /**< an algorithm of the operation */
  DTC_RULE_COLLECTIVE_TEXT = 727,      /**< a text with lines of nccl-tests */
  DTC_RULE_COLLECTIVE_MATRIX = 728,    /**< a matrix has ranks * ranks elements */
  DTC_RULE_COLLECTIVE_PEAK = 729,      /**< the operation moves bytes */
  DTC_RULE_MOE_DOMAIN = 730,           /**< kernels for NVLink run in one NVLink domain */
  DTC_RULE_MOE_SMS = 731,              /**< SMs that move data remain */
};

/**
 * @brief Fills the defaults of a call for a cluster. Idempotent.
 * @param cluster on what
 * @param call the operation
 * @param out the same with nothing left to default but version; may be the same object
 * @param err may be NULL
 * @return as dtc_cluster_resolve(), DTC_OK, DTC_E_RANGE (a field, op, per_node), DTC_E_CONFLICT (two_level),
 *         DTC_E_UNSUPPORTED (the cluster lacks the bandwidth that is asked for). Exact. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_collective_resolve(const dtc_cluster *cluster, const dtc_collective_call *call,
                                                        dtc_collective_call *out, dtc_error *err);

/**
 * @brief How long a collective takes. A group of one rank is free; never below the lower bound; more bytes never take
 *        less time, nor does a slower link.
 * @param cluster on what: vendor, compute and the links choose the curves, fabric the network's
 * @param call the operation
 * @param out its time
 * @param err may be NULL
 * @return as dtc_collective_resolve(). Model: doc/accuracy.md. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_collective_estimate(const dtc_cluster *cluster, const dtc_collective_call *call,
                                                         dtc_collective_time *out, dtc_error *err);

/**
 * @brief The call of a kind of group: ranks, per_node and groups, as the mesh lies on the cluster's nodes (or NVLink
 *        domains), with all groups of the kind at work at once. Of groups that lie unevenly, what the worst has.
 * @param axes the mesh
 * @param n length of axes [1, DTC_MESH_AXES]
 * @param offset first rank of the mesh [0, 2^32]
 * @param kind kind of group; its part is not read
 * @param cluster on what
 * @param call the operation; its ranks, per_node and groups are not read
 * @param out the same for a group of the kind; may be the same object
 * @param err may be NULL
 * @return as dtc_mesh_placement(), as dtc_cluster_resolve(), DTC_E_NEWER, DTC_E_RANGE. Exact. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_collective_from_mesh(const dtc_axis *axes, size_t n, uint64_t offset,
                                                          const dtc_group_kind *kind, const dtc_cluster *cluster,
                                                          const dtc_collective_call *call, dtc_collective_call *out,
                                                          dtc_error *err);

/**
 * @brief Bytes that a rank sends and receives in a ring; in a chain from rank 0 for broadcast, to it for reduce; all
 *        others directly. Shard i has bytes / ranks bytes, one more when i < bytes % ranks; the shard of a rank is the
 *        one with its number. All-reduce is reduce-scatter and all-gather.
 * @param bytes whole vector [0, 2^50]
 * @param ranks of the group [1, 2^32]
 * @param rank its rank [0, ranks)
 * @param op operation
 * @param out bytes
 * @param err may be NULL
 * @return DTC_OK, DTC_E_SIZE, DTC_E_RANGE. Exact. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_collective_bytes(uint64_t bytes, uint64_t ranks, uint64_t rank, dtc_collective op,
                                                      dtc_traffic *out, dtc_error *err);

/**
 * @brief Bytes of an uneven all-to-all. What a rank keeps for itself does not count.
 * @param matrix row by row: bytes that rank i sends to rank j, at i * ranks + j [0, 2^50]
 * @param n_matrix length of matrix: ranks * ranks
 * @param ranks of the group [1, 65536]
 * @param per_node ranks of a node, consecutive [1, 65536]
 * @param out the rank that moves most, and sums
 * @param err may be NULL
 * @return DTC_OK, DTC_E_SIZE, DTC_E_RANGE, DTC_E_OVERFLOW. Exact. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_collective_exchange(const uint64_t *matrix, size_t n_matrix, uint64_t ranks,
                                                         uint64_t per_node, dtc_exchange *out, dtc_error *err);

/**
 * @brief How large a vector must be to reach a share of the best busbw that the operation can have on the cluster: a
 *        size for buckets.
 * @param cluster on what
 * @param call the operation; its bytes are not read
 * @param fraction share of the best busbw (0, 1)
 * @param bytes the least that reach it, to 1 part in 1000
 * @param err may be NULL
 * @return as dtc_collective_resolve(), DTC_E_RANGE (fraction), DTC_E_CONFLICT (an operation without bytes, or one rank).
 *         Model. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_collective_size(const dtc_cluster *cluster, const dtc_collective_call *call,
                                                     double fraction, uint64_t *bytes, dtc_error *err);

/**
 * @brief What a measured time says: how good it is, and what explains it when it is not.
 * @param cluster on what
 * @param call what was measured
 * @param seconds of a call (0, 1e6]
 * @param out the verdict
 * @param err may be NULL
 * @return as dtc_collective_resolve(), DTC_E_RANGE (seconds). Model. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_collective_judge(const dtc_cluster *cluster, const dtc_collective_call *call,
                                                      double seconds, dtc_verdict *out, dtc_error *err);

/**
 * @brief The law that fits measured points best, by relative error.
 * @param points sizes and times, in any order; those without time are left out
 * @param n_points length of points [3, 65536]
 * @param ranks of the group [2, 2^32]
 * @param op what was measured
 * @param out the law and its own error on the points
 * @param err may be NULL
 * @return DTC_OK, DTC_E_SIZE, DTC_E_RANGE (a point, ranks, op), DTC_E_CONFLICT (fewer than three sizes, or times that do
 *         not grow). Model. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_collective_fit(const dtc_timing *points, size_t n_points, uint64_t ranks,
                                                    dtc_collective op, dtc_collective_law *out, dtc_error *err);

/**
 * @brief Time of a size by a law.
 * @param law from dtc_collective_fit(), or one's own latency, bandwidth and shape
 * @param bytes whole vector [0, 2^50]
 * @param ranks of the group [1, 2^32]
 * @param op operation
 * @param seconds time; one rank is free
 * @param err may be NULL
 * @return DTC_OK, DTC_E_SIZE, DTC_E_NEWER, DTC_E_RANGE. Exact for the law. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_collective_law_time(const dtc_collective_law *law, uint64_t bytes, uint64_t ranks,
                                                         dtc_collective op, double *seconds, dtc_error *err);

/**
 * @brief Reads what nccl-tests or rccl-tests print: a point for each line of a size, out of place. Other lines are passed
 *        over, so that a whole log can be given.
 * @param text the log
 * @param len bytes
 * @param out array of cap points
 * @param cap length of out
 * @param count points there are
 * @param err may be NULL
 * @return DTC_OK, DTC_E_SIZE, DTC_E_PARSE (no line of a size), DTC_E_SPACE (*count was written). Exact. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_collective_read(const char *text, size_t len, dtc_timing *out, size_t cap,
                                                     size_t *count, dtc_error *err);

/**
 * @brief Cost of a textbook algorithm.
 * @param bytes whole vector [0, 2^50]
 * @param ranks of the group [1, 2^32]
 * @param op operation that it does
 * @param alpha latency of a message, seconds [0, 1e6]
 * @param beta seconds per byte [0, 1e6]
 * @param gamma seconds to reduce a byte [0, 1e6]
 * @param algorithm which
 * @param seconds cost; one rank is free
 * @param err may be NULL
 * @return DTC_OK, DTC_E_SIZE, DTC_E_RANGE, DTC_E_CONFLICT (an algorithm that does not do the operation). Exact: the costs
 *         in MPICH 6a79bf65. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_collective_classic(uint64_t bytes, uint64_t ranks, dtc_collective op, double alpha,
                                                        double beta, double gamma, dtc_classic algorithm,
                                                        double *seconds, dtc_error *err);

/**
 * @brief How long dispatch or combine of an expert parallel group takes, when the picks fall evenly on the experts.
 * @param cluster on what
 * @param call direction, kernels and sizes
 * @param out its time
 * @param err may be NULL
 * @return as dtc_cluster_resolve(), DTC_OK, DTC_E_RANGE, DTC_E_CONFLICT (kernels for NVLink between domains),
 *         DTC_E_UNSUPPORTED (the cluster lacks the bandwidth that is asked for). Model: doc/accuracy.md. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_moe_estimate(const dtc_cluster *cluster, const dtc_moe_call *call,
                                                  dtc_moe_time *out, dtc_error *err);

#ifdef __cplusplus
}
#endif
#endif

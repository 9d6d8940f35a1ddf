/**
 * @file nccl.h
 * @brief Which algorithm and protocol NCCL takes for a collective operation, and the time that it expects: its tuning
 * tables in closed form.
 *
 * NCCL searches the topology when a communicator is made, and from what it finds (channels, and bandwidth of a channel)
 * follow a latency and a bandwidth for each algorithm and protocol. An operation takes the pair with the smallest
 * latency + bytes / bandwidth. struct dtc_nccl holds what the search found: dtc_nccl_find() has it for some systems, and
 * NCCL_DEBUG=INFO with NCCL_DEBUG_SUBSYS=GRAPH,TUNING prints it for any.
 *
 * Sizes are those of the whole vector: what a rank sends or receives in all, whichever is more. Of an all-gather or
 * reduce-scatter that is the ranks times the part of one. Exact for the choice; the expected time is NCCL's own
 * estimate: its median error is 4 to 6 % above 64 MiB, and it is 30 to 60 % too short below.
 */
#ifndef DTCORE_NCCL_H
#define DTCORE_NCCL_H

#include <dtcore/rank.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How NCCL moves the data. Names are those of its tuner plugin. */
typedef uint32_t dtc_nccl_algorithm;
enum {
  DTC_NCCL_ALGORITHM_NONE = 0,
  DTC_NCCL_ALGORITHM_TREE = 1,           /**< two trees over all nodes, chains inside; all-reduce */
  DTC_NCCL_ALGORITHM_RING = 2,           /**< rings over all ranks; every operation */
  DTC_NCCL_ALGORITHM_COLLNET_DIRECT = 3, /**< reduction in the network's switches, NVLink to the ranks with a NIC */
  DTC_NCCL_ALGORITHM_COLLNET_CHAIN = 4,  /**< the same with chains inside nodes; all-reduce */
  DTC_NCCL_ALGORITHM_NVLS = 5,           /**< NVLink SHARP, reduction in the NVSwitches */
  DTC_NCCL_ALGORITHM_NVLS_TREE = 6,      /**< NVLS inside nodes, trees between them; all-reduce */
  DTC_NCCL_ALGORITHM_PAT = 7, /**< parallel aggregated trees; all-gather and reduce-scatter, one rank a node */
};

/** How NCCL tells that data has arrived. */
typedef uint32_t dtc_nccl_protocol;
enum {
  DTC_NCCL_PROTOCOL_NONE = 0,
  DTC_NCCL_PROTOCOL_LL = 1,     /**< a flag with every 4 bytes: least latency, half the bandwidth */
  DTC_NCCL_PROTOCOL_LL128 = 2,  /**< a flag with every 120 bytes */
  DTC_NCCL_PROTOCOL_SIMPLE = 3, /**< memory fences: all the bandwidth */
};

/** Processor of the hosts: it sets what posting to the network costs. */
typedef uint32_t dtc_nccl_cpu;
enum {
  DTC_NCCL_CPU_DEFAULT = 0, /**< intel */
  DTC_NCCL_CPU_INTEL = 1,   /**< x86 of Intel */
  DTC_NCCL_CPU_AMD = 2,     /**< x86 of AMD */
  DTC_NCCL_CPU_ARM = 3,     /**< ARM, Grace among them */
  DTC_NCCL_CPU_POWER = 4,   /**< POWER */
  DTC_NCCL_CPU_MIXED = 5,   /**< x86 of Intel and of AMD */
};

/** Shape of the trees inside nodes; where nodes differ the largest. Numbers are NCCL's own. */
typedef uint32_t dtc_nccl_pattern;
enum {
  DTC_NCCL_PATTERN_DEFAULT = 0,       /**< balanced_tree */
  DTC_NCCL_PATTERN_BALANCED_TREE = 1, /**< the NIC's traffic is spread over two ranks */
  DTC_NCCL_PATTERN_SPLIT_TREE = 2,    /**< one rank sends, another receives */
  DTC_NCCL_PATTERN_TREE = 3,          /**< all of the NIC's traffic at one rank */
};

/**
 * A communicator: its ranks, and what NCCL's search of the topology found. Bandwidths are those of one channel, inside a
 * node and between nodes; NCCL prints GB/s, which are 10^9 bytes/s.
 */
typedef struct dtc_nccl {
  uint32_t struct_size;          /**< sizeof, set by DTC_INIT() */
  dtc_release version;           /**< of NCCL, from 2.21; 0 = newest known, DTC_MAIN = head [0, 4294967295] */
  uint32_t compute;              /**< compute capability * 10 of the GPUs, 90 for sm_90; the least [70, 1000] */
  dtc_nccl_cpu cpu;              /**< processor of the hosts */
  dtc_nccl_pattern tree_pattern; /**< shape of the trees */
  dtc_bool nvlink;               /**< NVLink joins the GPUs of a node, not PCIe; default on with several a node */
  dtc_bool collnet;              /**< NCCL_COLLNET_ENABLE, SHARP in the network's switches; default off */
  dtc_bool ll128;                /**< LL128 is allowed: no longer path than PXN; default on */
  dtc_bool fp8;                  /**< the data is fp8: rings of more than 8 ranks are avoided; default off */
  dtc_bool same_rings;           /**< every channel has the same ring; default on with one rank a node, and on one node
                                      with fewer than 32 ranks */
  uint64_t nodes;                /**< nodes; of GB200 NVLink domains [1, 65536] */
  uint64_t per_node;             /**< ranks of each node [1, 4096] */
  uint64_t channels;             /**< channels of the communicator ("coll channels"); 0 = what follows [0, 64] */
  uint64_t ring_channels;        /**< channels of the ring search [1, 64] */
  uint64_t tree_channels;        /**< channels of the tree search [1, 64] */
  uint64_t nvls_channels;        /**< channels of the NVLS search; below 2 there is no NVLS [0, 64] */
  uint64_t direct_channels;      /**< channels of the CollNet direct search; 0 = none [0, 64] */
  uint64_t chain_channels;       /**< channels of the CollNet chain search; 0 = none [0, 64] */
  double ring_intra;             /**< inside a node, bytes/s [1, 1e15] */
  double ring_inter;             /**< between nodes, bytes/s, 1 at least; 0 = ring_intra [0, 1e15] */
  double tree_intra;             /**< inside a node, bytes/s [1, 1e15] */
  double tree_inter;             /**< between nodes, bytes/s, 1 at least; 0 = tree_intra [0, 1e15] */
  double nvls_intra;             /**< inside a node, bytes/s, 1 at least; 0 = none [0, 1e15] */
  double nvls_inter;             /**< between nodes, bytes/s, 1 at least; 0 = nvls_intra [0, 1e15] */
  double direct_intra;           /**< inside a node, bytes/s, 1 at least; 0 = none [0, 1e15] */
  double direct_inter;           /**< between nodes, bytes/s, 1 at least; 0 = direct_intra [0, 1e15] */
  double chain_intra;            /**< inside a node, bytes/s, 1 at least; 0 = none [0, 1e15] */
  double chain_inter;            /**< between nodes, bytes/s, 1 at least; 0 = chain_intra [0, 1e15] */
} dtc_nccl;

/** A row of NCCL's tuning table. A record, frozen for ever. */
typedef struct dtc_nccl_row {
  dtc_nccl_algorithm algorithm; /**< algorithm */
  dtc_nccl_protocol protocol;   /**< protocol */
  uint32_t usable;              /**< 1 when the choice considers it; 0 with too many ranks in a node for it */
  uint32_t pad;                 /**< 0 */
  double latency;               /**< seconds, before corrections by size */
  double bandwidth;             /**< bytes/s of the whole vector, before corrections by size */
} dtc_nccl_row;

/** What NCCL takes for a size. A record, frozen for ever. */
typedef struct dtc_nccl_choice {
  dtc_nccl_algorithm algorithm; /**< algorithm */
  dtc_nccl_protocol protocol;   /**< protocol */
  uint64_t channels;            /**< channels that it uses, which are thread blocks */
  double seconds;               /**< time that NCCL expects: latency + bytes / bandwidth */
  double latency;               /**< seconds, for this size */
  double bandwidth;             /**< bytes/s of the whole vector, for this size */
} dtc_nccl_choice;

/** A range of sizes with one choice; it ends where the next begins. A record, frozen for ever. */
typedef struct dtc_nccl_range {
  uint64_t first;               /**< its first size, bytes */
  dtc_nccl_algorithm algorithm; /**< algorithm */
  dtc_nccl_protocol protocol;   /**< protocol */
  double seconds;               /**< time that NCCL expects at that size */
} dtc_nccl_range;

/** Rows of a table at most. */
#define DTC_NCCL_ROWS 16
/** Ranges of all sizes at most. */
#define DTC_NCCL_RANGES 512

/** Rules of NCCL's tuning; they join dtc_rule. */
enum {
  DTC_RULE_NCCL_SYSTEM = 700,  /**< a system whose search results are known */
  DTC_RULE_NCCL_VERSION = 701, /**< a version whose constants are known */
  DTC_RULE_NCCL_RANKS = 702,   /**< two ranks or more: NCCL tunes nothing for one */
  DTC_RULE_NCCL_PLACE = 703,   /**< ranks of a node that the search result of the system is known for */
  DTC_RULE_NCCL_OP = 704,      /**< an operation that NCCL has a model of */
  DTC_RULE_NCCL_SEARCH = 705,  /**< a search with channels has a bandwidth */
  DTC_RULE_NCCL_COLLNET = 706, /**< collnet is known since 2.30 */
  DTC_RULE_NCCL_FP8 = 707,     /**< fp8 came with 2.24 */
};

/**
 * @brief Number of systems whose search results are known.
 * @return systems. Exact. Since 1.0.
 */
DTC_API size_t dtc_nccl_count(void);

/**
 * @brief Name of a system whose search results are known.
 * @param index [0, dtc_nccl_count())
 * @return constant string; NULL when index is out of range. Exact. Since 1.0.
 */
DTC_API const char *dtc_nccl_name(size_t index);

/**
 * @brief What a system consists of; NCCL's own search ran on its description.
 * @param index [0, dtc_nccl_count())
 * @return constant string; NULL when index is out of range. Exact. Since 1.0.
 */
DTC_API const char *dtc_nccl_source(size_t index);

/**
 * @brief A communicator on a system by name: nodes, ranks and search results; nothing else is left to default.
 * @param name "h100-8x400": 8 GPUs a node, a NIC of 400 Gb/s each; case, '-' and '_' do not matter
 * @param version of NCCL, major * 10^6 + minor * 10^3 + patch; 0 = newest known
 * @param nodes nodes that the ranks are on; of gb200 NVLink domains [1, 65536]
 * @param per_node ranks of each node: all its GPUs, or of some systems 1, 2 or 4
 * @param out the communicator, resolved
 * @param err may be NULL
 * @return DTC_OK, DTC_E_SIZE, DTC_E_UNKNOWN (err->lower is the index of the nearest name, or DTC_NONE), DTC_E_RANGE,
 *         DTC_E_UNSUPPORTED (a version or place without a known search result). Exact for the systems as described:
 *         NCCL 2.21.5, 2.27.7, 2.30.7. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_nccl_find(const char *name, uint32_t version, uint64_t nodes, uint64_t per_node,
                                               dtc_nccl *out, dtc_error *err);

/**
 * @brief Fills every default of a communicator and checks every value. Idempotent.
 *
 * A version between those known has the constants of the one below it. channels follow as in NCCL: twice the fewer of
 * ring and tree; half as many again when CollNet's chains are faster inside nodes; twice that on several nodes of Hopper
 * or later with rings above 45 GB/s, when they are below 16.
 * @param nccl the communicator
 * @param out the same with nothing left to default; may be the same object
 * @param err may be NULL
 * @return DTC_OK, DTC_E_SIZE, DTC_E_NEWER, DTC_E_RANGE (a value, one rank, a search without bandwidth),
 *         DTC_E_UNSUPPORTED (a version before 2.21; collnet before 2.30, fp8 before 2.24). Exact: NCCL 2.21.5, 2.27.7,
 *         2.30.7. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_nccl_resolve(const dtc_nccl *nccl, dtc_nccl *out, dtc_error *err);

/**
 * @brief Latency and bandwidth of every algorithm and protocol that an operation can take.
 * @param nccl the communicator; defaults are filled as in dtc_nccl_resolve()
 * @param op all_reduce, reduce_scatter, all_gather, reduce or broadcast
 * @param out array of cap rows, in NCCL's order
 * @param cap length of out; DTC_NCCL_ROWS is enough
 * @param count rows there are
 * @param err may be NULL
 * @return as dtc_nccl_resolve(), DTC_E_SPACE, DTC_E_UNSUPPORTED (an operation that NCCL has no model of). Exact:
 *         NCCL 2.21.5, 2.27.7, 2.30.7. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_nccl_table(const dtc_nccl *nccl, dtc_collective op, dtc_nccl_row *out, size_t cap,
                                                size_t *count, dtc_error *err);

/**
 * @brief What NCCL takes for an operation of a size, and the time that it expects.
 * @param nccl the communicator; defaults are filled as in dtc_nccl_resolve()
 * @param op all_reduce, reduce_scatter, all_gather, reduce or broadcast
 * @param bytes of the whole vector
 * @param out the choice
 * @param err may be NULL
 * @return as dtc_nccl_table(). Exact: NCCL 2.21.5, 2.27.7, 2.30.7 without a tuner plugin, one operation at a time.
 *         Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_nccl_choose(const dtc_nccl *nccl, dtc_collective op, uint64_t bytes,
                                                 dtc_nccl_choice *out, dtc_error *err);

/**
 * @brief Where the choice changes: the ranges of sizes from first to last, to the byte.
 * @param nccl the communicator; defaults are filled as in dtc_nccl_resolve()
 * @param op all_reduce, reduce_scatter, all_gather, reduce or broadcast
 * @param first smallest size, bytes
 * @param last largest size, bytes [first, 2^64)
 * @param out array of cap ranges, ascending; the first begins at `first`
 * @param cap length of out; DTC_NCCL_RANGES is enough
 * @param count ranges there are
 * @param err may be NULL
 * @return as dtc_nccl_table(), DTC_E_RANGE. Exact: as dtc_nccl_choose(). Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_nccl_switches(const dtc_nccl *nccl, dtc_collective op, uint64_t first,
                                                   uint64_t last, dtc_nccl_range *out, size_t cap, size_t *count,
                                                   dtc_error *err);

/**
 * @brief Configuration of NCCL's example tuner plugin that pins the choice for this communicator, for every size.
 *
 * Lines "allreduce,0,262143,tree,ll,16,2,16": operation, first and last size, algorithm, protocol, channels, nodes, ranks.
 * The plugin sets one channel for what no line matches, and where a line says -1: so every line names its channels, and
 * the file should hold all operations.
 * @param nccl the communicator; defaults are filled as in dtc_nccl_resolve()
 * @param op the operation; none = all five
 * @param buf where to write; may be NULL when cap is 0
 * @param cap bytes in buf; the text is cut to cap - 1 bytes and always ends in NUL
 * @param len bytes of the whole text without the NUL
 * @param err may be NULL
 * @return as dtc_nccl_table(). Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_nccl_tuner_write(const dtc_nccl *nccl, dtc_collective op, char *buf, size_t cap,
                                                      size_t *len, dtc_error *err);

#ifdef __cplusplus
}
#endif
#endif

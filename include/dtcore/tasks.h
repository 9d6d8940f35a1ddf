/**
 * @file tasks.h
 * @brief Launchers: who gets which rank. Slurm, torchrun, DeepSpeed and Open MPI, as their own code numbers processes.
 *
 * Element i of every output array is global rank i. Nodes are numbered in the caller's order: of Slurm that of the
 * node table, which SLURM_JOB_NODELIST has and -w does not change. A node's local ranks count from 0.
 */
#ifndef DTCORE_TASKS_H
#define DTCORE_TASKS_H

#include <dtcore/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A process: where a global rank runs, and what its launcher tells it. A record, frozen for ever. */
typedef struct dtc_task {
  uint32_t node;       /**< index of the node in the caller's order */
  uint32_t local_rank; /**< local rank: SLURM_LOCALID, LOCAL_RANK, OMPI_COMM_WORLD_LOCAL_RANK */
  uint32_t
      local_env; /**< value of LOCAL_RANK that the launcher sets: local_rank, but for DeepSpeed's global rank mod slots */
  uint32_t node_rank; /**< the launcher's number of the node: SLURM_NODEID, GROUP_RANK; where it has none, node */
} dtc_task;

/** How srun -m spreads tasks over nodes. */
typedef uint32_t dtc_distribution;
enum {
  DTC_DISTRIBUTION_DEFAULT = 0, /**< what srun takes without -m: cyclic when ntasks is at most the nodes, else block */
  DTC_DISTRIBUTION_BLOCK = 1,   /**< an even share to each node, numbered node by node */
  DTC_DISTRIBUTION_CYCLIC = 2,  /**< one task to each node in turn, numbered in that order */
  DTC_DISTRIBUTION_PLANE = 3,   /**< `plane` tasks to each node in turn */
  DTC_DISTRIBUTION_ARBITRARY = 4, /**< as SLURM_HOSTFILE lists the nodes */
};

/** A job step of Slurm. */
typedef struct dtc_slurm {
  uint32_t struct_size;          /**< sizeof, set by DTC_INIT() */
  dtc_distribution distribution; /**< -m */
  dtc_bool pack;                 /**< -m block,Pack or CR_Pack_Nodes: fill node after node; default off; block only */
  uint32_t release;         /**< version, major * 10^6 + minor * 10^3: 24005000; 0 = newest known [0, 4294967295] */
  uint64_t plane;           /**< tasks of a plane, -m plane=N; 0 for the other distributions [0, 65533] */
  uint64_t ntasks;          /**< tasks, -n; 0 = ntasks_per_node, or 1, for each node; arbitrary: the lines [0, 2^24] */
  uint64_t ntasks_per_node; /**< --ntasks-per-node; 0 = not given; plane does without. srun drops one that is not
                                      ntasks / nodes: then give 0 [0, 65533] */
} dtc_slurm;

/** What Open MPI maps or ranks processes by. */
typedef uint32_t dtc_mpi_by;
enum {
  DTC_MPI_BY_DEFAULT =
      0,               /**< map: core up to 2 processes, else socket; with ppr node. rank: what map says; slot with ppr
                               and where map is the default */
  DTC_MPI_BY_SLOT = 1, /**< node after node */
  DTC_MPI_BY_NODE = 2, /**< one node after the other in turn */
  DTC_MPI_BY_SOCKET = 3, /**< sockets (packages) in turn */
  DTC_MPI_BY_NUMA = 4,   /**< NUMA nodes in turn */
  DTC_MPI_BY_CORE = 5,   /**< cores in turn */
};

/** An mpirun of one program on equal nodes, without --oversubscribe. */
typedef struct dtc_mpi {
  uint32_t struct_size; /**< sizeof, set by DTC_INIT() */
  dtc_mpi_by map;       /**< --map-by; with ppr the resource, not slot */
  dtc_mpi_by rank;      /**< --rank-by */
  dtc_bool map_span;    /**< :span of --map-by, as if the nodes were one; default off */
  dtc_bool rank_span;   /**< :span of --rank-by; default off */
  uint32_t sockets;     /**< sockets of a node; 0 = 1 [0, 1024] */
  uint32_t numas;       /**< NUMA nodes of a node; 0 = sockets [0, 65536] */
  uint32_t cores;       /**< cores of a socket; 0 = as many as the slots need [0, 4096] */
  uint64_t nodes;       /**< nodes [1, 2^20] */
  uint64_t slots;       /**< slots of a node [1, 65536] */
  uint64_t np;          /**< processes; 0 = all slots, with ppr as many as it supports [0, 2^24] */
  uint64_t ppr;         /**< ppr:N:resource and --npernode N: processes of each resource; 0 = none [0, 65536] */
  uint64_t pe;          /**< PE=N: cores of a process; 0 = 1. It moves no process unless bound [0, 65536] */
} dtc_mpi;

/**
 * @brief Tasks of a Slurm job step. Trap: without --exclusive Slurm gives a job just the CPUs that it asks for, so
 *        that -N2 -n5 runs 4 + 1, with it 3 + 2: `cpus` decides. -N4 -n3 is a step of 3 nodes.
 * @param slurm the step
 * @param cpus CPUs of each node of the allocation, as SLURM_JOB_CPUS_PER_NODE lists them [0, 65535]
 * @param n_cpus nodes [1, 2^20]
 * @param cpus_per_task CPUs of a task, -c, one for all nodes or one for each; 0 means 1; may be NULL [0, 65533]
 * @param n_cpus_per_task 0 (means 1 for all), 1 or n_cpus
 * @param order arbitrary: node of each task, the lines of SLURM_HOSTFILE [0, n_cpus). Else the rank that the topology
 *        plugin gives each node (block, tree, ring, torus3d), or none; block obeys it from 26.05 on, unless
 *        CR_NO_DIST_TOPO_BLOCK is set, and then does not pack. May be NULL
 * @param n_order arbitrary: ntasks; else 0 or n_cpus
 * @param tasks array of cap tasks
 * @param cap length of tasks
 * @param count tasks there are
 * @param err may be NULL
 * @return DTC_OK, DTC_E_SIZE, DTC_E_NEWER, DTC_E_RANGE, DTC_E_CONFLICT (plane with another distribution or without a
 *         size, the length of a list), DTC_E_SPACE (*count was written). Exact: Slurm 22.05.8, as it ran; topology
 *         order by the code of 26.05. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_tasks_slurm(const dtc_slurm *slurm, const uint64_t *cpus, size_t n_cpus,
                                                 const uint64_t *cpus_per_task, size_t n_cpus_per_task,
                                                 const uint64_t *order, size_t n_order, dtc_task *tasks, size_t cap,
                                                 size_t *count, dtc_error *err);

/**
 * @brief Workers of torchrun with a static rendezvous: node 0 is --node_rank=0.
 * @param workers --nproc_per_node of each node; they may differ [1, 65536]
 * @param n_workers nodes [1, 2^20]
 * @param tasks array of cap tasks
 * @param cap length of tasks
 * @param count workers there are, at most 2^24
 * @param err may be NULL
 * @return DTC_OK, DTC_E_SIZE, DTC_E_RANGE, DTC_E_SPACE (*count was written). Exact: PyTorch 1.13, as it ran.
 *         Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_tasks_torchrun(const uint64_t *workers, size_t n_workers, dtc_task *tasks,
                                                    size_t cap, size_t *count, dtc_error *err);

/**
 * @brief Workers of torchrun with the c10d rendezvous, which ignores --node_rank: nodes are ranked by the order of
 *        their host names as strings, so that node10 comes before node2. Rank 0 need not run on the host of the
 *        rendezvous.
 * @param hosts names as the nodes know themselves (FQDN, --local-addr), between blanks, commas or line ends; node i is
 *        the i-th
 * @param len bytes [0, 2^32 - 1]
 * @param workers --nproc_per_node of each node, or one for all [1, 65536]
 * @param n_workers 1, or as many as there are hosts
 * @param tasks array of cap tasks
 * @param cap length of tasks
 * @param count workers there are, at most 2^24
 * @param err may be NULL; offset is the place of a host
 * @return DTC_OK, DTC_E_SIZE, DTC_E_RANGE, DTC_E_PARSE (no host), DTC_E_CONFLICT (a host twice, whose order the
 *         process ids decide; the length of workers), DTC_E_SPACE (*count was written). Exact: PyTorch 1.13, as it
 *         ran. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_tasks_c10d(const char *hosts, size_t len, const uint64_t *workers,
                                                size_t n_workers, dtc_task *tasks, size_t cap, size_t *count,
                                                dtc_error *err);

/**
 * @brief Processes of the DeepSpeed launcher: hosts in the order of the hostfile. LOCAL_RANK, in local_env, is the
 *        global rank modulo the host's slots: wrong as soon as hosts have different numbers of them.
 * @param hostfile text of the file: lines `worker-1 slots=8`, comments from '#', empty lines. Slots [1, 65536]:
 *        DeepSpeed also takes 0 and starts nothing there
 * @param len bytes [0, 2^32 - 1]
 * @param tasks array of cap tasks
 * @param cap length of tasks
 * @param count processes there are, at most 2^24
 * @param err may be NULL; offset is the place of the line
 * @return DTC_OK, DTC_E_SIZE, DTC_E_RANGE, DTC_E_PARSE (a bad line, no host), DTC_E_CONFLICT (a host twice),
 *         DTC_E_SPACE (*count was written). Exact by the code of main (edaa7221), for files of ASCII blanks and
 *         digits, without --include and --exclude. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_tasks_deepspeed(const char *hostfile, size_t len, dtc_task *tasks, size_t cap,
                                                     size_t *count, dtc_error *err);

/**
 * @brief Processes of Open MPI's mpirun. Trap: local ranks follow the order of mapping, not the sockets: with --map-by
 *        socket neighbours alternate, with socket:span global ranks do.
 * @param mpi nodes, mapping and ranking
 * @param tasks array of cap tasks
 * @param cap length of tasks
 * @param count processes there are
 * @param err may be NULL
 * @return DTC_OK, DTC_E_SIZE, DTC_E_NEWER, DTC_E_RANGE (also np above what slots or ppr support), DTC_E_CONFLICT
 *         (span, ppr or pe with a map or rank that has none), DTC_E_DIVIDE (numas), DTC_E_SPACE (*count was written).
 *         Exact: Open MPI 4.1.4, as it ran; pairs of map and rank that tests/golden lacks by its code. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_tasks_mpi(const dtc_mpi *mpi, dtc_task *tasks, size_t cap, size_t *count,
                                               dtc_error *err);

#ifdef __cplusplus
}
#endif
#endif

/**
 * @file cluster.h
 * @brief What it is trained on: GPUs and how they are joined. Data-sheet numbers, each with its source.
 */
#ifndef DTCORE_CLUSTER_H
#define DTCORE_CLUSTER_H

#include <dtcore/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Who makes the accelerator. */
typedef uint32_t dtc_vendor;
enum {
  DTC_VENDOR_DEFAULT = 0, /**< not said */
  DTC_VENDOR_NVIDIA = 1,  /**< NVIDIA */
  DTC_VENDOR_AMD = 2,     /**< AMD */
  DTC_VENDOR_HUAWEI = 3,  /**< Huawei Ascend */
  DTC_VENDOR_INTEL = 4,   /**< Intel */
};

/** Network between nodes, with the library that drives it. */
typedef uint32_t dtc_fabric;
enum {
  DTC_FABRIC_DEFAULT = 0,   /**< InfiniBand or RoCE, which run alike */
  DTC_FABRIC_RDMA = 1,      /**< InfiniBand, or RoCE on ConnectX and the like */
  DTC_FABRIC_EFA = 2,       /**< Amazon's Elastic Fabric Adapter, from the second generation (P5) */
  DTC_FABRIC_EFA_V1 = 3,    /**< its first generation (P4d) */
  DTC_FABRIC_TCPXO = 4,     /**< Google's GPUDirect-TCPXO (A3 Mega) */
  DTC_FABRIC_TCPX = 5,      /**< Google's GPUDirect-TCPX (A3 High) */
  DTC_FABRIC_GCP_ROCE = 6,  /**< Google's RoCE (A3 Ultra and later) */
  DTC_FABRIC_SLINGSHOT = 7, /**< HPE Slingshot */
  DTC_FABRIC_POLLARA = 8,   /**< AMD Pensando Pollara */
  DTC_FABRIC_TCP = 9,       /**< sockets of the kernel */
};

/**
 * A cluster of equal nodes. Peaks are dense (never the sparse figure) and per GPU, 0 where the GPU lacks the type;
 * bandwidths are per direction. 0 means unknown, and for `nodes` as many as needed.
 */
typedef struct dtc_cluster {
  uint32_t struct_size;     /**< sizeof, set by DTC_INIT() */
  dtc_vendor vendor;        /**< maker of the GPU */
  uint32_t compute;         /**< NVIDIA compute capability * 10, 90 for sm_90; 0 = not NVIDIA [0, 1000] */
  uint32_t nvlink_domain;   /**< GPUs joined by NVLink or its like; 0 = gpus_per_node [0, 65536] */
  uint64_t memory;          /**< device memory as the driver reports it, bytes [2^20, 2^48] */
  uint64_t usable;          /**< device memory as PyTorch reports it, bytes; 0 = memory [0, 2^48] */
  double fp32;              /**< dense peak, fp32 without tensor cores, FLOP/s [0, 1e18] */
  double tf32;              /**< dense peak, TF32, FLOP/s [0, 1e18] */
  double fp16;              /**< dense peak, fp16, FLOP/s [0, 1e18] */
  double bf16;              /**< dense peak, bf16, FLOP/s [0, 1e18] */
  double fp8;               /**< dense peak, fp8, FLOP/s [0, 1e18] */
  double fp4;               /**< dense peak, fp4, FLOP/s [0, 1e18] */
  double int8;              /**< dense peak, int8, OP/s [0, 1e18] */
  double hbm_bandwidth;     /**< memory bandwidth, bytes/s [0, 1e15] */
  double nvlink_bandwidth;  /**< NVLink (Infinity Fabric, HCCS) per GPU and direction, bytes/s [0, 1e15] */
  double pcie_bandwidth;    /**< PCIe or NVLink-C2C per GPU and direction, bytes/s [0, 1e15] */
  double nic_bandwidth;     /**< one network port, per direction, bytes/s [0, 1e15] */
  uint64_t nics_per_node;   /**< network ports of a node that carry training traffic [0, 4096] */
  uint64_t gpus_per_node;   /**< GPUs of a node; 0 = 8 [0, 4096] */
  uint64_t nodes;           /**< nodes; 0 = as many as needed [0, 2^32] */
  uint64_t host_memory;     /**< host memory of a node, bytes [0, 2^60] */
  dtc_fabric fabric;        /**< network between nodes */
  uint32_t sms;             /**< streaming multiprocessors, compute units; 0 = unknown [0, 65536] */
  double power;             /**< power limit of a GPU's board, W [0, 1e6] */
  double node_power;        /**< of a node beside its GPUs, W [0, 1e6] */
  double host_bandwidth;    /**< host memory of a node, bytes/s [0, 1e15] */
  double nvme_bandwidth;    /**< NVMe drives of a node, the slower of read and write, bytes/s [0, 1e15] */
  double storage_bandwidth; /**< what all nodes together write to shared storage, bytes/s [0, 1e18] */
  double mtbf;              /**< mean time between failures of one GPU, with its share of the node and network, hours
                                 [0, 1e12] */
  double price;             /**< of a GPU for an hour, in any currency [0, 1e9] */
} dtc_cluster;

/**
 * @brief Number of GPUs in the catalogue.
 * @return GPUs. Exact. Since 1.0.
 */
DTC_API size_t dtc_gpu_count(void);

/**
 * @brief Name of a GPU in the catalogue.
 * @param index [0, dtc_gpu_count())
 * @return constant string; NULL when index is out of range. Exact. Since 1.0.
 */
DTC_API const char *dtc_gpu_name(size_t index);

/**
 * @brief Where the numbers of a GPU come from.
 * @param index [0, dtc_gpu_count())
 * @return constant string; NULL when index is out of range. Exact. Since 1.0.
 */
DTC_API const char *dtc_gpu_source(size_t index);

/**
 * @brief A GPU by name, in nodes of the usual kind for it (8 GPUs, or what its board has), as many as needed.
 * @param name "h100-80gb"; case, '-' and '_' do not matter
 * @param out the cluster, resolved
 * @param err may be NULL
 * @return DTC_OK, DTC_E_SIZE, DTC_E_UNKNOWN (err->lower is the index of the nearest name, or DTC_NONE). Data-sheet
 *         numbers, see dtc_gpu_source(). Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_gpu_find(const char *name, dtc_cluster *out, dtc_error *err);

/**
 * @brief Number of clusters in the catalogue.
 * @return clusters. Exact. Since 1.0.
 */
DTC_API size_t dtc_cluster_count(void);

/**
 * @brief Name of a cluster in the catalogue.
 * @param index [0, dtc_cluster_count())
 * @return constant string; NULL when index is out of range. Exact. Since 1.0.
 */
DTC_API const char *dtc_cluster_name(size_t index);

/**
 * @brief Where the numbers of a cluster come from.
 * @param index [0, dtc_cluster_count())
 * @return constant string; NULL when index is out of range. Exact. Since 1.0.
 */
DTC_API const char *dtc_cluster_source(size_t index);

/**
 * @brief A machine type by name, as many nodes as needed.
 * @param name "dgx-h100", "aws-p5"; case, '-' and '_' do not matter
 * @param out the cluster, resolved
 * @param err may be NULL
 * @return as dtc_gpu_find(). Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_cluster_find(const char *name, dtc_cluster *out, dtc_error *err);

/**
 * @brief Fills every default field and checks every value. Idempotent.
 * @param cluster the cluster
 * @param out the same with defaults filled; may be the same object
 * @param err may be NULL
 * @return DTC_OK, DTC_E_SIZE, DTC_E_NEWER, DTC_E_RANGE, DTC_E_CONFLICT (usable > memory). Exact. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_cluster_resolve(const dtc_cluster *cluster, dtc_cluster *out, dtc_error *err);

#ifdef __cplusplus
}
#endif
#endif

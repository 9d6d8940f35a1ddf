/* The environment of NCCL 2.30, and what of PyTorch's matters for it.
 * Sources: names of the library 2.30.7; src/misc/param.cc for what numbers are, src/misc/utils.cc, socket.cc,
 * transport/net_ib/init.cc and plugin/net.cc for lists and networks, graph/tuning.cc for NCCL_ALGO, the user guide 2.29
 * for values and for names that are gone; PyTorch's ProcessGroupNCCL.hpp for TORCH_NCCL_*. */
#include "internal/hca.h"
#include "internal/settings.h"

#define K(key) DTCI_KEY(DTC_DIALECT_NCCL, key)

enum {
  NODES = DTCI_KEY_NODES,
  SEVERAL = DTCI_KEY_FIRST, /* 0 on one node, else 1 */
  HCA,
  IFNAME,
  IB_DISABLE,
  P2P_DISABLE,
  P2P_LEVEL,
  NET,
  ALGO,
  PROTO,
  MIN_NCHANNELS,
  MAX_NCHANNELS,
  MIN_CTAS,
  MAX_CTAS,
  MISMATCH,
  MASTER,
  NNODES,
  GDR_LEVEL,
  CHECK_POINTERS,
  OLD_ASYNC,
  OLD_BLOCKING,
  OLD_DESYNC,
  OLD_TIMING,
  OLD_NONBLOCKING,
  OLD_RECORD,
};

enum { LEVELS = 1, DEBUG, LAUNCH, FAMILY, NETS };

static const dtci_word words[] = {
    /* graph/topo.h, in order of distance; digits are old names. */
    {LEVELS, 0, 0, "LOC"},     {LEVELS, 1, 0, "NVL"},      {LEVELS, 2, 0, "NVB"},      {LEVELS, 3, 0, "C2C"},
    {LEVELS, 4, 0, "PIX"},     {LEVELS, 5, 0, "PXB"},      {LEVELS, 6, 0, "P2C"},      {LEVELS, 7, 0, "PXN"},
    {LEVELS, 8, 0, "PHB"},     {LEVELS, 9, 0, "SYS"},      {LEVELS, 0, 0, "0"},        {LEVELS, 4, 0, "1"},
    {LEVELS, 5, 0, "2"},       {LEVELS, 8, 0, "3"},        {LEVELS, 9, 0, "4"},        {LEVELS, 9, 0, "5"},
    {DEBUG, 0, 0, "NONE"},     {DEBUG, 1, 0, "VERSION"},   {DEBUG, 2, 0, "WARN"},      {DEBUG, 3, 0, "INFO"},
    {DEBUG, 4, 0, "ABORT"},    {DEBUG, 5, 0, "TRACE"},     {LAUNCH, 0, 0, "PARALLEL"}, {LAUNCH, 1, 0, "GROUP"},
    {FAMILY, 0, 0, "AF_INET"}, {FAMILY, 1, 0, "AF_INET6"}, {NETS, 1, 0, "IB"},         {NETS, 2, 0, "Socket"},
};

/* ---- keys ------------------------------------------------------------------------------------ */

/* A number that is no number is read as far as it goes: "true" is 0, "4M" is 4. */
#define INTEGER .kind = DTCI_KEY_INTEGER, .flags = DTCI_WARN | DTCI_C_NUMBER
#define RANGE(least, most) INTEGER, .min.i = (least), .max.i = (most)
#define TEXT(what) .kind = DTCI_KEY_TEXT, .list = DTCI_TEXT_##what
#define FREE .kind = DTCI_KEY_ANY
#define WORD(set) .kind = DTCI_KEY_WORD, .words = (set), .flags = DTCI_WARN
#define SWITCH .kind = DTCI_KEY_SWITCH, .flags = DTCI_WARN
#define GONE(instead) .kind = DTCI_KEY_IGNORED, .to = (instead)

static const dtci_key keys[] = {
    DTCI_LINT_KEYS,
    [SEVERAL] = {"several nodes", .kind = DTCI_KEY_WORKED},
    [HCA] = {"NCCL_IB_HCA", TEXT(HCA)},
    [IFNAME] = {"NCCL_SOCKET_IFNAME", TEXT(IFNAME)},
    [IB_DISABLE] = {"NCCL_IB_DISABLE", INTEGER},
    [P2P_DISABLE] = {"NCCL_P2P_DISABLE", INTEGER},
    [P2P_LEVEL] = {"NCCL_P2P_LEVEL", WORD(LEVELS)},
    [NET] = {"NCCL_NET", .kind = DTCI_KEY_WORD, .words = NETS, .flags = DTCI_NO_CASE | DTCI_OTHERS},
    [ALGO] = {"NCCL_ALGO", TEXT(ALGO)},
    [PROTO] = {"NCCL_PROTO", TEXT(PROTO)},
    [MIN_NCHANNELS] = {"NCCL_MIN_NCHANNELS", RANGE(1, 64)},
    [MAX_NCHANNELS] = {"NCCL_MAX_NCHANNELS", RANGE(1, 64)},
    [MIN_CTAS] = {"NCCL_MIN_CTAS", RANGE(1, 64)},
    [MAX_CTAS] = {"NCCL_MAX_CTAS", RANGE(1, 64)},
    [MISMATCH] = {"NCCL_IGNORE_NET_MISMATCH", INTEGER},
    [MASTER] = {"MASTER_ADDR", TEXT(HOST)},
    [NNODES] = {"NNODES", TEXT(NODES)},
    [GDR_LEVEL] = {"NCCL_NET_GDR_LEVEL", WORD(LEVELS)},
    [CHECK_POINTERS] = {"NCCL_CHECK_POINTERS", INTEGER},
    [OLD_ASYNC] = {"NCCL_ASYNC_ERROR_HANDLING", RANGE(0, 3)},
    [OLD_BLOCKING] = {"NCCL_BLOCKING_WAIT", SWITCH},
    [OLD_DESYNC] = {"NCCL_DESYNC_DEBUG", SWITCH},
    [OLD_TIMING] = {"NCCL_ENABLE_TIMING", SWITCH},
    [OLD_NONBLOCKING] = {"NCCL_USE_COMM_NONBLOCKING", SWITCH},
    [OLD_RECORD] = {"NCCL_AVOID_RECORD_STREAMS", SWITCH},
    {"SLURM_NNODES", .kind = DTCI_KEY_ALIAS, .to = NNODES},
    {"SLURM_JOB_NUM_NODES", .kind = DTCI_KEY_ALIAS, .to = NNODES},
    {"MASTER_PORT", .kind = DTCI_KEY_INTEGER, .min.i = 0, .max.i = 65535},
    {"CUDA_DEVICE_MAX_CONNECTIONS", .kind = DTCI_KEY_INTEGER, .flags = DTCI_WARN, .min.i = 1, .max.i = 32},
    /* What NCCL says. */
    {"NCCL_DEBUG", .kind = DTCI_KEY_WORD, .words = DEBUG, .flags = DTCI_WARN | DTCI_NO_CASE},
    {"NCCL_DEBUG_FILE", FREE},
    {"NCCL_DEBUG_SUBSYS", FREE},
    {"NCCL_DEBUG_TIMESTAMP_FORMAT", FREE},
    {"NCCL_DEBUG_TIMESTAMP_LEVELS", FREE},
    {"NCCL_WARN_ENABLE_DEBUG_INFO", INTEGER},
    {"NCCL_REPORT_CONNECT_PROGRESS", INTEGER},
    {"NCCL_SET_THREAD_NAME", INTEGER},
    {"NCCL_NVTX_DISABLE", INTEGER},
    {"NCCL_CHECK_MODE", FREE},
    {"NCCL_PROFILER_PLUGIN", FREE},
    {"NCCL_PROXY_DUMP_SIGNAL", INTEGER},
    {"NCCL_RMA_PROXY_DUMP_SIGNAL", INTEGER},
    {"NCCL_PARAM_DUMP_ALL", INTEGER},
    {"NCCL_NO_CACHE", FREE},
    {"NCCL_CONF_FILE", FREE},
    {"NCCL_ENV_PLUGIN", FREE},
    {"NCCL_ENABLE_VERSION_CHECK", INTEGER},
    {"NCCL_RAS_ENABLE", INTEGER},
    {"NCCL_RAS_ADDR", FREE},
    {"NCCL_RAS_TIMEOUT_FACTOR", INTEGER},
    /* Start. */
    {"NCCL_COMM_ID", FREE},
    {"NCCL_HOSTID", FREE},
    {"NCCL_COMM_BLOCKING", INTEGER},
    {"NCCL_COMM_SPLIT_SHARE_RESOURCES", INTEGER},
    {"NCCL_COMM_SHRINK_SHARE_RESOURCES", INTEGER},
    {"NCCL_OOB_NET_ENABLE", INTEGER},
    {"NCCL_OOB_NET_IFNAME", TEXT(IFNAME)},
    {"NCCL_UID_STAGGER_RATE", INTEGER},
    {"NCCL_UID_STAGGER_THRESHOLD", INTEGER},
    {"NCCL_RUNTIME_CONNECT", INTEGER},
    {"NCCL_CONNECT_ROUND_MAX_PEERS", INTEGER},
    {"NCCL_MULTI_RANK_GPU_ENABLE", INTEGER},
    {"NCCL_IGNORE_COLLNET_MISMATCH", INTEGER},
    {"NCCL_IGNORE_CPU_AFFINITY", INTEGER},
    {"NCCL_SET_STACK_SIZE", INTEGER},
    {"NCCL_SET_CPU_STACK_SIZE", INTEGER},
    /* Sockets. */
    {"NCCL_SOCKET_FAMILY", WORD(FAMILY)},
    {"NCCL_SOCKET_NTHREADS", RANGE(1, 16)},
    {"NCCL_NSOCKS_PERTHREAD", RANGE(1, 64)},
    {"NCCL_SOCKET_INLINE", INTEGER},
    {"NCCL_SOCKET_MIN_TASKSIZE", INTEGER},
    {"NCCL_SOCKET_RCVBUF", INTEGER},
    {"NCCL_SOCKET_SNDBUF", INTEGER},
    {"NCCL_SOCKET_RETRY_CNT", INTEGER},
    {"NCCL_SOCKET_RETRY_SLEEP_MSEC", INTEGER},
    {"NCCL_SOCKET_POLL_TIMEOUT_MSEC", INTEGER},
    /* InfiniBand and RoCE: widths of the fields of a queue pair. */
    {"NCCL_IB_TIMEOUT", RANGE(0, 31)},
    {"NCCL_IB_RETRY_CNT", RANGE(0, 7)},
    {"NCCL_IB_PKEY", INTEGER},
    {"NCCL_IB_USE_INLINE", INTEGER},
    {"NCCL_IB_SL", RANGE(-1, 15)},
    {"NCCL_IB_TC", RANGE(-1, 255)},
    {"NCCL_IB_FIFO_TC", RANGE(-1, 255)},
    {"NCCL_GIN_IB_TC", RANGE(-1, 255)},
    {"NCCL_IB_GID_INDEX", RANGE(-1, 65535)},
    {"NCCL_IB_ROUTABLE_FLID_GID_INDEX", INTEGER},
    {"NCCL_IB_ROCE_VERSION_NUM", RANGE(1, 2)},
    {"NCCL_IB_ADDR_FAMILY", WORD(FAMILY)},
    {"NCCL_IB_ADDR_RANGE", FREE},
    {"NCCL_IB_QPS_PER_CONNECTION", RANGE(1, 128)},
    {"NCCL_IB_SPLIT_DATA_ON_QPS", INTEGER},
    {"NCCL_IB_AR_THRESHOLD", INTEGER},
    {"NCCL_IB_ADAPTIVE_ROUTING", INTEGER},
    {"NCCL_IB_PCI_RELAXED_ORDERING", RANGE(0, 2)},
    {"NCCL_IB_ECE_ENABLE", INTEGER},
    {"NCCL_IB_DATA_DIRECT", INTEGER},
    {"NCCL_IB_MERGE_NICS", INTEGER},
    {"NCCL_IB_MERGE_VFS", INTEGER},
    {"NCCL_IB_DEVICE_PCI_ORDER", INTEGER},
    {"NCCL_IB_OOO_RQ", INTEGER},
    {"NCCL_IB_QUERY_PORT_SPEED", INTEGER},
    {"NCCL_IB_PREPOST_RECEIVE_WORK_REQUESTS", INTEGER},
    {"NCCL_IB_RECEIVER_SIDE_MATCHING_SCHEME", INTEGER},
    {"NCCL_IB_RETURN_ASYNC_EVENTS", INTEGER},
    {"NCCL_IB_WARN_RAIL_LOCAL", INTEGER},
    {"NCCL_IB_SUBNET_AWARE_ROUTING", INTEGER},
    {"NCCL_IB_SUBNET_PREFIX_LEN", INTEGER},
    {"NCCL_IB_MQP_RETRY_ALL", INTEGER},
    {"NCCL_IB_MQP_RETRY_CNT", INTEGER},
    {"NCCL_IB_MQP_RETRY_SLEEP_MSEC", INTEGER},
    {"NCCL_IB_RESILIENCY_PORT_FAILOVER", INTEGER},
    {"NCCL_IB_RESILIENCY_PORT_FAILOVER_MAX_ATTEMPTS", INTEGER},
    {"NCCL_IB_RESILIENCY_PORT_FAILOVER_PROBE_DELAY", INTEGER},
    {"NCCL_IB_RESILIENCY_PORT_RECOVERY", INTEGER},
    {"NCCL_IB_RESILIENCY_PORT_RECOVERY_ACK_TIMEOUT", INTEGER},
    {"NCCL_IB_RESILIENCY_PORT_RECOVERY_ALIVE_MSG_BATCH_INTERVAL", INTEGER},
    {"NCCL_IB_RESILIENCY_PORT_RECOVERY_ALIVE_MSG_BATCH_SIZE", INTEGER},
    {"NCCL_IB_RESILIENCY_PORT_RECOVERY_ALIVE_MSG_SEQUENCE_SIZE", INTEGER},
    {"NCCL_IB_RESILIENCY_PORT_RECOVERY_ALIVE_MSG_TIMEOUT", INTEGER},
    {"NCCL_IB_RESILIENCY_PORT_RECOVERY_ATTEMPTS_MAX", INTEGER},
    {"NCCL_IB_RESILIENCY_PORT_RECOVERY_START_DELAY", INTEGER},
    {"NCCL_IBVERBS_LIB", FREE},
    /* Networks. */
    {"NCCL_NET_PLUGIN", FREE},
    {"NCCL_TUNER_PLUGIN", FREE},
    {"NCCL_GIN_PLUGIN", FREE},
    {"NCCL_RMA_PLUGIN", FREE},
    {"NCCL_NET_PLUGIN_REF_COUNT", INTEGER},
    {"NCCL_GIN_PLUGIN_REF_COUNT", INTEGER},
    {"NCCL_RMA_PLUGIN_REF_COUNT", INTEGER},
    {"NCCL_NET_GDR_READ", INTEGER},
    {"NCCL_NET_GDR_C2C", INTEGER},
    {"NCCL_NET_GDR_MLOPART", INTEGER},
    {"NCCL_MLOPART_RDMA_ENABLE", INTEGER},
    {"NCCL_TOPO_SPLIT_MLOPART", INTEGER},
    {"NCCL_NET_DISABLE_INTRA", INTEGER},
    {"NCCL_NET_FORCE_FLUSH", INTEGER},
    {"NCCL_NET_FORCE_MERGE", FREE},
    {"NCCL_NET_MERGE_LEVEL", FREE},
    {"NCCL_NET_MERGE_POLICY", FREE},
    {"NCCL_NET_OPTIONAL_RECV_COMPLETION", INTEGER},
    {"NCCL_NET_OVERHEAD", INTEGER},
    {"NCCL_NET_SHARED_BUFFERS", INTEGER},
    {"NCCL_NET_SHARED_COMMS", INTEGER},
    {"NCCL_NETDEVS_POLICY", FREE},
    {"NCCL_CROSS_NIC", RANGE(0, 2)},
    {"NCCL_NCHANNELS_PER_NET_PEER", INTEGER},
    {"NCCL_GDR_FLUSH_DISABLE", INTEGER},
    {"NCCL_DMABUF_ENABLE", INTEGER},
    {"NCCL_GDRCOPY_ENABLE", INTEGER},
    {"NCCL_GDRCOPY_FIFO_ENABLE", INTEGER},
    {"NCCL_GDRCOPY_FLUSH_ENABLE", INTEGER},
    {"NCCL_GDRCOPY_SYNC_ENABLE", INTEGER},
    {"NCCL_PROXY_APPEND_BATCH_SIZE", INTEGER},
    {"NCCL_PROXY_CPUSET", FREE},
    {"NCCL_PROGRESS_APPENDOP_FREQ", INTEGER},
    {"NCCL_GIN_ENABLE", INTEGER},
    {"NCCL_GIN_TYPE", INTEGER},
    {"NCCL_GIN_NCONNECTIONS", INTEGER},
    {"NCCL_GIN_ERROR_QUERY_SEC", INTEGER},
    {"NCCL_GIN_PROXY_QUEUE_SIZE", INTEGER},
    {"NCCL_GIN_GDAKI_NIC_HANDLER", INTEGER},
    {"NCCL_GIN_GDAKI_QP_DEPTH", INTEGER},
    {"NCCL_GIN_GDAKI_MAX_DEST_RD_ATOMIC", INTEGER},
    {"NCCL_GIN_GDAKI_MAX_QP_RD_ATOMIC", INTEGER},
    {"NCCL_GDAKI_USE_RELIABLE_DB", INTEGER},
    {"NCCL_RMA_DISABLE", INTEGER},
    {"NCCL_RMA_PROXY_QUEUE_SIZE", INTEGER},
    {"NCCL_NUM_RMA_CTX", INTEGER},
    /* A node. */
    {"NCCL_P2P_DIRECT_DISABLE", INTEGER},
    {"NCCL_P2P_READ_ENABLE", INTEGER},
    {"NCCL_P2P_USE_CUDA_MEMCPY", INTEGER},
    {"NCCL_P2P_PXN_LEVEL", RANGE(0, 2)},
    {"NCCL_P2P_LL_THRESHOLD", INTEGER},
    {"NCCL_P2P_NET_CHUNKSIZE", INTEGER},
    {"NCCL_P2P_NVL_CHUNKSIZE", INTEGER},
    {"NCCL_P2P_PCI_CHUNKSIZE", INTEGER},
    {"NCCL_P2P_SCHEDULE_GROUP_SIZE", INTEGER},
    {"NCCL_P2P_EPOCH_ENABLE", INTEGER},
    {"NCCL_P2P_MAX_PEERS", INTEGER},
    {"NCCL_P2P_PER_CHANNEL_NET_BW", INTEGER},
    {"NCCL_MIN_P2P_NCHANNELS", INTEGER},
    {"NCCL_MAX_P2P_NCHANNELS", INTEGER},
    {"NCCL_IGNORE_DISABLED_P2P", INTEGER},
    {"NCCL_ALLOC_P2P_NET_LL_BUFFERS", INTEGER},
    {"NCCL_SHM_DISABLE", INTEGER},
    {"NCCL_SHM_LOCALITY", INTEGER},
    {"NCCL_NVB_DISABLE", INTEGER},
    {"NCCL_NVB_PRECONNECT", INTEGER},
    {"NCCL_PXN_DISABLE", INTEGER},
    {"NCCL_PXN_C2C", INTEGER},
    {"NCCL_CUMEM_ENABLE", INTEGER},
    {"NCCL_CUMEM_HOST_ENABLE", INTEGER},
    {"NCCL_MNNVL_ENABLE", INTEGER},
    {"NCCL_MNNVL_UUID", FREE},
    {"NCCL_MNNVL_CLIQUE_ID", INTEGER},
    {"NCCL_MNNVL_CROSS_CLIQUE", INTEGER},
    {"NCCL_MNNVL_RAIL_PER_HOST", INTEGER},
    {"NCCL_MNNVL_SCATTER_NETS_ENABLE", INTEGER},
    {"NCCL_LSA_TEAM_SIZE", INTEGER},
    /* Graphs, algorithms. */
    {"NCCL_TOPO_FILE", FREE},
    {"NCCL_TOPO_DUMP_FILE", FREE},
    {"NCCL_TOPO_DUMP_FILE_RANK", INTEGER},
    {"NCCL_GRAPH_FILE", FREE},
    {"NCCL_GRAPH_DUMP_FILE", FREE},
    {"NCCL_GRAPH_DUMP_FILE_RANK", INTEGER},
    {"NCCL_GRAPH_HELPER_DISABLE", INTEGER},
    {"NCCL_GRAPH_MIXING_SUPPORT", INTEGER},
    {"NCCL_GRAPH_REGISTER", INTEGER},
    {"NCCL_GRAPH_STREAM_ORDERING", INTEGER},
    {"NCCL_COLLNET_ENABLE", INTEGER},
    {"NCCL_COLLNET_NODE_THRESHOLD", INTEGER},
    {"NCCL_NVLS_ENABLE", RANGE(0, 2)},
    {"NCCL_NVLS_CHUNKSIZE", INTEGER},
    {"NCCL_NVLS_NCHANNELS", INTEGER},
    {"NCCL_NVLSTREE_MAX_CHUNKSIZE", INTEGER},
    {"NCCL_PAT_ENABLE", INTEGER},
    {"NCCL_ALLGATHERV_ENABLE", INTEGER},
    {"NCCL_THREAD_THRESHOLDS", FREE},
    {"NCCL_BUFFSIZE", RANGE(1, INT32_MAX)},
    {"NCCL_LL_BUFFSIZE", RANGE(1, INT32_MAX)},
    {"NCCL_LL128_BUFFSIZE", RANGE(1, INT32_MAX)},
    {"NCCL_CHUNK_SIZE", INTEGER},
    {"NCCL_NTHREADS", RANGE(64, 512)},
    {"NCCL_LL128_NTHREADS", INTEGER},
    {"NCCL_LL128_C2C", INTEGER},
    {"NCCL_MIN_NRINGS", INTEGER},
    {"NCCL_MAX_NRINGS", INTEGER},
    {"NCCL_UNPACK_DOUBLE_NCHANNELS", INTEGER},
    {"NCCL_CTA_POLICY", FREE},
    {"NCCL_CGA_CLUSTER_SIZE", RANGE(0, 8)},
    {"NCCL_L1_SHARED_MEMORY_CARVEOUT", INTEGER},
    {"NCCL_MEM_SYNC_DOMAIN", RANGE(0, 1)},
    {"NCCL_NVLINK_UTIL_CENTRIC_SCHED_ENABLE", INTEGER},
    {"NCCL_SYM_CTAS", INTEGER},
    {"NCCL_SYM_KERNEL", FREE},
    {"NCCL_SYM_CE_THRESHOLD", INTEGER},
    {"NCCL_SYM_GIN_KERNELS_ENABLE", INTEGER},
    {"NCCL_SYM_NOWIN_ENABLE", INTEGER},
    {"NCCL_SYM_REUSE_SYSMEM_HANDLES", INTEGER},
    {"NCCL_SYM_RS_GIN_CHUNK_SIZE", INTEGER},
    {"NCCL_SYM_TMA_ENABLE", INTEGER},
    {"NCCL_DEV_API_JIT", INTEGER},
    /* Launches and memory. */
    {"NCCL_LAUNCH_MODE", WORD(LAUNCH)},
    {"NCCL_LAUNCH_ORDER_IMPLICIT", INTEGER},
    {"NCCL_LAUNCH_RACE_FATAL", INTEGER},
    {"NCCL_GROUP_CUDA_STREAM", INTEGER},
    {"NCCL_WORK_ARGS_BYTES", INTEGER},
    {"NCCL_WORK_FIFO_BYTES", INTEGER},
    {"NCCL_LOCAL_REGISTER", INTEGER},
    {"NCCL_LEGACY_CUDA_REGISTER", INTEGER},
    {"NCCL_SINGLE_PROC_MEM_REG_ENABLE", INTEGER},
    {"NCCL_MULTI_SEGMENT_REGISTER", INTEGER},
    {"NCCL_ELASTIC_BUFFER_REGISTER", INTEGER},
    {"NCCL_WIN_ENABLE", INTEGER},
    {"NCCL_WIN_STRIDE", INTEGER},
    {"NCCL_DISABLE_MEM_MANAGER", INTEGER},
    {"NCCL_SHADOW_MEMPOOL_MAX_SIZE", INTEGER},
    /* Gone. */
    {"NCCL_IB_CUDA_SUPPORT", GONE(GDR_LEVEL)},
    {"NCCL_IB_GDR_LEVEL", GONE(GDR_LEVEL)},
    {"NCCL_CHECKS_DISABLE", GONE(CHECK_POINTERS)},
    {"NCCL_LL_THRESHOLD", GONE(0)},
    {"NCCL_TREE_THRESHOLD", GONE(0)},
    {"NCCL_SINGLE_RING_THRESHOLD", GONE(0)},
    {"NCCL_RINGS", GONE(0)},
    {"NCCL_CREATE_THREAD_CONTEXT", GONE(0), .since = 2030000},
    {"NCCL_GIN_COUNTER_POOL_SIZE", GONE(0), .since = 2030000},
    {"NCCL_GIN_NCONTEXTS", GONE(0), .since = 2030000},
    {"NCCL_GIN_SIGNAL_POOL_SIZE", GONE(0), .since = 2030000},
    {"NCCL_SHM_MEMCPY_MODE", GONE(0), .since = 2030000},
    {"NCCL_SHM_USE_CUDA_MEMCPY", GONE(0), .since = 2030000},
    {"NCCL_CREATE_THREAD_CONTEXT", FREE, .until = 2030000},
    {"NCCL_GIN_COUNTER_POOL_SIZE", INTEGER, .until = 2030000},
    {"NCCL_GIN_NCONTEXTS", INTEGER, .until = 2030000},
    {"NCCL_GIN_SIGNAL_POOL_SIZE", INTEGER, .until = 2030000},
    {"NCCL_SHM_MEMCPY_MODE", INTEGER, .until = 2030000},
    {"NCCL_SHM_USE_CUDA_MEMCPY", INTEGER, .until = 2030000},
    /* Names that others look at: builds, containers, plugins of networks. */
    {"NCCL_VERSION", FREE},
    {"NCCL_ROOT", FREE},
    {"NCCL_ROOT_DIR", FREE},
    {"NCCL_HOME", FREE},
    {"NCCL_DIR", FREE},
    {"NCCL_PATH", FREE},
    {"NCCL_INCLUDE_DIR", FREE},
    {"NCCL_INCLUDE_DIRS", FREE},
    {"NCCL_LIB_DIR", FREE},
    {"NCCL_LIBRARY", FREE},
    {"NCCL_LIBRARIES", FREE},
    {"NCCL_TESTS_SPLIT", FREE},
    {"NCCL_TESTS_SPLIT_MASK", FREE},
    {"NCCL_TESTS_DEVICE", FREE},
    {"NCCL_PLUGIN_P2P", FREE},
    {"NCCL_SHARP_DISABLE", FREE},
    {"NCCL_SHARP_GROUP_SIZE_THRESH", FREE},
    {"NCCL_TUNER_CONFIG_PATH", FREE},
    {"NCCL_FASTRAK_CTRL_DEV", FREE},
    {"NCCL_FASTRAK_IFNAME", FREE},
    {"NCCL_FASTRAK_LLCM_DEVICE_DIRECTORY", FREE},
    {"NCCL_SHIMNET_GUEST_CONFIG_CHECKER_CONFIG_FILE", FREE},
    /* PyTorch. */
    {"TORCH_NCCL_ASYNC_ERROR_HANDLING", RANGE(0, 3)},
    {"TORCH_NCCL_BLOCKING_WAIT", SWITCH},
    {"TORCH_NCCL_DESYNC_DEBUG", SWITCH},
    {"TORCH_NCCL_ENABLE_TIMING", SWITCH},
    {"TORCH_NCCL_USE_COMM_NONBLOCKING", SWITCH},
    {"TORCH_NCCL_AVOID_RECORD_STREAMS", SWITCH},
    {"TORCH_NCCL_ENABLE_MONITORING", SWITCH},
    {"TORCH_NCCL_DUMP_ON_TIMEOUT", SWITCH},
    {"TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC", INTEGER},
    {"TORCH_NCCL_TRACE_BUFFER_SIZE", INTEGER},
    {"TORCH_NCCL_NONBLOCKING_TIMEOUT", INTEGER},
    {"TORCH_NCCL_HIGH_PRIORITY", SWITCH},
    {"TORCH_NCCL_CUDA_EVENT_CACHE", SWITCH},
    {"TORCH_NCCL_NAN_CHECK", SWITCH},
};

/* ---- steps ----------------------------------------------------------------------------------- */

static const dtci_step steps[] = {
    {.key = K(NODES), .op = DTCI_STEP_PRODUCT, .left = {K(NNODES)}},
    {.key = K(SEVERAL), .op = DTCI_STEP_PUT, .constant = 1},
    {.key = K(SEVERAL), .op = DTCI_STEP_PUT, .constant = 0, .when = {DTCI_WHEN_IS(K(NODES), 1)}},
};

/* ---- rules ----------------------------------------------------------------------------------- */

#define ERROR(of) .status = DTC_E_##of, .severity = DTC_SEVERITY_ERROR
#define WARNING(of) .status = DTC_E_##of, .severity = DTC_SEVERITY_WARNING
#define WHEN(id, key, ...) .rule = DTC_RULE_NCCL_##id, .hook = DTCI_WHEN, .fix = K(key), .when = {__VA_ARGS__}
#define TOLD(id) .rule = DTC_RULE_NCCL_##id, .hook = DTCI_TEXT

/* Of devices and of interfaces. */
#define PREFIX(key)                                                                                                    \
  {                                                                                                                    \
    .row = {                                                                                                           \
      WHEN(PREFIX, key, DTCI_WHEN_HAS(K(key), DTCI_NCCL_PREFIX)),                                                      \
      WARNING(CONFLICT),                                                                                               \
      .en = "{field}: a name is a prefix, mlx5_1 also stands for mlx5_10; = before the list asks for whole names",     \
      .zh = "{field}：名称按前缀匹配，mlx5_1 也匹配 mlx5_10；列表前加 = 才匹配全名"              \
    }                                                                                                                  \
  }
#define FORM(key)                                                                                                      \
  {                                                                                                                    \
    .row = {                                                                                                           \
      WHEN(FORM, key, DTCI_WHEN_HAS(K(key), DTCI_NCCL_FORM)),                                                          \
      WARNING(PARSE),                                                                                                  \
      .en = "{field}: a name holds a blank, ; | ^ = or a glob, which is taken as it is: it matches nothing",           \
      .zh = "{field}：名称中含空格、; | ^ = 或通配符，会按原样处理：什么都匹配不到"         \
    }                                                                                                                  \
  }
#define BARE(key)                                                                                                      \
  {                                                                                                                    \
    .row = {                                                                                                           \
      WHEN(BARE, key, DTCI_WHEN_HAS(K(key), DTCI_NCCL_BARE)),                                                          \
      WARNING(CONFLICT),                                                                                               \
      .en = "{field}: ^ without a name leaves none",                                                                   \
      .zh = "{field}：单独的 ^ 会排除全部"                                                                    \
    }                                                                                                                  \
  }
#define LONG(key)                                                                                                      \
  {                                                                                                                    \
    .row = {                                                                                                           \
      WHEN(LONG, key, DTCI_WHEN_HAS(K(key), DTCI_NCCL_LONG)),                                                          \
      WARNING(RANGE),                                                                                                  \
      .en = "{field}: more names than NCCL reads, the last ones do not count",                                         \
      .zh = "{field}：名称数超过 NCCL 读取的上限，后面的无效"                                         \
    }                                                                                                                  \
  }
#define P2P_OFF(key, low, high)                                                                                        \
  {                                                                                                                    \
    .row = {                                                                                                           \
      WHEN(P2P_OFF, key, DTCI_WHEN_BETWEEN(K(key), low, high)),                                                        \
      WARNING(CONFLICT),                                                                                               \
      .en = "{field} is set so that GPUs of a node talk over host memory, not NVLink or PCIe",                         \
      .zh = "{field} 的设置使同节点 GPU 经主机内存通信，而非 NVLink 或 PCIe"                         \
    }                                                                                                                  \
  }
#define CHOICE(key)                                                                                                    \
  {                                                                                                                    \
    .since = 2024000, .row = {                                                                                         \
      WHEN(CHOICE, key, DTCI_WHEN_HAS(K(key), DTCI_CHOICE_UNKNOWN)),                                                   \
      ERROR(UNKNOWN),                                                                                                  \
      .en = "{field}: a word that is no algorithm, protocol or function, NCCL stops at it",                            \
      .zh = "{field}：含有不是算法、协议或函数的词，NCCL 会终止"                                    \
    }                                                                                                                  \
  }
#define CHANNELS(least, most)                                                                                          \
  {                                                                                                                    \
    .row = {                                                                                                           \
      .rule = DTC_RULE_NCCL_CHANNELS,                                                                                  \
      WARNING(CONFLICT),                                                                                               \
      .hook = DTCI_AT_MOST,                                                                                            \
      .fix = K(least),                                                                                                 \
      .left = {K(least)},                                                                                              \
      .right = {K(most)},                                                                                              \
      .en = "NCCL takes one of them",                                                                                  \
      .zh = "NCCL 只会采用其中之一"                                                                            \
    }                                                                                                                  \
  }
#define OLD(key)                                                                                                       \
  {                                                                                                                    \
    .row = {                                                                                                           \
      WHEN(TORCH, key, DTCI_WHEN_GIVEN(K(key))),                                                                       \
      WARNING(UNSUPPORTED),                                                                                            \
      .en = "{field} is PyTorch's old name, deprecated since 2.2: TORCH_{field}",                                      \
      .zh = "{field} 是 PyTorch 的旧名称，自 2.2 起弃用：TORCH_{field}"                                     \
    }                                                                                                                  \
  }

static const dtci_setting_rule rules[] = {
    PREFIX(HCA),
    FORM(HCA),
    FORM(IFNAME),
    BARE(HCA),
    BARE(IFNAME),
    {.row = {WHEN(PORT, HCA, DTCI_WHEN_HAS(K(HCA), DTCI_NCCL_PORT)), WARNING(RANGE),
             .en = "{field}: a port that is 0 or no number, which no device has",
             .zh = "{field}：端口为 0 或不是数字，没有设备有这样的端口"}},
    LONG(HCA),
    LONG(IFNAME),
    {.row = {WHEN(LOOPBACK, IFNAME, DTCI_WHEN_HAS(K(IFNAME), DTCI_NCCL_LOOPBACK), DTCI_WHEN_IS(K(SEVERAL), 1)),
             WARNING(CONFLICT), .en = "{field}: lo, docker and veth reach no other node",
             .zh = "{field}：lo、docker 与 veth 无法到达其他节点"}},
    {.row =
         {TOLD(LONGER), WARNING(CONFLICT),
          .en =
              "{field}: a name also stands for longer ones, {got} are selected; = before the list asks for whole names",
          .zh = "{field}：名称也匹配更长的名称，共选中 {got} 个；列表前加 = 才匹配全名"}},
    {.row = {TOLD(NO_DEVICE), WARNING(UNKNOWN),
             .en = "{field} selects no device of those in the text: NCCL falls back to sockets, without an error",
             .zh = "{field} 未选中文本中的任何设备：NCCL 会退回套接字，且不报错"}},
    {.row = {TOLD(NO_INTERFACE), ERROR(UNKNOWN), .en = "{field} selects no interface of those in the text: NCCL stops",
             .zh = "{field} 未选中文本中的任何接口：NCCL 会终止"}},
    {.row = {TOLD(SUBNET), WARNING(CONFLICT),
             .en =
                 "byte {offset}: an interface in the subnet of the one at byte {got}: the kernel, not NCCL, picks one",
             .zh = "第 {offset} 字节：与第 {got} 字节的接口同属一个子网：由内核而非 NCCL 选择出口"}},
    {.row = {WHEN(IB_OFF, IB_DISABLE, DTCI_WHEN_AT_LEAST(K(IB_DISABLE), 1), DTCI_WHEN_IS(K(SEVERAL), 1)),
             WARNING(CONFLICT), .en = "{field} = {got}: nodes talk over sockets, not InfiniBand or RoCE",
             .zh = "{field} = {got}：节点间经套接字通信，而非 InfiniBand 或 RoCE"}},
    P2P_OFF(P2P_DISABLE, 1, INT64_MAX),
    P2P_OFF(P2P_LEVEL, 0, 0),
    {.row = {.rule = DTC_RULE_NCCL_NET,
             ERROR(CONFLICT),
             .hook = DTCI_EXCLUDES,
             .fix = K(NET),
             .when = {DTCI_WHEN_IS(K(NET), 1), DTCI_WHEN_AT_LEAST(K(IB_DISABLE), 1)},
             .en = "no network is left, NCCL stops",
             .zh = "没有可用网络，NCCL 会终止"}},
    {.row = {WHEN(MASTER, MASTER, DTCI_WHEN_IS(K(MASTER), 1), DTCI_WHEN_AT_LEAST(K(NODES), 2)), WARNING(CONFLICT),
             .en = "{field} is this node's own address: other nodes do not reach it",
             .zh = "{field} 是本机地址：其他节点无法到达"}},
    CHOICE(ALGO),
    CHOICE(PROTO),
    {.since = 2024000,
     .more = {DTCI_WHEN_HAS_NOT(K(ALGO), DTCI_CHOICE_NOT), DTCI_WHEN_HAS_NOT(K(ALGO), DTCI_CHOICE_FUNCTION)},
     .row = {WHEN(RING, ALGO, DTCI_WHEN_HAS_NOT(K(ALGO), DTCI_CHOICE_RING),
                  DTCI_WHEN_HAS_NOT(K(ALGO), DTCI_CHOICE_UNKNOWN)),
             WARNING(CONFLICT),
             .en = "{field} is without ring: functions that the others cannot do fail, broadcast among them",
             .zh = "{field} 不含 ring：其他算法不支持的函数会失败，例如 broadcast"}},
    CHANNELS(MIN_NCHANNELS, MAX_NCHANNELS),
    CHANNELS(MIN_CTAS, MAX_CTAS),
    {.row = {WHEN(MISMATCH, MISMATCH, DTCI_WHEN_AT_LEAST(K(MISMATCH), 1)), WARNING(CONFLICT),
             .en = "{field} = {got}: nodes that see other networks hang instead of stopping",
             .zh = "{field} = {got}：网络不一致的节点会挂起而不是报错"}},
    OLD(OLD_ASYNC),
    OLD(OLD_BLOCKING),
    OLD(OLD_DESYNC),
    OLD(OLD_TIMING),
    OLD(OLD_NONBLOCKING),
    OLD(OLD_RECORD),
};

void dtci_lint_nccl(dtci_dialect *d)
{
  d->number = DTC_DIALECT_NCCL;
  d->form = DTCI_FORM_ENVIRONMENT;
  d->newest = 2030000;
  d->unknown = DTCI_UNKNOWN_WARNING;
  d->twice = DTC_SEVERITY_WARNING;
  memcpy(d->prefix, "NCCL_", sizeof "NCCL_");
  d->keys = keys;
  d->keys_count = sizeof keys / sizeof keys[0];
  d->words = words;
  d->words_count = sizeof words / sizeof words[0];
  d->steps = steps;
  d->steps_count = sizeof steps / sizeof steps[0];
  d->rules = rules;
  d->rules_count = sizeof rules / sizeof rules[0];
}

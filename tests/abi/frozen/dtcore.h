/* Release 1.0.0, as tests/abi/freeze.py wrote it down. Not to be edited: old programs do not change. */
#ifndef DTCORE_H
#define DTCORE_H
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#define DTC_VERSION_MAJOR 1
#define DTC_VERSION_MINOR 0
#define DTC_VERSION_PATCH 0
#define DTC_VERSION (DTC_VERSION_MAJOR * 1000000u + DTC_VERSION_MINOR * 1000u + DTC_VERSION_PATCH)
#define DTC_NONE UINT64_MAX
typedef int32_t dtc_status;
enum {
  DTC_OK = 0,
  DTC_E_SIZE = 1,
  DTC_E_NEWER = 2,
  DTC_E_RANGE = 3,
  DTC_E_DIVIDE = 4,
  DTC_E_OVERFLOW = 5,
  DTC_E_UNKNOWN = 6,
  DTC_E_PARSE = 7,
  DTC_E_SPACE = 8,
  DTC_E_CONFLICT = 9,
  DTC_E_UNSUPPORTED = 10,
};
typedef uint32_t dtc_bool;
enum {
  DTC_BOOL_DEFAULT = 0,
  DTC_BOOL_ON = 1,
  DTC_BOOL_OFF = 2,
};
typedef uint32_t dtc_lang;
enum {
  DTC_LANG_EN = 0,
  DTC_LANG_ZH = 1,
};
typedef uint32_t dtc_severity;
enum {
  DTC_SEVERITY_ERROR = 0,
  DTC_SEVERITY_WARNING = 1,
};
enum {
  DTC_STRUCT_arg = 0,
  DTC_STRUCT_error = 1,
  DTC_STRUCT_model = 2,
  DTC_STRUCT_params = 3,
  DTC_STRUCT_tensor = 4,
  DTC_STRUCT_cluster = 5,
  DTC_STRUCT_plan = 6,
  DTC_STRUCT_stage = 7,
  DTC_STRUCT_ledger_row = 8,
  DTC_STRUCT_model_states = 9,
  DTC_STRUCT_memory = 10,
  DTC_STRUCT_min_gpus = 11,
  DTC_STRUCT_layout = 12,
  DTC_STRUCT_axis = 13,
  DTC_STRUCT_group_kind = 14,
  DTC_STRUCT_group = 15,
  DTC_STRUCT_placement = 16,
  DTC_STRUCT_slurm = 17,
  DTC_STRUCT_task = 18,
  DTC_STRUCT_mpi = 19,
  DTC_STRUCT_shards = 20,
  DTC_STRUCT_shape = 21,
  DTC_STRUCT_slot = 22,
  DTC_STRUCT_shard_totals = 23,
  DTC_STRUCT_fragment = 24,
  DTC_STRUCT_batch = 25,
  DTC_STRUCT_slice = 26,
  DTC_STRUCT_module = 27,
  DTC_STRUCT_tracing = 28,
  DTC_STRUCT_trace = 29,
  DTC_STRUCT_chunks = 30,
  DTC_STRUCT_bucket = 31,
  DTC_STRUCT_message = 32,
  DTC_STRUCT_shard_bytes = 33,
  DTC_STRUCT_offload_bytes = 34,
  DTC_STRUCT_reshard = 35,
  DTC_STRUCT_reshard_item = 36,
  DTC_STRUCT_reshard_box = 37,
  DTC_STRUCT_reshard_sums = 38,
  DTC_STRUCT_checkpoint = 39,
  DTC_STRUCT_pipe = 40,
  DTC_STRUCT_pipe_op = 41,
  DTC_STRUCT_pipe_cost = 42,
  DTC_STRUCT_pipe_time = 43,
  DTC_STRUCT_pipe_rank = 44,
  DTC_STRUCT_pipe_totals = 45,
  DTC_STRUCT_pipe_held = 46,
  DTC_STRUCT_pipe_step = 47,
  DTC_STRUCT_pipe_split = 48,
  DTC_STRUCT_pipe_part = 49,
  DTC_STRUCT_pipe_item = 50,
  DTC_STRUCT_pipe_gain = 51,
  DTC_STRUCT_lint = 52,
  DTC_STRUCT_estimator_call = 53,
  DTC_STRUCT_estimator_result = 54,
  DTC_STRUCT_memory_held = 58,
  DTC_STRUCT_memory_term = 59,
  DTC_STRUCT_optimizer_spec = 56,
  DTC_STRUCT_optimizer_held = 57,
  DTC_STRUCT_nccl = 60,
  DTC_STRUCT_nccl_row = 61,
  DTC_STRUCT_nccl_choice = 62,
  DTC_STRUCT_nccl_range = 63,
  DTC_STRUCT_max_setting = 64,
  DTC_STRUCT_collective_call = 65,
  DTC_STRUCT_collective_time = 66,
  DTC_STRUCT_verdict = 67,
  DTC_STRUCT_timing = 68,
  DTC_STRUCT_collective_law = 69,
  DTC_STRUCT_traffic = 70,
  DTC_STRUCT_exchange = 71,
  DTC_STRUCT_moe_call = 72,
  DTC_STRUCT_moe_time = 73,
  DTC_STRUCT_memory_remedy = 74,
  DTC_STRUCT_step = 75,
  DTC_STRUCT_step_rate = 76,
  DTC_STRUCT_step_term = 77,
  DTC_STRUCT_step_params = 78,
  DTC_STRUCT_step_fitted = 79,
  DTC_STRUCT_run_call = 80,
  DTC_STRUCT_run = 81,
  DTC_STRUCT_step_sample = 82,
  DTC_STRUCT_space = 83,
  DTC_STRUCT_found = 84,
  DTC_STRUCT_search = 85,
  DTC_STRUCT_alloc = 86,
  DTC_STRUCT_candidate = 87,
  DTC_STRUCT_launch = 88,
  DTC_STRUCT_traits = 89,
  DTC_STRUCT_wishes = 90,
  DTC_STRUCT_advice = 91,
  DTC_STRUCT_setting = 254,
  DTC_STRUCT_hf = 255,
};
enum {
  DTC_ARG_INDEX = 1,
  DTC_ARG_NAME = 2,
  DTC_ARG_TEXT = 3,
  DTC_ARG_STAGES = 4,
  DTC_ARG_PARAMS = 5,
  DTC_ARG_SEQ = 6,
  DTC_ARG_CONVENTION = 7,
  DTC_ARG_OUT = 8,
  DTC_ARG_KIND = 9,
  DTC_ARG_RANK = 10,
  DTC_ARG_RANKS = 11,
  DTC_ARG_OFFSET = 12,
  DTC_ARG_COORD = 13,
  DTC_ARG_PART = 14,
  DTC_ARG_GROUP = 15,
  DTC_ARG_DOMAIN = 16,
  DTC_ARG_AXES = 17,
  DTC_ARG_LEAVES = 18,
  DTC_ARG_CPUS = 19,
  DTC_ARG_TASK_CPUS = 20,
  DTC_ARG_ORDER = 21,
  DTC_ARG_WORKERS = 22,
  DTC_ARG_HOSTS = 23,
  DTC_ARG_HOSTFILE = 24,
  DTC_ARG_SHAPES = 25,
  DTC_ARG_SLOTS = 26,
  DTC_ARG_SCRATCH = 27,
  DTC_ARG_TENSOR = 28,
  DTC_ARG_ELEMENT = 29,
  DTC_ARG_MODULES = 30,
  DTC_ARG_MICRO_BATCHES = 31,
  DTC_ARG_OFFLOAD = 32,
  DTC_ARG_TP = 33,
  DTC_ARG_SOURCE = 34,
  DTC_ARG_TARGET = 35,
  DTC_ARG_SOURCE_TP = 36,
  DTC_ARG_TARGET_TP = 37,
  DTC_ARG_FORM = 38,
  DTC_ARG_OPS = 39,
  DTC_ARG_COSTS = 40,
  DTC_ARG_TIMES = 41,
  DTC_ARG_LATENCY = 42,
  DTC_ARG_TRANSFER = 43,
  DTC_ARG_SENDS = 44,
  DTC_ARG_CHUNK = 45,
  DTC_ARG_LAYOUT = 46,
  DTC_ARG_WEIGHTS = 47,
  DTC_ARG_ITEMS = 48,
  DTC_ARG_LIMIT = 49,
  DTC_ARG_OP = 60,
  DTC_ARG_LAST = 61,
  DTC_ARG_BYTES = 71,
  DTC_ARG_FRACTION = 72,
  DTC_ARG_SECONDS = 73,
  DTC_ARG_POINTS = 74,
  DTC_ARG_MATRIX = 75,
  DTC_ARG_ALGORITHM = 76,
  DTC_ARG_ALPHA = 77,
  DTC_ARG_BETA = 78,
  DTC_ARG_GAMMA = 79,
  DTC_ARG_SAMPLES = 80,
  DTC_ARG_AXIS = 81,
  DTC_ARG_NUMBER = 82,
  DTC_ARG_FIRST = 83,
  DTC_ARG_STEP = 84,
  DTC_ARG_MOMENT = 85,
  DTC_ARG_MICRO_BATCH = 86,
  DTC_ARG_SCRIPT = 90,
  DTC_ARG_TOLD = 93,
  DTC_ARG_LANG = 94,
  DTC_ARG_BANDWIDTH = 95,
};
#define DTC_FIELD(noun, member) ((uint32_t)DTC_STRUCT_##noun << 16 | (uint32_t)offsetof(dtc_##noun, member))
typedef uint32_t dtc_rule;
enum {
  DTC_RULE_NONE = 0,
  DTC_RULE_STRUCT_SIZE = 1,
  DTC_RULE_STRUCT_NEWER = 2,
  DTC_RULE_RANGE = 3,
  DTC_RULE_OVERFLOW = 4,
  DTC_RULE_MODEL_NAME = 5,
  DTC_RULE_GPU_NAME = 6,
  DTC_RULE_CLUSTER_NAME = 7,
  DTC_RULE_JSON_SYNTAX = 8,
  DTC_RULE_JSON_TRUNCATED = 9,
  DTC_RULE_JSON_DEPTH = 10,
  DTC_RULE_JSON_DUPLICATE = 11,
  DTC_RULE_HF_TYPE = 12,
  DTC_RULE_HF_MISSING = 13,
  DTC_RULE_HF_VALUE = 14,
  DTC_RULE_HF_CONFLICT = 15,
  DTC_RULE_PLAN_WORD = 16,
  DTC_RULE_PLAN_VALUE = 17,
  DTC_RULE_PLAN_TWICE = 18,
  DTC_RULE_SPACE = 19,
  DTC_RULE_INDEX = 20,
  DTC_RULE_STAGE_SUM = 21,
  DTC_RULE_LAYER_KIND = 22,
  DTC_RULE_SIZE_ONLY = 23,
  DTC_RULE_ARCH_FEATURE = 24,
  DTC_RULE_MODEL_NEEDS = 25,
  DTC_RULE_MODEL_DIVIDES = 26,
  DTC_RULE_MESH_TILES = 27,
  DTC_RULE_ORDER_AXIS = 28,
  DTC_RULE_ORDER_TWICE = 29,
  DTC_RULE_ORDER_MISSING = 30,
  DTC_RULE_KIND_CHUNK = 31,
  DTC_RULE_KIND_EVEN = 32,
  DTC_RULE_RANKS_TWICE = 33,
  DTC_RULE_RANKS_LISTED = 34,
  DTC_RULE_ELEMENT = 40,
  DTC_RULE_LENGTH = 41,
  DTC_RULE_LENGTH_OR_ONE = 42,
  DTC_RULE_SUM = 43,
  DTC_RULE_FIELD_NEEDS = 44,
  DTC_RULE_SLURM_PRODUCT = 45,
  DTC_RULE_SLURM_NODE = 46,
  DTC_RULE_MPI_SLOTS = 47,
  DTC_RULE_MPI_PPR = 48,
  DTC_RULE_MPI_PPR_SLOTS = 49,
  DTC_RULE_MPI_PE = 50,
  DTC_RULE_MPI_NUMA = 51,
  DTC_RULE_HOST_LINE = 52,
  DTC_RULE_HOST_SLOTS = 53,
  DTC_RULE_HOST_TWICE = 54,
  DTC_RULE_HOST_NONE = 55,
  DTC_RULE_SCRATCH = 60,
  DTC_RULE_SLOTS = 61,
  DTC_RULE_SHARD_SETTING = 62,
  DTC_RULE_SHARD_SCHEME = 65,
  DTC_RULE_CHUNK_SEARCH = 70,
  DTC_RULE_RESHARD_FORM = 75,
  DTC_RULE_RESHARD_WORLD = 76,
  DTC_RULE_RESHARD_STAGE3 = 77,
  DTC_RULE_RESHARD_BUCKET = 78,
  DTC_RULE_RESHARD_EMPTY = 79,
  DTC_RULE_RESHARD_ORDER = 80,
  DTC_RULE_RESHARD_CUT = 81,
  DTC_RULE_RESHARD_STEPS = 82,
  DTC_RULE_SHARD_REDUCE = 85,
  DTC_RULE_SHARD_WHOLE = 86,
  DTC_RULE_SHARD_LIVE = 87,
  DTC_RULE_SHARD_ROWS = 88,
  DTC_RULE_SHARD_PADDING = 89,
  DTC_RULE_SHARD_GATHER = 90,
  DTC_RULE_SHARD_LARGE = 91,
  DTC_RULE_SHARD_DEFAULT = 92,
  DTC_RULE_SHARD_IDLE = 93,
  DTC_RULE_SHARD_PARTS = 94,
  DTC_RULE_MODEL_LAYERS = 95,
  DTC_RULE_OPT_LIBRARY = 750,
  DTC_RULE_OPT_SETTING = 751,
  DTC_RULE_OPT_SHAPE = 752,
  DTC_RULE_REMEDY = 760,
};
typedef struct dtc_error {
  uint32_t struct_size;
  dtc_status status;
  dtc_severity severity;
  dtc_rule rule;
  uint32_t field;
  uint32_t other;
  uint64_t got;
  uint64_t other_got;
  uint64_t min;
  uint64_t max;
  uint64_t lower;
  uint64_t upper;
  uint64_t offset;
} dtc_error;
#define DTC_INIT(p) (memset((p), 0, sizeof *(p)), (p)->struct_size = (uint32_t)sizeof *(p))
uint32_t dtc_version(void);
const char *dtc_version_string(void);
uint32_t dtc_struct_size(uint32_t number);
const char *dtc_field_name(uint32_t field);
const char *dtc_value_name(uint32_t field, uint64_t value);
size_t dtc_error_format(const dtc_error *err, dtc_lang lang, char *buf, size_t cap);
typedef uint32_t dtc_arch;
enum {
  DTC_ARCH_DEFAULT = 0,
  DTC_ARCH_MEGATRON = 1,
  DTC_ARCH_GPT2 = 2,
  DTC_ARCH_OPT = 3,
  DTC_ARCH_BLOOM = 4,
  DTC_ARCH_GPT_NEOX = 5,
  DTC_ARCH_FALCON = 6,
  DTC_ARCH_PHI = 7,
  DTC_ARCH_PHI3 = 8,
  DTC_ARCH_LLAMA = 9,
  DTC_ARCH_QWEN2 = 10,
  DTC_ARCH_QWEN3 = 11,
  DTC_ARCH_GEMMA = 12,
  DTC_ARCH_GEMMA2 = 13,
  DTC_ARCH_GEMMA3 = 14,
  DTC_ARCH_MIXTRAL = 15,
  DTC_ARCH_QWEN2_MOE = 16,
  DTC_ARCH_QWEN3_MOE = 17,
  DTC_ARCH_DEEPSEEK_V2 = 18,
  DTC_ARCH_DEEPSEEK_V3 = 19,
  DTC_ARCH_GPT_OSS = 20,
  DTC_ARCH_BERT = 21,
};
typedef uint32_t dtc_norm;
enum {
  DTC_NORM_DEFAULT = 0,
  DTC_NORM_RMSNORM = 1,
  DTC_NORM_LAYERNORM = 2,
};
typedef uint32_t dtc_position;
enum {
  DTC_POSITION_DEFAULT = 0,
  DTC_POSITION_ROPE = 1,
  DTC_POSITION_LEARNED = 2,
  DTC_POSITION_ALIBI = 3,
  DTC_POSITION_NOPE = 4,
};
typedef struct dtc_model {
  uint32_t struct_size;
  dtc_arch arch;
  uint64_t layers;
  uint64_t hidden;
  uint64_t heads;
  uint64_t kv_heads;
  uint64_t head_dim;
  uint64_t ffn;
  uint64_t vocab;
  uint64_t context;
  dtc_norm norm;
  dtc_position position;
  dtc_bool tied;
  dtc_bool gated;
  dtc_bool qkv_bias;
  dtc_bool out_bias;
  dtc_bool mlp_bias;
  dtc_bool head_bias;
  dtc_bool qk_norm;
  dtc_bool embed_norm;
  uint64_t norms;
  uint64_t window;
  uint64_t window_every;
  uint64_t experts;
  uint64_t top_k;
  uint64_t moe_ffn;
  uint64_t shared_ffn;
  uint64_t dense_layers;
  uint64_t moe_every;
  uint64_t moe_offset;
  dtc_bool shared_gate;
  dtc_bool router_bias;
  uint64_t q_rank;
  uint64_t kv_rank;
  uint64_t qk_nope_dim;
  uint64_t qk_rope_dim;
  uint64_t v_dim;
  uint64_t mtp_layers;
  uint64_t encoder_layers;
  uint64_t mamba_layers;
  uint64_t mlp_layers;
  uint64_t mamba_inner;
  uint64_t mamba_heads;
  uint64_t mamba_groups;
  uint64_t mamba_state;
} dtc_model;
typedef struct dtc_params {
  uint32_t struct_size;
  uint32_t pad;
  uint64_t total;
  uint64_t active;
  uint64_t embedding;
  uint64_t head;
  uint64_t final_norm;
  uint64_t dense_layer;
  uint64_t moe_layer;
  uint64_t attention;
  uint64_t mlp;
  uint64_t expert;
  uint64_t shared;
  uint64_t router;
  uint64_t norms;
  uint64_t dense_count;
  uint64_t moe_count;
  uint64_t mtp;
  uint64_t cross;
  uint64_t encoder_layer;
  uint64_t encoder_count;
  uint64_t mamba_layer;
  uint64_t mamba_count;
  uint64_t attention_layer;
  uint64_t attention_count;
  uint64_t mlp_layer;
  uint64_t mlp_count;
} dtc_params;
typedef uint32_t dtc_tensor_kind;
enum {
  DTC_TENSOR_KIND_NONE = 0,
  DTC_TENSOR_KIND_EMBEDDING = 1,
  DTC_TENSOR_KIND_ATTENTION = 2,
  DTC_TENSOR_KIND_MLP = 3,
  DTC_TENSOR_KIND_NORM = 4,
  DTC_TENSOR_KIND_ROUTER = 5,
  DTC_TENSOR_KIND_EXPERT = 6,
  DTC_TENSOR_KIND_SHARED = 7,
  DTC_TENSOR_KIND_FINAL_NORM = 8,
  DTC_TENSOR_KIND_HEAD = 9,
  DTC_TENSOR_KIND_CROSS = 10,
  DTC_TENSOR_KIND_MAMBA = 11,
};
typedef struct dtc_tensor {
  uint32_t struct_size;
  dtc_tensor_kind kind;
  uint64_t dims;
  uint64_t dim0;
  uint64_t dim1;
  uint64_t dim2;
  uint64_t numel;
  uint64_t layer;
  uint64_t expert;
} dtc_tensor;
typedef uint32_t dtc_flops_convention;
enum {
  DTC_FLOPS_DEFAULT = 0,
  DTC_FLOPS_MEGATRON = 1,
  DTC_FLOPS_MEGATRON_FULL = 2,
  DTC_FLOPS_MEGATRON_HFU = 3,
  DTC_FLOPS_PALM = 4,
  DTC_FLOPS_PALM_HFU = 5,
  DTC_FLOPS_TORCHTITAN = 6,
  DTC_FLOPS_SIX_N = 7,
  DTC_FLOPS_NARAYANAN_HFU = 8,
  DTC_FLOPS_KORTHIKANTI = 9,
  DTC_FLOPS_KORTHIKANTI_HFU = 10,
  DTC_FLOPS_BIGSCIENCE_HFU = 11,
  DTC_FLOPS_BRIDGE = 12,
  DTC_FLOPS_BRIDGE_PLAIN = 13,
  DTC_FLOPS_FOUR_N = 14,
};
size_t dtc_model_count(void);
const char *dtc_model_name(size_t index);
const char *dtc_model_source(size_t index);
dtc_status dtc_model_find(const char *name, dtc_model *out, dtc_error *err);
dtc_status dtc_model_from_hf(const char *json, size_t len, dtc_model *out, dtc_error *err);
dtc_status dtc_model_resolve(const dtc_model *model, dtc_model *out, dtc_error *err);
dtc_status dtc_model_params(const dtc_model *model, dtc_params *out, dtc_error *err);
dtc_status dtc_model_tensor_count(const dtc_model *model, uint64_t *count, dtc_error *err);
dtc_status dtc_model_tensor(const dtc_model *model, uint64_t index, dtc_tensor *out,
                                                  dtc_error *err);
dtc_status dtc_model_tensor_name(const dtc_model *model, uint64_t index, char *buf, size_t cap,
                                                       size_t *len, dtc_error *err);
dtc_status dtc_model_flops(const dtc_model *model, uint64_t seq, dtc_flops_convention convention,
                                                 double *flops, dtc_error *err);
typedef uint32_t dtc_vendor;
enum {
  DTC_VENDOR_DEFAULT = 0,
  DTC_VENDOR_NVIDIA = 1,
  DTC_VENDOR_AMD = 2,
  DTC_VENDOR_HUAWEI = 3,
  DTC_VENDOR_INTEL = 4,
};
typedef uint32_t dtc_fabric;
enum {
  DTC_FABRIC_DEFAULT = 0,
  DTC_FABRIC_RDMA = 1,
  DTC_FABRIC_EFA = 2,
  DTC_FABRIC_EFA_V1 = 3,
  DTC_FABRIC_TCPXO = 4,
  DTC_FABRIC_TCPX = 5,
  DTC_FABRIC_GCP_ROCE = 6,
  DTC_FABRIC_SLINGSHOT = 7,
  DTC_FABRIC_POLLARA = 8,
  DTC_FABRIC_TCP = 9,
};
typedef struct dtc_cluster {
  uint32_t struct_size;
  dtc_vendor vendor;
  uint32_t compute;
  uint32_t nvlink_domain;
  uint64_t memory;
  uint64_t usable;
  double fp32;
  double tf32;
  double fp16;
  double bf16;
  double fp8;
  double fp4;
  double int8;
  double hbm_bandwidth;
  double nvlink_bandwidth;
  double pcie_bandwidth;
  double nic_bandwidth;
  uint64_t nics_per_node;
  uint64_t gpus_per_node;
  uint64_t nodes;
  uint64_t host_memory;
  dtc_fabric fabric;
  uint32_t sms;
  double power;
  double node_power;
  double host_bandwidth;
  double nvme_bandwidth;
  double storage_bandwidth;
  double mtbf;
  double price;
} dtc_cluster;
size_t dtc_gpu_count(void);
const char *dtc_gpu_name(size_t index);
const char *dtc_gpu_source(size_t index);
dtc_status dtc_gpu_find(const char *name, dtc_cluster *out, dtc_error *err);
size_t dtc_cluster_count(void);
const char *dtc_cluster_name(size_t index);
const char *dtc_cluster_source(size_t index);
dtc_status dtc_cluster_find(const char *name, dtc_cluster *out, dtc_error *err);
dtc_status dtc_cluster_resolve(const dtc_cluster *cluster, dtc_cluster *out, dtc_error *err);
typedef uint32_t dtc_framework;
enum {
  DTC_FRAMEWORK_DEFAULT = 0,
  DTC_FRAMEWORK_PYTORCH = 1,
  DTC_FRAMEWORK_DEEPSPEED = 2,
  DTC_FRAMEWORK_MEGATRON = 3,
  DTC_FRAMEWORK_COLOSSALAI = 4,
  DTC_FRAMEWORK_TORCHTITAN = 5,
  DTC_FRAMEWORK_SCALING = 6,
};
typedef uint32_t dtc_release;
#define DTC_MAIN UINT32_MAX
typedef uint32_t dtc_sharding;
enum {
  DTC_SHARDING_DEFAULT = 0,
  DTC_SHARDING_DDP = 1,
  DTC_SHARDING_ZERO1 = 2,
  DTC_SHARDING_ZERO2 = 3,
  DTC_SHARDING_ZERO3 = 4,
  DTC_SHARDING_FSDP = 5,
  DTC_SHARDING_HSDP = 6,
  DTC_SHARDING_DISTOPT = 7,
};
typedef uint32_t dtc_schedule;
enum {
  DTC_SCHEDULE_DEFAULT = 0,
  DTC_SCHEDULE_GPIPE = 1,
  DTC_SCHEDULE_1F1B = 2,
  DTC_SCHEDULE_INTERLEAVED = 3,
  DTC_SCHEDULE_VPP = 4,
  DTC_SCHEDULE_LOOPED_BFS = 5,
  DTC_SCHEDULE_GROUP_INTERLEAVED = 6,
  DTC_SCHEDULE_ZBV = 7,
  DTC_SCHEDULE_V_HALF = 8,
  DTC_SCHEDULE_V_MIN = 9,
  DTC_SCHEDULE_1F1B_V = 10,
  DTC_SCHEDULE_DUALPIPE_V = 11,
  DTC_SCHEDULE_DUALPIPE = 12,
  DTC_SCHEDULE_INTERLEAVED_ZB = 13,
  DTC_SCHEDULE_ZB_H1 = 14,
  DTC_SCHEDULE_ZB_H2 = 15,
};
typedef uint32_t dtc_recompute;
enum {
  DTC_RECOMPUTE_DEFAULT = 0,
  DTC_RECOMPUTE_NONE = 1,
  DTC_RECOMPUTE_SELECTIVE = 2,
  DTC_RECOMPUTE_FULL = 3,
};
typedef uint32_t dtc_recompute_method;
enum {
  DTC_RECOMPUTE_METHOD_DEFAULT = 0,
  DTC_RECOMPUTE_METHOD_UNIFORM = 1,
  DTC_RECOMPUTE_METHOD_BLOCK = 2,
  DTC_RECOMPUTE_METHOD_EVERY = 3,
};
typedef uint32_t dtc_attention;
enum {
  DTC_ATTENTION_DEFAULT = 0,
  DTC_ATTENTION_FLASH = 1,
  DTC_ATTENTION_EAGER = 2,
  DTC_ATTENTION_CUDNN = 3,
  DTC_ATTENTION_MATH = 4,
};
typedef uint32_t dtc_precision;
enum {
  DTC_PRECISION_DEFAULT = 0,
  DTC_PRECISION_BF16 = 1,
  DTC_PRECISION_FP16 = 2,
  DTC_PRECISION_FP32 = 3,
  DTC_PRECISION_PURE_BF16 = 4,
  DTC_PRECISION_FP8 = 5,
  DTC_PRECISION_FP4 = 6,
};
typedef uint32_t dtc_fp8_recipe;
enum {
  DTC_FP8_RECIPE_DEFAULT = 0,
  DTC_FP8_RECIPE_TENSOR = 1,
  DTC_FP8_RECIPE_ROW = 2,
  DTC_FP8_RECIPE_BLOCK = 3,
  DTC_FP8_RECIPE_MX = 4,
};
typedef uint32_t dtc_cuda_graph;
enum {
  DTC_CUDA_GRAPH_DEFAULT = 0,
  DTC_CUDA_GRAPH_NONE = 1,
  DTC_CUDA_GRAPH_PARTIAL = 2,
  DTC_CUDA_GRAPH_FULL = 3,
};
typedef uint32_t dtc_grad_dtype;
enum {
  DTC_GRAD_DTYPE_DEFAULT = 0,
  DTC_GRAD_DTYPE_FP32 = 1,
  DTC_GRAD_DTYPE_16BIT = 2,
};
typedef uint32_t dtc_optimizer;
enum {
  DTC_OPTIMIZER_DEFAULT = 0,
  DTC_OPTIMIZER_ADAM = 1,
  DTC_OPTIMIZER_SGD = 2,
  DTC_OPTIMIZER_MOMENTUM = 3,
  DTC_OPTIMIZER_LION = 4,
  DTC_OPTIMIZER_ADAM8 = 5,
  DTC_OPTIMIZER_ADAFACTOR = 6,
  DTC_OPTIMIZER_MUON = 7,
  DTC_OPTIMIZER_ADAMAX = 8,
  DTC_OPTIMIZER_NADAM = 9,
  DTC_OPTIMIZER_RADAM = 10,
  DTC_OPTIMIZER_ADAGRAD = 11,
  DTC_OPTIMIZER_ADADELTA = 12,
  DTC_OPTIMIZER_RMSPROP = 13,
  DTC_OPTIMIZER_RPROP = 14,
  DTC_OPTIMIZER_ASGD = 15,
  DTC_OPTIMIZER_LAMB = 16,
  DTC_OPTIMIZER_LARS = 17,
  DTC_OPTIMIZER_ADEMAMIX = 18,
};
typedef uint32_t dtc_optimizer_kernel;
enum {
  DTC_OPTIMIZER_KERNEL_DEFAULT = 0,
  DTC_OPTIMIZER_KERNEL_FUSED = 1,
  DTC_OPTIMIZER_KERNEL_FOREACH = 2,
  DTC_OPTIMIZER_KERNEL_LOOP = 3,
};
typedef uint32_t dtc_loss;
enum {
  DTC_LOSS_DEFAULT = 0,
  DTC_LOSS_UPCAST = 1,
  DTC_LOSS_SAME = 2,
  DTC_LOSS_FUSED = 3,
  DTC_LOSS_TE = 4,
  DTC_LOSS_COMPILED = 5,
};
typedef uint32_t dtc_dispatcher;
enum {
  DTC_DISPATCHER_DEFAULT = 0,
  DTC_DISPATCHER_ALLGATHER = 1,
  DTC_DISPATCHER_ALLTOALL = 2,
  DTC_DISPATCHER_FLEX = 3,
};
typedef uint32_t dtc_offload;
enum {
  DTC_OFFLOAD_DEFAULT = 0,
  DTC_OFFLOAD_OPTIMIZER = 1,
  DTC_OFFLOAD_PARAMS = 2,
  DTC_OFFLOAD_NVME = 3,
};
typedef uint32_t dtc_tuning;
enum {
  DTC_TUNING_DEFAULT = 0,
  DTC_TUNING_FULL = 1,
  DTC_TUNING_LORA = 2,
  DTC_TUNING_QLORA = 3,
};
typedef uint32_t dtc_lora_targets;
enum {
  DTC_LORA_TARGETS_DEFAULT = 0,
  DTC_LORA_TARGETS_QV = 1,
  DTC_LORA_TARGETS_ATTENTION = 2,
  DTC_LORA_TARGETS_MLP = 3,
  DTC_LORA_TARGETS_ALL = 4,
};
typedef struct dtc_plan {
  uint32_t struct_size;
  dtc_framework framework;
  dtc_release framework_version;
  dtc_sharding sharding;
  uint64_t tp;
  uint64_t cp;
  uint64_t pp;
  uint64_t vpp;
  uint64_t dp;
  uint64_t dp_shard;
  uint64_t ep;
  uint64_t etp;
  dtc_bool
      sequence_parallel;
  dtc_schedule schedule;
  uint64_t micro_batch;
  uint64_t global_batch;
  uint64_t accumulation;
  uint64_t seq;
  dtc_recompute recompute;
  dtc_attention attention;
  dtc_precision precision;
  dtc_grad_dtype grad_dtype;
  dtc_optimizer optimizer;
  dtc_bool dropout;
  uint64_t vocab_multiple;
  dtc_bool account_embedding;
  dtc_bool account_loss;
  dtc_bool p2p_overlap;
  dtc_bool moe_overlap;
  uint64_t first_layers;
  uint64_t last_layers;
  uint64_t group;
  dtc_recompute_method recompute_method;
  dtc_bool recompute_core_attn;
  dtc_bool recompute_mlp;
  dtc_bool recompute_layernorm;
  dtc_bool recompute_moe_act;
  dtc_bool recompute_mla_up_proj;
  dtc_bool recompute_moe;
  dtc_bool recompute_shared_experts;
  uint64_t recompute_layers;
  dtc_loss loss;
  dtc_optimizer_kernel optimizer_kernel;
  uint64_t loss_chunks;
  dtc_dispatcher dispatcher;
  dtc_bool grouped_gemm;
  uint64_t capacity_percent;
  uint64_t load_percent;
  dtc_bool transformer_engine;
  dtc_bool grad_fusion;
  dtc_bool attention_mask;
  dtc_bool defer_wgrad;
  dtc_bool fp8_params;
  dtc_bool reshard;
  dtc_bool bucket_view;
  dtc_bool vocab_parallel;
  dtc_bool fused_norm;
  dtc_bool compile;
  dtc_offload offload;
  dtc_bool offload_activations;
  uint64_t bucket;
  uint64_t live;
  uint64_t persistence;
  dtc_tuning tuning;
  dtc_lora_targets lora_targets;
  uint64_t lora_rank;
  uint64_t frozen_layers;
  dtc_bool frozen_embedding;
  dtc_bool double_quant;
  uint32_t quant_inputs;
  dtc_bool step_in_backward;
  dtc_bool attention_dropout;
  dtc_bool softmax_fp32;
  dtc_bool router_fp32;
  dtc_bool activation_fusion;
  dtc_bool recompute_distributed;
  dtc_bool whole_tensors;
  uint64_t cublas_workspace;
  uint64_t encoder_seq;
  uint32_t flash_version;
  dtc_bool tp_overlap;
  dtc_bool grad_overlap;
  dtc_bool param_overlap;
  dtc_cuda_graph cuda_graph;
  dtc_fp8_recipe fp8_recipe;
  uint64_t packed;
} dtc_plan;
typedef struct dtc_stage {
  uint32_t struct_size;
  uint32_t embedding;
  uint32_t head;
  uint32_t pad;
  uint64_t layers;
  uint64_t moe_layers;
  uint64_t mtp_layers;
  uint64_t mamba_layers;
  uint64_t mlp_layers;
  uint64_t encoder_layers;
} dtc_stage;
enum {
  DTC_RULE_TP_HEADS = 100,
  DTC_RULE_TP_KV_HEADS = 101,
  DTC_RULE_TP_FFN = 102,
  DTC_RULE_TP_SHARED_FFN = 103,
  DTC_RULE_ETP_MOE_FFN = 104,
  DTC_RULE_EP_EXPERTS = 105,
  DTC_RULE_EP_NEEDS_EXPERTS = 106,
  DTC_RULE_EP_WORLD = 107,
  DTC_RULE_PP_LAYERS = 108,
  DTC_RULE_VPP_LAYERS = 109,
  DTC_RULE_VPP_NEEDS_PP = 110,
  DTC_RULE_VPP_BATCH = 111,
  DTC_RULE_CP_SEQ = 112,
  DTC_RULE_SP_SEQ = 113,
  DTC_RULE_SP_NEEDS_TP = 114,
  DTC_RULE_DP_SHARD = 115,
  DTC_RULE_BATCH = 116,
  DTC_RULE_BATCH_PRODUCT = 117,
  DTC_RULE_WORLD = 118,
  DTC_RULE_WORLD_SIZE = 119,
  DTC_RULE_SEQ_CONTEXT = 120,
  DTC_RULE_TP_DOMAIN = 121,
  DTC_RULE_DISTOPT = 122,
  DTC_RULE_VPP_SCHEDULE = 123,
  DTC_RULE_INTERLEAVED_VPP = 124,
  DTC_RULE_MEGATRON_PP_LAYERS = 125,
  DTC_RULE_MEGATRON_ZERO = 126,
  DTC_RULE_MEGATRON_HSDP = 127,
  DTC_RULE_TORCHTITAN_ZERO = 128,
  DTC_RULE_PYTORCH_ZERO = 129,
  DTC_RULE_DEEPSPEED_FSDP = 130,
  DTC_RULE_COLOSSALAI_HSDP = 131,
  DTC_RULE_PYTORCH_PP = 132,
  DTC_RULE_PYTORCH_EP = 133,
  DTC_RULE_DEEPSPEED_VPP = 134,
  DTC_RULE_DEEPSPEED_PP_ZERO = 135,
  DTC_RULE_SELECTIVE = 136,
  DTC_RULE_MEGATRON_FSDP = 137,
  DTC_RULE_TP_CP_DOMAIN = 138,
  DTC_RULE_EP_DOMAIN = 139,
  DTC_RULE_WORLD_DIVIDES = 140,
  DTC_RULE_FIRST_LAYERS = 141,
  DTC_RULE_LAST_LAYERS = 142,
  DTC_RULE_ACCOUNT_EMBEDDING = 143,
  DTC_RULE_ACCOUNT_LOSS = 144,
  DTC_RULE_GROUP = 145,
  DTC_RULE_P2P_OVERLAP = 146,
  DTC_RULE_MOE_OVERLAP = 147,
  DTC_RULE_V_CHUNKS = 148,
  DTC_RULE_DUALPIPE_RANKS = 149,
  DTC_RULE_DUALPIPE_EVEN = 150,
  DTC_RULE_DUALPIPE_BATCH = 151,
  DTC_RULE_TORCH_ROUNDS = 152,
  DTC_RULE_TORCH_1F1B = 153,
  DTC_RULE_MEGATRON_SCHEDULE = 154,
  DTC_RULE_DEEPSPEED_SCHEDULE = 155,
  DTC_RULE_COLOSSALAI_SCHEDULE = 156,
  DTC_RULE_TORCH_SCHEDULE = 157,
  DTC_RULE_CHUNK_LAYERS = 158,
  DTC_RULE_MEGATRON_DROPPED = 159,
  DTC_RULE_MEGATRON_ENDS = 160,
  DTC_RULE_MEGATRON_MIDDLE = 161,
  DTC_RULE_MEGATRON_FIRST_CHUNKS = 162,
  DTC_RULE_MEGATRON_LAST_CHUNKS = 163,
  DTC_RULE_MEGATRON_MIDDLE_CHUNKS = 164,
  DTC_RULE_MEGATRON_TWO_ENDS = 165,
  DTC_RULE_MEGATRON_ENDS_EMBEDDING = 166,
  DTC_RULE_MEGATRON_ENDS_LOSS = 167,
  DTC_RULE_MEGATRON_ENDS_V = 168,
  DTC_RULE_MEGATRON_ENDS_VERSION = 169,
  DTC_RULE_MEGATRON_ENDS_VPP = 170,
  DTC_RULE_MEGATRON_ACCOUNT_VERSION = 171,
  DTC_RULE_MEGATRON_GROUP_LEAST = 172,
  DTC_RULE_MEGATRON_GROUP_MOST = 173,
  DTC_RULE_MEGATRON_P2P_RANKS = 174,
  DTC_RULE_MEGATRON_P2P_UNUSED = 175,
  DTC_RULE_MOE_OVERLAP_EP = 176,
  DTC_RULE_MOE_OVERLAP_VPP = 177,
  DTC_RULE_MOE_OVERLAP_RECOMPUTE = 178,
  DTC_RULE_MOE_OVERLAP_PRECISION = 179,
  DTC_RULE_MEGATRON_EP_DP = 180,
  DTC_RULE_MEGATRON_EP_CP = 181,
  DTC_RULE_MEGATRON_ETP = 182,
  DTC_RULE_DEEPSPEED_MOE_ZERO3 = 183,
  DTC_RULE_DEEPSPEED_ZERO3_TP = 184,
  DTC_RULE_DEEPSPEED_ZERO3_CP = 185,
  DTC_RULE_DEEPSPEED_ZERO3_ETP = 186,
  DTC_RULE_ULYSSES_HEADS = 187,
  DTC_RULE_ULYSSES_SEQ = 188,
  DTC_RULE_TORCHTITAN_EP_SHARD = 189,
  DTC_RULE_TORCHTITAN_ZB = 190,
  DTC_RULE_COLOSSALAI_EP_DP = 191,
  DTC_RULE_COLOSSALAI_PP_ZERO = 192,
  DTC_RULE_COLOSSALAI_SP = 193,
  DTC_RULE_COLOSSALAI_WORLD = 194,
  DTC_RULE_COLOSSALAI_IDLE = 195,
  DTC_RULE_PYTORCH_TP_REPLICAS = 196,
  DTC_RULE_PYTORCH_CP_REPLICAS = 197,
  DTC_RULE_COLOSSALAI_SIZE = 198,
  DTC_RULE_MEGATRON_GROUP_UNUSED = 199,
  DTC_RULE_ENCODER_PP = 250,
  DTC_RULE_ENCODER_SEQ = 251,
  DTC_RULE_ENCODER_CONTEXT = 252,
  DTC_RULE_MAMBA_TP_GROUPS = 253,
  DTC_RULE_MAMBA_RANK_HEADS = 254,
  DTC_RULE_TRANSFORMER_ENGINE = 800,
  DTC_RULE_GRAD_FUSION = 801,
  DTC_RULE_ATTENTION_MASK = 802,
  DTC_RULE_DEFER_WGRAD = 803,
  DTC_RULE_SOFTMAX_FP32 = 804,
  DTC_RULE_ROUTER_FP32 = 805,
  DTC_RULE_RECOMPUTE_DISTRIBUTED = 806,
  DTC_RULE_WHOLE_TENSORS = 807,
  DTC_RULE_DISPATCHER = 808,
  DTC_RULE_CAPACITY = 809,
  DTC_RULE_CAPACITY_EXPERTS = 810,
  DTC_RULE_LOAD_EXPERTS = 811,
  DTC_RULE_LOAD_CAPACITY = 812,
  DTC_RULE_WHOLE_MUON = 813,
  DTC_RULE_RECOMPUTE_BLOCK = 814,
  DTC_RULE_FP8_PARAMS = 815,
  DTC_RULE_DEFER_PP = 816,
  DTC_RULE_SOFTMAX_MATH = 817,
  DTC_RULE_OFFLOAD_FRAMEWORK = 820,
  DTC_RULE_OFFLOAD_ZERO = 821,
  DTC_RULE_OFFLOAD_PARAMS = 822,
  DTC_RULE_COLOSSALAI_NVME = 823,
  DTC_RULE_OFFLOAD_CHECKPOINTS = 824,
  DTC_RULE_ZERO3_LIVE = 825,
  DTC_RULE_ZERO3_PERSISTENCE = 826,
  DTC_RULE_SCALING_SHARDING = 827,
  DTC_RULE_SCALING_SCHEDULE = 828,
  DTC_RULE_SCALING_EXPERTS = 829,
  DTC_RULE_SCALING_CP = 830,
  DTC_RULE_FROZEN_LAYERS = 840,
  DTC_RULE_LORA_RANK = 841,
  DTC_RULE_LORA_TARGETS = 842,
  DTC_RULE_DOUBLE_QUANT = 843,
  DTC_RULE_QUANT_INPUTS = 844,
  DTC_RULE_STEP_IN_BACKWARD = 845,
  DTC_RULE_TUNING_FRAMEWORK = 846,
  DTC_RULE_TUNING_DEGREE = 847,
  DTC_RULE_TUNING_SHARDED = 848,
  DTC_RULE_TUNING_MODEL = 849,
  DTC_RULE_OFFLOAD_ACTIVATIONS = 850,
  DTC_RULE_TP_OVERLAP_TP = 900,
  DTC_RULE_TP_OVERLAP_SP = 901,
  DTC_RULE_TP_OVERLAP_COMPILE = 902,
  DTC_RULE_PARAM_OVERLAP = 903,
  DTC_RULE_PARAM_OVERLAP_SHARDING = 904,
  DTC_RULE_PARAM_OVERLAP_GRAD = 905,
  DTC_RULE_CUDA_GRAPH = 906,
  DTC_RULE_FP8_RECIPE = 907,
  DTC_RULE_FP8_COMPUTE = 908,
  DTC_RULE_FP8_RECIPE_COMPUTE = 909,
  DTC_RULE_FP4_COMPUTE = 910,
  DTC_RULE_PACKED = 911,
  DTC_RULE_FLASH_VERSION = 912,
};
dtc_status dtc_plan_resolve(const dtc_model *model, const dtc_cluster *cluster,
                                                  const dtc_plan *plan, dtc_plan *out, dtc_error *err);
dtc_status dtc_plan_check(const dtc_model *model, const dtc_cluster *cluster,
                                                const dtc_plan *plan, dtc_error *findings, size_t cap, size_t *count,
                                                dtc_error *err);
dtc_status dtc_plan_parse(const char *text, size_t len, dtc_model *model, dtc_plan *plan,
                                                dtc_error *err);
dtc_status dtc_plan_format(const char *model_name, const dtc_plan *plan, char *buf, size_t cap,
                                                 size_t *len, dtc_error *err);
dtc_status dtc_plan_stage(const dtc_model *model, const dtc_plan *plan, uint64_t index,
                                                dtc_stage *out, dtc_error *err);
typedef uint32_t dtc_collective;
enum {
  DTC_COLLECTIVE_NONE = 0,
  DTC_COLLECTIVE_ALL_REDUCE = 1,
  DTC_COLLECTIVE_REDUCE_SCATTER = 2,
  DTC_COLLECTIVE_ALL_GATHER = 3,
  DTC_COLLECTIVE_REDUCE = 4,
  DTC_COLLECTIVE_BROADCAST = 5,
  DTC_COLLECTIVE_ALL_TO_ALL = 6,
  DTC_COLLECTIVE_SEND_RECV = 7,
  DTC_COLLECTIVE_GATHER = 8,
  DTC_COLLECTIVE_SCATTER = 9,
  DTC_COLLECTIVE_BARRIER = 10,
};
typedef uint32_t dtc_axis_name;
enum {
  DTC_AXIS_NAME_NONE = 0,
  DTC_AXIS_NAME_TP = 1,
  DTC_AXIS_NAME_CP = 2,
  DTC_AXIS_NAME_DP = 3,
  DTC_AXIS_NAME_PP = 4,
  DTC_AXIS_NAME_EP = 5,
  DTC_AXIS_NAME_ETP = 6,
  DTC_AXIS_NAME_EDP = 7,
  DTC_AXIS_NAME_GTP_REMAT = 8,
  DTC_AXIS_NAME_EGTP_REMAT = 9,
  DTC_AXIS_NAME_INSTANCE = 10,
  DTC_AXIS_NAME_DP_SHARD = 11,
  DTC_AXIS_NAME_DP_REPLICATE = 12,
  DTC_AXIS_NAME_EFSDP = 13,
  DTC_AXIS_NAME_TP_I = 14,
  DTC_AXIS_NAME_TP_J = 15,
  DTC_AXIS_NAME_TP_K = 16,
};
#define DTC_MESH_AXES 16
typedef struct dtc_axis {
  dtc_axis_name name;
  uint32_t pad;
  uint64_t size;
  uint64_t stride;
} dtc_axis;
typedef uint32_t dtc_scheme;
enum {
  DTC_SCHEME_DEFAULT = 0,
  DTC_SCHEME_MEGATRON = 1,
  DTC_SCHEME_MEGATRON_TP_PP_DP = 2,
  DTC_SCHEME_DEEPSPEED = 3,
  DTC_SCHEME_DEEPSPEED_MOE = 4,
  DTC_SCHEME_DEEPSPEED_MOE_EDP = 5,
  DTC_SCHEME_DEEPSPEED_AUTOEP = 6,
  DTC_SCHEME_DEEPSPEED_ULYSSES = 7,
  DTC_SCHEME_DEEPSPEED_HPZ = 8,
  DTC_SCHEME_DEEPSPEED_QGZ = 9,
  DTC_SCHEME_TORCHTITAN = 10,
  DTC_SCHEME_TORCHTITAN_DTENSOR = 11,
  DTC_SCHEME_PYTORCH = 12,
  DTC_SCHEME_COLOSSALAI = 13,
  DTC_SCHEME_COLOSSALAI_INSIDE = 14,
  DTC_SCHEME_COLOSSALAI_RING = 15,
  DTC_SCHEME_COLOSSALAI_RING_IN = 16,
  DTC_SCHEME_COLOSSALAI_MOE = 17,
  DTC_SCHEME_COLOSSALAI_MOE_IN = 18,
  DTC_SCHEME_COLOSSALAI_GEMINI = 19,
  DTC_SCHEME_COLOSSALAI_ZERO = 20,
  DTC_SCHEME_COLOSSALAI_1D = 21,
  DTC_SCHEME_COLOSSALAI_2D = 22,
  DTC_SCHEME_COLOSSALAI_25D = 23,
  DTC_SCHEME_COLOSSALAI_3D = 24,
  DTC_SCHEME_NANOTRON = 25,
  DTC_SCHEME_DEEPSPEED_GRID = 26,
};
typedef uint32_t dtc_mesh_part;
enum {
  DTC_MESH_PART_DENSE = 0,
  DTC_MESH_PART_EXPERTS = 1,
};
typedef struct dtc_layout {
  uint32_t struct_size;
  dtc_scheme scheme;
  dtc_release version;
  dtc_bool hybrid_cp;
  uint64_t world;
  uint64_t tp;
  uint64_t cp;
  uint64_t pp;
  uint64_t dp;
  uint64_t dp_shard;
  uint64_t dp_replicate;
  uint64_t ep;
  uint64_t etp;
  uint64_t gtp_remat;
  uint64_t egtp_remat;
  uint64_t instances;
  uint64_t tp_depth;
  uint64_t order;
  uint64_t cp_levels;
  uint64_t offset;
} dtc_layout;
typedef struct dtc_group_kind {
  uint32_t axes;
  dtc_mesh_part part;
  uint32_t name;
  uint32_t pick;
  uint64_t chunk;
  uint64_t step;
} dtc_group_kind;
typedef struct dtc_group {
  uint64_t count;
  uint64_t size;
  uint64_t index;
  uint64_t place;
  uint64_t first;
} dtc_group;
typedef uint32_t dtc_spread;
enum {
  DTC_SPREAD_NONE = 0,
  DTC_SPREAD_INSIDE = 1,
  DTC_SPREAD_SPANS = 2,
  DTC_SPREAD_STRADDLES = 3,
};
typedef struct dtc_placement {
  uint32_t struct_size;
  dtc_spread spread;
  dtc_bool rail;
  uint32_t pad;
  uint64_t groups;
  uint64_t inside;
  uint64_t domains;
  uint64_t members;
  uint64_t
      segment;
} dtc_placement;
enum {
  DTC_RULE_LAYOUT_WORLD = 200,
  DTC_RULE_LAYOUT_REPLICATE = 201,
  DTC_RULE_LAYOUT_SHARD = 202,
  DTC_RULE_LAYOUT_DP = 203,
  DTC_RULE_LAYOUT_PRODUCT = 204,
  DTC_RULE_LAYOUT_AXIS = 205,
  DTC_RULE_LAYOUT_ROOT = 206,
  DTC_RULE_MEGATRON_WORLD = 207,
  DTC_RULE_MEGATRON_EXPERT_WORLD = 208,
  DTC_RULE_MEGATRON_INSTANCES = 209,
  DTC_RULE_MEGATRON_EXPERT_INSTANCES = 210,
  DTC_RULE_MEGATRON_GTP_INSTANCES = 211,
  DTC_RULE_MEGATRON_EGTP_INSTANCES = 212,
  DTC_RULE_MEGATRON_GTP_VERSION = 213,
  DTC_RULE_MEGATRON_EGTP_VERSION = 214,
  DTC_RULE_MEGATRON_HYBRID = 215,
  DTC_RULE_MEGATRON_LEVELS = 216,
  DTC_RULE_MEGATRON_PP_GROUPS = 217,
  DTC_RULE_DEEPSPEED_EP = 218,
  DTC_RULE_AUTOEP_WORLD = 219,
  DTC_RULE_AUTOEP_PP = 220,
  DTC_RULE_AUTOEP_TP = 221,
  DTC_RULE_ULYSSES_CP = 222,
  DTC_RULE_QGZ_WORLD = 223,
  DTC_RULE_TORCHTITAN_ETP = 224,
  DTC_RULE_TORCHTITAN_ETP_TP = 225,
  DTC_RULE_TORCHTITAN_EP = 226,
  DTC_RULE_TORCHTITAN_EP_CP = 227,
  DTC_RULE_TORCHTITAN_EP_TP = 228,
  DTC_RULE_COLOSSALAI_EP = 229,
  DTC_RULE_NANOTRON_EP = 230,
};
dtc_status dtc_order_parse(const char *text, size_t len, uint64_t *order, dtc_error *err);
dtc_status dtc_layout_resolve(const dtc_layout *layout, dtc_layout *out, dtc_error *err);
dtc_status dtc_layout_from_plan(const dtc_model *model, const dtc_cluster *cluster,
                                                      const dtc_plan *plan, dtc_layout *out, dtc_error *err);
dtc_status dtc_layout_mesh(const dtc_layout *layout, dtc_mesh_part part, dtc_axis *out,
                                                 size_t cap, size_t *count, dtc_error *err);
dtc_status dtc_layout_kinds(const dtc_layout *layout, dtc_group_kind *out, size_t cap,
                                                  size_t *count, dtc_error *err);
dtc_status dtc_layout_groups(const dtc_layout *layout, uint64_t rank, dtc_group *out, size_t cap,
                                                   size_t *count, dtc_error *err);
dtc_status dtc_group_kind_text(const dtc_group_kind *kind, char *buf, size_t cap, size_t *len,
                                                     dtc_error *err);
dtc_status dtc_mesh_world(const dtc_axis *axes, size_t n, uint64_t *world, dtc_error *err);
dtc_status dtc_mesh_coord(const dtc_axis *axes, size_t n, uint64_t offset, uint64_t rank,
                                                uint64_t *coord, size_t cap, size_t *count, dtc_error *err);
dtc_status dtc_mesh_rank(const dtc_axis *axes, size_t n, uint64_t offset, const uint64_t *coord,
                                               size_t n_coord, uint64_t *rank, dtc_error *err);
dtc_status dtc_mesh_table(const dtc_axis *axes, size_t n, uint64_t first, uint64_t ranks,
                                                uint32_t *table, size_t cap, size_t *count, dtc_error *err);
dtc_status dtc_mesh_group_of(const dtc_axis *axes, size_t n, uint64_t offset,
                                                   const dtc_group_kind *kind, uint64_t rank, dtc_group *out,
                                                   dtc_error *err);
dtc_status dtc_mesh_member(const dtc_axis *axes, size_t n, uint64_t offset,
                                                 const dtc_group_kind *kind, uint64_t group, uint64_t index,
                                                 uint64_t *rank, dtc_error *err);
dtc_status dtc_mesh_listed(const dtc_axis *axes, size_t n, const uint64_t *ranks, size_t n_ranks,
                                                 const dtc_group_kind *kind, uint64_t rank, dtc_group *out,
                                                 uint64_t *local, dtc_error *err);
dtc_status dtc_mesh_placement(const dtc_axis *axes, size_t n, uint64_t offset,
                                                    const dtc_group_kind *kind, uint64_t domain, dtc_placement *out,
                                                    dtc_error *err);
dtc_status dtc_ring_crossings(const uint64_t *leaves, size_t n_leaves, uint64_t *crossings,
                                                    dtc_error *err);
dtc_status dtc_ring_order(const uint64_t *leaves, size_t n_leaves, uint64_t *order, size_t cap,
                                                size_t *count, dtc_error *err);
typedef uint32_t dtc_nccl_algorithm;
enum {
  DTC_NCCL_ALGORITHM_NONE = 0,
  DTC_NCCL_ALGORITHM_TREE = 1,
  DTC_NCCL_ALGORITHM_RING = 2,
  DTC_NCCL_ALGORITHM_COLLNET_DIRECT = 3,
  DTC_NCCL_ALGORITHM_COLLNET_CHAIN = 4,
  DTC_NCCL_ALGORITHM_NVLS = 5,
  DTC_NCCL_ALGORITHM_NVLS_TREE = 6,
  DTC_NCCL_ALGORITHM_PAT = 7,
};
typedef uint32_t dtc_nccl_protocol;
enum {
  DTC_NCCL_PROTOCOL_NONE = 0,
  DTC_NCCL_PROTOCOL_LL = 1,
  DTC_NCCL_PROTOCOL_LL128 = 2,
  DTC_NCCL_PROTOCOL_SIMPLE = 3,
};
typedef uint32_t dtc_nccl_cpu;
enum {
  DTC_NCCL_CPU_DEFAULT = 0,
  DTC_NCCL_CPU_INTEL = 1,
  DTC_NCCL_CPU_AMD = 2,
  DTC_NCCL_CPU_ARM = 3,
  DTC_NCCL_CPU_POWER = 4,
  DTC_NCCL_CPU_MIXED = 5,
};
typedef uint32_t dtc_nccl_pattern;
enum {
  DTC_NCCL_PATTERN_DEFAULT = 0,
  DTC_NCCL_PATTERN_BALANCED_TREE = 1,
  DTC_NCCL_PATTERN_SPLIT_TREE = 2,
  DTC_NCCL_PATTERN_TREE = 3,
};
typedef struct dtc_nccl {
  uint32_t struct_size;
  dtc_release version;
  uint32_t compute;
  dtc_nccl_cpu cpu;
  dtc_nccl_pattern tree_pattern;
  dtc_bool nvlink;
  dtc_bool collnet;
  dtc_bool ll128;
  dtc_bool fp8;
  dtc_bool same_rings;
  uint64_t nodes;
  uint64_t per_node;
  uint64_t channels;
  uint64_t ring_channels;
  uint64_t tree_channels;
  uint64_t nvls_channels;
  uint64_t direct_channels;
  uint64_t chain_channels;
  double ring_intra;
  double ring_inter;
  double tree_intra;
  double tree_inter;
  double nvls_intra;
  double nvls_inter;
  double direct_intra;
  double direct_inter;
  double chain_intra;
  double chain_inter;
} dtc_nccl;
typedef struct dtc_nccl_row {
  dtc_nccl_algorithm algorithm;
  dtc_nccl_protocol protocol;
  uint32_t usable;
  uint32_t pad;
  double latency;
  double bandwidth;
} dtc_nccl_row;
typedef struct dtc_nccl_choice {
  dtc_nccl_algorithm algorithm;
  dtc_nccl_protocol protocol;
  uint64_t channels;
  double seconds;
  double latency;
  double bandwidth;
} dtc_nccl_choice;
typedef struct dtc_nccl_range {
  uint64_t first;
  dtc_nccl_algorithm algorithm;
  dtc_nccl_protocol protocol;
  double seconds;
} dtc_nccl_range;
#define DTC_NCCL_ROWS 16
#define DTC_NCCL_RANGES 512
enum {
  DTC_RULE_NCCL_SYSTEM = 700,
  DTC_RULE_NCCL_VERSION = 701,
  DTC_RULE_NCCL_RANKS = 702,
  DTC_RULE_NCCL_PLACE = 703,
  DTC_RULE_NCCL_OP = 704,
  DTC_RULE_NCCL_SEARCH = 705,
  DTC_RULE_NCCL_COLLNET = 706,
  DTC_RULE_NCCL_FP8 = 707,
};
size_t dtc_nccl_count(void);
const char *dtc_nccl_name(size_t index);
const char *dtc_nccl_source(size_t index);
dtc_status dtc_nccl_find(const char *name, uint32_t version, uint64_t nodes, uint64_t per_node,
                                               dtc_nccl *out, dtc_error *err);
dtc_status dtc_nccl_resolve(const dtc_nccl *nccl, dtc_nccl *out, dtc_error *err);
dtc_status dtc_nccl_table(const dtc_nccl *nccl, dtc_collective op, dtc_nccl_row *out, size_t cap,
                                                size_t *count, dtc_error *err);
dtc_status dtc_nccl_choose(const dtc_nccl *nccl, dtc_collective op, uint64_t bytes,
                                                 dtc_nccl_choice *out, dtc_error *err);
dtc_status dtc_nccl_switches(const dtc_nccl *nccl, dtc_collective op, uint64_t first,
                                                   uint64_t last, dtc_nccl_range *out, size_t cap, size_t *count,
                                                   dtc_error *err);
dtc_status dtc_nccl_tuner_write(const dtc_nccl *nccl, dtc_collective op, char *buf, size_t cap,
                                                      size_t *len, dtc_error *err);
typedef uint32_t dtc_dtype;
enum {
  DTC_DTYPE_DEFAULT = 0,
  DTC_DTYPE_BF16 = 1,
  DTC_DTYPE_FP16 = 2,
  DTC_DTYPE_FP32 = 3,
  DTC_DTYPE_FP8 = 4,
  DTC_DTYPE_FP64 = 5,
};
typedef uint32_t dtc_shard_scheme;
enum {
  DTC_SHARD_SCHEME_DEFAULT = 0,
  DTC_SHARD_SCHEME_ZERO12 = 1,
  DTC_SHARD_SCHEME_BF16 = 2,
  DTC_SHARD_SCHEME_ZERO3 = 3,
  DTC_SHARD_SCHEME_MICS = 4,
  DTC_SHARD_SCHEME_DDP = 5,
  DTC_SHARD_SCHEME_FSDP1 = 6,
  DTC_SHARD_SCHEME_FSDP2 = 7,
  DTC_SHARD_SCHEME_WHOLE = 8,
  DTC_SHARD_SCHEME_OSS = 9,
  DTC_SHARD_SCHEME_DISTOPT = 10,
  DTC_SHARD_SCHEME_ALLREDUCE = 11,
  DTC_SHARD_SCHEME_LAYERWISE = 12,
  DTC_SHARD_SCHEME_MEGATRON_FSDP = 13,
  DTC_SHARD_SCHEME_MEGATRON_FSDP2 = 14,
  DTC_SHARD_SCHEME_GEMINI = 15,
  DTC_SHARD_SCHEME_LOW_LEVEL_ZERO = 16,
};
typedef uint32_t dtc_cut;
enum {
  DTC_CUT_DEFAULT =
      0,
  DTC_CUT_WHOLE = 1,
  DTC_CUT_ROWS = 2,
  DTC_CUT_COLS = 3,
};
typedef struct dtc_shape {
  uint64_t rows;
  uint64_t cols;
  uint32_t dims;
  dtc_dtype dtype;
  uint32_t shared;
  dtc_cut cut;
} dtc_shape;
typedef struct dtc_shards {
  uint32_t struct_size;
  dtc_shard_scheme scheme;
  dtc_release version;
  dtc_dtype dtype;
  uint64_t world;
  uint64_t replicas;
  uint64_t stage;
  uint64_t bucket;
  uint64_t first_bucket;
  uint64_t sub_group;
  uint64_t persistence;
  uint64_t hpz;
  uint64_t min_chunk;
  uint64_t search_range;
  uint64_t interval;
  dtc_bool round_robin;
  dtc_bool multi_rank;
  dtc_bool reduce_scatter;
  dtc_bool orig_params;
  dtc_bool high_busbw;
  dtc_bool first_step;
  dtc_bool keep_large;
  dtc_dtype grad_dtype;
  dtc_bool reshard;
  dtc_bool every_micro;
  dtc_dtype grad_accum;
  dtc_bool contiguous;
} dtc_shards;
#define DTC_EVENLY UINT32_MAX
#define DTC_EVERYWHERE (UINT32_MAX - 1)
typedef struct dtc_slot {
  uint64_t start;
  uint64_t bucket_start;
  uint64_t bucket_end;
  uint64_t used;
  uint32_t bucket;
  uint32_t owner;
} dtc_slot;
typedef struct dtc_shard_totals {
  uint32_t struct_size;
  uint32_t pad;
  uint64_t numel;
  uint64_t padded;
  uint64_t buckets;
  uint64_t largest;
  uint64_t heaviest;
  uint64_t most;
  uint64_t lightest;
  uint64_t least;
  uint64_t empty;
  uint64_t per_rank;
} dtc_shard_totals;
typedef struct dtc_fragment {
  uint32_t tensor;
  uint32_t bucket;
  uint64_t tensor_offset;
  uint64_t shard_offset;
  uint64_t length;
} dtc_fragment;
typedef struct dtc_bucket {
  uint64_t start;
  uint64_t stop;
  uint64_t used;
  uint64_t bytes;
  uint32_t tensors;
  uint32_t owner;
  uint32_t first;
  dtc_dtype dtype;
} dtc_bucket;
typedef struct dtc_chunks {
  uint32_t struct_size;
  uint32_t gathered;
  uint64_t size;
  uint64_t waste;
  uint64_t least;
  uint64_t large;
} dtc_chunks;
typedef struct dtc_batch {
  uint64_t elements;
  uint64_t sent;
  uint64_t kept;
  uint32_t first;
  uint32_t tensors;
} dtc_batch;
typedef struct dtc_slice {
  uint64_t elements;
  uint32_t reduction;
  uint32_t owner;
} dtc_slice;
typedef struct dtc_module {
  uint32_t first;
  uint32_t tensors;
} dtc_module;
typedef struct dtc_tracing {
  uint32_t struct_size;
  dtc_bool first_step;
  uint64_t prefetch;
  uint64_t max_live;
  uint64_t max_reuse;
  uint64_t backward;
} dtc_tracing;
typedef struct dtc_trace {
  uint32_t struct_size;
  uint32_t pad;
  uint64_t gathered_forward;
  uint64_t gathered_backward;
  uint64_t gathered_step;
  uint64_t calls_forward;
  uint64_t calls_backward;
  uint64_t largest_call;
  uint64_t peak_live;
  uint64_t peak_buffers;
  uint64_t live_at_step;
} dtc_trace;
typedef uint32_t dtc_phase;
enum {
  DTC_PHASE_NONE = 0,
  DTC_PHASE_FORWARD = 1,
  DTC_PHASE_BACKWARD = 2,
  DTC_PHASE_BOUNDARY = 3,
  DTC_PHASE_STEP = 4,
};
typedef uint32_t dtc_shard_group;
enum {
  DTC_SHARD_GROUP_WORLD = 0,
  DTC_SHARD_GROUP_REPLICAS = 1,
  DTC_SHARD_GROUP_HPZ = 2,
};
typedef struct dtc_message {
  dtc_collective op;
  dtc_phase phase;
  dtc_shard_group group;
  uint32_t pad;
  uint64_t bytes;
  uint64_t calls;
} dtc_message;
typedef struct dtc_shard_bytes {
  uint32_t struct_size;
  uint32_t pad;
  uint64_t weights;
  uint64_t master;
  uint64_t moments;
  uint64_t gradients;
  uint64_t buckets;
  uint64_t reduce;
  uint64_t gathered;
  uint64_t step;
  uint64_t step_request;
  uint64_t
      averaged;
  uint64_t params;
} dtc_shard_bytes;
typedef uint32_t dtc_shard_moment;
enum {
  DTC_SHARD_MOMENT_DEFAULT = 0,
  DTC_SHARD_MOMENT_INIT = 1,
  DTC_SHARD_MOMENT_FIRST_BACKWARD = 2,
  DTC_SHARD_MOMENT_BACKWARD = 3,
  DTC_SHARD_MOMENT_STEP = 4,
};
typedef struct dtc_offload_bytes {
  uint32_t struct_size;
  uint32_t pad;
  uint64_t to_host;
  uint64_t to_device;
  uint64_t nvme_read;
  uint64_t nvme_write;
  uint64_t host;
  uint64_t nvme;
} dtc_offload_bytes;
dtc_status dtc_shards_resolve(const dtc_shards *shards, dtc_shards *out, dtc_error *err);
dtc_status dtc_shards_from_plan(const dtc_model *model, const dtc_cluster *cluster,
                                                      const dtc_plan *plan, dtc_shards *out, dtc_error *err);
dtc_status dtc_shards_shapes(const dtc_model *model, dtc_shape *shapes, size_t cap, size_t *count,
                                                   dtc_error *err);
dtc_status dtc_shards_scratch(const dtc_shards *shards, size_t tensors, uint64_t *needed,
                                                    dtc_error *err);
dtc_status dtc_shards_local(const dtc_shape *shapes, size_t n_shapes, uint64_t tp,
                                                  uint64_t tp_rank, dtc_shape *out, size_t cap, size_t *count,
                                                  dtc_error *err);
dtc_status dtc_shards_layout(const dtc_shards *shards, const dtc_shape *shapes, size_t n_shapes,
                                                   dtc_slot *slots, size_t cap, size_t *count, uint64_t *scratch,
                                                   size_t n_scratch, dtc_error *err);
dtc_status dtc_shards_totals(const dtc_shards *shards, const dtc_shape *shapes, size_t n_shapes,
                                                   const dtc_slot *slots, size_t n_slots, dtc_shard_totals *out,
                                                   uint64_t *scratch, size_t n_scratch, dtc_error *err);
dtc_status dtc_shards_buckets(const dtc_shards *shards, const dtc_shape *shapes, size_t n_shapes,
                                                    const dtc_slot *slots, size_t n_slots, dtc_bucket *out, size_t cap,
                                                    size_t *count, dtc_error *err);
dtc_status dtc_shards_chunks(const dtc_shards *shards, const dtc_shape *shapes, size_t n_shapes,
                                                   dtc_chunks *out, uint64_t *scratch, size_t n_scratch,
                                                   dtc_error *err);
dtc_status dtc_shards_fragments(const dtc_shards *shards, const dtc_shape *shapes,
                                                      size_t n_shapes, const dtc_slot *slots, size_t n_slots,
                                                      uint64_t rank, dtc_fragment *out, size_t cap, size_t *count,
                                                      dtc_error *err);
dtc_status dtc_shards_owner(const dtc_shards *shards, const dtc_shape *shapes, size_t n_shapes,
                                                  const dtc_slot *slots, size_t n_slots, uint64_t tensor,
                                                  uint64_t element, uint64_t *rank, uint64_t *offset, dtc_error *err);
typedef uint32_t dtc_checkpoint_form;
enum {
  DTC_CHECKPOINT_FORM_DEFAULT = 0,
  DTC_CHECKPOINT_FORM_NATIVE = 1,
  DTC_CHECKPOINT_FORM_ELASTIC = 2,
  DTC_CHECKPOINT_FORM_UNIVERSAL = 3,
  DTC_CHECKPOINT_FORM_DP_RESHARDABLE = 4,
  DTC_CHECKPOINT_FORM_FULLY_RESHARDABLE = 5,
  DTC_CHECKPOINT_FORM_DCP = 6,
};
typedef uint32_t dtc_loading;
enum {
  DTC_LOADING_DEFAULT = 0,
  DTC_LOADING_YES = 1,
  DTC_LOADING_CONVERT = 2,
  DTC_LOADING_NO = 3,
};
typedef struct dtc_reshard {
  uint32_t struct_size;
  dtc_loading loading;
  dtc_checkpoint_form form;
  dtc_checkpoint_form convert;
  dtc_rule rule;
  uint32_t pad;
  uint64_t source_buckets;
  uint64_t target_buckets;
  uint64_t bucket;
  uint64_t source_used;
  uint64_t target_used;
  uint64_t source_empty;
  uint64_t target_empty;
} dtc_reshard;
typedef uint32_t dtc_reshard_kind;
enum {
  DTC_RESHARD_KIND_DEFAULT = 0,
  DTC_RESHARD_KIND_BUCKET = 1,
  DTC_RESHARD_KIND_TENSOR = 2,
};
typedef struct dtc_reshard_item {
  uint32_t key;
  uint32_t pad;
  uint64_t source;
  uint64_t source_offset;
  uint64_t target_offset;
  uint64_t length;
} dtc_reshard_item;
typedef struct dtc_reshard_box {
  uint32_t tensor;
  uint32_t pad;
  uint64_t source;
  uint64_t source_row;
  uint64_t target_row;
  uint64_t rows;
  uint64_t source_col;
  uint64_t target_col;
  uint64_t cols;
} dtc_reshard_box;
typedef struct dtc_reshard_sums {
  uint32_t struct_size;
  uint32_t pad;
  uint64_t items;
  uint64_t needed;
  uint64_t same;
  uint64_t moved;
} dtc_reshard_sums;
typedef struct dtc_checkpoint {
  uint32_t struct_size;
  dtc_checkpoint_form form;
  uint64_t weights;
  uint64_t master;
  uint64_t moments;
  uint64_t bytes;
  uint64_t rank_bytes;
  uint64_t files;
  uint64_t staging;
  uint64_t needed;
  uint64_t read;
  uint64_t read_all;
  double write_seconds;
  double read_seconds;
} dtc_checkpoint;
dtc_status dtc_reshard_check(const dtc_shards *source, const dtc_shards *target,
                                                   const dtc_shape *shapes, size_t n_shapes,
                                                   const dtc_slot *source_slots, size_t n_source_slots,
                                                   const dtc_slot *target_slots, size_t n_target_slots,
                                                   dtc_checkpoint_form form, dtc_reshard *out, dtc_error *err);
dtc_status dtc_reshard_items(const dtc_shards *source, const dtc_shards *target,
                                                   const dtc_shape *shapes, size_t n_shapes,
                                                   const dtc_slot *source_slots, size_t n_source_slots,
                                                   const dtc_slot *target_slots, size_t n_target_slots, uint64_t rank,
                                                   dtc_reshard_kind kind, dtc_reshard_item *out, size_t cap,
                                                   size_t *count, dtc_error *err);
dtc_status dtc_reshard_totals(const dtc_shards *source, const dtc_shards *target,
                                                    const dtc_shape *shapes, size_t n_shapes,
                                                    const dtc_slot *source_slots, size_t n_source_slots,
                                                    const dtc_slot *target_slots, size_t n_target_slots,
                                                    dtc_reshard_kind kind, dtc_reshard_sums *out, dtc_error *err);
dtc_status dtc_reshard_scratch(const dtc_shards *source, uint64_t source_tp, uint64_t *needed,
                                                     dtc_error *err);
dtc_status dtc_reshard_boxes(const dtc_shards *source, uint64_t source_tp,
                                                   const dtc_shards *target, uint64_t target_tp,
                                                   const dtc_shape *shapes, size_t n_shapes, uint64_t rank,
                                                   dtc_reshard_box *out, size_t cap, size_t *count, uint64_t *scratch,
                                                   size_t n_scratch, dtc_error *err);
dtc_status dtc_reshard_box_totals(const dtc_shards *source, uint64_t source_tp,
                                                        const dtc_shards *target, uint64_t target_tp,
                                                        const dtc_shape *shapes, size_t n_shapes, dtc_reshard_sums *out,
                                                        uint64_t *scratch, size_t n_scratch, dtc_error *err);
dtc_status dtc_checkpoint_estimate(const dtc_shards *shards, const dtc_shape *shapes,
                                                         size_t n_shapes, const dtc_slot *slots, size_t n_slots,
                                                         double bandwidth, dtc_checkpoint_form form,
                                                         dtc_checkpoint *out, uint64_t *scratch, size_t n_scratch,
                                                         dtc_error *err);
dtc_status dtc_shards_reductions(const dtc_shards *shards, const dtc_shape *shapes,
                                                       size_t n_shapes, const dtc_slot *slots, size_t n_slots,
                                                       dtc_batch *out, size_t cap, size_t *count, dtc_error *err);
dtc_status dtc_shards_slices(const dtc_shards *shards, const dtc_shape *shapes, size_t n_shapes,
                                                   const dtc_slot *slots, size_t n_slots, dtc_slice *out, size_t cap,
                                                   size_t *count, uint64_t *scratch, size_t n_scratch, dtc_error *err);
dtc_status dtc_shards_accumulator(const dtc_shards *shards, const dtc_shape *shapes,
                                                        size_t n_shapes, const dtc_slot *slots, size_t n_slots,
                                                        uint64_t rank, uint64_t *elements, uint64_t *scratch,
                                                        size_t n_scratch, dtc_error *err);
dtc_status dtc_shards_gathers(const dtc_shards *shards, const dtc_shape *shapes, size_t n_shapes,
                                                    const dtc_slot *slots, size_t n_slots, dtc_batch *out, size_t cap,
                                                    size_t *count, dtc_error *err);
dtc_status dtc_shards_sub_groups(const dtc_shards *shards, const dtc_shape *shapes,
                                                       size_t n_shapes, const dtc_slot *slots, size_t n_slots,
                                                       dtc_batch *out, size_t cap, size_t *count, dtc_error *err);
dtc_status dtc_shards_persistent(const dtc_shards *shards, const dtc_shape *shapes,
                                                       size_t n_shapes, uint64_t *tensors, uint64_t *elements,
                                                       dtc_error *err);
dtc_status dtc_shards_secondary(const dtc_shards *shards, const dtc_shape *shapes,
                                                      size_t n_shapes, const dtc_slot *slots, size_t n_slots,
                                                      uint64_t rank, dtc_fragment *out, size_t cap, size_t *count,
                                                      uint64_t *elements, dtc_error *err);
dtc_status dtc_shards_trace(const dtc_shards *shards, const dtc_shape *shapes, size_t n_shapes,
                                                  const dtc_module *modules, size_t n_modules,
                                                  const dtc_tracing *tracing, dtc_trace *out, uint64_t *scratch,
                                                  size_t n_scratch, dtc_error *err);
dtc_status dtc_shards_messages(const dtc_shards *shards, const dtc_shape *shapes, size_t n_shapes,
                                                     const dtc_slot *slots, size_t n_slots, uint64_t micro_batches,
                                                     dtc_message *out, size_t cap, size_t *count, dtc_error *err);
dtc_status dtc_shards_bytes(const dtc_shards *shards, const dtc_shape *shapes, size_t n_shapes,
                                                  const dtc_slot *slots, size_t n_slots, uint64_t rank,
                                                  uint64_t micro_batches, dtc_shard_bytes *out, dtc_error *err);
dtc_status dtc_shards_held(const dtc_shards *shards, const dtc_shape *shapes, size_t n_shapes,
                                                 const dtc_slot *slots, size_t n_slots, uint64_t rank,
                                                 uint64_t micro_batches, uint64_t micro_batch, dtc_shard_moment moment,
                                                 dtc_shard_bytes *out, dtc_error *err);
dtc_status dtc_shards_check(const dtc_shards *shards, const dtc_shape *shapes, size_t n_shapes,
                                                  const dtc_slot *slots, size_t n_slots, const dtc_tracing *tracing,
                                                  dtc_error *findings, size_t cap, size_t *count, uint64_t *scratch,
                                                  size_t n_scratch, dtc_error *err);
dtc_status dtc_shards_offload(const dtc_shards *shards, const dtc_shape *shapes, size_t n_shapes,
                                                    const dtc_slot *slots, size_t n_slots, uint64_t rank,
                                                    uint64_t micro_batches, dtc_offload offload, dtc_offload_bytes *out,
                                                    dtc_error *err);
typedef uint32_t dtc_pipe_kind;
enum {
  DTC_PIPE_KIND_NONE = 0,
  DTC_PIPE_KIND_FORWARD = 1,
  DTC_PIPE_KIND_BACKWARD = 2,
  DTC_PIPE_KIND_INPUT = 3,
  DTC_PIPE_KIND_WEIGHT = 4,
};
typedef struct dtc_pipe {
  uint32_t struct_size;
  dtc_schedule schedule;
  dtc_framework framework;
  dtc_bool forward_only;
  dtc_bool moe_overlap;
  dtc_bool p2p_overlap;
  uint64_t pp;
  uint64_t vpp;
  uint64_t micro_batches;
  uint64_t group;
  double forward;
  double input;
  double weight;
  double hop;
  uint64_t limit;
  uint64_t freed_input;
  uint64_t freed_weight;
} dtc_pipe;
typedef struct dtc_pipe_op {
  uint32_t micro_batch;
  uint16_t chunk;
  uint8_t kind;
  uint8_t fused;
} dtc_pipe_op;
typedef struct dtc_pipe_cost {
  double forward;
  double input;
  double weight;
  uint64_t freed_input;
  uint64_t freed_weight;
} dtc_pipe_cost;
typedef uint32_t dtc_pipe_sends;
enum {
  DTC_PIPE_SENDS_ASYNC = 0,
  DTC_PIPE_SENDS_BLOCKING = 1,
};
typedef struct dtc_pipe_time {
  double start;
  double stop;
} dtc_pipe_time;
typedef struct dtc_pipe_rank {
  double start;
  double stop;
  double busy;
  uint64_t held_input;
  uint64_t held_weight;
  uint64_t bytes;
} dtc_pipe_rank;
typedef struct dtc_pipe_totals {
  double makespan;
  double busy;
  double bubble;
  double span;
  double
      span_bubble;
  double idle;
  uint64_t bytes;
  uint64_t rank;
} dtc_pipe_totals;
typedef struct dtc_pipe_held {
  uint64_t input;
  uint64_t weight;
} dtc_pipe_held;
typedef uint32_t dtc_pipe_instruction;
enum {
  DTC_PIPE_INSTRUCTION_LOAD = 1,
  DTC_PIPE_INSTRUCTION_FORWARD = 2,
  DTC_PIPE_INSTRUCTION_BACKWARD = 3,
  DTC_PIPE_INSTRUCTION_SEND_ACTIVATION = 4,
  DTC_PIPE_INSTRUCTION_RECV_ACTIVATION = 5,
  DTC_PIPE_INSTRUCTION_SEND_GRAD = 6,
  DTC_PIPE_INSTRUCTION_RECV_GRAD = 7,
  DTC_PIPE_INSTRUCTION_REDUCE_TIED = 8,
  DTC_PIPE_INSTRUCTION_REDUCE_GRADS = 9,
  DTC_PIPE_INSTRUCTION_OPTIMIZER_STEP = 10,
};
typedef struct dtc_pipe_step {
  uint32_t step;
  uint16_t buffer;
  uint16_t what;
} dtc_pipe_step;
typedef uint32_t dtc_splitter;
enum {
  DTC_SPLITTER_MEGATRON = 0,
  DTC_SPLITTER_LAYOUT = 1,
  DTC_SPLITTER_UNIFORM = 2,
  DTC_SPLITTER_BALANCED = 3,
  DTC_SPLITTER_TORCHTITAN = 4,
  DTC_SPLITTER_COLOSSALAI = 5,
};
typedef struct dtc_pipe_split {
  uint32_t struct_size;
  dtc_splitter splitter;
  dtc_release version;
  dtc_bool v_shape;
  dtc_bool account_embedding;
  dtc_bool account_loss;
  uint64_t layers;
  uint64_t mtp_layers;
  uint64_t pp;
  uint64_t vpp;
  uint64_t first;
  uint64_t last;
  uint64_t first_less;
  uint64_t last_less;
  uint64_t per_stage;
} dtc_pipe_split;
typedef struct dtc_pipe_part {
  uint64_t first;
  uint64_t layers;
  uint64_t mtp_layers;
  uint32_t rank;
  uint32_t chunk;
  uint32_t embedding;
  uint32_t head;
} dtc_pipe_part;
typedef struct dtc_pipe_item {
  double cost;
  uint64_t bytes;
  uint64_t saved;
} dtc_pipe_item;
typedef struct dtc_pipe_gain {
  double cost;
  double uniform;
  double mean;
  uint64_t bytes;
} dtc_pipe_gain;
enum {
  DTC_RULE_PIPE_FRAMEWORK = 300,
  DTC_RULE_PIPE_CHUNKS = 301,
  DTC_RULE_PIPE_LEAST = 302,
  DTC_RULE_PIPE_MULTIPLE = 303,
  DTC_RULE_PIPE_ROUNDS = 304,
  DTC_RULE_PIPE_EVEN = 305,
  DTC_RULE_PIPE_GROUP = 306,
  DTC_RULE_PIPE_REST = 307,
  DTC_RULE_PIPE_P2P = 308,
  DTC_RULE_PIPE_SETTING = 309,
  DTC_RULE_PIPE_MEMORY = 310,
  DTC_RULE_PIPE_CLOSED = 311,
  DTC_RULE_PIPE_ORDER = 312,
  DTC_RULE_PIPE_WORK = 313,
  DTC_RULE_PIPE_SENDS = 314,
  DTC_RULE_SPLIT_DIVIDES = 320,
  DTC_RULE_SPLIT_CHUNKS = 321,
  DTC_RULE_SPLIT_MIDDLE = 322,
  DTC_RULE_SPLIT_ACCOUNT = 323,
  DTC_RULE_SPLIT_UNEVEN = 324,
  DTC_RULE_SPLIT_STAGES = 325,
  DTC_RULE_SPLIT_LESS = 326,
  DTC_RULE_SPLIT_GIVEN = 327,
  DTC_RULE_LAYOUT_SYNTAX = 330,
  DTC_RULE_LAYOUT_STAGES = 331,
  DTC_RULE_LAYOUT_ENDS = 332,
  DTC_RULE_LAYOUT_LAYERS = 333,
  DTC_RULE_LAYOUT_MTP = 334,
  DTC_RULE_BALANCE_ITEMS = 340,
  DTC_RULE_BALANCE_LIMIT = 341,
};
dtc_status dtc_pipe_resolve(const dtc_pipe *pipe, dtc_pipe *out, dtc_error *err);
dtc_status dtc_pipe_from_plan(const dtc_plan *plan, dtc_pipe *out, dtc_error *err);
dtc_status dtc_pipe_stage(const dtc_pipe *pipe, uint64_t rank, uint64_t chunk, uint64_t *stage,
                                                dtc_error *err);
dtc_status dtc_pipe_count(const dtc_pipe *pipe, uint64_t *rows, dtc_error *err);
dtc_status dtc_pipe_scratch(const dtc_pipe *pipe, uint64_t *needed, dtc_error *err);
dtc_status dtc_pipe_order(const dtc_pipe *pipe, dtc_pipe_op *out, size_t cap, size_t *count,
                                                uint64_t *scratch, size_t n_scratch, dtc_error *err);
dtc_status dtc_pipe_op_at(const dtc_pipe *pipe, uint64_t rank, uint64_t index, dtc_pipe_op *out,
                                                dtc_error *err);
dtc_status dtc_pipe_inflight(const dtc_pipe *pipe, uint64_t rank, dtc_pipe_held *out,
                                                   dtc_error *err);
dtc_status dtc_pipe_steps(const dtc_pipe *pipe, uint64_t rank, dtc_pipe_step *out, size_t cap,
                                                size_t *count, dtc_error *err);
dtc_status dtc_pipe_simulate(const dtc_pipe *pipe, const dtc_pipe_op *ops, size_t n_ops,
                                                   const dtc_pipe_cost *costs, size_t n_costs, double latency,
                                                   double transfer, dtc_pipe_sends sends, dtc_pipe_time *out,
                                                   size_t cap, size_t *count, uint64_t *scratch, size_t n_scratch,
                                                   dtc_error *err);
dtc_status dtc_pipe_ranks(const dtc_pipe *pipe, const dtc_pipe_op *ops, size_t n_ops,
                                                const dtc_pipe_cost *costs, size_t n_costs, const dtc_pipe_time *times,
                                                size_t n_times, dtc_pipe_rank *out, size_t cap, size_t *count,
                                                dtc_error *err);
dtc_status dtc_pipe_sum(const dtc_pipe_rank *ranks, size_t n_ranks, dtc_pipe_totals *out,
                                              dtc_error *err);
dtc_status dtc_pipe_layers(const dtc_pipe_split *split, const char *layout, size_t len,
                                                 const uint64_t *weights, size_t n_weights, dtc_pipe_part *out,
                                                 size_t cap, size_t *count, uint64_t *scratch, size_t n_scratch,
                                                 dtc_error *err);
dtc_status dtc_pipe_layers_scratch(const dtc_pipe_split *split, uint64_t *needed, dtc_error *err);
dtc_status dtc_pipe_balance(const dtc_pipe *pipe, const dtc_pipe_item *items, size_t n_items,
                                                  uint64_t limit, dtc_pipe_part *out, size_t cap, size_t *count,
                                                  dtc_pipe_gain *gain, uint64_t *scratch, size_t n_scratch,
                                                  dtc_error *err);
dtc_status dtc_pipe_balance_scratch(const dtc_pipe *pipe, uint64_t items, uint64_t *needed,
                                                          dtc_error *err);
typedef uint32_t dtc_call_style;
enum {
  DTC_CALL_STYLE_LOOP = 0,
  DTC_CALL_STYLE_THREAD = 1,
  DTC_CALL_STYLE_BLOCKING = 2,
};
typedef uint32_t dtc_bound;
enum {
  DTC_BOUND_NONE = 0,
  DTC_BOUND_LAUNCH = 1,
  DTC_BOUND_LATENCY = 2,
  DTC_BOUND_NVLINK = 3,
  DTC_BOUND_PCIE = 4,
  DTC_BOUND_NIC = 5,
  DTC_BOUND_SWITCH = 6,
  DTC_BOUND_SMS = 7,
};
typedef uint32_t dtc_confidence;
enum {
  DTC_CONFIDENCE_NONE = 0,
  DTC_CONFIDENCE_MEASURED = 1,
  DTC_CONFIDENCE_RELATIVE = 2,
  DTC_CONFIDENCE_EXTRAPOLATED = 3,
};
typedef struct dtc_collective_call {
  uint32_t struct_size;
  dtc_collective op;
  dtc_call_style style;
  dtc_release version;
  dtc_bool in_switch;
  dtc_bool tuned;
  dtc_bool two_level;
  uint32_t pad;
  uint64_t bytes;
  uint64_t ranks;
  uint64_t per_node;
  uint64_t groups;
} dtc_collective_call;
typedef struct dtc_collective_time {
  uint32_t struct_size;
  dtc_bound bound;
  dtc_confidence confidence;
  uint32_t nodes;
  double seconds;
  double low;
  double high;
  double lower_bound;
  double algbw;
  double busbw;
  double nic_bandwidth;
} dtc_collective_time;
typedef struct dtc_traffic {
  uint64_t sent;
  uint64_t received;
} dtc_traffic;
typedef struct dtc_exchange {
  uint32_t struct_size;
  uint32_t pad;
  uint64_t rank;
  uint64_t sent;
  uint64_t received;
  uint64_t total;
  uint64_t between;
  uint64_t bytes;
} dtc_exchange;
typedef uint32_t dtc_grade;
enum {
  DTC_GRADE_NONE = 0,
  DTC_GRADE_GOOD = 1,
  DTC_GRADE_LOW = 2,
  DTC_GRADE_BROKEN = 3,
  DTC_GRADE_IMPOSSIBLE = 4,
};
typedef uint32_t dtc_slow_reason;
enum {
  DTC_SLOW_REASON_NONE = 0,
  DTC_SLOW_REASON_SOCKETS = 1,
  DTC_SLOW_REASON_ONE_NIC = 2,
  DTC_SLOW_REASON_HALF_NICS = 3,
  DTC_SLOW_REASON_PCIE = 4,
  DTC_SLOW_REASON_IN_SWITCH = 5,
  DTC_SLOW_REASON_CHANNELS = 6,
  DTC_SLOW_REASON_BLOCKING = 7,
  DTC_SLOW_REASON_SETUP = 8,
};
typedef struct dtc_verdict {
  uint32_t struct_size;
  dtc_grade grade;
  dtc_slow_reason reason;
  dtc_confidence confidence;
  double expected;
  double of_expected;
  double of_bound;
  double explained;
} dtc_verdict;
typedef struct dtc_timing {
  uint64_t bytes;
  double seconds;
} dtc_timing;
typedef struct dtc_collective_law {
  uint32_t struct_size;
  uint32_t points;
  double latency;
  double bandwidth;
  double shape;
  double error;
  double worst;
} dtc_collective_law;
typedef uint32_t dtc_classic;
enum {
  DTC_CLASSIC_HOCKNEY = 0,
  DTC_CLASSIC_RING = 1,
  DTC_CLASSIC_RECURSIVE_DOUBLING = 2,
  DTC_CLASSIC_RABENSEIFNER = 3,
  DTC_CLASSIC_BRUCK = 4,
  DTC_CLASSIC_BINOMIAL = 5,
  DTC_CLASSIC_PAIRWISE = 6,
  DTC_CLASSIC_SCATTER_GATHER = 7,
  DTC_CLASSIC_DOUBLE_TREE = 8,
  DTC_CLASSIC_DISSEMINATION = 9,
};
typedef uint32_t dtc_moe_op;
enum {
  DTC_MOE_OP_DISPATCH = 0,
  DTC_MOE_OP_COMBINE = 1,
};
typedef uint32_t dtc_moe_kernel;
enum {
  DTC_MOE_KERNEL_NORMAL = 0,
  DTC_MOE_KERNEL_LOW_LATENCY = 1,
  DTC_MOE_KERNEL_TWO_SIDED = 2,
  DTC_MOE_KERNEL_ONE_SIDED = 3,
};
typedef uint32_t dtc_moe_library;
enum {
  DTC_MOE_LIBRARY_DEEPEP = 0,
  DTC_MOE_LIBRARY_UCCL = 1,
};
typedef uint32_t dtc_moe_format;
enum {
  DTC_MOE_FORMAT_DEFAULT = 0,
  DTC_MOE_FORMAT_BF16 = 1,
  DTC_MOE_FORMAT_FP8 = 2,
  DTC_MOE_FORMAT_NVFP4 = 3,
};
typedef struct dtc_moe_call {
  uint32_t struct_size;
  dtc_moe_op op;
  dtc_moe_kernel kernel;
  dtc_moe_library library;
  dtc_moe_format format;
  uint32_t sms;
  uint64_t tokens;
  uint64_t top_k;
  uint64_t hidden;
  uint64_t ranks;
  uint64_t per_node;
} dtc_moe_call;
typedef struct dtc_moe_time {
  uint32_t struct_size;
  dtc_bound bound;
  dtc_confidence confidence;
  uint32_t nodes;
  double seconds;
  double low;
  double high;
  double sent;
  double nic_bytes;
  double bandwidth;
} dtc_moe_time;
enum {
  DTC_RULE_COLLECTIVE_OP = 720,
  DTC_RULE_COLLECTIVE_LINK = 721,
  DTC_RULE_COLLECTIVE_NIC = 722,
  DTC_RULE_COLLECTIVE_PER_NODE = 723,
  DTC_RULE_COLLECTIVE_TWO_LEVEL = 724,
  DTC_RULE_COLLECTIVE_POINTS = 725,
  DTC_RULE_COLLECTIVE_CLASSIC = 726,
  DTC_RULE_COLLECTIVE_TEXT = 727,
  DTC_RULE_COLLECTIVE_MATRIX = 728,
  DTC_RULE_COLLECTIVE_PEAK = 729,
  DTC_RULE_MOE_DOMAIN = 730,
  DTC_RULE_MOE_SMS = 731,
};
dtc_status dtc_collective_resolve(const dtc_cluster *cluster, const dtc_collective_call *call,
                                                        dtc_collective_call *out, dtc_error *err);
dtc_status dtc_collective_estimate(const dtc_cluster *cluster, const dtc_collective_call *call,
                                                         dtc_collective_time *out, dtc_error *err);
dtc_status dtc_collective_from_mesh(const dtc_axis *axes, size_t n, uint64_t offset,
                                                          const dtc_group_kind *kind, const dtc_cluster *cluster,
                                                          const dtc_collective_call *call, dtc_collective_call *out,
                                                          dtc_error *err);
dtc_status dtc_collective_bytes(uint64_t bytes, uint64_t ranks, uint64_t rank, dtc_collective op,
                                                      dtc_traffic *out, dtc_error *err);
dtc_status dtc_collective_exchange(const uint64_t *matrix, size_t n_matrix, uint64_t ranks,
                                                         uint64_t per_node, dtc_exchange *out, dtc_error *err);
dtc_status dtc_collective_size(const dtc_cluster *cluster, const dtc_collective_call *call,
                                                     double fraction, uint64_t *bytes, dtc_error *err);
dtc_status dtc_collective_judge(const dtc_cluster *cluster, const dtc_collective_call *call,
                                                      double seconds, dtc_verdict *out, dtc_error *err);
dtc_status dtc_collective_fit(const dtc_timing *points, size_t n_points, uint64_t ranks,
                                                    dtc_collective op, dtc_collective_law *out, dtc_error *err);
dtc_status dtc_collective_law_time(const dtc_collective_law *law, uint64_t bytes, uint64_t ranks,
                                                         dtc_collective op, double *seconds, dtc_error *err);
dtc_status dtc_collective_read(const char *text, size_t len, dtc_timing *out, size_t cap,
                                                     size_t *count, dtc_error *err);
dtc_status dtc_collective_classic(uint64_t bytes, uint64_t ranks, dtc_collective op, double alpha,
                                                        double beta, double gamma, dtc_classic algorithm,
                                                        double *seconds, dtc_error *err);
dtc_status dtc_moe_estimate(const dtc_cluster *cluster, const dtc_moe_call *call,
                                                  dtc_moe_time *out, dtc_error *err);
typedef struct dtc_task {
  uint32_t node;
  uint32_t local_rank;
  uint32_t
      local_env;
  uint32_t node_rank;
} dtc_task;
typedef uint32_t dtc_distribution;
enum {
  DTC_DISTRIBUTION_DEFAULT = 0,
  DTC_DISTRIBUTION_BLOCK = 1,
  DTC_DISTRIBUTION_CYCLIC = 2,
  DTC_DISTRIBUTION_PLANE = 3,
  DTC_DISTRIBUTION_ARBITRARY = 4,
};
typedef struct dtc_slurm {
  uint32_t struct_size;
  dtc_distribution distribution;
  dtc_bool pack;
  uint32_t release;
  uint64_t plane;
  uint64_t ntasks;
  uint64_t ntasks_per_node;
} dtc_slurm;
typedef uint32_t dtc_mpi_by;
enum {
  DTC_MPI_BY_DEFAULT =
      0,
  DTC_MPI_BY_SLOT = 1,
  DTC_MPI_BY_NODE = 2,
  DTC_MPI_BY_SOCKET = 3,
  DTC_MPI_BY_NUMA = 4,
  DTC_MPI_BY_CORE = 5,
};
typedef struct dtc_mpi {
  uint32_t struct_size;
  dtc_mpi_by map;
  dtc_mpi_by rank;
  dtc_bool map_span;
  dtc_bool rank_span;
  uint32_t sockets;
  uint32_t numas;
  uint32_t cores;
  uint64_t nodes;
  uint64_t slots;
  uint64_t np;
  uint64_t ppr;
  uint64_t pe;
} dtc_mpi;
dtc_status dtc_tasks_slurm(const dtc_slurm *slurm, const uint64_t *cpus, size_t n_cpus,
                                                 const uint64_t *cpus_per_task, size_t n_cpus_per_task,
                                                 const uint64_t *order, size_t n_order, dtc_task *tasks, size_t cap,
                                                 size_t *count, dtc_error *err);
dtc_status dtc_tasks_torchrun(const uint64_t *workers, size_t n_workers, dtc_task *tasks,
                                                    size_t cap, size_t *count, dtc_error *err);
dtc_status dtc_tasks_c10d(const char *hosts, size_t len, const uint64_t *workers,
                                                size_t n_workers, dtc_task *tasks, size_t cap, size_t *count,
                                                dtc_error *err);
dtc_status dtc_tasks_deepspeed(const char *hostfile, size_t len, dtc_task *tasks, size_t cap,
                                                     size_t *count, dtc_error *err);
dtc_status dtc_tasks_mpi(const dtc_mpi *mpi, dtc_task *tasks, size_t cap, size_t *count,
                                               dtc_error *err);
typedef struct dtc_model_states {
  uint32_t struct_size;
  uint32_t pad;
  uint64_t weights;
  uint64_t gradients;
  uint64_t master;
  uint64_t moments;
  uint64_t total;
} dtc_model_states;
typedef uint32_t dtc_moment;
enum {
  DTC_MOMENT_NONE = 0,
  DTC_MOMENT_FORWARD = 1,
  DTC_MOMENT_FORWARDED = 2,
  DTC_MOMENT_LOSS = 3,
  DTC_MOMENT_HEAD = 4,
  DTC_MOMENT_BACKWARD = 5,
  DTC_MOMENT_EXPERTS = 6,
  DTC_MOMENT_BOUNDARY = 7,
  DTC_MOMENT_END = 8,
  DTC_MOMENT_REDUCED = 9,
  DTC_MOMENT_STEP = 10,
  DTC_MOMENT_REST = 11,
};
typedef uint32_t dtc_memory_item;
enum {
  DTC_MEMORY_ITEM_NONE = 0,
  DTC_MEMORY_ITEM_WEIGHTS = 1,
  DTC_MEMORY_ITEM_GRADIENTS = 2,
  DTC_MEMORY_ITEM_OPTIMIZER = 3,
  DTC_MEMORY_ITEM_BUCKETS = 4,
  DTC_MEMORY_ITEM_GATHERED = 5,
  DTC_MEMORY_ITEM_ACTIVATIONS = 6,
  DTC_MEMORY_ITEM_TRANSIENT = 7,
  DTC_MEMORY_ITEM_WORKSPACE = 8,
};
typedef struct dtc_memory {
  uint32_t struct_size;
  dtc_moment moment;
  uint64_t stage;
  uint64_t params;
  uint64_t in_flight;
  uint64_t weights;
  uint64_t gradients;
  uint64_t optimizer;
  uint64_t buckets;
  uint64_t gathered;
  uint64_t activations;
  uint64_t transient;
  uint64_t workspace;
  uint64_t allocated;
  uint64_t reserved;
  uint64_t device;
  uint64_t capacity;
  dtc_bool fits;
  uint32_t exact;
  uint64_t steady;
  uint64_t allocated_low;
  uint64_t allocated_high;
  uint64_t reserved_low;
  uint64_t reserved_high;
  uint64_t device_low;
  uint64_t device_high;
  uint64_t host;
  uint64_t host_node;
  uint64_t nvme;
  dtc_memory_item largest;
  uint32_t pad;
  uint64_t host_high;
  uint64_t host_node_high;
} dtc_memory;
typedef struct dtc_memory_held {
  uint32_t struct_size;
  dtc_moment moment;
  uint64_t weights;
  uint64_t gradients;
  uint64_t optimizer;
  uint64_t buckets;
  uint64_t gathered;
  uint64_t activations;
  uint64_t transient;
  uint64_t workspace;
  uint64_t allocated;
} dtc_memory_held;
typedef struct dtc_memory_term {
  uint32_t index;
  dtc_memory_item item;
  uint32_t moments;
  uint32_t pad;
  uint64_t count;
  uint64_t each;
  uint64_t ranks;
  uint64_t bytes;
} dtc_memory_term;
typedef struct dtc_min_gpus {
  uint32_t struct_size;
  dtc_memory_item limit;
  uint64_t gpus;
  uint64_t nodes;
  uint64_t device;
  uint64_t capacity;
  uint64_t limit_bytes;
} dtc_min_gpus;
typedef uint32_t dtc_optimizer_library;
enum {
  DTC_OPTIMIZER_LIBRARY_DEFAULT = 0,
  DTC_OPTIMIZER_LIBRARY_TORCH = 1,
  DTC_OPTIMIZER_LIBRARY_BITSANDBYTES = 2,
  DTC_OPTIMIZER_LIBRARY_TORCHAO = 3,
};
typedef uint32_t dtc_optimizer_format;
enum {
  DTC_OPTIMIZER_FORMAT_DEFAULT = 0,
  DTC_OPTIMIZER_FORMAT_FULL = 1,
  DTC_OPTIMIZER_FORMAT_INT8 = 2,
  DTC_OPTIMIZER_FORMAT_INT4 = 3,
  DTC_OPTIMIZER_FORMAT_FP8 = 4,
};
typedef struct dtc_optimizer_spec {
  uint32_t struct_size;
  dtc_optimizer optimizer;
  dtc_optimizer_library library;
  dtc_optimizer_kernel kernel;
  dtc_optimizer_format format;
  dtc_dtype dtype;
  dtc_bool amsgrad;
  dtc_bool momentum;
  dtc_bool centered;
  dtc_bool nesterov;
  dtc_bool capturable;
  dtc_bool gpu_default;
} dtc_optimizer_spec;
typedef struct dtc_optimizer_held {
  uint32_t struct_size;
  uint32_t pad;
  uint64_t device;
  uint64_t host;
  uint64_t rounded;
  uint64_t first_step;
  uint64_t later_step;
} dtc_optimizer_held;
dtc_status dtc_memory_states(uint64_t params, const dtc_plan *plan, dtc_model_states *out,
                                                   dtc_error *err);
dtc_status dtc_memory_estimate(const dtc_model *model, const dtc_cluster *cluster,
                                                     const dtc_plan *plan, const dtc_stage *stages, size_t n,
                                                     dtc_memory *out, dtc_error *err);
dtc_status dtc_memory_stages(const dtc_model *model, const dtc_cluster *cluster,
                                                   const dtc_plan *plan, const dtc_stage *stages, size_t n,
                                                   dtc_memory *out, size_t cap, size_t *count, dtc_error *err);
dtc_status dtc_memory_moments(const dtc_model *model, const dtc_cluster *cluster,
                                                    const dtc_plan *plan, uint64_t index, const dtc_stage *stages,
                                                    size_t n, dtc_memory_held *held, size_t cap, size_t *count,
                                                    dtc_error *err);
dtc_status dtc_memory_terms(const dtc_model *model, const dtc_cluster *cluster,
                                                  const dtc_plan *plan, uint64_t index, const dtc_stage *stages,
                                                  size_t n, dtc_memory_term *terms, size_t cap, size_t *count,
                                                  dtc_error *err);
const char *dtc_memory_term_text(uint32_t index, dtc_lang lang);
dtc_status dtc_memory_min_gpus(const dtc_model *model, const dtc_cluster *cluster,
                                                     const dtc_plan *plan, dtc_min_gpus *out, dtc_plan *best,
                                                     dtc_error *err);
typedef struct dtc_max_setting {
  uint32_t struct_size;
  dtc_memory_item limit;
  uint64_t value;
  uint64_t device;
  uint64_t next;
  uint64_t next_device;
  uint64_t capacity;
} dtc_max_setting;
typedef uint32_t dtc_remedy;
enum {
  DTC_REMEDY_NONE = 0,
  DTC_REMEDY_RECOMPUTE_SELECTIVE = 1,
  DTC_REMEDY_RECOMPUTE_FULL = 2,
  DTC_REMEDY_MICRO_BATCH_HALF = 3,
  DTC_REMEDY_MICRO_BATCH_ONE = 4,
  DTC_REMEDY_SEQUENCE_PARALLEL = 5,
  DTC_REMEDY_TP = 6,
  DTC_REMEDY_PP = 7,
  DTC_REMEDY_CP = 8,
  DTC_REMEDY_EP = 9,
  DTC_REMEDY_DP = 10,
  DTC_REMEDY_SHARD_OPTIMIZER = 11,
  DTC_REMEDY_SHARD_GRADIENTS = 12,
  DTC_REMEDY_SHARD_WEIGHTS = 13,
  DTC_REMEDY_OFFLOAD_OPTIMIZER = 14,
  DTC_REMEDY_OFFLOAD_PARAMS = 15,
  DTC_REMEDY_OFFLOAD_ACTIVATIONS = 16,
  DTC_REMEDY_LOSS_FUSED = 17,
  DTC_REMEDY_LOSS_CHUNKS = 18,
  DTC_REMEDY_OPTIMIZER_8BIT = 19,
  DTC_REMEDY_OPTIMIZER_FUSED = 20,
  DTC_REMEDY_FLASH = 21,
  DTC_REMEDY_BF16 = 22,
  DTC_REMEDY_GRADS_16BIT = 23,
  DTC_REMEDY_BUCKET_VIEW = 24,
  DTC_REMEDY_VOCAB_PARALLEL = 25,
};
typedef struct dtc_memory_remedy {
  dtc_remedy remedy;
  dtc_bool fits;
  uint32_t field;
  uint32_t pad;
  uint64_t value;
  uint64_t gpus;
  uint64_t device;
  uint64_t saved;
} dtc_memory_remedy;
dtc_status dtc_memory_max_micro_batch(const dtc_model *model, const dtc_cluster *cluster,
                                                            const dtc_plan *plan, const dtc_stage *stages, size_t n,
                                                            dtc_max_setting *out, dtc_error *err);
dtc_status dtc_memory_max_seq(const dtc_model *model, const dtc_cluster *cluster,
                                                    const dtc_plan *plan, const dtc_stage *stages, size_t n,
                                                    dtc_max_setting *out, dtc_error *err);
dtc_status dtc_memory_remedies(const dtc_model *model, const dtc_cluster *cluster,
                                                     const dtc_plan *plan, const dtc_stage *stages, size_t n,
                                                     dtc_memory_remedy *out, size_t cap, size_t *count, dtc_error *err);
dtc_status dtc_memory_remedy_plan(const dtc_model *model, const dtc_cluster *cluster,
                                                        const dtc_plan *plan, dtc_remedy remedy, dtc_plan *out,
                                                        dtc_error *err);
typedef uint32_t dtc_estimator;
enum {
  DTC_ESTIMATOR_NONE = 0,
  DTC_ESTIMATOR_DEEPSPEED_ZERO2 = 1,
  DTC_ESTIMATOR_DEEPSPEED_ZERO3 = 2,
  DTC_ESTIMATOR_MEGATRON = 3,
  DTC_ESTIMATOR_ACCELERATE = 4,
};
typedef uint32_t dtc_load_dtype;
enum {
  DTC_LOAD_DTYPE_DEFAULT = 0,
  DTC_LOAD_DTYPE_FLOAT32 = 1,
  DTC_LOAD_DTYPE_FLOAT16 = 2,
  DTC_LOAD_DTYPE_INT8 = 3,
  DTC_LOAD_DTYPE_INT4 = 4,
};
typedef struct dtc_estimator_call {
  uint32_t struct_size;
  dtc_estimator estimator;
  dtc_release version;
  dtc_load_dtype dtype;
  dtc_bool offload;
  dtc_bool offload_params;
  dtc_bool zero_init;
  uint32_t pad;
  double buffer;
  uint64_t params;
  uint64_t layer_params;
  uint64_t gpus_per_node;
  uint64_t nodes;
  uint64_t latent;
} dtc_estimator_call;
typedef struct dtc_estimator_result {
  uint32_t struct_size;
  dtc_estimator estimator;
  dtc_release version;
  uint32_t pad;
  double gpu;
  double host;
  double params;
  double layer_params;
  double active_params;
  double shard_params;
  double other_params;
  double states;
  double activations;
  double activations_sp;
  double activations_plain;
  double layer;
  double weights;
  double model;
  double gradients;
  double optimizer;
  double step;
} dtc_estimator_result;
dtc_status dtc_memory_framework_estimate(const dtc_estimator_call *call, const dtc_model *model,
                                                               const dtc_plan *plan, dtc_estimator_result *out,
                                                               dtc_error *err);
dtc_status dtc_optimizer_bytes(const dtc_shape *shapes, size_t n_shapes,
                                                     const dtc_optimizer_spec *spec, dtc_optimizer_held *out,
                                                     dtc_error *err);
typedef uint32_t dtc_step_item;
enum {
  DTC_STEP_ITEM_NONE = 0,
  DTC_STEP_ITEM_DENSE = 1,
  DTC_STEP_ITEM_ATTENTION = 2,
  DTC_STEP_ITEM_EXPERTS = 3,
  DTC_STEP_ITEM_ELEMENTWISE = 4,
  DTC_STEP_ITEM_HEAD = 5,
  DTC_STEP_ITEM_RECOMPUTE = 6,
  DTC_STEP_ITEM_LAUNCH = 7,
  DTC_STEP_ITEM_TP = 8,
  DTC_STEP_ITEM_CP = 9,
  DTC_STEP_ITEM_EP = 10,
  DTC_STEP_ITEM_PP = 11,
  DTC_STEP_ITEM_BUBBLE = 12,
  DTC_STEP_ITEM_WEIGHTS = 13,
  DTC_STEP_ITEM_GRADIENTS = 14,
  DTC_STEP_ITEM_OPTIMIZER = 15,
  DTC_STEP_ITEM_OFFLOAD = 16,
  DTC_STEP_ITEM_STRAGGLERS = 17,
};
typedef struct dtc_step {
  uint32_t struct_size;
  dtc_step_item limit;
  double seconds;
  double low;
  double high;
  double dense;
  double attention;
  double experts;
  double elementwise;
  double head;
  double recompute;
  double launch;
  double tp;
  double cp;
  double ep;
  double pp;
  double bubble;
  double weights;
  double gradients;
  double optimizer;
  double offload;
  double stragglers;
  uint64_t tokens;
  uint64_t gpus;
  uint64_t stage;
  double tokens_per_gpu_second;
  double flops_per_gpu_second;
  double mfu;
  double hfu;
  dtc_confidence
      confidence;
  uint32_t pad;
} dtc_step;
typedef struct dtc_step_rate {
  uint32_t struct_size;
  dtc_flops_convention convention;
  double seconds;
  double tokens_per_second;
  double tokens_per_gpu_second;
  double sequences_per_second;
  double model_flops;
  double hardware_flops;
  double flops_per_gpu_second;
  double peak;
  double mfu;
  double hfu;
} dtc_step_rate;
typedef struct dtc_step_term {
  uint32_t index;
  dtc_step_item item;
  uint64_t m;
  uint64_t n;
  uint64_t k;
  uint64_t batch;
  double flops;
  double bytes;
  double each;
  double count;
  double seconds;
} dtc_step_term;
size_t dtc_software_count(void);
const char *dtc_software_name(size_t index);
const char *dtc_software_source(size_t index);
dtc_status dtc_software_find(const char *name, uint64_t *index, dtc_error *err);
typedef struct dtc_step_params {
  uint32_t struct_size;
  uint32_t software;
  double fp32;
  double bf16;
  double fp8;
  double fp4;
  double hbm;
  double attention;
  double communication;
  double host;
} dtc_step_params;
dtc_status dtc_step_resolve(const dtc_model *model, const dtc_cluster *cluster,
                                                  const dtc_plan *plan, const dtc_step_params *params,
                                                  dtc_step_params *out, dtc_error *err);
dtc_status dtc_step_estimate(const dtc_model *model, const dtc_cluster *cluster,
                                                   const dtc_plan *plan, const dtc_stage *stages, size_t n,
                                                   const dtc_step_params *params, dtc_step *out, dtc_error *err);
dtc_status dtc_step_terms(const dtc_model *model, const dtc_cluster *cluster,
                                                const dtc_plan *plan, const dtc_stage *stages, size_t n,
                                                const dtc_step_params *params, dtc_step_term *out, size_t cap,
                                                size_t *count, dtc_error *err);
const char *dtc_step_term_text(uint32_t index, dtc_lang lang);
dtc_status dtc_step_costs(const dtc_model *model, const dtc_cluster *cluster,
                                                const dtc_plan *plan, const dtc_stage *stages, size_t n,
                                                const dtc_step_params *params, dtc_pipe_cost *out, size_t cap,
                                                size_t *count, dtc_error *err);
dtc_status dtc_step_rates(const dtc_model *model, const dtc_cluster *cluster,
                                                const dtc_plan *plan, dtc_flops_convention convention, double seconds,
                                                dtc_step_rate *out, dtc_error *err);
enum {
  DTC_RULE_RUN_AHEAD = 860,
  DTC_RULE_STEP_RESOLVED = 861,
  DTC_RULE_STEP_POINTS = 862,
  DTC_RULE_STEP_PEAK = 880,
  DTC_RULE_STEP_MEMORY = 881,
  DTC_RULE_STEP_HOST = 882,
  DTC_RULE_STEP_SCHEDULE = 883,
  DTC_RULE_SOFTWARE_NAME = 884,
};
typedef struct dtc_step_fitted {
  uint32_t struct_size;
  uint32_t steps;
  double products;
  double attention;
  double memory;
  double communication;
  double host;
  double before;
  double after;
} dtc_step_fitted;
typedef struct dtc_step_sample {
  double products;
  double attention;
  double memory;
  double communication;
  double host;
  double share;
  double measured;
} dtc_step_sample;
dtc_status dtc_step_measure(const dtc_step *step, double seconds, dtc_step_sample *out,
                                                  dtc_error *err);
dtc_status dtc_step_fit(const dtc_step_sample *samples, size_t n_samples,
                                              const dtc_step_params *params, dtc_step_params *out,
                                              dtc_step_fitted *fitted, dtc_error *err);
dtc_status dtc_step_fit_collective(const dtc_cluster *cluster, const dtc_collective_call *call,
                                                         const dtc_timing *points, size_t n_points,
                                                         const dtc_step_params *params, dtc_step_params *out,
                                                         dtc_error *err);
typedef struct dtc_run_call {
  uint32_t struct_size;
  uint32_t pad;
  double tokens;
  double step_seconds;
  double step_tokens;
  uint64_t gpus;
  double mtbf;
  uint64_t checkpoint_bytes;
  double write_seconds;
  double restart_seconds;
  double interval_seconds;
  double price;
  double utilisation;
  double pue;
} dtc_run_call;
typedef struct dtc_run {
  uint32_t struct_size;
  uint32_t pad;
  double steps;
  double seconds;
  double days;
  double productive_seconds;
  double checkpoint_seconds;
  double lost_seconds;
  double restart_seconds;
  double failures;
  double mtbf_seconds;
  double interval_seconds;
  double interval_steps;
  double best_interval;
  double goodput;
  double gpu_hours;
  double cost;
  double energy;
} dtc_run;
dtc_status dtc_run_estimate(const dtc_cluster *cluster, const dtc_run_call *call, dtc_run *out,
                                                  dtc_error *err);
typedef uint32_t dtc_objective;
enum {
  DTC_OBJECTIVE_DEFAULT = 0,
  DTC_OBJECTIVE_TIME = 1,
  DTC_OBJECTIVE_GPU_TIME = 2,
  DTC_OBJECTIVE_MEMORY = 3,
};
typedef uint32_t dtc_space_axis;
enum {
  DTC_SPACE_AXIS_GPUS = 0,
  DTC_SPACE_AXIS_TP = 1,
  DTC_SPACE_AXIS_CP = 2,
  DTC_SPACE_AXIS_EP = 3,
  DTC_SPACE_AXIS_ETP = 4,
  DTC_SPACE_AXIS_SEQUENCE_PARALLEL = 5,
  DTC_SPACE_AXIS_MICRO_BATCH = 6,
  DTC_SPACE_AXIS_RECOMPUTE = 7,
  DTC_SPACE_AXIS_RECOMPUTE_LAYERS = 8,
  DTC_SPACE_AXIS_SHARDING = 9,
  DTC_SPACE_AXIS_OFFLOAD = 10,
  DTC_SPACE_AXIS_LAYERS = 11,
  DTC_SPACE_AXIS_PP = 12,
  DTC_SPACE_AXIS_VPP = 13,
  DTC_SPACE_AXIS_SCHEDULE = 14,
  DTC_SPACE_AXIS_DP_SHARD = 15,
};
typedef uint32_t dtc_space_layers;
enum {
  DTC_SPACE_LAYERS_EVEN = 0,
  DTC_SPACE_LAYERS_LOSS = 1,
  DTC_SPACE_LAYERS_BOTH = 2,
  DTC_SPACE_LAYERS_LAST = 3,
};
#define DTC_SPACE_AXES 16
typedef struct dtc_space {
  uint32_t struct_size;
  dtc_objective objective;
  uint64_t gpus_least;
  uint64_t tp_most;
  uint64_t cp_most;
  uint64_t ep_most;
  uint64_t pp_most;
  uint64_t vpp_most;
  uint64_t micro_batch_most;
  uint64_t reserve;
  uint64_t keep;
  uint32_t shardings;
  uint32_t recomputes;
  uint32_t schedules;
  uint32_t offloads;
  dtc_bool recompute_layers;
  dtc_bool dp_split;
  dtc_bool surely;
  uint32_t pad;
} dtc_space;
typedef struct dtc_found {
  uint64_t index;
  double value;
  double seconds;
  uint64_t device;
  uint64_t gpus;
} dtc_found;
typedef struct dtc_search {
  uint32_t struct_size;
  dtc_memory_item limit;
  uint64_t tried;
  uint64_t same;
  uint64_t illegal;
  uint64_t unknown;
  uint64_t over;
  uint64_t fit;
  uint64_t pruned;
  uint64_t least;
  uint64_t least_index;
} dtc_search;
enum {
  DTC_RULE_SEARCH_BATCH = 920,
  DTC_RULE_SEARCH_GPUS = 921,
  DTC_RULE_SEARCH_SPACE = 922,
};
dtc_status dtc_search_size(const dtc_model *model, const dtc_cluster *cluster,
                                                 const dtc_plan *plan, const dtc_space *space, uint64_t *size,
                                                 dtc_error *err);
dtc_status dtc_search_axis(const dtc_model *model, const dtc_cluster *cluster,
                                                 const dtc_plan *plan, const dtc_space *space, dtc_space_axis axis,
                                                 uint64_t *values, size_t cap, size_t *count, dtc_error *err);
dtc_status dtc_search_plan(const dtc_model *model, const dtc_cluster *cluster,
                                                 const dtc_plan *plan, const dtc_space *space, uint64_t index,
                                                 dtc_plan *out, dtc_error *err);
dtc_status dtc_search_run(const dtc_model *model, const dtc_cluster *cluster,
                                                const dtc_plan *plan, const dtc_space *space,
                                                const dtc_step_params *params, uint64_t first, uint64_t number,
                                                dtc_found *best, size_t cap, size_t *count, dtc_search *out,
                                                uint64_t *scratch, size_t n_scratch, dtc_error *err);
dtc_status dtc_search_scratch(uint64_t *needed, dtc_error *err);
dtc_status dtc_search_merge(const dtc_found *left, size_t n_left, const dtc_found *right,
                                                  size_t n_right, uint64_t keep, dtc_found *best, size_t cap,
                                                  size_t *count, dtc_error *err);
typedef uint32_t dtc_search_kind;
enum {
  DTC_SEARCH_KIND_NONE = 0,
  DTC_SEARCH_KIND_RECOMPUTE = 1,
  DTC_SEARCH_KIND_SHARDING = 2,
  DTC_SEARCH_KIND_OFFLOAD = 3,
  DTC_SEARCH_KIND_SEQ = 4,
  DTC_SEARCH_KIND_GPUS = 5,
};
dtc_status dtc_search_change(const dtc_model *model, const dtc_cluster *cluster,
                                                   const dtc_plan *plan, const dtc_space *space, dtc_search_kind kind,
                                                   uint64_t step, dtc_cluster *next_cluster, dtc_plan *next_plan,
                                                   dtc_space *next_space, dtc_error *err);
typedef uint32_t dtc_dialect;
enum {
  DTC_DIALECT_DEFAULT = 0,
  DTC_DIALECT_DEEPSPEED = 1,
  DTC_DIALECT_MEGATRON = 2,
  DTC_DIALECT_TORCHTITAN = 3,
  DTC_DIALECT_COLOSSALAI = 4,
  DTC_DIALECT_ACCELERATE = 5,
  DTC_DIALECT_TRAINER = 6,
  DTC_DIALECT_HOSTFILE = 7,
  DTC_DIALECT_SLURM = 8,
  DTC_DIALECT_TORCHRUN = 9,
  DTC_DIALECT_NCCL = 10,
};
typedef struct dtc_lint {
  uint32_t struct_size;
  dtc_dialect dialect;
  dtc_release version;
  uint32_t compute;
  uint64_t world;
  uint64_t nodes;
} dtc_lint;
enum {
  DTC_RULE_LINT_UNKNOWN = 400,
  DTC_RULE_LINT_UNHEARD = 401,
  DTC_RULE_LINT_TYPE = 402,
  DTC_RULE_LINT_RANGE = 403,
  DTC_RULE_LINT_WORD = 404,
  DTC_RULE_LINT_TWICE = 405,
  DTC_RULE_LINT_GONE = 406,
  DTC_RULE_LINT_IGNORED = 407,
  DTC_RULE_LINT_ARGS = 408,
  DTC_RULE_LINT_STRAY = 409,
  DTC_RULE_LINT_CUT = 410,
  DTC_RULE_LINT_HASH = 411,
  DTC_RULE_LINT_BLANKS = 412,
  DTC_RULE_LINT_QUOTE = 413,
  DTC_RULE_LINT_BYTES = 414,
  DTC_RULE_ARGS_WORLD = 420,
  DTC_RULE_ARGS_SHARDS = 421,
  DTC_RULE_ARGS_EXPERT_SHARDS = 422,
  DTC_RULE_ARGS_EXPERT_WORLD = 423,
  DTC_RULE_ARGS_CP_LEVELS = 424,
  DTC_RULE_ARGS_CP_COMM = 425,
  DTC_RULE_ARGS_CONNECTIONS = 426,
  DTC_RULE_ARGS_CONNECTIONS_FSDP = 427,
  DTC_RULE_ARGS_SP_TP = 428,
  DTC_RULE_ARGS_TP_OVERLAP = 429,
  DTC_RULE_ARGS_HYBRID_CP = 430,
  DTC_RULE_ARGS_GTP = 431,
  DTC_RULE_ARGS_SHARP = 432,
  DTC_RULE_ARGS_REQUIRED = 433,
  DTC_RULE_ARGS_FOLLOWS = 434,
  DTC_RULE_ARGS_BATCH = 435,
  DTC_RULE_ARGS_EVAL_BATCH = 436,
  DTC_RULE_ARGS_HEADS = 437,
  DTC_RULE_ARGS_KV_HEADS = 438,
  DTC_RULE_ARGS_HEAD_SIZE = 439,
  DTC_RULE_ARGS_CP_SEQ = 440,
  DTC_RULE_ARGS_POSITIONS = 441,
  DTC_RULE_ARGS_DECODER_POSITIONS = 442,
  DTC_RULE_ARGS_MODEL = 443,
  DTC_RULE_ARGS_MODEL_NEEDS = 444,
  DTC_RULE_ARGS_MODEL_GIVEN = 445,
  DTC_RULE_ARGS_LINEAR_HEADS = 446,
  DTC_RULE_ARGS_LINEAR_SPLIT = 447,
  DTC_RULE_ARGS_BUILD_FFN = 448,
  DTC_RULE_ARGS_BUILD_MOE_FFN = 449,
  DTC_RULE_ARGS_SP_SEQ = 450,
  DTC_RULE_ARGS_ONE_SPLIT = 451,
  DTC_RULE_ARGS_LAYERS = 452,
  DTC_RULE_ARGS_VPP_LAYERS = 453,
  DTC_RULE_ARGS_VPP_ACCOUNT = 454,
  DTC_RULE_ARGS_VPP_BUILD = 455,
  DTC_RULE_ARGS_VPP_PP = 456,
  DTC_RULE_ARGS_WARMUP_FLUSH = 457,
  DTC_RULE_ARGS_UNEVEN_ENDS = 458,
  DTC_RULE_ARGS_UNEVEN_NONE = 459,
  DTC_RULE_ARGS_UNEVEN_MIDDLE = 460,
  DTC_RULE_ARGS_UNEVEN_FEWER = 461,
  DTC_RULE_ARGS_FIRST_VPP = 462,
  DTC_RULE_ARGS_LAST_VPP = 463,
  DTC_RULE_ARGS_MIDDLE_VPP = 464,
  DTC_RULE_ARGS_UNEVEN_ZERO = 465,
  DTC_RULE_ARGS_GROUP = 466,
  DTC_RULE_ARGS_GROUP_MOST = 467,
  DTC_RULE_ARGS_GROUP_REST = 468,
  DTC_RULE_ARGS_OVERLAP_GATHER = 469,
  DTC_RULE_ARGS_FSDP2 = 470,
  DTC_RULE_ARGS_FSDP2_NEEDS = 471,
  DTC_RULE_ARGS_FSDP_NEEDS = 472,
  DTC_RULE_ARGS_FSDP = 473,
  DTC_RULE_ARGS_OPTIMIZER_OFFLOAD = 474,
  DTC_RULE_ARGS_PRECISION_AWARE = 475,
  DTC_RULE_ARGS_REUSE_GRADS = 476,
  DTC_RULE_ARGS_FREEZE = 477,
  DTC_RULE_ARGS_HALF = 478,
  DTC_RULE_ARGS_HALF_NEEDS = 479,
  DTC_RULE_ARGS_FP8 = 480,
  DTC_RULE_ARGS_FP8_NEEDS = 481,
  DTC_RULE_ARGS_FP8_GIVEN = 482,
  DTC_RULE_ARGS_BF16_START = 483,
  DTC_RULE_ARGS_BF16_END = 484,
  DTC_RULE_ARGS_RECOMPUTE_GIVEN = 485,
  DTC_RULE_ARGS_RECOMPUTE = 486,
  DTC_RULE_ARGS_RECOMPUTE_NEEDS = 487,
  DTC_RULE_ARGS_OFFLOAD_LAYERS = 488,
  DTC_RULE_ARGS_OFFLOAD = 489,
  DTC_RULE_ARGS_OFFLOAD_NEEDS = 490,
  DTC_RULE_ARGS_GRAPH = 491,
  DTC_RULE_ARGS_GRAPH_NEEDS = 492,
  DTC_RULE_ARGS_EP_EXPERTS = 493,
  DTC_RULE_ARGS_EP_DIVIDES = 494,
  DTC_RULE_ARGS_TOP_K = 495,
  DTC_RULE_ARGS_GROUPED_GEMM = 496,
  DTC_RULE_ARGS_MOE_BIAS = 497,
  DTC_RULE_ARGS_MOE_SP = 498,
  DTC_RULE_ARGS_MOE_NEEDS = 499,
  DTC_RULE_ARGS_MOE_GIVEN = 500,
  DTC_RULE_ARGS_MOE = 501,
  DTC_RULE_ARGS_ROUTER_GROUPS = 502,
  DTC_RULE_ARGS_GROUP_TOP_K = 503,
  DTC_RULE_ARGS_EP_OVERLAP_NEEDS = 504,
  DTC_RULE_ARGS_EP_OVERLAP = 505,
  DTC_RULE_ARGS_DEFER_EMBEDDING =
      506,
  DTC_RULE_ARGS_ITERATIONS = 507,
  DTC_RULE_ARGS_MIN_LR = 508,
  DTC_RULE_ARGS_DECAY_GIVEN = 509,
  DTC_RULE_ARGS_DATA = 510,
  DTC_RULE_ARGS_DETERMINISTIC = 511,
  DTC_RULE_ARGS_CKPT_NEEDS = 512,
  DTC_RULE_ARGS_CKPT_GIVEN = 513,
  DTC_RULE_ARGS_CKPT = 514,
  DTC_RULE_ARGS_ASYNC_SAVE = 515,
  DTC_RULE_ARGS_SAVE_RETAIN = 516,
  DTC_RULE_ARGS_LOG_MEMORY = 517,
  DTC_RULE_ARGS_INFERENCE = 518,
  DTC_RULE_DEEPSPEED_BATCH = 520,
  DTC_RULE_DEEPSPEED_MICRO = 521,
  DTC_RULE_DEEPSPEED_STEPS = 522,
  DTC_RULE_DEEPSPEED_NO_BATCH = 523,
  DTC_RULE_DEEPSPEED_AUTO = 524,
  DTC_RULE_DEEPSPEED_SEQUENCE = 525,
  DTC_RULE_DEEPSPEED_FILE = 526,
  DTC_RULE_DEEPSPEED_FP16_BF16 = 527,
  DTC_RULE_DEEPSPEED_MASTER = 528,
  DTC_RULE_DEEPSPEED_STATES = 529,
  DTC_RULE_DEEPSPEED_RATIO = 530,
  DTC_RULE_DEEPSPEED_SUM = 531,
  DTC_RULE_DEEPSPEED_PARAM = 532,
  DTC_RULE_DEEPSPEED_OPTIMIZER = 533,
  DTC_RULE_DEEPSPEED_NVME = 534,
  DTC_RULE_DEEPSPEED_STAGE3 = 535,
  DTC_RULE_DEEPSPEED_SUPER = 536,
  DTC_RULE_DEEPSPEED_OLD = 537,
  DTC_RULE_DEEPSPEED_ZERO_TRUE = 538,
  DTC_RULE_DEEPSPEED_LEGACY = 539,
  DTC_RULE_DEEPSPEED_ELASTIC = 540,
  DTC_RULE_DEEPSPEED_ELASTIC3 = 541,
  DTC_RULE_DEEPSPEED_ONEBIT = 542,
  DTC_RULE_DEEPSPEED_ONEBIT_GONE = 543,
  DTC_RULE_DEEPSPEED_AUTOEP = 544,
  DTC_RULE_DEEPSPEED_NORM = 545,
  DTC_RULE_DEEPSPEED_VOCAB = 546,
  DTC_RULE_DEEPSPEED_CHECKPOINTS = 547,
  DTC_RULE_DEEPSPEED_NUMBER = 548,
  DTC_RULE_TITAN_WORLD = 570,
  DTC_RULE_TITAN_EP = 571,
  DTC_RULE_TITAN_ETP = 572,
  DTC_RULE_TITAN_BATCH = 573,
  DTC_RULE_TITAN_MICRO = 574,
  DTC_RULE_TITAN_MINUS_ONE = 575,
  DTC_RULE_TITAN_SEQ = 576,
  DTC_RULE_TITAN_GRAPHS = 577,
  DTC_RULE_TITAN_ASYNC_TP = 578,
  DTC_RULE_TITAN_SYMMETRIC = 579,
  DTC_RULE_TITAN_BALANCER = 580,
  DTC_RULE_TITAN_FULL_DTENSOR = 581,
  DTC_RULE_TITAN_BUDGET = 582,
  DTC_RULE_TITAN_MIXED = 583,
  DTC_RULE_TITAN_BUBBLE = 584,
  DTC_RULE_TITAN_DUALPIPE = 585,
  DTC_RULE_TITAN_IN_BACKWARD = 586,
  DTC_RULE_TITAN_TYPECHECKING = 587,
  DTC_RULE_TITAN_NO_EFFECT = 588,
  DTC_RULE_TITAN_INVARIANT = 589,
  DTC_RULE_COLOSSAL_WORLD = 590,
  DTC_RULE_COLOSSAL_SP_WORLD = 591,
  DTC_RULE_COLOSSAL_EP = 592,
  DTC_RULE_COLOSSAL_SP_OFF = 593,
  DTC_RULE_COLOSSAL_SP_TP = 594,
  DTC_RULE_COLOSSAL_SP_SIZE = 595,
  DTC_RULE_COLOSSAL_SP_MODE = 596,
  DTC_RULE_COLOSSAL_MICRO = 597,
  DTC_RULE_COLOSSAL_CHUNKS = 598,
  DTC_RULE_COLOSSAL_NODES = 599,
  DTC_RULE_COLOSSAL_PP_ZERO = 600,
  DTC_RULE_COLOSSAL_MOE_ZERO = 601,
  DTC_RULE_COLOSSAL_ARGUMENT = 602,
  DTC_RULE_COLOSSAL_MISSING = 603,
  DTC_RULE_COLOSSAL_NORM = 604,
  DTC_RULE_COLOSSAL_PRECISION = 605,
  DTC_RULE_COLOSSAL_PLACEMENT = 606,
  DTC_RULE_COLOSSAL_OFFLOAD = 607,
  DTC_RULE_COLOSSAL_SQUARE = 608,
  DTC_RULE_COLOSSAL_LEGACY = 609,
  DTC_RULE_ACCELERATE_TYPE = 610,
  DTC_RULE_ACCELERATE_PROCESSES = 611,
  DTC_RULE_ACCELERATE_MACHINES = 612,
  DTC_RULE_ACCELERATE_IP = 613,
  DTC_RULE_ACCELERATE_RESHARD = 614,
  DTC_RULE_ACCELERATE_PREFETCH = 615,
  DTC_RULE_ACCELERATE_RESET = 616,
  DTC_RULE_ACCELERATE_STATE_DICT = 617,
  DTC_RULE_ACCELERATE_RAM = 618,
  DTC_RULE_ACCELERATE_OFFLOAD = 619,
  DTC_RULE_ACCELERATE_SIZES = 620,
  DTC_RULE_ACCELERATE_CP_SP = 621,
  DTC_RULE_ACCELERATE_REPLICATE = 622,
  DTC_RULE_ACCELERATE_FSDP1 = 623,
  DTC_RULE_ACCELERATE_SHARD = 624,
  DTC_RULE_ACCELERATE_FILE = 625,
  DTC_RULE_ACCELERATE_ZERO3 = 626,
  DTC_RULE_ACCELERATE_UNUSED = 627,
  DTC_RULE_TRAINER_PRECISION = 628,
  DTC_RULE_TRAINER_STRATEGY = 629,
  DTC_RULE_TRAINER_WORDS = 630,
  DTC_RULE_TRAINER_CHECKPOINTING = 631,
  DTC_RULE_TRAINER_DEEPSPEED = 632,
  DTC_RULE_TRAINER_FSDP_CONFIG = 633,
  DTC_RULE_TORCHRUN_NODE_RANK = 634,
  DTC_RULE_TORCHRUN_LOOPBACK = 635,
  DTC_RULE_TORCHRUN_MASTER = 636,
  DTC_RULE_TORCHRUN_ENDPOINT = 637,
  DTC_RULE_TORCHRUN_STANDALONE = 638,
  DTC_RULE_TORCHRUN_WORLD = 639,
  DTC_RULE_HOSTS_BOTH = 640,
  DTC_RULE_HOSTS_FILTER = 641,
  DTC_RULE_HOSTS_UNKNOWN = 642,
  DTC_RULE_HOSTS_SLOT = 643,
  DTC_RULE_HOSTS_UNCHECKED = 644,
  DTC_RULE_HOSTS_DROPPED = 645,
  DTC_RULE_HOSTS_NOTHING = 646,
  DTC_RULE_HOSTS_JUNK = 647,
  DTC_RULE_HOSTS_LOCAL = 648,
  DTC_RULE_HOSTS_NUM = 649,
  DTC_RULE_HOSTS_SLURM = 650,
  DTC_RULE_HOSTS_RANK = 651,
  DTC_RULE_HOSTS_WORLD = 652,
  DTC_RULE_SBATCH_TASKS = 655,
  DTC_RULE_SBATCH_SQUARED = 656,
  DTC_RULE_SBATCH_IDLE = 657,
  DTC_RULE_SBATCH_OWN_GPU = 658,
  DTC_RULE_SBATCH_LATE = 659,
  DTC_RULE_SBATCH_BLANK = 660,
  DTC_RULE_SBATCH_VARIABLE = 661,
  DTC_RULE_SBATCH_LOCALHOST = 662,
  DTC_RULE_SBATCH_LAUNCH_NODE = 663,
  DTC_RULE_SBATCH_VISIBLE = 664,
  DTC_RULE_SBATCH_ALONE = 665,
  DTC_RULE_SBATCH_GPUS = 666,
  DTC_RULE_SBATCH_MORE = 667,
  DTC_RULE_SBATCH_PROCESSES = 668,
  DTC_RULE_SBATCH_WORLD = 669,
  DTC_RULE_NCCL_DEVICE = 670,
  DTC_RULE_NCCL_PREFIX = 671,
  DTC_RULE_NCCL_FORM = 672,
  DTC_RULE_NCCL_BARE = 673,
  DTC_RULE_NCCL_PORT = 674,
  DTC_RULE_NCCL_LONG = 675,
  DTC_RULE_NCCL_LOOPBACK = 676,
  DTC_RULE_NCCL_LONGER = 677,
  DTC_RULE_NCCL_NO_DEVICE = 678,
  DTC_RULE_NCCL_NO_INTERFACE = 679,
  DTC_RULE_NCCL_SUBNET = 680,
  DTC_RULE_NCCL_IB_OFF = 681,
  DTC_RULE_NCCL_P2P_OFF = 682,
  DTC_RULE_NCCL_NET = 683,
  DTC_RULE_NCCL_MASTER = 684,
  DTC_RULE_NCCL_CHOICE = 685,
  DTC_RULE_NCCL_RING = 686,
  DTC_RULE_NCCL_CHANNELS = 687,
  DTC_RULE_NCCL_MISMATCH = 688,
  DTC_RULE_NCCL_TORCH = 689,
};
dtc_status dtc_framework_lint(const dtc_lint *lint, const char *text, size_t len,
                                                    dtc_model *model, dtc_plan *plan, dtc_error *out, size_t cap,
                                                    size_t *count, uint64_t *scratch, size_t n_scratch, dtc_error *err);
dtc_status dtc_framework_lint_scratch(const dtc_lint *lint, uint64_t *needed, dtc_error *err);
dtc_status dtc_framework_lint_hca(const char *value, size_t len, const char *devices,
                                                        size_t devices_len, uint32_t *out, size_t cap, size_t *count,
                                                        dtc_error *err);
typedef uint32_t dtc_launch_target;
enum {
  DTC_LAUNCH_TARGET_DEFAULT = 0,
  DTC_LAUNCH_TARGET_TORCHRUN = 1,
  DTC_LAUNCH_TARGET_C10D = 2,
  DTC_LAUNCH_TARGET_STANDALONE = 3,
  DTC_LAUNCH_TARGET_DEEPSPEED = 4,
  DTC_LAUNCH_TARGET_DEEPSPEED_SLURM = 5,
  DTC_LAUNCH_TARGET_HOSTFILE = 6,
  DTC_LAUNCH_TARGET_SRUN = 7,
  DTC_LAUNCH_TARGET_SBATCH = 8,
  DTC_LAUNCH_TARGET_SBATCH_TORCHRUN = 9,
  DTC_LAUNCH_TARGET_MPIRUN = 10,
  DTC_LAUNCH_TARGET_ACCELERATE_RUN = 11,
  DTC_LAUNCH_TARGET_COLOSSALAI_RUN = 12,
  DTC_LAUNCH_TARGET_MEGATRON = 13,
  DTC_LAUNCH_TARGET_DS_CONFIG = 14,
  DTC_LAUNCH_TARGET_ACCELERATE = 15,
  DTC_LAUNCH_TARGET_TRAINER = 16,
  DTC_LAUNCH_TARGET_TITAN_TOML = 17,
  DTC_LAUNCH_TARGET_TITAN_PYTHON = 18,
  DTC_LAUNCH_TARGET_COLOSSALAI = 19,
  DTC_LAUNCH_TARGET_ENVIRONMENT = 20,
};
typedef uint32_t dtc_launch_arguments;
enum {
  DTC_LAUNCH_ARGUMENTS_DEFAULT = 0,
  DTC_LAUNCH_ARGUMENTS_NONE = 1,
  DTC_LAUNCH_ARGUMENTS_TRAINER = 2,
};
typedef struct dtc_launch {
  uint32_t struct_size;
  dtc_launch_target target;
  dtc_launch_arguments arguments;
  dtc_release tool_version;
  uint64_t nodes;
  uint64_t gpus_per_node;
  uint64_t port;
  uint64_t node;
  uint32_t fsdp;
  dtc_bool is_module;
} dtc_launch;
enum {
  DTC_RULE_LAUNCH_TARGET = 940,
  DTC_RULE_LAUNCH_SETTING = 941,
  DTC_RULE_LAUNCH_VALUE = 942,
  DTC_RULE_LAUNCH_CHARACTER = 943,
  DTC_RULE_LAUNCH_NODES = 944,
  DTC_RULE_LAUNCH_HOSTS = 945,
  DTC_RULE_LAUNCH_NEEDS = 946,
  DTC_RULE_LAUNCH_ONE_NODE = 947,
  DTC_RULE_LAUNCH_VERSION = 948,
  DTC_RULE_LAUNCH_TOGETHER = 949,
};
dtc_status dtc_launch_write(const dtc_model *model, const dtc_cluster *cluster,
                                                  const dtc_plan *plan, const dtc_launch *launch, const char *script,
                                                  size_t script_len, const char *hosts, size_t hosts_len, char *buf,
                                                  size_t cap, size_t *len, dtc_error *err);
dtc_status dtc_launch_targets(const dtc_plan *plan, const dtc_launch *launch, uint32_t *out,
                                                    size_t cap, size_t *count, dtc_error *err);
const char *dtc_launch_file(dtc_launch_target target);
typedef uint32_t dtc_alloc_kind;
enum {
  DTC_ALLOC_KIND_DEFAULT = 0,
  DTC_ALLOC_KIND_REQUEST = 1,
  DTC_ALLOC_KIND_ALLOCATED = 2,
  DTC_ALLOC_KIND_DEVICE = 3,
};
typedef uint32_t dtc_alloc_device;
enum {
  DTC_ALLOC_DEVICE_DEFAULT = 0,
  DTC_ALLOC_DEVICE_GPU = 1,
  DTC_ALLOC_DEVICE_NPU = 2,
  DTC_ALLOC_DEVICE_HOST = 3,
};
typedef struct dtc_alloc {
  uint32_t struct_size;
  dtc_alloc_kind kind;
  dtc_alloc_device device;
  uint32_t pad;
  uint64_t bytes;
  uint64_t low;
  uint64_t high;
  uint64_t capacity;
  uint64_t free;
  uint64_t in_use;
  uint64_t allocated;
  uint64_t reserved;
  uint64_t offset;
  uint64_t params;
} dtc_alloc;
typedef uint32_t dtc_suspect;
enum {
  DTC_SUSPECT_NONE = 0,
  DTC_SUSPECT_LOGITS = 1,
  DTC_SUSPECT_LOGITS_NEXT = 2,
  DTC_SUSPECT_SCORES = 3,
  DTC_SUSPECT_LAYER = 4,
  DTC_SUSPECT_OUTSIDE = 5,
  DTC_SUSPECT_TENSOR = 6,
  DTC_SUSPECT_SHARD = 7,
  DTC_SUSPECT_SUB_GROUP = 8,
  DTC_SUSPECT_BUCKET = 9,
  DTC_SUSPECT_COPY = 10,
  DTC_SUSPECT_EXPERTS = 11,
  DTC_SUSPECT_NO_EXPERTS = 12,
  DTC_SUSPECT_EXPERT_LAYER = 13,
  DTC_SUSPECT_HIDDEN = 14,
  DTC_SUSPECT_MLP = 15,
  DTC_SUSPECT_MLP_IN = 16,
  DTC_SUSPECT_QKV = 17,
  DTC_SUSPECT_KV = 18,
  DTC_SUSPECT_ROUTED = 19,
  DTC_SUSPECT_ROUTED_MLP = 20,
  DTC_SUSPECT_STATES = 21,
  DTC_SUSPECT_STATES_WHOLE = 22,
};
typedef uint32_t dtc_solved;
enum {
  DTC_SOLVED_NONE = 0,
  DTC_SOLVED_MICRO_BATCH = 1,
  DTC_SOLVED_TOKENS = 2,
  DTC_SOLVED_SEQ = 3,
  DTC_SOLVED_RANKS = 4,
  DTC_SOLVED_PARAMS = 5,
};
typedef struct dtc_candidate {
  dtc_suspect suspect;
  dtc_solved solved;
  uint32_t dtype_bytes;
  dtc_bool usual;
  uint64_t avoid;
  uint64_t value;
  uint64_t elements;
  uint64_t bytes;
  uint64_t distance;
  uint64_t ranks;
  uint64_t stage;
  uint64_t tensor;
} dtc_candidate;
dtc_status dtc_explain_read(const char *text, size_t len, dtc_alloc *out, dtc_error *err);
dtc_status dtc_explain_alloc(const dtc_model *model, const dtc_cluster *cluster,
                                                   const dtc_plan *plan, const dtc_alloc *alloc,
                                                   dtc_candidate *candidates, size_t cap, size_t *count,
                                                   dtc_error *err);
const char *dtc_explain_text(dtc_suspect suspect, dtc_lang lang);
enum {
  DTC_RULE_EXPLAIN_TEXT = 930,
  DTC_RULE_EXPLAIN_BYTES = 931,
  DTC_RULE_EXPLAIN_PARAMS = 932,
  DTC_RULE_EXPLAIN_MODEL = 933,
};
#endif

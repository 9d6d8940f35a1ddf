/**
 * @file base.h
 * @brief Status codes, errors as numbers, struct sizes and versions: what every other header uses.
 *
 * Threads: every function of the library is a pure function of its arguments, without globals, allocation, I/O or
 * locale. All of them are safe to call from any thread; two calls may share const inputs, never outputs.
 * Ownership: the caller owns all memory. Strings that a function returns are constants and live as long as the library.
 *
 * Structs start with `struct_size`, the caller's promise of how many bytes may be read and written; DTC_INIT() sets it.
 * They grow only at the end. A smaller struct than the first release's gives DTC_E_SIZE; a larger one whose unknown
 * tail is not zero gives DTC_E_NEWER. In an array of structs element 0's `struct_size` is the stride. Records
 * (dtc_axis) have no size field and are frozen for ever.
 *
 * On an error structs and numbers are untouched, except that DTC_E_SPACE writes the count needed (SIZE_MAX when it fits no
 * size_t; dtc_error.min has it whole); what output arrays
 * hold is then unspecified, because a function may work in them.
 *
 * Zero means "default": derived from the other fields, or what the framework itself does.
 */
#ifndef DTCORE_BASE_H
#define DTCORE_BASE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(SWIG)
#define DTC_API
#define DTC_NODISCARD
#define DTC_DEPRECATED(instead)
#elif defined(__GNUC__)
#define DTC_API __attribute__((visibility("default")))
#define DTC_NODISCARD __attribute__((warn_unused_result))
#define DTC_DEPRECATED(instead) __attribute__((deprecated(instead)))
#else
#define DTC_API
#define DTC_NODISCARD
#define DTC_DEPRECATED(instead)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** Major release of these headers. */
#define DTC_VERSION_MAJOR 1
/** Minor release of these headers. */
#define DTC_VERSION_MINOR 0
/** Patch release of these headers. */
#define DTC_VERSION_PATCH 0
/** Version of these headers; dtc_version() is the library's. */
#define DTC_VERSION (DTC_VERSION_MAJOR * 1000000u + DTC_VERSION_MINOR * 1000u + DTC_VERSION_PATCH)

/** Means "no value" in dtc_error and in results. */
#define DTC_NONE UINT64_MAX

/** What a call came to. Codes are only ever appended. */
typedef int32_t dtc_status;
enum {
  DTC_OK = 0,             /**< done */
  DTC_E_SIZE = 1,         /**< a struct_size is smaller than the first release's, or larger than 4096 */
  DTC_E_NEWER = 2,        /**< a struct holds fields this library does not know, and they are not zero */
  DTC_E_RANGE = 3,        /**< a value lies outside its range */
  DTC_E_DIVIDE = 4,       /**< one value must divide another and does not */
  DTC_E_OVERFLOW = 5,     /**< a result does not fit 64 bits */
  DTC_E_UNKNOWN = 6,      /**< a name, word or type is not known */
  DTC_E_PARSE = 7,        /**< a text is malformed at a byte offset */
  DTC_E_SPACE = 8,        /**< an output array is too small; the count needed was written */
  DTC_E_CONFLICT = 9,     /**< two values contradict each other */
  DTC_E_UNSUPPORTED = 10, /**< a legal request that this version does not answer */
};

/** Three-valued switch: 0 default, 1 on, 2 off. C's true is on; its false is the default, not off. */
typedef uint32_t dtc_bool;
enum {
  DTC_BOOL_DEFAULT = 0, /**< the default of the model family or framework */
  DTC_BOOL_ON = 1,      /**< on */
  DTC_BOOL_OFF = 2,     /**< off */
};

/** Language of dtc_error_format(). */
typedef uint32_t dtc_lang;
enum {
  DTC_LANG_EN = 0, /**< English */
  DTC_LANG_ZH = 1, /**< Chinese (simplified), UTF-8 */
};

/** How serious a finding is. */
typedef uint32_t dtc_severity;
enum {
  DTC_SEVERITY_ERROR = 0,   /**< refused */
  DTC_SEVERITY_WARNING = 1, /**< accepted, but probably not what is meant */
};

/** Number of each struct and record: the upper half of a field id, and the argument of dtc_struct_size(). */
enum {
  DTC_STRUCT_arg = 0, /**< not a struct: an argument, see DTC_ARG_INDEX and its siblings */
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
  DTC_STRUCT_setting = 254, /**< not a struct: a key of a framework's configuration */
  DTC_STRUCT_hf = 255,      /**< not a struct: a key of a Hugging Face config.json */
};

/** Fields of struct 0: arguments that are not in a struct. */
enum {
  DTC_ARG_INDEX = 1,          /**< index of an element */
  DTC_ARG_NAME = 2,           /**< name to look up */
  DTC_ARG_TEXT = 3,           /**< text to parse */
  DTC_ARG_STAGES = 4,         /**< array of pipeline stages */
  DTC_ARG_PARAMS = 5,         /**< number of parameters */
  DTC_ARG_SEQ = 6,            /**< sequence length, tokens */
  DTC_ARG_CONVENTION = 7,     /**< dtc_flops_convention */
  DTC_ARG_OUT = 8,            /**< output array */
  DTC_ARG_KIND = 9,           /**< dtc_layer_kind */
  DTC_ARG_RANK = 10,          /**< rank of a process */
  DTC_ARG_RANKS = 11,         /**< list or number of ranks */
  DTC_ARG_OFFSET = 12,        /**< first rank of a mesh */
  DTC_ARG_COORD = 13,         /**< coordinates in a mesh */
  DTC_ARG_PART = 14,          /**< dtc_mesh_part */
  DTC_ARG_GROUP = 15,         /**< index of a group */
  DTC_ARG_DOMAIN = 16,        /**< ranks of a domain */
  DTC_ARG_AXES = 17,          /**< number of axes of a mesh */
  DTC_ARG_LEAVES = 18,        /**< leaf switches of nodes */
  DTC_ARG_CPUS = 19,          /**< CPUs of each node */
  DTC_ARG_TASK_CPUS = 20,     /**< CPUs of a task */
  DTC_ARG_ORDER = 21,         /**< order of tasks or nodes */
  DTC_ARG_WORKERS = 22,       /**< processes of each node */
  DTC_ARG_HOSTS = 23,         /**< names of nodes */
  DTC_ARG_HOSTFILE = 24,      /**< text of a DeepSpeed hostfile */
  DTC_ARG_SHAPES = 25,        /**< tensors */
  DTC_ARG_SLOTS = 26,         /**< where tensors lie */
  DTC_ARG_SCRATCH = 27,       /**< working memory */
  DTC_ARG_TENSOR = 28,        /**< index of a tensor */
  DTC_ARG_ELEMENT = 29,       /**< element of a tensor */
  DTC_ARG_MODULES = 30,       /**< calls of modules */
  DTC_ARG_MICRO_BATCHES = 31, /**< micro-batches of a step */
  DTC_ARG_OFFLOAD = 32,       /**< dtc_offload */
  DTC_ARG_TP = 33,            /**< ranks of tensor parallelism */
  DTC_ARG_SOURCE = 34,        /**< where tensors lie in a checkpoint */
  DTC_ARG_TARGET = 35,        /**< where tensors lie in the job that loads it */
  DTC_ARG_SOURCE_TP = 36,     /**< tensor parallel degree of a checkpoint */
  DTC_ARG_TARGET_TP = 37,     /**< tensor parallel degree of the job that loads it */
  DTC_ARG_FORM = 38,          /**< dtc_checkpoint_form */
  DTC_ARG_OPS = 39,           /**< ops of a pipeline, rank after rank */
  DTC_ARG_COSTS = 40,         /**< costs of pipeline stages */
  DTC_ARG_TIMES = 41,         /**< times of ops */
  DTC_ARG_LATENCY = 42,       /**< latency of a message */
  DTC_ARG_TRANSFER = 43,      /**< time that a message occupies its link */
  DTC_ARG_SENDS = 44,         /**< dtc_pipe_sends */
  DTC_ARG_CHUNK = 45,         /**< chunk of a pipeline rank */
  DTC_ARG_LAYOUT = 46,        /**< text of a pipeline layout */
  DTC_ARG_WEIGHTS = 47,       /**< weights of modules */
  DTC_ARG_ITEMS = 48,         /**< items that a model is split into */
  DTC_ARG_LIMIT = 49,         /**< bytes of a pipeline stage */
  DTC_ARG_OP = 60,            /**< dtc_collective */
  DTC_ARG_LAST = 61,          /**< largest size of a range */
  DTC_ARG_BYTES = 71,         /**< bytes of a vector */
  DTC_ARG_FRACTION = 72,      /**< share of the best bandwidth */
  DTC_ARG_SECONDS = 73,       /**< a measured time */
  DTC_ARG_POINTS = 74,        /**< measured sizes and times */
  DTC_ARG_MATRIX = 75,        /**< bytes between ranks */
  DTC_ARG_ALGORITHM = 76,     /**< dtc_classic */
  DTC_ARG_ALPHA = 77,         /**< latency of a message */
  DTC_ARG_BETA = 78,          /**< seconds per byte */
  DTC_ARG_GAMMA = 79,         /**< seconds to reduce a byte */
  DTC_ARG_SAMPLES = 80,       /**< measured steps */
  DTC_ARG_AXIS = 81,          /**< dtc_space_axis */
  DTC_ARG_NUMBER = 82,        /**< how many plans */
  DTC_ARG_FIRST = 83,         /**< index of the first plan */
  DTC_ARG_STEP = 84,          /**< of dtc_search_change() */
  DTC_ARG_MOMENT = 85,        /**< dtc_shard_moment */
  DTC_ARG_MICRO_BATCH = 86,   /**< index of a micro-batch */
  DTC_ARG_SCRIPT = 90,        /**< a script and its arguments */
  DTC_ARG_TOLD = 93,          /**< dtc_note, dtc_reason */
  DTC_ARG_LANG = 94,          /**< dtc_lang */
  DTC_ARG_BANDWIDTH = 95,     /**< bytes a second */
};

/** Id of a field, as in dtc_error.field: DTC_FIELD(plan, tp). */
#define DTC_FIELD(noun, member) ((uint32_t)DTC_STRUCT_##noun << 16 | (uint32_t)offsetof(dtc_##noun, member))

/** Which rule refused a value: these from 1, those of dtc_plan_check() from 100 and 250 (plan.h),
 * those of dtc_layout_resolve() from 200 (rank.h), those of pipelines from 300 (pipeline.h), those of
 * configurations from 400 (framework.h), those of NCCL from 700 (nccl.h), those of fine-tuning
 * from 840 (plan.h), those of out-of-memory messages from 930 (explain.h), those of launch texts from 940 (launch.h), those
 * of frameworks and of what legal plans lose from 950 (advise.h). Numbers are frozen. */
typedef uint32_t dtc_rule;
enum {
  DTC_RULE_NONE = 0,
  DTC_RULE_STRUCT_SIZE = 1,     /**< struct_size out of bounds */
  DTC_RULE_STRUCT_NEWER = 2,    /**< unknown tail not zero */
  DTC_RULE_RANGE = 3,           /**< min <= got <= max */
  DTC_RULE_OVERFLOW = 4,        /**< the result must fit 64 bits */
  DTC_RULE_MODEL_NAME = 5,      /**< catalogue name of a model */
  DTC_RULE_GPU_NAME = 6,        /**< catalogue name of a GPU */
  DTC_RULE_CLUSTER_NAME = 7,    /**< catalogue name of a cluster */
  DTC_RULE_JSON_SYNTAX = 8,     /**< RFC 8259 */
  DTC_RULE_JSON_TRUNCATED = 9,  /**< the text ends inside a value */
  DTC_RULE_JSON_DEPTH = 10,     /**< at most 256 levels */
  DTC_RULE_JSON_DUPLICATE = 11, /**< a key appears once in an object */
  DTC_RULE_HF_TYPE = 12,        /**< a known model_type */
  DTC_RULE_HF_MISSING = 13,     /**< a key that the model_type needs */
  DTC_RULE_HF_VALUE = 14,       /**< a key's value has the wrong type or range */
  DTC_RULE_HF_CONFLICT = 15,    /**< two keys contradict each other */
  DTC_RULE_PLAN_WORD = 16,      /**< a known word of the plan text */
  DTC_RULE_PLAN_VALUE = 17,     /**< a value that fits the word */
  DTC_RULE_PLAN_TWICE = 18,     /**< a word appears once */
  DTC_RULE_SPACE = 19,          /**< output array large enough */
  DTC_RULE_INDEX = 20,          /**< index below the count */
  DTC_RULE_STAGE_SUM = 21,      /**< the stages' layers add up to the model's */
  DTC_RULE_LAYER_KIND = 22,     /**< a layer kind that this function models */
  DTC_RULE_SIZE_ONLY = 23,      /**< a shape is needed, a size alone does not do */
  DTC_RULE_ARCH_FEATURE = 24,   /**< a feature that the architecture has */
  DTC_RULE_MODEL_NEEDS = 25,    /**< a value that another field of the model asks for */
  DTC_RULE_MODEL_DIVIDES = 26,  /**< one field of the model divides another */
  DTC_RULE_MESH_TILES = 27,     /**< the strides of a mesh tile its ranks */
  DTC_RULE_ORDER_AXIS = 28,     /**< a known axis of an order */
  DTC_RULE_ORDER_TWICE = 29,    /**< an axis appears once in an order */
  DTC_RULE_ORDER_MISSING = 30,  /**< an axis whose size is not 1 stands in the order */
  DTC_RULE_KIND_CHUNK = 31,     /**< chunk * step divides the list of ranks when step > 1 */
  DTC_RULE_KIND_EVEN = 32,      /**< a chunk cuts the axes of a mesh evenly */
  DTC_RULE_RANKS_TWICE = 33,    /**< a rank appears once in a list */
  DTC_RULE_RANKS_LISTED = 34,   /**< the rank is in the list */
  DTC_RULE_ELEMENT = 40,        /**< an element of a list lies in its range */
  DTC_RULE_LENGTH = 41,         /**< a list is as long as another says */
  DTC_RULE_LENGTH_OR_ONE = 42,  /**< a list is as long as another says, or has one element for all */
  DTC_RULE_SUM = 43,            /**< the elements of a list add up to what is in range */
  DTC_RULE_FIELD_NEEDS = 44,    /**< a value that another field of the request asks for */
  DTC_RULE_SLURM_PRODUCT = 45,  /**< ntasks_per_node * cpus_per_task fits Slurm's 16 bits */
  DTC_RULE_SLURM_NODE = 46,     /**< the tasks of a node fit Slurm's 16 bits */
  DTC_RULE_MPI_SLOTS = 47,      /**< np is at most the slots of all nodes */
  DTC_RULE_MPI_PPR = 48,        /**< np is at most ppr * resources of all nodes */
  DTC_RULE_MPI_PPR_SLOTS = 49,  /**< ppr * resources of a node is at most its slots */
  DTC_RULE_MPI_PE = 50,         /**< pe is at most the cores of what is mapped to */
  DTC_RULE_MPI_NUMA = 51,       /**< NUMA nodes, sockets and cores lie in each other */
  DTC_RULE_HOST_LINE = 52,      /**< a line of a hostfile is "host slots=8" */
  DTC_RULE_HOST_SLOTS = 53,     /**< the slots of a line lie in their range */
  DTC_RULE_HOST_TWICE = 54,     /**< a host appears once */
  DTC_RULE_HOST_NONE = 55,      /**< there is a host */
  DTC_RULE_SCRATCH = 60,        /**< working memory large enough */
  DTC_RULE_SLOTS = 61,          /**< slots are a layout of the tensors */
  DTC_RULE_SHARD_SETTING = 62,  /**< a setting that the scheme has */
  DTC_RULE_SHARD_SCHEME = 65,   /**< a scheme that the function answers for */
  DTC_RULE_CHUNK_SEARCH = 70,   /**< a search of chunks that ends soon */
  DTC_RULE_RESHARD_FORM = 75,   /**< a form of checkpoint that the scheme reads and writes */
  DTC_RULE_RESHARD_WORLD = 76,  /**< DeepSpeed's files per rank load at the world that wrote them */
  DTC_RULE_RESHARD_STAGE3 = 77, /**< ZeRO stage 3 has no elastic checkpoint */
  DTC_RULE_RESHARD_BUCKET = 78, /**< buckets hold as many elements in the checkpoint as in the job */
  DTC_RULE_RESHARD_EMPTY = 79,  /**< a rank's part of a bucket holds an element of a tensor */
  DTC_RULE_RESHARD_ORDER = 80,  /**< buckets are cut evenly and follow the order of the tensors */
  DTC_RULE_RESHARD_CUT = 81,    /**< tensor parallelism divides the dimension that it cuts */
  DTC_RULE_RESHARD_STEPS = 82,  /**< tensors times ranks stay within the work that a call does */
  DTC_RULE_SHARD_REDUCE = 85,   /**< gradients are reduced to their owners, not on all ranks (warning) */
  DTC_RULE_SHARD_WHOLE = 86,    /**< gradients of a part are kept as the part, not as whole tensors (warning) */
  DTC_RULE_SHARD_LIVE = 87,     /**< zero3 cannot hold all weights whole at once (warning) */
  DTC_RULE_SHARD_ROWS = 88,     /**< world divides the rows of every tensor (warning) */
  DTC_RULE_SHARD_PADDING = 89,  /**< padding is at most a tenth of the tensors (warning) */
  DTC_RULE_SHARD_GATHER = 90,   /**< what a step gathers at a time stays within bucket (warning) */
  DTC_RULE_SHARD_LARGE = 91,    /**< no tensor is larger than bucket (warning) */
  DTC_RULE_SHARD_DEFAULT = 92,  /**< the size of a bucket does not follow from world (warning) */
  DTC_RULE_SHARD_IDLE = 93,     /**< every rank holds an element of a tensor (warning) */
  DTC_RULE_SHARD_PARTS = 94,    /**< every rank's part of a bucket holds an element of a tensor (warning) */
  DTC_RULE_MODEL_LAYERS = 95,   /**< layers of the kinds that the function models */
  DTC_RULE_OPT_LIBRARY = 750,   /**< a library that has the optimizer */
  DTC_RULE_OPT_SETTING = 751,   /**< a setting that the optimizer has */
  DTC_RULE_OPT_SHAPE = 752,     /**< tensors that the optimizer takes */
  DTC_RULE_REMEDY = 760,        /**< a change that the framework has and the plan does not have yet */
};

/**
 * Why a call failed, or a finding of dtc_plan_check() or dtc_shards_check(), as numbers; dtc_error_format() makes the line.
 * Values of a field whose type is double hold its bits. Values that do not apply are DTC_NONE.
 */
typedef struct dtc_error {
  uint32_t struct_size;  /**< sizeof, set by DTC_INIT() */
  dtc_status status;     /**< the status that the call returned */
  dtc_severity severity; /**< error or warning */
  dtc_rule rule;         /**< the rule that was broken */
  uint32_t field;        /**< the value that is wrong, a field id */
  uint32_t other;        /**< the value it was held against, a field id; 0 none */
  uint64_t got;          /**< the value found */
  uint64_t other_got;    /**< the value it was held against */
  uint64_t min;          /**< smallest legal value */
  uint64_t max;          /**< largest legal value */
  uint64_t lower;        /**< nearest legal value below; of a name the index of the nearest one */
  uint64_t upper;        /**< nearest legal value above */
  uint64_t offset;       /**< byte offset in the text that was read */
} dtc_error;

/** Zeroes *p and sets its struct_size: `dtc_plan plan; DTC_INIT(&plan);`. */
#define DTC_INIT(p) (memset((p), 0, sizeof *(p)), (p)->struct_size = (uint32_t)sizeof *(p))

/**
 * @brief Version of the library: major * 10^6 + minor * 10^3 + patch.
 * @return never 0. Exact. Since 1.0.
 */
DTC_API uint32_t dtc_version(void);

/**
 * @brief Version of the library as text, "1.0.0".
 * @return constant string. Exact. Since 1.0.
 */
DTC_API const char *dtc_version_string(void);

/**
 * @brief Feature query: the size this library knows of a struct. A field exists when it ends within that size.
 * @param number DTC_STRUCT_model and its siblings
 * @return bytes; 0 when the number is unknown. Exact. Since 1.0.
 */
DTC_API uint32_t dtc_struct_size(uint32_t number);

/**
 * @brief Name of a field, "tp" for DTC_FIELD(plan, tp); of an argument; of a key of a Hugging Face config.json.
 * @param field a field id
 * @return constant string; "?" when unknown. Exact. Since 1.0.
 */
DTC_API const char *dtc_field_name(uint32_t field);

/**
 * @brief Name of a value of an enum field, "zero2" for DTC_FIELD(plan, sharding) and DTC_SHARDING_ZERO2, "tp_heads"
 *        for DTC_FIELD(error, rule) and DTC_RULE_TP_HEADS.
 * @param field a field id
 * @param value the enumerator
 * @return constant string; "?" when the field is no enum or the value unknown. Exact. Since 1.0.
 */
DTC_API const char *dtc_value_name(uint32_t field, uint64_t value);

/**
 * @brief One line of text for an error or a finding, with the value, the rule and the nearest legal values.
 * @param err the error; its struct_size must be valid, else the text only says so
 * @param lang DTC_LANG_EN or DTC_LANG_ZH (UTF-8)
 * @param buf where to write; may be NULL when cap is 0
 * @param cap bytes in buf; the text is cut to cap - 1 bytes, at a character boundary, and always ends in NUL
 * @return bytes of the whole text without the NUL, whatever cap is. Exact. Since 1.0.
 */
DTC_API size_t dtc_error_format(const dtc_error *err, dtc_lang lang, char *buf, size_t cap);

#ifdef __cplusplus
}
#endif
#endif

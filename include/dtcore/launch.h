/**
 * @file launch.h
 * @brief A plan as the commands and configuration files that run it.
 *
 * Each target is one text: a command line, a job script, a file. It says what differs from the tool's default or must
 * be said; what follows from the plan (ranks, data parallelism, accumulation) stands in comments. A plan that a target
 * cannot express is refused, with the field. What the plan does not know (data, tokenizer, learning rate, rotary base)
 * is the caller's to add.
 */
#ifndef DTCORE_LAUNCH_H
#define DTCORE_LAUNCH_H

#include <dtcore/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What is written. */
typedef uint32_t dtc_launch_target;
enum {
  DTC_LAUNCH_TARGET_DEFAULT = 0,         /**< the framework's usual launcher: deepspeed, colossalai, else torchrun */
  DTC_LAUNCH_TARGET_TORCHRUN = 1,        /**< torchrun, static rendezvous: the line of a node */
  DTC_LAUNCH_TARGET_C10D = 2,            /**< torchrun, c10d rendezvous: the same line on every node */
  DTC_LAUNCH_TARGET_STANDALONE = 3,      /**< torchrun on one node */
  DTC_LAUNCH_TARGET_DEEPSPEED = 4,       /**< DeepSpeed's launcher over ssh (pdsh) */
  DTC_LAUNCH_TARGET_DEEPSPEED_SLURM = 5, /**< DeepSpeed's launcher with Slurm */
  DTC_LAUNCH_TARGET_HOSTFILE = 6,        /**< DeepSpeed's hostfile */
  DTC_LAUNCH_TARGET_SRUN = 7,            /**< srun starts a process for each GPU */
  DTC_LAUNCH_TARGET_SBATCH = 8,          /**< job script of Slurm: srun starts a process for each GPU */
  DTC_LAUNCH_TARGET_SBATCH_TORCHRUN = 9, /**< job script of Slurm: srun starts torchrun once on a node */
  DTC_LAUNCH_TARGET_MPIRUN = 10,         /**< Open MPI's mpirun */
  DTC_LAUNCH_TARGET_ACCELERATE_RUN = 11, /**< accelerate launch: the line of a node */
  DTC_LAUNCH_TARGET_COLOSSALAI_RUN = 12, /**< colossalai run */
  DTC_LAUNCH_TARGET_MEGATRON = 13,       /**< arguments of Megatron-LM, as a shell array */
  DTC_LAUNCH_TARGET_DS_CONFIG = 14,      /**< DeepSpeed's ds_config.json */
  DTC_LAUNCH_TARGET_ACCELERATE = 15,     /**< accelerate's configuration, YAML */
  DTC_LAUNCH_TARGET_TRAINER = 16,        /**< flags of a Hugging Face Trainer script, as a shell array */
  DTC_LAUNCH_TARGET_TITAN_TOML = 17,     /**< TorchTitan's configuration up to 0.2.2, TOML */
  DTC_LAUNCH_TARGET_TITAN_PYTHON = 18,   /**< TorchTitan's from 0.3.0: a Python function */
  DTC_LAUNCH_TARGET_COLOSSALAI = 19,     /**< ColossalAI's plugin, Python */
  DTC_LAUNCH_TARGET_ENVIRONMENT = 20,    /**< environment variables, as shell exports */
};

/** What stands behind the script of a command. */
typedef uint32_t dtc_launch_arguments;
enum {
  DTC_LAUNCH_ARGUMENTS_DEFAULT = 0, /**< what the framework's scripts take: Megatron's arguments, --deepspeed_config,
                                         TorchTitan's --job.config_file; nothing for the others */
  DTC_LAUNCH_ARGUMENTS_NONE = 1,    /**< the caller's alone */
  DTC_LAUNCH_ARGUMENTS_TRAINER = 2, /**< those of a Hugging Face Trainer script */
};

/** What to write, and where it runs. */
typedef struct dtc_launch {
  uint32_t struct_size;           /**< sizeof, set by DTC_INIT() */
  dtc_launch_target target;       /**< what is written */
  dtc_launch_arguments arguments; /**< what stands behind the script */
  dtc_release tool_version;       /**< of transformers, for its flags; 0 = newest known [0, 4294967295] */
  uint64_t nodes;                 /**< nodes; 0 = ranks / gpus_per_node [0, 2^20] */
  uint64_t gpus_per_node;         /**< processes of a node; 0 = the cluster's, at most all ranks [0, 4096] */
  uint64_t port;                  /**< of the rendezvous; 0 = 29500 [0, 65535] */
  uint64_t node;      /**< number of the node that runs the line, from 1; 0 = the line has ${NODE_RANK} [0, 2^20] */
  uint32_t fsdp;      /**< generation of FSDP; 0 = 2 [0, 2] */
  dtc_bool is_module; /**< the script is a module, python -m; default off, without a script TorchTitan's on */
} dtc_launch;

/** Rules of launch texts; they join dtc_rule. */
enum {
  DTC_RULE_LAUNCH_TARGET = 940,    /**< a target for the plan's framework */
  DTC_RULE_LAUNCH_SETTING = 941,   /**< a field that the target has a setting for */
  DTC_RULE_LAUNCH_VALUE = 942,     /**< a value that the target has */
  DTC_RULE_LAUNCH_CHARACTER = 943, /**< no control characters; hosts of letters, digits, '.', '-', '_' and ':' */
  DTC_RULE_LAUNCH_NODES = 944,     /**< nodes * gpus_per_node is all ranks */
  DTC_RULE_LAUNCH_HOSTS = 945,     /**< as many hosts as nodes */
  DTC_RULE_LAUNCH_NEEDS = 946,     /**< hosts, where a target needs their names */
  DTC_RULE_LAUNCH_ONE_NODE = 947,  /**< a target for one node */
  DTC_RULE_LAUNCH_VERSION = 948,   /**< a version of the framework that the text is for */
  DTC_RULE_LAUNCH_TOGETHER = 949,  /**< two fields that the target has settings for, but not together */
};

/**
 * @brief Writes one text. O(text).
 * @param model what is trained
 * @param cluster on what; may be NULL: nodes of 8 GPUs
 * @param plan how it is split
 * @param launch what to write
 * @param script the script and its arguments, each on a line of its own; empty = train.py, Megatron pretrain_gpt.py,
 *        TorchTitan the module torchtitan.train
 * @param script_len bytes [0, 2^20]
 * @param hosts names of the nodes between blanks, commas or line ends; empty = not known: commands have ${MASTER_ADDR}
 * @param hosts_len bytes [0, 2^26]
 * @param buf where to write; may be NULL when cap is 0
 * @param cap bytes in buf; the text is cut to cap - 1 bytes and always ends in NUL
 * @param len bytes of the whole text without the NUL; may be NULL
 * @param err may be NULL
 * @return as dtc_plan_resolve(), DTC_E_UNSUPPORTED (a target, setting, value or version that there is not),
 *         DTC_E_CONFLICT (nodes, hosts), DTC_E_PARSE (characters of script and hosts; offset is the place). Exact: the
 *         names and defaults of Megatron-LM d98e8a64, DeepSpeed 0.19.8, TorchTitan 0.2.2, 0.3.0 and b5bcd76c, ColossalAI
 *         0.5, accelerate 1.15, transformers 4.57 to 5.24, torchrun 2.15, Slurm 22.05 to 26.05, Open MPI 4.1.
 *         Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_launch_write(const dtc_model *model, const dtc_cluster *cluster,
                                                  const dtc_plan *plan, const dtc_launch *launch, const char *script,
                                                  size_t script_len, const char *hosts, size_t hosts_len, char *buf,
                                                  size_t cap, size_t *len, dtc_error *err);

/**
 * @brief The texts that a plan usually needs, the launcher first.
 * @param plan how it is split; only its framework, sharding and version count
 * @param launch its nodes decide whether a hostfile is one of them, its arguments whether a Trainer's are
 * @param out array of cap targets
 * @param cap length of out
 * @param count targets there are, at most 6
 * @param err may be NULL
 * @return DTC_OK, DTC_E_SIZE, DTC_E_NEWER, DTC_E_RANGE, DTC_E_SPACE (*count was written). Exact. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_launch_targets(const dtc_plan *plan, const dtc_launch *launch, uint32_t *out,
                                                    size_t cap, size_t *count, dtc_error *err);

/**
 * @brief Name of the file that a target is kept in.
 * @param target what is written
 * @return constant string: "ds_config.json"; NULL for DTC_LAUNCH_TARGET_DEFAULT and unknown ones. Exact. Since 1.0.
 */
DTC_API const char *dtc_launch_file(dtc_launch_target target);

#ifdef __cplusplus
}
#endif
#endif
